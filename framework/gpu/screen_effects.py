"""Filters for the image on the screen (effects), and the list of effects of a scene or view.

The module `passes` draws the effects. This module does not import OpenGL, so games without graphics
can also create effects.
"""

from __future__ import annotations

__all__ = ["Effect", "EffectList"]

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableSequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias, cast, overload

from .. import checks
from ..checks import Setting, flag
from ..moved_names import WithMoved
from ..other_engines.effect_names import effect_list_names
from .uniforms import Shaded, Uniforms, Value, uniforms_of

if TYPE_CHECKING:
    from moderngl import Texture, Texture3D

Values: TypeAlias = dict[str, Value]
"""A dict from the names of uniforms to their values."""

AnyTexture: TypeAlias = "Texture | Texture3D"
Textures: TypeAlias = Mapping[str, AnyTexture]
"""A dict from the names of samplers to their textures."""

Prepare: TypeAlias = "Callable[[Any, Any, Texture, Values], tuple[Textures, Values]]"
"""A function that draws additional images for an effect, before the effect itself is drawn.

The arguments are the effect, the `EffectChain`, the current image, and the values of the effect's
uniforms. The function returns additional textures and values for the shader of the effect.
"""


class EffectLook(NamedTuple):
    """The rules for drawing all effects of one class: the GLSL file, and the data that the GLSL
    function reads.
    """

    file: str = ""
    """A file in shaders/effects with the function of the effect, or "" for a game's own shader."""
    gathers: bool = True
    """Whether the effect reads several pixels of the image for each pixel.

    If ``gathers`` is True, all effects before this effect are drawn in an earlier pass.
    """
    keeps_light: bool = False
    """Whether the effect reads colors above white. 3D worlds have colors above white before tone
    mapping.
    """
    prepare: Prepare | None = None


class Effect(Shaded):
    """A filter that changes the image of a scene or view after everything is drawn. Your own
    fragment shader computes the new colors.

        scene.effects.append(fw.Effect("heat.frag", strength=0.3))

    Parameters
    ----------
    source
        A file name relative to the game's folder, or GLSL code. The shader must contain a function
        ``vec4 effect(vec2 place)``. ``effect`` returns the new color at ``place``. A ``place`` of
        (0, 0) is the bottom left corner of the screen, and (1, 1) the top right corner. Your
        function can call the functions in shaders/include/effect.glsl.
    uniforms
        Keyword arguments: initial values for the uniforms of the shader. A uniform may have the
        type float, vec2, vec3, vec4, int, bool or sampler2D. You can read and write each uniform as
        an attribute of the effect: ``heat.strength = 0.5``. Numbers are interpolated between ticks.
        You can also tween numbers. For a sampler2D, pass an image. The image can be a path, an
        array with the shape (height, width, 1, 3 or 4), a Pillow image or a `Region`. For a
        sampler2D, you can also pass a `RenderTexture`, a `PingPong` or a moderngl.Texture. In the
        shader, the texture coordinates (0, 0) are the bottom left corner of the image.

    Raises
    ------
    ShaderError
        If the file cannot be read. The constructor does not compile the shader. The game compiles
        the shader when the effect's scene is on the scene stack, and then raises the error if the
        shader does not compile.
    AttributeError
        If you pass an argument for a uniform that the shader does not have.
    AssetError
        If the image for a sampler2D is missing or damaged.
    TypeError
        If you do not pass an image for a sampler2D of the shader.
    """

    _include: ClassVar[str] = "effect.glsl"
    _look: ClassVar[EffectLook] = EffectLook()

    _enabled: bool
    enabled = Setting(flag, "Whether the effect is drawn. A disabled effect costs no time.")

    def __init__(self, source: str, **uniforms: Any) -> None:
        self.enabled = True
        self._read_source(source, uniforms)

    def _start(self, **values: Any) -> None:
        """Create the uniforms of a built-in effect with their initial values."""
        self.enabled = True
        self._begin(self._look.file, **values)

    def teleport(self) -> None:
        """Draw the effect with its new values, without interpolation from the last tick."""
        self._uniforms.teleport()


def look_of(effect: Effect) -> EffectLook:
    """Return the rules for drawing an effect."""
    return effect._look


def active(effects: Iterable[Effect]) -> list[Effect]:
    """Return the effects in ``effects`` that are enabled."""
    return [effect for effect in effects if effect.enabled]


def values_of(lists: Iterable[Iterable[Effect]]) -> Iterator[Uniforms]:
    """Yield the `Uniforms` of every effect in the given effect lists."""
    for effects in lists:
        for effect in effects:
            yield uniforms_of(effect)


@effect_list_names
class EffectList(MutableSequence[Effect], metaclass=WithMoved):
    """The effects of a scene or view, as a list. The game draws the effects in the order of the
    list.

        scene.effects.append(fw.Bloom())

    You can change the list at any time. An invalid change raises an error and leaves the list
    unchanged.
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
            effects[index] = cast(Effect, value)  # `_replace` checks the type of the value
        self._replace(effects)

    def __delitem__(self, index: int | slice) -> None:
        del self._effects[index]

    def __len__(self) -> int:
        return len(self._effects)

    def insert(self, index: int, value: Effect) -> None:
        """Insert an effect into the list before ``index``."""
        effects = list(self._effects)
        effects.insert(index, value)
        self._replace(effects)

    def remove(self, value: Effect) -> None:
        """Remove an effect from the list. Raises `ValueError` if the effect is not in the list."""
        if value not in self._effects:
            raise ValueError(
                f"effects: expected an effect of the list, got {checks.shown(value)}; keep the "
                "effect, bloom = fw.Bloom(), and write effects.remove(bloom), or del effects[0]"
            )
        self._effects.remove(value)

    def _replace(self, effects: list[Effect]) -> None:
        """Replace all effects in the list. If one of the new effects is invalid, the method raises
        an error and does not change the list.
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
