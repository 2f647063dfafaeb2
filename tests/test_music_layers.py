"""Layers of music: several files that play in sync, with volumes that fade without a click."""

from __future__ import annotations

import math
import wave
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework as fw
from framework.assets.sounds import RATE

FILES = {"low": 110, "high": 440}


def write(path: Path, frequency: float, samples: int = 48_000) -> str:
    values = 8000 * np.sin(2 * np.pi * frequency * np.arange(samples) / RATE)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(values.astype("<i2").tobytes())
    return str(path)


@pytest.fixture
def paths(tmp_path: Path) -> dict[str, str]:
    return {name: write(tmp_path / f"{name}.wav", hertz) for name, hertz in FILES.items()}


def record(game: fw.Game, path: Path, ticks: int) -> Any:
    with game.audio.capture(path):
        game.run_ticks(ticks)
    with wave.open(str(path)) as file:
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, 2) / 32_767


def test_layers_play_in_sync_and_fade(paths: dict[str, str], tmp_path: Path) -> None:
    with fw.Game(headless=True) as game:
        music = game.audio.music
        layers = music.play_layers(paths, volumes={"high": 0.0})
        assert (list(layers), len(layers), layers.playing) == (["low", "high"], 2, True)
        assert len(game.audio.voices) == 2
        record(game, tmp_path / "a.wav", 10)
        layers.fade("high", 1.0, seconds=0.5)
        mix = record(game, tmp_path / "b.wav", 40)
        second = np.arange(8800, 8800 + len(mix)) / RATE
        share = np.clip((second - 8800 / RATE) / 0.5, 0, 1)
        expected = [np.sin(2 * np.pi * hertz * second) * 8000 / 32_767 for hertz in FILES.values()]
        assert np.allclose(mix[:, 0], expected[0] + share * expected[1], atol=2e-3)
        layers.seek(0.25)
        mix = record(game, tmp_path / "c.wav", 4)
        second = 0.25 + np.arange(len(mix)) / RATE
        expected = [np.sin(2 * np.pi * hertz * second) * 8000 / 32_767 for hertz in FILES.values()]
        assert np.allclose(mix[240:, 0], sum(expected)[240:], atol=2e-3)
        assert {layers[name].seconds for name in layers} == {layers.seconds}
        game.audio.buses["music"].paused = True
        game.run_ticks(5)
        game.audio.buses["music"].paused = False
        game.run_ticks(60)
        assert {layers[name].seconds for name in layers} == {layers.seconds}
        layers.stop(fade=0.1)
        assert not layers.playing
        game.run_ticks(10)
        assert game.audio.voices == ()


def test_layers_are_the_music(paths: dict[str, str]) -> None:
    with fw.Game(headless=True) as game:
        music = game.audio.music
        single = music.play(paths["low"])
        game.run_ticks(5)
        layers = music.play_layers(paths, fade=0.2)
        game.run_ticks(20)
        assert not single.playing
        assert music.playing
        assert layers.playing
        music.play(paths["low"])
        game.run_ticks(2)
        assert not layers.playing
        music.play_layers(paths)
        music.stop()
        game.run_ticks(2)
        assert not music.playing


def test_repeated_ticks_keep_the_layers(paths: dict[str, str]) -> None:
    class Battle(fw.Game):
        def update(self, dt: float) -> None:
            if self.tick == 3:
                self.layers = self.audio.music.play_layers(paths, volumes={"high": 0})
            if self.tick == 5:
                self.layers.fade("high", 1.0, 0.5)

    with Battle(headless=True) as game:
        game.run_ticks(2)
        state = game.snapshot()
        game.run_ticks(8)
        voices = game.audio.voices
        assert len(voices) == 2
        game.restore(state)
        game.run_ticks(8)
        assert game.audio.voices == voices
        assert [game.layers[name] for name in game.layers] == list(voices)


def test_wrong_layers_are_clear_errors(paths: dict[str, str], tmp_path: Path) -> None:
    short = write(tmp_path / "short.wav", 200, 30_000)
    with fw.Game(headless=True) as game:
        music = game.audio.music
        with pytest.raises(ValueError, match="expected files of equal length"):
            music.play_layers({**paths, "short": short})
        with pytest.raises(ValueError, match="loop: expected an end within all files"):
            music.play_layers({**paths, "short": short}, loop=(0.1, 0.9))
        assert not music.playing
        with pytest.raises(fw.AssetError):
            music.play_layers({"a": str(tmp_path / "nothing.wav")})
        for bad in ({}, 3, None, {"a": 3}, dict.fromkeys(map(str, range(17)), short)):
            with pytest.raises((TypeError, ValueError, fw.AssetError), match="paths"):
                music.play_layers(bad)  # type: ignore[arg-type]
        for volumes in ({"x": 1}, {"low": math.nan}, {"low": -1}, 3):
            with pytest.raises((TypeError, ValueError), match="volume"):
                music.play_layers(paths, volumes=volumes)  # type: ignore[arg-type]
        layers = music.play_layers({**paths, "short": short}, loop=(0.1, 0.5))
        for name, volume, seconds in (("x", 1, 1), ("low", -1, 1), ("low", 1, math.nan)):
            with pytest.raises((TypeError, ValueError), match=r"name|volume|seconds"):
                layers.fade(name, volume, seconds)
        with pytest.raises(ValueError, match="seconds"):
            layers.seek(-1)
        assert repr(layers) == "<MusicLayers low, high, short>"


def flat(path: Path) -> str:
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", ""))
        file.writeframes(np.full(RATE, 8000, "<i2").tobytes())
    return str(path)


@pytest.mark.parametrize("begins", [0, 10])
@pytest.mark.parametrize("seeks", [None, 15])
def test_a_fade_starts_at_its_first_sample_and_continues_after_a_seek(
    tmp_path: Path, begins: int, seeks: int | None
) -> None:
    files = {"calm": flat(tmp_path / "flat.wav")}

    class Layered(fw.Game):
        def setup(self) -> None:
            self.layers = self.audio.music.play_layers(files, volumes={"calm": 0.0})
            if begins == 0:
                self.layers.fade("calm", 1.0, seconds=1.0)

        def update(self, dt: float) -> None:
            if self.tick == begins:
                self.layers.fade("calm", 1.0, seconds=1.0)
            if self.tick == seeks:
                self.layers.seek(0.5)

    with Layered(headless=True) as game:
        mix = record(game, tmp_path / "mix.wav", 70)[:, 0] * 32_767 / 8000
    samples = np.arange(len(mix))
    first = max(0, begins - 1) * RATE / 60  # the first tick begins at sample 0
    assert np.allclose(mix, np.clip((samples - first) / RATE, 0, 1), atol=0.02)


def test_a_seek_during_two_fades_does_not_change_the_volume_abruptly(tmp_path: Path) -> None:
    files = {"calm": flat(tmp_path / "flat.wav")}

    class Layered(fw.Game):
        def setup(self) -> None:
            self.layers = self.audio.music.play_layers(files, volumes={"calm": 0.2}, fade=0.8)
            self.layers.fade("calm", 1.0, seconds=1.0)

        def update(self, dt: float) -> None:
            if self.tick in (15, 30):
                self.layers.seek(0.5)

    with Layered(headless=True) as game:
        mix = record(game, tmp_path / "mix.wav", 70)[:, 0] * 32_767 / 8000
    seconds = np.arange(len(mix)) / RATE
    volume = np.clip(0.2 + 0.8 * seconds, 0, 1) * np.clip(seconds / 0.8, 0, 1)
    assert np.allclose(mix, volume, atol=0.02)
    assert np.abs(np.diff(mix)).max() < 1 / 1000
