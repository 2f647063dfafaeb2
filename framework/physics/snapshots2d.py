"""Snapshots of a 2D physics world that pymunk simulates.

pymunk does not give access to its whole state, so these snapshots cannot be exact. With the option
``snapshots="near"``, they contain only positions and velocities. Without this option, taking a
snapshot raises an error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ..record.kinds import CannotRestore
from .engines import pymunk
from .physics_world import PhysicsWorld, simulation_of
from .pymunk_engine import Motion, PymunkEngine
from .simulation import Simulation, Wall

if TYPE_CHECKING:
    SpaceState = tuple[list[Motion], list[Wall], list[pymunk.Constraint]]

_LOST = "pymunk's, with contacts that it does not show"
_INSTEAD = (
    "make the world with Physics2D(…, engine='rapier'), whose snapshots are exact, or record the "
    "game and play it again up to that tick (framework run GAME --record), or make the world with "
    "Physics2D(…, engine='pymunk', snapshots='near') if an inexact state is enough"
)


class SpaceSnapshots:
    """Stores and restores a pymunk space for `Game.snapshot`."""

    _captured_attributes: ClassVar[tuple[str, ...]] = ()

    def __init__(self, physics: PhysicsWorld, engine: PymunkEngine, mode: str) -> None:
        """``mode`` is the option ``snapshots`` of `Physics2D`: "refuse" or "near"."""
        self._physics = physics
        self._engine = engine
        self._mode = mode

    def _capture(self) -> SpaceState:
        """Return the positions and velocities of all bodies, and the walls and joints.

        Raises `CannotRestore` if the mode is "refuse".
        """
        if self._mode == "refuse":
            raise CannotRestore(self._physics, _LOST, _INSTEAD, final=True)
        simulation: Simulation[pymunk.Body] = simulation_of(self._physics)
        motions = self._engine.motions([body for bodies in simulation.sets for body in bodies.raw])
        joints: list[pymunk.Constraint] = [joint.raw for joint in simulation.joints]
        return motions, [*simulation.walls], joints

    def _restore(self, state: SpaceState) -> None:
        """Restore the bodies, walls and joints that `_capture` returned."""
        motions, walls, joints = state
        self._engine.restore(motions, [wall.raw for wall in walls], joints)
        simulation_of(self._physics).changed = True
