"""Upright boxes that move through tiles and boxes, are stopped by them and slide along them: all at
once.

A body goes along x, then along y, in steps of at most one tile, so that it cuts no corner; along an
axis it is stopped by the first edge that it comes upon, and put beside it: exactly, whatever the
numbers are, and rounded away from it in the precision of the column (float32 stays float32). So
what is outside of everything solid never is inside.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Doubles, Mask, Reals, Rows
from .bodies import NEAR, Bodies
from .broadphase import pairs_between
from .obstacles import BoxObstacle, SlopeObstacle, TileObstacle
from .platforms import carry
from .tilegrid import Boxes, Tiles, halves, is_tiles, mask, rows_of

# Steps that a displacement is cut into, at most; longer ones go further at once along each axis.
_MOST_STEPS = 32

_ALL = slice(None)


class Flags(NamedTuple):
    """What bodies came up against when they moved, (n,) bools each."""

    on_floor: Mask
    """Held from below: they stand on something."""
    on_ceiling: Mask
    """Held from above."""
    on_left: Mask
    """Held by something on their left."""
    on_right: Mask
    """Held by something on their right."""
    crushed: Mask
    """Pushed by a box that moves, and held by something else: they are in that box, or it went over
    them.
    """

    @property
    def on_wall(self) -> Mask:
        """Held on either side."""
        return self.on_left | self.on_right


def move(
    position: ArrayLike,
    size: ArrayLike,
    displacement: ArrayLike,
    *solids: Tiles | Boxes,
    step: float = 0.0,
    through: ArrayLike | None = None,
) -> tuple[Reals, Flags]:
    """Move upright boxes; what is solid stops them, and they slide along it.

    Parameters
    ----------
    position
        Their middles: (n, 2), units, y up.
    size
        Their widths and heights: (n, 2), or (2,) for all.
    displacement
        How far they go in this tick: velocity times dt, (n, 2).
    solids
        `TileGrid` or what else is like `Tiles`, and `Boxes`; what is in an earlier one and a later
        one is in both.
    step
        Who stands on the ground goes up and down stairs of at most this height.
    through
        (n,) bools, or one for all: who drops through what is one-way.

    Returns
    ------- The new positions (n, 2), float32 if they were, else float64, and `Flags`. Nobody who
    was outside of all that is solid is inside it then, to the last bit; who was inside may leave
    it, and comes no deeper.

    Who stands on a box that moves goes with it first, and who is in its way is pushed, up slopes
    too. Slopes lift who walks into them, and who walks down one keeps to it. Bodies do not see each
    other.
    """
    place = np.asarray(position)
    place = checks.numbers(
        "position", place if place.dtype == np.float32 else position, (None, 2), dtype=_real(place)
    )
    n = len(place)
    half = halves(size, n)
    way = rows_of("displacement", displacement, n)
    step = checks.number("step", step, least=0)
    every = isinstance(through, bool | np.bool_)
    dropping = (
        None
        if through is None
        else mask("through", np.full(n, through) if every else through, (n,))
    )
    world = Bodies(place, half, dropping)
    moving = [
        solid for solid in solids if isinstance(solid, Boxes) and solid.displacement is not None
    ]
    pushed = sum(boxes.furthest for boxes in moving)
    for solid in solids:
        _put(world, solid, way, step + pushed)
    crushed = np.zeros(n, bool)
    for boxes in moving:
        crushed |= carry(world, boxes)
    _go(world, way, step, _pitch(solids, half))
    (left, right), (floor, ceiling) = world.touched
    moved = np.column_stack(world.bodies.at).astype(place.dtype, copy=False)
    return moved, Flags(floor, ceiling, left, right, crushed)


def _real(array: Reals) -> type[np.floating]:
    return np.float32 if array.dtype == np.float32 else np.float64


def _put(world: Bodies, solid: Tiles | Boxes, way: Doubles, beyond: float) -> None:
    """Have bodies that go by ``way``, and some ``beyond`` it, come up against it."""
    if isinstance(solid, Boxes):
        half = np.column_stack(world.bodies.half)
        middle = np.column_stack(world.bodies.at)
        farthest: Doubles = np.abs(way).max(axis=1, initial=0, keepdims=True)
        spare = beyond + farthest + 2 * NEAR * half
        low = middle + np.minimum(way, 0) - half - spare
        high = middle + np.maximum(way, 0) + half + spare
        near = pairs_between(low, high, solid.low, solid.high)
        if len(near):
            world.obstacles.append(BoxObstacle(solid, near))
    elif is_tiles(solid):
        world.obstacles.append(TileObstacle(solid))
        slopes: Doubles | None = getattr(solid, "slopes", None)
        if slopes is not None and slopes.any():
            ground = SlopeObstacle(solid, slopes)
            world.obstacles.append(ground)
            world.slopes.append(ground)
    else:
        what = "a TileGrid, Boxes, or what has solid (bool (h, w)), tile_size and position"
        raise checks.wrong_type("solids", what, solid)


def _pitch(solids: tuple[Tiles | Boxes, ...], half: Doubles) -> Doubles | float:
    """How far bodies may go in one step: a tile, or their own size where there are none."""
    tiles = [min(solid.tile_size) for solid in solids if not isinstance(solid, Boxes)]
    return min(tiles) if tiles else np.maximum(2 * half.min(axis=1), 1e-9)


def _go(world: Bodies, way: Doubles, step: float, pitch: Doubles | float) -> None:
    x, y = (np.ascontiguousarray(way[:, axis]) for axis in (0, 1))
    uneven = bool(step or world.slopes)
    # Who does not fall stands where something is right under it.
    standing = world.standing() if uneven or not y.all() else np.zeros(len(x), bool)
    if standing.any():
        world.touched[1][0][:] = standing & (y == 0)
    steps = np.ceil(np.maximum(np.abs(x), np.abs(y)) / pitch)
    most = int(min(steps.max(initial=0), _MOST_STEPS))
    if most <= 1:
        world.step(x, y, _ALL, step, standing)
    else:
        left, above = x.copy(), y.copy()
        steps = np.clip(steps, 1, _MOST_STEPS)
        rows: Rows | slice = _ALL
        for number in range(most):
            if number:
                rows = np.flatnonzero((steps > number) & ((left != 0) | (above != 0)))
            hit, held = world.step(
                left[rows] / steps[rows], above[rows] / steps[rows], rows, step, standing
            )
            left[rows], above[rows] = (
                np.where(hit, 0.0, left[rows]),
                np.where(held, 0.0, above[rows]),
            )
    if uneven:
        rows = np.flatnonzero(standing & (y <= 0) & ~world.touched[1][0])
        steepness = max([slopes.steepness for slopes in world.slopes], default=0.0)
        world.keep_to_the_ground(
            rows, step + np.abs(x[rows]) * steepness + 2 * NEAR * world.bodies.half[1][rows]
        )
