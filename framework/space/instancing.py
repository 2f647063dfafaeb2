"""Draw all rows of a batch as copies (instances) of one mesh, in one draw call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from ..arrays import Floats, Mask, Rows
from ..geometry.mesh import Mesh
from ..gpu.gl import moderngl
from ..gpu.handover import ColumnBuffer, Handover, Part, read_by
from ..gpu.shaders import set_known
from ..gpu.streamed import Streamed
from ..models.materials import Material
from ..state.columns import TableColumn
from .camera3d import Shot
from .joints import JointsGpu
from .morphing import MorphsGpu
from .surfaces import MaterialGpu, WorldAssets

_VERTEX = ("3f 3f 2f 4f 4f", "in_vertex", "in_normal", "in_uv", "in_tangent", "in_vertex_color")
_SECOND_UV = "2f", "in_second_uv"
_MATRIX_ROW = (
    "3f 3f 3f 3f 4f 1u/i",
    *[f"in_model_{row}" for row in range(4)],
    "in_color",
    "in_visible",
)

# If a triangle is thinner than this in texture coordinates, it counts as a triangle without area.
# The limit is a hundredth of a texel of an image with a width of 1,000 texels.
_FLAT = 1e-5

# The parts of a model matrix that is stored in a column. Each row of the matrix is a shader
# attribute.
_MATRIX_PARTS = tuple((str(row), 4) for row in range(4))


class InstanceOptions(Protocol):
    """The options of a mesh batch that the game can change at any time: the material, and whether
    to skip instances outside the view.
    """

    @property
    def material(self) -> Material: ...

    @property
    def cull(self) -> bool: ...


class JointsOnGpu(Protocol):
    """The joints (bones) that bend a mesh, as data on the GPU."""

    @property
    def vertices(self) -> Part | None:
        """A buffer with the joints and weights of each vertex, and the layout of this buffer.
        `vertices` is None if a texture contains the joints and weights.
        """

    def use(self, program: moderngl.Program) -> None:
        """Bind the textures and set the uniforms of ``program``, for the next draw call."""

    def release(self) -> None: ...


class InstancedBackend(Protocol):
    """The attributes and methods that `MeshGpu` needs from the backend of a mesh batch, the object
    that draws the batch.
    """

    @property
    def frontend(self) -> InstanceOptions: ...

    def __len__(self) -> int: ...

    @property
    def motion_uniform(self) -> tuple[float, float, float, float] | None:
        """The four times that the shader needs if the motion between two ticks depends on time.

        The value is None if the CPU computes the positions and rotations.
        """

    @property
    def mirrored(self) -> bool:
        """Whether any instance may have a negative scale, which mirrors the mesh."""

    @property
    def colors(self) -> Floats:
        """The linear colors of all rows. The array has the dtype float32 and the shape (n, 4)."""

    @property
    def shown(self) -> Rows:
        """The indices of the visible rows."""

    def in_view(self, shot: Shot) -> Mask:
        """Return whether the instance of each row may be visible on the screen. The result is a
        bool array with the shape (n,).
        """

    def models_from_eye(self, shot: Shot, rows: Rows | None = None) -> Floats:
        """Return the matrices that place the mesh relative to the camera, one for each of ``rows``.
        The array has the shape (n, 4, 4).
        """


def _any_flat(uvs: Floats, mesh: Mesh) -> bool:
    """Return whether any triangle of the mesh covers no area in the texture. ``uvs`` contains the
    texture coordinates of the vertices, with the shape (n, 2).

    Many models use a small texture as a color palette, and their triangles use only one color of
    the texture. The corners of such a triangle are all on one texel or on one line.
    """
    # With complex numbers, 500,000 triangles take 6 ms. With pairs of numbers, they take 42 ms.
    corners = np.ascontiguousarray(uvs).view(np.complex64)[:, 0][mesh.indices]
    first = corners[1::3] - corners[::3]
    second = corners[2::3] - corners[::3]
    doubled_area = np.abs((first.conj() * second).imag)
    size = np.abs(first.real) + np.abs(first.imag) + np.abs(second.real) + np.abs(second.imag)
    return bool((doubled_area <= _FLAT * size).any())


def _uv_defines(mesh: Mesh) -> dict[str, str | int]:
    """Return the macros that depend on the texture coordinates of a mesh."""
    defines: dict[str, str | int] = {}
    if mesh.second_uvs is not None:
        defines["SECOND_UV"] = 1
    if any(uvs is not None and _any_flat(uvs, mesh) for uvs in (mesh.uvs, mesh.second_uvs)):
        defines["FLAT_UV"] = 1
    return defines


class MeshGpu:
    """A mesh on the GPU, with the columns of its instances and with its shader programs.

    The shader computes the position of an instance from the uploaded columns in ``handover``, from
    ``joints``, or from a matrix. In the last case, `send_models` uploads one matrix per instance in
    each frame.
    """

    def __init__(
        self,
        assets: WorldAssets,
        mesh: Mesh,
        material: Material,
        handover: Handover,
        defines: dict[str, str | int],
        *,
        joints: JointsOnGpu | None = None,
        morphs: MorphsGpu | None = None,
    ) -> None:
        ctx = self._ctx = assets.graphics.ctx
        self.assets = assets
        self.handover = handover
        self._second_uvs = None if mesh.second_uvs is None else ctx.buffer(mesh.second_uvs)
        self._uv_defines = _uv_defines(mesh)
        defines = {**defines, **self._uv_defines}
        self._surface = MaterialGpu(assets, "meshes.vert", defines)
        self._surface.follow(material, mirrored=False)
        self._sorted: _SortedGpu | None = None  # for a transparent material only
        self.positions = mesh.positions
        """The vertex positions that are in the buffers. The array has the shape (v, 3)."""
        self._vertices = ctx.buffer(mesh.vertices())
        self._indices = ctx.buffer(mesh.indices)
        self._joints = joints
        self._morphs = morphs
        self._models: ColumnBuffer | None = None
        if joints is None and not handover.blended:
            column = TableColumn("model", 16, 0.0, interpolated=False)
            self._models = ColumnBuffer(ctx, column, _MATRIX_PARTS)
            handover.buffers.append(self._models)

    def send_models(self, models: Floats) -> None:
        """Upload the matrices of all instances for this frame. ``models`` has the shape (n, 4, 4)."""
        assert self._models is not None
        self._models.write(0, models.reshape(-1, 16))

    def send_joints(self, matrices: Floats) -> None:
        """Upload the joint matrices of all instances for this frame. The array has the shape
        (instances, joints, 4, 4).
        """
        assert isinstance(self._joints, JointsGpu)
        self._joints.write(matrices)

    def send_weights(self, previous: Floats, current: Floats) -> None:
        """Upload the morph weights of all instances, before and after the last tick.

        Both arrays have the shape (instances, targets).
        """
        assert self._morphs is not None
        self._morphs.write(previous, current)

    def draw(self, batch: InstancedBackend) -> None:
        """Draw all rows of ``batch``.

        If the material is transparent, the instances farthest from the camera are drawn first.
        """
        look = batch.frontend
        surface = self._surface
        material = look.material
        picked = look.cull or (material.alpha_mode == "blend" and len(batch) > 1)
        if picked and self._joints is None and self._morphs is None:
            self._draw_sorted(batch)
            return
        if surface.follow(material, batch.mirrored):
            self.handover.release_arrays()
        surface.use()
        self._render(surface.program, batch)

    def draw_picked(
        self, batch: InstancedBackend, count: int, array_of: Callable[..., moderngl.VertexArray]
    ) -> None:
        """Draw ``count`` rows that the caller has selected and uploaded. ``array_of`` is a function
        that takes the same arguments as `Handover.array`, and returns a vertex array.
        """
        self._surface.follow(batch.frontend.material, batch.mirrored)
        self._surface.use()
        self._render(self._surface.program, batch, count, array_of)

    def draw_shadow(self, batch: InstancedBackend) -> None:
        """Draw the depth of all rows from the direction of the sun, for shadows."""
        if self._surface.follow(batch.frontend.material, batch.mirrored):
            self.handover.release_arrays()
        program = self._surface.shadow_program(batch.frontend.material)
        self._surface.use_for_shadow()
        self._render(program, batch)

    def _draw_sorted(self, batch: InstancedBackend) -> None:
        if self._sorted is None:
            self._sorted = _SortedGpu(
                self.assets, self._vertices, self._second_uvs, self._indices, self._uv_defines
            )
        self._sorted.draw(batch)

    def _render(
        self,
        program: moderngl.Program,
        batch: InstancedBackend,
        count: int | None = None,
        array_of: Callable[..., moderngl.VertexArray] | None = None,
    ) -> None:
        motion = batch.motion_uniform
        if motion is not None:
            set_known(program, "motion", motion)
        if self._joints is not None:
            self._joints.use(program)
        if self._morphs is not None:
            self._morphs.use(program)
        array = (array_of or self.handover.array)(program, self._parts, self._indices)
        count = len(batch) if count is None else count
        render(self._ctx, array, count, batch.frontend.material.wireframe)

    def _parts(self) -> list[Part]:
        """Return the vertex shader's buffers that are not columns: the mesh, and the joints of a
        skin.
        """
        parts: list[Part] = [(self._vertices, *_VERTEX)]
        if self._models is not None:
            parts.append((self._models.buffer_of(0), *self._models.layout("in_")))
        if self._second_uvs is not None:
            parts.append((self._second_uvs, *_SECOND_UV))
        if self._joints is not None and self._joints.vertices is not None:
            parts.append(self._joints.vertices)
        return parts

    def release(self) -> None:
        self.handover.release()
        shape = self._vertices, self._second_uvs, self._indices
        for part in (self._sorted, self._surface, self._joints, self._morphs, *shape):
            if part is not None:
                part.release()


class _SortedGpu:
    """The instances of a mesh with a transparent material. In each frame, the matrices of the
    instances are sorted by their distance from the camera and then uploaded.
    """

    def __init__(
        self,
        assets: WorldAssets,
        vertices: moderngl.Buffer,
        second_uvs: moderngl.Buffer | None,
        indices: moderngl.Buffer,
        uv_defines: dict[str, str | int],
    ) -> None:
        self._assets = assets
        self._ctx = assets.graphics.ctx
        defines = {"POSE": "pose_matrix.glsl", **uv_defines}
        self._surface = MaterialGpu(assets, "meshes.vert", defines)
        self._vertices = vertices
        self._second_uvs = second_uvs
        self._indices = indices
        self._rows = Streamed(self._ctx)

    def draw(self, batch: InstancedBackend) -> None:
        rows = self._farthest_first(batch)
        if not len(rows):
            return
        if self._surface.follow(batch.frontend.material, batch.mirrored):
            self._rows.release()
        program = self._surface.program
        vertices = [(self._vertices, *read_by(program, *_VERTEX))]
        if "in_second_uv" in program:
            vertices.append((self._second_uvs, *_SECOND_UV))
        array = self._rows.write(
            rows, program, read_by(program, *_MATRIX_ROW), *vertices, index_buffer=self._indices
        )
        assert array is not None
        self._surface.use()
        render(self._ctx, array, len(rows), batch.frontend.material.wireframe)

    def _farthest_first(self, batch: InstancedBackend) -> Floats:
        """Return the shader data of the visible rows, with the farthest row first. The array has
        the dtype float32 and the shape (n, 17).

        In each row, the last of the 17 numbers is the attribute ``visible``. The attribute
        ``visible`` is always 1, stored as the bits of a uint32.
        """
        shot = self._assets.shot
        assert shot is not None
        visible_rows = batch.shown
        if batch.frontend.cull:
            visible_rows = visible_rows[batch.in_view(shot)[visible_rows]]
            models = batch.models_from_eye(shot, visible_rows)[:, :, :3]
        else:
            models = batch.models_from_eye(shot)[visible_rows, :, :3]
        order = np.argsort(-np.einsum("ij,ij->i", models[:, 3], models[:, 3]), kind="stable")
        rows = np.empty((len(order), 17), np.float32)
        rows[:, :12] = models[order].reshape(-1, 12)
        rows[:, 12:16] = batch.colors[visible_rows[order]]
        rows[:, 16:].view(np.uint32)[:] = 1
        return rows

    def release(self) -> None:
        self._rows.release()
        self._surface.release()


def render(ctx: moderngl.Context, array: moderngl.VertexArray, count: int, wireframe: bool) -> None:
    """Draw ``count`` instances of a mesh, as filled triangles or as a wireframe."""
    if wireframe:
        ctx.wireframe = True
    array.render(moderngl.TRIANGLES, instances=count)
    if wireframe:
        ctx.wireframe = False
