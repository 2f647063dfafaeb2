"""The clock of the benchmarks: the CPU time of one thread, independent of other programs."""

from __future__ import annotations

import ast
import mmap
import sys
import threading
import time
from pathlib import Path

import pytest

from framework.bench import bench, cpu_time, worker_bench
from framework.bench.worker_bench import turn

BENCH = Path(bench.__file__).parent


@pytest.mark.skipif(sys.platform == "win32", reason="the clock there is the wall clock")
def test_work_of_another_thread_is_not_counted() -> None:
    def work_50_ms() -> None:
        end = time.thread_time() + 0.05
        while time.thread_time() < end:
            turn(1000)

    start = cpu_time.seconds()
    start_of_process = time.process_time()
    other = threading.Thread(target=work_50_ms)
    other.start()
    other.join()
    # A ratio to what the process has really computed, because the speed of a core that another
    # program shares changes from one moment to the next.
    assert cpu_time.seconds() - start < 0.2 * (time.process_time() - start_of_process)


def test_work_of_this_thread_is_counted() -> None:
    start = cpu_time.seconds()
    turn(200_000)
    assert cpu_time.seconds_since(start) > 0.0005


def test_benchmarks_measure_with_cpu_time() -> None:
    """Only the pacing, measurements of several processes, and real windows use the wall clock."""
    allowed = {"live_lab.py", Path(worker_bench.__file__).name, "cpu_time.py"}
    users = set()
    for path in BENCH.glob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef):
                users |= {
                    (path.name, function.name)
                    for node in ast.walk(function)
                    if isinstance(node, ast.Attribute) and node.attr.startswith("perf_counter")
                }
    assert {user for user in users if user[0] not in allowed} <= {("bench.py", "_paced")}


def test_the_duration_of_a_clock_reading_is_subtracted(monkeypatch: pytest.MonkeyPatch) -> None:
    readings = iter(range(1, 10_000))
    monkeypatch.setattr(cpu_time, "seconds", lambda: next(readings) * 0.25)
    cpu_time.reading_seconds.cache_clear()
    try:
        assert cpu_time.reading_seconds() == 0.25
        start = cpu_time.seconds()
        cpu_time.seconds()
        assert cpu_time.seconds_since(start) == 0.25
        assert cpu_time.seconds_since(cpu_time.seconds()) == 0
    finally:
        monkeypatch.undo()
        cpu_time.reading_seconds.cache_clear()


def test_frames_with_page_faults_are_left_out_without_a_driver() -> None:
    frames = [bench._Frame(faults) for faults in (0, 300, bench.FAULTS, 293)]
    assert bench._without_faults(frames, noop=True) == [frames[0], frames[2]]
    assert bench._without_faults(frames, noop=False) == frames
    usual = [bench._Frame(300)] * 9 + [bench._Frame(0)]
    assert bench._without_faults(usual, noop=True) == usual


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counted on Linux only")
def test_new_memory_causes_page_faults() -> None:
    before = cpu_time.page_faults()
    # A bytearray may get memory that the process has used before.
    with mmap.mmap(-1, 64 * 2**20) as memory:
        for page in range(0, len(memory), 4096):
            memory[page] = 1
    assert cpu_time.page_faults() - before >= 20  # large pages cause far fewer faults
