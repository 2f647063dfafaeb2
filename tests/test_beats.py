"""Sounds between ticks, and the beat clock: exact to the sample, with equal results in every run."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tones import RATE, heard, wav

import framework as fw
from framework.audio.audio import console_of
from framework.audio.voices import track_of

pytestmark = pytest.mark.usefixtures("no_open_game")

Make = Callable[..., Any]
CLICK = fw.Sound.of(np.eye(1, 300)[0])
FLAT = fw.Sound.of(np.full(RATE, 0.5))


class PlannedGame(fw.Game):
    """A game that calls a function of its plan in each tick."""

    not_state = ("plan",)  # a rewind must not restore the plan, which the tests change

    def __init__(self, **options: Any) -> None:
        self.plan: dict[int, Callable[[PlannedGame], object]] = {}
        super().__init__(**options)

    def update(self, dt: float) -> None:
        if self.tick in self.plan:
            self.plan[self.tick](self)


class Metronome(fw.Game):
    def setup(self) -> None:
        self.audio.music.start_clock(128)

    def update(self, dt: float) -> None:
        for beat in self.audio.music.every(beats=1):
            CLICK.play(at=beat.time)


def captured_mix(game: Any, path: Path, run: Callable[[], object]) -> Any:
    with game.audio.capture(path):
        run()
    return heard(path)[:, 0]


def onsets(mix: Any) -> list[int]:
    return np.flatnonzero(mix > 16_000).tolist()


# -- at= -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", [60, 59.94, 144, Fraction(1000, 7)])
def test_a_sound_begins_at_its_game_time_between_two_ticks(
    make: Make, tmp_path: Path, rate: Any
) -> None:
    game = make(PlannedGame, tick_rate=rate, drawing=False)
    times = [0.1, 0.2001, 0.30007, 1 / 3]
    game.plan[3] = lambda game: [CLICK.play(at=time) for time in times]
    mix = captured_mix(game, tmp_path / "mix.wav", lambda: game.run_ticks(int(0.5 * rate)))
    assert onsets(mix) == [round(time * RATE) for time in times]


def test_a_waiting_voice_can_be_stopped_and_changed(make: Make, tmp_path: Path) -> None:
    game = make(PlannedGame, drawing=False)
    game.plan[1] = lambda game: setattr(game, "voices", [FLAT.play(at=0.2), FLAT.play(at=0.2)])
    game.plan[4] = lambda game: game.voices[0].stop()
    game.plan[6] = lambda game: setattr(game.voices[1], "volume", 0.5)
    mix = captured_mix(game, tmp_path / "mix.wav", lambda: game.run_ticks(14))
    assert [voice.playing for voice in game.voices] == [False, True]
    assert np.flatnonzero(mix)[0] == 9600
    assert abs(mix[9700] - 8192) <= 1
    assert game.voices[1].seconds == pytest.approx(15 / 60 - 0.2, abs=1e-4)


def test_a_fade_and_a_pitch_begin_when_the_voice_begins(make: Make, tmp_path: Path) -> None:
    game = make(PlannedGame, drawing=False)
    ramp = fw.Sound.of(np.linspace(0, 0.9, RATE))
    game.plan[1] = lambda game: setattr(game, "voice", ramp.play(at=0.2, start=0.5))
    game.plan[5] = lambda game: setattr(game.voice, "pitch", 0.5)
    game.plan[2] = lambda game: FLAT.play(at=0.5, fade=0.1, volume=0.5)
    mix = captured_mix(game, tmp_path / "mix.wav", lambda: game.run_ticks(45)) / 32768
    slope = 0.9 / RATE / 2
    assert mix[9600:12_000] == pytest.approx(0.45 + slope * np.arange(2400), abs=1e-4)
    rest = mix[24_000:28_800] - (0.45 + slope * np.arange(14_400, 19_200))
    assert rest == pytest.approx(0.25 * np.arange(4800) / 4800, abs=1e-3)


@pytest.mark.parametrize("time", [-1.0, 0.2, 4000.0, math.nan, math.inf, "now", [1]])
def test_a_time_in_the_past_or_far_ahead_is_an_error(make: Make, time: Any) -> None:
    game = make(PlannedGame, drawing=False)
    game.run_ticks(60)
    with pytest.raises((ValueError, TypeError), match=r"^at: expected "):
        CLICK.play(at=time)
    assert not game.audio.voices
    if time == 0.2:
        with pytest.raises(ValueError, match=r"from 1 \(audio\.time\) to one hour later"):
            CLICK.play(at=time)


def test_a_time_within_the_last_tick_begins_at_once(make: Make, tmp_path: Path) -> None:
    game = make(PlannedGame, drawing=False)
    game.plan[6] = lambda game: CLICK.play(at=game.audio.time - 1 / 61)
    assert onsets(captured_mix(game, tmp_path / "mix.wav", lambda: game.run_ticks(10))) == [4800]


def test_slow_motion_moves_waiting_voices_to_their_game_time(make: Make, tmp_path: Path) -> None:
    game = make(PlannedGame, drawing=False)
    game.plan[1] = lambda game: CLICK.play(at=0.2)
    game.plan[6] = lambda game: setattr(game.timestep, "time_scale", 0.5)
    mix = captured_mix(game, tmp_path / "mix.wav", lambda: game.run_ticks(20))
    assert onsets(mix) == [4800 + 2 * 4800]


def test_after_a_rewind_earlier_plans_are_played_again(make: Make, tmp_path: Path) -> None:
    game = make(PlannedGame, drawing=False)
    game.recording.rewind = fw.Rewind()
    game.plan[5] = lambda game: CLICK.play(at=0.501)
    game.plan[25] = lambda game: CLICK.play(at=1.0)
    game.run_ticks(50)
    game.recording.rewind.seek(20)
    del game.plan[25]
    game.recording.rewind.resume()
    mix = captured_mix(game, tmp_path / "mix.wav", lambda: game.run_ticks(60))
    assert onsets(mix) == [800 + round((0.501 - 20 / 60) * RATE) - 800]


def test_after_a_rewind_later_plans_are_not_played(make: Make, tmp_path: Path) -> None:
    game = make(PlannedGame, drawing=False)
    game.recording.rewind = fw.Rewind()
    game.plan[25] = lambda game: FLAT.play(at=2.0)
    game.run_ticks(40)
    assert len(game.audio.voices) == 1
    game.recording.rewind.seek(20)
    del game.plan[25]
    game.recording.rewind.resume()
    assert not captured_mix(game, tmp_path / "mix.wav", lambda: game.run_ticks(120)).any()


def test_repeated_ticks_move_a_waiting_voice(make: Make, tmp_path: Path) -> None:
    game = make(PlannedGame, drawing=False)
    game.plan[12] = lambda game: CLICK.play(at=0.5)
    game.run_ticks(10)
    state = game.snapshot()
    game.run_ticks(5)
    game.restore(state)
    game.plan[12] = lambda game: CLICK.play(at=0.6)
    mix = captured_mix(game, tmp_path / "mix.wav", lambda: game.run_ticks(45))
    assert onsets(mix) == [round((0.6 - 15 / 60) * RATE)]


# -- beats -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", [60, 59.94, 30, 240])
def test_a_metronome_of_128_beats_has_even_gaps(make: Make, tmp_path: Path, rate: float) -> None:
    game = make(Metronome, tick_rate=rate, drawing=False)
    mix = captured_mix(game, tmp_path / "mix.wav", lambda: game.run_ticks(round(10 * rate)))
    beats = onsets(mix)
    assert len(beats) == 21
    gaps = np.diff(beats) / RATE * 1000
    assert np.abs(gaps - 468.75).max() < 0.0209
    assert beats == [round(22_500 * number) for number in range(1, 22)]


def test_each_beat_is_in_the_list_of_one_tick() -> None:
    clock = fw.BeatClock(137.3, start=0.37, beats_per_bar=3)
    rate = Fraction(5994, 100)
    beats = [
        beat
        for tick in range(1, 600)
        for beat in clock.between(tick / rate, (tick + 1) / rate, 0.25, 0.125)
    ]
    assert [beat.beat for beat in beats] == [0.125 + 0.25 * k for k in range(len(beats))]
    for beat in beats[::7]:
        assert beat.time == pytest.approx(0.37 + beat.beat * 60 / 137.3)
        assert beat.bar == beat.beat // 3
        assert beat.in_bar == pytest.approx(beat.beat % 3)
        assert clock.beat_at(beat.time) == pytest.approx(beat.beat)
        assert clock.time_of(beat.beat) == beat.time
    assert clock.between(0, 0.3) == []
    assert clock.beat_at(0.0) < 0
    assert clock.bar_at(0.0) == -1
    assert [clock.bar_at(clock.time_of(beat)) for beat in (0, 2.9, 3, 6)] == [0, 0, 1, 2]


def test_music_counts_its_beats_in_game_time(make: Make, tmp_path: Path) -> None:
    game = make(PlannedGame, drawing=False)
    music = game.audio.music
    path = wav(tmp_path / "m.wav", np.zeros(RATE * 4))
    game.plan[30] = lambda game: music.play(path, bpm=120, first_beat=0.25, beats_per_bar=3)
    game.run_ticks(29)
    assert (music.clock, music.beat, music.bar, music.every(1)) == (None, 0.0, 0, [])
    game.run_ticks(1)
    assert music.beat == pytest.approx(-0.5)
    game.run_ticks(45)
    assert music.beat == pytest.approx(1.0)
    assert music.beat_at(game.audio.time + 1) == pytest.approx(3.0)
    assert music.every(0.5) == [(1.0, 1.25, 0, 1.0)]
    game.run_ticks(60)
    assert music.bar == 1
    music.stop()
    assert (music.clock, music.beat) == (None, 0.0)


def test_heard_beat_includes_the_delay_and_the_time_ahead(make: Make, tmp_path: Path) -> None:
    game = make(PlannedGame, drawing=False)
    music = game.audio.music
    music.play(wav(tmp_path / "m.wav", np.zeros(RATE * 4)), bpm=120)
    game.run_ticks(60)
    game.audio.delay = 0.1
    assert music.heard_beat() == pytest.approx(2 - 0.2)
    assert music.heard_beat(0.5) == pytest.approx(2 - 0.2 + 0.5 / 30)
    track = track_of(music.voice)
    track.ahead = 65_536 * 4800
    track.ahead_from = console_of(game.audio).mixer.now
    assert music.heard_beat() == pytest.approx(2.0)
    assert music.beat == pytest.approx(2.0)


def test_a_rewind_restores_the_beat_clock(make: Make) -> None:
    game = make(PlannedGame, drawing=False)
    game.recording.rewind = fw.Rewind()
    music = game.audio.music
    game.plan[10] = lambda game: music.start_clock(60)
    game.plan[40] = lambda game: music.start_clock(90)
    game.run_ticks(70)
    assert music.beat == pytest.approx(0.75)
    game.recording.rewind.seek(25)
    assert music.beat == pytest.approx(0.25)
    game.recording.rewind.seek(50)
    assert music.clock.bpm == 90
    game.recording.rewind.seek(5)
    assert music.clock is None
    del game.plan[40]
    game.recording.rewind.seek(30)
    game.recording.rewind.resume()
    game.run_ticks(40)
    assert music.beat == pytest.approx(1.0)


def test_repeated_ticks_change_the_beat_clock(make: Make) -> None:
    game = make(PlannedGame, drawing=False)
    music = game.audio.music
    game.run_ticks(10)
    music.start_clock(60)  # this call is between two ticks, so no tick repeats it
    state = game.snapshot()
    game.plan[12] = lambda game: music.start_clock(90)
    game.run_ticks(5)
    assert music.clock.bpm == 90
    game.restore(state)
    game.plan = {14: lambda game: music.start_clock(100)}
    game.run_ticks(3)
    assert music.clock.bpm == 60
    game.run_ticks(2)
    assert music.clock.bpm == 100


def test_beats_pass_a_sync_test_and_a_restore() -> None:
    class Rhythmic(fw.Game):
        def setup(self) -> None:
            self.hits: list[float] = []
            self.clock = self.audio.music.start_clock(133, first_beat=0.1)

        def update(self, dt: float) -> None:
            for beat in self.audio.music.every(beats=0.5):
                self.hits.append(beat.time)
                CLICK.play(at=beat.time, volume=self.random.random())
            if self.tick == 40:
                self.audio.music.start_clock(177)
            self.beat = self.audio.music.beat

    assert fw.sync_test(Rhythmic, ticks=60).ok
    with Rhythmic(headless=True, drawing=False) as game:
        game.run_ticks(100)
        hits = game.hits
        snapshot = game.snapshot()
        assert len(hits) > 5
        game.run_ticks(20)
        game.restore(snapshot)
        game.run_ticks(20)
        assert game.hits[: len(hits)] == hits


def test_two_games_have_their_own_beats(make: Make) -> None:
    first = make(Metronome, drawing=False)
    second = make(PlannedGame, drawing=False)
    first.run_ticks(60)
    second.run_ticks(30)
    assert first.audio.music.beat == pytest.approx(128 / 60)
    assert second.audio.music.clock is None
    assert (first.audio.time, second.audio.time) == (1.0, 0.5)


@pytest.mark.parametrize("bpm", [0, -1, 1001, math.nan, math.inf, "fast", None, [120]])
def test_an_invalid_tempo_is_an_error(make: Make, bpm: Any) -> None:
    make(PlannedGame, drawing=False)
    with pytest.raises((TypeError, ValueError), match=r"^bpm: expected"):
        fw.BeatClock(bpm)


def test_many_beats_at_once_are_an_error() -> None:
    with pytest.raises(ValueError, match=r"at most 10,000 beats, got 128,000"):
        fw.BeatClock(1000).between(0, 120, 1 / 64)


class RewoundGame(fw.Game):
    def setup(self) -> None:
        self.recording.rewind = fw.Rewind()
        self.audio.max_voices = 1

    def update(self, dt: float) -> None:
        if self.tick == 3:
            CLICK.play(loop=True, priority=5)
        if self.tick == 10:
            CLICK.play(at=self.audio.time + 0.5)  # refused: the other voice is more important


def test_a_refused_voice_does_not_begin_after_a_rewind() -> None:
    with RewoundGame(headless=True) as game:
        game.run_ticks(20)
        assert game.recording.rewind is not None
        game.recording.rewind.seek(15)
        game.recording.rewind.resume()
        game.run_ticks(2)
        assert [voice.priority for voice in game.audio.voices] == [5.0]


def test_a_restarted_voice_fades_out_at_every_frame_rate(make: Make) -> None:
    game = make(PlannedGame)
    game.plan[10] = lambda game: FLAT.play(at=game.audio.time + 0.1)
    game.run_ticks(30)
    console = console_of(game.audio)
    mixer = console.mixer
    mixer.run(mixer.now + 100, True, mixer.now + 800)
    console._plan_again(12)
    pieces = [mixer.run(mixer.now + 100, True, mixer.now + 800)[:, 0] for _ in range(4)]
    assert np.abs(np.diff(np.concatenate(pieces))).max() < 0.01
    assert not any(track.ghost for track in mixer.tracks)
