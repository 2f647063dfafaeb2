"""Physics engines: the interface to pymunk and Rapier, and the import of both packages."""

from __future__ import annotations

import functools
import importlib
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

from numpy.typing import NDArray

from ..arrays import Doubles, Rows
from ..errors import FrameworkError
from ..state.columns import Table, Tabular
from .body_materials import BodyMaterial

BodyT = TypeVar("BodyT")
"""The body object of pymunk, or the body handle of Rapier."""


class PhysicsEngine(Protocol[BodyT]):
    """The interface to a physics library, which `Simulation` calls.

    ``body``, ``wall`` and ``joint`` are the library's own objects or handles. One array has the
    states of all bodies, in the order of the last `map_order`.
    """

    dimensions: ClassVar[int]
    pose: ClassVar[str]
    """The name of the column with the orientation of a body: "angle" or "rotation"."""
    noun: ClassVar[str]
    """A description of the accepted batches, for error messages."""
    sizes: ClassVar[tuple[slice | int, ...]]
    """The columns of the array of `read_states`: position, orientation, velocity, angular velocity.
    """

    # bodies

    def make(
        self, batch: Tabular[Table], shape: Any, material: BodyMaterial, rows: Rows
    ) -> list[BodyT]:
        """Make a body for each row of ``rows``.

        If a row has no valid shape, no body is made, and the error names the row.
        """

    def remove_body(self, body: BodyT) -> None:
        """Remove a body. The caller has removed the joints of the body."""

    def set_attribute(
        self, bodies: list[BodyT], kind: str, name: str, values: NDArray[Any], seconds: float
    ) -> None:
        """Set the attribute ``name`` of bodies: a position, orientation, velocity or angular
        velocity.

        With ``seconds`` above 0, kinematic bodies move to a position or orientation within that
        time.
        """

    def push(self, bodies: list[BodyT], impulses: Doubles, points: Doubles | None) -> None:
        """Apply an impulse to each body, at a point in the world. Default: at the center of mass."""

    def push_forces(self, name: str, bodies: list[BodyT], values: Doubles) -> None:
        """Apply a "force" or a "torque" to each body during the next step."""

    def asleep(self, body: BodyT) -> bool:
        """Return whether a body is at rest and not simulated."""

    def wake(self, body: BodyT) -> None:
        """Wake a body, so that it is simulated again."""

    def native(self, body: BodyT) -> Any:
        """Return the body object of the physics library, for the game."""

    # walls and joints

    def new_wall(self, shape: Any, material: BodyMaterial) -> BodyT:
        """Make a wall from a shape that another method of the engine returned."""

    def remove_wall(self, wall: BodyT) -> None:
        """Remove a wall, and wake the bodies that lie on it."""

    def world_body(self) -> BodyT:
        """Return the static body that represents the world in joints."""

    def remove_joint(self, joint: Any) -> None:
        """Remove a joint. Does nothing if the library removed the joint already."""

    # steps

    def set_gravity(self, gravity: tuple[float, ...]) -> None:
        """Set the acceleration of all dynamic bodies, in units / s²."""

    def step_once(self, seconds: float) -> None:
        """Simulate one step of ``seconds``."""

    def stop_carried(self) -> None:
        """Stop the kinematic bodies that `set_attribute` moved during the last steps."""

    def map_order(self, bodies: list[BodyT], walls: list[BodyT]) -> None:
        """Set the order of bodies and walls in `read_states` and `touching`.

        Called after bodies or walls were added or removed.
        """

    def mark_moved(self, bodies: list[BodyT]) -> None:
        """Let the next `read_states` read ``bodies``, even if the engine did not move them."""

    def read_states(self, has_velocities: bool, has_transient_velocities: bool) -> Doubles:
        """Return the states of all bodies, a row per body. The array is valid until the next call.

        Velocities are read if one of the arguments is True. With ``has_transient_velocities``
        alone, the engine does not store the velocities in its own state.
        """

    def touching(self) -> Rows:
        """Return the pairs of bodies and walls that touch: indices (m, 2).

        The index of a wall is the number of bodies plus the index of the wall.
        """

    def both_still(self, first: BodyT, second: BodyT) -> bool:
        """Return whether two bodies still touch although the library no longer lists them.

        pymunk does not list the contacts of sleeping bodies.
        """


@functools.cache
def load_package(package: str, user: str, extra: str) -> ModuleType:
    """Import an optional package and return it.

    Raises `FrameworkError` if the package is not installed. The message names ``user``, the class
    that needs the package, and the command that installs it.
    """
    try:
        return importlib.import_module(package)
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.partition(".")[0] not in (
            package,
            "cffi",
            "_cffi_backend",
        ):
            raise
        command = f"pip install 'subtick[{extra}]'"
        raise FrameworkError(f"{user} needs {package}, which is not installed: {command}") from None


class _Package:
    """An optional package, which is imported when one of its attributes is first read."""

    def __init__(self, package: str, user: str, extra: str) -> None:
        self._arguments = package, user, extra

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        value: object = getattr(load_package(*self._arguments), name)
        setattr(self, name, value)  # later reads do not call this method
        return value


if TYPE_CHECKING:
    import pymunk as pymunk
    import pymunk.batch
    import rapier3d as rapier3d
else:
    pymunk = _Package("pymunk", "Physics2D", "physics")
    rapier3d = _Package("rapier3d", "Physics3D", "physics3d")
