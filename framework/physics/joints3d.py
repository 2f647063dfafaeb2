"""Joints between 3D bodies: fixed joints, ball joints, hinges, sliders, ropes and springs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from numpy.typing import ArrayLike

from .. import checks
from ..moved_names import renamed_options
from ..other_engines.physics_names import joint3_d_names
from .breakable_joints import BreakableJoint, JointBreaker, Strength, checked_strength
from .engines import rapier3d
from .physics_world import PhysicsWorld
from .rapier_engine import RapierEngine
from .shapes3d import triple
from .simulation import HasBody, Simulation

if TYPE_CHECKING:
    from .rapier_engine import JointBuilder

    Ends = tuple[rapier3d.RigidBodyHandle, rapier3d.RigidBodyHandle]

BuilderT = TypeVar("BuilderT", "rapier3d.RopeJointBuilder", "rapier3d.SpringJointBuilder")

_ORIGIN = (0.0, 0.0, 0.0)


@joint3_d_names
class Joint3D(BreakableJoint):
    """A joint between two bodies of a `Physics3D`, or between a body and the world.

    ``raw`` is the handle that Rapier uses for the joint.
    """

    _ends: Ends

    def __init__(
        self,
        simulation: Simulation[rapier3d.RigidBodyHandle],
        engine: RapierEngine,
        raw: rapier3d.ImpulseJointHandle,
        ends: Ends,
        name: str,
        strength: Strength,
    ) -> None:
        super().__init__(simulation, raw, ends, name, strength)
        self._engine = engine

    @property
    def force(self) -> float:
        """The force in the joint during the last physics step, or 0 for a removed joint.

        The force includes the forces of motors, ropes, springs and slider limits. If a hinge is at
        its limit, read `torque` instead, because the limit causes a torque and not a force. To find
        a good value for ``break_force``, read `force` while the game runs.
        """
        return 0.0 if self.removed else self._load()[0]

    @property
    def torque(self) -> float:
        """The torque in the joint during the last physics step, or 0 for a removed joint.

        This is the torque that bends the joint, or that presses a hinge against its limit. The
        value includes the torque of a motor.
        """
        return 0.0 if self.removed else self._load()[1]

    def _load(self) -> tuple[float, float]:
        """Return the force and the torque in the joint during the last physics step."""
        handle: rapier3d.ImpulseJointHandle = self.raw
        return self._engine.joint_load(handle, _FREE_AXES.get(self.name))

    def drive(self, speed: float | None, strength: float = 1000.0) -> None:
        """Switch on the motor of a hinge or a slider. The motor turns a hinge at ``speed`` radians
        / s, or moves a slider at ``speed`` units / s.

        The motor keeps this speed until you call `drive` or `drive_to` again. ``strength`` is the
        maximum torque of a hinge motor, or the maximum force of a slider motor. If ``speed`` is
        None, the motor is switched off. Raises `ValueError` if the joint was removed, or is not a
        hinge or a slider.
        """
        axis = self._motor_axis()
        limit = checks.number("strength", strength, above=0)
        if speed is None:
            self._engine.stop_motor(self.raw, axis)
        else:
            self._engine.drive_joint(self.raw, axis, checks.number("speed", speed), limit)
        self._wake()

    def drive_to(
        self,
        target: float,
        *,
        stiffness: float = 100.0,
        damping: float = 20.0,
        strength: float = 1000.0,
    ) -> None:
        """Turn a hinge to the angle ``target`` in radians, or move a slider to the displacement
        ``target`` in units.

        The angle or displacement is 0 in the poses that the bodies had when you created the joint.
        The motor acts like a spring, and keeps the joint at the target until you call `drive` or
        `drive_to` again.

        Parameters
        ----------
        target
            The angle in radians, from -3.14 to 3.14, or the displacement in units.
        stiffness
            The strength of the spring: torque per radian for a hinge, or force per unit for a
            slider.
        damping
            The torque or force that slows down the motion, per unit of speed. With a ``damping`` of
            0, the joint swings back and forth around the target.
        strength
            The maximum torque or force of the motor.

        Raises `ValueError` if the joint was removed, or is not a hinge or a slider.
        """
        axis = self._motor_axis()
        self._engine.drive_joint_to(
            self.raw,
            axis,
            checks.number("target", target),
            checks.number("stiffness", stiffness, above=0),
            checks.number("damping", damping, least=0),
            checks.number("strength", strength, above=0),
        )
        self._wake()

    @property
    def limits(self) -> tuple[float, float] | None:
        """The minimum and maximum angle of a hinge, or the minimum and maximum displacement of a
        slider.

        The value is None for a joint without limits, and for other kinds of joints. Assign a pair
        to change the limits. For example, ``door.limits = 0, 0`` locks a door. Raises `ValueError`
        on assignment if the joint was removed, or is not a hinge or a slider.
        """
        if self.removed or self.name not in _DRIVEN:
            return None
        return self._engine.joint_limits(self.raw, _driven_axis(self.name))

    @limits.setter
    def limits(self, value: tuple[float, float]) -> None:
        axis = self._motor_axis()
        low, high = checks.pair("limits", value)
        self._engine.limit_joint(self.raw, axis, low, checks.number("limits", high, least=low))
        self._wake()

    def _motor_axis(self) -> rapier3d.JointAxis:
        """Return the axis that the motor of the joint drives. Raise `ValueError` if the joint has
        no motor.
        """
        if self.removed or self.name not in _DRIVEN:
            raise ValueError(
                f"joint: expected {' or '.join(_DRIVEN)} that is not removed, "
                f"got {'a removed joint' if self.removed else self.name}, which has no motor"
            )
        return _driven_axis(self.name)


_DRIVEN = ("hinge", "slider")

_FREE_AXES: Mapping[str, str] = MappingProxyType(
    {"hinge": "ANG_X", "slider": "LIN_X", "rope": "LIN_X", "spring": "LIN_X"}
)
"""For each kind of joint, the axis on which its limits and its motor act."""


def _driven_axis(name: str) -> rapier3d.JointAxis:
    axis: rapier3d.JointAxis = getattr(rapier3d.JointAxis, _FREE_AXES[name])
    return axis


class Joints3D(PhysicsWorld):
    """The methods of `Physics3D` that create a joint between two bodies.

    ``first`` and ``second`` are the two bodies. Each is a row's handle, a pair ``(bodies, row)``, a
    wall, or None. With None, the joint connects the other body to a fixed point in the world. Pass
    the points and axes of joints in world coordinates, for the current positions of the bodies. If
    you remove a body, the framework also removes its joints. With ``bump=True``, the two bodies of
    the joint also collide with each other.

    A joint breaks if its force is above ``break_force``, or if its torque is above
    ``break_torque``. A broken joint is removed immediately, and remains in `broken_joints` until
    the end of the tick. By default, a joint never breaks.
    """

    _engine: RapierEngine
    _breaker: JointBreaker[Joint3D]
    _simulation: Simulation[rapier3d.RigidBodyHandle]

    @property
    def broken_joints(self) -> list[Joint3D]:
        """The joints that broke in this tick, in the order in which they broke. If several joints
        broke in the same physics step, the oldest joint comes first.
        """
        return [*self._breaker.broken]

    def fix(
        self,
        first: HasBody | None,
        second: HasBody | None,
        *,
        bump: bool = False,
        break_force: float | None = None,
        break_torque: float | None = None,
    ) -> Joint3D:
        """Fix two bodies to each other in their current positions and rotations.

        ``break_torque`` is the maximum torque at the center of mass of the second body.
        """
        ends = self._simulation.ends_of(first, second)
        bodies = self._engine.world.rigid_bodies
        first_pose = bodies[ends[0]].position
        second_pose = bodies[ends[1]].position
        frame: rapier3d.Isometry3 = first_pose.inverse() * second_pose
        builder = rapier3d.FixedJointBuilder().local_frame1(frame)
        return self._join("fix", ends, builder, bump, break_force, break_torque)

    def ball(
        self,
        first: HasBody | None,
        second: HasBody | None,
        point: ArrayLike,
        *,
        bump: bool = False,
        break_force: float | None = None,
    ) -> Joint3D:
        """Join two bodies at ``point``. The bodies can turn about ``point`` in all directions. Use
        ball joints for chains, limbs and pendulums.
        """
        ends, anchors = self._anchored(first, second, point)
        return self._join(
            "ball",
            ends,
            rapier3d.SphericalJointBuilder().local_anchor1(anchors[0]).local_anchor2(anchors[1]),
            bump,
            break_force,
        )

    def hinge(
        self,
        first: HasBody | None,
        second: HasBody | None,
        point: ArrayLike,
        axis: ArrayLike = (0.0, 1.0, 0.0),
        *,
        limits: tuple[float, float] | None = None,
        bump: bool = False,
        break_force: float | None = None,
        break_torque: float | None = None,
    ) -> Joint3D:
        """Join two bodies with a hinge: they can turn about an axis through ``point``. Use hinges
        for doors and wheels.

        ``limits`` are the minimum and maximum angle of the hinge, in radians. The angle of a new
        hinge is 0. By default, a hinge has no limits. A hinge has a motor: see `Joint3D.drive`.
        """
        return self._axial(
            "hinge",
            rapier3d.RevoluteJointBuilder,
            first,
            second,
            point,
            axis,
            limits,
            bump,
            break_force,
            break_torque,
        )

    def slider(
        self,
        first: HasBody | None,
        second: HasBody | None,
        axis: ArrayLike,
        *,
        limits: tuple[float, float] | None = None,
        bump: bool = False,
        break_force: float | None = None,
        break_torque: float | None = None,
    ) -> Joint3D:
        """Create a slider: the second body can only move along ``axis``, relative to the first
        body. Use sliders for drawers and lifts.

        If the first body rotates, the axis rotates with it. ``limits`` are the minimum and maximum
        displacement of the slider, in units. The displacement of a new slider is 0. By default, a
        slider has no limits. A slider has a motor: see `Joint3D.drive`.
        """
        _, second_body = self._simulation.ends_of(first, second)
        point = self._engine.world.rigid_bodies[second_body].translation.to_tuple()
        return self._axial(
            "slider",
            rapier3d.PrismaticJointBuilder,
            first,
            second,
            point,
            axis,
            limits,
            bump,
            break_force,
            break_torque,
        )

    @renamed_options("Physics3D.rope", longest="max_length")
    def rope(
        self,
        first: HasBody | None,
        second: HasBody | None,
        anchor: ArrayLike = _ORIGIN,
        second_anchor: ArrayLike = _ORIGIN,
        *,
        max_length: float,
        bump: bool = True,
        break_force: float | None = None,
    ) -> Joint3D:
        """Join two anchors with a rope that is at most ``max_length`` units long.

        An anchor is a point on a body. The coordinates of an anchor are relative to the center of
        the body, as if the body were not rotated. If the joint has only one body, the other anchor
        is in world coordinates.
        """
        builder = rapier3d.RopeJointBuilder(checks.number("max_length", max_length, above=0))
        return self._join(
            "rope",
            self._simulation.ends_of(first, second),
            _with_anchors(builder, anchor, second_anchor),
            bump,
            break_force,
        )

    def spring(
        self,
        first: HasBody | None,
        second: HasBody | None,
        anchor: ArrayLike = _ORIGIN,
        second_anchor: ArrayLike = _ORIGIN,
        *,
        length: float,
        stiffness: float,
        damping: float = 0.0,
        bump: bool = True,
        break_force: float | None = None,
    ) -> Joint3D:
        """Join two anchors with a spring. The spring pulls the anchors together or pushes them
        apart, towards a distance of ``length`` units.

        ``stiffness`` is the force of the spring per unit of length. ``damping`` is the force that
        slows down the motion, per unit of speed. With the default damping of 0, the bodies swing
        for a long time. See `rope` for the meaning of ``anchor`` and ``second_anchor``.
        """
        numbers = [
            checks.number(name, value, least=0)
            for name, value in (("length", length), ("stiffness", stiffness), ("damping", damping))
        ]
        builder = rapier3d.SpringJointBuilder(*numbers)
        return self._join(
            "spring",
            self._simulation.ends_of(first, second),
            _with_anchors(builder, anchor, second_anchor),
            bump,
            break_force,
        )

    def _axial(
        self,
        name: str,
        builder_class: Callable[
            [tuple[float, float, float]],
            rapier3d.RevoluteJointBuilder | rapier3d.PrismaticJointBuilder,
        ],
        first: HasBody | None,
        second: HasBody | None,
        point: ArrayLike,
        axis: ArrayLike,
        limits: tuple[float, float] | None,
        bump: bool,
        break_force: float | None,
        break_torque: float | None,
    ) -> Joint3D:
        ends = self._simulation.ends_of(first, second)
        position = triple(checks.vector("point", point, 3))
        direction = triple(checks.direction("axis", axis))
        data = builder_class(direction).build().data
        # Both bodies need the same coordinate frame. From the axes alone, Rapier would compute two
        # different frames if the bodies are rotated.
        frame = rapier3d.Isometry3(position, data.local_frame1.rotation)
        first_frame, second_frame = (inverse * frame for inverse in self._inverse_poses(ends))
        builder = rapier3d.GenericJointBuilder(data.locked_axes)
        builder = builder.local_frame1(first_frame).local_frame2(second_frame)
        if limits is not None:
            low, high = checks.pair("limits", limits)
            builder = builder.limits(
                _driven_axis(name), low, checks.number("limits", high, least=low)
            )
        return self._join(name, ends, builder, bump, break_force, break_torque)

    def _anchored(
        self, first: HasBody | None, second: HasBody | None, point: ArrayLike
    ) -> tuple[Ends, list[tuple[float, float, float]]]:
        """Return the two bodies, and the coordinates of ``point`` relative to each body."""
        ends = self._simulation.ends_of(first, second)
        position = triple(checks.vector("point", point, 3))
        inverses = self._inverse_poses(ends)
        return ends, [inverse.transform_point(position).to_tuple() for inverse in inverses]

    def _inverse_poses(self, bodies: Ends) -> list[rapier3d.Isometry3]:
        """Return poses that convert world coordinates to the coordinates of the bodies."""
        return [self._engine.world.rigid_bodies[body].position.inverse() for body in bodies]

    def _join(
        self,
        name: str,
        ends: Ends,
        builder: JointBuilder,
        bump: bool,
        break_force: float | None,
        break_torque: float | None = None,
    ) -> Joint3D:
        strength = checked_strength(break_force, break_torque)
        raw = self._engine.insert_joint(ends, builder, checks.flag("bump", bump))
        joint = Joint3D(self._simulation, self._engine, raw, ends, name, strength)
        self._breaker.add(joint)
        return joint


def _with_anchors(builder: BuilderT, anchor: ArrayLike, second_anchor: ArrayLike) -> BuilderT:
    first = triple(checks.vector("anchor", anchor, 3))
    second = triple(checks.vector("second_anchor", second_anchor, 3))
    return builder.local_anchor1(first).local_anchor2(second)
