"""Focus navigation: finds the widget that gets the focus when the player presses an arrow key."""

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
    the other edge of the `UI`. If there is none in either direction, return None.
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
    x, y, w, h = rects[current]
    x = x - dx * offset
    y = y - dy * offset
    best: tuple[float, int] | None = None
    for index, (left, top, width, height) in enumerate(rects):
        if index == current:
            continue
        along = ((left + width / 2) - (x + w / 2)) * dx + ((top + height / 2) - (y + h / 2)) * dy
        gap = (
            (max(left - x - w, x - left - width) if dx else max(top - y - h, y - top - height))
            if not offset
            else along
        )
        if along <= 1e-6 or (
            not offset and gap < -min(w, width) / 2 * abs(dx) - min(h, height) / 2 * abs(dy)
        ):
            continue
        if dx:
            beside = max(top - y - h, y - top - height, 0.0)
            center_distance = abs((top + height / 2) - (y + h / 2))
        else:
            beside = max(left - x - w, x - left - width, 0.0)
            center_distance = abs((left + width / 2) - (x + w / 2))
        # at the end, the focus may only return to the start of the same row or column
        if offset and beside > 0:
            continue
        score = max(gap, 0.0) + _SIDE_WEIGHT * beside + center_distance / 16
        if best is None or score < best[0]:
            best = score, index
    return None if best is None else best[1]
