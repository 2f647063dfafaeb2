"""Boxes that moved since the last tick: what stands on them goes with them, what is in their way is
pushed.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Doubles, Mask, Rows
from .bodies import NEAR, Bodies
from .broadphase import pairs_between
from .obstacles import BoxObstacle
from .tilegrid import Boxes


def carry(bodies: Bodies, boxes: Boxes) -> Mask:
    """Have bodies go where boxes bring them. Returns which were crushed: pushed against something,
    (n,).
    """
    assert boxes.displacement is not None
    way = boxes.displacement
    crushed = np.zeros(len(bodies.bodies.at[0]), bool)
    spans = [bodies.bodies.span(axis, slice(None)) for axis in (0, 1)]
    low, high = (np.column_stack([span[end] for span in spans]) for end in (0, 1))
    farthest: Doubles = np.abs(way).max(axis=0)
    spare = farthest + 2 * NEAR * bodies.bodies.half[1][:, None]
    near = pairs_between(low - spare, high + spare, boxes.low, boxes.high)
    moving: Mask = (way[near[:, 1]] != 0).any(axis=1)
    near = near[moving]
    riders, under = _riders(bodies, boxes, near)
    if len(riders):
        _ride(bodies, boxes, riders, under)
    for _ in range(2):  # two boxes may push one body
        for axis in (0, 1):
            crushed |= _push(bodies, boxes, near, axis, spans[axis])
    return crushed


def _riders(bodies: Bodies, boxes: Boxes, near: Rows) -> tuple[Rows, Rows]:
    """Who stood on a box before it moved, and on which: the first, of several."""
    assert boxes.displacement is not None
    row = near[:, 0]
    box = near[:, 1]
    old_low, old_high = (edge[box] - boxes.displacement[box] for edge in (boxes.low, boxes.high))
    left, right = bodies.bodies.span(0, row)
    bottom, _ = bodies.bodies.span(1, row)
    on = np.abs(bottom - old_high[:, 1]) <= 2 * NEAR * bodies.bodies.half[1][row]
    on &= (left < old_high[:, 0]) & (right > old_low[:, 0])
    if bodies.bodies.through is not None:
        on &= ~(boxes.one_way[box] & bodies.bodies.through[row])
    riders, first = np.unique(row[on], return_index=True)
    return riders, box[on][first]


def _ride(bodies: Bodies, boxes: Boxes, riders: Rows, under: Rows) -> None:
    assert boxes.displacement is not None
    bottom, _ = bodies.bodies.span(1, riders)
    top: Doubles = boxes.high[under, 1]
    held = _bring(bodies, boxes, 1, top - bottom, riders, under)
    # Exactly onto it: what rounding leaves would be in it, or fall.
    free = np.flatnonzero(~held)
    _place(bodies, 1, riders[free], top[free], -np.ones(len(free)))
    _bring(bodies, boxes, 0, boxes.displacement[under, 0], riders, under)


def _bring(
    bodies: Bodies, boxes: Boxes, axis: int, distance: Doubles, rows: Rows, by: Rows
) -> Mask:
    """Move rows along an axis, up slopes too, each ``by`` a box that is not in its way. Returns who
    was stopped.
    """
    carrying = np.full(len(bodies.bodies.at[0]), -1)
    carrying[rows] = by
    ours = [one for one in bodies.obstacles if isinstance(one, BoxObstacle) and one.boxes is boxes]
    for obstacle in ours:
        obstacle.carrying = carrying
    stopped = bodies.advance(1, distance, rows) if axis else bodies.along(distance, rows)
    for obstacle in ours:
        obstacle.carrying = None
    return stopped


def _place(bodies: Bodies, axis: int, rows: Rows, edge: Doubles, sign: Doubles) -> None:
    """Put bodies beside an edge that is in the direction ``sign`` of them."""
    place = bodies.short_of(edge, bodies.bodies.half[axis][rows] * sign, sign, -sign * np.inf)
    bodies.bodies.at[axis][rows] = place


def _push(
    bodies: Bodies, boxes: Boxes, near: Rows, axis: int, began: tuple[Doubles, Doubles]
) -> Mask:
    """Push bodies, which ``began`` the tick from there to there, out of boxes that came over them
    along an axis. Returns who could not go."""
    assert boxes.displacement is not None
    crushed = np.zeros(len(bodies.bodies.at[0]), bool)
    row = near[:, 0]
    box = near[:, 1]
    way: Doubles = boxes.displacement[box, axis]
    within: Mask = (
        (way != 0)
        & ~_lets_through(bodies, boxes, near, axis)
        & _across(bodies, boxes, near, 1 - axis)
    )
    low, high = bodies.bodies.span(axis, row)
    box_low: Doubles = boxes.low[box, axis]
    box_high: Doubles = boxes.high[box, axis]
    overlap = (low < box_high) & (high > box_low)
    within &= overlap | _overtaken(bodies, boxes, near, axis)
    # Who was in it before it moved stays, and may leave; but for a little, as places and ways are
    # rounded.
    little = NEAR * bodies.bodies.half[axis][row]
    old_low = box_low - way
    old_high = box_high - way
    before = np.where(
        way > 0, began[0][row] >= old_high - little, began[1][row] <= old_low + little
    )
    rows, first = np.unique(row[within & before], return_index=True)
    if not len(rows):
        return crushed
    which = np.flatnonzero(within & before)[first]
    forward = way[which] > 0
    edge = np.where(forward, boxes.high[box[which], axis], boxes.low[box[which], axis])
    low, high = bodies.bodies.span(axis, rows)
    held = _bring(bodies, boxes, axis, np.where(forward, edge - low, edge - high), rows, box[which])
    free = np.flatnonzero(~held)
    _place(bodies, axis, rows[free], edge[free], np.where(forward[free], -1.0, 1.0))
    crushed[rows[held]] = ~boxes.one_way[box[which]][held]
    return crushed


def _lets_through(bodies: Bodies, boxes: Boxes, near: Rows, axis: int) -> Mask:
    """Which pairs are of a box that is one-way: it pushes only up, and not who drops through it."""
    assert boxes.displacement is not None
    row = near[:, 0]
    box = near[:, 1]
    through: Mask = boxes.one_way[box]
    if axis == 1:
        dropping = bodies.bodies.through
        falling: Mask = boxes.displacement[box, 1] < 0
        through = through & (falling if dropping is None else falling | dropping[row])
    return through


def _across(
    bodies: Bodies, boxes: Boxes, near: Rows, axis: int, back: Doubles | float = 0.0
) -> Mask:
    """Which pairs overlap along an axis, with the boxes a share ``back`` of their way from where
    they are now.
    """
    assert boxes.displacement is not None
    row = near[:, 0]
    box = near[:, 1]
    low, high = bodies.bodies.span(axis, row)
    behind: Doubles = boxes.displacement[box, axis] * back
    overlap: Mask = (low < boxes.high[box, axis] - behind) & (high > boxes.low[box, axis] - behind)
    return overlap


def _overtaken(bodies: Bodies, boxes: Boxes, near: Rows, axis: int) -> Mask:
    """Which boxes are beyond bodies that they came over: so fast that they are behind them."""
    assert boxes.displacement is not None
    row = near[:, 0]
    box = near[:, 1]
    way: Doubles = boxes.displacement[box, axis]
    low, high = bodies.bodies.span(axis, row)
    beyond = np.where(way > 0, boxes.low[box, axis] - high, low - boxes.high[box, axis])
    passed: Mask = (beyond >= 0) & (way != 0)
    if passed.any():
        back = np.divide(beyond, np.abs(way), out=np.zeros(len(way)), where=passed)
        passed &= _across(bodies, boxes, near, 1 - axis, back)
    return passed
