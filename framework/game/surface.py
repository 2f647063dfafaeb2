"""Surface: the base class of a game's window and offscreen surface, and `NoSurface` for games that
draw nothing.

The class `NoSurface` is the surface of a game that draws nothing.
"""

from __future__ import annotations

from _thread import get_ident
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from weakref import ref

from .. import current_game
from ..current_game import CurrentGame
from ..errors import FrameworkError
from ..gpu.graphics import check_thread
from .pointer import Pointer
from .window_settings import ScreenInfo, WindowSettings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pyglet.display.base import Screen
    from pyglet.window import BaseWindow

    from ..gpu.gl import moderngl

abandoned: list[BaseWindow] = []
"""Windows of games that Python has freed without `Game.close`. The next frame of any game closes
these windows.
"""


class Working:
    """A context manager for work of a game. In its ``with`` block, the game is the current game,
    and the GL context of the game is current.

    `Working` is a class and not a generator function, because a generator would double the time of
    snapshots and single ticks.
    """

    __slots__ = ("_has_game", "_surface")

    def __init__(self, surface: GameSurface) -> None:
        self._surface = surface
        self._has_game = False

    def __enter__(self) -> None:
        surface = self._surface
        self._has_game = surface.has_game()
        if self._has_game:
            surface.begin_work()
        else:
            surface.make_current()

    def __exit__(self, *error: object) -> None:
        if self._has_game:
            self._surface.end_work()


class GameSurface:
    """The screen of a game: its size, and methods that make the game's GL context current.
    `WindowSurface` is the subclass for games that draw.
    """

    not_state = True

    drawing = True
    """Whether the game draws, with or without a window."""
    headless = True
    """True if the game has no visible window."""
    forked = False
    """Whether this process is a fork of the process that opened the surface, so that OpenGL must
    not be called.
    """
    refresh_rate = 60.0
    """The refresh rate of the screen in frames per second, or 60 if the rate is unknown."""
    window: BaseWindow
    """The window of pyglet, or None after the window was closed."""
    gl: Any = None
    """pyglet's module ``gl``."""
    ctx: moderngl.Context
    target: moderngl.Framebuffer | None = None
    """The framebuffer that frames draw to. `target` is None before the first `use`, and after a
    change of size.
    """

    def __init__(self, pixel_ratio: float, samples: int) -> None:
        self.samples = self.max_samples = samples
        """MSAA samples per pixel: `samples` in use, and `max_samples`, the maximum."""
        self.size = self.framebuffer_size = (0, 0)
        """`size` has width and height in units (a window's logical pixels), `framebuffer_size` in
        framebuffer pixels.
        """
        self.drawable = False
        """Whether there are pixels to draw to: False while minimized or of size 0."""
        self.shown = True
        """False while the window is hidden: between pyglet's events ``on_hide`` and ``on_show``."""
        self.moved = False
        """True if the window was moved or resized, so that its screen or the screen's mode may have
        changed.
        """
        self._ratio = pixel_ratio
        self.pointer = Pointer()
        self.settings = WindowSettings()
        self.thread = get_ident()
        """The thread in which the game was made and is drawn."""
        self._game: Callable[[], CurrentGame | None] = lambda: None
        self.game_closed = False
        """Whether the game was closed."""

    @property
    def pixel_ratio(self) -> float:
        return self.framebuffer_size[0] / max(1, self.size[0])

    def resized(self, width: int, height: int) -> None:
        """Set the size of the surface, in units. Off screen, `resized` also changes the size of the
        framebuffer.
        """
        self.size = max(0, width), max(0, height)
        self.framebuffer_size = (
            _pixels(self.size[0], self._ratio),
            _pixels(self.size[1], self._ratio),
        )
        self.drawable = min(self.framebuffer_size) > 0
        self.target = None

    def screens(self) -> tuple[ScreenInfo, ...]:
        """Return the screens of the machine, or () if the game has no window."""
        return ()

    def screen_number(self) -> int | None:
        """Return the index of the screen that has the window, or None without a window."""
        return None

    def move_to_screen(self, index: int) -> None:
        """Move the window to the middle of a screen. Without a window, nothing happens."""

    def set_fullscreen(self, fullscreen: bool) -> None:
        """Let the window fill its screen, or not. Without a window, nothing happens."""

    def key_symbol(self, symbol: int) -> int:
        """Return the symbol of the key in the current key event of the window. ``symbol`` is the
        symbol that pyglet reported.
        """
        return symbol

    # -- turns -------------------------------------------------------------------------------------

    def belongs_to(self, game: CurrentGame) -> None:
        """Set the game that draws to this surface, and register this game as open."""
        self._game = ref(game)
        current_game.opened(game)

    def mark_closed(self) -> None:
        """Mark the game of this surface as closed."""
        self.game_closed = True
        game = self._game()
        if game is not None:
            current_game.closed(game)

    def make_current(self) -> None:
        """Make the GL context of the game current, if the context of another game is current. Raise
        `FrameworkError` in any thread other than the game's.
        """
        check_thread(self.thread)

    def begin_frame(self) -> None:
        """Make the GL context of the game current, and close the windows of games that were freed
        without `Game.close`.
        """

    def has_game(self) -> bool:
        """Return whether the game of this surface is still in memory."""
        return self._game() is not None

    def begin_work(self) -> None:
        """Make the game and its GL context current, until `end_work` is called."""
        self.make_current()
        game = self._game()
        assert game is not None
        current_game.begin_work(game)

    def end_work(self) -> None:
        """Restore the current game and GL context from before `begin_work`."""
        current_game.end_work()

    def working(self) -> Working:
        """Return a context manager that calls `begin_work`, and at the end of the ``with`` block
        `end_work`.
        """
        return Working(self)

    # -- only with a window ------------------------------------------------------------------------

    def needed(self, asked: str) -> None:
        """Raise `FrameworkError` if the game draws nothing. ``asked`` is the name of the method
        that needs drawing, for the error message.
        """

    def listen(self, handlers: object) -> None:
        """Call the methods of ``handlers`` for the events of the window."""

    def ignore(self, handlers: object) -> None:
        """Stop calling the methods of ``handlers`` for the events of the window."""

    def closes_by(self, close: Callable[[], object] | None) -> None:
        """When the window closes, call ``close`` instead of the window's own method ``close``. If
        ``close`` is None, restore the window's own method.
        """

    def copy(self, text: str) -> None:
        """Copy a text to the clipboard of the operating system. If there is no window, nothing is
        copied.
        """

    def pasted(self) -> str:
        """Return the text on the clipboard of the operating system, or "" if there is no window."""
        return ""

    def hidden(self) -> bool:
        """Return whether the surface is invisible: hidden, minimized, or without pixels."""
        return False

    def use(self, off_screen: bool = False) -> moderngl.Framebuffer:
        """Let the following draws use the framebuffer of this surface, and return it. With
        ``off_screen=True``, the pixels can be read after the frame.
        """
        raise _no_pictures("use")

    def read(self) -> NDArray[np.uint8]:
        """Return the pixels of the offscreen framebuffer as an array."""
        raise _no_pictures("read")

    def start_drawing(self) -> None:
        """Send the GL calls that the driver has buffered to the GPU, so that the GPU starts to
        draw.
        """

    def flip(self) -> None:
        """Display the painted frame."""

    def screen(self) -> Screen:
        """Return the screen (monitor) that contains the middle of the window."""
        raise _no_pictures("screen")

    def close(self) -> None:
        """Release the framebuffers of the surface, and close the window. If the surface is already
        closed, nothing happens.
        """


class NoSurface(GameSurface):
    """The surface of a game with ``drawing=False``. A `NoSurface` has a size, but loads neither
    pyglet nor OpenGL.
    """

    drawing = False

    def __init__(self, size: tuple[int, int], *, pixel_ratio: float, samples: int) -> None:
        super().__init__(pixel_ratio, samples)
        self.window: Any = _Missing("window")
        self.ctx: Any = _Missing("ctx")
        self.resized(*size)

    def needed(self, asked: str) -> None:
        raise _no_pictures(asked)


class _Missing:
    """A placeholder for an object that a game with ``drawing=False`` does not have. Reading an
    attribute of the placeholder raises `NoPictures`.
    """

    not_state = True

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # read by Python itself
            raise AttributeError(name)
        raise _no_pictures(f"{self._name}.{name}")


class NoPictures(FrameworkError):
    """Raised if a game with ``drawing=False`` uses a function that needs drawing."""


def _no_pictures(asked: str) -> NoPictures:
    return NoPictures(
        f"{asked}: this game was made with drawing=False, so it has no window and no OpenGL; "
        "use them in draw(), which is not called then, or after `if self.drawing:`"
    )


def _pixels(units: int, ratio: float) -> int:
    return max(1, round(units * ratio)) if units else 0
