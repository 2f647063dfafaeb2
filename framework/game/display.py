"""The window of a game, its mouse pointer and its frame timing: `game.display`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .. import checks
from ..checks import flag
from ..other_engines.game_names import display_names
from ..other_engines.other_names import Hinted
from ..watch.workload import Workload
from .loop import Loop
from .part_properties import reading, setting
from .pointer import shape
from .reserved_names import kept
from .stage import Stage
from .window_settings import ScreenInfo, frames_per_second, smallest_size

if TYPE_CHECKING:
    from ..assets.images import ImageSource


@kept
@display_names
class Display(Hinted, checks.Sealed):
    """The window, the mouse pointer and the frame timing of a game. The attribute `Game.display` is
    an object of this class.
    """

    __slots__ = ("_load", "_loop", "_stage")
    not_state = True

    def __init__(self, stage: Stage, loop: Loop, load: Workload) -> None:
        self._stage = stage
        self._loop = loop
        self._load = load

    window: Any = reading("_stage.live.window", "The window object of pyglet.")
    headless: bool = reading(
        "_stage.live.headless", "True if the game is drawn off screen or not drawn at all."
    )
    pacing: bool = setting(
        "_loop.pacing",
        flag,
        """Whether game time is measured by the refreshes of the display. Set ``vsync`` too, because
        `pacing` has an effect only with ``vsync``.""",
    )
    vsync: bool = setting(
        "_stage.live.settings.vsync",
        flag,
        """Whether frames wait for the display's refresh. Without ``vsync`` the game draws as many
        frames as possible, up to `max_fps`. Some drivers do not let games change ``vsync``.
        """,
    )
    max_fps: float | None = setting(
        "_stage.live.settings.max_fps",
        frames_per_second,
        """The maximum number of frames per second in a window, or None for no limit besides
        `vsync`. Off screen, `max_fps` has no effect.
        """,
    )
    title: str = setting("_stage.live.settings.title", checks.text, "The title of the window.")
    min_size: tuple[int, int] | None = setting(
        "_stage.live.settings.min_size",
        smallest_size,
        """The smallest width and height to which the player can resize the window, in units. With
        None (the default), there is no limit. A smaller window is enlarged immediately.
        """,
    )
    pause_when_hidden: bool = setting(
        "_loop.pause_when_hidden", flag, "Whether the game is paused while the window is hidden."
    )
    mouse_captured: bool = setting(
        "_stage.live.pointer.mouse_captured",
        flag,
        """Whether the game captures the mouse. The pointer is then hidden and cannot leave the
        window.

        While the mouse is captured, ``mouse.dx`` and ``mouse.dy`` have no limit, as a first-person
        camera needs. Set `mouse_captured` to False in menus. Off screen, `mouse_captured` has no
        effect.
        """,
    )
    mouse_visible: bool = setting(
        "_stage.live.pointer.mouse_visible",
        flag,
        """Whether the mouse pointer is visible over the window. Set `mouse_visible` to False if the
        game draws its own pointer.
        """,
    )
    mouse_cursor: str = setting(
        "_stage.live.pointer.mouse_cursor",
        shape,
        """The shape of the pointer: "default", "crosshair", "hand", "text", "wait", "no", "help", "size"
        and others of `pointer.CURSORS`.""",
    )

    @property
    def running_slowly(self) -> bool:
        """Whether the game is running too slowly for smooth motion. `running_slowly` is True if the
        last 60 frames took, on average, more time than is available.

        In a window, the available time is the time between two refreshes of the display. In a game
        without a window, the available time is 1 / ``frame_rate`` seconds. `running_slowly` becomes
        True above 100 % of the available time, and False again below 85 %. Time spent waiting for
        the display is not measured, and frames of a hidden window do not count. If a game in a
        window stays too slow for a long time, the framework prints a single warning with the
        reason.
        """
        return self._load.running_slowly

    @property
    def session_status(self) -> bool:
        """Whether a box in the window shows the status of a network session, such as "Waiting for
        player 2". The box is visible only while no match is running. The default is True. Set
        `session_status` to False if your game shows ``game.session.status`` itself.
        """
        return self._loop.shows_status

    @session_status.setter
    def session_status(self, value: bool) -> None:
        self._loop.shows_status = flag("session_status", value)

    @property
    def fullscreen(self) -> bool:
        """Whether the window fills the whole screen. In a game without a window, the value is
        always False, and you cannot change it.
        """
        return self._stage.live.drawing and bool(self._stage.live.window.fullscreen)

    @fullscreen.setter
    def fullscreen(self, value: bool) -> None:
        value = flag("fullscreen", value)
        self._stage.live.set_fullscreen(value)

    @property
    def borderless(self) -> bool:
        """Whether the window has no title bar and no border. In a game without a window, the value
        is always False.
        """
        live = self._stage.live
        return not live.headless and live.window.style == "borderless"

    @property
    def icon(self) -> ImageSource | Sequence[ImageSource] | None:
        """The window's icon in the taskbar: one image, or a list of images in several sizes. With
        the default None, the operating system chooses an icon.

        `icon` accepts the same kinds of images as a `SpriteBatch`. Images larger than 256 pixels
        per side are scaled down. If you set `icon` to None, the window keeps its current icon.
        """
        icon: ImageSource | Sequence[ImageSource] | None = self._stage.live.settings.icon
        return icon

    @icon.setter
    def icon(self, value: ImageSource | Sequence[ImageSource] | None) -> None:
        self._stage.live.settings.set_icon(value, self._stage.folders)

    @property
    def screens(self) -> tuple[ScreenInfo, ...]:
        """The screens (monitors) of the machine, as a tuple. Each item of the tuple has a
        ``width``, a ``height`` and a ``refresh_rate``. In a game without a window, the tuple is
        empty.
        """
        return self._stage.live.screens()

    @property
    def screen(self) -> int | None:
        """The index in `screens` of the screen (monitor) that contains the middle of the window. In
        a game without a window, `screen` is None.

        If you set `screen` to an index, the window moves to the middle of that screen. A fullscreen
        window then fills that screen. In a game without a window, setting `screen` does nothing.
        """
        return self._stage.live.screen_number()

    @screen.setter
    def screen(self, value: int) -> None:
        live = self._stage.live
        index = checks.whole("screen", value, 0)
        count = len(live.screens())
        if count and index >= count:
            raise checks.wrong_value(
                "screen", f"an index below {count}, the number of screens", value
            )
        live.move_to_screen(index)

    def to_clipboard(self, words: str) -> None:
        """Copy text to the clipboard of the operating system. In a game without a window, this
        method does nothing.
        """
        if self._stage.live.drawing:
            self._stage.files.copy(checks.text("words", words))
