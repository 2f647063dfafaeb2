"""Find out which files of a game have changed on disk, so that they can be reloaded.

The game calls `FileWatch.poll` in each frame, and each call checks the modification times of a few
files. Every file is checked about ten times per second. A call takes so little time that the player
does not notice it. The module does not use threads or libraries, and works in the same way on every
operating system.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..timing.timestep import NANOSECONDS

_CHECK_ALL = NANOSECONDS // 10  # the time in which every file is checked once
# A change is reported when the file has not changed again for this time, because an editor may
# still be writing.
_SETTLED = NANOSECONDS // 20
# A longer time for empty files, because some programs empty a file before they write it.
_EMPTY = 10 * _SETTLED
_MAX_FILES = 20_000
_RECENT_FILES = 8  # this many recently changed files are checked in every frame
_IGNORED = {"__pycache__", "site-packages", "node_modules", "build", "dist", "venv", "env"}

Signature = tuple[int, ...] | None


class FileWatch:
    """Watches the files in some folders and their subfolders. Hidden files and installed packages
    are not watched.

    ``status`` is a function that returns the status of a file, by default `os.stat`. ``wall`` is a
    function that returns the current time in nanoseconds, by default `time.time_ns`. Tests pass
    other functions.
    """

    def __init__(
        self,
        folders: Iterable[str],
        status: Callable[[str], Any] = os.stat,
        wall: Callable[[], int] = time.time_ns,
    ) -> None:
        self._status = status
        self._wall = wall
        self._hot: deque[str] = deque(maxlen=_RECENT_FILES)
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
        """Watch a folder and its subfolders."""
        for path in _below(folder):
            if path not in self._seen and len(self._seen) < _MAX_FILES:
                self._note(path)

    def add_file(self, path: str) -> None:
        """Watch one file, which does not have to be in a watched folder."""
        if path not in self._seen:
            self._note(path)

    def poll(self, now: int) -> list[str]:
        """Return the files that have changed. A changed file is returned after no program has
        written to it for a short time, so that the file is complete. One call of `poll` checks only
        some of the files.

        ``now`` is the current time in nanoseconds.
        """
        elapsed = 0 if self._last is None else now - self._last
        self._last = now
        self._due = min(
            self._due + len(self._order) * elapsed / _CHECK_ALL, float(len(self._order))
        )
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
        changed = []
        for path, (signature, since) in list(self._changing.items()):
            if self._may_change(signature, now - since):
                continue
            current = self._signature(path)
            if current != signature:
                self._changing[path] = current, now
                continue
            del self._changing[path]
            if current is None:  # some editors delete a file and write it again
                continue
            self._seen[path] = current
            if os.path.isdir(path):
                changed += self._new_in(path)
                continue
            changed.append(path)
            if path not in self._hot:
                self._hot.append(path)
        return changed

    def _may_change(self, signature: Signature, unchanged: int) -> bool:
        """Return whether a program may still be writing to a file. ``unchanged`` is the time since
        the file got this ``signature``, in nanoseconds.
        """
        if signature is None:
            return unchanged < _SETTLED
        modified, size, _ = signature
        settled = _SETTLED if size else _EMPTY
        return unchanged < settled and self._wall() - modified < settled

    def _new_in(self, folder: str) -> list[str]:
        before = len(self._order)
        self.add(folder)
        return [path for path in self._order[before:] if not os.path.isdir(path)]


def _below(folder: str) -> Iterator[str]:
    """Yield the path of a folder, and the paths of all files in the folder and its subfolders.
    Symbolic links are followed.
    """
    visited: set[str] = set()
    for path, folders, files in os.walk(folder, followlinks=True):
        folders[:] = sorted(name for name in folders if name[0] != "." and name not in _IGNORED)
        real = os.path.realpath(path)
        if "pyvenv.cfg" in files or real in visited:
            folders[:] = []
            continue
        visited.add(real)
        yield path
        yield from (
            os.path.join(path, name) for name in sorted(files) if name[0] != "." and name[-1] != "~"
        )
