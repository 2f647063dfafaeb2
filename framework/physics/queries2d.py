"""Find the 2D bodies that a ray or a moving shape hits, or that are at a point or in an area.

The module also contains the method that returns lines for debug drawing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Doubles
from ..geometry import exact
from ..moved_names import moved
from ..other_engines.other_options import other_options
from .physics_world import PhysicsWorld
from .plane_engine import CONTACT_COLOR, PlaneEngine
from .shapes2d import check_lengths, query_shapes
from .simulation import Excluded, Simulation


@moved("hit", {"what": "target", "share": "fraction"})
class RayHit(NamedTuple):
    """The first body that a ray hits, the point of the hit, and the normal of the surface."""

    target: Any
    """The handle of the row that the ray hits, a `BodyRow` or a `Wall`. The value is a `BodyRow` if
    the batch has no handles. The value is None if the game has added the body directly to pymunk or
    Rapier.
    """
    fraction: float
    """How far along the ray the hit is: 0 at the start of the ray, and 1 at the end."""
    point: tuple[float, ...]
    """The point where the ray hits the body, in world coordinates."""
    normal: tuple[float, ...]
    """The normal of the surface at the hit point: a vector of length 1 that points out of the
    body.
    """


class ShapeHit(NamedTuple):
    """The first body that a moving shape hits: see `Physics2D.shapecast`."""

    target: Any
    """The handle of the row that the shape hits, a `BodyRow` or a `Wall`. The value is a `BodyRow`
    if the batch has no handles. The value is None if the game has added the body directly to pymunk
    or Rapier.
    """
    fraction: float
    """The fraction of the displacement that the shape moves before the hit, from 0 to 1."""
    distance: float
    """The distance that the shape moves before the hit, in units."""
    position: tuple[float, ...]
    """The position of the shape when it hits the body."""
    point: tuple[float, ...]
    """The point where the shape touches the body, in world coordinates."""
    normal: tuple[float, ...]
    """The normal of the surface at the hit point: a vector of length 1 that points out of the
    body.
    """


class Queries2D(PhysicsWorld):
    """The methods of `Physics2D` that search for bodies.

    Queries use the current positions of the bodies. All queries have these options:

    - ``layers`` are the names of the layers to search. By default, the query searches all layers.
    - ``exclude`` is one body, or a list of bodies, that the query does not find. To exclude one
      body, pass a row's handle (such as a sprite), a pair ``(bodies, row)`` or a wall. To exclude
      all bodies of a `Bodies` object, pass this object.
    - With ``sensors=True``, the query also finds sensors.
    """

    _engine: PlaneEngine[Any]
    _simulation: Simulation[Any]

    @overload
    def raycast(
        self,
        start: tuple[float, float],
        displacement: tuple[float, float],
        *,
        radius: float = 0.0,
        layers: Iterable[str] | None = None,
        exclude: Excluded = (),
        sensors: bool = False,
    ) -> RayHit | None: ...
    @overload
    def raycast(
        self,
        start: ArrayLike,
        displacement: ArrayLike,
        *,
        radius: float = 0.0,
        layers: Iterable[str] | None = None,
        exclude: Excluded = (),
        sensors: bool = False,
    ) -> Any: ...
    @other_options(_="write physics.raycast(start, displacement), such as (0, 0) and (200, 0)")
    def raycast(
        self,
        start: ArrayLike,
        displacement: ArrayLike,
        *,
        radius: float = 0.0,
        layers: Iterable[str] | None = None,
        exclude: Excluded = (),
        sensors: bool = False,
    ) -> Any:
        """Cast a ray, and return the first hit as a `RayHit`, or None if the ray hits nothing. For
        several rays, return a list with one `RayHit` or None for each ray.

        A ray goes from ``start`` to ``start + displacement``. For one ray, pass two vectors with
        the shape (2,). For n rays, pass arrays with the shape (n, 2). If you pass one array and one
        vector, the vector is used for all rays. ``radius`` is half the thickness of the rays, in
        units. If a ray starts inside a body, the result depends on the engine. With "rapier", the
        ray does not hit this body. With "pymunk", the ray hits this body at the start of the ray,
        and ``normal`` has no meaning.
        """
        starts, displacements = checked_rays(start, displacement, 2)
        checked_radius = checks.number("radius", radius, least=0)
        owner_of = self._simulation.query_owners()
        hits = self._engine.cast(
            starts, displacements, checked_radius, self._simulation.search(layers, exclude, sensors)
        )
        first_hits = [hit and RayHit(owner_of(hit.key), *hit[1:]) for hit in hits]
        return first_hits[0] if is_single(start, displacement) else first_hits

    def query_point(
        self,
        point: tuple[float, float],
        *,
        radius: float = 0.0,
        layers: Iterable[str] | None = None,
        exclude: Excluded = (),
        sensors: bool = False,
    ) -> list[Any]:
        """Return the bodies at ``point``, or at most ``radius`` units away. The result is a list
        with the handle of each body's row.

        The handles are in the order in which you added the bodies, followed by the walls.
        """
        position = checks.pair("point", point)
        checked_radius = checks.number("radius", radius, least=0)
        return self._simulation.query_results(
            self._engine.bodies_at(
                position, checked_radius, self._simulation.search(layers, exclude, sensors)
            )
        )

    def query_area(
        self,
        low: tuple[float, float],
        high: tuple[float, float],
        *,
        layers: Iterable[str] | None = None,
        exclude: Excluded = (),
        sensors: bool = False,
    ) -> list[Any]:
        """Return the bodies in the box from ``low`` to ``high``. The result is a list with the
        handle of each body's row.

        ``low`` is the bottom left corner of the box, and ``high`` is the top right corner, in
        units. A body is in the result if the bounds of the body overlap the box. The bounds of a
        body are the smallest box around the body with sides parallel to the axes. The handles are
        in the order in which you added the bodies, followed by the walls.
        """
        left, bottom = checks.pair("low", low)
        right, top = checks.pair("high", high)
        corner = min(left, right), min(bottom, top)
        opposite = max(left, right), max(bottom, top)
        return self._simulation.query_results(
            self._engine.bodies_in(
                corner, opposite, self._simulation.search(layers, exclude, sensors)
            )
        )

    def query_shape(
        self,
        shape: str,
        position: tuple[float, float],
        *,
        size: tuple[float, float] | None = None,
        radius: float | None = None,
        points: ArrayLike | Sequence[ArrayLike] | None = None,
        angle: float = 0.0,
        layers: Iterable[str] | None = None,
        exclude: Excluded = (),
        sensors: bool = False,
    ) -> list[Any]:
        """Return the bodies that overlap a shape at ``position``. The result is a list with the
        handle of each body's row.

            near = self.physics.query_shape("circle", self.hero.position, radius=80)
            free = not self.physics.query_shape("box", (x, y), size=(40, 20), angle=0.5)

        The handles are in the order in which you added the bodies, followed by the walls.

        Parameters
        ----------
        shape
            "box", "circle", "capsule" or "polygon".
        size
            The width and height of a box or a capsule, in units. The line in the middle of a
            capsule is parallel to the longer side.
        radius
            The radius of a circle, or of the round ends of a capsule, in units. The default radius
            of a capsule is half of the shorter side of ``size``.
        points
            The corners of a polygon, relative to ``position``. You can also pass a list of several
            polygons. The corners of each polygon have the shape (k, 2).
        angle
            The rotation of the shape about ``position`` in radians, counter-clockwise.
        """
        parts = query_shapes(shape, size, radius, points)
        center = checks.pair("position", position)
        check_lengths(position=center)
        turn = checks.number("angle", angle)
        search = self._simulation.search(layers, exclude, sensors)
        return self._simulation.query_results(
            self._engine.bodies_overlapping(parts, center, turn, search)
        )

    @overload
    def shapecast(
        self,
        shape: str,
        start: tuple[float, float],
        displacement: tuple[float, float],
        *,
        size: tuple[float, float] | None = None,
        radius: float | None = None,
        points: ArrayLike | Sequence[ArrayLike] | None = None,
        angle: float = 0.0,
        layers: Iterable[str] | None = None,
        exclude: Excluded = (),
        sensors: bool = False,
    ) -> ShapeHit | None: ...
    @overload
    def shapecast(
        self,
        shape: str,
        start: ArrayLike,
        displacement: ArrayLike,
        *,
        size: tuple[float, float] | None = None,
        radius: float | None = None,
        points: ArrayLike | Sequence[ArrayLike] | None = None,
        angle: float = 0.0,
        layers: Iterable[str] | None = None,
        exclude: Excluded = (),
        sensors: bool = False,
    ) -> Any: ...
    def shapecast(
        self,
        shape: str,
        start: ArrayLike,
        displacement: ArrayLike,
        *,
        size: tuple[float, float] | None = None,
        radius: float | None = None,
        points: ArrayLike | Sequence[ArrayLike] | None = None,
        angle: float = 0.0,
        layers: Iterable[str] | None = None,
        exclude: Excluded = (),
        sensors: bool = False,
    ) -> Any:
        """Move a shape along a displacement. Return the first hit, or None if the shape hits
        nothing.

            hit = self.physics.shapecast("box", self.hero.position, (60, 0), size=(20, 32),
                                         exclude=self.hero)

        The shape moves from ``start`` to ``start + displacement``, and does not rotate. To move n
        shapes in one call, pass an array with the shape (n, 2) as ``start`` or ``displacement``.
        The result is then a list with one hit or None for each shape. If you pass one array and one
        vector, the vector is used for all shapes. See `query_shape` for the options ``size``,
        ``radius``, ``points`` and ``angle``.

        If the shape already overlaps a body at the start, the result is a hit on this body, with a
        ``fraction`` of 0. If the shape is moving out of the body, there is no hit. A shape with a
        displacement of (0, 0) hits nothing: call `query_shape` instead. The distance of a hit can
        be wrong by up to about 0.005 meters. In 2D, a meter is ``length_unit`` units long: see
        `Physics2D`.

        Raises
        ------
        FrameworkError
            If the shape is not a circle, and the world uses pymunk, which can move only circles.
        """
        parts = query_shapes(shape, size, radius, points)
        starts, displacements = checked_rays(start, displacement, 2)
        check_lengths(start=starts, displacement=displacements)
        turn = checks.number("angle", angle)
        owner_of = self._simulation.query_owners()
        search = self._simulation.search(layers, exclude, sensors)
        hits = self._engine.cast_shape(parts, starts, displacements, turn, search)
        shape_hits = [
            hit and shape_hit(owner_of(hit.key), hit.fraction, origin, ahead, hit.point, hit.normal)
            for hit, origin, ahead in zip(hits, starts, displacements, strict=True)
        ]
        return shape_hits[0] if is_single(start, displacement) else shape_hits

    def debug_lines(self, *, contact_length: float = 0.0) -> tuple[Doubles, Doubles]:
        """Return lines that show all shapes and joints, for debug drawing.

        Pass both returned arrays, the lines and the colors, to `SpriteSegments.draw_lines`. The
        starts and ends of the lines have the shape (m, 2, 2). The colors have the shape (m, 4),
        with values from 0 to 1. Dynamic bodies are green, or gray while they are sleeping. Static
        and kinematic bodies are blue, sensors are yellow, and joints are red.

        If ``contact_length`` is above 0, orange lines also show the contacts. Each contact is shown
        as a cross at its point and a line along its normal. ``contact_length`` is the length of the
        orange lines in units.
        """
        length = checks.number("contact_length", contact_length, least=0)
        self._simulation.sync_bodies()
        lines: list[Doubles] = []
        colors: list[tuple[float, ...]] = []
        outlines = self._engine.outlines()
        if length:
            outlines.append((self._simulation.contact_lines(length), CONTACT_COLOR))
        for ends, color in outlines:
            lines.append(ends)
            colors += [color] * len(ends)
        return np.concatenate([np.empty((0, 2, 2)), *lines]), np.array(colors, np.float64).reshape(
            -1, 4
        )


def is_single(start: ArrayLike, displacement: ArrayLike) -> bool:
    """Return True if ``start`` and ``displacement`` are single vectors, not arrays of vectors."""
    return np.ndim(start) == np.ndim(displacement) == 1


def shape_hit(
    target: Any,
    fraction: float,
    start: Doubles,
    displacement: Doubles,
    point: tuple[float, ...],
    normal: tuple[float, ...],
) -> ShapeHit:
    """Return a `ShapeHit` for a shape that moves from ``start`` along ``displacement``."""
    distance = fraction * float(exact.norm(displacement))
    position = tuple((start + fraction * displacement).tolist())
    return ShapeHit(target, fraction, distance, position, point, normal)


def checked_rays(start: ArrayLike, displacement: ArrayLike, width: int) -> tuple[Doubles, Doubles]:
    """Check the starts and the displacements of rays. Return two arrays with the shape (n,
    ``width``).
    """
    starts = checks.vectors("start", start, width)
    displacements = checks.vectors("displacement", displacement, width)
    n = max(len(starts), len(displacements))
    if {len(starts), len(displacements)} - {1, n}:
        raise ValueError(
            f"displacement: expected one, or one for each of {len(starts)} starts, "
            f"got {len(displacements)}"
        )
    return np.broadcast_to(starts, (n, width)), np.broadcast_to(displacements, (n, width))
