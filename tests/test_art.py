"""fw.art: the images, sounds, music and fonts that come with the framework."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xxhash
from pictures import colors_in

import framework as fw
from framework.assets import artwork, particle_images, sounds
from framework.assets.art_files import FOLDER, index, picture
from framework.assets.images import load
from framework.audio.sound_set import RECIPES, samples
from framework.game import art


def test_every_image_is_read_only_and_has_clear_edges() -> None:
    for name in artwork.IMAGES:
        art = getattr(fw.art, name)
        for image in art if isinstance(art, tuple) else (art,):
            assert image.dtype == np.uint8
            assert image.shape[2] == 4
            assert not image.flags.writeable
            covered = image[..., 3] > 0
            assert covered.mean() > 0.2, name
            if name != "tiles":  # tiles join their neighbors
                assert not covered[[0, -1]].any(), name
                assert not covered[:, [0, -1]].any(), name
            assert len(np.unique(image[covered][:, :3], axis=0)) > 2, name


def test_images_are_cached_and_reproducible() -> None:
    assert fw.art.ship is fw.art.ship
    assert np.array_equal(artwork.ship(), fw.art.ship)
    assert (
        len({step.tobytes() for step in fw.art.walker}) >= artwork.WALK - 1
    )  # the legs are together twice
    assert fw.art.sounds.coin is fw.art.sounds.coin


DIGESTS = {
    "ball": "d993fad4724c3598",
    "bullet": "d5622e614fbc06a1",
    "coin": "02fe07b5c6f14c4e",
    "crate": "26d85cda0805b302",
    "enemy": "cd722cfd6f65d7b0",
    "heart": "ea7119db17b791d7",
    "panel": "e3941b8397939fad",
    "rock": "eacff5d274325666",
    "ship": "22cac0ba4c424fd9",
    "star": "d9fc81b4f4438279",
    "tiles": "91f0ee9c72c90d02",
    "tree": "a2a6c94f996400c6",
    "walker": "ce907f7ab61d563c",
    "spot": "6e8cb0e02e47125b",
    "puffs": "018ebc9b4480267f",
    "streak": "be52f0e6251c1416",
    "paper": "5abad1b05f1362ce",
    "flake": "36b0a815510219d8",
}
"""A hash of each drawn image. If you change an image on purpose, change its hash, too. The hashes are
the same with Pillow 11.2.1 and 13.0.
"""


@pytest.mark.parametrize("name", DIGESTS)
def test_drawn_images_do_not_change(name: str) -> None:
    if name == "paper":
        images: Any = particle_images.paper(10, 7)
    else:
        images = (artwork.IMAGES.get(name) or getattr(particle_images, name))()
    digest = xxhash.xxh3_64()
    for image in [images] if isinstance(images, np.ndarray) else images:
        digest.update(f"{image.shape}".encode() + np.ascontiguousarray(image).tobytes())
    assert digest.hexdigest() == DIGESTS[name]


def test_every_drawn_image_has_a_digest() -> None:
    assert {*artwork.IMAGES} < {*DIGESTS}


def test_tiles_are_opaque_squares() -> None:
    assert {tile.shape for tile in fw.art.tiles} == {(32, 32, 4)}
    assert all((tile[..., 3] == 255).all() for tile in fw.art.tiles)


def test_edges_keep_the_color_of_the_outline() -> None:
    edge = (fw.art.ball[..., 3] > 20) & (fw.art.ball[..., 3] < 235)
    assert edge.any()
    ink = np.array([0x2B, 0x24, 0x40])
    assert np.abs(fw.art.ball[edge][:, :3].astype(int) - ink).max() <= 1  # the outline's color


def test_art_can_be_drawn_and_played() -> None:
    with fw.Game(headless=True, size=(64, 64)) as game:
        game.sprites.add(fw.art.ship, position=(32, 32))
        walker = game.add(fw.SpriteBatch(list(fw.art.walker)))
        walker.add(position=(10, 10), image=2)
        game.advance(0)
        assert colors_in(game.pixels()) > 10
    assert fw.art.sounds.jump.duration > 0


LETTERS = Path(__file__).resolve().parent.parent / "examples" / "art" / "pixel_letters.txt"


@pytest.mark.parametrize(("size", "pixels"), [(10, 1), (20, 2)])
def test_the_pixel_font_draws_the_pixels_of_its_list(size: int, pixels: int) -> None:
    rows = {line[0]: line[2:].split(" ") for line in LETTERS.read_text("utf-8").splitlines()}
    letters = "AgQ@%ßжΩ★_"
    with fw.Game(headless=True, size=(20 * len(letters), 40), background=(0, 0, 0)) as game:
        batch = game.add(fw.TextBatch(fw.art.fonts.pixel, size), camera=game.hud)
        for column, letter in enumerate(letters):
            batch.add(letter, (20 * column, 14), anchor=("left", "baseline"))
        game.advance(0)
        lit = game.pixels()[..., 0]
    assert set(np.unique(lit)) == {0, 255}  # no pixel is partly covered
    for column, letter in enumerate(letters):
        drawn = np.array([[dot == "#" for dot in row] for row in rows[letter]])
        wanted = np.zeros((13, 10), bool)  # 7 rows above the baseline, and some below
        wanted[: len(drawn), : drawn.shape[1]] = drawn
        wanted = np.kron(wanted, np.ones((pixels, pixels), bool))
        top = 40 - 14 - 7 * pixels
        x = 20 * column
        drawn_pixels = lit[top : top + 10 * pixels, x : x + 10 * pixels] > 0
        assert np.array_equal(drawn_pixels, wanted[: len(drawn_pixels), : drawn_pixels.shape[1]]), (
            letter
        )


def test_the_pixel_font_has_the_letters_of_europe() -> None:
    from PIL import ImageFont

    font = ImageFont.truetype(LETTERS.parents[2] / "framework" / "fonts" / "SubtickPixel.ttf", 10)
    missing_glyph = bytes(font.getmask("\U0010ffff"))
    text = (
        "ÅåÇçĐđĘęĞğŁłŃńŐőØøŘřŞşȚțŮůŽžÆæŒœßÞþðÀÿ ЖжЩщЪъЫыЭэЮюЯяЁёЇїЄєҐґЂђЉљ "
        "ΑαΓγΔδΘθΛλΞξΠπΣσςΦφΨψΩωΆάΐ «“„”»–—…€£¿¡"
    )
    assert [
        letter for letter in text if letter != " " and bytes(font.getmask(letter)) == missing_glyph
    ] == []


@pytest.mark.parametrize(
    ("names", "name", "nearest"),
    [
        (fw.art, "shipp", "ship"),
        (fw.art, "nigt", "knight"),
        (fw.art.items, "coyn", "coin"),
        (fw.art.sounds, "jum", "jump"),
        (fw.art.music, "calmm", "calm"),
        (fw.art.fonts, "pixle", "pixel"),
    ],
)
def test_an_unknown_name_is_an_error_with_the_nearest_name(
    names: object, name: str, nearest: str
) -> None:
    with pytest.raises(AttributeError, match=f"did you mean ({nearest}|.*, {nearest})"):
        getattr(names, name)


@pytest.mark.parametrize(
    ("name", "call"),
    [("laser", "fw.art.sounds.laser"), ("gem", "fw.art.items.gem or fw.art.sounds.gem")],
)
def test_a_name_in_a_group_is_an_error_with_the_group(name: str, call: str) -> None:
    with pytest.raises(
        AttributeError, match=rf"fw.art has no picture '{name}', but .*: write {call}"
    ):
        getattr(fw.art, name)


# -- the pixel art ---------------------------------------------------------------------------------

CHARACTERS = index()["characters"]
KITS = index()["tiles"]
GROUPS = ("backgrounds", "icons", "items", "particles", "vehicles")


def test_declared_names_match_the_files() -> None:
    assert set(art.names()) == {*artwork.IMAGES, *CHARACTERS, *KITS}
    for group in GROUPS:
        assert dir(getattr(fw.art, group)) == sorted(index()[group])
        assert f"fw.art.{group}" in repr(getattr(fw.art, group))
    assert dir(fw.art.sounds) == sorted(RECIPES)
    assert dir(fw.art.music) == sorted(path.stem for path in FOLDER.glob("*.ogg"))
    assert {*dir(fw.art)} == {*art.names(), *GROUPS, "sounds", "music", "fonts", "names"}


@pytest.mark.parametrize("group", ["characters", *GROUPS])
def test_pixel_art_is_read_only_and_has_hard_edges(group: str) -> None:
    for name in index()[group]:
        art = picture(group, name)
        assert art is picture(group, name)
        images = art.images if isinstance(art, fw.Clips) else art
        images = images if isinstance(images, tuple) else (images,)
        assert len({np.shape(image) for image in images}) == 1
        for image in images:
            assert isinstance(image, np.ndarray)
            assert not image.flags.writeable
            assert set(np.unique(image[..., 3])) <= {0, 255}, name
            assert (image[..., 3] > 0).any(), name
            if group in (
                "characters",
                "items",
                "icons",
                "vehicles",
            ):  # these groups have a dark outline
                solid = np.pad(image[..., 3] > 0, 1)
                inner = solid[1:-1, :-2] & solid[1:-1, 2:] & solid[:-2, 1:-1] & solid[2:, 1:-1]
                edge = image[solid[1:-1, 1:-1] & ~inner][:, :3]
                assert (edge.sum(axis=1) < 350).mean() > 0.7, name
    assert len(fw.art.hero.images) == 18


def test_backgrounds_repeat_without_a_seam() -> None:
    for name in dir(fw.art.backgrounds):
        layers = getattr(fw.art.backgrounds, name)
        assert len(layers) >= 3
        assert {layer.shape for layer in layers} == {(180, 320, 4)}
        assert (layers[0][..., 3] == 255).all()
        for layer in layers[1:]:
            seam = (layer[:, 0, 3] != layer[:, -1, 3]).mean()
            inside = (layer[:, 1:, 3] != layer[:, :-1, 3]).mean(axis=0)
            assert seam <= inside.max() + 0.02, name


@pytest.mark.parametrize("group", ["items", "icons", "vehicles", "particles"])
def test_the_scripts_draw_the_stored_images(group: str, monkeypatch: pytest.MonkeyPatch) -> None:
    scripts = LETTERS.parent
    monkeypatch.syspath_prepend(scripts)
    script = "make_vehicles" if group == "particles" else f"make_{group}"
    drawn = runpy.run_path(str(scripts / f"{script}.py"))[group]()
    assert set(drawn) == set(index()[group])
    for name, images in drawn.items():
        listed = images[0] if isinstance(images, tuple) else images
        listed = [listed] if isinstance(listed, np.ndarray) else listed
        art = picture(group, name)
        stored = art.images if isinstance(art, fw.Clips) else (art,)
        keys = {image.tobytes() for image in stored if isinstance(image, np.ndarray)}
        assert {image.tobytes() for image in listed} == keys, name


def test_the_art_has_at_most_36_colors() -> None:
    pages = [load(path).view(np.uint32).ravel() for path in FOLDER.glob("*.png")]
    colors = np.unique(np.concatenate(pages)).view(np.uint8).reshape(-1, 4)
    assert len(colors[colors[:, 3] == 255]) <= 36
    assert set(colors[:, 3]) == {0, 255}


def test_characters_of_a_kind_have_the_same_clips() -> None:
    heroes = [fw.art.hero, fw.art.heroine, fw.art.knight]
    assert {tuple(hero) for hero in heroes} == {("idle", "walk", "jump", "fall", "hurt", "climb")}
    sides = ("down", "up", "right", "left")
    of_people = {f"{clip}_{side}" for clip in ("idle", "walk") for side in sides}
    for name in CHARACTERS:
        clips = {*getattr(fw.art, name)}
        assert clips == of_people or {"idle", "walk", "hurt"} <= clips, name


def test_each_game_has_its_own_tile_set() -> None:
    class Level(fw.Game):
        def setup(self) -> None:
            self.kit = fw.art.platformer
            assert fw.art.platformer is self.kit
            rows = ["   ^", "####"]
            tiles = self.kit.from_text(rows, {"#": "grass", "^": "spikes"})
            self.level = self.add(fw.TileLayer(self.kit, tiles))
            self.hero = self.add(fw.SpriteBatch(fw.art.hero, 1))
            self.hero.position[:] = 16, 26
            self.hero.play("walk")

    with (
        Level(headless=True, size=(64, 48)) as first,
        Level(headless=True, size=(64, 48)) as second,
    ):
        assert first.kit is not second.kit
        for game in (first, second):
            game.advance(0.2)
            assert colors_in(game.pixels()) > 12
        assert np.array_equal(first.pixels(), second.pixels())
        snapshot = first.snapshot()
        before = first.pixels()
        first.level.tiles[0, 3] = 0
        first.advance(0.1)
        first.restore(snapshot)
        first.advance(0)
        assert np.array_equal(first.pixels(), before)


def test_a_tile_kit_without_graphics_has_solid_tiles() -> None:
    kit = fw.art.platformer
    rows = """
....=
./C..
#####"""
    tiles = kit.from_text(rows, {"#": "grass", "/": "grass up", "C": "crate", "=": "platform"})
    layer = fw.TileLayer(kit, tiles)
    with fw.Game(drawing=False) as game:
        game.add(layer)
        assert layer.solid.astype(int).tolist() == [[0] * 5, [0, 0, 1, 0, 0], [1] * 5]
        assert layer.slopes[1, 1].tolist() == [0, 1]
        assert layer.one_way[0].tolist() == [False] * 4 + [True]
        flat = kit.from_text(["     ", "     ", "#####"], {"#": "grass"})
        assert tiles[2, 1] != flat[2, 1]  # no grass below a slope
        assert (tiles[2, [0, 3, 4]] == flat[2, [0, 3, 4]]).all()


def test_a_key_of_a_legend_may_have_several_characters() -> None:
    kit = fw.art.topdown
    rows = ["###", "#@o", "#.."]
    each = {"#": "wall"} | dict.fromkeys("@.o", "floor")
    assert np.array_equal(
        kit.from_text(rows, {"#": "wall", "@.o": "floor"}), kit.from_text(rows, each)
    )


def test_every_terrain_has_a_tile_for_every_neighborhood() -> None:
    neighborhoods = np.random.default_rng(0).random((40, 40)) < 0.6
    for label, entry in KITS.items():
        kit = getattr(fw.art, label)
        for name in kit.terrains:
            numbers = kit.autotile(neighborhoods, name)
            assert (numbers > 0).tolist() == neighborhoods.tolist()
            if entry["terrains"][name]["kind"] == "mixed":
                assert len(np.unique(numbers)) == 48, name  # 47 tiles and no tile
        assert all(kit[name] > 0 for name in kit.names)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda kit: kit["spike"], KeyError, "no tile 'spike'; did you mean spikes"),
        (lambda kit: kit[3], TypeError, "name: expected a string, got 3"),
        (lambda kit: kit.autotile([[True]], "gras"), KeyError, "no terrain 'gras'.*grass"),
        (lambda kit: kit.autotile([[2]], "grass"), ValueError, "mask: expected"),
        (lambda kit: kit.from_text(["#"], {"#": "gras"}), KeyError, "no tile 'gras'.*grass"),
        (lambda kit: kit.from_text(["#"], {"": "grass"}), ValueError, "legend: expected keys"),
        (
            lambda kit: kit.from_text(["#"], {"#": "grass", "x#": "crate"}),
            ValueError,
            "legend: the character '#' has two names, 'grass' and 'crate'",
        ),
        (lambda kit: kit.from_text(["#"], "grass"), TypeError, "legend: expected"),
        (lambda kit: kit.from_text(["#"], {"#": 5}), TypeError, r"legend\['#'\]: expected"),
        (lambda kit: kit.from_text([], {}), ValueError, "rows: expected"),
        (lambda kit: kit.from_text("", {}), ValueError, "rows: expected"),
        (lambda kit: kit.from_text([5], {}), TypeError, r"rows\[0\]: expected"),
        (lambda kit: kit.from_text(5, {}), TypeError, "rows: expected"),
        (lambda kit: kit.from_text(["#" * 5_000_000], {}), ValueError, "rows: expected"),
    ],
)
def test_wrong_arguments_of_a_tile_kit_are_errors(
    call: Callable[[object], object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        call(fw.art.platformer)


# -- sounds and music ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", RECIPES)
def test_a_sound_begins_and_ends_in_silence_and_is_not_too_loud(name: str) -> None:
    sound = samples(name)
    assert sound.dtype == np.float32
    assert 0.05 < len(sound) / 48_000 < 2
    assert sound[0] == sound[-1] == 0
    assert 0.1 < np.abs(sound).max() <= 10 ** (-3 / 20) + 1e-3
    assert abs(float(sound.mean())) < 0.012
    assert np.array_equal(sound, samples(name))


def test_sounds_are_about_equally_loud() -> None:
    quiet = {
        "hover",
        "step_grass",
        "step_stone",
        "step_wood",
    }  # sounds that are played very often are quieter
    levels = [_loudness(samples(name)) for name in RECIPES if name not in quiet]
    assert max(levels) - min(levels) < 6


def _loudness(sound: np.ndarray) -> float:
    """Return the loudness of the loudest 50 ms in decibels. Low tones count less."""
    frequencies = np.fft.rfftfreq(len(sound), 1 / 48_000)
    square = frequencies**2
    weights = 12194**2 * square**2 / ((square + 20.6**2) * (square + 12194**2))
    weights /= np.sqrt((square + 107.7**2) * (square + 737.9**2))
    heard = np.fft.irfft(np.fft.rfft(sound) * weights, len(sound)) ** 2
    sums = np.cumsum(np.concatenate([[0], heard, np.zeros(2400)]))
    return float(10 * np.log10((sums[2400:] - sums[:-2400]).max() / 2400))


@pytest.mark.parametrize("name", dir(fw.art.music))
def test_music_repeats_without_a_gap(name: str) -> None:
    pytest.importorskip("miniaudio")
    rows = sounds.load(getattr(fw.art.music, name)).rows
    assert rows.shape[0] == 2
    assert 15 < rows.shape[1] / 48_000 < 40
    assert (
        rows.shape[1] % 4800 == 0
    )  # the length of the composition, without silence from the file format
    assert np.abs(rows).max() <= 10 ** (-3 / 20) + 0.03
    steps = np.abs(np.diff(rows[:, -9600:], axis=1)).max(axis=0)
    assert np.abs(rows[:, 0] - rows[:, -1]).max() <= 2 * np.quantile(steps, 0.99) + 0.01
    seconds = rows[:, : rows.shape[1] // 48_000 * 48_000].reshape(2, -1, 48_000)
    loudness = 10 * np.log10((seconds**2).mean(axis=(0, 2)))
    assert loudness.max() - loudness.min() < 12
