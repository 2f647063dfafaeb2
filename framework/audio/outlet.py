"""Which game a sound is heard in: the one that is at work, or else the one that was made last."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from ..errors import FrameworkError

if TYPE_CHECKING:
    from ..resources import Folder
    from .sources import Clip
    from .voices import Voice


class Outlet(Protocol):
    """What plays sounds: a game's `Audio`."""

    @property
    def folders(self) -> Sequence[Folder]: ...

    def begin(self, sound: object, source: Clip, options: dict[str, Any]) -> Voice: ...


class Outlets:
    """Filled in by games, which this room does not know."""

    find: ClassVar[Callable[[], Outlet | None]] = lambda: None


def present(asked: str) -> Outlet:
    """The one that is at work. Raises `FrameworkError` where no game is open."""
    outlet = Outlets.find()
    if outlet is None:
        raise FrameworkError(
            f"{asked}: no game is open, and sounds are heard in games; play it in "
            "setup() or update()"
        )
    return outlet
