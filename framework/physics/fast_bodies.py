"""Keep fast bodies from jumping through thin ones, with Rapier's continuous collision detection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles, Rows

if TYPE_CHECKING:
    from .engines import rapier3d

# A body is fast if it moves further in a step than this fraction of half its thickness.
_SHARE = 0.5
# If contacts are soft, a body that moves farther per step than this many times half its thickness
# sinks in too deep.
_RUSHING = 8.0


class FastBodies:
    """Switches Rapier's continuous collision detection on and off for each body.

    Without continuous collision detection, Rapier stops fast bodies only at static bodies. With
    continuous collision detection, Rapier also stops a fast body at thin moving bodies. Continuous
    collision detection fails between two bodies that both use it. Therefore, a body uses continuous
    detection only while the body is fast.

    Rapier stops a fast body at the surface of a wall, and simulates the contact in the next step.
    Contacts are soft: in the next step, the body sinks into the wall by about 0.6 % of the distance
    that it moves per step. A body that moves many times its own thickness per step would sink
    through a thin wall. While a body is moving that fast, its contacts with static bodies must not
    be soft: see `rushing`.
    """

    def __init__(self) -> None:
        # Four values for each body, by the index of the body. The first is half the thickness in
        # units, or infinity for bodies that are not dynamic. The second says whether continuous
        # collision detection is switched on and off automatically. The others say whether the body
        # is fast now, and whether it moves many times its thickness in a step.
        self._reach: Doubles = np.empty(0)
        self._switched: NDArray[np.bool_] = np.empty(0, bool)
        self._fast: NDArray[np.bool_] = np.empty(0, bool)
        self._rushing: NDArray[np.bool_] = np.empty(0, bool)
        self._any = False
        self.rushing = False
        """True while a body is moving so fast that soft contacts with walls would not stop it."""

    def add(self, index: int, reach: float, switched: bool) -> None:
        """Store the thickness of a new body.

        ``reach`` is half the thickness of the body in units, or infinity if the body is not
        dynamic. If ``switched`` is True, this object decides when the body uses continuous
        collision detection.
        """
        if index >= len(self._reach):
            self._grow(max(index + 1, 2 * len(self._reach), 16))
        self._reach[index] = reach
        self._switched[index] = switched
        self._fast[index] = self._rushing[index] = False
        self._any = self._any or np.isfinite(reach)

    def _grow(self, size: int) -> None:
        """Enlarge the arrays to ``size`` items."""
        unused = np.zeros(size - len(self._reach), bool)
        self._reach = np.concatenate([self._reach, np.full(len(unused), np.inf)])
        self._switched = np.concatenate([self._switched, unused])
        self._fast = np.concatenate([self._fast, unused])
        self._rushing = np.concatenate([self._rushing, unused])

    def reach_of(self, indices: Rows) -> Doubles:
        """Return half the thickness of each body. The value is infinite if a body is not
        dynamic.
        """
        reach: Doubles = np.append(self._reach, np.inf)[np.minimum(indices, len(self._reach))]
        return reach

    def start(self, body: rapier3d.RigidBody, index: int, seconds: float) -> None:
        """Switch continuous collision detection on if the game has set a high speed for the body."""
        if index >= len(self._reach):
            return
        length = _speed(body) * seconds
        if self._switched[index] and length > _SHARE * self._reach[index]:
            self._fast[index] = body.ccd_enabled = True
        self._set_rushing(index, length > _RUSHING * self._reach[index])

    def remove(self, index: int) -> None:
        """Remove the stored values of a body."""
        if index < len(self._reach):
            self._reach[index] = np.inf
            self._set_rushing(index, False)

    def _set_rushing(self, index: int, rushing: bool) -> None:
        if self._rushing[index] != rushing:
            self._rushing[index] = rushing
            self.rushing = bool(self._rushing.any())

    def update(
        self,
        bodies: Any,
        handles: Sequence[Any],
        rows: Rows,
        indices: Rows,
        lengths: Doubles,
        seconds: float,
    ) -> None:
        """Switch continuous collision detection on or off for each body, after a physics step of
        ``seconds``. ``lengths`` contains the distance that each body moved in the step.

        ``rows`` are the indices of the bodies in the list ``handles``. ``indices`` are the indices
        of the same bodies in Rapier.
        """
        if not self._any or not len(indices):
            return
        stored = indices < len(self._reach)
        rows = rows[stored]
        indices = indices[stored]
        lengths = lengths[stored]
        reach = self._reach[indices]
        rushing = lengths > _RUSHING * reach
        # The distance and the velocity may disagree. Rapier may have stopped a moving body, which
        # still has its velocity. Or the game may have moved a body without a velocity.
        for number in np.flatnonzero(self._rushing[indices] != rushing).tolist():
            body = bodies[handles[int(rows[number])]]
            rushing[number] = _speed(body) * seconds > _RUSHING * reach[number]
        self._rushing[indices] = rushing
        self.rushing = bool(self._rushing.any())
        fast = (lengths > _SHARE * reach) | rushing
        changed = np.flatnonzero((fast != self._fast[indices]) & self._switched[indices])
        for number in changed.tolist():
            bodies[handles[int(rows[number])]].ccd_enabled = bool(fast[number])
        self._fast[indices[changed]] = fast[changed]


def _speed(body: rapier3d.RigidBody) -> float:
    x, y, z = body.linvel.to_tuple()
    speed: float = (x * x + y * y + z * z) ** 0.5
    return speed
