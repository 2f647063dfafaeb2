"""Optional packages: the errors for missing packages and for wrong versions of extras."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import re
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from programs import run_python

import framework as fw
from framework import optional_packages
from framework.assets import sounds
from framework.bench import charts
from framework.learn import gymnasium_imports
from framework.models import trimeshes
from framework.physics import engines
from framework.sim import video
from framework.tiles import tile_numbers
from framework.tools import doctor
from framework.watch import imgui_drawing

PROJECT = Path(__file__).parents[1] / "pyproject.toml"


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """Replace the installed versions of packages by the versions in this dictionary."""
    versions: dict[str, str] = {}
    real_version = importlib.metadata.version
    monkeypatch.setattr(
        importlib.metadata, "version", lambda name: versions.get(name) or real_version(name)
    )
    engines.load_package.cache_clear()
    yield versions
    engines.load_package.cache_clear()


def test_the_oldest_versions_agree_with_pyproject() -> None:
    extras = tomllib.loads(PROJECT.read_text("utf-8"))["project"]["optional-dependencies"]
    oldest = {}
    names = {}
    for extra, requirements in extras.items():
        for requirement in requirements if extra not in ("dev", "docs") else ():
            package, version = requirement.split(">=")
            oldest[package] = version
            names[package] = extra
    assert oldest == optional_packages.OLDEST
    assert names == optional_packages.EXTRAS


@pytest.mark.parametrize(
    ("version", "too_old"),
    [("6.9.0", True), ("7.2.9", True), ("7.3", False), ("7.3.0rc1", False), ("7.10", False)],
)
def test_versions_are_compared_as_numbers(version: str, too_old: bool) -> None:
    assert optional_packages.is_too_old("pymunk", version) is too_old


def new_miniaudio() -> object:
    """Import miniaudio as in a new process, which has not read its version."""
    sounds._check_miniaudio.cache_clear()
    return sounds.miniaudio()


USERS: list[tuple[str, str, str, Callable[[Path], Any]]] = [
    ("pymunk", "6.9.0", "Physics2D(engine='pymunk')", lambda path: fw.Physics2D(engine="pymunk")),
    ("rapier3d", "0.35.2", "Physics3D", lambda path: fw.Physics3D()),
    ("slimgui", "0.7", "The inspector", lambda path: imgui_drawing.load()),
    ("miniaudio", "1.6", "Sound", lambda path: new_miniaudio()),
    ("trimesh", "4.9", "The model '{path}'", trimeshes._load_scene),
    ("av", "11.0", "A video", lambda path: video.check_video(str(path.parent / "a.mp4"))),
    ("matplotlib", "3.5", "--plot", lambda path: charts.check_plotting()),
    ("gymnasium", "1.0", "GameEnv", lambda path: fw.GameEnv(fw.Game)),
    ("websockets", "13.1", "Room", lambda path: fw.Room("relay.example:7000")),
    ("pettingzoo", "1.20", "parallel_env", lambda path: fw.parallel_env(fw.Game)),
]


@pytest.mark.parametrize(("package", "version", "user", "use"), USERS, ids=[u[0] for u in USERS])
def test_a_too_old_version_is_one_clear_error(
    installed: dict[str, str],
    tmp_path: Path,
    package: str,
    version: str,
    user: str,
    use: Callable[[Path], Any],
) -> None:
    pytest.importorskip(package)
    installed[package] = version
    path = tmp_path / "model.stl"
    with pytest.raises((fw.FrameworkError, fw.AssetError)) as raised:
        use(path)
    assert str(raised.value) == (
        f"{user.format(path=path)} needs {package} {optional_packages.OLDEST[package]} or newer, "
        f"but {package} {version} is installed: "
        f"pip install --upgrade 'subtick[{optional_packages.EXTRAS[package]}]'"
    )


def test_the_version_of_miniaudio_is_read_once_and_not_for_each_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("miniaudio")
    packages: list[str] = []
    monkeypatch.setattr(sounds, "check_version", lambda package, user: packages.append(package))
    sounds._check_miniaudio.cache_clear()
    for _ in range(3):
        sounds.miniaudio()
    assert packages == ["miniaudio"]
    sounds._check_miniaudio.cache_clear()


def test_the_zstandard_version_of_maps_is_checked_too(
    installed: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("zstandard")
    installed["zstandard"] = "0.1"
    monkeypatch.setitem(sys.modules, "compression.zstd", None)
    with pytest.raises(ValueError, match=r"needs zstandard 0\.22 or newer, but zstandard 0\.1 is"):
        tile_numbers._zstd(b"", 1)


def test_the_doctor_reports_a_too_old_version(installed: dict[str, str]) -> None:
    installed["pymunk"] = "6.9.0"
    finding = doctor._physics("pymunk")
    assert (finding.state, finding.text) == (
        "note",
        "6.9.0 is installed; Physics2D(engine='pymunk') needs 7.3 or newer",
    )
    assert finding.repair.endswith("pip install --upgrade 'subtick[pymunk]'")


def test_the_version_of_a_package_without_metadata_is_read_from_its_module(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    monkeypatch.setitem(sys.modules, "pymunk", SimpleNamespace(version="6.8"))
    assert optional_packages.version_of("pymunk") == "6.8"
    monkeypatch.setitem(sys.modules, "pymunk", SimpleNamespace())
    assert optional_packages.version_of("pymunk") is None
    # a frozen program has no metadata and gets no error
    optional_packages.check_version("pymunk", "Physics2D")


def test_an_old_gymnasium_is_reported_as_too_old_and_not_as_missing(
    installed: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An import error of an old version becomes the error about the version."""
    pytest.importorskip("gymnasium")
    monkeypatch.setitem(sys.modules, "gymnasium.vector", SimpleNamespace())  # no AutoresetMode
    fresh = importlib.util.module_from_spec(gymnasium_imports.__spec__)
    gymnasium_imports.__spec__.loader.exec_module(fresh)
    installed["gymnasium"] = "0.29.1"
    with pytest.raises(fw.FrameworkError, match=r"^GameEnv needs gymnasium 1\.1 or newer, but"):
        fresh.check_installed("GameEnv", fresh.Env)
    del installed["gymnasium"]
    with pytest.raises(fw.FrameworkError, match="GameEnv needs Gymnasium") as raised:
        fresh.check_installed("GameEnv", fresh.Env)
    assert re.search("AutoresetMode", str(raised.value.__cause__))


_WITHOUT = """
import sys

for name in {names}:
    sys.modules[name] = None  # an import fails, as if it were not installed

import framework as fw

for name in fw.__all__:
    getattr(fw, name)
"""


def test_every_public_name_loads_without_any_extra() -> None:
    names = [
        *("av", "gymnasium", "matplotlib", "miniaudio", "pettingzoo", "pymunk", "rapier3d"),
        *("slimgui", "trimesh", "websockets", "zstandard"),
    ]
    result = run_python(_WITHOUT.format(names=names))
    assert result.returncode == 0, result.stderr


def test_physics2d_works_without_pymunk() -> None:
    code = """
class Falling(fw.Game):
    def setup(self):
        self.physics = fw.Physics2D(self, gravity=(0, -100))
        self.ball = self.sprites.add(fw.art.ship, position=(50, 90))
        self.physics.add(self.ball, shape="circle")

with Falling(drawing=False) as game:
    game.run_ticks(30)
    print(game.ball.y < 90, game.physics.raycast((50, 200), (50, -900)) is not None)
"""
    result = run_python(_WITHOUT.format(names=["pymunk"]) + code)
    assert result.stdout.split() == ["True", "True"], result.stderr
