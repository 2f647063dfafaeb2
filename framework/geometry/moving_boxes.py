"""Move upright boxes along one axis until obstacles stop them."""

from __future__ import annotations

import numpy as np

from ..arrays import Doubles, Mask, Reals, Rows
from .obstacles import GROUND_TOLERANCE, BoxPositions, Obstacle, SlopeObstacle, rows_at

_ALL = slice(None)


class MovingBoxes:
    """Bodies (upright boxes) that move between obstacles, and the sides on which obstacles have
    stopped each body.
    """

    def __init__(self, position: Reals, half: Doubles, through: Mask | None) -> None:
        self._small = position.dtype == np.float32
        at = [np.array(position[:, axis], np.float64) for axis in (0, 1)]
        self.bodies = BoxPositions(
            at, [np.ascontiguousarray(half[:, axis]) for axis in (0, 1)], through
        )
        self.obstacles: list[Obstacle] = []
        self.slopes: list[SlopeObstacle] = []
        # Whether each body was stopped by an obstacle. The first index is the axis, and the second
        # is the side (lower, upper).
        self.touched = [[np.zeros(len(position), bool) for _ in range(2)] for _ in range(2)]

    def advance(self, axis: int, distance: Doubles, rows: Rows | slice = _ALL) -> Mask:
        """Move the bodies in ``rows`` along an axis until an obstacle stops them. ``distance`` is
        an array of shape (m,), with one distance for each row in ``rows``.

        Return whether each body was stopped by an obstacle.
        """
        start = self.bodies.at[axis][rows]
        half = self.bodies.half[axis][rows]
        sign = np.copysign(1.0, distance)
        reach = half * sign
        target: Doubles = self._rounded(start + distance)
        start_edge = start + reach
        target_edge = target + reach
        hit = np.zeros(len(start), bool)
        for obstacle in self.obstacles:
            deeper = obstacle.deeper(self.bodies, axis, rows, sign)
            if len(deeper):
                deeper = deeper[distance[deeper] != 0]
                hit[deeper] = True
                target_edge[deeper] = start_edge[deeper]
                target[deeper] = start[deeper]
            stopped, edge = obstacle.stop(self.bodies, axis, rows, sign, start_edge, target_edge)
            if len(stopped):
                hit[stopped] = True
                target_edge[stopped] = edge
                target[stopped] = self.short_of(edge, reach[stopped], sign[stopped], start[stopped])
        self.bodies.at[axis][rows] = target
        return hit

    def short_of(self, edge: Doubles, reach: Doubles, sign: Doubles, start: Doubles) -> Doubles:
        """Return the positions at which bodies touch an edge without crossing it.

        ``reach`` is the distance from the center of each body to its leading edge, the edge in the
        direction of movement. It is negative if the body moves to the left or down. The positions
        are rounded to the precision of the position column.
        """
        position = self._rounded(edge - reach)
        # Rounding may put a position beyond the edge. Usually no position is beyond it.
        for _ in range(4):
            beyond = sign * (position + reach) > sign * edge
            if not beyond.any():
                break
            position = np.where(beyond, self._next(position, -sign), position)
        # The edge must not move a body backward.
        return np.where(sign * position < sign * start, start, position)

    def beside(self, axis: int, rows: Rows, edge: Doubles, sign: Doubles) -> Doubles:
        """Return the positions at which bodies touch an edge without overlapping it. ``sign`` is
        the direction from each body to its edge.
        """
        return self.short_of(edge, self.bodies.half[axis][rows] * sign, sign, -sign * np.inf)

    def _rounded(self, position: Doubles) -> Doubles:
        return position.astype(np.float32).astype(np.float64) if self._small else position

    def _next(self, position: Doubles, direction: Doubles) -> Doubles:
        if not self._small:
            return np.nextafter(position, direction * np.inf)
        return np.nextafter(
            position.astype(np.float32), (direction * np.inf).astype(np.float32)
        ).astype(np.float64)

    def note(self, axis: int, distance: Doubles, hit: Mask, rows: Rows | slice = _ALL) -> None:
        """For the bodies in ``hit``, set the flag of the side on which they were stopped. The sign
        of ``distance`` is the direction in which the bodies moved.
        """
        if hit.any():
            low, high = self.touched[axis]
            low[rows] |= hit & (distance < 0)
            high[rows] |= hit & (distance > 0)

    def step(
        self, across: Doubles, along: Doubles, rows: Rows | slice, step: float, standing: Mask
    ) -> tuple[Mask, Mask]:
        """Move the bodies in ``rows`` along x by the distance ``across``, then along y by the
        distance ``along``.

        Return two masks: the bodies that were stopped along x, and the bodies that were stopped
        along y.
        """
        hit = self.walk(across, rows, step, standing)
        self.note(0, across, hit, rows)
        stopped = self.advance(1, along, rows)
        self.note(1, along, stopped, rows)
        return hit, stopped

    def walk(self, distance: Doubles, rows: Rows | slice, step: float, standing: Mask) -> Mask:
        """Move the bodies in ``rows`` along x. The bodies walk up slopes, and climb stairs of at
        most ``step`` units.

        ``standing`` is a mask with one value for each body: whether the body stood on the ground
        before the move. Only bodies that stood on the ground climb stairs. Return whether each body
        was stopped by an obstacle.
        """
        x_before = np.array(self.bodies.at[0][rows])
        hit = self.along(distance, rows)
        if step and hit.any():
            climbers = np.flatnonzero(hit & standing[rows])
            climbing_rows = rows_at(rows, climbers)
            remaining = distance[climbers] - (self.bodies.at[0][climbing_rows] - x_before[climbers])
            hit[climbers] = self._climb(remaining, climbing_rows, step)
        return hit

    def along(self, distance: Doubles, rows: Rows | slice) -> Mask:
        """Move the bodies in ``rows`` along x and up slopes. Return whether each body was stopped
        by an obstacle.
        """
        if not self.slopes:
            return self.advance(0, distance, rows)
        x_before = np.array(self.bodies.at[0][rows])
        hit = self.advance(0, distance, rows)
        lifted = self._lift(x_before, hit, rows)
        # A body below the top of a slope collides with a tile that is level with the top. Lift such
        # bodies, and try again.
        retried = np.flatnonzero(hit & lifted)
        if len(retried):
            retried_rows = rows_at(rows, retried)
            x_before_retry = self.bodies.at[0][retried_rows]
            still_hit = self.advance(
                0, distance[retried] - (x_before_retry - x_before[retried]), retried_rows
            )
            self._lift(x_before_retry, still_hit, retried_rows)
            hit[retried] = still_hit
        return hit

    def _lift(self, before: Doubles, hit: Mask, rows: Rows | slice) -> Mask:
        """Lift bodies that are below the surface of a slope onto this surface.

        If the surface is too high for a body, move the body back to its x coordinate in ``before``.
        Also set the value of this body in ``hit`` to True. Return a bool array: for each body,
        whether it was lifted.
        """
        indices = np.arange(len(self.bodies.at[0])) if isinstance(rows, slice) else rows
        lifted = np.zeros(len(indices), bool)
        for slopes in self.slopes:
            low, high = self.bodies.span(1, indices)
            ground = slopes.ground(self.bodies, indices, low, high)
            sunk = np.flatnonzero(ground > low)
            if not len(sunk):
                continue
            sunk_rows = indices[sunk]
            y_before = self.bodies.at[1][sunk_rows]
            y_on_ground = self.beside(1, sunk_rows, ground[sunk], -np.ones(len(sunk)))
            depth = ground[sunk] - low[sunk]
            fits = depth <= slopes.slack(self.bodies.at[0][sunk_rows] - before[sunk])
            fits &= ~self.advance(1, np.where(fits, y_on_ground - y_before, 0.0), sunk_rows)
            self.bodies.at[1][sunk_rows] = np.where(fits, y_on_ground, y_before)
            self.bodies.at[0][sunk_rows[~fits]] = before[sunk[~fits]]
            hit[sunk[~fits]] = True
            lifted[sunk[fits]] = True
        return lifted

    def _climb(self, distance: Doubles, rows: Rows, step: float) -> Mask:
        """Lift stopped bodies by ``step``. Then move the bodies the remaining distance along x, and
        move them down again.

        Return whether each body is still stopped.
        """
        x = self.bodies.at[0][rows]
        y = self.bodies.at[1][rows]
        self.advance(1, np.full(len(rows), step), rows)
        hit: Mask = self.along(distance, rows)
        advanced: Mask = self.bodies.at[0][rows] != x
        self.bodies.at[1][rows[~advanced]] = y[~advanced]
        lifted_rows = rows[advanced]
        fall = y[advanced] - self.bodies.at[1][lifted_rows]
        self.note(1, fall, self.advance(1, fall, lifted_rows), lifted_rows)
        stopped: Mask = hit | ~advanced
        return stopped

    def standing(self) -> Mask:
        """Return whether each body stands on an obstacle, without moving the bodies."""
        y_before = self.bodies.at[1].copy()
        hit = self.advance(1, -2 * GROUND_TOLERANCE * self.bodies.half[1])
        self.bodies.at[1][:] = y_before
        return hit

    def keep_to_the_ground(self, rows: Rows, max_drop: Doubles) -> None:
        """Move bodies down to the ground if the ground is at most ``max_drop`` units below their
        lower edge. This keeps bodies on a slope while they walk down.
        """
        y_before = self.bodies.at[1][rows]
        hit = self.advance(1, -max_drop, rows)
        self.bodies.at[1][rows] = np.where(hit, self.bodies.at[1][rows], y_before)
        self.touched[1][0][rows] |= hit
