"""Read the files that a model or map refers to, such as its images.

The files may come from untrusted sources. Therefore, their size is limited, and they must be in
certain folders.
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
"""The maximum size of a model file: 512 MiB."""
MAX_NAME = 1024
"""The maximum length of a file name in a model or map."""


class NoSuchFile(ValueError):
    """The error for a reference to a file that does not exist."""


class OutsideFolder(ValueError):
    """The error for a reference to a file outside the folder of the model or map."""


class Expense:
    """The estimated time and memory that a file's contents need, with a limit for each.

    Each kind of content, such as vertices, also has a separate limit, a `Budget`. But even if no
    `Budget` is exceeded, all contents together could take too long. The time is not measured: each
    value has a fixed cost in seconds. Therefore, all machines accept and reject the same files.
    """

    def __init__(self, max_seconds: float, max_bytes: int = MAX_BYTES) -> None:
        self._max_seconds = max_seconds
        self._max_bytes = max_bytes
        self._budgets: list[Budget] = []
        self._seconds = 0.0
        self._bytes = 0.0

    def add(self, budget: Budget) -> None:
        """Add the `Budget` of one kind of content. If the total cost exceeds a limit later, the
        error message names the budget with the highest cost.
        """
        self._budgets.append(budget)

    def spend(self, seconds: float, size: float) -> None:
        """Add the cost of some values to the sums. Raises `ValueError` if a sum exceeds its limit."""
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
    """A limit for one kind of data in a file. Without it, a small file could claim to contain any
    number of values.

    ``cost`` is the cost of one value: a time in seconds, and memory in bytes. The costs of all
    values are added to ``expense``.
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
        """The number of values or bytes that the file has used so far."""
        self.cost = cost
        """The cost of reading one value: the time in seconds, and the memory in bytes."""
        self._what = f"{limit >> 20} MiB of {what}" if limit == MAX_BYTES else f"{limit:,} {what}"
        self._left = limit
        self._expense = expense
        if expense is not None:
            expense.add(self)

    def allow(self, count: int) -> None:
        """Increase the limit by ``count`` values or bytes."""
        self._left += count

    def check(self, count: int) -> None:
        """Raise `ValueError` if ``count`` more values or bytes would exceed the limit, without
        subtracting them.
        """
        self.spend(count)
        self._left += count
        self.spent -= count
        if self._expense is not None:
            seconds, size = self.cost
            self._expense.spend(-count * seconds, -count * size)

    def spend(self, count: int) -> None:
        """Subtract ``count`` values or bytes from the limit. Raises `ValueError` if the limit is
        exceeded.
        """
        self._left -= count
        self.spent += count
        if self._left < 0:
            raise ValueError(f"it has more than {self._what}; simplify it, or split it up")
        if self._expense is not None:
            seconds, size = self.cost
            self._expense.spend(count * seconds, count * size)


def guarded(kind: str, path: Path, reader: Callable[[Path], T]) -> T:
    """Return ``reader(path)``. If ``reader`` raises an error, raise an `AssetError` with the name
    of the file.
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
    except Exception as error:  # a broken file may contain a wrong type anywhere
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
    """Return the full path of a file that a model or map in ``folder`` refers to. ``name`` is the
    file name that the model or map contains. ``kind`` is the kind of file that contains the
    reference, such as "model", for error messages.

    The file must be in ``folder`` or in a subfolder. With ``root``, it may be anywhere in the
    folder ``root``.
    """
    path = Path(name.replace("\\", "/") if len(name) <= MAX_NAME else "")
    if "://" in name or path.is_absolute() or "\0" in name or len(name) > MAX_NAME:
        raise ValueError(f"{where}: {checks.shown(name)} is not a path beside the {kind}")
    try:
        full = (folder / path).resolve()
        full.is_file()
    except OSError:  # a name is too long, or symbolic links form a circle
        raise ValueError(f"{where}: {checks.shown(name)} is not a path beside the {kind}") from None
    if not full.is_relative_to((root or folder).resolve()):
        raise OutsideFolder(f"{where}: {checks.shown(name)} leads out of the {kind}'s folder{hint}")
    if not full.is_file():
        raise NoSuchFile(f"{where}: there is no file {checks.shown(name)} beside the {kind}")
    if full.stat().st_size > MAX_BYTES:
        raise ValueError(f"{where}: {checks.shown(name)} has more than {MAX_BYTES >> 20} MiB")
    return full
