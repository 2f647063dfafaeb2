"""What there is to ask of a game, and to set while it runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from .. import checks
from ..checks import flag
from ..gpu.gl import moderngl
from ..gpu.graphics import Graphics
from ..timing.timestep import Timestep
from ..view import View, check_render_scale, check_samples
from ..watch.monitor import Monitor
from ..watch.workload import Load
from .names import kept
from .painter import Painter
from .pointer import shape
from .stage import Stage

if TYPE_CHECKING:
    import os

    from ..assets.palettes import Palette
    from ..watch.quality import Quality


def _reading(path: str, doc: str) -> Any:
    """A property for reading what one of the game's subsystems knows, such as "_loop.tick"."""
    return property(attrgetter(path), doc=doc)


def _setting(path: str, check: Callable[[str, Any], Any], doc: str) -> Any:
    """A property that one of the game's subsystems keeps, checked when it is set."""
    owner, _, name = path.rpartition(".")
    find = attrgetter(owner)

    def change(game: Any, value: Any) -> None:
        setattr(find(game), name, check(name, value))

    return property(attrgetter(path), change, doc=doc)


def rgb(name: str, value: object) -> tuple[float, float, float]:
    """A colour without its alpha."""
    red, green, blue, _ = checks.color(name, value)
    return red, green, blue


@kept
class Settings:
    """The properties of a game that its subsystems keep."""

    _home: Stage
    _live: Any  # a `Surface`, of a game that is open
    _load: Load
    _painter: Painter

    # -- what there is to know ---------------------------------------------------------------------

    timestep: Timestep = _reading("_loop.timestep", "The rules by which ticks are due.")
    tick: int = _reading(
        "_loop.tick", "The number of the tick that is running, or of the last one; 0 before them."
    )
    frames: int = _reading("_loop.frames", "Frames drawn so far.")
    exact: bool = _reading(
        "_loop.exact", "Whether ticks give the same bits on every machine; see the option."
    )
    view: View = _reading("_home.view", "How the picture's units lie on the framebuffer.")
    graphics: Graphics = _reading(
        "_home.graphics", "The GL context, and where files are looked up."
    )
    headless: bool = _reading("_live.headless", "Whether it is drawn off screen, or not at all.")
    drawing: bool = _reading("_live.drawing", "Whether there are pictures; see the option.")
    monitor: Monitor = _reading(
        "_home.monitor",
        "What the last frames took. Off screen too: frames follow a virtual clock "
        "there, their times are real.",
    )
    window: Any = _reading("_live.window", "pyglet's window.")
    ctx: moderngl.Context = _reading("_live.ctx", "The moderngl context, for drawing of your own.")

    @property
    def running_slowly(self) -> bool:
        """Whether a frame's work takes longer than there is time for it, on average of the last 60
        frames.

        There is time for it until the display's next refresh; off screen, for 1 / frame_rate
        seconds. True from 100 % of that on, until it is below 85 %. Waits for the screen are no
        work, and neither is what happens while the window is hidden. When it lasts, a game in a
        window warns once and says why.
        """
        return self._load.running_slowly

    # -- settings ----------------------------------------------------------------------------------

    background: str | Sequence[float] = _setting(
        "_painter.background",
        rgb,
        "Colour behind everything: red, green, blue, sRGB in 0..1, or '#123'.",
    )
    bar_color: str | Sequence[float] = _setting(
        "_painter.bar_color",
        rgb,
        "Colour of the bars beside a picture that leaves some of the window free.",
    )
    pacing: bool = _setting(
        "_loop.pacing",
        flag,
        "Whether time follows the display's refreshes, where flips wait for them.",
    )
    mouse_captured: bool = _setting(
        "_live.pointer.mouse_captured",
        flag,
        """Whether the game keeps the mouse: no pointer is seen or leaves the window, and ``mouse.dx`` and ``dy`` go on
        without end. For looking around; give it back when the game pauses. Off screen nothing comes of it.""",
    )
    mouse_visible: bool = _setting(
        "_live.pointer.mouse_visible",
        flag,
        "Whether the pointer is seen over the window, if the game draws none.",
    )
    mouse_cursor: str = _setting(
        "_live.pointer.mouse_cursor",
        shape,
        """The shape of the pointer: "default", "crosshair", "hand", "text", "wait", "no", "help", "size" and others of
        `pointer.CURSORS`.""",
    )
    pause_when_hidden: bool = _setting(
        "_loop.pause_when_hidden", flag, "Whether time stands still while the window is hidden."
    )
    render_scale: float = _setting(
        "_painter.world.render_scale",
        check_render_scale,
        """The resolution of the world's picture, above 0 and up to 2, of the window's.

        Unless it is 1, what cameras see is drawn off screen and brought to the window's size with a linear filter:
        in each frame up to the first drawable that was added with a scene's `hud`. That and all after it, and the
        panel of F3, are drawn at full resolution.
        """,
    )

    @property
    def palette(self) -> Palette | None:
        """The colours of a game of pixel art, each texel in the nearest; None for all. May be set
        to a `Palette`, to colours, or to the path of a file that has them."""
        pixel_art = self._painter.pixel_art
        return None if pixel_art is None else pixel_art.palette

    @palette.setter
    def palette(self, value: Palette | str | os.PathLike[str] | Sequence[Any] | None) -> None:
        if value is not None and not self._home.graphics.pixel_art:
            raise ValueError(
                "palette: only a game of pixel art has one: Game(resolution=(320, "
                "180), pixel_art=True)"
            )
        if value is not None:
            from ..assets.palettes import Palette  # most games have all colours

            value = value if isinstance(value, Palette) else Palette(value)
        if self._painter.pixel_art is not None:
            self._painter.pixel_art.palette = value

    @property
    def samples(self) -> int:
        """MSAA samples a pixel of the world's picture, 0 for none, at most as many as the driver
        has.

        When it is not what the window was made with, the world is drawn off screen, as with
        `render_scale`.
        """
        return self._painter.world.samples

    @samples.setter
    def samples(self, value: int) -> None:
        self._painter.world.samples = min(check_samples("samples", value), self._live.max_samples)

    @property
    def quality(self) -> Quality | None:
        """The governor of the game's quality, None for none. In a window it is given the work of
        each frame, or the GPU's time for the picture where that is more (and `monitor` is on, and
        the driver has it).

        The settings ``render_scale`` and ``samples`` of its level are set on the game.
        """
        return self._painter.world.quality

    @quality.setter
    def quality(self, value: Quality | None) -> None:
        if value is not None:
            from ..watch.quality import Quality  # what has none need not load it

            checks.instance("quality", value, Quality, what="a Quality or None")
        self._painter.world.set_quality(value)

    @property
    def fullscreen(self) -> bool:
        return self.drawing and bool(self._live.window.fullscreen)

    @fullscreen.setter
    def fullscreen(self, value: bool) -> None:
        value = flag("fullscreen", value)
        if not self.headless:
            self._live.window.set_fullscreen(value)

    def to_clipboard(self, words: str) -> None:
        """Have a text on the system's clipboard, where there is one: in a window."""
        if self.drawing:
            self._home.files.copy(checks.text("words", words))

    @property
    def overlay(self) -> bool:
        """Whether the monitor's numbers are drawn over the picture; F3 shows and hides them."""
        return self._painter.panels.overlay is not None

    @overlay.setter
    def overlay(self, value: bool) -> None:
        if flag("overlay", value):
            self._live.needed("overlay")
        with self._live.working():
            self._painter.panels.show_overlay(value, self.timestep)
