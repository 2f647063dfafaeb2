"""The effects that the framework brings: bloom, blur, vignette, a tube's lines and others."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

from .. import checks
from .grading import Effect, EffectValue

_SMALLEST = 16  # pixels of a picture that a bloom makes still smaller


def _share(name: str, value: Any) -> float:
    return checks.number(name, value, least=0, most=1)


_at_least_0 = partial(checks.number, least=0, most=1e6)
_above_0 = partial(checks.number, least=1e-3, most=1e6)


def _rgb(name: str, value: Any) -> tuple[float, float, float]:
    red, green, blue, _ = checks.color(name, value)
    return red, green, blue


class Bloom(Effect):
    """What is bright shines over its surroundings.

    Where the scene has a world in space, the picture is kept above white, and what shines is the light before tone
    mapping; in the plane it is the picture's own.
    """

    shader: ClassVar[str] = "bloom.glsl"
    gathers: ClassVar[bool] = True
    strength = EffectValue(partial(checks.number, least=0, most=100), "How much of it is added: 0 for none.")
    threshold = EffectValue(
        partial(checks.number, least=0, most=100), "How bright what shines is, as light: 1 is white in the plane."
    )
    radius = EffectValue(_share, "How far it reaches: 0 a little, 1 over half of the picture.")

    def __init__(self, strength: float = 0.6, *, threshold: float = 0.5, radius: float = 0.6) -> None:
        self._begin(strength=strength, threshold=threshold, radius=radius)

    def draw_before(self, chain: Any, picture: Any, values: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Draw the light that is added, in pictures of a quarter of the size and less."""
        width, height = picture.size
        size = max(1, width // 4), max(1, height // 4)
        dtype = "f2" if chain.in_space else "f1"
        levels = [chain.target("bloom 0", size, dtype)]
        chain.draw_file("effects/bright.frag", levels[0], picture, threshold=values["threshold"])
        while min(size) > _SMALLEST:
            size = max(1, size[0] // 4), max(1, size[1] // 4)
            levels.append(chain.target(f"bloom {len(levels)}", size, dtype))
            chain.draw_file("effects/quarter.frag", levels[-1], levels[-2].texture)
        chain.lay_up(levels, values["radius"])
        return {"bloom_glow": levels[0].texture}, {}


class Blur(Effect):
    """Out of focus: by a normal distribution that reaches ``radius`` units, twice its standard deviation."""

    shader: ClassVar[str] = "blur.glsl"
    gathers: ClassVar[bool] = True
    radius = EffectValue(_at_least_0, "Units that it reaches.")

    def __init__(self, radius: float = 8.0) -> None:
        self._begin(radius=radius)

    def draw_before(self, chain: Any, picture: Any, values: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Draw it in a picture as small as may be without losing anything that is left."""
        deviation = values["radius"] / 2 * picture.size[1] / chain.units[1]
        if deviation < 0.05:
            return {"blurred": picture}, {}
        levels: list[Any] = []
        size, source = picture.size, picture
        while deviation > 3 and min(size) > 1:
            size = max(1, size[0] // 2), max(1, size[1] // 2)
            levels.append(chain.target(f"blur {len(levels)}", size))
            chain.draw_file("effects/down.frag", levels[-1], source)
            source, deviation = levels[-1].texture, deviation / 2
        across, along = chain.target("across", size), chain.target("along", size)
        deviation = min(deviation, 3.0)
        chain.draw_file("effects/gauss.frag", across, source, direction=(1.0, 0.0), deviation=deviation)
        chain.draw_file("effects/gauss.frag", along, across.texture, direction=(0.0, 1.0), deviation=deviation)
        levels[-1:] = [along]
        chain.lay_up(levels, 1.0)
        return {"blurred": levels[0].texture}, {}


class Vignette(Effect):
    """Darker (or of another colour) towards the corners."""

    shader: ClassVar[str] = "vignette.glsl"
    gathers: ClassVar[bool] = False
    strength = EffectValue(_share, "How much of the colour there is in the corners.")
    radius = EffectValue(_share, "Where it begins: 0 in the middle of the picture, 1 in its corners.")
    softness = EffectValue(_share, "How far it takes from there to its full strength.")
    tint = EffectValue(_rgb, "The colour, black unless set.")

    def __init__(
        self, strength: float = 0.6, *, radius: float = 0.4, softness: float = 0.6, tint: Any = (0.0, 0.0, 0.0)
    ) -> None:
        self._begin(strength=strength, radius=radius, softness=softness, tint=tint)


class CRT(Effect):
    """A television's tube: bent, with lines, and stripes of red, green and blue."""

    shader: ClassVar[str] = "crt.glsl"
    gathers: ClassVar[bool] = False
    curvature = EffectValue(_share, "How much the picture is bent: 0 for flat.")
    scanlines = EffectValue(_share, "How dark it is between two lines.")
    mask = EffectValue(_share, "How much of the stripes is seen.")
    lines = EffectValue(_above_0, "Lines in the picture's height.")

    def __init__(
        self, curvature: float = 0.3, *, scanlines: float = 0.4, mask: float = 0.2, lines: float = 240.0
    ) -> None:
        self._begin(curvature=curvature, scanlines=scanlines, mask=mask, lines=lines)
