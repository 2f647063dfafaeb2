"""Files that are whole at any moment: what is written takes the place of what was there in one
step, or not at all.
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
    """Within it a file is written beside ``path``, whose place it takes in the end; given is where.

    Who writes sees to it that the file is on the disk. What was at ``path`` is at ``backup`` then,
    if that is given. When anything fails, all is as it was. Raises `AssetError` where it cannot be.
    """
    try:
        where = os.path.realpath(path)
    except ValueError as error:  # a zero byte in it
        raise AssetError(f"{path!r} cannot be written: {error}.") from None
    if os.path.lexists(where) and not os.path.isfile(where):
        what = "it is a folder" if os.path.isdir(where) else "what is there is no ordinary file"
        raise AssetError(f"{path!r} cannot be written: {what}.")
    folder, name = os.path.split(where)
    beside = os.path.join(folder, f".{name[:50]}.{os.getpid()}-{next(_counter)}")
    try:
        yield f"{beside}.part"
        if backup is not None and os.path.exists(where):
            _copied(where, f"{beside}.old")
            os.replace(f"{beside}.old", os.path.join(folder, os.path.basename(backup)))
        os.replace(f"{beside}.part", where)
        _sync_folder(folder)
    except OSError as error:
        raise AssetError(f"{path!r} cannot be written: {error.strerror or error}.") from None
    except AssetError as error:  # which names the file beside it
        raise AssetError(str(error).replace(repr(f"{beside}.part"), repr(path))) from None
    finally:
        for ending in ("part", "old"):
            with contextlib.suppress(OSError):
                os.unlink(f"{beside}.{ending}")


def _copied(path: str, to: str) -> None:
    """The same file under another name, or a copy of it where a file can have one name only."""
    try:
        os.link(path, to)
    except (OSError, NotImplementedError):
        shutil.copyfile(path, to)


def _sync_folder(folder: str) -> None:
    """Wait until the disk knows of the names in it, where a system can be told to."""
    with contextlib.suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def write_text(path: str, text: str) -> None:
    """A text in place of what was there. Raises `AssetError`."""
    with replacing(path) as beside, Path(beside).open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
