"""Linked files: read a model or map that names other files. Limits apply to the sizes and folders
of these files.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np

from .. import checks
from ..errors import AssetError

T = TypeVar("T")

MAX_BYTES = 1 << 29
"""Maximum size of a model's file: 512 MiB."""


class NoSuchFile(ValueError):
    """The error for a model that names a missing file."""


class OutsideFolder(ValueError):
    """The error for a model or map that names a file outside its folder."""


class Budget:
    """A limit for the data that is unpacked from a file, because a small file can claim to contain
    any number of values.
    """

    def __init__(self, what: str, limit: int = MAX_BYTES) -> None:
        self._what = f"{limit >> 20} MiB of {what}" if limit == MAX_BYTES else f"{limit:,} {what}"
        self._left = limit

    def allow(self, count: int) -> None:
        """Allow ``count`` more values or bytes."""
        self._left += count

    def spend(self, count: int) -> None:
        """Subtract ``count`` from what remains of the limit. Raises `ValueError` if less than
        ``count`` remains of the limit.
        """
        self._left -= count
        if self._left < 0:
            raise ValueError(f"it has more than {self._what}; simplify it, or split it up")


def guarded(kind: str, path: Path, reader: Callable[[Path], T]) -> T:
    """Return ``reader(path)``. If ``reader`` raises an error, replace it by an `AssetError` with
    the file's name.
    """
    try:
        with np.errstate(all="ignore"):
            return reader(path)
    except AssetError:
        raise
    except ValueError as error:
        raise AssetError(f"The {kind} {str(path)!r} cannot be used: {error}") from error
    except MemoryError:
        raise AssetError(f"The {kind} {str(path)!r} needs more memory than there is") from None
    except Exception as error:  # a file may contain anything, and so wrong types anywhere
        reason = re.sub(r" at 0x[0-9a-fA-F]+", "", f"{type(error).__name__}: {error}".strip(": "))
        raise AssetError(
            f"The {kind} {str(path)!r} is broken ({reason[:200]}). Export it again."
        ) from error


def beside(
    folder: Path,
    name: str,
    where: str,
    kind: str = "model",
    root: Path | None = None,
    hint: str = "",
) -> Path:
    """Return the full path of the file ``name`` that a model in ``folder`` uses. ``kind`` is the
    kind of the using file, such as "model".

    The file must be in the folder of the model or in a subfolder. If you pass ``root``, it may be
    anywhere below that folder.
    """
    path = Path(name.replace("\\", "/"))
    if "://" in name or path.is_absolute() or "\0" in name:
        raise ValueError(f"{where}: {checks.shown(name)} is not a path beside the {kind}")
    full = (folder / path).resolve()
    if not full.is_relative_to((root or folder).resolve()):
        raise OutsideFolder(f"{where}: {checks.shown(name)} leads out of the {kind}'s folder{hint}")
    if not full.is_file():
        raise NoSuchFile(f"{where}: there is no file {checks.shown(name)} beside the {kind}")
    if full.stat().st_size > MAX_BYTES:
        raise ValueError(f"{where}: {checks.shown(name)} has more than {MAX_BYTES >> 20} MiB")
    return full
