"""Measure Subtick and other engines that draw the same scene (`framework bench --vs`).

Each engine runs in its own process. First, the benchmark compares each engine's image with
Subtick's image, and leaves out engines whose images differ. Then it measures the engines
alternately, for some frames each. While one engine is working, the others wait.

For each frame, one or two CPU times are measured. The first is the CPU time of the engine's thread
until the engine's draw function returns. On a machine with a GPU, this is the CPU time that a game
needs. On a machine without a GPU, Mesa's no-op driver replaces the GPU in this measurement. The
second is the CPU time of the whole process until all pixels are drawn. It is measured only on a
machine without a GPU.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ..errors import FrameworkError
from ..game.game import Game
from .bench import Timing
from .machine_info import NOOP, Machine, this_machine
from .peer_scene import BACKGROUND, OBJECTS, SIZE, SPARK_TICKS
from .peer_table import Peer, missing_environments, pick_peers, python_of
from .processes import framework_environment
from .progress import progress_bar
from .worker_process import WorkerError, WorkerProcess

SUBTICK = "subtick"
COLUMNS = "subtick, columns"
DIFFERENT = 0.25
"""The largest accepted difference between two images of the same scene: see `image_difference`. If
all positions are equal, the difference is about 0.01. If an engine rotates sprites only in steps of
5 degrees, it is about 0.15. If images are mirrored, it is 1.8.
"""
COVERAGE = 0.03
"""The largest accepted difference between the `coverage` of two images, relative to the coverage of
Subtick's image.
"""

_SPRITES = 200  # in the compared images; with so few sprites, only few overlap
_BLUR = 4  # pixels
# A covered pixel differs from the background by more than this value, on a scale from 0 to 255.
_SEEN = 24
_BLOCK_SECONDS = 0.12
_MAX_BLOCK = 60
_TOO_SLOW = 3.0  # in seconds; an engine with slower frames is not measured
_WARM_UP = 3
# Mesa's no-op driver crashes if a thread submits the commands of some programs (pyglet, raylib).
_GALLIUM_THREAD = "GALLIUM_THREAD"
_SOFTWARE = ("llvmpipe", "softpipe", "swrast", "SWR", "Software", "Basic Render")


@dataclass
class PeerResult:
    """The times of an engine for one number of objects, in microseconds."""

    name: str
    version: str
    count: int
    thread: Timing
    """The CPU time of the engine's thread until its draw function returns."""
    process: Timing | None
    """The CPU time of the process until the CPU has drawn all pixels. On a machine with a GPU, the
    value is None.
    """
    ratio: float
    """This engine's median time divided by Subtick's median time in the same round (median of all
    rounds).
    """


@dataclass
class PictureCheck:
    """The difference between an engine's image and Subtick's image."""

    name: str
    difference: float
    coverage: float
    same: bool


@dataclass
class VersusReport:
    """All results of `framework bench … --vs`."""

    machine: Machine
    scene: str
    rounds: int
    rows: list[PeerResult]
    pictures: list[PictureCheck]
    failed: dict[str, str] = field(default_factory=dict)
    """The engines that were not measured, each with the reason."""
    caveats: list[str] = field(default_factory=list)


def image_difference(image: NDArray[np.uint8], reference: NDArray[np.uint8]) -> float:
    """Return the difference between two images, as a multiple of the contrast between ``reference``
    and the background of the scene.

    The images are compared at a reduced resolution, so that a difference of one pixel at an edge
    does not matter. The result is 0 if the images are equal, and about 2 if they are completely
    different.
    """
    if image.shape != reference.shape:
        return float("inf")
    coarse = _coarse(image)
    coarse_reference = _coarse(reference)
    contrast = float(np.abs(coarse_reference - np.array(BACKGROUND)).sum())
    return float(np.abs(coarse - coarse_reference).sum()) / max(contrast, 1.0)


def coverage(image: NDArray[np.uint8]) -> float:
    """Return the fraction of an image that is not background, from 0 to 1."""
    distance = np.abs(image.astype(np.int16) - np.array(BACKGROUND)).max(axis=2)
    return float((distance > _SEEN).mean())


def _coarse(image: NDArray[np.uint8]) -> NDArray[np.float64]:
    height, width, channels = (side // _BLUR * _BLUR for side in (*image.shape[:2], 3 * _BLUR))
    blocks = image[:height, :width].reshape(
        height // _BLUR, _BLUR, width // _BLUR, _BLUR, channels // _BLUR
    )
    coarse: NDArray[np.float64] = blocks.mean(axis=(1, 3))
    return coarse


@dataclass(frozen=True)
class _Contestant:
    """An engine in the comparison, with the data that is needed to start its process."""

    name: str
    python: str
    module: str
    first: tuple[str, ...]
    environment: dict[str, str | None]


def _contestants(peers: Sequence[Peer], scene: str, folder: Path) -> list[_Contestant]:
    own: dict[str, str | None] = dict(framework_environment())
    ours = [_Contestant(SUBTICK, sys.executable, "peer_subtick", ("objects",), own)]
    if scene == "sprites":
        ours.append(_Contestant(COLUMNS, sys.executable, "peer_subtick", ("columns",), own))
    theirs = [
        _Contestant(
            peer.name,
            str(python_of(peer, folder)),
            peer.module,
            (),
            {"PYTHONPATH": None, **peer.environment},
        )
        for peer in peers
    ]
    return ours + theirs


def compare(
    names: Sequence[str],
    scene: str,
    counts: Sequence[int],
    folder: Path,
    *,
    rounds: int = 7,
    progress: bool = False,
    pictures: Path | None = None,
) -> VersusReport:
    """Run the comparison of `framework bench … --vs`, and return the measured times.

    ``names`` are names of engines in `PEERS`. ``scene`` is "sprites" or "game". ``counts`` are the
    numbers of sprites. In the scene "game", the number of objects is fixed. ``folder`` contains the
    environments of the engines. If ``pictures`` is a folder, the compared images are written to it.

    Raises `FrameworkError` if a name is unknown, or if an engine has no Python environment yet.
    """
    peers = pick_peers(names, scene)
    missing = missing_environments(peers, folder)
    if missing:
        raise FrameworkError(
            f"--vs: there is no environment for {', '.join(peer.name for peer in missing)} in "
            f"{str(folder)!r}; --make-env creates it"
        )
    counts = counts if scene == "sprites" else [OBJECTS]
    with _ending_in_order(), _display(peers) as display, tempfile.TemporaryDirectory() as temporary:
        images = pictures or Path(temporary)
        match = _Match(scene, rounds, images, display, progress)
        contestants = _contestants(peers, scene, folder)
        contestants = match.check_pictures(contestants)
        for count in counts:
            match.measure(contestants, count)
    return VersusReport(
        machine=_machine(match.renderer),
        scene=scene,
        rounds=rounds,
        rows=match.rows,
        pictures=match.checks,
        failed=match.failed,
        caveats=_caveats(peers, scene, match.software),
    )


def _machine(renderer: str) -> Machine:
    with Game(size=(16, 16), headless=True) as game:
        machine = this_machine(game)
    # The renderer of the compared images. Every report mentions the pass that draws no pixels.
    return dataclasses.replace(machine, renderer=renderer, noop=False)


def _caveats(peers: Sequence[Peer], scene: str, software: bool) -> list[str]:
    caveats = [
        "In all engines, the same Python code updates the objects. The times include this code.",
        "Subtick interpolates each object between two ticks. The other engines do not interpolate.",
        *(peer.caveat for peer in peers if peer.caveat),
    ]
    if scene == "sprites":
        caveats.append('In the row "Subtick, columns", one line of NumPy moves all sprites.')
    else:
        caveats += [
            "The particles of Subtick move on the GPU. In the other engines, this benchmark moves "
            "3,000 objects in Python, because these engines have no particles on the GPU.",
            "The engines draw labels with different fonts. Arcade and pyglet play sounds without a "
            "sound device.",
        ]
    if software:
        caveats.insert(
            0,
            "This machine has no GPU. The first column is measured with a driver that draws no "
            "pixels. The last column is measured while the CPU draws all pixels. On a CPU, an "
            "engine that copies images (pygame-ce) needs less time than an OpenGL program. Players "
            "have a GPU, so the last column says little about their machines.",
        )
    return caveats


class _Match:
    """Measures several engines alternately."""

    def __init__(
        self, scene: str, rounds: int, images: Path, display: dict[str, str], progress: bool
    ) -> None:
        self.scene = scene
        self.rounds = rounds
        self.renderer = ""
        self.rows: list[PeerResult] = []
        self.checks: list[PictureCheck] = []
        self.failed: dict[str, str] = {}
        self._images = images
        self._display = display
        self._progress = progress
        self._versions: dict[str, str] = {}

    @property
    def software(self) -> bool:
        """Whether the CPU draws the pixels, because the machine has no GPU."""
        return any(name in self.renderer for name in _SOFTWARE)

    def _start(self, contestant: _Contestant, count: int, noop: bool) -> WorkerProcess:
        environment = {
            **contestant.environment,
            **self._display,
            NOOP: "1" if noop else None,
            _GALLIUM_THREAD: "0" if noop else None,
        }
        return WorkerProcess(
            contestant.name,
            contestant.python,
            contestant.module,
            [*contestant.first, self.scene, str(count)],
            environment,
        )

    def check_pictures(self, contestants: list[_Contestant]) -> list[_Contestant]:
        """Compare the images of the engines, and return the engines whose image is the same as
        Subtick's.
        """
        same = []
        reference = None
        with progress_bar(len(contestants), "engine", self._progress, "images") as bar:
            for contestant in contestants:
                try:
                    image = self._image(contestant)
                except WorkerError as error:
                    if contestant.name == SUBTICK:
                        raise
                    self.failed[contestant.name] = str(error)
                    continue
                finally:
                    bar.update()
                reference = image if reference is None else reference
                check = _check(contestant.name, image, reference)
                self.checks.append(check)
                if check.same:
                    same.append(contestant)
                else:
                    self.failed[contestant.name] = _other_image(check)
        return same

    def _image(self, contestant: _Contestant) -> NDArray[np.uint8]:
        count = _SPRITES if self.scene == "sprites" else OBJECTS
        path = self._images / f"{self.scene} {contestant.name}.png".replace(", ", " ")
        with self._start(contestant, count, noop=False) as worker:
            about = worker.call("about")
            self._versions[contestant.name] = about.get("version", "")
            if contestant.name == SUBTICK:
                self.renderer = about.get("renderer", "")
            worker.call("run", SPARK_TICKS)
            worker.call("picture", str(path))
        try:
            with Image.open(path) as image:
                return np.asarray(image.convert("RGB"))
        except OSError:
            raise WorkerError(f"{contestant.name}: the image cannot be read") from None

    def measure(self, contestants: list[_Contestant], count: int) -> None:
        """Measure all engines with ``count`` objects."""
        thread = self._times(contestants, count, noop=self.software, process=False)
        process: dict[str, list[list[float]]] = {}
        if self.software:
            measured = [each for each in contestants if each.name in thread]
            process = self._times(measured, count, noop=False, process=True)
        ours = thread.get(SUBTICK)
        for name, rounds in thread.items():
            ratios = [
                statistics.median(theirs) / statistics.median(our)
                for theirs, our in zip(rounds, ours or rounds, strict=True)
            ]
            self.rows.append(
                PeerResult(
                    name,
                    self._versions[name],
                    count,
                    _timing_of_all(rounds),
                    _timing_of_all(process[name]) if name in process else None,
                    statistics.median(ratios),
                )
            )

    def _times(
        self, contestants: Sequence[_Contestant], count: int, noop: bool, process: bool
    ) -> dict[str, list[list[float]]]:
        """Return the times of all frames of each engine, in seconds. In each round, every engine
        draws one block of frames.
        """
        with contextlib.ExitStack() as stack:
            workers: dict[str, tuple[WorkerProcess, int]] = {}
            description = f"{count:,} {'pixels' if process else 'commands'}"
            total = len(contestants) * (1 + self.rounds)
            with progress_bar(total, "block", self._progress, description) as bar:
                for contestant in contestants:
                    with self._failing(contestant.name, count):
                        worker = stack.enter_context(self._start(contestant, count, noop))
                        block = self._warm_up(worker, contestant.name, count)
                        workers[contestant.name] = worker, block
                    bar.update()
                times: dict[str, list[list[float]]] = {name: [] for name in workers}
                for turn in range(self.rounds):
                    for name in reversed(workers) if turn % 2 else workers:
                        if name in times:
                            worker, block = workers[name]
                            with self._failing(name, count, times):
                                frames = worker.call("frames", block)
                                times[name].append([frame[process] for frame in frames])
                        bar.update()
        return times

    def _warm_up(self, worker: WorkerProcess, name: str, count: int) -> int:
        """Run the first frames of an engine, and return the number of frames in a block. Raise
        `WorkerError` if the engine is too slow.
        """
        if self.scene == "game":
            # Run frames until the number of particles is constant.
            worker.call("run", SPARK_TICKS)
        # The time until all pixels are drawn limits the length of a block.
        seconds: float = worker.call("frames", _WARM_UP)[-1][1]
        if seconds > _TOO_SLOW:
            raise WorkerError(
                f"{name}: a frame takes {seconds:.1f} s at {count:,}, "
                f"which is more than {_TOO_SLOW:g} s"
            )
        return max(2, min(_MAX_BLOCK, round(_BLOCK_SECONDS / max(seconds, 1e-6))))

    @contextlib.contextmanager
    def _failing(
        self, name: str, count: int, times: dict[str, list[list[float]]] | None = None
    ) -> Iterator[None]:
        """Return a context manager for calls to an engine. If the engine fails, the reason is
        stored, and the comparison continues with the other engines. If Subtick itself fails, the
        error is raised.
        """
        try:
            yield
        except WorkerError as error:
            if name == SUBTICK:
                raise
            self.failed[f"{name} at {count:,}"] = str(error)
            if times is not None:
                times.pop(name, None)


def _timing_of_all(rounds: list[list[float]]) -> Timing:
    return Timing.of([seconds for block in rounds for seconds in block])


def _check(name: str, image: NDArray[np.uint8], reference: NDArray[np.uint8]) -> PictureCheck:
    difference = image_difference(image, reference)
    covered = coverage(image) / max(coverage(reference), 1e-9) - 1
    same = difference <= DIFFERENT and abs(covered) <= COVERAGE
    return PictureCheck(name, difference, covered, same)


def _other_image(check: PictureCheck) -> str:
    """Return the reason why an engine is not measured: its image is not that of Subtick."""
    return (
        f"{check.name} draws another image than Subtick (difference "
        f"{check.difference:.2f}, at most {DIFFERENT}; coverage "
        f"{check.coverage:+.0%}), so its times say nothing; --pictures DIR "
        "writes the images"
    )


@contextlib.contextmanager
def _ending_in_order() -> Iterator[None]:
    """Return a context manager that ends the processes of all engines if this process receives
    SIGTERM.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, frame: object) -> None:
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextlib.contextmanager
def _display(peers: Sequence[Peer]) -> Iterator[dict[str, str]]:
    """If an engine needs an X display, yield the environment variable for it. For a machine without
    a display, start a virtual one.
    """
    needing = [peer.name for peer in peers if peer.needs_display]
    if not needing or os.environ.get("DISPLAY"):
        yield {}
        return
    xvfb = shutil.which("Xvfb")
    if xvfb is None:
        raise FrameworkError(
            f"--vs: {', '.join(needing)} needs a display; set DISPLAY, or install Xvfb "
            "(apt-get install xvfb)"
        )
    with _virtual_display(xvfb) as name:
        yield {"DISPLAY": name}


@contextlib.contextmanager
def _virtual_display(xvfb: str) -> Iterator[str]:
    """Run the program ``xvfb``, and yield the name of its display, such as ":1"."""
    reader, writer = os.pipe()
    screen = ["-screen", "0", f"{2 * SIZE[0]}x{2 * SIZE[1]}x24", "-nolisten", "tcp", "-noreset"]
    process = subprocess.Popen(
        [xvfb, "-displayfd", str(writer), *screen],
        pass_fds=[writer],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        os.close(writer)
        with os.fdopen(reader) as answers:
            number = answers.readline().strip()  # the line is empty if Xvfb has ended
        if not number:
            raise FrameworkError("--vs: Xvfb did not start a display; set DISPLAY")
        yield f":{number}"
    finally:
        process.terminate()
        process.wait()
