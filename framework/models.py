"""Models from files: loaded once, drawn many times, each copy with a pose and an animation of its own."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import gltf, images, obj
from .animations import Animation, Pose, mix
from .batch import row_indices
from .columns import Column, Floats, Rows, assign
from .errors import AssetError
from .graphics import Graphics
from .materials import Material
from .mesh import Mesh
from .nodes import Node, Nodes3D
from .parts import Part, Parts
from .rigs import NodeMeshes
from .shaders import Programs
from .timestep import whole

_READERS: dict[str, Callable[[Path], Parts]] = {
    **dict.fromkeys((".glb", ".gltf"), gltf.read),
    **dict.fromkeys(obj.SUFFIXES, obj.read),
}


class Model:
    """Meshes, materials, nodes, skins and animations from a file: glTF 2.0 (.glb, .gltf), OBJ with MTL, STL, PLY, OFF.

    ``path`` is looked up in ``folders``, then in the working directory. Loading needs no window; what draws a model is
    a `ModelBatch`. Only glTF has nodes, skins and animations; the others need ``pip install 'subtick[models]'``.

    From glTF come triangles (points and lines are left out) with all maps of a `Material`, vertex colours, skins of
    four joints a vertex, and animations of nodes; not morph targets. Of a matrix that shears, the shear is lost.

    Raises `AssetError`, which names the file and what is wrong in it, whatever the file holds.
    """

    def __init__(self, path: str | os.PathLike[str], *, folders: Sequence[Path] = ()) -> None:
        self.path = images.find(path, folders)
        reader = _READERS.get(self.path.suffix.lower())
        if reader is None:
            raise AssetError(f"The model {str(self.path)!r} is in no format that can be read: {', '.join(_READERS)}")
        self._take(_guarded(self.path, reader))

    @classmethod
    def of(cls, parts: Sequence[Part], **nodes: Any) -> Model:
        """A model that is made by the program.

        ``parts`` are meshes at nodes; keywords are ``names``, ``parent`` (n,), ``position`` (n, 3), ``rotation``
        (n, 4), ``scale`` (n, 3) of the nodes, one node unless told, and ``animations``.
        """
        names = list(nodes.pop("names", ["model"]))
        count = len(names)
        made = Parts(names, np.asarray(nodes.pop("parent", np.full(count, -1)), np.intp), parts=list(parts))
        for name, width, default in (("position", 3, 0.0), ("rotation", 4, (0, 0, 0, 1)), ("scale", 3, 1.0)):
            column = Column(name, width, default, interpolated=False)
            column.reserve(count, 0)
            assign(column, count, nodes.pop(name, default))
            setattr(made, name, column._current)
        made.animations = list(nodes.pop("animations", []))
        if nodes:
            raise TypeError(f"{next(iter(nodes))}: not a keyword of Model.of")
        for part in made.parts:
            if not all(0 <= node < count for node in part.nodes):
                raise ValueError(f"parts: there are {count} nodes, and a part hangs on {part.nodes}")
        model = cls.__new__(cls)
        model.path = Path(names[0])
        model._take(made)
        return model

    def _take(self, parts: Parts) -> None:
        self._parts = parts
        self._at_rest = Nodes3D("none")
        self._at_rest.extend(
            len(parts.names), parent=parts.parent, position=parts.position, rotation=parts.rotation, scale=parts.scale
        )

    def __repr__(self) -> str:
        return f"<Model {self.path.name!r} of {self.triangle_count:,} triangles>"

    @property
    def parts(self) -> list[Part]:
        """Meshes in one material each, and the nodes that they hang on."""
        return self._parts.parts

    @property
    def node_names(self) -> list[str]:
        """The names of the nodes, by their number."""
        return self._parts.names

    @property
    def animations(self) -> dict[str, Animation]:
        """By name."""
        return {animation.name: animation for animation in self._parts.animations}

    @property
    def triangle_count(self) -> int:
        """Triangles that are drawn for one copy."""
        return sum(part.mesh.triangle_count * len(part.nodes) for part in self.parts)

    def node_number(self, name: str) -> int:
        """The number of the first node of a name. Raises `ValueError` that lists the names there are."""
        if name not in self.node_names:
            raise ValueError(f"name: there is no node {name!r}; there are {_listed(self.node_names)}")
        return self.node_names.index(name)

    def merged(self) -> list[tuple[Mesh, Material]]:
        """The model at rest as one mesh for each material, without nodes: what a `MeshBatch` takes.

        For thousands of copies that do not move in themselves: their poses are blended on the GPU.
        """
        world = self._at_rest.world_matrices(1.0).astype(np.float64)
        by_material: dict[int, tuple[list[Mesh], Material]] = {}
        for part in self.parts:
            meshes, _ = by_material.setdefault(id(part.material), ([], part.material))
            if part.skin is not None:
                meshes.append(_bent(part, world))
            else:
                meshes += [part.mesh.transformed(world[node]) for node in part.nodes]
        return [(Mesh.joined(*meshes), material) for meshes, material in by_material.values()]

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        """The lowest and the highest corner of the upright box around the model at rest: (3,) each."""
        world = self._at_rest.world_matrices(1.0).astype(np.float64)
        low, high = np.full(3, np.inf), np.full(3, -np.inf)
        for part in self.parts:
            if part.skin is not None:
                places = [part.skin.bent(part.mesh.positions, world, -1)]
            else:
                corners = np.array(np.meshgrid(*np.array(part.mesh.bounds).T, indexing="ij")).reshape(3, -1).T
                places = [corners @ world[node, :3, :3] + world[node, 3, :3] for node in part.nodes]
            for some in places:
                low, high = np.minimum(low, some.min(axis=0)), np.maximum(high, some.max(axis=0))
        if not self.parts:
            low, high = np.zeros(3), np.zeros(3)
        return low.astype(np.float32), high.astype(np.float32)


def _guarded(path: Path, reader: Callable[[Path], Parts]) -> Parts:
    try:
        with np.errstate(all="ignore"):
            return reader(path)
    except AssetError:
        raise
    except ValueError as error:
        raise AssetError(f"The model {str(path)!r} cannot be used: {error}") from error
    except MemoryError:
        raise AssetError(f"The model {str(path)!r} needs more memory than there is") from None
    except Exception as error:  # wrong types where nobody expects them: a file may hold anything
        reason = f"{type(error).__name__}: {error}".strip(": ")
        raise AssetError(f"The model {str(path)!r} is broken ({reason[:200]}). Export it again.") from error


def _bent(part: Part, world: NDArray[Any]) -> Mesh:
    """A skinned mesh as its joints have it at rest."""
    mesh, skin = part.mesh, part.skin
    assert skin is not None
    return Mesh(skin.bent(mesh.positions, world, -1), mesh.indices, uvs=mesh.uvs, colors=mesh.colors)


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names[:8]))
    return (shown + (", …" if len(names) > 8 else "")) or "none"


@dataclass
class _Playing:
    """What an instance plays. Times are in seconds of the animation."""

    animation: Animation
    loop: bool
    speed: float
    time: float = 0.0
    paused: bool = False

    def advance(self, dt: float) -> None:
        self.time += 0.0 if self.paused else dt * self.speed
        length = self.animation.duration
        if self.loop:
            self.time = self.time % length if length > 0 else 0.0
        else:
            self.time = min(max(self.time, 0.0), length)


class ModelBatch:
    """Copies of a `Model`, each with a pose of its own, and animations: ``self.add(fw.ModelBatch(model, 20))``.

    Each mesh of the model is drawn in one call for all copies. Poses and joints are blended on the CPU in each frame
    (for thousands of copies that do not move in themselves, see `Model.merged`).

    Columns
    -------
    ``position`` (n, 3), ``rotation`` (n, 4) and ``scale`` (n, 3) of the copies: float32, interpolated. ``color`` (n, 4)
    float32, linear, multiplies the materials'; ``visible`` (n,) bool.
    """

    in_world = True
    transparent = False

    def __init__(self, model: Model, count: int = 0) -> None:
        if not isinstance(model, Model):
            raise TypeError(f"model: expected a Model, got {model!r}")
        self.model = model
        self.nodes = Nodes3D()
        """The nodes of all copies, one copy after another: first the one that it hangs on, then the model's."""
        self.parts = [_PartMeshes(self, part) for part in _facing(model)]
        """What draws it, each a solid of the world."""
        self._color = np.ones((0, 4), np.float32)
        self._visible = np.ones(0, bool)
        self._playing: list[tuple[_Playing | None, _Playing | None, float, float]] = []  # now, before, faded, fade
        self._instances: dict[int, ModelInstance] = {}
        self._rest = _rest(model)
        self.extend(whole("count", count, 0))

    # -- copies --------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._playing)

    @property
    def _stride(self) -> int:
        return 1 + len(self.model.node_names)

    def extend(self, count: int, **columns: ArrayLike) -> slice:
        """``count`` more copies at rest; returns their rows. Keywords: ``position=…, rotation=…, scale=…, color=…``."""
        start, stride = len(self), self._stride
        before = len(self.nodes)
        parents = np.tile(np.append(-1, self.model._parts.parent), count).reshape(count, stride)
        firsts = before + np.arange(count)[:, None] * stride
        parents[:, 1:] = np.where(parents[:, 1:] < 0, firsts, firsts + 1 + parents[:, 1:])
        pose = [np.tile(part, (count, 1)) for part in self._rest]
        self.nodes.extend(count * stride, parent=parents.reshape(-1), position=pose[0], rotation=pose[1], scale=pose[2])
        self._color = np.concatenate([self._color, np.ones((count, 4), np.float32)])
        self._visible = np.concatenate([self._visible, np.ones(count, bool)])
        self._playing += [(None, None, 0.0, 0.0)] * count
        rows = slice(start, start + count)
        for part in self.parts:
            part.extend_copies(firsts[:, 0], np.arange(start, start + count))
        try:
            for name, value in columns.items():
                if name not in ("position", "rotation", "scale", "color", "visible"):
                    raise TypeError(f"{name}: not a column; there are position, rotation, scale, color, visible")
                _write(name, getattr(self, name)[rows], value)
        except (TypeError, ValueError):
            self.remove(rows)
            raise
        return rows

    def add(self, **columns: ArrayLike) -> ModelInstance:
        """One more copy: ``add(position=(0, 1, 0), scale=2)``; keywords are columns."""
        return self[self.extend(1, **columns).start]

    def remove(self, rows: ModelInstance | ArrayLike | slice) -> None:
        """Take out a copy, or rows by indices, mask or slice. The others keep their order; numbers close up."""
        keep = np.ones(len(self), bool)
        keep[self._rows(rows)] = False
        kept = np.flatnonzero(keep)
        numbers = np.full(len(self), -1, np.intp)
        numbers[kept] = np.arange(len(kept))
        for part in self.parts:
            part.owner = numbers[part.owner[keep[part.owner]]]
        self._color, self._visible = self._color[kept], self._visible[kept]
        self._playing = [self._playing[row] for row in kept]
        self.nodes.keep(np.flatnonzero(np.repeat(keep, self._stride)))
        instances, self._instances = self._instances, {}
        for row, instance in instances.items():
            instance._row = int(numbers[row])
            if instance._row >= 0:
                self._instances[instance._row] = instance

    def __getitem__(self, row: int) -> ModelInstance:
        """The copy of a row, 0 to len - 1 (negative: from the end). It stays the same when rows close up."""
        n, row = len(self), operator.index(row)
        if not -n <= row < n:
            raise IndexError(f"row: the batch has {n} copies, asked for number {row}")
        row %= n
        instance = self._instances.get(row)
        if instance is None:
            instance = self._instances[row] = ModelInstance(self, row)
        return instance

    def __iter__(self) -> Iterator[ModelInstance]:
        """The copies that are there now."""
        return iter([self[row] for row in range(len(self))])

    def _rows(self, rows: ModelInstance | ArrayLike | slice) -> Rows | slice:
        return row_indices([rows._own(self)] if isinstance(rows, ModelInstance) else rows, len(self))

    def teleport(self, rows: ModelInstance | ArrayLike | slice) -> None:
        """Draw copies where this tick leaves them, without a way there."""
        chosen = np.arange(len(self))[self._rows(rows)]
        self.nodes.teleport(chosen * self._stride)

    def pick(self, origin: ArrayLike, direction: ArrayLike, alpha: float = 1.0) -> ModelInstance | None:
        """The copy that a ray meets first as it is drawn at ``alpha``, or None; see `MeshBatch.pick`."""
        best, far = None, np.inf
        for part in self.parts:
            hit = part.pick(origin, direction, alpha)
            if hit is not None and hit.distance < far:
                best, far = self[int(part.owner[hit.instance.row])], hit.distance
        return best

    # -- columns -------------------------------------------------------------------------------------------------

    @property
    def position(self) -> Floats:
        return self.nodes.position[:: self._stride]

    @position.setter
    def position(self, value: ArrayLike) -> None:
        _write("position", self.position, value)

    @property
    def rotation(self) -> Floats:
        return self.nodes.rotation[:: self._stride]

    @rotation.setter
    def rotation(self, value: ArrayLike) -> None:
        _write("rotation", self.rotation, value)

    @property
    def scale(self) -> Floats:
        return self.nodes.scale[:: self._stride]

    @scale.setter
    def scale(self, value: ArrayLike) -> None:
        _write("scale", self.scale, value)

    @property
    def color(self) -> Floats:
        return self._color

    @color.setter
    def color(self, value: ArrayLike) -> None:
        _write("color", self._color, value)

    @property
    def visible(self) -> NDArray[np.bool_]:
        return self._visible

    @visible.setter
    def visible(self, value: ArrayLike) -> None:
        _write("visible", self._visible, value)

    # -- animations ----------------------------------------------------------------------------------------------

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
        animation = None
        if name is not None:
            animation = self.model.animations.get(name)
            if animation is None:
                raise ValueError(f"name: no animation {name!r}; there are {_listed(list(self.model.animations))}")
        for value, of in ((speed, "speed"), (fade, "fade"), (start, "start")):
            if not np.isfinite(value) or (of == "fade" and value < 0):
                raise ValueError(f"{of}: expected a finite number{' of at least 0' * (of == 'fade')}, got {value!r}")
        for row in np.arange(len(self))[self._rows(rows)].tolist():
            new = None if animation is None else _Playing(animation, loop, speed, start)
            if new is not None and speed < 0 and not start:
                new.time = new.animation.duration
            before = self._playing[row][0]
            self._playing[row] = new, before, 0.0, fade

    def _advance(self, dt: float) -> None:
        for row, (now, before, faded, fade) in enumerate(self._playing):
            if now is None and before is None:
                continue
            for playing in (now, before):
                if playing is not None:
                    playing.advance(dt)
            faded += dt
            if faded >= fade:
                if before is not None:  # what only the old one moved goes to rest
                    self._to_rest(row, before.animation)
                before = None
            self._playing[row] = now, before, faded, fade

    def _to_rest(self, row: int, animation: Animation) -> None:
        at = row * self._stride + 1 + animation.nodes
        for column, rest in zip(self._columns(), self._rest, strict=True):
            column[at] = rest[1 + animation.nodes]

    def _columns(self) -> tuple[Floats, Floats, Floats]:
        return self.nodes.position, self.nodes.rotation, self.nodes.scale

    def _pose(self) -> None:
        """Write this tick's poses: all copies that play the same, or pass over from the same, at once."""
        groups: dict[tuple[int, int], list[int]] = {}
        for row, (now, before, _, _) in enumerate(self._playing):
            if now is not None or before is not None:
                key = id(now and now.animation), id(before and before.animation)
                groups.setdefault(key, []).append(row)
        for rows in groups.values():
            now, before, _, _ = self._playing[rows[0]]
            moved = [playing.animation.nodes for playing in (now, before) if playing is not None]
            nodes = np.unique(np.concatenate(moved))
            pose = self._sampled([self._playing[row][0] for row in rows])
            if before is not None:
                old = self._sampled([self._playing[row][1] for row in rows])
                share = [min(self._playing[row][2] / self._playing[row][3], 1.0) for row in rows]
                pose = mix(old, pose, np.array(share, np.float32))
            at = np.array(rows)[:, None] * self._stride + 1 + nodes
            for column, values in zip(self._columns(), pose, strict=True):
                column[at] = values[:, nodes]

    def _sampled(self, playing: list[_Playing | None]) -> Pose:
        position, rotation, scale = (np.tile(part[1:], (len(playing), 1, 1)) for part in self._rest)
        pose = position, rotation, scale
        if playing[0] is not None:
            playing[0].animation.apply(np.array([one.time for one in playing if one is not None]), pose)
        return pose

    # -- frames --------------------------------------------------------------------------------------------------

    def attach(self, graphics: Graphics, programs: Programs) -> None:
        """The batch was added to a world. Its parts are added beside it."""

    def begin_tick(self, dt: float) -> None:
        self.nodes.begin_tick(dt)
        if dt:
            self._advance(dt)
            self._pose()

    def end_tick(self) -> None:
        self.nodes.end_tick()

    def notice_writes(self) -> None:
        """While no ticks run, draw what was written since the last call where it is now."""
        self.nodes.notice_writes()

    def draw(self) -> None:
        """Its parts are drawn by themselves."""

    def release(self) -> None:
        """Its parts are released by themselves."""


class _PartMeshes(NodeMeshes):
    """One mesh of a model, for all copies."""

    def __init__(self, batch: ModelBatch, part: Part) -> None:
        super().__init__(part.mesh, batch.nodes, material=part.material, skin=part.skin)
        self._batch = batch
        self._part = part
        self.owner: Rows = np.zeros(0, np.intp)  # each row's copy

    def extend_copies(self, firsts: Rows, owners: Rows) -> None:
        # A skin counts its joints from a copy's first node; wherever the mesh hangs does not matter then.
        offsets = np.array([0]) if self.skin is not None else 1 + np.array(self._part.nodes)
        self.owner = np.concatenate([self.owner, np.repeat(owners, len(offsets))])
        self.extend(len(firsts) * len(offsets), node=(firsts[:, None] + offsets).reshape(-1).astype(np.int32))

    def hand_over(self) -> None:
        for column, values in ((self._color, self._batch._color), (self._visible, self._batch._visible)):
            wanted = values[self.owner]
            if not np.array_equal(wanted, column.current(len(self))):
                column.values(len(self))[:] = wanted
        super().hand_over()


class ModelInstance:
    """One copy in a `ModelBatch`, with properties. Made by ``batch.add(…)`` or ``batch[row]``, never directly.

    After `remove` it is no more: using it is a `ValueError`.
    """

    __slots__ = ("_batch", "_row")

    def __init__(self, batch: ModelBatch, row: int) -> None:
        self._batch = batch
        self._row = row

    def __repr__(self) -> str:
        return "<ModelInstance, removed>" if self.removed else f"<ModelInstance at {self.position}>"

    @property
    def batch(self) -> ModelBatch:
        return self._batch

    @property
    def row(self) -> int:
        """Its number in the batch now."""
        return self._own(self._batch)

    @property
    def removed(self) -> bool:
        return self._row < 0

    @property
    def root(self) -> Node:
        """The node that it hangs on."""
        return self._batch.nodes[self.row * self._batch._stride]

    def node(self, name: str | int) -> Node:
        """One of the model's nodes, in this copy: to turn it, or to ask where it is drawn.

        What an animation moves it writes at the beginning of each tick; what is written in the tick is added to that.
        """
        number = self._batch.model.node_number(name) if isinstance(name, str) else operator.index(name)
        if not 0 <= number < self._batch._stride - 1:
            raise ValueError(f"name: the model has {self._batch._stride - 1} nodes, asked for number {number}")
        return self._batch.nodes[self.row * self._batch._stride + 1 + number]

    @property
    def position(self) -> tuple[float, ...]:
        """Three numbers."""
        return self.root.position

    @position.setter
    def position(self, value: ArrayLike) -> None:
        self.root.position = value

    @property
    def rotation(self) -> tuple[float, ...]:
        """A unit quaternion x y z w."""
        return self.root.rotation

    @rotation.setter
    def rotation(self, value: ArrayLike) -> None:
        self.root.rotation = value

    @property
    def scale(self) -> tuple[float, ...]:
        """Factors along x, y and z; one number sets all."""
        return self.root.scale

    @scale.setter
    def scale(self, value: ArrayLike) -> None:
        self.root.scale = value

    @property
    def color(self) -> tuple[float, ...]:
        """Red, green, blue and alpha, linear."""
        return tuple(self._batch._color[self.row].tolist())

    @color.setter
    def color(self, value: ArrayLike) -> None:
        _write("color", self._batch._color[self.row], value)

    @property
    def visible(self) -> bool:
        return bool(self._batch._visible[self.row])

    @visible.setter
    def visible(self, value: bool) -> None:
        self._batch._visible[self.row] = bool(value)

    def play(self, name: str | None, *, loop: bool = True, speed: float = 1.0, fade: float = 0.2) -> None:
        """Play an animation; see `ModelBatch.play`."""
        self._batch.play(name, [self.row], loop=loop, speed=speed, fade=fade)

    @property
    def playing(self) -> str | None:
        """The animation that it plays."""
        now = self._batch._playing[self.row][0]
        return None if now is None else now.animation.name

    @property
    def time(self) -> float:
        """Where in its animation it is, seconds; may be set."""
        now = self._batch._playing[self.row][0]
        return 0.0 if now is None else now.time

    @time.setter
    def time(self, value: float) -> None:
        now = self._batch._playing[self.row][0]
        if now is None:
            raise ValueError("time: nothing is played; call play() first")
        now.time = float(value)

    @property
    def finished(self) -> bool:
        """Whether it has come to the end of an animation that is not repeated, or plays none."""
        now = self._batch._playing[self.row][0]
        if now is None:
            return True
        return not now.loop and now.time == (now.animation.duration if now.speed >= 0 else 0.0)

    def drawn_position(self, alpha: float) -> tuple[float, ...]:
        """Where it is drawn at ``alpha``."""
        return self.root.drawn_position(alpha)

    def teleport(self, position: ArrayLike | None = None) -> None:
        """Be drawn where this tick leaves it, without a way there; ``position`` is set first when given."""
        self.root.teleport(position)

    def remove(self) -> None:
        """Leave the batch. A second time is a `ValueError`."""
        self._batch.remove(self)

    def _own(self, batch: ModelBatch) -> int:
        if self._batch is not batch:
            raise ValueError("instance: it belongs to another batch")
        if self._row < 0:
            raise ValueError("instance: it was removed from its batch; make a new one with batch.add(…)")
        return self._row


def _facing(model: Model) -> list[Part]:
    """The model's parts; where nodes mirror them, with triangles turned over, so that they face the same way."""
    parts = []
    mirrored = np.linalg.det(model._at_rest.world_matrices(1.0)[:, :3, :3].astype(np.float64)) < 0
    for part in model.parts:
        over = [] if part.skin is not None else [node for node in part.nodes if mirrored[node]]
        rest = [node for node in part.nodes if part.skin is not None or not mirrored[node]]
        if rest:
            parts.append(replace(part, nodes=rest))
        if over:
            mesh = copy(part.mesh)
            mesh.indices = np.ascontiguousarray(mesh.indices.reshape(-1, 3)[:, ::-1]).reshape(-1)
            parts.append(replace(part, mesh=mesh, nodes=over))
    return parts


def _rest(model: Model) -> tuple[Floats, Floats, Floats]:
    """The poses of a copy's nodes at rest, the one that it hangs on first."""
    parts = model._parts
    return (
        np.concatenate([np.zeros((1, 3), np.float32), parts.position]),
        np.concatenate([np.array([[0, 0, 0, 1]], np.float32), parts.rotation]),
        np.concatenate([np.ones((1, 3), np.float32), parts.scale]),
    )


def _write(name: str, target: NDArray[Any], value: ArrayLike) -> None:
    try:
        target[...] = value
    except (TypeError, ValueError):
        raise ValueError(f"{name}: expected numbers of shape {target.shape}, got {np.shape(value)}") from None
