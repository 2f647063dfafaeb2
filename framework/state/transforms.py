"""Where things are: columns of previous and current poses, and what is drawn between the two.

Interpolated columns keep two states: ``current``, which the game writes, and ``previous``, a copy
taken at the start of each tick. What is drawn is their blend by alpha, or another of the formulas
in `motion`. The shaders ``include/pose2d.glsl`` and ``include/pose3d.glsl`` compute the same from
the same numbers; `model_matrices` is their CPU side.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats, Rows, row_indices
from ..checks import instance
from .columns import Cells, Column, Table
from .motion import Predictions, hermite


class Transforms(Table):
    """What poses in the plane and in space have in common: a table of poses, and the motion that
    they are drawn by.

    ``pose`` are the columns of a pose, ``speeds`` those of its velocities where the motion knows of
    any. With ``predictions``, the columns ``observed`` are extrapolated from.
    """

    __slots__ = ("motion", "timed")

    _rows_can_be_saved: ClassVar[bool] = True

    velocity = Cells[Floats](
        "Units a simulated second, where the motion knows of it: float32 (n, 2) or (n, 3)."
    )
    spin = Cells[Floats](
        "Radians a simulated second, where the motion knows of it: float32 (n,) or (n, 3)."
    )

    observer: Predictions | None

    def __init__(
        self,
        motion: str,
        pose: tuple[Column, ...],
        speeds: tuple[Column, ...],
        predictions: Predictions | None,
        observed: tuple[Column, ...],
    ) -> None:
        super().__init__((*pose, *speeds), observer=predictions, observed=observed)
        self.motion = motion
        """How they are drawn between ticks."""
        self.timed = motion in ("hermite", "extrapolate")
        """Whether the shader must know `motion_uniform`."""

    @property
    def _table(self) -> Table:
        return self

    @property
    def motion_uniform(self) -> tuple[float, float, float, float]:
        """What the shader needs, seconds: the clock at alpha 0, from there to alpha 1, the limit,
        the blend time.
        """
        if self.observer is not None:
            limits = self.observer.limits
            return self.observer.clock, self.observer.tick_time, limits.limit, limits.blend_time
        return 0.0, self.tick.length, 0.0, 0.0

    def teleport(self, rows: ArrayLike | slice = slice(None)) -> None:
        """Draw ``rows`` (indices, a mask, a slice; all unless told) where this tick leaves them, at
        rest. Before or after moving them is the same."""
        indices = row_indices(rows, self.count)
        if isinstance(indices, slice) or len(indices):
            self.mark_teleported(indices)

    def missing(self, name: str) -> str:
        """Why there is no such column, in words."""
        if name not in ("velocity", "spin"):
            return super().missing(name)
        hint = f", or with columns=({name!r},)" if self._may_be_told else ""
        which = (
            "'hermite' or 'extrapolate'"
            if name == "velocity" or self._turns_by_spin
            else "'extrapolate'"
        )
        return (
            f"{name}: things drawn by motion={self.motion!r} have none; make them with "
            f"motion={which}{hint}"
        )

    _turns_by_spin = False  # whether "hermite" knows of spins too
    _may_be_told = False  # whether sprites may have it as a column of the game's own

    def pose(self, alpha: float) -> tuple[Floats, Floats, Floats]:
        """Where rows are drawn at ``alpha``."""
        raise NotImplementedError

    def model_matrices(self, alpha: float, out: Floats | None = None) -> Floats:
        """The model matrices that the shader computes at ``alpha``: scale, then rotation, then
        translation.

        Returns float32 (n, 4, 4) in pyrr's layout (row vectors: ``v @ m``, the translation in the
        last row), which in memory is what GLSL's column-major ``mat4`` expects. ``out`` is filled
        and returned when given.
        """
        return self._matrices(self.pose(alpha), out)

    def _matrices(self, pose: tuple[Floats, Floats, Floats], out: Floats | None) -> Floats:
        raise NotImplementedError

    def _as_they_are(self, alpha: float) -> bool:
        """Whether rows are drawn at their current poses: without a rounding that depends on the
        previous ones.
        """
        return self.motion == "none" or (alpha == 1 and self.observer is None)

    def predicted(self, rows: Rows | slice) -> Floats:
        """The states that rows are extrapolated from."""
        assert self.observer is not None
        states: Floats = self.observer.column.current(self.count)[rows]
        return states

    def curve(self, old: list[Any], new: list[Any], velocity: int, alpha: float) -> Floats:
        """The positions on the cubic that velocities bend; ``velocity`` is the number of their
        column.
        """
        time = np.float32(self.tick.length)
        return hermite(old[0], new[0], old[velocity] * time, new[velocity] * time, alpha)


def checked_out(out: Floats | None, n: int) -> Floats:
    """Room for ``n`` model matrices. Raises `ValueError` when what is given is none."""
    if out is None:
        return np.empty((n, 4, 4), np.float32)
    instance("out", out, np.ndarray, what=f"float32 of shape {(n, 4, 4)}")
    if out.shape != (n, 4, 4) or out.dtype != np.float32:
        raise ValueError(
            f"out: expected float32 of shape {(n, 4, 4)}, got {out.dtype} of shape {out.shape}"
        )
    return out
