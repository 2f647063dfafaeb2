"""The base class that adds the method `play` to sounds and sound streams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..assets.sounds import RATE
from ..current_game import current_game
from ..errors import FrameworkError
from ..moved_names import renamed_options
from ..other_engines.other_options import other_options
from ..record.content_keys import content_key
from .audio import Audio, console_of
from .occlusion import Walls
from .positional import HasPosition
from .source_maker import SourceMaker
from .voices import Voice, checked_options, checked_second

_LONG = RATE  # samples; a shorter sound ends before a long frame is noticed


MAX_SAMPLE = 64.0
"""The largest number that a sample may be. A sample of 1 is as loud as possible without the
limiter.
"""


def too_loud(name: str, loudest: float) -> str:
    """Return the error message for samples that are far too loud. ``loudest`` is the largest of the
    samples, without its sign.
    """
    return f"{name}: expected samples in -1..1, got {loudest:g}; divide 16-bit samples by 32768"


class Playable(SourceMaker):
    """The base class of `Sound` and `SoundStream`, with the method `play`."""

    __slots__ = ()

    def _prepare_long_sounds(self) -> None:
        """Called when the sound was created. If the sound is long, let the game prepare to play it
        during long frames.
        """
        length = self._length
        if length is not None and length < _LONG:
            return
        game = current_game()
        if game is None:
            SourceMaker.long_sound_exists = True
        else:
            audio: Audio = game.audio
            console_of(audio).prepare_long_sounds()

    @other_options(
        **dict.fromkeys(("speed", "rate", "frequency"), "pitch"),
        _="write sound.play(volume=0.5, pitch=1.2, loop=True)",
    )
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
        """Play the sound. It starts at the first sample of the current tick.

        If you call `play` between two ticks, the sound starts immediately. If a tick runs again
        (`Game.recording.resimulating`), `play` returns the voice from the first run. If the second
        run passes other arguments, such as another volume, the voice is changed accordingly. If the
        second run does not play the sound, the voice fades out within 30 ms.

        Parameters
        ----------
        volume
            The volume: 0 is silence, 1 is the volume of the recording, and 16 is the maximum.
        pitch
            The pitch and the speed: with 2, the sound is an octave higher and twice as fast. The
            maximum is 16.
        pan
            The direction from -1 to 1: with -1, only the left channel is audible, and with 1, only
            the right channel. With 0, the sound is played as recorded.
        position
            The position of the sound in the world: a sprite, an instance, or a point of two or
            three numbers. With a position, the volume and the pan depend on the distance and the
            direction from the camera. See `Audio.listener`.
        loop
            Whether the sound repeats. To repeat only a part of the sound, pass (start, end) in
            seconds. The part before ``start`` is played once. A `SoundStream` cannot repeat,
            because its function computes every sample.
        fade
            The duration of the fade-in in seconds.
        bus
            The name of the bus on which the voice plays, as in
            ``game.audio.buses["effects"].volume``.
        priority
            The importance of the voice when too many voices are playing. If more than
            `Audio.max_voices` voices would play, the voice with the lowest priority stops. If
            several voices have the lowest priority, the quietest of them stops.
        reach
            The distance at which the voice has half its volume, in units of the world. With None,
            `Audio.reach` is used.
        start
            The start position in the sound, in seconds.
        at
            The game time at which the sound starts, in seconds. The start is exact to one sample.
            See `Audio.time`. The start time can be between two ticks, and up to one hour in the
            future. Until its start time, the voice waits silently. If the start time is within the
            last tick, the sound starts immediately. For a start time before the last tick, `play`
            raises `ValueError`. With None, the sound starts now.
        occlusion
            How much walls block the sound of a voice that has a ``position``. With 0, walls do not
            block the sound. With 1, walls make it quieter and muffled. ``occlusion`` can be a
            number, a function, or walls. A function receives the positions of the voice and of the
            listener, and returns a number from 0 to 1. Walls can be tiles, `ConvexShapes`, or a
            physics world. Bodies of sprites and meshes do not block sounds. With None,
            `Audio.occlusion` is used.
        key
            A number or a string that identifies the sound when ticks run again. With a key, the
            second run can play the sound in another tick, and `play` still returns the voice of the
            first run.

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
