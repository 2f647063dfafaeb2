"""State hashes: one number for the complete state of a game, to compare it between machines.

The hash does not depend on memory addresses, on Python's hash seed, or on the order of the items in
a set. 0 and -0 have the same hash, and so have all NaNs. The order of the keys in a dict does
change the hash, because a game may loop over the dict. It also matters whether two references lead
to the same object: `walk` visits all objects and numbers them, and a second reference to an object
adds only the object's number. The result is the xxh3 hash of the descriptions of all objects, in
the order of their numbers. XORing separate hashes would be wrong, because two equal hashes would
cancel each other out.
"""

from __future__ import annotations

__all__ = ["Difference", "first_difference"]

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Mask
from ..checks import instance
from ..errors import FrameworkError
from ..state.columns import Table
from .attributes import Description
from .digests import digest, digest_of_array, values_of
from .immutables import write_values
from .kinds import GONE, columns_of, ids_of
from .walk import Listing as Listing
from .walk import ObjectPaths, steps, walk
from .walk import SameObject as SameObject

SCHEME = 3
"""The version of the hash algorithm. Recordings contain it, because hashes of different versions
cannot be compared.

Increase this version if the hash of an unchanged state changes, for example because a class of the
framework has a new attribute. After a rename, add the old name to the module `stable_names`
instead. A recording that does not contain a version has version 1.
"""


def state_hash(roots: Mapping[str, object], aside: Sequence[object] = ()) -> int:
    """Return the hash of a game state. The state consists of all objects that are reachable from
    the objects in ``roots``. The hash ignores the objects in ``aside``.

    The keys of the dict ``roots`` are names, such as "game".
    """
    try:
        return digest(walk(roots, aside))
    except ReferenceError:
        raise FrameworkError(f"state_hash: {GONE}") from None


def listing(roots: Mapping[str, object], aside: Sequence[object] = ()) -> Listing:
    """Return a dict with all values of a game state. The keys of the dict are paths, such as
    "game.ships[2].speed". If several paths lead to a value, the dict contains only the shortest
    path.

    Arrays in the dict are copies.
    """
    listed = _Listed(roots, aside)
    walk(roots, aside, listed.visit)
    return listed.leaves


class _Listed(ObjectPaths):
    """Collects the values of a game state in a dict. The keys of the dict are the paths of the
    values.
    """

    def visit(self, obj: object, description: Description) -> None:
        path = self._of[id(obj)]
        head, _, parts = description
        if isinstance(obj, np.ndarray) and not obj.dtype.hasobject:
            self.leaves[path] = obj.copy()
        elif isinstance(obj, Table):
            self._visit_table(path, obj, description)
        else:
            # A scene and its backend have the same path. Only the first object with a path is
            # listed.
            self.leaves.setdefault(path, (head, len(parts)))
            super().visit(obj, description)

    def _visit_table(self, path: str, table: Table, description: Description) -> None:
        """Add the ids, the columns and the other attributes of a table to the dict."""
        head, _, parts = description
        self.leaves[f"{path}.ids"] = ids_of(table).copy()
        self.leaves[f"{path}.rows"] = head, len(parts)
        columns = columns_of(table)
        for column, part in zip(columns, parts, strict=False):
            if column in table.of_objects:
                self._put(f"{path}.{column.name}", part)
            else:
                self.leaves[f"{path}.{column.name}"] = values_of(table, column).copy()
        after_columns = slice(len(columns), None)
        attribute_steps = steps(table, description)[after_columns]
        for step, part in zip(attribute_steps, parts[after_columns], strict=True):
            self._put(path + step, part)


def hashes(leaves: Listing) -> dict[str, int]:
    """Return a dict with the hash of each value. ``leaves`` is a dict that `listing` returned."""
    return {path: digest_of(value) for path, value in leaves.items()}


def digest_of(value: object) -> int:
    """Return the hash of one value from a dict that `listing` returned."""
    if isinstance(value, np.ndarray):
        return digest_of_array(value)
    out: list[object] = []
    write_values([value.path if isinstance(value, SameObject) else value], out, {}, [])
    return digest(["same", *out] if isinstance(value, SameObject) else out)


# -- the first difference --------------------------------------------------------------------------


@dataclass(frozen=True)
class Difference:
    """The first value that differs between two game states."""

    path: str
    """The path of the value, such as "game.ships[2].speed"."""
    row: tuple[int, ...] | None
    """If the value is an array, the index of the first element that differs, otherwise None."""
    before: object
    """The value in the first state, or None if that state has no such value."""
    after: object
    """The value in the second state, or None if that state has no such value."""
    ulps: int | None = None
    """If both values are floats, the number of ULP between them, otherwise None. One ULP is the
    step to the next float.
    """

    def __str__(self) -> str:
        row = "" if self.row is None else f"[{', '.join(map(str, self.row))}]"
        before, after = worded(self.before, self.after)
        return f"{self.path}{row}: {before} and {after}{apart(self.ulps)}"


def first_difference(first: Listing, second: Listing) -> Difference | None:
    """Return the first difference between two dicts from `Game.debug.state_values`, or None if they
    are equal.

    Values are compared in the order of the first dict.
    """
    for name, argument in (("first", first), ("second", second)):
        instance(name, argument, dict, what="a result of game.debug.state_values()")
    for path, before in first.items():
        if path not in second:
            return Difference(path, None, _summary(before), None)
        after = second[path]
        if digest_of(before) != digest_of(after):
            return _between(path, before, after)
    for path, after in second.items():
        if path not in first:
            return Difference(path, None, None, _summary(after))
    return None


def _between(path: str, before: object, after: object) -> Difference:
    if not (isinstance(before, np.ndarray) and isinstance(after, np.ndarray)):
        return Difference(path, None, _summary(before), _summary(after), _ulps(before, after))
    if before.shape != after.shape or before.dtype != after.dtype:
        return Difference(path, None, _summary(before), _summary(after))
    same: Mask = (before == after) | ((before != before) & (after != after))
    row: tuple[int, ...] = tuple(np.argwhere(~same)[0].tolist())
    first: np.generic = before[row]
    second: np.generic = after[row]
    return Difference(path, row, first.item(), second.item(), _ulps(first, second))


def _summary(value: object) -> object:
    if isinstance(value, np.ndarray):
        return f"{value.dtype} of shape {value.shape}"
    return f"the same as {value.path}" if isinstance(value, SameObject) else value


def _ulps(first: object, second: object) -> int | None:
    """Return the number of steps between two floats of the same dtype. One step leads from a float
    to the next larger or smaller float.
    """
    if not (isinstance(first, float | np.floating) and isinstance(second, float | np.floating)):
        return None
    a = np.asarray(first)
    b = np.asarray(second)
    if (
        a.dtype != b.dtype
        or a.dtype.kind != "f"
        or a.dtype.itemsize > 8
        or not np.isfinite([a, b]).all()
    ):
        return None
    return abs(_float_index(a) - _float_index(b))


def _float_index(number: NDArray[Any]) -> int:
    """Return the index of a float in the order of all floats of its dtype. The index of 0.0 is
    0.
    """
    bits = int(number.view(f"i{number.dtype.itemsize}"))
    return bits if bits >= 0 else -(bits + (1 << (8 * number.dtype.itemsize - 1)))


def worded(before: object, after: object) -> tuple[str, str]:
    """Return both values as texts for a message. Long texts are shortened to the part that starts
    just before the first difference.
    """
    texts = ["nothing" if value is None else repr(value) for value in (before, after)]
    part = next(
        (index for index, (a, b) in enumerate(zip(*texts, strict=False)) if a != b),
        min(map(len, texts)),
    )
    begin = max(part - _MAX_LENGTH // 3, 0) if max(map(len, texts)) > _MAX_LENGTH else 0
    first, second = [_shortened(text, begin) for text in texts]
    return first, second


_MAX_LENGTH = 60


def _shortened(text: str, begin: int) -> str:
    text = f"…{text[begin + 1 :]}" if begin else text
    return text if len(text) <= _MAX_LENGTH else f"{text[: _MAX_LENGTH - 1]}…"


def apart(ulps: int | None) -> str:
    """Return a text for a message about the distance between two floats, such as " (3 ULP apart)".
    Return "" if the distance is large, or if the distance is None.
    """
    return "" if ulps is None or ulps > 1_000_000 else f" ({ulps:,} ULP apart)"
