"""Routines: waits for ticks, seconds, events and tweens, their order, groups and errors."""

from __future__ import annotations

import asyncio
import functools
import gc
import math
import re
import sys
import weakref
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import framework as fw

DOT = np.full((2, 2, 4), 255, np.uint8)
Script = Callable[[Any], Coroutine[Any, Any, Any]]


class Stage(fw.Game):
    """A game that runs scripts, and stores their messages with the tick."""

    def __init__(self, *scripts: Script, **options: Any) -> None:
        self.scripts = scripts
        self.messages: list[Any] = []
        super().__init__(drawing=False, **options)

    def setup(self) -> None:
        self.tasks_begun = [self.start(script(self)) for script in self.scripts]

    def say(self, message: Any) -> None:
        self.messages.append((self.tick, message))

    @contextmanager
    def logged_block(self, name: str) -> Iterator[None]:
        self.say(f"into {name}")
        try:
            yield
        finally:
            self.say(f"out of {name}")


def play(*scripts: Script, ticks: int = 60, **options: Any) -> list[Any]:
    with Stage(*scripts, **options) as game:
        game.run_ticks(ticks)
        return game.messages


# -- waits -----------------------------------------------------------------------------------------


def test_a_routine_waits_for_seconds_ticks_and_conditions() -> None:
    async def intro(game: Stage) -> None:
        game.say("begin")
        await game.seconds(0.5)
        game.say("half")
        await game.ticks(3)
        game.say("three")
        await game.ticks()
        assert await game.until(lambda: game.tick >= 40 and "late") == "late"
        game.say("until")
        await game.seconds(0)
        game.say("next")

    assert play(intro) == [(1, "begin"), (30, "half"), (33, "three"), (40, "until"), (41, "next")]


@given(st.integers(1, 200), st.sampled_from([7, 60, 144]))
def test_waits_add_up_exactly(rate: int, tick_rate: int) -> None:
    """A routine that waits 1 / n seconds continues exactly n times per second, also several times
    in one tick."""

    async def beat(game: Stage) -> None:
        while True:
            await game.seconds(1 / rate)
            game.beats += 1

    with Stage(beat, tick_rate=tick_rate) as game:
        game.beats = 0
        for second in (1, 2):
            game.run_ticks(tick_rate)
            assert game.beats == second * rate


def test_routines_of_a_tick_continue_in_the_order_of_their_times() -> None:
    def sleeper(name: str, *waits: float) -> Script:
        async def sleep(game: Stage) -> None:
            for wait in waits:
                await game.seconds(wait)
            game.say(name)

        return sleep

    messages = play(
        sleeper("c", 0.019),
        sleeper("a", 0.02, 0.05),
        sleeper("b", 0.04, 0.03),
        sleeper("d", 0.018),
        ticks=6,
    )
    assert messages == [(2, "d"), (2, "c"), (5, "a"), (5, "b")]


def test_routines_run_after_tasks_and_tweens_and_before_update() -> None:
    class Ordered(Stage):
        def update(self, dt: float) -> None:
            if self.tick == 6:
                self.say("update")

    async def wait(game: Stage) -> None:
        game.say(await game.until(lambda: game.tick == 6 and ("routine", game.value)))

    with Ordered(wait) as game:
        game.value = 0.0
        game.tween(game, value=1.0, duration=0.1)
        game.schedule.once(lambda dt: game.say("task"), 0.1)
        game.run_ticks(6)
    assert game.messages == [(6, "task"), (6, ("routine", 1.0)), (6, "update")]


def test_routines_are_the_same_at_any_frame_rate_and_time_scale() -> None:
    async def wander(game: Stage) -> None:
        while True:
            await game.seconds(float(game.random.exponential(0.05)))
            game.say(game.random.random())

    def messages(frame_rate: int, time_scale: float = 1.0) -> list[Any]:
        with Stage(wander, wander, seed=3) as game:
            game.timestep.time_scale = time_scale
            while game.tick < 30:
                game.advance(1 / frame_rate)
            return game.messages

    assert messages(30) == messages(240) == messages(60, 0.25)


def test_a_group_has_its_own_time_scale() -> None:
    async def wait(game: Stage) -> None:
        await game.seconds(0.5)
        game.say("over")
        await game.ticks(2)
        game.say("two")

    with Stage() as game:
        slow = game.schedule.group(0.5)
        task = game.start(wait(game), group=slow)
        game.run_ticks(60)
        slow.time_scale = 0
        game.run_ticks(10)
        slow.time_scale = 1
        game.run_ticks(2)
        assert game.messages == [(60, "over"), (72, "two")]
        assert task.over
        cancelled_task = game.start(wait(game), group=slow)
        slow.cancel()
        game.run_ticks(1)
        assert cancelled_task.cancelled


def test_routines_pause_and_end_with_their_scene() -> None:
    class Level(fw.Scene):
        def setup(self) -> None:
            self.start(self.run())

        async def run(self) -> None:
            try:
                with self.labels.add("Ready?"):
                    await self.seconds(0.1)
                    self.game.say("a tenth")
                    await self.seconds(9)
            finally:
                self.game.say(f"over, {len(self.labels)} labels")

    with Stage() as game:
        level = Level()
        game.push(level)
        game.run_ticks(3)
        game.push(fw.Scene())
        game.run_ticks(20)
        game.pop()
        game.run_ticks(5)
        game.pop()
        assert game.messages == [(26, "a tenth"), (28, "over, 0 labels")]
        with pytest.raises(fw.FrameworkError, match="is not on in a game"):
            _ = level.keys


# -- tweens, input and other routines --------------------------------------------------------------


def test_an_awaited_tween_has_ended_and_the_next_starts_exactly_then() -> None:
    async def move(game: Stage) -> None:
        await game.tween(game, place=1.0, duration=Fraction(9, 7) / 60)
        game.say(game.place)
        await game.tween(game, place=2.0, duration=Fraction(19, 7) / 60)
        game.say(game.place)
        cut = game.tween(game, place=9.0, duration=9)
        game.schedule.once(lambda dt: cut.cancel(), 0.05)
        await cut
        await cut
        game.say("cut")

    with Stage(move) as game:
        game.place = 0.0
        for expected in (7 / 9, 1 + 5 / 19, 1 + 12 / 19, 2):
            game.run_ticks()
            assert game.place == pytest.approx(expected)
        game.run_ticks(9)
        assert game.messages == [(2, 1.0), (4, 2.0), (7, "cut")]


def test_a_routine_waits_for_presses_and_events() -> None:
    async def listen(game: Stage) -> None:
        game.say(await game.next("space"))
        game.say(await game.next("mouse:left"))
        game.say(await game.next("on_mouse_press"))
        with pytest.raises(ValueError, match="spaec"):
            await game.next("spaec")
        with pytest.raises(
            ValueError,
            match=r"expected an event, got .*on_mouse_pres.*; the nearest are on_mouse_press, ",
        ):
            await game.next("on_mouse_pres")

    with Stage(listen) as game:
        game.run_ticks(2)
        game.testing.press("space")
        game.run_ticks(2)
        game.testing.click(3, 4)
        game.run_ticks(1)
        game.testing.click(5, 6)
        game.run_ticks(2)
        assert game.messages == [(3, 1), (5, 1), (6, (5.0, 6.0, 1, 0))]


@pytest.mark.parametrize("second_wait", ["space", "on_key_press", None])
def test_one_press_ends_only_one_wait(second_wait: str | None) -> None:
    async def listen(game: Stage) -> None:
        await game.next("on_key_press")
        game.say(await (game.next_input() if second_wait is None else game.next(second_wait)))

    with Stage(listen) as game:
        for _ in range(2):
            assert game.messages == []
            game.run_ticks(2)
            game.testing.press("space")
            game.run_ticks(2)
            game.testing.release("space")
        assert len(game.messages) == 1


def test_await_returns_the_result_of_a_routine() -> None:
    async def think(game: Stage) -> int:
        await game.ticks(2)
        return 42

    async def ask(game: Stage) -> None:
        task = game.start(think(game))
        game.say(await task)
        game.say(await task)

    assert play(ask, ticks=9) == [(3, 42), (3, 42)]


# -- groups ----------------------------------------------------------------------------------------


def test_a_group_ends_when_all_its_routines_have_ended() -> None:
    async def enemy(game: Stage, ticks: int) -> None:
        with game.logged_block(str(ticks)):
            await game.ticks(ticks)

    async def level(game: Stage) -> None:
        async with game.tasks() as tasks:
            for ticks in (2, 1):
                tasks.start(enemy(game, ticks))
            assert len(tasks) == 2
            game.say("body over")
        game.say("level over")
        async with game.tasks():
            pass

    messages = play(level)
    assert messages[:3] == [(1, "body over"), (1, "into 2"), (1, "into 1")]
    assert messages[3:] == [(2, "out of 1"), (3, "out of 2"), (3, "level over")]


def test_cancel_ends_routines_in_reverse_order() -> None:
    async def enemy(game: Stage, name: str) -> None:
        with game.logged_block(name):
            await game.seconds(99)

    async def level(game: Stage) -> None:
        async with game.tasks() as tasks:
            for name in "abc":
                tasks.start(enemy(game, name))
            await game.ticks(2)
            tasks.cancel()
            game.say("cancelled")
        game.say("over")

    messages = [message for tick, message in play(level) if tick == 3]
    assert messages == ["out of c", "out of b", "out of a", "cancelled", "over"]


def test_an_error_in_a_group_ends_its_routines_and_its_block() -> None:
    async def fails(game: Stage) -> None:
        await game.ticks(2)
        raise KeyError("lost")

    async def stays(game: Stage) -> None:
        with game.logged_block("stays"):
            await game.seconds(99)

    async def level(game: Stage) -> None:
        try:
            async with game.tasks() as tasks:
                tasks.start(stays(game))
                tasks.start(fails(game))
                await game.tween(game, place=1.0, duration=9)
        except KeyError:
            game.say("caught")
        await game.seconds(0.05)  # the tween of the failed block does not continue this routine
        game.say("on")

    with Stage(level) as game:
        game.place = 0.0
        game.run_ticks(30)
        assert game.messages == [(1, "into stays"), (3, "out of stays"), (3, "caught"), (6, "on")]


def test_a_routine_that_cancels_itself_ends_at_its_next_wait() -> None:
    async def ends(game: Stage) -> None:
        with game.logged_block("it"):
            game.tasks_begun[0].cancel()
            game.say("still here")
            await game.ticks(1)
            game.say("never")

    assert play(ends) == [(1, "into it"), (1, "still here"), (1, "out of it")]


def test_cancelled_routines_are_released() -> None:
    async def sleep(game: Stage, seconds: float) -> None:
        await game.seconds(seconds)

    with Stage() as game:
        tasks = [game.start(sleep(game, 1 + number / 100)) for number in range(2_000)]
        coroutines = [weakref.ref(task._coroutine) for task in tasks]  # type: ignore[arg-type]
        shells = [weakref.ref(sleep)]
        game.run_ticks(2)
        for task in tasks:
            task.cancel()
        del task, tasks
        gc.collect()
        assert not any(ref() for ref in coroutines)
        assert sum(isinstance(value, fw.Routine) for value in gc.get_objects()) < 100
        assert shells[0]() is sleep
        game.snapshot()


def test_the_wait_of_a_failed_block_does_not_continue_it_later() -> None:
    async def fails(game: Stage) -> None:
        await game.ticks(2)
        raise KeyError

    def level(wait: Callable[[Stage], Any]) -> Script:
        async def play(game: Stage) -> None:
            try:
                async with game.tasks() as tasks:
                    tasks.start(fails(game))
                    await wait(game)
            except KeyError:
                await game.ticks(10)
            game.say("over")

        return play

    async def forty_two(game: Stage) -> None:
        await game.until(lambda: game.tick == 5)

    waits: list[Callable[[Stage], Any]] = [
        *(
            lambda game: game.next("on_key_press"),
            lambda game: game.next("space"),
            lambda game: game.seconds(0.1),
        ),
        *(lambda game: game.ticks(5), lambda game: game.tween(game, place=1, duration=0.1)),
        lambda game: game.start(forty_two(game)),
    ]
    with Stage(*map(level, waits)) as game:
        game.place = 0
        game.run_ticks(4)
        game.testing.press("space")
        game.run_ticks(12)
        assert game.messages == [(13, "over")] * len(waits)


def test_a_scene_that_is_pushed_again_starts_again() -> None:
    class Level(fw.Scene):
        def setup(self) -> None:
            self.place = 0.0
            self.start(self.run())
            self.tween(self, place=1, duration=1)

        async def run(self) -> None:
            try:
                await self.seconds(0.1)
                self.game.say("run")
            finally:
                if self.game.tick < 3:
                    self.start(self.run())

    with Stage() as game:
        level = Level()
        game.push(level)
        game.run_ticks(1)
        with pytest.raises(
            fw.FrameworkError, match=r"start: .*run cannot start: the scene was removed"
        ):
            game.pop()  # a routine that starts in the end of the scene is refused
        game.push(level)
        game.run_ticks(6)
        assert game.messages == [(7, "run")]


# -- errors ----------------------------------------------------------------------------------------


def test_an_error_names_its_task_and_other_routines_continue() -> None:
    async def fails(game: Stage) -> None:
        await game.seconds(0.05)
        raise KeyError("lost")

    async def goes_on(game: Stage) -> None:
        await game.seconds(0.05)
        game.say("on")

    with Stage(goes_on, fails, goes_on) as game:
        game.run_ticks(2)
        with pytest.raises(KeyError, match="lost") as caught:
            game.run_ticks(1)
        note = caught.value.__notes__[0]
        assert "in the task" in note
        assert "fails" in note
        assert "test_routines.py" in note
        game.run_ticks(1)
        assert game.messages == [(3, "on"), (4, "on")]


@pytest.mark.parametrize("waits", [0, 1])
def test_the_error_for_asyncio_sleep_names_the_replacement(waits: float) -> None:
    async def sleeps(game: Stage) -> None:
        await asyncio.sleep(waits)

    with (
        Stage(sleeps) as game,
        pytest.raises(fw.FrameworkError, match=r"sleeps: .*write await self.seconds\(t\)"),
    ):
        game.run_ticks(1)


def test_the_error_for_other_asyncio_calls_names_the_replacement() -> None:
    async def waits(game: Stage) -> None:
        await asyncio.Event().wait()

    with (
        Stage(waits) as game,
        pytest.raises(fw.FrameworkError, match=r"waits: .*write await self.seconds\(t\)"),
    ):
        game.run_ticks(1)


def test_a_coroutine_that_has_begun_is_not_started_again() -> None:
    async def waits(game: Stage) -> None:
        await game.ticks(3)

    with Stage() as game:
        coroutine = waits(game)
        routine = game.start(coroutine)
        game.run_ticks(1)
        with pytest.raises(
            fw.FrameworkError, match=r"start: .*waits was started already; call its function again"
        ):
            game.start(coroutine)
        game.run_ticks(1)
        assert not routine.over
        game.run_ticks(4)
        assert routine.over
        with pytest.raises(fw.FrameworkError, match="was started already"):
            game.start(coroutine)


def test_a_coroutine_is_not_started_twice_before_it_begins() -> None:
    async def waits(game: Stage) -> None:
        await game.ticks(3)

    with Stage() as game:
        slow = game.schedule.group(0)
        not_begun = waits(game)
        coroutine = waits(game)
        game.start(coroutine)
        game.start(not_begun, group=slow)
        for started in (coroutine, not_begun):
            with pytest.raises(
                fw.FrameworkError,
                match=r"start: .*waits was started already; call its function again",
            ):
                game.start(started)
        game.run_ticks(5)
        with pytest.raises(fw.FrameworkError, match="was started already"):
            game.start(not_begun)  # a group without time has not begun the routine


def test_the_error_for_other_objects_says_what_to_write() -> None:
    async def intro() -> None: ...

    with Stage() as game:
        with pytest.raises(TypeError, match=r"got the function intro; call it: intro\(…\)"):
            game.start(intro)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="a call of an async def function"):
            game.start(None)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="group: expected a Schedule"):
            game.start(None, group=3)  # type: ignore[arg-type]
        with pytest.raises(fw.FrameworkError, match="is not open; write async with"):
            game.tasks().start(intro())


def test_a_wait_during_a_cancel_is_an_error() -> None:
    async def lingers(game: Stage) -> None:
        try:
            await game.seconds(9)
        finally:
            await game.seconds(1)

    with Stage(lingers) as game:
        game.run_ticks(1)
        with pytest.raises(
            fw.FrameworkError, match=r"lingers: the routine waits while it is cancelled"
        ):
            game.tasks_begun[0].cancel()


def test_a_partial_call_of_a_routine_is_not_a_coroutine() -> None:
    async def intro(game: Stage, seconds: float) -> None:
        await game.seconds(seconds)

    with (
        Stage() as game,
        pytest.raises(TypeError, match=r"^coroutine: expected a coroutine, got .*partial"),
    ):
        game.start(functools.partial(intro, game, 1))


@pytest.mark.parametrize(
    ("wait", "words"),
    [
        (lambda game: game.seconds(-1), "seconds: expected a finite number of at least 0"),
        (lambda game: game.seconds(math.nan), "seconds: expected a finite number"),
        (lambda game: game.ticks(0), "ticks: expected a whole number"),
        (lambda game: game.until(3), "condition: expected a function"),
    ],
)
def test_a_bad_wait_raises_its_error_in_the_routine(wait: Callable[[Any], Any], words: str) -> None:
    async def waits(game: Stage) -> None:
        with pytest.raises((TypeError, ValueError), match=words):
            await wait(game)
        game.say("went on")

    assert play(waits, ticks=1) == [(1, "went on")]


def test_endless_starts_are_an_error() -> None:
    async def again(game: Stage) -> None:
        game.start(again(game))

    with (
        Stage(again) as game,
        pytest.raises(fw.FrameworkError, match="again: routines started each other 100 times"),
    ):
        game.run_ticks(1)


# -- state -----------------------------------------------------------------------------------------


def test_a_hash_contains_the_wait_of_a_routine() -> None:
    async def intro(game: Stage) -> None:
        await game.seconds(0.1)

    async def other(game: Stage) -> None:
        await game.seconds(0.2)

    with Stage(intro) as game, Stage(intro) as same_game, Stage(other) as other_game:
        for tested in (game, same_game, other_game):
            tested.scripts = ()
            tested.run_ticks(1)
        assert game.state_hash() == same_game.state_hash() != other_game.state_hash()


def test_sprites_are_removed_at_the_end_of_their_block() -> None:
    async def flash(game: Stage) -> None:
        with game.sprites.add(DOT) as spark:
            await game.ticks(2)
            spark.remove()  # before the end of the block, which is no error
        with game.sprites.add(DOT):
            await game.ticks(2)

    with Stage(flash) as game:
        game.run_ticks(4)
        assert len(game.sprites) == 1
        game.run_ticks(1)
        assert len(game.sprites) == 0


# -- errors in blocks and conditions ---------------------------------------------------------------


def test_a_block_ends_all_routines_if_the_end_of_a_routine_fails() -> None:
    async def waits(game: Stage) -> None:
        try:
            await game.ticks(100)
        finally:
            game.say("ended")

    async def fails(game: Stage) -> None:
        try:
            await game.ticks(100)
        finally:
            raise ValueError("at its end")

    async def level(game: Stage) -> None:
        try:
            async with game.tasks() as tasks:
                tasks.start(waits(game))
                tasks.start(fails(game))
                await game.ticks(2)
                raise KeyError("in the block")
        except ValueError as error:
            game.say(str(error))
        game.say(len(tasks))

    assert play(level, ticks=5) == [(3, "ended"), (3, "at its end"), (3, 0)]


def test_an_error_in_a_condition_is_raised_in_the_routine() -> None:
    async def careful(game: Stage) -> None:
        try:
            await game.until(lambda: 1 / 0)
        except ZeroDivisionError:
            game.say("caught")
        await game.ticks(2)
        game.say("goes on")

    async def other(game: Stage) -> None:
        await game.until(lambda: game.tick == 3)
        game.say("other")

    assert play(careful, other, ticks=6) == [(1, "caught"), (3, "goes on"), (3, "other")]


def test_an_uncaught_error_in_a_condition_ends_the_routine() -> None:
    async def careless(game: Stage) -> None:
        await game.until(lambda: 1 / 0)

    async def other(game: Stage) -> None:
        await game.until(lambda: game.tick >= 2)
        game.say("other")

    async def third(game: Stage) -> None:
        await game.until(lambda: game.tick >= 2)
        game.say("third")

    with Stage(careless, other, third) as game:
        with pytest.raises(ZeroDivisionError) as caught:
            game.run_ticks(3)
        assert "careless, which was started at" in caught.value.__notes__[0]
        assert game.tasks_begun[0].over
        game.run_ticks(2)
        assert [message for _, message in game.messages] == ["other", "third"]


def test_a_routine_that_awaits_itself_is_an_error() -> None:
    async def itself(game: Stage) -> None:
        await game.tasks_begun[0]

    with Stage(itself) as game:
        with pytest.raises(fw.FrameworkError, match="awaits itself"):
            game.run_ticks(1)
        assert game.tasks_begun[0].over


@pytest.mark.parametrize("name", ["seconds", "ticks"])
def test_python_warns_of_a_forgotten_await(name: str) -> None:
    async def forgetful(game: Stage) -> None:
        getattr(game, name)(1)
        await game.ticks(1)

    with pytest.warns(RuntimeWarning, match=f"{name}' was never awaited") as warned:
        assert play(forgetful, ticks=3) == []
    assert warned[0].filename == __file__


def test_cancelled_waits_for_events_are_released() -> None:
    async def waits(game: Stage) -> None:
        await game.next("on_mouse_press")

    with Stage() as game:
        for _ in range(200):
            routine = game.start(waits(game))
            game.run_ticks(1)
            routine.cancel()
        assert sum(map(len, routine._runner.routines.listening())) < 64


def test_cancelled_waits_for_endless_tasks_are_released() -> None:
    async def for_ever(game: Stage) -> None:
        while True:
            await game.ticks(1)

    async def waits(awaited: Any) -> None:
        await awaited

    with Stage(for_ever) as game:
        game.age = 0.0
        for awaited in (
            game.tasks_begun[0],
            game.tween(game, age=1.0, duration=1, repeat=math.inf),
        ):
            for _ in range(200):
                routine = game.start(waits(awaited))
                game.run_ticks(1)
                routine.cancel()
            gc.collect()
            assert sum(isinstance(value, fw.Routine) for value in gc.get_objects()) < 64


END = "; none of them would ever end"


def short(words: str) -> str:
    return re.sub(r"[\w.<>]+<locals>\.", "", words)


def test_routines_that_await_each_other_are_an_error() -> None:
    async def first(game: Stage) -> None:
        await game.tasks_begun[1]

    async def second(game: Stage) -> None:
        await game.ticks(1)
        await game.tasks_begun[2]

    async def third(game: Stage) -> None:
        await game.ticks(2)
        try:
            await game.tasks_begun[0]
        except fw.FrameworkError as error:
            game.say(str(error))

    ((tick, words),) = play(first, second, third, ticks=9)
    assert (tick, short(words)) == (
        3,
        "third: the routine awaits first, which awaits second, which awaits third" + END,
    )


def test_a_block_and_its_routine_that_await_each_other_are_an_error() -> None:
    async def member(game: Stage, ticks: int) -> None:
        await game.ticks(ticks)
        await game.tasks_begun[0]

    def level(ticks: int) -> Script:
        async def level(game: Stage) -> None:
            try:
                async with game.tasks() as tasks:
                    tasks.start(member(game, ticks))
                    await game.ticks(2)
            except fw.FrameworkError as error:
                game.say(str(error))

        return level

    (early,) = play(level(1), ticks=9)
    (late,) = play(level(4), ticks=9)
    assert (early[0], short(early[1])) == (
        3,
        "level: the routine awaits member, which awaits level" + END,
    )
    assert (late[0], short(late[1])) == (
        5,
        "member: the routine awaits level, which awaits member" + END,
    )


def test_waiting_routines_take_few_calls_per_tick() -> None:
    async def sleeps(game: fw.Game, seconds: float) -> None:
        await game.seconds(1000 + seconds)

    def calls(sleepers: int) -> int:
        with fw.Game(drawing=False) as game:
            for number in range(sleepers):
                game.start(sleeps(game, number / 8))
            game.run_ticks(3)
            count = 0

            def profile(frame: Any, event: str, argument: Any) -> None:
                nonlocal count
                count += event == "call"

            before = sys.getprofile()
            sys.setprofile(profile)
            try:
                game.run_ticks(1)
            finally:
                sys.setprofile(before)
        return count

    assert calls(1) == calls(50) <= calls(0) + 10
