"""Frame statistics and all state values of a game, for finding bugs: `game.debug`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .. import checks
from ..checks import flag
from ..moved_names import HasMoved, moved
from ..other_engines.game_names import diagnostics_names
from ..other_engines.other_names import Hinted
from ..watch.frame_stats import FrameStats
from .loop import Loop
from .painter import Painter
from .part_properties import reading
from .reserved_names import kept
from .stage import Stage

if TYPE_CHECKING:
    from ..record.hashes import Listing


@kept
@moved("debug", {"monitor": "frame_stats"})
@diagnostics_names
class Diagnostics(Hinted, HasMoved, checks.Sealed):
    """Frame statistics and state values, for finding bugs in a game. The attribute `Game.debug` is
    an object of this class.

    To draw shapes and write log lines, use the module `fw.debug`.
    """

    __slots__ = ("_listing", "_loop", "_painter", "_stage")
    not_state = True

    def __init__(
        self, stage: Stage, loop: Loop, painter: Painter, listing: Callable[[], Listing]
    ) -> None:
        self._stage = stage
        self._loop = loop
        self._painter = painter
        self._listing = listing

    frames: int = reading("_loop.frames", "The number of frames drawn so far.")
    frame_stats: FrameStats = reading(
        "_stage.frame_stats",
        "The times of the last frames, in real time. These times are real even off screen, where "
        "frames follow a virtual clock.",
    )

    @property
    def overlay(self) -> bool:
        """Whether the overlay with frame statistics is visible. The F3 key also shows and hides the
        overlay.

        In a game with ``drawing=False``, setting `overlay` to True raises `FrameworkError`.
        """
        return self._painter.panels.overlay is not None

    @overlay.setter
    def overlay(self, value: bool) -> None:
        if flag("overlay", value):
            self._stage.live.needed("overlay")
        with self._stage.live.working():
            self._painter.panels.show_overlay(value, self._loop.timestep)

    def state_hashes(self) -> dict[str, int]:
        """Return the hash of each value in the game's state, as a dict. The keys of the dict are
        paths such as "game.ships[2].speed".

        Compare the dicts of two states to find out which values are different. `Game.state_hash`
        combines all values into one hash.
        """
        from ..record.hashes import hashes  # imported here because most games never compute a hash

        result: dict[str, int] = hashes(self._listing())
        return result

    def state_values(self) -> Listing:
        """Return each value in the game's state, as a dict. The keys of the dict are paths such as
        "game.ships[2].speed". Arrays in the dict are copies. To compare the dicts of two states,
        use `first_difference`.
        """
        return self._listing()
