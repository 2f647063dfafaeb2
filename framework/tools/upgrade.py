"""Upgrade: rewrite programs of earlier versions with the names of this one.

A rewrite changes the names and nothing else: comments and line breaks stay. It goes by the names
that moved (see `moved_names`) and by the types of the program's expressions (`program_types`). A
name of an object whose type the text does not tell is left as it is, and noted.
"""

from __future__ import annotations

import ast
import difflib
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..moved_names import Moved
from .gamefiles import CommandError
from .program_types import Program, ProgramClass, Type, framework_classes

_FENCE = re.compile(r"^```python[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_KINDS = (".py", ".md")
_TILE_OPTIONS = ("margin", "spacing", "solid", "one_way", "animations", "filter")


@dataclass(frozen=True)
class Note:
    """A line that a person must look at."""

    line: int
    message: str


@dataclass
class Upgrade:
    """The upgraded text of a program, and what is left to do by hand."""

    text: str
    notes: list[Note] = field(default_factory=list)


@dataclass(frozen=True)
class _Edit:
    start: int  # in bytes of the source
    end: int
    text: bytes


def upgrade_program(source: str) -> Upgrade:
    """Return a Python program with the names of this version.

    Raises `SyntaxError` if it is no Python.
    """
    return _Rewriter(source, {}).run()


def upgrade_page(source: str) -> Upgrade:
    """Return a page of Markdown whose ``python`` blocks have the names of this version.

    Blocks that are no whole Python, as those with "…", stay as they are.
    """
    from ..game.game import Game

    notes: list[Note] = []

    def replace(match: re.Match[str]) -> str:
        block = match[1]
        try:
            upgraded = _Rewriter(block, {"self": Game}).run()  # a part of a game's method
        except SyntaxError:
            return match[0]
        first = source.count("\n", 0, match.start(1))
        notes.extend(Note(first + note.line, note.message) for note in upgraded.notes)
        return match[0].replace(block, upgraded.text) if block else match[0]

    return Upgrade(_FENCE.sub(replace, source), notes)


def moved_names() -> Iterator[tuple[type, Moved]]:
    """Yield each name that moved, with the class that had it."""
    for cls in framework_classes().values():
        for value in vars(cls).values():
            if isinstance(value, Moved):
                yield cls, value


class _Rewriter:
    """The rewriting of one program."""

    def __init__(self, source: str, conventions: dict[str, type]) -> None:
        self._source = source.encode()
        self._tree = ast.parse(source)
        self._lines = _line_starts(self._source)
        self._edits: list[_Edit] = []
        self._notes: list[Note] = []
        self._moved = list(moved_names())
        # Variables whose type the program does not tell, by the words that messages use for them.
        self._conventions = {moved.owner: cls for cls, moved in self._moved} | conventions

    def run(self) -> Upgrade:
        Program(self._tree, self._conventions).walk(self._visit)
        result = self._source
        for edit in sorted(
            set(self._edits), key=lambda edit: (edit.start, -edit.end), reverse=True
        ):
            result = result[: edit.start] + edit.text + result[edit.end :]
        return Upgrade(result.decode(), sorted(set(self._notes), key=lambda note: note.line))

    def _visit(self, node: ast.AST, known: Type | None) -> None:
        if isinstance(node, ast.Attribute):
            self._attribute(node, known)
        elif isinstance(node, ast.Call):
            self._call(node, known)
        else:
            self._definition(node, known)

    # -- attributes --------------------------------------------------------------------------------

    def _attribute(self, node: ast.Attribute, owner: Type | None) -> None:
        if owner is None:
            self._note_unknown(node)
            return
        end = self._offset(node.end_lineno, node.end_col_offset)
        if isinstance(owner.of, ProgramClass) and owner.of.takes(node.attr):
            start = end - len(node.attr.encode())
            self._edits.append(_Edit(start, end, f"my_{node.attr}".encode()))
            return
        moved = _moved_of(owner, node.attr)
        if moved is None:
            return
        if not moved.is_call:
            self._edits.append(_Edit(end - len(node.attr.encode()), end, moved.new.encode()))
            return
        before, after = moved.new.split(moved.owner, 1)
        start = self._offset(node.lineno, node.col_offset)
        dot = self._offset(node.value.end_lineno, node.value.end_col_offset)
        self._edits.append(_Edit(start, start, before.encode()))
        self._edits.append(_Edit(dot, end, after.encode()))

    def _definition(self, node: ast.AST, owner: Type | None) -> None:
        """Rename a method or an attribute of a class whose name is the framework's now."""
        assert owner is not None
        assert isinstance(owner.of, ProgramClass)
        assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Name)
        name = node.id if isinstance(node, ast.Name) else node.name
        if name in owner.of.taken:
            start = self._offset(node.lineno, node.col_offset)
            if not isinstance(node, ast.Name):
                start = self._source.index(b" " + name.encode(), start) + 1
            end = start + len(name.encode())
            self._edits.append(_Edit(start, end, f"my_{name}".encode()))

    def _note_unknown(self, node: ast.Attribute) -> None:
        """Note a name that only one class of the framework had, of an object of unknown type."""
        candidates = [moved for _, moved in self._moved if moved.old == node.attr]
        if "_" not in node.attr or not candidates:  # "press" and "count" are anybody's names
            return
        moved = candidates[0]
        replacement = moved.new if moved.is_call else f"{moved.owner}.{moved.new}"
        message = f".{node.attr}: if this is {_article(moved.owner)}, it is {replacement} now"
        self._notes.append(Note(node.lineno, message))

    # -- calls -------------------------------------------------------------------------------------

    def _call(self, node: ast.Call, function: Type | None) -> None:
        """Put the tiles of a layer into a `TileSet`: its image, the size of a tile, its options."""
        if function is None or getattr(function.of, "__name__", "") != "TileLayer":
            return
        inner = [option for option in node.keywords if option.arg in _TILE_OPTIONS]
        if len(node.args) < 3 and not inner:
            return
        if len(node.args) < 2 or any(isinstance(part, ast.Starred) for part in node.args[:2]):
            self._notes.append(Note(node.lineno, "TileLayer: takes a TileSet(image, tile) now"))
            return
        name = self._text(node.func)
        tile_set = name[: len(name) - len("TileLayer")] + "TileSet"
        options = "".join(f", {self._text(option)}" for option in inner)
        start = self._offset(node.args[0].lineno, node.args[0].col_offset)
        end = self._offset(node.args[1].end_lineno, node.args[1].end_col_offset)
        self._edits.append(_Edit(start, start, f"{tile_set}(".encode()))
        self._edits.append(_Edit(end, end, f"{options})".encode()))
        for option in inner:
            self._remove_argument(option)

    def _remove_argument(self, option: ast.keyword) -> None:
        """Remove an option of a call, with the comma before it."""
        start = self._offset(option.lineno, option.col_offset)
        comma = self._source.rindex(b",", 0, start)
        end = self._offset(option.end_lineno, option.end_col_offset)
        self._edits.append(_Edit(comma, end, b""))

    # -- positions ---------------------------------------------------------------------------------

    def _offset(self, line: int | None, column: int | None) -> int:
        assert line is not None
        assert column is not None
        return self._lines[line - 1] + column

    def _text(self, node: ast.expr | ast.keyword) -> str:
        start = self._offset(node.lineno, node.col_offset)
        return self._source[start : self._offset(node.end_lineno, node.end_col_offset)].decode()


def _line_starts(source: bytes) -> list[int]:
    """Return the offset of each line's first byte, with the line ends that Python counts."""
    return [0, *(match.end() for match in re.finditer(rb"\r\n|\r|\n", source))]


def _moved_of(owner: Type, name: str) -> Moved | None:
    """Return the new place of a name, if the owner's class had it in an earlier version."""
    if owner.is_class:
        return None
    if isinstance(owner.of, ProgramClass):
        if owner.of.defines(name):
            return None
        classes = [*owner.of.framework_bases()]
    else:
        classes = [owner.of] if isinstance(owner.of, type) else []
    for cls in classes:
        for base in cls.__mro__:
            if name in vars(base):
                value = vars(base)[name]
                return value if isinstance(value, Moved) else None
    return None


def _article(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


# -- files -----------------------------------------------------------------------------------------


def upgrade_files(paths: Sequence[str], dry_run: bool) -> None:
    """Upgrade files in place, and print what changed and what is left to do by hand.

    A path is a ``.py`` file, a page of Markdown (``.md``), or a folder of such files. All files are
    read and upgraded before the first one is written. With ``dry_run`` no file is written.

    Raises `CommandError` for a path that is missing, no text, or no Python.
    """
    upgraded = [(path, *_upgraded(path)) for path in _files(paths)]
    changed = [(path, before, result) for path, before, result in upgraded if result.text != before]
    for path, before, result in changed:
        lines = difflib.unified_diff(
            before.splitlines(keepends=True),
            result.text.splitlines(keepends=True),
            str(path),
            f"{path} (upgraded)",
        )
        print("".join(line if line.endswith("\n") else f"{line}\n" for line in lines), end="")
    for path, _, result in changed if not dry_run else ():
        _write(path, result.text)
    count = 0
    for path, _, result in upgraded:
        for note in result.notes:
            count += 1
            print(f"{path}:{note.line}: {note.message}")
    verb = "would change" if dry_run else "changed"
    print(f"{len(changed)} of {len(upgraded)} files {verb}, {count} lines to look at")


def _files(paths: Sequence[str]) -> list[Path]:
    files: list[Path] = []
    for text in paths:
        path = Path(text)
        if path.is_dir():
            inside = sorted(file for kind in _KINDS for file in path.rglob(f"*{kind}"))
            if not inside:
                raise CommandError(f"{text}: there is no .py or .md file in this folder")
            files += [file for file in inside if not _is_hidden(file.relative_to(path))]
        elif not path.is_file():
            raise CommandError(f"{text}: there is no such file or folder")
        elif path.suffix not in _KINDS:
            raise CommandError(f"{text}: expected a .py or .md file, or a folder of them")
        else:
            files.append(path)
    return list(dict.fromkeys(files))


def _is_hidden(path: Path) -> bool:
    """Whether a file is in a hidden folder: an environment, a repository's own files."""
    return any(part.startswith(".") for part in path.parts)


def _upgraded(path: Path) -> tuple[str, Upgrade]:
    try:
        before = path.read_bytes().decode()  # with the line ends that it has
    except UnicodeDecodeError:
        raise CommandError(f"{path}: expected a text in UTF-8, which this file is not") from None
    except OSError as error:
        raise CommandError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        return before, (upgrade_page if path.suffix == ".md" else upgrade_program)(before)
    except (SyntaxError, ValueError, RecursionError) as error:  # ValueError: of a null byte
        line = f"line {error.lineno}: " if isinstance(error, SyntaxError) else ""
        message = getattr(error, "msg", error)
        raise CommandError(
            f"{path}: {line}expected valid Python, got {str(message)!r}; correct it first"
        ) from None


def _write(path: Path, text: str) -> None:
    """Write a file whole: a failure in the middle leaves the old one."""
    part = path.with_name(f"{path.name}.part")
    try:
        part.write_bytes(text.encode())
        shutil.copymode(path, part)
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise CommandError(f"{path}: cannot be written: {error.strerror}") from None
