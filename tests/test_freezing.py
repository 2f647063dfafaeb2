"""Packed games: included files, the comparison of both runs, the start of a packed game, and its
error screen. Only `.ci/frozen` really packs a game, at night.
"""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PIL import Image
from programs import run_python

import framework as fw
from framework import resources
from framework.assets import palettes
from framework.game.development_run import DevelopmentSession
from framework.game.shipping import Shipped
from framework.models import model
from framework.text import fonts
from framework.tiles import map_loading
from framework.tools import cli, freezing, frozen
from framework.tools.freezing import Checked, FreezeArguments
from framework.tools.gamefiles import CommandError
from framework.tools.project import Project, project_folder

GAME = """
from pathlib import Path

import framework as fw
from framework import collide


class Walk(fw.Game):
    saves_folder = "Long Walk"

    def setup(self):
        self.hero = self.sprites.add("art/hero.png", position=(20, 20))
        self.level = (Path(__file__).parent / "levels" / "one.dat").read_text()
        self.start(self.walk())

    async def walk(self):
        while True:
            self.hero.x += 1
            await self.ticks(1)


if __name__ == "__main__":
    fw.run(Walk, size=(64, 48), title="The Walk")
"""


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """A game with an image, a level, and many files that do not belong to it."""
    folder = tmp_path / "walk"
    for name in ("art", "levels", "dist", "tests", ".git", "env"):
        (folder / name).mkdir(parents=True)
    Image.fromarray(np.full((8, 8, 4), 255, np.uint8)).save(folder / "art" / "hero.png")
    (folder / "levels" / "one.dat").write_text("#..#")
    for name in ("dist/a.png", "tests/b.png", ".git/c.png", "env/d.png", "notes.docx", "help.txt"):
        (folder / name).write_text("x")
    (folder / "env" / "pyvenv.cfg").write_text("")
    (folder / "game.py").write_text(GAME)
    return folder / "game.py"


def arguments(**options: Any) -> FreezeArguments:
    values: dict[str, Any] = dict.fromkeys(("game", "name", "version", "icon"))
    values |= {"files": [], "modules": [], "output": "dist", "frames": 5}
    return SimpleNamespace(**values | {"debug": False, "progress": False} | options)  # type: ignore[return-value]


def report(game: Path, *opened: str | Path, **values: Any) -> dict[str, Any]:
    """Return the report of a game that has opened some files."""
    names = [str(game.parent / name) for name in opened]
    plain = {"title": "The Walk", "icon": None, "saves_folder": "Long Walk", "modules": {}}
    return {**plain, "opened": names, "hash": "1f", "ticks": 5, "drawing": False} | values


def names_in(game: Path, plan: freezing.Plan) -> list[str]:
    return sorted(path.relative_to(game.parent).as_posix() for path in plan.files)


# -- included files --------------------------------------------------------------------------------


def test_images_texts_and_opened_files_are_included(game: Path) -> None:
    plan = freezing.planned(game, Project(), arguments(), report(game, "levels/one.dat", "game.py"))
    assert names_in(game, plan) == ["art/hero.png", "help.txt", "levels/one.dat"]
    assert (plan.title, plan.version, plan.slug) == ("The Walk", "1.0", "the-walk")
    assert plan.archive.startswith("the-walk-1.0-")


def test_files_of_every_format_that_the_framework_reads_are_included(game: Path) -> None:
    endings = [*map_loading.ENDINGS, *model.ENDINGS, *fonts.ENDINGS, *palettes.TEXT_ENDINGS]
    files = {f"file{ending}" for ending in endings} | {"UPPER.OFF"}
    for name in files:
        (game.parent / name).write_text("")
    plan = freezing.planned(game, Project(), arguments(), report(game))
    assert files <= {*names_in(game, plan)}


def test_named_files_replace_the_search(game: Path) -> None:
    plan = freezing.planned(game, Project(files=("levels",)), arguments(), report(game))
    assert names_in(game, plan) == ["levels/one.dat"]
    plan = freezing.planned(game, Project(), arguments(files=["art", "help.txt"]), report(game))
    assert names_in(game, plan) == ["art/hero.png", "help.txt"]


@pytest.mark.parametrize("output", ["out", "."])
def test_hidden_files_and_results_are_not_included_even_if_all_is_named(
    game: Path, output: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(game.parent)
    names = ("art/.cache/a.png", "art/build/b.png", f"{output}/the-walk/c.png")
    for name in names:
        path = game.parent / name
        path.parent.mkdir(parents=True)
        path.write_text("x")
    options = arguments(files=["."], output=output)
    named = freezing.planned(game, Project(), options, report(game))
    expected = ["art/build/b.png", "art/hero.png", "game.py", "help.txt", "levels/one.dat"]
    assert names_in(game, named) == [*expected, "notes.docx", "tests/b.png"]
    beside = freezing.planned(game, Project(), arguments(output=output), report(game))
    assert names_in(game, beside) == ["art/hero.png", "help.txt"]


def test_a_hidden_folder_that_is_named_is_included(game: Path) -> None:
    plan = freezing.planned(game, Project(), arguments(files=[".git"]), report(game))
    assert names_in(game, plan) == [".git/c.png"]


@pytest.fixture
def project_in_a_folder(game: Path) -> Path:
    """The folder of a pyproject.toml. The game is in its subfolder src."""
    folder = game.parent.rename(game.parents[1] / "src")
    game = folder / "game.py"
    (folder.parent / "data").mkdir()
    (folder.parent / "data" / "map.dat").write_text("#")
    (folder.parent / "notes.txt").write_text("secret")
    (folder.parent / "pyproject.toml").write_text(
        '[project]\nversion = "3.4"\n[tool.subtick]\ngame = "src/game.py"\n'
        'title = "Long Way"\nicon = "src/art/hero.png"\nfiles = ["src/art", "data"]\n'
    )
    return folder.parent


@pytest.mark.parametrize("named", [True, False])
def test_a_game_in_a_subfolder_has_the_settings_of_the_folder(
    project_in_a_folder: Path, monkeypatch: pytest.MonkeyPatch, named: bool
) -> None:
    folder = project_in_a_folder
    plans = []

    def stop(plan: freezing.Plan) -> str:
        plans.append(plan)
        raise CommandError("enough")

    monkeypatch.chdir(folder)
    monkeypatch.setattr(freezing, "_check_library", lambda: None)
    game = folder / "src" / "game.py"
    checked = Checked(report(game), folder)
    monkeypatch.setattr(freezing, "_check_run", lambda *arguments: checked)
    monkeypatch.setattr(freezing, "_describe", stop)
    with pytest.raises(CommandError, match="enough"):
        freezing.freeze(arguments(game="src/game.py" if named else None))
    (plan,) = plans
    files = sorted(path.relative_to(folder).as_posix() for path in plan.files)
    assert files == ["data/map.dat", "src/art/hero.png"]
    assert (plan.title, plan.version, plan.icon) == ("Long Way", "3.4", folder / files[1])
    assert "main('src/game.py', 'Long Way', '3.4'," in freezing.start_file(plan)
    spec = freezing.spec_file(plan, folder)
    assert repr((str(game), str(Path("game", "src")))) in spec
    assert repr((str(folder / "data" / "map.dat"), str(Path("game", "data")))) in spec


def test_a_game_in_a_subfolder_without_named_files(project_in_a_folder: Path) -> None:
    folder = project_in_a_folder
    game = folder / "src" / "game.py"
    opened = report(game, "../data/map.dat") | {"opened": [str(folder / "data" / "map.dat")]}
    plan = freezing.planned(game, Project(), arguments(), opened, folder)
    files = [path.relative_to(folder).as_posix() for path in plan.files]
    assert files == ["src/art/hero.png", "src/help.txt", "data/map.dat"]


def test_settings_of_another_game_are_ignored(project_in_a_folder: Path) -> None:
    folder = project_in_a_folder
    assert project_folder(folder / "src" / "game.py") == folder
    assert project_folder(folder / "src" / "other.py") == folder / "src"
    (folder / "pyproject.toml").write_text('[tool.subtick]\ngame = "src/../../x.py"\n')
    (folder.parent / "x.py").write_text(GAME)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        with pytest.raises(CommandError, match=r"x\.py' is not in the folder"):
            freezing.freeze(arguments())


@pytest.fixture
def python_inside(game: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Python in the folder of the game, with the installed package ``tools``."""
    python = game.parent / "python"
    package = python / "lib" / "site-packages" / "tools"
    for name in ("tools.py", "a.png", "names.txt"):
        package.mkdir(parents=True, exist_ok=True)
        (package / name).write_text("Physics")
    (python / "share").mkdir()
    (python / "share" / "b.png").write_text("x")
    monkeypatch.setattr(sys, "prefix", str(python))
    return python


def test_a_python_in_the_folder_is_not_part_of_the_game(game: Path, python_inside: Path) -> None:
    package = python_inside / "lib" / "site-packages" / "tools"
    modules = {
        "tools": str(package / "tools.py"),
        "json": str(python_inside / "lib" / "json.py"),
        "boss": str(game.parent / "boss.py"),
    }
    opened = (package / "names.txt", python_inside / "share" / "b.png")
    plan = freezing.planned(game, Project(), arguments(), report(game, *opened, modules=modules))
    assert names_in(game, plan) == ["art/hero.png", "help.txt"]
    assert plan.modules == ("boss",)
    plan = freezing.planned(game, Project(), arguments(files=["."]), report(game))
    assert not [name for name in names_in(game, plan) if name.startswith(("python", "env"))]
    assert "rapier3d" in freezing._unused_parts(plan)


def test_pyinstaller_ships_the_modules_of_the_game_and_none_of_python(
    game: Path, python_inside: Path
) -> None:
    plan = freezing.planned(game, Project(), arguments(), report(game))
    own = ("boss", str(game.parent / "boss.py"), "PYMODULE")
    installed = [
        ("json", str(python_inside / "lib" / "json.py"), "PYMODULE"),
        ("tools", str(python_inside / "lib" / "site-packages" / "tools.py"), "PYMODULE"),
    ]
    block = SimpleNamespace(scripts=[], pure=[own, *installed], binaries=[], datas=[])
    spec = freezing.spec_file(plan, game.parent)
    names = ("EXE", "PYZ", "COLLECT")
    functions = {name: lambda *values, **options: None for name in names}
    exec(spec, {"Analysis": lambda *values, **options: block, **functions})
    assert block.pure == installed
    assert block.datas == [(str(Path("game", "boss.py")), own[1], "DATA")]


def test_a_game_may_be_in_a_folder_of_python(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", str(game.parents[1]))  # as for /usr/src/walk
    plan = freezing.planned(game, Project(), arguments(), report(game, "levels/one.dat"))
    assert names_in(game, plan) == ["art/hero.png", "help.txt", "levels/one.dat"]


def test_only_the_icon_option_is_relative_to_the_working_directory(
    game: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere" / "art"
    elsewhere.mkdir(parents=True)
    Image.new("RGB", (8, 8)).save(elsewhere / "hero.png")
    monkeypatch.chdir(elsewhere.parent)
    name = "art/hero.png"
    plan = freezing.planned(game, Project(icon=name), arguments(), report(game))
    assert plan.icon == game.parent / name
    plan = freezing.planned(game, Project(), arguments(), report(game, icon=name))
    assert plan.icon == game.parent / name
    plan = freezing.planned(game, Project(), arguments(icon=name), report(game))
    assert plan.icon == elsewhere / "hero.png"
    with pytest.raises(CommandError, match=r"pyproject\.toml: icon: there is no file 'none.png'"):
        freezing.planned(game, Project(icon="none.png"), arguments(), report(game))


def test_the_program_does_not_have_the_name_of_a_device(game: Path) -> None:
    plan = freezing.planned(game, Project(title="Com1"), arguments(), report(game))
    assert (plan.title, plan.slug) == ("Com1", "com1-game")


def test_options_have_priority_over_the_project_and_the_project_over_the_game(game: Path) -> None:
    project = Project(title="Walk On", version="2.1", icon="art/hero.png", modules=("a.b",))
    plan = freezing.planned(game, project, arguments(), report(game))
    assert (plan.title, plan.version, plan.modules) == ("Walk On", "2.1", ("a.b",))
    assert plan.icon == game.parent / "art" / "hero.png"
    options = {"name": "Höhle 3", "version": "3 beta", "modules": ["c"]}
    plan = freezing.planned(game, project, arguments(**options), report(game))
    assert (plan.slug, plan.modules) == ("hohle-3", ("c", "a.b"))
    assert plan.archive.startswith("hohle-3-3-beta-")


def test_modules_of_the_game_and_optional_packages_are_included(game: Path) -> None:
    modules = {
        "__main__": str(game),
        "levels.boss": str(game.parent / "levels" / "boss.py"),
        "trimesh.base": "/usr/lib/python3/trimesh/base.py",
        "numpy": "/usr/lib/python3/numpy/__init__.py",
    }
    plan = freezing.planned(game, Project(), arguments(), report(game, modules=modules))
    assert plan.modules == ("levels.boss", "trimesh")
    spec = freezing.spec_file(plan, game.parent)
    assert "'trimesh'" not in spec.split("EXCLUDED = ")[1].splitlines()[0]
    compile(spec, "game.spec", "exec")
    compile(freezing.start_file(plan), "start_game.py", "exec")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"files": ["arts"]}, "--files: there is no file or folder 'arts'"),
        ({"files": ["../other"]}, "--files: expected a path in "),
        ({"icon": "none.png"}, "--icon: there is no file 'none.png'"),
        ({"icon": __file__}, "--icon: '.*' is not an image"),
        ({"name": "日本"}, "--name: expected at least one letter"),
    ],
)
def test_invalid_options_are_refused(game: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        freezing.planned(game, Project(), arguments(**options), report(game))


def test_a_file_outside_the_folder_of_the_game_is_refused(
    game: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(freezing.tempfile, "gettempdir", lambda: "/nowhere")
    (tmp_path / "shared.png").write_text("x")
    with pytest.raises(CommandError, match=r"The game reads '.*shared\.png', which is not in"):
        freezing.planned(
            game, Project(), arguments(), report(game) | {"opened": [str(tmp_path / "shared.png")]}
        )


def test_a_folder_with_too_many_files_is_refused(
    game: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(freezing, "_MAX_FILES", 5)
    with pytest.raises(CommandError, match=r"more than 5 files.*--files art levels"):
        freezing.files_beside(freezing.GameFolder(game.parent), game.parent)


def test_the_files_and_modules_of_the_framework_are_included() -> None:
    pairs = freezing.files_of_framework()
    names = {Path(folder, Path(path).name).as_posix() for path, folder in pairs}
    assert names >= {
        "framework/shaders/sprites.vert",
        "framework/shaders/include/sprite.glsl",
        "framework/fonts/DejaVuSans.ttf",
        "framework/__init__.pyi",
    }
    assert not [name for name in names if "examples" in name or "templates" in name]
    modules = freezing.modules_of_framework()
    assert {"framework", "framework.input.actions", "framework.tools.frozen"} <= {*modules}
    assert not [name for name in modules if name.startswith(("framework.bench", "framework.learn"))]


def test_pyinstaller_finds_the_hook() -> None:
    (folder,) = freezing.hook_folders()
    names = runpy.run_path(str(Path(folder) / "hook-framework.py"))
    assert names["datas"] == freezing.files_of_framework()
    assert "matplotlib" in names["excludedimports"]
    text = (resources.folder("hooks").parent / "pyproject.toml").read_text(encoding="utf-8")
    assert 'hook-dirs = "framework.tools.freezing:hook_folders"' in text


# -- comparison of both runs -----------------------------------------------------------------------


def checked(tmp_path: Path, name: str, color: int = 0, **values: Any) -> Checked:
    path = tmp_path / f"{name}.png"
    Image.fromarray(np.full((40, 50, 4), color, np.uint8)).save(path)
    return Checked(report(tmp_path, drawing=True, **values), path)


def test_runs_are_equal_or_the_difference_is_named(tmp_path: Path) -> None:
    first = checked(tmp_path, "a")
    freezing.compare(first, checked(tmp_path, "b"))
    with pytest.raises(CommandError, match=r"The state of the packed game is 2e, .* 1f"):
        freezing.compare(first, checked(tmp_path, "c", hash="2e"))
    with pytest.raises(CommandError, match="number of ticks"):
        freezing.compare(first, checked(tmp_path, "d", ticks=4))
    with pytest.raises(CommandError, match=r"100\.0 % of the pixels"):
        freezing.compare(first, checked(tmp_path, "e", color=90))


def test_a_checked_run_plays_the_game_and_writes_a_report(game: Path, tmp_path: Path) -> None:
    result = freezing._check_run(freezing._python_command(game), tmp_path / "a", 4, game)
    assert result.report["ticks"] == 4
    assert (result.report["title"], result.report["saves_folder"]) == ("The Walk", "Long Walk")
    assert str(game.parent / "levels" / "one.dat") in result.report["opened"]
    assert 0 < result.report["first_picture"] < 100
    with Image.open(result.picture) as image:
        assert image.size == (64, 48)


def test_a_game_with_an_error_is_not_packed(
    game: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(game.parent)
    monkeypatch.setattr(freezing, "_check_library", lambda: None)
    game.write_text(GAME.replace("art/hero.png", "art/heroes.png"))
    assert cli.main(["freeze", "--output", "new/out"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("framework: game.py has failed, and nothing was packed.")
    assert "There is no file 'art/heroes.png'" in error
    assert not list(game.parent.glob("new/out/*"))


def test_invalid_files_are_refused(
    game: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(game.parent)
    monkeypatch.setattr(freezing, "_check_library", lambda: None)
    (game.parent / "broken.py").write_text("def (")
    assert cli.main(["freeze", "broken.py"]) == 2
    assert "this is not Python" in capsys.readouterr().err
    assert cli.main(["freeze", "none.py"]) == 2
    assert "There is no file 'none.py'" in capsys.readouterr().err
    assert cli.main(["freeze", "--output", "help.txt/out"]) == 2
    assert "--output: " in capsys.readouterr().err


def test_without_pyinstaller_the_command_says_how_to_install_it(
    game: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(freezing.importlib.util, "find_spec", lambda name: None)
    assert cli.main(["freeze", str(game)]) == 2
    assert "pip install 'subtick[freeze]'" in capsys.readouterr().err


def test_a_folder_that_is_no_packed_game_is_not_replaced(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="is not a packed game"):
        freezing._check_replaceable(tmp_path)
    (tmp_path / "_internal" / "framework").mkdir(parents=True)
    freezing._check_replaceable(tmp_path)


def test_the_zip_file_keeps_permissions_and_links(tmp_path: Path) -> None:
    folder = tmp_path / "walk"
    folder.mkdir()
    (folder / "walk").write_bytes(b"x" * 1000)
    (folder / "walk").chmod(0o755)
    (folder / "link").symlink_to("walk")
    freezing._zip(folder, tmp_path / "walk.zip", progress=False)
    with zipfile.ZipFile(tmp_path / "walk.zip") as archive:
        modes = {info.filename: info.external_attr >> 16 for info in archive.infolist()}
        assert modes == {"walk/walk": 0o100755, "walk/link": 0o120777}
        assert archive.read("walk/link") == b"walk"


# -- the packed program ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("argv", "code"),
    [
        (["-c", "x = 1", "5"], "x = 1"),
        (["-Werror", "-X", "-c", "x"], "x"),
        (["-c"], None),
        (["host", "7000"], None),
        ([], None),
    ],
)
def test_the_program_runs_code_for_the_framework(
    monkeypatch: pytest.MonkeyPatch, argv: list[str], code: str | None
) -> None:
    monkeypatch.setattr(sys, "argv", ["walk", *argv])
    result = frozen._code_to_run(argv)
    assert (None if result is None else result[0]) == code
    if code == "x = 1":
        assert sys.argv == ["-c", "5"]


def test_all_output_is_in_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = Shipped("The Walk", "1.2", tmp_path / "log.txt")
    monkeypatch.setattr(sys, "stdout", None)  # as in a program without a console
    with frozen._logging(shipped):
        print("here we go →")
        assert not sys.stdout.isatty()
    assert sys.stdout is None
    text = (tmp_path / "log.txt").read_text(encoding="utf-8")
    assert text.startswith("The Walk 1.2, subtick ")
    assert text.endswith("here we go →\n")


def test_the_log_is_limited_and_a_closed_file_does_no_harm(tmp_path: Path) -> None:
    with open(tmp_path / "log", "w", encoding="utf-8") as file:
        log = frozen.Log(file, None)
        for _ in range(6):
            log.write("x" * 1_000_000)
    assert (tmp_path / "log").stat().st_size <= 5_000_000
    assert frozen.Log(file, None).write("late") == 4


@pytest.mark.parametrize(
    ("path", "is_strange"),
    [
        (Path("/srv/art/hero.png"), True),
        (Path("/srv/art/.hero.png"), False),
        (Path("/srv/art/hero.so"), False),
        (Path("/usr/share/fonts/any.ttf"), False),
        (Path("/srv/ann/.cache/any.png"), False),
        (Path("/srv/ann/.config/any.png"), False),
        (Path("/srv/ann/art/any.png"), True),
        (Path(tempfile.gettempdir()) / "any.png", False),
        (Path(sys.prefix) / "lib" / "any.png", False),
        (Path(fw.__file__).parent / "any.png", False),
    ],
)
def test_a_warning_names_only_files_of_neither_the_system_nor_python(
    path: Path, is_strange: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "home", lambda: Path("/srv/ann"))
    assert freezing._is_strange(path) == is_strange


def test_a_packed_game_that_fails_leaves_its_error_in_the_log(game: Path, tmp_path: Path) -> None:
    text = GAME.replace("self.hero.x += 1", "self.hero.x += self.steps")
    game.write_text(text.replace("size=(64, 48)", "size=(64, 48), headless=True"))
    code = (
        "import sys; from framework.tools import frozen; sys._MEIPASS = sys.argv.pop(1);"
        "sys.exit(frozen.main('game.py', 'The Walk', '1.2', 'Long Walk', None))"
    )
    (tmp_path / "packed").mkdir()
    game.parent.rename(tmp_path / "packed" / "game")
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path / "data")}
    environment.pop("DISPLAY", None)
    done = run_python(code, str(tmp_path / "packed"), env=environment, cwd=tmp_path)
    assert done.returncode == 1
    text = (tmp_path / "data" / "Long Walk" / "log.txt").read_text(encoding="utf-8")
    assert text.startswith("The Walk 1.2, ")
    assert "AttributeError" in text
    assert "in walk" in text
    assert "AttributeError" in done.stderr


def test_a_packed_game_without_a_display_reports_it(
    game: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("framework.game.window.display_reachable", lambda: False)
    monkeypatch.chdir(tmp_path)
    log = tmp_path / "log.txt"
    with frozen._logging(Shipped("The Walk", "1.2", log)):
        assert frozen._play(game, Shipped("The Walk", "1.2", log)) == 1
    assert "The game needs a display" in log.read_text(encoding="utf-8")


class Fails(fw.Game):
    def update(self, dt: float) -> None:
        raise KeyError("no such door")


def test_the_error_screen_of_a_packed_game(
    make: Callable[..., Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.delenv("SUBTICK_FULL_TRACEBACK", raising=False)
    icon = tmp_path / "icon.png"
    Image.fromarray(np.full((8, 8, 4), 255, np.uint8)).save(icon)
    shipped = Shipped("The Walk", "1.2", tmp_path / "log.txt", icon)
    game = make(Fails, size=(320, 180))
    session = DevelopmentSession(None, shipped=shipped)
    developing = session.attach(game)
    with pytest.raises(KeyError) as caught:
        game.advance(1 / 60)
    assert developing.show(caught.value)
    log = capsys.readouterr().err
    assert "in run_tick" in log  # the log of a packed game contains all calls
    assert "are not shown" not in log
    lines = [line for line, _ in developing._screen.lines]  # type: ignore[union-attr]
    assert lines[0] == "The Walk 1.2 has stopped because of an error."
    assert "C: copy" in lines[1]
    assert "F2" not in lines[1]
    assert str(tmp_path / "log.txt") in lines[2]
    copied: list[str] = []
    monkeypatch.setattr(game.display.window, "set_clipboard_text", copied.append, raising=False)
    for key in (fw.key.F2, fw.key.C):
        game.display.window.dispatch_event("on_key_press", key, 0)
    assert copied[0].startswith("The Walk 1.2, subtick ")
    assert copied[0].endswith("KeyError: 'no such door'\n")
    session.close()


# -- a packed game ---------------------------------------------------------------------------------


@pytest.mark.skipif(not os.environ.get("NEW_EXAMPLES"), reason="takes minutes: at night")
def test_a_game_is_packed_and_plays_elsewhere(game: Path, tmp_path: Path) -> None:
    pytest.importorskip("PyInstaller")
    command = [sys.executable, "-m", "framework", "freeze", str(game), "--output", "out"]
    subprocess.run(command, cwd=tmp_path, check=True)
    (tmp_path / "out" / "the-walk").rename(tmp_path / "moved")
    order = {"frames": 600, "start": time.time(), "picture": str(tmp_path / "p.png")}
    order["report"] = str(tmp_path / "r.json")
    environment = {frozen.CHECK: json.dumps(order), "HOME": str(tmp_path), "PATH": "/nowhere"}
    subprocess.run([str(tmp_path / "moved" / "the-walk")], env=environment, check=True)
    before = freezing._check_run(freezing._python_command(game), tmp_path / "a", 600, game)
    after = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert after["hash"] == before.report["hash"]
