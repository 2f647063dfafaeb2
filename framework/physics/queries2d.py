"""2D physics queries: raycasts, searches at a point or in an area, and debug lines."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Doubles
from ..geometry import exact
from ..moved_names import moved
from ..other_engines.other_options import other_options
from .bodysets import BodySet
from .physics_world import PhysicsWorld
from .plane_engine import CONTACT_COLOR, PlaneEngine
from .shapes2d import check_lengths, query_shapes
from .simulation import Excluded, RowOrWall, Simulation, Wall, handle_of


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


class ShapeHit(NamedTuple):
    """The first body that a moving shape hits: see `Physics2D.shapecast`."""

    target: Any
    """The handle of the row that was hit, a `BodyRow` if its batch has no handles, or a `Wall`.

    The target is None for a shape that the game added to the physics library itself.
    """
    fraction: float
    """The fraction of the displacement before the hit: 0 to 1."""
    distance: float
    """The distance that the shape moves before the hit, in units."""
    position: tuple[float, ...]
    """The position of the shape at the hit."""
    point: tuple[float, ...]
    """The point where the shape touches the body, in world coordinates."""
    normal: tuple[float, ...]
    """The normal of the surface at the hit point: a vector of length 1 that points out of the
    body.
    """


class Queries2D(PhysicsWorld):
    """The methods of `Physics2D` that search for bodies.

    Queries use the current positions of the bodies. All queries have these options:

    - ``layers`` are the names of the layers to search. Default: all layers.
    - ``exclude`` is a body that the query ignores, or a list of such bodies. Pass the handle of a
      row, such as a sprite, a pair ``(bodies, row)``, a wall, or a `Bodies` object.
    - With ``sensors=True``, the query finds sensors, too.
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
        several rays, return a list with the hit or None of each ray.

        A ray goes from ``start`` to ``start + displacement``. Two vectors (2,) make one ray. Two
        arrays (n, 2) make n rays. If only one of the two is an array, all rays use the vector.
        ``radius`` is half the thickness of the rays, in units.
        """
        starts, displacements = checked_rays(start, displacement, 2)
        checked_radius = checks.number("radius", radius, least=0)
        owner_of = self._owners()
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
        """Return the handles of rows with a body at ``point``, or at most ``radius`` units away.

        The oldest body comes first in the list. Walls come after all rows.
        """
        position = checks.pair("point", point)
        checked_radius = checks.number("radius", radius, least=0)
        return self._sorted(
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
        """Return the handles of rows with bodies in the box from ``low`` to ``high``.

        ``low`` is the bottom left corner of the box, and ``high`` is the top right corner, in
        units. A body is in the result if its bounds overlap the box. The bounds are a rectangle
        around the body that is not rotated. The oldest body comes first in the list. Walls come
        after all rows.
        """
        left, bottom = checks.pair("low", low)
        right, top = checks.pair("high", high)
        corner = min(left, right), min(bottom, top)
        opposite = max(left, right), max(bottom, top)
        return self._sorted(
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
        """Return the handles of rows with bodies that overlap a shape at ``position``.

            near = self.physics.query_shape("circle", self.hero.position, radius=80)
            free = not self.physics.query_shape("box", (x, y), size=(40, 20), angle=0.5)

        The oldest body comes first in the list. Walls come after all rows.

        Parameters
        ----------
        shape
            "box", "circle", "capsule" or "polygon".
        size
            The width and height of a box or a capsule, in units. A capsule lies along the longer
            side.
        radius
            The radius of a circle, or of the ends of a capsule, in units. Default for a capsule:
            half of the shorter side.
        points
            The corners (k, 2) of a polygon relative to ``position``, or a list of such arrays.
        angle
            The rotation of the shape about ``position`` in radians, counter-clockwise.
        """
        parts = query_shapes(shape, size, radius, points)
        center = checks.pair("position", position)
        check_lengths(position=center)
        turn = checks.number("angle", angle)
        search = self._simulation.search(layers, exclude, sensors)
        return self._sorted(self._engine.bodies_overlapping(parts, center, turn, search))

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
        """Move a shape along a displacement, and return the first hit, or None without a hit.

            hit = self.physics.shapecast("box", self.hero.position, (60, 0), size=(20, 32),
                                         exclude=self.hero)

        The shape moves from ``start`` to ``start + displacement``, and does not turn. If one of them
        is an array (n, 2), n shapes move, and the result is a list with the hit or None of each shape.
        If the other is a vector, all shapes use it. See `query_shape` for the options of the shape.

        A body that overlaps the shape at the start is hit at the ``fraction`` 0, unless the shape
        moves out of the body. A shape with a displacement of (0, 0) hits nothing: see `query_shape`.
        The distance of a hit is exact to about 0.005 meters: see ``length_unit`` of `Physics2D`.

        Raises
        ------
        FrameworkError
            If the shape is not a circle, and the world uses pymunk, which can move only circles.
        """
        parts = query_shapes(shape, size, radius, points)
        starts, displacements = checked_rays(start, displacement, 2)
        check_lengths(start=starts, displacement=displacements)
        turn = checks.number("angle", angle)
        owner_of = self._owners()
        search = self._simulation.search(layers, exclude, sensors)
        hits = self._engine.cast_shape(parts, starts, displacements, turn, search)
        shape_hits = [
            hit and shape_hit(owner_of(hit.key), hit.fraction, origin, ahead, hit.point, hit.normal)
            for hit, origin, ahead in zip(hits, starts, displacements, strict=True)
        ]
        return shape_hits[0] if is_single(start, displacement) else shape_hits

    def debug_lines(self, *, contact_length: float = 0.0) -> tuple[Doubles, Doubles]:
        """Return lines along all shapes and joints, to draw during development.

        The result is a pair of arrays for `SpriteSegments.draw_lines`: the starts and ends of the
        lines (m, 2, 2), and the colors (m, 4) from 0 to 1. Dynamic bodies are green, or gray while
        they sleep. Static and kinematic bodies are blue, sensors are yellow, and joints are red.

        With a ``contact_length`` above 0, the result also has orange lines for contacts: a cross at
        the point, and a line along the normal. ``contact_length`` is the length of these lines in
        units.
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

    def _sorted(self, keys: set[Hashable]) -> list[Any]:
        """Return the rows and walls of bodies, the oldest body first."""
        key_of = self._engine.key_of
        return self._simulation.matching(lambda body: key_of(body) in keys)

    def _owners(self) -> Callable[[Hashable], RowOrWall | None]:
        """Return a function that converts the key of a body to its row or wall."""
        key_of = self._engine.key_of
        owners: dict[Hashable, tuple[BodySet[Any] | Wall | None, int]] = {
            key_of(wall.raw): (wall, -1) for wall in self._simulation.walls
        }
        for bodies in self._simulation.sets:
            rows: list[int] = bodies.rows.rows.tolist()
            for body, row in zip(bodies.raw, rows, strict=True):
                owners[key_of(body)] = bodies, row
        return lambda key: handle_of(*owners.get(key, (None, -1)))


def is_single(start: ArrayLike, displacement: ArrayLike) -> bool:
    """Return whether the arguments of `raycast` or `shapecast` are two single vectors."""
    return np.ndim(start) == np.ndim(displacement) == 1


def shape_hit(
    target: Any,
    fraction: float,
    start: Doubles,
    displacement: Doubles,
    point: tuple[float, ...],
    normal: tuple[float, ...],
) -> ShapeHit:
    """Return the hit of a shape that moves from ``start`` along ``displacement``."""
    distance = fraction * float(exact.norm(displacement))
    position = tuple((start + fraction * displacement).tolist())
    return ShapeHit(target, fraction, distance, position, point, normal)


def checked_rays(start: ArrayLike, displacement: ArrayLike, width: int) -> tuple[Doubles, Doubles]:
    """Check the starts and the displacements of rays, and return them as two arrays (n,
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
