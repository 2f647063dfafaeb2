"""Snapshots of a `Physics2D`: refused, or poses and velocities only."""

from __future__ import annotations

from typing import Any, ClassVar

from ..record.kinds import Lost
from .physics_world import PhysicsWorld, simulation_of
from .pymunk_engine import PymunkEngine

_LOST = "pymunk's, with contacts that it does not show"
_INSTEAD = (
    "record the game instead and play it again up to there (framework run GAME "
    "--record), or make it with "
    "Physics2D(…, snapshots='near') if going on nearly the same will do"
)


class SpaceSnapshots:
    """What a snapshot of a game holds of a pymunk space."""

    _captured_attributes: ClassVar[tuple[str, ...]] = ()

    def __init__(self, physics: PhysicsWorld, engine: PymunkEngine, mode: str) -> None:
        """``mode``: "refuse" or "near"."""
        self._physics, self._engine, self._mode = physics, engine, mode

    def _captured(self) -> Any:
        """Return poses and velocities, for `_put_back`. Raises `Lost` unless the mode is "near"."""
        if self._mode == "refuse":
            raise Lost(self._physics, _LOST, _INSTEAD, final=True)
        simulation = simulation_of(self._physics)
        motions = self._engine.motions([body for bodies in simulation.sets for body in bodies.raw])
        return motions, [*simulation.walls], [joint.raw for joint in simulation.joints]

    def _put_back(self, state: Any) -> None:
        """Restore the bodies, walls and joints of `_captured`, where they were."""
        motions, walls, joints = state
        self._engine.restore(motions, [wall.raw for wall in walls], joints)
        simulation_of(self._physics).changed = True
