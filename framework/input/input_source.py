"""Input sources: the objects that give a game the input of each tick.

The default source is the hardware of this machine. A source of your own can delay or replace the
input, or receive it from another machine.
"""

from __future__ import annotations

__all__ = ["InputSource", "LocalInput"]

from typing import Any, Protocol

from ..checks import shown
from .tick_input import TickInput

NO_INPUT = TickInput()


class InputSource(Protocol):
    """The interface of an object that gives a game the input of each tick. To use an input source,
    set ``game.input = source``.

    A source must have the method `tick`, and nothing else. Sessions, replays and `Rewind` are
    sources, too.
    """

    def tick(self, number: int, local: TickInput) -> TickInput | None:
        """Return the input of the tick ``number``, or None if the input has not arrived yet.

        ``local`` is the input of this machine since the last tick. ``local`` comes from the window,
        from gamepads, and from `Game.testing`. If the result is None, the tick does not run, and
        the game draws a frame. In the next frame, the game calls `tick` with the same number again.
        At the second call for a tick, ``local`` also contains newer input.

        After a rewind or a restore, ``number`` may be a tick that has run before.
        """


class LocalInput:
    """The default input source. Each tick receives the input of this machine, without changes."""

    not_state = True

    def tick(self, number: int, local: TickInput) -> TickInput:
        """Return ``local``."""
        return local


class CheckedSource:
    """Checks the input from a game's own source. For a wrong event, the class raises an error that
    names the source.
    """

    not_state = True

    def __init__(self, source: InputSource, players: int) -> None:
        self.source = source
        self._players = players

    def tick(self, number: int, local: TickInput) -> TickInput | None:
        """Return the input of the source. Numbers in the input are rounded as in a recording."""
        result: Any = self.source.tick(number, local)
        if result is None or result is local:
            return result
        kind = type(self.source).__name__
        if not isinstance(result, TickInput):
            raise TypeError(
                f"input: expected {kind}.tick(…) to return a TickInput or None, got {shown(result)}"
            )
        try:
            events = TickInput.decode(TickInput(result.events).encode()).events
        except (ValueError, TypeError) as error:
            raise ValueError(
                f"input: {kind}.tick({number}, …) returned a wrong event: {error}"
            ) from None
        for event in events:
            if event[0] == "player" and event[1] >= self._players:
                raise ValueError(
                    f"input: {kind}.tick({number}, …) returned an event of player {event[1]}, but "
                    f"the game has {self._players} player(s); write Game(players={event[1] + 1})"
                )
        return TickInput(events)
