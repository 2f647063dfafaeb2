"""The examples, played as they are: by a plan of keys and clicks, off screen, in a small
picture.
"""

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
SMALL = (240, 135)  # pixels; the examples count in 960 x 540 units all the same
TINY = (
    48,
    27,
    # for what asks what was drawn, and looks at no picture; what asks the game needs no drawing at all
)
PER_UNIT = SMALL[0] / 960
NIGHTLY = bool(os.environ.get("NEW_EXAMPLES"))
# In the plane, with text and sound, on maps, in space: drawn twice, and run to their end, by day;
# at night each is.
TWICE = ["01_window.py", "07_cubes.py", "12_rhythm.py", "15_valley.py", "21_effects.py"]


@dataclass
class Plan:
    """What to do to an example: events by the number of the frame that they come before."""

    frames: int
    events: dict[int, tuple[Any, ...]] = field(default_factory=dict)
    colors: int = 200  # at least so many different ones are in the last picture
    step: float = 1 / 60  # seconds from a frame to the next


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
    """They find no arguments, and what lies beside them."""
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

# And one level of quality, where all that is asked is whether a picture is the same each time.
ONE_LEVEL: dict[str, dict[str, Any]] = {
    "09_asteroids.py": {
        "LEVELS": [{"reach": 280, "cascades": 1, "render_scale": 1.0, "samples": 0}]
    },
    "10_tank.py": {"LEVELS": [{"cascades": 2, "render_scale": 1.0, "samples": 0}]},
}

# One level of quality, as good as none, for what looks at no picture. The field of asteroids is as
# wide as in the best.
PLAIN = [{"reach": 420, "cascades": 0, "render_scale": 0.5, "samples": 0}]


# Functions that an example caches while it runs: what they made for one test is there for the next.
CACHED = {"14_moths.py": "music"}
_kept: dict[str, Any] = {}


def fewer(name: str, names: dict[str, Any], **constants: Any) -> None:
    """Give a module of an example what makes it quick."""
    names.update({**FEWER.get(name, {}), **constants})
    if name in CACHED:
        names[CACHED[name]] = _kept.setdefault(name, names[CACHED[name]])


@functools.cache
def compiled(name: str) -> Any:
    return compile((EXAMPLES / name).read_bytes(), str(EXAMPLES / name), "exec", dont_inherit=True)


def run_as_program(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run an example's file as Python does that is started with it."""
    main = ModuleType("__main__")
    main.__file__ = str(EXAMPLES / name)
    monkeypatch.setitem(sys.modules, "__main__", main)
    exec(compiled(name), main.__dict__)


@contextlib.contextmanager
def starting() -> Iterator[Callable[..., Any]]:
    """``start(file)`` runs an example's file as a program, up to the game that it hands to
    `fw.run`; with smooth edges only where that is asked."""
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
    """One of pyglet's window events; keys are given by name, places in window pixels."""
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
    """Hides the game, which goes on: drawing a world in software takes far longer than computing
    it.
    """

    opaque = True
    pauses_below = False


def pass_time(game: Any, seconds: float) -> None:
    """Few frames with many ticks in each, of which the first and the last are drawn."""
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


def pixel(game: Any, place: tuple[float, float]) -> np.ndarray:
    """The colour at a place in the picture, in units from its bottom left."""
    picture = game.pixels()
    return picture[
        int(picture.shape[0] - place[1] * PER_UNIT), int(place[0] * PER_UNIT), :3
    ].astype(int)


# -- all of them -----------------------------------------------------------------------------------


def test_every_example_has_a_plan() -> None:
    assert sorted(PLANS) == FILES
    assert len(FILES) >= 5


@dataclass
class Played:
    """An example that was played by its plan: what it showed in the end, what its state was, and
    the game itself.
    """

    name: str
    game: Any
    picture: Any
    tick: int
    values: dict[str, Any]


@pytest.fixture(scope="module", params=FILES)
def played(request: pytest.FixtureRequest, _as_programs: None) -> Iterator[Played]:
    """Each example once, for all that is asked of each: pytest brings these tests together."""
    name = request.param
    with starting() as start:
        game = play(start(name, **ONE_LEVEL.get(name, {})), PLANS[name])
        yield Played(name, game, game.pixels(), game.tick, stated(name, game))


def colors(picture: Any) -> int:
    """How many different ones there are."""
    return len(
        np.unique(picture[..., :3].astype(np.uint32) @ np.array([65_536, 256, 1], np.uint32))
    )


def test_an_example_shows_a_picture_and_the_same_one_each_time(
    start: Callable[..., Any], played: Played
) -> None:
    name, level = played.name, ONE_LEVEL.get(played.name, {})
    assert played.picture.shape == (SMALL[1], SMALL[0], 4)
    assert colors(played.picture) >= PLANS[name].colors
    if NIGHTLY or name in TWICE:
        assert np.array_equal(played.picture, play(start(name, **level), PLANS[name]).pixels())
    unseen = play(start(name, drawing=False, **level), PLANS[name])
    assert played.tick == unseen.tick > 0
    assert fw.first_difference(played.values, stated(name, unseen)) is None


def test_ticks_that_are_played_again_end_as_they_did(
    start: Callable[..., Any], played: Played
) -> None:
    """Without a word about state in any of them; 600 ticks of each take minutes, and pass too."""
    stops = played.name in (
        "02_ticks.py",
        "07_cubes.py",
    )  # keys stop time, which is no state: not these keys, though
    game = start(played.name, TINY) if stops else played.game
    report = synctest._SyncTest(game, fw.RandomPlayer(3), 8).run(16, 8, None)
    report.check()


# What their `draw` writes, which is not called where there are no pictures, and which nothing asks.
WRITTEN_BY_DRAW = {
    "02_ticks.py": "game._works.contents.drawn[1]",
    "03_sprites.py": "game.labels._labels[0]",
    "06_lanes.py": "game._works.contents.drawn[1] game._works.contents.drawn[2] game._works.contents.drawn[3]",
}


def stated(name: str, game: Any) -> dict[str, Any]:
    """The state of a game, that is to be the same whether it was drawn or not."""
    left_out = tuple(WRITTEN_BY_DRAW.get(name, "").split())
    return {
        p: v
        for p, v in game.debug.state_values().items()
        if not left_out or not p.startswith(left_out)
    }


@pytest.mark.parametrize("name", FILES if NIGHTLY else TWICE)
def test_an_example_ends_by_itself_after_so_many_frames(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    real, picture = fw.run, tmp_path / "last.png"

    def run(game_class: type[fw.Game], **options: Any) -> None:
        fewer(name, game_class.setup.__globals__)
        real(
            game_class,
            **{**options, "headless": True, "size": TINY, "samples": 0, "session": None},
            frames=2,
            screenshot=picture,
        )

    monkeypatch.setattr(fw, "run", run)
    run_as_program(name, monkeypatch)
    with Image.open(picture) as last:
        assert last.size == TINY
    assert "2 frames" in capsys.readouterr().out


@pytest.mark.parametrize("name", FILES)
def test_an_example_begins_with_what_it_shows_and_how_it_is_played(name: str) -> None:
    tree = ast.parse((EXAMPLES / name).read_text(encoding="utf-8"))
    words = ast.get_docstring(tree) or ""
    first, _, rest = words.partition("\n")
    topic = name[3:-3]
    assert first.endswith(".")
    assert topic.rstrip("s") in first.lower()
    assert re.search(r"arrow|wheel|space|click|mouse|key", rest, re.IGNORECASE)
    game = [node for node in tree.body if isinstance(node, ast.ClassDef)][-1]
    assert [ast.unparse(base) for base in game.bases] in (
        ["fw.Game"],
        ["Carts"],
    )  # an fw.ArrayGame of its own
    assert game.name == topic.capitalize()


def test_the_pictures_are_small_and_made_here() -> None:
    pictures = sorted((EXAMPLES / "art").glob("*.png"))
    assert sum(path.stat().st_size for path in pictures) < 200_000
    make = runpy.run_path(str(EXAMPLES / "art" / "make_art.py"))
    for name, picture in {
        "ball": make["ball"](),
        "bullet": make["bullet"](),
        "wave": make["wave"](),
    }.items():
        with Image.open(EXAMPLES / "art" / f"{name}.png") as image:
            there = np.asarray(image.convert("RGBA")).astype(int)
        assert np.abs(there - np.asarray(picture)).mean() < 1, (
            name
        )  # another Pillow may round otherwise


def test_the_tiles_and_their_map_are_made_here() -> None:
    make = runpy.run_path(str(EXAMPLES / "art" / "make_tiles.py"))
    with Image.open(EXAMPLES / "art" / "tiles.png") as image:
        there = np.asarray(image.convert("RGBA")).astype(int)
    assert np.abs(there - np.asarray(make["tiles"]())).mean() < 1
    assert (EXAMPLES / "art" / "valley.tmx").read_text(encoding="utf-8") == make["valley"]()
    level = fw.TileMap(EXAMPLES / "art" / "valley.tmx")
    assert len(level.objects.of("coin")) == 16
    start = level["ground"].world_to_cell(level.objects["start"].position)
    assert level["ground"].solid[start[0] + 1, start[1]]
    assert not level["ground"].solid[start]


# -- 01: a window ----------------------------------------------------------------------------------


def test_a_click_lets_a_lantern_go_where_it_was_made(start: Callable[..., Any]) -> None:
    game = start("01_window.py")
    frames(game, 1)
    before, count = pixel(game, (200, 400)), len(game.lanterns)
    event(game, "on_mouse_press", int(200 * PER_UNIT), int(400 * PER_UNIT), LEFT, 0)
    frames(game, 2)
    assert len(game.lanterns) == len(game.glow) == len(game.mirrored) == count + 1
    assert game.lanterns.position[-1] == pytest.approx((200, 400), abs=2)
    assert pixel(game, (200, 400))[0] > before[0] + 60


def test_lanterns_rise_and_come_back_over_the_water(start: Callable[..., Any]) -> None:
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
    """x of both balls, as the last frame showed them: raw, interpolated; from the middles of their
    sides.
    """
    positions, _, _ = game.things.transforms.pose(game.timestep.alpha)
    return positions[[0, 3], 0] - (243, 717)


def test_the_raw_side_jumps_with_the_ticks_and_the_other_moves_in_every_frame(
    start: Callable[..., Any],
) -> None:
    game = start("02_ticks.py", drawing=False)
    frames(game, 18)
    places = []
    for _ in range(60):
        frames(game, 1)
        places.append(drawn(game))
    raw, smooth = np.abs(np.diff(places, axis=0)).T
    assert game.tick == 13
    assert (raw > 1e-3).sum() == 10
    assert (smooth > 1e-3).all()
    assert smooth.max() < raw.max() / 5


def test_the_shadows_on_the_raw_side_are_clumps_with_gaps_between_them(
    start: Callable[..., Any],
) -> None:
    game = start("02_ticks.py", size=(960, 540))
    pass_time(game, 4)
    frames(game, 60)
    row = game.pixels()[540 - 397, :, :3].sum(axis=1).astype(int)
    trails = row[60:230], row[60 + 474 : 140 + 474]  # behind the balls

    def gaps(values: np.ndarray) -> int:
        dark = values < 190  # nearly the card's own colour
        return int((dark[1:] & ~dark[:-1]).sum())

    assert gaps(trails[0]) >= 3
    assert gaps(trails[1]) == 0


def test_time_can_be_stopped_stepped_and_slowed(start: Callable[..., Any]) -> None:
    game = start("02_ticks.py", drawing=False)
    frames(game, 12)
    tap(game, "SPACE")
    frames(game, 6)  # the next tick latches it
    tick, place = game.tick, drawn(game)
    frames(game, 12)
    assert game.tick == tick
    assert np.array_equal(drawn(game), place)
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


def test_the_mouse_pours_creatures_in_and_takes_them_away(start: Callable[..., Any]) -> None:
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


def test_creatures_fall_and_stay_in_the_picture(start: Callable[..., Any]) -> None:
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


def taken_off(game: Any) -> Any:
    """The ship's game, at the start of play."""
    frames(game, 2)
    tap(game, "SPACE")
    frames(game, 1)
    assert type(game.scene).__name__ == "Play"
    return game


@pytest.fixture
def flight(start: Callable[..., Any]) -> Any:
    return taken_off(start("04_ship.py", drawing=False))


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


def test_what_leaves_the_picture_comes_back_without_a_streak(flight: Any) -> None:
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


def test_the_pause_stops_the_world_until_it_is_taken_off(start: Callable[..., Any]) -> None:
    flight = taken_off(start("04_ship.py"))
    play = flight.scene
    frames(flight, 5)
    tap(flight, "P")
    assert type(flight.scene).__name__ == "Pause"
    frames(flight, 1)
    places, picture = [rock.sprite.position for rock in play.rocks], flight.pixels()
    frames(flight, 10)
    assert [rock.sprite.position for rock in play.rocks] == places
    assert np.array_equal(flight.pixels(), picture)
    lit = picture[20:115, :, :3].max(axis=2)
    assert lit[40:55, 90:150].max() > 230  # the word, and all else is dim
    assert lit[:15].max() < 140
    assert lit[70:].max() < 140
    tap(flight, "P")
    frames(flight, 3)
    assert flight.scene is play
    assert [rock.sprite.position for rock in play.rocks] != places


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


def test_the_world_is_far_wider_than_the_picture(start: Callable[..., Any]) -> None:
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
    assert 5 < lag < 30  # it is smoothed
    release(game, "LEFT")
    pass_time(game, 1)
    place = game.camera.world_to_screen(game.walker.drawn_position(0.5), alpha=0.5)
    assert place == pytest.approx((480, 270), abs=1)
    game.standing.visible[:-1] = False  # no tree before the walker
    frames(game, 1)
    red, green, blue = pixel(game, (480, 270 + 14))  # the cloak
    assert red > green + 40
    assert red > blue + 40


def test_the_wheel_and_keys_zoom_and_turn_and_all_stay_upright(start: Callable[..., Any]) -> None:
    game = start("05_camera.py", drawing=False)
    frames(game, 1)
    event(game, "on_mouse_scroll", 9, 9, 0, 3)
    frames(game, 1)
    assert game.camera.zoom == pytest.approx(1.1**3)
    press(game, "Q", "X")
    frames(game, 59)
    release(game, "Q", "X")  # still down for a part of the sixtieth tick
    frames(game, 2)
    assert game.camera.zoom == pytest.approx(1.1**3 / 1.02**60)
    assert game.camera.angle == pytest.approx(1.5, abs=1e-3)
    assert game.standing.angle == pytest.approx(1.5, abs=1e-3)
    # Of any two, the one that is lower in the turned picture is drawn over the other.
    turned = game.standing.position @ (-math.sin(1.5), math.cos(1.5))
    order = np.argsort(game.standing.layer, kind="stable")
    assert np.diff(turned[order]).max() <= 1.5


def test_nobody_walks_into_the_sea(start: Callable[..., Any]) -> None:
    game = start("05_camera.py", N=144, drawing=False)
    game.push(Curtain())
    frames(game, 1)
    press(game, "LEFT")
    heights = []
    for _ in range(40):
        game.advance(1 / 6)  # ten ticks
        heights.append(game.level(game.place))
    assert min(heights) > 0
    assert game.level(game.place + (-60, 0)) < 0.05  # the shore stopped it


# -- 08: a viewer ----------------------------------------------------------------------------------


def test_the_viewer_plays_what_the_number_keys_choose(start: Callable[..., Any]) -> None:
    game = start("08_viewer.py", drawing=False)
    frames(game, 2)
    assert game.shown.playing == "Reach"
    tap(game, "_2")
    assert game.shown.playing == "Dance"
    hand = game.shown.node("wrist").drawn_position(1.0)
    pass_time(game, 0.375)
    assert math.dist(hand, game.shown.node("wrist").drawn_position(1.0)) > 0.3
    tap(game, "_9")  # there is none
    assert game.shown.playing == "Dance"
    tap(game, "_0")
    pass_time(game, 0.5)
    assert game.shown.node("wrist").rotation == pytest.approx(
        game.model.at_rest.rotation[4], abs=1e-5
    )


def test_the_viewers_keys_and_mouse_change_light_grid_wires_and_place(
    start: Callable[..., Any],
) -> None:
    game = start("08_viewer.py")
    frames(game, 1)
    pictures = [game.pixels()]
    tap(game, "L")
    assert "studio" in game.state.text
    assert len(game.world.lights) == 3
    pictures.append(game.pixels())
    tap(game, "G")
    assert len(game.grid) == 0
    tap(game, "W")
    assert all(part.material.wireframe for part in game.model.parts)
    pictures.append(game.pixels())
    yaw, distance = game.orbit.yaw, game.orbit.distance
    event(game, "on_mouse_press", 50, 50, LEFT, 0)
    event(game, "on_mouse_drag", 60, 50, 10, 0, LEFT, 0)
    event(game, "on_mouse_scroll", 60, 50, 0, 2)
    frames(game, 3)
    assert game.orbit.yaw < yaw
    assert game.orbit.distance < distance
    pictures.append(game.pixels())
    for before, after in itertools.pairwise(pictures):
        assert np.abs(before.astype(int) - after).mean() > 1
    tap(game, "SPACE")
    assert game.timestep.paused


def test_the_viewer_changes_morph_targets(
    start: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made = morphing()
    del made.json["animations"]
    monkeypatch.setattr(sys, "argv", ["example", str(made.glb(tmp_path / "frontend.glb"))])
    game = start("08_viewer.py", drawing=False)
    frames(game, 1)
    assert "morph target up (1 of 2)" in game.morph.text
    tap(game, "M")
    press(game, "RIGHT")
    pass_time(game, 0.625)
    release(game, "RIGHT")
    assert game.shown.weights == pytest.approx((0, 0.65), abs=0.1)
    assert f"wide (2 of 2)    arrows: {game.shown.weight('wide'):.2f}" in game.morph.text


def test_the_viewer_shows_a_file_whatever_its_size(
    start: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made = moving()
    made.json["nodes"][0]["scale"] = [1e-3] * 3
    for name, factor in (("small", 1e-3), ("large", 1e3)):
        made.json["nodes"] = [{"mesh": 0, "scale": [factor] * 3, "name": "only"}, {}]
        made.json["scenes"] = [{"nodes": [0]}]
        monkeypatch.setattr(sys, "argv", ["example", str(made.glb(tmp_path / f"{name}.glb"))])
        game = start("08_viewer.py")
        frames(game, 2)
        middle = game.pixels()[50:85, 100:140, :3]
        tap(game, "W")
        assert np.abs(middle.astype(int) - game.pixels()[50:85, 100:140, :3]).mean() > 3, (
            name
        )  # it is in the middle
    monkeypatch.setattr(sys, "argv", ["example", str(tmp_path / "gone.glb")])
    with pytest.raises(fw.AssetError, match=r"gone\.glb"):
        start("08_viewer.py")


def test_the_viewer_shows_a_map_that_is_dragged_zoomed_and_taken_apart(
    start: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["example", str(EXAMPLES / "art" / "valley.tmx")])
    game = start("08_viewer.py")
    frames(game, 1)
    assert [part.name for part in game.level.drawn] == ["far", "near", "behind", "ground"]
    pictures = [game.pixels()]
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
    pictures.append(game.pixels())
    tap(game, "_4")
    assert not game.level["ground"].visible
    pictures.append(game.pixels())
    tap(game, "O")
    assert game.marks.visible.all()
    for before, after in itertools.pairwise(pictures):
        assert np.abs(before.astype(int) - after).mean() > 1
    tap(game, "PAGEDOWN")  # there is one level only
    press(game, "RIGHT")
    x = game.camera.x
    frames(game, 3)
    assert game.camera.x > x
    tap(game, "SPACE")
    assert game.timestep.paused


def test_trees_that_hide_the_walker_fade_and_come_back(start: Callable[..., Any]) -> None:
    game = start("05_camera.py", drawing=False)
    frames(game, 1)
    game.idle = False
    tree = int(np.flatnonzero(game.standing.image == 0)[300])
    alphas = game.standing.color[:, 3]
    for step, seen in ((14, False), (-14, True)):  # behind it, and in front of it
        game.walker.position = tuple(game.standing.position[tree] + (2, step))
        game.walker.teleport()
        pass_time(game, 0.75)
        assert (alphas[tree] > 0.95) == seen
        assert alphas[tree] > 0.3
        assert alphas[game.walker.row] == 1
    assert (alphas < 0.95).sum() < 12  # only those about the walker


# -- 06: lanes -------------------------------------------------------------------------------------


def lane_steps(game: Any, count: int) -> dict[str, np.ndarray]:
    """How far each lane's runner was drawn from the one frame to the next, x in pixels."""
    places = []
    for _ in range(count + 1):
        frames(game, 1)
        places.append([lane.seen[-1] for lane in game.lanes])
    return {
        lane.name: step for lane, step in zip(game.lanes, np.diff(places, axis=0).T, strict=True)
    }


def test_lanes_that_blend_move_evenly_and_the_others_do_not(start: Callable[..., Any]) -> None:
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


def test_the_first_figures_are_of_motion_already(start: Callable[..., Any]) -> None:
    game = start("06_lanes.py", TINY)
    frames(game, 45)
    assert [number.text for number in game.numbers][3:] == ["0.0 px"] * 3


def test_the_curve_is_nearer_to_the_true_way_than_straight_lines_are(
    start: Callable[..., Any],
) -> None:
    game = start("06_lanes.py", TINY)
    frames(game, 20)  # two ticks: there is a way between them
    off: dict[str, float] = {}
    for _ in range(60):
        frames(game, 1)
        for lane, place in zip(game.lanes, game.runners.position, strict=True):
            true = 12 * np.sin(7 * lane.seen[-1] / 240)
            height = place[1] - game.heights[game.lanes.index(lane)]
            off[lane.name] = max(off.get(lane.name, 0.0), abs(float(height - true)))
    assert off["on a curve"] < 0.15
    assert off["interpolated"] > 0.8
    assert off["as it is"] < 0.01


def test_a_slower_display_keeps_its_picture(start: Callable[..., Any]) -> None:
    game = start("06_lanes.py", TINY)
    frames(game, 30)
    tap(game, "DOWN")
    for _ in range(8):
        tap(game, "LEFT")
    assert game.refresh_rate.value == 10
    assert game.refresh_rate.label.text == "drawn 10 times a second"
    pictures = game.pictures
    frames(game, 60)
    assert game.pictures - pictures == 10
    assert np.diff(game.lanes[3].seen[2:]) == pytest.approx(24, abs=0.01)


def test_sliders_are_dragged_with_the_mouse_until_it_is_released(start: Callable[..., Any]) -> None:
    game = start("06_lanes.py")
    frames(game, 20)
    place = [int(value * PER_UNIT) for value in (670 + 250 / 2, 40)]
    event(game, "on_mouse_press", *place, LEFT, 0)
    frames(game, 2)
    assert game.scale.value == 0.5
    event(game, "on_mouse_drag", 3, 100, -200, 60, LEFT, 0)  # also beyond its end
    frames(game, 2)
    assert game.scale.value == 0.05
    event(game, "on_mouse_release", 3, 100, LEFT, 0)
    event(game, "on_mouse_drag", 230, 10, 200, -90, LEFT, 0)
    frames(game, 100)  # time runs at a twentieth
    assert game.scale.value == 0.05
    assert game.scale.label.text == "time runs at 0.05x"
    steps = lane_steps(game, 30)
    assert steps["interpolated"][1:] == pytest.approx(240 / 60 * 0.05, abs=1e-3)


def test_another_tick_rate_goes_on_where_the_runners_are(start: Callable[..., Any]) -> None:
    game = start("06_lanes.py", TINY)
    frames(game, 50)
    before = [lane.seen[-1] for lane in game.lanes]
    for _ in range(20):
        tap(game, "RIGHT")  # as far as it goes
    assert game.ticks.value == 240
    assert game.ticks.label.text == "240 ticks a second"
    after = [lane.seen[-1] for lane in game.lanes]
    assert np.abs(np.array(after) - before - 20 * 4).max() < 240 / 8 + 20 * 4
    assert lane_steps(game, 20)["interpolated"] == pytest.approx(4, abs=0.02)


def test_keys_choose_a_slider_around_and_around(start: Callable[..., Any]) -> None:
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
    """How the fastest cube of each half is turned in the last frame: raw, interpolated."""
    return [half.transforms.pose(game.timestep.alpha)[1][-1] for half in game.halves]


def test_raw_cubes_jump_with_the_ticks_and_the_others_turn_evenly(
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


def test_cubes_stand_over_lit_stages_that_their_shadows_fall_on(start: Callable[..., Any]) -> None:
    game = start("07_cubes.py", edges=True)
    frames(game, 10)
    assert game.picture.samples == 4
    bright, shaded = pixel(game, (230, 80)), pixel(game, (290, 155))
    assert bright.min() > 150
    assert shaded.sum() < 0.75 * bright.sum()
    assert bright.sum() > pixel(game, (60, 80)).sum() + 150  # the floor beside it


# -- levels of quality -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["09_asteroids.py", "10_tank.py"])
def test_a_number_fixes_the_quality_and_the_lowest_draws_a_fraction(
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


def test_a_lower_quality_has_as_dense_a_field_that_reaches_less_far(
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
    """The field of asteroids, with somebody at the keys."""
    game = start("09_asteroids.py", LEVELS=PLAIN, drawing=False)
    press(game, "W")
    frames(game, 2)
    release(game, "W")
    frames(game, 1)
    return game


def rock_offsets(game: Any) -> np.ndarray:
    places = np.concatenate([rocks.batch.position for rocks in game.rocks])
    return np.asarray(places - game.ship.position)


def test_the_whole_field_is_there_and_no_two_shapes_are_alike(start: Callable[..., Any]) -> None:
    game = start("09_asteroids.py", LEVELS=PLAIN, ROCKS=20_000, drawing=False)
    assert sum(len(rocks.batch) for rocks in game.rocks) == 20_000
    meshes = [rocks.batch.mesh for rocks in game.rocks]
    assert all(mesh.triangle_count == 128 for mesh in meshes)
    assert len({mesh.positions.tobytes() for mesh in meshes}) == len(meshes) >= 2
    for mesh in meshes:  # closed, and seen from outside
        corners = mesh.positions.reshape(-1, 3, 3)
        assert (np.linalg.det(corners.astype(float)) > 0).all()


def test_the_field_goes_with_the_ship_and_nobody_streaks_across_it(field: Any) -> None:
    field.speed = 3_000.0
    for _ in range(20):
        field.speed = 3_000.0
        frames(field, 1)
        assert np.abs(rock_offsets(field)).max() <= 420 + 1e-2
        for rocks in field.rocks:
            before, after = (rocks.batch.transforms.pose(alpha)[0] for alpha in (0.0, 1.0))
            assert np.abs(after - before).max() < 1e-3
    assert np.linalg.norm(field.ship.position) > 900


def test_rocks_that_come_in_begin_from_nothing(field: Any) -> None:
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


def test_a_bullet_destroys_the_rock_that_it_meets_between_two_ticks(field: Any) -> None:
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
    seen = []
    for _ in range(20):
        game_alpha = field.advance(0.37 / 60)
        place = field.world.camera.world_to_screen(
            field.ship[0].drawn_position(game_alpha), alpha=game_alpha
        )
        seen.append(place)
    steps = np.abs(np.diff(np.array(seen[2:]), axis=0))
    assert 400 < seen[-1][0] < 560
    assert steps.max() < 12  # of 960: no shaking against the camera


def test_a_ship_that_nobody_flies_flies_by_itself_and_hits(start: Callable[..., Any]) -> None:
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
    """The tank's game, with somebody at the keys."""
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


def test_wheels_turn_the_right_way_however_fast(drive: Any) -> None:
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


def test_the_gun_hangs_on_the_turret_and_that_on_the_hull(drive: Any) -> None:
    release(drive, "W")
    drive.aim = drive.yaw + 1.0
    pass_time(drive, 1.5)
    ahead = drive.barrel * (1, 0, 1)
    ahead /= np.linalg.norm(ahead)
    assert ahead == pytest.approx((-math.sin(drive.aim), 0, -math.cos(drive.aim)), abs=0.05)
    length = np.linalg.norm(drive.muzzle - np.array(drive.hull.position))
    assert 4 < length < 7


def test_a_shell_flies_in_an_arc_and_bursts_where_the_mark_was(drive: Any) -> None:
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


def test_a_tank_left_alone_hunts_balloons(start: Callable[..., Any]) -> None:
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


def test_the_tank_stands_still_in_the_picture_while_it_drives(drive: Any) -> None:
    pass_time(drive, 2)
    places = []
    for _ in range(24):
        alpha = drive.advance(1 / 240)
        above = np.array(drive.hull.drawn_position(alpha)) + (0, 1.9, 0)
        places.append(drive.world.camera.world_to_screen(above, alpha=alpha))
    assert np.abs(np.array(places) - (480, 270)).max() < 0.5


def test_the_poles_learn_to_stay_up(start: Callable[..., Any]) -> None:
    game = start("11_poles.py", drawing=False)
    game.run_ticks(1500)  # half a minute
    assert game.lasting[0] < 100
    assert game.lasting[-1] > 250
    assert game.bars.position.shape == (len(game.lasting), 2)


# -- rhythm ----------------------------------------------------------------------------------------


def test_steps_are_heard_at_their_ticks_to_the_sample(
    start: Callable[..., Any], tmp_path: Path
) -> None:
    game = start("12_rhythm.py", drawing=False)
    game.steps[:] = False
    game.steps[0, [0, 5]] = True  # kicks
    with game.audio.capture(tmp_path / "mix.wav"):
        game.run_ticks(8 * 15)
    with wave.open(str(tmp_path / "mix.wav")) as file:
        heard = np.flatnonzero(
            np.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, 2).any(axis=1)
        )
    begins = heard[np.append(True, np.diff(heard) > 4_000)]
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


def test_a_drummer_on_time_hits_all_steps(start: Callable[..., Any]) -> None:
    game = start("12_rhythm.py", drawing=False)
    game.steps[:] = False
    game.steps[1, ::2] = True
    game.testing.press("p")  # row 0, which has no steps
    game.run_ticks()
    game.testing.press("p")
    game.run_ticks()
    game.cursor = [0, 0]
    game.steps[0, ::4] = True  # the player has a beat, and hears the other row
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


def test_the_ball_is_shot_and_comes_to_the_flippers(start: Callable[..., Any]) -> None:
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
    """Ticks in which keys are held."""
    for key in keys:
        game.testing.press(key)
    game.run_ticks(ticks)
    for key in keys:
        game.testing.release(key)


def test_a_short_press_is_a_low_jump_and_a_long_one_a_high_jump(start: Callable[..., Any]) -> None:
    game = start("15_valley.py", drawing=False)
    game.run_ticks(5)
    heights = []
    for held in (3, 25):
        ground, ticks = game.hero.position[0, 1], [held, 60 - held]
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


def test_what_falls_into_the_water_begins_again(start: Callable[..., Any]) -> None:
    game = start("15_valley.py", drawing=False)
    game.run_ticks(5)
    before = game.hero.position[0].copy()
    walk(game, 62, "right")
    assert game.hero.position[0, 0] > 155
    walk(game, 40, "right")
    assert game.hero.position[0, 0] < 110
    assert game.hero.position[0, 1] == before[1]


def test_coins_are_gathered_and_beetles_jumped_on(start: Callable[..., Any]) -> None:
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


def test_the_flag_ends_it_and_space_begins_again(start: Callable[..., Any]) -> None:
    game = start("15_valley.py", drawing=False)
    game.run_ticks(5)
    game.hero.position[0] = game.flag.x, game.flag.y + 12
    game.run_ticks(3)
    assert game.over
    assert "The flag" in game.words.text
    walk(game, 3, "space")
    assert not game.over
    assert len(game.coins) == 16


def test_ladders_are_climbed_in_place_of_falling(start: Callable[..., Any]) -> None:
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
    """The woods by night without any moths yet, with somebody at the keys."""
    game = start("14_moths.py", FIRST=0, MORE=0, drawing=False)
    game.testing.press("d")
    game.run_ticks(2)
    game.testing.release("d")
    game.run_ticks()
    return game


def add_moth(game: Any, kind: int, *offset: float) -> None:
    place = np.add(game.hero.position, offset)
    game.kind, game.lives = np.append(game.kind, kind), np.append(game.lives, (1, 2, 14)[kind])
    for batch in (game.moths, game.shadows, game.shine):
        batch.add(position=place, scale=0.8)


def test_moths_come_out_of_the_dark_and_fly_round_the_trees(start: Callable[..., Any]) -> None:
    game = start("14_moths.py", FIRST=40, drawing=False)
    game.testing.press("pad:a")  # somebody is there, and does nothing
    game.run_ticks(2)
    game.testing.move_stick("leftstick", 0.3, 0)
    spawned = np.linalg.norm(game.moths.position - game.hero.position, axis=1)
    assert (spawned > 380).all()
    for _ in range(4):
        game.run_ticks(15)
        cells = [game.level.world_to_cell(tuple(place)) for place in game.moths.position.tolist()]
        assert not game.level.solid[tuple(np.transpose(cells))].any()
    assert len(game.moths) == len(game.shine) == len(game.kind) == 40
    assert (
        np.linalg.norm(game.moths.position - game.hero.position, axis=1).mean()
        < spawned.mean() - 40
    )


def test_the_right_stick_shoots_and_what_is_shot_leaves_light(woods: Any) -> None:
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


def test_moths_drink_the_light_until_it_is_out_and_then_it_begins_anew(woods: Any) -> None:
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


def test_nobody_at_the_keys_and_the_game_plays_itself(start: Callable[..., Any]) -> None:
    game = start("14_moths.py", FIRST=20, drawing=False)
    game.run_ticks(70)
    assert game.hint.visible
    assert game.shot > 0


# -- 16: a marble ----------------------------------------------------------------------------------


def test_a_marble_that_nobody_rolls_rolls_by_itself_and_rings(start: Callable[..., Any]) -> None:
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


def test_cars_that_nobody_drives_go_around(start: Callable[..., Any]) -> None:
    game = start("19_race.py", drawing=False)
    game.run_ticks(600)
    assert min(game.near) > 60
    for near, car in zip(game.near, game.cars, strict=True):
        assert ((game.road[near] - car.position) ** 2).sum() < 90**2
    first, second = (view.camera.screen_to_world((view.size[0] / 2, 270)) for view in game.halves)
    assert np.abs(np.subtract(first, game.cars[0].position)).max() < 250
    assert np.abs(np.subtract(second, game.cars[1].position)).max() < 250


def test_players_drive_their_own_car_and_a_click_drops_a_cone_where_it_is_seen(
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
    assert not game.cones.visible.any()  # it fell on the car, which knocked it over
    assert game.coned == 1


# -- 18: a novel -----------------------------------------------------------------------------------


def test_a_novel_is_told_letter_by_letter_and_a_choice_leads_elsewhere(
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
    game.testing.click(480, 350)  # the mouse has the last word
    game.run_ticks(90)
    assert not game.options
    assert game.words.text.startswith("Dust")
