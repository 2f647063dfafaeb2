"""Light that lamps throw on points of the plane: how it falls off, flickers, and is held up by
walls. Pure numbers.

The same, in the same steps, is shaders/include/lamplight.glsl; a test holds pictures against this.

**Falloff.** (1 - (d / radius)²)²: white at the lamp, nothing from the radius on, and smooth at both
ends. It is the window function of B. Karis, *Real Shading in Unreal Engine 4* (SIGGRAPH 2013), with
the square of the distance in place of its fourth power, and without the inverse square, which would
have no radius.

**Hard shadows.** Each lamp of ``softness`` 0 has a row of `BINS` directions, with the distance of
the nearest wall in each: a shadow map of one dimension (*Fast 2D shadows in Unity using 1D shadow
mapping*, gamedeveloper.com). Edges are as wide as a bin.

**Soft shadows.** Other lamps are discs of radius ``softness``. A point sees the disc in a range of
directions, which is divided into `SAMPLES` parts of equal light. Each wall hides an interval of
them, computed from its ends. The parts are bits, and the hidden parts of all walls are combined by
OR (as in M. Schwarz and M. Stamminger, *Bitmask soft shadows*, 2007): walls that overlap count
once, and walls that meet leave no gap. On the GPU each lamp has a list of the walls that can hide
it, for each of some directions (see lightmap.py); here each wall is tested.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles, Mask, Rows
from ..geometry import exact

BINS = 1024
"""Directions of a lamp in which walls are looked for."""

SAMPLES = 256
"""Parts of a soft lamp, of equal light, that walls hide or not."""

INNER_PARTS = 4
"""Parts of the piece of a wall that lies within a lamp's disc; each hides its own share of the
light behind it.
"""

CONE_FADE = 0.2
"""Share of a cone's half, at its edge, in which it fades out."""

FLICKER_PERIOD = 4096.0
"""Seconds after which flames repeat themselves."""

_BIN = math.tau / BINS
_MOST = 1 << 22  # numbers in one table of bins and walls
_AT_ONCE = 1 << 14  # points
_PAIRS = 1 << 20  # of points and walls, in one step of soft shadows
_NEVER = 1e9  # farther than every wall


class Lamps(NamedTuple):
    """Lamps at one moment, a row each."""

    position: Doubles
    angle: Doubles
    color: Doubles
    """Times intensity and flicker: (n, 3)."""
    radius: Doubles
    cone: Doubles
    softness: Doubles
    shadows: Mask


class Walls(NamedTuple):
    """What holds light up."""

    segments: Doubles
    """From where to where: (m, 2, 2)."""
    depths: Doubles
    """How far light goes into each, in units: (m,)."""
    boxes: Doubles
    """Corners, counter-clockwise: (k, 4, 2). Lamps within a box are not hidden by it."""
    box_depths: Doubles


def falloff(distance: Doubles, radius: Doubles | float) -> Doubles:
    """What is left of a lamp's light at a distance: 1 to 0."""
    share = np.clip(1 - (distance / radius) ** 2, 0, 1)
    left: Doubles = share * share
    return left


def cone_share(turn: Doubles, cone: float) -> Doubles:
    """What is left in a direction that is ``turn`` radians off the middle of a cone of that width:
    1 to 0, smooth.
    """
    half = cone / 2
    share = np.clip((half - np.abs(turn)) / (CONE_FADE * max(half, 1e-6)), 0, 1)
    if half >= math.pi - 1e-4:  # all around
        return np.ones_like(share)
    smooth: Doubles = share * share * (3 - 2 * share)
    return smooth


def flickered(time: float, depth: Doubles, rate: Doubles, seed: Rows) -> Doubles:
    """What flames are multiplied with at a time in seconds: noise between 1 - ``depth`` and 1,
    ``rate`` times a second.

    Between whole numbers of ``rate · time``, what is drawn by lot at both is blended smoothly.
    """
    cells = np.maximum(np.rint(FLICKER_PERIOD * rate), 1)
    phase = (time % FLICKER_PERIOD) / FLICKER_PERIOD * cells
    cell = np.floor(phase)
    share = phase - cell
    lot = _hashed(np.asarray(seed).astype(np.uint32))
    places = cell % cells, (cell + 1) % cells
    before, after = (_hashed(place.astype(np.uint32) + lot) / 4294967295.0 for place in places)
    left: Doubles = 1 - depth * (before + (after - before) * share * share * (3 - 2 * share))
    return left


def _hashed(number: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """A whole number for another, uint32 (n,): C. Wellons' *lowbias32* (2018)."""
    number = (number ^ (number >> np.uint32(16))) * np.uint32(0x7FEB352D)
    number = (number ^ (number >> np.uint32(15))) * np.uint32(0x846CA68B)
    hashed: NDArray[np.uint32] = number ^ (number >> np.uint32(16))
    return hashed


def light(points: Doubles, ambient: Doubles, lamps: Lamps, walls: Walls) -> Doubles:
    """What falls on points (n, 2), with all that is ``ambient``: (n, 3), not clamped."""
    found = np.tile(np.asarray(ambient, np.float64), (len(points), 1))
    for lamp in range(len(lamps.radius)):
        radius = float(lamps.radius[lamp])
        position: Doubles = lamps.position[lamp]
        if not radius > 0 or not np.isfinite(position).all():
            continue
        away = points - position
        distance: Doubles = np.sqrt(away[:, 0] * away[:, 0] + away[:, 1] * away[:, 1])
        within = np.flatnonzero(distance < radius)
        if not len(within):
            continue
        extent = max(radius, float(lamps.softness[lamp]))
        walled = within_reach(walls, position, extent) if lamps.shadows[lamp] else None
        for near in (within[start : start + _AT_ONCE] for start in range(0, len(within), _AT_ONCE)):
            share = _reaching(away[near], distance[near], lamps, lamp, walled)
            found[near] += share[:, None] * lamps.color[lamp]
    return found


def _reaching(
    away: Doubles,
    distance: Doubles,
    lamps: Lamps,
    lamp: int,
    walled: tuple[Doubles, Doubles] | None,
) -> Doubles:
    """Which share of a lamp's light reaches points that are so far ``away`` from it, past its
    walls.
    """
    toward = exact.functions().arctan2(away[:, 1], away[:, 0])
    turn = toward - float(lamps.angle[lamp])
    turn -= math.tau * np.rint(turn / math.tau)
    share = falloff(distance, float(lamps.radius[lamp])) * cone_share(turn, float(lamps.cone[lamp]))
    if walled is not None:
        softness = float(lamps.softness[lamp])
        soft = softness > 0
        share *= (
            soft_share(away, softness, *walled) if soft else hard_share(distance, toward, *walled)
        )
    return share


def within_reach(walls: Walls, place: Doubles, radius: float) -> tuple[Doubles, Doubles]:
    """The walls, seen from a lamp, that its light may reach: (m, 2, 2), and their depths."""
    corners = walls.boxes - place
    sides = np.stack([corners, np.roll(corners, -1, axis=1)], axis=2)  # (k, 4, 2, 2)
    outside = ~_inside(corners)
    boxes, box_depths = sides[outside].reshape(-1, 2, 2), np.repeat(walls.box_depths[outside], 4)
    segments = np.concatenate([walls.segments - place, boxes])
    depths = np.concatenate([walls.depths, box_depths])
    low, high = segments.min(axis=1), segments.max(axis=1)
    near = ((low <= radius) & (high >= -radius)).all(axis=1)
    return segments[near], depths[near]


def _inside(corners: Doubles) -> Mask:
    """Which of the boxes have the origin in them; of either winding."""
    following = np.roll(corners, -1, axis=1)
    left = corners[..., 0] * following[..., 1] - corners[..., 1] * following[..., 0]
    inside: Mask = np.logical_or((left > 0).all(axis=1), (left < 0).all(axis=1))
    return inside


def hard_share(distance: Doubles, toward: Doubles, segments: Doubles, depths: Doubles) -> Doubles:
    """The visible share (0 to 1) of a lamp that is a point, from points at a distance and in a
    direction from the lamp.

    ``segments`` are relative to the lamp.
    """
    if not len(segments):
        return np.ones(len(distance))
    middle = (toward / math.tau + 0.5) * BINS
    low = np.floor(middle - 0.5).astype(np.intp)[:, None] + np.arange(2)
    bins, back = np.unique(low % BINS, return_inverse=True)
    near, far = (values[back.reshape(low.shape)] for values in distances(bins, segments, depths))
    d = np.maximum(distance, 1e-6)[:, None]
    hidden = np.where(d < far, np.clip((d - near) / np.maximum(far - near, 1e-6), 0, 1), 1.0)
    right = np.minimum(low + 1, middle[:, None] + 0.5)
    covered = np.maximum(right - np.maximum(low, middle[:, None] - 0.5), 0)
    seen: Doubles = 1 - np.minimum((np.where(d > near, hidden, 0.0) * covered).sum(axis=1), 1)
    return seen


def soft_share(away: Doubles, softness: float, segments: Doubles, depths: Doubles) -> Doubles:
    """The visible share (0 to 1) of a lamp that is a disc of radius ``softness``, from points (n,
    2).

    Points and ``segments`` are relative to the lamp.
    """
    if not len(segments):
        return np.ones(len(away))
    hidden = np.zeros((len(away), SAMPLES // 32), np.uint32)
    step = max(1, _PAIRS // len(segments))
    for start in range(0, len(away), step):
        part = away[start : start + step]
        point, starts, ends, depth = _facing(part, softness, segments, depths)
        distance = np.sqrt(part[:, 0] * part[:, 0] + part[:, 1] * part[:, 1])[point]
        for rows, bits in _covers(distance, softness, starts, ends, depth):
            if len(rows):
                points = point[rows]  # in ascending order
                first = np.flatnonzero(np.diff(points, prepend=-1))
                hidden[start + points[first]] |= np.bitwise_or.reduceat(bits, first, axis=0)
    seen: Doubles = 1 - np.bitwise_count(hidden).sum(axis=1) / SAMPLES
    return seen


def _facing(
    away: Doubles, softness: float, segments: Doubles, depths: Doubles
) -> tuple[Rows, Doubles, Doubles, Doubles]:
    """Pairs of points and walls that may hide some of the lamp: the point's index, both ends of the
    wall as (k, 2) relative to the point, x towards the lamp, and the wall's depth. Sorted by
    point."""
    distance = np.sqrt(away[:, 0] * away[:, 0] + away[:, 1] * away[:, 1])
    apart = distance[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        fx, fy = (
            np.where(distance > 0, -away[:, i] / distance, 1.0 - i)[:, None] for i in range(2)
        )
    local = []
    for end in range(2):
        x, y = (segments[:, end, i] - away[:, i, None] for i in range(2))
        local.append((x * fx + y * fy, y * fx - x * fy))
    (ax, ay), (bx, by) = local
    ex, ey = bx - ax, by - ay
    length = np.sqrt(ex * ex + ey * ey)
    # Of a point on a wall, rounding would decide.
    near = np.abs(ax * by - ay * bx) > 1e-5 * (apart + softness) * length
    within = (apart + softness >= np.minimum(ax, bx)) & (
        np.maximum(ax, bx) >= np.minimum(apart - softness, 0)
    )
    narrow = (np.minimum(ay, by) <= softness) & (np.maximum(ay, by) >= -softness)
    point, wall = np.nonzero(near & within & narrow)
    starts, ends = (np.stack([x[point, wall], y[point, wall]], axis=1) for x, y in local)
    return point, starts, ends, depths[wall]


def _covers(
    distance: Doubles, softness: float, starts: Doubles, ends: Doubles, depth: Doubles
) -> Iterator[tuple[Rows, NDArray[np.uint32]]]:
    """Rows of pairs, in ascending order, and the samples that they hide: uint32 (k, SAMPLES / 32).
    See `_facing`.
    """
    side = ends - starts
    length2: Doubles = (side * side).sum(axis=1)
    wx, wy = distance - starts[:, 0], -starts[:, 1]  # the way from the start to the lamp
    offset = side[:, 0] * wy - side[:, 1] * wx
    middle = (wx * side[:, 0] + wy * side[:, 1]) / length2
    half = np.sqrt(np.maximum(softness * softness - offset * offset / length2, 0) / length2)
    # The part of the wall within the disc.
    low: Doubles = np.clip(middle - half, 0, 1)
    high: Doubles = np.clip(middle + half, 0, 1)
    cut = low < high
    outside = distance > softness

    def at(share: Doubles | float, rows: Rows) -> Doubles:
        shares = np.broadcast_to(share, len(depth))[rows, None]
        mixed: Doubles = starts[rows] * (1 - shares) + ends[rows] * shares
        return mixed

    first: Doubles
    last: Doubles
    for first, last in (
        (np.zeros_like(low), np.where(cut, low, 1)),
        (np.where(cut, high, 1), np.ones_like(high)),
    ):
        rows = np.flatnonzero(outside & (first < last))
        yield rows, _outer(distance[rows], softness, at(first, rows), at(last, rows), depth[rows])
    for part in range(INNER_PARTS):
        first, last = (low + (high - low) * ((part + more) / INNER_PARTS) for more in range(2))
        rows = np.flatnonzero(cut)
        yield rows, _inner(distance[rows], softness, at(first, rows), at(last, rows), depth[rows])


def _outer(
    d: Doubles, softness: float, a: Doubles, b: Doubles, depth: Doubles
) -> NDArray[np.uint32]:
    """The samples that pieces of walls outside of the disc hide from points outside of it."""
    ax: Doubles
    ay: Doubles
    bx: Doubles
    by: Doubles
    (ax, ay), (bx, by) = a.T, b.T
    cross = ax * by - ay * bx
    with np.errstate(divide="ignore", invalid="ignore"):
        u: Doubles = np.clip(d * ay / (softness * np.sqrt(ax * ax + ay * ay)), -1, 1)
        v: Doubles = np.clip(d * by / (softness * np.sqrt(bx * bx + by * by)), -1, 1)
        # An end behind the point: where the wall passes the point's side.
        u, v = (
            np.where(ax > 0, u, np.where(cross > 0, -1.0, 1.0)),
            np.where(bx > 0, v, np.where(cross > 0, 1.0, -1.0)),
        )
        middle = (u + v) / 2
        sin = middle * softness / d
        cos = np.sqrt(1 - sin * sin)
        there = cross / (
            cos * (by - ay) - sin * (bx - ax)
        )  # how far the wall is, in the middle of what it hides
        hides = ((ax > 0) | (bx > 0)) & (there > 0) & (there < d * cos)
        opacity = np.where(hides, np.where(depth > 0, np.clip(there / depth, 0, 1), 1.0), 0.0)
    return _bits(disc_share(np.minimum(u, v)), disc_share(np.maximum(u, v)), opacity)


def _inner(
    d: Doubles, softness: float, a: Doubles, b: Doubles, depth: Doubles
) -> NDArray[np.uint32]:
    """The samples that pieces of walls within the disc hide: a share of those in their
    direction.
    """
    middle = (a + b) / 2
    there: Doubles = np.maximum(np.sqrt((middle * middle).sum(axis=1)), 1e-12)
    x: Doubles
    y: Doubles
    x, y = (middle / there[:, None]).T
    root = np.sqrt(np.maximum(softness * softness - d * d * y * y, 0))
    # Of the disc, in this direction.
    end: Doubles = d * x + root
    begin: Doubles = np.maximum(d * x - root, 0)
    behind = (end * end - there * there) / np.maximum(end * end - begin * begin, 1e-12)
    opacity = np.clip(behind, 0, 1) * np.where(
        depth > 0, np.clip(there / np.maximum(depth, 1e-12), 0, 1), 1.0
    )
    inside = d <= softness
    u, v = (
        np.where(
            inside,
            _inside_share(d, softness, p),
            disc_share(np.clip(_offset(d, softness, p), -1, 1)),
        )
        for p in (a, b)
    )
    left = inside & (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0] < 0)
    low = np.where(inside, np.where(left, v, u), np.minimum(u, v))
    high = np.where(inside, np.where(left, u, v), np.maximum(u, v))
    wraps = low > high
    bits = _bits(low, np.where(wraps, 1.0, high), opacity)
    return bits | _bits(np.zeros_like(low), np.where(wraps, high, 0.0), opacity)


def _offset(d: Doubles, softness: float, p: Doubles) -> Doubles:
    """How far from the lamp a ray through a point passes it, in radii of the disc."""
    offset: Doubles = d * p[:, 1] / (softness * np.maximum(np.sqrt((p * p).sum(axis=1)), 1e-12))
    return offset


def disc_share(offset: Doubles) -> Doubles:
    """The share of a disc's area on one side of a line, -1 to 1 radii from the middle: 0 to 1.

    The arc cosine in it is 4.4.45 of Abramowitz and Stegun, *Handbook of Mathematical Functions*.
    """
    x = np.abs(offset)
    arc = np.sqrt(1 - x) * (1.5707288 + x * (-0.2121144 + x * (0.0742610 + x * -0.0187293)))
    rest = (arc - x * np.sqrt(1 - x * x)) / math.pi
    share: Doubles = np.where(offset < 0, rest, 1 - rest)
    return share


def _inside_share(d: Doubles, softness: float, p: Doubles) -> Doubles:
    """The share of the disc's area between the direction of -x and the one of ``p``, seen from a
    point within it.
    """
    x: Doubles
    y: Doubles
    x, y = (p / np.maximum(np.sqrt((p * p).sum(axis=1)), 1e-12)[:, None]).T
    end = d * x + np.sqrt(np.maximum(softness * softness - d * d * y * y, 0))
    share: Doubles = (
        0.5
        + (exact.functions().arctan2(end * y, end * x - d) + d * end * y / softness**2) / math.tau
    )
    return share


def _bits(low: Doubles, high: Doubles, opacity: Doubles) -> NDArray[np.uint32]:
    """Samples whose middles are between ``low`` and ``high``; where ``opacity`` is below 1, evenly
    spread ones of them.

    A lower opacity's samples are among a higher one's: of several walls, the most opaque one
    counts.
    """
    word = np.arange(SAMPLES // 32)
    lows, highs = (
        np.clip(np.ceil(share * SAMPLES - 0.5)[:, None] - 32 * word, 0, 32).astype(np.uint64)
        for share in (low, high)
    )
    one = np.uint64(1)
    bits = ((one << highs) - one) & ~((one << lows) - one)
    level = np.floor(opacity[:, None] * 32 + np.where(word % 2, 0.75, 0.25)).astype(np.intp)
    spread: NDArray[np.uint32] = bits.astype(np.uint32) & _PATTERNS[np.minimum(level, 32)]
    return spread


def _reversed(bits: int) -> Rows:
    """The numbers of so many bits, each with its bits in reverse: spread evenly however few of them
    are taken.
    """
    numbers, result = np.arange(1 << bits), np.zeros(1 << bits, np.intp)
    for bit in range(bits):
        result |= ((numbers >> bit) & 1) << (bits - 1 - bit)
    return result


_PATTERNS = np.concatenate([[0], np.cumsum(1 << _reversed(5))]).astype(np.uint32)


def distances(bins: Rows, segments: Doubles, depths: Doubles) -> tuple[Doubles, Doubles]:
    """In the middle of each of the bins, how far the nearest wall is, and from where on light is
    through none: (k,).
    """
    sin, cos = exact.functions().sincos((bins + 0.5) * _BIN - math.pi)
    near: Doubles = np.full(len(bins), _NEVER)
    far: Doubles = np.full(len(bins), _NEVER)
    step = max(1, _MOST // len(bins))
    for start in range(0, len(segments), step):
        ax: Doubles
        ay: Doubles
        bx: Doubles
        by: Doubles
        (ax, ay), (bx, by) = segments[start : start + step].transpose(1, 2, 0)
        ex, ey = bx - ax, by - ay
        across = cos[:, None] * ey - sin[:, None] * ex
        with np.errstate(divide="ignore", invalid="ignore"):
            along = (ax * ey - ay * ex) / across
            share = (ax * sin[:, None] - ay * cos[:, None]) / across
            met = (along > 0) & (share >= 0) & (share <= 1)
        hit: Doubles = np.where(met, along, _NEVER)
        near = np.minimum(near, hit.min(axis=1))
        far = np.minimum(far, (hit + depths[start : start + step]).min(axis=1))
    return near, far
