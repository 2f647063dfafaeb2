"""Sounds in games: exact start samples, voices, music, devices and repeatability."""

from __future__ import annotations

import gc
import subprocess
import sys
import warnings
import weakref
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pictures import blob
from tones import RATE, heard, tone, wav

import framework as fw
from framework.assets.sounds import load
from framework.audio import console, device, file_stream, sources, synthesis
from framework.audio.audio import console_of
from framework.audio.file_stream import Stream
from framework.audio.kernel import NumpyKernel
from framework.audio.mix_table import LOOKAHEAD
from framework.audio.player import Player
from framework.audio.source_maker import SourceMaker
from framework.audio.voice_reuse import VoiceReuse
from framework.audio.voices import VoiceOptions, track_of
from framework.audio.wave_file import WaveFile

pytestmark = pytest.mark.usefixtures("no_open_game")

Make = Callable[..., Any]
CLICK = fw.Sound.of(np.eye(1, 300)[0])
FLAT = fw.Sound.of(np.full(RATE, 0.5))


def new_player() -> Player:
    return Player(RATE, NumpyKernel().mix)


class Metronome(fw.Game):
    def update(self, dt: float) -> None:
        CLICK.play()


class Planned(fw.Game):
    """A game that calls the functions of its `plan` in their ticks."""

    def __init__(self, **options: Any) -> None:
        self.plan: dict[int, Callable[[Planned], object]] = {}
        super().__init__(**options)

    def update(self, dt: float) -> None:
        if self.tick in self.plan:
            self.plan[self.tick](self)


def captured(game: Any, path: Path, run: Callable[[], object]) -> Any:
    with game.audio.capture(path):
        run()
    return heard(path)


def onsets(mix: Any) -> list[int]:
    return np.flatnonzero(mix[:, 0] > 16_000).tolist()


# -- start times -----------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", [60, 59.94, 30, 144, 256, Fraction(1000, 7)])
def test_a_sound_of_tick_k_starts_at_k_divided_by_the_tick_rate(
    make: Make, tmp_path: Path, rate: Any
) -> None:
    game = make(Metronome, tick_rate=rate, drawing=False)
    mix = captured(game, tmp_path / "mix.wav", lambda: game.run_ticks(40))
    exact = Fraction(str(rate)) if isinstance(rate, float) else Fraction(rate)
    assert onsets(mix) == [round(tick * RATE / exact) for tick in range(1, 41)]
    assert len(mix) == round(41 * RATE / exact)


@pytest.mark.parametrize("frame_rate", [750, 60, 7, 0.5])
def test_the_samples_are_the_same_at_any_frame_rate(
    make: Make, tmp_path: Path, frame_rate: float
) -> None:
    """A frame has 64, 800, 6,857 or 96,000 samples."""

    class Busy(fw.Game):
        def update(self, dt: float) -> None:
            if self.tick % 3 == 0:
                sounds[self.tick % 2].play(
                    pitch=self.random.uniform(0.5, 2),
                    pan=self.random.uniform(-1, 1),
                    volume=self.random.random(),
                )

    sounds = fw.Sound.tone(441, 0.2), fw.Sound.sfx(3)
    mixes = []
    for rate in (60, frame_rate):
        game = make(Busy, frame_rate=rate, drawing=False)
        with game.audio.capture(tmp_path / "mix.wav"):
            while game.tick < 120:
                game.run(1)
        mixes.append((tmp_path / "mix.wav").read_bytes())
    assert mixes[0] == mixes[1]
    assert np.unique(heard(tmp_path / "mix.wav")).size > 1000


def test_sounds_of_setup_events_and_code_between_ticks_start_at_a_tick(
    make: Make, tmp_path: Path
) -> None:
    class Keys(Planned):
        def setup(self) -> None:
            CLICK.play()

        def on_key_press(self, symbol: int, modifiers: int) -> None:
            CLICK.play()

    game = make(Keys, drawing=False)

    def run() -> None:
        game.run_ticks(2)
        game.testing.press("a")
        game.run_ticks(3)
        CLICK.play()
        game.run_ticks(2)
        game.schedule.once(lambda dt: CLICK.play(), 0)
        game.run_ticks(1)

    assert onsets(captured(game, tmp_path / "mix.wav", run)) == [0, 3 * 800, 5 * 800, 8 * 800]


def test_a_capture_counts_samples_from_its_start(make: Make, tmp_path: Path) -> None:
    game = make(Planned, drawing=False, tick_rate=59.94)
    game.plan[13] = lambda game: CLICK.play()
    game.run_ticks(10)
    first = captured(game, tmp_path / "a.wav", lambda: game.run_ticks(5))
    assert onsets(first) == [
        round(Fraction(13 * RATE * 100, 5994)) - round(Fraction(10 * RATE * 100, 5994))
    ]
    game.plan[17] = lambda game: CLICK.play()
    assert len(onsets(captured(game, tmp_path / "b.wav", lambda: game.run_ticks(5)))) == 1


def test_slow_motion_moves_ticks_apart_but_does_not_slow_sounds(make: Make, tmp_path: Path) -> None:
    game = make(Planned, drawing=False)
    game.plan = {tick: lambda game: CLICK.play() for tick in (2, 4, 6)}
    game.timestep.time_scale = 0.5
    mix = captured(game, tmp_path / "mix.wav", lambda: game.run_ticks(6))
    assert np.diff(onsets(mix)).tolist() == [3200, 3200]
    game.audio.buses["slow"].follows_time = True
    voice = FLAT.play(bus="slow")
    game.run_ticks(2)
    assert voice.seconds == pytest.approx(1 / 60)  # at half speed a tick takes 2/60 of a second


def test_slow_motion_begins_and_ends_with_the_tick_that_sets_it(make: Make, tmp_path: Path) -> None:
    game = make(Planned, drawing=False)
    game.plan = {tick: lambda game: CLICK.play() for tick in (3, 4, 6, 7)}
    game.plan[2] = lambda game: setattr(game.timestep, "time_scale", 0.1)
    game.plan[5] = lambda game: setattr(game.timestep, "time_scale", 2)
    mix = captured(game, tmp_path / "mix.wav", lambda: game.run_ticks(8))
    assert onsets(mix) == [800 * tick for tick in (12, 22, 32.5, 33)]  # the same as in real time
    assert len(mix) == 34 * 800


@pytest.mark.parametrize(
    "timestep", [fw.SemiFixedTimestep, fw.VariableTimestep, fw.RoundedTimestep]
)
def test_sounds_of_other_loops_start_at_their_ticks(
    make: Make, tmp_path: Path, timestep: Any
) -> None:
    game = make(Metronome, timestep=timestep(), drawing=False)
    times: list[float] = []
    game.systems.add("camera", lambda dt: times.append(game.timestep.time))

    def run() -> None:
        for frame_time in (0.02, 0.011, 0.03, 0.016):
            game.advance(frame_time)

    samples = onsets(captured(game, tmp_path / "mix.wav", run))
    assert np.abs(np.array(samples) - np.array(times) * RATE).max() <= 1.01


def test_a_paused_game_pauses_its_voices(make: Make, tmp_path: Path) -> None:
    game = make(Planned, drawing=False)
    voice = FLAT.play()
    game.advance(0.1)
    before = voice.seconds
    game.timestep.paused = True
    game.advance(0.2)
    assert voice.seconds == before
    game.timestep.paused = False
    game.advance(0.1)
    assert voice.seconds > before


# -- voices ----------------------------------------------------------------------------------------


def test_a_file_is_played_bit_by_bit(make: Make, tmp_path: Path) -> None:
    written = np.random.default_rng(0).integers(-32768, 32768, 2000)
    wav(tmp_path / "noise.wav", written)
    game = make(Planned, drawing=False)
    sound = fw.Sound(tmp_path / "noise.wav")
    assert (sound.duration, sound.channels) == (2000 / RATE, 1)
    assert "noise.wav" in repr(sound)
    game.plan[2] = lambda game: sound.play()
    mix = captured(game, tmp_path / "mix.wav", lambda: game.run_ticks(6))
    assert (written == mix[1600:3600].T).all()


def test_volume_pitch_and_stop_of_a_voice(make: Make, tmp_path: Path) -> None:
    game = make(Planned, drawing=False)
    voice = FLAT.play(volume=0.5)

    def run() -> None:
        game.run_ticks(2)
        voice.volume = 1.0
        game.run_ticks(2)
        voice.stop(fade=0.05)
        game.run_ticks(6)

    mix = captured(game, tmp_path / "mix.wav", run)[:, 0] / 32768
    assert mix[1500] == pytest.approx(0.25, abs=1e-4)
    assert mix[3100] == pytest.approx(0.5, abs=1e-4)
    assert mix[3200 + 1200] == pytest.approx(0.25, abs=1e-3)
    assert not mix[3200 + 2400 :].any()
    assert np.abs(np.diff(mix[1:])).max() < 1 / 200
    assert not voice.playing
    voice.stop()  # of a voice that has ended


def test_files_are_searched_beside_the_game(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Beside(fw.Game):
        def setup(self) -> None:
            self.sound = fw.Sound("sfx/jump.wav")

    (tmp_path / "sfx").mkdir()
    wav(tmp_path / "sfx" / "jump.wav", [1, 2])
    monkeypatch.setattr("framework.game.engine.folders_of", lambda kind: (str(tmp_path),))
    assert make(Beside, drawing=False).sound.duration == 2 / RATE


def test_the_least_important_voice_is_stopped_at_the_limit(make: Make) -> None:
    game = make(Planned, drawing=False)
    game.audio.max_voices = 3
    loud = FLAT.play()
    quiet = FLAT.play(volume=0.1)
    important = FLAT.play(volume=0.01, priority=5)
    new = FLAT.play()
    game.run_ticks(1)
    assert [voice.playing for voice in (loud, quiet, important, new)] == [True, False, True, True]
    least = FLAT.play(priority=-1)
    assert not least.playing
    assert game.audio.voices == (loud, important, new)
    game.audio.stop()
    game.run_ticks(1)
    assert game.audio.voices == ()


def test_the_farthest_voice_is_stopped_at_the_limit(make: Make) -> None:
    game = make(fw.Game, drawing=False)
    game.audio.max_voices = 3
    near, far = (FLAT.play(position=(x, 0), loop=True) for x in (0, 9000))
    quiet = FLAT.play(volume=0.3, loop=True)
    farther = FLAT.play(position=(20_000, 0), loop=True)
    game.run_ticks(2)
    assert [voice.playing for voice in (near, far, quiet, farther)] == [True, False, True, True]
    FLAT.play(loop=True)
    game.run_ticks(2)
    assert [voice.playing for voice in (near, quiet, farther)] == [True, True, False]


def test_playing_without_a_game_is_an_error() -> None:
    code = "import framework as fw; fw.Sound.tone(440, 0.1).play()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "play: no game is open" in done.stderr


def test_a_game_without_sounds_imports_no_sound_modules() -> None:
    code = (
        "import sys, framework as fw\n"
        "with fw.Game(drawing=False) as game: game.run_ticks(3)\n"
        "print([n for n in sys.modules if n.startswith(('miniaudio', 'cffi', "
        "'framework.audio'))])\n"
        "fw.Sound.tone(440, 0.1)\n"
        "print('miniaudio' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["[]", "False"]


def test_two_games_are_captured_separately(make: Make, tmp_path: Path) -> None:
    first_game = make(Metronome, drawing=False)
    two = make(Planned, drawing=False)
    with two.audio.capture(tmp_path / "two.wav"):
        first = captured(first_game, tmp_path / "one.wav", lambda: first_game.run_ticks(3))
        two.run_ticks(3)
    assert len(onsets(first)) == 3
    assert not heard(tmp_path / "two.wav").any()
    two.close()
    CLICK.play()  # in the game that is still open
    assert first_game.audio.voices


# -- ticks that run again --------------------------------------------------------------------------


class Engine(fw.Game):
    def setup(self) -> None:
        self.speed = 0.0
        self.recording.rewind = fw.Rewind()

    def update(self, dt: float) -> None:
        if self.tick == 5:
            self.engine = FLAT.play(loop=True)
        if self.tick % 10 == 0:
            CLICK.play()
        if self.tick == 30:
            self.engine.stop()
        if self.tick == 40:
            self.horn = FLAT.play(loop=True)


def test_ticks_that_run_again_play_no_sound_twice(make: Make) -> None:
    game = make(Engine)
    game.run_ticks(27)
    state = game.snapshot()
    voices = game.audio.voices
    game.run_ticks(2)
    now = console_of(game.audio).mixer.now
    game.restore(state)
    game.run_ticks(2)
    assert console_of(game.audio).mixer.now == now
    assert game.audio.voices == voices


def test_viewing_the_past_plays_nothing(make: Make) -> None:
    game = make(Engine)
    game.run_ticks(27)
    engine = game.engine
    voices = game.audio.voices
    game.recording.rewind.seek(3)
    game.recording.rewind.seek(12)
    assert game.engine is engine
    assert game.audio.voices == voices
    CLICK.play()  # a paused game is silent
    assert game.audio.voices == voices
    game.recording.rewind.cancel()
    assert game.audio.voices == voices


def test_resuming_from_the_past_stops_later_voices_and_continues_earlier_ones(
    make: Make, tmp_path: Path
) -> None:
    game = make(Engine)
    game.run_ticks(45)
    engine = game.engine
    horn = game.horn
    assert (engine.playing, horn.playing) == (False, True)
    game.recording.rewind.seek(20)
    game.recording.rewind.resume()
    mix = captured(game, tmp_path / "mix.wav", lambda: game.run_ticks(12))
    assert onsets(mix - mix[4000]) == [8000]  # tick 30's click
    assert (engine.playing, horn.playing) == (False, False)  # the voice that ends at tick 30
    assert mix[6000, 0] == 16384
    assert not mix[-100:].any()
    assert game.tick == 32


def test_a_sync_test_of_a_game_with_sounds_passes() -> None:
    class Noisy(fw.Game):
        def setup(self) -> None:
            self.sound = fw.Sound.tone(440, 0.2)
            self.voice = self.sound.play(loop=True)

        def update(self, dt: float) -> None:
            self.voice.pitch = 1 + self.random.random()
            if self.random.random() < 0.3:
                self.last = self.sound.play(volume=self.random.random())

    assert fw.sync_test(Noisy, ticks=30).ok


# -- positions -------------------------------------------------------------------------------------


def test_a_sound_follows_the_drawn_position_of_its_sprite(make: Make, tmp_path: Path) -> None:
    game = make(Planned)
    ship = game.sprites.add(blob(), position=(0, 50))
    FLAT.play(position=ship, loop=True)

    def move(game: Any) -> None:
        ship.x += 20

    game.plan = dict.fromkeys(range(1, 11), move)
    mix = captured(game, tmp_path / "mix.wav", lambda: game.run_ticks(10)) / 32768
    assert mix[100, 0] > 2 * mix[100, 1]  # on the left, and far away
    middle = 6 * 800  # the position after tick 5
    assert mix[middle, 0] == pytest.approx(mix[middle, 1], abs=1e-3)
    assert mix[middle, 0] == pytest.approx(0.5, abs=1e-3)
    assert mix[-1, 1] > 2 * mix[-1, 0]
    assert np.abs(np.diff(mix, axis=0)).max() < 1e-3
    half = mix[4400, 1]  # halfway between two ticks
    assert half == pytest.approx((mix[4000, 1] + mix[4800, 1]) / 2, abs=2e-3)
    ship.remove()
    game.run_ticks(1)  # the sound stays at its last position


def test_points_max_distances_of_buses_and_the_camera(make: Make, tmp_path: Path) -> None:
    game = make(Planned)
    game.audio.reach = 100
    FLAT.play(position=(100, 150), loop=True)  # straight above the center
    mix = captured(game, tmp_path / "mix.wav", lambda: game.run_ticks(3))
    # half as loud at the distance `reach`
    assert mix[-1, 0] == mix[-1, 1] == pytest.approx(8192, abs=2)
    game.camera.position = (100, 150)
    mix = captured(game, tmp_path / "mix.wav", lambda: game.run_ticks(3))
    assert mix[-1].tolist() == [16384, 16384]


def test_in_space_right_is_the_right_of_the_camera(make: Make, tmp_path: Path) -> None:
    game = make(Planned)
    camera = game.world.camera
    camera.position = (0, 0, 0)
    camera.controller = None
    camera.look_at((0, 0, -1))
    voice = FLAT.play(position=(10, 0, 0), loop=True)
    mix = captured(game, tmp_path / "mix.wav", lambda: game.run_ticks(3))
    assert mix[-1].tolist() == [0, 8192]
    camera.look_at((0, 0, 1))
    mix = captured(game, tmp_path / "mix.wav", lambda: game.run_ticks(3))
    assert mix[-1].tolist() == [8192, 0]
    game.audio.listener = fw.Camera3D()
    voice.position = None
    mix = captured(game, tmp_path / "mix.wav", lambda: game.run_ticks(3))
    assert mix[-1].tolist() == [16384, 16384]


# -- music -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["wav", "ogg", "mp3", "flac"])
def test_streamed_music_equals_the_decoded_file(make: Make, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"tone.{ending}"
    path.write_bytes(tone(path.name))
    game = make(Planned, drawing=False)
    voice = game.audio.music.play(path, loop=False)
    mix = captured(game, tmp_path / "mix.wav", lambda: game.run_ticks(12))
    sound = fw.Sound(path)._samples.rows[0]
    n = min(len(sound), 9000)
    assert np.abs(mix[:n, 0] / 32768 - sound[:n]).max() < 1e-4
    assert not voice.playing
    assert not game.audio.music.playing


def test_music_held_by_a_game_is_not_part_of_its_state(make: Make, tmp_path: Path) -> None:
    class Keeps(Planned):
        def setup(self) -> None:
            self.music = self.audio.music

    game = make(Keeps, drawing=False)
    silent = game.state_hash()
    before = game.snapshot()
    game.music.play(wav(tmp_path / "m.wav", np.arange(30_000)), loop=False)
    assert game.state_hash() == silent
    game.restore(before)
    assert game.music.playing


def test_music_repeats_the_part_between_its_loop_points(make: Make, tmp_path: Path) -> None:
    ramp = np.arange(12_000)
    game = make(Planned, drawing=False)
    game.audio.music.play(wav(tmp_path / "m.wav", ramp), loop=(0.1, 0.2))
    mix = captured(game, tmp_path / "mix.wav", lambda: game.run_ticks(40))[:, 0]
    at = np.arange(len(mix))
    assert (mix == np.where(at < 9600, at, 4800 + (at - 4800) % 4800)).all()
    assert game.audio.music.voice.seconds < 0.2
    game.audio.music.play(wav(tmp_path / "n.wav", ramp), loop=True)
    mix = captured(game, tmp_path / "mix.wav", lambda: game.run_ticks(40))[:, 0]
    assert (mix[1000:] == np.arange(len(mix))[1000:] % 12_000).all()


def decoded_by(stream: Stream, first: int, count: int) -> Any:
    stream.prepare(first, count)
    return stream.window(first, count, False)


@pytest.mark.parametrize("stored", [0, 48_000])
def test_a_streamed_loop_equals_a_decoded_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stored: int
) -> None:
    monkeypatch.setattr(file_stream, "_MAX_KEPT", stored)
    path = wav(
        tmp_path / "m.wav", np.sin(np.arange(11_025) * 2 * np.pi * 500 / 44_100) * 16_000, 44_100
    )
    decoded = sources.DecodedSource(load(path), (4800, 9600))
    stream = Stream(path, (4800, 9600))
    sought: list[int] = []
    seek = stream._decoder.seek
    monkeypatch.setattr(stream._decoder, "seek", lambda place: (sought.append(place), seek(place)))
    for first in range(0, 40_000, 700):
        assert (
            np.abs(decoded_by(stream, first, 700) - decoded.window(first, 700, False)).max() < 1e-5
        )
    assert sought == [4800] * (1 if stored else len(sought))


@pytest.mark.parametrize("rate", [8_000, 44_100])
def test_a_looped_file_has_no_seam_at_any_rate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rate: int
) -> None:
    wave = np.sin(np.arange(rate // 4) * 2 * np.pi * 500 / rate) * 16_000  # whole periods
    samples = load(wav(tmp_path / "m.wav", wave, rate))
    clip = sources.DecodedSource(samples, (0, samples.length))
    looped = clip.window(0, 40_000, False)[0]
    curved = np.abs(np.diff(looped, 2))
    assert curved[2000:].max() <= 1.01 * curved[2000:10_000].max()
    resampled = fw.Sound.of(wave / 32768, rate)._samples
    again = sources.DecodedSource(resampled, (0, resampled.length)).window(0, 40_000, False)[0]
    curved_of_array = np.abs(np.diff(again, 2))
    assert curved_of_array[2000:].max() <= 1.01 * curved_of_array[2000:10_000].max()
    assert (clip.window(11_900, 300, True)[0] == looped[11_900:12_200]).all()
    for stored in (0, 48_000):
        monkeypatch.setattr(file_stream, "_MAX_KEPT", stored)
        stream = Stream(tmp_path / "m.wav", (0, None))
        streamed = [decoded_by(stream, first, 800)[0] for first in range(0, 40_000, 800)]
        assert np.abs(np.concatenate(streamed) - looped).max() < 1e-5


def test_music_that_was_silent_for_a_while_continues_at_the_right_position(
    make: Make, tmp_path: Path
) -> None:
    game = make(Planned, drawing=False)
    game.audio.music.play(wav(tmp_path / "m.wav", np.arange(30_000)), loop=False)
    game.run_ticks(10)
    mix = captured(game, tmp_path / "mix.wav", lambda: game.run_ticks(5))[:, 0]
    assert (mix == 8000 + np.arange(len(mix))).all()


def test_music_crossfades_into_the_next_music(make: Make, tmp_path: Path) -> None:
    game = make(Planned, drawing=False)
    sides = {"one": (16384, 0), "two": (0, 16384)}
    first_game, two = (
        wav(tmp_path / f"{name}.wav", np.tile(sides[name], (48_000, 1)), channels=2)
        for name in sides
    )
    first = game.audio.music.play(first_game)
    game.run_ticks(1)
    game.plan[2] = lambda game: game.audio.music.play(two, fade=0.1)
    mix = captured(game, tmp_path / "mix.wav", lambda: game.run_ticks(20))[1:].astype(int)
    assert np.abs(np.hypot(*mix.T) - 16384).max() <= 2  # the sum of the powers is constant
    assert np.abs(np.diff(mix, axis=0)).max() < 16384 / 200
    assert mix[-1].tolist() == [0, 16384]
    assert not first.playing
    assert game.audio.music.voice.sound == str(two)
    third = game.audio.music.play(first_game, fade=9)
    game.audio.music.stop(fade=0.02)  # music that is still fading out, too
    game.run_ticks(3)
    assert not game.audio.music.playing
    assert not third.playing
    assert not game.audio.voices
    with pytest.raises(fw.AssetError, match=r"There is no file 'three\.ogg'"):
        game.audio.music.play("three.ogg")


# -- generated sounds ------------------------------------------------------------------------------


def test_a_tone_has_its_frequency_and_starts_at_once() -> None:
    samples = synthesis.tone(440, 1, "sine")
    assert len(samples) == RATE
    assert np.abs(np.fft.rfft(samples)).argmax() == 440
    assert samples[0] > 0.01
    assert np.abs(samples).max() == pytest.approx(0.5, abs=1e-5)
    assert abs(synthesis.tone(440.3, 0.1, "sine")[-1]) < 0.01


@pytest.mark.parametrize("wave", synthesis.WAVES)
def test_waveforms_differ_but_are_equally_loud(wave: str) -> None:
    samples = synthesis.tone(100, 0.5, wave)
    assert 0.48 <= np.abs(samples).max() <= 0.5
    assert abs(samples.mean()) < 0.05


@pytest.mark.parametrize("kind", synthesis.KINDS)
def test_an_effect_is_the_same_for_the_same_seed(kind: str) -> None:
    first = synthesis.effect(3, kind)
    second = synthesis.effect(4, kind)
    assert (first == synthesis.effect(3, kind)).all()
    assert len(first) != len(second) or (first != second).any()
    assert np.abs(first).max() == pytest.approx(0.5)
    assert abs(first[0]) < 0.05
    assert abs(first[-1]) < 0.05
    assert 0.05 < len(first) / RATE < 1.5


def test_seeds_give_effects_of_every_kind() -> None:
    assert len({synthesis.effect(seed, None).tobytes() for seed in range(20)}) == 20


def test_sounds_from_arrays_are_checked() -> None:
    assert fw.Sound.of(np.zeros((441, 2)), rate=44_100).duration == 0.01
    assert fw.Sound.of([0, 0.5, 0]).channels == 1
    for bad in ([], [[1, 2, 3]], [np.nan], [100.0], "x"):
        with pytest.raises((TypeError, ValueError), match="samples: expected"):
            fw.Sound.of(bad)  # type: ignore[arg-type]


# -- devices ---------------------------------------------------------------------------------------


def test_no_device_is_opened_off_screen_and_the_default_device_in_a_window(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Any] = []

    class Speaker:
        name = "speaker"

        def __init__(self, player: Any) -> None:
            opened.append(player)

        def close(self) -> None:
            opened.append("closed")

    monkeypatch.setattr(
        console, "new_output", lambda player: device.Output(player, clock=lambda: 0.0, open=Speaker)
    )
    monkeypatch.setattr(console, "new_player", new_player)
    game = make(Metronome)
    game.run_ticks(2)
    assert (opened, game.audio.device) == ([], None)
    console_of(game.audio)._host.headless = False  # the same as in a window
    game.advance(1 / 60)
    player = opened[0]
    assert game.audio.device == "speaker"
    assert player.written == round(0.05 * RATE) + 800
    got = player.take(3200)
    assert np.flatnonzero(got[:, 0] > 0.5).tolist() == [2400 + LOOKAHEAD]
    for _ in range(5):
        game.advance(1 / 60)
        player.take(800)
    assert player.written - player.read == pytest.approx(0, abs=2400)
    game.close()
    assert opened[-1] == "closed"


def test_a_game_without_a_device_warns_once_and_continues(make: Make) -> None:
    def none(player: Player) -> Any:
        raise RuntimeError("no device")

    with pytest.warns(RuntimeWarning, match="There is no sound: no device"):
        output = device.Output(new_player(), clock=lambda: 0.0, open=none)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        output.attempt()
    assert output.name is None
    assert not output.check()


def test_a_capture_of_ticks_hours_apart_is_refused(make: Make, tmp_path: Path) -> None:
    game = make(Metronome, drawing=False)
    with game.audio.capture(tmp_path / "mix.wav"):
        game.run_ticks(2)
        game.timestep.time_scale = 1e-6
        with pytest.raises(
            fw.FrameworkError, match="scale of 1e-06 the next tick is 16,667 seconds later"
        ):
            game.run_ticks(9)
    assert len(heard(tmp_path / "mix.wav")) == 2 * 800
    game.run_ticks(2)  # without a capture, no samples are mixed


def test_voices_end_with_their_game() -> None:
    with fw.Game(drawing=False) as game:
        voice = FLAT.play(loop=True)
        game.run_ticks(1)
        assert voice.playing
    assert not voice.playing
    voice.stop()


def test_closing_the_game_in_a_capture_completes_the_file(make: Make, tmp_path: Path) -> None:
    game = make(Metronome, drawing=False)
    with game.audio.capture(tmp_path / "mix.wav"):
        game.run_ticks(3)
        game.close()
    assert onsets(heard(tmp_path / "mix.wav"))[:2] == [800, 1600]


def test_a_capture_that_cannot_be_written_is_an_error_with_the_reason(
    make: Make, tmp_path: Path
) -> None:
    game = make(Planned, drawing=False)
    with (
        pytest.raises(fw.AssetError, match="there is no folder"),
        game.audio.capture(tmp_path / "no" / "mix.wav"),
    ):
        pass


# -- special cases ---------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["wav", "ogg", "mp3", "flac"])
def test_silent_music_ends_too(make: Make, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"tone.{ending}"
    path.write_bytes(tone(f"tone.{ending}"))
    game = make(fw.Game, drawing=False)
    music = game.audio.music.play(path, loop=False)
    game.run_ticks(5)
    assert music.playing  # a tenth of a second is six ticks
    game.run_ticks(5)
    assert not music.playing
    assert music.seconds == pytest.approx(0.1, abs=0.06)  # an MP3 file begins and ends with silence
    with game.audio.capture(tmp_path / "mix.wav"):
        silent = game.audio.music.play(path, loop=False, volume=0)
        game.run_ticks(10)
    assert not silent.playing


def test_silent_music_keeps_its_position(make: Make, tmp_path: Path) -> None:
    game = make(fw.Game, drawing=False)
    path = wav(tmp_path / "music.wav", np.arange(RATE // 4))
    music = game.audio.music.play(path)
    game.run_ticks(60 + 6)
    assert music.seconds == pytest.approx(0.1)
    mix = captured(game, tmp_path / "mix.wav", lambda: game.run_ticks(1))
    assert np.abs(mix[:800, 0] - np.arange(4800, 5600)).max() <= 1


@pytest.mark.parametrize("begin", [0.25, 0.3])
@pytest.mark.parametrize("listens", [True, False])
def test_music_whose_loop_begins_at_its_end_ends(
    make: Make, tmp_path: Path, begin: float, listens: bool
) -> None:
    game = make(fw.Game, drawing=False)
    path = wav(tmp_path / "music.wav", np.arange(RATE // 4))
    music = game.audio.music.play(path, loop=(begin, 1.0))
    if listens:
        captured(game, tmp_path / "mix.wav", lambda: game.run_ticks(20))
    else:
        game.run_ticks(20)
    assert (music.playing, music.seconds) == (False, 0.25)


def test_a_voice_in_a_paused_bus_waits_for_the_bus(make: Make, tmp_path: Path) -> None:
    game = make(fw.Game, drawing=False)
    bus = game.audio.buses["effects"]
    bus.paused = True
    voice = FLAT.play()
    assert not captured(game, tmp_path / "mix.wav", lambda: game.run_ticks(5)).any()
    assert voice.seconds == 0
    bus.paused = False
    assert captured(game, tmp_path / "on.wav", lambda: game.run_ticks(5)).any()


def test_a_lower_voice_limit_is_reached_at_the_next_play(
    make: Make,
) -> None:
    game = make(fw.Game, drawing=False)
    for _ in range(20):
        FLAT.play()
    game.audio.max_voices = 4
    new = FLAT.play(priority=1)
    game.run_ticks(2)
    assert len(game.audio.voices) == 4
    assert new in game.audio.voices


def test_attributes_of_a_voice_are_checked(make: Make, tmp_path: Path) -> None:
    game = make(fw.Game, drawing=False)
    voice = FLAT.play()
    for name, value in (("bus", "speech"), ("priority", "high"), ("reach", "far")):
        with pytest.raises(TypeError, match=rf"^{name}: expected"):
            setattr(voice, name, value)
    with pytest.raises(ValueError, match=r"^reach: expected"):
        voice.reach = 0
    voice.bus = game.audio.buses["speech"]
    game.audio.buses["speech"].volume = 0
    assert not captured(game, tmp_path / "mix.wav", lambda: game.run_ticks(2))[800:].any()


def test_samples_and_loops_in_arrays(make: Make) -> None:
    samples = np.zeros(100, np.float32)
    sound = fw.Sound.of(samples)
    samples[:] = 1
    assert not sound._samples.rows.any()
    with pytest.raises(ValueError, match=r"^samples: expected"):
        fw.Sound.of([[0.1, 0.2], [0.3]])
    game = make(fw.Game, drawing=False)
    voice = FLAT.play(loop=np.array([0.0, 0.1]))
    game.run_ticks(9)
    assert voice.seconds == pytest.approx(0.05)


class Still:
    """A device that reads only when the test calls the player."""

    name = "still"

    def __init__(self, player: Player) -> None:
        self.player = player

    def close(self) -> None:
        pass


def test_slow_motion_between_two_ticks_leaves_no_samples_out(make: Make) -> None:
    game = make(fw.Game, drawing=False)
    player = new_player()
    console_of(game.audio)._output = device.Output(player, open=Still)
    console_of(game.audio)._feed = console.BufferFeed(player)
    game.run_ticks(1)
    FLAT.play(loop=True)
    game.run_ticks(1)
    silent = 0
    # Frames of 1/60 s. After the first half of a tick, time runs at a tenth of its speed.
    for frame in range(60):
        alpha = 0.5 + frame / 10
        if frame and not (frame - 5) % 10:
            game.run_ticks(1)
        console_of(game.audio).frame(SimpleNamespace(alpha=alpha % 1))
        game.timestep.time_scale = 0.1
        samples = player.take(RATE // 60)
        silent += frame > 4 and not (len(samples) and np.abs(samples).max() > 0.4)
    assert (silent, player.continued) == (0, 0)


class Playlist(Planned):
    """A game with music, a loop, and a sound now and then."""

    def setup(self) -> None:
        self.audio.music.play(self.music, fade=0.1)
        FLAT.play(loop=True, volume=0.2, pitch=1.2)

    def update(self, dt: float) -> None:
        super().update(dt)
        if self.tick % 10 == 0:
            CLICK.play(volume=0.1)


@pytest.mark.parametrize("overflow", ["drop", "carry"])
def test_music_continues_through_long_frames_and_captures_change_nothing(
    make: Make, tmp_path: Path, overflow: Any
) -> None:
    """The device plays no gap and no step. The captured file equals that of a game off screen."""
    wave = np.sin(np.arange(RATE * 2) * 2 * np.pi / 300) * 16_000  # whole periods
    music = wav(tmp_path / "m.wav", wave)
    kind = type("Here", (Playlist,), {"music": music})
    player = new_player()
    blocks = []
    game = make(kind, timestep=fw.FixedTimestep(overflow=overflow), drawing=False)
    console_of(game.audio)._output = device.Output(player, open=Still)
    console_of(game.audio)._feed = console.BufferFeed(player)
    with game.audio.capture(tmp_path / "window.wav"):
        for frame in range(100):
            seconds = {30: 0.1, 50: 0.3, 70: 0.45}.get(frame, 1 / 60)
            game.advance(seconds)
            console_of(game.audio).frame(SimpleNamespace(alpha=game.timestep.alpha))
            blocks.append(player.take(round(seconds * RATE)))
    off_screen = make(kind, drawing=False)
    with off_screen.audio.capture(tmp_path / "off.wav"):
        off_screen.run_ticks(game.tick)
    assert (tmp_path / "window.wav").read_bytes() == (tmp_path / "off.wav").read_bytes()
    sound = np.concatenate(blocks)[6000:, 0]
    assert player.continued > 0.5 * RATE
    assert np.abs(sound[: len(sound) // 200 * 200]).reshape(-1, 200).max(axis=1).min() > 0.04
    assert np.abs(np.diff(sound)).max() < 0.12  # the click


@pytest.mark.parametrize("pauses", [True, False])
def test_a_paused_game_becomes_silent_but_a_late_frame_does_not(make: Make, pauses: bool) -> None:
    game = make(fw.Game, tick_rate=10, drawing=False)
    player = new_player()
    console_of(game.audio)._output = device.Output(player, open=Still)
    console_of(game.audio)._feed = console.BufferFeed(player)
    FLAT.play(loop=True)
    game.run_ticks(1)
    blocks = []
    for frame in range(60):  # a frame of 0.08 seconds ends shortly before the next tick
        console_of(game.audio).frame(SimpleNamespace(alpha=0.0 if pauses else frame % 5 / 5))
        if not pauses and frame % 5 == 4:
            game.run_ticks(1)
        blocks.append(player.take(3840 if frame == 50 else 960))
    assert bool(np.abs(blocks[-1]).max() > 0.4) is not pauses
    assert (player.missed > 0) is pauses
    assert np.abs(np.diff(np.concatenate(blocks)[:, 0])).max() < 0.01


@pytest.mark.parametrize("change", ["stop", "volume", "bus"])
def test_changes_are_heard_after_the_latency(make: Make, change: str) -> None:
    game = make(Planned, drawing=False)
    player = new_player()
    console_of(game.audio)._output = device.Output(player, open=Still)
    console_of(game.audio)._feed = console.BufferFeed(player)
    voice = FLAT.play(loop=True)
    changes: dict[str, Callable[[], object]] = {
        "stop": voice.stop,
        "volume": lambda: setattr(voice, "volume", 0.0),
        "bus": lambda: setattr(game.audio.buses["effects"], "paused", True),
    }
    game.plan[30] = lambda game: changes[change]()
    blocks = []
    for _ in range(60):
        game.advance(1 / 60)
        console_of(game.audio).frame(SimpleNamespace(alpha=0.0))
        if game.tick == 30 and len(blocks) < 30:
            changed = sum(map(len, blocks))
        blocks.append(player.take(800))
    sound = np.concatenate(blocks)[:, 0]
    later = np.flatnonzero(sound[changed:] < 0.499)[0]
    assert later <= 0.05 * RATE + LOOKAHEAD + 3
    assert not sound[changed + 2400 + LOOKAHEAD + 800 :].any()


def test_a_second_process_takes_over_when_its_device_is_open(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Candidate:
        name: str | None = ""

        def __init__(self) -> None:
            self.player = new_player()
            self.is_closed = False

        def check(self) -> bool:
            return self.name is not None

        def close(self) -> None:
            self.is_closed = True

    candidate = Candidate()
    monkeypatch.setattr(console, "better_output", lambda output, player: candidate)
    game = make(fw.Game, drawing=False)
    desk = console_of(game.audio)
    first = desk._output = device.Output(new_player(), open=Still)
    desk._feed = console.BufferFeed(first.player)
    CLICK.play()
    game.run_ticks(2)
    desk.frame(SimpleNamespace(alpha=0.0))
    assert desk._candidate is None  # a short sound needs no process
    FLAT.play(loop=True)
    game.run_ticks(1)
    for name in ("", "ALSA"):
        assert desk._output is first
        candidate.name = name
        desk.frame(SimpleNamespace(alpha=0.0))
        desk.frame(SimpleNamespace(alpha=0.0))
    assert desk._output is candidate
    assert desk._feed.player is candidate.player
    assert first.device is not None  # the first player plays its last samples
    for _ in range(61):
        desk.frame(SimpleNamespace(alpha=0.0))
    assert first.device is None
    game.close()
    assert candidate.is_closed


def test_the_second_process_starts_when_a_long_sound_is_loaded(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Any] = []
    used: list[Any] = []
    closed: list[Any] = []
    monkeypatch.setattr(console, "started_player", lambda: started.append("early") or "early")
    monkeypatch.setattr(console, "better_output", lambda output, player: used.append(player))
    monkeypatch.setattr(console, "release", closed.append)
    game = make(fw.Game, drawing=False)
    desk = console_of(game.audio)
    fw.Sound.tone(440, 2.0)
    assert not started  # a game without a window plays no sounds
    desk._host.headless = False
    fw.Sound.tone(440, 0.5)
    assert not started  # a short sound ends before a long frame is noticed
    fw.Sound.tone(440, 2.0)
    fw.SoundStream(lambda first, count: np.zeros(count))
    assert started == ["early"]
    desk._output = device.Output(new_player(), open=Still)
    desk._feed = console.BufferFeed(desk._output.player)
    FLAT.play()
    assert used == ["early"]  # in the same tick, not in the next frame
    assert closed == ["early"]  # the process was not needed
    FLAT.play(loop=True)
    assert used == ["early", None]
    FLAT.play()
    fw.Sound.tone(440, 0.5)
    assert used == ["early", None]
    fw.Sound.tone(440, 2.0)  # a short sound has already opened the sound device
    assert used == ["early", None, None]
    desk._output = None
    fw.Sound.tone(440, 2.0)
    assert started == ["early", "early"]
    game.close()
    assert closed == ["early", "early"]


def test_a_long_sound_of_a_module_starts_the_process_with_the_game(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SourceMaker, "long_sound_exists", False)
    fw.Sound.tone(440, 0.5)
    assert not SourceMaker.long_sound_exists
    fw.Sound.tone(440, 2.0)
    assert SourceMaker.long_sound_exists
    called: list[bool] = []
    monkeypatch.setattr(console.Console, "prepare_long_sounds", lambda desk: called.append(True))
    assert make(fw.Game, drawing=False).audio.voices == ()
    assert called == [True]


def test_a_second_process_without_a_device_is_ended(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[str] = []
    candidate = SimpleNamespace(
        name=None, player=new_player(), check=lambda: False, close=lambda: closed.append("closed")
    )
    monkeypatch.setattr(console, "better_output", lambda output, player: candidate)
    game = make(fw.Game, drawing=False)
    desk = console_of(game.audio)
    first = desk._output = device.Output(new_player(), open=Still)
    desk._feed = console.BufferFeed(first.player)
    FLAT.play(loop=True)
    for _ in range(4):
        game.run_ticks(1)
        desk.frame(SimpleNamespace(alpha=0.0))
    assert (closed, desk._output) == (["closed"], first)


def test_the_game_plays_its_sounds_after_the_second_process_has_ended(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(console, "new_player", new_player)
    monkeypatch.setattr(console, "new_output", lambda player: device.Output(player, open=Still))
    game = make(fw.Game, drawing=False)
    desk = console_of(game.audio)
    first = desk._output = device.Output(new_player(), open=Still)
    desk._feed = console.BufferFeed(first.player)
    FLAT.play(loop=True)
    monkeypatch.setattr(console, "better_output", lambda output, player: None)
    monkeypatch.setattr(console, "is_alive", lambda player: player is not first.player)
    game.run_ticks(1)
    desk.frame(SimpleNamespace(alpha=0.0))
    assert desk._output is not first
    assert first.device is None
    assert desk._feed.player is desk._output.player
    assert desk._output.player.written


@pytest.mark.parametrize("timestep", [fw.SemiFixedTimestep, fw.VariableTimestep, fw.FixedTimestep])
def test_slow_motion_leaves_no_samples_out_at_twenty_frames_per_second(
    make: Make, timestep: Any
) -> None:
    game = make(Planned, timestep=timestep(), drawing=False)
    player = new_player()
    console_of(game.audio)._output = device.Output(player, open=Still)
    console_of(game.audio)._feed = console.BufferFeed(player)
    game.plan[2] = lambda game: FLAT.play(loop=True)
    # a frame runs 31, 32 and 33
    game.plan[31] = lambda game: setattr(game.timestep, "time_scale", 0.1)
    silent = 0
    for frame in range(40):
        game.advance(1 / 20)
        if frame == 30:
            game.timestep.time_scale = 1
        samples = player.take(RATE // 20)
        silent += frame > 6 and not (len(samples) and np.abs(samples).max() > 0.4)
    assert (silent, player.continued) == (0, 0)


@pytest.mark.parametrize("scale", [1.0, 0.1, 0.01, 1e-4])
def test_sounds_continue_in_slow_motion_of_any_scale(make: Make, scale: float) -> None:
    game = make(fw.Game, drawing=False)
    player = new_player()
    console_of(game.audio)._output = device.Output(player, open=Still)
    console_of(game.audio)._feed = console.BufferFeed(player)
    game.timestep.time_scale = scale
    game.run_ticks(1)
    FLAT.play(loop=True)
    game.run_ticks(1)
    loud = 0
    for frame in range(40):  # a sixtieth of a second, which is this fraction of a tick
        due = frame * scale
        if due >= 1:
            game.run_ticks(int(due) - int(due - scale))
        console_of(game.audio).frame(SimpleNamespace(alpha=due % 1))
        heard_now = player.take(RATE // 60)
        loud += bool(len(heard_now) and np.abs(heard_now).max() > 0.4)
    assert loud > 30
    assert len(game.audio.voices) == 1


def test_a_lost_device_is_searched_every_five_seconds() -> None:
    now = [0.0]
    attempts = []

    class Silent:
        name = "none"

        def close(self) -> None: ...

    def opened(player: Player) -> Any:
        attempts.append(now[0])
        if len(attempts) > 1:
            raise OSError("unplugged")
        return Silent()

    output = device.Output(new_player(), clock=lambda: now[0], open=opened)
    output._warned = True
    for _ in range(16):
        now[0] += 1.0
        output.check()
    assert attempts == [0.0, 3.0, 8.0, 13.0]


def test_sound_returns_when_a_device_is_plugged_in_again(make: Make, tmp_path: Path) -> None:
    game = make(fw.Game, drawing=False)
    now = [0.0]
    devices = [Still]

    def opened(player: Player) -> Any:
        if not devices:
            raise OSError("unplugged")
        return devices.pop()(player)

    player = new_player()
    backend = console_of(game.audio)
    backend._output = device.Output(player, clock=lambda: now[0], open=opened)
    backend._output._warned = True
    backend._feed = console.BufferFeed(player)
    voice = fw.Sound.of(np.arange(RATE * 12) / (RATE * 12)).play()
    blocks = []
    times = []

    def run() -> None:
        for frame in range(600):
            now[0] += 1 / 60
            game.advance(1 / 60)
            backend.frame(SimpleNamespace(alpha=0.0))
            if frame == 300:
                devices.append(Still)
            if not 60 <= frame < 300 and backend.device is not None:
                blocks.append(player.take(800)[:, 0])
                times.append(voice.seconds)

    mix = captured(game, tmp_path / "mix.wav", run)[:96_000, 0]
    back = np.concatenate(blocks[60:])
    assert backend.device == "still"
    first = np.flatnonzero(back)[0]
    assert first < 4 * RATE  # the next attempt, after at most 5 seconds
    assert np.abs(np.diff(back[first + 240 :])).max() < 1e-5
    assert np.abs(np.diff(back)).max() < 1 / 240 + 1e-5  # faded out and in
    # The sound is at the position of the game, not at that of the lost device.
    assert back[-1] * 12 == pytest.approx(times[-1] - game.audio.latency, abs=0.02)
    assert np.abs(mix - np.arange(96_000) / (RATE * 12) * 32_768).max() < 3


def test_a_tick_that_runs_again_starts_only_voices_that_are_new() -> None:
    reuse = VoiceReuse()
    assert reuse.repeated(1, "shot", VoiceOptions()) == (False, None)
    assert reuse.stored(1, "shot") is None


def test_a_closed_file_ignores_samples_and_may_be_closed_again(tmp_path: Path) -> None:
    file = WaveFile(str(tmp_path / "mix.wav"))
    file.write(np.zeros((4, 2), np.float32))
    file.close()
    written = (tmp_path / "mix.wav").read_bytes()
    file.close()
    file.write(np.zeros((4, 2), np.float32))
    assert (file.frames, (tmp_path / "mix.wav").read_bytes()) == (4, written)


def test_an_effect_starts_softly_but_without_silence() -> None:
    rise = synthesis._envelope(1000, 0.5, 0.0)[:96]
    assert rise[0] == pytest.approx(0.5 / 96)
    assert rise[-1] == pytest.approx(95.5 / 96)


def test_a_game_without_captures_skips_samples_that_are_not_stored(make: Make) -> None:
    game = make(drawing=False)
    desk = console_of(game.audio)
    runs: list[tuple[int, bool]] = []
    desk.mixer.run = lambda until, audible, end=None, device=False: (
        runs.append((until, audible)) or np.empty((0, 2))
    )
    begin = desk.mixer.now
    desk._mix(begin + 4 * RATE)
    assert runs == [(begin + 3 * RATE, False), (begin + 4 * RATE, False)]


def test_at_most_a_second_of_sound_waits_for_the_device(make: Make) -> None:
    game = make(drawing=False)
    desk = console_of(game.audio)
    desk._output = device.Output(new_player(), open=Still)
    for length in (RATE // 4, RATE * 3 // 4):
        desk._mix(desk.mixer.now + length)
    assert sum(map(len, desk._pending)) == RATE
    desk._mix(desk.mixer.now + 1)
    assert [*map(len, desk._pending)] == [RATE * 3 // 4, 1]


def test_a_released_console_has_no_captures(make: Make, tmp_path: Path) -> None:
    game = make(drawing=False)
    with game.audio.capture(tmp_path / "mix.wav"):
        game.run_ticks(1)
        desk = console_of(game.audio)
        assert len(desk._sinks) == 1
        game.close()
        assert desk._sinks == []


def test_the_pan_law_is_an_audio_setting_and_changes_without_a_click(
    make: Make, tmp_path: Path
) -> None:
    game = make(Planned, drawing=False)
    FLAT.play()
    assert game.audio.pan_law == "balance"
    game.plan[10] = lambda game: setattr(game.audio, "pan_law", "power")
    mix = captured(game, tmp_path / "mix.wav", lambda: game.run_ticks(20))
    assert mix[1000].tolist() == [16384, 16384]
    assert np.abs(mix[-10:] - 16384 * 0.5**0.5).max() <= 2
    assert np.abs(np.diff(mix[900:], axis=0)).max() < 30
    with pytest.raises(ValueError, match=r'pan_law: expected .*"?balance'):
        game.audio.pan_law = "linear"


def test_a_captured_file_is_dithered_if_samples_do_not_fit_into_16_bits(
    make: Make, tmp_path: Path
) -> None:
    tone = fw.Sound.of(np.sin(np.arange(RATE) * 2 * np.pi * 1000 / RATE) * 0.8 / 32768)
    mixes = []
    for name, options in (("a", {}), ("b", {}), ("c", {"dither": False})):
        game = make(Planned, drawing=False)
        tone.play()
        with game.audio.capture(tmp_path / name, **options):
            game.run_ticks(65)
        mixes.append(heard(tmp_path / name))
    dithered, again, rounded = mixes
    assert (dithered == again).all()
    assert not dithered[RATE:].any()  # silence stays silence
    spectra = [np.abs(np.fft.rfft(mix[:RATE, 0])) for mix in (dithered, rounded)]
    harmonics = [spectrum[[3000, 5000, 7000]].max() / spectrum[1000] for spectrum in spectra]
    assert harmonics[1] > 0.05  # distortion
    assert harmonics[0] < 0.02
    noise = dithered[:RATE, 0] - dithered[:RATE, 1]
    assert 0.5 < noise.std() < 2  # both channels have different noise
    whole = np.sin(np.arange(1000)) * 9000
    game = make(Planned, drawing=False)
    fw.Sound.of(np.rint(whole) / 32768).play()
    exact = captured(game, tmp_path / "d", lambda: game.run_ticks(1))[:1000, 0]
    assert (exact == np.rint(whole)).all()


def test_a_play_at_the_limit_computes_each_loudness_once(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = make(fw.Game, drawing=False)
    game.audio.max_voices = 20
    mixer = console_of(game.audio).mixer
    count = 0
    original = mixer._voice_gains

    def counted(*arguments: Any) -> tuple[float, float]:
        nonlocal count
        count += 1
        return original(*arguments)

    monkeypatch.setattr(mixer, "_voice_gains", counted)
    voices = [FLAT.play(position=(10.0 * index, 0.0), loop=True) for index in range(60)]
    live = [voice for voice in voices if not track_of(voice).ending]
    assert len(live) == 20
    assert count <= 60
    quiet = [FLAT.play(volume=0.01, loop=True), FLAT.play(loop=True)][0]
    assert track_of(quiet).ending  # the quietest voice is stopped


def test_sounds_of_long_ended_voices_are_released(
    make: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(console, "MAX_TICKS", 100)
    monkeypatch.setattr(console, "_FORGETTING", 16)
    path = wav(tmp_path / "music.wav", np.full(4800, 0.5))
    game = make(fw.Game, drawing=False)
    sounds = []
    for _ in range(20):
        sound = fw.Sound.of(np.full(480, 0.5))
        sounds.append(weakref.ref(sound._samples))
        sound.play(at=game.audio.time + 0.1)
        sounds.append(weakref.ref(track_of(game.audio.music.play(path)).source))
        game.run_ticks(10)
    game.audio.music.stop()
    del sound
    game.run_ticks(130)
    gc.collect()
    assert not any(reference() for reference in sounds)


def test_music_stops_at_once_or_fades_out(make: Make, tmp_path: Path) -> None:
    game = make(fw.Game, drawing=False)
    music = game.audio.music
    path = wav(tmp_path / "music.wav", np.full(RATE * 4, 0.5))
    for stop, playing in (
        (music.stop, [False, False]),
        (lambda: music.stop(0.5), [True, False]),
    ):
        voice = music.play(path)
        game.run_ticks(5)
        assert voice.playing
        stop()
        result = []
        for _ in range(2):
            game.run_ticks(20)
            result.append(voice.playing)
        assert result == playing


def test_a_class_as_the_listener_is_an_error_with_the_remedy(make: Make) -> None:
    game = make(fw.Game, drawing=False)
    with pytest.raises(TypeError, match=r"^listener: expected a camera, .*make one, Camera2D\(…"):
        game.audio.listener = fw.Camera2D
    with pytest.raises(TypeError, match=r"^listener: expected a camera"):
        game.audio.listener = 3


def test_a_sound_stores_the_samples_of_only_a_few_loops() -> None:
    samples = fw.Sound.of(np.full((4410, 2), 0.1), 44_100)._samples
    loops = [samples.looped(start) for start in range(0, 1000, 100)]
    assert len(samples._looped) == 4
    assert samples.looped(900) is loops[9]


def test_decoders_of_a_file_share_its_bytes(tmp_path: Path) -> None:
    path = wav(tmp_path / "music.wav", np.full(480, 0.5))
    streams = Stream(path, None), Stream(path, None)
    assert streams[0]._decoder.data is streams[1]._decoder.data


@pytest.mark.parametrize(
    "new",
    [
        lambda path: fw.Sound.tone(440, 1.0),
        lambda path: fw.Sound.sfx(7, "coin"),
        lambda path: fw.Sound(path),
    ],
)
def test_a_sound_created_in_a_tick_is_not_played_twice(
    make: Make, tmp_path: Path, new: Any
) -> None:
    path = wav(tmp_path / "sound.wav", np.full(RATE, 9000))
    game = make(Planned, drawing=False)
    game.recording.rewind = fw.Rewind()
    game.plan[10] = lambda game: new(path).play()
    game.run_ticks(8)
    state = game.snapshot()
    game.run_ticks(4)
    first = game.audio.voices
    game.restore(state)
    game.run_ticks(4)
    assert game.audio.voices == first
    assert len(first) == 1
