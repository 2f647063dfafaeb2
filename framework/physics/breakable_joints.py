"""Breakable joints: read the force and torque in a joint, and break joints if they are too large."""

from __future__ import annotations

from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from .. import checks
from .simulation import Joint, Simulation


class Strength(NamedTuple):
    """The maximum force and torque of a joint. The joint breaks if either maximum is exceeded. None
    means no limit.
    """

    force: float | None
    torque: float | None


def checked_strength(break_force: object, break_torque: object) -> Strength:
    """Return the options ``break_force`` and ``break_torque`` of a joint. Raise an error unless
    each option is None or a number above 0.
    """
    options = (("break_force", break_force), ("break_torque", break_torque))
    return Strength(
        *[None if limit is None else checks.number(name, limit, above=0) for name, limit in options]
    )


class BreakableJoint(Joint):
    """The base class of `Joint2D` and `Joint3D`."""

    _public_attributes: ClassVar[tuple[str, ...]] = ("broken", "name", "raw")

    def __init__(
        self,
        simulation: Simulation[Any],
        raw: Any,
        ends: tuple[Any, Any],
        name: str,
        strength: Strength,
    ) -> None:
        super().__init__(simulation, raw, ends, name)
        self._strength = strength
        self.broken = False
        """Whether the joint is broken because its force or torque was above the limit."""

    def _load(self) -> tuple[float, float]:
        """Return the force and the torque in the joint during the last physics step."""
        raise NotImplementedError

    def _overloaded(self) -> bool:
        """Return whether the joint must break because its force or torque is too large."""
        max_force, max_torque = self._strength
        force, torque = self._load()
        is_too_large = (max_force is not None and force > max_force) or (
            max_torque is not None and torque > max_torque
        )
        # Joints of sleeping bodies are not simulated. Their impulses are those of an earlier step,
        # which may have been longer, so the force that follows from them is too large.
        return is_too_large and not any(map(self._simulation.engine.asleep, self._ends))

    def _wake(self) -> None:
        for body in self._ends:
            self._simulation.engine.wake(body)


JointT = TypeVar("JointT", bound=BreakableJoint)


class JointBreaker(Generic[JointT]):
    """Breaks joints whose force or torque exceeds the maximum. `Simulation` calls `after_step`
    after each physics step.
    """

    def __init__(self, simulation: Simulation[Any], joint_class: type[JointT]) -> None:
        self._simulation = simulation
        self._joint_class = joint_class
        self.broken: list[JointT] = []
        """The joints that broke in this tick."""

    def add(self, joint: JointT) -> None:
        """Add a new joint to the simulation. From the first joint that can break, the simulation
        also calls this object in each tick.
        """
        simulation = self._simulation
        if any(joint._strength) and self not in simulation.followers:
            simulation.followers.append(self)
        simulation.joints.append(joint)

    def before_steps(self, seconds: float) -> None:
        """Clear the list of broken joints. Called before the physics steps of a tick."""
        if self.broken:
            self.broken = []

    def after_step(self, seconds: float) -> None:
        """Remove the joints whose force or torque exceeded the maximum in this physics step."""
        for joint in [*self._simulation.joints]:
            if (
                isinstance(joint, self._joint_class)
                and any(joint._strength)
                and joint._overloaded()
            ):
                joint._wake()
                joint.remove()
                joint.broken = True
                self.broken.append(joint)

    def end_tick(self) -> None:
        """Do nothing, because joints break during the physics steps."""
