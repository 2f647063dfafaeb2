"""Solids: the interface of the objects that a `World` draws, such as batches of meshes.

A solid in a game has a backend. The backend is a second object. The backend runs the ticks of the
solid and draws it. In a game with graphics, the backend gets the `WorldAssets` of the world. In a
game without graphics, the backend only runs ticks.
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
    """The base class of solids that a game creates, such as `MeshBatch`."""

    __slots__ = ()

    _placement = Placement(in_world=True)
    _consists_of: Sequence[SolidFrontend] = ()
    """Other solids that belong to this one, such as the meshes of a `ModelBatch`."""
    _driven: ClassVar[frozenset[str]] = Frontend._driven | {"transparent", "draw_shadow", "depth"}


class SolidBackend(Backend[F]):
    """The base class of a solid's backend. The world calls its methods in ticks and frames."""

    __slots__ = ()

    @property
    def transparent(self) -> bool:
        """Whether you can see objects behind the solid through it.

        Transparent solids are drawn after all opaque solids.
        """
        return False

    @property
    def casts_shadow(self) -> bool:
        """Whether the solid casts a shadow in the light of the sun.

        If this is False, the world does not call `draw_shadow`.
        """
        return False

    def draw_shadow(self) -> None:
        """Draw the depth of the solid as seen from the sun, for shadows."""

    def depth(self) -> float:
        """Return the distance between the solid and the camera, in units.

        The world draws the farthest transparent solid first.
        """
        return 0.0


class SolidTableBackend(SolidBackend[F], TableBackend[F]):
    """The backend of a solid that stores its data in a table.

    In a game without graphics, this class itself is used.
    """

    __slots__ = ()


class DrivenSolid(Protocol):
    """The backend of a solid, or a solid that is written in the game."""

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
    """A solid that is written in the game. Defaults replace the methods that its class does not
    have.

    A solid of the game's own class is its own backend.
    """

    @property
    def parts(self) -> Sequence[OwnSolid]: ...
    def attach(self, graphics: Graphics, programs: WorldAssets) -> None: ...
    def release(self) -> None: ...


AddedSolid = SolidFrontend | OwnSolid
"""A solid in the list of a world."""


def parts_of(solid: AddedSolid) -> Sequence[AddedSolid]:
    """Return the other solids that belong to ``solid``. The other solids are drawn together with
    ``solid``.
    """
    return solid._consists_of if isinstance(solid, SolidFrontend) else solid.parts


class Driver(Protocol):
    """The backend of a world. The backend of a world owns the backends of all solids."""

    def follow(self) -> None:
        """Make backends for new solids, and release the backends of removed solids."""


class Solids:
    """The solids of a world, in the order in which the game added them.

    If the game adds or removes a solid, the backend of the world is updated.
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
        """Called after a snapshot was restored. The snapshot may contain other solids, so their
        backends are updated.
        """
        self.follow()
