"""Compute the outline of a thick line with round ends and corners."""

from __future__ import annotations

import math

import numpy as np

from ..arrays import Doubles

_ARC = math.pi / 6  # the maximum turn of an outline at one point of an arc, in radians


def stroke(path: Doubles, radius: float) -> Doubles:
    """Return the outline of a thick line as straight sides, in units. The line is ``2 * radius``
    units thick. The returned sides have the shape (m, 2, 2).

    ``path``, of shape (k, 2), contains the points along the middle of the line. Two consecutive
    points must not be equal. If the last point equals the first point, the line is a closed ring.
    Each side has a start and an end. If you look from the start of a side to its end, the thick
    line is on your left.
    """
    forward = path
    backward = path[::-1]
    if np.array_equal(path[0], path[-1]) and len(path) > 3:
        rings = [_side(forward, radius, True), _side(backward, radius, True)]
    else:
        rings = [[*_side(forward, radius, False), *_side(backward, radius, False)]]
    sides = [
        np.stack([ring, np.roll(ring, -1, axis=0)], axis=1)
        for ring in map(np.array, rings)
        if len(ring)
    ]
    joined: Doubles = np.concatenate(sides)
    differs = (joined[:, 0] != joined[:, 1]).any(axis=1)
    result: Doubles = joined[differs]
    return result


def _side(path: Doubles, radius: float, closed: bool) -> list[tuple[float, float]]:
    """Return the points on the right side of a path, and the points of the round end at the path's
    last point.
    """
    steps = np.diff(path, axis=0)
    lengths = np.hypot(steps[:, 0], steps[:, 1])
    angles = np.arctan2(steps[:, 1], steps[:, 0]).tolist()
    points: list[tuple[float, float]] = []
    count = len(angles)
    for index, angle in enumerate(angles):
        corner = path[index + 1]
        last = index + 1 == count
        if last and not closed:
            points += _arc(corner, radius, angle, angle + math.pi)
            break
        following = (index + 1) % count
        turn = (angles[following] - angle + math.pi) % math.tau - math.pi
        if turn >= 0:  # on a left turn, the right side is the outer side
            points += _arc(corner, radius, angle, angle + turn)
        elif radius * math.tan(-turn / 2) < min(lengths[index], lengths[following]):
            points.append(_beside(corner, radius / math.cos(turn / 2), angle + turn / 2))
        else:  # the inner sides are too short to meet
            points += [
                _beside(corner, radius, angle),
                (float(corner[0]), float(corner[1])),
                _beside(corner, radius, angle + turn),
            ]
    return points


def _arc(center: Doubles, radius: float, first: float, last: float) -> list[tuple[float, float]]:
    """Return the points of an arc around ``center``, for a corner at which a path turns left from
    the direction ``first`` to the direction ``last``. The arc is on the right side of the path.
    Directions are angles in radians.

    If the two directions are nearly the same, the result is a single point, the corner of the two
    straight sides.
    """
    turn = last - first
    if turn < _ARC:
        return [_beside(center, radius / math.cos(turn / 2), first + turn / 2)]
    count = math.ceil(turn / _ARC)
    return [_beside(center, radius, first + turn * number / count) for number in range(count + 1)]


def _beside(center: Doubles, radius: float, direction: float) -> tuple[float, float]:
    """Return the point ``radius`` units from ``center``, to the right of the given direction."""
    return (
        float(center[0]) + radius * math.sin(direction),
        float(center[1]) - radius * math.cos(direction),
    )
