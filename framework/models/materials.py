"""Materials: how surfaces look."""

from __future__ import annotations

__all__ = ["ALPHA_MODES", "Material"]

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .. import checks
from ..assets.images import ImageSource, checked_source
from .textures import Texture

ALPHA_MODES = ("opaque", "mask", "blend")
"""What a material's alpha does: nothing; cut holes; let through what is behind."""


@dataclass(slots=True)
class Material(checks.Sealed):
    """How a surface looks: the metallic-roughness model of glTF. Colours of numbers are linear, 0
    to 1.

    Textures are a path, a Pillow image, an array or a `Region`, and multiply the numbers beside
    them; as a `Texture`, such an image also says how it is filtered, what is beside it, and how it
    lies on the surface. Everything may be changed at any time; a bad value is a `TypeError` or
    `ValueError` that names it, a texture that is missing or broken an `AssetError` when it is first
    drawn.
    """

    not_state = ("version",)

    base_color: tuple[float, ...] = (1.0, 1.0, 1.0, 1.0)
    """Red, green, blue and alpha, which may be left out: linear numbers, or a string such as
    "#f80".
    """
    metallic: float = 0.0
    roughness: float = 0.7
    emissive: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Light that it gives off by itself, linear, which may be above 1; a string is taken too."""
    base_texture: ImageSource | Texture | None = None
    """sRGB."""
    metallic_roughness_texture: ImageSource | Texture | None = None
    """Linear: roughness in green, metallic in blue."""
    normal_texture: ImageSource | Texture | None = None
    """Linear, in the tangents' space, y up."""
    normal_scale: float = 1.0
    occlusion_texture: ImageSource | Texture | None = None
    """Linear: ambient light that reaches it, in red."""
    occlusion_strength: float = 1.0
    emissive_texture: ImageSource | Texture | None = None
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

    version: int = field(default=0, init=False, repr=False, compare=False)
    """A number that grows whenever anything of it is set."""

    def __setattr__(self, name: str, value: object) -> None:
        check = _CHECKS.get(name)
        checks.Sealed.__setattr__(self, name, value if check is None else check(name, value))
        version: int = getattr(self, "version", 0)
        object.__setattr__(self, "version", version + 1)

    def after_restore(self) -> None:
        """A snapshot was put back: what follows the version is to look again."""
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
    return {checks.text(name, key): one for key, one in value.items()}


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
