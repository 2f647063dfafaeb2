"""The command line: what it finds, runs and refuses, and with which exit status."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from framework import cli, resources
from framework.game import Launch

GAME = """
import sys
import framework as fw

class Square(fw.Game):
    def setup(self):
        import numpy as np
        self.add(fw.SpriteBatch(np.full((20, 20, 4), 255, np.uint8), count=1)).position[:] = 30, 20

    def update(self, dt):
        {update}

if __name__ == "__main__":
    fw.run(Square, size=(60, 40), background=(0, 0, 0))
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def two_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "examples"
    folder.mkdir()
    (folder / "01_square.py").write_text(f'"""A square that stands still.\n\nMore.\n"""\n{GAME.format(update="pass")}')
    (folder / "02_stars.py").write_text('"""Stars: many of them."""\n')
    (folder / "helper.py").write_text("")
    of_the_project = resources.folder
    monkeypatch.setattr(resources, "folder", lambda name: folder if name == "examples" else of_the_project(name))
    return folder


def game_file(folder: Path, update: str = "pass") -> str:
    path = folder / "square.py"
    path.write_text(GAME.format(update=update))
    return str(path)


def test_examples_are_listed_with_number_name_and_sentence(
    two_examples: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["examples"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split(maxsplit=2) == ["1", "square", "A square that stands still."]
    assert lines[1].split(maxsplit=2) == ["2", "stars", "Stars: many of them."]
    assert "helper" not in "".join(lines)


def test_every_example_of_the_project_has_a_sentence() -> None:
    examples = cli.examples()
    assert [example.number for example in examples] == list(range(1, len(examples) + 1))
    assert all(example.sentence.endswith(".") for example in examples)


@pytest.mark.parametrize("name", ["2", "02", "stars", "STARS", "02_stars"])
def test_an_example_is_found_by_number_name_and_stem(two_examples: Path, name: str) -> None:
    assert cli.find_game(name) == (two_examples / "02_stars.py", "stars")


def test_an_unknown_name_is_answered_with_the_nearest(two_examples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["run", "sqaure"]) == 2
    streams = capsys.readouterr()
    assert streams.err == "framework: There is no example 'sqaure'. Nearest: square.\n"
    assert streams.out == ""


def test_a_name_that_is_near_to_nothing_is_answered_with_all(
    two_examples: Path, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["run", "xyzzy"]) == 2
    assert "There are: square, stars." in capsys.readouterr().err


def test_a_missing_file_is_answered_with_the_nearest_in_its_folder(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game_file(here)
    assert cli.main(["run", "sqaure.py"]) == 2
    assert capsys.readouterr().err == "framework: There is no file 'sqaure.py'. Nearest: square.py.\n"


def test_a_folder_and_a_file_of_another_kind_are_refused(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game_file(here)
    (here / "ship.png").write_bytes(b"\x89PNG")
    assert cli.main(["run", "."]) == 2
    assert "'.' is a folder; give the game's file in it: square.py" in capsys.readouterr().err
    assert cli.main(["run", "ship.png"]) == 2
    assert "'ship.png' is not a Python file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"class Rain(fw.Game:\n    pass\n", "line 1: this is not Python"),
        (b"x = 1\n\x00", "not"),
        (b"\xff\xfe\x00\x01", "not"),
    ],
)
def test_a_file_that_is_not_python_is_refused(
    here: Path, capsys: pytest.CaptureFixture[str], content: bytes, words: str
) -> None:
    (here / "bad.py").write_bytes(content)
    assert cli.main(["run", "bad.py"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("framework: bad.py")
    assert words in error
    assert "Traceback" not in error


def test_a_file_that_starts_no_game_is_told_how_to(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "rain.py").write_text("import framework as fw\n\nclass Rain(fw.Game):\n    pass\n")
    assert cli.main(["run", "rain.py"]) == 2
    error = capsys.readouterr().err
    assert "rain.py has run and started no game" in error
    assert "fw.run(Rain)" in error


def test_run_draws_frames_and_writes_the_picture(here: Path) -> None:
    game_file(here, "assert self.tick <= 3")
    assert cli.main(["run", "square.py", "--headless", "--frames", "3", "--screenshot", "out.png"]) == 0
    pixels = np.asarray(Image.open(here / "out.png"))
    assert pixels.shape[:2] == (40, 60)
    assert pixels[20, 30, :3].tolist() == [255, 255, 255]
    assert pixels[2, 2, :3].tolist() == [0, 0, 0]


def test_an_example_off_screen_ends_by_itself_and_leaves_a_picture_of_its_name(
    two_examples: Path, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["run", "1", "--headless"]) == 0
    assert (here / "square.png").is_file()
    assert "square.png" in capsys.readouterr().out


def test_frames_that_are_counted_off_screen_leave_a_picture_too(two_examples: Path, here: Path) -> None:
    assert cli.main(["run", "1", "--headless", "--frames", "2"]) == 0
    assert (here / "square.png").is_file()


def test_a_file_runs_as_python_would_run_it(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = here / "game"
    folder.mkdir()
    (folder / "neighbour.py").write_text("name = 'found'\n")
    lines = "import sys, os, neighbour\nprint(sys.argv, sys.path[0], __name__, __file__, neighbour.name)\n"
    (folder / "square.py").write_text(lines + GAME.format(update="pass"))
    path = os.path.join("game", "square.py")
    before = sys.modules["__main__"], list(sys.argv), list(sys.path)
    assert cli.main(["run", path, "--headless", "--frames", "1"]) == 0
    said = capsys.readouterr().out.splitlines()[0]
    assert said == f"{[path]} {folder} __main__ {folder / 'square.py'} found"
    assert (sys.modules["__main__"], sys.argv, sys.path) == before
    del sys.modules["neighbour"]


@pytest.mark.parametrize("order", [["ship.glb", "--frames", "1"], ["--frames", "1", "ship.glb"]])
def test_a_game_finds_further_arguments_in_argv(
    here: Path, order: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    path = game_file(here, update="print(sys.argv[1:])")
    assert cli.main(["run", path, "--headless", *order]) == 0
    assert "['ship.glb']" in capsys.readouterr().out
    for wrong in (["run", path, "--hedless"], ["doctor", "ship.glb"]):
        with pytest.raises(SystemExit) as end:
            cli.main(wrong)
        assert end.value.code == 2
        assert f"unrecognized arguments: {wrong[-1]}" in capsys.readouterr().err


def test_what_was_asked_of_one_run_is_forgotten_after_it(here: Path) -> None:
    cli.main(["run", game_file(here), "--headless", "--frames", "1", "--screenshot", "out.png"])
    assert (Launch.headless, Launch.frames, Launch.screenshot, Launch.name) == (None, None, None, None)


def test_an_error_in_the_game_shows_the_games_own_traceback(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["run", game_file(here, "self.speed / 0"), "--headless", "--frames", "1"]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert f'File "{here / "square.py"}", line 14, in <module>' in lines[1]
    assert "cli.py" not in "".join(lines)
    assert lines[-1].startswith("AttributeError: 'Square' object has no attribute 'speed'")


def test_an_error_of_the_frameworks_is_one_message_and_the_place(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["run", game_file(here, "self.sprites.add('shipp.png')"), "--headless", "--frames", "1"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("framework: AssetError: ")
    assert "square.py, line 11, in update: self.sprites.add('shipp.png')" in error
    assert "Traceback" not in error


@pytest.mark.parametrize(("statement", "status"), [("sys.exit(3)", 3), ("sys.exit('gone')", 1), ("sys.exit()", 0)])
def test_the_games_own_exit_status_is_passed_on(here: Path, statement: str, status: int) -> None:
    assert cli.main(["run", game_file(here, statement), "--headless", "--frames", "1"]) == status


def test_an_interrupt_before_the_game_runs_gives_130(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "slow.py").write_text("raise KeyboardInterrupt\n")
    assert cli.main(["run", "slow.py"]) == 130
    assert capsys.readouterr().err == "framework: interrupted\n"


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
def test_ctrl_c_ends_a_running_game_with_130(here: Path) -> None:
    path = game_file(here, "self.tick == 1 and print('running', flush=True)")
    root = str(Path(cli.__file__).parent.parent)
    command = [sys.executable, "-m", "framework", "run", path, "--headless", "--frames", "1000000000"]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = [process.stdout.readline(), process.stdout.readline()]
        process.send_signal(signal.SIGINT if "running\n" in said else signal.SIGKILL)
        _, error = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "interrupted" in error
    assert "Traceback" not in error


@pytest.mark.parametrize("frames", ["0", "-1", "many", "1.5"])
def test_frames_must_be_a_whole_number_above_0(capsys: pytest.CaptureFixture[str], frames: str) -> None:
    with pytest.raises(SystemExit) as end:
        cli.main(["run", "1", "--frames", frames])
    assert end.value.code == 2
    assert f"--frames: expected a whole number of at least 1, got {frames!r}" in capsys.readouterr().err


def test_without_a_command_the_help_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([]) == 0
    said = capsys.readouterr().out
    for command in ("run", "examples", "bench", "doctor"):
        assert command in said


def test_an_unknown_command_gives_2() -> None:
    with pytest.raises(SystemExit) as end:
        cli.main(["sprites"])
    assert end.value.code == 2


def test_a_benchmark_that_cannot_write_its_figures_does_not_begin(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for option in (["--json", "no/such/folder.json"], ["--json", str(here)]):
        assert cli.main(["bench", "loop", *option]) == 2
        assert f"{option[1]!r} cannot be written" in capsys.readouterr().err


def test_the_benchmarks_write_their_figures(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["bench", "sprites", "--count", "20", "30", "--frames", "2", "--json", "figures.json"]) == 0
    streams = capsys.readouterr()
    assert "20" in streams.out
    assert (here / "figures.json").read_text().startswith("{")
    assert streams.err == ""  # no progress bar where there is no terminal


@pytest.mark.skipif(sys.platform == "win32", reason="pipes end otherwise there")
def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    root = str(Path(cli.__file__).parent.parent)
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "framework", "examples"],
        cwd=root,
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writer)
    assert done.returncode == 141
    assert done.stderr == ""


def test_it_runs_as_a_module() -> None:
    root = str(Path(cli.__file__).parent.parent)
    done = subprocess.run(
        [sys.executable, "-m", "framework", "--version"], cwd=root, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("subtick ")
