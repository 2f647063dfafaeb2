"""Store the tile number of each cell, and compute arrays for collisions and drawing."""

from __future__ import annotations

from ..geometry.tilelayout import TileLayout
from ..geometry.visible_tiles import CellSpacing
from ..state.columns import TableColumn
from .tilefacts import Shifts, TileFacts
from .tilesets import Numbers, TileSets


class TileCells:
    """The tile numbers of a layer, in an object that the layer shares with its backend."""

    __slots__ = (
        "_facts",
        "blend",
        "column",
        "layout",
        "order",
        "scale",
        "shape",
        "shifts",
        "spacing",
        "tilesets",
    )

    not_state = True  # the layer's table contains the numbers

    def __init__(
        self,
        tilesets: TileSets,
        layout: TileLayout,
        order: tuple[int, int],
        column: TableColumn,
        shifts: Shifts | None = None,
        scale: float = 1.0,
    ) -> None:
        self.tilesets = tilesets
        self.layout = layout
        self.order = order
        """The order in which overlapping tiles are drawn: along x, 1 for left to right or -1 for
        right to left, and along y, 1 for top to bottom or -1 for bottom to top.
        """
        self.column = column
        """The column of the layer's table that contains the tile numbers, row by row from the top.
        """
        self.spacing = CellSpacing(layout)
        self.shape = layout.rows, layout.columns
        """The number of rows and the number of columns of cells."""
        self.shifts = shifts
        """Four numbers for each cell: its shift along x and y in units (y up), the alpha of its
        tile from 0 to 255, and 0. The shifts and alphas are an array of int16 (h, w, 4). For most
        layers, `shifts` is None, because no cell is shifted and all tiles are opaque.
        """
        self.scale = scale
        """The size of a pixel of the tiles, in units of the world."""
        self.blend = "alpha"
        """The blend mode of the layer, a key of `BLEND_MODES`."""
        self._facts: TileFacts | None = None

    @property
    def tile_size(self) -> tuple[float, float]:
        """The width and height of a cell in units."""
        width, height = self.spacing.tile
        if self.scale == 1:
            return width, height
        return width * self.scale, height * self.scale

    def replace_shifts(self, shifts: Shifts) -> None:
        """Replace the shifts and alphas of all cells. The framework calls `replace_shifts` when the
        map file has changed.
        """
        self.shifts = shifts
        self._facts = None

    def view(self) -> Numbers:
        """Return the tile numbers with their flags for flips: a uint32 array (h, w). If you write
        into the array, the layer changes.
        """
        return self._shaped(self.column.values(self.column.data.size))

    def current(self) -> Numbers:
        """Return the tile numbers with their flags for flips: a uint32 array (h, w).

        Do not write into the returned array.
        """
        return self._shaped(self.column.current(self.column.data.size))

    def _shaped(self, tiles: Numbers) -> Numbers:
        return tiles.reshape(self.shape)

    def check(self) -> None:
        """Raise `ValueError` if the layer contains a tile number that is in no tile set. Before the
        images are loaded, the valid tile numbers are unknown, so this method does nothing.
        """
        if self.tilesets.is_loaded:
            self.facts()

    def facts(self, copy: Numbers | None = None) -> TileFacts:
        """Return the `TileFacts` of the layer (solid tiles, slopes, and the cells for the GPU),
        updated for the current tiles.

        ``copy`` is an array with the current tiles that the caller no longer needs. The first call
        stores this array. If you pass no ``copy``, the first call copies the tiles itself.

        Raises `ValueError` if the layer contains a tile number that is in no tile set. Raises
        `AssetError` if an image is missing or broken.
        """
        column = self.column
        if self._facts is None:
            self.tilesets.load(())
            tiles = self.current().copy() if copy is None else copy
            self._facts = TileFacts(self.tilesets, self.spacing, tiles, self.shifts)
        elif column.touched or column.uploads.unsent or column.is_viewed():
            self._facts.update(self.current())
        else:
            return self._facts
        # The game may write to an existing view at any time, so `facts` must compare again next
        # time.
        is_viewed = column.is_viewed()
        column.touched = is_viewed
        column.uploads.unsent = is_viewed
        return self._facts
