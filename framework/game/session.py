"""The interface of a session, which keeps a game in step with other computers or processes."""

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
    """Measured values of a session, such as the ping. The attribute ``game.session.stats`` is an
    object of this class. You can show the values in your own status display.
    """

    ping: float = 0.0
    """The round-trip time to the slowest other machine, in seconds."""
    ahead: float = 0.0
    """How many ticks this machine is ahead of the slowest other machine. Negative if this machine
    is behind the others.
    """
    corrections: int = 0
    """The number of corrections so far. In a correction, the session restores a snapshot and runs
    ticks again.
    """
    resimulated: int = 0
    """The number of ticks that ran again in corrections so far."""
    stalls: int = 0
    """The number of frames so far in which a tick had to wait for another machine or process."""
    sent: float = 0.0
    """The rate at which data was sent in the last seconds, in kbit/s, including UDP and IP
    headers.
    """
    received: float = 0.0
    """The rate at which data was received in the last seconds, in kbit/s, including UDP and IP
    headers.
    """


@runtime_checkable
class Session(Protocol):
    """The interface of a session, which connects the ticks of a game to other machines or
    processes. To start a game with a session, call ``fw.run(MyGame, session=…)``.

    A session is an input source (see `InputSource`), with methods that the game calls before each
    tick and in each frame. For example, a `Rollback` is a session. Each session belongs to one
    game.
    """

    stats: SessionStats
    """Measured values, such as the ping."""

    def start(self, game: Any) -> None:
        """The game calls this method once, after its ``setup`` and before its first tick."""

    def before_tick(self, game: Any, number: int) -> None:
        """The game calls this method with the tick number before each tick of its loop.

        In this method, you may call `Game.snapshot`, `Game.restore` and `Game.run_ticks`. If you
        call `run_ticks`, the game calls the method `tick` for the input of each tick, with an empty
        ``local``.
        """

    def tick(self, number: int, local: TickInput) -> TickInput | None:
        """Return the input of the tick ``number``. Return None if the tick must wait for its input.
        See `InputSource.tick`.
        """

    def frame(self, game: Any) -> None:
        """The game calls this method in each frame, after the ticks and before drawing, even if the
        frame runs no tick. Network packets are sent and received in this method.
        """

    def close(self) -> None:
        """Called when the game ends."""


_METHODS = ("start", "before_tick", "tick", "frame", "close")


def checked_session(session: Any) -> Any:
    """Return ``session`` if it is None or has the methods of a session. Raise `TypeError` for any
    other object.
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
    """Raise `FrameworkError` if a game with this timestep cannot have a session. A session needs
    ticks of equal duration.
    """
    control = control_of(timestep)
    if control is None or not control.fixed:
        raise FrameworkError(
            "session: expected a timestep whose ticks have one length, got a "
            f"{type(timestep).__name__}; leave out the option timestep"
        )


def session_numbers(session: Any) -> dict[str, str]:
    """Return the measured values of a session as a dict of strings, for the F3 panel. If there is
    no session, the dict is empty.
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
