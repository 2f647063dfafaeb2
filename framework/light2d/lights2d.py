"""Light in the plane: lamps and their shadows, multiplied with what was drawn below them."""

from __future__ import annotations

__all__ = ["Lamp", "Lights2D"]

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
from ..motion.viewpoint import LARGEST, coordinates
from ..plane.sprites import SpriteBatch
from ..state.columns import Cells, Column, Table, Tabular
from ..state.motion import blend_angle
from ..state.rows import MAX_ROWS, Cell, Handle, Handled, table_of
from ..state.works import Face, Placement
from . import lamplight
from .lamplight import Lamps
from .lightwalls import Wall, WallSet, sources_of
from .normalmaps import NormalMap, checked_normals

T = TypeVar("T")

MAX_LAMPS = 4096
"""Lamps of one `Lights2D`: rows of a texture, which every driver has."""

Three = tuple[float, float, float]

_at_least_0 = partial(checks.number, least=0, most=LARGEST)
_share = partial(checks.number, least=0, most=1)


def _tint(name: str, value: object) -> Three:
    """A colour of light: three numbers of at least 0, or a string."""
    if isinstance(value, str):
        return checks.color(name, value)[:3]
    red: float
    green: float
    blue: float
    red, green, blue = checks.light(name, value).tolist()
    if max(red, green, blue) > LARGEST:
        raise checks.wrong_value(name, f"three numbers from 0 to {LARGEST:g}", value)
    return red, green, blue


def _position(name: str, value: object) -> tuple[float, float]:
    x: float
    y: float
    x, y = coordinates(name, value, 2).tolist()
    return x, y


class _LampCell(Cell[T]):
    """What a lamp has in a column, checked when it is set."""

    def __init__(self, check: Callable[[str, object], T], doc: str) -> None:
        super().__init__(doc)
        self.check = check

    def __set__(self, lamp: Any, value: object) -> None:
        super().__set__(lamp, self.check(self.name, value))


class Lamp(Handle["Lights2D"], Sealed):
    """One lamp of `Lights2D`. A bad value is an error that names what was set; so is any use of one
    that was removed.

    What of it moves, turns or changes its colour, radius or intensity in a tick is interpolated
    with the alpha of all else.
    """

    __slots__ = ()

    _noun = "lamp"
    _loss = "it was removed; make a new one with lights.add(…)"

    position = _LampCell[tuple[float, float]](_position, "Where it is, in units, y up.")
    color = _LampCell[Three](
        _tint,
        "Red, green and blue, at least 0: what white shows right at the lamp; or a "
        "string such as '#fc8'.",
    )
    radius = _LampCell[float](
        _at_least_0, "Units; nothing is lit beyond, nor by a lamp whose radius is 0."
    )
    intensity = _LampCell[float](_at_least_0, "What the colour is multiplied with.")
    angle = _LampCell[float](
        partial(checks.number, most=LARGEST), "Radians counter-clockwise, where its cone points."
    )
    cone = _LampCell[float](
        partial(checks.number, above=0, most=math.tau),
        "How wide it shines, in radians from edge to edge; tau: around.",
    )
    softness = _LampCell[float](
        _at_least_0, "Radius of what glows, in units: the larger, the softer its shadows."
    )
    flicker = _LampCell[float](_share, "How much of its light comes and goes, 0 to 1.")
    flicker_rate = _LampCell[float](
        partial(checks.number, least=0, most=1000), "How often a second it does so."
    )
    seed = _LampCell[int](
        partial(checks.whole, least=-(1 << 31), most=(1 << 31) - 1),
        "By which it flickers; others do at other times.",
    )
    height = _LampCell[float](_at_least_0, "Units over the plane, for sprites with normal maps.")
    visible = _LampCell[bool](checks.flag, "Whether it is on.")
    shadows = _LampCell[bool](checks.flag, "Whether walls hold its light up.")

    def __repr__(self) -> str:
        return "<Lamp, removed>" if self.removed else f"<Lamp at {self.position}>"


def _checks_of(name: str) -> Callable[[str, object], object]:
    """Return the function that checks a lamp's value of a column."""
    cell: _LampCell[object] = vars(Lamp)[name]
    return cell.check


class _Checked(Cells[T]):
    """A column of lamps, checked when it is set as a whole."""

    def __set__(self, lights: Tabular[Table], value: ArrayLike) -> None:
        table = table_of(lights)
        expected = table.column(self.name)
        values = table.checked(table.count, {self.name: value})[self.name]
        check = _checks_of(self.name)
        rows: list[object] = values.tolist()
        for row in rows:
            check(expected.name, row)
        super().__set__(lights, values)


class LightState:
    """The state of `Lights2D` besides its rows. Its works have it, too."""

    __slots__ = ("ambient", "ambient_before", "clock", "clock_before", "normals", "walls")

    def __init__(self, ambient: Three) -> None:
        self.ambient = self.ambient_before = ambient
        """The light that is everywhere, now and when the last tick began."""
        self.clock = self.clock_before = 0.0
        """Simulated seconds, at the end and the beginning of the last tick."""
        self.walls = WallSet()
        self.normals: tuple[NormalMap, ...] = ()

    def begin_tick(self, dt: float) -> None:
        """Begin a tick of ``dt`` simulated seconds."""
        self.clock_before, self.ambient_before = self.clock, self.ambient
        self.clock += dt
        self.walls.looked = False

    def notice_writes(self) -> None:
        """While no ticks run, draw with the light as it is now."""
        self.walls.looked = False
        self.ambient_before = self.ambient

    def ambient_at(self, alpha: float) -> Three:
        """Return the light that is everywhere at ``alpha``."""
        red, green, blue = (
            a + (b - a) * alpha for a, b in zip(self.ambient_before, self.ambient, strict=True)
        )
        return red, green, blue

    def time_at(self, alpha: float) -> float:
        """Return the simulated seconds at ``alpha``."""
        return self.clock_before + (self.clock - self.clock_before) * alpha


@runtime_checkable
class _LoadsNormals(Protocol):
    """Works in a game with pictures."""

    def load_normals(self, normals: NormalMap) -> None: ...


class LightParts(NamedTuple):
    """The objects that `Lights2D` shares with its works."""

    table: Table
    state: LightState


class Lights2D(Handled[Lamp], Face, Sealed):
    """Lamps in the plane: ``self.lights = self.add(fw.Lights2D(ambient=(0.1, 0.1, 0.15)),
    layer=1)``.

    What the scene has drawn so far is multiplied with the light that falls on it: what is in higher
    layers, what is added later, and what is on the HUD in its own layer, such as labels, stays as
    it is. What is lit twice over is drawn twice as bright; more than that is not shown.

    Parameters
    ----------
    ambient
        Red, green and blue of the light that is everywhere, at least 0, or a string: black where
        nothing shines.
    resolution
        Pixels of the map of the light for each of the picture's, along both sides: 1, or less for
        less work, such as 0.5. Sprites, edges and all stay as sharp as they are, shadows do not.
    capacity
        Lamps to make room for at once.

    Columns
    ------- ``position`` (n, 2) in units, ``color`` (n, 3), ``radius`` (n,) in units, ``intensity``
    (n,) and ``angle`` (n,) in radians counter-clockwise: float32, interpolated. ``cone`` (n,) in
    radians from edge to edge, ``softness`` (n,) and ``height`` (n,) in units, ``flicker`` (n,) in
    0..1, ``flicker_rate`` (n,) a second: float32; ``seed`` (n,) int32, ``visible`` and ``shadows``
    (n,) bool. What is written in place is not checked: a lamp with numbers that are not finite, or
    with no radius, is off.
    """

    __slots__ = ("_resolution", "_state", "_table")

    _rows_can_be_saved = True
    _noun = "lamps"
    _handle_class = Lamp
    _placement = Placement(below_hud=True)  # labels are in layer 1, where lights are most often
    _works_in = "framework.light2d.lightmap"

    position = _Checked[Floats]("Units, y up: float32 (n, 2), interpolated.")
    color = _Checked[Floats]("Red, green and blue, at least 0: float32 (n, 3), interpolated.")
    radius = _Checked[Floats]("Units: float32 (n,), interpolated.")
    intensity = _Checked[Floats]("What the colour is multiplied with: float32 (n,), interpolated.")
    angle = _Checked[Floats]("Radians, counter-clockwise: float32 (n,), interpolated.")
    cone = _Checked[Floats]("Radians from edge to edge: float32 (n,).")
    softness = _Checked[Floats]("Radius of what glows, in units: float32 (n,).")
    flicker = _Checked[Floats]("How much of the light comes and goes, 0 to 1: float32 (n,).")
    flicker_rate = _Checked[Floats]("How often a second it does: float32 (n,).")
    height = _Checked[Floats]("Units over the plane: float32 (n,).")
    seed = _Checked[NDArray[np.int32]]("By which each flickers: int32 (n,).")
    visible = _Checked[NDArray[np.bool_]]("Whether it is on: bool (n,).")
    shadows = _Checked[NDArray[np.bool_]]("Whether walls hold its light up: bool (n,).")

    def __init__(
        self,
        ambient: str | Sequence[float] = (0.0, 0.0, 0.0),
        *,
        resolution: float = 1.0,
        capacity: int = 0,
    ) -> None:
        self._works = None
        self._state = LightState(_tint("ambient", ambient))
        self._resolution = checks.number("resolution", resolution, above=0, most=1)
        moving = [("position", 2, 0.0), ("angle", 1, 0.0), ("color", 3, 1.0), ("radius", 1, 100.0)]
        moving += [("intensity", 1, 1.0)]
        traits = [
            ("cone", math.tau),
            ("softness", 0.0),
            ("flicker", 0.0),
            ("flicker_rate", 8.0),
            ("height", 40.0),
        ]
        self._table: Table = Table(
            [Column(name, width, default, interpolated=True) for name, width, default in moving],
            *[Column(name, 1, default, interpolated=False) for name, default in traits],
            Column("seed", 1, 0, dtype=np.int32, interpolated=False),
            Column("visible", 1, True, dtype=np.bool_, interpolated=False),
            Column("shadows", 1, True, dtype=np.bool_, interpolated=False),
        )
        self._start_with(0, checks.whole("capacity", capacity, 0, MAX_LAMPS))

    # -- lamps -------------------------------------------------------------------------------------

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
    ) -> Lamp:
        """One more lamp; see `Lamp` for what the arguments mean. Its ``seed`` is its row unless
        given.
        """
        given: dict[str, object] = {
            "position": position,
            "color": color,
            "radius": radius,
            "intensity": intensity,
        }
        given |= {
            "angle": angle,
            "cone": cone,
            "softness": softness,
            "flicker": flicker,
            "flicker_rate": flicker_rate,
        }
        given |= {"seed": self._table.count if seed is None else seed, "height": height}
        given |= {"visible": visible, "shadows": shadows}
        checked = {name: _checks_of(name)(name, value) for name, value in given.items()}
        self._room_for("count", 1)
        row: int = self._table.spawn(1).start
        for name, value in checked.items():
            self._table.column(name).put(row, value)
        return self._handle(row)

    def extend(self, count: int, **columns: ArrayLike) -> slice:
        """``count`` more lamps; returns them as a slice. Keywords are columns, each for all or with
        a row for each.
        """
        count = self._room_for("count", count)
        start = self._table.count
        values = self._table.checked(count, {"seed": np.arange(start, start + count), **columns})
        for name, rows in values.items():
            check = _checks_of(name)
            numbers: list[object] = rows.tolist()
            for number in numbers:
                check(name, number)
        return self._table.spawn(count, values)

    def _room_for(self, name: str, count: int) -> int:
        """``count`` more lamps, checked against what a light map can hold."""
        count = checks.whole(name, count, 0, MAX_ROWS)
        if self._table.count + count > MAX_LAMPS:
            lamps = self._table.count + count
            raise ValueError(
                f"{name}: {lamps:,} lamps, there can be {MAX_LAMPS:,}; use another Lights2D"
            )
        return count

    # -- light and walls ---------------------------------------------------------------------------

    @property
    def ambient(self) -> Three:
        """The light that is everywhere: red, green and blue; interpolated."""
        return self._state.ambient

    @ambient.setter
    def ambient(self, value: str | Sequence[float]) -> None:
        self._state.ambient = _tint("ambient", value)

    @property
    def resolution(self) -> float:
        """Pixels of the map of the light for each of the picture's, along both sides."""
        return self._resolution

    @resolution.setter
    def resolution(self, value: float) -> None:
        self._resolution = checks.number("resolution", value, above=0, most=1)

    @property
    def walls(self) -> list[Wall]:
        """What throws shadows, as it was given. Set it to one of these, or a list of them: segments
        (n, 2, 2), boxes (n, 4) by left, bottom, right and top, a polygon (k, 2) or several (n, k,
        2), in units; a `TileGrid` or a `TileLayer`, of which the outline of the solid tiles counts,
        as they are now; a `SpriteBatch`, each of whose visible sprites has a box that goes with it
        (see `add_walls`). `TypeError` or `ValueError` for anything else."""
        return [source.given for source in self._state.walls.sources]

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
        """More walls, as of `walls`.

        Light goes ``depth`` units into them, fading out: so the faces of rocks are seen. What is
        thinner lets it through. ``size`` is that of the boxes of a `SpriteBatch` about where its
        sprites are, in units before they are scaled; by default, what is opaque of its first image.
        A lamp in such a box is not hidden by it.
        """
        depth = checks.number("depth", depth, least=0, most=LARGEST)
        if size is not None:
            size = checks.pair("size", size, above=0)
        self._state.walls.add(sources_of("walls", walls, size), depth)

    def add_normals(self, batch: SpriteBatch, normals: ImageSource | Sequence[ImageSource]) -> None:
        """Have the sprites of a batch lit by which way their pixels face: ``normals`` are images as
        large as the batch's, one for each of them, in their order. Red is to the right, green up,
        blue towards the eye, from -1 to 1 as 0 to 255. They turn and are mirrored as the sprites
        are.

        Such a pixel has the cosine between its normal and the way to the lamp, which is
        `Lamp.height` over the plane, of what it had otherwise. Raises `TypeError` or `ValueError`
        for what are none, `AssetError` for what cannot be read or is of another size: at once where
        the lights and the batch are in a game, else with the first picture.
        """
        checks.instance("batch", batch, SpriteBatch)
        added = NormalMap(batch, checked_normals(batch, normals))
        works = self._works
        if isinstance(works, _LoadsNormals):
            works.load_normals(added)
        self._state.normals = *self._state.normals, added

    def at(self, points: ArrayLike, alpha: float = 1.0) -> Doubles:
        """What light falls on points of the world: float64 (n, 3), red, green and blue, of one
        point (3,).

        It is computed as the picture is, with walls, cones and flames, and not clamped: 1 shows a
        picture as it is. In a tick it is the light of the states as they are now; ``alpha`` asks
        for another moment since the last tick.
        """
        array = checks.numbers("points", points, None)
        if array.ndim not in (1, 2) or array.shape[-1] != 2:
            raise checks.wrong_value("points", "places of shape (n, 2) or (2,)", points)
        alpha = checks.number("alpha", alpha)
        ambient = np.array(self._state.ambient_at(alpha))
        found = lamplight.light(
            array.reshape(-1, 2), ambient, self._lamps_at(alpha), self._state.walls.at(alpha)
        )
        return found.reshape(3) if array.ndim == 1 else found

    def _lamps_at(self, alpha: float) -> Lamps:
        """As `shaders/lamps.vert` has them."""
        old, new = self._table.states(slice(None))
        with np.errstate(invalid="ignore"):  # what is not finite is put out below
            position, _, color, radius, intensity = (
                a.astype(np.float64) + (b.astype(np.float64) - a) * alpha
                for a, b in zip(old, new, strict=True)
            )
            angle = blend_angle(old[1], new[1], alpha).astype(np.float64)
        now: dict[str, NDArray[Any]] = {
            name: self._current(name) for name in ("cone", "softness", "flicker", "flicker_rate")
        }
        time = self._state.time_at(alpha)
        strength = intensity * lamplight.flickered(
            time, now["flicker"], now["flicker_rate"], self._current("seed")
        )
        with np.errstate(invalid="ignore"):
            color = color * strength[:, None]
        finite: Mask = (
            np.isfinite(position).all(axis=1) & np.isfinite(color).all(axis=1) & np.isfinite(angle)
        )
        finite &= np.isfinite(now["softness"])
        radius = np.where(self._current("visible") & finite, radius, 0.0)
        return Lamps(
            position, angle, color, radius, now["cone"], now["softness"], self._current("shadows")
        )

    def _current(self, name: str) -> NDArray[Any]:
        values = self._table.column(name).current(self._table.count)
        return values.astype(np.float64) if values.dtype == np.float32 else values

    def _parts(self) -> LightParts:
        return LightParts(self._table, self._state)
