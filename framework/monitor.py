"""Where a frame's time goes: the last frames, timed, summed up and written to files.

Nothing here draws or waits: a `Monitor` is told what happened and when, in integer nanoseconds of one clock. Only
the pauses of Python's garbage collector, of which nobody else hears, are timed here.
"""

from __future__ import annotations

import csv
import gc
import io
import json
import math
import os
import time
import weakref
from collections import deque
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .errors import AssetError
from .timestep import NANOSECONDS, whole

_MS = 1e6  # nanoseconds in a millisecond
_US = 1e3

_TIMES = ("frame", "work", "update", "draw", "wait", "gc")
_STATES = ("ticks", "alpha", "dropped")

# Collections that one frame can hold; more would be those of a program that draws nothing.
_MOST_PAUSES = 256


@dataclass(frozen=True)
class Statistics:
    """What the times of one series come to, milliseconds."""

    mean: float
    median: float
    p95: float
    """95 of 100 frames took no longer."""
    p99: float
    worst: float
    low_1: float
    """Frames a second at the pace of the slowest hundredth ("1 % low"); 0 where nothing took any time."""


@dataclass(frozen=True)
class Summary:
    """The frames that a `Monitor` remembers, in numbers."""

    frames: int
    fps: float
    """Frames a second."""
    low_1: float
    """Frames a second in the slowest hundredth of the frames."""
    ticks_per_frame: float
    dropped_time: float
    """Seconds given up by the loop, since the game began."""
    times: dict[str, Statistics]
    """Of each series of times: frame, work, update, draw, wait, gc, those of your own spans, and gpu if it is known."""


class _Frame(NamedTuple):
    number: int
    start: int
    duration: int
    ticks: int
    alpha: float
    dropped: float
    parts: dict[str, int]
    """Nanoseconds by the span's name, and "gpu" once it is known."""
    spans: list[Any]
    """name, start, end, name, start, end, …: flat, as each tuple would be one more thing to collect."""


class Monitor:
    """Remembers the last frames: how long they took, and what took it.

    A frame lasts from its `begin_frame` to the next one, or to its `end_frame`. What is told while no frame is open
    is not counted.

    Parameters
    ----------
    frames
        How many frames are remembered.
    on
        Whether it starts measuring at once; see `on`.
    clock
        Reads the clock, integer nanoseconds, when the garbage collector begins and ends.
    """

    def __init__(self, frames: int = 240, *, on: bool = True, clock: Callable[[], int] = time.perf_counter_ns) -> None:
        self._frames: deque[_Frame] = deque(maxlen=whole("frames", frames, 1))
        self._collections = _Collections(clock)
        self._unwatch: Callable[[], object] | None = None
        self._start: int | None = None  # of the frame that is open
        self._alpha = self._dropped = 0.0
        self._ticks = self._recorded = self._number = 0
        self._parts: dict[str, int] = {}
        self._spans: list[Any] = []
        self.on = on

    @property
    def on(self) -> bool:
        """Whether frames are recorded. Off, nothing is timed; what was recorded stays."""
        return self._unwatch is not None

    @on.setter
    def on(self, value: bool) -> None:
        if value and self._unwatch is None:
            gc.callbacks.append(self._collections)
            # Also when nobody closes the monitor: gc.callbacks would keep what it calls for ever.
            unwatch = weakref.finalize(self, _unwatch, self._collections)
            unwatch.atexit = False
            self._unwatch = unwatch
        elif not value and self._unwatch is not None:
            self._unwatch()
            self._unwatch = self._start = None

    def close(self) -> None:
        """Stop measuring. What was recorded can still be read; a second time does nothing."""
        self.on = False

    def clear(self) -> None:
        """Forget all frames, the open one too."""
        self._frames.clear()
        self._start = None

    # -- told by the loop ----------------------------------------------------------------------------------------

    def begin_frame(self, now: int) -> None:
        """A frame begins at ``now``, nanoseconds; the one before ends, if it is open still."""
        if self._start is not None:
            self.end_frame(now)
        if self._unwatch is None:
            return
        self._collections.pauses.clear()  # those between two frames belong to neither
        self._start = now
        self._number += 1
        self._ticks = 0
        self._parts = {}
        self._spans = []

    def span(self, name: str, start: int, end: int) -> None:
        """Within the open frame, ``name`` took from ``start`` to ``end``, nanoseconds.

        The game tells ``"update"`` (once a tick), ``"draw"`` and ``"wait"``; names of your own become series too. A
        scene that has systems or scheduled tasks tells ``"update.ai"`` and so on for each phase, ``"update.tasks"``.
        """
        if self._start is not None:
            parts = self._parts
            parts[name] = parts.get(name, 0) + max(0, end - start)
            self._spans += (name, start, end)

    def detail(self, name: str, start: int, end: int) -> None:
        """As `span`, but for the timeline alone: it becomes no series."""
        if self._start is not None:
            self._spans += (name, start, end)

    @property
    def number(self) -> int:
        """Of the open frame, or of the last one; it counts up. For `gpu_took`."""
        return self._number

    def gpu_took(self, number: int, duration: int) -> None:
        """The frame of this `number` kept the GPU busy for ``duration`` nanoseconds: told when it is known.

        Of a frame that is no longer remembered it says nothing.
        """
        if self._start is not None and number == self._number:
            self._parts["gpu"] = max(0, duration)
        for frame in reversed(self._frames):
            if frame.number <= number:
                if frame.number == number:
                    frame.parts["gpu"] = max(0, duration)
                return

    def ticked(self, start: int, end: int) -> None:
        """A tick of the open frame ran from ``start`` to ``end``, nanoseconds."""
        self._ticks += 1
        self.span("update", start, end)

    def drawn(self, start: int, end: int, alpha: float, dropped_time: float) -> None:
        """The open frame was drawn for ``alpha``; the loop has given up ``dropped_time`` seconds so far."""
        self._alpha, self._dropped = alpha, dropped_time
        self.span("draw", start, end)

    def end_frame(self, now: int) -> None:
        """The open frame ends at ``now``, nanoseconds."""
        start = self._start
        if start is None:
            return
        pauses = self._collections.pauses
        while pauses:
            self.span("gc", *pauses.popleft())
        self._start = None
        self._recorded += 1
        duration = max(0, now - start)
        self._frames.append(
            _Frame(self._number, start, duration, self._ticks, self._alpha, self._dropped, self._parts, self._spans)
        )

    # -- what there is to know -----------------------------------------------------------------------------------

    def __len__(self) -> int:
        """Frames remembered."""
        return len(self._frames)

    @property
    def names(self) -> list[str]:
        """The series there are: the built-in ones, then those of your own spans."""
        own = {name: None for frame in self._frames for name in frame.parts if name not in _TIMES}
        return [*_TIMES, *_STATES, *own]

    @property
    def recorded(self) -> int:
        """Frames recorded so far, also those that are no longer remembered."""
        return self._recorded

    def series(self, name: str, last: int | None = None) -> NDArray[np.float64]:
        """One number for each frame remembered, or for the ``last`` so many: float64 (frames,), the oldest first.

        Milliseconds: ``"frame"`` (from start to start), ``"update"`` (all ticks), ``"draw"``, ``"wait"`` (for the
        screen and for the next frame), ``"work"`` (frame less wait), ``"gc"`` (pauses of the garbage collector,
        which lie within the others), ``"dropped"`` (given up by the loop so far), the phases of a tick
        (``"update.ai"``, …), and your own spans. Plain numbers: ``"ticks"`` and ``"alpha"``. Any other name is a
        `ValueError`. ``"gpu"`` (the GPU's time for the picture) is there once a driver has told one, some frames
        later; it is NaN for frames of which nothing is known, or not yet.
        """
        frames = self._last(last)
        values: list[float]
        if name == "frame":
            values = [frame.duration / _MS for frame in frames]
        elif name == "work":
            values = [max(0, frame.duration - frame.parts.get("wait", 0)) / _MS for frame in frames]
        elif name == "ticks":
            values = [frame.ticks for frame in frames]
        elif name == "alpha":
            values = [frame.alpha for frame in frames]
        elif name == "dropped":
            values = [frame.dropped * 1000 for frame in frames]
        elif name == "gpu" and name in self.names:
            values = [frame.parts.get("gpu", math.nan) / _MS for frame in frames]
        elif name in _TIMES or name in self.names:
            values = [frame.parts.get(name, 0) / _MS for frame in frames]
        else:
            raise ValueError(f"name: expected one of {', '.join(map(repr, self.names))}, got {name!r}")
        return np.array(values, np.float64)

    def _last(self, count: int | None) -> Collection[_Frame]:
        if count is None:
            return self._frames
        return list(islice(reversed(self._frames), whole("last", count, 0)))[::-1]

    @property
    def fps(self) -> float:
        """Frames a second, over all frames remembered; 0 before the first."""
        total = sum([frame.duration for frame in self._frames])
        return len(self._frames) * NANOSECONDS / total if total else 0.0

    @property
    def low_1(self) -> float:
        """Frames a second in the slowest hundredth of the frames remembered ("1 % low")."""
        return _low_1(self.series("frame"))

    def statistics(self, name: str) -> Statistics:
        """Mean, median and percentiles of a series of times; zeros before the first frame."""
        values = self.series(name)
        values = values[~np.isnan(values)]
        if not len(values):
            return Statistics(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        median, p95, p99 = np.percentile(values, (50, 95, 99)).tolist()
        return Statistics(float(values.mean()), median, p95, p99, float(values.max()), _low_1(values))

    def summary(self) -> Summary:
        """All of it at once."""
        times = {name: self.statistics(name) for name in self.names if name not in _STATES}
        ticks = self.series("ticks")
        return Summary(
            frames=len(self._frames),
            fps=self.fps,
            low_1=times["frame"].low_1,
            ticks_per_frame=float(ticks.mean()) if len(ticks) else 0.0,
            dropped_time=self._frames[-1].dropped if self._frames else 0.0,
            times=times,
        )

    # -- files ---------------------------------------------------------------------------------------------------

    def to_json(self, path: str | os.PathLike[str]) -> None:
        """Write ``{"summary": …, "series": {name: [one number a frame]}}``, null for what is not known.

        Raises `AssetError` when it cannot.
        """
        series = {name: _known(self.series(name)) for name in self.names}
        _write(path, json.dumps({"summary": asdict(self.summary()), "series": series}, indent=1, allow_nan=False))

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write a table with one row a frame, the oldest first; ``start`` is in ms after the oldest frame's.

        What is not known is left empty.

        Raises `AssetError` when it cannot.
        """
        names = self.names
        starts = [(frame.start - self._frames[0].start) / _MS for frame in self._frames]
        text = io.StringIO()
        table = csv.writer(text, lineterminator="\n")
        table.writerow(["start", *names])
        table.writerows(zip(starts, *[_known(self.series(name)) for name in names], strict=True))
        _write(path, text.getvalue())

    def to_chrome_trace(self, path: str | os.PathLike[str]) -> None:
        """Write the frames as a timeline, which ui.perfetto.dev and chrome://tracing open.

        Raises `AssetError` when it cannot.
        """
        _write(path, json.dumps({"displayTimeUnit": "ms", "traceEvents": list(self._events())}))

    def _events(self) -> Iterator[dict[str, Any]]:
        """The Trace Event Format's events: names ("M"), complete spans ("X") and counters ("C"), in microseconds."""
        here = {"pid": 1, "tid": 1}
        yield {"ph": "M", "name": "process_name", "args": {"name": "game"}, **here}
        yield {"ph": "M", "name": "thread_name", "args": {"name": "frames"}, **here}
        origin = self._frames[0].start if self._frames else 0
        for frame in self._frames:
            at = (frame.start - origin) / _US
            yield {"ph": "X", "name": "frame", "cat": "frame", "ts": at, "dur": frame.duration / _US, **here}
            spans = list(zip(*[iter(frame.spans)] * 3, strict=True))[::-1]
            # What lies within another comes after it, also of the same length: it was told before.
            spans.sort(key=lambda span: (span[1], -span[2]))
            for name, start, end in spans:
                yield {
                    "ph": "X", "name": name, "cat": "frame",
                    "ts": (start - origin) / _US, "dur": max(0, end - start) / _US, **here,
                }  # fmt: skip
            yield {"ph": "C", "name": "ticks", "ts": at, "args": {"ticks": frame.ticks}, **here}
            yield {"ph": "C", "name": "alpha", "ts": at, "args": {"alpha": frame.alpha}, **here}
            yield {"ph": "C", "name": "dropped time", "ts": at, "args": {"ms": frame.dropped * 1000}, **here}
            if "gpu" in frame.parts:  # a number: the GPU's clock is not the CPU's
                yield {"ph": "C", "name": "gpu", "ts": at, "args": {"ms": frame.parts["gpu"] / _MS}, **here}


class _Collections:
    """Called by the garbage collector. It does not refer to the monitor, which can thus be freed."""

    def __init__(self, clock: Callable[[], int]) -> None:
        self.pauses: deque[tuple[int, int]] = deque(maxlen=_MOST_PAUSES)
        self._clock = clock
        self._start: int | None = None

    def __call__(self, phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            self._start = self._clock()
        elif self._start is not None:  # None: switched on within a collection
            self.pauses.append((self._start, self._clock()))
            self._start = None


def _unwatch(collections: _Collections) -> None:
    with suppress(ValueError):  # somebody emptied the list of callbacks
        gc.callbacks.remove(collections)


def _low_1(times: NDArray[np.float64]) -> float:
    """Frames a second at the mean of the longest hundredth of ``times`` (at least one), milliseconds."""
    if not len(times):
        return 0.0
    slowest = np.sort(times)[-math.ceil(len(times) / 100) :].mean()
    return float(1000 / slowest) if slowest else 0.0


def _known(values: NDArray[np.float64]) -> list[float | None]:
    return [None if math.isnan(value) else value for value in values.tolist()]


def _write(path: str | os.PathLike[str], text: str) -> None:
    where = os.fspath(path)
    try:
        with open(where, "w", encoding="utf-8", newline="") as file:
            file.write(text)
    except OSError as error:
        raise AssetError(
            f"The monitor's frames cannot be written to {where!r}: {error.strerror or error}. "
            "Choose a file in a folder that exists and can be written to."
        ) from error
