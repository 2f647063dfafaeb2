"""`framework farm`: many runs of a game, with progress, a line of CSV for each, and a picture of
all.
"""

from __future__ import annotations

import csv
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..bench import charts
from ..bench.progress import with_progress
from ..errors import FrameworkError
from ..sim.errand import GameOfFile, RandomKeys, Values
from ..sim.farm import Run, run_many

if TYPE_CHECKING:
    from _csv import Writer

_COLUMNS = ("seed", "ticks", "seconds", "state_hash", "worker")


class FarmArguments(Protocol):
    """The arguments of `framework farm`."""

    game: str
    seeds: int
    first: int
    ticks: int
    value: list[str]
    random: bool
    workers: int | None
    check: float
    saves: str | None
    csv: Path | None
    plot: Path | None
    progress: bool


def farm(path: Path, asked: FarmArguments) -> None:
    """As the command line asks for it. Raises `FrameworkError`."""
    made: Any = GameOfFile(str(path.absolute()))
    names = tuple(asked.value)
    seeds = range(asked.first, asked.first + asked.seeds)
    begin = time.perf_counter()
    found = run_many(
        made,
        seeds,
        ticks=asked.ticks,
        result=Values(names),
        player=RandomKeys() if asked.random else None,
        check=asked.check,
        workers=asked.workers,
        saves=asked.saves,
    )
    with _table(asked.csv, names) as writer:
        arriving = with_progress(found, len(seeds), "run", asked.progress, "running")
        runs = [_written(run, writer) for run in arriving]
    took = time.perf_counter() - begin
    columns = _columns(runs, names)
    print(_as_text(path.stem, runs, columns, took))
    if asked.csv is not None:
        print(f"\nAll runs are in {asked.csv}")
    if asked.plot is not None:
        title = f"{path.stem}: {len(runs):,} runs of {asked.ticks:,} ticks"
        charts.plot_farm(columns, [run.seed for run in runs], title, asked.plot)
        print(f"\nThe plot is in {asked.plot}")


@contextmanager
def _table(path: Path | None, names: Iterable[str]) -> Iterator[Writer | None]:
    """What writes a line into the file, as soon as it is known; None where there is none."""
    if path is None:
        yield None
        return
    try:
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow([*_COLUMNS, *names])
            yield writer
    except OSError as error:
        raise FrameworkError(
            f"{str(path)!r} cannot be written: {error.strerror or error}."
        ) from None


def _written(run: Run, writer: Writer | None) -> Run:
    if writer is not None:
        fixed = [run.seed, run.ticks, f"{run.seconds:.6f}", f"{run.state_hash:016x}", run.worker]
        writer.writerow([*fixed, *run.result])
    return run


def _columns(runs: list[Run], names: tuple[str, ...]) -> dict[str, list[float]]:
    """The values that are numbers, by their names; how long runs took, where there are none."""
    found: dict[str, list[object]] = {
        name: [run.result[place] for run in runs] for place, name in enumerate(names)
    }
    numbers = {}
    for name, values in found.items():
        column = [value for value in values if isinstance(value, int | float)]
        if len(column) == len(values):
            numbers[name] = column
    return numbers or {"milliseconds": [1000 * run.seconds for run in runs]}


def _as_text(name: str, runs: list[Run], columns: dict[str, list[float]], took: float) -> str:
    checked = sum(run.checked for run in runs)
    words = [f"{name}: {len(runs):,} runs in {took:.1f} s, {len(runs) / took:,.0f} a second"]
    words[0] += (
        f"; {checked:,} of them came to the same state in another process" if checked else ""
    )
    width = max(map(len, columns))
    words.append(f"{'':<{width}}  {'least':>12}  {'median':>12}  {'mean':>12}  {'most':>12}")
    for column, values in columns.items():
        cells = [min(values), float(np.median(values)), float(np.mean(values)), max(values)]
        words.append(f"{column:<{width}}  " + "  ".join(f"{cell:>12.6g}" for cell in cells))
    return "\n".join(words)
