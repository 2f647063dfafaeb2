"""STL, PLY and OFF files as `Parts`: parsed by trimesh, which is an extra. It is given their bytes
and nothing else.
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
from ..errors import AssetError
from ..geometry.mesh import Mesh
from .materials import Material
from .parts import Part, Parts, linear


class Visual(Protocol):
    """The colors of a mesh of trimesh."""

    kind: str | None
    vertex_colors: ArrayLike


class Geometry(Protocol):
    """A mesh of trimesh; a cloud of points or a path has no ``faces``."""

    vertices: NDArray[np.float64]
    faces: NDArray[np.int64]
    visual: Visual
    vertex_normals: NDArray[np.float64]
    _cache: Mapping[str, object]


class TrimeshScene(Protocol):
    """A scene of trimesh."""

    def dump(self) -> list[Geometry]: ...


class LoadScene(Protocol):
    """The function ``trimesh.load_scene``."""

    def __call__(
        self, file: io.BytesIO, *, file_type: str, resolver: None, process: bool
    ) -> TrimeshScene: ...


def read(path: Path) -> Parts:
    """The model in a file: one node, one mesh. Raises `ValueError` for what is wrong in it."""
    load_scene = _load_scene(path)
    if path.stat().st_size > MAX_BYTES:
        raise ValueError(f"it has more than {MAX_BYTES >> 20} MiB")
    logging.getLogger("trimesh").setLevel(
        logging.CRITICAL
    )  # what is wrong is raised here, not written to the console
    # No resolver: it would open the pictures that a file names with whatever Pillow knows,
    # Ghostscript among it.
    try:
        scene = load_scene(
            io.BytesIO(path.read_bytes()),
            file_type=path.suffix[1:].lower(),
            resolver=None,
            process=False,
        )
    except IndexError as error:
        raise ValueError(f"a face has a corner that is not there: {error}") from None
    except ModuleNotFoundError as error:
        raise AssetError(
            f"The model {str(path)!r} needs {error.name}, which is not installed: pip "
            f"install {error.name}. "
            "(Models in glTF and OBJ need nothing more.)"
        ) from None
    parts = Parts.at_one_node(path.stem)
    for made in scene.dump():
        if hasattr(made, "faces") and len(made.faces):
            parts.parts.append(Part(_mesh(made), Material(), [0]))
    if not parts.parts:
        raise ValueError("it has no triangles")
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
    return cast(LoadScene, trimesh.load_scene)


def _mesh(made: Geometry) -> Mesh:
    colors, normals = None, None
    if made.visual.kind == "vertex":
        colors = linear(np.asarray(made.visual.vertex_colors, np.float32) / 255)
    if "vertex_normals" in made._cache:
        normals = np.asarray(made.vertex_normals, np.float32)
    return Mesh(made.vertices, np.asarray(made.faces).reshape(-1), normals=normals, colors=colors)
