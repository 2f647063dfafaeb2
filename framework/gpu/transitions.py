"""Transitions between scenes, such as a fade, which blend from the old scenes to the new scenes."""

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
"""The name of a color, a string such as "#f80", or red, green and blue from 0 to 1."""

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
    """An animation from the old scenes to the new scenes. Your own fragment shader draws each image
    of the animation.

        game.push(Level(), transition=fw.Transition("tear.frag", 0.8))

    The ready-made transitions `Fade`, `Wipe` and `Iris` do not need your own shader.

    Parameters
    ----------
    source
        A file name relative to the game's folder, or GLSL code. The shader must contain a function
        ``vec4 transition(vec2 place)``. ``transition`` mixes the color of the old image,
        ``before(place)``, and the color of the new image, ``after(place)``. In the shader,
        ``progress`` goes from 0 to 1. With an ease such as "out_back", ``progress`` is above 1 for
        a short time. See shaders/include/transition.glsl.
    duration
        The duration in simulated seconds. The duration does not depend on the frame rate. A
        transition also advances in frames between two ticks, so the motion is smooth.
    ease
        The curve of ``progress`` over time: a name from `EASES`, a `Bezier`, a `Spring` or a
        function.
    uniforms
        Keyword arguments: initial values for the uniforms of the shader; see `Effect`.
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
    """Return the progress of a transition, after easing. ``share`` is the fraction of the duration
    that has passed, from 0 to 1. The progress is 0 at the start, and about 1 at the end. In
    between, the progress may leave this range with eases such as "out_back".
    """
    curve: Callable[[Doubles], Doubles] = curve_of(transition.ease)
    return float(curve(np.array([min(max(share, 0.0), 1.0)]))[0])


def hides_by_old_alone(transition: Transition) -> bool:
    """Return whether the transition only covers the new image with parts of the old image, without
    moving an image.
    """
    return uniforms_of(transition).file in _UNCHANGED_OLD


class Fade(Transition):
    """A transition in which the old scenes fade out and the new scenes fade in.

    If you pass a ``color`` such as ``"black"``, the old scenes first fade to the color.
    """

    tint = UniformSetting(_rgb, "The color between the scenes, if the fade has a ``color``.")

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
    """A transition in which the new scenes cover the old scenes, from left to right or in the
    direction ``angle``.
    """

    angle = UniformSetting(
        checks.number,
        "The direction of the wipe in radians, counter-clockwise. 0 is to the right, and pi / 2 "
        "is up.",
    )
    softness = UniformSetting(
        _share, "The width of the soft edge, as a fraction of the distance that the edge moves."
    )

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
    """A transition in which a circle closes over the old scenes and then opens over the new scenes."""

    center = UniformSetting(
        checks.pair,
        "The center of the circle. (0, 0) is the bottom left corner of the screen, and (1, "
        "1) the top right corner.",
    )
    softness = UniformSetting(
        _share, "The width of the soft edge, as a fraction of the largest radius."
    )
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
