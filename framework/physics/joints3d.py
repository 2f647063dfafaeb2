"""3D joints: fixed, ball, hinge, slider, rope and spring, by Rapier."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from numpy.typing import ArrayLike

from .. import checks
from ..moved_names import renamed_options
from .engines import rapier3d
from .physics_world import PhysicsWorld
from .rapier_engine import RapierEngine
from .shapes3d import triple
from .simulation import HasBody, Joint, Simulation

if TYPE_CHECKING:
    from .rapier_engine import JointBuilder

    Ends = tuple[rapier3d.RigidBodyHandle, rapier3d.RigidBodyHandle]

BuilderT = TypeVar("BuilderT", "rapier3d.RopeJointBuilder", "rapier3d.SpringJointBuilder")

_ORIGIN = (0.0, 0.0, 0.0)


class Joint3D(Joint):
    """A joint between two bodies of a `Physics3D`, or between a body and the world.

    ``raw`` is Rapier's handle of the joint.
    """

    _ends: Ends

    def __init__(
        self,
        simulation: Simulation[rapier3d.RigidBodyHandle],
        engine: RapierEngine,
        raw: rapier3d.ImpulseJointHandle,
        ends: Ends,
        name: str,
    ) -> None:
        super().__init__(simulation, raw, ends, name)
        self._engine = engine

    def drive(self, speed: float, strength: float = 1000.0) -> None:
        """Drive a hinge at ``speed`` radians / s, or a slider at ``speed`` units / s.

        The motor keeps the speed until the next call of `drive`. ``strength`` is the largest torque
        or force of the motor. Raises `ValueError` if the joint was removed, or is not a hinge or a
        slider.
        """
        if self.removed or self.name not in _DRIVEN:
            raise ValueError(
                f"joint: expected {' or '.join(_DRIVEN)} that is not removed, "
                f"got {'a removed joint' if self.removed else self.name}, which has no motor"
            )
        handle: rapier3d.ImpulseJointHandle = self.raw
        self._engine.drive_joint(
            handle,
            _motor_axis(self.name),
            checks.number("speed", speed),
            checks.number("strength", strength, above=0),
        )
        for body in self._ends:
            self._engine.wake(body)


_DRIVEN = ("hinge", "slider")


def _motor_axis(name: str) -> rapier3d.JointAxis:
    axes = rapier3d.JointAxis
    return axes.ANG_X if name == "hinge" else axes.LIN_X


class Joints3D(PhysicsWorld):
    """The methods of `Physics3D` that join two bodies.

    ``first`` and ``second`` are the two joined bodies: the handle of a row, a pair ``(bodies,
    row)`` or a wall. If ``first`` or ``second`` is None, the joint holds the other body to the
    world. Points and axes of joints are in world coordinates, at the time of the call. When a body
    is removed, its joints are removed, too. With ``bump=True`` the two joined bodies also collide
    with each other.
    """

    _engine: RapierEngine
    _simulation: Simulation[rapier3d.RigidBodyHandle]

    def fix(self, first: HasBody | None, second: HasBody | None, *, bump: bool = False) -> Joint3D:
        """Fix two bodies to each other in their current positions and rotations."""
        ends = self._simulation.ends_of(first, second)
        bodies = self._engine.world.rigid_bodies
        first_pose = bodies[ends[0]].position
        second_pose = bodies[ends[1]].position
        frame: rapier3d.Isometry3 = first_pose.inverse() * second_pose
        builder = rapier3d.FixedJointBuilder().local_frame1(frame)
        return self._join("fix", ends, builder, bump)

    def ball(
        self,
        first: HasBody | None,
        second: HasBody | None,
        point: ArrayLike,
        *,
        bump: bool = False,
    ) -> Joint3D:
        """Join two bodies at ``point``, about which both turn freely: chains, limbs, pendulums."""
        ends, anchors = self._anchored(first, second, point)
        return self._join(
            "ball",
            ends,
            rapier3d.SphericalJointBuilder().local_anchor1(anchors[0]).local_anchor2(anchors[1]),
            bump,
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
    ) -> Joint3D:
        """Join two bodies that turn about the line through ``point`` along ``axis``: doors, wheels.

        ``limits`` are the lowest and the highest angle in radians, where 0 is the current angle of
        the bodies. ``limits`` defaults to None: the hinge turns without limits. A hinge has a
        motor: see `Joint3D.drive`.
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
        )

    def slider(
        self,
        first: HasBody | None,
        second: HasBody | None,
        axis: ArrayLike,
        *,
        limits: tuple[float, float] | None = None,
        bump: bool = False,
    ) -> Joint3D:
        """Let the second body move only along ``axis``, relative to the first body: drawers, lifts.

        When the first body rotates, the axis of the slider rotates, too. ``limits`` are the lowest
        and the highest displacement in units; the current displacement is 0. ``limits`` defaults to
        None: the slider moves without limits. A slider has a motor: see `Joint3D.drive`.
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
    ) -> Joint3D:
        """Keep two anchors at most ``max_length`` units apart.

        An anchor is a point of a body, in units, relative to the center of the unrotated body. If
        ``first`` or ``second`` is None, the anchor of the world is in world coordinates.
        """
        builder = rapier3d.RopeJointBuilder(checks.number("max_length", max_length, above=0))
        return self._join(
            "rope",
            self._simulation.ends_of(first, second),
            _with_anchors(builder, anchor, second_anchor),
            bump,
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
    ) -> Joint3D:
        """Join two anchors by a spring, which pulls or pushes the anchors to a distance of
        ``length``.

        ``stiffness`` is the force of the spring per unit of length. ``damping`` is the force that
        brakes the spring, per unit of speed. With the default damping of 0, the bodies swing for a
        long time. `rope` explains the coordinates of anchors.
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
    ) -> Joint3D:
        ends = self._simulation.ends_of(first, second)
        position = triple(checks.vector("point", point, 3))
        direction = triple(checks.direction("axis", axis))
        data = builder_class(direction).build().data
        # Use one coordinate frame for both bodies. From the axes alone, Rapier would make two
        # frames that disagree if the bodies are rotated.
        rotation: rapier3d.Rotation3 = data.local_frame1.rotation
        frame = rapier3d.Isometry3(position, rotation)
        frames: list[rapier3d.Isometry3] = [
            self._engine.world.rigid_bodies[body].position.inverse() * frame for body in ends
        ]
        builder = rapier3d.GenericJointBuilder(data.locked_axes)
        builder = builder.local_frame1(frames[0]).local_frame2(frames[1])
        if limits is not None:
            low, high = checks.pair("limits", limits)
            builder = builder.limits(
                _motor_axis(name), low, checks.number("limits", high, least=low)
            )
        return self._join(name, ends, builder, bump)

    def _anchored(
        self, first: HasBody | None, second: HasBody | None, point: ArrayLike
    ) -> tuple[Ends, list[tuple[float, float, float]]]:
        """Return the two bodies, and ``point`` in the local coordinates of each body."""
        ends = self._simulation.ends_of(first, second)
        position = triple(checks.vector("point", point, 3))
        poses = [self._engine.world.rigid_bodies[body].position.inverse() for body in ends]
        return ends, [pose.transform_point(position).to_tuple() for pose in poses]

    def _join(self, name: str, ends: Ends, builder: JointBuilder, bump: bool) -> Joint3D:
        raw = self._engine.insert_joint(ends, builder, checks.flag("bump", bump))
        joint = Joint3D(self._simulation, self._engine, raw, ends, name)
        self._simulation.joints.append(joint)
        return joint


def _with_anchors(builder: BuilderT, anchor: ArrayLike, second_anchor: ArrayLike) -> BuilderT:
    first = triple(checks.vector("anchor", anchor, 3))
    second = triple(checks.vector("second_anchor", second_anchor, 3))
    return builder.local_anchor1(first).local_anchor2(second)
