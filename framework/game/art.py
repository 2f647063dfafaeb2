"""Built-in pictures and sounds, so that a game begins without a file: ``self.sprites.add(fw.art.ship)``.

A picture is a uint8 array (height, width, 4), which goes wherever an image does; ``hero`` and ``tiles`` are tuples of
them. ``fw.art.sounds.coin`` is a `Sound`. `names` tells all. They are made when they are first asked for, each once,
and dedicated to the public domain (CC0).
"""

from __future__ import annotations

from functools import cache
from typing import Any

from ..assets.artwork import PICTURES
from ..checks import nearest

KINDS = ("blip", "coin", "explosion", "hit", "jump", "laser", "powerup")


def names() -> tuple[str, ...]:
    """All pictures, in the order of the alphabet; those of sounds are told by ``dir(fw.art.sounds)``."""
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


def __getattr__(name: str) -> Any:
    if name not in PICTURES:
        raise AttributeError(_no("picture", name, names()))
    return _picture(name)


def __dir__() -> list[str]:
    return [*names(), "names", "sounds"]


@cache
def _picture(name: str) -> Any:
    return PICTURES[name]()


@cache
def _sound(name: str) -> Any:
    from ..audio.sound import Sound  # which a game without sounds does not load

    return Sound.sfx(5, name)


def _no(what: str, name: str, known: tuple[str, ...]) -> str:
    return f"fw.art has no {what} {name!r}; did you mean {nearest(name, known)}? There are {', '.join(known)}"
