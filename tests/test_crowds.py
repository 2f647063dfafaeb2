"""Crowds: they play animations and look like a `ModelBatch`."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from glbs import moving

import framework as fw
from framework.models import baked_animations
from framework.models.parts import Part
from framework.models.skins import Skin
from framework.state.backend import backend_of
from framework.state.rows import table_of

Make = Callable[..., Any]
Script = Callable[[Any, int], None]


def channel(
    node: int, path: str, values: Any, kind: str = "LINEAR", end: float = 1.0
) -> fw.Channel:
    values = np.asarray(values, np.float32)
    return fw.Channel(node, path, kind, np.linspace(0, end, len(values), dtype=np.float32), values)


@functools.cache
def worm(alpha_mode: str = "opaque") -> fw.Model:
    """Return a model: a bent strip, two boxes at nodes (one mirrored), and a morphing box."""
    strip = fw.Mesh.box((0.4, 3, 0.3)).transformed((0, 1.5, 0))
    joints = np.zeros((len(strip.positions), 4), int)
    joints[:, 1] = 1
    weights = np.zeros((len(strip.positions), 4))
    weights[:, 1] = np.clip(strip.positions[:, 1] / 3, 0, 1)
    weights[:, 0] = 1 - weights[:, 1]
    down = np.eye(4)
    down[3, 1] = -1.5
    skin = Skin([1, 2], [np.eye(4), down], joints, weights)
    box = fw.Mesh.box((0.5, 0.4, 0.6))
    targets = fw.MorphTargets(box.positions[None] * 0.8, normals=box.normals[None] * 0.1)
    half = np.sqrt(0.5)
    bend = [(0, 0, 0, 1), (0, 0, half, half), (0, 0, 0, 1)]
    nod = [(0, 0, 0, 1), (half, 0, 0, half), (0, half, 0, half)]
    hop = [[(0, 0, 0), (0, 0, 0), (0, 3, 0)], [(0, 3, 0), (0.5, 1, 0), (0, -3, 0)]]
    blink = [(1, 1, 1), (0.2, 2, 1), (1, 1, 2)]
    animations = [
        fw.Animation(
            "Bend", [channel(1, "rotation", bend), channel(2, "translation", [(0.7, 0, 0)] * 2)]
        ),
        fw.Animation(
            "Nod",
            [channel(1, "rotation", nod, end=0.7), channel(0, "translation", hop, "CUBICSPLINE")],
        ),
        fw.Animation("Blink", [channel(2, "scale", blink, "STEP", 0.5)]),
        fw.Animation("Smile", [channel(3, "weights", [[0.0], [1.0], [0.2]])]),
    ]
    material = fw.Material(
        (0.9, 0.5, 0.2, 0.7 if alpha_mode == "blend" else 1), alpha_mode=alpha_mode
    )
    return fw.Model.of(
        [
            Part(strip, material, [0], skin),
            Part(box, fw.Material((0.2, 0.6, 0.9)), [2, 3]),
            Part(box, fw.Material((0.8, 0.8, 0.2)), [3], None, targets),
        ],
        names=["base", "middle", "left", "right"],
        parent=[-1, 0, 1, 1],
        position=[(0, 0, 0), (0, 1.5, 0), (-0.8, 0.3, 0), (0.8, 1.2, 0.2)],
        scale=[(1, 1, 1), (1, 1, 1), (-1, 1, 1), (0.9, 1.1, 1)],
        animations=animations,
    )


class Pair(fw.Game):
    """A game with the same copies in a `Crowd` or in a `ModelBatch`."""

    kind: type[Any] = fw.Crowd
    script: Script
    model = staticmethod(worm)
    options: ClassVar[dict[str, Any]] = {}
    moved = (0.0, 0.0, 0.0)

    def setup(self) -> None:
        self.world.sky = (0.1, 0.1, 0.15)
        self.world.shadows = fw.Shadows(64, 30, 1)
        ground = self.add(fw.MeshBatch(fw.Mesh.plane((20, 20)), 1))
        ground.position = self.moved
        camera = self.world.camera
        camera.position = np.add(self.moved, (2, 4, 9))
        camera.look_at(np.add(self.moved, (0, 1.2, 0)))
        camera.teleport()
        self.batch: Any = self.add(self.kind(type(self).model(), 3, **self.options))
        self.batch.position = np.add(self.moved, [(-3, 0, 0), (0, 0, 0), (2.5, 0, -1)])
        self.batch.color[1] = 1, 0.5, 0.5, 1
        self.ticks = 0

    def update(self, dt: float) -> None:
        self.ticks += 1
        type(self).script(self.batch, self.ticks)


def crowd_and_batch(make: Make, script: Script, **members: Any) -> list[Any]:
    game_options = {"size": (160, 96), "samples": 1}
    members = {"script": staticmethod(script), **members}
    options = members.pop("options", {})
    return [
        make(
            type("Twin", (Pair,), {**members, "kind": kind, "options": {**options, **own}}),
            **game_options,
        )
        for kind, own in ((fw.Crowd, {}), (fw.ModelBatch, {}))
    ]


def pixel_difference(games: list[Any]) -> tuple[float, int]:
    """Return the mean and the largest difference of two games' pixels, which must not be empty."""
    first, second = (game.pixels()[..., :3].astype(int) for game in games)
    assert len(np.unique(first.reshape(-1, 3), axis=0)) > 50
    differences = np.abs(first - second)
    return float(differences.mean()), int(differences.max())


def assert_same_images(games: list[Any], frames: list[tuple[int, float]]) -> None:
    """Run the games for some ticks, and compare their images at some alpha, again and again.

    Vertices differ by rounding to float32, so that single pixels at edges may differ.
    """
    for ticks, alpha in frames:
        for game in games:
            game.run_ticks(ticks)
            game.advance(alpha / 60)
        mean, _ = pixel_difference(games)
        assert mean < 0.02, (ticks, alpha, mean)
        for game in games:
            game.advance((1 - alpha) / 60)


def play_all_animations(batch: Any, tick: int) -> None:
    """Play animations that fade, that are interrupted, loop, end, run backwards and jump."""
    if tick == 1:
        batch.play("Bend", [0], fade=0)
        batch.play("Nod", [1], fade=0, speed=1.7)
        batch.play("Blink", [2], fade=0)
    elif tick == 12:
        batch.play("Nod", [0], fade=0.3, start=0.1)
        batch.play("Smile", [1, 2], fade=0.3, start=0.1)
    elif tick == 20:
        batch.play("Bend", [0], fade=0.2, speed=-1, loop=False)
        batch.play("Blink", [2], fade=0.2, speed=-1, loop=False)
    elif tick == 40:
        batch.play(None, [1], fade=0.1)
    elif tick == 46:
        batch[0].time = 0.35
    elif tick == 50:
        batch.play("Bend", [1], fade=0.5, loop=False, speed=2)
    batch.position[:, 0] += 0.01


FRAMES = [
    (1, 0.5),
    (5, 0.3),
    (5, 0.6),
    (3, 0.4),
    (6, 0.5),
    (9, 0.2),
    (15, 0.7),
    (7, 0.5),
    (20, 0.1),
]


def test_a_crowd_looks_like_a_model_batch(make: Make) -> None:
    assert_same_images(crowd_and_batch(make, play_all_animations), FRAMES)


@pytest.mark.parametrize(
    "members",
    [
        {"model": lambda: worm("blend")},
        {"options": {"large_world": True}, "moved": (3e5, 20.0, -7e5)},
        {
            "script": lambda batch, tick: (
                setattr(batch, "scale", (-1, 1.2, 1)) or play_all_animations(batch, tick)
            )
        },
    ],
    ids=["transparent", "large world", "mirrored"],
)
def test_other_crowds_look_like_a_model_batch(make: Make, members: dict[str, Any]) -> None:
    games = crowd_and_batch(make, **{"script": play_all_animations, **members})
    if "model" in members:  # a ModelBatch does not sort transparent copies with a skin
        for game in games:
            game.batch.remove([0, 2])
            game.ticks = 100
            game.batch.play("Bend", fade=0)
    assert_same_images(games, [(10, 0.4), (11, 0.5)])


@functools.cache
def worm_with_steps() -> fw.Model:
    """Return the `worm` with "STEP" keyframes of all channels, and with linear channels."""
    plain = worm()
    half = np.sqrt(0.5)
    turns = [(0, 0, 0, 1), (0, 0, half, half), (0, half, 0, half)]
    jumps = [(0, 1.5, 0), (0.6, 1.5, 0), (-0.4, 1.9, 0.3)]
    slides = [(-0.8, 0.3, 0), (-2, 0.6, 0), (-0.5, 0, 0)]
    blink = [(1, 1, 1), (0.2, 2, 1), (1, 1, 2)]
    animations = [
        fw.Animation(
            "Jump",
            [
                fw.Channel(1, "translation", "STEP", [0, 0.24, 0.38], jumps),
                fw.Channel(2, "scale", "STEP", [0, 0.11, 0.32], blink),
                channel(2, "translation", slides, end=0.5),
            ],
        ),
        fw.Animation(
            "Turn",
            [
                fw.Channel(1, "rotation", "STEP", [0, 0.11, 0.32], turns),
                fw.Channel(3, "weights", "STEP", [0, 0.08, 0.22], [[0.0], [1.0], [0.4]]),
                channel(2, "translation", slides[::-1], end=0.4),
            ],
        ),
    ]
    return fw.Model.of(
        plain.parts,
        names=plain.node_names,
        parent=plain.at_rest.parent,
        position=plain.at_rest.position,
        scale=plain.at_rest.scale,
        animations=animations,
    )


# The ticks in which an animation begins, passes a keyframe, begins again, or fades.
CHECKED = (3, 4, 18, 19, 24, 25, 28, 34, 42, 43, 47, 49)


def play_step_animations(batch: Any, tick: int) -> None:
    if tick == 2:
        batch.play("Jump", [0], fade=0)
        batch.play("Turn", [1], fade=0)
        batch.play("Jump", [2], fade=0, start=0.25)
    elif tick == 22:
        batch.play("Jump", [1], fade=0.2)
    elif tick == 40:
        batch.play("Turn", [1], fade=0)
        batch.play("Turn", [2], fade=0.15)


def test_step_keyframes_look_like_a_model_batch(make: Make) -> None:
    games = crowd_and_batch(make, play_step_animations, model=worm_with_steps)
    frames = []
    last = 0
    for tick in CHECKED:
        frames.append((tick - last - 1, tick % 5 * 0.2))
        last = tick
    assert_same_images(games, frames)


def test_a_ray_hits_the_drawn_steps() -> None:
    class Picked(fw.Game):
        kind: Any = fw.Crowd

        def setup(self) -> None:
            self.batch = self.add(self.kind(worm_with_steps(), 3))
            self.batch.position = [(-3, 0, 0), (0, 0, 0), (2.5, 0, -1)]
            self.ticks = 0

        def update(self, dt: float) -> None:
            self.ticks += 1
            play_step_animations(self.batch, self.ticks)

    kinds: tuple[Any, ...] = (fw.Crowd, fw.ModelBatch)
    games: list[Any] = [type("Kind", (Picked,), {"kind": kind})(drawing=False) for kind in kinds]
    hits = 0
    misses = 0
    for tick in range(1, 50):
        for game in games:
            game.run_ticks(1)
        if tick not in CHECKED:
            continue
        for x, y in ((-3.6, 0.4), (-3.1, 2.4), (0.4, 0.6), (-0.3, 2.2), (2, 1.2), (3.1, 2.6)):
            first, second = (game.batch.pick((x, y, 9), (0, 0, -1), 0.3) for game in games)
            rows = [None if hit is None else hit.instance.row for hit in (first, second)]
            assert rows[0] == rows[1], (tick, x, y)
            hits += rows[0] is not None
            misses += rows[0] is None
    assert hits > 10
    assert misses > 10


def test_times_equal_those_of_a_model_batch() -> None:
    random = np.random.default_rng(3)
    crowd = fw.Crowd(worm(), 12)
    models = fw.ModelBatch(worm(), 12)
    game = fw.Game(drawing=False)
    game.add(crowd)
    game.add(models)
    for _ in range(150):
        if random.random() < 0.3:
            rows = np.flatnonzero(random.random(12) < 0.4)
            options: dict[str, Any] = {
                "loop": bool(random.random() < 0.6),
                "speed": float(random.choice([-2, -0.5, 0, 1, 1.3, 90])),
                "fade": float(random.choice([0, 0.1, 0.4])),
                "start": float(random.choice([0, 0.3, 5])),
            }
            name = random.choice(["Bend", "Nod", "Blink", ""]) or None
            crowd.play(name, rows, **options)
            models.play(name, rows, **options)
        game.run_ticks(1)
        # A ModelBatch no longer advances an animation of a stopped row.
        assert crowd.time.tolist() == [copy.time for copy in models]
        assert crowd.finished.tolist() == [copy.finished for copy in models]
        assert [copy.playing for copy in crowd] == [copy.playing for copy in models]
        assert [copy.finished for copy in crowd] == crowd.finished.tolist()
    assert crowd.playing("Bend").tolist() == [
        row for row, copy in enumerate(models) if copy.playing == "Bend"
    ]
    game.close()


def test_a_ray_hits_the_same_copies_as_in_a_model_batch(make: Make) -> None:
    games = crowd_and_batch(make, play_all_animations)
    hits = 0
    for ticks in (3, 11, 14, 20):
        for game in games:
            game.run_ticks(ticks)
        games[0].batch.visible[2] = games[1].batch.visible[2] = ticks != 11
        for x in np.linspace(-4, 4, 23):
            for alpha in (0.25, 1.0):
                rays = (x, 1.6, 8), (0, -0.02, -1), alpha
                crowd, models = (game.batch.pick(*rays) for game in games)
                assert (crowd is None) == (models is None)
                if crowd is not None:
                    assert crowd.instance.row == models.instance.row
                    for value in ("distance", "point", "normal"):
                        expected = pytest.approx(getattr(models, value), abs=1e-3)
                        assert getattr(crowd, value) == expected
                    hits += 1
    assert hits > 20
    assert fw.Crowd(worm()).pick((0, 0, 9), (0, 0, -1)) is None


def test_culled_copies_are_not_drawn_and_nothing_else_changes(make: Make) -> None:
    def run(batch: Any, tick: int) -> None:
        play_all_animations(batch, tick)
        batch.cull = tick % 2 == 0 and is_culled[0]

    is_culled = [True]
    games = [crowd_and_batch(make, run)[0] for _ in range(2)]
    for game in games:
        game.batch.extend(20, position=[(0, 0, 20 + 3 * row) for row in range(20)])
    for ticks in (2, 14, 8):
        images = []
        for game, is_culled[0] in zip(games, (True, False), strict=True):
            game.run_ticks(ticks)
            game.advance(0.4 / 60)
            images.append(game.pixels())
            game.advance(0.6 / 60)
        assert (images[0] == images[1]).all()
    games[0].batch.cull = True
    games[0].advance(0)
    drawing: Any = backend_of(games[0].batch)
    assert 0 < drawing.picked(False).count <= 3


def test_crowds_have_rows_columns_and_ids(make: Make) -> None:
    class Herd(fw.Game):
        def setup(self) -> None:
            self.herd: Any = self.add(fw.Crowd(worm(), 4, columns={"hp": 3}))
            self.herd.play("Blink", [0, 2], loop=False, fade=0)
            self.gone: list[int] = []

        def update(self, dt: float) -> None:
            for copy in self.herd:
                if copy.playing and copy.finished:
                    self.gone.append(copy.id)
                    copy.remove()

    game = make(Herd)
    herd = game.herd
    last = game.herd[3]
    last.hp += 2
    added = herd.add(position=(1, 2, 3), hp=9, animation_speed=0.5)
    game.run_ticks(10)
    assert herd.ids.tolist() == [0, 1, 2, 3, 4]
    game.run_ticks(30)
    assert game.gone == [0, 2]
    assert herd.ids.tolist() == [1, 3, 4]
    assert herd.row_of(3) == last.row == 1
    assert (last.hp, added.hp, added.animation_speed) == (5, 9, 0.5)
    assert (last.playing, last.finished, last.time) == (None, True, 0.0)
    assert added.drawn_position(1.0) == (1, 2, 3)
    assert added.drawn_rotation(0.5) == (0, 0, 0, 1)
    herd.play("Bend")
    added.play("Nod", speed=2, fade=0, start=0.1)
    game.run_ticks(3)
    assert added.time == pytest.approx(0.1 + 3 * 0.5 / 60 * 4)
    assert repr(added) == "<CrowdInstance at (1.0, 2.0, 3.0)>"
    herd.clear()
    game.advance(1 / 60)
    assert repr(added) == "<CrowdInstance, removed>"


def test_every_row_has_its_own_speed_fade_and_start() -> None:
    game = fw.Game(drawing=False)
    crowd = game.add(fw.Crowd(worm(), 3))
    crowd.play("Bend", speed=[1, 2, 0.5], fade=[0, 0.1, 0.2], start=[0, 0.2, 0.4])
    game.run_ticks(6)
    assert crowd.time == pytest.approx([0.1, 0.4, 0.45])
    crowd.animation_speed[1] = 4
    crowd.time[2] = 0.9
    game.run_ticks(3)
    assert crowd.time == pytest.approx([0.15, 0.6, 0.925])
    crowd.animation_speed = -1
    game.run_ticks(12)
    assert crowd.time == pytest.approx([0.95, 0.4, 0.725])
    game.close()


def test_infinite_times_begin_again() -> None:
    game = fw.Game(drawing=False)
    crowd = game.add(fw.Crowd(worm(), 4))
    crowd.play("Bend", [0, 1, 2], fade=0)
    crowd.play("Bend", [3], fade=0, loop=False)
    game.run_ticks(2)
    crowd.time = np.nan, np.inf, -np.inf, np.inf
    crowd.animation_speed[2] = np.inf
    game.run_ticks(1)
    assert crowd.time.tolist() == [0, 0, 0, 1]
    assert crowd.finished.tolist() == [False, False, False, True]
    game.close()


class Saved(fw.Game):
    saved = ("herd",)

    def setup(self) -> None:
        self.herd: Any = self.add(fw.Crowd(worm(), 3, columns={"hp": 3}))
        self.ticks = 0

    def update(self, dt: float) -> None:
        self.ticks += 1
        play_all_animations(self.herd, self.ticks)


def state_of(herd: Any) -> Any:
    table = table_of(herd)
    return [
        *(column.current(len(herd)).tolist() for column in table.columns),
        [(copy.playing, copy.finished) for copy in herd],
    ]


def test_a_save_has_animations_and_times(make: Make, tmp_path: Path) -> None:
    path = tmp_path / "herd.save"
    game = make(Saved)
    game.run_ticks(15)
    herd = game.herd
    expected = state_of(game.herd)
    game.save(path=path)
    game.run_ticks(30)
    herd.remove([0])
    game.load(path=path)
    names = [column.name for column in table_of(herd).columns]
    states = names.index("crowd_states"), names.index("crowd_states_before")
    loaded = state_of(herd)
    # A frame between two ticks draws rows from a save in their newest poses.
    assert loaded[states[0]] == loaded[states[1]]
    assert np.abs(loaded[states[0]]) == pytest.approx(np.abs(expected[states[0]]))
    for index in states:
        loaded[index] = expected[index] = None
    assert loaded == expected
    before = herd.time.copy()
    game.herd.time[0] = np.nan
    game.save(path=path)
    herd.time = before
    with pytest.raises(fw.AssetError, match=r"time: expected finite numbers"):
        game.load(path=path)
    assert herd.time.tolist() == before.tolist()


def test_a_restored_game_draws_the_same_images(make: Make) -> None:
    game, _ = crowd_and_batch(make, play_all_animations)
    game.run_ticks(22)
    game.advance(0.5 / 60)
    snapshot = game.snapshot()
    image = game.pixels()
    game.run_ticks(9)
    later = game.pixels(), game.state_hash() if hasattr(game, "state_hash") else None
    game.batch.remove([1])
    game.restore(snapshot)
    game.advance(0)
    assert (game.pixels() == image).all()
    game.run_ticks(9)
    assert (game.pixels() == later[0]).all()


def test_a_paused_scene_shows_its_newest_pose(make: Make) -> None:
    game, _ = crowd_and_batch(make, play_all_animations)
    game.run_ticks(9)
    image = None
    game.push(fw.Scene())
    for alpha in (0.0, 0.3, 0.9, 1.4):
        game.advance(alpha / 60)
        if image is not None:
            assert (game.pixels() == image).all()
        game.run_ticks(1)
        game.advance(0)
        image = game.pixels()


def test_a_paused_scene_shows_the_time_that_the_last_tick_has_set(make: Make) -> None:
    def jump(crowd: Any, tick: int) -> None:
        if tick == 1:
            crowd.play("Bend", [0], fade=0)
        elif tick == 9:
            crowd[0].time = 0.3

    def stand(crowd: Any, tick: int) -> None:
        if tick == 1:
            crowd.play("Bend", [0], fade=0, speed=0, start=0.3)

    images = []
    for script in (jump, stand):
        game, _ = crowd_and_batch(make, script)
        game.run_ticks(9)
        game.push(fw.Scene())
        game.run_ticks(1)
        game.advance(0)
        images.append(game.pixels())
    assert (images[0] == images[1]).all()


def test_a_tick_uploads_one_state_per_row_and_a_frame_nothing(make: Make) -> None:
    class Herd(fw.Game):
        def setup(self) -> None:
            self.herd = self.add(fw.Crowd(worm(), 20))
            self.herd.play("Bend", fade=0, start=np.linspace(0, 0.9, 20))

    game = make(Herd)
    game.run_ticks(3)
    game.advance(0.1 / 60)
    drawing: Any = backend_of(game.herd)
    before = drawing.uploaded_bytes
    game.advance(0.3 / 60)
    game.advance(0.3 / 60)
    assert drawing.uploaded_bytes == before
    game.advance(0.5 / 60)
    assert drawing.uploaded_bytes == before + 20 * 16
    game.herd.add()
    game.run_ticks(2)
    game.advance(0.1 / 60)
    assert drawing.uploaded_bytes > before + 20 * 32


def test_two_crowds_of_one_model_and_two_games(make: Make) -> None:
    games = [
        make(type("Two", (Pair,), {"script": staticmethod(play_all_animations)})) for _ in range(2)
    ]
    second = games[0].add(fw.Crowd(worm(), 1))
    second.position = 0, 0, 3
    for game in games:
        game.run_ticks(5)
    alone = games[1].pixels()
    assert (games[0].pixels() != alone).any()
    games[0].world.remove(second)
    for game in games:
        game.run_ticks(5)
        game.advance(0.5 / 60)
    assert (games[0].pixels() == games[1].pixels()).all()


def test_a_reloaded_model_is_baked_again(tmp_path: Path, make: Make) -> None:
    path = tmp_path / "arm.glb"
    moving().glb(path)
    model = fw.Model(path)
    crowd = fw.Crowd(model, 1)

    class Shown(fw.Game):
        def setup(self) -> None:
            self.world.camera.position = 0, 1, 6
            self.add(crowd).play("Wave", fade=0)

    game = make(Shown)
    game.run_ticks(3)
    before = game.pixels()
    baked = crowd._baked
    shrunk = model.parts[0].mesh.positions
    shrunk.setflags(write=True)
    shrunk *= 0.3
    moving().glb(path)
    files = {os.path.realpath(path)}
    assert model._renew(files)
    assert game._backend.drawables.reloaded is not None
    for backend in (backend_of(crowd), *map(backend_of, crowd._consists_of)):
        assert backend is not None
        backend.renew(files)
    assert crowd._baked is not baked
    game.advance(0)
    assert (game.pixels() == before).all()


def test_a_model_that_is_too_large_to_bake_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(baked_animations, "MAX_BYTES", 1 << 20)
    assert len(fw.Crowd(worm(), 2)) == 2
    long = fw.Animation("Long", [channel(0, "translation", [(0, 0, 0), (1, 0, 0)], end=900.0)])
    box = Part(fw.Mesh.cube(), fw.Material(), [0])
    model = fw.Model.of([box], animations=[long])
    with pytest.raises(
        ValueError, match=r"rate: expected at most 1 MiB of poses, got 2 MiB for 1 "
    ):
        fw.Crowd(model)
    assert len(fw.Crowd(model, 1, rate=5)) == 1
    monkeypatch.setattr(baked_animations, "MAX_CORNERS", 100)
    many = fw.Model.of([Part(fw.Mesh.cube(), fw.Material(), [0, 0])])
    with pytest.raises(ValueError, match="model: expected at most 100 vertices and corners"):
        fw.Crowd(many)


def test_wrong_arguments_are_refused(make: Make) -> None:
    crowd = fw.Crowd(worm(), 3)
    with pytest.raises(ValueError, match="there is no animation 'Fly'"):
        crowd.play("Fly")
    with pytest.raises(ValueError, match=r"speed: expected a number, or one for each of 2 rows"):
        crowd.play("Bend", [0, 1], speed=[1, 2, 3])
    with pytest.raises(ValueError, match=r"fade: expected numbers from 0 to"):
        crowd.play("Bend", fade=[0, 1, -1])
    with pytest.raises(TypeError, match=r"start: expected a number, or one for each row"):
        crowd.play("Bend", start=["now"] * 3)
    with pytest.raises(TypeError, match=r"start: expected a number, or one for each row"):
        crowd.play("Bend", start=[[1], [2, 3]])
    with pytest.raises(ValueError, match="a Crowd uses 'time' already"):
        fw.Crowd(worm(), columns={"time": 0.0})
    with pytest.raises(TypeError, match="unknown option 'animation'; did you mean animation_speed"):
        crowd.add(animation=3)
    copy = crowd[1]
    crowd.remove(copy)
    with pytest.raises(ValueError, match="it was removed"):
        copy.play("Bend")
    with pytest.raises(ValueError, match="it was removed"):
        copy.time = 0.5
    assert crowd.model is worm()
    assert crowd.rate == 60


def test_models_without_animations_meshes_or_nodes(make: Make) -> None:
    for model in (
        fw.Model.of([]),
        fw.Model.of([Part(fw.Mesh.cube(), fw.Material(), [])]),
        fw.Model.of([Part(fw.Mesh.cube(), fw.Material(), [0])]),
    ):
        game = make()
        crowd = game.add(fw.Crowd(model, 2))
        game.run_ticks(2)
        game.advance(0)
        assert crowd.finished.all()
        assert crowd.pick((30, 0, 9), (0, 0, -1)) is None


def test_the_speed_of_a_copy_applies_from_the_next_tick() -> None:
    with fw.Game(drawing=False) as game:
        crowd = game.add(fw.Crowd(worm(), 4))
        crowd.play("Bend")
        copy = crowd[1]
        game.run_ticks(5)
        copy.animation_speed = 0.0
        before = crowd.time.copy()
        game.run_ticks(5)
        assert crowd.time[1] == before[1]
        assert (crowd.time[[0, 2, 3]] > before[[0, 2, 3]]).all()


def test_an_animation_dropped_during_a_fade_leaves_the_rest_pose() -> None:
    with fw.Game(drawing=False) as game:
        batch = game.add(fw.ModelBatch(worm(), 1))
        batch.play("Bend")
        game.run_ticks(25)
        batch.play("Smile", fade=0.2)
        game.run_ticks(5)
        batch.play("Smile", fade=0.2)
        game.run_ticks(60)
        np.testing.assert_allclose(batch.nodes.rotation[2], (0, 0, 0, 1), atol=1e-6)
