"""The interface of the objects in a 3D `World` (solids), such as batches of meshes.

When a game adds a solid, the framework creates a second object for it, the backend. The backend
advances the solid in each tick, and draws it in each frame. With graphics, the backend receives the
`WorldAssets` of the world. Without graphics, the backend only runs ticks.
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
    """The base class of solids that a game can create, such as `MeshBatch`."""

    __slots__ = ()

    _placement = Placement(in_world=True)
    _consists_of: Sequence[SolidFrontend] = ()
    """Other solids that belong to this solid, such as the meshes of a `ModelBatch`."""
    _driven: ClassVar[frozenset[str]] = Frontend._driven | {"transparent", "draw_shadow", "depth"}


class SolidBackend(Backend[F]):
    """The base class of the backends of solids: the objects that draw them. The world calls the
    methods of a backend in each tick and in each frame.
    """

    __slots__ = ()

    @property
    def transparent(self) -> bool:
        """Whether the solid is transparent, like glass or water.

        The world draws transparent solids after all opaque solids.
        """
        return False

    @property
    def casts_shadow(self) -> bool:
        """Whether the solid casts a shadow in sunlight.

        If `casts_shadow` is False, the world does not call `draw_shadow`.
        """
        return False

    def draw_shadow(self) -> None:
        """Draw the depth of the solid from the direction of the sun, for shadows."""

    def depth(self) -> float:
        """Return the distance between the solid and the camera, in units.

        The world draws the farthest transparent solid first.
        """
        return 0.0


class SolidTableBackend(SolidBackend[F], TableBackend[F]):
    """The base class of backends for solids that have a table of rows.

    In games without graphics, `SolidTableBackend` itself is the backend of a solid with a table.
    """

    __slots__ = ()


class DrivenSolid(Protocol):
    """An object whose methods the world calls in each tick and frame: a backend, or a solid whose
    class the game defines.
    """

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
    """A solid whose class the game defines. The framework adds a default for each optional method
    that the class does not have.

    Such a solid needs no backend, because the world calls the methods of the solid itself.
    """

    @property
    def parts(self) -> Sequence[OwnSolid]: ...
    def attach(self, graphics: Graphics, programs: WorldAssets) -> None: ...
    def release(self) -> None: ...


AddedSolid = SolidFrontend | OwnSolid
"""A solid that has been added to a world: a class of the framework, or of the game."""


def parts_of(solid: AddedSolid) -> Sequence[AddedSolid]:
    """Return the solids that belong to ``solid``, such as the meshes of a model. The world draws
    the returned solids together with ``solid``.
    """
    return solid._consists_of if isinstance(solid, SolidFrontend) else solid.parts


class Driver(Protocol):
    """The backend of a world, which creates and releases the backends of all solids in the world."""

    def follow(self) -> None:
        """Create backends for new solids, and release the backends of removed solids."""


class Solids:
    """The solids of a world, in the order in which the game added them.

    Call `follow` after a solid has been added or removed.
    """

    __slots__ = ("all", "driver")

    not_state = ("driver",)

    def __init__(self) -> None:
        self.all: list[AddedSolid] = []
        self.driver: Driver | None = None

    def follow(self) -> None:
        """If the world is in a game, create backends for added solids and release the backends of
        removed solids.
        """
        if self.driver is not None:
            self.driver.follow()

    def after_restore(self) -> None:
        """Called after a snapshot has been restored. Update the backends, because the snapshot may
        contain other solids than before.
        """
        self.follow()
