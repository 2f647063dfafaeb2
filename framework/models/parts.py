"""What models are made of, whatever file they came from."""

from __future__ import annotations

__all__ = ["Part"]

import io
from dataclasses import dataclass, field

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
"""Nodes of one model."""
MAX_DEPTH = 512
"""Generations of them."""
MAX_PARTS = 4096
"""Meshes of one material each, of one model."""
MAX_CORNERS = 1 << 23
"""Vertices of a model, and corners of its triangles."""
MAX_PIXELS = 1 << 27
"""Pixels of all its pictures: 512 MiB, unpacked."""
MAX_BLANK_PIXELS = 3 * 4096 * 4096
"""Those among them that are more than `_PIXELS_A_BYTE` would be."""
_PIXELS_A_BYTE = 32
MAX_SHARED_CORNERS = 1 << 20
"""Those among them that are more than `CORNERS_A_BYTE` of the file's numbers would be."""
CORNERS_A_BYTE = 4
MAX_PLACES = 1 << 18
"""Meshes at nodes, each counted at each of them."""
MAX_CHANNELS, MAX_KEYS = 1 << 16, 1 << 24
"""Channels of all animations, and numbers in their keys, each counted in each channel that has
it.
"""
MAX_ANIMATIONS = 1 << 11
"""Animations of one model."""
MAX_JOINTS = 1 << 18
"""Joints of all skins of all meshes."""
_PICTURES = ("PNG", "JPEG", "WEBP", "BMP", "TGA", "GIF")


@dataclass(slots=True)
class Part(checks.Sealed):
    """A mesh of a model, in one material, at one or more of its nodes."""

    not_state = True

    mesh: Mesh
    material: Material
    nodes: list[int]
    skin: Skin | None = None
    """Its joints are numbered from 1 on: 0 is the node that an instance of the whole model hangs
    on.
    """
    targets: MorphTargets | None = None
    """Other shapes of the mesh; each node that it hangs on has weights of its own."""

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
                    f"targets: they have {count:,} vertices, the mesh has "
                    f"{len(self.mesh.positions):,}"
                )
            if not self.nodes:
                raise ValueError(
                    "nodes: a mesh with morph targets needs one, which has the weights"
                )


@dataclass
class Parts:
    """A whole model: nodes as columns in which parents may come after their children, and what
    hangs on them.
    """

    names: list[str] = field(default_factory=list)
    parent: Rows = field(default_factory=lambda: np.zeros(0, np.intp))
    position: Floats = field(default_factory=lambda: np.zeros((0, 3), np.float32))
    rotation: Floats = field(default_factory=lambda: np.zeros((0, 4), np.float32))
    scale: Floats = field(default_factory=lambda: np.zeros((0, 3), np.float32))
    parts: list[Part] = field(default_factory=list)
    weights: dict[int, Floats] = field(default_factory=dict)
    """Of nodes, those of their meshes' morph targets at rest, where they are others than the
    targets'.
    """
    animations: list[Animation] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    """What is drawn otherwise than the file says, each to follow on the file's name."""

    @classmethod
    def at_one_node(cls, name: str) -> Parts:
        """A model of one node, without parts yet."""
        pose = (
            np.zeros((1, 3), np.float32),
            np.array([[0, 0, 0, 1]], np.float32),
            np.ones((1, 3), np.float32),
        )
        return cls([name], np.array([-1]), *pose)


def quaternion_lengths(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Of (…, 4): (…,)."""
    lengths: NDArray[np.float32] = np.sqrt((values.astype(np.float32) ** 2).sum(axis=-1))
    return lengths


class Pictures:
    """The pictures of a model: each is decoded once, however often and under however many names it
    is there.

    Those of a small file that are large have less room than what a file of their size would hold of
    photographs.
    """

    def __init__(self) -> None:
        self._made: dict[bytes, Pixels] = {}
        self._ways: dict[int, set[object]] = {}
        self._pixels, self._blank = (
            Budget("pixels", MAX_PIXELS),
            Budget("pixels that say nothing", MAX_BLANK_PIXELS),
        )

    def read(self, data: bytes, where: str, formats: tuple[str, ...] = _PICTURES) -> Pixels:
        """The pixels of an image file's bytes. Raises `ValueError`."""
        from hashlib import blake2b  # loads OpenSSL, which only a file with pictures is worth

        key = blake2b(data).digest()
        pixels = self._made.get(key)
        if pixels is None:
            pixels = self._made[key] = self._decoded(data, where, formats)
        return pixels

    def sampled(self, pixels: Pixels, way: object) -> None:
        """One that was read is sampled in this way: each other way is a texture of its own on the
        GPU.
        """
        ways = self._ways.setdefault(id(pixels), {way})
        if way not in ways:
            ways.add(way)
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
            reason = (
                "" if "0x" in str(error) else f": {checks.shown(str(error))}"
            )  # Pillow names an object of ours
            raise ValueError(f"{where}: this is no image ({', '.join(formats)}){reason}") from None


def linear(colors: Reals) -> Reals:
    """sRGB colours with alpha, 0 to 1, as linear ones."""
    made = colors.copy()
    rgb = np.clip(colors[:, :3], 0, 1)
    made[:, :3] = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return made
