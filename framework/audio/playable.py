"""Playable sounds: the method `play` of sounds and of streams."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from ..checks import Sealed
from ..current_game import current_game
from ..errors import FrameworkError
from ..moved_names import renamed_options
from ..other_engines.other_options import other_options
from ..record.content_keys import content_key
from .audio import Audio, console_of
from .mixer_track import SampleSource
from .occlusion import Walls
from .positional import HasPosition
from .voices import Voice, checked_options, checked_second


class Playable(Sealed):
    """The base class of `Sound` and `SoundStream`."""

    __slots__ = ()

    def _new_source(self, loop: object) -> SampleSource:
        """Return the source of the samples for one new voice."""
        raise NotImplementedError

    @property
    def _length(self) -> int | None:
        """The number of samples, or None if the sound has no end."""
        return None

    @property
    def _identity(self) -> Hashable:
        """A key that is equal for two sounds with the same samples. None: no other sound has the
        same key.
        """
        return None

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
        occlusion: Walls = None,
        key: Any = None,
    ) -> Voice:
        """Play the sound from the current tick on, exact to the sample.

        If you call `play` between two ticks, the sound begins at once. If a tick runs again
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
            these times. The sound before ``start`` is played once. A `SoundStream` does not repeat:
            its function decides what follows.
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
        at
            The game time in seconds at which the sound begins, exact to the sample: see
            `Audio.time`. The time may lie between two ticks, and at most one hour ahead. Until
            then, the voice waits. If the time is within the last tick, the sound begins at once. An
            earlier time is a `ValueError`. None: now.
        occlusion
            How much walls block the sound of a voice with a ``position``. With 0, the sound is not
            blocked. With 1, the sound is quieter and muffled. Pass a number, a function, or walls.
            The function gets the position of the voice and the position of the listener, and
            returns the number. Walls are tiles, `ConvexShapes`, or a physics world. Bodies of rows
            do not block sounds. None: `Audio.occlusion`.
        key
            A number or string that identifies the sound if ticks run again. With a key, the second
            run gets the voice of the first run even if it plays the sound in another tick.

        Raises `FrameworkError` if no game is open.
        """
        start = checked_second("start", start, self._length)
        options = checked_options(
            volume, pitch, pan, position, fade, bus, priority, reach, start, at, occlusion
        )
        source = self._new_source(loop)
        game = current_game()
        if game is None:
            raise FrameworkError("play: no game is open; play sounds in setup() or update()")
        audio: Audio = game.audio
        return console_of(audio).begin(
            self,
            source,
            options,
            None if key is None else content_key(key),
            content=self._identity,
        )
