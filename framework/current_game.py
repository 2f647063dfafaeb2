"""Current game: finds the running game for code that has no reference to it.

`fw.Sound("jump.wav").play()`, `fw.Actions(…)` and `fw.Palette("colors.gpl")` need a game, but
receive none as an argument. Such code calls `current_game()` or `current_folders()`. Code that
reads and writes files calls `read_file` and `write_file`. All other code receives its game as an
argument.

The current game is the game whose `setup`, tick, event or `draw` is running in this thread. If a
game runs inside another game, the inner game is the current one. Between ticks, the newest open
game is the current one. Each thread has a current game of its own, so games in different threads do
not mix. A worker thread of a game (see `assets.background_loading`) begins with the game that
started it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Protocol
from weakref import ref

if TYPE_CHECKING:  # each game imports this module, but few games search for files
    from .resources import Folder


class CurrentGame(Protocol):
    """The attributes of the current game that other modules use. Callers annotate `audio` and
    `input_devices` with their real types.
    """

    @property
    def folders(self) -> Sequence[Folder]:
        """The folders of the files that define the game."""

    @property
    def audio(self) -> Any:
        """The game's `Audio`, which plays sounds."""

    @property
    def input_devices(self) -> Any:
        """The game's `InputDevices`: its players and their devices."""

    @property
    def between_ticks(self) -> bool:
        """True while the game's rules do not run: no tick, no event handler and no `setup`.

        While this is True, reading an attribute must not change the state of the game.
        """

    def read_file(self, path: str) -> bytes | None:
        """Return the content of a save; None in a worker thread of the game."""

    def write_file(self, path: str, do: Callable[[str], object]) -> None:
        """Call ``do`` with the path at which to write a file. In a replay the path may differ, or
        ``do`` is not called.
        """

    def draw_again(self) -> None:
        """Make the GL context of this game current again, after another game was drawn. Does
        nothing if this game was closed.
        """

    def draw_if_free(self) -> bool:
        """Make the GL context of this game current if no game's context is current.

        Return False if the game draws nothing in this thread.
        """


working: ContextVar[tuple[CurrentGame, ...]] = ContextVar("working", default=())
"""The running games of this thread, the innermost last. Only games set this value, while they run.
"""
_open: list[ref[CurrentGame]] = []  # of all threads, the newest last


def current_game() -> CurrentGame | None:
    """Return the current game, or None if no game is open."""
    games = working.get()
    innermost = games[-1] if games else None
    newest = None
    for reference in reversed(_open):
        game = reference()
        if game is not None and game is innermost:
            return game
        newest = newest or game
    return newest


def current_folders() -> Sequence[Folder]:
    """Return the folders of the current game's files, or none if no game is open."""
    game = current_game()
    return () if game is None else game.folders


def between_ticks() -> bool:
    """Return whether the current game is between two ticks; False if no game is open."""
    game = current_game()
    return game is not None and game.between_ticks


def read_file(path: str) -> bytes | None:
    """Return the content of a save file as the running game reads it.

    Return None if no game is running. The caller then reads the file.
    """
    games = working.get()
    return games[-1].read_file(path) if games else None


def write_file(path: str, do: Callable[[str], object]) -> None:
    """Call ``do`` with the path at which the running game writes a file. In a replay the path may
    differ, or ``do`` is not called.

    If no game is running, ``do`` is called with ``path``.
    """
    games = working.get()
    if games:
        games[-1].write_file(path, do)
    else:
        do(path)


def opened(game: CurrentGame) -> None:
    """Register an open game with a weak reference."""
    _open[:] = [reference for reference in _open if reference() is not None] + [ref(game)]


def closed(game: CurrentGame) -> None:
    """Unregister a closed game."""
    _open[:] = [reference for reference in _open if reference() is not game]


def begin_work(game: CurrentGame) -> None:
    """Make a game the current one of this thread until `end_work`."""
    working.set(working.get() + (game,))


def end_work() -> None:
    """Restore the game that was current before the last `begin_work`, and make its GL context
    current.
    """
    games = working.get()[:-1]
    working.set(games)
    if games:
        games[-1].draw_again()
    else:
        draw_again()


def draw_again() -> None:
    """Make the GL context of the innermost running game of this thread current.

    After a game was closed, often no context is current. If no game runs, use the newest open game
    of this thread, because a program may make GL calls between two frames.
    """
    games = working.get()
    if games:
        games[-1].draw_again()
        return
    for reference in reversed(_open):
        game = reference()
        if game is not None and game.draw_if_free():
            return
