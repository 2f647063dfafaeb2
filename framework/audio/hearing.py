"""How what is somewhere is heard from somewhere else: how loud, and from which side."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Protocol

import numpy as np

from .. import checks
from ..arrays import Doubles
from ..geometry import quaternions

Place = tuple[float, ...]

_NEAR = 0.1  # of the reach: so near, it is no longer on one side


class Placed(Protocol):
    """A sprite, an instance, a node: anything that is drawn somewhere. It may be ``removed``."""

    def drawn_position(self, alpha: float, /) -> Iterable[float]: ...


class Ear2D(Protocol):
    """A camera of the plane: its pose is x, y, zoom and rotation."""

    def pose(self, alpha: float) -> tuple[float, float, float, float]: ...


class Ear3D(Protocol):
    """A camera of space: its pose is a position and a rotation."""

    def pose(self, alpha: float) -> tuple[Doubles, Doubles]: ...


def place_of(thing: Place | Placed, alpha: float) -> Place | None:
    """Where a sprite, an instance or a point is drawn at ``alpha``; None once it was removed."""
    if isinstance(thing, tuple):
        return thing
    removed: bool = getattr(thing, "removed", False)
    if removed:
        return None
    place = tuple(thing.drawn_position(alpha))
    return place if all(map(math.isfinite, place)) else None


def checked_place(name: str, value: Any) -> Place | Placed | None:
    """A point of two or three numbers, or what has ``drawn_position(alpha)``; None for nowhere."""
    if value is None:
        return None
    if not isinstance(value, type) and callable(getattr(value, "drawn_position", None)):
        placed: Placed = value
        return placed
    if isinstance(value, str | bytes) or not checks.ndim(value):
        raise checks.wrong_type(
            name, "a sprite, an instance, a point of two or three numbers, or None", value
        )
    if len(value) not in (2, 3):
        raise checks.wrong_value(name, "two or three finite numbers", value)
    place: list[float] = checks.vector(name, value, len(value)).tolist()
    return tuple(place)


def checked_reach(name: str, value: object) -> float | None:
    """The distance at which something is half as loud; None for what is usual."""
    return None if value is None else checks.number(name, value, above=0)


def in_the_plane(
    ear: Ear2D, place: Place, width: float, reach: float, alpha: float
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


def in_space(ear: Ear3D, place: Place, reach: float, alpha: float) -> tuple[float, float]:
    """How loud, and how far to the right (-1 to 1) of where the listener looks."""
    position, rotation = ear.pose(alpha)
    displacement: Doubles = np.asarray(place, np.float64) - position
    away = math.sqrt(float(displacement @ displacement))
    right = float(displacement @ quaternions.matrix_one(rotation)[0])
    return _loudness(away, reach), right / max(away, _NEAR * reach)


def _loudness(away: float, reach: float) -> float:
    """1 near by, a half at ``reach``, and with the square of the distance far off."""
    ratio = away / reach
    return 1 / (1 + ratio * ratio)
