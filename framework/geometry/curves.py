"""Numbers and colors that change with the age of a particle, from birth to death."""

from __future__ import annotations

__all__ = ["Curve"]

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arrays import Doubles, Floats, Reals
from ..checks import color, ndim, number, numbers, shown, wrong_value
from .eases import Ease, checked, ease

Key = float | str | Sequence[float] | Reals
"""A value of a curve: a number or a color."""

CELLS = 64
"""The number of straight lines that approximate a curve. The shader
`shaders/include/particle_motion.glsl` uses the same number.
"""


class Curve:
    """A number or a color that changes with the age of a particle.

    ``Curve(4, 30, 0)`` is a number that grows from 4 to 30, then shrinks to 0.
    ``Curve("#fff8", "#8880")`` is a color that fades to transparent. The curve is approximated by
    64 straight lines, so very short changes are not exact. Raises `TypeError` or `ValueError` for
    invalid keys, or if you mix numbers and colors.

    Parameters
    ----------
    keys
        Two or more numbers, or two or more colors. A color is a string, or three or four numbers
        from 0 to 1.
    at
        The time of each key, as a fraction of the lifetime from 0 to 1. The first time must be 0,
        the last time must be 1, and the times must be in ascending order. By default, the keys are
        evenly spaced.
    ease
        The easing curve between each key and the next key. See `EASES` for the names. Default:
        "linear".
    """

    __slots__ = ("_at", "_colors", "_ease", "_keys")

    not_state = True  # a curve never changes

    def __init__(
        self, *keys: Key, at: Sequence[float] | None = None, ease: Ease = "linear"
    ) -> None:
        self._ease = checked("ease", ease)
        if len(keys) < 2:
            raise ValueError(
                f"keys: expected two or more, got {len(keys)}; use a plain value for a constant"
            )
        kinds = {isinstance(key, str) or bool(ndim(key)) for key in keys}
        if len(kinds) > 1:
            raise wrong_value("keys", "numbers only, or colors only", list(keys))
        self._colors = kinds.pop()
        self._keys: tuple[Any, ...] = (
            # Colors are converted later, when the curve is sampled, because they may be needed as
            # sRGB or as linear light.
            keys
        )
        for key in keys:
            if self._colors:
                color("keys", key)
            else:
                number("keys", key)
        self._at = _places(at, len(keys))

    def __repr__(self) -> str:
        return f"Curve({', '.join(map(repr, self._keys))})"

    def _numbers(self, name: str, *, least: float | None = None) -> Floats:
        """Return the values of a curve of numbers at 65 evenly spaced times. The array has the
        dtype float32 and the shape (65,).

        Raises `ValueError` if the curve consists of colors, or if a value is below ``least``. The
        error message contains ``name``, the name of the parameter.
        """
        if self._colors:
            raise wrong_value(name, "a curve of numbers", self)
        values = self._sampled(np.array(self._keys)[:, None])[:, 0]
        if least is not None and values.min() < least:
            raise ValueError(
                f"{name}: expected a curve of at least {least:g}, got a curve that reaches "
                f"{values.min():g}"
            )
        return values

    def _colors_at(self, name: str, *, as_light: bool = False) -> Floats:
        """Return the colors of a curve at 65 evenly spaced times. The returned array has the dtype
        float32 and the shape (65, 4). The colors are not multiplied by their alpha.

        If ``as_light`` is True, color strings are converted from sRGB to linear color values.
        """
        if not self._colors:
            raise wrong_value(name, "a curve of colors", self)
        keys = np.array([color("keys", key, as_light=as_light) for key in self._keys])
        return np.maximum(self._sampled(keys), np.float32(0))

    def _sampled(self, keys: Doubles) -> Floats:
        shares = np.linspace(0, 1, CELLS + 1)
        piece = np.clip(np.searchsorted(self._at, shares, side="right") - 1, 0, len(keys) - 2)
        share = (shares - self._at[piece]) / (self._at[piece + 1] - self._at[piece])
        progress = ease(self._ease, share)[:, None]
        sampled: Floats = (keys[piece] + (keys[piece + 1] - keys[piece]) * progress).astype(
            np.float32
        )
        return sampled


def _places(at: Sequence[float] | None, count: int) -> Doubles:
    if at is None:
        return np.linspace(0, 1, count)
    shares = numbers("at", at, (None,))
    if len(shares) != count:
        raise ValueError(
            f"at: expected {count} numbers, one for each key, got {len(shares)}: {shown(at)}"
        )
    if shares[0] != 0 or shares[-1] != 1 or (np.diff(shares) <= 0).any():
        raise wrong_value("at", "numbers that ascend from 0 to 1", at)
    return shares


def numbers_of(name: str, value: object, *, least: float | None = None) -> Floats:
    """Return the values of a number or a curve at 65 evenly spaced times. The returned array has
    the dtype float32 and the shape (65,).
    """
    if isinstance(value, Curve):
        return value._numbers(name, least=least)
    return np.full(CELLS + 1, number(name, value, least=least), np.float32)


def colors_of(name: str, value: object, *, as_light: bool = False) -> Floats:
    """Return the values of a color or a color curve at 65 evenly spaced times. The returned array
    has the dtype float32 and the shape (65, 4). The colors are not multiplied by their alpha.
    """
    if isinstance(value, Curve):
        return value._colors_at(name, as_light=as_light)
    return np.tile(
        np.array(color(name, value, least=0, as_light=as_light), np.float32), (CELLS + 1, 1)
    )


def scaled(curve: Curve, factor: float) -> Curve:
    """Return a copy of a curve of numbers, with all values multiplied by ``factor``."""
    larger = Curve.__new__(Curve)
    larger._keys = tuple([factor * key for key in curve._keys])
    larger._at = curve._at
    larger._ease = curve._ease
    larger._colors = curve._colors
    return larger
