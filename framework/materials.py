"""Materials: how surfaces look."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .graphics import check_choice
from .images import ImageSource

ALPHA_MODES = ("opaque", "mask", "blend")
"""What a material's alpha does: nothing; cut holes; let through what is behind."""


@dataclass
class Material:
    """How a surface looks: the metallic-roughness model of glTF. Colours of numbers are linear, 0 to 1.

    Textures are a path, a PIL image or an array, and multiply the numbers beside them.
    """

    base_color: tuple[float, ...] = (1.0, 1.0, 1.0, 1.0)
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

    def __post_init__(self) -> None:
        check_choice("alpha_mode", self.alpha_mode, ALPHA_MODES)
        if len(self.base_color) == 3:
            self.base_color = (*self.base_color, 1.0)
        for name in ("base_color", "emissive", "metallic", "roughness"):
            value = np.asarray(getattr(self, name), np.float64)
            length = {"base_color": (4,), "emissive": (3,)}.get(name, ())
            if value.shape != length or not np.isfinite(value).all() or (value < 0).any():
                raise ValueError(f"{name}: expected finite numbers of at least 0, got {getattr(self, name)!r}")
