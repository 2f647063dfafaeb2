"""Move a single upright box until tiles or boxes stop it, faster than `move_and_slide`.

Every NumPy call takes about a microsecond, even for a single number. For one body, `move_one`
therefore uses Python's floats, and takes less time than `move_and_slide.move`. Both functions give
exactly the same results, because they perform the same operations in the same order. `move_one`
returns None in cases that it does not support: slopes, stairs in the path of the body, moving boxes
near the body, and bodies that start inside a box.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..arrays import Mask
from .obstacles import GROUND_TOLERANCE
from .penetration import MAX_RUN
from .tilegrid import Boxes, Tiles, is_tiles, shape_boxes

MAX_STEPS = 32
"""The maximum number of steps into which a displacement is divided. In a longer displacement, the
steps are longer.
"""

_MAX_COVERED = 64  # if a body covers more tiles, `move_and_slide.move` moves the body
_MAX_INDEX = 2.0**50  # the maximum index of a tile; floats represent larger indices with errors

Moved = tuple[float, float, bool, bool, bool, bool]
"""The x and y of a body, then four bools: whether obstacles below, above, on the left and on the
right stopped the body.
"""

_float32 = np.float32


class _Body:
    """A single body that moves between obstacles. Lists such as ``at`` contain one value for each
    axis.
    """

    __slots__ = ("at", "half", "is_small", "obstacles", "through", "touched")

    def __init__(
        self, at: list[float], half: tuple[float, float], through: bool, is_small: bool
    ) -> None:
        self.at = at
        self.half = half
        self.through = through
        self.is_small = is_small  # True if positions are float32
        self.obstacles: list[_TileStop | _BoxStop] = []
        # Whether obstacles stopped the body. The first index is the axis, and the second is the
        # side (lower, upper).
        self.touched = [[False, False], [False, False]]

    def advance(self, axis: int, distance: float) -> bool:
        """Move the body along one axis. Return whether an obstacle stopped the body. See
        `MovingBoxes.advance`.
        """
        start = self.at[axis]
        sign = math.copysign(1.0, distance)
        reach = self.half[axis] * sign
        target = self.rounded(start + distance)
        start_edge = start + reach
        target_edge = target + reach
        middle = self.at[1 - axis]
        other_half = self.half[1 - axis]
        low = middle - other_half
        high = middle + other_half
        hit = False
        for obstacle in self.obstacles:
            if (
                isinstance(obstacle, _TileStop)
                and obstacle.overlaps_start
                and distance
                and obstacle.is_deeper(self, axis, sign)
            ):
                hit = True
                target_edge = start_edge
                target = start
            edge = obstacle.stop(axis, sign, start_edge, target_edge, low, high, self.through)
            if edge is not None:
                hit = True
                target_edge = edge
                target = self._short_of(edge, reach, sign, start)
        self.at[axis] = target
        return hit

    def _short_of(self, edge: float, reach: float, sign: float, start: float) -> float:
        """Return the position at which the body touches an edge without overlapping it. See
        `MovingBoxes.short_of`.
        """
        position = self.rounded(edge - reach)
        for _ in range(4):
            if not sign * (position + reach) > sign * edge:
                break
            if self.is_small:
                away = _float32(-sign * math.inf)
                position = float(np.nextafter(_float32(position), away))
            else:
                position = math.nextafter(position, -sign * math.inf)
        return start if sign * position < sign * start else position

    def rounded(self, position: float) -> float:
        return float(_float32(position)) if self.is_small else position

    def step(self, across: float, along: float) -> tuple[bool, bool]:
        """Move the body along x, then along y. Return two bools: whether an obstacle stopped the
        body along x, and along y.
        """
        hit = self.advance(0, across)
        if hit:
            self.touched[0][0] |= across < 0
            self.touched[0][1] |= across > 0
        stopped = self.advance(1, along)
        if stopped:
            self.touched[1][0] |= along < 0
            self.touched[1][1] |= along > 0
        return hit, stopped

    def stands(self) -> bool:
        """Return whether the body stands on an obstacle. See `MovingBoxes.standing`."""
        y = self.at[1]
        hit = self.advance(1, -2 * GROUND_TOLERANCE * self.half[1])
        self.at[1] = y
        return hit


class _TileStop:
    """Solid tiles and one-way tiles that stop a single body. See `TileObstacle`."""

    __slots__ = ("counts", "exact", "one_way", "origin", "overlaps_start", "pitch", "solid")

    def __init__(self, tiles: Tiles, solid: Mask) -> None:
        height, width = solid.shape
        # A memoryview returns a number in half the time of a NumPy array.
        self.solid = memoryview(solid)  # type: ignore[arg-type]
        self.one_way: Mask | None = getattr(tiles, "one_way", None)
        self.counts = width, height
        tile_width, tile_height = tiles.tile_size
        left, bottom = tiles.position
        self.pitch = float(tile_width), float(tile_height)
        self.origin = float(left), float(bottom)
        self.overlaps_start = False
        """Whether the body overlaps a solid tile before it moves."""
        # Only a division by a power of two is exact.
        self.exact = (
            left == 0 and math.frexp(self.pitch[0])[0] == 0.5,
            bottom == 0 and math.frexp(self.pitch[1])[0] == 0.5,
        )

    def supports(self, reach: float) -> bool:
        """Return whether the positions are small enough for exact tile indices. ``reach`` is the
        largest coordinate of the body, in units.
        """
        farthest = reach + abs(self.origin[0]) + abs(self.origin[1])
        return farthest < _MAX_INDEX * min(self.pitch)

    def edges(self, axis: int, sign: float, at: float) -> int:
        """Return the index of the first tile edge that a body meets on its way. See
        `TileObstacle.steps`.
        """
        start = self.origin[axis]
        pitch = self.pitch[axis]
        if self.exact[axis]:
            return math.ceil(at * (sign / pitch))
        number = math.ceil((at - start) * sign / pitch)
        if sign * (start + sign * (number - 1) * pitch) >= sign * at:
            number -= 1
        if sign * (start + sign * number * pitch) < sign * at:
            number += 1
        return number

    def covered(self, axis: int, low: float, high: float) -> range:
        """Return the range of tiles that a body covers along an axis. See `TileObstacle.covered`."""
        first = -self.edges(axis, -1.0, low)
        last = self.edges(axis, 1.0, high)
        return range(max(first, 0), min(last, self.counts[axis]))

    def find_inside(self, body: _Body) -> bool:
        """Find out whether the body overlaps a solid tile before it moves. Return False if the body
        covers too many tiles for `move_one`.
        """
        columns, rows = self._covered_by(body)
        if len(columns) * len(rows) > _MAX_COVERED:
            return False
        self.overlaps_start = bool(self._solid_in(columns, rows))
        return True

    def _covered_by(self, body: _Body) -> tuple[range, range]:
        x, y = body.at
        half_width, half_height = body.half
        columns = self.covered(0, x - half_width, x + half_width)
        return columns, self.covered(1, y - half_height, y + half_height)

    def _solid_in(self, columns: range, rows: range) -> list[tuple[int, int]]:
        """Return the column and the row of each solid tile."""
        top = self.counts[1] - 1
        solid = self.solid
        return [(column, row) for row in rows for column in columns if solid[top - row, column]]

    def is_deeper(self, body: _Body, axis: int, sign: float) -> bool:
        """Return whether a move would lead the body deeper into solid tiles. See
        `penetration.deeper_into_tiles`.
        """
        exits_by_line: dict[int, dict[int, list[float]]] = {}
        for tile in self._solid_in(*self._covered_by(body)):
            exits = exits_by_line.setdefault(tile[1 - axis], {})
            exits[tile[axis]] = self._exits(body, axis, sign, tile)
        for exits in exits_by_line.values():
            run: list[list[float]] = []  # exits of neighboring tiles along the axis
            last = -2
            for along in sorted(exits):
                if along != last + 1:
                    run = []
                run.append(exits[along])
                last = along
                if along + 1 not in exits and _blocks(run):
                    return True
        return False

    def _exits(self, body: _Body, axis: int, sign: float, tile: tuple[int, int]) -> list[float]:
        """Return the distances from the body to the four sides of a solid tile: behind, ahead,
        below and above. See `penetration.deeper_into_tiles`.
        """
        origin = self.origin
        pitch = self.pitch
        beside = 1 - axis
        low = body.at[axis] - body.half[axis]
        high = body.at[axis] + body.half[axis]
        low_beside = body.at[beside] - body.half[beside]
        high_beside = body.at[beside] + body.half[beside]
        to_low = high - (origin[axis] + tile[axis] * pitch[axis])
        to_high = origin[axis] + (tile[axis] + 1) * pitch[axis] - low
        forward = sign > 0
        exits = [
            to_low if forward else to_high,
            to_high if forward else to_low,
            high_beside - (origin[beside] + tile[beside] * pitch[beside]),
            origin[beside] + (tile[beside] + 1) * pitch[beside] - low_beside,
        ]
        ahead = 1 if forward else -1
        directions = [(axis, -ahead), (axis, ahead), (beside, -1), (beside, 1)]
        return self._extended(exits, directions, tile)

    def _extended(
        self, exits: list[float], directions: list[tuple[int, int]], tile: tuple[int, int]
    ) -> list[float]:
        """Make the exits of a tile longer if the next tile in the same direction is also solid. All
        exits except the shortest become infinite. Each direction is an axis and a step. See
        `penetration._extend`.
        """
        pitch = self.pitch
        width, height = self.counts
        reached = [[*tile] for _ in exits]
        ended: list[bool] = [False] * len(exits)
        for _ in range(MAX_RUN):
            nearest = min(
                [exit for exit, end in zip(exits, ended, strict=True) if end], default=math.inf
            )
            searched = [
                number for number, exit in enumerate(exits) if not ended[number] and exit <= nearest
            ]
            if not searched:
                break
            for number in searched:
                moved_axis, step = directions[number]
                position = reached[number]
                position[moved_axis] += step
                column, row = position
                if (
                    0 <= column < width
                    and 0 <= row < height
                    and self.solid[height - 1 - row, column]
                ):
                    exits[number] += pitch[moved_axis]
                else:
                    ended[number] = True
        return [exit if end else math.inf for exit, end in zip(exits, ended, strict=True)]

    def stop(
        self,
        axis: int,
        sign: float,
        lead: float,
        ahead: float,
        low: float,
        high: float,
        through: bool,
    ) -> float | None:
        """Return the position of the first edge that stops a body, or None. The leading edge of the
        body moves from ``lead`` to ``ahead``. Along the other axis, the body extends from ``low``
        to ``high``.
        """
        first = self.edges(axis, sign, lead)
        last = self.edges(axis, sign, ahead)
        if not last > first:
            return None
        count = self.counts[axis]
        # For the direction -1, count from the other side: the tiles 0 .. n-1 have the edges -n ..
        # -1.
        first = max(first, 0 if sign > 0 else -count)
        last = min(last, count if sign > 0 else 0)
        if not first < last:
            return None
        beside = self.covered(1 - axis, low, high)
        top = self.counts[1] - 1
        solid = self.solid
        one_way = self.one_way if axis and sign < 0 and not through else None
        for number in range(first, last):
            tile = number if sign > 0 else -1 - number
            for index in beside:
                cell = (top - tile, index) if axis else (top - index, tile)
                if solid[cell] or (one_way is not None and one_way[cell]):
                    return self.origin[axis] + (sign * number) * self.pitch[axis]
        return None


def _blocks(run: list[list[float]]) -> bool:
    """Return whether a move would lead deeper into a line of adjacent tiles. ``run`` contains the
    distances from the body to the four sides of each tile.
    """
    nearest_side = min([min(below, above) for _, _, below, above in run])
    return any(behind < ahead and behind <= nearest_side for behind, ahead, _, _ in run)


_Box = tuple[float, float, float, float, bool]
"""The left, bottom, right and top of a box, and whether the box is one-way."""


class _BoxStop:
    """Boxes that do not move, near a body. See `BoxObstacle`."""

    __slots__ = ("boxes",)

    def __init__(self, boxes: list[_Box]) -> None:
        self.boxes = boxes

    def is_inside(self, body: _Body) -> bool:
        """Return whether any box overlaps the body."""
        x, y = body.at
        half_width, half_height = body.half
        return any(
            not one_way
            and x - half_width < right
            and x + half_width > left
            and y - half_height < top
            and y + half_height > bottom
            for left, bottom, right, top, one_way in self.boxes
        )

    def stop(
        self,
        axis: int,
        sign: float,
        lead: float,
        ahead: float,
        low: float,
        high: float,
        through: bool,
    ) -> float | None:
        """Return the position of the first edge that stops a body, or None. See `_TileStop.stop`."""
        nearest = math.inf
        for box in self.boxes:
            edge = sign * (box[axis] if sign > 0 else box[2 + axis])
            if (
                low < box[3 - axis]
                and high > box[1 - axis]
                and sign * lead <= edge < sign * ahead
                and edge < nearest
                and (not box[4] or (axis == 1 and sign < 0 and not through))
            ):
                nearest = edge
        return nearest * sign if nearest < math.inf else None


def move_one(
    position: tuple[float, ...],
    size: tuple[float, ...],
    displacement: tuple[float, ...],
    solids: Sequence[Tiles | Boxes],
    step: float,
    through: bool,
    is_small: bool,
) -> Moved | None:
    """Move one body. See `move_and_slide.move` for the arguments. Return None if only
    `move_and_slide.move` can move the body.

    ``is_small`` is True if positions are float32.
    """
    x, y = displacement
    half = size[0] / 2, size[1] / 2
    reach = abs(position[0]) + abs(position[1]) + abs(x) + abs(y) + size[0] + size[1] + step
    if not (reach < 1e30 and min(size) >= 0 and step >= 0):
        return None
    body = _Body([*position], half, through, is_small)
    if not _put(body, solids, (x, y), step, reach):
        return None
    # A body that is not falling counts as standing if an obstacle is directly below it.
    standing = (step > 0 or y == 0) and body.stands()
    if standing and y == 0:
        body.touched[1][0] = True
    tile_sizes = [min(solid.tile_size) for solid in solids if not isinstance(solid, Boxes)]
    pitch = min(tile_sizes) if tile_sizes else max(2 * min(half), 1e-9)
    steps = min(math.ceil(max(abs(x), abs(y)) / pitch), MAX_STEPS)
    climbs = standing and step > 0
    if _go(body, x, y, steps, climbs) and climbs:
        return None  # `move_and_slide.move` can lift the body onto a stair
    (left, right), (floor, ceiling) = body.touched
    if climbs and y <= 0 and not floor:
        y_before = body.at[1]
        floor = body.advance(1, -(step + 2 * GROUND_TOLERANCE * half[1]))
        if not floor:
            body.at[1] = y_before
    return body.at[0], body.at[1], floor, ceiling, left, right


def _go(body: _Body, x: float, y: float, steps: int, stops: bool) -> bool:
    """Divide the movement of a body into ``steps`` equal steps, and move the body step by step.
    Return whether an obstacle stopped the body along x. If ``stops`` is True, such an obstacle ends
    the movement.
    """
    if steps <= 1:
        hit, _ = body.step(x, y)
        return hit
    x_left = x
    y_left = y
    was_hit = False
    for _ in range(steps):
        if not (x_left or y_left):
            break
        hit, stopped = body.step(x_left / steps, y_left / steps)
        if hit:
            was_hit = True
            if stops:
                break
            x_left = 0.0
        if stopped:
            y_left = 0.0
    return was_hit


def _put(
    body: _Body,
    solids: Sequence[Tiles | Boxes],
    displacement: tuple[float, float],
    step: float,
    reach: float,
) -> bool:
    """Add tiles and boxes to the obstacles of ``body``. Return whether `move_one` supports these
    obstacles.
    """
    pushed = sum([solid.furthest for solid in solids if isinstance(solid, Boxes)])
    for solid in solids:
        if isinstance(solid, Boxes):
            near = _boxes_near(body, solid, displacement, step + pushed)
            if not near:
                continue
            boxes = _BoxStop(near)
            if solid.displacement is not None or boxes.is_inside(body):
                return False
            body.obstacles.append(boxes)
            continue
        tiles = _tile_stop(solid)
        if tiles is None or not tiles.supports(reach) or not tiles.find_inside(body):
            return False
        body.obstacles.append(tiles)
    return True


def _tile_stop(solid: Tiles) -> _TileStop | None:
    """Return ``solid`` as an obstacle for a single body. Return None if it has slopes, or tiles that
    are only partly solid.
    """
    if not is_tiles(solid) or len(shape_boxes(solid)):
        return None
    warn = getattr(solid, "_warn_of_collision", None)
    if warn is not None:
        warn(stacklevel=6)
    slopes = getattr(solid, "slopes", None)
    if slopes is not None and slopes.any():
        return None
    array = solid.solid
    if type(array) is not np.ndarray or array.dtype != bool:
        return None
    return _TileStop(solid, array)


def _boxes_near(
    body: _Body, boxes: Boxes, displacement: tuple[float, float], beyond: float
) -> list[_Box]:
    """Return the boxes near the body. See `move_and_slide._put`."""
    if not len(boxes):
        return []
    farthest = max(abs(displacement[0]), abs(displacement[1]))
    if boxes.displacement is not None:
        # Moving boxes are also compared with bodies that they carry or push.
        beyond += farthest + boxes.furthest + 2 * GROUND_TOLERANCE * max(body.half)
    low = []
    high = []
    for middle, half, movement in zip(body.at, body.half, displacement, strict=True):
        spare = beyond + farthest + 2 * GROUND_TOLERANCE * half
        low.append(middle + min(movement, 0.0) - half - spare)
        high.append(middle + max(movement, 0.0) + half + spare)
    near: Mask = boxes.low <= high
    near &= boxes.high >= low
    rows: list[int] = (near[:, 0] & near[:, 1]).nonzero()[0].tolist()
    return [
        (*boxes.low[row].tolist(), *boxes.high[row].tolist(), bool(boxes.one_way[row]))
        for row in rows
    ]
