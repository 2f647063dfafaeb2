"""What a thread makes ready while the game goes on: jobs, and images that are decoded there.

How long that takes is the machine's affair, and no rule of a game may go by it: what a game waits
for comes at a moment of its own time that it names, and there the tick waits for the thread where
that is slower.
"""

from __future__ import annotations

__all__ = ["ImageLoading"]

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextvars import Context, copy_context
from fractions import Fraction
from functools import partial
from threading import Lock, Thread
from typing import Any, TypeVar

from ..arrays import Pixels
from ..resources import Folder
from ..timing.routines import wait
from ..timing.schedule import duration
from .images import ImageSource, LatePicture, checked_source, load, sizes

T = TypeVar("T")


class Worker:
    """A thread that does jobs one after another, and is there as long as there are any."""

    not_state = True

    def __init__(self) -> None:
        self._jobs: deque[tuple[Context, Future[Any], Callable[[], Any]]] = deque()
        self._lock = Lock()
        self._working = False

    def submit(self, call: Callable[[], T]) -> Future[T]:
        """Have it done, after what was submitted before."""
        job: Future[T] = Future()
        self.put(job, call)
        return job

    def put(self, job: Future[T], call: Callable[[], T], first: bool = False) -> None:
        """Have it done, after what is still to be done, or ``first``; ``job`` is told what came of
        it. The current game is the one in which this is called.
        """
        entry = copy_context(), job, call
        with self._lock:
            (self._jobs.appendleft if first else self._jobs.append)(entry)
            begins, self._working = not self._working, True
        if begins:
            Thread(target=self._work, name="background", daemon=True).start()

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._jobs:
                    self._working = False
                    return
                context, job, call = self._jobs.popleft()
            context.run(_do, job, call)


def _do(job: Future[Any], call: Callable[[], Any]) -> None:
    try:
        job.set_result(call())
    except BaseException as error:
        job.set_exception(error)


class BackgroundImage(LatePicture):
    """One image of an `ImageLoading`: what takes images takes it. A `SpriteBatch` shows it when it
    is there; whatever else waits for it."""

    not_state = True

    def __init__(
        self,
        source: ImageSource,
        size: tuple[int, int],
        folders: Sequence[Folder],
        worker: Worker,
        patient: bool,
    ) -> None:
        self.source, self.size, self.patient = source, size, patient
        self._worker = worker
        self._job = worker.submit(lambda: load(source, folders))

    @property
    def done(self) -> bool:
        """Whether it is decoded, or cannot be."""
        return self._job.done()

    def pixels(self) -> Pixels:
        """What `images.load` returns of its source, as soon as it is there; raises as that does."""
        return self._job.result()

    def then(self, make: Callable[[Pixels], T]) -> Future[T]:
        """Have something made of its pixels, in the thread, before it decodes others."""
        made: Future[T] = Future()
        self._job.add_done_callback(
            lambda job: self._worker.put(made, lambda: make(job.result()), first=True)
        )
        return made


class ImageLoading:
    """Images that a thread decodes: what `Scene.load_images` returns. ``images`` are taken as any
    others are.
    """

    not_state = True

    def __init__(
        self, sources: Sequence[ImageSource], folders: Sequence[Folder], patient: bool, begins: bool
    ) -> None:
        worker, self._folders = Worker(), folders
        known = sizes([checked_source("sources", source) for source in sources], folders)
        self.images: list[ImageSource] = list(sources)
        """In the order in which they were given."""
        if begins:
            self.images = [
                BackgroundImage(source, size, folders, worker, patient)
                for source, size in zip(sources, known, strict=True)
            ]

    def __len__(self) -> int:
        """How many there are."""
        return len(self.images)

    @property
    def progress(self) -> float:
        """How much of them is decoded, 0 to 1: for a bar, not for rules."""
        late = [image for image in self.images if isinstance(image, BackgroundImage)]
        return sum(image.done for image in late) / len(late) if late else 1.0

    def wait(self) -> None:
        """Wait until they are decoded. Raises `AssetError` for what cannot be."""
        for image in self.images:
            if isinstance(image, BackgroundImage):
                image.pixels()

    async def within(self, seconds: float | Fraction) -> None:
        """Within a routine, wait for so many simulated seconds, ``await pictures.within(2)``, after
        which they are decoded: where the machine was slower, that tick waits for them. So it is the
        same tick in every run. Raises `AssetError` there for what cannot be decoded."""
        await wait(duration("seconds", seconds) or 1)
        self.wait()


def pixels_calls(loading: ImageLoading) -> list[Callable[[], Pixels]]:
    """Return for each image a function that waits for its pixels and returns them."""
    return [partial(load, image, loading._folders) for image in loading.images]
