"""`framework upgrade`: replace the framework's old names in a program with the new names.

Comments and line breaks are not changed. The module `moved_names` contains all renamed names. Many
replacements depend on the type of an object, which the module `program_types` finds. If the type is
unknown, the command leaves the line unchanged and prints a note about it.
"""

from __future__ import annotations

import ast
import builtins
import difflib
import functools
import inspect
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FunctionType, ModuleType

from ..moved_names import OPTIONS, Absent, Moved, MovedHook
from .gamefiles import CommandError
from .program_dicts import ProgramDicts
from .program_paths import ProgramPaths
from .program_types import (
    Program,
    ProgramClass,
    Type,
    framework_classes,
    page_variables,
    renamed_in_module,
)

_FENCE = re.compile(r"^```python[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_KINDS = (".py", ".md")
_NAMING_OPTIONS = ("columns",)  # constructor options that contain attribute names
_NAMING_METHODS = ("column",)  # methods whose first argument is an attribute name
_ART = "framework.game.art"
_TILE_OPTIONS = ("margin", "spacing", "solid", "one_way", "animations", "filter")


@dataclass(frozen=True)
class Note:
    """A note about a line in a program that the user must check."""

    line: int
    message: str


@dataclass
class Upgrade:
    """The upgraded text of a program or page, and notes about the lines that the user must check."""

    text: str
    notes: list[Note] = field(default_factory=list)


@dataclass(frozen=True)
class _Edit:
    start: int  # the position in the source, in bytes
    end: int
    text: bytes


_Positioned = ast.expr | ast.stmt | ast.keyword | ast.alias
"""The nodes of a program that have a position in the source."""


def upgrade_program(source: str) -> Upgrade:
    """Replace old names in a Python program with the names in this version.

    Raises `SyntaxError` if ``source`` is not valid Python.
    """
    return _Rewriter(source, {}).run()


def upgrade_page(source: str) -> Upgrade:
    """Replace old names in the ``python`` blocks of a Markdown page with the names in this version.
    A block that is not valid Python, for example because it contains "…", is left unchanged.
    """
    from ..game.game import Game

    notes: list[Note] = []
    # The code blocks on a page are treated as parts of methods of this class.
    page = ProgramClass("Page", [Game])
    variables = page_variables(page)

    def replace(match: re.Match[str]) -> str:
        block = match[1]
        try:
            rewriter = _Rewriter(block, variables)
        except SyntaxError:
            return match[0]
        upgraded = rewriter.run()
        variables.update(rewriter.variables)  # later blocks on the page can use these variables
        page.attributes.update(rewriter.attributes)
        first = source.count("\n", 0, match.start(1))
        notes.extend(Note(first + note.line, note.message) for note in upgraded.notes)
        return match[0].replace(block, upgraded.text) if block else match[0]

    return Upgrade(_FENCE.sub(replace, source), notes)


def moved_names() -> Iterator[tuple[type, Moved]]:
    """For each renamed attribute of the framework, yield its class and a `Moved`, which contains
    the old and the new name of the attribute.
    """
    for cls in framework_classes().values():
        for value in vars(cls).values():
            if isinstance(value, Moved):
                yield cls, value


@functools.cache
def _moved_names() -> list[tuple[type, Moved]]:
    return list(moved_names())


class _Rewriter:
    """Replaces old names in one program with the names in this version."""

    def __init__(self, source: str, variables: Mapping[str, Type | None]) -> None:
        self._source = source.encode()
        self._tree = ast.parse(source)
        self._lines = _line_starts(self._source)
        self._edits: list[_Edit] = []
        self._notes: list[Note] = []
        self._unsure: list[Note] = []
        """Notes that are reported only if the program was written for an earlier version."""
        self._dicts = ProgramDicts(self._tree)
        self._paths = ProgramPaths(self._tree)
        self._moved = _moved_names()
        self._current = _current_names()
        self._own = _names_of(self._tree)
        self._transformed: list[_Edit] = []
        """Replacements that are made only if the program was written for an earlier version."""
        self._indexed = _indexed_values(self._tree)
        self._imports: dict[str, str] = {}
        """The renamed classes and functions that the program imports: the new name for each old
        name.
        """
        self._program = Program(self._tree, _classes_by_word(self._moved), variables)
        self.variables = self._program.variables
        self.attributes = self._program.attributes()

    def run(self) -> Upgrade:
        self._program.walk(self._visit)
        # Otherwise, the program was written for this version, in which `transformed` and
        # `fw.art.hero` have their new meanings.
        if self._edits:
            self._edits += self._transformed
            self._notes += self._unsure
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
        elif isinstance(node, ast.alias):
            self._import(node, known)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            self._variable(node, known)
        elif isinstance(node, ast.Name | ast.FunctionDef | ast.AsyncFunctionDef):
            assert known is not None
            assert isinstance(known.of, ProgramClass)
            self._definition(node, known.of)

    # -- names -------------------------------------------------------------------------------------

    def _attribute(self, node: ast.Attribute, owner: Type | None) -> None:
        end = self._end(node)
        start = end - len(node.attr.encode())
        if owner is not None and isinstance(owner.of, ModuleType):
            self._name_in_module(node, owner.of, start)
            return
        if (
            owner is not None
            and isinstance(owner.of, ProgramClass)
            and owner.of.has_reserved(node.attr)
        ):
            self._rename(start, node.attr, f"my_{node.attr}")
            return
        moved = _moved_of(owner, node.attr) if owner is not None else self._by_word(node)
        if moved is None:
            if owner is None:
                self._note_unknown(node)
            return
        if not moved.is_call:
            self._rename(start, node.attr, moved.new)
            return
        before, after = moved.new.split(moved.owner, 1)
        first = self._start(node)
        self._edits.append(_Edit(first, first, before.encode()))
        self._edits.append(_Edit(self._end(node.value), end, after.encode()))

    def _name_in_module(self, node: ast.Attribute, module: ModuleType, start: int) -> None:
        new = renamed_in_module(module, node.attr)
        if new is not None:
            self._rename(start, node.attr, new)
        elif node.attr == "hero" and module.__name__ == _ART:
            self._walking_figure(node, start)

    def _walking_figure(self, node: ast.Attribute, start: int) -> None:
        """Replace ``fw.art.hero``, which was a tuple of images, with ``fw.art.walker``. The name
        ``hero`` now has a different meaning, so it is replaced only if the program uses an index,
        or if the program was written for an earlier version.
        """
        end = start + len(b"hero")
        edits = self._edits if node in self._indexed else self._transformed
        edits.append(_Edit(start, end, b"walker"))

    def _by_word(self, node: ast.Attribute) -> Moved | None:
        """Find out whether an attribute of an object of unknown type was renamed, as in
        ``batch.add_image``. Return the attribute's entry in the list of renamed names, or None.
        The class is guessed from the name of the variable: ``batch`` is probably a batch of sprites
        or meshes. If several classes are possible, the attribute must have the same new name in all
        of them.
        """
        if node.attr in self._current:
            return None  # the object may be of another class
        value = node.value
        word = value.id if isinstance(value, ast.Name) else getattr(value, "attr", "")
        candidates = {
            moved.new: moved
            for _, moved in self._moved
            if moved.owner == word and moved.old == node.attr
        }
        return next(iter(candidates.values())) if len(candidates) == 1 else None

    def _definition(
        self, node: ast.Name | ast.FunctionDef | ast.AsyncFunctionDef, owner: ProgramClass
    ) -> None:
        """Rename a method or an attribute that a class in the program defines. This is necessary
        if a method is a hook that was renamed, or if the framework itself now uses the name.
        """
        name = node.id if isinstance(node, ast.Name) else node.name
        hook = _hook_of(owner, name)
        if hook is not None:
            new = hook.new
            if new in owner.names:
                message = f"{name}: renamed to {new}, but {owner.name} has its own {new}"
                self._notes.append(Note(node.lineno, message))
                return
        elif name in owner.reserved:
            new = f"my_{name}"
        else:
            return
        start = self._start(node)
        if not isinstance(node, ast.Name):
            start = self._source.index(b" " + name.encode(), start) + 1
        self._rename(start, name, new)

    def _import(self, node: ast.alias, module: Type | None) -> None:
        """Replace the old name of a class or function in an import statement. If the program
        already uses the new name for a variable, write ``new as old`` instead.
        """
        if module is None or not isinstance(module.of, ModuleType):
            return
        new = renamed_in_module(module.of, node.name)
        if new is None:
            return
        text = new
        if node.asname is None and new in self._own:
            text = f"{new} as {node.name}"
        elif node.asname is None:
            self._imports[node.name] = new
        self._rename(self._start(node), node.name, text)

    def _variable(self, node: ast.Name, known: Type | None) -> None:
        """Replace an old name where the program uses an imported class or function."""
        new = self._imports.get(node.id)
        if new is not None and known is not None and getattr(known.of, "__name__", "") == new:
            self._rename(self._start(node), node.id, new)

    def _note_unknown(self, node: ast.Attribute) -> None:
        """If the type of an object is unknown and the framework has renamed an attribute with this
        name, add a note. No note is added if the framework, Python or the program still has an
        attribute with this name.
        """
        candidates = [moved for _, moved in self._moved if moved.old == node.attr]
        if not candidates or node.attr in self._current or node.attr in self._own:
            return
        moved = candidates[0]
        replacement = moved.new if moved.is_call else f"{moved.owner}.{moved.new}"
        message = f".{node.attr}: if this is {_article(moved.owner)}, it is {replacement} now"
        self._notes.append(Note(node.lineno, message))

    # -- calls -------------------------------------------------------------------------------------

    def _call(self, node: ast.Call, function: Type | None) -> None:
        self._save(node, function)
        if function is None:
            self._note_unknown_options(node)
            return
        renamed = self._renamed_options(node, function)
        for option in node.keywords:
            if option.arg is None:
                self._options_in_dict(option.value, renamed)
            elif option.arg in renamed and not _is_own_option(function, option.arg):
                self._rename(self._start(option), option.arg, renamed[option.arg])
        self._strings(node, function)
        self._tile_layer(node, function)
        self._mesh_transformed(node, function)

    def _renamed_options(self, node: ast.Call, function: Type) -> dict[str, str]:
        """Return the new names of options by their old names, for a call to a function. Options of
        subclasses override the options of their base classes.
        """
        arguments = [self._program.type_of(argument) for argument in node.args]
        renamed = _renamed_columns(function, arguments)
        for name in reversed(_option_names(function)):
            renamed |= OPTIONS.get(name, {})
        return renamed

    def _save(self, node: ast.Call, function: Type | None) -> None:
        """Replace ``game.save(folder / "a.save")`` with ``game.save(path=folder / "a.save")``. The
        first argument of `save` is now the name of a slot. Calls to `load` are changed in the same
        way.
        """
        if not node.args or isinstance(node.args[0], ast.Starred) or not _is_save(node, function):
            return
        argument = node.args[0]
        is_path = self._paths.is_path(argument)
        if is_path:
            start = self._start(argument)
            start -= self._source[:start].endswith(b"(") and self._is_in_brackets(node, start)
            self._edits.append(_Edit(start, start, b"path="))
        elif is_path is None:
            name = self._text(node.func)
            message = f"{name}: the first argument is a slot such as 'slot 1'; a file is path= now"
            self._unsure.append(Note(node.lineno, message))

    def _is_in_brackets(self, node: ast.Call, start: int) -> bool:
        """Return whether the parenthesis before the first argument is part of the argument."""
        return self._source[self._end(node.func) : start].count(b"(") > 1

    def _mesh_transformed(self, node: ast.Call, function: Type) -> None:
        """Replace ``mesh.transformed(matrix)`` with ``mesh.transformed_by(matrix)``. A call with a
        tuple of three numbers is not changed, because `Mesh.transformed` now accepts a position.
        """
        is_method = getattr(function.of, "__qualname__", "") == "Mesh.transformed"
        if not is_method or len(node.args) != 1 or node.keywords:
            return
        if not isinstance(node.func, ast.Attribute) or node.func.attr != "transformed":
            return
        if not isinstance(node.args[0], ast.Tuple):
            end = self._end(node.func)
            self._transformed.append(_Edit(end, end, b"_by"))

    def _strings(self, node: ast.Call, function: Type) -> None:
        """Replace old attribute names in strings, for example in ``columns=("velocity", "spin")``."""
        naming = [option.value for option in node.keywords if option.arg in _NAMING_OPTIONS]
        if getattr(function.of, "__name__", "") in _NAMING_METHODS:
            naming += node.args[:1]
        owner = function if function.is_class else function.receiver
        if owner is None:
            return
        for part in (part for value in naming for part in ast.walk(value)):
            if not isinstance(part, ast.Constant) or not isinstance(part.value, str):
                continue
            moved = _moved_of(Type(owner.of), part.value)
            if moved is not None and moved.new.isidentifier():
                self._rename_inside(part, moved.old, moved.new)

    def _options_in_dict(self, node: ast.expr, renamed: Mapping[str, str]) -> None:
        """Rename the keys of a dict that the program passes as ``**options``."""
        for key in self._dicts.keys_of(node):
            old = key.arg if isinstance(key, ast.keyword) else getattr(key, "value", None)
            if isinstance(old, str) and old in renamed:
                self._rename_inside(key, old, renamed[old])

    def _note_unknown_options(self, node: ast.Call) -> None:
        """Add notes about options that may have been renamed, for calls whose function cannot be
        determined. A note is only added if the framework has a function with the same name.
        """
        word = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if word in self._own or word in dir(builtins):
            return
        current = _current_options()
        for function, options in OPTIONS.items():
            for option in node.keywords:
                is_common = (word, option.arg) in current
                is_renamed = function.rpartition(".")[2] == word and option.arg in options
                if is_renamed and option.arg is not None and not is_common:
                    new = options[option.arg]
                    message = f"{option.arg}=: if this is {function}, it is {new}= now"
                    self._notes.append(Note(option.lineno, message))

    def _tile_layer(self, node: ast.Call, function: Type) -> None:
        """Replace ``TileLayer(image, tile, tiles)`` with
        ``TileLayer(TileSet(image, tile), tiles)``. The options of the tile set are moved into the
        call to ``TileSet``.
        """
        if not function.is_class or getattr(function.of, "__name__", "") != "TileLayer":
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
        start = self._start(node.args[0])
        end = self._end(node.args[1])
        self._edits.append(_Edit(start, start, f"{tile_set}(".encode()))
        self._edits.append(_Edit(end, end, f"{options})".encode()))
        for option in inner:
            self._remove_argument(option)

    def _remove_argument(self, option: ast.keyword) -> None:
        """Remove an option from a call, including the comma before it."""
        comma = self._source.rindex(b",", 0, self._start(option))
        self._edits.append(_Edit(comma, self._end(option), b""))

    # -- positions ---------------------------------------------------------------------------------

    def _offset(self, line: int | None, column: int | None) -> int:
        assert line is not None
        assert column is not None
        return self._lines[line - 1] + column

    def _start(self, node: _Positioned) -> int:
        return self._offset(node.lineno, node.col_offset)

    def _end(self, node: _Positioned) -> int:
        return self._offset(node.end_lineno, node.end_col_offset)

    def _text(self, node: ast.expr | ast.keyword) -> str:
        return self._source[self._start(node) : self._end(node)].decode()

    def _rename(self, start: int, old: str, new: str) -> None:
        """Replace the name ``old``, which starts at the byte position ``start``."""
        self._edits.append(_Edit(start, start + len(old.encode()), new.encode()))

    def _rename_inside(self, node: _Positioned, old: str, new: str) -> None:
        """Replace the name ``old`` inside the text of a node, such as a string."""
        self._rename(self._source.index(old.encode(), self._start(node)), old, new)


def _classes_by_word(moved_names: Sequence[tuple[type, Moved]]) -> dict[str, type]:
    """Return a dict from a word such as "batch", which error messages use for an object, to its
    class. A variable with this name probably has this class. Words for several unrelated classes
    are left out.
    """
    words = {moved.owner: cls for cls, moved in moved_names}
    shared = {moved.owner for cls, moved in moved_names if not _related(cls, words[moved.owner])}
    return {word: cls for word, cls in words.items() if word not in shared}


def _line_starts(source: bytes) -> list[int]:
    """Return the byte position at which each line of ``source`` starts. Lines end with LF, CR or CR
    LF, as for Python's parser.
    """
    return [0, *(match.end() for match in re.finditer(rb"\r\n|\r|\n", source))]


def _classes_of(of: object) -> list[type]:
    """Return the framework classes that may define an attribute of a class, in the order in which
    Python searches for attributes. If ``of`` is not a class, the list is empty.
    """
    if isinstance(of, ProgramClass):
        return [base for cls in of.framework_bases() for base in cls.__mro__]
    return [*of.__mro__] if isinstance(of, type) else []


def _moved_of(owner: Type, name: str) -> Moved | None:
    """Return the `Moved` with the new name of an attribute of an object or class. Return None if
    the attribute was not renamed, or if a class in the program defines the attribute.
    """
    moved = _static(owner.of, name)
    if not isinstance(moved, Moved):
        return None
    if isinstance(owner.of, ProgramClass) and owner.of.defines(name):
        own = owner.of.definer(name)
        if not isinstance(moved, MovedHook) or (own is not None and moved.new in own.names):
            return None
    if owner.is_class and not moved.new.isidentifier():
        return None
    return moved


def _static(of: object, name: str) -> object:
    """Return the value of an attribute in a class or its base classes, or None. For a property,
    return the property object, not its value.
    """
    return next((vars(cls)[name] for cls in _classes_of(of) if name in vars(cls)), None)


def _hook_of(owner: ProgramClass, name: str) -> MovedHook | None:
    """Return the `MovedHook` with the new name of a hook that the class ``owner`` inherits from the
    framework, or None.
    """
    hook = _static(owner, name)
    return hook if isinstance(hook, MovedHook) else None


def _option_names(function: Type) -> list[str]:
    """Return the keys under which `OPTIONS` lists the options of a function. The keys of subclasses
    come first."""
    of = function.of
    if function.is_class:
        return [cls.__name__ for cls in _classes_of(of)]
    if not isinstance(of, FunctionType):
        return []
    if function.receiver is None:
        modules = (function.module, of.__module__.rpartition(".")[2])
        return [*(f"{module}.{of.__name__}" for module in modules), of.__name__]
    owners = [cls.__name__ for cls in _classes_of(function.receiver.of)]
    if of.__name__ == "__init__":
        return owners
    names = [f"{owner}.{of.__name__}" for owner in owners]
    # A class method with ``**options`` passes these options to the constructor.
    is_constructor = of.__code__.co_varnames[:1] == ("cls",) and "**" in _parameters(of)
    return [*names, *owners] if is_constructor else names


def _renamed_columns(function: Type, arguments: list[Type | None]) -> dict[str, str]:
    """Return the renamed attributes that a call can pass as options, as in ``tween(sprite,
    spin=1)`` and ``batch.add(spin=1)``. The result is a dict from old names to new names.
    """
    code = _static(function.of, "__init__") if function.is_class else function.of
    parameters = _parameters(code)
    owners = [function.of] if function.is_class else []
    owners += [] if function.receiver is None else [function.receiver.of]
    owners += [part.of for argument in arguments for part in _parts(argument)]
    renamed = (
        moved
        for of in owners
        for cls in _classes_of(of)
        for moved in vars(cls).values()
        if isinstance(moved, Moved) and moved.new.isidentifier()
    )
    columns: dict[str, str] = {}
    for moved in renamed:
        if moved.old not in parameters and not parameters.isdisjoint((moved.new, "**")):
            columns.setdefault(moved.old, moved.new)
    return columns


def _parts(argument: Type | None) -> list[Type]:
    """Return the type of an argument and, if it is a list or tuple, the types of its elements."""
    if argument is None:
        return []
    return [argument, *(part for part in argument.arguments if part is not None)]


def _parameters(function: object) -> set[str]:
    """Return the names of a function's parameters. If the function has a parameter such as
    ``**options``, the returned set also contains "**".
    """
    try:
        signature = inspect.signature(function)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return set()
    parameters = signature.parameters.values()
    takes_any = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters)
    return {*signature.parameters} | ({"**"} if takes_any else set())


def _is_own_option(function: Type, option: str) -> bool:
    """Return whether ``function`` is a class that the program defines, with a constructor that has
    a parameter ``option``.
    """
    owner = function.of if function.is_class else None
    return isinstance(owner, ProgramClass) and owner.has_parameter("__init__", option)


def _related(cls: type, second: type) -> bool:
    """Return whether one of two classes is a subclass of the other."""
    return issubclass(cls, second) or issubclass(second, cls)


@functools.cache
def _current_options() -> set[tuple[str, str]]:
    """Return pairs of a function name and a parameter name, for all methods and constructors of the
    framework.
    """
    options: set[tuple[str, str]] = set()
    for cls in framework_classes().values():
        for name, value in vars(cls).items():
            if isinstance(value, FunctionType):
                word = cls.__name__ if name == "__init__" else name
                options.update((word, parameter) for parameter in _parameters(value))
    return options


@functools.cache
def _current_names() -> set[str]:
    """Return the names of all attributes that the framework's classes and Python's types have."""
    classes = [*framework_classes().values(), *_BUILTINS]
    names: set[str] = set()
    for cls in classes:
        values = vars(cls).items()
        names.update(name for name, value in values if not isinstance(value, Absent))
    return names


_BUILTINS = [value for value in vars(builtins).values() if isinstance(value, type)]


def _is_save(node: ast.Call, function: Type | None) -> bool:
    """Return whether the program calls `Game.save` or `Game.load` here. A variable of unknown type
    is treated as a game if its name is ``game``.
    """
    if function is not None:
        return getattr(function.of, "__qualname__", "") in ("Game.save", "Game.load")
    if not isinstance(node.func, ast.Attribute) or node.func.attr not in ("save", "load"):
        return False
    owner = node.func.value
    return getattr(owner, "attr", getattr(owner, "id", "")) == "game"


def _names_of(tree: ast.Module) -> set[str]:
    """Return the names of all functions, classes, parameters, variables and attributes that a
    program defines.
    """
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif (
            isinstance(node, ast.Attribute)
            and isinstance(node.ctx, ast.Store)
            and getattr(node.value, "id", "") == "self"
        ):
            names.add(node.attr)
    return names


def _article(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


# -- files -----------------------------------------------------------------------------------------


def upgrade_files(paths: Sequence[str], dry_run: bool) -> None:
    """Upgrade programs and pages, and overwrite the files. Print all changes, and the lines that
    the user must check.

    Each path is a Python file (``.py``), a Markdown page (``.md``), or a folder that contains such
    files. All files are read before the first file is written. If ``dry_run`` is True, no file is
    written.

    Raises `CommandError` if a path does not exist, or if a file is not UTF-8 text or not valid
    Python.
    """
    upgraded = [(path, *_upgraded(path)) for path in _files(paths)]
    changed = [(path, before, result) for path, before, result in upgraded if result.text != before]
    for path, before, result in changed:
        _print_difference(path, before, result.text)
    for path, _, result in changed if not dry_run else ():
        _write(path, result.text)
    notes = [(path, note) for path, _, result in upgraded for note in result.notes]
    for path, note in notes:
        print(f"{path}:{note.line}: {note.message}")
    verb = "would change" if dry_run else "changed"
    print(f"{len(changed)} of {len(upgraded)} files {verb}, {len(notes)} lines to look at")


def _print_difference(path: Path, before: str, after: str) -> None:
    lines = difflib.unified_diff(
        before.splitlines(keepends=True),
        after.splitlines(keepends=True),
        str(path),
        f"{path} (upgraded)",
    )
    print("".join(line if line.endswith("\n") else f"{line}\n" for line in lines), end="")


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
    """Return whether a path contains a hidden folder, for example ``.venv`` or ``.git``."""
    return any(part.startswith(".") for part in path.parts)


def _upgraded(path: Path) -> tuple[str, Upgrade]:
    try:
        before = path.read_bytes().decode()  # `decode` does not change the line endings
    except UnicodeDecodeError:
        raise CommandError(f"{path}: expected a text in UTF-8, which this file is not") from None
    except OSError as error:
        raise CommandError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        return before, (upgrade_page if path.suffix == ".md" else upgrade_program)(before)
    except (SyntaxError, ValueError, RecursionError) as error:  # a null byte causes ValueError
        line = f"line {error.lineno}: " if isinstance(error, SyntaxError) else ""
        message = getattr(error, "msg", error)
        raise CommandError(
            f"{path}: {line}expected valid Python, got {str(message)!r}; correct it first"
        ) from None


def _write(path: Path, text: str) -> None:
    """Replace the whole text of a file. If writing fails, the old file is left unchanged."""
    part = path.with_name(f"{path.name}.part")
    try:
        part.write_bytes(text.encode())
        shutil.copymode(path, part)
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise CommandError(f"{path}: cannot be written: {error.strerror}") from None


def _indexed_values(tree: ast.AST) -> set[ast.expr]:
    """Return the expressions that a program uses with a number as index, as in ``images[0]``."""
    values: set[ast.expr] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript):
            index = node.slice.operand if isinstance(node.slice, ast.UnaryOp) else node.slice
            if isinstance(index, ast.Constant) and isinstance(index.value, int):
                values.add(node.value)
    return values
