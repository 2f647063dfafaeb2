"""The base class of the game window, and of its replacement in games without a window."""

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
"""The windows of games that Python has freed, but that were not closed with `Game.close`. The next
frame of any game closes these windows.
"""


class Working:
    """A context manager that makes a game and its OpenGL context current in the ``with`` block.

    `Working` is a class, because with a generator function, snapshots and single ticks would take
    twice as long.
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
    """The base class for the window of a game, and for its replacement in a game without a window.
    Games that draw use the class `WindowSurface`. Games that do not draw use `NoSurface`.
    """

    not_state = True

    drawing = True
    """Whether the game draws, with or without a window."""
    headless = True
    """Whether the game has no visible window."""
    forked = False
    """Whether this process is a fork of the process that created the surface. A forked process must
    not call OpenGL.
    """
    refresh_rate = 60.0
    """The refresh rate of the screen in frames per second, or 60 if the rate is unknown."""
    window: BaseWindow
    """The pyglet window, or None after the window has been closed."""
    gl: Any = None
    """pyglet's module ``gl``."""
    ctx: moderngl.Context
    target: moderngl.Framebuffer | None = None
    """The framebuffer to which frames are drawn. It is None until `use` is first called, and after
    the size has changed.
    """

    def __init__(self, pixel_ratio: float, samples: int) -> None:
        self.samples = self.max_samples = samples
        """`samples` is the number of MSAA samples per pixel. `max_samples` is the maximum number of
        samples that the driver supports.
        """
        self.size = self.framebuffer_size = (0, 0)
        """`size` is the width and height in units (logical pixels). `framebuffer_size` is the width
        and height in framebuffer pixels.
        """
        self.drawable = False
        """Whether the surface has pixels. False while the window is minimized or has the size 0."""
        self.shown = True
        """Whether the window is shown. False between pyglet's events ``on_hide`` and ``on_show``.
        """
        self.moved = False
        """True after the window has been moved or resized. The window may then be on another screen
        (monitor), or its screen may have another mode.
        """
        self._ratio = pixel_ratio
        self.pointer = Pointer()
        self.settings = WindowSettings()
        self.thread = get_ident()
        """The thread in which the game was created and is drawn."""
        self._game: Callable[[], CurrentGame | None] = lambda: None
        self.game_closed = False
        """Whether the game has been closed."""

    @property
    def pixel_ratio(self) -> float:
        return self.framebuffer_size[0] / max(1, self.size[0])

    def resized(self, width: int, height: int) -> None:
        """Set the size of the surface, in units. If there is no window, also set the size of the
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
        """Return the screens (monitors) of the machine. If there is no window, the tuple is
        empty.
        """
        return ()

    def screen_number(self) -> int | None:
        """Return the index of the screen (monitor) that shows the window, or None if there is no
        window.
        """
        return None

    def move_to_screen(self, index: int) -> None:
        """Move the window to the middle of a screen (monitor). If there is no window, do
        nothing.
        """

    def set_fullscreen(self, fullscreen: bool) -> None:
        """Switch the window to full screen, or back to its normal size. If there is no window, do
        nothing.
        """

    def key_symbol(self, symbol: int) -> int:
        """Return the symbol of the key in the current key event. Usually, this is ``symbol``, the
        symbol that pyglet has reported. With the option ``physical_keys``, it is the symbol for the
        key's position.
        """
        return symbol

    # -- turns -------------------------------------------------------------------------------------

    def belongs_to(self, game: CurrentGame) -> None:
        """Set the game to which this surface belongs, and register the game as open."""
        self._game = ref(game)
        current_game.opened(game)

    def mark_closed(self) -> None:
        """Register the game of this surface as closed."""
        self.game_closed = True
        game = self._game()
        if game is not None:
            current_game.closed(game)

    def make_current(self) -> None:
        """Make the OpenGL context of the game current. Raise `FrameworkError` outside the game's
        own thread.
        """
        check_thread(self.thread)

    def begin_frame(self) -> None:
        """Make the OpenGL context of the game current at the start of a frame. First close the
        windows in the list `abandoned`.
        """

    def has_game(self) -> bool:
        """Return whether the game of this surface still exists in memory."""
        return self._game() is not None

    def begin_work(self) -> None:
        """Make the game and its OpenGL context current, until `end_work` is called."""
        self.make_current()
        game = self._game()
        assert game is not None
        current_game.begin_work(game)

    def end_work(self) -> None:
        """Restore the game that was current before `begin_work` was called."""
        current_game.end_work()

    def working(self) -> Working:
        """Return a context manager that calls `begin_work` at the start of its ``with`` block, and
        `end_work` at the end.
        """
        return Working(self)

    # -- only with a window ------------------------------------------------------------------------

    def needed(self, asked: str) -> None:
        """Raise `FrameworkError` if the game does not draw. ``asked`` is the name of the function
        that needs drawing, for the error message.
        """

    def listen(self, handlers: object) -> None:
        """Start calling the methods of ``handlers`` for window events."""

    def ignore(self, handlers: object) -> None:
        """Stop calling the methods of ``handlers`` for window events."""

    def closes_by(self, close: Callable[[], object] | None) -> None:
        """When the player closes the window, call ``close`` instead of the window's own method. If
        ``close`` is None, the window's own method is called again.
        """

    def copy(self, text: str) -> None:
        """Copy text to the clipboard of the operating system. If there is no window, do nothing."""

    def pasted(self) -> str:
        """Return the text on the clipboard of the operating system. If there is no window, return
        "".
        """
        return ""

    def hidden(self) -> bool:
        """Return whether the window is hidden or minimized, or has the size 0."""
        return False

    def use(self, off_screen: bool = False) -> moderngl.Framebuffer:
        """Bind the framebuffer of this surface, and return it. If ``off_screen`` is True, `read`
        can return the pixels of the frame after it has been drawn.
        """
        raise _no_pictures("use")

    def read(self) -> NDArray[np.uint8]:
        """Return the pixels of the offscreen framebuffer as an array."""
        raise _no_pictures("read")

    def start_drawing(self) -> None:
        """Send all OpenGL calls that are still buffered to the GPU, so that the GPU starts to
        draw.
        """

    def flip(self) -> None:
        """Show the painted frame in the window."""

    def screen(self) -> Screen:
        """Return the screen (monitor) that contains the middle of the window."""
        raise _no_pictures("screen")

    def close(self) -> None:
        """Release the framebuffers of the surface, and close its window. If the surface is already
        closed, do nothing.
        """


class NoSurface(GameSurface):
    """The surface of a game with ``drawing=False``. It has a size, but loads neither pyglet nor
    OpenGL.
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
    """A placeholder, in a game with ``drawing=False``, for an object that exists only in games that
    draw. Reading an attribute of the placeholder raises `NoPictures`.
    """

    not_state = True

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # Python itself reads these names
            raise AttributeError(name)
        raise _no_pictures(f"{self._name}.{name}")


class NoPictures(FrameworkError):
    """Raised if a game with ``drawing=False`` calls a function that needs drawing."""


def _no_pictures(asked: str) -> NoPictures:
    return NoPictures(
        f"{asked}: this game was made with drawing=False, so it has no window and no OpenGL; "
        "use them in draw(), which is not called then, or after `if self.drawing:`"
    )


def _pixels(units: int, ratio: float) -> int:
    return max(1, round(units * ratio)) if units else 0
