"""Sprites: images in the plane, thousands to a million of them in one draw call.

A `SpriteBatch` is a set of columns, one row per sprite. Write whole columns with numpy, or hold
single rows as `Sprite` objects; both are views of the same numbers.
"""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from functools import partial
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Doubles, Floats, Pixels, Rows, row_indices
from ..assets import images
from ..assets.clips import Clips
from ..assets.images import ImageSource, Region, checked_anchor, checked_source
from ..checks import (
    Sealed,
    Setting,
    choice,
    flag,
    named,
    ndim,
    number,
    pair,
    shown,
    whole,
    wrong_type,
)
from ..checks import color as rgba
from ..errors import AssetError, FrameworkError
from ..geometry.outlines import opaque_box, pieces
from ..gpu import arriving, shaders
from ..gpu.arriving import Arrivals
from ..gpu.atlas import Atlas, Atlases
from ..gpu.drawable import DrawableDefaults
from ..gpu.gl import moderngl
from ..gpu.graphics import BLEND_MODES, FRAME_BINDING, Graphics, in_context
from ..gpu.handover import BufferView, Handover, PackedBuffer, Part
from ..motion.animated import Animated, AnimatedHandle
from ..motion.moving import OPTIONAL, Moving, optional_columns
from ..motion.played import PlayedTransforms2D
from ..resources import Folder
from ..state.columns import Cells, Codes, Column, Ticked
from ..state.motion import MOTIONS, Extrapolation
from ..state.rows import AlphaCell, Cell, ColorCell, Handle, Handled, handle_of
from ..state.tags import Tagged, checked_tags, tags_column
from ..state.transforms2d import Transforms2D
from .flipbooks import Flipbook
from .order import Order

_IMAGE_UNIT, _REGIONS_UNIT = 0, 1

_VERTEX = "sprites.vert"

# Bits of the `in_info` attribute; shaders/sprites.vert reads them.
_VISIBLE, _FLIP_X, _FLIP_Y = 1 << 24, 1 << 25, 1 << 26

# Rows searched for NaN at each hand-over; a larger batch is gone through piece by piece.
_NAN_WINDOW = 2048

# The same of rows that are scaled more along one side than along the other.
_UNEVEN_WINDOW = 1 << 14

# Removed sprites leave holes, closed once they are this many and a quarter of all rows.
_MOST_HOLES = 32


def _glsl(name: str, value: Any) -> str | None:
    return None if value is None else shaders.given(name, value)


_named = partial(named, what="values by the names of the shader's uniforms")


class _ImageCells(Cells[NDArray[np.int32]]):
    """The column ``image``, whose numbers are those of images that there are."""

    def __set__(self, batch: Any, value: ArrayLike) -> None:
        try:
            numbers = np.asarray(value)
        except ValueError:  # ragged: refused below
            numbers = np.empty(0)
        if numbers.dtype.kind in "iu" and numbers.size:
            low, high = numbers.min(), numbers.max()
            if low < 0 or high >= batch.image_count:
                got = f"{low}" if low < 0 else f"{high}"
                raise ValueError(
                    f"image: the batch has {batch.image_count} images, got number {got}"
                )
        super().__set__(batch, value)


class _Imaged:
    """A batch's images: a list that only grows."""

    __slots__ = ()

    _sources: list[ImageSource]
    _source_index: dict[object, int]
    _anchor: tuple[float, float] | None
    _alpha_boxes: Doubles
    defines: Any
    uniforms: Any
    shader: Any
    _table: Any
    _gpu: _SpriteGpu | None
    _unseen: _Unseen | None
    hand_over: Any

    @property
    def vertex_source(self) -> str:
        """What it is drawn with: a file, or GLSL."""
        return _VERTEX

    @property
    def own_columns(self) -> Sequence[Column]:
        """Those that this reads beside a sprite's."""
        return ()

    @property
    def buffers(self) -> dict[str, BufferView]:
        """What the batch has on the GPU, brought up to date: a buffer for each column by its name,
        the state before the last tick as ``"previous_position"``, …, and ``"info"``; see
        docs/effects.md."""
        gpu = self._attached
        self.hand_over()
        return gpu.handover.views()

    @property
    def _attached(self) -> _SpriteGpu:
        if self._gpu is None:
            raise AssetError(
                "this batch is not in a game yet: its images are loaded by game.add(batch)"
            )
        return self._gpu

    def add_image(self, source: ImageSource) -> int:
        """Put an image into the batch (once per path or object); returns its index, for the column
        ``image``.

        Raises `AssetError` when it cannot be loaded or the atlas is full; the batch stays as it
        was.
        """
        return self._image_index("source", source)

    @property
    def image_count(self) -> int:
        """Images in the batch."""
        return len(self._sources)

    @property
    def attached(self) -> bool:
        """Whether it is in a game that draws it."""
        return self._gpu is not None

    @property
    def anchors(self) -> list[tuple[float, float] | None]:
        """That of each image, in pixels from its bottom left; None: its centre."""
        return [_anchor_of(source, self._anchor) for source in self._sources]

    def image_size(self, index: int = 0) -> tuple[float, float]:
        """Width and height of an image in pixels; known once the batch is added to a game."""
        index = whole("index", index, 0, len(self._sources) - 1)
        width, height = (self._attached.atlas if self._unseen is None else self._unseen).sizes[
            index
        ]
        return float(width), float(height)

    def moment(self, alpha: float) -> object:
        """As long as this is equal, so are poses and which sprites are visible, as they were handed
        over.
        """
        return None if self._gpu is None else self._gpu.moment(self._table, alpha)

    def alpha_boxes(self) -> Doubles:
        """Left, bottom, right and top of what is opaque (alpha of at least a half) of each image,
        in pixels from its anchor, y up: (images, 4). NaN of an image that is transparent. Loads
        images when first asked for."""
        known = len(self._alpha_boxes)
        if known < len(self._sources):
            boxes = [
                opaque_box(pixels, anchor)
                for pixels, anchor in self._pictures(self._sources[known:])
            ]
            self._alpha_boxes = np.concatenate([self._alpha_boxes, boxes])  # type: ignore[misc]  # SpriteBatch's slot
        return self._alpha_boxes

    def alpha_pieces(self, index: int, tolerance: float = 1.0) -> list[Doubles]:
        """What is opaque of an image as convex pieces (k, 2), in pixels from its anchor, y up: see
        `collide.pieces`.
        """
        ((pixels, anchor),) = self._pictures(self._sources[index : index + 1])
        return pieces(pixels, tolerance, anchor)

    def _pictures(
        self, sources: Sequence[ImageSource]
    ) -> list[tuple[Pixels, tuple[float, float] | None]]:
        """Images, with the anchors that are told for them."""
        holder = self._gpu or self._unseen
        pixels = images.load_many(sources, holder.folders if holder else (), live=True)
        return list(
            zip(pixels, map(partial(_anchor_of, anchor=self._anchor), sources), strict=True)
        )

    def renew(self, files: Set[str]) -> bool:
        """Load images anew that come from these files, and the shader that is written in them."""
        gpu = self._gpu
        if gpu is None:
            return False
        shader, folders = self.shader, gpu.folders
        compiled = shader is not None and not files.isdisjoint(
            shaders.files_of(shader, folders, self.defines)
        )
        if compiled:
            gpu.compile_anew(self.uniforms)
        sources = images.those_among(self._sources, files, gpu.folders)
        if sources:
            gpu.renew_images(sources, self._anchor)
            self._alpha_boxes = self._alpha_boxes[: min(sources)]  # type: ignore[misc]  # SpriteBatch's slot
        return compiled or bool(sources)

    def _image_index(self, name: str, source: ImageSource) -> int:
        key = _key(checked_source(name, source))
        index = self._source_index.get(key)
        if index is not None:
            return index
        if self._gpu is not None:
            self._gpu.add_images([source], self._anchor)
        elif self._unseen is not None:
            self._unseen.add_images([source])
        self._source_index[key] = len(self._sources)
        self._sources.append(source)
        return len(self._sources) - 1

    @property
    def pixels_per_unit(self) -> float:
        """How many pixels a unit has in what is drawn now."""
        return self._attached.pixels_per_unit

    def forget_images(self) -> None:
        """Let go of all images; the next is number 0. Before rows are drawn, they must be given
        others.
        """
        self._sources.clear()
        self._source_index.clear()
        self._alpha_boxes = np.empty((0, 4))  # type: ignore[misc]  # SpriteBatch's slot
        if self._gpu is not None:
            self._gpu.forget_images()
        elif self._unseen is not None:
            self._unseen.sizes.clear()

    def image_number(self, image: ImageSource | int | None) -> int:
        """The index of an image: of a source, which is put into the batch, of a number, or of the
        first.
        """
        if image is not None and not isinstance(image, (int, np.integer)):
            return self._image_index("image", image)
        if image is None and not self._sources:
            raise ValueError(
                'image: the batch has none yet; say which one to show: add("ship.png", …)'
            )
        index = whole("image", 0 if image is None else image)
        if not 0 <= index < len(self._sources):
            raise ValueError(
                f"image: the batch has {len(self._sources)} images, asked for number {shown(index)}"
            )
        return index


class SpriteBatch(
    Animated, Moving, Tagged, _Imaged, Handled["Sprite"], Ticked, DrawableDefaults, Sealed
):
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
        "__weakref__",
        "_alpha_boxes",
        "_anchor",
        "_angles",
        "_blend",
        "_color",
        "_filter",
        "_flip",
        "_gpu",
        "_image",
        "_layer",
        "_order",
        "_position",
        "_shader",
        "_smooth",
        "_source_index",
        "_sources",
        "_table",
        "_uneven",
        "_uniforms",
        "_unseen",
        "_visible",
        "_watch",
        "_xy",
        "_y_sort",
        "tag_names",
    )

    not_state: ClassVar[Any] = (
        *(
            "_alpha_boxes",
            "_angles",
            "_gpu",
            "_order",
            "_source_index",
            "_sources",
            "_uneven",
            "_unseen",
        ),
        *("_watch", "_xy", "tag_names"),
    )
    _lasting_attributes = (
        "_blend",
        "_color",
        "_filter",
        "_flip",
        "_image",
        "_layer",
        "_position",
        "_smooth",
    )
    _rows_can_be_saved = True
    _noun = "sprites"

    _y_sort: bool
    _shader: str | None
    _uniforms: dict[str, Any]
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
        self._filter = choice("filter", filter, ("linear", "nearest"))
        self._blend = choice("blend", blend, BLEND_MODES)
        self._smooth = (
            filter == "linear" if smooth_edges is None else flag("smooth_edges", smooth_edges)
        )
        self._anchor = None if anchor is None else checked_anchor("anchor", anchor)
        self.y_sort, self.shader = y_sort, shader
        self.uniforms = {} if uniforms is None else uniforms
        if isinstance(image, Clips):
            self._table: Transforms2D = PlayedTransforms2D(motion, image.timeline)
            image = image.images
        else:
            self._table = Transforms2D(motion)
        self._position = self._table.column("position")
        self._color = Column("color", 4, 1.0, interpolated=False, color_space="srgb")
        self._visible = Column("visible", 1, True, dtype=np.bool_, interpolated=False)
        self._image = Column("image", 1, 0, dtype=np.int32, interpolated=False)
        self._flip = Column("flip", 2, False, dtype=np.bool_, interpolated=False)
        self._layer = Column("layer", 1, 0, dtype=np.int32, interpolated=False)
        self._table.add_columns(self._color, self._visible, self._image, self._flip, self._layer)
        there = tuple(column.name for column in self._table.columns)
        self.tag_names = checked_tags("tags", tags)
        tagged = [tags_column()] if self.tag_names else []
        self._table.add_columns(*optional_columns("columns", columns, there), *tagged, drawn=False)
        self._order = Order(self._layer, self._position)
        self._watch = NanWatch(self._position)
        self._uneven = _Uneven(self._table.column("scale"))
        self._sources: list[ImageSource] = []
        self._table.codes["image"] = Codes(self._sources)
        self._source_index: dict[object, int] = {}
        self._xy = self._angles = _NO_MEMORY
        self._alpha_boxes = np.empty((0, 4))
        self._gpu: _SpriteGpu | None = None
        self._unseen: _Unseen | None = None  # in a game without pictures, in place of that

        sources: Sequence[Any] = (
            image if isinstance(image, (list, tuple)) else [] if image is None else [image]
        )
        for source in sources:
            self._sources.append(checked_source("image", source))
            self._source_index.setdefault(_key(source), len(self._sources) - 1)
        if self._room_for("count", count) and not self._sources:
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
        return self._table

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
        row: dict[str, Any] = {
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
            {"tags": self.tag_bits(*checked_tags("tags", tags))}
            if not isinstance(tags, tuple) or tags
            else {}
        )
        values = [
            (column := self._table.column(name), column.checked(value))
            for name, value in row.items()
        ]
        values.append((self._image, self.image_number(image)))  # last: it may be a new one
        at = self._spawn(1).start
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
            self._check_indices(values["image"])
        else:
            values["image"] = np.full(count, self.image_number(image), np.int32)
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
        table, row = self._table, sprite.row_in(self)
        self._visible.data[row] = False
        self._visible.touch()
        table.holes.add(row)
        del table.handles[row]
        sprite.moved(-1)
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
            row = rows.row_in(self)
            self._table.mark_teleported(slice(row, row + 1))
            return
        self._close_up()
        super().teleport(rows)

    # -- single sprites ----------------------------------------------------------------------------

    def __getitem__(self, row: int) -> Sprite:
        """The sprite of a row, 0 to len - 1 (negative: from the end). It stays the same sprite when
        rows close up.
        """
        self._close_up()
        return super().__getitem__(row)

    def _handle(self, row: int) -> Sprite:
        """The sprite of a row of the table."""
        if not self._table.handles:
            self.map_memory()
        return super()._handle(row)

    def map_memory(self) -> None:
        """Have sprites find the numbers that they read and write themselves."""
        self._xy = self._position.memory()
        self._angles = self._table.column("angle").memory()

    def after_restore(self) -> None:
        """A snapshot was put back: the columns may lie elsewhere than they did."""
        if self._table.handles:
            self.map_memory()
        self._let_go()
        if isinstance(self._table, PlayedTransforms2D):
            self._table.renew()

    def _let_go(self) -> None:
        """Where nobody holds a sprite: or the columns would be compared each tick for what sprites
        may write.
        """
        if not self._table.handles and self._xy is not _NO_MEMORY:
            self._xy = self._angles = _NO_MEMORY

    # -- frames ------------------------------------------------------------------------------------

    @property
    def uploaded_bytes(self) -> int:
        """Bytes written to the GPU so far."""
        return 0 if self._gpu is None else self._gpu.handover.uploaded

    @property
    def gpu_bytes(self) -> int:
        """Bytes of GPU memory that the columns take (the atlas not counted)."""
        return 0 if self._gpu is None else self._gpu.handover.memory

    def attach(self, graphics: Graphics) -> None:
        self._check_free()
        columns = (self._color, self._visible, self._image, self._flip, *self.own_columns)
        program = partial(_program, graphics, self.vertex_source, self.shader, self.defines)
        gpu = _SpriteGpu(graphics, self._table, columns, program, self._filter)
        try:
            gpu.add_images(self._sources, self._anchor)
        except BaseException:
            gpu.release()
            raise
        self._gpu = gpu
        gpu.handover.reserve(self._table.capacity)  # which notes that it has no rows yet
        self._table.touch()  # and is then given all, also before the first tick

    def attach_unseen(self, graphics: Graphics) -> None:
        self._check_free()
        self._unseen = _Unseen(graphics.folders, self._sources)

    def _check_free(self) -> None:
        if self._gpu is not None or self._unseen is not None:
            raise ValueError("batch: it was added to a game already")

    @property
    def defines(self) -> dict[str, int]:
        """What shaders/sprites.vert and sprite.glsl are compiled with."""
        wanted = {"SMOOTH_EDGES": self._smooth, "NEAREST": self._filter == "nearest"}
        wanted["CLIPS"] = isinstance(self._table, PlayedTransforms2D)
        wanted |= {f"MOTION_{name.upper()}": self._table.motion == name for name in MOTIONS}
        return {name: 1 for name, on in wanted.items() if on}

    def hand_over(self) -> None:
        """Upload what changed since the last time: nothing, between two ticks of a game that left
        it alone.
        """
        gpu, table, order = self._gpu or self._attached, self._table, self._order
        if not table.news():
            return
        if order.rows is None and not (order.by_y or self._y_sort or gpu.observed):
            moved = table.moved()
            if (
                moved is not None
            ):  # as most often; or hundreds of batches of a few sprites each would take their time
                n, tick = table.count, table.tick
                if moved or not tick.rested:
                    gpu.handover.hand_over_moved(n, not tick.handed_over, moved)
                    self._watch.look(n)
                    self._uneven.look(n, moved)
                tick.handed_over, tick.rested = True, not moved and n <= _NAN_WINDOW
                return
        gpu.hand_over(self, order)

    def draw(self) -> None:
        self.hand_over()
        if self._table.count:
            gpu = self._gpu or self._attached
            gpu.draw(self._table, BLEND_MODES[self._blend], self._uniforms, self._uneven.least)

    def place_of(self, sprite: Sprite) -> int:
        """How many of its sprites are drawn before this one."""
        self.hand_over()
        return self._order.place_of(sprite.row_in(self))

    def draw_some(self, first: int, end: int) -> None:
        """In pixel art, draw those of these places in drawing order alone."""
        with (self._gpu or self._attached).only(first, end):
            self.draw()

    @property
    def changes_below(self) -> bool:
        return self._blend == "multiply"

    def render(
        self, program: moderngl.Program, mode: int, vertices: int, atlas: Atlas | None = None
    ) -> None:
        """Run a program of another's over all rows, an instance each; it reads what
        shaders/sprites.vert does, and an ``atlas`` in place of the batch's own. Nothing where the
        batch is in no game; an error in another one."""
        if self._gpu is not None and self._table.count:
            self.hand_over()
            if atlas is not None:
                self._gpu.bind(program, atlas)
            self._gpu.render(self._table, program, mode, vertices)

    def shows(self, picture: object) -> bool:
        """Whether one of its images is this one, which is drawn while the game runs."""
        return self._gpu is not None and any(live is picture for live, _ in self._gpu.live)

    def release(self) -> None:
        if self._gpu is not None:
            self._gpu.release()
        self._gpu = self._unseen = None

    def release_unseen(self) -> None:
        self.release()

    def touch(self) -> None:
        """Have the next frame show what was written since the last tick through sprites or views
        kept from before.

        Writes in ticks, and through the batch's properties, are always seen.
        """
        for column in self._table.interpolated:
            column.touch()

    def _check_indices(self, image: NDArray[np.int32]) -> None:
        if len(image) and not 0 <= int(image.min()) <= int(image.max()) < len(self._sources):
            row = int(np.argmax((image < 0) | (image >= len(self._sources))))
            raise ValueError(
                f"image: row {row} asks for number {image[row]}, the batch has {len(self._sources)}"
            )


def _anchor_of(
    source: ImageSource, anchor: tuple[float, float] | None
) -> tuple[float, float] | None:
    return source.anchor if isinstance(source, Region) and source.anchor else anchor


def _key(source: ImageSource) -> object:
    """What makes two sources the same one."""
    return os.fspath(source) if isinstance(source, (str, os.PathLike)) else id(source)


class NanWatch:
    """Says once that positions are not numbers."""

    def __init__(self, position: Column) -> None:
        self._position = position
        self._at = 0
        self._said = False

    def look(self, n: int) -> None:
        """Search some of the first ``n`` rows, others in the next frame."""
        if self._said or not n:
            return
        start = self._at if self._at < n else 0
        self._at = start + _NAN_WINDOW
        window = self._position.data[start : min(self._at, n)]
        if not math.isnan(
            np.vdot(window, window)
        ):  # of squares, the sum is NaN where one of them is
            return
        self._said = True
        bad = np.flatnonzero(np.isnan(window).any(axis=1))
        warnings.warn(
            f"position: row {start + int(bad[0])} is NaN, and {len(bad) - 1} more "
            f"among rows {start} to "
            f"{min(self._at, n) - 1}. Such sprites are not drawn; look for a division by zero or a "
            f"normalised zero vector in update(). (Said once per batch.)",
            RuntimeWarning,
            stacklevel=2,
        )


class _Uneven:
    """Knows how small sprites are drawn that are scaled more along one side than along the
    other.
    """

    def __init__(self, scale: Column) -> None:
        self._scale = scale
        self._left = 0  # rows not looked at since scales changed
        self.least = math.inf
        """The smallest of their factors. Of large batches, of all that they had."""

    def look(self, n: int, moved: Sequence[Column] | None = None) -> None:
        """Search some of the first ``n`` rows, others in the next frame; ``moved`` are the columns
        that changed, None where any may have."""
        if moved is None or self._scale in moved:
            self._left = n
            if n <= _UNEVEN_WINDOW:
                self.least = math.inf
        if not self._left:
            return
        stop = min(self._left, n)
        self._left = max(0, stop - _UNEVEN_WINDOW)
        factors = self._scale.data[self._left : stop]
        uneven = factors[:, 0] != factors[:, 1]
        if uneven.any():
            sides = np.abs(factors[uneven])
            self.least = min(self.least, float(sides.min(initial=math.inf, where=sides > 0)))


class _Unseen:
    """What a batch has of its images in a game without pictures: how large they are."""

    def __init__(self, folders: Sequence[Folder], sources: Sequence[ImageSource]) -> None:
        self.folders = folders
        self.sizes: list[tuple[int, int]] = []
        self.add_images(sources)

    def add_images(self, sources: Sequence[ImageSource]) -> None:
        self.sizes += images.sizes(sources, self.folders, live=True)


class _SpriteGpu:
    """Everything of a batch that lives on the GPU."""

    def __init__(
        self,
        graphics: Graphics,
        table: Transforms2D,
        columns: Sequence[Column],
        program: Callable[[bool], tuple[moderngl.Program, bool]],
        filter: str,
    ) -> None:
        color, self._visible, self._image, self._flip, *own = columns
        ctx = self._ctx = graphics.ctx
        self.folders = graphics.folders
        self._moment = graphics.moment
        self._timed, self.observed = table.timed, table.observer is not None
        self._make_program = program
        self._own: list[moderngl.Program] = []
        self._spanning: moderngl.Program | None = None
        self.program = self._new_program(False)
        self._atlases, self._filter = (
            Atlases.of(graphics),
            "nearest" if graphics.pixel_art else filter,
        )
        self._atlas: Atlas | None = None
        self._flipbook: Flipbook | None = None
        self.live: list[tuple[images.LivePicture, Any]] = []
        """Those of its images that are drawn while the game runs, and what copies them into the
        atlas.
        """
        if isinstance(table, PlayedTransforms2D):
            self._flipbook = Flipbook(table, self._moment)
            own += [table.read_by_shader]
        self.handover = Handover.of(ctx, table, color, *own)
        if isinstance(table, PlayedTransforms2D):
            self.handover.singles[len(own)].parts = table.read_parts
        self.color = self.handover.singles[0]
        self.info = PackedBuffer(ctx, (self._image, self._visible, self._flip), self._packed)
        self.handover.buffers.append(self.info)

    def _new_program(self, spans: bool) -> moderngl.Program:
        program, own = self._make_program(spans)
        self._own += [program] if own else []
        bind_names(program)
        return program

    @property
    def pixels_per_unit(self) -> float:
        """How many pixels a unit has in what is drawn now."""
        camera = self._moment.camera
        if camera is None:
            return 1.0
        (_, _, *pixels), units = self._ctx.viewport, camera.view.size
        per_unit: float = camera.zoom * min(pixels[0] / units[0], pixels[1] / units[1])
        return per_unit

    def add_images(
        self, sources: Sequence[ImageSource], anchor: tuple[float, float] | None
    ) -> None:
        with in_context(self._ctx):
            self._add_images(sources, anchor)

    def _add_images(
        self, sources: Sequence[ImageSource], anchor: tuple[float, float] | None
    ) -> None:
        distinct = {_key(source): source for source in sources}
        # Asked once: a picture may come at any time.
        late = dict(zip(distinct, map(images.late, distinct.values()), strict=True))
        pictures = arriving.load_many(list(distinct.values()), list(late.values()), self.folders)
        loaded = dict(zip(distinct, pictures, strict=True))
        pixels = [loaded[_key(source)] for source in sources]
        anchors = [_anchor_of(source, anchor) for source in sources]
        drawn = [
            (index, source)
            for index, source in enumerate(sources)
            if isinstance(source, images.LivePicture)
        ]
        alone = bool(drawn) or any(late.values())
        first = 0 if self._atlas is None else len(self._atlas)
        try:
            if self._atlas is None:
                self._atlas = self._atlases.holding(self._filter, pixels, anchors, alone)
            elif pixels:
                self._atlas = self._atlases.extended(self._atlas, pixels, anchors)
        except AssetError as error:  # the atlas knows no files
            largest = max(range(len(pixels)), key=lambda index: pixels[index].size)
            raise AssetError(f"{images.described(sources[largest])}: {error}") from error
        if self._flipbook is not None:
            self._flipbook.forget()
        for index, source in drawn:
            copy = self._atlas.live(first + index)
            source.shown_in(copy)
            self.live.append((source, copy))
        for region, one in enumerate(sources, first):
            comes = late[_key(one)]
            if comes is not None:
                self.atlas.arriving = self.atlas.arriving or Arrivals()
                self.atlas.arriving.expect(self.atlas, region, one, comes)

    def forget_images(self) -> None:
        """Have an empty atlas."""
        with in_context(self._ctx):
            if self._atlas is not None:
                self._atlases.give_back(self._atlas)
            if self._flipbook is not None:
                self._flipbook.forget()
            self._atlas = self._atlases.holding(self._filter, [], [])

    def renew_images(
        self, sources: Mapping[int, ImageSource], anchor: tuple[float, float] | None
    ) -> None:
        """Load images anew, by their numbers."""
        found = images.load_many(list(sources.values()), self.folders, live=True)
        pictures = map(images.premultiply, found)
        anchors = {i: _anchor_of(source, anchor) for i, source in sources.items()}
        self._atlas = self._atlases.replaced(
            self.atlas, dict(zip(sources, pictures, strict=True)), anchors
        )
        if self.atlas.arriving is not None:
            self.atlas.arriving.forget(sources)
        if self._flipbook is not None:
            self._flipbook.forget()

    def compile_anew(self, uniforms: Mapping[str, Any]) -> None:
        """Compile the batch's own shader again; where that fails, what was compiled before
        stays.
        """
        before, self._own = self._own, []
        try:
            program = self._new_program(False)
            spanning = None if self._spanning is None else self._new_program(True)
            shaders.set_uniforms(program, uniforms)
        except BaseException:
            before, self._own = self._own, before
            raise
        else:
            self.program, self._spanning = program, spanning
            self.handover.drop_arrays()
        finally:
            for old in before:
                old.release()

    @property
    def atlas(self) -> Atlas:
        """That of its images; another one may take its place when images are added."""
        assert self._atlas is not None
        return self._atlas

    def hand_over(self, batch: SpriteBatch, order: Order) -> None:
        """Bring everything of the batch's rows to the GPU, as far as it does not have it."""
        table, image, layer, by_y = (
            batch._table,
            self._image,
            batch._table.column("layer"),
            batch.y_sort,
        )
        n, tick = table.count, table.tick
        layered, pictured, scaled = (
            layer.news(n),
            image.news(n),
            not table.column("scale").at_rest(n),
        )
        batch._let_go()
        if pictured or image.sent != n:
            batch._check_indices(image.data[:n])
        self.handover.reserve(table.capacity)
        if layered or layer.unsent or layer.sent != n or by_y != order.by_y or by_y:
            order.sort(n, by_y, layered, self.handover.buffers)
        self.info.bring_packed(n, order.rows)
        self.handover.hand_over(n, not tick.handed_over, order.rows)
        batch._watch.look(n)
        batch._uneven.look(n, None if scaled else ())
        tick.handed_over, tick.rested = True, False

    def _packed(self, rows: Rows | slice) -> NDArray[np.uint32]:
        """The attribute `in_info` of some rows: image, visible and flip in one number."""
        flip = self._flip.data[rows]
        info = self._image.data[rows].astype(np.uint32)
        info += self._visible.data[rows] * np.uint32(_VISIBLE)
        info += flip[:, 0] * np.uint32(_FLIP_X)
        info += flip[:, 1] * np.uint32(_FLIP_Y)
        return info

    def draw(
        self,
        table: Transforms2D,
        blend: tuple[int, int, int, int],
        uniforms: Mapping[str, Any],
        least: float,
    ) -> None:
        """Draw all rows; ``least`` is the smallest factor of those that are not scaled evenly."""
        ctx, atlas, program = self._ctx, self._atlas, self.program
        assert atlas is not None
        if least < math.inf and self._filter == "linear" and least * self.pixels_per_unit < 1:
            if self._spanning is None:
                self._spanning = self._new_program(True)
            program = self._spanning
        ctx.enable_only(moderngl.BLEND)
        ctx.blend_func = blend  # type: ignore[assignment]  # the stubs know two factors only
        self.bind(program, atlas)
        if uniforms or program.extra:
            shaders.set_uniforms(program, uniforms)
        self.render(table, program, moderngl.TRIANGLE_STRIP, 4)

    @contextmanager
    def only(self, first: int, end: int) -> Iterator[None]:
        """A guard within which the rows of these places in drawing order alone are drawn, in pixel
        art.
        """
        self.program["part"] = first, end
        try:
            yield
        finally:
            self.program["part"] = 0, 0

    def bind(self, program: moderngl.Program, atlas: Atlas) -> None:
        """Have a program of shaders/sprites.vert read the images of an atlas."""
        if atlas.changed:
            atlas.flush()
        atlas.texture.use(_IMAGE_UNIT)
        flipbook = self._flipbook
        if flipbook is None:
            atlas.table.use(_REGIONS_UNIT)
            return
        if atlas is not flipbook.atlas or program is not flipbook.program:
            flipbook.turn_to(program, atlas)
        flipbook.regions.use(_REGIONS_UNIT)
        if self._moment.clock is not flipbook.clock or flipbook.ahead.extra:
            flipbook.tell()

    def render(
        self, table: Transforms2D, program: moderngl.Program, mode: int, vertices: int
    ) -> None:
        """Run a program over all rows, an instance each. Raises `FrameworkError` for one of another
        game.
        """
        if program.ctx is not self._ctx:
            raise FrameworkError(
                "sprites: they are in another game than what is to be drawn with them"
            )
        if self._timed:
            program["motion"] = table.motion_uniform
        array = self.handover.array(program, self.parts)
        array.render(mode, vertices=vertices, instances=table.count)

    def moment(self, table: Transforms2D, alpha: float) -> object:
        """See `_Imaged.moment`."""
        if self._timed:
            return object()
        return (
            table.count,
            self.info.uploaded,
            [buffer.moment(alpha) for buffer in self.handover.blended],
        )

    def parts(self) -> list[Part]:
        """What a vertex array reads besides the columns."""
        return [(self.info.buffer_of(0), "1u/i", "in_info")]

    def release(self) -> None:
        for source, copy in self.live:
            source.shown_no_longer_in(copy)
        self.handover.release()
        if self._flipbook is not None:
            self._flipbook.release()
        if self._atlas is not None:
            self._atlases.give_back(self._atlas)
        for program in self._own:
            program.release()


def _program(
    graphics: Graphics, vertex: str, shader: str | None, defines: dict[str, int], spans: bool
) -> tuple[moderngl.Program, bool]:
    """What a batch is drawn with, and whether that is its own: all without a shader of their own
    have one in common, as drivers are slow to change it. With ``spans``, for sprites that are drawn
    smaller along one side."""
    defines = defines_in(graphics, defines | ({"SPANS": 1} if spans else {}))
    if shader is None and vertex == _VERTEX:
        if graphics.programs is None:
            graphics.programs = shaders.Programs(graphics.ctx, graphics.folders)
        return graphics.programs.get(_VERTEX, "sprites.frag", defines), False
    folders = graphics.folders
    fragment = shader or "sprites.frag"
    return shaders.program(graphics.ctx, vertex, fragment, folders=folders, defines=defines), True


def defines_in(graphics: Graphics, defines: dict[str, int]) -> dict[str, int]:
    """What shaders/sprites.vert is compiled with there: in pixel art, to texels."""
    if graphics.pixel_art:
        return {name: 1 for name in (*defines, "NEAREST", "TEXELS") if name != "SMOOTH_EDGES"}
    return defines


def bind_names(program: moderngl.Program) -> None:
    """Have a program of shaders/sprites.vert read what is bound when sprites are drawn."""
    shaders.set_known(program, "image", _IMAGE_UNIT)
    shaders.set_known(program, "regions", _REGIONS_UNIT)
    frame = program.get("Frame", None)
    if isinstance(frame, moderngl.UniformBlock):
        frame.binding = FRAME_BINDING


def _flipped(name: str, value: Any) -> Any:
    """Two flags: one alone would say nothing of the other direction."""
    if ndim(value) != 1 or len(value) != 2:
        raise wrong_type(name, "two flags, mirrored in x and in y, as in (True, False)", value)
    return value


def _moving(more: Mapping[str, Any]) -> dict[str, Any]:
    """What a sprite is added with for columns that not all batches have, but for what is None."""
    for name in more:
        if name not in OPTIONAL:
            known = "image, position, angle, scale, color, alpha, visible, layer, flip, tags"
            raise TypeError(
                f"{name}: a sprite is added with {known}, and the columns {', '.join(OPTIONAL)}"
            )
    return {name: value for name, value in more.items() if value is not None}


class _FlipCell(Cell[tuple[bool, bool]]):
    def __set__(self, handle: Any, value: Any) -> None:
        super().__set__(handle, _flipped(self.name, value))


def _coordinate(name: str, axis: int, doc: str) -> Cell[float]:
    """A number of a sprite's position: a plain property, which nothing in Python is quicker
    than.
    """

    def read(sprite: Sprite) -> Any:
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

    not_state = ("_at",)  # which follows from its row

    noun = "sprite"

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

    def moved(self, row: int) -> None:
        super().moved(row)
        self._at = 2 * row

    def columns_moved(self) -> None:
        self._batch.map_memory()

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
        return self._batch._angles[self._row]  # type: ignore[no-any-return]

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
        if isinstance(table, PlayedTransforms2D):
            return table.shown_image(self._row)
        return int(table.column("image").data[self._row])

    @image.setter
    def image(self, value: ImageSource | int) -> None:
        if value is None:
            raise wrong_type("image", "an image, or the number of one", value)
        number = self._batch.image_number(value)
        if isinstance(self._table, PlayedTransforms2D):
            self._table.stop(np.array([self._row]))
        self._table.column("image").put(self._row, number)

    @property
    def width(self) -> float:
        """The image's width times the scale, in units."""
        return self.batch.image_size(self.image)[0] * abs(self.scale[0])

    @property
    def height(self) -> float:
        """The image's height times the scale, in units."""
        return self.batch.image_size(self.image)[1] * abs(self.scale[1])

    def drawn_position(self, alpha: float) -> tuple[float, float]:
        """Where it is drawn at ``alpha``: between the previous and the current position, as the
        batch's motion says.
        """
        alpha = number("alpha", alpha)
        table: Any = self._table
        row = self._row
        if table.motion != "interpolate":
            x, y = table.pose(alpha, slice(row, row + 1))[0][0].tolist()
            return x, y
        table.settle()
        column = table.column("position")
        place = column.data[row]
        if alpha != 1:
            previous = column.previous(row + 1)[row]
            place = previous + (place - previous) * np.float32(alpha)
        x, y = place.tolist()
        return x, y


_NO_MEMORY: Any = memoryview(b"")
