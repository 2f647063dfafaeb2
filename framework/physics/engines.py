"""Physics engines: the methods that pymunk and Rapier both provide here, and loading their packages."""

from __future__ import annotations

import functools
import importlib
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

from numpy.typing import NDArray

from ..arrays import Doubles, Rows
from ..errors import FrameworkError
from ..state.columns import Table, Tabular
from .body_materials import Material

BodyT = TypeVar("BodyT")
"""The body object of pymunk, or the body handle of Rapier."""


class Engine(Protocol[BodyT]):
    """A physics library, as a `Simulation` drives it.

    ``body``, ``wall`` and ``joint`` are the library's own objects or handles. The states of bodies
    stand in one array, in the order of the last `map_order`.
    """

    dimensions: ClassVar[int]
    pose: ClassVar[str]
    """The column for the orientation of a body: "angle" or "rotation"."""
    noun: ClassVar[str]
    """The batches whose rows may have bodies, for error messages."""
    sizes: ClassVar[tuple[slice | int, ...]]
    """Columns of position, orientation, velocity and spin in `read_states`."""

    # bodies

    def make(
        self, batch: Tabular[Table], shape: Any, material: Material, rows: Rows
    ) -> list[BodyT]:
        """Make a body for each row. Raises an error that names the first row for which no body can
        be made; then no body was made.
        """

    def drop(self, body: BodyT) -> None:
        """Remove a body. Its joints were removed before."""

    def give(
        self, bodies: list[BodyT], kind: str, name: str, values: NDArray[Any], seconds: float
    ) -> None:
        """Set position, orientation, velocity or spin (``name``) of bodies to ``values``.

        With ``seconds`` above 0, kinematic bodies move to a pose within that time instead.
        """

    def push(self, bodies: list[BodyT], impulses: Doubles, points: Doubles | None) -> None:
        """Apply an impulse to each body, at a point of the world or at its center of mass."""

    def push_forces(self, name: str, bodies: list[BodyT], values: Doubles) -> None:
        """Apply a "force" or a "torque" to each body during the next step."""

    def asleep(self, body: BodyT) -> bool:
        """Return whether a body is at rest and is not simulated."""

    def wake(self, body: BodyT) -> None:
        """Simulate a body again that was asleep."""

    def native(self, body: BodyT) -> Any:
        """Return the library's body object."""

    # walls and joints

    def new_wall(self, shape: Any, material: Material) -> BodyT:
        """Make a wall of a shape that another method of the engine returned."""

    def drop_wall(self, wall: BodyT) -> None:
        """Remove a wall. Bodies that lay on it wake up."""

    def world_body(self) -> BodyT:
        """Return the static body that stands for the world in joints."""

    def drop_joint(self, joint: Any) -> None:
        """Remove a joint, if the library still has it."""

    # steps

    def set_gravity(self, gravity: tuple[float, ...]) -> None:
        """Set the acceleration of all dynamic bodies, units / s²."""

    def step_once(self, seconds: float) -> None:
        """Simulate one step."""

    def rest(self) -> None:
        """Stop the kinematic bodies that the last steps moved to a pose."""

    def map_order(self, bodies: list[BodyT], walls: list[BodyT]) -> None:
        """Set the order of bodies and walls. Called when some were added or removed."""

    def mark_moved(self, bodies: list[BodyT]) -> None:
        """Make `read_states` read these bodies again, whether they moved or not."""

    def read_states(self, moving: bool, looking: bool) -> Doubles:
        """Return a row for each body; velocities and spins only if ``moving`` or ``looking``.

        With ``looking`` alone, what the engine keeps as state has no velocities. The array is valid
        until the next call.
        """

    def touching(self) -> Rows:
        """Return the pairs that touch (m, 2): indices of bodies and, after the last body, of
        walls.
        """

    def both_still(self, first: BodyT, second: BodyT) -> bool:
        """Return whether two bodies still touch although the library no longer lists the pair,
        since one sleeps.
        """


@functools.cache
def load_package(package: str, asked: str, extra: str) -> ModuleType:
    """Import and return the package of an extra.

    Raises `FrameworkError` if it is not installed: the message names ``asked``, the class that
    needs it, and the command that installs it.
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
        mend = f"pip install 'subtick[{extra}]'"
        raise FrameworkError(f"{asked} needs {package}, which is not installed: {mend}") from None


class _Package:
    """A package of an extra, which is imported when one of its attributes is first read."""

    def __init__(self, package: str, asked: str, extra: str) -> None:
        self._arguments = package, asked, extra

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        value: object = getattr(load_package(*self._arguments), name)
        setattr(self, name, value)  # the next read finds it without this function
        return value


if TYPE_CHECKING:
    import pymunk as pymunk
    import pymunk.batch
    import rapier3d as rapier3d
else:
    pymunk = _Package("pymunk", "Physics2D", "physics")
    rapier3d = _Package("rapier3d", "Physics3D", "physics3d")
