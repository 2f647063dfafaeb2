"""The base class for the backends of particle systems, which run the simulation in each tick."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

from ..state.backend import Backend
from .particle_simulation import ParticleSimulation

P = TypeVar("P", bound=Any)


class SimulationParts(Protocol):
    """The interface of the objects that a particle backend needs to run ticks."""

    @property
    def simulation(self) -> ParticleSimulation: ...


class ParticleTicks(Backend[P]):
    """The base class of all particle backends. A particle backend runs the simulation in each tick."""

    __slots__ = ("_simulation",)

    def __init__(self, frontend: P, parts: SimulationParts, graphics: object) -> None:
        super().__init__(frontend)
        self._simulation = parts.simulation

    def begin_tick(self, dt: float) -> None:
        self._simulation.begin_tick(dt, self.frontend.time_scale)

    def end_tick(self) -> None:
        self._simulation.end_tick()
