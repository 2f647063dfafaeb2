"""Progress bars: how far a tool of the command line has come, on stderr."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Protocol, TypeVar

from tqdm import tqdm

_T = TypeVar("_T")


class Bar(Protocol):
    """A bar of tqdm, which has no types of its own."""

    n: int
    """The steps that are done."""

    def __enter__(self) -> Bar: ...

    def __exit__(self, *error: object) -> object: ...

    def update(self, n: int = 1) -> object:
        """Add ``n`` steps."""

    def set_description(self, desc: str) -> object:
        """Set the words before the bar."""


def progress_bar(total: int, unit: str, always: bool, description: str | None = None) -> Bar:
    """Return a bar of ``total`` steps. Use it in a ``with`` statement.

    It is shown on a terminal only, unless ``always``.
    """
    disable = False if always else None  # None: tqdm looks for a terminal
    bar: Bar = tqdm(desc=description, unit=unit, total=total, file=sys.stderr, disable=disable)
    return bar


def with_progress(
    items: Iterable[_T], total: int, unit: str, always: bool, description: str
) -> Iterator[_T]:
    """Yield the items, and show a `progress_bar` of how many were taken."""
    with progress_bar(total, unit, always, description) as bar:
        for item in items:
            yield item
            bar.update()
