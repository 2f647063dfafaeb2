"""Where the project's own shaders and examples lie: inside the wheel, or beside the package in a checkout."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def folder(name: str) -> Path:
    """The folder ``shaders`` or ``examples``, as an absolute path."""
    inside = _PACKAGE / name
    return inside if inside.is_dir() else _PACKAGE.parent / name
