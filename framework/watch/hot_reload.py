"""Apply changed source code to a running game, without restarting it (hot reload).

Hot reload compares the new and the old text of a module, statement by statement. Unchanged
statements do not run again, so the module keeps its data. Changed statements run again in the
existing module. An unchanged statement also runs again if it uses a name from a changed statement.
Existing functions and classes stay the same objects, but get the new code. If any statement raises
an error, all changes are undone. A routine (a running coroutine) cannot use new code. Therefore,
`coroutines.routine_code` marks the changed functions, and the game cancels all routines that are
running one of these functions.
"""

from __future__ import annotations

import ast
import enum
import functools
import importlib.util
import linecache
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from types import CodeType, FunctionType, MemberDescriptorType, ModuleType
from typing import Any

from ..coroutines.routine_code import mark_changed
from ..errors import FrameworkError
from . import referrers

Scope = Mapping[str, Any] | type

_MISSING: Any = object()
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_WITH_ARGUMENTS = (*_FUNCTIONS, ast.Lambda)
_DEFINITIONS = (*_FUNCTIONS, ast.ClassDef)
# `_OF_FUNCTION`: the attributes that a reload copies from a new function. `_OF_CLASS`: the
# attributes of a class that a reload never copies.
_OF_FUNCTION = ("__code__", "__defaults__", "__kwdefaults__", "__annotations__", "__doc__")
_OF_CLASS = {"__dict__", "__weakref__", "__module__", "__qualname__", "_abc_impl"}


class CannotReload(FrameworkError):
    """Raised if a change to the code cannot be applied to the running program, so that you have to
    restart it.
    """


class UndoLog:
    """A list of changes to attributes and names that can be undone."""

    def __init__(self) -> None:
        self._before: list[tuple[Any, str, Any]] = []

    def set(self, target: Any, name: str, value: Any) -> None:
        """Set an attribute of an object. If ``value`` is `_MISSING`, delete the attribute."""
        before = (
            vars(target).get(name, _MISSING)
            if isinstance(target, type)
            else getattr(target, name, _MISSING)
        )
        if isinstance(target, type) and name == "__bases__":
            before = target.__bases__
        _put(target, name, value)
        self._before.append((target, name, before))

    def keep(self, names: MutableMapping[str, Any]) -> None:
        """Store the current values of all names in a module. `undo` restores the stored values."""
        self._before.append((names, "", dict(names)))

    def undo(self) -> None:
        """Undo all changes, starting with the last change."""
        while self._before:
            target, name, value = self._before.pop()
            if name:
                _put(target, name, value)
            else:
                target.clear()
                target.update(value)


def _put(target: Any, name: str, value: Any) -> None:
    if value is not _MISSING:
        setattr(target, name, value)
    elif name in vars(target):
        delattr(target, name)


# -- what changed ----------------------------------------------------------------------------------


def loaded(node: ast.AST) -> set[str]:
    """Return the names that a statement reads when it runs. Attributes have the form
    ``name.attribute``. Names that a function reads only when it is called are not included.
    """
    names: set[str] = set()
    nodes = [node]
    while nodes:
        current = nodes.pop()
        if isinstance(current, ast.Name) and isinstance(current.ctx, ast.Load):
            names.add(current.id)
        if isinstance(current, ast.Attribute) and isinstance(current.value, ast.Name):
            names.add(f"{current.value.id}.{current.attr}")
        if isinstance(current, _FUNCTIONS):
            nodes += current.decorator_list
        if isinstance(current, _WITH_ARGUMENTS):
            nodes += [*current.args.defaults, *filter(None, current.args.kw_defaults)]
        else:
            nodes += ast.iter_child_nodes(current)
    return names


def bound(node: ast.stmt) -> set[str]:
    """Return the names to which a statement assigns a value when it runs."""
    if isinstance(node, _DEFINITIONS):
        return {node.name}
    names: set[str] = set()
    for child in ast.walk(node):
        if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
            names.add(child.id)
        elif isinstance(child, ast.Import | ast.ImportFrom):
            names |= {alias.asname or alias.name.partition(".")[0] for alias in child.names}
        elif (
            isinstance(child, (*_DEFINITIONS, ast.MatchAs, ast.MatchStar))
            and child.name is not None
        ):
            names.add(child.name)
    return names


def _bound_by_all(body: Iterable[ast.stmt]) -> set[str]:
    return set[str]().union(*map(bound, body))


def _bound_in(body: Iterable[ast.stmt], kind: str) -> dict[str, ast.stmt]:
    """Return the statements of a class body that assign attributes. The keys of the returned dict
    are the names of the attributes.

    A private name such as ``__name`` gets the class name as a prefix, as in Python.
    """
    owner = kind.lstrip("_")
    names = {name: node for node in body for name in bound(node)}
    private = {name for name in names if name.startswith("__") and not _is_special(name) and owner}
    return {f"_{owner}{name}" if name in private else name: node for name, node in names.items()}


def _starts_the_program(node: ast.stmt) -> bool:
    """Return whether a statement starts the program: ``if __name__ == …``, or a call of ``run``."""
    if isinstance(node, ast.If):
        return "__name__" in loaded(node.test)
    called = (
        node.value.func if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) else None
    )
    return getattr(called, "attr", getattr(called, "id", None)) == "run"


def altered(old: Sequence[ast.stmt], new: Sequence[ast.stmt], names: set[str]) -> list[ast.stmt]:
    """Return the statements of the new code that must run after a reload.

    These are all changed statements, and unchanged statements that read one of ``names``, the names
    whose values have changed. The function also extends ``names`` with the names to which the
    returned statements assign a value.
    """
    remaining = Counter(map(ast.dump, old))
    changed = []
    for index, node in enumerate(new):
        text = ast.dump(node)
        same = remaining[text] > 0
        remaining[text] -= same
        # A statement with only a string is a docstring or a comment. Python reads this string only
        # if it is the first statement.
        is_text = index > 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if (same and not _reads(node, names)) or is_text or _starts_the_program(node):
            continue
        changed.append(node)
        names |= _names_changed_by(node, old, names)
    return changed


def _names_changed_by(node: ast.stmt, old: Sequence[ast.stmt], names: set[str]) -> set[str]:
    """Return the names whose values change when the changed statement ``node`` runs. ``names``
    contains the names that have changed so far.

    An existing function stays the same object and gets new code. Its name is returned as ``@name``,
    because only the functions that it decorates change. An existing class also stays the same
    object, so only the names of its attributes are returned.
    """
    if isinstance(node, ast.Import | ast.ImportFrom):
        imports = [bound(each) for each in old if isinstance(each, ast.Import | ast.ImportFrom)]
        return bound(node).difference(*imports)
    if not isinstance(node, _DEFINITIONS) or node.decorator_list:
        return bound(node)
    if isinstance(node, ast.ClassDef):
        inner = set(names)
        altered(_bodies(old).get(node.name, []), node.body, inner)
        return {f"{node.name}.{name}" for name in inner - names}
    return {f"@{node.name}"}


def _reads(node: ast.stmt, names: set[str]) -> bool:
    """Return whether a statement reads one of ``names``.

    A name such as ``@name`` stands for a function with changed code. A statement reads ``@name``
    only if it uses this function as a decorator.
    """
    if not loaded(node).isdisjoint(names):
        return True
    if not isinstance(node, _DEFINITIONS):
        return False
    if isinstance(node, ast.ClassDef) and any(
        _reads(child, names) for child in node.body if isinstance(child, _DEFINITIONS)
    ):
        return True
    return any(
        f"@{name}" in names for decorator in node.decorator_list for name in loaded(decorator)
    )


def _future_imports(body: Iterable[ast.stmt]) -> list[ast.stmt]:
    return [
        node for node in body if isinstance(node, ast.ImportFrom) and node.module == "__future__"
    ]


def _bodies(body: Iterable[ast.stmt]) -> dict[str, list[ast.stmt]]:
    """Return a dict from the name of each class in ``body`` to the statements of this class."""
    return {node.name: node.body for node in body if isinstance(node, ast.ClassDef)}


def imported_from(
    node: ast.stmt, package: str | None, module: ModuleType, names: set[str]
) -> dict[str, str]:
    """Return the names from ``names`` that an import statement imports from ``module``. The result
    is a dict from the names in ``module`` to the names in the importing module.

    Attributes have the form ``name.attribute``, and functions with changed code have the form
    ``@name``, as in `altered`.
    """
    if isinstance(node, ast.Import):
        whole = [
            alias.asname or alias.name for alias in node.names if alias.name == module.__name__
        ]
        return {name: f"{own}.{name}" for own in whole for name in names - _indirect(names)}
    if not isinstance(node, ast.ImportFrom):
        return {}
    source = "." * node.level + (node.module or "")
    if node.level:
        source = importlib.util.resolve_name(source, package) if package else ""
    imported: dict[str, str] = {}
    for alias in node.names:
        if f"{source}.{alias.name}" == module.__name__:
            own = alias.asname or alias.name
            imported |= {name: f"{own}.{name}" for name in names - _indirect(names)}
        elif source == module.__name__:
            imported |= _imported_by(alias, module, names)
    return imported


def _imported_by(alias: ast.alias, module: ModuleType, names: set[str]) -> dict[str, str]:
    """Return the names from ``names`` that ``from module import alias`` imports. See
    `imported_from`.
    """
    if alias.name == "*":
        public = getattr(module, "__all__", None)
        public = public or [name for name in vars(module) if name[0] != "_"]
        return {name: name for name in names if _root(name) in public}
    own = alias.asname or alias.name
    return {name: name.replace(alias.name, own, 1) for name in names if _root(name) == alias.name}


def _root(name: str) -> str:
    return name.lstrip("@").partition(".")[0]


def _indirect(names: Iterable[str]) -> set[str]:
    """Return the names of attributes and of functions with changed code, which still refer to the
    same objects as before the reload.
    """
    return {name for name in names if "." in name or "@" in name}


# -- replacing -----------------------------------------------------------------------------------


class CodeReplacer:
    """Copies the code of new functions and classes to the existing functions and classes."""

    def __init__(self) -> None:
        self.undo_log = UndoLog()
        self.instead: dict[type, type] = {}
        """A dict from each new class to the existing class that stays in use."""

    def value(
        self, old: Any, new: Any, before: list[ast.stmt], after: list[ast.stmt], names: set[str]
    ) -> Any:
        """Return the object that the program uses after the reload: the old object with the new
        code if its code can be replaced, otherwise the new object.

        If the object is a class, ``before`` and ``after`` contain the old and the new statements of
        its body. ``names`` contains the names whose values have changed.
        """
        if old is new or type(old) is not type(new):
            return new
        if isinstance(old, FunctionType):
            return old if self._function(old, new) else new
        if isinstance(old, staticmethod | classmethod):
            return old if self._function(old.__func__, new.__func__) else new
        if isinstance(old, property):
            pairs = [(getattr(old, part), getattr(new, part)) for part in ("fget", "fset", "fdel")]
            fits = all(first is second or self._function(first, second) for first, second in pairs)
            return old if fits else new
        if isinstance(old, type) and _full_name(old) == _full_name(new):
            self._class(old, new, before, after, names)
            return old
        return new

    def _function(self, old: Any, new: Any) -> bool:
        """Copy the code of a new function to the old function. Return False if the code cannot be
        copied, for example because it uses variables of an enclosing function.
        """
        if not (isinstance(old, FunctionType) and isinstance(new, FunctionType)):
            return False
        code = old.__code__
        new_code = new.__code__
        same = code.co_freevars == new_code.co_freevars and set(code.co_freevars) <= {"__class__"}
        if (
            not same
            or old.__qualname__ != new.__qualname__
            or old.__globals__ is not new.__globals__
        ):
            return False
        for part in _OF_FUNCTION:
            self.undo_log.set(old, part, getattr(new, part))
        return True

    def _class(
        self, old: type, new: type, before: list[ast.stmt], after: list[ast.stmt], names: set[str]
    ) -> None:
        """Copy the changed attributes of a new class to the old class.

        If the statement that sets an attribute is unchanged, the attribute keeps its current value,
        which the program may have changed.
        """
        self._check_same_form(old, new)
        self.instead[new] = old
        names = set(names)
        ran = _bound_in(altered(before, after, names), old.__name__)
        written = _bound_in(after, old.__name__)
        self._rename(new, old)
        bodies = _bodies(before)
        for name, value in _attributes_to_copy(new, written, ran).items():
            node = ran.get(name)
            inner = node.body if isinstance(node, ast.ClassDef) else []
            current = vars(old).get(name, _MISSING)
            result = self.value(current, value, bodies.get(name, []), inner, names)
            if result is not current:
                self.undo_log.set(old, name, result)
        removed = _bound_in(before, old.__name__).keys() - written.keys()
        if not isinstance(old, enum.EnumMeta):
            removed |= {name for name in vars(old) if _is_special(name)} - _OF_CLASS
        for name in removed:
            if name in vars(old) and name not in vars(new):
                self.undo_log.set(old, name, _MISSING)
        self._set_bases(old, new)

    def _set_bases(self, old: type, new: type) -> None:
        """Give the old class the bases of the new class. Raise `CannotReload` if Python does not
        allow these bases.
        """
        bases = tuple(self.instead.get(base, base) for base in new.__bases__)
        if bases != old.__bases__:
            try:
                self.undo_log.set(old, "__bases__", bases)
            except TypeError as error:
                raise CannotReload(
                    f"class {old.__qualname__}: its bases cannot change in a running game: {error}"
                ) from None

    def _check_same_form(self, old: type, new: type) -> None:
        """Raise `CannotReload` if existing objects do not fit the new class, for example because
        ``__slots__`` has changed.
        """
        for part in ("__slots__", "_fields", "__members__"):
            old_value, new_value = (getattr(kind, part, None) for kind in (old, new))
            if isinstance(old, enum.EnumMeta) and part == "__members__":
                old_value, new_value = (
                    {name: member.value for name, member in kind.__members__.items()}  # type: ignore[attr-defined]
                    for kind in (old, new)
                )
            if old_value != new_value:
                raise CannotReload(
                    f"class {old.__qualname__}: its {part} changed, which existing objects "
                    "cannot follow; restart"
                )

    def _rename(self, new: type, old: type) -> None:
        """In the methods of the new class, make ``super()`` and ``__class__`` refer to the old
        class.
        """
        for function in functions(vars(new).values()):
            for name, cell in zip(
                function.__code__.co_freevars, function.__closure__ or (), strict=True
            ):
                if name == "__class__" and cell.cell_contents is new:
                    cell.cell_contents = old


def _full_name(kind: type) -> tuple[str, str]:
    return kind.__module__, kind.__qualname__


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _attributes_to_copy(
    new: type, written: Mapping[str, ast.stmt], ran: Mapping[str, ast.stmt]
) -> dict[str, Any]:
    """Return the attributes of a new class that the old class must get. ``written`` contains the
    statements that set attributes, and ``ran`` contains those of them that have changed.
    """
    attributes = {
        name: value
        for name, value in vars(new).items()
        if name not in _OF_CLASS
        and (name in ran or name not in written)
        and not isinstance(value, MemberDescriptorType)
    }
    if isinstance(new, enum.EnumMeta):
        # An enum keeps its members, and the dicts in which it stores them.
        members: Mapping[str, object] = new.__members__
        return {
            name: attributes[name] for name in attributes if name in ran and name not in members
        }
    return attributes


def functions(values: Iterable[Any]) -> Iterator[FunctionType]:
    """Yield all functions in ``values``, including the functions in properties, class methods and
    decorated functions.
    """
    for value in values:
        parts = [value, getattr(value, "__func__", None), getattr(value, "__wrapped__", None)]
        if isinstance(value, property):
            parts += [value.fget, value.fset, value.fdel]
        for part in parts:
            if isinstance(part, FunctionType):
                yield part


def _codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)


# -- modules ---------------------------------------------------------------------------------------


class LiveModule:
    """A module of the running program, with the text of its source code. The text is parsed only
    when a reload needs the statements.
    """

    def __init__(self, module: ModuleType, source: bytes) -> None:
        self.module = module
        self.file = module.__file__ or ""
        self._source = source

    @functools.cached_property
    def body(self) -> list[ast.stmt]:
        """The statements of the module. The list is empty if the text is invalid Python."""
        try:
            return ast.parse(self._source, self.file).body
        except (SyntaxError, ValueError):
            return []

    def may_import(self, module: ModuleType) -> bool:
        """Return whether the text of this module contains the name of ``module``, without which it
        cannot import from ``module``. For a package, always return True, because an import
        statement can refer to the package as ".".
        """
        return (
            hasattr(module, "__path__")
            or module.__name__.rpartition(".")[2].encode() in self._source
        )

    def renew(self, body: list[ast.stmt], source: bytes) -> None:
        """Store the new text and the new statements of the module."""
        self.body = body
        self._source = source

    def apply(self, body: list[ast.stmt], replacer: CodeReplacer, names: set[str]) -> set[str]:
        """Run the changed statements of the new code. Return the names whose values have
        changed.
        """
        space = vars(self.module)
        replacer.undo_log.keep(space)
        before = dict(space)
        given_names = names
        names = set(names)
        bodies = _bodies(self.body)
        future = _future_imports(body)
        for node in altered(self.body, body, names):
            # Run the statements one by one, so that each uses the existing classes and functions.
            code = self._compiled([*future, node] if node not in future else [node])
            exec(code, space)
            inner = node.body if isinstance(node, ast.ClassDef) else []
            for name in bound(node) & space.keys():
                old = before.get(name, _MISSING)
                space[name] = replacer.value(old, space[name], bodies.get(name, []), inner, names)
        for name in _bound_by_all(self.body) - _bound_by_all(body):
            space.pop(name, None)
        self._renumber(body, replacer)
        changed = {name for name, value in space.items() if before.get(name, _MISSING) is not value}
        return changed | {name for name in given_names if name in space} | _indirect(names)

    def _compiled(self, body: list[ast.stmt]) -> CodeType:
        code: CodeType = compile(ast.Module(body, []), self.file, "exec", dont_inherit=True)
        return code

    def _renumber(self, body: list[ast.stmt], replacer: CodeReplacer) -> None:
        """Update the line numbers of unchanged functions, so that tracebacks show the correct
        lines.
        """
        codes: dict[str, list[CodeType]] = {}
        for code in _codes(self._compiled(body)):
            codes.setdefault(code.co_qualname, []).append(code)
        for function in functions(_everything(self.module)):
            own = function.__code__
            matches = codes.get(function.__code__.co_qualname, [])
            fits = (
                len(matches) == 1
                and own.co_filename == self.file
                and own.co_freevars == matches[0].co_freevars
            )
            if fits and own.co_firstlineno != matches[0].co_firstlineno:
                replacer.undo_log.set(function, "__code__", matches[0])


def _everything(module: ModuleType) -> Iterator[Any]:
    """Yield the values of all names in a module and in its classes."""
    spaces: list[Scope] = [vars(module)]
    visited: set[int] = set()
    while spaces:
        space = spaces.pop()
        for value in list(vars(space).values() if isinstance(space, type) else space.values()):
            if (
                isinstance(value, type)
                and value.__module__ == module.__name__
                and id(value) not in visited
            ):
                visited.add(id(value))
                spaces.append(value)
            yield value


class HotReload:
    """Applies changed source code to the modules of a running program."""

    def __init__(self) -> None:
        self.modules: dict[str, LiveModule] = {}

    def add(self, module: ModuleType, source: bytes) -> None:
        """Add a module and its source code."""
        live = LiveModule(module, source)
        self.modules[live.file] = live

    def reload(self, sources: Mapping[str, bytes]) -> None:
        """Apply new source code to the modules of some files. If one of the files causes an error,
        all modules stay unchanged.

        Raises `SyntaxError` for invalid Python, and `CannotReload` for changes that cannot be
        applied to a running program. If a new statement raises an error, this error is raised.
        """
        bodies = {
            file: ast.parse(source, file).body
            for file, source in sources.items()
            if file in self.modules
        }
        for file, body in bodies.items():
            # `compile` also finds errors that the parser ignores, such as `return` outside of a
            # function.
            compile(ast.Module(body, []), file, "exec", dont_inherit=True)
            linecache.checkcache(file)
        replacer = CodeReplacer()
        try:
            self._apply(bodies, replacer)
        except BaseException:
            replacer.undo_log.undo()
            raise
        finally:
            referrers.replace_references(replacer.instead)
        for file, body in bodies.items():
            self.modules[file].renew(body, sources[file])
            mark_changed(file, body)

    def _apply(self, bodies: Mapping[str, list[ast.stmt]], replacer: CodeReplacer) -> None:
        """Apply the new code to the changed modules, and then update the modules that import
        changed names.
        """
        waiting: dict[str, set[str]] = {file: set() for file in self._in_order(bodies)}
        runs: Counter[str] = Counter()
        reported: dict[str, set[str]] = {}
        while waiting:
            file = next(iter(waiting))
            live = self.modules[file]
            names = waiting.pop(file)
            runs[file] += 1
            if runs[file] > len(self.modules) + 1:
                raise CannotReload(
                    f"{file}: modules import each other's names in a circle; restart"
                )
            body = bodies.get(file, live.body)
            before = live.body
            live.body = body if runs[file] > 1 else live.body
            try:
                changed = live.apply(body, replacer, names)
            finally:
                live.body = before
            for importer, imported in self._importers(live.module, changed, replacer):
                if not imported <= reported.setdefault(importer, set()):
                    waiting.setdefault(importer, set()).update(imported)
                reported[importer] |= _indirect(imported)

    def _in_order(self, files: Iterable[str]) -> list[str]:
        """Sort modules in the order in which they were imported, so that each module comes after
        the modules that it imports.
        """
        return sorted(files, key=lambda file: [*self.modules].index(file))

    def _importers(
        self, module: ModuleType, names: set[str], replacer: CodeReplacer
    ) -> Iterator[tuple[str, set[str]]]:
        """Update the modules that import changed names, and yield the file of each updated module
        with the changed names.
        """
        for file, live in self.modules.items():
            package = getattr(live.module, "__package__", None)
            imported: set[str] = set()
            for node in live.body if live.may_import(module) else ():
                for name, own in imported_from(node, package, module, names).items():
                    if not _indirect([own]) and name in vars(module):
                        replacer.undo_log.set(live.module, own, vars(module)[name])
                    imported.add(own)
            if imported:
                yield file, imported
