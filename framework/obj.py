"""OBJ files with their materials (MTL), and STL, PLY and OFF, as `Parts`: parsed by trimesh, which is an extra."""

from __future__ import annotations

import io
import logging
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import images
from .columns import Floats
from .errors import AssetError
from .images import Pixels
from .materials import Material
from .mesh import Mesh
from .parts import MAX_BYTES, Budget, Part, Parts, beside

SUFFIXES = (".obj", ".stl", ".ply", ".off")


def read(path: Path) -> Parts:
    """The model in a file: one node, a part for each material. Raises `ValueError` for what is wrong in it."""
    trimesh = _trimesh(path)
    if path.stat().st_size > MAX_BYTES:
        raise ValueError(f"it has more than {MAX_BYTES >> 20} MiB")
    files = _Files(path.parent)
    logging.getLogger("trimesh").setLevel(logging.CRITICAL)  # what is wrong is raised here, not written to the console
    kind, data = path.suffix[1:].lower(), path.read_bytes()
    if kind == "obj":  # text, of a coding that nobody says
        data = data.decode("utf-8", "replace").encode()
    try:
        scene = trimesh.load_scene(io.BytesIO(data), file_type=kind, resolver=files, process=False)
    except IndexError as error:
        raise ValueError(f"a face has a corner that is not there: {error}") from None
    if files.trouble is not None:
        raise files.trouble
    parts = Parts([path.stem], np.array([-1]))
    parts.position, parts.rotation, parts.scale = (np.array([row], np.float32) for row in _NOWHERE)
    meshes = [made for made in scene.dump() if hasattr(made, "faces") and len(made.faces)]
    for mesh in meshes:
        parts.parts.append(Part(*_mesh(mesh, files), [0]))
    if not parts.parts:
        raise ValueError("it has no triangles")
    return parts


_NOWHERE = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0), (1.0, 1.0, 1.0)


def _trimesh(path: Path) -> Any:
    try:
        import trimesh
    except ModuleNotFoundError:
        raise AssetError(
            f"The model {str(path)!r} needs trimesh, which is not installed: pip install 'subtick[models]'. "
            "(Models in glTF, .glb and .gltf, need nothing more.)"
        ) from None
    return trimesh


class _Files:
    """What trimesh asks for the files that a model names: only those beside it are given out."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._bytes, self._pixels = Budget("files"), Budget("pixels")
        self._images: dict[str, Pixels] = {}
        self.trouble: ValueError | None = None  # trimesh passes over what it cannot get

    def get(self, name: str) -> bytes:
        try:
            path = beside(self._folder, str(name).strip(), "a file that it names")
            self._bytes.spend(path.stat().st_size)
            return path.read_bytes()
        except ValueError as error:
            self.trouble = self.trouble or error
            raise FileNotFoundError(name) from None

    __getitem__ = get

    def keys(self) -> list[str]:
        return []

    def namespaced(self, namespace: str) -> _Files:
        return self

    def image(self, name: str) -> Pixels:
        """The pixels of an image; each is read once."""
        pixels = self._images.get(name)
        if pixels is None:
            path = beside(self._folder, name.strip(), "a texture")
            try:
                pixels = self._images[name] = images.load(path)
            except AssetError as error:
                raise ValueError(str(error)) from None
            self._pixels.spend(pixels.nbytes)
        return pixels


def _mesh(made: Any, files: _Files) -> tuple[Mesh, Material]:
    material, uvs, colors = Material(), None, None
    visual = made.visual
    if visual.kind == "texture":
        material = _material(visual.material, files)
        if visual.uv is not None and len(visual.uv) == len(made.vertices):
            uvs = np.asarray(visual.uv, np.float32)[:, :2] * (1, -1) + (0, 1)  # their v runs up the image
    elif visual.kind == "vertex":
        colors = _linear(np.asarray(visual.vertex_colors, np.float32) / 255)
    normals: Floats | None = None
    if "vertex_normals" in made._cache:
        normals = np.asarray(made.vertex_normals, np.float32)
    mesh = Mesh(made.vertices, np.asarray(made.faces).reshape(-1), normals=normals, uvs=uvs, colors=colors)
    return mesh, material


def _material(of: Any, files: _Files) -> Material:
    """The Phong material of an MTL file as one of metal and roughness."""
    said: dict[str, Any] = dict(getattr(of, "kwargs", {}) or {})
    diffuse = _linear(np.asarray(getattr(of, "diffuse", (255, 255, 255, 255)), np.float32)[None] / 255)[0]
    alpha = float(_first(said, "d", 1.0))  # not Tr, which means one thing in some files, its opposite in others
    shine = max(float(getattr(of, "glossiness", 0.0) or 0.0), 0.0)
    texture = None
    name = getattr(getattr(of, "image", None), "info", {}).get("file_path")
    if name is not None:
        texture = files.image(name)
        diffuse = np.array((1.0, 1.0, 1.0, 1.0)) if not diffuse[:3].any() else diffuse
    see_through = alpha < 1 or (texture is not None and bool((texture[..., 3] < 255).any()))
    red, green, blue = _linear(np.array([[*_values(said, "ke", (0, 0, 0)), 1]]))[0, :3].tolist()
    return Material(
        base_color=(*diffuse[:3].tolist(), min(max(alpha, 0.0), 1.0)),
        roughness=float(np.clip(np.sqrt(2 / (shine + 2)), 0.05, 1)),
        emissive=(red, green, blue),
        base_texture=texture,
        alpha_mode="blend" if see_through else "opaque",
        double_sided=True,
    )


def _values(said: dict[str, Any], key: str, default: tuple[float, ...]) -> tuple[float, ...]:
    value = said.get(key, default)
    return tuple(float(part) for part in value) if len(value) == len(default) else default


def _first(said: dict[str, Any], key: str, default: float) -> Any:
    value = said.get(key, default)
    return value[0] if isinstance(value, (list, tuple, np.ndarray)) else value


def _linear(colors: NDArray[Any]) -> NDArray[Any]:
    """sRGB colours with alpha, 0 to 1, as linear ones."""
    linear = colors.copy()
    rgb = np.clip(colors[:, :3], 0, 1)
    linear[:, :3] = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return linear
