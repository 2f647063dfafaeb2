"""Sounds: what is decoded once, and heard as often as it is played."""

from __future__ import annotations

__all__ = ["Sound"]

import os
from collections.abc import Sequence, Set

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Reals
from ..assets.sounds import MAX_FRAMES, RATE, Samples, load
from ..checks import Sealed
from ..current_game import current_folders, current_game
from ..errors import FrameworkError
from ..resources import Renewed, is_among
from .audio import Audio, console_of
from .hearing import Placed
from .sources import Clip
from .synthesis import KINDS, WAVES, effect, tone
from .voices import Voice, checked_loop, checked_options

_LONGEST = MAX_FRAMES // RATE


class Sound(Sealed):
    """A sound from a file (WAV, FLAC, MP3, Ogg Vorbis), decoded at once: float32 at 48,000 samples
    a second.

    ``path`` is looked up beside the files that define the game, then in the working directory.
    Raises `AssetError` for a file that is missing, broken, in another format, or longer than five
    minutes (music is streamed: `Audio.music`). What is played is heard in the game that is at work.
    A sound is no state of a game, and neither are its voices.
    """

    __slots__ = ("__weakref__", "_samples", "name")

    _transient_attributes = True

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.name = checks.path("path", path)
        """The path, or what it was made as."""
        self._samples = load(path, current_folders())
        if Renewed.known is not None:
            Renewed.known.add(self)

    def renew(self, files: Set[str]) -> bool:
        """Decode the file anew, if it is one of these. What is playing goes on as it was."""
        folders = current_folders()
        if not is_among(self.name, files, folders):
            return False
        self._samples = load(self.name, folders)
        return True

    @classmethod
    def _made(cls, name: str, samples: Reals) -> Sound:
        sound = cls.__new__(cls)
        sound.name, sound._samples = name, Samples(np.atleast_2d(samples))
        return sound

    @classmethod
    def of(cls, samples: ArrayLike, rate: float = RATE) -> Sound:
        """A sound of numbers in -1..1: (n,), or (n, 2) for left and right; ``rate`` is how many
        there are a second.
        """
        rate = checks.number("rate", rate, least=1000, most=384_000)
        flat = np.ndim(checks.numbers("samples", samples, None)) == 1
        array = checks.numbers("samples", samples, (None,) if flat else (None, 2), dtype="f4")
        if not 0 < len(array) <= MAX_FRAMES * rate / RATE or np.abs(array).max() > 64:
            raise checks.wrong_value(
                "samples", f"numbers in -1..1, of at most {_LONGEST} seconds", array
            )
        rows = array.reshape(len(array), -1).T.copy()  # not the caller's, who may write into them
        if rate != RATE:
            count = max(1, round(len(array) * RATE / rate))
            at, known = np.arange(count) * (rate / RATE), np.arange(len(array))
            rows = np.stack([np.interp(at, known, row) for row in rows])
        return cls._made("samples", rows)

    @classmethod
    def tone(cls, frequency: float, seconds: float, *, wave: str = "sine") -> Sound:
        """A tone of so many hertz, half as loud as can be. ``wave``: sine, square, triangle,
        sawtooth or noise.
        """
        frequency = checks.number("frequency", frequency, above=0, below=RATE / 2)
        seconds = checks.number("seconds", seconds, above=0, most=_LONGEST)
        return cls._made(
            f"tone of {frequency:g} Hz",
            tone(frequency, seconds, checks.choice("wave", wave, WAVES)),
        )

    @classmethod
    def sfx(cls, seed: int = 0, kind: str | None = None) -> Sound:
        """An effect that is made up from a seed: the same seed, the same sound, on every machine.

        ``kind``: coin, laser, explosion, powerup, hit, jump or blip; None has the seed choose.
        """
        seed = checks.whole("seed", seed, 0)
        kind = None if kind is None else checks.choice("kind", kind, KINDS)
        return cls._made(f"sfx {seed} {kind or ''}".rstrip(), effect(seed, kind))

    @property
    def seconds(self) -> float:
        """How long it is."""
        return self._samples.length / RATE

    @property
    def channels(self) -> int:
        """1 or 2."""
        return len(self._samples.rows)

    def play(
        self,
        *,
        volume: float = 1.0,
        pitch: float = 1.0,
        pan: float = 0.0,
        position: Placed | Sequence[float] | None = None,
        loop: bool | tuple[float, float] = False,
        fade: float = 0.0,
        group: str = "effects",
        priority: float = 0.0,
        reach: float | None = None,
    ) -> Voice:
        """Have it heard from the moment of this tick on, to the sample; between ticks, from the
        next moment on.

        Parameters
        ----------
        volume
            0 is silence, 1 as it was recorded, at most 16.
        pitch
            2 is an octave up and twice as fast; at most 16.
        pan
            From -1, left only, to 1, right only; at 0 both sides are as recorded.
        position
            A sprite, an instance, or a point of two or three numbers: how loud it is, and on which
            side, then follows from where the camera is, between ticks too. See `Audio.listener`.
        loop
            Whether it is played again and again; or the seconds (start, end) of it that are, after
            what is before.
        fade
            Seconds in which it becomes as loud.
        group
            The name of its group: ``game.audio.groups["effects"].volume``.
        priority
            When there are more voices than `Audio.max_voices`, the lowest is stopped, of these the
            most quiet.
        reach
            The distance at which it is half as loud, in units of the world; None for that of
            `Audio.reach`.

        A tick that is run again (`Game.recording.resimulating`) returns the voice that it began before.
        Raises `FrameworkError` while no game is open.
        """
        options = checked_options(volume, pitch, pan, position, fade, group, priority, reach)
        samples = self._samples
        part = checked_loop(loop, samples.length)
        whole = None if part is None else (part[0], part[1] or samples.length)
        game = current_game()
        if game is None:
            raise FrameworkError(
                "play: no game is open, and sounds are heard in games; play it in "
                "setup() or update()"
            )
        audio: Audio = game.audio
        return console_of(audio).begin(self, Clip(samples, whole), options)

    def __repr__(self) -> str:
        return f"<Sound {self.name!r}, {self.seconds:.3g} s>"
