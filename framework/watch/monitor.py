"""Where a frame's time goes: the last frames, timed, summed up and written to files.

Nothing here draws or waits. The loop notes what happened and when in a `Frame`, in integer
nanoseconds of one clock; everything else is worked out when somebody asks. Only the pauses of
Python's garbage collector, of which nobody else hears, are timed here.
"""

from __future__ import annotations

__all__ = ["Monitor"]

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
from ..timing.timestep import NANOSECONDS

_MS = 1e6  # nanoseconds in a millisecond
_US = 1e3

# What the garbage collector notes of a collection: two stamps as it begins, two as it ends.
_STAMPS = 4
_MOST_COLLECTIONS = 1000

# What was of `Monitor`, and is of its recorder.
_RECORDED = (
    *("begin_frame", "end_frame", "ticked", "drawn", "detail", "measuring", "gpu_took"),
    *("number", "recorded"),
)

_TIMES = ("frame", "work", "update", "draw", "wait", "gc")
_STATES = ("ticks", "alpha", "dropped")


class Statistics(NamedTuple):
    """What the times of one series come to, milliseconds."""

    mean: float
    median: float
    p95: float
    """95 of 100 frames took no longer."""
    p99: float
    worst: float
    low_1: float
    """Frames a second at the pace of the slowest hundredth ("1 % low"); 0 where nothing took any
    time.
    """


class Summary(NamedTuple):
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
    """Of each series of times: frame, work, update, draw, wait, gc, those of your own spans, and
    gpu if it is known.
    """


@dataclass(slots=True)
class Frame:
    """What a frame took, in integer nanoseconds of one clock. The loop fills it in as the frame
    goes on.
    """

    number: int
    """1 for the first one that was recorded; 0 of one that is not."""
    start: int
    end: int = 0
    """0 while it is open."""
    worked: int = 0
    """When its work was done, before the wait for the screen; 0 of a frame without a picture."""
    ticks: int = 0
    alpha: float = 0.0
    dropped: float = 0.0
    """Seconds given up by the loop so far."""
    gpu: int | None = None
    """The GPU's time for the picture, once it is known."""
    spans: list[Any] = field(default_factory=list)
    """name, start, end, name, start, end, …: flat, as each tuple would be one more thing to
    collect.

    "update" once a tick, "draw", "wait", "gc", and those that were given to `Monitor.span`.
    """
    details: tuple[Any, ...] = ()
    """The same of spans that become no series: the single systems of a tick."""
    _parts: dict[str, int] | None = None

    @property
    def duration(self) -> int:
        """From its start to its end."""
        return max(0, self.end - self.start)

    def parts(self) -> dict[str, int]:
        """Nanoseconds by the name of the spans, added up."""
        if self._parts is not None:
            return self._parts
        parts: dict[str, int] = {}
        spans = iter(self.spans)
        for name, start, end in zip(spans, spans, spans, strict=True):
            parts[name] = parts.get(name, 0) + max(0, end - start)
        if self.end:
            self._parts = parts
        return parts


class Recorder:
    """Where a loop writes its frames down, and Python's garbage collector its work.

    A frame lasts from `begin_frame` to the next one, or to `end_frame`. What comes while no frame
    is open is not counted. A recorder does not refer to its monitor, which can thus be freed.
    """

    not_state = True

    def __init__(self, frames: int, clock: Callable[[], int]) -> None:
        self.on = False
        """Whether frames are recorded."""
        self.frames: deque[Frame] = deque(maxlen=frames)
        """Those that are over."""
        self.open: Frame | None = None
        """The one that is under way, while it is to be recorded."""
        self.numbers = itertools.count(1)
        self.stamps: deque[int] = deque(maxlen=_STAMPS * _MOST_COLLECTIONS)
        """Of the clock, as collections began and ended that no frame has noted."""
        self.stamp = _stamper(clock, self.stamps)
        """What the garbage collector calls as it begins and ends."""
        self._forgotten = 0  # frames that were recorded before `clear`

    def note_collections(self, frame: Frame) -> None:
        """The frame is ending: what was collected in it belongs to it. Between two frames, that
        belongs to neither.
        """
        stamps = list(self.stamps)
        self.stamps.clear()
        for at in range(
            len(stamps) % _STAMPS, len(stamps), _STAMPS
        ):  # an odd one: switched on within a collection
            begun, ended = stamps[at], stamps[at + _STAMPS - 1]
            if begun >= frame.start:
                frame.spans += ("gc", begun, ended)

    # -- frames ------------------------------------------------------------------------------------

    def begin_frame(self, now: int) -> None:
        """Begin a frame at ``now``, nanoseconds. End the one before, if it is open still."""
        self.end_frame(now)
        if self.on:
            last = self.frames[-1] if self.frames else None
            self.open = Frame(next(self.numbers), now)
            if last is not None:
                self.open.alpha, self.open.dropped = last.alpha, last.dropped

    @property
    def measuring(self) -> bool:
        """Whether a frame is open, which `span` and `detail` add to."""
        return self.open is not None

    def span(self, name: str, start: int, end: int) -> None:
        """Within the open frame, ``name`` took from ``start`` to ``end``, nanoseconds.

        A game notes ``"update"`` (once a tick), ``"draw"`` and ``"wait"``. A scene that has systems
        or scheduled tasks notes ``"update.ai"`` and so on for each phase, ``"update.tasks"``,
        ``"update.tweens"`` and ``"update.routines"``.
        """
        if self.open is not None:
            self.open.spans += (name, start, end)

    def detail(self, name: str, start: int, end: int) -> None:
        """As `span`, but for the timeline alone: it becomes no series."""
        if self.open is not None:
            self.open.details += (name, start, end)

    def ticked(self, start: int, end: int) -> None:
        """A tick of the open frame ran from ``start`` to ``end``, nanoseconds."""
        if self.open is not None:
            self.open.ticks += 1
            self.open.spans += ("update", start, end)

    def drawn(self, start: int, end: int, alpha: float, dropped_time: float) -> None:
        """The open frame was drawn for ``alpha``. The loop has given up ``dropped_time`` seconds so
        far.
        """
        if self.open is not None:
            self.open.alpha, self.open.dropped = alpha, dropped_time
            self.open.spans += ("draw", start, end)

    def end_frame(self, now: int) -> None:
        """End the open frame at ``now``, nanoseconds."""
        frame, self.open = self.open, None
        if frame is not None:
            frame.end = now
            if self.stamps:
                self.note_collections(frame)
            self.frames.append(frame)

    @property
    def number(self) -> int:
        """The number of the open frame, or of the last one, for `gpu_took`. It counts up."""
        return self.recorded if self.open is None else self.open.number

    @property
    def recorded(self) -> int:
        """The number of frames recorded so far, with those that were dropped from memory."""
        return self.frames[-1].number if self.frames else self._forgotten

    def gpu_took(self, number: int, duration: int) -> None:
        """The frame ``number`` kept the GPU busy for ``duration`` nanoseconds, as was learned
        later. A frame that is no longer remembered is ignored.
        """
        for frame in [*self.frames, *([] if self.open is None else [self.open])]:
            if frame.number == number:
                frame.gpu = max(0, duration)

    def clear(self) -> None:
        """Forget all frames, the open one too."""
        self._forgotten = self.number
        self.frames.clear()
        self.open = None


def _stamper(
    clock: Callable[[], int], stamps: deque[int]
) -> Callable[[str, dict[str, int]], object]:
    """What appends the clock to ``stamps``, once for each of its two arguments, without running any
    Python code.

    What the garbage collector calls may raise nothing: it would be lost. And in Python code a
    Ctrl-C is raised that comes while garbage is collected. So this is made of functions that are
    written in C: the clock is read until it returns None, appended (which returns None: not
    filtered out), and looked at by `max`, which wants to know of each argument how large it is.
    """
    stamped = itertools.filterfalse(stamps.append, iter(clock, None))
    return functools.partial(max, key=functools.partial(next, stamped))


@moved("monitor", {name: f"recorder.{name}" for name in _RECORDED})
class Monitor(metaclass=WithMoved):
    """Remembers the last frames: how long they took, and what took it.

    `Game.debug.monitor` is that of a game, whose loop writes the frames down. A loop of your own
    writes them into the `recorder` of a monitor that you make.

    Parameters
    ----------
    frames
        How many frames are remembered.
    on
        Whether it starts measuring at once; see `on`.
    clock
        Reads the clock, integer nanoseconds, when the garbage collector begins and ends.
    """

    not_state = True

    def __init__(
        self, frames: int = 240, *, on: bool = True, clock: Callable[[], int] = time.perf_counter_ns
    ) -> None:
        self._recorder = Recorder(whole("frames", frames, 1), checks.function("clock", clock))
        self.gpu = False
        """Whether a game asks the driver for the GPU's time of each picture, which costs some
        microseconds a frame.

        In a window it is on from the start. Off screen, where frames wait for nobody, it is off
        until it is set, or until the overlay shows it.
        """
        self._unwatch: Callable[[], object] | None = None
        self.on = on

    @property
    def on(self) -> bool:
        """Whether frames are recorded. Off, nothing is kept; what was recorded stays."""
        return self._recorder.on

    @on.setter
    def on(self, value: bool) -> None:
        recorder = self._recorder
        recorder.on = flag("on", value)
        if recorder.on and self._unwatch is None:
            recorder.stamps.clear()
            gc.callbacks.append(recorder.stamp)
            # Also when nobody closes the monitor: gc.callbacks would keep what it calls for ever.
            unwatch = weakref.finalize(self, _unwatch, recorder.stamp)
            unwatch.atexit = False
            self._unwatch = unwatch
        elif not recorder.on and self._unwatch is not None:
            self._unwatch()
            self._unwatch = recorder.open = None

    @property
    def recorder(self) -> Recorder:
        """Where frames are written down: `Recorder.begin_frame`, … of a loop of your own."""
        return self._recorder

    def close(self) -> None:
        """Stop measuring. What was recorded can still be read; a second time does nothing."""
        self.on = False

    def clear(self) -> None:
        """Forget all frames, the open one too."""
        self._recorder.clear()

    def span(self, name: str, start: int, end: int) -> None:
        """Add a span of your own to the open frame: ``name`` took from ``start`` to ``end``, in
        nanoseconds of ``time.perf_counter_ns``. It becomes a series of that name.
        """
        start, end = whole("start", start, 0), whole("end", end, 0)
        self._recorder.span(checks.text("name", name), start, end)

    # -- what there is to know ---------------------------------------------------------------------

    def __dir__(self) -> list[str]:
        return current_names(type(self), super().__dir__())

    def __len__(self) -> int:
        """Frames remembered."""
        return len(self._recorder.frames)

    def frames(self, last: int | None = None) -> list[Frame]:
        """All frames remembered, or the ``last`` so many, the oldest first; for reading."""
        frames = self._recorder.frames
        count = len(frames) if last is None else min(whole("last", last, 0), len(frames))
        return list(islice(frames, len(frames) - count, None))

    @property
    def names(self) -> list[str]:
        """The series there are: the built-in ones, then those of your own spans."""
        frames = self._recorder.frames
        own = {name: None for frame in frames for name in frame.parts() if name not in _TIMES}
        known = ["gpu"] if any(frame.gpu is not None for frame in frames) else []
        return [*_TIMES, *_STATES, *own, *known]

    def series(self, name: str, last: int | None = None) -> NDArray[np.float64]:
        """One number for each frame remembered, or for the ``last`` so many: float64 (frames,), the
        oldest first.

        Milliseconds: ``"frame"`` (from start to start), ``"update"`` (all ticks), ``"draw"``,
        ``"wait"`` (for the screen and for the next frame), ``"work"`` (frame less wait), ``"gc"``
        (pauses of the garbage collector, which lie within the others), ``"dropped"`` (given up by
        the loop so far), the phases of a tick (``"update.ai"``, …), and your own spans. Plain
        numbers: ``"ticks"`` and ``"alpha"``. Any other name is a `ValueError`. ``"gpu"`` (the GPU's
        time for the picture) is there once a driver has told one, some frames later; it is NaN for
        frames of which nothing is known, or not yet.
        """
        frames = self.frames(last)
        values: list[float]
        if name == "frame":
            values = [frame.duration / _MS for frame in frames]
        elif name == "work":
            values = [
                max(0, frame.duration - frame.parts().get("wait", 0)) / _MS for frame in frames
            ]
        elif name == "ticks":
            values = [frame.ticks for frame in frames]
        elif name == "alpha":
            values = [frame.alpha for frame in frames]
        elif name == "dropped":
            values = [frame.dropped * 1000 for frame in frames]
        elif name == "gpu" and name in self.names:
            values = [math.nan if frame.gpu is None else frame.gpu / _MS for frame in frames]
        elif name in _TIMES or name in self.names:
            values = [frame.parts().get(name, 0) / _MS for frame in frames]
        else:
            raise ValueError(
                f"name: expected one of {', '.join(map(repr, self.names))}, got {name!r}"
            )
        return np.array(values, np.float64)

    def spans(self, name: str, last: int | None = None) -> NDArray[np.int64]:
        """When what has this name began and ended, in the frames remembered or the ``last`` so
        many: int64 (n, 2).

        Nanoseconds of the loop's clock (of a game ``time.perf_counter_ns``), the oldest first:
        several for a frame, or none. A game has ``"update"`` (one for each tick), ``"draw"``,
        ``"wait"`` (the flip, and the sleep after it where flips do not wait for the screen) and
        ``"gc"``, its scenes ``"update.ai"`` and the like; ``"frame"`` is the whole.
        """
        checks.text("name", name)
        frames = self.frames(last)
        if name == "frame":
            found = [(frame.start, frame.end) for frame in frames]
        else:
            found = [
                (start, end)
                for frame in frames
                for span, start, end in zip(*[iter(frame.spans)] * 3, strict=True)
                if span == name
            ]
        return np.array(found, np.int64).reshape(-1, 2)

    @property
    def fps(self) -> float:
        """Frames a second, over all frames remembered; 0 before the first."""
        total = sum([frame.duration for frame in self._recorder.frames])
        return len(self) * NANOSECONDS / total if total else 0.0

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
        return Statistics(
            float(values.mean()), median, p95, p99, float(values.max()), _low_1(values)
        )

    def summary(self) -> Summary:
        """All of it at once."""
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
        """Write ``{"summary": …, "series": {name: [one number a frame]}}``, null for what is not
        known.

        Raises `AssetError` when it cannot.
        """
        import json  # few games write files: not all need to load what does

        series = {name: _known(self.series(name)) for name in self.names}
        summary = self.summary()
        told = summary._asdict() | {
            "times": {name: times._asdict() for name, times in summary.times.items()}
        }
        _write(path, json.dumps({"summary": told, "series": series}, indent=1, allow_nan=False))

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write a table with one row a frame, the oldest first; ``start`` is in ms after the oldest
        frame's.

        What is not known is left empty.

        Raises `AssetError` when it cannot.
        """
        import csv

        names = self.names
        frames = self.frames()
        starts = [(frame.start - frames[0].start) / _MS for frame in frames]
        text = io.StringIO()
        table = csv.writer(text, lineterminator="\n")
        table.writerow(["start", *names])
        table.writerows(zip(starts, *[_known(self.series(name)) for name in names], strict=True))
        _write(path, text.getvalue())

    def to_chrome_trace(self, path: str | os.PathLike[str]) -> None:
        """Write the frames as a timeline, which ui.perfetto.dev and chrome://tracing open.

        Raises `AssetError` when it cannot.
        """
        import json

        _write(path, json.dumps({"displayTimeUnit": "ms", "traceEvents": list(self._events())}))

    def _events(self) -> Iterator[dict[str, Any]]:
        """The Trace Event Format's events: names ("M"), complete spans ("X") and counters ("C"), in
        microseconds.
        """
        here = {"pid": 1, "tid": 1}
        yield {"ph": "M", "name": "process_name", "args": {"name": "game"}, **here}
        yield {"ph": "M", "name": "thread_name", "args": {"name": "frames"}, **here}
        frames = self.frames()
        origin = frames[0].start if frames else 0
        for frame in frames:
            at = (frame.start - origin) / _US
            yield {
                "ph": "X",
                "name": "frame",
                "cat": "frame",
                "ts": at,
                "dur": frame.duration / _US,
                **here,
            }
            # What lies within another comes after it, also of the same length: it was noted before.
            spans = list(zip(*[iter([*frame.details, *frame.spans])] * 3, strict=True))[::-1]
            spans.sort(key=lambda span: (span[1], -span[2]))
            for name, start, end in spans:
                yield {
                    "ph": "X",
                    "name": name,
                    "cat": "frame",
                    "ts": (start - origin) / _US,
                    "dur": max(0, end - start) / _US,
                    **here,
                }
            yield {"ph": "C", "name": "ticks", "ts": at, "args": {"ticks": frame.ticks}, **here}
            yield {"ph": "C", "name": "alpha", "ts": at, "args": {"alpha": frame.alpha}, **here}
            yield {
                "ph": "C",
                "name": "dropped time",
                "ts": at,
                "args": {"ms": frame.dropped * 1000},
                **here,
            }
            if frame.gpu is not None:  # a number: the GPU's clock is not the CPU's
                yield {"ph": "C", "name": "gpu", "ts": at, "args": {"ms": frame.gpu / _MS}, **here}


def _unwatch(stamp: object) -> None:
    with suppress(ValueError):  # somebody emptied the list of callbacks
        gc.callbacks.remove(stamp)  # type: ignore[arg-type]


def _low_1(times: NDArray[np.float64]) -> float:
    """Frames a second at the mean of the longest hundredth of ``times`` (at least one),
    milliseconds.
    """
    if not len(times):
        return 0.0
    slowest = np.sort(times)[-math.ceil(len(times) / 100) :].mean()
    return float(1000 / slowest) if slowest else 0.0


def _known(values: NDArray[np.float64]) -> list[float | None]:
    return [None if math.isnan(value) else value for value in values.tolist()]


def _write(path: str | os.PathLike[str], text: str) -> None:
    where = checks.path("path", path)

    def write(place: str) -> None:
        try:
            with open(place, "w", encoding="utf-8", newline="") as file:
                file.write(text)
        except OSError as error:
            raise AssetError(
                f"The monitor's frames cannot be written to {where!r}: {error.strerror or error}. "
                "Choose a file in a folder that exists and can be written to."
            ) from error

    write_file(where, write)
