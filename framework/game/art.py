"""Built-in pictures, sounds and a font, so that a game begins without a file:
``self.sprites.add(fw.art.ship)``.

A picture is a uint8 array (height, width, 4), which goes wherever an image does; ``hero`` and
``tiles`` are tuples of them. ``fw.art.sounds.coin`` is a `Sound`, and ``fw.art.fonts.pixel`` the
name of a font. `names` tells all pictures. They are made when they are first asked for, each once,
and dedicated to the public domain (CC0).
"""

from __future__ import annotations

from functools import cache
from typing import Any

from ..assets.artwork import PICTURES
from ..checks import nearest

__all__ = [*sorted(PICTURES), "fonts", "names", "sounds"]

KINDS = ("blip", "coin", "explosion", "hit", "jump", "laser", "powerup")


def names() -> tuple[str, ...]:
    """All pictures, in the order of the alphabet; those of sounds are told by
    ``dir(fw.art.sounds)``.
    """
    return tuple(sorted(PICTURES))


class _Sounds:
    """Sounds by name: ``fw.art.sounds.jump.play()``."""

    def __getattr__(self, name: str) -> Any:
        if name not in KINDS:
            raise AttributeError(_no("sound", name, KINDS))
        return _sound(name)

    def __dir__(self) -> list[str]:
        return list(KINDS)


sounds = _Sounds()


class _Fonts:
    """Fonts by name: ``fw.TextBatch(fw.art.fonts.pixel, 10)``."""

    pixel = "Subtick Pixel"
    """For pixel art, with Latin, Greek and Cyrillic: at a size of 10, or a multiple, its pixels are
    the picture's.
    """

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(_no("font", name, ("pixel",)))


fonts = _Fonts()


def __getattr__(name: str) -> Any:
    if name not in PICTURES:
        raise AttributeError(_no("picture", name, names()))
    return _picture(name)


@cache
def _picture(name: str) -> Any:
    return PICTURES[name]()


@cache
def _sound(name: str) -> Any:
    from ..audio.sound import Sound  # which a game without sounds does not load

    return Sound.sfx(5, name)


def _no(what: str, name: str, known: tuple[str, ...]) -> str:
    return (
        f"fw.art has no {what} {name!r}; did you mean {nearest(name, known)}? It has "
        f"{', '.join(known)}"
    )
