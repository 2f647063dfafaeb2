"""The code in README and docs: every block is valid Python, and the programs run."""

from __future__ import annotations

import ast
import linecache
import re
import runpy
import textwrap
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np
import pytest
from pictures import colors_in

import framework as fw
from framework import Shadows

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCKS = [
    pytest.param(block, id=f"{page.name} {number}")
    for page in PAGES
    for number, block in enumerate(
        re.findall(r"(?ms)^```python\n(.*?)^```", page.read_text("utf-8")), 1
    )
]
TESTS = [
    block
    for block in BLOCKS
    if "def test_" in block.values[0] and "import framework" in block.values[0]
]
PROGRAMS = [block for block in BLOCKS if "fw.run(" in block.values[0]]


def with_source(block: str, name: str) -> CodeType:
    """Compile a block with its source: a routine that can be restored needs the source."""
    linecache.cache[name] = len(block), None, block.splitlines(True), name
    return compile(block, name, "exec")


@pytest.mark.repository
def test_every_block_of_code_is_python() -> None:
    wrong = {}
    for block in BLOCKS:
        try:
            ast.parse(textwrap.dedent(block.values[0]))
        except SyntaxError as error:
            wrong[block.id] = str(error)
    assert wrong == {}


@pytest.mark.usefixtures("no_open_game")
@pytest.mark.parametrize("block", PROGRAMS)
def test_every_program_runs_and_draws_an_image(block: str, monkeypatch: pytest.MonkeyPatch) -> None:
    images: list[np.ndarray] = []

    def run(game_class: type[fw.Game], session: object = None, **options: Any) -> None:
        """Run without a session. Other tests start sessions in separate processes."""
        with game_class(**options | {"headless": True, "size": (240, 135)}) as game:
            game.run(2)
            images.append(game.pixels())

    monkeypatch.setattr(fw, "run", run)
    exec(with_source(block, "a program of the docs"), {"__name__": "__main__"})
    assert colors_in(images[0]) > 20


@pytest.mark.parametrize(
    "program", sorted(ROOT.glob("docs/pictures/*.py")), ids=lambda path: path.name
)
def test_the_program_of_an_image_still_draws_it(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fw, "Shadows", lambda **options: Shadows(resolution=256, cascades=1))
    game_class = next(
        kind for kind in runpy.run_path(str(program)).values() if isinstance(kind, type)
    )
    names = game_class.setup.__globals__  # type: ignore[attr-defined]
    names.update({name: few for name, few in {"TICKS": 60}.items() if name in names})
    with game_class(headless=True, size=(160, 90)) as game:
        game.run(1)
        # pixel art has few colors
        pixel_art = "pixel_art=True" in program.read_text(encoding="utf-8")
        assert colors_in(game.pixels()) > (20 if pixel_art else 1000)


@pytest.mark.repository
def test_every_whole_program_starts_its_game() -> None:
    """A reader copies a program and runs it. A class without `fw.run` opens no window."""
    alone = []
    for block in BLOCKS:
        code = block.values[0]
        tree = ast.parse(textwrap.dedent(code))
        if "import framework as fw" not in code:
            continue
        games = [
            node.name
            for node in tree.body
            if isinstance(node, ast.ClassDef) and "fw.Game" in map(ast.unparse, node.bases)
        ]
        used = {
            node.id
            for statement in tree.body
            for node in ast.walk(statement)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        }
        alone += [f"{block.id}: {name}" for name in games if name not in used]
    assert alone == []


def test_the_code_of_the_recording_page_runs() -> None:
    names: dict[str, object] = {}
    for block in BLOCKS:
        if str(block.id).startswith("recording.md"):
            exec(compile(block.values[0], "docs/recording.md", "exec"), names)
    assert names["report"]


@pytest.mark.usefixtures("no_open_game")
@pytest.mark.parametrize("block", TESTS)
def test_every_test_in_the_docs_passes(block: str) -> None:
    names: dict[str, Any] = {"__name__": "tests_of_the_docs"}
    exec(with_source(block, "a test of the docs"), names)
    for name, test in names.items():
        if name.startswith("test_"):
            test()


def test_there_are_programs_and_tests() -> None:
    assert len(PROGRAMS) >= 3
    assert len(TESTS) >= 2
