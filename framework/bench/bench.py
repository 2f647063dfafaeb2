"""Measure the CPU time of sprites, meshes and the game loop on this machine.

The commands are `framework bench sprites`, `bench meshes` and `bench loop`. For sprites and meshes,
the framework is compared with programs that draw the same images with moderngl directly
(`moderngl_baseline`). The two draw frames alternately, so that other programs on the machine slow
down both equally. Small sprites are drawn into a small image (`scenarios`), so that the CPU time is
measured, and not how fast the GPU fills pixels. All times are CPU times of the thread that runs the
game (`cpu_time`).
"""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ..errors import FrameworkError
from ..game.game import Game
from ..plane.sprite_drawing import drawing_of
from ..plane.sprites import SpriteBatch
from ..watch.garbage import GarbageCollector
from . import cpu_time
from .machine_info import Machine, this_machine
from .processes import run_python
from .progress import progress_bar, with_progress
from .scenarios import LIVE_OBJECTS, SIZE, SPRITE, Cubes, GarbageGame, Measured, Swarm

_TICK = Fraction(1, 60)

_WARM_UP = 10  # frames
_MIN_FRAMES = 15
# How many frames without a tick follow each frame with a tick, as for 60 ticks per second on a 360
# Hz display.
_BETWEEN = 5
# The time limit for each batch size. A software driver takes 0.05 seconds to draw a frame with
# 100,000 sprites.
_MAX_SECONDS = 4.0

_SINGLE_SPRITES = 10_000
_SINGLE_ROUNDS = 30
_MEMORY_SPRITES = 1_000_000
_STARTS = 5
# Each measurement covers several ticks, because a tick of an empty game takes no longer than
# reading the clock.
_TICKS_IN_A_ROW = 20

FAULTS = 16
"""With Mesa's no-op driver, frames with more page faults than `FAULTS` are left out of the results.
If a program writes to a buffer that earlier commands may still use, Mesa gives the buffer new
memory. The driver of a GPU takes this memory from a pool. The no-op driver frees old memory too
late, so in some frames the new memory comes from the operating system, page by page. Such a frame
takes several times longer, although the program makes the same OpenGL calls as in other frames.
"""

_ROUNDS = 4  # each round measures all three ways to collect garbage
_BLOCK = 500  # the maximum number of frames that a round measures for each way


# -- figures ---------------------------------------------------------------------------------------


def microseconds_at(seconds: Sequence[float], ranks: Sequence[float]) -> list[float]:
    """Return percentiles of the times ``seconds``, in microseconds. Rank 0 is the minimum, and rank
    50 is the median.
    """
    values: list[float] = np.percentile(np.asarray(seconds) * 1e6, ranks).tolist()
    return values


@dataclass
class Timing:
    """The minimum, the median, and the 95th and 99th percentiles of the measured times, in
    microseconds.
    """

    minimum: float
    median: float
    p95: float
    p99: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Timing:
        return cls(*microseconds_at(seconds, (0, 50, 95, 99)))


@dataclass
class SizeResult:
    """The measured times for one batch size, in microseconds."""

    count: int
    frames: int
    faulted: int
    """The number of frames in which the no-op driver got new memory from the operating system.
    These frames are left out of the percentiles: see `FAULTS`.
    """
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
    """The time of a whole frame without a tick. Five such frames follow each tick. In the first of
    them, the CPU caches are cold.
    """
    tick_bytes: float
    """The number of bytes that the batch uploads in a frame with a tick."""
    between_bytes: float
    hand_written_hand_over: Timing
    hand_written_submit: Timing
    ours: Timing
    """The time that the framework needs for the upload (``hand_over``) and the draw call
    (``submit``).
    """
    hand_written: Timing
    """The time that the hand-written program needs for the upload and the draw call."""
    ratio: float
    """The framework's median divided by the median of the hand-written program."""


@dataclass
class Memory:
    """The memory that a large batch uses, in bytes per sprite."""

    count: int
    ram: float
    gpu: float


@dataclass
class SpritesReport:
    machine: Machine
    rows: list[SizeResult]
    nanoseconds_singly: float
    """The time to move and rotate one sprite through its `Sprite` object, in nanoseconds (median of
    all rounds). The benchmark reads and writes three properties.
    """
    minimum_singly: float
    """The minimum of `nanoseconds_singly` in all rounds."""
    nanoseconds_slots: float
    """The time to move and rotate one Python object with ``__slots__``, the fastest kind of Python
    object, in nanoseconds (median of all rounds). The loops for sprites and for objects run
    alternately.
    """
    minimum_slots: float
    memory: Memory | None


@dataclass
class MeshesReport:
    machine: Machine
    rows: list[SizeResult]


@dataclass
class Garbage:
    """The frame times of a game with many Python objects, in microseconds.

    Garbage collections that run while the game is waiting are not included.
    """

    live_objects: int
    frames: int
    managed: Timing
    managed_p999: float
    """The 99.9th percentile of the frame times."""
    automatic: Timing
    """The frame times with Python's automatic garbage collection."""
    automatic_p999: float
    never: Timing
    """The frame times without any garbage collection, which show how much the times on this machine
    vary without it.
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
    """The CPU time of ``import framework`` in several new processes, in seconds, for all threads
    together.
    """
    first_picture_seconds: list[float]
    """The CPU time of whole processes, in seconds. Each process draws one image and reads its
    pixels.
    """


# -- sprites and meshes ----------------------------------------------------------------------------


def measure_sprites(
    counts: Sequence[int], frames: int, memory: bool = False, progress: bool = False
) -> SpritesReport:
    """Run the benchmark of `framework bench sprites`, and return the measured times."""
    # Measure this first, because large batches fragment the memory.
    singly = _measure_singly()
    machine, rows = _measure(Swarm, "sprites", counts, frames, progress)
    return SpritesReport(
        machine, rows, *singly, _measure_memory(_MEMORY_SPRITES) if memory else None
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
            rows.append(
                _measure_game(game, f"{count:,} {what}", frames, progress, noop=machine.noop)
            )
            game.hand_written.release()
    assert machine is not None
    return machine, rows


class _Frame(NamedTuple):
    """The measurements of one frame: CPU times in seconds, the number of uploaded bytes, and the
    number of page faults. Numbers that were not measured are 0.
    """

    faults: int
    frame: float = 0.0
    update: float = 0.0
    hand_over: float = 0.0
    submit: float = 0.0
    uploaded: int = 0


def _frames_in_turn(
    swarm: Measured, numbers: Iterable[int]
) -> tuple[list[_Frame], list[_Frame], list[_Frame]]:
    """Measure frames of this framework and of the hand-written program in turns. Return the frames
    with a tick, the frames between two ticks, and the frames of the hand-written program.
    """
    ours: list[_Frame] = []
    between: list[_Frame] = []
    theirs: list[_Frame] = []
    for number in numbers:
        # both programs take turns to be first in a frame
        for is_ours in (True, False) if number % 2 else (False, True):
            if is_ours:
                ours.append(_our_frame(swarm))
                between += [_frame_between(swarm) for _ in range(_BETWEEN)]
            else:
                theirs.append(_hand_written_frame(swarm))
    return ours, between, theirs


def _measure_game(
    swarm: Measured, description: str, frames: int, progress: bool, noop: bool = False
) -> SizeResult:
    for _ in range(_WARM_UP):
        swarm.advance(_TICK)
        _hand_written_frame(swarm)
    ours, between, theirs = _frames_in_turn(swarm, _paced(frames, description, progress))
    steady = _without_faults(ours, noop)
    steady_between = _without_faults(between, noop)
    hand_written = _without_faults(theirs, noop)
    our_total = Timing.of([frame.hand_over + frame.submit for frame in steady])
    their_total = Timing.of([frame.hand_over + frame.submit for frame in hand_written])
    return SizeResult(
        count=swarm.count,
        frames=len(steady),
        faulted=len(ours) - len(steady),
        update=Timing.of([frame.update for frame in steady]),
        hand_over=Timing.of([frame.hand_over for frame in steady]),
        submit=Timing.of([frame.submit for frame in steady]),
        frame=Timing.of([frame.frame for frame in steady]),
        between=Timing.of([frame.frame for frame in steady_between]),
        tick_bytes=float(np.median([frame.uploaded for frame in steady])),
        between_bytes=float(np.median([frame.uploaded for frame in steady_between])),
        hand_written_hand_over=Timing.of([frame.hand_over for frame in hand_written]),
        hand_written_submit=Timing.of([frame.submit for frame in hand_written]),
        ours=our_total,
        hand_written=their_total,
        ratio=our_total.median / their_total.median,
    )


def _paced(frames: int, description: str, progress: bool) -> Iterator[int]:
    """Yield the numbers of ``frames`` frames to measure, or of fewer if the frames take too long,
    and show a progress bar.
    """
    start = time.perf_counter()
    with progress_bar(frames, "frame", progress, description) as bar:
        for frame in range(frames):
            if frame >= _MIN_FRAMES and time.perf_counter() - start > _MAX_SECONDS:
                return
            yield frame
            bar.update()


def _our_frame(swarm: Measured) -> _Frame:
    batch = swarm.driven
    batch.handing_over = batch.submitting = swarm.updating = 0.0
    batch.readings = 2  # `update` reads the clock twice
    uploaded = batch.uploaded_bytes
    faults = cpu_time.page_faults()
    frame = _seconds_of_frame(swarm, _TICK) - batch.readings * cpu_time.reading_seconds()
    return _Frame(
        faults=cpu_time.page_faults() - faults,
        frame=frame,
        update=swarm.updating,
        hand_over=batch.handing_over,
        submit=batch.submitting,
        uploaded=batch.uploaded_bytes - uploaded,
    )


def _hand_written_frame(swarm: Measured) -> _Frame:
    swarm.update_hand_written()
    program = swarm.hand_written
    program.prepare()
    faults = cpu_time.page_faults()
    start = cpu_time.seconds()
    program.hand_over()
    hand_over = cpu_time.seconds_since(start)
    start = cpu_time.seconds()
    program.draw(swarm.timestep.alpha)
    submit = cpu_time.seconds_since(start)
    swarm.picture.ctx.finish()
    return _Frame(cpu_time.page_faults() - faults, hand_over=hand_over, submit=submit)


def _frame_between(swarm: Measured) -> _Frame:
    batch = swarm.driven
    batch.readings = 0
    uploaded = batch.uploaded_bytes
    faults = cpu_time.page_faults()
    frame = _seconds_of_frame(swarm, 0) - batch.readings * cpu_time.reading_seconds()
    faults = cpu_time.page_faults() - faults
    return _Frame(faults, frame, uploaded=batch.uploaded_bytes - uploaded)


def _without_faults(frames: list[_Frame], noop: bool) -> list[_Frame]:
    """If OpenGL uses the no-op driver, remove frames with many page faults: see `FAULTS`.

    If nearly all frames have page faults, return all frames, because then page faults are normal on
    this machine.
    """
    steady = [frame for frame in frames if frame.faults <= FAULTS]
    return steady if noop and len(steady) >= max(1, len(frames) // 4) else frames


def _seconds_of_frame(game: Game, frame_time: Fraction | int) -> float:
    """Advance the game by ``frame_time`` seconds, and return how long the call to `Game.advance`
    took, in seconds.
    """
    start = cpu_time.seconds()
    game.advance(frame_time)
    seconds = cpu_time.seconds_since(start)
    game.picture.ctx.finish()  # so that the next measurement does not include the GPU's work
    return seconds


class _SlotsSprite:
    """The fastest kind of Python object with an x, a y and an angle."""

    __slots__ = ("angle", "x", "y")

    def __init__(self) -> None:
        self.x = self.y = self.angle = 0.0


def _measure_singly() -> tuple[float, float, float, float]:
    """Measure how long it takes to move and rotate one sprite through its `Sprite` object, and a
    Python object with slots. Return four times in nanoseconds: the median and the minimum for a
    sprite, and then for an object with slots.
    """
    sprites = list(SpriteBatch(SPRITE, count=_SINGLE_SPRITES))
    objects = [_SlotsSprite() for _ in range(_SINGLE_SPRITES)]
    times: list[list[float]] = [[], []]
    for turn in range(_SINGLE_ROUNDS):
        for kind in (0, 1) if turn % 2 else (1, 0):  # both loops take turns to be first in a round
            start = cpu_time.seconds()
            if kind == 0:
                _move_sprites(sprites)
            else:
                _move_objects(objects)
            times[kind].append(cpu_time.seconds_since(start))
    ours, slots = (np.array(measured) / _SINGLE_SPRITES * 1e9 for measured in times)
    return float(np.median(ours)), float(ours.min()), float(np.median(slots)), float(slots.min())


# Two functions, because Python optimizes a function for the class of its arguments.
def _move_sprites(sprites: list[Any]) -> None:
    for sprite in sprites:
        sprite.x += 1.5
        sprite.y += 0.5
        sprite.angle += 0.01


def _move_objects(objects: list[_SlotsSprite]) -> None:
    for sprite in objects:
        sprite.x += 1.5
        sprite.y += 0.5
        sprite.angle += 0.01


def _measure_memory(count: int) -> Memory:
    """Return the memory that a batch of ``count`` sprites uses, after every sprite has been moved
    and rotated once.
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
            between.append(_seconds_of_frame(game, 0))
            start = cpu_time.seconds()
            game.run_ticks(_TICKS_IN_A_ROW)
            ticks.append(cpu_time.seconds_since(start) / _TICKS_IN_A_ROW)
    return LoopReport(
        machine=machine,
        frames=len(frame_times),
        tick=Timing.of(ticks),
        frame=Timing.of(frame_times),
        between=Timing.of(between),
        garbage=_measure_garbage(frames, progress),
        import_seconds=[_python(_IMPORT) for _ in range(_STARTS)],
        first_picture_seconds=[_python(_FIRST_PICTURE) for _ in range(_STARTS)],
    )


def _measure_garbage(frames: int, progress: bool) -> Garbage:
    """Measure the frames of a game that creates a lot of garbage, in three ways: the garbage is
    collected by `GarbageCollector`, automatically by Python, or not at all. There is no pause
    between two frames.
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
    """Return the time of each frame in seconds. ``collector`` works only after its method `begin`
    was called.
    """
    slack = round(float(_TICK) * 1e9)
    times = []
    for _ in range(frames + _WARM_UP):
        start = cpu_time.seconds()
        game.advance(_TICK)
        collector.relieve()
        times.append(cpu_time.seconds_since(start))
        game.picture.ctx.finish()
        collector.use(slack - round(times[-1] * 1e9))
    return times[_WARM_UP:]


# Imports everything that a game with sprites needs.
_IMPORT = """
import time
start = time.process_time()
from framework import Game, SpriteBatch, run
print(time.process_time() - start)
"""

# The CPU time of a process includes the start of Python.
_FIRST_PICTURE = """
import time
import numpy as np
import framework as fw

class First(fw.Game):
    def setup(self):
        self.add(fw.SpriteBatch(np.full((8, 8, 4), 255, np.uint8), count=100))

with First(headless=True) as game:
    game.run(1)
    game.pixels()
print(time.process_time())
"""


def _python(code: str) -> float:
    """Run ``code`` in a new Python process, and return the number that it prints."""
    done = run_python(code)
    if done.returncode:
        raise FrameworkError(f"A new Python process could not draw:\n{done.stderr}")
    return float(done.stdout)
