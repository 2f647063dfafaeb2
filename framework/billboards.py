"""Billboards: images in space that always face the camera. Smoke, dust, sparks, signs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import moderngl
import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import images
from .batch import row_indices
from .columns import Column, Floats, Rows, assign, in_cells
from .graphics import BLEND_MODES, Graphics, check_choice
from .images import ImageSource
from .motion import Extrapolation, Predictions, blend
from .textures import Atlas
from .timestep import whole
from .transforms import Transforms

if TYPE_CHECKING:
    from .surfaces import WorldAssets

_LAYOUT = (
    "3f 3f 3f 3f 3f 3f 4f 4f 4f/i",
    "in_previous_position_cell", "in_previous_position", "in_position_cell", "in_position",
    "in_previous_shape", "in_shape", "in_previous_color", "in_color", "in_rectangle",
)  # fmt: skip


class Billboards:
    """Many images that face the camera, drawn in one call in a `World`: ``self.add(Billboards("smoke.png"))``.

    They are drawn after what is solid and hide nothing that is drawn later, the farthest first: in the order that they
    have when a tick ends. A frame between two ticks uploads nothing.

    Parameters
    ----------
    image
        A path, a PIL image, an array, or a list of these, of which the column ``image`` chooses; None for a soft spot.
    count
        Rows to start with.
    blend
        ``"alpha"``, or ``"add"`` for what shines.
    lit
        Whether the world's light falls on them, from all sides alike; else they are as bright as their image.

    Columns
    -------
    ``position`` (n, 3) float64, in the world; ``size`` (n, 2), units; ``angle`` (n,), radians counter-clockwise;
    ``color`` (n, 4), linear, multiplies the image: float32, all interpolated. ``image`` (n,) int32.
    """

    in_world = True
    transparent = True

    def __init__(
        self,
        image: ImageSource | Sequence[ImageSource] | None = None,
        count: int = 0,
        *,
        blend: str = "alpha",
        lit: bool = False,
        capacity: int = 0,
    ) -> None:
        self._blend, self._lit = check_choice("blend", blend, ("alpha", "add")), lit
        self._sources: list[Any] = list(image) if isinstance(image, (list, tuple)) else [image]
        if not self._sources:
            raise ValueError("image: expected one at least, got an empty list")
        self._position = Column("position", 3, 0.0, dtype=np.float64, interpolated=True)
        self._size = Column("size", 2, 1.0, interpolated=True)
        self._angle = Column("angle", 1, 0.0, interpolated=True)
        self._color = Column("color", 4, 1.0, interpolated=True)
        self._image = Column("image", 1, 0, dtype=np.int32, interpolated=False)
        pose = (self._position, self._size, self._angle, self._color)
        self._transforms = Transforms("interpolate", pose, {}, (), Predictions(Extrapolation(), 0, 0))
        self._transforms.columns.append(self._image)
        self._gpu: _BillboardsGpu | None = None
        self._transforms.reserve(whole("capacity", capacity, 0))
        if whole("count", count, 0):
            self._transforms.spawn(count)

    def __len__(self) -> int:
        """Billboards there are."""
        return len(self._transforms)

    @property
    def position(self) -> NDArray[np.float64]:
        return self._position.values(len(self))

    @position.setter
    def position(self, value: ArrayLike) -> None:
        assign(self._position, len(self), value)

    @property
    def size(self) -> Floats:
        return self._size.values(len(self))

    @size.setter
    def size(self, value: ArrayLike) -> None:
        assign(self._size, len(self), value)

    @property
    def angle(self) -> Floats:
        return self._angle.values(len(self))

    @angle.setter
    def angle(self, value: ArrayLike) -> None:
        assign(self._angle, len(self), value)

    @property
    def color(self) -> Floats:
        return self._color.values(len(self))

    @color.setter
    def color(self, value: ArrayLike) -> None:
        assign(self._color, len(self), value)

    @property
    def image(self) -> NDArray[np.int32]:
        return self._image.values(len(self))

    @image.setter
    def image(self, value: ArrayLike) -> None:
        assign(self._image, len(self), value)

    # -- rows ----------------------------------------------------------------------------------------------------

    def extend(self, count: int, **columns: ArrayLike) -> slice:
        """``count`` more rows; returns them as a slice. Keyword arguments are columns: ``position=…, color=…``."""
        count = whole("count", count, 0)
        rows = self._transforms.spawn(count, self._transforms.checked(count, columns))
        for column in self._transforms.columns:
            column.touch()
        return rows

    def remove(self, rows: ArrayLike | slice) -> None:
        """Take out rows by indices, mask or slice: ``smoke.remove(age > 2)``. The others keep their order."""
        keep = np.ones(len(self), bool)
        keep[row_indices(rows, len(self))] = False
        self._transforms.keep(np.flatnonzero(keep))

    def clear(self) -> None:
        """Take out all."""
        self.remove(slice(None))

    def teleport(self, rows: ArrayLike | slice) -> None:
        """Draw rows where this tick leaves them, without a way there."""
        self._transforms.teleport(row_indices(rows, len(self)))

    def drawn_positions(self, alpha: float) -> NDArray[np.float64]:
        """Where they are drawn at ``alpha``: (n, 3)."""
        old, new = self._transforms._states(slice(None))
        drawn: NDArray[Any] = blend(old[0], new[0], alpha)
        return drawn

    # -- driven by the world -------------------------------------------------------------------------------------

    @property
    def uploaded_bytes(self) -> int:
        """Bytes of rows written to the GPU so far."""
        return 0 if self._gpu is None else self._gpu.uploaded

    def depth(self) -> float:
        """How far from the camera their middle is, in units; before the first frame, 0."""
        shot = None if self._gpu is None else self._gpu.assets.shot
        if shot is None or not len(self):
            return 0.0
        middle = self._position.current(len(self)).mean(axis=0)
        return float(np.nan_to_num(np.linalg.norm(middle - shot.eye)))

    def attach(self, graphics: Graphics, assets: WorldAssets) -> None:
        if self._gpu is not None:
            raise ValueError("billboards: they were added to a world already")
        self._gpu = _BillboardsGpu(graphics, assets, self._sources, self._lit)
        for column in self._transforms.columns:
            column.touch()  # to be handed over, also before the first tick

    def begin_tick(self, dt: float) -> None:
        self._transforms.begin_tick(dt)

    def end_tick(self) -> None:
        self._transforms.end_tick()

    def notice_writes(self) -> None:
        """While no ticks run, draw rows that were written since the last call where they are now."""
        self._transforms.notice_writes()

    def draw(self) -> None:
        gpu, transforms, n = self._gpu, self._transforms, len(self)
        assert gpu is not None
        transforms.settle()
        touched = any([column.touched_since_hand_over for column in transforms.columns])  # noqa: C419  (quicker)
        if transforms.ticked or touched or gpu.count != n:
            gpu.write(self._rows(self._farthest_first(n), n))
            for column in transforms.columns:
                column.handed_over(n, column.changed(n))
            transforms.ticked = False
        gpu.draw(self._blend)

    def _farthest_first(self, n: int) -> Rows:
        shot = self._gpu.assets.shot if self._gpu is not None else None
        if shot is None or self._blend == "add":  # of sums, the order does not matter
            return np.arange(n)
        away = (self._position.current(n) - shot.eye) @ shot.view[:3, 2]  # below 0: it looks along -z
        return np.argsort(np.nan_to_num(away), kind="stable")

    def _rows(self, order: Rows, n: int) -> Floats:
        """What the shader reads of each, in drawing order: float32 (n, 30)."""
        assert self._gpu is not None
        image = self._image.current(n)
        if n and not 0 <= int(image.min()) <= int(image.max()) < len(self._sources):
            raise ValueError(f"image: there are {len(self._sources)}, got numbers {image.min()} to {image.max()}")
        parts = [in_cells(self._position.previous(n)), in_cells(self._position.current(n))]
        for state in (Column.previous, Column.current):
            parts += [state(self._size, n), state(self._angle, n)[:, None]]
        parts += [self._color.previous(n), self._color.current(n), self._gpu.rectangles[image]]
        return np.concatenate(parts, axis=1, dtype=np.float32)[order]

    def release(self) -> None:
        if self._gpu is not None:
            self._gpu.release()
            self._gpu = None


class _BillboardsGpu:
    """Everything of billboards that lives on the GPU."""

    def __init__(self, graphics: Graphics, assets: WorldAssets, sources: Sequence[Any], lit: bool) -> None:
        self._ctx, self.assets = graphics.ctx, assets
        self._program = assets.get("billboards.vert", "billboards.frag", {"LIT": 1} if lit else None)
        pictures = images.load_many([_spot() if s is None else s for s in sources], graphics.folders)
        self._atlas = Atlas(graphics.ctx)
        self._atlas.add_many([images.premultiply(picture) for picture in pictures])
        self._atlas.flush()
        # Half a texel within: the linear filter sees none of the neighbours.
        corner, size = self._atlas.rectangles[:, :2], self._atlas.rectangles[:, 2:]
        edge = np.array(self._atlas.texture.size, np.float32)
        self.rectangles = np.concatenate([(corner + 0.5) / edge, (corner + size - 0.5) / edge], axis=1)
        self.count = self.uploaded = 0
        self._buffer: moderngl.Buffer | None = None
        self._array: moderngl.VertexArray | None = None

    def write(self, rows: Floats) -> None:
        """Have ``rows`` drawn, in their order."""
        self.count = len(rows)
        if not len(rows):
            return
        if self._buffer is None or self._buffer.size < rows.nbytes:
            self._drop()
            self._buffer = self._ctx.buffer(reserve=2 * rows.nbytes, dynamic=True)
            self._array = self._ctx.vertex_array(self._program, [(self._buffer, *_LAYOUT)])
        self._buffer.orphan()
        self._buffer.write(rows)
        self.uploaded += rows.nbytes

    def draw(self, blend: str) -> None:
        if not self.count or self._array is None:
            return
        ctx = self._ctx
        ctx.enable_only(moderngl.BLEND | moderngl.DEPTH_TEST)
        ctx.blend_func = BLEND_MODES["alpha"]  # type: ignore[assignment]  # the stubs know two factors only
        self._atlas.texture.use(0)
        for name, value in (("image", 0), ("additive", float(blend == "add"))):
            uniform = self._program[name]
            assert isinstance(uniform, moderngl.Uniform)
            uniform.value = value
        self._array.render(moderngl.TRIANGLE_STRIP, vertices=4, instances=self.count)

    def _drop(self) -> None:
        for part in (self._array, self._buffer):
            if part is not None:
                part.release()
        self._array = self._buffer = None

    def release(self) -> None:
        self._drop()
        self._atlas.release()


def _spot() -> NDArray[np.uint8]:
    """A white spot, softer towards its edge: uint8 (64, 64, 4)."""
    at = (np.arange(64) - 31.5) / 32
    away = np.minimum(np.hypot(at[:, None], at[None]), 1)
    picture = np.full((64, 64, 4), 255, np.uint8)
    picture[..., 3] = np.rint((1 - away * away) ** 2 * 255)
    return picture
