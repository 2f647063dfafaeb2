"""A 3D world, which draws solids, lights and a sky with a camera."""

from __future__ import annotations

__all__ = ["World"]

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from numpy.typing import ArrayLike

from .. import checks
from ..checks import Sealed, Setting
from ..current_game import between_ticks
from ..geometry.rays import checked_ray
from ..gpu.drawable import SolidDefaults, completed, original
from ..motion.camera_base import MAX_MAGNITUDE
from ..moved_names import HasMoved, moved
from ..other_engines.space_names import world_names
from ..state.backend import Frontend, Placement, backend_of, placement_of
from ..state.latched import Latched, LatchedValue, linear
from .camera3d import Camera3D
from .lights import Lights, Three, color
from .lines import Lines, is_untouched
from .picking import Hit, Pickable
from .shadows import Shadows
from .solids import AddedSolid, Solids, parts_of

S = TypeVar("S", bound=object)


def _direction(name: str, value: object) -> Three:
    numbers: list[float] = checks.direction(name, value).tolist()
    x, y, z = numbers
    return x, y, z


def _checked_sky(name: str, value: object) -> bool | Three | None:
    if value is None or isinstance(value, bool):
        return value or None
    return color(name, value)


def _checked_shadows(name: str, value: object) -> Shadows | None:
    if value is None or isinstance(value, bool):
        return Shadows() if value else None
    return checks.instance(name, value, Shadows, what="True, None or Shadows(…)")


def _blend_sun(previous: tuple[Three], current: tuple[Three], alpha: float) -> tuple[Three]:
    """Interpolate between two directions to the sun. The interpolated direction has a length of 1."""
    x, y, z = linear(previous[0], current[0], alpha)
    length = math.sqrt(x * x + y * y + z * z)
    # There is no direction halfway between two opposite directions, so the current direction is
    # used.
    return ((x / length, y / length, z / length),) if length > 1e-6 else current


class WorldParts(NamedTuple):
    """The objects that a `World` passes to its backend, which draws the world."""

    solids: Solids
    sun: Latched[tuple[Three]]
    use_lines: Callable[[], None]
    """Called before each tick and frame. If the game used `World.lines` between ticks, add the
    lines to the solids.
    """


@moved("world", {"discard": "remove"})
@world_names
class World(Frontend, HasMoved, Sealed):
    """A 3D scene that contains solids, a `Camera3D`, a sun, a sky, and any number of `lights`.

    The colors of lights are linear, not sRGB, and may be above 1. A white matte surface that faces
    a light appears in the color of the light. At the end of a frame, tone mapping reduces bright
    colors to at most white, and the image is converted to sRGB. Assigning an invalid value raises
    an error that contains the name of the attribute.
    """

    __slots__ = (
        "_camera",
        "_exposure",
        "_fog",
        "_fog_color",
        "_ground_color",
        "_lines",
        "_read_lines",
        "_shadows",
        "_sky",
        "_sky_color",
        "_solids",
        "_sun",
        "_sun_color",
        "lights",
    )

    _not_hashed = ("_read_lines",)

    _backend_in = "framework.space.world_drawing"

    _shadows: Shadows | None
    _sky: bool | Three | None

    camera = Setting(
        partial(checks.instance, kind=Camera3D),
        "The camera of the world. You can assign another `Camera3D`.",
    )
    sun_direction = LatchedValue(
        "_sun",
        0,
        _direction,
        "The direction to the sun, interpolated between ticks. The direction is scaled to length "
        "1. With (0, 1, 0), the sun is above the world. Other engines use the direction of the "
        "light, which is the opposite.",
    )
    sun_color = Setting(
        color,
        "The linear color of the sun's light. With black, the sun gives no light, as at night.",
    )
    sky_color = Setting(
        color,
        "The linear color of the ambient light from above. `sky_color` also changes the drawn "
        "`sky` and its reflections.",
    )
    ground_color = Setting(color, "The linear color of the ambient light from below.")
    fog_color = Setting(color, "The linear color of the fog.")
    fog = Setting(
        partial(checks.number, least=0, most=MAX_MAGNITUDE),
        "The density of the fog per unit. At the distance 1 / fog from the camera, 37 % of an "
        "object's color is visible. With 0, there is no fog.",
    )
    exposure = Setting(
        partial(checks.number, least=0, most=MAX_MAGNITUDE),
        "The factor that multiplies all light before tone mapping.",
    )
    sky = Setting(
        _checked_sky,
        """The background: True for a sky with the sun, a linear color, or None for no background.

        A background covers everything that was drawn before the world.
        """,
    )
    shadows = Setting(
        _checked_shadows,
        "The shadows of the sun: True, `Shadows` with options, or None for no shadows. None takes "
        "the least time.",
    )

    def __init__(self, camera: Camera3D | None = None) -> None:
        self._backend = None
        self.camera = Camera3D() if camera is None else camera
        self.lights = Lights()
        """The point and spot lights of the world."""
        self._sun = Latched((_direction("sun_direction", (0.4, 0.8, 0.45)),), _blend_sun)
        self.sun_color = (1.1, 1.02, 0.9)
        self.sky_color = (0.18, 0.24, 0.32)
        self.ground_color = (0.10, 0.09, 0.075)
        self.fog_color = (0.42, 0.50, 0.60)
        self.fog = 0.0
        self.exposure = 1.0
        self.sky = self.shadows = None
        self._solids = Solids()
        self._lines: Lines | None = None
        # the object that was created when the game read `lines` between ticks, until the object is
        # added to the world
        self._read_lines: Lines | None = None

    if not TYPE_CHECKING:

        def __setattr__(self, name: str, value: object) -> None:
            if name == "lights":
                checks.instance(
                    name, value, Lights, hint="write world.lights.clear(), and world.lights.add(…)"
                )
            super().__setattr__(name, value)

    @property
    def _placement(self) -> Placement:  # type: ignore[override]  # its camera may be exchanged
        return Placement(False, False, 0, self.camera)

    def _parts(self) -> WorldParts:
        return WorldParts(self._solids, self._sun, self._use_touched_lines)

    def _batches(self) -> Sequence[object]:
        return [self.lights, *self._solids.all]

    # -- solids ------------------------------------------------------------------------------------

    def add(self, solid: S) -> S:
        """Add a solid, such as a `MeshBatch`, and return the solid. If the solid has ``parts``,
        `add` also adds the solids in ``parts``.
        """
        drawn = cast(AddedSolid, completed("solid", solid, SolidDefaults))
        if not placement_of(drawn).in_world:
            hint = "add it to the scene: scene.add(…)"
            raise checks.wrong_type("solid", f"a solid, such as a MeshBatch; {hint}", solid)
        solids = self._solids
        if any(original(added_solid) is solid for added_solid in solids.all):
            raise ValueError("solid: already added to this world")
        if isinstance(drawn, Frontend) and backend_of(drawn) is not None:
            raise ValueError("solid: already added to a world")
        solids.all.append(drawn)
        try:
            solids.follow()
        except BaseException:
            solids.all.pop()
            raise
        for part in parts_of(drawn):
            self.add(part)
        return solid

    def remove(self, solid: object) -> None:
        """Remove a solid from this world, and release its GPU memory."""
        solids = self._solids
        for index, added_solid in enumerate(solids.all):
            if original(added_solid) is solid:
                del solids.all[index]
                if added_solid is self._lines:
                    self._lines = None
                solids.follow()
                for part in parts_of(added_solid):
                    self.remove(part)
                return
        raise ValueError("solid: expected a solid of this world")

    def pick(self, origin: ArrayLike, direction: ArrayLike, alpha: float = 1.0) -> Hit[Any] | None:
        """Return a `Hit` for the first visible object of this world that a ray hits, or None. The
        objects are the instances of mesh batches, the models and the copies of crowds.

        To find the object under the mouse, write
        ``world.pick(*world.camera.screen_ray(mouse.position))``. For the arguments, see
        `MeshBatch.pick`. A ray never hits billboards, particles and lines. A solid of your own
        class can be hit if the class has a method `pick` that takes the same arguments and returns
        a `Hit` or None.
        """
        checked_ray(origin, direction)
        alpha = checks.number("alpha", alpha)
        solids = self._solids.all
        parts = {id(part) for solid in solids for part in parts_of(solid)}
        nearest: Hit[Any] | None = None
        for solid in solids:
            own = original(solid)
            if id(solid) in parts or not isinstance(own, Pickable):
                continue  # a batch of models tests its parts itself
            hit = own.pick(origin, direction, alpha)
            if hit is not None and (nearest is None or hit.distance < nearest.distance):
                nearest = hit
        return nearest

    @property
    def lines(self) -> Lines:
        """The debug lines of this world, for example to show hit boxes. Solids hide the lines
        behind them.

        When you read `lines` in a tick for the first time, an empty `Lines` object is added to the
        world. Between ticks, it is added only when you add a line or set an option.
        """
        if self._lines is None:
            if self._read_lines is None:
                self._read_lines = Lines()
            if between_ticks() and is_untouched(self._read_lines):
                return self._read_lines
            self._use_lines(self._read_lines)
        assert self._lines is not None
        return self._lines

    def _use_lines(self, lines: Lines) -> None:
        self._lines = self.add(lines)
        self._read_lines = None

    def _use_touched_lines(self) -> None:
        lines = self._read_lines
        if lines is not None and not is_untouched(lines):
            self._use_lines(lines)
