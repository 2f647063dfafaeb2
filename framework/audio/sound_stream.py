"""Play sounds that a function of your game computes, such as the sound of an engine."""

from __future__ import annotations

__all__ = ["SoundStream"]

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Floats
from ..assets.sounds import RATE
from ..other_engines.other_options import other_options
from .playable import MAX_SAMPLE, Playable, too_loud
from .sources import StreamedSource
from .voices import checked_loop

_MAX_AHEAD = 1.5  # seconds

SampleFunction = Callable[[int, int], ArrayLike]
"""A function with the arguments ``first`` and ``count``. The function returns ``count`` samples,
starting at the sample ``first``.
"""


class SoundStream(Playable):
    """A sound whose samples are computed by a function while the sound is playing, such as an
    engine or a synthesizer.

        def hum(first, count):
            seconds = (first + np.arange(count)) / 48_000
            return 0.2 * np.sin(2 * np.pi * 110 * seconds)

        voice = fw.SoundStream(hum).play()

    The game's thread calls the function, a few milliseconds before the samples are played. If the
    stream plays several times, the function is called for each voice separately. The function is
    not called while the voice is silent. In a game that runs without a window, the function is only
    called during an `Audio.capture`. So the function may read the state of the game, but must not
    change it.
    """

    __slots__ = ("__weakref__", "_ahead", "_channels", "_function")

    _transient_attributes = True

    @other_options(
        **dict.fromkeys(("rate", "sample_rate"), "compute 48,000 samples per second"),
        **dict.fromkeys(
            ("volume", "pitch", "loop", "bus"), "write fw.SoundStream(function).play(volume=0.5)"
        ),
    )
    def __init__(self, function: SampleFunction, *, channels: int = 1, ahead: float = 0.0) -> None:
        """Create a stream. The constructor does not call ``function``.

        Parameters
        ----------
        function
            A function of ``first`` and ``count``. ``function(first, count)`` returns ``count``
            samples of the sound, starting at the sample number ``first``. Samples are numbers from
            -1 to 1, 48,000 per second. The returned array has the shape (count,), or (count, 2) for
            the left and right channels. If the function returns fewer samples than ``count``, the
            voice ends. Usually, each call continues where the previous call ended. After
            `Voice.seek`, the next call continues at another sample.
        channels
            The number of channels: 1, or 2 if the function returns a left and a right channel.
            Default: 1.
        ahead
            How far in advance the function computes samples for the sound device, in seconds from 0
            to 1.5. Default: 0. If a frame of the game takes longer than ``ahead``, the stream
            becomes silent. If the function reads the state of the game, changes to that state are
            heard ``ahead`` seconds later.
        """
        self._function = checks.takes(
            "function", function, "a function of first and count", "the first sample", "the count"
        )
        self._channels = checks.whole("channels", channels, 1, 2)
        self._ahead = checks.number("ahead", ahead, least=0, most=_MAX_AHEAD)
        self._prepare_long_sounds()

    @property
    def channels(self) -> int:
        """The number of channels: 1 (mono) or 2 (stereo)."""
        return self._channels

    @property
    def ahead(self) -> float:
        """How far in advance the function computes samples for the sound device, in seconds."""
        return self._ahead

    def _new_source(self, loop: object) -> ComputedSource:
        if checked_loop(loop, None) is not None:
            raise ValueError(
                f"loop: expected False for a stream, got {checks.shown(loop)}; the function can return "
                "the same samples again"
            )
        return ComputedSource(self._function, self._channels, self._ahead)

    def __repr__(self) -> str:
        name = getattr(self._function, "__name__", type(self._function).__name__)
        return f"<SoundStream of {name}>"


class ComputedSource(StreamedSource):
    """The samples of a `SoundStream`, for one voice."""

    min_decoded = 1  # a larger number would read the state of the game too early

    def __init__(self, function: SampleFunction, channels: int, ahead: float) -> None:
        super().__init__(channels)
        self._function = function
        self._ahead = round(ahead * RATE)
        self._next = 0
        self._has_failed = False

    def seek(self, first: int) -> None:
        """Continue at the sample ``first`` of the sound."""
        self._next = first

    def read_ahead(self, first: int, count: int) -> None:
        """Compute the next samples in advance. The option ``ahead`` of the stream limits the number
        of samples.
        """
        if self._ahead:
            super().read_ahead(first, min(count, self._ahead))

    def decode(self, count: int) -> Floats:
        """Call the function of the stream for the next ``count`` samples, and return these samples.
        The array is float32 and has the shape (channels, m).

        If the function raises an error, the voice ends.
        """
        if self._has_failed:
            return np.empty((self.channels, 0), np.float32)
        self._has_failed = True
        samples = self._checked(self._function(self._next, count), count)
        self._has_failed = False
        self._next += samples.shape[1]
        return samples

    def _checked(self, result: ArrayLike, count: int) -> Floats:
        name = getattr(self._function, "__name__", "function")
        shape: tuple[int | None, ...] = (None,) if self.channels == 1 else (None, 2)
        array = checks.numbers(f"the result of {name}", result, shape, dtype="f4")
        if len(array) > count:
            raise ValueError(
                f"the result of {name}: expected at most {count} samples (the argument count), got "
                f"{len(array)}"
            )
        loudest = float(np.abs(array).max(initial=0.0))
        if loudest > MAX_SAMPLE:
            raise ValueError(too_loud(f"the result of {name}", loudest))
        return array.reshape(len(array), self.channels).T
