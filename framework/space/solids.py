"""Solids: drawables in a `World`, and the backend of each.

A solid in a game has a second object, its backend, which runs its ticks and draws it. In a game
with graphics, backends receive the `WorldAssets` of the world. Without graphics, backends only run
ticks.
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
    """The object that a game holds for a solid, such as a `MeshBatch`."""

    __slots__ = ()

    _placement = Placement(in_world=True)
    _consists_of: Sequence[SolidFrontend] = ()
    """Further solids that belong to this one, such as the meshes of a `ModelBatch`."""
    _driven: ClassVar[frozenset[str]] = Frontend._driven | {"transparent", "draw_shadow", "depth"}


class SolidBackend(Backend[F]):
    """The object that the ticks and frames of a world call for a solid."""

    __slots__ = ()

    @property
    def transparent(self) -> bool:
        """Whether objects behind the solid are visible through it. The solid is then drawn last."""
        return False

    @property
    def casts_shadow(self) -> bool:
        """Whether the solid casts a shadow of the sun. `draw_shadow` is then called."""
        return False

    def draw_shadow(self) -> None:
        """Draw the solid's depth as the sun sees it."""

    def depth(self) -> float:
        """Return the solid's distance from the camera in units.

        Transparent solids are drawn in the order of this distance, the farthest first.
        """
        return 0.0


class SolidTableBackend(SolidBackend[F], TableBackend[F]):
    """The backend of a solid with rows. In a game without graphics this class is enough."""

    __slots__ = ()


class DrivenSolid(Protocol):
    """The backend of a solid, or a solid of the game's own class."""

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
    """A solid of the game's own class, with defaults for the methods that the class leaves out.

    The solid is its own backend.
    """

    @property
    def parts(self) -> Sequence[OwnSolid]: ...
    def attach(self, graphics: Graphics, programs: WorldAssets) -> None: ...
    def release(self) -> None: ...


AddedSolid = SolidFrontend | OwnSolid
"""A solid in the list of a world."""


def parts_of(solid: AddedSolid) -> Sequence[AddedSolid]:
    """Return the further solids that belong to a solid and are drawn with it."""
    return solid._consists_of if isinstance(solid, SolidFrontend) else solid.parts


class Driver(Protocol):
    """The backend of a world, which owns the backends of its solids."""

    def follow(self) -> None:
        """Make backends for new solids, and release those of removed solids."""


class Solids:
    """The solids of a world, in the order in which they were added.

    A change of the list updates the world's backends.
    """

    __slots__ = ("all", "driver")

    not_state = ("driver",)

    def __init__(self) -> None:
        self.all: list[AddedSolid] = []
        self.driver: Driver | None = None

    def follow(self) -> None:
        """Update the world's backends, if the world is in a game."""
        if self.driver is not None:
            self.driver.follow()

    def after_restore(self) -> None:
        """Update the world's backends to the solids of a restored snapshot."""
        self.follow()
