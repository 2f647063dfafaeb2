"""The current game: the one place where code that is not passed a game finds it.

`fw.Sound("jump.wav").play()`, `fw.Actions(…)` and `fw.Palette("colors.gpl")` need a game, and no
argument names it. They call `current_game()` or `current_folders()`. Code that reads and writes
files calls `read_file` and `write_file`. Everything else is passed what it needs.

The current game is the game whose `setup`, tick, event or `draw` is running in this thread, and in
a game within a game the inner one. Between ticks it is the open game that was made last. Each
thread has its own, so games in different threads do not meet. A thread that works for a game (see
`assets.background`) begins with the game that started it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Protocol
from weakref import ref

if TYPE_CHECKING:  # each game imports this module, and few look for files
    from .resources import Folder


class CurrentGame(Protocol):
    """What the current game offers. The callers annotate `audio` and `desk` with what they need."""

    @property
    def folders(self) -> Sequence[Folder]:
        """The folders of the files that define the game."""

    @property
    def audio(self) -> Any:
        """The game's `Audio`, which plays sounds."""

    @property
    def desk(self) -> Any:
        """The game's `Desk`: its players and their devices."""

    @property
    def between_ticks(self) -> bool:
        """Whether no rules run: no tick, no event handler, no `setup`. Reading must not change the
        game's state then."""

    def read_file(self, path: str) -> bytes | None:
        """Return the content of a save; None in a thread that only works for the game."""

    def write_file(self, path: str, do: Callable[[str], object]) -> None:
        """Have ``do`` write a file: at the path, elsewhere, or not at all."""

    def draw_again(self) -> None:
        """Have GL draw in this game again, after another game; do nothing if it was closed."""

    def draw_if_free(self) -> bool:
        """Have GL draw in this game if no game's context is current. Return False if the game draws
        nothing in this thread.
        """


working: ContextVar[tuple[CurrentGame, ...]] = ContextVar("working", default=())
"""The games at work in this thread, the inner one last. Only games set it, around their work."""
_open: list[ref[CurrentGame]] = []  # of all threads, the newest last


def current_game() -> CurrentGame | None:
    """Return the current game, or None if no game is open."""
    games = working.get()
    innermost = games[-1] if games else None
    newest = None
    for known in reversed(_open):
        game = known()
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
    """Return the content of a save as the game at work reads it. Return None if no game is at work:
    read the file itself then."""
    games = working.get()
    return games[-1].read_file(path) if games else None


def write_file(path: str, do: Callable[[str], object]) -> None:
    """Have ``do`` write a file as the game at work does: at the path, elsewhere, or not at all. If
    no game is at work, at the path."""
    games = working.get()
    if games:
        games[-1].write_file(path, do)
    else:
        do(path)


def opened(game: CurrentGame) -> None:
    """Note that a game is open. It is referred to weakly."""
    _open[:] = [known for known in _open if known() is not None] + [ref(game)]


def closed(game: CurrentGame) -> None:
    """Note that a game was closed."""
    _open[:] = [known for known in _open if known() is not game]


def begin_work(game: CurrentGame) -> None:
    """Make a game the current one of this thread, until `end_work`."""
    working.set((*working.get(), game))


def end_work() -> None:
    """Make the game current again that was before the last `begin_work`, and have GL draw in it."""
    working.set(working.get()[:-1])
    draw_again()


def draw_again() -> None:
    """Have GL draw in this thread's innermost game that is working. If none is working and no
    game's context is current, because a game was closed, have GL draw in this thread's newest open
    game: a program may make GL calls of its own between two frames."""
    games = working.get()
    if games:
        games[-1].draw_again()
        return
    for known in reversed(_open):
        game = known()
        if game is not None and game.draw_if_free():
            return
