"""Effects: what is done to a finished picture, and the list of them that a scene or a view has.

`passes` draws them. This module loads no OpenGL, so that a game without pictures can have effects.
"""

from __future__ import annotations

__all__ = ["Effect", "EffectList"]

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableSequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias, cast, overload

from .. import checks
from ..checks import Setting, flag
from .uniforms import Shaded, Uniforms, Value, uniforms_of

if TYPE_CHECKING:
    from moderngl import Texture, Texture3D

Values: TypeAlias = dict[str, Value]
"""Values of uniforms, by their names in the shader."""

AnyTexture: TypeAlias = "Texture | Texture3D"
Textures: TypeAlias = Mapping[str, AnyTexture]
"""Textures, by the names of the samplers that show them."""

Prepare: TypeAlias = "Callable[[Any, Any, Texture, Values], tuple[Textures, Values]]"
"""Draw what an effect needs before its own pass.

Called with the effect, the `EffectChain`, the picture so far and the effect's values. Returns
further textures and further values.
"""


class EffectLook(NamedTuple):
    """How the effects of a class are drawn."""

    file: str = ""
    """The file of the function, of those in shaders/effects; "" for the game's own."""
    gathers: bool = True
    """Whether it reads the picture in several places: the effects before it are then drawn in a
    pass of their own.
    """
    keeps_light: bool = False
    """Whether it shows light above white."""
    prepare: Prepare | None = None


class Effect(Shaded):
    """What is done to a finished picture, with a fragment shader of your own:
    ``fw.Effect("heat.frag", strength=0.3)``.

    Parameters
    ----------
    source
        A file, looked up beside the game, or GLSL: a function ``vec4 effect(vec2 place)`` that
        returns the colour at ``place`` (0 to 1, from the bottom left corner); see
        shaders/include/effect.glsl for what it may ask.
    uniforms
        The values of its uniforms, of type float, vec2, vec3, vec4, int or bool. Each is an
        attribute of the effect afterwards: ``heat.strength = 0.5``. Numbers are interpolated
        between ticks, and can be tweened. For a sampler2D: an image (a path, an array (height,
        width, 1, 3 or 4), a Pillow image, a `Region`), a `RenderTexture`, a `PingPong` or a
        moderngl.Texture. Place (0, 0) is the image's bottom left corner.

    Raises `ShaderError` when the file cannot be read, `AttributeError` for a uniform that the
    shader does not declare, `AssetError` for an image that is missing or broken, `TypeError` for a
    sampler2D that is given none. Whether it compiles shows when it is put into the effects of a
    scene that is on, or when the scene is put on.
    """

    _include: ClassVar[str] = "effect.glsl"
    _look: ClassVar[EffectLook] = EffectLook()

    _enabled: bool
    enabled = Setting(flag, "Whether it does anything. While it is False, it costs nothing.")

    def __init__(self, source: str, **uniforms: Any) -> None:
        self.enabled = True
        self._read_source(source, uniforms)

    def _start(self, **values: Any) -> None:
        """Begin with these values of the settings of one of the framework's classes."""
        self.enabled = True
        self._begin(self._look.file, **values)

    def teleport(self) -> None:
        """Draw the values that this tick leaves, without interpolation from those before."""
        self._uniforms.teleport()


def look_of(effect: Effect) -> EffectLook:
    """Return how an effect is drawn."""
    return effect._look


def active(effects: Iterable[Effect]) -> list[Effect]:
    """Return the effects that are enabled."""
    return [effect for effect in effects if effect.enabled]


def values_of(lists: Iterable[Iterable[Effect]]) -> Iterator[Uniforms]:
    """Return the uniforms of all effects of some lists."""
    for effects in lists:
        for effect in effects:
            yield uniforms_of(effect)


class EffectList(MutableSequence[Effect]):
    """The effects of a scene or a view, in the order in which they are done:
    ``scene.effects.append(fw.Bloom())``.

    Change it at any time; a change that is refused leaves it as it was.
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
            effects[index] = cast(Effect, value)  # `_replace` checks it
        self._replace(effects)

    def __delitem__(self, index: int | slice) -> None:
        del self._effects[index]

    def __len__(self) -> int:
        return len(self._effects)

    def insert(self, index: int, value: Effect) -> None:
        """Insert an effect before the one at ``index``."""
        effects = list(self._effects)
        effects.insert(index, value)
        self._replace(effects)

    def _replace(self, effects: list[Effect]) -> None:
        """Have these effects and no others, or raise an error and change nothing."""
        for effect in effects:
            checks.instance(
                "effects", effect, Effect, hint="say fw.Bloom(…), fw.Effect(source, …), …"
            )
        if self._prepare is not None:
            self._prepare(
                [effect for effect in effects if not any(effect is old for old in self._effects)]
            )
        self._effects[:] = effects

    def __repr__(self) -> str:
        return repr(self._effects)
