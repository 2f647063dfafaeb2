"""Read color lookup tables (LUTs), which replace colors, from images and .cube files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import AssetError
from ..resources import Folder, find
from . import images
from .images import ImageSource

_MAX_ENTRIES = 65  # the maximum number of entries per color channel
_MAX_BYTES = 16 << 20

Cube = NDArray[np.uint8]


def load(source: ImageSource, folders: tuple[Folder, ...] = ()) -> Cube:
    """Return a color lookup table as a uint8 array of the shape (n, n, n, 4). The first three axes
    of the array are blue, green and red. All colors in the table are sRGB.

    ``source`` is an image, or a .cube file with a 3D table (Adobe's Cube LUT Specification 1.0). An
    image contains n squares of n × n pixels, side by side. In each square, red increases to the
    right, and green increases downwards. Blue increases from one square to the next.

    Raises `AssetError` if the file is missing or damaged, or has more than 65 entries per channel.
    """
    if isinstance(source, str | Path) and str(source).lower().endswith(".cube"):
        path = find(source, folders)
        if path.stat().st_size > _MAX_BYTES:
            raise AssetError(
                f"The table {str(path)!r} has more than {_MAX_BYTES >> 20} MiB; one "
                "of 33 entries has 1."
            )
        return _of_cube(str(path), path.read_bytes())
    pixels = images.load(source, folders)
    height, width = pixels.shape[:2]
    if not 2 <= height <= _MAX_ENTRIES or width != height * height:
        raise AssetError(
            f"The image of a table {images.described(source)} is {width} × {height} pixels; "
            f"expected n slices of n × n side by side, n from 2 to {_MAX_ENTRIES}: 256 × 16, 1024 × "
            "32, …"
        )
    return np.ascontiguousarray(pixels.reshape(height, height, height, 4).transpose(1, 0, 2, 3))


def _of_cube(name: str, content: bytes) -> Cube:
    size = 0
    low = [0.0] * 3
    high = [1.0] * 3
    rows: list[str] = []
    for number, line in enumerate(content.decode("latin-1").splitlines(), 1):
        text = line.split("#", 1)[0]
        words = text.split()
        if not words:
            continue
        try:
            match words[0]:
                case "LUT_3D_SIZE":
                    size = int(words[1])
                    if not 2 <= size <= _MAX_ENTRIES:
                        expected = f"expected 2 to {_MAX_ENTRIES} entries, got {size}"
                        raise AssetError(f"The table {name!r}, line {number}: {expected}.")
                case "LUT_1D_SIZE":
                    raise AssetError(
                        f"The table {name!r} is a 1D one (line {number}); a 3D one is needed."
                    )
                case "DOMAIN_MIN":
                    low = [float(word) for word in words[1:4]]
                case "DOMAIN_MAX":
                    high = [float(word) for word in words[1:4]]
                case word if word[0] in "+-.0123456789":
                    rows.append(text)
        except (ValueError, IndexError):
            raise AssetError(
                f"The table {name!r}, line {number}: expected numbers, got {line[:60]!r}."
            ) from None
        if len(rows) > _MAX_ENTRIES**3:
            raise AssetError(f"The table {name!r} has more than {_MAX_ENTRIES} entries a channel.")
    if low != [0.0] * 3 or high != [1.0] * 3:
        raise AssetError(
            f"The table {name!r} is for colors from {low} to {high}; expected one for 0 to 1."
        )
    return _cube(name, size, rows)


def _cube(name: str, size: int, rows: list[str]) -> Cube:
    """Convert the rows of a .cube file, with three numbers each, to a table with ``size`` entries
    per channel.
    """
    try:
        values = np.array([row.split() for row in rows], np.float64)
    except ValueError:
        values = np.empty(0)
    if size == 0 or values.shape != (size**3, 3) or not np.isfinite(values).all():
        expected = f"expected LUT_3D_SIZE n and n³ rows of three numbers, got {len(rows)} rows"
        raise AssetError(f"The table {name!r}: {expected}.")
    cube = np.full((size, size, size, 4), 255, np.uint8)
    cube[..., :3] = np.round(values.clip(0, 1) * 255).reshape(size, size, size, 3)
    return cube
