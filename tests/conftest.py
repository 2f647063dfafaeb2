"""Shared fixtures and hooks of the tests.

The tests need neither a GPU nor a display: images are drawn off screen, in software.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import itertools
import os
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import moderngl
import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, settings
from hypothesis.errors import HypothesisWarning
from hypothesis.internal.conjecture import providers
from hypothesis.internal.entropy import deterministic_PRNG

import framework as fw
from framework import current_game
from framework.game.window import WindowSurface

if TYPE_CHECKING:
    from framework.bench import bench, lab

# Failures of these tests may be bugs of the framework, so reports contain all calls.
os.environ["SUBTICK_FULL_TRACEBACK"] = "1"

# Hypothesis: no time limit for an example, because the machine may be busy. Every run has the same
# examples, so that only a change of the code changes the result. With NEW_EXAMPLES=1 the examples
# are new, and there are more of them.
_NEW_EXAMPLES = bool(os.environ.get("NEW_EXAMPLES"))
settings.register_profile(
    "project",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=not _NEW_EXAMPLES,
    max_examples=200 if _NEW_EXAMPLES else 50,
)
settings.load_profile("project")

# Examples do not depend on the imported modules. By default, hypothesis takes every twentieth value
# from the program's own files, which each process would have to read and parse. With NEW_EXAMPLES=1
# this stays as it is.
if not _NEW_EXAMPLES and hasattr(providers, "_get_local_constants"):
    providers._get_local_constants = lambda: providers._local_constants

# On Python 3.14, Hypothesis finds no object that refers to its own random generator, and warns once
# that the generator could be freed. The data of the thread refers to it.
with warnings.catch_warnings():
    warnings.simplefilter("ignore", HypothesisWarning)
    with deterministic_PRNG():
        pass

# Programs that tests start get the environment as it was before `pytest_xdist_setupnodes`. Only the
# limit for BLAS threads stays: to start and end these threads is a fifth of the time in which a
# game starts. With NEW_EXAMPLES=1 this limit is removed too.
_HEAP = {
    "MALLOC_TRIM_THRESHOLD_": "400000000",
    "MALLOC_MMAP_THRESHOLD_": "100000000",
    "MALLOC_TOP_PAD_": "16000000",
}
if "PYTEST_XDIST_WORKER" in os.environ:
    for _name in ("PYTHONDEVMODE", *_HEAP, *(["OPENBLAS_NUM_THREADS"] if _NEW_EXAMPLES else [])):
        os.environ.pop(_name, None)

# Mesa's software GL passes each image to waiting threads. For small images, and with one test
# process per core, this costs more than the drawing itself.
os.environ.setdefault("LP_NUM_THREADS", "0")

# Mesa compiles shaders for each game, which draws only a few images. Without LLVM's optimization
# passes, the compilation saves more time than the drawing loses.
os.environ.setdefault("GALLIVM_PERF", "nopt")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return the number of cores. With one process more, the whole run takes longer.

    Each process imports and collects all tests, in three seconds. A test that waits for a program
    leaves its core to that program.
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes() -> None:
    """Set the environment of the test processes before they start.

    ``python -X dev`` applies to them too. BLAS gets one thread, because more threads than cores
    only wait for each other. Bytecode is written even if it is disabled here: each process and a
    hundred programs read it.
    """
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for (
        name,
        value,
    ) in _HEAP.items():  # glibc keeps freed memory for the next test: a tenth less time
        os.environ.setdefault(name, value)
    if sys.flags.dev_mode:
        os.environ["PYTHONDEVMODE"] = "1"


_first_collected = True


def pytest_collectstart(collector: pytest.Collector) -> None:
    """Import all test modules, each process from another start.

    To compile a test module for pytest takes ten times as long as to read the cached bytecode. With
    different starts, each process finds most modules already compiled by the others.
    """
    global _first_collected
    first = _first_collected
    _first_collected = False
    if (
        not first
        or "PYTEST_XDIST_WORKER" not in os.environ
        or collector.config.args_source.name != "TESTPATHS"
    ):
        return
    index = int(os.environ["PYTEST_XDIST_WORKER"][2:])
    count = int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
    names = sorted(path.stem for path in Path(__file__).parent.glob("test_*.py"))
    begin = len(names) * index // count
    for name in names[begin:] + names[:begin]:
        with contextlib.suppress(
            Exception, pytest.skip.Exception
        ):  # pytest reports the error when it collects the module
            importlib.import_module(name)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Send fewer reports if tests run in several processes.

    Six messages per test took as long as the rest of pytest's work. Reports of setup and teardown
    are not sent if they passed, unless durations are requested.
    """
    timed = any(item.config.getoption(name, None) for name in ("xmlpath", "durations"))
    if timed or "PYTEST_XDIST_WORKER" not in os.environ:
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    _freeze_sometimes()
    return True


@pytest.hookimpl(wrapper=True)
def pytest_report_to_serializable(report: pytest.TestReport | pytest.CollectReport) -> Any:
    """Remove the keywords of passed tests: a third of a message, and nothing reads them."""
    data = yield
    return {**data, "keywords": {}} if report.passed else data


_finished = itertools.count(1)

# The first files in the order. Garbage collection is slower in a process that ran other tests, so
# its tests come first. Then come the longest files, so that none of them runs alone at the end.
_FIRST = (
    "test_interruptions.py",
    "test_garbage.py",
    "test_many_games.py",
    "test_examples.py",
    "test_game.py",
)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Pause garbage collection.

    Collected tests stay alive, and repeated scans took a sixth of this time.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort the tests: first the files of `_FIRST`."""
    items.sort(
        key=lambda item: _FIRST.index(item.path.name) if item.path.name in _FIRST else len(_FIRST)
    )


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Freeze the collected tests and collect garbage less often.

    Five thousand tests stay alive until the end, so that Python need not scan them again. A
    collection after every 700 objects was a tenth of the tests' time.
    """
    _freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.hookimpl(trylast=True)
def pytest_runtest_logfinish() -> None:
    _collect_games()
    _freeze_sometimes()


_fixture_games: set[int] = set()


def _collect_games() -> None:
    """Free the games that a test did not close.

    Until Python's garbage collector frees such a game, it is the current game of the next tests.
    """
    if not _open_games() <= _fixture_games:
        gc.collect()
        _fixture_games.clear()
        _fixture_games.update(_open_games())  # games of module fixtures


def _open_games() -> set[int]:
    return {id(game) for reference in current_game._open if (game := reference()) is not None}


def _freeze_sometimes() -> None:
    """Freeze the modules and reports of finished tests from time to time.

    After a thousand tests, each full collection took a second, and each run of a game makes some.
    """
    # Not while a game is open: it would stay open for ever.
    if next(_finished) % 200 == 0 and not _open_games():
        _freeze()


def _freeze() -> None:
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def _players_data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a folder that replaces the user's data folder in tests and their programs."""
    folder = tmp_path_factory.mktemp("data")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(folder))
        yield folder


@pytest.fixture(autouse=True)
def _players_data_stays_empty(_players_data: Path) -> Iterator[None]:
    """Fail the test that leaves a file in the user's data folder."""
    yield
    files = os.listdir(_players_data)
    for name in files:
        shutil.rmtree(_players_data / name, ignore_errors=True)
    assert not files, f"files were written to the user's data folder: {files}; save into tmp_path"


@pytest.fixture(scope="session", autouse=True)
def _shared_glsl_functions() -> Iterator[None]:
    """Keep one GL context with a program open during all tests.

    Mesa makes GLSL's built-in functions with the first program and frees them with the last context
    that had a program, in 7 ms.
    """
    try:
        context = moderngl.create_context(standalone=True, backend="egl")
    except Exception:  # a machine without EGL
        context = None
    else:
        with context:  # after this block, no context is current
            context.program(vertex_shader="#version 330\nvoid main() { gl_Position = vec4(0.0); }")
    yield
    if context is not None:
        context.release()


@pytest.fixture
def no_open_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the games that other tests did not close: none of them is the current game.

    Such games stay open until Python's garbage collector finds them, or for ever if they were
    frozen.
    """
    monkeypatch.setattr(current_game, "_open", [])


@pytest.fixture
def unfrozen() -> Iterator[None]:
    """Set Python's garbage collector as it is when a game starts.

    Nothing is frozen, neither by `pytest_collection_finish` nor by Python 3.12 itself, and
    collections have Python's usual frequency.
    """
    gc.unfreeze()
    threshold = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*threshold)
    gc.freeze()


@pytest.fixture
def ctx() -> Iterator[moderngl.Context]:
    """Return a GL context with a bound framebuffer of 64 x 64.

    Check for GL errors after the test.
    """
    options = {
        "vsync": False,
        "resizable": False,
        "fullscreen": False,
        "samples": 0,
        "pixel_ratio": 1.0,
    }
    surface = WindowSurface((64, 64), title="test", headless=True, **options)
    surface.use()
    yield surface.ctx
    assert surface.ctx.error == "GL_NO_ERROR"
    surface.close()


@pytest.fixture(scope="session")
def sprites_report() -> bench.SpritesReport:
    """Return a benchmark of a few sprites, for tests of its report."""
    from framework.bench import bench

    return bench.measure_sprites([40, 400], frames=4)


@pytest.fixture(scope="session")
def lab_report() -> lab.Report:
    """Return a report of some of the lab's methods at three frame rates."""
    from framework.bench import lab

    names = [
        "pyglet schedule_interval",
        "JamJar",
        "fixed none",
        "fixed interpolate",
        "fixed interpolate paced",
    ]
    return lab.run(seconds=4, rates=["60", "144", "off"], methods=names, seed=3)


@pytest.fixture
def make() -> Iterator[Callable[..., Any]]:
    """``make(GameClass, **options)``:

    a headless game, 200 x 100 by default, closed after the test.
    """
    games: list[fw.Game] = []

    def make(game_class: type[fw.Game] = fw.Game, **options: Any) -> Any:
        game = game_class(
            **{"size": (200, 100), "headless": True, "background": (0, 0, 0), **options}
        )
        games.append(game)
        return game

    yield make
    for game in reversed(games):
        if not game._engine.surface.game_closed:
            assert not game.drawing or game.picture.ctx.error == "GL_NO_ERROR"
        game.close()
