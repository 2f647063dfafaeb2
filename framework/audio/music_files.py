"""Music files: open the files, or the sounds, that play as music, and check their lengths."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

from .. import checks
from ..assets.sounds import RATE
from ..errors import AssetError
from ..resources import Folder, find
from .file_stream import Stream
from .mixer_track import MIN_FADE, SampleSource
from .source_maker import SourceMaker, identity_of, length_of, new_source
from .voices import VoiceOptions, checked_loop, checked_options


class MusicFile(NamedTuple):
    """A file or a sound that plays as music."""

    name: object
    """The path of the file, or the sound: `Voice.sound`."""
    key: Hashable
    """A key that is equal for two files or sounds with the same samples."""
    source: SampleSource
    length: int | None
    """The number of samples, or None if it is unknown."""
    loops: bool


def music_file(name: str, path: object, loop: object, folders: Sequence[Folder]) -> MusicFile:
    """Open a file, or a sound, that will play as music. ``name`` is the name of the argument
    ``path``, for errors.
    """
    part = checked_loop(loop, None)
    if isinstance(path, SourceMaker):
        source = new_source(path, loop)
        key = identity_of(path), part
        return MusicFile(path, key, source, length_of(path), part is not None)
    if not isinstance(path, str | os.PathLike):
        raise checks.wrong_type(name, "the path of a music file, or a Sound", path)
    file = find(checks.path(name, path), folders)
    stream = Stream(file, part)
    length = stream.header_length()
    if not length and stream.is_empty():
        raise AssetError(
            f"The music {str(file)!r} contains no samples: it is empty, or broken. Save it again."
        )
    return MusicFile(str(file), (str(file), part), stream, length, part is not None)


def music_options(volume: float, fade: float, start: float) -> VoiceOptions:
    """Return the options of a new voice that plays music."""
    options = checked_options(volume, 1.0, 0.0, None, fade, "music", 0.0, None, start)
    # The first sample in the middle of the music would be a click.
    return options._replace(fade=max(options.fade, MIN_FADE / RATE)) if start else options


def checked_volumes(
    volumes: Mapping[str, float], paths: Mapping[str, object]
) -> Mapping[str, float]:
    """Check that each volume belongs to a file in ``paths``, and return the volumes by name."""
    named = checks.named("volumes", volumes, "a dict of names and volumes")
    for name in named:
        checks.choice("volumes", name, paths)
    return named


def check_lengths(files: list[MusicFile], part: tuple[int, int | None] | None) -> None:
    """Check that files have the same length, so that they can play in sync."""
    stated = [(file.name, file.length) for file in files if file.length is not None]
    end = None if part is None else part[1]
    for name, length in stated:
        if end is not None and length < end:
            raise ValueError(
                f"loop: expected an end within all files, got {end / RATE:g} s; "
                f"{name!r} has {length / RATE:g} s"
            )
        first_name, first_length = stated[0]
        if end is None and abs(length - first_length) > 1:
            raise ValueError(
                f"paths: expected files of equal length, got {first_name!r} with "
                f"{first_length / RATE:g} s and {name!r} with {length / RATE:g} s; pass "
                "loop=(start, end) to repeat a part that all files have"
            )
