"""Sound files: decoding, errors, and hostile files."""

from __future__ import annotations

import struct
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from tones import RATE, tone, wav

import framework as fw
from framework.assets import ogg, sounds


def broken(data: bytes, random: np.random.Generator) -> bytes:
    """Return random damage of a file: flipped bits, a missing part, or wrong lengths."""
    damaged = bytearray(data)
    for _ in range(int(random.integers(1, 9))):
        at = int(
            random.integers(0, min(len(damaged), 200) if random.random() < 0.6 else len(damaged))
        )
        damaged[at] = int(random.choice([0, 255, 127, 128, random.integers(256)]))
    if random.random() < 0.3:
        del damaged[int(random.integers(1, len(damaged))) :]
    if random.random() < 0.2:
        at = int(random.integers(0, max(1, len(damaged) - 4)))
        damaged[at : at + 4] = struct.pack(
            "<I", int(random.choice([0, 1, 2**31 - 1, 2**32 - 1, 0x7FFF]))
        )
    return bytes(damaged)


def is_sound_or_error(path: Path) -> bool:
    """Return whether a file is decoded to samples, or raises an error that names it."""
    try:
        return bool(np.isfinite(sounds._decode(path).rows).all())
    except fw.AssetError as error:
        return path.name in str(error)


def test_a_wav_file_is_read_sample_by_sample(tmp_path: Path) -> None:
    written = np.array([0, 1, -1, 32767, -32768, 1000])
    samples = sounds.load(wav(tmp_path / "a.wav", written))
    assert samples.rows.dtype == np.float32
    assert (samples.rows[0] * 32768 == written).all()
    stereo = sounds.load(wav(tmp_path / "b.wav", [1, -2, 3, -4], channels=2))
    assert (stereo.rows * 32768).tolist() == [[1, 3], [-2, -4]]
    assert (stereo.mono * 32768).tolist() == [-0.5, -0.5]


def test_files_are_resampled_to_the_rate_of_the_mixer(tmp_path: Path) -> None:
    turn = np.sin(np.arange(4410) * 2 * np.pi * 441 / 44100)
    samples = sounds.load(wav(tmp_path / "a.wav", turn * 20000, 44100)).rows[0]
    assert abs(len(samples) - 4800) <= 2
    spectrum = np.abs(np.fft.rfft(samples[:4760] * np.hanning(4760)))
    assert spectrum.argmax() == round(441 * 4760 / RATE)


@pytest.mark.parametrize("name", ["tone.flac", "tone.mp3", "tone.ogg"])
def test_other_formats_are_read(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(tone(name))
    samples = sounds.load(tmp_path / name).rows
    assert len(samples) == 1
    assert samples.shape[1] >= 4000
    spectrum = np.abs(np.fft.rfft(samples[0, :4000]))
    assert abs(spectrum.argmax() - round(1000 * 4000 / RATE)) <= 2


def test_a_sound_in_use_is_decoded_only_once(tmp_path: Path) -> None:
    path = wav(tmp_path / "a.wav", [1, 2, 3])
    first = sounds.load(path)
    assert sounds.load(tmp_path / "." / "a.wav") is first
    wav(path, [4, 5, 6, 7])
    assert sounds.load(path).length == 4


@pytest.mark.parametrize(
    ("name", "data", "problem"),
    [
        ("empty.wav", b"", "in no format that can be read"),
        ("text.ogg", b"hello, world", "in no format that can be read"),
        ("riff.wav", b"RIFF\x00\x00\x00\x00AVI LIST", "in no format that can be read"),
        ("cut.wav", b"RIFF\xff\xff\xff\x7fWAVEfmt ", "is broken"),
        ("head.ogg", b"OggS" + bytes(60), "a checksum in it is wrong"),
        ("opus.ogg", b"OggS" + bytes(24) + b"OpusHead" + bytes(60), "is Opus, which is not read"),
        ("nothing.wav", sounds.wave_head(0), "contains no samples"),
        (
            "slow.wav",
            sounds.wave_head(4)[:24] + struct.pack("<I", 7) + sounds.wave_head(4)[28:] + bytes(16),
            "at 7",
        ),
    ],
)
def test_a_file_that_is_no_sound_is_an_asset_error_with_its_name(
    name: str, data: bytes, problem: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(fw.AssetError, match=problem) as caught:
        fw.Sound(tmp_path / name)
    assert name in str(caught.value)


def test_a_missing_file_a_folder_and_a_wrong_path_type_are_errors(tmp_path: Path) -> None:
    wav(tmp_path / "jump.wav", [1])
    with pytest.raises(fw.AssetError, match=r"The nearest there is: 'jump\.wav'"):
        sounds.load("jumb.wav", [tmp_path])
    with pytest.raises(fw.AssetError, match="is a folder"):
        fw.Sound(tmp_path)
    with pytest.raises(TypeError, match="path: expected a path, got 3"):
        fw.Sound(3)  # type: ignore[arg-type]


def test_files_above_the_limits_of_length_and_size_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = wav(tmp_path / "long.wav", np.ones(3000))
    monkeypatch.setattr(sounds, "MAX_FRAMES", 2999)
    with pytest.raises(fw.AssetError, match=r"long\.wav' is longer than .* Play it as music"):
        fw.Sound(path)
    monkeypatch.setattr(sounds, "MAX_BYTES", 6000)
    with pytest.raises(fw.AssetError, match=r"long\.wav' is larger than"):
        fw.Sound(path)


def test_a_file_with_a_wrong_length_of_hours_allocates_only_its_samples(tmp_path: Path) -> None:
    data = bytearray(wav(tmp_path / "a.wav", np.ones(100)).read_bytes())
    data[40:44] = struct.pack("<I", 2**32 - 8)
    (tmp_path / "a.wav").write_bytes(data)
    assert sounds.load(tmp_path / "a.wav").length == 100


def test_huge_samples_and_nan_are_no_sound(tmp_path: Path) -> None:
    numbers = np.array([0.5, np.nan, np.inf, -np.inf, 1e30], "<f4").tobytes()
    head = (
        b"WAVEfmt "
        + struct.pack("<IHHIIHH", 16, 3, 1, RATE, 4 * RATE, 4, 32)
        + b"data"
        + struct.pack("<I", 20)
    )
    (tmp_path / "a.wav").write_bytes(b"RIFF" + struct.pack("<I", len(head) + 20) + head + numbers)
    assert sounds.load(tmp_path / "a.wav").rows[0].tolist() == [0.5, 0, 64, -64, 64]


def test_a_broken_wav_file_of_64_bytes_is_refused_at_once(tmp_path: Path) -> None:
    form = struct.pack("<IHHIIHHH", 18, 3, 1, 8000, 32000, 4, 32, 0)
    data = b"RIFF\x54}\0\0WAVEfmt " + form + b"fact\0\0\0\0\x40\x1f\0\0LIST\x1a\0\0\0INFOIS"
    (tmp_path / "a.wav").write_bytes(data)
    begin = time.process_time()
    with pytest.raises(fw.AssetError, match=r"a\.wav' cannot be read: it is broken"):
        fw.Sound(tmp_path / "a.wav")
    assert time.process_time() - begin < 5  # this took half a minute before


def test_a_flac_file_that_begins_with_a_tag_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.flac").write_bytes(b"ID3\x03\0\0\0\0\0\x0a" + bytes(10) + tone("tone.flac"))
    assert fw.Sound(tmp_path / "a.flac").duration == 0.1


@pytest.mark.parametrize("rate", [47_999, 48_001, 48_002])
def test_resampling_from_an_almost_equal_rate_adds_no_noise(rate: int, tmp_path: Path) -> None:
    wave = np.sin(np.arange(rate) * (2 * np.pi * 200 / rate))
    rows = sounds.load(wav(tmp_path / "a.wav", wave * 16384, rate)).rows
    assert (
        np.abs(
            rows[0, 100:-100] - 0.5 * np.sin(np.arange(rows.shape[1]) * np.pi / 120)[100:-100]
        ).max()
        < 0.03
    )


@pytest.mark.parametrize("name", ["tone.wav", "tone.flac", "tone.mp3", "tone.ogg"])
def test_broken_files_are_asset_errors_or_sounds(name: str, tmp_path: Path) -> None:
    random = np.random.default_rng(len(name))
    path = tmp_path / name
    for _ in range(25):
        path.write_bytes(broken(tone(name), random))
        assert is_sound_or_error(path)


def test_ogg_is_decoded_without_comments_and_with_correct_checksums() -> None:
    data = tone("tone.ogg")
    assert b"ENCODER" in data or b"Xiph" in data or b"vorbis" in data
    clean = ogg.cleaned(data)
    assert ogg.cleaned(clean) == clean
    assert clean.count(b"\x03vorbis" + bytes(8) + b"\x01") == 1
    assert len(clean) < len(data)


def test_a_crafted_ogg_file_is_an_asset_error_or_a_sound(tmp_path: Path) -> None:
    random = np.random.default_rng(5)
    pages = list(ogg._pages(tone("tone.ogg")))
    path = tmp_path / "a.ogg"
    for _ in range(20):
        data = []
        for number, page in enumerate(pages):
            body = bytearray(page.body)
            body[int(random.integers(len(body)))] = int(random.integers(256))
            data.append(ogg._page(page._replace(body=bytes(body)), number))
        path.write_bytes(b"".join(data))
        assert is_sound_or_error(path)


def test_without_the_library_the_error_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "miniaudio", None)
    with pytest.raises(fw.FrameworkError, match=r"pip install 'subtick\[sound\]'"):
        fw.Sound(wav(tmp_path / "a.wav", [1]))


@pytest.mark.parametrize("name", ["tone.mp3", "tone.ogg", "8000.wav", "44100.wav", "96000.wav"])
def test_a_seek_of_a_decoder_gives_the_same_samples_as_decoding_everything(
    tmp_path: Path, name: str
) -> None:
    rate = name.partition(".")[0]
    path = tmp_path / name
    if rate == "tone":
        path.write_bytes(tone(name))
    else:
        wav(
            path, np.sin(np.arange(int(rate) // 4) * 2 * np.pi * 500 / int(rate)) * 16000, int(rate)
        )
    rows = sounds.load(path).rows
    decoder = sounds.Decoder(path)
    for position in (1200, 2700, 301, 0, 4000):
        decoder.seek(position)
        assert np.abs(decoder.read(500).T - rows[:, position : position + 500]).max() < 1e-5
    decoder.seek(rows.shape[1] + 99)
    assert not len(decoder.read(1))
