"""Sprites: images in the plane, thousands to a million of them in one draw call.

A `SpriteBatch` is a set of columns, one row per sprite. Write whole columns with numpy, or hold
single rows as `Sprite` objects; both are views of the same numbers.
"""

from __future__ import annotations

__all__ = ["Sprite", "SpriteBatch"]

from collections.abc import Callable, Mapping, Sequence, Sized
from functools import partial
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Floats, row_indices
from ..assets.clips import Clips, timeline_of
from ..assets.images import ImageSource, checked_anchor
from ..checks import (
    Sealed,
    Setting,
    choice,
    flag,
    named,
    ndim,
    number,
    pair,
    wrong_type,
)
from ..checks import color as rgba
from ..errors import AssetError
from ..gpu import shaders
from ..gpu.gl import moderngl
from ..gpu.graphics import BLEND_MODES
from ..gpu.handover import BufferView
from ..motion.animated import Animated, AnimatedHandle
from ..motion.moving import OPTIONAL, Moving, optional_columns
from ..motion.played import PlayedPoses2D
from ..moved_names import HasMoved, moved
from ..state.columns import Cells, Codes, Column, Table, Tabular
from ..state.motion import Extrapolation
from ..state.rows import AlphaCell, Cell, ColorCell, Handle, Handled, handle_of, row_in
from ..state.tags import Tagged, checked_tags, tags_column
from ..state.transforms2d import PoseTable2D, Transforms2D, transforms2d_of
from ..state.works import Face
from .imagelist import BatchImages, ImageList

VERTEX = "sprites.vert"
"""The vertex shader of sprites."""

# Removed sprites leave holes, closed once they are this many and a quarter of all rows.
_MOST_HOLES = 32


def _glsl(name: str, value: object) -> str | None:
    return None if value is None else shaders.given(name, value)


_named = partial(named, what="values by the names of the shader's uniforms")


class _ImageCells(Cells[NDArray[np.int32]]):
    """The column ``image``, whose numbers are those of images that there are."""

    def __set__(self, batch: Tabular[Table], value: ArrayLike) -> None:
        assert isinstance(batch, SpriteBatch)
        try:
            numbers: NDArray[Any] = np.asarray(value)
        except ValueError:  # ragged: refused below
            numbers = np.empty(0)
        if numbers.dtype.kind in "iu" and numbers.size:
            low, high, count = int(numbers.min()), int(numbers.max()), len(batch.images)
            if low < 0 or high >= count:
                got = low if low < 0 else high
                raise ValueError(f"image: the batch has {count} images, got number {got}")
        super().__set__(batch, value)


class SpriteColumns(NamedTuple):
    """The columns of a batch that its works read one by one."""

    position: Column
    color: Column
    visible: Column
    image: Column
    flip: Column
    layer: Column


class SpriteLook(NamedTuple):
    """The options of a batch that are chosen once. Those that may change are its properties."""

    filter: str
    blend: str
    smooth: bool


class SpriteParts(NamedTuple):
    """The objects that a batch shares with its works."""

    table: PoseTable2D
    columns: SpriteColumns
    images: ImageList
    look: SpriteLook
    let_go: Callable[[], None]
    """Called before rows are compared: if nobody holds a sprite, none can be written unseen."""
    vertex: str = VERTEX
    """The vertex shader: a file, or GLSL."""
    own_columns: tuple[Column, ...] = ()
    """The columns that the vertex shader reads besides those of all sprites."""
    nodes: Callable[[], NDArray[np.int32]] | None = None
    """Return the node of each row, checked; None for sprites without nodes."""


@runtime_checkable
class _HasBuffers(Protocol):
    """Works of a batch in a game with pictures."""

    @property
    def buffers(self) -> dict[str, BufferView]: ...


@runtime_checkable
class _Renders(Protocol):
    """Works that run a program of the game's over all rows."""

    def render(self, program: moderngl.Program, mode: int, vertices: int) -> None: ...


def images_of(batch: SpriteBatch) -> ImageList:
    """Return the images of a batch."""
    return batch._images


@moved(
    "batch",
    {
        "add_image": "images.add",
        "image_count": "len(batch.images)",
        "image_size": "images.size",
        "alpha_boxes": "images.boxes",
        "alpha_pieces": "images.pieces",
        "clip_names": "clips.names",
        "clip_speeds": "clips.speeds",
    },
    {"clip_group": "clips.group"},
)
class SpriteBatch(Animated, Moving, Tagged, Handled["Sprite"], Face, HasMoved, Sealed):
    """Many sprites, drawn in one call.

    Parameters
    ----------
    image
        A path, a PIL image, an array, a `Region`, or a list of these; a list's members are chosen
        per sprite by the column ``image``, which counts as the list does, also where one is in it
        twice. May be left out when every sprite is added with its own. Or `Clips`: then `play` has
        sprites show one image after another.
    count
        Rows to start with, at (0, 0), all showing the first image.
    filter
        ``"linear"`` (smooth) or ``"nearest"`` (hard pixels).
    blend
        ``"alpha"``, ``"add"``, ``"multiply"``, ``"screen"`` or ``"replace"``.
    smooth_edges
        Let edges fade over the pixels that they cover in part, so that motion below a pixel shows.
        Default: with the linear filter. Turn it off for tiles that touch.
    anchor
        The point of the image that lies at ``position``, in pixels from its bottom left; default:
        its centre.
    y_sort
        Draw sprites of lower y over those of higher y, within a layer.
    shader
        A fragment shader of your own (a file name or GLSL); see shaders/include/sprite.glsl. Its
        uniforms are set by ``uniforms``.
    capacity
        Rows to make room for at once. Columns fetched before the batch outgrows its room go out of
        date.
    motion
        How sprites are drawn between two ticks: ``"interpolate"`` from the previous state to the
        current one; ``"hermite"``, the same along the curve that the column ``velocity`` bends
        (fast turns and arcs); ``"extrapolate"``, ahead of the last state that was written by
        ``velocity`` and ``spin`` (what is observed now and then, over a network), or an
        `Extrapolation` with limits of your own; ``"none"``, as they are.

    Columns
    ------- ``position`` (n, 2) and ``scale`` (n, 2), ``angle`` (n,) in radians counter-clockwise:
    float32, interpolated. ``color`` (n, 4) float32, sRGB in 0..1, straight alpha, multiplies the
    image; ``visible`` (n,) bool; ``layer`` (n,) int32, higher over lower; ``image`` (n,) int32;
    ``flip`` (n, 2) bool, mirrored in x and in y about the anchor, as by a scale of -1, but at once.
    With motion "hermite" or "extrapolate", ``velocity`` (n, 2) in units a simulated second; with
    "extrapolate", ``spin`` (n,) in radians a second. Later rows are drawn over earlier ones.
    """

    __slots__ = (
        "_angles",
        "_columns",
        "_images",
        "_look",
        "_shader",
        "_table",
        "_uniforms",
        "_xy",
        "_y_sort",
        "tag_names",
    )

    _transient_attributes: ClassVar[Any] = ("_angles", "_columns", "_images", "_xy", "tag_names")
    _lasting_attributes = ("_look",)
    _rows_can_be_saved = True
    _noun = "sprites"
    _works_in = "framework.plane.sprite_drawing"

    _y_sort: bool
    _shader: str | None
    _uniforms: dict[str, Any]
    _table: PoseTable2D
    _xy: memoryview[float]
    _angles: memoryview[float]
    y_sort = Setting(
        flag, "Whether sprites of lower y are drawn over those of higher y, within a layer."
    )
    shader = Setting(
        _glsl, "The fragment shader of your own, from when the batch is added to a game."
    )
    uniforms = Setting(_named, "Values for the uniforms of your own ``shader``; set at every draw.")

    position = Cells[Floats]("Units, y up: float32 (n, 2), interpolated.")
    angle = Cells[Floats]("Radians, counter-clockwise: float32 (n,), interpolated.")
    scale = Cells[Floats]("Factors in x and y: float32 (n, 2), interpolated.")
    velocity = Cells[Floats](
        "Units a simulated second, where the motion knows of it: float32 (n, 2)."
    )
    spin = Cells[Floats]("Radians a simulated second, where the motion knows of it: float32 (n,).")
    color = Cells[Floats](
        "Red, green, blue, alpha, sRGB in 0..1, not premultiplied: float32 (n, 4); or '#f80'."
    )
    visible = Cells[NDArray[np.bool_]]("Whether it is drawn: bool (n,).")
    layer = Cells[NDArray[np.int32]]("Higher is drawn over lower: int32 (n,).")
    image = _ImageCells("The number of its image in the batch: int32 (n,).")
    flip = Cells[NDArray[np.bool_]]("Mirrored in x, mirrored in y, about the anchor: bool (n, 2).")
    tags = Cells[NDArray[np.int64]]("The bits of its tags, where the batch has any: int64 (n,).")

    def __init__(
        self,
        image: ImageSource | Sequence[ImageSource] | Clips | None = None,
        count: int = 0,
        *,
        filter: str = "linear",
        blend: str = "alpha",
        smooth_edges: bool | None = None,
        anchor: tuple[float, float] | None = None,
        y_sort: bool = False,
        shader: str | None = None,
        uniforms: Mapping[str, Any] | None = None,
        capacity: int = 0,
        motion: str | Extrapolation = "interpolate",
        columns: str | Sequence[str] = (),
        tags: Sequence[str] = (),
    ) -> None:
        self._works = None
        smooth = filter == "linear" if smooth_edges is None else flag("smooth_edges", smooth_edges)
        self._look = SpriteLook(
            choice("filter", filter, ("linear", "nearest")),
            choice("blend", blend, BLEND_MODES),
            smooth,
        )
        anchor = None if anchor is None else checked_anchor("anchor", anchor)
        self.y_sort, self.shader = y_sort, shader
        self.uniforms = {} if uniforms is None else uniforms
        if isinstance(image, Clips):
            self._table = PlayedPoses2D(motion, timeline_of(image))
            image = image.images
        else:
            self._table = PoseTable2D(motion)
        self._columns = SpriteColumns(
            position=self._table.column("position"),
            color=Column("color", 4, 1.0, interpolated=False, color_space="srgb"),
            visible=Column("visible", 1, True, dtype=np.bool_, interpolated=False),
            image=Column("image", 1, 0, dtype=np.int32, interpolated=False),
            flip=Column("flip", 2, False, dtype=np.bool_, interpolated=False),
            layer=Column("layer", 1, 0, dtype=np.int32, interpolated=False),
        )
        self._table.add_columns(*self._columns[1:])
        there = tuple(column.name for column in self._table.columns)
        self.tag_names = checked_tags("tags", tags)
        tagged = [tags_column()] if self.tag_names else []
        self._table.add_columns(*optional_columns("columns", columns, there), *tagged, drawn=False)
        sources = image if isinstance(image, (list, tuple)) else [] if image is None else [image]
        self._images = ImageList(sources, anchor)
        self._table.codes["image"] = Codes(self._images.sources)
        self._xy = self._angles = _NO_MEMORY
        if self._room_for("count", count) and not len(self._images):
            raise ValueError(f"image: a batch that starts with {count:,} sprites needs one")
        self._start_with(count, capacity)

    def __len__(self) -> int:
        """Sprites in the batch."""
        return self._table.count - len(self._table.holes)

    @property
    def transforms(self) -> Transforms2D:
        """The poses, with `Transforms2D.model_matrices`. Rows are added and removed through the
        batch only.
        """
        self._close_up()
        return transforms2d_of(self._table)

    # -- rows --------------------------------------------------------------------------------------

    def add(
        self,
        image: ImageSource | int | None = None,
        *,
        position: tuple[float, float] = (0.0, 0.0),
        angle: float = 0.0,
        scale: float | tuple[float, float] = 1.0,
        color: str | Sequence[float] = (1.0, 1.0, 1.0, 1.0),
        alpha: float | None = None,
        visible: bool = True,
        layer: int = 0,
        flip: tuple[bool, bool] = (False, False),
        tags: Sequence[str] = (),
        **more: Any,
    ) -> Sprite:
        """One more sprite, drawn over those before it. ``image`` is a source, the index of one, or
        the first.

        ``alpha`` is in the place of that of ``color``; ``tags`` are some of its `tag_names`;
        ``more`` are columns that the batch was made with: ``velocity``, ``acceleration``, ``spin``,
        ``damping``.
        """
        row: dict[str, object] = {
            "position": position,
            "angle": angle,
            "scale": scale,
            "visible": visible,
            "layer": layer,
        }
        tint = rgba("color", color)
        row |= {
            "flip": _flipped("flip", flip),
            "color": tint if alpha is None else (*tint[:3], number("alpha", alpha)),
        }
        row |= _moving(more) if more else {}
        row |= (
            {"tags": self._tag_bits(*checked_tags("tags", tags))}
            if not isinstance(tags, tuple) or tags
            else {}
        )
        values: list[tuple[Column, ArrayLike]] = [
            (column := self._table.column(name), column.checked(value))
            for name, value in row.items()
        ]
        values.append(
            (self._columns.image, self._images.number_of(image))
        )  # last: it may be a new one
        at: int = self._spawn(1).start
        for column, value in values:
            column.data[at] = value
        return self._handle(at)

    def extend(  # type: ignore[override]
        self,
        count: int,
        image: ImageSource | int | NDArray[np.integer[Any]] | None = None,
        **columns: ArrayLike,
    ) -> slice:
        """``count`` more rows; returns them as a slice. Keyword arguments are columns:
        ``position=…, color=…``.

        ``image`` is one for all, a source or an index, or (count,) indices.
        """
        self._close_up()
        count = self._room_for("count", count)
        values = self._table.checked(count, columns)
        if isinstance(image, np.ndarray) and image.ndim == 1:
            values |= self._table.checked(count, {"image": image})
            self._images.check_numbers(values["image"])
        else:
            values["image"] = np.full(count, self._images.number_of(image), np.int32)
        return self._spawn(count, values)

    def _spawn(
        self, count: int, values: Mapping[str, NDArray[Any]] = MappingProxyType({})
    ) -> slice:
        self._room_for("count", count)
        rows: slice = self._table.spawn(count, values)
        return rows

    def remove(self, rows: Sprite | ArrayLike | slice) -> None:
        """Take out a sprite, or rows by indices, mask or slice. The others keep their order; row
        numbers close up.
        """
        if isinstance(rows, Sprite):
            self._remove_sprite(rows)
            return
        self._close_up()
        self._table.drop(row_indices(rows, self._table.count))
        self._let_go()

    def _remove_sprite(self, sprite: Sprite) -> None:
        table, row = self._table, row_in(sprite, self)
        visible = self._columns.visible
        visible.data[row] = False
        visible.touch()
        table.holes.add(row)
        del table.handles[row]
        sprite._moved(-1)
        holes = len(table.holes)
        if holes > _MOST_HOLES and 4 * holes > table.count:
            self._close_up()

    def _close_up(self) -> None:
        if self._table.holes:
            self._table.close_holes()
            self._let_go()

    def teleport(self, rows: Sprite | ArrayLike | slice = slice(None)) -> None:
        """Draw rows, all unless told, where this tick leaves them, without a displacement. Before
        or after moving them is the same."""
        if isinstance(rows, Sprite):
            row = row_in(rows, self)
            self._table.mark_teleported(slice(row, row + 1))
            return
        self._close_up()
        super().teleport(rows)

    # -- images ------------------------------------------------------------------------------------

    @property
    def images(self) -> BatchImages:
        """The images of the batch: their sizes and opaque bounds; ``images.add`` adds one."""
        return BatchImages(self._images)

    # -- single sprites ----------------------------------------------------------------------------

    def __getitem__(self, row: int) -> Sprite:
        """The sprite of a row, 0 to len - 1 (negative: from the end). It stays the same sprite when
        rows close up.
        """
        self._close_up()
        return super().__getitem__(row)

    def _handle(self, row: int) -> Sprite:
        """The sprite of a row of the table."""
        first = not self._table.handles
        sprite = super()._handle(row)
        if first:
            self._map_memory()
        return sprite

    def _map_memory(self) -> None:
        """Map the memory of positions and angles, which sprites read and write themselves."""
        if self._table.handles:
            self._xy = self._columns.position.memory()
            self._angles = self._table.column("angle").memory()
        else:
            self._let_go()

    def _let_go(self) -> None:
        """Unmap the memory if nobody holds a sprite. Mapped columns are compared in each tick."""
        if not self._table.handles and self._xy is not _NO_MEMORY:
            self._xy = self._angles = _NO_MEMORY

    # -- on the GPU --------------------------------------------------------------------------------

    @property
    def buffers(self) -> dict[str, BufferView]:
        """The columns on the GPU, brought up to date: a buffer for each column by its name, the
        state before the last tick as ``"previous_position"``, …, and ``"info"``; see
        docs/effects.md.

        Raises `AssetError` while the batch is in no game with pictures.
        """
        works = self._works
        if works is None:
            raise AssetError("this batch is not in a game yet: game.add(batch) makes its buffers")
        if not isinstance(works, _HasBuffers):
            raise AssetError("this batch is in a game without pictures, where it has no buffers")
        return works.buffers

    def render(self, program: moderngl.Program, mode: int, vertices: int) -> None:
        """Run a program of your own over all rows, an instance each; see docs/gpu.md.

        Nothing is drawn while the batch is in no game with pictures. Raises `FrameworkError` for a
        program of another game.
        """
        works = self._works
        if isinstance(works, _Renders):
            works.render(program, mode, vertices)

    def _parts(self) -> SpriteParts:
        return SpriteParts(self._table, self._columns, self._images, self._look, self._let_go)

    def touch(self) -> None:
        """Have the next frame show what was written since the last tick through sprites or views
        kept from before.

        Writes in ticks, and through the batch's properties, are always seen.
        """
        for column in self._table.interpolated:
            column.touch()


def _flipped(name: str, value: object) -> object:
    """Two flags: one alone would say nothing of the other direction."""
    if ndim(value) != 1 or not isinstance(value, Sized) or len(value) != 2:
        raise wrong_type(name, "two flags, mirrored in x and in y, as in (True, False)", value)
    return value


def _moving(more: Mapping[str, object]) -> dict[str, object]:
    """What a sprite is added with for columns that not all batches have, but for what is None."""
    for name in more:
        if name not in OPTIONAL:
            known = "image, position, angle, scale, color, alpha, visible, layer, flip, tags"
            raise TypeError(
                f"{name}: a sprite is added with {known}, and the columns {', '.join(OPTIONAL)}"
            )
    return {name: value for name, value in more.items() if value is not None}


class _FlipCell(Cell[tuple[bool, bool]]):
    def __set__(self, handle: Handle[Any], value: object) -> None:
        super().__set__(handle, _flipped(self.name, value))


def _coordinate(name: str, axis: int, doc: str) -> Cell[float]:
    """A number of a sprite's position: a plain property, which nothing in Python is quicker
    than.
    """

    def read(sprite: Sprite) -> float:
        return sprite._batch._xy[sprite._at + axis]

    def write(sprite: Sprite, value: float) -> None:
        try:
            sprite._batch._xy[sprite._at + axis] = value
        except (
            TypeError,
            ValueError,
        ):  # what the memory does not take is refused here, or by its name
            sprite._batch._xy[sprite._at + axis] = number(name, value)

    coordinate: Any = property(read, write, doc=doc)
    return coordinate  # type: ignore[no-any-return]


@handle_of(SpriteBatch)
class Sprite(AnimatedHandle, Handle["SpriteBatch"]):
    """One row of a `SpriteBatch`, with properties. Made by ``batch.add(…)`` or ``batch[row]``,
    never directly.

    ``x``, ``y`` and ``angle`` are as quick as Python gets: they read and write the batch's memory
    itself. After `remove` it is no more: using it is a `ValueError`.
    """

    __slots__ = ("_at",)

    _batch: SpriteBatch
    _table: PoseTable2D

    _transient_attributes = ("_at",)  # which follows from its row

    _noun = "sprite"

    scale = Cell[tuple[float, float]]("Factors in x and y; one number sets both.")
    velocity = Cell[tuple[float, float]](
        "Units a simulated second, in a batch whose motion knows of it."
    )
    spin = Cell[float]("Radians a simulated second, in a batch whose motion knows of it.")
    color = ColorCell(
        "Red, green, blue and alpha, sRGB in 0..1, or '#f80'; where alpha is left out it stays as it is."
    )
    alpha = AlphaCell()
    visible = Cell[bool]("Whether it is drawn.")
    layer = Cell[int]("Higher is drawn over lower.")
    flip = _FlipCell(
        "Mirrored in x (left and right change places), mirrored in y; both about the anchor."
    )

    def __init__(self, batch: SpriteBatch, row: int) -> None:
        super().__init__(batch, row)
        self._at = 2 * row  # of x in the batch's memory of positions

    def __repr__(self) -> str:
        return "<Sprite, removed>" if self.removed else f"<Sprite at ({self.x:g}, {self.y:g})>"

    def _moved(self, row: int) -> None:
        super()._moved(row)
        self._at = 2 * row

    def _columns_moved(self) -> None:
        self._batch._map_memory()

    x = _coordinate("x", 0, "Units to the right.")
    y = _coordinate("y", 1, "Units up.")

    @property
    def position(self) -> tuple[float, float]:
        """Units, y up."""
        at, xy = self._at, self._batch._xy
        return xy[at], xy[at + 1]

    @position.setter
    def position(self, value: tuple[float, float]) -> None:
        at, xy = self._at, self._batch._xy
        xy[at], xy[at + 1] = pair("position", value)

    @property
    def angle(self) -> float:
        """Radians, counter-clockwise."""
        return self._batch._angles[self._row]

    @angle.setter
    def angle(self, value: float) -> None:
        try:
            self._batch._angles[self._row] = value
        except (TypeError, ValueError):
            self._batch._angles[self._row] = number("angle", value)

    @property
    def image(self) -> int:
        """The index of its image in the batch: of the one that its clip shows at this tick, while
        it plays one. A path or another image source sets it too, and ends the clip."""
        table = self._table
        if isinstance(table, PlayedPoses2D):
            return table.shown_image(self._row)
        return int(table.column("image").data[self._row])

    @image.setter
    def image(self, value: ImageSource | int) -> None:
        if value is None:
            raise wrong_type("image", "an image, or the number of one", value)
        number = self._batch._images.number_of(value)
        if isinstance(self._table, PlayedPoses2D):
            self._table.stop(np.array([self._row]))
        self._table.column("image").put(self._row, number)

    @property
    def width(self) -> float:
        """The image's width times the scale, in units."""
        return self.batch.images.size(self.image)[0] * abs(self.scale[0])

    @property
    def height(self) -> float:
        """The image's height times the scale, in units."""
        return self.batch.images.size(self.image)[1] * abs(self.scale[1])

    def drawn_position(self, alpha: float) -> tuple[float, float]:
        """Where it is drawn at ``alpha``: between the previous and the current position, as the
        batch's motion says.
        """
        alpha = number("alpha", alpha)
        table, row = self._table, self._row
        if table.motion != "interpolate":
            x, y = table.pose(alpha, slice(row, row + 1))[0][0].tolist()
            return x, y
        table.settle()
        column = table.column("position")
        place: Floats = column.data[row]
        if alpha != 1:
            previous: Floats = column.previous(row + 1)[row]
            place = previous + (place - previous) * np.float32(alpha)
        x, y = place.tolist()
        return x, y


_NO_MEMORY = cast("memoryview[float]", memoryview(b""))
