"""Which files of a game have changed: their times are looked at, some in each frame, so that all
are seen anew several times a second at a cost that no frame feels. No thread, no library, and the
same on every system."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..timing.timestep import NANOSECONDS

# All are looked at once in so long; what was found changed counts when it has stayed the same for
# the other: an editor may still be writing it.
_ROUND, _SETTLED = NANOSECONDS // 10, NANOSECONDS // 20
_EMPTY = 10 * _SETTLED  # who writes a file empties it first
_MOST = 20_000
_HOT = 8  # files that changed last are looked at every time: who saves one saves it again
_LEFT_OUT = {"__pycache__", "site-packages", "node_modules", "build", "dist", "venv", "env"}

Signature = tuple[int, ...] | None


class FileWatch:
    """The files in some folders and in those below, but for hidden ones and packages that were
    installed there.

    ``status`` is `os.stat`, ``wall`` the clock of the times that it tells, or what stands in for
    them.
    """

    def __init__(
        self,
        folders: Iterable[str],
        status: Callable[[str], Any] = os.stat,
        wall: Callable[[], int] = time.time_ns,
    ) -> None:
        self._status, self._wall = status, wall
        self._hot: deque[str] = deque(maxlen=_HOT)
        self._seen: dict[str, Signature] = {}
        self._changing: dict[str, tuple[Signature, int]] = {}
        self._order: list[str] = []
        self._at = 0
        self._due = 0.0
        self._last: int | None = None
        for folder in folders:
            self.add(folder)

    def __contains__(self, path: object) -> bool:
        return path in self._seen

    def add(self, folder: str) -> None:
        """Watch a folder, and those below, too."""
        for path in _below(folder):
            if path not in self._seen and len(self._seen) < _MOST:
                self._note(path)

    def add_file(self, path: str) -> None:
        """Watch a file, wherever it is."""
        if path not in self._seen:
            self._note(path)

    def poll(self, now: int) -> list[str]:
        """The files that have changed and are written, at ``now``, nanoseconds. Looks at some of
        them each time.
        """
        elapsed = 0 if self._last is None else now - self._last
        self._last = now
        self._due = min(self._due + len(self._order) * elapsed / _ROUND, float(len(self._order)))
        count = int(self._due)
        self._due -= count
        for path in self._hot:
            self._look(path, now)
        for _ in range(count):
            if self._at >= len(self._order):
                self._at = 0
            self._look(self._order[self._at], now)
            self._at += 1
        return self._settled(now)

    def _note(self, path: str) -> None:
        self._seen[path] = self._signature(path)
        self._order.append(path)

    def _signature(self, path: str) -> Signature:
        try:
            status = self._status(path)
        except (OSError, ValueError):
            return None
        return status.st_mtime_ns, status.st_size, status.st_ino

    def _look(self, path: str, now: int) -> None:
        signature = self._signature(path)
        if signature == self._seen[path]:
            self._changing.pop(path, None)
        elif path not in self._changing:
            self._changing[path] = signature, now

    def _settled(self, now: int) -> list[str]:
        found = []
        for path, (signature, since) in list(self._changing.items()):
            written = 0 if signature is None else self._wall() - signature[0]
            settled = _EMPTY if signature is not None and not signature[1] else _SETTLED
            if now - since < settled and written < settled:
                continue
            current = self._signature(path)
            if current != signature:
                self._changing[path] = current, now
                continue
            del self._changing[path]
            if current is None:  # it is away; editors put it back at once
                continue
            self._seen[path] = current
            if os.path.isdir(path):
                found += self._new_in(path)
                continue
            found.append(path)
            if path not in self._hot:
                self._hot.append(path)
        return found

    def _new_in(self, folder: str) -> list[str]:
        before = len(self._order)
        self.add(folder)
        return [path for path in self._order[before:] if not os.path.isdir(path)]


def _below(folder: str) -> Iterator[str]:
    """A folder, its files, and those of the folders in it, also where these are links."""
    been: set[str] = set()
    for place, folders, files in os.walk(folder, followlinks=True):
        folders[:] = sorted(name for name in folders if name[0] != "." and name not in _LEFT_OUT)
        real = os.path.realpath(place)
        if "pyvenv.cfg" in files or real in been:
            folders[:] = []
            continue
        been.add(real)
        yield place
        yield from (
            os.path.join(place, name)
            for name in sorted(files)
            if name[0] != "." and name[-1] != "~"
        )
