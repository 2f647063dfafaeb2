"""The backends of `Lines`, with and without graphics."""

from __future__ import annotations

from operator import is_

import numpy as np

from ..arrays import Doubles
from ..gpu.gl import moderngl
from ..gpu.graphics import Graphics
from ..gpu.handover import in_cells
from ..gpu.streamed import Streamed
from ..state.backend import drives
from .lines import LineParts, Lines
from .solids import SolidBackend
from .surfaces import WorldAssets

# The shader attributes of a line: the start and the end, each as whole cells and a remainder, then
# the color and the width.
_LAYOUT = (
    "3f 3f 3f 3f 4f 1f/i",
    "in_start_cell",
    "in_start",
    "in_end_cell",
    "in_end",
    "in_color",
    "in_width",
)


class LineTicks(SolidBackend[Lines]):
    """The backend of `Lines` in a game without graphics.

    It draws nothing, but removes all lines at the start of each tick, unless ``keep`` is True.
    """

    __slots__ = ("_parts",)

    def __init__(self, frontend: Lines, parts: LineParts, graphics: Graphics) -> None:
        super().__init__(frontend)
        self._parts = parts

    def begin_tick(self, dt: float) -> None:
        # While another scene pauses this scene, the game adds no lines. Therefore the old lines
        # must stay.
        if not self.frontend.keep and dt:
            self.frontend.clear()


@drives(Lines, unseen=LineTicks)
class LineDrawing(LineTicks):
    """The backend that draws `Lines` in a game with graphics. On the GPU, each line is one row of a
    table.
    """

    __slots__ = ("_assets", "_program", "_rows", "_sent")

    def __init__(
        self, frontend: Lines, parts: LineParts, graphics: Graphics, assets: WorldAssets
    ) -> None:
        super().__init__(frontend, parts, graphics)
        self._assets = assets
        self._program = assets.get("lines.vert", "lines.frag")
        self._rows = Streamed(graphics.ctx)
        self._sent: list[Doubles] = []

    @property
    def transparent(self) -> bool:
        return True  # lines are drawn after solids, because solids may hide the lines

    def draw(self) -> None:
        lines = self._parts.lines
        drawn = lines.copy()
        if self._parts.callbacks:
            shot = self._assets.shot
            rows = drawn
            for function in self._parts.callbacks:
                function(1.0 if shot is None else shot.alpha)
            drawn = lines.copy()
            lines[:] = rows
        array = self._send(drawn)
        if array is None:
            return
        ctx = self._assets.graphics.ctx
        count = sum(map(len, drawn))
        ctx.enable_only(
            moderngl.BLEND if self.frontend.on_top else moderngl.BLEND | moderngl.DEPTH_TEST
        )
        array.render(moderngl.TRIANGLE_STRIP, vertices=4, instances=count)

    def _send(self, drawn: list[Doubles]) -> moderngl.VertexArray | None:
        """Upload the lines if they have changed, and return the vertex array to draw them.

        Return None if there are no lines.
        """
        if len(drawn) == len(self._sent) and all(map(is_, drawn, self._sent)):
            return self._rows.array if drawn else None
        self._sent = drawn
        if not drawn:
            return None
        lines = np.concatenate(drawn)
        rows = np.concatenate(
            [in_cells(lines[:, :3]), in_cells(lines[:, 3:6]), lines[:, 6:]],
            axis=1,
            dtype=np.float32,
        )
        return self._rows.write(rows, self._program, _LAYOUT)

    def release(self) -> None:
        self._rows.release()
