"""Write the values of a save into the objects of a game, and undo all changes after an error.

If a saved attribute of the game already contains an object, `Filler` writes the saved content into
this object. `Filler` can do this with lists, dicts, arrays, batches, random generators, and objects
whose class declares ``saved``. Otherwise, it creates a new object, but only if the game allows its
class.
"""

from __future__ import annotations

import collections
import contextlib
import enum
import random
from collections.abc import Callable, Collection, Container, Iterable, Mapping, MutableSequence
from typing import Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..checks import shown
from ..errors import AssetError
from ..state.columns import Codes, Table, TableState, Tabular
from ..state.rows import (
    Handle,
    capture_extra,
    check_rows,
    exchange_handles,
    put_further,
    restore_extra,
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
from .routine_loading import RoutineLoading
from .stable_names import IN_FILES
from .unpacking import SavedGenerator, SavedMember, SavedObject, SavedPart, SavedRow, SavedRows

V = TypeVar("V")

Filled = MutableSequence[object] | dict[object, object] | set[object]

_MISSING = object()

Undo = tuple[Callable[..., object], tuple[object, ...]]
"""A function and its arguments. Calling the function reverts one change."""

_PLAIN = frozenset(SCALARS)


class Filler:
    """Writes the values of a save into the objects of a game.

    If a save contains an error, the methods raise `AssetError`. After an error, call `undo` to
    restore the state of the game.

    Parameters
    ----------
    classes
        The classes from which the `Filler` may create new objects.
    shared
        The `id` of each value that occurs several times in the save. If ``shared`` is None, any
        value may occur several times.
    fail
        A function ``fail(message)`` that returns an error with this message. The `Filler` raises
        this error.
    routines
        An object that creates the running routines of the save. If ``routines`` is None, a save
        with routines raises an error.
    """

    def __init__(
        self,
        classes: Iterable[type],
        shared: Container[int] | None,
        fail: Callable[[str], AssetError],
        routines: RoutineLoading | None = None,
    ) -> None:
        self._routines = routines
        self._classes = {IN_FILES.name_of(kind): kind for kind in classes}
        self._fail_with = fail
        self._shared = shared
        # a dict from ids of saved values to loaded objects
        self._made: dict[int, object] = {}
        # the ids of the game's objects that are already filled with saved values
        self._used: set[int] = set()
        self._kept: list[object] = []
        self._undo: list[Undo] = []
        self._filled: list[tuple[object, str]] = []
        # The columns of objects that will be filled. Each item has the batch, the column, its new
        # values, its old values, and the path of the column.
        self._waiting: list[tuple[Tabular[Table], str, NDArray[Any], list[object], str]] = []

    def _check_names(
        self, kind: type, values: Mapping[str, object], names: Collection[str], path: str
    ) -> None:
        """Raise `AssetError` unless the names in a save are equal to the names in ``saved``."""
        for name in [*values, *names]:
            if name not in values or name not in names:
                where = "the save lacks it" if name in names else "the game no longer saves it"
                hint = (
                    f"{kind.__name__} has changed since the save: increase saved_version of the "
                    "game and add a migration (docs/saves.md), or delete the file"
                )
                self._fail(f"{path}.{name}", f"{where}; {hint}")

    def attributes(
        self, obj: object, values: Mapping[str, object], path: str, replaced: object = None
    ) -> None:
        """Set the saved attributes of the object ``obj``.

        The names in ``values`` must be equal to the names in ``saved`` of the class. If ``obj`` is
        a new object that replaces an old object, pass the old object as ``replaced``.
        """
        put = object.__setattr__ if _is_frozen(type(obj)) else setattr
        source = obj if replaced is None else replaced
        names = declared(type(obj))
        values = _renamed(type(obj), values)
        if hasattr(obj, "__dict__"):
            self._undo.append((_put_vars, (obj, dict(vars(obj)))))
        self._check_names(type(obj), values, names, path)
        # Batches are loaded first. Routines are loaded last, because they refer to all other
        # values.
        order = {SavedRows: 0, SavedPart: 2}
        for name in sorted(names, key=lambda name: order.get(type(values[name]), 1)):
            before: object = getattr(source, name, _MISSING)
            value = self.value(values[name], before, f"{path}.{name}")
            if value is not before or source is not obj:
                self._do(lambda: put(obj, name, value), f"{path}.{name}")  # noqa: B023
                call: Undo = (
                    (delattr, (obj, name)) if before is _MISSING else (setattr, (obj, name, before))
                )
                self._undo.append(call)
        self._filled.append((obj, path))

    def batches(self, obj: object, values: Mapping[str, object], path: str, at_nodes: bool) -> None:
        """Load the batches in ``values``. Batches are loaded first, because other objects may refer
        to their rows.

        If ``at_nodes`` is True, load only batches that draw their rows at nodes, otherwise only all
        other batches.
        """
        for name, value in _renamed(type(obj), values).items():
            if (
                isinstance(value, SavedRows)
                and shows_nodes(batch := getattr(obj, name, None)) == at_nodes
            ):
                self.value(value, batch, f"{path}.{name}")

    def finish(self) -> None:
        """Load the columns that contain objects. After that, call ``after_load()`` on each loaded
        object that has this method.
        """
        # the loop may append items to the list
        for batch, name, values, before, path in self._waiting:
            column = table_of(batch).column(name).values(len(values))
            for row, value in enumerate(values.tolist()):
                old = before[row] if row < len(before) else None
                column[row] = self.value(value, old, f"{path}[{row}]")
        for obj, path in self._filled:
            hook = getattr(obj, "after_load", None)
            if hook is not None:
                self._do(hook, f"{path}.after_load()")
        if self._routines is not None:
            self._do(self._routines.finish, "the routines")

    def undo(self) -> None:
        """Undo all changes in reverse order."""
        if self._routines is not None:
            self._routines.undo()
        while self._undo:
            function, arguments = self._undo.pop()
            # a property of the game may raise an error for its own old value
            with contextlib.suppress(Exception):
                function(*arguments)

    def value(self, node: object, old: object, path: str) -> object:
        """Return the Python object for a saved value. ``old`` is the object that the game has now.
        If it has the same class as the saved value, its content is replaced and ``old`` is
        returned. Otherwise, return a new object.
        """
        kind: type = node.__class__
        if kind in _PLAIN or isinstance(node, np.generic):
            return node
        if self._made and id(node) in self._made:
            return self._made[id(node)]
        fill = _FILLERS.get(kind)
        if fill is None:
            self._fail(
                path,
                f"expected a value that a save can have, got {shown(node)}; correct the migration",
            )
        return fill(self, node, old, path)

    def _target(self, node: object, old: Any, fits: bool, make: Callable[[], V]) -> V:
        """Return the object that receives the saved content. If ``fits`` is True and no other saved
        value uses ``old`` yet, return ``old``. Otherwise, call ``make()`` and return the new
        object.
        """
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
        """Replace the content of the list or deque ``old``, and return ``old``. If ``old`` is of
        another class than the saved list or deque, return the object from the save instead.
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

    def _random(self, node: SavedGenerator, old: object, path: str) -> object:
        target = self._target(node, old, type(old) is random.Random, random.Random)
        self._undo.append((target.setstate, (target.getstate(),)))
        self._do(lambda: target.setstate(node.state), path)
        return target

    def _generator(self, node: SavedGenerator, old: object, path: str) -> object:
        if node.kind == "Random":
            return self._random(node, old, path)
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

    def _member(self, node: SavedMember, old: object, path: str) -> object:
        kind = self._class(node.name, old, path)
        if not issubclass(kind, enum.Enum) or node.member not in kind.__members__:
            self._fail(path, f"{node.name} has no {shown(node.member)}")
        return kind[node.member]

    def _record(self, node: SavedObject, old: object, path: str) -> object:
        kind = self._class(node.name, old, path)
        if issubclass(kind, enum.Enum) or not can_be_saved(kind):
            self._fail(path, f"{node.name} declares no attributes to save")
        fits = type(old) is kind
        # A frozen object may be shared, so it is replaced with a new object.
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
            names = ", ".join(self._classes) or "none"
            self._fail(
                path,
                f"it is of the class {shown(name)}; those that may be made are in "
                f"saved_classes: {names}",
            )
        return kind

    def _part(self, node: SavedPart, old: object, path: str) -> object:
        """Create an object that belongs to a routine, such as a frame or the current position in a
        loop. The routine continues after the complete save has been loaded.
        """
        if self._routines is None:
            self._fail(path, "it is a part of a routine, which cannot be loaded here")

        def keep(obj: object) -> object:
            self._kept += (node, obj)
            self._made[id(node)] = obj
            return obj

        def value(part: object, part_path: str) -> object:
            return self.value(part, None, part_path)

        loaded = self._routines.made(node, path, keep, value, self._fail)
        self._made.setdefault(id(node), loaded)
        self._kept += (node, loaded)
        return loaded

    def _row(self, node: SavedRow, old: object, path: str) -> object:
        batch: Any = self._made.get(id(node.rows))
        if batch is None:
            self._fail(path, "it is a row of a batch that the game does not have")
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

    def _check_column(self, node: SavedRows, name: str, current: NDArray[Any], path: str) -> None:
        """Raise `AssetError` unless a column has the dtype and the shape of ``current``, the values
        of the same column in the game. The number of rows may differ.
        """
        values = node.columns[name]
        expected = (node.count, *current.shape[1:])
        if values.dtype != current.dtype or values.shape != expected:
            got = f"{values.dtype} of shape {values.shape}"
            self._fail(path, f"expected {current.dtype} of shape {expected}, got {got}")

    def _rows(self, node: SavedRows, old: object, path: str) -> object:
        table = table_of(old)
        if table is None or not rows_can_be_saved(old) or id(old) in self._used:
            self._fail(
                path,
                f"the save has {node.count:,} rows of a batch, the game has {shown(old)} there",
            )
        columns = saved_rows(old)
        earlier = {
            name: current.tolist()
            for name, (current, _) in columns.items()
            if current.dtype.hasobject
        }
        node.columns = _renamed(type(old), node.columns)
        node.meanings = _renamed(type(old), node.meanings)
        if columns.keys() != node.columns.keys():
            self._fail(
                path, f"expected the columns {', '.join(columns)}, got {', '.join(node.columns)}"
            )
        for name, (current, codes) in columns.items():
            self._check_column(node, name, current, f"{path}.{name}")
            if (codes is not None) != (name in node.meanings):
                self._fail(
                    f"{path}.{name}",
                    "the save and the game disagree about whether its numbers have meanings",
                )
            if codes is not None:
                node.columns[name] = self._translated(
                    node.columns[name], node.meanings[name], codes, f"{path}.{name}"
                )
        self._do(lambda: check_rows(old, node.columns), path)
        self._used.add(id(old))
        self._made[id(node)] = old
        table.close_holes()
        batches: list[Any] = [old, *table.followers]
        for batch in batches:  # the rows of a follower, which may be drawn at nodes, also change
            self._undo.append((_put_table, (batch, _capture_batch(batch))))
        for name, before in earlier.items():
            self._waiting.append((old, name, node.columns.pop(name), before, f"{path}.{name}"))
        _put_rows(old, node)
        return old

    def _translated(
        self, values: NDArray[Any], hashes: list[int], codes: Codes, path: str
    ) -> NDArray[Any]:
        """Replace the image indices in a column. An image may have different indices in the save
        and in the game, and the new indices refer to the images of the game.
        """
        numbers: dict[int, int] = {}
        for index, meaning in enumerate(hashes_of_codes(codes)):
            numbers.setdefault(meaning, index)
        if any(meaning not in numbers for meaning in hashes):
            what = "the save has an image, a clip or a state that the game does not have"
            self._fail(path, f"{what}; keep it in setup(), or rename it in a migration")
        table = np.array([numbers[meaning] for meaning in hashes], values.dtype)
        return table[values] if len(values) else values

    def _do(self, function: Callable[[], object], path: str) -> None:
        """Call a function of the game. If it raises an exception, raise an `AssetError` that
        contains ``path``.
        """
        try:
            function()
        except Exception as error:
            raise self._fail_with(f"{path}: {type(error).__name__}: {error}") from error

    def fail(self, path: str, what: str) -> NoReturn:
        """Raise an `AssetError` that contains ``path``."""
        self._fail(path, what)

    def _fail(self, path: str, what: str) -> NoReturn:
        raise self._fail_with(f"{path}: {what}" if path else what)


_FILLERS: dict[type, Callable[[Filler, Any, Any, str], Any]] = {
    list: Filler._sequence,
    dict: Filler._dict,
    set: Filler._set,
    tuple: Filler._tuple,
    frozenset: Filler._frozenset,
    collections.deque: Filler._sequence,
    np.ndarray: Filler._array,
    SavedGenerator: Filler._generator,
    SavedMember: Filler._member,
    SavedObject: Filler._record,
    SavedRows: Filler._rows,
    SavedRow: Filler._row,
    SavedPart: Filler._part,
}


def _renamed(kind: type, values: Mapping[str, V]) -> dict[str, V]:
    """Replace old names of attributes and columns with their current names."""
    names = IN_FILES.fields_by_name(kind)
    return {names.get(name, name): value for name, value in values.items()}


def _is_frozen(kind: type) -> bool:
    """Return whether the class is a frozen dataclass."""
    return bool(getattr(getattr(kind, "__dataclass_params__", None), "frozen", False))


def _put_all(target: Filled, values: Filled) -> None:
    target.clear()
    contents: Any = values
    if isinstance(target, dict | set):
        target.update(contents)
    else:
        target.extend(contents)


def _put_vars(obj: object, before: dict[str, object]) -> None:
    attributes: dict[str, object] = vars(obj)
    for name in attributes.keys() - before.keys():
        del attributes[name]
    attributes.update(before)


def _put_rows(batch: Tabular[Table], node: SavedRows) -> None:
    table = table_of(batch)
    put_further(batch, node.count, node.columns)
    if node.count < table.count:
        table.keep(np.arange(node.count))
    table.reserve(node.count)
    if node.count > table.count:
        table.spawn(node.count - table.count)
    for name, column in saved_columns(table).items():
        if name in node.columns:
            column.values(node.count)[...] = node.columns.pop(name)
    table.ids.load(node.ids, node.next_id, node.count)
    table.mark_teleported(slice(0, node.count))
    _renew(batch)


def _capture_batch(batch: Tabular[Table]) -> tuple[TableState, object]:
    """Return the state of a batch: its table and further state, such as the clock of its animation
    clips.
    """
    return table_of(batch).capture(), capture_extra(batch)


def _put_table(batch: Tabular[Table], captured: tuple[TableState, object]) -> None:
    table, further = captured
    table_of(batch).restore(table)
    restore_extra(batch, further)
    _renew(batch)


def _renew(batch: Tabular[Table]) -> None:
    objects: tuple[object, ...] = table_of(batch), batch
    for obj in {id(obj): obj for obj in objects}.values():
        renew = getattr(obj, "after_restore", None)
        if renew is not None:
            renew()
