"""Models from files, as plain data: meshes, materials, nodes, skins and animations. Nothing here
needs OpenGL.
"""

from __future__ import annotations

__all__ = ["Model"]

import os
import warnings
from collections.abc import Callable, Sequence, Set
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import resources
from ..arrays import Doubles, Floats, Rows
from ..assets.linked_files import guarded
from ..checks import Sealed, instance, items, shown, text
from ..errors import AssetError
from ..geometry.mesh import Mesh
from ..resources import Renewed
from ..state.columns import Column, assign
from ..state.nodes import Nodes3D
from .animations import Animation, weight_counts
from .materials import Material
from .morphs import MorphTargets, MorphWeights, morphed
from .parts import Part, Parts
from .skins import Skin

# Each format's module is loaded by its first file: it has ``read``, a path to `Parts`.
_READERS = {
    ".glb": "gltf",
    ".gltf": "gltf",
    ".obj": "obj",
    **dict.fromkeys((".stl", ".ply", ".off"), "trimeshes"),
}


# Files beside one that it may name.
_BESIDE = (".bin", ".mtl", ".png", ".jpg", ".jpeg", ".webp", ".bmp", ".tga", ".gif")


_PLAIN = (str, int, float, tuple, type(None), os.PathLike)


class Model(Sealed):
    """Meshes, materials, nodes, skins and animations from a file: glTF 2.0 (.glb, .gltf), OBJ with
    MTL, STL, PLY, OFF.

    ``path`` is looked up in ``folders``, then in the working directory. Loading needs no window;
    what draws a model is a `ModelBatch`. Only glTF has nodes, skins and animations; STL, PLY and
    OFF need ``pip install 'subtick[models]'``.

    From glTF come triangles (points and lines are left out) with all maps of a `Material`, vertex
    colours, skins of four joints a vertex, morph targets, and animations of nodes and of targets'
    weights. Of a matrix that shears, the shear is lost.

    Raises `AssetError`, which names the file and what is wrong in it, whatever the file holds.
    """

    __slots__ = (
        "__weakref__",
        "_form",
        "_given",
        "_said",
        "animations",
        "at_rest",
        "morphs",
        "node_names",
        "parts",
        "path",
    )

    not_state = True

    def __init__(
        self, path: str | os.PathLike[str], *, folders: Sequence[resources.Folder] = ()
    ) -> None:
        found = resources.find(path, resources.checked_folders("folders", folders))
        reader = _READERS.get(found.suffix.lower())
        if reader is None:
            raise AssetError(
                f"The model {str(found)!r} is in no format that can be read: {', '.join(_READERS)}"
            )
        contents = _read(found, reader)
        for remark in contents.remarks:
            warnings.warn(f"The model {str(found)!r} {remark}", RuntimeWarning, stacklevel=2)
        self._take(found, contents)
        if Renewed.known is not None:
            Renewed.known.add(self)

    def renew(self, files: Set[str]) -> bool:
        """Read the file anew, if it or one beside it that it may name is among these.

        Meshes, materials, skins and the pose at rest are exchanged in place. Raises `AssetError`
        where the file has other nodes, parts or animations than it had, and nothing has changed
        then.
        """
        reader, own = _READERS.get(self.path.suffix.lower()), os.path.realpath(self.path)
        folder = os.path.join(os.path.dirname(own), "")
        beside = [
            file for file in files if file.startswith(folder) and file.lower().endswith(_BESIDE)
        ]
        if reader is None or (
            own not in files and not (beside and self.path.suffix.lower() in (".gltf", ".obj"))
        ):
            return False
        contents = _read(self.path, reader)
        if _form(contents) != self._form:
            words = "has other nodes, meshes or animations than before"
            raise AssetError(f"The model {str(self.path)!r} {words}; restart the game")
        for old, new in zip(self.parts, contents.parts, strict=True):
            for one, other in (
                (old.mesh, new.mesh),
                (old.skin, new.skin),
                (old.targets, new.targets),
            ):
                _exchange(one, other)
            said = self._said[id(old.material)]
            for name, value in _said(new.material).items():
                if value is not said[name] and not (
                    isinstance(value, _PLAIN) and value == said[name]
                ):
                    setattr(
                        old.material, name, value
                    )  # what the game has set otherwise stays as it is
                    said[name] = value
        for animation in contents.animations:
            _exchange(self.animations[animation.name], animation)
        for name in ("position", "rotation", "scale"):
            values: Floats = getattr(self.at_rest, name)
            values[:] = getattr(contents, name)
        for given in self._given:
            for (mesh, _), (other, _) in zip(given, self._merged(), strict=True):
                _exchange(mesh, other)
        return True

    @classmethod
    def of(cls, parts: Sequence[Part], **nodes: Any) -> Model:
        """A model that is made by the program.

        ``parts`` are meshes at nodes; keywords are ``names``, ``parent`` (n,), ``position`` (n, 3),
        ``rotation`` (n, 4), ``scale`` (n, 3) of the nodes, one node unless more are named, and
        ``animations``.
        """
        given_names: list[object] = items("names", nodes.pop("names", ["model"]))
        names = [text("names", name) for name in given_names]
        count = len(names)
        made = Parts(names, _parents(nodes.pop("parent", -1), count), parts=items("parts", parts))
        for name, width, default in (
            ("position", 3, 0.0),
            ("rotation", 4, (0, 0, 0, 1)),
            ("scale", 3, 1.0),
        ):
            column = Column(name, width, default, interpolated=False)
            column.reserve(count, 0)
            assign(column, count, nodes.pop(name, default))
            setattr(made, name, column.current(count))
        made.animations = items("animations", nodes.pop("animations", []))
        if nodes:
            known = "names, parent, position, rotation, scale, animations"
            raise TypeError(f"{next(iter(nodes))}: not a keyword of Model.of; there are {known}")
        for part in made.parts:
            instance("parts", part, Part)
            if not all(0 <= node < count for node in part.nodes):
                raise ValueError(
                    f"parts: there are {count} nodes, and a part hangs on {shown(part.nodes)}"
                )
        for animation in made.animations:
            instance("animations", animation, Animation)
        model = cls.__new__(cls)
        model._take(Path(names[0] if names else "model"), made)
        return model

    def _take(self, path: Path, contents: Parts) -> None:
        self.path: Path = path
        """The file."""
        self.parts: list[Part] = contents.parts
        """Meshes in one material each, and the nodes that they hang on."""
        self.node_names: list[str] = contents.names
        """The names of the nodes, by their number."""
        self.animations: dict[str, Animation] = {
            animation.name: animation for animation in contents.animations
        }
        """By name."""
        self.morphs = _morph_weights(contents)
        """The weights of its meshes' morph targets: names, and what they are at rest."""
        for animation in contents.animations:
            for node, count in weight_counts(animation).items():
                if self.morphs.counts.get(node, 0) < count:
                    here = f"{self.morphs.counts.get(node, 0)} at node {node}"
                    raise ValueError(
                        f"animations: {animation.name!r} moves {count} weights, and "
                        f"there are {here}"
                    )
        self.at_rest = Nodes3D("none")
        """The nodes as the file has them: parents, poses, world matrices."""
        self._form = _form(contents)
        self._said = {id(part.material): _said(part.material) for part in contents.parts}
        self._given: list[list[tuple[Mesh, Material]]] = []  # by `merged`, while files are watched
        self.at_rest.extend(
            len(contents.names),
            parent=contents.parent,
            position=contents.position,
            rotation=contents.rotation,
            scale=contents.scale,
        )

    def __repr__(self) -> str:
        return f"<Model {self.path.name!r} of {self.triangle_count:,} triangles>"

    @property
    def triangle_count(self) -> int:
        """Triangles that are drawn for one copy."""
        return sum(part.mesh.triangle_count * len(part.nodes) for part in self.parts)

    def node_number(self, name: str) -> int:
        """The number of the first node of a name. Raises `ValueError`, which lists the names there
        are.
        """
        if text("name", name) not in self.node_names:
            raise ValueError(
                f"name: there is no node {name!r}; there are {_listed(self.node_names)}"
            )
        return self.node_names.index(name)

    @property
    def morph_names(self) -> list[str]:
        """What its morph targets are called, in the order of `ModelBatch.weights`; several may have
        the same name.
        """
        return list(self.morphs.names)

    def _shape(self, part: Part, node: int | None = None) -> Mesh:
        """The mesh of a part as it is at a node at rest; at its first, if none is named."""
        if part.targets is None:
            return part.mesh
        node = part.nodes[0] if node is None else node
        return morphed(
            part.targets, part.mesh, self.morphs.of_node(node, self.morphs.rest, len(part.targets))
        )

    def animation(self, name: str) -> Animation:
        """The animation of a name. Raises `ValueError`, which lists the names there are."""
        animation = self.animations.get(text("name", name))
        if animation is None:
            raise ValueError(
                f"name: there is no animation {name!r}; there are {_listed(list(self.animations))}"
            )
        return animation

    def merged(self) -> list[tuple[Mesh, Material]]:
        """The model at rest as one mesh for each material, without nodes: what a `MeshBatch` takes.

        For thousands of copies that do not move in themselves: their poses are blended on the GPU.
        """
        found = self._merged()
        if Renewed.known is not None:
            self._given.append(found)
        return found

    def _merged(self) -> list[tuple[Mesh, Material]]:
        world = self.at_rest.world_matrices(1.0).astype(np.float64)
        by_material: dict[int, tuple[list[Mesh], Material]] = {}
        for part in self.parts:
            meshes, _ = by_material.setdefault(id(part.material), ([], part.material))
            if part.skin is not None:
                meshes.append(_bent(part.skin, self._shape(part), world))
            else:
                determinants: Doubles = np.linalg.det(world[part.nodes, :3, :3])
                flat: list[bool] = (np.abs(determinants) < 1e-30).tolist()  # scaled by 0: not seen
                meshes += [
                    self._shape(part, node).transformed(world[node])
                    for node, none in zip(part.nodes, flat, strict=True)
                    if not none
                ]
        return [
            (Mesh.joined(*meshes), material) for meshes, material in by_material.values() if meshes
        ]

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        """The lowest and the highest corner of the upright box around the model at rest: (3,)
        each.
        """
        world = self.at_rest.world_matrices(1.0).astype(np.float64)
        low, high = np.full(3, np.inf), np.full(3, -np.inf)
        for part in self.parts:
            if part.skin is not None:
                places = [part.skin.bent(self._shape(part).positions, world, -1)]
            else:
                places = [
                    _corners(self._shape(part, node)) @ world[node, :3, :3] + world[node, 3, :3]
                    for node in part.nodes
                ]
            for some in places:
                lowest: Doubles = some.min(axis=0)
                highest: Doubles = some.max(axis=0)
                low, high = np.minimum(low, lowest), np.maximum(high, highest)
        if not self.parts:
            low, high = np.zeros(3), np.zeros(3)
        return low.astype(np.float32), high.astype(np.float32)


def _read(path: Path, reader: str) -> Parts:
    read: Callable[[Path], Parts] = import_module(f".{reader}", __package__).read
    return guarded("model", path, read)


def _form(contents: Parts) -> tuple[object, ...]:
    """What of a model its copies depend on: it cannot change while there are any."""
    parts = contents.parts
    kinds = [
        (part.nodes, _joints(part), None if part.targets is None else part.targets.names)
        for part in parts
    ]
    return (
        tuple(contents.names),
        contents.parent.tolist(),
        kinds,
        [one.name for one in contents.animations],
    )


def _said(material: Material) -> dict[str, object]:
    return {field.name: getattr(material, field.name) for field in fields(material) if field.init}


def _joints(part: Part) -> list[int] | None:
    if part.skin is None:
        return None
    joints: list[int] = part.skin.nodes.tolist()
    return joints


def _exchange(old: object, new: object) -> None:
    """Have a thing be what another of its kind is."""
    if old is None:
        return
    for kind in type(old).__mro__:
        slots: Sequence[str] = getattr(kind, "__slots__", ())
        for name in slots:
            if hasattr(new, name):
                object.__setattr__(old, name, getattr(new, name))


def _parents(value: ArrayLike, count: int) -> Rows:
    column = Column("parent", 1, -1, dtype=np.int32, interpolated=False)
    column.reserve(count, 0)
    assign(column, count, value)
    return column.current(count).astype(np.intp)


def _bent(skin: Skin, mesh: Mesh, world: NDArray[Any]) -> Mesh:
    """A skinned mesh as its joints have it at rest."""
    places = skin.bent(mesh.positions, world, -1)
    return Mesh(places, mesh.indices, uvs=mesh.uvs, colors=mesh.colors, second_uvs=mesh.second_uvs)


def _corners(mesh: Mesh) -> NDArray[Any]:
    """Of the upright box around it: (8, 3)."""
    return np.array(np.meshgrid(*np.array(mesh.bounds).T, indexing="ij")).reshape(3, -1).T


def _morph_weights(contents: Parts) -> MorphWeights:
    """Those of all nodes that have a mesh with targets; of several such meshes, those of the one
    that has the most.
    """
    most: dict[int, MorphTargets] = {}
    for part in contents.parts:
        for node in part.nodes:
            if part.targets is not None and (
                node not in most or len(most[node]) < len(part.targets)
            ):
                most[node] = part.targets
    rest = {node: contents.weights.get(node, targets.weights) for node, targets in most.items()}
    return MorphWeights((node, targets.names, rest[node]) for node, targets in most.items())


def _listed(names: Sequence[str]) -> str:
    text = ", ".join(map(repr, names[:8]))
    return (text + (", …" if len(names) > 8 else "")) or "none"
