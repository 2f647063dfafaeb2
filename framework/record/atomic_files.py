"""Atomic files: replace a whole file in one step, so that a crash never leaves a half-written
file.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from ..errors import AssetError

_counter = itertools.count(1)


@contextlib.contextmanager
def replacing(path: str, backup: str | None = None) -> Iterator[str]:
    """Context manager that replaces the file ``path``: it yields the path of a new file in the same
    folder, to write to.

    At the end of the block the new file replaces ``path``. The code in the ``with`` block must sync
    the new file to the disk. If ``backup`` is given, the old file is kept at the path ``backup``.
    After an error in the block, the file ``path`` and the backup are unchanged. Raises `AssetError`
    if the file cannot be replaced.
    """
    try:
        real_path = os.path.realpath(path)
    except ValueError as error:  # the path has a zero byte
        raise AssetError(f"{path!r} cannot be written: {error}.") from None
    if os.path.lexists(real_path) and not os.path.isfile(real_path):
        what = "it is a folder" if os.path.isdir(real_path) else "it is not a regular file"
        raise AssetError(f"{path!r} cannot be written: {what}.")
    folder, name = os.path.split(real_path)
    beside = os.path.join(folder, f".{name[:50]}.{os.getpid()}-{next(_counter)}")
    try:
        yield f"{beside}.part"
        if backup is not None and os.path.exists(real_path):
            _copied(real_path, f"{beside}.old")
            os.replace(f"{beside}.old", os.path.join(folder, os.path.basename(backup)))
        os.replace(f"{beside}.part", real_path)
        _sync_folder(folder)
    except OSError as error:
        raise AssetError(f"{path!r} cannot be written: {error.strerror or error}.") from None
    except AssetError as error:  # the error would name the new file
        raise AssetError(str(error).replace(repr(f"{beside}.part"), repr(path))) from None
    finally:
        for ending in ("part", "old"):
            with contextlib.suppress(OSError):
                os.unlink(f"{beside}.{ending}")


def _copied(path: str, target: str) -> None:
    """Make a hard link ``target`` to the file ``path``, or a copy if the file system has no links."""
    try:
        os.link(path, target)
    except (OSError, NotImplementedError):
        shutil.copyfile(path, target)


def _sync_folder(folder: str) -> None:
    """Wait until the file names in a folder are on the disk, if the operating system supports
    this.
    """
    with contextlib.suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def write_text(path: str, text: str) -> None:
    """Replace a text file in one step, so that no half-written file can remain. Raises `AssetError`
    if the file cannot be replaced.
    """
    with replacing(path) as beside, Path(beside).open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
