"""The same game in many surroundings, which must not make a difference: processes of their own,
hashes tick by tick.

A `sync_test` runs in one process and cannot see what differs between two: the order of a set of
strings, `id`, the instructions that a processor has, the kernels of a BLAS. The matrix starts the
game once as it is, and once for each environment with one thing changed, plays all alike, and tells
for each at which tick what is another than in the first.

    environment         first tick   first path
    no AVX-512                  1    game.ground.heights, game.hull.position

Where two differ, both are run once more as far as that tick, and asked for the value:

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
from .parcel import Orders, unpacked
from .report import Found

_ROOT = str(Path(__file__).resolve().parents[2])
_PATHS = 3  # that are shown
_SOMEBODY = {"USER": "somebody", "LOGNAME": "somebody", "LANG": "C.UTF-8", "TZ": "Pacific/Chatham"}
_SCHEDULED = ("OMP", "OPENBLAS", "MKL", "VECLIB_MAXIMUM")
_UNSEEN = {"GALLIUM_NOOP": "1"}  # Mesa does all but to fill pixels, which nobody looks at
# What NumPy has called the parts of x86-64-v4 and v3.
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
    """Surroundings of a run: what differs from those of the first."""

    name: str
    variables: dict[str, str] = field(default_factory=dict)
    """Of the process's environment."""
    python: str = sys.executable
    frame_rate: float = 60
    drawing: bool = True
    collector: str = "as it is"
    """Python's garbage collector: "as it is", "off", or "always"."""
    padding: int = 0
    """Things that are allocated before the game."""
    twice: bool = False
    """Each tick is run, gone back from, and run again."""


@dataclass(frozen=True, kw_only=True)
class Row(Found):
    """What became of a run. ``tick`` is the first one after which the state is another than in the
    first run, 0 before the first tick; ``before`` is the value in the first run, and ``after`` in
    this one."""

    environment: Environment
    ticks: int
    paths: tuple[str, ...] = ()
    """What differs after that tick, in the order of the walk."""
    error: str = ""
    """Of a process that ended before its time: the last line that it said."""

    @property
    def ok(self) -> bool:
        return self.tick is None and not self.error

    @property
    def second_time(self) -> str:
        return f"with {self.environment.name!r}"


@dataclass(frozen=True)
class Matrix:
    """All rows, the first of them the run that the others are held against."""

    rows: tuple[Row, ...]

    @property
    def ok(self) -> bool:
        return all(row.ok for row in self.rows)

    def __str__(self) -> str:
        width = max(len(row.environment.name) for row in self.rows)
        lines = [f"{'environment':<{width}}  first tick  first path"]
        for row in self.rows:
            tick = "failed" if row.error else "-" if row.tick is None else str(row.tick)
            more = f" and {len(row.paths) - _PATHS} more" if len(row.paths) > _PATHS else ""
            what = row.error or ", ".join(row.paths[:_PATHS]) + more
            lines.append(f"{row.environment.name:<{width}}  {tick:>10}  {what}".rstrip())
        bad = sum(not row.ok for row in self.rows)
        ticks = max(row.ticks for row in self.rows)
        verdict = (
            f"{bad} of {len(self.rows)} differ" if bad else f"all {len(self.rows)} are the same"
        )
        differences = [row.difference for row in self.rows if row.tick is not None]
        parts = [lines, differences, [f"{verdict}, over {ticks} ticks"]]
        return "\n\n".join("\n".join(part) for part in parts if part)


def environments(pythons: Sequence[str] = ()) -> list[Environment]:
    """Those that this machine can make; ``pythons`` are further interpreters, with NumPy and the
    rest installed.
    """
    first = {"PYTHONHASHSEED": "0"}
    found = [
        Environment("as it is", first),
        Environment("other hash seed", {"PYTHONHASHSEED": "4071"}),
        Environment("other addresses", first | {"PYTHONMALLOC": "debug"}, padding=999),
        *(Environment(name, first | variables) for name, variables in _processors()),
        Environment("one thread", first | {f"{name}_NUM_THREADS": "1" for name in _SCHEDULED}),
        Environment("30 frames a second", first, frame_rate=30),
        Environment("144 frames a second", first, frame_rate=144),
        Environment("nothing drawn", first, drawing=False),
        Environment("every tick twice", first, drawing=False, twice=True),
        Environment("another user", first | _SOMEBODY),
        Environment("no collector", first, collector="off"),
        Environment("collector always on", first, collector="always"),
    ]
    return [*found, *(Environment(python, first, python=python) for python in pythons)]


def _processors() -> Iterator[tuple[str, dict[str, str]]]:
    """Lesser processors, as far as NumPy, the C library and the BLAS can be told that this is
    one.
    """
    if platform.machine().lower() not in ("x86_64", "amd64"):
        yield "other BLAS kernel", {"OPENBLAS_CORETYPE": "ARMV8"}
        return
    here = features()
    v4, v3 = ([name for name in names if name in here] for names in (_V4, _V3))
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
    """What NumPy can be told to do without here: beyond what it was built for, of what the
    processor has.
    """
    import numpy as np

    inner: Any = np._core._multiarray_umath  # type: ignore[attr-defined]
    return {name for name in inner.__cpu_dispatch__ if inner.__cpu_features__.get(name)}


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
    """Run a game's file in each environment and compare. ``options`` are the game's, beside those
    in its file.

    ``timeout`` is in seconds, of one run; ``progress`` is told how many came to their end. Raises
    `FrameworkError` when the first run, as it is, comes to no end.
    """
    path = Path(file).absolute()
    ticks, seed = checks.whole("ticks", ticks, 1), checks.whole("seed", seed, 0)
    timeout = checks.number("timeout", timeout, above=0)
    chosen = environments() if among is None else [*among]
    if not chosen:
        raise checks.wrong_value("among", "one environment at least", chosen)
    workers = os.cpu_count() or 1 if processes is None else checks.whole("processes", processes, 1)
    orders: Orders = {
        "file": str(path),
        "ticks": ticks,
        "seed": seed,
        "options": options,
        "drawing": True,
        "collector": "as it is",
        "padding": 0,
        "twice": False,
        "frame_rate": 60,
    }
    with ThreadPoolExecutor(min(workers, len(chosen))) as pool:
        runs: list[_Run] = []
        for run in pool.map(lambda environment: _run(environment, orders, timeout), chosen):
            runs.append(run)
            if progress is not None:
                progress(len(runs))
        if runs[0].error:
            raise FrameworkError(f"{path.name} does not run as it is: {runs[0].error}")
        rows = [_compared(run, runs[0]) for run in runs]
        return Matrix(tuple(_with_values(rows, orders, timeout, pool)))


@dataclass
class _Run:
    environment: Environment
    lines: list[str]
    error: str = ""


def _run(environment: Environment, orders: Orders, timeout: float) -> _Run:
    told: Orders = {
        **orders,
        "drawing": environment.drawing,
        "collector": environment.collector,
        "padding": environment.padding,
        "twice": environment.twice,
        "frame_rate": float(Fraction(environment.frame_rate)),
    }
    path = os.pathsep.join([_ROOT, *filter(None, [os.environ.get("PYTHONPATH")])])
    variables = {**_UNSEEN, **os.environ, "PYTHONPATH": path} | environment.variables
    command = [environment.python, "-m", "framework.sim.witness", json.dumps(told)]
    try:
        done = subprocess.run(
            command,
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
    lines = done.stdout.splitlines()
    if done.returncode == 0:
        return _Run(environment, lines)
    last = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
    return _Run(environment, lines, last)


def _read_line(line: str) -> tuple[int, dict[str, Any]]:
    """Return a tick, and hashes or values by path."""
    tick, values = json.loads(line)
    return tick, values


def _compared(run: _Run, first: _Run) -> Row:
    """The first tick after which the two differ: until then, the same paths have changed to the
    same hashes.
    """
    ticks = _read_line(run.lines[-1])[0] if run.lines else 0
    if run.error:
        return Row(environment=run.environment, ticks=ticks, error=run.error)
    for line, other in zip_longest(run.lines, first.lines):
        if line == other:
            continue
        tick, mine = _read_line(line) if line else (ticks, {})
        theirs = _read_line(other)[1] if other else {}
        if mine != theirs:  # the order alone may differ
            paths = [
                path for path in {**theirs, **mine} if mine.get(path, "-") != theirs.get(path, "-")
            ]
            return Row(
                environment=run.environment,
                ticks=ticks,
                tick=tick,
                path=paths[0],
                paths=tuple(paths),
            )
    return Row(environment=run.environment, ticks=ticks)


def _with_values(
    rows: list[Row], orders: Orders, timeout: float, pool: ThreadPoolExecutor
) -> list[Row]:
    """Where rows differ, the row of an array and both values: these runs are made again, and so is
    the first.
    """
    places = {
        index: (row.tick, row.path or "") for index, row in enumerate(rows) if row.tick is not None
    }
    if not places:
        return rows

    def run_again(index: int) -> _Run:
        wanted = [places[index]] if index else sorted({*places.values()})
        last = max(tick for tick, _ in wanted)
        return _run(rows[index].environment, {**orders, "ticks": last, "values": wanted}, timeout)

    first, *others = pool.map(run_again, [0, *places])
    for index, run in zip(places, others, strict=True):
        rows[index] = _with_value(rows[index], first, run)
    return rows


def _with_value(row: Row, first: _Run, again: _Run) -> Row:
    error = first.error or again.error
    if error:
        return replace(
            row, reason=f"{row.path} was another {row.second_time}, and could not be read: {error}"
        )
    one, other = [
        {
            path: unpacked(told)
            for tick, values in map(_read_line, run.lines)
            for path, told in values.items()
            if (tick, path) == (row.tick, row.path)
        }
        for run in (first, again)
    ]
    found = first_difference(one, other)
    if found is None:
        return replace(
            row,
            reason=f"{row.path} was another {row.second_time}, but not when both were run "
            "once more",
        )
    return replace(row, row=found.row, before=found.before, after=found.after, ulps=found.ulps)
