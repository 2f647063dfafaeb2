"""Conversion of sample rates: aliases, levels, lengths, and the same bits for sounds in pieces."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from tones import wav

import framework as fw
from framework.assets import sounds
from framework.assets.rate_conversion import RateConverter, _filter_of, converted

RATES = [8_000, 11_025, 16_000, 22_050, 32_000, 37_800, 44_100, 88_200, 96_000, 192_000]


def decibels(ratio: float) -> float:
    return 20 * float(np.log10(ratio + 1e-12))


def sine(frequency: float, rate: float, seconds: float = 0.5) -> np.ndarray:
    times = np.arange(int(rate * seconds)) / rate
    return (0.5 * np.sin(2 * np.pi * frequency * times)).astype(np.float32)


def spurious(samples: np.ndarray, frequency: float) -> float:
    """Return the level of all frequencies except the tone, in decibels relative to the tone."""
    spectrum = np.abs(np.fft.rfft(samples * np.blackman(len(samples))))
    frequencies = np.fft.rfftfreq(len(samples), 1 / 48_000)
    is_tone = np.abs(frequencies - frequency) < 40
    return decibels(np.sqrt((spectrum[~is_tone] ** 2).sum() / (spectrum[is_tone] ** 2).sum()))


@pytest.mark.parametrize("rate", RATES)
def test_a_converted_tone_keeps_its_level_and_length_without_aliases(
    rate: int, tmp_path: Path
) -> None:
    frequency = min(15_000, 0.4 * rate)
    random = np.random.default_rng(rate)
    samples = sine(frequency, rate)
    # dither of the 16 bits, so rounding adds no alias
    noise = random.uniform(-0.5, 0.5, len(samples))
    path = wav(tmp_path / "tone.wav", np.rint(samples * 32767 + noise), rate)
    loaded = sounds.load(path).rows[0]
    assert len(loaded) == round(len(samples) * 48_000 / rate)
    assert spurious(loaded[2000:-2000], frequency) < -80
    expected = sine(frequency, 48_000)[2000 : len(loaded) - 2000] * (32767 / 32768)
    error = loaded[2000:-2000] - expected
    assert decibels(np.sqrt((error**2).mean() / (expected**2).mean())) < -70


def test_frequencies_above_half_of_the_new_rate_are_removed() -> None:
    for frequency in (26_000, 30_000, 40_000):
        samples = converted(sine(frequency, 96_000)[:, None], 96_000, 48_000)
        assert np.abs(samples[1000:-1000]).max() < 0.5 * 10 ** (-85 / 20)


@pytest.mark.parametrize("rate", [*RATES, 44_056, 47_952.047, 48_030, 191_999])
def test_a_sound_in_pieces_has_the_same_bits(rate: float) -> None:
    random = np.random.default_rng(3)
    samples = random.uniform(-1, 1, (6000, 2)).astype(np.float32)
    whole = converted(samples, rate, 48_000)
    converter = RateConverter(rate, 48_000, 2)
    pieces = []
    begin = 0
    while begin < len(samples):
        count = int(random.integers(1, 900))
        pieces.append(converter.convert(samples[begin : begin + count]))
        begin += count
    pieces.append(converter.finish())
    assert (np.concatenate(pieces) == whole).all()
    assert abs(len(whole) - 6000 * 48_000 / rate) <= 1


def test_sums_are_exact_integers() -> None:
    random = np.random.default_rng(4)
    samples = (random.uniform(-64, 64, 2000)).astype(np.float32)
    result = converted(samples[:, None], 44_100, 48_000)[:, 0]
    rate_filter = _filter_of(44_100, 48_000)
    first, matrix = rate_filter.blocks[1]
    begin = len(rate_filter.blocks[0][1][0])
    units = [int(unit) for unit in np.rint(samples * 2.0**23)]
    for column in (0, len(matrix[0]) // 3, len(matrix[0]) - 1):
        weights = [int(weight) for weight in matrix[:, column]]
        assert sum(weights) == 1 << 21
        inputs = units[rate_filter.inputs + first - rate_filter.half + 1 :]
        total = sum(a * b for a, b in zip(inputs, weights, strict=False))
        assert result[rate_filter.outputs + begin + column] == np.float32(total / 2.0**44)


@pytest.mark.parametrize("rate", [44_100, 88_200, 96_000, 192_000])
def test_few_multiplications_are_with_zeros(rate: int) -> None:
    rate_filter = _filter_of(rate, 48_000)
    products = sum(matrix.size for _, matrix in rate_filter.blocks)
    assert products < 1.4 * 2 * rate_filter.half * rate_filter.outputs


def test_a_constant_stays_constant_and_a_single_sample_is_not_empty() -> None:
    constant = converted(np.full((3000, 1), 0.3, np.float32), 44_100, 48_000)[200:-200]
    assert np.abs(constant - np.float32(0.3)).max() < 1e-6
    for rate in (1000, 44_100, 384_000):
        assert fw.Sound.of([0.5], rate).duration >= 1 / 48_000


def test_converting_minutes_needs_little_more_memory_than_the_result() -> None:
    samples = np.zeros((44_100 * 20, 2), np.float32)
    _filter_of(44_100, 48_000)
    tracemalloc.start()
    result = converted(samples, 44_100, 48_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2.2 * result.nbytes + 8e6


@pytest.mark.parametrize("rate", [22_050, 44_100])
def test_a_loop_from_the_middle_to_the_end_of_a_file_has_no_seam(rate: int, tmp_path: Path) -> None:
    samples = sine(500, rate)
    path = wav(tmp_path / "a.wav", samples * 32767, rate)
    loaded = sounds.load(path)
    rows, mono = loaded.looped(4800)
    repeated = np.concatenate([rows[0, 4800:], rows[0, 4800:]])
    assert (
        np.abs(np.diff(repeated, 2)).max()
        < 1.01 * np.abs(np.diff(loaded.rows[0, 100:9000], 2)).max()
    )
    assert (mono == rows[0]).all()
    assert (loaded.rows[0, :23_000] == rows[0, :23_000]).all()
