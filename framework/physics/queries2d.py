"""2D physics queries: raycasts, searches at a point or in an area, and debug lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Doubles
from ..moved_names import moved
from .bodysets import BodySet
from .engines import pymunk
from .physics_world import PhysicsWorld
from .pymunk_engine import PymunkEngine
from .simulation import RowOrWall, Simulation, Wall, handle_of

_CIRCLE_SIDES = 16


@moved("hit", {"what": "target", "share": "fraction"})
class RayHit(NamedTuple):
    """The first body that a ray hits, with the point and the normal of the hit."""

    target: Any
    """The handle of the row that was hit, a `BodyRow` if its batch has no handles, or a `Wall`.

    The target is None for a shape that the game added to the physics library itself.
    """
    fraction: float
    """The position of the hit along the ray: 0 at the start of the ray, 1 at the end."""
    point: tuple[float, ...]
    """The point where the ray hits the body, in world coordinates."""
    normal: tuple[float, ...]
    """The normal of the surface at the hit point: a vector of length 1 that points out of the
    body.
    """


class Queries2D(PhysicsWorld):
    """The methods of `Physics2D` that search for bodies.

    Queries use the current positions of the bodies, and ignore sensors. ``layers`` are the names of
    the layers to search. ``layers`` defaults to None: the query searches all layers.
    """

    _engine: PymunkEngine
    _simulation: Simulation[pymunk.Body]

    def raycast(
        self,
        start: ArrayLike,
        displacement: ArrayLike,
        *,
        radius: float = 0.0,
        layers: Iterable[str] | None = None,
    ) -> list[RayHit | None]:
        """Cast rays, and return the first hit of each ray, or None for a ray that hits nothing.

        A ray goes from ``start`` (2,) or (n, 2) to ``start + displacement``. If ``start`` or
        ``displacement`` is a single vector, all rays use this vector. ``radius`` is half the
        thickness of the rays, in units.
        """
        self._simulation.sync_bodies()
        starts, displacements = checked_rays(start, displacement, 2)
        checked_radius = checks.number("radius", radius, least=0)
        shape_filter = self._filter(layers)
        owner_of = self._owners()
        hits: list[RayHit | None] = []
        ends = starts + displacements
        segments: list[list[tuple[float, float]]] = np.stack([starts, ends], axis=1).tolist()
        for (x, y), (end_x, end_y) in segments:
            hit = self._engine.space.segment_query_first(
                (x, y), (end_x, end_y), checked_radius, shape_filter
            )
            if hit is None:
                hits.append(None)
                continue
            point = tuple(hit.point)
            normal = tuple(hit.normal)
            hits.append(RayHit(owner_of(hit.shape.body), hit.alpha, point, normal))
        return hits

    def query_point(
        self,
        point: tuple[float, float],
        *,
        radius: float = 0.0,
        layers: Iterable[str] | None = None,
    ) -> list[Any]:
        """Return the handles of the rows with a body at ``point``, or at most ``radius`` units
        away.

        The handles are sorted by the order in which the bodies were made. Walls at ``point`` follow
        in the list after the rows.
        """
        self._simulation.sync_bodies()
        position = checks.pair("point", point)
        checked_radius = checks.number("radius", radius, least=0)
        hits = self._engine.space.point_query(position, checked_radius, self._filter(layers))
        bodies = {hit.shape.body for hit in hits if hit.shape is not None and not hit.shape.sensor}
        return self._simulation.matching(lambda body: body in bodies)

    def query_area(
        self,
        low: tuple[float, float],
        high: tuple[float, float],
        *,
        layers: Iterable[str] | None = None,
    ) -> list[Any]:
        """Return the handles of the rows whose bounds overlap the box from ``low`` to ``high``.

        ``low`` is the left and bottom corner of the box, and ``high`` the right and top corner, in
        units. The bounds of a body are a rectangle around the body that is not rotated. The handles
        are sorted as in `query_point`: by the order in which the bodies were made, walls last.
        """
        self._simulation.sync_bodies()
        left, bottom = checks.pair("low", low)
        right, top = checks.pair("high", high)
        box = pymunk.BB(min(left, right), min(bottom, top), max(left, right), max(bottom, top))
        shapes = self._engine.space.bb_query(box, self._filter(layers))
        bodies = {shape.body for shape in shapes if not shape.sensor}
        return self._simulation.matching(lambda body: body in bodies)

    def debug_lines(self) -> tuple[Doubles, Doubles]:
        """Return lines along all shapes and joints, to draw during development.

        `debug_lines` returns the starts and ends of the lines (m, 2, 2), and the colors (m, 4) from
        0 to 1, for `SpriteSegments.draw_lines`. Lines of dynamic bodies are green, or gray while
        the body sleeps. Lines of static and kinematic bodies are blue, of sensors yellow, and of
        joints red.
        """
        self._simulation.sync_bodies()
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

    def _filter(self, layers: Iterable[str] | None) -> pymunk.ShapeFilter:
        return pymunk.ShapeFilter(mask=self._simulation.layers.known_bits(layers))

    def _owners(self) -> Callable[[pymunk.Body | None], RowOrWall | None]:
        """Return a function that takes a pymunk body and returns the row or wall of the body."""
        owners: dict[pymunk.Body | None, tuple[BodySet[pymunk.Body] | Wall | None, int]] = {
            wall.raw: (wall, -1) for wall in self._simulation.walls
        }
        for bodies in self._simulation.sets:
            rows: list[int] = bodies.rows.rows.tolist()
            for body, row in zip(bodies.raw, rows, strict=True):
                owners[body] = bodies, row
        return lambda body: handle_of(*owners.get(body, (None, -1)))


def checked_rays(start: ArrayLike, displacement: ArrayLike, width: int) -> tuple[Doubles, Doubles]:
    """Return the starts and the displacements of n rays: two arrays (n, ``width``)."""
    starts = checks.vectors("start", start, width)
    displacements = checks.vectors("displacement", displacement, width)
    n = max(len(starts), len(displacements))
    if {len(starts), len(displacements)} - {1, n}:
        raise ValueError(
            f"displacement: expected one, or one for each of {len(starts)} starts, "
            f"got {len(displacements)}"
        )
    return np.broadcast_to(starts, (n, width)), np.broadcast_to(displacements, (n, width))


def _lines_of(shape: pymunk.Shape) -> Doubles:
    """Return the outline of a shape in world coordinates: starts and ends of lines (m, 2, 2)."""
    body = shape.body
    assert body is not None
    corners: list[tuple[float, float]]
    if isinstance(shape, pymunk.Segment):
        # A static shape may be a long wall: draw only its center line.
        static = body.body_type == pymunk.Body.STATIC
        corners = [shape.a, shape.b] if static or not shape.radius else _capsule_outline(shape)
    elif isinstance(shape, pymunk.Circle):
        angles = np.linspace(0, 2 * np.pi, _CIRCLE_SIDES + 1)
        ring = shape.radius * np.column_stack([np.cos(angles), np.sin(angles)]) + shape.offset
        circle: list[tuple[float, float]] = [(x, y) for x, y in ring.tolist()]
        corners = [shape.offset, *circle]
    else:
        assert isinstance(shape, pymunk.Poly)
        vertices = shape.get_vertices()
        corners = [*vertices, vertices[0]]
    points = np.array([tuple(body.local_to_world(corner)) for corner in corners])
    return np.stack([points[:-1], points[1:]], axis=1)


def _capsule_outline(capsule: pymunk.Segment) -> list[tuple[float, float]]:
    """Return the outline of a capsule as points, with half a circle around each end."""
    x, y = capsule.a
    end_x, end_y = capsule.b
    start_angle = float(np.arctan2(end_x - x, y - end_y))
    angles = start_angle + np.linspace(0, np.pi, _CIRCLE_SIDES // 2 + 1)
    arc = capsule.radius * np.column_stack([np.cos(angles), np.sin(angles)])
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
    """Return the line (1, 2, 2) that shows a joint: the groove, or a line between the anchors.

    For a joint without anchors, the line goes from center to center of the two bodies. If one end
    of a joint without anchors is the world, the result of `_line_of` is empty (0, 2, 2), because
    the world has no center.
    """
    points: list[pymunk.Vec2d]
    if isinstance(joint, pymunk.GrooveJoint):
        points = [joint.a.local_to_world(end) for end in (joint.groove_a, joint.groove_b)]
    elif hasattr(joint, "anchor_a"):
        points = [joint.a.local_to_world(joint.anchor_a), joint.b.local_to_world(joint.anchor_b)]
    elif world in (joint.a, joint.b):
        return np.empty((0, 2, 2))
    else:
        points = [joint.a.position, joint.b.position]
    return np.array([[tuple(point) for point in points]])
