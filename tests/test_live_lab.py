"""The lab in a real window: figures from simulated flips, and the errors."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from framework.bench import live_lab, tables
from framework.errors import DisplayError, FrameworkError


def windowed(late: np.ndarray, missed: tuple[int, ...] = (), **options: Any) -> live_lab.Live:
    """Return the figures of a 60 Hz display whose clock is read ``late`` seconds after each flip."""
    refresh = np.array(
        [number for number in range(len(late) + len(missed)) if number not in missed]
    )
    flips = 5 * 10**9 + np.round(refresh / 60 * 1e9).astype(np.int64)
    begun = np.concatenate([flips[:1] - 16_666_667, flips[:-1]])
    stamps = begun + np.round(late * 1e9).astype(np.int64)
    moments = begun - 5 * 10**9 + 100_000
    more = {
        "waits": [True] * len(late),
        "reported": 60.0,
        "renderer": "a card",
        "ticks": 300,
        "ticks_due": 300.5,
    }
    return live_lab.figures_of(stamps, moments, flips, **{**more, "dropped_time": 0.0, **options})


def test_flips_are_compared_with_their_best_line() -> None:
    late = np.abs(np.random.default_rng(2).normal(0, 1e-3, 300))
    figures = windowed(late, missed=(100, 200, 201))
    assert figures.fitted == pytest.approx(60, rel=1e-6)
    assert figures.missed == 3
    assert figures.flips_off == pytest.approx(0, abs=1e-4)
    assert figures.raw_judder == pytest.approx(600 * late[61:].std(), rel=0.02)
    assert figures.judder == pytest.approx(0, abs=1e-3)
    assert figures.gap_worst == pytest.approx(50, abs=0.01)
    assert figures.estimated == pytest.approx(60, rel=1e-3)
    assert figures.locked > 0.5
    table = tables.live_table(figures)
    assert f"in {figures.frames} of {figures.frames} frames" in table
    assert "60.000 Hz; 3 refreshes without a frame" in table
    assert "300 made of 300.5 due" in table
    assert json.loads(tables.to_json(figures))["missed"] == 3


def test_without_vsync_the_table_mentions_sleeping() -> None:
    assert "drawn by sleeping" in tables.live_table(windowed(np.zeros(200), waits=[False] * 200))


def test_too_few_frames_are_refused() -> None:
    with pytest.raises(FrameworkError, match="Only 40 frames were drawn"):
        windowed(np.zeros(40))


def test_a_missing_display_is_an_error_with_a_solution(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_lab, "display_reachable", lambda: False)
    monkeypatch.delenv("DISPLAY", raising=False)
    with pytest.raises(DisplayError, match=r"no display is set .*xvfb-run -a framework lab --live"):
        live_lab.measure(3)
