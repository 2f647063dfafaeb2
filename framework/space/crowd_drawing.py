"""The backend of a `Crowd`, and the backends of the crowd's meshes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Mask, Rows
from ..errors import FrameworkError
from ..gpu.gl import moderngl
from ..gpu.graphics import Graphics, driver_limit
from ..gpu.handover import Handover, Part, SharedHandover, in_cells, read_by, refill_buffer
from ..models.baked_animations import BakedMesh, BakedModel
from ..state.backend import backend_of, drives
from ..state.columns import TableColumn
from ..state.rows import table_of
from .camera3d import Shot
from .crowd_playback import CrowdTable
from .crowds import Crowd, CrowdPart, CrowdParts
from .instancing import MeshGpu
from .mesh_drawing import pose_defines
from .morphing import MorphsGpu
from .solids import SolidBackend, SolidTableBackend
from .surfaces import WorldAssets, is_made_of

# The texture units of a crowd. Other meshes use the unit 14 for their morph targets (see the module
# `morphing`).
_DATA_UNIT = 15
_BONES_UNIT = 15
_WEIGHTS_UNIT = 13
_STATES_UNIT = 14
_JOINTS_UNIT = 10  # the joint matrices use this unit and the two units after it

_ACROSS = 2048  # number of texels in a row of each texture


class CrowdTicks(SolidTableBackend[Crowd]):
    """The backend of a `Crowd` in a game without graphics. It advances the animations, but draws
    nothing.
    """

    __slots__ = ()

    def begin_tick(self, dt: float) -> None:
        self.table.begin_tick(dt)
        table_of(self.frontend).advance(dt)


@drives(Crowd, unseen=CrowdTicks)
class CrowdDrawing(CrowdTicks):
    """The backend of a `Crowd` in a game with graphics. It advances the animations in each tick,
    and uploads the columns and the animation states in each frame. `CrowdPartDrawing` then draws
    each mesh with this data.
    """

    __slots__ = (
        "_assets",
        "_color",
        "_mirrored",
        "_picked",
        "_shot",
        "_visible",
        "gpu",
        "handover",
    )

    table: CrowdTable

    def __init__(
        self, frontend: Crowd, parts: CrowdParts, graphics: Graphics, assets: WorldAssets
    ) -> None:
        super().__init__(frontend, parts, graphics)
        ctx = graphics.ctx
        self._assets = assets
        self._color = parts.color
        self._visible = parts.visible
        self._shot: Shot | None = None
        self._mirrored = False
        self._picked: dict[bool, _PickedRows] = {}
        self.handover = Handover.of(ctx, self.table, parts.color, parts.visible)
        self.gpu = BakedGpu(assets, frontend._baked)
        self.table.touch()  # the rows must be uploaded even before the first tick

    @property
    def mirrored(self) -> bool:
        """Whether the mesh may be mirrored by a negative scale of a copy or a joint."""
        return self._mirrored or self.table.baked.mirrored

    @property
    def uploaded_bytes(self) -> int:
        """The total number of bytes uploaded for columns and animation states."""
        return self.handover.uploaded + self.gpu.uploaded

    def hand_over(self) -> None:
        """Upload all rows that have changed since the last upload. Calling `hand_over` again in the
        same frame does not upload anything.
        """
        shot = self._assets.shot
        if self._shot is shot and shot is not None:
            return
        self._shot = shot
        table = self.table
        if table.news():
            self._update_mirrored()
            self.handover.reserve(table.capacity)
            self.handover.hand_over(table.count, not table.tick.handed_over)
            table.tick.handed_over = True
        self.gpu.update(table, 1.0 if shot is None else shot.alpha)

    def _update_mirrored(self) -> None:
        scale = self.table.column("scale")
        n = self.table.count
        at_rest = scale.at_rest(n)
        if self._mirrored or not at_rest:
            below = bool((scale.current(n) < 0).any())
            # Until alpha is 1, the previous state is also drawn, and the mesh may be mirrored in
            # that state.
            self._mirrored = below or (self._mirrored and not at_rest)

    def picked(self, is_sorted: bool) -> _PickedRows:
        """Return the rows to draw in the current frame. If the crowd has ``cull=True``, `picked`
        returns only rows that may be visible. If ``is_sorted`` is True, the rows are in the order
        of their distance, with the farthest row first.
        """
        shot = self._assets.shot
        assert shot is not None
        rows = self._picked.get(is_sorted)
        if rows is None:
            rows = self._picked[is_sorted] = _PickedRows(self._assets.graphics.ctx)
        if rows.shot is not shot:
            self.table.settle()
            self._update_mirrored()
            self.gpu.update(self.table, shot.alpha)
            rows.write(shot, self._chosen(shot, is_sorted), self.table, self._color)
        return rows

    def _chosen(self, shot: Shot, is_sorted: bool) -> Rows:
        table = self.table
        chosen: Mask = self._visible.current(table.count).copy()
        centers, radii = table.spheres(shot.alpha, table.baked.radius)
        displacement = table.column("position").displacement
        if displacement is not None:
            centers = displacement(centers)
        from_eye: Floats = (centers - shot.eye.astype(centers.dtype)).astype(np.float32)
        if self.frontend.cull:
            chosen &= shot.sees(from_eye, radii)
        rows = np.flatnonzero(chosen)
        if not is_sorted:
            return rows
        near = from_eye[rows]
        return rows[np.argsort(-np.einsum("ij,ij->i", near, near), kind="stable")]

    def renew(self, files: Set[str]) -> bool:
        """If the model has been reloaded, bake its animations again: compute and store their poses.
        Return whether the model was reloaded.
        """
        baked = self.frontend._baked
        parts = baked.model.parts
        meshes = {id(mesh.part): mesh for mesh in baked.meshes}
        if all(
            id(part) not in meshes or meshes[id(part)].loaded is part.mesh.positions
            for part in parts
        ):
            return False
        self.frontend._baked = self.table.baked = BakedModel(baked.model, baked.rate)
        gpu = self.gpu
        self.gpu = BakedGpu(self._assets, self.table.baked)
        gpu.release()
        return True

    def release_picked(self) -> None:
        """Release the GPU buffers that `picked` created. The backend of a mesh calls
        `release_picked` after the mesh was reloaded, because the buffers still contain the old
        mesh.
        """
        for rows in self._picked.values():
            rows.release()
        self._picked.clear()

    def release(self) -> None:
        self.release_picked()
        self.handover.release()
        self.gpu.release()


class CrowdPartTicks(SolidBackend[CrowdPart]):
    """The backend of one mesh of a crowd in a game without graphics. It draws nothing."""

    __slots__ = ()

    def __init__(self, frontend: CrowdPart, crowd: Crowd, graphics: Graphics) -> None:
        super().__init__(frontend)


@drives(CrowdPart, unseen=CrowdPartTicks)
class CrowdPartDrawing(CrowdPartTicks):
    """The backend that draws one mesh of a crowd's model, for all copies."""

    __slots__ = ("_assets", "_crowd", "_gpu")

    def __init__(
        self, frontend: CrowdPart, crowd: Crowd, graphics: Graphics, assets: WorldAssets
    ) -> None:
        super().__init__(frontend, crowd, graphics)
        drawing = backend_of(crowd, CrowdDrawing)
        assert drawing is not None
        self._crowd: CrowdDrawing = drawing
        self._assets = assets
        self._gpu = self._new_gpu()

    def _new_gpu(self) -> MeshGpu:
        crowd = self._crowd
        assets = self._assets
        ctx = assets.graphics.ctx
        baked = self.frontend.baked
        targets = baked.targets
        joints = _PartJoints(
            ctx, crowd, baked, None if targets is None else MorphsGpu(ctx, targets)
        )
        defines = pose_defines(crowd.table)
        defines["POSE"] = "pose_crowd.glsl" if targets is None else "pose_crowd_morphed.glsl"
        handover = SharedHandover(ctx, crowd.handover)
        return MeshGpu(assets, baked.mesh, baked.material, handover, defines, joints=joints)

    # -- read by `MeshGpu` -------------------------------------------------------------------------

    def __len__(self) -> int:
        return self._crowd.table.count

    @property
    def motion_uniform(self) -> None:
        """Always None, because the shader does not need a uniform to interpolate a crowd."""
        return None

    @property
    def mirrored(self) -> bool:
        return self._crowd.mirrored

    @property
    def colors(self) -> Floats:
        colors: Floats = self._crowd.table.column("color").current(len(self))
        return colors

    @property
    def shown(self) -> Rows:
        return np.flatnonzero(self._crowd.table.column("visible").current(len(self)))

    def in_view(self, shot: Shot) -> Mask:
        """Not used, because the crowd itself selects the visible rows."""
        raise NotImplementedError

    def models_from_eye(self, shot: Shot, rows: Rows | None = None) -> Floats:
        """Not used, because the GPU computes the model matrices."""
        raise NotImplementedError

    # -- called by the world -----------------------------------------------------------------------

    @property
    def transparent(self) -> bool:
        return self.frontend.material.alpha_mode == "blend"

    @property
    def casts_shadow(self) -> bool:
        return self.frontend.casts_shadow

    def draw(self) -> None:
        crowd = self._crowd
        count = crowd.table.count
        if not count:
            return
        is_sorted = count > 1 and self.transparent
        is_picked = crowd.gpu.is_picked = is_sorted or crowd.frontend.cull
        if not is_picked:
            crowd.hand_over()
            self._gpu.draw(self)
            return
        rows = crowd.picked(is_sorted)
        if rows.count:
            self._gpu.draw_picked(self, rows.count, rows.array)

    def draw_shadow(self) -> None:
        crowd = self._crowd
        if crowd.table.count:
            crowd.hand_over()
            crowd.gpu.is_picked = False
            self._gpu.draw_shadow(self)

    def depth(self) -> float:
        """Return the distance from the camera to the mean position of all copies, in units."""
        shot = self._assets.shot
        n = len(self)
        if shot is None or not n:
            return 0.0
        position: NDArray[Any] = self._crowd.table.column("position").current(n)
        mean = position.mean(axis=0, dtype=np.float64)
        return float(np.nan_to_num(np.linalg.norm(mean - shot.eye)))

    def renew(self, files: Set[str]) -> bool:
        """Reload the files of the material. If the mesh was reloaded, create new buffers. Return
        whether the material or the mesh has changed.
        """
        material = self.frontend.material
        is_painted = is_made_of(material, files, self._assets.folders)
        if is_painted:
            material.after_restore()
        self._crowd.renew(files)
        gpu = self._gpu
        if gpu.positions is self.frontend.mesh.positions:
            return is_painted
        self._gpu = self._new_gpu()
        self._crowd.release_picked()
        gpu.release()
        return True

    def release(self) -> None:
        self._gpu.release()


class BakedGpu:
    """The stored ("baked") poses of a model on the GPU. The GPU computes the joint matrices for all
    rows from the stored poses.

    In each frame, one draw call computes the matrices of all joints in all rows. The draw call
    writes the joint matrices into three textures. If the model has morph weights, a second draw
    call computes the weights.
    """

    def __init__(self, assets: WorldAssets, baked: BakedModel) -> None:
        ctx = self._ctx = assets.graphics.ctx
        self._assets = assets
        texels, self._layout = _baked_texels(baked)
        self._data = _texture(ctx, texels)
        self._joint_count = len(baked.joint_nodes)
        self._weight_count = baked.weights.shape[1]
        weight_steps = baked.weight_steps.astype(np.float32)
        # the index of the texel with the first animation's steps
        self._first_step = baked.weights.size
        weight_texels = np.concatenate([baked.weights.reshape(-1), weight_steps.reshape(-1)])
        self._weight_data = _texture(ctx, weight_texels[:, None])
        self._states: moderngl.Texture | None = None
        """The states of all rows. The first half of the texture contains the states in slot 0. The
        second half contains the states in slot 1.
        """
        self._slot = 0  # the slot with the states at the end of the tick
        self._version = -1
        self._joints: _Computed | None = None
        self._weights: _Computed | None = None
        # the version of the states and the alpha for which the matrices were computed
        self._computed_for: tuple[float, ...] = ()
        self.uploaded = 0
        """The total size of all states uploaded so far, in bytes."""
        self.is_picked = False
        """Whether the next draw call draws only some rows."""

    def update(self, table: CrowdTable, alpha: float) -> None:
        """Upload the animation states that changed, and compute the matrices for a frame. ``alpha``
        is the time since the last tick, as a fraction of a tick.

        If one tick has run since the last frame, only the states after this tick are uploaded. The
        GPU already has the states before this tick.
        """
        n = table.count
        uploads = table.states_after.uploads, table.states_before.uploads
        is_whole = any(part.stale for part in uploads) or uploads[0].sent != n
        if is_whole or table.version != self._version:
            self._upload_states(table, is_whole)
            self._computed_for = ()
            for part in uploads:
                part.sent = n
                part.stale = part.unsent = False
        key = float(n), alpha
        if key != self._computed_for:
            self._computed_for = key
            self._compute(n, alpha)

    def _upload_states(self, table: CrowdTable, is_whole: bool) -> None:
        """Upload the states after the last tick. If ``is_whole`` is True, or if several ticks have
        run since the last upload, also upload the states before the last tick.
        """
        n = table.count
        height = max(1, -(-table.capacity // _ACROSS))
        if self._states is None or self._states.height != 2 * height:
            self._make_targets(height, table.capacity)
            is_whole = True
        self._slot = 1 - self._slot
        self._write(self._slot, table.states_after.current(n))
        if is_whole or table.version != self._version + 1:
            self._write(1 - self._slot, table.states_before.current(n))
        self._version = table.version

    def _make_targets(self, height: int, capacity: int) -> None:
        for part in (self._states, self._joints, self._weights):
            if part is not None:
                part.release()
        ctx = self._ctx
        self._states = _empty_texture(ctx, 2 * height, 4)
        if self._joint_count:
            self._joints = _Computed(ctx, "crowd_joints.frag", capacity, self._joint_count, 3)
        if self._weight_count:
            self._weights = _Computed(ctx, "crowd_weights.frag", capacity, self._weight_count, 1)

    def _write(self, slot: int, states: Floats) -> None:
        texture = self._states
        assert texture is not None
        top = slot * texture.height // 2
        lines, remainder = divmod(len(states), _ACROSS)
        if lines:
            texture.write(states[: lines * _ACROSS], viewport=(0, top, _ACROSS, lines))
        if remainder:
            texture.write(states[lines * _ACROSS :], viewport=(0, top + lines, remainder, 1))
        self.uploaded += states.nbytes

    def _compute(self, rows: int, alpha: float) -> None:
        assert self._states is not None
        ctx = self._ctx
        target = ctx.fbo
        half = self._states.height // 2 * _ACROSS
        moment = alpha, float((1 - self._slot) * half), float(self._slot * half)
        self._data.use(_DATA_UNIT)
        self._states.use(_STATES_UNIT)
        if self._weights is not None:
            self._weight_data.use(_WEIGHTS_UNIT)
        ctx.enable_only(moderngl.NOTHING)
        for computed in (self._joints, self._weights):
            if computed is None:
                continue
            program = self._assets.get("scaled.vert", computed.fragment)
            self._assets.uniforms.write(
                program,
                {
                    "baked_data": _DATA_UNIT,
                    "crowd_states": _STATES_UNIT,
                    "baked_weights": _WEIGHTS_UNIT,
                    "moment": moment,
                    "row_count": rows,
                    "fragments_of_row": computed.count,
                    "data_layout": self._layout,
                    "first_step": self._first_step,
                },
            )
            computed.draw(program, rows)
        target.use()
        # shadows need this flag, and materials set their own flags
        ctx.enable_only(moderngl.DEPTH_TEST)

    def use(self, program: moderngl.Program, bones: moderngl.Texture, first_weight: int) -> None:
        """Bind the textures and set the uniforms of ``program``, for the next draw call.

        ``bones`` is a texture with the joints of each vertex in the mesh. ``first_weight`` is the
        index of the mesh's first morph weight.
        """
        assert self._joints is not None
        bones.use(_BONES_UNIT)
        for unit, texture in enumerate(self._joints.textures, _JOINTS_UNIT):
            texture.use(unit)
        if self._weights is not None:
            self._weights.textures[0].use(_WEIGHTS_UNIT)
        self._assets.uniforms.write(
            program,
            {
                "bones": _BONES_UNIT,
                "joint_x": _JOINTS_UNIT,
                "joint_y": _JOINTS_UNIT + 1,
                "joint_z": _JOINTS_UNIT + 2,
                "joint_count": self._joint_count,
                "crowd_picked": self.is_picked,
                "crowd_weights": _WEIGHTS_UNIT,
                "weights_layout": (self._weight_count, first_weight),
            },
        )

    def release(self) -> None:
        parts = self._data, self._weight_data, self._states, self._joints, self._weights
        for part in parts:
            if part is not None:
                part.release()


class _Computed:
    """Textures into which a fragment shader writes ``count`` values for each row, such as weights
    or the columns of matrices.
    """

    def __init__(
        self, ctx: moderngl.Context, fragment: str, capacity: int, count: int, targets: int
    ) -> None:
        self._ctx = ctx
        self.fragment = fragment
        self.count = count
        height = max(1, -(-capacity * count // _ACROSS))
        _check_height(height)
        self.textures = [
            _empty_texture(ctx, height, 1 if targets == 1 else 4) for _ in range(targets)
        ]
        self._framebuffer = ctx.framebuffer(self.textures)
        self._array: tuple[moderngl.Program, moderngl.VertexArray] | None = None

    def draw(self, program: moderngl.Program, rows: int) -> None:
        """Run the shader that computes the values of the first ``rows`` rows."""
        if self._array is None or self._array[0] is not program:
            if self._array is not None:
                self._array[1].release()
            self._array = program, self._ctx.vertex_array(program, [])
        lines = -(-rows * self.count // _ACROSS)
        self._framebuffer.viewport = (0, 0, _ACROSS, lines)
        self._framebuffer.use()
        self._array[1].render(moderngl.TRIANGLE_STRIP, vertices=4)

    def release(self) -> None:
        if self._array is not None:
            self._array[1].release()
        self._framebuffer.release()
        for texture in self.textures:
            texture.release()


def _baked_texels(baked: BakedModel) -> tuple[Floats, tuple[int, int, int, int]]:
    """Return the numbers that the shader crowd_joints.frag reads from a texture, as an array with
    the shape (n, 4). Also return the uniform ``data_layout``, which contains the start of each part
    in the array.
    """
    nodes = len(baked.parents)
    parents = np.zeros((nodes, 4), np.float32)
    parents[:, 0] = baked.parents
    parts = [baked.animations, parents, _joint_texels(baked), _pose_texels(baked)]
    first_node, first_joint, first_pose, _ = np.cumsum([len(part) for part in parts]).tolist()
    return np.concatenate(parts), (first_node, first_joint, first_pose, nodes)


def _joint_texels(baked: BakedModel) -> Floats:
    """Return four texels for each joint: the index of its node, and the columns of its inverse
    matrix in the bind pose. The array has the shape (4 * joints, 4).
    """
    texels = np.zeros((len(baked.joint_nodes), 4, 4), np.float32)
    texels[:, 0, 0] = baked.joint_nodes
    texels[:, 1:] = baked.inverse[..., :3].swapaxes(1, 2)
    return texels.reshape(-1, 4)


def _pose_texels(baked: BakedModel) -> Floats:
    """Return three texels for each node in each pose: its position, rotation and scale, and whether
    the node moves in steps. The array has the shape (poses * nodes * 3, 4).
    """
    position, rotation, scale = baked.poses
    texels = np.zeros((len(position), len(baked.parents), 3, 4), np.float32)
    texels[:, :, 0, :3] = position
    texels[:, :, 0, 3] = scale[..., 0]
    texels[:, :, 1] = rotation
    texels[:, :, 2, :2] = scale[..., 1:]
    texels[:, :, 2, 2] = np.repeat(baked.steps, baked.pose_counts, axis=0)
    return texels.reshape(-1, 4)


class _PartJoints:
    """The joints of one mesh of a crowd, for `MeshGpu`."""

    vertices = None

    def __init__(
        self, ctx: moderngl.Context, crowd: CrowdDrawing, baked: BakedMesh, morphs: MorphsGpu | None
    ) -> None:
        self._crowd = crowd
        self._morphs = morphs
        self._first_weight = baked.first_weight
        self._target_count = 0 if baked.targets is None else len(baked.targets)
        both = np.empty((len(baked.joints), 2, 4), np.uint32)
        both[:, 0] = baked.joints
        both[:, 1] = np.ascontiguousarray(baked.weights, np.float32).view(np.uint32)
        self._bones = _texture(ctx, both.reshape(-1, 4))

    def use(self, program: moderngl.Program) -> None:
        self._crowd.gpu.use(program, self._bones, self._first_weight)
        if self._morphs is not None:
            self._morphs.use_targets(program, self._target_count)

    def release(self) -> None:
        self._bones.release()
        if self._morphs is not None:
            self._morphs.release()


class _PickedRows:
    """The columns of the rows that are drawn in a frame, if only some rows are drawn or their order
    differs from the order in the table.
    """

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._buffer: moderngl.Buffer | None = None
        self._arrays: dict[tuple[moderngl.Program, moderngl.Buffer], moderngl.VertexArray] = {}
        self._layout: Part = ()
        self.shot: Shot | None = None
        """The `Shot` for which the rows were last written."""
        self.count = 0
        """The number of rows."""

    def write(self, shot: Shot, rows: Rows, table: CrowdTable, color: TableColumn) -> None:
        """Upload the columns of ``rows``."""
        self.shot = shot
        self.count = len(rows)
        if not len(rows):
            return
        formats: list[str] = []
        names: list[str] = []
        states: list[NDArray[Any]] = []
        for name, state in _blended_states(table):
            picked = state[rows]
            width = picked.shape[1]
            if picked.dtype == np.float64:
                picked = in_cells(picked)
                formats.append("3f")
                names.append(f"{name}_cell")
            formats.append(f"{width}f")
            names.append(name)
            states.append(picked)
        states.append(color.current(table.count)[rows])
        numbers = (rows + 1).astype(np.uint32).view(np.float32)
        data = np.concatenate([*states, numbers[:, None]], axis=1)
        self._layout = (f"{' '.join(formats)} 4f 1u/i", *names, "in_color", "in_visible")
        if self._buffer is None or self._buffer.size < data.nbytes:
            self.release()
            self._buffer = self._ctx.buffer(reserve=2 * data.nbytes, dynamic=True)
        refill_buffer(self._buffer, data)

    def array(
        self,
        program: moderngl.Program,
        parts_of: Callable[[], Sequence[Part]],
        index_buffer: moderngl.Buffer,
    ) -> moderngl.VertexArray:
        """Return the vertex array that ``program`` needs to read the rows; see `Handover.array`."""
        key = program, index_buffer
        array = self._arrays.get(key)
        if array is None:
            parts = [(self._buffer, *self._layout), *parts_of()]
            content = [
                (buffer, *read_by(program, format, *names)) for buffer, format, *names in parts
            ]
            array = self._arrays[key] = self._ctx.vertex_array(
                program, [part for part in content if len(part) > 2], index_buffer=index_buffer
            )
        return array

    def release(self) -> None:
        for array in self._arrays.values():
            array.release()
        self._arrays.clear()
        if self._buffer is not None:
            self._buffer.release()
        self._buffer = None


def _blended_states(table: CrowdTable) -> Iterator[tuple[str, NDArray[Any]]]:
    """Yield the name of each shader attribute that is interpolated, and the values of all rows: for
    each column, the state before the last tick and the state after it.
    """
    for column in table.blended:
        for prefix, state in (
            ("in_previous_", column.previous(table.count)),
            ("in_", column.current(table.count)),
        ):
            displaced = state if column.displacement is None else column.displacement(state)
            yield f"{prefix}{column.name}", displaced


def _texture(ctx: moderngl.Context, texels: NDArray[Any]) -> moderngl.Texture:
    """Return a new texture that contains all ``texels`` in order. ``texels`` has the shape
    (n, components).
    """
    count, components = texels.shape
    height = max(1, -(-count // _ACROSS))
    _check_height(height)
    padded = np.zeros((height * _ACROSS, components), texels.dtype)
    padded[:count] = texels
    dtype = "u4" if texels.dtype == np.uint32 else "f4"
    texture = ctx.texture((_ACROSS, height), components, padded, dtype=dtype)
    texture.filter = moderngl.NEAREST, moderngl.NEAREST
    return texture


def _empty_texture(ctx: moderngl.Context, height: int, components: int) -> moderngl.Texture:
    texture = ctx.texture((_ACROSS, height), components, dtype="f4")
    texture.filter = moderngl.NEAREST, moderngl.NEAREST
    return texture


def _check_height(height: int) -> None:
    limit = driver_limit("GL_MAX_TEXTURE_SIZE")
    if height > limit:
        raise FrameworkError(
            f"Crowd: a texture needs {height:,} rows, the driver's limit is {limit:,}; use several "
            "crowds, or a lower rate"
        )
