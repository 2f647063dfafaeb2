"""Brings what a save has back into the objects that a game has, and takes it back where that fails.

Lists, dicts, arrays, batches, generators and objects that stand where they stood when the game was
saved are filled; others are made anew, of classes that the game names.
"""

from __future__ import annotations

import collections
import contextlib
import enum
import random
from collections.abc import Callable, Container, Iterable, Mapping, MutableSequence
from typing import Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..checks import shown
from ..errors import AssetError
from ..state.columns import Codes, Table, TableState, Tabular
from ..state.rows import (
    Handle,
    captured_further,
    check_rows,
    exchange_handles,
    put_back_further,
    put_further,
    rows_can_be_saved,
    table_of,
)
from .digests import hashes_of_codes
from .packing import (
    SCALARS,
    can_be_saved,
    declared,
    saved_columns,
    saved_rows,
    shows_nodes,
)
from .stable_names import IN_FILES
from .unpacking import Chances, Member, Record, RowOf, RowsOf

V = TypeVar("V")

Filled = MutableSequence[object] | dict[object, object] | set[object]

_MISSING = object()

Undo = tuple[Callable[..., object], tuple[object, ...]]
"""A call that undoes a change: a function and its arguments."""

_PLAIN = frozenset(SCALARS)


class Filler:
    """Fills objects with values of `unpacking`. ``classes`` are those of which it may make new
    ones, by name; ``shared`` are the ids of the values that are met more than once, None where any
    may be.

    Whatever goes wrong is an `AssetError`; `undo` then brings everything back to what it was.
    """

    def __init__(
        self,
        classes: Iterable[type],
        shared: Container[int] | None,
        fail: Callable[[str], AssetError],
    ) -> None:
        self._classes = {IN_FILES.name_of(kind): kind for kind in classes}
        self._fail_with = fail
        self._shared = shared
        self._made: dict[int, object] = {}  # what stands for a value, by the value's id
        self._used: set[int] = set()  # what stands for one already
        self._kept: list[object] = []
        self._undo: list[Undo] = []
        self._filled: list[tuple[object, str]] = []

    def attributes(
        self, thing: object, values: Mapping[str, object], path: str, stood: object = None
    ) -> None:
        """Set what a thing has declared: exactly that must be there. Another ``stood`` where it is
        to be.
        """
        put = object.__setattr__ if _is_frozen(type(thing)) else setattr
        was = thing if stood is None else stood
        names = declared(type(thing))
        values = _renamed(type(thing), values)
        if hasattr(thing, "__dict__"):
            self._undo.append((_put_vars, (thing, dict(vars(thing)))))
        for name in [*values, *names]:
            if name not in values or name not in names:
                where = "the save lacks it" if name in names else "the game no longer saves it"
                hint = f"raise {type(thing).__name__}'s game's saved_version, and add a migration"
                self._fail(f"{path}.{name}", f"{where}; {hint}")
        for name in sorted(names, key=lambda name: not isinstance(values[name], RowsOf)):
            before: object = getattr(was, name, _MISSING)
            value = self.value(values[name], before, f"{path}.{name}")
            if value is not before or was is not thing:
                self._do(lambda: put(thing, name, value), f"{path}.{name}")  # noqa: B023
                undo: Undo = (
                    (delattr, (thing, name))
                    if before is _MISSING
                    else (setattr, (thing, name, before))
                )
                self._undo.append(undo)
        self._filled.append((thing, path))

    def batches(
        self, thing: object, values: Mapping[str, object], path: str, at_nodes: bool
    ) -> None:
        """Those among them, that are drawn at nodes or that are not: before all that may refer to
        their rows.
        """
        for name, value in _renamed(type(thing), values).items():
            if (
                isinstance(value, RowsOf)
                and shows_nodes(batch := getattr(thing, name, None)) == at_nodes
            ):
                self.value(value, batch, f"{path}.{name}")

    def finish(self) -> None:
        """Tell everything that was filled: ``after_load()``, where its class has one."""
        for thing, path in self._filled:
            hook = getattr(thing, "after_load", None)
            if hook is not None:
                self._do(hook, f"{path}.after_load()")

    def undo(self) -> None:
        """Have everything as it was."""
        while self._undo:
            function, arguments = self._undo.pop()
            with contextlib.suppress(
                Exception
            ):  # a property that the game itself refuses to have back
                function(*arguments)

    def value(self, node: object, old: object, path: str) -> object:
        """What a value becomes, where ``old`` stood: that itself, filled, where it fits."""
        kind: type = node.__class__
        if kind in _PLAIN or isinstance(node, np.generic):
            return node
        if self._made and id(node) in self._made:
            return self._made[id(node)]
        fill = _FILLERS.get(kind)
        if fill is None:
            self._fail(path, f"a migration made {shown(node)} of it, which a save does not have")
        return fill(self, node, old, path)

    def _target(self, node: object, old: Any, fits: bool, make: Callable[[], V]) -> V:
        """``old``, where it fits and stands for nothing else yet; else what ``make`` makes."""
        if not fits or id(old) in self._used:
            target = make()
        else:
            target = old
            self._kept.append(target)
            self._used.add(id(target))
        if self._shared is None or id(node) in self._shared:
            self._kept.append(node)
            self._made[id(node)] = target
        return target

    def _sequence(self, node: MutableSequence[object], old: object, path: str) -> object:
        """Of a list or a deque, which becomes one of the game's itself where there is none to be
        filled.
        """
        fits = old.__class__ is node.__class__ and getattr(old, "maxlen", None) == getattr(
            node, "maxlen", None
        )
        target = self._target(node, old, fits, lambda: node)
        before: list[object] = [] if target is node else [*target]
        for index, value in enumerate(node):
            if value.__class__ not in _PLAIN:
                node[index] = self.value(
                    value, before[index] if index < len(before) else None, f"{path}[{index}]"
                )
        return self._put(target, node, before)

    def _dict(self, node: dict[object, object], old: object, path: str) -> object:
        target = self._target(node, old, old.__class__ is dict, lambda: node)
        before: dict[object, object] = {} if target is node else dict(target)
        for key, value in node.items():
            if value.__class__ not in _PLAIN:
                node[key] = self.value(value, before.get(key), f"{path}[{key!r}]")
        return self._put(target, node, before)

    def _set(self, node: set[object], old: object, path: str) -> object:
        target = self._target(node, old, old.__class__ is set, lambda: node)
        return self._put(target, node, set() if target is node else set(target))

    def _put(self, target: Filled, values: Filled, before: Filled) -> Filled:
        if target is not values:
            self._undo.append((_put_all, (target, before)))
            _put_all(target, values)
        return target

    def _tuple(self, node: tuple[object, ...], old: object, path: str) -> object:
        parts: tuple[object, ...]
        parts = old if old.__class__ is tuple and len(old) == len(node) else (None,) * len(node)
        return tuple(
            self.value(value, part, f"{path}[{index}]")
            for index, (value, part) in enumerate(zip(node, parts, strict=True))
        )

    def _frozenset(self, node: frozenset[object], old: object, path: str) -> object:
        return node

    def _array(self, node: NDArray[Any], old: object, path: str) -> object:
        fits = (
            isinstance(old, np.ndarray)
            and (old.shape, old.dtype) == (node.shape, node.dtype)
            and old.flags.writeable
        )
        target = self._target(node, old, fits, lambda: node)
        if target is not node:
            self._undo.append((np.copyto, (target, target.copy())))
            np.copyto(target, node)
        return target

    def _chances(self, node: Chances, old: object, path: str) -> object:
        if node.kind == "Random":
            target = self._target(node, old, type(old) is random.Random, random.Random)
            self._undo.append((target.setstate, (target.getstate(),)))
            self._do(lambda: target.setstate(node.state), path)
            return target
        fits = (
            isinstance(old, np.random.Generator) and type(old.bit_generator).__name__ == node.kind
        )
        numbers = self._target(
            node, old, fits, lambda: np.random.Generator(getattr(np.random, node.kind)())
        )
        bits = numbers.bit_generator
        self._undo.append((setattr, (bits, "state", bits.state)))
        self._do(lambda: setattr(bits, "state", node.state), path)
        return numbers

    def _member(self, node: Member, old: object, path: str) -> object:
        kind = self._class(node.name, old, path)
        if not issubclass(kind, enum.Enum) or node.member not in kind.__members__:
            self._fail(path, f"{node.name} has no {shown(node.member)}")
        return kind[node.member]

    def _record(self, node: Record, old: object, path: str) -> object:
        kind = self._class(node.name, old, path)
        if issubclass(kind, enum.Enum) or not can_be_saved(kind):
            self._fail(path, f"{node.name} declares nothing to be saved")
        fits = type(old) is kind
        # What is frozen is a value, which others may have too: another one takes its place.
        target = self._target(
            node, old, fits and not _is_frozen(kind), lambda: self._anew(kind, path)
        )
        self.attributes(target, node.values, path, old if fits else None)
        return target

    def _anew(self, kind: type[object], path: str) -> object:
        try:
            return kind.__new__(kind)
        except Exception as error:
            what = f"a {kind.__name__} cannot be made without arguments for __new__: {error}"
            raise self._fail_with(f"{path}: {what}") from error

    def _class(self, name: str, old: object, path: str) -> type:
        if IN_FILES.name_of(type(old)) == name:
            return type(old)
        kind = self._classes.get(name)
        if kind is None:
            known = ", ".join(self._classes) or "none"
            self._fail(
                path,
                f"it is of the class {shown(name)}; those that may be made are in "
                f"saved_classes: {known}",
            )
        return kind

    def _row(self, node: RowOf, old: object, path: str) -> object:
        batch: Any = self._made.get(id(node.rows))
        if batch is None:
            self._fail(path, "it is a row of a batch that is not there")
        handle: Handle[Any] = batch[node.row]
        if old is handle or not isinstance(old, Handle) or type(old) is not type(handle):
            return handle
        if id(old) in self._used:
            return handle
        if not old.removed and old.batch is not batch:
            return handle
        exchange_handles(handle, old, batch)
        self._used.add(id(old))
        self._kept.append(old)
        return old

    def _rows(self, node: RowsOf, old: object, path: str) -> object:
        table = table_of(old)
        if table is None or not rows_can_be_saved(old) or id(old) in self._used:
            self._fail(
                path,
                f"the save has {node.count:,} rows of a batch, the game has {shown(old)} there",
            )
        columns = saved_rows(old)
        node.columns = _renamed(type(old), node.columns)
        node.meanings = _renamed(type(old), node.meanings)
        if columns.keys() != node.columns.keys():
            self._fail(
                path, f"it has the columns {', '.join(node.columns)}, not {', '.join(columns)}"
            )
        for name, (now, codes) in columns.items():
            values = node.columns[name]
            expected = (node.count, *now.shape[1:])
            if values.dtype != now.dtype or values.shape != expected:
                found = f"{values.dtype} of shape {values.shape}"
                self._fail(f"{path}.{name}", f"it is {found}, not {now.dtype} of shape {expected}")
            if (codes is not None) != (name in node.meanings):
                self._fail(f"{path}.{name}", "what its numbers stand for is not known")
            if codes is not None:
                node.columns[name] = self._translated(
                    values, node.meanings[name], codes, f"{path}.{name}"
                )
        self._do(lambda: check_rows(old, node.columns), path)
        self._used.add(id(old))
        self._made[id(node)] = old
        if table.holes:
            table.close_holes()
        batches: list[Any] = [old, *table.followers]
        for batch in batches:  # what shows a node, and moves a row, goes with it
            self._undo.append((_put_table, (batch, _captured(batch))))
        _put_rows(old, node)
        return old

    def _translated(
        self, values: NDArray[Any], hashes: list[int], codes: Codes, path: str
    ) -> NDArray[Any]:
        """Numbers as they stand in this game for what they stood for."""
        places: dict[int, int] = {}
        for place, number in enumerate(hashes_of_codes(codes)):
            places.setdefault(number, place)
        if any(number not in places for number in hashes):
            what = (
                "it shows an image that the batch does not have, plays a clip or is in a "
                "state that there is not"
            )
            self._fail(path, f"{what}; keep it in setup(), or rename it in a migration")
        table = np.array([places[number] for number in hashes], values.dtype)
        return table[values] if len(values) else values

    def _do(self, function: Callable[[], object], path: str) -> None:
        """Something that the game may refuse."""
        try:
            function()
        except Exception as error:
            raise self._fail_with(f"{path}: {type(error).__name__}: {error}") from error

    def _fail(self, path: str, what: str) -> NoReturn:
        raise self._fail_with(f"{path}: {what}")


_FILLERS: dict[type, Callable[[Filler, Any, Any, str], Any]] = {
    list: Filler._sequence,
    dict: Filler._dict,
    set: Filler._set,
    tuple: Filler._tuple,
    frozenset: Filler._frozenset,
    collections.deque: Filler._sequence,
    np.ndarray: Filler._array,
    Chances: Filler._chances,
    Member: Filler._member,
    Record: Filler._record,
    RowsOf: Filler._rows,
    RowOf: Filler._row,
}


def _renamed(kind: type, values: Mapping[str, V]) -> dict[str, V]:
    """Return values by the names of attributes and columns of today, of those by names in files."""
    today = IN_FILES.fields_by_name(kind)
    return {today.get(name, name): value for name, value in values.items()}


def _is_frozen(kind: type) -> bool:
    """Whether it is a dataclass whose attributes are set once."""
    return bool(getattr(getattr(kind, "__dataclass_params__", None), "frozen", False))


def _put_all(target: Filled, values: Filled) -> None:
    target.clear()
    contents: Any = values
    if isinstance(target, dict | set):
        target.update(contents)
    else:
        target.extend(contents)


def _put_vars(thing: object, before: dict[str, object]) -> None:
    now: dict[str, object] = vars(thing)
    for name in now.keys() - before.keys():
        del now[name]
    now.update(before)


def _put_rows(batch: Tabular[Table], node: RowsOf) -> None:
    table = table_of(batch)
    put_further(batch, node.count, node.columns)
    if node.count < table.count:
        table.keep(np.arange(node.count))
    table.reserve(node.count)
    if node.count > table.count:
        table.spawn(node.count - table.count)
    for name, column in saved_columns(table).items():
        column.values(node.count)[...] = node.columns.pop(name)
    table.mark_teleported(slice(0, node.count))
    _renew(batch)


def _captured(batch: Tabular[Table]) -> tuple[TableState, object]:
    """Its rows as they are, and what a batch has besides."""
    return table_of(batch).captured(), captured_further(batch)


def _put_table(batch: Tabular[Table], captured: tuple[TableState, object]) -> None:
    table, further = captured
    table_of(batch).put_back(table)
    put_back_further(batch, further)
    _renew(batch)


def _renew(batch: Tabular[Table]) -> None:
    things: tuple[object, ...] = table_of(batch), batch
    for thing in {id(thing): thing for thing in things}.values():
        renew = getattr(thing, "after_restore", None)
        if renew is not None:
            renew()
