"""Music of computed sounds, its pause and its seek: the beats always fit the samples that play."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tones import RATE, heard, wav

import framework as fw
from framework.audio import console
from framework.audio.audio import console_of
from framework.audio.kernel import NumpyKernel
from framework.audio.mixer import Mixer
from framework.audio.output import Output
from framework.audio.player import Player
from framework.audio.voices import track_of
from framework.game import rewind_history

pytestmark = pytest.mark.usefixtures("no_open_game")

Make = Callable[..., Any]
BPM = 125  # 0.48 s per beat
BEAT = 23_040  # samples
# A ramp: each sample contains its own position, so a captured sample shows the position.
RAMP = fw.Sound.of(np.linspace(0, 0.5, 40 * BEAT, endpoint=False))
SECOND_RAMP = fw.Sound.of(np.linspace(0, 0.4, 40 * BEAT, endpoint=False))


def position(sample: float) -> float:
    """Return the position in `RAMP` of a captured 16-bit sample, in beats."""
    return sample / 32767 / 0.5 * 40


class Song(fw.Game):
    not_state = ("plan",)

    def __init__(self, **options: Any) -> None:
        self.plan: dict[int, Callable[[Any], object]] = {}
        super().__init__(**options)

    def setup(self) -> None:
        self.voice = self.audio.music.play(RAMP, bpm=BPM, loop=False)
        self.counted: list[float] = []
        self.beats: dict[int, float] = {}  # the beat of each tick in which the music plays

    def update(self, dt: float) -> None:
        music = self.audio.music
        if self.tick in self.plan:
            self.plan[self.tick](music)
        if not music.paused:
            self.beats[self.tick] = music.beat
        self.counted += [beat.beat for beat in music.every(beats=1)]


def captured(game: Any, path: Path, ticks: int) -> Any:
    with game.audio.capture(path, dither=False):
        game.run_ticks(ticks)
    return heard(path)[:, 0]


def check_samples(game: Any, mix: Any, soft: int = 240) -> None:
    """Check that the sample at each tick has the position that fits the beat of the tick."""
    rate = Fraction(game.timestep.rate)
    checked = 0
    changes = np.array([round(tick * RATE / rate) for tick in game.plan])
    for tick, beat in game.beats.items():
        sample = round(tick * RATE / rate)
        if sample < len(mix) and not ((sample >= changes) & (sample <= changes + soft)).any():
            assert position(mix[sample]) == pytest.approx(beat, abs=0.004)
            checked += 1
    assert checked > 20


def pause(music: Any) -> Any:
    music.paused = True


def resume(music: Any) -> Any:
    music.paused = False


def test_a_computed_sound_plays_as_music(make: Make, tmp_path: Path) -> None:
    game = make(Song, headless=True)
    assert game.audio.music.voice is game.voice
    assert game.voice.sound is RAMP
    assert game.voice.bus is game.audio.buses["music"]
    check_samples(game, captured(game, tmp_path / "a.wav", 60))
    game.audio.music.play(fw.Sound.tone(440, 1.0), fade=0.1)
    game.run_ticks(10)
    assert not game.voice.playing
    assert game.audio.music.playing


def test_a_sound_repeats_as_music(make: Make) -> None:
    game = make(fw.Game, headless=True)
    voice = game.audio.music.play(fw.Sound.tone(440, 0.2))
    once = game.audio.music.play(fw.Sound.tone(880, 0.2), loop=False)
    game.run_ticks(30)
    assert not once.playing
    voice = game.audio.music.play(fw.Sound.tone(440, 0.2))
    game.run_ticks(30)
    assert voice.playing


def test_music_of_a_sound_is_never_stopped_by_other_voices(make: Make) -> None:
    game = make(fw.Game, headless=True)
    game.audio.max_voices = 2
    music = game.audio.music.play(fw.Sound.tone(440, 1.0), volume=0.01)
    effect = fw.Sound.tone(880, 1.0)
    for _ in range(5):
        effect.play(priority=3)
    game.run_ticks(5)
    assert music.playing


def test_layers_may_be_sounds_and_files(make: Make, tmp_path: Path) -> None:
    game = make(fw.Game, headless=True)
    wav(tmp_path / "file.wav", np.full(RATE, 8000, "<i2"))
    sound = fw.Sound.of(np.full(RATE, 0.25))
    layers = game.audio.music.play_layers({"sound": sound, "file": tmp_path / "file.wav"})
    game.run_ticks(2)
    mix = captured(game, tmp_path / "a.wav", 5)
    assert abs(mix - (0.25 * 32767 + 8000)).max() <= 2
    assert layers["sound"].seconds == layers["file"].seconds
    with pytest.raises(ValueError, match=r"^paths: expected files of equal length, got <Sound "):
        game.audio.music.play_layers({"a": sound, "b": fw.Sound.of(np.zeros(100))})


@pytest.mark.parametrize("value", [3, None, fw.Sound, np.zeros(4)])
def test_other_values_are_no_music(make: Make, value: Any) -> None:
    game = make(fw.Game, headless=True)
    with pytest.raises(
        TypeError, match=r"^path: expected the path of a music file, or a Sound, got"
    ):
        game.audio.music.play(value)
    with pytest.raises(TypeError, match=r"^paths: expected the path of a music file, or a Sound"):
        game.audio.music.play_layers({"a": value})


def test_music_without_samples_is_an_error(make: Make, tmp_path: Path) -> None:
    game = make(fw.Game, headless=True)
    path = wav(tmp_path / "empty.wav", [])
    with pytest.raises(fw.AssetError, match=r"contains no samples"):
        game.audio.music.play(path)
    with pytest.raises(fw.AssetError, match=r"contains no samples"):
        game.audio.music.play_layers({"a": path})


def test_two_games_have_their_own_music(make: Make, tmp_path: Path) -> None:
    first, second = make(Song, headless=True), make(Song, headless=True, tick_rate=90)
    second.audio.music.play(RAMP, bpm=2 * BPM)
    for _ in range(60):
        first.run_ticks(1)
        second.run_ticks(1)
    assert first.audio.music.beat == pytest.approx(1 / 0.48)
    assert second.audio.music.beat == pytest.approx(2 * 60 / 90 / 0.48)
    other = second.audio.buses["speech"]
    with pytest.raises(
        ValueError, match=r"^bus: expected a bus of the same game, got <Bus 'speech'"
    ):
        first.voice.bus = other
    assert first.voice.bus is first.audio.buses["music"]
    first.voice.bus = first.audio.buses["speech"]
    with pytest.raises(AttributeError, match=r"a bus cannot be removed: stop its voices"):
        first.audio.buses.remove("speech")


def test_music_starts_at_a_position(make: Make, tmp_path: Path) -> None:
    game = make(fw.Game, headless=True)
    game.audio.music.play(RAMP, bpm=BPM, start=16 * 0.48)
    assert game.audio.music.beat == pytest.approx(16)
    mix = captured(game, tmp_path / "a.wav", 30)
    assert position(mix[300]) == pytest.approx(16 + 300 / BEAT, abs=0.004)
    assert abs(np.diff(mix[:600].astype(int))).max() < 200  # no click in the middle of the sound
    assert game.audio.music.beat == pytest.approx(16 + 30 / 60 / 0.48)
    for start in (-1.0, 20.0, np.nan):
        with pytest.raises(ValueError, match=r"^start: expected"):
            game.audio.music.play(RAMP, start=start)


@pytest.mark.parametrize("rate", [30, 60, Fraction(1000, 7), 240, 400])
def test_a_pause_keeps_the_beats_at_the_samples(make: Make, tmp_path: Path, rate: Any) -> None:
    game = make(Song, headless=True, tick_rate=rate)
    second = int(rate)
    game.plan = {second: pause, 2 * second: resume, 3 * second: pause, 4 * second: resume}
    mix = captured(game, tmp_path / "a.wav", 5 * second).astype(int)
    ticks = np.array([*game.plan, 5 * second]) * RATE / float(rate)
    soft = max(240, RATE / float(rate))
    longest = round(soft) + 300
    for begin, end in ((ticks[0], ticks[1]), (ticks[2], ticks[3])):
        assert not mix[round(begin) + longest : round(end)].any()
        assert mix[round(begin) - 10] > 500
    assert abs(np.diff(mix)).max() <= mix.max() / soft * 1.1 + 2  # no click
    check_samples(game, mix, round(soft) + 1)
    assert game.counted == list(range(1, len(game.counted) + 1))
    assert len(game.counted) == int(game.audio.music.beat)


@pytest.mark.parametrize("lengths", [(1, 2, 3, 1, 5), (0, 1, 0, 2), (9, 1, 1)])
def test_short_pauses_leave_music_and_beats_together(
    make: Make, tmp_path: Path, lengths: tuple[int, ...]
) -> None:
    game = make(Song, headless=True)
    tick = 7
    for length in lengths:
        if length:
            game.plan |= {tick: pause, tick + length: resume}
        else:
            game.plan[tick] = lambda music: (pause(music), resume(music))
        tick += length + 7
    check_samples(game, captured(game, tmp_path / "a.wav", tick + 7), 801)
    assert game.counted == list(range(1, len(game.counted) + 1))


def test_the_heard_beat_does_not_move_in_a_pause(make: Make) -> None:
    game = make(Song, headless=True)
    music = game.audio.music
    game.run_ticks(60)
    values = []
    for tick in range(40):
        if tick == 10:
            music.paused = True
        if tick == 25:
            music.paused = False
        game.run_ticks(1)
        values.append(music.beat_at(game.audio.time - game.audio.delay))
    steps = np.diff(values)
    assert steps.min() >= -1e-9
    assert steps.max() <= 1 / 60 / 0.48 + 1e-9
    assert sum(steps < 1e-9) == pytest.approx(14, abs=2)


def test_a_seek_moves_the_beats_too(make: Make, tmp_path: Path) -> None:
    game = make(Song, headless=True)
    seconds = {20: 4.8, 40: 0.0, 60: 7.2, 61: 7.2, 80: 1.234567}
    game.plan = {
        tick: lambda music, target=target: music.seek(target) for tick, target in seconds.items()
    }
    mix = captured(game, tmp_path / "a.wav", 100)
    check_samples(game, mix)
    for tick, target in seconds.items():
        assert game.beats[tick] == pytest.approx(target / 0.48)
    assert abs(np.diff(mix.astype(int))).max() < 200
    music = game.audio.music
    for value in (-0.1, 1e4, np.nan, None):
        before = music.beat
        with pytest.raises((ValueError, TypeError), match=r"^seconds: expected"):
            music.seek(value)
        assert music.beat == before


def test_a_seek_in_a_pause_and_in_layers(make: Make) -> None:
    game = make(fw.Game, headless=True)
    music = game.audio.music
    layers = music.play_layers({"a": RAMP, "b": RAMP}, bpm=BPM, first_beat=0.24, start=1.0)
    game.run_ticks(10)
    music.paused = True
    game.run_ticks(10)
    music.seek(4.8)
    game.run_ticks(10)
    assert music.paused
    assert music.beat == pytest.approx(9.5)
    music.paused = False
    game.run_ticks(48)
    assert music.beat == pytest.approx((4.8 - 0.24 + 0.8) / 0.48)
    assert layers.seconds == pytest.approx(5.6, abs=1e-3)
    assert layers["a"].seconds == layers["b"].seconds


def test_new_music_is_not_paused(make: Make) -> None:
    game = make(Song, headless=True)
    music = game.audio.music
    music.paused = True
    game.run_ticks(3)
    voice = music.play(RAMP, bpm=BPM)
    assert not music.paused
    assert not voice.paused
    game.run_ticks(48)
    assert music.beat == pytest.approx(48 / 60 / 0.48)
    music.paused = True
    music.stop()
    assert not music.paused
    with pytest.raises((TypeError, ValueError), match=r"^paused: expected"):
        music.paused = 3
    music.seek(3.0)
    music.paused = True
    music.paused = False
    game.run_ticks(3)
    assert (music.beat, music.bar, music.every()) == (0, 0, [])


def test_music_returns_to_its_beats_after_a_rewind(make: Make, tmp_path: Path) -> None:
    game = make(Song, headless=True)
    game.recording.rewind = fw.Rewind()
    music = game.audio.music
    game.run_ticks(130)
    game.recording.rewind.seek(60)
    game.recording.rewind.resume()
    mix = captured(game, tmp_path / "a.wav", 20)
    assert music.beat == pytest.approx(80 / 60 / 0.48)
    assert position(mix[10 * 800]) == pytest.approx(70 / 60 / 0.48, abs=0.004)
    assert abs(np.diff(mix.astype(int))).max() < 200


def test_a_rewind_to_a_time_before_a_pause_resumes_the_music(make: Make, tmp_path: Path) -> None:
    game = make(Song, headless=True)
    game.recording.rewind = fw.Rewind()
    music = game.audio.music
    game.plan = {70: pause, 100: resume, 110: pause}
    game.run_ticks(130)
    assert music.paused
    game.plan = {}
    game.recording.rewind.seek(90)
    game.recording.rewind.resume()
    game.run_ticks(20)
    assert music.paused
    assert music.beat == pytest.approx(71 / 60 / 0.48)
    game.recording.rewind.seek(60)
    game.recording.rewind.resume()
    mix = captured(game, tmp_path / "a.wav", 20)
    assert not music.paused
    assert not game.voice.paused
    assert position(mix[10 * 800]) == pytest.approx(70 / 60 / 0.48, abs=0.004)


def test_a_correction_may_remove_and_add_a_pause(make: Make) -> None:
    game = make(Song, headless=True)
    music = game.audio.music
    for first, second in (({65: pause}, {}), ({}, {65: pause}), ({65: pause}, {66: pause})):
        game.run_ticks(1)
        music.paused = False
        game.run_ticks(59)
        saved = game.snapshot()
        tick = game.tick
        game.plan = {tick - 60 + change: act for change, act in first.items()}
        game.run_ticks(20)
        game.plan = {tick - 60 + change: act for change, act in second.items()}
        game.restore(saved)
        game.run_ticks(20)
        assert music.paused is bool(second)
        assert game.voice.paused is bool(second)


def rerun(game: Any, second: dict[int, Callable[[Any], object]], ticks: int, saved: Any) -> None:
    """Run ``ticks`` ticks after the snapshot ``saved`` again, with another plan."""
    game.plan = second
    game.restore(saved)
    game.run_ticks(ticks)


def check_position(game: Any) -> None:
    """Check that the voice of the current music is at the position that fits the beat."""
    music = game.audio.music
    assert music.voice.seconds == pytest.approx(music.beat * 0.48, abs=2e-5)


class Beginning(Song):
    """A game that starts its music in the tick of its plan."""

    def setup(self) -> None:
        self.counted = []
        self.beats = {}


@pytest.mark.parametrize("rate", [60, 144, 400])
def test_a_pause_in_the_tick_of_the_start_is_the_same_after_a_restore(
    make: Make, rate: int
) -> None:
    game = make(Beginning, headless=True, tick_rate=rate)
    music = game.audio.music

    def begin(music: Any) -> None:
        music.play(RAMP, bpm=BPM, loop=False)
        music.paused = True

    plan: dict[int, Callable[[Any], object]] = {20: begin, 40: resume}
    game.plan = plan
    game.run_ticks(10)
    saved = game.snapshot()
    game.run_ticks(20)
    assert music.beat == music.voice.seconds == 0
    rerun(game, plan, 20, saved)
    assert music.beat == music.voice.seconds == 0
    game.run_ticks(40)
    check_position(game)
    assert music.beat == pytest.approx(30 / rate / 0.48)


def test_a_pause_after_the_end_of_the_music_is_the_same_after_a_restore(make: Make) -> None:
    game = make(Beginning, headless=True)
    music = game.audio.music
    short = fw.Sound.of(np.full(RATE * 35 // 60, 0.1))
    plan = {1: lambda music: music.play(short, bpm=60, loop=False), 30: pause, 40: resume}
    game.plan = plan
    game.run_ticks(10)
    saved = game.snapshot()
    game.run_ticks(25)
    assert music.beat == 0.5
    game.run_ticks(45)
    assert not music.playing
    game.plan = {30: pause}
    game.restore(saved)
    game.run_ticks(25)
    assert music.beat == 0.5


def test_a_pause_in_the_tick_of_a_resume_takes_effect_at_once(make: Make) -> None:
    game = make(Song, headless=True)
    game.plan = {
        10: pause,
        30: lambda music: (resume(music), pause(music)),
        50: lambda music: (resume(music), pause(music)),
        70: resume,
    }
    game.run_ticks(90)
    check_position(game)


@pytest.mark.parametrize("rate", [60, 400])
def test_a_seek_in_the_tick_of_a_pause_moves_music_and_beats_alike(make: Make, rate: int) -> None:
    game = make(Song, headless=True, tick_rate=rate)
    game.plan = {
        40: lambda music: (pause(music), music.seek(5.0)),
        60: resume,
        80: pause,
        81: lambda music: music.seek(3.0),
        100: resume,
    }
    game.run_ticks(70)
    check_position(game)
    game.run_ticks(50)
    check_position(game)


@pytest.mark.parametrize("ticks", [1, 9, 25])
@pytest.mark.parametrize("then", [None, 3, 30])
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({62: pause}, {}),
        ({}, {62: pause}),
        ({61: pause}, {62: pause}),
        ({61: lambda music: music.seek(5)}, {}),
        ({}, {61: lambda music: music.seek(5)}),
        ({61: lambda music: music.seek(5)}, {61: lambda music: music.seek(3)}),
        ({}, {61: lambda music: music.play(RAMP, bpm=BPM, start=3)}),
        ({}, {61: lambda music: music.play(RAMP, bpm=BPM)}),
        (
            {61: lambda music: music.play(RAMP, bpm=BPM)},
            {61: lambda music: music.play(RAMP, bpm=BPM, start=3)},
        ),
        (
            {61: lambda music: music.play(RAMP, bpm=BPM)},
            {61: lambda music: music.play(SECOND_RAMP, bpm=BPM)},
        ),
        ({61: lambda music: music.stop()}, {}),
        ({61: lambda music: music.play(SECOND_RAMP, bpm=BPM)}, {}),
    ],
)
def test_a_corrected_prediction_leaves_music_and_beats_together(
    make: Make, first: Any, second: Any, ticks: int, then: int | None
) -> None:
    game = make(Beginning, headless=True)
    game.audio.music.play(RAMP, bpm=BPM)
    game.run_ticks(60)
    saved = game.snapshot()
    game.plan = dict(first)
    game.run_ticks(ticks)
    plan = dict(second)
    if then is not None:
        plan[60 + ticks + then] = resume
    rerun(game, plan, ticks, saved)
    game.run_ticks(60)
    check_position(game)
    assert game.audio.music.voice.paused is game.audio.music.paused


def test_a_new_clock_leaves_the_music_at_its_position(make: Make) -> None:
    game = make(Beginning, headless=True)
    game.recording.rewind = fw.Rewind()
    music = game.audio.music
    voice = music.play(RAMP)
    game.plan = {60: lambda music: music.start_clock(120)}
    game.run_ticks(120)
    game.plan = {}
    game.recording.rewind.seek(90)
    game.recording.rewind.resume()
    assert voice.seconds == pytest.approx(2.0, abs=0.02)
    game.run_ticks(1)
    assert voice.seconds == pytest.approx(91 / 60, abs=1e-3)
    music.seek(5)
    game.run_ticks(1)
    assert music.beat == pytest.approx(8 + 2 / 60)
    assert voice.seconds == pytest.approx(5 + 1 / 60, abs=1e-3)


def test_a_new_clock_does_not_resume_paused_music(make: Make) -> None:
    game = make(Song, headless=True)
    music = game.audio.music
    game.plan = {60: pause, 90: lambda music: music.start_clock(120, first_beat=-0.5), 120: resume}
    game.run_ticks(100)
    assert music.paused
    assert game.voice.paused
    assert music.beat == pytest.approx(1)
    game.run_ticks(50)
    assert music.beat == pytest.approx(2)
    assert game.voice.seconds == pytest.approx(91 / 60, abs=1e-4)


def test_a_beat_clock_without_music_pauses_at_once(make: Make) -> None:
    game = make(Beginning, headless=True)
    music = game.audio.music
    music.start_clock(60)
    game.run_ticks(30)
    music.paused = True
    game.run_ticks(30)
    assert music.beat == 0.5
    music.start_clock(60)
    assert not music.paused
    assert music.beat == 0


@pytest.mark.parametrize("tick", [40, 60, 72])
def test_a_rewind_before_new_music_continues_the_paused_music(make: Make, tick: int) -> None:
    game = make(Song, headless=True)
    game.recording.rewind = fw.Rewind()
    game.voice = game.audio.music.play(RAMP, bpm=BPM)
    music = game.audio.music
    game.plan = {55: pause, 70: lambda music: music.play(SECOND_RAMP, bpm=BPM)}
    game.run_ticks(90)
    second = music.voice
    game.plan = {}
    game.recording.rewind.seek(tick)
    game.recording.rewind.resume()
    game.run_ticks(10)
    assert music.paused is (tick == 60)
    assert music.voice is (second if tick == 72 else game.voice)
    assert music.voice.paused is music.paused
    check_position(game)
    if tick == 60:
        music.paused = False
        game.run_ticks(10)
        check_position(game)


def test_a_seek_that_fails_moves_no_layer(make: Make) -> None:
    game = make(fw.Game, headless=True)
    music = game.audio.music
    sounds = {name: fw.Sound.of(np.zeros(RATE * length)) for name, length in (("b", 8), ("a", 4))}
    layers = music.play_layers(sounds, loop=(0, 4), bpm=60)
    game.run_ticks(90)
    with pytest.raises(ValueError, match=r"^seconds: expected 0 to 4"):
        music.seek(5)
    game.run_ticks(1)
    assert layers["a"].seconds == layers["b"].seconds == pytest.approx(91 / 60, abs=1e-4)
    assert music.beat == pytest.approx(91 / 60)


@pytest.mark.parametrize("begin", [0, 55, 59, 60])
@pytest.mark.parametrize("length", [1, 5, 21])
def test_no_beat_is_lost_if_the_pause_is_changed_before_every(
    make: Make, begin: int, length: int
) -> None:
    game = make(Beginning, headless=True)
    counted: list[float] = []

    def start(music: Any) -> None:
        music.play(RAMP, bpm=60)
        if begin == 0:
            pause(music)

    game.plan = {10: start, 10 + begin + length: resume}
    if begin:
        game.plan[10 + begin] = pause
    for _ in range(150 + length):
        game.run_ticks(1)
    counted = game.counted
    assert counted == [0, 1, 2]


def test_a_pause_pauses_both_halves_of_a_crossfade(make: Make) -> None:
    game = make(Song, headless=True)
    music = game.audio.music
    game.run_ticks(20)
    new = music.play(SECOND_RAMP, fade=2.0)
    game.run_ticks(10)
    old = game.voice
    music.paused = True
    assert old.paused
    assert new.paused
    game.run_ticks(10)
    position = old.seconds
    assert position == pytest.approx(31 / 60, abs=1e-4)
    music.paused = False
    game.run_ticks(10)
    assert not old.paused
    assert not new.paused
    assert old.seconds == pytest.approx(position + 10 / 60, abs=1e-4)
    assert new.seconds == pytest.approx(21 / 60, abs=1e-4)
    music.paused = True
    game.run_ticks(200)
    music.paused = False
    game.run_ticks(3)
    assert not old.playing
    assert new.playing


def test_a_voice_that_the_game_has_paused_stays_paused(make: Make) -> None:
    game = make(fw.Game, headless=True)
    music = game.audio.music
    layers = music.play_layers({"a": RAMP, "b": SECOND_RAMP})
    layers["b"].paused = True
    music.paused = True
    game.run_ticks(3)
    music.paused = False
    assert not layers["a"].paused
    assert layers["b"].paused


@pytest.mark.parametrize("frames", [False, True])
@pytest.mark.parametrize(
    ("first", "second"), [({61: pause}, {}), ({}, {61: lambda music: music.seek(5)})]
)
def test_a_correction_counts_the_samples_that_were_mixed_in_advance(
    make: Make, monkeypatch: pytest.MonkeyPatch, frames: bool, first: Any, second: Any
) -> None:
    """With a sound device, a frame mixes the samples up to the next tick."""
    monkeypatch.setattr(console, "new_player", lambda: Player(RATE, NumpyKernel().mix))
    monkeypatch.setattr(console, "new_output", lambda player: Output(player, open=SilentDevice))
    monkeypatch.setattr(console, "better_output", lambda output, player: None)
    game = make(Beginning, drawing=False)
    desk: Any = console_of(game.audio)
    desk._host.headless = False
    game.audio.music.play(RAMP, bpm=BPM)
    game.run_ticks(60)
    saved = game.snapshot()
    game.plan = first
    game.run_ticks(9)
    if frames:
        desk.frame(SimpleNamespace(alpha=0.0))
        assert desk.sample == desk.tick_sample + 800
    rerun(game, second, 9, saved)
    game.run_ticks(30)
    check_position(game)


class SilentDevice:
    """A sound device that reads no samples."""

    name = "silent"

    def __init__(self, player: Any) -> None:
        self.player = player

    def close(self) -> None:
        """Do nothing."""


@pytest.mark.parametrize(
    "act", [pause, lambda music: music.seek(5), lambda music: music.play(RAMP, bpm=BPM, start=3)]
)
def test_an_event_handler_may_change_the_music_in_the_first_repeated_tick(
    make: Make, act: Any
) -> None:
    class Handling(Beginning):
        def on_key_press(self, symbol: int, modifiers: int) -> None:
            act(self.audio.music)

    game = make(Handling, headless=True)
    game.audio.music.play(RAMP, bpm=BPM)
    game.run_ticks(60)
    saved = game.snapshot()
    beats = []
    for _ in range(3):
        game.testing.press("a")
        game.run_ticks(9)
        beats.append(game.audio.music.beat)
        game.testing.release("a")
        game.run_ticks(3)
        check_position(game)
        game.restore(saved)
    assert len(set(beats)) == 1


@pytest.mark.parametrize("begin", [50, 60])
def test_an_incomplete_correction_leaves_no_change_of_the_beats(make: Make, begin: int) -> None:
    game = make(Beginning, headless=True)
    game.audio.music.play(RAMP, bpm=BPM)
    game.run_ticks(begin)
    earlier = game.snapshot()
    game.run_ticks(60 - begin)
    saved = game.snapshot()
    game.plan = {55: lambda music: music.seek(2)}
    game.run_ticks(20)
    game.plan = {62: lambda music: music.seek(5)}
    game.restore(saved)
    game.run_ticks(4)
    game.plan = {}
    game.restore(earlier)
    game.run_ticks(80 - begin)
    assert game.audio.music.beat == pytest.approx(80 / 60 / 0.48)
    check_position(game)
    game.run_ticks(20)
    check_position(game)


def test_music_that_has_ended_plays_again_after_a_seek(make: Make, tmp_path: Path) -> None:
    game = make(Beginning, headless=True)
    music = game.audio.music
    short = fw.Sound.of(np.linspace(0.1, 0.2, RATE))
    file = wav(tmp_path / "short.wav", np.linspace(3000, 6000, RATE).astype("<i2"))
    for source in (short, file):
        game.audio.music.play(source, bpm=60, loop=False)
        game.run_ticks(90)
        assert not music.playing
        music.seek(0.5)
        assert music.playing
        mix = captured(game, tmp_path / "a.wav", 15)
        assert music.beat == pytest.approx(0.75)
        assert music.voice.seconds == pytest.approx(0.75 + 1 / 60, abs=1e-3)
        assert mix[600] > 1000
        assert abs(np.diff(mix.astype(int))).max() < 200
        game.run_ticks(30)
        assert not music.playing
    music.stop()
    music.seek(0.5)
    assert not music.playing


@pytest.mark.parametrize("loop", [True, False])
def test_a_rewind_restores_music_that_does_not_repeat(make: Make, loop: bool) -> None:
    game = make(Beginning, headless=True)
    game.recording.rewind = fw.Rewind()
    music = game.audio.music
    short = fw.Sound.of(np.full(RATE, 0.1))
    game.plan = {
        10: lambda music: music.play(RAMP, bpm=BPM, loop=loop),
        60: lambda music: music.play(short, bpm=60, loop=False),
        150: lambda music: music.play(SECOND_RAMP, bpm=BPM, loop=loop),
    }
    game.run_ticks(180)
    game.plan = {}
    for tick, sound in ((90, short), (40, RAMP)):
        game.recording.rewind.seek(tick)
        game.recording.rewind.resume()
        game.run_ticks(10)
        assert music.voice.sound is sound
        assert music.voice.seconds == pytest.approx(
            (tick + 10 - (60, 10)[tick < 60]) / 60, abs=1e-4
        )
        playing = [voice for voice in game.audio.voices if voice.sound is not sound]
        assert not playing
    game.recording.rewind.seek(5)
    game.recording.rewind.resume()
    game.run_ticks(10)
    assert not music.playing


@pytest.mark.parametrize("back", [1, 2])
def test_a_rewind_by_one_tick_removes_the_changes_of_this_tick(make: Make, back: int) -> None:
    game = make(Beginning, headless=True)
    game.recording.rewind = fw.Rewind()
    music = game.audio.music
    hum = fw.Sound.of(np.full(RATE, 0.1))
    game.audio.music.play(RAMP, bpm=BPM)
    game.plan = {60: lambda music: (music.seek(5), hum.play(loop=True))}
    game.run_ticks(60)
    game.plan = {}
    game.recording.rewind.seek(60 - back)
    game.recording.rewind.resume()
    game.run_ticks(back + 10)
    assert music.beat == pytest.approx(70 / 60 / 0.48)
    check_position(game)
    assert [voice.sound for voice in game.audio.voices] == [RAMP]


def test_ticks_after_a_rewind_are_new_also_after_a_restore(make: Make) -> None:
    game = make(Beginning, headless=True)
    game.recording.rewind = fw.Rewind()
    game.audio.music.play(RAMP, bpm=BPM)
    game.run_ticks(60)
    game.restore(game.snapshot())
    game.recording.rewind.seek(30)
    game.recording.rewind.resume()
    game.run_ticks(10)
    assert not game.recording.resimulating
    check_position(game)


@pytest.mark.parametrize(
    "act",
    [
        lambda music: (music.play(SECOND_RAMP, bpm=BPM), music.play(RAMP, bpm=BPM)),
        lambda music: (music.stop(), music.play(RAMP, bpm=BPM)),
        lambda music: (music.play(RAMP, bpm=BPM), music.play(RAMP, bpm=BPM, start=1)),
    ],
)
def test_several_changes_in_one_tick_are_the_same_after_a_restore(make: Make, act: Any) -> None:
    game = make(Beginning, headless=True)
    game.audio.music.play(SECOND_RAMP, bpm=BPM)
    game.run_ticks(10)
    saved = game.snapshot()
    game.plan = {20: act}
    game.run_ticks(30)
    voice = game.audio.music.voice
    rerun(game, game.plan, 30, saved)
    assert game.audio.music.voice is voice
    game.run_ticks(10)
    check_position(game)


def test_a_seek_is_checked_against_the_music_of_its_own_tick(make: Make) -> None:
    game = make(Beginning, headless=True)
    short = fw.Sound.of(np.full(RATE, 0.1))
    game.audio.music.play(RAMP, bpm=BPM)
    game.run_ticks(10)
    saved = game.snapshot()
    game.plan = {20: lambda music: music.seek(12), 30: lambda music: music.play(short)}
    game.run_ticks(40)
    game.restore(saved)
    game.run_ticks(15)
    assert game.audio.music.beat == pytest.approx((12 + 5 / 60) / 0.48)


@pytest.mark.parametrize("rate", [60, 240, 400])
def test_a_pause_that_is_interrupted_in_one_tick_ends_at_the_same_time(
    make: Make, rate: int
) -> None:
    game = make(Song, headless=True, tick_rate=rate)
    game.plan = {20: pause, 21: lambda music: (resume(music), pause(music)), 60: resume}
    game.run_ticks(50)
    check_position(game)
    game.run_ticks(50)
    check_position(game)


def test_a_correction_pauses_music_in_the_tick_of_its_start(make: Make) -> None:
    game = make(Beginning, headless=True)
    game.run_ticks(10)
    saved = game.snapshot()
    begin = {11: lambda music: music.play(RAMP, bpm=BPM)}
    game.plan = begin
    game.run_ticks(9)
    rerun(game, {11: lambda music: (begin[11](music), pause(music))}, 9, saved)
    game.run_ticks(9)
    assert game.audio.music.beat == game.audio.music.voice.seconds == 0
    game.audio.music.paused = False
    game.run_ticks(9)
    check_position(game)


def test_a_change_after_a_tick_follows_the_changes_of_this_tick(make: Make) -> None:
    game = make(Song, headless=True)
    game.run_ticks(10)
    saved = game.snapshot()
    game.plan = {20: lambda music: music.seek(5)}
    game.run_ticks(10)
    game.audio.music.seek(8)
    rerun(game, game.plan, 10, saved)
    assert game.audio.music.beat == pytest.approx(8 / 0.48)


def test_music_that_the_game_has_stopped_is_not_continued(make: Make) -> None:
    game = make(Beginning, headless=True)
    music = game.audio.music
    layers = music.play_layers({"a": RAMP, "b": SECOND_RAMP}, bpm=BPM)
    game.run_ticks(10)
    saved = game.snapshot()
    act = {15: lambda music: layers["b"].stop(), 20: lambda music: music.seek(5)}
    game.plan = dict(act)
    game.run_ticks(20)
    rerun(game, {15: act[15], 18: act[20]}, 20, saved)
    game.run_ticks(10)
    assert layers["a"].playing
    assert not layers["b"].playing
    check_position(game)


def test_old_music_is_deleted(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console, "MAX_TICKS", 20)
    monkeypatch.setattr(console, "_FORGETTING", 10)
    game = make(Beginning, headless=True)
    sound = fw.Sound.of(np.zeros(4800))
    game.audio.music.play(sound, loop=False)
    old = weakref.ref(game.audio.music.voice)
    game.run_ticks(5)
    game.audio.music.play(RAMP, bpm=BPM)
    game.run_ticks(60)
    gc.collect()
    assert old() is None
    check_position(game)


class Observing(Beginning):
    """A game whose state depends on the music before each change."""

    def setup(self) -> None:
        super().setup()
        self.seen: list[tuple[float, bool]] = []

    def update(self, dt: float) -> None:
        music = self.audio.music
        self.seen.append((music.beat, music.paused))
        super().update(dt)
        self.seen.append((music.beat, music.paused))


def far_keyframes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a rewind run as many ticks again as possible."""
    monkeypatch.setattr(rewind_history, "_RERUN_BUDGET", 1 << 60)
    monkeypatch.setattr(rewind_history, "_KEYFRAME_SHARE", 1e9)


@pytest.mark.parametrize(
    "act",
    [
        pause,
        lambda music: music.seek(5),
        lambda music: (music.seek(5), music.seek(8)),
        lambda music: (music.seek(12), music.play(fw.Sound.of(np.zeros(RATE)))),
    ],
)
def test_a_rewind_through_a_change_has_the_same_music_before_the_change(
    make: Make, monkeypatch: pytest.MonkeyPatch, act: Any
) -> None:
    far_keyframes(monkeypatch)
    game = make(Observing, headless=True)
    game.recording.rewind = fw.Rewind()
    game.audio.music.play(RAMP, bpm=BPM)
    game.plan = {20: act}
    game.run_ticks(40)
    seen = [*game.seen]
    game.run_ticks(20)
    game.recording.rewind.seek(40)
    game.recording.rewind.resume()
    assert game.seen == seen


def test_a_tick_that_runs_again_does_not_have_the_music_of_a_later_change(make: Make) -> None:
    game = make(Observing, headless=True)
    game.audio.music.play(RAMP, bpm=BPM)
    game.run_ticks(10)
    saved = game.snapshot()
    game.run_ticks(10)
    game.audio.music.seek(8)
    game.run_ticks(10)
    seen = [*game.seen]
    rerun(game, {}, 20, saved)
    assert game.seen == seen
    check_position(game)


def test_a_rewind_through_many_changes(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    far_keyframes(monkeypatch)
    game = make(Observing, headless=True, drawing=False)
    game.recording.rewind = fw.Rewind()
    game.audio.music.play(RAMP, bpm=BPM)
    game.plan = dict.fromkeys(range(1, 400), lambda music: (music.seek(1), music.seek(2)))
    game.run_ticks(400)
    seen = game.seen[:40]
    game.recording.rewind.seek(20)
    assert game.seen == seen
    game.recording.rewind.resume()
    game.plan = {}
    game.run_ticks(10)
    assert game.audio.music.beat == pytest.approx((2 + 10 / 60) / 0.48)
    check_position(game)


def test_music_of_an_earlier_tick_can_be_stopped_after_a_rewind(make: Make) -> None:
    game = make(Beginning, headless=True)
    game.recording.rewind = fw.Rewind()
    layers = {str(number): RAMP for number in range(16)}
    game.plan = {10 * number: lambda music: music.play_layers(layers) for number in range(1, 7)}
    game.run_ticks(70)
    game.plan = {}
    game.recording.rewind.seek(15)
    game.recording.rewind.resume()
    game.run_ticks(5)
    assert len(game.audio.voices) == 16
    game.audio.music.stop()
    game.run_ticks(5)
    assert not game.audio.voices


def test_a_rewind_restores_ended_music_without_a_beat_clock(make: Make) -> None:
    game = make(Beginning, headless=True)
    game.recording.rewind = fw.Rewind()
    game.plan = {10: lambda music: music.play(fw.Sound.of(np.full(RATE, 0.1)), loop=False)}
    game.run_ticks(120)
    assert not game.audio.music.playing
    game.recording.rewind.seek(40)
    game.recording.rewind.resume()
    game.run_ticks(5)
    assert game.audio.music.voice.seconds == pytest.approx(35 / 60, abs=1e-4)


@pytest.mark.parametrize("loop", [True, False])
def test_a_rewind_does_not_fade_later_music_out_slowly(make: Make, loop: bool) -> None:
    game = make(Beginning, headless=True)
    game.recording.rewind = fw.Rewind()
    game.plan = {
        10: lambda music: music.play(RAMP, bpm=BPM, fade=5, loop=loop),
        60: lambda music: music.play(SECOND_RAMP, bpm=BPM, loop=loop),
    }
    game.run_ticks(100)
    game.recording.rewind.seek(40)
    game.recording.rewind.resume()
    game.plan = {}
    game.run_ticks(10)
    assert [voice.sound for voice in game.audio.voices] == [RAMP]


def test_a_rewind_after_an_incomplete_correction_does_not_move_music_without_beats(
    make: Make,
) -> None:
    game = make(Beginning, headless=True)
    game.recording.rewind = fw.Rewind()
    voice = game.audio.music.play(RAMP)
    game.run_ticks(30)
    saved = game.snapshot()
    game.run_ticks(60)
    game.restore(saved)
    game.run_ticks(20)
    game.recording.rewind.seek(40)
    game.recording.rewind.resume()
    game.run_ticks(5)
    assert voice.seconds == pytest.approx(95 / 60, abs=1e-4)


@pytest.mark.parametrize("continues", ["resume", "cancel"])
def test_music_that_changes_while_the_game_is_paused_by_a_rewind(
    make: Make, continues: str
) -> None:
    game = make(Beginning, headless=True)
    game.recording.rewind = fw.Rewind()
    game.audio.music.play(RAMP, bpm=BPM)
    game.run_ticks(90)
    game.recording.rewind.seek(40)
    game.audio.music.play(SECOND_RAMP, bpm=BPM)
    getattr(game.recording.rewind, continues)()
    game.run_ticks(10)
    assert game.audio.music.voice.sound is SECOND_RAMP
    assert [voice.sound for voice in game.audio.voices] == [SECOND_RAMP]
    check_position(game)


def test_a_music_file_that_has_ended_stays_silent_after_a_correction(
    make: Make, tmp_path: Path
) -> None:
    game = make(Beginning, headless=True)
    path = wav(tmp_path / "short.wav", np.full(RATE, 3000, "<i2"))
    game.audio.music.play(path, loop=False, bpm=BPM)
    game.run_ticks(10)
    saved = game.snapshot()
    game.run_ticks(90)
    rerun(game, {12: pause, 20: resume}, 90, saved)
    assert not game.audio.music.playing


def test_a_late_crossfade_keeps_the_loudness(make: Make) -> None:
    game = make(Beginning, headless=True)
    old = game.audio.music.play(RAMP, bpm=BPM)
    game.run_ticks(10)
    saved = game.snapshot()
    game.run_ticks(5)
    rerun(game, {12: lambda music: music.play(SECOND_RAMP, fade=1)}, 5, saved)
    assert track_of(old).ending
    game.run_ticks(30)
    desk: Any = console_of(game.audio)
    for voice in (old, game.audio.music.voice):
        level = track_of(voice).level(desk.sample)
        assert level == pytest.approx(np.sqrt(0.5), abs=0.05)


def test_music_that_is_resumed_in_the_tick_after_a_rewind_does_not_click(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    mixes: list[Any] = []
    run = Mixer.run

    def run_and_store(mixer: Mixer, *arguments: Any) -> Any:
        mix = run(mixer, *arguments)
        mixes.append(mixer.device_mix[:, 0])
        return mix

    monkeypatch.setattr(Mixer, "run", run_and_store)
    monkeypatch.setattr(console, "new_player", lambda: Player(RATE, NumpyKernel().mix))
    monkeypatch.setattr(console, "new_output", lambda player: Output(player, open=SilentDevice))
    monkeypatch.setattr(console, "better_output", lambda output, player: None)
    game = make(Beginning, drawing=False)
    game.recording.rewind = fw.Rewind()
    desk: Any = console_of(game.audio)
    desk._host.headless = False
    game.audio.music.play(fw.Sound.of(np.full(20 * RATE, 0.5)), bpm=BPM)
    game.plan = {30: pause}
    game.run_ticks(60)
    game.recording.rewind.seek(40)
    game.recording.rewind.resume()
    game.plan = {41: resume}
    mixes.clear()
    desk.frame(SimpleNamespace(alpha=0.0))  # mixes the samples up to the next tick
    game.run_ticks(10)
    mix = np.concatenate(mixes)
    assert mix[-1] == 0.5
    assert abs(np.diff(mix)).max() < 0.01


@pytest.mark.parametrize("rate", [60, 240])
@pytest.mark.parametrize(
    "plan",
    [
        {130: pause, 140: lambda music: music.seek(0.25)},
        {130: lambda music: (pause(music), music.seek(0.25))},
    ],
)
def test_a_seek_of_paused_music_that_has_ended_keeps_the_pause(
    make: Make, rate: int, plan: dict[int, Callable[[Any], object]]
) -> None:
    game = make(Beginning, headless=True, tick_rate=rate)
    music = game.audio.music
    music.play(fw.Sound.of(np.full(RATE // 2, 0.1)), bpm=BPM, loop=False)
    game.plan = plan
    game.run_ticks(150)
    assert music.paused
    assert music.voice.paused
    check_position(game)
    music.paused = False
    game.run_ticks(5)
    check_position(game)
