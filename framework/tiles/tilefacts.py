"""Compute solid tiles, slopes and the data for the GPU from the tile numbers of a layer."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles, Mask, Rows
from ..geometry.visible_tiles import CellSpacing, ViewBox
from .tilesets import NUMBER, Numbers, TileSets

T = TypeVar("T", bound=np.generic)

FLIP_X = 0x80000000
FLIP_Y = 0x40000000
SWAP = 0x20000000
TURN = 0x10000000


Shifts = NDArray[np.int16]


class _Indices:
    """The indices of a layer's tiles in the tile sets. A large map has a million cells, so an array
    with one value per cell is computed only when it is needed.
    """

    not_state = True

    def __init__(self, sets: TileSets, tiles: Numbers) -> None:
        self._sets = sets
        self._tiles = tiles
        self.flags = int(np.bitwise_or.reduce(tiles, axis=None)) & ~int(NUMBER)
        """All flags for flips that occur in the map."""
        self.numbers = tiles & NUMBER if self.flags else tiles
        """The number of each tile, without the flags."""
        self._highest = int(self.numbers.max(initial=0))

    @functools.cached_property
    def all(self) -> NDArray[np.intp]:
        """The index of each cell's tile: an array of ints (h, w). A cell without a tile has the
        index -1.
        """
        return self._sets.indices(self.numbers)

    def wrong(self) -> Mask | None:
        """Return which cells contain a tile number that is in no tile set. Return None if all tile
        numbers are valid.
        """
        tiles = self._tiles
        if (
            self._sets.regular
            and not (self.flags and np.count_nonzero(self.numbers) != np.count_nonzero(tiles))
            and self._highest <= len(self._sets.numbers)
        ):
            return None
        wrong: Mask = (self.all < 0) & (tiles != 0)
        return wrong if wrong.any() else None

    def packed(self) -> Numbers:
        """Return the cells for the GPU: for each cell, the index of its tile + 1, together with the
        flags for flips. If the tile numbers are already the cells, return the tile numbers
        themselves, not a copy.
        """
        if self._sets.regular:  # the tile with the number n has the index n - 1
            return self._tiles
        packed: Numbers = (self.all + 1).astype(np.uint32)
        if self.flags:
            packed |= self._tiles & ~NUMBER
        return packed

    def facts(self, facts: Mask) -> Mask:
        """For the tile in each cell, return the bool in ``facts``. ``facts`` contains one bool for
        each tile of the tile sets, such as whether it is solid. For a cell without a tile, the
        result is False.
        """
        if not facts.any():
            return np.zeros(self.numbers.shape, bool)
        of_index: Mask = np.append(facts, False)  # the index -1 selects the False at the end
        return of_index.take(self.all, mode="wrap")

    def used(self) -> Rows:
        """Return the indices of all tiles that the layer uses. If all tiles have the same size and
        offset, return only one index, because one tile is then enough for the bounding box.
        """
        if self._sets.uniform:
            return np.zeros(int(self._highest > 0), np.intp)
        present = self.all[self.all >= 0]
        return np.flatnonzero(np.bincount(present))


class TileFacts:
    """The solid tiles, slopes and GPU cells of a layer. After tiles have changed, `update` computes
    all three again.
    """

    not_state = True

    def __init__(
        self, sets: TileSets, spacing: CellSpacing, tiles: Numbers, shifts: Shifts | None = None
    ) -> None:
        """``tiles`` is a copy of the layer's tile numbers. The `TileFacts` keep the copy, and write
        into it.

        Raises `ValueError` if the layer contains a tile number that is in no tile set.
        """
        self._sets = sets
        self._spacing = spacing
        self.previous = tiles
        """The tile numbers at the last update. `update` compares the current tile numbers with
        them.
        """
        width, height = spacing.tile
        self.fitting = spacing.orientation == "orthogonal" and width == height and shifts is None
        """Whether each tile exactly fills its cell, even if it is flipped."""
        self.extent = ViewBox(0.0, 0.0, width, height)
        """The box around all tiles, in units, relative to the bottom left corner of a cell."""
        self._orthogonal = spacing.orientation == "orthogonal" and shifts is None
        indices = self._indices(tiles, None)
        self._farthest = _farthest(shifts)
        """The lowest and the highest shift of any cell, along x and along y. The lowest shift is at
        most 0, and the highest is at least 0.
        """
        self.cells = indices.packed()
        """The cells for the GPU: an array (h, w). A cell without a tile has the value 0. The value
        of a cell with a tile is the index of the tile + 1, together with the flags for flips. If
        the tile numbers are 1, 2, 3, …, `cells` and `previous` are one array, which saves a copy.
        """
        part_solid, solid = self._split()
        self._solid = indices.facts(solid)
        self._part_solid = indices.facts(part_solid)
        self._shape_boxes: Doubles | None = None
        self._one_way = indices.facts(sets.one_way)
        self._slopes: Doubles | None = None
        if sets.slopes.any():
            self._slopes = _slopes(sets, tiles, indices.all)
        self._measure(indices)
        self._changes: list[tuple[Rows, Rows]] = []
        self._all_changed = True

    # -- read-only arrays --------------------------------------------------------------------------

    @property
    def solid(self) -> Mask:
        """Whether each tile is solid: an array of bools (h, w)."""
        return _read_only(self._solid)

    @property
    def part_solid(self) -> Mask:
        """Whether only a part of each tile is solid: an array of bools (h, w)."""
        return _read_only(self._part_solid)

    def _split(self) -> tuple[Mask, Mask]:
        """Return two arrays of bools: whether each tile of the tile sets is partly solid, and
        wholly solid.

        If a tile does not exactly fill its cell, the whole tile is solid, even if its collision
        shapes are smaller.
        """
        sets = self._sets
        fits: Mask = (sets.sizes == self._spacing.tile).all(axis=1) & ~sets.offsets.any(axis=1)
        part_solid = sets.part_solid & fits & self._orthogonal
        return part_solid, sets.solid | (sets.part_solid & ~part_solid)

    def shapes(self) -> list[Doubles]:
        """Return the collision shapes of all partly solid tiles, as a list of polygons (k, 2). The
        corners are in units of one tile, from the bottom left corner of the layer, y up.
        """
        polygons: list[Doubles] = []
        for variant, corners in self._variants():
            for polygon in variant:
                polygons += [*(polygon + corners[:, None])]
        return polygons

    def shape_boxes(self) -> Doubles:
        """Return the bounding boxes of the collision shapes of all partly solid tiles. Return an
        array (m, 4) with left, bottom, right and top of each box. See `shapes`.
        """
        if self._shape_boxes is None:
            boxes = [
                np.hstack([corners + polygon.min(axis=0), corners + polygon.max(axis=0)])
                for variant, corners in self._variants()
                for polygon in variant
            ]
            self._shape_boxes = np.concatenate([np.empty((0, 4)), *boxes])
        return self._shape_boxes

    def _variants(self) -> Iterator[tuple[list[Doubles], Doubles]]:
        """For each partly solid tile, yield its polygons and the bottom left corners of its cells.
        A tile with several flips is yielded once for each flip. The y axis of the polygons points
        up. The corners are an array (n, 2), in units of one tile.
        """
        rows, columns = np.nonzero(self._part_solid)
        tiles = self.previous[rows, columns]
        numbers, owners = np.unique(tiles & ~np.uint32(TURN), return_inverse=True)
        indices: list[int] = self._sets.indices(numbers & NUMBER).tolist()
        height = len(self._part_solid)
        for variant, (number, index) in enumerate(zip(numbers.tolist(), indices, strict=True)):
            cells = np.flatnonzero(owners.reshape(-1) == variant)
            corners = np.column_stack([columns[cells], height - 1 - rows[cells]])
            polygons = [_flipped(polygon, number) for polygon in self._sets.shapes_of(index)]
            yield polygons, corners.astype(np.float64)

    @property
    def one_way(self) -> Mask:
        """Whether each tile is one-way (solid only from above): an array of bools (h, w)."""
        return _read_only(self._one_way)

    @property
    def slopes(self) -> Doubles | None:
        """The heights of the ground at the left and right edge of each tile: an array (h, w, 2).

        The heights are fractions of the tile's height. `slopes` is None if no tile is a slope.
        """
        return None if self._slopes is None else _read_only(self._slopes)

    # -- changes -----------------------------------------------------------------------------------

    def update(self, tiles: Numbers) -> None:
        """If tiles have changed, compute the solid tiles, the slopes and the cells for the GPU
        again.

        Raises `ValueError` if ``tiles`` contains a number that is in no tile set. After an error,
        nothing has changed.
        """
        changed_cells = _differing(tiles.reshape(-1), self.previous.reshape(-1))
        if not len(changed_cells):
            return
        rows, columns = np.divmod(changed_cells, tiles.shape[1])
        changed = tiles[rows, columns]
        indices = self._indices(changed, (rows, columns))
        fitting = self.fitting
        self.previous[rows, columns] = changed
        self.cells[rows, columns] = indices.packed()
        part_solid, solid = self._split()
        self._solid[rows, columns] = indices.facts(solid)
        self._part_solid[rows, columns] = indices.facts(part_solid)
        self._shape_boxes = None
        self._one_way[rows, columns] = indices.facts(self._sets.one_way)
        if self._slopes is not None:
            self._slopes[rows, columns] = _slopes(self._sets, changed, indices.all)
        self._measure(indices)
        # otherwise, the list of changes would grow without limit in a game without graphics
        if not self._all_changed:
            self._changes.append((rows, columns))
        self._all_changed = self._all_changed or fitting != self.fitting

    def take_changes(self) -> tuple[bool, list[tuple[Rows, Rows]]]:
        """Return whether all cells must be uploaded, and the cells changed since the last call."""
        all_changed = self._all_changed
        changes = self._changes
        self._all_changed = False
        self._changes = []
        return all_changed, [] if all_changed else changes

    def mark_all_changed(self) -> None:
        """Mark all cells as changed: the next `take_changes` then returns True, and all cells are
        uploaded.
        """
        self._all_changed = True

    def _indices(self, tiles: Numbers, positions: tuple[Rows, Rows] | None) -> _Indices:
        """Return the `_Indices` for an array of tile numbers. ``positions`` are the rows and
        columns of the tiles, or None for all tiles of the layer.

        Raises `ValueError` for a number that is in no tile set.
        """
        indices = _Indices(self._sets, tiles)
        wrong = indices.wrong()
        if wrong is not None:
            rows, columns = (
                np.nonzero(wrong) if positions is None else (p[wrong] for p in positions)
            )
            number: int = indices.numbers[wrong][0]
            raise ValueError(
                f"tiles: row {rows[0]}, column {columns[0]} has tile {number}; there are "
                f"{self._sets.described()}, and 0 for none"
            )
        return indices

    def _measure(self, indices: _Indices) -> None:
        """Enlarge the box `extent` so that it contains all tiles in ``indices``. The box is
        relative to the bottom left corner of a cell.

        `fitting` is also updated.
        """
        used = indices.used()
        if not len(used):
            return
        sizes = self._sets.sizes[used]
        low: Doubles = self._sets.offsets[used]
        self.fitting = self.fitting and bool((sizes == self._spacing.tile).all() and not low.any())
        high: Doubles = low + sizes
        if indices.flags & (SWAP | TURN):
            low, high = self._boxes_of_turned(used)
        lowest: list[float] = low.min(axis=0).tolist()
        highest: list[float] = high.max(axis=0).tolist()
        left, bottom = lowest
        right, top = highest
        extent = self.extent
        farthest = self._farthest
        self.extent = ViewBox(
            min(extent.left, left + farthest.left),
            min(extent.bottom, bottom + farthest.bottom),
            max(extent.right, right + farthest.right),
            max(extent.top, top + farthest.top),
        )

    def _boxes_of_turned(self, tiles: Rows) -> tuple[Doubles, Doubles]:
        """Return the bottom left and the top right corners of boxes that contain tiles both as they
        are and with swapped x and y: two arrays (n, 2), relative to the bottom left corner of a
        cell.
        """
        sizes, offsets, margins = (
            values[tiles] for values in (self._sets.sizes, self._sets.offsets, self._sets.margins)
        )
        swapped = offsets - margins + margins[:, ::-1]
        low: Doubles = np.minimum(offsets, swapped)
        high: Doubles = np.maximum(offsets + sizes, swapped + sizes[:, ::-1])
        if self._spacing.orientation == "hexagonal":
            # a rotated tile stays within its circumscribed circle
            margin: Doubles = (np.hypot(*sizes.T)[:, None] - sizes) / 2
            low = low - margin
            high = high + margin
        return low, high


def _farthest(shifts: Shifts | None) -> ViewBox:
    if shifts is None:
        return ViewBox(0.0, 0.0, 0.0, 0.0)
    lowest: list[int] = shifts[..., :2].min(axis=(0, 1), initial=0).tolist()
    highest: list[int] = shifts[..., :2].max(axis=(0, 1), initial=0).tolist()
    return ViewBox(*map(float, lowest + highest))


def _flipped(polygon: Doubles, number: int) -> Doubles:
    """Return a collision shape of a tile, flipped as the flags in the tile number ``number`` say.
    The y axis of the returned polygon points up.

    ``polygon`` is an array (k, 2) in fractions of the tile, from its top left corner, y down.
    """
    across, down = polygon.T
    if number & SWAP:
        across, down = down, across
    across = 1 - across if number & FLIP_X else across
    down = 1 - down if number & FLIP_Y else down
    return np.column_stack([across, 1 - down])


def _slopes(sets: TileSets, tiles: Numbers, indices: NDArray[np.intp]) -> Doubles:
    """Return the heights of the ground at the left and right edge of each tile. Return an array of
    shape (…, 2).

    If a tile is mirrored along x, its two heights are swapped. If a tile is upside down or rotated,
    both heights are 0 (no slope).
    """
    slopes: Doubles = np.concatenate([sets.slopes, np.zeros((1, 2))])[indices]
    mirrored: Mask = tiles & np.uint32(FLIP_X) != 0
    slopes = np.where(mirrored[..., None], slopes[..., ::-1], slopes)
    turned: Mask = tiles & np.uint32(FLIP_Y | SWAP) != 0
    upright: Doubles = np.where(turned[..., None], 0.0, slopes)
    return upright


def _differing(first: Numbers, second: Numbers) -> Rows:
    """Return the indices of the elements that differ between two one-dimensional arrays.

    To save time, eight cells are compared in one step.
    """
    differ: Mask = first != second
    words = len(differ) // 8
    eights = np.flatnonzero(differ[: 8 * words].view(np.uint64))
    near = (eights[:, None] * 8 + np.arange(8)).reshape(-1)
    candidates: Rows = np.concatenate([near, np.arange(8 * words, len(differ))])
    return candidates.compress(differ[candidates])


def _read_only(array: NDArray[T]) -> NDArray[T]:
    view = array.view()
    view.flags.writeable = False
    return view
