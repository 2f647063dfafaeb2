"""Upload the changed rows of a `SpriteBatch`, and draw all its rows in one call."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Mask, Pixels, Rows
from ..assets import images
from ..assets.images import ImageSource
from ..errors import AssetError, FrameworkError
from ..gpu import late_images, shaders
from ..gpu.atlas import Atlas, Atlases
from ..gpu.gl import moderngl
from ..gpu.graphics import BLEND_MODES, FRAME_BINDING, Graphics, in_context, programs_of
from ..gpu.handover import BufferView, Handover, PackedBuffer, Part
from ..gpu.late_images import LateImages
from ..motion.clip_columns import PlayedPoses2D
from ..state.backend import Backend, TableBackend, backend_of, drives
from ..state.columns import TableColumn
from ..state.interpolation import MOTIONS
from ..state.mapped_poses import MappedPoses2D
from ..state.row_pools import RowPool
from ..state.rows import MAX_ROWS, row_in
from .batch_images import anchor_of, key_of
from .clip_buffer import ClipBuffer
from .draw_order import Order
from .sprites import VERTEX, Sprite, SpriteBatch, SpriteParts

_IMAGE_UNIT = 0
_REGIONS_UNIT = 1

# Bits of the attribute `in_info` that shaders/sprites.vert reads.
_VISIBLE = 1 << 24
_FLIP_X = 1 << 25
_FLIP_Y = 1 << 26

# Batches with at most this number of rows are drawn together with the batches before and after
# them.
_MAX_JOINED_ROWS = 64

# The number of columns that shaders/sprites.vert reads.
_JOINED_COLUMNS = 8

# Each upload searches at most this number of rows for NaN. The search of a larger batch takes
# several frames.
_NAN_WINDOW = 2048

# Each upload searches at most this number of rows for scale factors that differ in x and y.
_UNEVEN_WINDOW = 1 << 14


class SpriteSizes(TableBackend[SpriteBatch]):
    """The backend of a `SpriteBatch` in a game without graphics. It reads the sizes of images, but
    not their pixels, and draws nothing.
    """

    __slots__ = ("_images", "_sizes", "folders")

    def __init__(self, frontend: SpriteBatch, parts: SpriteParts, graphics: Graphics) -> None:
        super().__init__(frontend, parts, graphics)
        self.folders = graphics.folders
        self._sizes: list[tuple[int, int]] = []
        self._images = parts.images
        self.add_images(parts.images.sources)
        parts.images.loader = self

    def add_images(self, sources: Sequence[ImageSource]) -> None:
        """Read the sizes of the images ``sources``, and append them to the list of sizes."""
        self._sizes += images.sizes(sources, self.folders, live=True)

    def add_letter(self, pixels: Pixels, anchor: tuple[float, float]) -> None:
        """Append the size of a glyph (the image of one letter) to the list of sizes."""
        self._sizes.append((pixels.shape[1], pixels.shape[0]))

    def forget_images(self) -> None:
        """Remove the sizes of all images."""
        self._sizes.clear()

    def size_of(self, index: int) -> tuple[float, float]:
        """Return the size of one image as (width, height), in pixels."""
        width, height = self._sizes[index]
        return float(width), float(height)

    def release(self) -> None:
        self._images.loader = None


@drives(SpriteBatch, unseen=SpriteSizes)
class SpriteDrawing(Backend[SpriteBatch]):
    """The backend that draws a `SpriteBatch` in a game with graphics. It owns the GPU buffers, but
    may share its texture atlas and its shader program with other batches.

    The backend reads the columns and the list of images of the batch, but never changes them.
    """

    __slots__ = (
        "_alone",
        "_atlas",
        "_atlases",
        "_clip_buffer",
        "_columns",
        "_ctx",
        "_factors",
        "_filter",
        "_graphics",
        "_images",
        "_live",
        "_look",
        "_moment",
        "_observed",
        "_order",
        "_own_programs",
        "_spanning",
        "_uneven",
        "_vertex",
        "_watch",
        "defines",
        "folders",
        "handover",
        "info",
        "program",
        "table",
    )

    def __init__(self, frontend: SpriteBatch, parts: SpriteParts, graphics: Graphics) -> None:
        super().__init__(frontend)
        table: MappedPoses2D = parts.table
        self.table = table
        self._columns = parts.columns
        self._images = parts.images
        self._look = parts.look
        self._vertex = parts.vertex
        self._alone = False  # whether other code reads the buffers of this batch
        self._graphics = graphics
        self._ctx = graphics.ctx
        self._moment = graphics.moment
        self.folders = graphics.folders
        self._factors = BLEND_MODES[parts.look.blend]
        self._observed = table.observer is not None
        self._order = Order(parts.columns.layer, parts.columns.position)
        self._watch = NanWatch(parts.columns.position)
        self._uneven = _Uneven(table.column("scale"))
        self.defines = self._new_defines()
        """The macros of the shader program, which shaders/sprites.vert and sprite.glsl describe."""
        self._own_programs: list[moderngl.Program] = []
        self._spanning: moderngl.Program | None = None
        self.program = self._new_program(False)
        self._atlases = Atlases.of(graphics)
        self._filter = "nearest" if graphics.pixel_art else parts.look.filter
        self._atlas: Atlas | None = None
        self._live: list[tuple[images.LiveImage, images.Copy]] = []
        self._clip_buffer: ClipBuffer | None = None
        own = list(parts.own_columns)
        if isinstance(table, PlayedPoses2D):
            self._clip_buffer = ClipBuffer(table, self._moment)
            own += [table.read_by_shader]
        self.handover = Handover.of(self._ctx, table, parts.columns.color, *own)
        if isinstance(table, PlayedPoses2D):
            self.handover.singles[len(own)].parts = table.read_parts
        columns = parts.columns
        self.info = PackedBuffer(
            self._ctx, (columns.image, columns.visible, columns.flip), self._packed
        )
        self.handover.buffers.append(self.info)
        try:
            self.add_images(parts.images.sources)
        except BaseException:
            self._free()
            raise
        parts.images.loader = self
        self.handover.reserve(table.capacity)  # marks all rows as missing on the GPU
        table.touch()  # the next frame uploads these rows, even before the first tick

    def _new_defines(self) -> dict[str, int]:
        conditions = {"SMOOTH_EDGES": self._look.smooth, "NEAREST": self._look.filter == "nearest"}
        conditions["CLIPS"] = isinstance(self.table, PlayedPoses2D)
        conditions |= {f"MOTION_{name.upper()}": self.table.motion == name for name in MOTIONS}
        conditions["HOOK"] = self._vertex != VERTEX
        return {name: 1 for name, on in conditions.items() if on}

    def _new_program(self, spans: bool) -> moderngl.Program:
        program, own = _program(
            self._graphics, self._vertex, self.frontend.shader, self.defines, spans
        )
        self._own_programs += [program] if own else []
        bind_names(program)
        return program

    def align_to_pixels(self) -> None:
        """From now on, draw sprites at whole pixels of the screen while neither the sprites nor the
        camera move. This has an effect only if one texel of an image is as large as one pixel of
        the screen. It is used for text, because letters between two pixels look blurred.
        """
        self.defines["ALIGNED"] = 1
        self.program = self._new_program(False)

    # -- ticks -------------------------------------------------------------------------------------

    def begin_tick(self, dt: float) -> None:
        self.table.begin_tick(dt)

    def end_tick(self) -> None:
        self.table.end_tick()

    def notice_writes(self) -> None:
        self.table.notice_writes()

    # -- images ------------------------------------------------------------------------------------

    @property
    def atlas(self) -> Atlas:
        """The texture atlas: one large texture with all images of the batch.

        When images are added, the framework may replace the atlas with a larger one.
        """
        assert self._atlas is not None
        return self._atlas

    def size_of(self, index: int) -> tuple[float, float]:
        """Return the size of one image as (width, height), in pixels."""
        sizes = self.atlas.sizes
        return float(sizes[index, 0]), float(sizes[index, 1])

    def add_images(self, sources: Sequence[ImageSource]) -> None:
        """Add images to the texture atlas of the batch.

        If one of them cannot be loaded, `add_images` raises `AssetError` and adds none.
        """
        with in_context(self._ctx):
            self._add_images(sources)

    def _add_images(self, sources: Sequence[ImageSource]) -> None:
        distinct = {key_of(source): source for source in sources}
        # The value is read only once, because a background thread may finish an image at any time.
        late = dict(zip(distinct, map(images.late, distinct.values()), strict=True))
        pictures = late_images.load_many(list(distinct.values()), list(late.values()), self.folders)
        loaded = dict(zip(distinct, pictures, strict=True))
        pixels = [loaded[key_of(source)] for source in sources]
        live = [
            (index, source)
            for index, source in enumerate(sources)
            if isinstance(source, images.LiveImage)
        ]
        first = 0 if self._atlas is None else len(self._atlas)
        atlas = self._extend_atlas(sources, pixels, alone=bool(live) or any(late.values()))
        if self._clip_buffer is not None:
            self._clip_buffer.forget()
        for index, source in live:
            copy = atlas.live(first + index)
            images.add_copy(source, copy)
            self._live.append((source, copy))
        for region, late_source in enumerate(sources, first):
            comes = late[key_of(late_source)]
            if comes is not None:
                atlas.late_images = atlas.late_images or LateImages()
                atlas.late_images.add(atlas, region, late_source, comes)

    def _extend_atlas(
        self, sources: Sequence[ImageSource], pixels: Sequence[Pixels], *, alone: bool
    ) -> Atlas:
        """Add images to the atlas of the batch, and return the atlas. If ``alone`` is True, no other
        batch may use a new atlas.
        """
        anchors = [anchor_of(source, self._images.anchor) for source in sources]
        try:
            if self._atlas is None:
                self._atlas = self._atlases.holding(self._filter, pixels, anchors, alone)
            elif pixels:
                self._atlas = self._atlases.extended(self._atlas, pixels, anchors)
        except AssetError as error:  # add the file name to the error of the atlas
            largest = max(range(len(pixels)), key=lambda index: pixels[index].size)
            raise AssetError(f"{images.described(sources[largest])}: {error}") from error
        return self._atlas

    def add_letter(self, pixels: Pixels, anchor: tuple[float, float]) -> None:
        """Add a glyph (the image of one letter) to the texture atlas. All new glyphs are uploaded
        together in the next frame.
        """
        with in_context(self._ctx):
            self._atlas = self._atlases.owned(self.atlas)
            self._atlas.add_letter(pixels, anchor)

    def forget_images(self) -> None:
        """Remove all images, and release the texture atlas."""
        with in_context(self._ctx):
            if self._atlas is not None:
                self._atlases.give_back(self._atlas)
            if self._clip_buffer is not None:
                self._clip_buffer.forget()
            self._atlas = self._atlases.holding(self._filter, [], [])

    def renew(self, files: Set[str]) -> bool:
        own = [self._vertex] if self._vertex != VERTEX else []
        own += [] if self.frontend.shader is None else [self.frontend.shader]
        compiled = any(
            not files.isdisjoint(shaders.files_of(source, self.folders, self.defines))
            for source in own
        )
        if compiled:
            self._compile_again()
        sources = images.images_among(self._images.sources, files, self.folders)
        if sources:
            self._reload_images(sources)
            self._images.reloaded_from(min(sources))
        return compiled or bool(sources)

    def _reload_images(self, sources: Mapping[int, ImageSource]) -> None:
        pixels = images.load_many(list(sources.values()), self.folders, live=True)
        pictures = map(images.premultiply, pixels)
        anchors = {i: anchor_of(source, self._images.anchor) for i, source in sources.items()}
        self._atlas = self._atlases.replaced(
            self.atlas, dict(zip(sources, pictures, strict=True)), anchors
        )
        if self.atlas.late_images is not None:
            self.atlas.late_images.cancel(sources)
        if self._clip_buffer is not None:
            self._clip_buffer.forget()

    def _compile_again(self) -> None:
        """If the shader files of the batch have changed, compile the shaders again.

        If a shader has an error, the batch keeps its old shader programs.
        """
        before = self._own_programs
        self._own_programs = []
        try:
            program = self._new_program(False)
            spanning = None if self._spanning is None else self._new_program(True)
            shaders.set_uniforms(program, self.frontend.uniforms)
        except BaseException:
            before, self._own_programs = self._own_programs, before
            raise
        else:
            self.program = program
            self._spanning = spanning
            self.handover.release_arrays()
        finally:
            for old in before:
                old.release()

    # -- frames ------------------------------------------------------------------------------------

    @property
    def uploaded_bytes(self) -> int:
        """The total number of bytes uploaded to the GPU so far."""
        return self.handover.uploaded

    @property
    def gpu_bytes(self) -> int:
        """The size of the columns in GPU memory, in bytes. The texture atlas is not included."""
        return self.handover.memory

    @property
    def changes_below(self) -> bool:
        return self._look.blend == "multiply"

    @property
    def pixels_per_unit(self) -> float:
        """The size of one unit in the current frame, in pixels of the framebuffer."""
        camera = self._moment.camera
        if camera is None:
            return 1.0
        (_, _, *pixels) = self._ctx.viewport
        units = camera.view.size
        zoom: float = camera.zoom
        return float(zoom * min(pixels[0] / units[0], pixels[1] / units[1]))

    def hand_over(self) -> None:
        """Upload all rows that the game has changed since the last upload.

        Games usually change rows only in ticks. If no tick has run since the last frame, there is
        usually nothing to upload.
        """
        table = self.table
        order = self._order
        if table.lease is not None:
            # Other code reads the buffers of this batch, so the batch needs its own buffers.
            table.lease.leave()
            self._alone = True
        if not table.news():
            return
        if order.rows is None and not (order.by_y or self.frontend.y_sort or self._observed):
            moved = table.moved()
            # A faster path for unchanged batches. Without this path, hundreds of small batches
            # would be slow.
            if moved is not None:
                n = table.count
                tick = table.tick
                if moved or not tick.rested:
                    self.handover.hand_over_moved(n, not tick.handed_over, moved)
                    self._watch.look(n)
                    self._uneven.look(n, moved)
                tick.handed_over = True
                tick.rested = not moved and n <= _NAN_WINDOW
                return
        self._hand_over_all()

    def _hand_over_all(self) -> None:
        table = self.table
        order = self._order
        image = self._columns.image
        layer = self._columns.layer
        n = table.count
        tick = table.tick
        by_y = self.frontend.y_sort
        layered = layer.news(n) or bool(layer.uploads.patches)
        pictured = image.news(n)
        scaled = self._uneven.has_changed(n)
        sent = image.uploads.sent
        table.release_unused_memory()
        if pictured or image.uploads.stale or sent > n:
            self._images.check_numbers(image.data[:n])
        elif sent < n:
            self._images.check_numbers(image.data[sent:n], sent)
        self.handover.reserve(table.capacity)
        if layered or layer.uploads.unsent or layer.uploads.sent != n or by_y != order.by_y or by_y:
            order.sort(n, by_y, layered, self.handover.buffers)
        self.info.upload_packed(n, order.rows)
        self.handover.hand_over(n, not tick.handed_over, order.rows)
        self._watch.look(n)
        self._uneven.look(n, None if scaled else ())
        if not scaled and sent < n:
            self._uneven.look_at(sent, n)
        tick.handed_over = True
        tick.rested = False

    def _packed(self, rows: Rows | slice) -> NDArray[np.uint32]:
        """Pack the values of ``rows`` into integers for the vertex attribute ``in_info``. Each
        uint32 contains the image index, the visibility and the flip of one row.
        """
        columns = self._columns
        return packed_info(
            columns.image.data[rows], columns.visible.data[rows], columns.flip.data[rows]
        )

    def draw(self) -> None:
        self.hand_over()
        if not self.table.count:
            return
        self._run(self.prepare(self._uneven.least), moderngl.TRIANGLE_STRIP, 4)

    def prepare(self, min_scale: float) -> moderngl.Program:
        """Set the OpenGL state for the sprites of this batch, and return the shader program.
        ``min_scale`` is the smallest scale among the sprites whose x scale and y scale differ. If
        such a sprite is drawn smaller than its image, `prepare` uses another shader program.
        """
        ctx = self._ctx
        atlas = self._atlas
        program = self.program
        uniforms = self.frontend.uniforms
        assert atlas is not None
        if (
            min_scale < math.inf
            and self._filter == "linear"
            and min_scale * self.pixels_per_unit < 1
        ):
            if self._spanning is None:
                self._spanning = self._new_program(True)
            program = self._spanning
        ctx.enable_only(moderngl.BLEND)
        ctx.blend_func = self._factors  # type: ignore[assignment]  # the stubs know two factors only
        self._bind(program, atlas)
        if uniforms or program.extra:
            shaders.set_uniforms(program, uniforms)
        return program

    # -- runs of neighboring batches ---------------------------------------------------------------

    @property
    def run_key(self) -> object:
        """A key for batches that can be drawn together. The GPU can draw two neighboring batches in
        one call if their keys are equal. The key is None if the batch must be drawn alone.
        """
        frontend = self.frontend
        table = self.table
        position, angle, *more_columns = table.interpolated
        if (
            self._alone
            or type(self) is not SpriteDrawing
            or type(table) is not MappedPoses2D
            or not 0 < table.capacity <= _MAX_JOINED_ROWS
            or len(more_columns) != 1
            or len(table.drawn) != _JOINED_COLUMNS
            or self._observed
            or table.timed
            or self._vertex != VERTEX
            or self._own_programs
            or self._live
            or self._graphics.pixel_art
            or frontend.y_sort
            or frontend.uniforms
            or position.displacement is not None
            or angle.displacement is not None
            or (table.lease is None and any(column.is_received for column in table.drawn))
        ):
            return None
        return self.program, self._atlas, self._factors

    def join(self, pool: RowPool) -> bool:
        """Move the rows of the batch to the memory that ``pool`` shares between batches. Return
        whether the pool now contains the rows.
        """
        table = self.table
        return table.lease is not None or pool.join(table)

    def draw_alone(self) -> None:
        """Move the rows from the pool back to the batch's own buffers, and draw the batch."""
        if self.table.lease is not None:
            self.table.lease.leave()
        self.draw()

    def check_images(self) -> None:
        """Raise `ValueError` if the column ``image`` contains an index without an image."""
        table = self.table
        self._images.check_numbers(self._columns.image.data[: table.count])

    def warn_of_nan(self) -> None:
        """Warn once if the position of a sprite is NaN."""
        self._watch.look(self.table.count)

    # -- parts of the rows -------------------------------------------------------------------------

    def draw_some(self, first: int, end: int) -> None:
        """Draw the rows from ``first`` to ``end`` (excluded), in drawing order.

        Only called in games with pixel art.
        """
        with self._only(first, end):
            self.draw()

    @contextmanager
    def _only(self, first: int, end: int) -> Iterator[None]:
        self.program["part"] = first, end
        try:
            yield
        finally:
            self.program["part"] = 0, 0

    def place_of(self, sprite: Sprite) -> int:
        """Return the number of sprites that are drawn before ``sprite``."""
        self.hand_over()
        return self._order.place_of(row_in(sprite, self.frontend))

    def render(
        self, program: moderngl.Program, mode: int, vertices: int, atlas: Atlas | None = None
    ) -> None:
        """Draw all rows with your own shader program. Each row is one instance.

        The program must have the same input attributes as shaders/sprites.vert. The program reads
        the images from ``atlas``, by default the atlas of the batch. Raises `FrameworkError` if
        ``program`` belongs to another game.
        """
        if self.table.count:
            self.hand_over()
            if atlas is not None:
                self._bind(program, atlas)
            self._run(program, mode, vertices)

    def _bind(self, program: moderngl.Program, atlas: Atlas) -> None:
        """Bind the textures of an atlas for a shader program that includes shaders/sprites.vert."""
        if atlas.changed:
            atlas.flush()
        atlas.texture.use(_IMAGE_UNIT)
        clip_buffer = self._clip_buffer
        if clip_buffer is None:
            atlas.table.use(_REGIONS_UNIT)
            return
        if atlas is not clip_buffer.atlas or program is not clip_buffer.program:
            clip_buffer.use(program, atlas)
        assert clip_buffer.regions is not None
        clip_buffer.regions.use(_REGIONS_UNIT)
        if self._moment.clock is not clip_buffer.clock or clip_buffer.ahead.extra:
            clip_buffer.write_difference()

    def _run(self, program: moderngl.Program, mode: int, vertices: int) -> None:
        if program.ctx is not self._ctx:
            raise FrameworkError("sprites: the batch is in another game than the program")
        table = self.table
        if table.timed:
            program["motion"] = table.motion_uniform
        array = self.handover.array(program, self._array_parts)
        array.render(mode, vertices=vertices, instances=table.count)

    def _array_parts(self) -> list[Part]:
        """Return the vertex attribute ``in_info``, which is not a column of the batch."""
        return [(self.info.buffer_of(0), "1u/i", "in_info")]

    def moment(self, alpha: float) -> object:
        """Return a key for caches of drawn sprites. While the key stays the same, the sprites look
        the same.
        """
        if self.table.timed:
            return object()
        blended = [buffer.moment(alpha) for buffer in self.handover.blended]
        return self.table.count, self.info.uploaded, blended

    @property
    def buffers(self) -> dict[str, BufferView]:
        """The GPU buffers of the columns. Reading the property first uploads all changes.

        See `SpriteBatch.buffers`.
        """
        self.hand_over()
        return self.handover.views()

    def shows(self, picture: object) -> bool:
        return any(live is picture for live, _ in self._live)

    def release(self) -> None:
        self._images.loader = None
        if self.table.lease is not None:
            self.table.lease.leave()
        self._free()

    def _free(self) -> None:
        for source, copy in self._live:
            images.remove_copy(source, copy)
        self.handover.release()
        if self._clip_buffer is not None:
            self._clip_buffer.release()
        if self._atlas is not None:
            self._atlases.give_back(self._atlas)
        for program in self._own_programs:
            program.release()


def drawing_of(batch: SpriteBatch) -> SpriteDrawing | None:
    """Return the backend of ``batch``. Return None if the batch is not in a game with graphics."""
    return backend_of(batch, SpriteDrawing)


def packed_info(image: NDArray[np.int32], visible: Mask, flip: Mask) -> NDArray[np.uint32]:
    """Pack the image index, visibility and flip of each row into one uint32, for the vertex
    attribute ``in_info``.
    """
    info = image.astype(np.uint32)
    info += visible * np.uint32(_VISIBLE)
    info += flip[:, 0] * np.uint32(_FLIP_X)
    info += flip[:, 1] * np.uint32(_FLIP_Y)
    return info


class NanWatch:
    """Searches a batch for sprites whose position is NaN, and warns once per batch. Each frame
    searches only some of the rows, so that large batches cost little time.
    """

    def __init__(self, position: TableColumn) -> None:
        self._position = position
        self._at = 0
        self._said = False

    def look(self, n: int) -> None:
        """Search some of the first ``n`` rows for NaN. The next call continues after these rows."""
        if self._said or not n:
            return
        start = self._at if self._at < n else 0
        self._at = start + _NAN_WINDOW
        window = self._position.data[start : min(self._at, n)]
        # the sum of squares is NaN if any number is NaN
        if not math.isnan(np.vdot(window, window)):
            return
        self._said = True
        bad = np.flatnonzero(np.isnan(window).any(axis=1))
        warnings.warn(
            f"position: row {start + int(bad[0])} is NaN, and {len(bad) - 1} more "
            f"among rows {start} to "
            f"{min(self._at, n) - 1}. Such sprites are not drawn; look for a division by zero or a "
            f"normalized zero vector in update(). (Warned once per batch.)",
            RuntimeWarning,
            stacklevel=2,
        )


class _Uneven:
    """Searches a batch for sprites whose scales in x and y differ, and for the smallest of these
    scales. Each frame searches only some of the rows.
    """

    def __init__(self, scale: TableColumn) -> None:
        self._scale = scale
        self._left = 0  # the number of rows that were not searched since the scales changed
        self.least = math.inf
        """The smallest scale of sprites whose scales in x and y differ. In large batches, the value
        may be from an earlier tick.
        """

    def has_changed(self, n: int) -> bool:
        """Return whether the game may have changed the scale of a row since the last upload. New
        rows that have not been uploaded yet do not count as changed. Call `has_changed` before the
        next upload.
        """
        scale = self._scale
        uploads = scale.uploads
        sent = uploads.sent
        return (
            scale.touched
            or not scale.settled
            or scale.is_viewed()
            or uploads.stale
            or sent > n
            or any(_first_of(rows) < sent for rows in uploads.patches)
        )

    def look(self, n: int, moved: Sequence[TableColumn] | None = None) -> None:
        """Search some of the first ``n`` rows for sprites whose scales in x and y differ.

        Calling `look` again searches the next rows.

        ``moved`` contains the columns that the game has changed since the last call. If ``moved``
        is None, all columns may have changed.
        """
        if moved is None or self._scale in moved:
            self._left = n
            if n <= _UNEVEN_WINDOW:
                self.least = math.inf
        if not self._left:
            return
        stop = min(self._left, n)
        self._left = max(0, stop - _UNEVEN_WINDOW)
        self.look_at(self._left, stop)

    def look_at(self, start: int, stop: int) -> None:
        """Search the rows from ``start`` to ``stop`` for sprites whose scales in x and y differ."""
        factors: Floats = self._scale.data[start:stop]
        uneven: Mask = factors[:, 0] != factors[:, 1]
        if uneven.any():
            sides: Floats = np.abs(factors[uneven])
            self.least = min(self.least, float(sides.min(initial=math.inf, where=sides > 0)))


def _first_of(rows: Rows | slice) -> int:
    """Return the smallest row index in ``rows``."""
    return int(rows.start if isinstance(rows, slice) else rows.min(initial=MAX_ROWS))


def _program(
    graphics: Graphics, vertex: str, shader: str | None, defines: dict[str, int], spans: bool
) -> tuple[moderngl.Program, bool]:
    """Return the shader program of a batch, and whether only this batch uses it.

    Batches without custom shaders share one program, because switching programs takes time on the
    GPU. If ``spans`` is True, the shader can shrink images by different factors in x and y.
    """
    defines = defines_in(graphics, defines | ({"SPANS": 1} if spans else {}))
    if shader is None and vertex == VERTEX:
        return programs_of(graphics).get(VERTEX, "sprites.frag", defines), False
    folders = graphics.folders
    fragment = shader or "sprites.frag"
    return shaders.program(graphics.ctx, vertex, fragment, folders=folders, defines=defines), True


def defines_in(graphics: Graphics, defines: dict[str, int]) -> dict[str, int]:
    """Return the macros that the game uses to compile shaders/sprites.vert.

    In games with pixel art, the macros make the shader draw sprites in whole texels.
    """
    if graphics.pixel_art:
        return {name: 1 for name in (*defines, "NEAREST", "TEXELS") if name != "SMOOTH_EDGES"}
    return defines


def bind_names(program: moderngl.Program) -> None:
    """Bind the textures and the uniform block ``Frame`` of a shader program that includes
    shaders/sprites.vert.
    """
    shaders.set_known(program, "image", _IMAGE_UNIT)
    shaders.set_known(program, "regions", _REGIONS_UNIT)
    frame = program.get("Frame", None)
    if isinstance(frame, moderngl.UniformBlock):
        frame.binding = FRAME_BINDING
