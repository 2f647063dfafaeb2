"""Coyote time and jump buffering, which make jumps in platformers easier to time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Doubles, Mask


class JumpTimer:
    """A timer for coyote time and jump buffering, two rules that make jumps easier for players. A
    `JumpTimer` works for one body or for n bodies.

        self.jumps = collide.JumpTimer()
        …
        jumping = self.jumps.update(dt, flags.on_floor, self.keys.just_pressed("space"))
        self.velocity[jumping, 1] = 320

    Coyote time: a body can still jump for ``coyote`` seconds after it walks off an edge. Jump
    buffering: if the player presses jump at most ``buffer`` seconds before landing, the body jumps
    when it lands. Each press of the button causes at most one jump. After leaving the ground, a
    body can jump at most once before it lands. ``coyote`` and ``buffer`` are 0.1 seconds by
    default, because players do not notice such a short delay.
    """

    def __init__(self, coyote: float = 0.1, buffer: float = 0.1) -> None:
        self.coyote = checks.number("coyote", coyote, least=0)
        self.buffer = checks.number("buffer", buffer, least=0)
        # For each body: the seconds since it stood, and the seconds since the player requested a
        # jump. Both are infinite after a jump.
        self._grounded: Doubles = np.empty(0)
        self._asked: Doubles = np.empty(0)

    def update(self, dt: float, on_floor: ArrayLike, pressed: ArrayLike) -> Mask:
        """Advance the timer by ``dt`` seconds, and return which bodies jump in this tick: a bool
        array of shape (n,).

        Call `update` once per tick. ``on_floor`` and ``pressed`` are bool arrays of shape (n,), or
        one bool for all bodies.

        Parameters
        ----------
        on_floor
            Whether each body is on the ground, for example `Flags.on_floor`.
        pressed
            Whether the player pressed the jump button in this tick.
        """
        dt = checks.number("dt", dt, least=0)
        standing, requested = np.broadcast_arrays(
            _bools("on_floor", on_floor), _bools("pressed", pressed)
        )
        if len(self._grounded) != len(standing):  # the number of bodies has changed
            self._grounded = np.full(len(standing), np.inf)
            self._asked = np.full(len(standing), np.inf)
        self._grounded = np.where(standing, 0.0, self._grounded + dt)
        self._asked = np.where(requested, 0.0, self._asked + dt)
        # The times are sums of tick lengths, so allow for rounding errors.
        stood_recently = self._grounded <= self.coyote * (1 + 1e-9)
        pressed_recently = self._asked <= self.buffer * (1 + 1e-9)
        jumping: Mask = stood_recently & pressed_recently
        self._grounded[jumping] = self._asked[jumping] = np.inf
        return jumping


def _bools(name: str, value: Any) -> Mask:
    array = np.atleast_1d(np.asarray(value))
    if array.dtype != bool or array.ndim != 1:
        raise checks.wrong_type(name, "bools of shape (n,), or one", value)
    return array
