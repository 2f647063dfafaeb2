"""Hashes of a game's state that are the same wherever the state is, and the first place where two
states differ.

What is hashed does not depend on addresses, on Python's seed for hashes, on the order of a set's
members, on the sign of a zero or the bits of a NaN. It does depend on the order of a dict's keys,
in which a game may iterate, and on what is the same object: each is numbered when the `walk`
meets it for the first time, and referred to by its number. Parts are joined in order and hashed
together with xxh3; nothing is ever combined by XOR, in which two equal parts would cancel.
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
from .kinds import GONE, columns_of
from .values import write_values
from .walk import Listing as Listing
from .walk import Paths, steps, walk
from .walk import Same as Same

SCHEME = 2
"""The number of the scheme by which states are hashed. A recording stores it, and hashes of another
scheme are not compared. It goes up when the same state gets another hash: when an attribute of the
framework that is part of the state is added or removed. One that is only renamed gets an entry in
`stable_names` instead. Recordings without a number have scheme 1."""


def state_hash(roots: Mapping[str, object], aside: Sequence[object] = ()) -> int:
    """One number for all that can be reached from ``roots``, things or values by their paths, but
    for what is ``aside``."""
    try:
        return digest(walk(roots, aside))
    except ReferenceError:
        raise FrameworkError(f"state_hash: {GONE}") from None


def listing(roots: Mapping[str, object], aside: Sequence[object] = ()) -> Listing:
    """All values that `state_hash` goes by, each at the shortest path that leads to it; arrays are
    copies.
    """
    listed = _Listed(roots, aside)
    walk(roots, aside, listed.visit)
    return listed.leaves


class _Listed(Paths):
    """The paths of things, and the values at them."""

    def visit(self, thing: object, description: Description) -> None:
        path = self._of[id(thing)]
        head, _, parts = description
        if isinstance(thing, np.ndarray) and not thing.dtype.hasobject:
            self.leaves[path] = thing.copy()
        elif isinstance(thing, Table):
            self.leaves[f"{path}.rows"] = head, len(parts)
            columns = columns_of(thing)
            for column in columns:
                self.leaves[f"{path}.{column.name}"] = values_of(thing, column).copy()
            further = slice(len(columns), None)
            for step, part in zip(steps(thing, description)[further], parts[further], strict=True):
                self._put(path + step, part)
        else:
            # Of two at one path, as a scene and its works, the first is what a reader looks for.
            self.leaves.setdefault(path, (head, len(parts)))
            super().visit(thing, description)


def hashes(leaves: Listing) -> dict[str, int]:
    """The hash of each value of a listing."""
    return {path: digest_of(value) for path, value in leaves.items()}


def digest_of(value: object) -> int:
    """The hash of one value of a listing."""
    if isinstance(value, np.ndarray):
        return digest_of_array(value)
    out: list[object] = []
    write_values([value.path if isinstance(value, Same) else value], out, {}, [])
    return digest(["same", *out] if isinstance(value, Same) else out)


# -- the first difference --------------------------------------------------------------------------


@dataclass(frozen=True)
class Difference:
    """Where two states differ first, and how."""

    path: str
    """Of the value, as in "game.ships[2].speed"."""
    row: tuple[int, ...] | None
    """Where in the array at that path; None for what is no array."""
    before: object
    """The value in the first state; None where it has none."""
    after: object
    """The value in the second state; None where it has none."""
    ulps: int | None = None
    """Of two floats: how many numbers of their kind lie between them, counting one of them."""

    def __str__(self) -> str:
        row = "" if self.row is None else f"[{', '.join(map(str, self.row))}]"
        before, after = worded(self.before, self.after)
        return f"{self.path}{row}: {before} and {after}{apart(self.ulps)}"


def first_difference(first: Listing, second: Listing) -> Difference | None:
    """Where two listings (of `Game.debug.state_values`) differ first, in the order of the walk; None
    where they do not.
    """
    for name, given in (("first", first), ("second", second)):
        instance(name, given, dict, what="what game.debug.state_values() returns")
    for path, before in first.items():
        if path not in second:
            return Difference(path, None, _told(before), None)
        after = second[path]
        if digest_of(before) != digest_of(after):
            return _between(path, before, after)
    for path, after in second.items():
        if path not in first:
            return Difference(path, None, None, _told(after))
    return None


def _between(path: str, before: object, after: object) -> Difference:
    if not (isinstance(before, np.ndarray) and isinstance(after, np.ndarray)):
        return Difference(path, None, _told(before), _told(after), _ulps(before, after))
    if before.shape != after.shape or before.dtype != after.dtype:
        return Difference(path, None, _told(before), _told(after))
    same: Mask = (before == after) | ((before != before) & (after != after))
    row: tuple[int, ...] = tuple(np.argwhere(~same)[0].tolist())
    one: np.generic = before[row]
    other: np.generic = after[row]
    return Difference(path, row, one.item(), other.item(), _ulps(one, other))


def _told(value: object) -> object:
    if isinstance(value, np.ndarray):
        return f"{value.dtype} of shape {value.shape}"
    return f"the same as {value.path}" if isinstance(value, Same) else value


def _ulps(one: object, other: object) -> int | None:
    """How many steps lie between two floats of the same kind."""
    if not (isinstance(one, float | np.floating) and isinstance(other, float | np.floating)):
        return None
    a, b = np.asarray(one), np.asarray(other)
    if (
        a.dtype != b.dtype
        or a.dtype.kind != "f"
        or a.dtype.itemsize > 8
        or not np.isfinite([a, b]).all()
    ):
        return None
    places = []
    for number in (a, b):
        bits = int(number.view(f"i{a.dtype.itemsize}"))
        places.append(bits if bits >= 0 else -(bits + (1 << (8 * a.dtype.itemsize - 1))))
    return abs(places[0] - places[1])


def worded(before: object, after: object) -> tuple[str, str]:
    """Two values in few words each, which begin near where they part."""
    texts = ["nothing" if value is None else repr(value) for value in (before, after)]
    part = next(
        (place for place, (a, b) in enumerate(zip(*texts, strict=False)) if a != b),
        min(map(len, texts)),
    )
    begin = max(part - _WORDS // 3, 0) if max(map(len, texts)) > _WORDS else 0
    one, other = [_shortened(text, begin) for text in texts]
    return one, other


_WORDS = 60


def _shortened(text: str, begin: int) -> str:
    text = f"…{text[begin + 1 :]}" if begin else text
    return text if len(text) <= _WORDS else f"{text[: _WORDS - 1]}…"


def apart(ulps: int | None) -> str:
    """How far two floats are apart, in words, where they are near."""
    return "" if ulps is None or ulps > 1_000_000 else f" ({ulps:,} ULP apart)"
