"""Games' files: the project's examples, which file a name means, and running one as Python
would.
"""

from __future__ import annotations

import ast
import contextlib
import difflib
import select
import sys
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import CodeType, ModuleType, TracebackType
from typing import NamedTuple

from .. import resources
from ..errors import FrameworkError


class CommandError(Exception):
    """What was asked for on the command line cannot be done; the message is all that is shown."""


class Example(NamedTuple):
    """One of the project's examples: the file ``03_sprites.py`` has the number 3 and the name
    ``sprites``.
    """

    number: int
    name: str
    path: Path

    @property
    def sentence(self) -> str:
        """The first line of its docstring."""
        docstring = ast.get_docstring(ast.parse(self.path.read_bytes())) or ""
        return docstring.partition("\n")[0]

    def answers_to(self, name: str) -> bool:
        return name.lower() in (
            self.path.stem.lower(),
            self.name.lower(),
            str(self.number),
            f"{self.number:02d}",
        )


def examples() -> list[Example]:
    """The examples, by number."""
    found = []
    for path in resources.folder("examples").glob("*.py"):
        number, _, name = path.stem.partition("_")
        if number.isdigit() and name:
            found.append(Example(int(number), name, path))
    return sorted(found)


def find_game(asked: str) -> tuple[Path, str | None]:
    """The file that ``asked`` means, and the example's name if it is one. Raises `CommandError`
    with near names.
    """
    path = Path(asked)
    if path.is_dir():
        files = ", ".join(_python_files(path)[:8]) or "there is no Python file in it"
        raise CommandError(f"{asked!r} is a folder; give the game's file in it: {files}")
    if path.suffix == ".py" or path.is_file():
        if not path.is_file():
            near = _near(asked, [*_python_files(path.parent), *_example_names()])
            raise CommandError(f"There is no file {asked!r}. {near}")
        if path.suffix != ".py":
            raise CommandError(f"{asked!r} is not a Python file: its name does not end in .py")
        return path, None
    for example in examples():
        if example.answers_to(asked):
            return example.path, example.name
    near = _near(asked, [*_example_names(), *_python_files(path.parent)])
    raise CommandError(f"There is no example {asked!r}. {near}")


def _example_names() -> list[str]:
    return [example.name for example in examples()]


def _python_files(folder: Path) -> list[str]:
    """Those in a folder, if there is one, written as the folder is."""
    with contextlib.suppress(OSError):
        return sorted(str(file) for file in folder.glob("*.py"))
    return []


def _near(asked: str, names: list[str]) -> str:
    by_stem: dict[str, str] = {}
    for name in names:
        by_stem.setdefault(Path(name).stem.lower(), name)
    near = difflib.get_close_matches(Path(asked).stem.lower(), by_stem, n=3, cutoff=0.6)
    if near:
        return f"Nearest: {', '.join(by_stem[stem] for stem in near)}."
    return (
        f"There are: {', '.join(names[:12])}."
        if names
        else "There are no examples here; give a Python file."
    )


def compiled(path: Path) -> CodeType:
    """The code of a file. Raises `CommandError` that says where it is not Python."""
    try:
        return compile(path.read_bytes(), str(path.absolute()), "exec", dont_inherit=True)
    except SyntaxError as error:
        text = f"\n    {error.text.strip()}" if error.text else ""
        line = (
            "" if error.lineno is None else f", line {error.lineno}"
        )  # none of a file with null bytes
        raise CommandError(f"{path}{line}: this is not Python: {error.msg}{text}") from None
    except (ValueError, OSError) as error:
        raise CommandError(f"{path} cannot be read as Python: {error}") from None


def how_to_start(path: Path) -> str:
    """What a file lacks that defines a game and starts none."""
    names = [
        node.name
        for node in ast.parse(path.read_bytes()).body
        if isinstance(node, ast.ClassDef)
        and any(ast.unparse(base).endswith("Game") for base in node.bases)
    ]
    game = names[-1] if names else "MyGame"
    return f'Its last lines should be:\n\n    if __name__ == "__main__":\n        fw.run({game})'


def execute(code: CodeType, path: Path, arguments: Sequence[str] = ()) -> int:
    """Run a file as ``python FILE.py`` would; returns the exit status. Errors of the game's own
    show its traceback.

    Raises `CommandError` for an error of the framework's: its message, and where in the file it
    came up.
    """
    with _as_main(path, arguments) as module:
        try:
            exec(code, module.__dict__)
        except SystemExit as end:
            if end.code is not None and not isinstance(end.code, int):
                print(end.code, file=sys.stderr)
                return 1
            return int(end.code or 0)
        except FrameworkError as error:
            raise CommandError(
                f"{type(error).__name__}: {error}{_place(error, code.co_filename)}"
            ) from error
        except Exception as error:
            if isinstance(error, BrokenPipeError) and _nobody_reads():
                raise
            error.__traceback__ = _without_own_frame(error.__traceback__)
            sys.excepthook(type(error), error, error.__traceback__)
            return 1
    return 0


def _nobody_reads() -> bool:
    """Whether what was printed goes to a pipe that nobody reads any more: `framework run rain |
    head -1`.
    """
    try:
        poll = select.poll()
        poll.register(sys.stdout.fileno(), select.POLLOUT)
    except (AttributeError, OSError, ValueError):  # not on this system, or none of its files
        return False
    return any(event & select.POLLERR for _, event in poll.poll(0))


@contextlib.contextmanager
def _as_main(path: Path, arguments: Sequence[str]) -> Iterator[ModuleType]:
    """An empty module ``__main__`` for the file, its folder first in sys.path, itself and
    ``arguments`` in sys.argv.
    """
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
    places = [
        frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file
    ]
    if not places:
        return ""
    last = places[-1]
    return f"\n  {Path(file).name}, line {last.lineno}, in {last.name}: {last.line}"
