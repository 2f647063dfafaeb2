"""Display: the window, the mouse pointer, and frame pacing (the timing of frames)."""

from __future__ import annotations

from typing import Any

from .. import checks
from ..checks import flag
from ..other_names import Hinted
from ..watch.workload import Workload
from .loop import Loop
from .part_properties import reading, setting
from .pointer import shape
from .reserved_names import kept
from .stage import Stage


@kept
class Display(Hinted, checks.Sealed):
    """The window, mouse pointer and frame pacing of a game: `Game.display`."""

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
        """Whether the game's time follows the refreshes of the display, if the window waits for the
        refreshes.
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
        """The shape of the pointer: "default", "crosshair", "hand", "text", "wait", "no", "help", "size" and others of
        `pointer.CURSORS`.""",
    )

    @property
    def running_slowly(self) -> bool:
        """Whether the game is too slow: the work for a frame takes longer than the available time,
        averaged over 60 frames.

        In a window, the available time is the time between two refreshes of the display. Off
        screen, the available time is 1 / ``frame_rate`` seconds. `running_slowly` becomes True when
        the work takes 100 % of the available time, and False again below 85 %. The time of waiting
        for the display does not count as work, and frames of a hidden window are not measured. If a
        game in a window stays slow, a single warning gives the reason.
        """
        return self._load.running_slowly

    @property
    def fullscreen(self) -> bool:
        """Whether the window fills the whole screen. Off screen `fullscreen` is always False, and
        setting it has no effect.
        """
        return self._stage.live.drawing and bool(self._stage.live.window.fullscreen)

    @fullscreen.setter
    def fullscreen(self, value: bool) -> None:
        value = flag("fullscreen", value)
        if not self._stage.live.headless:
            self._stage.live.window.set_fullscreen(value)

    def to_clipboard(self, words: str) -> None:
        """Copy a text to the clipboard of the operating system. Nothing is copied if the game has
        no window.
        """
        if self._stage.live.drawing:
            self._stage.files.copy(checks.text("words", words))
