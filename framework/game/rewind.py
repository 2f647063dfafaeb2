"""Going back: any of a game's last ticks, by program or on a strip of ticks that F4 shows."""

from __future__ import annotations

__all__ = ["Rewind"]

from collections.abc import Callable, Iterable
from typing import NamedTuple

from .. import checks
from ..errors import FrameworkError
from ..input.buttons import coming_down
from ..input.tick_input import Inbox, by_player
from ..record.history import Keyframe
from ..timing.timestep import Tick, control_of
from .events import Events
from .loop import Loop
from .painter import Painter
from .reel import Reel
from .running import RunningGame
from .scrubber import Scrubber
from .stage import Stage

_LONGEST = 3600.0  # seconds
_LEAST = 1 << 16  # bytes


class Parts(NamedTuple):
    """What of a game winding back deals with."""

    game: RunningGame
    stage: Stage
    loop: Loop
    events: Events
    painter: Painter
    run: Callable[[Iterable[Tick]], None]


class _Past(NamedTuple):
    """What is to be as it was when the game goes on from where it stood."""

    present: Keyframe
    inbox: Inbox
    down: tuple[set[int], set[int]]


class _Standing:
    """Where ticks come from while a game stands: from nowhere, whatever time passes."""

    def __init__(self, loop: Loop, reel: Reel) -> None:
        self._control = control_of(loop.timestep)
        self._reel = reel
        self.scrubber: Scrubber | None = None

    def ticks(self, now: int) -> tuple[Tick, ...]:
        """None."""
        if self._control is not None:
            self._control.pass_by(now)
        if self.scrubber is not None:
            self.scrubber.frame(now)
        self._reel.drawn = True
        return ()


class Rewind:
    """The last ``seconds`` of a game, in at most ``memory`` bytes: ``game.recording.rewind = fw.Rewind()``.

    What it keeps is a snapshot every so many ticks, and each tick's input; the ticks in between are
    run again. How many they are follows from what a tick and a snapshot cost, so that a seek takes
    no longer than a frame where the memory allows it. Each game has one of its own.
    """

    not_state = True

    def __init__(self, seconds: float = 10, memory: int = 64 << 20) -> None:
        self.seconds = checks.number("seconds", seconds, above=0, most=_LONGEST)
        """Simulated seconds that it goes back, at least."""
        self.memory = checks.whole("memory", memory, _LEAST)
        """Bytes that it may take."""
        self._parts: Parts | None = None
        self._reel: Reel | None = None
        self._past: _Past | None = None
        self._standing: _Standing | None = None

    def __repr__(self) -> str:
        return (
            f"<Rewind of ticks {self.ticks.start} to {self.ticks.stop - 1}>"
            if self.ticks
            else "<Rewind>"
        )

    # -- what there is -----------------------------------------------------------------------------

    @property
    def ticks(self) -> range:
        """The numbers of the ticks that can be had, the last one the present; empty before the
        first tick.
        """
        return range(0) if self._reel is None else self._reel.history.ticks

    @property
    def bytes(self) -> int:
        """The memory that it takes: arrays, tables and containers that were copied, and inputs."""
        return 0 if self._reel is None else self._reel.history.bytes

    @property
    def standing(self) -> bool:
        """Whether the game stands at one of the ticks: time does not pass until `resume` or
        `cancel`.
        """
        return self._past is not None

    # -- going there -------------------------------------------------------------------------------

    def seek(self, tick: int) -> None:
        """Have the game stand as it was after a tick, and draw that until `resume` or `cancel`.

        Raises `ValueError` for a tick that is not among `ticks`, and `FrameworkError` within a tick
        or `draw`, and while a recording is played.
        """
        parts, reel = self._attached("seek")
        parts.stage.check_between_ticks("rewind.seek")
        if parts.stage.latching:
            raise FrameworkError("rewind.seek: a tick is not finished yet; use game.call_soon(…)")
        ticks = self.ticks
        tick = checks.whole("tick", tick)
        if tick not in ticks:
            held = f"{ticks.start} to {ticks.stop - 1}" if ticks else "none yet"
            raise ValueError(f"tick: the ticks that can be had are {held}, got {tick}")
        self._stand(parts, reel)
        reel.go(tick)

    def resume(self) -> None:
        """Go on from the tick at which the game stands: what came after it is forgotten. Otherwise,
        do nothing.

        The next tick is one more than that, and what it latches is what comes from now on.
        """
        self._end(goes_back=False)

    def cancel(self) -> None:
        """Have the game be where it was before the first `seek`, and go on from there. Otherwise,
        do nothing.
        """
        self._end(goes_back=True)

    def show(self) -> None:
        """Show the strip of ticks, as F4 does: the game stands until it is closed.

        Raises what `seek` raises; before the first tick there is nothing to show.
        """
        parts, reel = self._attached("show")
        if self.ticks:
            self.seek(parts.loop.tick)
            if (
                self._standing is not None
                and self._past is not None
                and self._standing.scrubber is None
            ):
                scrubber = Scrubber(
                    parts.stage, parts.loop, reel, self._past.down, self.resume, self.cancel
                )
                self._standing.scrubber = scrubber
                parts.events.diverted = parts.stage.inbox.put
                parts.painter.panels.show_strip(scrubber.strip)

    # -- where time does not pass ------------------------------------------------------------------

    def _stand(self, parts: Parts, reel: Reel) -> None:
        if self._past is not None:
            return
        stage, loop = parts.stage, parts.loop
        if loop.source is not None:
            raise FrameworkError(
                "rewind: this game is played from a recording; see docs/replay.md for "
                "going to a tick"
            )
        self._past = _Past(reel.keep_present(), stage.inbox, _down(stage))
        stage.past.standing, stage.inbox = True, Inbox()
        loop.source = self._standing = _Standing(loop, reel)

    def _leave(self) -> None:
        """A tick is run by hand: it follows the one at which the game stands."""
        self._end(goes_back=False, anew=False)

    def _end(self, goes_back: bool, anew: bool = True) -> None:
        past = self._past
        if past is None:
            return
        parts, reel = self._attached("resume")
        stage, loop = parts.stage, parts.loop
        parts.stage.live  # noqa: B018  (an error if it was closed)
        if goes_back:
            reel.go_back(past.present)
        elif anew:
            reel.go(loop.tick)
        back = loop.tick < past.present.tick
        scrubber = None if self._standing is None else self._standing.scrubber
        self._past = self._standing = loop.source = parts.events.diverted = None
        stage.past.standing, came = False, stage.inbox
        stage.inbox = Inbox() if back else past.inbox
        reel.go_on(loop.tick)
        if scrubber is not None:
            parts.painter.panels.show_strip(None)
            for event in (*scrubber.settled(*_down(stage)), *parts.events.settled()):
                stage.inbox.put(event)
        if stage.seen.size != stage.view.size:  # the window's size has changed since that tick
            stage.inbox.put(("on_resize", *stage.seen.size))
        for player, event in by_player(came.take()):
            stage.inbox.put(event, player)
        if back:
            for tell in stage.past.went_back:
                tell(loop.tick)

    # -- whose it is -------------------------------------------------------------------------------

    def attach(self, parts: Parts) -> None:
        """Go along with a game's ticks from now on. Raises `FrameworkError` for one that goes along
        with another.
        """
        if self._reel is not None:
            raise FrameworkError("rewind: this Rewind is another game's; make one for each")
        made_of = parts.game, parts.stage, parts.loop, parts.run
        self._reel = Reel(*made_of, self.seconds, self.memory, self._leave)
        self._parts = parts

    def begin(self) -> None:
        """From now on."""
        self._attached("begin")[1].attach()

    def detach(self) -> None:
        """Go along with it no longer, and forget all."""
        self.resume()
        if self._reel is not None:
            self._reel.detach()
        self._parts = self._reel = None

    def _attached(self, asked: str) -> tuple[Parts, Reel]:
        if self._parts is None or self._reel is None:
            raise FrameworkError(
                f"rewind.{asked}: it belongs to no game; set game.recording.rewind = fw.Rewind() first"
            )
        return self._parts, self._reel


def _down(stage: Stage) -> tuple[set[int], set[int]]:
    """The first player's keys and buttons that are down when all that came is latched."""
    return coming_down(stage.keys), coming_down(stage.mouse)
