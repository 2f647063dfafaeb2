"""Players of sound: the device continues during long frames, and plays no sample twice."""

from __future__ import annotations

import gc
import io
import os
import pickle
import queue
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from natives import library_or_skip

import framework as fw
from framework.assets.sounds import Samples
from framework.audio.buffering import BufferFeed
from framework.audio.buses import Buses
from framework.audio.device import NativeDevice, Output, PythonDevice, opened
from framework.audio.kernel import NumpyKernel
from framework.audio.mix_table import MAX_TRACKS, MAX_VOICES, NEVER, MixTable
from framework.audio.mixer import Mixer
from framework.audio.native_player import NativePlayer
from framework.audio.player import MAX_CONTINUED, Player
from framework.audio.sound_process import ProcessPlayer, Report, Update
from framework.audio.sound_server import Receiver, serve
from framework.audio.sources import DecodedSource, StreamedSource
from framework.audio.voices import Moment, Voice, VoiceOptions, track_of

RATE, TICK, LATENCY = 48_000, 800, 2400
PERIOD = 480


def python_player() -> Player:
    return Player(RATE, NumpyKernel().mix)


@pytest.fixture(scope="module")
def native() -> Any:
    return library_or_skip()


@pytest.fixture(params=["python", "native"])
def player(request: pytest.FixtureRequest) -> Any:
    if request.param == "python":
        return python_player()
    return NativePlayer(RATE, request.getfixturevalue("native"))


class Endless(StreamedSource):
    """A stream of a sine wave."""

    def decode(self, count: int) -> Any:
        first = self._valid
        return (
            np.sin(np.arange(first, first + count) * 0.01, dtype=np.float64)[None].astype("f4") / 2
        )

    def seek(self, first: int) -> None: ...


class Simulated:
    """A game and a device with separate clocks: ``n`` ticks, reads of 480 frames, and long frames
    of the game."""

    def __init__(self, player: Any, drift: float = 0.0, max_ticks: int = 99) -> None:
        self.player = player
        self.mixer = Mixer(lambda voice, alpha: (1.0, 0.0))
        self.buses = Buses(self.mixer.update_targets)
        self.feed = BufferFeed(player)
        self.heard: list[Any] = []
        self.drift, self.max_ticks = drift, max_ticks
        self.time = self.read_at = 0.0
        self.ticks = self.lost = 0
        self.plan: dict[int, Any] = {}

    def play(self, source: Any, **options: Any) -> Voice:
        now = lambda: Moment(self.mixer.now, 0, False)  # noqa: E731
        voice = Voice("test", source, self.buses["music"], VoiceOptions(**options), now)
        self.mixer.tracks.append(track_of(voice))
        return voice

    def run(self, ticks: int, hitches: dict[int, float] | None = None) -> Simulated:
        for _ in range(ticks):
            self.time += 1 / 60 + (hitches or {}).get(self.ticks, 0.0)
            period = PERIOD / (RATE * (1 + self.drift))
            while self.read_at + period <= self.time:
                self.read_at += period
                self.heard.append(self.player.take(PERIOD))
            due = round(self.time * 60) - self.ticks - self.lost
            self.lost += max(0, due - self.max_ticks)
            mixes = []
            for _ in range(min(due, self.max_ticks)):
                self.plan.pop(self.ticks, lambda: None)()
                self.mixer.run(self.mixer.now + TICK, False, None, True)
                mixes.append(self.mixer.device_mix)
                self.ticks += 1
            if mixes:
                self.feed.push(
                    np.concatenate(mixes),
                    self.mixer.now,
                    TICK + LATENCY,
                    self.mixer.shift,
                    self.mixer.publishable,
                )
        return self

    @property
    def sound(self) -> Any:
        return np.concatenate(self.heard)[:, 0]


def sine(step: float = 0.01) -> DecodedSource:
    period = round(2 * np.pi / step)
    wave = np.sin(np.arange(period * 100) * 2 * np.pi / period) / 2
    return DecodedSource(Samples(wave[None].astype("f4")), (0, period * 100))


def is_smooth(sound: Any, step: float = 0.01) -> bool:
    """Return whether a sine wave of half the full volume has no gap and no click."""
    sound = sound[: len(sound) // PERIOD * PERIOD]
    level = np.abs(sound).reshape(-1, PERIOD).max(axis=1)
    largest_step = np.abs(np.diff(sound)).max()
    return bool(level.min() > 0.3 and largest_step < 0.5 * step * 1.1)


# -- long frames -----------------------------------------------------------------------------------


@pytest.mark.parametrize("max_ticks", [99, 8])
@pytest.mark.parametrize("seconds", [0.1, 0.3, 1.0])
def test_a_loop_continues_through_a_long_frame(player: Any, seconds: float, max_ticks: int) -> None:
    simulated = Simulated(player, max_ticks=max_ticks)
    simulated.play(sine())
    simulated.run(130, {40: seconds, 105: 0.3})
    assert player.missed <= 3 * PERIOD  # before the first tick
    assert player.continued > (seconds + 0.3 - 0.12) * RATE
    assert is_smooth(simulated.sound[RATE // 4 :])


@pytest.mark.parametrize("seconds", [0.3, 1.0])
def test_a_stream_continues_through_a_long_frame(player: Any, seconds: float) -> None:
    simulated = Simulated(player, max_ticks=8)
    simulated.play(Endless(1))
    simulated.run(160, {90: seconds})
    assert player.missed <= 3 * PERIOD
    assert is_smooth(simulated.sound[RATE // 5 :])


def test_a_player_continues_with_the_samples_that_the_game_would_mix(player: Any) -> None:
    """All ticks run after the long frame, so there is no seam and no voice is ahead."""
    straight, simulated = Simulated(python_player()), Simulated(player)
    for game in (straight, simulated):
        game.play(sine(), pitch=1.25, volume=0.7)
    straight.run(100)
    simulated.run(80, {40: 0.3})
    count = min(len(straight.sound), len(simulated.sound))
    assert np.abs(straight.sound[:count] - simulated.sound[:count]).max() < 1e-6
    assert not any(track.ahead for track in simulated.mixer.tracks)


def test_effects_continue_through_a_long_frame(player: Any) -> None:
    """All ticks run after the long frame, so the sound is the same as without the long frame."""
    straight, simulated = Simulated(python_player()), Simulated(player)
    for game in (straight, simulated):
        game.mixer.use_buses(game.buses)
        game.play(sine(), pitch=1.25, volume=0.7)
        for effect in (
            fw.LowPass(900, 2),
            fw.Echo(0.2),
            fw.Reverb(2),
            fw.BitCrusher(9),
            fw.Compressor(-20),
        ):
            game.buses["music"].add_effect(effect)
    straight.run(100)
    simulated.run(80, {40: 0.3})
    count = min(len(straight.sound), len(simulated.sound))
    assert player.continued > 0.15 * RATE
    assert np.abs(straight.sound[:count] - simulated.sound[:count]).max() < 1 / 32_768


def test_effects_begin_and_end_while_voices_are_ahead(player: Any) -> None:
    simulated = Simulated(player, max_ticks=8)
    simulated.mixer.use_buses(simulated.buses)
    simulated.play(sine())
    music = simulated.buses["music"]
    echo = music.add_effect(fw.Echo(0.2, wet=0.2))
    reverb = fw.Reverb(1.0, wet=0.1)
    simulated.plan |= {
        38: lambda: music.add_effect(reverb),
        60: lambda: music.remove_effect(echo),
        75: lambda: setattr(music, "parent", simulated.buses["speech"]),
        90: lambda: music.remove_effect(reverb),
    }
    simulated.run(130, {30: 0.4})
    assert player.missed <= 3 * PERIOD
    assert np.abs(np.diff(simulated.sound[RATE // 4 :])).max() < 2 * 0.5 * 0.01
    assert np.isfinite(simulated.sound).all()
    assert is_smooth(simulated.sound[-RATE // 4 :])


def test_after_dropped_ticks_voices_are_ahead_and_return(player: Any) -> None:
    simulated = Simulated(player, max_ticks=8)
    voice = simulated.play(sine())
    simulated.run(60, {30: 0.3})
    track = track_of(voice)
    ahead = track.ahead_at(simulated.mixer.now) / 65_536
    assert ahead == pytest.approx((simulated.lost) * TICK, abs=3 * PERIOD)
    assert track.place >> 16 == simulated.ticks * TICK  # the position in the game does not change
    simulated.run(150)
    later = track.ahead_at(simulated.mixer.now) / 65_536
    assert later == pytest.approx(ahead - 150 * TICK / 256, abs=3)
    assert is_smooth(simulated.sound[RATE // 5 :])
    track.ahead = 65_536 * 10
    simulated.run(60)
    assert track.ahead == 0


def test_a_delayed_voice_begins_during_or_after_a_long_frame(
    player: Any,
) -> None:
    simulated = Simulated(player, max_ticks=8)
    clicks = [
        simulated.play(DecodedSource(Samples(np.eye(1, 300, dtype="f4")), None)) for _ in range(2)
    ]
    # within the long frame, and after the long frame
    for voice, seconds in zip(clicks, (0.6, 1.0), strict=True):
        track_of(voice).begin_at(round(seconds * RATE))
    simulated.run(65, {30: 0.4})
    assert simulated.lost > 10
    simulated.run(40)
    begins = np.flatnonzero(simulated.sound > 0.9)
    assert 1 <= (begins < 0.9 * RATE).sum() <= 2  # again after dropped ticks
    assert (begins > 0.9 * RATE).sum() >= 1


def test_later_ticks_return_the_music_to_the_time_of_the_game(player: Any) -> None:
    """As with ``overflow="carry"``: the game catches up in many frames."""
    simulated = Simulated(player, max_ticks=8)
    voice = simulated.play(sine())
    simulated.run(60, {30: 0.5})
    while simulated.lost:  # 8 ticks in each frame
        simulated.lost -= min(7, simulated.lost)
        simulated.run(1)
    simulated.run(20)
    assert track_of(voice).ahead_at(simulated.mixer.now) / 65_536 < 0.06 * RATE


def test_a_game_that_stops_for_long_fades_to_silence(player: Any) -> None:
    simulated = Simulated(player)
    simulated.play(sine())
    simulated.run(60, {30: 12.0})
    assert player.continued == pytest.approx(MAX_CONTINUED, abs=PERIOD)
    assert player.missed > RATE
    sound = simulated.sound
    assert np.abs(np.diff(sound)).max() < 0.5 * (0.01 + 1 / 240)
    assert np.abs(sound[-PERIOD:]).max() > 0.3


def test_a_paused_game_fades_out_and_in(player: Any) -> None:
    simulated = Simulated(player)
    simulated.play(sine())
    simulated.run(30)
    for _ in range(30):
        simulated.heard.append(player.take(TICK))
        if player.written - player.read < LATENCY - 960:
            simulated.feed.pause()
    simulated.read_at += 0.5
    simulated.time += 0.5
    simulated.lost += 30
    simulated.run(30)
    sound = simulated.sound
    assert player.missed > 0.3 * RATE
    assert np.abs(np.diff(sound)).max() < 0.5 * (0.01 + 1 / 240)
    assert np.abs(sound[-PERIOD:]).max() > 0.3


def test_changes_during_a_long_frame_are_audible_after_it_without_a_click(player: Any) -> None:
    simulated = Simulated(player)
    voice = simulated.play(sine())
    second_voice = simulated.play(sine(0.02), volume=0.0)
    simulated.plan[41] = lambda: (voice.stop(), setattr(second_voice, "volume", 0.5))
    simulated.run(80, {40: 0.3})
    steps = np.abs(np.diff(simulated.sound))
    assert steps.max() < 0.02
    assert not voice.playing


@pytest.mark.parametrize("seed", range(2))
def test_both_players_play_exactly_the_same(native: Any, seed: int) -> None:
    random = np.random.default_rng(seed)
    hitches = {int(tick): float(random.uniform(0.05, 0.6)) for tick in random.integers(5, 90, 4)}
    pitches = random.uniform(0.5, 2, 90)
    sounds = []
    for player in (python_player(), NativePlayer(RATE, native)):
        simulated = Simulated(player, max_ticks=8)
        simulated.mixer._kernel = NumpyKernel().mix

        def begin(tick: int, simulated: Simulated = simulated) -> None:
            wave = np.random.default_rng(tick).standard_normal((1 + tick % 2, 900 * tick)) / 8
            loop = (100, 800 * tick) if tick % 3 else None
            voice = simulated.play(
                DecodedSource(Samples(wave.astype("f4")), loop),
                pitch=pitches[tick],
                pan=0.3,
                volume=3.0 if tick % 5 == 0 else 1.0,  # for the limiter
            )
            track_of(voice).fade = simulated.mixer.now, 0.0, simulated.mixer.now + 3000, 1.0

        simulated.play(Endless(1))
        for tick in range(1, 90, 4):
            simulated.plan[tick] = lambda tick=tick, begin=begin: begin(tick)
        sounds.append(simulated.run(90, hitches).heard)
    first, second = map(np.concatenate, sounds)
    assert (first.view("i4") == second.view("i4")).all()


def test_the_memory_of_a_table_is_kept_while_a_player_may_read_it(native: Any) -> None:
    player = NativePlayer(RATE, native)
    simulated = Simulated(player)
    simulated.play(sine())
    simulated.run(20)
    player.take(RATE)  # a long frame: the player continues a table
    in_use = player._look()[3]
    for _ in range(9):
        simulated.mixer.run(simulated.mixer.now + TICK, False, None, True)
        player.publish(
            simulated.mixer.device_mix, player.written, 0, 0, simulated.mixer.publishable()
        )
        assert player._tables[in_use % 4] is not None
        assert len([table for table in player._tables if table is not None]) <= 4


def test_a_device_may_stop_and_continue(player: Any) -> None:
    simulated = Simulated(player)
    simulated.play(sine())
    simulated.run(30)
    simulated.read_at += 0.7
    simulated.time += 0.7
    simulated.run(42)  # 0.7 seconds of ticks at once, because the device has not read
    simulated.run(60)
    sound = simulated.sound
    assert np.abs(np.diff(sound)).max() < 0.02
    assert np.abs(sound[-PERIOD:]).max() > 0.3
    assert player.written - player.read == pytest.approx(TICK + LATENCY, abs=1600)


# -- clocks ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("drift", [-0.001, 0.001])
def test_the_player_follows_drifting_clocks_without_a_gap(drift: float) -> None:
    simulated = Simulated(python_player(), drift)
    simulated.play(sine())
    simulated.run(400)
    assert simulated.player.missed <= 3 * PERIOD  # before the first tick
    assert simulated.player.continued == 0
    filled = simulated.player.written - simulated.player.read
    assert filled == pytest.approx(TICK + LATENCY, abs=800)


def test_a_mix_that_is_longer_than_the_ring_is_cut(player: Any) -> None:
    feed, mixer = BufferFeed(player), Mixer(lambda voice, alpha: (1.0, 0.0))
    for _ in range(3):
        mixer.run(mixer.now + 20_000, False, None, True)
        feed.push(mixer.device_mix, mixer.now, 60_000, mixer.shift, mixer.publishable)
    assert player.written - player.read <= 60_000


def test_the_callback_returns_the_bytes_of_the_requested_frames() -> None:
    callback = python_player().frames()
    assert next(callback) == b""
    assert len(callback.send(100)) == 800


# -- devices ---------------------------------------------------------------------------------------


def test_an_unplugged_device_is_replaced() -> None:
    now, opened = [0.0], []

    class Speaker:
        def __init__(self, player: Any) -> None:
            if len(opened) == 1 and now[0] < 20:
                raise OSError("gone")
            self.name = f"speaker {len(opened)}"
            opened.append(self)
            self.closed = False

        def close(self) -> None:
            self.closed = True

    player = python_player()
    output = Output(player, clock=lambda: now[0], open=Speaker)
    assert output.name == "speaker 0"
    for _ in range(50):
        now[0] += 0.1
        player.take(10)
        assert output.check()
    now[0] += 0.9
    assert output.check()
    now[0] += 0.9
    with pytest.warns(RuntimeWarning, match="There is no sound: gone"):
        output.check()
    assert opened[0].closed
    assert output.name is None
    now[0] = 30.0
    assert output.check()
    assert output.name == "speaker 1"
    output.close()
    assert opened[1].closed


def test_a_device_of_the_library_is_created_and_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in replaces the library, so no thread starts."""
    from framework.audio import device

    class Device:
        backend = "ALSA"

        def __init__(self, *options: Any, **named: Any) -> None:
            self.options, self.closed = options, False

        def start(self, frames: Any) -> None:
            self.frames = frames

        def close(self) -> None:
            self.closed = True

    class Library:
        PlaybackDevice = Device
        MiniaudioError = OSError

        class SampleFormat:
            FLOAT32 = 5

        class Backend:
            NULL = 14

    monkeypatch.setattr(device, "miniaudio", lambda: Library)
    playing = opened(python_player())
    assert isinstance(playing, PythonDevice)
    assert playing.name == "ALSA"
    library_device: Any = playing._device
    assert library_device.options == (5, 2, RATE, 10)
    assert len(library_device.frames.send(480)) == 480 * 8
    playing.close()
    assert library_device.closed
    Device.backend = "Null"
    with pytest.raises(Exception, match="there is no sound device"):
        opened(python_player())


def test_the_native_player_is_passed_to_the_device(native: Any) -> None:
    pytest.importorskip("miniaudio")
    player = NativePlayer(RATE, native)
    device = opened(player, null=True)  # its thread calls no Python
    assert isinstance(device, NativeDevice)
    assert device.name == "Null"
    device.close()
    device.close()


# -- the second process ----------------------------------------------------------------------------


class DirectPlayer(ProcessPlayer):
    """A player without a process: the receiver handles its messages at once."""

    def __init__(self) -> None:
        self.size, self.written, self._report = RATE, 0, None
        self.receiver = Receiver(python_player())
        self.messages: list[Any] = []
        self._start()

    def _post(self, message: object) -> None:
        if isinstance(message, Update):
            self.messages.append(message._replace(arrays=dict.fromkeys(message.arrays)))
            self.receiver.receive(pickle.loads(pickle.dumps(message)))

    def take(self, count: int) -> Any:
        return self.receiver.player.take(count)

    @property
    def read(self) -> int:
        return self.receiver.player.read


def test_a_player_in_another_process_plays_the_same() -> None:
    sounds = []
    players = python_player(), DirectPlayer()
    for player in players:
        simulated = Simulated(player, max_ticks=8)
        simulated.play(sine(), pitch=1.1)
        simulated.play(Endless(1), volume=0.3)
        simulated.plan[20] = lambda simulated=simulated: simulated.play(
            DecodedSource(Samples(np.ones((2, 900), "f4") / 4), None)
        )
        sounds.append(np.concatenate(simulated.run(60, {10: 0.2, 40: 0.5}).heard))
    assert (sounds[0].view("i4") == sounds[1].view("i4")).all()
    direct_player = players[1]
    assert isinstance(direct_player, DirectPlayer)
    sent_numbers = [number for message in direct_player.messages for number in message.arrays]
    assert len(sent_numbers) == len(set(sent_numbers)) > 4
    assert len(direct_player.receiver._sources) == 2  # a voice that has ended is removed


def test_the_samples_of_a_sound_are_sent_once_for_all_voices() -> None:
    player = DirectPlayer()
    simulated = Simulated(player)
    samples = [Samples(np.full((1, 9000), 0.1, "f4"))]
    for _ in range(5):
        simulated.play(DecodedSource(samples[0], None))
        simulated.run(3)
    assert sum(len(message.arrays) for message in player.messages) == 2  # and the empty seam
    simulated.mixer.tracks.clear()
    simulated.run(3)
    samples.clear()
    gc.collect()
    simulated.run(2)
    assert not player.receiver._arrays


def test_the_process_replies_and_ends_with_its_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    from framework.audio import sound_process, sound_server

    closed: list[str] = []

    class Speaker:
        name = "speaker"

        def __init__(self, player: Any, *, null: bool) -> None: ...

        def close(self) -> None:
            closed.append("closed")

    monkeypatch.setattr(sound_server, "_open", Speaker)
    requests, replies = io.BytesIO(), io.BytesIO()
    silence = np.zeros((100, 2), np.float32)
    for message in (
        Update(silence, 0, 0, 0, None, [], {}, {}, {}, [], [], []),
        ("open", RATE, True),
        Update(silence, 0, 0, 0, None, [], {}, {}, {}, [], [], []),
    ):
        sound_process.send(requests, message)
    requests.seek(0)
    serve(requests, replies)
    assert closed == ["closed"]
    replies.seek(0)
    reports = [Report(*sound_process.receive(replies)) for _ in range(2)]
    assert [report.device for report in reports] == ["speaker", "speaker"]


def test_the_second_process_imports_few_modules() -> None:
    """Each module more delays the start of the process, which is silent until then."""
    from framework.audio import sound_process

    pytest.importorskip("miniaudio")
    code = (
        "import sys; sys.path[:] = sys.argv[1:]; import numpy; before = set(sys.modules); "
        "import framework.audio.sound_server as server; server._miniaudio(); "
        "print(*sorted(set(sys.modules) - before))"
    )
    program = [sys.executable, "-S", "-c", code, *sound_process._paths()]
    modules = subprocess.run(program, check=True, capture_output=True, text=True).stdout.split()
    ours = {name for name in modules if name.startswith("framework.")}
    assert ours == {
        "framework.arrays",
        "framework.audio",
        *(f"framework.audio.{name}" for name in ("effects", "kernel", "limiter", "mix_table")),
        *(f"framework.audio.{name}" for name in ("mixer_track", "muffling", "native", "output")),
        *(f"framework.audio.{name}" for name in ("player", "resampling", "sample_interpolation")),
        *(f"framework.audio.{name}" for name in ("sound_messages", "sound_server", "sources")),
        "framework.errors",
        "framework.version",
    }
    heavy = {"urllib.request", "importlib.metadata", "pathlib", "subprocess", "email", "zipfile"}
    assert not heavy & set(modules)


def test_a_packed_game_starts_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.frozen", True, raising=False)
    assert ProcessPlayer.started(RATE) is None


def test_a_process_ends_when_its_player_is_closed() -> None:
    player = ProcessPlayer.started(RATE)
    assert player is not None
    assert player.alive
    assert player.device == ""
    player.close()
    assert not player.alive


# -- room for rows ---------------------------------------------------------------------------------


def many_voices(count: int) -> MixTable:
    table = MixTable()
    table.reserve(count)
    source = DecodedSource(Samples(np.zeros((1, 100), np.float32)), None)
    table.sources, table.kept = [source] * count, [None] * count
    table.voices["starts"][:count] = 1 << 60
    table.voices["fade_end"][:count] = NEVER
    table.head["frame"] = TICK
    return table


def test_a_native_player_never_takes_more_rows_than_fit(native: Any) -> None:
    player = NativePlayer(RATE, native)
    groups = player._memory[2]
    groups["gain"] = 7.0  # in memory behind the rows of the voices
    player.publish(np.zeros((TICK, 2), np.float32), 0, 0, 0, many_voices(MAX_VOICES + 3000))
    assert max(head["voice_count"][0] for head in player._heads) == MAX_VOICES
    # The library also limits the number of rows.
    for head in player._heads:
        head["voice_count"] = MAX_VOICES + 3000
    player.take(TICK + 100)
    assert (groups["gain"][1:] == 7.0).all()


def test_a_full_mixer_ends_fading_voices_first() -> None:
    mixer = Mixer(lambda voice, alpha: (1.0, 0.0))
    buses = Buses(mixer.update_targets)
    source = sine()

    def begin() -> Voice:
        now = lambda: Moment(mixer.now, 0, False)  # noqa: E731
        voice = Voice("test", source, buses["music"], VoiceOptions(), now)
        mixer.add(track_of(voice))
        return voice

    first = [begin() for _ in range(MAX_TRACKS)]
    assert not begin().playing  # no voice is fading out
    for voice in first[:100]:
        voice.stop(60.0)
    assert begin().playing
    assert not first[0].playing
    assert first[99].playing
    assert len(mixer.tracks) <= MAX_TRACKS


# -- the end of Python -----------------------------------------------------------------------------

PROGRAM = """
import os, sys
from functools import partial
from framework.audio.device import Output, opened
from framework.audio.kernel import NumpyKernel
from framework.audio.player import Player

output = Output(Player(48000, NumpyKernel().mix), open=partial(opened, null=True))
while not output.player.read:
    pass
child = os.fork() if hasattr(os, "fork") else None
if child == 0:
    sys.exit(3)
if child:
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
raise SystemExit(4)
"""


def test_python_exits_while_a_device_is_open() -> None:
    pytest.importorskip("miniaudio")
    options = {"PYTHONPATH": str(Path(fw.__file__).parents[1])}
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, **options},
        timeout=60,
        stderr=subprocess.PIPE,
        check=False,
    )
    assert result.returncode == 4, result.stderr


# -- messages that are lost ------------------------------------------------------------------------


class UnreadPlayer(ProcessPlayer):
    """A player whose process does not read its messages."""

    def __init__(self, max_ticks: int) -> None:
        self.size, self.written, self._report = RATE, 0, None
        self._messages = queue.Queue(max_ticks)
        self._start()

    def read_by(self, receiver: Receiver) -> None:
        while not self._messages.empty():
            receiver.receive(pickle.loads(pickle.dumps(self._messages.get())))


def small_table(source: Any) -> MixTable:
    table = MixTable()
    table.sources, table.kept = [source], [None]
    return table


def test_all_sources_are_sent_again_after_a_lost_message() -> None:
    player, receiver = UnreadPlayer(3), Receiver(python_player())
    silence = np.zeros((TICK, 2), np.float32)
    table = small_table(sine())
    for _ in range(3):
        player.publish(silence, player.written, 0, 0, None)
    player.publish(silence, player.written, 0, 0, table)  # lost
    player.read_by(receiver)
    player.publish(silence, player.written, 0, 0, table)
    player.publish(silence, player.written, 0, 0, small_table(Endless(1)))
    player.read_by(receiver)
    assert len(receiver._sources) == 1
    assert receiver.player.written == 6 * TICK


def test_a_device_is_opened_when_the_queue_is_full() -> None:
    player = UnreadPlayer(3)
    for _ in range(4):
        player.publish(np.zeros((TICK, 2), np.float32), player.written, 0, 0, None)
    player.open_device(null=True)
    assert player._messages.get_nowait() == ("open", RATE, True)


def test_a_process_reports_a_missing_source(monkeypatch: pytest.MonkeyPatch) -> None:
    from framework.audio import sound_process, sound_server

    class Speaker:
        name = "speaker"

        def __init__(self, player: Any, *, null: bool) -> None: ...

        def close(self) -> None: ...

    monkeypatch.setattr(sound_server, "_open", Speaker)
    player = UnreadPlayer(9)
    player.open_device(null=True)
    silence, table = np.zeros((TICK, 2), np.float32), small_table(sine())
    player.publish(silence, 0, 0, 0, table)
    opening, _ = player._messages.get(), player._messages.get()  # the samples are lost
    player.publish(silence, TICK, 0, 0, table)
    requests, replies = io.BytesIO(), io.BytesIO()
    sound_process.send(requests, opening)
    sound_process.send(requests, player._messages.get())
    requests.seek(0)
    serve(requests, replies)
    replies.seek(0)
    player._read(replies)
    player.publish(silence, 2 * TICK, 0, 0, table)
    update = player._messages.get()
    assert isinstance(update, Update)
    assert update.reset
    assert len(update.new) == 1


def test_a_second_player_takes_over_without_a_gap_or_click() -> None:
    players = python_player(), python_player()
    feeds = BufferFeed(players[0]), BufferFeed(players[1], continues=True)
    mixer = Mixer(lambda voice, alpha: (1.0, 0.0))
    buses = Buses(mixer.update_targets)
    now = lambda: Moment(mixer.now, 0, False)  # noqa: E731
    constant = DecodedSource(Samples(np.full((1, 3 * RATE), 0.5, np.float32)), None)
    mixer.tracks.append(track_of(Voice("test", constant, buses["music"], VoiceOptions(), now)))
    played = []
    for tick in range(40):
        feed = feeds[tick >= 20]
        mixer.run(mixer.now + TICK, False, None, True)
        functions = mixer.shift, mixer.publishable
        feed.push(mixer.device_mix, mixer.now, TICK + LATENCY, *functions)
        if tick == 19:
            feed.pause()
        played.append(sum(player.take(TICK)[:, 0] for player in players))
    sound = np.concatenate(played)[2 * TICK + LATENCY :]
    assert np.abs(np.diff(sound)).max() < 0.01
    assert sound.min() > 0.49
