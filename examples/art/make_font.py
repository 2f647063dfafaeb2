"""Font: makes the framework's pixel font: ``python make_font.py`` (needs fontTools).

`pixel_letters.txt` has one letter per line: its rows from the top of capitals down. The seventh row
is on the baseline. The program adds accents to the letters. Letters of other alphabets that look
alike share their pixels. At a font size of 10 or a multiple, each font pixel is one pixel of the
image. All letters are in the public domain (CC0).
"""

from __future__ import annotations

import unicodedata
from pathlib import Path

import numpy as np
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from numpy.typing import NDArray

HERE = Path(__file__).parent
FOLDER = HERE.parent.parent / "framework" / "fonts"

UNIT = 100  # font units of a pixel
EM, ASCENT, DESCENT, CAPITAL, SMALL = 10, 10, 2, 7, 5  # pixels
ABOVE, ROWS = 3, 12  # rows for accents above capitals; all rows

Bitmap = NDArray[np.bool_]

# Accents by their combining characters: rows from the top down. Those in `BELOW` start at the
# baseline.
ACCENTS = {
    "\u0300": "#. .#",
    "\u0301": ".# #.",
    "\u0302": ".#. #.#",
    "\u0303": ".#.# #.#.",
    "\u0304": "###",
    "\u0306": "#.# .#.",
    "\u0307": "#",
    "\u0308": "#.#",
    "\u030a": ".#. #.# .#.",
    "\u030b": ".#.# #.#.",
    "\u030c": "#.# .#.",
}
BELOW = {"\u0326": ".# #.", "\u0327": ".# ##", "\u0328": "#. .#"}
ALIKE = (
    "ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX οo µμ АA ВB ГΓ ЕE КK МM НH ОO ПΠ РP СC "
    "ТT ФΦ ХX ІI ЈJ ЅS "
    "аa еe кκ оo рp сc уy хx іi јj ѕs ‐- ‑- ʼ’ \u00a0  "
)
COMPOSED = [
    *range(0x00C0, 0x0180),
    *range(0x0218, 0x021C),
    *range(0x0386, 0x03CF),
    *range(0x0400, 0x0460),
]


def drawn(rows: str) -> Bitmap:
    """Return a letter's pixels (ROWS, width), row 0 at the top."""
    lines = [[dot == "#" for dot in row] for row in rows.split(" ")]
    letter = np.zeros((ROWS, len(lines[0])), bool)
    letter[ABOVE : ABOVE + len(lines)] = lines
    return letter


def accented(base: Bitmap, mark: str) -> Bitmap:
    """Return a letter with an accent: centered, one row above or below the letter."""
    shape = np.array([[dot == "#" for dot in row] for row in (ACCENTS | BELOW)[mark].split(" ")])
    tall, wide = shape.shape
    spare = max(0, wide - base.shape[1])
    letter = np.pad(base, ((0, 0), (spare // 2, spare - spare // 2)))
    left = (letter.shape[1] - wide) // 2 if mark != "\u0328" else letter.shape[1] - wide
    highest = int(np.flatnonzero(letter.any(axis=1))[0])
    top = ABOVE + CAPITAL if mark in BELOW else max(0, highest - 1 - tall)
    letter[top : top + tall, left : left + wide] |= shape
    return letter


def letters() -> dict[str, Bitmap]:
    """Return all letters by their characters."""
    found = {" ": np.zeros((ROWS, 3), bool)}
    for line in (HERE / "pixel_letters.txt").read_text("utf-8").splitlines():
        found[line[0]] = drawn(line[2:])
    found.update({pair[0]: found[pair[1]] for pair in ALIKE.split(" ") if len(pair) == 2})
    found["\u00a0"] = found[" "]
    for code in COMPOSED:
        base, *marks = unicodedata.normalize("NFD", chr(code))
        base = (
            {"i": "ı", "j": "ȷ", "і": "ı"}.get(base, base)
            if marks and marks[0] in ACCENTS
            else base
        )
        if base in found and marks and all(mark in ACCENTS | BELOW for mark in marks):
            letter = found[base]
            for mark in marks:
                letter = accented(letter, mark)
            found[chr(code)] = letter
    return found


def outlines(letter: Bitmap) -> list[list[tuple[int, int]]]:
    """Return the outlines of set pixels, as corners in pixels from the left of the baseline, y up.
    Outer outlines are clockwise, holes counter-clockwise.
    """
    room = np.pad(letter, 1)
    ways: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for row, column in np.argwhere(room):
        x, y = int(column) - 1, ABOVE + CAPITAL - (int(row) - 1)
        sides = (
            (-1, 0, (x, y), (x + 1, y)),
            (0, 1, (x + 1, y), (x + 1, y - 1)),
            (1, 0, (x + 1, y - 1), (x, y - 1)),
            (0, -1, (x, y - 1), (x, y)),
        )
        for down, right, start, end in sides:
            if not room[row + down, column + right]:
                ways.setdefault(start, []).append(end)
    loops = []
    while ways:
        loop = [next(iter(ways))]
        while loop[-1] in ways:
            ends = ways[loop[-1]]
            end = ends.pop()
            if not ends:
                del ways[loop[-1]]
            loop.append(end)
        corners = loop[:-1]
        around = zip(corners[-1:] + corners[:-1], corners, corners[1:] + corners[:1], strict=True)
        loops.append(
            [at for before, at, after in around if (before[0] == at[0]) != (at[0] == after[0])]
        )
    return loops


def bold(letter: Bitmap) -> Bitmap:
    """Return a letter whose strokes are one pixel wider."""
    wider = np.pad(letter, ((0, 0), (0, 1)))
    return wider | np.roll(wider, 1, axis=1)


def make(style: str, found: dict[str, Bitmap]) -> None:
    """Write the font file of one style."""
    names = {character: f"u{ord(character):04X}" for character in found}
    glyphs, widths = {}, {}
    box = drawn(
        "##### #...# #...# #...# #...# #...# #####"
    )  # the glyph for characters that are not in the font
    for name, letter in [
        (".notdef", box),
        *((names[character], letter) for character, letter in found.items()),
    ]:
        pen = TTGlyphPen(None)
        for loop in outlines(letter):
            pen.moveTo((loop[0][0] * UNIT, loop[0][1] * UNIT))
            for x, y in loop[1:]:
                pen.lineTo((x * UNIT, y * UNIT))
            pen.closePath()
        glyphs[name], widths[name] = pen.glyph(), (letter.shape[1] + 1) * UNIT
    font = FontBuilder(EM * UNIT, isTTF=True)
    font.setupGlyphOrder(list(glyphs))
    font.setupCharacterMap({ord(character): name for character, name in names.items()})
    font.setupGlyf(glyphs)
    starts = {name: glyph.xMin if glyph.numberOfContours else 0 for name, glyph in glyphs.items()}
    font.setupHorizontalMetrics({name: (widths[name], starts[name]) for name in glyphs})
    font.setupHorizontalHeader(ascent=ASCENT * UNIT, descent=-DESCENT * UNIT)
    font.setupNameTable({"familyName": "Subtick Pixel", "styleName": style, "copyright": "CC0 1.0"})
    font.setupOS2(
        sTypoAscender=ASCENT * UNIT,
        sTypoDescender=-DESCENT * UNIT,
        sTypoLineGap=0,
        usWinAscent=ASCENT * UNIT,
        usWinDescent=DESCENT * UNIT,
        sxHeight=SMALL * UNIT,
        sCapHeight=CAPITAL * UNIT,
    )
    font.setupPost(keepGlyphNames=False)
    font.setupHead(unitsPerEm=EM * UNIT, created=0, modified=0)
    file = FOLDER / f"SubtickPixel{'' if style == 'Regular' else '-' + style}.ttf"
    font.save(file)
    print(f"{file}: {len(found)} letters, {file.stat().st_size:,} bytes")


if __name__ == "__main__":
    regular = dict(sorted(letters().items()))
    make("Regular", regular)
    make("Bold", {character: bold(letter) for character, letter in regular.items()})
