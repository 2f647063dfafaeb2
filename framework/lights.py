"""Point and spot lights of a world: where they are is interpolated like everything else."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .camera3d import Shot

MAX_LIGHTS = 64
"""Lights that fall on one picture. A world may have more: then those that reach nearest to the camera are shown."""

LIGHT_FLOATS = 12
"""Of one light in the uniform block of shaders/include/world.glsl."""

Vector = NDArray[np.float64]

# The columns of a light.
_POSITION, _DIRECTION, _COLOR = slice(0, 3), slice(3, 6), slice(6, 9)
_INTENSITY, _RANGE, _ANGLE, _SOFTNESS = 9, 10, 11, 12


class Latched:
    """Rows of numbers (n, width), with those of the last tick; what is shown lies between them.

    Rows that are `fresh` (added or teleported since a tick began) are shown where they are, without a way there.
    """

    def __init__(self, width: int, rows: int = 0) -> None:
        self.current: Vector = np.zeros((rows, width))
        self.previous: Vector = np.zeros((rows, width))
        self.fresh = np.ones(rows, bool)
        self._seen = self.current.copy()  # by `notice_writes`
        self._in_tick = False

    def __len__(self) -> int:
        return len(self.current)

    def append(self, values: ArrayLike) -> None:
        self.current = np.vstack([self.current, np.asarray(values)])
        self.previous = np.vstack([self.previous, self.current[-1]])
        self._seen = np.vstack([self._seen, self.current[-1]])
        self.fresh = np.append(self.fresh, True)

    def remove(self, row: int) -> None:
        for name in ("current", "previous", "_seen", "fresh"):
            setattr(self, name, np.delete(getattr(self, name), row, axis=0))

    def begin_tick(self) -> None:
        self._in_tick = True
        self.previous[:] = self.current
        self.fresh[:] = False

    def end_tick(self) -> None:
        self._in_tick = False
        self._settle()
        self._seen[:] = self.current

    def notice_writes(self) -> None:
        """While no ticks run: show rows that were written since the last call where they are now."""
        written = (self.current != self._seen).any(axis=1)
        self.previous[written] = self.current[written]
        self._seen[:] = self.current

    def _settle(self) -> None:
        self.previous[self.fresh] = self.current[self.fresh]

    def at(self, alpha: float) -> Vector:
        """What is shown: (n, width)."""
        if not self._in_tick:
            self._settle()
        shown: Vector = self.previous + (self.current - self.previous) * alpha
        return shown


class Lights:
    """The lights of a `World`, besides its sun: ``light = world.lights.add(position=(0, 3, 0), color=(1, 0.6, 0.3))``.

    All that is set of a light in a tick, its place, direction, colour and strength, is interpolated with the alpha of
    everything else. There may be any number; of those that reach into the picture, `MAX_LIGHTS` are drawn.
    """

    def __init__(self) -> None:
        self._rows = Latched(13)
        self._lights: list[Light] = []

    def __len__(self) -> int:
        """How many there are."""
        return len(self._lights)

    def __iter__(self) -> Iterator[Light]:
        """The lights that are there now. Meanwhile any may be removed and others added."""
        return iter(tuple(self._lights))

    def __getitem__(self, index: int) -> Light:
        """A light by its number, in the order in which they were added."""
        return self._lights[index]

    def add(
        self,
        position: ArrayLike = (0.0, 0.0, 0.0),
        color: ArrayLike = (1.0, 1.0, 1.0),
        intensity: float = 1.0,
        range: float = 10.0,
        direction: ArrayLike | None = None,
        angle: float = math.radians(30),
        softness: float = 0.25,
    ) -> Light:
        """One more light; see `Light` for what the arguments mean. Raises `ValueError` that names a bad one."""
        values: dict[str, Any] = {"position": position, "color": color, "intensity": intensity, "range": range}
        values |= {"direction": direction, "angle": angle, "softness": softness}
        row = np.zeros(13)
        for name, value in values.items():
            row[_COLUMNS[name]] = _checked(name, value)
        self._rows.append(row)
        light = Light(self, len(self._lights))
        self._lights.append(light)
        return light

    def remove(self, light: Light) -> None:
        """Take a light out. Raises `ValueError` if it is not in."""
        row = light._own(self)
        self._rows.remove(row)
        del self._lights[row]
        light._row = -1
        for other in self._lights[row:]:
            other._row -= 1

    def clear(self) -> None:
        """Take all out."""
        for light in self:
            self.remove(light)

    def begin_tick(self) -> None:
        self._rows.begin_tick()

    def end_tick(self) -> None:
        self._rows.end_tick()

    def notice_writes(self) -> None:
        """While no ticks run, show what was written since the last call."""
        self._rows.notice_writes()

    def packed(self, shot: Shot) -> NDArray[np.float32]:
        """Those that reach into a picture, as the shader wants them: float32 (k, 12), k up to `MAX_LIGHTS`."""
        if not self._lights:
            return np.zeros((0, LIGHT_FLOATS), np.float32)
        rows = self._rows.at(shot.alpha)
        place = rows[:, _POSITION] - shot.eye
        seen = np.flatnonzero((rows[:, _INTENSITY] > 0) & _within(place, rows[:, _RANGE], shot))
        if len(seen) > MAX_LIGHTS:
            gap = np.linalg.norm(place[seen], axis=1) - rows[seen, _RANGE]
            seen = np.sort(seen[np.argsort(gap, kind="stable")[:MAX_LIGHTS]])
        return _packed(rows[seen], place[seen])


class Light:
    """A light at a place: a point light, or a spot light when it has a direction.

    ``position`` (units), ``direction`` (three numbers of any length; None for a point light), ``color`` (linear),
    ``intensity``, ``range`` (units; nothing is lit beyond), ``angle`` (radians from the middle of the cone to its
    edge, below pi / 2) and ``softness`` (the share of the cone, 0 to 1, in which it fades out towards the edge).

    A white matt surface that faces it, one unit away, shows its colour times its intensity; twice as far a quarter.
    """

    __slots__ = ("_lights", "_row")

    def __init__(self, lights: Lights, row: int) -> None:
        self._lights = lights
        self._row = row

    def __repr__(self) -> str:
        return "<Light, removed>" if self._row < 0 else f"<Light at {self.position}>"

    @property
    def position(self) -> tuple[float, float, float]:
        return self._three("position")

    @position.setter
    def position(self, value: ArrayLike) -> None:
        self._write("position", value)

    @property
    def direction(self) -> tuple[float, float, float] | None:
        """Where it shines to, of length 1; None: everywhere."""
        direction = self._three("direction")
        return direction if any(direction) else None

    @direction.setter
    def direction(self, value: ArrayLike | None) -> None:
        self._write("direction", value)

    @property
    def color(self) -> tuple[float, float, float]:
        return self._three("color")

    @color.setter
    def color(self, value: ArrayLike) -> None:
        self._write("color", value)

    @property
    def intensity(self) -> float:
        return self._one("intensity")

    @intensity.setter
    def intensity(self, value: float) -> None:
        self._write("intensity", value)

    @property
    def range(self) -> float:
        return self._one("range")

    @range.setter
    def range(self, value: float) -> None:
        self._write("range", value)

    @property
    def angle(self) -> float:
        return self._one("angle")

    @angle.setter
    def angle(self, value: float) -> None:
        self._write("angle", value)

    @property
    def softness(self) -> float:
        return self._one("softness")

    @softness.setter
    def softness(self, value: float) -> None:
        self._write("softness", value)

    def teleport(self) -> None:
        """Be shown as this tick leaves it, without a way there."""
        self._lights._rows.fresh[self._own(self._lights)] = True

    def remove(self) -> None:
        """Leave the world. A second time is a `ValueError`."""
        self._lights.remove(self)

    def _own(self, lights: Lights) -> int:
        if self._lights is not lights:
            raise ValueError("light: it belongs to another world")
        if self._row < 0:
            raise ValueError("light: it was removed; make a new one with world.lights.add(…)")
        return self._row

    def _write(self, name: str, value: Any) -> None:
        checked = _checked(name, value)
        self._lights._rows.current[self._own(self._lights), _COLUMNS[name]] = checked

    def _three(self, name: str) -> tuple[float, float, float]:
        x, y, z = self._lights._rows.current[self._own(self._lights), _COLUMNS[name]].tolist()
        return x, y, z

    def _one(self, name: str) -> float:
        return float(self._lights._rows.current[self._own(self._lights), _COLUMNS[name]])


_COLUMNS: dict[str, Any] = {
    "position": _POSITION, "direction": _DIRECTION, "color": _COLOR,
    "intensity": _INTENSITY, "range": _RANGE, "angle": _ANGLE, "softness": _SOFTNESS,
}  # fmt: skip


def _checked(name: str, value: Any) -> Any:
    if name == "direction":
        return np.zeros(3) if value is None else unit(name, value)
    if name == "position":
        return finite(name, value, 3)
    if name == "color":
        return color(name, value)
    number = finite(name, value, 0)
    least, most = {"angle": (0.0, math.pi / 2), "softness": (0.0, 1.0)}.get(name, (0.0, math.inf))
    above = name in ("range", "angle")
    if number < least or number > most or (above and number == least):
        words = f"{'above' if above else 'of at least'} 0" + (f" and at most {most:.4g}" if most < math.inf else "")
        raise ValueError(f"{name}: expected a number {words}, got {value!r}")
    return number


def finite(name: str, value: Any, length: int) -> Vector:
    """``value`` as float64 (length,), or of shape () for 0; a `ValueError` that names it if it is not finite."""
    try:
        array = np.array(value, np.float64)
    except (TypeError, ValueError):
        array = np.zeros(99)
    if array.shape != ((length,) if length else ()) or not np.isfinite(array).all():
        wanted = f"{length} finite numbers" if length else "a finite number"
        raise ValueError(f"{name}: expected {wanted}, got {value!r}")
    return array


def color(name: str, value: Any) -> Vector:
    """Three finite numbers of at least 0."""
    array = finite(name, value, 3)
    if (array < 0).any():
        raise ValueError(f"{name}: expected numbers of at least 0, got {value!r}")
    return array


def unit(name: str, value: Any) -> Vector:
    """Three numbers, scaled to length 1."""
    array = finite(name, value, 3)
    largest = float(np.abs(array).max())
    if not largest:
        raise ValueError(f"{name}: expected three numbers that are not all 0, got {value!r}")
    array /= largest  # first, so that no square is too small or too large
    scaled: Vector = array / np.linalg.norm(array)
    return scaled


def _within(place: Vector, reach: Vector, shot: Shot) -> NDArray[np.bool_]:
    """Which spheres, from the eye, reach into the picture."""
    clip = shot.view @ shot.projection
    planes = np.concatenate([clip[:, 3:] + clip[:, :3], clip[:, 3:] - clip[:, :3]], axis=1)
    lengths = np.linalg.norm(planes[:3], axis=0)
    inside: NDArray[np.bool_] = (place @ planes[:3] + planes[3] >= -reach[:, None] * lengths).all(axis=1)
    return inside


def _packed(rows: Vector, place: Vector) -> NDArray[np.float32]:
    direction = rows[:, _DIRECTION]
    length = np.linalg.norm(direction, axis=1)
    spot = length > 1e-6
    edge = np.cos(rows[:, _ANGLE])
    core = np.cos(rows[:, _ANGLE] * (1 - rows[:, _SOFTNESS]))
    scale = np.where(spot, 1 / np.maximum(core - edge, 1e-3), 0.0)
    out = np.empty((len(rows), LIGHT_FLOATS), np.float32)
    out[:, 0:3] = place
    out[:, 3] = 1 / rows[:, _RANGE]
    out[:, 4:7] = rows[:, _COLOR] * rows[:, _INTENSITY, None]
    out[:, 7] = np.where(spot, -edge * scale, 1.0)
    out[:, 8:11] = direction / np.maximum(length, 1e-6)[:, None]
    out[:, 11] = scale
    return out
