"""Files of games: the examples of the project, their names, and how a file is run."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from framework import resources
from framework.tools import cli, gamefiles


def test_every_example_begins_with_a_sentence() -> None:
    examples = gamefiles.examples()
    assert [each.path for each in examples if not each.sentence.endswith(".")] == []


@pytest.mark.parametrize("folder", ["", "tutorial"])
def test_the_numbers_of_a_folder_have_no_gap(folder: str) -> None:
    numbers = [each.number for each in gamefiles.examples() if each.folder.path == folder]
    assert numbers == list(range(1, len(numbers) + 1))


def test_no_two_examples_have_the_same_name() -> None:
    names = [each.command_name for each in gamefiles.examples()]
    assert [name for name in names if names.count(name) > 1] == []
    # The name of a file in one folder does not match a file of another folder.
    for example in gamefiles.examples():
        for name in (example.command_name, f"{example.folder.path}/{example.path.stem}"):
            assert gamefiles.find_game(name.removeprefix("/"))[0] == example.path


def test_the_package_has_all_folders_of_examples() -> None:
    """The wheel has the whole folder ``examples``.

    Every folder of `FOLDERS` must be inside, and not ignored by Git, because hatchling leaves out
    ignored files.
    """
    root = Path(__file__).parent.parent
    if not (root / "pyproject.toml").is_file():
        pytest.skip("not in a copy of the repository")
    targets = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]
    assert targets["targets"]["wheel"]["force-include"]["examples"] == "framework/examples"
    assert "examples" in targets["targets"]["sdist"]["include"]
    ignored = [
        line for line in (root / ".gitignore").read_text("utf-8").split() if "/" in line[:-1]
    ]
    assert all(line.startswith(("/", "native")) for line in ignored)
    for example in gamefiles.examples():
        assert example.path.is_relative_to(root / "examples")


FOLDERS = {
    "03_stars.py": "Stars: many.",
    "helper.py": "A module.",
    "small/tweens.py": "Motion: move with tweens.",
    "small/fonts.py": "Text: write with fonts.",
    "small/_shared.py": "A module.",
    "tutorial/01_stars.py": "An empty window.",
    "tutorial/02_hop.py": "A hero.",
    "games/hop.py": "Hop: five levels.",
}


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, sentence in FOLDERS.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f'"""{sentence}"""\n')
    monkeypatch.setattr(resources, "folder", lambda name: tmp_path)
    return tmp_path


def test_examples_are_found_in_all_folders(folders: Path) -> None:
    names = [each.command_name for each in gamefiles.examples()]
    assert names == ["stars", "hop", "tutorial/stars", "tutorial/hop", "fonts", "tweens"]


@pytest.mark.parametrize(
    ("name", "file"),
    {
        "tweens": "small/tweens.py",
        "small/tweens": "small/tweens.py",
        "Small\\Fonts": "small/fonts.py",
        "stars": "03_stars.py",
        "3": "03_stars.py",
        "hop": "games/hop.py",
        "games/hop": "games/hop.py",
        "tutorial/hop": "tutorial/02_hop.py",
        "tutorial/2": "tutorial/02_hop.py",
        "tutorial/02": "tutorial/02_hop.py",
        "tutorial/02_hop": "tutorial/02_hop.py",
    }.items(),
)
def test_an_example_is_found_with_and_without_its_folder(
    folders: Path, name: str, file: str
) -> None:
    path, short_name = gamefiles.find_game(name)
    assert path == folders / file
    assert short_name == path.stem.lstrip("0123456789_")


@pytest.mark.parametrize("name", ["2", "02_hop", "small/0", "small/hop", "/stars", "_shared", "0"])
def test_a_name_in_another_folder_is_no_example(folders: Path, name: str) -> None:
    with pytest.raises(gamefiles.CommandError, match=r"^There is no example"):
        gamefiles.find_game(name)


def test_the_command_lists_examples_by_folder_and_topic(
    folders: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["examples"]) == 0
    lines = [line.strip() for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert [line.split("  ")[0] for line in lines] == [
        *("3", "Whole games:", "hop", "Steps of the tutorial:", "1", "2"),
        *("Small examples, each on one topic:", "tweens", "fonts"),
        "Run one by its name: framework run stars",
    ]
    assert cli.main(["examples", "TEXT"]) == 0
    assert "fonts" in (text := capsys.readouterr().out)
    assert "tweens" not in text
    assert cli.main(["examples", "xyzzy"]) == 2
    assert "No example has 'xyzzy'" in capsys.readouterr().err


def test_an_unknown_name_is_an_error_with_the_nearest_names(folders: Path) -> None:
    with pytest.raises(gamefiles.CommandError, match=r"stars\. `framework examples` lists 5 more"):
        gamefiles.find_game("xyzzyxyzzy")
    for name in ("twens", "small/twens"):
        with pytest.raises(gamefiles.CommandError, match=r"Nearest: tweens"):
            gamefiles.find_game(name)
    with pytest.raises(gamefiles.CommandError, match=r"Nearest: tutorial/hop"):
        gamefiles.find_game("tutorial/hopp")


@pytest.mark.parametrize("name", ["3", "03", "sprites", "SPRITES", "03_sprites"])
def test_an_example_is_found_by_number_name_and_stem(name: str) -> None:
    assert gamefiles.find_game(name) == (resources.folder("examples") / "03_sprites.py", "sprites")


@pytest.mark.parametrize("name", ["0", "sprite", "nowhere.py", "no/such/folder/game.py", ""])
def test_a_missing_example_or_file_is_an_error_of_one_line(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(gamefiles.CommandError) as caught:
        gamefiles.find_game(name)
    assert "\n" not in str(caught.value)


def test_the_last_game_of_a_file_is_started(tmp_path: Path) -> None:
    file = tmp_path / "rain.py"
    file.write_text("class Base(fw.Game): ...\nclass Rain(fw.Game): ...\nclass Drop: ...\n")
    assert gamefiles.how_to_start(file).endswith("fw.run(Rain)")


def test_a_file_runs_as_main_and_its_exit_status_is_returned(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "ends.py"
    file.write_text("import sys\nprint(__name__, sys.argv[1:])\nsys.exit(4)\n")
    assert gamefiles.execute(gamefiles.compiled(file), file, ["fast"]) == 4
    assert capsys.readouterr().out == "__main__ ['fast']\n"
