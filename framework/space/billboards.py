"""Billboards: images in space that always face the camera. Smoke, dust, sparks, signs."""

from __future__ import annotations

__all__ = ["Billboards"]

from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Doubles, Floats, Rows
from ..assets.images import ImageSource, checked_source
from ..assets.particle_images import spot
from ..checks import Sealed, choice, flag, number
from ..gpu.gl import moderngl
from ..gpu.graphics import Graphics
from ..gpu.handover import in_cells
from ..gpu.streamed import Streamed
from ..motion.viewpoint import LARGEST
from ..state.columns import Cells, Column, Table, Ticked
from ..state.motion import blend
from ..state.rows import Batch
from .facing import FacingDefaults, FacingImages

if TYPE_CHECKING:
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


class Billboards(Batch, Ticked, FacingDefaults, Sealed):
    """Many images that face the camera, drawn in one call in a `World`:
    ``self.add(Billboards("smoke.png"))``.

    They are drawn after what is solid and hide nothing that is drawn later, the farthest first: in
    the order that they have when a tick ends. A frame between two ticks uploads nothing.

    Parameters
    ----------
    image
        A path, a PIL image, an array, or a list of these, of which the column ``image`` chooses;
        None for a soft spot.
    count
        Rows to start with.
    blend
        ``"alpha"``, or ``"add"`` for what shines.
    lit
        Whether the world's light falls on them, from all sides alike; else they are as bright as
        their image.
    soft
        Units over which they fade out before what is solid behind them, so that the ground does not
        cut smoke along a line; 0: not at all. In a world with any, the depth of what is drawn is
        copied once a frame.

    Columns
    ------- ``position`` (n, 3) float64, in the world; ``size`` (n, 2), units; ``angle`` (n,),
    radians counter-clockwise; ``color`` (n, 4), linear, multiplies the image: float32, all
    interpolated. ``image`` (n,) int32.
    """

    __slots__ = ("__weakref__", "_blend", "_gpu", "_lit", "_soft", "_sources", "_table")

    not_state = ("_gpu", "_sources")

    _rows_can_be_saved = True
    _noun = "billboards"

    position = Cells[Doubles]("In the world: float64 (n, 3), interpolated.")
    size = Cells[Floats]("Units: float32 (n, 2), interpolated.")
    angle = Cells[Floats]("Radians, counter-clockwise: float32 (n,), interpolated.")
    color = Cells[Floats]("Linear, multiplies the image: float32 (n, 4), interpolated.")
    image = Cells[NDArray[np.int32]]("The number of its image: int32 (n,).")

    def __init__(
        self,
        image: ImageSource | Sequence[ImageSource] | None = None,
        count: int = 0,
        *,
        blend: str = "alpha",
        lit: bool = False,
        soft: float = 0.0,
        capacity: int = 0,
    ) -> None:
        self._blend, self._lit = choice("blend", blend, ("alpha", "add")), flag("lit", lit)
        self._soft = number("soft", soft, least=0, most=LARGEST)
        self._sources: list[Any] = list(image) if isinstance(image, (list, tuple)) else [image]
        for source in [] if image is None else self._sources:
            checked_source("image", source)
        if not self._sources:
            raise ValueError("image: expected one at least, got an empty list")
        pose = [
            Column("position", 3, 0.0, dtype=np.float64, interpolated=True),
            Column("size", 2, 1.0, interpolated=True),
            Column("angle", 1, 0.0, interpolated=True),
            Column("color", 4, 1.0, interpolated=True, color_space="linear"),
        ]
        self._table: Table = Table(pose, Column("image", 1, 0, dtype=np.int32, interpolated=False))
        self._gpu: _BillboardsGpu | None = None
        self._start_with(count, capacity)

    def extend(self, count: int, **columns: ArrayLike) -> slice:
        """``count`` more rows; returns them as a slice. Keyword arguments are columns:
        ``position=…, color=…``.
        """
        rows = super().extend(count, **columns)
        self._table.touch()
        return rows

    def _check_rows(self, columns: Mapping[str, NDArray[Any]]) -> None:
        """Raise `ValueError` for images that are not there, among rows that somebody brings."""
        self._check_images(columns["image"])

    def _check_images(self, image: NDArray[np.int32]) -> None:
        if len(image) and not 0 <= int(image.min()) <= int(image.max()) < len(self._sources):
            raise ValueError(
                f"image: there are {len(self._sources)}, got numbers {image.min()} to {image.max()}"
            )

    def drawn_positions(self, alpha: float) -> Doubles:
        """Where they are drawn at ``alpha``: (n, 3)."""
        alpha = number("alpha", alpha)
        old, new = self._table.states(slice(None))
        drawn: Any = blend(old[0], new[0], alpha)
        return drawn  # type: ignore[no-any-return]

    # -- driven by the world -----------------------------------------------------------------------

    @property
    def uploaded_bytes(self) -> int:
        """Bytes of rows written to the GPU so far."""
        return 0 if self._gpu is None else self._gpu.rows.uploaded

    def depth(self) -> float:
        """How far from the camera their middle is, in units; before the first frame, 0."""
        shot = None if self._gpu is None else self._gpu.assets.shot
        if shot is None or not len(self):
            return 0.0
        middle = self._table.interpolated[0].current(len(self)).mean(axis=0)
        return float(np.nan_to_num(np.linalg.norm(middle - shot.eye)))

    def attach(self, graphics: Graphics, assets: WorldAssets) -> None:
        if self._gpu is not None:
            raise ValueError("billboards: they were added to a world already")
        self._gpu = _BillboardsGpu(graphics, assets, self._sources, self._lit, self._soft)
        self._table.touch()  # to be handed over, also before the first tick

    def draw(self) -> None:
        gpu, table, n = self._gpu, self._table, self._table.count
        assert gpu is not None
        if table.news() or gpu.rows.count != n:
            gpu.write(self._rows(self._farthest_first(n), n))
            for column in table.columns:
                column.handed_over(n, column.changed(n))
            table.tick.handed_over = True
        gpu.draw(self._blend)

    def _farthest_first(self, n: int) -> Rows:
        shot = self._gpu.assets.shot if self._gpu is not None else None
        if shot is None or self._blend == "add":  # of sums, the order does not matter
            return np.arange(n)
        away = (self._table.interpolated[0].current(n) - shot.eye) @ shot.view[
            :3, 2
        ]  # below 0: it looks along -z
        return np.argsort(np.nan_to_num(away), kind="stable")

    def _rows(self, order: Rows, n: int) -> Floats:
        """What the shader reads of each, in drawing order: float32 (n, 30)."""
        assert self._gpu is not None
        image = self._table.column("image").current(n)
        self._check_images(image)
        position, size, angle, color = self._table.interpolated
        parts = [in_cells(position.previous(n)), in_cells(position.current(n))]
        for state in (Column.previous, Column.current):
            parts += [state(size, n), state(angle, n)[:, None]]
        parts += [color.previous(n), color.current(n), self._gpu.rectangles[image]]
        return np.concatenate(parts, axis=1, dtype=np.float32)[order]

    def renew(self, files: Set[str]) -> bool:
        """Load images anew that come from these files."""
        if self._gpu is None or not self._gpu.renew(files):
            return False
        self._table.touch()  # they may lie elsewhere
        return True

    def release(self) -> None:
        if self._gpu is not None:
            self._gpu.release()
            self._gpu = None


class _BillboardsGpu:
    """Everything of billboards that lives on the GPU."""

    def __init__(
        self,
        graphics: Graphics,
        assets: WorldAssets,
        sources: Sequence[Any],
        lit: bool,
        soft: float,
    ) -> None:
        self.assets = assets
        self._program = assets.get(
            "billboards.vert",
            "billboards.frag",
            {name: 1 for name, on in (("LIT", lit), ("SOFT", soft)) if on},
        )
        self._images = FacingImages(
            assets, [spot() if source is None else source for source in sources], soft
        )
        self.rectangles = self._images.rectangles
        self.rows = Streamed(graphics.ctx)

    def write(self, rows: Floats) -> None:
        """Have ``rows`` drawn, in their order."""
        self.rows.write(rows, self._program, _LAYOUT)

    def draw(self, blend: str) -> None:
        array, count = self.rows.array, self.rows.count
        if not count or array is None:
            return
        self._images.use(self._program, blend)
        array.render(moderngl.TRIANGLE_STRIP, vertices=4, instances=count)

    def renew(self, files: Set[str]) -> bool:
        """Load images anew that come from these files."""
        before, self._images = self._images, self._images.renewed(files)
        self.rectangles = self._images.rectangles
        return self._images is not before

    def release(self) -> None:
        self.rows.drop()
        self._images.release()
