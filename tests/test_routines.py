"""Routines: coroutines in the time of ticks. When they are resumed, in which order, how they end
and how they fail.
"""

from __future__ import annotations

import asyncio
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
    """Plays scripts, and writes down what they say and in which tick."""

    def __init__(self, *scripts: Script, **options: Any) -> None:
        self.scripts = scripts
        self.said: list[Any] = []
        super().__init__(drawing=False, **options)

    def setup(self) -> None:
        self.tasks_begun = [self.start(script(self)) for script in self.scripts]

    def say(self, what: Any) -> None:
        self.said.append((self.tick, what))

    @contextmanager
    def room(self, name: str) -> Iterator[None]:
        self.say(f"into {name}")
        try:
            yield
        finally:
            self.say(f"out of {name}")


def play(*scripts: Script, ticks: int = 60, **options: Any) -> list[Any]:
    with Stage(*scripts, **options) as game:
        game.run_ticks(ticks)
        return game.said


# -- when ------------------------------------------------------------------------------------------


def test_seconds_and_ticks_and_conditions() -> None:
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
    """At n a second, n are over after each second: none is lost to the ticks, also where there are
    several in one.
    """

    async def beat(game: Stage) -> None:
        while True:
            await game.seconds(1 / rate)
            game.beats += 1

    with Stage(beat, tick_rate=tick_rate) as game:
        game.beats = 0
        for second in (1, 2):
            game.run_ticks(tick_rate)
            assert game.beats == second * rate


def test_at_a_moment_they_come_as_they_began_to_wait_and_moments_in_order() -> None:
    def sleeper(name: str, *waits: float) -> Script:
        async def sleep(game: Stage) -> None:
            for wait in waits:
                await game.seconds(wait)
            game.say(name)

        return sleep

    said = play(
        sleeper("c", 0.019),
        sleeper("a", 0.02, 0.05),
        sleeper("b", 0.04, 0.03),
        sleeper("d", 0.018),
        ticks=6,
    )
    assert said == [(2, "d"), (2, "c"), (5, "a"), (5, "b")]


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
    assert game.said == [(6, "task"), (6, ("routine", 1.0)), (6, "update")]


def test_the_same_at_any_frame_rate_and_time_scale() -> None:
    async def wander(game: Stage) -> None:
        while True:
            await game.seconds(float(game.random.exponential(0.05)))
            game.say(game.random.random())

    def said(frame_rate: int, time_scale: float = 1.0) -> list[Any]:
        with Stage(wander, wander, seed=3) as game:
            game.timestep.time_scale = time_scale
            while game.tick < 30:
                game.advance(1 / frame_rate)
            return game.said

    assert said(30) == said(240) == said(60, 0.25)


def test_a_group_has_its_own_pace() -> None:
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
        assert game.said == [(60, "over"), (72, "two")]
        assert task.over
        held = game.start(wait(game), group=slow)
        slow.cancel()
        game.run_ticks(1)
        assert held.cancelled


def test_a_paused_scene_stands_still_and_its_routines_end_with_it() -> None:
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
        assert game.said == [(26, "a tenth"), (28, "over, 0 labels")]
        with pytest.raises(fw.FrameworkError, match="is not on in a game"):
            _ = level.keys


# -- what they wait for ----------------------------------------------------------------------------


def test_a_tween_that_was_awaited_is_at_its_end_and_the_next_goes_on_from_that_moment() -> None:
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
        for place in (7 / 9, 1 + 5 / 19, 1 + 12 / 19, 2):
            game.run_ticks()
            assert game.place == pytest.approx(place)
        game.run_ticks(9)
        assert game.said == [(2, 1.0), (4, 2.0), (7, "cut")]


def test_presses_and_events() -> None:
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
        assert game.said == [(3, 1), (5, 1), (6, (5.0, 6.0, 1, 0))]


@pytest.mark.parametrize("then", ["space", "on_key_press", None])
def test_one_press_is_not_found_by_two_waits(then: str | None) -> None:
    async def listen(game: Stage) -> None:
        await game.next("on_key_press")
        game.say(await (game.next_input() if then is None else game.next(then)))

    with Stage(listen) as game:
        for _ in range(2):
            assert game.said == []
            game.run_ticks(2)
            game.testing.press("space")
            game.run_ticks(2)
            game.testing.release("space")
        assert len(game.said) == 1


def test_a_routine_can_be_awaited_for_what_it_returns() -> None:
    async def think(game: Stage) -> int:
        await game.ticks(2)
        return 42

    async def ask(game: Stage) -> None:
        task = game.start(think(game))
        game.say(await task)
        game.say(await task)

    assert play(ask, ticks=9) == [(3, 42), (3, 42)]


# -- groups ----------------------------------------------------------------------------------------


def test_a_group_ends_when_all_in_it_have_ended() -> None:
    async def enemy(game: Stage, ticks: int) -> None:
        with game.room(str(ticks)):
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

    said = play(level)
    assert said[:3] == [(1, "body over"), (1, "into 2"), (1, "into 1")]
    assert said[3:] == [(2, "out of 1"), (3, "out of 2"), (3, "level over")]


def test_cancelling_undoes_with_blocks_from_the_last_one_back() -> None:
    async def enemy(game: Stage, name: str) -> None:
        with game.room(name):
            await game.seconds(99)

    async def level(game: Stage) -> None:
        async with game.tasks() as tasks:
            for name in "abc":
                tasks.start(enemy(game, name))
            await game.ticks(2)
            tasks.cancel()
            game.say("cancelled")
        game.say("over")

    said = [what for tick, what in play(level) if tick == 3]
    assert said == ["out of c", "out of b", "out of a", "cancelled", "over"]


def test_an_error_in_a_group_ends_the_others_and_leaves_its_block() -> None:
    async def fails(game: Stage) -> None:
        await game.ticks(2)
        raise KeyError("lost")

    async def stays(game: Stage) -> None:
        with game.room("stays"):
            await game.seconds(99)

    async def level(game: Stage) -> None:
        try:
            async with game.tasks() as tasks:
                tasks.start(stays(game))
                tasks.start(fails(game))
                await game.tween(game, place=1.0, duration=9)
        except KeyError:
            game.say("caught")
        await game.seconds(0.05)  # and is not woken by what it waited for before
        game.say("on")

    with Stage(level) as game:
        game.place = 0.0
        game.run_ticks(30)
        assert game.said == [(1, "into stays"), (3, "out of stays"), (3, "caught"), (6, "on")]


def test_one_that_cancels_itself_ends_when_it_waits_next() -> None:
    async def ends(game: Stage) -> None:
        with game.room("it"):
            game.tasks_begun[0].cancel()
            game.say("still here")
            await game.ticks(1)
            game.say("never")

    assert play(ends) == [(1, "into it"), (1, "still here"), (1, "out of it")]


def test_ten_thousand_that_are_cancelled_leave_nothing() -> None:
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
        assert sum(isinstance(thing, fw.Routine) for thing in gc.get_objects()) < 100
        assert shells[0]() is sleep
        game.snapshot()


def test_what_a_failed_block_waited_for_does_not_wake_it_later() -> None:
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
        assert game.said == [(13, "over")] * len(waits)


def test_a_scene_that_is_put_on_again_begins_anew() -> None:
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
            game.pop()  # what begins as it ends is refused
        game.push(level)
        game.run_ticks(6)
        assert game.said == [(7, "run")]


# -- errors ----------------------------------------------------------------------------------------


def test_an_error_says_which_task_it_was_and_the_others_come_in_the_next_tick() -> None:
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
        assert game.said == [(3, "on"), (4, "on")]


@pytest.mark.parametrize("waits", [0, 1])
def test_asyncio_is_told_what_to_write(waits: float) -> None:
    async def sleeps(game: Stage) -> None:
        await asyncio.sleep(waits)

    with (
        Stage(sleeps) as game,
        pytest.raises(fw.FrameworkError, match=r"sleeps: .*write await self.seconds\(t\)"),
    ):
        game.run_ticks(1)


def test_what_asyncio_asks_of_its_loop_is_told_what_to_write() -> None:
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
        standing, coroutine = waits(game), waits(game)
        game.start(coroutine)
        game.start(standing, group=slow)
        for again in (coroutine, standing):
            with pytest.raises(
                fw.FrameworkError,
                match=r"start: .*waits was started already; call its function again",
            ):
                game.start(again)
        game.run_ticks(5)
        with pytest.raises(fw.FrameworkError, match="was started already"):
            game.start(standing)  # which stands still, and so has not begun


def test_what_is_no_coroutine_is_told_what_to_write() -> None:
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


def test_cleaning_up_may_not_wait() -> None:
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


@pytest.mark.parametrize(
    ("wait", "words"),
    [
        (lambda game: game.seconds(-1), "seconds: expected a finite number of at least 0"),
        (lambda game: game.seconds(math.nan), "seconds: expected a finite number"),
        (lambda game: game.ticks(0), "ticks: expected a whole number"),
        (lambda game: game.until(3), "condition: expected a function"),
    ],
)
def test_bad_waits_are_refused_where_they_stand(wait: Callable[[Any], Any], words: str) -> None:
    async def waits(game: Stage) -> None:
        with pytest.raises((TypeError, ValueError), match=words):
            await wait(game)
        game.say("went on")

    assert play(waits, ticks=1) == [(1, "went on")]


def test_what_starts_itself_without_end_is_an_error() -> None:
    async def again(game: Stage) -> None:
        game.start(again(game))

    with (
        Stage(again) as game,
        pytest.raises(fw.FrameworkError, match="again: routines started each other 100 times"),
    ):
        game.run_ticks(1)


# -- state -----------------------------------------------------------------------------------------


def test_a_hash_knows_what_a_routine_waits_for() -> None:
    async def intro(game: Stage) -> None:
        await game.seconds(0.1)

    async def other(game: Stage) -> None:
        await game.seconds(0.2)

    with Stage(intro) as game, Stage(intro) as same, Stage(other) as another:
        for each in (game, same, another):
            each.scripts = ()
            each.run_ticks(1)
        assert game.state_hash() == same.state_hash() != another.state_hash()


def test_sprites_leave_with_their_block() -> None:
    async def flash(game: Stage) -> None:
        with game.sprites.add(DOT) as spark:
            await game.ticks(2)
            spark.remove()  # sooner: no error when the block ends
        with game.sprites.add(DOT):
            await game.ticks(2)

    with Stage(flash) as game:
        game.run_ticks(4)
        assert len(game.sprites) == 1
        game.run_ticks(1)
        assert len(game.sprites) == 0


# -- what goes wrong in between --------------------------------------------------------------------


def test_the_block_ends_all_its_routines_though_the_end_of_one_fails() -> None:
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


def test_an_error_in_a_condition_is_raised_where_it_is_waited_for() -> None:
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


def test_an_error_in_a_condition_ends_the_routine_and_is_told() -> None:
    async def careless(game: Stage) -> None:
        await game.until(lambda: 1 / 0)

    async def other(game: Stage) -> None:
        await game.until(lambda: game.tick >= 2)
        game.say("other")

    with Stage(careless, other) as game:
        with pytest.raises(ZeroDivisionError) as caught:
            game.run_ticks(3)
        assert "careless, which was started at" in caught.value.__notes__[0]
        assert game.tasks_begun[0].over
        game.run_ticks(2)
        assert [what for _, what in game.said] == ["other"]


def test_one_that_awaits_itself_is_told() -> None:
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

    with pytest.warns(RuntimeWarning, match=f"{name}' was never awaited") as told:
        assert play(forgetful, ticks=3) == []
    assert told[0].filename == __file__


def test_those_that_are_cancelled_while_they_wait_for_an_event_are_let_go_of() -> None:
    async def waits(game: Stage) -> None:
        await game.next("on_mouse_press")

    with Stage() as game:
        for _ in range(200):
            begun = game.start(waits(game))
            game.run_ticks(1)
            begun.cancel()
        assert sum(map(len, begun._runner.routines.listening())) < 64


def test_those_that_are_cancelled_while_they_wait_for_what_never_ends_are_let_go_of() -> None:
    async def for_ever(game: Stage) -> None:
        while True:
            await game.ticks(1)

    async def waits(what: Any) -> None:
        await what

    with Stage(for_ever) as game:
        game.age = 0.0
        for what in (game.tasks_begun[0], game.tween(game, age=1.0, duration=1, repeat=math.inf)):
            for _ in range(200):
                begun = game.start(waits(what))
                game.run_ticks(1)
                begun.cancel()
            gc.collect()
            assert sum(isinstance(thing, fw.Routine) for thing in gc.get_objects()) < 64


END = "; none of them would ever end"


def short(words: str) -> str:
    return re.sub(r"[\w.<>]+<locals>\.", "", words)


def test_those_that_await_each_other_are_told() -> None:
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


def test_a_block_and_one_in_it_that_await_each_other_are_told() -> None:
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

    (early,), (late,) = play(level(1), ticks=9), play(level(4), ticks=9)
    assert (early[0], short(early[1])) == (
        3,
        "level: the routine awaits member, which awaits level" + END,
    )
    assert (late[0], short(late[1])) == (
        5,
        "member: the routine awaits level, which awaits member" + END,
    )


def test_a_tick_of_those_that_are_asleep_is_a_few_calls() -> None:
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
