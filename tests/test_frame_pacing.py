"""Frame pacing: the times of frames on simulated displays and machines."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from framework.timing.frame_pacing import Pacer

MS = 1_000_000
PERIOD = round(1_000_000_000 / 60)


class Machine:
    """A clock, a display with or without vsync, and work of a given length in each frame."""

    def __init__(self, pacer: Pacer, *, vsync: bool, at: int = 123_456_789_000) -> None:
        self.pacer = pacer
        self.vsync = vsync
        self.now = at
        self.slept = 0

    def frame(self, work: int, flip: int = 200_000) -> int:
        """Run one turn of the loop. Return the time at which its frame was shown."""
        self.now += work
        before = self.now
        if self.vsync:
            self.now += PERIOD - self.now % PERIOD  # until the next refresh of the display
            self.pacer.flipped(self.now - before, 50_000)
        else:
            self.now += flip
            self.pacer.flipped(flip, flip)
        shown = self.now
        delay = self.pacer.delay(self.now)
        self.now += delay
        self.slept += delay
        return shown


def test_a_flip_that_draws_in_software_counts_as_work_except_for_one_refresh() -> None:
    pacer = Pacer(60)
    assert pacer.flipped(5 * PERIOD, 8 * PERIOD) == 4 * PERIOD  # on two cores
    assert pacer.flipped(PERIOD - 1, PERIOD) == 0  # a driver that waits in a busy loop
    assert pacer.flipped(5 * PERIOD, PERIOD // 2) == 0  # an idle wait of any length


def test_with_vsync_only_flips_wait() -> None:
    machine = Machine(Pacer(60), vsync=True)
    for _ in range(60):
        machine.frame(work=3 * MS)
    assert machine.pacer.vsync_waits
    machine.slept = 0
    shown = [machine.frame(work=3 * MS) for _ in range(600)]
    assert machine.slept == 0
    assert shown[-1] - shown[0] == 599 * PERIOD


def test_without_vsync_frames_have_an_even_rate_without_drift() -> None:
    machine = Machine(Pacer(60), vsync=False)
    dice = random.Random(3)
    machine.frame(work=0)
    begun = machine.now
    starts = []
    for _ in range(6_000):
        starts.append(machine.now)
        machine.frame(work=dice.randrange(1 * MS, 12 * MS))
    assert not machine.pacer.vsync_waits
    late = [start - begun - k * PERIOD for k, start in enumerate(starts)]
    assert max(map(abs, late)) == 0  # exact to the nanosecond after a hundred seconds


def test_long_sleeps_do_not_add_up() -> None:
    pacer = Pacer(60)
    dice = random.Random(4)
    now = 10**12
    pacer.delay(now)
    first = now
    for frame in range(1, 3_000):
        now += 2 * MS
        now += pacer.delay(now) + dice.randrange(
            1_000_000
        )  # the system wakes the process up to a millisecond late
        assert 0 <= now - first - frame * PERIOD <= 1 * MS


@pytest.mark.parametrize("hitch", [20 * MS, 40 * MS, 500 * MS, 3_600_000 * MS])
def test_no_burst_of_frames_follows_a_hitch(hitch: int) -> None:
    machine = Machine(Pacer(60), vsync=False)
    for _ in range(10):
        machine.frame(work=2 * MS)
    machine.frame(work=hitch)
    starts = []
    for _ in range(20):
        starts.append(machine.now)
        machine.frame(work=2 * MS)
    gaps = [b - a for a, b in pairwise(starts)]
    # only the next frame after the hitch may come early
    assert sum(gap < PERIOD for gap in gaps) <= 1
    assert gaps[-1] == PERIOD


def test_a_slow_machine_is_not_slowed_further() -> None:
    machine = Machine(Pacer(60), vsync=False)
    for _ in range(100):
        machine.frame(work=25 * MS)
    assert machine.slept <= PERIOD


def test_a_flip_with_computation_is_no_wait_for_the_display() -> None:
    pacer = Pacer(60)
    for _ in range(100):
        pacer.flipped(8 * MS, 8 * MS)  # a software driver copies the image
    assert not pacer.vsync_waits
    for _ in range(100):
        pacer.flipped(8 * MS, 100_000)
    assert pacer.vsync_waits


def test_vsync_is_detected_after_many_flips_and_can_be_lost_again() -> None:
    pacer = Pacer(60)
    for _ in range(10):
        pacer.flipped(10 * MS, 0)
    assert not pacer.vsync_waits
    for _ in range(10):
        pacer.flipped(10 * MS, 0)
    assert pacer.vsync_waits
    for _ in range(20):
        pacer.flipped(100, 100)
    assert not pacer.vsync_waits


def test_a_hidden_window_is_paced_although_its_flips_waited_before() -> None:
    machine = Machine(Pacer(60), vsync=True)
    for _ in range(60):
        machine.frame(work=1 * MS)
    starts = []
    for _ in range(60):  # hidden: no more flips
        starts.append(machine.now)
        machine.pacer.skipped()
        machine.now += 1 * MS
        machine.now += machine.pacer.delay(machine.now)
    gaps = [b - a for a, b in pairwise(starts[1:])]
    assert set(gaps) == {PERIOD}


def test_the_rate_is_that_of_the_display() -> None:
    pacer = Pacer(144)
    pacer.delay(10**12)
    assert pacer.delay(10**12) == round(1e9 / 144)


def test_a_new_display_rate_is_used_from_the_next_frame() -> None:
    pacer = Pacer(60)
    now = 10**12
    now += pacer.delay(now)
    now += pacer.delay(now)
    pacer.rate = 144
    assert pacer.rate == 144
    starts = []
    for _ in range(10):
        now += pacer.delay(now)
        starts.append(now)
    assert {after - before for before, after in pairwise(starts)} == {round(1e9 / 144)}


def test_without_vsync_only_a_hidden_window_waits() -> None:
    machine = Machine(Pacer(60, vsync=False), vsync=False)
    assert machine.pacer.limit == float("inf")
    for _ in range(200):
        machine.frame(work=0)
    assert machine.slept == 0
    machine.pacer.skipped()
    assert machine.pacer.limit == 60
    machine.pacer.delay(machine.now)
    assert machine.pacer.delay(machine.now) == PERIOD
    machine.pacer.flipped(0, 0)
    assert machine.pacer.delay(machine.now) == 0
    machine.pacer.vsync = True
    assert machine.pacer.limit == 60


@pytest.mark.parametrize("vsync", [True, False])
@pytest.mark.parametrize(("fps", "period"), [(30, 2 * PERIOD), (25.0, 40 * MS), (0.5, 2000 * MS)])
def test_a_frame_limit_works_with_and_without_vsync(vsync: bool, fps: float, period: int) -> None:
    machine = Machine(Pacer(60, vsync, fps), vsync=vsync)
    for _ in range(40):
        machine.frame(work=3 * MS)
    shown = [machine.frame(work=3 * MS) for _ in range(50)]
    assert abs((shown[-1] - shown[0]) / 49 - period) < (PERIOD if vsync else 10) / 49 + 1
    if vsync and fps == 30:  # every second refresh
        assert {after - before for before, after in pairwise(shown)} == {2 * PERIOD}


def test_a_limit_above_the_display_rate_works_only_without_vsync() -> None:
    synced = Machine(Pacer(60, True, 144), vsync=True)
    assert synced.pacer.limit == 60
    for _ in range(60):
        synced.frame(work=MS)
    synced.slept = 0
    for _ in range(60):
        synced.frame(work=MS)
    assert synced.slept == 0
    unsynced = Machine(Pacer(60, False, 144), vsync=False)
    assert unsynced.pacer.limit == 144
    shown = [unsynced.frame(work=MS) for _ in range(155)][10:]
    assert abs(shown[-1] - shown[0] - 1_000 * MS) < MS
