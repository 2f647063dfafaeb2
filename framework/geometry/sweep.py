"""Upright boxes that move through tiles and boxes, are stopped by them and slide along them: all at once.

A body goes along x, then along y, in steps of at most one tile, so that it cuts no corner; along an axis it is stopped
by the first edge that it comes upon, and put beside it: exactly, whatever the numbers are, and rounded away from it in
the precision of the column (float32 stays float32). So what is outside of everything solid never is inside.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Doubles, Mask, Reals, Rows
from .broadphase import pairs_between
from .obstacles import BoxObstacle, Moving, Obstacle, SlopeObstacle, TileObstacle
from .tilegrid import Boxes, Tiles, halves, mask, rows_of

# Steps that a displacement is cut into, at most; longer ones go further at once along each axis.
_MOST_STEPS = 32

# Who is this share of its height above the ground stands on it.
_NEAR = 1 / 64

_TILES = ("solid", "tile_size", "position")

_ALL = slice(None)


class Flags(NamedTuple):
    """What bodies came up against when they moved, (n,) bools each."""

    on_floor: Mask
    """Held from below: they stand on something."""
    on_ceiling: Mask
    """Held from above."""
    on_left: Mask
    """Held by something on their left."""
    on_right: Mask
    """Held by something on their right."""
    crushed: Mask
    """Pushed by a box that moves, and held by something else: they are in that box."""

    @property
    def on_wall(self) -> Mask:
        """Held on either side."""
        return self.on_left | self.on_right


class _World:
    """Bodies among obstacles, and what they came up against so far."""

    def __init__(self, position: Reals, half: Doubles, through: Mask | None) -> None:
        self._small = position.dtype == np.float32
        at = [np.array(position[:, axis], np.float64) for axis in (0, 1)]
        self.bodies = Moving(at, [np.ascontiguousarray(half[:, axis]) for axis in (0, 1)], through)
        self.obstacles: list[Obstacle] = []
        self.slopes: list[SlopeObstacle] = []
        self.touched = [[np.zeros(len(position), bool) for _ in range(2)] for _ in range(2)]  # axis, then - or +

    def advance(self, axis: int, distance: Doubles, rows: Rows | slice = _ALL) -> Mask:
        """Move rows by a ``distance`` each along an axis, as far as they get. Returns which of them were stopped."""
        start, half = self.bodies.at[axis][rows], self.bodies.half[axis][rows]
        sign = np.copysign(1.0, distance)
        reach = half * sign
        target: Doubles = self._kept(start + distance)
        lead, ahead = start + reach, target + reach
        hit = np.zeros(len(start), bool)
        for obstacle in self.obstacles:
            met, edge = obstacle.stop(self.bodies, axis, rows, sign, lead, ahead)
            if len(met):
                hit[met] = True
                ahead[met] = edge
                target[met] = self._short_of(edge, reach[met], sign[met], start[met])
        self.bodies.at[axis][rows] = target
        return hit

    def _short_of(self, edge: Doubles, reach: Doubles, sign: Doubles, start: Doubles) -> Doubles:
        """The places, in the column's precision, from which bodies reach an edge and not beyond."""
        place = self._kept(edge - reach)
        for _ in range(4):  # as a rule none is beyond
            beyond = sign * (place + reach) > sign * edge
            if not beyond.any():
                break
            place = np.where(beyond, self._next(place, -sign), place)
        return np.where(sign * place < sign * start, start, place)  # nobody goes back

    def _kept(self, place: Doubles) -> Doubles:
        return place.astype(np.float32).astype(np.float64) if self._small else place

    def _next(self, place: Doubles, direction: Doubles) -> Doubles:
        if not self._small:
            return np.nextafter(place, direction * np.inf)
        return np.nextafter(place.astype(np.float32), (direction * np.inf).astype(np.float32)).astype(np.float64)

    def note(self, axis: int, distance: Doubles, hit: Mask, rows: Rows | slice = _ALL) -> None:
        """Those of ``rows`` that were ``hit`` on their way came up against something."""
        if hit.any():
            low, high = self.touched[axis]
            low[rows] |= hit & (distance < 0)
            high[rows] |= hit & (distance > 0)

    def step(
        self, across: Doubles, along: Doubles, rows: Rows | slice, step: float, standing: Mask
    ) -> tuple[Mask, Mask]:
        """Move rows along x, then along y. Returns which of them were stopped on either way."""
        hit = self.walk(across, rows, step, standing)
        self.note(0, across, hit, rows)
        held = self.advance(1, along, rows)
        self.note(1, along, held, rows)
        return hit, held

    def walk(self, distance: Doubles, rows: Rows | slice, step: float, standing: Mask) -> Mask:
        """Move rows along x, up slopes, and up steps of at most ``step`` where they were ``standing`` (of all rows).
        Returns which of them were stopped."""
        before = np.array(self.bodies.at[0][rows])
        hit = self._along(distance, rows)
        if step and hit.any():
            some = np.flatnonzero(hit & standing[rows])
            which = some if isinstance(rows, slice) else rows[some]
            left = distance[some] - (self.bodies.at[0][which] - before[some])
            hit[some] = self._climb(left, which, step)
        return hit

    def _along(self, distance: Doubles, rows: Rows | slice) -> Mask:
        if not self.slopes:
            return self.advance(0, distance, rows)
        before = np.array(self.bodies.at[0][rows])
        hit = self.advance(0, distance, rows)
        lifted = self._lift(before, hit, rows)
        again = np.flatnonzero(hit & lifted)  # at the top of a slope they were too low for what is level with it
        if len(again):
            which = again if isinstance(rows, slice) else rows[again]
            between = self.bodies.at[0][which]
            more = self.advance(0, distance[again] - (between - before[again]), which)
            self._lift(between, more, which)
            hit[again] = more
        return hit

    def _lift(self, before: Doubles, hit: Mask, rows: Rows | slice) -> Mask:
        """Rows that came from x of ``before`` into the ground of slopes go up on it, or back: those are ``hit`` then.
        Returns which of them went up."""
        which = np.arange(len(self.bodies.at[0])) if isinstance(rows, slice) else rows
        lifted = np.zeros(len(which), bool)
        for slopes in self.slopes:
            low, high = self.bodies.span(1, which)
            ground = slopes.ground(self.bodies, which, low, high)
            sunk = np.flatnonzero(ground > low)
            if not len(sunk):
                continue
            some, level = which[sunk], ground[sunk]
            was, far = self.bodies.at[1][some], level - low[sunk]
            now = self._short_of(level, -self.bodies.half[1][some], -np.ones(len(some)), np.full(len(some), np.inf))
            fits = far <= slopes.slack(self.bodies.at[0][some] - before[sunk])
            fits &= ~self.advance(1, np.where(fits, now - was, 0.0), some)
            self.bodies.at[1][some] = np.where(fits, now, was)
            self.bodies.at[0][some[~fits]] = before[sunk[~fits]]
            hit[sunk[~fits]] = True
            lifted[sunk[fits]] = True
        return lifted

    def _climb(self, distance: Doubles, rows: Rows, step: float) -> Mask:
        """Try the rest of a way along x from further up, and come down again. Returns which are stopped still."""
        x, y = self.bodies.at[0][rows], self.bodies.at[1][rows]
        self.advance(1, np.full(len(rows), step), rows)
        hit: Mask = self._along(distance, rows)
        further = self.bodies.at[0][rows] != x
        self.bodies.at[1][rows[~further]] = y[~further]
        up = rows[further]
        fall = y[further] - self.bodies.at[1][up]
        self.note(1, fall, self.advance(1, fall, up), up)
        stopped: Mask = hit | ~further
        return stopped

    def standing(self) -> Mask:
        """Which bodies have something right under them. None is moved."""
        before = self.bodies.at[1].copy()
        hit = self.advance(1, -2 * _NEAR * self.bodies.half[1])
        self.bodies.at[1][:] = before
        return hit

    def keep_to_the_ground(self, rows: Rows, far: Doubles) -> None:
        """Bodies that walked off the ground go down on what is at most ``far`` below them."""
        before = self.bodies.at[1][rows]
        hit = self.advance(1, -far, rows)
        self.bodies.at[1][rows] = np.where(hit, self.bodies.at[1][rows], before)
        self.touched[1][0][rows] |= hit


def move(
    position: ArrayLike,
    size: ArrayLike,
    displacement: ArrayLike,
    *solids: Tiles | Boxes,
    step: float = 0.0,
    through: ArrayLike | None = None,
) -> tuple[Reals, Flags]:
    """Move upright boxes; what is solid stops them, and they slide along it.

    Parameters
    ----------
    position
        Their middles: (n, 2), units, y up.
    size
        Their widths and heights: (n, 2), or (2,) for all.
    displacement
        How far they go in this tick: velocity times dt, (n, 2).
    solids
        `TileGrid` or what else is like `Tiles`, and `Boxes`; what is in an earlier one and a later one is in both.
    step
        Who stands on the ground goes up and down stairs of at most this height.
    through
        (n,) bools: who drops through what is one-way.

    Returns
    -------
    The new positions (n, 2), float32 if they were, else float64, and `Flags`. Nobody who was outside of all that is
    solid is inside it then, to the last bit; who was inside may leave it, and comes no deeper.

    Slopes lift who walks into them, and who walks down one keeps to it. Bodies do not see each other.
    """
    place = np.asarray(position)
    place = checks.numbers("position", place if place.dtype == np.float32 else position, (None, 2), dtype=_real(place))
    n = len(place)
    half = halves(size, n)
    way = rows_of("displacement", displacement, n)
    step = checks.number("step", step, least=0)
    dropping = None if through is None else mask("through", through, (n,))
    world = _World(place, half, dropping)
    for solid in solids:
        _put(world, solid, way, step)
    _go(world, way, step, _pitch(solids, half))
    (left, right), (floor, ceiling) = world.touched
    moved = np.column_stack(world.bodies.at).astype(place.dtype, copy=False)
    return moved, Flags(floor, ceiling, left, right, np.zeros(n, bool))


def _real(array: Any) -> type:
    return np.float32 if array.dtype == np.float32 else np.float64


def _put(world: _World, solid: Tiles | Boxes, way: Doubles, step: float) -> None:
    """Have bodies that go by ``way`` come up against it."""
    if isinstance(solid, Boxes):
        half = np.column_stack(world.bodies.half)
        middle = np.column_stack(world.bodies.at)
        spare = step + np.abs(way).max(axis=1, initial=0, keepdims=True) + 2 * _NEAR * half
        low, high = middle + np.minimum(way, 0) - half - spare, middle + np.maximum(way, 0) + half + spare
        near = pairs_between(low, high, solid.low, solid.high)
        if len(near):
            world.obstacles.append(BoxObstacle(solid, near))
    elif all(hasattr(solid, name) for name in _TILES):  # isinstance with a Protocol takes a third of a millisecond
        world.obstacles.append(TileObstacle(solid))
        slopes: Doubles | None = getattr(solid, "slopes", None)
        if slopes is not None and slopes.any():
            ground = SlopeObstacle(solid, slopes)
            world.obstacles.append(ground)
            world.slopes.append(ground)
    else:
        what = "a TileGrid, Boxes, or what has solid (bool (h, w)), tile_size and position"
        raise checks.wrong_type("solids", what, solid)


def _pitch(solids: tuple[Tiles | Boxes, ...], half: Doubles) -> Doubles | float:
    """How far bodies may go in one step: a tile, or their own size where there are none."""
    tiles = [min(solid.tile_size) for solid in solids if not isinstance(solid, Boxes)]
    return min(tiles) if tiles else np.maximum(2 * half.min(axis=1), 1e-9)


def _go(world: _World, way: Doubles, step: float, pitch: Doubles | float) -> None:
    x, y = (np.ascontiguousarray(way[:, axis]) for axis in (0, 1))
    uneven = bool(step or world.slopes)
    # Who does not fall stands where something is right under it.
    standing = world.standing() if uneven or not y.all() else np.zeros(len(x), bool)
    if standing.any():
        world.touched[1][0][:] = standing & (y == 0)
    steps = np.ceil(np.maximum(np.abs(x), np.abs(y)) / pitch)
    most = int(min(steps.max(initial=0), _MOST_STEPS))
    if most <= 1:
        world.step(x, y, _ALL, step, standing)
    else:
        left, above = x.copy(), y.copy()
        steps = np.clip(steps, 1, _MOST_STEPS)
        rows: Rows | slice = _ALL
        for number in range(most):
            if number:
                rows = np.flatnonzero((steps > number) & ((left != 0) | (above != 0)))
            hit, held = world.step(left[rows] / steps[rows], above[rows] / steps[rows], rows, step, standing)
            left[rows], above[rows] = np.where(hit, 0.0, left[rows]), np.where(held, 0.0, above[rows])
    if uneven:
        rows = np.flatnonzero(standing & (y <= 0) & ~world.touched[1][0])
        steepness = max([slopes.steepness for slopes in world.slopes], default=0.0)
        world.keep_to_the_ground(rows, step + np.abs(x[rows]) * steepness + 2 * _NEAR * world.bodies.half[1][rows])
