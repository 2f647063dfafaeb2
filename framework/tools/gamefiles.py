"""Find a game's file or an example by its name, and run it as Python does."""

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

KINDS = ("platformer", "shooter", "topdown", "3d", "simulation", "duel")
"""The names of the templates of new games."""

_MAX_FILES = 12
"""The maximum number of Python files in an error message."""


class CommandError(Exception):
    """Raised if a command cannot run. The user sees only the error message, without a traceback."""


class ExampleFolder(NamedTuple):
    """A folder of examples.

    Attributes
    ----------
    path : str
        The path of the folder, relative to the folder ``examples``.
    heading : str
        The heading of this folder in the output of `framework examples`, or "".
    short_names : bool
        Whether the folder name can be left out in commands: ``framework run tweens`` plays
        ``small/tweens.py``. If False, the folder name is part of the example's name, as in
        ``framework run tutorial/camera``.
    """

    path: str
    heading: str
    short_names: bool = True


FOLDERS = (
    ExampleFolder("", ""),
    ExampleFolder("games", "Whole games"),
    ExampleFolder("tutorial", "Steps of the tutorial", short_names=False),
    ExampleFolder("tutorial_space", "Steps of the tutorial in space", short_names=False),
    ExampleFolder("small", "Small examples, each on one topic"),
)
"""The folders of examples, in the order in which `framework examples` lists them."""


class Example(NamedTuple):
    """An example program of this project. The file ``03_sprites.py`` has the number 3 and the name
    ``sprites``.

    Attributes
    ----------
    number : int
        The number in the file name, or 0 if the file name has no number.
    name : str
        The file name without the number and without ".py".
    path : Path
        The path of the file.
    folder : ExampleFolder
        The folder that contains the file.
    """

    number: int
    name: str
    path: Path
    folder: ExampleFolder = FOLDERS[0]

    @property
    def description(self) -> str:
        """The docstring of the example."""
        return ast.get_docstring(ast.parse(self.path.read_bytes())) or ""

    @property
    def searched_text(self) -> str:
        """The text that `framework examples WORD` searches, in lowercase."""
        return f"{self.command_name} {self.description}".lower()

    @property
    def sentence(self) -> str:
        """The first line of the example's docstring."""
        return self.description.partition("\n")[0]

    @property
    def topic(self) -> str:
        """The text before the colon in the first line of the docstring. For example, the topic of
        "Input: move with the keys." is "Input".
        """
        return self.sentence.partition(":")[0]

    @property
    def command_name(self) -> str:
        """The name of the example in the command `framework run`."""
        return self.name if self.folder.short_names else f"{self.folder.path}/{self.name}"

    def has_name(self, name: str) -> bool:
        folder, slash, short_name = name.lower().replace("\\", "/").rpartition("/")
        names = {self.path.stem.lower(), self.name.lower()}
        numbers = {str(self.number), f"{self.number:02d}"} if self.number else set()
        if folder == self.folder.path and bool(slash) == bool(folder):
            return short_name in names | numbers
        return not slash and self.folder.short_names and short_name in names


def examples() -> list[Example]:
    """Return the examples in all folders of `FOLDERS`. In each folder, the examples are sorted by
    number and name.

    In the folder ``examples``, every example has a number. Files without a number are modules that
    the examples import. In all other folders, a file that is not an example has a name that begins
    with "_".
    """
    entries = []
    for folder in FOLDERS:
        paths = (resources.folder("examples") / folder.path).glob("*.py")
        members = [_example(path, folder) for path in paths if not path.name.startswith("_")]
        if not folder.path:
            members = [example for example in members if example.number]
        entries += sorted(members, key=lambda example: (example.number, example.name))
    return entries


def _example(path: Path, folder: ExampleFolder) -> Example:
    number, _, name = path.stem.partition("_")
    if number.isdigit() and name:
        return Example(int(number), name, path, folder)
    return Example(0, path.stem, path, folder)


def find_game(name: str) -> tuple[Path, str | None]:
    """Find the Python file of a game, and return its path and the name of the example, or None if
    it is not an example. ``name`` is a path, or the name or number of an example. The name may
    contain the folder, as in "small/tweens". Raises `CommandError` if the file or example does not
    exist. The error message suggests similar names.
    """
    path = Path(name)
    if path.is_dir():
        files = ", ".join(_python_files(path)[:8]) or "it contains no Python file"
        raise CommandError(f"{name!r} is a folder; give the game's file in it: {files}")
    if path.suffix == ".py" or path.is_file():
        if not path.is_file():
            near = _near(name, _python_files(path.parent))
            raise CommandError(f"There is no file {name!r}. {near}")
        if path.suffix != ".py":
            raise CommandError(f"{name!r} is not a Python file: its name does not end in .py")
        return path, None
    for example in examples():
        if example.has_name(name):
            return example.path, example.name
    near = _near(name, _python_files(path.parent))
    raise CommandError(f"There is no example {name!r}. {near}")


def _python_files(folder: Path) -> list[str]:
    """Return the paths of the Python files in a folder, or an empty list if the folder does not
    exist.
    """
    with contextlib.suppress(OSError):
        return sorted(str(file) for file in folder.glob("*.py"))
    return []


def _near(name: str, files: list[str]) -> str:
    """Return a sentence that suggests examples and files with names similar to ``name``. If no name
    is similar, the sentence suggests some examples and files.
    """
    candidates = _names_of_games(files)
    searched = Path(name).stem if name.endswith(".py") else name
    near = difflib.get_close_matches(searched.lower(), candidates, n=3, cutoff=0.6)
    if near:
        return f"Nearest: {', '.join(dict.fromkeys(candidates[key] for key in near))}."
    numbered = [example.name for example in examples() if not example.folder.path]
    names = [*numbered, *files[:_MAX_FILES]]
    if not names:
        return "There are no examples here; name a Python file."
    listed = f"There are: {', '.join(names)}{', …' if len(files) > _MAX_FILES else ''}."
    unlisted = len(examples()) - len(numbered)
    return f"{listed} `framework examples` lists {unlisted} more examples." if unlisted else listed


def _names_of_games(files: list[str]) -> dict[str, str]:
    """Return the names, in lowercase, that a user may give to an example or to one of ``files``.
    Each value of the dict is the name to suggest.
    """
    names = {example.command_name.lower(): example.command_name for example in examples()}
    for example in examples():
        if example.folder.path:  # also accept a name with its folder, such as "small/tweens"
            names[f"{example.folder.path}/{example.name}".lower()] = example.command_name
    for file in files:
        names.setdefault(Path(file).stem.lower(), file)
    return names


def compiled(path: Path) -> CodeType:
    """Compile a Python file and return the code object. Raise `CommandError` if the file is not
    valid Python. The error message shows the line with the error.
    """
    try:
        return compile(path.read_bytes(), str(path.absolute()), "exec", dont_inherit=True)
    except SyntaxError as error:
        text = f"\n    {error.text.strip()}" if error.text else ""
        # If a file contains null bytes, the error has no line number.
        line = "" if error.lineno is None else f", line {error.lineno}"
        hint = _hint_on_mark(error.text or "")
        raise CommandError(f"{path}{line}: this is not Python: {error.msg}{text}{hint}") from None
    except (ValueError, OSError) as error:
        raise CommandError(f"{path} cannot be read as Python: {error}") from None


def _hint_on_mark(line: str) -> str:
    """If a line starts with "+" or "-" because it was copied from a diff, return advice. For any
    other line, return "".
    """
    mark = line[:1]
    if mark not in ("+", "-") or line[1:2] == mark:
        return ""
    what = f'delete the "{mark}"' if mark == "+" else "a diff removes such a line: delete the line"
    return f'\nThe line begins with "{mark}": {what}.'


def how_to_start(path: Path) -> str:
    """Return the lines of code that a file needs to start a game, for the error message about a
    file that does not call `fw.run`.
    """
    names = [
        node.name
        for node in ast.parse(path.read_bytes()).body
        if isinstance(node, ast.ClassDef)
        and any(ast.unparse(base).endswith("Game") for base in node.bases)
    ]
    game = names[-1] if names else "MyGame"
    return f'Its last lines should be:\n\n    if __name__ == "__main__":\n        fw.run({game})'


def execute(code: CodeType, path: Path, arguments: Sequence[str] = ()) -> int:
    """Run a file as ``python FILE.py`` does, and return the exit status.

    If the game raises an error, the function prints the traceback and returns 1. For a
    `FrameworkError`, the function raises `CommandError` instead. The message of the `CommandError`
    contains the last executed line of the game's file.
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
                f"{type(error).__name__}: {error}{_last_line(error, code.co_filename)}"
            ) from error
        except Exception as error:
            if isinstance(error, BrokenPipeError) and _is_pipe_closed():
                raise
            error.__traceback__ = _without_own_frame(error.__traceback__)
            sys.excepthook(type(error), error, error.__traceback__)
            return 1
    return 0


def _is_pipe_closed() -> bool:
    """Return whether the program that was reading stdout has closed the pipe, as ``head`` does in
    `framework run rain | head -1`.
    """
    try:
        poll = select.poll()
        poll.register(sys.stdout.fileno(), select.POLLOUT)
    # The system has no `poll`, or stdout has no file descriptor.
    except (AttributeError, OSError, ValueError):
        return False
    return any(event & select.POLLERR for _, event in poll.poll(0))


@contextlib.contextmanager
def _as_main(path: Path, arguments: Sequence[str]) -> Iterator[ModuleType]:
    """Return a context manager that yields a new module ``__main__`` for a file. Inside the
    ``with`` block, sys.path and sys.argv are set in the same way as by ``python FILE.py``.
    """
    module = ModuleType("__main__")
    module.__file__ = str(path.absolute())
    main = sys.modules["__main__"]
    argv = sys.argv
    folders = sys.path[:]
    sys.modules["__main__"] = module
    sys.argv = [str(path), *arguments]
    sys.path.insert(0, str(path.absolute().parent))
    try:
        yield module
    finally:
        sys.modules["__main__"] = main
        sys.argv = argv
        sys.path[:] = folders


def _without_own_frame(trace: TracebackType | None) -> TracebackType | None:
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    return trace


def _last_line(error: BaseException, file: str) -> str:
    """Return the last line of a traceback that is in the game's file, as text."""
    frames = [
        frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file
    ]
    if not frames:
        return ""
    last = frames[-1]
    return f"\n  {Path(file).name}, line {last.lineno}, in {last.name}: {last.line}"
