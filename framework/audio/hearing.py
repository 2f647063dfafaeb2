"""How what is somewhere is heard from somewhere else: how loud, and from which side."""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np

from .. import checks
from ..geometry import quaternions

Place = tuple[float, ...]

_NEAR = 0.1  # of the reach: so near, it is no longer on one side


class Ear(Protocol):
    """What hears: a camera of the plane or of space, or anything with a ``pose(alpha)`` like
    theirs.
    """

    dimensions: int

    def pose(self, alpha: float) -> Any: ...


def place_of(thing: Any, alpha: float) -> Place | None:
    """Where a sprite, an instance or a point is drawn at ``alpha``; None once it was removed."""
    if isinstance(thing, tuple):
        return thing
    if getattr(thing, "removed", False):
        return None
    place = tuple(thing.drawn_position(alpha))
    return place if all(map(math.isfinite, place)) else None


def checked_place(name: str, value: Any) -> Any:
    """A point of two or three numbers, or what has ``drawn_position(alpha)``; None for nowhere."""
    if value is None or (
        not isinstance(value, type) and callable(getattr(value, "drawn_position", None))
    ):
        return value
    if isinstance(value, str | bytes) or not checks.ndim(value):
        raise checks.wrong_type(
            name, "a sprite, an instance, a point of two or three numbers, or None", value
        )
    if len(value) not in (2, 3):
        raise checks.wrong_value(name, "two or three finite numbers", value)
    return tuple(checks.vector(name, value, len(value)).tolist())


def checked_reach(name: str, value: Any) -> float | None:
    """The distance at which something is half as loud; None for what is usual."""
    return None if value is None else checks.number(name, value, above=0)


def in_the_plane(
    ear: Any, place: Place, width: float, reach: float, alpha: float
) -> tuple[float, float]:
    """How loud, and how far to the right (-1 to 1): the listener sits half a picture's width before
    its middle.
    """
    x, y, zoom, rotation = ear.pose(alpha)
    across, up = place[0] - x, place[1] - y
    cos, sin = math.cos(rotation), math.sin(rotation)
    right = across * cos + up * sin
    away = math.hypot(across, up)
    pan = right / math.hypot(right, up * cos - across * sin, width / (2 * zoom))
    return _loudness(away, reach), pan


def in_space(ear: Any, place: Place, reach: float, alpha: float) -> tuple[float, float]:
    """How loud, and how far to the right (-1 to 1) of where the listener looks."""
    position, rotation = ear.pose(alpha)
    displacement = np.asarray(place, np.float64) - position
    away = math.sqrt(float(displacement @ displacement))
    right = float(displacement @ quaternions.matrix_one(rotation)[0])
    return _loudness(away, reach), right / max(away, _NEAR * reach)


def _loudness(away: float, reach: float) -> float:
    """1 near by, a half at ``reach``, and with the square of the distance far off."""
    ratio = away / reach
    return 1 / (1 + ratio * ratio)
