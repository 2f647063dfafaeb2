"""Compute the loudness and the pan of a sound from its position and the camera."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Protocol

import numpy as np

from .. import checks
from ..arrays import Doubles
from ..geometry import quaternions

Place = tuple[float, ...]

_NEAR = 0.1  # a fraction of `reach`; for closer voices, the pan returns to the middle


class HasPosition(Protocol):
    """The interface of an object with a drawn position: a sprite, an instance or a node.

    The object may also have an attribute ``removed``, which is True after the object was removed.
    """

    def drawn_position(self, alpha: float, /) -> Iterable[float]: ...


class Listener2D(Protocol):
    """A `Camera2D` from which the player hears sounds. The pose of the camera consists of x, y,
    zoom and angle.
    """

    def pose(self, alpha: float) -> tuple[float, float, float, float]: ...


class Listener3D(Protocol):
    """A `Camera3D` from which the player hears sounds. The pose of the camera consists of a
    position and a rotation.
    """

    def pose(self, alpha: float) -> tuple[Doubles, Doubles]: ...


def place_of(target: Place | HasPosition, alpha: float) -> Place | None:
    """Return the position at which ``target`` is drawn at ``alpha``, or None if ``target`` was
    removed.
    """
    if isinstance(target, tuple):
        return target
    removed: bool = getattr(target, "removed", False)
    if removed:
        return None
    position = tuple(target.drawn_position(alpha))
    return position if all(map(math.isfinite, position)) else None


def checked_place(name: str, value: Any) -> Place | HasPosition | None:
    """Check the option ``position``, and return it. A valid position is a point of two or three
    numbers, or an object with ``drawn_position(alpha)``.

    None is valid, too: a voice without a position.
    """
    if value is None:
        return None
    if not isinstance(value, type) and callable(getattr(value, "drawn_position", None)):
        drawn: HasPosition = value
        return drawn
    if isinstance(value, str | bytes) or not checks.ndim(value):
        raise checks.wrong_type(
            name, "a sprite, an instance, a point of two or three numbers, or None", value
        )
    if len(value) not in (2, 3):
        raise checks.wrong_value(name, "two or three finite numbers", value)
    position: list[float] = checks.vector(name, value, len(value)).tolist()
    return tuple(position)


def checked_reach(name: str, value: object) -> float | None:
    """Check the distance at which a voice has half its volume, and return this distance. None is
    valid, too: it means the default distance.
    """
    return None if value is None else checks.number(name, value, above=0)


def in_the_plane(
    listener: Listener2D, position: Place, width: float, reach: float, alpha: float
) -> tuple[float, float]:
    """Return the loudness (0 to 1) and the pan (-1 to 1) of a sound at a 2D position.

    ``width`` is the width of the camera's view in units. ``reach`` is the distance at which the
    loudness is 0.5. To compute the pan, the function assumes that the listener is in front of the
    screen. The assumed distance from the screen is half the width of the view. So when a voice
    passes the camera, its sound moves gradually from one side to the other.
    """
    x, y, zoom, angle = listener.pose(alpha)
    dx = position[0] - x
    dy = position[1] - y
    cos = math.cos(angle)
    sin = math.sin(angle)
    right = dx * cos + dy * sin
    distance = math.hypot(dx, dy)
    pan = right / math.hypot(right, dy * cos - dx * sin, width / (2 * zoom))
    return _loudness(distance, reach), pan


def plane_distance(listener: Listener2D, position: Place, alpha: float) -> float:
    """Return the distance between a 2D position and the listener."""
    x, y, _, _ = listener.pose(alpha)
    return math.hypot(position[0] - x, position[1] - y)


def space_distance(listener: Listener3D, target: Place, alpha: float) -> float:
    """Return the distance between a 3D position and the listener."""
    position, _ = listener.pose(alpha)
    return float(np.linalg.norm(np.asarray(target, np.float64) - position))


def in_space(
    listener: Listener3D, target: Place, reach: float, alpha: float
) -> tuple[float, float]:
    """Return the loudness (0 to 1) and the pan (-1 to 1) of a sound at a 3D position."""
    position, rotation = listener.pose(alpha)
    displacement: Doubles = np.asarray(target, np.float64) - position
    distance = math.sqrt(float(displacement @ displacement))
    right = float(displacement @ quaternions.matrix_one(rotation)[0])
    return _loudness(distance, reach), right / max(distance, _NEAR * reach)


def doppler_pitch(distances: tuple[float, float], seconds: float, sound_speed: float) -> float:
    """Return the pitch of a moving sound, for the Doppler effect. ``distances`` contains two
    distances, measured ``seconds`` apart.

    If the sound is coming nearer, the result is above 1. The result is always from 0.5 to 2. If the
    distance changes faster than the speed of sound, the object has probably jumped, and the result
    is 1.
    """
    speed = (distances[1] - distances[0]) / seconds
    if not -sound_speed < speed < sound_speed:
        return 1.0
    return min(2.0, max(0.5, sound_speed / (sound_speed + speed)))


def _loudness(distance: float, reach: float) -> float:
    """Return the loudness of a sound at a distance: 1 at the distance 0, and 0.5 at the distance
    ``reach``. At large distances, the loudness falls to a quarter each time the distance doubles.
    """
    ratio = distance / reach
    return 1 / (1 + ratio * ratio)
