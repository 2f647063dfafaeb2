"""Read models from STL, PLY and OFF files with the optional library trimesh.

The files may come from untrusted sources. Therefore, the reader passes only the bytes of the model
file to trimesh, which then opens no other files.
"""

from __future__ import annotations

import io
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..assets.linked_files import MAX_BYTES
from ..errors import AssetError, FrameworkError
from ..geometry.mesh import Mesh
from ..optional_packages import check_version
from .materials import Material
from .parts import ModelData, Part, linear


class Visual(Protocol):
    """The colors of a mesh in the library trimesh."""

    kind: str | None
    vertex_colors: ArrayLike


class Geometry(Protocol):
    """A mesh in the library trimesh.

    Point clouds and paths have no attribute ``faces``.
    """

    vertices: NDArray[np.float64]
    faces: NDArray[np.int64]
    visual: Visual
    vertex_normals: NDArray[np.float64]
    _cache: Mapping[str, object]


class TrimeshScene(Protocol):
    """A scene in the library trimesh."""

    def dump(self) -> list[Geometry]: ...


class LoadScene(Protocol):
    """The function ``trimesh.load_scene``."""

    def __call__(
        self, file: io.BytesIO, *, file_type: str, resolver: None, process: bool
    ) -> TrimeshScene: ...


def read(path: Path) -> ModelData:
    """Return the model in an STL, PLY or OFF file. The model has one node.

    Raises `ValueError` if the file is invalid.
    """
    load_scene = _load_scene(path)
    if path.stat().st_size > MAX_BYTES:
        raise ValueError(f"the file has more than {MAX_BYTES >> 20} MiB")
    # trimesh must not print errors to the console, because the reader raises them as exceptions.
    logging.getLogger("trimesh").setLevel(logging.CRITICAL)
    # Pass no resolver. With a resolver, trimesh would open images in any format of Pillow,
    # including formats that start Ghostscript.
    try:
        scene = load_scene(
            io.BytesIO(path.read_bytes()),
            file_type=path.suffix[1:].lower(),
            resolver=None,
            process=False,
        )
    except IndexError as error:
        raise ValueError(f"a face has a corner that does not exist: {error}") from None
    except ModuleNotFoundError as error:
        raise AssetError(
            f"The model {str(path)!r} needs {error.name}, which is not installed: pip "
            f"install {error.name}. "
            "(Models in glTF and OBJ need nothing more.)"
        ) from None
    parts = ModelData.at_one_node(path.stem)
    for geometry in scene.dump():
        if hasattr(geometry, "faces") and len(geometry.faces):
            parts.parts.append(Part(_mesh(geometry), Material(), [0]))
    if not parts.parts:
        raise ValueError("the file has no triangles")
    return parts


def _load_scene(path: Path) -> LoadScene:
    try:
        import trimesh
    except ModuleNotFoundError:
        raise AssetError(
            f"The model {str(path)!r} needs trimesh, which is not installed: pip "
            "install 'subtick[models]'. "
            "(Models in glTF and OBJ need nothing more.)"
        ) from None
    try:
        check_version("trimesh", f"The model {str(path)!r}")
    except FrameworkError as error:
        raise AssetError(str(error)) from None
    return cast(LoadScene, trimesh.load_scene)


def _mesh(geometry: Geometry) -> Mesh:
    colors = None
    normals = None
    if geometry.visual.kind == "vertex":
        colors = linear(np.asarray(geometry.visual.vertex_colors, np.float32) / 255)
    if "vertex_normals" in geometry._cache:
        normals = np.asarray(geometry.vertex_normals, np.float32)
    return Mesh(
        geometry.vertices, np.asarray(geometry.faces).reshape(-1), normals=normals, colors=colors
    )
