"""Move upright boxes until tiles or other boxes stop them.

A body moves first along x, then along y. Long moves are divided into steps of at most one tile, so
that a body does not pass through corners. Along each axis, a body is stopped by the first edge that
it meets, and is placed exactly beside this edge. A float32 position stays float32, and is rounded
away from the edge. Therefore, a body that starts outside all solid tiles and boxes is never moved
into one of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Doubles, Mask, Reals, Rows
from .broadphase import pairs_between
from .moving_boxes import MovingBoxes
from .moving_platforms import carry
from .obstacles import GROUND_TOLERANCE, BoxObstacle, SlopeObstacle, TileObstacle
from .pairwise import one_row
from .single_move import MAX_STEPS, move_one
from .tilegrid import Boxes, Tiles, halves, is_tiles, mask, rows_of, shape_boxes

_ALL = slice(None)


class Flags(NamedTuple):
    """The sides on which each body was stopped by obstacles in one call to `move`. Each attribute
    is a bool array of shape (n,), with one value for each body. If `move` moved a single body, each
    attribute is one bool.
    """

    on_floor: Mask
    """Whether each body is on the ground: it was stopped by a solid tile or box below it."""
    on_ceiling: Mask
    """Whether each body was stopped by a solid tile or box above it."""
    on_left: Mask
    """Whether each body was stopped by a solid tile or box on its left."""
    on_right: Mask
    """Whether each body was stopped by a solid tile or box on its right."""
    crushed: Mask
    """Whether a moving box pushed each body against an obstacle. Such a body is now inside the box,
    or the box has moved past it.
    """

    @property
    def on_wall(self) -> Mask:
        """Whether each body was stopped by a solid tile or box on its left or right."""
        return self.on_left | self.on_right


def move(
    position: ArrayLike,
    size: ArrayLike,
    displacement: ArrayLike,
    *solids: Tiles | Boxes,
    step: float = 0.0,
    through: ArrayLike | None = None,
) -> tuple[Reals, Flags]:
    """Move bodies (upright boxes) until solid tiles or boxes stop them. A body that is stopped
    along one axis still moves along the other axis, so it slides along the obstacle.

    `move` takes a displacement, not a velocity as Godot's ``move_and_slide`` does. Your own code
    computes gravity and jumps, and changes the velocity after a collision.

    Before the bodies move, moving boxes carry the bodies on top of them, and push bodies out of
    their way. Bodies that walk up a slope are lifted onto the slope. Bodies that walk down a slope
    stay on its surface. Bodies do not stop each other.

    Parameters
    ----------
    position
        The centers of the bodies, in units: an array of shape (n, 2). The y axis points up. For a
        single body, pass two numbers, such as the ``position`` of a sprite.
    size
        The widths and heights of the bodies, in units: an array of shape (n, 2), or one row of
        shape (2,) for all bodies.
    displacement
        The movement of each body in this tick, in units: an array of shape (n, 2), or two numbers
        for a single body. Usually, the movement is the velocity times ``dt``.
    solids
        The obstacles. An obstacle is a `TileGrid`, a `TileLayer`, an object with the attributes of
        `Tiles`, or `Boxes`. If a tile of a layer is only partly solid, the bounding boxes of its
        collision shapes stop bodies.
    step
        The height of the highest stair that a body on the ground can climb, in units. Default: 0.
    through
        Whether each body falls through one-way tiles and boxes: a bool array of shape (n,), or one
        bool for all bodies. By default, no body falls through.

    Returns
    -------
    The new positions, an array of shape (n, 2), and the `Flags`. For a single body, the new
    position is an array of shape (2,), and each attribute of the `Flags` is one bool. The returned
    positions are float32 if ``position`` is float32, otherwise float64. A body that starts outside
    all solid tiles and boxes never gets inside, even after rounding.

    A body that starts inside a wall can leave the wall, but cannot move deeper into it. A move goes
    deeper if it leads away from the side on which the way out of the wall is shortest. Such a move
    is stopped, as if the body met the wall from outside. Moves to the side are allowed, so a body
    with its feet in the floor can walk.
    """
    is_single = _is_one_position(position)
    moved = _move_one(position, is_single, size, displacement, solids, step, through)
    if moved is not None:
        return moved
    if is_single:
        if np.shape(displacement) != (2,):
            raise checks.wrong_type("displacement", "two numbers, as for position", displacement)
        row: Any = [position]
        movement: Any = [displacement]
        positions, flags = move(row, size, movement, *solids, step=step, through=through)
        sides: Any = [bool(column[0]) for column in flags]
        return positions[0], Flags(*sides)
    centers = _checked_positions(position)
    n = len(centers)
    half = halves(size, n)
    displacements = rows_of("displacement", displacement, n)
    step = checks.number("step", step, least=0)
    world = MovingBoxes(centers, half, _checked_through(through, n))
    moving = [
        solid for solid in solids if isinstance(solid, Boxes) and solid.displacement is not None
    ]
    pushed = sum(boxes.furthest for boxes in moving)
    for solid in solids:
        _put(world, solid, displacements, step + pushed)
    crushed = np.zeros(n, bool)
    for boxes in moving:
        crushed |= carry(world, boxes)
    _go(world, displacements, step, _pitch(solids, half))
    (left, right), (floor, ceiling) = world.touched
    positions = np.column_stack(world.bodies.at).astype(centers.dtype, copy=False)
    return positions, Flags(floor, ceiling, left, right, crushed)


def _is_one_position(position: object) -> bool:
    if isinstance(position, np.ndarray):
        return bool(position.shape == (2,))
    if not isinstance(position, tuple | list) or len(position) != 2:
        return False
    return all(isinstance(number, float | int | np.number) for number in position)


def _move_one(
    position: Any,
    is_single: bool,
    size: ArrayLike,
    displacement: Any,
    solids: tuple[Tiles | Boxes, ...],
    step: float,
    through: ArrayLike | None,
) -> tuple[Reals, Flags] | None:
    """Move one body with Python's floats, which takes less time than NumPy. ``position`` is a single
    position, or an array with one row. Return None if `move` must check the arguments and move the
    body.
    """
    is_array = isinstance(position, np.ndarray)
    is_row = (
        position.ndim == 2 if is_array else type(position) in (list, tuple) and len(position) == 1
    )
    if not is_row and not is_single:
        return None
    center = one_row(position, 2)
    if center is None:
        return None
    movement = one_row(displacement, 2)
    dimensions = one_row(size, 2)
    if isinstance(through, np.ndarray):
        through = bool(through[0]) if through.dtype == bool and through.shape == (1,) else 0
    if (
        movement is None
        or (is_single and len(displacement) != 2)
        or dimensions is None
        or (type(step) is not float and type(step) is not int)
        or (through is not None and through is not True and through is not False)
    ):
        return None
    row = position if is_array or is_single else position[0]
    is_small = isinstance(row, np.ndarray) and row.dtype == np.float32
    result = move_one(center, dimensions, movement, solids, step, bool(through), is_small)
    if result is None:
        return None
    x, y, *sides = result
    dtype = np.float32 if is_small else np.float64
    if is_single:
        single: Any = (*sides, False)
        return np.array((x, y), dtype), Flags(*single)
    floor, ceiling, left, right = [np.array([side]) for side in sides]
    return np.array([[x, y]], dtype), Flags(floor, ceiling, left, right, np.array([False]))


def _checked_positions(position: ArrayLike) -> Reals:
    """Return ``position`` as an array of shape (n, 2): float32 if it is float32, otherwise
    float64.
    """
    if hasattr(position, "position"):
        raise checks.wrong_type("position", "positions, such as sprite.position", position)
    centers = np.asarray(position)
    if centers.dtype == np.float32:
        return checks.numbers("position", centers, (None, 2), dtype=np.float32)
    return checks.numbers("position", position, (None, 2))


def _checked_through(through: ArrayLike | None, n: int) -> Mask | None:
    if through is None:
        return None
    every = isinstance(through, bool | np.bool_)
    return mask("through", np.full(n, through) if every else through, (n,))


def _put(world: MovingBoxes, solid: Tiles | Boxes, displacement: Doubles, beyond: float) -> None:
    """Add ``solid`` (tiles or boxes) to the obstacles of ``world``. For tiles that are only partly
    solid, the bounding boxes of their shapes are added.

    ``displacement`` is the movement of the bodies. ``beyond`` is the distance in units by which
    stairs and moving boxes may move a body in addition.
    """
    if isinstance(solid, Boxes):
        _put_boxes(world, solid, displacement, beyond)
        return
    if not is_tiles(solid):
        expected = (
            "a TileGrid, Boxes, or an object with solid (bool (h, w)), tile_size and position"
        )
        raise checks.wrong_type("solids", expected, solid)
    warn = getattr(solid, "_warn_of_collision", None)
    if warn is not None:
        warn(stacklevel=3)
    tiles = TileObstacle(solid)
    tiles.find_inside(world.bodies)
    world.obstacles.append(tiles)
    lift = 0.0
    slopes: Doubles | None = getattr(solid, "slopes", None)
    if slopes is not None and slopes.any():
        ground = SlopeObstacle(solid, slopes)
        world.obstacles.append(ground)
        world.slopes.append(ground)
        lift = ground.steepness * float(np.abs(displacement[:, 0]).max(initial=0))
    boxes = shape_boxes(solid)
    if len(boxes):
        parts = Boxes.between(boxes[:, :2], boxes[:, 2:])
        _put_boxes(world, parts, displacement, beyond + lift)


def _put_boxes(world: MovingBoxes, solid: Boxes, displacement: Doubles, beyond: float) -> None:
    if not len(world.bodies.at[0]):
        return
    half = np.column_stack(world.bodies.half)
    middle = np.column_stack(world.bodies.at)
    farthest: Doubles = np.abs(displacement).max(axis=1, initial=0, keepdims=True)
    spare = beyond + farthest + 2 * GROUND_TOLERANCE * half
    low = middle + np.minimum(displacement, 0) - half - spare
    high = middle + np.maximum(displacement, 0) + half + spare
    pairs = pairs_between(low, high, solid.low, solid.high)
    if len(pairs):
        boxes = BoxObstacle(solid, pairs)
        boxes.find_inside(world.bodies)
        world.obstacles.append(boxes)


def _pitch(solids: tuple[Tiles | Boxes, ...], half: Doubles) -> Doubles | float:
    """Return the largest distance that a body moves in one step: the size of a tile. If there are
    no tiles, return the size of the body.
    """
    tiles = [min(solid.tile_size) for solid in solids if not isinstance(solid, Boxes)]
    return min(tiles) if tiles else np.maximum(2 * half.min(axis=1), 1e-9)


def _go(world: MovingBoxes, displacement: Doubles, step: float, pitch: Doubles | float) -> None:
    x, y = (np.ascontiguousarray(displacement[:, axis]) for axis in (0, 1))
    uneven = bool(step or world.slopes)
    # A body that is not falling counts as standing if an obstacle is directly below it.
    standing = world.standing() if uneven or not y.all() else np.zeros(len(x), bool)
    if standing.any():
        world.touched[1][0][:] = standing & (y == 0)
    steps = np.ceil(np.maximum(np.abs(x), np.abs(y)) / pitch)
    if steps.max(initial=0) <= 1:
        world.step(x, y, _ALL, step, standing)
    else:
        _go_in_steps(world, displacement, np.clip(steps, 1, MAX_STEPS), step, standing)
    if uneven:
        rows = np.flatnonzero(standing & (y <= 0) & ~world.touched[1][0])
        steepness = max([slopes.steepness for slopes in world.slopes], default=0.0)
        lift = np.abs(x[rows]) * steepness
        world.keep_to_the_ground(
            rows, step + lift + 2 * GROUND_TOLERANCE * world.bodies.half[1][rows]
        )


def _go_in_steps(
    world: MovingBoxes, displacement: Doubles, steps: Doubles, step: float, standing: Mask
) -> None:
    """Divide the movement of each body into ``steps`` equal parts, and move the bodies part by
    part. A body that is stopped along an axis does not move further along this axis.
    """
    x_left, y_left = (displacement[:, axis].copy() for axis in (0, 1))
    rows: Rows | slice = _ALL
    for number in range(int(steps.max())):
        if number:
            rows = np.flatnonzero((steps > number) & ((x_left != 0) | (y_left != 0)))
        hit, y_hit = world.step(
            x_left[rows] / steps[rows], y_left[rows] / steps[rows], rows, step, standing
        )
        x_left[rows] = np.where(hit, 0.0, x_left[rows])
        y_left[rows] = np.where(y_hit, 0.0, y_left[rows])
