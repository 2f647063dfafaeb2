"""Platforms that carry the bodies on top of them, and push bodies out of their way."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Doubles, Mask, Rows
from .broadphase import pairs_between
from .moving_boxes import MovingBoxes
from .obstacles import GROUND_TOLERANCE, BoxObstacle, BoxPositions
from .tilegrid import Boxes


class _Pairs(NamedTuple):
    """Pairs of a body and a moving box near it, with one row per pair."""

    bodies: BoxPositions
    body: Rows
    box: Rows
    low: Doubles
    """The lower left corners of the boxes after their movement: an array of shape (m, 2)."""
    high: Doubles
    displacement: Doubles
    """The movements of the boxes in this tick: an array of shape (m, 2)."""
    one_way: Mask

    def body_edges(self, axis: int) -> tuple[Doubles, Doubles]:
        """Return the lower and the upper edges of the bodies, at their present positions."""
        return self.bodies.span(axis, self.body)


def carry(bodies: MovingBoxes, boxes: Boxes) -> Mask:
    """Move bodies together with moving boxes. Boxes carry the bodies on top of them, and push
    bodies out of their way.

    Return whether each body was crushed between a box and an obstacle, as a bool array of shape
    (n,).
    """
    crushed = np.zeros(len(bodies.bodies.at[0]), bool)
    if not len(boxes):
        return crushed
    spans = [bodies.bodies.span(axis, slice(None)) for axis in (0, 1)]
    pairs = _pairs_near(bodies.bodies, boxes)
    riders, under = _riders(pairs)
    if len(riders):
        _ride(bodies, boxes, riders, under)
    for _ in range(2):  # twice, because two boxes may push the same body
        for axis in (0, 1):
            crushed |= _push(bodies, boxes, pairs, axis, spans[axis])
    return crushed


def _pairs_near(bodies: BoxPositions, boxes: Boxes) -> _Pairs:
    """Return the pairs of a body and a box that moves in this tick and may touch this body."""
    assert boxes.displacement is not None
    displacement = boxes.displacement
    spans = [bodies.span(axis, slice(None)) for axis in (0, 1)]
    low, high = (np.column_stack([span[end] for span in spans]) for end in (0, 1))
    farthest: Doubles = np.abs(displacement).max(axis=0)
    spare = farthest + 2 * GROUND_TOLERANCE * bodies.half[1][:, None]
    body, box = pairs_between(low - spare, high + spare, boxes.low, boxes.high).T
    moving: Mask = (displacement[box] != 0).any(axis=1)
    body = body[moving]
    box = box[moving]
    return _Pairs(
        bodies, body, box, boxes.low[box], boxes.high[box], displacement[box], boxes.one_way[box]
    )


def _riders(pairs: _Pairs) -> tuple[Rows, Rows]:
    """Return the bodies that stood on a box before the box moved, and the box of each body. If a
    body stood on several boxes, return the first of these boxes.
    """
    old_low = pairs.low - pairs.displacement
    old_high = pairs.high - pairs.displacement
    left, right = pairs.body_edges(0)
    bottom, _ = pairs.body_edges(1)
    tolerance = 2 * GROUND_TOLERANCE * pairs.bodies.half[1][pairs.body]
    stands = np.abs(bottom - old_high[:, 1]) <= tolerance
    stands &= (left < old_high[:, 0]) & (right > old_low[:, 0])
    if pairs.bodies.through is not None:
        stands &= ~(pairs.one_way & pairs.bodies.through[pairs.body])
    riders, first = np.unique(pairs.body[stands], return_index=True)
    return riders, pairs.box[stands][first]


def _ride(bodies: MovingBoxes, boxes: Boxes, riders: Rows, under: Rows) -> None:
    assert boxes.displacement is not None
    bottom, _ = bodies.bodies.span(1, riders)
    top: Doubles = boxes.high[under, 1]
    stopped = _move_along(bodies, boxes, 1, top - bottom, riders, under)
    # Put bodies exactly on top of the box. Otherwise, rounding would put them inside the box, or
    # they would fall.
    free = riders[~stopped]
    bodies.bodies.at[1][free] = bodies.beside(1, free, top[~stopped], -np.ones(len(free)))
    _move_along(bodies, boxes, 0, boxes.displacement[under, 0], riders, under)


def _move_along(
    bodies: MovingBoxes, boxes: Boxes, axis: int, distance: Doubles, rows: Rows, by: Rows
) -> Mask:
    """Move bodies along an axis and up slopes. The boxes in ``by`` push or carry the bodies.

    A box never stops the body that it carries. Return whether each body was stopped by an obstacle.
    """
    carrying = np.full(len(bodies.bodies.at[0]), -1)
    carrying[rows] = by
    obstacles = [
        obstacle
        for obstacle in bodies.obstacles
        if isinstance(obstacle, BoxObstacle) and obstacle.boxes is boxes
    ]
    for obstacle in obstacles:
        obstacle.carrying = carrying
    stopped = bodies.advance(1, distance, rows) if axis else bodies.along(distance, rows)
    for obstacle in obstacles:
        obstacle.carrying = None
    return stopped


def _push(
    bodies: MovingBoxes, boxes: Boxes, pairs: _Pairs, axis: int, began: tuple[Doubles, Doubles]
) -> Mask:
    """If a box has moved into a body, push the body out of the box, along one axis.

    ``began`` contains two arrays: the lower edges and the upper edges of the bodies at the start of
    the tick. Return whether each body was crushed between a box and an obstacle.
    """
    crushed = np.zeros(len(bodies.bodies.at[0]), bool)
    pushes = _pushes(pairs, axis) & _began_outside(pairs, axis, began)
    rows, first = np.unique(pairs.body[pushes], return_index=True)
    if not len(rows):
        return crushed
    pair_of_row = np.flatnonzero(pushes)[first]
    forward = pairs.displacement[pair_of_row, axis] > 0
    edge = np.where(forward, pairs.high[pair_of_row, axis], pairs.low[pair_of_row, axis])
    low, high = bodies.bodies.span(axis, rows)
    distance = np.where(forward, edge - low, edge - high)
    stopped = _move_along(bodies, boxes, axis, distance, rows, pairs.box[pair_of_row])
    free = rows[~stopped]
    sign = np.where(forward[~stopped], -1.0, 1.0)
    bodies.bodies.at[axis][free] = bodies.beside(axis, free, edge[~stopped], sign)
    crushed[rows[stopped]] = ~pairs.one_way[pair_of_row][stopped]
    return crushed


def _pushes(pairs: _Pairs, axis: int) -> Mask:
    """For each pair, return whether the box overlaps the body or moved past it, and is not a
    one-way box that lets the body through.
    """
    moves = pairs.displacement[:, axis] != 0
    meets = moves & ~_lets_through(pairs, axis) & _overlap_along(pairs, 1 - axis)
    pushes: Mask = meets & (_overlap_along(pairs, axis) | _overtaken(pairs, axis))
    return pushes


def _began_outside(pairs: _Pairs, axis: int, began: tuple[Doubles, Doubles]) -> Mask:
    """For each pair, return whether the body was outside the box before the box moved. A body that
    was inside the box is not pushed, and may leave.
    """
    displacement = pairs.displacement[:, axis]
    tolerance = GROUND_TOLERANCE * pairs.bodies.half[axis][pairs.body]  # for rounding errors
    old_low = pairs.low[:, axis] - displacement
    old_high = pairs.high[:, axis] - displacement
    return np.where(
        displacement > 0,
        began[0][pairs.body] >= old_high - tolerance,
        began[1][pairs.body] <= old_low + tolerance,
    )


def _lets_through(pairs: _Pairs, axis: int) -> Mask:
    """For each pair, return whether the box is one-way and lets the body through.

    A one-way box pushes bodies only up, and never pushes a body that falls through one-way boxes.
    """
    if axis == 0:
        return pairs.one_way
    dropping = pairs.bodies.through
    falling: Mask = pairs.displacement[:, 1] < 0
    return pairs.one_way & (falling if dropping is None else falling | dropping[pairs.body])


def _overlap_along(pairs: _Pairs, axis: int, back: Doubles | float = 0.0) -> Mask:
    """For each pair, return whether the body and the box overlap along an axis.

    Before the comparison, each box is moved back by ``back``, a fraction of its displacement.
    """
    low, high = pairs.body_edges(axis)
    behind: Doubles = pairs.displacement[:, axis] * back
    overlap: Mask = (low < pairs.high[:, axis] - behind) & (high > pairs.low[:, axis] - behind)
    return overlap


def _overtaken(pairs: _Pairs, axis: int) -> Mask:
    """For each pair, return whether the box moved past the body in this tick."""
    displacement: Doubles = pairs.displacement[:, axis]
    low, high = pairs.body_edges(axis)
    beyond = np.where(displacement > 0, pairs.low[:, axis] - high, low - pairs.high[:, axis])
    passed: Mask = (beyond >= 0) & (displacement != 0)
    if passed.any():
        back = np.divide(
            beyond, np.abs(displacement), out=np.zeros(len(displacement)), where=passed
        )
        passed &= _overlap_along(pairs, 1 - axis, back)
    return passed
