"""Upload and draw `Shapes` and `Polygons`, whose rows each have a layer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats
from ..gpu import shaders
from ..gpu.gl import moderngl
from ..gpu.graphics import BLEND_MODES, Graphics, bind_frame, check_thread, programs_of
from ..gpu.handover import Handover, PackedBuffer, Part
from ..state.backend import TableBackend
from ..state.transforms2d import PoseTable2D
from .draw_order import Order
from .layered_batch import Layered
from .point_lists import SHORT, PointLists, texels_of
from .sprite_drawing import NanWatch

L = TypeVar("L", bound=Layered[Any])

_WIDTH = 256  # number of texels in a row of the texture with point lists


class LayeredParts(Protocol):
    """The attributes of a batch with layers that its backend (the object that draws it) reads."""

    @property
    def table(self) -> PoseTable2D: ...
    @property
    def blend(self) -> str: ...


class LayeredDrawing(TableBackend[L]):
    """The backend that draws a batch with layers: `Shapes` or `Polygons`.

    ``single`` contains the names of the columns that are separate attributes of the vertex shader.
    ``packed`` contains the names of the columns that are packed into one integer per row. The
    vertex shader reads the packed integer as the attribute ``in_info``.
    """

    __slots__ = (
        "_blend",
        "_bound",
        "_info",
        "_layer",
        "_order",
        "_packed",
        "_watch",
        "ctx",
        "handover",
        "programs",
    )

    def __init__(
        self,
        frontend: L,
        parts: LayeredParts,
        graphics: Graphics,
        single: Sequence[str],
        packed: Sequence[str],
    ) -> None:
        super().__init__(frontend, parts, graphics)
        check_thread(graphics.thread)
        table = parts.table
        self.ctx = graphics.ctx
        self.programs = programs_of(graphics)
        self._blend = BLEND_MODES[parts.blend]
        self._bound: set[moderngl.Program] = set()
        self._layer = table.column("layer")
        position = table.column("position")
        self._order = Order(self._layer, position)
        self._watch = NanWatch(position)
        self.handover = Handover.of(self.ctx, table, *[table.column(name) for name in single])
        self._packed = [table.column(name) for name in packed]
        self._info = PackedBuffer(self.ctx, self._packed, self._pack_rows)
        self.handover.buffers.append(self._info)
        self.handover.reserve(table.capacity)
        table.touch()

    def _pack_rows(self, rows: slice) -> NDArray[np.uint32]:
        return self.pack(rows, *[column.data[rows] for column in self._packed])

    def pack(self, rows: slice, *columns: NDArray[Any]) -> NDArray[np.uint32]:
        """Return the values of the attribute ``in_info``, one integer for each row in ``rows``.

        ``columns`` contains the values that these rows have in the packed columns.
        """
        raise NotImplementedError

    def look_at(self, n: int) -> None:
        """Turn on the shader features that the first ``n`` rows need, such as dashes.

        Called before the rows are uploaded.
        """

    @property
    def uploaded_bytes(self) -> int:
        """The total number of bytes uploaded to the GPU so far."""
        return self.handover.uploaded

    def hand_over(self) -> None:
        """Upload all rows that the game has changed since the last upload.

        Games usually change rows only in ticks. If no tick has run since the last frame, there is
        usually nothing to upload.
        """
        table = self.table
        order = self._order
        layer = self._layer
        if not table.news():
            return
        n = table.count
        tick = table.tick
        layered = layer.news(n) or bool(layer.uploads.patches)
        self.handover.reserve(table.capacity)
        if layered or layer.uploads.unsent or layer.uploads.sent != n:
            order.sort(n, False, layered, self.handover.buffers)
        self.look_at(n)
        self._info.upload_packed(n, order.rows)
        self.handover.hand_over(n, not tick.handed_over, order.rows)
        self._watch.look(n)
        tick.handed_over = True
        tick.rested = False

    def draw(self) -> None:
        self.hand_over()
        if self.table.count:
            self.draw_rows(self.table.count)

    def draw_rows(self, count: int) -> None:
        """Draw the first ``count`` rows. Subclasses choose a shader program, and pass it to `run`."""
        raise NotImplementedError

    def run(
        self,
        program: moderngl.Program,
        units: dict[str, int],
        mode: int,
        vertices: int,
        count: int,
    ) -> None:
        """Draw the first ``count`` rows with ``program``. Each row is one instance with
        ``vertices`` vertices.

        ``units`` maps the name of each texture in the shader to a texture unit number.
        """
        self.ctx.enable_only(moderngl.BLEND)
        self.ctx.blend_func = self._blend  # type: ignore[assignment]  # the stubs know two factors only
        if program not in self._bound:
            self._bound.add(program)
            for name, unit in units.items():
                shaders.set_known(program, name, unit)
            bind_frame(program)
        array = self.handover.array(program, self._array_parts)
        array.render(mode, vertices=vertices, instances=count)

    def _array_parts(self) -> list[Part]:
        return [(self._info.buffer_of(0), "1u/i", "in_info")]

    def release(self) -> None:
        self.handover.release()


class PointListTexture:
    """A texture that contains all lists of a `PointLists`, for a shader."""

    __slots__ = ("_contours", "_ctx", "_sent", "_texture")

    def __init__(self, ctx: moderngl.Context, contours: PointLists) -> None:
        self._ctx = ctx
        self._contours = contours
        self._texture: moderngl.Texture | None = None
        self._sent = 0

    def use(self, unit: int) -> None:
        """Bind the texture with the point lists to a texture unit.

        If the batch has new point lists, `use` first uploads the lists.

        In the texture, the first texel of each list contains the length of the list. For a list
        with two numbers per row, each texel contains two rows, and two more texels at the end
        repeat the first row.
        """
        if self._texture is None or self._sent != len(self._contours.paths):
            self.release()
            self._texture = self._new_texture()
            self._sent = len(self._contours.paths)
        self._texture.use(unit)

    def _new_texture(self) -> moderngl.Texture:
        contours = self._contours
        # The shader reads at least `SHORT` points of each path, so the texture must have texels
        # after the last path.
        height = 1 + (contours.texels + SHORT // 2) // _WIDTH
        texels: Floats = np.zeros((height * _WIDTH, 4), np.float32)
        for parts, start in zip(contours.paths, contours.starts.tolist(), strict=False):
            texels[start, 0] = len(parts)
            block = texels[start + 1 : start + texels_of(parts)].reshape(-1, parts.shape[1])
            block[:] = parts[0]
            block[: len(parts)] = parts
        texture = self._ctx.texture((_WIDTH, height), 4, texels, dtype="f4")
        texture.filter = moderngl.NEAREST, moderngl.NEAREST
        return texture

    def release(self) -> None:
        """Release the texture on the GPU. The next call of `use` creates a new texture."""
        if self._texture is not None:
            self._texture.release()
        self._texture = None
