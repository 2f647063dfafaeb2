"""Mark rows of a batch with names such as "enemy" and "coin", and find rows by these names.

The tags of all rows are stored in a column of integers, in which each tag is one bit.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Rows
from ..checks import flag, shown, text, wrong_type
from .columns import Table, TableColumn
from .rows import Handle, chosen_rows

MAX_TAGS = 63
"""The maximum number of tags in a batch. Each tag needs one bit of a signed 64-bit integer, and one
bit is the sign.
"""


def checked_tags(name: str, value: object) -> tuple[str, ...]:
    """Check the tag names in ``value``, and return them as a tuple. Raises `TypeError` or
    `ValueError` for values that are not names, for duplicates, and for too many tags.
    """
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise wrong_type(name, "a sequence of names", value)
    names = tuple(text(name, tag) for tag in value)
    if len(names) > MAX_TAGS or len(set(names)) < len(names):
        raise ValueError(
            f"{name}: expected at most {MAX_TAGS} different names, got {len(names)}: {shown(names)}"
        )
    return names


def tags_column() -> TableColumn:
    """Return the column ``tags``, with one bit for each tag."""
    return TableColumn("tags", 1, 0, dtype=np.int64, interpolated=False)


def tag_bits(names: Sequence[str], tag_names: tuple[str, ...]) -> int:
    """Return an integer with a 1 in the bit of each tag in ``names``. ``tag_names`` contains the
    tags of the batch. Raises `ValueError` for a tag name that the batch does not have.
    """
    bits = 0
    for name in names:
        if text("tags", name) not in tag_names:
            near = difflib.get_close_matches(name, tag_names, 1)
            hint = (
                f"did you mean {near[0]!r}?" if near else f"it has {', '.join(tag_names) or 'none'}"
            )
            raise ValueError(
                f"tags: the batch has no tag {shown(name)}; {hint} (they are named when it is made)"
            )
        bits |= 1 << tag_names.index(name)
    return bits


class Tagged:
    """A batch whose rows can have tags. A subclass sets ``tag_names``, and adds a column ``tags``
    if there are any tag names.
    """

    __slots__ = ()

    tag_names: tuple[str, ...]
    """The tags that rows may have, which are set when the batch is created. The bit of the first
    tag is 1, the bit of the second tag is 2, the bit of the third tag is 4, and so on.
    """
    _table: Table

    def tag(self, rows: Handle[Any] | ArrayLike | slice, *names: str, on: bool = True) -> None:
        """Add tags to rows, or remove tags with ``on=False``.

        ``rows`` is a handle, an array of indices, a mask or a slice.
        """
        bits = tag_bits(names, self.tag_names)
        on = flag("on", on)
        chosen = chosen_rows(self, rows)
        if bits:
            tags: NDArray[np.int64] = self._table.column("tags").values(self._table.count)
            tags[chosen] = tags[chosen] | bits if on else tags[chosen] & ~bits

    def tagged(self, *names: str) -> Rows:
        """Return the indices of the rows that have all the tags in ``names``, in ascending order."""
        bits = tag_bits(names, self.tag_names)
        table = self._table
        table.close_holes()
        if not bits:
            return np.arange(table.count)
        return np.flatnonzero((table.column("tags").current(table.count) & bits) == bits)
