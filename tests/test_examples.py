"""The examples, played by a plan of keys and clicks, off screen and in a small window."""

from __future__ import annotations

import ast
import contextlib
import functools
import itertools
import math
import os
import re
import runpy
import sys
import wave
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from glbs import morphing, moving
from PIL import Image

import framework as fw
from framework import resources
from framework.sim import synctest

EXAMPLES = resources.folder("examples")
FILES = sorted(path.name for path in EXAMPLES.glob("[0-9]*.py"))
SMALL = (240, 135)  # pixels; the examples still have a world of 960 x 540 units
TINY = (
    48,
    27,
    # for tests that read drawn positions but no image; tests of game logic draw nothing
)
PER_UNIT = SMALL[0] / 960
NIGHTLY = bool(os.environ.get("NEW_EXAMPLES"))
# By day only these are drawn twice and run to their end: one each of the plane, text with sound,
# maps, space and effects. At night all are.
TWICE = ["01_window.py", "07_cubes.py", "12_rhythm.py", "15_valley.py", "21_effects.py"]


@dataclass
class Plan:
    """The frames of an example, with events by the number of the next frame."""

    frames: int
    events: dict[int, tuple[Any, ...]] = field(default_factory=dict)
    colors: int = 200  # the least number of different colors in the last image
    step: float = 1 / 60  # seconds from one frame to the next


LEFT, RIGHT = 1, 4  # mouse buttons
PLANS = {
    "01_window.py": Plan(
        60, {10: ("on_mouse_press", 120, 80, LEFT, 0), 11: ("on_mouse_release", 120, 80, LEFT, 0)}
    ),
    "02_ticks.py": Plan(30, {16: ("on_key_press", "DOWN", 0)}, step=1 / 20),
    "03_sprites.py": Plan(
        40,
        {
            9: ("on_mouse_motion", 120, 100, 1, 1),
            10: ("on_mouse_press", 120, 100, LEFT, 0),
            20: ("on_mouse_release", 120, 100, LEFT, 0),
        },
    ),
    "04_ship.py": Plan(70, {20: ("on_key_press", "SPACE", 0), 30: ("on_key_press", "UP", 0)}),
    "05_camera.py": Plan(20, {5: ("on_mouse_scroll", 9, 9, 0, 2), 10: ("on_key_press", "Q", 0)}),
    "08_viewer.py": Plan(
        6,
        {1: ("on_key_press", "L", 0), 2: ("on_key_press", "W", 0), 4: ("on_key_press", "W", 0)},
        step=1 / 25,
    ),
    "06_lanes.py": Plan(
        45,
        {
            15: ("on_key_press", "RIGHT", 0),
            25: ("on_mouse_press", 120, 10, LEFT, 0),
            27: ("on_mouse_drag", 100, 10, -20, 0, LEFT, 0),
        },
        step=1 / 30,
    ),
    "07_cubes.py": Plan(
        5, {1: ("on_key_press", "DOWN", 0), 4: ("on_key_press", "SPACE", 0)}, step=1 / 20
    ),
    "09_asteroids.py": Plan(
        4, {1: ("on_key_press", "SPACE", 0), 2: ("on_key_press", "LEFT", 0)}, step=1 / 30
    ),
    "10_tank.py": Plan(
        4, {1: ("on_key_press", "SPACE", 0), 2: ("on_key_press", "W", 0)}, step=1 / 30
    ),
    "11_poles.py": Plan(30, colors=100),
    "12_rhythm.py": Plan(40, {5: ("on_key_press", "SPACE", 0), 20: ("on_key_press", "R", 0)}),
    "13_pinball.py": Plan(30, {2: ("on_key_press", "SPACE", 0), 20: ("on_key_press", "LEFT", 0)}),
    "14_moths.py": Plan(8, {1: ("on_key_press", "D", 0), 3: ("on_key_press", "RIGHT", 0)}),
    "15_valley.py": Plan(24, {2: ("on_key_press", "RIGHT", 0), 12: ("on_key_press", "SPACE", 0)}),
    "20_cave.py": Plan(
        4, {1: ("on_key_press", "D", 0), 3: ("on_key_press", "SPACE", 0)}, colors=20
    ),
    "16_marble.py": Plan(
        4, {1: ("on_key_press", "W", 0), 3: ("on_key_press", "SPACE", 0)}, step=1 / 30
    ),
    "17_menu.py": Plan(12, {2: ("on_key_press", "RIGHT", 0), 6: ("on_key_press", "ESCAPE", 0)}),
    "18_novel.py": Plan(
        30, {10: ("on_key_press", "SPACE", 0), 20: ("on_key_press", "DOWN", 0)}, step=1 / 20
    ),
    "19_race.py": Plan(
        6, {2: ("on_mouse_press", 60, 60, LEFT, 0), 3: ("on_key_press", "W", 0)}, step=1 / 30
    ),
    "21_effects.py": Plan(
        5, {1: ("on_key_press", "LEFT", 0), 3: ("on_key_press", "SPACE", 0)}, step=1 / 20
    ),
    "22_swarm.py": Plan(
        5, {1: ("on_mouse_motion", 60, 60, 1, 1), 3: ("on_key_press", "SPACE", 0)}, step=1 / 20
    ),
    "23_duel.py": Plan(
        5, {1: ("on_key_press", "UP", 0), 3: ("on_key_press", "SPACE", 0)}, step=1 / 20
    ),
    "24_arena.py": Plan(
        6, {1: ("on_key_press", "UP", 0), 3: ("on_key_press", "SPACE", 0)}, step=1 / 20
    ),
    "25_rooms.py": Plan(
        12, {1: ("on_key_press", "RIGHT", 0), 6: ("on_key_press", "SPACE", 0)}, colors=20
    ),
    "28_art.py": Plan(
        14,
        {
            frame: (f"on_key_{kind}", "RIGHT", 0)
            for tick in range(6)
            for frame, kind in ((2 * tick + 1, "press"), (2 * tick + 2, "release"))
        },
        colors=20,
    ),
    "27_herd.py": Plan(3, {1: ("on_key_press", "SPACE", 0)}, step=1 / 20),
    "26_theremin.py": Plan(
        12,
        {
            1: ("on_mouse_motion", 160, 90, 1, 1),
            3: ("on_key_press", "SPACE", 0),
            6: ("on_mouse_press", 60, 60, LEFT, 0),
            9: ("on_key_press", "C", 0),
        },
        colors=20,
    ),
}


@pytest.fixture(autouse=True, scope="module")
def _as_programs() -> Iterator[None]:
    """Run examples as programs: without arguments, and with imports from their folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["example"])
        patch.syspath_prepend(EXAMPLES)
        yield


# Constants of some examples, so that software GL is quick.
FEWER: dict[str, dict[str, Any]] = {
    "03_sprites.py": {"START": 1_500},
    "05_camera.py": {"N": 96},
    "09_asteroids.py": {"ROCKS": 1_200},
    "10_tank.py": {"TREES": 60, "BALLOONS": 6},
    "22_swarm.py": {"SPARKS": 2_000},
    "16_marble.py": {"LEVELS": [{"cascades": 1, "render_scale": 1.0, "samples": 0}]},
}

# One level of quality, for the tests that only compare images.
ONE_LEVEL: dict[str, dict[str, Any]] = {
    "09_asteroids.py": {
        "LEVELS": [{"reach": 280, "cascades": 1, "render_scale": 1.0, "samples": 0}]
    },
    "10_tank.py": {"LEVELS": [{"cascades": 2, "render_scale": 1.0, "samples": 0}]},
}

# The lowest level of quality, for tests without images. The field of asteroids is as wide as in
# the best level.
PLAIN = [{"reach": 420, "cascades": 0, "render_scale": 0.5, "samples": 0}]


# Functions whose results an example caches. The tests share the results.
CACHED = {"14_moths.py": "music"}
_kept: dict[str, Any] = {}


def fewer(name: str, names: dict[str, Any], **constants: Any) -> None:
    """Set the constants that make an example quick."""
    names.update({**FEWER.get(name, {}), **constants})
    if name in CACHED:
        names[CACHED[name]] = _kept.setdefault(name, names[CACHED[name]])


@functools.cache
def compiled(name: str) -> Any:
    return compile((EXAMPLES / name).read_bytes(), str(EXAMPLES / name), "exec", dont_inherit=True)


def run_as_program(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run an example's file as `python FILE` does."""
    main = ModuleType("__main__")
    main.__file__ = str(EXAMPLES / name)
    monkeypatch.setitem(sys.modules, "__main__", main)
    exec(compiled(name), main.__dict__)


@contextlib.contextmanager
def starting() -> Iterator[Callable[..., Any]]:
    """Yield ``start(file)``, which runs an example's file as a program and returns the game passed
    to `fw.run`. Edges are smooth only with ``edges=True``.
    """
    games: list[fw.Game] = []

    def start(
        name: str,
        size: tuple[int, int] = SMALL,
        drawing: bool = True,
        edges: bool = False,
        **constants: Any,
    ) -> Any:
        def run(game_class: type[fw.Game], **options: Any) -> None:
            fewer(name, game_class.setup.__globals__, **constants)
            shown = {
                "headless": True,
                "drawing": drawing,
                "size": size,
                "session": None,
                **({} if edges else {"samples": 0}),
            }
            games.append(game_class(**{**options, **shown}))

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(fw, "run", run)
            run_as_program(name, patch)
        return games[-1]

    yield start
    for game in reversed(games):
        assert not game.drawing or game.picture.ctx.error == "GL_NO_ERROR"
        game.close()


@pytest.fixture
def start() -> Iterator[Callable[..., Any]]:
    with starting() as start:
        yield start


def event(game: Any, name: str, *args: Any) -> None:
    """Send a pyglet window event. Keys are given by name, positions in window pixels."""
    values = [getattr(fw.key, arg) if isinstance(arg, str) else arg for arg in args]
    if game.drawing:
        game.display.window.dispatch_event(name, *values)
    else:
        moved = (
            4
            if name in ("on_mouse_motion", "on_mouse_drag")
            else 2
            if name.startswith("on_mouse")
            else 0
        )
        game.testing.feed(
            [(name, *(value / PER_UNIT for value in values[:moved]), *values[moved:])]
        )


def press(game: Any, *keys: str) -> None:
    for key in keys:
        event(game, "on_key_press", key, 0)


def release(game: Any, *keys: str) -> None:
    for key in keys:
        event(game, "on_key_release", key, 0)


def tap(game: Any, key: str) -> None:
    press(game, key)
    release(game, key)
    frames(game, 1)


def frames(game: Any, count: int) -> None:
    for _ in range(count):
        game.advance(1 / 60)


class Curtain(fw.Scene):
    """A scene that hides the game below, which continues: drawing a world in software takes much
    longer than its ticks.
    """

    opaque = True
    pauses_below = False


def pass_time(game: Any, seconds: float) -> None:
    """Run a few frames with many ticks each. Only the first and the last are drawn."""
    last = round(seconds * 8) - 1
    for frame in range(last + 1):
        if frame == 1 < last:
            game.push(Curtain())
        if frame == last > 1:
            game.pop()
        game.advance(1 / 8)


def play(game: Any, plan: Plan) -> Any:
    for frame in range(plan.frames):
        if frame in plan.events:
            event(game, *plan.events[frame])
        game.advance(plan.step)
    return game


def pixel(game: Any, position: tuple[float, float]) -> np.ndarray:
    """Return the color at a position in the image, in units from its bottom left."""
    image = game.pixels()
    return image[
        int(image.shape[0] - position[1] * PER_UNIT), int(position[0] * PER_UNIT), :3
    ].astype(int)


# -- all examples ----------------------------------------------------------------------------------


def test_every_example_has_a_plan() -> None:
    assert sorted(PLANS) == FILES
    assert len(FILES) >= 5


@dataclass
class Played:
    """An example that was played by its plan, with its last image and its state."""

    name: str
    game: Any
    picture: Any
    tick: int
    values: dict[str, Any]


@pytest.fixture(scope="module", params=FILES)
def played(request: pytest.FixtureRequest, _as_programs: None) -> Iterator[Played]:
    """Play each example once for all tests: pytest groups the tests by this parameter."""
    name = request.param
    with starting() as start:
        game = play(start(name, **ONE_LEVEL.get(name, {})), PLANS[name])
        yield Played(name, game, game.pixels(), game.tick, stated(name, game))


def colors(image: Any) -> int:
    """Return the number of different colors."""
    return len(np.unique(image[..., :3].astype(np.uint32) @ np.array([65_536, 256, 1], np.uint32)))


def test_an_example_draws_an_image_and_the_same_image_again(
    start: Callable[..., Any], played: Played
) -> None:
    name, level = played.name, ONE_LEVEL.get(played.name, {})
    assert played.picture.shape == (SMALL[1], SMALL[0], 4)
    assert colors(played.picture) >= PLANS[name].colors
    if NIGHTLY or name in TWICE:
        assert np.array_equal(played.picture, play(start(name, **level), PLANS[name]).pixels())
    undrawn = play(start(name, drawing=False, **level), PLANS[name])
    assert played.tick == undrawn.tick > 0
    assert fw.first_difference(played.values, stated(name, undrawn)) is None


def test_repeated_ticks_have_the_same_result(start: Callable[..., Any], played: Played) -> None:
    """No example declares any state for this. 600 ticks of each take minutes and also pass."""
    stops = played.name in (
        "02_ticks.py",
        "07_cubes.py",
    )  # keys pause the time, which is not state, but RandomPlayer does not press these keys
    game = start(played.name, TINY) if stops else played.game
    report = synctest._SyncTest(game, fw.RandomPlayer(3), 8).run(16, 8, None)
    report.check()


# Values that only `draw` writes. Without drawing they differ, but no rule reads them.
WRITTEN_BY_DRAW = {
    "02_ticks.py": "game._works.contents.drawn[1]",
    "03_sprites.py": "game.labels._labels[0]",
    "06_lanes.py": "game._works.contents.drawn[1] game._works.contents.drawn[2] game._works.contents.drawn[3]",
}


def stated(name: str, game: Any) -> dict[str, Any]:
    """Return the state that must be the same with and without drawing."""
    left_out = tuple(WRITTEN_BY_DRAW.get(name, "").split())
    return {
        p: v
        for p, v in game.debug.state_values().items()
        if not left_out or not p.startswith(left_out)
    }


@pytest.mark.parametrize("name", FILES if NIGHTLY else TWICE)
def test_an_example_ends_after_the_given_number_of_frames(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    real, image_file = fw.run, tmp_path / "last.png"

    def run(game_class: type[fw.Game], **options: Any) -> None:
        fewer(name, game_class.setup.__globals__)
        real(
            game_class,
            **{**options, "headless": True, "size": TINY, "samples": 0, "session": None},
            frames=2,
            screenshot=image_file,
        )

    monkeypatch.setattr(fw, "run", run)
    run_as_program(name, monkeypatch)
    with Image.open(image_file) as last:
        assert last.size == TINY
    assert "2 frames" in capsys.readouterr().out


@pytest.mark.parametrize("name", FILES)
def test_the_docstring_of_an_example_has_its_topic_and_its_keys(name: str) -> None:
    tree = ast.parse((EXAMPLES / name).read_text(encoding="utf-8"))
    docstring = ast.get_docstring(tree) or ""
    first, _, rest = docstring.partition("\n")
    topic = name[3:-3]
    assert first.endswith(".")
    assert topic.rstrip("s") in first.lower()
    assert re.search(r"arrow|wheel|space|click|mouse|key", rest, re.IGNORECASE)
    game = [node for node in tree.body if isinstance(node, ast.ClassDef)][-1]
    assert [ast.unparse(base) for base in game.bases] in (
        ["fw.Game"],
        ["Carts"],
    )  # or a subclass of fw.ArrayGame
    assert game.name == topic.capitalize()


def test_the_images_are_small_and_made_by_our_program() -> None:
    files = sorted((EXAMPLES / "art").glob("*.png"))
    assert sum(path.stat().st_size for path in files) < 200_000
    make = runpy.run_path(str(EXAMPLES / "art" / "make_art.py"))
    for name, expected in {
        "ball": make["ball"](),
        "bullet": make["bullet"](),
        "wave": make["wave"](),
    }.items():
        with Image.open(EXAMPLES / "art" / f"{name}.png") as image:
            stored = np.asarray(image.convert("RGBA")).astype(int)
        assert np.abs(stored - np.asarray(expected)).mean() < 1, (
            name
        )  # another version of Pillow may round differently


def test_the_tiles_and_their_map_are_made_by_our_program() -> None:
    make = runpy.run_path(str(EXAMPLES / "art" / "make_tiles.py"))
    with Image.open(EXAMPLES / "art" / "tiles.png") as image:
        stored = np.asarray(image.convert("RGBA")).astype(int)
    assert np.abs(stored - np.asarray(make["tiles"]())).mean() < 1
    assert (EXAMPLES / "art" / "valley.tmx").read_text(encoding="utf-8") == make["valley"]()
    level = fw.TileMap(EXAMPLES / "art" / "valley.tmx")
    assert len(level.objects.of("coin")) == 16
    start = level["ground"].world_to_cell(level.objects["start"].position)
    assert level["ground"].solid[start[0] + 1, start[1]]
    assert not level["ground"].solid[start]


# -- 01: a window ----------------------------------------------------------------------------------


def test_a_click_adds_a_lantern_at_its_position(start: Callable[..., Any]) -> None:
    game = start("01_window.py")
    frames(game, 1)
    before, count = pixel(game, (200, 400)), len(game.lanterns)
    event(game, "on_mouse_press", int(200 * PER_UNIT), int(400 * PER_UNIT), LEFT, 0)
    frames(game, 2)
    assert len(game.lanterns) == len(game.glow) == len(game.mirrored) == count + 1
    assert game.lanterns.position[-1] == pytest.approx((200, 400), abs=2)
    assert pixel(game, (200, 400))[0] > before[0] + 60


def test_lanterns_rise_and_are_mirrored_in_the_water(start: Callable[..., Any]) -> None:
    game = start("01_window.py", drawing=False)
    heights = game.lanterns.position[:, 1].copy()
    frames(game, 30)
    assert (game.lanterns.position[:, 1] > heights).all()
    game.lanterns.position[0] = 300, 620
    frames(game, 1)
    assert 150 < game.lanterns.position[0, 1] < 250
    assert game.mirrored.position[:, 1] == pytest.approx(
        320 - game.lanterns.position[:, 1], abs=1e-3
    )


# -- 02: fixed ticks -------------------------------------------------------------------------------


def drawn(game: Any) -> np.ndarray:
    """Return x of both balls in the last frame, raw and interpolated, from the centers of their
    halves.
    """
    positions, _, _ = game.things.transforms.pose(game.timestep.alpha)
    return positions[[0, 3], 0] - (243, 717)


def test_the_raw_ball_jumps_at_ticks_and_the_interpolated_ball_moves_in_every_frame(
    start: Callable[..., Any],
) -> None:
    game = start("02_ticks.py", drawing=False)
    frames(game, 18)
    positions = []
    for _ in range(60):
        frames(game, 1)
        positions.append(drawn(game))
    raw, smooth = np.abs(np.diff(positions, axis=0)).T
    assert game.tick == 13
    assert (raw > 1e-3).sum() == 10
    assert (smooth > 1e-3).all()
    assert smooth.max() < raw.max() / 5


def test_the_shadows_on_the_raw_side_are_separate_and_on_the_other_side_continuous(
    start: Callable[..., Any],
) -> None:
    game = start("02_ticks.py", size=(960, 540))
    pass_time(game, 4)
    frames(game, 60)
    row = game.pixels()[540 - 397, :, :3].sum(axis=1).astype(int)
    trails = row[60:230], row[60 + 474 : 140 + 474]  # behind the balls

    def gaps(values: np.ndarray) -> int:
        dark = values < 190  # nearly the card's own color
        return int((dark[1:] & ~dark[:-1]).sum())

    assert gaps(trails[0]) >= 3
    assert gaps(trails[1]) == 0


def test_time_can_be_paused_stepped_and_slowed(start: Callable[..., Any]) -> None:
    game = start("02_ticks.py", drawing=False)
    frames(game, 12)
    tap(game, "SPACE")
    frames(game, 6)  # the next tick reads the key
    tick, positions = game.tick, drawn(game)
    frames(game, 12)
    assert game.tick == tick
    assert np.array_equal(drawn(game), positions)
    assert "stopped" in game.state.text
    tap(game, "RIGHT")
    assert game.tick == tick + 1
    tap(game, "SPACE")
    tap(game, "DOWN")
    frames(game, 12)
    assert game.timestep.time_scale == 0.5
    tick = game.tick
    frames(game, 60)
    assert game.tick == tick + 5


# -- 03: sprites -----------------------------------------------------------------------------------


def test_the_mouse_adds_and_removes_creatures(start: Callable[..., Any]) -> None:
    game = start("03_sprites.py", START=5_000)
    frames(game, 2)
    assert len(game.puffs) == 5_000
    event(game, "on_mouse_motion", 120, 120, 1, 1)
    event(game, "on_mouse_press", 120, 120, LEFT, 0)
    frames(game, 4)
    assert len(game.puffs) == 5_200
    assert np.abs(game.puffs.position[-50:] - (480, 480)).max() < 60
    assert game.counter.text.startswith("5,200 sprites")
    event(game, "on_mouse_release", 120, 120, LEFT, 0)
    frames(game, 3)
    grown = len(game.puffs)
    frames(game, 3)
    assert len(game.puffs) == grown
    event(game, "on_mouse_press", 120, 120, RIGHT, 0)
    frames(game, 3)
    assert len(game.puffs) == len(game.speed) == grown - 150


def test_creatures_fall_and_stay_on_the_screen(start: Callable[..., Any]) -> None:
    game = start("03_sprites.py", drawing=False)
    frames(game, 1)
    high = game.puffs.position[:, 1] > 200
    speed = game.speed[high, 1].copy()
    frames(game, 6)
    assert game.speed[high, 1] == pytest.approx(speed - 900 * 0.1)
    frames(game, 60)
    x, y = game.puffs.position.T
    assert x.min() > 0
    assert x.max() < 960
    assert y.min() >= 14


# -- 04: a ship ------------------------------------------------------------------------------------


def started_flight(game: Any) -> Any:
    """Return the ship's game at the start of play."""
    frames(game, 2)
    tap(game, "SPACE")
    frames(game, 1)
    assert type(game.scene).__name__ == "Play"
    return game


@pytest.fixture
def flight(start: Callable[..., Any]) -> Any:
    return started_flight(start("04_ship.py", drawing=False))


def test_the_autopilot_plays_behind_the_menu(start: Callable[..., Any]) -> None:
    game = start("04_ship.py", drawing=False)
    pass_time(game, 4)
    play = game._engine.stage.stack[1].scene
    assert type(game.scene).__name__ == "Menu"
    assert play.auto
    assert play.score > 0
    assert play.board.text.startswith(f"{play.score:,} points")


def test_keys_turn_thrust_and_fire(flight: Any) -> None:
    play = flight.scene
    angle = play.ship.sprite.angle
    press(flight, "LEFT")
    frames(flight, 10)
    release(flight, "LEFT")
    assert play.ship.sprite.angle == pytest.approx(angle + 4 * 10 / 60, abs=1e-3)
    press(flight, "W", "SPACE")
    frames(flight, 20)
    assert play.ship.velocity.length() > 100
    assert play.ship.velocity.heading() == pytest.approx(play.ship.sprite.angle, abs=0.01)
    assert len(play.sparks) > 40  # sparks of the flame
    assert len(play.bullets) == 2
    assert play.bullets[0].velocity.length() > 620


def test_a_bullet_splits_a_rock_and_scores(flight: Any) -> None:
    play = flight.scene
    rock = play.rocks[0]
    rock.sprite.teleport((640, 270))
    rock.velocity *= 0
    sprites, rocks = len(play.sprites), len(play.rocks)
    press(flight, "SPACE")
    frames(flight, 2)
    release(flight, "SPACE")
    assert len(play.sprites) == sprites + 1
    frames(flight, 20)
    assert play.score == 20
    assert len(play.rocks) == rocks + 1
    assert [rock.size for rock in play.rocks[-2:]] == [1, 1]
    assert rock.sprite.removed
    assert not play.bullets
    assert "20 points" in play.board.text


def test_objects_that_leave_the_screen_come_back_without_interpolation(flight: Any) -> None:
    play = flight.scene
    play.ship.sprite.teleport((976, 270))
    play.ship.velocity = type(play.ship.velocity)(120, 0)
    xs = []
    for _ in range(8):
        frames(flight, 1)
        xs += [play.ship.sprite.drawn_position(alpha)[0] for alpha in (0, 0.5, 0.99)]
    assert min(xs) < -15
    assert max(xs) > 970
    assert not [x for x in xs if 0 < x < 960]


def test_the_pause_stops_the_world(start: Callable[..., Any]) -> None:
    flight = started_flight(start("04_ship.py"))
    play = flight.scene
    frames(flight, 5)
    tap(flight, "P")
    assert type(flight.scene).__name__ == "Pause"
    frames(flight, 1)
    positions, image = [rock.sprite.position for rock in play.rocks], flight.pixels()
    frames(flight, 10)
    assert [rock.sprite.position for rock in play.rocks] == positions
    assert np.array_equal(flight.pixels(), image)
    lit = image[20:115, :, :3].max(axis=2)
    assert lit[40:55, 90:150].max() > 230  # the title is bright, the rest is dim
    assert lit[:15].max() < 140
    assert lit[70:].max() < 140
    tap(flight, "P")
    frames(flight, 3)
    assert flight.scene is play
    assert [rock.sprite.position for rock in play.rocks] != positions


def test_three_crashes_end_the_game_and_space_starts_another(flight: Any) -> None:
    play = flight.scene
    for lives in (2, 1, 0):
        play.safe = -1.0
        play.rocks[0].sprite.teleport((480, 270))
        frames(flight, 1)
        assert play.lives == lives
    frames(flight, 1)
    assert type(flight.scene).__name__ == "Menu"
    assert flight.scene.title == "GAME OVER"
    assert not play.ship.sprite.visible
    tap(flight, "SPACE")
    assert flight.scene is not play
    assert flight.scene.lives == 3


# -- 05: a camera ----------------------------------------------------------------------------------


def test_the_world_is_far_wider_than_the_view(start: Callable[..., Any]) -> None:
    game = start("05_camera.py", N=144, drawing=False)
    frames(game, 1)
    left, bottom, right, top = game.camera.visible_bounds()
    spread = np.ptp(game.standing.position, axis=0)
    assert spread[0] > 5 * (right - left)
    assert spread[1] > 8 * (top - bottom)
    assert len(game.dabs) + len(game.waves) + len(game.standing) > 20_000


def test_the_camera_follows_the_walker_to_within_a_pixel(start: Callable[..., Any]) -> None:
    game = start("05_camera.py")
    frames(game, 1)
    x, y = game.walker.position
    press(game, "LEFT")
    pass_time(game, 0.5)
    assert game.walker.position == pytest.approx((x - 30 * 150 / 60, y), abs=0.5)
    assert game.walker.flip == (True, False)
    lag = game.camera.x - game.walker.x
    assert 5 < lag < 30  # the motion of the camera is smoothed
    release(game, "LEFT")
    pass_time(game, 1)
    position = game.camera.world_to_screen(game.walker.drawn_position(0.5), alpha=0.5)
    assert position == pytest.approx((480, 270), abs=1)
    game.standing.visible[:-1] = False  # no tree hides the walker
    frames(game, 1)
    red, green, blue = pixel(game, (480, 270 + 14))  # the cloak
    assert red > green + 40
    assert red > blue + 40


def test_wheel_and_keys_zoom_and_turn_and_sprites_stay_upright(start: Callable[..., Any]) -> None:
    game = start("05_camera.py", drawing=False)
    frames(game, 1)
    event(game, "on_mouse_scroll", 9, 9, 0, 3)
    frames(game, 1)
    assert game.camera.zoom == pytest.approx(1.1**3)
    press(game, "Q", "X")
    frames(game, 59)
    release(game, "Q", "X")  # the keys are still held for a part of the sixtieth tick
    frames(game, 2)
    assert game.camera.zoom == pytest.approx(1.1**3 / 1.02**60)
    assert game.camera.angle == pytest.approx(1.5, abs=1e-3)
    assert game.standing.angle == pytest.approx(1.5, abs=1e-3)
    # Of any two sprites, the lower one in the turned view is drawn on top.
    turned = game.standing.position @ (-math.sin(1.5), math.cos(1.5))
    order = np.argsort(game.standing.layer, kind="stable")
    assert np.diff(turned[order]).max() <= 1.5


def test_the_walker_does_not_walk_into_the_sea(start: Callable[..., Any]) -> None:
    game = start("05_camera.py", N=144, drawing=False)
    game.push(Curtain())
    frames(game, 1)
    press(game, "LEFT")
    heights = []
    for _ in range(40):
        game.advance(1 / 6)  # ten ticks
        heights.append(game.level(game.walker_position))
    assert min(heights) > 0
    assert game.level(game.walker_position + (-60, 0)) < 0.05  # the shore stopped the walker


# -- 08: a viewer ----------------------------------------------------------------------------------


def test_the_viewer_plays_the_clips_of_the_number_keys(start: Callable[..., Any]) -> None:
    game = start("08_viewer.py", drawing=False)
    frames(game, 2)
    assert game.shown.playing == "Reach"
    tap(game, "_2")
    assert game.shown.playing == "Dance"
    hand = game.shown.node("wrist").drawn_position(1.0)
    pass_time(game, 0.375)
    assert math.dist(hand, game.shown.node("wrist").drawn_position(1.0)) > 0.3
    tap(game, "_9")  # the model has no such clip
    assert game.shown.playing == "Dance"
    tap(game, "_0")
    pass_time(game, 0.5)
    assert game.shown.node("wrist").rotation == pytest.approx(
        game.model.at_rest.rotation[4], abs=1e-5
    )


def test_keys_and_mouse_of_the_viewer_change_light_grid_wires_and_camera(
    start: Callable[..., Any],
) -> None:
    game = start("08_viewer.py")
    frames(game, 1)
    images = [game.pixels()]
    tap(game, "L")
    assert "studio" in game.state.text
    assert len(game.world.lights) == 3
    images.append(game.pixels())
    tap(game, "G")
    assert len(game.grid) == 0
    tap(game, "W")
    assert all(part.material.wireframe for part in game.model.parts)
    images.append(game.pixels())
    yaw, distance = game.orbit.yaw, game.orbit.distance
    event(game, "on_mouse_press", 50, 50, LEFT, 0)
    event(game, "on_mouse_drag", 60, 50, 10, 0, LEFT, 0)
    event(game, "on_mouse_scroll", 60, 50, 0, 2)
    frames(game, 3)
    assert game.orbit.yaw < yaw
    assert game.orbit.distance < distance
    images.append(game.pixels())
    for before, after in itertools.pairwise(images):
        assert np.abs(before.astype(int) - after).mean() > 1
    tap(game, "SPACE")
    assert game.timestep.paused


def test_the_viewer_changes_morph_targets(
    start: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    model = morphing()
    del model.json["animations"]
    monkeypatch.setattr(sys, "argv", ["example", str(model.glb(tmp_path / "frontend.glb"))])
    game = start("08_viewer.py", drawing=False)
    frames(game, 1)
    assert "morph target up (1 of 2)" in game.morph.text
    tap(game, "M")
    press(game, "RIGHT")
    pass_time(game, 0.625)
    release(game, "RIGHT")
    assert game.shown.weights == pytest.approx((0, 0.65), abs=0.1)
    assert f"wide (2 of 2)    arrows: {game.shown.weight('wide'):.2f}" in game.morph.text


def test_the_viewer_shows_a_model_of_any_size(
    start: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    model = moving()
    model.json["nodes"][0]["scale"] = [1e-3] * 3
    for name, factor in (("small", 1e-3), ("large", 1e3)):
        model.json["nodes"] = [{"mesh": 0, "scale": [factor] * 3, "name": "only"}, {}]
        model.json["scenes"] = [{"nodes": [0]}]
        monkeypatch.setattr(sys, "argv", ["example", str(model.glb(tmp_path / f"{name}.glb"))])
        game = start("08_viewer.py")
        frames(game, 2)
        middle = game.pixels()[50:85, 100:140, :3]
        tap(game, "W")
        assert np.abs(middle.astype(int) - game.pixels()[50:85, 100:140, :3]).mean() > 3, (
            name
        )  # the model is in the middle
    monkeypatch.setattr(sys, "argv", ["example", str(tmp_path / "gone.glb")])
    with pytest.raises(fw.AssetError, match=r"gone\.glb"):
        start("08_viewer.py")


def test_the_viewer_shows_a_map_that_can_be_dragged_zoomed_and_split_into_layers(
    start: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["example", str(EXAMPLES / "art" / "valley.tmx")])
    game = start("08_viewer.py")
    frames(game, 1)
    assert [part.name for part in game.level.drawn] == ["far", "near", "behind", "ground"]
    images = [game.pixels()]
    at, zoom = game.camera.position, game.camera.zoom
    event(game, "on_mouse_press", 50, 50, LEFT, 0)
    event(game, "on_mouse_drag", 60, 50, 10, 0, LEFT, 0)
    frames(game, 1)
    assert game.camera.x < at[0]
    event(game, "on_mouse_release", 60, 50, LEFT, 0)
    under = game.camera.screen_to_world(game.mouse.position)
    event(game, "on_mouse_scroll", 60, 50, 0, 2)
    frames(game, 2)
    assert game.camera.zoom > zoom
    assert game.camera.screen_to_world(game.mouse.position) == pytest.approx(under, abs=1e-6)
    images.append(game.pixels())
    tap(game, "_4")
    assert not game.level["ground"].visible
    images.append(game.pixels())
    tap(game, "O")
    assert game.marks.visible.all()
    for before, after in itertools.pairwise(images):
        assert np.abs(before.astype(int) - after).mean() > 1
    tap(game, "PAGEDOWN")  # the map has only one level
    press(game, "RIGHT")
    x = game.camera.x
    frames(game, 3)
    assert game.camera.x > x
    tap(game, "SPACE")
    assert game.timestep.paused


def test_trees_in_front_of_the_walker_fade_and_come_back(start: Callable[..., Any]) -> None:
    game = start("05_camera.py", drawing=False)
    frames(game, 1)
    game.idle = False
    tree = int(np.flatnonzero(game.standing.image == 0)[300])
    alphas = game.standing.color[:, 3]
    # the walker goes behind the tree, then in front of it
    for step, opaque in ((14, False), (-14, True)):
        game.walker.position = tuple(game.standing.position[tree] + (2, step))
        game.walker.teleport()
        pass_time(game, 0.75)
        assert (alphas[tree] > 0.95) == opaque
        assert alphas[tree] > 0.3
        assert alphas[game.walker.row] == 1
    assert (alphas < 0.95).sum() < 12  # only trees near the walker


# -- 06: lanes -------------------------------------------------------------------------------------


def lane_steps(game: Any, count: int) -> dict[str, np.ndarray]:
    """Return how far each lane's runner was drawn from frame to frame, in pixels along x."""
    positions = []
    for _ in range(count + 1):
        frames(game, 1)
        positions.append([lane.seen[-1] for lane in game.lanes])
    return {
        lane.name: step for lane, step in zip(game.lanes, np.diff(positions, axis=0).T, strict=True)
    }


def test_lanes_that_interpolate_move_evenly_and_the_other_lanes_do_not(
    start: Callable[..., Any],
) -> None:
    game = start("06_lanes.py", TINY)
    frames(game, 70)
    steps = lane_steps(game, 40)
    for name in ("interpolated", "on a curve", "ahead"):
        assert steps[name] == pytest.approx(240 / 60, abs=0.01)
    for name in ("as it is", "nearest tick"):
        assert set(steps[name].round(2)) == {0, 30}  # eight ticks a second
    assert steps["mixed in reverse"].std() > 1
    assert [number.text for number in game.numbers][3:] == ["0.0 px"] * 3
    assert all(float(number.text.split()[0]) > 0.9 for number in game.numbers[:3])


def test_the_first_figures_measure_moving_runners(start: Callable[..., Any]) -> None:
    game = start("06_lanes.py", TINY)
    frames(game, 45)
    assert [number.text for number in game.numbers][3:] == ["0.0 px"] * 3


def test_the_curve_is_nearer_to_the_true_path_than_straight_lines(
    start: Callable[..., Any],
) -> None:
    game = start("06_lanes.py", TINY)
    frames(game, 20)  # two ticks, so that there is a path between them
    distances: dict[str, float] = {}
    for _ in range(60):
        frames(game, 1)
        for lane, position in zip(game.lanes, game.runners.position, strict=True):
            true = 12 * np.sin(7 * lane.seen[-1] / 240)
            height = position[1] - game.heights[game.lanes.index(lane)]
            distances[lane.name] = max(distances.get(lane.name, 0.0), abs(float(height - true)))
    assert distances["on a curve"] < 0.15
    assert distances["interpolated"] > 0.8
    assert distances["as it is"] < 0.01


def test_a_lower_refresh_rate_keeps_its_last_image(start: Callable[..., Any]) -> None:
    game = start("06_lanes.py", TINY)
    frames(game, 30)
    tap(game, "DOWN")
    for _ in range(8):
        tap(game, "LEFT")
    assert game.refresh_rate.value == 10
    assert game.refresh_rate.label.text == "drawn 10 times a second"
    count_before = game.pictures
    frames(game, 60)
    assert game.pictures - count_before == 10
    assert np.diff(game.lanes[3].seen[2:]) == pytest.approx(24, abs=0.01)


def test_sliders_are_dragged_with_the_mouse_until_it_is_released(start: Callable[..., Any]) -> None:
    game = start("06_lanes.py")
    frames(game, 20)
    position = [int(value * PER_UNIT) for value in (670 + 250 / 2, 40)]
    event(game, "on_mouse_press", *position, LEFT, 0)
    frames(game, 2)
    assert game.scale.value == 0.5
    # the mouse is far beyond the slider's end
    event(game, "on_mouse_drag", 3, 100, -200, 60, LEFT, 0)
    frames(game, 2)
    assert game.scale.value == 0.05
    event(game, "on_mouse_release", 3, 100, LEFT, 0)
    event(game, "on_mouse_drag", 230, 10, 200, -90, LEFT, 0)
    frames(game, 100)  # time runs at a twentieth
    assert game.scale.value == 0.05
    assert game.scale.label.text == "time runs at 0.05x"
    steps = lane_steps(game, 30)
    assert steps["interpolated"][1:] == pytest.approx(240 / 60 * 0.05, abs=1e-3)


def test_runners_stay_in_place_when_the_tick_rate_changes(start: Callable[..., Any]) -> None:
    game = start("06_lanes.py", TINY)
    frames(game, 50)
    before = [lane.seen[-1] for lane in game.lanes]
    for _ in range(20):
        tap(game, "RIGHT")  # to the end of the slider
    assert game.ticks.value == 240
    assert game.ticks.label.text == "240 ticks a second"
    after = [lane.seen[-1] for lane in game.lanes]
    assert np.abs(np.array(after) - before - 20 * 4).max() < 240 / 8 + 20 * 4
    assert lane_steps(game, 20)["interpolated"] == pytest.approx(4, abs=0.02)


def test_keys_choose_a_slider_and_wrap_around(start: Callable[..., Any]) -> None:
    game = start("06_lanes.py", TINY)
    frames(game, 1)
    tap(game, "UP")
    assert game.chosen == 2
    bright = game.sliders[2].label.color
    assert bright != game.sliders[0].label.color
    tap(game, "DOWN")
    assert game.chosen == 0
    assert game.sliders[0].label.color == bright


# -- 07: cubes in space ----------------------------------------------------------------------------


def turns(game: Any) -> list[np.ndarray]:
    """Return the rotation of the fastest cube of each half in the last frame, raw and
    interpolated.
    """
    return [half.transforms.pose(game.timestep.alpha)[1][-1] for half in game.halves]


def test_raw_cubes_jump_at_ticks_and_interpolated_cubes_turn_evenly(
    start: Callable[..., Any],
) -> None:
    game = start("07_cubes.py", drawing=False)
    frames(game, 13)
    steps: list[list[float]] = []
    before = turns(game)
    for _ in range(36):
        frames(game, 1)
        now = turns(game)
        steps.append(
            [2 * math.acos(min(1, abs(float(a @ b)))) for a, b in zip(before, now, strict=True)]
        )
        before = now
    raw, smooth = np.array(steps).T
    assert (raw > 0.02).sum() == 6
    assert smooth == pytest.approx(4.5 / 60, abs=0.004)


def test_both_halves_of_the_cubes_have_the_same_poses_in_each_tick(
    start: Callable[..., Any],
) -> None:
    game = start("07_cubes.py", drawing=False)
    frames(game, 20)
    raw, smooth = game.halves
    assert np.array_equal(raw.rotation, smooth.rotation)
    assert smooth.position - raw.position == pytest.approx(np.tile((8.2, 0, 0), (9, 1)), abs=1e-5)
    tap(game, "SPACE")
    frames(game, 6)
    tick = game.tick
    frames(game, 12)
    assert game.tick == tick
    assert "stopped" in game.state.text
    tap(game, "RIGHT")
    assert game.tick == tick + 1


def test_cubes_cast_shadows_on_lit_stages(start: Callable[..., Any]) -> None:
    game = start("07_cubes.py", edges=True)
    frames(game, 10)
    assert game.picture.samples == 4
    bright, shaded = pixel(game, (230, 80)), pixel(game, (290, 155))
    assert bright.min() > 150
    assert shaded.sum() < 0.75 * bright.sum()
    assert bright.sum() > pixel(game, (60, 80)).sum() + 150  # the floor beside the stage is darker


# -- levels of quality -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["09_asteroids.py", "10_tank.py"])
def test_a_number_key_sets_the_quality_and_the_lowest_level_draws_less(
    start: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    best = start(name)
    assert (best.picture.quality.level, best.picture.quality.automatic) == (2, True)
    monkeypatch.setattr(sys, "argv", ["example", "0"])
    low = start(name)
    assert (low.picture.quality.level, low.picture.quality.automatic) == (0, False)
    frames(low, 2)
    assert (low.picture.samples, low.picture.render_scale <= 0.6, low.world.shadows) == (
        0,
        True,
        None,
    )
    assert colors(low.pixels()) >= 200
    low.picture.quality.level = 2
    frames(low, 1)
    assert (low.picture.samples, low.picture.render_scale) == (4, 1)
    assert low.world.shadows.cascades >= 2


def test_a_lower_quality_has_an_equally_dense_field_with_a_shorter_range(
    start: Callable[..., Any],
) -> None:
    game = start("09_asteroids.py", drawing=False)
    frames(game, 2)
    for level, reach in ((0, 180), (1, 280), (2, 420), (0, 180)):
        game.picture.quality.level = level
        frames(game, 2)
        offsets = np.abs(rock_offsets(game))
        assert offsets.max() <= reach + 1e-2
        assert len(offsets) == pytest.approx(1200 * (reach / 420) ** 3, rel=0.3)
        for rocks in game.rocks:
            assert len(rocks.batch) == len(rocks.radius) == len(rocks.turn) == len(rocks.cells)
            assert rocks.batch.cull == (level == 0)


# -- 09: asteroids ---------------------------------------------------------------------------------


@pytest.fixture
def field(start: Callable[..., Any]) -> Any:
    """The field of asteroids after a key press, which ends the demo mode."""
    game = start("09_asteroids.py", LEVELS=PLAIN, drawing=False)
    press(game, "W")
    frames(game, 2)
    release(game, "W")
    frames(game, 1)
    return game


def rock_offsets(game: Any) -> np.ndarray:
    positions = np.concatenate([rocks.batch.position for rocks in game.rocks])
    return np.asarray(positions - game.ship.position)


def test_the_whole_field_exists_and_all_shapes_differ(start: Callable[..., Any]) -> None:
    game = start("09_asteroids.py", LEVELS=PLAIN, ROCKS=20_000, drawing=False)
    assert sum(len(rocks.batch) for rocks in game.rocks) == 20_000
    meshes = [rocks.batch.mesh for rocks in game.rocks]
    assert all(mesh.triangle_count == 128 for mesh in meshes)
    assert len({mesh.positions.tobytes() for mesh in meshes}) == len(meshes) >= 2
    for mesh in meshes:  # closed, and its triangles face outward
        corners = mesh.positions.reshape(-1, 3, 3)
        assert (np.linalg.det(corners.astype(float)) > 0).all()


def test_the_field_moves_with_the_ship_without_interpolation_across_it(field: Any) -> None:
    field.speed = 3_000.0
    for _ in range(20):
        field.speed = 3_000.0
        frames(field, 1)
        assert np.abs(rock_offsets(field)).max() <= 420 + 1e-2
        for rocks in field.rocks:
            before, after = (rocks.batch.transforms.pose(alpha)[0] for alpha in (0.0, 1.0))
            assert np.abs(after - before).max() < 1e-3
    assert np.linalg.norm(field.ship.position) > 900


def test_new_rocks_grow_from_zero(field: Any) -> None:
    field.speed = 1_000.0
    frames(field, 3)
    offsets = np.abs(rock_offsets(field)).max(axis=1)
    scales = np.concatenate([rocks.batch.scale[:, 0] for rocks in field.rocks])
    full = np.concatenate([rocks.radius for rocks in field.rocks])
    assert (scales[offsets > 415] < 0.1 * full[offsets > 415] + 1e-3).all()
    assert scales[offsets < 330] == pytest.approx(full[offsets < 330], rel=1e-5)


def test_keys_steer_the_ship_and_change_its_speed(field: Any) -> None:
    heading = field.heading.copy()
    press(field, "LEFT", "W")
    pass_time(field, 0.5)
    assert field.ahead[0, 0] < -0.2  # it looked along -z
    assert abs(float((field.heading * heading).sum())) < 0.99
    assert field.speed > 45
    release(field, "LEFT", "W")
    press(field, "S")
    pass_time(field, 2)
    assert field.throttle == 0
    assert not field.hint.visible


def test_a_bullet_destroys_a_rock_that_it_hits_between_two_ticks(field: Any) -> None:
    for rocks in field.rocks:
        rocks.batch.position[:, 1] = field.ship.position[0, 1] + 300  # out of the way
    target = field.rocks[2]
    target.radius[7] = 3.0
    target.batch.position[7] = field.ship.position[0] + (-1.95, 0, -60)
    target.batch.teleport([7])
    hits = field.hits
    press(field, "SPACE")
    frames(field, 2)
    release(field, "SPACE")
    frames(field, 20)
    assert field.hits == hits + 1
    assert np.abs(target.batch.position[7] - field.ship.position[0]).max() > 300
    assert len(field.sparks) > 20  # sparks
    assert field.board.text.endswith("rocks hit: 1")


def test_the_camera_stays_behind_the_ship_in_every_frame(field: Any) -> None:
    press(field, "LEFT")
    positions = []
    for _ in range(20):
        game_alpha = field.advance(0.37 / 60)
        position = field.world.camera.world_to_screen(
            field.ship[0].drawn_position(game_alpha), alpha=game_alpha
        )
        positions.append(position)
    steps = np.abs(np.diff(np.array(positions[2:]), axis=0))
    assert 400 < positions[-1][0] < 560
    assert steps.max() < 12  # of 960 units: the ship does not shake against the camera


def test_without_input_the_ship_flies_by_itself_and_hits_rocks(start: Callable[..., Any]) -> None:
    game = start("09_asteroids.py", LEVELS=PLAIN, ROCKS=8_000, PATIENCE=1, drawing=False)
    pass_time(game, 3)
    assert game.hint.visible
    assert game.hits > 0
    press(game, "D")
    frames(game, 1)
    assert not game.hint.visible


# -- 10: a tank ------------------------------------------------------------------------------------


@pytest.fixture
def drive(start: Callable[..., Any]) -> Any:
    """The tank's game after a key press, which ends the demo mode."""
    game = start("10_tank.py", LEVELS=PLAIN, drawing=False)
    press(game, "W")
    pass_time(game, 0.5)
    return game


def test_the_tank_stands_on_the_ground_and_leans_with_it(drive: Any) -> None:
    for _ in range(10):
        pass_time(drive, 0.125)
        x, y, z = drive.hull.position
        assert y == pytest.approx(float(drive.ground.height_at([(x, y, z)])[0]), abs=0.5)
        matrix = drive.hull.drawn_matrix(1.0)
        assert matrix[1, :3] @ drive.ground.normal_at([(x, y, z)])[0] > 0.9
    assert drive.speed > 10


def test_wheels_turn_forward_at_high_speed(drive: Any) -> None:
    pass_time(drive, 1)
    pace = drive.speed / 0.42
    assert pace / 20 > 1.2  # a good part of a turn in each tick
    wheel, angles = drive.wheels[0].row, []
    for alpha in np.linspace(0, 0.999, 40):
        x, _, _, w = drive.nodes.pose(alpha)[1][wheel]
        angles.append(2 * math.atan2(-x, w))
    steps = np.diff(np.unwrap(angles, period=2 * math.pi))
    assert (steps > 0).all()
    assert steps.sum() == pytest.approx(pace / 20, rel=0.1)


def test_the_gun_is_attached_to_the_turret_and_the_turret_to_the_hull(drive: Any) -> None:
    release(drive, "W")
    drive.aim = drive.yaw + 1.0
    pass_time(drive, 1.5)
    ahead = drive.barrel * (1, 0, 1)
    ahead /= np.linalg.norm(ahead)
    assert ahead == pytest.approx((-math.sin(drive.aim), 0, -math.cos(drive.aim)), abs=0.05)
    length = np.linalg.norm(drive.muzzle - np.array(drive.hull.position))
    assert 4 < length < 7


def test_a_shell_flies_in_an_arc_and_bursts_at_the_mark(drive: Any) -> None:
    release(drive, "W")
    drive.balloons.position[:, 1] = 200  # out of the way
    drive.lift = 0.15
    pass_time(drive, 1.5)
    press(drive, "SPACE")
    frames(drive, 4)
    release(drive, "SPACE")
    row = int(np.argmax(drive.shells.visible))
    assert drive.shells.visible[row]
    start, velocity = drive.shells.position[row].copy(), drive.shells.velocity[row].copy()
    pass_time(drive, 0.5)
    fall = start + velocity * 0.5 - np.array([0, 9.8, 0]) * 0.125
    if drive.shells.visible[row]:
        assert drive.shells.position[row] == pytest.approx(fall, abs=1e-3)
    drawn = drive.shells.transforms.pose(0.5)[0][row]
    last, now = (drive.shells.transforms.pose(alpha)[0][row] for alpha in (0.0, 1.0))
    assert drawn[1] - (last[1] + now[1]) / 2 == pytest.approx(
        9.8 / 8 / 400, abs=2e-3
    )  # above the straight line
    pass_time(drive, 5)
    assert not drive.shells.visible.any()


def test_without_input_the_tank_shoots_balloons(start: Callable[..., Any]) -> None:
    game = start("10_tank.py", LEVELS=PLAIN, BALLOONS=14, PATIENCE=1, drawing=False)
    pass_time(game, 8)
    assert game.hint.visible
    assert game.hits > 0
    assert f"balloons hit: {game.hits}" in game.board.text


def test_driving_raises_dust_that_fades(drive: Any) -> None:
    pass_time(drive, 1)
    behind = drive.dust.pose(1.0)[0] - drive.hull.position
    assert len(behind) > 4
    assert np.median(behind @ drive.axes[2]) > 1  # the third axis points back
    release(drive, "W")
    drive.run_ticks(6 * 20)
    assert len(drive.dust) == 0


def test_the_moving_tank_stays_at_the_center_of_the_screen(drive: Any) -> None:
    pass_time(drive, 2)
    positions = []
    for _ in range(24):
        alpha = drive.advance(1 / 240)
        above = np.array(drive.hull.drawn_position(alpha)) + (0, 1.9, 0)
        positions.append(drive.world.camera.world_to_screen(above, alpha=alpha))
    assert np.abs(np.array(positions) - (480, 270)).max() < 0.5


def test_the_poles_learn_to_stay_up(start: Callable[..., Any]) -> None:
    game = start("11_poles.py", drawing=False)
    game.run_ticks(1500)  # half a minute
    assert game.lasting[0] < 100
    assert game.lasting[-1] > 250
    assert game.bars.position.shape == (len(game.lasting), 2)


# -- rhythm ----------------------------------------------------------------------------------------


def test_steps_sound_at_the_exact_samples_of_their_ticks(
    start: Callable[..., Any], tmp_path: Path
) -> None:
    game = start("12_rhythm.py", drawing=False)
    game.steps[:] = False
    game.steps[0, [0, 5]] = True  # kicks
    with game.audio.capture(tmp_path / "mix.wav"):
        game.run_ticks(8 * 15)
    with wave.open(str(tmp_path / "mix.wav")) as file:
        loud = np.flatnonzero(
            np.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, 2).any(axis=1)
        )
    begins = loud[np.append(True, np.diff(loud) > 4_000)]
    assert [begin // 800 for begin in begins] == [1, 1 + 5 * 8]  # ticks of 800 samples
    assert begins[1] - begins[0] == 5 * 8 * 800


def test_steps_are_set_by_mouse_and_keys(start: Callable[..., Any]) -> None:
    game = start("12_rhythm.py", drawing=False)
    before = game.steps.copy()
    game.testing.click(*game.tiles.position[3].tolist())
    game.run_ticks()
    assert np.argwhere(game.steps != before).tolist() == [[0, 3]]
    for key in ("down", "right", "space", "plus"):
        game.testing.press(key)
        game.run_ticks()
        game.testing.release(key)
    assert np.argwhere(game.steps != before).tolist() == [[0, 3], [1, 4]]
    assert game.bpm == 114.5
    game.testing.press("c")
    game.run_ticks()
    assert not game.steps.any()


def test_a_player_with_good_timing_hits_all_steps(start: Callable[..., Any]) -> None:
    game = start("12_rhythm.py", drawing=False)
    game.steps[:] = False
    game.steps[1, ::2] = True
    game.testing.press("p")  # row 0, which has no steps
    game.run_ticks()
    game.testing.press("p")
    game.run_ticks()
    game.cursor = [0, 0]
    game.steps[0, ::4] = True  # this row has a beat for the player, who hears the other row
    for _ in range(3):
        game.testing.press("plus")
        game.run_ticks()
        game.testing.release("plus")
    assert game.bpm == 118.5
    game.testing.press("p")
    game.run_ticks()
    game.audio.delay = 0.1
    while game.judged < 8:
        if any(abs(game.audio.time - time - 0.1) < 0.01 for time in game.waiting):
            game.testing.press("space")
        game.run_ticks()
        game.testing.release("space")
    assert game.hits == 8
    assert abs(np.mean(game.errors)) < 0.02
    assert "Press space: 8 of 8 steps" in game.title.text


# -- pinball ---------------------------------------------------------------------------------------


def test_the_ball_is_shot_and_reaches_the_flippers(start: Callable[..., Any]) -> None:
    game = start("13_pinball.py", drawing=False)
    game.run_ticks(20)
    assert game.ball.position == pytest.approx((705, 33), abs=3)
    game.testing.press("space")
    game.run_ticks(50)
    game.testing.release("space")
    game.run_ticks(60)
    assert game.ball.y > 400
    game.run_ticks(40)
    assert game.ball.x < 690


def test_a_flipper_hits_the_ball_back(start: Callable[..., Any]) -> None:
    game = start("13_pinball.py", drawing=False)
    game.ball.position = 420, 100
    game.run_ticks(20)
    game.testing.press("left")
    game.run_ticks(3)
    assert game.moves.velocity[0, 1] > 300
    game.run_ticks(3)
    assert game.flippers[0].angle == pytest.approx(0.5, abs=1e-5)
    game.testing.release("left")
    game.run_ticks(12)
    assert game.flippers[0].angle == pytest.approx(-0.45, abs=1e-5)


def test_bumpers_and_gems_count_and_a_lost_ball_comes_back(start: Callable[..., Any]) -> None:
    game = start("13_pinball.py", drawing=False)
    game.ball.position = game.bumpers.position[2] + (4, 60)
    game.run_ticks(60)
    assert game.score >= 100
    gems, score = len(game.gems), game.score
    game.ball.position = game.gems.position[0]
    game.moves.velocity = 0, 0
    game.run_ticks(2)
    assert len(game.gems) == gems - 1
    assert game.score >= score + 250
    best = game.score
    game.ball.position = 465, -20
    game.run_ticks(20)
    assert game.best >= best
    assert game.score == 0
    assert game.ball.x == pytest.approx(705, abs=2)


# -- 15: a valley ----------------------------------------------------------------------------------


def walk(game: Any, ticks: int, *keys: str) -> None:
    """Run ``ticks`` ticks with keys held."""
    for key in keys:
        game.testing.press(key)
    game.run_ticks(ticks)
    for key in keys:
        game.testing.release(key)


def test_a_short_press_is_a_low_jump_and_a_long_press_a_high_jump(
    start: Callable[..., Any],
) -> None:
    game = start("15_valley.py", drawing=False)
    game.run_ticks(5)
    heights = []
    for hold_ticks in (3, 25):
        ground, ticks = game.hero.position[0, 1], [hold_ticks, 60 - hold_ticks]
        game.testing.press("space")
        highest = 0.0
        for number, count in enumerate(ticks):
            for _ in range(count):
                game.run_ticks()
                highest = max(highest, game.hero.position[0, 1] - ground)
            if number == 0:
                game.testing.release("space")
        heights.append(highest)
        assert game.standing
    assert 15 < heights[0] < 35
    assert 60 < heights[1] < 70


def test_a_hero_who_falls_into_the_water_begins_again(start: Callable[..., Any]) -> None:
    game = start("15_valley.py", drawing=False)
    game.run_ticks(5)
    before = game.hero.position[0].copy()
    walk(game, 62, "right")
    assert game.hero.position[0, 0] > 155
    walk(game, 40, "right")
    assert game.hero.position[0, 0] < 110
    assert game.hero.position[0, 1] == before[1]


def test_the_hero_collects_coins_and_jumps_on_beetles(start: Callable[..., Any]) -> None:
    game = start("15_valley.py", drawing=False)
    game.run_ticks(5)
    coin, beetle, count = game.coins[3], game.beetles[0], len(game.beetles)
    game.hero.position[0] = coin.position
    game.run_ticks()
    assert game.got == 1
    assert coin.removed
    game.hero.position[0] = beetle.x, beetle.y + 26
    game.hero.velocity[0] = 0, -60
    game.run_ticks(12)
    assert beetle.removed
    assert len(game.beetles) == count - 1
    assert game.hero.velocity[0, 1] > 100
    assert not game.over


def test_the_flag_ends_the_level_and_space_begins_again(start: Callable[..., Any]) -> None:
    game = start("15_valley.py", drawing=False)
    game.run_ticks(5)
    game.hero.position[0] = game.flag.x, game.flag.y + 12
    game.run_ticks(3)
    assert game.over
    assert "The flag" in game.words.text
    walk(game, 3, "space")
    assert not game.over
    assert len(game.coins) == 16


def test_ladders_are_climbed(start: Callable[..., Any]) -> None:
    game = start("15_valley.py", drawing=False)
    game.run_ticks(5)
    row, column = np.argwhere(game.ladders)[-1].tolist()
    game.hero.position[0] = game.behind.cell_center((row, column))
    low = game.hero.position[0, 1]
    walk(game, 20, "up")
    assert game.climbing
    assert game.hero.position[0, 1] > low + 15
    height = game.hero.position[0, 1]
    game.run_ticks(20)
    assert game.hero.position[0, 1] == pytest.approx(height, abs=2)


# -- 14: moths -------------------------------------------------------------------------------------


@pytest.fixture
def woods(start: Callable[..., Any]) -> Any:
    """The woods at night, still without moths, after a key press, which ends the demo mode."""
    game = start("14_moths.py", FIRST=0, MORE=0, drawing=False)
    game.testing.press("d")
    game.run_ticks(2)
    game.testing.release("d")
    game.run_ticks()
    return game


def add_moth(game: Any, kind: int, *offset: float) -> None:
    position = np.add(game.hero.position, offset)
    game.kind, game.lives = np.append(game.kind, kind), np.append(game.lives, (1, 2, 14)[kind])
    for batch in (game.moths, game.shadows, game.shine):
        batch.add(position=position, scale=0.8)


def test_moths_come_out_of_the_dark_and_fly_around_the_trees(start: Callable[..., Any]) -> None:
    game = start("14_moths.py", FIRST=40, drawing=False)
    game.testing.press("pad:a")  # this ends the demo mode, and the player then does nothing
    game.run_ticks(2)
    game.testing.move_stick("leftstick", 0.3, 0)
    spawned = np.linalg.norm(game.moths.position - game.hero.position, axis=1)
    assert (spawned > 380).all()
    for _ in range(4):
        game.run_ticks(15)
        cells = [
            game.level.world_to_cell(tuple(position)) for position in game.moths.position.tolist()
        ]
        assert not game.level.solid[tuple(np.transpose(cells))].any()
    assert len(game.moths) == len(game.shine) == len(game.kind) == 40
    assert (
        np.linalg.norm(game.moths.position - game.hero.position, axis=1).mean()
        < spawned.mean() - 40
    )


def test_the_right_stick_shoots_and_a_moth_that_was_shot_leaves_light(woods: Any) -> None:
    add_moth(woods, 1, 150, 25)
    light = woods.light
    woods.testing.move_stick("rightstick", 1, 0)
    woods.run_ticks(30)
    assert woods.shot == 1
    assert len(woods.moths) == 0
    assert len(woods.motes) == 1
    woods.testing.move_stick("rightstick", 0, 0)
    woods.testing.press("d")
    woods.run_ticks(60)
    assert len(woods.motes) == 0
    assert woods.light > light


def test_moths_drink_the_light_until_it_is_out_and_the_game_begins_again(woods: Any) -> None:
    woods.light = 0.3
    add_moth(woods, 2, 6, 0)
    woods.run_ticks()
    assert woods.light == pytest.approx(0.1)
    assert woods.pace < 0.5  # time is slow for a moment
    add_moth(woods, 2, 6, 0)
    woods.run_ticks()
    assert woods.light == 0
    assert woods.title.text == "the light is out"
    woods.testing.press("space")
    woods.run_ticks(60)
    assert woods.light == 0
    woods.run_ticks(60)
    assert woods.light == pytest.approx(0.6)


def test_without_input_the_game_plays_itself(start: Callable[..., Any]) -> None:
    game = start("14_moths.py", FIRST=20, drawing=False)
    game.run_ticks(70)
    assert game.hint.visible
    assert game.shot > 0


# -- 16: a marble ----------------------------------------------------------------------------------


def test_without_input_the_marble_rolls_by_itself(start: Callable[..., Any]) -> None:
    game = start("16_marble.py", drawing=False)
    game.run_ticks(150)
    assert len(game.gems) < game.total
    assert game.near > 12
    before = game.near
    game.testing.press("r")
    game.run_ticks()
    assert game.near < before
    assert len(game.gems) == game.total


def test_a_marble_that_falls_begins_again_on_the_course(start: Callable[..., Any]) -> None:
    game = start("16_marble.py", drawing=False)
    game.run_ticks(5)
    game.marble.position = (9, -3, 5)
    game.run_ticks(2)
    assert np.abs(np.array(game.marble.position) - game.path[game.near]).max() < 3


# -- 19: a race ------------------------------------------------------------------------------------


def test_cars_without_players_drive_around(start: Callable[..., Any]) -> None:
    game = start("19_race.py", drawing=False)
    game.run_ticks(600)
    assert min(game.near) > 60
    for near, car in zip(game.near, game.cars, strict=True):
        assert ((game.road[near] - car.position) ** 2).sum() < 90**2
    first, second = (view.camera.screen_to_world((view.size[0] / 2, 270)) for view in game.halves)
    assert np.abs(np.subtract(first, game.cars[0].position)).max() < 250
    assert np.abs(np.subtract(second, game.cars[1].position)).max() < 250


def test_players_drive_their_cars_and_a_click_drops_a_cone_there(
    start: Callable[..., Any],
) -> None:
    game = start("19_race.py", drawing=False)
    game.count = 0
    game.testing.press("w")
    game.testing.press("right")
    game.run_ticks(30)
    assert game.speed[0] > 100 > game.speed[1]
    x, y = game.halves[1].to_screen(game.cars[1].position)
    game.testing.click(x, y)
    game.run_ticks(1)
    assert not game.cones.visible.any()  # the cone fell on the car, which knocked it over
    assert game.coned == 1


# -- 18: a novel -----------------------------------------------------------------------------------


def test_a_novel_shows_its_text_by_letters_and_a_choice_changes_the_story(
    start: Callable[..., Any],
) -> None:
    game = start("18_novel.py", drawing=False)
    game.run_ticks(90)
    before = game.words.visible_characters
    game.run_ticks(20)
    assert 0 < before < game.words.visible_characters < game.words.character_count
    sentence = game.words.text
    game.testing.press("space")
    game.run_ticks(4)
    game.testing.release("space")
    game.run_ticks(2)
    assert game.words.text == sentence  # a press shows the whole sentence, and the next one follows
    assert game.words.visible_characters is None
    for _ in range(9):  # the rest of a sentence, or the next one
        if not game.options:
            game.testing.press("space")
            game.run_ticks(1)
            game.testing.release("space")
            game.run_ticks(2)
    assert [label.text for label in game.options] == ["Climb the tower", "Shout as loud as we can"]
    game.testing.press("down")
    game.run_ticks(1)
    assert game.chosen == 1
    game.testing.click(480, 350)  # the mouse has priority
    game.run_ticks(90)
    assert not game.options
    assert game.words.text.startswith("Dust")
