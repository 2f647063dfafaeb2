"""List the engines of `framework bench --vs`, and create a Python environment for each.

Each engine has its own virtual environment, so installing an engine never changes the packages in
the environment that runs Subtick.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import FrameworkError

_TIMEOUT = 900.0  # the time limit for installing an engine, in seconds
# If these variables are set, pip installs packages in another folder.
_ELSEWHERE = ("PIP_TARGET", "PIP_PREFIX", "PIP_USER", "PIP_ROOT", "PYTHONPATH", "PYTHONHOME")
_COMPLETE = "subtick-bench.json"
"""The name of a file that is written at the end of an installation. An environment without this
file is incomplete.
"""


@dataclass(frozen=True)
class Peer:
    """An engine that takes part in the comparison."""

    name: str
    requirement: str
    """The package to install, with the range of versions for which the scenes were written."""
    module: str
    """The worker module that draws the scenes."""
    scenes: tuple[str, ...]
    caveat: str
    """A sentence that is shown with the results, or ""."""
    needs_display: bool = False
    environment: dict[str, str] = field(default_factory=dict)


PEERS = {
    peer.name: peer
    for peer in (
        Peer(
            "arcade",
            "arcade>=3.3,<4",
            "peer_arcade",
            ("sprites", "game"),
            "",
            environment={"ARCADE_HEADLESS": "True", "PYGLET_AUDIO": "silent"},
        ),
        Peer(
            "pyglet",
            "pyglet>=2.1,<3",
            "peer_pyglet",
            ("sprites", "game"),
            "",
            environment={"PYGLET_HEADLESS": "True", "PYGLET_AUDIO": "silent"},
        ),
        Peer(
            "raylib",
            "raylib>=5.5,<7",
            "peer_raylib",
            ("sprites", "game"),
            "raylib is called from Python through cffi. A game in C needs less time for the same calls.",
            needs_display=sys.platform.startswith("linux"),
        ),
        Peer(
            "pygame-ce",
            "pygame-ce>=2.5,<3",
            "peer_pygame",
            ("sprites", "game"),
            "pygame-ce copies pixels on the CPU, with images turned in steps of 5 degrees. The "
            "time of pygame-ce includes the pixels. In the other engines, a GPU draws the pixels.",
        ),
        Peer(
            "panda3d",
            "panda3d>=1.10.15,<2",
            "peer_panda3d",
            ("sprites",),
            "Panda3D is made for 3D. A 2D scene with thousands of nodes is not typical for Panda3D.",
        ),
        Peer(
            "ursina",
            "ursina>=7,<9",
            "peer_ursina",
            ("sprites",),
            "Ursina is made for 3D. A 2D scene with thousands of entities is not typical for Ursina.",
        ),
    )
}


def pick_peers(names: Sequence[str], scene: str) -> list[Peer]:
    """Return the engines with these ``names``, without duplicates. Raises `FrameworkError` if a
    name is unknown, or if an engine cannot draw the scene.
    """
    for name in names:
        able = [peer.name for peer in PEERS.values() if scene in peer.scenes]
        if name not in PEERS:
            raise FrameworkError(
                f"--vs: expected names out of {', '.join(able)}, got {name!r}"
                + ("; pygame is named pygame-ce" if name == "pygame" else "")
            )
        if name not in able:
            raise FrameworkError(
                f"--vs: {name!r} has no program for `bench {scene}`; the names there are "
                f"{', '.join(able)}"
            )
    return [PEERS[name] for name in dict.fromkeys(names)]


def default_folder() -> Path:
    """Return the folder of all engine environments, which is in the user's cache folder."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "subtick" / "bench"


def python_of(peer: Peer, folder: Path) -> Path | None:
    """Return the Python interpreter of an engine's environment, or None if there is no complete
    environment in ``folder``.
    """
    home = folder / peer.name
    python = _python_in(home)
    return python if (home / _COMPLETE).is_file() and python.is_file() else None


def _python_in(home: Path) -> Path:
    return home / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def missing_environments(peers: Sequence[Peer], folder: Path) -> list[Peer]:
    return [peer for peer in peers if python_of(peer, folder) is None]


def make_environment(peer: Peer, folder: Path, run: Callable[..., object] = subprocess.run) -> None:
    """Create the environment of an engine in ``folder``, with uv or with venv and pip. ``run`` is
    the function that starts these programs, which only tests replace.

    If the installation fails, or if you press Ctrl+C, the new environment is removed. Raises
    `FrameworkError` if the engine cannot be installed.
    """
    home = folder / peer.name
    commands = _install_commands(peer, home)
    try:
        _remove(home)
        folder.mkdir(parents=True, exist_ok=True)
        own = {name: value for name, value in os.environ.items() if name not in _ELSEWHERE}
        for command in commands:
            run(command, env=own, check=True, capture_output=True, text=True, timeout=_TIMEOUT)
        (home / _COMPLETE).write_text(json.dumps({"requirement": peer.requirement}), "utf-8")
    except BaseException as error:
        _remove(home)
        reason = _install_failure(error, peer, folder)
        if reason is None:
            raise
        raise FrameworkError(f"--make-env: {reason}") from None


def _install_commands(peer: Peer, home: Path) -> list[list[str]]:
    """Return the commands that create the environment ``home`` and install the engine in it."""
    python = str(_python_in(home))
    base = getattr(sys, "_base_executable", None) or sys.executable
    uv = shutil.which("uv")
    if uv:
        return [
            [uv, "venv", "--quiet", "--python", base, str(home)],
            [uv, "pip", "install", "--quiet", "--python", python, peer.requirement],
        ]
    return [
        [base, "-m", "venv", str(home)],
        [python, "-m", "pip", "install", "--quiet", peer.requirement],
    ]


def _install_failure(error: BaseException, peer: Peer, folder: Path) -> str | None:
    """Return the message for the user that says why an installation failed, or None for an
    unexpected error.
    """
    if isinstance(error, subprocess.CalledProcessError):
        words = (error.stderr or error.stdout or "").strip().splitlines() or ["no message"]
        return f"{peer.requirement} cannot be installed: {words[-1]}"
    if isinstance(error, subprocess.TimeoutExpired):
        return f"{peer.requirement} was not installed in {_TIMEOUT:g} seconds"
    if isinstance(error, OSError):
        return f"{str(folder)!r} cannot be used: {error.strerror}"
    return None


def _remove(home: Path) -> None:
    """Remove the folder of an environment. A folder that does not contain an environment is not
    removed.
    """
    if home.is_symlink() or (home.exists() and not home.is_dir()):
        raise FrameworkError(f"--env-dir: {str(home)!r} is not a folder; remove it")
    if home.is_dir() and any(home.iterdir()) and not (home / "pyvenv.cfg").is_file():
        raise FrameworkError(
            f"--env-dir: {str(home)!r} is not a virtual environment; choose another folder"
        )
    shutil.rmtree(home, ignore_errors=True)
