"""FrameStats: series, spans, statistics, files and GPU times of frames."""

from __future__ import annotations

import csv
import gc
import json
import os
import signal
import subprocess
import sys
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import framework as fw
from framework.watch.frame_stats import FrameStats

Make = Callable[..., Any]
MS = 1_000_000


def record(monitor: FrameStats, times: list[int], start: int = 0) -> int:
    """Record frames of these lengths in milliseconds: a quarter is one tick, a quarter drawing and
    half waiting."""
    for number, ms in enumerate(times):
        quarter = ms * MS // 4
        monitor.recorder.begin_frame(start)
        monitor.recorder.ticked(start, start + quarter)
        monitor.recorder.drawn(start + quarter, start + 2 * quarter, number % 10 / 10, number * 0.5)
        monitor.span("wait", start + 2 * quarter, start + ms * MS)
        start += ms * MS
    return start


@pytest.fixture
def monitor() -> Any:
    """A FrameStats with a constant clock, so that garbage collections take no time."""
    monitor = FrameStats(clock=lambda: 0)
    yield monitor
    monitor.close()


def test_series_are_in_milliseconds_oldest_first(monitor: FrameStats) -> None:
    monitor.recorder.end_frame(record(monitor, [16, 20, 12]))
    assert len(monitor) == 3
    assert monitor.series("frame").dtype == np.float64
    assert monitor.series("frame").tolist() == [16, 20, 12]
    assert monitor.series("update").tolist() == [4, 5, 3]
    assert monitor.series("draw").tolist() == [4, 5, 3]
    assert monitor.series("wait").tolist() == [8, 10, 6]
    assert monitor.series("work").tolist() == [8, 10, 6]
    assert monitor.series("ticks").tolist() == [1, 1, 1]
    assert monitor.series("alpha").tolist() == [0, 0.1, 0.2]
    assert monitor.series("dropped").tolist() == [0, 500, 1000]


def test_a_frame_lasts_until_the_next_frame_or_its_own_end(monitor: FrameStats) -> None:
    monitor.recorder.begin_frame(100 * MS)
    assert len(monitor) == 0  # still open
    monitor.recorder.begin_frame(110 * MS)
    monitor.recorder.end_frame(115 * MS)
    monitor.recorder.begin_frame(900 * MS)  # the time between belongs to no frame
    monitor.recorder.end_frame(903 * MS)
    assert monitor.series("frame").tolist() == [10, 5, 3]


def test_spans_outside_a_frame_are_not_counted(monitor: FrameStats) -> None:
    monitor.span("draw", 0, 5 * MS)
    monitor.recorder.begin_frame(10 * MS)
    monitor.recorder.end_frame(20 * MS)
    monitor.span("draw", 20 * MS, 25 * MS)
    monitor.recorder.end_frame(30 * MS)
    assert monitor.series("draw").tolist() == [0]


def test_only_the_last_frames_are_kept() -> None:
    monitor = FrameStats(3)
    monitor.recorder.end_frame(record(monitor, [1, 2, 3, 4, 5]))
    monitor.close()
    assert monitor.series("frame").tolist() == [3, 4, 5]
    assert monitor.series("frame", 2).tolist() == [4, 5]
    assert monitor.series("frame", 9).tolist() == [3, 4, 5]
    assert monitor.recorder.recorded == 5
    with pytest.raises(ValueError, match="last: "):
        monitor.series("frame", -1)


def test_several_ticks_of_a_frame_add_up(monitor: FrameStats) -> None:
    monitor.recorder.begin_frame(0)
    monitor.recorder.ticked(0, 2 * MS)
    monitor.recorder.ticked(2 * MS, 5 * MS)
    monitor.recorder.end_frame(10 * MS)
    assert monitor.series("ticks").tolist() == [2]
    assert monitor.series("update").tolist() == [5]


def test_spans_have_the_begin_and_end_of_each_measurement(monitor: FrameStats) -> None:
    monitor.recorder.end_frame(record(monitor, [16, 20]))
    monitor.recorder.begin_frame(90 * MS)
    monitor.recorder.ticked(90 * MS, 92 * MS)
    monitor.recorder.ticked(92 * MS, 95 * MS)
    monitor.recorder.end_frame(99 * MS)
    assert monitor.spans("update", last=1).tolist() == [[90 * MS, 92 * MS], [92 * MS, 95 * MS]]
    assert monitor.spans("update").dtype == np.int64
    assert len(monitor.spans("update")) == 4
    assert monitor.spans("wait", last=1).shape == (0, 2)


def test_a_custom_span_becomes_a_series(monitor: FrameStats) -> None:
    record(monitor, [10])
    monitor.recorder.begin_frame(10 * MS)
    monitor.span("ai", 11 * MS, 14 * MS)
    monitor.recorder.end_frame(20 * MS)
    assert monitor.series("ai").tolist() == [0, 3]
    assert monitor.summary().times["ai"].worst == 3
    with pytest.raises(ValueError, match=r"name: expected one of 'frame', .*'ai', got 'physics'"):
        monitor.series("physics")


def test_time_that_runs_backwards_counts_as_zero(monitor: FrameStats) -> None:
    monitor.recorder.begin_frame(10 * MS)
    monitor.recorder.drawn(10 * MS, 5 * MS, 0.5, 0.0)
    monitor.recorder.begin_frame(2 * MS)
    monitor.recorder.end_frame(4 * MS)
    assert monitor.series("frame").tolist() == [0, 2]
    assert monitor.series("draw").tolist() == [0, 0]


def test_the_summary_has_the_frame_rate_and_the_percentiles(monitor: FrameStats) -> None:
    monitor.recorder.end_frame(record(monitor, [10] * 198 + [50, 30]))
    summary = monitor.summary()
    assert summary.frames == 200
    assert summary.fps == monitor.fps == pytest.approx(200 / 2.06)
    assert (
        summary.low_1 == monitor.low_1 == pytest.approx(1000 / 40)
    )  # the slowest two of 200: 50 and 30 ms
    frame = summary.times["frame"]
    assert (frame.mean, frame.median, frame.p95, frame.worst) == (pytest.approx(10.3), 10, 10, 50)
    assert frame.p99 == pytest.approx(np.percentile([10] * 198 + [50, 30], 99))
    assert summary.times["work"].median == 5
    assert summary.ticks_per_frame == 1
    assert summary.dropped_time == 99.5


def test_before_the_first_frame_all_statistics_are_zero(monitor: FrameStats) -> None:
    summary = monitor.summary()
    assert (summary.frames, summary.fps, summary.low_1, summary.times["frame"].p99) == (0, 0, 0, 0)
    assert monitor.series("frame").shape == (0,)


@given(st.lists(st.integers(0, 200), min_size=1, max_size=60), st.integers(1, 40))
def test_statistics_are_computed_from_the_kept_frames(times: list[int], frames: int) -> None:
    monitor = FrameStats(frames, on=False)
    monitor.on = True
    monitor.recorder.end_frame(record(monitor, times))
    monitor.close()
    kept_times = np.array(times[-frames:], float)
    statistics = monitor.statistics("frame")
    assert_allclose(
        [statistics.mean, statistics.median, statistics.worst],
        [kept_times.mean(), np.median(kept_times), kept_times.max()],
    )
    assert statistics.median <= statistics.p95 <= statistics.p99 <= statistics.worst
    assert monitor.low_1 <= monitor.fps * (1 + 1e-9)


# -- the garbage collector -------------------------------------------------------------------------


def test_garbage_collections_count_in_the_frame_that_they_interrupt() -> None:
    # the clock is read twice per callback
    moments = iter([2, 2, 5, 5, 11, 11, 12, 12, 25, 25, 29, 29])
    monitor = FrameStats(clock=lambda: next(moments) * MS)
    gc.disable()  # only the collections of this test count
    try:
        monitor.recorder.begin_frame(0)
        gc.collect()
        monitor.recorder.end_frame(10 * MS)
        gc.collect()  # between two frames: not counted
        monitor.recorder.begin_frame(20 * MS)
        gc.collect()
        monitor.recorder.end_frame(30 * MS)
    finally:
        monitor.close()
        gc.enable()
    assert monitor.series("gc").tolist() == [3, 4]
    assert monitor.series("work").tolist() == [10, 10]  # the collections are part of the work


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="an alarm stands for Ctrl-C")
def test_ctrl_c_during_a_garbage_collection_is_not_lost() -> None:
    # Objects of other tests have finalizers, and Python loses a KeyboardInterrupt in a finalizer.
    gc.collect()
    objects = [[number] for number in range(300_000)]
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    callbacks = gc.callbacks[:]
    gc.callbacks.clear()  # a callback of Hypothesis loses KeyboardInterrupts
    monitor = FrameStats()
    try:
        for _ in range(3):
            monitor.recorder.begin_frame(time.perf_counter_ns())
            with pytest.raises(KeyboardInterrupt):  # noqa: PT012
                signal.setitimer(signal.ITIMER_REAL, 0.002)
                gc.collect()
                end = time.monotonic() + 5  # the signal arrives before this time
                while time.monotonic() < end:
                    pass
            monitor.recorder.end_frame(time.perf_counter_ns())
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        monitor.close()
        gc.callbacks[:] = callbacks
    assert len(objects) == 300_000
    assert (monitor.series("gc") > 0).all()


def test_a_collection_that_began_before_the_monitor_was_on_is_not_counted() -> None:
    monitor = FrameStats(on=False)

    class SwitchesOn:
        def __init__(self) -> None:
            self.own = self

        def __del__(self) -> None:
            monitor.on = True

    SwitchesOn()
    gc.collect()
    assert monitor.on
    now = time.perf_counter_ns()
    monitor.recorder.begin_frame(now)
    gc.collect()
    monitor.recorder.end_frame(time.perf_counter_ns())
    took = monitor.series("frame")[0]
    monitor.close()
    assert 0 < monitor.series("gc")[0] <= took


def test_the_garbage_collector_is_watched_only_while_the_monitor_is_on() -> None:
    before = list(gc.callbacks)
    monitor = FrameStats()
    assert len(gc.callbacks) == len(before) + 1
    monitor.on = False
    assert gc.callbacks == before
    monitor.on = True
    monitor.on = True
    assert len(gc.callbacks) == len(before) + 1
    monitor.close()
    monitor.close()
    assert gc.callbacks == before


def test_a_deleted_monitor_leaves_no_callback() -> None:
    before = list(gc.callbacks)
    monitor = FrameStats()
    gone = weakref.ref(monitor)
    del monitor
    assert gone() is None
    assert gc.callbacks == before


def test_a_disabled_monitor_records_nothing_and_keeps_its_frames(monitor: FrameStats) -> None:
    monitor.recorder.end_frame(record(monitor, [10, 10]))
    monitor.recorder.begin_frame(50 * MS)
    monitor.on = False  # within a frame, which is then not recorded
    monitor.recorder.end_frame(60 * MS)
    record(monitor, [10], 60 * MS)
    assert monitor.series("frame").tolist() == [10, 10]
    monitor.clear()
    assert len(monitor) == 0


@pytest.mark.parametrize("frames", [0, -1, 2.5, "many", None])
def test_a_bad_number_of_frames_is_named(frames: Any) -> None:
    with pytest.raises((ValueError, TypeError), match="frames: "):
        FrameStats(frames)


# -- files -----------------------------------------------------------------------------------------


def test_json_has_the_summary_and_the_series(monitor: FrameStats, tmp_path: Path) -> None:
    monitor.recorder.end_frame(record(monitor, [16, 20]))
    monitor.to_json(tmp_path / "frames.json")
    data = json.loads((tmp_path / "frames.json").read_text())
    assert data["series"]["frame"] == [16, 20]
    assert data["summary"]["frames"] == 2
    assert data["summary"]["times"]["update"]["worst"] == 5


def test_csv_has_a_row_for_each_frame(monitor: FrameStats, tmp_path: Path) -> None:
    monitor.recorder.end_frame(record(monitor, [16, 20], start=7 * MS))
    monitor.to_csv(tmp_path / "frames.csv")
    with open(tmp_path / "frames.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    times = [(float(row["start"]), float(row["frame"]), float(row["wait"])) for row in rows]
    assert times == [(0, 16, 8), (16, 20, 10)]
    assert list(rows[0]) == ["start", *monitor.names]


def test_the_chrome_trace_nests_spans_in_frames_in_microseconds(
    monitor: FrameStats, tmp_path: Path
) -> None:
    monitor.recorder.end_frame(record(monitor, [16, 20], start=7 * MS))
    monitor.to_chrome_trace(tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert all({"ph", "name", "pid", "tid"} <= event.keys() for event in events)
    assert [event["args"]["name"] for event in events if event["ph"] == "M"] == ["game", "frames"]
    spans = [(event["name"], event["ts"], event["dur"]) for event in events if event["ph"] == "X"]
    assert spans[:4] == [
        ("frame", 0, 16000),
        ("update", 0, 4000),
        ("draw", 4000, 4000),
        ("wait", 8000, 8000),
    ]
    assert spans[4:6] == [("frame", 16000, 20000), ("update", 16000, 5000)]
    counters = [
        (event["name"], event["ts"], event["args"]) for event in events if event["ph"] == "C"
    ]
    assert ("alpha", 16000, {"alpha": 0.1}) in counters
    assert ("ticks", 0, {"ticks": 1}) in counters
    assert ("dropped time", 16000, {"ms": 500}) in counters


@pytest.mark.parametrize(
    "write", [FrameStats.to_json, FrameStats.to_csv, FrameStats.to_chrome_trace]
)
def test_an_unwritable_path_is_an_asset_error_that_names_it(
    monitor: FrameStats, write: Callable[[FrameStats, Path], None], tmp_path: Path
) -> None:
    with pytest.raises(fw.AssetError, match=r"nowhere.*Choose a file in a folder that exists"):
        write(monitor, tmp_path / "nowhere" / "frames")
    write(monitor, tmp_path / "empty")  # no frame yet, but a file is written
    assert (tmp_path / "empty").stat().st_size


# -- the GPU ---------------------------------------------------------------------------------------


def test_gpu_time_arrives_later_and_belongs_to_the_frame_that_was_drawn(
    monitor: FrameStats, tmp_path: Path
) -> None:
    monitor.recorder.end_frame(record(monitor, [10, 10]))
    assert "gpu" not in monitor.names  # no GPU time was recorded
    with pytest.raises(ValueError, match="got 'gpu'"):
        monitor.series("gpu")
    monitor.recorder.begin_frame(20 * MS)
    monitor.recorder.gpu_took(2, 4 * MS)
    monitor.recorder.gpu_took(3, 6 * MS)  # the open frame
    monitor.recorder.gpu_took(9, 6 * MS)  # no frame
    monitor.recorder.end_frame(30 * MS)
    assert str(monitor.series("gpu").tolist()) == "[nan, 4.0, 6.0]"
    assert monitor.statistics("gpu").mean == 5
    assert monitor.series("draw").tolist() == [2.5, 2.5, 0]

    def no_constant(name: str) -> None:
        raise AssertionError(f"{name} is no JSON")

    monitor.to_json(tmp_path / "frames.json")
    data = json.loads((tmp_path / "frames.json").read_text(), parse_constant=no_constant)
    assert data["series"]["gpu"] == [None, 4, 6]
    monitor.to_csv(tmp_path / "frames.csv")
    with open(tmp_path / "frames.csv", newline="") as file:
        assert [row["gpu"] for row in csv.DictReader(file)] == ["", "4.0", "6.0"]
    counters = [event for event in monitor._events() if event["name"] == "gpu"]
    assert [(event["ph"], event["ts"], event["args"]["ms"]) for event in counters] == [
        ("C", 10000, 4),
        ("C", 20000, 6),
    ]


def test_gpu_time_of_dropped_and_cleared_frames_is_ignored() -> None:
    monitor = FrameStats(2, clock=lambda: 0)
    monitor.recorder.end_frame(record(monitor, [1, 1, 1]))
    monitor.recorder.gpu_took(1, MS)
    assert "gpu" not in monitor.names
    monitor.clear()
    monitor.recorder.end_frame(record(monitor, [1]))
    monitor.recorder.gpu_took(3, MS)
    assert "gpu" not in monitor.names
    monitor.recorder.gpu_took(4, MS)
    assert monitor.series("gpu").tolist() == [1]
    monitor.close()


def test_a_game_measures_gpu_time_without_waiting(make: Make) -> None:
    game = make(Busy)
    game.debug.frame_stats.gpu = True
    for _ in range(30):
        game.advance(1 / 60)
    game.picture.ctx.finish()
    game.advance(1 / 60)  # the GPU has now finished all earlier frames
    gpu_times = game.debug.frame_stats.series("gpu")
    assert np.isfinite(gpu_times[:30]).all()
    assert (gpu_times[:30] > 0).all()


def test_frames_without_a_free_timer_query_have_no_gpu_time(make: Make) -> None:
    game = make(fw.Game)
    game.debug.frame_stats.gpu = True
    game.run(1)
    timer = game._engine.painter.gpu_timer
    timer._is_ready = lambda query: False  # a GPU that has finished no query
    queries_read: list[int] = []
    timer._read = queries_read.append
    game.run(40)
    assert queries_read == []
    assert timer._free == []
    assert len(game.debug.frame_stats) == 41
    del timer._is_ready, timer._read
    game.picture.ctx.finish()
    game.run(3)
    assert np.isnan(game.debug.frame_stats.series("gpu")[20:40]).all()
    assert np.isfinite(game.debug.frame_stats.series("gpu")[1:6]).all()


def test_a_games_own_timer_query_works_within_a_timed_frame(make: Make) -> None:
    class WithTimerQuery(fw.Game):
        def draw(self, alpha: float) -> None:
            self.query = self.picture.ctx.query(time=True)
            with self.query:
                self.picture.ctx.clear(1, 0, 0)

    game = make(WithTimerQuery)
    game.debug.frame_stats.gpu = True
    game.run(3)
    assert game.query.elapsed > 0
    assert game.picture.ctx.error == "GL_NO_ERROR"


def test_without_monitor_no_timer_query_is_made(make: Make) -> None:
    game = make(fw.Game, frame_stats=False)
    game.debug.frame_stats.gpu = True
    game.run(2)
    assert game._engine.painter.gpu_timer is None


def test_without_a_window_the_gpu_is_timed_once_the_overlay_is_on(make: Make) -> None:
    game = make(fw.Game)
    game.run(3)
    assert game._engine.painter.gpu_timer is None
    assert "gpu" not in game.debug.frame_stats.names
    game.debug.overlay = True
    game.run(3)
    game.picture.ctx.finish()
    game.run(1)
    assert np.isnan(game.debug.frame_stats.series("gpu")[:3]).all()
    assert np.isfinite(game.debug.frame_stats.series("gpu")[3:5]).all()


def test_a_driver_that_draws_nothing_gives_no_gpu_time() -> None:
    code = """
import framework as fw
with fw.Game(headless=True, size=(64, 64)) as game:
    game.debug.overlay = True
    game.run(20)
    print(len(game.debug.frame_stats), "gpu" in game.debug.frame_stats.names)
"""
    environment = {**os.environ, "GALLIUM_NOOP": "1", "LIBGL_ALWAYS_SOFTWARE": "1"}
    result = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=environment,
        timeout=120,
        check=False,
    )
    assert (result.stdout, result.returncode) == ("20 False\n", 0), result.stderr


# -- the parts of a tick ---------------------------------------------------------------------------


def test_phases_and_scheduled_tasks_are_series_and_lie_within_update(
    make: Make, tmp_path: Path
) -> None:
    class Phases(fw.Game):
        def setup(self) -> None:
            self.systems.add("ai", think)
            self.systems.add("camera", look)
            self.schedule.interval(lambda dt: _work(1), 1 / 60)

        def update(self, dt: float) -> None:
            _work(1)

    def think(dt: float) -> None:
        _work(2)

    def look(dt: float) -> None:
        _work(1)

    game = make(Phases)
    game.run(3)
    monitor = game.debug.frame_stats
    min_times = {"update.tasks": 1, "update.ai": 2, "update.movement": 1, "update.camera": 1}
    assert [name for name in monitor.names if name.startswith("update.")] == list(min_times)
    for name, ms in min_times.items():
        assert (monitor.series(name) >= ms).all()
    assert (sum(monitor.series(name) for name in min_times) <= monitor.series("update")).all()
    monitor.to_csv(tmp_path / "frames.csv")
    with open(tmp_path / "frames.csv", newline="") as file:
        assert [float(row["update.ai"]) for row in csv.DictReader(file)] == monitor.series(
            "update.ai"
        ).tolist()
    monitor.to_json(tmp_path / "frames.json")
    assert (
        json.loads((tmp_path / "frames.json").read_text())["summary"]["times"]["update.ai"][
            "median"
        ]
        >= 2
    )
    monitor.to_chrome_trace(tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    spans = [event for event in events if event["ph"] == "X"]
    tree = nested(spans)
    names = {name.rpartition(".")[2] for name in ("think", "look")}
    paths = {tuple(part.rpartition(".")[2] for part in path) for path in tree}
    assert ("frame", "update", "ai", "think") in paths
    assert ("frame", "update", "camera", "look") in paths
    assert ("frame", "update", "tasks") in paths
    assert ("frame", "draw") in paths
    assert len([path for path in tree if path[-1].rpartition(".")[2] in names]) == 6


def nested(spans: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    """Return the path of names from the outermost span to each span. Fail if two spans only
    overlap."""
    open_spans: list[tuple[str, float]] = []
    paths = []
    for span in spans:
        end = span["ts"] + span["dur"]
        while open_spans and open_spans[-1][1] <= span["ts"] + 1e-6:
            open_spans.pop()
        assert not open_spans or end <= open_spans[-1][1] + 1e-6, span
        open_spans.append((span["name"], end))
        paths.append(tuple(name for name, _ in open_spans))
    return paths


def test_a_game_without_systems_and_tasks_has_no_series_for_them(make: Make) -> None:
    game = make(Busy)
    game.run(2)
    assert not [name for name in game.debug.frame_stats.names if name.startswith("update.")]


# -- in a game -------------------------------------------------------------------------------------


class Busy(fw.Game):
    """A game whose ticks take two milliseconds of CPU, and whose draws take one."""

    def update(self, dt: float) -> None:
        _work(2)

    def draw(self, alpha: float) -> None:
        _work(1)


def _work(ms: float) -> None:
    until = time.perf_counter() + ms / 1000
    while time.perf_counter() < until:
        pass


def test_a_game_times_its_frames_ticks_and_draws(make: Make) -> None:
    game = make(Busy, tick_rate=60, frame_rate=30)
    game.run(5)
    monitor = game.debug.frame_stats
    assert len(monitor) == 5
    assert monitor.series("ticks").tolist() == [2] * 5
    assert (monitor.series("update") >= 4).all()
    assert (monitor.series("draw") >= 1).all()
    assert (monitor.series("wait") == 0).all()  # without a window nothing waits
    spent = monitor.series("update") + monitor.series("draw")
    assert (monitor.series("frame") >= spent).all()
    assert (monitor.series("work") == monitor.series("frame")).all()


@pytest.mark.filterwarnings("ignore:advance:RuntimeWarning")  # a long frame drops time
def test_each_frame_has_its_alpha_and_dropped_time(make: Make) -> None:
    game = make(fw.Game, tick_rate=10)
    game.advance(0.025)
    game.advance(0.05)
    game.advance(1.25)  # a frame is at most a quarter of a second, and the rest is dropped
    assert_allclose(game.debug.frame_stats.series("alpha"), [0.25, 0.75, 0.25])
    assert_allclose(game.debug.frame_stats.series("dropped"), [0, 0, 1000])
    assert game.debug.frame_stats.series("ticks").tolist() == [0, 0, 3]


def test_pixels_read_between_frames_do_not_count_as_a_draw(make: Make) -> None:
    game = make(Busy)
    game.pixels()  # drawn for this call only
    assert len(game.debug.frame_stats) == 0
    game.advance(1 / 60)
    game.pixels()
    assert len(game.debug.frame_stats) == 1


def test_a_game_with_disabled_frame_stats_records_nothing_until_enabled(make: Make) -> None:
    before = list(gc.callbacks)
    game = make(fw.Game, frame_stats=False)
    game.run(2)
    assert gc.callbacks == before
    assert len(game.debug.frame_stats) == 0
    game.debug.frame_stats.on = True
    game.run(2)
    assert len(game.debug.frame_stats) == 2


def test_a_closed_game_no_longer_watches_the_garbage_collector(make: Make) -> None:
    before = list(gc.callbacks)
    game = make(fw.Game)
    game.run(1)
    assert len(gc.callbacks) == len(before) + 1
    game.close()
    assert gc.callbacks == before
    assert len(game.debug.frame_stats) == 1  # the recorded frames can still be written
