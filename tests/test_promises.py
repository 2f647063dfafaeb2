"""What the whole keeps to: the order of a frame, the same run bit for bit, imports that point one way."""

from __future__ import annotations

import ast
import functools
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from glbs import moving
from pictures import blob
from PIL import Image

import framework as fw

Make = Callable[..., Any]
PACKAGE = Path(fw.__file__).parent

# The rooms of the house: each knows nothing of those below it. `GROUND` are the modules beside them.
ORDER = [
    *["ground", "input", "timing", "geometry", "state", "assets", "physics", "net"],
    *["gpu", "audio", "plane", "space", "watch", "ui", "game", "sim", "tools"],
]
# These know nothing of each other, in either direction.
SIBLINGS = [{"plane", "space"}, {"physics", "net"}, {"audio", "plane"}, {"audio", "space"}]
GROUND = {"errors", "checks", "colors", "arrays", "folders", "resources", "version", "view", "__init__", "__main__"}
# What loads pyglet or GL when it is imported: a server has none of these. Nothing before `gpu` ever does.
WITH_GL = {"game.window", "game.windowed"}


# -- the order of a frame ----------------------------------------------------------------------------------------


def test_a_frame_is_latch_update_hand_over_draw_in_this_order(make: Make) -> None:
    log: list[str] = []

    class Recorded(fw.SpriteBatch):
        def begin_tick(self, dt: float) -> None:
            super().begin_tick(dt)
            log.append("latch")

        def end_tick(self) -> None:
            super().end_tick()
            log.append("tick ends")

        def hand_over(self) -> None:
            before = self.uploaded_bytes
            super().hand_over()
            log.append(f"hand over {self.uploaded_bytes - before}")

        def draw(self) -> None:
            super().draw()
            log.append("batch drawn")

    class Ordered(fw.Game):
        def setup(self) -> None:
            self.batch = self.add(Recorded(blob(), count=2))

        def update(self, dt: float) -> None:
            log.append(f"update, a pressed {self.keys.pressed('a')}")
            self.batch.position[:] += 1

        def draw(self, alpha: float) -> None:
            log.append(f"draw {alpha:.2f}")

    game = make(Ordered, tick_rate=40)
    game.advance(0)
    log.clear()
    game.window.dispatch_event("on_key_press", 97, 0)
    game.advance(0.06)
    tick = ["latch", "update, a pressed 1", "tick ends", "latch", "update, a pressed 0", "tick ends"]
    assert log[:6] == tick
    assert log[6].startswith("hand over ")
    assert log[6] != "hand over 0"
    assert log[7:] == ["batch drawn", "draw 0.40"]

    log.clear()
    game.advance(0.005)  # between two ticks: no latch, no update, and nothing is uploaded
    assert log == ["hand over 0", "batch drawn", "draw 0.60"]

    log.clear()
    game.advance(0.015)  # one state of the column that changed, two rows of x and y in four bytes each, and no more
    assert log == [*tick[3:], "hand over 16", "batch drawn", "draw 0.20"]


def test_what_update_reads_is_never_a_blend(make: Make) -> None:
    class Reads(fw.Game):
        def setup(self) -> None:
            self.ball = self.sprites.add(blob(), position=(0, 50))
            self.read: list[float] = []

        def update(self, dt: float) -> None:
            self.read.append(self.ball.x)
            self.ball.x += 10

    game = make(Reads, tick_rate=10, frame_rate=37)
    game.run(37)
    assert game.read == [10.0 * tick for tick in range(10)]


# -- the same run, bit for bit -----------------------------------------------------------------------------------


class Swarm(fw.Game):
    """Everything at once: random numbers, spawning and removing, input, a scene over it, a camera that follows."""

    def setup(self) -> None:
        self.swarm = self.add(fw.SpriteBatch([blob(), blob(11)], count=30))
        self.swarm.position[:] = self.random.uniform((0, 0), self.size, (30, 2))
        self.leader = self.sprites.add(blob(), position=(100, 50))
        self.camera.follow(self.leader, smoothing=0.5)
        self.score = self.labels.add("0", (5, 5))

    def update(self, dt: float) -> None:
        self.swarm.position[:] += self.random.normal(0, 90 * dt, (len(self.swarm), 2))
        self.swarm.angle[:] += dt
        self.leader.x += (40 + 80 * self.keys["right"]) * dt
        if self.tick % 7 == 0:
            self.swarm.add(1, position=(self.random.uniform(0, 200), 50))
        if self.tick % 11 == 0:
            self.swarm.remove(int(self.random.integers(len(self.swarm))))
        self.score.text = str(len(self.swarm))
        if self.tick == 20:
            self.push(Cloud())


class Cloud(fw.Scene):
    pauses_below = False

    def setup(self) -> None:
        self.left = 15
        self.cloud = self.sprites.add(blob(41, 9), position=self.game.random.uniform((0, 0), (200, 100)))

    def update(self, dt: float) -> None:
        self.left -= 1
        if not self.left:
            self.game.pop()


def played(make: Make, steps: Callable[[Any], None]) -> tuple[bytes, bytes, tuple[float, float]]:
    game = make(Swarm, seed=3)
    steps(game)
    assert game.tick == 60
    return game.pixels().tobytes(), game.swarm.position.tobytes(), game.camera.position


def test_a_run_is_the_same_bit_for_bit_each_time(make: Make) -> None:
    def steps(game: Any) -> None:
        game.run(25)
        game.window.dispatch_event("on_key_press", 0xFF53, 0)
        game.run(20)
        game.window.dispatch_event("on_key_release", 0xFF53, 0)
        game.run(15)

    first, second = played(make, steps), played(make, steps)
    assert first == second
    assert first != played(make, lambda game: game.run(60))  # the key made a difference


_TEN_LINES = """\
import framework as fw


class Rain(fw.Game):
    def setup(self):
        self.drops = self.add(fw.SpriteBatch("drop.png", count=10_000))
        self.drops.position[:] = self.random.uniform((0, 0), self.size, (10_000, 2))

    def update(self, dt):
        self.drops.position[:, 1] -= 300 * dt
        fell = self.drops.position[:, 1] < 0
        self.drops.position[fell, 1] += self.height
        self.drops.teleport(fell)


if __name__ == "__main__":
    fw.run(Rain)
"""

_LAUNCH = """
import runpy, sys
from framework.game.launch import Launch
Launch.headless, Launch.frames, Launch.screenshot = True, 2, sys.argv[2]
runpy.run_path(sys.argv[1], run_name="__main__")
"""


@pytest.fixture
def rain(tmp_path: Path) -> Path:
    """The first program beside its picture."""
    folder = tmp_path / "somewhere"
    folder.mkdir()
    Image.fromarray(np.full((14, 3, 4), (130, 170, 255, 200), np.uint8)).save(folder / "drop.png")
    (folder / "rain.py").write_text(_TEN_LINES)
    return folder / "rain.py"


def test_the_first_program_runs_as_it_stands_twice_with_identical_pictures(rain: Path, tmp_path: Path) -> None:
    pictures = []
    for name in ("one.png", "two.png"):
        command = [sys.executable, "-W", "error", "-c", _LAUNCH, str(rain), str(tmp_path / name)]
        path = os.pathsep.join([str(PACKAGE.parent), os.environ.get("PYTHONPATH", "")])
        done = subprocess.run(
            command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0, done.stderr
        assert "the picture after 2 frames is in" in done.stdout
        pictures.append(np.asarray(Image.open(tmp_path / name)))
    assert pictures[0].shape == (720, 1280, 4)
    assert (pictures[0] == pictures[1]).all()
    # Ten thousand drops of 42 pixels each, at 4/5 of full blue, over a dark background.
    assert 0.2 < (pictures[0][..., 2] > 150).mean() < 0.45


# -- imports -----------------------------------------------------------------------------------------------------


MODULES = sorted(".".join(path.relative_to(PACKAGE).with_suffix("").parts) for path in PACKAGE.rglob("*.py"))


def room(module: str) -> str:
    """The room of a module, as in "plane.sprites"."""
    first = module.partition(".")[0]
    return first if first in ORDER else "ground"


def statements(tree: Any) -> Iterator[ast.AST]:
    """All statements of a module, in whatever others: there are far fewer of them than nodes."""
    for inner in [*getattr(tree, "body", ()), *getattr(tree, "orelse", ()), *getattr(tree, "finalbody", ())]:
        yield inner
        yield from statements(inner)
    for inner in [*getattr(tree, "handlers", ()), *getattr(tree, "cases", ())]:
        yield from statements(inner)


@functools.cache
def imports(module: str) -> list[tuple[str, bool]]:
    """What a module imports, and whether that is ours: then as in "plane.sprites". For type checkers alone counts."""
    return list(_imports(module))


def _imports(module: str) -> Iterator[tuple[str, bool]]:
    path = PACKAGE / (module.replace(".", "/") + ".py")
    for node in statements(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for name in node.names:
                top, _, rest = name.name.partition(".")
                yield (rest or "__init__", True) if top == "framework" else (top, False)
        elif isinstance(node, ast.ImportFrom):
            absolute = node.module or ""
            if node.level:
                here = ["framework", *module.split(".")][: -node.level]
                absolute = ".".join([*here, *filter(None, [node.module])])
            top, _, ours = absolute.partition(".")
            if top != "framework":
                yield top, False
                continue
            for name in node.names:
                inner = f"{ours}.{name.name}" if ours else name.name
                yield (inner if inner in MODULES else ours or "__init__"), True


def test_every_module_is_in_a_room() -> None:
    assert {module for module in MODULES if "." not in module} <= GROUND
    assert {room(module) for module in MODULES} <= set(ORDER)
    assert {module for module in MODULES if module.count(".") > 1} == set()


def test_imports_point_down_the_list_of_rooms() -> None:
    wrong = []
    for module in set(MODULES) - {"__init__", "__main__"}:
        own = room(module)
        for other in {room(name) for name, is_ours in imports(module) if is_ours} - {own}:
            if ORDER.index(other) > ORDER.index(own) or {own, other} in SIBLINGS:
                wrong.append(f"{module} imports from {other}")
    assert wrong == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    below = {module: {name for name, ours in imports(module) if ours} - {"__init__"} for module in MODULES}
    done: set[str] = set()
    while below:
        free = [module for module, names in below.items() if names <= done]
        assert free, f"in circles: {sorted(below)}"
        done.update(free)
        for module in free:
            del below[module]


_NO_GL = """
import importlib, sys

class Refuses:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("pyglet", "moderngl", "_moderngl"):
            raise ImportError(f"{name} is asked for")

sys.meta_path.insert(0, Refuses())
for module in sys.argv[2:]:
    importlib.import_module("framework." + module)

import framework as fw

model = fw.Model(sys.argv[1])
assert model.triangle_count and model.animations["Wave"].duration == 2
nodes = fw.Nodes3D()
turret = nodes.add(nodes.add(position=(1, 2, 3)), position=(0, 1, 0))
flat, deep = fw.Transforms2D(), fw.Transforms3D()
for transforms in (flat, deep):
    transforms.spawn(2)
calls, schedule = [], fw.Schedule()
schedule.schedule_interval(calls.append, 1 / 30)
timestep = fw.FixedTimestep(60)
timestep.advance(0)
for tick in timestep.advance(100_000_000):
    for moved in (nodes, flat, deep):
        moved.begin_tick(tick.dt)
        moved.position[0] += 1
        moved.end_tick()
    schedule.advance(tick.dt)
assert len(calls) == 3
assert turret.drawn_position(0.5) == (6.5, 8.5, 8.5)
assert flat.pose(0.5)[0].tolist() == [[5.5, 5.5], [0, 0]]
assert deep.model_matrices(0.5)[0, 3].tolist() == [5.5, 5.5, 5.5, 1]
assert fw.collide.pairs(deep.position, deep.position + 9).tolist() == [[0, 1]]
assert not {"pyglet", "moderngl"} & set(sys.modules)
"""


def test_nothing_but_windows_and_tools_loads_pyglet_or_gl(tmp_path: Path) -> None:
    """Models load, hierarchies move, schedules run and transforms blend where neither is installed."""
    pure = [m for m in MODULES if m not in WITH_GL and room(m) != "tools" and not m.startswith("__")]
    assert "gpu.handover" in pure
    model = moving().glb(tmp_path / "arm.glb")
    command = [sys.executable, "-c", _NO_GL, str(model), *[module.removesuffix(".__init__") for module in pure]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_walk_over_imports_sees_them_all() -> None:
    assert set(imports("game.scene")) >= {("timing.schedule", True), ("numpy", False)}
    assert ("assets.images", True) in set(imports("plane.sprites"))  # from ..assets import images
    assert ("errors", True) in set(imports("gpu.atlas"))  # from framework.errors import …
    assert ("tools.bench", True) in set(imports("tools.cli"))  # within a function
