"""Easing curves, Bézier curves and springs that go from (0, 0) to (1, 1).

The argument of an ease is the fraction of a duration that has passed, and the result is the
completed fraction of a change. The module provides Robert Penner's eases
(https://robertpenner.com/easing, shown at https://easings.net), cubic Bézier curves as in CSS, and
damped springs. Eases accept arrays of any shape, and `ease` also accepts single numbers. A single
number gives exactly the same result as the same number in an array, on every machine.

Eases that are powers or roots, such as "in_quad" and "in_circ", are computed directly. All other
eases use lookup tables: sines, powers of 2, bounces, Bézier curves and springs. A table is computed
once, with the functions of `exact`, and has at least 8,193 points. Values between two points are
interpolated linearly. They differ from the exact values of the ease by less than 1e-6, and are
below 0 or above 1 only if the exact ease is.
"""

from __future__ import annotations

__all__ = ["EASES", "Bezier", "Spring", "ease"]

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast, overload

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Doubles, Reals
from ..checks import number, numbers, shown, takes, wrong_type, wrong_value
from ..moved_names import moved
from . import exact

Curve = Callable[[Doubles], Doubles]
"""A function that converts the elapsed fraction of the time to the completed fraction of the
change. The argument is a float64 array with numbers from 0 to 1.
"""

_CELLS = 8192
_MAX_CELLS = 65536
_CELLS_OF_BOUNCES = 22 * 375  # a bounce changes its direction at multiples of 1/22
_SETTLED = 1e-4  # a spring has stopped if it stays within this distance of its goal
_HALVINGS = 53
# With a larger value, the motion would end within a millisecond or take a century.
_MAX_STIFFNESS = 1e9

_SIGN = np.iinfo(np.int64).min  # the sign bit
_BACK = 1.70158  # the usual constant of Robert Penner: a "back" ease overshoots by a tenth
_BOUNCES = (
    (1.5 / 2.75, 0.75),
    (2.25 / 2.75, 0.9375),
    (2.625 / 2.75, 0.984375),
)  # the middle and the height of each parabola after the first one
_STEEP = 7.5625
_LINES = [(-2 * _STEEP * middle, _STEEP * middle * middle + height) for middle, height in _BOUNCES]


@dataclass(frozen=True, slots=True)
class Bezier:
    """A cubic Bézier ease from (0, 0) to (1, 1), like ``cubic-bezier`` in CSS.

    The control points are (x1, y1) and (x2, y2). ``x1`` and ``x2`` must be from 0 to 1, because the
    curve could otherwise have several values at the same time. Raises `ValueError` if they are not.
    """

    x1: float
    y1: float
    x2: float
    y2: float

    def __post_init__(self) -> None:
        for name in ("x1", "x2"):
            number(name, getattr(self, name), least=0, most=1)
        for name in ("y1", "y2"):
            number(name, getattr(self, name))

    def _sampled(self) -> Doubles:
        """Return the values of the Bézier curve at evenly spaced times, for the lookup table."""
        goal = np.linspace(0, 1, _CELLS + 1)
        low = np.zeros_like(goal)
        high = np.ones_like(goal)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            is_before = _cubic(self.x1, self.x2, middle) < goal
            low = np.where(is_before, middle, low)
            high = np.where(is_before, high, middle)
        return _cubic(self.y1, self.y2, high)


def _cubic(a: float, b: float, s: Doubles) -> Doubles:
    r = 1 - s
    return 3 * r * r * s * a + 3 * r * s * s * b + s * s * s


@moved("spring", {"length": "duration"})
@dataclass(frozen=True, slots=True)
class Spring:
    """An ease that moves like a damped spring: x'' = stiffness · (1 - x) - damping · x'.

    ``stiffness`` is in 1/s² and ``damping`` in 1/s, for a mass of 1. Both must be above 0 and at
    most 1e9. If the damping is below 2 · √stiffness, the spring moves past its goal and swings
    back. By default, a tween with a spring lasts for `Spring.duration`. If you set a longer or
    shorter duration, the spring moves slower or faster than with the default duration. The position
    is computed with a formula, so it does not depend on the tick rate.
    """

    stiffness: float = 120.0
    damping: float = 14.0

    def __post_init__(self) -> None:
        number("stiffness", self.stiffness, above=0, most=_MAX_STIFFNESS)
        number("damping", self.damping, above=0, most=_MAX_STIFFNESS)

    @property
    def duration(self) -> float:
        """The time in seconds until the spring no longer moves visibly. After this duration, the
        distance to the goal is at most 1/10,000 of the distance at the start.
        """
        return _settling(self)

    @overload
    def at(self, time: float) -> float: ...
    @overload
    def at(self, time: Reals) -> Doubles: ...
    @overload
    def at(self, time: ArrayLike) -> Any: ...
    def at(self, time: ArrayLike) -> float | Doubles:
        """Return the position of the spring after ``time`` seconds. The position is 0 at the start,
        and near 1 at the end of the duration.
        """
        t = numbers("time", time, None).reshape(np.shape(time))
        half = self.damping / 2
        square = self.stiffness - self.damping * self.damping / 4
        if abs(square) < 1e-9 * self.stiffness:  # critically damped
            return 1 - exact.exp(-half * t) * (1 + half * t)
        if square > 0:
            pace = math.sqrt(square)
            sine, cosine = exact.sincos(pace * t)
            return 1 - exact.exp(-half * t) * (cosine + (half / pace) * sine)
        root = math.sqrt(-square)
        fast = half + root
        slow = self.stiffness / (half + root)
        return 1 - (fast * exact.exp(-slow * t) - slow * exact.exp(-fast * t)) / (fast - slow)

    def _sampled(self) -> Doubles:
        """Return the positions of the spring at evenly spaced times, for the lookup table."""
        # With this number of samples, interpolated positions have errors below 1e-6.
        samples = 350 * math.sqrt(self.stiffness) * self.duration
        cells = min(_MAX_CELLS, max(_CELLS, 1 << math.ceil(samples).bit_length()))
        return np.asarray(self.at(np.linspace(0, self.duration, cells + 1)))


@lru_cache(maxsize=256)
def _settling(spring: Spring) -> float:
    half = spring.damping / 2
    square = half * half - spring.stiffness
    slowest = spring.stiffness / (half + math.sqrt(square)) if square > 0 else half
    # The remaining distance e^-16 is far below _SETTLED.
    times = np.linspace(0, 16 / slowest, 16385)
    off = np.flatnonzero(abs(spring.at(times) - 1) > _SETTLED)
    last: int = off[-1]
    return float(times[last + 1])


class _Table:
    """A lookup table for an ease: the values at evenly spaced times."""

    def __init__(self, values: Doubles) -> None:
        self._cells = cells = len(values) - 1
        values = np.array(values)
        values[-1] = 1.0
        rise = np.append(np.diff(values), 0.0)
        indices = np.arange(cells + 1)
        starts = _within(
            values - rise * indices, rise * indices, rise * np.minimum(indices + 1, cells), values
        )
        # Store the start and the rise in one complex number, so that one lookup returns both.
        self._cell = starts + 1j * rise

    def __call__(self, k: Doubles) -> Doubles:
        position = k * self._cells
        # With the mode "clip", NumPy does not check the bounds.
        cell = self._cell.take(
            position.astype(np.intp),
            mode="wrap",
        )
        position *= cell.imag
        position += cell.real
        return position


def _within(begin: Doubles, first: Doubles, last: Doubles, values: Doubles) -> Doubles:
    """Return a copy of ``begin``, the start values of the lines of a table, with values that differ
    by a few rounding errors. With these values, no point of a line is below the minimum or above
    the maximum of ``values``.

    A point of a line is its start value plus a number between ``first`` and ``last``.
    """
    low: float = values.min()
    high: float = values.max()
    for _ in range(8):
        begin = np.where(
            np.minimum(begin + first, begin + last) < low, np.nextafter(begin, np.inf), begin
        )
        begin = np.where(
            np.maximum(begin + first, begin + last) > high, np.nextafter(begin, -np.inf), begin
        )
    return begin


# -- Penner's --------------------------------------------------------------------------------------


def _linear(k: Doubles) -> Doubles:
    return k


def _smooth(k: Doubles) -> Doubles:
    return k * k * (3 - 2 * k)


def _quad(k: Doubles) -> Doubles:
    return k * k


def _cube(k: Doubles) -> Doubles:
    cube = k * k
    cube *= k
    return cube


def _quart(k: Doubles) -> Doubles:
    square = k * k
    square *= square
    return square


def _quint(k: Doubles) -> Doubles:
    power = k * k
    power *= power
    power *= k
    return power


def _circ(k: Doubles) -> Doubles:
    share = k * k
    np.subtract(1, share, out=share)
    np.sqrt(share, out=share)
    return np.subtract(1, share, out=share)


def _take_sign(share: Doubles, sign_source: Doubles) -> None:
    """Copy the sign of ``sign_source`` to ``share``, in place. All numbers in ``share`` must be at
    least 0.

    `_take_sign` overwrites ``sign_source``. The function exists because `np.copysign` takes twice
    as long.
    """
    sign = sign_source.view(np.int64)
    bits = share.view(np.int64)
    sign &= _SIGN
    bits |= sign


def _circ_both_ways(k: Doubles) -> Doubles:
    # The function 1 - sqrt(1 - (2k)²), for both halves of the curve. Seen from the middle, both
    # halves are the square root of a · (1 - a).
    offset = k - 0.5
    share = abs(offset)
    share *= 1 - share
    np.sqrt(share, out=share)
    _take_sign(share, offset)
    share += 0.5
    return share


def _back(k: Doubles, overshoot: float = _BACK) -> Doubles:
    share = k * (overshoot + 1)
    share -= overshoot
    share *= k * k
    return share


def _back_twice(k: Doubles) -> Doubles:
    return _back(k, 1.525 * _BACK)


def _bounce(k: Doubles) -> Doubles:
    # The curve is the lowest of four parabolas 7.5625 · (remaining - middle)² + height. The
    # parabolas differ only by straight lines, so find the lowest line.
    remaining = 1 - k
    lowest: Doubles = np.minimum.reduce(
        [0 * remaining, *(factor * remaining + offset for factor, offset in _LINES)]
    )
    return 1 - (_STEEP * remaining * remaining + lowest)


def _sine(k: Doubles) -> Doubles:
    return 1 - exact.cos(k * (math.pi / 2))


def _expo(k: Doubles) -> Doubles:
    return np.where(k > 0, exact.power(2.0, 10 * k - 10), 0.0)


def _elastic(k: Doubles) -> Doubles:
    return -_expo(k) * exact.sin((10 * k - 10.75) * (math.tau / 3))


def _elastic_twice(k: Doubles) -> Doubles:
    return -_expo(k) * exact.sin((10 * k - 11.125) * (math.tau / 4.5))


_FAMILIES: dict[str, tuple[Curve, Curve]] = {
    # The "in" curve alone, and the same curve as one half of an "in_out" ease.
    "quad": (_quad, _quad),
    "cubic": (_cube, _cube),
    "quart": (_quart, _quart),
    "quint": (_quint, _quint),
    "circ": (_circ, _circ),
    "back": (_back, _back_twice),
    "bounce": (_bounce, _bounce),
    "sine": (_sine, _sine),
    "expo": (_expo, _expo),
    "elastic": (_elastic, _elastic_twice),
}
_TABLES = {"sine": _CELLS, "expo": _CELLS, "elastic": _CELLS, "bounce": _CELLS_OF_BOUNCES}
_PLAIN = {"linear": _linear, "smooth": _smooth}
_WHOLE = _PLAIN | {"in_out_circ": _circ_both_ways}

EASES = (*_PLAIN, *[f"{end}_{family}" for family in _FAMILIES for end in ("in", "out", "in_out")])
"""The names of all eases."""


def _outwards(curve: Curve) -> Curve:
    def outwards(k: Doubles) -> Doubles:
        share = curve(1 - k)
        return np.subtract(1, share, out=share)

    return outwards


def _both_ways(curve: Curve) -> Curve:
    def both(k: Doubles) -> Doubles:
        offset = k - 0.5
        share = abs(offset)
        share *= -2
        share += 1
        share = curve(share)
        share *= -0.5
        share += 0.5
        _take_sign(share, offset)
        share += 0.5
        return share

    return both


def _named(name: str) -> Curve:
    if name in _WHOLE:
        return _WHOLE[name]
    direction, _, family = name.rpartition("_")
    alone, half = _FAMILIES[family]
    curve = {
        "in": lambda: alone,
        "out": lambda: _outwards(alone),
        "in_out": lambda: _both_ways(half),
    }[direction]()
    return _Table(curve(np.linspace(0, 1, _TABLES[family] + 1))) if family in _TABLES else curve


# -- eases for tweens ------------------------------------------------------------------------------


Ease = str | Bezier | Spring | Curve
"""An ease: a name from `EASES`, a `Bezier`, a `Spring`, or a function of your own."""


def checked(name: str, ease: object) -> Ease:
    """Check an ease. Return ``ease`` if it is valid, and raise an error otherwise.

    Raises
    ------
    ValueError
        The name of the ease is unknown, or the function does not start at 0 and end at 1. For an
        unknown name, the error message suggests a similar name.
    TypeError
        ``ease`` is not a name, a `Bezier`, a `Spring` or a function.
    """
    if isinstance(ease, str):
        if ease not in EASES:
            raise _unknown_ease(name, ease)
        return ease
    if isinstance(ease, Bezier | Spring):
        return ease
    # Curves are cached with the ease as the key, so the ease must be hashable.
    if isinstance(ease, type) or not callable(ease) or type(ease).__hash__ is None:
        raise wrong_type(name, "a name such as 'out_cubic', a Bezier, a Spring or a function", ease)
    return _checked_function(name, cast(Curve, ease))


# Names of eases in CSS and in other engines, in lower case and without "ease".
_OTHER_EASES = {
    "": "smooth",
    "in": "in_quad",
    "out": "out_quad",
    "inout": "in_out_quad",
    "outin": "in_out_quad",
    **{family: f"out_{family}" for family in _FAMILIES},
    **{
        name: f"{ours}_{family}"
        for family in _FAMILIES
        for theirs, ours in (("in", "in"), ("out", "out"), ("inout", "in_out"))
        for name in (f"{theirs}{family}", f"{family}{theirs}")  # easeInCubic and Cubic.easeIn
    },
    "smoothstep": "smooth",
    "spring": "out_elastic",
    "none": "linear",
}


def _unknown_ease(name: str, ease: str) -> ValueError:
    import difflib  # imported here because only an error needs it
    import re

    hint = f"there are {', '.join(_PLAIN)}, and in_, out_ and in_out_ of {', '.join(_FAMILIES)}"
    letters = re.sub(r"[^a-z]", "", ease.lower())
    if letters:
        meant = _OTHER_EASES.get(letters.replace("ease", ""))
        similar = [meant] if meant else difflib.get_close_matches(ease, EASES, 1, 0.4)
        if similar:
            hint = f"did you mean {similar[0]!r}?"
    return ValueError(f"{name}: expected the name of an ease, got {shown(ease)}; {hint}")


def _checked_function(name: str, function: Curve) -> Curve:
    takes(name, function, "a function of float64 arrays", "the shares of time that have passed")
    shares, two_shares = (
        np.asarray(function(np.array(moments))) for moments in ([0.0, 0.5, 1.0], [0.25, 0.75])
    )
    if (
        (shares.shape, two_shares.shape) != ((3,), (2,))
        or shares.dtype.kind != "f"
        or not np.isfinite(shares).all()
    ):
        raise wrong_value(name, f"a function of float64 arrays {_FINITE}", function)
    first: float = shares[0]
    last: float = shares[2]
    if abs(first) > 1e-6 or abs(last - 1) > 1e-6:
        raise ValueError(
            f"{name}: expected a function that goes from 0 to 1, got {first:g} at 0, {last:g} at 1"
        )
    return function


@lru_cache(maxsize=256)
def curve_of(ease: Ease) -> Curve:
    """Return the function that computes an ease for float64 arrays. ``ease`` must be valid: call
    `checked` first.

    The argument of the returned function is the elapsed fraction of the time, from 0 to 1. The
    returned function returns the completed fraction of the change.
    """
    if isinstance(ease, str):
        return _named(ease)
    return _Table(ease._sampled()) if isinstance(ease, Bezier | Spring) else _checked_calls(ease)


_FINITE = "that returns one finite number for each"


def _checked_calls(ease: Curve) -> Curve:
    """Return a function that calls an ease written by the game, and checks each result.

    Every result is checked, because the ease may return arrays of different shapes.
    """

    def curve(k: Doubles) -> Doubles:
        shares = np.asarray(ease(k))
        if shares.shape != k.shape or shares.dtype.kind != "f":
            got = f"{shares.dtype} of shape {shares.shape} for {k.shape}"
            raise ValueError(
                f"ease: expected a function of float64 arrays {_FINITE}, got {got} "
                f"from {shown(ease)}"
            )
        return shares

    return curve


@overload
def ease(name: Ease, t: float) -> float: ...
@overload
def ease(name: Ease, t: Reals) -> Doubles: ...
@overload
def ease(name: Ease, t: ArrayLike) -> Any: ...
def ease(name: Ease, t: ArrayLike) -> float | Doubles:
    """Return the fraction of a change that is completed after the fraction ``t`` of its duration.

    ``fw.ease("out_cubic", 0.5)`` is 0.875: after half the time, 87.5 % of the change is completed.

    ``name`` is a name in `EASES`, a `Bezier`, a `Spring` or a function. ``t`` is a number or an
    array of any shape. Values of ``t`` below 0 or above 1 are clamped to the range from 0 to 1. If
    ``t`` is a number, the result is a float. If ``t`` is an array, the result is a float64 array of
    the same shape.
    """
    curve = curve_of(checked("name", name))
    array = np.clip(numbers("t", t, None), 0.0, 1.0)
    shares = np.asarray(curve(np.atleast_1d(array)), np.float64).reshape(np.shape(t))
    return shares if shares.ndim else float(shares)
