"""Materials: how surfaces look."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from PIL import Image

from .graphics import check_choice
from .images import ImageSource, Region

ALPHA_MODES = ("opaque", "mask", "blend")
"""What a material's alpha does: nothing; cut holes; let through what is behind."""


@dataclass
class Material:
    """How a surface looks: the metallic-roughness model of glTF. Colours of numbers are linear, 0 to 1.

    Textures are a path, a PIL image or an array, and multiply the numbers beside them. Everything may be changed at any
    time; a bad value is a `ValueError` (`TypeError` for what is no image) that names it, a texture that is missing or
    broken an `AssetError` when it is first drawn.
    """

    base_color: tuple[float, ...] = (1.0, 1.0, 1.0, 1.0)
    """Red, green, blue and alpha, which may be left out."""
    metallic: float = 0.0
    roughness: float = 0.7
    emissive: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Light that it gives off by itself; may be above 1."""
    base_texture: ImageSource | None = None
    """sRGB."""
    metallic_roughness_texture: ImageSource | None = None
    """Linear: roughness in green, metallic in blue."""
    normal_texture: ImageSource | None = None
    """Linear, in the tangents' space, y up."""
    normal_scale: float = 1.0
    occlusion_texture: ImageSource | None = None
    """Linear: ambient light that reaches it, in red."""
    occlusion_strength: float = 1.0
    emissive_texture: ImageSource | None = None
    """sRGB."""
    alpha_mode: str = "opaque"
    """One of `ALPHA_MODES`."""
    alpha_cutoff: float = 0.5
    """With "mask", what has less alpha is not drawn."""
    double_sided: bool = False
    """Whether triangles are seen from behind too."""
    unlit: bool = False
    """Whether it is drawn in its base colour, whatever light there is."""
    wireframe: bool = False
    """Whether only the edges of triangles are drawn."""
    shader: str | None = None
    """A fragment shader of your own (a file name or GLSL); see shaders/include/surface.glsl."""
    uniforms: dict[str, Any] = field(default_factory=dict)
    """Values for the uniforms of your own ``shader``; set at every draw."""

    def __setattr__(self, name: str, value: Any) -> None:
        check = _CHECKS.get(name)
        super().__setattr__(name, value if check is None else check(name, value))
        super().__setattr__("_version", getattr(self, "_version", 0) + 1)

    @property
    def version(self) -> int:
        """A number that grows whenever anything of it is set."""
        version: int = getattr(self, "_version", 0)
        return version


def _numbers(name: str, value: Any, lengths: tuple[int, ...]) -> tuple[float, ...]:
    try:
        numbers = np.array(value, np.float64)
    except (TypeError, ValueError):
        numbers = np.zeros((0, 0))
    if numbers.ndim != 1 or len(numbers) not in lengths or not np.isfinite(numbers).all() or (numbers < 0).any():
        many = " or ".join(map(str, lengths))
        raise ValueError(f"{name}: expected {many} finite numbers of at least 0, got {value!r}")
    return tuple(numbers.tolist())


def _base(name: str, value: Any) -> tuple[float, ...]:
    numbers = _numbers(name, value, (3, 4))
    return (*numbers, 1.0) if len(numbers) == 3 else numbers


def _emissive(name: str, value: Any) -> tuple[float, ...]:
    return _numbers(name, value, (3,))


def _share(name: str, value: Any) -> float:
    number = _finite(name, value)
    if not 0 <= number <= 1:
        raise ValueError(f"{name}: expected a number from 0 to 1, got {value!r}")
    return number


def _finite(name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"{name}: expected a finite number, got {value!r}")
    return number


def _image(name: str, value: Any) -> Any:
    if value is not None and not isinstance(value, str | os.PathLike | Image.Image | np.ndarray | Region):
        raise TypeError(f"{name}: expected a path, a Pillow image, an array or a Region, got {type(value).__name__}")
    return value


def _choice(name: str, value: Any) -> str:
    return check_choice(name, value, ALPHA_MODES)


_CHECKS = {
    "base_color": _base,
    "emissive": _emissive,
    "normal_scale": _finite,
    "alpha_mode": _choice,
    **dict.fromkeys(("metallic", "roughness", "occlusion_strength", "alpha_cutoff"), _share),
    **dict.fromkeys(
        ("base_texture", "metallic_roughness_texture", "normal_texture", "occlusion_texture", "emissive_texture"),
        _image,
    ),
}
