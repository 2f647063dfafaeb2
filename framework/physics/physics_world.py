"""The methods that `Physics2D` and `Physics3D` share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from .. import checks
from ..arrays import Rows
from ..timing.schedule import Schedule
from .bodysets import Bodies
from .simulation import Simulation


class HasSystems(Protocol):
    """A scene or game, as far as physics needs one."""

    def add_system(
        self, phase: str, function: Callable[[float], None], *, group: Schedule | None = None
    ) -> Any:
        """Call ``function(dt)`` in every tick."""


class PhysicsWorld:
    """See `Physics2D` and `Physics3D`."""

    def __init__(
        self, simulation: Simulation, scene: HasSystems | None, group: Schedule | None
    ) -> None:
        self._simulation = simulation
        if group is not None:
            checks.instance(
                "group", group, Schedule, what="a Schedule, such as scene.schedule.group(0.5)"
            )
        if scene is not None:
            if not callable(getattr(scene, "add_system", None)):
                what = "the scene or game whose ticks it goes along with, or None"
                raise checks.wrong_type(
                    "scene", f"{what}; without one, call advance(dt) yourself", scene
                )
            scene.add_system("physics", self.advance, group=group)
            rules = getattr(scene, "_rules", None)
            if rules is not None:
                # So that bodies do not depend on whether somebody looks at them between ticks.
                rules.endings = (*rules.endings, simulation.finish)

    @property
    def gravity(self) -> Any:
        """Units / s²: (x, y), in space (x, y, z). May be changed at any time."""
        return self._simulation.gravity

    @gravity.setter
    def gravity(self, value: Any) -> None:
        self._simulation.gravity = value

    def advance(self, dt: float) -> None:
        """``dt`` seconds go by: ``substeps``, or with a ``rate`` the steps that are due. A scene's
        tick calls it.
        """
        self._simulation.advance(checks.number("dt", dt, least=0))

    def remove(self, bodies: Bodies) -> None:
        """Take out what `add` returned: the rows stay, without bodies."""
        self._simulation.remove(bodies)

    def entered(self, layer: str, other: str) -> list[tuple[Any, Any]]:
        """Who began to touch in this tick: what has the one layer, and what has the other, pair by
        pair.

        Each is the handle of its row (a sprite, an instance, …), a `Row` of a batch that has none,
        or a `Wall`; in the order in which they were made. What touches when a pair of layers is
        first asked for has entered.
        """
        return self._simulation.pairs("entered", layer, other)

    def staying(self, layer: str, other: str) -> list[tuple[Any, Any]]:
        """Who touched in the last tick, and still does; see `entered`."""
        return self._simulation.pairs("staying", layer, other)

    def left(self, layer: str, other: str) -> list[tuple[Any, Any]]:
        """Who touched in the last tick, and does no more; see `entered`. None stands for what is
        gone.
        """
        return self._simulation.pairs("left", layer, other)

    def touching_rows(self, bodies: Bodies, other: Bodies) -> Rows:
        """Rows of two batches whose bodies touch now, or of one: (m, 2), the first batch's
        first.
        """
        return self._simulation.touching_rows(bodies, other)


def simulation_of(physics: PhysicsWorld) -> Simulation:
    """Return what drives the engine of a `Physics2D` or `Physics3D`."""
    return physics._simulation
