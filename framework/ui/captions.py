"""Text of widgets: how large it is, where it breaks, and the batches that draw it.

What is measured is measured in the interface's own pixels, whatever display there is: where a click falls is the same
on every machine. All that is known of the framework's own text is in this module.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from PIL import ImageFont

from .. import resources
from ..errors import AssetError
from ..plane.text import Label, TextBatch

_MOST_MEASURED = 8192
MOST_LETTERS = 20_000
"""Letters of one widget that are shown; what is beyond is left out."""

SOFT_HYPHEN = "\u00ad"


@functools.lru_cache(maxsize=64)
def _loaded(path: str | None, pixels: float) -> Any:
    try:
        if path is None:
            return ImageFont.load_default(pixels)
        return ImageFont.truetype(path, pixels, layout_engine=ImageFont.Layout.BASIC)
    except OSError as error:
        raise AssetError(f"The font {path!r} cannot be read: {error}. TrueType and OpenType files can.") from error


class Ruler:
    """Measures text in one font; sizes are units, of which each is ``scale`` pixels."""

    not_state = True

    def __init__(self, font: Any, scale: float, folders: Sequence[Any]) -> None:
        self._path = None if font is None else str(resources.find(font, folders))
        self._scale = scale
        self._known: dict[tuple[str, float], float] = {}
        self._broken: dict[tuple[str, float, float], tuple[str, ...]] = {}

    def _font(self, size: float) -> Any:
        return _loaded(self._path, max(1.0, size * self._scale))

    def line_height(self, size: float) -> float:
        """From one line to the next."""
        return float(sum(self._font(size).getmetrics())) / self._scale

    def width(self, text: str, size: float) -> float:
        """Of one line."""
        found = self._known.get((text, size))
        if found is None:
            font = self._font(size)
            found = sum(round(font.getlength(letter)) for letter in text if letter.isprintable()) / self._scale
            if len(self._known) >= _MOST_MEASURED:
                self._known.clear()
            self._known[text, size] = found
        return found

    def least(self, text: str, size: float) -> float:
        """The widest word, or part of one between soft hyphens."""
        words = text.replace(SOFT_HYPHEN, " ").split()
        return max([self.width(word, size) for word in words], default=0.0)

    def lines(self, text: str, size: float, available: float) -> tuple[str, ...]:
        """The lines of a text in so much room: broken between words, at soft hyphens, and where even a part of a word
        is too wide, between letters."""
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
            for letter in part:
                if piece and self.width(piece + letter, size) > available:
                    pieces.append(piece)
                    piece = ""
                piece += letter
        return [*pieces, piece]


class Captions:
    """The text of one sheet: labels by what they belong to, in a batch for each size of letters."""

    not_state = True

    def __init__(self, font: Any, attach: Callable[[TextBatch], None]) -> None:
        self._font = font
        self._attach = attach
        self._batches: dict[float, TextBatch] = {}
        self._labels: dict[Any, tuple[Label, float, tuple[Any, ...]]] = {}
        self._kept: dict[Any, tuple[Label, float, tuple[Any, ...]]] = {}

    @property
    def uploaded_bytes(self) -> int:
        """Bytes written to the GPU so far."""
        return sum(batch.uploaded_bytes for batch in self._batches.values())

    def begin(self) -> None:
        """What is written until `finish` is all that there is."""
        self._kept = {}

    def write(self, key: Any, text: str, size: float, x: float, y: float, color: Any) -> None:
        """A line whose bottom left corner is at (x, y) of the picture."""
        state = text, x, y, color
        label, _, before = found = self._labels.pop(key, (None, 0.0, ()))
        if label is not None and found[1] != size:
            label.remove()
            label, before = None, ()
        if label is None:
            batch = self._batches.get(size)
            if batch is None:
                batch = self._batches[size] = TextBatch(self._font, size)
                self._attach(batch)
            label = batch.add(text, (x, y), color=color)
        elif before != state:
            label.text, label.color = text, color
            if label.position != (x, y):
                label.position = x, y
        self._kept[key] = label, size, state

    def finish(self, moving: bool) -> None:
        """What was not written again is gone."""
        for label, _, _ in self._labels.values():
            label.remove()
        self._labels = self._kept
        if not moving:
            for batch in self._batches.values():
                batch.glyphs.teleport(slice(None))

    def begin_tick(self, dt: float) -> None:
        for batch in self._batches.values():
            batch.begin_tick(dt)

    def end_tick(self) -> None:
        for batch in self._batches.values():
            batch.end_tick()

    def draw(self) -> None:
        for batch in self._batches.values():
            batch.draw()

    def release(self) -> None:
        for batch in self._batches.values():
            batch.release()
        self._batches, self._labels = {}, {}
