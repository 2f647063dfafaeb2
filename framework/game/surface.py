"""What a game has of the place where its pictures go; where there is none, this is all of it."""

from __future__ import annotations

from _thread import get_ident
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from weakref import ref

from .. import current_game
from ..current_game import CurrentGame
from ..errors import FrameworkError
from ..gpu.graphics import check_thread
from .pointer import Pointer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pyglet.display.base import Screen
    from pyglet.window import BaseWindow

    from ..gpu.gl import moderngl

abandoned: list[BaseWindow] = []
"""Windows whose games nobody closed before Python found that they were garbage."""


class Surface:
    """The size of a game's picture, and whose turn it is to use it. `WindowSurface` is one that is
    drawn to.
    """

    not_state = True

    drawing = True
    """Whether there are pictures at all."""
    headless = True
    """Whether nobody sees them in a window."""
    refresh_rate = 60.0
    """Frames a second that the screen shows, 60 where it does not say."""
    window: BaseWindow
    """pyglet's; None once it is closed."""
    gl: Any = None
    """pyglet's module of GL."""
    ctx: moderngl.Context
    target: moderngl.Framebuffer | None = None
    """What a frame is drawn to, once `use` has made it; None after a change of size."""

    def __init__(self, pixel_ratio: float, samples: int) -> None:
        self.samples = self.max_samples = samples
        """MSAA samples a pixel, as many as the driver has; and how many there may be."""
        self.size = self.framebuffer_size = (0, 0)
        """Width and height in units (a window's logical pixels), and in physical pixels."""
        self.drawable = False
        """Whether there is anything to draw on: not when minimised or of size 0."""
        self.shown = True
        """False between pyglet's ``on_hide`` and ``on_show``."""
        self.moved = False
        """The window may be on another screen, or its screen in another mode."""
        self._ratio = pixel_ratio
        self.pointer = Pointer()
        self.thread = get_ident()
        """The one in which all is drawn."""
        self._game: Callable[[], CurrentGame | None] = lambda: None
        self.game_closed = False
        """Whether the game was closed."""

    @property
    def pixel_ratio(self) -> float:
        return self.framebuffer_size[0] / max(1, self.size[0])

    def resized(self, width: int, height: int) -> None:
        """The window has another size, in units. Off screen the picture takes it."""
        self.size = max(0, width), max(0, height)
        self.framebuffer_size = (
            _pixels(self.size[0], self._ratio),
            _pixels(self.size[1], self._ratio),
        )
        self.drawable = min(self.framebuffer_size) > 0
        self.target = None

    # -- whose turn it is --------------------------------------------------------------------------

    def belongs_to(self, game: CurrentGame) -> None:
        """Note the game that is drawn here, and that it is open."""
        self._game = ref(game)
        current_game.opened(game)

    def given_up(self) -> None:
        """Note that the game was closed."""
        self.game_closed = True
        game = self._game()
        if game is not None:
            current_game.closed(game)

    def make_current(self) -> None:
        """Have GL draw here, if another game was drawn in between. Raises `FrameworkError` in
        another thread than the game's."""
        check_thread(self.thread)

    def begin_frame(self) -> None:
        """Have GL draw here, and close the windows of games that are garbage."""

    def begin_work(self) -> None:
        """Have GL draw here, and make the game the current one, until `end_work`."""
        self.make_current()
        game = self._game()
        assert game is not None
        current_game.begin_work(game)

    def end_work(self) -> None:
        """Have GL draw again in the game that was current before, if there was one."""
        current_game.end_work()

    @contextmanager
    def working(self) -> Iterator[None]:
        """`begin_work`, and in the end `end_work`."""
        if self._game() is None:  # a surface by itself
            self.make_current()
            yield
            return
        self.begin_work()
        try:
            yield
        finally:
            self.end_work()

    # -- what only a window has --------------------------------------------------------------------

    def needed(self, asked: str) -> None:
        """Raise `FrameworkError` where there are no pictures for what was ``asked``."""

    def listen(self, handlers: object) -> None:
        """Have the window's events call the methods of an object."""

    def ignore(self, handlers: object) -> None:
        """No longer."""

    def closes_by(self, close: Callable[[], object] | None) -> None:
        """Have the window's own ``close`` call this; None for what it did before."""

    def copy(self, text: str) -> None:
        """Have a text on the system's clipboard, where there is one."""

    def pasted(self) -> str:
        """The text on the system's clipboard."""
        return ""

    def hidden(self) -> bool:
        """Whether nobody can see it: it is hidden, minimised, or of size 0."""
        return False

    def use(self, off_screen: bool = False) -> moderngl.Framebuffer:
        """Bind the framebuffer that is drawn to. Bind one that can be read if ``off_screen``."""
        raise _no_pictures("use")

    def read(self) -> NDArray[np.uint8]:
        """Return the pixels of the framebuffer that can be read."""
        raise _no_pictures("read")

    def start_drawing(self) -> None:
        """Send the calls so far to the GPU."""

    def flip(self) -> None:
        """Show what was drawn."""

    def screen(self) -> Screen:
        """Return pyglet's screen with the middle of the window."""
        raise _no_pictures("screen")

    def close(self) -> None:
        """Release the framebuffers and close the window. A second time does nothing."""


class NoSurface(Surface):
    """That of a game without pictures: it has a size, and nothing that needs a window's library or
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
    """Stands for what a game without pictures has not, and says so when something of it is asked
    for.
    """

    not_state = True

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # asked for by Python itself
            raise AttributeError(name)
        raise _no_pictures(f"{self._name}.{name}")


class NoPictures(FrameworkError):
    """Something was asked for that a game without pictures has not."""


def _no_pictures(asked: str) -> NoPictures:
    return NoPictures(
        f"{asked}: this game was made with drawing=False, and has no window, no OpenGL "
        "and no picture; what needs one "
        "belongs into draw(), which is not called then, or after `if self.drawing:`"
    )


def _pixels(units: int, ratio: float) -> int:
    return max(1, round(units * ratio)) if units else 0
