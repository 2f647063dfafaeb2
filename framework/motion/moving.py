"""Columns that move rows by themselves: velocity, acceleration, spin and damping."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..arrays import Floats
from ..checks import number, shown, wrong_type
from ..geometry import exact
from ..state.columns import Cells, Column, Table

OPTIONAL = {"velocity": 2, "acceleration": 2, "spin": 1, "damping": 1}
"""Columns that a batch has if it is told so, and how wide they are."""


def optional_columns(name: str, value: str | Iterable[str], there: tuple[str, ...]) -> list[Column]:
    """The columns of some names, without those that are ``there``. Raises `TypeError` or
    `ValueError` for others.
    """
    if isinstance(value, str):
        value = (value,)
    try:
        names = list(value)
    except TypeError:
        raise wrong_type(name, "names of columns", value) from None
    for one in names:
        if not isinstance(one, str) or one not in OPTIONAL:
            raise ValueError(f"{name}: expected some of {', '.join(OPTIONAL)}, got {shown(one)}")
    wanted = {one: width for one, width in OPTIONAL.items() if one in names and one not in there}
    return [Column(one, width, 0.0, interpolated=False) for one, width in wanted.items()]


class Moving:
    """A batch of poses in the plane whose rows `move`."""

    __slots__ = ()

    _table: Table

    acceleration = Cells[Floats](
        "Units a second, each second: float32 (n, 2); a column that is asked for."
    )
    damping = Cells[Floats](
        "Which share of its speed is lost, 1/s: float32 (n,); a column that is asked for."
    )

    def move(self, dt: float) -> None:
        """Move all rows by a tick: semi-implicit Euler.

        The velocity changes by ``acceleration``, then it and ``spin`` are damped, by exp(-damping ·
        dt), and then the position changes by ``velocity`` and the angle by ``spin``. Which of these
        columns there are is for the batch to say: ``SpriteBatch(…, columns=("velocity",
        "damping"))``. The same on every machine. Raises `AttributeError` where there is neither a
        velocity nor a spin.
        """
        dt = number("dt", dt, least=0)
        table = self._table
        if table.holes:
            table.close_holes()
        n, step = table.count, np.float32(dt)
        there = [name for name in OPTIONAL if table.has(name)]
        found: dict[str, Floats] = {name: table.column(name).values(n) for name in there}
        if "velocity" not in found and "spin" not in found:
            raise AttributeError(f"move: {table.missing('velocity')}")
        if "acceleration" in found and "velocity" in found:
            found["velocity"] += found["acceleration"] * step
        if "damping" in found:
            kept: Floats = exact.exp(found["damping"] * -step)
            for name in ("velocity", "spin"):
                if name in found:
                    found[name] *= kept[:, None] if name == "velocity" else kept
        for name, moved in (("velocity", "position"), ("spin", "angle")):
            if name in found:
                column: Floats = table.column(moved).values(n)
                column += found[name] * step
