"""Joints in space: hinges, balls, sliders, springs, ropes. Rapier's, between rows or to the
world.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from .. import checks
from .joints2d import Joint
from .simulation import Physics

_ORIGIN = (0.0, 0.0, 0.0)


class Joint3D(Joint):
    """What holds two bodies together. ``raw`` is the handle of Rapier's own."""

    def drive(self, speed: float, strength: float = 1000.0) -> None:
        """Turn a hinge (radians / s) or push a slider (units / s), with ``strength`` at most. Of a
        "hinge" and a "slider" only, else it is a `ValueError`."""
        if self.removed or self.name not in _DRIVEN:
            raise ValueError(
                f"joint: a {self.name} has no motor, or it is gone; "
                f"{' and '.join(_DRIVEN)} have one"
            )
        axis = getattr(self.host.rapier.JointAxis, _DRIVEN[self.name])
        data = self.host.world.impulse_joints[self.raw].data
        data.set_motor_velocity(axis, checks.number("speed", speed), _STIFF)
        data.set_motor_max_force(axis, checks.number("strength", strength, above=0))
        for body in self.ends:
            self.host.wake(body)


_STIFF = 1000.0  # how hard a motor holds its speed, as far as its strength allows
_DRIVEN = {"hinge": "ANG_X", "slider": "LIN_X"}


class Joining3D(Physics):
    """The part of `Physics3D` that makes joints.

    ``first`` and ``second`` are handles of rows that have bodies, ``(bodies, row)``, or None for
    the world. Points and axes are of the world, where they are now. Joints go when one of their
    bodies does. What they hold does not bump into each other unless ``bump`` is set.
    """

    world: Any
    _rapier: Any
    _anchor: Any

    @property
    def rapier(self) -> Any:
        """Rapier's module."""
        return self._rapier

    def fix(self, first: Any, second: Any, *, bump: bool = False) -> Joint3D:
        """Both stay as they are to each other."""
        ends = self._ends(first, second)
        one, two = (self.world.rigid_bodies[body].position for body in ends)
        builder = self._rapier.FixedJointBuilder().local_frame1(one.inverse() * two)
        return self._join("fix", ends, builder, bump)

    def ball(self, first: Any, second: Any, point: ArrayLike, *, bump: bool = False) -> Joint3D:
        """Both turn about a ``point``, in all directions: chains, limbs, wrecking balls."""
        ends, (one, two) = self._anchored(first, second, point)
        return self._join(
            "ball",
            ends,
            self._rapier.SphericalJointBuilder().local_anchor1(one).local_anchor2(two),
            bump,
        )

    def hinge(
        self,
        first: Any,
        second: Any,
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
            "hinge", self._rapier.RevoluteJointBuilder, first, second, point, axis, limits, bump
        )

    def slider(
        self,
        first: Any,
        second: Any,
        axis: ArrayLike,
        *,
        limits: tuple[float, float] | None = None,
        bump: bool = False,
    ) -> Joint3D:
        """The second moves along an ``axis``, which turns with the first: drawers, lifts.
        ``limits`` are units, from where it is."""
        _, other = self._ends(first, second)
        point = self.world.rigid_bodies[other].translation.to_tuple()
        return self._axial(
            "slider", self._rapier.PrismaticJointBuilder, first, second, point, axis, limits, bump
        )

    def rope(
        self,
        first: Any,
        second: Any,
        anchor: ArrayLike = _ORIGIN,
        second_anchor: ArrayLike = _ORIGIN,
        *,
        longest: float,
        bump: bool = True,
    ) -> Joint3D:
        """Two anchors (from the bodies' own middles) are ``longest`` units apart at most."""
        builder = self._rapier.RopeJointBuilder(checks.number("longest", longest, above=0))
        return self._join(
            "rope", self._ends(first, second), _held(builder, anchor, second_anchor), bump
        )

    def spring(
        self,
        first: Any,
        second: Any,
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
        builder = self._rapier.SpringJointBuilder(*numbers)
        return self._join(
            "spring", self._ends(first, second), _held(builder, anchor, second_anchor), bump
        )

    def drop_joint(self, raw: Any) -> None:
        """Take out one of Rapier's joints."""
        if raw in self.world.impulse_joints:
            self.world.impulse_joints.remove(raw)

    def _axial(
        self,
        name: str,
        builder: Any,
        first: Any,
        second: Any,
        point: ArrayLike,
        axis: ArrayLike,
        limits: Any,
        bump: bool,
    ) -> Joint3D:
        ends = self._ends(first, second)
        place = tuple(checks.vector("point", point, 3).tolist())
        rapier, plain = (
            self._rapier,
            builder(tuple(checks.direction("axis", axis).tolist())).build().data,
        )
        # One frame for both, however they are turned: from axes alone, Rapier would make them two
        # that do not agree.
        frame = rapier.Isometry3(place, plain.local_frame1.rotation)
        one, two = (self.world.rigid_bodies[body].position.inverse() * frame for body in ends)
        made = rapier.GenericJointBuilder(plain.locked_axes).local_frame1(one).local_frame2(two)
        if limits is not None:
            low, high = checks.pair("limits", limits)
            made = made.limits(
                getattr(rapier.JointAxis, _DRIVEN[name]),
                low,
                checks.number("limits", high, least=low),
            )
        return self._join(name, ends, made, bump)

    def _anchored(
        self, first: Any, second: Any, point: ArrayLike
    ) -> tuple[tuple[Any, Any], list[Any]]:
        ends = self._ends(first, second)
        place = tuple(checks.vector("point", point, 3).tolist())
        inverse = [self.world.rigid_bodies[body].position.inverse() for body in ends]
        return ends, [pose.transform_point(place).to_tuple() for pose in inverse]

    def _ends(self, first: Any, second: Any) -> tuple[Any, Any]:
        if first is None and second is None:
            raise ValueError("second: expected one that has a body, got the world twice")
        ends = [
            self._world_body() if thing is None else self.body_of(name, thing)
            for name, thing in (("first", first), ("second", second))
        ]
        if ends[0] == ends[1]:
            raise ValueError("second: expected another body than the first")
        return ends[0], ends[1]

    def _world_body(self) -> Any:
        if self._anchor is None:
            self._anchor = self.world.add_body(self._rapier.RigidBody.fixed(), [])
        return self._anchor

    def _join(self, name: str, ends: tuple[Any, Any], builder: Any, bump: bool) -> Joint3D:
        built = builder.contacts_enabled(checks.flag("bump", bump)).build()
        joint = Joint3D(self, self.world.impulse_joints.insert(*ends, built), ends, name)
        self.joints.append(joint)
        return joint


def _held(builder: Any, anchor: ArrayLike, second_anchor: ArrayLike) -> Any:
    one, two = checks.vector("anchor", anchor, 3), checks.vector("second_anchor", second_anchor, 3)
    return builder.local_anchor1(tuple(one.tolist())).local_anchor2(tuple(two.tolist()))
