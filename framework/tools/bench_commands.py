"""The benchmarks of the command `framework bench`.

They are `sprites`, `meshes`, `loop`, `state`, `workers`, `calls`, `game` and `prices`.

Each benchmark prints a table of its results. With `--write PAGE.md`, it also updates its section of
PAGE.md, a page that lists the cost of each feature.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from .command_options import Figures, add_figures, check_writable, whole, write_results
from .gamefiles import CommandError

if TYPE_CHECKING:
    from ..bench.peer_table import Peer
    from ..bench.versus import VersusReport

SLOWER = 4
"""The exit status if a call has become slower than in the older version."""

_COUNTS = (1_000, 10_000, 100_000)
_VERSUS_COUNTS = (1_000, 10_000)  # with more sprites, a frame of some engines would take seconds
_FRAMES = 300
_ROUNDS = 7
# The benchmarks on a page of prices, and the command line options of each benchmark.
_PRICES: dict[str, tuple[str, ...]] = {
    "calls": ("--rounds", "15"),
    "game": (),
    "sprites": ("--count", "1000", "10000", "100000", "1000000", "--memory"),
    "meshes": (),
    "loop": (),
}


def add_benchmarks(kinds: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add a command-line parser for each benchmark."""
    sprites = kinds.add_parser(
        "sprites", help="moving sprites, compared with a hand-written moderngl program"
    )
    _add_counts(sprites, "sprites")
    sprites.add_argument(
        "--memory", action="store_true", help="also measure the memory of 1,000,000 sprites"
    )
    _add_versus(sprites)
    sprites.set_defaults(action=_bench_sprites)
    meshes = kinds.add_parser(
        "meshes", help="tumbling cubes, compared with a hand-written moderngl program"
    )
    _add_counts(meshes, "cubes")
    meshes.set_defaults(action=_bench_meshes)
    loop = kinds.add_parser(
        "loop", help="an empty game: ticks, frames, garbage collection, import and start"
    )
    loop.add_argument("--frames", type=whole, default=2000, metavar="N", help="frames to measure")
    loop.set_defaults(action=_bench_loop)
    state = _add_state(kinds)
    workers = _add_workers(kinds)
    calls = _add_calls(kinds)
    game = kinds.add_parser(
        "game", help="the frames of a mixed game: objects, particles, labels, a map, sounds"
    )
    game.add_argument(
        "--frames", type=whole, default=1200, metavar="N", help="frames to measure (default: 1200)"
    )
    _add_versus(game)
    game.set_defaults(action=_bench_game)
    prices = kinds.add_parser(
        "prices", help="calls, game, sprites, meshes and loop, one after another, for a page"
    )
    prices.set_defaults(action=_bench_prices)
    for parser in (sprites, meshes, loop, calls, game, prices):
        _add_write(parser, required=parser is prices)
    for parser in (sprites, meshes, loop, state, workers, calls, game):
        add_figures(parser)
    prices.add_argument(
        "--progress", action="store_true", help="show the progress bar even without a terminal"
    )


def _add_state(
    kinds: argparse._SubParsersAction[argparse.ArgumentParser],
) -> argparse.ArgumentParser:
    state = kinds.add_parser(
        "state", help="snapshots, hashes and rewinding, compared with plain copies"
    )
    state.add_argument(
        "--count", type=whole, default=100_000, metavar="N", help="sprites in the snapshots"
    )
    state.add_argument(
        "--back", type=whole, default=10_000, metavar="N", help="sprites in the repeated ticks"
    )
    state.add_argument(
        "--rounds", type=whole, default=100, metavar="N", help="repetitions of each measurement"
    )
    state.set_defaults(action=_bench_state)
    return state


def _add_workers(
    kinds: argparse._SubParsersAction[argparse.ArgumentParser],
) -> argparse.ArgumentParser:
    workers = kinds.add_parser(
        "workers", help="games in one process and in several, compared with plain loops"
    )
    workers.add_argument(
        "--games", type=whole, default=64, metavar="N", help="games in a vector environment"
    )
    workers.add_argument(
        "--rounds", type=whole, default=25, metavar="N", help="repetitions of each measurement"
    )
    workers.add_argument(
        "--workers", type=whole, default=2, metavar="N", help="processes, compared with one"
    )
    workers.add_argument(
        "--dask", action="store_true", help="also a farm on a local cluster of Dask"
    )
    workers.set_defaults(action=_bench_workers)
    return workers


def _add_calls(
    kinds: argparse._SubParsersAction[argparse.ArgumentParser],
) -> argparse.ArgumentParser:
    calls = kinds.add_parser(
        "calls", help="single calls, such as batch.add(), and compare them with an older version"
    )
    calls.add_argument(
        "names", nargs="*", metavar="NAME", help="parts of names or groups (default: all rows)"
    )
    calls.add_argument(
        "--rounds", type=whole, default=9, metavar="N", help="repetitions of each row (default: 9)"
    )
    calls.add_argument("--list", action="store_true", help="print the rows, and measure nothing")
    older = calls.add_mutually_exclusive_group()
    older.add_argument(
        "--against",
        type=Path,
        metavar="OLDER.json",
        help="compare with a file of --json; exit status 4 if a row is more than 10 %% slower",
    )
    older.add_argument(
        "--beside",
        metavar="PYTHON",
        help="compare with the version that this Python interpreter has, in turns",
    )
    calls.set_defaults(action=_bench_calls)
    return calls


def _add_versus(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--vs",
        nargs="+",
        metavar="ENGINE",
        help="compare with other engines: arcade pyglet raylib pygame-ce panda3d ursina",
    )
    parser.add_argument(
        "--make-env",
        action="store_true",
        help="install missing engines of --vs, each in an environment of its own (uv or pip)",
    )
    parser.add_argument(
        "--env-dir", type=Path, metavar="DIR", help="folder of these environments (default: cache)"
    )
    parser.add_argument("--rounds", type=whole, metavar="N", help="rounds of --vs (default: 7)")
    parser.add_argument(
        "--pictures", type=Path, metavar="DIR", help="write the compared images of --vs here"
    )
    parser.add_argument(
        "--plot",
        type=Path,
        metavar="FILE",
        help="draw a chart, PNG or SVG (needs matplotlib; for the game with --vs only)",
    )


def _add_write(parser: argparse.ArgumentParser, required: bool) -> None:
    parser.add_argument(
        "--write",
        type=Path,
        required=required,
        metavar="PAGE.md",
        help="replace the section of this benchmark in a Markdown page",
    )


def _add_counts(parser: argparse.ArgumentParser, noun: str) -> None:
    parser.add_argument(
        "--count",
        type=whole,
        nargs="+",
        metavar="N",
        help=f"number of {noun}; several counts are measured one after another",
    )
    parser.add_argument(
        "--frames",
        type=whole,
        metavar="N",
        help="frames to measure for each count, at most (default: 300)",
    )


class _MeshesArguments(Figures, Protocol):
    count: list[int] | None
    frames: int | None
    write: Path | None


class _VersusArguments(Figures, Protocol):
    vs: list[str] | None
    make_env: bool
    env_dir: Path | None
    rounds: int | None
    pictures: Path | None
    plot: Path | None
    write: Path | None


class _SpritesArguments(_MeshesArguments, _VersusArguments, Protocol):
    memory: bool


class _LoopArguments(Figures, Protocol):
    frames: int
    write: Path | None


class _StateArguments(Figures, Protocol):
    count: int
    back: int
    rounds: int


class _WorkersArguments(Figures, Protocol):
    games: int
    rounds: int
    workers: int
    dask: bool


class _CallsArguments(Figures, Protocol):
    names: list[str]
    rounds: int
    list: bool
    against: Path | None
    beside: str | None
    write: Path | None


class _GameArguments(_VersusArguments, Protocol):
    frames: int


class _PricesArguments(Protocol):
    progress: bool
    write: Path


def _bench_sprites(arguments: _SpritesArguments) -> int:
    from ..bench import bench, charts, price_tables, tables

    _check_versus_options(arguments)
    counts = arguments.count or (_VERSUS_COUNTS if arguments.vs else _COUNTS)
    _check_counts(counts)
    if arguments.vs:
        alone = {"--memory": arguments.memory, "--frames": arguments.frames}
        _refuse([name for name, value in alone.items() if value], "measured without --vs only")
        return _versus(arguments, arguments.vs, "sprites", counts)
    if arguments.plot is not None:
        charts.check_plotting()
    _prepare(arguments, "sprites", arguments.write, arguments.plot)
    report = bench.measure_sprites(
        counts, arguments.frames or _FRAMES, arguments.memory, arguments.progress
    )
    print(tables.sprites_table(report))
    write_results(tables.to_json(report), arguments.json)
    if arguments.plot is not None:
        charts.plot_sprites(report, arguments.plot)
        print(f"\nThe plot is in {arguments.plot}")
    _write_section(arguments.write, "sprites", lambda: price_tables.rows_section(report, "sprites"))
    return 0


def _bench_meshes(arguments: _MeshesArguments) -> int:
    from ..bench import bench, price_tables, tables

    counts = arguments.count or _COUNTS
    _check_counts(counts)
    _prepare(arguments, "meshes", arguments.write)
    report = bench.measure_meshes(counts, arguments.frames or _FRAMES, arguments.progress)
    print(tables.meshes_table(report))
    write_results(tables.to_json(report), arguments.json)
    _write_section(arguments.write, "meshes", lambda: price_tables.rows_section(report, "cubes"))
    return 0


def _bench_loop(arguments: _LoopArguments) -> int:
    from ..bench import bench, price_tables, tables

    _prepare(arguments, "loop", arguments.write)
    report = bench.measure_loop(arguments.frames, arguments.progress)
    print(tables.loop_table(report))
    write_results(tables.to_json(report), arguments.json)
    _write_section(arguments.write, "loop", lambda: price_tables.loop_section(report))
    return 0


def _bench_state(arguments: _StateArguments) -> int:
    from ..bench import state_bench, tables

    _check_counts([arguments.count, arguments.back])
    _prepare(arguments)
    report = state_bench.measure_state(
        arguments.count, arguments.back, arguments.rounds, arguments.progress
    )
    print(tables.state_table(report))
    write_results(tables.to_json(report), arguments.json)
    return 0


def _bench_workers(arguments: _WorkersArguments) -> int:
    from ..bench import tables, worker_bench

    _prepare(arguments)
    report = worker_bench.measure_workers(
        arguments.games, arguments.rounds, arguments.workers, arguments.dask, arguments.progress
    )
    print(tables.workers_table(report))
    write_results(tables.to_json(report), arguments.json)
    return 0


def _bench_calls(arguments: _CallsArguments) -> int:
    from ..bench import call_bench, price_tables, tables

    rows = call_bench.pick_rows(arguments.names)
    if arguments.list:
        print("\n".join(f"{row.group}: {row.name}" for row in rows))
        return 0
    if arguments.write is not None and arguments.names:
        raise CommandError("--write: a page needs all rows; leave out the names")
    if arguments.beside is not None:
        return _compare_versions(arguments, arguments.beside)
    older = None if arguments.against is None else call_bench.read_report(arguments.against)
    _prepare(arguments, "calls", arguments.write)
    report = call_bench.measure_calls(arguments.names, arguments.rounds, arguments.progress)
    print(price_tables.calls_table(report))
    write_results(tables.to_json(report), arguments.json)
    _write_section(arguments.write, "calls", lambda: price_tables.calls_section(report))
    if older is None:
        return 0
    comparison = call_bench.compare_with_report(report, older, str(arguments.against))
    comparison = call_bench.confirm_slower(comparison, arguments.rounds, arguments.progress)
    print(f"\n{price_tables.comparison_table(comparison)}")
    return SLOWER if comparison.slower else 0


def _compare_versions(arguments: _CallsArguments, python: str) -> int:
    """Compare with the version of the framework that the interpreter ``python`` has."""
    from ..bench import call_bench, price_tables, tables

    if arguments.write is not None:
        raise CommandError("--write: not with --beside; leave out one of them")
    _prepare(arguments)
    compared = call_bench.compare_versions(
        python, arguments.names, arguments.rounds, arguments.progress
    )
    print(price_tables.comparison_table(compared))
    write_results(tables.to_json(compared), arguments.json)
    return SLOWER if compared.slower else 0


def _bench_game(arguments: _GameArguments) -> int:
    from ..bench import game_bench, price_tables, tables

    _check_versus_options(arguments)
    if arguments.vs:
        return _versus(arguments, arguments.vs, "game", ())
    _refuse(["--plot"] if arguments.plot else [], "drawn with --vs only")
    _prepare(arguments, "game", arguments.write)
    report = game_bench.measure_game(arguments.frames, arguments.progress)
    print(price_tables.game_table(report))
    write_results(tables.to_json(report), arguments.json)
    _write_section(arguments.write, "game", lambda: price_tables.game_section(report))
    return 0


def _bench_prices(arguments: _PricesArguments) -> int:
    from ..bench import price_tables
    from ..bench.processes import framework_environment

    price_tables.check_section(arguments.write, list(_PRICES))
    # Each benchmark runs in a separate process, because the memory that one benchmark has used
    # slows down the next. Each section is written as soon as its benchmark ends, so after Ctrl-C
    # the page contains the sections of all completed benchmarks.
    for name, options in _PRICES.items():
        command = [sys.executable, "-m", "framework", "bench", name, *options]
        command += ["--write", str(arguments.write.absolute())]
        command += ["--progress"] if arguments.progress else []
        done = subprocess.run(command, env={**os.environ, **framework_environment()}, check=False)
        if done.returncode:
            return done.returncode
    return 0


# -- other engines ---------------------------------------------------------------------------------


def _versus(
    arguments: _VersusArguments, names: list[str], scene: str, counts: Sequence[int]
) -> int:
    from ..bench import charts, peer_table, price_tables, tables, versus

    peers = peer_table.pick_peers(names, scene)
    folder = (arguments.env_dir or peer_table.default_folder()).absolute()
    if arguments.plot is not None:
        charts.check_plotting()
    if arguments.pictures is not None and not arguments.pictures.is_dir():
        raise CommandError(f"--pictures: {str(arguments.pictures)!r} is not a folder; create it")
    _prepare(arguments, f"{scene} --vs", arguments.write, arguments.plot)
    if arguments.make_env:
        _make_environments(
            peer_table.missing_environments(peers, folder), folder, arguments.progress
        )
    report = versus.compare(
        names,
        scene,
        counts,
        folder,
        rounds=arguments.rounds or _ROUNDS,
        progress=arguments.progress,
        pictures=arguments.pictures,
    )
    print(price_tables.versus_table(report))
    write_results(tables.to_json(report), arguments.json)
    if arguments.plot is not None:
        charts.plot_versus(report, arguments.plot)
        print(f"\nThe plot is in {arguments.plot}")
    _write_section(arguments.write, f"{scene} --vs", lambda: price_tables.versus_section(report))
    return _status(report)


def _make_environments(peers: Sequence[Peer], folder: Path, progress: bool) -> None:
    """Install the engines that are missing."""
    from ..bench import peer_table
    from ..bench.progress import progress_bar

    if not peers:
        return
    with progress_bar(len(peers), "engine", progress, "install") as bar:
        for peer in peers:
            bar.set_description(f"install {peer.name}")
            peer_table.make_environment(peer, folder)
            bar.update()


def _status(report: VersusReport) -> int:
    from ..bench.versus import COLUMNS, SUBTICK

    if all(row.name in (SUBTICK, COLUMNS) for row in report.rows):
        raise CommandError("--vs: no other engine could be measured")
    return 0


def _check_versus_options(arguments: _VersusArguments) -> None:
    """Raise an error for options that have no effect without ``--vs``."""
    if arguments.vs is None:
        options = {
            "--make-env": arguments.make_env,
            "--env-dir": arguments.env_dir,
            "--rounds": arguments.rounds,
            "--pictures": arguments.pictures,
        }
        _refuse([name for name, value in options.items() if value], "used with --vs only")


def _refuse(names: list[str], words: str) -> None:
    if names:
        raise CommandError(f"{', '.join(names)}: {words}; leave it out")


# -- before and after ------------------------------------------------------------------------------


def _check_counts(counts: Sequence[int]) -> None:
    from ..state.rows import MAX_ROWS

    if max(counts) > MAX_ROWS:
        raise CommandError(
            f"--count: {max(counts):,} is more than the {MAX_ROWS:,} that a batch holds"
        )


def _prepare(
    arguments: Figures, section: str = "", page: Path | None = None, *more: Path | None
) -> None:
    """Check that the result files of a benchmark can be written, then call `steady_malloc`, so that
    the measurements vary less. ``page`` is the page of prices, which must contain the section
    ``section``.
    """
    from ..bench.machine_info import steady_malloc

    check_writable(arguments.json, *more)
    if page is not None:
        from ..bench.price_tables import check_section

        check_section(page, [section])
    if arguments.from_shell:
        steady_malloc()


def _write_section(page: Path | None, name: str, section: Callable[[], str]) -> None:
    """Replace a section of the page of prices. Do nothing if ``page`` is None."""
    from ..bench.price_tables import write_section

    if page is not None:
        write_section(page, name, section())
        print(f"The section {name!r} is in {page}")
