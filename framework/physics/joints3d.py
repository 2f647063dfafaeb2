"""Joints in space: hinges, balls, sliders, springs, ropes. Rapier's, between rows or to the
world.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from numpy.typing import ArrayLike

from .. import checks
from .engines import rapier3d
from .physics_world import PhysicsWorld
from .rapier_engine import RapierEngine
from .simulation import HasBody, Joint, Simulation

if TYPE_CHECKING:
    from .rapier_engine import JointBuilder

    Ends = tuple[rapier3d.RigidBodyHandle, rapier3d.RigidBodyHandle]

BuilderT = TypeVar("BuilderT", "rapier3d.RopeJointBuilder", "rapier3d.SpringJointBuilder")

_ORIGIN = (0.0, 0.0, 0.0)


class Joint3D(Joint):
    """What holds two bodies together. ``raw`` is the handle of Rapier's own."""

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
        """Turn a hinge (radians / s) or push a slider (units / s), with ``strength`` at most. Of a
        "hinge" and a "slider" only, else it is a `ValueError`."""
        if self.removed or self.name not in _DRIVEN:
            raise ValueError(
                f"joint: a {self.name} has no motor, or it is gone; "
                f"{' and '.join(_DRIVEN)} have one"
            )
        self._engine.drive_joint(
            self.raw,
            _axis(self.name),
            checks.number("speed", speed),
            checks.number("strength", strength, above=0),
        )
        for body in self._ends:
            self._engine.wake(body)


_DRIVEN = ("hinge", "slider")


def _axis(name: str) -> rapier3d.JointAxis:
    axes = rapier3d.JointAxis
    return axes.ANG_X if name == "hinge" else axes.LIN_X


class Joining3D(PhysicsWorld):
    """The part of `Physics3D` that makes joints.

    ``first`` and ``second`` are handles of rows that have bodies, ``(bodies, row)``, or None for
    the world. Points and axes are of the world, where they are now. Joints go when one of their
    bodies does. What they hold does not bump into each other unless ``bump`` is set.
    """

    _engine: RapierEngine
    _simulation: Simulation[rapier3d.RigidBodyHandle]

    def fix(self, first: HasBody | None, second: HasBody | None, *, bump: bool = False) -> Joint3D:
        """Both stay as they are to each other."""
        ends = self._simulation.ends_of(first, second)
        one, two = (self._engine.world.rigid_bodies[body].position for body in ends)
        frame: rapier3d.Isometry3 = one.inverse() * two
        builder = rapier3d.FixedJointBuilder().local_frame1(frame)
        return self._join("fix", ends, builder, bump)

    def ball(
        self, first: HasBody | None, second: HasBody | None, point: ArrayLike, *, bump: bool = False
    ) -> Joint3D:
        """Both turn about a ``point``, in all directions: chains, limbs, wrecking balls."""
        ends, (one, two) = self._anchored(first, second, point)
        return self._join(
            "ball",
            ends,
            rapier3d.SphericalJointBuilder().local_anchor1(one).local_anchor2(two),
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
        """Both turn about an ``axis`` through a ``point``: doors, wheels. ``limits`` are radians,
        from now.
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
        """The second moves along an ``axis``, which turns with the first: drawers, lifts.
        ``limits`` are units, from where it is."""
        _, other = self._simulation.ends_of(first, second)
        point = self._engine.world.rigid_bodies[other].translation.to_tuple()
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

    def rope(
        self,
        first: HasBody | None,
        second: HasBody | None,
        anchor: ArrayLike = _ORIGIN,
        second_anchor: ArrayLike = _ORIGIN,
        *,
        longest: float,
        bump: bool = True,
    ) -> Joint3D:
        """Two anchors (from the bodies' own middles) are ``longest`` units apart at most."""
        builder = rapier3d.RopeJointBuilder(checks.number("longest", longest, above=0))
        return self._join(
            "rope",
            self._simulation.ends_of(first, second),
            _held(builder, anchor, second_anchor),
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
        """Two anchors want to be ``length`` units apart: ``stiffness`` is force by unit,
        ``damping`` force by speed.
        """
        numbers = [
            checks.number(name, value, least=0)
            for name, value in (("length", length), ("stiffness", stiffness), ("damping", damping))
        ]
        builder = rapier3d.SpringJointBuilder(*numbers)
        return self._join(
            "spring",
            self._simulation.ends_of(first, second),
            _held(builder, anchor, second_anchor),
            bump,
        )

    def _axial(
        self,
        name: str,
        builder: Callable[
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
        x, y, z = checks.vector("point", point, 3).tolist()
        along_x, along_y, along_z = checks.direction("axis", axis).tolist()
        plain = builder((along_x, along_y, along_z)).build().data
        # One frame for both, however they are turned: from axes alone, Rapier would make them two
        # that do not agree.
        frame = rapier3d.Isometry3((x, y, z), plain.local_frame1.rotation)
        frames: list[rapier3d.Isometry3] = [
            self._engine.world.rigid_bodies[body].position.inverse() * frame for body in ends
        ]
        one, two = frames
        made = rapier3d.GenericJointBuilder(plain.locked_axes).local_frame1(one).local_frame2(two)
        if limits is not None:
            low, high = checks.pair("limits", limits)
            made = made.limits(
                _axis(name),
                low,
                checks.number("limits", high, least=low),
            )
        return self._join(name, ends, made, bump)

    def _anchored(
        self, first: HasBody | None, second: HasBody | None, point: ArrayLike
    ) -> tuple[Ends, list[tuple[float, float, float]]]:
        ends = self._simulation.ends_of(first, second)
        x, y, z = checks.vector("point", point, 3).tolist()
        inverse = [self._engine.world.rigid_bodies[body].position.inverse() for body in ends]
        return ends, [pose.transform_point((x, y, z)).to_tuple() for pose in inverse]

    def _join(self, name: str, ends: Ends, builder: JointBuilder, bump: bool) -> Joint3D:
        raw = self._engine.new_joint(ends, builder, checks.flag("bump", bump))
        joint = Joint3D(self._simulation, self._engine, raw, ends, name)
        self._simulation.joints.append(joint)
        return joint


def _held(builder: BuilderT, anchor: ArrayLike, second_anchor: ArrayLike) -> BuilderT:
    one, two = checks.vector("anchor", anchor, 3), checks.vector("second_anchor", second_anchor, 3)
    return builder.local_anchor1(tuple(one.tolist())).local_anchor2(tuple(two.tolist()))
