"""Display: the window, the mouse pointer, and how time follows the screen."""

from __future__ import annotations

from typing import Any

from .. import checks
from ..checks import flag
from ..watch.workload import Load
from .loop import Loop
from .names import kept
from .pointer import shape
from .settings import reading, setting
from .stage import Stage


@kept
class Display(checks.Sealed):
    """The part of a game that knows its window: `Game.display`."""

    __slots__ = ("_load", "_loop", "_stage")
    not_state = True

    def __init__(self, stage: Stage, loop: Loop, load: Load) -> None:
        self._stage, self._loop, self._load = stage, loop, load

    window: Any = reading("_stage.live.window", "pyglet's window.")
    headless: bool = reading(
        "_stage.live.headless", "Whether the game is drawn off screen, or not at all."
    )
    pacing: bool = setting(
        "_loop.pacing",
        flag,
        "Whether time follows the display's refreshes, where flips wait for them.",
    )
    pause_when_hidden: bool = setting(
        "_loop.pause_when_hidden", flag, "Whether time stands still while the window is hidden."
    )
    mouse_captured: bool = setting(
        "_stage.live.pointer.mouse_captured",
        flag,
        """Whether the game keeps the mouse: no pointer is seen or leaves the window, and ``mouse.dx`` and ``dy`` go on
        without end. For looking around; give it back when the game pauses. Off screen nothing comes of it.""",
    )
    mouse_visible: bool = setting(
        "_stage.live.pointer.mouse_visible",
        flag,
        "Whether the pointer is seen over the window, if the game draws none.",
    )
    mouse_cursor: str = setting(
        "_stage.live.pointer.mouse_cursor",
        shape,
        """The shape of the pointer: "default", "crosshair", "hand", "text", "wait", "no", "help", "size" and others of
        `pointer.CURSORS`.""",
    )

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

    @property
    def fullscreen(self) -> bool:
        """Whether the window fills the screen. Off screen it is False and setting it does nothing."""
        return self._stage.live.drawing and bool(self._stage.live.window.fullscreen)

    @fullscreen.setter
    def fullscreen(self, value: bool) -> None:
        value = flag("fullscreen", value)
        if not self._stage.live.headless:
            self._stage.live.window.set_fullscreen(value)

    def to_clipboard(self, words: str) -> None:
        """Have a text on the system's clipboard, where there is one: in a window."""
        if self._stage.live.drawing:
            self._stage.files.copy(checks.text("words", words))
