"""Built-in art: images, sounds and a font for games without files.

``self.sprites.add(fw.art.ship)`` adds a sprite. A built-in image is a uint8 array of shape (height,
width, 4): red, green, blue and alpha. You can use a built-in image everywhere in place of an image
file. ``fw.art.hero`` and ``fw.art.tiles`` are tuples of images. ``fw.art.sounds.coin`` is a `Sound`
object, and ``fw.art.fonts.pixel`` is the name of a font. The function `names` returns the names of
all built-in images. Each built-in image is created only once, when a program first uses it. All
built-in images, sounds and fonts are in the public domain (CC0).
"""

from __future__ import annotations

from functools import cache
from typing import Any

from ..assets.artwork import IMAGES
from ..checks import nearest

__all__ = [*sorted(IMAGES), "fonts", "names", "sounds"]

KINDS = ("blip", "coin", "explosion", "hit", "jump", "laser", "powerup")


def names() -> tuple[str, ...]:
    """Return the names of all built-in images in alphabetical order. ``dir(fw.art.sounds)`` lists
    the names of the sounds.
    """
    return tuple(sorted(IMAGES))


class _Sounds:
    """The built-in sounds, by name: ``fw.art.sounds.jump.play()``."""

    def __getattr__(self, name: str) -> Any:
        if name not in KINDS:
            raise AttributeError(_no("sound", name, KINDS))
        return _sound(name)

    def __dir__(self) -> list[str]:
        return list(KINDS)


sounds = _Sounds()


class _Fonts:
    """The built-in fonts, by name: ``fw.TextBatch(fw.art.fonts.pixel, 10)``."""

    pixel = "Subtick Pixel"
    """A font for pixel art, with Latin, Greek and Cyrillic letters.

    At font size 10, each pixel of a letter is one pixel of the game's image. At font size 20, each
    pixel of a letter is two by two pixels of the image, and so on.
    """

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(_no("font", name, ("pixel",)))


fonts = _Fonts()


def __getattr__(name: str) -> Any:
    if name not in IMAGES:
        raise AttributeError(_no("picture", name, names()))
    return _picture(name)


@cache
def _picture(name: str) -> Any:
    return IMAGES[name]()


@cache
def _sound(name: str) -> Any:
    from ..audio.sound import Sound  # a game without sounds does not load it

    return Sound.sfx(5, name)


def _no(kind: str, name: str, options: tuple[str, ...]) -> str:
    if kind == "picture" and name in KINDS:
        return f"fw.art has no picture {name!r}, but a sound: write fw.art.sounds.{name}"
    end = "; fw.art.sounds has sounds" if kind == "picture" else ""
    return (
        f"fw.art has no {kind} {name!r}; did you mean {nearest(name, options)}? It has "
        f"{', '.join(options)}{end}"
    )
