"""Make sounds behind walls quieter and duller (occlusion).

The option ``occlusion`` of a sound sets how much of it the walls block. The option is a number from
0 to 1, a function, or an object with walls, such as a tile grid or a physics world.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from .. import checks
from ..geometry import paths, shapes
from .positional import Place

OcclusionFunction = Callable[[Place, Place], float]
"""A function that receives the positions of a voice and of the listener, and returns how much of
the sound is blocked, from 0 to 1.
"""

Walls = Any
"""The type of the option ``occlusion``: a number, an `OcclusionFunction`, walls, or None."""

_EXPECTED = "a number from 0 to 1, a function of two positions, tiles, ConvexShapes, a physics world, or None"
_BLOCKED_VOLUME = 0.4  # the volume of a fully occluded voice (-8 dB), in addition to the filter
_MAX_ROWS = 32  # a ray that hits more bodies than this counts as free


class Occlusion(NamedTuple):
    """How much walls block a voice, from 0 to 1."""

    amount: float
    is_direct: bool
    """Whether the game has set the amount as a number. The voice then reaches this amount at the
    next tick. If the amount comes from walls or from a function, the voice changes more slowly.
    """


def occluded_volume(amount: float | None) -> float:
    """Return the volume of a voice behind walls, relative to the same voice without walls."""
    return 1.0 - (1.0 - _BLOCKED_VOLUME) * (amount or 0.0)


def filtered_share(amount: float) -> float:
    """Return how much of a voice behind walls passes through the low-pass filter, from 0 to 1."""
    return 1.0 - (1.0 - amount) * (1.0 - amount)


def checked_occlusion(name: str, value: Any) -> Any:
    """Check the option ``occlusion`` of a voice, and return the option."""
    if value is None:
        return None
    if isinstance(value, int | float | np.number) and not isinstance(value, bool):
        return checks.number(name, value, least=0, most=1)
    if isinstance(value, type) or not (_is_world(value) or callable(value)):
        raise checks.wrong_type(name, _EXPECTED, value)
    if not _is_world(value):
        checks.takes(
            name, value, "a function of two positions", "the voice's position", "the listener's"
        )
    return value


def _is_world(value: Any) -> bool:
    return isinstance(value, shapes.ConvexShapes) or _is_tiles(value) or _is_physics(value)


def _is_tiles(value: Any) -> bool:
    return all(hasattr(value, name) for name in ("solid", "tile_size", "position"))


def _is_physics(value: Any) -> bool:
    return not isinstance(value, ModuleType) and callable(getattr(value, "raycast", None))


def occlusion_between(option: Any, position: Place, listener: Place) -> Occlusion:
    """Return how much of a voice is blocked by walls between its position and the listener, from 0
    to 1.

    ``option`` is the option ``occlusion``, which was checked before. Both positions have the same
    number of dimensions, 2 or 3.
    """
    if option is None:
        return Occlusion(0.0, True)
    if isinstance(option, int | float):
        return Occlusion(float(option), True)
    if not _is_world(option):
        return Occlusion(_result_of(option, position, listener), False)
    if position == listener:
        return Occlusion(0.0, False)
    if _is_physics(option):
        is_blocked = _is_blocked_by_walls(option, listener, position)
    else:
        if len(position) != 2:
            raise checks.wrong_value(
                "occlusion",
                "the physics world of a 3D game, or a function; the listener is in 3D",
                option,
            )
        is_blocked = _is_blocked_in_plane(option, listener, position)
    return Occlusion(float(is_blocked), False)


def _result_of(function: OcclusionFunction, position: Place, listener: Place) -> float:
    result: Any = function(position, listener)
    # A function that is written for many points returns an array.
    if isinstance(result, np.ndarray) and result.size == 1:
        result = result.item()
    if isinstance(result, bool | np.bool_):
        return float(result)
    name = getattr(function, "__name__", type(function).__name__)
    return checks.number(f"the result of {name}", result, least=0, most=1)


def _is_blocked_in_plane(walls: Any, start: Place, end: Place) -> bool:
    if isinstance(walls, shapes.ConvexShapes):
        displacement = [last - first for first, last in zip(start, end, strict=True)]
        return math.isfinite(shapes.raycast(start, displacement, walls).fraction[0])
    return not paths.line_of_sight(walls, start, end)[0]


def _is_blocked_by_walls(world: Any, start: Place, end: Place) -> bool:
    """Return whether a wall of a physics world is between two points. Bodies of sprites and meshes,
    such as the sprite that plays the sound, do not block sounds.
    """
    from ..physics.simulation import Wall

    displacement = tuple(last - first for first, last in zip(start, end, strict=True))
    rows: list[Any] = []
    while len(rows) < _MAX_ROWS:
        hit = world.raycast(start, displacement, exclude=rows)
        if hit is None:
            return False
        if hit.target is None or isinstance(hit.target, Wall):
            return True
        rows.append(hit.target)
    return False
