"""Digests: numbers that stand for values, the same in every process and on every machine.

A digest does not depend on addresses, on Python's seed for hashes, on the sign of a zero or the
bits of a NaN.
"""

from __future__ import annotations

import functools
import marshal
import math
import os
import sys
from collections.abc import Callable
from pathlib import PurePath
from typing import Any

import numpy as np
import xxhash
from numpy.typing import NDArray

from ..state.columns import Codes, Column, Table

_VERSION = 2  # of marshal's format: the last one that does not refer back to objects it has seen


def digest(value: Any) -> int:
    """xxh3 of what marshal can write."""
    return int(xxhash.xxh3_64_intdigest(marshal.dumps(value, _VERSION)))


# -- arrays ----------------------------------------------------------------------------------------


def digest_of_array(values: NDArray[Any]) -> int:
    """xxh3 of an array's numbers, its dtype and its shape; a zero has no sign, and all NaN are
    one.
    """
    dtype = values.dtype
    if not values.flags.c_contiguous:
        values = np.ascontiguousarray(values)
    if dtype not in _SIMPLE or sys.byteorder == "big":
        if dtype.hasobject or dtype.kind in "VmM":
            return digest([dtype.str, repr(values.tolist())])
        values = _simplified(values)
    seed = _seed(dtype, values.shape)
    if values.dtype.kind == "f":
        values = _canonical(values)
    return int(_xxh3(values, seed))


_SIMPLE = frozenset([np.dtype(kind) for kind in ("f4", "f8", "i4", "i8", "?", "u1", "u4", "i2")])


def _simplified(values: NDArray[Any]) -> NDArray[Any]:
    """Numbers in the order of bytes and of a kind that this module looks into."""
    dtype = values.dtype
    if dtype.kind == "c":
        values = values.view(f"{dtype.byteorder}f{dtype.itemsize // 2}")
    if values.dtype.kind == "f" and values.dtype.itemsize > 8:
        values = values.astype("f8")
    return values.astype(values.dtype.newbyteorder("<"), copy=False)


@functools.lru_cache(maxsize=4096)
def _seed(dtype: np.dtype[Any], shape: tuple[int, ...]) -> int:
    return digest([dtype.newbyteorder("<").str, shape])


def _canonical(values: NDArray[Any]) -> NDArray[Any]:
    """Contiguous floats with no -0 and one NaN: themselves, where they are so, which as a rule is
    told by two looks.

    Of the bits as whole numbers, those of -0 are the lowest there are; the smallest of numbers is
    NaN where any is.
    """
    flat = values.reshape(-1)
    if not flat.size:
        return values
    least: float = _minimum(flat).item()
    if least > 0:  # and so is all of it
        return values
    nan, (integer, lowest) = math.isnan(least), _BITS[flat.itemsize]
    if not nan and _minimum(flat.view(integer)).item() != lowest:
        return values
    flat = flat.copy()
    if nan:
        flat[np.isnan(flat)] = np.nan
    flat += 0  # -0 becomes 0
    return flat


_minimum = np.minimum.reduce
_xxh3: Callable[..., int] = xxhash.xxh3_64_intdigest
_BITS = {size: (np.dtype(f"i{size}"), -(1 << (8 * size - 1))) for size in (2, 4, 8)}


def values_of(table: Table, column: Column) -> NDArray[Any]:
    """What the rows hold that are not gone, or the hashes of what their numbers stand for."""
    rows = column.current(table.count)
    if table.holes:
        rows = np.delete(rows, list(table.holes), axis=0)
    codes = table.codes.get(column.name)
    if codes is None:
        return rows
    hashes = np.array(hashes_of_codes(codes), np.uint64)
    return hashes[rows] if len(rows) else rows  # of none, whatever images there once were


def hashes_of_codes(codes: Codes) -> list[int]:
    for thing in codes.things[len(codes.hashes) :]:
        codes.hashes.append(hash_of_picture(thing))
    return codes.hashes


def hash_of_picture(source: Any) -> int:
    """Of a path, of an array, of a Pillow image, or of a region of one of these; or of a name, as
    clips have them.
    """
    if isinstance(source, str | os.PathLike):
        return digest(PurePath(source).as_posix())
    if isinstance(source, np.ndarray):
        return digest_of_array(source)
    if hasattr(source, "then"):  # one that a thread decodes
        return hash_of_picture(source.source)
    if hasattr(source, "tobytes"):
        return digest([source.mode, source.size, source.tobytes()])
    if hasattr(source, "source"):  # a `Region`
        return digest([hash_of_picture(source.source), repr(source.box), repr(source.anchor)])
    return digest(source.size)  # a `RenderTexture`: what it shows follows from the game
