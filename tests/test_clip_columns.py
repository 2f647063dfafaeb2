"""Rows that play clips: frames, ends, markers and saves, without drawing."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from pictures import solid

import framework as fw
from framework.motion.clip_columns import PlayedPoses2D
from framework.state.rows import table_of
from framework.timing.flicks import FLICKS

pytestmark = pytest.mark.usefixtures("no_open_game")

IMAGES = [solid(4 + n, 4, (200, 0, 0, 255)) for n in range(12)]
TICK = Fraction(1, 60)


def table_with_clips(rows: int = 1, **clips: Any) -> PlayedPoses2D:
    """Return a table of rows that are in no game."""
    return table_of(batch_of(rows, **clips))  # type: ignore[return-value]


def batch_of(rows: int = 1, **clips: Any) -> fw.SpriteBatch:
    return fw.SpriteBatch(fw.Clips(IMAGES, **clips), rows)


def tick(batch: Any, dt: Any = TICK, times: int = 1) -> None:
    for _ in range(times):
        table_of(batch).begin_tick(dt)
        table_of(batch).end_tick()


def image_numbers(batch: fw.SpriteBatch) -> list[int]:
    return batch.shown_images().tolist()


# -- which frame -----------------------------------------------------------------------------------


@pytest.mark.parametrize("tick_rate", [60, 50, 144, 30, 11, Fraction(60000, 1001)])
@pytest.mark.parametrize("rate", [12, 10, 8, 7, 11, 13, 12.5, 24, 1000, Fraction(1, 3)])
def test_after_hours_the_frames_match_exact_arithmetic(rate: Any, tick_rate: Any) -> None:
    batch = batch_of(walk=(2, 7, rate))
    random = np.random.default_rng(5)
    tick(batch, Fraction(3, tick_rate))
    table_of(batch).begin_tick(0)
    batch.play("walk")
    ticks_done = 0
    frame = Fraction(tick_rate) / Fraction(rate)  # ticks
    for part in random.integers(0, int(Fraction(tick_rate) * 3600), 24).tolist():
        # Every other part ends exactly at the end of a frame, if a tick can.
        end = (
            ticks_done + part
            if part % 2
            else int((ticks_done + part) // frame.numerator * frame.numerator)
        )
        if end > ticks_done:
            table_of(batch).begin_tick(Fraction(end - ticks_done) / Fraction(tick_rate))
            ticks_done = end
        table_of(batch).begin_tick(0)
        assert image_numbers(batch) == [
            2 + int(Fraction(ticks_done) / Fraction(tick_rate) * Fraction(rate)) % 7
        ]
    assert ticks_done > 3600 * tick_rate


def test_a_clip_of_0_3_seconds_loops_200_times_in_a_minute() -> None:
    batch = batch_of(spin=fw.Clip([0, 1, 2], rate=10, markers={"round": 0}))
    tick(batch)
    batch.play("spin")
    loops = -1  # the first start of the clip is not the end of a loop
    for _ in range(3600):
        tick(batch)
        loops += len(batch.marked("round"))
    assert loops == 200


def test_every_row_starts_at_the_first_frame() -> None:
    batch = batch_of(3, walk=(0, 6, 60))
    tick(batch)
    for row in range(3):
        batch.play("walk", row)
        assert image_numbers(batch)[row] == 0
        tick(batch)
    assert image_numbers(batch) == [3, 2, 1]


def test_a_clip_played_within_a_tick_starts_at_its_first_frame() -> None:
    batch = batch_of(walk=(0, 6, 240))
    tick(batch, times=5)
    table_of(batch).begin_tick(TICK)
    batch.play("walk")
    table_of(batch).end_tick()
    assert [int(batch.shown_images(alpha)[0]) for alpha in (0, 0.24, 0.26, 0.51, 0.76, 0.99)] == [
        0,
        0,
        1,
        2,
        3,
        3,
    ]
    tick(batch)
    assert image_numbers(batch) == [4]


@pytest.mark.parametrize("loop", [True, False])
def test_frames_have_their_own_durations(loop: bool) -> None:
    batch = batch_of(it=fw.Clip([1, 2, 3], seconds=[0.1, 0.25, 0.05], loop=loop))
    batch.play("it")
    tick(batch)
    images = []
    for _ in range(48):
        images += image_numbers(batch)
        tick(batch)
    once = [1] * 6 + [2] * 15 + [3] * 3
    assert images == (once * 2 if loop else once + [3] * 24)


def test_ping_pong_plays_back_and_forth() -> None:
    batch = batch_of(it=fw.Clip([4, 5, 6], rate=60, ping_pong=True))
    batch.play("it")
    images = []
    for _ in range(8):
        tick(batch)
        images += image_numbers(batch)
    assert images == [4, 5, 6, 5, 4, 5, 6, 5]


def test_rows_without_a_clip_show_their_image_column() -> None:
    batch = batch_of(3, walk=(0, 6, 60))
    batch.image[:] = 7, 8, 9
    batch.play("walk", 1)
    tick(batch, times=3)
    assert image_numbers(batch) == [7, 2, 9]
    batch[1].image = 4
    assert batch[1].clip is None
    tick(batch)
    assert image_numbers(batch) == [7, 4, 9]


def test_stop_keeps_the_current_image() -> None:
    batch = batch_of(3, walk=(0, 6, 60))
    batch.play("walk")
    tick(batch, times=4)
    batch.stop([0, 2])
    batch.stop([0])
    tick(batch, times=2)
    assert image_numbers(batch) == [3, 5, 3]
    assert batch.playing("walk").tolist() == [1]
    assert [sprite.clip for sprite in batch] == [None, "walk", None]


# -- playing ---------------------------------------------------------------------------------------


def test_a_playing_clip_continues_without_restart() -> None:
    batch = batch_of(walk=(0, 8, 60), run=(0, 8, 60))
    sprite = batch[0]
    sprite.play("walk")
    tick(batch, times=4)
    sprite.play("walk")
    batch.play("walk")
    assert image_numbers(batch) == [3]
    sprite.play("walk", restart=True)
    assert image_numbers(batch) == [0]
    tick(batch, times=2)
    sprite.play("run")
    assert image_numbers(batch) == [0]


def test_a_clip_ends_in_one_tick_and_keeps_its_last_frame() -> None:
    batch = batch_of(2, hit=fw.Clip([3, 4], rate=10, loop=False))
    tick(batch, times=2)
    batch.play("hit", 1)
    ends = []
    for number in range(1, 40):
        tick(batch)
        if len(batch.ended("hit")):
            ends.append(
                (number, batch.ended("hit").tolist(), batch.ended().tolist(), batch[1].clip_ended)
            )
        assert batch[1].clip == "hit"
        assert batch[1].image == (3 if number < 6 else 4)
    assert ends == [(12, [1], [1], True)]
    assert batch[1].clip_ended
    assert not batch[0].clip_ended
    batch.play("hit")  # the clip has ended, so it plays from the beginning
    assert image_numbers(batch) == [3, 3]
    assert not batch[1].clip_ended


def test_the_next_clip_starts_exactly_at_the_end_of_the_first() -> None:
    batch = batch_of(hit=fw.Clip([3, 4], rate=16, loop=False), walk=(5, 6, 240))
    tick(batch)
    batch.play("hit", then="walk")
    images = []
    for number in range(
        1, 15
    ):  # the clip ends after 7.5 ticks, and a tick is four frames of the next clip
        tick(batch)
        images += image_numbers(batch)
        assert batch.ended("hit").tolist() == ([0] if number == 8 else [])
    assert images == [3, 3, 3, 4, 4, 4, 4, *[5 + (2 + 4 * n) % 6 for n in range(7)]]
    assert batch[0].clip == "walk"


def test_a_next_clip_shorter_than_a_tick_ends_in_the_next_tick() -> None:
    batch = batch_of(a=fw.Clip([3], rate=60, loop=False), b=fw.Clip([4], rate=1000, loop=False))
    batch.play("a", then="b")
    tick(batch)
    ends = []
    for _ in range(4):
        tick(batch)
        ends.append((batch.ended("a").tolist(), batch.ended("b").tolist()))
    assert ends == [([0], []), ([], [0]), ([], []), ([], [])]
    assert image_numbers(batch) == [4]


def test_each_row_has_an_exact_speed() -> None:
    batch = batch_of(5, walk=(0, 8, 12))
    batch.play("walk", speed=[1, 2, 0.5, 0, 2.5])
    assert batch.clips.speeds.tolist() == [1, 2, 0.5, 0, 2.5]
    table_of(batch).begin_tick(0)
    for hours in (1, 10):
        tick(batch, 3600 * hours + 1 / 4)
        table_of(batch).begin_tick(0)
    # 11 hours and half a second are 475,206 frames.
    assert image_numbers(batch) == [475206 % 8, 950412 % 8, 237603 % 8, 0, 1188015 % 8]


def test_a_new_speed_continues_from_the_current_frame() -> None:
    batch = batch_of(2, walk=(0, 8, 60), hit=fw.Clip(range(8), rate=60, loop=False))
    batch.play("walk", 0)
    batch.play("hit", 1)
    tick(batch, times=4)
    assert image_numbers(batch) == [3, 3]
    batch.set_clip_speed(0)
    tick(batch, times=100)
    assert image_numbers(batch) == [3, 3]
    batch.set_clip_speed([0.5, 0.25])
    batch[0].clip_speed = 0.5
    tick(batch, times=4)
    assert image_numbers(batch) == [5, 4]
    batch[1].clip_speed = 2
    tick(batch, times=1)
    assert len(batch.ended()) == 0
    tick(batch, times=1)
    assert batch.ended("hit").tolist() == [1]
    assert batch[1].clip_speed == 2


def test_skip_starts_later_in_the_clip() -> None:
    batch = batch_of(3, walk=(0, 8, 8), hit=fw.Clip(range(8), rate=8, loop=False))
    batch.play("walk", skip=[0.25, 0.5, 2.875])
    assert image_numbers(batch) == [2, 4, 7]
    batch.play("hit", skip=[0, 0.75, 9])
    assert image_numbers(batch) == [0, 6, 7]
    tick(batch)
    assert batch.ended("hit").tolist() == [2]


def test_a_clip_that_ended_long_ago_shows_its_last_frame() -> None:
    batch = batch_of(2, hit=fw.Clip([3, 4], rate=1000, loop=False), walk=(0, 8, 12))
    batch.play("hit", 0)
    batch.play("walk", 1)
    tick(batch)
    ended = 0
    for minutes in (1, 2, 5, 1, 60, 600):  # a phase can only count 131 seconds of this clip
        for length in (60 * minutes, TICK):
            tick(batch, length)
            ended += len(batch.ended())
        assert image_numbers(batch)[0] == 4
    assert ended == 1


# -- markers ---------------------------------------------------------------------------------------


def test_markers_are_reported_in_the_tick_of_their_frame() -> None:
    batch = batch_of(2, walk=fw.Clip(range(8), rate=30, markers={"step": (0, 3)}))
    tick(batch)
    table_of(batch).begin_tick(TICK)
    batch.play("walk", 0)
    batch.play("walk", 1, skip=0.1)  # at the fourth frame
    table_of(batch).end_tick()
    marked_rows = [batch.marked("step").tolist()]
    frames = [image_numbers(batch)]
    for _ in range(20):
        tick(batch)
        marked_rows.append(batch.marked("step").tolist())
        frames.append(image_numbers(batch))
    expected = []
    for number in range(21):
        new = (
            [0, 1]
            if number == 0
            else [row for row in (0, 1) if frames[number][row] != frames[number - 1][row]]
        )
        expected.append([row for row in new if frames[number][row] in (0, 3)])
    assert marked_rows == expected
    assert sum(map(len, marked_rows)) == 6


def test_markers_of_a_very_short_loop_are_reported_in_each_tick() -> None:
    batch = batch_of(it=fw.Clip([0, 1], rate=1000, markers={"beat": 1}))
    batch.play("it")
    tick(batch)
    for _ in range(5):
        tick(batch)
        assert batch.marked("beat").tolist() == [0]


def test_markers_of_an_ended_clip_are_not_repeated() -> None:
    batch = batch_of(hit=fw.Clip([3, 4], rate=20, loop=False, markers={"hit": (0, 1)}))
    batch.play("hit")
    counts = []
    for _ in range(30):
        tick(batch)
        counts.append(len(batch.marked("hit")))
    assert [number for number, count in enumerate(counts) if count] == [0, 3]


def test_markers_of_a_clip_that_is_shorter_than_a_tick_are_reported_once() -> None:
    batch = batch_of(hit=fw.Clip([3, 4], rate=1000, loop=False, markers={"hit": 1}))
    batch.play("hit")
    reached = []
    for _ in range(4):
        tick(batch)
        reached.append(batch.marked("hit").tolist())
    assert reached == [[], [0], [], []]


def test_a_tick_without_duration_has_no_markers_and_ends() -> None:
    batch = batch_of(hit=fw.Clip([3, 4], rate=30, loop=False, markers={"hit": 1}))
    batch.play("hit")
    tick(batch, times=3)
    assert len(batch.marked("hit")) == 1
    tick(batch, 0.0)
    tick(batch, 0.0)
    assert len(batch.marked("hit")) == 0


# -- rows ------------------------------------------------------------------------------------------


def test_clips_stay_with_their_rows() -> None:
    batch = batch_of(6, walk=(0, 8, 60), hit=fw.Clip([9, 10], rate=30, loop=False))
    batch.play("walk", [0, 2, 4], skip=np.array([0, 0.05, 0.1]))
    batch.play("hit", 5)
    tick(batch)
    sprite = batch[4]
    batch.remove([1, 3])
    batch[0].remove()
    assert batch.playing("walk").tolist() == [0, 1]
    assert image_numbers(batch) == [3, 6, 9]
    assert sprite.image == 6
    new = batch.extend(2, 11)
    tick(batch, times=4)
    assert image_numbers(batch) == [7, 2, 10, 11, 11]
    assert batch.ended().tolist() == [2]
    assert batch.playing("hit").tolist() == [2]
    batch.play("walk", new)
    assert image_numbers(batch)[3:] == [0, 0]


def test_a_growing_batch_keeps_its_clips() -> None:
    batch = batch_of(1, walk=(0, 8, 60))
    batch.play("walk")
    tick(batch, times=3)
    for _ in range(100):
        batch.add()
    assert image_numbers(batch) == [2] + [0] * 100


def test_clip_columns_cannot_be_written() -> None:
    batch = batch_of(walk=(0, 8, 60))
    with pytest.raises(TypeError, match="clip_due: not a column"):
        batch.extend(1, clip_due=4)


def test_collisions_use_the_current_image() -> None:
    narrow = solid(2, 10)
    wide = solid(40, 10)
    batch = fw.SpriteBatch(fw.Clips([narrow, wide], swing=(0, 2, 60)), 2)
    batch.position[:] = (0, 0), (20, 0)
    batch.play("swing", 0)
    assert len(fw.collide.overlaps(batch)) == 0
    tick(batch, times=2)
    assert fw.collide.overlaps(batch).tolist() == [[0, 1]]


# -- in games --------------------------------------------------------------------------------------


class Crowd(fw.Game):
    saved = ("crowd",)

    def setup(self) -> None:
        clips = fw.Clips(
            IMAGES,
            walk=fw.Clip(range(8), rate=12, markers={"step": (1, 5)}),
            hit=fw.Clip([9, 10, 11], rate=10, loop=False),
        )
        self.crowd = self.add(fw.SpriteBatch(clips, 20))
        self.crowd.play(
            "walk", skip=self.random.uniform(0, 1, 20), speed=self.random.uniform(0.5, 2, 20)
        )
        self.log: list[Any] = []

    def update(self, dt: float) -> None:
        if self.tick % 7 == 0:
            self.crowd.play(
                "hit",
                int(self.random.integers(len(self.crowd))),
                then="walk" if self.tick % 2 else None,
            )
        if self.tick == 50:
            self.crowd.remove([3, 4])
        if self.tick % 31 == 0:
            self.crowd.set_clip_speed(self.random.uniform(0, 2, len(self.crowd)))
        marked = self.crowd.marked("step").tolist()
        self.log.append(
            (self.crowd.shown_images().tolist(), self.crowd.ended("hit").tolist(), marked)
        )


@pytest.fixture
def crowd() -> Iterator[Crowd]:
    with Crowd(drawing=False) as game:
        yield game


def test_a_restored_game_repeats_its_clips(crowd: Crowd) -> None:
    crowd.run_ticks(40)
    before = crowd.state_hash()
    snapshot = crowd.snapshot()
    crowd.run_ticks(80)
    log = list(crowd.log)
    after = crowd.state_hash()
    crowd.restore(snapshot)
    assert crowd.state_hash() == before
    crowd.run_ticks(80)
    assert crowd.log == log
    assert crowd.state_hash() == after
    assert any(ended for _, ended, _ in log)
    assert any(marked for _, _, marked in log)


def test_clips_have_the_same_state_with_exact(crowd: Crowd) -> None:
    crowd.run_ticks(60)
    with Crowd(drawing=False, exact=True) as exact_game:
        exact_game.run_ticks(60)
        assert exact_game.log == crowd.log
        assert exact_game.state_hash() == crowd.state_hash()


def test_the_state_hash_covers_clips(crowd: Crowd) -> None:
    paths = {path: str(value) for path, value in crowd.debug.state_values().items()}
    assert "game.crowd.clip" in paths
    assert "game.crowd.clip_motion" not in paths
    crowd.run_ticks(1)
    before = crowd.state_hash()
    crowd.crowd.set_clip_speed(0.3, 2)
    assert crowd.state_hash() != before


def test_a_loaded_game_continues_its_clips(crowd: Crowd, tmp_path: Any) -> None:
    crowd.run_ticks(45)
    crowd.save(path=str(tmp_path / "a.save"))
    rows = crowd.crowd.shown_images()
    bits = crowd.random.bit_generator.state
    ended = crowd.crowd.ended("hit").tolist()
    crowd.run_ticks(30)
    log = crowd.log[-30:]
    with Crowd(drawing=False) as loaded_game:
        loaded_game.run_ticks(45)
        loaded_game.crowd.play("hit")
        table_of(loaded_game.crowd).begin_tick(7.7)
        table_of(loaded_game.crowd).end_tick()
        loaded_game.load(path=str(tmp_path / "a.save"))
        assert (loaded_game.crowd.shown_images() == rows).all()
        assert loaded_game.crowd.ended("hit").tolist() == ended
        loaded_game.random.bit_generator.state = bits
        loaded_game.log.clear()
        loaded_game.run_ticks(30)
        assert loaded_game.log == log


def test_a_save_with_impossible_clip_numbers_is_refused(crowd: Crowd, tmp_path: Any) -> None:
    for name, value in (("clip_pace", np.nan), ("clip_due", -(2**63))):
        column = table_of(crowd.crowd).column(name)
        original = column.data.copy()
        column.data[3] = value
        crowd.save(path=str(tmp_path / "bad.save"))
        column.data[:] = original
        with pytest.raises(fw.AssetError, match=name):
            crowd.load(path=str(tmp_path / "bad.save"))
    crowd.run_ticks(3)


def test_clips_are_saved_by_their_names(tmp_path: Any) -> None:
    class Walkers(fw.Game):
        saved = ("walkers",)

    def walkers(**clips: Any) -> fw.Game:
        game = Walkers(drawing=False)
        game.walkers = game.add(fw.SpriteBatch(fw.Clips(IMAGES, **clips), 3))
        return game

    walk = (2, 3, 6)
    hit = fw.Clip([0, 1], rate=60, loop=False)
    with walkers(walk=walk, hit=hit) as game:
        game.walkers.play("hit", 1, then="walk")
        game.walkers.play("walk", 2)
        game.save(path=tmp_path / "one.save")
    with walkers(added=(5, 2, 1), hit=hit, walk=walk) as game:
        game.walkers.play("added")
        game.load(path=tmp_path / "one.save")
        assert [sprite.clip for sprite in game.walkers] == [None, "hit", "walk"]
        game.run_ticks(4)
        assert [sprite.clip for sprite in game.walkers] == [None, "walk", "walk"]
    with (
        walkers(hit=hit) as game,
        pytest.raises(fw.AssetError, match=r"walkers\.clip: the save has an image, a clip"),
    ):
        game.load(path=tmp_path / "one.save")


class SlowGame(fw.Game):
    def setup(self) -> None:
        self.slow = self.schedule.group(0.25)
        clips = fw.Clips(IMAGES, walk=(0, 8, 60))
        self.batches = [self.add(fw.SpriteBatch(clips, 1)) for _ in range(2)]
        self.batches[1].clips.group = self.slow
        for batch in self.batches:
            batch.play("walk")


class PauseScene(fw.Scene):
    pass


def test_clips_pause_with_the_game_and_slow_down_with_their_group() -> None:
    with SlowGame(drawing=False) as game:
        game.run_ticks(5)  # four ticks of clip time have passed in the fifth tick
        assert [batch[0].image for batch in game.batches] == [4, 1]
        game.push(PauseScene())
        game.run_ticks(7)
        assert [batch[0].image for batch in game.batches] == [
            5,
            1,
        ]  # only the fifth tick of clip time has passed
        game.pop()
        game.run_ticks(4)
        assert [batch[0].image for batch in game.batches] == [0, 2]
        game.slow.time_scale = 0
        game.run_ticks(4)
        assert [batch[0].image for batch in game.batches] == [4, 2]
        assert game.batches[1].clips.group is game.slow
        game.batches[1].clips.group = None
        game.run_ticks(3)
        assert game.batches[1][0].image == 4


def test_slow_motion_of_the_game_slows_clips() -> None:
    with SlowGame(drawing=False) as game:
        game.timestep.time_scale = 0.5
        for _ in range(8):
            game.advance(1 / 60)
        image = game.batches[0][0].image
        assert image == game.tick - 1 == 3


def test_a_batch_without_clips_refuses_clip_methods() -> None:
    batch = fw.SpriteBatch(IMAGES, 2)
    assert batch.clips.names == ()
    assert image_numbers(batch) == [0, 0]
    assert batch[0].clip is None
    assert not batch[0].clip_ended
    assert not isinstance(table_of(batch), PlayedPoses2D)
    for call in (
        lambda: batch.play("walk"),
        lambda: batch[0].play("walk"),
        lambda: batch.ended("walk"),
        lambda: batch.stop(),
        lambda: batch.marked("walk"),
        lambda: batch.set_clip_speed(2),
        lambda: batch.clips.group,
        lambda: batch.clips.speeds,
        lambda: batch.playing("walk"),
    ):
        with pytest.raises(
            fw.FrameworkError, match=r"this batch has no clips; make it with clips: fw\.SpriteBatch"
        ):
            call()


BAD: list[tuple[Any, type[Exception], str]] = [
    (lambda b: b.play("wlak"), ValueError, "name: there is no clip 'wlak'; did you mean 'walk'"),
    (lambda b: b.play("zzz"), ValueError, "there are walk, hit"),
    (lambda b: b.play(3), TypeError, "name"),
    (lambda b: b.play("hit", then="wlak"), ValueError, "then: there is no clip"),
    (lambda b: b.play("walk", 7), ValueError, "rows: there are 3 rows"),
    (lambda b: b.play("walk", [True, False]), ValueError, "rows: expected a mask"),
    (lambda b: b.play("walk", [0.5]), TypeError, "rows"),
    (lambda b: b.play("walk", fw.SpriteBatch(IMAGES, 1)[0]), ValueError, "another batch"),
    (lambda b: b.play("walk", speed=-1), ValueError, "speed"),
    (lambda b: b.play("walk", speed=float("nan")), ValueError, "speed"),
    (
        lambda b: b.play("walk", speed=[1, 2]),
        ValueError,
        "speed: expected a number, or one for each of 3 rows",
    ),
    (
        lambda b: b.play("walk", speed=[1, 2, -1]),
        ValueError,
        "speed: expected numbers from 0 to 1000",
    ),
    (lambda b: b.play("walk", speed=["a", "b", "c"]), TypeError, "speed"),
    (lambda b: b.play("walk", speed=[[1], [2, 3]]), TypeError, "speed"),
    (lambda b: b.play("walk", skip=-1), ValueError, "skip"),
    (lambda b: b.play("walk", restart="no"), TypeError, "restart"),
    (lambda b: b.set_clip_speed("fast"), TypeError, "speed"),
    (lambda b: b.ended("hot"), ValueError, "did you mean 'hit'"),
    (lambda b: b.marked("stp"), ValueError, "there is no marker 'stp'; did you mean 'step'"),
    (lambda b: b.shown_images(2), ValueError, "alpha"),
    (lambda b: setattr(b.clips, "group", 3), TypeError, "group"),
]


@pytest.mark.parametrize("number", range(len(BAD)))
def test_wrong_arguments_are_errors_with_their_names(number: int) -> None:
    call, kind, words = BAD[number]
    batch = batch_of(3, walk=fw.Clip(range(8), rate=8, markers={"step": 1}), hit=(9, 2, 4))
    before = [column.data[:3].copy() for column in table_of(batch).columns]
    with pytest.raises(kind, match=words):
        call(batch)
    for column, data in zip(table_of(batch).columns, before, strict=True):
        assert (column.data[:3] == data).all()


def test_a_removed_sprite_refuses_clip_methods() -> None:
    batch = batch_of(2, walk=(0, 8, 60))
    sprite = batch[1]
    sprite.remove()
    for call in (
        lambda: sprite.play("walk"),
        lambda: sprite.clip,
        lambda: sprite.stop(),
        lambda: sprite.clip_ended,
    ):
        with pytest.raises(ValueError, match="removed"):
            call()


def test_the_end_of_a_clip_is_stored_in_flicks() -> None:
    batch = batch_of(hit=fw.Clip([0, 1, 2], rate=7, loop=False))
    batch.play("hit")
    assert table_of(batch).column("clip_due").data[0] == 3 * FLICKS // 7


def test_a_rewind_restores_the_frames() -> None:
    with Crowd(drawing=False) as game:
        game.recording.rewind = fw.Rewind(duration=5)
        images_by_tick = {}
        for _ in range(90):
            game.run_ticks(1)
            images_by_tick[game.tick] = game.crowd.shown_images().tolist()
        for tick_number in (60, 33, 71, 12, 90):
            game.recording.rewind.seek(tick_number)
            assert game.crowd.shown_images().tolist() == images_by_tick[tick_number]


def test_clip_speed_can_be_tweened() -> None:
    with SlowGame(drawing=False) as game:
        sprite = game.batches[0][0]
        game.tween(sprite, clip_speed=0, duration=0.5)
        game.run_ticks(15)
        assert 0.4 < sprite.clip_speed < 0.6
        game.run_ticks(30)
        image = sprite.image
        game.run_ticks(30)
        assert (sprite.clip_speed, sprite.image) == (0, image)


class GunGame(fw.Game):
    saved = ("nodes", "guns")

    def setup(self) -> None:
        self.nodes = fw.Nodes2D()
        self.guns = self.add(fw.NodeSprites(fw.Clips(IMAGES, fire=(0, 6, 12)), self.nodes))
        for _ in range(3):
            self.guns.show(self.nodes.add())
        self.guns.play("fire", 1)


def test_node_sprites_are_saved_with_their_clips(tmp_path: Any) -> None:
    with GunGame(drawing=False) as game:
        game.run_ticks(21)
        game.save(path=str(tmp_path / "guns.save"))
        assert image_numbers(game.guns) == [0, 4, 0]
        game.guns.stop()
        game.run_ticks(3)
        game.load(path=str(tmp_path / "guns.save"))
        game.run_ticks(6)
        assert image_numbers(game.guns) == [0, 5, 0]
        table_of(game.guns).column("clip_pace").data[2] = -7
        game.save(path=str(tmp_path / "guns.save"))
        with pytest.raises(fw.AssetError, match="clip_pace"):
            game.load(path=str(tmp_path / "guns.save"))
