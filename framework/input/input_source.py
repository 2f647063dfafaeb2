"""Input sources: objects that return the input of each tick.

By default, the input comes from the keyboard, the mouse and the gamepads of this computer. You can
write a source that delays or changes the input, or receives it from another computer.
"""

from __future__ import annotations

__all__ = ["InputSource", "LocalInput"]

from typing import Any, Protocol

from ..checks import shown
from .tick_input import TickInput

NO_INPUT = TickInput()


class InputSource(Protocol):
    """The interface of an object that returns the input of each tick. To use an input source in a
    game, set ``game.input = source``.

    A source only needs the method `tick`. Sessions, replays and `Rewind` are sources, too.
    """

    def tick(self, number: int, local: TickInput) -> TickInput | None:
        """Return the input of the tick ``number``. Return None if the input has not arrived yet.

        ``local`` is the input of this computer since the last tick. The events in ``local`` come
        from the window, from gamepads and from `Game.testing`. If the result is None, the tick does
        not run, and the game draws a frame. In the next frame, the game calls `tick` again with the
        same number. ``local`` then contains newer events, too.

        If the game has gone back in time, ``number`` can be a tick that has already run.
        """


class LocalInput:
    """The default input source. `LocalInput` returns the input of this computer without changes."""

    not_state = True

    def tick(self, number: int, local: TickInput) -> TickInput:
        """Return ``local``."""
        return local


class CheckedSource:
    """Checks the input that a source returns. If an event is invalid, an error names the class of
    the source.
    """

    not_state = True

    def __init__(self, source: InputSource, players: int) -> None:
        self.source = source
        self._players = players

    def tick(self, number: int, local: TickInput) -> TickInput | None:
        """Return the checked input. Numbers are rounded as in a recording."""
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
