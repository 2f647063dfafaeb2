"""Upright boxes among obstacles: how they go along an axis, up slopes and steps, and what they came
up against.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Doubles, Mask, Reals, Rows
from .obstacles import Moving, Obstacle, SlopeObstacle

NEAR = 1 / 64
"""Who is this share of its height above the ground stands on it."""

_ALL = slice(None)


class Bodies:
    """Bodies among obstacles, and what they came up against so far."""

    def __init__(self, position: Reals, half: Doubles, through: Mask | None) -> None:
        self._small = position.dtype == np.float32
        at = [np.array(position[:, axis], np.float64) for axis in (0, 1)]
        self.bodies = Moving(at, [np.ascontiguousarray(half[:, axis]) for axis in (0, 1)], through)
        self.obstacles: list[Obstacle] = []
        self.slopes: list[SlopeObstacle] = []
        self.touched = [
            [np.zeros(len(position), bool) for _ in range(2)] for _ in range(2)
        ]  # axis, then - or +

    def advance(self, axis: int, distance: Doubles, rows: Rows | slice = _ALL) -> Mask:
        """Move rows by a ``distance`` each along an axis, as far as they get. Returns which of them
        were stopped.
        """
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
                target[met] = self.short_of(edge, reach[met], sign[met], start[met])
        self.bodies.at[axis][rows] = target
        return hit

    def short_of(self, edge: Doubles, reach: Doubles, sign: Doubles, start: Doubles) -> Doubles:
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
        return np.nextafter(
            place.astype(np.float32), (direction * np.inf).astype(np.float32)
        ).astype(np.float64)

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
        """Move rows along x, up slopes, and up steps of at most ``step`` where they were
        ``standing`` (of all rows). Returns which of them were stopped."""
        before = np.array(self.bodies.at[0][rows])
        hit = self.along(distance, rows)
        if step and hit.any():
            some = np.flatnonzero(hit & standing[rows])
            which = some if isinstance(rows, slice) else rows[some]
            left = distance[some] - (self.bodies.at[0][which] - before[some])
            hit[some] = self._climb(left, which, step)
        return hit

    def along(self, distance: Doubles, rows: Rows | slice) -> Mask:
        """Move rows along x, up slopes. Returns which of them were stopped."""
        if not self.slopes:
            return self.advance(0, distance, rows)
        before = np.array(self.bodies.at[0][rows])
        hit = self.advance(0, distance, rows)
        lifted = self._lift(before, hit, rows)
        again = np.flatnonzero(
            hit & lifted
        )  # at the top of a slope they were too low for what is level with it
        if len(again):
            which = again if isinstance(rows, slice) else rows[again]
            between = self.bodies.at[0][which]
            more = self.advance(0, distance[again] - (between - before[again]), which)
            self._lift(between, more, which)
            hit[again] = more
        return hit

    def _lift(self, before: Doubles, hit: Mask, rows: Rows | slice) -> Mask:
        """Rows that came from x of ``before`` into the ground of slopes go up on it, or back: those
        are ``hit`` then. Returns which of them went up."""
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
            now = self.short_of(
                level, -self.bodies.half[1][some], -np.ones(len(some)), np.full(len(some), np.inf)
            )
            fits = far <= slopes.slack(self.bodies.at[0][some] - before[sunk])
            fits &= ~self.advance(1, np.where(fits, now - was, 0.0), some)
            self.bodies.at[1][some] = np.where(fits, now, was)
            self.bodies.at[0][some[~fits]] = before[sunk[~fits]]
            hit[sunk[~fits]] = True
            lifted[sunk[fits]] = True
        return lifted

    def _climb(self, distance: Doubles, rows: Rows, step: float) -> Mask:
        """Try the rest of a way along x from further up, and come down again. Returns which are
        stopped still.
        """
        x, y = self.bodies.at[0][rows], self.bodies.at[1][rows]
        self.advance(1, np.full(len(rows), step), rows)
        hit: Mask = self.along(distance, rows)
        further: Mask = self.bodies.at[0][rows] != x
        self.bodies.at[1][rows[~further]] = y[~further]
        up = rows[further]
        fall = y[further] - self.bodies.at[1][up]
        self.note(1, fall, self.advance(1, fall, up), up)
        stopped: Mask = hit | ~further
        return stopped

    def standing(self) -> Mask:
        """Which bodies have something right under them. None is moved."""
        before = self.bodies.at[1].copy()
        hit = self.advance(1, -2 * NEAR * self.bodies.half[1])
        self.bodies.at[1][:] = before
        return hit

    def keep_to_the_ground(self, rows: Rows, far: Doubles) -> None:
        """Bodies that walked off the ground go down on what is at most ``far`` below them."""
        before = self.bodies.at[1][rows]
        hit = self.advance(1, -far, rows)
        self.bodies.at[1][rows] = np.where(hit, self.bodies.at[1][rows], before)
        self.touched[1][0][rows] |= hit
