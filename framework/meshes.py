"""Meshes drawn in instanced batches: one mesh and material, thousands of poses, one draw call."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any, NamedTuple

import moderngl
import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import picking
from .batch import ColumnBuffer, row_indices
from .camera3d import Shot
from .columns import Column, Floats, Rows, assign
from .errors import AssetError
from .graphics import Graphics
from .materials import Material
from .mesh import Mesh
from .motion import MOTIONS, Extrapolation
from .shaders import Programs
from .skins import Skin
from .surfaces import MaterialGpu, WorldAssets
from .timestep import whole
from .transforms3d import Transforms3D, matrices

MAX_INSTANCES = 1 << 24
"""Rows in one batch: more would need buffers that not every GL driver gives."""

# The texture of joint matrices: the last of the units that every GL has, how many matrices are in one of its rows.
JOINTS_UNIT = 15
_JOINTS_A_ROW = 256

_VERTEX = ("3f 3f 2f 4f 4f", "in_vertex", "in_normal", "in_uv", "in_tangent", "in_vertex_color")
_STATE = (
    "3f 4f 3f 3f 3f 3f 1f/i",
    *[f"in_state_{name}" for name in ("position", "rotation", "velocity", "spin", "off", "turned", "since")],
)
_MATRIX_ROW = ("3f 3f 3f 3f 4f 1u/i", *[f"in_model_{row}" for row in range(4)], "in_color", "in_visible")


class Hit(NamedTuple):
    """What a ray met."""

    instance: Instance
    distance: float
    """From where the ray began, in units."""
    point: tuple[float, float, float]
    normal: tuple[float, float, float]
    """Of the triangle, on the side that was met, length 1."""


class MeshBatch:
    """Many instances of a mesh, drawn in one call. It is drawn in a `World`: ``self.add(MeshBatch(…))``.

    Parameters
    ----------
    mesh
        A `Mesh`.
    count
        Rows to start with, at (0, 0, 0).
    material
        A `Material`; default: a matt white one.
    motion
        How instances are drawn between two ticks, as of a `SpriteBatch`.
    large_world
        Keep positions as float64: what is a million units from the origin moves as evenly as what is near it. It is
        drawn exactly wherever the camera is; each position takes twice the memory. Needed from some 10,000 units on.
    capacity
        Rows to make room for at once. Columns fetched before the batch outgrows its room go out of date.
    casts_shadow
        Whether it throws the sun's shadow, in a world with `World.shadows`; None: unless it blends or is a wireframe.
    cull
        Leave out instances whose ball is outside the picture. The others' matrices are then computed here and written
        for every frame, which pays where meshes are of hundreds of triangles and most are out of sight. Without it (the
        default) the GPU finds out by itself, and a frame between two ticks costs nothing here, for any number of them.

    Columns
    -------
    ``position`` (n, 3), ``rotation`` (n, 4) unit quaternions x y z w, ``scale`` (n, 3): float32, interpolated.
    ``color`` (n, 4) float32, linear, multiplies the material's; ``visible`` (n,) bool. With motion "hermite" or
    "extrapolate", ``velocity`` and ``spin`` (n, 3); see `Transforms3D`.
    """

    in_world = True
    skin: Skin | None = None
    _matrices: Column | None = None  # model matrices from the eye, which a subclass sends in place of poses

    def __init__(
        self,
        mesh: Mesh,
        count: int = 0,
        *,
        material: Material | None = None,
        motion: str | Extrapolation = "interpolate",
        large_world: bool = False,
        capacity: int = 0,
        casts_shadow: bool | None = None,
        cull: bool = False,
    ) -> None:
        if not isinstance(mesh, Mesh):
            raise TypeError(f"mesh: expected a Mesh, got {mesh!r}")
        self.mesh = mesh
        self.material = Material() if material is None else material
        """May be exchanged at any time."""
        self._casts_shadow = casts_shadow
        self.cull = cull
        """Whether instances outside the picture are left out; may be changed at any time."""
        self._transforms = Transforms3D(motion, large_world=large_world)
        self._color = Column("color", 4, 1.0, interpolated=False)
        self._visible = Column("visible", 1, True, dtype=np.bool_, interpolated=False)
        self._transforms.columns += [self._color, self._visible]
        self._instances: dict[int, Instance] = {}  # those that somebody may hold, by row
        self._gpu: _MeshGpu | None = None
        self._handed_over: Shot | None = None  # for the frame that is drawn
        self._models: tuple[Shot, Floats] | None = None  # of the frame that is drawn
        count, capacity = whole("count", count, 0), whole("capacity", capacity, 0)
        _check_room(max(count, capacity))
        self._transforms.reserve(capacity)
        if count:
            self._transforms.spawn(count)

    # -- columns -------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        """Instances in the batch."""
        return len(self._transforms)

    @property
    def transforms(self) -> Transforms3D:
        """The poses, with `Transforms3D.model_matrices`. Rows are added and removed through the batch only."""
        return self._transforms

    @property
    def position(self) -> Floats:
        return self._transforms.position

    @position.setter
    def position(self, value: ArrayLike) -> None:
        self._transforms.position = value

    @property
    def rotation(self) -> Floats:
        return self._transforms.rotation

    @rotation.setter
    def rotation(self, value: ArrayLike) -> None:
        self._transforms.rotation = value

    @property
    def scale(self) -> Floats:
        return self._transforms.scale

    @scale.setter
    def scale(self, value: ArrayLike) -> None:
        self._transforms.scale = value

    @property
    def velocity(self) -> Floats:
        return self._transforms.velocity

    @velocity.setter
    def velocity(self, value: ArrayLike) -> None:
        self._transforms.velocity = value

    @property
    def spin(self) -> Floats:
        return self._transforms.spin

    @spin.setter
    def spin(self, value: ArrayLike) -> None:
        self._transforms.spin = value

    @property
    def color(self) -> Floats:
        return self._color.values(len(self))

    @color.setter
    def color(self, value: ArrayLike) -> None:
        assign(self._color, len(self), value)

    @property
    def visible(self) -> NDArray[np.bool_]:
        return self._visible.values(len(self))

    @visible.setter
    def visible(self, value: ArrayLike) -> None:
        assign(self._visible, len(self), value)

    # -- rows ----------------------------------------------------------------------------------------------------

    def add(self, **columns: ArrayLike) -> Instance:
        """One more instance: ``add(position=(0, 1, 0), scale=2, color=(1, 0, 0, 1))``; keywords are columns."""
        return self[self.extend(1, **columns).start]

    def extend(self, count: int, **columns: ArrayLike) -> slice:
        """``count`` more rows; returns them as a slice. Keyword arguments are columns: ``position=…, color=…``."""
        count = whole("count", count, 0)
        _check_room(len(self) + count)
        return self._transforms.spawn(count, self._transforms.checked(count, columns))

    def remove(self, rows: Instance | ArrayLike | slice) -> None:
        """Take out an instance, or rows by indices, mask or slice. The others keep their order; numbers close up."""
        if isinstance(rows, Instance):
            rows = [rows._own(self)]
        gone = row_indices(rows, len(self))
        keep = np.ones(len(self), bool)
        keep[gone] = False
        self._keep(np.flatnonzero(keep))

    def clear(self) -> None:
        """Take out every instance."""
        self.remove(slice(None))

    def _keep(self, rows: Rows) -> None:
        places = np.full(len(self), -1, np.intp)
        places[rows] = np.arange(len(rows))
        self._transforms.keep(rows)
        instances, self._instances = self._instances, {}
        for row, instance in instances.items():
            instance._row = int(places[row])
            if instance._row >= 0:
                self._instances[instance._row] = instance

    def teleport(self, rows: Instance | ArrayLike | slice) -> None:
        """Draw rows where this tick leaves them, without a way there. Before or after moving them is the same."""
        if isinstance(rows, Instance):
            rows = [rows._own(self)]
        indices = row_indices(rows, len(self))
        if isinstance(indices, slice) or len(indices):
            self._transforms.teleport(indices)

    def __getitem__(self, row: int) -> Instance:
        """The instance of a row, 0 to len - 1 (negative: from the end). It stays the same when rows close up."""
        n, row = len(self), operator.index(row)
        if not -n <= row < n:
            raise IndexError(f"row: the batch has {n} instances, asked for number {row}")
        row %= n
        instance = self._instances.get(row)
        if instance is None:
            instance = self._instances[row] = Instance(self, row)
        return instance

    def __iter__(self) -> Iterator[Instance]:
        """The instances that are there now. Meanwhile any may be removed and others added."""
        for instance in [self[row] for row in range(len(self))]:
            if not instance.removed:
                yield instance

    def pick(self, origin: ArrayLike, direction: ArrayLike, alpha: float = 1.0) -> Hit | None:
        """What a ray meets first: the nearest visible instance as it is drawn at ``alpha``, or None.

        For what the mouse points at: ``batch.pick(*world.camera.screen_ray(mouse.position))``. Triangles are met from
        the sides that they are seen from. Raises `ValueError` for a ray that is not of finite numbers, or has no way.
        """
        met = picking.nearest(
            self.mesh, self._transforms, origin, direction, alpha,
            among=self._visible.current(len(self)), both_sides=self.material.double_sided,
        )  # fmt: skip
        return None if met is None else Hit(self[met.row], met.distance, met.point, met.normal)

    # -- frames --------------------------------------------------------------------------------------------------

    @property
    def transparent(self) -> bool:
        """Whether what is behind shows through, so that it must be drawn last."""
        return self.material.alpha_mode == "blend"

    @property
    def uploaded_bytes(self) -> int:
        """Bytes of columns written to the GPU so far."""
        return 0 if self._gpu is None else sum(buffer.uploaded for buffer in self._gpu.buffers)

    def attach(self, graphics: Graphics, programs: Programs) -> None:
        """The batch was added to a world: make what it needs on the GPU."""
        if self._gpu is not None:
            raise ValueError("batch: it was added to a world already")
        if not isinstance(programs, WorldAssets):
            raise TypeError(f"programs: expected the WorldAssets of a World, got {programs!r}")
        self._gpu = _MeshGpu(graphics, programs, self)
        for column in self._transforms.columns:
            column.touch()  # to be handed over, also before the first tick

    def begin_tick(self, dt: float) -> None:
        self._transforms.begin_tick(dt)

    def end_tick(self) -> None:
        self._transforms.end_tick()

    def notice_writes(self) -> None:
        """While no ticks run, draw rows that were written since the last call where they are now."""
        self._transforms.notice_writes()

    def hand_over(self) -> None:
        """Upload what changed since the last time: nothing, between two ticks of a game that left it alone."""
        gpu, transforms = self._attached, self._transforms
        transforms.settle()
        if not (transforms.ticked or any([c.touched_since_hand_over for c in transforms.columns])):  # noqa: C419
            return
        n = len(transforms)
        gpu.reserve(transforms.capacity)
        for buffer in gpu.blended:
            buffer.hand_over(n, transforms.ticked, None)
        if gpu.predicted is not None:
            gpu.predicted.hand_over_single(n, None)
            for column in transforms.unsent:
                column.handed_over(n, column.changed(n))
        gpu.color.hand_over_single(n, None)
        gpu.visible.hand_over_single(n, None)
        transforms.ticked = False

    @property
    def casts_shadow(self) -> bool:
        """Whether it throws the sun's shadow."""
        if self._casts_shadow is not None:
            return self._casts_shadow
        return not (self.transparent or self.material.wireframe)

    @casts_shadow.setter
    def casts_shadow(self, value: bool | None) -> None:
        self._casts_shadow = value

    def draw(self) -> None:
        """Draw. The frame's and the world's uniform blocks are bound, the target is set.

        Of a material that blends, the instances are drawn from the farthest to the nearest.
        """
        if not self.cull or self.skin is not None:  # else it needs no columns on the GPU, but for its shadow
            self._hand_over_once()
        if len(self):
            self._attached.draw(self)

    def draw_shadow(self) -> None:
        """Draw its depth, seen from the sun."""
        self._hand_over_once()
        if len(self):
            self._attached.draw_shadow(self)

    def _hand_over_once(self) -> None:
        """`hand_over` for a frame, in which there may be shadows to draw first."""
        shot = self._attached.assets.shot
        if self._handed_over is not shot or shot is None:
            self._handed_over = shot
            self.hand_over()

    def depth(self) -> float:
        """How far from the camera the middle of its instances is drawn, in units; before the first frame, 0."""
        shot = None if self._gpu is None else self._gpu.assets.shot
        if shot is None or not len(self):
            return 0.0
        place = self._models_from_eye(shot)[:, 3, :3].mean(axis=0, dtype=np.float64)
        return float(np.nan_to_num(np.linalg.norm(place)))

    def _in_view(self, shot: Shot) -> NDArray[np.bool_]:
        """Whether the balls about the rows are in the picture: (n,)."""
        centers, radii = self._transforms.balls(shot.alpha, self.mesh)
        return shot.sees((centers - shot.eye.astype(centers.dtype)).astype(np.float32), radii)

    def _models_from_eye(self, shot: Shot, rows: Rows | None = None) -> Floats:
        """The model matrices that are drawn, their places counted from the eye: float32 (n, 4, 4); of ``rows``, or all.
        """
        if rows is not None:
            position, rotation, scale = self._transforms.pose(shot.alpha, rows)
            return matrices((position.astype(np.float64) - shot.eye).astype(np.float32), rotation, scale)
        if self._models is None or self._models[0] is not shot:
            position, rotation, scale = self._transforms.pose(shot.alpha)
            place = (position.astype(np.float64) - shot.eye).astype(np.float32)
            self._models = shot, matrices(place, rotation, scale)
        return self._models[1]

    def release(self) -> None:
        if self._gpu is not None:
            self._gpu.release()
            self._gpu = None

    @property
    def _attached(self) -> _MeshGpu:
        if self._gpu is None:
            raise AssetError("this batch is not in a game yet: game.add(batch) makes it ready")
        return self._gpu


class _MeshGpu:
    """Everything of a batch that lives on the GPU."""

    def __init__(self, graphics: Graphics, assets: WorldAssets, batch: MeshBatch) -> None:
        ctx = self._ctx = graphics.ctx
        self.assets = assets
        motion, transforms = batch._transforms.motion, batch._transforms
        defines = {f"MOTION_{motion.upper()}": 1} if motion in MOTIONS else {}
        if transforms.large_world:
            defines["LARGE_WORLD"] = 1
        if batch._matrices is not None:
            defines = {"SKIN": 1} if batch.skin is not None else {"MODEL_MATRIX": 1}
        self._surface = MaterialGpu(assets, "meshes.vert", defines)
        self._sorted: _SortedGpu | None = None  # of a material that blends
        self._surface.follow(batch.material)
        self._vertices = ctx.buffer(batch.mesh.vertices())
        self._indices = ctx.buffer(batch.mesh.indices)
        own = batch._matrices is None
        self.blended = [ColumnBuffer(ctx, column) for column in transforms.blended] if own else []
        self.matrices = None if batch._matrices is None else ColumnBuffer(ctx, batch._matrices)
        self._joints = None if batch.skin is None else JointsGpu(ctx, batch.skin)
        self.predicted = None if transforms.predicted is None else ColumnBuffer(ctx, transforms.predicted)
        self.color = ColumnBuffer(ctx, batch._color)
        self.visible = ColumnBuffer(ctx, batch._visible)
        self.buffers = [*self.blended, self.color, self.visible]
        if self.predicted is not None:
            self.buffers.append(self.predicted)
        if self.matrices is not None:
            self.buffers.append(self.matrices)
        self._arrays: dict[tuple[object, ...], moderngl.VertexArray] = {}

    def reserve(self, rows: int) -> None:
        """Make room for ``rows`` rows."""
        for buffer in self.buffers:
            if buffer.reserve(rows):
                self._drop_arrays()

    def draw(self, batch: MeshBatch) -> None:
        material, surface = batch.material, self._surface
        picked = batch.cull or (material.alpha_mode == "blend" and len(batch) > 1)
        if picked and batch.skin is None:
            self._draw_sorted(batch)
            return
        if surface.follow(material):
            self._drop_arrays()
        surface.use()
        self._set_motion(surface.program, batch)
        _render(self._ctx, self._array(surface.program), len(batch), material.wireframe)

    def draw_shadow(self, batch: MeshBatch) -> None:
        if self._surface.follow(batch.material):
            self._drop_arrays()
        program = self._surface.shadow_program(batch.material)
        self._surface.use_for_shadow()
        self._set_motion(program, batch)
        _render(self._ctx, self._array(program), len(batch), batch.material.wireframe)

    def _draw_sorted(self, batch: MeshBatch) -> None:
        if self._sorted is None:
            self._sorted = _SortedGpu(self.assets, self._vertices, self._indices)
        self._sorted.draw(batch)

    def _set_motion(self, program: moderngl.Program, batch: MeshBatch) -> None:
        motion = batch._transforms.motion_uniform
        if motion is not None:
            _set(program, "motion", motion)
        if self._joints is not None:
            self._joints.use(program)

    def send_joints(self, matrices: Floats) -> None:
        """The joint matrices of all instances: (instances, joints, 4, 4)."""
        assert self._joints is not None
        self._joints.write(matrices)

    def _array(self, program: moderngl.Program) -> moderngl.VertexArray:
        slots = [slot for buffer in self.blended for slot in (buffer.previous, buffer.current)]
        key = (program, *slots)
        array = self._arrays.get(key)
        if array is None:
            array = self._arrays[key] = self._make_array(program)
        return array

    def _make_array(self, program: moderngl.Program) -> moderngl.VertexArray:
        content: list[tuple[Any, ...]] = []
        for buffer in self.blended:
            for slot, name in ((buffer.previous, "in_previous_"), (buffer.current, "in_")):
                layout: tuple[str, ...] = (f"{buffer.column.width}f/i", name + buffer.column.name)
                if buffer.column.sent_in_cells:
                    layout = ("3f 3f/i", f"{layout[1]}_cell", layout[1])
                content.append((buffer.buffer_of(slot), *_used(program, layout)))
        content.append((self.color.buffer_of(0), *_used(program, ("4f/i", "in_color"))))
        content.append((self.visible.buffer_of(0), *_used(program, ("1u1/i", "in_visible"))))
        content = [part for part in content if len(part) > 2]  # what the program reads
        if self.predicted is not None:
            content.append((self.predicted.buffer_of(0), *_used(program, _STATE)))
        if self.matrices is not None and "in_model_0" in program:
            content.append((self.matrices.buffer_of(0), "4f 4f 4f 4f/i", *[f"in_model_{row}" for row in range(4)]))
        if self._joints is not None:
            content.append((self._joints.vertices, "4u2 4f", "in_joints", "in_weights"))
        content.append((self._vertices, *_used(program, _VERTEX)))
        return self._ctx.vertex_array(program, content, index_buffer=self._indices)

    def _drop_arrays(self) -> None:
        for array in self._arrays.values():
            array.release()
        self._arrays.clear()

    def release(self) -> None:
        self._drop_arrays()
        if self._sorted is not None:
            self._sorted.release()
        self._surface.release()
        if self._joints is not None:
            self._joints.release()
        for buffer in self.buffers:
            buffer.release()
        self._vertices.release()
        self._indices.release()


class JointsGpu:
    """Of a skin: joints and weights of its vertices, and a texture of joint matrices, written for each frame."""

    def __init__(self, ctx: moderngl.Context, skin: Skin) -> None:
        self._ctx = ctx
        self._count = len(skin.nodes)
        self.vertices = ctx.buffer(skin.vertices())
        self._texture: moderngl.Texture | None = None

    def write(self, matrices: Floats) -> None:
        """The matrices (instances, joints, 4, 4): four texels each, as many in a row as fit."""
        count = matrices.shape[0] * matrices.shape[1]
        rows = -(-count // _JOINTS_A_ROW)
        if self._texture is None or self._texture.height < rows:
            if self._texture is not None:
                self._texture.release()
            self._texture = self._ctx.texture((4 * _JOINTS_A_ROW, rows), 4, dtype="f4")
            self._texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
        padded = np.zeros((rows * _JOINTS_A_ROW, 16), np.float32)
        padded[:count] = matrices.reshape(count, 16)
        self._texture.write(padded, viewport=(0, 0, 4 * _JOINTS_A_ROW, rows))

    def use(self, program: moderngl.Program) -> None:
        assert self._texture is not None
        self._texture.use(JOINTS_UNIT)
        _set(program, "joint_matrices", JOINTS_UNIT)
        _set(program, "joint_count", self._count)

    def release(self) -> None:
        self.vertices.release()
        if self._texture is not None:
            self._texture.release()


class _SortedGpu:
    """Instances that let through what is behind them: written for each frame, as model matrices, the farthest first."""

    def __init__(self, assets: WorldAssets, vertices: moderngl.Buffer, indices: moderngl.Buffer) -> None:
        self._assets = assets
        self._ctx = assets.graphics.ctx
        self._surface = MaterialGpu(assets, "meshes.vert", {"MODEL_MATRIX": 1})
        self._vertices, self._indices = vertices, indices
        self._rows: moderngl.Buffer | None = None
        self._array: moderngl.VertexArray | None = None

    def draw(self, batch: MeshBatch) -> None:
        rows = self._farthest_first(batch)
        if not len(rows):
            return
        if self._surface.follow(batch.material):
            self._drop()
        array = self._written(rows, len(batch))
        self._surface.use()
        _render(self._ctx, array, len(rows), batch.material.wireframe)

    def _written(self, rows: Floats, room: int) -> moderngl.VertexArray:
        """The vertex array that draws ``rows``, with room for as many as the batch has."""
        if self._rows is None or self._array is None or self._rows.size < rows.nbytes:
            self._drop()
            program = self._surface.program
            self._rows = self._ctx.buffer(reserve=room * rows.strides[0], dynamic=True)
            content = [(self._rows, *_used(program, _MATRIX_ROW)), (self._vertices, *_used(program, _VERTEX))]
            self._array = self._ctx.vertex_array(program, content, index_buffer=self._indices)
        if rows.nbytes < self._rows.size:
            self._rows.orphan()
        self._rows.write(rows)
        return self._array

    def _farthest_first(self, batch: MeshBatch) -> Floats:
        """Visible rows as the shader reads them: float32 (n, 17), the last column the visibility's bits."""
        shot = self._assets.shot
        assert shot is not None
        n = len(batch)
        shown = np.flatnonzero(batch._visible.current(n))
        if batch.cull:
            shown = shown[batch._in_view(shot)[shown]]
            models = batch._models_from_eye(shot, shown)[:, :, :3]
        else:
            models = batch._models_from_eye(shot)[shown, :, :3]
        order = np.argsort(-np.einsum("ij,ij->i", models[:, 3], models[:, 3]), kind="stable")
        rows = np.empty((len(order), 17), np.float32)
        rows[:, :12] = models[order].reshape(-1, 12)
        rows[:, 12:16] = batch._color.current(n)[shown[order]]
        rows[:, 16:].view(np.uint32)[:] = 1
        return rows

    def _drop(self) -> None:
        for part in (self._array, self._rows):
            if part is not None:
                part.release()
        self._array = self._rows = None

    def release(self) -> None:
        self._drop()
        self._surface.release()


def _render(ctx: moderngl.Context, array: moderngl.VertexArray, count: int, wireframe: bool) -> None:
    if wireframe:
        ctx.wireframe = True
    array.render(moderngl.TRIANGLES, instances=count)
    if wireframe:
        ctx.wireframe = False


def _set(program: moderngl.Program, name: str, value: Any) -> None:
    member = program.get(name, None)
    if isinstance(member, moderngl.Uniform):
        member.value = value


def _used(program: moderngl.Program, layout: tuple[str, ...]) -> tuple[str, ...]:
    """A buffer's layout with what the program does not read left out: a shader of the game's own may do without."""
    formats, _, per = layout[0].partition("/")
    parts, names = [], []
    for part, name in zip(formats.split(), layout[1:], strict=True):
        read = name in program
        parts.append(part if read else f"{4 * int(part[0])}x")
        names += [name] if read else []
    return (" ".join(parts) + (f"/{per}" if per else ""), *names)


class Instance:
    """One row of a `MeshBatch`, with properties. Made by ``batch.add(…)`` or ``batch[row]``, never directly.

    After `remove` it is no more: using it is a `ValueError`.
    """

    __slots__ = ("_batch", "_row")

    def __init__(self, batch: MeshBatch, row: int) -> None:
        self._batch = batch
        self._row = row

    def __repr__(self) -> str:
        return "<Instance, removed>" if self.removed else f"<Instance at {tuple(self.position)}>"

    @property
    def batch(self) -> MeshBatch:
        return self._batch

    @property
    def row(self) -> int:
        """Its number in the batch now."""
        return self._own(self._batch)

    @property
    def removed(self) -> bool:
        return self._row < 0

    @property
    def position(self) -> tuple[float, float, float]:
        x, y, z = self._read(self._batch._transforms._position)
        return x, y, z

    @position.setter
    def position(self, value: ArrayLike) -> None:
        self._write(self._batch._transforms._position, value)

    @property
    def rotation(self) -> tuple[float, float, float, float]:
        """A unit quaternion x y z w."""
        x, y, z, w = self._read(self._batch._transforms._rotation)
        return x, y, z, w

    @rotation.setter
    def rotation(self, value: ArrayLike) -> None:
        self._write(self._batch._transforms._rotation, value)

    @property
    def scale(self) -> tuple[float, float, float]:
        """Factors along x, y and z; one number sets all."""
        x, y, z = self._read(self._batch._transforms._scale)
        return x, y, z

    @scale.setter
    def scale(self, value: ArrayLike) -> None:
        self._write(self._batch._transforms._scale, value)

    @property
    def velocity(self) -> tuple[float, float, float]:
        """Units a simulated second, in a batch whose motion knows of it."""
        x, y, z = self._read(self._batch._transforms.speed("velocity"))
        return x, y, z

    @velocity.setter
    def velocity(self, value: ArrayLike) -> None:
        self._write(self._batch._transforms.speed("velocity"), value)

    @property
    def spin(self) -> tuple[float, float, float]:
        """Radians a simulated second about the world's axes, in a batch whose motion knows of it."""
        x, y, z = self._read(self._batch._transforms.speed("spin"))
        return x, y, z

    @spin.setter
    def spin(self, value: ArrayLike) -> None:
        self._write(self._batch._transforms.speed("spin"), value)

    @property
    def color(self) -> tuple[float, float, float, float]:
        """Red, green, blue and alpha, linear."""
        red, green, blue, alpha = self._read(self._batch._color)
        return red, green, blue, alpha

    @color.setter
    def color(self, value: ArrayLike) -> None:
        self._write(self._batch._color, value)

    @property
    def visible(self) -> bool:
        return bool(self._batch._visible._current[self._own(self._batch)])

    @visible.setter
    def visible(self, value: bool) -> None:
        self._write(self._batch._visible, bool(value))

    def drawn_position(self, alpha: float) -> tuple[float, float, float]:
        """Where it is drawn at ``alpha``."""
        row = self._own(self._batch)
        x, y, z = self._batch._transforms.pose(alpha, slice(row, row + 1))[0][0].tolist()
        return x, y, z

    def drawn_rotation(self, alpha: float) -> tuple[float, float, float, float]:
        """How it is turned as it is drawn at ``alpha``: a unit quaternion."""
        row = self._own(self._batch)
        x, y, z, w = self._batch._transforms.pose(alpha, slice(row, row + 1))[1][0].tolist()
        return x, y, z, w

    def teleport(self, position: ArrayLike | None = None) -> None:
        """Be drawn where this tick leaves it, without a way there; ``position`` is set first when given."""
        if position is not None:
            self.position = position
        self._batch.teleport(self)

    def remove(self) -> None:
        """Leave the batch. A second time is a `ValueError`."""
        self._batch.remove(self)

    def _own(self, batch: MeshBatch) -> int:
        if self._batch is not batch:
            raise ValueError("instance: it belongs to another batch")
        if self._row < 0:
            raise ValueError("instance: it was removed from its batch; make a new one with batch.add(…)")
        return self._row

    def _read(self, column: Column) -> list[float]:
        values: list[float] = column._current[self._own(self._batch)].tolist()
        return values

    def _write(self, column: Column, value: Any) -> None:
        row = self._own(self._batch)
        try:
            column._current[row] = value
        except (TypeError, ValueError):
            shape = "one number" if column.width == 1 else f"{column.width} numbers"
            raise ValueError(f"{column.name}: expected {shape}, got {value!r}") from None
        column.touch()


def _check_room(rows: int) -> None:
    if rows > MAX_INSTANCES:
        raise ValueError(f"count: {rows:,} instances, a batch holds at most {MAX_INSTANCES:,}; use several")
