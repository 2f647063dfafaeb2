"""What F3 shows over a game: where the time of its frames goes, in numbers, a graph and a strip."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..gpu import shaders
from ..gpu.gl import moderngl
from ..gpu.graphics import FRAME_BINDING
from ..timing.timestep import NANOSECONDS, Timestep
from .monitor import Monitor
from .panels import (
    FIELD,
    GUIDE,
    LINE,
    NOTE,
    NUMBERS,
    PANEL,
    WORDS,
    Color,
    Lettering,
    in_bytes,
    plain_state,
    premultiplied,
)

_FRAMES = 120  # shown, two units wide each
_STEP = 2
_MARGIN, _PADDING = 8, 8
_WIDTH = _FRAMES * _STEP
_GRAPH, _STRIP, _GAP = 60, 18, 8
_DISPLAY_FRAME = 50 / 3  # milliseconds: where the line is
_FULL = 2 * _DISPLAY_FRAME  # that the graph's height shows
_MOST_TICKS = 4  # that the strip's height shows
_STRIP_BOTTOM = _PADDING
_GRAPH_BOTTOM = _STRIP_BOTTOM + _STRIP + _GAP

# Of the bars that lie over each other, the front ones first: those of the graph, then those of the
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

# The names of the numbers, in two columns; those of a tick's parts follow when there are any.
_TABLE = (
    *("fps", "1 % low", "frame", "work", "update", "draw", "other", "wait"),
    *("ticks", "alpha", "dropped", "gc", "gpu", "time"),
)
_PARTS = "update."  # what the monitor's names of a tick's parts begin with
_AVERAGED = 60  # frames that a number is the mean of

# The numbers change this often, in nanoseconds: quicker ones cannot be read.
_REFRESH = NANOSECONDS // 4


class Overlay:
    """A panel over the picture's upper left corner, in one draw call of one rectangle.

    The graph's bars are frames, the newest at the right: update, draw, other work and, dim, the
    wait, over a line at 16.7 ms. Below, each frame's ticks and its alpha.
    """

    def __init__(self, monitor: Monitor, timestep: Timestep) -> None:
        self._monitor = monitor
        self._timestep = timestep
        self._refreshed: int | None = None
        self._bars = np.zeros((2, _FRAMES), np.uint32)  # as in overlay.frag
        self._seen = 0  # frames of the monitor that are in the bars, or have left them
        self._names: list[str] = []
        self._said: dict[str, str] = {}
        self._words: moderngl.Texture | None = None
        self._place = (0, 0, 0, 0)

    def attach(self, ctx: moderngl.Context, scale: int) -> None:
        """Make what it draws with; ``scale`` is the pixels in a unit."""
        self._ctx, self._scale = ctx, scale
        self._lettering = Lettering(scale)
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
        """Free what `attach` made."""
        for part in (self._array, self._program, self._buffer, self._words):
            if part is not None:
                part.release()
        self._words = None

    def draw(self, now: int, screen: tuple[int, int]) -> None:
        """Draw at ``now``, nanoseconds, into the bound framebuffer, whose size is ``screen``."""
        if self._refreshed is None or not 0 <= now - self._refreshed < _REFRESH:
            self._refreshed = now
            self._write_numbers()
        if self._take_over():
            self._buffer.orphan()  # the GPU may still read the old ones
            self._buffer.write(self._bars)
        if self._words is None:
            return
        ctx, (width, height) = self._ctx, self._words.size
        place = (*screen, width, height)
        if place != self._place:
            self._place = place
            margin = _MARGIN * self._scale
            shaders.set_uniform(
                self._program, "panel", (margin, screen[1] - margin - height, width, height)
            )
            shaders.set_uniform(self._program, "screen", screen)
        with plain_state(ctx):
            self._words.use(0)
            self._buffer.bind_to_uniform_block(FRAME_BINDING)
            self._array.render(moderngl.TRIANGLE_STRIP, vertices=4)

    # -- the bars ----------------------------------------------------------------------------------

    def _take_over(self) -> bool:
        """Bring the bars up to date: as a rule there is one frame more than at the last call."""
        monitor = self._monitor
        new = min(monitor.recorder.recorded - self._seen, _FRAMES)
        self._seen = monitor.recorder.recorded
        if new <= 0:
            return False
        frames = monitor.frames(new)
        heights = []
        for frame in frames:
            parts = frame.parts()
            update, draw, wait = (parts.get(name, 0) for name in ("update", "draw", "wait"))
            busy = update + draw
            work = max(frame.duration - wait, busy)
            heights.append(
                _packed(_GRAPH / _FULL / 1e6, update, busy, work, max(frame.duration, work))
            )
        strips = [
            _packed(_STRIP, min(frame.ticks / _MOST_TICKS, 1), frame.alpha) for frame in frames
        ]
        bars, new = self._bars, len(frames)
        bars[:, :-new] = bars[:, new:].copy()
        bars[:, -new:] = heights, strips
        return True

    # -- the numbers -------------------------------------------------------------------------------

    def _write_numbers(self) -> None:
        monitor, timestep = self._monitor, self._timestep
        known = monitor.names
        parts = [name for name in known if name.startswith(_PARTS)]
        ms = {name: _mean(monitor.series(name, _AVERAGED)) for name in _TABLE if name in known}
        ms |= {name: _mean(monitor.series(name, _AVERAGED)) for name in ("frame", *parts)}
        said = {name: f"{value:.2f} ms" for name, value in ms.items()}
        said["other"] = f"{max(0.0, ms['work'] - ms['update'] - ms['draw']):.2f} ms"
        said["fps"] = f"{1000 / ms['frame']:.1f}" if ms["frame"] else "-"
        said["1 % low"] = f"{monitor.low_1:.1f}"
        said["ticks"] = f"{ms['ticks']:.2f} a frame"
        said["alpha"] = f"{monitor.series('alpha', 1).sum():.2f}"
        said["dropped"] = f"{monitor.series('dropped', 1).sum() / 1000:.2f} s"
        said.setdefault("gpu", "-")
        said["time"] = "paused" if timestep.paused else f"x {timestep.time_scale:g}"
        names = [*_TABLE, *parts]
        if names != self._names:
            self._lay_out(names)
        self._say(said)

    def _lay_out(self, names: list[str]) -> None:
        """A panel with room for these numbers."""
        self._names, self._said = names, {}
        if self._words is not None:
            self._words.release()
        scale = self._scale
        height = _GRAPH_BOTTOM + _GRAPH + _GAP + (len(names) + 1) // 2 * LINE + _PADDING
        panel = self._panel = np.empty(
            (height * scale, (_WIDTH + 2 * _PADDING) * scale, 4), np.uint8
        )
        panel[:] = in_bytes(PANEL)
        for bottom, tall in ((_GRAPH_BOTTOM, _GRAPH), (_STRIP_BOTTOM, _STRIP)):
            low = (height - bottom) * scale
            panel[low - tall * scale : low, _PADDING * scale : (_PADDING + _WIDTH) * scale] = (
                in_bytes(FIELD)
            )
        guide = (height - _GRAPH_BOTTOM - round(_DISPLAY_FRAME * _GRAPH / _FULL)) * scale
        panel[guide - scale : guide, _PADDING * scale : (_PADDING + _WIDTH) * scale] = in_bytes(
            GUIDE
        )
        for index, name in enumerate(names):
            top, left, _ = self._cell(index)
            word = self._lettering.word(name.removeprefix(_PARTS), _KEYS.get(name, WORDS))
            panel[top : top + word.shape[0], left : left + word.shape[1]] = word
        self._words = self._ctx.texture((panel.shape[1], panel.shape[0]), 4)
        self._words.filter = (moderngl.NEAREST, moderngl.NEAREST)

    def _cell(self, index: int) -> tuple[int, int, int]:
        """Top, left and right of a name and its number, pixels."""
        line, column = divmod(index, 2)
        left = _PADDING + column * (_WIDTH // 2 + _GAP // 2)
        top = _PADDING + line * LINE
        return top * self._scale, left * self._scale, (left + _WIDTH // 2 - _GAP // 2) * self._scale

    def _say(self, said: dict[str, str]) -> None:
        """Write the numbers that are others than before."""
        assert self._words is not None
        for index, name in enumerate(self._names):
            if said[name] == self._said.get(name):
                continue
            top, _, right = self._cell(index)
            color = NOTE if name == "time" and said[name] != "x 1" else NUMBERS
            before = self._lettering.word(self._said.get(name, ""), color).shape[1]
            word = self._lettering.word(said[name], color)
            cell = self._panel[top : top + word.shape[0]]
            cell[:, right - before : right] = in_bytes(PANEL)
            cell[:, right - word.shape[1] : right] = word
        self._said = said
        self._words.write(np.ascontiguousarray(self._panel[::-1]))


def _packed(factor: float, *heights: float) -> int:
    """Four heights as bytes of quarters of a unit, the first one lowest."""
    word = 0
    for place, height in enumerate(heights):
        word |= min(round(4 * factor * height), 255) << 8 * place
    return word


def _mean(values: NDArray[np.float64]) -> float:
    """Of what is known; 0 of nothing."""
    values = values[~np.isnan(values)]
    return float(values.mean()) if len(values) else 0.0


def _vec4(color: Color) -> str:
    return f"vec4({', '.join(map(str, premultiplied(color).tolist()))})"
