"""Tests of short tracebacks: which calls the terminal shows after an error."""

import json
import subprocess
import sys
import traceback

import numpy as np
import pytest

import framework as fw
from framework.game.short_traceback import short_tracebacks

pytestmark = pytest.mark.repository


@pytest.fixture(autouse=True)
def short(monkeypatch):
    """Undo the setting of the other tests."""
    monkeypatch.delenv("SUBTICK_FULL_TRACEBACK")


def shown(error):
    with short_tracebacks(error):
        return [call.name for call in traceback.extract_tb(error.__traceback__)]


def raised(function, *arguments):
    try:
        function(*arguments)
    except Exception as error:
        return error
    pytest.fail("no error was raised")


def in_framework(code):
    """Run code as if it stood in a file of the framework, and return its names."""
    names = {"np": np}
    exec(compile(code, fw.__file__, "exec"), names)
    return names


class Wrong(fw.Game):
    def update(self, dt):
        self.sprites.add(fw.art.ship, position=(1, 2, 3))


def test_calls_in_the_framework_are_not_shown(play, capsys):
    game = play(Wrong)
    error = raised(game.advance, 1 / 60)
    full = traceback.extract_tb(error.__traceback__)
    names = shown(error)
    assert names[-1] == "update"
    assert not {"advance", "run_tick", "checked"}.intersection(names)
    hidden = len(full) - len(names)
    assert hidden > 5
    assert f"({hidden} calls in the framework are not shown: " in capsys.readouterr().err
    assert traceback.extract_tb(error.__traceback__) == full  # after the block as before


def test_a_variable_shows_all_calls(play, capsys, monkeypatch):
    game = play(Wrong)
    error = raised(game.advance, 1 / 60)
    monkeypatch.setenv("SUBTICK_FULL_TRACEBACK", "1")
    assert {"advance", "run_tick", "update"} <= set(shown(error))
    assert capsys.readouterr().err == ""


def test_an_error_that_may_be_a_bug_of_the_framework_shows_its_last_calls(play, monkeypatch):
    game = play(Wrong)

    names = in_framework("def broken(self):\n    return np.zeros(2) + np.zeros(3)\n")
    monkeypatch.setattr(type(game.sprites), "__len__", names["broken"])
    monkeypatch.setattr(Wrong, "update", lambda self, dt: len(self.sprites))
    names = shown(raised(game.advance, 1 / 60))
    assert "run_tick" not in names  # before the game's last call
    assert names[-1] == "broken"


def test_calls_in_python_and_in_other_packages_stay(play, monkeypatch):
    game = play(Wrong)
    monkeypatch.setattr(Wrong, "update", lambda self, dt: json.loads("{"))
    names = shown(raised(game.advance, 1 / 60))
    assert "run_tick" not in names
    assert {"loads", "decode"} <= set(names)


def test_the_causes_of_an_error_are_shortened_too(play, monkeypatch):
    game = play(Wrong)
    first = raised(game.advance, 1 / 60)

    def update(self, dt):
        raise RuntimeError("second") from first

    monkeypatch.setattr(Wrong, "update", update)
    second = raised(game.advance, 1 / 60)
    with short_tracebacks(second):
        names = [call.name for call in traceback.extract_tb(first.__traceback__)]
    assert "run_tick" not in names
    assert names[-1] == "update"


def test_a_traceback_without_calls_of_a_game_stays_as_it_is():
    error = raised(in_framework("def fail():\n    raise ValueError('x')\n")["fail"])
    error.__traceback__ = error.__traceback__.tb_next  # without the calls of this test
    assert shown(error) == ["fail"]


def test_a_program_that_fails_prints_the_short_traceback(tmp_path):
    program = tmp_path / "wrong.py"
    program.write_text(
        "import framework as fw\n"
        "class Wrong(fw.Game):\n"
        "    def setup(self):\n"
        "        self.add(fw.SpriteBatch(fw.art.ship, colour='red'))\n"
        "Wrong(headless=True)\n"
    )
    result = subprocess.run(
        [sys.executable, str(program)], capture_output=True, text=True, timeout=60
    )
    lines = result.stderr.splitlines()
    assert result.returncode == 1
    assert "SUBTICK_FULL_TRACEBACK=1" in lines[0]
    assert lines[1] == "Traceback (most recent call last):"
    assert lines[-1].startswith("TypeError: SpriteBatch: unknown option 'colour'")
    files = [line for line in lines if line.startswith("  File ")]
    assert len(files) == 2
    assert all(str(program) in line for line in files)


def report_of_a_failed_test(folder, *options):
    (folder / "test_wrong.py").write_text(
        "import framework as fw\n"
        "class Wrong(fw.Game):\n"
        "    def update(self, dt):\n"
        "        self.sprites.add(fw.art.ship, position=(1, 2, 3))\n"
        "def test_wrong(play):\n"
        "    play(Wrong, drawing=False).run_ticks(1)\n"
    )
    command = [sys.executable, "-m", "pytest", "-p", "no:xdist", "-p", "no:cacheprovider"]
    return subprocess.run(
        [*command, "test_wrong.py", *options],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
    ).stdout


def test_pytest_shows_the_lines_of_the_game(tmp_path):
    report = report_of_a_failed_test(tmp_path)
    assert "E       ValueError: position: expected two numbers, got (1, 2, 3)" in report
    assert ">       self.sprites.add(fw.art.ship, position=(1, 2, 3))" in report
    assert "loop.py" not in report
    assert "calls in the framework are not shown: --full-trace shows all calls" in report


def test_pytest_shows_all_calls_on_request(tmp_path):
    report = report_of_a_failed_test(tmp_path, "--full-trace")
    assert "loop.py" in report
    assert "are not shown" not in report


class Nothing(fw.Game):
    def update(self, dt):
        self.save("middle")


def test_calls_in_pythons_modules_beside_the_framework_are_not_shown(play):
    error = raised(play(Nothing).run_ticks)
    assert shown(error) == ["raised", "update"]

    def make():
        type("Wrong", (fw.Scene,), {"enter": lambda self: None})

    assert shown(raised(make)) == ["raised", "make"]


def test_all_calls_in_pythons_modules_after_the_framework_are_not_shown():
    def default(value):
        raise ValueError("x")

    names = in_framework(
        "import json\ndef write(default):\n    json.dumps({1j}, default=default)\n"
    )
    assert shown(raised(names["write"], default)) == ["raised", "default"]


def test_only_the_last_call_in_pythons_modules_before_the_framework_is_not_shown():
    names = in_framework("def default(value):\n    raise ValueError('x')\n")

    def write():
        json.dumps({1j}, default=names["default"])

    assert shown(raised(write)) == ["raised", "write", "dumps", "encode"]


def test_calls_in_pythons_modules_alone_are_shown():
    error = raised(json.loads, "{")
    assert shown(error)[-1] == "raw_decode"
