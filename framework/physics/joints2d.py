"""Joints between 2D bodies: pivots, pins, ropes, springs, grooves, gears and motors."""

from __future__ import annotations

from typing import Any

from .. import checks
from ..moved_names import renamed_options
from ..other_engines.other_names import other_names
from ..other_engines.other_options import other_options
from .breakable_joints import BreakableJoint, JointBreaker, Strength, checked_strength
from .physics_world import PhysicsWorld
from .plane_engine import TURNING, PlaneEngine
from .simulation import HasBody, Simulation

_ORIGIN = (0.0, 0.0)

_NO_TORQUE = {
    "break_torque": "the bodies can turn about this joint, so the joint has no torque: write "
    "break_force=500"
}
_NO_FORCE = {"break_force": "this joint only turns bodies, so write break_torque=500"}


@other_names("joint", {}, settings={"limits": "write physics.turn_limit(first, second, low, high)"})
class Joint2D(BreakableJoint):
    """A joint between two bodies of a `Physics2D`, or between a body and the world.

    ``raw`` is a constraint of pymunk, or a joint handle of Rapier.
    """

    def __init__(
        self,
        simulation: Simulation[Any],
        engine: PlaneEngine[Any],
        raw: Any,
        ends: tuple[object, object],
        name: str,
        strength: Strength,
    ) -> None:
        super().__init__(simulation, raw, ends, name, strength)
        self._engine = engine

    @property
    def force(self) -> float:
        """The force in the joint during the last physics step, or 0 for a removed joint.

        The unit is mass times units / s². The force of a `turn_limit`, `turn_spring`, `gear` or
        `motor` is 0, because these joints have a `torque` instead. To find a good value for
        ``break_force``, read `force` while the game runs.
        """
        return 0.0 if self.removed else self._load()[0]

    @property
    def torque(self) -> float:
        """The torque in a `turn_limit`, `turn_spring`, `gear` or `motor` during the last physics
        step. For a removed joint, and for all other kinds of joints, the torque is 0.

        The unit is mass times units² / s². The torque of a gear is the torque on the second body.
        """
        return 0.0 if self.removed else self._load()[1]

    def _load(self) -> tuple[float, float]:
        """Return the force and the torque in the joint during the last physics step."""
        load = self._engine.joint_load(self.name, self.raw)
        return (0.0, load) if self.name in TURNING else (load, 0.0)

    def drive(self, speed: float) -> None:
        """Set the speed of a motor, in radians / s. Positive speeds are counter-clockwise.

        Raises `ValueError` if the joint was removed, or is not a motor.
        """
        if self.removed or self.name != "motor":
            raise ValueError(
                "joint: expected a motor that is not removed, "
                f"got {'a removed joint' if self.removed else self.name}"
            )
        self._engine.drive_motor(self.raw, checks.number("speed", speed))
        self._wake()


class Joints2D(PhysicsWorld):
    """The methods of `Physics2D` that create a joint between two bodies.

    ``first`` and ``second`` are the two bodies. Each is a sprite, a pair ``(bodies, row)``, a wall,
    or None. With None, the joint connects the other body to a fixed point in the world. An anchor
    is a point on a body. The coordinates of an anchor are relative to the center of the body, as if
    the body were not rotated. If the joint has only one body, the other anchor is in world
    coordinates. If you remove a body, the framework also removes its joints.

    ``strength`` is the maximum force or torque of the joint. Default: unlimited. With
    ``bump=True``, the two bodies of the joint also collide with each other.

    A joint breaks if its force is above ``break_force``, or if its torque is above
    ``break_torque``. A broken joint is removed immediately, and remains in `broken_joints` until
    the end of the tick. By default, a joint never breaks.
    """

    _engine: PlaneEngine[Any]
    _breaker: JointBreaker[Joint2D]
    _simulation: Simulation[Any]

    @property
    def broken_joints(self) -> list[Joint2D]:
        """The joints that broke in this tick, in the order in which they broke. If several joints
        broke in the same physics step, the oldest joint comes first.
        """
        return [*self._breaker.broken]

    @other_options(**_NO_TORQUE)
    def pivot(
        self,
        first: HasBody | None,
        second: HasBody | None,
        point: tuple[float, float],
        *,
        strength: float | None = None,
        bump: bool = False,
        break_force: float | None = None,
    ) -> Joint2D:
        """Join two bodies at a point. The bodies can turn about ``point``. Use pivots for hinges,
        chains and wheels.

        ``point`` is in world coordinates. When the bodies move, the joint stays at the same point
        of each body.
        """
        ends = self._simulation.ends_of(first, second)
        return self._join("pivot", ends, strength, bump, break_force, checks.pair("point", point))

    @other_options(**_NO_TORQUE)
    def pin(
        self,
        first: HasBody | None,
        second: HasBody | None,
        anchor: tuple[float, float] = _ORIGIN,
        second_anchor: tuple[float, float] = _ORIGIN,
        *,
        strength: float | None = None,
        bump: bool = False,
        break_force: float | None = None,
    ) -> Joint2D:
        """Join two anchors with a rigid rod. The length of the rod is the current distance between
        the anchors.
        """
        return self._join(
            "pin",
            self._simulation.ends_of(first, second),
            strength,
            bump,
            break_force,
            *_anchors(anchor, second_anchor),
        )

    @renamed_options("Physics2D.rope", shortest="min_length", longest="max_length")
    @other_options(
        length="max_length", _="write physics.rope(first, second, max_length=300)", **_NO_TORQUE
    )
    def rope(
        self,
        first: HasBody | None,
        second: HasBody | None,
        anchor: tuple[float, float] = _ORIGIN,
        second_anchor: tuple[float, float] = _ORIGIN,
        *,
        min_length: float = 0.0,
        max_length: float,
        strength: float | None = None,
        bump: bool = False,
        break_force: float | None = None,
    ) -> Joint2D:
        """Join two anchors with a rope. The distance between the anchors is at least ``min_length``
        and at most ``max_length`` units.
        """
        minimum = checks.number("min_length", min_length, least=0)
        maximum = checks.number("max_length", max_length, least=minimum)
        ends = self._simulation.ends_of(first, second)
        return self._join(
            "rope",
            ends,
            strength,
            bump,
            break_force,
            *_anchors(anchor, second_anchor),
            minimum,
            maximum,
        )

    @other_options(**_NO_TORQUE)
    def spring(
        self,
        first: HasBody | None,
        second: HasBody | None,
        anchor: tuple[float, float] = _ORIGIN,
        second_anchor: tuple[float, float] = _ORIGIN,
        *,
        length: float,
        stiffness: float,
        damping: float = 0.0,
        strength: float | None = None,
        bump: bool = True,
        break_force: float | None = None,
    ) -> Joint2D:
        """Join two anchors with a spring. The spring pulls the anchors together or pushes them
        apart, towards a distance of ``length`` units.

        ``stiffness`` is the force of the spring per unit of length. ``damping`` is the force that
        slows down the motion, per unit of speed. With the default damping of 0, the bodies swing
        for a long time.
        """
        numbers = [
            checks.number(name, value, least=0)
            for name, value in (("length", length), ("stiffness", stiffness), ("damping", damping))
        ]
        anchors = _anchors(anchor, second_anchor)
        return self._join(
            "spring",
            self._simulation.ends_of(first, second),
            strength,
            bump,
            break_force,
            *anchors,
            *numbers,
        )

    @other_options(**_NO_TORQUE)
    def groove(
        self,
        first: HasBody | None,
        second: HasBody | None,
        start: tuple[float, float],
        end: tuple[float, float],
        anchor: tuple[float, float] = _ORIGIN,
        *,
        strength: float | None = None,
        bump: bool = False,
        break_force: float | None = None,
    ) -> Joint2D:
        """Let the second body slide along a groove in the first body, a line from ``start`` to
        ``end``. The point ``anchor`` on the second body stays on the line.

        The second body can also rotate. ``start`` and ``end`` are in units, relative to the center
        of the first body. To join the second body to a single point, use `pivot`.
        """
        points = [
            checks.pair("start", start),
            checks.pair("end", end),
            checks.pair("anchor", anchor),
        ]
        if points[0] == points[1]:
            raise ValueError("end: expected a point other than start; use pivot for one point")
        return self._join(
            "groove", self._simulation.ends_of(first, second), strength, bump, break_force, *points
        )

    @renamed_options("Physics2D.turn_limit", least="min_angle", most="max_angle")
    @other_options(**_NO_FORCE)
    def turn_limit(
        self,
        first: HasBody | None,
        second: HasBody | None,
        min_angle: float,
        max_angle: float,
        *,
        strength: float | None = None,
        bump: bool = True,
        break_torque: float | None = None,
    ) -> Joint2D:
        """Limit the angle between two bodies. This angle is the angle of the second body minus the
        angle of the first body.

        ``min_angle`` and ``max_angle`` are in radians. Use a turn limit for flippers, doors and
        limbs.
        """
        low = checks.number("min_angle", min_angle)
        ends = self._simulation.ends_of(first, second)
        joint = self._join(
            "turn_limit",
            ends,
            strength,
            bump,
            break_torque,
            low,
            checks.number("max_angle", max_angle, least=low),
        )
        # The limit must be stronger than a motor that was added earlier.
        for motor in self._simulation.joints:
            if motor.name == "motor" and {*motor._ends} == {*ends}:
                motor.raw = self._engine.reinsert_joint(motor.raw)
        return joint

    @other_options(**_NO_FORCE)
    def turn_spring(
        self,
        first: HasBody | None,
        second: HasBody | None,
        angle: float,
        *,
        stiffness: float,
        damping: float = 0.0,
        strength: float | None = None,
        bump: bool = True,
        break_torque: float | None = None,
    ) -> Joint2D:
        """Join two bodies with a spring that rotates them. The spring exerts no torque when the
        angle of the first body minus the angle of the second body is ``angle``, in radians.
        ``stiffness`` is the torque of the spring per radian. ``damping`` is the torque that slows
        down the rotation, per radian / s.
        """
        checked_stiffness = checks.number("stiffness", stiffness, least=0)
        checked_damping = checks.number("damping", damping, least=0)
        ends = self._simulation.ends_of(first, second)
        return self._join(
            "turn_spring",
            ends,
            strength,
            bump,
            break_torque,
            checks.number("angle", angle),
            checked_stiffness,
            checked_damping,
        )

    @other_options(**_NO_FORCE)
    def gear(
        self,
        first: HasBody | None,
        second: HasBody | None,
        ratio: float = 1.0,
        angle: float = 0.0,
        *,
        strength: float | None = None,
        bump: bool = True,
        break_torque: float | None = None,
    ) -> Joint2D:
        """Make two bodies turn together like gears. The second body turns ``ratio`` times as far as
        the first body, plus ``angle`` radians.

        With a negative ratio, the two bodies turn in opposite directions.
        """
        factor = checks.number("ratio", ratio)
        if not factor:
            raise checks.wrong_value("ratio", "a number other than 0", ratio)
        ends = self._simulation.ends_of(first, second)
        return self._join(
            "gear", ends, strength, bump, break_torque, factor, checks.number("angle", angle)
        )

    @other_options(**_NO_FORCE)
    def motor(
        self,
        first: HasBody | None,
        second: HasBody | None,
        speed: float,
        *,
        strength: float | None = None,
        bump: bool = True,
        break_torque: float | None = None,
    ) -> Joint2D:
        """Join two bodies with a motor that turns the second body relative to the first body, at
        ``speed`` radians / s. Positive speeds are counter-clockwise.

        To change the speed later, call `Joint2D.drive`.
        """
        return self._join(
            "motor",
            self._simulation.ends_of(first, second),
            strength,
            bump,
            break_torque,
            checks.number("speed", speed),
        )

    def _join(
        self,
        name: str,
        ends: tuple[Any, Any],
        strength: float | None,
        bump: bool,
        limit: float | None,
        *numbers: float | tuple[float, float],
    ) -> Joint2D:
        """Create a joint. ``limit`` is ``break_force``, or ``break_torque`` for a joint that turns
        bodies.
        """
        max_force = None if strength is None else checks.number("strength", strength, above=0)
        turns = name in TURNING
        break_strength = checked_strength(None if turns else limit, limit if turns else None)
        if max_force is not None and limit is not None and limit >= max_force:
            option = "break_torque" if turns else "break_force"
            raise ValueError(
                f"{option}: expected a number below strength ({max_force}), got {limit}; the joint "
                "never reaches this limit"
            )
        raw = self._engine.new_joint(name, ends, numbers, max_force, checks.flag("bump", bump))
        joint = Joint2D(self._simulation, self._engine, raw, ends, name, break_strength)
        self._breaker.add(joint)
        return joint


def _anchors(first: object, second: object) -> list[tuple[float, float]]:
    return [checks.pair("anchor", first), checks.pair("second_anchor", second)]
