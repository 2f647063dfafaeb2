"""Effects: image filters for the screen, and the list of effects of a scene or view.

The module `passes` draws the effects. This module does not import OpenGL, so a game without
graphics can also create effects.
"""

from __future__ import annotations

__all__ = ["Effect", "EffectList"]

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableSequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias, cast, overload

from .. import checks
from ..checks import Setting, flag
from ..moved_names import WithMoved
from ..other_names import other_names, words
from .uniforms import Shaded, Uniforms, Value, uniforms_of

if TYPE_CHECKING:
    from moderngl import Texture, Texture3D

Values: TypeAlias = dict[str, Value]
"""Values of uniforms, by their names in the shader."""

AnyTexture: TypeAlias = "Texture | Texture3D"
Textures: TypeAlias = Mapping[str, AnyTexture]
"""Textures, by the names of their samplers in the shader."""

Prepare: TypeAlias = "Callable[[Any, Any, Texture, Values], tuple[Textures, Values]]"
"""A function that draws images which an effect needs before its own pass.

The function receives the effect, the `EffectChain`, the current image and the effect's values. The
function returns additional textures and values for the shader of the effect.
"""


class EffectLook(NamedTuple):
    """How an effect class is drawn: its GLSL file, and which pixels and textures the GLSL function
    reads.
    """

    file: str = ""
    """The name of the file in shaders/effects with the effect's function, or "" for a game's own
    shader.
    """
    gathers: bool = True
    """Whether the effect reads several pixels of the image.

    If True, the effects before this effect are drawn in an earlier pass.
    """
    keeps_light: bool = False
    """Whether the effect uses colors above white, which 3D worlds have before tone mapping."""
    prepare: Prepare | None = None


class Effect(Shaded):
    """A filter of the finished image, drawn by your own fragment shader.

        scene.effects.append(fw.Effect("heat.frag", strength=0.3))

    Parameters
    ----------
    source
        A file name, relative to the game's folder, or GLSL code. The code defines a function ``vec4
        effect(vec2 place)``, which returns the color at ``place``. ``place`` goes from (0, 0) at
        the bottom left corner to (1, 1) at the top right corner. The file
        shaders/include/effect.glsl lists the functions that your shader can call.
    uniforms
        The values of the shader's uniforms, of type float, vec2, vec3, vec4, int or bool. Each
        uniform of the shader is an attribute of the effect: ``heat.strength = 0.5``. Uniforms that
        are numbers are interpolated between ticks, and you can tween them. The value of a uniform
        of type sampler2D is an image: a path, an array (height, width, 1, 3 or 4), a Pillow image
        or a `Region`. You can also set a `RenderTexture`, a `PingPong` or a moderngl.Texture. In
        the shader, the texture coordinates (0, 0) are the image's bottom left corner.

    Raises
    ------
    ShaderError
        If the file cannot be read. The shader is not compiled in the constructor. The shader is
        compiled when the effect and its scene are on the stack: when you add the effect, or when
        the scene is put on the stack. Errors in the shader are raised at this time.
    AttributeError
        The shader does not declare a uniform with the name of an argument.
    AssetError
        The image of a sampler2D is missing or broken.
    TypeError
        The shader declares a sampler2D, but you passed no image for it.
    """

    _include: ClassVar[str] = "effect.glsl"
    _look: ClassVar[EffectLook] = EffectLook()

    _enabled: bool
    enabled = Setting(flag, "Whether the effect is drawn. A disabled effect costs no time.")

    def __init__(self, source: str, **uniforms: Any) -> None:
        self.enabled = True
        self._read_source(source, uniforms)

    def _start(self, **values: Any) -> None:
        """Set the first values of the uniforms of a built-in effect."""
        self.enabled = True
        self._begin(self._look.file, **values)

    def teleport(self) -> None:
        """Draw the effect with the uniforms that it has at the end of this tick, without
        interpolation from the previous tick.
        """
        self._uniforms.teleport()


def look_of(effect: Effect) -> EffectLook:
    """Return the drawing options of an effect."""
    return effect._look


def active(effects: Iterable[Effect]) -> list[Effect]:
    """Return the effects of the list that are enabled."""
    return [effect for effect in effects if effect.enabled]


def values_of(lists: Iterable[Iterable[Effect]]) -> Iterator[Uniforms]:
    """Yield the uniforms of each effect in several lists of effects."""
    for effects in lists:
        for effect in effects:
            yield uniforms_of(effect)


@other_names(
    "effects",
    {
        **words("add push", "write scene.effects.append(fw.Bloom())"),
        **words("disable enable", "write scene.effects.remove(effect)"),
    },
)
class EffectList(MutableSequence[Effect], metaclass=WithMoved):
    """The effects of a scene or a view. Effects are drawn in the order of the list.

        scene.effects.append(fw.Bloom())

    You can change the list of effects at any time. An invalid change raises an error and leaves the
    list unchanged.
    """

    _transient_attributes: ClassVar[Any] = ("_prepare",)

    def __init__(self, prepare: Callable[[list[Effect]], None] | None = None) -> None:
        self._effects: list[Effect] = []
        self._prepare = prepare

    @overload
    def __getitem__(self, index: int) -> Effect: ...
    @overload
    def __getitem__(self, index: slice) -> list[Effect]: ...
    def __getitem__(self, index: int | slice) -> Effect | list[Effect]:
        return self._effects[index]

    @overload
    def __setitem__(self, index: int, value: Effect) -> None: ...
    @overload
    def __setitem__(self, index: slice, value: Iterable[Effect]) -> None: ...
    def __setitem__(self, index: int | slice, value: Effect | Iterable[Effect]) -> None:
        effects = list(self._effects)
        if isinstance(index, slice):
            effects[index] = checks.items("effects", value)
        else:
            effects[index] = cast(Effect, value)  # `_replace` checks the type
        self._replace(effects)

    def __delitem__(self, index: int | slice) -> None:
        del self._effects[index]

    def __len__(self) -> int:
        return len(self._effects)

    def insert(self, index: int, value: Effect) -> None:
        """Insert an effect before the effect at ``index``."""
        effects = list(self._effects)
        effects.insert(index, value)
        self._replace(effects)

    def remove(self, value: Effect) -> None:
        """Remove an effect. Raises `ValueError` if the effect is not in the list."""
        if value not in self._effects:
            raise ValueError(
                f"effects: expected an effect of the list, got {checks.shown(value)}; keep the "
                "effect, bloom = fw.Bloom(), and write effects.remove(bloom), or del effects[0]"
            )
        self._effects.remove(value)

    def _replace(self, effects: list[Effect]) -> None:
        """Replace the effects of the list. If the new effects are invalid, raise an error and
        change nothing.
        """
        for effect in effects:
            checks.instance(
                "effects", effect, Effect, hint="pass fw.Bloom(…), fw.Effect(source, …), …"
            )
        if self._prepare is not None:
            self._prepare(
                [effect for effect in effects if not any(effect is old for old in self._effects)]
            )
        self._effects[:] = effects

    def __repr__(self) -> str:
        return repr(self._effects)
