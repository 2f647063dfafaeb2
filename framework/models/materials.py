"""Materials: the colors, textures and light response of surfaces."""

from __future__ import annotations

__all__ = ["ALPHA_MODES", "Material"]

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .. import checks
from ..assets.images import ImageSource, checked_source
from .textures import Texture

ALPHA_MODES = ("opaque", "mask", "blend")
"""Modes of a material's alpha: ignore the alpha, cut holes, or blend with the background."""


@dataclass(slots=True)
class Material(checks.Sealed):
    """The appearance of a surface, in the metallic-roughness model of glTF.

    The colors of a material are linear, from 0 to 1. A texture of a material is a path, a Pillow
    image, an array or a `Region`. A texture multiplies the values of the material: `base_texture`
    multiplies `base_color`, for example. With a `Texture` object you can also set the filter, the
    wrap mode and the placement.

    You can change every attribute of a material at any time. Assigning an invalid value raises a
    `TypeError` or `ValueError` that names the attribute. A missing or broken texture file raises an
    `AssetError` when the material is first drawn.
    """

    not_state = ("version",)

    base_color: tuple[float, ...] = (1.0, 1.0, 1.0, 1.0)
    """Red, green, blue and optional alpha: linear numbers, or a string such as "#f80"."""
    metallic: float = 0.0
    roughness: float = 0.7
    emissive: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """The light that the surface emits: linear numbers, possibly above 1, or a string."""
    base_texture: ImageSource | Texture | None = None
    """Texture of the base color, in sRGB."""
    metallic_roughness_texture: ImageSource | Texture | None = None
    """Texture with roughness in the green channel and metallic in the blue channel, linear."""
    normal_texture: ImageSource | Texture | None = None
    """Normal map in tangent space, linear, y up."""
    normal_scale: float = 1.0
    occlusion_texture: ImageSource | Texture | None = None
    """Texture with the share of ambient light that reaches the surface: linear, in the red channel.
    """
    occlusion_strength: float = 1.0
    emissive_texture: ImageSource | Texture | None = None
    """Texture of the emitted light, in sRGB."""
    alpha_mode: str = "opaque"
    """How alpha is used: "opaque" (default, ignored), "mask" (holes) or "blend" (transparent)."""
    alpha_cutoff: float = 0.5
    """With the alpha mode "mask", pixels with less alpha are not drawn."""
    double_sided: bool = False
    """Whether the back side of each triangle is visible, too."""
    unlit: bool = False
    """Whether the surface shows its base color, whatever the light."""
    wireframe: bool = False
    """Whether only the edges of triangles are drawn."""
    shader: str | None = None
    """Your own fragment shader, a file name or GLSL code; see shaders/include/surface.glsl."""
    uniforms: dict[str, Any] = field(default_factory=dict)
    """Values for the uniforms of your own ``shader``, by name. Every draw call sets them."""

    version: int = field(default=0, init=False, repr=False, compare=False)
    """A number that grows with every change of the material."""

    def __setattr__(self, name: str, value: object) -> None:
        check = _CHECKS.get(name)
        checks.Sealed.__setattr__(self, name, value if check is None else check(name, value))
        version: int = getattr(self, "version", 0)
        object.__setattr__(self, "version", version + 1)

    def after_restore(self) -> None:
        """Called after a snapshot was restored: increase `version`, so that caches are updated."""
        object.__setattr__(self, "version", self.version + 1)


def _base(name: str, value: object) -> tuple[float, ...]:
    return checks.color(name, value, least=0, as_light=True)


def _emissive(name: str, value: object) -> tuple[float, ...]:
    numbers: list[float] = checks.light(name, value).tolist()
    return tuple(numbers)


def _share(name: str, value: object) -> float:
    return checks.number(name, value, least=0, most=1)


def _image(name: str, value: object) -> ImageSource | Texture | None:
    if value is None or isinstance(value, Texture):
        return value
    source: ImageSource = checked_source(name, value)
    return source


def _alpha_mode(name: str, value: object) -> str:
    return checks.choice(name, value, ALPHA_MODES)


def _shader(name: str, value: object) -> str | None:
    return None if value is None else checks.text(name, value)


def _uniforms(name: str, value: object) -> dict[str, object]:
    if not isinstance(value, Mapping):
        raise checks.wrong_type(name, "a dict of values by name", value)
    return {checks.text(name, key): uniform for key, uniform in value.items()}


_CHECKS: dict[str, Callable[[str, object], object]] = {
    "base_color": _base,
    "emissive": _emissive,
    "normal_scale": checks.number,
    "alpha_mode": _alpha_mode,
    "shader": _shader,
    "uniforms": _uniforms,
    **dict.fromkeys(("metallic", "roughness", "occlusion_strength", "alpha_cutoff"), _share),
    **dict.fromkeys(("double_sided", "unlit", "wireframe"), checks.flag),
    **dict.fromkeys(
        (
            "base_texture",
            "metallic_roughness_texture",
            "normal_texture",
            "occlusion_texture",
            "emissive_texture",
        ),
        _image,
    ),
}
