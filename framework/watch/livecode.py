"""Code that changed while a program runs: what of it is to be run again, and how it takes the place
of the old one.

A module's new text is held against the one that it was made of, statement by statement. What is the
same is not run again, so that what the program keeps in its modules stays. What is another, and
what is worked out from such names, is run in the module itself; functions and classes then keep
their identity, and are given the new code. All or nothing: every change is written down, and taken
back when anything fails.
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

from ..errors import FrameworkError
from . import referrers

Scope = Mapping[str, Any] | type

_MISSING: Any = object()
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITIONS = (*_FUNCTIONS, ast.ClassDef)
# Of a function, what makes it another one; of a class, what is its own and stays.
_OF_FUNCTION = ("__code__", "__defaults__", "__kwdefaults__", "__annotations__", "__doc__")
_OF_CLASS = {"__dict__", "__weakref__", "__module__", "__qualname__", "_abc_impl"}


class CannotReload(FrameworkError):
    """Code that changed in a way which a running program cannot take over; it needs a restart."""


class Journal:
    """Changes of attributes and names, which can all be taken back."""

    def __init__(self) -> None:
        self._before: list[tuple[Any, str, Any]] = []

    def set(self, thing: Any, name: str, value: Any) -> None:
        """Give an object an attribute, or take it away."""
        before = (
            vars(thing).get(name, _MISSING)
            if isinstance(thing, type)
            else getattr(thing, name, _MISSING)
        )
        if isinstance(thing, type) and name == "__bases__":
            before = thing.__bases__
        _put(thing, name, value)
        self._before.append((thing, name, before))

    def keep(self, names: MutableMapping[str, Any]) -> None:
        """Keep all of a module's names as they are now."""
        self._before.append((names, "", dict(names)))

    def take_back(self) -> None:
        """Have all be as it was."""
        while self._before:
            thing, name, value = self._before.pop()
            if name:
                _put(thing, name, value)
            else:
                thing.clear()
                thing.update(value)


def _put(thing: Any, name: str, value: Any) -> None:
    if value is not _MISSING:
        setattr(thing, name, value)
    elif name in vars(thing):
        delattr(thing, name)


# -- what changed ----------------------------------------------------------------------------------


def loaded(node: ast.AST) -> set[str]:
    """The names that a statement reads when it is run, and attributes of names as
    ``name.attribute``: not those that a function reads when it is called."""
    found: set[str] = set()
    nodes = [node]
    while nodes:
        one = nodes.pop()
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load):
            found.add(one.id)
        if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name):
            found.add(f"{one.value.id}.{one.attr}")
        if isinstance(one, _FUNCTIONS):
            nodes += [*one.decorator_list, *one.args.defaults, *filter(None, one.args.kw_defaults)]
        elif isinstance(one, ast.Lambda):
            nodes += [*one.args.defaults, *filter(None, one.args.kw_defaults)]
        else:
            nodes += ast.iter_child_nodes(one)
    return found


def bound(node: ast.stmt) -> set[str]:
    """The names that a statement gives a value to when it is run."""
    if isinstance(node, _DEFINITIONS):
        return {node.name}
    found: set[str] = set()
    for one in ast.walk(node):
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
            found.add(one.id)
        elif isinstance(one, ast.Import | ast.ImportFrom):
            found |= {alias.asname or alias.name.partition(".")[0] for alias in one.names}
        elif isinstance(one, (*_DEFINITIONS, ast.MatchAs, ast.MatchStar)) and one.name is not None:
            found.add(one.name)
    return found


def _bound_in(body: Iterable[ast.stmt], kind: str) -> dict[str, ast.stmt]:
    """What the body of a class gives values to, by the names that its attributes have, and the
    statements.
    """
    owner = kind.lstrip("_")
    names = {name: node for node in body for name in bound(node)}
    private = {
        name for name in names if name.startswith("__") and not name.endswith("__") and owner
    }
    return {f"_{owner}{name}" if name in private else name: node for name, node in names.items()}


def _starts_the_program(node: ast.stmt) -> bool:
    """``if __name__ == …``, or a call of ``run``: what begins the program, which has begun."""
    if isinstance(node, ast.If):
        return "__name__" in loaded(node.test)
    called = (
        node.value.func if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) else None
    )
    return getattr(called, "attr", getattr(called, "id", None)) == "run"


def altered(old: Sequence[ast.stmt], new: Sequence[ast.stmt], names: set[str]) -> list[ast.stmt]:
    """Of a body's new statements those that are to be run: others than before, or reading one of
    ``names``, which have other values. What these give other values to is added to ``names``."""
    there = Counter(map(ast.dump, old))
    imported = set[str]().union(
        *[bound(node) for node in old if isinstance(node, ast.Import | ast.ImportFrom)]
    )
    bodies = _bodies(old)
    found = []
    for number, node in enumerate(new):
        text = ast.dump(node)
        same = there[text] > 0
        there[text] -= same
        # A text that stands alone says something to its reader; to Python, only the first one does.
        words = number > 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if (same and not _reads(node, names)) or words or _starts_the_program(node):
            continue
        found.append(node)
        if isinstance(node, ast.Import | ast.ImportFrom):
            names |= bound(node) - imported
        elif not isinstance(node, _DEFINITIONS) or node.decorator_list:
            names |= bound(node)
        elif isinstance(node, ast.ClassDef):
            inner = set(names)
            altered(bodies.get(node.name, []), node.body, inner)
            names |= {f"{node.name}.{name}" for name in inner - names}
        else:
            names.add(f"@{node.name}")
    return found


def _reads(node: ast.stmt, names: set[str]) -> bool:
    """Whether a statement reads one of these; ``@name`` is a function that does something else than
    before, which is of interest to what it decorates."""
    if not loaded(node).isdisjoint(names):
        return True
    if not isinstance(node, _DEFINITIONS):
        return False
    if isinstance(node, ast.ClassDef) and any(
        _reads(one, names) for one in node.body if isinstance(one, _DEFINITIONS)
    ):
        return True
    return any(
        f"@{name}" in names for decorator in node.decorator_list for name in loaded(decorator)
    )


def _bodies(body: Iterable[ast.stmt]) -> dict[str, list[ast.stmt]]:
    """The bodies of the classes in one."""
    return {node.name: node.body for node in body if isinstance(node, ast.ClassDef)}


def imported_from(
    node: ast.stmt, package: str | None, module: ModuleType, names: set[str]
) -> dict[str, str]:
    """Which of a module's names, and of what `altered` says of them, an import brings, and as
    what.
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
    found: dict[str, str] = {}
    for alias in node.names:
        own = alias.asname or alias.name
        if f"{source}.{alias.name}" == module.__name__:
            found |= {name: f"{own}.{name}" for name in names - _indirect(names)}
        elif source == module.__name__ and alias.name == "*":
            public = getattr(module, "__all__", None) or [
                name for name in vars(module) if name[0] != "_"
            ]
            found |= {name: name for name in names if _root(name) in public}
        elif source == module.__name__:
            found |= {
                name: name.replace(alias.name, own, 1)
                for name in names
                if _root(name) == alias.name
            }
    return found


def _root(name: str) -> str:
    return name.lstrip("@").partition(".")[0]


def _indirect(names: Iterable[str]) -> set[str]:
    """Those that are attributes, or functions that do something else: their names have the value
    that they had.
    """
    return {name for name in names if "." in name or "@" in name}


# -- how it takes the old one's place --------------------------------------------------------------


class Exchange:
    """The old functions and classes of a program get the new ones' code."""

    def __init__(self) -> None:
        self.journal = Journal()
        self.instead: dict[type, type] = {}
        """The old class of each new one."""

    def value(
        self, old: Any, new: Any, before: list[ast.stmt], after: list[ast.stmt], names: set[str]
    ) -> Any:
        """What a name is to be bound to: the old thing with the new one's code, or the new one.
        ``before`` and ``after`` are the bodies of a class, ``names`` have other values than
        before."""
        if old is new or type(old) is not type(new):
            return new
        if isinstance(old, FunctionType):
            return old if self._function(old, new) else new
        if isinstance(old, staticmethod | classmethod):
            return old if self._function(old.__func__, new.__func__) else new
        if isinstance(old, property):
            pairs = [(getattr(old, part), getattr(new, part)) for part in ("fget", "fset", "fdel")]
            return old if all(one is two or self._function(one, two) for one, two in pairs) else new
        if isinstance(old, type) and (old.__module__, old.__qualname__) == (
            new.__module__,
            new.__qualname__,
        ):
            self._class(old, new, before, after, names)
            return old
        return new

    def _function(self, old: Any, new: Any) -> bool:
        """Give a function the code of another; False where that reaches other variables around
        it.
        """
        if not (isinstance(old, FunctionType) and isinstance(new, FunctionType)):
            return False
        one, other = old.__code__, new.__code__
        same = one.co_freevars == other.co_freevars and set(one.co_freevars) <= {"__class__"}
        if (
            not same
            or old.__qualname__ != new.__qualname__
            or old.__globals__ is not new.__globals__
        ):
            return False
        for part in _OF_FUNCTION:
            self.journal.set(old, part, getattr(new, part))
        return True

    def _class(
        self, old: type, new: type, before: list[ast.stmt], after: list[ast.stmt], names: set[str]
    ) -> None:
        """Give a class what another has, but for what was written the same and may have been
        changed since.
        """
        self._check_same_form(old, new)
        self.instead[new] = old
        names = set(names)
        ran = _bound_in(altered(before, after, names), old.__name__)
        written = _bound_in(after, old.__name__)
        self._rename(new, old)
        bodies = _bodies(before)
        members = getattr(old, "__members__", {}) if isinstance(old, enum.EnumMeta) else None
        for name, value in list(vars(new).items()):
            if (
                name in _OF_CLASS
                or (name in written and name not in ran)
                or isinstance(value, MemberDescriptorType)
            ):
                continue
            if members is not None and (name in members or name not in ran):
                continue  # members stay, and so does what leads to them
            node = ran.get(name)
            inner = node.body if isinstance(node, ast.ClassDef) else []
            made = self.value(
                vars(old).get(name, _MISSING), value, bodies.get(name, []), inner, names
            )
            if made is not vars(old).get(name, _MISSING):
                self.journal.set(old, name, made)
        gone = _bound_in(before, old.__name__).keys() - written.keys()
        implied = {
            name for name in vars(old) if name.startswith("__") and name.endswith("__")
        } - _OF_CLASS
        for name in gone | (implied if members is None else set()):
            if name in vars(old) and name not in vars(new):
                self.journal.set(old, name, _MISSING)
        bases = tuple(self.instead.get(base, base) for base in new.__bases__)
        if bases != old.__bases__:
            try:
                self.journal.set(old, "__bases__", bases)
            except TypeError as error:
                raise CannotReload(
                    f"class {old.__qualname__}: its bases cannot change in a running game: {error}"
                ) from None

    def _check_same_form(self, old: type, new: type) -> None:
        """Raise where what there is of a class would not fit it any more."""
        for what in ("__slots__", "_fields", "__members__"):
            one, other = (getattr(kind, what, None) for kind in (old, new))
            if isinstance(old, enum.EnumMeta) and what == "__members__":
                one, other = (
                    {name: one.value for name, one in kind.__members__.items()}  # type: ignore[attr-defined]
                    for kind in (old, new)
                )
            if one != other:
                raise CannotReload(
                    f"class {old.__qualname__}: its {what} are others, and what was "
                    "made of it cannot follow; restart"
                )

    def _rename(self, new: type, old: type) -> None:
        """Have ``super()`` and ``__class__`` in the methods of a new class mean the old one."""
        for function in functions(vars(new).values()):
            for name, cell in zip(
                function.__code__.co_freevars, function.__closure__ or (), strict=True
            ):
                if name == "__class__" and cell.cell_contents is new:
                    cell.cell_contents = old


def functions(values: Iterable[Any]) -> Iterator[FunctionType]:
    """The functions among these, in descriptors, and those that decorators have wrapped."""
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
    """A module that is running, and the text that it was made of, which is read when that is asked
    for.
    """

    def __init__(self, module: ModuleType, source: bytes) -> None:
        self.module = module
        self.file = module.__file__ or ""
        self._source = source

    @functools.cached_property
    def body(self) -> list[ast.stmt]:
        """Its statements; none, where the text was none of Python's by then."""
        try:
            return ast.parse(self._source, self.file).body
        except (SyntaxError, ValueError):
            return []

    def may_import(self, module: ModuleType) -> bool:
        """Whether its text has the name of a module, without which it cannot import from there. (A
        package has ".".)
        """
        return (
            hasattr(module, "__path__")
            or module.__name__.rpartition(".")[2].encode() in self._source
        )

    def renew(self, body: list[ast.stmt], source: bytes) -> None:
        """It is made of another text now."""
        self.body, self._source = body, source

    def take(self, body: list[ast.stmt], exchange: Exchange, names: set[str]) -> set[str]:
        """Run what of the new text is another than before; returns the names that have other values
        now.
        """
        space = vars(self.module)
        exchange.journal.keep(space)
        before = dict(space)
        told, names = names, set(names)
        bodies = _bodies(self.body)
        future = [
            node
            for node in body
            if isinstance(node, ast.ImportFrom) and node.module == "__future__"
        ]
        for node in altered(self.body, body, names):
            # One by one: those that follow are to see the classes and functions that stay.
            tree = ast.Module([*future, node] if node not in future else [node], [])
            exec(compile(tree, self.file, "exec", dont_inherit=True), space)
            inner = node.body if isinstance(node, ast.ClassDef) else []
            for name in bound(node) & space.keys():
                old = before.get(name, _MISSING)
                space[name] = exchange.value(old, space[name], bodies.get(name, []), inner, names)
        for name in set[str]().union(*map(bound, self.body)) - set[str]().union(*map(bound, body)):
            space.pop(name, None)
        self._renumber(body, exchange)
        changed = {name for name, value in space.items() if before.get(name, _MISSING) is not value}
        return changed | {name for name in told if name in space} | _indirect(names)

    def _renumber(self, body: list[ast.stmt], exchange: Exchange) -> None:
        """Functions that are the same may stand in other lines now, which tracebacks tell."""
        codes: dict[str, list[CodeType]] = {}
        for code in _codes(compile(ast.Module(body, []), self.file, "exec", dont_inherit=True)):
            codes.setdefault(code.co_qualname, []).append(code)
        for function in functions(_everything(self.module)):
            own, found = function.__code__, codes.get(function.__code__.co_qualname, [])
            fits = (
                len(found) == 1
                and own.co_filename == self.file
                and own.co_freevars == found[0].co_freevars
            )
            if fits and own.co_firstlineno != found[0].co_firstlineno:
                exchange.journal.set(function, "__code__", found[0])


def _everything(module: ModuleType) -> Iterator[Any]:
    """What stands in a module, and in its classes."""
    spaces: list[Scope] = [vars(module)]
    seen: set[int] = set()
    while spaces:
        space = spaces.pop()
        for value in list(vars(space).values() if isinstance(space, type) else space.values()):
            if (
                isinstance(value, type)
                and value.__module__ == module.__name__
                and id(value) not in seen
            ):
                seen.add(id(value))
                spaces.append(value)
            yield value


class LiveCode:
    """The modules of a program that is running, by their files."""

    def __init__(self) -> None:
        self.modules: dict[str, LiveModule] = {}

    def know(self, module: ModuleType, source: bytes) -> None:
        """A module has been made of a text."""
        known = LiveModule(module, source)
        self.modules[known.file] = known

    def reload(self, sources: Mapping[str, bytes]) -> None:
        """Have the modules of some files take over what these say now. All of them, or none.

        Raises `SyntaxError` for what is no Python, what running the new statements raises, and
        `CannotReload`.
        """
        bodies = {
            file: ast.parse(source, file).body
            for file, source in sources.items()
            if file in self.modules
        }
        for (
            file,
            body,
        ) in bodies.items():  # also what the parser lets through: `return` outside of a function
            compile(ast.Module(body, []), file, "exec", dont_inherit=True)
            linecache.checkcache(file)
        exchange = Exchange()
        try:
            self._take(bodies, exchange)
        except BaseException:
            exchange.journal.take_back()
            raise
        finally:
            referrers.exchange(exchange.instead)
        for file, body in bodies.items():
            self.modules[file].renew(body, sources[file])

    def _take(self, bodies: Mapping[str, list[ast.stmt]], exchange: Exchange) -> None:
        """Those that changed, and then those that import names from them which have other values
        now.
        """
        waiting: dict[str, set[str]] = {file: set() for file in self._in_order(bodies)}
        taken: Counter[str] = Counter()
        told: dict[str, set[str]] = {}
        while waiting:
            file = next(iter(waiting))
            live, names = self.modules[file], waiting.pop(file)
            taken[file] += 1
            if taken[file] > len(self.modules) + 1:
                raise CannotReload(
                    f"{file}: modules import each other's names in a circle; restart"
                )
            body = bodies.get(file, live.body)
            before, live.body = live.body, body if taken[file] > 1 else live.body
            try:
                changed = live.take(body, exchange, names)
            finally:
                live.body = before
            for other, theirs in self._importers(live.module, changed, exchange):
                if not theirs <= told.setdefault(other, set()):
                    waiting.setdefault(other, set()).update(theirs)
                told[other] |= _indirect(theirs)

    def _in_order(self, files: Iterable[str]) -> list[str]:
        """Modules that others import come first: they were there first."""
        return sorted(files, key=lambda file: [*self.modules].index(file))

    def _importers(
        self, module: ModuleType, names: set[str], exchange: Exchange
    ) -> Iterator[tuple[str, set[str]]]:
        """Give the modules that import such names the new values; their files, and what the names
        are there.
        """
        for file, live in self.modules.items():
            package = getattr(live.module, "__package__", None)
            theirs: set[str] = set()
            for node in live.body if live.may_import(module) else ():
                for name, own in imported_from(node, package, module, names).items():
                    if not _indirect([own]) and name in vars(module):
                        exchange.journal.set(live.module, own, vars(module)[name])
                    theirs.add(own)
            if theirs:
                yield file, theirs
