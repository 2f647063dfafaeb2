"""Benchmarks: measures the CPU time of sprites, meshes and the game loop on this machine.

The commands are `framework bench sprites`, `bench meshes` and `bench loop`. The times of sprites
and meshes are compared with the times of hand-written moderngl programs that draw the same images
(`moderngl_baseline`). The framework and the hand-written program take turns, one frame each, so
that other programs on the machine slow down both. The benchmarks draw small sprites into a small
image (`scenarios`), so they measure CPU time, not how fast the GPU fills pixels.
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
from ..watch.garbage import GarbageCollector
from .machine_info import Machine, this_machine
from .processes import run_python
from .progress import progress_bar, with_progress
from .scenarios import LIVE_OBJECTS, SIZE, SPRITE, Cubes, GarbageGame, Measured, Swarm

_TICK = Fraction(1, 60)

_WARM_UP = 10  # frames
_MIN_FRAMES = 15
# frames after each frame with a tick, as with 60 ticks per second on a display of 360 Hz
_BETWEEN = 5
# for one count of sprites: software drivers take a twentieth of a second for a frame of 100,000
_MAX_SECONDS = 4.0

_SINGLE_SPRITES = 10_000
_SINGLE_ROUNDS = 30
_MEMORY_SPRITES = 1_000_000
_STARTS = 5

_ROUNDS = 4  # of the three kinds of collection
_BLOCK = 500  # the most frames of each kind in a round


# -- figures ---------------------------------------------------------------------------------------


@dataclass
class Timing:
    """Percentiles of measured times, in microseconds: the median, 95 % and 99 %."""

    median: float
    p95: float
    p99: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Timing:
        return cls(
            *(float(value) for value in np.percentile(np.asarray(seconds) * 1e6, (50, 95, 99)))
        )


@dataclass
class SizeResult:
    """The times in microseconds for one number of sprites or meshes."""

    count: int
    frames: int
    update: Timing
    """The time of the game's own NumPy code in `update`."""
    hand_over: Timing
    """The time to copy the current state to the previous state, to find the changes, and to upload
    them.
    """
    submit: Timing
    """The CPU time of the draw call."""
    frame: Timing
    """The time of a whole frame with one tick."""
    between: Timing
    """The time of a whole frame without a tick.

    Five such frames follow each tick. The first frame after a tick has cold CPU caches.
    """
    tick_bytes: float
    """The number of bytes that the batch uploads in a frame with a tick."""
    between_bytes: float
    hand_written_hand_over: Timing
    hand_written_submit: Timing
    ours: Timing
    """The time of the upload (``hand_over``) and the draw call (``submit``) of the framework."""
    hand_written: Timing
    """The time of the upload and the draw call of the hand-written program."""
    ratio: float
    """The framework's median divided by the median of the hand-written program."""


@dataclass
class Memory:
    """The memory of a large batch, in bytes per sprite."""

    count: int
    ram: float
    gpu: float


@dataclass
class SpritesReport:
    machine: Machine
    rows: list[SizeResult]
    nanoseconds_singly: float
    """The time in nanoseconds to move and turn one sprite through its `Sprite` object. The program
    reads and writes three properties.
    """
    memory: Memory | None


@dataclass
class MeshesReport:
    machine: Machine
    rows: list[SizeResult]


@dataclass
class Garbage:
    """How long frames take in a game with many objects, in microseconds.

    The times do not include garbage collections that run while the game waits.
    """

    live_objects: int
    frames: int
    managed: Timing
    managed_p999: float
    """99.9 % of the frames take this time or less."""
    automatic: Timing
    """How long frames take with Python's automatic garbage collection."""
    automatic_p999: float
    never: Timing
    """How long frames take without any garbage collection. The values show the noise of the machine
    itself.
    """
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
    """Run the benchmark of `framework bench sprites`, and return the measured times."""
    machine, rows = _measure(Swarm, "sprites", counts, frames, progress)
    return SpritesReport(
        machine, rows, _nanoseconds_singly(), _measure_memory(_MEMORY_SPRITES) if memory else None
    )


def measure_meshes(counts: Sequence[int], frames: int, progress: bool = False) -> MeshesReport:
    """Run the benchmark of `framework bench meshes`, and return the measured times."""
    return MeshesReport(*_measure(Cubes, "cubes", counts, frames, progress))


def _measure(
    kind: type[Measured], what: str, counts: Sequence[int], frames: int, progress: bool
) -> tuple[Machine, list[SizeResult]]:
    rows = []
    machine = None
    for count in counts:
        with kind(count) as game:
            machine = machine or this_machine(game)
            rows.append(_measure_game(game, f"{count:,} {what}", frames, progress))
            game.hand_written.release()
    assert machine is not None
    return machine, rows


def _measure_game(swarm: Measured, description: str, frames: int, progress: bool) -> SizeResult:
    for _ in range(_WARM_UP):
        swarm.advance(_TICK)
        _hand_written_frame(swarm)
    ours: list[tuple[float, ...]] = []
    theirs: list[tuple[float, float]] = []
    between: list[tuple[float, ...]] = []
    for frame in _paced(frames, description, progress):
        # the first of the two alternates
        for is_ours in (True, False) if frame % 2 else (False, True):
            if is_ours:
                ours.append(_our_frame(swarm))
                between += [_frame_between(swarm) for _ in range(_BETWEEN)]
            else:
                theirs.append(_hand_written_frame(swarm))
    update, hand_over, submit, frame_time, uploaded = np.array(ours).T
    their_hand_over, their_submit = np.array(theirs).T
    between_time, between_uploaded = np.array(between).T
    our_total = Timing.of(hand_over + submit)
    their_total = Timing.of(their_hand_over + their_submit)
    return SizeResult(
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
        ours=our_total,
        hand_written=their_total,
        ratio=our_total.median / their_total.median,
    )


def _paced(frames: int, description: str, progress: bool) -> Iterator[int]:
    """Yield a number for each frame to measure, and show a progress bar. At most ``frames`` frames
    are measured. If frames take too long, the generator stops earlier.
    """
    start = time.perf_counter()
    with progress_bar(frames, "frame", progress, description) as bar:
        for frame in range(frames):
            if frame >= _MIN_FRAMES and time.perf_counter() - start > _MAX_SECONDS:
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
    """Advance the game by ``frame_time`` seconds. Return how many seconds the call of
    `Game.advance` took.
    """
    start = time.perf_counter()
    game.advance(frame_time)
    seconds = time.perf_counter() - start
    game.picture.ctx.finish()  # so that the GPU's work does not count in the next measurement
    return seconds


def _nanoseconds_singly() -> float:
    """Return the median time to move and turn one sprite through its `Sprite` object, in
    nanoseconds.
    """
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


def _measure_memory(count: int) -> Memory:
    """Return how much memory a batch of ``count`` sprites uses. All sprites have moved and turned
    before the measurement.
    """
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
    """Run the benchmark of `framework bench loop`, and return the measured times."""
    ticks = []
    frame_times = []
    between = []
    with Game(size=SIZE, headless=True) as game:
        machine = this_machine(game)
        for _ in range(_WARM_UP):
            game.advance(_TICK)
        for _ in _paced(frames, "empty frames", progress):
            frame_times.append(_seconds_of_frame(game, _TICK))
            ticks.append(float(game.debug.frame_stats.series("update", 1)[0]) / 1e3)
            between.append(_seconds_of_frame(game, 0))
    return LoopReport(
        machine=machine,
        frames=len(frame_times),
        tick=Timing.of(ticks),
        frame=Timing.of(frame_times),
        between=Timing.of(between),
        garbage=_measure_garbage(frames, progress),
        import_seconds=[float(_python(_IMPORT)[0]) for _ in range(_STARTS)],
        first_picture_seconds=[_python(_FIRST_PICTURE)[1] for _ in range(_STARTS)],
    )


def _measure_garbage(frames: int, progress: bool) -> Garbage:
    """Measure the frames of a game with much garbage: with `GarbageCollector`, with Python's
    automatic garbage collection, and without garbage collection. The frames follow each other
    without waiting.
    """
    block = max(_MIN_FRAMES, min(_BLOCK, frames // _ROUNDS))
    times: dict[str, list[float]] = {"managed": [], "automatic": [], "never": []}
    collector = GarbageCollector()
    enabled = gc.isenabled()
    with GarbageGame(size=SIZE, headless=True) as game:
        try:
            kinds = [*times] * _ROUNDS
            for kind in with_progress(kinds, len(kinds), "it", progress, "garbage"):
                gc.enable()
                gc.collect()
                if kind == "managed":
                    collector.begin()
                elif kind == "never":
                    gc.disable()
                times[kind] += _garbage_frames(game, collector, block)
                collector.end()
        finally:
            collector.end()
            (gc.enable if enabled else gc.disable)()
        for node in game.live:
            del node.other
    p999 = {f"{kind}_p999": float(np.percentile(times[kind], 99.9)) * 1e6 for kind in times}
    timings = {kind: Timing.of(times[kind]) for kind in times}
    return Garbage(live_objects=LIVE_OBJECTS, frames=_ROUNDS * block, **timings, **p999)  # type: ignore[arg-type]


def _garbage_frames(game: GarbageGame, collector: GarbageCollector, frames: int) -> list[float]:
    """Return how long each frame took, in seconds. ``collector`` only works if its method `begin`
    was called before.
    """
    slack = round(float(_TICK) * 1e9)
    times = []
    for _ in range(frames + _WARM_UP):
        start = time.perf_counter()
        game.advance(_TICK)
        collector.relieve()
        times.append(time.perf_counter() - start)
        game.picture.ctx.finish()
        collector.use(slack - round(times[-1] * 1e9))
    return times[_WARM_UP:]


# Imports everything that a game with sprites needs.
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
    """Run ``code`` in a new Python process. Return the output of the process, and how long it took
    in seconds.
    """
    start = time.perf_counter()
    done = run_python(code)
    seconds = time.perf_counter() - start
    if done.returncode:
        raise FrameworkError(f"A new Python process could not draw:\n{done.stderr}")
    return done.stdout, seconds
