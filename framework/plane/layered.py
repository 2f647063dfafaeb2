"""Batches in the plane whose rows are drawn in one call, by layers: what shapes and polygons have
in common.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from .. import checks
from ..checks import Sealed
from ..gpu import shaders
from ..gpu.drawable import DrawableDefaults
from ..gpu.gl import moderngl
from ..gpu.graphics import BLEND_MODES, FRAME_BINDING, Graphics, check_thread
from ..gpu.handover import Handover, PackedBuffer, Part
from ..state.columns import Ticked
from ..state.rows import Handle, Handled
from ..state.transforms2d import PoseTable2D
from .order import Order
from .sprite_drawing import NanWatch

H = TypeVar("H", bound=Handle[Any])


class Layered(Handled[H], Ticked, DrawableDefaults, Sealed):
    """Rows with the columns of `Transforms2D`, and ``layer``. What derives from it says what draws
    them.
    """

    __slots__ = ("__weakref__", "_blend", "_gpu", "_layer", "_order", "_table", "_watch")

    not_state: ClassVar[Any] = ("_gpu", "_layer", "_order", "_watch")

    def __init__(self, table: PoseTable2D, blend: str) -> None:
        self._blend = checks.choice("blend", blend, BLEND_MODES)
        self._table = table
        self._layer, position = table.column("layer"), table.column("position")
        self._order, self._watch = Order(self._layer, position), NanWatch(position)
        self._gpu: LayeredGpu | None = None

    def made_gpu(self, graphics: Graphics) -> LayeredGpu:
        """What draws it, in a game."""
        raise NotImplementedError

    @property
    def uploaded_bytes(self) -> int:
        """Bytes written to the GPU so far."""
        return 0 if self._gpu is None else self._gpu.handover.uploaded

    def attach(self, graphics: Graphics) -> None:
        if self._gpu is not None:
            raise ValueError(f"{self._noun}: they were added to a game already")
        self._gpu = self.made_gpu(graphics)
        self._gpu.handover.reserve(self._table.capacity)
        self._table.touch()

    def hand_over(self) -> None:
        """Upload what changed since the last time: nothing, between two ticks of a game that left
        it alone.
        """
        table, order, layer, gpu = self._table, self._order, self._layer, self._gpu
        assert gpu is not None
        if not table.news():
            return
        n, tick, layered = table.count, table.tick, layer.news(table.count)
        gpu.handover.reserve(table.capacity)
        if layered or layer.uploads.unsent or layer.uploads.sent != n:
            order.sort(n, False, layered, gpu.handover.buffers)
        gpu.look_at(n)
        gpu.info.bring_packed(n, order.rows)
        gpu.handover.hand_over(n, not tick.handed_over, order.rows)
        self._watch.look(n)
        tick.handed_over, tick.rested = True, False

    def draw(self) -> None:
        self.hand_over()
        if self._table.count and self._gpu is not None:
            self._gpu.draw(self._table.count, BLEND_MODES[self._blend])

    def after_restore(self) -> None:
        """A snapshot was put back: all is handed over anew."""
        self._table.touch()

    def release(self) -> None:
        if self._gpu is not None:
            self._gpu.release()
        self._gpu = None


class LayeredGpu:
    """Everything of such a batch that lives on the GPU: columns by their names, and some packed
    into one number.
    """

    def __init__(
        self, graphics: Graphics, table: PoseTable2D, named: Sequence[str], packed: Sequence[str]
    ) -> None:
        check_thread(graphics.thread)
        self.ctx = graphics.ctx
        if graphics.programs is None:
            graphics.programs = shaders.Programs(graphics.ctx, graphics.folders)
        self.programs: shaders.Programs = graphics.programs
        self._bound: set[moderngl.Program] = set()
        self.handover = Handover.of(self.ctx, table, *[table.column(name) for name in named])
        self._packed_from = [table.column(name) for name in packed]
        self.info = PackedBuffer(self.ctx, self._packed_from, self._packed)
        self.handover.buffers.append(self.info)

    def _packed(self, rows: slice) -> NDArray[np.uint32]:
        return self.pack(rows, *[column.data[rows] for column in self._packed_from])

    def pack(self, rows: slice, *columns: NDArray[Any]) -> NDArray[np.uint32]:
        """The attribute `in_info` of some rows, whose packed columns are given."""
        raise NotImplementedError

    def look_at(self, n: int) -> None:
        """Note of the first ``n`` rows, before they are handed over, what drawing them needs."""

    def draw(self, count: int, blend: tuple[int, int, int, int]) -> None:
        """Draw so many rows."""
        raise NotImplementedError

    def render(
        self,
        program: moderngl.Program,
        units: dict[str, int],
        mode: int,
        vertices: int,
        count: int,
        blend: Any,
    ) -> None:
        """Run a program over so many rows, an instance each; ``units`` are those of its
        textures.
        """
        self.ctx.enable_only(moderngl.BLEND)
        self.ctx.blend_func = blend
        if program not in self._bound:
            self._bound.add(program)
            for name, unit in units.items():
                shaders.set_known(program, name, unit)
            program["Frame"].binding = FRAME_BINDING  # type: ignore[union-attr]
        self.handover.array(program, self._parts).render(mode, vertices=vertices, instances=count)

    def _parts(self) -> list[Part]:
        return [(self.info.buffer_of(0), "1u/i", "in_info")]

    def release(self) -> None:
        """Free it."""
        self.handover.release()
