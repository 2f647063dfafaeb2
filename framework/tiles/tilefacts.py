"""Tile facts: solid tiles, slopes, extents and GPU cells, computed from a layer's tiles."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles, Mask, Rows
from ..geometry.visible_tiles import CellSpacing, ViewBox
from .tilesets import NUMBER, Numbers, TileSets

T = TypeVar("T", bound=np.generic)

FLIP_X, FLIP_Y, SWAP, TURN = 0x80000000, 0x40000000, 0x20000000, 0x10000000


class TileFacts:
    """Facts about the tiles of a layer when it was last updated."""

    not_state = True

    def __init__(self, sets: TileSets, lattice: CellSpacing, tiles: Numbers) -> None:
        """Raises `ValueError` for a tile that is in no set."""
        self._sets, self._lattice = sets, lattice
        self.known = tiles.copy()
        width, height = lattice.tile
        self.fitting = lattice.orientation == "orthogonal" and width == height
        """Whether each tile fills its cell exactly, with any flip."""
        self.reach = ViewBox(0.0, 0.0, width, height)
        """The extent of tiles, relative to the corners of their cells."""
        indices = self._indices(tiles, None)
        self.cells = self._packed(tiles, indices)
        """The tiles for the GPU: (h, w), 0 or an index + 1, with the bits of their flips."""
        self._solid = _facts_of(sets.solid, indices)
        self._one_way = _facts_of(sets.one_way, indices)
        self._slopes: Doubles | None = _slopes(sets, tiles, indices) if sets.slopes.any() else None
        self._measure(tiles, indices)
        self._news: list[tuple[Rows, Rows]] = []
        self._all_changed = True

    # -- read-only arrays --------------------------------------------------------------------------

    @property
    def solid(self) -> Mask:
        """Whether each tile is solid: bool (h, w)."""
        return _read_only(self._solid)

    @property
    def one_way(self) -> Mask:
        """Whether each tile is one-way: bool (h, w)."""
        return _read_only(self._one_way)

    @property
    def slopes(self) -> Doubles | None:
        """The heights of slopes: (h, w, 2), or None if there are none."""
        return None if self._slopes is None else _read_only(self._slopes)

    # -- changes -----------------------------------------------------------------------------------

    def update(self, tiles: Numbers) -> None:
        """Update the facts for changed tiles.

        Raises `ValueError` for a tile that is in no set. Then nothing changes.
        """
        changed_cells = _differing(tiles.reshape(-1), self.known.reshape(-1))
        if not len(changed_cells):
            return
        rows, columns = np.divmod(changed_cells, tiles.shape[1])
        changed = tiles[rows, columns]
        indices = self._indices(changed, (rows, columns))
        fitting = self.fitting
        self.known[rows, columns] = changed
        self.cells[rows, columns] = self._packed(changed, indices)
        self._solid[rows, columns] = _facts_of(self._sets.solid, indices)
        self._one_way[rows, columns] = _facts_of(self._sets.one_way, indices)
        if self._slopes is not None:
            self._slopes[rows, columns] = _slopes(self._sets, changed, indices)
        self._measure(changed, indices)
        if not self._all_changed:  # not read in a game without graphics
            self._news.append((rows, columns))
        self._all_changed = self._all_changed or fitting != self.fitting

    def news(self) -> tuple[bool, list[tuple[Rows, Rows]]]:
        """Return whether everything has changed since the last call, and otherwise the changed
        cells.
        """
        all_changed, news = self._all_changed, self._news
        self._all_changed, self._news = False, []
        return all_changed, [] if all_changed else news

    def forget_news(self) -> None:
        """Let the next `news` return that everything has changed."""
        self._all_changed = True

    def _indices(self, tiles: Numbers, positions: tuple[Rows, Rows] | None) -> NDArray[np.intp]:
        """Return the index of each tile, -1 for no tile."""
        numbers = tiles & NUMBER
        indices = self._sets.indices(numbers)
        wrong: Mask = (indices < 0) & (tiles != 0)
        if wrong.any():
            first: list[int] = np.argwhere(wrong)[0].tolist()
            number: int = numbers[tuple(first)]
            if positions is None:
                row, column = first
            else:
                row, column = int(positions[0][first[0]]), int(positions[1][first[0]])
            raise ValueError(
                f"tiles: row {row}, column {column} has tile {number}; there are "
                f"{self._sets.described()}, and 0 for none"
            )
        return indices

    def _packed(self, tiles: Numbers, indices: NDArray[np.intp]) -> Numbers:
        packed: Numbers = np.where(
            tiles != 0, (indices + 1).astype(np.uint32) | (tiles & ~NUMBER), np.uint32(0)
        )
        return packed

    def _measure(self, tiles: Numbers, indices: NDArray[np.intp]) -> None:
        """Extend `reach` by these tiles."""
        present = indices[indices >= 0]
        if not len(present):
            return
        used = np.flatnonzero(np.bincount(present))
        sizes, offsets = self._sets.sizes[used], self._sets.offsets[used]
        self.fitting = self.fitting and bool(
            (sizes == self._lattice.tile).all() and not offsets.any()
        )
        low: Doubles = offsets
        high: Doubles = offsets + sizes
        if (tiles & np.uint32(SWAP | TURN)).any():
            high = np.maximum(high, offsets + sizes[:, ::-1])
            if self._lattice.orientation == "hexagonal":  # the rotated tile is inside a circle
                spare: Doubles = (np.hypot(*sizes.T)[:, None] - sizes) / 2
                low, high = low - spare, high + spare
        lowest: list[float] = low.min(axis=0).tolist()
        highest: list[float] = high.max(axis=0).tolist()
        (left, bottom), (right, top), reach = lowest, highest, self.reach
        self.reach = ViewBox(
            min(reach.left, left),
            min(reach.bottom, bottom),
            max(reach.right, right),
            max(reach.top, top),
        )


def _facts_of(facts: Mask, indices: NDArray[np.intp]) -> Mask:
    return np.append(facts, False)[indices]  # -1 is the last


def _slopes(sets: TileSets, tiles: Numbers, indices: NDArray[np.intp]) -> Doubles:
    """Return the slopes of tiles. A mirrored tile rises the other way. An upside-down tile has
    none.
    """
    slopes: Doubles = np.concatenate([sets.slopes, np.zeros((1, 2))])[indices]
    mirrored: Mask = tiles & np.uint32(FLIP_X) != 0
    slopes = np.where(mirrored[..., None], slopes[..., ::-1], slopes)
    turned: Mask = tiles & np.uint32(FLIP_Y | SWAP) != 0
    upright: Doubles = np.where(turned[..., None], 0.0, slopes)
    return upright


def _differing(first: Numbers, second: Numbers) -> Rows:
    """Return the indices at which two arrays (n,) differ. Compares eight cells at a time."""
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
