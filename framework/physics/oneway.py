"""One-way platforms in pymunk: tiles that stop bodies only from above."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Mask
from ..geometry import tileedges
from ..geometry.tilegrid import Tiles
from .engines import pymunk

# An arbitrary number that other collision types do not use.
_COLLISION_TYPE = 0x0E1A
# In tile heights; a body that is at most this far below a tile's top is still standing on the tile.
_DEPTH = 1 / 8


class _Ledge(NamedTuple):
    """The upper edge of a row of adjacent one-way tiles, and the height of this edge."""

    line: pymunk.Shape
    floor: float  # the tile stops bodies whose lowest point was at this height or higher


class OneWay:
    """Manages the one-way platforms in a pymunk space.

    `OneWay` decides which bodies a platform stops, and which bodies pass through.

    Each one-way platform has a line along the top of its tiles. When a body begins to touch a line,
    `OneWay` decides whether the line stops the body. The decision is valid until the body and the
    line separate. A line stops a body if the body was above the line one step ago and is not moving
    up. Bodies that come from below or from the side pass through the platform. A very fast body
    could jump over a thin line in one step. Therefore, each line also has a box below it, which
    stops fast bodies.
    """

    def __init__(self, space: pymunk.Space) -> None:
        # Whether a one-way shape stops a body's shape. The key is the pair of shapes in contact.
        self._held: dict[tuple[pymunk.Shape, pymunk.Shape], bool] = {}
        space.on_collision(
            _COLLISION_TYPE,
            None,
            begin=self._begin,
            pre_solve=self._solve,
            separate=self._separate,
        )

    def shapes(self, body: pymunk.Body, tiles: Tiles, inset: float) -> list[pymunk.Shape]:
        """Return the one-way shapes of a static body: a line and a box for each row of adjacent
        tiles.

        ``inset`` is the distance in units from the edges of the tiles to the edges of the box.
        """
        width, height = tiles.tile_size
        shapes: list[pymunk.Shape] = []
        tops: list[list[tuple[float, float]]] = tileedges.tops(tiles).tolist()
        for (left, y), (right, _) in tops:
            line = pymunk.Segment(body, (left, y), (right, y), 0.0)
            # The neighbors prevent bodies from getting caught at the ends of the line.
            line.set_neighbors((left - width, y), (right + width, y))
            sides = (left + inset, right - inset)
            ends = (y - height + inset, y - inset)
            box = pymunk.Poly(body, [(x, end) for x in sides for end in ends])
            shape: pymunk.Shape
            for shape in (line, box):
                shape.collision_type = _COLLISION_TYPE
                # The values are stored in the shape, because snapshots restore the shapes of walls.
                shape.ledge = _Ledge(line, y - height * _DEPTH)
                shapes.append(shape)
        return shapes

    def passing(self, arbiters: NDArray[np.uint64]) -> Mask | None:
        """For each pymunk contact, return whether the body is passing through a one-way shape.

        If no body is passing through a one-way shape, return None. Each row of ``arbiters`` is a
        contact. The first two columns of ``arbiters`` are the ids of the two bodies. These contacts
        must be ignored, but pymunk reports them like other contacts.
        """
        pairs = [pair for pair, holds in self._held.items() if not (holds or pair[1].sensor)]
        passing = {frozenset((_id_of(first), _id_of(second))) for first, second in pairs}
        if not passing:
            return None
        ids: list[list[int]] = arbiters[:, :2].tolist()
        return np.array([frozenset(pair) in passing for pair in ids], bool)

    def forget(self, shapes: Iterable[object]) -> None:
        """Remove all decisions for shapes that have been removed. This is necessary because pymunk
        does not always report that the contact of a removed shape has ended.
        """
        if self._held:
            removed = {*shapes}
            self._held = {
                pair: holds for pair, holds in self._held.items() if removed.isdisjoint(pair)
            }

    def let_fall(self, shapes: Iterable[object]) -> bool:
        """Let a body fall through the one-way lines under it. ``shapes`` are the shapes of the
        body.

        Return True if a line was supporting one of the shapes.
        """
        falling = {*shapes}
        pairs = [pair for pair, holds in self._held.items() if holds and pair[1] in falling]
        self._held.update(dict.fromkeys(pairs, False))
        return bool(pairs)

    def recompute(self) -> None:
        """Called after a snapshot has been restored. Decide again which lines stop which bodies: at
        the restored positions, each line stops all bodies above it.
        """
        for shape, body_shape in self._held:
            floor = _ledge_of(shape).floor
            self._held[shape, body_shape] = _from_above(body_shape, floor, 0.0)

    def _begin(self, arbiter: pymunk.Arbiter, space: pymunk.Space, data: object) -> None:
        shape, body_shape = arbiter.shapes
        ledge = _ledge_of(shape)
        holds = self._held.get((ledge.line, body_shape))
        if holds is None:
            holds = _from_above(body_shape, ledge.floor, space.current_time_step)
        self._held[shape, body_shape] = holds

    def _solve(self, arbiter: pymunk.Arbiter, space: pymunk.Space, data: object) -> None:
        # Do not push a body downward if its center is below the line.
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
    """Return whether ``shape`` is falling onto the height ``floor`` from above. This is the case if
    the shape is not moving up, and if its position ``seconds`` seconds ago was above ``floor``.
    """
    left, bottom, right, top = shape.bb
    body = shape.body
    assert body is not None
    # A rotation can lower the lowest point of the body at most at this speed.
    turned = abs(body.angular_velocity) * max(right - left, top - bottom) / 2
    rise = body.velocity.y
    return rise <= turned and bottom + (turned - rise) * seconds >= floor
