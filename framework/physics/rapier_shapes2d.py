"""Create Rapier's colliders for 2D bodies, and compute their masses and outlines.

Rapier itself simulates 3D bodies, so each 2D shape becomes a 3D shape, and all bodies have a z
coordinate of 0. A circle becomes a ball, and a capsule becomes a 3D capsule. Boxes and polygons
become prisms along the z axis. The prisms are very long, so that Rapier never pushes two bodies
apart along z.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ..arrays import Doubles, Rows
from .engines import rapier3d
from .plane_engine import ASLEEP_COLOR, DYNAMIC_COLOR, FIXED_COLOR, SENSOR_COLOR, Color, Outline
from .shapes2d import BoxShape, Capsule, Circle, PlaneShape, corners_of

# The maximum half depth of a body along z, in meters.
_DEPTH = 20.0
# Half the depth of walls along z, in meters; walls must be deeper than all bodies.
_WALL_DEPTH = 40.0
_SKIN = 0.001  # the distance between bodies and walls, in meters
_CIRCLE_SIDES = 16

HIDDEN = 1
"""The ``user_data`` of shapes inside walls. The function `outline_of` does not draw these
shapes.
"""

LINE = 2
"""The ``user_data`` of a thick line. In Rapier, the inside of a thick line is hollow."""

Point = tuple[float, float]


class Mass(NamedTuple):
    """The mass of a shape, its center of mass, and its moment of inertia."""

    mass: float
    center: Point
    moment: float


def collider_of(shape: PlaneShape, meter: float) -> rapier3d.ColliderBuilder:
    """Return Rapier's collider builder for a 2D shape. ``meter`` is the number of units per
    meter.
    """
    return _centered(shape, meter).translation((*_translation(shape), 0.0))


def _centered(shape: PlaneShape, meter: float) -> rapier3d.ColliderBuilder:
    """Return Rapier's builder for a shape whose center is at the origin. The function
    `_translation` returns the position of the collider.
    """
    collider = rapier3d.Collider
    if isinstance(shape, Circle):
        return collider.ball(shape.radius)
    if isinstance(shape, Capsule):
        if shape.start == shape.end:
            return collider.ball(shape.radius)
        ends = (*shape.start, 0.0), (*shape.end, 0.0)
        return collider.capsule_from_endpoints(*ends, shape.radius)
    if isinstance(shape, BoxShape):
        width, height = shape.size
        return collider.cuboid(width / 2, height / 2, _depth(width, height, meter))
    width, height = np.ptp(shape.corners, axis=0).tolist()
    return collider.convex_hull(_prism(shape.corners, _depth(width, height, meter)))


def _translation(shape: PlaneShape) -> Point:
    """Return the position of the Rapier collider for ``shape``, relative to its body."""
    if isinstance(shape, Circle | BoxShape):
        return shape.center
    if isinstance(shape, Capsule) and shape.start == shape.end:
        return shape.start
    return 0.0, 0.0


def mass_of(shape: PlaneShape, density: float) -> Mass:
    """Return the mass, the center of mass and the moment of inertia of a shape. ``density`` is the
    mass per square unit.
    """
    if isinstance(shape, Circle):
        mass = density * np.pi * shape.radius**2
        return Mass(mass, shape.center, mass * shape.radius**2 / 2)
    if isinstance(shape, BoxShape):
        width, height = shape.size
        mass = density * width * height
        return Mass(mass, shape.center, mass * (width**2 + height**2) / 12)
    if isinstance(shape, Capsule):
        return _capsule_mass(shape, density)
    return _polygon_mass(shape.corners, density)


def _capsule_mass(shape: Capsule, density: float) -> Mass:
    (x, y), (end_x, end_y), radius = shape
    length = float(np.hypot(end_x - x, end_y - y))
    middle = density * length * 2 * radius
    round_ends = density * np.pi * radius**2
    # The distance from the center of a disc to the center of mass of half the disc.
    center = 4 * radius / (3 * np.pi)
    moment = middle * (length**2 + 4 * radius**2) / 12
    moment += round_ends * (radius**2 / 2 - center**2 + (length / 2 + center) ** 2)
    return Mass(middle + round_ends, ((x + end_x) / 2, (y + end_y) / 2), moment)


def _polygon_mass(corners: Doubles, density: float) -> Mass:
    origin = corners.mean(axis=0)
    x, y = (corners - origin).T
    next_x = np.roll(x, -1)
    next_y = np.roll(y, -1)
    cross = x * next_y - next_x * y
    area = cross.sum() / 2
    center_x = float(((x + next_x) * cross).sum() / (6 * area))
    center_y = float(((y + next_y) * cross).sum() / (6 * area))
    squares = x * x + x * next_x + next_x * next_x + y * y + y * next_y + next_y * next_y
    mass = density * float(abs(area))
    moment = density * float(abs((squares * cross).sum() / 12))
    moment -= mass * (center_x**2 + center_y**2)
    return Mass(mass, (origin[0] + center_x, origin[1] + center_y), moment)


def half_thickness(shape: PlaneShape) -> float:
    """Return half the smallest width of a shape, in units."""
    if isinstance(shape, Circle | Capsule):
        return shape.radius
    extent = shape.size if isinstance(shape, BoxShape) else np.ptp(shape.corners, axis=0).tolist()
    return float(min(extent)) / 2


def with_mass(
    collider: rapier3d.ColliderBuilder, shape: PlaneShape, mass: Mass
) -> rapier3d.ColliderBuilder:
    """Set the mass of ``collider``, and return the collider. ``collider`` must be the builder that
    `collider_of` returned for ``shape``.

    Without this function, Rapier would use the mass and the inertia of the 3D shape. For example, a
    3D ball has less inertia than a 2D disc with the same mass.
    """
    # The center of mass must be relative to the collider and not to the body.
    x, y = _translation(shape)
    center = (mass.center[0] - x, mass.center[1] - y, 0.0)
    inertia = (mass.moment, mass.moment, mass.moment)
    return collider.mass_properties(rapier3d.MassProperties(center, mass.mass, inertia))


def _depth(width: float, height: float, meter: float) -> float:
    return min(max(width, height), _DEPTH * meter)


def _prism(corners: Doubles, depth: float) -> Doubles:
    """Return the corners of a prism that extends from ``-depth`` to ``depth`` along z. The returned
    array has the shape (2 * k, 3).
    """
    faces = [np.column_stack([corners, np.full(len(corners), z)]) for z in (-depth, depth)]
    return np.concatenate(faces)


def sheet(edges: Doubles, meter: float) -> rapier3d.ColliderBuilder:
    """Return Rapier's builder for a wall that consists only of its outer sides. ``edges`` is an
    array of lines with the shape (m, 2, 2). Each line has a start and an end. The inside of the
    wall is on the left of each line.

    Rapier corrects the contacts where two sides meet, so that sliding bodies do not get stuck
    there. The sides have a thin skin, which keeps bodies at a small distance. Without the skin,
    Rapier's continuous collision detection would stop sliding bodies.
    """
    depth = _WALL_DEPTH * meter
    near = np.concatenate([edges, np.full((len(edges), 2, 1), -depth)], axis=2)
    far = np.concatenate([edges, np.full((len(edges), 2, 1), depth)], axis=2)
    # For each edge: near start, near end, far start, far end.
    points = np.concatenate([near, far], axis=1).reshape(-1, 3)
    corners = np.array([(0, 1, 3), (0, 3, 2)], np.uint32)
    indices = (corners + 4 * np.arange(len(edges), dtype=np.uint32)[:, None, None]).reshape(-1, 3)
    flags = rapier3d.TriMeshFlags.FIX_INTERNAL_EDGES
    return rapier3d.Collider.trimesh(points, indices, flags=flags).contact_skin(_SKIN * meter)


def block(box: tuple[float, float, float, float], meter: float) -> rapier3d.ColliderBuilder:
    """Return Rapier's builder for a solid rectangle. ``box`` contains the left, bottom, right and
    top of the rectangle.
    """
    left, bottom, right, top = box
    cuboid = rapier3d.Collider.cuboid((right - left) / 2, (top - bottom) / 2, _WALL_DEPTH * meter)
    return cuboid.translation(((left + right) / 2, (bottom + top) / 2, 0.0))


def prism(corners: Doubles, meter: float) -> rapier3d.ColliderBuilder:
    """Return Rapier's builder for a wall that is a solid convex polygon."""
    return rapier3d.Collider.convex_hull(_prism(corners, _WALL_DEPTH * meter))


def encloses(collider: rapier3d.Collider, point: tuple[float, float]) -> bool:
    """Return whether a point is inside a wall created by `sheet`."""
    x, y = point
    bounds = collider.compute_aabb()
    left, bottom, _ = bounds.mins.to_tuple()
    right, top, _ = bounds.maxs.to_tuple()
    if not (left <= x <= right and bottom <= y <= top):
        return False
    starts, ends = _path(collider.shape).swapaxes(0, 1)
    crosses = (starts[:, 1] > y) != (ends[:, 1] > y)
    start_x, start_y = starts[crosses].T
    end_x, end_y = ends[crosses].T
    at = start_x + (y - start_y) / (end_y - start_y) * (end_x - start_x)
    return bool((at > x).sum() % 2)


# -- outlines --------------------------------------------------------------------------------------


def outline_of(body: rapier3d.RigidBody, collider: rapier3d.Collider) -> Outline:
    """Return the outline of a collider in world coordinates, and its color."""
    points = np.empty((0, 2, 2)) if collider.user_data == HIDDEN else _path(collider.shape)
    lines = np.stack([points[:-1], points[1:]], axis=1) if points.ndim == 2 else points
    pose = collider.position
    x, y, _ = pose.translation.to_tuple()
    _, _, sine, cosine = pose.rotation.to_tuple()
    # A quaternion contains the sine and the cosine of half the angle.
    c = cosine * cosine - sine * sine
    s = 2 * sine * cosine
    turned = np.stack(
        [c * lines[..., 0] - s * lines[..., 1], s * lines[..., 0] + c * lines[..., 1]]
    )
    return np.moveaxis(turned, 0, -1) + (x, y), _color_of(body, collider)


def _color_of(body: rapier3d.RigidBody, collider: rapier3d.Collider) -> Color:
    if collider.is_sensor:
        return SENSOR_COLOR
    if not body.is_dynamic:
        return FIXED_COLOR
    return ASLEEP_COLOR if body.is_sleeping else DYNAMIC_COLOR


def _path(shape: rapier3d.SharedShape) -> Doubles:
    """Return the outline of a 2D shape. The result contains the points of one connected line, with
    the shape (k, 2), or the ends of separate lines, with the shape (m, 2, 2).
    """
    ball = shape.as_ball()
    if ball is not None:
        angles = np.linspace(0, 2 * np.pi, _CIRCLE_SIDES + 1)
        ring = ball.radius * np.column_stack([np.cos(angles), np.sin(angles)])
        return np.concatenate([np.zeros((1, 2)), ring])
    capsule = shape.as_capsule()
    if capsule is not None:
        start, end = (point.to_tuple()[:2] for point in (capsule.a, capsule.b))
        return _capsule_path(start, end, capsule.radius)
    cuboid = shape.as_cuboid()
    if cuboid is not None:
        x, y, _ = cuboid.half_extents.to_tuple()
        corners = corners_of(BoxShape((0.0, 0.0), (2 * x, 2 * y)))
        return np.array([*corners, corners[0]])
    mesh = shape.as_trimesh()
    if mesh is not None:
        return _sides(mesh.vertices, mesh.indices)
    polyhedron = shape.as_convex_polyhedron()
    return np.empty((0, 2, 2)) if polyhedron is None else _ring(polyhedron.points)


def _capsule_path(start: Point, end: Point, radius: float) -> Doubles:
    start_angle = float(np.arctan2(end[0] - start[0], start[1] - end[1]))
    angles = start_angle + np.linspace(0, np.pi, _CIRCLE_SIDES // 2 + 1)
    arc = radius * np.column_stack([np.cos(angles), np.sin(angles)])
    return np.concatenate([arc + start, end - arc, arc[:1] + start])


def _sides(vertices: Doubles, triangles: Rows) -> Doubles:
    """Return the outline of a prism. The lines are the edges of the prism's triangles at the end
    where z is negative. The returned lines have the shape (m, 2, 2).
    """
    corners = np.asarray(vertices, np.float64)[triangles]
    near = corners[..., 2] < 0
    pairs = corners[near.sum(axis=1) == 2]
    sides: Doubles = pairs[pairs[..., 2] < 0].reshape(-1, 2, 3)[..., :2]
    return sides


def _ring(points: Iterable[Iterable[float]]) -> Doubles:
    """Return the corners of a prism's base, in order around the center of the prism. The last
    corner equals the first corner, so that a line through all corners is closed.
    """
    corners = np.array([tuple(point) for point in points], np.float64)
    corners = corners[corners[:, 2] > 0, :2]
    x, y = (corners - corners.mean(axis=0)).T
    ring = corners[np.argsort(np.arctan2(y, x))]
    return np.concatenate([ring, ring[:1]])
