"""Effects: change the sound of a bus, such as a filter or an echo."""

from __future__ import annotations

from typing import Any

from ..arrays import Floats


def run(effect: Any, line: Floats | None, block: Floats, side: Floats | None, first: int) -> None:
    """Apply an effect to ``block`` in place. ``block`` is float32 (2, n): left and right.

    ``effect`` is a row of the effects of a table, which keeps the state of the effect. ``line`` is
    the delay memory of the effect, float32 (2, size). The memory of the sample s of the mix is at
    the index s modulo size. ``side`` is the sound of the group that the effect listens to.
    ``first`` is the sample of the mix at which the block begins.
    """
    if effect["kind"] == 0:
        return
