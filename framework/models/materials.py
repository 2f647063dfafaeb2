"""Materials: the colors and textures of surfaces, and how they reflect light."""

from __future__ import annotations

__all__ = ["ALPHA_MODES", "Material"]

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .. import checks
from ..assets.images import ImageSource, checked_source
from ..other_engines.space_names import material_names, material_options
from .textures import Texture

ALPHA_MODES = ("opaque", "mask", "blend")
"""The effects of alpha. "opaque": no effect. "mask": pixels with a small alpha are holes. "blend":
the surface is transparent.
"""


@material_names
@dataclass(slots=True)
class Material(checks.Sealed):
    """The visible properties of a surface, such as its color. A material has a base color, a
    metallic value and a roughness, as in glTF.

    Colors are linear, from 0 to 1. A texture is a path, a Pillow image, an array or a `Region`.
    Each value is multiplied by its texture: for example, `base_color` by `base_texture`. Use a
    `Texture` object to also set the filter, the wrap mode, or an offset, rotation and scale.

    You can change every attribute at any time. An invalid value raises `TypeError` or `ValueError`
    with the name of the attribute. If a texture file is missing or broken, drawing the material
    raises `AssetError`.
    """

    not_state = ("version",)

    base_color: tuple[float, ...] = (1.0, 1.0, 1.0, 1.0)
    """Red, green, blue and, optionally, alpha: linear numbers, or a string such as "#f80"."""
    metallic: float = 0.0
    roughness: float = 0.7
    emissive: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """The color of the light that the surface emits: linear numbers, which may be above 1, or a
    string such as "#f80".
    """
    base_texture: ImageSource | Texture | None = None
    """The texture of the base color, in sRGB."""
    metallic_roughness_texture: ImageSource | Texture | None = None
    """A linear texture. The green channel contains the roughness, and the blue channel contains the
    metallic value.
    """
    normal_texture: ImageSource | Texture | None = None
    """The normal map: a linear texture in tangent space, with y up."""
    normal_scale: float = 1.0
    occlusion_texture: ImageSource | Texture | None = None
    """A linear texture. The red channel contains the fraction of ambient light that reaches the
    surface.
    """
    occlusion_strength: float = 1.0
    emissive_texture: ImageSource | Texture | None = None
    """The texture of the emitted light, in sRGB."""
    alpha_mode: str = "opaque"
    """The effect of alpha: "opaque" (no effect, the default), "mask" (holes) or "blend"
    (transparent).
    """
    alpha_cutoff: float = 0.5
    """With ``alpha_mode="mask"``, pixels with an alpha below this value are not drawn."""
    double_sided: bool = False
    """Whether both sides of a triangle are visible."""
    unlit: bool = False
    """Whether the surface ignores lights, so that it always shows its base color."""
    wireframe: bool = False
    """Whether only the edges of triangles are drawn."""
    shader: str | None = None
    """Your own fragment shader: a file name or GLSL code. See shaders/include/surface.glsl."""
    uniforms: dict[str, Any] = field(default_factory=dict)
    """The uniforms of your own ``shader``: a dict from names to values. You can change the values
    at any time, because they are set before every draw call.
    """

    version: int = field(default=0, init=False, repr=False, compare=False)
    """A number that increases whenever the material changes."""

    def __setattr__(self, name: str, value: object) -> None:
        check = _CHECKS.get(name)
        checks.Sealed.__setattr__(self, name, value if check is None else check(name, value))
        version: int = getattr(self, "version", 0)
        object.__setattr__(self, "version", version + 1)

    def after_restore(self) -> None:
        """Called after the game has restored a snapshot. Increase `version`, so that all caches of
        the material are updated.
        """
        object.__setattr__(self, "version", self.version + 1)


material_options(Material.__init__)


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
