"""`framework farm`: run a game many times with different seeds, and write the results to files.

The results are written to a CSV file and a chart.
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
from ..sim.farm import Run, run_many
from ..sim.farm_worker import AttributeReader, GameFile, SeededRandomPlayer

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


def farm(path: Path, arguments: FarmArguments) -> None:
    """Run the command `framework farm`. Raise `FrameworkError` if a result file cannot be written."""
    game: Any = GameFile(str(path.absolute()))
    names = tuple(arguments.value)
    seeds = range(arguments.first, arguments.first + arguments.seeds)
    begin = time.perf_counter()
    results = run_many(
        game,
        seeds,
        ticks=arguments.ticks,
        result=AttributeReader(names),
        player=SeededRandomPlayer() if arguments.random else None,
        check=arguments.check,
        workers=arguments.workers,
        saves=arguments.saves,
    )
    with _table(arguments.csv, names) as writer:
        arriving = with_progress(results, len(seeds), "run", arguments.progress, "running")
        runs = [_written(run, writer) for run in arriving]
    took = time.perf_counter() - begin
    columns = _columns(runs, names)
    print(_as_text(path.stem, runs, columns, took))
    if arguments.csv is not None:
        print(f"\nAll runs are in {arguments.csv}")
    if arguments.plot is not None:
        title = f"{path.stem}: {len(runs):,} runs of {arguments.ticks:,} ticks"
        charts.plot_farm(columns, [run.seed for run in runs], title, arguments.plot)
        print(f"\nThe plot is in {arguments.plot}")


@contextmanager
def _table(path: Path | None, names: Iterable[str]) -> Iterator[Writer | None]:
    """Return a context manager that opens a CSV file, writes its header, and yields a writer for
    one row per run. If ``path`` is None, it yields None, and no file is written.
    """
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
    """Write the results of a completed run to the CSV file, and return the run."""
    if writer is not None:
        fixed = [run.seed, run.ticks, f"{run.duration:.6f}", f"{run.state_hash:016x}", run.worker]
        writer.writerow([*fixed, *run.result])
    return run


def _columns(runs: list[Run], names: tuple[str, ...]) -> dict[str, list[float]]:
    """Return the numeric results as a dict. Each key is the name of a result, and its value is a
    list with one number per run. If no result is a number, return the durations of the runs in
    milliseconds instead.
    """
    results: dict[str, list[object]] = {
        name: [run.result[index] for run in runs] for index, name in enumerate(names)
    }
    numbers = {}
    for name, values in results.items():
        column = [value for value in values if isinstance(value, int | float)]
        if len(column) == len(values):
            numbers[name] = column
    return numbers or {"milliseconds": [1000 * run.duration for run in runs]}


def _as_text(name: str, runs: list[Run], columns: dict[str, list[float]], took: float) -> str:
    checked = sum(run.checked for run in runs)
    lines = [f"{name}: {len(runs):,} runs in {took:.1f} s, {len(runs) / took:,.0f} a second"]
    lines[0] += (
        f"; {checked:,} of them were repeated in another process, with the same state"
        if checked
        else ""
    )
    width = max(map(len, columns))
    lines.append(f"{'':<{width}}  {'least':>12}  {'median':>12}  {'mean':>12}  {'most':>12}")
    for column, values in columns.items():
        cells = [min(values), float(np.median(values)), float(np.mean(values)), max(values)]
        lines.append(f"{column:<{width}}  " + "  ".join(f"{cell:>12.6g}" for cell in cells))
    return "\n".join(lines)
