"""Clips from sprite sheets that Aseprite exports, and errors for broken files."""

from __future__ import annotations

import copy
import json
import os
import random
import time
import tracemalloc
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import framework as fw

Json = dict[str, Any]

DURATIONS = [100, 100, 100, 80, 120, 250, 40, 100]

MUTATIONS = 2_000 if os.environ.get("NEW_EXAMPLES") else 400


def frame(number: int, **more: Any) -> Json:
    """Return a frame of 16 x 24 pixels as Aseprite exports it, from a sheet with eight in a row."""
    box = {"x": 16 * number, "y": 0, "w": 16, "h": 24}
    return {
        "frame": box,
        "rotated": False,
        "trimmed": False,
        "spriteSourceSize": {"x": 0, "y": 0, "w": 16, "h": 24},
        "sourceSize": {"w": 16, "h": 24},
        "duration": DURATIONS[number],
        **more,
    }


def tag(name: str, first: int, last: int, direction: str = "forward", **more: Any) -> Json:
    return {
        "name": name,
        "from": first,
        "to": last,
        "direction": direction,
        "color": "#000000ff",
        **more,
    }


def sheet(array: bool = False, **meta: Any) -> Json:
    frames: Any = {f"hero {number}.aseprite": frame(number) for number in range(8)}
    if array:
        frames = [{"filename": name, **fields} for name, fields in frames.items()]
    return {
        "frames": frames,
        "meta": {
            "app": "https://www.aseprite.org/",
            "version": "1.3.9",
            "image": "hero.png",
            "format": "RGBA8888",
            "size": {"w": 128, "h": 24},
            "scale": "1",
            "frameTags": [
                tag("walk", 0, 3),
                tag("hit", 4, 6, "pingpong"),
                tag("back", 2, 4, "reverse"),
            ],
            **meta,
        },
    }


@pytest.fixture
def write(tmp_path: Path) -> Any:
    Image.fromarray(np.full((24, 128, 4), 255, np.uint8)).save(tmp_path / "hero.png")

    def write(content: Any) -> Path:
        path = tmp_path / "hero.json"
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return path

    return write


def frames_of(clip: fw.Clip) -> list[int]:
    return [clip.frames[index] for index in clip.order]


@pytest.mark.parametrize("array", [False, True])
def test_tags_are_clips_with_the_durations_of_their_frames(write: Any, array: bool) -> None:
    clips = fw.Clips.from_aseprite(write(sheet(array)))
    assert [*clips] == ["walk", "hit", "back"]
    assert {name: frames_of(clips[name]) for name in clips} == {
        "walk": [0, 1, 2, 3],
        "hit": [4, 5, 6, 5],
        "back": [4, 3, 2],
    }
    assert clips["walk"].duration == Fraction(38, 100)
    assert clips["hit"].duration == Fraction(120 + 250 + 40 + 250, 1000)
    assert [clip.seconds for clip in [clips["back"]]] == [
        (Fraction(12, 100), Fraction(8, 100), Fraction(1, 10))
    ]
    assert all(clips[name].loop for name in clips)
    assert [image.box for image in clips.images] == [
        (16 * number, 0, 16, 24) for number in range(8)
    ]
    assert {image.anchor for image in clips.images} == {None}


def test_without_tags_all_frames_are_one_clip(write: Any) -> None:
    clips = fw.Clips.from_aseprite(write(sheet(frameTags=[])))
    assert [*clips] == ["all"]
    assert frames_of(clips["all"]) == [*range(8)]


def test_tags_have_a_repeat_count_and_may_share_a_name(write: Any) -> None:
    tags = [
        tag("a", 0, 1, repeat="3"),
        tag("a", 0, 2, "pingpong", repeat="1"),
        tag("b", 0, 2, "pingpong", repeat=3),
        tag("c", 0, 2, "pingpong_reverse"),
        tag("d", 0, 2, "pingpong_reverse", repeat="2"),
        tag("e", 5, 5, "pingpong"),
    ]
    clips = fw.Clips.from_aseprite(write(sheet(frameTags=tags)))
    assert {name: (frames_of(clips[name]), clips[name].loop) for name in clips} == {
        "a": ([0, 1, 0, 1, 0, 1], False),
        "a 2": ([0, 1, 2], False),
        "b": ([0, 1, 2, 1, 0, 1, 2], False),
        "c": ([2, 1, 0, 1], True),
        "d": ([2, 1, 0, 1, 2], False),
        "e": ([5], True),
    }


def test_trimmed_frames_keep_their_anchor(write: Any) -> None:
    content = sheet(array=True)
    part = {"x": 3, "y": 5, "w": 10, "h": 12}
    trimmed = frame(
        1, trimmed=True, spriteSourceSize=part, frame={"x": 16, "y": 0, "w": 10, "h": 12}
    )
    content["frames"][1] = trimmed
    images = fw.Clips.from_aseprite(write(content)).images
    assert images[0].anchor is None
    assert images[1].anchor == (
        8 - 3,
        5 + 12 - 12,
    )  # the center of 16 x 24, from the bottom left corner of the part


def test_the_pivot_of_a_slice_is_the_anchor_from_its_key_on(write: Any) -> None:
    keys = [
        {"frame": 0, "bounds": {"x": 2, "y": 4, "w": 8, "h": 8}, "pivot": {"x": 5, "y": 16}},
        {"frame": 3, "bounds": {"x": 2, "y": 4, "w": 8, "h": 8}, "pivot": {"x": 6, "y": 20}},
    ]
    content = sheet(slices=[{"name": "feet", "color": "#0000ffff", "keys": keys}])
    images = fw.Clips.from_aseprite(write(content)).images
    assert [image.anchor for image in images] == [(7, 4)] * 3 + [(8, 0)] * 5


def slice_of(name: Any, key: Json, **more: Any) -> Json:
    return {"name": name, "color": "#0000ffff", "keys": [key], **more}


def test_slices_are_images_with_their_pivots_and_borders(write: Any) -> None:
    bounds = {"x": 2, "y": 4, "w": 8, "h": 12}
    key = {"frame": 3, "bounds": bounds}
    center = {"x": 3, "y": 2, "w": 4, "h": 6}
    clips = fw.Clips.from_aseprite(
        write(
            sheet(
                slices=[
                    slice_of("face", key),
                    slice_of(
                        "panel",
                        {**key, "center": center, "pivot": {"x": 1, "y": 12}},
                        data="menu",
                    ),
                    slice_of("face", {**key, "frame": 0}),
                    slice_of("outside", {"frame": 0, "bounds": {**bounds, "x": 16}}),
                    slice_of("hidden", {"frame": 0, "bounds": {**bounds, "w": 0}}),
                    {"name": "without keys", "keys": []},
                ]
            )
        )
    )
    assert [*clips.slices] == ["face", "panel", "face 2"]
    face, panel, second = clips.slices.values()
    assert face.image.box == (48 + 2, 4, 8, 12)
    assert (face.image.anchor, face.border, face.frame, face.data) == (None, None, 3, "")
    assert (panel.image.box, panel.image.anchor) == (face.image.box, (1, 0))
    assert (panel.border, panel.data) == ((3, 2, 1, 4), "menu")
    assert second.image.box == (2, 4, 8, 12)
    assert panel.border is not None
    skin = fw.NinePatch(panel.image, panel.border)
    assert skin.border == (3, 2, 1, 4)
    assert fw.Clips(face.image, still=(0, 1, 1)).slices == {}


def test_a_slice_of_a_trimmed_frame_has_the_part_in_the_sheet(write: Any) -> None:
    content = sheet(
        slices=[
            slice_of(
                "panel",
                {
                    "frame": 1,
                    "bounds": {"x": 0, "y": 0, "w": 16, "h": 24},
                    "center": {"x": 2, "y": 8, "w": 10, "h": 10},
                    "pivot": {"x": 8, "y": 24},
                },
            )
        ]
    )
    content["frames"]["hero 1.aseprite"] |= {
        "frame": {"x": 20, "y": 1, "w": 10, "h": 12},
        "trimmed": True,
        "spriteSourceSize": {"x": 4, "y": 5, "w": 10, "h": 12},
    }
    panel = fw.Clips.from_aseprite(write(content)).slices["panel"]
    assert (panel.image.box, panel.border) == ((20, 1, 10, 12), (0, 3, 2, 0))
    assert panel.image.anchor == (4, 17 - 24)


def test_more_slices_than_the_limit_are_an_error(write: Any) -> None:
    key = {"frame": 0, "bounds": {"x": 2, "y": 4, "w": 8, "h": 12}}
    path = write(sheet(slices=[slice_of("a", key)] * 4097))
    with pytest.raises(fw.AssetError, match="more than 4,096 slices"):
        fw.Clips.from_aseprite(path)


def test_equal_frames_are_one_image(write: Any) -> None:
    content = sheet(array=True)
    content["frames"][5] = frame(4, duration=70)  # the exporter merges duplicates like this
    images = fw.Clips.from_aseprite(write(content)).images
    assert images[5] is images[4]
    assert len({*images}) == 7


def test_user_data_of_cels_and_slices_are_markers(write: Any) -> None:
    layers = [
        {
            "name": "legs",
            "opacity": 255,
            "cels": [{"frame": 1, "data": "step"}, {"frame": 5, "data": "swish"}],
        },
        {
            "name": "arms",
            "cels": [
                {"frame": 3, "data": "step", "color": "#ff0000ff"},
                {"frame": 2, "color": "#fff"},
            ],
        },
        {"name": "group"},
    ]
    slices = [
        {
            "name": "box",
            "data": "hot",
            "keys": [{"frame": 5, "bounds": {"x": 0, "y": 0, "w": 4, "h": 4}}],
        }
    ]
    clips = fw.Clips.from_aseprite(write(sheet(layers=layers, slices=slices)))
    assert clips["walk"].markers == {"step": (1, 3)}
    assert clips["hit"].markers == {"swish": (1,), "hot": (1,)}
    assert clips["back"].markers == {"step": (1,)}


@pytest.mark.filterwarnings("ignore:advance:RuntimeWarning")  # this frame is longer than the limit
def test_the_sheet_is_drawn(write: Any, make: Any) -> None:
    game = make()
    hero = game.add(fw.SpriteBatch(fw.Clips.from_aseprite(write(sheet())), 1))
    hero.position[:] = 100, 50
    hero.play("walk")
    game.advance(0.5)
    assert game.pixels()[50, 100].tolist() == [255] * 4
    assert hero[0].width == 16


def test_a_path_is_searched_beside_the_current_game(
    write: Any, make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(sheet())

    class Hero(fw.Game):
        def setup(self) -> None:
            self.clips = fw.Clips.from_aseprite("hero.json")

    monkeypatch.setattr("framework.game.engine.folders_of", lambda game_class: (str(path.parent),))
    assert [*make(Hero).clips] == ["walk", "hit", "back"]
    monkeypatch.undo()
    assert [*fw.Clips.from_aseprite("hero.json", folders=[path.parent])] == ["walk", "hit", "back"]
    with pytest.raises(fw.AssetError, match=r"There is no file 'her\.json'"):
        fw.Clips.from_aseprite("her.json", folders=[path.parent])
    with pytest.raises(TypeError, match="path"):
        fw.Clips.from_aseprite(7)  # type: ignore[arg-type]


# -- broken files ---------------------------------------------------------------------------------


def sheet_with(change_randomly: Any) -> Json:
    content = sheet(array=True)
    change_randomly(content)
    return content


BAD: list[tuple[Any, str]] = [
    (b"", "its JSON is broken"),
    (b"\xff\xfe", "nor JSON in UTF-8"),
    (b"[]", "not an object"),
    (b'{"frames": NaN}', "NaN for a number"),
    (b"[" * 100_000, "nested too deeply|broken"),
    (b'{"meta": ' + b"9" * 10_000 + b"}", "."),
    (b"[" + b"1," * (1 << 21) + b",", "more than 2,097,152 values"),
    ({}, "'meta'"),
    ({"meta": {}}, "'image'"),
    (sheet_with(lambda c: c.update(frames=[])), "frames: expected 1 to"),
    (sheet_with(lambda c: c.update(frames=[7])), r"frames\[0\]: expected an object"),
    (sheet_with(lambda c: c.update(frames="all")), "frames: expected a list"),
    (sheet_with(lambda c: c.update(frames=c["frames"] * 3000)), "frames: expected 1 to 16,384"),
    (sheet_with(lambda c: c["frames"][2].update(duration=0)), r"frames\[2\]: expected 'duration'"),
    (
        sheet_with(lambda c: c["frames"][2].update(duration=1e3)),
        r"frames\[2\]: expected 'duration'",
    ),
    (
        sheet_with(lambda c: c["frames"][2].update(duration=1 << 40)),
        r"frames\[2\]: expected 'duration'",
    ),
    (sheet_with(lambda c: c["frames"][2].update(rotated=True)), r"frames\[2\]: it is rotated"),
    (sheet_with(lambda c: c["frames"][2]["frame"].update(w=0)), r"frames\[2\].frame: expected 'w'"),
    (
        sheet_with(lambda c: c["frames"][2]["frame"].update(x=-1)),
        r"frames\[2\].frame: expected 'x'",
    ),
    (sheet_with(lambda c: c["frames"][2].update(trimmed=True, sourceSize=3)), "'sourceSize'"),
    (sheet_with(lambda c: c["meta"].update(frameTags={})), "frameTags: expected a list"),
    (sheet_with(lambda c: c["meta"].update(frameTags=[tag("", 0, 1)])), "'name'"),
    (sheet_with(lambda c: c["meta"].update(frameTags=[tag("a", 0, 8)])), "'to' from 0 to 7"),
    (sheet_with(lambda c: c["meta"].update(frameTags=[tag("a", 3, 2)])), "from frame 3 to 2"),
    (
        sheet_with(lambda c: c["meta"].update(frameTags=[tag("a", 0, 2, "sideways")])),
        "direction is 'sideways'",
    ),
    (sheet_with(lambda c: c["meta"].update(frameTags=[tag("a", 0, 2, repeat="-1")])), "'repeat'"),
    (
        sheet_with(lambda c: c["meta"].update(frameTags=[tag("a", 0, 2, repeat="9" * 9)])),
        "'repeat'",
    ),
    (sheet_with(lambda c: c["meta"].update(frameTags=[tag("a", 0, 2)] * 5000)), "5,000 tags"),
    (
        sheet_with(lambda c: c["meta"].update(frameTags=[tag("a", 0, 7, repeat=1000)] * 40)),
        "more than 131,072 frames",
    ),
    (
        sheet_with(lambda c: c["meta"].update(slices=[{"keys": [{"frame": 9}]}])),
        "'frame' from 0 to 7",
    ),
    (
        sheet_with(lambda c: c["meta"].update(slices=[{"keys": [{"frame": 0, "pivot": 3}]}])),
        "'bounds'",
    ),
    (
        sheet_with(lambda c: c["meta"].update(layers=[{"cels": [{"frame": -1, "data": "x"}]}])),
        "'frame' from 0",
    ),
    (
        sheet_with(
            lambda c: c["meta"].update(
                layers=[{"cels": [{"frame": 0, "data": f"{n}"} for n in range(99)]}]
            )
        ),
        "frame 0 has more than 64 markers",
    ),
    (
        sheet_with(
            lambda c: c["meta"].update(
                frameTags=[tag("a", 0, 1, repeat=1000)] * 9,
                layers=[{"cels": [{"frame": 0, "data": f"{n}"} for n in range(60)]}],
            )
        ),
        "more than 131,072 markers",
    ),
    (sheet_with(lambda c: c["meta"].update(image="../hero.png")), "leads out of the JSON's folder"),
    (sheet_with(lambda c: c["meta"].update(image="/etc/passwd")), "not a path beside the JSON"),
    (
        sheet_with(lambda c: c["meta"].update(image="https://there/hero.png")),
        "not a path beside the JSON",
    ),
    (sheet_with(lambda c: c["meta"].update(image="hero\0.png")), "not a path beside the JSON"),
    (
        sheet_with(lambda c: c["meta"].update(image="heros.png")),
        "there is no file 'heros.png' beside the JSON",
    ),
    (sheet_with(lambda c: c["meta"].update(image="x" * 5000)), "."),
]


@pytest.mark.parametrize("number", range(len(BAD)))
def test_a_broken_file_is_an_error_with_its_path(write: Any, number: int) -> None:
    content, words = BAD[number]
    path = write(content)
    with pytest.raises(fw.AssetError, match=words) as error:
        fw.Clips.from_aseprite(path)
    assert "hero.json" in str(error.value)
    assert len(str(error.value)) < 600


def test_a_frame_outside_the_image_is_an_error_at_loading(write: Any, make: Any) -> None:
    content = sheet(array=True)
    content["frames"][2]["frame"]["x"] = 4000
    clips = fw.Clips.from_aseprite(write(content))
    for options in ({}, {"drawing": False}):
        with pytest.raises(fw.AssetError, match=r"hero\.png"):
            make(**options).add(fw.SpriteBatch(clips, 1))


def mutated(content: bytes, chance: random.Random) -> bytes:
    """Return a file with random changes of its bytes or of its JSON values."""
    if chance.random() < 0.3:
        data = bytearray(content)
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(data))
            piece = bytes(
                chance.choice(b'0123456789{}[]",:-.eE\\u\0\xff')
                for _ in range(chance.randint(0, 3))
            )
            data[at : at + chance.randint(0, 5)] = piece
        return bytes(data[: chance.randrange(len(data))] if chance.random() < 0.1 else data)
    tree = json.loads(content)
    for _ in range(chance.randint(1, 3)):
        change_randomly(tree, chance)
    return json.dumps(tree).encode()


VALUES: list[Any] = [
    *(
        None,
        True,
        -1,
        0,
        1,
        7,
        8,
        255,
        65536,
        2**31,
        2**63,
        10**30,
        0.5,
        -1e300,
        "",
        "a",
        "../x",
        "hero.png",
        "pingpong",
    ),
    *([], {}, [[]], {"x": 1}, ["step"], "x" * 3000),
]


def change_randomly(tree: Any, chance: random.Random) -> None:
    positions: list[tuple[Any, Any]] = []
    queue = [tree]
    for container in queue:
        keys = list(container) if isinstance(container, dict) else list(range(len(container)))
        positions += [(container, key) for key in keys]
        queue += [container[key] for key in keys if isinstance(container[key], dict | list)]
    if not positions:
        return
    holder, key = chance.choice(positions)
    match chance.randint(0, 3):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, list):
            holder += [copy.deepcopy(holder[key]) for _ in range(chance.choice([1, 3, 80]))]
        case 2:
            source, name = chance.choice(positions)
            holder[key] = copy.deepcopy(source.get(name) if isinstance(source, dict) else None)
        case _:
            holder[key] = chance.choice(VALUES)


def test_mutated_files_are_clips_or_asset_errors_in_little_time_and_memory(
    write: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    cels = [{"frame": 1, "data": "step"}, {"frame": 5, "data": "swish"}]
    bounds = {"x": 2, "y": 4, "w": 8, "h": 8}
    center = {"x": 1, "y": 2, "w": 3, "h": 4}
    keys = [{"frame": 0, "bounds": bounds, "center": center, "pivot": {"x": 5, "y": 16}}]
    contents = []
    for array in (False, True):
        slices = [{"name": "b", "data": "hot", "keys": keys}]
        tree = sheet(array, layers=[{"name": "a", "cels": cels}], slices=slices)
        tree["meta"]["frameTags"].append(tag("often", 0, 3, "pingpong", repeat="40"))
        contents.append(json.dumps(tree).encode())
    loaded = 0
    longest = 0.0
    peak = 0
    words: list[str] = []
    path = write(contents[0])
    content = b""
    monkeypatch.setattr(
        Path, "read_bytes", lambda path: content
    )  # writing 2,000 files would take longer than reading them
    for seed in range(MUTATIONS):
        content = mutated(contents[seed % 2], random.Random(seed))
        if seed % 20 == 0:  # tracemalloc is slow
            tracemalloc.start()
        began = time.process_time()
        try:
            clips = fw.Clips.from_aseprite(path)
            fw.SpriteBatch(clips, 1).play(next(iter(clips)))
            loaded += 1
        except fw.AssetError as error:
            words.append(str(error))
        if tracemalloc.is_tracing():
            peak = max(peak, tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
        else:
            longest = max(longest, time.process_time() - began)
    assert all("hero.json" in message for message in words)
    assert 0.15 < loaded / MUTATIONS < 0.85
    assert peak < 64 << 20
    assert longest < 2
