"""Where pictures go: a pyglet window, or off screen through EGL, with the same code and the same
picture.

pyglet decides once per process, when its window module is first imported, whether windows are real;
`prepare` makes that decision. Nothing here is imported by the pure parts of the framework.
"""

from __future__ import annotations

import ctypes
import functools
import gc
import importlib
import os
import re
import sys
import warnings
import weakref
from collections.abc import Callable
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
from ..input.tick_input import MAX_TEXT
from . import clipboard
from .surface import Surface, abandoned

if TYPE_CHECKING:
    from pyglet.display.base import Display, Screen
    from pyglet.gl import Config
    from pyglet.gl.base import Context
    from pyglet.window import BaseWindow

_EGL_HELP = (
    "Drawing off screen needs EGL and a GL driver. Debian and Ubuntu: apt-get install "
    "libegl1 libgl1-mesa-dri; "
    "Fedora: dnf install mesa-libEGL mesa-dri-drivers. `framework doctor` says what is there."
)
_DISPLAY_HELP = (
    "Pass headless=True (or --headless) to draw off screen, or start a virtual screen: "
    "xvfb-run -a python …"
)


def display_reachable() -> bool:
    """Whether a window could be opened here."""
    if not sys.platform.startswith("linux"):
        return True
    if not os.environ.get("DISPLAY"):
        return False
    from ctypes.util import find_library  # which loads what starts processes

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
    """Set pyglet up, once a process; returns whether drawing goes off screen.

    ``None`` asks for a window where there is a display. Raises `DisplayError` when a window is
    asked for and there is none, or when this process has already drawn off screen without one.
    """
    if "pyglet.window" in sys.modules:
        without_display = bool(pyglet.options["headless"])
        if headless is False and without_display:
            raise DisplayError(
                "A window was asked for, but this process has drawn off screen "
                "already, and pyglet keeps to that. "
                "Make the windowed game first, or in another process."
            )
        return without_display if headless is None else headless
    off_screen = not display_reachable() if headless is None else headless
    if headless is False and not display_reachable():
        raise DisplayError(f"A window was asked for, but {why_no_display()}. {_DISPLAY_HELP}")
    # EGL is for Linux; elsewhere an invisible window has the GL context. debug_gl would ask for
    # errors after each of pyglet's calls (35 µs a flip instead of 8); the shadow window is a second
    # context that nothing here needs.
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


class _NoDevices(ModuleType):
    """Stands for a module of pyglet's where what is in it would end in an error that explains
    nothing.
    """

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(name)
        self._reason = reason

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # asked for by the import system
            raise AttributeError(name)
        raise FrameworkError(self._reason)


def _explain_missing_devices() -> None:
    """Have ``pyglet.input`` say why there is no gamepad to be had here."""
    name = "pyglet.input"
    if not sys.platform.startswith("linux") or name in sys.modules:
        return
    if pyglet.options["headless"]:
        reason = (
            "off screen there are no gamepads and tablets: ask where `if not "
            "self.headless:` says there is a window"
        )
    elif not os.path.isdir("/dev/input"):
        reason = (
            "this machine has no /dev/input, where Linux has gamepads; a container needs "
            "it passed on to it"
        )
    else:
        return
    sys.modules[name] = _NoDevices(name, f"{name}: {reason}")


def why_no_display() -> str:
    """In words that follow "but"."""
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


# Units: X counts in 16 bits, and of more it waits for ever.
_LONGEST_SIDE = 32767

# pyglet drops its display with the last window, and `eglTerminate` then ends every context of the
# process, moderngl's own too, and the next window has to start the driver anew. With each the
# config of its windows: to be told of all that would do is a fifteenth of the time that an empty
# game takes, and they are the same every time.
_displays: dict[Display, Config] = {}


def close_abandoned() -> None:
    """Close those windows, with all that their games have.

    Python collects garbage at any moment, within another game's frame or thread too, when GL must
    not be touched. So this is called before a frame begins, and before a window is opened.
    """
    from pyglet import gl

    before = gl.current_context
    while abandoned:
        with suppress(Exception):  # of a game that nobody waits for
            abandoned.pop().close()
    if before is not None and before.canvas is not None:
        before.set_current()


def _weakly(method: Any) -> Callable[[Any], None]:
    """Calls the method while its object is there."""
    reference = weakref.WeakMethod(method)

    def call(event: Any) -> None:
        alive = reference()
        if alive is not None:
            alive(event)

    return call


# pyglet asks for the names of hundreds of extensions twice a context, a third of the time that an
# empty game takes. Off screen a process has one display, and so one driver: what it said the first
# time is still true.
_driver: dict[str, Any] = {}


def _know_driver(context: Context) -> None:
    """Tell pyglet what it knows of the driver already, before it makes a context current."""
    from pyglet.gl import gl_info

    if context._info is None and _driver:
        context._info = gl_info.GLInfo()
        vars(context._info).update(_driver)
    vars(gl_info._gl_info).update(_driver)


@functools.cache
def _window_class(base: type[BaseWindow]) -> type[BaseWindow]:
    class GameWindow(base):  # type: ignore[misc, valid-type]
        """pyglet's window, but that one which is garbage lets GL alone, and one that nobody has any
        more is garbage.

        And its program, whose block `ubo` is for pyglet's own drawing, is made when that is asked
        for: it would be a third of the time that a window takes.
        """

        def _create_projection(self) -> None:
            self._viewport = (0, 0, *self.get_framebuffer_size())

        @functools.cached_property
        def ubo(self) -> Any:
            super()._create_projection()  # which sets it
            return self.__dict__["ubo"]

        def _create(self) -> None:
            if hasattr(self.context, "egl_context"):
                _know_driver(self.context)
            super()._create()
            # With X11 the display would keep each window for ever: it has two of its methods, for
            # what comes from X.
            known: dict[int, Any] = getattr(self.display, "_window_map", {})
            for number, method in known.items():
                if getattr(method, "__self__", None) is self:
                    known[number] = _weakly(method)

        def __del__(self) -> None:
            if getattr(self, "context", None) is not None:
                abandoned.append(self)

    return GameWindow


class WindowSurface(Surface):
    """A pyglet window, its moderngl context, and the framebuffer that a game draws to.

    On screen the framebuffer is the window's own. Off screen it is one of ours, of ``size`` times
    ``pixel_ratio``.
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
    ) -> None:
        super().__init__(pixel_ratio, samples)
        self.headless = prepare(headless)
        self._own: _Target | None = None
        self._screen_list: list[Screen] | None = None
        if not self.headless and max(size) > _LONGEST_SIDE:
            raise DisplayError(
                f"size: {size[0]} x {size[1]} asked for, a window's sides are at most "
                f"{_LONGEST_SIDE}"
            )
        from pyglet import gl

        self.gl = gl
        close_abandoned()
        self.window = _open_window(
            size,
            title,
            vsync,
            resizable=resizable and not self.headless,
            fullscreen=fullscreen and not self.headless,
            samples=samples,
            visible=not self.headless,
        )
        if self.headless:
            _displays[self.window.display] = self.window.config
            _driver.update(vars(self.window.context.get_info()))
        if takes_mouse and not self.headless:
            self.pointer.window = self.window
        try:
            self.ctx = _context()
            belongs_to(self.ctx, self)
            self.max_samples = self.ctx.max_samples
            self.samples = min(samples, self.max_samples)
            self.resized(*size)
            if self.headless:
                self._own = self._target(self.framebuffer_size)
        except BaseException:
            self.close()
            raise

    def _target(self, pixels: tuple[int, int]) -> _Target:
        limit = driver_limit("GL_MAX_RENDERBUFFER_SIZE")
        if max(pixels) > limit:
            raise DisplayError(
                f"size: {pixels[0]} x {pixels[1]} pixels asked for, the GL driver "
                f"draws at most {limit}"
            )
        try:
            return _Target(self.ctx, pixels, self.samples)
        except moderngl.Error as error:
            raise DisplayError(
                f"The GL driver makes no picture of {pixels[0]} x {pixels[1]} pixels: {error}"
            ) from None

    @property
    def refresh_rate(self) -> float:  # type: ignore[override]  # read only here and there
        """Frames a second that the screen shows, 60 where it does not say."""
        mode = None if self.headless else self.screen().get_mode()
        return float(getattr(mode, "rate", None) or 60.0)

    def screen(self) -> Screen:
        """pyglet's screen that the window's middle is on; pyglet's own ``window.screen`` is where
        it was opened.
        """
        window = self.window
        place = window.get_location()
        if window.fullscreen or place is None:  # off screen there is no place
            return window.screen
        (left, top), (width, height) = place, window.get_size()
        x, y = left + width // 2, top + height // 2
        for screen in self._screens():
            if 0 <= x - screen.x < screen.width and 0 <= y - screen.y < screen.height:
                return screen
        return window.screen

    def _screens(self) -> list[Screen]:
        if self._screen_list is None:  # asked for once: X probes the hardware for it
            self._screen_list = list(self.window.display.get_screens())
        return self._screen_list

    def make_current(self) -> None:
        check_thread(self.thread)
        if self.window is None:
            raise FrameworkError(
                "This game was closed, and what it had on the GPU is gone with it; make a new one."
            )
        if self.gl.current_context is not self.window.context:
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
        # pyglet says `on_hide` of a minimised window, and nothing of one that the game itself
        # hides.
        return not (self.shown and self.drawable and (self.headless or self.window.visible))

    def use(self, off_screen: bool = False) -> moderngl.Framebuffer:
        """Bind what is drawn to. ``off_screen`` asks for a framebuffer that can be read after."""
        if self._own is not None and self._own.size != self.framebuffer_size:
            # GL's default one is bound first: moderngl goes back to the one bound before when it
            # makes another.
            self.ctx.screen.use()
            self._own.release()
            self._own = None
        if (off_screen or self.headless) and self._own is None:
            self._own = self._target(self.framebuffer_size)
        target = (
            self.ctx.screen
            if not (off_screen or self.headless) or self._own is None
            else self._own.framebuffer
        )
        if not off_screen:
            self.target = target
        target.viewport = (0, 0, *self.framebuffer_size)
        target.use()
        return target

    def read(self) -> NDArray[np.uint8]:
        """The off-screen framebuffer, uint8 (height, width, 4), row 0 at the top; opaque, as a
        screen is.
        """
        assert self._own is not None
        return self._own.read()

    def start_drawing(self) -> None:
        """Have the GPU draw what it was told so far, while the CPU does something else."""
        self.gl.glFlush()

    def flip(self) -> None:
        """Show what was drawn. Off screen there is nothing to show."""
        if not self.headless:
            self.window.flip()

    def close(self) -> None:
        window: BaseWindow | None = self.window
        nothing: Any = None
        self.window = nothing
        self.target = self.pointer.window = None
        if window is None:
            return
        if window.context is not None:
            window.switch_to()
            if self._own is not None:
                self._own.release()
                self._own = None
            if hasattr(self, "ctx"):
                self.ctx.release()
                self.ctx._screen = self.ctx.fbo = None  # type: ignore[attr-defined, assignment]  # they refer to it
        surface = getattr(window, "_egl_surface", None)
        window.close()
        if surface is not None:  # pyglet leaves it behind, a leak of a whole picture a window
            from pyglet.libs.egl import egl

            egl.eglDestroySurface(vars(window)["_egl_display_connection"], surface)
            vars(window)["_egl_surface"] = None
        if "ubo" in vars(window):
            _sweep()


def _sweep() -> None:
    """Free what pyglet leaves behind of a window in which something of its own was drawn: more than
    a thousand objects that refer to one another, and a pointer type for each program's window
    block, which ctypes keeps for ever (up to Python 3.13)."""
    if sys.version_info < (3, 14):
        pointers = ctypes._pointer_type_cache  # type: ignore[attr-defined]
        for made in [
            made for made in pointers if getattr(made, "__module__", "") == "pyglet.graphics.shader"
        ]:
            del pointers[made]
    gc.collect(1)


class _Target:
    """A framebuffer of our own, with MSAA when asked for."""

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
        picture = pixels.reshape(height, width, 4)[::-1].copy()
        picture[..., 3] = 255  # blending leaves other values behind, which no screen shows
        return picture

    def release(self) -> None:
        for part in self._parts:
            part.release()
        self._parts.clear()


def _open_window(
    size: tuple[int, int],
    title: str,
    vsync: bool,
    resizable: bool,
    fullscreen: bool,
    samples: int,
    visible: bool,
) -> BaseWindow:
    from pyglet import gl, window

    # While a window is made, pyglet must queue its events; after that they are to arrive at once.
    window.Window._enable_event_queue = True
    failure: Exception | None = None
    for wanted in [samples, 0] if samples and visible else [0]:
        config = (pyglet.options["headless"] and next(iter(_displays.values()), None)) or gl.Config(  # type: ignore[abstract]  # pyglet puts the system's class here
            double_buffer=True,
            red_size=8,
            green_size=8,
            blue_size=8,
            alpha_size=8,
            depth_size=24,
            major_version=3,
            minor_version=3,
            forward_compatible=True,
            sample_buffers=1 if wanted else 0,
            samples=wanted,
        )
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # pyglet's, about EGL devices
                return _window_class(window.Window)(
                    None if fullscreen else size[0],
                    None if fullscreen else size[1],
                    caption=title,
                    vsync=vsync,
                    resizable=resizable,
                    fullscreen=fullscreen,
                    visible=visible,
                    config=config,
                )
        except (window.NoSuchConfigException, gl.ContextException, gl.ConfigException) as error:
            failure = error
        except window.NoSuchDisplayException:
            raise DisplayError(
                f"A window was asked for, but {why_no_display()}. {_DISPLAY_HELP}"
            ) from None
        except (
            Exception
        ) as error:  # a broken driver fails in many ways, none of which says what to do
            failure = error
            break
        finally:
            window.Window._enable_event_queue = False
    what = "open a window" if visible else "draw off screen"
    words, hint = _words(failure), _help_for(failure)
    raise DisplayError(f"This machine cannot {what} with OpenGL 3.3 ({words}). {hint}") from failure


class _GlFunctions:
    """moderngl's finder of GL functions, one for the process, with its answers kept.

    moderngl never lets go of the 480 names and addresses that each new context asks for, 45 kB in
    all: asked this way it is half of that.
    """

    def __init__(self) -> None:
        self._loader = importlib.import_module("_moderngl").DefaultLoader()
        self.load_opengl_function = functools.cache(self._loader.load_opengl_function)

    def release(self) -> None:
        """It outlives the contexts."""


@functools.cache
def _gl_functions() -> _GlFunctions:
    return _GlFunctions()


def _help_for(error: Exception | None) -> str:
    """What to do about it: as a rule a driver is missing; or a file of the game's is named as a
    module of Python's.
    """
    words = set(re.findall(r"\w+", str(error)))
    for name in sorted(words & sys.stdlib_module_names):
        file = getattr(sys.modules.get(name), "__file__", None) or ""
        if file and not Path(file).is_relative_to(Path(os.__file__).parent):
            return (
                f"No driver is at fault: {file!r} stands in for Python's own module "
                f"{name!r}; rename that file."
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
            f"OpenGL 3.3 is needed, the driver ({renderer}) gives "
            f"{ctx.version_code / 100:.1f}. Update it, or try "
            "software drawing: LIBGL_ALWAYS_SOFTWARE=1."
        )
    return ctx
