"""Questions to bodies in the plane: what a ray meets, what is at a point or in a box, and how it
all looks as lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Doubles
from .bodysets import BodySet
from .engines import pymunk
from .physics_world import PhysicsWorld
from .pymunk_engine import PymunkEngine
from .simulation import RowOrWall, Simulation, Wall, handle_of

_SIDES = 16


class RayHit(NamedTuple):
    """What a ray met."""

    what: Any
    """The handle of its row, a `Row`, or a `Wall`; None for what the game has put into the space
    itself.
    """
    share: float
    """How far along the ray, from 0 to 1."""
    point: tuple[float, ...]
    normal: tuple[float, ...]
    """Of the side that was met, length 1."""


class Asking2D(PhysicsWorld):
    """The part of `Physics2D` that answers questions. They are about bodies as they are now,
    sensors left out.

    ``layers`` are the names of those that count, all unless told.
    """

    _engine: PymunkEngine
    _simulation: Simulation[pymunk.Body]

    def cast(
        self,
        start: ArrayLike,
        displacement: ArrayLike,
        *,
        radius: float = 0.0,
        layers: Iterable[str] | None = None,
    ) -> list[RayHit | None]:
        """What rays meet first: from ``start`` (2,) or (n, 2) as far as ``displacement``; None
        where nothing is.

        With a ``radius``, they are as thick as twice that.
        """
        self._simulation.settle()
        starts, ways = checked_rays(start, displacement, 2)
        reach, seen = checks.number("radius", radius, least=0), self._seen(layers)
        owners, found = self._owners(), list[RayHit | None]()
        for (x, y), (along_x, along_y) in zip(starts.tolist(), ways.tolist(), strict=True):
            end = (x + along_x, y + along_y)
            hit = self._engine.space.segment_query_first((x, y), end, reach, seen)
            if hit is None:
                found.append(None)
                continue
            point, normal = tuple(hit.point), tuple(hit.normal)
            found.append(RayHit(owners(hit.shape.body), hit.alpha, point, normal))
        return found

    def at(
        self,
        point: tuple[float, float],
        *,
        radius: float = 0.0,
        layers: Iterable[str] | None = None,
    ) -> list[Any]:
        """What is at a point, or not further than ``radius`` from it: handles of rows, in the order
        of the bodies.
        """
        self._simulation.settle()
        place, reach = checks.pair("point", point), checks.number("radius", radius, least=0)
        found = self._engine.space.point_query(place, reach, self._seen(layers))
        there = {hit.shape.body for hit in found if hit.shape is not None and not hit.shape.sensor}
        return self._simulation.matching(lambda body: body in there)

    def within(
        self,
        low: tuple[float, float],
        high: tuple[float, float],
        *,
        layers: Iterable[str] | None = None,
    ) -> list[Any]:
        """What has a box around it that overlaps the box from ``low`` (left, bottom) to ``high``:
        handles of rows.
        """
        self._simulation.settle()
        (left, bottom), (right, top) = checks.pair("low", low), checks.pair("high", high)
        box = pymunk.BB(min(left, right), min(bottom, top), max(left, right), max(bottom, top))
        found = self._engine.space.bb_query(box, self._seen(layers))
        there = {shape.body for shape in found if not shape.sensor}
        return self._simulation.matching(lambda body: body in there)

    def outlines(self) -> tuple[Doubles, Doubles]:
        """Everything as lines, for looking at while a game is made: starts and ends (m, 2, 2), and
        colours (m, 4).

        What moves is green, what sleeps grey, what stands still blue, sensors yellow, joints red.
        """
        self._simulation.settle()
        lines: list[Doubles] = []
        colors: list[tuple[float, ...]] = []
        for shape in self._engine.space.shapes:
            ends = _lines_of(shape)
            lines.append(ends)
            colors += [_color_of(shape)] * len(ends)
        for joint in self._engine.space.constraints:
            ends = _line_of(joint, self._engine.space.static_body)
            lines.append(ends)
            colors += [(1.0, 0.3, 0.3, 1.0)] * len(ends)
        return np.concatenate([np.empty((0, 2, 2)), *lines]), np.array(colors, np.float64).reshape(
            -1, 4
        )

    def _seen(self, layers: Iterable[str] | None) -> pymunk.ShapeFilter:
        return pymunk.ShapeFilter(mask=self._simulation.layers.known_bits(layers))

    def _owners(self) -> Callable[[pymunk.Body | None], RowOrWall | None]:
        known: dict[pymunk.Body | None, tuple[BodySet[pymunk.Body] | Wall | None, int]] = {
            wall.raw: (wall, -1) for wall in self._simulation.walls
        }
        for bodies in self._simulation.sets:
            for body, row in zip(bodies.raw, bodies.rows.rows.tolist(), strict=True):
                known[body] = bodies, row
        return lambda body: handle_of(*known.get(body, (None, -1)))


def checked_rays(start: ArrayLike, displacement: ArrayLike, width: int) -> tuple[Doubles, Doubles]:
    """Where rays begin and how far they go, (n, width) both."""
    first, way = (
        checks.vectors("start", start, width),
        checks.vectors("displacement", displacement, width),
    )
    n = max(len(first), len(way))
    if {len(first), len(way)} - {1, n}:
        raise ValueError(
            f"displacement: expected one, or one for each of {len(first)} starts, got {len(way)}"
        )
    return np.broadcast_to(first, (n, width)), np.broadcast_to(way, (n, width))


def _lines_of(shape: pymunk.Shape) -> Doubles:
    """The outline of a shape in the world: starts and ends (m, 2, 2)."""
    body = shape.body
    assert body is not None
    corners: list[tuple[float, float]]
    if isinstance(shape, pymunk.Segment):
        still = (
            body.body_type == pymunk.Body.STATIC
        )  # a wall, which may be long: its middle will do
        corners = [shape.a, shape.b] if still or not shape.radius else _around(shape)
    elif isinstance(shape, pymunk.Circle):
        angles = np.linspace(0, 2 * np.pi, _SIDES + 1)
        ring = shape.radius * np.column_stack([np.cos(angles), np.sin(angles)]) + shape.offset
        corners = [shape.offset, *((x, y) for x, y in ring.tolist())]
    else:
        assert isinstance(shape, pymunk.Poly)
        vertices = shape.get_vertices()
        corners = [*vertices, vertices[0]]
    places = np.array([tuple(body.local_to_world(corner)) for corner in corners])
    return np.stack([places[:-1], places[1:]], axis=1)


def _around(capsule: pymunk.Segment) -> list[tuple[float, float]]:
    """The outline of a capsule, half of which goes round each of its ends."""
    (x, y), (end_x, end_y) = capsule.a, capsule.b
    turns = np.arctan2(end_x - x, y - end_y) + np.linspace(0, np.pi, _SIDES // 2 + 1)
    arc = capsule.radius * np.column_stack([np.cos(turns), np.sin(turns)])
    ring = np.concatenate([arc + (x, y), (end_x, end_y) - arc, arc[:1] + (x, y)])
    return [(x, y) for x, y in ring.tolist()]


def _color_of(shape: pymunk.Shape) -> tuple[float, ...]:
    body = shape.body
    assert body is not None
    if shape.sensor:
        return (1.0, 0.9, 0.3, 1.0)
    if body.body_type != pymunk.Body.DYNAMIC:
        return (0.4, 0.6, 1.0, 1.0)
    return (0.6, 0.6, 0.6, 1.0) if body.is_sleeping else (0.4, 1.0, 0.5, 1.0)


def _line_of(joint: pymunk.Constraint, world: pymunk.Body) -> Doubles:
    """A joint's start and end (1, 2, 2): a groove itself, or from anchor to anchor. What has none
    and goes by angles is seen from middle to middle; to the world, which has no middle, not at all
    (0, 2, 2)."""
    places: list[pymunk.Vec2d]
    if isinstance(joint, pymunk.GrooveJoint):
        places = [joint.a.local_to_world(place) for place in (joint.groove_a, joint.groove_b)]
    elif hasattr(joint, "anchor_a"):
        places = [joint.a.local_to_world(joint.anchor_a), joint.b.local_to_world(joint.anchor_b)]
    elif world in (joint.a, joint.b):
        return np.empty((0, 2, 2))
    else:
        places = [joint.a.position, joint.b.position]
    return np.array([[tuple(place) for place in places]])
