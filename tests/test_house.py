"""Rules for the package: folders, directions of imports, and the files that one frame runs."""

from __future__ import annotations

import ast
import contextlib
import functools
import gc
import itertools
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from glbs import moving
from pictures import solid

import framework as fw

PACKAGE = Path(fw.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
ROOMS = sorted(folder for folder in PACKAGE.iterdir() if (folder / "__init__.py").is_file())


# The folders ("rooms") of the package. A module may import only from its own room and from rooms
# above it in this list. `GROUND` are the modules outside of folders.
ORDER = [
    *[
        "ground",
        "other_engines",
        "coroutines",
        "input",
        "timing",
        "geometry",
        "state",
        "motion",
        "record",
        "physics",
        "assets",
    ],
    *["gpu", "audio", "models", "plane", "space", "watch", "text", "tiles", "particles", "light2d"],
    *["ui", "game", "learn", "sim", "net", "bench", "tools"],
]
# Two rooms of one set do not import each other.
SIBLINGS = [
    *[
        {"input", "timing"},
        {"motion", "record"},
        {"physics", "assets"},
        {"gpu", "audio"},
        {"gpu", "models"},
    ],
    *[{"audio", "models"}, {"audio", "plane"}, {"audio", "space"}],
    *[
        {"plane", "space"},
        {"plane", "watch"},
        {"space", "watch"},
        {"text", "tiles"},
        {"text", "particles"},
    ],
    *[{"text", "light2d"}, {"tiles", "particles"}, {"tiles", "light2d"}, {"particles", "light2d"}],
    {"learn", "sim"},
]
GROUND = {
    "moved_names",
    "errors",
    "optional_packages",
    "checks",
    "colors",
    "arrays",
    "current_game",
    "moved",
    "resources",
    "version",
    "screen_mapping",
    "__init__",
    "__main__",
}
# Modules that load pyglet or OpenGL when they are imported, which a server does not have. The
# rooms before `gpu` have no such module.
WITH_GL = {"game.window", "game.window_loop"}


def name_of(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


@functools.cache
def tree(path: Path) -> ast.Module:
    with uncollected():
        return ast.parse(path.read_text(encoding="utf-8"))


@functools.cache
def nodes(path: Path) -> list[ast.AST]:
    """Return the nodes of a module as `ast.walk` does, but without the shared nodes of operators
    and contexts.
    """
    result: list[ast.AST] = [tree(path)]
    with uncollected():
        for node in result:
            for name in node._fields:
                value = getattr(node, name, None)
                if isinstance(value, list):
                    result += [inner for inner in value if isinstance(inner, ast.AST)]
                elif isinstance(value, ast.AST) and name not in ("ctx", "op"):
                    result.append(value)
    return result


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Disable garbage collection: it would take longer than the creation of a million nodes."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@pytest.fixture(autouse=True, scope="module")
def _clear_caches() -> Iterator[None]:
    """Delete the million nodes after these tests, so that collections in other tests stay fast."""
    yield
    nodes.cache_clear()
    tree.cache_clear()


# -- folders ---------------------------------------------------------------------------------------


@pytest.mark.repository
def test_a_modules_name_is_unique_in_the_package() -> None:
    named = Counter(path.stem for path in MODULES if not path.stem.startswith("__"))
    assert {name for name, count in named.items() if count > 1} == set()


@pytest.mark.repository
@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_a_folder_has_three_modules(room: Path) -> None:
    assert len(list(room.glob("[!_]*.py"))) >= 3


@pytest.mark.repository
@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_a_folder_begins_with_a_docstring_and_has_no_other_code(room: Path) -> None:
    (head,) = tree(room / "__init__.py").body
    assert isinstance(head, ast.Expr)
    assert modules_without_graphics(room) <= {path.stem for path in room.glob("[!_]*.py")}


def modules_without_graphics(room: Path) -> set[str]:
    """Return the modules that the docstring of a room lists as modules without graphics."""
    docstring = ast.get_docstring(tree(room / "__init__.py")) or ""
    if "All modules of this package work without graphics" in docstring:
        return {path.stem for path in room.glob("[!_]*.py")}
    if "No module of this package works without graphics" in docstring:
        return set()
    _, mark, names = docstring.partition("Without graphics: ")
    assert mark, f"{room.name}: expected a line 'Without graphics: …' in the docstring"
    return set(names.removesuffix(".").split())


_WITHOUT_GRAPHICS = """
import importlib, sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("pyglet", "moderngl", "_moderngl"):
            raise ImportError(name)

sys.meta_path.insert(0, Refuse())
for module in sys.argv[1:]:
    importlib.import_module("framework." + module)
    loaded = sorted(name for name in sys.modules if name.startswith("framework.gpu."))
    assert not loaded, f"{module} loads {loaded}"
"""


def test_modules_without_graphics_do_not_load_pyglet_moderngl_or_the_gpu_folder() -> None:
    names = [f"{room.name}.{name}" for room in ROOMS for name in modules_without_graphics(room)]
    assert "tiles.ldtk" in names
    assert "gpu.handover" not in names
    command = [sys.executable, "-c", _WITHOUT_GRAPHICS, *sorted(names)]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr


ARCHITECTURE = (PACKAGE.parent / "docs" / "architecture.md").read_text(encoding="utf-8")


@pytest.mark.repository
def test_the_architecture_page_has_all_rooms_in_the_order_of_imports() -> None:
    rows = [line.split("|")[1] for line in ARCHITECTURE.splitlines() if line.startswith("| `")]
    named = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    assert sorted(named) == sorted(room.name for room in ROOMS)
    for above, below in itertools.combinations(rows, 2):
        for upper, lower in itertools.product(
            *(re.findall(r"`(\w+)`", row) for row in (above, below))
        ):
            assert ORDER.index(upper) < ORDER.index(lower)
    for row in rows:
        for pair in itertools.combinations(re.findall(r"`(\w+)`", row), 2):
            assert set(pair) in SIBLINGS, f"{pair} stand on one line"


@pytest.mark.repository
@pytest.mark.parametrize("page", ["architecture", "extending"])
def test_the_pages_for_maintainers_name_existing_modules_and_tables(page: str) -> None:
    text = (PACKAGE.parent / "docs" / f"{page}.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(\w+/\w+)`", text)) - {"tests/company"}
    assert len(named) > 10
    missing = [name for name in named if not (PACKAGE / f"{name}.py").is_file()]
    assert not missing, f"docs/{page}.md names modules that do not exist: {missing}"
    tables = re.findall(r"`(\w+)` in `(\w+/\w+)`", text)
    absent = [
        f"{name} in {module}"
        for name, module in tables
        if not re.search(rf"\b{name}\b", (PACKAGE / f"{module}.py").read_text(encoding="utf-8"))
    ]
    assert not absent, f"docs/{page}.md names tables or functions that do not exist: {absent}"


@pytest.mark.repository
def test_test_files_are_in_one_folder() -> None:
    folder = Path(__file__).parent
    assert {path.parent for path in folder.rglob("test_*.py")} == {folder}


# -- one frame -------------------------------------------------------------------------------------


class Plain(fw.Game):
    def setup(self) -> None:
        self.batch = self.add(fw.SpriteBatch(solid(8, 8), count=10))

    def update(self, dt: float) -> None:
        self.batch.position[:] += 1


def files_called(call: Callable[[], Any]) -> list[str]:
    """Return the package's files whose functions are called, in the order of calls."""
    files: list[str] = []

    def profile(frame: Any, event: str, argument: Any) -> None:
        path = frame.f_code.co_filename
        if event == "call" and path.startswith(str(PACKAGE)):
            files.append(path)

    before = sys.getprofile()
    gc.disable()  # the frame statistics record collections at any time
    sys.setprofile(profile)
    try:
        call()
    finally:
        sys.setprofile(before)
        gc.enable()
    return [name_of(Path(path)) for path in files]


def test_a_2d_frame_runs_few_files(make: Callable[..., Any]) -> None:
    game = make(Plain)
    gc.collect()  # later collections would be recorded in a frame
    for _ in range(5):
        game.advance(1 / 60)
    files = files_called(lambda: game.advance(1 / 60))
    assert game.tick == 6
    assert "plane/sprite_drawing.py" in files
    assert len(set(files)) <= 8, Counter(files)
    assert sum(file != after for file, after in itertools.pairwise(files)) <= 40, files


# -- imports ---------------------------------------------------------------------------------------


NAMES = sorted(
    ".".join(path.relative_to(PACKAGE).with_suffix("").parts) for path in PACKAGE.rglob("*.py")
)


def room(module: str) -> str:
    """Return the room of a module name such as "plane.sprites"."""
    first = module.partition(".")[0]
    return first if first in ORDER else "ground"


def statements(tree: Any) -> Iterator[ast.AST]:
    """Yield all statements of a module, nested ones too: there are far fewer statements than
    nodes.
    """
    for inner in [
        *getattr(tree, "body", ()),
        *getattr(tree, "orelse", ()),
        *getattr(tree, "finalbody", ()),
    ]:
        yield inner
        yield from statements(inner)
    for inner in [*getattr(tree, "handlers", ()), *getattr(tree, "cases", ())]:
        yield from statements(inner)


@functools.cache
def imports(module: str) -> list[tuple[str, bool]]:
    """Return the imported names, each with True for ours, such as "plane.sprites".

    Imports for type checkers count too.
    """
    return list(_imports(module))


def _imports(module: str) -> Iterator[tuple[str, bool]]:
    path = PACKAGE / (module.replace(".", "/") + ".py")
    for node in statements(tree(path)):
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
                yield (inner if inner in NAMES else ours or "__init__"), True


@pytest.mark.repository
def test_every_module_belongs_to_a_room() -> None:
    assert {module for module in NAMES if "." not in module} <= GROUND
    assert {room(module) for module in NAMES} <= set(ORDER)
    assert {module for module in NAMES if module.count(".") > 1} == set()


@pytest.mark.repository
def test_imports_go_only_to_earlier_rooms() -> None:
    wrong = []
    for module in set(NAMES) - {"__init__", "__main__"}:
        own = room(module)
        for target_room in {room(name) for name, is_ours in imports(module) if is_ours} - {own}:
            if ORDER.index(target_room) > ORDER.index(own) or {own, target_room} in SIBLINGS:
                wrong.append(f"{module} imports from {target_room}")
    assert wrong == []


@pytest.mark.repository
def test_there_are_no_import_cycles() -> None:
    below = {
        module: {name for name, ours in imports(module) if ours} - {"__init__"} for module in NAMES
    }
    done: set[str] = set()
    while below:
        free = [module for module, names in below.items() if names <= done]
        assert free, f"in circles: {sorted(below)}"
        done.update(free)
        for module in free:
            del below[module]


_NO_GL = """
import importlib, sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("pyglet", "moderngl", "_moderngl"):
            raise ImportError(f"{name} is imported")

sys.meta_path.insert(0, Refuse())
for module in sys.argv[2:]:
    importlib.import_module("framework." + module)

import framework as fw

model = fw.Model(sys.argv[1])
assert model.triangle_count and model.animations["Wave"].duration == 2
nodes = fw.Nodes3D()
turret = nodes.add(nodes.add(position=(1, 2, 3)), position=(0, 1, 0))
flat, deep = fw.Transforms2D(), fw.Transforms3D()
for transforms in (flat, deep):
    transforms.extend(2)
calls, schedule = [], fw.Schedule()
schedule.interval(calls.append, 1 / 30)
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


def test_only_windows_and_tools_load_pyglet_or_opengl(tmp_path: Path) -> None:
    """Without both packages, models load, hierarchies move, schedules run and transforms
    interpolate.
    """
    pure = [
        m
        for m in NAMES
        if m not in WITH_GL and room(m) not in ("bench", "tools") and not m.startswith("__")
    ]
    assert "gpu.handover" in pure
    model = moving().glb(tmp_path / "arm.glb")
    command = [
        sys.executable,
        "-c",
        _NO_GL,
        str(model),
        *[module.removesuffix(".__init__") for module in pure],
    ]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr


@pytest.mark.repository
def test_the_search_for_imports_finds_all_kinds() -> None:
    assert set(imports("game.scene")) >= {("timing.schedule", True), ("numpy", False)}
    assert ("assets.images", True) in set(imports("plane.sprites"))  # from ..assets import images
    assert ("errors", True) in set(imports("gpu.atlas"))  # from framework.errors import …
    assert ("bench.bench", True) in set(imports("tools.bench_commands"))  # within a function
