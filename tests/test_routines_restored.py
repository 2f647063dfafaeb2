"""Routines in snapshots, rewinds, sync tests and hot reloads: a restored game continues exactly."""

from __future__ import annotations

import contextlib
import gc
import random
import sys
import types
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework as fw
from framework.coroutines import frames
from framework.coroutines.iterators import IteratorState
from framework.coroutines.refusals import CannotCompile
from framework.record.snapshots import SnapshotError
from framework.watch.hot_reload import HotReload

DOT = np.full((4, 4, 4), 255, np.uint8)


class CutScene(fw.Game):
    """A camera, tweens, a dialog, a choice, routines in a group, and an error that ends the group."""

    def setup(self) -> None:
        self.lives = 3
        self.log: list[Any] = []
        self.card = self.sprites.add(DOT, position=(20, 20))
        self.actions = fw.Actions(up=["up"], ok=["space"])
        self.chosen = 0
        self.scene_routine = self.start(self.play())

    async def play(self) -> None:
        for turn in range(20):
            with self.labels.add(f"turn {turn}", (50, 50)) as label:
                await self.tween(self.camera, zoom=1 + turn % 3, duration=0.11, ease="out_quad")
                async with self.tasks() as tasks:
                    for number in range(3):
                        tasks.start(self.enemy(number))
                    try:
                        await self.until(lambda: self.lives <= 0 and turn + 1)  # noqa: B023
                    finally:
                        self.log.append(("waited", turn))
                    tasks.cancel()
                label.text = str(self.lives)
                self.lives = 3
                moved = self.tween(self.card, x=float(self.random.integers(100)), duration=0.07)
                counting = self.start(self.count(turn % 3 + 1))
                self.log.append((await counting, await self.count(1)))
                await moved
            self.log.append(await self.ui.ask("Go on?", "Yes", "No"))
            self.log.append(await self.choose("left", "right", "back"))
            try:
                async with self.tasks() as tasks:
                    tasks.start(self.fails())
                    await self.seconds(9)
            except KeyError as error:
                await self.seconds(0.05)
                self.log.append(str(error))

    async def enemy(self, number: int) -> None:
        try:
            while True:
                await self.seconds(0.05 + 0.01 * number)
                self.lives -= 1
        finally:
            self.log.append(number)

    async def count(self, rounds: int) -> int:
        total = 0
        for ticks, word in zip(range(rounds), ["a", "b", "c"], strict=False):
            await self.ticks(ticks + 1)
            total += len(word)
        return total

    async def choose(self, *answers: str) -> str:
        labels = [self.labels.add(answer, (9, 9)) for answer in answers]
        self.chosen = 0

        def decided() -> bool:
            self.chosen = (self.chosen + self.actions.presses("up")) % len(labels)
            return self.actions.just_pressed("ok")

        await self.until(decided)
        for label in labels:
            label.remove()
        return answers[self.chosen]

    async def fails(self) -> None:
        await self.ticks(2)
        raise KeyError("lost")


def press(game: fw.Game, tick: int) -> None:
    """Press keys at certain ticks, as a player would."""
    for name, period, first_tick in (("enter", 13, 5), ("up", 11, 3), ("space", 17, 9)):
        if tick % period == first_tick:
            game.testing.press(name)
        if tick % period == first_tick + 1:
            game.testing.release(name)


def run(game: fw.Game, first: int, last: int) -> list[int]:
    hashes = []
    for tick in range(first, last):
        press(game, tick)
        game.run_ticks(1)
        hashes.append(game.state_hash())
    return hashes


def test_a_cut_scene_continues_equally_from_each_of_200_ticks() -> None:
    with CutScene(drawing=False, seed=1) as game:
        expected = run(game, 0, 230)
        assert {"Yes", "'lost'"} <= {word for word in game.log if isinstance(word, str)}
    with CutScene(drawing=False, seed=1) as game:
        snapshots = []
        for tick in range(200):
            snapshots.append(game.snapshot())
            assert run(game, tick, tick + 1) == expected[tick : tick + 1]
        for tick, snapshot in enumerate(snapshots):
            game.restore(snapshot)
            length = 30 if tick % 50 == 7 else 1
            assert run(game, tick, tick + length) == expected[tick : tick + length], tick


@pytest.mark.parametrize("distance", [1, 8])
def test_a_cut_scene_passes_a_sync_test(distance: int) -> None:
    def player(game: fw.Game, tick: int) -> None:
        press(game, tick)

    fw.sync_test(CutScene, ticks=120, check_distance=distance, player=player).check()


def test_a_cut_scene_is_rewound() -> None:
    class Rewound(CutScene):
        def setup(self) -> None:
            super().setup()
            self.recording.rewind = fw.Rewind()

    with Rewound(drawing=False, seed=1) as game:
        expected = run(game, 0, 120)
        rewind = game.recording.rewind
        assert rewind is not None
        for tick in (119, 3, 60, 61, 7, 110):
            rewind.seek(tick)
            assert game.state_hash() == expected[tick - 1]
        rewind.resume()
        assert run(game, 110, 120) == expected[110:]


def test_reads_in_draw_and_a_second_game_change_nothing() -> None:
    class ReadsState(CutScene):
        def draw(self, alpha: float) -> None:
            self.debug.state_values()
            self.state_hash()

    ReadsState.__qualname__ = CutScene.__qualname__  # the name is part of the hash
    with CutScene(headless=True, seed=1) as plain:
        expected = run(plain, 0, 60)
    with ReadsState(headless=True, seed=1) as game, CutScene(drawing=False, seed=2) as second_game:
        hashes = []
        for tick in range(60):
            hashes += run(game, tick, tick + 1)
            run(second_game, tick, tick + 1)
            if tick == 20:
                snapshot = game.snapshot()
                second_snapshot = second_game.snapshot()
            game.advance(0)
        assert hashes == expected
        second_game.restore(second_snapshot)
        game.restore(snapshot)
        assert run(game, 21, 60) == expected[21:]


# -- abandoned routines ----------------------------------------------------------------------------


class GuardedRoutines(fw.Game):
    """A game with routines whose end would change the game."""

    def setup(self) -> None:
        self.log: list[str] = []

    async def guarded(self, name: str) -> None:
        try:
            with self.labels.add(name, (5, 5)):
                while True:
                    await self.ticks(1)
        except BaseException:
            self.log.append(f"{name} is caught")
            raise
        finally:
            self.log.append(f"{name} ends")


def test_an_abandoned_routine_does_not_act_on_the_restored_game() -> None:
    with GuardedRoutines(drawing=False) as game:
        game.start(game.guarded("before"))
        game.run_ticks(2)
        snapshot = game.snapshot()
        later = game.start(game.guarded("after"))
        game.run_ticks(2)
        game.restore(snapshot)
        gc.collect()
        game.run_ticks(3)
        assert game.log == []
        assert later.over
        assert len(game.labels) == 1
        assert len(game._backend.rules.make_routines()) == 1


def test_a_routine_that_has_ended_runs_again_after_a_restore() -> None:
    async def count(game: Any) -> int:
        for number in range(4):
            await game.ticks(1)
            game.seen.append(number)
        return 7

    with fw.Game(drawing=False) as game:
        game.seen = []
        routine = game.start(count(game))
        game.run_ticks(2)
        snapshot = game.snapshot()
        for _ in range(3):
            game.run_ticks(5)
            assert (routine.over, routine.result, game.seen) == (True, 7, [0, 1, 2, 3])
            game.restore(snapshot)
            assert (routine.over, routine.result, game.seen) == (False, None, [0])
        routine.cancel()
        assert routine.over
        game.restore(snapshot)
        game.run_ticks(9)
        assert game.seen == [0, 1, 2, 3]


def test_the_canceled_group_of_an_ended_routine_is_restored() -> None:
    class Waiting(fw.Game):
        def setup(self) -> None:
            self.group = self.schedule.group()
            self.routine = self.start(self.wait(), group=self.group)

        async def wait(self) -> None:
            await self.seconds(9)

        def update(self, dt: float) -> None:
            if self.tick == 3:
                self.group.cancel()
                self.group = self.schedule.group()

    with Waiting(drawing=False) as game:
        game.run_ticks(1)
        early = game.snapshot()
        game.run_ticks(4)
        late = game.snapshot()
        expected = game.state_hash()
        game.restore(early)
        game.restore(late)
        assert game.state_hash() == expected


@pytest.mark.parametrize("awaited", ["ticks", "event"])
def test_an_ended_routine_releases_its_waiting_list(awaited: str) -> None:
    class Two(fw.Game):
        async def sleep(self) -> None:
            await (self.ticks(3) if awaited == "ticks" else self.next("on_mouse_press"))

        async def stay(self) -> None:
            while True:
                await self.ticks(1)

    with Two(drawing=False) as game:
        game.start(game.stay())
        game.first, second = game.start(game.sleep()), game.start(game.sleep())
        game.advance(1 / 60)
        early = game.snapshot()
        game.first.cancel()
        second.cancel()
        game.testing.click(10, 10)
        game.run_ticks(6)  # nothing uses the waiting list of both routines any longer
        late = game.snapshot()
        values = game.debug.state_values()
        game.restore(early)
        game.restore(late)
        assert fw.first_difference(values, game.debug.state_values()) is None


def test_routines_of_a_popped_scene_are_restored() -> None:
    class Level(fw.Scene):
        def setup(self) -> None:
            self.steps = 0
            self.start(self.walk())

        async def walk(self) -> None:
            try:
                while True:
                    await self.seconds(0.05)
                    self.steps += 1
            finally:
                self.game.ends += 1

    with fw.Game(drawing=False) as game:
        game.ends = 0
        level = Level()
        game.push(level)
        game.run_ticks(10)
        snapshot = game.snapshot()
        steps = level.steps
        game.pop()
        game.run_ticks(2)
        assert game.ends == 1
        game.restore(snapshot)
        assert (level.steps, game.ends, game.scene) == (steps, 0, level)
        game.run_ticks(12)
        assert level.steps == steps + 4


def test_snapshots_share_the_state_of_waiting_routines() -> None:
    async def rest(game: Any) -> None:
        await game.seconds(1000.0)

    with fw.Game(drawing=False) as game:
        routines = [game.start(rest(game)) for _ in range(20)]
        game.run_ticks(2)
        states = []
        for _ in range(2):
            game.snapshot()
            states.append([routine._state for routine in routines])
        assert all(map(lambda a, b: a is b is not None, *states))


# -- hashes ----------------------------------------------------------------------------------------


def test_a_hash_contains_the_await_and_the_local_variables() -> None:
    async def walk(game: Any, step: int) -> None:
        place = 0
        while True:
            place += step
            await game.ticks(1)
            await game.ticks(1)

    with fw.Game(drawing=False) as game, fw.Game(drawing=False) as second_game:
        game.start(walk(game, 1))
        second_game.start(walk(second_game, 2))
        game.run_ticks(1)
        second_game.run_ticks(1)
        assert game.state_hash() != second_game.state_hash()
        difference = fw.first_difference(
            game.debug.state_values(), second_game.debug.state_values()
        )
        assert difference is not None
        assert ".walk().place" in difference.path or ".walk().step" in difference.path
        assert {difference.before, difference.after} == {1, 2}


def test_a_sync_test_finds_a_random_local_variable() -> None:
    class Chance(fw.Game):
        def setup(self) -> None:
            self.start(self.wander())

        async def wander(self) -> None:
            while True:
                step = random.random()
                await self.ticks(3)
                del step

    report = fw.sync_test(Chance, ticks=20)
    assert not report.ok
    assert report.path is not None
    assert report.path.endswith("Chance.wander().step")


# -- routines that cannot be restored --------------------------------------------------------------


async def awaits_in_finally(game: Any) -> None:
    try:
        await game.ticks(1)
    finally:
        await game.ticks(1)


class FailsLater(fw.Game):
    """A game whose routine calls, much later, a method that cannot be compiled."""

    async def story(self) -> None:
        await self.seconds(100.0)
        await self.deep()

    async def deep(self) -> None:
        await awaits_in_finally(self)


def test_the_error_of_a_snapshot_names_the_unsupported_routine() -> None:
    with FailsLater(drawing=False) as game:
        game.start(awaits_in_finally(game))
        game.run_ticks(1)
        with pytest.raises(SnapshotError) as caught:
            game.snapshot()
        game.run_ticks(5)
    words = str(caught.value)
    line = awaits_in_finally.__code__.co_firstlineno + 4
    assert "is the running routine awaits_in_finally, started at " in words
    assert f"{__file__}:{line}: an await in a finally block cannot be restored" in words


def test_with_a_rewind_an_unsupported_routine_is_refused_at_its_start() -> None:
    line = awaits_in_finally.__code__.co_firstlineno + 4
    with FailsLater(drawing=False) as game:
        routine = game.start(game.story())  # without a Rewind the routine is not checked
        routine.cancel()
        game.recording.rewind = fw.Rewind()
        for start in (game.story, game.deep, lambda: awaits_in_finally(game)):
            with pytest.raises(CannotCompile, match=rf"{__file__}:{line}: an await in a finally"):
                game.start(start())
        game.recording.rewind = None
        game.start(game.deep())
        game.run_ticks(5)


def test_a_started_function_is_checked_again_only_with_a_rewind() -> None:
    class Compiles(fw.Game):
        async def story(self) -> None:
            await self.deep()

        async def deep(self) -> None:
            await self.ticks(1)

    class CompilesNoLonger(Compiles):
        async def deep(self) -> None:
            await awaits_in_finally(self)

    with Compiles(drawing=False) as game:
        first = game.start(game.story())
        coroutine = game.story()
        game.start(coroutine)
        assert not first.over
        # the coroutine was not replaced
        assert coroutine.cr_running or coroutine.cr_frame is not None
        with pytest.raises(fw.FrameworkError, match="was started already"):
            game.start(coroutine)
        game.run_ticks(3)
        assert first.over
    with CompilesNoLonger(drawing=False) as game:
        game.start(game.story()).cancel()
        game.recording.rewind = fw.Rewind()
        with pytest.raises(CannotCompile, match="an await in a finally"):
            game.start(game.story())


def test_with_a_rewind_unsupported_loops_and_blocks_are_refused() -> None:
    @contextlib.contextmanager
    def room() -> Iterator[None]:
        yield

    async def loops(game: Any) -> None:
        await game.ticks(1)
        for number in (n for n in range(3)):
            await game.ticks(number)

    async def enters(game: Any) -> None:
        with room():
            await game.ticks(1)

    for script, words in (
        (loops, "a loop over a generator cannot be restored; write for … in list"),
        (enters, "contextlib.contextmanager cannot be restored"),
    ):
        with fw.Game(drawing=False) as game:
            game.recording.rewind = fw.Rewind()
            game.start(script(game))
            with pytest.raises(CannotCompile, match=rf"{__file__}:\d+: .*{words}"):
                game.run_ticks(3)


def test_the_error_of_an_unsupported_variable_has_its_path() -> None:
    async def keeps(game: Any) -> None:
        numbers = (n for n in range(9))
        await game.ticks(1)
        next(numbers)

    with fw.Game(drawing=False) as game:
        game.start(keeps(game))
        game.run_ticks(1)
        with pytest.raises(SnapshotError, match=r"keeps\(\)\.numbers is a generator"):
            game.snapshot()


def test_an_error_in_a_restored_routine_names_its_start_and_its_line() -> None:
    async def fails(game: Any) -> None:
        try:
            raise KeyError("first")
        except KeyError:
            await game.ticks(2)
            raise

    with fw.Game(drawing=False) as game:
        game.start(fails(game))
        game.run_ticks(1)
        game.restore(game.snapshot())
        with pytest.raises(KeyError) as caught:
            game.run_ticks(3)
    assert "was started at " in caught.value.__notes__[0]
    assert __file__ in caught.value.__notes__[0]
    trace = caught.value.__traceback__
    lines = []
    while trace is not None:
        lines.append((trace.tb_frame.f_code.co_filename, trace.tb_lineno))
        trace = trace.tb_next
    assert (__file__, fails.__code__.co_firstlineno + 2) in lines


# -- hot reload ------------------------------------------------------------------------------------

TEXT = """
import framework as fw

class Walk(fw.Game):
    def setup(self):
        self.steps, self.ends = 0, 0
        self.first = self.start(self.walk())
        self.second = self.start(self.other())

    async def walk(self):
        try:
            while True:
                await self.pause()
                self.steps += 1
        finally:
            self.ends += 1

    async def pause(self):
        await self.ticks(1)

    async def other(self):
        while True:
            await self.ticks(1)
"""


@pytest.fixture
def walking(tmp_path: Path) -> Iterator[tuple[Any, Callable[[str], None]]]:
    path = tmp_path / "walking.py"
    path.write_text(TEXT)
    module: Any = types.ModuleType("walking")
    module.__file__ = str(path)
    sys.modules["walking"] = module
    exec(compile(TEXT, str(path), "exec"), vars(module))
    code = HotReload()
    code.add(module, TEXT.encode())

    def change(text: str) -> None:
        path.write_text(text)
        code.reload({str(path): text.encode()})

    yield module, change
    del sys.modules["walking"]


def test_a_routine_with_unchanged_code_continues_after_a_reload(walking: Any) -> None:
    module, change = walking
    with module.Walk(drawing=False) as game:
        game.run_ticks(5)
        change("# a comment\n" + TEXT.replace("self.steps, self.ends = 0, 0", "self.steps = 1"))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            game._backend.rules.make_routines().end_changed()
        game.run_ticks(5)
        assert game.steps == 9
        game.restore(game.snapshot())
        game.run_ticks(5)
        assert (game.steps, game.first.over) == (14, False)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("self.steps += 1", "self.steps += 2"),
        ("ticks(1)\n\n    async def other", "ticks(2)\n\n    async def other"),
    ],
)
def test_a_routine_whose_code_changed_ends_with_a_warning(walking: Any, old: str, new: str) -> None:
    module, change = walking
    with module.Walk(drawing=False) as game:
        game.run_ticks(5)
        snapshot = game.snapshot()
        change(TEXT.replace(old, new))
        routines = game._backend.rules.make_routines()
        with pytest.warns(RuntimeWarning, match=r"Walk\.walk: the running routine has ended"):
            routines.end_changed()
        assert (game.first.over, game.second.over, game.ends) == (True, False, 1)
        game.start(game.walk())
        game.run_ticks(4)
        with pytest.warns(RuntimeWarning, match=r"Walk\.walk: the running routine has ended"):
            game.restore(snapshot)  # the old code cannot be restored
        assert (game.first.over, game.second.over, game.ends) == (True, False, 0)
        game.run_ticks(2)


def test_a_later_rewind_still_checks_each_routine() -> None:
    async def in_finally(game: fw.Game) -> None:
        try:
            await game.ticks(1)
        finally:
            await game.ticks(1)

    first = fw.Game(drawing=False)
    second = fw.Game(drawing=False)
    for _ in range(3):
        first.start(in_finally(first))  # the game has no Rewind
    first.run_ticks(3)
    second.recording.rewind = fw.Rewind(1)
    with pytest.raises(fw.FrameworkError, match="finally"):
        second.start(in_finally(second))
    for game in (first, second):
        game.close()


class Waits(fw.Game):
    """Routines that wait in ways that `frames.capture` captures with its short function or not."""

    async def plain(self) -> None:
        name = "a"
        total = 0.5
        while total:
            await self.ticks(2)
        del name

    async def loop(self) -> None:
        for number in range(5):
            await self.seconds(0.5 + number)

    async def loop_over_list(self) -> None:
        for name in ["x", "y"]:
            await self.ticks(len(name))

    async def two_loops(self) -> None:
        for number in range(3):
            for other_number in (1, 2):
                await self.ticks(number + other_number)

    async def named_iterator(self) -> None:
        numbers = iter(range(4))
        for number in numbers:
            await self.ticks(number + 1)

    async def over_dict(self) -> None:
        for number in {1: 2, 3: 4}:
            await self.ticks(number)

    async def function(self) -> None:
        total = 3
        await self.until(lambda: total > 5)

    async def of_routine(self) -> None:
        await self.start(self.plain())

    async def nested(self) -> None:
        await self.plain()


SIMPLE = ("plain", "loop", "loop_over_list", "of_routine")


@pytest.mark.parametrize(
    "name",
    ["plain", "loop", "loop_over_list", "two_loops", "named_iterator", "over_dict"]
    + ["function", "of_routine", "nested"],
)
def test_the_short_capture_of_simple_routines_has_the_same_result(name: str) -> None:
    def described(part: Any) -> Any:
        if isinstance(part, IteratorState):
            return part.kind, [described(source) for source in part.sources], part.position
        return part

    with Waits(headless=True, drawing=False) as game:
        routine = game.start(getattr(game, name)())
        assert frames._captured_simple(routine._coroutine) is None  # not started
        game.run_ticks(1)
        coroutine = routine._coroutine
        short = frames._captured_simple(coroutine)
        assert (short is not None) == (name in SIMPLE)
        if short is None:
            return
        full = frames._captured(coroutine, frames._Captures(coroutine))
        for attribute in ("awaited", "code", "errors", "is_shared", "managers", "name", "new"):
            assert getattr(short, attribute) == getattr(full, attribute)
        assert (short.number, short.cells, short.space) == (full.number, full.cells, full.space)
        assert [*short.values] == [*full.values]
        for key, value in short.values.items():
            assert described(value) == described(full.values[key])
