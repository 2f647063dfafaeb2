"""Shared fixtures. Tests need neither a GPU nor a display: pictures are drawn off screen in
software.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import itertools
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import moderngl
import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

import framework as fw
from framework import current_game
from framework.game.window import WindowSurface

if TYPE_CHECKING:
    from framework.bench import bench, lab

# No time limits for an example: the machine may be busy. The examples are the same in every run, so
# that a change is judged by what it changed; NEW_EXAMPLES=1 looks for new ones, and for more of
# them.
_LOOKING = bool(os.environ.get("NEW_EXAMPLES"))
settings.register_profile(
    "project",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=not _LOOKING,
    max_examples=200 if _LOOKING else 50,
)
settings.load_profile("project")

# Nor do examples depend on what was imported before: hypothesis takes every twentieth value out of
# the program's own files, which each process would have to read, and where no other did, to parse.
# At night it does.
if not _LOOKING and hasattr(providers, "_get_local_constants"):
    providers._get_local_constants = lambda: providers._local_constants

# Programs that tests start are to find the environment as it was before `pytest_xdist_setupnodes`;
# but for the threads of a BLAS, by day: to start and to end them is a fifth of what it takes to
# start a game.
_HEAP = {
    "MALLOC_TRIM_THRESHOLD_": "400000000",
    "MALLOC_MMAP_THRESHOLD_": "100000000",
    "MALLOC_TOP_PAD_": "16000000",
}
if "PYTEST_XDIST_WORKER" in os.environ:
    for _name in ("PYTHONDEVMODE", *_HEAP, *(["OPENBLAS_NUM_THREADS"] if _LOOKING else [])):
        os.environ.pop(_name, None)

# Mesa's software GL hands each picture to threads that wait for it: with small pictures, and with a
# process of tests for each core, they are more work than the pixels.
os.environ.setdefault("LP_NUM_THREADS", "0")

# And it compiles for each game what draws its few pictures: without LLVM's passes that make it
# quick, in less time than these save.
os.environ.setdefault("GALLIVM_PERF", "nopt")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """As many as there are cores: each imports and collects all tests, in three seconds, and a test
    that waits for a program which it has started waits for its work. One more took longer, where
    many tests do.
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes() -> None:
    """Before processes are started to run tests side by side: ``python -X dev`` is for them too,
    and where each core has one, the threads of a BLAS would only wait for each other, awake. And
    what is compiled is written down, whatever is usual here, for it is read by each of them and by
    a hundred programs that tests start.
    """
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for (
        name,
        value,
    ) in (
        _HEAP.items()
    ):  # glibc's: what a test has freed is kept for the next, a tenth of their time
        os.environ.setdefault(name, value)
    if sys.flags.dev_mode:
        os.environ["PYTHONDEVMODE"] = "1"


_first_collected = True


def pytest_collectstart(collector: pytest.Collector) -> None:
    """Each process imports every module of tests, and what pytest makes of one takes ten times as
    long as to read it from a file again. So each begins with others, and finds the rest as they
    left it."""
    global _first_collected
    first, _first_collected = _first_collected, False
    if (
        not first
        or "PYTEST_XDIST_WORKER" not in os.environ
        or collector.config.args_source.name != "TESTPATHS"
    ):
        return
    index, count = (
        int(os.environ["PYTEST_XDIST_WORKER"][2:]),
        int(os.environ["PYTEST_XDIST_WORKER_COUNT"]),
    )
    names = sorted(path.stem for path in Path(__file__).parent.glob("test_*.py"))
    begin = len(names) * index // count
    for name in names[begin:] + names[:begin]:
        with contextlib.suppress(Exception, pytest.skip.Exception):  # told of when it is collected
            importlib.import_module(name)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Where tests run side by side, six messages told of each, which took as long as all else that
    pytest does for it. Of one that passed, setup and teardown need not be told; but where times are
    asked for, theirs are among them.
    """
    timed = any(item.config.getoption(name, None) for name in ("xmlpath", "durations"))
    if timed or "PYTEST_XDIST_WORKER" not in os.environ:
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    _tidy()
    return True


@pytest.hookimpl(wrapper=True)
def pytest_report_to_serializable(report: pytest.TestReport | pytest.CollectReport) -> Any:
    """Names by which tests are chosen are a third of such a message, and nobody asks for them when
    one has passed.
    """
    data = yield
    return {**data, "keywords": {}} if report.passed else data


_finished = itertools.count(1)

# First, in whatever order the others run: what collects garbage, for in a process that ran tests
# there is more to look through; then the longest, so that no process is left alone with it in the
# end.
_FIRST = (
    "test_interruptions.py",
    "test_garbage.py",
    "test_many_games.py",
    "test_examples.py",
    "test_game.py",
)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What is collected stays: Python's collector, which would look through it again and again,
    took a sixth of it.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Bring the tests into the order in which processes take them."""
    items.sort(
        key=lambda item: _FIRST.index(item.path.name) if item.path.name in _FIRST else len(_FIRST)
    )


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """What five thousand tests are made of is alive until the end: Python's collector need not go
    through it again. And it was a tenth of their time when it came after every 700 objects.
    """
    _freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.hookimpl(trylast=True)
def pytest_runtest_logfinish() -> None:
    _collect_games()
    _tidy()


_kept_games: set[int] = set()


def _collect_games() -> None:
    """Free the games that a test did not close. Until Python's collector finds such a game, it is
    the current game of the tests that follow.
    """
    if not _open_games() <= _kept_games:
        gc.collect()
        _kept_games.clear()
        _kept_games.update(_open_games())  # those of fixtures of modules


def _open_games() -> set[int]:
    return {id(game) for reference in current_game._open if (game := reference()) is not None}


def _tidy() -> None:
    """Nor through the modules and reports that tests leave behind: in a process that ran a thousand
    of them each full collection took a second, and each game that is run makes some."""
    # A frozen game would be open for good.
    if next(_finished) % 200 == 0 and not _open_games():
        _freeze()


def _freeze() -> None:
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def _players_data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder in place of the user's data, for tests and the programs that they start."""
    folder = tmp_path_factory.mktemp("data")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(folder))
        yield folder


@pytest.fixture(autouse=True)
def _players_data_stays_empty(_players_data: Path) -> Iterator[None]:
    """Fail the test that leaves a file among the user's data."""
    yield
    left = os.listdir(_players_data)
    for name in left:
        shutil.rmtree(_players_data / name, ignore_errors=True)
    assert not left, f"files were written to the user's data folder: {left}; save into tmp_path"


@pytest.fixture(scope="session", autouse=True)
def _glsl_of_its_own() -> Iterator[None]:
    """Mesa makes GLSL's built-in functions with the first program and frees them with the last
    context that had one, in 7 ms: here a context that nobody else knows has one all the time."""
    try:
        context = moderngl.create_context(standalone=True, backend="egl")
    except Exception:  # a machine without EGL
        context = None
    else:
        with context:  # and after it none is current
            context.program(vertex_shader="#version 330\nvoid main() { gl_Position = vec4(0.0); }")
    yield
    if context is not None:
        context.release()


@pytest.fixture
def no_open_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """Games that other tests did not close are open until Python's collector finds them, or for
    good if they were frozen. Without this fixture they would be the current game of the test."""
    monkeypatch.setattr(current_game, "_open", [])


@pytest.fixture
def unfrozen() -> Iterator[None]:
    """As when a game starts, nothing is frozen (neither by `pytest_collection_finish` nor by Python
    3.12 itself), and Python's collector comes as often as it does."""
    gc.unfreeze()
    often = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*often)
    gc.freeze()


@pytest.fixture
def ctx() -> Iterator[moderngl.Context]:
    """A GL context with a framebuffer of 64 x 64 bound; no GL error may be left behind."""
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
    """A benchmark of a few sprites, for what judges, prints and draws its figures."""
    from framework.bench import bench

    return bench.measure_sprites([40, 400], frames=4)


@pytest.fixture(scope="session")
def lab_report() -> lab.Report:
    """Some of the lab's methods on three displays."""
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
    """``make(GameClass, **options)``: a game off screen, 200 x 100 unless told, closed after the
    test.
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
