"""Light that lamps throw on points of the plane: how it falls off, flickers, and is held up by walls. Pure numbers.

The same, in the same steps, is shaders/include/lamplight.glsl; a test holds pictures against this.

**Falloff.** (1 - (d / radius)²)²: white at the lamp, nothing from the radius on, and smooth at both ends. It is the
window function of B. Karis, *Real Shading in Unreal Engine 4* (SIGGRAPH 2013), with the square of the distance in place
of its fourth power, and without the inverse square, which would have no radius.

**Shadows.** Each lamp has a row of `BINS` directions, with the distance of the nearest wall in each: a shadow map of
one dimension (*Fast 2D shadows in Unity using 1D shadow mapping*, gamedeveloper.com). A point is dark by the share of
the lamp's disc, of radius ``softness``, that walls nearer than it hide: each bin is projected back on the disc (G.
Guennebaud et al., *Real-time soft shadow mapping by backprojection*, 2006), so that shadows are sharp at their wall and
soften away from it. Where ``softness`` is 0, edges are as wide as a bin.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..arrays import Doubles, Mask, Rows
from . import exact

BINS = 1024
"""Directions of a lamp in which walls are looked for."""

TAPS = 16
"""Bins that are looked at on either side of a point's own, before they are taken in pairs and fours."""

WIDEST = 64.0
"""Bins on either side that a penumbra reaches at most: 22.5°."""

CONE_FADE = 0.2
"""Share of a cone's half, at its edge, in which it fades out."""

FLICKER_PERIOD = 4096.0
"""Seconds after which flames repeat themselves."""

GAIN = 1.05
"""What soft shadows are multiplied with: bins of a wall that is seen at an angle, projected back, leave small gaps."""

_BIN = math.tau / BINS
_MOST = 1 << 22  # numbers in one table of bins and walls
_AT_ONCE = 1 << 14  # points, of which each has some forty numbers
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
    """What is left in a direction that is ``turn`` radians off the middle of a cone of that width: 1 to 0, smooth."""
    half = cone / 2
    share = np.clip((half - np.abs(turn)) / (CONE_FADE * max(half, 1e-6)), 0, 1)
    if half >= math.pi - 1e-4:  # all around
        return np.ones_like(share)
    smooth: Doubles = share * share * (3 - 2 * share)
    return smooth


def flickered(time: float, depth: Doubles, rate: Doubles, seed: Rows) -> Doubles:
    """What flames are multiplied with at a time in seconds: noise between 1 - ``depth`` and 1, ``rate`` times a second.

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


def _hashed(number: np.ndarray) -> np.ndarray:
    """A whole number for another, uint32 (n,): C. Wellons' *lowbias32* (2018)."""
    number = (number ^ (number >> np.uint32(16))) * np.uint32(0x7FEB352D)
    number = (number ^ (number >> np.uint32(15))) * np.uint32(0x846CA68B)
    hashed: np.ndarray = number ^ (number >> np.uint32(16))
    return hashed


def light(points: Doubles, ambient: Doubles, lamps: Lamps, walls: Walls) -> Doubles:
    """What falls on points (n, 2), with all that is ``ambient``: (n, 3), not clamped."""
    found = np.tile(np.asarray(ambient, np.float64), (len(points), 1))
    for lamp in range(len(lamps.radius)):
        radius = float(lamps.radius[lamp])
        if not radius > 0 or not np.isfinite(lamps.position[lamp]).all():
            continue
        away = points - lamps.position[lamp]
        distance = np.sqrt(away[:, 0] * away[:, 0] + away[:, 1] * away[:, 1])
        within = np.flatnonzero(distance < radius)
        if not len(within):
            continue
        walled = within_reach(walls, lamps.position[lamp], radius) if lamps.shadows[lamp] else None
        for near in (within[start : start + _AT_ONCE] for start in range(0, len(within), _AT_ONCE)):
            share = _reaching(away[near], distance[near], lamps, lamp, walled)
            found[near] += share[:, None] * lamps.color[lamp]
    return found


def _reaching(
    away: Doubles, distance: Doubles, lamps: Lamps, lamp: int, walled: tuple[Doubles, Doubles] | None
) -> Doubles:
    """Which share of a lamp's light reaches points that are so far ``away`` from it, past its walls."""
    toward = exact.functions().arctan2(away[:, 1], away[:, 0])
    turn = toward - float(lamps.angle[lamp])
    turn -= math.tau * np.rint(turn / math.tau)
    share = falloff(distance, float(lamps.radius[lamp])) * cone_share(turn, float(lamps.cone[lamp]))
    if walled is not None:
        share *= open_share(distance, toward, float(lamps.softness[lamp]), *walled)
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


def open_share(distance: Doubles, toward: Doubles, softness: float, segments: Doubles, depths: Doubles) -> Doubles:
    """Which share of a lamp's disc is seen from points at a distance and in a direction: 0 to 1.

    ``segments`` are seen from the lamp.
    """
    if not len(segments):
        return np.ones(len(distance))
    apart = np.maximum(distance, 1e-6)
    middle = (toward / math.tau + 0.5) * BINS
    reach = np.clip(3 * softness / apart / _BIN, 0.5, WIDEST)
    stride = np.where(reach <= TAPS, 1, np.where(reach <= 2 * TAPS, 2, 4))
    first = np.floor((middle - reach) / stride).astype(np.intp)
    last = np.floor((middle + reach) / stride).astype(np.intp)
    taps = first[:, None] + np.arange(int((last - first).max()) + 1)
    low = taps * stride[:, None]
    bins, back = np.unique((low + stride[:, None] // 2) % BINS, return_inverse=True)
    near, far = (values[back.reshape(low.shape)] for values in distances(bins, segments, depths))
    d = apart[:, None]
    hidden = np.where(d < far, np.clip((d - near) / np.maximum(far - near, 1e-6), 0, 1), 1.0)
    near = np.maximum(near, 1e-6)
    half = np.clip(softness * np.maximum(d - near, 0) / (d * near) / _BIN, 0.5, reach[:, None])
    right = np.minimum(low + stride[:, None], middle[:, None] + half)
    covered = np.maximum(right - np.maximum(low, middle[:, None] - half), 0)
    hidden = np.where((d > near) & (taps <= last[:, None]), hidden, 0.0)
    gain = GAIN if softness > 0 else 1.0
    seen: Doubles = 1 - np.minimum(gain * (hidden * covered / (2 * half)).sum(axis=1), 1)
    return seen


def distances(bins: Rows, segments: Doubles, depths: Doubles) -> tuple[Doubles, Doubles]:
    """In the middle of each of the bins, how far the nearest wall is, and from where on light is through none: (k,)."""
    sin, cos = exact.functions().sincos((bins + 0.5) * _BIN - math.pi)
    near, far = np.full(len(bins), _NEVER), np.full(len(bins), _NEVER)
    step = max(1, _MOST // len(bins))
    for start in range(0, len(segments), step):
        (ax, ay), (bx, by) = segments[start : start + step].transpose(1, 2, 0)
        ex, ey = bx - ax, by - ay
        across = cos[:, None] * ey - sin[:, None] * ex
        with np.errstate(divide="ignore", invalid="ignore"):
            along = (ax * ey - ay * ex) / across
            share = (ax * sin[:, None] - ay * cos[:, None]) / across
            met = (along > 0) & (share >= 0) & (share <= 1)
        hit = np.where(met, along, _NEVER)
        near = np.minimum(near, hit.min(axis=1))
        far = np.minimum(far, (hit + depths[start : start + step]).min(axis=1))
    return near, far
