"""The effects that the framework brings: bloom, blur, vignette, a tube's lines and others."""

from __future__ import annotations

__all__ = [
    "CRT",
    "LUT",
    "Bloom",
    "Blur",
    "ChromaticAberration",
    "Heat",
    "Outline",
    "PaletteEffect",
    "Pixelate",
    "Trails",
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
from .grading import Effect, EffectLook, Textures, Values
from .uniforms import UniformSetting, Value, uniforms_of

if TYPE_CHECKING:
    from moderngl import Texture

    from .passes import EffectChain, Target

Color: TypeAlias = str | Sequence[float]
"""The name of a color, "#f80", or red, green and blue in 0..1."""

_SMALLEST = 6  # pixels of a picture that a bloom makes still smaller
_MOST_COLORS = 256


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
    bloom: Bloom, chain: EffectChain, picture: Texture, values: Values
) -> tuple[Textures, Values]:
    """Draw the light that is added, in pictures of a quarter of the size and less."""
    width: int
    height: int
    width, height = picture.size
    size = max(1, width // 4), max(1, height // 4)
    levels = [chain.target("bloom 0", size)]
    threshold = _number(values["threshold"])
    knee = 1 / max(2 * threshold, 1e-4)
    chain.draw_file("effects/bright.frag", levels[0], picture, threshold=threshold, knee=knee)
    while min(size) > _SMALLEST:
        size = max(1, size[0] // 4), max(1, size[1] // 4)
        levels.append(chain.target(f"bloom {len(levels)}", size))
        chain.draw_file("effects/quarter.frag", levels[-1], levels[-2].texture)
    chain.lay_up(levels, _number(values["radius"]))
    return {"bloom_glow": levels[0].texture}, {}


class Bloom(Effect):
    """What is bright shines over its surroundings.

    Where the scene has a world in space, the picture is kept above white, and what shines is the
    light before tone mapping; in the plane it is the picture's own.
    """

    _look = EffectLook("bloom.glsl", keeps_light=True, prepare=_draw_glow)
    strength = UniformSetting(
        partial(checks.number, least=0, most=100), "How much of it is added: 0 for none."
    )
    threshold = UniformSetting(
        partial(checks.number, least=0, most=100),
        "How bright what shines is, as light: 1 is white in the plane.",
    )
    radius = UniformSetting(_share, "How far it reaches: 0 a little, 1 over half of the picture.")

    def __init__(
        self, strength: float = 0.6, *, threshold: float = 0.5, radius: float = 0.6
    ) -> None:
        self._start(strength=strength, threshold=threshold, radius=radius)


def _draw_blurred(
    blur: Blur, chain: EffectChain, picture: Texture, values: Values
) -> tuple[Textures, Values]:
    """Draw it in a picture as small as may be without losing anything that is left."""
    size: tuple[int, int] = picture.size
    deviation = _number(values["radius"]) / 2 * size[1] / chain.units[1]
    if deviation < 0.05:
        return {"blurred": picture}, {}
    levels: list[Target] = []
    source = picture
    while deviation > 3 and min(size) > 1:
        size = max(1, size[0] // 2), max(1, size[1] // 2)
        levels.append(chain.target(f"blur {len(levels)}", size))
        chain.draw_file("effects/down.frag", levels[-1], source)
        source, deviation = levels[-1].texture, deviation / 2
    across, along = chain.target("across", size), chain.target("along", size)
    deviation = math.sqrt(min(deviation, 3.0) ** 2 - _halving_spreads(len(levels)))
    chain.draw_file("effects/gauss.frag", across, source, direction=(1.0, 0.0), deviation=deviation)
    chain.draw_file(
        "effects/gauss.frag", along, across.texture, direction=(0.0, 1.0), deviation=deviation
    )
    levels[-1:] = [along]
    chain.lay_up(levels, 1.0)
    return {"blurred": levels[0].texture}, {}


class Blur(Effect):
    """Out of focus: by a normal distribution that reaches ``radius`` units, twice its standard
    deviation.
    """

    _look = EffectLook("blur.glsl", prepare=_draw_blurred)
    radius = UniformSetting(_at_least_0, "Units that it reaches.")

    def __init__(self, radius: float = 8.0) -> None:
        self._start(radius=radius)


class Vignette(Effect):
    """Darker (or of another colour) towards the corners."""

    _look = EffectLook("vignette.glsl", gathers=False)
    strength = UniformSetting(_share, "How much of the colour there is in the corners.")
    radius = UniformSetting(
        _share, "Where it begins: 0 in the middle of the picture, 1 in its corners."
    )
    softness = UniformSetting(_share, "How far it takes from there to its full strength.")
    tint = UniformSetting(_rgb, "The colour, black unless set.")

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
    crt: CRT, chain: EffectChain, picture: Texture, values: Values
) -> tuple[Textures, Values]:
    """What is the same for all pixels. Lines and stripes leave the picture as bright as it
    is.
    """
    dim = 1 - _number(values.pop("mask")) * 2 / 3
    mean, dark = (1 + 2 * dim) / 3, _number(values.pop("scanlines"))
    height = _number(values["lines"]) / chain.pixels[1]
    gains: Values = {
        "line_gain": dark / (1 - dark / 2),
        "stripe_gain": (dim / mean, (1 - dim) / mean),
    }
    return {}, {"line_fade": 6 * height, **gains}


class CRT(Effect):
    """A television's tube: bent, with lines, and stripes of red, green and blue."""

    _look = EffectLook("crt.glsl", gathers=False, prepare=_find_gains)
    curvature = UniformSetting(_share, "How much the picture is bent: 0 for flat.")
    scanlines = UniformSetting(_share, "How dark it is between two lines.")
    mask = UniformSetting(_share, "How much of the stripes is seen.")
    lines = UniformSetting(_above_0, "Lines in the picture's height.")

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
    """Red and blue drawn apart, more towards the corners, as by a cheap lens."""

    _look = EffectLook("chromatic.glsl")
    offset = UniformSetting(
        partial(checks.number, least=-1e6, most=1e6), "Units that they are apart at the sides."
    )

    def __init__(self, offset: float = 2.0) -> None:
        self._start(offset=offset)


class Outline(Effect):
    """Lines where the brightness changes, found by Sobel's operator."""

    _look = EffectLook("outline.glsl")
    width = UniformSetting(_at_least_0, "Units from a place to those that it is compared with.")
    threshold = UniformSetting(_at_least_0, "How steep a change is that makes a line.")
    strength = UniformSetting(_share, "How much of the lines is seen.")
    tint = UniformSetting(_rgb, "The colour of the lines, black unless set.")

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
    """Squares of one colour each, of that in their middle."""

    _look = EffectLook("pixelate.glsl", gathers=False)
    cell = UniformSetting(_above_0, "Units of a square's side.")

    def __init__(self, cell: float = 4.0) -> None:
        self._start(cell=cell)


class Heat(Effect):
    """Waves that rise, as air does over something hot. They follow the game's time."""

    _look = EffectLook("heat.glsl", gathers=False)
    strength = UniformSetting(
        _at_least_0, "Units by which a wave moves it to the sides; a second one adds half of that."
    )
    wavelength = UniformSetting(_above_0, "Units from wave to wave.")
    speed = UniformSetting(
        partial(checks.number, least=-1e6, most=1e6), "Radians of a wave in a second."
    )

    def __init__(
        self, strength: float = 2.0, *, wavelength: float = 40.0, speed: float = 6.0
    ) -> None:
        self._start(strength=strength, wavelength=wavelength, speed=speed)


def _draw_trails(
    trails: Trails, chain: EffectChain, picture: Texture, values: Values
) -> tuple[Textures, Values]:
    """Draw the picture over what is left of those before it."""
    kept = chain.kept_of(trails, picture.size)
    cuts = uniforms_of(trails).restored  # there are no pictures before a restored one
    # A transition begins with a picture of the tick, from which the next frame may be a little
    # back.
    passed = max(0.0, chain.time - kept.time)
    left: float = _number(values["strength"]) ** (60 * passed) if kept.cuts == cuts else 0.0
    before, after = kept.swap(chain.time, cuts)
    chain.draw_file("effects/keep.frag", after, picture, {"kept": before.texture}, left=left)
    return {"trails_kept": after.texture}, {}


class Trails(Effect):
    """What was bright stays for a while, and fades: the same at any frame rate.

    What is left is no state of the game: it is gone when the picture's size changes, and when a
    snapshot is put back.
    """

    _look = EffectLook("trails.glsl", prepare=_draw_trails)
    strength = UniformSetting(
        _share, "How much of it is left after a 60th of a second: 0 for nothing, 1 for all."
    )

    def __init__(self, strength: float = 0.9) -> None:
        self._start(strength=strength)


def _give_palette(
    effect: PaletteEffect, chain: EffectChain, picture: Texture, values: Values
) -> tuple[Textures, Values]:
    """The table of the nearest colours."""
    return {"palette_table": chain.table_of(effect, effect._table)}, {"palette_step": effect._step}


class PaletteEffect(Effect):
    """The nearest of a few colours for each, with an ordered dither between them.

    Parameters
    ----------
    colors
        2 to 256 colours: strings, or red, green and blue in 0..1; or a `Palette`, or the path of
        its file.
    dither
        How much of the step between neighbouring colours is dithered: 0 for none; default: that of
        a `Palette`, or 0.5.
    dither_cell
        Units of a square of the dither's pattern.
    """

    _look = EffectLook("palette.glsl", gathers=False, prepare=_give_palette)
    dither = UniformSetting(
        _share, "How much of the step between neighbouring colours is dithered."
    )
    dither_cell = UniformSetting(_above_0, "Units of a square of the dither's pattern.")
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
            given = np.array(palette.bytes) / 255
        else:
            several: list[object] = checks.items("colors", colors)
            given = np.array([_rgb("colors", color) for color in several])
        if not 2 <= len(given) <= _MOST_COLORS:
            raise ValueError(f"colors: expected 2 to {_MOST_COLORS} colours, got {len(given)}")
        if dither is None:
            dither = colors.dither if isinstance(colors, Palette) else 0.5
        table, step = _nearest_colors(given)
        object.__setattr__(self, "_table", table)
        object.__setattr__(self, "_step", step)  # how far neighbouring colours are apart
        self._start(dither=dither, dither_cell=dither_cell)


def _give_table(
    lut: LUT, chain: EffectChain, picture: Texture, values: Values
) -> tuple[Textures, Values]:
    """The table."""
    return {"lut_table": chain.table_of(lut, lut._table)}, {}


class LUT(Effect):
    """Colours by a table: a .cube file, or a picture of n slices of n × n pixels beside each other;
    see `luts.load`.
    """

    _look = EffectLook("lut.glsl", gathers=False, prepare=_give_table)
    strength = UniformSetting(_share, "How much of it is seen.")
    _transient_attributes: ClassVar[Any] = ("_table",)
    _table: Pixels

    def __init__(self, source: ImageSource, *, strength: float = 1.0) -> None:
        from ..assets.luts import load  # which few games do

        checked: ImageSource = checked_source("source", source)
        object.__setattr__(self, "_table", load(checked, tuple(current_folders())))
        self._start(strength=strength)


def _halving_spreads(times: int) -> float:
    """The variance along an axis, in texels of the smallest picture, of halving a picture so often
    and laying it up again: 3/4 of a larger texel each time that it is made smaller, 7/16 of a
    smaller one each time that it is laid up, and 3/16 where the last is read, as the weights of
    effects/down.frag, effects/up.frag and a linear filter have it.
    """
    if not times:
        return 0.0
    return (1 - 0.25**times) / 4 + 7 / 12 * (1 - 0.25 ** (times - 1)) + 0.75 * 0.25**times


def _nearest_colors(colors: Doubles) -> tuple[Pixels, float]:
    """For 32 levels of each channel, the nearest of some colours, as a picture (green, blue and
    red, 4); and how far a colour is from its nearest neighbour, on average."""
    level = np.linspace(0, 1, 32)
    asked = np.stack(np.meshgrid(level, level, level, indexing="ij"), axis=-1)  # green, blue, red
    asked = asked[..., [2, 0, 1]].reshape(-1, 3)
    nearest = np.zeros(len(asked), np.intp)
    least = np.full(len(asked), np.inf)
    distance: Doubles
    for number in range(len(colors)):
        distance = (asked - colors[number]) ** 2 @ (0.299, 0.587, 0.114)
        nearer = distance < least
        nearest[nearer], least[nearer] = number, distance[nearer]
    table = np.full((32, 32, 32, 4), 255, np.uint8)
    table[..., :3] = np.round(colors[nearest] * 255).reshape(32, 32, 32, 3)
    red: Rows
    green: Rows
    blue: Rows
    red, green, blue = np.round(colors * 31).astype(int).T
    table[green, blue, red, :3] = np.round(colors * 255)  # each of them is itself
    apart: Doubles = np.sqrt(((colors[:, None] - colors[None]) ** 2).sum(axis=2))
    np.fill_diagonal(apart, np.inf)
    return table.reshape(32, 1024, 4), float(min(1.0, apart.min(axis=1).mean()))
