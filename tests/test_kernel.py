"""The NumPy and C kernels of the mixer: the same samples, for any split of the mix."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from natives import library_or_skip, script

from framework.assets.sounds import Samples
from framework.audio import native
from framework.audio.buses import Buses
from framework.audio.kernel import Kernel, NumpyKernel
from framework.audio.mix_table import MAX_VOICES, NEVER, MixTable
from framework.audio.mixer import Mixer
from framework.audio.sources import DecodedSource, StreamedSource
from framework.audio.voices import Moment, Voice, VoiceOptions, track_of


class Noise(StreamedSource):
    """A stream of 5,000 random samples."""

    def decode(self, count: int) -> Any:
        samples = np.random.default_rng(1).standard_normal((self.channels, 5000)).astype("f4") / 4
        return samples[:, self._valid : self._valid + count]

    def seek(self, first: int) -> None: ...


def played(kernel: Kernel, seed: int, longest: int | None) -> Any:
    """Return a mix of random voices. Each tick is mixed in pieces of random lengths."""
    random = np.random.default_rng(seed)
    pieces = np.random.default_rng(seed + 99)
    tick = 0
    mixer = Mixer(lambda voice, alpha: (0.8, float(np.sin(tick + alpha))), kernel)
    buses = Buses(mixer.update_targets)
    moment = lambda: Moment(mixer.now, 0, False)  # noqa: E731
    voices: list[Voice] = []
    mixes = []
    for tick in range(10):  # noqa: B007  (the position of voices depends on it)
        for _ in range(int(random.integers(0, 5))):
            n = int(random.integers(50, 6000))
            channels = int(random.integers(1, 3))
            low, high = sorted(random.integers(0, n, 2).tolist())
            loop = (low, high + 1) if random.random() < 0.4 else None
            rows = random.standard_normal((channels, n)) * 0.3
            source: Any = DecodedSource(Samples(rows.astype("f4")), loop)
            if random.random() < 0.2:
                source = Noise(channels)
            options = VoiceOptions(
                volume=float(random.random()),
                pitch=float(random.choice([1, random.uniform(0.3, 3)])),
                pan=float(random.uniform(-1, 1)),
                position=(1.0, 2.0) if random.random() < 0.2 else None,
            )
            voice = Voice("test", source, buses["effects"], options, moment)
            track = track_of(voice)
            if random.random() < 0.3:
                track.fade = mixer.now, 0.0, mixer.now + int(random.integers(1, 3000)), 1.0
                track.even = bool(random.random() < 0.5)
            if random.random() < 0.2:
                track.starts = mixer.now + int(random.integers(1, 2000))
            mixer.tracks.append(track)
            voices.append(voice)
        for voice in voices:
            change = random.random()
            if change < 0.1:
                voice.volume = float(random.random() * 2)
            elif change < 0.2:
                voice.pitch = float(random.uniform(0.3, 3))
            elif change < 0.25:
                voice.stop(float(random.random() * 0.05))
        if random.random() < 0.3:
            mixer.volume = float(random.random() * 3)
        if random.random() < 0.2:
            buses["effects"].paused = not buses["effects"].paused
        end = mixer.now + int(random.integers(100, 1500))
        while mixer.now < end:
            left = end - mixer.now
            count = left if longest is None else min(left, int(pieces.integers(1, longest)))
            mixes.append(mixer.run(mixer.now + count, True, end))
    return np.concatenate(mixes).view("i4")


@pytest.mark.parametrize("seed", range(6))
def test_a_mix_has_the_same_samples_for_any_split(seed: int) -> None:
    whole = played(NumpyKernel().mix, seed, None)
    assert (played(NumpyKernel().mix, seed, 200) == whole).all()


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("longest", [None, 200])
def test_both_kernels_have_the_same_samples(seed: int, longest: int | None) -> None:
    library = library_or_skip()
    assert (
        played(native.NativeKernel(library).mix, seed, longest)
        == played(NumpyKernel().mix, seed, None)
    ).all()


def test_single_samples_have_the_same_bits_as_a_block() -> None:
    mixes = []
    for count in (600, 1):
        mixer = Mixer(lambda voice, alpha: (1.0, 0.0), NumpyKernel().mix)
        buses = Buses(mixer.update_targets)
        for number in range(5):
            samples = np.random.default_rng(number).standard_normal((1 + number % 2, 500))
            options = VoiceOptions(pitch=1 + number / 7, volume=0.9)
            source = DecodedSource(Samples(samples.astype("f4")), (0, 400))
            moment = Moment(0, 0, False)
            voice = Voice("test", source, buses["effects"], options, lambda moment=moment: moment)
            mixer.tracks.append(track_of(voice))
        mixes.append([mixer.run(mixer.now + count, True, 600) for _ in range(600 // count)])
    whole, split = map(np.concatenate, mixes)
    assert (whole.view("i4") == split.view("i4")).all()


def test_a_table_has_room_for_all_voices() -> None:
    table = MixTable()
    table.voices["fade_end"] = NEVER
    table.reserve(MAX_VOICES)
    assert len(table.voices) >= MAX_VOICES
    assert (table.voices["fade_end"][:64] == NEVER).all()


def test_a_library_of_another_version_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    library = library_or_skip()
    monkeypatch.setattr(native, "_SIZES", [999, 1, 2, 3, 4])
    with pytest.raises(OSError, match="is of another version"):
        native.NativeLibrary(library.path)
    monkeypatch.setenv("SUBTICK_SOUND", library.path)
    assert native.native_library.__wrapped__() is None


@pytest.mark.parametrize("choice", ["python", "/no/such/library.so"])
def test_without_a_file_the_native_library_is_none(
    monkeypatch: pytest.MonkeyPatch, choice: str
) -> None:
    monkeypatch.setenv("SUBTICK_SOUND", choice)
    assert native.native_library.__wrapped__() is None


def test_a_wheel_has_the_library_and_a_record_of_all_files(tmp_path: Path) -> None:
    library = tmp_path / "subtick_sound.so"
    library.write_bytes(b"library")
    wheels = [script().wheel(library, "musllinux_1_1_x86_64.any", tmp_path / name) for name in "ab"]
    assert wheels[0].read_bytes() == wheels[1].read_bytes()
    assert wheels[0].name == "subtick_sound-0.1.0-py3-none-musllinux_1_1_x86_64.any.whl"
    with zipfile.ZipFile(wheels[0]) as archive:
        names = archive.namelist()
        assert archive.read("subtick_sound/subtick_sound.so") == b"library"
        record = archive.read("subtick_sound-0.1.0.dist-info/RECORD").decode()
        about = archive.read("subtick_sound-0.1.0.dist-info/WHEEL").decode()
    assert [line.split(",")[0] for line in record.splitlines()] == names
    assert "Tag: py3-none-musllinux_1_1_x86_64\nTag: py3-none-any" in about


@pytest.mark.parametrize("end", ["pause", "seek"])
def test_the_limiter_reads_the_same_earlier_samples_in_both_kernels(end: str) -> None:
    library = library_or_skip()
    mixes = []
    for kernel in (NumpyKernel().mix, native.NativeKernel(library).mix):
        mixer = Mixer(lambda voice, alpha: (1.0, 0.0), kernel)
        buses = Buses(mixer.update_targets)
        samples = np.random.default_rng(1).standard_normal((1, 60_000)) * 0.2
        source = DecodedSource(Samples(samples.astype("f4")), None)
        now = lambda: Moment(0, 0, False)  # noqa: E731
        voice = Voice("test", source, buses["effects"], VoiceOptions(), now)
        mixer.tracks.append(track_of(voice))
        mixer.run(800, True, 800)
        if end == "pause":
            voice.paused = True
            mixer.run(810, True, 1600)
            track_of(voice).turn(0, 810, 810)  # the voice stops, with the rest of its fade-out
        else:
            track_of(voice).seek(10 << 16)
        mixer.table.head["limited"] = NEVER  # the limiter mixes earlier samples again
        mixer.run(1400, False, 1600, device=True)
        mixes.append(mixer.device_mix)
    assert abs(mixes[0]).max() > 0.01
    assert (mixes[0].view("i4") == mixes[1].view("i4")).all()
