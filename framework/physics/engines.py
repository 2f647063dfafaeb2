"""The common interface to the physics libraries pymunk and Rapier, and their imports."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Collection, Hashable
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

from numpy.typing import NDArray

from ..arrays import Doubles, Mask, Rows
from ..current_game import current_game
from ..errors import FrameworkError
from ..optional_packages import check_version, version_of
from ..state.columns import Table, Tabular
from .body_materials import BodyMaterial
from .contacts import Decide, Reading

ENGINES = {
    "pymunk": ("Physics2D(engine='pymunk')", "pymunk"),
    "rapier3d": ("Physics2D and Physics3D", "physics"),
}
"""The supported physics packages. For each package name, the dict contains the class that uses the
package, and the extra of subtick that installs it, such as "physics".
"""

BodyT = TypeVar("BodyT")
"""The body object of pymunk, or the body handle of Rapier."""


class PhysicsEngine(Protocol[BodyT]):
    """The interface to a physics library, pymunk or Rapier, which `Simulation` calls.

    The arguments ``body``, ``wall`` and ``joint`` are objects or handles of the physics library.
    The engine stores the states of all bodies in one array. `map_order` sets the order of the
    bodies in this array.
    """

    dimensions: ClassVar[int]
    pose: ClassVar[str]
    """The name of the orientation column: "angle" or "rotation"."""
    noun: ClassVar[str]
    """A description of the batches that the engine accepts, for error messages."""
    sizes: ClassVar[tuple[slice | int, ...]]
    """The columns of the array from `read_states`, as four slices: position, orientation, velocity
    and angular velocity.
    """

    # bodies

    def make(
        self, batch: Tabular[Table], shape: Any, material: BodyMaterial, rows: Rows
    ) -> list[BodyT]:
        """Create a body for each row in ``rows``.

        If no valid shape can be created for a row, the engine creates no bodies. The error message
        contains the index of the row.
        """

    def remove_body(self, body: BodyT) -> None:
        """Remove a body from the physics library.

        The caller must remove the joints of the body first.
        """

    def set_attribute(
        self, bodies: list[BodyT], kind: str, name: str, values: NDArray[Any], seconds: float
    ) -> None:
        """Set the attribute ``name`` of ``bodies``: a position, orientation, velocity or angular
        velocity.

        If ``seconds`` is above 0, kinematic bodies reach the new position or orientation after this
        time.
        """

    def set_trait(self, bodies: list[BodyT], name: str, values: NDArray[Any]) -> None:
        """Set a trait of ``bodies``, such as "damping".

        Raises `ValueError` if the physics library does not support the trait ``name``.
        """

    def push(self, bodies: list[BodyT], impulses: Doubles, points: Doubles | None) -> None:
        """Apply an impulse to each body in ``bodies``, at a point in the world.

        If ``points`` is None, the impulses act at the centers of mass.
        """

    def push_forces(self, name: str, bodies: list[BodyT], values: Doubles) -> None:
        """Apply a force or a torque to each body during the next physics step."""

    def asleep(self, body: BodyT) -> bool:
        """Return whether ``body`` is sleeping. The engine does not simulate sleeping bodies."""

    def wake(self, body: BodyT) -> None:
        """Wake a sleeping body, so that the engine simulates it again."""

    def keys_of(self, bodies: list[BodyT]) -> list[Hashable]:
        """Return the key of each body. A key is a number or an object that identifies the body in
        queries.
        """

    def native(self, body: BodyT) -> Any:
        """Return the physics library's own object for a body. Games can call the methods of this
        object.
        """

    # Methods for walls and joints.

    def new_wall(self, shape: Any, material: BodyMaterial) -> BodyT:
        """Create a wall with the given shape. ``shape`` must be created by a method of this engine,
        such as `PlaneEngine.tile_shape`.
        """

    def remove_wall(self, wall: BodyT) -> None:
        """Remove a wall, and wake the bodies that are resting on the wall."""

    def world_body(self) -> BodyT:
        """Return the static body that represents the world in joints."""

    def remove_joint(self, joint: Any) -> None:
        """Remove a joint from the physics library.

        `remove_joint` does nothing if the library has already removed the joint.
        """

    # steps

    def set_gravity(self, gravity: tuple[float, ...]) -> None:
        """Set the acceleration of all dynamic bodies, in units / s²."""

    def step_once(self, seconds: float) -> None:
        """Simulate one physics step with a duration of ``seconds``."""

    def stop_carried(self) -> None:
        """Stop the kinematic bodies that `set_attribute` has moved, by setting their velocities to
        0.
        """

    def map_order(self, bodies: list[BodyT], walls: list[BodyT]) -> None:
        """Set the order of bodies and walls in the results of `read_states` and `touching`.

        `Simulation` calls this method after bodies or walls have been added or removed.
        """

    def mark_teleported(self, bodies: list[BodyT]) -> None:
        """Called before the physics steps of a tick, with the kinematic bodies that the game has
        teleported since the last tick.
        """

    def mark_moved(self, bodies: list[BodyT]) -> None:
        """Make sure that the next `read_states` reads ``bodies``, even if the engine did not move
        these bodies.
        """

    def read_states(self, has_velocities: bool, has_transient_velocities: bool) -> Doubles:
        """Return the states of all bodies, as an array with one row per body.

        The array is valid until `read_states` is called again.

        `read_states` also reads the velocities if one of the two arguments is True. If only
        ``has_transient_velocities`` is True, the engine does not store the velocities, so its state
        does not change.
        """

    def touching(self) -> Rows:
        """Return the pairs of bodies and walls that are touching. The result is an array of indices
        with the shape (m, 2).

        A wall has the index ``n + i``, where n is the number of bodies, and i is the index in the
        list of walls.
        """

    def note_touching(self) -> None:
        """Store the pairs of bodies and walls that are touching after a step, for the next call of
        `touched`.
        """

    def touched(self) -> Rows:
        """Return the pairs that were in contact at the end of any step since `touched` was last
        called.

        The result is an array of indices as in `touching`, with the shape (m, 2). The returned
        array may contain the same pair twice.
        """

    def asleep_pairs(self, pairs: Rows) -> Mask:
        """For each pair, return whether both bodies were sleeping in the last step. The engine does
        not simulate sleeping bodies.

        ``pairs`` is an array of indices as in `touching`, with the shape (m, 2). Sleeping bodies
        still count as touching, although pymunk does not report their contact.
        """

    def all_asleep(self) -> bool:
        """Return whether all bodies were sleeping in the last step. With pymunk, `all_asleep`
        always returns False.
        """

    def read_contacts(self, pairs: Rows, asleep: bool) -> Reading:
        """Return the contacts of ``pairs`` in the last step.

        ``pairs`` is an array of indices as in `touching`, with the shape (m, 2). ``pairs`` must not
        contain any pair twice. If ``asleep`` is False, the engine may omit pairs of sleeping
        bodies.
        """

    def filter_contacts(
        self, layers: list[tuple[int, int]], decide: Decide, bodies: list[BodyT]
    ) -> None:
        """Set ``decide``, the function that decides whether two shapes collide. The engine calls
        ``decide`` when two shapes begin to touch, before the two shapes push each other apart.

        If ``decide`` returns False, the two shapes pass through each other until they separate.
        ``layers`` is a list of pairs of layers. The engine calls ``decide`` only if ``layers``
        contains the layers of the two bodies as a pair. ``bodies`` contains the bodies and walls in
        the first layer of the most recently added pair.
        """

    def take_error(self) -> BaseException | None:
        """Return the error that ``decide`` raised in the last step, or None if there is no new
        error. Each error is returned only once.
        """

    def velocity_at(self, body: BodyT, point: Doubles) -> Doubles:
        """Return the velocity of a body or wall at a point in the world."""


@functools.cache
def load_package(package: str, user: str, extra: str) -> ModuleType:
    """Import and return an optional package, such as pymunk.

    Raises `FrameworkError` if the package is not installed, or too old. The error message contains
    ``user``, the class that needs the package, and the command that installs the package.
    """
    try:
        module = importlib.import_module(package)
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.partition(".")[0] not in (
            package,
            "cffi",
            "_cffi_backend",
        ):
            raise
        command = f"pip install 'subtick[{extra}]'"
        raise FrameworkError(f"{user} needs {package}, which is not installed: {command}") from None
    check_version(package.partition(".")[0], user)
    return module


def use_engine(package: str, user: str) -> None:
    """Import the package of a physics engine, such as pymunk, and record in the current game that
    the game uses this engine.

    Raises `FrameworkError` if the package is not installed, or too old. The error message contains
    ``user``, the class that needs the package.
    """
    load_package(package, user, ENGINES[package][1])
    game = current_game()
    if game is not None:
        game.engines.add(package)


def engine_versions(packages: Collection[str] = ("pymunk", "rapier3d")) -> dict[str, str]:
    """Return a dict from package names to versions, for the installed packages in ``packages``.

    The versions matter because bodies may move differently in another version of the engine.
    """
    versions = {package: version_of(package) for package in sorted(packages)}
    return {package: version for package, version in versions.items() if version is not None}


class _Package:
    """An optional package that is not imported until one of its attributes is read."""

    def __init__(self, package: str, user: str, extra: str) -> None:
        self._arguments = package, user, extra

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        value: object = getattr(load_package(*self._arguments), name)
        setattr(self, name, value)  # the stored value replaces this method for later reads
        return value


if TYPE_CHECKING:
    import pymunk as pymunk
    import pymunk.batch
    import rapier3d as rapier3d
else:
    pymunk = _Package("pymunk", *ENGINES["pymunk"])
    rapier3d = _Package("rapier3d", *ENGINES["rapier3d"])
