"""Share the rows of batches (such as sprites) between two processes: one writes, the other draws.

For each column of a batch, the shared memory has several *slots*, each large enough for all rows. A
state uses two slots per column: one for the current values, and one for the values of the previous
tick. A column that does not change keeps its slot. The drawing process reports which states it no
longer draws, and the writing process never overwrites a slot that may still be drawn. Therefore no
lock is needed. With a lock, a process could wait forever if the other process had crashed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import FrameworkError
from ..motion.clip_columns import PlayedPoses2D
from ..state.columns import Table, TableColumn, differ
from ..state.previous import Frozen
from ..state.received_columns import Received, receive_rows, stop_receiving
from .shared_memory import SharedMemory

MAX_AHEAD = 4
"""The maximum number of states that the reader can request in advance."""
# The number of slots for each column. The drawn state, the requested states and the next state may
# exist at the same time, and each of them uses at most two slots of a column.
_SLOTS = 2 * (MAX_AHEAD + 2)
_MIN_ROWS = 64  # memory is allocated for at least this number of rows
_ALIGNMENT = 64
_NEVER = -(1 << 62)

IDS = "ids"
"""The name of the slots with the ids of rows. The slots of columns have the names of the
columns.
"""

Slot = tuple[int, int]
"""The number of a slot, and the number of the state in which the slot was written."""

ColumnPlan = tuple[str, str, tuple[int, ...], int, int]
"""The position of a column in the shared memory. A plan has five parts: the name, the dtype, the
shape of a row, the position of the first byte, and the size of a slot in bytes.
"""

BatchState = tuple[int, int, int, Slot | None, tuple[tuple[Slot, Slot], ...]]
"""The state of a batch: the number of its memory, the number of rows, the next id, the slot of the
ids, and two slots for each column. If the slot of the ids is None, the ids are 0, 1, 2 and so on.
"""


class NewMemory(NamedTuple):
    """New shared memory for a batch. The reader must open the new memory before it reads the next
    state.
    """

    memory: SharedMemory
    size: int
    plan: tuple[ColumnPlan, ...]


def shared_columns(table: Table) -> list[TableColumn]:
    """Return the columns that the window needs to draw the batch, and the columns that the game may
    read in `draw`.
    """
    hidden = set(table.derived)
    own = table.observer.column if table.observer is not None else None
    drawn = [column for column in table.drawn if column is not own and column.name not in hidden]
    return drawn + [
        column
        for column in table.own.values()
        if not column.data.dtype.hasobject and column not in drawn
    ]


class _Ring:
    """The slots of one column, for the writer."""

    def __init__(self, views: list[NDArray[Any]]) -> None:
        self._views = views
        # For each slot: the number of the last state that uses the slot.
        self._used = [_NEVER] * len(views)
        self._written = [-1] * len(views)
        self.current = -1
        self.previous = -1
        self.count = 0

    def rows(self, slot: int) -> NDArray[Any]:
        return self._views[slot][: self.count]

    def write(self, rows: NDArray[Any], number: int, released: int) -> int:
        """Copy ``rows`` to a free slot, and return the number of the slot."""
        for slot, used in enumerate(self._used):
            if used <= released and slot not in (self.current, self.previous):
                self._views[slot][: len(rows)] = rows
                self._used[slot] = number
                self._written[slot] = number
                return slot
        raise FrameworkError("shared states: no slot is free")  # pragma: no cover

    def write_current(self, rows: NDArray[Any], number: int, released: int) -> int:
        """Write the current values of the column, unless they are still in the current slot. Return
        the slot with the current values of the state before, or -1 if the number of rows has
        changed.
        """
        before = self.current
        is_resized = self.count != len(rows)
        if is_resized or before < 0 or differ(rows, self.rows(before)):
            self.current = self.write(rows, number, released)
        self.count = len(rows)
        return -1 if is_resized else before

    def write_previous(self, rows: NDArray[Any], before: int, number: int, released: int) -> None:
        """Write the previous values of the column, unless they are in the current slot or in the
        slot ``before``.
        """
        self.previous = self.current
        if not differ(rows, self.rows(self.current)):
            return
        if before >= 0 and not differ(rows, self.rows(before)):
            self.previous = before
        else:
            self.previous = self.write(rows, number, released)

    def refer(self, slot: int, number: int) -> Slot:
        """Record that the state ``number`` uses the slot."""
        self._used[slot] = number
        return slot, self._written[slot]


class BatchWriter:
    """Writes the rows of one batch into shared memory after each tick."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._columns = shared_columns(table)
        self._generation = -1
        self._capacity = 0
        self._rings: list[_Ring] = []
        self._frozen: list[Frozen | None] = []
        self._ids: tuple[object, int] = (None, -1)

    def write(self, number: int, released: int) -> tuple[BatchState, NewMemory | None]:
        """Write the state after a tick, and return a description of this state. The second result
        is the new memory if the batch needs more memory, otherwise None.

        ``number`` is the number of this state. ``released`` is the number of the newest state that
        the reader no longer draws.
        """
        table = self._table
        table.close_holes()
        table.settle()
        n = table.count
        new = self._allocate(n) if n > self._capacity or not self._rings else None
        images = table.shown_images(slice(0, n)) if isinstance(table, PlayedPoses2D) else None
        slots = []
        for index, column in enumerate(self._columns):
            computed = images if column.name == "image" else None
            slots.append(self._write_column(index, computed, n, number, released))
        state = (
            self._generation,
            n,
            table.ids.next(n),
            self._write_ids(n, number, released),
            tuple(slots),
        )
        return state, new

    def _write_column(
        self, index: int, computed: NDArray[Any] | None, n: int, number: int, released: int
    ) -> tuple[Slot, Slot]:
        """If a column has changed, write its current and previous values. Return the slots of the
        current and the previous values. If ``computed`` is not None, write ``computed`` instead of
        the column's current values.
        """
        column = self._columns[index]
        ring = self._rings[index]
        # Read before `current`, because `current` marks the array as used by the game.
        frozen = column.kept()
        same = computed is None and frozen is self._frozen[index] and n == ring.count
        self._frozen[index] = frozen
        if same and not column.touched and ring.previous == ring.current >= 0:
            slot = ring.refer(ring.current, number)
            return slot, slot
        current = column.current(n) if computed is None else computed
        before = ring.current if same else ring.write_current(current, number, released)
        if column.interpolated:
            ring.write_previous(column.previous(n), before, number, released)
        else:
            ring.previous = ring.current
        return ring.refer(ring.current, number), ring.refer(ring.previous, number)

    def _write_ids(self, n: int, number: int, released: int) -> Slot | None:
        table = self._table
        if table.ids.plain:
            return None
        ring = self._rings[-1]
        state = table.ids.state
        if self._ids[0] is not state or self._ids[1] != n or ring.current < 0:
            self._ids = state, n
            ring.count = n
            ring.current = ring.write(table.ids.values(n), number, released)
        return ring.refer(ring.current, number)

    def _allocate(self, rows: int) -> NewMemory:
        """Allocate new memory for at least ``rows`` rows."""
        self._capacity = capacity = max(rows, 2 * self._capacity if self._rings else 0, _MIN_ROWS)
        self._generation += 1
        plan, size = self._plan(capacity)
        memory = SharedMemory.create(size)
        self._rings = [_Ring(_views(memory, part, capacity)) for part in plan]
        self._frozen = [None] * len(self._columns)
        self._ids = None, -1
        return NewMemory(memory, size, tuple(plan))

    def _plan(self, capacity: int) -> tuple[list[ColumnPlan], int]:
        """Return where the slots of each column begin in memory for ``capacity`` rows, and the size
        of this memory in bytes. The last entry is for the IDs.
        """
        plan: list[ColumnPlan] = []
        size = 0
        for name, dtype, cell in [
            *((column.name, column.data.dtype, column.cell) for column in self._columns),
            (IDS, np.dtype(np.uint32), ()),
        ]:
            row_bytes = dtype.itemsize * int(np.prod(cell, dtype=np.int64))
            slot_bytes = -(-capacity * row_bytes // _ALIGNMENT) * _ALIGNMENT
            plan.append((name, dtype.str, cell, size, slot_bytes))
            size += slot_bytes * _SLOTS
        return plan, size


def _views(memory: SharedMemory, plan: ColumnPlan, capacity: int) -> list[NDArray[Any]]:
    _, dtype, cell, offset, slot_bytes = plan
    return [
        memory.array(offset + slot * slot_bytes, dtype, (capacity, *cell)) for slot in range(_SLOTS)
    ]


class BatchReader:
    """Makes a batch draw rows that a `BatchWriter` in another process has written."""

    def __init__(self, name: str, table: Table) -> None:
        self._name = name
        self._table = table
        self._columns = shared_columns(table)
        self._memories: dict[int, NewMemory] = {}
        self._next_memory = 0
        self._last: BatchState | None = None
        self._ids: tuple[Slot | None, int, int] | None = None
        self._ids_state: object = None
        self._current: list[NDArray[Any]] = []
        # The current and the previous array of each column. The keys are their slots.
        self._arrays: list[dict[tuple[Slot, int], NDArray[Any]]] = []
        if isinstance(table, PlayedPoses2D):
            table.stop(slice(0, table.count))

    def use(self, new: NewMemory) -> None:
        """Open new shared memory from the writer, which all following states use.

        Raises `FrameworkError` if the batch has different columns in the two processes.
        """
        own = [(column.name, column.data.dtype.str, column.cell) for column in self._columns]
        sent = [part[:3] for part in new.plan[:-1]]
        if own != sent:
            differing = sorted({name for name, *_ in set(own) ^ set(sent)})
            raise FrameworkError(
                f"{self._name}: the columns {', '.join(differing)} of this batch differ in the two "
                "processes; setup() must make the same batches in both"
            )
        self._memories[self._next_memory] = new
        self._next_memory += 1

    def receive(self, state: BatchState) -> None:
        """From now on, draw the rows of ``state``. The rows stay in shared memory and are not
        copied.
        """
        if state == self._last and self._is_drawn():
            return  # no row has changed in this tick
        generation, n, after, id_slot, slots = state
        if self._last is None or self._last[0] != generation:
            self._forget_memory_before(generation)
        self._last = state
        memory = self._memories[generation]
        received = []
        for index, (current, previous) in enumerate(slots):
            now = self._array(memory, index, current, n)
            before = self._array(memory, index, previous, n)
            self._arrays[index] = {(current, n): now, (previous, n): before}
            received.append((self._columns[index], now, before))
        self._current = [now for _, now, _ in received]
        ids = None if id_slot is None else self._array(memory, len(self._columns), id_slot, n)
        self._pass_on(received, n, after, id_slot, ids)

    def _forget_memory_before(self, generation: int) -> None:
        self._memories = {
            number: memory for number, memory in self._memories.items() if number >= generation
        }
        self._arrays = [{} for _ in (*self._columns, IDS)]

    def _pass_on(
        self,
        received: Received,
        n: int,
        after: int,
        id_slot: Slot | None,
        shared_ids: NDArray[Any] | None,
    ) -> None:
        table = self._table
        table.close_holes()
        key = id_slot, n, after
        ids: NDArray[Any] | None = None
        if key != self._ids or table.count != n or table.ids.state is not self._ids_state:
            self._ids = key
            ids = np.arange(n, dtype=np.uint32) if shared_ids is None else shared_ids.copy()
            if table.count == n and np.array_equal(ids, table.ids.values(n)):
                ids = None
        receive_rows(table, received, n, ids, after)
        self._ids_state = table.ids.state

    def _is_drawn(self) -> bool:
        """Return whether the batch is still drawing the last received state. The result is False if
        the game has restored a snapshot or added rows.
        """
        table = self._table
        columns = zip(self._columns, self._current, strict=True)
        return not table.holes and all(column.data is array for column, array in columns)

    def _array(self, memory: NewMemory, index: int, slot: Slot, n: int) -> NDArray[Any]:
        """Return an array with the rows of a slot. If the last state used the same slot, return the
        same array object.
        """
        array = self._arrays[index].get((slot, n))
        if array is None:
            _, dtype, cell, offset, slot_bytes = memory.plan[index]
            first = offset + slot[0] * slot_bytes
            array = memory.memory.array(first, dtype, (n, *cell))
            array.flags.writeable = False
        return array

    def stop(self) -> None:
        """Copy the rows from shared memory into this process, so that the batch no longer uses the
        shared memory.
        """
        stop_receiving(self._table)
        self._last = self._ids = None
