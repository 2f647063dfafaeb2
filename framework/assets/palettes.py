"""Read a list of colors (a palette) from code or a file, to limit pixel art to these colors."""

from __future__ import annotations

__all__ = ["Palette"]

import os
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from .. import checks
from ..current_game import current_folders
from ..errors import AssetError
from ..resources import find
from . import images

_MAX_COLORS = 256
_MAX_BYTES = 1 << 16
_HEX = re.compile(r"#?([0-9a-fA-F]{6})")
_NUMBERS = re.compile(r"\s*(\d{1,3})\s+(\d{1,3})\s+(\d{1,3})\b")
TEXT_ENDINGS = (".gpl", ".hex", ".pal", ".txt")


class Palette:
    """A palette: up to 256 colors for pixel art. To use a palette, set ``game.picture.palette``.
    Each texel of the game's image is then drawn in the nearest color of the palette.

    Parameters
    ----------
    colors
        A list of colors (``"#ff004d"``, or three numbers from 0 to 1), or the path of a file. The
        file is a GIMP palette (.gpl), a JASC palette (.pal), a list with one hexadecimal number per
        line (.hex, .txt), or an image. If the file is an image, its colors are read row by row.
        Repeated colors and fully transparent pixels are skipped.
    dither
        The strength of the dithering, from 0 to 1. Dithering shows a color between two palette
        colors as a pattern of 4×4 texels in the two colors. Default: 0.

    Raises `AssetError` if the file is missing or damaged, or contains no colors or too many.
    """

    not_state = True

    def __init__(
        self,
        colors: str | os.PathLike[str] | Sequence[str | Sequence[float]],
        *,
        dither: float = 0.0,
    ) -> None:
        self.dither = checks.number("dither", dither, least=0, most=1)
        if isinstance(colors, str | os.PathLike):
            listed = _from_file(colors)
        else:
            listed = _from_colors(colors)
        self.bytes: tuple[tuple[int, int, int], ...] = tuple(listed)
        """The red, green and blue of each color, in sRGB from 0 to 255."""

    def __len__(self) -> int:
        """The number of colors in the palette."""
        return len(self.bytes)


def _from_colors(colors: Sequence[str | Sequence[float]]) -> list[tuple[int, int, int]]:
    spelled = [checks.color("colors", color) for color in checks.items("colors", colors)]
    for color in spelled:
        if not 0 <= min(color[:3]) <= max(color[:3]) <= 1:
            raise checks.wrong_value("colors", "red, green and blue from 0 to 1", color[:3])
    if not 1 <= len(spelled) <= _MAX_COLORS:
        raise checks.wrong_value("colors", f"1 to {_MAX_COLORS} colors", f"{len(spelled)} of them")
    return [
        (round(red * 255), round(green * 255), round(blue * 255)) for red, green, blue, _ in spelled
    ]


def _from_file(path: str | os.PathLike[str]) -> list[tuple[int, int, int]]:
    where = find(checks.path("colors", path), current_folders())
    name = f"The palette {os.fspath(path)!r}"
    listed = (
        _from_text(where, name) if where.suffix.lower() in TEXT_ENDINGS else _from_picture(where)
    )
    if not 1 <= len(listed) <= _MAX_COLORS:
        raise AssetError(f"{name} has {len(listed)} colors; it may have 1 to {_MAX_COLORS}")
    return listed


def _from_picture(path: Path) -> list[tuple[int, int, int]]:
    pixels = images.load(path).reshape(-1, 4)
    pixels = pixels[pixels[:, 3] > 0, :3]
    colors, first = np.unique(pixels, axis=0, return_index=True)
    return [
        (int(red), int(green), int(blue))
        for red, green, blue in colors[np.argsort(first)][: _MAX_COLORS + 1]
    ]


def _from_text(path: Path, name: str) -> list[tuple[int, int, int]]:
    listed = []
    for line in _lines(path, name):
        spelled = _HEX.fullmatch(line.strip())
        numbers = _NUMBERS.match(line)
        if spelled is not None:
            red, green, blue = bytes.fromhex(spelled[1])
        elif numbers is not None:
            red, green, blue = map(int, numbers.groups())
        else:
            continue
        if max(red, green, blue) > 255:
            raise AssetError(f"{name} has a color {line.strip()!r}; numbers go to 255")
        listed.append((red, green, blue))
    return listed


def _lines(path: Path, name: str) -> list[str]:
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
        if len(data) > _MAX_BYTES:
            raise AssetError(
                f"{name} has more than {_MAX_BYTES // 1024} KiB: that is not a palette"
            )
        return data.decode("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise AssetError(f"{name} cannot be read: {error}") from error
