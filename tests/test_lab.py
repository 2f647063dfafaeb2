"""The lab: its figures against formulas, its tables and plots, and its errors."""

from __future__ import annotations

import dataclasses
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from framework.bench import charts, lab, tables
from framework.bench.displays import (
    RATES,
    TROUBLES,
    UNPACED,
    VARIABLE,
    Frames,
    SimulatedDisplay,
    Trouble,
    simulate,
)
from framework.bench.lab_methods import METHODS, DrawnPositions, watch
from framework.bench.lab_methods import paced as refreshes
from framework.timing.timestep import NANOSECONDS
from framework.tools import cli

EXACT, LATE, MISSED, HITCHES = TROUBLES
KINDS = [
    *(SimulatedDisplay(f"{rate:g}", rate) for rate in RATES),
    SimulatedDisplay(VARIABLE),
    SimulatedDisplay(UNPACED),
]


def residual(frames: Frames, x: np.ndarray) -> float:
    """Return the RMS distance of x (n,) from its best line, in pixels, after the warm-up."""
    time = (frames.begun - frames.begun[0]) / 1e9
    keep = time >= 1
    return float((x[keep] - np.polyval(np.polyfit(time[keep], x[keep], 1), time[keep])).std())


def figures(
    display: SimulatedDisplay,
    trouble: Trouble,
    *names: str,
    tick_rate: float = 60,
    seconds: float = 4,
) -> list[Any]:
    frames = simulate(display, trouble, seconds, 1)
    shown_by_method = watch([METHODS[name] for name in names], display, frames, tick_rate)
    results = {method.name: lab.measure(frames, positions) for method, positions in shown_by_method}
    return [results[name] for name in names]


# -- figures ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("display", KINDS, ids=lambda display: display.name)
def test_exact_time_stamps_draw_exact_positions_on_every_display(display: SimulatedDisplay) -> None:
    names = ("fixed interpolate", "fixed hermite", "rounded interpolate", "carry interpolate")
    *exact, ahead = figures(display, EXACT, *names, "fixed extrapolate", seconds=2.5)
    for each in exact:
        assert each.judder <= 1e-6 * 10  # a tick moves 10 px
        assert each.worst_step <= 5e-6 * 10
        assert abs(each.speed_error) < 1e-4
    assert ahead.judder <= 2e-4  # extrapolation has a float32 clock, here at some seconds


@pytest.mark.parametrize("tick_rate", [1, 7, 59.94, 1000])
def test_exact_time_stamps_draw_exact_positions_at_every_tick_rate(tick_rate: float) -> None:
    [ours] = figures(SimulatedDisplay("144", 144), EXACT, "fixed interpolate", tick_rate=tick_rate)
    assert ours.judder <= max(1e-6 * 600 / tick_rate, 1e-5)
    assert ours.lag == pytest.approx(1000 / tick_rate, abs=1e-4)


def test_the_lag_is_one_tick_half_a_tick_or_zero() -> None:
    names = (
        "fixed interpolate",
        "fixed hermite",
        "rounded interpolate",
        "fixed extrapolate",
        "variable none",
    )
    lags = [each.lag for each in figures(SimulatedDisplay("144", 144), EXACT, *names)]
    assert lags == pytest.approx([1000 / 60, 1000 / 60, 500 / 60, 0, 0], abs=1e-3)


def test_raw_states_have_the_judder_of_a_formula() -> None:
    display, (drawn, rounded) = (
        SimulatedDisplay("144", 144),
        figures(SimulatedDisplay("144", 144), EXACT, "fixed none", "rounded none"),
    )
    frames = simulate(display, EXACT, 4, 1)
    passed = frames.stamps - frames.stamps[0]
    assert drawn.judder == pytest.approx(
        residual(frames, passed * 60 // NANOSECONDS * 10.0), abs=1e-4
    )
    assert rounded.judder == pytest.approx(
        residual(frames, np.floor(passed * 60 / 1e9 + 0.5) * 10.0), abs=1e-4
    )
    assert rounded.judder == pytest.approx(
        2.9, abs=0.05
    )  # the value of fixed-framerate-loop at 144 Hz


@pytest.mark.parametrize("rate", [30, 60])
def test_the_rounded_loop_is_exact_at_the_display_rate_or_half_of_it(rate: int) -> None:
    [rounded] = figures(SimulatedDisplay(str(rate), rate), LATE, "rounded none")
    assert rounded.judder < 1e-4


def test_the_formula_of_jamjar_judders_by_two_pixels_at_144_hz() -> None:
    [theirs] = figures(SimulatedDisplay("144", 144), EXACT, "JamJar")
    frames = simulate(SimulatedDisplay("144", 144), EXACT, 4, 1)
    passed = (frames.stamps - frames.stamps[0]) / 1e9
    state = np.floor(passed * 100 + 1e-7) * 6.0  # at JamJar's 100 ticks a second
    alpha = passed * 100 - state / 6
    before = np.concatenate(
        [[0.0], state[:-1]]
    )  # the state at the last frame, not at the last tick
    drawn = before * alpha + state * (1 - alpha)  # and the mix is reversed
    # Every third of a second a tick is due at a frame, so rounding decides.
    assert theirs.judder == pytest.approx(residual(frames, drawn), abs=0.04)
    assert theirs.judder == pytest.approx(2.1, abs=0.05)


def test_pyglets_schedule_interval_loses_ticks_on_a_60_hz_display() -> None:
    frames = simulate(SimulatedDisplay("60", 60), LATE, 60, 0)
    method = METHODS["pyglet schedule_interval"]
    [(_, shown)] = watch([method], SimulatedDisplay("60", 60), frames, 60)
    assert len(frames.stamps) == 3601
    assert shown.ticks == pytest.approx(2281, abs=40)
    assert lab.measure(frames, shown).speed_error == pytest.approx(
        100 * shown.ticks / 3600 - 100, abs=0.5
    )


@pytest.mark.parametrize("trouble", [LATE, MISSED], ids=["late", "missed"])
def test_the_judder_of_interpolation_is_that_of_its_time_stamps(trouble: Trouble) -> None:
    display = SimulatedDisplay("60", 60)
    raw, paced = figures(display, trouble, "fixed interpolate", "fixed interpolate paced")
    frames = simulate(display, trouble, 4, 1)
    assert raw.judder == pytest.approx(
        residual(frames, 600e-9 * (frames.stamps - frames.begun)), abs=1e-4
    )
    moments = refreshes(frames, 60.0)
    assert paced.judder == pytest.approx(
        residual(frames, 600e-9 * (moments - frames.begun)), abs=1e-4
    )
    assert raw.judder == pytest.approx(0.603 * 600 * trouble.late, rel=0.2)
    assert paced.judder < raw.judder / 2


def test_rotations_are_drawn_by_chords_curves_or_tangents() -> None:
    frames = simulate(SimulatedDisplay("144", 144), EXACT, 4, 1)
    linear, hermite, ahead = figures(
        SimulatedDisplay("144", 144),
        EXACT,
        "fixed interpolate",
        "fixed hermite",
        "fixed extrapolate",
    )
    clock = (frames.stamps - frames.stamps[0]) * 60 / 1e9
    tick, turn = np.floor(clock + 1e-7), 12 / 60  # radians per tick: 600 px/s at a radius of 50 px
    chord = 50 * (
        np.exp(1j * turn * (tick - 1)) * (1 - clock + tick)
        + np.exp(1j * turn * tick) * (clock - tick)
    )
    error = np.abs(chord - 50 * np.exp(1j * turn * (clock - 1)))[clock > 60]
    assert linear.turn_judder == pytest.approx(np.sqrt((error**2).mean()), rel=0.02)
    assert hermite.turn_judder < linear.turn_judder / 100
    assert 1 < ahead.turn_judder / linear.turn_judder < 20


def test_a_carried_hitch_is_caught_up_and_a_dropped_hitch_is_not() -> None:
    dropped, carried = figures(
        SimulatedDisplay("144", 144), HITCHES, "fixed interpolate", "carry interpolate", seconds=5
    )
    assert dropped.judder < 0.5
    assert carried.judder > 2  # for a while the game runs at many times its speed
    assert (
        carried.worst_step > 60 > 10 * dropped.worst_step
    )  # eight ticks of 10 px in a frame, not 4.2 px


def test_judder_lag_and_speed_are_measured_for_any_motion() -> None:
    frame_starts = np.arange(0, 5 * 10**9, 10**7)
    time, wave = frame_starts / 1e9, np.where(np.arange(len(frame_starts)) % 2, 1.5, -1.5)
    frames = Frames(frame_starts, frame_starts, np.zeros(len(frame_starts), np.intp))
    line = 600 * 0.9 * (time - 0.02) + wave
    measured = lab.measure(frames, DrawnPositions(line, 50 * np.exp(12j * 0.9 * (time - 0.3)), 0))
    assert measured.judder == pytest.approx(1.5, rel=1e-3)
    assert measured.worst_step == pytest.approx(
        0.6 + 3, rel=1e-6
    )  # a tenth of 6 px too short, and the wave
    assert measured.speed_error == pytest.approx(-10, abs=0.01)
    assert measured.turn_judder == pytest.approx(0, abs=0.01)
    assert measured.error > 50  # 60 px a second behind
    even = lab.measure(frames, DrawnPositions(600 * (time - 0.02), 50 * np.exp(12j * time), 0))
    assert (even.judder, even.error, even.worst_step) == pytest.approx((0, 0, 0), abs=1e-9)
    assert even.lag == pytest.approx(20)


def test_every_method_can_be_measured_on_every_kind_of_display(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lab, "TROUBLES", TROUBLES[::3])  # no trouble and all troubles
    monkeypatch.setattr(lab, "MIN_SECONDS", 1.25)
    report = lab.run(seconds=1.25, rates=["24", "off"], methods=["all"])
    assert len(report.methods) == len(METHODS) == 7 + 5 * 4 * 2
    assert len(report.rows) == len(METHODS) * 2 * 2
    assert all(
        math.isfinite(value) for row in report.rows for value in dataclasses.astuple(row.figures)
    )
    assert all(row.ticks > 0 for row in report.rows)


# -- reports ---------------------------------------------------------------------------------------


def test_a_report_is_reproducible_and_depends_on_the_seed(
    lab_report: lab.Report,
) -> None:
    again = lab.run(seconds=4, rates=["60"], methods=lab_report.methods, seed=3)
    assert again.rows == [row for row in lab_report.rows if row.display == "60"]
    assert again.pacing == [each for each in lab_report.pacing if each.display == "60"]
    other_seed = lab.run(seconds=4, rates=["60"], methods=["fixed interpolate"], seed=4)
    assert any(row not in lab_report.rows for row in other_seed.rows)


def test_pacing_is_compared_with_raw_stamps_on_every_display(lab_report: lab.Report) -> None:
    assert len(lab_report.pacing) == 3 * len(TROUBLES)
    for each in lab_report.pacing:
        assert each.raw == lab_report.find("fixed interpolate", each.display, each.trouble).judder
        assert (
            each.paced
            == lab_report.find("fixed interpolate paced", each.display, each.trouble).judder
        )
        assert each.worse == (each.paced > 1.05 * each.raw + 0.005)
    worse = dataclasses.replace(lab_report.pacing[1], paced=2.0, worse=True)
    table = tables.lab_table(dataclasses.replace(lab_report, pacing=[lab_report.pacing[0], worse]))
    assert (
        f"worse than raw stamps by more than 5 % on 1: 60 late ({worse.raw:.3f} to 2.000 px)."
        in table
    )


def test_a_missing_row_is_a_key_error(lab_report: lab.Report) -> None:
    with pytest.raises(KeyError):
        lab_report.find("fixed interpolate", "75", "late")


# -- images ----------------------------------------------------------------------------------------


# -- the command -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--rates", "sixty"], "--rates: expected 10 to 1000 Hz, 'vrr' or 'off', got 'sixty'"),
        (["--rates", "5"], "--rates: expected 10 to 1000 Hz, 'vrr' or 'off', got '5'"),
        (["--rates", "nan"], "--rates: expected 10 to 1000 Hz, 'vrr' or 'off', got 'nan'"),
        (
            ["--methods", "unity"],
            "--methods: 'unity' matches no name; there are pyglet schedule_interval, ",
        ),
        (["--seconds", "1"], "--seconds: expected a finite number from 4 to 3600, got 1.0"),
        (["--seconds", "inf"], "--seconds: expected a finite number from 4 to 3600, got inf"),
        (["--tick-rate", "0"], "--tick-rate: expected a finite number from 1 to 1000, got 0.0"),
        (
            ["--tick-rate", "5000"],
            "--tick-rate: expected a finite number from 1 to 1000, got 5000.0",
        ),
        (["--seed", "-1"], "--seed: expected a whole number of at least 0, got -1"),
        (["--json", "no/such/folder.json"], "'no/such/folder.json' cannot be written"),
        (["--plot", "no/such/folder.png"], "'no/such/folder.png' cannot be written"),
        (["--live", "--rates", "60"], "--rates: for simulated displays only"),
        (["--live", "--plot-pacing", "a.png"], "--plot-pacing: for simulated displays only"),
        (
            ["--live", "--seconds", "0"],
            "--seconds: expected a finite number from 2 to 3600, got 0.0",
        ),
    ],
)
def test_invalid_arguments_have_one_clear_error(
    options: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["lab", *options]) == 2
    streams = capsys.readouterr()
    assert streams.out == ""
    assert streams.err.startswith(f"framework: {message}")
    assert streams.err.count("\n") == 1


def test_the_command_prints_a_table_and_writes_json_and_plots(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    plotted: dict[str, tuple[Any, ...]] = {}
    monkeypatch.setattr(
        charts, "plot_lab", lambda report, path: plotted.update({path.name: (report.methods,)})
    )
    monkeypatch.setattr(
        charts, "plot_pacing", lambda path, seed: plotted.update({path.name: (seed,)})
    )
    options = [
        "--rates",
        "60",
        "--methods",
        "Arcade",
        "fixed interpolate",
        "--seconds",
        "4",
        "--progress",
    ]
    plots = ["--plot", "lab.png", "--plot-pacing", "pacing.png"]
    assert cli.main(["lab", *options, "--json", "lab.json", *plots]) == 0
    streams = capsys.readouterr()
    assert streams.out.startswith(
        "Simulated: 600 px/s at 60 ticks a second, 4 s on each display; seed 0."
    )
    assert "60, hitches: 100%" in streams.err
    assert json.loads((tmp_path / "lab.json").read_text())["methods"] == [
        "Arcade",
        "fixed interpolate",
    ]
    assert plotted == {"lab.png": (["Arcade", "fixed interpolate"],), "pacing.png": (0,)}
