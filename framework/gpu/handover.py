"""Copy the rows of a batch that have changed, such as moved sprites, to GPU buffers.

Each interpolated column, such as the position, has up to two GPU buffers, which are called slot 0
and slot 1. One slot contains the values before a tick, and the other slot contains the values after
the tick. These are also the values before the next tick. Therefore, only the values after the tick
are uploaded in each tick, and the two slots swap their roles. If a column did not change in a tick,
shaders read both values from the same slot. Nothing is uploaded for frames between two ticks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Rows
from ..state.columns import TableColumn
from ..state.transforms import PoseTable
from ..state.uploads import MAX_PATCHES
from .gl import moderngl
from .graphics import in_context

# Each position is uploaded as a whole number of cells and a remainder. `CELL` is the size of a cell
# in units, a power of two. With cells, positions near the camera have full precision everywhere in
# the world. shaders/include/frame3d.glsl has the same number.
CELL = 1024.0

# A part of a vertex array: the buffer, the format of the buffer's rows, and the names of the shader
# attributes.
Part = tuple[Any, ...]

# A buffer with at most this number of packed numbers is uploaded completely. Uploading only one
# range of its rows would take the same time.
_MIN_PATCHED_ROWS = 4096

# A dict from dtypes to moderngl's formats, and the sizes in bytes of all types that do not have 4
# bytes.
_FORMATS = {"float32": "{}f", "int32": "{}i", "bool": "{}u1"}
_BYTES = {"u1": 1, "u2": 2}


def in_cells(positions: NDArray[np.float64]) -> Floats:
    """Split each position into two parts: whole cells of `CELL` units, and the remainder in units.
    ``positions`` has the shape (n, 3). The returned array is float32 with the shape (n, 6).

    Cell numbers up to 2^24 are exact in float32.
    """
    cells = np.rint(positions / CELL)
    return np.concatenate(
        [cells, positions - cells * CELL], axis=1, dtype=np.float32, casting="same_kind"
    )


class BufferView(NamedTuple):
    """A GPU buffer with the values of a column, and the layout of the buffer. The game's own
    shaders can read the buffer.
    """

    buffer: moderngl.Buffer
    """The buffer. An upload may replace the buffer, so read this attribute in each frame."""
    dtype: np.dtype[Any]
    components: int
    """The number of values in a row of the column."""
    stride: int
    """The number of bytes from one row to the next."""
    rows: int


class Handover:
    """The GPU buffers for the columns of a table, and the vertex arrays through which shaders read
    the buffers.

    ``blended`` are the columns that shaders interpolate between ticks. ``singles`` are the columns
    that are not interpolated. For ``singles``, the GPU stores only the newest values.
    """

    def __init__(
        self, ctx: moderngl.Context, blended: Sequence[TableColumn], singles: Sequence[TableColumn]
    ) -> None:
        self._ctx = ctx
        self.blended = [ColumnBuffer(ctx, column) for column in blended]
        self.singles = [ColumnBuffer(ctx, column) for column in singles]
        self.buffers = [*self.blended, *self.singles]
        self._read = tuple(self.buffers)
        self._observed: Sequence[TableColumn] = ()
        self._rows = 0
        self.generation = 0
        """The number of times that the buffers were replaced. A vertex array that is older than the
        last replacement must not be used.
        """
        self._arrays: dict[tuple[object, ...], moderngl.VertexArray] = {}
        # The vertex array of each shader program, for the current slots.
        self._current: dict[moderngl.Program, moderngl.VertexArray] = {}

    @classmethod
    def of(cls, ctx: moderngl.Context, table: PoseTable, *singles: TableColumn) -> Handover:
        """Return a new `Handover` for a table. The `Handover` uploads the columns that the table's
        motion needs. The `Handover` also uploads the columns in ``singles``.
        """
        observer = table.observer
        if observer is None:
            return cls(ctx, table.blended, singles)
        handover = cls(ctx, table.blended, [*singles, observer.column])
        handover.singles[-1].parts = observer.parts
        handover._observed = table.observed
        return handover

    @property
    def uploaded(self) -> int:
        """The total number of bytes uploaded to the GPU so far."""
        return sum(buffer.uploaded for buffer in self.buffers)

    @property
    def memory(self) -> int:
        """The total size of all buffers on the GPU, in bytes."""
        return sum(
            slot.size for buffer in self.buffers for slot in buffer.slots if slot is not None
        )

    def views(self) -> dict[str, BufferView]:
        """Return a dict from column names to `BufferView` objects.

        An interpolated column also has an entry "previous_…" with its values before the last tick.
        The entry "info" contains several columns, packed into one number per row.
        """
        views = {}
        for buffer in self.buffers:
            name = "info" if isinstance(buffer, PackedBuffer) else buffer.column.name
            views[name] = buffer.view(buffer.current)
            if buffer in self.blended:
                views[f"previous_{name}"] = buffer.view(buffer.previous)
        return views

    def reserve(self, rows: int) -> None:
        """Make each buffer large enough for ``rows`` rows."""
        if rows != self._rows:
            self._rows = rows
            self.generation += 1
            self.release_arrays()
            for buffer in self.buffers:
                buffer.reserve(rows)

    def hand_over(self, n: int, ticked: bool, order: Rows | None = None) -> None:
        """Upload the changed columns of the first ``n`` rows.

        ``ticked`` is True if a tick has started since the last upload. If ``ticked`` is True, the
        last uploaded values become the values before the tick. ``order`` contains the row indices
        in drawing order. If ``order`` is None, rows are drawn in the order of the table.
        """
        # First check all columns, then write the changed columns, then mark all columns as
        # uploaded. A single loop would be slower, because it would alternate between modules for
        # every column.
        written = [
            (buffer, moved) for buffer in self._read if (moved := buffer.changes(n)) is not None
        ]
        if written:
            self._current.clear()
        for buffer, moved in written:
            if buffer.column.interpolated:
                buffer.upload(n, moved, ticked, order)
            else:
                buffer.upload_single(n, moved, order)
        for buffer, moved in written:
            buffer.column.handed_over(n, moved)
        for column in self._observed:
            column.handed_over(n, column.changed(n))

    def hand_over_moved(self, n: int, ticked: bool, moved: Sequence[TableColumn]) -> None:
        """Upload rows like `hand_over`, but faster. Use `hand_over_moved` only if rows are drawn in
        the order of the table and only the columns ``moved`` have changed.

        All columns in ``moved`` must be interpolated.
        """
        self._current.clear()
        for buffer in self.blended:
            column = buffer.column
            if (
                column in moved
                or buffer.previous != buffer.current
                or column.uploads.unsent
                or not column.settled
            ):
                buffer.upload(n, column in moved, ticked, None)
                column.handed_over(n, column in moved)

    def array(
        self,
        program: moderngl.Program,
        parts_of: Callable[[], Sequence[Part]],
        index_buffer: Any = None,
    ) -> moderngl.VertexArray:
        """Return the vertex array that ``program`` needs to read the columns. The vertex array
        contains the buffers with the values before and after the tick, and the buffers from
        ``parts_of()``.

        The `Handover` caches one vertex array for each combination of buffers.
        """
        array = self._current.get(program)
        if array is not None:
            return array
        slots = [slot for buffer in self.blended for slot in (buffer.previous, buffer.current)]
        key = (program, *slots)
        array = self._arrays.get(key)
        if array is None:
            extra_parts = [
                (buffer, *read_by(program, format, *names)) for buffer, format, *names in parts_of()
            ]
            content = [part for part in [*self._content(program), *extra_parts] if len(part) > 2]
            array = self._arrays[key] = self._ctx.vertex_array(
                program, content, index_buffer=index_buffer
            )
        self._current[program] = array
        return array

    def _content(self, program: moderngl.Program) -> list[Part]:
        content: list[Part] = []
        for buffer in self.blended:
            for slot, prefix in ((buffer.previous, "in_previous_"), (buffer.current, "in_")):
                content.append((buffer.buffer_of(slot), *read_by(program, *buffer.layout(prefix))))
        for buffer in self.singles:
            content.append((buffer.buffer_of(0), *read_by(program, *buffer.layout("in_"))))
        return content

    def release_arrays(self) -> None:
        """Release all vertex arrays. Calling `array` again creates a new vertex array."""
        for array in self._arrays.values():
            array.release()
        self._arrays.clear()
        self._current.clear()

    def release(self) -> None:
        self.release_arrays()
        for buffer in self.buffers:
            buffer.release()


class SharedHandover(Handover):
    """The vertex arrays of a second mesh that is drawn with the same rows as the `Handover`
    ``source``.

    Only ``source`` uploads the columns and releases the buffers.
    """

    def __init__(self, ctx: moderngl.Context, source: Handover) -> None:
        super().__init__(ctx, (), ())
        self.blended = source.blended
        self.singles = source.singles
        self._source = source

    def array(
        self,
        program: moderngl.Program,
        parts_of: Callable[[], Sequence[Part]],
        index_buffer: Any = None,
    ) -> moderngl.VertexArray:
        """Return the vertex array of ``program``; see `Handover.array`."""
        if self.generation != self._source.generation:
            self.generation = self._source.generation
            self.release_arrays()
        self._current.clear()  # the source changes its slots without a call to this object
        return super().array(program, parts_of, index_buffer)


def refill_buffer(buffer: moderngl.Buffer, data: NDArray[Any]) -> None:
    """Write ``data`` to the start of a buffer. The buffer loses its old content.

    When `refill_buffer` is called, the GPU may still be reading the old content. If ``data`` fills
    the whole buffer, the driver automatically allocates new memory for the buffer. If ``data`` is
    smaller than the buffer, `refill_buffer` asks the driver for new memory. With new memory, the
    CPU does not have to wait for the GPU. Mesa's noop driver, which draws nothing, would crash
    without new memory.
    """
    if data.nbytes < buffer.size:
        buffer.orphan()
    buffer.write(data)


def patch_buffer(
    ctx: moderngl.Context, buffer: moderngl.Buffer, data: NDArray[Any], offset: int
) -> None:
    """Write ``data`` to a buffer, from the byte ``offset`` on. The other bytes of the buffer do not
    change.

    `patch_buffer` copies ``data`` through a temporary buffer, so that the CPU does not have to wait
    for the GPU.
    """
    staging = ctx.buffer(data)
    ctx.copy_buffer(buffer, staging, data.nbytes, write_offset=offset)
    staging.release()


def read_by(program: moderngl.Program, format: str, *names: str) -> Part:
    """Return a buffer format and the names of its attributes, for the attributes that ``program``
    reads. Attributes that ``program`` does not read are left out.

    The game's own shaders may use fewer columns than the buffer contains.
    """
    formats, _, per = format.partition("/")
    parts = []
    read = []
    for part, name in zip(formats.split(), names, strict=True):
        used = name in program
        parts.append(part if used else _padding(part))
        read += [name] if used else []
    return (" ".join(parts) + (f"/{per}" if per else ""), *read)


def _padding(part: str) -> str:
    """Return a format that skips the bytes of an unused attribute. For "3f", return "12x"."""
    digits = len(part) - len(part.lstrip("0123456789"))
    return f"{int(part[:digits]) * _BYTES.get(part[digits:], 4)}x"


class ColumnBuffer:
    """The GPU buffers of one column.

    ``previous`` is the slot (0 or 1) with the values before a tick. ``current`` is the slot with
    the values after the tick. If the values before and after the tick are equal, ``previous`` and
    ``current`` are the same slot. ``uploaded`` is the total number of bytes uploaded so far.
    """

    def __init__(
        self, ctx: moderngl.Context, column: TableColumn, parts: Sequence[tuple[str, int]] = ()
    ) -> None:
        self.column = column
        self.parts = parts
        self.previous = self.current = 0
        self.uploaded = 0
        self.slots: list[moderngl.Buffer | None] = [None, None]
        self.in_cells = column.data.dtype == np.float64
        """True if float64 rows are converted with `in_cells` before the upload. The number of bytes
        stays the same. Shaders in OpenGL 3.3 have no float64.
        """
        self._row_bytes = column.width * column.data.itemsize
        self._ctx = ctx
        self._rows = 0
        # whether the order of the uploaded rows differs from the order of the column
        self._ordered = True

    def moment(self, alpha: float) -> tuple[float, ...]:
        """Return a cache key for the rows of a frame that is drawn at ``alpha``. While the key
        stays the same, the drawn rows stay the same.
        """
        return (
            self.uploaded,
            self.previous,
            self.current,
            1.0 if self.previous == self.current else alpha,
        )

    def layout(self, prefix: str) -> tuple[str, ...]:
        """Return the format of one row, and the names of the shader attributes for the row. Each
        name is ``prefix``, followed by the name of the column.
        """
        name = self.column.name
        dtype = str(self.column.data.dtype)
        if self.parts:
            formats = [_FORMATS[dtype].format(width) for _, width in self.parts]
            return f"{' '.join(formats)}/i", *[f"{prefix}{name}_{part}" for part, _ in self.parts]
        if self.in_cells:
            return "3f 3f/i", f"{prefix}{name}_cell", f"{prefix}{name}"
        return f"{_FORMATS[dtype].format(self.column.width)}/i", f"{prefix}{name}"

    def reserve(self, rows: int) -> None:
        """Set the size of the buffers to ``rows`` rows. The old buffers are released. The next
        upload creates new buffers.
        """
        self.release()
        self._rows = rows
        self.column.uploads.stale = True

    def changes(self, n: int) -> bool | None:
        """Return whether one of the first ``n`` rows has changed. Return None if nothing needs to
        be uploaded.
        """
        column = self.column
        uploads = column.uploads
        changed = column.changed(n) if column.interpolated else column.news(n)
        if changed or column.touched or uploads.unsent or uploads.stale or uploads.sent != n:
            return changed
        return (
            False
            if self.previous != self.current or not column.settled or uploads.patches
            else None
        )

    def upload(self, n: int, changed: bool, ticked: bool, order: Rows | None) -> None:
        """Upload the changed values of the first ``n`` rows, both before and after the tick.

        ``changed`` is True if the values after the tick differ from the values before the tick.
        """
        column = self.column
        uploads = self.column.uploads
        if uploads.stale:
            previous = column.previous(n) if changed else None
            self.previous = self.current = 0
            if previous is not None:
                self._write(0, previous, order)
                self.current = 1
            self._write(self.current, column.data[:n], order)
        else:
            holder = self.current if column.advanced(ticked) else self.previous
            if uploads.patches or uploads.sent != n:
                self._patch(holder, column.previous(n), order)
            self.previous = self.current = holder
            if changed:
                self.current = 1 - holder
                self._write(self.current, column.data[:n], order)
        self._ordered = order is not None
        uploads.source = self

    def upload_single(self, n: int, changed: bool, order: Rows | None) -> None:
        """Upload a column that is not interpolated. The GPU stores only the newest values of a
        column that is not interpolated.

        If ``changed`` is True, the method uploads all rows. If ``changed`` is False, the method
        uploads only new rows and patches. A patch is a group of single rows that were written since
        the last upload.
        """
        column = self.column
        uploads = self.column.uploads
        if changed:
            self._write(0, column.data[:n], order)
        elif uploads.sent != n or uploads.patches:
            self._patch(0, column.data[:n], order)

    @property
    def keeps_states(self) -> bool:
        """Whether the buffers contain the values before and after the tick, in the same order and
        format as the column.
        """
        return not (self._ordered or self.in_cells or self.column.displacement is not None)

    def fetch(self, newest: bool) -> NDArray[Any]:
        """Read the values of a column from the GPU. If ``newest`` is False, return the values from
        before the last tick. `fetch` waits until the GPU has finished.
        """
        column = self.column
        buffer = self._buffer(self.current if newest else self.previous)
        with in_context(self._ctx):
            rows = np.frombuffer(
                buffer.read(column.uploads.sent * self._row_bytes), column.data.dtype
            )
        return rows.reshape(-1, column.width) if column.width > 1 else rows

    def _patch(self, slot: int, state: NDArray[Any], order: Rows | None) -> None:
        uploads = self.column.uploads
        pieces = None if order is not None else _pieces(uploads.patches, uploads.sent)
        if pieces is None:
            self._write(slot, state, order)
            return
        for start, stop in [*pieces, (uploads.sent, len(state))]:
            self.patch(slot, start, state[start:stop])

    def _write(self, slot: int, state: NDArray[Any], order: Rows | None) -> None:
        if self.column.displacement is not None:
            state = self.column.displacement(state)
        self.write(slot, state if order is None else state[order])

    def write(self, slot: int, rows: NDArray[Any]) -> None:
        """Replace the content of a slot with ``rows``, which are in drawing order. All old rows in
        the slot are lost.
        """
        if not len(rows):
            return
        if self.in_cells:
            rows = in_cells(rows)  # the result has the same number of bytes
        refill_buffer(self._buffer(slot), rows)
        self.uploaded += rows.nbytes

    def patch(self, slot: int, start: int, rows: NDArray[Any]) -> None:
        """Replace a part of a slot with ``rows``, from the row ``start`` on. The other rows in the
        slot do not change.

        The GPU copies the rows, so the CPU does not wait for the GPU.
        """
        if not len(rows):
            return
        if self.in_cells:
            rows = in_cells(rows)  # the result has the same number of bytes
        patch_buffer(self._ctx, self._buffer(slot), rows, start * self._row_bytes)
        self.uploaded += rows.nbytes

    def _buffer(self, slot: int) -> moderngl.Buffer:
        buffer = self.slots[slot]
        if buffer is None:
            buffer = self.slots[slot] = self._ctx.buffer(
                reserve=max(self._rows, 1) * self._row_bytes, dynamic=True
            )
        return buffer

    def buffer_of(self, slot: int) -> moderngl.Buffer:
        """Return the GPU buffer of a slot, and create the buffer if necessary."""
        return self._buffer(slot)

    def view(self, slot: int) -> BufferView:
        """Return the GPU buffer of a slot, with its layout. The view has the dtype of the column.
        For a float64 column, the view has the dtype float32.
        """
        column = self.column
        dtype = np.dtype("f4") if self.in_cells else column.data.dtype
        components = self._row_bytes // dtype.itemsize
        return BufferView(
            self._buffer(slot), dtype, components, self._row_bytes, column.uploads.sent
        )

    def release(self) -> None:
        self.column.drop_source()
        for buffer in self.slots:
            if buffer is not None:
                buffer.release()
        self.slots = [None, None]


class PackedBuffer(ColumnBuffer):
    """A GPU buffer for several columns that are packed into one number per row. The GPU stores only
    the newest values of packed columns.

    ``pack(rows)`` is a function that packs the values of ``rows`` into uint32 numbers. ``rows`` is
    a slice or an array of row indices. The first column must have 4 bytes per row, the size of a
    packed number. The number of uploaded rows is stored with the first column. If only a few ranges
    of rows have changed, the buffer packs and uploads only the changed ranges. After the game has
    changed single rows, the buffer caches all packed numbers. The cache saves time, because packing
    all rows takes longer than uploading them.
    """

    def __init__(
        self,
        ctx: moderngl.Context,
        columns: Sequence[TableColumn],
        pack: Callable[[Any], NDArray[np.uint32]],
    ) -> None:
        super().__init__(ctx, columns[0])
        self._columns = columns
        self._pack = pack
        # the numbers of the last upload, or None before the first patch
        self._cached_numbers: NDArray[np.uint32] | None = None

    def view(self, slot: int) -> BufferView:
        """Return the GPU buffer with its layout: one packed number per row."""
        return super().view(slot)._replace(dtype=np.dtype("u4"), components=1)

    def upload_packed(self, n: int, order: Rows | None) -> None:
        """Upload the packed numbers of the first ``n`` rows if a column has changed."""
        first = self.column
        sent = self.column.uploads.sent
        changed = first.uploads.stale or any([column.news(n) for column in self._columns])  # noqa: C419  (each column updates its state)
        put = {
            id(rows): rows for column in self._columns for rows in column.uploads.patches
        }.values()
        if changed or put or sent != n or any(column.uploads.unsent for column in self._columns):
            for column in self._columns:
                column.handed_over(n, changed)
        if not (changed or put or sent != n):
            return
        pieces = None if changed or order is not None or sent > n else _pieces([*put], sent)
        if pieces is not None and (n > _MIN_PATCHED_ROWS or not put):
            for start, stop in [*pieces, (sent, n)]:
                if start < stop:
                    self.patch(0, start, self._packed(slice(start, stop)))
            return
        numbers = self._numbers(n, sent, put, changed)
        self.write(0, numbers if order is None else numbers[order])

    def _numbers(
        self, n: int, sent: int, put: Iterable[Rows | slice], changed: bool
    ) -> NDArray[np.uint32]:
        """Return the packed numbers of the first ``n`` rows.

        If ``changed`` is False, the method packs only new rows (after ``sent``) and the rows in
        ``put``. ``put`` contains single rows that the game wrote since the last upload.
        """
        cached = self._cached_numbers
        if changed or cached is None or len(cached) < n or sent > n:
            numbers = self._pack(slice(0, n))
            self._cached_numbers = None
            if put:
                self._cached_numbers = np.empty(max(n, self._rows), np.uint32)
                self._cached_numbers[:n] = numbers
            return numbers
        for rows in put:
            self._packed(rows)
        if sent < n:
            self._packed(slice(sent, n))
        return cached[:n]

    def _packed(self, rows: Rows | slice) -> NDArray[np.uint32]:
        """Pack ``rows`` into numbers, and return the numbers. Also update the cached numbers."""
        numbers = self._pack(rows)
        if self._cached_numbers is not None:
            self._cached_numbers[rows] = numbers
        return numbers


def _pieces(patches: Sequence[Rows | slice], n: int) -> list[tuple[int, int]] | None:
    """Return the ranges (start, stop) of changed rows among the first ``n`` rows. If there are more
    than `MAX_PATCHES` ranges, return None.
    """
    pieces: list[tuple[int, int]] = []
    for rows in patches:
        if isinstance(rows, slice):
            pieces.append((rows.start, min(rows.stop, n)))
            continue
        rows = rows[rows < n]
        ends = np.flatnonzero(np.diff(rows) != 1) + 1  # the ends of ranges of consecutive rows
        if len(ends) >= MAX_PATCHES:
            return None
        pieces += [(int(run[0]), int(run[-1]) + 1) for run in np.split(rows, ends) if len(run)]
    return pieces if len(pieces) <= MAX_PATCHES else None
