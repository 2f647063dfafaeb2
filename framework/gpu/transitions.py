"""Transitions: how the picture goes over from some scenes to others."""

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
from .uniforms import Shaded, UniformSetting, uniforms_of

Color: TypeAlias = str | Sequence[float]
"""The name of a color, "#f80", or red, green and blue in 0..1."""

_set = object.__setattr__

_BARE = {"fade.glsl", "wipe.glsl"}

_share = partial(checks.number, least=0, most=1)


def _length(name: str, value: object) -> float:
    return float(checks.positive_fraction(name, value))


def _rgb(name: str, value: object) -> tuple[float, float, float]:
    red, green, blue, _ = checks.color(name, value)
    return red, green, blue


class Transition(Shaded):
    """From the picture of the scenes that were on to that of those that are, with a fragment shader
    of your own: ``game.push(Level(), transition=fw.Transition("tear.frag", 0.8))``.

    Parameters
    ----------
    source
        A file, looked up beside the game, or GLSL: a function ``vec4 transition(vec2 place)`` that
        mixes ``before(place)`` and ``after(place)`` by ``progress``, 0 to 1; see
        shaders/include/transition.glsl.
    length
        Simulated seconds that it takes: the same at any frame rate, and smooth between ticks.
    ease
        A name of `EASES`, or another ease: how ``progress`` goes.
    uniforms
        The values of the shader's uniforms, as of `Effect`.
    """

    _include: ClassVar[str] = "transition.glsl"
    length: float
    ease: Ease

    def __init__(
        self, source: str, length: float | Fraction = 0.5, *, ease: Ease = "linear", **uniforms: Any
    ) -> None:
        self._take(length, ease)
        self._read_source(source, uniforms)

    def _take(self, length: float | Fraction, ease: Ease) -> None:
        _set(self, "length", _length("length", length))
        _set(self, "ease", checked("ease", ease))


def progress_at(transition: Transition, share: float) -> float:
    """Return the progress, as the ease has it, at a share of the length, both from 0 to 1."""
    curve: Callable[[Doubles], Doubles] = curve_of(transition.ease)
    return float(curve(np.array([min(max(share, 0.0), 1.0)]))[0])


def hides_by_old_alone(transition: Transition) -> bool:
    """Return whether nothing but the old picture, as it is, ever hides the new one."""
    return uniforms_of(transition).file in _BARE


class Fade(Transition):
    """From one picture into the other, or with a ``color`` (``"black"``) by that in between."""

    tint = UniformSetting(_rgb, "The colour in between, where there is one.")

    def __init__(
        self, length: float | Fraction = 0.5, *, color: Color | None = None, ease: Ease = "linear"
    ) -> None:
        self._take(length, ease)
        if color is None:
            self._begin("fade.glsl", tint="black")
        else:
            self._begin("dip.glsl", tint=_rgb("color", color))


class Wipe(Transition):
    """The new picture comes in from one side: from the left, or turned by ``angle`` radians
    counter-clockwise.
    """

    angle = UniformSetting(
        checks.number, "Radians, counter-clockwise: 0 wipes to the right, pi / 2 upwards."
    )
    softness = UniformSetting(_share, "How wide its edge is, as a share of the way.")

    def __init__(
        self,
        length: float | Fraction = 0.5,
        *,
        angle: float = 0.0,
        softness: float = 0.1,
        ease: Ease = "linear",
    ) -> None:
        self._take(length, ease)
        self._begin(
            "wipe.glsl",
            angle=math.remainder(checks.number("angle", angle), math.tau),
            softness=softness,
        )


class Iris(Transition):
    """A circle that closes over the old picture, and opens over the new one."""

    center = UniformSetting(
        checks.pair, "Its middle, as shares of the picture from the bottom left corner."
    )
    softness = UniformSetting(_share, "How wide its edge is, as a share of its largest radius.")
    tint = UniformSetting(_rgb, "The colour around it, black unless set.")

    def __init__(
        self,
        length: float | Fraction = 0.8,
        *,
        center: tuple[float, float] = (0.5, 0.5),
        softness: float = 0.02,
        tint: Color = (0.0, 0.0, 0.0),
        ease: Ease = "linear",
    ) -> None:
        self._take(length, ease)
        self._begin("iris.glsl", center=center, softness=softness, tint=tint)
