"""Replace a file in one step, so that a crash never leaves a half-written file."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import shutil
from collections.abc import Iterator
from types import ModuleType
from typing import BinaryIO

from ..errors import AssetError

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None

_counter = itertools.count(1)
_HOUR = 3600.0  # seconds


def _writable_path(path: str) -> str:
    """Return the path without symbolic links. Raise `AssetError` if no file can be there."""
    try:
        real_path = os.path.realpath(path)
    except ValueError as error:  # the path contains a zero byte
        raise AssetError(f"{path!r} cannot be written: {error}.") from None
    if os.path.lexists(real_path) and not os.path.isfile(real_path):
        what = "it is a folder" if os.path.isdir(real_path) else "it is not a regular file"
        raise AssetError(f"{path!r} cannot be written: {what}.")
    return real_path


@contextlib.contextmanager
def replacing(path: str, backup: str | None = None) -> Iterator[str]:
    """Return a context manager that replaces the file ``path`` in one step, even if the program
    crashes. It yields the path of a new file in the same folder. Write the new content to this
    file.

    At the end of the ``with`` block, the new file replaces the file ``path``. Call `sync` on the
    new file before the block ends. If you pass ``backup``, the old file is moved to this path
    first. If the block raises an error, the old file stays unchanged. Files that an earlier, killed
    process has left behind are deleted. Raises `AssetError` if the file cannot be replaced.
    """
    real_path = _writable_path(path)
    folder, name = os.path.split(real_path)
    prefix = f".{name[:50]}."
    beside = ""
    try:
        with _new_file(folder, prefix) as beside:
            _sweep(folder, prefix, beside)
            yield f"{beside}.part"
            if backup is not None and os.path.exists(real_path):
                _copied(real_path, f"{beside}.old")
                os.replace(f"{beside}.old", os.path.join(folder, os.path.basename(backup)))
            os.replace(f"{beside}.part", real_path)
            _sync_folder(folder)
    except OSError as error:
        raise AssetError(f"{path!r} cannot be written: {error.strerror or error}.") from None
    except AssetError as error:  # without this change, the error would name the new file
        raise AssetError(str(error).replace(repr(f"{beside}.part"), repr(path))) from None
    finally:
        if beside:
            for ending in ("part", "old"):
                with contextlib.suppress(OSError):
                    os.unlink(f"{beside}.{ending}")


@contextlib.contextmanager
def writing(path: str) -> Iterator[BinaryIO]:
    """Return a context manager that replaces the file ``path`` in one step, even if the program
    crashes. It yields a new file that is open for writing bytes. At the end of the ``with`` block,
    it writes the new file to the disk and replaces the old file.

    Raises `AssetError` if the file cannot be replaced.
    """
    with replacing(path) as beside, open(beside, "wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


def sync(path: str) -> None:
    """Wait until the operating system has written the file ``path`` to disk."""
    with open(path, "rb+") as file:
        os.fsync(file.fileno())


# -- new files of killed processes -----------------------------------------------------------------
# A process holds a lock on its new file until the file has replaced the old file. The operating
# system releases the lock if the process is killed. So a new file without a lock is no longer
# needed, even if another process, container or machine has created it.


@contextlib.contextmanager
def _new_file(folder: str, prefix: str) -> Iterator[str]:
    """Return a context manager that creates and locks a new empty file ``X.part``. It yields the
    path ``X``, without the suffix ``.part``.
    """
    while True:
        beside = os.path.join(folder, f"{prefix}{os.getpid()}-{next(_counter)}")
        try:
            number = os.open(f"{beside}.part", os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
        except FileExistsError:  # a killed process with the same id has created it
            continue
        try:
            locked = _lock(number)
            # another process may delete the file before this process locks the file
            exists = locked is None or (locked and os.fstat(number).st_nlink > 0)
            if locked is None:  # Windows cannot replace an open file
                os.close(number)
                number = -1
            if exists:
                yield beside
                return
        finally:
            if number >= 0:
                os.close(number)


def _lock(number: int) -> bool | None:
    """Try to lock a file. ``number`` is the file descriptor of the open file. Return True if the
    file is now locked, False if another process has locked it, and None if this system or disk does
    not support locks.
    """
    if fcntl is None:
        return None
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _sweep(folder: str, prefix: str, beside: str) -> None:
    """Delete new files that killed processes have left behind for the same path.

    On systems without locks, such as Windows, a leftover file is deleted if it is more than an hour
    older than ``beside.part``.
    """
    pattern = re.compile(rf"{re.escape(prefix)}\d+-\d+\.(part|old)")
    with contextlib.suppress(OSError):
        names = [name for name in os.listdir(folder) if pattern.fullmatch(name)]
        stems = {os.path.join(folder, name).rpartition(".")[0] for name in names}
        newest = os.stat(f"{beside}.part").st_mtime
        for stem in sorted(stems - {beside}):
            with contextlib.suppress(OSError):
                _delete_leftover(stem, newest - _HOUR)


def _delete_leftover(stem: str, oldest: float) -> None:
    """Delete ``stem.part`` and ``stem.old``, unless another process is still writing to them."""
    part = f"{stem}.part"
    number = -1
    try:
        if os.path.lexists(part):
            number = os.open(part, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
            locked = _lock(number)
            if locked is None:
                locked = os.fstat(number).st_mtime < oldest
                os.close(number)
                number = -1
            if not locked:
                return
        # `part` is deleted last, because its lock protects both files
        for path in (f"{stem}.old", part):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
    finally:
        if number >= 0:
            os.close(number)


def _copied(path: str, target: str) -> None:
    """Create ``target`` as a hard link to the file ``path``. If the file system has no hard links,
    copy the file.
    """
    try:
        os.link(path, target)
    except (OSError, NotImplementedError):
        shutil.copyfile(path, target)


def _sync_folder(folder: str) -> None:
    """Wait until the operating system has written the file names of this folder to the disk. Do
    nothing on systems that do not support this.
    """
    with contextlib.suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def write_text(path: str, text: str) -> None:
    """Write ``text`` to a file. An existing file is replaced in one step, so a crash never leaves a
    half-written file. Raises `AssetError` if the file cannot be replaced.
    """
    with writing(path) as file:
        file.write(text.encode())
