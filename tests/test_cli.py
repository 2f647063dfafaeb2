"""The command line: its commands, messages and exit statuses."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from glbs import Builder
from PIL import Image
from programs import run_python

from framework import AssetError, resources
from framework.game import launch
from framework.resources import Reloadable
from framework.tools import cli, gamefiles

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
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make an empty folder the working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def two_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "examples"
    folder.mkdir()
    (folder / "01_square.py").write_text(
        f'"""A square that stands still.\n\nMore.\n"""\n{GAME.format(update="pass")}'
    )
    (folder / "02_stars.py").write_text('"""Stars: many of them."""\n')
    (folder / "helper.py").write_text("")
    of_the_project = resources.folder
    monkeypatch.setattr(
        resources, "folder", lambda name: folder if name == "examples" else of_the_project(name)
    )
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


def test_an_unknown_example_is_an_error_with_the_nearest_name(
    two_examples: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["run", "sqaure"]) == 2
    streams = capsys.readouterr()
    assert streams.err == "framework: There is no example 'sqaure'. Nearest: square.\n"
    assert streams.out == ""


def test_an_unknown_example_without_a_near_name_lists_all(
    two_examples: Path, empty_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["run", "xyzzy"]) == 2
    assert "There are: square, stars." in capsys.readouterr().err


REWOUND = """
print("before", self.recording.rewind)
        if self.tick == 20:
            self.call_soon(self.go)

    def go(self):
        rewind = self.recording.rewind
        print(rewind.ticks, rewind.duration)
        rewind.seek(5)
        rewind.resume()
        print("at", self.tick)
"""


def test_the_rewind_option_adds_a_rewind(
    empty_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = game_file(empty_folder, REWOUND.strip())
    command = ["run", file, "--rewind", "--headless", "--frames", "22", "--record", "a.replay"]
    assert cli.main(command) == 0
    output = capsys.readouterr().out
    assert "range(0, 21) 10" in output
    assert "at 5\n" in output
    assert cli.main(["replay", "a.replay", file, "--verify"]) == 0


def test_an_existing_rewind_is_not_replaced(
    empty_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = game_file(empty_folder, "print(self.recording.rewind)")
    code = (
        Path(file)
        .read_text()
        .replace(
            "import numpy as np",
            "self.recording.rewind = fw.Rewind(duration=3); import numpy as np",
        )
    )
    Path(file).write_text(
        code.replace("print(self.", "print(self.recording.rewind.duration, self.")
    )
    assert cli.main(["run", file, "--rewind", "--headless", "--frames", "3"]) == 0
    assert "3.0 <Rewind" in capsys.readouterr().out


def test_a_game_that_cannot_rewind_is_an_error(
    empty_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pymunk")
    file = game_file(empty_folder)
    code = Path(file).read_text()
    Path(file).write_text(
        code.replace(
            "import numpy as np",
            "self.physics = fw.Physics2D(self, engine='pymunk'); import numpy as np",
        )
    )
    assert cli.main(["run", file, "--rewind", "--headless", "--frames", "3"]) in (1, 2)
    error = capsys.readouterr().err
    assert "--rewind: Square cannot go back to an earlier tick: snapshot: game.physics" in error


def test_errors_list_all_examples_and_a_few_files(
    empty_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(30):
        (empty_folder / f"zz{number:02d}.py").write_text("")
    names = [example.name for example in gamefiles.examples() if not example.folder.path]
    assert len(names) >= 21
    for name in ("xyzzyxyzzy", "xyzzyxyzzy.py"):
        assert cli.main(["run", name]) == 2
        error = capsys.readouterr().err
        assert f"There are: {', '.join(names)}, zz00.py, " in error
        assert "zz11.py, …." in error


def test_a_missing_file_is_an_error_with_the_nearest_name(
    empty_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game_file(empty_folder)
    assert cli.main(["run", "sqaure.py"]) == 2
    assert (
        capsys.readouterr().err == "framework: There is no file 'sqaure.py'. Nearest: square.py.\n"
    )


def test_folders_and_images_are_refused(
    empty_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game_file(empty_folder)
    (empty_folder / "ship.png").write_bytes(b"\x89PNG")
    assert cli.main(["run", "."]) == 2
    assert "'.' is a folder; give the game's file in it: square.py" in capsys.readouterr().err
    assert cli.main(["run", "ship.png"]) == 2
    assert "'ship.png' is not a Python file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"class Rain(fw.Game:\n    pass\n", "line 1: this is not Python"),
        (b"x = 1\n+    self.x += 5\n", 'The line begins with "+": delete the "+".'),
        (b"x = 1\n-    self.x += 5\n", 'The line begins with "-": a diff removes such a line'),
        (b"x = 1\n\x00", "not"),
        (b"\xff\xfe\x00\x01", "not"),
    ],
)
def test_a_file_that_is_not_python_is_refused(
    empty_folder: Path, capsys: pytest.CaptureFixture[str], content: bytes, words: str
) -> None:
    (empty_folder / "bad.py").write_bytes(content)
    assert cli.main(["run", "bad.py"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("framework: bad.py")
    assert words in error
    assert "Traceback" not in error


def test_a_file_that_starts_no_game_is_an_error(
    empty_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (empty_folder / "rain.py").write_text(
        "import framework as fw\n\nclass Rain(fw.Game):\n    pass\n"
    )
    assert cli.main(["run", "rain.py"]) == 2
    error = capsys.readouterr().err
    assert "rain.py ran but did not start a game" in error
    assert "fw.run(Rain)" in error


def test_a_file_that_calls_run_of_its_game_ends_after_the_frames_of_the_command(
    empty_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (empty_folder / "rain.py").write_text(
        "import framework as fw\n\n"
        "class Rain(fw.Game):\n"
        "    def update(self, dt):\n"
        "        assert self.tick <= 3, 'the game goes on'\n\n"
        "Rain(headless=True, size=(40, 30)).run()\n"
    )
    assert cli.main(["run", "rain.py", "--frames", "3"]) == 0
    assert capsys.readouterr().err == ""
    assert cli.main(["run", "rain.py", "--frames", "3", "--screenshot", "a.png"]) == 0
    error = capsys.readouterr().err
    assert "calls Game.run, so --screenshot had no effect" in error
    assert "fw.run(Rain)" in error


def test_run_draws_frames_and_writes_a_screenshot(empty_folder: Path) -> None:
    game_file(empty_folder, "assert self.tick <= 3")
    assert (
        cli.main(["run", "square.py", "--headless", "--frames", "3", "--screenshot", "out.png"])
        == 0
    )
    pixels = np.asarray(Image.open(empty_folder / "out.png"))
    assert pixels.shape[:2] == (40, 60)
    assert pixels[20, 30, :3].tolist() == [255, 255, 255]
    assert pixels[2, 2, :3].tolist() == [0, 0, 0]


def test_a_headless_example_ends_and_writes_an_image(
    two_examples: Path, empty_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["run", "1", "--headless"]) == 0
    assert (empty_folder / "square.png").is_file()
    assert "square.png" in capsys.readouterr().out


def test_an_automatic_screenshot_overwrites_no_file(
    two_examples: Path, empty_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (empty_folder / "square.png").write_bytes(b"the game's own")
    (empty_folder / "square-2.png").symlink_to(empty_folder / "nowhere")
    assert cli.main(["run", "1", "--headless", "--frames", "2"]) == 0
    assert (empty_folder / "square.png").read_bytes() == b"the game's own"
    assert not (empty_folder / "nowhere").exists()
    with Image.open(empty_folder / "square-3.png") as screenshot:
        assert screenshot.size == (60, 40)
    assert "square-3.png" in capsys.readouterr().out
    assert (
        cli.main(["run", "1", "--headless", "--frames", "2", "--screenshot", "square.png"]) == 0
    )  # --screenshot does overwrite
    with Image.open(empty_folder / "square.png") as screenshot:
        assert screenshot.size == (60, 40)


def test_an_unwritable_automatic_screenshot_is_no_failure(
    two_examples: Path,
    empty_folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(
        Image.Image, "save", refuse
    )  # root may write in any folder, whatever its mode
    assert cli.main(["run", "1", "--headless", "--frames", "2"]) == 0
    assert "cannot be written to 'square.png'" in capsys.readouterr().err
    assert not (empty_folder / "square.png").exists()


def test_headless_runs_with_frames_write_an_image(two_examples: Path, empty_folder: Path) -> None:
    assert cli.main(["run", "1", "--headless", "--frames", "2"]) == 0
    assert (empty_folder / "square.png").is_file()


def test_a_file_runs_like_a_python_script(
    empty_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = empty_folder / "game"
    folder.mkdir()
    (folder / "neighbour.py").write_text("name = 'found'\n")
    lines = (
        "import sys, os, neighbour\nprint(sys.argv, sys.path[0], __name__, __file__, "
        "neighbour.name)\n"
    )
    (folder / "square.py").write_text(lines + GAME.format(update="pass"))
    path = os.path.join("game", "square.py")
    before = sys.modules["__main__"], list(sys.argv), list(sys.path)
    assert cli.main(["run", path, "--headless", "--frames", "1"]) == 0
    output = capsys.readouterr().out.splitlines()[0]
    assert output == f"{[path]} {folder} __main__ {folder / 'square.py'} found"
    assert (sys.modules["__main__"], sys.argv, sys.path) == before
    del sys.modules["neighbour"]


@pytest.mark.parametrize("order", [["ship.glb", "--frames", "1"], ["--frames", "1", "ship.glb"]])
def test_further_arguments_are_in_argv(
    empty_folder: Path, order: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    path = game_file(empty_folder, update="print(sys.argv[1:])")
    assert cli.main(["run", path, "--headless", *order]) == 0
    assert "['ship.glb']" in capsys.readouterr().out
    for wrong in (["run", path, "--hedless"], ["doctor", "ship.glb"]):
        with pytest.raises(SystemExit) as end:
            cli.main(wrong)
        assert end.value.code == 2
        assert f"unrecognized arguments: {wrong[-1]}" in capsys.readouterr().err


def test_options_do_not_outlive_their_run(empty_folder: Path) -> None:
    cli.main(
        ["run", game_file(empty_folder), "--headless", "--frames", "1", "--screenshot", "out.png"]
    )
    assert launch._launches == [launch.Launch()]


def test_options_apply_to_a_run_in_a_thread(
    empty_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game = Path(game_file(empty_folder))
    text = game.read_text().replace("    fw.run(", "    run = lambda: fw.run(")
    text += "    import threading\n    thread = threading.Thread(target=run)\n"
    game.write_text(text + "    thread.start()\n    thread.join()\n")
    command = ["run", str(game), "--headless", "--frames", "1", "--screenshot", "out.png"]
    assert cli.main(command) == 0
    assert "the picture after 1 frames is in out.png" in capsys.readouterr().out


def test_an_error_in_the_game_has_a_traceback_of_the_game(
    empty_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        cli.main(["run", game_file(empty_folder, "self.speed / 0"), "--headless", "--frames", "1"])
        == 1
    )
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert f'File "{empty_folder / "square.py"}", line 14, in <module>' in lines[1]
    assert "cli.py" not in "".join(lines)
    assert lines[-1].startswith("AttributeError: 'Square' object has no attribute 'speed'")


def test_an_error_of_the_framework_is_one_message_with_the_line(
    empty_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        cli.main(
            [
                "run",
                game_file(empty_folder, "self.sprites.add('shipp.png')"),
                "--headless",
                "--frames",
                "1",
            ]
        )
        == 2
    )
    error = capsys.readouterr().err
    assert error.startswith("framework: AssetError: ")
    assert "square.py, line 11, in update: self.sprites.add('shipp.png')" in error
    assert "Traceback" not in error


@pytest.mark.parametrize(
    ("statement", "status"), [("sys.exit(3)", 3), ("sys.exit('gone')", 1), ("sys.exit()", 0)]
)
def test_the_exit_status_of_the_game_is_returned(
    empty_folder: Path, statement: str, status: int
) -> None:
    assert (
        cli.main(["run", game_file(empty_folder, statement), "--headless", "--frames", "1"])
        == status
    )


def test_an_interrupt_before_the_game_runs_gives_130(
    empty_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (empty_folder / "slow.py").write_text("raise KeyboardInterrupt\n")
    assert cli.main(["run", "slow.py"]) == 130
    assert capsys.readouterr().err == "framework: interrupted\n"


# Like `python -m framework`, but a background program of a shell would ignore the signal.
_WITH_CTRL_C = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from framework.tools.cli import main
sys.exit(main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
def test_ctrl_c_ends_a_running_game_with_130(empty_folder: Path) -> None:
    path = game_file(empty_folder, "self.tick == 1 and print('running', flush=True)")
    root = str(Path(cli.__file__).parent.parent)
    command = [
        sys.executable,
        "-c",
        _WITH_CTRL_C,
        "run",
        path,
        "--headless",
        "--frames",
        "1000000000",
    ]
    with subprocess.Popen(
        command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline(), process.stdout.readline()]
        process.send_signal(signal.SIGINT if "running\n" in lines else signal.SIGKILL)
        try:
            _, error = process.communicate(timeout=30)
        finally:
            process.kill()
    assert process.returncode == 130
    assert "interrupted" in error
    assert "Traceback" not in error


@pytest.mark.parametrize("frames", ["0", "-1", "many", "1.5"])
def test_frames_must_be_a_whole_number_above_0(
    capsys: pytest.CaptureFixture[str], frames: str
) -> None:
    with pytest.raises(SystemExit) as end:
        cli.main(["run", "1", "--frames", frames])
    assert end.value.code == 2
    assert (
        f"--frames: expected a whole number of at least 1, got {frames!r}"
        in capsys.readouterr().err
    )


def test_without_a_command_the_help_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([]) == 0
    output = capsys.readouterr().out
    for command in ("run", "examples", "bench", "doctor"):
        assert command in output


def test_an_unknown_command_gives_2() -> None:
    with pytest.raises(SystemExit) as end:
        cli.main(["sprites"])
    assert end.value.code == 2


def test_a_benchmark_with_an_unwritable_file_does_not_start(
    empty_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for option in (["--json", "no/such/folder.json"], ["--json", str(empty_folder)]):
        assert cli.main(["bench", "loop", *option]) == 2
        assert f"{option[1]!r} cannot be written" in capsys.readouterr().err


def test_a_benchmark_writes_its_results(
    empty_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        cli.main(
            ["bench", "sprites", "--count", "20", "30", "--frames", "2", "--json", "figures.json"]
        )
        == 0
    )
    streams = capsys.readouterr()
    assert "20" in streams.out
    assert (empty_folder / "figures.json").read_text().startswith("{")
    assert streams.err == ""  # no progress bar without a terminal


@pytest.mark.skipif(sys.platform == "win32", reason="pipes end otherwise there")
def test_a_closed_pipe_has_status_141_without_a_message() -> None:
    root = str(Path(cli.__file__).parent.parent)
    reader, writer = os.pipe()
    os.close(reader)
    completed = subprocess.run(
        [sys.executable, "-m", "framework", "examples"],
        cwd=root,
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writer)
    assert completed.returncode == 141
    assert completed.stderr == ""


def test_the_package_runs_as_a_module() -> None:
    root = str(Path(cli.__file__).parent.parent)
    completed = subprocess.run(
        [sys.executable, "-m", "framework", "--version"],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    assert completed.stdout.startswith("subtick ")


def run_in_shell(
    *arguments: str, redirect: str, **options: object
) -> subprocess.CompletedProcess[str]:
    """Run the command line in a shell, with its output redirected by ``read``."""
    shell = f'"$@" {redirect}; exit ${{PIPESTATUS[0]}}'
    code = "import runpy; runpy.run_module('framework', run_name='__main__', alter_sys=True)"
    env = os.environ | {"PYTHONPATH": str(Path(resources.__file__).parents[1])}
    return run_python(code, *arguments, shell=shell, env=env)


@pytest.mark.skipif(os.name == "nt", reason="needs a shell")
def test_closed_output_causes_no_traceback(empty_folder: Path) -> None:
    """Test `>&-` and `| head -1`, also if the game prints."""
    game = game_file(empty_folder, "print('x' * 5000)")
    for arguments in (["examples"], ["run", game, "--headless", "--frames", "2"]):
        closed = run_in_shell(*arguments, redirect=">&-")
        assert (closed.returncode, closed.stderr) == (0, "")
    cut = run_in_shell("run", game, "--headless", "--frames", "200", redirect="| head -1")
    assert (cut.returncode, cut.stderr) == (141, "")
    assert len(cut.stdout.splitlines()) == 1


def test_a_broken_pipe_in_the_game_is_an_error(
    empty_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        cli.main(
            [
                "run",
                game_file(empty_folder, "raise BrokenPipeError('a server')"),
                "--headless",
                "--frames",
                "2",
            ]
        )
        == 1
    )
    assert "BrokenPipeError: a server" in capsys.readouterr().err


def test_counts_above_the_limit_of_a_batch_are_refused(
    empty_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for kind in ("sprites", "meshes"):
        assert cli.main(["bench", kind, "--count", "1000", "20_000_000"]) == 2
        assert capsys.readouterr().err.endswith(
            "20,000,000 is more than the 16,777,216 that a batch holds\n"
        )


@pytest.mark.parametrize(
    ("image", "words"),
    [
        ("no/such/folder.png", "there is no folder"),
        (".", "it is a folder"),
        ("last.nonsense", "'.nonsense' is not an ending of an image file; use .png"),
        ("last", "'' is not an ending of an image file; use .png"),
    ],
)
def test_an_unwritable_screenshot_is_an_error_at_once(
    empty_folder: Path, capsys: pytest.CaptureFixture[str], image: str, words: str
) -> None:
    game = game_file(empty_folder, "raise AssertionError('it ran')")
    assert cli.main(["run", game, "--headless", "--frames", "2", "--screenshot", image]) == 2
    error = capsys.readouterr().err
    assert f"{image!r} cannot be written: " in error
    assert words in error


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is forbidden to root"
)
def test_a_folder_without_permission_is_an_error(empty_folder: Path) -> None:
    (empty_folder / "mine").mkdir(0o500)
    with pytest.raises(AssetError, match="cannot be written: there is no permission to"):
        resources.check_writable(empty_folder / "mine" / "a.json")


@pytest.mark.parametrize("size", [0.001, 1, 50_000])
def test_the_viewer_shows_models_of_any_size(empty_folder: Path, size: float) -> None:
    model = Builder()
    corners = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)])[
        [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]
    ]
    matt = model.add("materials", pbrMetallicRoughness={"metallicFactor": 0})
    attributes = {"POSITION": model.array(corners * size)}
    mesh = model.add("meshes", primitives=[{"attributes": attributes, "material": matt}])
    model.add("nodes", mesh=mesh)
    model.add("scenes", nodes=[0])
    model.json["scene"] = 0
    screenshot = empty_folder / "last.png"
    model.glb(empty_folder / "pyramid.glb")
    assert (
        cli.main(
            [
                "run",
                "viewer",
                "pyramid.glb",
                "--headless",
                "--frames",
                "2",
                "--screenshot",
                str(screenshot),
            ]
        )
        == 0
    )
    light = np.asarray(Image.open(screenshot).convert("L"))[100:460, 200:760] > 200
    assert 0.05 < light.mean() < 0.5  # the pyramid in the middle of the image


def test_the_viewer_accepts_an_empty_model(empty_folder: Path) -> None:
    model = Builder()
    model.add("nodes", name="root")
    model.add("scenes", nodes=[0])
    model.json["scene"] = 0
    model.glb(empty_folder / "empty.glb")
    assert cli.main(["run", "viewer", "empty.glb", "--headless", "--frames", "2"]) == 0


def test_the_viewer_shows_maps(empty_folder: Path) -> None:
    screenshot = empty_folder / "last.png"
    valley = resources.folder("examples") / "art" / "valley.tmx"
    assert (
        cli.main(
            [
                "run",
                "viewer",
                str(valley),
                "--headless",
                "--frames",
                "2",
                "--screenshot",
                str(screenshot),
            ]
        )
        == 0
    )
    pixels = np.asarray(Image.open(screenshot).convert("RGB")).reshape(-1, 3)
    colors, counts = np.unique(pixels, axis=0, return_counts=True)
    assert len(colors) > 50
    assert counts.max() < 0.9 * counts.sum()  # most of the map is sky


def test_a_file_with_the_name_of_a_python_module_is_an_error(empty_folder: Path) -> None:
    (empty_folder / "queue.py").write_text("class Line: pass")
    env = os.environ | {"PYTHONPATH": str(Path(resources.__file__).parents[1])}
    completed = subprocess.run(
        [sys.executable, game_file(empty_folder)],
        capture_output=True,
        text=True,
        env=env,
        check=False,
        timeout=60,
        cwd=empty_folder,
    )
    message = completed.stderr.splitlines()[-1]
    assert "queue.py' replaces Python's own module 'queue'; rename that file" in message
    assert "apt-get" not in message


@pytest.mark.parametrize("option", [["--reload"], ["--reload=replay"]])
def test_reload_works_before_and_after_the_file(option: list[str], empty_folder: Path) -> None:
    game = game_file(empty_folder)
    assert (
        cli.main(["run", *option, game, "--headless", "--frames", "2", "--screenshot", "out.png"])
        == 0
    )
    assert (
        cli.main(["run", game, "--headless", "--frames", "2", "--screenshot", "out.png", *option])
        == 0
    )
    assert launch._launches == [launch.Launch()]
    assert Reloadable.objects is None


def test_record_and_reload_with_replay_are_refused_together(
    empty_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        cli.main(["run", game_file(empty_folder), "--reload=replay", "--record", "a.replay"]) == 2
    )
    assert "leave out one of them" in capsys.readouterr().err
