"""Voices with a pitch: small errors of tones, and the same samples with NumPy and with C."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from natives import library_or_skip

from framework.assets.sounds import Samples
from framework.audio.buses import Buses
from framework.audio.kernel import NumpyKernel
from framework.audio.mixer import Mixer
from framework.audio.native import NativeKernel
from framework.audio.sources import DecodedSource
from framework.audio.voices import Moment, Voice, VoiceOptions, track_of


def mixed(kernel: Any, voices: list[tuple[Any, tuple[int, int] | None, float]], count: int) -> Any:
    mixer = Mixer(lambda voice, alpha: (1.0, 0.0), kernel)
    buses = Buses(mixer.update_targets)
    for samples, loop, pitch in voices:
        voice = Voice(
            "test",
            DecodedSource(Samples(np.atleast_2d(samples)), loop),
            buses["effects"],
            VoiceOptions(pitch=pitch),
            lambda: Moment(mixer.now, 0, False),
        )
        mixer.tracks.append(track_of(voice))
    return np.concatenate([mixer.run(mixer.now + 700, True) for _ in range(count // 700)])


@pytest.mark.parametrize("frequency", [200, 1000, 3000, 4000, 5000, 5400])
@pytest.mark.parametrize("pitch", [0.5, 0.7, 1.5, 3.1])
def test_a_tone_with_a_pitch_has_an_error_of_at_most_60_decibels(
    frequency: float, pitch: float
) -> None:
    wave = 0.5 * np.sin(2 * np.pi * frequency * np.arange(60_000) / 48_000)
    mix = mixed(NumpyKernel().mix, [(wave, None, pitch)], 14_000)[200:, 0]
    positions = np.arange(200, 200 + len(mix)) * (round(pitch * 65_536) / 65_536)
    ideal = 0.5 * np.sin(2 * np.pi * frequency * positions / 48_000)
    error = np.sqrt(((mix - ideal) ** 2).mean() / (ideal**2).mean())
    assert 20 * np.log10(error) < -60


def test_both_kernels_have_the_same_samples_at_all_pitches() -> None:
    native = NativeKernel(library_or_skip())
    random = np.random.default_rng(5)
    voices = []
    for number in range(40):
        length = int(random.integers(1, 9000))
        samples = random.uniform(-1, 1, (1 + number % 2, length)).astype(np.float32)
        low = int(random.integers(0, length))
        loop = (low, int(random.integers(low + 1, length + 1))) if number % 3 else None
        pitch = float(random.choice([1, 2, 0.5, random.uniform(1 / 1024, 16)]))
        voices.append((samples / 20, loop, pitch))
    first = mixed(NumpyKernel().mix, voices, 7000)
    second = mixed(native.mix, voices, 7000)
    assert (first.view(np.int32) == second.view(np.int32)).all()
    assert np.abs(first).max() > 0.1


def test_at_integer_positions_a_voice_has_the_samples_of_the_sound() -> None:
    samples = np.random.default_rng(2).uniform(-1, 1, 4000).astype(np.float32)
    for pitch in (2.0, 3.0, 16.0):
        mix = mixed(NumpyKernel().mix, [(samples, None, pitch)], 700)[:, 0]
        step = int(pitch)
        part = samples[::step][:240]
        assert (mix[: len(part)] == part).all()
