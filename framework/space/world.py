"""A world: what is in space, the light that falls on it, and the camera that sees it. It is drawn
as one thing.
"""

from __future__ import annotations

__all__ = ["World"]

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, TypeVar, cast

from .. import checks
from ..checks import Sealed, Setting
from ..current_game import between_ticks
from ..gpu.drawable import SolidDefaults, completed, original
from ..motion.viewpoint import LARGEST
from ..state.latched import Latched, LatchedValue, linear
from ..state.works import Face, Placement, placement_of, works_of
from .camera3d import Camera3D
from .lights import Lights, Three, color
from .lines import Lines, is_untouched
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
    """A direction of length 1 on the straight line from one to another."""
    x, y, z = linear(previous[0], current[0], alpha)
    length = math.sqrt(x * x + y * y + z * z)
    # In the middle between two opposite ones there is no direction to take.
    return ((x / length, y / length, z / length),) if length > 1e-6 else current


class WorldParts(NamedTuple):
    """The objects that a world shares with its works."""

    solids: Solids
    sun: Latched[tuple[Three]]
    use_lines: Callable[[], None]
    """Called before each tick and frame: lines that were touched between ticks are used then."""


class World(Face, Sealed):
    """Things in space, with a `Camera3D` and light: a sun, a sky, and any number of `lights`.

    Colours of light are linear and may be above 1: the colour of a light is what a white matt
    surface that faces it shows. The picture is tone mapped and sRGB. A bad value is an error that
    names what was set.
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

    _works_in = "framework.space.world_drawing"

    _shadows: Shadows | None
    _sky: bool | Three | None

    camera = Setting(
        partial(checks.instance, kind=Camera3D), "What it is seen with; another one may be set."
    )
    sun_direction = LatchedValue(
        "_sun",
        0,
        _direction,
        "The direction to the sun, set of any length, then of length 1. It is interpolated.",
    )
    sun_color = Setting(color, "Black for a night without it.")
    sky_color = Setting(
        color,
        "Ambient light from above. The sky that mirrors show, and that is drawn with "
        "`sky`, is made of it.",
    )
    ground_color = Setting(color, "Ambient light from below.")
    fog_color = Setting(color, "What is seen of something in endless fog.")
    fog = Setting(
        partial(checks.number, least=0, most=LARGEST),
        "How much fog there is in a unit: of what is 1 / fog away, 37 % is seen; 0 for none.",
    )
    exposure = Setting(
        partial(checks.number, least=0, most=LARGEST),
        "What all light is multiplied with before it is tone mapped.",
    )
    sky = Setting(
        _checked_sky,
        """What is drawn behind everything: True for a sky with the sun, a colour of light for that alone, or None.

        It covers what was drawn before the world.
        """,
    )
    shadows = Setting(
        _checked_shadows,
        "The sun's shadows: True, or `Shadows` with settings; None for none, which is "
        "the cheapest.",
    )

    def __init__(self, camera: Camera3D | None = None) -> None:
        self._works = None
        self.camera = Camera3D() if camera is None else camera
        self.lights = Lights()
        """Point and spot lights."""
        self._sun = Latched((_direction("sun_direction", (0.4, 0.8, 0.45)),), _blend_sun)
        self.sun_color, self.sky_color = (1.1, 1.02, 0.9), (0.18, 0.24, 0.32)
        self.ground_color, self.fog_color = (0.10, 0.09, 0.075), (0.42, 0.50, 0.60)
        self.fog, self.exposure = 0.0, 1.0
        self.sky = self.shadows = None
        self._solids = Solids()
        self._lines: Lines | None = None
        self._read_lines: Lines | None = (
            None  # made when somebody looked at them between ticks; until they are used
        )

    @property
    def _placement(self) -> Placement:  # type: ignore[override]  # its camera may be exchanged
        return Placement(False, False, 0, self.camera)

    def _parts(self) -> WorldParts:
        return WorldParts(self._solids, self._sun, self._use_touched_lines)

    def _batches(self) -> Sequence[object]:
        return [self.lights, *self._solids.all]

    # -- things ------------------------------------------------------------------------------------

    def add(self, solid: S) -> S:
        """Draw ``solid`` (a `MeshBatch`, …), and the ``parts`` that it may consist of; returns
        it.
        """
        drawn = cast(AddedSolid, completed("solid", solid, SolidDefaults))
        if not placement_of(drawn).in_world:
            hint = "add it to the scene: scene.add(…)"
            raise checks.wrong_type(
                "solid", f"what is in space, such as a MeshBatch; {hint}", solid
            )
        solids = self._solids
        if any(original(known) is solid for known in solids.all):
            raise ValueError("solid: it was added to this world already")
        if isinstance(drawn, Face) and works_of(drawn) is not None:
            raise ValueError("solid: it was added to a world already")
        solids.all.append(drawn)
        try:
            solids.follow()
        except BaseException:
            solids.all.pop()
            raise
        for part in parts_of(drawn):
            self.add(part)
        return solid

    def discard(self, solid: object) -> None:
        """Stop drawing something that was added, and release it."""
        solids = self._solids
        for index, known in enumerate(solids.all):
            if original(known) is solid:
                del solids.all[index]
                if known is self._lines:
                    self._lines = None
                solids.follow()
                for part in parts_of(known):
                    self.discard(part)
                return
        raise ValueError("solid: it is not in this world")

    @property
    def lines(self) -> Lines:
        """Lines to see what the game computes, hidden by what is before them, added at their first
        use.
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
        self._read_lines, self._lines = None, self.add(lines)

    def _use_touched_lines(self) -> None:
        lines = self._read_lines
        if lines is not None and not is_untouched(lines):
            self._use_lines(lines)
