"""One-way platforms in Rapier: tiles that stop bodies only from above."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from ..geometry import tileedges
from ..geometry.tilegrid import Tiles
from .engines import rapier3d
from .rapier_shapes2d import LINE, block

if TYPE_CHECKING:
    from .rapier_engine import Body

# In tile heights; a body that is at most this far below a tile's top is still standing on the tile.
_DEPTH = 1 / 8
# In tile heights; a body that is this far below a tile's top is no longer standing on the tile.
_LOST = 1 / 2
_LIFT = 0.002  # how many meters a platform is higher, so that bodies slide from it onto solid tiles
_STEEPEST = 0.5  # a contact with a smaller y of the normal, as at the ends, stops no body

_HELD = "held"
_RISING = "rising"
_DROPPING = "dropping"


class OneWayTiles:
    """Manages the one-way platforms in a Rapier world. Rapier calls the methods of this class for
    each contact with a platform.

    A platform is a row of adjacent one-way tiles. In Rapier, a platform is a rectangle below the
    top edge of the tiles. When a body comes near a platform, `OneWayTiles` decides whether the
    platform stops the body. While a body is near a platform, these rules apply:

    - If a body is above the top of the platform, the platform stops the body.
    - If a body is below the top, the body passes through the platform until it is above the top.
    - After `let_fall`, a body passes through the platform until it is below the top.
    """

    _not_hashed = ("_handles", "_near")

    def __init__(self, meter: float) -> None:
        self._meter = meter
        # The top and the height of the tiles. The key is the index of the platform's collider.
        self._ledges: dict[int, tuple[float, float]] = {}
        # What a platform does with a body's collider. The key contains the indices of both
        # colliders.
        self._pairs: dict[tuple[int, int], str] = {}
        # The pairs of colliders that were near each other in this step.
        self._near: list[tuple[int, int]] = []
        # The handles of the colliders in `_pairs`.
        self._handles: dict[int, rapier3d.ColliderHandle] = {}

    def builders(self, tiles: Tiles) -> list[rapier3d.ColliderBuilder]:
        """Return Rapier's builders for the one-way platforms of a tile grid."""
        _, height = tiles.tile_size
        tops: list[list[tuple[float, float]]] = tileedges.tops(tiles).tolist()
        hooks = rapier3d.ActiveHooks
        return [
            block((left, y - height * _LOST, right, y + _LIFT * self._meter), self._meter)
            .active_hooks(hooks.FILTER_CONTACT_PAIRS | hooks.MODIFY_SOLVER_CONTACTS)
            .user_data(_number_of(height))
            for (left, y), (right, _) in tops
        ]

    def add(self, world: rapier3d.PhysicsWorld, wall: Body) -> None:
        """Find the platforms among the colliders of a new wall, and store these platforms."""
        for handle in world.rigid_bodies[wall].colliders:
            collider = world.colliders[handle]
            if collider.user_data > LINE:
                top = collider.compute_aabb().maxs.to_tuple()[1]
                self._ledges[handle.index] = top, _height_of(collider.user_data)

    def forget(self, colliders: Iterable[int]) -> None:
        """Remove all decisions for removed colliders. Rapier may use the indices of removed
        colliders for new colliders.
        """
        removed = {*colliders}
        for index in removed:
            self._ledges.pop(index, None)
        self._pairs = {
            pair: state for pair, state in self._pairs.items() if removed.isdisjoint(pair)
        }

    def let_fall(self, colliders: Iterable[int]) -> bool:
        """Let a body fall through the platforms on which it is standing.

        Return True if a platform was supporting the body.
        """
        falling = {*colliders}
        pairs = [
            pair for pair, state in self._pairs.items() if state == _HELD and pair[1] in falling
        ]
        self._pairs.update(dict.fromkeys(pairs, _DROPPING))
        return bool(pairs)

    def end_step(self, world: rapier3d.PhysicsWorld) -> None:
        """Remove the decisions for bodies that are no longer near a platform. Decisions for
        sleeping bodies remain, because Rapier does not report the contacts of sleeping bodies.
        """
        if self._pairs:
            near = {*self._near}
            self._pairs = {
                pair: state
                for pair, state in self._pairs.items()
                if pair in near or self._sleeps(world, pair[1])
            }
            self._handles = {index: self._handles[index] for _, index in self._pairs}
        self._near.clear()

    def _sleeps(self, world: rapier3d.PhysicsWorld, index: int) -> bool:
        parent = world.colliders[self._handles[index]].parent
        return parent is not None and world.rigid_bodies[parent].is_sleeping

    # -- called by Rapier --------------------------------------------------------------------------

    def has_platform(self, *colliders: int) -> bool:
        """Return whether one of ``colliders``, a list of collider indices, is a platform."""
        return any(index in self._ledges for index in colliders)

    def filter_contact_pair(
        self, context: rapier3d.PairFilterContext
    ) -> rapier3d.SolverFlags | None:
        """Called by Rapier when two colliders come near each other. Return flags for Rapier, or
        None if a body must pass through a platform.
        """
        first = context.collider1
        second = context.collider2
        platform, body_part = (first, second) if first.index in self._ledges else (second, first)
        if platform.index not in self._ledges:
            return rapier3d.SolverFlags.COMPUTE_IMPULSES
        pair = platform.index, body_part.index
        bottom: float = context.colliders[body_part].compute_aabb().mins.to_tuple()[1]
        state = self._decide(pair, bottom)
        self._pairs[pair] = state
        self._handles[body_part.index] = body_part
        self._near.append(pair)
        return rapier3d.SolverFlags.COMPUTE_IMPULSES if state == _HELD else None

    def _decide(self, pair: tuple[int, int], bottom: float) -> str:
        top, height = self._ledges[pair[0]]
        floor = top - height * _DEPTH
        state = self._pairs.get(pair)
        if state is None:
            return _HELD if bottom >= floor else _RISING
        if state == _HELD:
            return _HELD if bottom >= top - height * _LOST else _RISING
        if state == _RISING:
            return _HELD if bottom >= top else _RISING
        return _DROPPING if bottom >= floor else _RISING

    def modify_solver_contacts(self, context: rapier3d.ContactModificationContext) -> None:
        """Remove the contacts with the left and right ends of a platform. Bodies are not stopped by
        the ends of a platform.
        """
        if abs(context.normal.y) < _STEEPEST:
            context.clear_solver_contacts()


def _number_of(height: float) -> int:
    """Convert a height to an integer with the same bits, because Rapier's ``user_data`` can store
    only integers.
    """
    return int(np.float64(height).view(np.uint64))


def _height_of(number: int) -> float:
    return float(np.uint64(number).view(np.float64))
