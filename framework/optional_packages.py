"""The packages that Subtick's extras install, with their oldest supported versions.

This module imports only Python's standard library.
"""

from __future__ import annotations

import importlib.metadata
import re
import sys

from .errors import FrameworkError

OLDEST = {
    "av": "12",
    "gymnasium": "1.1",
    "matplotlib": "3.10.7",
    "miniaudio": "1.71",
    "pettingzoo": "1.25",
    "pyinstaller": "6.10",
    "pymunk": "7.3",
    "rapier3d": "0.36",
    "slimgui": "0.8.3",
    "trimesh": "5",
    "websockets": "14",
    "zstandard": "0.22",
}
"""The oldest supported version of each package in an extra, as in pyproject.toml."""

EXTRAS = {
    "av": "video",
    "gymnasium": "gym",
    "matplotlib": "plot",
    "miniaudio": "sound",
    "pettingzoo": "gym",
    "pyinstaller": "freeze",
    "pymunk": "pymunk",
    "rapier3d": "physics",
    "slimgui": "debug",
    "trimesh": "models",
    "websockets": "net",
    "zstandard": "zstd",
}
"""The extra that installs each package. For example, ``pip install 'subtick[physics]'`` installs
Rapier.
"""


def installed_version(package: str) -> str | None:
    """Return the version of a package, for example "7.3.1", or None if the package is not
    installed.
    """
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def version_of(package: str) -> str | None:
    """Return the version of an optional package. If the version is unknown, return None.

    A frozen program (made with PyInstaller, for example) often does not contain the metadata of its
    packages. In this case, the version is read from the module, if the program has already imported
    it.
    """
    installed = installed_version(package)
    if installed is not None:
        return installed
    module = sys.modules.get(package)
    versions = [getattr(module, name, None) for name in ("__version__", "version")]
    return next((version for version in versions if isinstance(version, str)), None)


def is_too_old(package: str, version: str) -> bool:
    """Return whether ``version`` is older than the oldest supported version of an optional package."""
    installed = _numbers(version)
    oldest = _numbers(OLDEST[package])
    length = max(len(installed), len(oldest))
    return installed + (0,) * (length - len(installed)) < oldest + (0,) * (length - len(oldest))


def check_version(package: str, user: str) -> None:
    """Raise `FrameworkError` if the installed version of an optional package is too old.

    ``user`` is the feature that needs the package, for example "Physics2D". If the version is
    unknown, for example in a frozen program, the package is accepted.
    """
    version = version_of(package)
    if version is not None and is_too_old(package, version):
        raise FrameworkError(
            f"{user} needs {package} {OLDEST[package]} or newer, but {package} {version} is "
            f"installed: pip install --upgrade 'subtick[{EXTRAS[package]}]'"
        )


def _numbers(version: str) -> tuple[int, ...]:
    match = re.match(r"\d+(\.\d+)*", version)
    return tuple(map(int, match[0].split("."))) if match else ()
