"""Open a pyglet window, or an offscreen framebuffer with EGL if the game has no window.

Games with and without a window are drawn by the same code, so they produce the same pixels. When
``pyglet.window`` is imported, pyglet decides whether this process can open windows. `prepare` sets
pyglet's option for this decision, and then imports ``pyglet.window``. Modules that do not draw must
not import this module.
"""

from __future__ import annotations

import ctypes
import functools
import gc
import importlib
import os
import re
import sys
import threading
import warnings
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import moderngl
import numpy as np
import pyglet
from numpy.typing import NDArray

from ..errors import DisplayError, FrameworkError
from ..gpu.graphics import belongs_to, check_thread, driver_limit
from ..input.key_positions import AT_POSITION
from ..input.tick_input import MAX_TEXT
from . import clipboard
from .surface import GameSurface, abandoned
from .window_settings import ScreenInfo

if TYPE_CHECKING:
    from pyglet.display.base import Display, Screen
    from pyglet.gl import Config
    from pyglet.gl.base import Context
    from pyglet.window import BaseWindow

_EGL_HELP = (
    "Drawing off screen needs EGL and a GL driver. Debian and Ubuntu: apt-get install "
    "libegl1 libgl1-mesa-dri; "
    "Fedora: dnf install mesa-libEGL mesa-dri-drivers. `framework doctor` shows what is installed."
)
_DISPLAY_HELP = (
    "Pass headless=True (or --headless) to draw off screen, or start a virtual screen: "
    "xvfb-run -a python …"
)


_pyglet_lock = threading.RLock()
"""A lock for code that opens a window, closes it or makes its context current. It is needed because
all threads share pyglet's display and current context.
"""

_FORKED = (
    "this process was forked from a process that had used OpenGL, and OpenGL does not work after a "
    "fork. Start processes with multiprocessing.get_context('spawn'), fork before the first game, "
    "or make games with drawing=False in the forked process"
)
_opened = False  # whether this process or its parent process has used OpenGL
_forked = False


def _after_fork() -> None:
    """In a forked process, the next frame raises an error if the parent process has used OpenGL. A
    forked process does not have the threads of the graphics driver, so OpenGL calls could wait
    forever there.
    """
    global _forked, _pyglet_lock
    _forked = _opened
    # A new lock, because the old one may be locked by a thread that does not exist in the fork.
    _pyglet_lock = threading.RLock()
    if _forked:
        abandoned.clear()
        # The next frame then calls `make_current`, which raises an error.
        vars(sys.modules["pyglet.gl"])["current_context"] = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def display_reachable() -> bool:
    """Return whether this machine can open a window."""
    if not sys.platform.startswith("linux"):
        return True
    if not os.environ.get("DISPLAY"):
        return False
    # Imported here because it also loads modules that start processes.
    from ctypes.util import find_library

    name = find_library("X11")
    if name is None:
        return False
    try:
        x11 = ctypes.CDLL(name)
    except OSError:
        return False
    x11.XOpenDisplay.restype = ctypes.c_void_p
    x11.XOpenDisplay.argtypes = [ctypes.c_char_p]
    x11.XCloseDisplay.argtypes = [ctypes.c_void_p]
    display = x11.XOpenDisplay(None)
    if display:
        x11.XCloseDisplay(display)
    return bool(display)


def prepare(headless: bool | None = None) -> bool:
    """Configure pyglet for games with a window, or for games without a window. Return True if games
    in this process have no window.

    If ``headless`` is None, games have a window if the machine has a display. If ``headless`` is
    False, a missing display raises `DisplayError`. Also raise `DisplayError` if this process has
    already configured pyglet for games without a window.
    """
    if _forked:
        raise DisplayError(f"The game cannot draw: {_FORKED}.")
    _separate_machine_code()
    if "pyglet.window" in sys.modules:
        without_display = bool(pyglet.options["headless"])
        if headless is False and without_display:
            raise DisplayError(
                "A window was requested, but this process has drawn off screen already, and pyglet "
                "cannot change that. Make the windowed game first, or in another process."
            )
        return without_display if headless is None else headless
    off_screen = not display_reachable() if headless is None else headless
    if headless is False and not display_reachable():
        raise DisplayError(f"A window was requested, but {why_no_display()}. {_DISPLAY_HELP}")
    # EGL exists only on Linux. On other systems, an invisible window provides the GL context. With
    # the option debug_gl, pyglet would check for errors after each call (35 µs per flip instead of
    # 8). The option shadow_window would create a second context, which is not needed.
    pyglet.options["headless"] = off_screen and sys.platform.startswith("linux")
    pyglet.options["debug_gl"] = False
    pyglet.options["shadow_window"] = False
    try:
        importlib.import_module("pyglet.window")
    except (ImportError, AttributeError) as error:
        _forget_pyglet_window()
        raise DisplayError(
            f"pyglet cannot load its window library: {error}. {_help_for(error)}"
        ) from None
    _explain_missing_devices()
    return off_screen


def _separate_machine_code() -> None:
    """Disable Mesa's shader cache if the environment variable LP_NATIVE_VECTOR_WIDTH is set. The
    cache contains machine code of Mesa's software renderer, which depends on the vector width. Mesa
    22.3 does not check this width. Without this function, machine code for 256 bits could write
    beyond the end of buffers for 128 bits.
    """
    if "LP_NATIVE_VECTOR_WIDTH" in os.environ and "MESA_SHADER_CACHE_DIR" not in os.environ:
        os.environ.setdefault("MESA_SHADER_CACHE_DISABLE", "true")
        # The name of the same variable before Mesa 22.0.
        os.environ.setdefault("MESA_GLSL_CACHE_DISABLE", "true")


class _NoDevices(ModuleType):
    """A replacement for a pyglet module that cannot be imported on this machine. Reading an
    attribute of the replacement raises an error with a clear message.
    """

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(name)
        self._reason = reason

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # Python's import system reads these names
            raise AttributeError(name)
        raise FrameworkError(self._reason)


def _explain_missing_devices() -> None:
    """If this machine cannot use gamepads, replace the module ``pyglet.input``. Using the
    replacement raises an error with the reason.
    """
    name = "pyglet.input"
    if not sys.platform.startswith("linux") or name in sys.modules:
        return
    if pyglet.options["headless"]:
        reason = (
            "off screen there are no gamepads and tablets; use them after `if not self.headless:`"
        )
    elif not os.path.isdir("/dev/input"):
        reason = (
            "this machine has no /dev/input, where Linux lists gamepads; pass it to the container"
        )
    else:
        return
    sys.modules[name] = _NoDevices(name, f"{name}: {reason}")


def why_no_display() -> str:
    """Return the reason why there is no display, as part of a sentence for an error message."""
    name = os.environ.get("DISPLAY")
    return (
        f"the display {name!r} cannot be opened"
        if name
        else "no display is set (the variable DISPLAY is empty)"
    )


def _forget_pyglet_window() -> None:
    for name in [
        name
        for name in sys.modules
        if name.startswith(("pyglet.window", "pyglet.gl", "pyglet.display"))
    ]:
        del sys.modules[name]


# The maximum side of a window in units. X11 stores sizes in 16 bits, and waits forever for a larger
# window.
_MAX_SIDE = 32767

# pyglet deletes its display when the last window closes. `eglTerminate` then ends all contexts of
# the process, even moderngl's, and the next window must start the driver again. So the displays are
# kept here. The window config of each display is cached, because it is always the same, and
# searching for it takes a fifteenth of the start time of an empty game.
_displays: dict[Display, Config] = {}


def close_abandoned() -> None:
    """Close the windows of games that were not closed with `Game.close`, and release their GPU
    memory. Python may free a game at any time, even in a thread in which OpenGL calls are not
    allowed. So the windows of freed games are first stored in a list. This function, which is
    called before each frame and before a window is opened, closes them. After the call, there may
    be no current OpenGL context.
    """
    with _pyglet_lock:
        while abandoned:
            # Errors are ignored, because no code uses this game any longer.
            with suppress(Exception):
                abandoned.pop().close()


def _weakly(method: Any) -> Callable[[Any], None]:
    """Return a function that calls ``method``, but does not keep the object of ``method`` in
    memory. If the object no longer exists, the returned function does nothing.
    """
    reference = weakref.WeakMethod(method)

    def call(event: Any) -> None:
        bound = reference()
        if bound is not None:
            bound(event)

    return call


# For each context, pyglet queries the names of hundreds of extensions twice, which takes a third of
# the start time of an empty game. A process without a window has one display and one driver, so the
# first result stays valid.
_driver: dict[str, Any] = {}


def _cache_driver_info(context: Context) -> None:
    """Pass stored information about the driver to pyglet, so that pyglet does not query the driver
    for each new context.
    """
    from pyglet.gl import gl_info

    if context._info is None and _driver:
        context._info = gl_info.GLInfo()
        vars(context._info).update(_driver)
    vars(gl_info._gl_info).update(_driver)


@functools.cache
def _window_class(base: type[BaseWindow]) -> type[BaseWindow]:
    class GameWindow(base):  # type: ignore[misc, valid-type]
        """A pyglet window with changes for games.

        If Python frees the window object, the window is closed later, when OpenGL calls are
        allowed. pyglet's own shader program, with the uniform block `ubo`, is created only on first
        use. Creating it accounts for a third of the time that it takes to open a window.
        """

        key_position = 0
        """The position of the key in the current key event, as the number that Linux or Windows
        uses. If the position of the key is unknown, the number is 0.
        """

        if sys.platform.startswith("linux"):

            def _event_text_symbol(self, event: Any) -> Any:
                self.key_position = event.xkey.keycode - 8  # X11 adds 8 to the key numbers of Linux
                return super()._event_text_symbol(event)

        elif sys.platform == "win32":
            # `functools.wraps` also copies the list of messages for which pyglet calls the method.
            @functools.wraps(base._event_key)
            def _event_key(self, message: int, parameter: int, details: int) -> Any:
                # Bit 8 is set for keys of the extra block, such as the arrow keys.
                self.key_position = details >> 16 & 0x1FF
                return super()._event_key(message, parameter, details)

        def _create_projection(self) -> None:
            self._viewport = (0, 0, *self.get_framebuffer_size())

        @functools.cached_property
        def ubo(self) -> Any:
            super()._create_projection()  # sets ubo
            return self.__dict__["ubo"]

        def _create(self) -> None:
            if hasattr(self.context, "egl_context"):
                _cache_driver_info(self.context)
            super()._create()
            # On X11, the display stores two methods of each window as event handlers. These
            # references would prevent Python from freeing the window.
            handlers: dict[int, Any] = getattr(self.display, "_window_map", {})
            for number, method in handlers.items():
                if getattr(method, "__self__", None) is self:
                    handlers[number] = _weakly(method)

        def _recreate(self, changes: Sequence[str]) -> None:
            had_focus = getattr(self, "_active", False)
            super()._recreate(changes)
            # Without a window manager, X11 would not give the focus to the new window.
            if had_focus and hasattr(self, "_x_display"):
                self.activate()

        def __del__(self) -> None:
            if getattr(self, "context", None) is not None and not _forked:
                abandoned.append(self)

    return GameWindow


class WindowSurface(GameSurface):
    """A pyglet window, its moderngl context, and the framebuffer to which a game draws. For a
    visible window, this framebuffer belongs to the window. In a game without a visible window, the
    framebuffer has ``size`` times ``pixel_ratio`` pixels.
    """

    def __init__(
        self,
        size: tuple[int, int],
        *,
        title: str,
        headless: bool | None,
        vsync: bool,
        resizable: bool,
        fullscreen: bool,
        samples: int,
        pixel_ratio: float,
        takes_mouse: bool = True,
        borderless: bool = False,
        screen: int | None = None,
        physical_keys: bool = False,
    ) -> None:
        super().__init__(pixel_ratio, samples)
        self._physical_keys = physical_keys
        self._offscreen: _Target | None = None
        self._screen_list: list[Screen] | None = None
        global _opened
        with _pyglet_lock:
            self.headless = prepare(headless)
            _opened = True
            if not self.headless and max(size) > _MAX_SIDE:
                raise DisplayError(
                    f"size: expected at most {_MAX_SIDE} units per side, got {size[0]} x {size[1]}"
                )
            from pyglet import gl

            self.gl = gl
            close_abandoned()
            self.window = _open_window(
                size,
                title,
                vsync,
                resizable=resizable and not borderless and not self.headless,
                fullscreen=fullscreen and not self.headless,
                samples=samples,
                visible=not self.headless,
                borderless=borderless,
                screen=None if self.headless or screen is None else _screen(screen),
            )
            if self.headless:
                _displays[self.window.display] = self.window.config
                _driver.update(vars(self.window.context.get_info()))
            else:
                if takes_mouse:
                    self.pointer.window = self.window
                self.settings.window = self.window
                if screen is not None and not fullscreen and screen < len(self._screens()):
                    self.move_to_screen(screen)
            try:
                self._create_context(size, samples)
            except BaseException:
                self.close()
                raise

    def _create_context(self, size: tuple[int, int], samples: int) -> None:
        """Create the OpenGL context of the window, and the offscreen image if the window is not
        visible.
        """
        self.ctx = _context()
        belongs_to(self.ctx, self)
        self.max_samples = self.ctx.max_samples
        self.samples = min(samples, self.max_samples)
        self.resized(*size)
        if self.headless:
            self._offscreen = self._target(self.framebuffer_size)

    def _target(self, pixels: tuple[int, int]) -> _Target:
        limit = driver_limit("GL_MAX_RENDERBUFFER_SIZE")
        if max(pixels) > limit:
            raise DisplayError(
                f"size: expected at most {limit} pixels per side, the GL driver's limit, got "
                f"{pixels[0]} x {pixels[1]}"
            )
        try:
            return _Target(self.ctx, pixels, self.samples)
        except moderngl.Error as error:
            raise DisplayError(
                f"The GL driver cannot make a framebuffer of {pixels[0]} x {pixels[1]} pixels: {error}"
            ) from None

    @property
    def refresh_rate(self) -> float:  # type: ignore[override]  # read only here and there
        """The refresh rate of the window's screen, in refreshes per second. If the refresh rate is
        unknown, `refresh_rate` is 60.
        """
        return 60.0 if self.headless else _rate(self.screen())

    def screen(self) -> Screen:
        """Return the screen (monitor) that shows the middle of the window. pyglet's
        ``window.screen``, in contrast, is the screen on which the window was opened.
        """
        window = self.window
        location = window.get_location()
        if window.fullscreen or location is None:  # an offscreen window has no location
            return window.screen
        left, top = location
        width, height = window.get_size()
        x = left + width // 2
        y = top + height // 2
        for screen in self._screens():
            if 0 <= x - screen.x < screen.width and 0 <= y - screen.y < screen.height:
                return screen
        return window.screen

    def _screens(self) -> list[Screen]:
        if self._screen_list is None:  # cached, because X11 asks the hardware each time
            self._screen_list = list(self.window.display.get_screens())
        return self._screen_list

    def screens(self) -> tuple[ScreenInfo, ...]:
        if self.headless:
            return ()
        return tuple(
            ScreenInfo(screen.width, screen.height, _rate(screen)) for screen in self._screens()
        )

    def screen_number(self) -> int | None:
        if self.headless:
            return None
        current = self.screen()
        corners = [(screen.x, screen.y) for screen in self._screens()]
        corner = current.x, current.y
        return corners.index(corner) if corner in corners else None

    def move_to_screen(self, index: int) -> None:
        if self.headless:
            return
        screen = self._screens()[index]
        if self.window.fullscreen:
            self.window.set_fullscreen(False)
            self.window.set_fullscreen(True, screen=screen)
            self.settings.show_again()
        else:
            width, height = self.window.get_size()
            x = screen.x + max(0, screen.width - width) // 2
            y = screen.y + max(0, screen.height - height) // 2
            self.window.set_location(x, y)
        self.moved = True

    def set_fullscreen(self, fullscreen: bool) -> None:
        if self.headless or fullscreen == self.window.fullscreen:
            return
        if fullscreen:  # use the screen where the window is, not the first screen
            self.window.set_fullscreen(True, screen=self.screen())
        else:
            self.window.set_fullscreen(False)
        self.settings.show_again()

    def key_symbol(self, symbol: int) -> int:
        window: Any = self.window
        position = window.key_position
        window.key_position = 0  # events from tests have no position
        return AT_POSITION.get(position, symbol) if self._physical_keys else symbol

    @property
    def forked(self) -> bool:  # type: ignore[override]  # read only here
        """Whether this process is a fork of the process that created the surface."""
        return _forked

    def make_current(self) -> None:
        check_thread(self.thread)
        if _forked:
            raise FrameworkError(f"this game cannot be used here: {_FORKED}")
        if self.window is None:
            raise FrameworkError(
                "This game was closed, and its GPU memory was freed; make a new one."
            )
        if self.gl.current_context is not self.window.context:
            with _pyglet_lock:
                self.window.switch_to()

    def begin_frame(self) -> None:
        if abandoned:
            close_abandoned()
        self.make_current()

    def resized(self, width: int, height: int) -> None:
        super().resized(width, height)
        if not self.headless:
            self.size = self.window.get_size()
            self.framebuffer_size = self.window.get_framebuffer_size()
            self.drawable = min(self.framebuffer_size) > 0

    def listen(self, handlers: object) -> None:
        self.window.push_handlers(handlers)

    def ignore(self, handlers: object) -> None:
        self.window.remove_handlers(handlers)

    def closes_by(self, close: Callable[[], object] | None) -> None:
        vars(self.window).pop("close", None)
        if close is not None:
            vars(self.window)["close"] = close

    def copy(self, text: str) -> None:
        if not self.headless:
            clipboard.copy(self.window, text)

    def pasted(self) -> str:
        return "" if self.headless else clipboard.pasted(self.window)[: MAX_TEXT // 4]

    def hidden(self) -> bool:
        # pyglet sends `on_hide` for a minimized window, but not for a window that the game hides
        # itself.
        return not (self.shown and self.drawable and (self.headless or self.window.visible))

    def use(self, off_screen: bool = False) -> moderngl.Framebuffer:
        """Bind the framebuffer of this surface, and return it. If ``off_screen`` is True, `read`
        can return the pixels of the frame after it has been drawn.
        """
        if self._offscreen is not None and self._offscreen.size != self.framebuffer_size:
            # Bind the default framebuffer first. When moderngl creates a framebuffer, it binds the
            # current framebuffer again afterwards.
            self.ctx.screen.use()
            self._offscreen.release()
            self._offscreen = None
        if (off_screen or self.headless) and self._offscreen is None:
            self._offscreen = self._target(self.framebuffer_size)
        target = (
            self.ctx.screen
            if not (off_screen or self.headless) or self._offscreen is None
            else self._offscreen.framebuffer
        )
        if not off_screen:
            self.target = target
        target.viewport = (0, 0, *self.framebuffer_size)
        target.use()
        return target

    def read(self) -> NDArray[np.uint8]:
        """Return the pixels of the offscreen framebuffer, as a uint8 array of shape (height, width,
        4). Row 0 is at the top. All pixels are opaque.
        """
        assert self._offscreen is not None
        return self._offscreen.read()

    def start_drawing(self) -> None:
        """Send all OpenGL calls that are still buffered to the GPU, so that the GPU draws while the
        CPU does other work.
        """
        self.gl.glFlush()

    def flip(self) -> None:
        """Show the painted frame in the window. If there is no visible window, do nothing."""
        if not self.headless:
            self.window.flip()

    def close(self) -> None:
        window: BaseWindow | None = self.window
        nothing: Any = None
        self.window = nothing
        self.target = self.pointer.window = self.settings.window = None
        if window is not None:
            with _pyglet_lock:
                self._close(window)

    def _close(self, window: BaseWindow) -> None:
        if window.context is not None:
            window.switch_to()
            if self._offscreen is not None:
                self._offscreen.release()
                self._offscreen = None
            if hasattr(self, "ctx"):
                self.ctx.release()
                self.ctx._screen = self.ctx.fbo = None  # type: ignore[attr-defined, assignment]  # they refer to the context
        surface = getattr(window, "_egl_surface", None)
        window.close()
        # pyglet does not destroy the EGL surface, so each window would leak the memory of a
        # framebuffer.
        if surface is not None:
            from pyglet.libs.egl import egl

            egl.eglDestroySurface(vars(window)["_egl_display_connection"], surface)
            vars(window)["_egl_surface"] = None
        if "ubo" in vars(window):
            _sweep()


def _sweep() -> None:
    """Free the objects that pyglet has created in a window for drawing labels or shapes. After a
    window is closed, pyglet leaves more than a thousand objects in memory. Before Python 3.14, the
    module ctypes also stores a pointer type for each shader program of pyglet, and never frees it.
    """
    if sys.version_info < (3, 14):
        pointers = ctypes._pointer_type_cache  # type: ignore[attr-defined]
        for pointer_type in [
            pointer_type
            for pointer_type in pointers
            if getattr(pointer_type, "__module__", "") == "pyglet.graphics.shader"
        ]:
            del pointers[pointer_type]
    gc.collect(1)


def _rate(screen: Screen) -> float:
    """Return the refresh rate of a screen (monitor), in refreshes per second. Return 60 if the rate
    is unknown.
    """
    return float(getattr(screen.get_mode(), "rate", None) or 60.0)


def _screen(number: int) -> Screen | None:
    """Return the screen (monitor) with the index ``number``. If there is no screen with this index,
    for example because the player has unplugged a monitor, issue a warning and return None.
    """
    from pyglet import display

    screens = display.get_display().get_screens()
    if number < len(screens):
        screen: Screen = screens[number]
        return screen
    warnings.warn(
        f"screen: expected an index below {len(screens)}, the number of screens, got {number}; "
        "the window opens on the screen that the system chooses",
        RuntimeWarning,
        stacklevel=2,
    )
    return None


class _Target:
    """An offscreen framebuffer. With ``samples`` above 0, the framebuffer has MSAA
    (antialiasing).
    """

    def __init__(self, ctx: moderngl.Context, size: tuple[int, int], samples: int) -> None:
        self.size = size
        self._parts: list[moderngl.Framebuffer | moderngl.Renderbuffer] = []
        self.framebuffer = self._make(ctx, samples)
        self._resolved = self._make(ctx, 0) if samples else self.framebuffer
        self._ctx = ctx

    def _make(self, ctx: moderngl.Context, samples: int) -> moderngl.Framebuffer:
        color = ctx.renderbuffer(self.size, 4, samples=samples)
        depth = ctx.depth_renderbuffer(self.size, samples=samples)
        framebuffer = ctx.framebuffer([color], depth)
        self._parts += [framebuffer, color, depth]
        return framebuffer

    def read(self) -> NDArray[np.uint8]:
        if self._resolved is not self.framebuffer:
            self._ctx.copy_framebuffer(self._resolved, self.framebuffer)
        width, height = self.size
        pixels = np.frombuffer(self._resolved.read(components=4, alignment=1), np.uint8)
        image = pixels.reshape(height, width, 4)[::-1].copy()
        image[..., 3] = 255  # blending changes the alpha values, which a screen does not show
        return image

    def release(self) -> None:
        for part in self._parts:
            part.release()
        self._parts.clear()


def _new_config(samples: int) -> Config:
    """Return a request for a GL context with ``samples`` samples per pixel."""
    from pyglet import gl

    return gl.Config(  # type: ignore[abstract]  # pyglet replaces this class by the system's
        double_buffer=True,
        red_size=8,
        green_size=8,
        blue_size=8,
        alpha_size=8,
        depth_size=24,
        major_version=3,
        minor_version=3,
        forward_compatible=True,
        sample_buffers=1 if samples else 0,
        samples=samples,
    )


def _open_window(
    size: tuple[int, int],
    title: str,
    vsync: bool,
    resizable: bool,
    fullscreen: bool,
    samples: int,
    visible: bool,
    borderless: bool,
    screen: Screen | None,
) -> BaseWindow:
    from pyglet import gl, window

    style = window.Window.WINDOW_STYLE_BORDERLESS if borderless and visible else None

    # pyglet must queue the events of the new window. Later events are handled immediately.
    window.Window._enable_event_queue = True
    failure: Exception | None = None
    shared_config = next(iter(_displays.values()), None) if pyglet.options["headless"] else None
    for sample_count in [samples, 0] if samples and visible else [0]:
        config = shared_config or _new_config(sample_count)
        # A broken driver raises errors of many kinds, none of which helps the player.
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # ignore warnings of pyglet about EGL devices
                return _window_class(window.Window)(
                    None if fullscreen else size[0],
                    None if fullscreen else size[1],
                    caption=title,
                    vsync=vsync,
                    resizable=resizable,
                    fullscreen=fullscreen,
                    visible=visible,
                    config=config,
                    style=style,
                    screen=screen,
                )
        except (window.NoSuchConfigException, gl.ContextException, gl.ConfigException) as error:
            failure = error
        except window.NoSuchDisplayException:
            raise DisplayError(
                f"A window was requested, but {why_no_display()}. {_DISPLAY_HELP}"
            ) from None
        except Exception as error:
            failure = error
            break
        finally:
            window.Window._enable_event_queue = False
    action = "open a window" if visible else "draw off screen"
    words = _words(failure)
    hint = _help_for(failure)
    raise DisplayError(
        f"This machine cannot {action} with OpenGL 3.3 ({words}). {hint}"
    ) from failure


class _GlFunctions:
    """Finds the OpenGL functions for moderngl. All OpenGL contexts of the process share one object
    of this class. For each new context, moderngl looks up the addresses of 480 functions, which
    takes 45 kB of memory that is never freed. `_GlFunctions` stores the addresses, so a context
    needs only half as much memory.
    """

    def __init__(self) -> None:
        self._loader = importlib.import_module("_moderngl").DefaultLoader()
        self.load_opengl_function = functools.cache(self._loader.load_opengl_function)

    def release(self) -> None:
        """Do nothing, because later OpenGL contexts reuse this object."""


@functools.cache
def _gl_functions() -> _GlFunctions:
    return _GlFunctions()


def _help_for(error: Exception | None) -> str:
    """Return a hint for an error that was raised while a window was being opened. Often a driver is
    missing, or a file of the game has the same name as a Python module.
    """
    words = set(re.findall(r"\w+", str(error)))
    for name in sorted(words & sys.stdlib_module_names):
        file = getattr(sys.modules.get(name), "__file__", None) or ""
        if file and not Path(file).is_relative_to(Path(os.__file__).parent):
            return (
                f"The driver is not the problem: {file!r} replaces Python's own module {name!r}; "
                "rename that file."
            )
    return _EGL_HELP


def _words(error: Exception | None) -> str:
    return ": ".join(part for part in (type(error).__name__, str(error)) if part)


def _context() -> moderngl.Context:
    try:
        moderngl.init_context(loader=_gl_functions())
        ctx = moderngl.get_context()
    except Exception as error:
        raise DisplayError(
            f"moderngl cannot use this machine's GL: {error}. {_EGL_HELP}"
        ) from error
    if ctx.version_code < 330:
        renderer = ctx.info.get("GL_RENDERER", "unknown")
        raise DisplayError(
            f"OpenGL 3.3 is required, but the driver ({renderer}) has "
            f"{ctx.version_code / 100:.1f}. Update it, or try "
            "software drawing: LIBGL_ALWAYS_SOFTWARE=1."
        )
    return ctx
