"""Compute the outlines of pymunk's shapes and joints, for debug drawing."""

from __future__ import annotations

import numpy as np

from ..arrays import Doubles
from .engines import pymunk
from .plane_engine import (
    ASLEEP_COLOR,
    DYNAMIC_COLOR,
    FIXED_COLOR,
    JOINT_COLOR,
    SENSOR_COLOR,
    Color,
    Outline,
)

_CIRCLE_SIDES = 16


def outlines_of(space: pymunk.Space) -> list[Outline]:
    """Return lines that show all shapes and joints of a pymunk space."""
    shapes = [(_lines_of(shape), _color_of(shape)) for shape in space.shapes]
    world = space.static_body
    return shapes + [(_line_of(joint, world), JOINT_COLOR) for joint in space.constraints]


def _lines_of(shape: pymunk.Shape) -> Doubles:
    """Return the outline of a shape in world coordinates. The result contains the start and the end
    of each line, with the shape (m, 2, 2).
    """
    body = shape.body
    assert body is not None
    corners: list[tuple[float, float]]
    if isinstance(shape, pymunk.Segment):
        # A static segment may be a long wall, so draw only its center line.
        static = body.body_type == pymunk.Body.STATIC
        corners = [shape.a, shape.b] if static or not shape.radius else _capsule_outline(shape)
    elif isinstance(shape, pymunk.Circle):
        corners = _circle_outline(shape)
    else:
        assert isinstance(shape, pymunk.Poly)
        vertices = shape.get_vertices()
        corners = [*vertices, vertices[0]]
    points = np.array([tuple(body.local_to_world(corner)) for corner in corners])
    return np.stack([points[:-1], points[1:]], axis=1)


def _circle_outline(circle: pymunk.Circle) -> list[tuple[float, float]]:
    """Return the outline of a circle, and a line from its center to the outline, which shows how
    the circle is rotated.
    """
    angles = np.linspace(0, 2 * np.pi, _CIRCLE_SIDES + 1)
    ring = circle.radius * np.column_stack([np.cos(angles), np.sin(angles)]) + circle.offset
    return [circle.offset, *[(x, y) for x, y in ring.tolist()]]


def _capsule_outline(capsule: pymunk.Segment) -> list[tuple[float, float]]:
    """Return the outline of a capsule as a list of points. Each end of the capsule is a half
    circle.
    """
    x, y = capsule.a
    end_x, end_y = capsule.b
    start_angle = float(np.arctan2(end_x - x, y - end_y))
    angles = start_angle + np.linspace(0, np.pi, _CIRCLE_SIDES // 2 + 1)
    arc = capsule.radius * np.column_stack([np.cos(angles), np.sin(angles)])
    ring = np.concatenate([arc + (x, y), (end_x, end_y) - arc, arc[:1] + (x, y)])
    return [(x, y) for x, y in ring.tolist()]


def _color_of(shape: pymunk.Shape) -> Color:
    body = shape.body
    assert body is not None
    if shape.sensor:
        return SENSOR_COLOR
    if body.body_type != pymunk.Body.DYNAMIC:
        return FIXED_COLOR
    return ASLEEP_COLOR if body.is_sleeping else DYNAMIC_COLOR


def _line_of(joint: pymunk.Constraint, world: pymunk.Body) -> Doubles:
    """Return a line for a joint: its groove, or a line between its anchors. The returned array has
    the shape (1, 2, 2).

    If a joint has no anchors, the line connects the centers of the two bodies. If the joint has no
    anchors and one body is the world, there is no line. If there is no line, the returned array has
    the shape (0, 2, 2).
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
