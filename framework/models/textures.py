"""Textures: images, and how they lie on surfaces."""

from __future__ import annotations

__all__ = ["Texture"]

import math
from dataclasses import dataclass

import numpy as np

from .. import checks
from ..arrays import Doubles, Floats
from ..assets.images import ImageSource, checked_source

WRAPS = ("repeat", "mirror", "clamp")
"""What is beside an image: itself again; itself mirrored, and again; its outermost pixels."""
FILTERS = ("linear", "nearest")
"""How an image is magnified."""
MINIFIED = (
    "linear_mipmap_linear",
    "linear_mipmap_nearest",
    "nearest_mipmap_linear",
    "nearest_mipmap_nearest",
    "linear",
    "nearest",
)
"""How it is made smaller: the first word within a level of its mipmaps, the last between two; or
without them.
"""

MOST_UV_SETS = 2
"""Texture coordinates of a mesh: `Mesh.uvs`, `Mesh.second_uvs`."""


@dataclass(frozen=True, eq=False, slots=True)
class Texture:
    """An image, and how it lies on a surface; for any of the maps of a `Material`. Compared and
    hashed by identity.

    Parameters
    ----------
    image
        A path, a Pillow image, an array or a `Region`.
    wrap
        What is beside it, one of "repeat", "mirror" and "clamp"; or two of them, for u and for v.
    filter
        How it is magnified: "linear", or "nearest" for pixels with hard edges.
    minify
        How it is made smaller: "linear_mipmap_linear", "linear_mipmap_nearest",
        "nearest_mipmap_linear" or "nearest_mipmap_nearest"; "linear" and "nearest" without mipmaps,
        which shimmers far away.
    offset, rotation, scale
        Texture coordinates are scaled, turned by ``rotation`` radians and moved, in this order, as
        by glTF's KHR_texture_transform: a scale of (4, 4) shows the image 16 times where it was
        seen once. A normal map is read in the directions of the mesh's tangents, however it is
        turned.
    uv_set
        0 for the mesh's ``uvs``, 1 for its ``second_uvs`` where it has any.

    Raises `ValueError` or `TypeError`, which names the argument.
    """

    image: ImageSource
    wrap: str | tuple[str, str] = "repeat"
    filter: str = "linear"
    minify: str = "linear_mipmap_linear"
    offset: tuple[float, float] = (0.0, 0.0)
    rotation: float = 0.0
    scale: tuple[float, float] = (1.0, 1.0)
    uv_set: int = 0

    def __post_init__(self) -> None:
        checked_source("image", self.image)
        checks.choice("filter", self.filter, FILTERS)
        checks.choice("minify", self.minify, MINIFIED)
        made = {
            "wrap": _wrap(self.wrap),
            "offset": _two("offset", self.offset),
            "rotation": checks.number("rotation", self.rotation),
            "scale": _two("scale", self.scale),
            "uv_set": checks.whole("uv_set", self.uv_set, 0, MOST_UV_SETS - 1),
        }
        for name, value in made.items():
            object.__setattr__(self, name, value)

    @property
    def sampling(self) -> tuple[str, ...]:
        """How the GPU reads it: the wraps of u and v, how it is magnified, how it is made
        smaller.
        """
        return (*wraps(self.wrap), self.filter, self.minify)

    @property
    def moved(self) -> bool:
        """Whether it lies otherwise than the mesh's texture coordinates say."""
        return (self.offset, self.rotation, self.scale) != ((0.0, 0.0), 0.0, (1.0, 1.0))

    def matrix(self) -> Doubles:
        """What texture coordinates are multiplied with, as row vectors: (2, 2). `offset` is added
        then.
        """
        return placing(self.rotation, self.scale)


def wraps(wrap: str | tuple[str, str]) -> tuple[str, str]:
    """Those of u and of v."""
    return (wrap, wrap) if isinstance(wrap, str) else wrap


def placing(rotation: float, scale: tuple[float, float]) -> Doubles:
    """What texture coordinates are multiplied with, as row vectors: (2, 2)."""
    cos, sin = math.cos(rotation), math.sin(rotation)
    matrix: Doubles = np.array([[cos, -sin], [sin, cos]]) * np.array(scale)[:, None]
    return matrix


def placed(uvs: Floats, matrix: Doubles, offset: tuple[float, float]) -> Floats:
    """Texture coordinates (n, 2), multiplied and moved."""
    moved: Floats = (uvs @ matrix + offset).astype(np.float32)
    return moved


def _wrap(value: object) -> str | tuple[str, str]:
    if isinstance(value, str) or not isinstance(value, tuple | list):
        return checks.choice("wrap", value, WRAPS)
    if len(value) != 2:
        raise checks.wrong_value("wrap", "one word, or two: of u and of v", value)
    u, v = (checks.choice("wrap", one, WRAPS) for one in value)
    return u, v


def _two(name: str, value: object) -> tuple[float, float]:
    x, y = checks.pair(name, value)
    if not max(abs(x), abs(y)) < 1e30:
        raise checks.wrong_value(name, "two numbers below 1e30", value)
    return x, y
