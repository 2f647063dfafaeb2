"""Text of widgets: how large it is, and where it breaks.

What is measured is measured in the interface's own pixels, whatever display there is, and letters
are drawn where they were measured (`pictures`): where a click falls is the same on every machine
that shapes text alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, chain, pairwise, repeat
from typing import TYPE_CHECKING

from ..text.faces import FontStack, font_names
from ..text.markup import clusters, right_to_left, seen, wrapped

if TYPE_CHECKING:
    from ..resources import Folder
    from .theme import Font

_MOST_MEASURED = 8192
MOST_LETTERS = 20_000
"""Letters of one widget that are shown; what is beyond is left out."""

SOFT_HYPHEN = "\u00ad"


_MOST_SIZES = 64  # of letters, for which a ruler has a font open
_ROUNDING = 1e-6  # pixels: what was found to fit does


class Ruler:
    """Measures text in a font and its fallbacks; sizes are units, of which each is ``scale``
    pixels.
    """

    not_state = True

    def __init__(self, font: Font, scale: float, folders: Sequence[Folder]) -> None:
        self._names, self._folders = font_names(font), folders
        self._scale = scale
        self._fonts: dict[float, FontStack] = {}
        self._known: dict[tuple[str, float], float] = {}
        self._broken: dict[tuple[str, float, float], tuple[str, ...]] = {}
        self._font(20.0)  # an error comes now

    def _font(self, size: float) -> FontStack:
        found = self._fonts.get(size)
        if found is None:
            if len(self._fonts) >= _MOST_SIZES:
                self._fonts.clear()
            found = self._fonts[size] = FontStack(
                self._names, size * self._scale, self._folders, False
            )
        return found

    def line_height(self, size: float) -> float:
        """From one line to the next."""
        return self._font(size).line_height / self._scale

    def width(self, text: str, size: float) -> float:
        """Of one line."""
        found = self._known.get((text, size))
        if found is None:
            found = self._font(size).width(clusters(seen(text))) / self._scale
            if len(self._known) >= _MOST_MEASURED:
                self._known.clear()
            self._known[text, size] = found
        return found

    def stops(self, text: str, size: float) -> list[float]:
        """Where each letter of a line begins, and where the last one ends: as many as letters, and
        one.
        """
        letters = clusters(text)
        if sum(map(len, letters)) != len(text):  # some that are not seen
            letters = list(text)
        ends = accumulate(advance / self._scale for advance in self._font(size).advances(letters))
        if len(letters) == len(text):
            return [0.0, *ends]
        return [0.0, *chain.from_iterable(map(repeat, ends, map(len, letters)))]

    def carets(self, text: str, size: float) -> list[float]:
        """Where the caret stands before each letter of a line, and after the last one: as `stops`,
        but in a line with letters that are read from the right, where these are drawn."""
        letters = clusters(text)
        if not right_to_left(text) or sum(map(len, letters)) != len(text):
            return self.stops(text, size)
        return [place / self._scale for place in self._font(size).carets_of(letters)]

    def breaks(self, paragraph: str, size: float, available: float) -> list[tuple[int, int]]:
        """The lines of a paragraph that is typed in so much room, each as (start, stop) of its
        letters.
        """
        stops = self.stops(paragraph, size)
        advances = [(after - before) * self._scale for before, after in pairwise(stops)]
        return wrapped(paragraph, advances, available * self._scale + _ROUNDING)

    def least(self, text: str, size: float) -> float:
        """The widest word, or part of one between soft hyphens."""
        words = text.replace(SOFT_HYPHEN, " ").split()
        return max([self.width(word, size) for word in words], default=0.0)

    def lines(self, text: str, size: float, available: float) -> tuple[str, ...]:
        """The lines of a text in so much room: broken between words, at soft hyphens, and where
        even a part of a word is too wide, between letters."""
        key = text, size, available
        found = self._broken.get(key)
        if found is None:
            lines: list[str] = []
            for paragraph in text[:MOST_LETTERS].splitlines() or [""]:
                lines += self._wrapped(paragraph, size, available)
            if len(self._broken) >= _MOST_MEASURED:
                self._broken.clear()
            found = self._broken[key] = tuple(lines)
        return found

    def _wrapped(self, paragraph: str, size: float, available: float) -> list[str]:
        plain = paragraph.replace(SOFT_HYPHEN, "")
        if self.width(plain, size) <= available:
            return [plain]
        if plain == paragraph:
            font, letters = self._font(size), clusters(seen(paragraph))
            room = available * self._scale + _ROUNDING
            return [
                "".join(letters[start:stop])
                for start, stop in wrapped(letters, font.advances(letters), room)
            ]
        lines, line = [], ""
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
        """A word in pieces that have room."""
        pieces, piece = [], ""
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
