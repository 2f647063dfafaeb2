"""What F3 shows over a game: where the time of its frames goes, in numbers, a graph and a strip."""

from __future__ import annotations

import numpy as np

from .camera import Camera2D, View
from .graphics import Graphics
from .monitor import Monitor
from .sprites import SpriteBatch
from .text import Label, TextBatch
from .timestep import NANOSECONDS

Color = tuple[float, float, float, float]

_FRAMES = 120  # shown, two units wide each
_STEP = 2
_MARGIN, _PADDING = 8, 10
_WIDTH = _FRAMES * _STEP
_LINE = 15
_GRAPH, _STRIP, _GAP = 60, 18, 8
_DISPLAY_FRAME = 50 / 3  # milliseconds: where the line is
_FULL = 2 * _DISPLAY_FRAME  # that the graph's height shows
_MOST_TICKS = 4  # that the strip's height shows

_PANEL: Color = (0.03, 0.04, 0.07, 0.88)
_FIELD: Color = (1.0, 1.0, 1.0, 0.06)
_GUIDE: Color = (1.0, 1.0, 1.0, 0.35)
_WORDS: Color = (0.66, 0.70, 0.78, 1.0)

# Of the bars that lie over each other, the rear ones first.
_BARS: dict[str, Color] = {
    "wait": (0.55, 0.58, 0.66, 0.35),
    "other": (1.0, 0.76, 0.30, 1.0),
    "draw": (0.45, 0.86, 0.50, 1.0),
    "update": (0.35, 0.68, 1.0, 1.0),
    "alpha": (1.0, 0.55, 0.75, 0.65),
    "ticks": (0.68, 0.56, 1.0, 1.0),
}
_SHOWN = ("frame", "update", "draw", "wait", "ticks", "alpha")
_KEYS: dict[str, Color] = {name: (*_BARS[name][:3], 1.0) for name in _BARS if name != "wait"}

# The names of the numbers, in two columns.
_TABLE = (
    ("fps", "1 % low"),
    ("frame", "work"),
    ("update", "draw"),
    ("other", "wait"),
    ("ticks", "alpha"),
    ("dropped", "gc"),
)
_AVERAGED = 60  # frames that a number is the mean of

# The numbers change this often, in nanoseconds: quicker ones cannot be read.
_REFRESH = NANOSECONDS // 4


class Overlay:
    """A panel over the picture's upper left corner, in one draw call for its bars and one for its words.

    The graph's bars are frames, the newest at the right: update, draw, other work and, dim, the wait, over a line
    at 16.7 ms. Below, each frame's ticks and its alpha.
    """

    def __init__(self, monitor: Monitor) -> None:
        self.camera = Camera2D((1.0, 1.0))
        """To be bound at alpha 1: what is written is shown at once."""
        self._monitor = monitor
        self._bars = SpriteBatch(np.full((1, 1, 4), 255, np.uint8), filter="nearest", smooth_edges=False, anchor=(0, 0))
        self._text = TextBatch(size=12)
        self._numbers: dict[str, Label] = {}
        self._refreshed: int | None = None
        self._rows = np.empty((0, 0), np.intp)  # of the bars that move: (6, 120)
        self._table = np.zeros((len(_SHOWN), _FRAMES))
        self._seen = 0  # frames of the monitor that are in the table, or have left it

    def attach(self, graphics: Graphics) -> None:
        self._lay_out(_MARGIN, -_MARGIN)
        self._bars.attach(graphics)
        self._text.attach(graphics)

    def release(self) -> None:
        self._bars.release()
        self._text.release()

    def look(self, view: View) -> None:
        """The picture is as ``view`` says: have (0, 0) in its upper left corner."""
        self.camera.view = view
        width, height = view.size
        self.camera.position = width / 2, -height / 2

    def draw(self, now: int) -> None:
        """Draw, with `camera` bound, at ``now``, nanoseconds."""
        if self._refreshed is None or not 0 <= now - self._refreshed < _REFRESH:
            self._refreshed = now
            self._write_numbers()
        self._write_bars()
        self._bars.draw()
        self._text.draw()

    def _lay_out(self, left: float, top: float) -> None:
        """Put everything in its place, the panel's upper left corner at ``left``, ``top``."""
        x, y = left + _PADDING, top - _PADDING
        self._write_words(x, y)
        graph = y - len(_TABLE) * _LINE - _GAP - _GRAPH
        strip = graph - _GAP - _STRIP
        panel = (left, strip - _PADDING, _WIDTH + 2 * _PADDING, top - strip + _PADDING)
        fields = [(x, graph, _WIDTH, _GRAPH), (x, strip, _WIDTH, _STRIP)]
        for (fx, fy, width, height), color in zip([panel, *fields], [_PANEL, _FIELD, _FIELD], strict=True):
            self._bars.add(position=(fx, fy), scale=(width, height), color=color)
        across = x + np.arange(_FRAMES) * _STEP
        first = len(self._bars)
        for name, color in _BARS.items():
            base = strip if name in ("alpha", "ticks") else graph
            places = np.column_stack([across, np.full(_FRAMES, base)])
            self._bars.extend(_FRAMES, position=places, scale=(_STEP, 0), color=color)
        self._rows = np.arange(first, len(self._bars)).reshape(len(_BARS), _FRAMES)
        self._bars.add(position=(x, graph + _DISPLAY_FRAME * _GRAPH / _FULL), scale=(_WIDTH, 1), color=_GUIDE)

    def _write_words(self, x: float, y: float) -> None:
        half = _WIDTH / 2
        for line, names in enumerate(_TABLE):
            baseline = y - (line + 1) * _LINE
            for column, name in enumerate(names):
                left = x + column * (half + _GAP)
                right = left + half - _GAP
                self._numbers[name] = self._text.add("", (right, baseline), anchor=("right", "bottom"))
                self._text.add(name, (left, baseline), color=_KEYS.get(name, _WORDS))

    def _write_numbers(self) -> None:
        monitor = self._monitor
        times = {name: monitor.series(name)[-_AVERAGED:] for name in ("frame", "work", "update", "draw", "wait", "gc")}
        ms = {name: float(values.mean()) if len(values) else 0.0 for name, values in times.items()}
        ticks, alpha = monitor.series("ticks")[-_AVERAGED:], monitor.series("alpha")[-1:]
        said = {name: f"{value:.2f} ms" for name, value in ms.items()}
        said["other"] = f"{max(0.0, ms['work'] - ms['update'] - ms['draw']):.2f} ms"
        said["fps"] = f"{1000 / ms['frame']:.1f}" if ms["frame"] else "-"
        said["1 % low"] = f"{monitor.low_1:.1f}"
        said["ticks"] = f"{ticks.mean():.2f} a frame" if len(ticks) else "-"
        said["alpha"] = f"{alpha.sum():.2f}"
        said["dropped"] = f"{monitor.series('dropped')[-1:].sum() / 1000:.2f} s"
        # A tick of the words' own: the game may be paused, or between two.
        self._text.begin_tick(0.0)
        for name, label in self._numbers.items():
            label.text = said[name]
        self._text.end_tick()

    def _write_bars(self) -> None:
        self._take_over()
        frame, update, draw, wait, ticks, alpha = self._table
        busy = update + draw
        # The bars of a frame lie over each other, the tallest at the back.
        heights = np.minimum([frame, np.maximum(frame - wait, busy), busy, update], _FULL) * (_GRAPH / _FULL)
        bars = self._bars
        bars.begin_tick(0.0)  # of the bars' own, as with the words
        bars.scale[self._rows, 1] = [*heights, alpha * _STRIP, np.minimum(ticks / _MOST_TICKS, 1) * _STRIP]
        bars.end_tick()

    def _take_over(self) -> None:
        """Bring the table up to date: as a rule there is one frame more than at the last call."""
        table, monitor = self._table, self._monitor
        new = min(monitor.recorded - self._seen, _FRAMES)
        self._seen = monitor.recorded
        if new:
            table[:, :-new] = table[:, new:]
            for row, name in enumerate(_SHOWN):
                table[row, -new:] = monitor.series(name, new)
