"""Solids: the interface of the 3D objects that a `World` draws, such as batches of meshes.

A solid in a game has a backend. The backend is a second object, which runs the solid's ticks and
draws the solid. In a game with graphics, the backend of a solid receives the `WorldAssets` of the
world. In a game without graphics, backends only run ticks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Protocol, TypeVar

from ..state.backend import Backend, Frontend, Placement, TableBackend

if TYPE_CHECKING:
    from ..gpu.graphics import Graphics
    from .surfaces import WorldAssets

F = TypeVar("F", bound=Frontend)


class SolidFrontend(Frontend):
    """The object that a game uses for a solid, such as a `MeshBatch`."""

    __slots__ = ()

    _placement = Placement(in_world=True)
    _consists_of: Sequence[SolidFrontend] = ()
    """Further solids that belong to this solid, such as the meshes of a `ModelBatch`."""
    _driven: ClassVar[frozenset[str]] = Frontend._driven | {"transparent", "draw_shadow", "depth"}


class SolidBackend(Backend[F]):
    """The object whose methods a world calls in ticks and frames for one solid."""

    __slots__ = ()

    @property
    def transparent(self) -> bool:
        """Whether objects behind the solid are visible through the solid.

        Transparent solids are drawn after all opaque solids.
        """
        return False

    @property
    def casts_shadow(self) -> bool:
        """Whether the solid casts a shadow of the sun.

        The world calls `draw_shadow` only if `casts_shadow` is True.
        """
        return False

    def draw_shadow(self) -> None:
        """Draw only the depth of the solid as seen from the sun, for shadows."""

    def depth(self) -> float:
        """Return the distance between the solid and the camera, in units.

        Transparent solids are sorted by their depth, and the farthest is drawn first.
        """
        return 0.0


class SolidTableBackend(SolidBackend[F], TableBackend[F]):
    """The backend of a solid whose data is a table of rows.

    In a game without graphics, this class is used without a subclass.
    """

    __slots__ = ()


class DrivenSolid(Protocol):
    """The backend of a solid, or a solid of a class that the game defines."""

    @property
    def transparent(self) -> bool: ...
    @property
    def reads_depth(self) -> bool: ...
    @property
    def casts_shadow(self) -> bool: ...
    def begin_tick(self, dt: float) -> None: ...
    def end_tick(self) -> None: ...
    def notice_writes(self) -> None: ...
    def draw(self) -> None: ...
    def draw_shadow(self) -> None: ...
    def depth(self) -> float: ...


class OwnSolid(DrivenSolid, Protocol):
    """A solid of a class that the game defines. Methods that the class does not have are replaced
    by defaults.

    An object of the game's own class has both roles: it is the solid and its own backend.
    """

    @property
    def parts(self) -> Sequence[OwnSolid]: ...
    def attach(self, graphics: Graphics, programs: WorldAssets) -> None: ...
    def release(self) -> None: ...


AddedSolid = SolidFrontend | OwnSolid
"""A solid in the list of a world."""


def parts_of(solid: AddedSolid) -> Sequence[AddedSolid]:
    """Return the other solids of which ``solid`` consists. These solids are drawn together with
    ``solid``.
    """
    return solid._consists_of if isinstance(solid, SolidFrontend) else solid.parts


class Driver(Protocol):
    """The backend of a world, which owns the backends of the world's solids."""

    def follow(self) -> None:
        """Make backends for new solids, and release the backends of removed solids."""


class Solids:
    """The solids of a world, in the order in which the game added them.

    When the game adds or removes a solid, the world's backend is updated.
    """

    __slots__ = ("all", "driver")

    not_state = ("driver",)

    def __init__(self) -> None:
        self.all: list[AddedSolid] = []
        self.driver: Driver | None = None

    def follow(self) -> None:
        """Update the backends of the solids, if the world is in a game."""
        if self.driver is not None:
            self.driver.follow()

    def after_restore(self) -> None:
        """After a snapshot was restored, make and release backends, because the snapshot may have
        other solids than the world had.
        """
        self.follow()
