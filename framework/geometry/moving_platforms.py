"""Moving platforms: boxes that carry the bodies on top of them, and push bodies out of their way."""

from __future__ import annotations

import numpy as np

from ..arrays import Doubles, Mask, Rows
from .broadphase import pairs_between
from .moving_boxes import MovingBoxes
from .obstacles import GROUND_TOLERANCE, BoxObstacle
from .tilegrid import Boxes


def carry(bodies: MovingBoxes, boxes: Boxes) -> Mask:
    """Move bodies together with moving boxes. Boxes carry the bodies on top of them, and push
    bodies out of their way.

    Return whether each body was crushed between a box and an obstacle, as a bool array of shape
    (n,).
    """
    assert boxes.displacement is not None
    displacement = boxes.displacement
    crushed = np.zeros(len(bodies.bodies.at[0]), bool)
    if not len(boxes):
        return crushed
    spans = [bodies.bodies.span(axis, slice(None)) for axis in (0, 1)]
    low, high = (np.column_stack([span[end] for span in spans]) for end in (0, 1))
    farthest: Doubles = np.abs(displacement).max(axis=0)
    spare = farthest + 2 * GROUND_TOLERANCE * bodies.bodies.half[1][:, None]
    pairs = pairs_between(low - spare, high + spare, boxes.low, boxes.high)
    moving: Mask = (displacement[pairs[:, 1]] != 0).any(axis=1)
    pairs = pairs[moving]
    riders, under = _riders(bodies, boxes, pairs)
    if len(riders):
        _ride(bodies, boxes, riders, under)
    for _ in range(2):  # twice, because two boxes may push the same body
        for axis in (0, 1):
            crushed |= _push(bodies, boxes, pairs, axis, spans[axis])
    return crushed


def _riders(bodies: MovingBoxes, boxes: Boxes, pairs: Rows) -> tuple[Rows, Rows]:
    """Return the bodies that stood on a box before the box moved, and the box of each body. If a
    body stood on several boxes, return the first of these boxes.

    Each pair in ``pairs`` contains two row indices: of a body, and of a box near this body.
    """
    assert boxes.displacement is not None
    row = pairs[:, 0]
    box = pairs[:, 1]
    old_low, old_high = (edge[box] - boxes.displacement[box] for edge in (boxes.low, boxes.high))
    left, right = bodies.bodies.span(0, row)
    bottom, _ = bodies.bodies.span(1, row)
    stands = np.abs(bottom - old_high[:, 1]) <= 2 * GROUND_TOLERANCE * bodies.bodies.half[1][row]
    stands &= (left < old_high[:, 0]) & (right > old_low[:, 0])
    if bodies.bodies.through is not None:
        stands &= ~(boxes.one_way[box] & bodies.bodies.through[row])
    riders, first = np.unique(row[stands], return_index=True)
    return riders, box[stands][first]


def _ride(bodies: MovingBoxes, boxes: Boxes, riders: Rows, under: Rows) -> None:
    assert boxes.displacement is not None
    bottom, _ = bodies.bodies.span(1, riders)
    top: Doubles = boxes.high[under, 1]
    stopped = _move_along(bodies, boxes, 1, top - bottom, riders, under)
    # Put bodies exactly on top of the box. Otherwise, rounding would put them inside the box, or
    # they would fall.
    free = np.flatnonzero(~stopped)
    _put_beside(bodies, 1, riders[free], top[free], -np.ones(len(free)))
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


def _put_beside(bodies: MovingBoxes, axis: int, rows: Rows, edge: Doubles, sign: Doubles) -> None:
    """Move each body to an edge, so that the body touches the edge without overlapping it. ``sign``
    is the direction from the body to the edge.
    """
    position = bodies.short_of(edge, bodies.bodies.half[axis][rows] * sign, sign, -sign * np.inf)
    bodies.bodies.at[axis][rows] = position


def _push(
    bodies: MovingBoxes, boxes: Boxes, pairs: Rows, axis: int, began: tuple[Doubles, Doubles]
) -> Mask:
    """If a box has moved into a body, push the body out of the box, along one axis.

    ``began`` contains two arrays: the lower edges and the upper edges of the bodies at the start of
    the tick. Return whether each body was crushed between a box and an obstacle.
    """
    assert boxes.displacement is not None
    crushed = np.zeros(len(bodies.bodies.at[0]), bool)
    row = pairs[:, 0]
    box = pairs[:, 1]
    displacement: Doubles = boxes.displacement[box, axis]
    within: Mask = (
        (displacement != 0)
        & ~_lets_through(bodies, boxes, pairs, axis)
        & _across(bodies, boxes, pairs, 1 - axis)
    )
    low, high = bodies.bodies.span(axis, row)
    box_low: Doubles = boxes.low[box, axis]
    box_high: Doubles = boxes.high[box, axis]
    overlap = (low < box_high) & (high > box_low)
    within &= overlap | _overtaken(bodies, boxes, pairs, axis)
    # A body that was inside a box before the box moved is not pushed, and may leave. Allow for
    # rounding errors.
    tolerance = GROUND_TOLERANCE * bodies.bodies.half[axis][row]
    old_low = box_low - displacement
    old_high = box_high - displacement
    was_outside = np.where(
        displacement > 0,
        began[0][row] >= old_high - tolerance,
        began[1][row] <= old_low + tolerance,
    )
    rows, first = np.unique(row[within & was_outside], return_index=True)
    if not len(rows):
        return crushed
    pair_of_row = np.flatnonzero(within & was_outside)[first]
    forward = displacement[pair_of_row] > 0
    edge = np.where(forward, boxes.high[box[pair_of_row], axis], boxes.low[box[pair_of_row], axis])
    low, high = bodies.bodies.span(axis, rows)
    stopped = _move_along(
        bodies, boxes, axis, np.where(forward, edge - low, edge - high), rows, box[pair_of_row]
    )
    free = np.flatnonzero(~stopped)
    _put_beside(bodies, axis, rows[free], edge[free], np.where(forward[free], -1.0, 1.0))
    crushed[rows[stopped]] = ~boxes.one_way[box[pair_of_row]][stopped]
    return crushed


def _lets_through(bodies: MovingBoxes, boxes: Boxes, pairs: Rows, axis: int) -> Mask:
    """For each pair of a body and a box, return whether the box is one-way and lets the body
    through.

    A one-way box can only push bodies up. A one-way box does not push a body that falls through
    one-way boxes.
    """
    assert boxes.displacement is not None
    row = pairs[:, 0]
    box = pairs[:, 1]
    through: Mask = boxes.one_way[box]
    if axis == 1:
        dropping = bodies.bodies.through
        falling: Mask = boxes.displacement[box, 1] < 0
        through = through & (falling if dropping is None else falling | dropping[row])
    return through


def _across(
    bodies: MovingBoxes, boxes: Boxes, pairs: Rows, axis: int, back: Doubles | float = 0.0
) -> Mask:
    """For each pair of a body and a box, return whether the two overlap along an axis.

    Before the comparison, each box is moved back by ``back``, a fraction of its displacement.
    """
    assert boxes.displacement is not None
    row = pairs[:, 0]
    box = pairs[:, 1]
    low, high = bodies.bodies.span(axis, row)
    behind: Doubles = boxes.displacement[box, axis] * back
    overlap: Mask = (low < boxes.high[box, axis] - behind) & (high > boxes.low[box, axis] - behind)
    return overlap


def _overtaken(bodies: MovingBoxes, boxes: Boxes, pairs: Rows, axis: int) -> Mask:
    """For each pair of a body and a box, return whether the box moved past the body in this tick."""
    assert boxes.displacement is not None
    row = pairs[:, 0]
    box = pairs[:, 1]
    displacement: Doubles = boxes.displacement[box, axis]
    low, high = bodies.bodies.span(axis, row)
    beyond = np.where(displacement > 0, boxes.low[box, axis] - high, low - boxes.high[box, axis])
    passed: Mask = (beyond >= 0) & (displacement != 0)
    if passed.any():
        back = np.divide(
            beyond, np.abs(displacement), out=np.zeros(len(displacement)), where=passed
        )
        passed &= _across(bodies, boxes, pairs, 1 - axis, back)
    return passed
