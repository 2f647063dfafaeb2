"""Kerning: by how much two letters stand closer, read from the font itself, and so the same on
every machine.

The tables are those of https://learn.microsoft.com/typography/opentype/spec: pairs in ``GPOS``
(lookups of type 2, also as extensions), and where that kerns nothing, the older ``kern``. A table
that is broken kerns nothing.
"""

from __future__ import annotations

import struct
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import BinaryIO

_LARGEST_TABLE = 8 << 20
_MOST_TABLES = 1024  # and parts of one

_PAIRS, _EXTENSION = 2, 9
_X_ADVANCE, _BEFORE_X_ADVANCE = (
    4,
    3,
)  # of a value's format: its bit, and those of the numbers before it

_SCRIPTS = {"LATIN": b"latn", "GREEK": b"grek", "CYRILLIC": b"cyrl"}


_COLORED = (b"CBDT", b"COLR", b"sbix")

_U16, _I16, _U32 = (struct.Struct(form).unpack_from for form in (">H", ">h", ">I"))

# Of a font: enough for what a game writes in it, and not for all that might be written.
_MOST_PAIRS = 1 << 14


class _Table(bytes):
    """Big-endian numbers at offsets."""

    def u16(self, at: int) -> int:
        return _U16(self, at)[0]  # type: ignore[no-any-return]

    def i16(self, at: int) -> int:
        return _I16(self, at)[0]  # type: ignore[no-any-return]

    def u32(self, at: int) -> int:
        return _U32(self, at)[0]  # type: ignore[no-any-return]

    def tag(self, at: int) -> bytes:
        return self[at : at + 4]

    def search(self, key: int, at: int, count: int, step: int, wide: bool = False) -> int | None:
        """Where the row lies, of ``count`` in ascending order from ``at`` on, ``step`` bytes each,
        which begins with ``key``, a number of two bytes, or four if it is ``wide``."""
        low, high, read = 0, count, self.u32 if wide else self.u16
        while low < high:
            middle = (low + high) // 2
            found = read(at + middle * step)
            if found == key:
                return at + middle * step
            low, high = (middle + 1, high) if found < key else (low, middle)
        return None

    def range_of(self, key: int, at: int, count: int) -> int | None:
        """The same of rows of 6 bytes that begin with a first and a last number, between which
        ``key`` is.
        """
        low, high = 0, count
        while low < high:
            middle = (low + high) // 2
            row = at + middle * 6
            if self.u16(row) <= key <= self.u16(row + 2):
                return row
            low, high = (middle + 1, high) if self.u16(row + 2) < key else (low, middle)
        return None


class Kerning:
    """The kerning of a font file: its first font, where it has several."""

    def __init__(self, path: str) -> None:
        self._units = 1
        self._characters = self._gpos = self._kern = _Table()
        self._lookups: dict[bytes, list[list[int]]] = {}
        self._known: dict[str, float] = {}
        self._glyphs: dict[str, int] = {}
        self._covering: dict[tuple[int, bytes], list[list[tuple[int, int]]]] = {}
        try:
            with open(path, "rb") as file:
                tables = _tables(file, (b"head", b"cmap", b"GPOS", b"kern"))
            self._units = max(tables[b"head"].u16(18), 1)
            self._characters, self._gpos, self._kern = (
                tables[name] for name in (b"cmap", b"GPOS", b"kern")
            )
            self._cmap = _best_cmap(self._characters)
        except (OSError, struct.error):
            self._cmap = None

    def between(self, first: str, second: str) -> float:
        """By how much the second of two characters is moved to the right: ems, as a rule below
        0.
        """
        pair = first + second
        found = self._known.get(pair)
        if found is None:
            if len(self._known) >= _MOST_PAIRS:
                for known in (self._known, self._glyphs, self._covering):
                    known.clear()
            try:
                one, other = map(self._numbered, pair)
                found = (
                    self._units_between(one, other, _script(pair)) / self._units
                    if one and other
                    else 0.0
                )
            except struct.error:
                found = 0.0
            self._known[pair] = found
        return found

    def _numbered(self, letter: str) -> int:
        number = self._glyphs.get(letter)
        if number is None:
            number = self._glyphs[letter] = 0 if self._cmap is None else self._glyph(ord(letter))
        return number

    def _glyph(self, code: int) -> int:
        """The number of a character's glyph; 0: it has none."""
        table, (form, at) = self._characters, self._cmap or (0, 0)
        if form == 12:
            low, high = 0, table.u32(at + 12)
            while low < high:
                middle = (low + high) // 2
                row = at + 16 + middle * 12
                if table.u32(row) <= code <= table.u32(row + 4):
                    return table.u32(row + 8) + code - table.u32(row)
                low, high = (middle + 1, high) if table.u32(row + 4) < code else (low, middle)
            return 0
        twice = table.u16(at + 6)
        low, high = 0, twice // 2
        while low < high:
            middle = (low + high) // 2
            low, high = (
                (middle + 1, high) if table.u16(at + 14 + 2 * middle) < code else (low, middle)
            )
        start = at + 16 + twice + 2 * low
        if 2 * low >= twice or table.u16(start) > code:
            return 0
        shift, reach = table.i16(start + twice), table.u16(start + 2 * twice)
        if not reach:
            return code + shift & 0xFFFF
        found = table.u16(start + 2 * twice + reach + 2 * (code - table.u16(start)))
        return found + shift & 0xFFFF if found else 0

    def _units_between(self, first: int, second: int, script: bytes) -> int:
        if script not in self._lookups:
            self._lookups[script] = []  # where they are broken
            self._lookups[script] = list(_lookups(self._gpos, script)) if self._gpos else []
        if not self._lookups[script]:
            return _old_pair(self._kern, first, second) if self._kern else 0
        covering = self._covering.get((first, script))
        if covering is None:
            covering = self._covering[first, script] = [
                [
                    (at, number)
                    for at in subtables
                    if (number := _covered(self._gpos, at, first)) is not None
                ]
                for subtables in self._lookups[script]
            ]
        total = 0
        for subtables in covering:
            found = (_pair(self._gpos, at, number, first, second) for at, number in subtables)
            total += next((value for value in found if value is not None), 0)
        return total


@lru_cache(maxsize=16)
def kerning_of(path: str, state: tuple[int, ...]) -> Kerning:
    """That of a file, read once; ``state`` is another where the file is."""
    return Kerning(path)


def has_colors(path: str) -> bool:
    """Whether the letters of a font file are pictures of their own colours."""
    try:
        with open(path, "rb") as file:
            return any(name in _COLORED for name, _, _ in _directory(file))
    except (OSError, struct.error):
        return False


def _directory(file: BinaryIO) -> list[tuple[bytes, int, int]]:
    """The tables of a font: names, places in the file, lengths."""
    head = _Table(file.read(16))
    start = head.u32(12) if head.tag(0) == b"ttcf" else 0
    file.seek(start)
    count = _few(_Table(file.read(12)).u16(4))
    rows = _Table(file.read(16 * count))
    return [
        (rows.tag(at), rows.u32(at + 8), rows.u32(at + 12)) for at in range(0, len(rows) - 15, 16)
    ]


def _tables(file: BinaryIO, names: tuple[bytes, ...]) -> dict[bytes, _Table]:
    found = dict.fromkeys(names, _Table())
    for name, start, length in _directory(file):
        if name in found and length <= _LARGEST_TABLE:
            file.seek(start)
            found[name] = _Table(file.read(length))
    return found


def _best_cmap(table: _Table) -> tuple[int, int] | None:
    """Format and place of what maps Unicode's characters to glyphs: all of them, or the first
    65,536.
    """
    found = []
    for at in range(4, 4 + 8 * table.u16(2), 8):
        place = table.u32(at + 4)
        if table.u16(at) in (0, 3) and (form := table.u16(place)) in (4, 12):
            found.append((form, place))
    return max(found, default=None)


def _script(pair: str) -> bytes:
    for letter in pair:
        tag = _SCRIPTS.get(unicodedata.name(letter, "").partition(" ")[0])
        if tag is not None:
            return tag
    return b"DFLT"


def _lookups(table: _Table, script: bytes) -> Iterator[list[int]]:
    """The subtables of pairs of each lookup by which a script is kerned."""
    scripts, features, lookups = (table.u16(at) for at in (4, 6, 8))
    places = {table.tag(at): table.u16(at + 4) for at in _rows(table, scripts, 6)}
    place = next((places[tag] for tag in (script, b"DFLT", b"latn") if tag in places), None)
    if place is None or not (default := table.u16(scripts + place)):
        return
    system = scripts + place + default
    chosen: set[int] = set()
    for at in range(system + 6, system + 6 + 2 * _few(table.u16(system + 4)), 2):
        row = features + 2 + 6 * table.u16(at)
        if table.tag(row) == b"kern":
            feature = features + table.u16(row + 4)
            chosen |= {table.u16(feature + 4 + 2 * k) for k in range(_few(table.u16(feature + 2)))}
    most = 0
    for number in sorted(chosen):
        lookup = lookups + table.u16(lookups + 2 + 2 * number)
        kind, count = table.u16(lookup), table.u16(lookup + 4)
        most = _few(most + count)
        subtables = [lookup + table.u16(lookup + 6 + 2 * k) for k in range(count)]
        if kind == _EXTENSION:
            extended = [at + table.u32(at + 4) for at in subtables if table.u16(at + 2) == _PAIRS]
            yield extended
        elif kind == _PAIRS:
            yield subtables


def _few(count: int) -> int:
    """A count that no font exceeds which is not made to take time."""
    if count > _MOST_TABLES:
        raise struct.error("more than anything needs")
    return count


def _rows(table: _Table, at: int, step: int) -> range:
    return range(at + 2, at + 2 + step * table.u16(at), step)


def _pair(table: _Table, at: int, number: int, first: int, second: int) -> int | None:
    """What a subtable says of two glyphs, of which it counts the first as that ``number``; None:
    nothing.
    """
    one, other = table.u16(at + 4), table.u16(at + 6)
    size = 2 * (one.bit_count() + other.bit_count())
    advance = 2 * (one & _BEFORE_X_ADVANCE).bit_count()
    if table.u16(at) == 1:
        pairs = at + table.u16(at + 10 + 2 * number)
        row = table.search(second, pairs + 2, table.u16(pairs), 2 + size)
        if row is None:
            return None
        row += 2
    else:
        row_class = _class_of(table, at + table.u16(at + 8), first)
        column = _class_of(table, at + table.u16(at + 10), second)
        if row_class >= table.u16(at + 12) or column >= table.u16(at + 14):
            return None
        row = at + 16 + (row_class * table.u16(at + 14) + column) * size
    return table.i16(row + advance) if one & _X_ADVANCE else 0


def _covered(table: _Table, at: int, glyph: int) -> int | None:
    """The number of a glyph among those that come first in a subtable; None: it is not among
    them.
    """
    at += table.u16(at + 2)
    if table.u16(at) == 1:
        place = table.search(glyph, at + 4, table.u16(at + 2), 2)
        return None if place is None else (place - at - 4) // 2
    row = table.range_of(glyph, at + 4, table.u16(at + 2))
    return None if row is None else table.u16(row + 4) + glyph - table.u16(row)


def _class_of(table: _Table, at: int, glyph: int) -> int:
    if table.u16(at) == 1:
        number = glyph - table.u16(at + 2)
        return table.u16(at + 6 + 2 * number) if 0 <= number < table.u16(at + 4) else 0
    row = table.range_of(glyph, at + 4, table.u16(at + 2))
    return 0 if row is None else table.u16(row + 4)


def _old_pair(table: _Table, first: int, second: int) -> int:
    """What the table ``kern`` says of two glyphs, in its sorted pairs (format 0, horizontal)."""
    if table.u16(0):
        return 0  # Apple's own
    total, at = 0, 4
    for _ in range(_few(table.u16(2))):
        if table.u16(at + 4) == 1:
            row = table.search(first << 16 | second, at + 14, table.u16(at + 6), 6, wide=True)
            total += 0 if row is None else table.i16(row + 4)
        at += max(table.u16(at + 2), 14)
    return total
