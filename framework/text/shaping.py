"""Scripts whose letters join or change places: the order they stand in, and by HarfBuzz the glyphs
that they share.

HarfBuzz comes with the extra "text". Without it Pillow's Raqm draws a word as one picture.
"""

from __future__ import annotations

import importlib.util
import math
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Pixels
from .markup import right_to_left

# Of HarfBuzz's units, parts of a pixel.
_PARTS = 64
# Glyphs that join are drawn at so many places within a pixel: at whole ones, gaps would show.
PHASES = 4
# A glyph larger than so many times its font's size is left out: fonts are believed nothing.
_LARGEST = 16
_LONGEST_STROKE = 6  # pixels by which a picture is grown at once

NO_TEXT = "nothing"
"""What `shaped_by` says of a Pillow without FreeType."""

_BRACKETS = {"(": ")", "[": "]", "{": "}", "«": "»", "‹": "›"}
_DEEPEST = 63  # brackets within brackets, as UAX #9 has it
_MIRRORED = str.maketrans("()[]{}<>«»‹›", ")(][}{><»«›‹")


class Placed(NamedTuple):
    """A glyph of a text: its number in the font, and where its pen is in pixels."""

    number: int
    x: float
    y: float


def available() -> bool:
    """Whether HarfBuzz is there."""
    return _found()


@lru_cache(maxsize=1)
def _found() -> bool:
    return importlib.util.find_spec("uharfbuzz") is not None


def shaped_by() -> str:
    """By what text is measured and shaped on this machine: where it is the same, so are the sizes
    of texts.
    """
    from PIL import features  # a server that measures nothing does without

    if not features.check_module("freetype2"):
        return NO_TEXT
    if available():
        import uharfbuzz as hb

        shaper = f"HarfBuzz {hb.version_string()}"
    elif features.check_feature("raqm"):
        shaper = (
            f"Raqm {features.version_feature('raqm')}, HarfBuzz "
            f"{features.version_feature('harfbuzz')}"
        )
    else:
        shaper = "letters one by one"
    return f"FreeType {features.version_module('freetype2')}, {shaper}"


class Shaper:
    """A font at a size in pixels, whose glyphs are found and drawn by their numbers."""

    def __init__(self, path: str, pixels: float) -> None:
        import uharfbuzz as hb

        self._hb: Any = hb
        face = hb.Face(hb.Blob.from_file_path(path))
        self._font = hb.Font(face)
        self._pixels = pixels
        self._font.scale = (round(pixels * _PARTS), round(pixels * _PARTS))
        self._raster = hb.RasterDraw()
        self._raster.scale_factor = (_PARTS, _PARTS)

    def shape(self, text: str) -> tuple[float, list[Placed]]:
        """How many pixels a text of one direction is wide, and its glyphs from left to right."""
        buffer = self._hb.Buffer()
        buffer.add_str(text)
        buffer.guess_segment_properties()
        buffer.direction = "rtl" if right_to_left(text) else "ltr"
        self._hb.shape(self._font, buffer)
        pen, found = 0.0, []
        for info, place in zip(buffer.glyph_infos, buffer.glyph_positions, strict=True):
            x, y = (pen + place.x_offset) / _PARTS, place.y_offset / _PARTS
            found.append(Placed(info.codepoint, x, y))
            pen += place.x_advance
        return pen / _PARTS, found

    def mask(self, number: int, density: int, shift: float) -> tuple[Pixels, int, int] | None:
        """What a glyph covers of each pixel, row 0 at the top, ``density`` times as large and so
        many pixels further to the right; and its left and lower edge from the pen. None where there
        is nothing."""
        box = self._font.get_glyph_extents(number)
        most = _LARGEST * self._pixels * _PARTS
        if (
            box is None
            or max(map(abs, (box.x_bearing, box.y_bearing, box.width, box.height))) > most
        ):
            return None
        self._raster.transform = (density, 0, 0, density, shift * _PARTS, 0)
        self._raster.draw_glyph(self._font, number)
        image = self._raster.render()
        self._raster.clear()
        left, bottom, width, height, stride = image.extents
        if not width or not height:
            return None
        rows = np.frombuffer(image.buffer, np.uint8).reshape(height, stride)[:, :width]
        return rows[::-1].copy(), left, bottom


def grown(mask: Pixels, radius: float) -> tuple[Pixels, int]:
    """A mask whose edges lie so many pixels further out; and by how many pixels the array has grown
    on each side.
    """
    if radius <= 0:
        return mask, 0
    step = min(radius, _LONGEST_STROKE)
    room = math.ceil(step)
    height, width = mask.shape
    wide = np.zeros((height + 2 * room, width + 2 * room), np.uint8)
    for y in range(-room, room + 1):
        for x in range(-room, room + 1):
            share = min(1.0, max(0.0, step + 1.0 - math.hypot(x, y)))
            if share > 0:
                part = wide[room + y : room + y + height, room + x : room + x + width]
                np.maximum(part, mask if share == 1 else (mask * share).astype(np.uint8), out=part)
    further, more = grown(wide, radius - step)
    return further, room + more


def reads_from_the_right(letters: Sequence[str]) -> bool:
    """Whether a paragraph begins at the right: as its first letter does that is of a direction."""
    return next((kind == "R" for kind in map(_kind, letters) if kind in "LR"), False)


def in_order(letters: Sequence[str], from_the_right: bool) -> list[tuple[int, bool]]:
    """The letters of a line from left to right, as (number, whether it is read from the right).

    Unicode's bidirectional algorithm (UAX #9: W4 to W7, N0 to N2, L2), without marks that embed or
    override.
    """
    levels = _levels(letters, from_the_right)
    order = list(range(len(letters)))
    for level in range(max(levels, default=0), 0, -1):
        start = None
        for at in range(len(order) + 1):
            inside = at < len(order) and levels[order[at]] >= level
            if inside and start is None:
                start = at
            elif not inside and start is not None:
                order[start:at] = order[start:at][::-1]
                start = None
    return [(at, levels[at] % 2 == 1) for at in order]


def mirrored(text: str) -> str:
    """What has no direction of its own, such as a bracket, as it is where one reads from the
    right.
    """
    return text.translate(_MIRRORED)


def _kind(letter: str) -> str:
    """L, R, N: a number; S: what may stand within one, T: beside one; O: none of these."""
    for character in letter:
        kind = unicodedata.bidirectional(character)
        if kind == "L":
            return "L"
        if kind in ("R", "AL"):
            return "R"
        if kind in ("EN", "AN"):
            return "N"
        if kind in ("ES", "CS"):
            return "S"
        if kind == "ET":
            return "T"
    return "O"


def _levels(letters: Sequence[str], from_the_right: bool) -> list[int]:
    kinds, base = list(map(_kind, letters)), "R" if from_the_right else "L"
    _weak(kinds, base)
    before, at = base, 0
    for first, last in _pairs(letters):
        before = next((kind for kind in reversed(kinds[at:first]) if kind in "LRN"), before)
        at = first
        inside = {"R" if kind == "N" else kind for kind in kinds[first + 1 : last]} & {"L", "R"}
        if inside:
            other = base not in inside and (before in "RN") == (base == "L")
            kinds[first] = kinds[last] = ("R" if base == "L" else "L") if other else base
    before, at, end = base, 0, len(kinds)
    while at < end:
        stop = next((place for place in range(at, end) if kinds[place] in "LRN"), end)
        after = base if stop == end else "R" if kinds[stop] == "N" else kinds[stop]
        kinds[at:stop] = [before if before == after else base] * (stop - at)
        before, at = after, stop + 1
    if from_the_right:
        return [1 if kind == "R" else 2 for kind in kinds]
    return [{"L": 0, "R": 1, "N": 2}[kind] for kind in kinds]


def _weak(kinds: list[str], strong: str) -> None:
    """Numbers take in what stands within and beside them, and go with letters that are read from
    the left.
    """
    last = len(kinds) - 1
    for at, kind in enumerate(kinds):
        around = kinds[at - 1] if at else "O", kinds[at + 1] if at < last else "O"
        if (kind == "S" and around == ("N", "N")) or (kind == "T" and "N" in around):
            kinds[at] = "N"
    for at, kind in enumerate(kinds):
        if kind in "LR":
            strong = kind
        elif kind == "N" and strong == "L":
            kinds[at] = "L"


def _pairs(letters: Sequence[str]) -> list[tuple[int, int]]:
    """Brackets that belong together."""
    found: list[tuple[int, int]] = []
    open_at: list[int] = []
    for at, letter in enumerate(letters):
        if letter in _BRACKETS:
            if len(open_at) == _DEEPEST:
                break
            open_at.append(at)
        elif letter in _BRACKETS.values():
            match = next(
                (place for place in reversed(open_at) if _BRACKETS[letters[place]] == letter), None
            )
            if match is not None:
                del open_at[open_at.index(match) :]
                found.append((match, at))
    return sorted(found)
