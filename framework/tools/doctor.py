"""`framework doctor`: check whether games can run here, and print how to install missing parts.

This module imports only Python's standard library, so the command works even if packages are
missing. Checks that may crash, such as drawing with the OpenGL driver, run in separate processes.
"""

from __future__ import annotations

import ctypes.util
import importlib.metadata
import json
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import textwrap
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypedDict

from .. import __version__, resources
from ..bench.processes import run_python
from ..optional_packages import OLDEST, installed_version, is_too_old
from .package_source import pip_command

_PROBE_SECONDS = 30

# For each library: the names of the packages that contain it, by package manager.
_PACKAGES = {
    "EGL": {"apt-get": "libegl1 libgl1-mesa-dri", "dnf": "mesa-libEGL mesa-dri-drivers"},
    "GL": {"apt-get": "libgl1 libgl1-mesa-dri", "dnf": "mesa-libGL mesa-dri-drivers"},
    "X11": {"apt-get": "libx11-6", "dnf": "libX11"},
    "xvfb-run": {"apt-get": "xvfb", "dnf": "xorg-x11-server-Xvfb"},
}
_PURPOSES = {"EGL": "drawing off screen", "GL": "drawing", "X11": "windows"}
_DRIVER_SETTINGS = ("MESA_", "LIBGL_", "GALLIUM_", "EGL_", "__EGL_", "__GLX_", "LP_")
_SOFTWARE = ("llvmpipe", "softpipe", "swrast", "swiftshader", "software rasterizer")


@dataclass
class Finding:
    """The result of one check. ``repair`` is a command or a hint that solves the problem, or "" if
    there is no problem.
    """

    state: Literal["ok", "note", "missing"]
    name: str
    text: str
    repair: str = ""


def examine() -> list[Finding]:
    """Run all checks, and return their results in the order of the report."""
    libraries = [*map(_library, _requirements())]
    findings = [_python(), *libraries]
    obstacle = {"window": "", "off screen": ""}
    if sys.platform.startswith("linux"):
        display = _display()
        obstacle["window"] = "" if display.state == "ok" else "there is no display"
        findings += [*map(_system_library, _PURPOSES), *_environment(), display]
    if any(finding.state == "missing" for finding in libraries):
        obstacle = dict.fromkeys(obstacle, "Python libraries are missing")
    for target, reason in obstacle.items():
        findings.append(
            Finding("note", target, f"not tried: {reason}") if reason else _drawing(target)
        )
    return [
        *findings,
        _sound(),
        _pads(),
        *map(_physics, _PHYSICS),
        *map(_folder, ("shaders", "examples", "templates")),
    ]


def can_draw(findings: list[Finding]) -> bool:
    """Return whether this machine can draw games in a window or off screen."""
    return any(
        finding.state == "ok" for finding in findings if finding.name in ("window", "off screen")
    )


def as_text(findings: list[Finding]) -> str:
    """Return a report of all results as text, with a summary at the end."""
    width = max(len(finding.name) for finding in findings)
    margin = " " * (7 + 2 + width + 2)
    room = max(50, shutil.get_terminal_size((120, 24)).columns - len(margin))
    lines = [f"subtick {__version__} on {platform.platform()}", ""]
    for finding in findings:
        first, *further_lines = textwrap.wrap(finding.text, room)
        lines.append(f"{finding.state:<7}  {finding.name:<{width}}  {first}")
        lines += [margin + line for line in further_lines]
        if finding.repair:
            lines.append(f"{margin}→ {finding.repair}")
    return "\n".join([*lines, "", _verdict(findings)])


def _verdict(findings: list[Finding]) -> str:
    drawn = [
        finding.name
        for finding in findings
        if finding.name in ("window", "off screen") and finding.state == "ok"
    ]
    lacking = [finding.name for finding in findings if finding.state == "missing"]
    where = {"window": "in a window", "off screen": "off screen"}
    text = (
        f"Games can be drawn {' and '.join(where[name] for name in drawn)}."
        if drawn
        else "No game can be drawn."
    )
    return f"{text} Missing: {', '.join(lacking)}." if lacking else f"{text} Nothing is missing."


# -- Python and its libraries ----------------------------------------------------------------------


def _python() -> Finding:
    return Finding("ok", "Python", f"{platform.python_version()} ({sys.executable})")


def _requirements() -> list[tuple[str, str]]:
    """Return the packages that Subtick requires, as pairs of a name and a range of versions. If
    Subtick is not installed, the function reads pyproject.toml.
    """
    try:
        lines = importlib.metadata.requires("subtick") or []
    except importlib.metadata.PackageNotFoundError:
        project = Path(__file__).resolve().parents[2] / "pyproject.toml"
        text = (
            project.read_text(encoding="utf-8") if project.exists() else "project.dependencies = []"
        )
        lines = tomllib.loads(text)["project"]["dependencies"]
    requirements = []
    for line in lines:
        requirement, _, marker = line.partition(";")
        match = re.match(r"\s*([\w.-]+)\s*(.*?)\s*$", requirement)
        if match and not marker:  # skip packages that are required on only one operating system
            requirements.append((match[1], match[2]))
    return requirements


def _library(requirement: tuple[str, str]) -> Finding:
    name, versions = requirement
    repair = f"{_quoted(sys.executable)} -m pip install {_quoted(name + versions)}"
    try:
        version = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return Finding("missing", name, f"not installed; {versions} is needed", repair)
    if not in_range(version, versions):
        return Finding("missing", name, f"{version} is installed; {versions} is needed", repair)
    return Finding("ok", name, version)


def in_range(version: str, versions: str) -> bool:
    """Return whether ``version`` is in the range ``versions``, for example ``>=2.1.8,<2.2``.
    Version suffixes such as rc1 are ignored.
    """
    installed = _numbers(version)
    for clause in filter(None, versions.split(",")):
        match = re.fullmatch(r"\s*(>=|<=|==|!=|<|>)\s*([\d.]+)\s*", clause)
        if match is None:
            continue
        limit = _numbers(match[2])
        length = max(len(installed), len(limit))
        a, b = (parts + (0,) * (length - len(parts)) for parts in (installed, limit))
        holds = {">=": a >= b, "<=": a <= b, "==": a == b, "!=": a != b, "<": a < b, ">": a > b}
        if not holds[match[1]]:
            return False
    return True


def _numbers(version: str) -> tuple[int, ...]:
    match = re.match(r"\d+(\.\d+)*", version)
    return tuple(map(int, match[0].split("."))) if match else ()


def _quoted(text: str) -> str:
    return f"'{text}'" if re.search(r"[^\w./:\\-]", text) else text


# -- the system ------------------------------------------------------------------------------------


def _install(what: str) -> str:
    """Return the command that installs a system library on this machine. If the package manager is
    unknown, return the commands for all known package managers.
    """
    packages = _PACKAGES[what]
    commands = {tool: f"sudo {tool} install {names}" for tool, names in packages.items()}
    usable = [command for tool, command in commands.items() if shutil.which(tool)]
    return usable[0] if usable else "   or   ".join(commands.values())


def _system_library(name: str) -> Finding:
    file = ctypes.util.find_library(name)
    if file is None:
        return Finding(
            "missing", f"lib{name}", f"not found; {_PURPOSES[name]} needs it", _install(name)
        )
    return Finding("ok", f"lib{name}", file)


def _environment() -> list[Finding]:
    settings = [
        f"{name}={value}"
        for name, value in sorted(os.environ.items())
        if name.startswith(_DRIVER_SETTINGS)
    ]
    if not settings:
        return []
    return [
        Finding(
            "note",
            "environment",
            f"settings that change which driver draws, or how: {', '.join(settings)}",
        )
    ]


def _display() -> Finding:
    name = os.environ.get("DISPLAY")
    virtual = f"xvfb-run -a {Path(sys.executable).name} …"
    if not shutil.which("xvfb-run"):
        virtual = f"{_install('xvfb-run')}   and then   {virtual}"
    if not name:
        text = "DISPLAY is not set, so games are drawn off screen"
        if os.environ.get("WAYLAND_DISPLAY"):
            text += "; WAYLAND_DISPLAY is set, but windows need an X display: XWayland provides one"
        return Finding("note", "display", text, f"for a window: {virtual}")
    result = _probe(_DISPLAY_PROBE)
    if "width" not in result:
        why = f" ({result['error']})" if "error" in result else ""
        text = f"DISPLAY is {name!r}, which cannot be opened{why}"
        return Finding(
            "missing", "display", text, f"set DISPLAY to an existing display, or: {virtual}"
        )
    return Finding("ok", "display", f"{name}, {result['width']} x {result['height']} pixels")


def _drawing(target: str) -> Finding:
    """Draw a pixel in a window or off screen, and return a `Finding` with the name of the driver.
    If the pixel has the wrong color, the state of the `Finding` is "missing".
    """
    result = _probe(_DRAWING_PROBE.format(headless=target != "window"))
    if "renderer" not in result:
        return Finding(
            "missing", target, f"does not work: {result['error']}", _drawing_hint(target)
        )
    text = (
        f"{result['renderer']} ({result['vendor']}), OpenGL {result['version']}, textures "
        f"up to {result['texture']:,}"
    )
    if result["pixel"] != [255, 0, 255, 255] and not os.environ.get("GALLIUM_NOOP"):
        return Finding(
            "missing",
            target,
            f"{text}: draws the wrong color, {result['pixel']}",
            _drawing_hint(target),
        )
    if any(name in result["renderer"].lower() for name in _SOFTWARE):
        return Finding("ok", target, f"{text}; in software: correct, but slow for large images")
    return Finding("ok", target, text)


def _drawing_hint(target: str) -> str:
    if not sys.platform.startswith("linux"):
        return "update the graphics driver: OpenGL 3.3 is needed"
    return (
        f"{_install('GL' if target == 'window' else 'EGL')}   or try   "
        "LIBGL_ALWAYS_SOFTWARE=1 framework doctor"
    )


def _sound() -> Finding:
    result = _probe(_SOUND_PROBE)
    continuation = f"; {result['continuation']}" if "continuation" in result else ""
    if "device" in result:
        return Finding("ok", "sound", str(result["device"]) + continuation)
    repair = (
        f"{_quoted(sys.executable)} -m pip install 'subtick[sound]'"
        if "install" in result.get("error", "")
        else ""
    )
    text = f"no sound is played: {result.get('error', 'no answer')}{continuation}"
    return Finding("note", "sound", text, repair)


def _pads() -> Finding:
    result = _probe(_PADS_PROBE)
    if "pads" in result:
        return Finding(
            "ok", "gamepads", result["pads"] or "none is connected; you can connect one at any time"
        )
    return Finding(
        "note", "gamepads", f"gamepads are not available: {result.get('error', 'no answer')}"
    )


# The physics packages. For each package: the feature that needs it, and the extra that installs it.
_PHYSICS = {
    "rapier3d": ("physics", "physics"),
    "pymunk": ("Physics2D(engine='pymunk')", "pymunk"),
}


def _physics(package: str) -> Finding:
    """Check that an optional physics package is installed and new enough."""
    feature, extra = _PHYSICS[package]
    version = installed_version(package)
    pip = f"{_quoted(sys.executable)} -m pip install"
    if version is None:
        repair = f"{pip} 'subtick[{extra}]'"
        return Finding("note", package, f"not installed; {feature} needs it", repair)
    if is_too_old(package, version):
        text = f"{version} is installed; {feature} needs {OLDEST[package]} or newer"
        return Finding("note", package, text, f"{pip} --upgrade 'subtick[{extra}]'")
    return Finding("ok", package, f"{version}, for {feature}")


def _folder(name: str) -> Finding:
    folder = resources.folder(name)
    files = [
        path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts
    ]
    if not files:
        return Finding("missing", name, f"no files in {folder}", _reinstall())
    return Finding("ok", name, f"{len(files)} files in {folder}")


def _reinstall() -> str:
    return f"{_quoted(sys.executable)} -m {pip_command('--force-reinstall')}"


# -- separate processes -----------------------------------------------------------------------

_DISPLAY_PROBE = """
import ctypes, ctypes.util, json
x11 = ctypes.CDLL(ctypes.util.find_library("X11"))
x11.XOpenDisplay.restype = ctypes.c_void_p
display = x11.XOpenDisplay(None)
if display:
    display = ctypes.c_void_p(display)
    screen = x11.XDefaultScreen(display)
    print(json.dumps({"width": x11.XDisplayWidth(display, screen), "height": x11.XDisplayHeight(display, screen)}))
"""

_SOUND_PROBE = """
import json
result = {}
try:
    from framework.audio.device import continuation, described
    result["continuation"] = continuation()
    result["device"] = described()
except Exception as error:
    result["error"] = str(error) or type(error).__name__
print(json.dumps(result))
"""

_PADS_PROBE = """
import json
try:
    from framework.game.gamepads import gamepad_names
    print(json.dumps({"pads": gamepad_names()}))
except Exception as error:
    print(json.dumps({"error": str(error) or type(error).__name__}))
"""

_DRAWING_PROBE = """
import json
from framework.errors import DisplayError
from framework.game.game import Game

try:
    with Game(size=(64, 64), headless={headless}, background=(1, 0, 1)) as game:
        game.advance(0)
        pixel = game.pixels()[32, 32].tolist()
        info = game.picture.ctx.info
        print(json.dumps({{
            "renderer": info["GL_RENDERER"], "vendor": info["GL_VENDOR"], "version": info["GL_VERSION"],
            "texture": info["GL_MAX_TEXTURE_SIZE"], "pixel": pixel,
        }}))
except DisplayError as error:  # without the advice: doctor has its own
    cause = error.__cause__
    why = str(error).split(". ")[0] if cause is None else f"no OpenGL 3.3 ({{type(cause).__name__}} {{cause}})"
    print(json.dumps({{"error": why.replace(" )", ")")}}))
"""


class _Probed(TypedDict, total=False):
    error: str
    width: int
    height: int
    device: str
    continuation: str
    pads: str
    renderer: str
    vendor: str
    version: str
    texture: int
    pixel: list[int]


def _probe(code: str) -> _Probed:
    """Run Python code in a separate process, and return the JSON object that it prints, or
    ``{"error": …}`` if the code fails, crashes or takes too long.
    """
    try:
        done = run_python(code, _PROBE_SECONDS)
    except subprocess.TimeoutExpired:
        return {"error": f"no answer within {_PROBE_SECONDS} seconds"}
    if done.returncode < 0:
        return {
            "error": (
                f"the process crashed ({signal.Signals(-done.returncode).name}): a broken driver"
            )
        }
    answers = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode == 0:
        probed: _Probed = json.loads(answers[-1]) if answers else {}
        return probed
    last = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
    return {"error": textwrap.shorten(last, 300)}
