"""The built-in screen effects: bloom, blur, vignette, CRT, outlines, palettes and others."""

from __future__ import annotations

__all__ = [
    "CRT",
    "LUT",
    "Afterimage",
    "Bloom",
    "Blur",
    "ChromaticAberration",
    "HeatHaze",
    "Outline",
    "PaletteEffect",
    "Pixelate",
    "Vignette",
]

import math
import os
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from .. import checks
from ..arrays import Doubles, Pixels, Rows
from ..assets.images import ImageSource, checked_source
from ..assets.palettes import Palette
from ..current_game import current_folders
from .screen_effects import Effect, EffectLook, Textures, Values
from .uniforms import UniformSetting, Value, uniforms_of

if TYPE_CHECKING:
    from moderngl import Texture

    from .passes import EffectChain, Target

Color: TypeAlias = str | Sequence[float]
"""The name of a color, a string such as "#f80", or red, green and blue from 0 to 1."""

_MIN_SIZE = 6  # minimum width and height of the images that bloom draws, in pixels
_MAX_COLORS = 256


def _share(name: str, value: object) -> float:
    return checks.number(name, value, least=0, most=1)


_at_least_0 = partial(checks.number, least=0, most=1e6)
_above_0 = partial(checks.number, least=1e-3, most=1e6)


def _rgb(name: str, value: object) -> tuple[float, float, float]:
    red, green, blue, _ = checks.color(name, value)
    return red, green, blue


def _number(value: Value) -> float:
    assert isinstance(value, float)
    return value


def _draw_glow(
    bloom: Bloom, chain: EffectChain, image: Texture, values: Values
) -> tuple[Textures, Values]:
    """Draw the glow that `Bloom` adds to the image. The glow is drawn at a quarter of the image's
    width and height, and at lower resolutions.
    """
    width: int
    height: int
    width, height = image.size
    size = max(1, width // 4), max(1, height // 4)
    levels = [chain.target("bloom 0", size)]
    threshold = _number(values["threshold"])
    knee = 1 / max(2 * threshold, 1e-4)
    chain.draw_file("effects/bright.frag", levels[0], image, threshold=threshold, knee=knee)
    while min(size) > _MIN_SIZE:
        size = max(1, size[0] // 4), max(1, size[1] // 4)
        levels.append(chain.target(f"bloom {len(levels)}", size))
        chain.draw_file("effects/quarter.frag", levels[-1], levels[-2].texture)
    chain.blend_levels(levels, _number(values["radius"]))
    return {"bloom_glow": levels[0].texture}, {}


class Bloom(Effect):
    """A glow around bright parts of the image.

    In a scene with a 3D world, `Bloom` computes the glow before tone mapping. Therefore colors
    brighter than white glow more than white. Tone mapping would limit these colors to white.
    Without a 3D world, `Bloom` computes the glow from the colors on the screen.
    """

    _look = EffectLook("bloom.glsl", keeps_light=True, prepare=_draw_glow)
    strength = UniformSetting(
        partial(checks.number, least=0, most=100), "The strength of the glow. 0 means no glow."
    )
    threshold = UniformSetting(
        partial(checks.number, least=0, most=100),
        "The brightness above which pixels glow, in linear light. 1 is white.",
    )
    radius = UniformSetting(
        _share, "The size of the glow, from 0 (small) to 1 (more than half of the screen)."
    )

    def __init__(
        self, strength: float = 0.6, *, threshold: float = 0.5, radius: float = 0.6
    ) -> None:
        self._start(strength=strength, threshold=threshold, radius=radius)


def _draw_blurred(
    blur: Blur, chain: EffectChain, image: Texture, values: Values
) -> tuple[Textures, Values]:
    """Draw the blurred image for `Blur`. To save time, `_draw_blurred` draws at a low resolution if
    the difference is not visible.
    """
    size: tuple[int, int] = image.size
    deviation = _number(values["radius"]) / 2 * size[1] / chain.units[1]
    if deviation < 0.05:
        return {"blurred": image}, {}
    levels: list[Target] = []
    source = image
    while deviation > 3 and min(size) > 1:
        size = max(1, size[0] // 2), max(1, size[1] // 2)
        levels.append(chain.target(f"blur {len(levels)}", size))
        chain.draw_file("effects/down.frag", levels[-1], source)
        source = levels[-1].texture
        deviation = deviation / 2
    deviation = math.sqrt(min(deviation, 3.0) ** 2 - _halving_spreads(len(levels)))
    for name, direction in (("across", (1.0, 0.0)), ("along", (0.0, 1.0))):
        blurred = chain.target(name, size)
        chain.draw_file(
            "effects/gauss.frag", blurred, source, direction=direction, deviation=deviation
        )
        source = blurred.texture
    levels[-1:] = [blurred]
    chain.blend_levels(levels, 1.0)
    return {"blurred": levels[0].texture}, {}


class Blur(Effect):
    """A Gaussian blur. ``radius`` is the distance over which colors are mixed, in units. ``radius``
    equals two standard deviations of the Gaussian curve.
    """

    _look = EffectLook("blur.glsl", prepare=_draw_blurred)
    radius = UniformSetting(_at_least_0, "The radius of the blur in units.")

    def __init__(self, radius: float = 8.0) -> None:
        self._start(radius=radius)


class Vignette(Effect):
    """Dark corners of the screen, or corners that are tinted with the color ``tint``."""

    _look = EffectLook("vignette.glsl", gathers=False)
    strength = UniformSetting(
        _share, "The strength of the color in the corners of the screen, from 0 to 1."
    )
    radius = UniformSetting(
        _share,
        "The distance from the center at which the color begins. 0 is the center of the screen, "
        "and 1 is its corners.",
    )
    softness = UniformSetting(
        _share,
        "The distance between `radius` and the full strength of the color, measured like `radius`.",
    )
    tint = UniformSetting(_rgb, "The color. Default: black.")

    def __init__(
        self,
        strength: float = 0.6,
        *,
        radius: float = 0.4,
        softness: float = 0.6,
        tint: Color = (0.0, 0.0, 0.0),
    ) -> None:
        self._start(strength=strength, radius=radius, softness=softness, tint=tint)


def _find_gains(
    crt: CRT, chain: EffectChain, image: Texture, values: Values
) -> tuple[Textures, Values]:
    """Compute the brightness factors that the shader of `CRT` needs. The factors restore the
    average brightness, because the stripes and scan lines darken the image.
    """
    dim = 1 - _number(values.pop("mask")) * 2 / 3
    mean = (1 + 2 * dim) / 3
    dark = _number(values.pop("scanlines"))
    height = _number(values["lines"]) / chain.pixels[1]
    gains: Values = {
        "line_gain": dark / (1 - dark / 2),
        "stripe_gain": (dim / mean, (1 - dim) / mean),
    }
    return {}, {"line_fade": 6 * height, **gains}


class CRT(Effect):
    """The look of an old television: a curved screen with scan lines and with red, green and blue
    stripes.
    """

    _look = EffectLook("crt.glsl", gathers=False, prepare=_find_gains)
    curvature = UniformSetting(_share, "The curvature of the screen. 0 is a flat screen.")
    scanlines = UniformSetting(_share, "The darkness of the gaps between two lines, from 0 to 1.")
    mask = UniformSetting(_share, "The strength of the colored stripes, from 0 to 1.")
    lines = UniformSetting(_above_0, "The number of lines on the screen.")

    def __init__(
        self,
        curvature: float = 0.3,
        *,
        scanlines: float = 0.4,
        mask: float = 0.2,
        lines: float = 240.0,
    ) -> None:
        self._start(curvature=curvature, scanlines=scanlines, mask=mask, lines=lines)


class ChromaticAberration(Effect):
    """Red and blue edges around objects, as in a photo through a cheap lens. The distance between
    red and blue grows towards the corners of the screen.
    """

    _look = EffectLook("chromatic.glsl")
    offset = UniformSetting(
        partial(checks.number, least=-1e6, most=1e6),
        "The distance between red and blue at the sides of the screen, in units.",
    )

    def __init__(self, offset: float = 2.0) -> None:
        self._start(offset=offset)


class Outline(Effect):
    """Draw lines where the brightness changes suddenly, such as at the edges of objects. The effect
    finds the lines with the Sobel operator, a common filter for edges.
    """

    _look = EffectLook("outline.glsl")
    width = UniformSetting(
        _at_least_0, "The distance between the pixels that are compared, in units."
    )
    threshold = UniformSetting(
        _at_least_0, "The smallest change of brightness at which a line is drawn."
    )
    strength = UniformSetting(_share, "The strength of the lines, from 0 to 1.")
    tint = UniformSetting(_rgb, "The color of the lines. Default: black.")

    def __init__(
        self,
        width: float = 1.0,
        *,
        threshold: float = 0.3,
        strength: float = 1.0,
        tint: Color = (0.0, 0.0, 0.0),
    ) -> None:
        self._start(width=width, threshold=threshold, strength=strength, tint=tint)


class Pixelate(Effect):
    """Draw the image with large square pixels. Each square has the color of the image at the
    square's center.
    """

    _look = EffectLook("pixelate.glsl", gathers=False)
    cell = UniformSetting(_above_0, "The length of a square's side in units.")

    def __init__(self, cell: float = 4.0) -> None:
        self._start(cell=cell)


class HeatHaze(Effect):
    """Rising waves that distort the image, like hot air. The waves move with the time of the game."""

    _look = EffectLook("heat_haze.glsl", gathers=False)
    strength = UniformSetting(
        _at_least_0,
        "The distance in units by which the wave moves the image sideways. A second wave moves "
        "the image half as far.",
    )
    wavelength = UniformSetting(_above_0, "The distance from one wave to the next, in units.")
    speed = UniformSetting(
        partial(checks.number, least=-1e6, most=1e6),
        "The speed of the waves in radians per second.",
    )

    def __init__(
        self, strength: float = 2.0, *, wavelength: float = 40.0, speed: float = 6.0
    ) -> None:
        self._start(strength=strength, wavelength=wavelength, speed=speed)


def _draw_afterimage(
    effect: Afterimage, chain: EffectChain, image: Texture, values: Values
) -> tuple[Textures, Values]:
    """Draw the image over a faded copy of the image from the last frame, and store the drawn image
    for the next frame.
    """
    history = chain.history_of(effect, image.size)
    # the number of restored snapshots, because restoring a snapshot clears the afterimage
    cuts = uniforms_of(effect).restored
    # The first frame of a transition shows the end of a tick. The next frame may show an earlier
    # time.
    passed = max(0.0, chain.time - history.time)
    left: float = _number(values["strength"]) ** (60 * passed) if history.cuts == cuts else 0.0
    before, after = history.swap(chain.time, cuts)
    chain.draw_file("effects/afterimage.frag", after, image, {"kept": before.texture}, left=left)
    return {"afterimage_history": after.texture}, {}


class Afterimage(Effect):
    """An afterimage: bright parts of earlier frames fade away slowly. Fading takes the same time at
    any frame rate.

    The fading images are not part of the game's state. If the size of the screen changes or a
    snapshot is restored, the fading images are lost.
    """

    _look = EffectLook("afterimage.glsl", prepare=_draw_afterimage)
    strength = UniformSetting(
        _share, "The fraction of the old image that is left after 1/60 second, from 0 to 1."
    )

    def __init__(self, strength: float = 0.9) -> None:
        self._start(strength=strength)


def _prepare_palette(
    effect: PaletteEffect, chain: EffectChain, image: Texture, values: Values
) -> tuple[Textures, Values]:
    """Return the two inputs of the shader of `PaletteEffect`: a texture and a number. For each
    color, the texture contains the nearest color of the palette. The returned number is the mean
    distance between neighboring colors of the palette.
    """
    return {"palette_table": chain.table_of(effect, effect._table)}, {"palette_step": effect._step}


class PaletteEffect(Effect):
    """Show the image in the colors of a palette. Each color is replaced with the nearest color of
    the palette. Colors between two palette colors are shown as a pattern of both colors (ordered
    dithering).

    Parameters
    ----------
    colors
        From 2 to 256 colors: strings, or red, green and blue from 0 to 1. You can also pass a
        `Palette` object, or the path of a palette file.
    dither
        The strength of the dithering, from 0 (no dithering) to 1. The default is the ``dither`` of
        the `Palette` object, or 0.5 if ``colors`` is not a `Palette` object.
    dither_cell
        The side length of one square in the dither pattern, in units.
    """

    _look = EffectLook("palette.glsl", gathers=False, prepare=_prepare_palette)
    dither = UniformSetting(_share, "The strength of the dithering, from 0 (no dithering) to 1.")
    dither_cell = UniformSetting(
        _above_0, "The length in units of a square's side in the dither pattern."
    )
    _transient_attributes: ClassVar[Any] = ("_table",)
    _table: Pixels
    _step: float

    def __init__(
        self,
        colors: Palette | str | os.PathLike[str] | Sequence[Color],
        *,
        dither: float | None = None,
        dither_cell: float = 1.0,
    ) -> None:
        palette = Palette(colors) if isinstance(colors, str | os.PathLike) else colors
        if isinstance(palette, Palette):
            palette_colors = np.array(palette.bytes) / 255
        else:
            several: list[object] = checks.items("colors", colors)
            palette_colors = np.array([_rgb("colors", color) for color in several])
        if not 2 <= len(palette_colors) <= _MAX_COLORS:
            raise ValueError(
                f"colors: expected 2 to {_MAX_COLORS} colors, got {len(palette_colors)}"
            )
        if dither is None:
            dither = colors.dither if isinstance(colors, Palette) else 0.5
        object.__setattr__(self, "_table", _nearest_colors(palette_colors))
        object.__setattr__(self, "_step", _mean_step(palette_colors))
        self._start(dither=dither, dither_cell=dither_cell)


def _prepare_table(
    lut: LUT, chain: EffectChain, image: Texture, values: Values
) -> tuple[Textures, Values]:
    """Return a texture with the lookup table of a `LUT` effect."""
    return {"lut_table": chain.table_of(lut, lut._table)}, {}


class LUT(Effect):
    """Color grading. The effect uses a lookup table (LUT), which contains a new color for each
    color of the image.

    ``source`` is a .cube file, or an image. An image must contain n squares of n × n pixels side by
    side; see `luts.load`.
    """

    _look = EffectLook("lut.glsl", gathers=False, prepare=_prepare_table)
    strength = UniformSetting(_share, "The strength of the change of colors, from 0 to 1.")
    _transient_attributes: ClassVar[Any] = ("_table",)
    _table: Pixels

    def __init__(self, source: ImageSource, *, strength: float = 1.0) -> None:
        from ..assets.luts import load  # few games use lookup tables

        checked: ImageSource = checked_source("source", source)
        object.__setattr__(self, "_table", load(checked, tuple(current_folders())))
        self._start(strength=strength)


def _halving_spreads(times: int) -> float:
    """Return how strongly an image is blurred when it is halved ``times`` times and then enlarged
    to its old size again.

    `Blur` needs this number in order to blur the image by exactly the right amount. The returned
    number is the variance along one axis, in texels of the smallest image. Each halving adds 3/4 to
    the variance, in texels of the larger image. Each enlargement adds 7/16, in texels of the
    smaller image. Reading the last image adds 3/16. The numbers 3/4, 7/16 and 3/16 come from the
    weights in effects/down.frag and effects/up.frag, and from the linear filter.
    """
    if not times:
        return 0.0
    return (1 - 0.25**times) / 4 + 7 / 12 * (1 - 0.25 ** (times - 1)) + 0.75 * 0.25**times


def _nearest_colors(colors: Doubles) -> Pixels:
    """Return a table with the nearest palette color for each color.

    The table has 32 levels of red, 32 levels of green and 32 levels of blue. The shape of the table
    is (32, 1024, 4). The rows of the table are levels of green, and its columns are levels of blue
    and red.
    """
    level = np.linspace(0, 1, 32)
    samples = np.stack(
        np.meshgrid(level, level, level, indexing="ij"), axis=-1
    )  # axes: green, blue, red
    nearest = _nearest_index(samples[..., [2, 0, 1]].reshape(-1, 3), colors)
    table = np.full((32, 32, 32, 4), 255, np.uint8)
    table[..., :3] = np.round(colors[nearest] * 255).reshape(32, 32, 32, 3)
    red: Rows
    green: Rows
    blue: Rows
    red, green, blue = np.round(colors * 31).astype(int).T
    table[green, blue, red, :3] = np.round(colors * 255)  # each palette color maps to itself
    return table.reshape(32, 1024, 4)


def _nearest_index(samples: Doubles, colors: Doubles) -> Rows:
    """Return the index of the nearest of ``colors`` for each of ``samples``. Differences of green
    count most, and differences of blue least, as for the eye.
    """
    nearest = np.zeros(len(samples), np.intp)
    min_distance = np.full(len(samples), np.inf)
    distance: Doubles
    for number in range(len(colors)):
        distance = (samples - colors[number]) ** 2 @ (0.299, 0.587, 0.114)
        nearer = distance < min_distance
        nearest[nearer] = number
        min_distance[nearer] = distance[nearer]
    return nearest


def _mean_step(colors: Doubles) -> float:
    """Return the mean distance from each palette color to the nearest other palette color, at most
    1.
    """
    apart: Doubles = np.sqrt(((colors[:, None] - colors[None]) ** 2).sum(axis=2))
    np.fill_diagonal(apart, np.inf)
    return float(min(1.0, apart.min(axis=1).mean()))
