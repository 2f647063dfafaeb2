"""Effects of ticks that run again with other input, as in a rollback.

Each true effect happens once. False effects are withdrawn.
"""

from __future__ import annotations

import gc
import random
from collections import Counter
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any
from weakref import ref

import numpy as np
import pytest
from pyglet.math import Vec2

import framework as fw
from framework.audio.audio import console_of
from framework.audio.voices import track_of
from framework.game.resimulation import Resimulation
from framework.record.content_keys import content_key
from framework.record.effect_log import EffectLog

Make = Callable[..., Any]

CLICK = fw.Sound.tone(440, 0.5)
HUM = fw.Sound.tone(220, 0.5)


class Duel(fw.Game):
    """A game in which each "a" of the input is a hit of the left side, each "b" of the right side."""

    not_state = ("received", "withdrawn", "goals", "held_sides")

    def setup(self) -> None:
        self.received: list[Any] = []
        self.withdrawn: list[Any] = []
        self.goals: list[Any] = []
        self.score = 0
        self.held_sides = ""
        self.subscribe("hit", self.receive, withdrawn=self.withdraw)
        self.subscribe("goal", lambda *goal: self.goals.append(goal))

    def receive(self, *hit: Any) -> None:
        self.received.append(hit)

    def withdraw(self, *hit: Any) -> None:
        self.withdrawn.append(hit)

    def update(self, dt: float) -> None:
        for side in "ab":
            if side in self.held_sides:
                self.score += 1
                self.emit("hit", self.tick, side)
                if self.score % 3 == 0:
                    self.emit("goal", self.score, when="confirmed")


def run(game: Any, input_text: str) -> None:
    """Run a tick with the input ``held``."""
    game.held_sides = input_text
    game.run_ticks(1)


@pytest.fixture
def duel() -> Any:
    with Duel(drawing=False) as game:
        yield game


def test_a_wrong_effect_is_withdrawn_and_the_right_one_delivered(duel: Any) -> None:
    before = duel.snapshot()
    run(duel, "a")
    assert duel.received == [(1, "a")]
    duel.restore(before)
    run(duel, "b")
    assert duel.received == [(1, "a"), (1, "b")]
    assert duel.withdrawn == [(1, "a")]
    duel.restore(before)
    run(duel, "b")  # the same input again: nothing happens
    assert (len(duel.received), len(duel.withdrawn)) == (2, 1)


def test_nothing_is_withdrawn_before_all_ticks_have_run_again(duel: Any) -> None:
    before = duel.snapshot()
    for input_text in ("a", "", "a"):
        run(duel, input_text)
    duel.restore(before)
    run(duel, "")
    run(duel, "b")
    assert duel.withdrawn == []
    assert duel.received[2:] == [(2, "b")]
    run(duel, "a")
    assert duel.withdrawn == [(1, "a")]
    assert duel.received[2:] == [(2, "b")]


def test_a_second_correction_begins_before_the_first_is_complete(duel: Any) -> None:
    before = duel.snapshot()
    for input_text in ("a", "a", "a"):
        run(duel, input_text)
    duel.restore(before)
    run(duel, "b")
    duel.restore(before)
    for input_text in ("", "a", ""):
        run(duel, input_text)
    assert duel.received == [(1, "a"), (2, "a"), (3, "a"), (1, "b")]
    assert sorted(duel.withdrawn) == [(1, "a"), (1, "b"), (3, "a")]


def test_advance_continues_an_incomplete_correction(duel: Any) -> None:
    before = duel.snapshot()
    for input_text in ("a", "a", "a"):
        run(duel, input_text)
    duel.restore(before)
    run(duel, "")
    assert duel.withdrawn == []
    duel.advance(1 / 60)  # tick 2 is new: ticks 2 and 3 count as ticks of a loaded game
    assert duel.withdrawn == [(1, "a")]


@pytest.mark.parametrize("seed", range(6))
def test_after_many_corrections_the_received_effects_are_the_true_ones(seed: int) -> None:
    choice = random.Random(seed)
    inputs = [choice.choice(["", "", "a", "b", "ab"]) for _ in range(200)]
    with Duel(drawing=False) as truth:
        for input_text in inputs:
            run(truth, input_text)
        expected = Counter(truth.received), truth.goals

    with Duel(drawing=False) as game:
        game.recording.confirm(0)
        snapshots = [game.snapshot()]
        known = 0
        while known < len(inputs):
            if choice.random() < 0.4 and game.tick > known:  # some input arrives
                first = known
                known = min(game.tick, known + choice.randint(1, 5))
                last = game.tick
                game.restore(snapshots[first])
                del snapshots[first + 1 :]
                for tick in range(first, last):
                    run(game, inputs[tick] if tick < known else inputs[known - 1])
                    snapshots.append(game.snapshot())
                game.recording.confirm(known)
            elif game.tick < min(len(inputs), known + 8):  # a tick with predicted input
                run(game, inputs[known - 1] if known else "")
                snapshots.append(game.snapshot())
        assert Counter(game.received) - Counter(game.withdrawn) == expected[0]
        assert game.goals == expected[1]
        assert len(game.withdrawn) > 10


def test_confirmed_effects_wait_for_their_input_and_come_in_order(duel: Any) -> None:
    duel.recording.confirm(0)
    for _ in range(7):
        run(duel, "a")
    assert duel.goals == []
    duel.recording.confirm(4)
    assert duel.goals == [(3,)]
    assert duel.recording.confirmed_tick == 4
    duel.recording.confirm(2)  # an older tick changes nothing
    assert duel.recording.confirmed_tick == 4
    duel.recording.confirm(9)  # the input of later ticks has arrived already
    assert duel.goals == [(3,), (6,)]
    for _ in range(2):
        run(duel, "a")
    assert duel.goals == [(3,), (6,), (9,)]
    run(duel, "ab")
    run(duel, "a")
    assert len(duel.goals) == 3
    duel.recording.confirm(None)  # the other player has left
    assert duel.goals == [(3,), (6,), (9,), (12,)]
    assert duel.recording.confirmed_tick is None


def test_a_confirmed_effect_of_a_wrong_tick_is_never_delivered(duel: Any) -> None:
    duel.recording.confirm(0)
    before = duel.snapshot()
    for _ in range(3):
        run(duel, "a")
    duel.restore(before)
    for _ in range(3):
        run(duel, "")
    duel.recording.confirm(3)
    assert duel.goals == []
    duel.restore(before)
    duel.advance(1 / 60)
    duel.recording.confirm(9)
    assert duel.goals == []


def test_repeated_confirmed_ticks_change_no_effects(duel: Any) -> None:
    duel.recording.confirm(0)
    before = duel.snapshot()
    for _ in range(4):
        run(duel, "a")
    duel.recording.confirm(3)
    duel.restore(before)  # from an older snapshot than necessary
    for _ in range(4):
        run(duel, "a")
    assert (duel.goals, len(duel.received), duel.withdrawn) == ([(3,)], 4, [])
    duel.restore(before)
    for _ in range(4):
        run(duel, "")
    assert duel.withdrawn == [(4, "a")]  # the other ticks were final


class KeyedGame(fw.Game):
    not_state = ("received", "withdrawn")

    def setup(self) -> None:
        self.received: list[Any] = []
        self.withdrawn: list[Any] = []
        self.effects_by_tick: dict[int, Any] = {}

    def update(self, dt: float) -> None:
        if self.tick in self.effects_by_tick:
            self.emit(
                self.received.append,
                self.effects_by_tick[self.tick],
                key="goal",
                withdrawn=self.withdrawn.append,
            )


def run_with_correction(
    game: Any, first: dict[int, Any], second: dict[int, Any], ticks: int = 4
) -> None:
    """Run ticks with ``first`` as the effects by tick, and the same ticks again with ``second``."""
    game.effects_by_tick = {**first}
    before = game.snapshot()
    game.run_ticks(ticks)
    game.restore(before)
    game.effects_by_tick = {**second}
    game.run_ticks(ticks)


def test_effects_with_one_key_are_one_effect() -> None:
    with KeyedGame(drawing=False) as game:
        run_with_correction(game, {1: "left"}, {3: "right"})
        assert (game.received, game.withdrawn) == (["left"], [])
    with KeyedGame(drawing=False) as game:
        run_with_correction(game, {3: "left"}, {1: "right"})
        assert (game.received, game.withdrawn) == (["left"], [])
    with KeyedGame(drawing=False) as game:
        run_with_correction(game, {1: "one", 2: "two"}, {3: "three"})
        assert (game.received, game.withdrawn) == (["one", "two"], ["two"])


class EmittingGame(fw.Game):
    not_state = ("emitting", "received")
    emitting: Callable[[Any], object]

    def setup(self) -> None:
        self.received: list[Any] = []
        self.strength = 0
        self.batch = self.add(fw.SpriteBatch(fw.art.ball))

    def update(self, dt: float) -> None:
        self.emitting(self)


class Side(Enum):
    LEFT = 1


@dataclass
class Hit:
    place: tuple[float, float]
    power: float


EQUAL: dict[str, Callable[[Any], Any]] = {
    "numbers": lambda game: (1, 2.5, float("nan"), np.float32(3), True, None),
    "array": lambda game: np.arange(200.0),
    "list": lambda game: [1, [2, "three"], {"four": 4.0}, {5, 6}],
    "long list": lambda game: list(range(100)),
    "list of objects": lambda game: [Hit((1, 2), 3.0)] * 20,
    "dataclass": lambda game: Hit((1, 2), 3.0),
    "row": lambda game: game.batch.add(position=(3, 4)),
    "object": lambda game: game.batch,
    "text": lambda game: "x" * 1000,
    "named tuple": lambda game: Vec2(game.tick, 2.5),
    "fraction": lambda game: Fraction(game.tick, 3),
    "counter": lambda game: Counter("hit"),
    "enum": lambda game: Side.LEFT,
    "numpy number": lambda game: np.uint8(game.tick),
    "bytearray": lambda game: bytearray(b"abc"),
    "partial": lambda game: partial(max, 1, default=2),
    "method": lambda game: game.batch.add().remove,
    "builtin": lambda game: game.received.append,
}


@pytest.mark.parametrize("name", EQUAL)
def test_equal_arguments_are_one_effect(name: str) -> None:
    with EmittingGame(drawing=False) as game:
        game.emitting = lambda game: game.emit(game.received.append, EQUAL[name](game))
        before = game.snapshot()
        game.run_ticks(2)
        game.restore(before)
        game.run_ticks(2)
        assert len(game.received) == 2


def test_a_lambda_with_equal_values_is_one_effect() -> None:
    def emitting(game: Any) -> None:
        hit = game.strength
        game.emit(lambda: game.received.append(hit))

    with EmittingGame(drawing=False) as game:
        game.emitting = emitting
        game.strength = 1
        before = game.snapshot()
        game.run_ticks(1)
        game.restore(before)
        game.run_ticks(1)
        assert game.received == [1]
        game.restore(before)
        game.strength = 2
        game.run_ticks(1)
        assert game.received == [1, 2]


def test_different_arguments_are_different_effects() -> None:
    values: list[Any] = [
        1,
        True,
        1.5,
        "1",
        b"1",
        None,
        (1, 2),
        [1, 2],
        {1, 2},
        frozenset([1, 2]),
        {1: 2},
        {2: 1},
        np.arange(2),
        np.arange(2.0),
        np.arange(2.0).reshape(2, 1),
        np.float32(1.5),
        Hit((1, 2), 3.0),
        Hit((1, 2), 4.0),
        print,
        len,
        list(range(100)),
        list(range(101)),
        "x" * 1000,
        "x" * 1001,
        object(),
        object(),
        Vec2(1, 2),
        Vec2(1, 3),
        Fraction(1, 3),
        Fraction(2, 3),
        Counter("a"),
        Counter("b"),
        lambda: 1,
        lambda: 2,
    ]
    assert len({content_key(value) for value in values}) == len(values)


def test_a_content_key_is_constant_and_holds_no_reference() -> None:
    values = [1, 2]
    key = content_key(values)
    values.append(3)
    assert key == content_key([1, 2]) != content_key(values)
    endless: list[Any] = []
    endless.append(endless)
    assert content_key(endless) == content_key(endless)

    class Thing: ...

    referenced = Thing()
    key = content_key([referenced])
    reference = ref(referenced)
    assert key == content_key([referenced])
    del referenced
    gc.collect()
    assert reference() is None
    assert key != content_key([Thing()])


# -- within effects --------------------------------------------------------------------------------


def test_a_late_effect_is_delivered_between_ticks(duel: Any) -> None:
    calls: list[Any] = []

    def record(tick: int, side: str) -> None:
        calls.append((duel.recording.resimulating, duel.tick))
        duel.emit(calls.append, "inner")  # between ticks, an effect runs at once

    duel.subscribe("hit", record)
    before = duel.snapshot()
    run(duel, "")
    duel.restore(before)
    run(duel, "a")
    assert calls == [(False, 1), "inner"]


def test_a_withdrawal_is_not_sent_to_unsubscribed_functions(duel: Any) -> None:
    before = duel.snapshot()
    run(duel, "a")
    duel.unsubscribe("hit", duel.receive)
    withdrawn_late: list[Any] = []
    duel.subscribe("hit", lambda *hit: None, withdrawn=lambda *hit: withdrawn_late.append(hit))
    duel.restore(before)
    run(duel, "")
    assert duel.withdrawn == []
    assert withdrawn_late == []  # this function never received the effect


def test_a_subscriber_may_unsubscribe_and_withdraw_within_its_effect(duel: Any) -> None:
    def once(*hit: Any) -> None:
        duel.unsubscribe("hit", once)
        calls.append(hit)

    def undo(*hit: Any) -> None:
        duel.unsubscribe("hit", duel.receive)

    calls: list[Any] = []
    duel.subscribe("hit", once)
    duel.subscribe("hit", lambda *hit: None, withdrawn=undo)
    before = duel.snapshot()
    run(duel, "a")
    run(duel, "a")
    assert calls == [(1, "a")]
    duel.restore(before)
    run(duel, "")
    with pytest.raises(ValueError, match="has not subscribed to 'hit'"):
        run(duel, "")  # the second withdrawal unsubscribes again
    assert duel.recording.resimulating is False


def test_a_rewind_withdraws_no_effects() -> None:
    with Duel(drawing=False) as game:
        game.recording.rewind = fw.Rewind()
        for _ in range(4):
            run(game, "a")
        game.recording.rewind.seek(1)
        game.recording.rewind.seek(3)
        game.recording.rewind.seek(2)
        assert (len(game.received), game.withdrawn) == (4, [])
        game.recording.rewind.resume()
        run(game, "")
        run(game, "a")
        assert (len(game.received), game.withdrawn) == (5, [])


def test_wrong_arguments_are_errors(duel: Any) -> None:
    choices = "'predicted', 'confirmed'"
    with pytest.raises(ValueError, match=rf"^when: expected one of {choices}, got 'sure'"):
        duel.emit(print, when="sure")
    with pytest.raises(TypeError, match=r"^withdrawn: expected a function"):
        duel.emit(print, withdrawn=3)
    with pytest.raises(TypeError, match=r"^withdrawn: expected a function"):
        duel.subscribe("hit", print, withdrawn=3)
    for bad in (-1, 2.5, "3"):
        with pytest.raises((TypeError, ValueError), match=r"^tick: expected"):
            duel.recording.confirm(bad)


def test_the_log_of_effects_is_bounded() -> None:
    log: EffectLog[int] = EffectLog()
    for tick in range(10_000):
        log.add(tick, tick, tick)
    log.begin_again(0)
    assert len(log.end_correction(10_000)) == 4096
    log.add(10, "late", 1)
    log.add(5, "later", 2)
    log.begin_again(4)
    assert log.end_correction(10) == [2, 1]
    assert Resimulation().delivers_always is False


def test_the_log_finds_and_repeats_effects() -> None:
    log: EffectLog[str] = EffectLog()
    for effect in ("one", "two"):
        log.add(3, "a", effect)
    log.add(4, "b", "three")
    assert [log.find(3, "a", index) for index in range(3)] == ["one", "two", None]
    assert log.find(4, "a", 0) is log.find(9, "a", 0) is None
    log.begin_again(3)
    assert log.correcting
    assert log.repeat("a", lambda effect: effect == "two") == "two"
    assert log.repeat("a", lambda effect: effect == "none of these") == "one"
    assert log.repeat("a") is None
    assert log.correcting
    assert log.repeat("b") == "three"
    assert not log.correcting
    log.add(5, "c", "late")
    log.add(4, "b", "earlier")
    log.add(5, "c", "later")
    log.remove_after(4)
    log.begin_again(0)
    assert log.end_correction(9) == ["earlier"]


# -- sounds ----------------------------------------------------------------------------------------


class SoundGame(fw.Game):
    not_state = ("do",)

    def setup(self) -> None:
        self.do: Any = None

    def update(self, dt: float) -> None:
        if self.do is not None:
            self.do(self)


def voices(game: Any) -> list[Any]:
    """Return the voices that play and are not fading out."""
    return [voice for voice in game.audio.voices if not track_of(voice).ending]


def game_with_sounds(first: Any, second: Any, ticks: int = 3) -> Any:
    """Run ticks with ``first`` in `update`, and the same ticks again with ``second``.

    Return the game.
    """
    game = SoundGame(drawing=False)
    game.run_ticks(1)
    game.do = first
    before = game.snapshot()
    game.run_ticks(ticks)
    game.restore(before)
    game.do = second
    game.run_ticks(ticks)
    game.do = None
    return game


def in_tick(number: int, play: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda game: play(game) if game.tick == number else None


def test_a_withdrawn_voice_fades_out_in_30_ms() -> None:
    game = game_with_sounds(in_tick(2, lambda g: CLICK.play()), in_tick(3, lambda g: HUM.play()))
    with game:
        assert [voice.sound for voice in voices(game)] == [HUM]
        (wrong,) = [voice for voice in game.audio.voices if voice.sound is CLICK]
        fade: Any = track_of(wrong).fade
        begin, level, end, target = fade
        assert (level, end - begin, target) == (1.0, 0.03 * 48_000, 0.0)
        game.run_ticks(4)
        assert not wrong.playing


def test_an_equal_sound_in_the_same_tick_gets_the_new_options() -> None:
    game = game_with_sounds(
        in_tick(2, lambda g: CLICK.play(volume=0.2, pan=-1)),
        in_tick(2, lambda g: setattr(g, "voice", CLICK.play(volume=0.7, pan=0.5, pitch=2))),
    )
    with game:
        assert game.audio.voices == (game.voice,)
        assert (game.voice.volume, game.voice.pan, game.voice.pitch) == (0.7, 0.5, 2)


def test_changed_options_of_a_voice_are_kept_if_the_call_is_equal() -> None:
    def play(game: Any) -> None:
        if game.tick == 2:
            game.voice = CLICK.play(volume=0.2)
        if game.tick == 3:
            game.voice.volume = 0.9

    game = game_with_sounds(play, play)
    with game:
        assert game.voice.volume == 0.9


def test_the_voice_with_the_same_options_remains() -> None:
    def both(game: Any) -> None:
        CLICK.play(pan=-1)
        CLICK.play(pan=1)

    game = game_with_sounds(in_tick(2, both), in_tick(2, lambda g: CLICK.play(pan=1)))
    with game:
        left_voice, right_voice = game.audio.voices
        assert (left_voice.pan, track_of(left_voice).ending) == (-1, True)
        assert (right_voice.pan, track_of(right_voice).ending) == (1, False)


def test_a_key_keeps_a_voice_that_begins_in_another_tick() -> None:
    game = game_with_sounds(
        in_tick(2, lambda g: CLICK.play(key="hit")), in_tick(4, lambda g: CLICK.play(key="hit"))
    )
    with game:
        assert len(game.audio.voices) == len(voices(game)) == 1
        assert track_of(game.audio.voices[0]).began == 4


def test_a_voice_returned_by_a_withdrawn_effect_fades_out() -> None:
    class SoundDuel(Duel):
        def setup(self) -> None:
            super().setup()
            self.subscribe("hit", lambda tick, side: [CLICK.play(), None])

    with SoundDuel(drawing=False) as game:
        before = game.snapshot()
        run(game, "a")
        run(game, "")
        game.restore(before)
        run(game, "")
        run(game, "b")
        first, second = game.audio.voices
        assert track_of(first).ending
        assert not track_of(second).ending


def test_a_voice_that_only_the_first_run_stopped_continues() -> None:
    with SoundGame(drawing=False) as game:
        hum = HUM.play(loop=True)
        click = CLICK.play()
        game.run_ticks(1)
        before = game.snapshot()
        game.do = in_tick(2, lambda g: [voice.stop() for voice in (hum, click)])
        game.run_ticks(3)
        assert not hum.playing
        game.restore(before)
        game.do = None
        game.run_ticks(3)
        assert hum.playing
        assert not track_of(hum).ending
        game.restore(before)
        game.do = in_tick(4, lambda g: hum.stop(fade=1.0))
        game.run_ticks(3)
        assert track_of(hum).ending
        game.restore(before)  # both runs stop the voice, so the voice stays stopped
        game.run_ticks(3)
        assert track_of(hum).ending


def test_a_stopped_voice_stays_stopped_if_both_runs_stop_it() -> None:
    with SoundGame(drawing=False) as game:
        hum = HUM.play(loop=True)
        game.run_ticks(1)
        before = game.snapshot()
        game.do = in_tick(2, lambda g: hum.stop())
        game.run_ticks(3)
        game.restore(before)
        game.do = in_tick(3, lambda g: hum.stop())
        game.run_ticks(3)
        game.run_ticks(2)
        assert not hum.playing


@pytest.fixture
def themes(tmp_path: Path) -> Any:
    """Create two music files and return their paths."""
    paths = []
    for name in ("one.wav", "two.wav"):
        with SoundGame(drawing=False) as game:
            HUM.play(loop=True)
            with game.audio.capture(tmp_path / name):
                game.run_ticks(60)
        paths.append(str(tmp_path / name))
    return paths


def test_withdrawn_music_ends_and_the_previous_music_continues(themes: Any) -> None:
    first_path, second_path = themes
    with SoundGame(drawing=False) as game:
        first = game.audio.music.play(first_path)
        game.run_ticks(1)
        before = game.snapshot()
        game.do = in_tick(2, lambda g: g.audio.music.play(second_path, fade=0.5))
        game.run_ticks(3)
        second: Any = game.audio.music.voice
        assert second is not first
        game.restore(before)
        game.run_ticks(3)  # the same calls again
        assert game.audio.music.voice is second
        assert track_of(first).ending
        game.restore(before)
        game.do = None
        game.run_ticks(3)
        assert game.audio.music.voice is first
        assert track_of(second).ending


def test_music_that_both_runs_play_is_not_restarted(themes: Any) -> None:
    first_path, second_path = themes

    def play(game: Any) -> None:
        if game.tick == 2:
            game.audio.music.play(first_path)
        if game.tick == 3:
            game.audio.music.stop()
        if game.tick == 4:
            game.audio.music.play(second_path)

    game = game_with_sounds(play, play, ticks=5)
    with game:
        assert Path(str(game.audio.music.voice.sound)).name == "two.wav"
        assert len(voices(game)) == 1


class ClickGame(fw.Game):
    """A game in which each "a" of the input is a click, and each "b" starts or stops a hum."""

    not_state = ("held_sides", "click", "loop")

    def setup(self) -> None:
        self.held_sides = ""
        self.hum: Any = None
        self.audio.max_voices = 4096
        self.click = fw.Sound.tone(440, 4)
        self.loop = fw.Sound.tone(220, 1)

    def update(self, dt: float) -> None:
        for _ in range(self.held_sides.count("a")):
            self.click.play()
        if "b" in self.held_sides:
            if self.hum is None:
                self.hum = self.loop.play(loop=True)
            else:
                self.hum.stop(fade=9)
                self.hum = None


def playing_voices(game: Any) -> Counter[tuple[float, int]]:
    """Return the number of playing voices by duration and first tick, without those that fade out."""
    return Counter(
        (voice.sound.duration, track_of(voice).began)
        for voice in game.audio.voices
        if not track_of(voice).ending
    )


@pytest.mark.parametrize("seed", range(4))
def test_after_many_corrections_the_playing_voices_are_the_true_ones(seed: int) -> None:
    choice = random.Random(seed)
    inputs = [choice.choice(["", "", "", "a", "aa", "b", "ab"]) for _ in range(120)]
    with ClickGame(drawing=False) as truth, ClickGame(drawing=False) as game:
        snapshots = [game.snapshot()]
        known = 0
        while known < len(inputs):
            if choice.random() < 0.4 and game.tick > known:
                first = known
                known = min(game.tick, known + choice.randint(1, 5))
                last = game.tick
                game.restore(snapshots[first])
                del snapshots[first + 1 :]
                for tick in range(first, last):
                    run(game, inputs[tick] if tick < known else inputs[known - 1])
                    snapshots.append(game.snapshot())
                if game.tick == known:
                    for tick in range(truth.tick, known):
                        run(truth, inputs[tick])
                    assert playing_voices(game) == playing_voices(truth)
            elif game.tick < min(len(inputs), known + 6):
                run(game, inputs[known - 1] if known else "")
                snapshots.append(game.snapshot())
        assert truth.tick > 60


def test_advance_continues_an_incomplete_correction_of_sounds() -> None:
    with SoundGame(drawing=False) as game:
        game.run_ticks(1)
        before = game.snapshot()
        game.do = lambda g: CLICK.play(loop=True)
        game.run_ticks(3)
        game.restore(before)
        game.do = None
        game.run_ticks(1)
        assert len(voices(game)) == 3
        game.advance(1 / 60)
        assert voices(game) == []


def test_a_replaced_voice_does_not_play_again() -> None:
    with SoundGame(drawing=False) as game:
        game.audio.max_voices = 1
        hum = HUM.play(loop=True)
        game.run_ticks(1)
        before = game.snapshot()
        game.do = in_tick(2, lambda g: CLICK.play())
        for _ in range(2):
            game.run_ticks(3)
            game.restore(before)
        game.run_ticks(3)
        assert not hum.playing
        assert [voice.sound for voice in voices(game)] == [CLICK]


def test_corrected_sounds_do_not_change_the_hash_or_the_clock(duel: Any) -> None:
    game = game_with_sounds(in_tick(2, lambda g: CLICK.play()), in_tick(3, lambda g: HUM.play()))
    with game, SoundGame(drawing=False) as plain:
        plain.run_ticks(4)
        assert console_of(game.audio).mixer.now == console_of(plain.audio).mixer.now
        assert game.state_hash() == plain.state_hash()


class ArgumentGame(fw.Game):
    """A game that emits the event "hit" in each tick, with a new copy of an argument."""

    not_state = ("argument", "received")
    argument: Any = None

    def setup(self) -> None:
        self.received: list[Any] = []
        self.subscribe("hit", lambda *hit, **named: self.received.append((*hit, named["at"])))

    def update(self, dt: float) -> None:
        self.emit("hit", copy(self.argument), at=self.tick)


@pytest.mark.parametrize("argument", [3, 2.5, "text", (1, (2, "x")), [1, 2], "long" * 200])
def test_an_effect_with_equal_arguments_happens_once_after_a_restore(argument: Any) -> None:
    game = ArgumentGame(drawing=False)
    game.run_ticks(1)
    game.argument = argument
    before = game.snapshot()
    game.run_ticks(3)
    received = [*game.received]
    assert [hit for hit, _ in received[1:]] == [argument] * 3
    game.restore(before)
    game.run_ticks(3)
    assert game.received == received
    game.restore(before)
    game.argument = "other"
    game.run_ticks(3)
    assert [hit for hit, _ in game.received[4:]] == ["other"] * 3


def test_the_log_of_effects_keeps_no_objects_of_the_game() -> None:
    class Spark:
        pass

    game = ArgumentGame(drawing=False)
    game.run_ticks(1)
    game.argument = [Spark()]
    followed = ref(game.argument[0])
    game.run_ticks(1)
    assert len(game.received) == 2
    game.argument = None
    game.received.clear()
    game.run_ticks(1)
    gc.collect()
    assert followed() is None


def test_the_log_of_effects_keeps_no_functions_that_withdraw() -> None:
    class Hud:
        def undo(self, number: int) -> None:
            pass

    with EmittingGame(drawing=False) as game:
        game.recording.confirm(1000)
        huds = [Hud()]
        followed = ref(huds[0])
        game.emitting = lambda game: game.emit("hit", 3, withdrawn=huds[0].undo)
        game.run_ticks(1)
        game.emitting = lambda game: None
        huds.clear()
        gc.collect()
        assert followed() is None


def test_an_equal_sound_created_again_continues_its_voice() -> None:
    class Organ(fw.Game):
        not_state = ("voices",)

        def setup(self) -> None:
            self.voices: list[Any] = []

        def update(self, dt: float) -> None:
            for pitch in (0.05, 0.07):
                if self.tick == 3:
                    pipe = fw.Sound.of(np.sin(np.arange(9000) * pitch) * 0.3)
                    self.voices.append(pipe.play())

    game = Organ(headless=True, drawing=False)
    before = game.snapshot()
    game.run_ticks(4)
    game.restore(before)
    game.run_ticks(4)
    first, second, *again = game.voices
    assert again == [first, second]
    assert first is not second
    assert [*game.audio.voices] == [first, second]
    game.close()
