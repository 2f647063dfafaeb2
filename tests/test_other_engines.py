"""Others' rules of time, as they are known: what each does with a few frames."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from framework.bench import other_engines
from framework.bench.displays import TROUBLES, SimulatedDisplay, simulate

SECOND = 10**9


def stamps(*seconds: float) -> np.ndarray:
    return np.round(np.array(seconds) * SECOND).astype(np.int64) + 3 * SECOND


def even(rate: float, seconds: float = 4) -> np.ndarray:
    return stamps(*(np.arange(round(rate * seconds) + 1) / rate))


def jittered(rate: float) -> np.ndarray:
    return simulate(SimulatedDisplay(f"{rate:g}", rate), TROUBLES[1], 4, 1).stamps


@pytest.mark.parametrize("rival", other_engines.OTHER_ENGINES, ids=lambda each: each.name)
def test_every_rule_answers_with_a_mix_of_two_states_for_each_frame(
    rival: other_engines.EngineRule,
) -> None:
    drawn = rival.rule(jittered(144), 60, 144.0)
    assert drawn.first.shape == drawn.second.shape == drawn.share.shape == (577,)
    assert ((drawn.share >= 0) & (drawn.share < 1)).all()
    assert drawn.ticks > 0
    assert rival.words


def test_pyglets_dt_adds_up_to_the_time_that_passed() -> None:
    frames = jittered(144)
    drawn = other_engines.pyglet_dt(frames, 60, 144.0)
    assert drawn.first[-1] == pytest.approx((frames[-1] - frames[0]) / SECOND, abs=1 / 60)
    lost = other_engines.pyglet_interval(frames, 60, 144.0)
    assert lost.ticks == drawn.ticks < 0.85 * 240


def test_pyglet_is_imported_by_its_own_rules_only() -> None:
    code = "import sys, framework.bench.other_engines; print('pyglet' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_arcade_makes_up_for_all_of_a_hitch_and_draws_the_newest_state() -> None:
    drawn = other_engines.arcade(stamps(0, 0.5, 3.51), 60, None)
    assert drawn.first.tolist() == pytest.approx([0, 0.5, 3.5])
    assert not drawn.share.any()


def test_jamjar_mixes_the_wrong_way_round_and_caps_a_frame_at_a_quarter_of_a_second() -> None:
    drawn = other_engines.jamjar(stamps(0, 0.0175, 0.0225, 2), 60, None)
    assert drawn.first.tolist() == pytest.approx([0, 0.01, 0.02, 0.27])
    assert drawn.second.tolist() == pytest.approx([0, 0, 0.01, 0.02])  # the state at the last frame
    assert drawn.share.tolist() == pytest.approx([0, 0.75, 0.25, 0.25])


def test_godot_makes_frame_times_whole_refreshes_and_loses_none_of_the_time() -> None:
    smoother, frames = other_engines._GodotDeltas(60.0), jittered(60) // 1000
    deltas = np.array([smoother.smooth(int(delta)) for delta in np.diff(frames)])
    assert set((deltas[1:] / 16_666).tolist()) == {1.0}
    assert deltas.sum() == pytest.approx(frames[-1] - frames[0], abs=17_000)


def test_godot_leaves_frame_times_alone_that_are_no_displays() -> None:
    for smoother, delta in (
        (other_engines._GodotDeltas(None), 16_000),
        (other_engines._GodotDeltas(30.0), 33_000),  # slower displays are never smoothed
        (other_engines._GodotDeltas(60.0), 9_000),
        (other_engines._GodotDeltas(60.0), 2_000_000),
    ):
        assert [smoother.smooth(delta) for _ in range(5)] == [delta] * 5


def test_godots_jitter_fix_keeps_to_a_tick_a_frame_while_the_clock_is_half_a_tick_off() -> None:
    steps, dice = other_engines._GodotSteps(), np.random.default_rng(1)
    off, before, counts = dice.uniform(-0.2, 0.2, 600), 0.0, []
    for late in off.tolist():
        counts.append(steps.advance(1 + late - before))
        before = late
    assert set(counts[30:]) == {1}
    assert steps.advance(4.0) == 4  # a hitch is made up for all the same


def test_godots_jitter_fix_follows_the_mean_rate() -> None:
    steps = other_engines._GodotSteps()
    counts = [steps.advance(60 / 144) for _ in range(1440)]
    assert sum(counts) == pytest.approx(600, abs=1)
    assert set(counts) == {0, 1}


def test_godot_interpolates_by_the_rest_of_a_tick() -> None:
    drawn = other_engines.godot_interpolated(even(144), 60, None)
    clock = drawn.first + (drawn.second - drawn.first) * drawn.share
    assert np.diff(clock[3:]) == pytest.approx(1 / 144, abs=2e-6)  # it counts microseconds


def test_glaiel_snaps_frame_times_near_a_sixtieth_and_averages_the_others() -> None:
    near = stamps(*np.cumsum([0.0, *[1 / 60 + 1e-4, 1 / 60 - 1e-4] * 60]))
    drawn = other_engines.glaiel(near, 60, 60.0)
    shown = drawn.first + (drawn.second - drawn.first) * drawn.share
    assert np.diff(shown[5:]) == pytest.approx(1 / 60, abs=1e-9)
    slow = other_engines.glaiel(stamps(0, 0.01, 0.02, 0.03, 0.04), 60, None)
    assert np.diff(slow.second + slow.share / 60)[-1] == pytest.approx(0.01, abs=1e-9)


def test_glaiel_counts_a_very_long_frame_as_one_tick() -> None:
    assert other_engines.glaiel(stamps(0, 5), 60, None).ticks <= 3


@pytest.mark.parametrize("rule", [other_engines.godot_jitter_fix, other_engines.godot_interpolated])
def test_godot_makes_eight_ticks_a_frame_at_most(rule: other_engines.Rule) -> None:
    ticks = rule(even(60, 1), 60, 60.0).ticks
    frames = np.concatenate([even(60, 1), even(60, 1) + 3 * SECOND])  # two seconds without a frame
    assert rule(frames, 60, 60.0).ticks == pytest.approx(2 * ticks + 8, abs=2)
