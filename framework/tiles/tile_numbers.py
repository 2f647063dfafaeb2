"""Decode the tile numbers in map files, from CSV, or from base64 with zlib, gzip or zstd."""

from __future__ import annotations

import binascii
import re
import zlib
from array import array
from importlib import import_module
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from ..arrays import Mask, Rows
from ..checks import shown
from ..errors import FrameworkError
from ..optional_packages import check_version
from .map_data import Gids

CELLS = "cells of an array"
"""The key of a placeholder in JSON: a dict ``{CELLS: index}`` that replaces an array with this
index.
"""
_JSON_ARRAY = re.compile(rb'"(data)"\s*:\s*\[')
_LDTK_ARRAY = re.compile(rb'"(intGridCsv|gridTiles|autoLayerTiles)"\s*:\s*\[')
_CDATA = b"<![CDATA["
_END_OF_TILES = re.compile(rb"\}\s*\]")
_XML_ARRAY = re.compile(rb"<(?:data|chunk)\b[^<>]*>")
_STAND_IN = re.compile(r"\s*#(\d{1,9})#\s*")
_NESTED = (b'"', b"{", b"[")
_MIN_BYTES = 256  # minimum length in bytes of an array that is cut out of the text
_SPACE = b" \t\r\n"
_BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=" + _SPACE
_BLOCK = 1 << 17
_BEFORE = b"," * 8  # bytes that are read together with the first number
# The factors of the digits before the last four digits. A number with more digits is an error.
_FACTORS = (np.uint64(10**4), np.uint64(10**8), np.uint64(10**12))
_ZSTD = "its tiles are packed by zstd: pip install zstandard, or save them as zlib"
_NO_DIGITS = "it has a number of no digits"
_NO_TILES = "its tiles are no numbers from 0 to 4,294,967,295"


def decoded(data: object, encoding: str, compression: str, count: int) -> Gids:
    """Decode the tile numbers of a layer, as an array of shape (``count``,).

    Raises `ValueError` if ``data`` does not contain exactly ``count`` numbers.

    For the encodings "csv" and "base64", ``data`` is text. For other encodings, ``data`` is a list
    or an array.
    """
    if encoding not in ("", "csv", "base64"):
        raise ValueError(f"its encoding is {shown(encoding)}, expected csv or base64")
    if isinstance(data, str):
        data = data.encode()
    if encoding == "base64":
        if not isinstance(data, bytes | memoryview):
            raise ValueError(f"its tiles are {shown(data)}, expected a string in base64")
        return _unpacked(bytes(data), compression, count)
    if isinstance(data, bytes | memoryview):
        return comma_separated(data, count)
    numbers = _listed(data)
    if len(numbers) != count:
        raise ValueError(f"it has {len(numbers):,} tiles, expected {count:,}")
    if count and (int(numbers.min()) < 0 or int(numbers.max()) > 0xFFFF_FFFF):
        raise ValueError(_NO_TILES)
    return numbers.astype(np.uint32)


def comma_separated(text: bytes | memoryview, count: int) -> Gids:
    """Decode ``count`` numbers that are separated by commas. The numbers must be below 2^32.

    Return an array of shape (count,). White space before and after a number is ignored.
    """
    whole = memoryview(text)
    whole = whole[: _length(whole)]
    numbers = np.empty(count, np.uint32)
    offset = 0
    filled = 0
    while offset < len(whole):
        # The blocks are small enough for the processor's cache. The end of a block is never between
        # a number and its comma.
        piece = b"".join((_BEFORE, whole[offset : offset + _BLOCK]))
        end = piece.rfind(b",", 8) + 1 if offset + _BLOCK < len(whole) else len(piece)
        if end <= 8:
            raise ValueError(_NO_TILES)
        block = _block(piece, 8, end)
        if block is None:
            return comma_separated(bytes(whole).translate(None, _SPACE), count)
        if filled + len(block) <= count:
            numbers[filled : filled + len(block)] = block
        offset = offset + end - 8
        filled = filled + len(block)
    if filled != count:
        raise ValueError(f"it has {filled:,} numbers, expected {count:,}")
    return numbers


def _length(text: memoryview) -> int:
    """Return the length of a text without the white space at its end."""
    end = len(text)
    while end and not (last := bytes(text[max(end - _BLOCK, 0) : end]).rstrip(_SPACE)):
        end -= min(_BLOCK, end)
    return max(end - _BLOCK, 0) + len(last) if end else 0


def _block(text: bytes, start: int, end: int) -> NDArray[Any] | None:
    """Decode the numbers in a part of the text, which are separated by commas.

    Return None if there is white space between a number and the next comma.

    For each byte of the text, compute the number that ends at this byte: 1, 12 and 123 for the text
    "123,". All bytes need the same steps, so the processor can compute 32 bytes at the same time.
    Then keep only the numbers that end before a comma. This is ten times as fast as NumPy's text
    parser. Numbers with more than four digits are decoded by `_long`.
    """
    # including the comma before the number
    marks = np.frombuffer(text, np.uint8, end - start + 1, start - 1)
    is_comma: Mask = marks == ord(",")
    commas = is_comma[1:]
    digits = marks - np.uint8(ord("0"))
    digit = digits <= 9
    ends = commas.nonzero()[0]
    count = len(ends)
    blanks = len(commas) - count - int(np.count_nonzero(digit))
    if blanks and _blanks_before_numbers(marks, is_comma, digit, blanks):
        return None
    if np.count_nonzero(commas & digit[:-1]) < count:
        raise ValueError(_NO_DIGITS)
    if not commas[-1]:
        ends = np.append(ends, len(commas))
    if not digit[ends[-1]]:
        raise ValueError(_NO_DIGITS)
    fours = _four_digits(digits, digit)
    # the indices are valid, and checking them would take time
    numbers: NDArray[Any] = fours.take(ends, mode="clip")
    # A number with five digits or more needs five bytes before its comma.
    longest = int((ends[1:] - ends[:-1]).max()) - 1 if len(ends) > 1 else 0
    if max(longest, int(ends[0])) > 4:
        fives = _five_digits(digit)
        long = np.flatnonzero(fives.take(ends))
        if len(long):
            numbers = numbers.astype(np.uint32)
            numbers[long] = _long(fours, fives, ends.take(long))
    return numbers


def _blanks_before_numbers(
    marks: NDArray[np.uint8], is_comma: Mask, digit: Mask, blanks: int
) -> bool:
    """Return whether there is white space between a number and the next comma.

    ``blanks`` is the number of bytes that are neither digits nor commas. Raises `ValueError` if not
    all of them are white space.
    """
    # Usually there is one space after each comma, and no other white space.
    spaces = marks[1:] == ord(" ")
    spaces &= is_comma[:-1]
    if np.count_nonzero(spaces) == blanks:
        return False
    white = marks <= ord(" ")
    if np.count_nonzero(white) != blanks:
        raise ValueError("its numbers are not whole numbers with commas between them")
    return bool((digit[:-1] & white[1:]).any())


def _four_digits(digits: NDArray[np.uint8], digit: Mask) -> NDArray[np.uint16]:
    """For each byte, return the number of up to four digits that ends at this byte.

    ``digits`` is overwritten.
    """
    ones = digit.view(np.uint8)  # NumPy multiplies arrays of one type in half the time
    digits *= ones
    pairs = digits.copy()
    digits *= 10
    pairs[1:] += digits[:-1]
    pairs *= ones
    fours: NDArray[np.uint16] = pairs.astype(np.uint16)
    pairs[:-1] *= ones[1:]
    higher = pairs[:-2].astype(np.uint16)
    higher *= 100
    fours[2:] += higher
    return fours


def _five_digits(digit: Mask) -> Mask:
    """Return whether each byte and the four bytes before it are digits."""
    pairs = digit[1:] & digit[:-1]
    fives = np.empty(len(digit), bool)
    fives[:4] = False
    np.bitwise_and(pairs[3:], pairs[1:-2], out=fives[4:])
    fives[4:] &= digit[:-4]
    return fives


def _long(fours: NDArray[np.uint16], fives: Mask, ends: Rows) -> NDArray[np.uint64]:
    """Decode all numbers that have more than four digits. ``ends`` contains the index of each
    number's last digit.

    ``fours`` is the array that `_four_digits` returned. ``fives`` is True for each digit that
    follows four other digits.
    """
    numbers = fours.take(ends).astype(np.uint64)
    longer = np.arange(len(ends))
    for factor in _FACTORS:
        ends = ends - 4
        numbers[longer] += fours.take(ends) * factor
        indices = np.flatnonzero(fives.take(ends))
        if not len(indices):
            break
        longer = longer.take(indices)
        ends = ends.take(indices)
    else:
        raise ValueError(_NO_TILES)
    if int(numbers.max()) > 0xFFFF_FFFF:
        raise ValueError(_NO_TILES)
    return numbers


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
        raise ValueError(_NO_TILES) from None


def _unpacked(text: bytes, compression: str, count: int) -> Gids:
    try:
        packed = binascii.a2b_base64(text.strip(_SPACE), strict_mode=True)
    except ValueError:  # the text has line breaks, or is not valid base64
        packed = _loose_base64(text)
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


def _loose_base64(text: bytes) -> bytes:
    """Decode base64 text, ignoring white space anywhere in it."""
    if not text.translate(None, _BASE64):
        try:
            return binascii.a2b_base64(text)
        except ValueError:
            pass
    raise ValueError("its tiles are not base64")


def _inflated(packed: bytes, size: int) -> bytes:
    """Decompress data in zlib or gzip format.

    Return at most ``size`` + 1 bytes of decompressed data. If it is ``size`` + 1 bytes long, the
    data is too long.
    """
    unpacking = zlib.decompressobj(47)  # the data may have a header of zlib or of gzip
    try:
        unpacked = unpacking.decompress(packed, size + 1)
    except zlib.error as error:
        raise ValueError(f"its tiles cannot be unpacked: {error}") from None
    if len(unpacked) == size and not unpacking.eof:
        raise ValueError("its tiles cannot be unpacked: they are cut off")
    return unpacked


class _Reader(Protocol):
    """A stream from which decompressed bytes are read."""

    def read(self, size: int, /) -> bytes: ...


class _Decompressor(Protocol):
    """A zstd decompressor, from Python's own library or from the package zstandard."""

    def stream_reader(self, packed: bytes, /) -> _Reader: ...
    def decompress(self, packed: bytes, size: int, /) -> bytes: ...


class _Zstd(Protocol):
    """The zstd functions that this module uses. Both Python's own zstd library and the package
    zstandard provide them.
    """

    __name__: str
    ZstdError: type[Exception]

    def ZstdDecompressor(self) -> _Decompressor: ...


def _zstd(packed: bytes, size: int) -> bytes:
    """Decompress zstd data.

    Return at most ``size`` + 1 bytes of decompressed data. If it is ``size`` + 1 bytes long, the
    data is too long.
    """
    library = _zstd_library()
    unpacker = library.ZstdDecompressor()
    try:
        if library.__name__ == "zstandard":
            return unpacker.stream_reader(packed).read(size + 1)
        return unpacker.decompress(packed, size + 1)
    except library.ZstdError as error:
        raise ValueError(f"its tiles cannot be unpacked: {shown(str(error))}") from None


def _zstd_library() -> _Zstd:
    """Return Python's own zstd library, from Python 3.14 on, or the package zstandard."""
    try:
        return cast("_Zstd", import_module("compression.zstd"))
    except ImportError:
        pass
    try:
        library = cast("_Zstd", import_module("zstandard"))
    except ImportError:
        raise ValueError(_ZSTD) from None
    try:
        check_version("zstandard", "a map with zstd data")
    except FrameworkError as error:
        raise ValueError(str(error)) from None
    return library


def cut_out(data: bytes, arrays: list[memoryview], of_ldtk: bool = False) -> bytes:
    """Replace long arrays of tile numbers in JSON with placeholders.

    The arrays are appended to ``arrays``.

    This saves time, because Python's JSON parser takes ten times as long for numbers as
    `comma_separated`. In an LDtk file, tiles are JSON objects, which take a long time to parse. But
    a game needs only the tiles of one level.

    For example, ``"data": [1, 2]`` becomes ``"data": {"cells of an array": 0}``. In an LDtk file,
    the arrays intGridCsv, gridTiles and autoLayerTiles are replaced. The function finds them by
    their keys in quotes, followed by a colon. In valid JSON, quoted text before a colon is always a
    key, unless the quote is escaped. A list that contains lists or objects is not replaced.
    """
    pattern = _LDTK_ARRAY if of_ldtk else _JSON_ARRAY
    pieces = list[bytes]()
    offset = 0
    match = pattern.search(data)
    while match is not None:
        start = match.end()
        end = _end_of(data, start, match[1])
        escaped = data[match.start() - 1 : match.start()] == b"\\"
        if not escaped and end - start >= _MIN_BYTES:
            pieces += [data[offset : start - 1], b'{"%s":%d}' % (CELLS.encode(), len(arrays))]
            arrays.append(memoryview(data)[start:end])
            offset = start = end + 1
        match = pattern.search(data, start)
    return b"".join([*pieces, data[offset:]])


def _end_of(data: bytes, start: int, key: bytes) -> int:
    """Return the end index of an array. Return -1 if the array cannot be replaced.

    An array can be replaced if it contains only numbers. In an LDtk file, an array may also contain
    objects with lists of numbers.
    """
    if key.endswith(b"Tiles"):
        match = _END_OF_TILES.search(data, start)
        return (
            match.end() - 1
            if match is not None and data[start : match.start()].lstrip()[:1] == b"{"
            else -1
        )
    end = data.find(b"]", start)
    return end if all(data.find(mark, start, end) < 0 for mark in _NESTED) else -1


def cut_out_of_xml(data: bytes, arrays: list[memoryview]) -> bytes:
    """Replace long texts of tile numbers in XML with placeholders. The texts are appended to
    ``arrays``. This saves time, because the XML parser expat takes longer for the tile numbers than
    for the rest of the file. A placeholder is an index of ``arrays`` between two ``#`` characters,
    such as ``#0#``. Text in XML comments is replaced too. This has no effect, because the parser
    skips comments. A file with CDATA is not changed, because CDATA may contain text that looks like
    an element.
    """
    pieces = list[bytes]()
    offset = 0
    count = len(arrays)
    match = _XML_ARRAY.search(data)
    while match is not None:
        start = match.end()
        end = data.find(b"<", match.end())
        if end - start >= _MIN_BYTES and data.find(b"&", start, end) < 0:
            pieces += [data[offset:start], b"#%d#" % len(arrays)]
            arrays.append(memoryview(data)[start:end])
            offset = end
        match = _XML_ARRAY.search(data, max(start, end))
    remaining = b"".join([*pieces, data[offset:]])
    if _CDATA in remaining:  # arrays of numbers contain no "<"
        del arrays[count:]
        return data
    return remaining


def put_back(value: object, arrays: list[memoryview]) -> object:
    """Return the array or text that a placeholder replaced, or any other value unchanged."""
    number: object = value.get(CELLS) if isinstance(value, dict) else None
    if isinstance(value, str) and len(value) < _MIN_BYTES and (match := _STAND_IN.fullmatch(value)):
        number = int(match[1])
    return arrays[number] if type(number) is int and 0 <= number < len(arrays) else value
