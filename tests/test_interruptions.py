"""The loop of a window with simulated time: hidden, blocked, suspended or slow, and its garbage
collection.

Here the loop of a window runs off screen: its calls to the window (events, flips) also work there.
"""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

import framework as fw
from framework.game import loop, stage, window_loop
from framework.game.engine import _LONG_RUN
from framework.timing.frame_pacing import Pacer

Make = Callable[..., Any]
MS, SECOND = 1_000_000, 1_000_000_000
PERIOD = round(SECOND / 60)


class Clock:
    """A fake of the module time: only the tests let time pass."""

    def __init__(self) -> None:
        self.now = 77 * SECOND
        self.cpu = 0
        self.oversleep = 0  # nanoseconds, only in the next sleep

    def perf_counter_ns(self) -> int:
        return self.now

    def perf_counter(self) -> float:
        return self.now / SECOND

    def process_time_ns(self) -> int:
        return self.cpu

    def sleep(self, seconds: float) -> None:
        self.now += round(seconds * SECOND) + self.oversleep
        self.oversleep = 0


class RecordingTimestep(fw.FixedTimestep):
    """A timestep that records its times and numbers of ticks."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.moments: list[int] = []
        self.ticks: list[int] = []

    def advance(self, now: int) -> Any:
        ticks = super().advance(now)
        self.moments.append(now)
        self.ticks.append(len(ticks))
        return ticks

    def check(self) -> None:
        """Check that real time = game time / scale + dropped + paused, to the nanosecond, at time
        scale 1.
        """
        real = self.moments[-1] - self.moments[0]
        game = (self.tick + Fraction(self.alpha)) / Fraction(self.tick_rate) * SECOND
        assert real == pytest.approx(
            float(game) + (self.dropped_time + self.paused_time) * SECOND, abs=1
        )


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    for module in (loop, stage, window_loop):
        monkeypatch.setattr(module, "time", clock)
    return clock


@pytest.fixture
def window(make: Make, clock: Clock) -> Make:
    """Return ``window(GameClass, **options)``, which makes a game with the loop of a window at 60
    Hz.
    """

    def open_(game_class: type[fw.Game], **options: Any) -> Any:
        game = make(game_class, **{"timestep": RecordingTimestep(), "manage_gc": False, **options})
        game._engine.in_window = True
        return game

    return open_


class Script(fw.Game):
    """A game that calls ``at[frame]`` when it draws that frame.

    ``tick_work`` and ``draw_work`` are the durations of its work.
    """

    def __init__(self, **options: Any) -> None:
        self.at: dict[int, Callable[[], object]] = {}
        self.tick_work = self.draw_work = 0
        self.drawn = 0
        self.slow: list[bool] = []
        super().__init__(**options)

    def update(self, dt: float) -> None:
        loop.time.now += self.tick_work  # type: ignore[attr-defined]

    def draw(self, alpha: float) -> None:
        loop.time.now += self.draw_work  # type: ignore[attr-defined]
        self.drawn += 1
        self.at.pop(self.debug.frames, lambda: None)()
        self.slow.append(self.display.running_slowly)


def test_each_frame_runs_one_tick(window: Make) -> None:
    game = window(Script)
    game.run(240)
    assert (
        game.timestep.ticks[3:] == [1] * 238
    )  # the first call, when the game is created, only sets the start time
    assert game.timestep.dropped_time == 0
    game.timestep.check()


# -- blocked loops ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "seconds", [0.3, 10.0, 8 * 3600.0], ids=["a hitch", "a window drag", "a laptop's sleep"]
)
@pytest.mark.parametrize("where", ["in the wait", "in drawing", "in update", "in an event"])
@pytest.mark.parametrize("overflow", ["drop", "carry"])
def test_a_blocked_loop_continues_without_a_burst_and_counts_dropped_time(
    window: Make, clock: Clock, seconds: float, where: str, overflow: Any
) -> None:
    class Blocks(Script):
        def update(self, dt: float) -> None:
            if where == "in update" and self.tick == 60:
                clock.now += blocked

        def on_key_press(self, symbol: int, modifiers: int) -> None:
            clock.now += blocked

    blocked = round(seconds * SECOND)
    game = window(Blocks, timestep=RecordingTimestep(overflow=overflow))

    def block() -> None:
        if where == "in the wait":
            clock.oversleep = blocked
        elif where == "in drawing":
            clock.now += blocked
        elif where == "in an event":
            game.display.window.dispatch_event("on_key_press", 97, 0)

    game.at[60] = block
    game.run(300)
    loop = game.timestep
    assert max(loop.ticks) <= 8
    assert sum(ticks > 2 for ticks in loop.ticks) <= (1 if overflow == "drop" else 3)
    assert loop.ticks[-200:] == [1] * 200
    assert loop.dropped_time == pytest.approx(
        seconds - (8 / 60 if overflow == "drop" else 0.25), abs=0.04
    )
    assert 0 <= loop.alpha < 1
    loop.check()
    assert not any(game.slow)  # one long frame does not make the game slow


def test_a_stop_in_a_debugger_keeps_all_ticks(window: Make, clock: Clock) -> None:
    ticks: list[int] = []

    class Stopped(Script):
        def update(self, dt: float) -> None:
            ticks.append(self.tick)
            if self.tick in (50, 51, 52):  # single steps in the debugger
                clock.now += 120 * SECOND

    game = window(Stopped)
    game.run(200)
    assert ticks == list(range(1, game.tick + 1))
    assert max(game.timestep.ticks) <= 8
    assert game.timestep.dropped_time > 355
    game.timestep.check()


def test_a_slow_update_runs_in_slow_motion_and_stays_responsive(window: Make, clock: Clock) -> None:
    presses: list[int] = []

    class Slow(Script):
        def on_key_press(self, symbol: int, modifiers: int) -> None:
            presses.append(self.debug.frames)

    game = window(Slow)
    game.tick_work = 20 * MS  # a tick is due every 16.7 ms
    frames = 4 * 60 * SECOND // (8 * 20 * MS)  # four minutes
    game.at = {
        frame: lambda: game.display.window.dispatch_event("on_key_press", 97, 0)
        for frame in range(0, frames, 100)
    }
    start = clock.now
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        game.run(frames)
    real = (clock.now - start) / SECOND
    assert real == pytest.approx(240, rel=0.02)
    loop = game.timestep
    assert set(loop.ticks[40:]) == {
        8
    }  # the maximum, so that frames do not become longer and longer
    assert loop.time == pytest.approx(real * (16.667 / 20), rel=0.02)  # five sixths of the speed
    assert loop.dropped_time == pytest.approx(real - loop.time, abs=0.3)
    loop.check()
    assert game.slow[-1]
    assert len(presses) == len(range(0, frames, 100))
    (warning,) = caught
    assert warning.category is RuntimeWarning
    assert "8.00 ticks 160.00 ms (20.00 ms each)" in str(warning.message)

    game.tick_work = 2 * MS  # with less work, the game is normal again within a second
    game.run(70)
    assert not game.display.running_slowly
    assert loop.ticks[-10:] == [1] * 10


# -- running slowly --------------------------------------------------------------------------------


def test_slowness_depends_on_work_and_not_on_waiting(
    window: Make, clock: Clock, monkeypatch: Any
) -> None:
    monkeypatch.setattr(Pacer, "vsync_waits", True)

    def flip() -> None:  # waits for the next refresh of a 60 Hz display
        clock.now += PERIOD - clock.now % PERIOD

    for work, slow in ((3, False), (16, False), (18, True), (40, True)):
        game = window(Script, frame_stats=False)
        game.display.window.flip = flip
        game.draw_work = work * MS
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            game.run(300)
        assert set(game.slow[40:]) == {slow}, work


def test_running_slowly_follows_the_work(window: Make) -> None:
    game = window(Script)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for draw_work, slow in (
            (10, False),
            (20, True),
            (15, True),
            (13, False),
            (15, False),
            (20, True),
            (5, False),
        ):
            game.draw_work = draw_work * MS
            game.run(61)
            assert game.display.running_slowly == slow, draw_work
        assert caught == []  # one slow second causes no warning
        game.draw_work = 25 * MS
        game.run(200)
        game.draw_work = 5 * MS
        game.run(100)
        game.draw_work = 25 * MS
        game.run(200)
    (warning,) = caught  # only one warning per game
    assert "draw 25.00 ms" in str(warning.message)
    assert "render_scale" in str(warning.message)


def test_without_a_window_slowness_depends_on_the_frame_rate_without_a_warning(
    make: Make, clock: Clock
) -> None:
    game = make(Script, frame_rate=50)
    game.draw_work = 19 * MS
    game.run(100)
    assert not game.display.running_slowly
    game.draw_work = 21 * MS
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        game.run(300)
        assert game.display.running_slowly
        for _ in range(60):
            game.draw_work = 10 * MS
            game.advance(0.01)
    assert not game.display.running_slowly


# -- hidden windows --------------------------------------------------------------------------------


def hide(game: Any) -> None:
    game.display.window.dispatch_event("on_hide")


def show(game: Any) -> None:
    game.display.window.dispatch_event("on_show")


class Hidden(Script):
    """A game whose window is hidden in frame 30, for ``hidden_turns`` turns of the loop."""

    hidden_turns = 600

    def setup(self) -> None:
        run_ticks = self._engine.loop._run_ticks

        def around(now: int, frame: Any) -> None:
            run_ticks(self.before_ticks(now), frame)
            self.after_ticks()

        self._engine.loop._run_ticks = around  # type: ignore[method-assign]

    def before_ticks(self, now: int) -> int:
        if self.debug.frames == 30:
            hide(self)
        elif self.debug.frames == 30 + self.hidden_turns:
            show(self)
        return now

    def after_ticks(self) -> None: ...


@pytest.mark.parametrize("pause", [False, True])
def test_a_hidden_window_draws_nothing_and_may_pause(window: Make, pause: bool) -> None:
    game = window(Hidden, pause_when_hidden=pause)
    game.run(700)
    loop = game.timestep
    assert game.debug.frames == 700
    assert game.drawn == 100
    assert max(loop.ticks[3:]) == 1
    assert loop.dropped_time == 0
    assert loop.paused_time == pytest.approx(601 / 60 if pause else 0, abs=1e-6)
    assert game.tick == pytest.approx(99 if pause else 700, abs=2)
    loop.check()


def test_a_window_that_the_game_hides_counts_as_hidden(window: Make) -> None:
    game = window(Script, pause_when_hidden=True)
    game.at[20] = lambda: game.display.window.dispatch_event(
        "on_resize", 0, 0
    )  # minimized, on some systems
    game.run(60)
    assert 19 <= game.tick <= 21
    game.display.window.dispatch_event("on_resize", 200, 100)
    game.run(20)
    assert 37 <= game.tick <= 41
    assert max(game.timestep.ticks[3:]) == 1
    game.timestep.check()


def test_a_process_that_was_suspended_while_hidden_drops_no_time(
    window: Make, clock: Clock
) -> None:
    class Stopped(Hidden):
        hidden_turns = 10

        def before_ticks(self, now: int) -> int:
            if (
                self.debug.frames == 40
            ):  # the turn in which the window is shown again, an hour after the previous turn
                clock.now += 3600 * SECOND
                now += 3600 * SECOND
            return super().before_ticks(now)

    game = window(Stopped, pause_when_hidden=True, pacing=False)
    game.run(100)
    assert max(game.timestep.ticks[3:]) == 1
    assert game.timestep.paused_time == pytest.approx(3600, abs=0.3)
    assert game.timestep.dropped_time == 0
    game.timestep.check()


@pytest.mark.parametrize("pause", [False, True])
def test_a_game_that_paused_itself_is_still_paused_when_shown(window: Make, pause: bool) -> None:
    game = window(Hidden, pause_when_hidden=pause)
    game.at[10] = lambda: setattr(game.timestep, "paused", True)
    game.run(650)
    assert game.timestep.paused
    tick = game.tick
    assert 9 <= tick <= 11
    game.timestep.paused = False
    game.run(10)
    assert 7 <= game.tick - tick <= 11
    game.timestep.check()


def test_a_pause_that_changes_while_hidden_is_kept(window: Make) -> None:
    class Listening(Hidden):
        def after_ticks(self) -> None:
            if self.debug.frames == 100:
                self.timestep.paused = True
            assert self.timestep.paused == (100 <= self.debug.frames < 650)
            if self.debug.frames == 649:
                self.timestep.paused = False

    game = window(Listening, pause_when_hidden=True)
    game.run(700)
    assert game.tick == pytest.approx(30 + 50, abs=3)
    game.timestep.check()


def test_single_steps_run_while_hidden(window: Make) -> None:
    game = window(Hidden, pause_when_hidden=True)
    game.timestep.paused = True
    game.run(100)
    game.timestep.step(3)
    game.run(5)
    assert game.tick == 3


def test_pause_when_hidden_can_change_and_works_with_advance(make: Make, clock: Clock) -> None:
    game = make(Script)
    game.display.pause_when_hidden = True
    for _ in range(10):
        game.advance(1 / 60)
    hide(game)
    for _ in range(10):
        game.advance(1 / 60)
    assert game.tick == 10
    show(game)
    game.advance(1 / 60)  # the window was hidden when this frame's time began
    for _ in range(10):
        game.advance(1 / 60)
    assert game.tick == 20
    assert game.timestep.paused_time == pytest.approx(11 / 60)


# -- automatic quality -----------------------------------------------------------------------------


def test_the_quality_follows_the_work(window: Make) -> None:
    levels: list[float] = []

    class Governed(Script):
        def setup(self) -> None:
            self.picture.quality = fw.Quality(
                [{"render_scale": 0.5}, {"render_scale": 1.0}],
                on_change=lambda quality: levels.append(quality["render_scale"]),
            )

    game = window(Governed)
    game.draw_work = 10 * MS
    game.run(100)
    assert (levels, game._engine.painter.world.scaled) == ([], None)
    game.draw_work = (
        16 * MS
    )  # too much work for 80 % performance, although no refresh is missed yet
    game.run(120)
    assert (levels, game.picture.render_scale, game._engine.painter.world.scaled.size) == (
        [0.5],
        0.5,
        (100, 50),
    )
    game.draw_work = 3 * MS
    game.run(100)
    assert (levels, game.picture.render_scale, game._engine.painter.world.scaled) == (
        [0.5, 1.0],
        1.0,
        None,
    )


def test_a_slow_gpu_lowers_the_quality(window: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    class Governed(Script):
        gpu = 20 * MS

        def setup(self) -> None:
            self.picture.quality = fw.Quality([{"render_scale": 0.5}, {"render_scale": 1.0}])

    class Timer:
        def begin(self, frame: Any) -> None:
            self.frame = frame

        def end(self) -> None: ...

        def finished(self) -> list[tuple[Any, int]]:
            return [(self.frame, game.gpu)]

        def release(self) -> None: ...

    game = window(Governed)
    game.debug.frame_stats.gpu = True  # as in a real window
    game._engine.painter.gpu_timer = Timer()
    game.run(100)
    assert game.picture.render_scale == 0.5
    assert not game.display.running_slowly  # running_slowly measures only the processor's work
    game.gpu = 2 * MS
    game.run(120)
    assert game.picture.render_scale == 1.0


def test_hidden_frames_do_not_change_the_quality(window: Make) -> None:
    class Governed(Hidden):
        def setup(self) -> None:
            super().setup()
            self.picture.quality = fw.Quality([{}, {}], level=0)

    game = window(Governed)
    game.run(600)
    assert game.picture.quality.level == 0


# -- garbage ---------------------------------------------------------------------------------------


def collector_state() -> tuple[bool, tuple[int, int, int], int]:
    return gc.isenabled(), gc.get_threshold(), gc.get_freeze_count()


class CollectorRecorder(Script):
    def setup(self) -> None:
        self.collector_states: list[tuple[bool, bool]] = []

    def update(self, dt: float) -> None:
        if self.tick % 10 == 5:  # the count of all frozen objects takes a millisecond or two
            self.collector_states.append((gc.isenabled(), gc.get_freeze_count() > 1000))

    def fail(self) -> None:
        raise KeyError("mine")


@pytest.mark.usefixtures("unfrozen")
@pytest.mark.parametrize("ending", ["frames", "exit", "close", "exception"])
def test_a_window_manages_garbage_and_then_restores_the_collector(
    window: Make, ending: str
) -> None:
    before = collector_state()
    game = window(CollectorRecorder, manage_gc=True)
    if ending != "frames":
        game.at[30] = {"exit": game.exit, "close": game.close, "exception": game.fail}[ending]
    try:
        game.run(60)
    except KeyError:
        assert ending == "exception"
    assert collector_state() == before
    assert set(game.collector_states[2:]) == {(False, True)}


@pytest.mark.usefixtures("unfrozen")
def test_without_management_or_in_short_runs_the_collector_is_unchanged(
    make: Make, window: Make
) -> None:
    for game, frames in (
        (make(CollectorRecorder), _LONG_RUN - 1),
        (make(CollectorRecorder, manage_gc=False), _LONG_RUN + 10),
        (window(CollectorRecorder, manage_gc=False), 60),
    ):
        game.run(frames)
        assert set(game.collector_states) == {(True, False)}
    game = make(CollectorRecorder)
    for _ in range(_LONG_RUN + 10):
        game.advance(1 / 60)
    assert set(game.collector_states) == {(True, False)}


@pytest.mark.usefixtures("unfrozen")
def test_a_long_run_without_a_window_manages_garbage(make: Make, clock: Clock) -> None:
    before = collector_state()
    game = make(CollectorRecorder)
    game.run(_LONG_RUN)
    assert set(game.collector_states[1:]) == {(False, True)}
    assert collector_state() == before


class Node:
    alive = 0

    def __init__(self) -> None:
        Node.alive += 1

    def __del__(self) -> None:
        Node.alive -= 1


@pytest.mark.usefixtures("unfrozen")
@pytest.mark.parametrize("work", [0, 30], ids=["slack in every frame", "no slack ever"])
def test_garbage_is_collected_with_and_without_slack(window: Make, clock: Clock, work: int) -> None:
    class Litters(Script):
        most = 0

        def update(self, dt: float) -> None:
            super().update(dt)
            for _ in range(200):
                first, second = Node(), Node()
                first.other, second.other = second, first  # type: ignore[attr-defined]
            self.most = max(self.most, Node.alive)

    game = window(Litters, manage_gc=True)
    game._engine.stage.collector._clock = (
        clock.perf_counter_ns
    )  # collections take no longer on a busy machine
    game.draw_work = work * MS
    gc.collect()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        game.run(150)
    assert game.tick > 140
    assert 0 < game.most < (25_000 if work else 5_000)


def test_garbage_is_collected_in_the_wait_before_the_flip(
    window: Make, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Pacer, "vsync_waits", True)
    game = window(Script, manage_gc=True)
    log: list[Any] = []

    def flip() -> None:
        log.append("flip")
        clock.now += PERIOD - clock.now % PERIOD

    def use(slack: int, before: Any = None) -> None:
        log.append(round(slack / MS))
        if before is not None:
            before()

    game.display.window.flip = flip
    monkeypatch.setattr(game._engine.stage.collector, "use", use)
    for draw_work, slack in ((5, 10), (14, 1), (20, -5)):
        game.draw_work = draw_work * MS
        log.clear()
        game.run(20)
        assert log[10:12] in ([slack, "flip"], ["flip", slack])


@pytest.mark.usefixtures("unfrozen")
def test_a_new_level_is_frozen_and_the_old_level_is_freed(window: Make) -> None:
    class Level(fw.Scene):
        def setup(self) -> None:
            self.nodes = [Node() for _ in range(500)]
            self.nodes[0].all = self  # type: ignore[attr-defined]

    gc.collect()
    before = Node.alive
    game = window(Script, manage_gc=True)
    game.show(Level())
    counts: list[int] = []
    game.at = {20: lambda: game.show(Level()), 30: lambda: counts.append(Node.alive - before)}
    game.run(40)
    assert counts == [500]


def test_collection_for_a_new_level_is_loading_time(
    window: Make, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def take_long() -> None:
        clock.now += SECOND
        called.append(game.debug.frames)

    called: list[int] = []
    game = window(Script, manage_gc=True)
    monkeypatch.setattr(game._engine.stage.collector, "begin", take_long)
    monkeypatch.setattr(game._engine.stage.collector, "renew", take_long)
    game.at[20] = lambda: game.show(fw.Scene())
    game.run(60)
    assert called == [1, 21]
    assert max(game.timestep.ticks) == 1
    assert game.timestep.dropped_time == 0
    assert not any(game.slow)


def test_a_nested_game_leaves_the_collector_to_the_outer_game(make: Make, clock: Clock) -> None:
    inner = make(CollectorRecorder)

    class Outer(Script):
        def update(self, dt: float) -> None:
            if self.tick == 20:
                inner.run(_LONG_RUN)
                self.after = gc.isenabled()

    outer = make(Outer)
    outer.run(_LONG_RUN)
    assert not outer.after
    assert gc.isenabled()


def test_short_runs_without_a_window_start_no_collection(
    make: Make, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = make(Script)
    begins: list[int] = []
    monkeypatch.setattr(game._engine.stage.collector, "begin", lambda: begins.append(1))
    for _ in range(10):
        game.run(10)
    assert begins == []
