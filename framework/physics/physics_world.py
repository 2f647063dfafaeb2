"""The methods that `Physics2D` and `Physics3D` share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Rows
from ..timing.schedule import Schedule
from .bodysets import Bodies
from .simulation import Simulation


class Systems(Protocol):
    """The functions that a scene calls in each tick, as far as physics needs them."""

    def add(
        self, phase: str, function: Callable[[float], None], *, group: Schedule | None = None
    ) -> object:
        """Call ``function(dt)`` in every tick."""

    def at_end(self, function: Callable[[], object]) -> None:
        """Call ``function()`` at the end of every tick."""


class HasSystems(Protocol):
    """A scene or game, as far as physics needs one."""

    @property
    def systems(self) -> Systems: ...


class PhysicsWorld:
    """See `Physics2D` and `Physics3D`."""

    def __init__(
        self, simulation: Simulation[Any], scene: HasSystems | None, group: Schedule | None
    ) -> None:
        self._simulation = simulation
        if group is not None:
            checks.instance(
                "group", group, Schedule, what="a Schedule, such as scene.schedule.group(0.5)"
            )
        if scene is not None:
            if not callable(getattr(getattr(scene, "systems", None), "add", None)):
                what = "the scene or game whose ticks it goes along with, or None"
                raise checks.wrong_type(
                    "scene", f"{what}; without one, call advance(dt) yourself", scene
                )
            scene.systems.add("physics", self.advance, group=group)
            # So that bodies do not depend on whether somebody looks at them between ticks.
            scene.systems.at_end(simulation.finish)

    @property
    def gravity(self) -> tuple[float, ...]:
        """The acceleration of dynamic bodies, units / s²: (x, y), in space (x, y, z). You may set
        it at any time.
        """
        return self._simulation.gravity

    @gravity.setter
    def gravity(self, value: ArrayLike) -> None:
        self._simulation.gravity = value

    def advance(self, dt: float) -> None:
        """Simulate ``dt`` seconds: ``substeps`` steps, or with a ``rate`` the steps that are due.

        The tick of a scene calls this. Call it yourself only if there is no scene.
        """
        self._simulation.advance(checks.number("dt", dt, least=0))

    def remove(self, bodies: Bodies) -> None:
        """Remove the bodies that a call of `add` returned. Their rows stay.

        Raises `ValueError` if the bodies are in another world or were removed.
        """
        self._simulation.remove(bodies)

    def entered(self, layer: str, other: str) -> list[tuple[Any, Any]]:
        """Return the pairs that began to touch in this tick: first the body of ``layer``, then
        that of ``other``.

        Each is the handle of a row (a sprite, an instance, …), a `Row` if the batch has no handles,
        or a `Wall`. Pairs are in the order in which the bodies were made. Bodies that touch when
        you first ask for a pair of layers have entered.
        """
        return self._simulation.pairs("entered", layer, other)

    def staying(self, layer: str, other: str) -> list[tuple[Any, Any]]:
        """Return the pairs that touched in the last tick and still touch; see `entered`."""
        return self._simulation.pairs("staying", layer, other)

    def left(self, layer: str, other: str) -> list[tuple[Any, Any]]:
        """Return the pairs that touched in the last tick and no longer touch; see `entered`. None
        stands for a body or wall that was removed.
        """
        return self._simulation.pairs("left", layer, other)

    def touching_rows(self, bodies: Bodies, other: Bodies) -> Rows:
        """Return the rows whose bodies touch now: (m, 2), first the row of ``bodies``.

        Both may be the same bodies: then each pair is there once.
        """
        return self._simulation.touching_rows(bodies, other)


def simulation_of(physics: PhysicsWorld) -> Simulation[Any]:
    """Return what drives the engine of a `Physics2D` or `Physics3D`."""
    return physics._simulation
