"""Show a progress bar for a command in the terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Protocol, TypeVar

from tqdm import tqdm

_T = TypeVar("_T")


class Bar(Protocol):
    """The type of tqdm's progress bars, for type checkers, because tqdm itself has no type
    annotations.
    """

    n: int
    """The number of finished steps."""

    def __enter__(self) -> Bar: ...

    def __exit__(self, *error: object) -> object: ...

    def update(self, n: int = 1) -> object:
        """Advance the progress bar by ``n`` steps."""

    def set_description(self, desc: str) -> object:
        """Set the text in front of the progress bar."""


def progress_bar(total: int, unit: str, always: bool, description: str | None = None) -> Bar:
    """Return a progress bar with ``total`` steps, for a ``with`` statement.

    The bar is visible only in a terminal, unless ``always`` is True.
    """
    disable = False if always else None  # None: tqdm shows the bar only in a terminal
    bar: Bar = tqdm(desc=description, unit=unit, total=total, file=sys.stderr, disable=disable)
    return bar


def with_progress(
    items: Iterable[_T], total: int, unit: str, always: bool, description: str
) -> Iterator[_T]:
    """Yield each of ``items``, and show a `progress_bar` that advances with each item."""
    with progress_bar(total, unit, always, description) as bar:
        for item in items:
            yield item
            bar.update()
