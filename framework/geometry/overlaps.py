"""Which sprites of batches overlap, by the boxes around what is opaque of their images, turned and scaled as they are
drawn."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..arrays import Doubles, Floats, Mask, Rows, row_indices
from . import exact
from .broadphase import Extents, near


class Pictured(Protocol):
    """A batch of pictures in the plane: `SpriteBatch` is one."""

    @property
    def transforms(self) -> Any:
        """Its table, with the columns ``position``, ``angle``, ``scale`` and ``flip``."""

    def shown_images(self) -> NDArray[np.int32]:
        """The number of the image that each row shows: (n,)."""

    def alpha_boxes(self) -> Doubles:
        """Left, bottom, right and top of each image, from its anchor: (images, 4)."""


class _Turned(NamedTuple):
    """Boxes, axis by axis."""

    x: Doubles
    y: Doubles
    half_width: Doubles
    half_height: Doubles
    sine: Doubles
    cosine: Doubles
    rows: Rows | slice

    def take(self, rows: Rows) -> _Turned:
        x, y, half_width, half_height, sine, cosine = (column.take(rows) for column in self[:6])
        return _Turned(x, y, half_width, half_height, sine, cosine, rows)

    def extents(self) -> Extents:
        wide, high = self.half_width, self.half_height
        if self.sine.any():
            sine, cosine = np.abs(self.sine), np.abs(self.cosine)
            wide, high = wide * cosine + high * sine, wide * sine + high * cosine
        return Extents(np.array([self.x - wide, self.y - high]), np.array([self.x + wide, self.y + high]))


def overlaps(
    batch: Pictured, other: Pictured | None = None, *, rows: ArrayLike | slice | None = None,
    other_rows: ArrayLike | slice | None = None,
) -> Rows:  # fmt: skip
    """The sprites of a batch that overlap sprites of another: rows, (m, 2), the first batch's row first.

    What counts is the box around what is opaque of a sprite's image (`SpriteBatch.alpha_boxes`), turned, scaled and
    mirrored as the sprite is now; what only touches does not overlap, nor does what has no finite place and size.
    ``rows`` and ``other_rows`` (indices, a mask, a slice) are those that are looked at, all unless told. Without
    ``other``, or with the same batch, it is the sprites of one batch among each other, the lower row first. Whether
    they are visible makes no difference.

    Takes time by their number and by the pairs that are near each other: see `pairs`.
    """
    for name, value in (("batch", batch), ("other", other)):
        if not hasattr(value, "alpha_boxes") and (value is not None or name == "batch"):
            raise checks.wrong_type(name, "a batch of sprites", value)
    same = other is None or other is batch
    if same and other_rows is None:
        ours = theirs = _boxes(batch, rows)
    else:
        ours, theirs = _boxes(batch, rows), _boxes(batch if other is None else other, other_rows)

    def narrow(a: Rows, b: Rows) -> Mask:
        return _overlap(ours.take(a), theirs.take(b))

    turned = ours.sine.any() or theirs.sine.any()
    extents = None if ours is theirs else theirs.extents()
    found = near(ours.extents(), extents, True, narrow if turned else None)
    if rows is not None or other_rows is not None:
        found = np.column_stack([_numbers(ours.rows, found[:, 0]), _numbers(theirs.rows, found[:, 1])])
    return found[found[:, 0] != found[:, 1]] if same else found


def _numbers(rows: Rows | slice, places: Rows) -> Rows:
    return places + rows.start if isinstance(rows, slice) else rows[places]


def _boxes(batch: Pictured, rows: ArrayLike | slice | None) -> _Turned:
    """The boxes of a batch's rows."""
    table = batch.transforms
    n = table.count
    some = slice(0, n) if rows is None else row_indices(rows, n)
    position, angle, scale, flip = (
        table.column(name).current(n)[some] for name in ("position", "angle", "scale", "flip")
    )
    image = batch.shown_images()[some]
    boxes = batch.alpha_boxes()[image].T
    with np.errstate(invalid="ignore"):
        return _finite(_placed(boxes, position, angle, scale, flip, some))


def _placed(boxes: Doubles, position: Floats, angle: Floats, scale: Floats, flip: Mask, some: Rows | slice) -> _Turned:
    """The boxes of images where sprites are."""
    left, bottom, right, top = boxes
    wide, high = scale[:, 0].astype(np.float64), scale[:, 1].astype(np.float64)
    across = (left + right) / 2 * np.where(flip[:, 0], -wide, wide)
    along = (bottom + top) / 2 * np.where(flip[:, 1], -high, high)
    half_width, half_height = (right - left) / 2 * np.abs(wide), (top - bottom) / 2 * np.abs(high)
    x, y = position[:, 0].astype(np.float64), position[:, 1].astype(np.float64)
    if not angle.any():
        return _Turned(x + across, y + along, half_width, half_height, np.zeros(len(x)), np.ones(len(x)), some)
    sine, cosine = (part.astype(np.float64) for part in exact.functions().sincos(angle))
    x, y = x + (across * cosine - along * sine), y + (across * sine + along * cosine)
    return _Turned(x, y, half_width, half_height, sine, cosine, some)


def _finite(boxes: _Turned) -> _Turned:
    """What has no place or no size, as of infinite numbers, is nowhere."""
    lost = ~np.isfinite(boxes.x + boxes.y + boxes.half_width + boxes.half_height)
    if not lost.any():
        return boxes
    return boxes._replace(x=np.where(lost, np.nan, boxes.x), y=np.where(lost, np.nan, boxes.y))


def _overlap(one: _Turned, other: _Turned) -> Mask:
    """Whether boxes overlap, pair by pair: by their own axes, which are the only ones that may keep them apart."""
    x, y = other.x - one.x, other.y - one.y
    # Of one in the other's axes: the cosine and the sine of the angle between them.
    cosine = np.abs(one.cosine * other.cosine + one.sine * other.sine)
    sine = np.abs(one.sine * other.cosine - one.cosine * other.sine)
    hit = np.ones(len(x), bool)
    for a, b in ((one, other), (other, one)):
        hit &= np.abs(x * a.cosine + y * a.sine) < a.half_width + (b.half_width * cosine + b.half_height * sine)
        hit &= np.abs(y * a.cosine - x * a.sine) < a.half_height + (b.half_width * sine + b.half_height * cosine)
    return hit
