"""Tiles that hold only what comes from above, in pymunk's space: lines along their tops, that
others pass through.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Mask
from ..geometry import tileedges
from ..geometry.tilegrid import Tiles
from .engines import pymunk

_KIND = 0x0E1A  # of pymunk's collision types, which nothing else here has
_DEPTH = 1 / 8  # of a tile: what is no deeper stands on it


class _Ledge(NamedTuple):
    """What a shape belongs to."""

    line: pymunk.Shape
    floor: float  # where the lowest point of what it holds was, at least


class OneWay:
    """Which bodies the lines of a space hold. It is found out when one first touches a line, and is
    so until they part.

    What is not on its way up and was above the line one step before is held; what comes from below
    or from the side is not, until it has left the line altogether. A box behind each line stops
    what a line alone is too thin for.
    """

    def __init__(self, space: pymunk.Space) -> None:
        self._held: dict[
            tuple[pymunk.Shape, pymunk.Shape], bool
        ] = {}  # what touches a shape here, and whether that holds it
        space.on_collision(
            _KIND, None, begin=self._begin, pre_solve=self._solve, separate=self._separate
        )

    def shapes(self, body: pymunk.Body, tiles: Tiles, inset: float) -> list[pymunk.Shape]:
        """Those of a body that stands still: for each run of tiles a line, and a box that is so
        much smaller.
        """
        wide, high = tiles.tile_size
        found: list[pymunk.Shape] = []
        for (left, y), (right, _) in tileedges.tops(tiles).tolist():
            line = pymunk.Segment(body, (left, y), (right, y), 0.0)
            line.set_neighbors((left - wide, y), (right + wide, y))  # nothing catches on its ends
            sides, ends = (left + inset, right - inset), (y - high + inset, y - inset)
            box = pymunk.Poly(body, [(x, end) for x in sides for end in ends])
            shape: pymunk.Shape
            for shape in (line, box):
                shape.collision_type = _KIND
                shape.ledge = _Ledge(
                    line, y - high * _DEPTH
                )  # there, as walls are put back with snapshots
                found.append(shape)
        return found

    def passed(self, found: NDArray[np.uint64]) -> Mask | None:
        """Which of rows that begin with the numbers of two bodies are of bodies of which one passes
        the other: pymunk lists these as if they touched. None for none."""
        pairs = [pair for pair, held in self._held.items() if not (held or pair[1].sensor)]
        passing = {frozenset((_id_of(one), _id_of(other))) for one, other in pairs}
        return (
            np.array([frozenset(row) in passing for row in found[:, :2].tolist()], bool)
            if passing
            else None
        )

    def forget(self, shapes: Iterable[object]) -> None:
        """These are taken out: pymunk does not tell of all of them that they part."""
        if self._held:
            gone = {*shapes}
            self._held = {pair: held for pair, held in self._held.items() if gone.isdisjoint(pair)}

    def let_go(self, shapes: Iterable[object]) -> bool:
        """Lines hold these no longer, until they have left them. Returns whether any did."""
        mine = {*shapes}
        held = [pair for pair, holds in self._held.items() if holds and pair[1] in mine]
        self._held.update(dict.fromkeys(held, False))
        return bool(held)

    def look_again(self) -> None:
        """Bodies were put elsewhere: what is above a line now stands on it, whichever way it
        came.
        """
        for shape, other in self._held:
            self._held[shape, other] = _from_above(other, _ledge_of(shape).floor, 0.0)

    def _begin(self, arbiter: pymunk.Arbiter, space: pymunk.Space, data: object) -> None:
        shape, other = arbiter.shapes
        ledge = _ledge_of(shape)
        held = self._held.get((ledge.line, other))
        if held is None:
            held = _from_above(other, ledge.floor, space.current_time_step)
        self._held[shape, other] = held

    def _solve(self, arbiter: pymunk.Arbiter, space: pymunk.Space, data: object) -> None:
        # What has come so deep that its middle is below a line were pushed out of it downwards.
        arbiter.process_collision = self._held[arbiter.shapes] and arbiter.normal.y > 0

    def _separate(self, arbiter: pymunk.Arbiter, space: pymunk.Space, data: object) -> None:
        self._held.pop(arbiter.shapes, None)


def _ledge_of(shape: pymunk.Shape) -> _Ledge:
    ledge: _Ledge = shape.ledge
    return ledge


def _id_of(shape: pymunk.Shape) -> int:
    assert shape.body is not None
    return shape.body.id


def _from_above(shape: pymunk.Shape, floor: float, seconds: float) -> bool:
    left, bottom, right, top = shape.bb
    body = shape.body
    assert body is not None
    # How much farther its lowest point came by turning, at most.
    turned = abs(body.angular_velocity) * max(right - left, top - bottom) / 2
    rise = body.velocity.y
    return rise <= turned and bottom + (turned - rise) * seconds >= floor
