"""Find the running game, for code that has no reference to it.

For example, `fw.Sound("jump.wav").play()`, `fw.Actions(…)` and `fw.Palette("colors.gpl")` need a
game, but the caller does not pass one. Such code calls `current_game()` or `current_folders()`.
Code that reads or writes save files calls `read_file` or `write_file`. All other framework code
receives the game as an argument.

The current game is the game that is running in this thread: its `setup`, a tick, an event handler
or `draw` is being executed. If a game is running inside another game, the inner game is the current
game. Between ticks, the current game is the game that was opened last. Each thread has its own
current game, so games in different threads do not affect each other. In a worker thread that a game
has started (see `assets.background_loading`), this game is the current game.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from types import FrameType
from typing import TYPE_CHECKING, Any, Protocol
from weakref import ref

if TYPE_CHECKING:  # every game imports this module, but few games search for files
    from .resources import Folder


class CurrentGame(Protocol):
    """The attributes of the running game that other modules read through `current_game`. `audio`
    and `input_devices` have the type Any here, and each caller annotates the exact type.
    """

    @property
    def folders(self) -> Sequence[Folder]:
        """The folders that are searched for the game's files, such as images and sounds."""

    @property
    def audio(self) -> Any:
        """The game's `Audio` object, which plays sounds."""

    @property
    def input_devices(self) -> Any:
        """The game's `InputDevices` object: the players with their keyboards, mice and gamepads."""

    @property
    def engines(self) -> set[str]:
        """The names of the physics packages that this game has used, for example "rapier3d"."""

    @property
    def between_ticks(self) -> bool:
        """True while the game is between two ticks, and False while a tick, an event handler or
        `setup` is running.

        Between ticks, reading an attribute of the game must not change the game's state.
        """

    @property
    def ticks_run(self) -> int:
        """The number of ticks that the game has run so far. A tick that ran twice is counted twice."""

    restores_routines: bool
    """Whether the game must be able to restore its running routines, because it has a `Rewind`."""

    created: list[tuple[Any, str, int]]
    """The drawables that the current `setup` or tick has created so far, each with the file and
    line that created it.
    """

    def read_file(self, path: str) -> bytes | None:
        """Return the content of a save file, or None in a worker thread of the game."""

    def write_file(self, path: str, do: Callable[[str], object]) -> None:
        """Call ``do`` with the path to which it must write the file. In a replay, this is a path in
        another folder, or ``do`` is not called at all.
        """

    def draw_again(self) -> None:
        """Make the OpenGL context of this game current again after another game has drawn. Do
        nothing if this game was closed.
        """

    def draw_if_free(self) -> bool:
        """Make the OpenGL context of this game current, unless the context of any game is already
        current.

        Return False if this is not possible, because the game has no graphics or draws in another
        thread.
        """


working: ContextVar[tuple[CurrentGame, ...]] = ContextVar("working", default=())
"""The games that are running in this thread, with the innermost game last. Only a running game sets
this value.
"""
_open: list[ref[CurrentGame]] = []  # the open games of all threads, the newest last


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
    """Return the folders with the files of the current game. If no game is open, return an empty
    sequence.
    """
    game = current_game()
    return () if game is None else game.folders


def between_ticks() -> bool:
    """Return whether the current game is between two ticks. If no game is open, return False."""
    game = current_game()
    return game is not None and game.between_ticks


def read_file(path: str) -> bytes | None:
    """Return the content of a save file. In a replay, the content is the same as in the recorded
    game.

    If no game is running, return None: the caller must read the file itself.
    """
    games = working.get()
    return games[-1].read_file(path) if games else None


def note_created(drawable: object, frame: FrameType) -> None:
    """If the code of ``frame`` belongs to a game, record ``drawable`` with the file and the line
    that created it.

    Drawables that the framework creates as parts of other objects are not recorded.
    """
    games = working.get()
    if games and not frame.f_globals.get("__name__", "").startswith("framework."):
        games[-1].created.append((drawable, frame.f_code.co_filename, frame.f_lineno))


def write_file(path: str, do: Callable[[str], object]) -> None:
    """Call ``do`` with the path to which it must write the file ``path`` of the running game. In a
    replay, this is a path in another folder, or ``do`` is not called at all.

    If no game is running, ``do`` is called with ``path`` itself.
    """
    games = working.get()
    if games:
        games[-1].write_file(path, do)
    else:
        do(path)


def opened(game: CurrentGame) -> None:
    """Add a game to the list of open games. The list contains only weak references, so it does not
    keep a closed game in memory.
    """
    _open[:] = [reference for reference in _open if reference() is not None] + [ref(game)]


def closed(game: CurrentGame) -> None:
    """Remove a closed game from the list of open games."""
    _open[:] = [reference for reference in _open if reference() is not game]


def begin_work(game: CurrentGame) -> None:
    """Make ``game`` the current game of this thread, until `end_work` is called."""
    working.set(working.get() + (game,))


def end_work() -> None:
    """Restore the game that was current before the last `begin_work`, and make its OpenGL context
    current.
    """
    games = working.get()[:-1]
    working.set(games)
    if games:
        games[-1].draw_again()
    else:
        draw_again()


def draw_again() -> None:
    """Make the OpenGL context of this thread's current game current. If games are running inside
    other games, this is the context of the innermost game.

    Call this function after closing a game, because often no context is current then. If no game is
    running, make the context of this thread's newest open game current, for programs that make
    OpenGL calls between two frames.
    """
    games = working.get()
    if games:
        games[-1].draw_again()
        return
    for reference in reversed(_open):
        game = reference()
        if game is not None and game.draw_if_free():
            return
