"""Current game: finds the running game for code that has no reference to a game.

`fw.Sound("jump.wav").play()`, `fw.Actions(…)` and `fw.Palette("colors.gpl")` need a game, but
receive no game as an argument. Such code calls `current_game()` or `current_folders()`. Code that
reads and writes save files calls `read_file` and `write_file`. All other code of the framework
receives the game as an argument.

The current game is the game whose `setup`, tick, event or `draw` is running in this thread. If a
game runs inside another game, the inner game is the current game. Between ticks, the newest open
game is the current game. Each thread has its own current game, so games in different threads do not
mix. In a new worker thread of a game (see `assets.background_loading`), the current game is the
game that started the thread.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from types import FrameType
from typing import TYPE_CHECKING, Any, Protocol
from weakref import ref

if TYPE_CHECKING:  # each game imports this module, but few games search for files
    from .resources import Folder


class CurrentGame(Protocol):
    """The attributes of the running game that modules of the framework read through `current_game`.
    In this protocol, `audio` and `input_devices` have no exact types: callers annotate their real
    types.
    """

    @property
    def folders(self) -> Sequence[Folder]:
        """The folders in which the files of the game, such as images and sounds, are searched."""

    @property
    def audio(self) -> Any:
        """The game's `Audio`, which plays sounds."""

    @property
    def input_devices(self) -> Any:
        """The game's `InputDevices`: the players and their keyboards, mice and gamepads."""

    @property
    def engines(self) -> set[str]:
        """The packages of the physics engines that this game has used, such as "rapier3d"."""

    @property
    def between_ticks(self) -> bool:
        """True between ticks: while no tick, no event handler and no `setup` of the game is
        running.

        While `between_ticks` is True, reading an attribute of the game must not change the game's
        state.
        """

    @property
    def ticks_run(self) -> int:
        """The number of ticks that the game has run. A tick that ran twice is counted twice."""

    restores_routines: bool
    """Whether the game must be able to restore its running routines, because it has a `Rewind`.
    """

    created: list[tuple[Any, str, int]]
    """The drawables that the running `setup` or tick has created so far, each with the file and
    the line.
    """

    def read_file(self, path: str) -> bytes | None:
        """Return the content of a save file, or None in a worker thread of the game."""

    def write_file(self, path: str, do: Callable[[str], object]) -> None:
        """Call ``do`` with the path at which the file must be written. In a replay, ``do`` receives
        a path in another folder, or is not called.
        """

    def draw_again(self) -> None:
        """Make the GL context of this game current again, after another game was drawn. Nothing
        happens if this game was closed.
        """

    def draw_if_free(self) -> bool:
        """Make the GL context of this game current if no game's context is current.

        Return False if the game has no graphics, or draws in another thread.
        """


working: ContextVar[tuple[CurrentGame, ...]] = ContextVar("working", default=())
"""The running games of this thread, the innermost last. Only a running game sets this value."""
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
    """Return the folders of the current game's files, or an empty sequence if no game is open."""
    game = current_game()
    return () if game is None else game.folders


def between_ticks() -> bool:
    """Return whether the current game is between two ticks, or False if no game is open."""
    game = current_game()
    return game is not None and game.between_ticks


def read_file(path: str) -> bytes | None:
    """Return the content of a save file. In a replay, `read_file` returns the content that the
    recorded game read from the file.

    Return None if no game is running. In that case the caller must read the file itself.
    """
    games = working.get()
    return games[-1].read_file(path) if games else None


def note_created(drawable: object, frame: FrameType) -> None:
    """If the code of a game is running, store that the code of ``frame`` has created ``drawable``.

    A drawable that the framework itself creates, as a part of another object, is not stored.
    """
    games = working.get()
    if games and not frame.f_globals.get("__name__", "").startswith("framework."):
        games[-1].created.append((drawable, frame.f_code.co_filename, frame.f_lineno))


def write_file(path: str, do: Callable[[str], object]) -> None:
    """Call ``do`` with the path at which the running game writes a file. In a replay, ``do``
    receives a path in another folder, or is not called.

    If no game is running, ``do`` receives the unchanged ``path``.
    """
    games = working.get()
    if games:
        games[-1].write_file(path, do)
    else:
        do(path)


def opened(game: CurrentGame) -> None:
    """Add a game to the list of open games. The list of open games contains only weak references."""
    _open[:] = [reference for reference in _open if reference() is not None] + [ref(game)]


def closed(game: CurrentGame) -> None:
    """Remove a closed game from the list of open games."""
    _open[:] = [reference for reference in _open if reference() is not game]


def begin_work(game: CurrentGame) -> None:
    """Make ``game`` the current game of this thread until `end_work`."""
    working.set(working.get() + (game,))


def end_work() -> None:
    """Restore the current game from before the last `begin_work`, and make its GL context current."""
    games = working.get()[:-1]
    working.set(games)
    if games:
        games[-1].draw_again()
    else:
        draw_again()


def draw_again() -> None:
    """Make the GL context of the current game of this thread current: if games run inside other
    games, the innermost game.

    Call `draw_again` after a game was closed, because often no GL context is current then. If no
    game runs, use the newest open game of this thread, because a program may make GL calls between
    two frames.
    """
    games = working.get()
    if games:
        games[-1].draw_again()
        return
    for reference in reversed(_open):
        game = reference()
        if game is not None and game.draw_if_free():
            return
