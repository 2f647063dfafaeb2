"""Lights in a 2D scene, with cones, flicker, shadows and normal maps."""

from __future__ import annotations

__all__ = ["Light2D", "Lights2D"]

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..arrays import Doubles, Floats, Mask
from ..assets.images import ImageSource
from ..checks import Sealed
from ..geometry.pairwise import one_row
from ..motion.camera_base import MAX_MAGNITUDE, coordinates
from ..other_engines.other_options import made_by
from ..plane.sprites import SpriteBatch
from ..state.backend import Frontend, Placement
from ..state.columns import ColumnValues, Table, TableColumn, Tabular
from ..state.interpolation import blend_angle
from ..state.rows import MAX_ROWS, Handle, Handled, RowValue, table_of
from . import light2d_math
from .light2d_math import LightRows
from .light2d_walls import Wall, WallSet, sources_of
from .normalmaps import NormalMap, checked_normals

T = TypeVar("T")

MAX_LIGHTS = 4096
"""The maximum number of lights in one `Lights2D`. The limit is 4096 because every driver supports
textures of this height.
"""

Three = tuple[float, float, float]

_at_least_0 = partial(checks.number, least=0, most=MAX_MAGNITUDE)
_share = partial(checks.number, least=0, most=1)


def _tint(name: str, value: object) -> Three:
    """Check a light color, and return its three numbers, which are at least 0.

    ``value`` may also be a color string.
    """
    if isinstance(value, str):
        return checks.color(name, value)[:3]
    red: float
    green: float
    blue: float
    red, green, blue = checks.light(name, value).tolist()
    if 16 < max(red, green, blue) <= 255:  # colors above 16 are probably numbers from 0 to 255
        raise ValueError(
            f"{name}: expected numbers from 0 to 1, got {checks.shown(value)}; divide numbers up to "
            "255 by 255, and set intensity= for a brighter light"
        )
    if max(red, green, blue) > MAX_MAGNITUDE:
        raise checks.wrong_value(name, f"three numbers from 0 to {MAX_MAGNITUDE:g}", value)
    return red, green, blue


def _position(name: str, value: object) -> tuple[float, float]:
    x: float
    y: float
    x, y = coordinates(name, value, 2).tolist()
    return x, y


class _LightCell(RowValue[T]):
    """A property of a `Light2D`. It checks each new value, and stores it in a column."""

    def __init__(self, check: Callable[[str, object], T], doc: str) -> None:
        super().__init__(doc)
        self.check = check

    def __set__(self, light: Any, value: object) -> None:
        super().__set__(light, self.check(self.name, value))


@made_by("write lights = self.add(fw.Lights2D()) and lights.add((x, y), radius=100)")
class Light2D(Handle["Lights2D"], Sealed):
    """A 2D light: a point light or a cone.

    Create a light with ``lights.add(…)``. Each light is a row of a `Lights2D` batch.

    Position, angle, color, radius and intensity of a light are interpolated between ticks. Setting
    an invalid value raises `TypeError` or `ValueError`, with the name of the property. After the
    light has been removed, its properties and methods raise `ValueError`.
    """

    __slots__ = ()

    _noun = "light"
    _loss = "it was removed; make a new one with lights.add(…)"

    position = _LightCell[tuple[float, float]](
        _position, "The position (x, y) in units, with y up."
    )
    color = _LightCell[Three](
        _tint,
        "The color of a white surface at the position of the light: red, green and blue of at "
        "least 0, or a string such as '#fc8'.",
    )
    radius = _LightCell[float](
        _at_least_0,
        "The radius of the light in units. Outside the radius, there is no light. 0 means no light.",
    )
    intensity = _LightCell[float](_at_least_0, "A factor that multiplies the color. Default: 1.")
    angle = _LightCell[float](
        partial(checks.number, most=MAX_MAGNITUDE),
        "The direction of the cone in radians, counter-clockwise.",
    )
    cone = _LightCell[float](
        partial(checks.number, above=0, most=math.tau),
        "The angle between the two edges of the cone, in radians. The default is tau, for "
        "light in all directions.",
    )
    softness = _LightCell[float](
        _at_least_0,
        "The radius of the light source in units. A large source makes soft shadows, and 0 makes "
        "hard shadows.",
    )
    flicker = _LightCell[float](_share, "The fraction of the light that flickers, 0 to 1.")
    flicker_rate = _LightCell[float](
        partial(checks.number, least=0, most=1000), "The number of flickers per second, 0 to 1,000."
    )
    seed = _LightCell[int](
        partial(checks.whole, least=-(1 << 31), most=(1 << 31) - 1),
        "The seed of the flicker. Lights with different seeds flicker independently.",
    )
    height = _LightCell[float](
        _at_least_0,
        "The height of the light above the sprites in units. Used by sprites with normal maps only.",
    )
    visible = _LightCell[bool](checks.flag, "Whether the light is on.")
    shadows = _LightCell[bool](checks.flag, "Whether walls cast shadows in this light.")

    def __repr__(self) -> str:
        return "<Light2D, removed>" if self.removed else f"<Light2D at {self.position}>"


def _new_table() -> Table:
    interpolated = [
        TableColumn(name, width, default, interpolated=True)
        for name, width, default in (
            ("position", 2, 0.0),
            ("angle", 1, 0.0),
            ("color", 3, 1.0),
            ("radius", 1, 100.0),
            ("intensity", 1, 1.0),
        )
    ]
    traits = [
        TableColumn(name, 1, default, interpolated=False)
        for name, default in (
            ("cone", math.tau),
            ("softness", 0.0),
            ("flicker", 0.0),
            ("flicker_rate", 8.0),
            ("height", 40.0),
        )
    ]
    return Table(
        interpolated,
        *traits,
        TableColumn("seed", 1, 0, dtype=np.int32, interpolated=False),
        TableColumn("visible", 1, True, dtype=np.bool_, interpolated=False),
        TableColumn("shadows", 1, True, dtype=np.bool_, interpolated=False),
    )


def _check_of(name: str) -> Callable[[str, object], object]:
    """Return the function that checks each value of the column ``name``."""
    cell: _LightCell[object] = vars(Light2D)[name]
    return cell.check


class _Checked(ColumnValues[T]):
    """A column of `Lights2D` that checks every value when the game assigns the whole column."""

    def __set__(self, lights: Tabular[Table], value: ArrayLike) -> None:
        table = table_of(lights)
        expected = table.column(self.name)
        values = table.checked(table.count, {self.name: value})[self.name]
        check = _check_of(self.name)
        rows: list[object] = values.tolist()
        for row in rows:
            check(expected.name, row)
        super().__set__(lights, values)


class LightState:
    """The values that all lights of a `Lights2D` share, such as the ambient light and the walls,
    for its backend to read.
    """

    __slots__ = ("ambient", "ambient_before", "clock", "clock_before", "normals", "walls")

    def __init__(self, ambient: Three) -> None:
        self.ambient = self.ambient_before = ambient
        """The ambient light: the current value, and the value at the start of the last tick."""
        self.clock = self.clock_before = 0.0
        """The simulated time in seconds: at the end of the last tick, and at the start of the last
        tick.
        """
        self.walls = WallSet()
        self.normals: tuple[NormalMap, ...] = ()

    def begin_tick(self, dt: float) -> None:
        """Begin a tick of ``dt`` simulated seconds."""
        self.clock_before = self.clock
        self.ambient_before = self.ambient
        self.clock += dt
        self.walls.tiles_checked = False

    def notice_writes(self) -> None:
        """Called in each frame while no ticks run, for example in a paused game. A new ambient
        light is then drawn without interpolation.
        """
        self.walls.tiles_checked = False
        self.ambient_before = self.ambient

    def ambient_at(self, alpha: float) -> Three:
        """Return the interpolated ambient light at ``alpha``."""
        red, green, blue = (
            a + (b - a) * alpha for a, b in zip(self.ambient_before, self.ambient, strict=True)
        )
        return red, green, blue

    def time_at(self, alpha: float) -> float:
        """Return the simulated time at ``alpha``, in seconds."""
        return self.clock_before + (self.clock - self.clock_before) * alpha


@runtime_checkable
class _LoadsNormals(Protocol):
    """The interface of a backend that can load normal maps. Only games with graphics have such a
    backend.
    """

    def load_normals(self, normals: NormalMap) -> None: ...


class LightParts(NamedTuple):
    """The objects that a `Lights2D` passes to its backend."""

    table: Table
    state: LightState


_MAX_PLAIN = 100  # for more lights, arrays take less time than Python numbers


def _numbers_of(states: Sequence[NDArray[Any]]) -> list[list[float]]:
    """Return the interpolated numbers of all lights in one list. The numbers of a light are x, y,
    angle, red, green, blue, radius and intensity.
    """
    position, angle, color, radius, intensity = states
    array = np.empty((len(angle), 8))  # `column_stack` would take three times as long
    array[:, :2] = position
    array[:, 2] = angle
    array[:, 3:6] = color
    array[:, 6] = radius
    array[:, 7] = intensity
    numbers: list[list[float]] = array.tolist()
    return numbers


class Lights2D(Handled[Light2D], Frontend, Sealed):
    """A batch of 2D lights, such as torches, that illuminate everything that the scene draws before
    this batch.

        self.lights = self.add(fw.Lights2D(ambient=(0.1, 0.1, 0.15)), layer=1)

    The lights affect lower layers, and objects of the same layer that are drawn earlier. Higher
    layers, objects of the same layer that are drawn later, and labels in the same layer keep their
    colors. Colors are multiplied by the light level: a level of 2 doubles the brightness, and
    higher levels are drawn as 2.

    Parameters
    ----------
    ambient
        The light that reaches every point: red, green and blue, at least 0, or a color string. By
        default, it is black, so that areas without a light are dark.
    resolution
        The number of light map pixels for each screen pixel along each axis, above 0 and at most 1.
        At a ``resolution`` of 0.5, the GPU computes only a quarter of the pixels. Sprites stay
        sharp, but the edges of light and shadows become softer.
    capacity
        The number of lights for which the batch reserves memory.

    Columns
    -------
    These float32 columns are interpolated: ``position`` (n, 2) and ``radius`` (n,) in units,
    ``color`` (n, 3), ``intensity`` (n,), and ``angle`` (n,) in radians, counter-clockwise.

    These float32 columns are not interpolated: ``cone`` in radians from edge to edge, ``softness``
    and ``height`` in units, ``flicker`` from 0 to 1, and ``flicker_rate`` in flickers per second.
    Each column has the shape (n,).

    The column ``seed`` (n,) is int32. The columns ``visible`` (n,) and ``shadows`` (n,) are bool.

    Values that you write into the array of a column, as in ``lights.radius[3] = 5``, are not
    checked. A light does not shine if its radius is 0 or if one of its numbers is not finite.
    """

    __slots__ = ("_resolution", "_state", "_table")

    _rows_can_be_saved = True
    _noun = "lights"
    _handle_class = Light2D
    # Below labels, because labels and lights are usually both in layer 1.
    _placement = Placement(below_hud=True)
    _backend_in = "framework.light2d.lightmap"
    _is_only_drawn = True

    position = _Checked[Floats]("Positions in units, y up: float32 (n, 2), interpolated.")
    color = _Checked[Floats]("Red, green and blue, at least 0: float32 (n, 3), interpolated.")
    radius = _Checked[Floats]("Radii in units: float32 (n,), interpolated.")
    intensity = _Checked[Floats]("Factors that multiply the colors: float32 (n,), interpolated.")
    angle = _Checked[Floats](
        "The directions of the cones in radians, counter-clockwise: float32 (n,), interpolated."
    )
    cone = _Checked[Floats](
        "The angles between the two edges of the cones, in radians: float32 (n,)."
    )
    softness = _Checked[Floats]("The radii of the light sources in units: float32 (n,).")
    flicker = _Checked[Floats]("How much of each light flickers, from 0 to 1: float32 (n,).")
    flicker_rate = _Checked[Floats]("Flickers per second: float32 (n,).")
    height = _Checked[Floats]("The heights of the lights above the sprites in units: float32 (n,).")
    seed = _Checked[NDArray[np.int32]]("Seeds of the flicker: int32 (n,).")
    visible = _Checked[NDArray[np.bool_]]("Whether each light is on: bool (n,).")
    shadows = _Checked[NDArray[np.bool_]]("Whether walls cast shadows in each light: bool (n,).")

    def __init__(
        self,
        ambient: str | Sequence[float] = (0.0, 0.0, 0.0),
        *,
        resolution: float = 1.0,
        capacity: int = 0,
    ) -> None:
        self._backend = None
        self._state = LightState(_tint("ambient", ambient))
        self._resolution = checks.number("resolution", resolution, above=0, most=1)
        self._table = _new_table()
        self._start_with(0, checks.whole("capacity", capacity, 0, MAX_LIGHTS))

    # -- lights -------------------------------------------------------------------------------------

    def add(  # type: ignore[override]  # every keyword by its name
        self,
        position: tuple[float, float] = (0.0, 0.0),
        color: str | Sequence[float] = (1.0, 1.0, 1.0),
        radius: float = 100.0,
        intensity: float = 1.0,
        angle: float = 0.0,
        cone: float = math.tau,
        softness: float = 0.0,
        flicker: float = 0.0,
        flicker_rate: float = 8.0,
        seed: int | None = None,
        height: float = 40.0,
        visible: bool = True,
        shadows: bool = True,
    ) -> Light2D:
        """Add a light and return the new `Light2D`.

        For the arguments, see `Light2D`. ``seed`` defaults to the row of the light, so that each
        light flickers differently.
        """
        values: dict[str, object] = {
            "position": position,
            "color": color,
            "radius": radius,
            "intensity": intensity,
            "angle": angle,
            "cone": cone,
            "softness": softness,
            "flicker": flicker,
            "flicker_rate": flicker_rate,
            "seed": self._table.count if seed is None else seed,
            "height": height,
            "visible": visible,
            "shadows": shadows,
        }
        checked = {name: _check_of(name)(name, value) for name, value in values.items()}
        self._checked_count("count", 1)
        row: int = self._table.spawn(1).start
        for name, value in checked.items():
            self._table.column(name).put(row, value)
        return self._handle(row)

    def extend(self, count: int, **columns: ArrayLike) -> slice:
        """Add ``count`` lights, and return a slice that selects the new rows.

        Keywords set columns: pass one value for all new lights, or an array with one row per light.
        """
        count = self._checked_count("count", count)
        start = self._table.count
        values = self._table.checked(count, {"seed": np.arange(start, start + count), **columns})
        for name, rows in values.items():
            check = _check_of(name)
            cells: list[object] = rows.tolist()
            for cell in cells:
                check(name, cell)
        return self._table.spawn(count, values)

    def _checked_count(self, name: str, count: int) -> int:
        """Return ``count`` if the batch has room for ``count`` more lights. Raise `ValueError`
        otherwise, because a batch has at most `MAX_LIGHTS` lights.
        """
        count = checks.whole(name, count, 0, MAX_ROWS)
        if self._table.count + count > MAX_LIGHTS:
            lights = self._table.count + count
            raise ValueError(
                f"{name}: expected at most {MAX_LIGHTS:,} lights in all, got {lights:,} lights; use "
                "another Lights2D"
            )
        return count

    # -- light and walls ---------------------------------------------------------------------------

    @property
    def ambient(self) -> Three:
        """The light that reaches every point: red, green and blue, at least 0.

        It is interpolated between ticks, and black by default.
        """
        return self._state.ambient

    @ambient.setter
    def ambient(self, value: str | Sequence[float]) -> None:
        self._state.ambient = _tint("ambient", value)

    @property
    def resolution(self) -> float:
        """The number of light map pixels for each screen pixel along each axis, above 0 and at most
        1. Default: 1.
        """
        return self._resolution

    @resolution.setter
    def resolution(self, value: float) -> None:
        self._resolution = checks.number("resolution", value, above=0, most=1)

    @property
    def walls(self) -> list[Wall]:
        """The walls that cast shadows: a list of the objects that you have set or added. The list
        is empty by default.

        Set ``walls`` to one of these values, or to a list of such values:

        - Segments (n, 2, 2), boxes (n, 4) with left, bottom, right and top, a polygon (k, 2), or
          polygons (n, k, 2). All these arrays are in units.
        - A `TileGrid` or `TileLayer`. Its solid tiles are walls. If the game changes a tile, the
          walls change in the next tick.
        - A `SpriteBatch`. Each visible sprite has a box that moves with it. See `add_walls`.

        Any other value raises `TypeError` or `ValueError`.
        """
        return [source.value for source in self._state.walls.sources]

    @walls.setter
    def walls(self, value: Wall | Sequence[Wall]) -> None:
        sources = sources_of("walls", value)
        self._state.walls.clear()
        self._state.walls.add(sources, 0.0)

    def add_walls(
        self,
        walls: Wall | Sequence[Wall],
        *,
        depth: float = 0.0,
        size: tuple[float, float] | None = None,
    ) -> None:
        """Add walls to the existing walls.

        Parameters
        ----------
        walls
            See the property `walls`.
        depth
            How far light reaches into the walls, in units. Inside the wall, the light fades to 0
            over the distance ``depth``. For example, use ``depth`` to illuminate the edges of
            rocks. Light passes through walls that are thinner than ``depth``. The default is 0.
        size
            The width and height of the box of each sprite in a `SpriteBatch`, before scaling, in
            units. Each box is centered at the position of its sprite. By default, a box covers the
            opaque part of the first image in the batch. A box casts no shadow for a light that is
            inside the box.
        """
        depth = checks.number("depth", depth, least=0, most=MAX_MAGNITUDE)
        if size is not None:
            size = checks.pair("size", size, above=0)
        self._state.walls.add(sources_of("walls", walls, size), depth)

    def add_normals(self, batch: SpriteBatch, normals: ImageSource | Sequence[ImageSource]) -> None:
        """Add normal maps to a sprite batch, to make its sprites look three-dimensional.

        ``normals`` contains one image for each image of the batch, in the same order and with the
        same size. In a normal map, red is the direction to the right, green is up, and blue is the
        direction to the viewer. Each number from 0 to 255 represents a value from -1 to 1. The
        normals rotate and flip together with the sprites. At each pixel, a light's brightness is
        multiplied by the cosine of the angle between the normal and the direction to the light.
        `Light2D.height` is the height of a light above the sprites.

        Raises
        ------
        TypeError, ValueError
            If ``normals`` are not images, or if the number of normal maps differs from the number
            of images in the batch.
        AssetError
            If an image cannot be read, or if a normal map and its image do not have the same size.
            `add_normals` raises this error if the lights and the batch are already in a game.
            Otherwise, it is raised in the first frame.
        """
        checks.instance("batch", batch, SpriteBatch)
        added = NormalMap(batch, checked_normals(batch, normals))
        backend = self._backend
        if isinstance(backend, _LoadsNormals):
            backend.load_normals(added)
        self._state.normals = *self._state.normals, added

    def at(self, points: ArrayLike, alpha: float = 1.0) -> Doubles:
        """Return the light level at the given points in the world: red, green and blue. The
        returned array is float64 with the shape (n, 3).

        For a single point, the shape is (3,). The light level is the same as on the screen, with
        walls, cones and flicker, but without normal maps. A value of 1 leaves colors unchanged. The
        returned values may be greater than 2, although the screen shows at most 2. ``alpha`` is a
        time between the last two ticks, from 0 to 1. The default is 1, the current state.
        """
        plain = self._plain_light(points, alpha)
        if plain is not None:
            return plain
        array = checks.numbers("points", points, None)
        if array.ndim not in (1, 2) or array.shape[-1] != 2:
            raise checks.wrong_value("points", "points of shape (n, 2) or (2,)", points)
        alpha = checks.number("alpha", alpha)
        ambient = np.array(self._state.ambient_at(alpha))
        light = light2d_math.light(
            array.reshape(-1, 2), ambient, self._lights_at(alpha), self._state.walls.at(alpha)
        )
        return light.reshape(3) if array.ndim == 1 else light

    def _plain_light(self, points: ArrayLike, alpha: float) -> Doubles | None:
        """Return the light at a single point, or None if only `at` can check the arguments or
        compute the light there.
        """
        table = self._table
        point = one_row(points, 2)
        if (
            point is None
            or self._state.walls.sources
            or table.count > _MAX_PLAIN
            or type(alpha) is not float
            or not math.isfinite(point[0] + point[1] + alpha)
        ):
            return None
        old, new = table.states(slice(None))
        columns = [self._current(name) for name in ("cone", "softness", "flicker", "flicker_rate")]
        lights: Any = (
            _numbers_of(old),
            _numbers_of(new),
            *[column.tolist() for column in columns],
            self._current("visible").tolist(),
        )
        x, y = point
        red, green, blue = map(float, self._state.ambient_at(alpha))
        light = light2d_math.plain_light(x, y, alpha, (red, green, blue), lights)
        if light is None:
            return None
        single = points.ndim == 1 if isinstance(points, np.ndarray) else len(points) == 2  # type: ignore[arg-type]
        return np.array(light if single else [light])

    def _lights_at(self, alpha: float) -> LightRows:
        """Return the interpolated values of all lights at ``alpha``. The formulas are the same as
        in shaders/lamps.vert.
        """
        old, new = self._table.states(slice(None))
        # The following lines turn off lights that have infinite values or NaN.
        with np.errstate(invalid="ignore"):
            position, _, color, radius, intensity = (
                a.astype(np.float64) + (b.astype(np.float64) - a) * alpha
                for a, b in zip(old, new, strict=True)
            )
            angle = blend_angle(old[1], new[1], alpha).astype(np.float64)
        now: dict[str, NDArray[Any]] = {
            name: self._current(name) for name in ("cone", "softness", "flicker", "flicker_rate")
        }
        time = self._state.time_at(alpha)
        strength = intensity * light2d_math.flickered(
            time, now["flicker"], now["flicker_rate"], self._current("seed")
        )
        with np.errstate(invalid="ignore"):
            color = color * strength[:, None]
        finite: Mask = (
            np.isfinite(position).all(axis=1) & np.isfinite(color).all(axis=1) & np.isfinite(angle)
        )
        finite &= np.isfinite(now["softness"])
        radius = np.where(self._current("visible") & finite, radius, 0.0)
        return LightRows(
            position, angle, color, radius, now["cone"], now["softness"], self._current("shadows")
        )

    def _current(self, name: str) -> NDArray[Any]:
        values = self._table.column(name).current(self._table.count)
        return values.astype(np.float64) if values.dtype == np.float32 else values

    def _parts(self) -> LightParts:
        return LightParts(self._table, self._state)
