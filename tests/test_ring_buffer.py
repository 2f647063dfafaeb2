"""What is between the game's thread and a device's: no sample twice, none lost, whatever the two
clocks do.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from framework.audio.buffering import BufferFeed
from framework.audio.device import Output, Playing
from framework.audio.ring_buffer import RingBuffer

RATE, TICK = 48_000, 800


def numbered(first: int, count: int) -> Any:
    """Frames that tell their numbers, from 1, on the left, and on the right how loud they are."""
    return np.stack([np.arange(first + 1, first + count + 1), np.ones(count)], axis=1).astype("f4")


def taken(ring: RingBuffer, count: int) -> Any:
    return np.frombuffer(bytes(ring.take(count)), np.float32).reshape(-1, 2)


class Simulated:
    """A game and a device on clocks of their own: ``n`` ticks, gulps of 480 frames, and hitches of
    the game.
    """

    def __init__(self, latency: int = 2400, drift: float = 0.0) -> None:
        self.ring = RingBuffer(RATE)
        self.feed = BufferFeed(self.ring)
        self.heard: list[Any] = []
        self.latency, self.drift = latency, drift
        self.time = self.read_at = 0.0
        self.ticks = 0

    def run(self, ticks: int, hitches: dict[int, float] | None = None, most: int = 99) -> Simulated:
        for _ in range(ticks):
            self.time += 1 / 60 + (hitches or {}).get(self.ticks, 0.0)
            period = 480 / (RATE * (1 + self.drift))
            while self.read_at + period <= self.time:
                self.read_at += period
                self.heard.append(taken(self.ring, 480))
            due = min(most, round(self.time * 60) - self.ticks)
            if due > 0:
                mix = numbered(self.ticks * TICK, due * TICK)
                self.ticks += due
                self.feed.push(mix, TICK + self.latency)
        return self

    @property
    def sound(self) -> Any:
        """The numbers of the frames that were heard as loud as they are."""
        heard = np.concatenate(self.heard)
        return heard[heard[:, 1] == 1, 0]


@pytest.mark.parametrize("block", [64, 333, 480, 4096, 96_000])
def test_blocks_of_any_size_read_the_same(block: int) -> None:
    ring, got, written = RingBuffer(5000), [], 0
    ring._level = 240  # it is heard already
    while written < 96_000:
        written += ring.write(numbered(written, 800))
        while ring.filled >= min(block, 3000):
            got.append(taken(ring, min(block, ring.filled)))
    mix = np.concatenate(got)[:, 0]
    assert (mix == np.arange(1, len(mix) + 1)).all()


def test_a_full_ring_takes_no_more() -> None:
    ring = RingBuffer(1000)
    assert ring.write(numbered(0, 800)) == 800
    assert ring.write(numbered(800, 800)) == 200
    assert ring.filled == 1000


def test_a_dry_ring_ends_softly_and_comes_back_softly() -> None:
    ring = RingBuffer(1000)
    ring.write(np.full((500, 2), 0.5, "f4"))
    first, end, later = (taken(ring, 480)[:, 0] for _ in range(3))
    assert first[0] < 1 / 200
    assert np.abs(np.diff(np.concatenate([first, end]))).max() <= 1 / 200
    assert end[-1] < 0.01
    assert later.size == 0  # silence, to the device
    assert ring.missed == 460 + 480
    ring.write(np.full((480, 2), 0.5, "f4"))
    again = taken(ring, 480)[:, 0]
    assert again[0] < 1 / 200
    assert again[-1] == 0.5
    assert np.diff(again).max() <= 1 / 200


@pytest.mark.parametrize("block", [32, 100, 256, 480])
def test_a_ring_runs_dry_softly_whatever_the_device_asks_for(block: int) -> None:
    ring, heard = RingBuffer(4800), []
    for asked in range(0, 9600, block):
        if asked < 2000 or 4000 < asked < 4100:
            ring.write(np.full((33, 2), 0.5, "f4"))
        elif asked > 6000:
            ring.write(np.full((block, 2), 0.5, "f4"))
        frames = taken(ring, block)[:, 0]
        heard += [frames, np.zeros(block - len(frames))]
    mix = np.concatenate(heard)
    assert np.abs(np.diff(mix)).max() <= 1 / 200
    assert (mix.max(), mix[-1]) == (0.5, 0.5)


def test_after_a_pause_sounds_come_back_softly() -> None:
    ring = RingBuffer(RATE)
    feed, loud, heard = BufferFeed(ring), np.full((TICK, 2), 0.5, "f4"), []
    for tick in range(90):
        if not 30 <= tick < 60:
            feed.push(loud, TICK + 2400)
        frames = taken(ring, TICK)[:, 0]
        heard += [frames, np.zeros(TICK - len(frames))]
    mix = np.concatenate(heard)
    assert (mix[20 * TICK], mix[45 * TICK], mix[-1]) == (0.5, 0, 0.5)
    assert np.abs(np.diff(mix[20 * TICK :])).max() <= 1 / 200


def test_a_hitch_repeats_nothing_and_latency_comes_back() -> None:
    simulated = Simulated().run(400, {120: 0.2, 250: 0.2})
    sound = simulated.sound
    assert (np.diff(sound) > 0).all()
    assert simulated.feed.skipped == pytest.approx(2 * 0.15 * RATE, rel=0.4)
    late = simulated.ticks * TICK - sound[-480:].max()
    assert late == pytest.approx(TICK + 2400, abs=1000)


@pytest.mark.parametrize("drift", [-0.001, 0.0001, 0.001])
def test_clocks_that_drift_are_followed_without_a_gap(drift: float) -> None:
    simulated = Simulated(drift=drift).run(1000)
    assert simulated.ring.missed <= 3 * 480  # before the first tick
    assert simulated.feed.skipped == 0
    steps = np.diff(simulated.sound)
    assert steps.min() > 0.9
    assert steps.max() < 1.1
    assert simulated.ring.filled == pytest.approx(TICK + 2400, abs=800)


def test_ticks_that_were_given_up_are_silence_not_a_burst() -> None:
    simulated = Simulated().run(200, {100: 2.0}, most=8)
    assert simulated.ring.filled < 2 * TICK + 2400 + 480


def test_the_callback_gives_bytes_for_what_it_is_sent() -> None:
    ring = RingBuffer(1000)
    ring.write(numbered(0, 300))
    callback = ring.frames()
    assert next(callback) == b""
    assert len(callback.send(100)) == 800
    assert len(callback.send(700)) == 8 * (200 + 240)
    assert len(callback.send(100)) == 0


def test_an_unplugged_device_is_exchanged_for_the_next_one() -> None:
    now, opened = [0.0], []

    class Speaker:
        def __init__(self, ring: RingBuffer) -> None:
            if len(opened) == 1 and now[0] < 20:
                raise OSError("gone")
            self.name = f"speaker {len(opened)}"
            opened.append(self)
            self.closed = False

        def close(self) -> None:
            self.closed = True

    ring = RingBuffer(1000)
    output = Output(ring, clock=lambda: now[0], open=Speaker)
    assert output.name == "speaker 0"
    for _ in range(50):
        now[0] += 0.1
        ring.take(10)
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


def test_the_library_is_asked_for_a_device_and_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a stand-in for the library: no thread is started."""
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
    ring = RingBuffer(1000)
    ring.write(numbered(0, 1000))
    playing = Playing(ring)
    assert playing.name == "ALSA"
    made: Any = playing._device
    assert made.options == (5, 2, RATE, 10)
    assert len(made.frames.send(480)) == 480 * 8
    playing.close()
    assert made.closed
    Device.backend = "Null"
    with pytest.raises(Exception, match="there is no sound device"):
        Playing(ring)
