"""Compute hashes of values, with the same results on all machines.

A hash does not depend on memory addresses or on Python's hash seed. 0 and -0 have the same hash,
and so have all NaNs.
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

from ..state.columns import Codes, Table, TableColumn

# the version of marshal's format, because later versions write references to earlier objects
_VERSION = 2


def digest(value: Any) -> int:
    """Return the xxh3 hash of a value. The value must be of a type that `marshal.dumps`
    supports.
    """
    return int(xxhash.xxh3_64_intdigest(marshal.dumps(value, _VERSION)))


# -- arrays ----------------------------------------------------------------------------------------


def digest_of_array(values: NDArray[Any]) -> int:
    """Return the xxh3 hash of an array. The hash depends on the numbers, the dtype and the shape. 0
    and -0 have the same hash, and all NaNs have the same hash.
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
    """Convert an array to little-endian numbers, with a dtype that `_canonical` supports."""
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
    """Return an array of floats in which -0 is replaced with 0, and all NaNs have the same bits.
    ``values`` must be contiguous.

    Most arrays contain neither -0 nor NaN. Two fast tests detect this, and the function then
    returns ``values`` itself. The first test computes the minimum of the array, which is NaN if the
    array contains a NaN. The second test interprets the bits of the floats as integers: as an
    integer, -0 is the lowest possible number.
    """
    flat = values.reshape(-1)
    if not flat.size:
        return values
    minimum: float = _minimum(flat).item()
    if minimum > 0:  # all numbers are positive, so no number is NaN or -0
        return values
    nan = math.isnan(minimum)
    integer, lowest = _BITS[flat.itemsize]
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


def values_of(table: Table, column: TableColumn) -> NDArray[Any]:
    """Return the values of a column for a hash, without those of removed rows. If the values are
    indices of images or other objects, return the hashes of these objects instead.
    """
    rows = column.current(table.count)
    if table.holes:
        rows = np.delete(rows, list(table.holes), axis=0)
    codes = table.codes.get(column.name)
    if codes is None:
        return rows
    hashes = np.array(hashes_of_codes(codes), np.uint64)
    # without rows, no hashes are needed, even if there were many images
    return hashes[rows] if len(rows) else rows


def hashes_of_codes(codes: Codes) -> list[int]:
    for meaning in codes.things[len(codes.hashes) :]:
        codes.hashes.append(hash_of_picture(meaning))
    return codes.hashes


def hash_of_picture(source: Any) -> int:
    """Return the hash of an image. ``source`` is a path, an array, a Pillow image or an image
    region.

    For a path, the hash depends only on the path itself, not on the contents of the file.
    ``source`` can also be another string, such as the name of a clip.
    """
    if isinstance(source, str | os.PathLike):
        return digest(PurePath(source).as_posix())
    if isinstance(source, np.ndarray):
        return digest_of_array(source)
    if hasattr(source, "then"):  # an image that a thread is still decoding
        return hash_of_picture(source.source)
    if hasattr(source, "tobytes"):
        return digest([source.mode, source.size, source.tobytes()])
    if hasattr(source, "source"):  # a `Region`
        return digest([hash_of_picture(source.source), repr(source.box), repr(source.anchor)])
    return digest(source.size)  # the game draws the image of a `RenderTexture`
