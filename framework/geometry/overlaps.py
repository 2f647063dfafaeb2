"""Find the pairs of sprites whose opaque bounding boxes overlap."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..arrays import Doubles, Floats, Mask, Rows, row_indices
from . import exact
from .broadphase import Extents, near


class Images(Protocol):
    """The methods of ``batch.images`` that `overlaps` uses."""

    def boxes(self) -> Doubles:
        """Return the bounding box of the opaque part of each image, as an array of shape (k, 4).
        Each row contains the left, bottom, right and top edges, in pixels from the anchor.
        """


class Poses(Protocol):
    """The attributes of ``batch.transforms`` that `overlaps` uses."""

    def __len__(self) -> int: ...
    def column(self, name: str, /) -> NDArray[Any]: ...
    def _arrays(self, *names: str) -> list[NDArray[Any]]: ...


class Pictured(Protocol):
    """The attributes of a batch of 2D images, such as a `SpriteBatch`, that `overlaps` uses."""

    @property
    def transforms(self) -> Poses:
        """The positions, angles and scales of the sprites."""

    def shown_images(self) -> NDArray[np.int32]:
        """Return the index of the image that each row shows, as an array of shape (n,)."""

    @property
    def images(self) -> Images:
        """The images of the batch, with the boxes of their opaque parts."""


class PicturedRow(Protocol):
    """The attributes of a sprite that `overlaps` uses."""

    @property
    def row(self) -> int:
        """The index of the sprite in its batch."""

    @property
    def batch(self) -> Pictured: ...


class _Turned(NamedTuple):
    """Rotated boxes. Each attribute is an array of shape (n,). The attributes are the centers, half
    the sizes, and the sine and cosine of the angles.
    """

    x: Doubles
    y: Doubles
    half_width: Doubles
    half_height: Doubles
    sine: Doubles
    cosine: Doubles

    def take(self, rows: Rows) -> _Turned:
        # The row numbers are always valid, and without checking bounds, `take` needs a third less
        # time.
        return _Turned(*(column.take(rows, mode="clip") for column in self))

    def extents(self) -> Extents:
        """Return the smallest upright boxes around the rotated boxes. A box with infinite numbers
        becomes an invalid box, which never overlaps another box.
        """
        wide = self.half_width
        high = self.half_height
        with np.errstate(invalid="ignore"):
            if self.sine.any():
                sine = np.abs(self.sine)
                cosine = np.abs(self.cosine)
                wide, high = wide * cosine + high * sine, wide * sine + high * cosine
            middle = np.array([self.x, self.y])
            reach = np.array([wide, high])
            return Extents(middle - reach, middle + reach)


def overlaps(
    batch: Pictured | PicturedRow,
    other: Pictured | PicturedRow | None = None,
    *,
    rows: ArrayLike | slice | None = None,
    other_rows: ArrayLike | slice | None = None,
) -> Rows:
    """Return the pairs of rows whose sprites overlap. The result is an array of shape (m, 2).

    If you pass two batches, each pair contains a row of ``batch``, and then a row of ``other``. If
    you pass only one batch, its sprites are compared with each other, and the smaller row of each
    pair comes first. You can pass a single sprite instead of a batch. For example,
    ``overlaps(ship, coins)[:, 1]`` returns the rows of the coins that overlap the ship.

    Two sprites overlap if the bounding boxes of their opaque pixels overlap. The bounding boxes are
    rotated, scaled and mirrored together with the sprites. Boxes that only touch each other do not
    overlap. Hidden sprites are also compared. A sprite whose position or size is not finite does
    not overlap any sprite.

    Parameters
    ----------
    batch, other
        The batches of sprites to compare. Single sprites are also allowed.
    rows, other_rows
        The rows to compare: indices, a mask or a slice. By default, all rows are compared. For a
        single sprite, do not pass rows.

    The running time depends on the number of sprites, and on how many of them are close together.
    """
    first = batch
    batch, rows = _batch_and_rows("batch", first, "rows", rows)
    second = batch
    if other is not None:
        is_sprite = first is not batch
        second, other_rows = _batch_and_rows("other", other, "other_rows", other_rows)
        if is_sprite and second is batch and other_rows is None:
            other_rows = slice(None)  # one sprite against all sprites of its own batch
        if is_sprite and second is not batch and other_rows is None and isinstance(rows, slice):
            # The usual case: one sprite against all sprites of another batch.
            single = _overlaps_of_single(batch, rows, second, _ALL)
            if single is not None:
                return single
    same = second is batch
    selected = _selection(batch, rows)
    compares_itself = same and other_rows is None
    other_selected = selected if compares_itself else _selection(second, other_rows)
    pairs = _overlaps_of_single(batch, selected, second, other_selected)
    if pairs is None:
        boxes = _boxes(batch, selected)
        other_boxes = boxes if other_selected is selected else _boxes(second, other_selected)
        pairs = _overlapping_boxes(boxes, other_boxes)
        if rows is not None or other_rows is not None:
            pairs = np.column_stack(
                [_row_numbers(selected, pairs[:, 0]), _row_numbers(other_selected, pairs[:, 1])]
            )
    return pairs[pairs[:, 0] != pairs[:, 1]] if same else pairs


def contain(batch: Pictured, point: tuple[float, float], selected: Rows | slice) -> Mask:
    """Return whether the box around the opaque pixels of each selected sprite contains ``point``,
    as a bool array. A point on the edge of a box is inside the box. If the size of a box is not
    finite, the box contains no point.
    """
    boxes = _boxes(batch, selected)
    with np.errstate(invalid="ignore"):
        x = point[0] - boxes.x
        y = point[1] - boxes.y
        is_inside: Mask = np.abs(x * boxes.cosine + y * boxes.sine) <= boxes.half_width
        is_inside &= np.abs(y * boxes.cosine - x * boxes.sine) <= boxes.half_height
        is_inside &= np.isfinite(boxes.half_width) & np.isfinite(boxes.half_height)
    return is_inside


def _selection(batch: Pictured, rows: ArrayLike | slice | None) -> Rows | slice:
    n = len(batch.transforms)
    return slice(0, n) if rows is None else row_indices(rows, n)


def _overlaps_of_single(
    batch: Pictured, selected: Rows | slice, other: Pictured, other_selected: Rows | slice
) -> Rows | None:
    """Return the pairs of rows whose sprites overlap, in the fast case: one sprite against a whole
    batch. Return None if neither selection is a single sprite, or if NumPy would take less time.
    """
    if selected is other_selected:
        return None
    row = _single_row(selected)
    if row is not None and isinstance(other_selected, slice):
        rows = _rows_overlapping(batch, row, other, other_selected)
        return None if rows is None else _pairs([number for each in rows for number in (row, each)])
    row = _single_row(other_selected)
    if row is not None and isinstance(selected, slice):
        rows = _rows_overlapping(other, row, batch, selected)
        return None if rows is None else _pairs([number for each in rows for number in (each, row)])
    return None


def _single_row(selected: Rows | slice) -> int | None:
    if isinstance(selected, slice):
        start: int = selected.start
        return start if selected.stop - start == 1 else None
    return int(selected[0]) if len(selected) == 1 else None


def _pairs(numbers: list[int]) -> Rows:
    return np.array(numbers, np.intp).reshape(-1, 2)


_ALL = slice(0, None)
_MAX_CANDIDATES = 8  # if more sprites are near along x, NumPy columns are faster
_MAX_TURNED = 16  # if more boxes are rotated, NumPy columns are faster


def _rows_overlapping(
    batch: Pictured, row: int, others: Pictured, selected: slice
) -> list[int] | None:
    """Return the rows of ``others`` whose sprites overlap the sprite ``row`` of ``batch``. Return
    None if NumPy columns would take less time.
    """
    poses = others.transforms
    columns = poses._arrays("angle", "position", "scale", "flip")
    if selected is _ALL:
        selected = slice(0, len(columns[0]))
    else:
        columns = [column[selected] for column in columns]
    box = _single_box(batch, row)
    if not math.isfinite(sum(box)):  # a box with infinite numbers overlaps nothing
        return []
    angles: Floats
    angles, positions, scales, flip = columns
    turned = bool(np.count_nonzero(angles)) or box.sine != 0
    if not turned:
        near_rows = _upright_rows_overlapping(box, others, positions, scales, flip, selected)
        if near_rows is not None:
            return near_rows
    unturned = _unturned_boxes(others, selected)
    if unturned is None:
        return None
    middles, half, offset = unturned
    if not turned and offset is not None:
        middles += offset
    reach = _reach(half, offset) if turned else half
    wide, high = box.extent
    near: Mask = middles - reach < np.array((box.x + wide, box.y + high))
    near &= middles + reach > np.array((box.x - wide, box.y - high))
    candidates: list[int] = (near[:, 0] & near[:, 1]).nonzero()[0].tolist()
    if turned and len(candidates) > _MAX_TURNED:
        return None
    if turned and candidates:
        candidates = _turned_overlapping(box, unturned, angles, candidates)
    first: int = selected.start
    return [first + each for each in candidates] if first else candidates


class _Unturned(NamedTuple):
    """The boxes of sprites before they are rotated: arrays of shape (n, 2)."""

    positions: Doubles
    half: Doubles
    """Half the widths and half the heights."""
    offset: Doubles | None
    """The distance from each sprite's position to the center of its box, or None if it is 0."""


def _unturned_boxes(batch: Pictured, selected: slice) -> _Unturned | None:
    """Return the boxes of sprites before they are rotated, or None if a number is not finite."""
    poses = batch.transforms
    # Convert to float64 first. Operations with two different types take twice the time.
    scales: Doubles = poses.column("scale")[selected].astype(np.float64)
    positions: Doubles = poses.column("position")[selected].astype(np.float64)
    size, centers, is_finite = _image_boxes(batch, selected)
    # The sum of squares is not finite if any number is not finite.
    if not (is_finite and math.isfinite(np.vdot(positions, positions) + np.vdot(scales, scales))):
        return None
    half = scales * size
    np.abs(half, out=half)
    offset: Doubles | None = None
    if centers is not None and np.count_nonzero(centers):
        flip: Mask = poses.column("flip")[selected]
        offset = centers * np.where(flip, -scales, scales)
    return _Unturned(positions, half, offset)


def _image_boxes(batch: Pictured, selected: slice) -> tuple[Doubles, Doubles | None, bool]:
    """Return the boxes of the images of sprites: half the sizes, the centers, and whether they are
    finite. If the batch has a single image, the arrays have the shape (2,), otherwise (n, 2). The
    centers are None if they are 0.
    """
    boxes = batch.images.boxes()
    if len(boxes) == 1:
        left, bottom, right, top = boxes[0].tolist()
        size = np.array(((right - left) / 2, (top - bottom) / 2))
        across = left + right
        along = bottom + top
        center = np.array((across / 2, along / 2)) if across or along else None
        return size, center, math.isfinite(across + along)
    image = batch.shown_images()[selected]
    sizes: Doubles = ((boxes[:, 2:] - boxes[:, :2]) / 2).take(image, axis=0)
    centers: Doubles = ((boxes[:, :2] + boxes[:, 2:]) / 2).take(image, axis=0)
    return sizes, centers, math.isfinite(np.vdot(sizes, sizes))


def _turned_overlapping(
    box: _SingleBox, boxes: _Unturned, angles: Floats, candidates: list[int]
) -> list[int]:
    """Return the indices in ``candidates`` of the boxes that overlap ``box`` after rotation."""
    sines, cosines = exact.functions().sincos(angles[candidates])
    result = []
    for index, sine, cosine in zip(candidates, sines.tolist(), cosines.tolist(), strict=True):
        x, y = boxes.positions[index].tolist()
        half_width, half_height = boxes.half[index].tolist()
        if boxes.offset is not None:
            across, along = boxes.offset[index].tolist()
            x += across * cosine - along * sine
            y += across * sine + along * cosine
        if _boxes_overlap(box, _SingleBox(x, y, half_width, half_height, sine, cosine)):
            result.append(index)
    return result


def _upright_rows_overlapping(
    box: _SingleBox,
    others: Pictured,
    positions: Floats,
    scales: Floats,
    flips: Mask,
    selected: slice,
) -> list[int] | None:
    """Return the rows of ``others`` whose sprites overlap a box, in the fast case: no sprite is
    rotated. Return None if a number is not finite, or if the x coordinates of many sprites are near
    the box.

    NumPy compares the x coordinates of all sprites with the box. After that, Python compares the y
    coordinates of the remaining sprites.
    """
    boxes = others.images.boxes()
    x: Doubles = positions[:, 0].astype(np.float64)
    scale: Doubles = scales[:, 0].astype(np.float64)
    shown: NDArray[np.int32] | None = None
    flip: Mask | None = None
    half: Doubles | float
    if len(boxes) == 1:
        left, bottom, right, top = boxes[0].tolist()
        half = (right - left) / 2
        center = left + right
        if center or bottom + top:
            flip = flips
        if center and flip is not None:
            x += center / 2 * np.where(flip[:, 0], -scale, scale)
    else:
        shown = others.shown_images()[selected]
        edges = boxes.take(shown, axis=0)
        half = (edges[:, 2] - edges[:, 0]) / 2
        flip = flips
        x += (edges[:, 0] + edges[:, 2]) / 2 * np.where(flip[:, 0], -scale, scale)
    scale *= half
    reach = np.abs(scale, out=scale)
    # The sum of products is not finite if any number is not finite.
    if not math.isfinite(x.dot(reach)):
        return None
    near: Mask = x - reach < box.x + box.half_width
    near &= x + reach > box.x - box.half_width
    candidates: list[int] = near.nonzero()[0].tolist()
    if len(candidates) > _MAX_CANDIDATES:
        return None
    lower = box.y - box.half_height
    upper = box.y + box.half_height
    first: int = selected.start
    rows = []
    for each in candidates:
        if shown is not None:
            left, bottom, right, top = boxes[shown[each]].tolist()
        y = positions.item(each, 1)
        scale_y = scales.item(each, 1)
        if not math.isfinite(y + scale_y):
            continue  # a box with infinite numbers overlaps nothing
        if flip is not None and bottom + top:
            y += (bottom + top) / 2 * (-scale_y if flip.item(each, 1) else scale_y)
        reach_y = abs(scale_y * ((top - bottom) / 2))
        if y - reach_y < upper and y + reach_y > lower:
            rows.append(first + each)
    return rows


def _reach(half: Doubles, offset: Doubles | None) -> Doubles:
    """Return an upper limit for the distance between each sprite's position and the edges of its
    rotated box. The returned array has the shape (n, 1).
    """
    reach: Doubles = half.sum(axis=1, keepdims=True)
    if offset is not None:
        reach += np.abs(offset).sum(axis=1, keepdims=True)
    reach *= 1 + 1e-6
    return reach


class _SingleBox(NamedTuple):
    """A single rotated box, as in `_Turned`."""

    x: float
    y: float
    half_width: float
    half_height: float
    sine: float
    cosine: float

    @property
    def extent(self) -> tuple[float, float]:
        """Half the width and height of the upright box around the rotated box."""
        sine = abs(self.sine)
        cosine = abs(self.cosine)
        return (
            self.half_width * cosine + self.half_height * sine,
            self.half_width * sine + self.half_height * cosine,
        )


def _single_box(batch: Pictured, row: int) -> _SingleBox:
    """Return the box around the opaque pixels of one sprite, as `_boxes` does for many sprites."""
    poses = batch.transforms
    angles: Floats
    positions, scales, angles = poses._arrays("position", "scale", "angle")
    x: float = positions.item(row, 0)
    y: float = positions.item(row, 1)
    scale_x: float = scales.item(row, 0)
    scale_y: float = scales.item(row, 1)
    sine = 0.0
    cosine = 1.0
    if angles.item(row):
        turn: Floats = angles[row : row + 1]
        sine, cosine = (float(part[0]) for part in exact.functions().sincos(turn))
    boxes = batch.images.boxes()
    shown = batch.shown_images()[row] if len(boxes) > 1 else 0
    left, bottom, right, top = boxes[shown].tolist()
    across = (left + right) / 2
    along = (bottom + top) / 2
    if across or along:
        flip_x, flip_y = poses.column("flip")[row].tolist()
        across *= -scale_x if flip_x else scale_x
        along *= -scale_y if flip_y else scale_y
        x += across * cosine - along * sine
        y += across * sine + along * cosine
    half_width = (right - left) / 2 * abs(scale_x)
    half_height = (top - bottom) / 2 * abs(scale_y)
    return _SingleBox(x, y, half_width, half_height, sine, cosine)


def _boxes_overlap(first: _SingleBox, second: _SingleBox) -> bool:
    """Return whether two rotated boxes overlap, as `_overlap` does for many boxes."""
    wide, high = first.extent
    other_wide, other_high = second.extent
    if not (
        first.x - wide < second.x + other_wide
        and second.x - other_wide < first.x + wide
        and first.y - high < second.y + other_high
        and second.y - other_high < first.y + high
    ):
        return False
    x = second.x - first.x
    y = second.y - first.y
    # The cosine and the sine of the angle between the two boxes.
    cosine = abs(first.cosine * second.cosine + first.sine * second.sine)
    sine = abs(first.sine * second.cosine - first.cosine * second.sine)
    for a, b in ((first, second), (second, first)):
        reach = abs(b.half_width * cosine + b.half_height * sine) + a.half_width
        if not abs(x * a.cosine + y * a.sine) < reach:
            return False
        reach = abs(b.half_width * sine + b.half_height * cosine) + a.half_height
        if not abs(y * a.cosine - x * a.sine) < reach:
            return False
    return True


def _batch_and_rows(
    name: str,
    value: Any,
    rows_name: str,
    rows: ArrayLike | slice | None,
) -> tuple[Pictured, ArrayLike | slice | None]:
    """Return a batch and the rows to compare. For a single sprite, return the batch and the row of
    the sprite.
    """
    if hasattr(value, "shown_images"):
        return value, rows
    batch: Any = getattr(value, "batch", None)
    row: int | None = getattr(value, "row", None)
    if row is None or not hasattr(batch, "shown_images"):
        raise _no_sprites(name, value)
    if rows is not None:
        raise checks.wrong_value(rows_name, f"no rows, because {name} is a single sprite", rows)
    return batch, slice(row, row + 1)


def _no_sprites(name: str, value: object) -> TypeError:
    error = checks.wrong_type(name, "a batch of sprites, or a sprite", value)
    advice = ""
    if isinstance(value, list | tuple):
        advice = "; put these sprites into one batch: self.add(fw.SpriteBatch(image))"
    elif hasattr(value, "solid"):
        advice = "; for tiles write collide.move, or collide.on_tiles"
    return TypeError(f"{error}{advice}")


def _row_numbers(rows: Rows | slice, indices: Rows) -> Rows:
    return indices + rows.start if isinstance(rows, slice) else rows[indices]


def _boxes(batch: Pictured, selected: Rows | slice) -> _Turned:
    """Return the boxes around the opaque pixels of sprites. The boxes are rotated like the sprites."""
    rows = batch.transforms
    position: Floats = rows.column("position")[selected]
    angle: Floats = rows.column("angle")[selected]
    scale: Floats = rows.column("scale")[selected]
    flip: Mask = rows.column("flip")[selected]
    images = batch.images.boxes()
    low = images[:, :2]
    high = images[:, 2:]
    image = batch.shown_images()[selected]
    with np.errstate(invalid="ignore"):
        half = _columns(((high - low) / 2).take(image, axis=0))
        half *= np.abs(_columns(scale))
        centers = _columns(position)
        middles = (low + high) / 2
        offset = (
            None
            if not middles.any()
            else _columns(middles.take(image, axis=0) * np.where(flip, -scale, scale))
        )
        return _placed(centers, half, offset, angle)


def _overlapping_boxes(boxes: _Turned, others: _Turned) -> Rows:
    """Return the pairs of indices of boxes that overlap. If ``others`` is ``boxes``, compare the
    boxes with each other.
    """

    def narrow(a: Rows, b: Rows) -> Mask:
        return _overlap(boxes.take(a), others.take(b))

    turned = boxes.sine.any() or others.sine.any()
    extents = None if boxes is others else others.extents()
    return near(boxes.extents(), extents, True, narrow if turned else None)


def _columns(pairs: NDArray[Any]) -> Doubles:
    """Copy an array of shape (n, 2) to a contiguous array of shape (2, n), for faster operations."""
    return pairs.T.astype(np.float64, order="C")


def _placed(centers: Doubles, half: Doubles, offset: Doubles | None, angle: Floats) -> _Turned:
    """Return boxes that are rotated around the positions of their sprites. ``offset``, of shape
    (2, n), is the distance from each sprite's position to the center of its box. ``centers`` are
    the positions of the sprites.
    """
    turned = angle.any()
    sine = np.zeros(len(angle))
    cosine = np.ones(len(angle))
    if turned:
        sine, cosine = (part.astype(np.float64) for part in exact.functions().sincos(angle))
    if offset is not None:
        across, along = offset
        centers += (
            (across * cosine - along * sine, across * sine + along * cosine) if turned else offset
        )
    return _Turned(centers[0], centers[1], half[0], half[1], sine, cosine)


def _overlap(first: _Turned, second: _Turned) -> Mask:
    """For each row, return whether the rotated box in ``first`` overlaps the rotated box in
    ``second``.

    The test compares the boxes along the directions of their sides. For boxes, this is enough
    (separating axis theorem).
    """
    x = second.x - first.x
    y = second.y - first.y
    # The cosine and the sine of the angle between the two boxes.
    cosine = _products(first.cosine, second.cosine, np.add, first.sine, second.sine)
    sine = _products(first.sine, second.cosine, np.subtract, first.cosine, second.sine)
    hit = np.ones(len(x), bool)
    for a, b in ((first, second), (second, first)):
        reach = _products(b.half_width, cosine, np.add, b.half_height, sine)
        reach += a.half_width
        hit &= _products(x, a.cosine, np.add, y, a.sine) < reach
        reach = _products(b.half_width, sine, np.add, b.half_height, cosine)
        reach += a.half_height
        hit &= _products(y, a.cosine, np.subtract, x, a.sine) < reach
    return hit


def _products(a: Doubles, b: Doubles, joined: np.ufunc, c: Doubles, d: Doubles) -> Doubles:
    """Return |a b + c d| if ``joined`` is `np.add`, or |a b - c d| if ``joined`` is `np.subtract`.
    The function creates only a few temporary arrays, which saves time.
    """
    first = a * b
    second = c * d
    joined(first, second, out=first)
    return np.abs(first, out=first)
