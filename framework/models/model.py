"""Read 3D models from files: their meshes, materials, nodes, skins and animations.

A program can read models without a window.
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
from ..arrays import Doubles, Floats
from ..assets.linked_files import guarded
from ..checks import Sealed, instance, items, shown, text
from ..current_game import current_folders
from ..errors import AssetError
from ..geometry.mesh import Mesh
from ..moved_names import HasMoved, moved
from ..other_engines.model_names import model_names
from ..other_engines.other_options import other_options
from ..resources import Reloadable
from ..state.columns import TableColumn, assign
from ..state.nodes import Nodes3D
from .animations import Animation, weight_counts
from .materials import Material
from .morphs import MorphTargets, MorphWeights, morphed
from .parts import ModelData, Part
from .skins import Skin

# For each file extension, the module that reads the format. The module is imported when the first
# such file is read. Its function ``read`` returns `ModelData`.
_READERS = {
    ".glb": "gltf",
    ".gltf": "gltf",
    ".obj": "obj",
    **dict.fromkeys((".stl", ".ply", ".off"), "trimeshes"),
}
ENDINGS = (*_READERS,)


# The extensions of other files that a model file may use.
_BESIDE = (".bin", ".mtl", ".png", ".jpg", ".jpeg", ".webp", ".bmp", ".tga", ".gif")


_PLAIN = (str, int, float, tuple, type(None), os.PathLike)


@moved("model", {"node_number": "node_index"})
@model_names
class Model(HasMoved, Sealed):
    """A model from a file: meshes, materials, nodes, skins and animations.

    The file is glTF 2.0 (.glb, .gltf), OBJ with MTL, STL, PLY or OFF. If ``path`` is relative, the
    framework searches for the file in three places: ``folders``, the folder of the running game's
    file, and the working directory. You can load a model without a window. To draw copies of a
    model, use a `ModelBatch`. Only glTF files can have skins, animations or several nodes. For STL,
    PLY and OFF files, install trimesh: ``pip install 'subtick[models]'``.

    A glTF model can have all textures of a `Material`, vertex colors, skins with four joints per
    vertex, morph targets and animations. A model ignores other features, such as lights, cameras,
    points, lines, extras, clearcoat and transmission. One `RuntimeWarning` lists the ignored
    features of the file. If the matrix of a node has shear, the model ignores the shear.

    If the file is invalid, `Model` raises an `AssetError` that contains the file name and describes
    the mistake.
    """

    __slots__ = (
        "__weakref__",
        "_file_values",
        "_merged_results",
        "_structure",
        "animations",
        "at_rest",
        "morphs",
        "node_names",
        "parts",
        "path",
    )

    not_state = True

    @other_options(
        **dict.fromkeys(
            ("scale", "position", "rotation", "color", "texture"),
            "write batch = self.add(fw.ModelBatch(model)) and batch.add(position=(0, 0, 0), scale=2)",
        ),
    )
    def __init__(
        self, path: str | os.PathLike[str], *, folders: Sequence[resources.Folder] = ()
    ) -> None:
        own = resources.checked_folders("folders", folders)
        file = resources.find(path, [*own, *current_folders()])
        reader = _READERS.get(file.suffix.lower())
        if reader is None:
            raise AssetError(
                f"The model {str(file)!r} is in no format that can be read: {', '.join(_READERS)}"
            )
        contents = _read(file, reader)
        for remark in contents.remarks:
            warnings.warn(f"The model {str(file)!r} {remark}", RuntimeWarning, stacklevel=2)
        self._fill(file, contents)
        Reloadable.add(self, Model._renew)

    def _renew(self, files: Set[str]) -> bool:
        """Load the model again if ``files`` contains its file or, for .gltf and .obj files, an
        image or data file in the same folder.

        Return whether the model was loaded again. Loading updates the existing meshes, materials
        and skins, and the rest pose. Material values that the game has set are kept. If the nodes,
        parts or animations are not the same as in the old file, raise `AssetError` and change
        nothing.
        """
        reader = _READERS.get(self.path.suffix.lower())
        if reader is None or not _is_among(self.path, files):
            return False
        contents = _read(self.path, reader)
        if _structure(contents) != self._structure:
            words = "has other nodes, meshes or animations than before"
            raise AssetError(f"The model {str(self.path)!r} {words}; restart the game")
        for old, new in zip(self.parts, contents.parts, strict=True):
            _replace_contents(old.mesh, new.mesh)
            _replace_contents(old.skin, new.skin)
            _replace_contents(old.targets, new.targets)
            self._renew_material(old.material, new.material)
        for animation in contents.animations:
            _replace_contents(self.animations[animation.name], animation)
        for name in ("position", "rotation", "scale"):
            values: Floats = getattr(self.at_rest, name)
            values[:] = getattr(contents, name)
        for merged in self._merged_results:
            for (mesh, _), (new_object, _) in zip(merged, self._merged(), strict=True):
                _replace_contents(mesh, new_object)
        return True

    def _renew_material(self, old: Material, new: Material) -> None:
        """Copy the values of ``new`` that have changed in the file. Values that the game has set
        are kept.
        """
        old_values = self._file_values[id(old)]
        for name, value in _values(new).items():
            is_equal = isinstance(value, _PLAIN) and value == old_values[name]
            if value is not old_values[name] and not is_equal:
                setattr(old, name, value)
                old_values[name] = value

    @classmethod
    def of(cls, parts: Sequence[Part], **nodes: Any) -> Model:
        """Create a model from parts, without a file, and return it.

        Parameters
        ----------
        parts
            The meshes with their materials, and the nodes at which they are drawn.
        nodes
            Keyword arguments for the columns of the nodes: ``names``, ``parent`` (n,), ``position``
            (n, 3), ``rotation`` (n, 4) and ``scale`` (n, 3). By default, the model has one node.
            The keyword ``animations`` is a list of `Animation` objects.
        """
        given_names: list[object] = items("names", nodes.pop("names", ["model"]))
        names = [text("names", name) for name in given_names]
        count = len(names)
        parent = TableColumn("parent", 1, -1, dtype=np.int32, interpolated=False)
        contents = ModelData(
            names,
            _filled(parent, count, nodes.pop("parent", -1)).astype(np.intp),
            parts=items("parts", parts),
        )
        for name, width, default in (
            ("position", 3, 0.0),
            ("rotation", 4, (0, 0, 0, 1)),
            ("scale", 3, 1.0),
        ):
            column = TableColumn(name, width, default, interpolated=False)
            setattr(contents, name, _filled(column, count, nodes.pop(name, default)))
        contents.animations = items("animations", nodes.pop("animations", []))
        if nodes:
            keywords = "names, parent, position, rotation, scale, animations"
            raise TypeError(f"{next(iter(nodes))}: not a keyword of Model.of; there are {keywords}")
        for part in contents.parts:
            _check_part(part, count)
        for animation in contents.animations:
            instance("animations", animation, Animation)
        model = cls.__new__(cls)
        model._fill(Path(names[0] if names else "model"), contents)
        return model

    def _fill(self, path: Path, contents: ModelData) -> None:
        self.path: Path = path
        """The path of the model's file."""
        self.parts: list[Part] = contents.parts
        """The meshes. Each mesh has a material and the indices of its nodes."""
        self.node_names: list[str] = contents.names
        """The names of all nodes, in the order of their indices."""
        self.animations: dict[str, Animation] = {
            animation.name: animation for animation in contents.animations
        }
        """A dict from names to the animations of the model."""
        self.morphs = _morph_weights(contents)
        """The names of the model's morph weights, and their values in the rest pose."""
        _check_weights(contents.animations, self.morphs)
        self.at_rest = Nodes3D("none")
        """The nodes in the rest pose."""
        self._structure = _structure(contents)
        self._file_values = {id(part.material): _values(part.material) for part in contents.parts}
        # The meshes that `merged` has returned. While files are watched, a reload updates these
        # meshes.
        self._merged_results: list[list[tuple[Mesh, Material]]] = []
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
        """The number of triangles in one instance of the model."""
        return sum(part.mesh.triangle_count * len(part.nodes) for part in self.parts)

    def node_index(self, name: str) -> int:
        """Return the index of the first node called ``name``.

        If no node has this name, raise a `ValueError` that lists all names.
        """
        if text("name", name) not in self.node_names:
            raise ValueError(
                f"name: there is no node {name!r}; there are {_name_list(self.node_names)}"
            )
        return self.node_names.index(name)

    @property
    def morph_names(self) -> list[str]:
        """The names of the morph targets, in the order of `ModelBatch.weights`.

        Several morph targets may have the same name.
        """
        return list(self.morphs.names)

    def _shape(self, part: Part, node: int | None = None) -> Mesh:
        """Return the mesh of a part, deformed by the morph weights of ``node`` in the rest pose.

        By default, ``node`` is the first node of the part.
        """
        if part.targets is None:
            return part.mesh
        node = part.nodes[0] if node is None else node
        return morphed(
            part.targets, part.mesh, self.morphs.of_node(node, self.morphs.rest, len(part.targets))
        )

    def animation(self, name: str) -> Animation:
        """Return the animation called ``name``.

        If the model has no such animation, raise a `ValueError` that lists all names.
        """
        animation = self.animations.get(text("name", name))
        if animation is None:
            raise ValueError(
                f"name: there is no animation {name!r}; "
                f"there are {_name_list(list(self.animations))}"
            )
        return animation

    def merged(self) -> list[tuple[Mesh, Material]]:
        """Return one mesh for each material of the model, in the rest pose. Each item of the list
        is a pair (mesh, material). The transforms of the nodes are already applied to the vertices.

        Pass the meshes to a `MeshBatch` to draw thousands of copies without animations. A
        `MeshBatch` interpolates the positions of copies on the GPU, and a `ModelBatch` on the CPU.
        """
        merged = self._merged()
        if Reloadable.objects is not None:
            self._merged_results.append(merged)
        return merged

    def _merged(self) -> list[tuple[Mesh, Material]]:
        world = self.at_rest.world_matrices(1.0).astype(np.float64)
        by_material: dict[int, tuple[list[Mesh], Material]] = {}
        for part in self.parts:
            meshes, _ = by_material.setdefault(id(part.material), ([], part.material))
            meshes += self._meshes_in_world(part, world)
        return [
            (Mesh.merged(*meshes), material) for meshes, material in by_material.values() if meshes
        ]

    def _meshes_in_world(self, part: Part, world: Doubles) -> list[Mesh]:
        """Return the mesh of a part at each of its nodes, in the rest pose. ``world`` contains the
        world matrices of all nodes.
        """
        if part.skin is not None:
            return [_bent(part.skin, self._shape(part), world)]
        determinants: Doubles = np.linalg.det(world[part.nodes, :3, :3])
        # If the scale of a node is 0, its mesh is invisible.
        is_flat: list[bool] = (np.abs(determinants) < 1e-30).tolist()
        return [
            self._shape(part, node).transformed_by(world[node])
            for node, flat in zip(part.nodes, is_flat, strict=True)
            if not flat
        ]

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        """The bounding box of the model in the rest pose: a pair of the lowest and the highest
        corner, in units.
        """
        if not self.parts:
            return np.zeros(3, np.float32), np.zeros(3, np.float32)
        world = self.at_rest.world_matrices(1.0).astype(np.float64)
        boxes: list[tuple[Doubles, Doubles]] = [
            (vertices.min(axis=0), vertices.max(axis=0))
            for part in self.parts
            for vertices in self._outer_vertices(part, world)
        ]
        low, high = np.array(boxes, np.float64).reshape(-1, 2, 3).swapaxes(0, 1)
        return (
            low.min(axis=0, initial=np.inf).astype(np.float32),
            high.max(axis=0, initial=-np.inf).astype(np.float32),
        )

    def _outer_vertices(self, part: Part, world: Doubles) -> list[Doubles]:
        """Return points with the same bounding box as a part in the rest pose: an array (n, 3) for
        each of its meshes.
        """
        if part.skin is not None:
            return [part.skin.skinned(self._shape(part).positions, world, -1)]
        return [
            _corners(self._shape(part, node)) @ world[node, :3, :3] + world[node, 3, :3]
            for node in part.nodes
        ]


def _read(path: Path, reader: str) -> ModelData:
    read: Callable[[Path], ModelData] = import_module(f".{reader}", __package__).read
    return guarded("model", path, read)


def _is_among(path: Path, files: Set[str]) -> bool:
    """Return whether ``files`` contains the file of a model, or an image or data file in the same
    folder that the model may use.
    """
    own = os.path.realpath(path)
    if own in files:
        return True
    folder = os.path.join(os.path.dirname(own), "")
    return path.suffix.lower() in (".gltf", ".obj") and any(
        file.startswith(folder) and file.lower().endswith(_BESIDE) for file in files
    )


def _structure(contents: ModelData) -> tuple[object, ...]:
    """Return the names and numbers of the nodes, parts and animations.

    Model instances depend on these names and numbers, so a reload must not change them.
    """
    parts = contents.parts
    kinds = [
        (part.nodes, _joints(part), None if part.targets is None else part.targets.names)
        for part in parts
    ]
    return (
        tuple(contents.names),
        contents.parent.tolist(),
        kinds,
        [animation.name for animation in contents.animations],
    )


def _values(material: Material) -> dict[str, object]:
    return {field.name: getattr(material, field.name) for field in fields(material) if field.init}


def _joints(part: Part) -> list[int] | None:
    if part.skin is None:
        return None
    joints: list[int] = part.skin.nodes.tolist()
    return joints


def _replace_contents(old: object, new: object) -> None:
    """Copy all attributes of the object ``new`` to the object ``old``. ``old`` and ``new`` must
    have the same class.
    """
    if old is None:
        return
    for kind in type(old).__mro__:
        slots: Sequence[str] = getattr(kind, "__slots__", ())
        for name in slots:
            if hasattr(new, name):
                object.__setattr__(old, name, getattr(new, name))


def _check_part(part: object, node_count: int) -> None:
    checked = instance("parts", part, Part)
    if not all(0 <= node < node_count for node in checked.nodes):
        raise ValueError(
            f"parts: expected nodes from 0 to {node_count - 1}, got {shown(checked.nodes)}"
        )


def _filled(column: TableColumn, count: int, value: ArrayLike) -> NDArray[Any]:
    """Return the values of a column with ``count`` rows that are set to ``value``."""
    column.reserve(count, 0)
    assign(column, count, value)
    return column.current(count)


def _bent(skin: Skin, mesh: Mesh, world: NDArray[Any]) -> Mesh:
    """Return a copy of a mesh that the joints of its skin have bent into the rest pose."""
    vertices = skin.skinned(mesh.positions, world, -1)
    return Mesh(
        vertices, mesh.indices, uvs=mesh.uvs, colors=mesh.colors, second_uvs=mesh.second_uvs
    )


def _corners(mesh: Mesh) -> NDArray[Any]:
    """Return the eight corners of a box around a mesh. The array has the shape (8, 3)."""
    return np.array(np.meshgrid(*np.array(mesh.bounds).T, indexing="ij")).reshape(3, -1).T


def _morph_weights(contents: ModelData) -> MorphWeights:
    """Return the morph weights of all nodes that have morph targets.

    If a node has several meshes with morph targets, use the mesh with the most targets.
    """
    targets_of: dict[int, MorphTargets] = {}
    for part in contents.parts:
        for node in part.nodes:
            if part.targets is not None and (
                node not in targets_of or len(targets_of[node]) < len(part.targets)
            ):
                targets_of[node] = part.targets
    defaults = {
        node: contents.weights.get(node, targets.weights) for node, targets in targets_of.items()
    }
    return MorphWeights(
        (node, targets.names, defaults[node]) for node, targets in targets_of.items()
    )


def _check_weights(animations: Sequence[Animation], morphs: MorphWeights) -> None:
    """Raise `ValueError` if an animation moves more morph weights than a node has."""
    for animation in animations:
        for node, count in weight_counts(animation).items():
            available = morphs.counts.get(node, 0)
            if available < count:
                raise ValueError(
                    f"animations: {animation.name!r} moves {count} weights, "
                    f"but node {node} has {available}"
                )


def _name_list(names: Sequence[str]) -> str:
    text = ", ".join(map(repr, names[:8]))
    return (text + (", …" if len(names) > 8 else "")) or "none"
