"""The column or attribute that a tween changes, and its final value."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping, Sequence
from struct import Struct
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Doubles, Mask, Rows, row_indices
from ..checks import color, is_flag, ndim, number, shown, wrong_type, wrong_value
from ..geometry.eases import Ease
from ..moved_names import Absent, Moved
from ..state.columns import Table, TableColumn, assign_to
from ..state.rows import Batch, Handle, RowColor, RowSet, RowValue, table_of
from ..timing.schedule import Schedule
from .tween_tracks import AttributeTrack, ColumnTrack, Kind, NotStateTrack, TweenTrack

# Attributes of a row that stand for a single number in a column.
_PARTS = {"x": ("position", 0), "y": ("position", 1), "z": ("position", 2), "alpha": ("color", 3)}

_MAX_NUMBERS = 16  # the maximum number of numbers in one attribute


class TweenTarget:
    """A column or an attribute that a tween changes, and the value that the tween must reach."""

    __slots__ = ("name", "relative", "value")

    name: str
    """The name of the column or attribute."""
    value: Doubles
    """The value to reach: float64 (width, n). If `relative` is True, the value is the difference
    from the start value.
    """
    relative: bool
    """Whether `value` is added to the start value."""

    def start(self) -> Doubles | None:
        """Return the current values. The float64 array has the shape (width, n). Each column of the
        array contains the ``width`` numbers of one row. If the target object was removed, return
        None.
        """
        raise NotImplementedError

    def hits(self, track: TweenTrack) -> Mask | None:
        """Return a mask of the values in ``track`` that this target changes too. Return None if
        there are none.
        """
        raise NotImplementedError

    def key(self) -> tuple[Any, ...]:
        """Return the key that selects a `TweenTrack`. Targets with equal keys can use the same
        `TweenTrack`.
        """
        raise NotImplementedError

    def track(self, clock: Schedule, ease: Ease, mode: int) -> TweenTrack:
        """Return a new `TweenTrack` for this target and all other targets with the same key."""
        raise NotImplementedError

    def join(self, track: TweenTrack) -> None:
        """Add this target to ``track``. The caller must first append the values of the target to
        ``track``, and then call `join`.
        """
        raise NotImplementedError

    def goal(self, start: Doubles, shortest: bool) -> Doubles:
        """Return the final values. The float64 array has the shape (width, n).

        If ``shortest`` is True, angles change by at most π.
        """
        goal = start + self.value if self.relative else np.broadcast_to(self.value, start.shape)
        if shortest:
            turn = np.mod(goal - start + math.pi, math.tau) - math.pi
            goal = start + turn
        return goal


class ColumnTarget(TweenTarget):
    """A target in a table: some rows of a column, or of one part of the column, such as x."""

    _not_hashed = ("batch",)
    __slots__ = ("batch", "column", "parts", "rows")

    def __init__(
        self,
        batch: object,
        table: Table,
        column: TableColumn,
        parts: tuple[int, ...],
        rows: Rows,
        value: Doubles,
    ) -> None:
        self.batch = batch
        self.column = column
        self.parts = parts
        self.rows = RowSet(table, rows)
        self.value = value

    def start(self) -> Doubles | None:
        gone = self.rows.gone()
        if gone is not None:
            self.rows.replace(self.rows.rows[~gone])
            self.value = self.value[:, ~gone]
        if not len(self.rows.rows):
            return None
        data = self.column.current(self.rows.table.count)[self.rows.rows]
        wide = data[None] if data.ndim == 1 else data.T[list(self.parts)]
        return np.asarray(wide.astype(np.float64))

    def goal(self, start: Doubles, shortest: bool) -> Doubles:
        # Round the goal to the column's type, so that the tween ends at exactly this value.
        return super().goal(start, shortest).astype(self.column.data.dtype).astype(np.float64)

    def hits(self, track: TweenTrack) -> Mask | None:
        if not isinstance(track, ColumnTrack) or track.column is not self.column:
            return None
        if set(track.parts).isdisjoint(self.parts):
            return None
        rows = self.rows.rows
        if len(rows) == 1:
            return np.asarray(track.rows.rows == rows[0])
        marks = np.zeros(self.rows.table.count + 1, bool)
        marks[rows] = True
        return np.asarray(marks[track.rows.rows])

    def key(self) -> tuple[Any, ...]:
        return self.column, self.parts

    @property
    def turns(self) -> bool:
        """Whether the values are 3D rotations, which follow the shortest path between two
        rotations.
        """
        return self.column.name == "rotation" and self.column.width == 4

    def track(self, clock: Schedule, ease: Ease, mode: int) -> TweenTrack:
        table = self.rows.table
        return ColumnTrack(
            clock, ease, mode, self.batch, table, self.column, self.parts, self.turns
        )

    def join(self, track: TweenTrack) -> None:
        assert isinstance(track, ColumnTrack)
        track.add_rows(self.rows.rows)


class RowTarget(ColumnTarget):
    """A target in a single row of a table. The tween of a `RowTarget` begins immediately.

    A `RowTarget` needs no `RowSet`, because its tween reads the values before the index of the row
    can change.
    """

    __slots__ = ("goals", "row", "table")

    goals: list[float]
    """The value to reach, as a list. See `TweenTarget.value`."""

    def __init__(
        self,
        batch: object,
        table: Table,
        column: TableColumn,
        parts: tuple[int, ...],
        row: int,
        goals: list[float],
    ) -> None:
        self.batch = batch
        self.table = table
        self.column = column
        self.parts = parts
        self.row = row
        self.goals = goals

    @property
    def numbers(self) -> list[float]:
        """The result of `start` as a list."""
        data = self.column.data
        if data.ndim == 1:
            return [data.item(self.row)]
        return [data.item(self.row, part) for part in self.parts]

    def goal_numbers(self, start: list[float], shortest: bool) -> list[float]:
        """Return the result of `goal` as a list. For a single row, lists are faster than arrays."""
        if not (self.relative or shortest):
            return self.goals
        goal: list[float] = self.goal(np.array(start)[:, None], shortest)[:, 0].tolist()
        return goal

    def start(self) -> Doubles:
        return np.array(self.numbers)[:, None]

    def goal(self, start: Doubles, shortest: bool) -> Doubles:
        self.value = np.array(self.goals)[:, None]
        return super().goal(start, shortest)

    def hits(self, track: TweenTrack) -> Mask | None:
        if not isinstance(track, ColumnTrack) or track.column is not self.column:
            return None
        if track.parts != self.parts and set(track.parts).isdisjoint(self.parts):
            return None
        hits: Mask = track.rows.rows == self.row
        return hits

    def track(self, clock: Schedule, ease: Ease, mode: int) -> TweenTrack:
        return ColumnTrack(
            clock, ease, mode, self.batch, self.table, self.column, self.parts, self.turns
        )

    def join(self, track: TweenTrack) -> None:
        assert isinstance(track, ColumnTrack)
        track.add_row(self.row)


class AttributeTarget(TweenTarget):
    """A target that is an attribute of an object. Its value is a single number, or a tuple, list or
    array of at most 16 numbers.
    """

    __slots__ = ("kind", "target")

    def __init__(self, target: object, name: str, value: object, relative: bool) -> None:
        self.target = target
        self.name = name
        self.relative = relative
        numbers, self.kind = _numbers_of(name, getattr(target, name))
        self.value = np.array(_goal_of(name, value, len(numbers), self.kind))[:, None]

    def start(self) -> Doubles | None:
        if getattr(self.target, "removed", False) is True:
            return None
        value = getattr(self.target, self.name)
        remembered = getattr(type(self.target), "_tween_start", None)
        if remembered is not None:
            value = remembered(self.target, self.name, value)
        numbers, self.kind = _numbers_of(self.name, value)
        if len(numbers) != len(self.value):
            raise wrong_value(
                self.name, f"{len(self.value)} numbers, as before", getattr(self.target, self.name)
            )
        return np.array(numbers)[:, None]

    def hits(self, track: TweenTrack) -> Mask | None:
        if not isinstance(track, AttributeTrack):
            return None
        return np.array(
            [target is self.target and name == self.name for target, name, _ in track.targets], bool
        )

    def key(self) -> tuple[Any, ...]:
        width = len(self.value)
        return (width, "not state") if _is_not_state(type(self.target)) else (width,)

    def track(self, clock: Schedule, ease: Ease, mode: int) -> TweenTrack:
        kind = NotStateTrack if _is_not_state(type(self.target)) else AttributeTrack
        return kind(clock, ease, mode, len(self.value))

    def join(self, track: TweenTrack) -> None:
        assert isinstance(track, AttributeTrack)
        track.targets.append((self.target, self.name, self.kind))


def _is_not_state(cls: type) -> bool:
    """Return whether objects of the class ``cls`` are not part of the game state. For example,
    audio buses are not part of the game state.
    """
    return any(
        vars(base).get(declaration) is True
        for base in cls.__mro__
        for declaration in ("not_state", "_transient_attributes")
    )


def targets_of(
    target: object, rows: object, fields: dict[str, Any], relative: bool, at_once: bool = False
) -> list[TweenTarget]:
    """Check all arguments of a tween, and return its targets. If ``at_once`` is True, the caller
    must begin the tween before the index of a row can change.

    Raises `AttributeError` if an attribute does not exist. The error message suggests the most
    similar name. Raises `TypeError` if a value is not a number.
    """
    if not fields:
        raise TypeError("tween: name an attribute to change, as in position=(400, 300)")
    targets: list[TweenTarget] = []
    for name, value in fields.items():
        cell = _column_of(target, name)
        if cell is None:
            if rows is not None:
                raise TypeError(f"rows: {name} is not a column of {shown(target)}")
            _check_attribute(target, name)
            targets.append(AttributeTarget(target, name, value, relative))
        else:
            column_target = _column_target(target, rows, name, cell, value, at_once)
            column_target.name = name
            column_target.relative = relative
            if targets:
                _check_distinct(column_target, targets)
            targets.append(column_target)
    return targets


def _check_distinct(target: ColumnTarget, targets: list[TweenTarget]) -> None:
    """Raise `ValueError` if one of ``targets`` already changes the same values as ``target``."""
    for earlier in targets:
        if (
            isinstance(earlier, ColumnTarget)
            and earlier.column is target.column
            and {*earlier.parts} & {*target.parts}
        ):
            raise ValueError(
                f"{target.name}: {earlier.name} moves the same values; pass only one of the two"
            )


_PART_NAMES = {part: name for name, part in _PARTS.items()}


def loaded_target(piece: Mapping[str, Any]) -> tuple[TweenTarget, Doubles, Doubles]:
    """Return the target, the initial values and the final values of a tween from a save. The arrays
    of values have the shape (width, n).

    ``piece`` is a dict that `Track.saved` returned earlier. Raises the same errors as `targets_of`.
    Raises `ValueError` if the values do not match the target.
    """
    start = np.array(piece["start"], np.float64)
    goal = np.array(piece["goal"], np.float64)
    name: str = piece["name"]
    parts = piece["parts"]
    value: object = goal[:, 0].tolist()
    if parts is not None and len(parts) == 1:
        name = _PART_NAMES.get((name, parts[0]), name)
    if goal.shape[0] == 1:
        value = float(goal[0, 0])
    (target,) = targets_of(piece["target"], piece["rows"], {name: value}, False)
    expected = (len(target.value), 1 if piece["rows"] is None else len(piece["rows"]))
    if start.shape != expected or goal.shape != expected or not np.isfinite([start, goal]).all():
        raise ValueError(f"{name}: values of the shape {start.shape}")
    return target, start, goal


_Cell = tuple[Table, TableColumn, int | None]
"""The table and the column that contain an attribute, and the position of the attribute within the
column, such as 0 for "x" in the column "position". If the attribute is the whole column, this
position is None.
"""


def _column_of(target: object, name: str) -> _Cell | None:
    """Return the table column that contains an attribute, or None if it is not in a column."""
    if isinstance(target, Handle):
        # If an attribute checks or converts its value, the tween sets the attribute instead of the
        # column.
        cell = getattr(type(target), name, None)
        if isinstance(cell, RowValue) and type(cell) not in (RowValue, RowColor):
            return None
        batch: object = target.batch
    elif isinstance(target, Batch | Table):
        batch = target
    else:
        return None
    table = batch if isinstance(batch, Table) else table_of(batch)
    if not isinstance(table, Table):
        return None
    base, part = (name, None) if table.has(name) else _PARTS.get(name, (name, None))
    if not table.has(base) or not hasattr(type(target), base):
        return None
    column = table.column(base)
    return None if part is not None and part >= column.width else (table, column, part)


def _column_target(
    target: object, rows: object, name: str, cell: _Cell, value: ArrayLike, at_once: bool
) -> ColumnTarget:
    table, column, part = cell
    _check_numbers(name, column)
    if isinstance(target, Handle):
        if rows is not None:
            raise TypeError(f"rows: {shown(target)} is one row; give the batch, and rows")
        indices = None
    else:
        indices = _different_rows(table, rows)
    if isinstance(value, str):
        value = column.spelled(value)
    parts = tuple(range(column.width)) if part is None else (part,)
    if column.color_space and part is None and np.shape(value)[-1:] == (3,):
        parts = (0, 1, 2)  # the tween does not change alpha
    width = len(parts)
    dtype = column.data.dtype
    if indices is not None:
        goal = _goals(name, value, len(indices), width, dtype)
        return ColumnTarget(target, table, column, parts, indices, goal)
    assert isinstance(target, Handle)
    goals = _plain(value, width, dtype)
    if goals is None:
        goals = _goals(name, value, 1, width, dtype)[:, 0].tolist()
    if at_once:
        return RowTarget(target.batch, table, column, parts, target.row, goals)
    row = np.array([target.row])
    return ColumnTarget(target.batch, table, column, parts, row, np.array(goals)[:, None])


def _check_numbers(name: str, column: TableColumn) -> None:
    if column.data.dtype.kind != "f":
        raise TypeError(
            f"{name}: expected a column of floats, {name} has {column.data.dtype}, which "
            "has no values in between"
        )
    if len(column.cell) > 1:
        raise TypeError(f"{name}: expected a column of numbers or vectors, {name} has matrices")


def _different_rows(table: Table, rows: object) -> Rows:
    """Return the indices of ``rows``, or of all rows if ``rows`` is None. Raise `ValueError` if a
    row occurs twice.
    """
    table.close_holes()
    picked = row_indices(slice(None) if rows is None else rows, table.count)
    indices = np.arange(table.count)[picked]
    if len(np.unique(indices)) < len(indices):
        raise wrong_value("rows", "different rows", rows)
    return indices


def _goals(name: str, value: ArrayLike, n: int, width: int, dtype: np.dtype[Any]) -> Doubles:
    """Return the final values of ``n`` rows, rounded to the type of the column. The array has the
    shape (width, n).
    """
    scratch = np.empty((n,) if width == 1 else (n, width), dtype)
    assign_to(name, scratch, value)
    if not np.isfinite(scratch).all():
        raise wrong_value(name, "finite numbers", value)
    return scratch.reshape(n, width).T.astype(np.float64)


_MAX_PLAIN = 3.4e38  # the largest float32, rounded down
_MAX_WHOLE = 2**53  # every smaller integer has an exact float


_AS_FLOAT32 = [Struct(f"={count}f") for count in range(_MAX_NUMBERS + 1)]


def _plain(value: object, width: int, dtype: np.dtype[Any]) -> list[float] | None:
    """Return the numbers of a value for one row. The numbers are rounded to the type of the column.
    If ``value`` is not a number or a tuple of numbers, return None. The caller then uses a slower
    function, which converts the value or raises an error.
    """
    numbers: object = value if type(value) is tuple else (value,) * width
    if not isinstance(numbers, tuple) or len(numbers) != width or dtype != np.float32:
        return None
    if width > _MAX_NUMBERS:
        return None
    for each in numbers:
        limit = _MAX_PLAIN if type(each) is float else _MAX_WHOLE if type(each) is int else 0
        if not limit or not -limit < each < limit:
            return None
    rounded = _AS_FLOAT32[width]
    return [*rounded.unpack(rounded.pack(*numbers))]


OTHER_OPTIONS = {
    **dict.fromkeys(("time", "seconds", "secs", "length", "dur"), "did you mean duration?"),
    **dict.fromkeys(("easing", "ease_type", "transition", "tween_type"), "did you mean ease?"),
    **dict.fromkeys(
        ("on_complete", "on_end", "on_finish", "callback", "then", "finished"),
        "write self.schedule.once(lambda dt: …, seconds), or await the tween in a routine",
    ),
    **dict.fromkeys(("loop", "loops", "repeats", "looping"), "write repeat=3 or repeat=math.inf"),
    **dict.fromkeys(("yoyo", "pingpong", "auto_reverse"), "did you mean ping_pong?"),
}
"""Hints for error messages, by the names that other engines use for options of tweens."""


def _check_attribute(target: object, name: str) -> None:
    """Raise `AttributeError` if ``target`` does not have the attribute, or if the attribute is
    read-only.
    """
    kind = type(target)
    try:
        getattr(target, name)
    except AttributeError as error:
        if isinstance(inspect.getattr_static(kind, name, None), Moved):
            raise  # the error message contains the new name
        if name in OTHER_OPTIONS:
            raise TypeError(f"tween: unknown option {name!r}; {OTHER_OPTIONS[name]}") from error
        if isinstance(inspect.getattr_static(kind, name, None), Absent):
            raise AttributeError(f"{name}: {error}") from error
        import difflib  # needed only for error messages

        public = [candidate for candidate in dir(target) if candidate[:1] != "_"]
        near = difflib.get_close_matches(name, public, 1, 0.5)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise AttributeError(f"{name}: {kind.__name__} has no such attribute{hint}") from error
    descriptor = getattr(kind, name, None)
    if isinstance(descriptor, property) and descriptor.fset is None:
        raise AttributeError(f"{name}: this attribute of {kind.__name__} is read-only")


def _numbers_of(name: str, value: object) -> tuple[list[float], Kind]:
    """Return the numbers in the value of an attribute, and the type of the value: tuple, list or
    array, or None for a single number.
    """
    kind: Kind
    if isinstance(value, np.ndarray) and value.ndim == 1:
        kind = np.ndarray
    elif isinstance(value, tuple | list):
        kind = list if isinstance(value, list) else tuple
    elif isinstance(value, str | bytes) or is_flag(value) or value is None or ndim(value):
        raise wrong_type(name, "an attribute with one number or a few", value)
    else:
        return [number(name, value)], None
    if not 0 < len(value) <= _MAX_NUMBERS:
        raise wrong_value(name, f"an attribute of at most {_MAX_NUMBERS} numbers", value)
    return [number(name, item) for item in value], kind


def _goal_of(name: str, value: Any, width: int, kind: Kind) -> Sequence[float]:
    if isinstance(value, str) and width in (3, 4) and kind is not None:
        # Three numbers are a color of light. Four numbers are a color in sRGB.
        return color(name, value, as_light=width == 3)[:width]
    if kind is None:
        return [number(name, value)]
    numbers, _ = _numbers_of(name, list(value) if ndim(value) else [value] * width)
    if len(numbers) != width:
        raise wrong_value(name, f"{width} numbers", value)
    return numbers
