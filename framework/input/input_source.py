"""The interface of objects that return the player's input for each tick.

By default, the input comes from the keyboard, the mouse and the gamepads of this computer. You can
write an input source of your own, for example to delay the input or to receive it from another
computer.
"""

from __future__ import annotations

__all__ = ["InputSource", "LocalInput"]

from typing import Any, Protocol

from ..checks import shown
from .tick_input import TickInput

NO_INPUT = TickInput()


class InputSource(Protocol):
    """An object that returns the player's input for each tick. To use an input source in a game,
    set ``game.input = source``.

    Your own source needs only the method `tick`. Sessions, replays and `Rewind` are also input
    sources.
    """

    def tick(self, number: int, local: TickInput) -> TickInput | None:
        """Return the input of the tick ``number``, or None if it has not arrived yet.

        ``local`` contains the input on this computer since the last tick. The events in ``local``
        come from the window, from gamepads and from `Game.testing`. If the result is None, the game
        draws a frame without running the tick. In the next frame, the game calls `tick` again with
        the same number. ``local`` then contains the events of this call again, and all newer
        events.

        After the game has been restored to an earlier tick, ``number`` can be the number of a tick
        that has already run.
        """


class LocalInput:
    """The input source that a game uses by default. `LocalInput` returns the input on this computer
    without changes.
    """

    not_state = True

    def tick(self, number: int, local: TickInput) -> TickInput:
        """Return ``local``."""
        return local


class CheckedSource:
    """An input source that checks the input that another source returns. If an event is invalid,
    the error message contains the class name of the other source.
    """

    not_state = True

    def __init__(self, source: InputSource, players: int) -> None:
        self.source = source
        self._players = players

    def tick(self, number: int, local: TickInput) -> TickInput | None:
        """Return the input of the other source if it is valid. Numbers in the events are rounded in
        the same way as in a recording.
        """
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
