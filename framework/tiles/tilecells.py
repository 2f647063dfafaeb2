"""Tile cells: the tile numbers of a layer, and the arrays that collisions and drawing compute from
them.
"""

from __future__ import annotations

from ..geometry.tilelayout import TileLayout
from ..geometry.visible_tiles import CellSpacing
from ..state.columns import Column
from .tilefacts import Shifts, TileFacts
from .tilesets import Numbers, TileSets


class TileCells:
    """The tile numbers of a layer, shared by the layer and its backend."""

    __slots__ = ("_facts", "column", "layout", "order", "shape", "shifts", "spacing", "tilesets")

    not_state = True  # the layer's table contains the numbers

    def __init__(
        self,
        tilesets: TileSets,
        layout: TileLayout,
        order: tuple[int, int],
        column: Column,
        shifts: Shifts | None = None,
    ) -> None:
        self.tilesets = tilesets
        self.layout = layout
        self.order = order
        """The draw order of overlapping tiles along x and y: 1 or -1 each."""
        self.column = column
        """The column of the layer's table with the tile numbers, row by row from the top."""
        self.spacing = CellSpacing(layout)
        self.shape = layout.rows, layout.columns
        """(h, w): the count of rows and columns of cells."""
        self.shifts = shifts
        """The shift of each cell in units, x and y up, the alpha of its tile from 0 to 255, and 0:
        int16 (h, w, 4). None for most layers: no cell is shifted, and all tiles are opaque.
        """
        self._facts: TileFacts | None = None

    def replace_shifts(self, shifts: Shifts) -> None:
        """Replace the shifts (displacements) and alphas of all cells, after the map's file has
        changed.
        """
        self.shifts = shifts
        self._facts = None

    def view(self) -> Numbers:
        """Return the tile numbers with flips, as a writable view: uint32 (h, w)."""
        return self._shaped(self.column.values(self.column.data.size))

    def current(self) -> Numbers:
        """Return the tile numbers with flips: uint32 (h, w).

        Callers must not write into the returned array.
        """
        return self._shaped(self.column.current(self.column.data.size))

    def _shaped(self, tiles: Numbers) -> Numbers:
        return tiles.reshape(self.shape)

    def check(self) -> None:
        """Raise `ValueError` if a tile is in no set. Do nothing before the images are read, because
        the existing tiles are not yet known.
        """
        if self.tilesets.is_loaded:
            self.facts()

    def facts(self) -> TileFacts:
        """Return the `TileFacts`: solid tiles, slopes and GPU cells, updated for all changed tiles.

        Raises `ValueError` for a tile that is in no set, and `AssetError` for a missing or broken
        image.
        """
        column = self.column
        if self._facts is None:
            self.tilesets.load(())
            self._facts = TileFacts(self.tilesets, self.spacing, self.current(), self.shifts)
        elif column.touched or column.uploads.unsent or column.is_viewed():
            self._facts.update(self.current())
        else:
            return self._facts
        # A view that the game still holds may be written at any time: compare again next time.
        is_viewed = column.is_viewed()
        column.touched = is_viewed
        column.uploads.unsent = is_viewed
        return self._facts
