"""Background loading: a thread that decodes images while the game runs.

The time of loading depends on the machine, so rules of a game must not depend on it. A game sets a
simulated time at which it needs the images. At that time, the game waits for the thread if some
images are not ready.
"""

from __future__ import annotations

__all__ = ["ImageLoading"]

import os
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextvars import Context, copy_context
from fractions import Fraction
from functools import partial
from threading import Lock, Thread
from typing import Any, TypeVar
from weakref import WeakSet

from ..arrays import Pixels
from ..resources import Folder
from ..timing.routines import wait
from ..timing.schedule import duration
from .images import ImageSource, LateImage, checked_source, load, sizes

T = TypeVar("T")


class Worker:
    """A thread that runs one job at a time, in the order of a queue. The thread ends when no job is
    left.
    """

    not_state = True

    def __init__(self) -> None:
        self._jobs: deque[tuple[Context, Future[Any], Callable[[], Any]]] = deque()
        self._lock = Lock()
        self._working = False
        self._job: tuple[Context, Future[Any], Callable[[], Any]] | None = None  # the running one
        _workers.add(self)

    def submit(self, call: Callable[[], T]) -> Future[T]:
        """Add ``call`` to the jobs of the thread, and return a `Future` of the result of ``call``."""
        job: Future[T] = Future()
        self.put(job, call)
        return job

    def put(self, job: Future[T], call: Callable[[], T], first: bool = False) -> None:
        """Add ``call`` to the jobs of the thread. ``job`` is the `Future` that receives the result
        of ``call``. With ``first``, ``call`` is the next job that the thread runs.

        While the thread runs ``call``, the framework's current game is the game that has called
        `put`.
        """
        entry = copy_context(), job, call
        with self._lock:
            (self._jobs.appendleft if first else self._jobs.append)(entry)
            begins = not self._working
            self._working = True
        if begins:
            self._start()

    def _start(self) -> None:
        Thread(target=self._work, name="background", daemon=True).start()

    def continue_after_fork(self) -> None:
        """Called in a forked process, which has no copy of the thread: start the thread again. The
        job that was running starts from its beginning.
        """
        self._lock = Lock()
        if self._job is not None:
            context, job, call = self._job
            self._jobs.appendleft((context.copy(), job, call))
        if self._working:
            self._start()

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._jobs:
                    self._working = False
                    return
                self._job = self._jobs.popleft()
            context, job, call = self._job
            context.run(_do, job, call)
            self._job = None


def _continue_after_fork() -> None:
    for worker in [*_workers]:
        worker.continue_after_fork()


_workers: WeakSet[Worker] = WeakSet()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_continue_after_fork)


def _do(job: Future[Any], call: Callable[[], Any]) -> None:
    try:
        job.set_result(call())
    except BaseException as error:
        job.set_exception(error)


class BackgroundImage(LateImage):
    """An image that a thread decodes for an `ImageLoading`. Use a background image like any other
    image.

    A `SpriteBatch` shows a background image as soon as the image is decoded. Any other code that
    uses a background image waits until the image is decoded.
    """

    not_state = True

    def __init__(
        self,
        source: ImageSource,
        size: tuple[int, int],
        folders: Sequence[Folder],
        worker: Worker,
        patient: bool,
    ) -> None:
        self.source = source
        self.size = size
        self.patient = patient
        self._worker = worker
        self._job = worker.submit(lambda: load(source, folders))

    @property
    def done(self) -> bool:
        """Whether the thread has decoded the image, or has failed to decode it."""
        return self._job.done()

    def pixels(self) -> Pixels:
        """Wait until the image is decoded, and return its pixels. Raises the same errors as
        `images.load`.
        """
        return self._job.result()

    def then(self, make: Callable[[Pixels], T]) -> Future[T]:
        """Call ``make(pixels)`` in the thread, before the thread decodes its next image. Return a
        `Future`, which receives the result of ``make``.
        """
        result: Future[T] = Future()
        self._job.add_done_callback(
            lambda job: self._worker.put(result, lambda: make(job.result()), first=True)
        )
        return result


class ImageLoading:
    """Images that a thread decodes: the result of `Scene.load_images`.

    Use the list ``images`` where a list of images is expected, for example in a `SpriteBatch`. The
    property `progress` is for a progress bar.
    """

    not_state = True

    def __init__(
        self, sources: Sequence[ImageSource], folders: Sequence[Folder], patient: bool, begins: bool
    ) -> None:
        worker, self._folders = Worker(), folders
        known_sizes = sizes([checked_source("sources", source) for source in sources], folders)
        self.images: list[ImageSource] = list(sources)
        """The images to use in the game: one image per source, in the same order."""
        if begins:
            self.images = [
                BackgroundImage(source, size, folders, worker, patient)
                for source, size in zip(sources, known_sizes, strict=True)
            ]

    def __len__(self) -> int:
        """The number of images that are loaded."""
        return len(self.images)

    @property
    def progress(self) -> float:
        """The share of images that are already decoded, from 0 to 1. Use ``progress`` for a
        progress bar. Rules of a game must not depend on ``progress``, which differs between
        machines.
        """
        late = [image for image in self.images if isinstance(image, BackgroundImage)]
        return sum(image.done for image in late) / len(late) if late else 1.0

    def wait(self) -> None:
        """Wait until all images are decoded. Raises `AssetError` if an image cannot be decoded."""
        for image in self.images:
            if isinstance(image, BackgroundImage):
                image.pixels()

    async def within(self, seconds: float | Fraction) -> None:
        """Wait ``seconds`` of simulated time in a routine: ``await images.within(2)``.

        When the wait ends, all images are decoded. On a slow machine, the last tick of the wait
        lasts until the images are ready, so that ticks are the same in every run. Raises
        `AssetError` if an image cannot be decoded.
        """
        await wait(duration("seconds", seconds) or 1)
        self.wait()


def pixels_calls(loading: ImageLoading) -> list[Callable[[], Pixels]]:
    """Return a list with one function per image. Each returned function waits until its image is
    decoded, and returns the pixels.
    """
    return [partial(load, image, loading._folders) for image in loading.images]
