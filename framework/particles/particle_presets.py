"""Particle presets: fire, smoke, sparks, confetti, rain and snow.

The code of this module generates the images of the presets, so you can use the images freely.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar, Required, Self, TypedDict

from ..arrays import Pixels
from ..assets.images import ImageSource, checked_source
from ..assets.particle_images import flake, paper, puffs, spot, streak
from ..checks import number
from ..geometry import exact
from ..geometry.curves import Curve, scaled
from ..other_engines.particle_names import presets_names
from .particle_motion import MAX_IMAGES

# The lengths of presets are in pixels, for a screen that is about 500 pixels high. In 3D, one unit
# is 60 pixels.
_PIXELS = 60.0


def checked_images(image: object) -> list[ImageSource]:
    """Check the images of a particle system, and return a list of 1 to 16 images.

    If ``image`` is None, return the image of a soft round spot.
    """
    if image is None:
        return [spot()]
    sources: list[object] = list(image) if isinstance(image, list | tuple) else [image]
    if not 0 < len(sources) <= MAX_IMAGES:
        raise ValueError(f"image: expected from 1 to {MAX_IMAGES} images, got {len(sources)}")
    return [checked_source("image", source) for source in sources]


class _Preset(TypedDict, total=False):
    """The options of a preset, such as fire.

    Lengths are in pixels, directions are in degrees, and gravity is positive upwards.
    """

    image: Required[ImageSource | list[ImageSource] | list[Pixels]]
    capacity: int
    lifetime: tuple[float, float]
    speed: Required[tuple[float, float]]
    direction: float
    spread: float
    emission_size: tuple[float, float]
    gravity: float
    damping: float
    noise: tuple[float, float]
    angle: tuple[float, float]
    angular_velocity: tuple[float, float]
    scale: tuple[float, float]
    size: Required[Curve | float]
    color: Curve
    tint: list[str]
    tumble: float
    align: bool
    blend: str


@presets_names
class Presets:
    """The class methods of `Particles` and `Particles3D` that return particle systems for common
    effects.
    """

    __slots__ = ()

    _dimensions: ClassVar[int]

    @classmethod
    def fire(cls, *, unit: float | None = None, **options: Any) -> Self:
        """Return a particle system for fire, with flames that rise.

            self.add(fw.Particles.fire()).emitter((300, 100), rate=150)

        The presets multiply sizes, speeds and all other lengths by ``unit``. In 2D, ``unit`` is 1
        by default, which fits a screen of about 500 pixels in height. In 3D, the default of
        ``unit`` is 1/60. You can also pass options of `Particles` or `Particles3D` as keywords.
        These options replace the options of the preset.
        """
        preset: _Preset = {
            "image": puffs(),
            "capacity": 2000,
            "lifetime": (0.5, 1.15),
            "speed": (70, 170),
            "direction": 90.0,
            "spread": 0.16,
            "emission_size": (30, 6),
            "gravity": 110,
            "damping": 0.8,
            "noise": (6, 1.3),
            "angle": (-3.1, 3.1),
            "angular_velocity": (-2, 2),
            "size": Curve(24, 40, 22, 4, at=(0, 0.2, 0.65, 1)),
            "scale": (0.7, 1.2),
            "blend": "add",
            "color": Curve(
                "#ffd07000",
                "#ff9a3c70",
                "#ff5a1468",
                "#a81c0848",
                "#20040000",
                at=(0, 0.1, 0.4, 0.75, 1),
            ),
        }
        return cls._made(preset, unit, options)

    @classmethod
    def smoke(cls, *, unit: float | None = None, **options: Any) -> Self:
        """Return a particle system for smoke, with soft puffs that rise, grow and fade.

        For ``unit`` and the options, see `fire`.
        """
        preset: _Preset = {
            "image": puffs(),
            "capacity": 2000,
            "lifetime": (2.2, 3.6),
            "speed": (30, 60),
            "direction": 90.0,
            "spread": 0.35,
            "emission_size": (14, 6),
            "gravity": 26,
            "damping": 0.9,
            "noise": (12, 0.35),
            "angle": (-3.1, 3.1),
            "angular_velocity": (-0.6, 0.6),
            "size": Curve(18, 70, 110),
            "scale": (0.7, 1.2),
            "color": Curve(
                "#8b868400", "#918c8a66", "#a5a2a030", "#b4b2b000", at=(0, 0.12, 0.6, 1)
            ),
        }
        return cls._made(preset, unit, options)

    @classmethod
    def sparks(cls, *, unit: float | None = None, **options: Any) -> Self:
        """Return a particle system for sparks, which glow, fly apart and fall.

        Example: ``sparks.emit(60, position=hit)``.
        """
        preset: _Preset = {
            "image": streak(),
            "capacity": 2000,
            "lifetime": (0.4, 1.0),
            "speed": (80, 380),
            "gravity": -420,
            "damping": 1.6,
            "size": Curve(26, 22, 8),
            "scale": (0.6, 1.2),
            "align": True,
            "blend": "add",
            "color": Curve("#fff6d8", "#ffd070", "#ff8a2ac0", "#d0301000", at=(0, 0.25, 0.65, 1)),
        }
        return cls._made(preset, unit, options)

    @classmethod
    def confetti(cls, *, unit: float | None = None, **options: Any) -> Self:
        """Return a particle system for confetti: colored pieces of paper that fly up and sink
        slowly.
        """
        preset: _Preset = {
            "image": [paper(10, 7), paper(8, 8), paper(14, 4)],
            "capacity": 4000,
            "lifetime": (3.0, 5.0),
            "speed": (150, 620),
            "direction": 90.0,
            "spread": 0.55,
            "gravity": -230,
            "damping": 2.2,
            "noise": (14, 0.7),
            "angle": (-3.1, 3.1),
            "angular_velocity": (-5, 5),
            "tumble": 1.6,
            "size": 12,
            "scale": (0.7, 1.15),
            "tint": [
                "#ff4d6d",
                "#ffb703",
                "#8ac926",
                "#1fa2ff",
                "#9b5de5",
                "#ff8fab",
                "#2ec4b6",
                "#ffe066",
            ],
            "color": Curve("#fff", "#fff", "#fff0", at=(0, 0.85, 1)),
        }
        return cls._made(preset, unit, options)

    @classmethod
    def rain(cls, *, unit: float | None = None, **options: Any) -> Self:
        """Return a particle system for rain. Drops are born along a line that is 1,100 units long,
        and fall about 700 units.

        Example: ``rain.emitter((400, 700), 900, prewarm=1)``.
        """
        preset: _Preset = {
            "image": streak(),
            "capacity": 6000,
            "lifetime": (0.9, 1.1),
            "speed": (640, 820),
            "direction": -96.0,
            "spread": 0.02,
            "emission_size": (1100, 30),
            "size": 26,
            "scale": (0.6, 1.2),
            "align": True,
            "color": Curve(
                "#aac4ff00", "#b4d0ffb0", "#b4d0ff90", "#aac4ff00", at=(0, 0.1, 0.85, 1)
            ),
        }
        return cls._made(preset, unit, options)

    @classmethod
    def snow(cls, *, unit: float | None = None, **options: Any) -> Self:
        """Return a particle system for snow. Flakes sway and fall for about ten seconds.

        Example: ``snow.emitter((400, 560), 90, prewarm=10)``.
        """
        preset: _Preset = {
            "image": [spot(), flake()],
            "capacity": 4000,
            "lifetime": (9.0, 11.0),
            "speed": (45, 75),
            "direction": -86.0,
            "spread": 0.1,
            "emission_size": (1150, 30),
            "noise": (22, 0.28),
            "angle": (-3.1, 3.1),
            "angular_velocity": (-0.8, 0.8),
            "size": 11,
            "scale": (0.45, 1.2),
            "color": Curve(
                "#eef4ff00", "#f4f8ffd8", "#f4f8ffd8", "#eef4ff00", at=(0, 0.06, 0.9, 1)
            ),
        }
        return cls._made(preset, unit, options)

    @classmethod
    def _made(cls, preset: _Preset, unit: float | None, options: dict[str, Any]) -> Self:
        """Return a particle system of this class with the options of a preset.

        The method multiplies lengths by ``unit``. Vectors have two numbers in 2D and three numbers
        in 3D.
        """
        flat = cls._dimensions == 2
        length = number("unit", (1.0 if flat else 1 / _PIXELS) if unit is None else unit, above=0)
        converted: dict[str, object] = {**preset}
        converted["speed"] = tuple(length * speed for speed in preset["speed"])
        converted["size"] = _scaled(preset["size"], length)
        if "noise" in preset:
            converted["noise"] = (length * preset["noise"][0], preset["noise"][1])
        if "gravity" in preset:
            converted["gravity"] = (0.0, length * preset["gravity"], 0.0)[: cls._dimensions]
        if "emission_size" in preset:
            width, height = (length * side for side in preset["emission_size"])
            converted["emission_size"] = (width, height) if flat else (width, height, width)
        if "direction" in preset:
            angle = math.radians(preset["direction"])
            circle: tuple[float, float] = exact.sincos(angle)
            up, along = circle
            converted["direction"] = angle if flat else (along, up, 0.0)
        values: dict[str, Any] = converted | options
        return cls(**values)


def _scaled(size: Curve | float, length: float) -> Curve | float:
    return scaled(size, length) if isinstance(size, Curve) else length * size
