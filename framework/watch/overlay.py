"""The panel that F3 opens, with the frame times of a game as numbers and graphs."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from ..gpu import shaders
from ..gpu.gl import moderngl
from ..gpu.graphics import FRAME_BINDING
from ..timing.timestep import NANOSECONDS, Timestep
from .frame_stats import FrameStats, FrameTimes
from .panels import (
    FIELD,
    GUIDE,
    LINE,
    NOTE,
    NUMBERS,
    PANEL,
    WORDS,
    Color,
    PanelText,
    Pixels,
    in_bytes,
    plain_state,
    premultiplied,
)

_FRAMES = 120  # the number of frames in the graph
_STEP = 2
_MARGIN = 8
_PADDING = 8
_WIDTH = _FRAMES * _STEP
_GRAPH = 60
_STRIP = 18
_GAP = 8
_DISPLAY_FRAME = 50 / 3  # in milliseconds; the graph has a line at this height
_GRAPH_MAX = 2 * _DISPLAY_FRAME  # how many milliseconds the full height of the graph stands for
_MAX_TICKS = 4  # how many ticks the full height of the strip stands for
_STRIP_BOTTOM = _PADDING
_GRAPH_BOTTOM = _STRIP_BOTTOM + _STRIP + _GAP

# Colors of overlapping bars, from front to back: first the bars of the graph, then the bars of the
# strip.
_BARS: dict[str, Color] = {
    "update": (0.35, 0.68, 1.0, 1.0),
    "draw": (0.45, 0.86, 0.50, 1.0),
    "other": (1.0, 0.76, 0.30, 1.0),
    "wait": (0.55, 0.58, 0.66, 0.35),
    "ticks": (0.68, 0.56, 1.0, 1.0),
    "alpha": (1.0, 0.55, 0.75, 0.65),
}
_KEYS: dict[str, Color] = {name: (*_BARS[name][:3], 1.0) for name in _BARS if name != "wait"}

# The names of the numbers, in two columns. The overlay also shows the parts of a tick and the
# numbers of a network session.
_TABLE = (
    "fps",
    "1 % low",
    "frame",
    "work",
    "update",
    "draw",
    "other",
    "wait",
    "ticks",
    "alpha",
    "dropped",
    "gc",
    "gpu",
    "time",
)
_PARTS = "update."  # the names of the series for the parts of a tick begin with this
_AVERAGED = 60  # each number is the mean over this number of frames

# The time between two updates of the numbers, in nanoseconds. Numbers that change faster cannot be
# read.
_REFRESH = NANOSECONDS // 4


class Overlay:
    """A panel in the upper left corner of the window. The GPU draws the overlay as one rectangle.

    Each bar of the graph shows one frame, with the newest frame at the right. The colors in a bar
    show how long updating, drawing and other work took. Waiting time is shown in a darker color. A
    horizontal line marks 16.7 ms, the duration of a frame at 60 Hz. The strip below the graph shows
    the number of ticks and the alpha of each frame.
    """

    def __init__(
        self,
        stats: FrameStats,
        timestep: Timestep,
        further: Callable[[], Mapping[str, str]] = dict,
    ) -> None:
        """``further`` is a function that returns additional numbers for the panel, such as the ping
        of a network session, as a dict of names and texts.
        """
        self._stats = stats
        self._further = further
        self._timestep = timestep
        self._refreshed: int | None = None
        self._bars = np.zeros((2, _FRAMES), np.uint32)  # in the format that overlay.frag reads
        self._seen = 0  # the number of frames that were copied into `_bars`
        self._names: list[str] = []
        self._said: dict[str, str] = {}
        self._words: moderngl.Texture | None = None
        self._place = (0, 0, 0, 0)

    def attach(self, ctx: moderngl.Context, scale: int) -> None:
        """Create the GPU objects of the overlay. ``scale`` is the number of screen pixels per
        unit.
        """
        self._ctx = ctx
        self._scale = scale
        self._panel_text = PanelText(scale)
        defines: dict[str, str | int | float] = {
            "SCALE": scale,
            "FRAMES": _FRAMES,
            "LEFT": _PADDING,
            "GRAPH": _GRAPH_BOTTOM,
            "GRAPH_HEIGHT": _GRAPH,
            "STRIP": _STRIP_BOTTOM,
            "STRIP_HEIGHT": _STRIP,
            **{name.upper(): _vec4(color) for name, color in _BARS.items()},
        }
        program = self._program = shaders.program(
            ctx, "overlay.vert", "overlay.frag", defines=defines
        )
        shaders.set_uniform(program, "words", 0)
        program["Bars"].binding = FRAME_BINDING  # type: ignore[union-attr]
        self._buffer = ctx.buffer(self._bars, dynamic=True)
        self._array = ctx.vertex_array(program, [])

    def release(self) -> None:
        """Release the GPU objects of the overlay."""
        for part in (self._array, self._program, self._buffer, self._words):
            if part is not None:
                part.release()
        self._words = None

    def draw(self, now: int, screen: tuple[int, int]) -> None:
        """Draw the overlay to the current framebuffer. ``screen`` is the size of the framebuffer in
        pixels, and ``now`` is the current time in nanoseconds.
        """
        if self._refreshed is None or not 0 <= now - self._refreshed < _REFRESH:
            self._refreshed = now
            self._write_numbers()
        if self._copy_frames():
            self._buffer.orphan()  # get new memory, because the GPU may still read the old bars
            self._buffer.write(self._bars)
        if self._words is None:
            return
        ctx = self._ctx
        width, height = self._words.size
        position = (*screen, width, height)
        if position != self._place:
            self._place = position
            margin = _MARGIN * self._scale
            panel = (margin, screen[1] - margin - height, width, height)
            shaders.set_uniform(self._program, "panel", panel)
            shaders.set_uniform(self._program, "screen", screen)
        with plain_state(ctx):
            self._words.use(0)
            self._buffer.bind_to_uniform_block(FRAME_BINDING)
            self._array.render(moderngl.TRIANGLE_STRIP, vertices=4)

    # -- the bars ----------------------------------------------------------------------------------

    def _copy_frames(self) -> bool:
        """Add a bar to the graph for each new frame. Return False if there is no new frame."""
        stats = self._stats
        new = min(stats.recorder.recorded - self._seen, _FRAMES)
        self._seen = stats.recorder.recorded
        if new <= 0:
            return False
        frames = stats.frames(new)
        bars = self._bars
        new = len(frames)
        bars[:, :-new] = bars[:, new:].copy()
        bars[:, -new:] = [_bar(frame) for frame in frames], [_strip(frame) for frame in frames]
        return True

    # -- the numbers -------------------------------------------------------------------------------

    def _write_numbers(self) -> None:
        available = self._stats.names
        parts = [name for name in available if name.startswith(_PARTS)]
        further = self._further()
        names = [*_TABLE, *parts, *further]
        if names != self._names:
            self._lay_out(names)
        series = [name for name in _TABLE if name in available]
        self._write_changed({**self._texts([*series, "frame", *parts]), **further})

    def _texts(self, series: list[str]) -> dict[str, str]:
        """Return the text of each number in the panel. ``series`` contains the names of the series
        whose mean is shown.
        """
        stats = self._stats
        timestep = self._timestep
        ms = {name: _mean(stats.series(name, _AVERAGED)) for name in series}
        texts = {name: f"{value:.2f} ms" for name, value in ms.items()}
        texts["other"] = f"{max(0.0, ms['work'] - ms['update'] - ms['draw']):.2f} ms"
        texts["fps"] = f"{1000 / ms['frame']:.1f}" if ms["frame"] else "-"
        texts["1 % low"] = f"{stats.low_1:.1f}"
        texts["ticks"] = f"{ms['ticks']:.2f} a frame"
        texts["alpha"] = f"{stats.series('alpha', 1).sum():.2f}"
        texts["dropped"] = f"{stats.series('dropped', 1).sum() / 1000:.2f} s"
        texts.setdefault("gpu", "-")
        texts["time"] = "paused" if timestep.paused else f"x {timestep.time_scale:g}"
        return texts

    def _lay_out(self, names: list[str]) -> None:
        """Draw the background of the panel and the label of each number, and leave space for the
        numbers.
        """
        self._names = names
        self._said = {}
        if self._words is not None:
            self._words.release()
        panel = self._panel = self._background((len(names) + 1) // 2)
        for index, name in enumerate(names):
            top, left, _ = self._cell(index)
            word = self._panel_text.word(name.removeprefix(_PARTS), _KEYS.get(name, WORDS))
            panel[top : top + word.shape[0], left : left + word.shape[1]] = word
        self._words = self._ctx.texture((panel.shape[1], panel.shape[0]), 4)
        self._words.filter = (moderngl.NEAREST, moderngl.NEAREST)

    def _background(self, lines: int) -> Pixels:
        """Return an image of the panel with space for the graph, the strip and lines of numbers."""
        scale = self._scale
        height = _GRAPH_BOTTOM + _GRAPH + _GAP + lines * LINE + _PADDING
        panel = np.empty((height * scale, (_WIDTH + 2 * _PADDING) * scale, 4), np.uint8)
        panel[:] = in_bytes(PANEL)
        columns = slice(_PADDING * scale, (_PADDING + _WIDTH) * scale)
        for bottom, section_height in ((_GRAPH_BOTTOM, _GRAPH), (_STRIP_BOTTOM, _STRIP)):
            low = (height - bottom) * scale
            panel[low - section_height * scale : low, columns] = in_bytes(FIELD)
        guide = (height - _GRAPH_BOTTOM - round(_DISPLAY_FRAME * _GRAPH / _GRAPH_MAX)) * scale
        panel[guide - scale : guide, columns] = in_bytes(GUIDE)
        return panel

    def _cell(self, index: int) -> tuple[int, int, int]:
        """Return the position of a number and its label as a tuple (top, left, right), in pixels of
        the panel.
        """
        line, column = divmod(index, 2)
        left = _PADDING + column * (_WIDTH // 2 + _GAP // 2)
        top = _PADDING + line * LINE
        return top * self._scale, left * self._scale, (left + _WIDTH // 2 - _GAP // 2) * self._scale

    def _write_changed(self, texts: dict[str, str]) -> None:
        """Draw the numbers that have changed since they were last drawn."""
        assert self._words is not None
        for index, name in enumerate(self._names):
            if texts[name] == self._said.get(name):
                continue
            top, _, right = self._cell(index)
            color = NOTE if name == "time" and texts[name] != "x 1" else NUMBERS
            before = self._panel_text.word(self._said.get(name, ""), color).shape[1]
            word = self._panel_text.word(texts[name], color)
            cell = self._panel[top : top + word.shape[0]]
            cell[:, right - before : right] = in_bytes(PANEL)
            cell[:, right - word.shape[1] : right] = word
        self._said = texts
        self._words.write(np.ascontiguousarray(self._panel[::-1]))


def _bar(frame: FrameTimes) -> int:
    """Return the heights of the parts of a frame's bar, packed into one integer."""
    parts = frame.parts()
    update, draw, wait = (parts.get(name, 0) for name in ("update", "draw", "wait"))
    busy = update + draw
    work = max(frame.duration - wait, busy)
    return _packed(_GRAPH / _GRAPH_MAX / 1e6, update, busy, work, max(frame.duration, work))


def _strip(frame: FrameTimes) -> int:
    return _packed(_STRIP, min(frame.ticks / _MAX_TICKS, 1), frame.alpha)


def _packed(factor: float, *heights: float) -> int:
    """Pack the heights of up to four bars into one integer. Each height takes one byte. The heights
    are multiplied by ``factor`` and rounded to quarters of a unit. The first height is in the
    lowest byte.
    """
    word = 0
    for index, height in enumerate(heights):
        word |= min(round(4 * factor * height), 255) << 8 * index
    return word


def _mean(values: NDArray[np.float64]) -> float:
    """Return the mean of all values that are not NaN, or 0 if all values are NaN."""
    values = values[~np.isnan(values)]
    return float(values.mean()) if len(values) else 0.0


def _vec4(color: Color) -> str:
    return f"vec4({', '.join(map(str, premultiplied(color).tolist()))})"
