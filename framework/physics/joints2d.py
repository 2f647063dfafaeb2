"""Joints in the plane: pins, pivots, springs, ropes, motors. pymunk's constraints, between rows or
to the world.
"""

from __future__ import annotations

from .. import checks
from .engines import pymunk
from .physics_world import PhysicsWorld
from .pymunk_engine import PymunkEngine
from .simulation import HasBody, Joint, Simulation

_ORIGIN = (0.0, 0.0)


class Joining2D(PhysicsWorld):
    """The part of `Physics2D` that makes joints.

    ``first`` and ``second`` are handles of rows that have bodies (sprites), ``(bodies, row)``, or
    None for the world. Anchors are where a joint holds, in units from a body's own middle (before
    it is turned), of the world in the world. Joints go when one of their bodies does. What they
    hold does not bump into each other unless ``bump`` is set.
    """

    _engine: PymunkEngine
    _simulation: Simulation[pymunk.Body]

    def pivot(
        self,
        first: HasBody | None,
        second: HasBody | None,
        point: tuple[float, float],
        *,
        strength: float | None = None,
        bump: bool = False,
    ) -> Joint:
        """Both turn about a ``point`` of the world, where it is now: hinges, chains, wheels."""
        ends = self._simulation.ends_of(first, second)
        return self._join("pivot", ends, strength, bump, checks.pair("point", point))

    def pin(
        self,
        first: HasBody | None,
        second: HasBody | None,
        anchor: tuple[float, float] = _ORIGIN,
        second_anchor: tuple[float, float] = _ORIGIN,
        *,
        strength: float | None = None,
        bump: bool = False,
    ) -> Joint:
        """A rod: two anchors stay as far apart as they are now."""
        return self._join(
            "pin",
            self._simulation.ends_of(first, second),
            strength,
            bump,
            *_anchors(anchor, second_anchor),
        )

    def rope(
        self,
        first: HasBody | None,
        second: HasBody | None,
        anchor: tuple[float, float] = _ORIGIN,
        second_anchor: tuple[float, float] = _ORIGIN,
        *,
        shortest: float = 0.0,
        longest: float,
        strength: float | None = None,
        bump: bool = False,
    ) -> Joint:
        """Two anchors may be from ``shortest`` to ``longest`` units apart."""
        least = checks.number("shortest", shortest, least=0)
        most = checks.number("longest", longest, least=least)
        ends = self._simulation.ends_of(first, second)
        return self._join(
            "rope", ends, strength, bump, *_anchors(anchor, second_anchor), least, most
        )

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
    ) -> Joint:
        """Two anchors want to be ``length`` units apart: ``stiffness`` is force by unit,
        ``damping`` force by speed.
        """
        numbers = [
            checks.number(name, value, least=0)
            for name, value in (("length", length), ("stiffness", stiffness), ("damping", damping))
        ]
        anchors = _anchors(anchor, second_anchor)
        return self._join(
            "spring", self._simulation.ends_of(first, second), strength, bump, *anchors, *numbers
        )

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
    ) -> Joint:
        """An ``anchor`` of the second slides from ``start`` to ``end`` of the first, without
        leaving that line.
        """
        places = [
            checks.pair("start", start),
            checks.pair("end", end),
            checks.pair("anchor", anchor),
        ]
        if places[0] == places[1]:
            raise ValueError("end: expected another place than start; a pivot turns about one")
        return self._join(
            "groove", self._simulation.ends_of(first, second), strength, bump, *places
        )

    def turn_limit(
        self,
        first: HasBody | None,
        second: HasBody | None,
        least: float,
        most: float,
        *,
        strength: float | None = None,
        bump: bool = True,
    ) -> Joint:
        """The second's angle less the first's is from ``least`` to ``most`` radians: flippers,
        doors, limbs.
        """
        low = checks.number("least", least)
        ends = self._simulation.ends_of(first, second)
        return self._join(
            "turn_limit", ends, strength, bump, low, checks.number("most", most, least=low)
        )

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
    ) -> Joint:
        """The first's angle less the second's wants to be ``angle``: ``stiffness`` is torque by
        radian, ``damping`` torque by radian / s."""
        stiff, soft = (
            checks.number("stiffness", stiffness, least=0),
            checks.number("damping", damping, least=0),
        )
        ends = self._simulation.ends_of(first, second)
        return self._join(
            "turn_spring", ends, strength, bump, checks.number("angle", angle), stiff, soft
        )

    def gear(
        self,
        first: HasBody | None,
        second: HasBody | None,
        ratio: float = 1.0,
        angle: float = 0.0,
        *,
        strength: float | None = None,
        bump: bool = True,
    ) -> Joint:
        """The second turns ``ratio`` times as far as the first, ``angle`` ahead."""
        factor = checks.number("ratio", ratio)
        if not factor:
            raise checks.wrong_value("ratio", "a number other than 0", ratio)
        ends = self._simulation.ends_of(first, second)
        # pymunk's ratio is how far the first turns for the second, and its phase is held against
        # the first.
        return self._join(
            "gear", ends, strength, bump, checks.number("angle", angle) / factor, 1 / factor
        )

    def motor(
        self,
        first: HasBody | None,
        second: HasBody | None,
        speed: float,
        *,
        strength: float | None = None,
        bump: bool = True,
    ) -> Joint:
        """The second turns against the first at ``speed`` radians / s, counter-clockwise; less
        ``joint.raw.rate``.
        """
        return self._join(
            "motor",
            self._simulation.ends_of(first, second),
            strength,
            bump,
            -checks.number("speed", speed),
        )

    def _join(
        self,
        name: str,
        ends: tuple[pymunk.Body, pymunk.Body],
        strength: float | None,
        bump: bool,
        *arguments: float | tuple[float, float],
    ) -> Joint:
        most = None if strength is None else checks.number("strength", strength, above=0)
        raw = self._engine.new_joint(_KINDS[name], ends, arguments, most, checks.flag("bump", bump))
        joint = Joint(self._simulation, raw, ends, name)
        self._simulation.joints.append(joint)
        return joint


_KINDS = {
    "pivot": "PivotJoint",
    "pin": "PinJoint",
    "rope": "SlideJoint",
    "spring": "DampedSpring",
    "groove": "GrooveJoint",
    "turn_limit": "RotaryLimitJoint",
    "turn_spring": "DampedRotarySpring",
    "gear": "GearJoint",
    "motor": "SimpleMotor",
}


def _anchors(first: object, second: object) -> list[tuple[float, float]]:
    return [checks.pair("anchor", first), checks.pair("second_anchor", second)]
