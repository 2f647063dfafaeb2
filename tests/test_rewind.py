"""Rewind: stored ticks are restored within a memory limit, and F4 selects ticks."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pictures import solid

import framework as fw
from framework.game import rewind_history

Make = Callable[..., Any]
ESCAPE = 0xFF1B
SPACE = 0x20
F3 = 0xFFC0
F4 = 0xFFC1
LEFT = 0xFF51
RIGHT = 0xFF53
HOME = 0xFF50
END = 0xFF57
PAGE_UP = 0xFF55
PAGE_DOWN = 0xFF56


@pytest.fixture(autouse=True)
def disable_time_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Disable the time limits, so that keyframes are as far apart as the options allow."""
    monkeypatch.setattr(rewind_history, "_RERUN_BUDGET", 1 << 60)
    monkeypatch.setattr(rewind_history, "_KEYFRAME_SHARE", 1e9)


class WithNotes(fw.Game):
    """A game with notes about its states after each tick."""

    not_state = ("hashes", "pictures")


class Swarm(WithNotes):
    """Sprites that are added and removed, a label, a scene now and then, input, random numbers, and
    a plain array."""

    def setup(self) -> None:
        self.swarm = self.add(fw.SpriteBatch(solid(5, 5), count=12))
        self.swarm.position[:] = self.random.uniform((0, 0), self.size, (12, 2))
        self.speed = np.zeros((600, 2), "f4")
        self.words = self.labels.add("", (4, 4))
        self.typed = ""
        self.clicks = []
        self.leader = self.sprites.add(solid(9, 9), position=(50, 50))
        self.camera.follow(self.leader, smoothing=0.5)

    def update(self, dt: float) -> None:
        self.swarm.position += self.random.normal(0, 3, (len(self.swarm), 2)).astype("f4")
        self.leader.x += 3 * self.keys.axis("left", "right")
        self.speed[self.tick % 600] = self.mouse.position
        if self.keys.just_pressed("a"):
            self.swarm.add(position=(self.random.uniform(0, 200), 50))
        if self.tick % 11 == 0 and len(self.swarm) > 2:
            self.swarm.remove(0)
        if self.tick % 17 == 0:
            self.push(Cloud())
        self.words.text = f"{self.tick} {self.typed}"

    def on_text(self, text: str) -> None:
        self.typed = (self.typed + text)[-8:]

    def on_mouse_press(self, x: float, y: float, button: int, modifiers: int) -> None:
        self.clicks.append((x, y, button))


class Cloud(fw.Scene):
    def setup(self) -> None:
        self.age = 0
        self.puff = self.sprites.add(solid(20, 20), position=(100, 80))

    def update(self, dt: float) -> None:
        self.age += 1
        self.puff.x += 2
        if self.age == 5:
            self.game.pop()


def play(game: Any, tick: int) -> None:
    """Send the input of a tick."""
    chance = np.random.default_rng(tick)
    for name in ("left", "right", "a"):
        if chance.random() < 0.1:
            game.testing.press(name)
        if chance.random() < 0.1:
            game.testing.release(name)
    if chance.random() < 0.1:
        game.testing.click(*chance.uniform(0, 100, 2))
    if chance.random() < 0.1:
        game.testing.type("x")


def played(
    make: Make, ticks: int, kind: type[WithNotes] = Swarm, rewind: Any = None, **options: Any
) -> Any:
    """Return a game after ``ticks`` ticks, with its hashes in ``game.hashes`` and its images in
    ``game.pictures``."""
    game = make(kind, **options)
    game.recording.rewind = fw.Rewind(duration=2) if rewind is None else rewind
    game.hashes = {0: game.state_hash()}
    game.pictures = {}
    run_more(game, ticks)
    return game


def run_more(game: Any, ticks: int, image_every: int = 1) -> None:
    """Run ``ticks`` more ticks, and keep every ``image_every``-th image."""
    for _ in range(ticks):
        play(game, game.tick + 1)
        game.advance(1 / 60)
        game.hashes[game.tick] = game.state_hash()
        if game.tick % image_every == 0:
            game.pictures[game.tick] = game.pixels()


# -- seek, resume and cancel -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def swarm() -> Iterator[Any]:
    """A game at tick 200, with its hashes and images of all ticks."""
    with Swarm(headless=True, size=(200, 100), seed=4, background=(0, 0, 0)) as game:
        yield played(lambda kind, **options: game, 200, rewind=fw.Rewind(duration=1))


@settings(max_examples=settings().max_examples // 8)
@given(seeks=st.lists(st.floats(0, 1), min_size=1, max_size=4), on=st.integers(1, 70))
def test_seek_restores_a_tick_and_the_same_input_continues_equally(
    swarm: Any, seeks: list[float], on: int
) -> None:
    """The input depends only on the tick, so each tick always has the same state."""
    rewind = swarm.recording.rewind
    hashes = dict(swarm.hashes)
    pictures = dict(swarm.pictures)
    for share in seeks:
        ticks = rewind.ticks
        tick = ticks[round(share * (len(ticks) - 1))]
        rewind.seek(tick)
        assert (swarm.tick, swarm.state_hash()) == (tick, hashes[tick])
        if tick in pictures:
            swarm.advance(1 / 60)
            np.testing.assert_array_equal(swarm.pixels(), pictures[tick])
    rewind.resume()
    assert rewind.ticks[-1] == tick
    run_more(swarm, on, image_every=5)
    assert swarm.tick == tick + on
    for later in range(tick + 1, swarm.tick + 1):
        assert swarm.hashes[later] == hashes.setdefault(later, swarm.hashes[later])
        if later % 5 == 0:
            np.testing.assert_array_equal(
                swarm.pictures[later], pictures.setdefault(later, swarm.pictures[later])
            )


@pytest.mark.parametrize(
    "options",
    [
        {"immediate_events": True},
        {"tick_rate": 25},
        {"timestep": lambda: fw.SemiFixedTimestep(50)},
        {"timestep": fw.VariableTimestep},
        {"timestep": lambda: fw.RoundedTimestep(100)},
    ],
    ids=["immediate events", "25 ticks", "semi-fixed", "variable", "rounded"],
)
def test_every_tick_is_restored_with_every_timestep(make: Make, options: Any) -> None:
    if "timestep" in options:
        options = {"timestep": options["timestep"]()}
    hashes: dict[int, Any] = {}

    class Plays(fw.Game):
        def update(self, dt: float) -> None:
            self.x = getattr(self, "x", 0.0) + dt * (1 + self.keys["right"])

    game = make(Plays, **options)
    game.recording.rewind = fw.Rewind()
    original = game._engine.loop.run_tick

    def run(tick: Any) -> None:
        original(tick)
        hashes.setdefault(tick.number, (game.state_hash(), game.timestep.time))

    game._engine.loop.run_tick = run
    for frame in range(60):
        play(game, frame)
        game.advance((0.011, 0.017, 0.06)[frame % 3])
    assert len(hashes) == game.tick > 30
    for tick in (1, 7, 30, game.tick, 2):
        game.recording.rewind.seek(tick)
        assert (game.state_hash(), game.timestep.time) == hashes[tick]


def test_input_during_a_pause_is_repeated(make: Make) -> None:
    class Halts(fw.Game):
        def setup(self) -> None:
            self.log: list[tuple[int, int]] = []

        def update(self, dt: float) -> None:
            self.log.append((self.tick, self.keys.presses("p")))
            self.timestep.paused = self.tick == 5

        def on_key_press(self, symbol: int, modifiers: int) -> None:
            self.log.append((self.tick, -symbol))
            self.timestep.paused = False

    game = make(Halts)
    game.recording.rewind = fw.Rewind()
    for frame in range(20):
        if frame == 12:
            game.testing.press("p")
        game.advance(1 / 60)
    log = list(game.log)
    now = game.tick
    state = game.state_hash()
    assert (5, -ord("p")) in log
    assert (6, 1) in log
    game.recording.rewind.seek(3)
    assert game.log == log[:3]
    game.recording.rewind.seek(now)
    assert game.log == log
    assert game.state_hash() == state
    game.recording.rewind.seek(4)
    game.recording.rewind.cancel()
    assert game.log == log


def test_changes_by_draw_during_the_pause_are_not_in_the_next_tick_that_is_shown(
    make: Make,
) -> None:
    class Dusty(WithNotes):
        def setup(self) -> None:
            self.dust = 0

        def update(self, dt: float) -> None:
            self.dust *= 2

        def draw(self, alpha: float) -> None:
            self.dust += 1

    game = make(Dusty)
    game.recording.rewind = rewind = fw.Rewind()
    game.run_ticks(12)
    rewind.seek(5)
    states = [game.dust]
    for tick in (5, 6, 9, 5):
        game.advance(1 / 60)
        assert game.dust > 0  # draw has changed it
        rewind.seek(tick)
        states.append(game.dust)
    assert states == [0] * 5


def test_cancel_returns_to_the_present(make: Make) -> None:
    game = played(make, 30)
    rewind = game.recording.rewind
    image = game.pixels()
    game.testing.press("right")  # no tick has latched this press
    rewind.seek(12)
    for _ in range(5):
        game.advance(1 / 60)
    assert (game.tick, rewind.paused) == (12, True)
    rewind.cancel()
    assert (game.tick, rewind.paused, game.state_hash()) == (30, False, game.hashes[30])
    game.advance(0)
    np.testing.assert_array_equal(game.pixels(), image)
    game.advance(1 / 60)
    assert (game.tick, game.keys["right"]) == (31, True)


def test_run_ticks_continues_from_the_selected_tick(make: Make) -> None:
    game = played(make, 20)
    game.recording.rewind.seek(8)
    game.run_ticks(3)
    assert (game.tick, game.recording.rewind.paused, game.recording.rewind.ticks) == (
        11,
        False,
        range(12),
    )


def test_run_ticks_continues_after_a_restore_and_a_seek(make: Make) -> None:
    game = played(make, 10, WithNotes)
    snapshot = game.snapshot()
    run_more(game, 10)
    game.restore(snapshot)
    game.run_ticks(6)
    game.recording.rewind.seek(12)
    game.run_ticks(2)  # ticks 13 and 14 existed before the restore
    assert (game.tick, game.recording.rewind.paused, game.recording.rewind.ticks) == (
        14,
        False,
        range(10, 15),
    )


def test_time_continues_without_extra_ticks(make: Make) -> None:
    game = played(make, 20)
    game.recording.rewind.seek(10)
    for _ in range(100):
        game.advance(1 / 60)
    game.recording.rewind.resume()
    for tick in range(11, 31):
        game.advance(1 / 60)
        assert game.tick == tick
    assert game.timestep.dropped_time == 0


def test_call_soon_waits_while_the_rewind_is_paused(make: Make) -> None:
    game = played(make, 20)
    game.recording.rewind.seek(10)
    game.call_soon(lambda: setattr(game, "told", game.tick))
    game.advance(1 / 60)
    assert not hasattr(game, "told")
    game.recording.rewind.resume()
    game.advance(1 / 60)
    assert game.told == 10
    run_more(game, 5)
    state = game.state_hash()
    game.recording.rewind.seek(11)
    assert game.told == 10  # a repeated tick does not run the call
    game.recording.rewind.seek(16)
    assert game.state_hash() == state


def test_calls_requested_by_ticks_are_repeated(make: Make) -> None:
    class Asks(WithNotes):
        calls = 0

        def update(self, dt: float) -> None:
            if self.tick % 4 == 0:
                self.call_soon(self.count)

        def count(self) -> None:
            self.calls += 1

    game = played(make, 21, Asks)
    assert game.calls == 5
    game.recording.rewind.seek(14)
    assert game.calls == 3
    game.recording.rewind.seek(21)
    assert game.calls == 5


def test_a_resized_window_is_input(make: Make) -> None:
    class Sized(WithNotes):
        def update(self, dt: float) -> None:
            self.seen = [*getattr(self, "seen", []), self.size]

    game = played(make, 10, Sized)
    game.display.window.dispatch_event("on_resize", 300, 150)
    run_more(game, 10)
    sizes = list(game.seen)
    assert len(set(sizes)) == 2
    game.recording.rewind.seek(5)
    assert game.size == (200, 100)
    game.recording.rewind.seek(15)
    assert game.size == (300, 150)
    assert game.seen == sizes[:15]
    game.recording.rewind.seek(5)
    game.recording.rewind.resume()
    game.advance(1 / 60)
    assert game.size == (300, 150)  # as the window


def test_restore_begins_a_new_history(make: Make) -> None:
    game = played(make, 20)
    snapshot = game.snapshot()
    run_more(game, 10)
    game.restore(snapshot)
    run_more(game, 3)
    assert game.recording.rewind.ticks == range(20, 24)
    game.recording.rewind.seek(21)
    assert game.state_hash() == game.hashes[21]


def test_loads_are_part_of_the_history(make: Make, tmp_path: Path) -> None:
    class Scores(WithNotes):
        saved = ("score",)
        score = 0

        def update(self, dt: float) -> None:
            self.score += 1

    game = played(make, 10, Scores)
    path = game.save(path=tmp_path / "ten")
    run_more(game, 10)
    game.load(path=path)
    run_more(game, 10)
    assert game.score == 20
    for tick, score in ((15, 15), (25, 15), (30, 20)):
        game.recording.rewind.seek(tick)
        assert game.score == score


# -- memory ----------------------------------------------------------------------------------------


class Many(fw.Game):
    """2000 sprites that move, and 2000 that never move."""

    def setup(self) -> None:
        self.batch = self.add(fw.SpriteBatch(solid(2, 2), count=2000))
        self.batch.position[:] = self.random.uniform((0, 0), self.size, (2000, 2))
        self.rest = self.add(fw.SpriteBatch(solid(2, 2), count=2000))
        self.speed = self.random.normal(0, 60, (2000, 2)).astype("f4")
        self.ground = self.random.random(50_000)

    def update(self, dt: float) -> None:
        self.batch.position += self.speed * np.float32(dt)
        self.batch.angle += np.float32(dt)
        self.speed[self.tick % 2000] *= -1
        self.ground[self.tick] += 1


@pytest.mark.parametrize("memory", [1 << 21, 1 << 22, 1 << 24])
def test_the_memory_limit_is_kept_and_all_ticks_are_available(make: Make, memory: int) -> None:
    game = make(Many, frame_stats=False)
    rewind = game.recording.rewind = fw.Rewind(duration=1, memory=memory)
    hashes = {}
    for tick in range(1, 151):
        game.run_ticks(1)
        assert rewind.bytes <= memory
        assert rewind.ticks == range(max(0, tick - 60), tick + 1) or tick < 3
        hashes[tick] = game.state_hash()
    for tick in (90, 91, 117, 150, 104):
        rewind.seek(tick)
        assert game.state_hash() == hashes[tick]
    assert rewind.bytes <= memory
    rewind.resume()
    assert rewind.bytes <= memory


def test_keyframes_share_unchanged_data_and_store_patches(make: Make) -> None:
    game = make(Many, frame_stats=False)
    rewind = game.recording.rewind = fw.Rewind(duration=1, memory=1 << 26)
    game.run_ticks(120)
    keyframes = len(rewind._rewind_history.history.keyframes)
    assert keyframes > 3
    moving = 2000 * 12
    assert rewind.bytes < keyframes * moving * 1.5 + 2 * (
        game.ground.nbytes + game.speed.nbytes + 2000 * 200
    )


@pytest.mark.parametrize(("took", "apart"), [(1_000_000, 7), (3_000_000, 3), (60_000_000, 15)])
def test_the_distance_of_keyframes_depends_on_the_cost_of_ticks(
    make: Make, monkeypatch: pytest.MonkeyPatch, took: int, apart: int
) -> None:
    """Each read of the clock is ``took`` ns later: the time of a tick, and of a snapshot."""
    clock = itertools.count(0, took)
    monkeypatch.setattr(
        rewind_history, "time", SimpleNamespace(perf_counter_ns=lambda: next(clock))
    )
    monkeypatch.setattr(rewind_history, "_RERUN_BUDGET", 7_000_000)
    monkeypatch.setattr(rewind_history, "_KEYFRAME_SHARE", 0.1)
    game = make(fw.Game)
    game.recording.rewind = fw.Rewind(duration=1)
    game.run_ticks(200)
    ticks = [keyframe.tick for keyframe in game.recording.rewind._rewind_history.history.keyframes]
    assert {after - before for before, after in itertools.pairwise(ticks)} == {apart}


def test_a_too_small_memory_warns_once(make: Make) -> None:
    game = make(Many)
    game.recording.rewind = fw.Rewind(memory=1 << 16)
    with pytest.warns(
        RuntimeWarning, match=r"one keyframe of Many has \d.*Rewind\(memory="
    ) as warned:
        game.run_ticks(30)
    assert len(warned) == 1
    assert game.recording.rewind.ticks == range(0)
    game.display.window.dispatch_event("on_key_press", F4, 0)
    game.advance(1 / 60)
    assert game.tick > 30


def test_input_counts_for_the_memory_limit(make: Make) -> None:
    game = make(fw.Game)
    rewind = game.recording.rewind = fw.Rewind(memory=1 << 16)
    for _ in range(200):
        game.testing.feed([("on_mouse_motion", x, 3, 1, 0) for x in range(20)])
        game.advance(1 / 60)
        assert rewind.bytes <= 1 << 16
    assert 3 < len(rewind.ticks) < 200
    rewind.seek(rewind.ticks[2])
    rewind.resume()


# -- F4 --------------------------------------------------------------------------------------------


def press(game: Any, *symbols: int) -> None:
    for symbol in symbols:
        game.display.window.dispatch_event("on_key_press", symbol, 0)
        game.display.window.dispatch_event("on_key_release", symbol, 0)
        game.advance(1 / 60)


def test_f4_pauses_the_game_and_shows_a_strip_with_keys(make: Make) -> None:
    game = played(make, 80, size=(300, 200))
    press(game, F4)
    assert game.tick == 80
    assert (game.pixels()[-20:, 20:280, :3] != game.pictures[80][-20:, 20:280, :3]).any()
    np.testing.assert_array_equal(game.pixels()[:80], game.pictures[80][:80])
    for symbols, tick in (
        ([LEFT], 79),
        ([LEFT, LEFT, RIGHT], 78),
        ([HOME], 0),
        ([LEFT], 0),
        ([PAGE_DOWN], 60),
        ([PAGE_UP], 0),
        ([END], 80),
    ):
        press(game, *symbols)
        assert game.tick == tick
        assert (
            not tick or game.state_hash() == game.hashes[tick]
        )  # frame 0 was not drawn, and drawing moves the camera
    game.display.window.dispatch_event("on_mouse_scroll", 5, 5, 0, -3)
    game.advance(1 / 60)
    assert game.tick == 77
    press(game, F3)
    assert game.debug.overlay


@pytest.mark.parametrize("key", [SPACE, 0xFF0D, F4])
def test_space_return_and_f4_resume_from_the_selected_tick(make: Make, key: int) -> None:
    game = played(make, 60, size=(300, 200))
    press(game, F4, LEFT, LEFT, LEFT, key)
    assert (game.tick, game.recording.rewind.paused, game.recording.rewind.ticks) == (
        57,
        False,
        range(58),
    )
    game.advance(1 / 60)
    assert game.tick == 58


def test_escape_cancels_the_rewind_and_does_not_exit(make: Make) -> None:
    game = make(fw.Game, size=(300, 200))
    game.recording.rewind = fw.Rewind()
    game.run(40)
    press(game, F4, HOME)
    assert game.tick == 0
    press(game, ESCAPE)
    assert (game.tick, game.recording.rewind.paused) == (40, False)
    game.run(5)
    assert game.tick == 45


def test_a_held_arrow_key_repeats(make: Make) -> None:
    game = played(make, 60, size=(300, 200))
    press(game, F4)
    game.display.window.dispatch_event("on_key_press", LEFT, 0)
    ticks = []
    for _ in range(36):
        game.advance(1 / 60)
        ticks.append(game.tick)
    assert ticks[:15] == [59] * 15
    assert ticks[-1] == 59 - 9
    game.display.window.dispatch_event("on_key_release", LEFT, 0)
    game.advance(1)
    assert game.tick == ticks[-1]


@pytest.mark.parametrize(
    "options",
    [{}, {"pixel_ratio": 2.0}, {"resolution": (60, 60)}, {"resolution": (600, 400)}],
    ids=str,
)
def test_the_strip_can_be_dragged_at_any_resolution(make: Make, options: Any) -> None:
    game = played(make, 101, WithNotes, size=(324, 200), **options)  # the track is 276 units wide
    press(game, F4)
    window = game.display.window

    def drag(x: float) -> int:
        window.dispatch_event("on_mouse_drag", x, 40, 0, 0, 1, 0)
        game.advance(1 / 60)
        return int(game.tick)

    window.dispatch_event("on_mouse_press", 24, 150, 1, 0)  # above the strip
    assert drag(100) == 101
    window.dispatch_event("on_mouse_release", 24, 150, 1, 0)
    window.dispatch_event("on_mouse_press", 24, 40, 1, 0)
    game.advance(1 / 60)
    assert game.tick == 0
    assert drag(24 + 275) == 101
    assert abs(drag(24 + 138) - 50) <= 1
    assert drag(-500) == 0
    window.dispatch_event("on_mouse_release", 0, 40, 1, 0)
    assert drag(250) == 0


@pytest.mark.parametrize("ratio", [0.5, 1.0])
def test_the_strip_is_92_units_high_in_whole_pixels(make: Make, ratio: float) -> None:
    game = played(make, 10, WithNotes, size=(600, 400), pixel_ratio=ratio)
    before = game.pixels()
    press(game, F4)
    rows = np.flatnonzero((game.pixels() != before).any(axis=(1, 2)))
    pixels = max(1, round(ratio))
    assert (400 * ratio - rows[-1] - 1, rows[-1] - rows[0] + 1) == (12 * pixels, 92 * pixels)


def test_the_strip_marks_input_and_draws_the_selected_tick(make: Make) -> None:
    class Red(fw.Game):
        def update(self, dt: float) -> None:
            self.background = (self.tick / 100, 0, 0)

    game = make(Red, size=(324, 200))
    game.recording.rewind = fw.Rewind()
    for tick in range(1, 101):
        if tick in (25, 50):
            game.testing.press("a" if tick == 50 else "pad:a")
        if tick == 75:
            game.testing.click(10, 10)
        game.advance(1 / 60)
    press(game, F4)
    press(game, HOME)
    pixels = game.pixels()[..., :3].astype(int)
    assert pixels[5, 5, 0] < 30
    strip = pixels[-104 + 37 : -12 - 31]  # between the texts
    keys = np.argwhere((np.abs(strip - [255, 219, 102]).max(2) < 9).sum(0) > 5).ravel()
    clicks = np.argwhere((np.abs(strip - [255, 140, 191]).max(2) < 9).sum(0) > 5).ravel()
    assert keys.tolist() == [24 + round(share * 275) for share in (0.25, 0.5)]
    assert clicks.tolist() == [24 + round(0.75 * 275)]


def test_a_narrow_strip_hides_the_hint(make: Make) -> None:
    game = make(size=(320, 180))
    game.recording.rewind = fw.Rewind()
    for _ in range(150):
        game.advance(1 / 60)
    press(game, F4)
    press(game, HOME)
    head = game.pixels()[-104 + 8 : -104 + 30, :, :3].astype(int)
    assert (head[:, 170:244].max(axis=(0, 1)) > 200).any()  # "2.50 s back"
    assert head[:, 244:300].max() < 60


def test_after_a_rewind_the_keys_match_the_keyboard(make: Make) -> None:
    game = make(fw.Game, size=(300, 200))
    game.recording.rewind = fw.Rewind()
    window = game.display.window
    for tick in range(60):
        if tick == 20:
            window.dispatch_event("on_key_press", ord("a"), 0)
        if tick == 40:
            window.dispatch_event("on_key_release", ord("a"), 0)
            window.dispatch_event("on_key_press", ord("b"), 0)
        game.advance(1 / 60)
    press(game, F4)
    for _ in range(30):
        press(game, LEFT)
    assert (game.tick, game.keys["a"], game.keys["b"]) == (30, True, False)
    press(game, SPACE)
    game.advance(1 / 60)
    game.advance(1 / 60)
    assert (game.keys["a"], game.keys["b"], game.keys["space"]) == (False, True, False)


def test_f4_is_a_normal_key_without_a_rewind_or_when_handled(make: Make) -> None:
    class HandlesF4(fw.Game):
        def setup(self) -> None:
            self.keys_received: list[int] = []

        def on_key_press(self, symbol: int, modifiers: int) -> bool:
            self.keys_received.append(symbol)
            return True

    for rewind in (None, fw.Rewind()):
        game = make(HandlesF4)
        game.recording.rewind = rewind
        game.run(3)
        press(game, F4)
        game.run(3)
        assert (game.keys_received, game.tick) == ([F4], 7)


def test_f4_by_a_program_calls_the_method_once(make: Make) -> None:
    class CountsF4(fw.Game):
        def on_key_press(self, symbol: int, modifiers: int) -> None:
            self.heard = [*getattr(self, "heard", []), self.tick]

    game = make(CountsF4, size=(300, 200))
    game.recording.rewind = fw.Rewind()
    game.run(10)
    game.testing.press("f4")
    game.run(5)
    assert (game.tick, game.recording.rewind.paused, game.heard) == (11, True, [11])
    game.testing.release("f4")
    game.testing.press("left")
    game.run(2)
    assert game.tick == 10
    game.testing.press("f4")
    game.run(4)
    assert (game.tick, game.recording.rewind.paused) == (13, False)


# -- effects ---------------------------------------------------------------------------------------


class Loud(fw.Game):
    not_state = ("heard", "again")

    def setup(self) -> None:
        self.heard: list[Any] = []
        self.again = 0
        self.subscribe("hit", self.hear)
        self.subscribe("hit", lambda tick, **named: self.heard.append((tick, "too")))

    def hear(self, tick: int, loud: bool = False) -> None:
        assert not self._engine.stage.busy
        self.heard.append((tick, loud))

    def update(self, dt: float) -> None:
        self.again += self.recording.resimulating
        if self.tick % 3 == 0:
            self.emit("hit", self.tick, loud=True)
        if self.tick % 4 == 0:
            self.emit(self.heard.append, self.tick)

    def on_key_press(self, symbol: int, modifiers: int) -> None:
        self.emit(self.heard.append, chr(symbol))


def test_effects_run_after_their_tick_and_only_once(make: Make) -> None:
    game = make(Loud)
    game.recording.rewind = fw.Rewind()
    game.testing.press("a")
    game.run(8)
    expected = ["a", (3, True), (3, "too"), 4, (6, True), (6, "too"), 8]
    assert (game.heard, game.again) == (expected, 0)
    game.recording.rewind.seek(5)
    game.recording.rewind.seek(8)
    game.recording.rewind.seek(2)
    assert game.heard == expected
    assert game.again == 5 + 2  # the present was stored
    assert not game.recording.resimulating
    game.recording.rewind.resume()
    game.run(2)
    assert game.heard == [*expected, (3, True), (3, "too"), 4]  # these ticks are new
    assert game.again == 7


def test_repeated_ticks_run_their_effects_once(make: Make) -> None:
    game = make(Loud)
    snapshot = game.snapshot()
    game.run_ticks(4)
    expected = list(game.heard)
    for _ in range(3):
        game.restore(snapshot)
        game.run_ticks(4)
    assert (game.heard, game.again) == (expected, 12)
    game.run_ticks(2)
    assert (game.heard, game.again) == ([*expected, (6, True), (6, "too")], 12)
    game.restore(snapshot)
    game.advance(0)  # a frame without a tick changes nothing
    game.run_ticks(2)
    assert game.again == 14
    game.restore(snapshot)
    game.run(4)  # the ticks of the clock are new: the game starts again
    assert game.heard[-len(expected) :] == expected
    game.run_ticks(2)  # the following ticks are new too
    assert (game.heard[-1], game.again) == ((6, "too"), 14)


class Sparks(fw.SpriteBatch):
    not_state = True


def test_batches_that_are_not_state_are_kept(make: Make) -> None:
    class Sparkling(WithNotes):
        def setup(self) -> None:
            self.body = self.sprites.add(solid(4, 4))
            self.sparks = self.add(Sparks(solid(2, 2), capacity=100))

        def update(self, dt: float) -> None:
            self.body.x += 1
            if self.tick % 5 == 0:
                self.emit(self.sparks.add, position=self.body.position)

    game = played(make, 33, Sparkling)
    assert len(game.sparks) == 6
    game.recording.rewind.seek(12)
    assert (len(game.sparks), game.state_hash()) == (6, game.hashes[12])
    game.advance(1 / 60)
    game.recording.rewind.resume()
    run_more(game, 3)
    assert len(game.sparks) == 7


def test_an_effect_between_ticks_runs_at_once(make: Make) -> None:
    game = make(Loud)
    game.emit(game.heard.append, 7)
    game.emit("nobody hears", 7)
    assert game.heard == [7]
    game.unsubscribe("hit", game.hear)
    game.emit("hit", 1)
    assert game.heard == [7, (1, "too")]
    with pytest.raises(ValueError, match=r"function: .* has not subscribed to 'hit'"):
        game.unsubscribe("hit", game.hear)
    with pytest.raises(
        TypeError, match="effect: expected a function, or the name of an event, got 3"
    ):
        game.emit(3)


# -- errors ----------------------------------------------------------------------------------------


def test_seeking_a_missing_tick_is_an_error_with_the_stored_range(make: Make) -> None:
    game = make(Many)
    rewind = game.recording.rewind = fw.Rewind(duration=0.5)
    with pytest.raises(ValueError, match="tick: expected one of the stored ticks, none yet, got 0"):
        rewind.seek(0)
    game.run_ticks(100)
    assert repr(rewind) == "<Rewind of ticks 70 to 100>"
    for tick in (69, 101, -1):
        with pytest.raises(
            ValueError, match=f"tick: expected one of the stored ticks, 70 to 100, got {tick}"
        ):
            rewind.seek(tick)
    with pytest.raises(TypeError, match="tick: expected a whole number"):
        rewind.seek(80.5)
    assert not rewind.paused


def test_seeking_within_a_tick_is_an_error(make: Make) -> None:
    class Wrong(fw.Game):
        def update(self, dt: float) -> None:
            if self.tick == 5:
                self.recording.rewind.seek(2)

        def on_key_press(self, symbol: int, modifiers: int) -> None:
            self.recording.rewind.seek(1)

    for key in (None, "a"):
        game = make(Wrong)
        game.recording.rewind = fw.Rewind()
        game.run_ticks(4)
        if key:
            game.testing.press(key)
        with pytest.raises(
            fw.FrameworkError, match=r"rewind\.seek: a tick .*not finished yet.*call_soon"
        ):
            game.run_ticks(1)


def test_a_rewind_belongs_to_one_game(make: Make) -> None:
    rewind = fw.Rewind()
    for call in (lambda: rewind.seek(1), rewind.show):
        with pytest.raises(
            fw.FrameworkError, match=r"it belongs to no game; set game\.recording\.rewind"
        ):
            call()
    rewind.resume()
    rewind.cancel()
    assert (repr(rewind), rewind.ticks, rewind.bytes, rewind.paused) == (
        "<Rewind>",
        range(0),
        0,
        False,
    )
    first_game = make(Many)
    second_game = make(Many)
    first_game.recording.rewind = rewind
    with pytest.raises(fw.FrameworkError, match="this Rewind belongs to another game"):
        second_game.recording.rewind = rewind
    assert second_game.recording.rewind is None
    with pytest.raises(
        TypeError, match="rewind: expected a Rewind or None, got the class Rewind: make one"
    ):
        second_game.recording.rewind = fw.Rewind
    first_game.run_ticks(5)
    rewind.seek(2)
    first_game.recording.rewind = None
    first_game.run(2)
    assert (first_game.tick, first_game.recording.rewind, rewind.bytes) == (4, None, 0)
    second_game.recording.rewind = rewind
    second_game.run_ticks(3)
    assert rewind.ticks == range(4)


def test_the_error_of_an_unsupported_value_names_it(make: Make) -> None:
    class Script(fw.Game):
        def setup(self) -> None:
            self.script = (number for number in range(9))

    game = make(Script)
    game.recording.rewind = fw.Rewind()
    with pytest.raises(fw.FrameworkError, match=r"game\.script is a generator"):
        game.run_ticks(1)


def test_a_custom_timestep_is_refused(make: Make) -> None:
    class Own:
        alpha = dropped_time = time = 0.0
        tick = 0
        time_scale = 1.0
        paused = False

        def advance(self, now: int) -> tuple[()]:
            return ()

        def step(self, n: int = 1) -> None: ...

        def give_back(self, n: int) -> None: ...

    game = make(fw.Game, timestep=Own())
    with pytest.raises(
        fw.FrameworkError, match="rewind: expected one of the framework's timesteps, got Own"
    ):
        game.recording.rewind = fw.Rewind()
    assert game.recording.rewind is None


def test_a_rewind_does_not_change_the_game(make: Make) -> None:
    hashes = []
    for rewind in (None, fw.Rewind()):
        game = make(Swarm, seed=9)
        game.recording.rewind = rewind
        for _ in range(40):
            play(game, game.tick + 1)
            game.advance(1 / 60)
        hashes.append(game.state_hash())
    assert hashes[0] == hashes[1]


def test_a_game_with_a_rewind_passes_the_sync_test() -> None:
    class Winds(Swarm):
        def setup(self) -> None:
            super().setup()
            self.recording.rewind = fw.Rewind()

    fw.sync_test(Winds, ticks=40, check_distance=8, size=(200, 100)).check()


def test_a_window_can_be_closed_while_the_strip_is_shown(make: Make) -> None:
    game = played(make, 10)
    press(game, F4)
    game.display.window.dispatch_event("on_close")
    game.run(100)
    assert game.debug.frames < 20


def test_a_repeated_tick_that_fails_leaves_the_game_usable(make: Make) -> None:
    class Fails(fw.Game):
        broken = False
        not_state = ("broken",)

        def update(self, dt: float) -> None:
            if self.broken and self.tick == 7:
                raise RuntimeError("at last")

    game = make(Fails)
    game.recording.rewind = fw.Rewind()
    game.run_ticks(10)
    game.broken = True
    with pytest.raises(RuntimeError, match="at last"):
        game.recording.rewind.seek(8)
    assert not game.recording.resimulating
    game.recording.rewind.seek(5)
    game.broken = False
    game.recording.rewind.resume()
    game.run(3)
    assert game.tick == 8


def test_a_closed_game_cannot_be_rewound(make: Make) -> None:
    game = played(make, 5, WithNotes)
    rewind = game.recording.rewind
    game.close()
    with warnings.catch_warnings(), pytest.raises(fw.FrameworkError, match="closed"):
        rewind.seek(2)


# -- recordings ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "backs", [[(50, 30)], [(1300, 1190), (1250, 900)], [(700, 600), (640, 599), (700, 100)]]
)
def test_a_recording_contains_the_final_history(
    make: Make, tmp_path: Path, backs: list[tuple[int, int]]
) -> None:
    class Walks(WithNotes):
        x = 0.0

        def update(self, dt: float) -> None:
            self.x += self.random.normal() + self.keys.axis("left", "right") + self.keys["a"]

    path = tmp_path / "walk.replay"
    game = make(Walks, frame_stats=False)
    game.recording.rewind = fw.Rewind(duration=12)
    game.recording.start(path, hash_every=10)

    def on(ticks: int, salt: int) -> None:
        for _ in range(ticks):
            play(game, game.tick + 1 + salt)
            game.run_ticks(1)

    for salt, (far, back) in enumerate(backs):
        on(far - game.tick, 10_000 * salt)
        game.recording.rewind.seek(back - 5)
        game.recording.rewind.cancel()
        game.recording.rewind.seek(back)
        game.recording.rewind.resume()
    on(75, 99_000)
    x = game.x
    ticks = game.tick
    state = game.state_hash()
    game.recording.stop()
    replay = fw.Replay.open(path)
    assert (replay.ticks, replay.complete) == (ticks, True)
    assert [tick for tick, _ in replay.hashes()] == list(range(10, ticks + 1, 10))
    report = replay.verify(Walks)
    assert report.ok, str(report)
    with replay.playing(Walks, headless=True) as (replayed, playback):
        for _ in playback.run():
            pass
        assert (replayed.x, replayed.state_hash()) == (x, state)


def test_a_recording_ends_at_a_restore(make: Make, tmp_path: Path) -> None:
    game = make(Swarm)
    game.recording.start(tmp_path / "swarm.replay")
    game.run_ticks(5)
    snapshot = game.snapshot()
    game.run_ticks(15)
    with pytest.warns(
        RuntimeWarning,
        match=r"The recording ends here: the game was restored .*game\.recording\.rewind",
    ):
        game.restore(snapshot)
    game.run_ticks(3)
    game.close()
    assert fw.Replay.open(tmp_path / "swarm.replay").ticks == 20


def test_a_replayed_game_cannot_be_rewound(make: Make, tmp_path: Path) -> None:
    path = tmp_path / "a.replay"
    with Swarm(headless=True) as game:
        game.recording.start(path)
        game.run_ticks(9)
    with fw.Replay.open(path).playing(Swarm, headless=True) as (replayed, playback):
        replayed.recording.rewind = fw.Rewind()
        for _ in playback.run(6):
            pass
        with pytest.raises(fw.FrameworkError, match="this game plays a recording"):
            replayed.recording.rewind.seek(3)


def test_a_sound_of_a_repeated_tick_has_the_voice_of_its_first_run(make: Make) -> None:
    class Hum(fw.Game):
        def setup(self) -> None:
            self.recording.rewind = fw.Rewind(duration=5)

        def update(self, dt: float) -> None:
            if self.tick == 5:
                self.voice = fw.Sound.tone(440, 9).play()

    game = make(Hum, drawing=False)
    game.run_ticks(30)
    voice = game.voice
    game.recording.rewind.seek(6)
    assert game.voice is voice
