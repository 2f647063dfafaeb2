"""Plain lines of many labels, laid out in one pass: what scores, clocks and names do in each
tick.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Doubles, Rows
from .faces import Face

_ASCII = 128


class Spot(NamedTuple):
    """Where a label stands: its rows, pose, how many letters are shown, and its anchor as shares of
    its size (``up`` is NaN for the baseline)."""

    start: float
    room: float
    used: float
    x: float
    y: float
    angle: float
    scale: float
    shown: float
    across: float
    up: float


class Written(NamedTuple):
    """Letters of labels, one label after the other: pictures, places (n, 2) in units from their
    positions, ranks, and the number of their label; and how many letters each label has."""

    images: Any
    places: Doubles
    ranks: Any
    owners: Rows
    counts: Rows


class Typesetter:
    """How far it is between letters of ASCII, and their pictures, of several faces of one pixel
    ratio.
    """

    not_state = True

    def __init__(self) -> None:
        self._faces: list[Face] = []
        self._numbers: dict[float, int] = {}
        self._steps = np.empty((0, _ASCII, _ASCII), np.float32)
        self._pictures = np.empty((0, _ASCII), np.int32)
        self._metrics = np.empty((0, 3))

    def _add(self, size: float, face: Face) -> int:
        steps = np.full((1, _ASCII, _ASCII), np.nan, np.float32)
        steps[0, 0] = 0.0  # what ends each text
        self._steps = np.concatenate([self._steps, steps])
        self._pictures = np.concatenate([self._pictures, np.full((1, _ASCII), -1, np.int32)])
        self._metrics = np.concatenate([self._metrics, [(face.descent, face.ascent, face.height)]])
        self._faces.append(face)
        self._numbers[size] = len(self._faces) - 1
        return len(self._faces) - 1

    def numbers(self, sizes: Sequence[float], face_at: Any) -> Rows:
        """The numbers of the faces of these sizes, which ``face_at(size)`` returns."""
        known = self._numbers
        return np.array(
            [known[size] if size in known else self._add(size, face_at(size)) for size in sizes],
            np.intp,
        )

    def set(self, texts: Sequence[str], kinds: Rows, spots: Doubles) -> Written:
        """Lay out a line of each text in the face of its number, anchored as its spot says. All
        letters are drawn already: see `Face.knows`."""
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
        pens = advances.cumsum() - advances  # whole numbers: exact, however many
        images = self._pictures.take(letters)
        drawn = np.flatnonzero(images >= 0)
        owners = owners[drawn]
        ratio = self._faces[0].ratio
        metrics = self._metrics[kinds]
        corners = np.stack([np.zeros(len(texts)), metrics[:, 0]], axis=1)
        anchors = spots[:, 8:10]
        if anchors.any():
            across = (pens[ends] - pens[starts]) / ratio * anchors[:, 0]
            on_baseline = metrics[:, 2] - metrics[:, 1]
            low = np.where(np.isnan(anchors[:, 1]), on_baseline, metrics[:, 2] * anchors[:, 1])
            corners += (
                np.floor(np.stack([-across, -low], axis=1) * ratio + 0.5) / ratio
            )  # as `Face.snap`
        places = corners[owners]
        places[:, 0] += (pens[drawn] - pens[starts[owners]]) / ratio
        ranks = (drawn - starts[owners]).astype(np.int32)
        return Written(
            images[drawn], places, ranks, owners, np.bincount(owners, minlength=len(texts))
        )

    def _learn(self, steps: Rows) -> None:
        for step in steps.tolist():
            (kind, code), next_code = divmod(step // _ASCII, _ASCII), step % _ASCII
            advance, picture = self._faces[kind].step(chr(code), chr(next_code).strip("\0"))
            self._steps[kind, code, next_code] = advance
            self._pictures[kind, code] = -1 if picture is None else picture
