"""Run a game with different settings and Python versions, and compare its states after each tick.

This *determinism matrix* finds results that depend on the machine. A `sync_test` runs in a single
process, so it cannot find differences between two processes, such as the order of a set of strings,
the values of `id`, processor instructions or BLAS libraries. The matrix runs the game once in the
normal environment, and once in each of several environments in which one setting is different. The
game gets the same input in every run. For each run, the matrix reports the first tick whose state
differs from the state in the first run.

    environment         first tick   first path
    no AVX-512                  1    game.ground.heights, game.hull.position

If a tick differs, the matrix repeats both runs up to this tick, and reports which values of the
state differ:

    tick 1: game.ground.heights[0, 7] was 2.25, and 2.2500000000000004 with 'no AVX-512' (1 ULP apart)
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import zip_longest
from pathlib import Path
from typing import Any

from .. import checks
from ..errors import FrameworkError
from ..record.hashes import first_difference
from .matrix_protocol import RunSettings, decode
from .report import FirstDifference

_ROOT = str(Path(__file__).resolve().parents[2])
_MAX_PATHS = 3  # the maximum number of paths in a report
_OTHER_USER = {
    "USER": "somebody",
    "LOGNAME": "somebody",
    "LANG": "C.UTF-8",
    "TZ": "Pacific/Chatham",
}
_THREAD_POOLS = ("OMP", "OPENBLAS", "MKL", "VECLIB_MAXIMUM")
_WITHOUT_PIXELS = {"GALLIUM_NOOP": "1"}  # Mesa draws no pixels
# The names in all NumPy versions for the features of x86-64-v4 and x86-64-v3 processors.
_V4 = (
    "X86_V4",
    "AVX512F",
    "AVX512CD",
    "AVX512_KNL",
    "AVX512_KNM",
    "AVX512_SKX",
    "AVX512_CLX",
    "AVX512_CNL",
    "AVX512_ICL",
    "AVX512_SPR",
)
_V3 = ("X86_V3", "AVX", "F16C", "FMA3", "FMA4", "XOP", "AVX2")


@dataclass(frozen=True)
class Environment:
    """The settings of one run, such as its environment variables and its frame rate."""

    name: str
    variables: dict[str, str] = field(default_factory=dict)
    """The environment variables to set for the process."""
    python: str = sys.executable
    frame_rate: float = 60
    drawing: bool = True
    collector: str = "as it is"
    """The mode of Python's garbage collector. With "as it is", the mode does not change. With
    "off", the collector is disabled. With "always", it runs as often as possible.
    """
    padding: int = 0
    """The number of objects to create before the game starts, which changes the memory addresses of
    the game's objects.
    """
    twice: bool = False
    """Whether each tick runs twice. After the first run of a tick, the state before the tick is
    restored from a snapshot.
    """


@dataclass(frozen=True, kw_only=True)
class MatrixRow(FirstDifference):
    """The result of one run of a matrix, compared with the first run. ``tick`` is the first tick
    whose state differs from the first run, or None. Tick 0 is the state before the first tick.
    ``before`` is the value in the first run of the matrix, and ``after`` is the value in the
    compared run.
    """

    environment: Environment
    ticks: int
    paths: tuple[str, ...] = ()
    """The paths of all values that differ after `tick`, such as "game.ground.heights"."""
    error: str = ""
    """The last line that a failed process wrote to stderr, or "" if the process has not failed."""

    @property
    def ok(self) -> bool:
        return self.tick is None and not self.error

    @property
    def first_paths(self) -> str:
        """The first of the `paths`, as a text for the table of results."""
        count = len(self.paths) - _MAX_PATHS
        further = f" and {count} more" if count > 0 else ""
        return ", ".join(self.paths[:_MAX_PATHS]) + further

    @property
    def second_time(self) -> str:
        return f"with {self.environment.name!r}"


@dataclass(frozen=True)
class Matrix:
    """The results of `run_matrix`. ``rows[0]`` is the first run, and each other row compares its
    run with the first run.
    """

    rows: tuple[MatrixRow, ...]

    @property
    def ok(self) -> bool:
        return all(row.ok for row in self.rows)

    def __str__(self) -> str:
        width = max(len(row.environment.name) for row in self.rows)
        lines = [f"{'environment':<{width}}  first tick  first path"]
        for row in self.rows:
            tick = "failed" if row.error else "-" if row.tick is None else str(row.tick)
            text = row.error or row.first_paths
            lines.append(f"{row.environment.name:<{width}}  {tick:>10}  {text}".rstrip())
        bad = sum(not row.ok for row in self.rows)
        ticks = max(row.ticks for row in self.rows)
        verdict = (
            f"{bad} of {len(self.rows)} differ" if bad else f"all {len(self.rows)} are the same"
        )
        differences = [row.difference for row in self.rows if row.tick is not None]
        parts = [lines, differences, [f"{verdict}, over {ticks} ticks"]]
        return "\n\n".join("\n".join(part) for part in parts if part)


def environments(pythons: Sequence[str] = ()) -> list[Environment]:
    """Return the environments in which this machine can run a game.

    ``pythons`` contains the paths of other Python interpreters, for which all packages that the
    framework needs must also be installed.
    """
    first = {"PYTHONHASHSEED": "0"}
    result = [
        Environment("as it is", first),
        Environment("other hash seed", {"PYTHONHASHSEED": "4071"}),
        Environment("other addresses", first | {"PYTHONMALLOC": "debug"}, padding=999),
        *(Environment(name, first | variables) for name, variables in _processors()),
        Environment("one thread", first | {f"{name}_NUM_THREADS": "1" for name in _THREAD_POOLS}),
        Environment("30 frames a second", first, frame_rate=30),
        Environment("144 frames a second", first, frame_rate=144),
        Environment("nothing drawn", first, drawing=False),
        Environment("every tick twice", first, drawing=False, twice=True),
        Environment("another user", first | _OTHER_USER),
        Environment("no collector", first, collector="off"),
        Environment("collector always on", first, collector="always"),
    ]
    return [*result, *(Environment(python, first, python=python) for python in pythons)]


def _processors() -> Iterator[tuple[str, dict[str, str]]]:
    """Yield environments in which programs use the processor as if it were older. Each item
    consists of a name and a dict of environment variables, which NumPy, the C library and OpenBLAS
    read.
    """
    if platform.machine().lower() not in ("x86_64", "amd64"):
        yield "other BLAS kernel", {"OPENBLAS_CORETYPE": "ARMV8"}
        return
    available = features()
    v4, v3 = ([name for name in names if name in available] for names in (_V4, _V3))
    if v4:
        yield "no AVX-512", {"NPY_DISABLE_CPU_FEATURES": " ".join(v4)}
    if v3:
        tunables = "glibc.cpu.hwcaps=-AVX512F,-AVX2,-AVX,-FMA,-FMA4"
        yield (
            "no AVX2, no FMA",
            {"NPY_DISABLE_CPU_FEATURES": " ".join(v4 + v3), "GLIBC_TUNABLES": tunables},
        )
    yield "other BLAS kernel", {"OPENBLAS_CORETYPE": "Nehalem"}


def features() -> set[str]:
    """Return the names of this machine's processor features that NumPy can disable, such as
    "AVX2".
    """
    import numpy as np

    inner: Any = np._core._multiarray_umath  # type: ignore[attr-defined]
    return {name for name in inner.__cpu_dispatch__ if inner.__cpu_features__.get(name)}


def _plain_settings(file: str, ticks: int, seed: int, options: dict[str, Any]) -> RunSettings:
    """Return the settings of the first run, which changes nothing in its environment."""
    return {
        "file": file,
        "ticks": ticks,
        "seed": seed,
        "options": options,
        "drawing": True,
        "collector": "as it is",
        "padding": 0,
        "twice": False,
        "frame_rate": 60,
    }


def run_matrix(
    file: str | os.PathLike[str],
    *,
    ticks: int = 600,
    seed: int = 0,
    among: Sequence[Environment] | None = None,
    timeout: float = 600.0,
    processes: int | None = None,
    progress: Callable[[int], object] | None = None,
    **options: Any,
) -> Matrix:
    """Run a game file in several environments, and compare the states of the runs.

    ``among`` contains the environments in which the game runs. By default, the game runs in all
    environments that this machine supports. ``timeout`` is the maximum duration of one run, in
    seconds. ``progress`` is a function that is called after each run, with the number of finished
    runs. ``options`` are keyword arguments for the game. Raises `FrameworkError` if the first run
    fails.
    """
    path = Path(file).absolute()
    ticks = checks.whole("ticks", ticks, 1)
    seed = checks.whole("seed", seed, 0)
    timeout = checks.number("timeout", timeout, above=0)
    chosen = environments() if among is None else [*among]
    if not chosen:
        raise checks.wrong_value("among", "at least one environment", chosen)
    workers = os.cpu_count() or 1 if processes is None else checks.whole("processes", processes, 1)
    settings = _plain_settings(str(path), ticks, seed, options)
    with ThreadPoolExecutor(min(workers, len(chosen))) as pool:
        runs: list[_Run] = []
        for run in pool.map(lambda environment: _run(environment, settings, timeout), chosen):
            runs.append(run)
            if progress is not None:
                progress(len(runs))
        if runs[0].error:
            raise FrameworkError(f"{path.name} does not run as it is: {runs[0].error}")
        rows = [_compared(run, runs[0]) for run in runs]
        return Matrix(tuple(_with_values(rows, settings, timeout, pool)))


@dataclass
class _Run:
    environment: Environment
    lines: list[str]
    error: str = ""


def _with_environment(settings: RunSettings, environment: Environment) -> RunSettings:
    return {
        **settings,
        "drawing": environment.drawing,
        "collector": environment.collector,
        "padding": environment.padding,
        "twice": environment.twice,
        "frame_rate": float(Fraction(environment.frame_rate)),
    }


def _run(environment: Environment, settings: RunSettings, timeout: float) -> _Run:
    worker_settings = json.dumps(_with_environment(settings, environment))
    path = os.pathsep.join([_ROOT, *filter(None, [os.environ.get("PYTHONPATH")])])
    variables = {**_WITHOUT_PIXELS, **os.environ, "PYTHONPATH": path} | environment.variables
    try:
        process = subprocess.run(
            [environment.python, "-m", "framework.sim.matrix_worker", worker_settings],
            env=variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout,
        )
    except subprocess.TimeoutExpired:
        return _Run(environment, [], f"no end within {timeout:g} seconds")
    except OSError as error:
        return _Run(environment, [], f"{environment.python}: {error.strerror}")
    lines = process.stdout.splitlines()
    if process.returncode == 0:
        return _Run(environment, lines)
    last = (process.stderr.strip().splitlines() or [f"exit status {process.returncode}"])[-1]
    return _Run(environment, lines, last)


def _read_line(line: str) -> tuple[int, dict[str, Any]]:
    """Parse one line of a worker's output. Return the tick, and a dict from paths to hashes or
    values.
    """
    tick, values = json.loads(line)
    return tick, values


def _compared(run: _Run, first: _Run) -> MatrixRow:
    """Compare the hashes of a run with the hashes of the first run. Return a `MatrixRow` with the
    first tick in which a hash differs.
    """
    ticks = _read_line(run.lines[-1])[0] if run.lines else 0
    if run.error:
        return MatrixRow(environment=run.environment, ticks=ticks, error=run.error)
    for line, first_line in zip_longest(run.lines, first.lines):
        if line == first_line:
            continue
        tick, mine = _read_line(line) if line else (ticks, {})
        theirs = _read_line(first_line)[1] if first_line else {}
        differing = [
            path for path in {**theirs, **mine} if mine.get(path, "-") != theirs.get(path, "-")
        ]
        if differing:  # otherwise, only the order of the values differs
            return MatrixRow(
                environment=run.environment,
                ticks=ticks,
                tick=tick,
                path=differing[0],
                paths=tuple(differing),
            )
    return MatrixRow(environment=run.environment, ticks=ticks)


def _with_values(
    rows: list[MatrixRow], settings: RunSettings, timeout: float, pool: ThreadPoolExecutor
) -> list[MatrixRow]:
    """To each row in ``rows``, add the two values that differ. If the values are arrays, also add
    the index of the first difference. To get the values, the function repeats the first run and all
    runs that differ from it.
    """
    differences = {
        index: (row.tick, row.path or "") for index, row in enumerate(rows) if row.tick is not None
    }
    if not differences:
        return rows

    def run_again(index: int) -> _Run:
        pairs = [differences[index]] if index else sorted({*differences.values()})
        last = max(tick for tick, _ in pairs)
        return _run(rows[index].environment, {**settings, "ticks": last, "values": pairs}, timeout)

    first, *repeated = pool.map(run_again, [0, *differences])
    for index, run in zip(differences, repeated, strict=True):
        rows[index] = _with_value(rows[index], first, run)
    return rows


def _with_value(row: MatrixRow, first: _Run, again: _Run) -> MatrixRow:
    error = first.error or again.error
    if error:
        return replace(
            row,
            reason=f"{row.path} differed {row.second_time}, and its values could not be read: {error}",
        )
    difference = first_difference(_values_of(row, first), _values_of(row, again))
    if difference is None:
        return replace(
            row,
            reason=f"{row.path} was another {row.second_time}, but not when both were run "
            "once more",
        )
    return replace(
        row,
        row=difference.row,
        before=difference.before,
        after=difference.after,
        ulps=difference.ulps,
    )


def _values_of(row: MatrixRow, run: _Run) -> dict[str, Any]:
    """Return the value of a run that differs according to ``row``, as a dict with its path."""
    return {
        path: decode(packed_value)
        for tick, values in map(_read_line, run.lines)
        for path, packed_value in values.items()
        if (tick, path) == (row.tick, row.path)
    }
