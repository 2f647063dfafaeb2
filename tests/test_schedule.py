"""Schedules: tasks against a slow exact model, with invented time."""

from __future__ import annotations

import gc
import math
import random
import weakref
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import framework as fw
from framework import LAST, FixedTimestep, FrameworkError, RoundedTimestep, Schedule, Task
from framework.timing.schedule import exact, exact_time_of

SIXTIETH = Fraction(1, 60)


def ticks(schedule: Schedule, count: int, dt: float | Fraction = SIXTIETH) -> None:
    for _ in range(count):
        schedule.advance(dt)


class Log(list[Any]):
    """A log of callbacks, which write their names."""

    def note(self, name: Any, then: Callable[[], object] = lambda: None) -> Callable[[float], None]:
        def callback(dt: float) -> None:
            self.append(name)
            then()

        return callback

    def since(self) -> list[Any]:
        log = list(self)
        self.clear()
        return log


# -- once and at an interval -----------------------------------------------------------------------


def test_once_runs_in_the_tick_that_reaches_its_time_and_receives_the_delay() -> None:
    schedule = Schedule()
    log = Log()
    task = schedule.once(log.append, 0.5)
    assert (task.due, task.cancelled) == (0.5, False)
    ticks(schedule, 29)
    assert log == []
    ticks(schedule, 1)
    assert log.since() == [0.5]
    assert (task.due, task.cancelled) == (None, False)
    ticks(schedule, 100)
    assert log == []


def test_a_tick_includes_its_end_but_not_its_start() -> None:
    schedule = Schedule()
    log = Log()
    for delay in (0.25, 0.5, 0.50001):
        schedule.once(log.append, delay)
    schedule.advance(0.25)
    assert log.since() == [0.25]
    schedule.advance(0.25)
    assert log.since() == [0.5]
    schedule.advance(0.25)
    assert log.since() == [0.50001]


def test_times_that_are_equal_as_floats_are_distinguished() -> None:
    schedule = Schedule()
    log = Log()
    little = Fraction(1, 10**30)
    schedule.once(log.note("later"), 1 + 2 * little)
    schedule.once(log.note("sooner"), 1 + little)
    schedule.advance(1)
    assert log == []
    schedule.advance(little)
    assert log == ["sooner"]
    schedule.advance(little)
    assert log == ["sooner", "later"]


def test_delay_0_outside_a_task_means_the_next_tick() -> None:
    schedule = Schedule()
    log = Log()
    ticks(schedule, 3)
    schedule.once(log.append, 0)
    assert log == []
    ticks(schedule, 1)
    assert log == [0.0]


@pytest.mark.parametrize("rate", [7, 10, 11, 13, 45, 59.94, 60, 90, 120, 144, 1000, Fraction(1, 3)])
@pytest.mark.parametrize("tick_rate", [60, 90, 59.94, 7])
def test_the_number_of_calls_is_exact_after_every_tick_at_any_two_rates(
    rate: Any, tick_rate: float
) -> None:
    schedule = Schedule()
    log = Log()
    dt = FixedTimestep(tick_rate).dt
    calls_a_tick = Fraction(str(rate)) / Fraction(str(tick_rate))
    schedule.interval(log.append, 1 / rate)
    for tick in range(1, 200):
        schedule.advance(dt)  # floats, as a game passes them
        assert len(log) == tick * calls_a_tick.numerator // calls_a_tick.denominator
    assert all(each == pytest.approx(float(1 / rate), rel=1e-15) for each in set(log))


def test_a_day_of_ticks_has_the_exact_number_of_calls() -> None:
    schedule = Schedule()
    calls = [0, 0]
    dice = random.Random(4)
    for which, interval in enumerate((7.7, 30 / 7)):

        def count(dt: float, which: int = which) -> None:
            calls[which] += 1

        schedule.interval(count, interval)
    elapsed = 0
    while elapsed < 86_400 * 10**9:  # ticks of about four seconds, in whole nanoseconds
        nanoseconds = 4 * 10**9 + dice.randrange(-(10**8), 10**8)
        elapsed += nanoseconds
        schedule.advance(nanoseconds / 1e9)
    time = Fraction(elapsed, 10**9)
    assert calls == [math.floor(time / Fraction(77, 10)), math.floor(time * 7 / 30)]
    assert schedule.time == float(time)


def test_an_interval_shorter_than_a_tick_gives_several_calls_per_tick() -> None:
    schedule = Schedule()
    log = Log()
    schedule.interval(log.note("physics"), 1 / 120)
    schedule.interval(log.note("ai"), 1 / 10)
    ticks(schedule, 5)
    assert log.since() == ["physics"] * 10
    ticks(schedule, 1)
    assert log.since() == ["physics", "physics", "ai"]
    ticks(schedule, 54)
    assert (log.count("physics"), log.count("ai")) == (108, 9)


def test_a_task_that_schedules_itself_again_does_not_drift() -> None:
    schedule = Schedule()
    log = Log()

    def again(dt: float) -> None:
        log.append(dt)
        schedule.once(again, 1 / 7)

    schedule.once(again, 1 / 7)
    ticks(schedule, 60 * 50)
    assert len(log) == 350


# -- order -----------------------------------------------------------------------------------------


def test_tasks_run_by_due_time_then_order_then_time_of_scheduling() -> None:
    schedule = Schedule()
    log = Log()
    for name, delay, order in [
        *[("e", 0.3, 0), ("c", 0.2, 0), ("d", 0.2, 0), ("f", 0.3, 5)],
        *[("b", 0.2, -1), ("a", 0.1, 9), ("b2", 0.2, -0.5)],
    ]:
        schedule.once(log.note(name), delay, order=order)
    schedule.advance(1)
    assert log == ["a", "b", "b2", "c", "d", "e", "f"]


def test_order_last_runs_after_all_other_tasks_of_its_tick() -> None:
    schedule = Schedule()
    log = Log()
    schedule.interval(log.note("last"), 0.25, order=LAST)
    schedule.once(log.note("early", lambda: schedule.once(log.note("brought"), 0.9)), 0.1)
    schedule.once(log.note("late"), 0.99, order=1e300)
    schedule.advance(0.5)
    assert log.since() == ["early", "last", "last"]
    schedule.advance(0.5)
    assert log.since() == ["late", "brought", "last", "last"]


def test_a_task_scheduled_by_a_last_task_runs_before_the_next_last_task() -> None:
    schedule = Schedule()
    log = Log()
    schedule.once(log.note("one", lambda: schedule.once(log.note("brought"), 0)), 0.1, order=LAST)
    schedule.once(log.note("two"), 0.1, order=LAST)
    schedule.advance(1)
    assert log == ["one", "brought", "two"]


def test_intervals_due_at_the_same_time_keep_their_order() -> None:
    schedule = Schedule()
    log = Log()
    schedule.interval(log.note("slow"), 0.6)
    schedule.interval(log.note("fast"), 0.2)
    ticks(schedule, 2, 0.6)
    assert log == ["fast", "fast", "slow", "fast"] * 2


# -- tasks scheduled by a task ---------------------------------------------------------------------


def test_delay_0_in_a_task_runs_in_the_same_tick_after_tasks_of_the_same_time() -> None:
    schedule = Schedule()
    log = Log()
    schedule.once(
        log.note("a", lambda: schedule.once(log.note("further"), 0, order=-9)),
        0.1,
        order=-1,
    )
    schedule.once(log.note("b"), 0.1)
    schedule.once(log.note("c"), 0.2)
    schedule.advance(0.5)
    assert log == ["a", "b", "further", "c"]


def test_a_delay_within_the_tick_runs_in_it_at_its_time() -> None:
    schedule = Schedule()
    log = Log()
    schedule.once(log.note("a", lambda: schedule.once(log.note("c"), 0.2)), 0.1)
    schedule.once(log.note("b"), 0.2)
    schedule.once(log.note("d"), 0.4)
    schedule.advance(0.5)
    assert log == ["a", "b", "c", "d"]


def test_a_callback_without_a_name_is_named_by_its_type() -> None:
    schedule = Schedule()

    def feed(food: str, dt: float) -> None:
        schedule.once(partial(feed, food), 0)

    schedule.once(partial(feed, "cake"), 0)
    with pytest.raises(
        FrameworkError, match=r"functools.partial\(<function .*feed.*'cake'\) was scheduled"
    ):
        schedule.advance(1)


@pytest.mark.parametrize("order", [0, LAST])
def test_a_task_that_endlessly_schedules_itself_at_delay_0_is_stopped_and_named(
    order: float,
) -> None:
    schedule = Schedule()
    rounds = Log()

    def hungry(dt: float) -> None:
        rounds.append(dt)
        schedule.once(hungry, 0, order=order)

    schedule.once(hungry, 0, order=order)
    with pytest.raises(
        FrameworkError, match=r"hungry was scheduled with delay 0 .* 100 rounds of one tick"
    ):
        schedule.advance(1)
    assert len(rounds) == 100
    ticks(schedule, 5)
    assert len(rounds) == 100  # no task is left


def test_two_tasks_that_endlessly_schedule_each_other_are_stopped() -> None:
    schedule = Schedule()
    log = Log()

    def ping(dt: float) -> None:
        schedule.once(pong, 0)

    def pong(dt: float) -> None:
        log.append(dt)
        schedule.once(ping, 0, order=LAST)

    schedule.interval(ping, 1)
    with pytest.raises(FrameworkError, match=r"ping was scheduled with delay 0"):
        schedule.advance(1)
    assert len(log) == 50


def test_a_hundred_rounds_are_allowed_in_each_tick() -> None:
    schedule = Schedule()
    log = Log()

    def count(left: int, dt: float) -> None:
        log.append(left)
        if left:
            schedule.once(partial(count, left - 1), 0)

    schedule.interval(partial(count, 99), 1)
    ticks(schedule, 3, 1)
    assert log == list(range(99, -1, -1)) * 3


def test_many_short_steps_within_one_tick_are_not_rounds() -> None:
    schedule = Schedule()
    log = Log()

    def step(dt: float) -> None:
        log.append(dt)
        schedule.once(step, 0.001)

    schedule.once(step, 0.001)
    schedule.advance(0.5)
    assert len(log) == 500


# -- cancelling ------------------------------------------------------------------------------------


def test_a_cancelled_task_is_never_called_and_can_be_cancelled_again() -> None:
    schedule = Schedule()
    log = Log()
    tasks = [schedule.once(log.append, 0.1), schedule.interval(log.append, 0.1)]
    for task in tasks * 2:
        task.cancel()
        assert (task.cancelled, task.due) == (True, None)
    schedule.advance(1)
    assert log == []


def test_an_interval_can_cancel_itself() -> None:
    schedule = Schedule()
    log = Log()
    task = schedule.interval(
        log.note("call", lambda: task.cancel() if len(log) == 3 else None), 0.1
    )
    schedule.advance(1)
    ticks(schedule, 3, 1)
    assert log == ["call"] * 3
    assert task.cancelled


def test_one_task_stops_another_that_is_due_in_the_same_tick() -> None:
    schedule = Schedule()
    log = Log()
    schedule.once(log.note("a", lambda: victim.cancel()), 0.1)
    victim = schedule.once(log.note("victim"), 0.1)
    schedule.advance(1)
    assert log == ["a"]


def test_cancelling_a_finished_task_does_nothing() -> None:
    schedule = Schedule()
    log = Log()
    task = schedule.once(log.note("once", lambda: task.cancel()), 0.1)
    schedule.advance(1)
    task.cancel()
    assert log == ["once"]
    assert not task.cancelled


def test_a_cancelled_task_releases_its_references_at_once() -> None:
    class Enemy:
        def shoot(self, dt: float) -> None: ...

    schedule = Schedule()
    enemy = Enemy()
    gone = weakref.ref(enemy)
    task = schedule.once(enemy.shoot, 3600)
    del enemy
    gc.collect()
    assert gone() is not None
    task.cancel()
    assert gone() is None


def test_cancelled_tasks_do_not_accumulate() -> None:
    schedule = Schedule()
    log = Log()
    for number in range(1000):
        schedule.once(log.note(number), 3600 + number % 7, order=LAST if number % 2 else 0).cancel()
        if number % 100 == 0:
            schedule.once(log.note(number), 1)
    assert len(schedule._waiting.queue) + len(schedule._waiting.last) < 100
    schedule.advance(10_000)
    assert log == list(range(0, 1000, 100))


def test_cancelling_many_keeps_the_others_in_order() -> None:
    schedule = Schedule()
    log = Log()
    dice = random.Random(2)
    tasks = [schedule.once(log.append, dice.random()) for _ in range(500)]
    sample = [task.due for task in dice.sample(tasks, 100)]
    for task in tasks:
        if task.due not in sample:
            task.cancel()
    schedule.advance(1)
    assert log == sorted(sample)


def test_the_repr_of_a_task() -> None:
    schedule = Schedule()
    task = schedule.interval(print, 2)
    assert repr(task) == "<Task print, due at 2 s>"
    task.cancel()
    assert repr(task) == "<Task, cancelled>"
    once = schedule.once(lambda dt: None, 1)
    schedule.advance(1)
    assert repr(once).endswith("<lambda>, over>")


# -- exceptions ------------------------------------------------------------------------------------


def test_an_exception_reaches_the_caller_and_the_other_tasks_run_in_the_next_tick() -> None:
    schedule = Schedule()
    log = Log()
    group = schedule.group()

    def fails(dt: float) -> None:
        raise KeyError("level 9")

    schedule.once(fails, 0.1)
    schedule.once(log.note("after"), 0.2)
    schedule.interval(log.note("every"), 0.5)
    group.once(log.note("group"), 0.9)
    with pytest.raises(KeyError, match="level 9"):
        schedule.advance(1)
    assert log == []
    assert (schedule.time, group.time) == (1.0, 1.0)
    schedule.advance(0.25)
    assert log == ["after", "every", "every", "group"]
    assert group.time == 1.25


# -- scale and groups ------------------------------------------------------------------------------


def test_the_time_scale_slows_and_speeds_everything_up() -> None:
    schedule = Schedule(0.5)
    log = Log()
    schedule.interval(log.append, 0.1)
    ticks(schedule, 60)
    assert log.since() == [0.1] * 5
    schedule.time_scale = 16
    ticks(schedule, 60)
    assert log.since() == [0.1] * 160
    schedule.time_scale = 0.05
    ticks(schedule, 60 * 20)
    assert log.since() == [0.1] * 10
    assert schedule.time == 17.5


def test_at_time_scale_0_no_task_runs_not_even_due_tasks() -> None:
    schedule = Schedule()
    log = Log()
    schedule.interval(log.note("interval"), 0.1)
    schedule.time_scale = 0
    schedule.once(log.note("now"), 0)
    ticks(schedule, 600)
    assert log == []
    assert schedule.time == schedule.dt == 0
    schedule.time_scale = 1
    ticks(schedule, 6)
    assert log == ["now", "interval"]


def test_a_group_multiplies_its_scale_by_that_of_its_schedule() -> None:
    world = Schedule()
    log = Log()
    slow = world.group(0.25)
    slower = slow.group(0.5)
    for schedule, name in ((world, "world"), (slow, "slow"), (slower, "slower")):
        schedule.interval(log.note(name), 0.5)
    ticks(world, 4 * 60)
    assert [log.count(name) for name in ("world", "slow", "slower")] == [8, 2, 1]
    assert (world.time, slow.time, slower.time) == (4.0, 1.0, 0.5)
    assert (world.dt, slow.dt, slower.dt) == (1 / 60, 1 / 240, 1 / 480)
    log.clear()
    world.time_scale = 0
    ticks(world, 600)
    assert log == []
    assert slower.dt == 0


def test_groups_run_after_the_tasks_of_their_schedule_and_before_last_tasks() -> None:
    world = Schedule()
    log = Log()
    first = world.group()
    two = world.group()
    world.once(log.note("world last"), 0.1, order=LAST)
    two.once(log.note("two"), 0.1)
    first.once(log.note("one last"), 0.1, order=LAST)
    first.once(log.note("one", lambda: world.once(log.note("brought"), 0)), 0.2)
    world.once(log.note("world"), 0.9)
    world.advance(1)
    assert log == ["world", "one", "one last", "two", "brought", "world last"]


def test_the_time_of_a_group_made_in_a_task_starts_with_the_next_tick() -> None:
    world = Schedule()
    log = Log()
    groups = []

    def fire(dt: float) -> None:
        groups.append(world.group(0.5))
        groups[0].once(log.note("hit"), 0.5)

    world.once(fire, 0.5)
    world.advance(1)
    assert groups[0].time == 0
    world.advance(0.5)
    assert log == []
    world.advance(0.5)
    assert log == ["hit"]


def test_a_cancelled_schedule_ends_its_tasks_and_groups_and_refuses_new_ones() -> None:
    world = Schedule()
    log = Log()
    group = world.group()
    inner = group.group()
    tasks = [schedule.interval(log.note("x"), 0.1, order=LAST) for schedule in (group, inner)]
    world.once(log.note("cancels", group.cancel), 0.5)
    group.once(log.note("x"), 0.5)
    world.advance(1)
    assert log == ["cancels"]
    assert all(task.cancelled for task in tasks)
    assert world._groups == []
    group.cancel()
    for over in (group, inner):
        with pytest.raises(FrameworkError, match="This schedule was cancelled"):
            over.once(log.append, 1)
        with pytest.raises(FrameworkError, match="This schedule was cancelled"):
            over.group()
    world.advance(1)
    assert log == ["cancels"]


def test_a_task_may_cancel_its_own_schedule() -> None:
    schedule = Schedule()
    log = Log()
    task = schedule.interval(log.note("once", schedule.cancel), 0.1)
    schedule.once(log.note("never"), 0.2)
    schedule.advance(1)
    assert log == ["once"]
    assert task.cancelled


# -- bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize("wrong", [-1, -1e-9, math.nan, math.inf, -math.inf, np.float32("nan")])
def test_numbers_that_are_not_valid_times_are_refused_by_name(wrong: Any) -> None:
    schedule = Schedule()
    for name, ask in calls_with_time(schedule, wrong):
        with pytest.raises(ValueError, match=f"{name}: expected"):
            ask()
    with pytest.raises(ValueError, match="interval: expected a number of seconds above 0, got 0"):
        schedule.interval(print, 0)
    schedule.advance(100)
    assert schedule.time == 100


@pytest.mark.parametrize("wrong", ["1", None, True, np.True_, 1j, [1]])
def test_values_that_are_not_numbers_are_refused_by_name(wrong: Any) -> None:
    for name, ask in [
        *calls_with_time(Schedule(), wrong),
        ("order", lambda: Schedule().once(print, 1, order=wrong)),
    ]:
        with pytest.raises(TypeError, match=f"{name}: expected a number"):
            ask()


def calls_with_time(schedule: Schedule, value: Any) -> list[tuple[str, Callable[[], object]]]:
    return [
        ("delay", lambda: schedule.once(print, value)),
        ("interval", lambda: schedule.interval(print, value)),
        ("dt", lambda: schedule.advance(value)),
        ("time_scale", lambda: Schedule(value)),
        ("time_scale", lambda: schedule.group(value)),
        ("time_scale", lambda: setattr(schedule, "time_scale", value)),
    ]


@pytest.mark.parametrize("order", [math.nan, -math.inf])
def test_an_order_is_a_number_or_last(order: float) -> None:
    with pytest.raises(ValueError, match="order: expected a finite number"):
        Schedule().once(print, 1, order=order)


@pytest.mark.parametrize("wrong", [None, "shoot", 5])
def test_a_callback_must_be_callable(wrong: Any) -> None:
    for schedule in (Schedule().once, Schedule().interval):
        with pytest.raises(TypeError, match=r"callback: expected a function of dt, got"):
            schedule(wrong, 1)


def test_tasks_and_owners_of_groups_cannot_advance_a_schedule() -> None:
    schedule = Schedule()
    schedule.once(lambda dt: schedule.advance(1), 0)
    with pytest.raises(FrameworkError, match="advance: this schedule is running already"):
        schedule.advance(1)
    schedule.advance(1)
    with pytest.raises(FrameworkError, match="advance: this is a group"):
        schedule.group().advance(1)


def test_numpy_numbers_and_fractions_are_accepted() -> None:
    schedule = Schedule()
    log = Log()
    schedule.interval(log.append, np.float64(0.1))
    schedule.once(log.append, np.int64(1), order=np.float32(2))
    schedule.once(log.append, Fraction(1, 3))
    schedule.advance(np.float32(1))
    assert log.count(0.1) == 10
    assert set(log) == {0.1, 1.0, 1 / 3}


# -- comparison with the model ---------------------------------------------------------------------

lengths = st.sampled_from(
    [Fraction(1, 60), Fraction(1, 7), Fraction(1, 4), Fraction(1), Fraction(1, 1000)]
)
seconds = st.fractions(0, 1, max_denominator=12)
orders = st.sampled_from([0, 0, 1, -1, 0.5, LAST])
scales = st.sampled_from([0, Fraction(1, 20), Fraction(1, 2), 1, 1, 3])
steps = st.lists(
    st.one_of(
        st.tuples(st.just("tick"), lengths),
        st.tuples(st.just("once"), seconds, orders),
        st.tuples(st.just("every"), seconds.filter(lambda value: value >= Fraction(1, 12)), orders),
        st.tuples(st.just("cancel"), st.integers(0, 20)),
        st.tuples(st.just("scale"), scales),
    ),
    max_size=40,
)


class Model:
    """A slow model: a list of (start, seconds, order, repeats, calls) that each tick searches in
    full."""

    def __init__(self) -> None:
        self.time = Fraction()
        self.scale = Fraction(1)
        self.tasks: list[list[Any]] = []

    def tick(self, length: Fraction) -> list[tuple[int, Fraction]]:
        if not length * self.scale:
            return []
        self.time += length * self.scale
        calls = []
        for number, task in enumerate(self.tasks):
            start, gap, order, repeats, done = task
            while task is not None and (done == 0 or repeats):
                due = start + gap * (done + 1)
                if due > self.time:
                    break
                done += 1
                calls.append((order == LAST, due, order, number))
            task[4] = done
        return [(number, due) for _, due, _, number in sorted(calls)]


@given(steps)
@settings(max_examples=100, deadline=None)
def test_every_call_has_the_tick_and_the_order_of_the_exact_model(
    steps: list[tuple[Any, ...]],
) -> None:
    schedule = Schedule()
    model = Model()
    log = Log()
    tasks: list[Task] = []
    for kind, *values in steps:
        if kind == "tick":
            log.clear()
            expected = model.tick(*values)
            schedule.advance(*values)
            assert log == [number for number, _ in expected]
            assert schedule.time == float(model.time)
        elif kind == "scale":
            schedule.time_scale = model.scale = values[0]
        elif kind == "cancel":
            for task in tasks[values[0] : values[0] + 1]:
                task.cancel()
                model.tasks[values[0]][3:] = [False, 1]
        else:
            gap, order = values
            ask = schedule.once if kind == "once" else schedule.interval
            tasks.append(ask(log.note(len(tasks)), gap, order=order))
            model.tasks.append([model.time, gap, order, kind == "every", 0])


@given(st.integers(1, 2000), st.integers(1, 2000), st.integers(1, 300))
@settings(deadline=None)
def test_whole_rates_as_floats_are_exact_at_whole_tick_rates(
    rate: int, tick_rate: int, count: int
) -> None:
    schedule = Schedule()
    log = Log()
    schedule.interval(log.append, 1 / rate)
    ticks(schedule, min(count, tick_rate), 1 / tick_rate)
    assert len(log) == min(count, tick_rate) * rate // tick_rate


# -- the tests of motor-loop -----------------------------------------------------------------------
#
# One test for each test of jacklehamster's motor-loop (src/motor/*.test.ts), on a loop like its own:
# rounded, 60 a second, a frame of 100 ms, six ticks. We differ on purpose: here the first call of
# an interval comes after one interval, there at the first tick of the loop. Here a callback receives
# only dt, there a record with data, the time and a handle to stop. Here a closure or
# `functools.partial` holds the data and the `Task`. The last tick of a frame (`renderFrame` there)
# has the flag `Tick.last` here.


class Motor:
    """A schedule on a loop like the original's. `frame(ms)` is one of its animation frames."""

    def __init__(self) -> None:
        self.loop = RoundedTimestep(60)
        self.schedule = Schedule()
        self.tick: Any = None
        self.loop.advance(0)

    def frame(self, ms: int) -> None:
        for tick in self.loop.advance(ms * 1_000_000):
            self.tick = tick
            self.schedule.advance(SIXTIETH)


def test_motor_a_looping_task_is_called_in_each_tick_with_its_data_and_dt() -> None:
    motor = Motor()
    calls = []

    def refresh(data: str, dt: float) -> None:
        calls.append((data, dt, motor.tick.number, motor.tick.last))

    motor.schedule.interval(partial(refresh, "testData"), 1 / 60)
    motor.frame(100)
    assert calls == [("testData", 1 / 60, number, number == 6) for number in range(1, 7)]


def test_motor_a_looping_task_needs_no_data() -> None:
    motor = Motor()
    calls = []
    motor.schedule.interval(calls.append, 1 / 60)
    motor.frame(100)
    assert calls == [1 / 60] * 6


def test_motor_a_task_cancelled_before_the_loop_begins_is_never_called() -> None:
    motor = Motor()
    calls = []
    task = motor.schedule.interval(calls.append, 1 / 60)
    task.cancel()
    motor.frame(100)
    assert calls == []
    assert task.cancelled


def test_motor_a_task_that_cancels_itself_was_called_once_in_two_frames() -> None:
    motor = Motor()
    calls = []

    def refresh(dt: float) -> None:
        calls.append(dt)
        task.cancel()

    task = motor.schedule.interval(refresh, 1 / 60)
    motor.frame(100)
    motor.frame(200)
    assert calls == [1 / 60]


class Slot:
    """Room for one task, as the original's ControlledMotor is: here two lines of a game's own, by
    `Task`.

    With ``incoming`` the newer task ends the active one; without, the active one keeps the newer
    one out. There, an active cycle keeps the others out for ever, also after it ended; here, until
    its `Task.due` is None.
    """

    def __init__(self, schedule: Schedule, incoming: bool) -> None:
        self.schedule = schedule
        self.incoming = incoming
        self.active: Task | None = None

    def put(self, callback: Callable[[float], object]) -> None:
        if self.active is not None and self.active.due is not None:
            if not self.incoming:
                return
            self.active.cancel()
        self.active = self.schedule.interval(callback, 1 / 60)


@pytest.mark.parametrize("incoming", [True, False])
def test_controlled_motor_a_task_added_twice_is_called_once_per_tick(incoming: bool) -> None:
    motor = Motor()
    calls = []
    slot = Slot(motor.schedule, incoming)
    slot.put(calls.append)
    slot.put(calls.append)
    motor.frame(100)
    assert calls == [1 / 60] * 6


@pytest.mark.parametrize("incoming", [True, False])
def test_controlled_motor_calls_only_the_newer_or_only_the_active_task(
    incoming: bool,
) -> None:
    motor = Motor()
    calls = Log()
    slot = Slot(motor.schedule, incoming)
    slot.put(calls.note("active"))
    slot.put(calls.note("active"))
    slot.put(calls.note("newer"))
    motor.frame(100)
    assert calls == (["newer"] if incoming else ["active"]) * 6


class Looper(fw.Scene):
    """The original's Looper as a scene: its tasks run from push to pop."""

    def __init__(self, starts: bool) -> None:
        super().__init__()
        self.starts = starts
        self.calls: list[float] = []

    def on_enter(self) -> None:
        if self.starts:
            self.task = self.schedule.interval(self.calls.append, 1 / 60)


@pytest.mark.parametrize("starts", [True, False])
def test_looper_a_scene_that_starts_itself_is_called_from_its_entry(
    make: Any, starts: bool
) -> None:
    game = make(fw.Game)
    looper = Looper(starts)
    game.push(looper)
    game.run(4)
    assert looper.calls == ([1 / 60] * 4 if starts else [])


def test_looper_a_removed_scene_is_no_longer_called() -> None:
    with fw.Game(headless=True, size=(64, 64)) as game:
        looper = Looper(True)
        game.push(looper)
        game.run(2)
        game.pop()
        assert looper.task.cancelled
        game.run(3)
        assert looper.calls == [1 / 60] * 2


def test_looper_its_callback_can_be_called_by_hand() -> None:
    calls: list[float] = []
    schedule = Schedule()
    refresh = calls.append
    schedule.interval(refresh, 1 / 60)
    refresh(0.5)
    ticks(schedule, 1)
    assert calls == [0.5, 1 / 60]  # the call by hand did not change the task's time


def test_motor_endless_scheduling_is_stopped_after_100_rounds() -> None:
    """The original's limit, which its tests never reach, is also 100 rounds of one tick."""
    motor = Motor()
    calls = []

    def again(dt: float) -> None:
        calls.append(dt)
        motor.schedule.once(again, 0)

    again(0)
    calls.clear()
    with pytest.raises(FrameworkError, match=r"again was scheduled .*100 rounds"):
        motor.frame(100)
    assert len(calls) == 100
    after: list[float] = []  # and the schedule continues
    motor.schedule.once(after.append, 0)
    motor.frame(200)
    assert after == [0]


def test_cancelled_tasks_are_removed_once_more_than_32_and_more_than_half_are_cancelled() -> None:
    schedule = Schedule()
    heap = schedule._waiting.queue
    early = [schedule.once(lambda dt: None, 1) for _ in range(20)]
    late = [schedule.once(lambda dt: None, 60) for _ in range(66)]
    for task in early:
        task.cancel()
    schedule.advance(2)  # their time has passed: no cancelled task is left to remove
    assert len(heap) == 66
    for task in late[:33]:
        task.cancel()
    assert len(heap) == 66  # half of the tasks
    late[33].cancel()
    assert len(heap) == 32
    for task in late[34:65]:
        task.cancel()
    assert len(heap) == 32  # 31 tasks are too few for a removal


def test_times_add_up_exactly_for_any_steps() -> None:
    chance = np.random.default_rng(3)
    schedule = Schedule()
    total = Fraction()
    group = schedule.group(0.25)
    slow = Fraction()
    for _ in range(200):
        step = [1 / 60, Fraction(1, 7), 0.0, 0.1, 1 / 59.94, 1e-9][int(chance.integers(6))]
        scale = [1.0, 0.3, 0.0, Fraction(22, 7)][int(chance.integers(4))]
        schedule.time_scale = scale
        schedule.advance(step)
        total += schedule.step
        slow += group.step
        assert group.step == schedule.step / 4
        assert exact_time_of(schedule) == total
        assert schedule.time == float(total)
        assert (exact_time_of(group), group.time) == (slow, float(slow))


def test_an_interval_is_at_least_a_microsecond() -> None:
    schedule = Schedule()
    schedule.interval(print, 1e-6)
    with pytest.raises(
        ValueError, match=r"interval: expected at least 0.000001 seconds, got 9e-07"
    ):
        schedule.interval(print, 9e-7)


def test_a_float_is_read_as_a_short_decimal_or_a_simple_quotient() -> None:
    assert exact(1 / 59.94) == Fraction(50, 2997)
    assert exact(math.pi) == Fraction(str(math.pi))


@pytest.mark.parametrize("steps", [-3, -2, -1, 1, 2, 3])
def test_a_float_within_two_steps_of_a_simple_fraction_means_the_fraction(steps: int) -> None:
    number = 1 / 90 + steps * math.ulp(1 / 90)
    assert (exact(number) == Fraction(1, 90)) == (abs(steps) <= 2)
