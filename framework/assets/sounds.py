"""Decode WAV, FLAC, MP3 and Ogg Vorbis files into samples at 48,000 Hz.

A decoded sound has one or two channels. The library miniaudio decodes the files in blocks. It is
imported when the game first opens a sound file. A sound with more than `MAX_FRAMES` samples raises
an error.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Literal, Protocol, cast, overload
from weakref import WeakValueDictionary

import numpy as np

from .. import checks
from ..arrays import Floats
from ..errors import AssetError, FrameworkError
from ..optional_packages import check_version
from ..resources import Folder, find
from .ogg import cleaned
from .rate_conversion import RateConverter, converted

RATE = 48_000
"""The sample rate of all decoded sounds: samples per second. Files with another sample rate are
converted.
"""

MAX_FRAMES = 5 * 60 * RATE
"""The maximum number of samples of a decoded sound: five minutes (115 MB). Play longer files as
music, which is decoded while it plays.
"""

MAX_BYTES = 256 << 20
"""The maximum size of a sound file in bytes."""

_BLOCK = 1 << 16  # the number of samples to decode in one step
_READERS = {
    b"RIFF": "WAV",
    b"RIFX": "WAV",
    b"RF64": "WAV",
    b"fLaC": "FLAC",
    b"OggS": "Ogg",
    b"ID3": "MP3",
}
# The codecs that a file may contain, by miniaudio's names. WAV files may contain MP3, and some
# tagged FLAC files begin like MP3.
_CODECS = {"WAV": ("wav", "mp3"), "FLAC": ("flac",), "Ogg": ("vorbis",), "MP3": ("mp3", "flac")}
_MIN_RATE = 1000
_MAX_RATE = 384_000
# How long the end of a loop is blended with its start, as a multiple of the filter's length.
_BLENDED = 2
_EQUAL_RATES = 8  # in samples per second; the pitch then differs by a 350th of a semitone
_MAX_MP3_SEEK = 30 * RATE
_MAX_AMPLITUDE = 64.0  # louder samples of a float file are limited to this value, and NaN becomes 0
_KNOWN = "WAV, FLAC, MP3 or Ogg Vorbis"


class _NativeDecoder(Protocol):
    """A decoder of miniaudio's C library."""

    outputChannels: int
    outputSampleRate: int


class _Config(Protocol):
    """The options of a decoder in miniaudio's C library."""

    encodingFormat: int


class _Numbers(Protocol):
    """An array of numbers in C memory."""

    def __getitem__(self, index: int, /) -> int: ...
    def __setitem__(self, index: int, value: int, /) -> None: ...


class _Memory(Protocol):
    """The functions of the library cffi that allocate and read C memory."""

    @overload
    def new(self, kind: Literal["ma_decoder *"], /) -> _NativeDecoder: ...
    @overload
    def new(self, kind: Literal["ma_uint64 *"], /) -> _Numbers: ...
    @overload
    def new(self, kind: Literal["float[]"], length: int, /) -> _Numbers: ...
    def addressof(self, config: _Config, /) -> object: ...
    def buffer(self, array: _Numbers, size: int, /) -> bytes: ...


class _Functions(Protocol):
    """The decoding functions of miniaudio's C library."""

    MA_SUCCESS: int
    ma_format_f32: int

    def ma_decoder_config_init(self, form: int, channels: int, rate: int, /) -> _Config: ...
    def ma_decoder_init_memory(
        self, data: bytes, size: int, config: object, decoder: _NativeDecoder, /
    ) -> int: ...
    def ma_decoder_uninit(self, decoder: _NativeDecoder, /) -> int: ...
    def ma_decoder_read_pcm_frames(
        self, decoder: _NativeDecoder, into: _Numbers, frames: int, count: _Numbers, /
    ) -> int: ...
    def ma_decoder_seek_to_pcm_frame(self, decoder: _NativeDecoder, frame: int, /) -> int: ...


class _Info(Protocol):
    """The header of a sound file, as read by miniaudio."""

    num_frames: int


class _Device(Protocol):
    """A sound device of miniaudio that plays samples."""

    backend: object

    def start(self, frames: object, /) -> None: ...
    def close(self) -> None: ...


class _Backend(Protocol):
    """The audio systems that miniaudio can use, such as ALSA or the silent ``NULL``."""

    NULL: object


class _SampleFormat(Protocol):
    """The number formats of samples in miniaudio."""

    FLOAT32: object


class Miniaudio(Protocol):
    """The types of the miniaudio functions that the framework calls, for type checkers, because the
    library itself has no type annotations.
    """

    ffi: _Memory
    lib: _Functions
    MiniaudioError: type[Exception]
    Backend: _Backend
    SampleFormat: _SampleFormat

    def PlaybackDevice(
        self,
        form: object,
        channels: int,
        rate: int,
        milliseconds: int,
        *,
        callback_periods: int,
        app_name: str,
        backends: list[object] | None = None,
    ) -> _Device: ...
    def wav_get_info(self, data: bytes, /) -> _Info: ...
    def flac_get_info(self, data: bytes, /) -> _Info: ...
    def vorbis_get_info(self, data: bytes, /) -> _Info: ...
    def mp3_get_info(self, data: bytes, /) -> _Info: ...


def miniaudio() -> Miniaudio:
    """Import the library miniaudio, and return its module. Raises `FrameworkError` if miniaudio is
    not installed, or too old.
    """
    try:
        import miniaudio as library  # games without sounds need not load miniaudio
    except ImportError as error:
        raise FrameworkError(
            "Sounds from files and sound devices need miniaudio, which is not "
            "installed: pip install 'subtick[sound]'"
        ) from error
    _check_miniaudio()
    return cast("Miniaudio", library)


@cache
def _check_miniaudio() -> None:
    """Raise `FrameworkError` if miniaudio is too old. Reading the version of a package takes about
    a millisecond, so the version is read only once, not for each file.
    """
    check_version("miniaudio", "Sound")


NativeSamples = Callable[[int, int], Floats]
"""A function that returns ``count`` samples from the sample ``first`` on, before the conversion of
the sample rate: float32 (n, channels).
"""

_MAX_LOOPS = 4  # the maximum number of loops per sound with stored samples


class Decoder:
    """A decoder that reads a sound file block by block.

    Raises `AssetError` if the file is not a readable sound file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = _file_bytes(path)
        self.data = self._file.data
        library = miniaudio()
        self._ffi = library.ffi
        self._lib = library.lib
        self._decoder: _NativeDecoder | None = None
        channels, rate = self._channels_and_rate()
        self.channels = min(channels, 2)
        # A sample rate that is almost `RATE` is treated as equal to `RATE`.
        self._native_rate: int = rate
        self._rate = RATE if abs(rate - RATE) <= _EQUAL_RATES else rate
        self.loop_start: int | None = None
        """The first sample of a loop. After the last sample of the sound, playback continues at
        this sample. None if the sound does not repeat.
        """
        self._decoder = self._opened(self.channels, self._native_rate)
        self._room = self._ffi.new("float[]", _BLOCK * self.channels)
        self._count = self._ffi.new("ma_uint64 *")
        self._converter: RateConverter | None = None
        self._converted: Floats = np.empty((0, self.channels), np.float32)
        if self._rate != RATE:
            self._converter = RateConverter(self._rate, RATE, self.channels)

    def _channels_and_rate(self) -> tuple[int, int]:
        """Return the number of channels in the file, and its sample rate. Raises `AssetError` if
        the framework cannot play them.
        """
        native = self._opened(0, 0)
        channels = native.outputChannels
        rate = native.outputSampleRate
        self._lib.ma_decoder_uninit(native)
        if not (1 <= channels <= 8 and _MIN_RATE <= rate <= _MAX_RATE):
            limits = f"1 to 8 channels at {_MIN_RATE} to {_MAX_RATE} samples a second"
            raise AssetError(
                f"The sound {str(self.path)!r} has {channels} channels at {rate}; {limits} can be "
                "played."
            )
        return channels, rate

    def _opened(self, channels: int, rate: int, data: bytes = b"") -> _NativeDecoder:
        data = data or self.data
        decoder = self._ffi.new("ma_decoder *")
        config = self._lib.ma_decoder_config_init(self._lib.ma_format_f32, channels, rate)
        for codec in _CODECS[_kind_of(data)]:
            # Without a codec, miniaudio tries all codecs. For a broken WAV file of 64 bytes, this
            # takes half a minute.
            encoding: int = getattr(self._lib, f"ma_encoding_format_{codec}")
            config.encodingFormat = encoding
            result = self._lib.ma_decoder_init_memory(
                data, len(data), self._ffi.addressof(config), decoder
            )
            if result == self._lib.MA_SUCCESS:
                return decoder
        raise AssetError(
            f"The sound {str(self.path)!r} cannot be read: it is broken, or has more than {_MAX_RATE} "
            "samples a second. Save it again."
        )

    def read(self, frames: int) -> Floats:
        """Return the next samples as a float32 array of the shape (m, channels). The number m is at
        most ``frames``. After the end of the file, m is 0.
        """
        converter = self._converter
        if converter is None:
            return self._read(self._decoder, frames)
        pieces = [self._converted]
        missing = frames - len(self._converted)
        while missing > 0 and self._decoder is not None:
            requested = max(1, min(_BLOCK, converter.input_count(min(missing, _BLOCK))))
            samples = self._read(self._decoder, requested)
            piece = converter.convert(samples)
            if len(samples) < requested:  # the file has no more samples
                self.close()
                ending = converter.finish(self._after_end())
                piece = np.concatenate([piece, ending])
            pieces.append(piece)
            missing -= len(piece)
        samples = np.concatenate(pieces) if len(pieces) > 1 else pieces[0]
        self._converted = samples[frames:]
        return samples[:frames]

    def _after_end(self) -> Floats | None:
        """Return the samples that are played after the end of the file, or None if the sound does
        not repeat.
        """
        if self.loop_start is None or self._converter is None:
            return None
        count = self._converter.input_count(self._converter.lead)
        return self._native(self.loop_start * self._rate // RATE, count)

    def _read(self, decoder: _NativeDecoder | None, frames: int) -> Floats:
        pieces = []
        while frames > 0 and decoder is not None:
            self._count[0] = 0
            self._lib.ma_decoder_read_pcm_frames(
                decoder, self._room, min(frames, _BLOCK), self._count
            )
            got = int(self._count[0])
            if not got:
                break
            samples: Floats = np.frombuffer(
                self._ffi.buffer(self._room, 4 * got * self.channels), np.float32
            )
            pieces.append(_limited(samples.reshape(got, self.channels)))
            frames -= got
        if len(pieces) == 1:
            return pieces[0]
        return np.concatenate(pieces) if pieces else np.empty((0, self.channels), np.float32)

    def again(self, end: int) -> Floats:
        """Return the first samples of a sound after a loop has jumped from ``end`` back to the
        start. The array is float32 with the shape (m, channels).

        The filter that converts the sample rate computes each sample from neighboring input
        samples. At the start of a file, it assumes silence before the first sample. In a loop, the
        player would hear this silence as a gap. Therefore the end and the beginning of the loop are
        filtered together. The last returned samples fade into the usual samples of the file. The
        array is empty if the sample rate is 48,000 Hz, because no filter is needed.
        """
        converter = self._converter
        nothing: Floats = np.empty((0, self.channels), np.float32)
        if converter is None:
            return nothing
        # miniaudio decodes an MP3 file from the start up to the position.
        slow = _kind_of(self.data) == "MP3" and end > _MAX_MP3_SEEK
        return nothing if slow else _blended(self._native, self._rate, end, nothing)

    def ending(self, start: int, length: int) -> Floats | None:
        """Return the last samples before a loop jumps from the end of the file to ``start``. The
        array is float32 with the shape (m, channels). Return None if the last samples are the same
        as without a loop.

        ``length`` is the length of the file in samples.
        """
        converter = self._converter
        slow = _kind_of(self.data) == "MP3" and length > _MAX_MP3_SEEK
        if converter is None or slow:
            return None
        self.loop_start = start
        self.seek(max(0, length - converter.lead))
        return self.read(length)

    def _native(self, first: int, count: int) -> Floats:
        """Return ``count`` samples from the sample ``first`` on, at the sample rate of the file."""
        decoder = self._opened(self.channels, self._native_rate)
        self._lib.ma_decoder_seek_to_pcm_frame(decoder, first)
        samples = self._read(decoder, count)
        self._lib.ma_decoder_uninit(decoder)
        return samples

    def header_length(self) -> int | None:
        """Return the length of the sound in samples, as written in the header of the file. Return
        None if the header contains no length.
        """
        library = miniaudio()
        readers = {
            "WAV": library.wav_get_info,
            "FLAC": library.flac_get_info,
            "Ogg": library.vorbis_get_info,
        }
        try:
            info = readers.get(_kind_of(self.data), library.mp3_get_info)(self.data)
        except library.MiniaudioError:
            return None
        frames: int = info.num_frames
        return (frames if self._converter is None else self._converter.output_count(frames)) or None

    def seek(self, frame: int) -> None:
        """Continue decoding at the sample ``frame``. The samples are the same as if the file were
        decoded from its start.

        Version 1.71 of miniaudio has a bug: after a seek, the next samples are mixed with old
        samples. To avoid it, a new decoder is opened.
        """
        self.close()
        self._converted = self._converted[:0]
        self._decoder = self._opened(self.channels, self._native_rate)
        native = frame
        converter = self._converter
        if converter is not None:
            first = frame // converter.period * converter.period
            converter = self._converter = RateConverter(self._rate, RATE, self.channels, first)
            native = converter.first_input
        status = self._lib.ma_decoder_seek_to_pcm_frame(self._decoder, native)
        if status != self._lib.MA_SUCCESS:
            self.close()  # the position is after the end of the file
        elif converter is not None:
            self.read(frame - first)

    def close(self) -> None:
        """Release the memory of the C decoder. Calling `close` again does nothing."""
        decoder = self._decoder
        self._decoder = None
        if decoder is not None:
            self._lib.ma_decoder_uninit(decoder)

    def __del__(self) -> None:
        if getattr(self, "_decoder", None) is not None:
            self.close()


def _blended(native: NativeSamples, rate: float, end: int, nothing: Floats) -> Floats:
    """Return the result of `Decoder.again` for a sound with the sample rate ``rate``. Return
    ``nothing`` if the sound is too short.
    """
    converter = RateConverter(rate, RATE, nothing.shape[1])
    count = _BLENDED * converter.lead
    if not 0 < 2 * count <= end:
        return nothing
    first = (end - count) // converter.period * converter.period
    first_native = round(first * rate / RATE)
    ending = native(first_native, int(end * rate / RATE) - first_native)
    beginning = native(0, 2 * converter.input_count(count))
    if not len(ending) or not len(beginning):  # the file is damaged
        return nothing
    joined = converted(np.concatenate([ending, beginning]), rate, RATE)[end - first :]
    own = converted(beginning, rate, RATE)
    count = min(count, len(joined), len(own))
    # At the start of `own`, the filter lacks the samples before the loop. After one length of the
    # filter, `own` is correct.
    share = np.clip(np.linspace(1 - _BLENDED, 1, count, dtype=np.float32), 0, 1)[:, None]
    return joined[:count] + (own[:count] - joined[:count]) * share


class Samples:
    """The samples of a decoded sound, in the array ``rows``. The array is float32 with the shape
    (channels, n). Do not change the array ``rows``.
    """

    not_state = True

    __slots__ = ("__weakref__", "_again", "_looped", "_native", "_path", "length", "mono", "rows")

    def __init__(
        self,
        rows: Floats,
        path: Path | None = None,
        native: tuple[Floats, float] | None = None,
    ) -> None:
        """``path`` is the path of the sound file, or None for a sound without a file. For such a
        sound, ``native`` is a pair: the samples before the rate conversion, with the shape (n,
        channels), and their sample rate.
        """
        self._path = path
        self._native = native
        self._again: dict[int, Floats] = {}
        self._looped: dict[int, tuple[Floats, Floats]] = {}
        self.rows = np.ascontiguousarray(rows, np.float32)
        """The samples: float32 (channels, n). At full volume, the samples are from -1 to 1."""
        self.length: int = self.rows.shape[1]
        """The number of samples per channel."""
        self.mono = _mean(self.rows)
        """The mean of both channels: float32 (n,). Sounds with a position in the world are played
        from it.
        """

    def again(self, end: int) -> Floats:
        """Return the first samples after a loop has jumped from ``end`` back to the start. The
        array is float32 with the shape (channels, m). See `Decoder.again`.
        """
        if end not in self._again:
            self._again[end] = self._blended(end)
        return self._again[end]

    def looped(self, start: int) -> tuple[Floats, Floats]:
        """Return `rows` and `mono` for a loop that jumps from the end of the sound to the sample
        ``start``.

        If the sample rate of the file is not 48,000 Hz, the last millisecond differs from `rows`.
        The rate conversion of a loop uses the samples after ``start`` instead of silence.
        """
        looped = self._looped.pop(start, None)
        if looped is None:
            looped = self._with_end(start)
            # A playing voice has its own reference to its samples.
            while len(self._looped) >= _MAX_LOOPS:
                del self._looped[next(iter(self._looped))]
        self._looped[start] = looped  # the last used loop is at the end of the dict
        return looped

    def _blended(self, end: int) -> Floats:
        nothing: Floats = self.rows[:, :0]
        if self._native is not None:
            native, rate = self._native
            read = lambda first, count: native[first : first + count]  # noqa: E731
            return _blended(read, rate, end, nothing.T).T
        try:
            return nothing if self._path is None else Decoder(self._path).again(end).T
        except AssetError:  # the file was deleted
            return nothing

    def _with_end(self, start: int) -> tuple[Floats, Floats]:
        try:
            ending = self._ending(start)
        except AssetError:  # the file was deleted
            ending = None
        if ending is None or not 0 < len(ending) <= self.length:
            return self.rows, self.mono
        rows = self.rows.copy()
        rows[:, self.length - len(ending) :] = ending.T
        return rows, _mean(rows)

    def _ending(self, start: int) -> Floats | None:
        if self._native is None:
            return None if self._path is None else Decoder(self._path).ending(start, self.length)
        native, rate = self._native
        channels = native.shape[1]
        lead = RateConverter(rate, RATE, channels).lead
        first = max(0, self.length - lead)
        converter = RateConverter(rate, RATE, channels, first)
        pieces = [
            converter.convert(native[converter.first_input :]),
            converter.finish(native[int(start * rate / RATE) :]),
        ]
        return np.concatenate(pieces)[first % converter.period :]


def _mean(rows: Floats) -> Floats:
    result: Floats = rows[0] if len(rows) == 1 else (rows[0] + rows[1]) * np.float32(0.5)
    return result


_decoded: WeakValueDictionary[tuple[str, int, int], Samples] = WeakValueDictionary()


def load(path: str | os.PathLike[str], folders: Sequence[Folder] = ()) -> Samples:
    """Decode a sound file and return its samples. If the game is already using the file, the
    existing samples are returned. ``path`` is searched for in ``folders``; see `resources.find`.
    """
    file = find(checks.path("path", path), folders)
    try:
        info = os.stat(file)
    except OSError as error:
        raise _unreadable(file, error) from error
    key = os.path.realpath(file), info.st_mtime_ns, info.st_size
    samples = _decoded.get(key)
    if samples is None:
        samples = _decoded[key] = _decode(file)
    return samples


def _decode(path: Path) -> Samples:
    decoder = Decoder(path)
    pieces = []
    frames = 0
    try:
        while len(piece := decoder.read(_BLOCK)):
            pieces.append(piece.T)
            frames += len(piece)
            if frames > MAX_FRAMES:
                minutes = MAX_FRAMES // RATE // 60
                raise AssetError(
                    f"The sound {str(path)!r} is longer than {minutes} minutes. "
                    "Play it as music, which is streamed: game.audio.music.play(…)"
                )
    finally:
        decoder.close()
    if not frames:
        raise AssetError(
            f"The sound {str(path)!r} contains no samples: it is empty, or broken. Save it again."
        )
    return Samples(np.concatenate(pieces, axis=1), path)


def _limited(samples: Floats) -> Floats:
    """Return a copy of ``samples`` in which NaN is 0 and very loud samples are limited, because
    they could hurt the player's ears.
    """
    result = samples.copy()
    flat = result.reshape(-1)
    lowest = np.minimum.reduce(flat)  # NaN if a sample is NaN
    highest = np.maximum.reduce(flat)
    if not (lowest >= -_MAX_AMPLITUDE and highest <= _MAX_AMPLITUDE):
        np.nan_to_num(result, copy=False)
        np.clip(result, -_MAX_AMPLITUDE, _MAX_AMPLITUDE, out=result)
    return result


class _FileBytes:
    """The bytes of a sound file, which all decoders of the file share."""

    __slots__ = ("__weakref__", "data")

    def __init__(self, data: bytes) -> None:
        self.data = data


_file_data: WeakValueDictionary[tuple[str, int, int], _FileBytes] = WeakValueDictionary()


def _file_bytes(path: Path) -> _FileBytes:
    try:
        info = os.stat(path)
    except OSError as error:
        raise _unreadable(path, error) from error
    key = os.path.realpath(path), info.st_mtime_ns, info.st_size
    file = _file_data.get(key)
    if file is None:
        file = _file_data[key] = _FileBytes(_checked(path, _bytes(path)))
    return file


def _bytes(path: Path) -> bytes:
    """Return the bytes of the whole file. Later changes of the file do not affect a decoder that
    uses these bytes.
    """
    try:
        if os.stat(path).st_size > MAX_BYTES:
            raise AssetError(
                f"The sound {str(path)!r} is larger than {MAX_BYTES >> 20} MiB. Save "
                "it as Ogg Vorbis."
            )
        return path.read_bytes()
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: OSError) -> AssetError:
    return AssetError(f"The sound {str(path)!r} cannot be read: {error.strerror or error}.")


def _kind_of(data: bytes) -> str:
    kind = next((name for head, name in _READERS.items() if data.startswith(head)), "")
    return (
        "MP3" if not kind and len(data) > 3 and data[0] == 0xFF and data[1] & 0xE0 == 0xE0 else kind
    )


def _checked(path: Path, data: bytes) -> bytes:
    """Check the format of a sound file, and return its bytes. Raises `AssetError` if the format is
    unknown or the file is damaged.
    """
    kind = _kind_of(data)
    if kind == "Ogg" and b"OpusHead" in data[:64]:
        raise AssetError(
            f"The sound {str(path)!r} is Opus, which is not read. Save it as {_KNOWN}."
        )
    if kind == "WAV" and data[8:12] != b"WAVE":
        kind = ""
    if not kind:
        raise AssetError(
            f"The sound {str(path)!r} is in no format that can be read. Save it as {_KNOWN}."
        )
    if kind == "Ogg":
        try:
            return cleaned(data)
        except AssetError as error:
            raise AssetError(f"The sound {str(path)!r} {error}") from error
    return data


def wave_head(frames: int) -> bytes:
    """Return the 44-byte header of a WAV file with two channels. The file contains ``frames``
    samples per channel, with 16 bits each.
    """
    size = 4 * frames
    form = struct.pack("<HHIIHH", 1, 2, RATE, 4 * RATE, 4, 16)
    return (
        b"RIFF"
        + struct.pack("<I", 36 + size)
        + b"WAVEfmt "
        + struct.pack("<I", 16)
        + form
        + b"data"
        + struct.pack("<I", size)
    )
