"""Sound effects from seeds: the ranges of each kind, and no clicks at the ends."""

from __future__ import annotations

import numpy as np
import pytest

from framework.audio import synthesis


@pytest.mark.parametrize("count", [96, 4000, 24_000])
@pytest.mark.parametrize("sustain", [0.1, 0.3, 0.9])
@pytest.mark.parametrize("punch", [0.0, 0.5])
def test_the_volume_rises_and_falls_without_a_step_and_ends_at_0(
    count: int, sustain: float, punch: float
) -> None:
    volume = synthesis._envelope(count, sustain, punch)
    assert len(volume) == count
    assert volume.max() <= 1 + punch
    assert volume[-1] < 0.02 or count == 96
    if count > 96:
        attack = 96
        sustained = max(96, round(count * sustain))
        assert np.abs(np.diff(volume[attack - 1 :])).max() < 0.03
        assert volume[sustained] == pytest.approx(1)
        assert volume[(sustained + count) // 2] == pytest.approx(0.5, abs=0.02)


def test_a_tone_ends_without_a_click_and_loops_only_with_whole_periods() -> None:
    whole = synthesis.tone(100.0, 0.5, "sine")
    assert whole[-1] == pytest.approx(-whole[0])  # it continues with its first sample
    for cut_off in (
        synthesis.tone(100.0, 0.5, "noise"),  # noise has no periods
        synthesis.tone(100.0, 0.5013, "square"),
    ):
        assert 0 < abs(cut_off[-1]) < 0.01
        assert np.abs(cut_off).max() > 0.2


def test_recipes_stay_within_the_ranges_of_their_kind() -> None:
    coins = [synthesis._coin(np.random.Generator(np.random.PCG64(seed))) for seed in range(300)]
    for name, low, high in [
        ("seconds", 0.25, 0.45),
        ("frequency", 700, 1200),
        ("arpeggio", 1.3, 1.7),
        ("at", 0.15, 0.3),
        ("duty", 0.2, 0.5),
    ]:
        values = [coin[name] for coin in coins]
        assert low <= min(values) < low + 0.05 * (high - low)
        assert high - 0.05 * (high - low) < max(values) <= high
    assert {(coin["wave"], coin["sustain"], coin["punch"]) for coin in coins} == {
        ("square", 0.3, 0.4)
    }
