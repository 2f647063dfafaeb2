"""The base class of sounds, which create a source of samples each time they are played."""

from __future__ import annotations

from collections.abc import Hashable
from typing import ClassVar

from ..checks import Sealed
from .mixer_track import SampleSource


class SourceMaker(Sealed):
    """The base class of `Sound` and `SoundStream`. A sound makes a new source for each voice."""

    __slots__ = ()

    long_sound_exists: ClassVar[bool] = False
    """Whether the program has loaded a long sound, or a stream, outside a game."""

    def _new_source(self, loop: object) -> SampleSource:
        """Return a new source of samples, for one voice."""
        raise NotImplementedError

    @property
    def _length(self) -> int | None:
        """The number of samples in the sound, or None if the sound has no end."""
        return None

    @property
    def _identity(self) -> Hashable:
        """A key that is equal for two sounds with the same samples. The key is None if no other
        sound has the same samples.
        """
        return None


def new_source(sound: SourceMaker, loop: object) -> SampleSource:
    """Return a new source of a sound's samples, for one voice. ``loop`` is the option of
    `Sound.play`.
    """
    return sound._new_source(loop)


def length_of(sound: SourceMaker) -> int | None:
    """Return the number of samples in a sound, or None if the sound has no end."""
    return sound._length


def identity_of(sound: SourceMaker) -> Hashable:
    """Return a key that is equal for two sounds with the same samples."""
    identity = sound._identity
    return id(sound) if identity is None else identity
