"""The command line: `framework run | examples | bench | lab | doctor`, or `python -m framework …`.

Exit statuses: 0 well, 1 an error in the game itself (with its traceback), 2 a command that cannot be carried out
(with one clear line), 130 interrupted by Ctrl-C.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import difflib
import io
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import CodeType, ModuleType, TracebackType
from typing import NamedTuple

from . import __version__, resources
from .errors import FrameworkError

_BAD, _INTERRUPTED, _CUT_OFF = 2, 130, 141


class CommandError(Exception):
    """What was asked for on the command line cannot be done; the message is all that is shown."""


def main(argv: Sequence[str] | None = None) -> int:
    """Carry out a command line (default: the one this process was started with); returns the exit status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a console that knows no arrows still gets the words
    parser = _parser(from_shell=argv is None)
    arguments, rest = parser.parse_known_args(argv)
    if rest and (any(part.startswith("-") for part in rest) or not hasattr(arguments, "arguments")):
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    if rest:  # argparse gives up on a list that options come before
        arguments.arguments += rest
    if arguments.action is None:
        parser.print_help()
        return 0
    action: Callable[[argparse.Namespace], int] = arguments.action
    try:
        status = action(arguments)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # `framework examples | head -1`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _CUT_OFF
    except (CommandError, FrameworkError) as error:
        return _complain(str(error))
    except KeyboardInterrupt:
        print("framework: interrupted", file=sys.stderr)
        return _INTERRUPTED


def _complain(text: str) -> int:
    print(f"framework: {text}", file=sys.stderr)
    return _BAD


def _parser(from_shell: bool) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="framework", description="Run, measure and mend games of the framework.")
    parser.add_argument("--version", action="version", version=f"subtick {__version__}")
    parser.set_defaults(action=None, from_shell=from_shell)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")

    run = commands.add_parser("run", help="run an example or a game's file")
    run.add_argument("game", metavar="NAME|FILE.py", help="an example (3, sprites, 03_sprites) or a Python file")
    run.add_argument("arguments", metavar="ARGUMENT", nargs="*", help="what the game finds in sys.argv[1:], as a file")
    run.add_argument("--headless", action="store_true", help="draw off screen even where there is a display")
    run.add_argument("--frames", type=_whole, metavar="N", help="end after N frames")
    run.add_argument("--screenshot", metavar="PNG", help="write the last picture to this file")
    run.set_defaults(action=_run)

    examples = commands.add_parser("examples", help="list the examples")
    examples.set_defaults(action=_examples)

    bench = commands.add_parser("bench", help="measure what ticks and frames cost on this machine")
    kinds = bench.add_subparsers(title="benchmarks", metavar="WHAT", required=True)
    _add_bench_sprites(kinds.add_parser("sprites", help="moving sprites, beside a hand-written moderngl program"))
    _add_bench_meshes(kinds.add_parser("meshes", help="tumbling cubes, beside a hand-written moderngl program"))
    _add_bench_loop(kinds.add_parser("loop", help="an empty game: ticks, frames, garbage collection, import and start"))

    _add_lab(commands.add_parser("lab", help="how even motion looks on any display, simulated or in a real window"))

    doctor = commands.add_parser("doctor", help="say what is missing on this machine, and how to get it")
    doctor.set_defaults(action=_doctor)
    return parser


def _whole(text: str) -> int:
    """An argument that counts something."""
    try:
        value = int(text.replace("_", "").replace(",", ""))
    except ValueError:
        value = 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number of at least 1, got {text!r}")
    return value


# -- run ---------------------------------------------------------------------------------------------------------------


class Example(NamedTuple):
    """One of the project's examples: the file ``03_sprites.py`` has the number 3 and the name ``sprites``."""

    number: int
    name: str
    path: Path

    @property
    def sentence(self) -> str:
        """The first line of its docstring."""
        docstring = ast.get_docstring(ast.parse(self.path.read_bytes())) or ""
        return docstring.partition("\n")[0]

    def answers_to(self, name: str) -> bool:
        return name.lower() in (self.path.stem.lower(), self.name.lower(), str(self.number), f"{self.number:02d}")


def examples() -> list[Example]:
    """The examples, by number."""
    found = []
    for path in resources.folder("examples").glob("*.py"):
        number, _, name = path.stem.partition("_")
        if number.isdigit() and name:
            found.append(Example(int(number), name, path))
    return sorted(found)


def find_game(asked: str) -> tuple[Path, str | None]:
    """The file that ``asked`` means, and the example's name if it is one. Raises `CommandError` with near names."""
    path = Path(asked)
    if path.is_dir():
        raise CommandError(f"{asked!r} is a folder; give the game's file in it: {_python_files_in(path)}")
    if path.suffix == ".py" or path.is_file():
        if not path.is_file():
            raise CommandError(f"There is no file {asked!r}. {_near(asked, [*_neighbours(path), *_example_names()])}")
        if path.suffix != ".py":
            raise CommandError(f"{asked!r} is not a Python file: its name does not end in .py")
        return path, None
    for example in examples():
        if example.answers_to(asked):
            return example.path, example.name
    near = _near(asked, [*_example_names(), *_neighbours(path)])
    raise CommandError(f"There is no example {asked!r}. {near}")


def _example_names() -> list[str]:
    return [example.name for example in examples()]


def _neighbours(path: Path) -> list[str]:
    """The Python files in the folder where ``path`` was expected, written as ``path`` was."""
    with contextlib.suppress(OSError):
        return sorted(str(file) for file in path.parent.glob("*.py"))
    return []


def _python_files_in(folder: Path) -> str:
    files = sorted(str(file) for file in folder.glob("*.py"))
    return ", ".join(files[:8]) or "there is no Python file in it"


def _near(asked: str, names: list[str]) -> str:
    by_stem: dict[str, str] = {}
    for name in names:
        by_stem.setdefault(Path(name).stem.lower(), name)
    near = difflib.get_close_matches(Path(asked).stem.lower(), by_stem, n=3, cutoff=0.6)
    if near:
        return f"Nearest: {', '.join(by_stem[stem] for stem in near)}."
    return f"There are: {', '.join(names[:12])}." if names else "There are no examples here; give a Python file."


def _run(arguments: argparse.Namespace) -> int:
    path, name = find_game(arguments.game)
    code = _compile(path)
    try:
        from .game import Launch
    except ModuleNotFoundError as error:
        raise CommandError(f"{error.name} is not installed; `framework doctor` says how to get it.") from None
    before = {key: getattr(Launch, key) for key in ("headless", "frames", "screenshot", "name", "started")}
    Launch.headless = True if arguments.headless else None
    Launch.frames, Launch.screenshot, Launch.name = arguments.frames, arguments.screenshot, name
    Launch.started = False
    try:
        status = _execute(code, path, arguments.arguments)
        if status == 0 and not Launch.started:
            raise CommandError(f"{path} has run and started no game. {_how_to_start(path)}")
        return status
    finally:
        for key, value in before.items():
            setattr(Launch, key, value)


def _compile(path: Path) -> CodeType:
    try:
        return compile(path.read_bytes(), str(path.absolute()), "exec", dont_inherit=True)
    except SyntaxError as error:
        text = f"\n    {error.text.strip()}" if error.text else ""
        raise CommandError(f"{path}, line {error.lineno}: this is not Python: {error.msg}{text}") from None
    except (ValueError, OSError) as error:
        raise CommandError(f"{path} cannot be read as Python: {error}") from None


def _how_to_start(path: Path) -> str:
    names = [
        node.name
        for node in ast.parse(path.read_bytes()).body
        if isinstance(node, ast.ClassDef) and any(ast.unparse(base).endswith("Game") for base in node.bases)
    ]
    game = names[-1] if names else "MyGame"
    return f'Its last lines should be:\n\n    if __name__ == "__main__":\n        fw.run({game})'


def _execute(code: CodeType, path: Path, arguments: Sequence[str] = ()) -> int:
    """Run a file as ``python FILE.py`` would; returns the exit status. Only errors of the game show a traceback."""
    with _as_main(path, arguments) as module:
        try:
            exec(code, module.__dict__)
        except SystemExit as end:
            if end.code is not None and not isinstance(end.code, int):
                print(end.code, file=sys.stderr)
                return 1
            return int(end.code or 0)
        except FrameworkError as error:
            return _complain(f"{type(error).__name__}: {error}{_place(error, code.co_filename)}")
        except Exception as error:
            error.__traceback__ = _without_own_frame(error.__traceback__)
            sys.excepthook(type(error), error, error.__traceback__)
            return 1
    return 0


@contextlib.contextmanager
def _as_main(path: Path, arguments: Sequence[str]) -> Iterator[ModuleType]:
    """An empty module ``__main__`` for the file, its folder first in sys.path, itself and ``arguments`` in sys.argv."""
    module = ModuleType("__main__")
    module.__file__ = str(path.absolute())
    main, argv, folders = sys.modules["__main__"], sys.argv, sys.path[:]
    sys.modules["__main__"] = module
    sys.argv = [str(path), *arguments]
    sys.path.insert(0, str(path.absolute().parent))
    try:
        yield module
    finally:
        sys.modules["__main__"], sys.argv, sys.path[:] = main, argv, folders


def _without_own_frame(trace: TracebackType | None) -> TracebackType | None:
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    return trace


def _place(error: BaseException, file: str) -> str:
    """Where in the game's own file an error came up."""
    places = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    if not places:
        return ""
    last = places[-1]
    return f"\n  {Path(file).name}, line {last.lineno}, in {last.name}: {last.line}"


# -- the others --------------------------------------------------------------------------------------------------------


def _examples(arguments: argparse.Namespace) -> int:
    found = examples()
    if not found:
        raise CommandError(f"There are no examples in {resources.folder('examples')}.")
    width = max(len(example.name) for example in found)
    for example in found:
        print(f"{example.number:>3}  {example.name:<{width}}  {example.sentence}")
    print("\nRun one by its number or name: framework run", found[0].name)
    return 0


def _add_bench_sprites(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--count", type=_whole, nargs="+", metavar="N", default=[1_000, 10_000, 100_000],
        help="how many sprites; several counts are measured one after another",
    )  # fmt: skip
    parser.add_argument("--frames", type=_whole, default=300, metavar="N", help="measured for each count, at most")
    parser.add_argument("--memory", action="store_true", help="also weigh a batch of 1,000,000 sprites")
    parser.add_argument("--plot", type=Path, metavar="PNG", help="draw the figures (needs matplotlib)")
    _add_bench_options(parser)
    parser.set_defaults(action=_bench_sprites)


def _add_bench_meshes(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--count", type=_whole, nargs="+", metavar="N", default=[1_000, 10_000, 100_000],
        help="how many cubes; several counts are measured one after another",
    )  # fmt: skip
    parser.add_argument("--frames", type=_whole, default=300, metavar="N", help="measured for each count, at most")
    _add_bench_options(parser)
    parser.set_defaults(action=_bench_meshes)


def _add_bench_loop(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--frames", type=_whole, default=2000, metavar="N", help="how many to measure")
    _add_bench_options(parser)
    parser.set_defaults(action=_bench_loop)


def _add_bench_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures")
    parser.add_argument("--progress", action="store_true", help="show the progress bar even where there is no terminal")


def _bench_sprites(arguments: argparse.Namespace) -> int:
    from . import bench

    _check_writable(arguments.json, arguments.plot)
    if arguments.plot is not None:
        bench.check_plotting()
    if arguments.from_shell:
        bench.steady_malloc()
    report = bench.measure_sprites(arguments.count, arguments.frames, arguments.memory, arguments.progress)
    print(bench.sprites_table(report))
    _write_json(bench.to_json(report), arguments.json)
    if arguments.plot is not None:
        bench.plot_sprites(report, arguments.plot)
        print(f"\nThe plot is in {arguments.plot}")
    return 0


def _bench_meshes(arguments: argparse.Namespace) -> int:
    from . import bench

    _check_writable(arguments.json)
    if arguments.from_shell:
        bench.steady_malloc()
    report = bench.measure_meshes(arguments.count, arguments.frames, arguments.progress)
    print(bench.meshes_table(report))
    _write_json(bench.to_json(report), arguments.json)
    return 0


def _bench_loop(arguments: argparse.Namespace) -> int:
    from . import bench

    _check_writable(arguments.json)
    if arguments.from_shell:
        bench.steady_malloc()
    report = bench.measure_loop(arguments.frames, arguments.progress)
    print(bench.loop_table(report))
    _write_json(bench.to_json(report), arguments.json)
    return 0


def _add_lab(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seconds", type=float, default=5.0, metavar="N", help="of each display; of the window")
    parser.add_argument("--rates", nargs="+", metavar="HZ", help="displays: refreshes a second, vrr or off (no vsync)")
    parser.add_argument("--methods", nargs="+", metavar="NAME", help="names or parts of names; all is every one")
    parser.add_argument("--tick-rate", type=float, default=60.0, metavar="N", help="ticks a second")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the displays' jitter")
    parser.add_argument("--full", action="store_true", help="also a line for each method on each display")
    parser.add_argument("--plot", type=Path, metavar="PNG", help="draw the judder (needs matplotlib)")
    parser.add_argument("--plot-pacing", type=Path, metavar="PNG", help="draw what pacing does (needs matplotlib)")
    parser.add_argument("--live", action="store_true", help="measure a real window instead")
    _add_bench_options(parser)
    parser.set_defaults(action=_lab)


def _lab(arguments: argparse.Namespace) -> int:
    from . import charts, lab

    _check_writable(arguments.json, arguments.plot, arguments.plot_pacing)
    if arguments.live:
        return _live(arguments)
    if arguments.plot is not None or arguments.plot_pacing is not None:
        lab.check_plotting()
    with _bad_values_as_errors():
        report = lab.run(
            seconds=arguments.seconds,
            rates=arguments.rates,
            methods=arguments.methods,
            tick_rate=arguments.tick_rate,
            seed=arguments.seed,
            progress=arguments.progress,
        )
    print(lab.table(report, arguments.full))
    _write_json(lab.to_json(report), arguments.json)
    if arguments.plot is not None:
        charts.plot(report, arguments.plot)
        print(f"\nThe plot is in {arguments.plot}")
    if arguments.plot_pacing is not None:
        charts.plot_pacing(arguments.plot_pacing, arguments.seed)
        print(f"\nThe plot of pacing is in {arguments.plot_pacing}")
    return 0


def _live(arguments: argparse.Namespace) -> int:
    simulated = ("rates", "methods", "plot", "plot_pacing")
    given = [f"--{name.replace('_', '-')}" for name in simulated if getattr(arguments, name) is not None]
    if given:
        raise CommandError(f"{', '.join(given)}: of simulated displays only; leave it out, or --live")
    from . import live

    with _bad_values_as_errors():
        measured = live.measure(arguments.seconds, arguments.tick_rate)
    print(live.table(measured))
    _write_json(live.to_json(measured), arguments.json)
    return 0


@contextlib.contextmanager
def _bad_values_as_errors() -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise CommandError(f"--{error}".replace("--tick_rate", "--tick-rate")) from None


def _check_writable(*paths: Path | None) -> None:
    """Before minutes are spent on figures: can they be written?"""
    for path in paths:
        if path is not None and (path.is_dir() or not path.absolute().parent.is_dir()):
            raise CommandError(f"{str(path)!r} cannot be written: its folder does not exist, or it is a folder itself")


def _write_json(text: str, path: Path | None) -> None:
    if path is None:
        return
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CommandError(f"{str(path)!r} cannot be written: {error}") from None
    print(f"\nAll figures are in {path}")


def _doctor(arguments: argparse.Namespace) -> int:
    from . import doctor

    findings = doctor.examine()
    print(doctor.as_text(findings))
    return 0 if doctor.can_draw(findings) else 1
