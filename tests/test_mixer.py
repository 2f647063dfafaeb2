"""The mixer: voices, gains, pitches, fades and loops, sample by sample."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import framework as fw
from framework.assets.sounds import RATE, Samples
from framework.audio.buses import Buses
from framework.audio.kernel import NumpyKernel
from framework.audio.limiter import MixLimiter
from framework.audio.mixer import Mixer
from framework.audio.mixer_track import ONE
from framework.audio.sources import DecodedSource
from framework.audio.voice_reuse import revive
from framework.audio.voices import Moment, Voice, VoiceOptions, track_of


def between(before: Any, here: Any, after: Any, later: Any, share: Any) -> Any:
    """Return the curve of `interpolation`, from the formula in its docstring."""
    straight = here + (after - here) * share
    curve = 0.27 * (here + after - before - later)
    skew = 0.175 * (share - 0.5) * (before - 3 * here + 3 * after - later)
    return straight + share * (1 - share) * (curve + skew)


RAMP = np.linspace(0, 0.5, 3000)
FLAT = np.full(48_000, 0.8)


class Desk:
    """A mixer with methods that play and mix voices."""

    def __init__(self) -> None:
        self.mixer = Mixer(lambda voice, alpha: (1.0, 0.0))
        self.buses = Buses(self.mixer.update_targets)

    def play(self, samples: Any, loop: tuple[int, int] | None = None, **options: Any) -> Voice:
        clip = DecodedSource(Samples(np.atleast_2d(samples)), loop)
        now = lambda: Moment(self.mixer.now, 0, False)  # noqa: E731
        voice = Voice(
            "test",
            clip,
            self.buses[options.pop("bus", "effects")],
            VoiceOptions(**options),
            now,
        )
        self.mixer.tracks.append(track_of(voice))
        return voice

    def run(self, *lengths: int) -> Any:
        return np.concatenate([self.mixer.run(self.mixer.now + n, True) for n in lengths])


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_a_sound_is_mixed_unchanged(desk: Desk) -> None:
    voice = desk.play(RAMP)
    mix = desk.run(800, 800, 1600)
    assert mix.dtype == np.float32
    assert (RAMP.astype("f4") == mix[:3000].T).all()
    assert not mix[3000:].any()
    assert not voice.playing
    assert desk.mixer.tracks == []


def test_both_channels_keep_their_sides(desk: Desk) -> None:
    desk.play(np.stack([RAMP, -RAMP]))
    assert (np.stack([RAMP, -RAMP])[:, :1000].astype("f4") == desk.run(1000).T).all()


def test_both_channels_fade_to_their_own_gain(desk: Desk) -> None:
    voice = desk.play(np.ones((2, 4000)), pan=0)
    desk.run(100)
    voice.pan = 1.0
    desk.run(2000)
    left, right = desk.run(1000).T
    assert not left.any()
    assert np.allclose(right, 1)


@pytest.mark.parametrize(
    ("pan", "left", "right"), [(-1, 1, 0), (-0.5, 1, 0.5), (0, 1, 1), (0.25, 0.75, 1), (1, 0, 1)]
)
def test_pan_reduces_the_other_side(desk: Desk, pan: float, left: float, right: float) -> None:
    desk.play(FLAT, pan=pan, volume=0.5)
    assert np.allclose(desk.run(10), [[0.4 * left, 0.4 * right]] * 10)


@pytest.mark.parametrize("pan", [-1, -0.6, 0, 0.25, 1])
def test_with_constant_power_the_sum_of_both_powers_is_constant(desk: Desk, pan: float) -> None:
    desk.mixer.constant_power = True
    desk.play(FLAT, pan=pan, volume=0.5)
    left, right = desk.run(10)[-1]
    assert left**2 + right**2 == pytest.approx(0.4**2, rel=1e-5)
    assert right**2 - left**2 == pytest.approx(pan * 0.4**2, abs=1e-6)


def test_with_constant_power_a_centered_stereo_sound_is_unchanged(desk: Desk) -> None:
    desk.mixer.constant_power = True
    voice = desk.play(np.stack([RAMP, -RAMP]))
    assert (np.stack([RAMP, -RAMP])[:, :1000].astype("f4") == desk.run(1000).T).all()
    desk.mixer.constant_power = False
    assert voice.playing


@pytest.mark.parametrize("pitch", [0.5, 1.5, 2.0, 7.25, 16.0, 1 / 1024])
def test_a_pitch_is_exact_for_any_time(desk: Desk, pitch: float) -> None:
    desk.play(np.arange(48_000) / 48_000, pitch=pitch)
    n = min(2_900, int(47_990 / pitch))
    mix = desk.run(*[n // 29] * 29)[:, 0]
    positions = np.arange(len(mix)) * pitch
    assert np.allclose(mix, positions / 48_000, atol=2e-7 if pitch >= 1 else 2e-6)
    # before the first sample there is silence, which influences earlier positions
    later = positions >= 1
    assert np.allclose(mix[later], positions[later] / 48_000, atol=2e-7)


def test_a_change_of_pitch_is_gradual(desk: Desk) -> None:
    voice = desk.play(np.arange(48_000) / 48_000)
    desk.run(800)
    voice.pitch = 2.0
    change = np.diff(desk.run(1500)[:, 0]) * 48_000
    assert change[0] == pytest.approx(1, abs=0.01)
    assert change[-1] == pytest.approx(2, abs=0.01)
    assert (np.diff(change) > -0.02).all()
    assert track_of(voice).step == 2 * ONE


def test_samples_do_not_depend_on_earlier_voices(desk: Desk) -> None:
    """Rows are stretched in groups of sixteen. The other rows of a group must not matter."""
    desk.play(RAMP, pitch=1.1, volume=0.5)
    alone = desk.run(800)
    second_desk = Desk()
    for _ in range(40):
        second_desk.play(FLAT, pitch=1.7, volume=0.0)
    second_desk.play(RAMP, pitch=1.1, volume=0.5)
    assert (second_desk.run(800) == alone).all()


def test_a_fade_has_no_steps(desk: Desk) -> None:
    voice = desk.play(np.ones(48_000))
    desk.run(800)
    voice.stop(0.1)
    mix = desk.run(*[800] * 8)[:, 0]
    assert mix[0] == 1
    assert np.abs(np.diff(mix)).max() < 1 / 4000
    assert not mix[4800:].any()
    assert not voice.playing


def test_a_voice_that_fades_out_can_be_stopped_sooner_but_not_later(desk: Desk) -> None:
    voice = desk.play(FLAT)
    desk.run(800)
    voice.stop(0.5)
    desk.run(800)
    voice.stop(2)
    voice.stop()
    ends = desk.run(800)[:, 0]
    assert not voice.playing
    assert ends[0] > 0.7
    assert np.abs(np.diff(ends)).max() <= 1 / 200
    assert (ends[240:] == 0).all()


@pytest.mark.parametrize("span", [48, 200, 800, 4800])
@pytest.mark.parametrize("change", ["stop", "volume", "pan", "bus", "pause", "master"])
def test_no_change_of_a_setting_clicks(desk: Desk, span: int, change: str) -> None:
    voice = desk.play(np.ones(48_000))
    first = desk.run(span)
    if change == "stop":
        voice.stop()
    elif change == "volume":
        voice.volume = 0
    elif change == "pan":
        voice.pan = 1
    elif change == "bus":
        desk.buses["effects"].volume = 0
    elif change == "pause":
        desk.buses["effects"].paused = True
    else:
        desk.mixer.volume = 0
    mix = np.concatenate([first, desk.run(*[span] * max(1, 9600 // span))])[:, 0]
    assert np.abs(np.diff(mix)).max() <= 1 / 200
    assert mix[-1] == pytest.approx(0, abs=1e-4)


def test_a_fade_in_begins_with_silence(desk: Desk) -> None:
    voice = desk.play(np.ones(48_000))
    track_of(voice).fade = 0, 0.0, 2400, 1.0
    mix = desk.run(800, 800, 800, 800)[:, 0]
    assert (mix[0], mix[1200], mix[2400]) == (0, 0.5, 1)


def test_a_paused_bus_continues_at_its_position(desk: Desk) -> None:
    voice = desk.play(np.arange(48_000) / 48_000)
    desk.run(800)
    bus = desk.buses["effects"]
    bus.paused = True
    desk.run(800)
    position = track_of(voice).place
    assert not desk.run(800, 800).any()
    assert track_of(voice).place == position
    bus.paused = False
    mix = desk.run(800, 800)[:, 0]
    assert mix[800] == pytest.approx((position // ONE + 800) / 48_000)


def test_a_bus_that_follows_time_plays_slowly(desk: Desk) -> None:
    desk.buses["slow"].follows_time = True
    desk.play(np.arange(48_000) / 48_000, bus="slow")
    desk.mixer.time_scale = 0.5
    assert desk.run(1000)[-1, 0] * 48_000 == pytest.approx(499.5)


@pytest.mark.parametrize("pitch", [1.0, 1.3, 16.0])
@pytest.mark.parametrize("loop", [(0, 3000), (1000, 1700), (10, 11), (2990, 3000)])
def test_a_loop_is_exact_to_the_sample(desk: Desk, loop: tuple[int, int], pitch: float) -> None:
    voice = desk.play(RAMP, loop=loop, pitch=pitch)
    mix = desk.run(*[700] * 12)[:, 0]
    low, high = loop
    position = np.arange(len(mix)) * (round(pitch * ONE) / ONE)
    first = np.floor(position).astype(int)
    wrap = lambda frame: np.where(frame < high, frame, low + (frame - low) % (high - low))  # noqa: E731
    points = [np.where(first + k < 0, 0.0, RAMP[wrap(first + k)]) for k in (-1, 0, 1, 2)]
    assert np.allclose(mix, between(*points, position - first), atol=1e-6)
    assert voice.playing


def test_a_mix_that_is_not_needed_still_advances_voices(desk: Desk) -> None:
    desk.play(RAMP, pitch=1.1)
    short = desk.play(RAMP[:100])
    assert desk.mixer.run(800, False).shape == (0, 2)
    assert not short.playing
    second_desk = Desk()
    second_desk.play(RAMP, pitch=1.1)
    assert (desk.run(800) == second_desk.run(800, 800)[800:]).all()


def test_a_revived_voice_continues_at_its_end(desk: Desk) -> None:
    voice = desk.play(np.arange(48_000) / 48_000)
    desk.run(800)
    voice.stop()
    desk.run(800, 800, 800)
    position = track_of(voice).place
    assert not voice.playing
    assert position == 1600 * ONE
    revive(voice, desk.mixer)
    mix = desk.run(800, 800)[:, 0]
    assert mix[1000] == pytest.approx((1600 + 1000) / 48_000, abs=1e-6)


def limited(mix: Any, *pieces: int) -> Any:
    """Return a limited mix, float32 (n, 2), as in a file.

    ``pieces`` are the lengths of its pieces.
    """
    limiter = MixLimiter()
    parts = [limiter.limited(part) for part in np.split(mix, np.cumsum(pieces))]
    return np.concatenate([*parts, limiter.finish()])


def test_three_hundred_voices_do_not_clip(desk: Desk) -> None:
    wave = np.sin(np.arange(9600) * 0.03)
    for _ in range(300):
        desk.play(wave, volume=0.2)
    mix = limited(desk.run(*[800] * 12))[:, 0]
    assert 0.9 < np.abs(mix).max() <= 1
    assert (np.abs(mix) >= 0.99999).mean() < 0.03  # limited, but without flat peaks
    assert abs(np.corrcoef(mix, wave)[0, 1]) > 0.98


def test_the_limiter_does_not_change_a_quiet_mix() -> None:
    quiet = np.linspace(-1, 1, 1600, dtype="f4").reshape(800, 2)
    assert (limited(quiet, 1, 99, 300) == quiet).all()
    loud = np.concatenate([quiet / 2] * 30)
    loud[400] = 3
    mix = limited(loud)
    assert np.abs(mix).max() <= 1
    assert (mix[200:272] == loud[200:272]).all()  # the gain falls within 128 samples
    gain = mix[401:, 0] / np.where(loud[401:, 0] == 0, 1, loud[401:, 0])
    assert gain[0] == pytest.approx(1 / 3, abs=0.01)
    assert np.abs(np.diff(gain)).max() < 1 / 9000  # the gain rises within a fifth of a second
    assert (mix[-800:] == loud[-800:]).all()


@pytest.mark.parametrize("frequency", [60, 440, 5000])
def test_a_sudden_peak_is_not_clipped(frequency: float) -> None:
    wave = np.zeros(9600)
    wave[1234:] = 4 * np.cos(2 * np.pi * frequency / RATE * np.arange(9600 - 1234))
    wave[:1234] = 0.5 * np.sin(np.arange(1234) * 0.05)
    mix = limited(np.stack([wave, wave / 2], axis=1).astype("f4"))
    assert (np.abs(mix) > 1).sum() == 0
    gain = np.where(np.abs(wave) > 0.2, mix[:, 0] / np.where(wave == 0, 1, wave), np.nan)
    assert np.nanmax(np.abs(np.diff(gain[1234:]))) < 3e-4  # the wave keeps its shape
    assert np.nanmin(gain) == pytest.approx(0.25)
    steps = np.abs(np.diff(gain[:1234]))
    assert np.nanmax(steps) < 0.75 / 64 + 1e-5  # the gain falls linearly before the peak
    assert np.abs(mix[:, 1] - mix[:, 0] / 2).max() < 1e-6  # both sides have the same gain


def test_the_limiter_has_the_same_samples_for_any_split() -> None:
    random = np.random.default_rng(5)
    mix = (random.standard_normal((5000, 2)) * 1.5 * random.random((5000, 1)) ** 8).astype("f4")
    mix[3000] = np.nan, 0.5
    mix[3500] = np.inf, -np.inf
    unsplit = limited(mix)
    assert len(unsplit) == len(mix)
    assert (limited(mix, *[1] * 700, 64, 128, 129, 2000) == unsplit).all()
    assert not unsplit[3000].any()  # samples that are not finite are silent
    assert np.isfinite(unsplit).all()
    assert limited(mix[:7]).shape == (7, 2)


@pytest.mark.parametrize("pitches", [(110,), (65, 131, 165, 196, 262, 330)])
def test_the_limiter_has_no_steps_between_blocks(pitches: tuple[float, ...]) -> None:
    at = np.arange(24_000) / RATE
    wave = (
        sum(np.sin(2 * np.pi * pitch * at + pitch) for pitch in pitches) * 3 / len(pitches) ** 0.5
    )
    mix = limited(np.stack([wave, wave], axis=1).astype("f4"), *[333] * 72)[:, 0]
    audible = np.abs(wave) > 0.2
    gain = np.where(audible, mix / np.where(audible, wave, 1), 0)
    steps = (np.abs(np.diff(gain)) * np.abs(wave[1:]))[audible[1:] & audible[:-1]]
    assert steps.max() < 0.02


def test_voices_have_their_position_and_name(desk: Desk) -> None:
    voice = desk.play(RAMP, loop=(0, 1000))
    desk.run(1200)
    assert voice.seconds == pytest.approx(200 / 48_000)
    assert "Voice of 'test'" in repr(voice)
    with pytest.raises(AttributeError, match="did you mean 'volume'"):
        voice.volme = 1
    assert fw.Voice is Voice


class Joined(Samples):
    """A sound with another beginning in later turns of its loop."""

    def again(self, end: int) -> Any:
        return -self.rows[:, : end // 3]


@pytest.mark.parametrize("mono", [True, False])
def test_a_window_of_a_loop_has_the_right_samples(mono: bool) -> None:
    for low, high in [(0, 9), (4, 9), (0, 12), (7, 8)]:
        rows = np.arange(1, 25, dtype=np.float32).reshape(2, 12)
        clip = DecodedSource(Joined(rows), (low, high))
        sound = np.concatenate([rows.mean(axis=0, keepdims=True) if mono else rows])
        positions = range(60)
        turned = [
            position if position < high else low + (position - low) % (high - low)
            for position in positions
        ]
        seam = [
            low == 0 and position >= high and turn < high // 3
            for position, turn in zip(positions, turned, strict=True)
        ]
        wanted = np.where(seam, -sound[:, turned], sound[:, turned])
        for first in range(40):
            for count in (1, 3, 7, 20):
                np.testing.assert_array_equal(
                    clip.window(first, count, mono), wanted[:, first : first + count]
                )


def test_a_window_inside_a_later_turn_of_a_loop_is_not_copied() -> None:
    clip = DecodedSource(Samples(np.ones((2, 50), np.float32)), (10, 50))
    assert np.shares_memory(clip.window(95, 20, mono=False), clip.window(0, 50, mono=False))
    called = []
    sys.setprofile(
        lambda frame, event, function: called.append(function) if event == "c_call" else None
    )
    clip.window(95, 20, mono=True)
    sys.setprofile(None)
    assert [function.__name__ for function in called] == ["setprofile"]


@pytest.mark.parametrize("loop", [True, False])
def test_a_voice_may_jump_to_its_start_after_samples_were_left_out(loop: bool) -> None:
    """The limiter starts with the samples before this jump, which the voice does not have."""
    desk = Desk()
    desk.mixer = Mixer(lambda voice, alpha: (1.0, 0.0), NumpyKernel().mix)
    voice = desk.play(np.full(RATE, 0.5), loop=(0, RATE) if loop else None)
    desk.run(800)
    mixer = desk.mixer
    mixer.run(mixer.now + RATE // 4, False)  # a long frame: these samples are not mixed
    voice.seek(0)
    mixer.run(mixer.now + 800, False, device=True)
    device_mix = mixer.device_mix[:, 0]
    assert len(device_mix) == 800
    assert device_mix[-1] == pytest.approx(0.5)
    assert np.isfinite(device_mix).all()
