"""Games' files: the project's examples, what a name means, and how a file is run."""

from __future__ import annotations

from pathlib import Path

import pytest

from framework import resources
from framework.tools import gamefiles


def test_every_example_has_a_sentence_and_a_number_in_a_row() -> None:
    examples = gamefiles.examples()
    assert [example.number for example in examples] == list(range(1, len(examples) + 1))
    assert all(example.sentence.endswith(".") for example in examples)


@pytest.mark.parametrize("name", ["3", "03", "sprites", "SPRITES", "03_sprites"])
def test_an_example_is_found_by_number_name_and_stem(name: str) -> None:
    assert gamefiles.find_game(name) == (resources.folder("examples") / "03_sprites.py", "sprites")


@pytest.mark.parametrize("name", ["0", "sprite", "nowhere.py", "no/such/folder/game.py", ""])
def test_what_is_not_there_is_one_error_with_near_names(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(gamefiles.CommandError) as caught:
        gamefiles.find_game(name)
    assert "\n" not in str(caught.value)


def test_the_last_game_of_a_file_is_the_one_to_start(tmp_path: Path) -> None:
    file = tmp_path / "rain.py"
    file.write_text("class Base(fw.Game): ...\nclass Rain(fw.Game): ...\nclass Drop: ...\n")
    assert gamefiles.how_to_start(file).endswith("fw.run(Rain)")


def test_a_file_runs_as_main_and_its_status_is_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "ends.py"
    file.write_text("import sys\nprint(__name__, sys.argv[1:])\nsys.exit(4)\n")
    assert gamefiles.execute(gamefiles.compiled(file), file, ["fast"]) == 4
    assert capsys.readouterr().out == "__main__ ['fast']\n"
