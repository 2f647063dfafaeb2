"""The lab on the real window: how evenly flips come, how late the clock is read, and what pacing makes of it."""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import DisplayError, FrameworkError
from .game import Game
from .lab import SPEED, WARM_UP, pixels
from .pacing import Pacer
from .refresh import RefreshClock
from .sprites import SpriteBatch
from .timestep import NANOSECONDS, FixedTimestep, finite_number
from .window import _why_no_display, display_reachable

_SIZE = (640, 360)
_SPRITES = 200
_LEAST_FRAMES = 30

Nanoseconds = NDArray[np.int64]


@dataclass(frozen=True)
class Live:
    """What a real window's frames came to, after a second of warm-up."""

    renderer: str
    frames: int
    seconds: float
    reported: float
    """Refreshes a second, as the system says."""
    waited: int
    """Frames whose flip waited for the screen."""
    fitted: float
    """Refreshes a second, of the straight line that fits the flips best."""
    estimated: float
    """Refreshes a second as a `RefreshClock` has them in the end, 0 where it has no estimate."""
    locked: float
    """Share of the frames for which it believed in them."""
    missed: int
    """Refreshes without a frame."""
    gap_median: float
    """Milliseconds between two flips."""
    gap_worst: float
    flips_off: float
    """RMS in milliseconds of the flips off their line."""
    stamps_off: float
    """The same of the moments at which the clock is read for the ticks, a constant lateness taken out."""
    raw_judder: float
    """The same in pixels of motion at `lab.SPEED`: what raw stamps would show."""
    judder: float
    """RMS in pixels off the flips' line of what was drawn."""
    ticks: int
    ticks_due: float
    """In the time that went by."""
    dropped_time: float
    """Seconds."""


class _Watched(Game):
    """Sprites that run round; each frame's stamp, moment and flip are kept."""

    def setup(self) -> None:
        self.batch = self.add(SpriteBatch(np.full((6, 6, 4), 255, np.uint8), count=_SPRITES))
        self.batch.position[:] = self.random.uniform((0, 0), self.size, (_SPRITES, 2))
        self.batch.color[:, :3] = self.random.uniform(0.4, 1, (_SPRITES, 3))
        self.labels.add("framework lab --live", position=(12, 10), color=(0.7, 0.73, 0.95))
        self.stamps: list[int] = []  # when the clock is read
        self.moments: list[int] = []  # what time the ticks are told
        self.flips: list[int] = []  # when the flip is over
        self.waits: list[bool] = []
        self.until = self._stamp = self._moment = 0
        self._flip: Callable[[], Any] = self.window.flip
        self.window.flip = self._timed_flip

    def update(self, dt: float) -> None:
        position = self.batch.position
        position[:, 0] += SPEED * dt
        around = position[:, 0] > self.width
        position[around, 0] -= self.width
        self.batch.teleport(around)

    def _run_ticks(self, now: int) -> None:
        self._stamp, self._moment = time.perf_counter_ns(), now
        if self._stamp >= self.until:
            self.exit()
        super()._run_ticks(now)

    def _timed_flip(self) -> None:
        wall, cpu = time.perf_counter_ns(), time.process_time_ns()
        self._flip()
        self.stamps.append(self._stamp)
        self.moments.append(self._moment)
        self.flips.append(time.perf_counter_ns())
        self.waits.append(_waited(self.flips[-1] - wall, time.process_time_ns() - cpu))


def _waited(wall: int, cpu: int) -> bool:
    """Whether one flip waited for the screen, by the rule of the `Pacer`."""
    pacer = Pacer(60)
    pacer.flipped(wall, cpu)
    return bool(pacer._waited)


def measure(seconds: float = 5.0, tick_rate: float = 60) -> Live:
    """Open a window, with vsync, and measure its frames for ``seconds`` (or until it is closed).

    Raises `DisplayError` where there is no display, and `ValueError` or `TypeError` that names a bad argument.
    """
    if not 2 <= finite_number("seconds", seconds) <= 3600:
        raise ValueError(f"seconds: expected 2 to 3600, got {seconds!r}")
    if not display_reachable():
        raise DisplayError(
            f"--live measures a real window, but {_why_no_display()}. On a machine without a screen, start a virtual "
            "one: xvfb-run -a framework lab --live. Without --live, displays are simulated."
        )
    loop = FixedTimestep(tick_rate, max_ticks=None)
    with _Watched(size=_SIZE, headless=False, vsync=True, timestep=loop, title="framework lab --live") as game:
        game.until = time.perf_counter_ns() + round(seconds * NANOSECONDS)
        game.run()
        return judge(
            *(np.array(times, np.int64) for times in (game.stamps, game.moments, game.flips)),
            waits=game.waits,
            reported=float(game._live.refresh_rate),
            renderer=str(game.ctx.info["GL_RENDERER"]),
            ticks=loop.tick,
            ticks_due=game._moment / NANOSECONDS / loop.dt,
            dropped_time=loop.dropped_time,
        )


def judge(
    stamps: Nanoseconds,
    moments: Nanoseconds,
    flips: Nanoseconds,
    *,
    waits: Sequence[bool],
    reported: float,
    renderer: str,
    ticks: int,
    ticks_due: float,
    dropped_time: float,
) -> Live:
    """The figures, from three arrays (n,) of nanoseconds: when the clock was read for frame k, which moment the frame
    was drawn for, and when its flip was over. Raises `FrameworkError` for too few frames."""
    clock, believed = RefreshClock(reported), []
    for stamp in stamps.tolist():
        clock.shown(stamp)
        believed.append(clock.locked)
    # Frame k begins when the flip before it is over.
    first = max(1, int(np.searchsorted(stamps, stamps[0] + WARM_UP * NANOSECONDS))) if len(stamps) else 0
    if len(stamps) - first < _LEAST_FRAMES:
        raise FrameworkError(f"Only {len(stamps)} frames were drawn, too few to judge; leave the window open longer.")
    stamps, moments, begun = stamps[first:], moments[first:], flips[first - 1 : -1]
    refresh, line, period = _fit(begun)
    gaps = np.diff(begun) / 1e6
    return Live(
        renderer=renderer,
        frames=len(stamps),
        seconds=float(stamps[-1] - stamps[0]) / NANOSECONDS,
        reported=reported,
        waited=sum(waits[first:]),
        fitted=NANOSECONDS / period,
        estimated=NANOSECONDS / clock.period if clock.period else 0.0,
        locked=float(np.mean(believed[first:])),
        missed=int(refresh[-1]) + 1 - len(refresh),
        gap_median=float(np.median(gaps)),
        gap_worst=float(gaps.max()),
        flips_off=float((begun - line).std()) / 1e6,
        stamps_off=float((stamps - line).std()) / 1e6,
        raw_judder=SPEED * float((stamps - line).std()) / NANOSECONDS,
        judder=SPEED * float((moments - line).std()) / NANOSECONDS,
        ticks=ticks,
        ticks_due=ticks_due,
        dropped_time=dropped_time,
    )


def _fit(flips: Nanoseconds) -> tuple[NDArray[np.int64], NDArray[np.float64], float]:
    """The refresh of each flip, from 0; where a straight line through them all puts each; and its period."""
    times = (flips - flips[0]).astype(np.float64)
    period = float(np.median(np.diff(times)))
    refresh = np.arange(len(times))
    for _ in range(3):  # each time with a better period
        steps = np.maximum(np.round(np.diff(times) / period), 1).astype(np.int64)
        refresh = np.concatenate([[0], np.cumsum(steps)])
        period, start = (float(part) for part in np.polyfit(refresh, times, 1))
    return refresh, flips[0] + start + period * refresh, period


def to_json(live: Live) -> str:
    """All figures, for other programs."""
    return json.dumps(dataclasses.asdict(live), indent=2)


def table(live: Live) -> str:
    """The figures as text to be read on a terminal."""
    if live.waited * 2 > live.frames:
        paced = f"in {live.waited:,} of {live.frames:,} frames"
    else:
        paced = f"in {live.waited:,} of {live.frames:,} frames: drawn by sleeping, at the screen's rate"
    locked = f"{live.estimated:.3f} Hz, believed in {100 * live.locked:.0f} % of the frames"
    lines = [
        ("the screen says", f"{live.reported:.3f} Hz"),
        ("flips waited for it", paced),
        ("the flips' own rate", f"{live.fitted:.3f} Hz; {live.missed} refreshes without a frame"),
        ("between two flips", f"{live.gap_median:.2f} ms (median), {live.gap_worst:.2f} ms (worst)"),
        ("flips off an even line", f"{live.flips_off:.3f} ms RMS"),
        ("stamps off that line", f"{live.stamps_off:.3f} ms RMS"),
        ("RefreshClock's estimate", locked if live.estimated else "none: the stamps are no display's"),
        ("judder by raw stamps", f"{pixels(live.raw_judder)} px RMS, of motion at {SPEED:g} px/s"),
        ("judder as drawn", f"{pixels(live.judder)} px RMS"),
        ("ticks", f"{live.ticks:,} made of {live.ticks_due:,.1f} due; {live.dropped_time:.3f} s dropped"),
    ]
    width = max(len(name) for name, _ in lines)
    heading = f"Measured in a window of {_SIZE[0]} x {_SIZE[1]}: {live.seconds:.1f} s, {live.renderer}"
    return "\n".join([heading, "", *(f"{name:<{width}}  {value}" for name, value in lines)])
