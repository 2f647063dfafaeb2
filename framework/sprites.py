"""Sprites: images in the plane, thousands to a million of them in one draw call.

A `SpriteBatch` is a set of columns, one row per sprite. Write whole columns with numpy, or hold single rows as
`Sprite` objects; both are views of the same numbers.
"""

from __future__ import annotations

import operator
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from numbers import Real
from types import MappingProxyType
from typing import Any

import moderngl
import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import images, shaders
from .batch import ColumnBuffer, row_indices
from .columns import Column, Floats, Rows, assign
from .errors import AssetError
from .graphics import BLEND_MODES, FRAME_BINDING, Graphics, check_choice
from .images import ImageSource, Region
from .motion import MOTIONS, Extrapolation
from .textures import Atlas
from .transforms import Transforms2D

MAX_SPRITES = 1 << 24
"""Rows in one batch: more would need buffers that not every GL driver gives."""

_IMAGE_UNIT, _REGIONS_UNIT = 0, 1

# Bits of the `in_info` attribute; shaders/sprites.vert reads them.
_VISIBLE, _FLIP_X, _FLIP_Y = 1 << 24, 1 << 25, 1 << 26

# How the shader finds the columns of a prediction's state; `motion.Predictions` puts them there.
_STATE = ("2f 2f 2f 4f/i", "in_state_position", "in_state_velocity", "in_state_angle", "in_state_error")

# Rows searched for NaN at each hand-over; a larger batch is gone through piece by piece.
_NAN_WINDOW = 2048

# Removed sprites leave holes, closed once they are this many and a quarter of all rows.
_MOST_HOLES = 32


class SpriteBatch:
    """Many sprites, drawn in one call.

    Parameters
    ----------
    image
        A path, a PIL image, an array, a `Region`, or a list of these; a list's members are chosen per sprite by the
        column ``image``. May be left out when every sprite is added with its own.
    count
        Rows to start with, at (0, 0), all showing the first image.
    filter
        ``"linear"`` (smooth) or ``"nearest"`` (hard pixels).
    blend
        ``"alpha"``, ``"add"``, ``"multiply"``, ``"screen"`` or ``"replace"``.
    smooth_edges
        Let edges fade over the pixels that they cover in part, so that motion below a pixel shows. Default: with the
        linear filter. Turn it off for tiles that touch.
    anchor
        The point of the image that lies at ``position``, in pixels from its bottom left; default: its centre.
    y_sort
        Draw sprites of lower y over those of higher y, within a layer.
    shader
        A fragment shader of your own (a file name or GLSL); see shaders/include/sprite.glsl. Its uniforms are set
        by ``uniforms``.
    capacity
        Rows to make room for at once. Columns fetched before the batch outgrows its room go out of date.
    motion
        How sprites are drawn between two ticks: ``"interpolate"`` from the previous state to the current one;
        ``"hermite"``, the same along the curve that the column ``velocity`` bends (fast turns and arcs);
        ``"extrapolate"``, ahead of the last state that was written by ``velocity`` and ``spin`` (what is told of now
        and then, over a network), or an `Extrapolation` with limits of your own; ``"none"``, as they are.

    Columns
    -------
    ``position`` (n, 2) and ``scale`` (n, 2), ``angle`` (n,) in radians counter-clockwise: float32, interpolated.
    ``color`` (n, 4) float32 in 0..1, straight alpha, multiplies the image; ``visible`` (n,) bool; ``layer`` (n,)
    int32, higher over lower; ``image`` (n,) int32; ``flip`` (n, 2) bool, mirrored in x and in y. With
    motion "hermite" or "extrapolate", ``velocity`` (n, 2) in units a simulated second; with "extrapolate", ``spin``
    (n,) in radians a second. Later rows are drawn over earlier ones.
    """

    def __init__(
        self,
        image: ImageSource | Sequence[ImageSource] | None = None,
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
    ) -> None:
        self._filter = check_choice("filter", filter, ("linear", "nearest"))
        self._blend = check_choice("blend", blend, BLEND_MODES)
        self._smooth = filter == "linear" if smooth_edges is None else smooth_edges
        self._anchor = None if anchor is None else images.checked_anchor(anchor)
        self.y_sort = y_sort
        self.shader = shader
        self.uniforms: dict[str, Any] = dict(uniforms or {})
        """Values for the uniforms of your own ``shader``; set at every draw."""
        self._transforms = Transforms2D(motion)
        self._color = Column("color", 4, 1.0, interpolated=False)
        self._visible = Column("visible", 1, True, dtype=np.bool_, interpolated=False)
        self._image = Column("image", 1, 0, dtype=np.int32, interpolated=False)
        self._flip = Column("flip", 2, False, dtype=np.bool_, interpolated=False)
        self._layer = Column("layer", 1, 0, dtype=np.int32, interpolated=False)
        self._transforms.columns += [self._color, self._visible, self._image, self._flip, self._layer]

        self._sources: list[ImageSource] = []
        self._source_index: dict[object, int] = {}
        self._sprites: dict[int, Sprite] = {}  # the sprites that somebody may hold, by row
        self._holes: set[int] = set()  # rows of removed sprites
        self._xy = self._angles = _NO_MEMORY
        self._order: Rows | None = None  # the rows in drawing order; None: as they are
        self._sorted_by_y = False
        self._layered = False
        self._nan_at = 0
        self._warned_nan = False
        self._gpu: _SpriteGpu | None = None

        sources: Sequence[Any] = image if isinstance(image, (list, tuple)) else [] if image is None else [image]
        for source in sources:
            self._image_index(source)
        count, capacity = _whole("count", count), _whole("capacity", capacity)
        _check_room("count", count)
        _check_room("capacity", capacity)
        if count and not self._sources:
            raise ValueError(f"image: a batch that starts with {count:,} sprites needs one")
        self._transforms.reserve(capacity)
        if count:
            self._transforms.spawn(count)

    # -- columns -------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        """Sprites in the batch."""
        return len(self._transforms) - len(self._holes)

    @property
    def position(self) -> Floats:
        return self._values(self._transforms._position)

    @position.setter
    def position(self, value: ArrayLike) -> None:
        self._assign(self._transforms._position, value)

    @property
    def angle(self) -> Floats:
        return self._values(self._transforms._angle)

    @angle.setter
    def angle(self, value: ArrayLike) -> None:
        self._assign(self._transforms._angle, value)

    @property
    def scale(self) -> Floats:
        return self._values(self._transforms._scale)

    @scale.setter
    def scale(self, value: ArrayLike) -> None:
        self._assign(self._transforms._scale, value)

    @property
    def velocity(self) -> Floats:
        return self._values(self._transforms.speed("velocity"))

    @velocity.setter
    def velocity(self, value: ArrayLike) -> None:
        self._assign(self._transforms.speed("velocity"), value)

    @property
    def spin(self) -> Floats:
        return self._values(self._transforms.speed("spin"))

    @spin.setter
    def spin(self, value: ArrayLike) -> None:
        self._assign(self._transforms.speed("spin"), value)

    @property
    def color(self) -> Floats:
        return self._values(self._color)

    @color.setter
    def color(self, value: ArrayLike) -> None:
        self._assign(self._color, value)

    @property
    def visible(self) -> NDArray[np.bool_]:
        return self._values(self._visible)

    @visible.setter
    def visible(self, value: ArrayLike) -> None:
        self._assign(self._visible, value)

    @property
    def layer(self) -> NDArray[np.int32]:
        return self._values(self._layer)

    @layer.setter
    def layer(self, value: ArrayLike) -> None:
        self._assign(self._layer, value)

    @property
    def image(self) -> NDArray[np.int32]:
        return self._values(self._image)

    @image.setter
    def image(self, value: ArrayLike) -> None:
        self._assign(self._image, value)

    @property
    def flip(self) -> NDArray[np.bool_]:
        return self._values(self._flip)

    @flip.setter
    def flip(self, value: ArrayLike) -> None:
        self._assign(self._flip, value)

    @property
    def transforms(self) -> Transforms2D:
        """The poses, with `Transforms2D.model_matrices`. Rows are added and removed through the batch only."""
        if self._holes:
            self._close_holes()
        return self._transforms

    def _values(self, column: Column) -> NDArray[Any]:
        if self._holes:
            self._close_holes()
        return column.values(len(self._transforms))

    def _assign(self, column: Column, value: ArrayLike) -> None:
        if self._holes:
            self._close_holes()
        assign(column, len(self._transforms), value)

    # -- images --------------------------------------------------------------------------------------------------

    def add_image(self, source: ImageSource) -> int:
        """Put an image into the batch (once per path or object); returns its index, for the column ``image``.

        Raises `AssetError` when it cannot be loaded or the atlas is full; the batch stays as it was.
        """
        return self._image_index(source)

    @property
    def image_count(self) -> int:
        return len(self._sources)

    def image_size(self, index: int = 0) -> tuple[float, float]:
        """Width and height of an image in pixels; known once the batch is added to a game."""
        width, height = self._attached.atlas.sizes[index]
        return float(width), float(height)

    def _image_index(self, source: ImageSource) -> int:
        key = os.fspath(source) if isinstance(source, (str, os.PathLike)) else id(source)
        index = self._source_index.get(key)
        if index is not None:
            return index
        if self._gpu is not None:
            self._gpu.add_images([source], self._anchor)
        self._source_index[key] = len(self._sources)
        self._sources.append(source)
        return len(self._sources) - 1

    # -- rows ----------------------------------------------------------------------------------------------------

    def add(
        self,
        image: ImageSource | int | None = None,
        *,
        position: tuple[float, float] = (0.0, 0.0),
        angle: float = 0.0,
        scale: float | tuple[float, float] = 1.0,
        color: Sequence[float] = (1.0, 1.0, 1.0, 1.0),
        visible: bool = True,
        layer: int = 0,
        flip: tuple[bool, bool] = (False, False),
        velocity: tuple[float, float] | None = None,
        spin: float | None = None,
    ) -> Sprite:
        """One more sprite, drawn over those before it. ``image`` is a source, the index of one, or the first.

        ``velocity`` and ``spin`` are for a batch whose motion knows of them.
        """
        index, transforms = self._image_for(image), self._transforms
        flip_x, flip_y = flip
        row: list[tuple[Column, Any]] = [
            (transforms._position, _pair("position", position)),
            (transforms._angle, float(angle)),
            (transforms._scale, _pair("scale", (scale, scale) if isinstance(scale, Real) else scale)),
            (self._color, _rgba(color)),
            (self._visible, bool(visible)),
            (self._image, index),
            (self._flip, (bool(flip_x), bool(flip_y))),
            (self._layer, _layer(layer)),
        ]
        if velocity is not None:
            row.append((transforms.speed("velocity"), _pair("velocity", velocity)))
        if spin is not None:
            row.append((transforms.speed("spin"), float(spin)))
        at = self._spawn(1).start
        for column, value in row:
            column._current[at] = value
        return self._sprite(at)

    def extend(
        self, count: int, image: ImageSource | int | NDArray[np.integer[Any]] | None = None, **columns: ArrayLike
    ) -> slice:
        """``count`` more rows; returns them as a slice. Keyword arguments are columns: ``position=…, color=…``.

        ``image`` is one for all, a source or an index, or (count,) indices.
        """
        if self._holes:
            self._close_holes()
        count = _whole("count", count)
        _check_room("count", len(self._transforms) + count)
        values = self._transforms.checked(count, columns)
        if isinstance(image, np.ndarray) and image.ndim == 1:
            values |= self._transforms.checked(count, {"image": image})
            self._check_indices(values["image"])
        else:
            values["image"] = np.full(count, self._image_for(image), np.int32)
        return self._spawn(count, values)

    def _image_for(self, image: ImageSource | int | None) -> int:
        if image is None or isinstance(image, (int, np.integer)):
            index = int(image or 0)
            if not 0 <= index < len(self._sources):
                raise ValueError(f"image: the batch has {len(self._sources)} images, asked for number {index}")
            return index
        return self._image_index(image)

    def _spawn(self, count: int, values: Mapping[str, NDArray[Any]] = MappingProxyType({})) -> slice:
        _check_room("count", len(self._transforms) + count)
        room = self._transforms.capacity
        rows = self._transforms.spawn(count, values)
        if self._transforms.capacity != room and self._sprites:
            self._map_memory()
        return rows

    def remove(self, rows: Sprite | ArrayLike | slice) -> None:
        """Take out a sprite, or rows by indices, mask or slice. The others keep their order; row numbers close up."""
        if isinstance(rows, Sprite):
            self._remove_sprite(rows)
            return
        if self._holes:
            self._close_holes()
        gone = row_indices(rows, len(self._transforms))
        keep = np.ones(len(self._transforms), bool)
        keep[gone] = False
        self._keep(np.flatnonzero(keep))

    def clear(self) -> None:
        """Take out every sprite."""
        self.remove(slice(None))

    def _remove_sprite(self, sprite: Sprite) -> None:
        self._check_own(sprite)
        row = sprite._row
        self._visible._current[row] = False
        self._visible.touch()
        self._holes.add(row)
        del self._sprites[row]
        sprite._batch = _REMOVED
        holes = len(self._holes)
        if holes > _MOST_HOLES and 4 * holes > len(self._transforms):
            self._close_holes()

    def _check_own(self, sprite: Sprite) -> None:
        if sprite._batch is not self:
            raise ValueError(_REMOVED_TEXT if sprite._batch is _REMOVED else "sprite: it belongs to another batch")

    def _close_holes(self) -> None:
        keep = np.ones(len(self._transforms), bool)
        keep[list(self._holes)] = False
        self._holes.clear()
        self._keep(np.flatnonzero(keep))

    def _keep(self, rows: Rows) -> None:
        places = np.full(len(self._transforms), -1, np.intp)
        places[rows] = np.arange(len(rows))
        self._transforms.keep(rows)
        sprites, self._sprites = self._sprites, {}
        new_rows = places.tolist() if sprites else []
        for row, sprite in sprites.items():
            row = new_rows[row]
            if row < 0:
                sprite._batch = _REMOVED
            else:
                sprite._row, sprite._at = row, 2 * row
                self._sprites[row] = sprite
        if not self._sprites:
            self._unmap_memory()

    def teleport(self, rows: Sprite | ArrayLike | slice) -> None:
        """Draw rows where this tick leaves them, without a way there. Before or after moving them is the same."""
        if isinstance(rows, Sprite):
            self._check_own(rows)
            self._transforms.teleport(slice(rows._row, rows._row + 1))
            return
        if self._holes:
            self._close_holes()
        indices = row_indices(rows, len(self._transforms))
        if isinstance(indices, slice) or len(indices):
            self._transforms.teleport(indices)

    # -- single sprites ------------------------------------------------------------------------------------------

    def __getitem__(self, row: int) -> Sprite:
        """The sprite of a row, 0 to len - 1 (negative: from the end). It stays the same sprite when rows close up."""
        if self._holes:
            self._close_holes()
        n, row = len(self._transforms), operator.index(row)
        if not -n <= row < n:
            raise IndexError(f"row: the batch has {n} sprites, asked for number {row}")
        return self._sprite(row % n)

    def __iter__(self) -> Iterator[Sprite]:
        """The sprites that are there now. Meanwhile any may be removed (they are left out then) and others added."""
        for sprite in [self[row] for row in range(len(self))]:
            if not sprite.removed:
                yield sprite

    def _sprite(self, row: int) -> Sprite:
        sprite = self._sprites.get(row)
        if sprite is None:
            if not self._sprites:
                self._map_memory()
            sprite = self._sprites[row] = Sprite(self, row)
        return sprite

    def _map_memory(self) -> None:
        self._xy = self._transforms._position.memory()
        self._angles = self._transforms._angle.memory()

    def _unmap_memory(self) -> None:
        """Nobody holds a sprite: let go, or the columns would be compared each tick for what sprites may write."""
        self._xy = self._angles = _NO_MEMORY

    # -- frames --------------------------------------------------------------------------------------------------

    @property
    def _attached(self) -> _SpriteGpu:
        if self._gpu is None:
            raise AssetError("this batch is not in a game yet: its images are loaded by game.add(batch)")
        return self._gpu

    @property
    def uploaded_bytes(self) -> int:
        """Bytes written to the GPU so far."""
        return 0 if self._gpu is None else sum(buffer.uploaded for buffer in self._gpu.buffers)

    @property
    def gpu_bytes(self) -> int:
        """Bytes of GPU memory that the columns take (the atlas not counted)."""
        slots = [] if self._gpu is None else [slot for buffer in self._gpu.buffers for slot in buffer.slots]
        return sum(slot.size for slot in slots if slot is not None)

    def attach(self, graphics: Graphics) -> None:
        if self._gpu is not None:
            raise ValueError("batch: it was added to a game already")
        gpu = _SpriteGpu(graphics, self)
        try:
            gpu.add_images(self._sources, self._anchor)
        except BaseException:
            gpu.release()
            raise
        self._gpu = gpu
        for column in self._transforms.columns:
            column.touch()  # to be handed over, also before the first tick

    def begin_tick(self, dt: float) -> None:
        self._transforms.begin_tick(dt)

    def end_tick(self) -> None:
        self._transforms.end_tick()

    def hand_over(self) -> None:
        """Upload what changed since the last time: nothing, between two ticks of a game that left it alone."""
        gpu, transforms = self._attached, self._transforms
        transforms.settle()
        if not (transforms.ticked or self._touched_outside()):
            return
        n = len(transforms)
        gpu.reserve(transforms.capacity)
        self._check_images(n)
        if self._reorder(n):
            for buffer in gpu.buffers:
                buffer.column.stale = True
        order = self._order
        self._check_for_nan(n)
        for buffer in gpu.blended:
            buffer.hand_over(n, transforms.ticked, order)
        if gpu.predicted is not None:
            gpu.predicted.hand_over_single(n, order)
            for column in transforms.unsent:
                column.handed_over(n, column.changed(n))
        gpu.color.hand_over_single(n, order)
        self._hand_over_info(n, order)
        transforms.ticked = False

    def draw(self) -> None:
        self.hand_over()
        transforms = self._transforms
        if len(transforms):
            self._attached.draw(len(transforms), BLEND_MODES[self._blend], self.uniforms, transforms.motion_uniform)

    def release(self) -> None:
        if self._gpu is not None:
            self._gpu.release()
            self._gpu = None

    def touch(self) -> None:
        """Have the next frame show what was written since the last tick through sprites or views kept from before.

        Writes in ticks, and through the batch's properties, are always seen.
        """
        for column in self._transforms._poses:
            column.touch()

    def notice_writes(self) -> None:
        """While no ticks run, draw rows that were written since the last call where they are now.

        A paused game does this each frame by itself.
        """
        self._transforms.notice_writes()

    def _touched_outside(self) -> bool:
        return any([column.touched_since_hand_over for column in self._transforms.columns])  # noqa: C419  (quicker)

    def _reorder(self, n: int) -> bool:
        """Bring the drawing order up to date; true when it is another than before."""
        before, layer, position = self._order, self._layer, self._transforms._position
        relayered = layer.changed(n) or layer.stale or n != layer.sent
        layers = layer.current(n)  # not above: a view that is held makes its column look written to
        if relayered:
            self._layered = n > 0 and bool((layers != layers[0]).any())
        layer.handed_over(n, relayered)
        resort = relayered or self.y_sort != self._sorted_by_y
        if self.y_sort:
            if resort or position.stale or position.patches or position.changed(n):
                self._order = np.lexsort((-position.current(n)[:, 1], layers))
        elif resort:
            self._order = np.argsort(layers, kind="stable") if self._layered else None
        self._sorted_by_y = self.y_sort
        if before is None or self._order is None:
            return before is not self._order
        return len(before) != n or bool((before != self._order).any())

    def _check_images(self, n: int) -> None:
        column = self._image
        if column.changed(n) or column.stale or n != column.sent:
            self._check_indices(column.current(n))

    def _check_indices(self, image: NDArray[np.int32]) -> None:
        if len(image) and not 0 <= int(image.min()) <= int(image.max()) < len(self._sources):
            row = int(np.argmax((image < 0) | (image >= len(self._sources))))
            raise ValueError(f"image: row {row} asks for number {image[row]}, the batch has {len(self._sources)}")

    def _hand_over_info(self, n: int, order: Rows | None) -> None:
        parts = (self._visible, self._image, self._flip)
        changed = False
        for column in parts:
            changed = changed or column.stale or column.changed(min(n, column.sent))
        if changed or (order is not None and self._image.sent != n):
            info = self._info(slice(0, n))
            self._attached.info.write(0, info if order is None else info[order])
        elif self._image.sent != n:
            self._attached.info.patch(0, self._image.sent, self._info(slice(self._image.sent, n)))
        for column in parts:
            column.handed_over(n, changed)

    def _info(self, rows: slice) -> NDArray[np.uint32]:
        """The attribute `in_info` of some rows: image, visible and flip in one number."""
        flip = self._flip._current[rows]
        info = self._image._current[rows].astype(np.uint32)
        info += self._visible._current[rows] * np.uint32(_VISIBLE)
        info += flip[:, 0] * np.uint32(_FLIP_X)
        info += flip[:, 1] * np.uint32(_FLIP_Y)
        return info

    def _check_for_nan(self, n: int) -> None:
        if self._warned_nan or not n:
            return
        start = self._nan_at if self._nan_at < n else 0
        self._nan_at = start + _NAN_WINDOW
        window = self._transforms._position.current(n)[start : self._nan_at]
        if not np.isnan(window).any():
            return
        self._warned_nan = True
        bad = np.flatnonzero(np.isnan(window).any(axis=1))
        warnings.warn(
            f"position: row {start + int(bad[0])} is NaN, and {len(bad) - 1} more among rows {start} to "
            f"{min(self._nan_at, n) - 1}. Such sprites are not drawn; look for a division by zero or a "
            f"normalised zero vector in update(). (Said once per batch.)",
            RuntimeWarning,
            stacklevel=2,
        )


class _SpriteGpu:
    """Everything of a batch that lives on the GPU."""

    def __init__(self, graphics: Graphics, batch: SpriteBatch) -> None:
        ctx = self._ctx = graphics.ctx
        self._folders = graphics.folders
        self.program = shaders.program(
            ctx,
            "sprites.vert",
            batch.shader or "sprites.frag",
            folders=graphics.folders,
            defines=_defines(batch),
        )
        self._bind_names()
        self.atlas = Atlas(ctx, filter=batch._filter)
        transforms = batch._transforms
        self.blended = [ColumnBuffer(ctx, column) for column in transforms.blended]
        self.predicted = None if transforms.predicted is None else ColumnBuffer(ctx, transforms.predicted)
        self.color = ColumnBuffer(ctx, batch._color)
        self.info = ColumnBuffer(ctx, batch._image)  # 4 bytes a row, as its image column; composed on hand-over
        self.buffers = [*self.blended, self.color, self.info]
        if self.predicted is not None:
            self.buffers.append(self.predicted)
        self._arrays: dict[tuple[int, ...], moderngl.VertexArray] = {}

    def _bind_names(self) -> None:
        for name, unit in (("image", _IMAGE_UNIT), ("regions", _REGIONS_UNIT)):
            member = self.program.get(name, None)
            if isinstance(member, moderngl.Uniform):  # a shader of the game's own may do without
                member.value = unit
        frame = self.program.get("Frame", None)
        if isinstance(frame, moderngl.UniformBlock):
            frame.binding = FRAME_BINDING

    def add_images(self, sources: Sequence[ImageSource], anchor: tuple[float, float] | None) -> None:
        pixels = [images.premultiply(picture) for picture in images.load_many(sources, self._folders)]
        anchors = [source.anchor if isinstance(source, Region) and source.anchor else anchor for source in sources]
        self.atlas.add_many(pixels, anchors)

    def reserve(self, rows: int) -> None:
        """Make room for ``rows`` rows."""
        for buffer in self.buffers:
            if buffer.reserve(rows):
                self._drop_arrays()

    def draw(
        self,
        count: int,
        blend: tuple[int, int, int, int],
        uniforms: Mapping[str, Any],
        motion: tuple[float, float, float, float] | None,
    ) -> None:
        ctx = self._ctx
        ctx.enable_only(moderngl.BLEND)
        ctx.blend_func = blend  # type: ignore[assignment]  # the stubs know two factors only
        self.atlas.use(_IMAGE_UNIT, _REGIONS_UNIT)
        for name, value in uniforms.items():
            shaders.set_uniform(self.program, name, value)
        if motion is not None:
            self.program["motion"] = motion
        self._array().render(moderngl.TRIANGLE_STRIP, vertices=4, instances=count)

    def _array(self) -> moderngl.VertexArray:
        key = tuple([slot for buffer in self.blended for slot in (buffer.previous, buffer.current)])
        array = self._arrays.get(key)
        if array is None:
            array = self._arrays[key] = self._make_array()
        return array

    def _make_array(self) -> moderngl.VertexArray:
        content: list[tuple[Any, ...]] = []
        for buffer in self.blended:
            name, width = buffer.column.name, buffer.column.width
            content.append((buffer.buffer_of(buffer.previous), f"{width}f/i", f"in_previous_{name}"))
            content.append((buffer.buffer_of(buffer.current), f"{width}f/i", f"in_{name}"))
        content.append((self.color.buffer_of(0), "4f/i", "in_color"))
        content.append((self.info.buffer_of(0), "1u/i", "in_info"))
        content = [part for part in content if part[2] in self.program]
        if self.predicted is not None:
            content.append((self.predicted.buffer_of(0), *_STATE))
        return self._ctx.vertex_array(self.program, content)

    def _drop_arrays(self) -> None:
        for array in self._arrays.values():
            array.release()
        self._arrays.clear()

    def release(self) -> None:
        self._drop_arrays()
        for buffer in self.buffers:
            buffer.release()
        self.atlas.release()
        self.program.release()


def _defines(batch: SpriteBatch) -> dict[str, int]:
    """What shaders/sprites.vert and sprite.glsl are compiled with."""
    motion = batch._transforms.motion
    wanted = {"SMOOTH_EDGES": batch._smooth, "NEAREST": batch._filter == "nearest"}
    wanted |= {f"MOTION_{name.upper()}": motion == name for name in MOTIONS}
    return {name: 1 for name, on in wanted.items() if on}


class Sprite:
    """One row of a `SpriteBatch`, with properties. Made by ``batch.add(…)`` or ``batch[row]``, never directly.

    ``x``, ``y`` and ``angle`` are as quick as Python gets: they read and write the batch's memory itself.
    After `remove` it is no more: using it is a `ValueError`.
    """

    __slots__ = ("_at", "_batch", "_row")

    def __init__(self, batch: SpriteBatch, row: int) -> None:
        self._batch = batch
        self._row = row
        self._at = 2 * row  # of x in the batch's memory of positions

    def __repr__(self) -> str:
        if self._batch is _REMOVED:
            return "<Sprite, removed>"
        return f"<Sprite at ({self.x:g}, {self.y:g})>"

    @property
    def x(self) -> float:
        return self._batch._xy[self._at]  # type: ignore[no-any-return]

    @x.setter
    def x(self, value: float) -> None:
        self._batch._xy[self._at] = value

    @property
    def y(self) -> float:
        return self._batch._xy[self._at + 1]  # type: ignore[no-any-return]

    @y.setter
    def y(self, value: float) -> None:
        self._batch._xy[self._at + 1] = value

    @property
    def position(self) -> tuple[float, float]:
        at, xy = self._at, self._batch._xy
        return xy[at], xy[at + 1]

    @position.setter
    def position(self, value: tuple[float, float]) -> None:
        at, xy = self._at, self._batch._xy
        xy[at], xy[at + 1] = _pair("position", value)

    @property
    def angle(self) -> float:
        """Radians, counter-clockwise."""
        return self._batch._angles[self._row]  # type: ignore[no-any-return]

    @angle.setter
    def angle(self, value: float) -> None:
        self._batch._angles[self._row] = value

    @property
    def scale(self) -> tuple[float, float]:
        """Factors in x and y; one number sets both."""
        x, y = self._cell(self._batch._transforms._scale)
        return float(x), float(y)

    @scale.setter
    def scale(self, value: float | tuple[float, float]) -> None:
        self._write(self._batch._transforms._scale, value)

    @property
    def velocity(self) -> tuple[float, float]:
        """Units a simulated second, in a batch whose motion knows of it."""
        x, y = self._cell(self._batch._transforms.speed("velocity"))
        return float(x), float(y)

    @velocity.setter
    def velocity(self, value: tuple[float, float]) -> None:
        self._write(self._batch._transforms.speed("velocity"), value)

    @property
    def spin(self) -> float:
        """Radians a simulated second, in a batch whose motion knows of it."""
        return float(self._cell(self._batch._transforms.speed("spin")))

    @spin.setter
    def spin(self, value: float) -> None:
        self._write(self._batch._transforms.speed("spin"), value)

    @property
    def color(self) -> tuple[float, float, float, float]:
        """Red, green, blue and alpha in 0..1; three numbers leave alpha as it is."""
        red, green, blue, alpha = self._cell(self._batch._color).tolist()
        return red, green, blue, alpha

    @color.setter
    def color(self, value: Sequence[float]) -> None:
        self._write(self._batch._color, _rgba(value, self.alpha))

    @property
    def alpha(self) -> float:
        """Opacity, 0 to 1: the last number of ``color``."""
        return float(self._cell(self._batch._color)[3])

    @alpha.setter
    def alpha(self, value: float) -> None:
        self.color = (*self.color[:3], value)

    @property
    def visible(self) -> bool:
        return bool(self._cell(self._batch._visible))

    @visible.setter
    def visible(self, value: bool) -> None:
        self._write(self._batch._visible, bool(value))

    @property
    def layer(self) -> int:
        return int(self._cell(self._batch._layer))

    @layer.setter
    def layer(self, value: int) -> None:
        self._write(self._batch._layer, _layer(value))

    @property
    def flip(self) -> tuple[bool, bool]:
        """Mirrored in x, mirrored in y."""
        x, y = self._cell(self._batch._flip)
        return bool(x), bool(y)

    @flip.setter
    def flip(self, value: tuple[bool, bool]) -> None:
        self._write(self._batch._flip, value)

    @property
    def image(self) -> int:
        """The index of its image in the batch; a path or another image source sets it too."""
        return int(self._cell(self._batch._image))

    @image.setter
    def image(self, value: ImageSource | int) -> None:
        self._write(self._batch._image, self._batch._image_for(value))

    @property
    def width(self) -> float:
        """The image's width times the scale, in units."""
        return self._batch.image_size(self.image)[0] * abs(self.scale[0])

    @property
    def height(self) -> float:
        """The image's height times the scale, in units."""
        return self._batch.image_size(self.image)[1] * abs(self.scale[1])

    @property
    def batch(self) -> SpriteBatch:
        if self._batch is _REMOVED:
            raise ValueError(_REMOVED_TEXT)
        return self._batch

    @property
    def removed(self) -> bool:
        return self._batch is _REMOVED

    def drawn_position(self, alpha: float) -> tuple[float, float]:
        """Where it is drawn at ``alpha``: between the previous and the current position, as the batch's motion says."""
        transforms, row = self._batch._transforms, self._row
        if transforms.motion != "interpolate":
            x, y = transforms.pose(alpha, slice(row, row + 1))[0][0].tolist()
            return x, y
        transforms.settle()
        column = transforms._position
        previous = column.previous(row + 1)[row]
        x, y = (previous + (column._current[row] - previous) * np.float32(alpha)).tolist()
        return x, y

    def teleport(self, position: tuple[float, float] | None = None) -> None:
        """Be drawn where this tick leaves it, without a way there; ``position`` is set first when given."""
        if position is not None:
            self.position = position
        self._batch.teleport(self)

    def remove(self) -> None:
        """Leave the batch. A second time is a `ValueError`."""
        self._batch.remove(self)

    def _cell(self, column: Column) -> Any:
        return column._current[self._row]

    def _write(self, column: Column, value: Any) -> None:
        try:
            column._current[self._row] = value
        except (TypeError, ValueError):
            shape = "one number" if column.width == 1 else f"{column.width} numbers"
            raise ValueError(f"{column.name}: expected {shape}, got {value!r}") from None
        column.touch()


_REMOVED_TEXT = "sprite: it was removed from its batch; make a new one with batch.add(…)"


class _Removed:
    """Stands in for the batch of a removed sprite."""

    def __getattr__(self, name: str) -> Any:
        raise ValueError(_REMOVED_TEXT)


_REMOVED: Any = _Removed()
_NO_MEMORY: Any = memoryview(b"")


def _whole(name: str, value: int) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name}: expected a whole number, got {value!r}")
    if value.__index__() < 0:
        raise ValueError(f"{name}: expected at least 0, got {value!r}")
    return value.__index__()


def _check_room(name: str, rows: int) -> None:
    if rows > MAX_SPRITES:
        raise ValueError(f"{name}: {rows:,} sprites, a batch holds at most {MAX_SPRITES:,}; use several")


def _pair(name: str, value: Any) -> tuple[float, float]:
    try:
        x, y = value
        return float(x), float(y)
    except (TypeError, ValueError):
        raise ValueError(f"{name}: expected two numbers, got {value!r}") from None


def _layer(value: int) -> int:
    try:
        layer = operator.index(value)
    except TypeError:
        raise ValueError(f"layer: expected a whole number, got {value!r}") from None
    if not -(2**31) <= layer < 2**31:
        raise ValueError(f"layer: expected a number of 32 bits, got {value!r}")
    return layer


def _rgba(color: Sequence[float], alpha: float = 1.0) -> tuple[float, ...]:
    try:
        values = tuple([float(part) for part in color])
    except (TypeError, ValueError):
        values = ()
    if len(values) not in (3, 4):
        raise ValueError(f"color: expected 3 or 4 numbers in 0..1, got {color!r}")
    return values if len(values) == 4 else (*values, alpha)
