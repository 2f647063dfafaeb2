"""Crowds: thousands of copies of an animated model, whose animations the GPU plays."""

from __future__ import annotations

__all__ = ["Crowd", "CrowdInstance"]

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Doubles, Floats, Mask, Rows
from ..checks import Sealed, Setting, flag, instance, number, shown, wrong_type, wrong_value
from ..geometry import quaternions, rays
from ..geometry.mesh import Mesh
from ..models.baked_animations import MAX_RATE, BakedMesh, BakedModel
from ..models.materials import Material
from ..models.model import Model
from ..other_engines.other_options import made_by
from ..state.columns import ColumnValues, TableColumn
from ..state.own_columns import add_own_columns, checked_columns
from ..state.rows import Handle, Handled, RowColor, RowCoordinate, RowValue, chosen_rows, handle_of
from .crowd_playback import REST, CrowdTable
from .picking import Hit
from .row_picking import first_hit
from .solids import SolidFrontend

_MAX_SECONDS = 1e9


class CrowdParts(NamedTuple):
    """The objects that a `Crowd` passes to its backend, the object that draws the crowd."""

    color: TableColumn
    visible: TableColumn


class Crowd(Handled["CrowdInstance"], SolidFrontend, Sealed):
    """Thousands of copies of an animated `Model`. The GPU plays the animations of all copies.

        herd = self.add(fw.Crowd(fw.Model("fox.glb"), 10_000))
        herd.play("Run", speed=herd_speeds)

    A `Crowd` needs only about one hundredth of the CPU time of a `ModelBatch`. When you create a
    crowd, it "bakes" its animations: it computes ``rate`` poses per second of animation, and stores
    them in a texture. The copies have no nodes, so you cannot, for example, turn the head of a
    single copy. Use a `ModelBatch` for this.

    Parameters
    ----------
    model
        The `Model` that all copies show.
    count
        The number of copies that the new crowd contains. All copies start at (0, 0, 0).
    rate
        The number of poses per second that the crowd stores for each animation. ``rate`` is 60 by
        default. Between two stored poses, each joint moves in a straight line. A lower ``rate``
        needs less memory.
    cull
        Whether to skip copies outside the view (culling). ``cull`` is False by default. With
        culling, the CPU uploads the columns of the visible copies in every frame. Culling saves GPU
        time if most copies are outside the view. Skipped copies still cast their shadows.
    casts_shadow
        Whether the copies cast shadows in sunlight, if `World.shadows` is set. By default, each
        mesh of the model casts shadows, unless its material is transparent or a wireframe.
    large_world
        Whether the batch stores positions as float64 instead of float32. float64 positions are
        precise even at a distance of a million units from the origin.
    columns
        Your own columns, as a dict with default values, such as ``{"hp": 3.0}``. See `fw.Column`.

    Columns
    -------
    position
        float32 (n, 3): positions in units, interpolated. With ``large_world``, the positions are
        float64.
    rotation
        float32 (n, 4): unit quaternions x y z w, interpolated.
    scale
        float32 (n, 3): scale factors along x, y and z, interpolated.
    color
        float32 (n, 4): linear colors that are multiplied with the colors of the materials.
    visible
        bool (n,): whether each copy is drawn.
    time
        float64 (n,): the current time in each copy's animation, in seconds. In each tick, the time
        increases by the tick length times the animation speed. If the game sets ``time``, the
        frames after the next tick show the new time.
    animation_speed
        float64 (n,): the animation speed of each copy. The normal speed of an animation is 1.
    """

    __slots__ = ("_baked", "_casts_shadow", "_color", "_consists_of", "_cull", "_table", "_visible")

    _transient_attributes = ("_baked",)
    _rows_can_be_saved = True
    _noun = "copies"
    _takes_columns = True
    _backend_in = "framework.space.crowd_drawing"

    _table: CrowdTable
    _consists_of: list[CrowdPart]

    position = ColumnValues[Any](
        "Positions in units: float32 (n, 3), or float64 in a large world. Interpolated."
    )
    rotation = ColumnValues[Floats](
        "Rotations as unit quaternions (x, y, z, w): float32 (n, 4), interpolated."
    )
    scale = ColumnValues[Floats]("Scale factors along x, y and z: float32 (n, 3), interpolated.")
    color = ColumnValues[Floats](
        "Linear colors that multiply the colors of the materials: float32 (n, 4)."
    )
    visible = ColumnValues[NDArray[np.bool_]]("Whether each copy is drawn: bool (n,).")
    time = ColumnValues[Doubles](
        "The time of each copy in its animation, in seconds: float64 (n,). If the game writes a "
        "time, frames show the pose of this time after the next tick."
    )
    animation_speed = ColumnValues[Doubles](
        "The speed of each copy's animation: float64 (n,). The normal speed is 1. With a negative "
        "speed, the animation plays backwards."
    )
    cull = Setting(
        flag,
        "Whether copies outside the view are not drawn. You can change this setting at any time.",
    )

    def __init__(
        self,
        model: Model,
        count: int = 0,
        *,
        rate: float = 60.0,
        cull: bool = False,
        casts_shadow: bool | None = None,
        large_world: bool = False,
        columns: Mapping[str, Any] | None = None,
    ) -> None:
        own = checked_columns("columns", columns)
        self._backend = None
        rate = number("rate", rate, above=0, most=MAX_RATE)
        self._baked = BakedModel(instance("model", model, Model), rate)
        self.cull = cull
        self.casts_shadow = casts_shadow
        self._table = CrowdTable(self._baked, large_world=large_world)
        self._color = TableColumn("color", 4, 1.0, interpolated=False, color_space="linear")
        self._visible = TableColumn("visible", 1, True, dtype=np.bool_, interpolated=False)
        self._table.add_columns(self._color, self._visible)
        add_own_columns(self, self._table, own)
        self._consists_of = [CrowdPart(self, index) for index in range(len(self._baked.meshes))]
        self._start_with(count, 0)

    @property
    def model(self) -> Model:
        """The model that all copies show."""
        return self._baked.model

    @property
    def rate(self) -> float:
        """The number of poses per second that the crowd stores for each animation."""
        return self._baked.rate

    @property
    def casts_shadow(self) -> bool | None:
        """Whether the copies cast shadows in sunlight.

        By default, `casts_shadow` is None. In this case, a mesh of the model casts shadows unless
        its material is transparent or a wireframe.
        """
        return self._casts_shadow

    @casts_shadow.setter
    def casts_shadow(self, value: bool | None) -> None:
        self._casts_shadow: bool | None = None if value is None else flag("casts_shadow", value)

    def _parts(self) -> CrowdParts:
        return CrowdParts(self._color, self._visible)

    # -- animations --------------------------------------------------------------------------------

    def play(
        self,
        name: str | None,
        rows: CrowdInstance | ArrayLike | slice = slice(None),
        *,
        loop: bool = True,
        speed: ArrayLike = 1.0,
        fade: ArrayLike = 0.2,
        start: ArrayLike = 0.0,
    ) -> None:
        """Play an animation of the model on some of the copies. The animation starts in the next
        tick.

        If ``name`` is None, the copies return to the rest pose.

        Parameters
        ----------
        name
            The name of the animation.
        rows
            The copies that play the animation: a copy, row indices, a mask or a slice. ``rows``
            defaults to all copies.
        loop
            Whether the animation repeats. ``loop`` is True by default.
        speed
            A factor for the normal speed of the animation. With a negative ``speed``, the animation
            plays backwards. Pass one number, or an array with one number for each of ``rows``. To
            change the speed later, write to the column `animation_speed`.
        fade
            How many simulated seconds the previous animation takes to fade out. Pass one number, or
            one number for each of ``rows``.
        start
            The start time in the animation, in seconds. Pass one number, or one number for each of
            ``rows``. With a random ``start`` for each row, the movements of the copies are not
            synchronized.

        If the model has no animation ``name``, `play` raises a `ValueError` that lists the model's
        animations.
        """
        table = self._table
        chosen = chosen_rows(self, rows)
        count = len(chosen) if not isinstance(chosen, slice) else chosen.stop - chosen.start
        table.play(
            chosen,
            self._number("name", name),
            flag("loop", loop),
            _for_each("speed", speed, count, -_MAX_SECONDS),
            _for_each("fade", fade, count, 0.0),
            _for_each("start", start, count, -_MAX_SECONDS),
        )

    def playing(self, name: str | None) -> Rows:
        """Return the rows that are playing the animation ``name``, or that show its last pose after
        it has ended. The rows are in ascending order.

        If ``name`` is None, return the rows in the rest pose.
        """
        return self._table.playing(self._number("name", name))

    @property
    def finished(self) -> NDArray[np.bool_]:
        """Whether the animation of each copy has ended, as a bool array with the shape (n,). For a
        copy without an animation, the value is True.

        An animation with ``loop=True`` never ends.
        """
        return self._table.finished()

    def _number(self, argument: str, name: str | None) -> int:
        if name is None:
            return REST
        self.model.animation(name)
        return 1 + list(self.model.animations).index(name)

    # -- rays and poses ----------------------------------------------------------------------------

    def pick(
        self, origin: ArrayLike, direction: ArrayLike, alpha: float = 1.0
    ) -> Hit[CrowdInstance] | None:
        """Return a `Hit` for the first visible copy that a ray hits, or None. For the arguments, see
        `MeshBatch.pick`.

        The ray is tested against the animated triangles, as they are drawn in a frame. ``alpha`` is
        the time since the last tick, as a fraction of a tick.
        """
        start, along = rays.checked_ray(origin, direction)
        alpha = number("alpha", alpha)
        table = self._table
        centers, radii = table.spheres(alpha, self._baked.radius)
        entry = rays.ray_spheres(
            start.astype(centers.dtype), along.astype(centers.dtype), centers, radii * 1.01
        )
        entry = np.where(self._visible.current(table.count), entry, np.inf)
        hit = first_hit(
            entry, start, along, lambda row: self._first_triangle(row, start, along, alpha)
        )
        return None if hit is None else Hit(self[hit.row], hit.distance, hit.point, hit.normal)

    def _first_triangle(
        self, row: int, start: Doubles, along: Doubles, alpha: float
    ) -> tuple[float, Doubles]:
        """Return the distance along a ray to the first triangle of one copy, in units, and the
        corners of this triangle in world coordinates, with the shape (3, 3). If the ray hits no
        triangle, the distance is infinite.
        """
        table = self._table
        position, rotation, scale = [
            part[0].astype(np.float64) for part in table.pose(alpha, slice(row, row + 1))
        ]
        is_copy_mirrored = float(scale.prod()) < 0
        pose, weights = table.drawn_pose(row, alpha)
        joints = self._baked.joint_matrices(pose)[0]
        nearest = math.inf
        first: Doubles = np.zeros((3, 3))
        for baked in self._baked.meshes:
            bent, is_mirrored = _bent(baked, joints, weights)
            rotations = np.broadcast_to(rotation, (len(bent), 4))
            vertices: Doubles = quaternions.rotate(rotations, bent * scale) + position
            corners = vertices[baked.mesh.indices].reshape(-1, 3, 3)
            distance, side = rays.ray_triangles(start, along, corners)
            if not baked.material.double_sided:
                # If a triangle is mirrored, its front and back are swapped.
                is_swapped = is_mirrored[baked.mesh.indices[2::3]] != is_copy_mirrored
                front = np.where(is_swapped, -1, 1)
                distance = np.where(side * front > 0, distance, np.inf)
            distance = np.where(np.isnan(distance), np.inf, distance)
            if not len(distance):
                continue
            index = int(np.argmin(distance))
            if distance[index] < nearest:
                nearest = float(distance[index])
                first = corners[index]
        return nearest, first

    def _drawn_pose(self, row: int, alpha: float) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the position and rotation with which a row is drawn in a frame. ``alpha`` is the
        time since the last tick, as a fraction of a tick.
        """
        position, rotation, _ = self._table.pose(alpha, slice(row, row + 1))
        return position[0], rotation[0]


class CrowdPart(SolidFrontend, Sealed):
    """One mesh of a crowd's model. All copies of the crowd show the mesh."""

    __slots__ = ("crowd", "index", "material")

    _transient_attributes = ("material",)
    _backend_in = "framework.space.crowd_drawing"

    def __init__(self, crowd: Crowd, index: int) -> None:
        self._backend = None
        self.crowd = crowd
        self.index = index
        self.material: Material = self.baked.material

    @property
    def baked(self) -> BakedMesh:
        """The mesh of the model, with the joints that move its vertices."""
        return self.crowd._baked.meshes[self.index]

    @property
    def mesh(self) -> Mesh:
        return self.baked.mesh

    @property
    def cull(self) -> bool:
        return self.crowd.cull

    @property
    def casts_shadow(self) -> bool:
        """Whether the mesh casts shadows in sunlight."""
        chosen = self.crowd.casts_shadow
        if chosen is not None:
            return chosen
        return not (self.material.alpha_mode == "blend" or self.material.wireframe)

    def _parts(self) -> Crowd:
        return self.crowd


@handle_of(Crowd)
@made_by("write crowd = self.add(fw.Crowd(model)) and crowd.add(position=(x, y, z))")
class CrowdInstance(Handle["Crowd"], Sealed):
    """One copy in a `Crowd`. You can read and write the columns of the crowd as properties of the
    copy.

    ``crowd.add(…)`` and ``crowd[row]`` return a `CrowdInstance`. Once the copy has been removed,
    its properties and methods raise `ValueError`.
    """

    __slots__ = ()

    _noun = "instance"

    position = RowValue[tuple[float, float, float]]("The position of the copy in units.")
    x = RowCoordinate(0, "The x coordinate of the copy's position, in units.")
    y = RowCoordinate(1, "The y coordinate of the copy's position, in units. Positive y is up.")
    z = RowCoordinate(2, "The z coordinate of the copy's position, in units.")
    rotation = RowValue[tuple[float, float, float, float]](
        "The rotation of the copy as a unit quaternion (x, y, z, w)."
    )
    scale = RowValue[tuple[float, float, float]](
        "The scale factors along x, y and z. One number sets all three factors."
    )
    color = RowColor(
        "The linear color (red, green, blue, alpha). A color of three numbers does not change "
        "alpha."
    )
    visible = RowValue[bool]("Whether the copy is drawn.")
    time = RowValue[float](
        "The current time in the animation of the copy, in seconds. If the game sets a time, "
        "frames show the pose of this time after the next tick."
    )
    animation_speed = RowValue[float](
        "The speed of the animation. The normal speed is 1. With a negative speed, the animation "
        "plays backwards."
    )

    def __repr__(self) -> str:
        return "<CrowdInstance, removed>" if self.removed else f"<CrowdInstance at {self.position}>"

    def play(
        self,
        name: str | None,
        *,
        loop: bool = True,
        speed: float = 1.0,
        fade: float = 0.2,
        start: float = 0.0,
    ) -> None:
        """Start an animation on this copy. For the arguments, see `Crowd.play`."""
        self.batch.play(name, [self.row], loop=loop, speed=speed, fade=fade, start=start)

    @property
    def playing(self) -> str | None:
        """The name of the animation that the copy is playing. `playing` is None if the copy is in
        the rest pose.
        """
        crowd = self.batch
        animation = crowd._table.animation_of(self.row)
        return None if animation == REST else list(crowd.model.animations)[animation - 1]

    @property
    def finished(self) -> bool:
        """Whether the animation of the copy has ended. `finished` is True if the copy has no
        animation.

        An animation with ``loop=True`` never ends.
        """
        row = self.row
        return bool(self.batch._table.finished(slice(row, row + 1))[0])

    def drawn_position(self, alpha: float) -> tuple[float, float, float]:
        """Return the position at which the copy is drawn in a frame, in world units. ``alpha`` is
        the time since the last tick, as a fraction of a tick.
        """
        position, _ = self.batch._drawn_pose(self.row, alpha)
        numbers: list[float] = position.tolist()
        x, y, z = numbers
        return x, y, z

    def drawn_rotation(self, alpha: float) -> tuple[float, float, float, float]:
        """Return the rotation with which the copy is drawn in a frame, as a unit quaternion x y z
        w. ``alpha`` is the time since the last tick, as a fraction of a tick.
        """
        _, rotation = self.batch._drawn_pose(self.row, alpha)
        numbers: list[float] = rotation.tolist()
        x, y, z, w = numbers
        return x, y, z, w


def _for_each(name: str, value: ArrayLike, count: int, least: float) -> float | Doubles:
    """Check the argument ``value`` and return it. ``value`` is a number, or an array with one
    number for each of ``count`` rows. All numbers must be at least ``least``.
    """
    try:
        values = np.asarray(value)
    except ValueError:  # NumPy raises this error for rows of different lengths
        raise wrong_type(name, "a number, or one for each row", value) from None
    if not values.ndim:
        return number(name, value, least=least, most=_MAX_SECONDS)
    if values.dtype.kind not in "iuf":
        raise wrong_type(name, "a number, or one for each row", value)
    if values.shape != (count,):
        raise ValueError(
            f"{name}: expected a number, or one for each of {count:,} rows, got {shown(value)}"
        )
    per_row: Doubles = values.astype(np.float64)
    if not ((per_row >= least) & (per_row <= _MAX_SECONDS)).all():
        raise wrong_value(name, f"numbers from {least:g} to {_MAX_SECONDS:g}", value)
    return per_row


def _bent(baked: BakedMesh, joints: Doubles, weights: Floats) -> tuple[Doubles, Mask]:
    """Return the vertices of a mesh after its joints and morph targets have moved them, with the
    shape (v, 3) for v vertices. Also return whether the joints mirror each vertex, as a bool array
    with the shape (v,).
    """
    positions: NDArray[Any] = baked.mesh.positions
    if baked.targets is not None:
        first = baked.first_weight
        positions = baked.targets.blended(positions, weights[first : first + len(baked.targets)])
    blended: Doubles = np.zeros((len(positions), 4, 4))
    for corner in range(4):
        blended += baked.weights[:, corner, None, None] * joints[baked.joints[:, corner]]
    turn = blended[:, :3, :3]
    vertices: Doubles = np.einsum("va,vab->vb", positions, turn) + blended[:, 3, :3]
    return vertices, np.linalg.det(turn) < 0
