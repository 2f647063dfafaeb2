"""The numbers of tiles as Tiled writes them: CSV, base64 packed by zlib, gzip or zstd, JSON, elements of XML."""

from __future__ import annotations

import binascii
import re
import warnings
import zlib
from array import array
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..checks import shown
from .tiles import Gids

CELLS = "cells of an array"
"""The key of what stands for an array that was cut out of JSON: its number among them."""
_ARRAY = re.compile(rb'(?<!\\)"(?:data|intGridCsv)"\s*:\s*\[')
_DIGITS = b"0123456789, \t\r\n"
_ZSTD = "its tiles are packed by zstd: pip install zstandard, or save them as zlib"


def decoded(data: object, encoding: str, compression: str, count: int) -> Gids:
    """``count`` tiles (count,) from what the file has for them. Raises `ValueError` where they are more or fewer.

    ``data`` is a string for the encodings "csv" and "base64", and a list or an array for others.
    """
    if encoding == "base64":
        if not isinstance(data, str):
            raise ValueError(f"its tiles are {shown(data)}, expected a string in base64")
        return _unpacked(data, compression, count)
    if isinstance(data, str):
        if encoding != "csv":
            raise ValueError(f"its encoding is {shown(encoding)}, expected csv or base64")
        numbers: NDArray[Any] = comma_separated(data.encode(), count)
    else:
        numbers = _listed(data)
    if len(numbers) != count:
        raise ValueError(f"it has {len(numbers):,} tiles, expected {count:,}")
    if count and (int(numbers.min()) < 0 or int(numbers.max()) > 0xFFFF_FFFF):
        raise ValueError("its tiles are no numbers from 0 to 4,294,967,295")
    return numbers.astype(np.uint32)


def comma_separated(text: bytes, count: int) -> NDArray[np.int64]:
    """``count`` whole numbers of at least 0, with commas between them and white space anywhere but in them."""
    if text.translate(None, _DIGITS):
        raise ValueError("its numbers are not whole numbers with commas between them")
    found = text.count(b",") + (not text.rstrip().endswith(b",")) if text.strip() else 0
    if found != count:
        raise ValueError(f"it has {found:,} numbers, expected {count:,}")
    if not count:
        return np.zeros(0, np.int64)
    with warnings.catch_warnings():  # of NumPy, at what it cannot read to its end
        warnings.simplefilter("error")
        try:
            return np.fromstring(text, np.int64, sep=",")
        except DeprecationWarning:
            raise ValueError("its numbers are not whole numbers with commas between them") from None


def _listed(data: object) -> NDArray[Any]:
    if isinstance(data, array):
        return np.array(data, np.uint64)
    if not isinstance(data, list):
        raise ValueError(f"its tiles are {shown(data)}, expected a list of numbers")
    if not {int}.issuperset(map(type, data)):
        raise ValueError("its tiles are not all whole numbers")
    try:
        return np.array(data, np.int64)
    except OverflowError:
        raise ValueError("its tiles are no numbers from 0 to 4,294,967,295") from None


def _unpacked(text: str, compression: str, count: int) -> Gids:
    try:
        packed = binascii.a2b_base64(text)
    except ValueError:
        raise ValueError("its tiles are not base64") from None
    size = 4 * count
    if compression in ("zlib", "gzip"):
        unpacked = _inflated(packed, size)
    elif compression == "zstd":
        unpacked = _zstd(packed, size)
    elif not compression:
        unpacked = packed
    else:
        raise ValueError(f"its compression is {shown(compression)}, expected zlib, gzip or zstd")
    if len(unpacked) != size:
        fewer = "fewer" if len(unpacked) < size else "more"
        raise ValueError(f"its tiles have {fewer} than the {size:,} bytes of {count:,} tiles")
    return np.frombuffer(unpacked, "<u4").astype(np.uint32)


def _inflated(packed: bytes, size: int) -> bytes:
    """At most one byte more than ``size``."""
    unpacking = zlib.decompressobj(47)  # with a header of zlib or of gzip
    try:
        unpacked = unpacking.decompress(packed, size + 1)
    except zlib.error as error:
        raise ValueError(f"its tiles cannot be unpacked: {error}") from None
    if len(unpacked) == size and not unpacking.eof:
        raise ValueError("its tiles cannot be unpacked: they are cut off")
    return unpacked


def _zstd(packed: bytes, size: int) -> bytes:
    """At most one byte more than ``size``. From Python's own library as of 3.14, or from zstandard."""
    try:
        library: Any = import_module("compression.zstd")
    except ImportError:
        try:
            library = import_module("zstandard")
        except ImportError:
            raise ValueError(_ZSTD) from None
    unpacker = library.ZstdDecompressor()
    try:
        if library.__name__ == "zstandard":
            unpacked: bytes = unpacker.stream_reader(packed).read(size + 1)
        else:
            unpacked = unpacker.decompress(packed, size + 1)
    except library.ZstdError as error:
        raise ValueError(f"its tiles cannot be unpacked: {shown(str(error))}") from None
    return unpacked


def cut_out(data: bytes) -> tuple[bytes, list[bytes]]:
    """JSON without its long arrays of numbers, and these: a number in Python's own takes 15 times as long to read.

    Each ``"data": [1, 2]`` (or intGridCsv) becomes ``"data": {"cells of an array": 0}``. A quote that is not escaped,
    a key and a colon in this order are nothing else in valid JSON; what is in brackets within is left as it is.
    """
    kept, arrays, at = [], list[bytes](), 0
    for found in _ARRAY.finditer(data):
        end = data.find(b"]", found.end())
        body = data[found.end() : end]
        if found.start() < at or end < 0 or body.translate(None, _DIGITS):
            continue
        kept += [data[at : found.end() - 1], b'{"%s":%d}' % (CELLS.encode(), len(arrays))]
        arrays.append(body)
        at = end + 1
    return b"".join([*kept, data[at:]]), arrays


def put_back(value: object, arrays: list[bytes]) -> object:
    """What a value of such JSON stands for: a string of numbers, if it does."""
    if isinstance(value, dict) and type(number := value.get(CELLS)) is int and 0 <= number < len(arrays):
        return arrays[number].decode()
    return value
