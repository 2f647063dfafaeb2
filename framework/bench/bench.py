"""What the framework costs on this machine: `framework bench sprites`, `bench meshes` and `bench
loop`.

Sprites and meshes are measured beside a hand-written moderngl program that draws the same
(`handwritten`), frame by frame in turn within one run, so that whatever else the machine does falls
on both. Everything is drawn off screen, in a small picture with small things (`scenarios`): the
subject is the CPU's time until control returns, not how fast pixels are filled.
"""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ..errors import FrameworkError
from ..game.game import Game
from ..plane.sprite_drawing import drawing_of
from ..plane.sprites import SpriteBatch
from ..watch.garbage import Collector
from .machine import Machine, this_machine
from .processes import run_python
from .progress import progress_bar, with_progress
from .scenarios import LIVE_OBJECTS, SIZE, SPRITE, Cubes, Littering, Measured, Swarm

_TICK = Fraction(1, 60)

_WARM_UP = 10  # frames
_LEAST_FRAMES = 15
_BETWEEN = 5  # frames after each one with a tick, as when 60 ticks a second are shown at 360 Hz
_MOST_SECONDS = (
    4.0  # for one count of sprites: in software a frame of 100,000 takes a twentieth of a second
)

_SINGLE_SPRITES, _SINGLE_ROUNDS = 10_000, 30
_HEAVY = 1_000_000
_STARTS = 5

_ROUNDS, _BLOCK = (
    4,
    500,
)  # of the three ways to collect, in turn; frames of each in a round, at most


# -- figures ---------------------------------------------------------------------------------------


@dataclass
class Timing:
    """Measured times in microseconds."""

    median: float
    p95: float
    p99: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Timing:
        return cls(
            *(float(value) for value in np.percentile(np.asarray(seconds) * 1e6, (50, 95, 99)))
        )


@dataclass
class Row:
    """All figures of one count of sprites or meshes; times in microseconds."""

    count: int
    frames: int
    update: Timing
    """The game's own numpy."""
    hand_over: Timing
    """previous ◄ current, finding what changed, and the upload."""
    submit: Timing
    """The draw call."""
    frame: Timing
    """A whole frame with one tick."""
    between: Timing
    """A whole frame without a tick; five follow each tick, of which the first finds the caches
    cold.
    """
    tick_bytes: float
    """Uploaded by the batch in a frame with a tick."""
    between_bytes: float
    hand_written_hand_over: Timing
    hand_written_submit: Timing
    ours: Timing
    """Hand-over and submit together."""
    hand_written: Timing
    """The same of the hand-written program."""
    ratio: float
    """The median of ours over that of the hand-written program."""


@dataclass
class Memory:
    """Bytes that one sprite of a large batch takes."""

    count: int
    ram: float
    gpu: float


@dataclass
class SpritesReport:
    machine: Machine
    rows: list[Row]
    nanoseconds_singly: float
    """To move and turn one sprite through its object: three properties read and written."""
    memory: Memory | None


@dataclass
class MeshesReport:
    machine: Machine
    rows: list[Row]


@dataclass
class Garbage:
    """Frames of a game with many objects; the work of each, without what is collected in its slack,
    in microseconds.
    """

    live_objects: int
    frames: int
    managed: Timing
    managed_p999: float
    """999 of 1000 frames took no longer."""
    automatic: Timing
    """The same where Python collects as it does by itself."""
    automatic_p999: float
    never: Timing
    """The same without any collection: what the machine itself does to a frame now and then."""
    never_p999: float


@dataclass
class LoopReport:
    machine: Machine
    frames: int
    tick: Timing
    frame: Timing
    between: Timing
    garbage: Garbage
    import_seconds: list[float]
    first_picture_seconds: list[float]


# -- sprites and meshes ----------------------------------------------------------------------------


def measure_sprites(
    counts: Sequence[int], frames: int, memory: bool = False, progress: bool = False
) -> SpritesReport:
    """All figures of `framework bench sprites`; see `SpritesReport`."""
    machine, rows = _measure(Swarm, "sprites", counts, frames, progress)
    return SpritesReport(machine, rows, _nanoseconds_singly(), _weigh(_HEAVY) if memory else None)


def measure_meshes(counts: Sequence[int], frames: int, progress: bool = False) -> MeshesReport:
    """All figures of `framework bench meshes`; see `MeshesReport`."""
    return MeshesReport(*_measure(Cubes, "cubes", counts, frames, progress))


def _measure(
    kind: type[Measured], what: str, counts: Sequence[int], frames: int, progress: bool
) -> tuple[Machine, list[Row]]:
    rows = []
    machine = None
    for count in counts:
        with kind(count) as game:
            machine = machine or this_machine(game)
            rows.append(_measure_game(game, f"{count:,} {what}", frames, progress))
            game.hand_written.release()
    assert machine is not None
    return machine, rows


def _measure_game(swarm: Measured, what: str, frames: int, progress: bool) -> Row:
    for _ in range(_WARM_UP):
        swarm.advance(_TICK)
        _hand_written_frame(swarm)
    ours: list[tuple[float, ...]] = []
    theirs: list[tuple[float, float]] = []
    between: list[tuple[float, ...]] = []
    for frame in _paced(frames, what, progress):
        for ours_now in (True, False) if frame % 2 else (False, True):  # neither always goes first
            if ours_now:
                ours.append(_our_frame(swarm))
                between += [_frame_between(swarm) for _ in range(_BETWEEN)]
            else:
                theirs.append(_hand_written_frame(swarm))
    update, hand_over, submit, frame_time, uploaded = np.array(ours).T
    their_hand_over, their_submit = np.array(theirs).T
    between_time, between_uploaded = np.array(between).T
    both, their_both = Timing.of(hand_over + submit), Timing.of(their_hand_over + their_submit)
    return Row(
        count=swarm.count,
        frames=len(ours),
        update=Timing.of(update),
        hand_over=Timing.of(hand_over),
        submit=Timing.of(submit),
        frame=Timing.of(frame_time),
        between=Timing.of(between_time),
        tick_bytes=float(np.median(uploaded)),
        between_bytes=float(np.median(between_uploaded)),
        hand_written_hand_over=Timing.of(their_hand_over),
        hand_written_submit=Timing.of(their_submit),
        ours=both,
        hand_written=their_both,
        ratio=both.median / their_both.median,
    )


def _paced(frames: int, what: str, progress: bool) -> Iterator[int]:
    """Numbers of frames to measure: ``frames``, or fewer where they take too long. A bar shows the
    progress.
    """
    start = time.perf_counter()
    with progress_bar(frames, "frame", progress, what) as bar:
        for frame in range(frames):
            if frame >= _LEAST_FRAMES and time.perf_counter() - start > _MOST_SECONDS:
                return
            yield frame
            bar.update()


def _our_frame(swarm: Measured) -> tuple[float, ...]:
    batch = swarm.driven
    batch.handing_over = batch.submitting = swarm.updating = 0.0
    uploaded = batch.uploaded_bytes
    frame = _seconds_of_frame(swarm, _TICK)
    return (
        swarm.updating,
        batch.handing_over,
        batch.submitting,
        frame,
        batch.uploaded_bytes - uploaded,
    )


def _hand_written_frame(swarm: Measured) -> tuple[float, float]:
    swarm.update_hand_written()
    program = swarm.hand_written
    program.prepare()
    start = time.perf_counter()
    program.hand_over()
    middle = time.perf_counter()
    program.draw(swarm.timestep.alpha)
    end = time.perf_counter()
    swarm.picture.ctx.finish()
    return middle - start, end - middle


def _frame_between(swarm: Measured) -> tuple[float, ...]:
    uploaded = swarm.driven.uploaded_bytes
    return _seconds_of_frame(swarm, 0), swarm.driven.uploaded_bytes - uploaded


def _seconds_of_frame(game: Game, frame_time: Fraction | int) -> float:
    """Let so many seconds of the game's time pass; how long that took."""
    start = time.perf_counter()
    game.advance(frame_time)
    seconds = time.perf_counter() - start
    game.picture.ctx.finish()  # what the GPU still does is not to fall on the next to be measured
    return seconds


def _nanoseconds_singly() -> float:
    """Median time to move and turn one sprite through its object."""
    batch = SpriteBatch(SPRITE, count=_SINGLE_SPRITES)
    sprites = list(batch)
    times = []
    for _ in range(_SINGLE_ROUNDS):
        start = time.perf_counter()
        for sprite in sprites:
            sprite.x += 1.5
            sprite.y += 0.5
            sprite.angle += 0.01
        times.append(time.perf_counter() - start)
    return float(np.median(times)) / _SINGLE_SPRITES * 1e9


def _weigh(count: int) -> Memory:
    """The memory of a batch that has moved and turned."""
    with Game(size=SIZE, headless=True) as game:
        tracemalloc.start()
        try:
            batch = game.add(SpriteBatch(SPRITE, count=count))
            drawing = drawing_of(batch)
            assert drawing is not None
            for _ in range(3):
                drawing.begin_tick(1 / 60)
                batch.position += 1
                batch.angle += 0.1
                drawing.end_tick()
                drawing.hand_over()
            ram, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        return Memory(count, ram / count, drawing.gpu_bytes / count)


# -- the loop --------------------------------------------------------------------------------------


def measure_loop(frames: int, progress: bool = False) -> LoopReport:
    """All figures of `framework bench loop`; see `LoopReport`."""
    ticks, whole, between = [], [], []
    with Game(size=SIZE, headless=True) as game:
        machine = this_machine(game)
        for _ in range(_WARM_UP):
            game.advance(_TICK)
        for _ in _paced(frames, "empty frames", progress):
            whole.append(_seconds_of_frame(game, _TICK))
            ticks.append(float(game.debug.monitor.series("update", 1)[0]) / 1e3)
            between.append(_seconds_of_frame(game, 0))
    return LoopReport(
        machine=machine,
        frames=len(whole),
        tick=Timing.of(ticks),
        frame=Timing.of(whole),
        between=Timing.of(between),
        garbage=_measure_garbage(frames, progress),
        import_seconds=[float(_python(_IMPORT)[0]) for _ in range(_STARTS)],
        first_picture_seconds=[_python(_FIRST_PICTURE)[1] for _ in range(_STARTS)],
    )


def _measure_garbage(frames: int, progress: bool) -> Garbage:
    """Frames as a window would pace them, but without the wait: what it would leave is the
    collector's slack.
    """
    block = max(_LEAST_FRAMES, min(_BLOCK, frames // _ROUNDS))
    times: dict[str, list[float]] = {"managed": [], "automatic": [], "never": []}
    collector = Collector()
    enabled = gc.isenabled()
    with Littering(size=SIZE, headless=True) as game:
        try:
            kinds = [*times] * _ROUNDS
            for kind in with_progress(kinds, len(kinds), "it", progress, "garbage"):
                gc.enable()
                gc.collect()
                if kind == "managed":
                    collector.begin()
                elif kind == "never":
                    gc.disable()
                times[kind] += _littering_frames(game, collector, block)
                collector.end()
        finally:
            collector.end()
            (gc.enable if enabled else gc.disable)()
        for thing in game.live:
            del thing.other
    p999 = {f"{kind}_p999": float(np.percentile(times[kind], 99.9)) * 1e6 for kind in times}
    timings = {kind: Timing.of(times[kind]) for kind in times}
    return Garbage(live_objects=LIVE_OBJECTS, frames=_ROUNDS * block, **timings, **p999)  # type: ignore[arg-type]


def _littering_frames(game: Littering, collector: Collector, frames: int) -> list[float]:
    """Seconds of work of each frame. The collector does nothing unless it has begun."""
    slack, times = round(float(_TICK) * 1e9), []
    for _ in range(frames + _WARM_UP):
        start = time.perf_counter()
        game.advance(_TICK)
        collector.relieve()
        times.append(time.perf_counter() - start)
        game.picture.ctx.finish()
        collector.use(slack - round(times[-1] * 1e9))
    return times[_WARM_UP:]


# All that a game of sprites loads, not only the package's first file.
_IMPORT = """
import time
start = time.perf_counter()
from framework import Game, SpriteBatch, run
print(time.perf_counter() - start)
"""

_FIRST_PICTURE = """
import numpy as np
import framework as fw

class First(fw.Game):
    def setup(self):
        self.add(fw.SpriteBatch(np.full((8, 8, 4), 255, np.uint8), count=100))

with First(headless=True) as game:
    game.run(1)
    print(game.pixels().shape)
"""


def _python(code: str) -> tuple[str, float]:
    """What a fresh Python prints, and the seconds from its start to its end."""
    start = time.perf_counter()
    done = run_python(code)
    seconds = time.perf_counter() - start
    if done.returncode:
        raise FrameworkError(f"A fresh Python could not draw:\n{done.stderr}")
    return done.stdout, seconds
