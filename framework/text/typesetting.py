"""Typesetting: lay out many one-line labels together, such as scores that change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles, Rows
from .fonts import FontFace

_ASCII = 128


class Slot(NamedTuple):
    """The sprite rows of one label, and the attributes that decide where its letters are."""

    start: float
    """The first sprite row of the label."""
    capacity: float
    """The number of sprite rows that the label has."""
    letter_count: float
    """The number of rows with letters. Rows without letters are spare."""
    x: float
    y: float
    angle: float
    scale: float
    visible_characters: float
    """The index of the first hidden letter."""
    anchor_x: float
    anchor_y: float
    """The anchor, as a fraction of the label's width and height. NaN means that the baseline is at
    the position of the label.
    """


class Slots(NamedTuple):
    """The fields of n `Slot` objects, as arrays of length n.

    ``position`` and ``anchor`` have the shape (n, 2).
    """

    start: Rows
    capacity: Rows
    letter_count: Rows
    position: Doubles
    angle: Doubles
    scale: Doubles
    visible_characters: Doubles
    anchor: Doubles


def slots_of(slots: Sequence[Slot]) -> Slots:
    """Convert several `Slot` objects to one `Slots`."""
    size = len(Slot._fields)
    table = np.fromiter(chain.from_iterable(slots), np.float64).reshape(len(slots), size)
    start: Rows
    capacity: Rows
    letter_count: Rows
    start, capacity, letter_count = table[:, :3].T.astype(np.intp)
    position = table[:, 3:5]
    anchor = table[:, 8:10]
    return Slots(
        start, capacity, letter_count, position, table[:, 5], table[:, 6], table[:, 7], anchor
    )


class Written(NamedTuple):
    """The letters of several labels after layout, in the order of the labels.

    ``images`` has the index of each letter's image in the batch. ``offsets`` (n, 2) has the
    position of each letter, in units from the position of its label. ``ranks`` has the index of
    each letter in its label. ``owners`` has the index of each letter's label. ``counts`` has the
    number of letters of each label.
    """

    images: NDArray[np.int32]
    offsets: Doubles
    ranks: NDArray[np.int32]
    owners: Rows
    counts: Rows


class Typesetter:
    """Lays out many labels at once. The tables of a `Typesetter` have the advance and the image of
    each ASCII letter.

    All its fonts must have the same number of pixels per unit.
    """

    not_state = True

    def __init__(self) -> None:
        self._faces: list[FontFace] = []
        self._numbers: dict[float, int] = {}
        self._steps = np.empty((0, _ASCII, _ASCII), np.float32)
        self._pictures = np.empty((0, _ASCII), np.int32)
        self._metrics = np.empty((0, 3))

    def _add(self, size: float, face: FontFace) -> int:
        steps = np.full((1, _ASCII, _ASCII), np.nan, np.float32)
        steps[0, 0] = 0.0  # the end of each text
        self._steps = np.concatenate([self._steps, steps])
        self._pictures = np.concatenate([self._pictures, np.full((1, _ASCII), -1, np.int32)])
        self._metrics = np.concatenate([self._metrics, [(face.descent, face.ascent, face.height)]])
        self._faces.append(face)
        self._numbers[size] = len(self._faces) - 1
        return len(self._faces) - 1

    def numbers(self, sizes: Sequence[float], face_at: Callable[[float], FontFace]) -> Rows:
        """For each size, return the index of its font in the tables.

        ``face_at(size)`` returns the font for a size. ``face_at`` is called if the size is new.
        """
        cached = self._numbers
        return np.array(
            [cached[size] if size in cached else self._add(size, face_at(size)) for size in sizes],
            np.intp,
        )

    def set(self, texts: Sequence[str], kinds: Rows, anchors: Doubles) -> Written:
        """Lay out one line per text. ``kinds`` has the index of each text's font in the tables.

        ``anchors`` (n, 2) has the anchor of each label, as in `Slots.anchor`. The atlas must
        already have all letters of ``texts`` (see `FontFace.knows`).
        """
        codes = np.frombuffer(("\0".join(texts) + "\0").encode("ascii"), np.uint8).astype(np.intp)
        ends = np.flatnonzero(codes == 0)
        starts = np.concatenate([[0], ends[:-1] + 1])
        owners = np.repeat(np.arange(len(texts)), ends - starts + 1)
        letters = kinds[owners] * _ASCII + codes
        steps = letters * _ASCII
        steps[:-1] += codes[1:]
        advances = self._steps.take(steps).astype(np.float64)
        if np.isnan(advances.sum()):
            self._learn(np.unique(steps[np.isnan(advances)]))
            advances = self._steps.take(steps).astype(np.float64)
        pens = advances.cumsum() - advances  # whole numbers: exact for any count
        images = self._pictures.take(letters)
        drawn = np.flatnonzero(images >= 0)
        owners = owners[drawn]
        ratio = self._faces[0].ratio
        metrics = self._metrics[kinds]
        corners = np.stack([np.zeros(len(texts)), metrics[:, 0]], axis=1)
        if anchors.any():
            across = (pens[ends] - pens[starts]) / ratio * anchors[:, 0]
            on_baseline = metrics[:, 2] - metrics[:, 1]
            low = np.where(np.isnan(anchors[:, 1]), on_baseline, metrics[:, 2] * anchors[:, 1])
            corners += (
                np.floor(np.stack([-across, -low], axis=1) * ratio + 0.5) / ratio
            )  # like `FontFace.snap`
        offsets = corners[owners]
        offsets[:, 0] += (pens[drawn] - pens[starts[owners]]) / ratio
        ranks = (drawn - starts[owners]).astype(np.int32)
        return Written(
            images[drawn], offsets, ranks, owners, np.bincount(owners, minlength=len(texts))
        )

    def _learn(self, steps: Rows) -> None:
        keys: list[int] = steps.tolist()
        for key in keys:
            pair, next_code = divmod(key, _ASCII)
            kind, code = divmod(pair, _ASCII)
            advance, picture = self._faces[kind].step(chr(code), chr(next_code).strip("\0"))
            self._steps[kind, code, next_code] = advance
            self._pictures[kind, code] = -1 if picture is None else picture
