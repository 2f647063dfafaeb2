"""`framework doctor`: the report of a working system and of broken systems."""

from __future__ import annotations

import subprocess
import sys

import pytest

from framework.tools import cli, doctor
from framework.tools.doctor import Finding

linux = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="about Linux's display and EGL"
)


def named(findings: list[Finding], name: str) -> Finding:
    [finding] = [finding for finding in findings if finding.name == name]
    return finding


def test_a_working_system_needs_no_repair(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    assert cli.main(["doctor"]) == 0
    output = capsys.readouterr().out
    assert "missing  " not in output
    assert output.endswith("Nothing is missing.\n")


@pytest.fixture
def only_drawing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the checks of sound, gamepads and physics with successful checks.

    Another test runs the real checks.
    """
    well = Finding("ok", "others", "they are well")
    for name in ("_sound", "_pads"):
        monkeypatch.setattr(doctor, name, lambda: well)
    monkeypatch.setattr(doctor, "_physics", lambda library: well)


@linux
@pytest.mark.usefixtures("only_drawing")
def test_without_the_named_display_games_can_draw_off_screen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DISPLAY", ":4071")
    findings = doctor.examine()
    display = named(findings, "display")
    assert display.state == "missing"
    assert "':4071', which cannot be opened" in display.text
    assert "xvfb-run" in display.repair
    assert named(findings, "window").state == "note"
    assert named(findings, "off screen").state == "ok"
    assert doctor.can_draw(findings)


@linux
@pytest.mark.usefixtures("only_drawing")
def test_a_broken_egl_is_reported_with_the_command_that_repairs_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.setenv("__EGL_VENDOR_LIBRARY_FILENAMES", "/nonexistent")
    monkeypatch.setattr(doctor.shutil, "which", lambda tool: None)
    assert cli.main(["doctor"]) == 1
    output = capsys.readouterr().out
    assert "does not work: no OpenGL 3.3" in output
    assert "apt-get install libegl1 libgl1-mesa-dri" in output
    assert "dnf install mesa-libEGL mesa-dri-drivers" in output
    assert "__EGL_VENDOR_LIBRARY_FILENAMES=/nonexistent" in output
    assert "No game can be drawn." in output


@linux
def test_an_unset_display_variable_is_no_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    assert doctor._display().state == "note"
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    assert "XWayland" in doctor._display().text


def test_drawing_is_checked_with_a_real_pixel(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = {
        "renderer": "Mill",
        "vendor": "Acme",
        "version": "3.3",
        "texture": 8192,
        "pixel": [0, 0, 0, 255],
    }
    monkeypatch.delenv("GALLIUM_NOOP", raising=False)
    monkeypatch.setattr(doctor, "_probe", lambda code: answer)
    wrong = doctor._drawing("off screen")
    assert wrong.state == "missing"
    assert "draws the wrong color" in wrong.text
    answer["pixel"] = [255, 0, 255, 255]
    assert doctor._drawing("off screen") == Finding(
        "ok", "off screen", "Mill (Acme), OpenGL 3.3, textures up to 8,192"
    )
    answer["renderer"] = "llvmpipe (LLVM 15)"
    assert "in software" in doctor._drawing("off screen").text


def test_a_driver_that_crashes_ends_only_its_own_process() -> None:
    result = doctor._probe("import os; os.abort()")
    assert result == {"error": "the process crashed (SIGABRT): a broken driver"}


def test_a_driver_that_hangs_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(code: str, timeout: float) -> None:
        raise subprocess.TimeoutExpired(code, timeout)

    monkeypatch.setattr(doctor, "run_python", hang)
    assert doctor._probe("pass") == {"error": "no answer within 30 seconds"}


def test_a_failed_probe_reports_its_last_line() -> None:
    assert doctor._probe("raise OSError('no card')") == {"error": "OSError: no card"}


def test_a_library_that_is_not_installed_is_missing_with_the_pip_command() -> None:
    finding = doctor._library(("surely-not-installed", ">=1.2,<2"))
    assert finding.state == "missing"
    assert finding.repair.endswith("-m pip install 'surely-not-installed>=1.2,<2'")


def test_a_library_with_the_wrong_version_is_missing() -> None:
    finding = doctor._library(("pytest", "<1"))
    assert finding.state == "missing"
    assert "<1 is needed" in finding.text


def test_the_sound_device_is_reported_or_its_absence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_probe", lambda code: {"device": "Speakers (ALSA)"})
    assert doctor._sound() == Finding("ok", "sound", "Speakers (ALSA)")
    monkeypatch.setattr(
        doctor, "_probe", lambda code: {"device": "Speakers", "continuation": "sounds continue"}
    )
    assert doctor._sound() == Finding("ok", "sound", "Speakers; sounds continue")
    monkeypatch.setattr(doctor, "_probe", lambda code: {"error": "there is no sound device"})
    assert doctor._sound() == Finding(
        "note", "sound", "no sound is played: there is no sound device"
    )
    monkeypatch.setattr(
        doctor, "_probe", lambda code: {"error": "miniaudio is not installed: pip install x"}
    )
    assert doctor._sound().repair.endswith("pip install 'subtick[sound]'")


@pytest.mark.usefixtures("only_drawing")
def test_drawing_is_not_tried_without_the_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_requirements", lambda: [("surely-not-installed", ">=1")])
    findings = doctor.examine()
    assert named(findings, "off screen").text == "not tried: Python libraries are missing"
    assert not doctor.can_draw(findings)


def test_the_requirements_are_those_of_the_project_without_extras() -> None:
    names = {name.lower() for name, _ in doctor._requirements()}
    assert {"pyglet", "moderngl", "numpy", "pyrr", "pillow"} <= names
    assert "matplotlib" not in names


@pytest.mark.parametrize(
    ("version", "wanted", "within"),
    [
        ("2.1.8", ">=2.1.8,<2.2", True),
        ("2.1.19", ">=2.1.8,<2.2", True),
        ("2.1.7", ">=2.1.8,<2.2", False),
        ("2.2", ">=2.1.8,<2.2", False),
        ("2.2.0", "<2.2", False),
        ("10", ">=9.5", True),
        ("2", "==2.0.0", True),
        ("2.1", "!=2.1", False),
        ("3.0rc1", ">2.9", True),
        ("1.0", "", True),
    ],
)
def test_versions_are_compared_as_numbers(version: str, wanted: str, within: bool) -> None:
    assert doctor.in_range(version, wanted) is within


@pytest.mark.parametrize(
    ("tool", "command"),
    [
        ("apt-get", "sudo apt-get install libx11-6"),
        ("dnf", "sudo dnf install libX11"),
        ("", "sudo apt-get install libx11-6   or   sudo dnf install libX11"),
    ],
)
def test_commands_are_for_the_package_manager_of_the_system(
    monkeypatch: pytest.MonkeyPatch, tool: str, command: str
) -> None:
    monkeypatch.setattr(
        doctor.shutil, "which", lambda name: "/usr/bin/" + name if name == tool else None
    )
    monkeypatch.setattr(doctor.ctypes.util, "find_library", lambda name: None)
    finding = doctor._system_library("X11")
    assert (finding.state, finding.repair) == ("missing", command)


def test_lines_are_aligned_and_commands_have_their_own_lines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "70")
    findings = [
        Finding("ok", "Python", "3.11"),
        Finding(
            "missing", "off screen", "word " * 30, "sudo apt-get install a-very-long-name " * 3
        ),
    ]
    lines = doctor.as_text(findings).splitlines()
    assert lines[2].index("3.11") == lines[3].index("word") == lines[4].index("word")
    assert all(len(line) <= 70 for line in lines if "word" in line)
    [command] = [line for line in lines if "→" in line]
    assert command.count("sudo") == 3
    assert lines[-1] == "No game can be drawn. Missing: off screen."


def test_gamepads_are_reported_or_why_none_is_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    finding = doctor._pads()
    assert (finding.name, finding.state) == (
        "gamepads",
        "note" if sys.platform.startswith("linux") else finding.state,
    )
    assert (
        "gamepads are not available: there is no display" in finding.text
        or not sys.platform.startswith("linux")
    )
    monkeypatch.setattr(doctor, "_probe", lambda code: {"pads": "DualSense, Xbox Controller"})
    assert doctor._pads() == Finding("ok", "gamepads", "DualSense, Xbox Controller")
    monkeypatch.setattr(doctor, "_probe", lambda code: {"pads": ""})
    assert doctor._pads().text == "none is connected; you can connect one at any time"


def test_the_physics_libraries_are_reported_or_the_command_that_installs_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(doctor.importlib.metadata, "version", lambda name: "7.3.1")
    assert doctor._physics("pymunk") == Finding(
        "ok", "pymunk", "7.3.1, for Physics2D(engine='pymunk')"
    )

    def missing(name: str) -> str:
        raise doctor.importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(doctor.importlib.metadata, "version", missing)
    finding = doctor._physics("rapier3d")
    assert finding.state == "note"
    assert finding.repair.endswith("pip install 'subtick[physics]'")
