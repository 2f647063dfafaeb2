"""Transitions: how the screen changes from the old scenes to the new ones."""

from __future__ import annotations

__all__ = ["Fade", "Iris", "Transition", "Wipe"]

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar, TypeAlias

import numpy as np

from .. import checks
from ..arrays import Doubles
from ..geometry.eases import Ease, checked, curve_of
from ..moved_names import HasMoved, moved, renamed_options
from .uniforms import Shaded, UniformSetting, uniforms_of

Color: TypeAlias = str | Sequence[float]
"""The name of a color, "#f80", or red, green and blue in 0..1."""

_set = object.__setattr__

_UNCHANGED_OLD = {"fade.glsl", "wipe.glsl"}

_share = partial(checks.number, least=0, most=1)


def _seconds(name: str, value: object) -> float:
    return float(checks.positive_fraction(name, value))


def _rgb(name: str, value: object) -> tuple[float, float, float]:
    red, green, blue, _ = checks.color(name, value)
    return red, green, blue


@moved("transition", {"length": "duration"})
class Transition(Shaded, HasMoved):
    """A change from the old scenes to the new ones, drawn by your own fragment shader.

        game.push(Level(), transition=fw.Transition("tear.frag", 0.8))

    `Fade`, `Wipe` and `Iris` need no shader of yours.

    Parameters
    ----------
    source
        A file name, relative to the game's folder, or GLSL code. The code defines a function ``vec4
        transition(vec2 place)``. It mixes ``before(place)`` and ``after(place)`` by ``progress``,
        from 0 to 1. See shaders/include/transition.glsl.
    duration
        Duration in simulated seconds. A transition takes ``duration`` seconds at any frame rate,
        and moves smoothly between two ticks.
    ease
        The ease of ``progress`` over the duration: a name from `EASES`, a `Bezier`, a `Spring` or a
        function.
    uniforms
        The values of the shader's uniforms; see `Effect`.
    """

    _include: ClassVar[str] = "transition.glsl"
    duration: float
    ease: Ease

    @renamed_options("Transition", length="duration")
    def __init__(
        self,
        source: str,
        duration: float | Fraction = 0.5,
        *,
        ease: Ease = "linear",
        **uniforms: Any,
    ) -> None:
        self._set_options(duration, ease)
        self._read_source(source, uniforms)

    def _set_options(self, duration: float | Fraction, ease: Ease) -> None:
        _set(self, "duration", _seconds("duration", duration))
        _set(self, "ease", checked("ease", ease))


def progress_at(transition: Transition, share: float) -> float:
    """Return the eased progress after the fraction ``share`` of the duration. The progress goes
    from 0 to 1, like ``share``.
    """
    curve: Callable[[Doubles], Doubles] = curve_of(transition.ease)
    return float(curve(np.array([min(max(share, 0.0), 1.0)]))[0])


def hides_by_old_alone(transition: Transition) -> bool:
    """Return whether the transition only draws the image of the old scenes over the new scenes,
    without moving this image.
    """
    return uniforms_of(transition).file in _UNCHANGED_OLD


class Fade(Transition):
    """A fade from the old scenes to the new ones.

    With a ``color`` such as ``"black"``, the old scenes first fade to that color, and then the new
    scenes appear.
    """

    tint = UniformSetting(_rgb, "The color between the scenes, for a `Fade` with a ``color``.")

    @renamed_options("Fade", length="duration")
    def __init__(
        self, duration: float | Fraction = 0.5, *, color: Color | None = None, ease: Ease = "linear"
    ) -> None:
        self._set_options(duration, ease)
        if color is None:
            self._begin("fade.glsl", tint="black")
        else:
            self._begin("dip.glsl", tint=_rgb("color", color))


class Wipe(Transition):
    """A wipe: the new scenes cover the old scenes from the left to the right, or in the direction
    ``angle``.
    """

    angle = UniformSetting(
        checks.number,
        "Direction in radians, counterclockwise: 0 wipes to the right, pi / 2 upwards.",
    )
    softness = UniformSetting(_share, "Width of the soft edge, as a share of the whole way.")

    @renamed_options("Wipe", length="duration")
    def __init__(
        self,
        duration: float | Fraction = 0.5,
        *,
        angle: float = 0.0,
        softness: float = 0.1,
        ease: Ease = "linear",
    ) -> None:
        self._set_options(duration, ease)
        self._begin(
            "wipe.glsl",
            angle=math.remainder(checks.number("angle", angle), math.tau),
            softness=softness,
        )


class Iris(Transition):
    """A circle that closes over the old scenes and then opens over the new ones."""

    center = UniformSetting(
        checks.pair,
        "Center of the circle, as shares of the screen's size from the bottom left corner.",
    )
    softness = UniformSetting(_share, "Width of the soft edge, as a share of the largest radius.")
    tint = UniformSetting(_rgb, "The color around the circle. Default: black.")

    @renamed_options("Iris", length="duration")
    def __init__(
        self,
        duration: float | Fraction = 0.8,
        *,
        center: tuple[float, float] = (0.5, 0.5),
        softness: float = 0.02,
        tint: Color = (0.0, 0.0, 0.0),
        ease: Ease = "linear",
    ) -> None:
        self._set_options(duration, ease)
        self._begin("iris.glsl", center=center, softness=softness, tint=tint)
