"""Draw up to a million 2D images (sprites) in one draw call.

A `SpriteBatch` is a table with one row per sprite and one column per attribute. You can change a
whole column with NumPy, or a single sprite with a `Sprite` object, because both share the same
memory.
"""

from __future__ import annotations

__all__ = ["Sprite", "SpriteBatch"]

from collections.abc import Callable, Mapping, Sequence, Sized
from functools import partial
from typing import Any, ClassVar, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Floats, Mask
from ..assets.clips import Clips, timeline_of
from ..assets.images import ImageSource, checked_anchor
from ..checks import (
    Sealed,
    Setting,
    choice,
    flag,
    how_to_have,
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
from ..motion.clip_columns import PlayedPoses2D
from ..motion.clip_playback import Animated, AnimatedHandle
from ..motion.velocity_columns import OPTIONAL, Moving, add_optional, split_columns
from ..moved_names import HasMoved, moved, renamed_column
from ..other_engines.other_options import made_by, meant_option, other_options
from ..other_engines.plane_names import (
    SPRITE_OPTIONS,
    sprite_batch_names,
    sprite_batch_options,
    sprite_names,
)
from ..state.backend import Frontend
from ..state.columns import Codes, ColumnValues, Table, TableColumn, Tabular
from ..state.interpolation import Extrapolation
from ..state.mapped_poses import MappedPoses2D
from ..state.own_columns import add_own_columns
from ..state.rows import (
    MAX_ROWS,
    Handle,
    Handled,
    RowAlpha,
    RowColor,
    RowValue,
    handle_of,
    row_in,
)
from ..state.tags import Tagged, checked_tags, tag_bits, tags_column
from ..state.transforms2d import Transforms2D, transforms2d_of
from .batch_images import BatchImages, ImageList
from .row_growth import CHECKED_EVERY, CHECKED_FROM, RowGrowth, Rows, check_growth

VERTEX = "sprites.vert"
"""The file name of the vertex shader for sprites."""

# The default values of the options of `SpriteBatch.add`. `add` compares them by identity.
_ORIGIN = (0.0, 0.0)
_NO_ANGLE = 0.0
_FULL_SIZE = 1.0
_WHITE = (1.0, 1.0, 1.0, 1.0)
_FIRST_LAYER = 0
_NOT_FLIPPED = (False, False)


def _glsl(name: str, value: object) -> str | None:
    return None if value is None else shaders.checked_shader(name, value)


_named = partial(named, what="values by the names of the shader's uniforms")


class _ImageCells(ColumnValues[NDArray[np.int32]]):
    """The column ``image``, which raises an error if the game assigns an index without an image."""

    def __set__(self, batch: Tabular[Table], value: ArrayLike) -> None:
        assert isinstance(batch, SpriteBatch)
        try:
            numbers: NDArray[Any] = np.asarray(value)
        except ValueError:  # lists of different lengths, which cause an error below
            numbers = np.empty(0)
        if numbers.dtype.kind in "iu" and numbers.size:
            low = int(numbers.min())
            high = int(numbers.max())
            count = len(batch.images)
            if low < 0 or high >= count:
                got = low if low < 0 else high
                raise ValueError(f"image: the batch has {count} images, got index {got}")
        super().__set__(batch, value)


class SpriteColumns(NamedTuple):
    """The columns that the backend of a sprite batch needs by name."""

    position: TableColumn
    color: TableColumn
    visible: TableColumn
    image: TableColumn
    flip: TableColumn
    layer: TableColumn


def _new_columns(position: TableColumn) -> SpriteColumns:
    return SpriteColumns(
        position=position,
        color=TableColumn("color", 4, 1.0, interpolated=False, color_space="srgb"),
        visible=TableColumn("visible", 1, True, dtype=np.bool_, interpolated=False),
        image=TableColumn("image", 1, 0, dtype=np.int32, interpolated=False),
        flip=TableColumn("flip", 2, False, dtype=np.bool_, interpolated=False),
        layer=TableColumn("layer", 1, 0, dtype=np.int32, interpolated=False),
    )


class SpriteLook(NamedTuple):
    """The options of a sprite batch that you cannot change once the batch exists.

    All other options are properties of the batch.
    """

    filter: str
    blend: str
    smooth: bool


class SpriteParts(NamedTuple):
    """The objects that a `SpriteBatch` passes to its backend, the object that draws the sprites."""

    table: MappedPoses2D
    columns: SpriteColumns
    images: ImageList
    look: SpriteLook
    vertex: str = VERTEX
    """The vertex shader, as a file name or as GLSL code."""
    own_columns: tuple[TableColumn, ...] = ()
    """Columns that only the batch's own vertex shader reads."""
    nodes: Callable[[], NDArray[np.int32]] | None = None
    """A function that returns the node index of each row. None if the sprites have no nodes."""


@runtime_checkable
class _HasBuffers(Protocol):
    """A backend that has buffers on the GPU."""

    @property
    def buffers(self) -> dict[str, BufferView]: ...


@runtime_checkable
class _Renders(Protocol):
    """A backend that can draw all rows with a shader program of the game."""

    def render(self, program: moderngl.Program, mode: int, vertices: int) -> None: ...


def images_of(batch: SpriteBatch) -> ImageList:
    """Return the `ImageList` of a sprite batch."""
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
        "pace": "set_clip_speed",
    },
    {"clip_group": "clips.group", "spin": "angular_velocity"},
)
@sprite_batch_names
class SpriteBatch(Animated, Moving, Tagged, Handled["Sprite"], Frontend, HasMoved, Sealed):
    """A batch of sprites, which are 2D images. The GPU draws all sprites of the batch in one draw
    call.

    Parameters
    ----------
    image
        A path, a PIL image, an array, a `Region`, or a list of these. Images in a list have the
        indices 0, 1, 2 and so on. The column ``image`` selects the image of each sprite. An image
        that is in the list twice has two indices. If ``image`` is a `Clips` object, sprites can
        play animations; see `play`. You can omit ``image`` if you pass an image each time you call
        ``add``.
    count
        The number of sprites in the new batch. They are all at (0, 0) and show the first image.
    filter
        The filter for enlarged images: ``"linear"`` for smooth images, ``"nearest"`` for sharp
        pixels.
    blend
        How the colors of sprites mix with the background: ``"alpha"``, ``"add"``, ``"multiply"``,
        ``"screen"``, ``"exclusion"`` or ``"replace"``.
    smooth_edges
        Whether the edges of sprites are blended with the background. With blended edges, slow
        motion looks smooth. By default, ``smooth_edges`` is True with the filter "linear" and False
        with "nearest". Pass False for tiles, because smooth edges can show gaps between the tiles.
    anchor
        The point of the image that is drawn at ``position``, in pixels from the image's bottom left
        corner. ``anchor`` defaults to the center of the image.
    y_sort
        Whether sprites with a lower y are drawn over sprites with a higher y. The batch sorts each
        layer separately.
    shader
        Your own fragment shader, as a file name or as GLSL code. See shaders/include/sprite.glsl.
        Set the shader's uniforms with the property ``uniforms``.
    capacity
        The number of rows to reserve memory for. If you add more rows than ``capacity``, the batch
        replaces its columns with larger arrays. Your game must then read ``batch.position`` and all
        other columns again, because the old arrays are no longer updated.
    motion
        How the framework computes positions in frames between two ticks. ``motion`` is one of the
        following options:

        - ``"interpolate"``, the default: sprites move from the state of the last tick to the state
          of this tick.
        - ``"hermite"``: sprites move along a curve. The column ``velocity`` sets its direction, so
          fast turns and arcs are smooth.
        - ``"extrapolate"``, or an `Extrapolation` with your own limits: the position is predicted
          from the last state, with ``velocity`` and ``angular_velocity``. Use this for states that
          arrive rarely, for example from a network.
        - ``"none"``: sprites are drawn at their current position.
    columns
        Additional columns. `move` uses the columns "velocity", "acceleration", "angular_velocity"
        and "damping". To add a column that `move` uses, pass its name in a list. For your own
        columns, pass a dict such as ``{"hp": 3.0, "kind": "u1"}``. With the column "hp", for
        example, you can use ``sprite.hp`` and ``batch.hp``. A value in the dict is a default value,
        a dtype, a pair (dtype, width), `object` for Python objects, or an `fw.Column`. The dict may
        also contain "velocity" or another column of `move`, with a default value.
    tags
        The names of the tags that sprites of the batch can have.

    Columns
    -------
    ``position`` (n, 2), ``scale`` (n, 2) and ``angle`` (n,) are float32 columns. All angles are in
    radians, counter-clockwise. The position, scale and angle are interpolated between ticks.

    The columns ``color`` (n, 4) float32, ``visible`` (n,) bool, ``layer`` (n,) int32 and ``image``
    (n,) int32 are not interpolated. The colors of the image are multiplied by ``color``. ``color``
    is sRGB from 0 to 1 with straight alpha. ``flip`` (n, 2) bool mirrors the image in x and in y.
    Flipping does not move the anchor. When you change ``flip``, the image is mirrored immediately.
    When you change ``scale`` from 1 to -1, the scale is interpolated, so the sprite shrinks and
    then grows.

    With the motion "hermite" or "extrapolate", the column ``velocity`` (n, 2) is in units per
    simulated second. With the motion "extrapolate", the column ``angular_velocity`` (n,) is in
    radians per simulated second. Sprites of higher layers are drawn over sprites of lower layers.
    Within a layer, a sprite with a higher row index is drawn over a sprite with a lower row index.
    """

    __slots__ = (
        "_columns",
        "_growth",
        "_images",
        "_look",
        "_may_grow",
        "_shader",
        "_table",
        "_uniforms",
        "_y_sort",
        "tag_names",
    )

    _transient_attributes: ClassVar[Any] = (
        "_columns",
        "_growth",
        "_images",
        "_may_grow",
        "tag_names",
    )
    _lasting_attributes = ("_look",)
    _rows_can_be_saved = True
    _takes_columns = True
    _noun = "sprites"
    _backend_in = "framework.plane.sprite_drawing"

    _y_sort: bool
    _shader: str | None
    _uniforms: dict[str, Any]
    _table: MappedPoses2D
    y_sort = Setting(
        flag,
        "Whether sprites with a lower y are drawn over sprites with a higher y. The setting has "
        "an effect only within each layer.",
    )
    shader = Setting(
        _glsl, "Your own fragment shader. The file is read when the batch is added to a game."
    )
    uniforms = Setting(
        _named, "The uniforms of your own ``shader``, as a dict from names to values."
    )
    may_grow = Setting(
        flag, "Whether you may add sprites in every tick without a warning. Default: False."
    )

    position = ColumnValues[Floats]("Positions in units, y up: float32 (n, 2), interpolated.")
    angle = ColumnValues[Floats](
        "Angles in radians, counter-clockwise: float32 (n,), interpolated."
    )
    scale = ColumnValues[Floats]("Scale factors in x and y: float32 (n, 2), interpolated.")
    velocity = ColumnValues[Floats](
        "Velocities in units per second of game time, if the batch has this column: float32 (n, 2)."
    )
    angular_velocity = ColumnValues[Floats](
        "Angular velocities in radians per second of game time, if the batch has them: float32 "
        "(n,)."
    )
    color = ColumnValues[Floats](
        "Colors in sRGB (red, green, blue, straight alpha) from 0 to 1: float32 (n, 4). You can "
        "also set a string such as '#f80'."
    )
    visible = ColumnValues[NDArray[np.bool_]]("Whether each sprite is drawn: bool (n,).")
    layer = ColumnValues[NDArray[np.int32]](
        "The layer of each sprite: int32 (n,). Higher layers are drawn over lower layers."
    )
    image = _ImageCells("The image index of each sprite: int32 (n,).")
    flip = ColumnValues[NDArray[np.bool_]](
        "Whether each sprite is mirrored in x and in y: bool (n, 2). The anchor does not move."
    )
    tags = ColumnValues[NDArray[np.int64]](
        "The tags of each sprite as bits of an integer: int64 (n,). Only batches with tags have "
        "this column."
    )

    @sprite_batch_options
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
        columns: str | Sequence[str] | Mapping[str, Any] = (),
        tags: Sequence[str] = (),
    ) -> None:
        self._backend = None
        smooth = filter == "linear" if smooth_edges is None else flag("smooth_edges", smooth_edges)
        self._look = SpriteLook(
            choice("filter", filter, ("linear", "nearest")),
            choice("blend", blend, BLEND_MODES),
            smooth,
        )
        anchor = None if anchor is None else checked_anchor("anchor", anchor)
        self.y_sort = y_sort
        self.shader = shader
        self.uniforms = {} if uniforms is None else uniforms
        if isinstance(image, Clips):
            self._table = PlayedPoses2D(motion, timeline_of(image))
            image = image.images
        else:
            self._table = MappedPoses2D(motion)
        self._columns = _new_columns(self._table.column("position"))
        self._table.add_columns(*self._columns[1:])
        optional, own = split_columns("columns", columns)
        add_optional(self._table, optional)
        self.tag_names = checked_tags("tags", tags)
        if self.tag_names:
            self._table.add_columns(tags_column(), drawn=False)
        add_own_columns(self, self._table, own)
        sources = image if isinstance(image, (list, tuple)) else [] if image is None else [image]
        self._images = ImageList(sources, anchor)
        self._table.codes["image"] = Codes(self._images.sources)
        self._may_grow = False
        self._growth = RowGrowth()
        if self._room_for("count", count) and not len(self._images):
            raise ValueError(f"image: a batch that starts with {count:,} sprites needs one")
        self._start_with(count, capacity)

    @property
    def transforms(self) -> Transforms2D:
        """The positions, angles and scales of all rows, as a `Transforms2D`.

        To add or remove rows, use the methods of the batch, not those of `transforms`.
        """
        self._table.close_holes()
        return transforms2d_of(self._table)

    # -- rows --------------------------------------------------------------------------------------

    @other_options(
        _="write batch.add(position=(x, y)), or self.sprites.add('ship.png', position=(x, y))"
    )
    def add(
        self,
        image: ImageSource | int | None = None,
        *,
        position: tuple[float, float] = _ORIGIN,
        angle: float = _NO_ANGLE,
        scale: float | tuple[float, float] = _FULL_SIZE,
        color: str | Sequence[float] = _WHITE,
        alpha: float | None = None,
        visible: bool = True,
        layer: int = _FIRST_LAYER,
        flip: tuple[bool, bool] = _NOT_FLIPPED,
        tags: Sequence[str] = (),
        **optional: Any,
    ) -> Sprite:
        """Add a sprite, and return the new `Sprite`. The new sprite is drawn over all earlier
        sprites of its layer.

        ``image`` is an image source, or the index of an image in the batch. ``image`` defaults to
        the first image of the batch. If you pass both ``color`` and ``alpha``, ``alpha`` replaces
        the alpha of ``color``. ``tags`` contains names from the batch's `tag_names`. Keywords such
        as ``velocity`` or ``hp`` set additional columns of this batch.
        """
        table = self._table
        row: dict[str, object] = {}
        # A new row already has the default values, so only different values are checked and
        # written.
        columns = self._columns
        point = None if position is _ORIGIN else columns.position.checked(position)
        if angle is not _NO_ANGLE:
            row["angle"] = angle
        if scale is not _FULL_SIZE:
            row["scale"] = scale
        if visible is not True:
            row["visible"] = visible
        if layer is not _FIRST_LAYER:
            row["layer"] = layer
        if flip is not _NOT_FLIPPED:
            row["flip"] = _flipped("flip", flip)
        if color is not _WHITE or alpha is not None:
            tint = rgba("color", color)
            row["color"] = tint if alpha is None else (*tint[:3], number("alpha", alpha))
        if optional:
            row |= _further(table, optional)
        if not isinstance(tags, tuple) or tags:
            row["tags"] = tag_bits(checked_tags("tags", tags), self.tag_names)
        values = (
            [(column := table.column(name), column.checked(value)) for name, value in row.items()]
            if row
            else ()
        )
        # The image is the last value, because an error in another value must not add the image to
        # the batch.
        images = self._images
        number_of_image = 0 if image is None and images.sources else images.number_of(image)
        if table.count >= MAX_ROWS:
            self._room_for("count", 1)
        index = table.spawn_row()
        if number_of_image:
            columns.image.data[index] = number_of_image
        if type(point) is tuple:
            # Assigning two numbers takes half the time of assigning one tuple.
            data = columns.position.data
            data[index, 0], data[index, 1] = point
        elif point is not None:
            columns.position.data[index] = point
        for column, value in values:
            column.data[index] = value
        if index >= CHECKED_FROM and not index % CHECKED_EVERY:
            advice = (
                "sprites, because sprites are added in every tick and never removed; add a sprite "
                "once, in setup, and set sprite.position in update"
            )
            check_growth(self, index, self._growing_rows, advice, level=2)
        handles: dict[int, Any] = table.handles
        sprite: Sprite = self._handle_class(self, index)
        handles[index] = sprite
        if len(handles) == 1:
            table.map_memory()
        return sprite

    def _growing_rows(self) -> Rows:
        scales = self._table.column("scale").data
        columns = self._columns
        return Rows(columns.position.data, scales, columns.image.data, self._images.size_of)

    @other_options(_="write batch.extend(len(positions), position=positions)")
    def extend(  # type: ignore[override]
        self,
        count: int,
        image: ImageSource | int | NDArray[np.integer[Any]] | None = None,
        **columns: ArrayLike,
    ) -> slice:
        """Add ``count`` sprites, and return a slice with the rows of the new sprites.

        Keywords such as ``position=`` and ``color=`` set columns of the new sprites.

        To show the same image on all new sprites, pass an image source or an index. For different
        images, pass an array of ``count`` indices.
        """
        self._table.close_holes()
        count = self._room_for("count", count)
        values = self._table.checked(count, columns)
        if isinstance(image, np.ndarray) and image.ndim == 1:
            values |= self._table.checked(count, {"image": image})
            self._images.check_numbers(values["image"])
        else:
            values["image"] = np.full(count, self._images.number_of(image), np.int32)
        return self._table.spawn(count, values)

    def remove(self, rows: Sprite | ArrayLike | slice) -> None:
        """Remove a sprite. You can also pass several rows as indices, a mask or a slice.

        The remaining sprites keep their order, but sprites after a removed sprite move to lower row
        indices.
        """
        visible = self._columns.visible
        # The memory of a received column is read-only.
        if isinstance(rows, Sprite) and not visible.is_received:
            self._table.make_hole(row_in(rows, self), visible)
        else:
            super().remove(rows)

    def pick(self, point: tuple[float, float]) -> Sprite | None:
        """Return the visible sprite at ``point``, or None. If several sprites contain the point,
        return the sprite that is drawn in front of the others.

        ``point`` is a position in the world. To find the sprite under the mouse, write
        ``batch.pick(self.camera.screen_to_world(self.mouse.position))``. A sprite contains a point
        if the point is inside the bounding box of its opaque pixels. The bounding box is rotated,
        scaled and mirrored together with the sprite. `pick` uses the current values of the columns,
        not the interpolated positions of a frame. In a `NodeSprites`, `pick` raises an error.
        """
        self._table.close_holes()
        is_hit = self._contain("pick", point, slice(0, len(self)))
        rows = np.flatnonzero(is_hit & self._columns.visible.current(len(is_hit)))
        if not len(rows):
            return None
        layers = self._columns.layer.data[rows]
        rows = rows[layers == layers.max()]
        if self.y_sort:
            heights = self._columns.position.data[rows, 1]
            rows = rows[heights == heights.min()]
        return self[int(rows[-1])]

    def _contain(self, method: str, point: object, rows: slice) -> Mask:
        """Return whether each sprite in ``rows`` contains ``point``. ``method`` is the name of the
        called method, for error messages.
        """
        from ..geometry.overlaps import contain

        return contain(self, pair("point", point), rows)

    # -- images ------------------------------------------------------------------------------------

    @property
    def images(self) -> BatchImages:
        """The images of the batch, with their sizes and the boxes around their opaque pixels.

        ``batch.images.add(…)`` adds an image to the batch.
        """
        return BatchImages(self._images)

    # -- on the GPU --------------------------------------------------------------------------------

    @property
    def buffers(self) -> dict[str, BufferView]:
        """The GPU buffers of the columns, as a dict from column names to buffers; see
        docs/effects.md.

        Buffers such as ``"previous_position"`` contain the values before the last tick. The buffer
        ``"info"`` contains one integer per sprite with the image index, the visibility and the
        flip. Raises `AssetError` if the batch is not in a game with graphics.
        """
        backend = self._backend
        if backend is None:
            raise AssetError("this batch is not in a game yet: game.add(batch) makes its buffers")
        if not isinstance(backend, _HasBuffers):
            raise AssetError("this batch is in a game without graphics, where it has no buffers")
        return backend.buffers

    def render(self, program: moderngl.Program, mode: int, vertices: int) -> None:
        """Draw all sprites with your own shader program; see docs/gpu.md. Each sprite is one
        instance.

        If the batch is not in a game with graphics, `render` does nothing. Raises `FrameworkError`
        if ``program`` belongs to another game.
        """
        backend = self._backend
        if isinstance(backend, _Renders):
            backend.render(program, mode, vertices)

    def _parts(self) -> SpriteParts:
        return SpriteParts(self._table, self._columns, self._images, self._look)

    def touch(self) -> None:
        """Show changes that you have made between two ticks to a `Sprite`, or to an array that you
        stored in a variable. Changes in a tick, or through the batch's properties, are shown
        without `touch`.
        """
        for column in self._table.interpolated:
            column.touch()


def _flipped(name: str, value: object) -> object:
    """Return ``value`` if it is a pair of bools, for mirroring in x and in y.

    Raises `TypeError` if ``value`` is not a pair.
    """
    if ndim(value) != 1 or not isinstance(value, Sized) or len(value) != 2:
        raise wrong_type(name, "two flags, mirrored in x and in y, as in (True, False)", value)
    return value


def _further(table: Table, values: Mapping[str, object]) -> dict[str, object]:
    """Return the keywords of `add` that set additional columns, such as ``velocity`` or the game's
    own columns. Columns of the framework whose value is None are left out.

    Raises `TypeError` if the batch has no column for a keyword.
    """
    for name in values:
        if name not in OPTIONAL and name not in table.own:
            names = "image, position, angle, scale, color, alpha, visible, layer, flip, tags"
            raise TypeError(
                renamed_column(name)
                or meant_option("add", name, names.split(", "), SPRITE_OPTIONS)
                or f"{name}: a sprite is added with {names}, and the columns "
                f"{', '.join([*OPTIONAL, *table.own])}; {how_to_have(name)}"
            )
    return {name: value for name, value in values.items() if value is not None or name in table.own}


class _FlipCell(RowValue[tuple[bool, bool]]):
    def __set__(self, handle: Handle[Any], value: object) -> None:
        super().__set__(handle, _flipped(self.name, value))


def _write_number(memory: memoryview[float], index: int, name: str, value: float) -> None:
    """Write one number to the memory of a column. If the value is not a valid number, raise an
    error. The error message contains ``name``.
    """
    try:
        memory[index] = value
    except (TypeError, ValueError):
        memory[index] = number(name, value)


def _read_x(sprite: Sprite) -> float:
    return sprite._table.xy[sprite._at]


def _write_x(sprite: Sprite, value: float) -> None:
    try:
        sprite._table.xy[sprite._at] = value
    except (TypeError, ValueError):
        # The memory is read-only while no sprite moves, or the value has a wrong type.
        _write_number(sprite._table.writable_xy(), sprite._at, "x", value)


def _read_y(sprite: Sprite) -> float:
    return sprite._table.xy[sprite._at + 1]


def _write_y(sprite: Sprite, value: float) -> None:
    try:
        sprite._table.xy[sprite._at + 1] = value
    except (TypeError, ValueError):
        _write_number(sprite._table.writable_xy(), sprite._at + 1, "y", value)


def _coordinate(
    read: Callable[[Sprite], float], write: Callable[[Sprite, float], None], doc: str
) -> RowValue[float]:
    """Return a property of a sprite that reads and writes x or y.

    The result is a built-in `property`, because no other kind of attribute is as fast in Python. x
    and y have separate functions, because a function with an argument for the axis would be slower.
    """
    coordinate: Any = property(read, write, doc=doc)
    return coordinate  # type: ignore[no-any-return]


@sprite_names
@moved("sprite", {}, {"spin": "angular_velocity"})
@handle_of(SpriteBatch)
@made_by(
    "write self.sprites.add('ship.png', position=(x, y), scale=0.5), or batch.add(position=(x, y))"
)
class Sprite(AnimatedHandle, Handle["SpriteBatch"], HasMoved):
    """One sprite of a `SpriteBatch`. You can read and write the columns of the batch as properties
    of the sprite.

    ``batch.add(…)`` and ``batch[row]`` return a `Sprite`.

    ``x``, ``y`` and ``angle`` are fast, because they access the memory of the batch directly. After
    the sprite has been removed, its properties and methods raise `ValueError`.
    """

    __slots__ = ("_at",)

    _batch: SpriteBatch
    _table: MappedPoses2D

    _transient_attributes = ("_at",)  # the index is computed from the sprite's row

    _noun = "sprite"

    scale = RowValue[tuple[float, float]](
        "The scale factors in x and y. One number sets both factors."
    )
    velocity = RowValue[tuple[float, float]](
        "The velocity in units per second of game time, if the batch has the column ``velocity``."
    )
    angular_velocity = RowValue[float](
        "The angular velocity in radians per second of game time, if the batch has the column "
        "``angular_velocity``."
    )
    color = RowColor(
        "The color in sRGB (red, green, blue, alpha) from 0 to 1, or a string such as '#f80'. A "
        "color of three numbers does not change alpha."
    )
    alpha = RowAlpha()
    visible = RowValue[bool]("Whether the sprite is drawn.")
    layer = RowValue[int]("The layer of the sprite. Higher layers are drawn over lower layers.")
    flip = _FlipCell(
        "Whether the sprite is mirrored in x (left and right), and in y (top and bottom). The "
        "anchor does not move."
    )

    def __init__(self, batch: SpriteBatch, row: int) -> None:
        self._batch = batch
        self._row = row
        self._table = batch._table
        self._at = 2 * row  # index of x in the batch's memory of positions

    def __repr__(self) -> str:
        return "<Sprite, removed>" if self.removed else f"<Sprite at ({self.x:g}, {self.y:g})>"

    def _moved(self, row: int) -> None:
        # This is a copy of the code of `Handle._moved`. Calling `Handle._moved` would double the
        # time.
        self._row = row
        self._at = 2 * row
        if row < 0:
            self._batch = self._table = self._gone  # type: ignore[assignment]

    x = _coordinate(_read_x, _write_x, "The x coordinate of the sprite in units.")
    y = _coordinate(_read_y, _write_y, "The y coordinate of the sprite in units. Positive y is up.")

    @property
    def position(self) -> tuple[float, float]:
        """The position (x, y) of the sprite in units, y up."""
        at = self._at
        xy = self._table.xy
        return xy[at], xy[at + 1]

    @position.setter
    def position(self, value: tuple[float, float]) -> None:
        at = self._at
        x, y = pair("position", value)
        xy = self._table.xy
        try:
            xy[at] = x
        except TypeError:  # the memory is read-only while no sprite moves
            xy = self._table.writable_xy()
            xy[at] = x
        xy[at + 1] = y

    @property
    def angle(self) -> float:
        """The angle of the sprite in radians, counter-clockwise."""
        return self._table.angles[self._row]

    @angle.setter
    def angle(self, value: float) -> None:
        try:
            self._table.angles[self._row] = value
        except (TypeError, ValueError):
            _write_number(self._table.writable_angles(), self._row, "angle", value)

    @property
    def image(self) -> int:
        """The index of the sprite's image in the batch.

        While the sprite is playing a clip, the clip changes the index. If you assign an index, a
        path or another image source, the clip stops.
        """
        table = self._table
        if isinstance(table, PlayedPoses2D):
            return table.shown_image(self._row)
        return int(table.column("image").data[self._row])

    @image.setter
    def image(self, value: ImageSource | int) -> None:
        if value is None:
            raise wrong_type("image", "an image, or the index of one", value)
        number = self._batch._images.number_of(value)
        if isinstance(self._table, PlayedPoses2D):
            self._table.stop(np.array([self._row]))
        self._table.column("image").put(self._row, number)

    @property
    def width(self) -> float:
        """The width of the sprite in units: the width of its image times the scale."""
        return self.batch.images.size(self.image)[0] * abs(self.scale[0])

    @property
    def height(self) -> float:
        """The height of the sprite in units: the height of its image times the scale."""
        return self.batch.images.size(self.image)[1] * abs(self.scale[1])

    def contains(self, point: tuple[float, float]) -> bool:
        """Return whether ``point``, a position in the world, is inside the bounding box of the
        opaque pixels of the sprite. The box is rotated, scaled and mirrored together with the
        sprite. A hidden sprite also contains points. For a sprite in a `NodeSprites`, `contains`
        raises an error.

        To find the sprite under the mouse, use `SpriteBatch.pick`.
        """
        self._table.close_holes()  # may change `row`
        row = self.row
        return bool(self.batch._contain("contains", point, slice(row, row + 1))[0])

    def drawn_position(self, alpha: float) -> tuple[float, float]:
        """Return the position at which the sprite is drawn in a frame, in world units. ``alpha`` is
        the time since the last tick, as a fraction of a tick.

        By default, the position is interpolated between the last two ticks. The option ``motion``
        of the batch can select another method.
        """
        alpha = number("alpha", alpha)
        table = self._table
        row = self._row
        if table.motion != "interpolate":
            x, y = table.pose(alpha, slice(row, row + 1))[0][0].tolist()
            return x, y
        table.settle()
        column = table.column("position")
        position: Floats = column.data[row]
        if alpha != 1:
            previous: Floats = column.previous(row + 1)[row]
            position = previous + (position - previous) * np.float32(alpha)
        x, y = position.tolist()
        return x, y
