"""Measure the width of text, and compute line breaks and caret positions.

Text is measured in pixels of the `UI`, which do not depend on the player's screen. `ui_atlas` draws
each letter at its measured position. If HarfBuzz computes the same widths on two computers, a
recorded click hits the same letter on both.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, chain, pairwise, repeat
from typing import TYPE_CHECKING

from ..text.fonts import FontStack, font_names
from ..text.markup import clusters, right_to_left, seen, wrapped

if TYPE_CHECKING:
    from ..resources import Folder
    from .theme import Font

_MAX_MEASURED = 8192
MAX_LETTERS = 20_000
"""The maximum number of letters that a widget shows. Letters after that are not shown."""

SOFT_HYPHEN = "\u00ad"


_MAX_COMPARED = 256  # letters
_MAX_FONTS = 64  # maximum number of font sizes that are loaded at the same time
_ROUNDING = 1e-6  # pixels, so that a text always fits into its measured width


_BREAKING = " -"  # printable ASCII letters that decide where a line may be broken


class Ruler:
    """Measures text in a font and its fallback fonts.

    Font sizes and widths are in units of the `UI`. ``scale`` is the number of pixels per unit.
    """

    not_state = True

    def __init__(self, font: Font, scale: float, folders: Sequence[Folder]) -> None:
        self._names = font_names(font)
        self._folders = folders
        self._scale = scale
        self._fonts: dict[float, FontStack] = {}
        self._known: dict[tuple[str, float], float] = {}
        self._broken: dict[tuple[str, float, float], tuple[str, ...]] = {}
        self._same: dict[tuple[str, str, float], bool] = {}
        self._font(20.0)  # raises an error now, and not later, if the font does not exist

    def _font(self, size: float) -> FontStack:
        font = self._fonts.get(size)
        if font is None:
            if len(self._fonts) >= _MAX_FONTS:
                self._fonts.clear()
            font = self._fonts[size] = FontStack(
                self._names, size * self._scale, self._folders, False
            )
        return font

    def line_height(self, size: float) -> float:
        """Return the distance between two lines in units. ``size`` is the font size in units."""
        return self._font(size).line_height / self._scale

    def width(self, text: str, size: float) -> float:
        """Return the width of one line of text in units."""
        width = self._known.get((text, size))
        if width is None:
            width = self._font(size).width(clusters(seen(text))) / self._scale
            if len(self._known) >= _MAX_MEASURED:
                self._known.clear()
            self._known[text, size] = width
        return width

    def same_layout(self, text: str, other: str, size: float) -> bool:
        """Return whether two texts have the same width and the same line breaks in every layout.
        Only short texts of printable ASCII characters are compared. For all other texts, return
        False.
        """
        if len(text) != len(other) or len(text) > _MAX_COMPARED:
            return False
        key = text, other, size
        same = self._same.get(key)
        if same is None:
            if len(self._same) >= _MAX_MEASURED:
                self._same.clear()
            same = self._same[key] = self._compare(text, other, size)
        return same

    def _compare(self, text: str, other: str, size: float) -> bool:
        """Compare two texts of the same length, as `same_layout` does."""
        if not (text.isascii() and other.isascii() and text.isprintable() and other.isprintable()):
            return False
        advance = self._font(size).advance
        after = other_after = ""
        for letter, other_letter in zip(reversed(text), reversed(other), strict=True):
            if letter != other_letter:
                if letter in _BREAKING or other_letter in _BREAKING:
                    return False
                # A letter has another advance at the end of a line or of a word, because no letter
                # follows it.
                if advance(letter, "") != advance(other_letter, ""):
                    return False
            if (letter != other_letter or after != other_after) and (
                advance(letter, after) != advance(other_letter, other_after)
            ):
                return False
            after = letter
            other_after = other_letter
        return True

    def stops(self, text: str, size: float) -> list[float]:
        """Return the left edge of each letter in a line, and the right edge of the last letter. For
        n letters, the list has n + 1 numbers.

        All numbers are in units from the start of the line.
        """
        letters = clusters(text)
        if sum(map(len, letters)) != len(text):  # some letters are invisible
            letters = list(text)
        ends = accumulate(advance / self._scale for advance in self._font(size).advances(letters))
        if len(letters) == len(text):
            return [0.0, *ends]
        return [0.0, *chain.from_iterable(map(repeat, ends, map(len, letters)))]

    def carets(self, text: str, size: float) -> list[float]:
        """Return n + 1 caret positions for a line of n letters: before each letter, and after the
        last letter.

        In right-to-left text, the caret positions are different from the edges in `stops`.
        """
        letters = clusters(text)
        if not right_to_left(text) or sum(map(len, letters)) != len(text):
            return self.stops(text, size)
        return [position / self._scale for position in self._font(size).carets_of(letters)]

    def breaks(self, paragraph: str, size: float, available: float) -> list[tuple[int, int]]:
        """Split a paragraph into lines that are at most ``available`` units wide.

        For each line, return the index of the first letter and the index after the last letter.
        """
        stops = self.stops(paragraph, size)
        advances = [(right - left) * self._scale for left, right in pairwise(stops)]
        return wrapped(paragraph, advances, available * self._scale + _ROUNDING)

    def min_width(self, text: str, size: float) -> float:
        """Return the width of the widest word in units.

        A word with a soft hyphen counts as two words.
        """
        words = text.replace(SOFT_HYPHEN, " ").split()
        return max([self.width(word, size) for word in words], default=0.0)

    def lines(self, text: str, size: float, available: float) -> tuple[str, ...]:
        """Split text into lines that are at most ``available`` units wide.

        A line can end between two words or at a soft hyphen. A word that is wider than
        ``available`` is split between two letters.
        """
        key = text, size, available
        result = self._broken.get(key)
        if result is None:
            lines: list[str] = []
            for paragraph in text[:MAX_LETTERS].splitlines() or [""]:
                lines += self._wrapped(paragraph, size, available)
            if len(self._broken) >= _MAX_MEASURED:
                self._broken.clear()
            result = self._broken[key] = tuple(lines)
        return result

    def _wrapped(self, paragraph: str, size: float, available: float) -> list[str]:
        plain = paragraph.replace(SOFT_HYPHEN, "")
        if self.width(plain, size) <= available:
            return [plain]
        if plain == paragraph:
            font = self._font(size)
            letters = clusters(seen(paragraph))
            pixels = available * self._scale + _ROUNDING
            return [
                "".join(letters[start:stop])
                for start, stop in wrapped(letters, font.advances(letters), pixels)
            ]
        return self._wrapped_at_hyphens(paragraph, size, available)

    def _wrapped_at_hyphens(self, paragraph: str, size: float, available: float) -> list[str]:
        """Break a paragraph into lines. Words may be broken at soft hyphens."""
        lines = []
        line = ""
        for word in paragraph.split():
            longer = f"{line} {word}".lstrip().replace(SOFT_HYPHEN, "")
            if self.width(longer, size) <= available:
                line = longer
                continue
            if line:
                lines.append(line)
            *whole, line = self._cut(word, size, available)
            lines += whole
        return [*lines, line]

    def _cut(self, word: str, size: float, available: float) -> list[str]:
        """Split a word into parts that are at most ``available`` units wide. A part ends with a
        hyphen only if the word is split at a soft hyphen.
        """
        pieces = []
        piece = ""
        parts = word.split(SOFT_HYPHEN)
        for number, part in enumerate(parts):
            hyphen = "-" if number < len(parts) - 1 else ""
            if self.width(piece + part + hyphen, size) <= available:
                piece += part
                continue
            if piece:
                pieces.append(f"{piece}-")
            piece = ""
            for letter in clusters(part):
                if piece and self.width(piece + letter, size) > available:
                    pieces.append(piece)
                    piece = ""
                piece += letter
        return [*pieces, piece]
