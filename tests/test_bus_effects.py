"""Nested buses and effects of buses: equal in both kernels, and without clicks."""

from __future__ import annotations

import itertools
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from natives import library_or_skip
from test_mixer import Desk as PlainDesk

import framework as fw
from framework.assets.sounds import RATE
from framework.audio import effects, native
from framework.audio.bus_effects import BusEffect
from framework.audio.kernel import NumpyKernel
from framework.audio.mix_table import MAX_EFFECTS, MAX_GROUPS
from framework.audio.mixer import Mixer

REPOSITORY = Path(__file__).parent.parent
TONE = 0.5 * np.sin(2 * np.pi * 200 * np.arange(48_000) / RATE)
TONE_STEP = 0.5 * 2 * math.pi * 200 / RATE
LOOP = (0, 48_000)
NOISE = np.random.default_rng(3).uniform(-0.5, 0.5, (2, 48_000))


class Desk(PlainDesk):
    def __init__(self, kernel: Any = None) -> None:
        super().__init__()
        self.mixer = Mixer(lambda voice, alpha: (1.0, 0.0), kernel or NumpyKernel().mix)
        self.buses = type(self.buses)(self.mixer.update_targets)
        self.mixer.use_buses(self.buses)


@pytest.fixture
def desk() -> Desk:
    return Desk()


def largest_step(mix: Any) -> float:
    return float(np.abs(np.diff(mix, axis=0)).max())


def loudness(mix: Any) -> float:
    return float(np.sqrt(np.mean(np.square(mix, dtype="f8"))))


def tone(frequency: float) -> Any:
    return 0.5 * np.sin(2 * np.pi * frequency * np.arange(48_000) / RATE)


EFFECTS: dict[str, Any] = {
    "low": lambda desk: fw.LowPass(700, 2.0),
    "high": lambda desk: fw.HighPass(2000),
    "echo": lambda desk: fw.Echo(0.02, feedback=0.6),
    "reverb": lambda desk: fw.Reverb(0.8),
    "crusher": lambda desk: fw.BitCrusher(6, 9000),
    "crusher with a high sample rate": lambda desk: fw.BitCrusher(10, 48_000),
    "compressor": lambda desk: fw.Compressor(-30, 8, gain=6),
    "ducking": lambda desk: fw.Ducking(desk.buses["speech"], 20),
}
CHANGES: dict[str, tuple[str, float]] = {
    "low": ("frequency", 5000),
    "high": ("frequency", 200),
    "echo": ("delay", 0.05),
    "reverb": ("wet", 0.9),
    "crusher": ("sample_rate", 700),
    "crusher with a high sample rate": ("bits", 9),
    "compressor": ("threshold", -50),
    "ducking": ("reduction", 3),
}


def public_effects() -> list[str]:
    """Return the names of all effects in `fw`."""
    kinds = {name: getattr(fw, name) for name in fw.__all__ if name[0].isupper()}
    return [
        name
        for name, kind in kinds.items()
        if isinstance(kind, type) and issubclass(kind, BusEffect)
    ]


def test_every_effect_is_tested() -> None:
    tested = {type(make(Desk())).__name__ for make in EFFECTS.values()}
    missing = {*public_effects()} - tested
    assert not missing, f"add rows for {missing} to EFFECTS and CHANGES"
    assert [*EFFECTS] == [*CHANGES]


@pytest.mark.repository
def test_every_effect_is_on_the_page() -> None:
    page = (REPOSITORY / "docs" / "sound.md").read_text("utf-8")
    missing = [name for name in public_effects() if f"`fw.{name}(" not in page]
    assert not missing, f"add rows for {missing} to the table of effects in docs/sound.md"


@pytest.mark.repository
def test_the_header_in_c_has_all_effects() -> None:
    header = (REPOSITORY / "native" / "src" / "table.h").read_text("utf-8")
    (listed,) = re.findall(r"enum \{ LOW_PASS = 1, ([\w, ]+) \};", header)
    names = ["LOW_PASS", *listed.split(", ")]
    in_python = sorted(names, key=lambda name: getattr(effects, name, 0))
    last = max(getattr(effects, name, 0) for name in names)
    assert names == in_python, "write the effects of audio/effects.py to native/src/table.h"
    assert last == len(names), "write the effects of audio/effects.py to native/src/table.h"


def mix_with_effect(kind: str, kernel: Any, longest: int | None) -> Any:
    """Return a mix of noise with an effect that is added, changed in each tick, and removed."""
    desk = Desk(kernel)
    desk.play(NOISE, LOOP, bus="music", pitch=1.1)
    desk.play(NOISE[:, :9000], bus="speech", pitch=0.9)
    pieces = np.random.default_rng(5)
    music = desk.buses["music"]
    mixes = []
    effect = EFFECTS[kind](desk)
    name, last = CHANGES[kind]
    start = getattr(effect, name)
    for tick in range(14):
        if tick == 2:
            music.add_effect(effect)
        if 4 <= tick < 9:
            setattr(effect, name, start + (last - start) * (tick - 3) / 5)
        if tick == 7:
            music.volume = 0.3
        if tick == 11:
            music.remove_effect(effect)
        end = desk.mixer.now + 801 + tick
        while desk.mixer.now < end:
            remaining = end - desk.mixer.now
            count = (
                remaining if longest is None else min(remaining, int(pieces.integers(1, longest)))
            )
            mixes.append(desk.mixer.run(desk.mixer.now + count, True, end))
    return np.concatenate(mixes)


@pytest.mark.parametrize("kind", EFFECTS)
def test_an_effect_does_not_depend_on_the_lengths_of_mixes(kind: str) -> None:
    whole = mix_with_effect(kind, NumpyKernel().mix, None)
    assert np.isfinite(whole).all()
    assert (mix_with_effect(kind, NumpyKernel().mix, 150) == whole).all()


@pytest.mark.parametrize("kind", EFFECTS)
def test_both_kernels_have_the_same_effects(kind: str) -> None:
    library = library_or_skip()
    whole = mix_with_effect(kind, NumpyKernel().mix, None)
    for longest in (None, 150):
        mix = mix_with_effect(kind, native.NativeKernel(library).mix, longest)
        assert np.abs(mix - whole).max() < 1 / 32_768


# a bit crusher with a low sample rate repeats samples, so its sound always has steps
@pytest.mark.parametrize("kind", [kind for kind in EFFECTS if kind != "crusher"])
def test_an_effect_begins_changes_and_ends_without_a_click(kind: str, desk: Desk) -> None:
    desk.play(TONE, LOOP, bus="music")
    desk.play(TONE, LOOP, bus="speech", volume=0.0)
    effect = EFFECTS[kind](desk)
    music = desk.buses["music"]
    mixes = [desk.run(800)]
    music.add_effect(effect)
    mixes += [desk.run(800) for _ in range(10)]
    name, value = CHANGES[kind]
    setattr(effect, name, value)
    mixes += [desk.run(800) for _ in range(5)]
    effect.enabled = False
    mixes += [desk.run(800) for _ in range(3)]
    effect.enabled = True
    mixes += [desk.run(800) for _ in range(3)]
    music.remove_effect(effect)
    assert music.effects == ()
    mixes += [desk.run(800) for _ in range(4)]
    loudest = max(1.0, float(np.abs(np.concatenate(mixes)).max()) / 0.5)
    assert largest_step(np.concatenate(mixes)) <= loudest * (TONE_STEP + 2 * 0.5 / 240)
    assert not music.slots
    assert np.allclose(mixes[-1][:, 0], TONE[(26 * 800 - 800 + np.arange(800)) % 48_000], atol=1e-6)


def test_filters_have_their_frequencies(desk: Desk) -> None:
    results = {}
    for kind, frequency in itertools.product((fw.LowPass, fw.HighPass), (100.0, 1000.0, 8000.0)):
        desk = Desk()
        desk.buses["music"].add_effect(kind(1000))
        desk.play(tone(frequency), LOOP, bus="music")
        desk.run(9600)
        results[kind, frequency] = 20 * math.log10(loudness(desk.run(9600)) / loudness(TONE))
    low = [results[fw.LowPass, frequency] for frequency in (100.0, 1000.0, 8000.0)]
    high = [results[fw.HighPass, frequency] for frequency in (100.0, 1000.0, 8000.0)]
    assert low == pytest.approx([0, -3, -37.8], abs=0.7)
    assert high == pytest.approx([-40, -3, 0], abs=0.7)


def test_a_bit_crusher_rounds_and_repeats_samples(desk: Desk) -> None:
    sound = np.linspace(-0.9, 0.9, 48_000)
    desk.buses["music"].add_effect(fw.BitCrusher(3, 4800))
    desk.play(sound, bus="music")
    desk.run(9600)
    mix = desk.run(4800)[:, 0]
    assert set(mix * 4) <= {-4, -3, -2, -1, 0, 1, 2, 3, 4}  # 2 to the power of 2 steps below 1
    repeated = mix.reshape(-1, 10)  # 48,000 / 4800 samples
    assert (repeated == repeated[:, :1]).all()
    expected = np.floor(sound[9600:14_400:10] * 4 + 0.5) / 4
    assert np.abs(repeated[:, 0] - expected).max() == 0


@pytest.mark.parametrize("sample_rate", [100, 4321.5, 44_100])
def test_a_bit_crusher_repeats_only_past_samples(sample_rate: float) -> None:
    samples = np.arange(10**10, 10**10 + 48_000)
    repeated = effects._repeated_samples(samples, sample_rate)
    assert (np.diff(repeated) >= 0).all()
    assert ((samples - 480 <= repeated) & (repeated <= samples)).all()
    assert len({*repeated.tolist()}) == pytest.approx(sample_rate, abs=1)


def test_the_settings_of_an_effect_are_tweened_and_in_snapshots() -> None:
    class Radio(fw.Game):
        def setup(self) -> None:
            self.crusher = self.audio.buses["music"].add_effect(fw.BitCrusher(16, 48_000))
            self.tween(self.crusher, bits=4, sample_rate=6000, duration=1)

    with Radio(drawing=False) as game:
        game.run_ticks(30)
        half = game.snapshot()
        assert game.crusher.bits == pytest.approx(10, abs=0.2)
        assert game.crusher.sample_rate == pytest.approx(27_000, abs=1000)
        game.run_ticks(40)
        assert (game.crusher.bits, game.crusher.sample_rate) == (4, 6000)
        game.restore(half)
        assert game.crusher.bits == pytest.approx(10, abs=0.2)


def test_an_echo_is_heard_after_its_delay(desk: Desk) -> None:
    click = np.zeros(100)
    click[0] = 0.8
    desk.buses["effects"].add_effect(fw.Echo(0.1, feedback=0.5, wet=0.5))
    desk.play(click)
    mix = desk.run(20_000)[:, 0]
    assert np.flatnonzero(mix).tolist() == [0, 4800, 9600, 14_400, 19_200]
    assert mix[[0, 4800, 9600]] == pytest.approx([0.8, 0.4, 0.2])


def test_a_reverb_fades_by_60_decibels_in_its_duration(desk: Desk) -> None:
    desk.buses["effects"].add_effect(fw.Reverb(1.0, damping=0.0, wet=1.0, dry=0.0))
    desk.play(NOISE[:, :4800])
    desk.run(9600)
    early = loudness(desk.run(4800))
    desk.run(24_000 - 4800)
    late = loudness(desk.run(4800))
    assert 20 * math.log10(early / late) == pytest.approx(30, abs=3)
    left, right = desk.run(4800).T
    assert abs(np.corrcoef(left, right)[0, 1]) < 0.4


def test_a_compressor_makes_loud_parts_quieter(desk: Desk) -> None:
    desk.buses["effects"].add_effect(fw.Compressor(-26, 4, attack=0.001, release=0.02))
    voice = desk.play(TONE, LOOP)
    desk.run(24_000)
    loud = np.abs(desk.run(4800)).max()
    assert 20 * math.log10(loud) == pytest.approx(-26 + (20 * math.log10(0.5) + 26) / 4, abs=0.5)
    voice.volume = 0.05
    desk.run(24_000)
    assert np.abs(desk.run(4800)).max() == pytest.approx(0.025, rel=0.01)


def test_music_ducks_under_speech(desk: Desk) -> None:
    music = desk.buses["music"]
    speech = desk.buses["speech"]
    music.add_effect(fw.Ducking(speech, 20, release=0.05))
    desk.play(tone(300), LOOP, bus="music")
    alone = loudness(desk.run(9600))
    voice = desk.play(tone(5000), LOOP, bus="speech")
    desk.run(24_000)
    mix = desk.run(4800)[:, 0]
    part = abs(np.vdot(mix, np.exp(2j * np.pi * 300 * np.arange(4800) / RATE))) / 4800 / 0.25
    assert 20 * math.log10(part) == pytest.approx(-20, abs=0.2)
    voice.stop()
    desk.run(48_000)
    assert loudness(desk.run(9600)) == pytest.approx(alone, rel=0.01)


# -- nested buses ----------------------------------------------------------------------------------


def test_volumes_and_pitches_of_parents_multiply(desk: Desk) -> None:
    drums = desk.buses["drums"]
    music = desk.buses["music"]
    drums.parent = music
    drums.volume = 0.5
    music.volume = 0.5
    music.pitch = 2.0
    drums.pitch = 0.75
    voice = desk.play(np.full(48_000, 0.8), bus="drums")
    assert (desk.run(800)[:, 0] == np.float32(0.2)).all()
    assert voice.seconds == 1200 / RATE
    music.paused = True
    desk.run(800)
    desk.run(800)
    assert not desk.run(800).any()
    music.paused = False
    drums.parent = None
    desk.run(800)
    assert desk.run(1)[0, 0] == np.float32(0.4)


@pytest.mark.parametrize("volume", [1.0, 0.3])
def test_a_bus_becomes_a_group_and_nests_without_a_click(desk: Desk, volume: float) -> None:
    drums = desk.buses["drums"]
    music = desk.buses["music"]
    drums.parent = music
    music.volume = volume
    desk.play(TONE, LOOP, bus="drums")
    mixes = [desk.run(800)]
    music.volume = 0.5
    music.add_effect(fw.Compressor(0, 1))  # this effect changes nothing
    mixes += [desk.run(800), desk.run(800)]
    drums.volume = 0.7
    drums.add_effect(fw.Compressor(0, 1))
    mixes += [desk.run(800), desk.run(800), desk.run(800)]
    assert np.allclose(mixes[-1][:, 0], 0.35 * TONE[4000:4800], atol=1e-6)
    drums.parent = None
    mixes += [desk.run(800) for _ in range(4)]
    assert np.allclose(mixes[-1][:, 0], 0.7 * TONE[7200:8000], atol=1e-6)
    assert largest_step(np.concatenate(mixes)) <= TONE_STEP + 0.5 / 240


def test_a_voice_changes_its_bus_without_a_click(desk: Desk) -> None:
    desk.buses["far"].add_effect(fw.LowPass(100))
    voice = desk.play(TONE, LOOP)
    mixes = [desk.run(900)]
    voice.bus = desk.buses["far"]
    mixes += [desk.run(900), desk.run(900)]
    voice.bus = desk.buses["effects"]
    mixes += [desk.run(900), desk.run(900)]
    assert largest_step(np.concatenate(mixes)) <= TONE_STEP + 2 * 0.5 / 240
    assert np.allclose(
        mixes[-1][:, 0], TONE[3600:4500], atol=1e-3
    )  # the filter's echo is still in the mix


def test_the_order_of_buses_is_checked(desk: Desk) -> None:
    a, b, c = (desk.buses.add(name) for name in "abc")
    b.parent = a
    c.parent = b
    with pytest.raises(ValueError, match="parent: expected a bus that is not inside"):
        a.parent = c
    with pytest.raises(ValueError, match="parent"):
        a.parent = a
    with pytest.raises(TypeError, match="parent"):
        a.parent = "b"  # type: ignore[assignment]
    with pytest.raises(ValueError, match="same game"):
        a.parent = Desk().buses["other"]
    with pytest.raises(ValueError, match="listen"):
        c.add_effect(fw.Ducking(a))
    assert c.effects == ()
    assert desk.buses.groups == []
    b.add_effect(fw.Ducking(c))
    with pytest.raises(ValueError, match="listen"):
        c.add_effect(fw.Ducking(b))
    deep = a
    for number in range(15):
        bus = desk.buses.add(f"deep {number}")
        bus.parent = deep
        deep = bus
    with pytest.raises(ValueError, match="at most 16"):
        desk.buses.add("deepest").parent = deep


def test_an_effect_has_one_bus(desk: Desk) -> None:
    music = desk.buses["music"]
    speech = desk.buses["speech"]
    low = music.add_effect(fw.LowPass())
    assert music.add_effect(low) is low
    assert music.effects == (low,)
    assert low.bus is music
    with pytest.raises(ValueError, match="effect"):
        speech.add_effect(low)
    with pytest.raises(ValueError, match="effect"):
        speech.remove_effect(low)
    with pytest.raises(TypeError, match="effect"):
        music.add_effect(3)  # type: ignore[type-var]
    with pytest.raises(ValueError, match="effect"):
        music.add_effect(BusEffect())
    with pytest.raises(ValueError, match="listen"):
        music.add_effect(fw.Ducking(music))
    music.remove_effect(low)
    assert low.bus is None
    speech.add_effect(low)


def test_the_number_of_effects_is_limited(desk: Desk) -> None:
    for number in range(MAX_GROUPS - 1):
        desk.buses.add(f"bus {number}").add_effect(fw.LowPass())
    with pytest.raises(fw.FrameworkError, match="63 buses"):
        desk.buses["one more"].add_effect(fw.LowPass())
    bus = desk.buses["bus 0"]
    for _ in range(MAX_EFFECTS - MAX_GROUPS + 1):
        bus.add_effect(fw.LowPass())
    with pytest.raises(fw.FrameworkError, match="256 effects"):
        bus.add_effect(fw.LowPass())
    assert np.isfinite(desk.run(100)).all()


@pytest.mark.parametrize("value", [math.nan, math.inf, -1e9, 1e9, "x", None])
def test_settings_of_effects_are_checked(desk: Desk, value: Any) -> None:
    for kind in EFFECTS:
        effect = EFFECTS[kind](desk)
        names = [name for name in dir(type(effect)) if hasattr(type(effect), name)]
        for name in names:
            if isinstance(getattr(type(effect), name), property) and name not in ("bus", "listen"):
                with pytest.raises((ValueError, TypeError), match=name):
                    setattr(effect, name, value)


def test_an_effect_is_cleared_when_no_sound_is_mixed(desk: Desk) -> None:
    desk.buses["effects"].add_effect(fw.Echo(0.1))
    desk.play(TONE[:4800])
    desk.run(4800)
    desk.mixer.run(desk.mixer.now + 10_000, False)
    assert not desk.run(9600).any()


def test_the_tail_of_effects_ends_in_exact_silence(desk: Desk) -> None:
    bus = desk.buses["effects"]
    for effect in (fw.Echo(0.01, feedback=0.2), fw.Reverb(0.05), fw.LowPass(2000)):
        bus.add_effect(effect)
    desk.play(NOISE[:, :480])
    desk.run(24_000)
    assert not desk.run(4800).any()
    assert effects.new_line(effects.LOW_PASS) is None


# -- levels ----------------------------------------------------------------------------------------


def test_a_bus_has_a_level_and_a_spectrum(desk: Desk) -> None:
    music = desk.buses["music"]
    speech = desk.buses["speech"]
    assert music.level == 0.0
    desk.play(2 * tone(1000), LOOP, bus="music")
    desk.play(tone(4000), LOOP, bus="speech")
    music.volume = 0.5
    desk.run(4800)
    assert music.level == pytest.approx(0.5 / math.sqrt(2), rel=0.01)
    spectrum = music.spectrum(12)
    centers = 40 * 400 ** ((np.arange(12) + 0.5) / 12)
    assert np.argmax(spectrum) == np.argmin(np.abs(np.log(centers / 1000)))
    assert spectrum.max() == pytest.approx(0.5, rel=0.15)
    assert spectrum[:4].max() < 0.01
    assert speech.spectrum(3).tolist() == [0, 0, 0]
    desk.run(4800)
    assert speech.level == pytest.approx(0.5 / math.sqrt(2), rel=0.01)
    desk.mixer.run(desk.mixer.now + 100, False)
    assert music.level == 0.0
    for bad in (0, 513, 1.5, "x", math.nan):
        with pytest.raises((ValueError, TypeError), match="count"):
            music.spectrum(bad)  # type: ignore[arg-type]


def test_a_level_does_not_change_the_mix() -> None:
    mixes = []
    for reads in (False, True):
        desk = Desk()
        desk.play(NOISE, LOOP, pitch=1.3)
        parts = []
        for _ in range(4):
            parts.append(desk.run(800))
            if reads:
                assert desk.buses["effects"].level >= 0
        mixes.append(np.concatenate(parts))
    assert (mixes[0] == mixes[1]).all()


@pytest.mark.parametrize("kernel", ["numpy", "native"])
@pytest.mark.parametrize(
    "last", [lambda: fw.LowPass(300), lambda: fw.Echo(0.1), lambda: fw.Reverb()]
)
def test_effects_that_amplify_do_not_reach_infinity_and_recover(kernel: str, last: Any) -> None:
    chosen = NumpyKernel() if kernel == "numpy" else native.NativeKernel(library_or_skip())
    desk = Desk(chosen.mix)
    bus = desk.buses["effects"]
    boosts = [bus.add_effect(fw.Compressor(0, 1, gain=40)) for _ in range(24)]
    bus.add_effect(last())
    desk.play(TONE[:4800], volume=16)
    assert np.isfinite(desk.run(*[800] * 8)).all()
    for boost in boosts:
        bus.remove_effect(boost)
    desk.run(*[800] * 4)
    desk.play(TONE, LOOP)
    mix = desk.run(*[800] * 8)
    assert np.isfinite(mix).all()
    assert loudness(mix) > 0.001
