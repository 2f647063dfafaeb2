"""Linked files: read the files that a model or map names, within limits for their sizes and
folders. Limits apply to the sizes and folders of these files.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn, TypeVar

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


class Expense:
    """Adds up the time and the memory for all contents of a file.

    Each kind of contents has a `Budget` of its own. A file that uses many of these budgets at once
    would still take too long. The time is not measured, but computed from the fixed cost of each
    value, so that all machines refuse the same files.
    """

    def __init__(self, max_seconds: float, max_bytes: int = MAX_BYTES) -> None:
        self._max_seconds = max_seconds
        self._max_bytes = max_bytes
        self._budgets: list[Budget] = []
        self._seconds = 0.0
        self._bytes = 0.0

    def add(self, budget: Budget) -> None:
        """Add a budget whose values take time and memory."""
        self._budgets.append(budget)

    def spend(self, seconds: float, size: float) -> None:
        """Add the costs of some values. Raises `ValueError` if the sum of all costs exceeds a
        limit.
        """
        self._seconds += seconds
        self._bytes += size
        if self._seconds > self._max_seconds or self._bytes > self._max_bytes:
            self._refuse()

    def _refuse(self) -> NoReturn:
        is_time = self._seconds > self._max_seconds
        limit = f"{self._max_seconds:g} s" if is_time else f"{self._max_bytes >> 20} MiB"
        costliest = max(self._budgets, key=lambda budget: budget.spent * budget.cost[not is_time])
        raise ValueError(
            f"its contents take more than {limit}, most for {costliest.spent:,} {costliest.name}; "
            "simplify it, or split it up"
        )


class Budget:
    """A limit for the data that is unpacked from a file, because a small file can claim to contain
    any number of values.

    ``cost`` is the time in seconds and the memory in bytes of one value. Each value adds its
    ``cost`` to ``expense``.
    """

    def __init__(
        self,
        what: str,
        limit: int = MAX_BYTES,
        expense: Expense | None = None,
        cost: tuple[float, float] = (0.0, 0.0),
    ) -> None:
        self.name = what
        self.spent = 0
        """How many values or bytes the file has used so far."""
        self.cost = cost
        """The seconds and the bytes that one value takes."""
        self._what = f"{limit >> 20} MiB of {what}" if limit == MAX_BYTES else f"{limit:,} {what}"
        self._left = limit
        self._expense = expense
        if expense is not None:
            expense.add(self)

    def allow(self, count: int) -> None:
        """Allow ``count`` more values or bytes."""
        self._left += count

    def check(self, count: int) -> None:
        """Raise `ValueError` if the limit does not allow ``count`` more values or bytes. Unlike
        `spend`, this method does not change the limit.
        """
        self.spend(count)
        self._left += count
        self.spent -= count
        if self._expense is not None:
            seconds, size = self.cost
            self._expense.spend(-count * seconds, -count * size)

    def spend(self, count: int) -> None:
        """Subtract ``count`` from what remains of the limit. Raises `ValueError` if less than
        ``count`` remains of the limit.
        """
        self._left -= count
        self.spent += count
        if self._left < 0:
            raise ValueError(f"it has more than {self._what}; simplify it, or split it up")
        if self._expense is not None:
            seconds, size = self.cost
            self._expense.spend(count * seconds, count * size)


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
    """Return the full path of the file ``name`` that a model in ``folder`` uses. ``kind`` says what
    kind of file uses the file ``name``, such as "model".

    The file must be in the folder of the model or in a subfolder. If you pass ``root``, the file
    may be anywhere below the folder ``root``.
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
