"""Servers: games without a screen, window or OpenGL, with real time and signals."""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import threading
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pictures import solid
from programs import run_python

import framework as fw
from framework import FrameworkError
from framework.game.driven_game import driven
from framework.sim.server import HeadlessLoop
from framework.tools import cli

Make = Callable[..., Any]
MS = 1_000_000

# Block the imports of pyglet and moderngl, as if neither package nor libGL were installed.
_REFUSES = """
import json, sys

class Refuses:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("pyglet", "moderngl", "_moderngl", "glcontext"):
            raise ImportError(f"{name} is asked for")

sys.meta_path.insert(0, Refuses())
"""

_GAME = """
import numpy as np
import framework as fw

class Pause(fw.Scene):
    def setup(self):
        self.title = self.labels.add("Pause", self.size, anchor=("center", "top"))

    def on_key_press(self, symbol, modifiers):
        if symbol == fw.key.P:
            self.game.pop()
            return True

class Everything(fw.Game):
    def setup(self):
        self.rocks = self.add(fw.SpriteBatch([PICTURE, np.zeros((6, 8, 4), np.uint8)], count=40))
        self.rocks.position[:] = self.random.uniform((0, 0), self.size, (40, 2))
        self.ship = self.sprites.add(PICTURE, position=(50, 50))
        self.camera.follow(self.ship, smoothing=0.2)
        self.score = self.labels.add("Score: 0", (5, 5))
        self.world.sky = self.world.shadows = True
        self.world.lights.add(position=(0, 3, 0))
        self.cubes = self.world.add(fw.MeshBatch(fw.Mesh.torus(), 9, cull=True))
        self.world.add(fw.Billboards(count=3))
        self.world.lines.axes()
        self.orbit = fw.Orbit(self.world.camera, target=(0, 1, 0), distance=9)
        self.nodes = fw.Nodes2D()
        self.guns = self.add(fw.NodeSprites([PICTURE], self.nodes))
        self.guns.show(self.nodes.add(position=(3, 4)))
        self.add(Own())
        self.hits = 0

    def update(self, dt):
        self.ship.x += (100 + 50 * self.keys["right"]) * dt
        self.rocks.angle[:] += dt
        self.hits += len(fw.collide.pairs(self.cubes.position - 1, self.cubes.position + 1))
        self.score.text = f"Score: {self.hits}"
        self.cubes.position[:, 0] += dt
        self.orbit.update(dt, self.keys, self.mouse)
        if self.keys.just_pressed("p"):
            self.push(Pause())
        if self.tick == 20:
            self.rocks.add(1)
            self.rocks.remove(0)
            self.labels.add("twenty")

    def draw(self, alpha):
        raise AssertionError("there is no picture")

class Own:
    def attach(self, graphics):
        raise AssertionError("there is no GL")

    draw = release = attach

    def begin_tick(self, dt):
        self.ticks = getattr(self, "ticks", 0) + 1

    def end_tick(self):
        pass

def play(game):
    game.testing.press("right")
    game.run(15)
    game.testing.press("p")
    game.advance(1 / 30)
    game.testing.press("p")
    game.run_ticks(5)
    game.advance(0.1)
    values = [game.tick, game.ship.width, game.ship.height, *game.rocks.images.size(1), *game.score.size, game.hits]
    return values, [game.picture.screen_mapping.size, game.camera.screen_to_world((3, 4)), game.scene is game, str(game.state_hash())]
"""

_PLAYED = """
PICTURE = sys.argv[1]
with Everything(drawing=False, seed=4, size=(300, 200)) as game:
    values = play(game)
    rolled = game.snapshot()
    game.run_ticks(4)
    game.restore(rolled)
print(json.dumps([values, sorted({"pyglet", "moderngl", "_moderngl", "glcontext"} & set(sys.modules))]))
"""


@pytest.fixture
def picture(tmp_path: Path) -> str:
    from PIL import Image

    path = tmp_path / "ship.png"
    Image.fromarray(solid(12, 10)).save(path)
    return str(path)


def test_everything_but_drawing_works_without_window_and_opengl(picture: str) -> None:
    done = run_python(_REFUSES + _GAME + _PLAYED, picture, options=("-W", "error"))
    assert done.returncode == 0, done.stderr
    values, loaded = json.loads(done.stdout)
    assert loaded == []
    # Run the same game with drawing here, and expect the same numbers and the same state hash.
    names: dict[str, Any] = {"PICTURE": picture, "__name__": "seen"}
    exec(_GAME, names)
    own = names["Own"]
    own.attach = own.draw = own.release = lambda *arguments: None
    names["Everything"].draw = fw.Game.draw
    with names["Everything"](headless=True, seed=4, size=(300, 200)) as game:
        assert json.loads(json.dumps(names["play"](game))) == values
    assert values[0][:3] == [28, 12.0, 10.0]


def test_an_empty_game_imports_few_modules() -> None:
    code = "import sys, framework as fw; fw.Game(drawing=False); print(*sorted(sys.modules))"
    loaded = run_python(code).stdout.split()
    heavy = {"pyglet", "moderngl", "PIL", "numpy.random", "pathlib", "hashlib", "json"}
    assert heavy & {*loaded} == set()
    assert "framework.game.game" in loaded


def test_calls_that_need_drawing_raise_an_error() -> None:
    game = fw.Game(drawing=False)
    calls: dict[str, Callable[[], object]] = {
        "pixels": game.pixels,
        "screenshot": lambda: game.screenshot("a.png"),
        "pyglet_drawing": game.picture.pyglet_drawing,
        "overlay": lambda: setattr(game.debug, "overlay", True),
        r"ctx\.buffer": lambda: game.picture.ctx.buffer,
        r"ctx\.program": lambda: game.picture.graphics.ctx.program,
        r"window\.set_caption": lambda: game.display.window.set_caption("x"),
    }
    for name, ask in calls.items():
        with pytest.raises(
            FrameworkError, match=rf"^{name}: this game was made with drawing=False"
        ):
            ask()
    assert (game.drawing, game.display.headless, game.debug.overlay, game.display.fullscreen) == (
        False,
        True,
        False,
        False,
    )
    game.display.fullscreen = True
    game.debug.overlay = False
    game.picture.render_scale = 0.5
    game.picture.quality = None
    game.picture.samples = 4
    assert game.picture.samples == 0
    game.testing.press("f3")
    game.advance(1 / 60)  # F3 has no effect
    assert not game.debug.overlay
    game.close()
    with pytest.raises(FrameworkError, match="closed"):
        game.pixels()


@pytest.mark.parametrize("value", [None, "no"])
def test_the_drawing_option_is_a_bool(value: Any) -> None:
    with pytest.raises(TypeError, match=r"^drawing: "):
        fw.Game(drawing=value)


def test_missing_and_bad_images_are_errors_without_drawing_too(tmp_path: Path) -> None:
    with fw.Game(drawing=False) as game:
        with pytest.raises(fw.AssetError, match=r"no_such\.png"):
            game.sprites.add("no_such.png")
        (tmp_path / "bad.png").write_bytes(b"no picture")
        with pytest.raises(fw.AssetError, match="in no format"):
            game.add(fw.SpriteBatch(str(tmp_path / "bad.png")))
        batch = game.add(fw.SpriteBatch(solid(3, 5)))
        with pytest.raises(ValueError, match="added to a game already"):
            game.add(batch)
        assert batch.images.size() == (3, 5)
        batch.images.add(fw.Region(solid(9, 9), (1, 2, 4, 6)))
        assert batch.images.size(1) == (4, 6)
        game.remove(batch)
    with pytest.raises(fw.AssetError, match="not in a game"):
        batch.images.size()


def test_a_virtual_resolution_is_the_same_without_drawing(make: Make) -> None:
    options = {"resolution": (100, 100), "size": (400, 200), "pixel_ratio": 2.0}
    game = make(drawing=False, **options)
    records = make(**options)
    assert (game.picture.screen_mapping, game.size) == (
        records.picture.screen_mapping,
        records.size,
    )
    assert game.labels.add("AVA").size == records.labels.add("AVA").size


def test_games_with_and_without_drawing_run_side_by_side(make: Make) -> None:
    class Within(fw.Game):
        def update(self, dt: float) -> None:
            with fw.Game(drawing=False) as second:
                second.add(fw.SpriteBatch(solid(2, 2), count=2))
                second.advance(1 / 30)
            self.other = second.tick

    game = make(Within)
    game.add(fw.SpriteBatch(solid(50, 50), count=1)).position[:] = 100, 50
    game.advance(1 / 60)
    assert game.other == 2
    assert game.pixels()[50, 100, :3].tolist() == [255, 255, 255]


def test_run_has_no_option_for_a_picture(capsys: pytest.CaptureFixture[str]) -> None:
    class Ends(fw.Game):
        def update(self, dt: float) -> None:
            if self.tick == 400:
                self.exit()

    fw.run(Ends, drawing=False)
    fw.run(Ends, drawing=False, frames=3)
    assert capsys.readouterr().out == ""
    with pytest.raises(FrameworkError, match=r"^screenshot: this game was made with drawing=False"):
        fw.run(Ends, drawing=False, screenshot="a.png")


# -- time ------------------------------------------------------------------------------------------


class Wall:
    """A clock that advances when the game sleeps, a little too long each time, or works."""

    def __init__(self, late: int = 0) -> None:
        self.time = 10**15
        self.late = late
        self.chance = random.Random(3)

    def now(self) -> int:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.time += round(seconds * 10**9) + (self.chance.randrange(self.late) if self.late else 0)


class Stamped(fw.Game):
    wall: Any = None
    took: Any = None

    def setup(self) -> None:
        self.stamps: list[int] = []

    def update(self, dt: float) -> None:
        self.stamps.append(self.wall.now())
        if self.took is not None:
            self.wall.time += self.took(self.tick)


def served(wall: Wall, ticks: int, took: Any = None, rate: str = "real", **options: Any) -> Any:
    game = Stamped(drawing=False, **options)
    game.wall = wall
    game.took = took
    HeadlessLoop(game, rate, clock=wall.now, sleep=wall.sleep).run(ticks)
    return game


@pytest.mark.parametrize("rate", [60, 59.94, Fraction(1, 3), 1000])
def test_ticks_run_when_due_and_never_drift(rate: Any) -> None:
    wall = Wall(late=200_000)
    start = wall.time
    game = served(wall, 600, tick_rate=rate)
    assert game.tick == 600
    exact = Fraction(str(rate))
    for number in (1, 2, 300, 599, 600):
        late = game.stamps[number - 1] - start - number * 10**9 / exact
        assert -1 <= late <= 200_001, number
    assert game.timestep.dropped_time == 0


def test_a_late_server_catches_up_to_the_limit_of_the_loop() -> None:
    wall = Wall()
    start = wall.time
    game = served(
        wall, 300, took=lambda tick: 100 * MS if tick == 100 else 5000 * MS if tick == 200 else 0
    )
    assert game.timestep.dropped_time == pytest.approx(5.0 - 8 / 60, abs=0.03)
    # After the first delay nothing is lost. After the second, all ticks beyond eight are lost.
    assert game.stamps[150] - start == pytest.approx(151 * 10**9 / 60, abs=2)
    assert wall.time - start == pytest.approx(
        300 * 10**9 / 60 + game.timestep.dropped_time * 10**9, abs=17 * MS
    )


def test_serve_ends_at_its_tick_and_at_exit_even_if_more_ticks_are_due() -> None:
    wall = Wall()
    game = served(wall, 7, took=lambda tick: 500 * MS)
    assert game.tick == 7
    game.took = lambda tick: (wall.sleep(0.5), tick == 9 and game.exit())[0] or 0
    HeadlessLoop(game, clock=wall.now, sleep=wall.sleep).run()
    assert game.tick == 9
    HeadlessLoop(game, clock=wall.now, sleep=wall.sleep).run(2)  # the game may be served again
    assert game.tick == 11


def test_paused_and_scaled_time() -> None:
    wall = Wall()
    start = wall.time
    game = Stamped(drawing=False)
    game.wall = wall
    game.timestep.paused = True
    server = HeadlessLoop(game, clock=wall.now, sleep=wall.sleep)
    wakes = iter(range(1, 99))

    def sleep(seconds: float) -> None:
        wall.sleep(seconds)
        if next(wakes) == 30:
            game.call_soon(
                lambda: (
                    setattr(game.timestep, "paused", False),
                    setattr(game.timestep, "time_scale", 0.5),
                )
            )

    server._sleep = sleep
    server.run(10)
    assert game.tick == 10
    assert wall.time - start == pytest.approx((30 + 20) * 10**9 / 60, rel=0.03)


def test_frames_of_loops_without_fixed_ticks_have_their_rate() -> None:
    wall = Wall()
    start = wall.time
    game = served(wall, 30, timestep=fw.VariableTimestep(1 / 20))
    assert wall.time - start == pytest.approx(game.tick * 10**9 / 60, rel=0.1)


def test_a_frame_ends_before_the_server_waits_for_the_next() -> None:
    wall = Wall()
    game = Stamped(drawing=False)
    game.wall = wall
    game.took = lambda tick: 2 * MS
    game.debug.frame_stats.on = True
    HeadlessLoop(game, clock=wall.now, sleep=wall.sleep).run(30)
    ends = {frame.end for frame in game.debug.frame_stats.frames()}
    assert {stamp + 2 * MS for stamp in game.stamps} <= ends


def test_the_first_garbage_collection_takes_no_game_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wall = Wall()
    start = wall.time
    game = Stamped(drawing=False)
    game.wall = wall
    collector = driven(game).stage.collector

    def begin(self: Any) -> None:
        wall.time += 3000 * MS

    monkeypatch.setattr(type(collector), "begin", begin)
    HeadlessLoop(game, clock=wall.now, sleep=wall.sleep).run(60)
    assert game.timestep.dropped_time == 0
    assert wall.time - start == pytest.approx(3000 * MS + 60 * 10**9 / 60, abs=20 * MS)


def test_a_server_at_full_speed_reads_no_clock() -> None:
    wall = Wall()
    game = served(wall, 5000, rate="max")
    assert (game.tick, wall.time) == (5000, 10**15)
    calm = Stamped(drawing=False)
    calm.wall = wall
    calm.took = None
    calm.run_ticks(5000)
    assert calm.state_hash() == game.state_hash()


def test_a_server_at_full_speed_makes_a_scheduled_call_before_the_next_tick() -> None:
    ticks: list[int] = []
    wall = Wall()
    game = Stamped(drawing=False)

    def took(tick: int) -> int:
        if tick in (3, 7):
            game.call_soon(lambda: ticks.append(game.tick))
        return 0

    game.wall = wall
    game.took = took
    HeadlessLoop(game, "max", clock=wall.now, sleep=wall.sleep).run(20)
    assert ticks == [3, 7]


def test_a_paused_game_at_full_speed_waits_for_a_call(make: Make) -> None:
    wall = Wall()
    game = Stamped(drawing=False)
    game.wall = wall
    game.took = lambda tick: setattr(game.timestep, "paused", tick == 5) or 0
    sleeps = []

    def sleep(seconds: float) -> None:
        sleeps.append(seconds)
        wall.sleep(seconds)
        game.call_soon(lambda: setattr(game.timestep, "paused", False))

    HeadlessLoop(game, "max", clock=wall.now, sleep=sleep).run(20)
    assert game.tick == 20
    assert sleeps == [pytest.approx(1 / 60)]


@pytest.mark.parametrize("rate", ["real", "max"])
def test_an_error_of_the_game_reaches_the_caller(rate: str) -> None:
    def fails(tick: int) -> int:
        if tick == 3:
            raise RuntimeError("three")
        return 0

    with pytest.raises(RuntimeError, match="three"):
        served(Wall(), 9, took=fails, rate=rate)


def test_bad_arguments_are_refused(make: Make) -> None:
    game = fw.Game(drawing=False)
    with pytest.raises(ValueError, match=r"^rate: .*real.*max"):
        HeadlessLoop(game, "fast")
    with pytest.raises(TypeError, match=r"^game: "):
        HeadlessLoop(fw.Game)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^game_class: "):
        fw.serve(game)  # type: ignore[arg-type]
    with pytest.raises((TypeError, ValueError), match=r"^ticks: "):
        HeadlessLoop(game).run(-1)
    with pytest.raises(FrameworkError, match=r"^save: Plain has no method save"):
        fw.serve(type("Plain", (fw.Game,), {"save": None}), save="x")


# -- signals, and the command line -----------------------------------------------------------------


class Saves(fw.Game):
    """A game that receives a signal in its seventh tick, and has a method that saves it."""

    signal_number = signal.SIGTERM
    saved: Any = None
    last = 0

    def update(self, dt: float) -> None:
        Saves.last = self.tick
        if self.tick == 7:
            os.kill(os.getpid(), self.signal_number)

    def save(self, path: Any) -> None:
        Saves.saved = path, self.tick


@pytest.mark.skipif(sys.platform == "win32", reason="signals end the process there")
@pytest.mark.parametrize("rate", ["real", "max"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_game_within_a_tick_and_saves_it(number: int, rate: str) -> None:
    kind: Any = type("Saves", (Saves,), {"signal_number": number})
    before = signal.getsignal(number)
    Saves.saved = None
    if number == signal.SIGINT:
        with pytest.raises(KeyboardInterrupt):
            fw.serve(kind, rate=rate, save="there", tick_rate=1000)
    else:
        fw.serve(kind, rate=rate, save="there", tick_rate=1000)
    assert Saves.saved == ("there", 7)
    assert Saves.last == 7
    assert signal.getsignal(number) is before


def test_a_game_that_cannot_be_saved_is_refused_at_the_start(tmp_path: Path) -> None:
    class Score(fw.Scene):
        saved = ("points",)
        points = 3

    class Keeps(fw.Game):
        early = True

        def setup(self) -> None:
            if self.early:
                self.push(Score())

    fw.serve(Keeps, rate="max", ticks=1, save=tmp_path / "kept")
    assert (tmp_path / "kept").exists()
    Keeps.early = False
    with (
        pytest.raises(fw.FrameworkError, match="Keeps declares nothing to be saved"),
        pytest.warns(
            RuntimeWarning,
            match="neither Keeps nor a scene that is on declares anything to be saved",
        ),
    ):
        fw.serve(Keeps, rate="max", ticks=1, save=tmp_path / "none")


def test_a_game_can_be_served_in_another_thread() -> None:
    records = []

    class Short(fw.Game):
        def update(self, dt: float) -> None:
            records.append(threading.current_thread())

    thread = threading.Thread(target=lambda: fw.serve(Short, rate="max", ticks=3))
    thread.start()
    thread.join()
    assert records == [thread] * 3


def test_a_class_with_its_own_init_can_be_served() -> None:
    records = []

    class Own(fw.Game):
        def __init__(self) -> None:
            super().__init__(size=(30, 20), headless=True)

        def setup(self) -> None:
            records.append((self.drawing, self.size))

    fw.serve(Own, rate="max", ticks=1)
    assert records == [(False, (30, 20))]


FILE = """
import framework as fw

class Counts(fw.Game):
    def update(self, dt):
        if self.tick == 5:
            print("five", self.drawing, *__import__("sys").argv[1:])

    def save(self, path):
        __import__("pathlib").Path(path).write_text(str(self.tick))

if __name__ == "__main__":
    fw.run(Counts, headless=True, samples=4)
"""


def test_the_serve_command_runs_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "game.py").write_text(FILE)
    file = str(tmp_path / "game.py")
    saved = tmp_path / "kept"
    command = ["serve", file, "--rate", "max", "--ticks", "20", "--save", str(saved), "more"]
    assert cli.main(command) == 0
    assert capsys.readouterr().out.startswith("five False more\n")
    assert saved.read_text() == "20"
    assert cli.main(["serve", file, "--port", "0", "--ticks", "2"]) == 0
    assert "listening on UDP port " in capsys.readouterr().out
    assert cli.main(["serve", file, "--port", "0", "--rate", "max"]) == 2
    assert cli.main(["serve", str(tmp_path / "none.py")]) == 2
    assert cli.main(["serve", file, "--save", str(tmp_path / "no" / "where")]) == 2
    assert "cannot be written" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        cli.main(["serve", file, "--rate", "fast"])


def test_without_drawing_a_batch_has_only_previous_and_current_columns(make: Make) -> None:
    game = make(drawing=False)
    batch = game.add(fw.SpriteBatch(solid(2, 2), count=2))
    batch.position[:] = 3
    game.advance(1 / 60)
    batch.position[:] = 5
    game.systems.add("ai", lambda dt: batch.position.__iadd__(1))
    game.advance(1 / 60)
    assert np.array_equal(batch.transforms.pose(1.0)[0], [[6, 6]] * 2)
