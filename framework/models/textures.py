"""Texture options: the filters, wrap modes and placement of an image on a surface."""

from __future__ import annotations

__all__ = ["Texture"]

import math
from dataclasses import dataclass

import numpy as np

from .. import checks
from ..arrays import Doubles, Floats
from ..assets.images import ImageSource, checked_source
from ..moved_names import HasMoved, moved, renamed_options

WRAPS = ("repeat", "mirror", "clamp")
"""The pixels beside an image: the same image again, a mirror image, or the border pixels."""
FILTERS = ("linear", "nearest")
"""Filters for magnified images."""
MINIFIED = (
    "linear_mipmap_linear",
    "linear_mipmap_nearest",
    "nearest_mipmap_linear",
    "nearest_mipmap_nearest",
    "linear",
    "nearest",
)
"""Filters for images drawn smaller.

The first word is the filter inside a mipmap level, the last word the filter between two levels.
A filter of a single word uses no mipmaps.
"""

MAX_UV_SETS = 2
"""The number of sets of texture coordinates in a mesh: `Mesh.uvs` and `Mesh.second_uvs`."""


@moved("texture", {"rotation": "angle"})
@dataclass(frozen=True, eq=False, slots=True)
class Texture(HasMoved):
    """An image and its placement on a surface, as one of the textures of a `Material`.

    Two `Texture` objects are equal only if they are the same object.

    Parameters
    ----------
    image
        The image: a path, a Pillow image, an array or a `Region`.
    wrap
        How the image continues beside its edges: "repeat" (default), "mirror" or "clamp", or two of
        these words, for u and v.
    filter
        The filter for an enlarged image: "linear" (default), or "nearest" for hard pixels.
    minify
        The filter for a reduced image: "linear_mipmap_linear" (default), "linear_mipmap_nearest",
        "nearest_mipmap_linear" or "nearest_mipmap_nearest". The filters "linear" and "nearest" do
        not use mipmaps: surfaces that are far away flicker.
    offset, angle, scale
        Texture coordinates are scaled, rotated by ``angle`` radians and moved by ``offset``, in
        this order, as in glTF's KHR_texture_transform. With a scale of (4, 4), the image is
        repeated four times along u and four times along v. The directions in a normal map follow
        the mesh's tangents, and do not turn with ``angle``.
    uv_set
        The texture coordinates to use: 0 (default) for the mesh's ``uvs``, 1 for the mesh's
        ``second_uvs`` if there are any.

    Raises `ValueError` or `TypeError`, which names the argument, for an invalid value.
    """

    image: ImageSource
    wrap: str | tuple[str, str] = "repeat"
    filter: str = "linear"
    minify: str = "linear_mipmap_linear"
    offset: tuple[float, float] = (0.0, 0.0)
    angle: float = 0.0
    scale: tuple[float, float] = (1.0, 1.0)
    uv_set: int = 0

    def __post_init__(self) -> None:
        checked_source("image", self.image)
        checks.choice("filter", self.filter, FILTERS)
        checks.choice("minify", self.minify, MINIFIED)
        checked = {
            "wrap": _wrap(self.wrap),
            "offset": _two("offset", self.offset),
            "angle": checks.number("angle", self.angle),
            "scale": _two("scale", self.scale),
            "uv_set": checks.whole("uv_set", self.uv_set, 0, MAX_UV_SETS - 1),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def sampling(self) -> tuple[str, ...]:
        """The sampling options for the GPU: the wrap modes of u and v, ``filter`` and
        ``minify``.
        """
        return (*wraps(self.wrap), self.filter, self.minify)

    @property
    def moved(self) -> bool:
        """Whether `offset`, `angle` or `scale` changes the mesh's texture coordinates."""
        return (self.offset, self.angle, self.scale) != ((0.0, 0.0), 0.0, (1.0, 1.0))

    def matrix(self) -> Doubles:
        """Return the matrix (2, 2) of `angle` and `scale`, for texture coordinates as row vectors.

        `offset` is added after the multiplication by the matrix.
        """
        return placing(self.angle, self.scale)


Texture.__init__ = renamed_options("Texture", rotation="angle")(  # type: ignore[method-assign]
    Texture.__init__
)


def wraps(wrap: str | tuple[str, str]) -> tuple[str, str]:
    """Return the wrap modes of u and v as a pair."""
    return (wrap, wrap) if isinstance(wrap, str) else wrap


def placing(angle: float, scale: tuple[float, float]) -> Doubles:
    """Return the matrix (2, 2) of an angle in radians and a scale, for row vectors."""
    cos = math.cos(angle)
    sin = math.sin(angle)
    matrix: Doubles = np.array([[cos, -sin], [sin, cos]]) * np.array(scale)[:, None]
    return matrix


def placed(uvs: Floats, matrix: Doubles, offset: tuple[float, float]) -> Floats:
    """Return texture coordinates (n, 2), multiplied by ``matrix`` and moved by ``offset``."""
    moved: Floats = (uvs @ matrix + offset).astype(np.float32)
    return moved


def _wrap(value: object) -> str | tuple[str, str]:
    if isinstance(value, str) or not isinstance(value, tuple | list):
        return checks.choice("wrap", value, WRAPS)
    if len(value) != 2:
        raise checks.wrong_value("wrap", "one word, or two for u and v", value)
    u, v = (checks.choice("wrap", word, WRAPS) for word in value)
    return u, v


def _two(name: str, value: object) -> tuple[float, float]:
    x, y = checks.pair(name, value)
    if not max(abs(x), abs(y)) < 1e30:
        raise checks.wrong_value(name, "two numbers below 1e30", value)
    return x, y
