"""Occlusion: walls make a voice quieter and duller, without clicks."""

from __future__ import annotations

import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from natives import library_or_skip
from test_mixer import Desk
from test_player import Simulated, is_smooth, python_player, sine

import framework as fw
from framework.assets.sounds import RATE, Samples
from framework.audio.kernel import NumpyKernel
from framework.audio.mixer import Mixer
from framework.audio.native import NativeKernel
from framework.audio.native_player import NativePlayer
from framework.audio.occlusion import Occlusion, occlusion_between
from framework.audio.sources import DecodedSource
from framework.audio.voices import Moment, Voice, VoiceOptions, track_of
from framework.physics.queries2d import RayHit

Make = Callable[..., Any]
SOURCE = 260.0, 90.0  # right of the listener, which is at (160, 90)
NOISE = np.random.default_rng(3).standard_normal(RATE) * 0.1


def tone(hertz: float) -> Any:
    return 0.5 * np.sin(2 * np.pi * hertz * np.arange(RATE) / RATE)


def record(game: fw.Game, path: Path, ticks: int) -> Any:
    with game.audio.capture(path):
        game.run_ticks(ticks)
    with wave.open(str(path)) as file:
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, 2) / 32_768


def loudness(mix: Any) -> float:
    return float(np.sqrt((mix**2).mean()))


def decibels(occlusion: Any, hertz: float, path: Path, make: Make) -> float:
    """Return the level of a tone with an occlusion, relative to the level without, in decibels."""
    sound = fw.Sound.of(tone(hertz))
    levels = []
    for value in (0, occlusion):
        game = make()
        with game:
            sound.play(position=SOURCE, loop=True, occlusion=value)
            levels.append(loudness(record(game, path / "mix.wav", 20)[2000:]))
    return float(20 * np.log10(levels[1] / levels[0]))


@pytest.fixture
def make() -> Make:
    return lambda: fw.Game(headless=True, drawing=False, resolution=(320, 180))


def test_a_voice_behind_a_wall_is_quieter_and_loses_high_frequencies(
    tmp_path: Path, make: Make
) -> None:
    assert decibels(1, 60, tmp_path, make) == pytest.approx(-8, abs=0.3)
    assert decibels(1, 600, tmp_path, make) == pytest.approx(-14, abs=0.3)
    assert decibels(1, 6000, tmp_path, make) < -44
    assert -16 < decibels(0.5, 6000, tmp_path, make) < -15
    assert decibels(None, 6000, tmp_path, make) == 0


def boxes(x: float) -> Any:
    return fw.collide.ConvexShapes.boxes([(x, 90.0)], (10.0, 40.0))


def tiles(x: float) -> Any:
    solid = np.zeros((18, 32), bool)
    solid[7:11, int(x // 10)] = True
    return fw.collide.TileGrid(solid, 10)


def world(game: fw.Game, x: float) -> Any:
    physics = fw.Physics2D()
    batch = game.add(fw.SpriteBatch(fw.art.ball, 2))
    # bodies at the positions of the voice and of the listener
    batch.position[:] = SOURCE, (160.0, 90.0)
    physics.add(batch)
    physics.add_line([(x, 70), (x, 110)])
    return physics


@pytest.mark.parametrize("kind", ["shapes", "tiles", "physics", "function", "number"])
def test_walls_between_the_listener_and_the_voice_muffle_it(
    kind: str, tmp_path: Path, make: Make
) -> None:
    sound = fw.Sound.of(tone(6000))
    levels = []
    for x in (280.0, 210.0):  # behind the voice, and between the voice and the listener
        with make() as game:
            points = []

            def between(position: Any, listener: Any, x: float = x, points: Any = points) -> bool:
                points.append((position, listener))
                return bool(listener[0] < x < position[0])

            walls = {
                "shapes": lambda x: boxes(x),
                "tiles": lambda x: tiles(x),
                "physics": lambda x, game=game: world(game, x),
                "function": lambda x, between=between: between,
                "number": lambda x: float(x < 260),
            }[kind](x)
            game.audio.occlusion = walls
            sound.play(position=SOURCE, loop=True)
            free = sound.play(position=SOURCE, loop=True, occlusion=0)
            free.volume = 0.0
            levels.append(loudness(record(game, tmp_path / "mix.wav", 6)[:, 1]))
            if kind == "function":
                assert set(points) == {(SOURCE, (160.0, 90.0))}
    assert levels[0] > 0.1
    assert levels[1] < levels[0] / 100


def test_walls_of_a_3d_world_muffle_a_voice(tmp_path: Path, make: Make) -> None:
    sound = fw.Sound.of(tone(6000))
    levels = []
    for z in (-9.0, -3.0):
        with make() as game:
            camera = fw.Camera3D()
            camera.position = 0, 1, 0
            game.audio.listener = camera
            physics = fw.Physics3D()
            wall = fw.Mesh.box((4, 4, 0.5))
            physics.add_static(wall, (0, 1, z))
            sound.play(position=(0, 1, -6), loop=True, occlusion=physics)
            levels.append(loudness(record(game, tmp_path / "mix.wav", 6)))
    assert levels[1] < levels[0] / 100


def test_a_new_wall_muffles_within_a_sixth_of_a_second_without_a_click(
    tmp_path: Path, make: Make
) -> None:
    sound = fw.Sound.of(tone(500))
    with make() as game:
        blocked = [False]
        sound.play(position=SOURCE, loop=True, occlusion=lambda position, listener: blocked[0])
        before = record(game, tmp_path / "mix.wav", 10)
        blocked[0] = True
        mix = record(game, tmp_path / "mix.wav", 20)[:, 1]
        blocked[0] = False
        back = record(game, tmp_path / "mix.wav", 20)[:, 1]
    level = np.abs(before[:, 1]).max()
    largest = level * 2 * np.pi * 500 / RATE + 2 / 32_768
    assert np.abs(np.diff(np.concatenate([mix, back]))).max() < largest * 1.02
    peaks = np.abs(mix).reshape(-1, 400).max(axis=1)
    assert peaks[0] == pytest.approx(level, rel=0.1)
    assert level * 0.35 < peaks[8] < level * 0.85  # half of the change
    assert np.allclose(peaks[20:], peaks[-1], rtol=0.01)
    assert np.abs(back[-4000:]).max() == pytest.approx(level, rel=0.01)


def test_a_voice_of_a_removed_sprite_stays_behind_its_wall(make: Make, tmp_path: Path) -> None:
    with make() as game:
        calls = []

        def between(position: Any, listener: Any) -> bool:
            if not calls and hero in game.sprites:
                hero.remove()  # during the callback
            calls.append(position)
            return True

        hero = game.sprites.add(fw.art.ball, position=SOURCE)
        fw.Sound.of(tone(6000)).play(position=hero, loop=True, occlusion=between)
        first = record(game, tmp_path / "mix.wav", 4)
        later = record(game, tmp_path / "mix.wav", 4)
    assert set(calls) == {SOURCE}
    assert len(calls) >= 8
    assert 0 < loudness(later) < 0.01
    assert loudness(first) < 0.01


def test_a_number_changes_over_one_tick_and_can_be_tweened(make: Make, tmp_path: Path) -> None:
    with make() as game:
        voice = fw.Sound.of(tone(6000)).play(position=SOURCE, loop=True)
        record(game, tmp_path / "mix.wav", 5)
        voice.occlusion = 1
        mix = record(game, tmp_path / "mix.wav", 5)
        assert loudness(mix[900:]) < loudness(mix[:200]) / 50
        game.tween(voice, occlusion=0.0, duration=0.1)
        assert loudness(record(game, tmp_path / "mix.wav", 10)[6000:]) > 0.1


# -- exact samples ---------------------------------------------------------------------------------


def random_mix(kernel: Any, longest: int | None, seed: int = 1) -> Any:
    """Return a mix of voices behind walls that appear and disappear, in pieces of random lengths."""
    pieces = np.random.default_rng(seed)
    random = np.random.default_rng(7)
    mixer = Mixer(lambda voice, alpha: (1.0, 0.3), kernel)
    tick = 0
    mixer.occlusion = lambda voice: Occlusion(float(np.sin(tick / 3 + voice.priority) > 0), False)
    desk = Desk()
    voices = []
    mixes = []
    for tick in range(24):
        if tick < 6:
            source = DecodedSource(
                Samples(random.standard_normal((1, 9000)).astype("f4") / 9), None
            )
            options = VoiceOptions(
                position=(1.0, 2.0), pitch=0.7 + tick / 9, priority=float(tick), start=0.0
            )
            now = lambda: Moment(mixer.now, 0, False)  # noqa: E731
            voice = Voice("test", source, desk.buses["effects"], options, now)
            track_of(voice).starts = 333 * tick + 5
            mixer.tracks.append(track_of(voice))
            voices.append(voice)
        if tick == 8:
            voices[2].seek(0.05)
        end = mixer.now + 500 + 37 * tick
        while mixer.now < end:
            left = end - mixer.now
            count = left if longest is None else min(left, int(pieces.integers(1, longest)))
            mixes.append(mixer.run(mixer.now + count, True, end))
    return np.concatenate(mixes)


def test_the_mix_of_muffled_voices_is_independent_of_its_pieces() -> None:
    whole = random_mix(NumpyKernel().mix, None)
    for longest in (90, 400):
        assert (random_mix(NumpyKernel().mix, longest) == whole).all()
    assert np.abs(whole).max() > 0.1


def test_both_mixing_kernels_muffle_equally() -> None:
    library = library_or_skip()
    whole = random_mix(NumpyKernel().mix, None)
    for longest in (None, 200):
        difference = random_mix(NativeKernel(library).mix, longest) - whole
        assert np.abs(difference).max() < 1 / 32_768


@pytest.mark.parametrize("effect", [False, True])
@pytest.mark.parametrize("player", ["python", "native"])
def test_a_muffled_voice_continues_through_a_long_frame(player: str, effect: bool) -> None:
    simulated = Simulated(
        python_player() if player == "python" else NativePlayer(RATE, library_or_skip()),
        max_ticks=8,
    )
    mixer = simulated.mixer
    mixer.use_buses(simulated.buses)
    if effect:
        simulated.buses["music"].add_effect(fw.LowPass(5000))
    mixer.occlusion = lambda voice: Occlusion(1.0, True)
    simulated.play(sine(), position=(1.0, 0.0), volume=2.0)
    simulated.run(130, {40: 0.6, 105: 0.3})
    sound = simulated.sound[RATE // 4 :]
    crossfade = 1 / 240 if effect else 0.0  # an effect would repeat an abrupt change
    assert is_smooth(sound / np.abs(sound[-4800:]).max() / 2, 0.01 + crossfade)


# -- snapshots and errors --------------------------------------------------------------------------


def test_a_capture_is_the_same_after_a_snapshot_and_beside_a_second_game(
    tmp_path: Path, make: Make
) -> None:
    class Guard(fw.Game):
        def setup(self) -> None:
            self.walls = boxes(210)
            self.hero = self.sprites.add(fw.art.ball, position=(100, 90))
            fw.Sound.of(NOISE).play(position=self.hero, loop=True, occlusion=self.walls)

        def update(self, dt: float) -> None:
            self.hero.x += 4

    mixes = []
    for breaks in (False, True):
        with Guard(headless=True) as game, Guard(headless=True) as second:
            if breaks:
                second.run_ticks(9)
                game.restore(game.snapshot())
            mixes.append(record(game, tmp_path / "mix.wav", 60))
    assert (mixes[0] == mixes[1]).all()
    assert loudness(mixes[0][30 * 800 : 40 * 800]) < loudness(mixes[0][10 * 800 : 15 * 800])


@pytest.mark.parametrize(
    ("value", "error", "words"),
    [
        (-0.1, ValueError, "occlusion: expected a finite number from 0 to 1"),
        (float("nan"), ValueError, "occlusion: expected"),
        ("wall", TypeError, "occlusion: expected a number from 0 to 1, a function"),
        (True, TypeError, "occlusion: expected a number from 0 to 1"),
        (fw.paths, TypeError, "occlusion: expected a number from 0 to 1"),
        (lambda: 1, TypeError, "occlusion: expected"),
        (fw.Physics2D, TypeError, "occlusion: expected"),
    ],
)
def test_invalid_occlusion_values_are_clear_errors(
    value: Any, error: Any, words: str, make: Make
) -> None:
    with make() as game:
        sound = fw.Sound.of(NOISE)
        with pytest.raises(error, match=words):
            sound.play(position=SOURCE, occlusion=value)
        with pytest.raises(error, match=words):
            game.audio.occlusion = value
        voice = sound.play(position=SOURCE)
        with pytest.raises(error, match=words):
            voice.occlusion = value
        assert voice.occlusion is None


@pytest.mark.parametrize("result", [float("nan"), 2, "blocked", None])
def test_an_invalid_result_of_the_function_raises_one_error(
    result: Any, make: Make, tmp_path: Path
) -> None:
    def blocks(position: Any, listener: Any) -> Any:
        return result

    with make() as game:
        game.audio.occlusion = blocks
        fw.Sound.of(NOISE).play(position=SOURCE, loop=True)
        with (
            pytest.raises((TypeError, ValueError), match="the result of blocks: expected"),
            game.audio.capture(tmp_path / "mix.wav"),
        ):
            game.run_ticks(2)
        assert game.audio.occlusion is None
        assert loudness(record(game, tmp_path / "mix.wav", 2)) > 0


def test_a_ray_passes_a_limited_number_of_bodies() -> None:
    class Crowd:
        calls = 0

        def raycast(self, start: Any, displacement: Any, exclude: Any) -> Any:
            self.calls += 1
            return RayHit(object(), 0.5, start, start)

    crowd = Crowd()
    assert occlusion_between(crowd, (1.0, 2.0), (0.0, 0.0)) == (0, False)
    assert 8 < crowd.calls < 100
    assert occlusion_between(crowd, (1.0, 2.0), (1.0, 2.0)) == (0, False)


def test_walls_in_the_plane_with_a_3d_listener_are_an_error(make: Make, tmp_path: Path) -> None:
    with make() as game:
        game.audio.listener = fw.Camera3D()
        voice = fw.Sound.of(NOISE).play(position=(0, 0, -5), loop=True, occlusion=boxes(0))
        with (
            pytest.raises(ValueError, match="occlusion: expected the physics world of a 3D game"),
            game.audio.capture(tmp_path / "mix.wav"),
        ):
            game.run_ticks(2)
        assert voice.occlusion == 0
