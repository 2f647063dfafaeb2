"""The command line: `framework new`, `framework run` and all other commands.

The commands are `new | run | freeze | serve | relay | replay | examples | bench | lab | synctest |
farm | upgrade | doctor`.

`python -m framework …` runs the same commands.

A command returns one of these exit statuses:

- 0: success.
- 1: the game raised an error. The command prints the traceback.
- 2: the command cannot run. The command prints a message of one line.
- 3: `replay --verify` found a state that differs from the recording.
- 4: `bench calls` found a call that takes over 10 % longer than in an older version.
- 130: the user pressed Ctrl-C.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import itertools
import math
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from .. import __version__, resources
from ..errors import FrameworkError
from .bench_commands import add_benchmarks
from .command_options import Figures, add_figures, check_writable, whole, write_results
from .gamefiles import (
    KINDS,
    CommandError,
    Example,
    compiled,
    examples,
    execute,
    find_game,
    how_to_start,
)

if TYPE_CHECKING:
    from ..game.game import Game
    from .farming import FarmArguments
    from .freezing import FreezeArguments
    from .repeats import SynctestArguments
    from .replays import ReplayArguments

_FAILED = 2
_INTERRUPTED = 130
_FEW = 3  # for at most this number of examples, `framework examples` lists the files
_BROKEN_PIPE = 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status. ``argv`` is the list of command-line arguments,
    without the name of the program. By default, `main` uses the arguments of this process.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Print a question mark for characters that the console cannot print, such as arrows.
            stream.reconfigure(errors="replace")
    try:
        return _run_command(argv)
    except BrokenPipeError:  # for example in `framework examples | head -1`
        _discard_stdout()
        return _BROKEN_PIPE


def _run_command(argv: Sequence[str] | None) -> int:
    parser = _parser(from_shell=argv is None)
    arguments, unknown = parser.parse_known_args(argv)
    action: Callable[[argparse.Namespace], int] | None = arguments.action
    if unknown and (
        any(part.startswith("-") for part in unknown) or not hasattr(arguments, "arguments")
    ):
        parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    if unknown:  # argparse stops collecting arguments at the first option
        arguments.arguments += unknown
    if action is None:
        parser.print_help()
        return 0
    try:
        status = action(arguments)
        if sys.stdout is not None:  # None if it was closed: `framework examples >&-`
            sys.stdout.flush()
        return status
    except (CommandError, FrameworkError) as error:
        print(f"framework: {error}", file=sys.stderr)
        return _FAILED
    except KeyboardInterrupt:
        print("framework: interrupted", file=sys.stderr)
        return _INTERRUPTED


def _discard_stdout() -> None:
    """Discard buffered output after a pipe was closed. Otherwise, Python would print a traceback
    when it exits.
    """
    # `sys.stdout` may be an object without a file descriptor.
    with contextlib.suppress(OSError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser(from_shell: bool) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="framework", description="Run, test, measure and upgrade games of the framework."
    )
    parser.add_argument("--version", action="version", version=f"subtick {__version__}")
    parser.set_defaults(action=None, from_shell=from_shell)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    _add_new(commands.add_parser("new", help="make the folder of a new game"))
    _add_run(
        commands.add_parser("run", help="run an example, a game's file, or the game of this folder")
    )
    _add_freeze(
        commands.add_parser("freeze", help="pack a game for players who have no Python: a zip file")
    )
    _add_serve(
        commands.add_parser(
            "serve", help="run a game without a screen: neither a window nor OpenGL is loaded"
        )
    )
    _add_relay(commands.add_parser("relay", help="run rooms in which players meet (WebSocket)"))
    _add_replay(
        commands.add_parser("replay", help="play a recording, verify it, or write a video of it")
    )
    _add_examples(commands.add_parser("examples", help="list the examples"))
    bench = commands.add_parser("bench", help="measure what ticks and frames cost on this machine")
    add_benchmarks(bench.add_subparsers(title="benchmarks", metavar="WHAT", required=True))
    _add_lab(
        commands.add_parser(
            "lab", help="measure how even motion looks, on simulated displays or in a window"
        )
    )
    _add_synctest(
        commands.add_parser("synctest", help="test that replaying a game gives the same bits")
    )
    _add_farm(commands.add_parser("farm", help="run a game with many seeds, on all cores"))
    _add_upgrade(
        commands.add_parser(
            "upgrade", help="rewrite programs of earlier versions with the names of this one"
        )
    )
    _add_doctor(
        commands.add_parser(
            "doctor", help="list what is missing on this machine, and how to install it"
        )
    )
    return parser


def _add_new(new: argparse.ArgumentParser) -> None:
    new.add_argument("name", metavar="NAME", help="the name of the new folder: cave-of-ticks")
    new.add_argument(
        "--kind",
        choices=KINDS,
        default=KINDS[0],
        help=f"the kind of game to begin with (default: {KINDS[0]})",
    )
    new.set_defaults(action=_new)


def _add_run(run: argparse.ArgumentParser) -> None:
    run.add_argument(
        "game",
        metavar="NAME|FILE.py",
        nargs="?",
        help="an example (3, sprites, tutorial/3) or a Python file (default: the game of this "
        "folder)",
    )
    run.add_argument(
        "arguments",
        metavar="ARGUMENT",
        nargs="*",
        help="sys.argv[1:] of the game",
    )
    run.add_argument(
        "--headless", action="store_true", help="draw off screen even if there is a display"
    )
    run.add_argument("--frames", type=whole, metavar="N", help="end after N frames")
    run.add_argument("--screenshot", metavar="PNG", help="write the last frame to this file")
    run.add_argument(
        "--record", metavar="FILE", help="record the game to this file, for `framework replay`"
    )
    run.add_argument(
        "--rewind",
        action="store_true",
        help="store the last ten seconds of the game: F4 goes back to any tick of them",
    )
    run.add_argument(
        "--reload",
        action="store_const",
        const="code",
        help="reload the game's files when they change while it runs: code, shaders, "
        "images, sounds, maps",
    )
    # A separate option, because the argument after `--reload` is the game's file.
    run.add_argument(
        "--reload=replay",
        action="store_const",
        const="replay",
        dest="reload",
        help="the same, and re-run all ticks after a change of code",
    )
    run.set_defaults(action=_run)


def _add_serve(serve: argparse.ArgumentParser) -> None:
    _add_game(serve)
    serve.add_argument("arguments", metavar="ARGUMENT", nargs="*", help="sys.argv[1:] of the game")
    serve.add_argument(
        "--rate",
        choices=("real", "max"),
        default="real",
        help="real: run ticks when they are due; max: as fast as possible",
    )
    serve.add_argument("--ticks", type=whole, metavar="N", help="end after N ticks")
    serve.add_argument(
        "--save",
        metavar="FILE",
        help="save the game at the end, also if SIGTERM or Ctrl-C ends it",
    )
    serve.add_argument(
        "--port",
        type=_port,
        metavar="PORT",
        help="let clients play over this UDP port: fw.run(Game, session=fw.Client('host:PORT'))",
    )
    serve.set_defaults(action=_serve)


def _add_examples(examples: argparse.ArgumentParser) -> None:
    examples.add_argument(
        "words",
        metavar="WORD",
        nargs="*",
        help="list only examples with these words in the name or the description",
    )
    examples.set_defaults(action=_examples)


def _add_upgrade(upgrade: argparse.ArgumentParser) -> None:
    upgrade.add_argument(
        "files", metavar="FILE", nargs="+", help="Python files, Markdown pages, or folders of them"
    )
    upgrade.add_argument(
        "--dry-run", action="store_true", help="show the differences, and change no file"
    )
    upgrade.set_defaults(action=_upgrade)


def _add_doctor(doctor: argparse.ArgumentParser) -> None:
    doctor.add_argument(
        "--determinism",
        action="store_true",
        help="print hashes of this machine's arithmetic, to compare with another machine",
    )
    doctor.set_defaults(action=_doctor)


def _port(text: str) -> int:
    """Convert an argument to a UDP port number."""
    value = int(text) if text.isascii() and text.isdecimal() and len(text) < 6 else -1
    if not 0 <= value < 1 << 16:
        raise argparse.ArgumentTypeError(f"expected a port from 0 to 65535, got {text!r}")
    return value


# -- run -------------------------------------------------------------------------------------------


class _NewArguments(Protocol):
    name: str
    kind: str


def _new(arguments: _NewArguments) -> int:
    from .new_game import announce, make_project

    files = make_project(arguments.name, arguments.kind)
    announce(arguments.name, arguments.kind, len(files))
    return 0


class _RunArguments(Protocol):
    game: str | None
    arguments: list[str]
    headless: bool
    frames: int | None
    screenshot: str | None
    record: str | None
    rewind: bool
    reload: str | None


def _run(arguments: _RunArguments) -> int:
    if arguments.game is None:
        from .project import game_here

        path = game_here()
        name = None
    else:
        path, name = find_game(arguments.game)
    options: dict[str, Any] = {
        "frames": arguments.frames,
        "screenshot": arguments.screenshot,
        "record": arguments.record,
        "rewind": arguments.rewind,
    }
    if arguments.record is not None:
        resources.check_writable(arguments.record)
    if arguments.reload == "replay":
        if arguments.record is not None:
            raise CommandError(
                "--record and --reload=replay both record the game; leave out one of them."
            )
        from .replays import play_again

        options["replay"] = play_again
    options |= {"develop": not arguments.headless, "reload": arguments.reload}
    return _launch(
        path,
        arguments.arguments,
        headless=True if arguments.headless else None,
        name=name,
        **options,
    )


def _launch(path: Path, arguments: Sequence[str], **options: Any) -> int:
    """Run the Python file of a game. ``options`` contains fields of a `Launch`, which override the
    options that the file passes to `fw.run`.
    """
    code = compiled(path)
    try:
        from ..game.game import Game
        from ..game.launch import Launch, launching
    except ModuleNotFoundError as error:
        raise CommandError(
            f"{error.name} is not installed; `framework doctor` shows how to install it."
        ) from None
    games_before = Game.count
    launch = Launch(**options)
    with launching(launch):
        status = execute(code, path, arguments)
    if status == 0 and Game.count == games_before:
        raise CommandError(f"{path} ran but did not start a game. {how_to_start(path)}")
    if status == 0 and not launch.started:
        names = ("headless", "screenshot", "record", "rewind", "reload")
        unused = [f"--{name}" for name in names if getattr(launch, name)]
        if unused:
            print(
                f"{path} calls Game.run, so {', '.join(unused)} had no effect. {how_to_start(path)}",
                file=sys.stderr,
            )
    return status


# -- freeze ----------------------------------------------------------------------------------------


def _add_freeze(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(action=_freeze)
    parser.add_argument(
        "game",
        metavar="NAME|FILE.py",
        nargs="?",
        help="a Python file or an example (default: the game of this folder)",
    )
    parser.add_argument("--name", metavar="TITLE", help="the title of the game")
    parser.add_argument("--version", metavar="V", help="the version of the game (default: 1.0)")
    parser.add_argument("--icon", metavar="PNG", help="the icon of the program, a path")
    parser.add_argument(
        "--files",
        metavar="PATH",
        nargs="+",
        default=[],
        help="ship only these files and folders (default: all images, sounds, maps, models, "
        "shaders, fonts and texts beside the game)",
    )
    parser.add_argument(
        "--modules",
        metavar="MODULE",
        nargs="+",
        default=[],
        help="ship these modules, too, if the game imports them by name",
    )
    parser.add_argument(
        "--output",
        metavar="DIR",
        default="dist",
        help="the folder for the zip file (default: dist)",
    )
    parser.add_argument(
        "--frames",
        type=whole,
        metavar="N",
        default=120,
        help="compare the packed game with the game after N frames (default: 120)",
    )
    parser.add_argument(
        "--debug",
        action="store_true",
        help="keep a console on Windows, list imported modules in the log, and keep the files of "
        "PyInstaller",
    )
    parser.add_argument(
        "--progress", action="store_true", help="show progress bars even without a terminal"
    )


def _freeze(arguments: FreezeArguments) -> int:
    from .freezing import freeze

    freeze(arguments)
    return 0


class _ServeArguments(Protocol):
    game: str
    arguments: list[str]
    rate: str
    ticks: int | None
    save: str | None
    port: int | None


def _serve(arguments: _ServeArguments) -> int:
    path, _ = find_game(arguments.game)
    if arguments.save is not None:
        resources.check_writable(arguments.save)
    if arguments.port is not None and arguments.rate == "max":
        raise CommandError("--rate max: clients play in real time; leave out --port or --rate.")

    def play(game_class: type[Game], options: dict[str, Any]) -> None:
        from ..sim.server import serve

        # absolute, because the game may change the working directory
        save = None if arguments.save is None else os.path.abspath(arguments.save)
        if arguments.port is not None:
            from ..net.game_server import session_on

            options = {**options, "session": session_on(arguments.port)}
        serve(game_class, rate=arguments.rate, ticks=arguments.ticks, save=save, **options)

    return _launch(path, arguments.arguments, play=play)


class _RelayArguments(Protocol):
    port: int
    host: str
    clients: int
    rooms: int
    certificate: str | None
    key: str | None


def _add_relay(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(action=_relay)
    parser.add_argument(
        "--port", type=whole, default=7000, metavar="N", help="the TCP port (default: 7000)"
    )
    parser.add_argument(
        "--host",
        default="",
        metavar="ADDRESS",
        help="the address of one network interface, such as 127.0.0.1 (default: all of them)",
    )
    parser.add_argument(
        "--clients", type=whole, default=1000, metavar="N", help="players at most (default: 1000)"
    )
    parser.add_argument(
        "--rooms", type=whole, default=500, metavar="N", help="rooms at most (default: 500)"
    )
    parser.add_argument(
        "--certificate", metavar="FILE", help="a TLS certificate: players connect with wss://"
    )
    parser.add_argument("--key", metavar="FILE", help="the private key of the certificate")


def _relay(arguments: _RelayArguments) -> int:
    from ..net.relay_server import run_relay

    if arguments.port >= 1 << 16:
        raise CommandError(f"--port: expected a port from 1 to 65535, got {arguments.port}")
    run_relay(
        arguments.port,
        arguments.host,
        max_clients=arguments.clients,
        max_rooms=arguments.rooms,
        certificate=arguments.certificate,
        key=arguments.key,
    )
    return 0


def _add_replay(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(action=_replay)
    parser.add_argument(
        "recording",
        metavar="RECORDING",
        help="a file of `framework run … --record` or Game.recording.start",
    )
    parser.add_argument(
        "game",
        metavar="NAME|FILE.py",
        nargs="?",
        help="the game; default: the example whose file was recorded",
    )
    parser.add_argument(
        "--headless", action="store_true", help="play without a window, as fast as possible"
    )
    parser.add_argument(
        "--rate",
        type=_rate,
        default=1.0,
        metavar="X",
        help="speed as a multiple of real time, or max",
    )
    parser.add_argument(
        "--seek", type=_number_between(1e9, 0), default=0.0, metavar="T", help="start at T seconds"
    )
    parser.add_argument(
        "--verify",
        action="store_true",
        help="only compare the states with the recorded ones; exit status 3 if one differs",
    )
    parser.add_argument(
        "--info", action="store_true", help="list the recording's contents, and play nothing"
    )
    _add_saves(parser)
    parser.add_argument("--screenshot", metavar="PNG", help="write the last frame to this file")
    parser.add_argument(
        "--video", metavar="FILE", help="write a video: an .mp4 (needs PyAV), or a .gif"
    )
    parser.add_argument(
        "--fps",
        type=_number_between(1000),
        default=60.0,
        metavar="N",
        help="frames per second of the video",
    )
    parser.add_argument(
        "--scale",
        type=_number_between(16),
        default=1.0,
        metavar="X",
        help="scale of the video's pixels",
    )
    parser.add_argument(
        "--progress",
        action="store_true",
        help="show the progress bar even without a terminal",
    )


def _add_saves(parser: argparse.ArgumentParser) -> None:
    words = "the folder of the game's saves (default: a temporary, empty one)"
    parser.add_argument("--saves", metavar="DIR", help=words)


def _number_between(maximum: float, minimum: float = 1e-6) -> Callable[[str], float]:
    def number(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not minimum <= value <= maximum:
            raise argparse.ArgumentTypeError(
                f"expected a number from {minimum:g} to {maximum:g}, got {text!r}"
            )
        return value

    return number


def _rate(text: str) -> float:
    return math.inf if text == "max" else _number_between(1e6)(text)


def _replay(arguments: ReplayArguments) -> int:
    from ..sim.replay import Replay
    from . import replays

    replay = Replay.open(arguments.recording)
    if arguments.info:
        print(replays.describe(replay))
        return 0
    path, _ = replays.game_of(replay, arguments.game, arguments.recording)
    replays.remark_on_source(replay, path)
    show = replays.Show(replay, arguments)
    return _launch(path, (), play=show) or show.status


# -- the other commands ----------------------------------------------------------------------------


class _ExamplesArguments(Protocol):
    words: list[str]


def _examples(arguments: _ExamplesArguments) -> int:
    entries = examples()
    if not entries:
        raise CommandError(f"There are no examples in {resources.folder('examples')}.")
    words = " ".join(arguments.words).lower().split()
    if words:
        entries = _with_words(entries, words)
    for folder, members in itertools.groupby(entries, key=lambda entry: entry.folder):
        if folder.heading:
            print(f"{folder.heading}:\n")
        print("\n".join(_example_lines([*members])), end="\n\n")
    if len(entries) <= _FEW:
        print("\n".join(str(example.path) for example in entries), end="\n\n")
    print("Run one by its name: framework run", entries[0].command_name)
    return 0


def _with_words(entries: list[Example], words: list[str]) -> list[Example]:
    """Return the examples whose names and descriptions contain the largest number of ``words``."""
    counts = [sum(word in example.searched_text for word in words) for example in entries]
    maximum = max(counts)
    if not maximum:
        raise CommandError(
            f"No example has {' or '.join(map(repr, words))} in its name or description. Try another "
            "word, or read docs/features.md. `framework examples` lists all examples."
        )
    return [example for example, count in zip(entries, counts, strict=True) if count == maximum]


def _example_lines(entries: list[Example]) -> list[str]:
    """Return lines of text that list the examples in one folder. Examples without numbers are
    sorted by topic.
    """
    width = max(len(example.command_name) for example in entries)
    if not any(example.number for example in entries):
        entries = sorted(entries, key=lambda example: (example.topic, example.name))
    return [
        f"{example.number or '':>3}  {example.command_name:<{width}}  {example.sentence}"
        for example in entries
    ]


def _add_lab(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--seconds",
        type=float,
        default=5.0,
        metavar="N",
        help="seconds for each display, or for the window",
    )
    parser.add_argument(
        "--rates",
        nargs="+",
        metavar="HZ",
        help="displays: refreshes per second, vrr, or off (no vsync)",
    )
    parser.add_argument(
        "--methods",
        nargs="+",
        metavar="NAME",
        help="names of methods, or parts of names; all for every method",
    )
    parser.add_argument(
        "--tick-rate", type=float, default=60.0, metavar="N", help="ticks per second"
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="seed of the displays' jitter"
    )
    parser.add_argument(
        "--full", action="store_true", help="also a line for each method on each display"
    )
    parser.add_argument(
        "--plot", type=Path, metavar="PNG", help="draw the judder (needs matplotlib)"
    )
    parser.add_argument(
        "--plot-pacing",
        type=Path,
        metavar="PNG",
        help="draw a chart of frame pacing (needs matplotlib)",
    )
    parser.add_argument("--live", action="store_true", help="measure a real window instead")
    add_figures(parser)
    parser.set_defaults(action=_lab)


class _LabArguments(Figures, Protocol):
    seconds: float
    rates: list[str] | None
    methods: list[str] | None
    tick_rate: float
    seed: int
    full: bool
    plot: Path | None
    plot_pacing: Path | None
    live: bool


def _lab(arguments: _LabArguments) -> int:
    from ..bench import charts, lab, tables

    check_writable(arguments.json, arguments.plot, arguments.plot_pacing)
    if arguments.live:
        return _live(arguments)
    if arguments.plot is not None or arguments.plot_pacing is not None:
        charts.check_plotting()
    with _bad_values_as_errors():
        report = lab.run(
            seconds=arguments.seconds,
            rates=arguments.rates,
            methods=arguments.methods,
            tick_rate=arguments.tick_rate,
            seed=arguments.seed,
            progress=arguments.progress,
        )
    print(tables.lab_table(report, arguments.full))
    write_results(tables.to_json(report), arguments.json)
    if arguments.plot is not None:
        charts.plot_lab(report, arguments.plot)
        print(f"\nThe plot is in {arguments.plot}")
    if arguments.plot_pacing is not None:
        charts.plot_pacing(arguments.plot_pacing, arguments.seed)
        print(f"\nThe plot of pacing is in {arguments.plot_pacing}")
    return 0


def _live(arguments: _LabArguments) -> int:
    simulated = {
        "--rates": arguments.rates,
        "--methods": arguments.methods,
        "--plot": arguments.plot,
        "--plot-pacing": arguments.plot_pacing,
    }
    conflicting = [name for name, value in simulated.items() if value is not None]
    if conflicting:
        raise CommandError(
            f"{', '.join(conflicting)}: for simulated displays only; leave it out, or leave out --live"
        )
    from ..bench import live_lab, tables

    with _bad_values_as_errors():
        measured = live_lab.measure(arguments.seconds, arguments.tick_rate)
    print(tables.live_table(measured))
    write_results(tables.to_json(measured), arguments.json)
    return 0


@contextlib.contextmanager
def _bad_values_as_errors() -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise CommandError(f"--{error}".replace("--tick_rate", "--tick-rate")) from None


def _add_synctest(parser: argparse.ArgumentParser) -> None:
    _add_game(parser)
    parser.add_argument(
        "--matrix",
        action="store_true",
        help="run in processes with other settings, to simulate other machines",
    )
    parser.add_argument(
        "--ticks", type=whole, metavar="N", default=600, help="ticks to play (default: 600)"
    )
    parser.add_argument(
        "--distance", type=whole, metavar="N", default=8, help="ticks to go back (default: 8)"
    )
    parser.add_argument(
        "--seed",
        type=int,
        metavar="S",
        default=0,
        help="seed of the game and of the random player (default: 0)",
    )
    parser.add_argument(
        "--exact", action="store_true", help="run the game with the option exact=True"
    )
    parser.add_argument(
        "--python",
        action="append",
        default=[],
        metavar="PYTHON",
        help="also run with this Python interpreter; may be repeated",
    )
    _add_saves(parser)
    parser.add_argument(
        "--progress", action="store_true", help="show the bar even without a terminal"
    )
    parser.set_defaults(action=_synctest)


def _synctest(arguments: SynctestArguments) -> int:
    path, _ = find_game(arguments.game)
    compiled(path)
    from . import repeats

    if arguments.matrix:
        return repeats.matrix(path, arguments)
    test = repeats.Test(arguments)
    return _launch(path, (), play=test) or test.status


def _add_game(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "game", metavar="NAME|FILE.py", help="an example or a Python file, as for run"
    )


def _add_farm(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(action=_farm)
    _add_game(parser)
    parser.add_argument(
        "--seeds", type=whole, metavar="N", default=100, help="number of runs (default: 100)"
    )
    parser.add_argument(
        "--first", type=int, metavar="S", default=0, help="the first of the seeds (default: 0)"
    )
    parser.add_argument(
        "--ticks", type=whole, metavar="N", default=600, help="ticks of each run (default: 600)"
    )
    parser.add_argument(
        "--value",
        action="append",
        default=[],
        metavar="NAME",
        help="an attribute of the game to record, such as score or fleet.row; may be repeated",
    )
    parser.add_argument(
        "--random", action="store_true", help="press random keys, different in each run"
    )
    parser.add_argument(
        "--workers", type=whole, metavar="N", help="processes (default: one for each core)"
    )
    parser.add_argument(
        "--check",
        type=_number_between(1, 0),
        default=0.01,
        metavar="X",
        help="fraction of the runs to repeat and compare",
    )
    parser.add_argument(
        "--saves", metavar="DIR", help="store the saves of each run in a new folder DIR/SEED"
    )
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write a line for each run")
    parser.add_argument(
        "--plot", type=Path, metavar="PNG", help="draw the values (needs matplotlib)"
    )
    parser.add_argument(
        "--progress",
        action="store_true",
        help="show the progress bar even without a terminal",
    )


def _farm(arguments: FarmArguments) -> int:
    from ..bench import charts
    from . import farming

    path, _ = find_game(arguments.game)
    compiled(path)
    if arguments.plot is not None:
        charts.check_plotting()
    check_writable(arguments.csv, arguments.plot)
    farming.farm(path, arguments)
    return 0


class _UpgradeArguments(Protocol):
    files: list[str]
    dry_run: bool


def _upgrade(arguments: _UpgradeArguments) -> int:
    from .upgrade import upgrade_files

    upgrade_files(arguments.files, dry_run=arguments.dry_run)
    return 0


class _DoctorArguments(Protocol):
    determinism: bool


def _doctor(arguments: _DoctorArguments) -> int:
    if arguments.determinism:
        from ..sim import fingerprint

        print(fingerprint.as_text(fingerprint.families()))
        return 0
    from . import doctor

    findings = doctor.examine()
    print(doctor.as_text(findings))
    return 0 if doctor.can_draw(findings) else 1
