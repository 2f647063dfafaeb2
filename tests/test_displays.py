"""Simulated displays: refresh rates, late time stamps and hitches."""

from __future__ import annotations

import numpy as np
import pytest

from framework.bench.displays import (
    RATES,
    TROUBLES,
    UNPACED,
    VARIABLE,
    SimulatedDisplay,
    Trouble,
    simulate,
)

EXACT = TROUBLES[0]


@pytest.mark.parametrize("rate", RATES)
def test_frames_begin_at_the_refreshes_to_the_nanosecond(rate: float) -> None:
    frames = simulate(SimulatedDisplay(f"{rate:g}", rate), EXACT, 5)
    number = np.arange(len(frames.begun))
    assert np.abs(frames.begun - frames.begun[0] - number * 1e9 / rate).max() <= 1
    assert len(number) == round(5 * rate) + 1
    assert np.array_equal(frames.stamps, frames.begun)
    assert not frames.stretch.any()


def test_stamps_are_late_by_a_half_normal_and_in_order() -> None:
    frames = simulate(SimulatedDisplay("60", 60), Trouble("late", "", late=1e-3), 60, 4)
    late = (frames.stamps - frames.begun) / 1e6
    assert late.min() >= 0
    assert late.mean() == pytest.approx(0.798, abs=0.03)
    assert late.std() == pytest.approx(0.603, abs=0.03)
    crowded = simulate(SimulatedDisplay("360", 360), Trouble("late", "", late=5e-3), 5)
    assert (np.diff(crowded.stamps) >= 0).all()


def test_a_missed_refresh_has_no_frame() -> None:
    frames = simulate(SimulatedDisplay("144", 144), Trouble("missed", "", missed=0.1), 30, 2)
    steps = np.diff(frames.begun) * 144 / 1e9
    assert np.abs(steps - np.round(steps)).max() < 1e-5
    assert (np.round(steps) - 1).sum() == pytest.approx(0.1 * 144 * 30, rel=0.15)


def test_a_hitch_has_its_length_and_starts_a_new_stretch() -> None:
    frames = simulate(SimulatedDisplay("50", 50), Trouble("hitches", "", hitches=(0.1, 0.5)), 6)
    gaps = np.diff(frames.begun) / 1e9
    breaks = np.flatnonzero(np.diff(frames.stretch))
    assert frames.stretch[[0, -1]].tolist() == [0, 2]
    assert gaps[breaks] == pytest.approx([0.12, 0.52])
    assert np.delete(gaps, breaks) == pytest.approx(0.02)
    assert (frames.begun[breaks + 1] - frames.begun[0]) / 1e9 == pytest.approx([2.1, 4.6], abs=0.03)


def test_variable_refresh_wanders_between_48_and_144_hz() -> None:
    rates = 1e9 / np.diff(simulate(SimulatedDisplay(VARIABLE), EXACT, 20).begun)
    assert 47.9 < rates.min() < 70
    assert 110 < rates.max() < 144.1
    assert np.abs(np.diff(rates)).max() < 20  # the rate changes little from frame to frame


def test_frames_without_vsync_are_uneven() -> None:
    gaps = np.diff(simulate(SimulatedDisplay(UNPACED), EXACT, 20).begun) / 1e6
    assert gaps.min() >= 3
    assert gaps.mean() == pytest.approx(8, rel=0.1)
    assert gaps.std() == pytest.approx(5, rel=0.15)


def test_the_same_arguments_give_the_same_frames_and_another_seed_gives_different_frames() -> None:
    late = TROUBLES[1]
    first, again, other_seed = (
        simulate(SimulatedDisplay("60", 60), late, 5, seed) for seed in (3, 3, 4)
    )
    assert np.array_equal(first.stamps, again.stamps)
    assert not np.array_equal(first.stamps, other_seed.stamps)


def test_displays_report_integer_rates() -> None:
    assert [
        SimulatedDisplay("59.94", 59.94).reported,
        SimulatedDisplay(VARIABLE).reported,
        SimulatedDisplay(UNPACED).reported,
    ] == [60, 144, 60]
