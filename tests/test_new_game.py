"""Templates of new games: each is made, played by its own tests, and looked at; and `framework new`
refuses what it cannot make, without leaving anything behind."""

from __future__ import annotations

import importlib.util
import inspect
import json
import os
import re
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from pictures import colors_in

from framework import resources
from framework.tools import cli, new_game, project
from framework.tools.gamefiles import CommandError, compiled

TEMPLATES = resources.folder("templates")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def loaded(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


# The first also with other versions of Python and of packages; the others use nothing that other
# tests do not try with them.
PLAYED = [
    new_game.KINDS[0],
    *(pytest.param(kind, marks=pytest.mark.repository) for kind in new_game.KINDS[1:]),
]


@pytest.fixture(scope="module", params=PLAYED)
def kind(request: pytest.FixtureRequest) -> Iterator[str]:
    """Each template in turn, as the modules ``game`` and ``test_game``."""
    folder = TEMPLATES / request.param
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "game", None)
        patch.setitem(sys.modules, "test_game", None)
        loaded("game", folder / "game.py")
        loaded("test_game", folder / "test_game.py")
        yield request.param


def template_tests() -> dict[str, Callable[..., Any]]:
    functions = vars(sys.modules["test_game"]).items()
    return {name: value for name, value in functions if name.startswith("test_")}


@pytest.mark.repository  # the fixture `play` needs an installed package
@pytest.mark.usefixtures("no_open_game")
def test_the_tests_of_a_template_pass(
    kind: str, request: pytest.FixtureRequest, play: Callable[..., Any]
) -> None:
    tests = template_tests()
    assert len(tests) >= 5
    for test in tests.values():
        marks = getattr(test, "pytestmark", [])
        cases = [(mark.args[0], value) for mark in marks for value in mark.args[1]] or [None]
        for case in cases:
            arguments = {} if case is None else {case[0]: case[1]}
            for name in inspect.signature(test).parameters:
                if name not in arguments:
                    arguments[name] = request.getfixturevalue(name)
            test(**arguments)


@pytest.mark.repository
@pytest.mark.parametrize("kind_name", new_game.KINDS)
def test_a_template_has_art_a_docstring_and_the_placeholders(kind_name: str) -> None:
    folder = TEMPLATES / kind_name
    source = (folder / "game.py").read_text(encoding="utf-8")
    assert source.startswith('"""')
    assert source.count("Untitled Game") >= 2
    assert (folder / "art" / "icon.png").is_file()
    lines = [line for line in source.splitlines() if len(line) > 100]
    assert lines == []


def test_a_project_has_everything_and_its_game_runs(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["new", "cave-of-ticks"]) == 0
    shown = capsys.readouterr().out
    assert "cd cave-of-ticks\n    framework run\n" in shown
    folder = here / "cave-of-ticks"
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert names >= {
        *("game.py", "test_game.py", "README.md", "pyproject.toml", ".gitignore"),
        *("art/hero.png", "art/icon.png", "levels/1.txt"),
        *(".vscode/launch.json", ".vscode/settings.json", ".github/workflows/tests.yml"),
    }
    settings = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
    assert settings["project"]["name"] == "cave-of-ticks"
    assert settings["project"]["dependencies"] == ["subtick>=0.1"]
    assert settings["tool"]["subtick"]["title"] == "Cave Of Ticks"
    for name in ("launch", "settings", "extensions"):
        json.loads((folder / ".vscode" / f"{name}.json").read_text(encoding="utf-8"))
    for path in folder.rglob("*"):
        if path.suffix in (".py", ".md", ".toml"):
            assert not re.search("(?i)untitled|first paragraph", path.read_text(encoding="utf-8"))
    os.chdir(folder)
    assert cli.main(["run", "--headless", "--frames", "2", "--screenshot", "a.png"]) == 0
    from PIL import Image

    with Image.open("a.png") as image:
        import numpy as np

        assert colors_in(np.asarray(image.convert("RGBA"))) > 100


@pytest.mark.parametrize("kind_name", new_game.KINDS)
def test_each_kind_is_made_without_caches(here: Path, kind_name: str) -> None:
    files = new_game.make_project("my game", kind_name)
    assert Path("game.py") in files
    assert not [path for path in files if "__pycache__" in path.parts or path.suffix == ".pyc"]
    compiled(Path("my game", "game.py"))
    assert 'title="my game"' in Path("my game", "game.py").read_text(encoding="utf-8")
    assert list(here.iterdir()) == [here / "my game"]


BAD = [
    ("", "expected letters"),
    (".", "expected letters"),
    ("..", "expected letters"),
    ("-x", "expected letters"),
    ('a"b', "expected letters"),
    ("a\nb", "expected letters"),
    ("a ", "expected letters"),
    ("日本", "at least one letter a to z"),
    ("x" * 70, "at most 60"),
    ("nul", "a device"),
    *((name, "a device") for name in ("com1", "LPT9", "Aux", "prn")),
    ("Subtick", "a package"),
    ("none/x", "there is no folder"),
]


@pytest.mark.parametrize(("name", "words"), BAD)
def test_a_bad_name_leaves_nothing_behind(here: Path, name: str, words: str) -> None:
    with pytest.raises(CommandError, match=words):
        new_game.make_project(name, "duel")
    assert list(here.iterdir()) == []


def test_an_accent_may_be_a_character_of_its_own(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["new", "ho\u0308hle"]) == 0
    assert [path.name for path in here.iterdir()] == ["h\u00f6hle"]
    assert "cd h\u00f6hle" in capsys.readouterr().out


def test_what_exists_is_not_touched(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "cave").mkdir()
    (here / "file").write_text("x")
    (here / "link").symlink_to("nowhere")
    for name in ("cave", "file", "link"):
        assert cli.main(["new", name]) == 2
        assert f"framework: '{name}' exists already" in capsys.readouterr().err
    assert not list((here / "cave").iterdir())
    assert (here / "file").read_text() == "x"


def test_a_failure_in_the_middle_leaves_nothing_behind(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(new_game, "_fill", full)
    with pytest.raises(CommandError, match="'cave' cannot be made: No space left on device"):
        new_game.make_project("cave", "duel")
    assert list(here.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write")
def test_a_folder_without_rights(here: Path) -> None:
    (here / "closed").mkdir(mode=0o500)
    with pytest.raises(CommandError, match=r"cannot be made: Permission denied"):
        new_game.make_project("closed/cave", "duel")


def test_a_kind_that_is_none_is_answered_with_all(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["new", "x", "--kind", "racing"])
    assert "platformer" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "title", "slug"),
    [
        ("cave-of_ticks", "Cave Of Ticks", "cave-of-ticks"),
        ("Cave of Ticks", "Cave of Ticks", "cave-of-ticks"),
        ("höhle", "Höhle", "hohle"),
        ("x2", "X2", "x2"),
    ],
)
def test_titles_and_slugs(name: str, title: str, slug: str) -> None:
    assert new_game.title_of(name) == title
    assert new_game.slug_of(name) == slug


# -- the game of a folder --------------------------------------------------------------------------

STARTS = "import framework as fw\nfw.run(fw.Game)\n"


def test_the_game_of_a_folder(here: Path) -> None:
    with pytest.raises(CommandError, match="This folder has no game"):
        project.game_here()
    (here / "helper.py").write_text("def run(): pass\n")
    (here / "broken.py").write_text("def (")
    (here / "quest.py").write_text(STARTS)
    assert project.game_here() == Path("quest.py")
    (here / "other.py").write_text(STARTS)
    with pytest.raises(CommandError, match=r"several games; .*: other\.py, quest\.py"):
        project.game_here()
    (here / "main.py").write_text(STARTS)
    assert project.game_here() == Path("main.py")
    (here / "pyproject.toml").write_text('[tool.subtick]\ngame = "other.py"\n')
    assert project.game_here() == Path("other.py")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[tool", "cannot be read"),
        ("[tool]\nsubtick = 3", "expected a table"),
        ("[tool.subtick]\ngmae = 'x'", "unknown name 'gmae'; the names are game, title"),
        ("[tool.subtick]\ntitle = 3", "title: expected a string, got 3"),
        ("[tool.subtick]\nfiles = 'art'", "files: expected a list of strings, got 'art'"),
        ("[tool.subtick]\ngame = 'none.py'", "expected a file, got 'none.py'"),
    ],
)
def test_settings_that_are_not_valid(here: Path, text: str, words: str) -> None:
    (here / "pyproject.toml").write_text(text)
    with pytest.raises(CommandError, match=words):
        project.game_here()


def test_other_projects_have_no_settings(here: Path) -> None:
    assert project.read_project(here) == project.Project()
    (here / "pyproject.toml").write_text("[project]\nname = 'x'\nversion = '2.1'\n")
    assert project.read_project(here) == project.Project(version="2.1")
