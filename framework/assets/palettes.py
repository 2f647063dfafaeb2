"""Palettes: the few colours of a picture, from a list or a file."""

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

_MOST = 256
_MOST_BYTES = 1 << 16
_HEX = re.compile(r"#?([0-9a-fA-F]{6})")
_NUMBERS = re.compile(r"\s*(\d{1,3})\s+(\d{1,3})\s+(\d{1,3})\b")
_TEXTS = (".gpl", ".hex", ".pal", ".txt")


class Palette:
    """Up to 256 colours, for ``game.picture.palette`` in a game of pixel art: each texel takes the nearest
    of them.

    Parameters
    ----------
    colors
        Colours (``"#ff004d"``, or three numbers in 0..1), or the path of a file of GIMP (.gpl), of
        JASC (.pal), of hexadecimal numbers a line (.hex, .txt), or of a picture, which has each of
        its colours once, row by row.
    dither
        0 to 1: how far a pattern of 4×4 texels mixes the colours that one lies between.

    Raises `AssetError` for a file that is missing, broken or has no colours, or too many.
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
            found = _from_file(colors)
        else:
            spelled = [checks.color("colors", color) for color in checks.items("colors", colors)]
            for color in spelled:
                if not 0 <= min(color[:3]) <= max(color[:3]) <= 1:
                    raise checks.wrong_value("colors", "red, green and blue from 0 to 1", color[:3])
            found = [
                (round(red * 255), round(green * 255), round(blue * 255))
                for red, green, blue, _ in spelled
            ]
            if not 1 <= len(found) <= _MOST:
                raise checks.wrong_value("colors", f"1 to {_MOST} colours", f"{len(found)} of them")
        self.bytes: tuple[tuple[int, int, int], ...] = tuple(found)
        """Red, green and blue of each, sRGB in 0..255."""

    def __len__(self) -> int:
        """How many colours."""
        return len(self.bytes)


def _from_file(path: str | os.PathLike[str]) -> list[tuple[int, int, int]]:
    where = find(checks.path("colors", path), current_folders())
    name = f"The palette {os.fspath(path)!r}"
    found = _from_text(where, name) if where.suffix.lower() in _TEXTS else _from_picture(where)
    if not 1 <= len(found) <= _MOST:
        raise AssetError(f"{name} has {len(found)} colours; it may have 1 to {_MOST}")
    return found


def _from_picture(path: Path) -> list[tuple[int, int, int]]:
    pixels = images.load(path).reshape(-1, 4)
    pixels = pixels[pixels[:, 3] > 0, :3]
    colors, first = np.unique(pixels, axis=0, return_index=True)
    return [
        (int(red), int(green), int(blue))
        for red, green, blue in colors[np.argsort(first)][: _MOST + 1]
    ]


def _from_text(path: Path, name: str) -> list[tuple[int, int, int]]:
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
        if len(data) > _MOST_BYTES:
            raise AssetError(f"{name} has more than {_MOST_BYTES // 1024} KiB: that is no palette")
        lines = data.decode("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise AssetError(f"{name} cannot be read: {error}") from error
    found = []
    for line in lines:
        spelled, numbers = _HEX.fullmatch(line.strip()), _NUMBERS.match(line)
        if spelled is not None:
            red, green, blue = bytes.fromhex(spelled[1])
        elif numbers is not None:
            red, green, blue = map(int, numbers.groups())
        else:
            continue
        if max(red, green, blue) > 255:
            raise AssetError(f"{name} has a colour {line.strip()!r}; numbers go to 255")
        found.append((red, green, blue))
    return found
