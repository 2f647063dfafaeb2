"""Create the 2D joints of a Rapier world: pivots, pins, ropes, springs, grooves and motors."""

from __future__ import annotations

import math
from typing import cast

import numpy as np

from ..errors import FrameworkError
from ..geometry import exact
from .engines import rapier3d
from .plane_engine import JOINT_COLOR, TURNING, JointNumbers, Outline

Point = tuple[float, float]

_WITH_STRENGTH = ("spring", "turn_spring", "motor")
"""The kinds of joints whose force Rapier can limit."""

_ROD = 1e6  # the stiffness of a rod: acceleration per unit of length
_MOTOR_DAMPING = 1000.0  # how strictly a motor with enough strength holds its speed


def joint_builder(
    kind: str,
    first: rapier3d.RigidBody,
    second: rapier3d.RigidBody,
    numbers: JointNumbers,
    strength: float | None,
) -> rapier3d.GenericJointBuilder:
    """Return Rapier's builder for a joint of the given kind.

    Raises `FrameworkError` if Rapier does not have this kind of joint, or this kind of limit.
    """
    if kind == "gear":
        raise _lacks("gear", "gear joint")
    if strength is not None and kind not in _WITH_STRENGTH:
        raise _lacks("strength", f"largest force of a {kind}")
    if kind == "pivot":
        (point,) = cast(tuple[Point], numbers)
        anchors = [_local(body, point) for body in (first, second)]
        axes = rapier3d.JointAxesMask
        return _anchored(axes.LIN_X | axes.LIN_Y, *anchors)
    if kind in ("pin", "rope", "spring"):
        return _distance(kind, first, second, numbers, strength)
    if kind == "groove":
        return _groove(*cast(tuple[Point, Point, Point], numbers))
    if kind == "turn_limit":
        return _turn_limit(*cast(tuple[float, float], numbers))
    turn = rapier3d.JointAxis.ANG_Z
    builder = rapier3d.GenericJointBuilder(rapier3d.JointAxesMask.empty())
    if kind == "turn_spring":
        angle, stiffness, damping = cast(tuple[float, float, float], numbers)
        builder = builder.motor_position(turn, -angle, stiffness, damping)
        builder = builder.motor_model(turn, rapier3d.MotorModel.FORCE_BASED)
    else:
        (speed,) = cast(tuple[float], numbers)
        builder = builder.motor_velocity(turn, speed, _MOTOR_DAMPING)
    return builder if strength is None else builder.motor_max_force(turn, strength)


def _lacks(name: str, what: str) -> FrameworkError:
    return FrameworkError(
        f"{name}: Rapier has no {what}; make the physics world with Physics2D(…, engine='pymunk')"
    )


def _turn_limit(low: float, high: float) -> rapier3d.GenericJointBuilder:
    """Return Rapier's builder for a joint that limits the angle between two bodies, in radians."""
    if high - low >= 2 * np.pi:
        raise _lacks("max_angle", "turn limit of a whole turn or more")
    # Rapier's angles are from -π to π, so angles are measured from the middle of the limits.
    middle = exact.sincos((low + high) / 4)
    frame = rapier3d.Rotation3.from_tuple((0.0, 0.0, float(middle[0]), float(middle[1])))
    half = (high - low) / 2
    builder = rapier3d.GenericJointBuilder(rapier3d.JointAxesMask.empty())
    builder = builder.local_frame1(rapier3d.Isometry3((0.0, 0.0, 0.0), frame))
    return builder.limits(rapier3d.JointAxis.ANG_Z, -half, half)


def drive_motor(joint: rapier3d.GenericJoint, speed: float) -> None:
    """Set the speed of a motor, in radians / s. Positive speeds are counter-clockwise."""
    joint.set_motor_velocity(rapier3d.JointAxis.ANG_Z, speed, _MOTOR_DAMPING)


def joint_impulse(kind: str, joint: rapier3d.ImpulseJoint) -> float:
    """Return the impulse of a joint in the last substep of the physics. For a joint that turns
    bodies, return the angular impulse. ``kind`` is the kind of joint.
    """
    x, y, *_ = joint.impulses
    axis = rapier3d.JointAxis.ANG_Z if kind in TURNING else rapier3d.JointAxis.LIN_X
    parts = joint.data.limits(axis), joint.data.motor(axis)
    # A pin has a limit and a motor, which share its force.
    along_axis = sum(part.impulse for part in parts if part is not None)
    return math.sqrt(x * x + y * y + along_axis * along_axis)


def _anchored(
    locked: rapier3d.JointAxesMask, first: Point, second: Point
) -> rapier3d.GenericJointBuilder:
    builder = rapier3d.GenericJointBuilder(locked)
    return builder.local_anchor1((*first, 0.0)).local_anchor2((*second, 0.0))


def _distance(
    kind: str,
    first: rapier3d.RigidBody,
    second: rapier3d.RigidBody,
    numbers: JointNumbers,
    strength: float | None,
) -> rapier3d.GenericJointBuilder:
    """Return Rapier's builder for a joint that depends on the distance between two anchors: a pin,
    a rope or a spring.
    """
    anchors = cast(tuple[Point, Point], numbers[:2])
    further = cast(tuple[float, ...], numbers[2:])
    axes = rapier3d.JointAxesMask
    builder = _anchored(axes.empty(), *anchors).coupled_axes(axes.LIN_X | axes.LIN_Y)
    along = rapier3d.JointAxis.LIN_X
    if kind == "pin":
        x, y = _world(first, anchors[0])
        end_x, end_y = _world(second, anchors[1])
        return _rod(builder, float(exact.hypot(end_x - x, end_y - y)))
    if kind == "rope":
        shortest, longest = further
        if shortest:
            raise _lacks("min_length", "smallest length of a rope")
        return builder.limits(along, 0.0, longest)
    length, stiffness, damping = further
    builder = builder.motor_position(along, length, stiffness, damping)
    builder = builder.motor_model(along, rapier3d.MotorModel.FORCE_BASED)
    return builder if strength is None else builder.motor_max_force(along, strength)


def _rod(builder: rapier3d.GenericJointBuilder, length: float) -> rapier3d.GenericJointBuilder:
    """Keep the distance between two anchors at ``length``: combine a rope of this length with a
    stiff motor, which pushes the anchors apart.
    """
    along = rapier3d.JointAxis.LIN_X
    builder = builder.limits(along, 0.0, length)
    builder = builder.motor_position(along, length, _ROD, 2 * _ROD**0.5)
    return builder.motor_model(along, rapier3d.MotorModel.ACCELERATION_BASED)


def _groove(start: Point, end: Point, anchor: Point) -> rapier3d.GenericJointBuilder:
    x = end[0] - start[0]
    y = end[1] - start[1]
    sine, cosine = exact.sincos(float(exact.arctan2(y, x)) / 2)
    along = rapier3d.Rotation3.from_tuple((0.0, 0.0, float(sine), float(cosine)))
    builder = rapier3d.GenericJointBuilder(rapier3d.JointAxesMask.LIN_Y)
    builder = builder.local_frame1(rapier3d.Isometry3((*start, 0.0), along))
    builder = builder.local_anchor2((*anchor, 0.0))
    return builder.limits(rapier3d.JointAxis.LIN_X, 0.0, float(exact.hypot(x, y)))


def _local(body: rapier3d.RigidBody, point: Point) -> Point:
    x, y, _ = body.position.inverse().transform_point((*point, 0.0)).to_tuple()
    return x, y


def _world(body: rapier3d.RigidBody, point: Point) -> Point:
    x, y, _ = body.position.transform_point((*point, 0.0)).to_tuple()
    return x, y


def joint_outline(bodies: rapier3d.RigidBodySet, joint: rapier3d.ImpulseJoint) -> Outline:
    """Return a line for a joint: its groove, or a line between its anchors.

    If a joint has no anchors, the line connects the centers of the two bodies. If the joint has no
    anchors and one body is the world, there is no line.
    """
    first = bodies[joint.body1]
    second = bodies[joint.body2]
    data = joint.data
    axes = rapier3d.JointAxesMask
    start = data.local_anchor1.to_tuple()[:2]
    points = [_world(first, start), _world(second, data.local_anchor2.to_tuple()[:2])]
    if data.locked_axes == axes.LIN_Y:
        limits = data.limits(rapier3d.JointAxis.LIN_X)
        assert limits is not None  # `_groove` has set the limits
        far = data.local_frame1.transform_point((limits.max, 0.0, 0.0)).to_tuple()[:2]
        points[1] = _world(first, far)
    has_anchors = not (data.locked_axes.is_empty() and data.coupled_axes.is_empty())
    if not has_anchors and not (first.colliders and second.colliders):
        return np.empty((0, 2, 2)), JOINT_COLOR
    return np.array([points]), JOINT_COLOR
