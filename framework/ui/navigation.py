"""Find the widget that gets the focus when the player presses an arrow key."""

from __future__ import annotations

from collections.abc import Sequence

DIRECTIONS = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}  # y down

Rect = tuple[float, float, float, float]

# a distance to the side counts three times as much as a distance in the direction of the key
_SIDE_WEIGHT = 3.0


def neighbour(rects: Sequence[Rect], current: int, direction: str) -> int | None:
    """Return the index of the nearest rectangle in the direction "left", "right", "up" or "down"
    from the rectangle ``current``.

    Each rectangle is (x, y, width, height). The y axis points down. If there is no rectangle in
    this direction, return the farthest in the opposite direction. The focus then wraps around to
    the other edge of the `UI`. If there is no rectangle in either direction, return None.
    """
    dx, dy = DIRECTIONS[direction]
    ahead = _nearest(rects, current, dx, dy, 0.0)
    if ahead is not None:
        return ahead
    farthest = 1.0 + max(
        (abs(edge) for x, y, w, h in rects for edge in (x, y, x + w, y + h)), default=0.0
    )
    return _nearest(rects, current, dx, dy, 4 * farthest)


def _nearest(rects: Sequence[Rect], current: int, dx: int, dy: int, offset: float) -> int | None:
    """Return the index of the nearest rectangle in the direction (dx, dy). If there is no
    rectangle, return None.

    Before the search, move the rectangle ``current`` by ``offset`` units against the direction. If
    several rectangles are equally near, return the first.
    """
    if dy:  # swap the axes, so that the search goes along the first axis
        rects = [(y, x, h, w) for x, y, w, h in rects]
    sign = dx or dy
    start, side, length, breadth = rects[current]
    start = start - sign * offset
    best: tuple[float, int] | None = None
    for index, (other_start, other_side, other_length, other_breadth) in enumerate(rects):
        if index == current:
            continue
        along = ((other_start + other_length / 2) - (start + length / 2)) * sign
        beside = max(other_side - side - breadth, side - other_side - other_breadth, 0.0)
        if offset:
            gap = along
            # at the end, the focus may only return to the start of the same row or column
            is_ahead = along > 1e-6 and beside <= 0
        else:
            gap = max(other_start - start - length, start - other_start - other_length)
            is_ahead = along > 1e-6 and gap >= -min(length, other_length) / 2
        if is_ahead:
            center_distance = abs((other_side + other_breadth / 2) - (side + breadth / 2))
            score = max(gap, 0.0) + _SIDE_WEIGHT * beside + center_distance / 16
            if best is None or score < best[0]:
                best = score, index
    return None if best is None else best[1]
