"""Find the 3D bodies that a ray or a moving shape hits, or that are at a point or in an area.

The module also contains the method that returns lines for debug drawing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Doubles
from ..geometry import exact
from ..geometry.mesh import Mesh
from ..other_engines.other_options import other_options
from .engines import rapier3d
from .physics_world import PhysicsWorld
from .plane_engine import CONTACT_COLOR
from .queries2d import RayHit, ShapeHit, checked_rays, is_single, shape_hit
from .rapier_engine import RapierEngine
from .rapier_queries import first_hit, first_ray_hit, overlapping, query_pieces
from .shapes2d import check_lengths
from .shapes3d import query_solid, triple
from .simulation import Excluded, Simulation


class Queries3D(PhysicsWorld):
    """The methods of `Physics3D` that search for bodies.

    Queries use the current positions of the bodies. All queries have the options ``layers``,
    ``exclude`` and ``sensors``, as in `Physics2D`:

    - ``layers`` are the names of the layers to search. By default, the query searches all layers.
    - ``exclude`` is one body, or a list of bodies, that the query does not find. To exclude one
      body, pass a row's handle, a pair ``(bodies, row)`` or a wall. To exclude all bodies of a
      `Bodies` object, pass this object.
    - With ``sensors=True``, the query also finds sensors.
    """

    _engine: RapierEngine
    _simulation: Simulation[rapier3d.RigidBodyHandle]

    @overload
    def raycast(
        self,
        start: tuple[float, float, float],
        displacement: tuple[float, float, float],
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
    @other_options(_="write physics.raycast(start, displacement), such as (0, 5, 0) and (0, -9, 0)")
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
        the shape (3,). For n rays, pass arrays with the shape (n, 3). If you pass one array and one
        vector, the vector is used for all rays. ``radius`` is half the thickness of the rays, in
        units. A ray that starts inside a body hits this body at the start.
        """
        starts, displacements = checked_rays(start, displacement, 3)
        ball = _ball(radius)
        query_filter = self._filter(layers, exclude, sensors)
        queries = self._engine.queries()
        query_owner = self._simulation.query_owners()
        hits: list[RayHit | None] = []
        origin: Doubles
        ahead: Doubles
        for origin, ahead in zip(starts, displacements, strict=True):
            hit = None
            if ahead.any():
                hit = first_ray_hit(queries, triple(origin), triple(ahead), ball, query_filter)
            hits.append(hit and RayHit(query_owner(self._engine.owner_of(hit.collider)), *hit[1:]))
        return hits[0] if is_single(start, displacement) else hits

    def query_point(
        self,
        point: ArrayLike,
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
        position = triple(checks.vector("point", point, 3))
        ball = _ball(radius)
        query_filter = self._filter(layers, exclude, sensors)
        colliders: list[rapier3d.ColliderHandle] = []
        if ball is None:
            self._engine.queries().intersect_point(position, _appender(colliders), query_filter)
        else:
            pose = rapier3d.Isometry3(position, rapier3d.Rotation3.identity())
            self._engine.queries().intersect_shape(pose, ball, _appender(colliders), query_filter)
        return self._results(colliders)

    def query_area(
        self,
        low: ArrayLike,
        high: ArrayLike,
        *,
        layers: Iterable[str] | None = None,
        exclude: Excluded = (),
        sensors: bool = False,
    ) -> list[Any]:
        """Return the bodies that overlap the box from ``low`` to ``high``. The result is a list
        with the handle of each body's row.

        The sides of the box are parallel to the axes of the world. The handles are in the order in
        which you added the bodies, followed by the walls.
        """
        corners = np.sort([checks.vector("low", low, 3), checks.vector("high", high, 3)], axis=0)
        extent: Doubles = corners[1] - corners[0]
        half: Doubles = np.maximum(extent / 2, 1e-6)
        center: Doubles = corners.mean(axis=0)
        pose = rapier3d.Isometry3(triple(center), rapier3d.Rotation3.identity())
        query_filter = self._filter(layers, exclude, sensors)
        colliders: list[rapier3d.ColliderHandle] = []
        box = rapier3d.SharedShape.cuboid(*triple(half))
        self._engine.queries().intersect_shape(pose, box, _appender(colliders), query_filter)
        return self._results(colliders)

    def query_shape(
        self,
        shape: str,
        position: ArrayLike,
        *,
        size: ArrayLike | None = None,
        radius: float | None = None,
        mesh: Mesh | None = None,
        rotation: ArrayLike = (0.0, 0.0, 0.0, 1.0),
        layers: Iterable[str] | None = None,
        exclude: Excluded = (),
        sensors: bool = False,
    ) -> list[Any]:
        """Return the bodies that overlap a shape at ``position``. The result is a list with the
        handle of each body's row.

            near = self.physics.query_shape("ball", self.hero.position, radius=5)

        The handles are in the order in which you added the bodies, followed by the walls. The shape
        "mesh" is hollow: it overlaps only bodies that touch the triangles of the mesh.

        Parameters
        ----------
        shape
            "box", "ball", "capsule", "cylinder", "cone" or "hull".
        size
            The width, height and depth of the shape, in units. Without a ``rotation``, capsules,
            cylinders and cones are upright.
        radius
            The radius of a ball, in units.
        mesh
            The mesh for the shape "hull". Other shapes fit ``mesh`` if you pass neither ``size``
            nor ``radius``.
        rotation
            The rotation of the shape about ``position``, a quaternion with the shape (4,).
        """
        pieces = query_pieces([query_solid(shape, size, radius, mesh)])
        center = checks.vector("position", position, 3)
        check_lengths(position=center)
        pose = self._engine.isometry(center, _checked_rotation(rotation))
        chosen = self._filter(layers, exclude, sensors)
        return self._results(overlapping(self._engine.queries(), pieces, pose, chosen))

    @overload
    def shapecast(
        self,
        shape: str,
        start: tuple[float, float, float],
        displacement: tuple[float, float, float],
        *,
        size: ArrayLike | None = None,
        radius: float | None = None,
        mesh: Mesh | None = None,
        rotation: ArrayLike = (0.0, 0.0, 0.0, 1.0),
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
        size: ArrayLike | None = None,
        radius: float | None = None,
        mesh: Mesh | None = None,
        rotation: ArrayLike = (0.0, 0.0, 0.0, 1.0),
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
        size: ArrayLike | None = None,
        radius: float | None = None,
        mesh: Mesh | None = None,
        rotation: ArrayLike = (0.0, 0.0, 0.0, 1.0),
        layers: Iterable[str] | None = None,
        exclude: Excluded = (),
        sensors: bool = False,
    ) -> Any:
        """Move a shape along a displacement. Return the first hit, or None if the shape hits
        nothing.

            hit = self.physics.shapecast("ball", self.camera_target, (0, 2, -6), radius=0.3)

        The shape moves from ``start`` to ``start + displacement``, and does not rotate. To move n
        shapes in one call, pass an array with the shape (n, 3) as ``start`` or ``displacement``.
        The result is then a list with one hit or None for each shape. If you pass one array and one
        vector, the vector is used for all shapes. See `query_shape` for the options ``size``,
        ``radius``, ``mesh`` and ``rotation``.

        If the shape already overlaps a body at the start, the result is a hit on this body, with a
        ``fraction`` of 0. If the shape is moving out of the body, there is no hit. A shape with a
        displacement of (0, 0, 0) hits nothing: call `query_shape` instead. The distance of a hit
        can be wrong by up to about 0.005 units.
        """
        pieces = query_pieces([query_solid(shape, size, radius, mesh)])
        starts, displacements = checked_rays(start, displacement, 3)
        check_lengths(start=starts, displacement=displacements)
        quaternion = _checked_rotation(rotation)
        poses = [self._engine.isometry(origin, quaternion) for origin in starts]
        chosen = self._filter(layers, exclude, sensors)
        queries = self._engine.queries()
        query_owner = self._simulation.query_owners()
        hits: list[ShapeHit | None] = []
        for pose, origin, ahead in zip(poses, starts, displacements, strict=True):
            hit = first_hit(queries, pieces, pose, triple(ahead), chosen)
            if hit is None:
                hits.append(None)
                continue
            fraction = hit.distance / float(exact.norm(ahead))
            target = query_owner(self._engine.owner_of(hit.collider))
            hits.append(shape_hit(target, fraction, origin, ahead, hit.point, hit.normal))
        return hits[0] if is_single(start, displacement) else hits

    def debug_lines(self, *, contact_length: float = 0.0) -> tuple[Doubles, Doubles]:
        """Return lines that show all shapes and joints, for debug drawing.

        The result is a pair of arrays: the lines and their colors. The starts and ends of the lines
        have the shape (m, 2, 3). The colors have the shape (m, 4), with values from 0 to 1. If
        ``contact_length`` is above 0, orange lines also show the contacts. Each contact is shown as
        a cross at its point and a line along its normal. ``contact_length`` is the length of the
        orange lines in units.
        """
        length = checks.number("contact_length", contact_length, least=0)
        self._simulation.sync_bodies()
        world = self._engine.world
        lines, colors, _ = rapier3d.DebugRenderPipeline().render_to_arrays(
            world.rigid_bodies,
            world.colliders,
            world.impulse_joints,
            world.multibody_joints,
            world.narrow_phase,
        )
        if not length:
            return lines.astype(np.float64), colors.astype(np.float64)
        contacts = self._simulation.contact_lines(length)
        contact_colors = np.tile(CONTACT_COLOR, (len(contacts), 1))
        return np.concatenate([lines, contacts]), np.concatenate([colors, contact_colors])

    def _filter(
        self, layers: Iterable[str] | None, exclude: Excluded, sensors: bool
    ) -> rapier3d.QueryFilter:
        return self._engine.query_filter(self._simulation.search(layers, exclude, sensors))

    def _results(self, colliders: list[rapier3d.ColliderHandle]) -> list[Any]:
        return self._simulation.query_results({*map(self._engine.owner_of, colliders)})


def _checked_rotation(rotation: ArrayLike) -> Doubles:
    quaternion = checks.vector("rotation", rotation, 4)
    if not quaternion.any():
        raise checks.wrong_value("rotation", "a quaternion, such as (0, 0, 0, 1)", rotation)
    return quaternion


def _ball(radius: float) -> rapier3d.SharedShape | None:
    """Return a ball with the given radius, or None if the radius is 0."""
    checked_radius = checks.number("radius", radius, least=0)
    return rapier3d.SharedShape.ball(checked_radius) if checked_radius else None


def _appender(
    colliders: list[rapier3d.ColliderHandle],
) -> Callable[[rapier3d.ColliderHandle], bool]:
    """Return a callback for Rapier's queries that appends each collider to ``colliders``."""

    def append(collider: rapier3d.ColliderHandle) -> bool:
        colliders.append(collider)
        return True

    return append
