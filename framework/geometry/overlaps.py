"""Which sprites of batches overlap, by the boxes around what is opaque of their images, turned and
scaled as they are drawn."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..arrays import Doubles, Floats, Mask, Rows, row_indices
from . import exact
from .broadphase import Extents, near


class Images(Protocol):
    """The images of a batch."""

    def boxes(self) -> Doubles:
        """Return left, bottom, right and top of each image, from its anchor: (images, 4)."""


class Poses(Protocol):
    """The rows of a batch."""

    def __len__(self) -> int: ...
    def column(self, name: str, /) -> NDArray[Any]: ...


class Pictured(Protocol):
    """A batch of pictures in the plane: `SpriteBatch` is one."""

    @property
    def transforms(self) -> Poses:
        """The rows, whose columns are read by `Transforms2D.column`."""

    def shown_images(self) -> NDArray[np.int32]:
        """The number of the image that each row shows: (n,)."""

    @property
    def images(self) -> Images:
        """The images that rows show."""


class _Turned(NamedTuple):
    """Boxes, axis by axis."""

    x: Doubles
    y: Doubles
    half_width: Doubles
    half_height: Doubles
    sine: Doubles
    cosine: Doubles

    def take(self, rows: Rows) -> _Turned:
        # There are rows of these numbers: NumPy need not look, which takes a third of the time.
        return _Turned(*(column.take(rows, mode="clip") for column in self))

    def extents(self) -> Extents:
        """What has no place or no size, as of infinite numbers, is none."""
        wide, high = self.half_width, self.half_height
        with np.errstate(invalid="ignore"):
            if self.sine.any():
                sine, cosine = np.abs(self.sine), np.abs(self.cosine)
                wide, high = wide * cosine + high * sine, wide * sine + high * cosine
            middle, reach = np.array([self.x, self.y]), np.array([wide, high])
            return Extents(middle - reach, middle + reach)


def overlaps(
    batch: Pictured,
    other: Pictured | None = None,
    *,
    rows: ArrayLike | slice | None = None,
    other_rows: ArrayLike | slice | None = None,
) -> Rows:
    """The sprites of a batch that overlap sprites of another: rows, (m, 2), the first batch's row
    first.

    What counts is the box around what is opaque of a sprite's image (``batch.images.boxes()``),
    turned, scaled and mirrored as the sprite is now; what only touches does not overlap, nor does
    what has no finite place and size. ``rows`` and ``other_rows`` (indices, a mask, a slice) are
    those that are looked at, all unless told. Without ``other``, or with the same batch, it is the
    sprites of one batch among each other, the lower row first. Whether they are visible makes no
    difference.

    Takes time by their number and by the pairs that are near each other: see `pairs`.
    """
    for name, value in (("batch", batch), ("other", other)):
        if not hasattr(value, "shown_images") and (value is not None or name == "batch"):
            raise checks.wrong_type(name, "a batch of sprites", value)
    same = other is None or other is batch
    second = batch if other is None else other
    n, m = len(batch.transforms), len(second.transforms)
    some = slice(0, n) if rows is None else row_indices(rows, n)
    others = (
        some
        if same and other_rows is None
        else slice(0, m)
        if other_rows is None
        else row_indices(other_rows, m)
    )
    ours = _boxes(batch, some)
    theirs = ours if others is some else _boxes(second, others)

    def narrow(a: Rows, b: Rows) -> Mask:
        return _overlap(ours.take(a), theirs.take(b))

    turned = ours.sine.any() or theirs.sine.any()
    extents = None if ours is theirs else theirs.extents()
    found = near(ours.extents(), extents, True, narrow if turned else None)
    if rows is not None or other_rows is not None:
        found = np.column_stack([_numbers(some, found[:, 0]), _numbers(others, found[:, 1])])
    return found[found[:, 0] != found[:, 1]] if same else found


def _numbers(rows: Rows | slice, places: Rows) -> Rows:
    return places + rows.start if isinstance(rows, slice) else rows[places]


def _boxes(batch: Pictured, some: Rows | slice) -> _Turned:
    """The boxes of a batch's rows."""
    rows = batch.transforms
    position: Floats = rows.column("position")[some]
    angle: Floats = rows.column("angle")[some]
    scale: Floats = rows.column("scale")[some]
    flip: Mask = rows.column("flip")[some]
    images = batch.images.boxes()
    low, high = images[:, :2], images[:, 2:]
    image = batch.shown_images()[some]
    with np.errstate(invalid="ignore"):
        half = _columns(((high - low) / 2).take(image, axis=0))
        half *= np.abs(_columns(scale))
        place = _columns(position)
        middles = (low + high) / 2
        offset = (
            None
            if not middles.any()
            else _columns(middles.take(image, axis=0) * np.where(flip, -scale, scale))
        )
        return _placed(place, half, offset, angle)


def _columns(pairs: NDArray[Any]) -> Doubles:
    """(n, 2) as (2, n)."""
    return pairs.T.astype(np.float64, order="C")


def _placed(place: Doubles, half: Doubles, offset: Doubles | None, angle: Floats) -> _Turned:
    """Boxes (2, n) whose middles are ``offset`` from where sprites are, which turn about that."""
    turned = angle.any()
    sine, cosine = np.zeros(len(angle)), np.ones(len(angle))
    if turned:
        sine, cosine = (part.astype(np.float64) for part in exact.functions().sincos(angle))
    if offset is not None:
        across, along = offset
        place += (
            (across * cosine - along * sine, across * sine + along * cosine) if turned else offset
        )
    return _Turned(place[0], place[1], half[0], half[1], sine, cosine)


def _overlap(one: _Turned, other: _Turned) -> Mask:
    """Whether boxes overlap, pair by pair: by their own axes, which are the only ones that may keep
    them apart.
    """
    x, y = other.x - one.x, other.y - one.y
    # Of one in the other's axes: the cosine and the sine of the angle between them.
    cosine = _products(one.cosine, other.cosine, np.add, one.sine, other.sine)
    sine = _products(one.sine, other.cosine, np.subtract, one.cosine, other.sine)
    hit = np.ones(len(x), bool)
    for a, b in ((one, other), (other, one)):
        reach = _products(b.half_width, cosine, np.add, b.half_height, sine)
        reach += a.half_width
        hit &= _products(x, a.cosine, np.add, y, a.sine) < reach
        reach = _products(b.half_width, sine, np.add, b.half_height, cosine)
        reach += a.half_height
        hit &= _products(y, a.cosine, np.subtract, x, a.sine) < reach
    return hit


def _products(a: Doubles, b: Doubles, joined: np.ufunc, c: Doubles, d: Doubles) -> Doubles:
    """|a b ± c d|, with no more arrays than are needed."""
    first, second = a * b, c * d
    joined(first, second, out=first)
    return np.abs(first, out=first)
