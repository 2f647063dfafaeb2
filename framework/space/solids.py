"""Solids: drawables in a `World`, and the backend that the world calls for them.

A solid in a game has a second object, its backend, which runs its ticks and draws it. In a game with
graphics, the backend receive the `WorldAssets` of the world. Without graphics, they only run ticks.
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
    """The part of a solid that a game holds."""

    __slots__ = ()

    _placement = Placement(in_world=True)
    _consists_of: Sequence[SolidFrontend] = ()
    """The solids that are drawn with it."""
    _driven: ClassVar[frozenset[str]] = Frontend._driven | {"transparent", "draw_shadow", "depth"}


class SolidBackend(Backend[F]):
    """The object that the ticks and frames of a world call for a solid."""

    __slots__ = ()

    @property
    def transparent(self) -> bool:
        """Whether objects behind it are visible through it. It is then drawn last."""
        return False

    @property
    def casts_shadow(self) -> bool:
        """Whether it casts a shadow of the sun. `draw_shadow` is then called."""
        return False

    def draw_shadow(self) -> None:
        """Draw its depth from the direction of the sun."""

    def depth(self) -> float:
        """Return its distance from the camera in units.

        Transparent solids are drawn in the order of this distance, the farthest first.
        """
        return 0.0


class SolidTableBackend(SolidBackend[F], TableBackend[F]):
    """The backend of a solid with rows. A game without graphics needs no others."""

    __slots__ = ()


class DrivenSolid(Protocol):
    """The backend of a solid: `SolidBackend`, or a solid of a game's own."""

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
    """A solid of a game's own, completed with default methods. It is its own backend."""

    @property
    def parts(self) -> Sequence[OwnSolid]: ...
    def attach(self, graphics: Graphics, programs: WorldAssets) -> None: ...
    def release(self) -> None: ...


AddedSolid = SolidFrontend | OwnSolid
"""A solid in a world's list."""


def parts_of(solid: AddedSolid) -> Sequence[AddedSolid]:
    """Return the solids that are drawn with a solid."""
    return solid._consists_of if isinstance(solid, SolidFrontend) else solid.parts


class Driver(Protocol):
    """The backend of a world, which own the backend of each of its solids."""

    def follow(self) -> None:
        """Make the backend of new solids, and release those of removed solids."""


class Solids:
    """The solids of a world, in the order in which they were added. The world's backends follow
    them.
    """

    __slots__ = ("all", "driver")

    not_state = ("driver",)

    def __init__(self) -> None:
        self.all: list[AddedSolid] = []
        self.driver: Driver | None = None

    def follow(self) -> None:
        """Update the world's backends, while the world is in a game."""
        if self.driver is not None:
            self.driver.follow()

    def after_restore(self) -> None:
        """Update the backend to the solids of a restored snapshot."""
        self.follow()
