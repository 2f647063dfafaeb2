"""Boxes that moved since the last tick: what stands on them goes with them, what is in their way is pushed."""

from __future__ import annotations

import numpy as np

from ..arrays import Doubles, Mask, Rows
from .bodies import NEAR, Bodies
from .broadphase import pairs_between
from .tilegrid import Boxes


def carry(bodies: Bodies, boxes: Boxes) -> Mask:
    """Have bodies go where boxes bring them. Returns which were crushed: pushed against something, (n,)."""
    assert boxes.displacement is not None
    way = boxes.displacement
    crushed = np.zeros(len(bodies.bodies.at[0]), bool)
    spans = [bodies.bodies.span(axis, slice(None)) for axis in (0, 1)]
    low, high = (np.column_stack([span[end] for span in spans]) for end in (0, 1))
    spare = np.abs(way).max(axis=0) + 2 * NEAR * bodies.bodies.half[1][:, None]
    near = pairs_between(low - spare, high + spare, boxes.low, boxes.high)
    near = near[(way[near[:, 1]] != 0).any(axis=1)]
    riders, under = _riders(bodies, boxes, near)
    if len(riders):
        _ride(bodies, boxes, riders, under)
    for _ in range(2):  # two boxes may push one body
        for axis in (0, 1):
            crushed |= _push(bodies, boxes, near, axis)
    return crushed


def _riders(bodies: Bodies, boxes: Boxes, near: Rows) -> tuple[Rows, Rows]:
    """Who stood on a box before it moved, and on which: the first, of several."""
    assert boxes.displacement is not None
    row, box = near.T
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
    top = boxes.high[under, 1]
    held = bodies.advance(1, top - bottom, riders)
    # Exactly onto it: what rounding leaves would be in it, or fall.
    up = np.flatnonzero(~held & (top >= bottom))
    _place(bodies, 1, riders[up], top[up], -np.ones(len(up)))
    bodies.advance(0, boxes.displacement[under, 0], riders)


def _place(bodies: Bodies, axis: int, rows: Rows, edge: Doubles, sign: Doubles) -> None:
    """Put bodies beside an edge that is in the direction ``sign`` of them."""
    place = bodies.short_of(edge, bodies.bodies.half[axis][rows] * sign, sign, -sign * np.inf)
    bodies.bodies.at[axis][rows] = place


def _push(bodies: Bodies, boxes: Boxes, near: Rows, axis: int) -> Mask:
    """Push bodies out of boxes that came over them along an axis. Returns who could not go."""
    assert boxes.displacement is not None
    crushed = np.zeros(len(bodies.bodies.at[0]), bool)
    row, box = near.T
    way = boxes.displacement[box, axis]
    within = (way != 0) & ~boxes.one_way[box]
    for each in (0, 1):
        low, high = bodies.bodies.span(each, row)
        within &= (low < boxes.high[box, each]) & (high > boxes.low[box, each])
    low, high = bodies.bodies.span(axis, row)
    # Who was in it before it moved stays: it may leave.
    before = np.where(way > 0, low >= (boxes.high[box, axis] - way), high <= (boxes.low[box, axis] - way))
    rows, first = np.unique(row[within & before], return_index=True)
    if not len(rows):
        return crushed
    which = np.flatnonzero(within & before)[first]
    forward = way[which] > 0
    edge = np.where(forward, boxes.high[box[which], axis], boxes.low[box[which], axis])
    low, high = bodies.bodies.span(axis, rows)
    held = bodies.advance(axis, np.where(forward, edge - low, edge - high), rows)
    free = np.flatnonzero(~held)
    _place(bodies, axis, rows[free], edge[free], np.where(forward[free], -1.0, 1.0))
    crushed[rows[held]] = True
    return crushed
