"""Decode images in a background thread while the game runs.

The rules of a game must not depend on how long images take to load, because this differs between
machines. Therefore, a game sets the simulated time at which it needs the images. If an image is not
ready by then, the game waits for the background thread.
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
    """A background thread that runs jobs in the order in which they were added, except for jobs
    that `put` adds first. The thread ends when all jobs are done.
    """

    not_state = True

    def __init__(self) -> None:
        self._jobs: deque[tuple[Context, Future[Any], Callable[[], Any]]] = deque()
        self._lock = Lock()
        self._working = False
        # The job that is running.
        self._job: tuple[Context, Future[Any], Callable[[], Any]] | None = None
        _workers.add(self)

    def submit(self, call: Callable[[], T]) -> Future[T]:
        """Add a job: the thread will call ``call``. Return a `Future` for the value that ``call``
        returns.
        """
        job: Future[T] = Future()
        self.put(job, call)
        return job

    def put(self, job: Future[T], call: Callable[[], T], first: bool = False) -> None:
        """Add a job: the thread will call ``call``. ``job`` is the `Future` for the value that
        ``call`` returns. If ``first`` is True, the thread runs the new job before all waiting jobs.

        While ``call`` runs, the current game (`current_game`) is the game that called `put`.
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
        """Start the thread again in a forked process, because a fork does not copy threads. Python
        calls this method after a fork. A job that was running in the old process starts again in
        the new one.
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
    """An image that a background thread decodes, for an `ImageLoading`. You can use a
    `BackgroundImage` like any other image.

    A `SpriteBatch` shows the image as soon as the thread has decoded it. Other code that needs the
    pixels waits for the thread.
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
        """Whether the thread has finished decoding the image, even if an error occurred."""
        return self._job.done()

    def pixels(self) -> Pixels:
        """Wait until the thread has decoded the image, and return the pixels. If decoding failed,
        raise the error, as `images.load` does.
        """
        return self._job.result()

    def then(self, make: Callable[[Pixels], T]) -> Future[T]:
        """Make the thread call ``make(pixels)`` after this image is decoded, before the next one.
        Return a `Future` for the result of ``make``.
        """
        result: Future[T] = Future()
        self._job.add_done_callback(
            lambda job: self._worker.put(result, lambda: make(job.result()), first=True)
        )
        return result


class ImageLoading:
    """A list of images that a background thread decodes. `Scene.load_images` returns an
    `ImageLoading`.

    You can use its list ``images`` before the images are decoded, for example in a `SpriteBatch`.
    To show a progress bar, use `progress`.
    """

    not_state = True

    def __init__(
        self, sources: Sequence[ImageSource], folders: Sequence[Folder], patient: bool, begins: bool
    ) -> None:
        worker = Worker()
        self._folders = folders
        known_sizes = sizes([checked_source("sources", source) for source in sources], folders)
        self.images: list[ImageSource] = list(sources)
        """The images to use in the game, in the order of the sources."""
        if begins:
            self.images = [
                BackgroundImage(source, size, folders, worker, patient)
                for source, size in zip(sources, known_sizes, strict=True)
            ]

    def __len__(self) -> int:
        """The number of images in ``images``."""
        return len(self.images)

    @property
    def progress(self) -> float:
        """The fraction of images that are already decoded, from 0 to 1. Use `progress` only to show
        a progress bar. Game rules must not depend on it, because images take longer to load on some
        machines than on others.
        """
        late = [image for image in self.images if isinstance(image, BackgroundImage)]
        return sum(image.done for image in late) / len(late) if late else 1.0

    def wait(self) -> None:
        """Wait until all images are decoded. Raises `AssetError` if an image cannot be decoded."""
        for image in self.images:
            if isinstance(image, BackgroundImage):
                image.pixels()

    async def within(self, seconds: float | Fraction) -> None:
        """Wait for ``seconds`` of simulated time. Call `within` in a routine: ``await
        images.within(2)``.

        All images are decoded when `within` returns: if necessary, the last tick waits for the
        background thread. The wait takes the same number of ticks in every run of the game. Raises
        `AssetError` if an image cannot be decoded.
        """
        await wait(duration("seconds", seconds) or 1)
        self.wait()


def pixels_calls(loading: ImageLoading) -> list[Callable[[], Pixels]]:
    """Return a list with one function for each image. Each function waits until the image is
    decoded, and returns the pixels.
    """
    return [partial(load, image, loading._folders) for image in loading.images]
