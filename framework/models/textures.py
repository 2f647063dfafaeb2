"""The options of a texture on a 3D surface: filter, wrap mode, offset, rotation and scale."""

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
"""How an image continues beyond its edges. "repeat" repeats the image, "mirror" repeats the image
mirrored, and "clamp" repeats the pixels at the edges.
"""
FILTERS = ("linear", "nearest")
"""The filters for images that are drawn larger than they are."""
MINIFIED = (
    "linear_mipmap_linear",
    "linear_mipmap_nearest",
    "nearest_mipmap_linear",
    "nearest_mipmap_nearest",
    "linear",
    "nearest",
)
"""The filters for images that are drawn smaller than they are.

The first word is the filter inside a mipmap level, and the last word the filter between two levels.
"linear" and "nearest" use no mipmaps.
"""

MAX_UV_SETS = 2
"""The maximum number of arrays of texture coordinates in a mesh: `Mesh.uvs` and `Mesh.second_uvs`.
"""


@moved("texture", {"rotation": "angle"})
@dataclass(frozen=True, eq=False, slots=True)
class Texture(HasMoved):
    """An image for a surface, with its filter, wrap mode, offset, rotation and scale. The textures
    of a `Material` can be `Texture` objects.

    Two different `Texture` objects are never equal, even if their values are equal.

    Parameters
    ----------
    image
        The image: a path, a Pillow image, an array or a `Region`.
    wrap
        How the image continues beyond its edges: "repeat" (default), "mirror" or "clamp". Pass two
        strings to set u and v separately.
    filter
        The filter for an image that is drawn larger than it is: "linear" (default), or "nearest"
        for sharp pixels.
    minify
        The filter for an image that is drawn smaller than it is: "linear_mipmap_linear" (default),
        "linear_mipmap_nearest", "nearest_mipmap_linear" or "nearest_mipmap_nearest". "linear" and
        "nearest" use no mipmaps. Without mipmaps, distant surfaces flicker when the camera moves.
    offset, angle, scale
        The transform of the texture coordinates: first ``scale``, then a rotation by ``angle``
        radians, then ``offset``. The glTF extension KHR_texture_transform uses the same order. At a
        scale of (4, 4), the image repeats four times along u and along v. ``angle`` does not rotate
        the directions in a normal map, which follow the tangents of the mesh.
    uv_set
        The texture coordinates to use: 0 (default) for the mesh's ``uvs``, or 1 for its
        ``second_uvs`` if the mesh has them.

    An invalid value raises `ValueError` or `TypeError` with the name of the argument.
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
        """The sampling options: the wrap modes of u and v, ``filter`` and ``minify``."""
        return (*wraps(self.wrap), self.filter, self.minify)

    @property
    def moved(self) -> bool:
        """Whether `offset`, `angle` or `scale` differs from its default."""
        return (self.offset, self.angle, self.scale) != ((0.0, 0.0), 0.0, (1.0, 1.0))

    def matrix(self) -> Doubles:
        """Return the matrix of `angle` and `scale`, for row vectors. The matrix has the shape (2,
        2).

        To transform texture coordinates, multiply them by this matrix, and then add `offset`.
        """
        return placing(self.angle, self.scale)


Texture.__init__ = renamed_options("Texture", rotation="angle")(  # type: ignore[method-assign]
    Texture.__init__
)


def wraps(wrap: str | tuple[str, str]) -> tuple[str, str]:
    """Return the wrap modes of u and v as a pair."""
    return (wrap, wrap) if isinstance(wrap, str) else wrap


def placing(angle: float, scale: tuple[float, float]) -> Doubles:
    """Return the matrix of a rotation and a scale, for row vectors. The angle is in radians. The
    matrix has the shape (2, 2).
    """
    cos = math.cos(angle)
    sin = math.sin(angle)
    matrix: Doubles = np.array([[cos, -sin], [sin, cos]]) * np.array(scale)[:, None]
    return matrix


def placed(uvs: Floats, matrix: Doubles, offset: tuple[float, float]) -> Floats:
    """Multiply texture coordinates by ``matrix``, and add ``offset``."""
    moved: Floats = (uvs @ matrix + offset).astype(np.float32)
    return moved


def _wrap(value: object) -> str | tuple[str, str]:
    if not isinstance(value, tuple | list):
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
