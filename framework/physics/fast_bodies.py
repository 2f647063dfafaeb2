"""Fast bodies: continuous collision detection for bodies that move far in a step, compared with
their size.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles, Rows

if TYPE_CHECKING:
    from .engines import rapier3d

_SHARE = 0.5  # a body is fast if it moves further than this share of its half thickness in a step


class FastBodies:
    """Switches Rapier's continuous collision detection of bodies on and off.

    Rapier stops all bodies at static bodies. With continuous collision detection, Rapier stops a
    body at thin bodies that can move, too. This does not work if both bodies use continuous
    collision detection. Therefore a body uses continuous collision detection only while the body is
    fast.
    """

    def __init__(self) -> None:
        # By the index of the body: half the thickness in units (infinite if the body is not
        # switched), and whether the body is fast now.
        self._reach: Doubles = np.empty(0)
        self._fast: NDArray[np.bool_] = np.empty(0, bool)
        self._any = False

    def add(self, index: int, reach: float) -> None:
        """Store a new body. ``reach`` is half the thickness of the body in units, or infinite if
        the detection is never switched for this body.
        """
        if index >= len(self._reach):
            growth = max(index + 1, 2 * len(self._reach), 16) - len(self._reach)
            self._reach = np.concatenate([self._reach, np.full(growth, np.inf)])
            self._fast = np.concatenate([self._fast, np.zeros(growth, bool)])
        self._reach[index] = reach
        self._fast[index] = False
        self._any = self._any or np.isfinite(reach)

    def start(self, body: rapier3d.RigidBody, index: int, seconds: float) -> None:
        """Switch the detection on if the velocity that the game has set makes the body fast."""
        x, y, z = body.linvel.to_tuple()
        length = (x * x + y * y + z * z) ** 0.5 * seconds
        if index < len(self._reach) and length > _SHARE * self._reach[index]:
            self._fast[index] = body.ccd_enabled = True

    def update(
        self, bodies: Any, handles: Sequence[Any], rows: Rows, indices: Rows, lengths: Doubles
    ) -> None:
        """Switch detection on or off for bodies that moved by ``lengths`` units in a step.

        ``rows`` are the indices of the bodies in ``handles``, and ``indices`` are Rapier's own
        indices of these bodies.
        """
        if not self._any or not len(indices):
            return
        switched = indices < len(self._reach)
        rows, indices, lengths = rows[switched], indices[switched], lengths[switched]
        fast = lengths > _SHARE * self._reach[indices]
        changed = np.flatnonzero(fast != self._fast[indices])
        for number in changed.tolist():
            bodies[handles[int(rows[number])]].ccd_enabled = bool(fast[number])
        self._fast[indices[changed]] = fast[changed]
