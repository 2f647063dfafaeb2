"""Models from files: loaded once, drawn many times, each copy with a pose and an animation of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Floats, Rows
from ..assets.model import Model
from ..assets.parts import Part
from ..checks import Sealed, flag, instance, number, whole
from ..gpu.drawable import SolidDefaults
from ..gpu.graphics import Graphics
from ..gpu.shaders import Programs
from ..state.columns import Cells, Column, Table, assign_to
from ..state.nodes import Node, Nodes3D
from ..state.rows import Cell, ColorCell, Handle, Handled
from .node_meshes import NodeMeshes
from .playback import Playback, Track

_POSE = ("position", "rotation", "scale")


class _RootCells(Cells[Floats]):
    """A column of the nodes that copies hang on."""

    def __get__(self, batch: Any, owner: type) -> Any:
        return self if batch is None else getattr(batch.nodes, self.name)[:: batch.stride]

    def __set__(self, batch: Any, value: ArrayLike) -> None:
        assign_to(self.name, getattr(batch.nodes, self.name)[:: batch.stride], value)


class ModelBatch(Handled["ModelInstance"], SolidDefaults, Sealed):
    """Copies of a `Model`, each with a pose of its own, and animations: ``self.add(fw.ModelBatch(model, 20))``.

    Each mesh of the model is drawn in one call for all copies. Poses and joints are blended on the CPU in each frame
    (for thousands of copies that do not move in themselves, see `Model.merged`).

    Columns
    -------
    ``position`` (n, 3), ``rotation`` (n, 4) and ``scale`` (n, 3) of the copies: float32, interpolated. ``color`` (n, 4)
    float32, linear, multiplies the materials'; ``visible`` (n,) bool.
    """

    __slots__ = (
        *("__weakref__", "_color", "_playback", "_rest", "_visible"),
        *("model", "nodes", "parts", "stride", "table"),
    )

    noun = "copies"

    position = _RootCells("Units: float32 (n, 3), interpolated.")
    rotation = _RootCells("Unit quaternions x y z w: float32 (n, 4), interpolated.")
    scale = _RootCells("Factors along x, y and z: float32 (n, 3), interpolated.")
    color = Cells[Floats]("Linear, multiplies the materials': float32 (n, 4).")
    visible = Cells[NDArray[np.bool_]]("Whether it is drawn: bool (n,).")

    def __init__(self, model: Model, count: int = 0) -> None:
        self.model = instance("model", model, Model)
        self.nodes = Nodes3D()
        """The nodes of all copies, one copy after another: first the one that it hangs on, then the model's."""
        self.stride = 1 + len(model.node_names)
        """The nodes of one copy."""
        self._color = Column("color", 4, 1.0, interpolated=False, color_space="linear")
        self._visible = Column("visible", 1, True, dtype=np.bool_, interpolated=False)
        self.table: Table = Table((), self._color, self._visible)
        self._rest = _rest(model)
        self._playback = Playback(self.nodes, self._rest)
        self.parts = [_PartMeshes(self, part) for part in model.parts]
        """What draws it, each a solid of the world."""
        self.extend(count)

    # -- copies --------------------------------------------------------------------------------------------------

    def extend(self, count: int, **columns: ArrayLike) -> slice:
        """``count`` more copies at rest; returns their rows. Keywords: ``position=…, rotation=…, scale=…, color=…``."""
        count = self.room_for("count", count)
        poses: dict[str, ArrayLike] = {name: columns.pop(name) for name in _POSE if name in columns}
        values = self._checked(count, columns), self.nodes.checked(count, poses)
        firsts = len(self.nodes) + np.arange(count) * self.stride
        parents = np.tile(np.append(-1, self.model.at_rest.parent), count).reshape(count, self.stride)
        parents[:, 1:] = np.where(parents[:, 1:] < 0, firsts[:, None], firsts[:, None] + 1 + parents[:, 1:])
        pose = [np.tile(part, (count, 1)) for part in self._rest]
        for name, column in zip(_POSE, pose, strict=True):
            if name in values[1]:
                column[:: self.stride] = values[1][name]
        position, rotation, scale = pose
        self.nodes.extend(
            len(position), parent=parents.reshape(-1), position=position, rotation=rotation, scale=scale
        )
        rows = self.table.spawn(count, values[0])
        self._playback.extend(count)
        for part in self.parts:
            part.extend_copies(firsts, np.arange(rows.start, rows.stop))
        return rows

    def _checked(self, count: int, columns: dict[str, ArrayLike]) -> dict[str, NDArray[Any]]:
        for name in columns:
            if name not in ("color", "visible"):
                raise TypeError(f"{name}: not a column; there are position, rotation, scale, color, visible")
        return self.table.checked(count, columns)

    def remove(self, rows: ModelInstance | ArrayLike | slice) -> None:
        """Take out a copy, or rows by indices, mask or slice. The others keep their order; numbers close up."""
        keep = np.ones(self.table.count, bool)
        keep[self.chosen(rows)] = False
        kept = np.flatnonzero(keep)
        numbers = np.cumsum(keep) - 1
        for part in self.parts:
            part.owner = numbers[part.owner[keep[part.owner]]]
        self._playback.keep(kept)
        self.nodes.keep(np.flatnonzero(np.repeat(keep, self.stride)))
        self.table.keep(kept)

    def teleport(self, rows: ModelInstance | ArrayLike | slice) -> None:
        """Draw copies where this tick leaves them, without a displacement."""
        self.nodes.mark_teleported(np.arange(self.table.count)[self.chosen(rows)] * self.stride)

    def pick(self, origin: ArrayLike, direction: ArrayLike, alpha: float = 1.0) -> ModelInstance | None:
        """The copy that a ray meets first as it is drawn at ``alpha``, or None; see `MeshBatch.pick`."""
        best, far = None, np.inf
        world = self.nodes.world_matrices(alpha)
        for part in self.parts:
            hit = part.pick_at(world, origin, direction)
            if hit is not None and hit.distance < far:
                best, far = self[int(part.owner[hit.instance.row])], hit.distance
        return best

    def play(
        self,
        name: str | None,
        rows: ArrayLike | slice = slice(None),
        *,
        loop: bool = True,
        speed: float = 1.0,
        fade: float = 0.2,
        start: float = 0.0,
    ) -> None:
        """Play an animation of the model on copies, from the next tick on; None: back to rest.

        ``speed`` may be below 0, for backwards. For ``fade`` simulated seconds the pose passes over from what was
        played before. ``start`` is where in the animation to begin, in seconds. Raises `ValueError` that lists the
        animations there are.
        """
        animation = None if name is None else self.model.animation(name)
        chosen = np.arange(self.table.count)[self.chosen(rows)].tolist()
        times = number("speed", speed), number("fade", fade, least=0), number("start", start)
        self._playback.play(chosen, animation, flag("loop", loop), *times)

    def track(self, row: int) -> Track:
        """What a copy plays."""
        return self._playback.tracks[row]

    # -- frames --------------------------------------------------------------------------------------------------

    def attach(self, graphics: Graphics, programs: Programs) -> None:
        """The batch was added to a world. Its parts are added beside it."""

    def draw(self) -> None:
        """Its parts are drawn by themselves."""

    def release(self) -> None:
        """Its parts are released by themselves."""

    def begin_tick(self, dt: float) -> None:
        self.nodes.begin_tick(dt)
        if dt:
            self._playback.advance(dt)

    def end_tick(self) -> None:
        self.nodes.end_tick()

    def notice_writes(self) -> None:
        """While no ticks run, draw what was written since the last call where it is now."""
        self.nodes.notice_writes()

    def looks(self, owner: Rows) -> tuple[Floats, NDArray[np.bool_]]:
        """Colours and visibilities of copies, for reading only."""
        return self._color.data[owner], self._visible.data[owner]


class _PartMeshes(NodeMeshes):
    """One mesh of a model, for all copies."""

    __slots__ = ("_copies", "_part", "owner")

    def __init__(self, copies: ModelBatch, part: Part) -> None:
        super().__init__(part.mesh, copies.nodes, material=part.material, skin=part.skin)
        self._copies = copies
        self._part = part
        self.table.derived = ("color", "visible")  # of the copies, when a picture is drawn
        self.owner: Rows = np.zeros(0, np.intp)
        """Each row's copy."""

    def extend_copies(self, firsts: Rows, owners: Rows) -> None:
        """More copies, whose nodes begin at ``firsts``."""
        # A skin counts its joints from a copy's first node; wherever the mesh hangs does not matter then.
        offsets = np.array([0]) if self.skin is not None else 1 + np.array(self._part.nodes)
        self.owner = np.concatenate([self.owner, np.repeat(owners, len(offsets))])
        self.extend(len(firsts) * len(offsets), node=(firsts[:, None] + offsets).reshape(-1).astype(np.int32))

    def hand_over(self) -> None:
        """Upload this frame's world matrices, and what else changed."""
        for name, wanted in zip(("color", "visible"), self._copies.looks(self.owner), strict=True):
            column = self.table.column(name)
            if not np.array_equal(wanted, column.current(self.table.count)):
                column.values(self.table.count)[:] = wanted
        super().hand_over()


class _RootCell(Cell[Any]):
    """A property of the node that a copy hangs on."""

    def __get__(self, copy: Any, owner: type) -> Any:
        return self if copy is None else getattr(copy.root, self.name)

    def __set__(self, copy: Any, value: Any) -> None:
        setattr(copy.root, self.name, value)


class ModelInstance(Handle["ModelBatch"], Sealed):
    """One copy in a `ModelBatch`, with properties. Made by ``batch.add(…)`` or ``batch[row]``, never directly.

    After `remove` it is no more: using it is a `ValueError`.
    """

    __slots__ = ()

    noun = "instance"

    position = _RootCell("Three numbers.")
    rotation = _RootCell("A unit quaternion x y z w.")
    scale = _RootCell("Factors along x, y and z; one number sets all.")
    color = ColorCell("Red, green, blue and alpha, linear; three numbers leave alpha as it is.")
    visible = Cell[bool]("Whether it is drawn.")

    def __repr__(self) -> str:
        return "<ModelInstance, removed>" if self.removed else f"<ModelInstance at {self.position}>"

    @property
    def root(self) -> Node:
        """The node that it hangs on."""
        return self.batch.nodes[self.row * self.batch.stride]

    def node(self, name: str | int) -> Node:
        """One of the model's nodes, in this copy: to turn it, or to ask where it is drawn.

        What an animation moves it writes at the beginning of each tick; what is written in the tick is added to that.
        """
        batch = self.batch
        chosen = batch.model.node_number(name) if isinstance(name, str) else whole("name", name, 0, batch.stride - 2)
        return batch.nodes[self.row * batch.stride + 1 + chosen]

    def play(self, name: str | None, *, loop: bool = True, speed: float = 1.0, fade: float = 0.2) -> None:
        """Play an animation; see `ModelBatch.play`."""
        self.batch.play(name, [self.row], loop=loop, speed=speed, fade=fade)

    @property
    def playing(self) -> str | None:
        """The animation that it plays."""
        now = self.batch.track(self.row).now
        return None if now is None else now.animation.name

    @property
    def time(self) -> float:
        """Where in its animation it is, seconds; may be set."""
        now = self.batch.track(self.row).now
        return 0.0 if now is None else now.time

    @time.setter
    def time(self, value: float) -> None:
        now = self.batch.track(self.row).now
        if now is None:
            raise ValueError("time: nothing is played; call play() first")
        now.time = number("time", value)

    @property
    def finished(self) -> bool:
        """Whether it has come to the end of an animation that is not repeated, or plays none."""
        now = self.batch.track(self.row).now
        return now is None or now.finished

    def drawn_position(self, alpha: float) -> tuple[float, ...]:
        """Where it is drawn at ``alpha``."""
        return self.root.drawn_position(alpha)

    def teleport(self, position: ArrayLike | None = None) -> None:
        """Be drawn where this tick leaves it, without a displacement; ``position`` is set first when given."""
        self.root.teleport(position)


ModelBatch.handle_class = ModelInstance


def _rest(model: Model) -> tuple[Floats, Floats, Floats]:
    """The poses of a copy's nodes at rest, the one that it hangs on first."""
    nodes = model.at_rest
    return (
        np.concatenate([np.zeros((1, 3), np.float32), nodes.position]),
        np.concatenate([np.array([[0, 0, 0, 1]], np.float32), nodes.rotation]),
        np.concatenate([np.ones((1, 3), np.float32), nodes.scale]),
    )
