"""Sessions: objects that connect the ticks of a game with other machines or processes."""

from __future__ import annotations

__all__ = ["Session", "SessionStats"]

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from .. import checks
from ..errors import FrameworkError
from ..input.tick_input import TickInput
from ..timing.timestep import Timestep, control_of


@dataclass
class SessionStats:
    """Measured values of a session, for a panel of your own: ``game.session.stats``."""

    ping: float = 0.0
    """The time of a packet to the slowest other machine and back, in seconds."""
    ahead: float = 0.0
    """The number of ticks by which this machine is ahead of the slowest other machine. The number
    is negative if this machine is behind.
    """
    corrections: int = 0
    """The number of corrections so far: a snapshot was restored, and ticks ran again."""
    resimulated: int = 0
    """The number of ticks that ran again in corrections so far."""
    stalls: int = 0
    """The number of frames in which a tick was due and had to wait."""
    sent: float = 0.0
    """The sent data of the last seconds, in kbit/s, with the headers of UDP and IP."""
    received: float = 0.0
    """The received data of the last seconds, in kbit/s, with the headers of UDP and IP."""


@runtime_checkable
class Session(Protocol):
    """The interface of a session, which connects the ticks of a game with other machines or
    processes: ``fw.run(MyGame, session=…)``.

    A session is a source of input (see `InputSource`) with methods that are called before each
    tick and in each frame. `Rollback` is a session. A session belongs to one game.
    """

    stats: SessionStats
    """Measured values, such as the ping."""

    def start(self, game: Any) -> None:
        """Called once, after the ``setup`` of the game and before its first tick."""

    def before_tick(self, game: Any, number: int) -> None:
        """Called before each tick that the loop runs, with the number of this tick.

        Here `Game.snapshot`, `Game.restore` and `Game.run_ticks` are allowed. Ticks that run here
        ask `tick` for their input, too, with an empty ``local``.
        """

    def tick(self, number: int, local: TickInput) -> TickInput | None:
        """Return the input of the tick ``number``, or None if the tick has to wait. See
        `InputSource.tick`.
        """

    def frame(self, game: Any) -> None:
        """Called in each frame after the ticks of the frame, and before the frame is drawn. Also
        called if no tick ran. A session sends and receives packets here.
        """

    def close(self) -> None:
        """Called when the game ends."""


_METHODS = ("start", "before_tick", "tick", "frame", "close")


def checked_session(session: Any) -> Any:
    """Return ``session`` if it is None or has the methods of a session, otherwise raise
    `TypeError`.
    """
    if session is None:
        return None
    missing = [name for name in _METHODS if not callable(getattr(session, name, None))]
    if isinstance(session, type):
        raise TypeError(
            f"session: expected an object, got the class {session.__name__}; make one: "
            f"{session.__name__}(…)"
        )
    if missing:
        raise TypeError(
            f"session: expected an object with the methods {', '.join(_METHODS)}, got "
            f"{checks.shown(session)} without {', '.join(missing)}"
        )
    return session


def check_clock(timestep: Timestep) -> None:
    """Raise `FrameworkError` unless a game with this timestep can have a session."""
    control = control_of(timestep)
    if control is None or not control.fixed:
        raise FrameworkError(
            "session: expected a timestep whose ticks have one length, got a "
            f"{type(timestep).__name__}; leave out the option timestep"
        )


def session_numbers(session: Any) -> dict[str, str]:
    """Return the measured values of a session as texts, for the panel of F3. The result is empty
    without a session.
    """
    stats = getattr(session, "stats", None)
    if not isinstance(stats, SessionStats):
        return {}
    return {
        "ping": f"{stats.ping * 1000:.0f} ms",
        "ahead": f"{stats.ahead:.1f} ticks",
        "corrections": f"{stats.corrections}",
        "run again": f"{stats.resimulated}",
        "sent": f"{stats.sent:.0f} kbit/s",
        "received": f"{stats.received:.0f} kbit/s",
        "stalls": f"{stats.stalls}",
    }
