"""The rules that keep the house in order: few reaches, short functions, unique names, a frame that can be followed."""

from __future__ import annotations

import ast
import functools
import gc
import itertools
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pictures import solid

import framework as fw

PACKAGE = Path(fw.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
ROOMS = sorted(folder for folder in PACKAGE.iterdir() if (folder / "__init__.py").is_file())


def name_of(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


@functools.cache
def nodes(path: Path) -> list[ast.AST]:
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def lines() -> int:
    return sum(path.read_text(encoding="utf-8").count("\n") for path in MODULES)


# -- reaches ---------------------------------------------------------------------------------------------------------


def defined_in(path: Path) -> set[str]:
    """The names that a module gives to functions, classes, attributes of its own objects, variables and slots."""
    names: set[str] = set()
    for node in nodes(path):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name, ctx=ast.Store()):
                names.add(name)
            case ast.Assign(targets=targets):
                names.update(target.id for target in targets if isinstance(target, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name)):
                names.add(name)
            case ast.Constant(value=str(text)) if re.fullmatch(r"_\w+", text):
                names.add(text)
    return names


def reaches(path: Path) -> list[ast.Attribute]:
    """Where a module takes an attribute with one underscore of something else than self or cls."""
    return [
        node
        for node in nodes(path)
        if isinstance(node, ast.Attribute)
        and node.attr.startswith("_")
        and not node.attr.startswith("__")
        and not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"))
    ]


def test_a_thousand_lines_reach_at_most_eight_times_into_other_objects() -> None:
    found = Counter({name_of(path): len(reaches(path)) for path in MODULES})
    assert found.total() <= 8 * lines() / 1000, found.most_common(12)


def test_a_thousand_lines_reach_at_most_twice_for_what_another_module_defines() -> None:
    found = [
        f"{name_of(path)}:{node.lineno} {ast.unparse(node)}"
        for path in MODULES
        for own in [defined_in(path)]
        for node in reaches(path)
        if node.attr not in own
    ]
    assert len(found) <= 2 * lines() / 1000, "\n".join(found)


def test_reaches_are_found(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text("class A:\n    def f(self, other):\n        self._own = other._own + other._strange\n")
    assert [node.attr for node in reaches(path)] == ["_own", "_strange"]
    assert "_own" in defined_in(path)
    assert "_strange" not in defined_in(path)


# -- sizes -----------------------------------------------------------------------------------------------------------


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in nodes(path) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def test_property_accessors_are_at_most_four_per_cent_of_the_lines() -> None:
    found: Counter[str] = Counter()
    for path in MODULES:
        for node in functions(path):
            names = [getattr(decorator, "id", getattr(decorator, "attr", "")) for decorator in node.decorator_list]
            if {"property", "setter", "deleter"} & {*names}:
                found[name_of(path)] += (node.end_lineno or 0) - node.decorator_list[0].lineno + 1
    assert found.total() <= 0.04 * lines(), found.most_common(12)


def test_no_function_is_longer_than_60_lines() -> None:
    long = {
        f"{name_of(path)}: {node.name}": length
        for path in MODULES
        if path.name != "gltf.py"  # the reading of one format, in its order
        for node in functions(path)
        if (length := (node.end_lineno or 0) - node.body[0].lineno + 1) > 60
    }
    assert long == {}


def test_no_class_is_longer_than_400_lines() -> None:
    long = {
        f"{name_of(path)}: {node.name}": length
        for path in MODULES
        if path.name != "gltf.py"
        for node in nodes(path)
        if isinstance(node, ast.ClassDef) and (length := (node.end_lineno or 0) - node.lineno + 1) > 400
    }
    assert long == {}


# -- folders ---------------------------------------------------------------------------------------------------------


def test_a_modules_name_is_unique_in_the_package() -> None:
    named = Counter(path.stem for path in MODULES if not path.stem.startswith("__"))
    assert {name for name, count in named.items() if count > 1} == set()


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_a_folder_has_three_modules(room: Path) -> None:
    assert len(list(room.glob("[!_]*.py"))) >= 3


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_a_folder_begins_with_nothing(room: Path) -> None:
    assert (room / "__init__.py").read_text(encoding="utf-8") == ""


def test_a_test_file_is_named_after_what_it_tests_and_lies_flat() -> None:
    folder = Path(__file__).parent
    assert {path.parent for path in folder.rglob("test_*.py")} == {folder}


# -- one frame -------------------------------------------------------------------------------------------------------


class Plain(fw.Game):
    def setup(self) -> None:
        self.batch = self.add(fw.SpriteBatch(solid(8, 8), count=10))

    def update(self, dt: float) -> None:
        self.batch.position[:] += 1


def files_called(call: Callable[[], Any]) -> list[str]:
    """The package's files in which functions are called meanwhile, call by call."""
    files: list[str] = []

    def profile(frame: Any, event: str, argument: Any) -> None:
        path = frame.f_code.co_filename
        if event == "call" and path.startswith(str(PACKAGE)):
            files.append(path)

    before = sys.getprofile()
    gc.disable()  # the monitor notes collections, whenever they come
    sys.setprofile(profile)
    try:
        call()
    finally:
        sys.setprofile(before)
        gc.enable()
    return [name_of(Path(path)) for path in files]


def test_a_frame_in_the_plane_goes_through_few_files(make: Callable[..., Any]) -> None:
    game = make(Plain)
    gc.collect()  # what is noted of it, is in the frames before
    for _ in range(5):
        game.advance(1 / 60)
    files = files_called(lambda: game.advance(1 / 60))
    assert game.tick == 6
    assert "plane/sprites.py" in files
    assert len(set(files)) <= 8, Counter(files)
    assert sum(file != after for file, after in itertools.pairwise(files)) <= 40, files
