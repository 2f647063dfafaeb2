"""The walls that cast shadows in 2D light: segments, polygons, tiles and boxes around sprites."""

from __future__ import annotations

from collections.abc import Iterable
from operator import is_
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Doubles, Mask, Reals, Rows
from ..checks import numbers, wrong_type, wrong_value
from ..geometry import exact
from ..geometry.tileedges import edges, ramps
from ..geometry.tilegrid import Tiles, is_tiles, shapes_of
from ..motion.camera_base import MAX_MAGNITUDE
from ..plane.sprites import SpriteBatch
from ..state.rows import table_of
from .light2d_math import Walls

EXPECTED = (
    "segments (n, 2, 2), boxes (n, 4), a polygon (k, 2), a list of these, a TileGrid, "
    "a TileLayer of upright tiles, or "
    "a SpriteBatch"
)

Wall: TypeAlias = ArrayLike | Tiles | SpriteBatch
"""A value for `Lights2D.walls`: arrays, a grid or layer of tiles, or a batch of sprites."""

_NONE = np.zeros((0, 2, 2))
_MAX_CELLS = 256  # the maximum number of columns and of rows of a `WallGrid`


class ShapeWalls:
    """Walls that the game has passed as arrays, such as segments and polygons. These walls never
    change.
    """

    __slots__ = ("segments", "value")

    def __init__(self, value: ArrayLike, segments: Doubles) -> None:
        self.value = value
        self.segments = segments
        segments.flags.writeable = False


class TileWalls:
    """Walls of a tile layer: the outline of all solid tiles, slopes and half tiles."""

    __slots__ = ("_cached_tiles", "_edges", "value")

    not_state = ("_edges", "_cached_tiles")

    def __init__(self, value: Tiles) -> None:
        self.value = value
        self._cached_tiles: tuple[tuple[float, ...], list[NDArray[Any]]] | None = None
        self._edges = _NONE

    @property
    def segments(self) -> Doubles:
        """The start and the end of each wall segment. The array has the shape (m, 2, 2).

        The segments are computed again only after tiles have changed.
        """
        tiles = self.value
        layout = *tiles.position, *tiles.tile_size
        slopes: NDArray[Any] | None = getattr(tiles, "slopes", None)
        parts = shapes_of(tiles)
        shapes = (
            tiles.solid,
            np.zeros(0) if slopes is None else slopes,
            np.concatenate(parts) if parts else np.zeros(0),
        )
        cached = self._cached_tiles
        if cached is None or cached[0] != layout or not all(map(np.array_equal, cached[1], shapes)):
            self._cached_tiles = layout, [shape.copy() for shape in shapes]
            self._edges = np.concatenate(
                [edges(tiles), *[_closed(ring[None]) for ring in (*ramps(tiles), *parts)]]
            )
        return self._edges


class SpriteWalls:
    """Walls of a sprite batch: one box per visible sprite, which moves, rotates and scales with
    it."""

    __slots__ = ("_size", "value")

    def __init__(self, batch: SpriteBatch, size: tuple[float, float] | None) -> None:
        self.value = batch
        self._size = size

    @property
    def box(self) -> tuple[float, float, float, float]:
        """The box of every sprite before scaling, in units from the position of the sprite: left,
        bottom, right and top.
        """
        if self._size is not None:
            width, height = self._size
            return -width / 2, -height / 2, width / 2, height / 2
        boxes = self.value.images.boxes()
        # The batch has no image, or the image is transparent.
        if not len(boxes) or np.isnan(boxes[0]).any():
            return 0.0, 0.0, 0.0, 0.0
        box: Doubles = boxes[0]
        left, bottom, right, top = box.tolist()
        return left, bottom, right, top

    def corners(self, alpha: float) -> Doubles:
        """Return the corners of the boxes in the world at ``alpha``, in units. The array has the
        shape (k, 4, 2).
        """
        table = table_of(self.value)
        visible = np.flatnonzero(table.column("visible").current(table.count))
        if not len(visible):
            return np.zeros((0, 4, 2))
        position, angle, scale = (part.astype(np.float64) for part in table.pose(alpha, visible))
        left, bottom, right, top = self.box
        box = np.array([(left, bottom), (right, bottom), (right, top), (left, top)])
        x, y = np.moveaxis(box * scale[:, None], 2, 0)
        sin, cos = (part[:, None] for part in exact.functions().sincos(angle))
        turned: Doubles = np.stack([x * cos - y * sin, x * sin + y * cos], axis=2)
        return turned + position[:, None]


WallSource: TypeAlias = ShapeWalls | TileWalls | SpriteWalls


class StandingWalls(NamedTuple):
    """The walls that do not move. The arrays are replaced only when a wall changes."""

    segments: Doubles
    """The start and the end of each segment. The array has the shape (m, 2, 2)."""
    depths: Doubles
    """How far light reaches into the wall behind each segment, in units. The array has the shape
    (m,).
    """


class WallSet:
    """The walls of a `Lights2D`, and how far light reaches into each wall, in units."""

    __slots__ = ("_cached", "depths", "sources", "tiles_checked")

    not_state = ("_cached", "tiles_checked")

    def __init__(self) -> None:
        self.sources: tuple[WallSource, ...] = ()
        self.depths: tuple[float, ...] = ()
        self._cached: tuple[tuple[float, ...], list[Doubles], StandingWalls] | None = None
        self.tiles_checked = False
        """Whether the tiles have already been checked for changes in this tick."""

    def after_restore(self) -> None:
        """Called after the game has restored a snapshot.

        The next call of `standing` then checks all tiles for changes.
        """
        self.tiles_checked = False

    def add(self, sources: list[WallSource], depth: float) -> None:
        """Add walls. ``depth`` is how far light reaches into these walls, in units."""
        self.sources = *self.sources, *sources
        self.depths = *self.depths, *[depth] * len(sources)
        self.tiles_checked = False

    def clear(self) -> None:
        """Remove all walls."""
        self.sources = ()
        self.depths = ()
        self.tiles_checked = False

    def standing_now(self) -> StandingWalls:
        """Return the same walls as `standing`, but check tiles for changes only once per tick."""
        if self.tiles_checked and self._cached is not None:
            return self._cached[2]
        self.tiles_checked = True
        return self.standing()

    def standing(self) -> StandingWalls:
        """Return the walls that do not move. The same object is returned as long as no wall changes."""
        parts = [
            (source.segments, depth)
            for source, depth in zip(self.sources, self.depths, strict=True)
            if not isinstance(source, SpriteWalls)
        ]
        arrays = [segments for segments, _ in parts]
        cached = self._cached
        if (
            cached is None
            or cached[0] != self.depths
            or not all(map(is_, cached[1], arrays))
            or len(cached[1]) != len(arrays)
        ):
            segments = np.concatenate([_NONE, *arrays])
            depths = np.concatenate(
                [np.zeros(0), *[np.full(len(part), depth) for part, depth in parts]]
            )
            cached = self._cached = self.depths, arrays, StandingWalls(segments, depths)
        return cached[2]

    def moving(self) -> list[tuple[SpriteWalls, float]]:
        """Return the sprite batches that are walls, and how far light reaches into the boxes of
        each batch, in units.
        """
        pairs = zip(self.sources, self.depths, strict=True)
        return [(source, depth) for source, depth in pairs if isinstance(source, SpriteWalls)]

    def at(self, alpha: float) -> Walls:
        """Return all walls at the time ``alpha`` as `Walls`.

        The boxes of sprites are at the positions where the sprites are drawn at ``alpha``.
        """
        segments, depths = self.standing()
        moving = [(source.corners(alpha), depth) for source, depth in self.moving()]
        boxes = np.concatenate([np.zeros((0, 4, 2)), *[corners for corners, _ in moving]])
        box_depths = np.concatenate(
            [np.zeros(0), *[np.full(len(corners), depth) for corners, depth in moving]]
        )
        return Walls(segments, depths, boxes, box_depths)


class WallGrid:
    """A coarse grid that contains walls. It is used to quickly find lamps without walls nearby.

    ``shapes`` contains the points of each wall, and has the shape (m, points, 2). There must be at
    least one wall.
    """

    def __init__(self, shapes: Doubles) -> None:
        low: Doubles = shapes.min(axis=1)
        high: Doubles = shapes.max(axis=1)
        self._low: Doubles = low.min(axis=0)
        extent: Doubles = high.max(axis=0) - self._low
        self._cells = min(_MAX_CELLS, 8 * int(np.ceil(np.sqrt(len(shapes)))))
        self._per_unit = 1 / np.maximum(extent / self._cells, 1e-9)
        occupied = _occupied(self._cell(low), self._cell(high) + 1, self._cells)
        self._sums = np.zeros((self._cells + 1, self._cells + 1), np.int64)
        self._sums[1:, 1:] = occupied.cumsum(axis=0).cumsum(axis=1)
        self._high = high.max(axis=0)

    def _cell(self, points: Reals) -> NDArray[np.intp]:
        # `fmax` and `fmin` put NaN into the first cell.
        cells = np.fmin(np.fmax((points - self._low) * self._per_unit, 0), self._cells - 1)
        result: NDArray[np.intp] = cells.astype(np.intp)
        return result

    def touches(self, low: Reals, high: Reals) -> Mask:
        """Return a mask that is True for each rectangle that may contain a part of a wall. The mask
        may also be True for a rectangle that is only near a wall. ``low`` and ``high`` contain the
        lowest and the highest corners of the rectangles. Both arrays have the shape (n, 2).
        """
        left, bottom = self._cell(low).T
        right, top = self._cell(high).T + 1
        sums = self._sums
        inside = sums[right, top] - sums[left, top] - sums[right, bottom] + sums[left, bottom]
        meets = (high >= self._low) & (low <= self._high)
        touching: Mask = (inside > 0) & meets[:, 0] & meets[:, 1]
        return touching


def _occupied(first: Rows, stop: Rows, cells: int) -> Mask:
    """Return a mask of the cells of a grid that at least one rectangle covers. The grid has
    ``cells`` by ``cells`` cells. ``first`` contains the first cell of each rectangle, and ``stop``
    the cell after its last cell. Both arrays have the shape (n, 2).
    """
    # Add 1 at the corner where a rectangle begins, and remove it beyond its edges. The sums along
    # both axes are then the number of rectangles that cover each cell.
    counts = np.zeros((cells + 1, cells + 1), np.int64)
    for x, y, sign in (
        (first, first, 1),
        (stop, first, -1),
        (first, stop, -1),
        (stop, stop, 1),
    ):
        np.add.at(counts, (x[:, 0], y[:, 1]), sign)
    occupied: Mask = counts.cumsum(axis=0).cumsum(axis=1)[:-1, :-1] > 0
    return occupied


def sources_of(
    name: str, value: object, size: tuple[float, float] | None = None
) -> list[WallSource]:
    """Convert ``value`` to a list of walls. For the allowed values, see `Lights2D.walls`.

    ``size`` is the size of the box of each sprite, in units. If ``size`` is None, the box covers
    the opaque part of the first image in the batch. If a value is not allowed, raise `TypeError` or
    `ValueError`. ``name`` is the name of the argument, for error messages.
    """
    if isinstance(value, SpriteBatch):
        return [SpriteWalls(value, size)]
    if is_tiles(value):
        return [TileWalls(cast(Tiles, value))]
    if isinstance(value, list | tuple) and not value:
        return []
    if isinstance(value, list | tuple) and any(_is_source(part) for part in value):
        return [source for part in value for source in sources_of(name, part, size)]
    segments = _segments(name, value)
    return [ShapeWalls(cast(ArrayLike, value), segments)]


def _is_source(value: object) -> bool:
    return isinstance(value, SpriteBatch | np.ndarray) or is_tiles(value)


def _segments(name: str, value: object) -> Doubles:
    """Return the sides of shapes that the game has set as walls. The array has the shape (m, 2, 2)."""
    try:
        array: NDArray[Any] = np.asarray(value)
    except ValueError:  # a list of arrays with different shapes
        parts = cast(Iterable[object], value)
        return np.concatenate([_NONE, *[_segments(name, part) for part in parts]])
    if array.dtype.kind not in "iuf":
        raise wrong_type(name, EXPECTED, value)
    if not array.size:
        return _NONE.copy()
    shape = array.shape
    points = numbers(name, array, None)
    if np.abs(points).max() > MAX_MAGNITUDE:
        raise wrong_value(name, f"numbers from -{MAX_MAGNITUDE:g} to {MAX_MAGNITUDE:g}", value)
    if shape == (4,) or (len(shape) == 2 and shape[1] == 4):
        return _closed(_box_corners(points.reshape(-1, 4)))
    if shape == (2, 2) or (len(shape) == 3 and shape[1:] == (2, 2)):
        return points.reshape(-1, 2, 2).copy()
    if len(shape) in (2, 3) and shape[-1] == 2 and shape[-2] > 2:
        return _closed(points.reshape(-1, *shape[-2:]))
    raise wrong_value(name, EXPECTED, value)


def _box_corners(boxes: Doubles) -> Doubles:
    """Return the corners of boxes (left, bottom, right, top), as an array of the shape (n, 4, 2)."""
    left, bottom, right, top = boxes.T
    corners = np.stack([left, bottom, right, bottom, right, top, left, top], axis=1)
    return corners.reshape(-1, 4, 2)


def _closed(rings: Doubles) -> Doubles:
    """Return the sides of closed polygons. ``rings`` has the shape (n, k, 2). The returned array
    has the shape (n · k, 2, 2).
    """
    sides: Doubles = np.stack([rings, np.roll(rings, -1, axis=1)], axis=2).reshape(-1, 2, 2)
    return sides
