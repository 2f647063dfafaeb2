"""Workload: whether a game is too slow, from the work of its frames, without a clock."""

from __future__ import annotations

import random
import time

import pytest
from ticking import in_time

from framework.watch.frame_stats import FrameTimes
from framework.watch.workload import Workload

MS = 1_000_000
BUDGET = 16 * MS


def fed(work: list[int], load: Workload | None = None) -> Workload:
    load = load or Workload(BUDGET)
    for duration in work:
        load.frame(duration)
    return load


def test_work_within_the_budget_is_never_slow() -> None:
    load = Workload(BUDGET)
    dice = random.Random(1)
    for _ in range(10_000):
        load.frame(round(dice.uniform(0, 1.4 * BUDGET)))
        assert not load.running_slowly
    load = Workload(BUDGET)
    for _ in range(10_000):
        load.frame(round(0.99 * BUDGET))
        assert not load.running_slowly


def test_a_game_is_slow_from_above_the_budget_until_below_85_percent() -> None:
    load = fed([BUDGET + 1] * 60)
    assert load.running_slowly
    for _ in range(600):  # between both limits, the state does not change
        load.frame(round(0.9 * BUDGET))
        assert load.running_slowly
    fed([round(0.84 * BUDGET)] * 60, load)
    assert not load.running_slowly
    for _ in range(600):
        load.frame(round(0.9 * BUDGET))
        assert not load.running_slowly
    assert fed([BUDGET + 1] * 60, load).running_slowly


def test_slowness_starts_and_ends_within_sixty_frames() -> None:
    load = fed([10 * MS] * 200)
    fed([20 * MS] * 60, load)
    assert load.running_slowly
    fed([10 * MS] * 60, load)
    assert not load.running_slowly
    assert load.mean == pytest.approx(0.010)


def test_the_first_frames_do_not_count_because_of_loading() -> None:
    load = Workload(BUDGET)
    for _ in range(5):
        load.frame(900 * MS)
        assert not load.running_slowly
    for _ in range(200):
        load.frame(5 * MS)
        assert not load.lasting
    assert not load.running_slowly


def test_a_single_long_frame_is_not_slowness() -> None:
    load = fed([12 * MS] * 100)
    for _ in range(200):
        load.frame(60_000 * MS)
        for _ in range(60):
            load.frame(12 * MS)
            assert not load.running_slowly


def test_frames_of_seconds_are_reported_before_thirty_of_them() -> None:
    load = Workload(BUDGET)
    frames = 0
    while not load.lasting:
        load.frame(1000 * MS)
        frames += 1
    assert frames <= 12


def test_slowness_is_lasting_after_two_seconds_of_work() -> None:
    load = fed([25 * MS] * 30)
    assert load.running_slowly
    frames = 0
    while not load.lasting:
        load.frame(25 * MS)
        frames += 1
    assert 70 <= frames <= 80


def test_frames_not_drawn_do_not_count() -> None:
    load = fed([10 * MS] * 60)
    for number in range(100):  # every tenth frame is drawn
        frame = FrameTimes(number, 0, 60 * MS, worked=10 * MS, ticks=1, spans=["update", 0, 5 * MS])
        if number % 10 == 0:
            load.uncounted.append(frame)
    assert not load.running_slowly
    assert load.mean == pytest.approx(0.010)
    assert load.uncounted == []


def test_frames_counted_one_by_one_or_together_give_the_same_result() -> None:
    dice = random.Random(2)
    at_once = Workload(BUDGET)
    later = Workload(BUDGET)
    for turn in range(80):
        calm = turn // 4 % 2  # no frame is above the budget, so 60 of them can be counted at once
        for number in range(dice.randrange(1, 150)):
            work = round(dice.uniform(0.7, 1.0 if calm else 1.3) * BUDGET)
            at_once.frame(work, work // 2, work // 4, 1)
            spans = ["update", 0, work // 2, "draw", work // 2, work // 2 + work // 4]
            later.uncounted.append(FrameTimes(number, 0, 0, worked=work, ticks=1, spans=spans))
        assert later.running_slowly == at_once.running_slowly
        assert later.mean == at_once.mean
        assert later.explain() == at_once.explain()


@pytest.mark.parametrize(
    ("update", "draw", "work", "advice"),
    [(20, 2, 25, "update() cheaper"), (4, 20, 26, "render_scale"), (1, 1, 25, "Event handlers")],
)
def test_the_explanation_has_figures_and_advice(
    update: int, draw: int, work: int, advice: str
) -> None:
    load = Workload(BUDGET)
    for _ in range(200):
        load.frame(work * MS, update * MS, draw * MS, 2)
    assert load.lasting
    explanation = load.explain()
    assert f"a frame's work takes {work}.00 ms, but the display allows 16.00 ms" in explanation
    assert f"2.00 ticks {update}.00 ms ({update / 2:.2f} ms each), draw {draw}.00 ms" in explanation
    assert f"other work {work - update - draw}.00 ms" in explanation
    assert advice in explanation


def test_counting_a_frame_costs_almost_nothing() -> None:
    best = 1e9
    for _ in range(5):
        load = Workload(BUDGET)
        start = time.process_time()
        for _ in range(2_000):
            load.frame(11 * MS, 5 * MS, 5 * MS, 1)
        best = min(best, (time.process_time() - start) / 2_000)
    # about 0.5 µs on a machine of 2023, or five times as long with the checks of -X dev
    assert in_time(best, 5e-6)
