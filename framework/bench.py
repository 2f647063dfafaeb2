"""What the framework costs on this machine: `framework bench sprites`, `bench meshes` and `bench loop`.

Sprites and meshes are measured beside a hand-written moderngl program that draws the same (`handwritten`), frame by
frame in turn within one run, so that whatever else the machine does falls on both. Everything is drawn off screen, in
a small picture with small things: the subject is the CPU's time until control returns, not how fast pixels are filled.
"""

from __future__ import annotations

import dataclasses
import gc
import importlib.util
import json
import os
import platform
import sys
import time
import tracemalloc
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from . import __version__, quaternions
from .errors import FrameworkError
from .game import Game
from .garbage import Collector
from .handwritten import HandWritten, HandWrittenCubes
from .mesh import Mesh
from .meshes import MeshBatch
from .processes import run_python
from .sprites import SpriteBatch

_SIZE = (320, 200)
_SPRITE = np.full((2, 2, 4), 255, np.uint8)
_TICK = Fraction(1, 60)

_WARM_UP = 10  # frames
_LEAST_FRAMES = 15
_BETWEEN = 5  # frames after each one with a tick, as when 60 ticks a second are shown at 360 Hz
_MOST_SECONDS = 4.0  # for one count of sprites: in software a frame of 100,000 takes a twentieth of a second

_SINGLE_SPRITES, _SINGLE_ROUNDS = 10_000, 30
_HEAVY = 1_000_000
_STARTS = 5

_LIVE_OBJECTS, _LITTERING_SPRITES = 200_000, 50_000
_PAIRS, _KEPT_TICKS = 100, 30  # objects that refer to each other, made in each tick, and how long they live
_ROUNDS, _BLOCK = 4, 500  # of the three ways to collect, in turn; frames of each in a round

_NOOP = "GALLIUM_NOOP"
_MALLOC = {
    "MALLOC_TRIM_THRESHOLD_": "1000000000",
    "MALLOC_TOP_PAD_": "67108864",
    "MALLOC_MMAP_THRESHOLD_": "33554432",
}
_STEADY = "SUBTICK_BENCH_STEADY"


def steady_malloc() -> None:
    """On Linux, start this process once more with settings that keep glibc from giving memory back to the system.

    Mesa's software drivers allocate and free large blocks every frame. By default glibc returns some of them to the
    kernel each time, or not, by chance of where they lie: the same program then takes once or twice the time. The
    settings are read when a process begins, hence the new start.
    """
    if not sys.platform.startswith("linux") or os.environ.get(_STEADY):
        return
    sys.stdout.flush()
    sys.stderr.flush()
    environment = {**_MALLOC, **os.environ, _STEADY: "1"}
    os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], environment)


# -- figures -----------------------------------------------------------------------------------------------------------


@dataclass
class Timing:
    """Measured times in microseconds."""

    median: float
    p95: float
    p99: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Timing:
        return cls(*(float(value) for value in np.percentile(np.asarray(seconds) * 1e6, (50, 95, 99))))


@dataclass
class Machine:
    """Where the figures come from."""

    system: str
    processor: str
    cores: int
    versions: dict[str, str]
    renderer: str
    gl: str
    noop: bool
    malloc_settings: dict[str, str]
    measured_at: str


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
    """A whole frame without a tick; five follow each tick, of which the first finds the caches cold."""
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
    """Frames of a game with many objects; the work of each, without what is collected in its slack, in microseconds."""

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


def to_json(report: SpritesReport | MeshesReport | LoopReport) -> str:
    return json.dumps(dataclasses.asdict(report), indent=2) + "\n"


def _machine(game: Game) -> Machine:
    import importlib.metadata as metadata

    libraries = ("pyglet", "moderngl", "numpy", "pyrr", "Pillow")
    info = game.ctx.info
    return Machine(
        system=platform.platform(),
        processor=_processor(),
        cores=os.cpu_count() or 1,
        versions={
            "subtick": __version__,
            "python": platform.python_version(),
            **{name: metadata.version(name) for name in libraries},
        },
        renderer=info["GL_RENDERER"],
        gl=info["GL_VERSION"],
        noop=_noop(),
        malloc_settings={name: os.environ[name] for name in _MALLOC if name in os.environ},
        measured_at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def _noop() -> bool:
    return os.environ.get(_NOOP, "").lower() in ("1", "true", "yes", "y")


# -- sprites and meshes ------------------------------------------------------------------------------------------------


class _Timed:
    """Before a batch: notes how long its parts take within the game's own frames."""

    handing_over = submitting = 0.0

    def begin_tick(self, dt: float) -> None:
        start = time.perf_counter()
        super().begin_tick(dt)  # type: ignore[misc]
        self.handing_over += time.perf_counter() - start

    def end_tick(self) -> None:
        start = time.perf_counter()
        super().end_tick()  # type: ignore[misc]
        self.handing_over += time.perf_counter() - start

    def hand_over(self) -> None:
        start = time.perf_counter()
        super().hand_over()  # type: ignore[misc]
        self.handing_over += time.perf_counter() - start

    def draw(self) -> None:
        start, before = time.perf_counter(), self.handing_over
        super().draw()  # type: ignore[misc]  # hands over first
        self.submitting += time.perf_counter() - start - (self.handing_over - before)


class _TimedSprites(_Timed, SpriteBatch):
    pass


class _TimedMeshes(_Timed, MeshBatch):
    pass


class _Measured(Game):
    """A game whose ``batch`` moves ``count`` things, and the same ones for a hand-written program."""

    batch: Any
    hand_written: HandWritten | HandWrittenCubes

    def __init__(self, count: int) -> None:
        self.count = count
        self.updating = 0.0
        super().__init__(size=_SIZE, headless=True, background=(0, 0, 0))

    def update_hand_written(self) -> None:
        """Move the hand-written program's columns by a tick."""
        raise NotImplementedError


class Swarm(_Measured):
    """Sprites that fly, turn, and bounce off the walls."""

    def setup(self) -> None:
        self.batch = self.add(_TimedSprites(_SPRITE, count=self.count, filter="nearest"))
        self.batch.position[:] = self.random.uniform((0, 0), self.size, (self.count, 2))
        self.batch.angle[:] = self.random.uniform(-3, 3, self.count)
        self.step = self.random.uniform(-2, 2, (self.count, 2)).astype(np.float32)
        self.spin = self.random.uniform(-0.1, 0.1, self.count).astype(np.float32)
        self.x, self.y = (self.batch.position[:, axis].copy() for axis in (0, 1))
        self.angle = self.batch.angle.copy()
        self.step_x, self.step_y = (self.step[:, axis].copy() for axis in (0, 1))
        self.hand_written = HandWritten(self.ctx, _SPRITE, (self.x, self.y, self.angle), self.size)

    def update(self, dt: float) -> None:
        start = time.perf_counter()
        position, angle = self.batch.position, self.batch.angle
        _bounce(position, self.step, self.size)
        angle += self.spin
        self.updating += time.perf_counter() - start

    def update_hand_written(self) -> None:
        _bounce(self.x, self.step_x, self.width)
        _bounce(self.y, self.step_y, self.height)
        self.angle += self.spin


class Cubes(_Measured):
    """Cubes that drift and tumble."""

    def setup(self) -> None:
        random, count = self.random, self.count
        self.batch = self.world.add(_TimedMeshes(Mesh.cube(0.2), count))
        self.batch.position[:] = random.uniform(-20, 20, (count, 3)) - (0, 0, 25)
        self.batch.rotation[:] = quaternions.from_vectors(random.normal(0, 2, (count, 3)).astype(np.float32))
        self.drift = random.uniform(-0.01, 0.01, (count, 3)).astype(np.float32)
        self.spin = quaternions.from_vectors(random.normal(0, 0.05, (count, 3)).astype(np.float32))
        self.columns = self.batch.position.copy(), self.batch.rotation.copy()
        mesh = self.batch.mesh
        self.world.camera.near = 0.5
        view_projection = np.asarray(self.world.camera.view_projection(), np.float32)
        self.hand_written = HandWrittenCubes(self.ctx, (mesh.positions, mesh.normals), mesh.indices, self.columns)
        self.hand_written.look(view_projection)

    def update(self, dt: float) -> None:
        start = time.perf_counter()
        self._tumble(self.batch.position, self.batch.rotation)
        self.updating += time.perf_counter() - start

    def update_hand_written(self) -> None:
        self._tumble(*self.columns)

    def _tumble(self, position: NDArray[np.float32], rotation: NDArray[np.float32]) -> None:
        position += self.drift
        rotation[:] = quaternions.multiply(self.spin, rotation)


def _bounce(position: NDArray[np.float32], step: NDArray[np.float32], size: float | tuple[float, float]) -> None:
    position += step
    np.negative(step, out=step, where=(position < 0) | (position > size))


def measure_sprites(counts: Sequence[int], frames: int, memory: bool = False, progress: bool = False) -> SpritesReport:
    """All figures of `framework bench sprites`; see `SpritesReport`."""
    machine, rows = _measure(Swarm, "sprites", counts, frames, progress)
    return SpritesReport(machine, rows, _nanoseconds_singly(), _weigh(_HEAVY) if memory else None)


def measure_meshes(counts: Sequence[int], frames: int, progress: bool = False) -> MeshesReport:
    """All figures of `framework bench meshes`; see `MeshesReport`."""
    return MeshesReport(*_measure(Cubes, "cubes", counts, frames, progress))


def _measure(
    kind: type[_Measured], what: str, counts: Sequence[int], frames: int, progress: bool
) -> tuple[Machine, list[Row]]:
    rows = []
    machine = None
    for count in counts:
        with kind(count) as game:
            machine = machine or _machine(game)
            rows.append(_measure_game(game, f"{count:,} {what}", frames, progress))
            game.hand_written.release()
    assert machine is not None
    return machine, rows


def _measure_game(swarm: _Measured, what: str, frames: int, progress: bool) -> Row:
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
    """Numbers of frames to measure: ``frames``, or fewer where they take too long. A bar shows the progress."""
    start = time.perf_counter()
    # None shows the bar on a terminal only.
    with tqdm(total=frames, desc=what, unit="frame", file=sys.stderr, disable=False if progress else None) as bar:
        for frame in range(frames):
            if frame >= _LEAST_FRAMES and time.perf_counter() - start > _MOST_SECONDS:
                return
            yield frame
            bar.update()


def _our_frame(swarm: _Measured) -> tuple[float, ...]:
    batch = swarm.batch
    batch.handing_over = batch.submitting = swarm.updating = 0.0
    uploaded = batch.uploaded_bytes
    start = time.perf_counter()
    swarm.advance(_TICK)
    frame = time.perf_counter() - start
    swarm.ctx.finish()  # what the GPU still does is not to fall on the next to be measured
    return swarm.updating, batch.handing_over, batch.submitting, frame, batch.uploaded_bytes - uploaded


def _hand_written_frame(swarm: _Measured) -> tuple[float, float]:
    swarm.update_hand_written()
    program = swarm.hand_written
    program.prepare()
    start = time.perf_counter()
    program.hand_over()
    middle = time.perf_counter()
    program.draw(swarm.timestep.alpha)
    end = time.perf_counter()
    swarm.ctx.finish()
    return middle - start, end - middle


def _frame_between(swarm: _Measured) -> tuple[float, ...]:
    uploaded = swarm.batch.uploaded_bytes
    start = time.perf_counter()
    swarm.advance(0)
    frame = time.perf_counter() - start
    swarm.ctx.finish()
    return frame, swarm.batch.uploaded_bytes - uploaded


def _nanoseconds_singly() -> float:
    """Median time to move and turn one sprite through its object."""
    batch = SpriteBatch(_SPRITE, count=_SINGLE_SPRITES)
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
    with Game(size=_SIZE, headless=True) as game:
        tracemalloc.start()
        try:
            batch = game.add(SpriteBatch(_SPRITE, count=count))
            for _ in range(3):
                batch.begin_tick(1 / 60)
                batch.position += 1
                batch.angle += 0.1
                batch.end_tick()
                batch.hand_over()
            ram, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        return Memory(count, ram / count, batch.gpu_bytes / count)


# -- the loop ----------------------------------------------------------------------------------------------------------


class _Empty(Game):
    """Nothing to do: all of the time is the framework's own."""

    ticking = 0.0

    def _run_ticks(self, now: int) -> None:
        start = time.perf_counter()
        super()._run_ticks(now)
        self.ticking = time.perf_counter() - start


class _Thing:
    """An object that refers to others."""

    other: _Thing


class _Littering(Game):
    """Moving sprites, many live objects, and garbage that only the collector finds, some of it not so young."""

    def setup(self) -> None:
        self.batch = self.add(SpriteBatch(_SPRITE, count=_LITTERING_SPRITES, filter="nearest"))
        self.step = self.random.uniform(-2, 2, (_LITTERING_SPRITES, 2)).astype(np.float32)
        self.live = [_Thing() for _ in range(_LIVE_OBJECTS)]
        for thing in self.live:
            thing.other = thing
        self.litter: list[list[_Thing]] = []

    def update(self, dt: float) -> None:
        _bounce(self.batch.position, self.step, self.size)
        made = []
        for _ in range(_PAIRS):
            one, other = _Thing(), _Thing()
            one.other, other.other = other, one
            made.append(one)
        self.litter.append(made)
        if len(self.litter) > _KEPT_TICKS:
            del self.litter[0]


def _measure_garbage(progress: bool) -> Garbage:
    """Frames as a window would pace them, but without the wait: what it would leave is the collector's slack."""
    times: dict[str, list[float]] = {"managed": [], "automatic": [], "never": []}
    collector = Collector()
    enabled = gc.isenabled()
    with _Littering(size=_SIZE, headless=True) as game:
        try:
            for kind in tqdm([*times] * _ROUNDS, "garbage", file=sys.stderr, disable=False if progress else None):
                gc.enable()
                gc.collect()
                if kind == "managed":
                    collector.begin()
                elif kind == "never":
                    gc.disable()
                times[kind] += _littering_frames(game, collector)
                collector.end()
        finally:
            collector.end()
            (gc.enable if enabled else gc.disable)()
        for thing in game.live:
            del thing.other
    p999 = {f"{kind}_p999": float(np.percentile(times[kind], 99.9)) * 1e6 for kind in times}
    timings = {kind: Timing.of(times[kind]) for kind in times}
    return Garbage(live_objects=_LIVE_OBJECTS, frames=_ROUNDS * _BLOCK, **timings, **p999)  # type: ignore[arg-type]


def _littering_frames(game: _Littering, collector: Collector) -> list[float]:
    """Seconds of work of each frame. The collector does nothing unless it has begun."""
    slack, times = round(float(_TICK) * 1e9), []
    for _ in range(_BLOCK + _WARM_UP):
        start = time.perf_counter()
        game.advance(_TICK)
        collector.relieve()
        times.append(time.perf_counter() - start)
        game.ctx.finish()
        collector.use(slack - round(times[-1] * 1e9))
    return times[_WARM_UP:]


def measure_loop(frames: int, progress: bool = False) -> LoopReport:
    """All figures of `framework bench loop`; see `LoopReport`."""
    ticks, whole, between = [], [], []
    with _Empty(size=_SIZE, headless=True) as game:
        machine = _machine(game)
        for _ in range(_WARM_UP):
            game.advance(_TICK)
        for _ in _paced(frames, "empty frames", progress):
            start = time.perf_counter()
            game.advance(_TICK)
            whole.append(time.perf_counter() - start)
            ticks.append(game.ticking)
            game.ctx.finish()
            start = time.perf_counter()
            game.advance(0)
            between.append(time.perf_counter() - start)
            game.ctx.finish()
    return LoopReport(
        machine=machine,
        frames=len(whole),
        tick=Timing.of(ticks),
        frame=Timing.of(whole),
        between=Timing.of(between),
        garbage=_measure_garbage(progress),
        import_seconds=[float(_python(_IMPORT)[0]) for _ in range(_STARTS)],
        first_picture_seconds=[_python(_FIRST_PICTURE)[1] for _ in range(_STARTS)],
    )


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


# -- tables and plots --------------------------------------------------------------------------------------------------


def sprites_table(report: SpritesReport) -> str:
    """The report as text to be read on a terminal."""
    text = [
        *_rows_table(report.machine, "sprites", report.rows),
        "",
        f"One sprite moved and turned through its object (x, y, angle): {report.nanoseconds_singly:.0f} ns",
    ]
    if report.memory is not None:
        memory = report.memory
        text.append(
            f"Memory a sprite, of {memory.count:,}: {memory.ram:.0f} bytes of RAM, {memory.gpu:.0f} bytes of GPU memory"
        )
    return "\n".join([*text, *_noop_hint(report.machine, "sprites")])


def meshes_table(report: MeshesReport) -> str:
    """The report as text to be read on a terminal."""
    return "\n".join([*_rows_table(report.machine, "cubes", report.rows), *_noop_hint(report.machine, "meshes")])


def _noop_hint(machine: Machine, what: str) -> list[str]:
    if "Mesa" not in machine.gl or machine.noop:
        return []
    return ["", f"On Mesa, {_NOOP}=1 framework bench {what} draws nothing and so measures the pure CPU cost."]


def _rows_table(machine: Machine, what: str, rows: list[Row]) -> list[str]:
    heading = (
        what, "", "update", "hand-over", "submit", "frame", "between",
        "by hand:", "submit", "ratio", "bytes/tick", "between",
    )  # fmt: skip
    lines: list[tuple[str, ...]] = [heading]
    for row in rows:
        for name in ("median", "p95", "p99"):
            first = name == "median"
            timings = (
                row.update, row.hand_over, row.submit, row.frame, row.between,
                row.hand_written_hand_over, row.hand_written_submit,
            )  # fmt: skip
            lines.append(
                (
                    f"{row.count:,}" if first else "",
                    name,
                    *(_microseconds(getattr(timing, name)) for timing in timings),
                    f"{row.ratio:.2f}" if first else "",
                    f"{row.tick_bytes:,.0f}" if first else "",
                    f"{row.between_bytes:,.0f}" if first else "",
                )
            )
    frames = sorted({row.frames for row in rows})
    told = f"{frames[0]}" if len(frames) == 1 else f"{frames[0]} to {frames[-1]}"
    return [
        _heading(machine),
        f"CPU time in microseconds until control returns, of {told} frames. All of them move and turn in each tick.",
        "frame: a whole one with a tick; between: a whole one without. By hand: hand-over and submit of a minimal",
        "moderngl program that draws the same, interleaved; ratio: hand-over + submit, ours over the hand-written.",
        "",
        *_aligned(lines),
    ]


def loop_table(report: LoopReport) -> str:
    """The report as text to be read on a terminal."""
    lines: list[tuple[str, ...]] = [("", "median", "p95", "p99")]
    for name, timing in (
        ("tick", report.tick),
        ("frame with a tick", report.frame),
        ("frame between", report.between),
    ):
        lines.append((name, *(_microseconds(value) for value in (timing.median, timing.p95, timing.p99))))
    return "\n".join(
        [
            _heading(report.machine),
            f"An empty game's own CPU time in microseconds, of {report.frames} frames.",
            "",
            *_aligned(lines),
            "",
            *_garbage_lines(report.garbage),
            "",
            f"Import of all that a game loads: {_median_seconds(report.import_seconds)}",
            f"From start to end of a program that draws and reads one picture: "
            f"{_median_seconds(report.first_picture_seconds)}",
        ]
    )


def _garbage_lines(garbage: Garbage) -> list[str]:
    lines: list[tuple[str, ...]] = [("", "median", "p99", "p99.9", "p99.9 / median")]
    for name, timing, p999 in (
        ("kept out of frames", garbage.managed, garbage.managed_p999),
        ("automatic", garbage.automatic, garbage.automatic_p999),
        ("none at all", garbage.never, garbage.never_p999),
    ):
        ratio = f"{p999 / timing.median:.2f}"
        lines.append((name, *(_microseconds(value) for value in (timing.median, timing.p99, p999)), ratio))
    return [
        f"Garbage collection, in microseconds of work of {garbage.frames} frames each, in turn:",
        f"{garbage.live_objects:,} live objects, {2 * _PAIRS} more made and as many dropped a tick, and "
        f"{_LITTERING_SPRITES:,} moving sprites.",
        "",
        *_aligned(lines),
    ]


def _heading(machine: Machine) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in machine.versions.items())
    driver = f"{machine.renderer}; OpenGL {machine.gl}"
    if machine.noop:
        driver += f"; {_NOOP} is set: nothing is drawn"
    return f"{driver}\n{machine.processor}, {machine.cores} cores; {versions}"


def _median_seconds(seconds: list[float]) -> str:
    return f"{float(np.median(seconds)):.2f} s (median of {len(seconds)} fresh processes)"


def _microseconds(value: float) -> str:
    return f"{value:,.1f}" if value < 100 else f"{value:,.0f}"


def _aligned(lines: list[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return ["  ".join(f"{cell:>{width}}" for cell, width in zip(line, widths, strict=True)) for line in lines]


def check_plotting() -> None:
    """Raises `FrameworkError` with the command that gets matplotlib where it is missing."""
    if importlib.util.find_spec("matplotlib") is None:
        raise FrameworkError("--plot needs matplotlib: python -m pip install 'subtick[plot]'")


def plot_sprites(report: SpritesReport, path: Path) -> None:
    """Draw time against the count of sprites, both axes logarithmic, into an image file."""
    check_plotting()
    from matplotlib.figure import Figure

    counts = [row.count for row in report.rows]
    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.add_subplot()
    for label, style, values in (
        ("hand-written moderngl: hand-over + submit of a tick", "s-#30638e", [row.hand_written for row in report.rows]),
        ("framework: the same", "o-#d1495b", [row.ours for row in report.rows]),
        ("framework: a whole frame between two ticks", "D:#3c9d5f", [row.between for row in report.rows]),
    ):
        marker, line, color = style[0], style[1], style[2:]
        last = f"{_microseconds(values[-1].median)} µs at {counts[-1]:,}"
        medians = [timing.median for timing in values]
        axes.plot(counts, medians, marker=marker, linestyle=line, color=color, linewidth=2, label=f"{label} ({last})")
    axes.set(
        xscale="log", yscale="log", xlabel="sprites, all moving and turning", ylabel="CPU time, µs (median)",
        title="What moving sprites cost" + (" (driver that draws nothing)" if report.machine.noop else ""),
    )  # fmt: skip
    axes.margins(y=0.3)
    axes.set_xticks(counts, [f"{count:,}" for count in counts])
    axes.xaxis.minorticks_off()
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.6g}")
    axes.grid(which="both", alpha=0.3)
    axes.legend(loc="upper left")
    figure.supxlabel(f"{report.machine.renderer}; {report.machine.processor}", fontsize=8, color="0.4")
    try:
        figure.savefig(path, dpi=120)
    except (OSError, ValueError) as error:
        raise FrameworkError(f"The plot cannot be written to {os.fspath(path)!r}: {error}") from error
