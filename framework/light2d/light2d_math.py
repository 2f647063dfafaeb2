"""Compute 2D light at points on the CPU, with falloff, cones, flicker and shadows.

In this module, a lamp is a `Light2D`.

The shader shaders/include/light2d_math.glsl performs the same calculations in the same order, and a
test compares the results.

**Falloff.** The brightness at the distance d is (1 - (d / radius)²)². It is 1 at the lamp and 0
beyond the radius, and changes smoothly at both ends. The formula is the window function of Brian
Karis, *Real Shading in Unreal Engine 4* (SIGGRAPH 2013), with two changes. First, it uses the
square of the distance instead of the fourth power. Second, it omits the factor 1 / d², which would
let light reach beyond the radius.

**Hard shadows.** A lamp with ``softness`` 0 has a shadow map, which contains the distance to the
nearest wall for each of `BINS` directions. The method is described in *Fast 2D shadows in Unity
using 1D shadow mapping* on gamedeveloper.com. Even hard shadows are slightly blurred at their
edges, by the angle between two neighboring directions.

**Soft shadows.** A lamp with a ``softness`` above 0 is a disc with this radius. Seen from a point,
the disc covers a range of directions, which is divided into `SAMPLES` samples with equal amounts of
light. A wall hides all samples between its two ends. Each sample is one bit of an integer, and the
bits of all walls are combined with OR. Therefore, two overlapping walls hide a sample only once,
and two walls that touch leave no gap. See Schwarz and Stamminger, *Bitmask soft shadows*, 2007. On
the GPU, each lamp has a list of walls for each direction, and to light a point, the shader tests
only the walls in the list for the point's direction (see `lightmap`). On the CPU, all walls are
tested for each point.
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
"""The number of directions in the shadow map of a lamp with hard shadows."""

SAMPLES = 256
"""The number of samples of a lamp with soft shadows. All samples contribute the same amount of
light.
"""

INNER_PARTS = 4
"""The number of parts into which a wall inside a lamp's disc is divided."""

CONE_FADE = 0.2
"""The outer part of a cone where the light fades to 0, as a fraction of half the cone's angle."""

FLICKER_PERIOD = 4096.0
"""The time in seconds after which flickering repeats."""

_BIN = math.tau / BINS
_MAX_TABLE = 1 << 22  # the maximum count of numbers in a table of bins and walls
_MAX_POINTS = 1 << 14  # the maximum number of points per step
_MAX_PAIRS = 1 << 20  # the maximum number of pairs of a point and a wall per step of soft shadows
_NEVER = 1e9  # a distance that is larger than the distance of any wall


class LightRows(NamedTuple):
    """The values of all 2D lights at one moment, which may be between two ticks. Each array has one
    row per light.
    """

    position: Doubles
    angle: Doubles
    color: Doubles
    """The colors of the lamps, multiplied by intensity and flicker. The array has the shape (n, 3).
    """
    radius: Doubles
    cone: Doubles
    softness: Doubles
    shadows: Mask


class Walls(NamedTuple):
    """All walls that cast shadows at one moment, for all lights."""

    segments: Doubles
    """The start and the end of each segment. The array has the shape (m, 2, 2)."""
    depths: Doubles
    """How far light reaches into the wall behind each segment, in units. The array has the shape
    (m,).
    """
    boxes: Doubles
    """The corners of each box, counter-clockwise. The array has the shape (k, 4, 2). Boxes do not
    hide lamps inside them.
    """
    box_depths: Doubles
    """How far light reaches into each box, in units. The array has the shape (k,)."""


def falloff(distance: Doubles, radius: Doubles | float) -> Doubles:
    """Return the brightness of a lamp at the distance ``distance``, in units. The brightness is 1
    at the lamp, and 0 at its radius or farther away.
    """
    share = np.clip(1 - (distance / radius) ** 2, 0, 1)
    squared: Doubles = share * share
    return squared


def cone_share(turn: Doubles, cone: float) -> Doubles:
    """Return the fraction of a cone's light at the angle ``turn`` from its axis, from 0 to 1. The
    fraction is 1 inside the cone, and decreases smoothly to 0 at the edge.

    ``cone`` is the angle between the two edges of the cone, in radians.
    """
    half = cone / 2
    share = np.clip((half - np.abs(turn)) / (CONE_FADE * max(half, 1e-6)), 0, 1)
    if half >= math.pi - 1e-4:  # the lamp has no cone
        return np.ones_like(share)
    smooth: Doubles = share * share * (3 - 2 * share)
    return smooth


def flickered(time: float, depth: Doubles, rate: Doubles, seed: Rows) -> Doubles:
    """Return the factor by which flicker changes a light's brightness at ``time``, in seconds. The
    factor is between 1 - ``depth`` and 1.

    Every 1 / ``rate`` seconds, the light gets a new random factor. In between, the factor changes
    smoothly.
    """
    cells = np.maximum(np.rint(FLICKER_PERIOD * rate), 1)
    phase = (time % FLICKER_PERIOD) / FLICKER_PERIOD * cells
    cell = np.floor(phase)
    share = phase - cell
    offset = _hashed(np.asarray(seed).astype(np.uint32))
    neighbors = cell % cells, (cell + 1) % cells
    before, after = (
        _hashed(neighbor.astype(np.uint32) + offset) / 4294967295.0 for neighbor in neighbors
    )
    factor: Doubles = 1 - depth * (before + (after - before) * share * share * (3 - 2 * share))
    return factor


def _hashed(number: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return a hash of each uint32 number in an array. The hashes serve as random numbers for
    flicker. The hash function is *lowbias32* by Chris Wellons (2018).
    """
    number = (number ^ (number >> np.uint32(16))) * np.uint32(0x7FEB352D)
    number = (number ^ (number >> np.uint32(15))) * np.uint32(0x846CA68B)
    hashed: NDArray[np.uint32] = number ^ (number >> np.uint32(16))
    return hashed


def light(points: Doubles, ambient: Doubles, lamps: LightRows, walls: Walls) -> Doubles:
    """Return the light level (red, green and blue) at each of ``points``, including the ambient
    light. ``points`` has the shape (n, 2), and the returned array has the shape (n, 3). The
    returned values may be greater than 1.
    """
    result = np.tile(np.asarray(ambient, np.float64), (len(points), 1))
    rows = range(len(lamps.radius))
    for lamp in rows if len(points) != 1 else _lamps_near(points[0], lamps):
        radius = float(lamps.radius[lamp])
        color: Doubles = lamps.color[lamp]
        position: Doubles = lamps.position[lamp]
        if not radius > 0 or not np.isfinite(position).all():
            continue
        displacement = points - position
        distance = _lengths(displacement)
        within = np.flatnonzero(distance < radius)
        if not len(within):
            continue
        extent = max(radius, float(lamps.softness[lamp]))
        near_walls = within_reach(walls, position, extent) if lamps.shadows[lamp] else None
        for start in range(0, len(within), _MAX_POINTS):
            lit = within[start : start + _MAX_POINTS]
            share = _light_share(displacement[lit], distance[lit], lamps, lamp, near_walls)
            result[lit] += share[:, None] * color
    return result


def _lamps_near(point: Doubles, lamps: LightRows) -> list[int]:
    """Return the rows of the lamps whose radius is greater than their distance to ``point``."""
    with np.errstate(invalid="ignore", over="ignore"):
        near: Mask = _lengths(point - lamps.position) < lamps.radius
    rows: list[int] = near.nonzero()[0].tolist()
    return rows


def _lengths(vectors: Doubles) -> Doubles:
    x = vectors[:, 0]
    y = vectors[:, 1]
    lengths: Doubles = np.sqrt(x * x + y * y)
    return lengths


def plain_light(
    x: float, y: float, alpha: float, ambient: tuple[float, float, float], lamps: PlainLamps
) -> tuple[float, float, float] | None:
    """Return the light level (red, green and blue) at one point. The result is exactly the same as
    that of `light`. Return None if a lamp with a cone or with flicker reaches the point.

    Walls are ignored, so call `plain_light` only if the scene has no walls. For a single point and
    a few lamps, plain Python numbers are faster than arrays.
    """
    red, green, blue = ambient
    for old, new, cone, softness, flicker, rate, visible in zip(*lamps, strict=True):
        if not visible:
            continue
        numbers = [a + (b - a) * alpha for a, b in zip(old, new, strict=True)]
        lamp_x, lamp_y, _, lamp_red, lamp_green, lamp_blue, radius, intensity = numbers
        if not radius > 0:
            continue
        dx = x - lamp_x
        dy = y - lamp_y
        distance = math.sqrt(dx * dx + dy * dy)
        if not distance < radius:
            continue
        if (
            flicker
            or cone / 2 < math.pi - 1e-4
            or not math.isfinite(sum(numbers) + rate + softness)
        ):
            return None
        part = distance / radius
        share = min(max(1 - part * part, 0.0), 1.0)
        share *= share
        red += share * (lamp_red * intensity)
        green += share * (lamp_green * intensity)
        blue += share * (lamp_blue * intensity)
    return red, green, blue


PlainLamps = tuple[
    list[list[float]],
    list[list[float]],
    list[float],
    list[float],
    list[float],
    list[float],
    list[bool],
]
"""The lamps for `plain_light`, as lists with one value per lamp: the previous numbers, the current
numbers, the cone, the softness, the flicker, the flicker rate, and whether the lamp is visible. The
numbers of a lamp are x, y, angle, red, green, blue, radius and intensity.
"""


def _light_share(
    displacement: Doubles,
    distance: Doubles,
    lamps: LightRows,
    lamp: int,
    near_walls: tuple[Doubles, Doubles] | None,
) -> Doubles:
    """Return the fraction of a lamp's light that reaches each point, from 0 to 1.

    ``displacement`` contains the vectors from the lamp to the points.
    """
    toward: Doubles = exact.functions().arctan2(displacement[:, 1], displacement[:, 0])
    turn = toward - float(lamps.angle[lamp])
    turn -= math.tau * np.rint(turn / math.tau)
    share = falloff(distance, float(lamps.radius[lamp])) * cone_share(turn, float(lamps.cone[lamp]))
    if near_walls is not None:
        softness = float(lamps.softness[lamp])
        share *= (
            soft_share(displacement, softness, *near_walls)
            if softness > 0
            else hard_share(distance, toward, *near_walls)
        )
    return share


def within_reach(walls: Walls, position: Doubles, radius: float) -> tuple[Doubles, Doubles]:
    """Return the walls within the distance ``radius`` of a lamp, and the depth of each wall. The
    depth of a wall is the distance that light reaches into the wall.

    The returned walls are relative to the position of the lamp. The array of walls has the shape
    (m, 2, 2).
    """
    corners = walls.boxes - position
    sides = np.stack([corners, np.roll(corners, -1, axis=1)], axis=2)  # of shape (k, 4, 2, 2)
    outside = ~_inside(corners)
    boxes = sides[outside].reshape(-1, 2, 2)
    box_depths = np.repeat(walls.box_depths[outside], 4)
    segments = np.concatenate([walls.segments - position, boxes])
    depths = np.concatenate([walls.depths, box_depths])
    low = segments.min(axis=1)
    high = segments.max(axis=1)
    near = ((low <= radius) & (high >= -radius)).all(axis=1)
    return segments[near], depths[near]


def _inside(corners: Doubles) -> Mask:
    """Return a mask that is True for each box that contains the origin.

    The corners of a box may be clockwise or counter-clockwise.
    """
    following = np.roll(corners, -1, axis=1)
    left = corners[..., 0] * following[..., 1] - corners[..., 1] * following[..., 0]
    inside: Mask = np.logical_or((left > 0).all(axis=1), (left < 0).all(axis=1))
    return inside


def hard_share(distance: Doubles, toward: Doubles, segments: Doubles, depths: Doubles) -> Doubles:
    """Return the fraction of a lamp's light that reaches each point past the walls, from 0 to 1.
    Used for lamps with hard shadows.

    ``distance`` contains the distance from the lamp to each point. ``toward`` contains the
    direction from the lamp to each point, in radians. The positions in ``segments`` are relative to
    the lamp.
    """
    if not len(segments):
        return np.ones(len(distance))
    middle = (toward / math.tau + 0.5) * BINS
    low = np.floor(middle - 0.5).astype(np.intp)[:, None] + np.arange(2)
    bins, inverse = np.unique(low % BINS, return_inverse=True)
    inverse = inverse.reshape(low.shape)
    near_bins, far_bins = distances(bins, segments, depths)
    near: Doubles = near_bins[inverse]
    far: Doubles = far_bins[inverse]
    d = np.maximum(distance, 1e-6)[:, None]
    hidden = np.where(d < far, np.clip((d - near) / np.maximum(far - near, 1e-6), 0, 1), 1.0)
    right = np.minimum(low + 1, middle[:, None] + 0.5)
    covered = np.maximum(right - np.maximum(low, middle[:, None] - 0.5), 0)
    hidden_share: Doubles = (np.where(d > near, hidden, 0.0) * covered).sum(axis=1)
    visible: Doubles = 1 - np.minimum(hidden_share, 1)
    return visible


def soft_share(
    displacement: Doubles, softness: float, segments: Doubles, depths: Doubles
) -> Doubles:
    """Return the fraction of a lamp's disc that is visible from each point, from 0 to 1.
    ``softness`` is the radius of the disc.

    ``displacement`` has the shape (n, 2), and contains the vector from the lamp to each point. The
    positions of ``segments`` are relative to the lamp, too.
    """
    if not len(segments):
        return np.ones(len(displacement))
    hidden = np.zeros((len(displacement), SAMPLES // 32), np.uint32)
    step = max(1, _MAX_PAIRS // len(segments))
    for start in range(0, len(displacement), step):
        part = displacement[start : start + step]
        point, starts, ends, depth = _facing(part, softness, segments, depths)
        distance = _lengths(part)[point]
        for rows, bits in _covers(distance, softness, starts, ends, depth):
            if len(rows):
                points = point[rows]  # the points are in ascending order
                first = np.flatnonzero(np.diff(points, prepend=-1))
                hidden[start + points[first]] |= np.bitwise_or.reduceat(bits, first, axis=0)
    visible: Doubles = 1 - np.bitwise_count(hidden).sum(axis=1) / SAMPLES
    return visible


def _facing(
    displacement: Doubles, softness: float, segments: Doubles, depths: Doubles
) -> tuple[Rows, Doubles, Doubles, Doubles]:
    """Find the pairs of a point and a wall that is between this point and the lamp. The pairs are
    sorted by the index of the point.

    Return four arrays with one row per pair: the index of the point, both ends of the wall, and the
    depth of the wall. In each pair, the ends of the wall are relative to the point. In these
    coordinates, the x axis points from the point to the lamp.
    """
    distance = _lengths(displacement)
    apart = distance[:, None]
    local = _local_ends(displacement, distance, segments)
    (ax, ay), (bx, by) = local
    ex = bx - ax
    ey = by - ay
    length = np.sqrt(ex * ex + ey * ey)
    # Skip points on a wall, because the result would depend on rounding errors.
    near = np.abs(ax * by - ay * bx) > 1e-5 * (apart + softness) * length
    within = (apart + softness >= np.minimum(ax, bx)) & (
        np.maximum(ax, bx) >= np.minimum(apart - softness, 0)
    )
    narrow = (np.minimum(ay, by) <= softness) & (np.maximum(ay, by) >= -softness)
    point, wall = np.nonzero(near & within & narrow)
    starts, ends = (np.stack([x[point, wall], y[point, wall]], axis=1) for x, y in local)
    return point, starts, ends, depths[wall]


def _local_ends(
    displacement: Doubles, distance: Doubles, segments: Doubles
) -> list[tuple[Doubles, Doubles]]:
    """Return both ends of each wall relative to each point. In these coordinates, the x axis points
    from the point to the lamp.

    For each end, return the x and the y, of the shape (points, walls).
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        fx, fy = (
            np.where(distance > 0, -displacement[:, i] / distance, 1.0 - i)[:, None]
            for i in range(2)
        )
    local = []
    for end in range(2):
        x, y = (segments[:, end, i] - displacement[:, i, None] for i in range(2))
        local.append((x * fx + y * fy, y * fx - x * fy))
    return local


def _covers(
    distance: Doubles, softness: float, starts: Doubles, ends: Doubles, depth: Doubles
) -> Iterator[tuple[Rows, NDArray[np.uint32]]]:
    """Yield groups of pairs from `_facing`: their indices in ascending order, and the samples that
    each wall hides. Each sample is one bit of a uint32 number. The array of bits has the shape (k,
    SAMPLES / 32).
    """
    low, high = _part_in_disc(distance, softness, starts, ends)
    cut = low < high
    outside = distance > softness

    def at(share: Doubles, rows: Rows) -> Doubles:
        shares = share[rows, None]
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
        first, last = (low + (high - low) * ((part + step) / INNER_PARTS) for step in range(2))
        rows = np.flatnonzero(cut)
        yield rows, _inner(distance[rows], softness, at(first, rows), at(last, rows), depth[rows])


def _part_in_disc(
    distance: Doubles, softness: float, starts: Doubles, ends: Doubles
) -> tuple[Doubles, Doubles]:
    """Return the part of each wall that is inside the disc of the lamp: its start and its end, as
    fractions of the wall. If no part is inside the disc, both fractions are equal.
    """
    side = ends - starts
    length2: Doubles = (side * side).sum(axis=1)
    # The vector from the start of the wall to the lamp.
    wx = distance - starts[:, 0]
    wy = -starts[:, 1]
    offset = side[:, 0] * wy - side[:, 1] * wx
    middle = (wx * side[:, 0] + wy * side[:, 1]) / length2
    half = np.sqrt(np.maximum(softness * softness - offset * offset / length2, 0) / length2)
    return np.clip(middle - half, 0, 1), np.clip(middle + half, 0, 1)


def _outer(
    d: Doubles, softness: float, a: Doubles, b: Doubles, depth: Doubles
) -> NDArray[np.uint32]:
    """Return the samples hidden by walls outside the disc, for points outside the disc."""
    ax: Doubles
    ay: Doubles
    bx: Doubles
    by: Doubles
    ax, ay = a.T
    bx, by = b.T
    cross = ax * by - ay * bx
    with np.errstate(divide="ignore", invalid="ignore"):
        u: Doubles = np.clip(d * ay / (softness * np.sqrt(ax * ax + ay * ay)), -1, 1)
        v: Doubles = np.clip(d * by / (softness * np.sqrt(bx * bx + by * by)), -1, 1)
        # If an end is behind the point, use the side on which the wall passes the point.
        u = np.where(ax > 0, u, np.where(cross > 0, -1.0, 1.0))
        v = np.where(bx > 0, v, np.where(cross > 0, 1.0, -1.0))
        middle = (u + v) / 2
        sin = middle * softness / d
        cos = np.sqrt(1 - sin * sin)
        # The distance to the wall, in the direction of the middle of the hidden interval.
        apart = cross / (cos * (by - ay) - sin * (bx - ax))
        hides = ((ax > 0) | (bx > 0)) & (apart > 0) & (apart < d * cos)
        opacity = np.where(hides, np.where(depth > 0, np.clip(apart / depth, 0, 1), 1.0), 0.0)
    return _bits(disc_share(np.minimum(u, v)), disc_share(np.maximum(u, v)), opacity)


def _inner(
    d: Doubles, softness: float, a: Doubles, b: Doubles, depth: Doubles
) -> NDArray[np.uint32]:
    """Return the samples hidden by walls inside the disc. Such a wall hides only a part of the
    light in its direction, and therefore only some of the samples there.
    """
    opacity = _inner_opacity(d, softness, (a + b) / 2, depth)
    low, high = _inner_interval(d, softness, a, b)
    wraps = low > high
    bits = _bits(low, np.where(wraps, 1.0, high), opacity)
    return bits | _bits(np.zeros_like(low), np.where(wraps, high, 0.0), opacity)


def _inner_opacity(d: Doubles, softness: float, middle: Doubles, depth: Doubles) -> Doubles:
    """Return the fraction of the light in a wall's direction that the wall hides. ``middle`` is the
    middle of the wall.
    """
    apart: Doubles = np.maximum(np.sqrt((middle * middle).sum(axis=1)), 1e-12)
    x: Doubles
    y: Doubles
    x, y = (middle / apart[:, None]).T
    root = np.sqrt(np.maximum(softness * softness - d * d * y * y, 0))
    # The distances at which a ray in this direction leaves and enters the disc of the lamp.
    end: Doubles = d * x + root
    begin: Doubles = np.maximum(d * x - root, 0)
    behind = (end * end - apart * apart) / np.maximum(end * end - begin * begin, 1e-12)
    opacity: Doubles = np.clip(behind, 0, 1) * np.where(
        depth > 0, np.clip(apart / np.maximum(depth, 1e-12), 0, 1), 1.0
    )
    return opacity


def _inner_interval(d: Doubles, softness: float, a: Doubles, b: Doubles) -> tuple[Doubles, Doubles]:
    """Return the part of the disc in the directions between ``a`` and ``b``: its start and its end,
    as fractions of the disc. If the start is greater than the end, the part contains 0 and 1.
    """
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
    return low, high


def _offset(d: Doubles, softness: float, p: Doubles) -> Doubles:
    """Return the distance between the center of the lamp and a ray, in radii of the disc."""
    offset: Doubles = d * p[:, 1] / (softness * np.maximum(np.sqrt((p * p).sum(axis=1)), 1e-12))
    return offset


def disc_share(offset: Doubles) -> Doubles:
    """Return the fraction of a disc's area on one side of a line, from 0 to 1.

    ``offset`` is the signed distance between the line and the center in radii of the disc, from -1
    to 1. The arc cosine is computed with formula 4.4.45 in Abramowitz and Stegun, *Handbook of
    Mathematical Functions*.
    """
    x = np.abs(offset)
    arc = np.sqrt(1 - x) * (1.5707288 + x * (-0.2121144 + x * (0.0742610 + x * -0.0187293)))
    smaller = (arc - x * np.sqrt(1 - x * x)) / math.pi
    share: Doubles = np.where(offset < 0, smaller, 1 - smaller)
    return share


def _inside_share(d: Doubles, softness: float, p: Doubles) -> Doubles:
    """Return the fraction of a disc's area inside a sector, from 0 to 1. The corner of the sector
    is a point in the disc. One side of the sector runs along the negative x axis, the other in the
    direction ``p``.
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
    """Return the samples from ``low`` to ``high`` as bits. ``low`` and ``high`` are fractions of
    the disc.

    If ``opacity`` is below 1, only some of the samples are set, at equal distances. A higher
    opacity sets the same samples and some more. So if several walls overlap, the wall with the
    highest opacity decides.
    """
    word = np.arange(SAMPLES // 32)
    lows, highs = (
        np.clip(np.ceil(share * SAMPLES - 0.5)[:, None] - 32 * word, 0, 32).astype(np.uint64)
        for share in (low, high)
    )
    bit = np.uint64(1)
    bits = ((bit << highs) - bit) & ~((bit << lows) - bit)
    level = np.floor(opacity[:, None] * 32 + np.where(word % 2, 0.75, 0.25)).astype(np.intp)
    spread: NDArray[np.uint32] = bits.astype(np.uint32) & _PATTERNS[np.minimum(level, 32)]
    return spread


def _reversed(bits: int) -> Rows:
    """Return the numbers 0, 1, 2 and so on, with the order of their ``bits`` bits reversed.

    For every k, the first k numbers of the returned array are evenly distributed.
    """
    numbers = np.arange(1 << bits)
    result = np.zeros(1 << bits, np.intp)
    for bit in range(bits):
        result |= ((numbers >> bit) & 1) << (bits - 1 - bit)
    return result


_PATTERNS = np.concatenate([[0], np.cumsum(1 << _reversed(5))]).astype(np.uint32)


def distances(bins: Rows, segments: Doubles, depths: Doubles) -> tuple[Doubles, Doubles]:
    """Return two arrays of distances from the lamp, in units, for k bins. A bin is a small range of
    directions, and each distance is measured along the middle direction of a bin. Both arrays have
    the shape (k,). The first array contains the distances to the nearest walls. The second array
    contains the distances at which the light ends, inside or behind a wall.
    """
    sin: Doubles
    cos: Doubles
    sin, cos = exact.functions().sincos((bins + 0.5) * _BIN - math.pi)
    near: Doubles = np.full(len(bins), _NEVER)
    far: Doubles = np.full(len(bins), _NEVER)
    step = max(1, _MAX_TABLE // len(bins))
    for start in range(0, len(segments), step):
        ax: Doubles
        ay: Doubles
        bx: Doubles
        by: Doubles
        (ax, ay), (bx, by) = segments[start : start + step].transpose(1, 2, 0)
        ex = bx - ax
        ey = by - ay
        across = cos[:, None] * ey - sin[:, None] * ex
        with np.errstate(divide="ignore", invalid="ignore"):
            along = (ax * ey - ay * ex) / across
            share = (ax * sin[:, None] - ay * cos[:, None]) / across
            hits = (along > 0) & (share >= 0) & (share <= 1)
        hit: Doubles = np.where(hits, along, _NEVER)
        near = np.minimum(near, hit.min(axis=1))
        far = np.minimum(far, (hit + depths[start : start + step]).min(axis=1))
    return near, far
