"""Draw several small sprite batches in one draw call.

Some games have a separate batch for each sprite. Batches that follow each other in the drawing
order form a run if they have the same images, camera and options. All rows of a run are stored
together in a `RowPool`, uploaded together, and drawn in one call. The result looks as if each batch
were drawn separately.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Mask, Rows, repeated_rows
from ..gpu.gl import moderngl
from ..gpu.graphics import Graphics, shared_of
from ..gpu.handover import read_by, refill_buffer
from ..state.backend import DrawableBackend
from ..state.columns import Lease, TableColumn
from ..state.row_pools import RowPool
from .sprite_drawing import SpriteDrawing, packed_info

MIN_BATCHES = 4
"""The minimum number of batches that are combined into a run and drawn in one call. Fewer batches
are drawn one by one.
"""

# The format of a sprite's 15 numbers and an integer, for the vertex array.
_FORMAT = "2f 2f 1f 1f 2f 2f 4f 1u/i"
_ATTRIBUTES = (
    "in_previous_position",
    "in_position",
    "in_previous_angle",
    "in_angle",
    "in_previous_scale",
    "in_scale",
    "in_color",
    "in_info",
)
_POSITION = slice(2, 4)
_SCALE = slice(8, 10)
_INFO = 14
_WIDTH = 15


class PooledSprites:
    """The rows of all runs of sprite batches in a game, in the format that is uploaded to the GPU."""

    not_state = True

    def __init__(self, columns: Sequence[TableColumn]) -> None:
        self.pool = RowPool(columns)
        self.version = 0
        """The number of times that `numbers` has changed."""
        self.numbers: Floats = np.empty((0, _WIDTH), np.float32)
        """The values with which each row of the pool is currently drawn."""
        self.images: NDArray[np.int32] = np.empty(0, np.int32)
        """The index of each row's image."""
        self.layers: NDArray[np.int32] = np.empty(0, np.int32)
        """The layer of each row."""
        self._ticks = -1  # the pool's number of ticks at the last update

    @classmethod
    def of(cls, graphics: Graphics, drawing: SpriteDrawing) -> PooledSprites:
        """Return the `PooledSprites` object of a game. If the game has none yet, create it with the
        columns of the batch ``drawing``.
        """
        shared = shared_of(graphics)
        if not isinstance(shared.pooled_sprites, cls):
            shared.pooled_sprites = cls(drawing.table.drawn)
        return shared.pooled_sprites

    def update(self) -> None:
        """After a tick, copy the values of all rows. Between two ticks, copy only the rows of
        batches that the game has changed.
        """
        pool = self.pool
        ticked = pool.ticks != self._ticks
        if not (ticked or pool.announced or pool.origin is not None):
            return
        leases = list(pool.announced)
        pool.announced.clear()
        numbers = self._computed()
        images = pool.current["image"][: pool.used].copy()
        layers = pool.current["layer"][: pool.used].copy()
        if not ticked:
            origin = np.arange(pool.used) if pool.origin is None else pool.origin[: pool.used]
            same: Mask = (origin >= 0) & (origin < len(self.numbers))
            for lease in leases:
                same[lease.start : lease.start + lease.table.capacity] = False
            before = origin[same]
            numbers[same] = self.numbers[before]
            images[same] = self.images[before]
            layers[same] = self.layers[before]
        pool.origin = None
        self.numbers = numbers
        self.images = images
        self.layers = layers
        self._ticks = pool.ticks
        self.version += 1

    def _computed(self) -> Floats:
        pool = self.pool
        used = pool.used
        current = pool.current
        previous = pool.previous
        numbers: Floats = np.empty((used, _WIDTH), np.float32)
        numbers[:, 0:2] = previous["position"][:used]
        numbers[:, _POSITION] = current["position"][:used]
        numbers[:, 4] = previous["angle"][:used]
        numbers[:, 5] = current["angle"][:used]
        numbers[:, 6:8] = previous["scale"][:used]
        numbers[:, _SCALE] = current["scale"][:used]
        numbers[:, 10:14] = current["color"][:used]
        info = packed_info(
            current["image"][:used], current["visible"][:used], current["flip"][:used]
        )
        numbers.view(np.uint32)[:, _INFO] = info
        return numbers


class SpriteRun:
    """A run of neighboring sprite batches that are drawn in one call.

    ``follows_own`` is True if a drawable of one of the game's own classes is drawn before the run.
    The ``draw`` method of such a drawable may change the batches.
    """

    not_state = True

    def __init__(
        self, drawings: Sequence[SpriteDrawing], rows: PooledSprites, follows_own: bool
    ) -> None:
        self.drawings = tuple(drawings)
        self._follows_own = follows_own
        self._rows = rows
        first = drawings[0]
        self._first = first
        self._atlas = first.atlas
        self._ctx = first.atlas.texture.ctx
        self._tables = [drawing.table for drawing in drawings]
        self._counts: list[int] = []
        self._version = -1
        self._leases: list[Lease | None] = []
        self._order: Rows = np.empty(0, np.intp)  # the pool's rows in drawing order
        self._owners: Rows = np.empty(0, np.intp)  # the index of each row's batch
        self._sent = b""
        self._count = 0
        self._least = math.inf
        self._buffer: moderngl.Buffer | None = None
        self._arrays: dict[moderngl.Program, moderngl.VertexArray] = {}

    @property
    def frontend(self) -> object:
        """The first batch of the run."""
        return self._first.frontend

    @property
    def keeps_light(self) -> bool:
        """Whether the run draws colors brighter than white. Always False."""
        return False

    @property
    def changes_below(self) -> bool:
        """Whether the batches only change the colors of pixels that were drawn before, as with the
        blend mode "multiply".
        """
        return self._first.changes_below

    def notice_writes(self) -> None:
        """Check each batch for changes that the game has made. Called in each frame while the game
        is paused.
        """
        for drawing in self.drawings:
            drawing.notice_writes()
            table = drawing.table
            table.settle()
            if table.lease is not None:
                table.lease.announce()

    def draw(self) -> None:
        """Draw all batches of the run in their drawing order."""
        # The game's own drawable may have removed a batch from the pool in this frame.
        if not self._hand_over():
            for drawing in self.drawings:
                drawing.draw_alone()
            return
        if not self._count:
            return
        program = self._first.prepare(self._least)
        self._array_of(program).render(moderngl.TRIANGLE_STRIP, vertices=4, instances=self._count)

    def is_valid(self) -> bool:
        """Prepare the batches of the run for a frame. Return whether all batches can still be drawn
        in one call.
        """
        atlas = self._atlas
        for drawing in self.drawings:
            frontend = drawing.frontend
            table = drawing.table
            lease = table.lease
            if lease is None or drawing.atlas is not atlas or frontend.y_sort or frontend.uniforms:
                return False
            if table.tick.snapping:
                table.settle()
            if lease.uploads.unsent:
                lease.announce()
        return True

    def _hand_over(self) -> bool:
        """Upload all rows that the game has changed since the last upload. Return False if a batch
        is no longer in the pool of rows.
        """
        rows = self._rows
        if self._follows_own:
            for table in self._tables:
                table.settle()
                if table.lease is not None:
                    table.lease.announce()
        counts = [table.count for table in self._tables]
        # for a new run, the pool has already announced the tables
        if counts != self._counts and self._counts:
            self._announce_resized(counts)
        rows.update()
        if rows.version == self._version and counts == self._counts:
            return True
        leases = [table.lease for table in self._tables]
        if None in leases:
            return False
        if counts != self._counts or leases != self._leases:
            # Batches of another scene may have moved the rows of all batches in memory.
            self._index(counts, leases)
            self._leases = leases
        order = self._sorted()
        self._check_images(rows.images[order])
        numbers = rows.numbers[order]
        self._upload(numbers)
        self._counts = counts
        self._version = rows.version
        return True

    def _announce_resized(self, counts: list[int]) -> None:
        """Notify the pool of batches whose number of rows has changed."""
        for table, count, before in zip(self._tables, counts, self._counts, strict=True):
            if count != before and table.lease is not None:
                table.lease.uploads.unsent = True
                table.lease.announce()

    def _index(self, counts: list[int], leases: list[Lease | None]) -> None:
        """Find the range of each batch's rows in the pool."""
        starts = np.array([lease.start for lease in leases if lease is not None], np.intp)
        owners, row_in_batch = repeated_rows(np.array(counts, np.intp))
        self._owners = owners
        self._order = starts[owners] + row_in_batch

    def _sorted(self) -> Rows:
        """Return the row indices in drawing order. The rows of each batch are sorted by layer."""
        order = self._order
        layers = self._rows.layers[order]
        owners = self._owners
        falls: Mask = (layers[1:] < layers[:-1]) & (owners[1:] == owners[:-1])
        if falls.any():
            return order[np.lexsort((layers, owners))]
        return order

    def _check_images(self, images: NDArray[np.int32]) -> None:
        """Raise `ValueError` if a batch contains the index of an image that does not exist."""
        count = len(self._atlas)
        if len(images) and not 0 <= int(images.min()) <= int(images.max()) < count:
            for drawing in self.drawings:
                drawing.check_images()

    def _upload(self, numbers: Floats) -> None:
        packed = numbers.tobytes()
        if packed == self._sent and self._buffer is not None:
            return
        self._count = len(numbers)
        self._sent = packed
        if not self._count:
            return
        size = numbers.nbytes
        buffer = self._buffer
        if buffer is None or buffer.size < size:
            self._release_buffer()
            buffer = self._buffer = self._ctx.buffer(reserve=2 * size, dynamic=True)
        refill_buffer(buffer, numbers)
        positions: Floats = np.ascontiguousarray(numbers[:, _POSITION])
        if math.isnan(np.vdot(positions, positions)):
            for drawing in self.drawings:
                drawing.warn_of_nan()
        self._least = _least_uneven_scale(numbers[:, _SCALE])

    def _array_of(self, program: moderngl.Program) -> moderngl.VertexArray:
        array = self._arrays.get(program)
        if array is None:
            part = self._buffer, *read_by(program, _FORMAT, *_ATTRIBUTES)
            array = self._arrays[program] = self._ctx.vertex_array(program, [part])
        return array

    def _release_buffer(self) -> None:
        for array in self._arrays.values():
            array.release()
        self._arrays.clear()
        if self._buffer is not None:
            self._buffer.release()
            self._buffer = None

    def release(self) -> None:
        """Release the GPU memory of the run. The rows of the batches stay in the pool."""
        self._release_buffer()


def _least_uneven_scale(scales: Floats) -> float:
    """Return the smallest positive scale among the sprites whose x scale and y scale differ. Without
    such a sprite, return infinity.
    """
    sides: Floats = np.abs(scales[scales[:, 0] != scales[:, 1]])
    return float(sides.min(initial=math.inf, where=sides > 0))


class Grouping(NamedTuple):
    """A list of drawables in which `SpriteRun` objects replace runs of sprite batches."""

    steps: tuple[tuple[Any, Any], ...]
    """The drawing steps. Each step is a pair of a drawable (or a run) and its camera."""
    runs: tuple[SpriteRun, ...]
    is_complete: bool
    """False if some batches may be able to join a run later."""


def grouped(drawn: Iterable[tuple[Any, Any]], graphics: Graphics) -> Grouping:
    """Replace runs of batches in a list of drawables with `SpriteRun` objects. ``drawn`` contains
    pairs of a backend and its camera, in drawing order.
    """
    steps: list[tuple[Any, Any]] = []
    runs: list[SpriteRun] = []
    is_complete = True
    follows_own = False
    for key, pairs in _neighbors(drawn):
        follows_own = follows_own or any(isinstance(pair[0], DrawableBackend) for pair in pairs)
        if key is None or len(pairs) < MIN_BATCHES:
            steps += pairs
            is_complete = not _leave(pairs) and is_complete
            continue
        rows = PooledSprites.of(graphics, pairs[0][0])
        for joined, part in _split(pairs, rows.pool):
            if joined and len(part) >= MIN_BATCHES:
                run = SpriteRun([backend for backend, _ in part], rows, follows_own)
                runs.append(run)
                steps.append((run, part[0][1]))
            else:
                steps += part
                _leave(part)
                is_complete = False
    if runs:
        rows.pool.compact()
    return Grouping(tuple(steps), tuple(runs), is_complete)


def _leave(pairs: Iterable[tuple[Any, Any]]) -> bool:
    """Move the rows of batches out of the pool, because these batches are drawn alone. Return
    whether ``pairs`` contains a sprite batch.
    """
    drawings = [backend for backend, _ in pairs if isinstance(backend, SpriteDrawing)]
    for drawing in drawings:
        lease = drawing.table.lease
        if lease is not None:
            lease.leave()
    return bool(drawings)


def _neighbors(
    drawn: Iterable[tuple[Any, Any]],
) -> Iterator[tuple[object, list[tuple[Any, Any]]]]:
    """Yield groups of neighboring drawables that have the same camera and the same key."""
    key: object = None
    pairs: list[tuple[Any, Any]] = []
    for backend, camera in drawn:
        own_key = backend.run_key if isinstance(backend, SpriteDrawing) else None
        if pairs and (own_key != key or camera is not pairs[0][1]):
            yield key, pairs
            pairs = []
        key = own_key
        pairs.append((backend, camera))
    if pairs:
        yield key, pairs


def _split(
    pairs: Sequence[tuple[Any, Any]], pool: RowPool
) -> Iterator[tuple[bool, list[tuple[Any, Any]]]]:
    """Move the rows of batches to the pool, until the pool is full. Yield pairs (bool, group): a
    group of neighboring batches, and whether the pool contains all of them.
    """
    part: list[tuple[Any, Any]] = []
    part_joined = True
    for pair in pairs:
        joined = pair[0].join(pool)
        if part and joined is not part_joined:
            yield part_joined, part
            part = []
        part_joined = joined
        part.append(pair)
    if part:
        yield part_joined, part
