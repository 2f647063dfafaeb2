"""Tile cells: the numbers of a layer's tiles, and the facts computed from them."""

from __future__ import annotations

from ..geometry.tilelayout import TileLayout
from ..geometry.visible_tiles import CellSpacing
from ..state.columns import Column
from .tilefacts import TileFacts
from .tilesets import Numbers, TileSets


class TileCells:
    """The tiles of a layer. The layer shares this object with its backend."""

    __slots__ = ("_facts", "column", "lattice", "layout", "order", "shape", "tilesets")

    not_state = True  # the layer's table contains the numbers

    def __init__(
        self, tilesets: TileSets, layout: TileLayout, order: tuple[int, int], column: Column
    ) -> None:
        self.tilesets = tilesets
        self.layout = layout
        self.order = order
        self.column = column
        self.lattice = CellSpacing(layout)
        self.shape = layout.rows, layout.columns
        self._facts: TileFacts | None = None

    def view(self) -> Numbers:
        """Return the tiles (h, w), writable."""
        return self._shaped(self.column.values(self.column.data.size))

    def current(self) -> Numbers:
        """Return the tiles (h, w), read-only by convention."""
        return self._shaped(self.column.current(self.column.data.size))

    def _shaped(self, tiles: Numbers) -> Numbers:
        return tiles.reshape(self.shape)

    def facts(self) -> TileFacts:
        """Return the facts about the current tiles.

        Raises `ValueError` for a tile that is in no set, and `AssetError` for an image.
        """
        column = self.column
        if self._facts is None:
            self.tilesets.find(())
            self._facts = TileFacts(self.tilesets, self.lattice, self.current())
        elif column.touched or column.uploads.unsent or column.is_viewed():
            self._facts.update(self.current())
        else:
            return self._facts
        column.touched = column.uploads.unsent = (
            column.is_viewed()
        )  # otherwise the array cannot be written any longer
        return self._facts
