"""Sounds that are loaded once, and can be played many times."""

from __future__ import annotations

__all__ = ["Sound"]

import os
from collections.abc import Hashable, Set

import numpy as np
import xxhash
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Reals
from ..assets.rate_conversion import converted
from ..assets.sounds import MAX_FRAMES, RATE, Samples, load
from ..current_game import current_folders
from ..moved_names import HasMoved, moved, renamed_options
from ..other_engines.audio_names import sound_names
from ..other_engines.other_options import other_options
from ..resources import Reloadable, is_among
from .playable import MAX_SAMPLE, Playable, too_loud
from .sources import DecodedSource
from .synthesis import KINDS, WAVES, effect, tone
from .voices import checked_loop

_MAX_SECONDS = MAX_FRAMES // RATE


@moved("sound", {"seconds": "duration"})
@sound_names
class Sound(Playable, HasMoved):
    """A sound from a file (WAV, FLAC, MP3, Ogg Vorbis): ``fw.Sound("jump.ogg").play()``.

    The constructor decodes the whole file to float32 samples, 48,000 per second. The constructor
    searches for ``path`` in the folder of the game's Python files, then in the working directory.
    Sounds and voices are not part of a game's state, so snapshots do not contain them. For a sound
    without a file, use `tone`, `sfx` or `of`. For a file longer than five minutes, use
    `Audio.music`.

    Raises `AssetError` if the file is missing, broken, longer than five minutes, or in an
    unsupported format.
    """

    __slots__ = ("__weakref__", "_content", "_samples", "name")

    _transient_attributes = True

    @other_options(
        **dict.fromkeys(
            ("volume", "pitch", "loop", "loops", "streaming", "bus"),
            "write fw.Sound('jump.wav').play(volume=0.5, loop=True)",
        ),
    )
    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.name = checks.path("path", path)
        """The path of the file, or a description if the sound has no file."""
        # The value is equal for two sounds with the same parameters or samples. It is None for a
        # file, because all sounds from the same file share their samples.
        self._content: Hashable = None
        self._samples = load(path, current_folders())
        Reloadable.add(self, Sound._renew)
        self._prepare_long_sounds()

    def _renew(self, files: Set[str]) -> bool:
        """If ``files`` contains the file of this sound, reload the file. Voices that are already
        playing still use the old samples.
        """
        folders = current_folders()
        if not is_among(self.name, files, folders):
            return False
        self._samples = load(self.name, folders)
        return True

    @classmethod
    def _made(cls, name: str, samples: Reals, content: Hashable = None) -> Sound:
        sound = cls.__new__(cls)
        sound.name = name
        sound._content = content
        sound._samples = Samples(np.atleast_2d(samples))
        sound._prepare_long_sounds()
        return sound

    @classmethod
    def of(cls, samples: ArrayLike, rate: float = RATE) -> Sound:
        """Return a sound from an array of samples between -1 and 1. ``samples`` has the shape (n,),
        or (n, 2) for the left and right channels.

        ``rate`` is the number of samples per second, from 1,000 to 384,000. Default: 48,000.
        """
        rate = checks.number("rate", rate, least=1000, most=384_000)
        shape = np.shape(checks.numbers("samples", samples, None))
        flat = len(shape) == 1
        if len(shape) == 2 and 1 <= shape[0] <= 2 < shape[1]:
            repair = "samples[0]" if shape[0] == 1 else "samples.T"
            raise ValueError(
                f"samples: expected the shape (n,) or (n, 2), got {shape}; write {repair}"
            )
        array = checks.numbers("samples", samples, (None,) if flat else (None, 2), dtype="f4")
        if not 0 < len(array) <= MAX_FRAMES * rate / RATE:
            raise ValueError(
                f"samples: expected 1 sample to {_MAX_SECONDS} seconds, got {len(array)} samples"
            )
        loudest = float(np.abs(array).max())
        if loudest > MAX_SAMPLE:
            raise ValueError(too_loud("samples", loudest))
        # Make a copy, because the caller may change the array later.
        native = array.reshape(len(array), -1).copy()
        # If a tick runs again, it creates its sound again. The game must treat both as the same
        # sound.
        content = ("samples", rate, native.shape, xxhash.xxh3_128_intdigest(native.data))
        if rate == RATE:
            return cls._made("samples", native.T, content)
        sound = cls._made("samples", converted(native, rate, RATE).T, content)
        sound._samples = Samples(sound._samples.rows, native=(native, rate))
        return sound

    @classmethod
    @renamed_options("Sound.tone", seconds="duration")
    def tone(cls, frequency: float, duration: float, *, wave: str = "sine") -> Sound:
        """Return a sound that is a tone of ``frequency`` hertz, at half the maximum volume.

        ``wave`` is "sine", "square", "triangle", "sawtooth" or "noise".
        """
        frequency = checks.number("frequency", frequency, above=0, below=RATE / 2)
        duration = checks.number("duration", duration, above=0, most=_MAX_SECONDS)
        return cls._made(
            f"tone of {frequency:g} Hz",
            tone(frequency, duration, checks.choice("wave", wave, WAVES)),
            ("tone", frequency, duration, wave),
        )

    @classmethod
    def sfx(cls, seed: int = 0, kind: str | None = None) -> Sound:
        """Return a random sound effect, generated from a seed.

        The same seed always gives the same sound, on every machine. ``kind`` is "coin", "laser",
        "explosion", "powerup", "hit", "jump" or "blip". If ``kind`` is None, the seed also
        determines the kind.
        """
        seed = checks.whole("seed", seed, 0)
        kind = None if kind is None else checks.choice("kind", kind, KINDS)
        name = f"sfx {seed} {kind or ''}".rstrip()
        return cls._made(name, effect(seed, kind), ("sfx", seed, kind))

    @property
    def duration(self) -> float:
        """The duration of the sound in seconds."""
        return self._samples.length / RATE

    @property
    def channels(self) -> int:
        """The number of channels: 1 (mono) or 2 (stereo)."""
        return len(self._samples.rows)

    def _new_source(self, loop: object) -> DecodedSource:
        samples = self._samples
        part = checked_loop(loop, samples.length)
        whole = None if part is None else (part[0], part[1] or samples.length)
        return DecodedSource(samples, whole)

    @property
    def _length(self) -> int:
        return self._samples.length

    @property
    def _identity(self) -> Hashable:
        # Two sounds from the same file share their samples.
        return id(self._samples) if self._content is None else self._content

    def __repr__(self) -> str:
        return f"<Sound {self.name!r}, {self.duration:.3g} s>"
