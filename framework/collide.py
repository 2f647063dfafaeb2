"""Collisions enough to play with: which of thousands of things may touch, and how far two shapes are in each other.

Pure NumPy, on whole columns: shapes are arrays of one row each, and every function takes n pairs of rows at once. First
ask `pairs` for the rows whose boxes overlap, then the shapes themselves:

    a, b = collide.pairs(position - radius[:, None], position + radius[:, None]).T
    touching = collide.spheres(position[a], radius[a], position[b], radius[b])
    hit = touching.depth > 0

This is no physics: nothing has a mass, stacks do not rest. A physics library plugs in as a system of the phase
"physics", at a rate of its own (``scene.add_system("physics", step, rate=120)``): it steps, and writes the positions
and rotations of its bodies into a batch's columns, which are drawn between ticks as all others are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import quaternions

Numbers = NDArray[np.float64]
Pairs = NDArray[np.intp]


class Contacts(NamedTuple):
    """How n pairs of shapes touch."""

    depth: Numbers
    """(n,): how far they are in each other, in units; below 0, about how far they are apart."""
    normal: Numbers
    """(n, 3), length 1: the way out. The first shape moved by ``normal * depth`` only just touches the second."""
    point: Numbers
    """(n, 3): where they touch, on the second shape."""


# -- which may touch ---------------------------------------------------------------------------------------------


def pairs(low: ArrayLike, high: ArrayLike) -> Pairs:
    """The rows whose upright boxes, from ``low`` to ``high`` (n, 3), overlap or touch: (m, 2), the lower row first.

    Rows with a number that is not finite, or that end before they begin, touch nothing. Takes time by n, and by the
    pairs that are near each other, whatever the sizes: boxes of about one size are sought in a grid of that size.
    """
    low, high = _box("low", low), _box("high", high)
    found = [_near(grid, other, low, high, same=grid is other) for grid, other in _grids(low, high)]
    both = np.concatenate([np.empty((0, 2), np.intp), *found])
    both.sort(axis=1)
    return both[np.lexsort((both[:, 1], both[:, 0]))]


def pairs_between(low: ArrayLike, high: ArrayLike, other_low: ArrayLike, other_high: ArrayLike) -> Pairs:
    """The rows of one set of boxes that overlap rows of another: (m, 2), the first set's row first."""
    low, other_low = _box("low", low), _box("other_low", other_low)
    n = len(low)
    both = pairs(np.concatenate([low, other_low]), np.concatenate([_box("high", high), _box("other_high", other_high)]))
    both = both[(both[:, 0] < n) & (both[:, 1] >= n)]
    both[:, 1] -= n
    return both


class _Grid(NamedTuple):
    """Rows of about one size, sorted by the cell that their middle is in."""

    rows: Pairs
    keys: NDArray[np.int64]
    size: float
    origin: Numbers
    steps: NDArray[np.int64]  # from a cell to the next one in x and y; in z it is 1


# Cells along an axis: three such numbers fit into one of 64 bits.
_MOST_CELLS = 1 << 20


def _grids(low: Numbers, high: Numbers) -> list[tuple[_Grid, _Grid]]:
    """A grid for each power of two that sizes lie below, and which of them to compare: the coarser one second."""
    extent = (high - low).max(axis=1, initial=0)
    usable = np.isfinite(low).all(axis=1) & np.isfinite(high).all(axis=1) & (low <= high).all(axis=1)
    rows = np.flatnonzero(usable)
    if not len(rows):
        return []
    middle = (low[rows] + high[rows]) / 2
    origin, span = middle.min(axis=0), float(np.ptp(middle, axis=0).max())
    least = max(span / _MOST_CELLS * 2, float(np.spacing(np.abs(middle).max())) * 4, 1e-30)
    levels = np.ceil(np.log2(np.maximum(extent[rows], least))).astype(np.int64)
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


def _sorted(rows: Pairs, middle: Numbers, size: float, origin: Numbers, span: float) -> _Grid:
    wide = int(span / size) + 4  # a free cell on every side
    steps = np.array([wide * wide, wide, 1], np.int64)
    keys = (np.floor((middle - origin) / size).astype(np.int64) + 1) @ steps
    order = np.argsort(keys, kind="stable")
    return _Grid(rows[order], keys[order], size, origin, steps)


def _near(one: _Grid, other: _Grid, low: Numbers, high: Numbers, same: bool) -> Pairs:
    """Pairs of a row of ``one`` and a row of the coarser ``other``: their middles are in cells side by side."""
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


def _overlapping(rows: Pairs, others: Pairs, start: Pairs, stop: Pairs, low: Numbers, high: Numbers) -> Pairs:
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
    first, second = np.asarray(center, np.float64), np.asarray(other_center, np.float64)
    normal, distance = _unit(first - second, (0.0, 1.0, 0.0))
    depth = np.asarray(radius) + np.asarray(other_radius) - distance
    return Contacts(depth, normal, second + normal * np.broadcast_to(np.asarray(other_radius), distance.shape)[:, None])


def sphere_box(
    center: ArrayLike, radius: ArrayLike, middle: ArrayLike, half: ArrayLike, rotation: ArrayLike | None = None
) -> Contacts:
    """Balls against boxes, pair by pair: of ``middle`` (n, 3) and ``half`` their size (n, 3), turned by quaternions
    (n, 4), or upright without."""
    ball, box, half = np.asarray(center, np.float64), np.asarray(middle, np.float64), np.asarray(half, np.float64)
    turn = None if rotation is None else np.asarray(rotation, np.float64)
    local = ball - box if turn is None else quaternions.rotate(quaternions.conjugate(turn), ball - box)
    half = np.broadcast_to(half, local.shape)
    nearest = np.clip(local, -half, half)
    # From within, the way out is through the nearest side.
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
    depth = np.asarray(radius) + np.where(inside, distance, -distance)
    if turn is not None:
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
    first, second = np.asarray(middle, np.float64), np.asarray(other_middle, np.float64)
    ours, theirs = _axes(rotation, len(first)), _axes(other_rotation, len(first))
    size, other_size = np.broadcast_to(half, first.shape), np.broadcast_to(other_half, first.shape)
    edges = np.cross(ours[:, :, None], theirs[:, None]).reshape(-1, 9, 3)
    ways = np.concatenate([ours, theirs, edges], axis=1)
    length = np.linalg.norm(ways, axis=2, keepdims=True)
    parallel = length[..., 0] < 1e-6  # edges along each other: their product is no axis, and not needed
    ways = ways / np.maximum(length, 1e-6)
    apart = np.einsum("nkj,nj->nk", ways, first - second)
    reach = (np.abs(np.einsum("nkj,nij->nki", ways, ours)) * size[:, None]).sum(axis=2)
    along = np.einsum("nkj,nij->nki", ways, theirs)
    reach += (np.abs(along) * other_size[:, None]).sum(axis=2)
    depth = np.where(parallel, np.inf, reach - np.abs(apart))
    depth[:, 6:] += 1e-9  # of equals, a face before an edge
    best, rows = np.argmin(depth, axis=1), np.arange(len(first))
    normal = ways[rows, best] * np.where(apart[rows, best] < 0, -1.0, 1.0)[:, None]
    facing = np.einsum("nj,nij->ni", normal, theirs)
    corner = np.where(np.abs(facing) < 1e-6, 0.0, np.sign(facing)) * other_size
    return Contacts(depth[rows, best], normal, second + np.einsum("ni,nij->nj", corner, theirs))


def corners(middle: ArrayLike, half: ArrayLike, rotation: ArrayLike | None = None) -> Numbers:
    """The eight corners of boxes: (n, 8, 3). Their lowest and highest are the upright boxes that `pairs` takes."""
    center = np.asarray(middle, np.float64)
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float64)
    local = signs * np.broadcast_to(np.asarray(half, np.float64), center.shape)[:, None]
    ends: Numbers = center[:, None] + np.einsum("nki,nij->nkj", local, _axes(rotation, len(center)))
    return ends


def _axes(rotation: ArrayLike | None, n: int) -> Numbers:
    """The axes of boxes as rows: (n, 3, 3)."""
    if rotation is None:
        return np.broadcast_to(np.eye(3), (n, 3, 3))
    turns = np.broadcast_to(np.asarray(rotation, np.float64), (n, 4))
    axes: Numbers = quaternions.matrices(turns).astype(np.float64)
    return axes


def _unit(ways: Numbers, instead: tuple[float, float, float]) -> tuple[Numbers, Numbers]:
    """Vectors of length 1, and how long they were; ``instead`` of those of no length."""
    length = np.sqrt(np.einsum("nj,nj->n", ways, ways))
    there = length > 0
    return np.where(there[:, None], ways / np.where(there, length, 1)[:, None], instead), length


def _box(name: str, value: ArrayLike) -> Numbers:
    array = np.asarray(value, np.float64)
    if array.ndim != 2 or array.shape[1] != 3:
        raise ValueError(f"{name}: expected numbers of shape (n, 3), got {array.shape}")
    return array
