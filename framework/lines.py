"""Lines, boxes and axes in space, to see what a game computes: hit boxes, ways, normals."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import moderngl
import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import quaternions
from .collide import Numbers, corners
from .columns import in_cells

if TYPE_CHECKING:
    from .graphics import Graphics
    from .surfaces import WorldAssets

# Start and end as cells and the rest, colour, width.
_LAYOUT = ("3f 3f 3f 3f 4f 1f/i", "in_start_cell", "in_start", "in_end_cell", "in_end", "in_color", "in_width")

# The twelve edges of a box by the numbers of its corners.
_EDGES = np.array([(a, a | bit) for a in range(8) for bit in (1, 2, 4) if not a & bit])


class Lines:
    """Lines in a world: ``self.world.lines.box((-1, 0, -1), (1, 2, 1))``, or a `Lines` of your own in ``self.add``.

    What is added in a tick is drawn until the next one begins; with ``keep``, until `clear`. It is drawn where it was
    added, not between two ticks; for what follows things as they are drawn, see `each_frame`.

    Parameters
    ----------
    over
        Whether lines are drawn over everything, or hidden by what is before them.
    keep
        Whether they stay.

    Places are (3,) or (n, 3) in the world's units. Colours are three or four numbers 0 to 1 as a screen shows them:
    neither light nor fog changes them. Widths are in units of the picture, a pixel at least.
    """

    in_world = True
    transparent = True  # drawn after what hides it

    def __init__(self, *, over: bool = False, keep: bool = False) -> None:
        self.over, self.keep = over, keep
        self._parts: list[NDArray[np.float64]] = []  # (n, 11): start, end, colour, width
        self._callbacks: list[Callable[[float], object]] = []
        self._assets: WorldAssets | None = None
        self._program: moderngl.Program | None = None
        self._buffer: moderngl.Buffer | None = None
        self._array: moderngl.VertexArray | None = None
        self._sent: list[NDArray[np.float64]] = []

    def __len__(self) -> int:
        """Lines to be drawn."""
        return sum(len(part) for part in self._parts)

    def add(self, start: ArrayLike, end: ArrayLike, color: ArrayLike = (1.0, 1.0, 1.0), width: float = 1.0) -> None:
        """Lines from ``start`` to ``end``, (3,) or (n, 3) each; a colour for all, or (n, 3) or (n, 4)."""
        first, last = _places("start", start), _places("end", end)
        colors = np.atleast_2d(np.asarray(color, np.float64))
        if colors.ndim != 2 or colors.shape[1] not in (3, 4):
            raise ValueError(f"color: expected 3 or 4 numbers, got {color!r}")
        if not (np.isfinite(width) and width > 0):
            raise ValueError(f"width: expected a number above 0, got {width!r}")
        if colors.shape[1] == 3:
            colors = np.column_stack([colors, np.ones(len(colors))])
        try:
            n = np.broadcast_shapes(first.shape[:1], last.shape[:1], colors.shape[:1])[0]
        except ValueError:
            raise ValueError(
                f"start, end, color: expected as many of each, got {len(first)}, {len(last)} and {len(colors)}"
            ) from None
        part = np.empty((n, 11))
        part[:, :3], part[:, 3:6], part[:, 6:10], part[:, 10] = first, last, colors, width
        self._parts.append(part)

    def path(self, points: ArrayLike, color: ArrayLike = (1.0, 1.0, 1.0), width: float = 1.0) -> None:
        """Through ``points`` (n, 3), one after another."""
        places = _places("points", points)
        if len(places) > 1:
            self.add(places[:-1], places[1:], color, width)

    def box(self, low: ArrayLike, high: ArrayLike, color: ArrayLike = (1.0, 0.8, 0.2), width: float = 1.0) -> None:
        """The edges of upright boxes, from ``low`` to ``high``: (3,) or (n, 3)."""
        first, last = np.broadcast_arrays(_places("low", low), _places("high", high))
        self.turned_box((first + last) / 2, (last - first) / 2, None, color, width)

    def turned_box(
        self, middle: ArrayLike, half: ArrayLike, rotation: ArrayLike | None, color: ArrayLike = (1.0, 0.8, 0.2),
        width: float = 1.0,
    ) -> None:  # fmt: skip
        """The edges of boxes, as `collide.boxes` takes them: their middle, half their size, a quaternion."""
        ends = corners(_places("middle", middle), _places("half", half), rotation)
        self.add(ends[:, _EDGES[:, 0]].reshape(-1, 3), ends[:, _EDGES[:, 1]].reshape(-1, 3), color, width)

    def sphere(
        self, center: ArrayLike, radius: float, color: ArrayLike = (1.0, 0.8, 0.2), width: float = 1.0
    ) -> None:
        """Three circles of ``radius``, about ``center`` (3,) or (n, 3)."""
        angle = np.linspace(0, 2 * np.pi, 33)
        for axis in range(3):
            ring = np.insert(radius * np.column_stack([np.cos(angle), np.sin(angle)]), axis, 0.0, axis=1)
            places = _places("center", center)[:, None] + ring
            self.add(places[:, :-1].reshape(-1, 3), places[:, 1:].reshape(-1, 3), color, width)

    def axes(
        self, position: ArrayLike = (0.0, 0.0, 0.0), rotation: ArrayLike = (0.0, 0.0, 0.0, 1.0), size: float = 1.0,
        width: float = 2.0,
    ) -> None:  # fmt: skip
        """x red, y green, z blue, of one pose or of n: (n, 3) and (n, 4)."""
        places, turns = _places("position", position), np.atleast_2d(np.asarray(rotation, np.float64))
        for axis, color in enumerate(((1.0, 0.2, 0.25), (0.3, 0.9, 0.2), (0.25, 0.5, 1.0))):
            way = np.zeros((len(turns), 3))
            way[:, axis] = size
            self.add(places, places + quaternions.rotate(turns, way), color, width)

    def grid(
        self, size: float = 10.0, step: float = 1.0, color: ArrayLike = (0.5, 0.5, 0.5, 0.6), width: float = 1.0
    ) -> None:
        """Squares of ``step`` in x and z about the origin, ``size`` units each way."""
        at = np.arange(-size, size + step / 2, step)
        flat, side = np.zeros_like(at), np.full_like(at, size)
        self.add(np.column_stack([at, flat, -side]), np.column_stack([at, flat, side]), color, width)
        self.add(np.column_stack([-side, flat, at]), np.column_stack([side, flat, at]), color, width)

    def each_frame(self, function: Callable[[float], object]) -> None:
        """Call ``function(alpha)`` before each drawing: what it adds is drawn in that frame only.

            def boxes(alpha):
                position, rotation, scale = batch.transforms.pose(alpha)
                lines.turned_box(position, scale / 2, rotation)
        """
        self._callbacks.append(function)

    def clear(self) -> None:
        """Take out all lines."""
        self._parts = []

    # -- driven by the world -------------------------------------------------------------------------------------

    def depth(self) -> float:
        """They come last, over all that lets something through."""
        return 0.0

    def attach(self, graphics: Graphics, assets: WorldAssets) -> None:
        self._assets = assets
        self._program = assets.get("lines.vert", "lines.frag")

    def begin_tick(self, dt: float) -> None:
        # In a scene that another pauses, nothing is added anew: what there is stays.
        if not self.keep and dt:
            self.clear()

    def end_tick(self) -> None: ...

    def notice_writes(self) -> None:
        """Nothing: lines are drawn where they were added."""

    def draw(self) -> None:
        assert self._assets is not None
        shot = self._assets.shot
        kept = list(self._parts)
        for function in self._callbacks:
            function(1.0 if shot is None else shot.alpha)
        parts, self._parts = self._parts, kept
        count = self._send(parts)
        if not count or self._array is None:
            return
        ctx = self._assets.graphics.ctx
        ctx.enable_only(moderngl.BLEND if self.over else moderngl.BLEND | moderngl.DEPTH_TEST)
        self._array.render(moderngl.TRIANGLE_STRIP, vertices=4, instances=count)

    def _send(self, parts: list[NDArray[np.float64]]) -> int:
        """Bring the lines to the GPU, if they are not those that it has; returns how many there are."""
        assert self._assets is not None
        count = sum(len(part) for part in parts)
        if not count or (len(parts) == len(self._sent) and all(map(_is, parts, self._sent))):
            return count
        lines = np.concatenate(parts)
        rows = np.concatenate([in_cells(lines[:, :3]), in_cells(lines[:, 3:6]), lines[:, 6:]], axis=1, dtype=np.float32)
        if self._buffer is None or self._buffer.size < rows.nbytes:
            self._drop()
            ctx = self._assets.graphics.ctx
            self._buffer = ctx.buffer(reserve=2 * rows.nbytes, dynamic=True)
            self._array = ctx.vertex_array(self._program, [(self._buffer, *_LAYOUT)])
        else:
            self._buffer.orphan()
        self._buffer.write(rows)
        self._sent = parts
        return count

    def _drop(self) -> None:
        for part in (self._array, self._buffer):
            if part is not None:
                part.release()
        self._array = self._buffer = None

    def release(self) -> None:
        self._drop()
        self._sent = []
        self._assets = self._program = None


def _is(a: Any, b: Any) -> bool:
    return a is b


def _places(name: str, value: ArrayLike) -> Numbers:
    array = np.atleast_2d(np.asarray(value, np.float64))
    if array.ndim != 2 or array.shape[1] != 3:
        raise ValueError(f"{name}: expected numbers of shape (3,) or (n, 3), got {np.shape(value)}")
    return array
