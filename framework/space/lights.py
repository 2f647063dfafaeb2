"""The point and spot lights of a 3D world."""

from __future__ import annotations

__all__ = ["MAX_LIGHTS", "Light3D", "Lights"]

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Doubles, Floats, Mask
from ..checks import Sealed
from ..motion.camera_base import MAX_MAGNITUDE, coordinates
from ..other_engines.other_options import made_by
from ..other_engines.space_names import light3_d_names, lights_names
from ..state.columns import Table, TableColumn
from ..state.rows import Handle, Handled, RowValue, handle_of
from .camera3d import Shot

MAX_LIGHTS = 64
"""The maximum number of lights in one frame. If more lights are in view, the world uses only the
lights that are closest to the camera.
"""

LIGHT_FLOATS = 12
"""The number of floats that one light needs in the uniform block of shaders/include/world.glsl."""

T = TypeVar("T")

Three = tuple[float, float, float]


@lights_names
class Lights(Handled["Light3D"], Sealed):
    """All point lights and spot lights of a `World`. `Lights` does not contain the sun.

        light = world.lights.add(position=(0, 3, 0), color=(1, 0.6, 0.3))

    All values of a light, such as its position and color, are interpolated between ticks. A world
    may have any number of lights, but each frame uses at most `MAX_LIGHTS` of them: the lights
    closest to the camera that reach a visible part of the world.
    """

    __slots__ = ("_table",)

    _rows_can_be_saved = True
    _noun = "lights"

    def __init__(self) -> None:
        columns = [
            ("position", 3, 0.0),
            ("direction", 3, 0.0),
            ("color", 3, 1.0),
            ("intensity", 1, 1.0),
        ]
        # The numbers are the default values of the options of `add`.
        columns += [
            ("range", 1, 10.0),
            ("angle", 1, math.radians(30)),
            ("softness", 1, 0.25),
        ]
        self._table: Table = Table(
            [
                TableColumn(name, width, default, dtype=np.float64, interpolated=True)
                for name, width, default in columns
            ]
        )

    def add(  # type: ignore[override]  # every keyword by its name
        self,
        position: ArrayLike = (0.0, 0.0, 0.0),
        color: ArrayLike = (1.0, 1.0, 1.0),
        intensity: float = 1.0,
        range: float = 10.0,
        direction: ArrayLike | None = None,
        angle: float = math.radians(30),
        softness: float = 0.25,
    ) -> Light3D:
        """Add a light, and return the new `Light3D`. For the arguments, see `Light3D`.

        Raises `TypeError` or `ValueError` if an argument is invalid. The error message contains the
        name of this argument.
        """
        arguments: dict[str, object] = {
            "position": position,
            "direction": direction,
            "color": color,
            "intensity": intensity,
        }
        arguments |= {"range": range, "angle": angle, "softness": softness}
        if isinstance(position, str):
            raise TypeError(
                f"{checks.wrong_type('position', 'three finite numbers', position)}; a lamp has "
                "no kind: write lights.add((0, 3, 0), intensity=5), or for the sun "
                "self.world.sun_direction = (1, 2, 1) and self.world.sun_color"
            )
        checked = {name: _checked(name, value) for name, value in arguments.items()}
        row: int = self._table.spawn(1).start
        for name, value in checked.items():
            self._table.column(name).put(row, value)
        light: Light3D = self._handle(row)
        return light

    def extend(self, count: int, **columns: ArrayLike) -> slice:
        """Add ``count`` lights, and return a slice of their rows.

        The keywords are the same as in the method `add`. For each keyword, pass one value for all
        lights, or an array with one value per light. Without ``direction``, the new lights are
        point lights.
        """
        count = self._room_for("count", count)
        values = self._table.checked(count, columns)
        for name, rows in values.items():
            row_values: list[object] = rows.tolist()
            rows[:] = [_checked(name, value) for value in row_values]
        return self._table.spawn(count, values)


def begin_tick(lights: Lights) -> None:
    """Begin a tick: store the current values of all lights as the values before the tick."""
    lights._table.begin_tick(0.0)


def notice_writes(lights: Lights) -> None:
    """Called in each frame while no ticks are running, for example while the game is paused. If the
    game has set values since the last call, the next frame shows the new values without
    interpolation.
    """
    lights._table.notice_writes()


def end_tick(lights: Lights) -> None:
    """End a tick. The next frames interpolate from the values before the tick to the current
    values.
    """
    table = lights._table
    table.end_tick()
    if table.count:
        # Store a copy of the current values. Copying takes little time, because there are few
        # lights.
        table.notice_writes()


class _LightColumns(NamedTuple):
    """The columns of n lights, in the order of the table."""

    position: Doubles
    direction: Doubles
    color: Doubles
    intensity: Doubles
    range: Doubles
    angle: Doubles
    softness: Doubles


def packed(lights: Lights, shot: Shot) -> Floats:
    """Return the shader data of all lights that illuminate a visible part of the world. The array
    has the dtype float32 and the shape (k, 12).

    If there are more than `MAX_LIGHTS` such lights, return only those whose lit areas are nearest
    to the camera.
    """
    table = lights._table
    if not table.count:
        return np.zeros((0, LIGHT_FLOATS), np.float32)
    states = zip(*table.states(slice(None)), strict=True)
    columns = _LightColumns(*[a + (b - a) * shot.alpha for a, b in states])
    from_eye = columns.position - shot.eye
    drawn = np.flatnonzero((columns.intensity > 0) & _within(from_eye, columns.range, shot))
    if len(drawn) > MAX_LIGHTS:
        gap: Doubles = np.linalg.norm(from_eye[drawn], axis=1) - columns.range[drawn]
        drawn = np.sort(drawn[np.argsort(gap, kind="stable")[:MAX_LIGHTS]])
    return _packed(from_eye[drawn], _LightColumns(*[column[drawn] for column in columns]))


def _checked(name: str, value: object) -> object:
    cell: _Light3DCell[object] = vars(Light3D)[name]
    return cell.check(name, value)


class _Light3DCell(RowValue[T]):
    """A property of a light. The property checks each new value.

    If ``convert`` is set, the property returns ``convert(value)``.
    """

    def __init__(
        self,
        check: Callable[[str, object], object],
        doc: str,
        convert: Callable[[Three], Three | None] | None = None,
    ) -> None:
        super().__init__(doc)
        self.check = check
        self._convert = convert

    def __get__(self, light: Any, owner: type) -> Any:
        value = super().__get__(light, owner)
        return value if light is None or self._convert is None else self._convert(value)

    def __set__(self, light: Any, value: Any) -> None:
        super().__set__(light, self.check(self.name, value))


def _three(numbers: list[float]) -> Three:
    x, y, z = numbers
    return x, y, z


def color(name: str, value: object) -> Three:
    """Check the linear color of a light, and return it as three numbers, which may be above 1."""
    light = _three(checks.light(name, value).tolist())
    if max(light) > MAX_MAGNITUDE:
        raise checks.wrong_value(name, f"three numbers from 0 to {MAX_MAGNITUDE:g}", value)
    return light


def _direction(name: str, value: object) -> Doubles:
    return np.zeros(3) if value is None else checks.direction(name, value)


@light3_d_names
@handle_of(Lights)
@made_by("write self.world.lights.add((0, 3, 0), intensity=5)")
class Light3D(Handle["Lights"], Sealed):
    """A point light. If ``direction`` is set, the light is a spot light.

    A white matte surface at a distance of 1 unit from the light has the brightness ``color`` ×
    ``intensity``. At a distance of 2 units, the surface is only a quarter as bright. Assigning an
    invalid value raises an error that contains the name of the attribute. Once the light has been
    removed, its properties raise an error.
    """

    __slots__ = ()

    _noun = "light"
    _loss = "it was removed; make a new one with world.lights.add(…)"

    position = _Light3DCell[Three](
        partial(coordinates, length=3), "The position of the light in units, as three numbers."
    )
    direction = _Light3DCell[Three | None](
        _direction,
        "The direction of a spot light, scaled to length 1, or None for a point light.",
        lambda numbers: numbers if any(numbers) else None,
    )
    color = _Light3DCell[Three](
        color, "The linear color of the light, as three numbers that are 0 or larger."
    )
    intensity = _Light3DCell[float](
        partial(checks.number, least=0, most=MAX_MAGNITUDE),
        "A factor that multiplies the color.",
    )
    range = _Light3DCell[float](
        partial(checks.number, above=0, most=MAX_MAGNITUDE),
        "The distance in units beyond which the light has no effect.",
    )
    angle = _Light3DCell[float](
        partial(checks.number, above=0, most=math.pi / 2),
        "The angle in radians between the center of a spot light's cone and its edge, at most pi "
        "/ 2.",
    )
    softness = _Light3DCell[float](
        partial(checks.number, least=0, most=1),
        "The fraction of the cone in which the light fades out toward the edge, from 0 to 1.",
    )

    def __repr__(self) -> str:
        return "<Light3D, removed>" if self.removed else f"<Light3D at {self.position}>"


def _within(from_eye: Doubles, reach: Doubles, shot: Shot) -> Mask:
    """Return whether a part of each sphere is in the view. The result is a bool array with the
    shape (n,).

    ``from_eye`` are the centers of the spheres relative to the camera, with the shape (n, 3).
    ``reach`` contains the radii of the spheres.
    """
    clip = shot.view @ shot.projection
    planes = np.concatenate([clip[:, 3:] + clip[:, :3], clip[:, 3:] - clip[:, :3]], axis=1)
    lengths: Doubles = np.linalg.norm(planes[:3], axis=0)
    inside: Mask = (from_eye @ planes[:3] + planes[3] >= -reach[:, None] * lengths).all(axis=1)
    return inside


def _packed(from_eye: Doubles, lights: _LightColumns) -> Floats:
    """Return the shader data of lights. ``from_eye`` contains their positions relative to the
    camera, with the shape (n, 3).
    """
    length: Doubles = np.linalg.norm(lights.direction, axis=1)
    spot = length > 1e-6
    edge = np.cos(lights.angle)
    core = np.cos(lights.angle * (1 - lights.softness))
    scale = np.where(spot, 1 / np.maximum(core - edge, 1e-3), 0.0)
    out = np.empty((len(from_eye), LIGHT_FLOATS), np.float32)
    out[:, 0:3] = from_eye
    out[:, 3] = 1 / lights.range
    out[:, 4:7] = lights.color * lights.intensity[:, None]
    out[:, 7] = np.where(spot, -edge * scale, 1.0)
    out[:, 8:11] = lights.direction / np.maximum(length, 1e-6)[:, None]
    out[:, 11] = scale
    return out
