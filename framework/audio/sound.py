"""Sounds: short sounds that are decoded once and can be played many times."""

from __future__ import annotations

__all__ = ["Sound"]

import os
from collections.abc import Hashable, Sequence, Set
from typing import Any

import numpy as np
import xxhash
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Reals
from ..assets.rate_conversion import converted
from ..assets.sounds import MAX_FRAMES, RATE, Samples, load
from ..checks import Sealed
from ..current_game import current_folders, current_game
from ..errors import FrameworkError
from ..moved_names import HasMoved, moved, renamed_options
from ..other_engines.audio_names import sound_names
from ..other_engines.other_options import other_options
from ..record.content_keys import content_key
from ..resources import Reloadable, is_among
from .audio import Audio, console_of
from .positional import HasPosition
from .sources import DecodedSource
from .synthesis import KINDS, WAVES, effect, tone
from .voices import Voice, checked_loop, checked_options, checked_second

_MAX_SECONDS = MAX_FRAMES // RATE


@moved("sound", {"seconds": "duration"})
@sound_names
class Sound(Sealed, HasMoved):
    """A sound from a file (WAV, FLAC, MP3, Ogg Vorbis): ``fw.Sound("jump.ogg").play()``.

    The constructor decodes the whole file to float32, at 48,000 samples per second. It searches for
    ``path`` in the folder of the game's Python files, then in the working directory. Sounds and
    voices are not part of the state of a game. Use `tone`, `sfx` or `of` for a sound without a
    file, and `Audio.music` for files longer than five minutes.

    Raises `AssetError` if the file is missing, broken, in a format that is not supported, or longer
    than five minutes.
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
        # Equal for two sounds with the same parameters or samples. None: a file, whose sounds share
        # their samples.
        self._content: Hashable = None
        self._samples = load(path, current_folders())
        if Reloadable.objects is not None:
            Reloadable.objects.add(self)

    def renew(self, files: Set[str]) -> bool:
        """If ``files`` contains the file of the sound, reload it. Voices that are already playing
        keep the old samples.
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
        return sound

    @classmethod
    def of(cls, samples: ArrayLike, rate: float = RATE) -> Sound:
        """Return a sound made of samples from -1 to 1. ``samples`` has the shape (n,), or (n, 2)
        for left and right.

        ``rate`` is the number of samples per second, 1,000 to 384,000. Default: 48,000.
        """
        rate = checks.number("rate", rate, least=1000, most=384_000)
        flat = np.ndim(checks.numbers("samples", samples, None)) == 1
        array = checks.numbers("samples", samples, (None,) if flat else (None, 2), dtype="f4")
        if not 0 < len(array) <= MAX_FRAMES * rate / RATE or np.abs(array).max() > 64:
            raise checks.wrong_value(
                "samples", f"numbers in -1..1, of at most {_MAX_SECONDS} seconds", array
            )
        # A copy, because the caller may change the array.
        native = array.reshape(len(array), -1).copy()
        # If a tick runs again and makes its sound again, both sounds are the same for the game.
        content = ("samples", rate, native.shape, xxhash.xxh3_128_intdigest(native.data))
        if rate == RATE:
            return cls._made("samples", native.T, content)
        sound = cls._made("samples", converted(native, rate, RATE).T, content)
        sound._samples = Samples(sound._samples.rows, native=(native, rate))
        return sound

    @classmethod
    @renamed_options("Sound.tone", seconds="duration")
    def tone(cls, frequency: float, duration: float, *, wave: str = "sine") -> Sound:
        """Return a tone of ``frequency`` hertz, at half the maximum volume.

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
        """Return a sound effect that is generated from a seed.

        The same seed gives the same sound on every machine. ``kind`` is "coin", "laser",
        "explosion", "powerup", "hit", "jump" or "blip". If ``kind`` is None, the seed chooses the
        kind.
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
        """The number of channels of the sound, 1 or 2."""
        return len(self._samples.rows)

    @other_options(**dict.fromkeys(("speed", "rate", "frequency"), "pitch"))
    @renamed_options("Sound.play", group="bus")
    def play(
        self,
        *,
        volume: float = 1.0,
        pitch: float = 1.0,
        pan: float = 0.0,
        position: HasPosition | Sequence[float] | None = None,
        loop: bool | tuple[float, float] = False,
        fade: float = 0.0,
        bus: str = "effects",
        priority: float = 0.0,
        reach: float | None = None,
        start: float = 0.0,
        at: float | None = None,
        key: Any = None,
    ) -> Voice:
        """Play the sound from the current tick on, exact to the sample.

        Between two ticks, the sound begins at once. If a tick runs again
        (`Game.recording.resimulating`), `play` returns the voice of the first run. If the second
        run passes other options, such as another volume, the voice gets them. If the second run
        does not play the sound, the voice fades out in 30 ms.

        Parameters
        ----------
        volume
            The volume: 0 is silence, 1 is as recorded, 16 is the maximum.
        pitch
            The pitch and speed: 2 is an octave up and twice as fast. The maximum is 16.
        pan
            The side: -1 is left only, 1 is right only. With 0, the sound is as recorded.
        position
            A sprite, an instance, or a point of two or three numbers. The loudness and the pan then
            depend on the position relative to the camera. See `Audio.listener`.
        loop
            Whether the sound repeats. Pass (start, end) in seconds to repeat only the sound between
            these times. The sound before ``start`` is played once.
        fade
            The duration of the fade-in in seconds.
        bus
            The name of the voice's bus, as in ``game.audio.buses["effects"].volume``.
        priority
            The importance of the voice. If more than `Audio.max_voices` voices would play, the
            voice with the lowest priority is stopped. Among voices of equal priority, the quietest
            voice is stopped.
        reach
            The distance, in units of the world, at which the voice is half as loud. None:
            `Audio.reach`.
        start
            The position in the sound at which the voice begins, in seconds.
        key
            A number or string that identifies the sound if ticks run again. With a key, the second
            run gets the voice of the first run even if it plays the sound in another tick.

        at
            The game time in seconds at which the sound begins, exact to the sample: see
            `Audio.time`. The time may lie between two ticks, and at most one hour ahead. Until then,
            the voice waits. A time within the last tick begins at once, and an earlier time is a
            `ValueError`. None: now.

        Raises `FrameworkError` if no game is open.
        """
        samples = self._samples
        start = checked_second("start", start, samples.length)
        options = checked_options(
            volume, pitch, pan, position, fade, bus, priority, reach, start, at
        )
        part = checked_loop(loop, samples.length)
        whole = None if part is None else (part[0], part[1] or samples.length)
        game = current_game()
        if game is None:
            raise FrameworkError("play: no game is open; play sounds in setup() or update()")
        audio: Audio = game.audio
        return console_of(audio).begin(
            self,
            DecodedSource(samples, whole),
            options,
            None if key is None else content_key(key),
            # Two sounds of one file share their samples.
            content=id(samples) if self._content is None else self._content,
        )

    def __repr__(self) -> str:
        return f"<Sound {self.name!r}, {self.duration:.3g} s>"
