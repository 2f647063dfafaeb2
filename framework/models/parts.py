"""The classes for the data of a 3D model, which are the same for all file formats."""

from __future__ import annotations

__all__ = ["Part"]

import io
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from .. import checks
from ..arrays import Floats, Pixels, Reals, Rows
from ..assets import images
from ..assets.linked_files import Budget
from ..errors import AssetError
from ..geometry.mesh import Mesh
from .animations import Animation
from .materials import Material
from .morphs import MorphTargets
from .skins import Skin

MAX_NODES = 1 << 16
"""The maximum number of nodes in one model."""
MAX_DEPTH = 512
"""The maximum depth of the tree of nodes."""
MAX_PARTS = 4096
"""The maximum number of meshes in one model. Each mesh has one material."""
MAX_CORNERS = 1 << 23
"""The maximum number of vertices plus triangle corners in one model."""
MAX_PIXELS = 1 << 27
"""The maximum number of pixels in all images of one model: 512 MiB of memory."""
MAX_BLANK_PIXELS = 3 * 4096 * 4096
"""The number of pixels that every model may have, however small its image files are. Each byte of
these files allows `_PIXELS_A_BYTE` more pixels.
"""
_PIXELS_A_BYTE = 32
MAX_SHARED_CORNERS = 1 << 20
"""The number of corners that every model may have, however small its file is. Each byte of vertex
and index data allows `CORNERS_A_BYTE` more corners.
"""
CORNERS_A_BYTE = 4
MAX_PLACES = 1 << 18
"""The maximum number of times that the nodes of a model draw a mesh. A mesh at three nodes counts
three times.
"""
MAX_CHANNELS = 1 << 16
"""The maximum number of channels in all animations of one model."""
MAX_KEYS = 1 << 24
"""The maximum number of values in the keyframes of all animations.

A keyframe that several channels use is counted once for each channel.
"""
MAX_ANIMATIONS = 1 << 11
"""The maximum number of animations in one model."""
MAX_JOINTS = 1 << 18
"""The maximum number of joints in all skins of one model."""
_PICTURES = ("PNG", "JPEG", "WEBP", "BMP", "TGA", "GIF")


F = TypeVar("F", np.float32, np.float64)


@dataclass(slots=True)
class Part(checks.Sealed):
    """A mesh with one material. The mesh is drawn at one or more nodes of the model."""

    not_state = True

    mesh: Mesh
    material: Material
    nodes: list[int]
    skin: Skin | None = None
    """The skin, or None if no joints bend the mesh. The node indices in `Skin.nodes` are one higher
    than in `ModelData`, because the root of each instance is its node 0.
    """
    targets: MorphTargets | None = None
    """The morph targets, or None if the mesh has no targets. Each node of the mesh has its own
    weights.
    """

    def __post_init__(self) -> None:
        checks.instance("mesh", self.mesh, Mesh)
        checks.instance("material", self.material, Material)
        self.nodes = checks.whole_numbers("nodes", self.nodes, (None,)).tolist()
        if self.skin is not None:
            checks.instance("skin", self.skin, Skin)
        if self.targets is not None:
            _, count, _ = checks.instance("targets", self.targets, MorphTargets).positions.shape
            if count != len(self.mesh.positions):
                raise ValueError(
                    f"targets: expected {len(self.mesh.positions):,} vertices, those of the mesh, "
                    f"got {count:,}"
                )
            if not self.nodes:
                raise ValueError(
                    "nodes: expected at least one node for a mesh with morph targets, got none"
                )


@dataclass
class ModelData:
    """The data of a complete model: the columns of its nodes, and the meshes of these nodes.

    In the list of nodes, a child may come before its parent.
    """

    names: list[str] = field(default_factory=list)
    parent: Rows = field(default_factory=lambda: np.zeros(0, np.intp))
    position: Floats = field(default_factory=lambda: np.zeros((0, 3), np.float32))
    rotation: Floats = field(default_factory=lambda: np.zeros((0, 4), np.float32))
    scale: Floats = field(default_factory=lambda: np.zeros((0, 3), np.float32))
    parts: list[Part] = field(default_factory=list)
    weights: dict[int, Floats] = field(default_factory=dict)
    """The morph weights in the rest pose, by the index of the node. A node that uses the default
    weights of its targets has no entry.
    """
    animations: list[Animation] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    """Warnings about parts of the file that the model ignores or reads differently. Each warning
    begins with the file name.
    """

    @classmethod
    def at_one_node(cls, name: str) -> ModelData:
        """Return the data of a model that has one node and no meshes."""
        pose = (
            np.zeros((1, 3), np.float32),
            np.array([[0, 0, 0, 1]], np.float32),
            np.ones((1, 3), np.float32),
        )
        return cls([name], np.array([-1]), *pose)


def quaternion_lengths(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the lengths of quaternions. The array ``values`` has the shape (…, 4)."""
    lengths: NDArray[np.float32] = np.sqrt((values.astype(np.float32) ** 2).sum(axis=-1))
    return lengths


class ModelImages:
    """The decoded images of a model.

    Each image is decoded only once, even if the model uses the image several times.

    The maximum number of pixels depends on the size of the file, because a small file may contain a
    huge image. The limit is still high enough for photographs.
    """

    def __init__(self) -> None:
        self._images: dict[bytes, Pixels] = {}
        self._samplings: dict[int, set[object]] = {}
        self._pixels = Budget("pixels", MAX_PIXELS)
        self._blank = Budget("pixels of nearly empty images", MAX_BLANK_PIXELS)

    def read(self, data: bytes, where: str, formats: tuple[str, ...] = _PICTURES) -> Pixels:
        """Return the pixels of an image file. ``data`` contains the bytes of the file. Raises
        `ValueError` if the image is broken or too large.
        """
        # Imported here, because hashlib loads OpenSSL, which only files with images need.
        from hashlib import blake2b

        key = blake2b(data).digest()
        pixels = self._images.get(key)
        if pixels is None:
            pixels = self._images[key] = self._decoded(data, where, formats)
        return pixels

    def count_sampling(self, pixels: Pixels, sampling: object) -> None:
        """Count the pixels of an image for each set of sampling options (filter and wrap modes)
        with which the model uses it.

        On the GPU, the image needs a separate texture for each combination of options. The total
        number of pixels in all textures of the model is limited.
        """
        samplings = self._samplings.setdefault(id(pixels), {sampling})
        if sampling not in samplings:
            samplings.add(sampling)
            self._pixels.spend(pixels.shape[0] * pixels.shape[1])

    def _decoded(self, data: bytes, where: str, formats: tuple[str, ...]) -> Pixels:
        try:
            with Image.open(io.BytesIO(data), formats=formats) as image:
                count = image.width * image.height
                self._pixels.spend(count)
                self._blank.spend(max(count - _PIXELS_A_BYTE * len(data), 0))
                return images.load(image)
        except AssetError as error:
            raise ValueError(f"{where}: {error}") from None
        except (
            OSError,
            SyntaxError,
            Image.DecompressionBombError,
            Image.DecompressionBombWarning,
        ) as error:
            # Omit a message of Pillow that contains a memory address, because an address does not
            # help the user.
            reason = "" if "0x" in str(error) else f": {checks.shown(str(error))}"
            raise ValueError(
                f"{where}: this is not an image ({', '.join(formats)}){reason}"
            ) from None


def unit_vectors(vectors: NDArray[F]) -> NDArray[F]:
    """Scale vectors (n, 3) to length 1, and return the scaled vectors. A vector of length 0 becomes
    (0, 1, 0).
    """
    squares: NDArray[F] = (vectors**2).sum(axis=1, keepdims=True)
    lengths = np.sqrt(squares)
    return np.where(lengths > 1e-30, vectors / np.maximum(lengths, 1e-30), (0, 1, 0))


def linear(colors: Reals) -> Reals:
    """Convert colors from sRGB to linear. Alpha does not change. All numbers are from 0 to 1."""
    converted = colors.copy()
    rgb = np.clip(colors[:, :3], 0, 1)
    converted[:, :3] = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return converted
