"""Collisions enough to play with: which of thousands of things may touch, and how far two shapes are in each other.

Pure NumPy, on whole columns: shapes are arrays of one row each, and every function takes n pairs of rows at once. First
ask `pairs` for the rows whose boxes overlap, then the shapes themselves:

    a, b = collide.pairs(position - radius[:, None], position + radius[:, None]).T
    touching = collide.spheres(position[a], radius[a], position[b], radius[b])
    hit = touching.depth > 0

This is no physics: nothing has a mass, stacks do not rest. A physics library plugs in as a system of the phase
"physics", at a rate of its own (``scene.add_system("physics", step, rate=120)``): it steps, and writes the positions
and rotations of its bodies into a batch's columns, which are drawn between ticks as all others are.

What is (n, 3) may be one row for all pairs too, and what is (n,) one number. Arguments of another shape are a
`ValueError`, of another kind a `TypeError`, which names them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..arrays import Doubles, Rows
from . import exact, quaternions


class Contacts(NamedTuple):
    """How n pairs of shapes touch."""

    depth: Doubles
    """(n,): how far they are in each other, in units; below 0, about how far they are apart."""
    normal: Doubles
    """(n, 3), length 1: the direction that leads out. Moved by ``normal * depth``, the first shape only just touches
    the second."""
    point: Doubles
    """(n, 3): where they touch, on the second shape."""


# -- which may touch ---------------------------------------------------------------------------------------------


def pairs(low: ArrayLike, high: ArrayLike) -> Rows:
    """The rows whose upright boxes, from ``low`` to ``high`` (n, 3), overlap or touch: (m, 2), the lower row first.

    Rows with a number that is not finite, or that end before they begin, touch nothing. Takes time by n, and by the
    pairs that are near each other, whatever the sizes: boxes of about one size are sought in a grid of that size.
    """
    low, high = _boxes("low", low, "high", high)
    found = [_near(grid, other, low, high, same=grid is other) for grid, other in _grids(low, high)]
    both = np.concatenate([np.empty((0, 2), np.intp), *found])
    both.sort(axis=1)
    return both[np.lexsort((both[:, 1], both[:, 0]))]


def pairs_between(low: ArrayLike, high: ArrayLike, other_low: ArrayLike, other_high: ArrayLike) -> Rows:
    """The rows of one set of boxes that overlap rows of another: (m, 2), the first set's row first."""
    low, high = _boxes("low", low, "high", high)
    other_low, other_high = _boxes("other_low", other_low, "other_high", other_high)
    n = len(low)
    both = pairs(np.concatenate([low, other_low]), np.concatenate([high, other_high]))
    both = both[(both[:, 0] < n) & (both[:, 1] >= n)]
    both[:, 1] -= n
    return both


class _Grid(NamedTuple):
    """Rows of about one size, sorted by the cell that their middle is in."""

    rows: Rows
    keys: NDArray[np.int64]
    size: float
    origin: Doubles
    steps: NDArray[np.int64]  # from a cell to the next one in x and y; in z it is 1


# Cells along an axis: three such numbers fit into one of 64 bits.
_MOST_CELLS = 1 << 20


def _grids(low: Doubles, high: Doubles) -> list[tuple[_Grid, _Grid]]:
    """A grid for each power of two that sizes lie below, and which of them to compare: the coarser one second."""
    extent = (high - low).max(axis=1, initial=0)
    usable = np.isfinite(low).all(axis=1) & np.isfinite(high).all(axis=1) & (low <= high).all(axis=1)
    rows = np.flatnonzero(usable)
    if not len(rows):
        return []
    middle = (low[rows] + high[rows]) / 2
    origin, span = middle.min(axis=0), float(np.ptp(middle, axis=0).max())
    least = max(span / _MOST_CELLS * 2, float(np.spacing(np.abs(middle).max())) * 4, 1e-30)
    fraction, levels = np.frexp(np.maximum(extent[rows], least))
    levels = levels.astype(np.int64) - (fraction == 0.5)  # the power of two that is not below
    # Few of a size do not need a grid of their own: they go with the next larger ones.
    kinds, counts = np.unique(levels, return_counts=True)
    for kind, count, larger in zip(kinds, counts, kinds[1:], strict=False):
        if count < 32 or larger == kind + 1:
            levels[levels == kind] = larger
    grids = []
    for level in np.unique(levels).tolist():
        size = 2.0**level
        some = rows[levels == level]
        grids.append(_sorted(some, (low[some] + high[some]) / 2, size, origin, span))
    return [(one, other) for index, one in enumerate(grids) for other in grids[index:]]


def _sorted(rows: Rows, middle: Doubles, size: float, origin: Doubles, span: float) -> _Grid:
    wide = int(span / size) + 4  # a free cell on every side
    steps = np.array([wide * wide, wide, 1], np.int64)
    keys = (np.floor((middle - origin) / size).astype(np.int64) + 1) @ steps
    order = np.argsort(keys, kind="stable")
    return _Grid(rows[order], keys[order], size, origin, steps)


def _near(one: _Grid, other: _Grid, low: Doubles, high: Doubles, same: bool) -> Rows:
    """Rows of a row of ``one`` and a row of the coarser ``other``: their middles are in cells side by side."""
    rows = one.rows
    middle = (low[rows] + high[rows]) / 2
    keys = one.keys if same else (np.floor((middle - other.origin) / other.size).astype(np.int64) + 1) @ other.steps
    found = []
    for x in (-1, 0, 1):
        for y in (-1, 0, 1):
            if same and (x, y) < (0, 0):
                continue  # the same pairs, seen from the other side
            across = keys + x * other.steps[0] + y * other.steps[1]
            start = np.searchsorted(other.keys, across - 1, "left")
            stop = np.searchsorted(other.keys, across + 1, "right")
            if same and (x, y) == (0, 0):
                start = np.arange(1, len(rows) + 1)  # what is sorted before it has found it already
            found.append(_overlapping(rows, other.rows, start, np.maximum(stop, start), low, high))
    return np.concatenate(found)


# Candidates that are compared at once.
_MOST_CANDIDATES = 1 << 20


def _overlapping(rows: Rows, others: Rows, start: Rows, stop: Rows, low: Doubles, high: Doubles) -> Rows:
    """Those of ``rows`` and ``others[start:stop]``, a range for each of them, whose boxes overlap."""
    counts = stop - start
    ends = np.cumsum(counts)
    found, first = [np.empty((0, 2), np.intp)], 0
    while first < len(rows):
        done = int(ends[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(ends, done + _MOST_CANDIDATES, "right")))
        some = counts[first:last]
        a = np.repeat(rows[first:last], some)
        within = np.arange(len(a)) - np.repeat(np.cumsum(some) - some, some)
        b = others[np.repeat(start[first:last], some) + within]
        keep = np.ones(len(a), bool)
        for axis in range(3):  # one at a time: most candidates are gone after the first
            keep = (low[a, axis] <= high[b, axis]) & (low[b, axis] <= high[a, axis])
            a, b = a[keep], b[keep]
        found.append(np.column_stack([a, b]))
        first = last
    return np.concatenate(found)


# -- shapes ------------------------------------------------------------------------------------------------------


def spheres(center: ArrayLike, radius: ArrayLike, other_center: ArrayLike, other_radius: ArrayLike) -> Contacts:
    """Balls against balls, pair by pair: centres (n, 3), radii (n,) or one number."""
    first, ours, second, theirs = pairwise(
        center=(center, 3), radius=(radius, 1), other_center=(other_center, 3), other_radius=(other_radius, 1)
    )
    normal, distance = _unit(first - second, (0.0, 1.0, 0.0))
    return Contacts(ours + theirs - distance, normal, second + normal * theirs[:, None])


def sphere_box(
    center: ArrayLike, radius: ArrayLike, middle: ArrayLike, half: ArrayLike, rotation: ArrayLike | None = None
) -> Contacts:
    """Balls against boxes, pair by pair: of ``middle`` (n, 3) and ``half`` their size (n, 3), turned by quaternions
    (n, 4), or upright without."""
    ball, reach, box, half, turn = pairwise(
        center=(center, 3), radius=(radius, 1), middle=(middle, 3), half=(half, 3), rotation=_turns(rotation)
    )
    local = quaternions.rotate(quaternions.conjugate(turn), ball - box) if rotation is not None else ball - box
    nearest = np.clip(local, -half, half)
    # From within, it leads out through the nearest side.
    room = half - np.abs(local)
    side = np.argmin(room, axis=1)
    rows = np.arange(len(local))
    inside = (room > 0).all(axis=1)
    out = np.zeros_like(local)
    out[rows, side] = np.where(local[rows, side] < 0, -1.0, 1.0)
    nearest[inside, side[inside]] = (half * out)[inside, side[inside]]
    normal, distance = _unit(local - nearest, (0.0, 1.0, 0.0))
    on_side = inside | (distance == 0)
    normal = np.where(on_side[:, None], out, normal)
    depth = reach + np.where(inside, distance, -distance)
    if rotation is not None:
        normal, nearest = quaternions.rotate(turn, normal), quaternions.rotate(turn, nearest)
    return Contacts(depth, normal, box + nearest)


def boxes(
    middle: ArrayLike, half: ArrayLike, rotation: ArrayLike | None,
    other_middle: ArrayLike, other_half: ArrayLike, other_rotation: ArrayLike | None,
) -> Contacts:  # fmt: skip
    """Boxes against boxes, pair by pair, as in `sphere_box`; None for upright ones.

    By the separating axis theorem: of their faces' normals and the products of their edges, the one along which they
    are least in each other. The point is the second box's corner (or the middle of its edge or face) farthest along it.
    """
    first, size, turn, second, other_size, other_turn = pairwise(
        middle=(middle, 3), half=(half, 3), rotation=_turns(rotation),
        other_middle=(other_middle, 3), other_half=(other_half, 3), other_rotation=_turns(other_rotation),
    )  # fmt: skip
    ours, theirs = quaternions.matrices(turn), quaternions.matrices(other_turn)
    edges = np.cross(ours[:, :, None], theirs[:, None]).reshape(-1, 9, 3)
    axes = np.concatenate([ours, theirs, edges], axis=1)
    length = exact.norm(axes)[..., None]
    parallel = length[..., 0] < 1e-6  # edges along each other: their product is no axis, and not needed
    axes = axes / np.maximum(length, 1e-6)
    apart = exact.dot(axes, (first - second)[:, None])
    reach = exact.dot(np.abs(exact.matmul(axes, ours.swapaxes(1, 2))), size[:, None])
    reach += exact.dot(np.abs(exact.matmul(axes, theirs.swapaxes(1, 2))), other_size[:, None])
    depth = np.where(parallel, np.inf, reach - np.abs(apart))
    depth[:, 6:] += 1e-9  # of equals, a face before an edge
    best, rows = np.argmin(depth, axis=1), np.arange(len(first))
    normal = axes[rows, best] * np.where(apart[rows, best] < 0, -1.0, 1.0)[:, None]
    facing = exact.dot(normal[:, None], theirs)
    corner = np.where(np.abs(facing) < 1e-6, 0.0, np.sign(facing)) * other_size
    return Contacts(depth[rows, best], normal, second + exact.matmul(corner[:, None], theirs)[:, 0])


def corners(middle: ArrayLike, half: ArrayLike, rotation: ArrayLike | None = None) -> Doubles:
    """The eight corners of boxes: (n, 8, 3). Their lowest and highest are the upright boxes that `pairs` takes."""
    center, size, turn = pairwise(middle=(middle, 3), half=(half, 3), rotation=_turns(rotation))
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float64)
    local = signs * size[:, None]
    ends: Doubles = center[:, None] + exact.matmul(local, quaternions.matrices(turn))
    return ends


_UPRIGHT = (0.0, 0.0, 0.0, 1.0)


def _turns(rotation: ArrayLike | None) -> tuple[ArrayLike, int]:
    return _UPRIGHT if rotation is None else rotation, 4


def pairwise(**values: tuple[ArrayLike, int]) -> list[Doubles]:
    """Arguments by name, each with its width: as many rows of each, (n, width), or (n,) of a width of 1."""
    arrays = []
    for name, (value, width) in values.items():
        axes = (1,) if width == 1 else (1, width)
        if isinstance(value, np.ndarray) and value.dtype == np.float64 and _fits(value.shape, axes):
            arrays.append(value)  # as a rule, where one is asked for at a time
            continue
        if type(value) is float and width == 1:
            arrays.append(np.array([value]))
            continue
        array = checks.numbers(name, value, None, finite=False)
        if array.ndim == len(axes) - 1:  # one for all pairs
            array = array[None]
        arrays.append(checks.numbers(name, array, (None, *axes[1:]), finite=False))
    counts = {len(array) for array in arrays} - {1}
    n = counts.pop() if counts else 1
    for name, array in zip(values, arrays, strict=True):
        if len(array) not in (1, n):
            raise ValueError(f"{name}: expected {n} rows, or one, got {len(array)}")
    return [array if len(array) == n else np.broadcast_to(array, (n, *array.shape[1:])) for array in arrays]


def _fits(shape: tuple[int, ...], axes: tuple[int, ...]) -> bool:
    return len(shape) == len(axes) and shape[1:] == axes[1:]


def _unit(vectors: Doubles, instead: tuple[float, float, float]) -> tuple[Doubles, Doubles]:
    """Vectors of length 1, and how long they were; ``instead`` of those of no length."""
    length = exact.norm(vectors)
    there = length > 0
    return np.where(there[:, None], vectors / np.where(there, length, 1)[:, None], instead), length


def _boxes(low_name: str, low: ArrayLike, high_name: str, high: ArrayLike) -> tuple[Doubles, Doubles]:
    lowest = checks.numbers(low_name, low, (None, 3), finite=False)
    return lowest, checks.numbers(high_name, high, (len(lowest), 3), finite=False)
