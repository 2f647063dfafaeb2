"""The methods that `Physics2D` and `Physics3D` have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Protocol
from weakref import WeakSet

from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Rows
from ..moved_names import HasMoved
from ..other_engines.other_names import SealedByClass
from ..timing.schedule import Schedule
from .bodysets import Bodies
from .contacts import BodyContacts, NewContact
from .simulation import Simulation


class TickSystems(Protocol):
    """The methods of `scene.systems` that physics uses."""

    def add(
        self, phase: str, function: Callable[[float], None], *, group: Schedule | None = None
    ) -> object:
        """Call ``function(dt)`` in every tick, in the phase ``phase``."""

    def at_end(self, function: Callable[[], object]) -> None:
        """Call ``function()`` at the end of every tick."""


class HasSystems(Protocol):
    """A scene or a game in which physics can run. The physics world uses only the attribute
    `systems`.
    """

    @property
    def systems(self) -> TickSystems: ...


_never_advanced: WeakSet[PhysicsWorld] = WeakSet()
"""The worlds that have no scene, and for which `advance` has not been called yet."""


class PhysicsWorld(HasMoved, SealedByClass):
    """The base class of `Physics2D` and `Physics3D`."""

    _is_physics_world: ClassVar[bool] = True

    def __init__(
        self, simulation: Simulation[Any], scene: HasSystems | None, group: Schedule | None
    ) -> None:
        self._simulation = simulation
        if scene is None:
            _never_advanced.add(self)
        if group is not None:
            checks.instance(
                "group", group, Schedule, what="a Schedule, such as scene.schedule.group(0.5)"
            )
        if scene is not None:
            if not callable(getattr(getattr(scene, "systems", None), "add", None)):
                what = "the scene or game whose ticks advance the physics, or None"
                raise checks.wrong_type(
                    "scene", f"{what}; with None, call advance(dt) yourself", scene
                )
            scene.systems.add("physics", self.advance, group=group)
            # Finish at the end of the tick, so that reading between ticks does not change the
            # state.
            scene.systems.at_end(simulation.finish)

    @property
    def gravity(self) -> tuple[float, ...]:
        """The acceleration of all dynamic bodies, in units / s². The value is (x, y), or (x, y, z)
        in 3D.

        You can set the gravity at any time.
        """
        return self._simulation.gravity

    @gravity.setter
    def gravity(self, value: ArrayLike) -> None:
        self._simulation.gravity = value

    def advance(self, dt: float) -> None:
        """Simulate ``dt`` seconds of physics in ``substeps`` steps. If the world has a ``rate``,
        the number of steps depends on ``dt``.

        The scene of the physics world calls `advance` in every tick. Call `advance` yourself only
        if the physics world has no scene.
        """
        if _never_advanced:
            _never_advanced.discard(self)
        self._simulation.advance(checks.number("dt", dt, least=0))

    def _take_forgotten(self) -> bool:
        """Return True if the bodies of this world are never simulated, because the world has no
        scene and the game has not called `advance`. Only the first call returns True.
        """
        forgotten = bool(self._simulation.sets) and self in _never_advanced
        _never_advanced.discard(self)
        return forgotten

    def remove(self, bodies: Bodies) -> None:
        """Remove all bodies in ``bodies``, an object that `add` returned.

        The rows (sprites or meshes) remain in the batch.

        Raises `ValueError` if ``bodies`` belongs to another world or has already been removed.
        """
        self._simulation.remove(bodies)

    def entered(self, layer: str, other: str) -> list[tuple[Any, Any]]:
        """Return the pairs of bodies that began to touch in this tick.

        The first body of a pair is in ``layer``, and the second body is in ``other``. A pair
        contains the handle of each body's row, such as a sprite, or a `Wall` object. If a batch has
        no handles, the pair contains a `BodyRow`. The pairs are in the order in which you added the
        bodies.

        If two bodies touch only in some physics steps of a tick, `entered` contains the pair in
        this tick, and `exited` contains the pair in the next tick. For points, normals and
        impulses, call `contacts`.
        """
        return self._simulation.pairs("entered", layer, other)

    def staying(self, layer: str, other: str) -> list[tuple[Any, Any]]:
        """Return the pairs of bodies that touched in the last tick and are still touching in this
        tick.

        See `entered`. The result also contains sleeping bodies that are touching.
        """
        return self._simulation.pairs("staying", layer, other)

    def exited(self, layer: str, other: str) -> list[tuple[Any, Any]]:
        """Return the pairs of bodies that touched in the last tick, but no longer touch in this
        tick.

        See `entered`. If a body or wall has been removed, the pair contains None instead.
        """
        return self._simulation.pairs("exited", layer, other)

    def contacts(self, layer: str, other: str) -> BodyContacts:
        """Return the contacts between the bodies of two layers in this tick.

            hits = self.physics.contacts("ball", "brick")
            for hit in hits:
                if hit.impulse > 50:
                    hit.second.remove()

        The result contains arrays such as ``hits.points`` and ``hits.impulses``: see
        `BodyContacts`. ``layer`` and ``other`` may be the same layer.

        Reading contacts takes extra time, so the world starts to read the contacts of two layers
        when you first call `contacts` for them. This first call returns only the contacts of the
        last physics step. If a tick has several physics steps and you need all impulses of the
        first tick, call `contacts` for the two layers in `setup`.
        """
        return self._simulation.contacts(layer, other)

    def filter_contacts(
        self, layer: str, other: str, function: Callable[[NewContact], bool] | None
    ) -> None:
        """Let ``function`` decide which bodies of two layers collide.

            self.physics.filter_contacts("platform", "player", self.stands)

        When two bodies begin to touch, the world calls ``function(contact)`` before it simulates
        their collision. ``contact`` is a `NewContact`, and ``contact.first`` is the body in
        ``layer``. If ``function`` returns False, the two bodies pass through each other until they
        separate. `entered` and `contacts` do not contain bodies that pass through each other. The
        world stores the result of ``function`` until the two bodies separate. Snapshots contain
        these results, so ``function`` is not called again after a restore.

        If a body has several shapes, such as the tiles of a wall, the world calls ``function`` for
        each pair of shapes. The world does not call ``function`` for sensors, because sensors do
        not collide.

        ``function`` may read and write attributes of the game, and may remove rows from batches.
        The world removes the bodies of the removed rows after the physics step. If ``function``
        calls a method that reads or changes bodies, the method raises `FrameworkError`. If
        ``function`` raises an error, the two bodies collide, and the physics step ends normally.
        After the physics step, the error is raised and stops the tick.

        Calling `filter_contacts` again for the same layers replaces the function. To remove the
        function, pass ``function=None``. If two bodies are already touching when you call
        `filter_contacts`, the world calls ``function`` in the next step. In 3D, a filter costs some
        time for each touching body in ``layer``. Therefore, pass the layer with fewer bodies as
        ``layer``.

        Raises
        ------
        ValueError
            If one of the layers does not contain any body or wall. Call `filter_contacts` only
            after `add`.
        """
        self._simulation.filter_contacts(layer, other, function)

    def touching_rows(self, bodies: Bodies, other: Bodies) -> Rows:
        """Return the pairs of rows whose bodies are touching now.

        The result is an array of row indices with the shape (m, 2). The first row of a pair is a
        row in ``bodies``, and the second row is a row in ``other``. If ``bodies`` and ``other`` are
        the same object, each pair is in the result only once.
        """
        return self._simulation.touching_rows(bodies, other)


def simulation_of(physics: PhysicsWorld) -> Simulation[Any]:
    """Return the internal `Simulation` of a `Physics2D` or `Physics3D`."""
    return physics._simulation
