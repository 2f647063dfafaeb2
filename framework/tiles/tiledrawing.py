"""Draw a `TileLayer` on the GPU, or draw nothing in a game without graphics.

The backend of a layer stores all cells in an integer texture, so if one tile changes, only four
bytes are uploaded. If every tile exactly fills its cell, the layer is drawn in chunks of 32 x 32
cells. A chunk with tiles in more than a quarter of its cells is drawn as one quad (rectangle), for
which the fragment shader reads the cells from the texture. In any other chunk, each tile is drawn
as one instance (a quad of its own), from a list of the chunk's tiles.

If any tile is larger or smaller than its cell, tiles may overlap. In this case, each cell that may
be visible is drawn as an instance, in the same order as in Tiled. The vertex shader computes the
cell from the index of the instance, so no tiles are uploaded when the camera moves.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Set
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Mask, Rows
from ..errors import AssetError
from ..geometry.visible_tiles import CellRange, ViewBox
from ..gpu import shaders
from ..gpu.atlas import reduced_rectangle
from ..gpu.gl import moderngl
from ..gpu.graphics import BLEND_MODES, Graphics, bind_frame, driver_limit, programs_of
from ..state.backend import drives
from .parallax_layers import LayerView, ParallaxLayerBackend, Uniforms, layer_view
from .tilelayer import TileLayer, TileLayerParts
from .tilesets import Numbers, TileArt

CHUNK = 32
"""The width and height of a chunk in cells. The layer is drawn chunk by chunk."""
MAX_LISTED = CHUNK * CHUNK // 4
"""The maximum number of tiles in the list of a chunk, each of which is drawn as its own quad. A
chunk with more tiles is *full*, and is drawn as a single quad.
"""

_DENSE = 0xFFFF  # the count of a full chunk, which has no list
_LISTS = 16  # number of lists in each row of the texture with the lists

# The maximum number of changed cells of a chunk that are uploaded one by one. More changed cells
# are uploaded as a block.
_MAX_SINGLE = 15

_TEXTURES = (
    "image",
    "cells",
    "facts",
    "frames",
    "chunks",
    "lists",
    "shifts",
)  # the index of a name is the texture unit

_STEP = 4096  # positions are rounded to multiples of 1 / `_STEP`, as in the shaders


class Chunks:
    """The lists of tiles in all chunks of a layer. A chunk is either full (more than `MAX_LISTED`
    tiles), or it stores a list of the cells that contain tiles. Such a list never becomes shorter:
    the cell of a removed tile stays in the list, and the shader skips it.
    """

    def __init__(self, cells: Numbers) -> None:
        rows: int = -(-cells.shape[0] // CHUNK)
        columns: int = -(-cells.shape[1] // CHUNK)
        self.shape = rows, columns
        blocks = _by_chunk(cells != 0, rows, columns)
        counts: Rows = blocks.sum(axis=1)
        blocks[counts > MAX_LISTED] = False
        self.counts: NDArray[np.uint16] = np.where(counts > MAX_LISTED, _DENSE, counts).astype(
            np.uint16
        )
        """The number of tiles in the list of each chunk, or 65535 for a full chunk."""
        self.listed: Mask = blocks
        """Whether each cell is in the list of its chunk, as a bool array (chunks, cells of a
        chunk).
        """
        self.lists = np.zeros((-(-len(blocks) // _LISTS) * _LISTS, MAX_LISTED), np.uint16)
        chunk, cell = np.nonzero(blocks)
        self.lists[chunk, np.arange(len(chunk)) - np.searchsorted(chunk, chunk)] = cell

    def add(self, chunk: int, cell: int) -> int | None:
        """Add a cell that now contains a tile to the list of its chunk. Return the position of the
        cell in the list. Return -1 if the list has no space for it: the chunk is then full, and is
        drawn as one quad. Return None if the chunk was already full, or if the list already
        contains the cell.
        """
        count = int(self.counts[chunk])
        if count == _DENSE or self.listed[chunk, cell]:
            return None
        if count == MAX_LISTED:
            self.counts[chunk] = _DENSE
            return -1
        self.listed[chunk, cell] = True
        self.lists[chunk, count] = cell
        self.counts[chunk] += 1
        return count

    def within(self, area: CellRange) -> tuple[bool, int]:
        """Return whether any chunk in ``area`` is full, and the length of the longest list of its
        chunks.
        """
        counts: NDArray[np.uint16] = self.counts.reshape(self.shape)[
            area.top : area.bottom, area.left : area.right
        ]
        lists: NDArray[np.uint16] = counts[counts != _DENSE]
        return lists.size < counts.size, int(lists.max(initial=0))


def _by_chunk(cells: Mask, rows: int, columns: int) -> Mask:
    """Return the cells of each chunk, as an array (chunks, cells of a chunk). The layer consists of
    ``rows`` × ``columns`` chunks. Cells outside the layer are False.
    """
    padded = np.zeros((rows * CHUNK, columns * CHUNK), bool)
    padded[: cells.shape[0], : cells.shape[1]] = cells
    blocks: Mask = padded.reshape(rows, CHUNK, columns, CHUNK).swapaxes(1, 2)
    return blocks.reshape(rows * columns, CHUNK * CHUNK)


class TileTicks(ParallaxLayerBackend[TileLayer]):
    """The backend of a `TileLayer` in a game without graphics.

    It draws nothing, and only checks that all tile numbers exist.
    """

    __slots__ = ("_tiles",)

    def __init__(self, frontend: TileLayer, parts: TileLayerParts, graphics: Graphics) -> None:
        super().__init__(frontend, parts, graphics)
        self._tiles = parts.cells
        self._tiles.tilesets.load(graphics.folders)
        self._tiles.facts().mark_all_changed()


@drives(TileLayer, unseen=TileTicks)
class TileDrawing(TileTicks):
    """The backend that draws a `TileLayer`, with a copy of the cells on the GPU."""

    __slots__ = (
        "_arrays",
        "_art",
        "_cells",
        "_chunks",
        "_count_texture",
        "_ctx",
        "_defines",
        "_graphics",
        "_halvings",
        "_lists",
        "_programs",
        "_shifts",
        "_spacing",
        "calls",
        "uploaded_bytes",
    )

    _art: TileArt
    _defines: dict[str, int]
    _halvings: int

    def __init__(self, frontend: TileLayer, parts: TileLayerParts, graphics: Graphics) -> None:
        super().__init__(frontend, parts, graphics)
        spacing = self._spacing = parts.cells.spacing
        limit = driver_limit("GL_MAX_TEXTURE_SIZE")
        if max(spacing.rows, spacing.columns) > limit:
            size = f"{spacing.columns:,} x {spacing.rows:,}"
            raise AssetError(
                f"tiles: a layer of {size} tiles is larger than a texture may be here ({limit:,})"
            )
        self._graphics = graphics
        self._ctx = graphics.ctx
        self._programs = programs_of(graphics)
        self._arrays: dict[str, tuple[moderngl.Program, moderngl.VertexArray]] = {}
        self._chunks: Chunks | None = None
        self._count_texture: moderngl.Texture | None = None
        self._lists: moderngl.Texture | None = None
        self.calls = 0
        """The number of draw calls in the last frame: 0, 1 or 2."""
        self.uploaded_bytes = 0
        """The number of bytes of tile data that have been uploaded to the GPU so far."""
        self._cells = self._texture((spacing.columns, spacing.rows), "u4")
        self._shifts: moderngl.Texture | None = None
        if parts.cells.shifts is not None:
            self._shifts = self._texture((spacing.columns, spacing.rows), "i2", 4)
        try:
            self._draw_with(parts.cells.tilesets.borrow(graphics))
        except BaseException:
            self._release_cells()
            raise

    def _draw_with(self, art: TileArt) -> None:
        self._art = art
        self._defines = ({"ANIMATED": 1} if art.animated else {}) | (
            {"NEAREST": 1} if art.nearest else {}
        )
        if self._shifts is not None:
            self._defines["SHIFTED"] = 1
        fitting: Mask = (art.image_sizes == self._spacing.tile).all(axis=1)
        self._halvings = int(art.halvings[fitting].min(initial=99))

    def _texture(self, size: tuple[int, int], dtype: str, parts: int = 1) -> moderngl.Texture:
        texture = self._ctx.texture(size, parts, dtype=dtype, alignment=1)
        texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
        return texture

    def _write(
        self,
        texture: moderngl.Texture,
        values: NDArray[np.integer[Any]],
        viewport: tuple[int, int, int, int] | None = None,
    ) -> None:
        values = np.ascontiguousarray(values)
        texture.write(values, viewport=viewport, alignment=1)
        self.uploaded_bytes += values.nbytes

    # -- cells -------------------------------------------------------------------------------------

    def hand_over(self) -> None:
        """Upload all tiles that have changed since the last call."""
        facts = self._tiles.facts()
        art = self._tiles.tilesets.art
        all_changed, changed = facts.take_changes()
        if (
            art is not None and art is not self._art
        ):  # perhaps another layer has reloaded the images
            self._draw_with(art)
            all_changed = True
            changed = []
        if all_changed:
            self._fill(facts.cells, facts.fitting)
        for rows, columns in changed:
            self._patch(facts.cells, rows, columns)

    def renew(self, files: Set[str]) -> bool:
        art = self._tiles.tilesets.art_of(files)
        return art is not None and art is not self._art

    def _fill(self, cells: Numbers, fitting: bool) -> None:
        """Upload all cells of the array ``cells`` (h, w).

        A cell without a tile has the value 0. The value of any other cell is the index of its tile
        + 1, together with the flags for flips.

        ``fitting`` is True if every tile exactly fills its cell.
        """
        self._write(self._cells, cells)
        if self._shifts is not None and self._tiles.shifts is not None:
            self._write(self._shifts, self._tiles.shifts)
        self._release_chunks()
        if not fitting:
            return
        chunks = self._chunks = Chunks(cells)
        rows, columns = chunks.shape
        self._count_texture = self._texture((columns, rows), "u2")
        self._write(self._count_texture, chunks.counts)
        self._lists = self._texture((_LISTS * MAX_LISTED, len(chunks.lists) // _LISTS), "u2")
        self._write(self._lists, chunks.lists)

    def _patch(self, cells: Numbers, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> None:
        """Upload only the cells at the given rows and columns."""
        across: int = -(-cells.shape[1] // CHUNK)
        chunk: Rows = rows // CHUNK * across + columns // CHUNK
        order = np.argsort(chunk, kind="stable")
        starts = np.flatnonzero(np.diff(chunk[order], prepend=-1))
        if len(starts) > max(8, chunk.size // 64) and 4 * chunk.size > cells.size:
            self._fill(cells, self._chunks is not None)
            return
        for group in np.split(order, starts[1:]):
            self._patch_chunk(cells, int(chunk[group[0]]), rows[group], columns[group])

    def _patch_chunk(
        self, cells: Numbers, chunk: int, rows: NDArray[np.intp], columns: NDArray[np.intp]
    ) -> None:
        self._patch_cells(cells, rows, columns)
        chunks = self._chunks
        count_texture = self._count_texture
        lists = self._lists
        if chunks is None or count_texture is None or lists is None:
            return
        before = int(chunks.counts[chunk])
        for row, column in _pairs(rows, columns):
            slot = None
            if cells[row, column]:
                slot = chunks.add(chunk, row % CHUNK * CHUNK + column % CHUNK)
            if slot is not None and slot >= 0:
                texel = chunk % _LISTS * MAX_LISTED + slot, chunk // _LISTS
                self._write(lists, chunks.lists[chunk, slot : slot + 1], (*texel, 1, 1))
        if int(chunks.counts[chunk]) != before:
            texel = chunk % chunks.shape[1], chunk // chunks.shape[1]
            self._write(count_texture, chunks.counts[chunk : chunk + 1], (*texel, 1, 1))

    def _patch_cells(
        self, cells: Numbers, rows: NDArray[np.intp], columns: NDArray[np.intp]
    ) -> None:
        """Upload a few cells one by one, or the block that contains all of them."""
        if len(rows) <= _MAX_SINGLE:
            for row, column in _pairs(rows, columns):
                self._write(
                    self._cells, cells[row : row + 1, column : column + 1], (column, row, 1, 1)
                )
            return
        top = int(rows.min())
        bottom = int(rows.max()) + 1
        left = int(columns.min())
        right = int(columns.max()) + 1
        block = cells[top:bottom, left:right]
        self._write(self._cells, block, (left, top, right - left, bottom - top))

    # -- frames ------------------------------------------------------------------------------------

    def draw(self) -> None:
        self.hand_over()
        view = layer_view(self.frontend, self._state, self._graphics, self._tiles.scale)
        self.calls = 0 if view is None else self._draw_seen(view, self._tiles.facts().extent)

    def _draw_seen(self, view: LayerView, extent: ViewBox) -> int:
        """Draw the visible cells, and return the number of draw calls.

        ``extent`` is the box around all tiles, relative to the bottom left corner of a cell.
        """
        area = self._spacing.seen(view.box(), extent)
        if area.empty:
            return 0
        self._bind()
        settings = view.window() | self._cell_uniforms(view)
        settings["milliseconds"] = view.milliseconds % self._art.period
        if self._chunks is None:
            return self._draw_cells(settings, area)
        area = CellRange(
            area.left // CHUNK, area.top // CHUNK, -(-area.right // CHUNK), -(-area.bottom // CHUNK)
        )
        columns = area.right - area.left
        rows = area.bottom - area.top
        settings["area"] = area.left, area.top, columns, rows
        full, longest = self._chunks.within(area)
        if full:
            settings["reduced"] = self._reduced(view)
            self._render("chunks.vert", "chunks.frag", {}, settings, columns * rows)
        if longest:
            settings["most"] = longest
            self._render(
                "tiles.vert", "tiles.frag", {"FITTING": 1}, settings, columns * rows * longest
            )
        return int(full) + int(longest > 0)

    def _reduced(self, view: LayerView) -> tuple[int, int, int, int]:
        """Return the position and size of the smaller copy of the tile image (mipmap) that the
        shader reads.

        Sprites and tiles choose their mipmaps by the same rule.
        """
        width, height = map(int, self._spacing.tile)
        texels = min(view.units())
        level = int(math.log2(max(texels, 1.0)) + 0.5)
        return reduced_rectangle(width, height, min(level, self._halvings))

    def _draw_cells(self, settings: Uniforms, area: CellRange) -> int:
        spacing = self._spacing
        left = area.left
        columns = area.right - area.left
        defines = {"HEXAGONAL": 1} if spacing.orientation == "hexagonal" else {}
        if spacing.orientation == "isometric":
            defines["ISOMETRIC"] = 1
            columns = columns // 2 + 1
        elif spacing.stagger == 2:
            defines["BY_COLUMNS"] = 1
            left, columns = left & ~1, (area.right - (left & ~1) + 1) & ~1
        settings["area"] = left, area.top, columns, area.bottom - area.top
        settings["order"] = self._tiles.order
        self._render(
            "tiles.vert", "tiles.frag", defines, settings, columns * (area.bottom - area.top)
        )
        return 1

    def _cell_uniforms(self, view: LayerView) -> Uniforms:
        """Return the uniforms for tiles.vert to compute cell positions relative to the camera."""
        spacing = self._spacing
        row, column = spacing.near(*view.eye)
        x = spacing.first[0] + column * spacing.across[0] + row * spacing.down[0] - view.eye[0]
        y = spacing.first[1] + column * spacing.across[1] + row * spacing.down[1] - view.eye[1]
        return {
            "base": (column, row),
            "origin": (round(x * _STEP) / _STEP, round(y * _STEP) / _STEP),
            "across": spacing.across,
            "down": spacing.down,
            "shift": spacing.shift,
            "stagger": spacing.stagger,
            "odd": int(spacing.odd),
            "size": spacing.tile,
            "scale": self._tiles.scale,
        }

    def _bind(self) -> None:
        art = self._art
        self._ctx.enable_only(moderngl.BLEND)
        self._ctx.blend_func = BLEND_MODES[self._tiles.blend]  # type: ignore[assignment]  # the stubs know two factors only
        textures = [
            art.atlas.texture,
            self._cells,
            art.facts,
            art.frames,
            self._count_texture,
            self._lists,
            self._shifts,
        ]
        for unit, texture in enumerate(textures):
            if texture is not None:
                texture.use(unit)

    def _render(
        self,
        vertex: str,
        fragment: str,
        defines: dict[str, int],
        settings: Uniforms,
        instances: int,
    ) -> None:
        defines = {**defines, **self._defines}
        key = vertex + "".join(sorted(defines))
        if key not in self._arrays:
            program: moderngl.Program = self._programs.get(vertex, fragment, defines)
            for unit, name in enumerate(_TEXTURES):
                shaders.set_known(program, name, unit)
            bind_frame(program)
            self._arrays[key] = program, self._ctx.vertex_array(program, [])
        program, array = self._arrays[key]
        for name, value in settings.items():
            shaders.set_known(program, name, value)
        array.render(moderngl.TRIANGLE_STRIP, vertices=4, instances=instances)

    def _release_chunks(self) -> None:
        for texture in (self._count_texture, self._lists):
            if texture is not None:
                texture.release()
        self._chunks = self._count_texture = self._lists = None

    def _release_cells(self) -> None:
        self._cells.release()
        if self._shifts is not None:
            self._shifts.release()

    def release(self) -> None:
        self._release_chunks()
        self._tiles.tilesets.release()
        self._release_cells()
        for _, array in self._arrays.values():
            array.release()


def _pairs(rows: Rows, columns: Rows) -> Iterator[tuple[int, int]]:
    return zip(rows.tolist(), columns.tolist(), strict=True)
