"""Shader values (uniforms) that you set as attributes of effects, transitions and quads.

This module does not import OpenGL, so games without graphics can also have effects.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, TypeAlias, TypeVar

import numpy as np

from .. import checks
from ..checks import Setting, flag, shown
from ..current_game import current_folders
from ..errors import ShaderError
from ..motion.camera_base import coordinate
from ..moved_names import moved_message
from ..state.latched import Latched, linear
from . import shaders
from .sampled import Sampled

T = TypeVar("T")

Value: TypeAlias = float | tuple[float, ...]
"""The value of a uniform: a number, a bool, or the numbers of a vector."""

Check: TypeAlias = Callable[[str, Any], Value | Sampled]
"""A function ``check(name, value)`` that returns the value to store, or raises an error."""

Declared: TypeAlias = dict[str, tuple[Check, Value | None]]
"""A dict that contains, for each uniform, a function that checks new values, and the initial value.
For a sampler2D, this function is `Sampled`.
"""

_set = object.__setattr__

# The pattern finds "uniform vec3 tint;" and "uniform float near = 0.5, far;" in text without
# comments.
_UNIFORM = re.compile(r"\buniform\s+(?:(?:low|medium|high)p\s+)?(\w+)\s+([^;]+);")
_MAIN = re.compile(r"\bvoid\s+main\s*\(")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_DECLARATION = re.compile(r"\s*([A-Za-z_]\w*)\s*(\[[^\]]*\])?\s*(?:=(.*))?", re.DOTALL)
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")

# The number of components of a uniform of each type.
_LENGTHS = {"float": 1, "vec2": 2, "vec3": 3, "vec4": 4, "int": 1, "bool": 1}
_SAMPLER = "sampler2D"

# Uniforms that shaders/include/effect.glsl and transition.glsl declare. The effect chain sets these
# uniforms.
_CHAIN_UNIFORMS = frozenset(
    {"source", "size", "units", "time", "old_picture", "new_picture", "progress"}
)


class Uniforms:
    """The uniforms of one shader: their current values, their values before the tick, and their
    images.

    In a game, use the attributes of the effect or transition instead of a `Uniforms` object.
    """

    not_state = ("_checks", "_indices", "_starts", "file", "restored", "source")

    def __init__(self, values: Mapping[str, Value], file: str = "", source: str = "") -> None:
        self.file = file
        """The file name if the effect belongs to the framework, or "" for a game's own shader."""
        self.source = source
        """The GLSL code of a game's own shader. If the shader is a file, this code includes the
        file.
        """
        self.restored = 0
        """The number of snapshots restored so far."""
        self.samplers: dict[str, Sampled] = {}
        """A dict from the names of sampler2D uniforms to their images and textures."""
        self._indices = {name: index for index, name in enumerate(values)}
        self._starts = tuple(values.values())
        # the functions that check new values for the uniforms of a game's own shader
        self._checks: dict[str, Check] = {}
        self._latched = Latched(self._starts, _blend)

    @classmethod
    def of_source(cls, source: object, include: str) -> Uniforms:
        """Return the `Uniforms` of the game's own shader, with their initial values.

        ``source`` is a file name or GLSL code. ``include`` is a framework file that the shader
        includes first.
        """
        name = shaders.checked_shader("source", source)
        text = name if shaders.is_source(name) else f'\n#include "{name}"'
        if text.lstrip(" \t").startswith("#"):  # a directive must be on a line of its own
            text = f"\n{text}"
        uniforms = cls({}, source=f'#include "{include}" {text}\n')
        uniforms.declare(uniforms.declared())
        return uniforms

    def declared(self) -> Declared:
        """Return the uniforms that the shader's code currently declares. Hot reload may have
        changed the code since the last call.
        """
        loaded = shaders.load(self.source, tuple(current_folders()))
        text = _COMMENT.sub(" ", loaded.text)
        if len(_MAIN.findall(text)) > 1:
            # the function that the included file calls
            function = self.source.partition('"')[2].partition(".")[0]
            raise ShaderError(
                f"source: expected a function vec4 {function}(vec2 place), got void main(); the "
                f"framework's main() calls {function} for each pixel, so return the color"
            )
        return _declared_in(text)

    def declare(self, declared: Declared) -> None:
        """Replace the uniforms with ``declared``, the uniforms in the shader's new code.

        A uniform keeps its value if its type has not changed. A new uniform gets its initial value
        from the code. A new sampler2D is white until the game sets an image.
        """
        indices = dict(self._indices)
        values = list(self._starts)
        for name, (_, start) in declared.items():
            if start is None:  # a sampler2D
                continue
            if name not in indices or not _same_type(values[indices[name]], start):
                indices[name] = len(values)
                values.append(start)
        self._checks = {name: check for name, (check, _) in declared.items()}
        self._indices = {
            name: indices[name] for name, (check, _) in declared.items() if check is not Sampled
        }
        self._starts = tuple(values)
        self.samplers = {name: self.samplers.get(name) or _white(name) for name in self._images}
        self._add_missing()

    @property
    def _images(self) -> list[str]:
        """The names of the sampler2D uniforms."""
        return [name for name, check in self._checks.items() if check is Sampled]

    def set_all(self, values: Mapping[str, object]) -> None:
        """Set several uniforms of the game's own shader. Raises `TypeError` if ``values`` contains
        no image for a sampler2D.
        """
        for name in self._images:
            if name not in values:
                raise TypeError(
                    f'{name}: the shader has a sampler2D of this name; set an image: {name}="…"'
                )
        for name, value in values.items():
            self.set(name, value)

    def _add_missing(self) -> None:
        missing = self._starts[len(self._latched.current) :]
        if missing:
            self._latched = Latched((*self._latched.current, *missing), _blend)
        for name in self._images:
            if name not in self.samplers:
                self.samplers[name] = _white(name)

    def after_restore(self) -> None:
        """Called after a snapshot was restored. Uniforms that the snapshot does not contain get
        their initial values.
        """
        self.restored += 1
        self._add_missing()

    # -- values ------------------------------------------------------------------------------------

    def __contains__(self, name: str) -> bool:
        return name in self._indices or name in self.samplers

    def __iter__(self) -> Iterator[str]:
        yield from self._indices
        yield from self.samplers

    def __getitem__(self, name: str) -> Any:
        """Return the current value of a uniform. The value of a sampler2D is the image that the
        game has set.
        """
        sampled = self.samplers.get(name)
        return self._latched.current[self._indices[name]] if sampled is None else sampled.source

    def is_own(self, name: str) -> bool:
        """Return whether ``name`` is a uniform of the game's own shader."""
        return name in self._checks

    def set(self, name: str, value: object) -> None:
        """Check ``value``, and set a uniform of the game's own shader."""
        checked = self._checks[name](name, value)
        if isinstance(checked, Sampled):
            self.samplers[name] = checked
        else:
            self.write(name, checked)

    def write(self, name: str, value: Value) -> None:
        """Set a uniform to a number or vector that is already checked."""
        self._latched.write(self._indices[name], value)

    def at(self, alpha: float) -> dict[str, Value]:
        """Return a dict from names of uniforms to values, interpolated at ``alpha``."""
        values = self._latched.at(alpha)
        return {name: values[index] for name, index in self._indices.items()}

    def shows(self, texture: object) -> bool:
        """Return whether the value of a sampler2D is ``texture``, a texture that a view draws."""
        return any(sampled.source is texture for sampled in self.samplers.values())

    # -- ticks -------------------------------------------------------------------------------------

    def begin_tick(self) -> None:
        """Begin a tick. The current values become the values before the tick."""
        self._latched.begin_tick()

    def end_tick(self) -> None:
        """End the tick. Later frames show values that are interpolated between the values before
        the tick and the current values.
        """
        self._latched.end_tick()

    def notice_writes(self) -> None:
        """Called in each frame while no ticks run, for example in a paused game. If the game has
        set values since the last call, the next frame shows the new values without interpolation.
        """
        self._latched.notice_writes()

    def teleport(self) -> None:
        """Draw the new values of the uniforms, without interpolation from the last tick."""
        self._latched.teleported = True


class UniformSetting(Setting[T]):
    """An attribute of an effect that reads and writes a uniform of a framework shader.

    Each new value is checked. The value is interpolated between ticks.
    """

    def read(self, thing: Any) -> T:
        """Return the current value of the uniform."""
        value: T = uniforms_of(thing)[self.name]
        return value

    def keep(self, thing: Any, value: Any) -> None:
        """Set the uniform to a value that is already checked."""
        uniforms_of(thing).write(self.name, value)


class Shaded:
    """The base class of objects that have a shader, such as effects. You can read and write the
    uniforms of the shader as attributes.
    """

    _uniforms: Uniforms
    _include: ClassVar[str] = ""
    """The framework's shader file that a game's own shader includes."""

    def _begin(self, file: str, **values: object) -> None:
        """Create the `Uniforms` of a framework shader. ``values`` contains the initial value of
        each `UniformSetting` attribute.
        """
        kind = type(self)
        checked: dict[str, Value] = {}
        for name, value in values.items():
            setting: Setting[Value] = getattr(kind, name)
            checked[name] = setting.check(name, value)
        _set(self, "_uniforms", Uniforms(checked, file))

    def _read_source(self, source: object, values: Mapping[str, object]) -> None:
        """Create the `Uniforms` of the game's own shader, and set them to ``values``."""
        uniforms = Uniforms.of_source(source, self._include)
        _set(self, "_uniforms", uniforms)
        for name in values:
            if name not in uniforms:
                raise AttributeError(self._no_such(name))
        uniforms.set_all(values)

    @property
    def _known_uniforms(self) -> Uniforms | None:
        """The uniforms of the shader. The property is None before ``__init__`` has created the
        uniforms.
        """
        uniforms: Uniforms | None = self.__dict__.get("_uniforms")
        return uniforms

    def __getattr__(self, name: str) -> Any:
        uniforms = self._known_uniforms
        if uniforms is not None and name in uniforms:
            return uniforms[name]
        raise AttributeError(self._no_such(name) if not name.startswith("__") else name)

    def __setattr__(self, name: str, value: object) -> None:
        uniforms = self._known_uniforms
        if uniforms is not None and uniforms.is_own(name):
            uniforms.set(name, value)
        elif (
            hasattr(type(self), name) or name.startswith("_") or not _is_framework_class(type(self))
        ):
            _set(self, name, value)
        else:
            raise AttributeError(self._no_such(name))

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(self._known_uniforms or ())]

    def _no_such(self, name: str) -> str:
        kind = type(self)
        message = moved_message(kind, name)
        if message is not None:
            return message
        settings = [
            attribute for attribute in dir(kind) if isinstance(getattr(kind, attribute), Setting)
        ]
        names = [*(self._known_uniforms or ()), *settings]
        nearest = checks.nearest(name, dict.fromkeys(names))
        return f"{kind.__name__} has no {shown(name)}; the nearest are {nearest}"

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={shown(self._uniforms[name])}" for name in self._uniforms)
        return f"{type(self).__name__}({values})"


def uniforms_of(shaded: Shaded) -> Uniforms:
    """Return the uniforms of an effect, a transition, a fullscreen quad or a `PingPong`."""
    return shaded._uniforms


def _is_framework_class(kind: type) -> bool:
    return kind.__module__.startswith("framework.")


def _blend(
    previous: tuple[Value, ...], current: tuple[Value, ...], alpha: float
) -> tuple[Value, ...]:
    """Compute the values of uniforms at ``alpha``. Numbers and vectors are interpolated. Values of
    other types are not interpolated.
    """
    return tuple([_blend_value(a, b, alpha) for a, b in zip(previous, current, strict=True)])


def _blend_value(a: Value, b: Value, alpha: float) -> Value:
    if type(a) is float and type(b) is float:
        return a + (b - a) * alpha
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        return linear(a, b, alpha)
    return b


def _same_type(a: Value, b: Value) -> bool:
    """Return whether two values would have the same type in GLSL."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b)
    return type(a) is type(b)


def _white(name: str) -> Sampled:
    return Sampled(name, np.full((1, 1, 3), 255, np.uint8))


# -- declarations in GLSL --------------------------------------------------------------------------


def _declared_in(text: str) -> Declared:
    """Return the uniforms that GLSL code declares. ``text`` must not contain comments."""
    uniforms: Declared = {}
    matches: list[tuple[str, str]] = _UNIFORM.findall(text)
    for kind, names in matches:
        for part in re.split(r",(?![^(]*\))", names):
            match = _DECLARATION.fullmatch(part)
            if match is None or match[1] in _CHAIN_UNIFORMS:
                continue
            if kind == _SAMPLER and not match[2]:
                uniforms[match[1]] = Sampled, None
                continue
            if kind not in _LENGTHS or match[2]:
                types = ", ".join([*_LENGTHS, _SAMPLER])
                raise ValueError(
                    f"uniform {match[1]!r}: expected one of the types {types}, got "
                    f"{kind}{match[2] or ''}"
                )
            uniforms[match[1]] = _checker(kind), _first_value(kind, match[3] or "")
    return uniforms


def _first_value(kind: str, initializer: str) -> Value:
    """Return the initial value of a uniform, as written in its GLSL declaration. If the declaration
    has no value, return zeros.
    """
    if kind == "bool":
        return initializer.strip() == "true"
    digits: list[str] = _NUMBER.findall(re.sub(r"\w*vec\d", "", initializer))
    numbers = [float(number) for number in digits]
    length = _LENGTHS[kind]
    numbers = numbers * length if len(numbers) == 1 else (numbers or [0.0] * length)
    if kind == "float":
        return numbers[0]
    return int(numbers[0]) if kind == "int" else tuple(numbers[:length])


def _checker(kind: str) -> Check:
    if kind == "float":
        return coordinate
    if kind == "bool":
        return flag
    if kind == "int":
        return lambda name, value: checks.whole(name, value, -(2**31), 2**31 - 1)
    return lambda name, value: _vector(name, value, _LENGTHS[kind])


def _vector(name: str, value: object, length: int) -> tuple[float, ...]:
    if isinstance(value, str) and length in (3, 4):
        return checks.color(name, value)[:length]
    numbers: list[float] = checks.vector(name, value, length).tolist()
    return tuple([coordinate(name, number) for number in numbers])
