"""Background loading: decode images in a thread while the game runs.

The rules of a game must not depend on the time that images need to load, because this time differs
between machines. A game says at which simulated time it needs the images. If an image is not ready
at that time, the game waits for the thread.
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
    """A thread that runs one job at a time, in the order in which the jobs were added. The thread
    ends when there are no more jobs.
    """

    not_state = True

    def __init__(self) -> None:
        self._jobs: deque[tuple[Context, Future[Any], Callable[[], Any]]] = deque()
        self._lock = Lock()
        self._working = False
        self._job: tuple[Context, Future[Any], Callable[[], Any]] | None = None  # the running one
        _workers.add(self)

    def submit(self, call: Callable[[], T]) -> Future[T]:
        """Add a job: the thread calls ``call``. Return a `Future` for the result."""
        job: Future[T] = Future()
        self.put(job, call)
        return job

    def put(self, job: Future[T], call: Callable[[], T], first: bool = False) -> None:
        """Add a job: the thread calls ``call``. ``job`` is the `Future` that gets the result. If
        ``first`` is True, this is the next job that the thread runs.

        During the call, the framework's current game is the game that called `put`.
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
        """Start the thread again. Called in a forked process, because a fork does not copy threads.
        A job that was running in the old process starts again.
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
    """An image that a thread decodes, for an `ImageLoading`. Use a `BackgroundImage` like any other
    image.

    A `SpriteBatch` shows the image as soon as the thread has decoded it. Other code waits until the
    thread has decoded the image.
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
        """Whether the thread is done with the image: it has decoded the image, or an error has
        occurred.
        """
        return self._job.done()

    def pixels(self) -> Pixels:
        """Wait for the thread, then return the pixels of the image. Raises the same errors as
        `images.load`.
        """
        return self._job.result()

    def then(self, make: Callable[[Pixels], T]) -> Future[T]:
        """After the image is decoded, call ``make(pixels)`` in the thread, before its next image.
        Return a `Future` for the result of ``make``.
        """
        result: Future[T] = Future()
        self._job.add_done_callback(
            lambda job: self._worker.put(result, lambda: make(job.result()), first=True)
        )
        return result


class ImageLoading:
    """Images that a thread decodes, as `Scene.load_images` returns them.

    You can use the list ``images`` like any list of images, for example for a `SpriteBatch`. For a
    progress bar, use `progress`.
    """

    not_state = True

    def __init__(
        self, sources: Sequence[ImageSource], folders: Sequence[Folder], patient: bool, begins: bool
    ) -> None:
        worker, self._folders = Worker(), folders
        known_sizes = sizes([checked_source("sources", source) for source in sources], folders)
        self.images: list[ImageSource] = list(sources)
        """The images to use in the game, in the order of the sources."""
        if begins:
            self.images = [
                BackgroundImage(source, size, folders, worker, patient)
                for source, size in zip(sources, known_sizes, strict=True)
            ]

    def __len__(self) -> int:
        """The number of images of this `ImageLoading`."""
        return len(self.images)

    @property
    def progress(self) -> float:
        """The fraction of the images that are already decoded, from 0 to 1. Use `progress` for a
        progress bar. The rules of a game must not depend on the progress, because the progress
        differs between machines.
        """
        late = [image for image in self.images if isinstance(image, BackgroundImage)]
        return sum(image.done for image in late) / len(late) if late else 1.0

    def wait(self) -> None:
        """Wait until all images are decoded. Raises `AssetError` if an image cannot be decoded."""
        for image in self.images:
            if isinstance(image, BackgroundImage):
                image.pixels()

    async def within(self, seconds: float | Fraction) -> None:
        """Wait for ``seconds`` of simulated time, in a routine: ``await images.within(2)``.

        After `within` has waited, all images are decoded. On a slow machine, the last tick of the
        wait does not end until all images are ready. In every run of the game, the wait takes the
        same number of ticks. Raises `AssetError` if an image cannot be decoded.
        """
        await wait(duration("seconds", seconds) or 1)
        self.wait()


def pixels_calls(loading: ImageLoading) -> list[Callable[[], Pixels]]:
    """Return one function for each image. The function waits until the image is decoded, and
    returns its pixels.
    """
    return [partial(load, image, loading._folders) for image in loading.images]
