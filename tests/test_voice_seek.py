"""Seeking, start offsets and pauses of one voice: exact positions, and no clicks."""

from __future__ import annotations

import math
import wave
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_mixer import Desk

import framework as fw
from framework.assets.sounds import RATE
from framework.audio.sources import StreamedSource
from framework.audio.voices import track_of

RISE = np.linspace(0, 0.9, 48_000)
SINE = 0.5 * np.sin(2 * np.pi * 220 * np.arange(48_000) / RATE)
SINE_STEP = 0.5 * 2 * math.pi * 220 / RATE  # the largest step of the tone itself
FADE_STEP = 2 * 0.5 / 240  # of a crossfade between its two extremes, in 5 ms


class Counted(StreamedSource):
    """A stream of the numbers 0 to `count`, divided by `count`."""

    def __init__(self, count: int) -> None:
        super().__init__(1)
        self.count = count
        self.next = 0

    def decode(self, count: int) -> Any:
        first = self.next
        self.next = min(self.count, self.next + count)
        return np.arange(first, self.next, dtype=np.float32)[None] / np.float32(self.count)

    def seek(self, first: int) -> None:
        self.next = min(first, self.count)


@pytest.fixture
def desk() -> Desk:
    return Desk()


def largest_step(mix: Any) -> float:
    return float(np.abs(np.diff(mix[:, 0])).max())


def test_a_seek_continues_at_the_exact_sample(desk: Desk) -> None:
    voice = desk.play(RISE)
    desk.run(800)
    voice.seek(0.5)
    assert voice.seconds == 0.5
    mix = desk.run(800)
    assert (mix[240:, 0] == RISE[24_240:24_800].astype("f4")).all()
    assert voice.seconds == 24_800 / RATE
    assert len(desk.mixer.tracks) == 1


@pytest.mark.parametrize("target", [0.0, 0.1001, 0.7, 0.99])
def test_a_seek_does_not_click(desk: Desk, target: float) -> None:
    voice = desk.play(SINE, loop=(0, 48_000))
    before = desk.run(1037)
    voice.seek(target)
    mix = np.concatenate([before, desk.run(100, 700, 800)])
    assert largest_step(mix) <= SINE_STEP + FADE_STEP


def test_many_seeks_do_not_click(desk: Desk) -> None:
    voice = desk.play(SINE, loop=(0, 48_000))
    pieces = [desk.run(900)]
    for target in (0.3, 0.8, 0.11, 0.5):
        voice.seek(0.9)  # the last seek at a sample counts
        voice.seek(target)
        pieces.append(desk.run(130))
    assert largest_step(np.concatenate(pieces)) <= SINE_STEP + FADE_STEP


def test_a_mix_with_seeks_does_not_depend_on_its_pieces() -> None:
    mixes = []
    for pieces in ((800,), (1, 799), (100,) * 8):
        desk = Desk()
        voice = desk.play(SINE, pitch=1.37, loop=(0, 48_000))
        desk.run(800)
        voice.seek(0.25)
        voice.pitch = 0.9
        end = desk.mixer.now + 800
        parts = [desk.mixer.run(desk.mixer.now + n, True, end) for n in pieces]
        mixes.append(np.concatenate(parts))
    assert (mixes[0] == mixes[1]).all()
    assert (mixes[0] == mixes[2]).all()


def test_a_seek_during_a_fade_keeps_the_fade(desk: Desk) -> None:
    voice = desk.play(np.full(96_000, 0.8))
    desk.run(100)
    voice.stop(fade=0.1)
    desk.run(2400)
    voice.seek(0.5)
    mix = desk.run(2400)
    assert np.allclose(mix[:, 0], 0.8 * np.linspace(0.5, 0, 2400), atol=1e-3)
    assert not voice.playing


def test_the_end_of_a_sound_is_a_position(desk: Desk) -> None:
    voice = desk.play(RISE)
    voice.sound = fw.Sound.of(RISE)
    desk.run(800)
    for bad in (1.001, -0.1, math.nan, math.inf, "x"):
        with pytest.raises((ValueError, TypeError), match="seconds"):
            voice.seek(bad)  # type: ignore[arg-type]
    voice.seek(1.0)
    mix = desk.run(800)
    assert not mix[240:].any()
    assert not voice.playing
    voice.seek(0.1)  # has no effect: the voice has ended
    assert not desk.run(800).any()


def test_a_seek_stays_in_the_loop(desk: Desk) -> None:
    voice = desk.play(RISE, loop=(12_000, 24_000))
    desk.run(800)
    voice.seek(0.75)
    assert voice.seconds == 0.25
    voice.seek(0.1)
    assert voice.seconds == 0.1


def test_a_stream_seeks_back_from_its_end(desk: Desk) -> None:
    voice = desk.play(RISE)
    track = track_of(voice)
    track.source = Counted(20_000)
    track.end = math.inf
    desk.run(19_900)
    assert track.source.length == 20_000
    voice.seek(1000 / RATE)
    mix = desk.run(800)
    assert np.allclose(mix[240:, 0], np.arange(1240, 1800) / 20_000, atol=1e-6)
    voice.seek(10.0)  # after the end of the stream
    mix = desk.run(800)
    assert not mix[240:].any()
    assert not voice.playing


def test_a_paused_voice_keeps_its_position(desk: Desk) -> None:
    voice = desk.play(SINE, loop=(0, 48_000))
    second = desk.play(RISE)
    pieces = [desk.run(800)]
    voice.paused = True
    pieces += [desk.run(800), desk.run(800)]
    position = voice.seconds
    quiet = desk.run(800)
    assert voice.playing
    assert (quiet[:, 0] == RISE[2400:3200].astype("f4")).all()
    assert voice.seconds == position
    assert second.seconds == 3200 / RATE
    voice.paused = False
    pieces += [quiet, desk.run(800)]
    assert voice.seconds > position
    assert largest_step(np.concatenate(pieces)) <= SINE_STEP + FADE_STEP


def test_a_paused_voice_can_seek_and_stop(desk: Desk) -> None:
    voice = desk.play(RISE)
    voice.paused = True
    assert not desk.run(800).any()
    voice.seek(0.5)
    assert not desk.run(800).any()
    voice.paused = False
    desk.run(800)
    assert desk.run(800)[0, 0] == RISE[24_800].astype("f4")
    voice.paused = True
    voice.stop()
    desk.run(800)
    assert not voice.playing


class Skipping(fw.Game):
    """A game that begins in the middle, seeks and pauses, in the ticks of a rule."""

    def setup(self) -> None:
        self.sound = fw.Sound.of(SINE)

    def update(self, dt: float) -> None:
        if self.tick == 2:
            self.voice = self.sound.play(start=0.25, loop=True)
        if self.tick in (10, 20):
            self.voice.seek(0.75)
        if self.tick == 14:
            self.voice.paused = True
        if self.tick == 17:
            self.voice.paused = False


def captured(path: Path, ticks: int = 30, **options: Any) -> Any:
    with Skipping(headless=True, **options) as game, game.audio.capture(path):
        game.run_ticks(ticks)
    with wave.open(str(path)) as file:
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, 2)


def test_the_start_offset_is_exact_and_does_not_click(tmp_path: Path) -> None:
    samples = captured(tmp_path / "a.wav") / 32_767
    assert np.allclose(samples[1600:2400, 0], SINE[12_000:12_800], atol=1e-4)
    assert largest_step(samples[1610:]) <= SINE_STEP + FADE_STEP
    assert not samples[12_400:13_500].any()


def test_seeks_are_the_same_in_every_run(tmp_path: Path) -> None:
    assert (captured(tmp_path / "a.wav") == captured(tmp_path / "b.wav")).all()


def test_a_tick_that_runs_again_does_not_seek_again() -> None:
    with Skipping(headless=True) as game:
        game.run_ticks(9)
        state = game.snapshot()
        game.run_ticks(3)
        seconds = game.voice.seconds
        assert seconds > 0.75
        game.restore(state)
        game.run_ticks(3)  # ticks 10 to 12 again
        assert game.voice.seconds == seconds
        game.run_ticks(1)
        assert game.voice.seconds == pytest.approx(seconds + 800 / RATE)


def test_looking_at_the_past_does_not_seek() -> None:
    with Skipping(headless=True) as game:
        game.recording.rewind = fw.Rewind()
        game.run_ticks(13)
        seconds = game.voice.seconds
        game.recording.rewind.seek(8)
        game.recording.rewind.seek(11)
        game.recording.rewind.cancel()
        assert game.voice.seconds == seconds


def test_start_is_a_position_in_the_sound() -> None:
    with fw.Game(headless=True) as game:
        sound = fw.Sound.of(SINE)
        for bad in (1.5, -1, math.nan, "x", None):
            with pytest.raises((ValueError, TypeError), match="start"):
                sound.play(start=bad)  # type: ignore[arg-type]
        voice = sound.play(start=0.5)
        assert voice.seconds == 0.5
        assert game.audio.voices == (voice,)
        game.run_ticks(20)
        voice.seek(0.2)
        game.run_ticks(1)
        assert game.audio.voices == (voice,)


@pytest.mark.parametrize("is_captured", [False, True])
def test_a_seek_behind_the_end_of_music_stays_in_its_loop(
    tmp_path: Path, is_captured: bool
) -> None:
    path = tmp_path / "second.wav"
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", ""))
        file.writeframes((np.arange(6 * RATE) // RATE * 1000).astype("<i2").tobytes())

    class Player(fw.Game):
        def setup(self) -> None:
            self.voice = self.audio.music.play(str(path))

        def update(self, dt: float) -> None:
            if self.tick == 3:
                self.voice.seek(21.0)

    with Player(headless=True) as game:
        if not is_captured:
            game.run_ticks(33)
        else:
            sound = captured_game(tmp_path / "mix.wav", game, 33)
            assert sound[-100] == pytest.approx(3000, abs=2)  # the fourth second
        assert game.voice.seconds == pytest.approx(3.5, abs=0.05)


def captured_game(path: Path, game: fw.Game, ticks: int) -> Any:
    with game.audio.capture(str(path), dither=False):
        game.run_ticks(ticks)
    with wave.open(str(path), "rb") as file:
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, 2)[:, 0]
