"""A scene that measures how late a player hears the sounds of a game."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from typing import TYPE_CHECKING, Any

from ..checks import function, number, whole
from ..input import key
from .scene import Scene

if TYPE_CHECKING:
    from ..ui.interface import UI

_WIDTH = 420
# The number of taps at the start that are not measured.
_WARM_UP = 3
# Seconds between the first and third quartiles of the taps; larger values mean uneven taps.
_MAX_SPREAD = 0.08
_LEAD = 1.0  # seconds until the first click


def fit_view(ui: UI, width: float, height: float, *, rows: int = 0) -> bool:
    """Reduce the scale of the widgets of a ready-made scene in a small view. See
    `interface.fit_view`.
    """
    from ..ui import interface  # imported here, because games without widgets do not load it

    return interface.fit_view(ui, width, height, rows=rows)


def heading_size(ui: UI, factor: float, dense: bool) -> float:
    """Return the font size of a heading in a ready-made scene. See `interface.heading_size`."""
    from ..ui import interface

    return interface.heading_size(ui, factor, dense)


class Calibration(Scene):
    """A scene that measures the sound delay (`Audio.delay`) while the player taps along with a
    metronome.

    On each click of the metronome, the player presses a key, a mouse button or a gamepad button.
    The scene measures the time from each click to the player's tap. This time is the sum of two
    delays: the delay of the sound device (such as wireless headphones) and the delay of the player.
    After ``taps`` measured taps, the scene sets `Audio.delay` and removes itself from the scene
    stack. If the taps are too irregular, the measurement starts again. The Escape key, or the B
    button of a gamepad, ends the scene without changing `Audio.delay`. Stop your music before you
    push this scene, because the player must hear the clicks clearly.

    Parameters
    ----------
    on_done
        Called with the new delay in seconds, for example to save it.
    bpm
        The tempo of the metronome, from 40 to 150 beats per minute. Default: 100.
    taps
        The number of taps to measure, from 4 to 64. The first three taps do not count. Default: 12.
    title
        The text at the top of the scene. The default text is "Tap along with the clicks".
    """

    opaque = True

    def __init__(
        self,
        on_done: Callable[[float], Any] | None = None,
        *,
        bpm: float = 100,
        taps: int = 12,
        title: object = "Tap along with the clicks",
    ) -> None:
        super().__init__()
        self._on_done = None if on_done is None else function("on_done", on_done)
        self._bpm = number("bpm", bpm, least=40, most=150)
        self._count = whole("taps", taps, 4, 64)
        self.title = str(title)
        self._delays: list[float] = []

    def setup(self) -> None:
        from ..audio.sound import Sound  # imported here so that games without sounds do not load it

        self._click = Sound.tone(1200, 0.03, wave="triangle")
        fit_view(self.ui, _WIDTH, 180)
        column = self.ui.column(anchor="center", width=_WIDTH, gap=12, padding=24, panel=True)
        column.label(self.title, font_size=24, align="center")
        self._progress = column.progress_bar(0.0)
        self._hint = column.label("", align="center")
        column.label("Escape, or B on a gamepad: back", align="center")

    def on_enter(self) -> None:
        from ..audio.beat_clock import BeatClock

        self._clock = BeatClock(self._bpm, self.game.audio.time + _LEAD)
        self._next = 0
        self._start_again("Any key, mouse or gamepad button")

    def update(self, dt: float) -> None:
        now = self.game.audio.time
        while (time := self._clock.time_of(self._next)) < now + dt:
            if time >= now:  # the scene may have been paused before
                self._click.play(at=time)
            self._next += 1

    def on_key_press(self, symbol: int, modifiers: int) -> None:
        # The Escape key ends the calibration. There is no cancel button, because the space bar
        # would press it.
        if symbol == key.ESCAPE:
            self.game.pop()
        else:
            self._tap()

    def on_mouse_press(self, x: float, y: float, button: int, modifiers: int) -> None:
        self._tap()

    def on_pad_press(self, pad: Any, button: str) -> None:
        if button == "b":
            self.game.pop()
        else:
            self._tap()

    def _tap(self) -> None:
        time = self.game.audio.time
        beat = self._clock.beat_at(time)
        if beat < -0.25:
            return
        # A tap belongs to the previous click, unless it comes shortly before the next click.
        self._delays.append(((beat + 0.25) % 1 - 0.25) * 60 / self._bpm)
        counted = sorted(self._delays[_WARM_UP:])
        self._progress.value = len(counted) / self._count
        if len(counted) < self._count:
            return
        quarter = len(counted) // 4
        if counted[-1 - quarter] - counted[quarter] > _MAX_SPREAD:
            self._start_again("The taps were uneven. Tap again with each click.")
            return
        self._finish(median(counted))

    def _start_again(self, hint: str) -> None:
        self._delays.clear()
        self._progress.value = 0.0
        self._hint.text = hint

    def _finish(self, delay: float) -> None:
        self.game.audio.delay = delay
        self.game.pop()
        if self._on_done is not None:
            self._on_done(delay)
