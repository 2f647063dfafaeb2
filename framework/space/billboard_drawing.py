"""The backend that draws `Billboards` in a game with graphics."""

from __future__ import annotations

from collections.abc import Set

import numpy as np

from ..arrays import Floats, Rows
from ..assets.particle_images import spot
from ..gpu.gl import moderngl
from ..gpu.graphics import Graphics
from ..gpu.handover import in_cells
from ..gpu.streamed import Streamed
from ..state.backend import drives
from ..state.columns import TableColumn
from .billboard_images import BillboardImages
from .billboards import BillboardParts, Billboards, check_images
from .solids import SolidTableBackend
from .surfaces import WorldAssets

_LAYOUT = (
    "3f 3f 3f 3f 3f 3f 4f 4f 4f/i",
    "in_previous_position_cell",
    "in_previous_position",
    "in_position_cell",
    "in_position",
    "in_previous_shape",
    "in_shape",
    "in_previous_color",
    "in_color",
    "in_rectangle",
)


@drives(Billboards, unseen=SolidTableBackend)
class BillboardDrawing(SolidTableBackend[Billboards]):
    """The backend that draws `Billboards` in a game with graphics. It owns the GPU copies of the
    batch's images and rows.
    """

    __slots__ = ("_assets", "_images", "_look", "_program", "_rows", "_sources")

    def __init__(
        self, frontend: Billboards, parts: BillboardParts, graphics: Graphics, assets: WorldAssets
    ) -> None:
        super().__init__(frontend, parts, graphics)
        self._assets = assets
        self._look = parts
        options = {"LIT": parts.lit, "SOFT": parts.soft > 0}
        defines = {name: 1 for name, on in options.items() if on}
        self._program = assets.get("billboards.vert", "billboards.frag", defines)
        sources = [spot() if source is None else source for source in parts.sources]
        self._images = BillboardImages(assets, sources, parts.soft)
        self._rows = Streamed(graphics.ctx)
        self.table.touch()  # the rows must be uploaded even before the first tick

    @property
    def transparent(self) -> bool:
        return True  # billboards are drawn after the opaque solids

    @property
    def reads_depth(self) -> bool:
        return self._look.soft > 0

    @property
    def uploaded_bytes(self) -> int:
        """The total number of bytes uploaded to the GPU, excluding images."""
        return self._rows.uploaded

    def depth(self) -> float:
        """Return the distance from the camera to the mean position of all billboards, in units.
        Before the first frame, return 0.
        """
        shot = self._assets.shot
        n = self.table.count
        if shot is None or not n:
            return 0.0
        middle = self.table.interpolated[0].current(n).mean(axis=0)
        return float(np.nan_to_num(np.linalg.norm(middle - shot.eye)))

    def hand_over(self) -> None:
        """Upload all rows if any row has changed since the last upload."""
        table = self.table
        n = self.table.count
        if table.news() or self._rows.count != n:
            self._rows.write(self._rows_in(self._farthest_first(n), n), self._program, _LAYOUT)
            for column in table.columns:
                column.handed_over(n, column.changed(n))
            table.tick.handed_over = True

    def draw(self) -> None:
        self.hand_over()
        array = self._rows.array
        count = self._rows.count
        if count and array is not None:
            self._images.use(self._program, self._look.blend)
            array.render(moderngl.TRIANGLE_STRIP, vertices=4, instances=count)

    def _farthest_first(self, n: int) -> Rows:
        shot = self._assets.shot
        if (
            shot is None or self._look.blend == "add"
        ):  # the order does not matter, because a sum of colors does not depend on it
            return np.arange(n)
        # The camera looks along -z, so the numbers are negative for billboards in front of the
        # camera.
        away = (self.table.interpolated[0].current(n) - shot.eye) @ shot.view[:3, 2]
        return np.argsort(np.nan_to_num(away), kind="stable")

    def _rows_in(self, order: Rows, n: int) -> Floats:
        """Return the data of the first ``n`` rows for the shader, in the drawing order ``order``.
        The array has the dtype float32 and the shape (n, 30).
        """
        image = self.table.column("image").current(n)
        check_images(image, len(self._look.sources))
        position, size, angle, color = self.table.interpolated
        parts = [in_cells(position.previous(n)), in_cells(position.current(n))]
        for state in (TableColumn.previous, TableColumn.current):
            parts += [state(size, n), state(angle, n)[:, None]]
        parts += [color.previous(n), color.current(n), self._images.rectangles[image]]
        return np.concatenate(parts, axis=1, dtype=np.float32)[order]

    def renew(self, files: Set[str]) -> bool:
        before = self._images
        self._images = self._images.renewed(files)
        if self._images is before:
            return False
        self.table.touch()  # after a reload, the images may be at other positions in the texture
        return True

    def release(self) -> None:
        self._rows.release()
        self._images.release()
