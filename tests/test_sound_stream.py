"""Sound streams: samples that functions compute, seeks, ends, and errors."""

from __future__ import annotations

import math
import wave
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework as fw
from framework.assets.sounds import RATE
from framework.audio.audio import console_of
from framework.audio.sound_stream import ComputedSource
from framework.audio.voices import track_of


def hum(first: int, count: int) -> Any:
    return 0.5 * np.sin(2 * np.pi * 110 * (first + np.arange(count)) / RATE)


class Humming(fw.Game):
    calls: list[tuple[int, int]]

    def setup(self) -> None:
        self.calls = []
        self.stream = fw.SoundStream(self.computed)
        self.voice = self.stream.play()

    def computed(self, first: int, count: int) -> Any:
        self.calls.append((first, count))
        return hum(first, count)


def captured(path: Path, game: fw.Game, ticks: int) -> Any:
    with game.audio.capture(path):
        game.run_ticks(ticks)
    with wave.open(str(path)) as file:
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, 2) / 32_767


def test_a_stream_has_the_samples_of_its_function(tmp_path: Path) -> None:
    with Humming(headless=True) as game:
        samples = captured(tmp_path / "a.wav", game, 20)
        assert np.allclose(samples[:16_000, 0], hum(0, 16_000), atol=1e-4)
        ends = [first + count for first, count in game.calls]
        assert [first for first, _ in game.calls] == [0, *ends[:-1]]
        assert max(count for _, count in game.calls[1:]) <= 800  # the stream is never far ahead
        game.calls.clear()
        game.run_ticks(10)
        assert game.calls == []  # the bus is silent
        assert game.voice.playing
        assert game.voice.seconds == pytest.approx(30 / 60)
        game.voice.seek(5.0)
        samples = captured(tmp_path / "b.wav", game, 3)
        assert np.allclose(samples[:2400, 0], hum(240_000, 2400), atol=1e-4)


def test_a_stream_ends_with_fewer_samples(tmp_path: Path) -> None:
    def short(first: int, count: int) -> Any:
        count = max(0, min(count, 1000 - first))
        return np.stack([np.full(count, 0.5), np.full(count, -0.25)], axis=1)

    with fw.Game(headless=True) as game:
        stream = fw.SoundStream(short, channels=2)
        voices = stream.play(), stream.play(start=0.01)
        samples = captured(tmp_path / "a.wav", game, 4)
        assert samples[:520, 0] == pytest.approx(1.0, abs=1e-3)
        assert samples[521:1000, 1] == pytest.approx(-0.25, abs=1e-3)
        assert not samples[1001:].any()
        assert not any(voice.playing for voice in voices)


def test_streams_are_computed_ahead_only_if_wanted() -> None:
    for ahead, expected in ((0.0, 0), (0.1, 4000), (1.0, 4096)):
        source = ComputedSource(hum, 1, ahead)
        source.prepare(0, 800)
        assert source.memory(False).valid == 800
        source.read_ahead(0, 72_000)
        assert source.memory(False).valid == 800 + expected


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (lambda n: np.full(n, math.nan), "expected"),
        (lambda n: np.full(n, 1e6), r"expected samples in -1..1, got 1e\+06; divide"),
        (lambda n: np.full(n, -20_000, np.int16), "got 20000; divide 16-bit samples by 32768"),
        (lambda n: np.zeros(n + 1), "at most"),
        (lambda n: np.zeros((n, 2)), "expected"),
        (lambda n: None, "expected"),
        (lambda n: "x", "expected"),
    ],
)
def test_a_wrong_result_is_one_clear_error(tmp_path: Path, result: Any, text: str) -> None:
    def broken(first: int, count: int) -> Any:
        return result(count)

    with fw.Game(headless=True) as game, game.audio.capture(tmp_path / "a.wav"):
        voice = fw.SoundStream(broken).play()
        with pytest.raises((ValueError, TypeError), match=f"the result of broken: .*{text}"):
            game.run_ticks(2)
        game.run_ticks(2)  # the voice has ended, and the game goes on
        assert not voice.playing


def test_a_function_with_other_parameters_is_an_error_with_an_example() -> None:
    with pytest.raises(TypeError, match=r"or wrap it: lambda first, count: …$"):
        fw.SoundStream(lambda count: np.zeros(count))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("samples", "text"),
    [
        (
            np.zeros((2, 100)),
            r"expected the shape \(n,\) or \(n, 2\), got \(2, 100\); write samples\.T$",
        ),
        (
            np.zeros((1, 100)),
            r"expected the shape \(n,\) or \(n, 2\), got \(1, 100\); write samples\[0\]$",
        ),
        (np.full(9, 2000, np.int16), "expected samples in -1..1, got 2000; divide 16-bit samples"),
        ([], "expected 1 sample to 300 seconds, got 0 samples"),
    ],
)
def test_wrong_samples_of_a_sound_are_a_clear_error(samples: Any, text: str) -> None:
    with pytest.raises(ValueError, match=f"^samples: {text}"):
        fw.Sound.of(samples)


def test_streams_are_stopped_if_there_are_too_many() -> None:
    with fw.Game(headless=True) as game:
        game.audio.max_voices = 4
        stream = fw.SoundStream(hum)
        for _ in range(10):
            stream.play()
        tracks = console_of(game.audio).mixer.tracks
        assert sum(not track.ending for track in tracks) == 4


def test_a_tick_that_runs_again_has_the_same_voice() -> None:
    class Late(Humming):
        def setup(self) -> None:
            self.calls, self.stream = [], fw.SoundStream(self.computed)

        def update(self, dt: float) -> None:
            if self.tick == 3:
                self.voice = self.stream.play()

    with Late(headless=True) as game:
        game.run_ticks(2)
        state = game.snapshot()
        game.run_ticks(2)
        voice = game.voice
        game.restore(state)
        game.run_ticks(2)
        assert game.audio.voices == (voice,)
        assert track_of(voice).playing


def test_options_of_streams_are_checked() -> None:
    with pytest.raises(TypeError, match="function"):
        fw.SoundStream(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="function: expected a function of first and count"):
        fw.SoundStream(lambda: 0)  # type: ignore[arg-type, misc]
    for bad in (-1, 2, math.nan, "x"):
        with pytest.raises((TypeError, ValueError), match="ahead"):
            fw.SoundStream(hum, ahead=bad)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="channels"):
        fw.SoundStream(hum, channels=3)
    stream = fw.SoundStream(hum, channels=1, ahead=0.5)
    assert (stream.channels, stream.ahead, repr(stream)) == (1, 0.5, "<SoundStream of hum>")


@pytest.mark.parametrize("channels", [1, 2])
def test_an_empty_result_ends_the_voice(tmp_path: Path, channels: int) -> None:
    nothing = np.zeros((0, 2)[:channels], np.float32)

    class Silent(fw.Game):
        def setup(self) -> None:
            self.voice = fw.SoundStream(lambda first, count: nothing, channels=channels).play()

    with Silent(headless=True) as game:
        captured(tmp_path / "silence.wav", game, 3)
        assert not game.voice.playing


def calls_of(game: fw.Game, path: Path, ticks: int, **options: Any) -> list[tuple[int, int, int]]:
    """Return the calls of a stream's function: the tick, the first sample and the count."""
    calls: list[tuple[int, int, int]] = []

    def silence(first: int, count: int) -> Any:
        calls.append((game.tick, first, count))
        return np.zeros(count)

    fw.SoundStream(silence).play(**options)
    captured(path, game, ticks)
    return calls


def test_a_stream_that_waits_is_not_computed(tmp_path: Path) -> None:
    with fw.Game(headless=True) as game:
        calls = calls_of(game, tmp_path / "mix.wav", 70, at=1.0)
        assert calls[0][0] >= 59
        assert calls[0][1] == 0


def test_a_stream_is_computed_ahead_by_its_option() -> None:
    counts: list[int] = []

    def silence(first: int, count: int) -> Any:
        counts.append(count)
        return np.zeros(count)

    source = ComputedSource(silence, 1, 0.01)
    source.prepare(0, 800)
    for _ in range(3):
        source.read_ahead(800, 144_000)
    assert counts == [800, 480]


@pytest.mark.parametrize("pitch", [1.0, 16.0])
def test_a_tick_may_be_longer_than_the_memory_of_a_stream(tmp_path: Path, pitch: float) -> None:
    with fw.Game(headless=True, timestep=fw.FixedTimestep(0.2)) as game:
        stream = fw.SoundStream(lambda first, count: np.full(count, 0.25))
        stream.play(pitch=pitch)
        mix = captured(tmp_path / "mix.wav", game, 1)
        assert len(mix) >= 5 * RATE
        assert mix[:, 0].min() == pytest.approx(0.25, abs=1e-3)
