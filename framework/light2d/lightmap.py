"""Draw the lights and shadows of `Lights2D` into a texture, the light map.

In this module, a lamp is a `Light2D`.

The first draw call interpolates all lamps between two ticks, and writes their values to a texture,
which all later draw calls read. The second draw call draws the shadows of walls that do not move.
For each batch of sprites that cast shadows, one more draw call reads the GPU buffers of the batch.
The last draw call draws the light of all lamps.

A draw call is skipped if its result would be the same as in the last frame. Lamps are uploaded
again only if a lamp moves, changes or flickers. Shadows are drawn again only if lamps or walls
move. Light is drawn again only if lamps, shadows or the camera have changed.

A lamp without walls within its radius has no shadows, and is drawn with a separate shader.
Neighboring lamps with the same shader are drawn in one call.

**The shadow texture.** A lamp with hard shadows has one row, which contains distances. If several
walls are in the same direction, only the smallest distance is kept, with the blend equation MIN. A
lamp with soft shadows has several rows, which contain one list of walls for each direction from the
lamp. A list contains the walls that may hide the lamp from points in its direction, with one bit
for each group of walls. The alpha of each texel contains `GROUP_BITS` bits. To set a bit, the GPU
adds the value of the bit (additive blending). These sums of bits are exact, because each group is
drawn into a texel only once. To light a point, the shader reads the list for the point's direction,
and tests only the walls in this list. The last rows of the texture contain the ends of all walls.
These are also written by the draw calls for shadows.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles, Floats, Mask, Rows
from ..gpu import shaders
from ..gpu.gl import moderngl
from ..gpu.graphics import FRAME_BINDING, Graphics, programs_of
from ..gpu.handover import Handover, Part
from ..plane.sprite_drawing import drawing_of
from ..state.backend import Backend, drives
from ..state.columns import Table
from .light2d_math import BINS, FLICKER_PERIOD
from .light2d_walls import SpriteWalls, StandingWalls, WallGrid, WallSet
from .lights2d import LightParts, Lights2D
from .normalmaps import NormalMap

_LAMPS_UNIT = 0
_SHADOWS_UNIT = 1
_WALLS_UNIT = 2
_LIGHT_UNIT = 3
_NORMALS_UNIT = 4
_WALLS_IN_ROW = 1024
_VERTICES = 12  # the number of vertices per wall: two stripes with two triangles each
_FAR = 1e9

GROUP_BITS = 24
"""The number of groups of walls in one texel of a list. Each group has one bit. A float32 can store
integers of 24 bits exactly.
"""

# The maximum number of texels per list for static walls. If there are more walls, a group contains
# more walls.
_MAX_BLOCKS = 8
# The maximum number of texels in the shadow texture: 64 MiB. If more texels are necessary, each
# lamp has fewer directions.
_MAX_TEXELS = 1 << 22
# The maximum number of draw calls for runs of neighboring lamps. If there are more runs, one call
# draws all lamps.
_MAX_RUNS = 64
# The search for walls near lamps has limits: the number of lamps, the number of sprite boxes, and
# the number of pairs of a lamp and a box. Beyond these limits, only the GPU has the previous
# positions of the rows.
_MAX_SEARCHED_ROWS = 4096
_MAX_SEARCHED_PAIRS = 1 << 15
_LIST_UNIFORMS = (
    *("directions", "blocks", "lamp_rows", "wall_row"),
    *("standing", "standing_groups", "group_size", "first_box_wall"),
)
_DIRECTIONS = 256, 128, 64, 32, 16, 8

# The kinds of lamps, and the macros of each kind for lamp_light.frag. Lamps without walls in their
# radius have a separate shader program, because a software driver runs both branches of a
# condition.
_ANY_LAMP = 0
_HARD_LAMP = 1
_PLAIN_LAMP = 2
_ROUND_LAMP = 3
_KINDS: tuple[dict[str, int], ...] = {}, {"HARD": 1}, {"PLAIN": 1}, {"PLAIN": 1, "ROUND": 1}

_TRAITS = np.dtype([("traits", "f4", 4), ("height", "f4"), ("seed", "u4"), ("flags", "u4")])
_TRAIT_COLUMNS = (
    "cone",
    "softness",
    "flicker",
    "flicker_rate",
    "height",
    "seed",
    "visible",
    "shadows",
)

# OpenGL's blend factors for 2 × color × (color on the screen). The alpha on the screen does not
# change.
_TWICE = (0x0306, 0x0300, 0, 1)


class _Lists(NamedTuple):
    """The layout of the lists of walls in the shadow texture. Only lamps with soft shadows have
    such lists.
    """

    directions: int
    """The number of directions per lamp. For each direction, the shader reads a list of walls."""
    blocks: int
    """The number of texels in a list of walls."""
    lamp_rows: int
    """The number of texture rows per lamp."""
    wall_row: int
    """The first texture row that contains walls."""
    rows: int
    """The number of rows in the texture."""
    standing: int
    """The number of walls that do not move."""
    group_size: int
    """The number of walls in one group, for walls that do not move. Each group has one bit in a
    list.
    """
    deep: bool
    """Whether any wall has a depth above 0."""

    @property
    def standing_groups(self) -> int:
        """The number of groups of walls that do not move.

        In each list, these groups come before the groups of sprite boxes.
        """
        return -(-self.standing // self.group_size)

    @property
    def first_box_wall(self) -> int:
        """The index of the first wall that is a side of a sprite box.

        The index is rounded up to a multiple of four. A wall uses two texels, so each box begins at
        a multiple of eight texels.
        """
        return -(-self.standing // 4) * 4


def _lists_for(room: int, standing: int, boxes: int, deep: bool) -> _Lists:
    """Return the layout of the lists for ``room`` lamps, with as many directions as fit into the
    texture.
    """
    group_size = max(1, math.ceil(standing / (_MAX_BLOCKS * GROUP_BITS)))
    # Round up to a power of two, so that a new sprite rarely needs a new texture.
    box_room = 1 << max(boxes - 1, 0).bit_length() if boxes else 0
    blocks = max(1, math.ceil((math.ceil(standing / group_size) + box_room) / GROUP_BITS))
    wall_rows = math.ceil(2 * (standing + 4 * box_room + 4) / BINS)
    for directions in _DIRECTIONS:
        lamp_rows = math.ceil(blocks * directions / BINS)
        rows = room * lamp_rows + wall_rows
        if rows * BINS <= _MAX_TEXELS:
            break
    return _Lists(directions, blocks, lamp_rows, room * lamp_rows, rows, standing, group_size, deep)


class LightTicks(Backend[Lights2D]):
    """The backend of `Lights2D` in a game without graphics."""

    def __init__(self, frontend: Lights2D, parts: LightParts, graphics: Graphics) -> None:
        super().__init__(frontend)
        self._table = parts.table
        self._state = parts.state

    def begin_tick(self, dt: float) -> None:
        self._table.begin_tick(dt)
        self._state.begin_tick(dt)

    def end_tick(self) -> None:
        self._table.end_tick()

    def notice_writes(self) -> None:
        self._table.notice_writes()
        self._state.notice_writes()


@drives(Lights2D, unseen=LightTicks)
class LightMap(LightTicks):
    """The backend of `Lights2D` in a game with graphics. This backend draws lamps, shadows and
    light on the GPU.
    """

    def __init__(self, frontend: Lights2D, parts: LightParts, graphics: Graphics) -> None:
        super().__init__(frontend, parts, graphics)
        table = parts.table
        ctx = self._ctx = graphics.ctx
        self._graphics = graphics
        self._handover = Handover(ctx, table.interpolated, ())
        self._traits: moderngl.Buffer | None = None
        self._room = 0  # the number of lamps that fit into the textures
        self._lamps: moderngl.Framebuffer | None = None
        self._shadows: moderngl.Framebuffer | None = None
        self._light: moderngl.Framebuffer | None = None
        self._walls: moderngl.Texture | None = None
        self._walls_sent: StandingWalls | None = None
        self._wall_arrays: dict[moderngl.Program, moderngl.VertexArray] = {}
        self._light_arrays: dict[moderngl.Program, moderngl.VertexArray] = {}
        self._normals: moderngl.Framebuffer | None = None
        self._over_array = ctx.vertex_array(self._program("scaled.vert", "lightmap.frag"), [])
        self._written = 0
        self._traits_written = 0  # the number of uploads of `_traits`
        self._flickers = False
        self._soft = False  # True if a lamp with softness casts shadows
        self._lists: _Lists | None = None  # the layout of the last drawn shadows
        # The lamps that may have walls in their radius; None if unknown.
        self._near: Mask | None = None
        # The walls and lamps for which `_near` was computed.
        self._near_for: tuple[object, object] = None, None
        self._grid: tuple[object, WallGrid] | None = None
        self._news = 0  # how many times lamps or shadows were drawn
        self._lamps_drawn: object = None  # the time for which the lamps were drawn
        self._shadows_drawn: tuple[object, object] = None, None
        self._light_drawn: object = None
        self.calls = 0
        """The number of draw calls in the last frame.

        There is one call for all lamps, one call for the shadows of walls that do not move, one
        call per sprite batch that casts shadows, one call per batch with normal maps, one call for
        the light, and one call that multiplies the screen by the light. Parts that have not changed
        since the last frame need no call. Neighboring lamps without walls in their radius, or
        without softness, need additional calls.
        """
        table.touch()

    @property
    def changes_below(self) -> bool:
        return True

    @property
    def alpha(self) -> float:
        """The alpha of the current frame, from 0 to 1. At 0, the frame shows the previous tick, and
        at 1 the current tick.
        """
        return self._graphics.moment.alpha

    @property
    def uploaded_bytes(self) -> int:
        """The total number of bytes of lamp and wall data that the backend has uploaded to the GPU."""
        return self._handover.uploaded + self._written

    def _program(
        self, vertex: str, fragment: str, defines: dict[str, int] | None = None
    ) -> moderngl.Program:
        program = programs_of(self._graphics).get(vertex, fragment, defines)
        units = {
            "lamps": _LAMPS_UNIT,
            "shadows": _SHADOWS_UNIT,
            "walls": _WALLS_UNIT,
            "light": _LIGHT_UNIT,
        }
        units["normals"] = _NORMALS_UNIT
        for name, unit in units.items():
            shaders.set_known(program, name, unit)
        frame = program.get("Frame", None)
        if isinstance(frame, moderngl.UniformBlock):
            frame.binding = FRAME_BINDING
        return program

    def load_normals(self, normals: NormalMap) -> None:
        """Load the normal map of a batch, if the batch is already in the game. Otherwise, the
        normal map is loaded when the batch is drawn for the first time.

        Raises `AssetError` if an image and its normal map do not have the same size.
        """
        if drawing_of(normals.batch) is not None:
            with self._graphics.working():
                normals.attach(self._graphics)

    # -- frames ------------------------------------------------------------------------------------

    def draw(self) -> None:
        """Multiply everything that the scene has already drawn by the light."""
        state = self._state
        alpha = self.alpha
        resolution = self.frontend.resolution
        normals = state.normals
        ambient = state.ambient_at(alpha)
        clock = state.time_at(alpha) % FLICKER_PERIOD
        ctx = self._ctx
        n = self._table.count
        self._hand_over(n)
        target = ctx.fbo
        viewport = ctx.viewport
        self.calls = 0
        try:
            if n:
                self._make_room(n)
                self._draw_lamps(n, clock)
                self._update_shadows(state.walls, n)
            width, height = (max(1, math.ceil(side * resolution)) for side in viewport[2:])
            used = width, height
            if normals:
                self._draw_normals(normals, used)
            camera = self._graphics.moment.camera
            view = (
                self._news,
                n,
                used,
                ambient,
                viewport[2:],
                camera.pose(self.alpha),
                camera.view.size,
            )
            if normals or view != self._light_drawn:
                self._light_drawn = None if normals else view
                self._draw_light(n, bool(normals), used, ambient)
        finally:
            ctx.blend_equation = moderngl.FUNC_ADD  # type: ignore[assignment]  # a number, whatever the stubs say
            target.use()
        self._multiply_screen(used)

    def _multiply_screen(self, used: tuple[int, int]) -> None:
        """Multiply the screen by the light map. ``used`` is the size of the used part of the light
        map, in pixels.
        """
        ctx = self._ctx
        ctx.enable_only(moderngl.BLEND)
        ctx.blend_func = _TWICE  # type: ignore[assignment]  # the stubs know two factors only
        assert self._light is not None
        self._texture_of(self._light).use(_LIGHT_UNIT)
        self._over_array.program["used"] = float(used[0]), float(used[1])
        self._render(self._over_array, moderngl.TRIANGLE_STRIP, 4, 1)

    def _render(
        self, array: moderngl.VertexArray, mode: int, vertices: int, instances: int
    ) -> None:
        array.render(mode, vertices=vertices, instances=instances)
        self.calls += 1

    def _hand_over(self, n: int) -> None:
        table = self._table
        tick = self._table.tick
        if not table.capacity or not table.news():
            return
        self._state.walls.tiles_checked = False  # a loaded save may have changed tiles too
        self._handover.reserve(table.capacity)
        columns = [table.column(name) for name in _TRAIT_COLUMNS]
        changes = [column.news(n) or bool(column.uploads.patches) for column in columns]
        if any(changes) or any(column.uploads.sent != n for column in columns):
            self._write_traits(n)
        for column, changed in zip(columns, changes, strict=True):
            column.handed_over(n, changed)
        self._handover.hand_over(n, not tick.handed_over)
        tick.handed_over = True
        tick.rested = False

    def _write_traits(self, n: int) -> None:
        rows = self._trait_rows(n)
        self._soft = bool((self._casts_shadows(n) & (rows["traits"][:, 1] > 0)).any())
        self._flickers = bool(rows["traits"][:, 2].any())
        self._traits_written += 1
        room = self._table.capacity * _TRAITS.itemsize
        if self._traits is None or self._traits.size < room:
            if self._traits is not None:
                self._handover.release_arrays()
                self._traits.release()
            self._traits = self._ctx.buffer(reserve=room, dynamic=True)
        if n:
            self._traits.orphan()
            self._traits.write(rows)
            self._written += rows.nbytes

    def _trait_rows(self, n: int) -> NDArray[Any]:
        """Return the columns without interpolation, as the shader reads them."""
        columns = {name: self._table.column(name).current(n) for name in _TRAIT_COLUMNS}
        rows = np.zeros(n, _TRAITS)
        for index, name in enumerate(_TRAIT_COLUMNS[:4]):
            rows["traits"][:, index] = columns[name]
        rows["height"] = columns["height"]
        rows["seed"] = columns["seed"].view(np.uint32)
        rows["flags"] = columns["visible"] + 2 * columns["shadows"]
        return rows

    def _casts_shadows(self, n: int) -> Mask:
        casts: Mask = self._table.column("visible").current(n) & self._table.column(
            "shadows"
        ).current(n)
        return casts

    def _parts(self) -> list[Part]:
        return [(self._traits, "4f 1f 1u 1u/i", "in_traits", "in_height", "in_seed", "in_flags")]

    def _make_room(self, n: int) -> None:
        if self._room < n:
            self._release_rows()
            self._room = room = max(64, 1 << (n - 1).bit_length())
            self._lamps = self._ctx.framebuffer([self._new_texture((room, 3), 4, "f4")])
            self._lamps_drawn = None

    def _moment(self, n: int, *names: str) -> tuple[object, ...]:
        """Return a cache key for the columns ``names``. While the key is unchanged, so are the
        columns ``names`` and all columns without interpolation.
        """
        buffers = [buffer for buffer in self._handover.blended if buffer.column.name in names]
        return n, self._traits_written, *[buffer.moment(self.alpha) for buffer in buffers]

    def _draw_lamps(self, n: int, clock: float) -> None:
        """Interpolate the values of all lamps, and write them to the texture that later draw calls
        read.
        """
        moment = (
            self._moment(n, "position", "angle", "color", "radius", "intensity"),
            self._flickers and clock,
        )
        if moment == self._lamps_drawn:
            return
        program = self._program("lamps.vert", "lamps.frag")
        program["columns"] = self._room
        program["clock"] = clock
        assert self._lamps is not None
        self._lamps.use()
        self._ctx.enable_only(moderngl.NOTHING)
        self._render(self._handover.array(program, self._parts), moderngl.POINTS, 3, n)
        self._lamps_drawn = moment
        self._news += 1

    def _update_shadows(self, walls: WallSet, n: int) -> None:
        """Draw all shadows again if a lamp or a wall has changed."""
        standing = walls.standing_now()
        moving = walls.moving()
        boxes, count = self._hand_over_boxes(moving)
        deep = bool(standing.depths.any()) or any(depth > 0 for _, depth in moving)
        lists = _lists_for(self._room, len(standing.segments), count, deep) if self._soft else None
        self._make_shadows(lists)
        moment = self._moment(n, "position", "radius"), boxes
        if self._shadows_drawn[0] is standing and self._shadows_drawn[1] == moment:
            return
        self._draw_shadows(standing, moving, n)
        self._shadows_drawn = standing, moment
        self._news += 1

    def _hand_over_boxes(
        self, moving: list[tuple[SpriteWalls, float]]
    ) -> tuple[list[tuple[object, ...]], int]:
        """Upload the sprites that are walls. Return a cache key for the boxes of these sprites, and the
        number of boxes.
        """
        boxes: list[tuple[object, ...]] = []
        count = 0
        for source, depth in moving:
            drawing = drawing_of(source.value)
            poses = None
            if drawing is not None:
                drawing.hand_over()
                count += drawing.table.count
                poses = drawing.moment(self.alpha)
            boxes.append((source.box, depth, poses))
        return boxes, count

    def _make_shadows(self, lists: _Lists | None) -> None:
        """Create the framebuffer that contains the shadow texture.

        ``lists`` is the layout of the lists of walls. If no lamp has soft shadows, ``lists`` is
        None.
        """
        rows, components = (self._room, 2) if lists is None else (lists.rows, 4)
        shadows = self._shadows
        if (
            shadows is None
            or shadows.height < rows
            or self._texture_of(shadows).components != components
        ):
            self._release_target(shadows)
            self._shadows = self._ctx.framebuffer(
                [self._new_texture((BINS, rows), components, "f4")]
            )
        elif lists == self._lists:
            return
        self._lists = lists
        self._shadows_drawn = None, (None, None)

    def _shadow_program(
        self, vertex: str, fragment: str, defines: dict[str, int]
    ) -> moderngl.Program:
        """Return a shader program that draws or reads shadows. Its uniforms for the lists of walls
        are already set.
        """
        lists = self._lists
        program = self._program(
            vertex, fragment, defines if lists is None else {**defines, "SOFT": 1}
        )
        assert self._shadows is not None
        shaders.set_known(program, "columns", self._shadows.height)
        if lists is not None:
            for name in _LIST_UNIFORMS:
                shaders.set_known(program, name, getattr(lists, name))
        return program

    def _draw_shadows(
        self, standing: StandingWalls, moving: list[tuple[SpriteWalls, float]], n: int
    ) -> None:
        ctx = self._ctx
        shadows = self._shadows
        assert shadows is not None
        assert self._lamps is not None
        self._texture_of(self._lamps).use(_LAMPS_UNIT)
        shadows.use()
        shadows.clear(_FAR, _FAR, _FAR, 0.0)
        ctx.enable_only(moderngl.BLEND)
        ctx.blend_equation = moderngl.MIN, moderngl.FUNC_ADD  # MIN for colors, ADD for alpha
        ctx.blend_func = moderngl.ONE, moderngl.ONE
        self._near = self._lamps_near_walls(standing, moving, n)
        runs = self._shadow_runs(n)
        if len(standing.segments):
            self._draw_walls(standing, n, runs)
        group = 0 if self._lists is None else self._lists.standing_groups
        for source, depth in moving:
            group += self._draw_boxes(source, depth, n, group, runs)
        ctx.blend_equation = moderngl.FUNC_ADD  # type: ignore[assignment]  # a number, whatever the stubs say

    def _shadow_runs(self, n: int) -> list[tuple[int, int]]:
        """Return the runs of neighboring lamps whose shadows must be drawn, each as (start, stop)."""
        runs = [(0, n)] if self._near is None else [run[:2] for run in _runs(self._near) if run[2]]
        if self._lists is not None:  # the last run also writes the walls
            last = runs.pop() if runs and runs[-1][1] == n else (n, n)
            runs.append((last[0], n + 1))
        return runs

    def _draw_walls(self, standing: StandingWalls, n: int, runs: list[tuple[int, int]]) -> None:
        """Draw the shadows of the walls that do not move."""
        if self._walls_sent is not standing:
            self._send_walls(standing)
        assert self._walls is not None
        self._walls.use(_WALLS_UNIT)
        program = self._shadow_program("lamp_walls.vert", "lamp_shadow.frag", {})
        array = self._array_of(self._wall_arrays, program)
        shaders.set_known(program, "lamp_count", n)
        vertices = _VERTICES * len(standing.segments)
        for start, stop in runs:
            shaders.set_known(program, "first_lamp", start)
            self._render(array, moderngl.TRIANGLES, vertices, stop - start)

    def _lamps_near_walls(
        self, standing: StandingWalls, moving: list[tuple[SpriteWalls, float]], n: int
    ) -> Mask | None:
        """Return a mask of the lamps that may have a wall within their radius at any time of this
        tick. Return None if the search would take too long, or if the result would need too many
        draw calls.
        """
        tables = [
            (source, drawing.table)
            for source, _ in moving
            if (drawing := drawing_of(source.value)) is not None and drawing.table.count
        ]
        pairs = n * sum(table.count for _, table in tables)
        longest = max([n, *[table.count for _, table in tables]])
        if longest > _MAX_SEARCHED_ROWS or pairs > _MAX_SEARCHED_PAIRS:
            return None
        uploads = [
            buffer.uploaded
            for buffer in self._handover.blended
            if buffer.column.name in ("position", "radius")
        ]
        key = n, self._traits_written, uploads
        if not tables and self._near_for[0] is standing and self._near_for[1] == key:
            return self._near  # nothing has changed since the last frame
        self._near_for = (None, None) if tables else (standing, key)
        if any(table.motion not in ("interpolate", "none") for _, table in tables):
            # With these motions, a box may leave the rectangle around its two positions.
            return None
        near = self._search_near_walls(standing, tables, n)
        return near if np.count_nonzero(near[1:] != near[:-1]) < _MAX_RUNS else None

    def _search_near_walls(
        self, standing: StandingWalls, tables: Sequence[tuple[SpriteWalls, Table]], n: int
    ) -> Mask:
        """Return a mask of the lamps that may have a wall within their radius. ``tables`` contains the
        sprite batches that are walls.
        """
        soft = np.abs(self._table.column("softness").current(n))
        radius = np.maximum(*_both(self._table, "radius"))
        # Ignore warnings, because the game may set infinite positions.
        with np.errstate(invalid="ignore"):
            low, high = _rectangles(_both(self._table, "position"), np.maximum(radius, soft))
            near: Mask = np.zeros(n, bool)
            if len(standing.segments):
                near = self._grid_of(standing).touches(low, high)
            for source, table in tables:
                starts, ends = _box_rectangles(source, table)
                meets = (starts[None] <= high[:, None]) & (ends[None] >= low[:, None])
                near |= (meets[..., 0] & meets[..., 1]).any(axis=1)
        near &= self._casts_shadows(n)
        return near

    def _grid_of(self, standing: StandingWalls) -> WallGrid:
        if self._grid is None or self._grid[0] is not standing:
            self._grid = standing, WallGrid(standing.segments)
        return self._grid[1]

    def _draw_boxes(
        self,
        source: SpriteWalls,
        depth: float,
        n: int,
        first_group: int,
        runs: list[tuple[int, int]],
    ) -> int:
        """Draw the shadows of a sprite batch, and return the number of boxes in the batch."""
        drawing = drawing_of(source.value)
        if drawing is None or not drawing.table.count:
            return 0
        defines = {name: 1 for name in drawing.defines if name.startswith("MOTION_")}
        program = self._shadow_program("lamp_boxes.vert", "lamp_shadow.frag", defines)
        program["box"] = source.box
        program["depth"] = depth
        shaders.set_known(program, "first_group", first_group)
        shaders.set_known(program, "lamp_count", n)
        for start, stop in runs:
            shaders.set_known(program, "first_lamp", start)
            drawing.render(program, moderngl.TRIANGLES, 4 * _VERTICES * (stop - start))
            self.calls += 1
        return drawing.table.count

    def _array_of(
        self, arrays: dict[moderngl.Program, moderngl.VertexArray], program: moderngl.Program
    ) -> moderngl.VertexArray:
        """Return the vertex array of a program that reads no vertex buffers, from the cache
        ``arrays`` if possible.
        """
        if program not in arrays:
            arrays[program] = self._ctx.vertex_array(program, [])
        return arrays[program]

    def _send_walls(self, standing: StandingWalls) -> None:
        order = _morton_order(standing.segments)
        segments, depths = (values[order] for values in standing)
        rows = math.ceil(len(segments) / _WALLS_IN_ROW)
        texels: Floats = np.zeros((rows * _WALLS_IN_ROW, 2, 4), np.float32)
        texels[: len(segments), 0] = segments.reshape(-1, 4)
        texels[: len(segments), 1, 0] = depths
        size = (2 * _WALLS_IN_ROW, rows)
        if self._walls is None or self._walls.size != size:
            if self._walls is not None:
                self._walls.release()
            self._walls = self._new_texture(size, 4, "f4")
        self._walls.write(texels.tobytes())
        self._written += texels.nbytes
        self._walls_sent = standing

    def _target(
        self, target: moderngl.Framebuffer | None, used: tuple[int, int], dtype: str
    ) -> moderngl.Framebuffer:
        """Bind and return a framebuffer. If ``target`` is smaller than ``used``, in pixels, create
        a larger framebuffer.
        """
        if target is None or any(
            size < needed for size, needed in zip(target.size, used, strict=True)
        ):
            self._release_target(target)
            texture = self._new_texture(used, 4, dtype)
            texture.filter = moderngl.LINEAR, moderngl.LINEAR
            target = self._ctx.framebuffer([texture])
        target.viewport = (0, 0, *used)
        target.use()
        return target

    def _draw_normals(self, normals: tuple[NormalMap, ...], used: tuple[int, int]) -> None:
        """Draw the normals of all sprites that have a normal map."""
        target = self._normals = self._target(self._normals, used, "f1")
        target.clear()
        self._ctx.enable_only(moderngl.NOTHING)
        for normal_map in normals:
            normal_map.draw(self._graphics)
            self.calls += 1
        self._texture_of(target).use(_NORMALS_UNIT)

    def _draw_light(
        self, n: int, normals: bool, used: tuple[int, int], ambient: tuple[float, float, float]
    ) -> None:
        """Draw the light of all lamps into the light map."""
        ctx = self._ctx
        self._light = self._target(self._light, used, "f2")
        self._light.clear(*ambient, 1.0)
        if not n:
            return
        defines = {"NORMALS": 1} if normals else {}
        if self._lists is not None and self._lists.deep:
            defines["DEEP"] = 1
        for part, unit in ((self._lamps, _LAMPS_UNIT), (self._shadows, _SHADOWS_UNIT)):
            assert part is not None
            # Sprites use the same texture units, so the textures must be bound again.
            self._texture_of(part).use(unit)
        ctx.enable_only(moderngl.BLEND)
        ctx.blend_func = moderngl.ONE, moderngl.ONE
        arrays: dict[int, moderngl.VertexArray] = {}
        for start, stop, kind in self._light_runs(n):
            if kind not in arrays:
                macros = defines | _KINDS[kind]
                program = self._shadow_program("lamp_light.vert", "lamp_light.frag", macros)
                arrays[kind] = self._array_of(self._light_arrays, program)
            array = arrays[kind]
            shaders.set_known(array.program, "first_lamp", start)
            self._render(array, moderngl.TRIANGLE_STRIP, 4, stop - start)

    def _light_runs(self, n: int) -> list[tuple[int, int, int]]:
        """Return runs of neighboring lamps, each as (start, stop, kind). Each run is drawn in one
        draw call. ``kind`` is an index of `_KINDS`.

        Lamps are always drawn in the order of their rows. A different order would change the
        rounding errors when the light is added up.
        """
        near = self._near
        if near is None or len(near) != n:
            return [(0, n, _ANY_LAMP)]
        # The shader treats a slightly smaller angle as a full turn too.
        is_round = self._table.column("cone").current(n) >= np.float32(math.tau)
        plain = np.where(is_round, _ROUND_LAMP, _PLAIN_LAMP)
        if self._lists is None:
            kinds = np.where(near, _ANY_LAMP, plain)
        else:
            soft = self._table.column("softness").current(n) > 0
            kinds = np.where(near, np.where(soft, _ANY_LAMP, _HARD_LAMP), plain)
        runs = _runs(kinds)
        return runs if len(runs) <= _MAX_RUNS else [(0, n, _ANY_LAMP)]

    # -- GPU objects -------------------------------------------------------------------------------

    def _new_texture(self, size: tuple[int, ...], components: int, dtype: str) -> moderngl.Texture:
        texture = self._ctx.texture(size, components, dtype=dtype)  # type: ignore[arg-type]
        texture.filter = moderngl.NEAREST, moderngl.NEAREST
        texture.repeat_x = texture.repeat_y = False
        return texture

    def _texture_of(self, target: moderngl.Framebuffer) -> moderngl.Texture:
        texture = target.color_attachments[0]
        assert isinstance(texture, moderngl.Texture)
        return texture

    def _release_target(self, target: moderngl.Framebuffer | None) -> None:
        if target is not None:
            texture = self._texture_of(target)
            target.release()
            texture.release()

    def _release_rows(self) -> None:
        self._release_target(self._lamps)
        self._release_target(self._shadows)
        self._lamps = self._shadows = None

    def release(self) -> None:
        for normals in self._state.normals:
            normals.release()
        self._ctx.screen.use()
        self._release_rows()
        self._release_target(self._light)
        self._release_target(self._normals)
        self._handover.release()
        arrays = *self._wall_arrays.values(), *self._light_arrays.values(), self._over_array
        for part in (self._traits, self._walls, *arrays):
            if part is not None:
                part.release()


def _both(table: Table, name: str) -> tuple[Floats, Floats]:
    """Return the values of a column before and after the last tick."""
    column = table.column(name)
    return column.previous(table.count), column.current(table.count)


def _box_rectangles(source: SpriteWalls, table: Table) -> tuple[Floats, Floats]:
    """Do the same as `_rectangles` for sprites at any angle: return rectangles that contain their
    boxes."""
    left, bottom, right, top = source.box
    corner = math.hypot(max(-left, right), max(-bottom, top))
    sizes = [np.abs(scale).max(axis=1) for scale in _both(table, "scale")]
    return _rectangles(_both(table, "position"), corner * np.maximum(*sizes))


def _rectangles(states: tuple[Floats, Floats], reach: Floats) -> tuple[Floats, Floats]:
    """Return, for each row, a rectangle that contains everything within ``reach`` of its positions
    before and after the tick. The two returned arrays contain the lowest and the highest corners,
    and have the shape (n, 2). The rectangles are slightly larger than necessary, because the GPU
    rounds numbers.
    """
    low = np.minimum(*states)
    high = np.maximum(*states)
    margin = reach * np.float32(1.001) + np.float32(1e-4) * (1 + np.abs(high[:, 0] + high[:, 1]))
    margin += np.float32(1e-4) * np.abs(low).max(axis=1)
    return low - margin[:, None], high + margin[:, None]


def _runs(values: NDArray[Any]) -> list[tuple[int, int, int]]:
    """Return the runs of equal neighboring values, each as (start, stop, value)."""
    ends = np.flatnonzero(values[1:] != values[:-1]) + 1
    edges = [0, *ends.tolist(), len(values)]
    return [(start, stop, int(values[start])) for start, stop in itertools.pairwise(edges)]


def _morton_order(segments: Doubles) -> Rows:
    """Return the indices of segments, sorted along Morton's curve. In this order, segments that are
    near each other are usually neighbors.
    """
    middles: Doubles = segments.mean(axis=1)
    low: Doubles = middles.min(axis=0)
    high: Doubles = middles.max(axis=0)
    cells: NDArray[np.int64] = (
        (middles - low) / max(float((high - low).max()), 1e-12) * 1023
    ).astype(np.int64)
    key = np.zeros(len(cells), np.int64)
    for bit in range(10):
        key |= ((cells[:, 0] >> bit) & 1) << (2 * bit) | ((cells[:, 1] >> bit) & 1) << (2 * bit + 1)
    order: Rows = np.argsort(key, kind="stable")
    return order
