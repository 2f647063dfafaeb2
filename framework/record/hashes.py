"""State hashes: one number for the whole state of a game. The hash of a state is equal on all
machines.

A hash does not depend on memory addresses, on Python's hash seed, or on the order of a set's
members. The sign of a zero and the bits of a NaN do not change a hash either. A hash does depend on
the order of a dict's keys, because a game may iterate over a dict. A hash also depends on which
references refer to the same object. `walk` gives each object a number at its first visit. Later
references to an object add only the number of the object to the hash. The hashes of all objects are
written one after another. xxh3 then computes one hash from all of them. Hashes are not combined by
XOR, because two equal hashes would cancel each other.
"""

from __future__ import annotations

__all__ = ["Difference", "first_difference"]

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

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
"""The version of the hash algorithm. A recording stores the version of the hash algorithm. Hashes
of different versions are not compared.

Increase this version number if the same state gets another hash, for example because a class of the
framework has a new attribute. For a renamed attribute, do not increase the version number: add the
old name to the module `stable_names`. A recording without a version has version 1.
"""


def state_hash(roots: Mapping[str, object], aside: Sequence[object] = ()) -> int:
    """Return the hash of a state. The state is all objects that can be reached from ``roots``,
    except the objects ``aside``.

    ``roots`` is a dict from names, such as "game", to the objects at which the search starts.
    """
    try:
        return digest(walk(roots, aside))
    except ReferenceError:
        raise FrameworkError(f"state_hash: {GONE}") from None


def listing(roots: Mapping[str, object], aside: Sequence[object] = ()) -> Listing:
    """Return all values of a state, as a dict from paths to values. The path of a value is the
    shortest path to it.

    Arrays in the dict are copies.
    """
    listed = _Listed(roots, aside)
    walk(roots, aside, listed.visit)
    return listed.leaves


class _Listed(ObjectPaths):
    """Stores the values of a state by their paths, such as "game.ships[2].speed"."""

    def visit(self, obj: object, description: Description) -> None:
        path = self._of[id(obj)]
        head, _, parts = description
        if isinstance(obj, np.ndarray) and not obj.dtype.hasobject:
            self.leaves[path] = obj.copy()
        elif isinstance(obj, Table):
            self.leaves[f"{path}.ids"] = ids_of(obj).copy()
            self.leaves[f"{path}.rows"] = head, len(parts)
            columns = columns_of(obj)
            for column, part in zip(columns, parts, strict=False):
                if column in obj.of_objects:
                    self._put(f"{path}.{column.name}", part)
                else:
                    self.leaves[f"{path}.{column.name}"] = values_of(obj, column).copy()
            rest_of_parts = slice(len(columns), None)
            for step, part in zip(
                steps(obj, description)[rest_of_parts], parts[rest_of_parts], strict=True
            ):
                self._put(path + step, part)
        else:
            # If two objects have the same path, as a scene and its backend, the first is the one to
            # list.
            self.leaves.setdefault(path, (head, len(parts)))
            super().visit(obj, description)


def hashes(leaves: Listing) -> dict[str, int]:
    """Return the hash of each value in a `listing`, as a dict from paths to hashes."""
    return {path: digest_of(value) for path, value in leaves.items()}


def digest_of(value: object) -> int:
    """Return the hash of one value from a `listing`."""
    if isinstance(value, np.ndarray):
        return digest_of_array(value)
    out: list[object] = []
    write_values([value.path if isinstance(value, SameObject) else value], out, {}, [])
    return digest(["same", *out] if isinstance(value, SameObject) else out)


# -- the first difference --------------------------------------------------------------------------


@dataclass(frozen=True)
class Difference:
    """The first difference between two states: the path of the value, and both values."""

    path: str
    """The path of the value, as in "game.ships[2].speed"."""
    row: tuple[int, ...] | None
    """The index in the array at `path`. The index is None if the value is not an array."""
    before: object
    """The value in the first state. The value is None if the first state does not have it."""
    after: object
    """The value in the second state. The value is None if the second state does not have it."""
    ulps: int | None = None
    """The distance between two floats, in units in the last place (ULP). The distance is None if
    the values are not floats.
    """

    def __str__(self) -> str:
        row = "" if self.row is None else f"[{', '.join(map(str, self.row))}]"
        before, after = worded(self.before, self.after)
        return f"{self.path}{row}: {before} and {after}{apart(self.ulps)}"


def first_difference(first: Listing, second: Listing) -> Difference | None:
    """Return the first difference between two results of `Game.debug.state_values`. Return None if
    there is none.

    Values are compared in the order in which `walk` visits them.
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
    """Return the distance between two floats of the same dtype, in steps. The distance is 1 if
    there is no float between the two.
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
    positions = []
    for number in (a, b):
        bits = int(number.view(f"i{a.dtype.itemsize}"))
        positions.append(bits if bits >= 0 else -(bits + (1 << (8 * a.dtype.itemsize - 1))))
    return abs(positions[0] - positions[1])


def worded(before: object, after: object) -> tuple[str, str]:
    """Return two values as short texts for a message. Each text begins near the first difference of
    the two texts.
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
    """Return the distance between two floats in words. Return "" if they are far apart."""
    return "" if ulps is None or ulps > 1_000_000 else f" ({ulps:,} ULP apart)"
