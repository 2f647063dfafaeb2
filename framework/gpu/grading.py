"""Effects on a finished picture, by what is set of them: their values, and the lists that they
stand in.

What draws them is `passes`; here is nothing of OpenGL, so that a game without pictures may have
effects, too.
"""

from __future__ import annotations

__all__ = ["Effect", "EffectList"]

import re
from collections.abc import Callable, Iterable, Mapping, MutableSequence
from typing import Any, ClassVar, TypeVar, overload

import numpy as np

from .. import checks
from ..checks import Setting, flag, shown
from ..current_game import current_folders
from ..motion.viewpoint import coordinate
from ..state.latched import Latched, linear
from . import shaders
from .sampled import Sampled

T = TypeVar("T")
Declared = dict[str, tuple[Callable[[str, Any], Any], Any]]

_set = object.__setattr__

# "uniform vec3 tint;" and "uniform float near = 0.5, far;", of text without comments.
_UNIFORM = re.compile(r"\buniform\s+(?:(?:low|medium|high)p\s+)?(\w+)\s+([^;]+);")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_ONE = re.compile(r"\s*([A-Za-z_]\w*)\s*(\[[^\]]*\])?\s*(?:=(.*))?", re.DOTALL)
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")

# How many numbers a uniform of each type takes.
_LENGTHS = {"float": 1, "vec2": 2, "vec3": 3, "vec4": 4, "int": 1, "bool": 1}
_SAMPLER = "sampler2D"

OWN_UNIFORMS = frozenset(
    {"source", "size", "units", "time", "old_picture", "new_picture", "progress"}
)
"""What shaders/include/effect.glsl and transition.glsl declare themselves; the chain sets these."""


def between(previous: tuple[Any, ...], current: tuple[Any, ...], alpha: float) -> tuple[Any, ...]:
    """What lies between two states of an effect: numbers and vectors on a straight line, all else
    as it is now.
    """
    return tuple([_one_between(a, b, alpha) for a, b in zip(previous, current, strict=True)])


def _one_between(a: Any, b: Any, alpha: float) -> Any:
    if type(a) is float and type(b) is float:
        return a + (b - a) * alpha
    if type(a) is tuple and type(b) is tuple and len(a) == len(b):
        return linear(a, b, alpha)
    return b


class EffectValue(Setting[T]):
    """A value that is a uniform of the effect's shader: checked when it is set, and interpolated
    between ticks.
    """

    def read(self, thing: Any) -> T:
        """The value, as it is current."""
        value: T = thing.value_of(self.name)
        return value

    def keep(self, thing: Any, value: Any) -> None:
        """Exchange the current value."""
        thing.keep_value(self.name, value)


class Shaded:
    """What has a shader, and attributes that are its uniforms."""

    not_state: ClassVar[Any] = ("_checks", "_places", "_starts", "source")

    shader: ClassVar[str] = ""
    """The file of the function, of those that the framework brings."""
    include: ClassVar[str] = "effect.glsl"
    """What a shader of the game's own stands upon."""
    function: ClassVar[str] = "vec4 effect(vec2 place)"

    source: str
    """The shader, as a program is made of it: GLSL that includes what it stands upon."""
    _places: dict[str, int]
    _starts: tuple[Any, ...]  # what the values were to begin with
    _checks: Mapping[str, Callable[[str, Any], Any]]
    _state: Latched[tuple[Any, ...]]
    _sampled: dict[str, Sampled]  # of a shader that has any sampler2D

    def _begin(self, **values: Any) -> None:
        """Values that its class has as properties, each checked."""
        kind = type(self)
        checked = tuple([getattr(kind, name).check(name, value) for name, value in values.items()])
        _set(self, "source", self.shader)
        _set(self, "_checks", {})
        self._hold(tuple(values), checked)

    def _hold(self, names: tuple[str, ...], values: tuple[Any, ...]) -> None:
        _set(self, "_places", {name: index for index, name in enumerate(names)})
        _set(self, "_starts", values)
        _set(self, "_state", Latched(values, between))

    def _read_source(self, source: object, given: dict[str, Any]) -> None:
        """Find the uniforms of a shader of the game's own, and give them values."""
        name = shaders.given("source", source)
        behind = name if shaders.is_source(name) else f'\n#include "{name}"'
        if behind.lstrip(" \t").startswith("#"):  # a directive stands on a line of its own
            behind = f"\n{behind}"
        text = f'#include "{self.include}" {behind}\n'
        _set(self, "source", text)
        found = self.declared()
        _set(self, "_checks", {name: check for name, (check, _) in found.items()})
        samplers = [name for name, (check, _) in found.items() if check is Sampled]
        if samplers:
            _set(self, "_sampled", {})
        values = {name: default for name, (check, default) in found.items() if check is not Sampled}
        self._hold(tuple(values), tuple(values.values()))
        unknown = [name for name in given if name not in found]
        if unknown:
            raise AttributeError(self._no_such(unknown[0]))
        for name in samplers:
            if name not in given:
                raise TypeError(
                    f'{name}: the shader has a sampler2D of this name; give it an image: {name}="…"'
                )
        for name, value in given.items():
            self.keep_value(name, self._checks[name](name, value))

    def declared(self) -> Declared:
        """The uniforms of its shader, as that is written now: how each is checked, and what it is
        to begin with.
        """
        return _uniforms(
            _COMMENT.sub(" ", shaders.load(self.source, tuple(current_folders())).text)
        )

    def declare(self, found: Declared) -> None:
        """Its shader was written anew. What is still declared as it was keeps its value; what is
        new has that of the shader, and a new sampler2D shows white until it is given an image."""
        places, values = dict(self._places), list(self._starts)
        for name, (check, start) in found.items():
            known = name in places and _alike(values[places[name]], start)
            if check is not Sampled and not known:
                places[name] = len(values)
                values.append(start)
        _set(self, "_checks", {name: check for name, (check, _) in found.items()})
        numbers = [name for name, (check, _) in found.items() if check is not Sampled]
        _set(self, "_places", {name: places[name] for name in numbers})
        _set(self, "_starts", tuple(values))
        samplers = [name for name, (check, _) in found.items() if check is Sampled]
        if samplers or self.sampled:
            _set(
                self,
                "_sampled",
                {name: self.sampled.get(name) or _white(name) for name in samplers},
            )
        self.after_restore()

    def after_restore(self) -> None:
        """A snapshot was put back, which may be older than some of its uniforms: these begin."""
        missing = self._starts[len(self._state.current) :]
        if missing:
            _set(self, "_state", Latched((*self._state.current, *missing), between))
        for name, check in self._checks.items():
            if check is Sampled and name not in self.sampled:
                self._sampled[name] = _white(name)

    # -- values ------------------------------------------------------------------------------------

    def value_of(self, name: str) -> Any:
        """The current value of a uniform."""
        sampled = self.sampled.get(name)
        return self._state.current[self._places[name]] if sampled is None else sampled.source

    @property
    def sampled(self) -> dict[str, Sampled]:
        """What its samplers show, by their names."""
        found: dict[str, Sampled] = self.__dict__.get("_sampled", {})
        return found

    def shows(self, picture: object) -> bool:
        """Whether one of its samplers shows this one, which is drawn while the game runs."""
        return any(sampled.source is picture for sampled in self.sampled.values())

    def keep_value(self, name: str, value: Any) -> None:
        """Exchange the current value of a uniform, which was checked."""
        if isinstance(value, Sampled):
            self._sampled[name] = value
        else:
            self._state.write(self._places[name], value)

    def at(self, alpha: float) -> dict[str, Any]:
        """The values that are drawn at ``alpha``, by the names of the uniforms."""
        values = self._state.at(alpha)
        return {name: values[place] for name, place in self._places.items()}

    def teleport(self) -> None:
        """Draw the values that this tick leaves, not what lies between them and those before."""
        self._state.teleported = True

    def __getattr__(self, name: str) -> Any:
        places = self.__dict__.get("_places", {})
        if name in places or name in self.__dict__.get("_sampled", ()):
            return self.value_of(name)
        raise AttributeError(self._no_such(name) if not name.startswith("__") else name)

    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__.get("_checks", {})
        if name in own:
            self.keep_value(name, own[name](name, value))
        elif hasattr(type(self), name) or name.startswith("_") or not _is_ours(type(self)):
            _set(self, name, value)
        else:
            raise AttributeError(self._no_such(name))

    def _no_such(self, name: str) -> str:
        kind = type(self)
        settings = [known for known in dir(kind) if isinstance(getattr(kind, known), Setting)]
        own = {**self.__dict__.get("_checks", {}), **self.__dict__.get("_places", {})}
        near = checks.nearest(name, dict.fromkeys([*own, *settings]))
        return f"{kind.__name__} has no {shown(name)}; the nearest are {near}"

    def __repr__(self) -> str:
        values = ", ".join(
            f"{name}={shown(self.value_of(name))}" for name in (*self._places, *self.sampled)
        )
        return f"{type(self).__name__}({values})"

    # -- driven by the game ------------------------------------------------------------------------

    def begin_tick(self) -> None:
        """A tick begins: what was current is previous."""
        self._state.begin_tick()

    def end_tick(self) -> None:
        """The tick is over."""
        self._state.end_tick()

    def notice_writes(self) -> None:
        """While no ticks run: what was written since the last call is drawn at once."""
        self._state.notice_writes()


def _is_ours(kind: type) -> bool:
    return kind.__module__.startswith("framework.")


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

    gathers: ClassVar[bool] = True
    """Whether it reads the picture in several places: that is then drawn first."""
    enabled = Setting(flag, "Whether it does anything. While it is False, it costs nothing.")

    def __init__(self, source: str, **uniforms: Any) -> None:
        _set(self, "_enabled", True)
        self._read_source(source, uniforms)

    def _begin(self, **values: Any) -> None:
        _set(self, "_enabled", True)
        super()._begin(**values)


def _alike(a: Any, b: Any) -> bool:
    """Whether both are values of uniforms of one type."""
    return type(a) is type(b) and (type(a) is not tuple or len(a) == len(b))


def _white(name: str) -> Sampled:
    return Sampled(name, np.full((1, 1, 3), 255, np.uint8))


def _uniforms(text: str) -> Declared:
    """How each uniform that GLSL declares is checked, and the value that it has to begin with."""
    found: Declared = {}
    for kind, declared in _UNIFORM.findall(text):
        for part in re.split(r",(?![^(]*\))", declared):
            one = _ONE.fullmatch(part)
            if one is None or one[1] in OWN_UNIFORMS:
                continue
            if kind == _SAMPLER and not one[2]:
                found[one[1]] = Sampled, None
                continue
            if kind not in _LENGTHS or one[2]:
                known = ", ".join([*_LENGTHS, _SAMPLER])
                raise ValueError(
                    f"uniform {one[1]!r}: expected one of the types {known}, got "
                    f"{kind}{one[2] or ''}"
                )
            check = _checker(kind)
            numbers = [
                float(number) for number in _NUMBER.findall(re.sub(r"\w*vec\d", "", one[3] or ""))
            ]
            if kind == "bool":
                numbers = [float((one[3] or "").strip() == "true")]
            length = _LENGTHS[kind]
            numbers = numbers * length if len(numbers) == 1 else (numbers or [0.0] * length)
            found[one[1]] = check, _default(kind, numbers[:length])
    return found


def _default(kind: str, numbers: list[float]) -> Any:
    if kind == "float":
        return numbers[0]
    return (
        int(numbers[0]) if kind == "int" else bool(numbers[0]) if kind == "bool" else tuple(numbers)
    )


def _checker(kind: str) -> Callable[[str, Any], Any]:
    if kind == "float":
        return coordinate
    if kind == "bool":
        return flag
    if kind == "int":
        return lambda name, value: checks.whole(name, value, -(2**31), 2**31 - 1)
    return lambda name, value: _vector(name, value, _LENGTHS[kind])


def _vector(name: str, value: Any, length: int) -> tuple[float, ...]:
    if isinstance(value, str) and length in (3, 4):
        return checks.color(name, value)[:length]
    numbers: list[float] = checks.vector(name, value, length).tolist()
    return tuple([coordinate(name, number) for number in numbers])


class EffectList(MutableSequence[Effect]):
    """The effects of a scene or a view, in the order in which they are done:
    ``scene.effects.append(fw.Bloom())``.

    Change it at any time; a change that is refused leaves it as it was.
    """

    not_state = ("_prepare",)

    def __init__(self, prepare: Callable[[list[Effect]], None] | None = None) -> None:
        self._effects: list[Effect] = []
        self._prepare = prepare

    @overload
    def __getitem__(self, index: int) -> Effect: ...
    @overload
    def __getitem__(self, index: slice) -> list[Effect]: ...
    def __getitem__(self, index: int | slice) -> Effect | list[Effect]:
        return self._effects[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        effects = list(self._effects)
        effects[index] = value
        self.replace(effects)

    def __delitem__(self, index: int | slice) -> None:
        del self._effects[index]

    def __len__(self) -> int:
        return len(self._effects)

    def insert(self, index: int, value: Effect) -> None:
        """Have one more effect, before the one of ``index``."""
        effects = list(self._effects)
        effects.insert(index, value)
        self.replace(effects)

    def replace(self, effects: Iterable[Effect]) -> None:
        """Have these effects and no others. Raises `TypeError`, `ValueError` or `ShaderError`, and
        changes nothing.
        """
        given = checks.items("effects", effects)
        for effect in given:
            checks.instance(
                "effects", effect, Effect, hint="say fw.Bloom(…), fw.Effect(source, …), …"
            )
        if self._prepare is not None:
            self._prepare(
                [effect for effect in given if not any(effect is known for known in self._effects)]
            )
        self._effects[:] = given

    @property
    def active(self) -> list[Effect]:
        """Those that are enabled."""
        return [effect for effect in self._effects if effect.enabled]

    def __repr__(self) -> str:
        return repr(self._effects)

    def begin_tick(self) -> None:
        """A tick begins."""
        for effect in self._effects:
            effect.begin_tick()

    def end_tick(self) -> None:
        """The tick is over."""
        for effect in self._effects:
            effect.end_tick()

    def notice_writes(self) -> None:
        """While no ticks run: what was written is drawn at once."""
        for effect in self._effects:
            effect.notice_writes()
