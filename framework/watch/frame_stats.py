"""Measure how long frames take, compute statistics, and write them to files.

This module never draws and never waits. The game loop stores the times of each frame in a
`FrameTimes`. All times are integer nanoseconds from the same clock. Statistics are computed only
when a program reads them. The module itself measures only the pauses caused by Python's garbage
collection.
"""

from __future__ import annotations

__all__ = ["FrameStats"]

import functools
import gc
import io
import itertools
import math
import os
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import checks
from ..checks import flag, whole
from ..current_game import write_file
from ..errors import AssetError
from ..moved_names import WithMoved, current_names, moved
from ..record.atomic_files import write_text
from ..timing.timestep import NANOSECONDS

_MS = 1e6  # nanoseconds in a millisecond
_US = 1e3

# A garbage collection has two time stamps at its start, and two at its end.
_STAMPS = 4
_MAX_COLLECTIONS = 1000

# Members that `FrameStats` had in earlier versions. Now its recorder has these members.
_RECORDED = (
    "begin_frame",
    "end_frame",
    "ticked",
    "drawn",
    "detail",
    "measuring",
    "gpu_took",
    "number",
    "recorded",
)

_TIMES = ("frame", "work", "update", "draw", "wait", "gc")
_STATES = ("ticks", "alpha", "dropped")


class Statistics(NamedTuple):
    """The mean, median and percentiles of a list of times, in milliseconds."""

    mean: float
    median: float
    p95: float
    """95 % of the frames take this time or less."""
    p99: float
    worst: float
    low_1: float
    """The "1 % low": the frames per second during the slowest 1 % of frames. The value is 0 if all
    times are 0.
    """


class Summary(NamedTuple):
    """The statistics of all frames in a `FrameStats`."""

    frames: int
    fps: float
    """Frames per second."""
    low_1: float
    """The "1 % low": the frames per second during the slowest 1 % of frames."""
    ticks_per_frame: float
    dropped_time: float
    """The time that the loop has skipped since the game started, in seconds. The loop skips time if
    frames take too long.
    """
    times: dict[str, Statistics]
    """The statistics of each series of times: frame, work, update, draw, wait, gc and your own
    spans. The series gpu is included if the GPU times are known.
    """


@dataclass(slots=True)
class FrameTimes:
    """The times of one frame, in integer nanoseconds from the same clock. The game loop sets the
    attributes of `FrameTimes`.
    """

    number: int
    """The frame number: 1 for the first recorded frame, or 0 for a frame that is not recorded."""
    start: int
    end: int = 0
    """The time at which the frame ended, or 0 while the frame is open."""
    worked: int = 0
    """The time at which the frame's work was done and the loop began to wait for the screen, or 0
    if the frame did not draw an image.
    """
    ticks: int = 0
    alpha: float = 0.0
    dropped: float = 0.0
    """The time that the loop has skipped since the game started, in seconds."""
    gpu: int | None = None
    """The time that the GPU took to draw the frame, in nanoseconds, or None while it is unknown."""
    spans: list[Any] = field(default_factory=list)
    """The spans of the frame in one flat list: name, start, end, name, start, end, …

    The list does not contain tuples, because Python's garbage collector would have to check them.
    The names are "update" once per tick, "draw", "wait", "gc", and the names that were passed to
    `FrameStats.span`.
    """
    details: tuple[Any, ...] = ()
    """The spans of the systems in each tick, in the same form as `spans`. `FrameStats.series` does
    not return these times.
    """
    _parts: dict[str, int] | None = None

    @property
    def duration(self) -> int:
        """The time from the start to the end of the frame, in nanoseconds."""
        return max(0, self.end - self.start)

    def parts(self) -> dict[str, int]:
        """Return a dict from the name of a span to the total time of all spans with this name, in
        nanoseconds.
        """
        if self._parts is not None:
            return self._parts
        parts: dict[str, int] = {}
        spans = iter(self.spans)
        for name, start, end in zip(spans, spans, spans, strict=True):
            parts[name] = parts.get(name, 0) + max(0, end - start)
        if self.end:
            self._parts = parts
        return parts


class FrameRecorder:
    """Records the frames of a loop, and the garbage collections of Python.

    A frame begins when `begin_frame` is called. It ends when `begin_frame` is called again, or when
    `end_frame` is called. While no frame is open, the recorder ignores all times. A recorder has no
    reference to its `FrameStats`, so that Python can delete a `FrameStats` that is no longer used.
    """

    not_state = True

    def __init__(self, frames: int, clock: Callable[[], int]) -> None:
        self.on = False
        """Whether the recorder is recording frames."""
        self.frames: deque[FrameTimes] = deque(maxlen=frames)
        """The finished frames."""
        self.open: FrameTimes | None = None
        """The current frame, or None if the frame is not recorded."""
        self.numbers = itertools.count(1)
        self.stamps: deque[int] = deque(maxlen=_STAMPS * _MAX_COLLECTIONS)
        """The times at which the latest garbage collections began and ended. At the end of a frame,
        these times are added to the frame.
        """
        self.stamp = _stamper(clock, self.stamps)
        """The function that the garbage collector calls at the start and end of a collection."""
        self._forgotten = 0  # the number of frames that were recorded before `clear`

    def note_collections(self, frame: FrameTimes) -> None:
        """Record the garbage collections that happened during ``frame``. Call this method when the
        frame ends. Garbage collections between two frames are ignored.
        """
        stamps = list(self.stamps)
        self.stamps.clear()
        # If recording began during a collection, the time stamps of this collection are incomplete.
        incomplete = len(stamps) % _STAMPS
        for index in range(incomplete, len(stamps), _STAMPS):
            begun = stamps[index]
            ended = stamps[index + _STAMPS - 1]
            if begun >= frame.start:
                frame.spans += ("gc", begun, ended)

    # -- frames ------------------------------------------------------------------------------------

    def begin_frame(self, now: int) -> None:
        """Begin a frame at ``now``, in nanoseconds. If the previous frame is still open, it ends at
        ``now``.
        """
        self.end_frame(now)
        if self.on:
            last = self.frames[-1] if self.frames else None
            self.open = FrameTimes(next(self.numbers), now)
            if last is not None:
                self.open.alpha = last.alpha
                self.open.dropped = last.dropped

    @property
    def measuring(self) -> bool:
        """Whether a frame is open. `span` and `detail` record only while a frame is open."""
        return self.open is not None

    def span(self, name: str, start: int, end: int) -> None:
        """Add a span to the open frame: ``name`` lasted from ``start`` to ``end``, in nanoseconds.

        A game records ``"update"`` (once per tick), ``"draw"`` and ``"wait"``. A scene that has
        systems or scheduled tasks also records a span for each phase of the tick. Examples are
        ``"update.ai"``, ``"update.tasks"``, ``"update.tweens"`` and ``"update.routines"``.
        """
        if self.open is not None:
            self.open.spans += (name, start, end)

    def detail(self, name: str, start: int, end: int) -> None:
        """Add a span to the open frame, only for the file that `FrameStats.to_chrome_trace` writes.
        `FrameStats.series` does not return the times of details.
        """
        if self.open is not None:
            self.open.details += (name, start, end)

    def ticked(self, start: int, end: int) -> None:
        """Record that a tick of the open frame ran from ``start`` to ``end``, in nanoseconds."""
        if self.open is not None:
            self.open.ticks += 1
            self.open.spans += ("update", start, end)

    def drawn(self, start: int, end: int, alpha: float, dropped_time: float) -> None:
        """Record the drawing of the open frame, from ``start`` to ``end`` in nanoseconds, and its
        ``alpha``.

        ``dropped_time`` is the total time that the game loop has skipped, in seconds.
        """
        if self.open is not None:
            self.open.alpha = alpha
            self.open.dropped = dropped_time
            self.open.spans += ("draw", start, end)

    def end_frame(self, now: int) -> None:
        """End the open frame at ``now``, in nanoseconds."""
        frame = self.open
        self.open = None
        if frame is not None:
            frame.end = now
            if self.stamps:
                self.note_collections(frame)
            self.frames.append(frame)

    @property
    def number(self) -> int:
        """The number of the open frame, or of the last frame if no frame is open. It increases from
        frame to frame. Store it when you draw a frame, and pass it to `gpu_took` when the GPU later
        reports the time of this frame.
        """
        return self.recorded if self.open is None else self.open.number

    @property
    def recorded(self) -> int:
        """The number of frames recorded so far, including deleted frames."""
        return self.frames[-1].number if self.frames else self._forgotten

    def gpu_took(self, number: int, duration: int) -> None:
        """Set the GPU time of the frame ``number`` to ``duration`` nanoseconds. Call this method as
        soon as the GPU reports the time, which is usually a few frames later. Do nothing if the
        frame is no longer in memory.
        """
        for frame in [*self.frames, *([] if self.open is None else [self.open])]:
            if frame.number == number:
                frame.gpu = max(0, duration)

    def clear(self) -> None:
        """Delete all recorded frames, including the open frame."""
        self._forgotten = self.number
        self.frames.clear()
        self.open = None


def _stamper(
    clock: Callable[[], int], stamps: deque[int]
) -> Callable[[str, dict[str, int]], object]:
    """Return a function that appends the current time to ``stamps`` twice, without running Python
    code.

    The returned function is called by the garbage collector, in which exceptions are lost. Ctrl-C,
    for example, raises an exception in any function that is written in Python. The returned
    function uses only functions written in C, so Ctrl-C is not lost. `iter` stops if the clock
    returns None, but a clock never returns None. `filterfalse` passes each time to ``append``, and
    does not remove any time, because ``append`` returns None. `max` calls its key function once for
    each of its two arguments, so the time is appended twice.
    """
    stamped = itertools.filterfalse(stamps.append, iter(clock, None))
    return functools.partial(max, key=functools.partial(next, stamped))


@moved("frame_stats", {name: f"recorder.{name}" for name in _RECORDED})
class FrameStats(metaclass=WithMoved):
    """Records how long the most recent frames took, with separate times for updating, drawing and
    waiting.

    A game records its frames in `Game.debug.frame_stats`. If you write your own loop, create a
    `FrameStats`, and record the frames with its `recorder`.

    Parameters
    ----------
    frames
        The number of frames that stay in memory. The default is 240 frames.
    on
        Whether to record frames from the start. See `on`.
    clock
        A function that returns a time in integer nanoseconds. `FrameStats` reads the clock only at
        the start and at the end of a garbage collection.
    """

    not_state = True

    def __init__(
        self, frames: int = 240, *, on: bool = True, clock: Callable[[], int] = time.perf_counter_ns
    ) -> None:
        self._recorder = FrameRecorder(whole("frames", frames, 1), checks.function("clock", clock))
        self.gpu = False
        """Whether the game measures how long the GPU takes for each frame. The measurement itself
        takes a few microseconds per frame.

        `gpu` is True in a game with a window. In a game without a window, `gpu` is False until you
        set it or show the overlay.
        """
        self._unwatch: Callable[[], object] | None = None
        self.on = on

    @property
    def on(self) -> bool:
        """Whether this object records frames. If you set `on` to False, the recorded frames stay in
        memory.
        """
        return self._recorder.on

    @on.setter
    def on(self, value: bool) -> None:
        recorder = self._recorder
        recorder.on = flag("on", value)
        if recorder.on and self._unwatch is None:
            recorder.stamps.clear()
            gc.callbacks.append(recorder.stamp)
            # If a `FrameStats` is never closed, `gc.callbacks` would keep the function forever.
            unwatch = weakref.finalize(self, _unwatch, recorder.stamp)
            unwatch.atexit = False
            self._unwatch = unwatch
        elif not recorder.on and self._unwatch is not None:
            self._unwatch()
            self._unwatch = recorder.open = None

    @property
    def recorder(self) -> FrameRecorder:
        """The `FrameRecorder`, for a loop that you write yourself. Your loop calls the methods of
        the recorder, such as `FrameRecorder.begin_frame`.
        """
        return self._recorder

    def close(self) -> None:
        """Stop recording. You can still read the recorded frames. Calling `close` again does
        nothing.
        """
        self.on = False

    def clear(self) -> None:
        """Delete all recorded frames, including the open frame."""
        self._recorder.clear()

    def span(self, name: str, start: int, end: int) -> None:
        """Add your own span to the open frame: ``name`` lasted from ``start`` to ``end``.

        ``start`` and ``end`` are times from ``time.perf_counter_ns``, in nanoseconds. `series`
        returns the times of your spans.
        """
        start = whole("start", start, 0)
        end = whole("end", end, 0)
        self._recorder.span(checks.text("name", name), start, end)

    # -- statistics --------------------------------------------------------------------------------

    def __dir__(self) -> list[str]:
        return current_names(type(self), super().__dir__())

    def __len__(self) -> int:
        """Return the number of frames in memory."""
        return len(self._recorder.frames)

    def frames(self, last: int | None = None) -> list[FrameTimes]:
        """Return the frames in memory, oldest frame first. If ``last`` is not None, return only the
        ``last`` newest frames. Do not change the returned frames.
        """
        frames = self._recorder.frames
        count = len(frames) if last is None else min(whole("last", last, 0), len(frames))
        return list(islice(frames, len(frames) - count, None))

    @property
    def names(self) -> list[str]:
        """The names of all series: first the built-in series, and then your own spans."""
        frames = self._recorder.frames
        own = {name: None for frame in frames for name in frame.parts() if name not in _TIMES}
        gpu = ["gpu"] if any(frame.gpu is not None for frame in frames) else []
        return [*_TIMES, *_STATES, *own, *gpu]

    def series(self, name: str, last: int | None = None) -> NDArray[np.float64]:
        """Return an array with one number per frame, oldest frame first. If ``last`` is not None,
        the array contains only the ``last`` newest frames. The array is float64 and has the shape
        (frames,).

        The following series are in milliseconds:

        - ``"frame"``: from the start of a frame to the start of the next frame.
        - ``"update"``: the duration of all ticks of the frame.
        - ``"draw"``: the duration of drawing.
        - ``"wait"``: the time that the loop spends waiting for the screen and for the next frame.
        - ``"work"``: the duration of the frame without ``"wait"``.
        - ``"gc"``: the pauses caused by Python's garbage collection. All other series of times
          include these pauses.
        - ``"dropped"``: the total time that the loop has skipped since the start of the game.
        - ``"update.ai"`` and similar names: the duration of one phase of the ticks.
        - the names of your own spans: the total duration of these spans.

        The series ``"ticks"`` (the number of ticks in the frame) and ``"alpha"`` have no unit. The
        series ``"gpu"`` is the time that the GPU took to draw the frame, in milliseconds. It is NaN
        for frames whose GPU time is not known, for example because the graphics driver has not
        reported it yet. Raises `ValueError` if no series has the name ``name``.
        """
        frames = self.frames(last)
        if name not in _TIMES and name not in _STATES and name not in self.names:
            raise ValueError(
                f"name: expected one of {', '.join(map(repr, self.names))}, got {name!r}"
            )
        value_of = _VALUES.get(name)
        if value_of is None:
            values = [frame.parts().get(name, 0) / _MS for frame in frames]
        else:
            values = [value_of(frame) for frame in frames]
        return np.array(values, np.float64)

    def spans(self, name: str, last: int | None = None) -> NDArray[np.int64]:
        """Return the start and the end of each span with this ``name``, oldest span first. If
        ``last`` is not None, return only the spans of the ``last`` newest frames. The array is
        int64 and has the shape (n, 2).

        The times are in nanoseconds, from the clock of the loop. A game uses the clock
        ``time.perf_counter_ns``. A frame can have several spans with the same name, or none. A game
        records the spans ``"update"`` (one per tick), ``"draw"``, ``"wait"`` and ``"gc"``. Scenes
        record a span for each phase of a tick, such as ``"update.ai"``. The span ``"wait"`` is the
        time during which the loop shows the frame and waits for the screen. If the loop sleeps
        until the next frame, ``"wait"`` also includes this time. The span ``"frame"`` is the whole
        frame.
        """
        checks.text("name", name)
        frames = self.frames(last)
        if name == "frame":
            times = [(frame.start, frame.end) for frame in frames]
        else:
            times = [
                (start, end)
                for frame in frames
                for span, start, end in zip(*[iter(frame.spans)] * 3, strict=True)
                if span == name
            ]
        return np.array(times, np.int64).reshape(-1, 2)

    @property
    def fps(self) -> float:
        """The average number of frames per second, over all frames in memory. The value is 0 before
        the first frame.
        """
        total = sum([frame.duration for frame in self._recorder.frames])
        return len(self) * NANOSECONDS / total if total else 0.0

    @property
    def low_1(self) -> float:
        """The "1 % low": the frames per second during the slowest 1 % of the frames in memory."""
        return _low_1(self.series("frame"))

    def statistics(self, name: str) -> Statistics:
        """Return the mean, median and percentiles of a series of times. Before the first frame, all
        these values are 0.
        """
        values = self.series(name)
        values = values[~np.isnan(values)]
        if not len(values):
            return Statistics(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        median, p95, p99 = np.percentile(values, (50, 95, 99)).tolist()
        return Statistics(
            float(values.mean()), median, p95, p99, float(values.max()), _low_1(values)
        )

    def summary(self) -> Summary:
        """Return the statistics of all series of times, the number of frames and the frame rate."""
        times = {name: self.statistics(name) for name in self.names if name not in _STATES}
        ticks = self.series("ticks")
        return Summary(
            frames=len(self),
            fps=self.fps,
            low_1=times["frame"].low_1,
            ticks_per_frame=float(ticks.mean()) if len(ticks) else 0.0,
            dropped_time=self._recorder.frames[-1].dropped if len(self) else 0.0,
            times=times,
        )

    # -- files -------------------------------------------------------------------------------------

    def to_json(self, path: str | os.PathLike[str]) -> None:
        """Write the summary and all series to a JSON file. Unknown values are null. The file has
        the form ``{"summary": …, "series": {name: [one number per frame]}}``.

        Raises `AssetError` if the file cannot be written.
        """
        import json  # imported here because few games write these files

        series = {name: _nan_as_none(self.series(name)) for name in self.names}
        summary = self.summary()
        fields = summary._asdict() | {
            "times": {name: times._asdict() for name, times in summary.times.items()}
        }
        _write(path, json.dumps({"summary": fields, "series": series}, indent=1, allow_nan=False))

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write a CSV file with one row per frame, oldest frame first.

        The column ``start`` is the start of each frame in milliseconds, counted from the start of
        the oldest frame. Unknown values are empty fields. Raises `AssetError` if the file cannot be
        written.
        """
        import csv

        names = self.names
        frames = self.frames()
        starts = [(frame.start - frames[0].start) / _MS for frame in frames]
        text = io.StringIO()
        table = csv.writer(text, lineterminator="\n")
        table.writerow(["start", *names])
        table.writerows(
            zip(starts, *[_nan_as_none(self.series(name)) for name in names], strict=True)
        )
        _write(path, text.getvalue())

    def to_chrome_trace(self, path: str | os.PathLike[str]) -> None:
        """Write the frames to a file as a timeline. You can open the file in ui.perfetto.dev and
        chrome://tracing.

        Raises `AssetError` if the file cannot be written.
        """
        import json

        _write(path, json.dumps({"displayTimeUnit": "ms", "traceEvents": list(self._events())}))

    def _events(self) -> Iterator[dict[str, Any]]:
        """Yield all frames as events of the Trace Event Format. All times of the events are in
        microseconds.

        There are three types of events: names ("M"), spans with a duration ("X") and counters
        ("C").
        """
        yield {"ph": "M", "name": "process_name", "args": {"name": "game"}, **_IDS}
        yield {"ph": "M", "name": "thread_name", "args": {"name": "frames"}, **_IDS}
        frames = self.frames()
        origin = frames[0].start if frames else 0
        for frame in frames:
            begin = (frame.start - origin) / _US
            yield _span_event("frame", begin, frame.duration / _US)
            # An inner span must come after its outer span, even if both have the same duration.
            # Inner spans were recorded first.
            spans = list(zip(*[iter([*frame.details, *frame.spans])] * 3, strict=True))[::-1]
            spans.sort(key=lambda span: (span[1], -span[2]))
            for name, start, end in spans:
                yield _span_event(name, (start - origin) / _US, max(0, end - start) / _US)
            yield _counter_event("ticks", begin, ticks=frame.ticks)
            yield _counter_event("alpha", begin, alpha=frame.alpha)
            yield _counter_event("dropped time", begin, ms=frame.dropped * 1000)
            # A counter and not a span, because the GPU and the CPU have different clocks.
            if frame.gpu is not None:
                yield _counter_event("gpu", begin, ms=frame.gpu / _MS)


_VALUES: dict[str, Callable[[FrameTimes], float]] = {
    "frame": lambda frame: frame.duration / _MS,
    "work": lambda frame: max(0, frame.duration - frame.parts().get("wait", 0)) / _MS,
    "ticks": lambda frame: frame.ticks,
    "alpha": lambda frame: frame.alpha,
    "dropped": lambda frame: frame.dropped * 1000,
    "gpu": lambda frame: math.nan if frame.gpu is None else frame.gpu / _MS,
}
"""The value of a frame in each series that is not the duration of a span."""

_IDS = {"pid": 1, "tid": 1}  # the process and the thread of all events


def _span_event(name: str, start: float, duration: float) -> dict[str, Any]:
    return {"ph": "X", "name": name, "cat": "frame", "ts": start, "dur": duration, **_IDS}


def _counter_event(name: str, timestamp: float, **values: float) -> dict[str, Any]:
    return {"ph": "C", "name": name, "ts": timestamp, "args": values, **_IDS}


def _unwatch(stamp: object) -> None:
    with suppress(ValueError):  # other code may have cleared the list of callbacks
        gc.callbacks.remove(stamp)  # type: ignore[arg-type]


def _low_1(times: NDArray[np.float64]) -> float:
    """Return the frames per second during the slowest 1 % of frames. ``times`` are the durations of
    all frames in milliseconds.

    The function uses at least one frame.
    """
    if not len(times):
        return 0.0
    slowest = np.sort(times)[-math.ceil(len(times) / 100) :].mean()
    return float(1000 / slowest) if slowest else 0.0


def _nan_as_none(values: NDArray[np.float64]) -> list[float | None]:
    return [None if math.isnan(value) else value for value in values.tolist()]


def _write(path: str | os.PathLike[str], text: str) -> None:
    target = checks.path("path", path)

    def write(file_path: str) -> None:
        try:
            write_text(file_path, text)
        except AssetError as error:
            reason = str(error).partition(" cannot be written: ")[2]
            raise AssetError(
                f"The frame statistics cannot be written to {target!r}: {reason} "
                "Choose a file in a folder that exists and can be written to."
            ) from error

    write_file(target, write)
