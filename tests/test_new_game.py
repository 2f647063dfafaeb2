"""The command `framework new`: its templates pass their own tests, and bad names are refused."""

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
from framework.tools.package_source import requirement_end

TEMPLATES = resources.folder("templates")


@pytest.fixture
def in_tmp_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def load_module(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


# Only the first template also runs with other versions of Python and of packages. Other tests try
# all that the rest use.
TEMPLATE_KINDS = [
    new_game.KINDS[0],
    *(pytest.param(kind, marks=pytest.mark.repository) for kind in new_game.KINDS[1:]),
]


@pytest.fixture(scope="module", params=TEMPLATE_KINDS)
def kind(request: pytest.FixtureRequest) -> Iterator[str]:
    """Load each template in turn, as the modules ``game`` and ``test_game``."""
    folder = TEMPLATES / request.param
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "game", None)
        patch.setitem(sys.modules, "test_game", None)
        load_module("game", folder / "game.py")
        load_module("test_game", folder / "test_game.py")
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


def test_a_new_project_has_all_files_and_its_game_runs(
    in_tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["new", "cave-of-ticks"]) == 0
    output = capsys.readouterr().out
    assert "cd cave-of-ticks\n    framework run\n" in output
    folder = in_tmp_path / "cave-of-ticks"
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert names >= {
        *("game.py", "test_game.py", "README.md", "pyproject.toml", ".gitignore"),
        *("art/hero.png", "art/icon.png", "levels/1.txt"),
        *(".vscode/launch.json", ".vscode/settings.json", ".github/workflows/tests.yml"),
    }
    settings = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
    assert settings["project"]["name"] == "cave-of-ticks"
    assert settings["project"]["dependencies"] == [f"subtick{requirement_end()}"]
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
def test_a_new_project_of_each_kind_has_no_caches(in_tmp_path: Path, kind_name: str) -> None:
    files = new_game.make_project("my game", kind_name)
    assert Path("game.py") in files
    assert not [path for path in files if "__pycache__" in path.parts or path.suffix == ".pyc"]
    compiled(Path("my game", "game.py"))
    assert 'title="my game"' in Path("my game", "game.py").read_text(encoding="utf-8")
    assert list(in_tmp_path.iterdir()) == [in_tmp_path / "my game"]


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
def test_a_bad_name_leaves_no_files(in_tmp_path: Path, name: str, words: str) -> None:
    with pytest.raises(CommandError, match=words):
        new_game.make_project(name, "duel")
    assert list(in_tmp_path.iterdir()) == []


def test_an_accent_may_be_a_combining_character(
    in_tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["new", "ho\u0308hle"]) == 0
    assert [path.name for path in in_tmp_path.iterdir()] == ["h\u00f6hle"]
    assert "cd h\u00f6hle" in capsys.readouterr().out


def test_existing_files_and_folders_are_not_changed(
    in_tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (in_tmp_path / "cave").mkdir()
    (in_tmp_path / "file").write_text("x")
    (in_tmp_path / "link").symlink_to("nowhere")
    for name in ("cave", "file", "link"):
        assert cli.main(["new", name]) == 2
        assert f"framework: '{name}' exists already" in capsys.readouterr().err
    assert not list((in_tmp_path / "cave").iterdir())
    assert (in_tmp_path / "file").read_text() == "x"


def test_a_full_disk_leaves_no_files(in_tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(new_game, "_fill", full)
    with pytest.raises(CommandError, match="'cave' cannot be made: No space left on device"):
        new_game.make_project("cave", "duel")
    assert list(in_tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write")
def test_a_folder_without_write_permission_is_an_error(in_tmp_path: Path) -> None:
    (in_tmp_path / "closed").mkdir(mode=0o500)
    with pytest.raises(CommandError, match=r"cannot be made: Permission denied"):
        new_game.make_project("closed/cave", "duel")


def test_an_unknown_kind_is_an_error_that_lists_all_kinds(
    capsys: pytest.CaptureFixture[str],
) -> None:
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

GAME_SOURCE = "import framework as fw\nfw.run(fw.Game)\n"


def test_the_game_of_a_folder_is_found_by_its_name_or_settings(in_tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="This folder has no game"):
        project.game_here()
    (in_tmp_path / "helper.py").write_text("def run(): pass\n")
    (in_tmp_path / "broken.py").write_text("def (")
    (in_tmp_path / "quest.py").write_text(GAME_SOURCE)
    assert project.game_here() == Path("quest.py")
    (in_tmp_path / "other.py").write_text(GAME_SOURCE)
    with pytest.raises(CommandError, match=r"several games; .*: other\.py, quest\.py"):
        project.game_here()
    (in_tmp_path / "main.py").write_text(GAME_SOURCE)
    assert project.game_here() == Path("main.py")
    (in_tmp_path / "pyproject.toml").write_text('[tool.subtick]\ngame = "other.py"\n')
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
def test_invalid_settings_are_an_error(in_tmp_path: Path, text: str, words: str) -> None:
    (in_tmp_path / "pyproject.toml").write_text(text)
    with pytest.raises(CommandError, match=words):
        project.game_here()


def test_other_projects_have_no_settings(in_tmp_path: Path) -> None:
    assert project.read_project(in_tmp_path) == project.Project()
    (in_tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\nversion = '2.1'\n")
    assert project.read_project(in_tmp_path) == project.Project(version="2.1")
