"""Subtick sound: the native library that mixes and plays the sounds of Subtick games.

Subtick finds this package if it is installed. You do not need to import it.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["library_path"]
__version__ = "0.1.0"

_ENDINGS = (".so", ".dylib", ".dll")


def library_path() -> Path:
    """Return the path of the native library. Raises `OSError` if the package has none."""
    folder = Path(__file__).parent
    for ending in _ENDINGS:
        path = folder / f"subtick_sound{ending}"
        if path.exists():
            return path
    raise OSError(f"There is no native library in {folder}; install subtick-sound again")
