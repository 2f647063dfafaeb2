"""Kerning: by how much two letters stand closer, read from the font itself, and so the same on every machine.

The tables are those of https://learn.microsoft.com/typography/opentype/spec: pairs in ``GPOS`` (lookups of type 2, also
as extensions), and where that kerns nothing, the older ``kern``. A table that is broken kerns nothing.
"""

from __future__ import annotations

import struct
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import BinaryIO

_LARGEST_TABLE = 8 << 20
_MOST_TABLES = 256

_PAIRS, _EXTENSION = 2, 9
_X_ADVANCE, _BEFORE_X_ADVANCE = 4, 3  # of a value's format: its bit, and those of the numbers before it

_SCRIPTS = {"LATIN": b"latn", "GREEK": b"grek", "CYRILLIC": b"cyrl"}


class _Table(bytes):
    """Big-endian numbers at offsets."""

    def u16(self, at: int) -> int:
        return int.from_bytes(self._some(at, 2))

    def i16(self, at: int) -> int:
        return int.from_bytes(self._some(at, 2), signed=True)

    def u32(self, at: int) -> int:
        return int.from_bytes(self._some(at, 4))

    def tag(self, at: int) -> bytes:
        return self._some(at, 4)

    def _some(self, at: int, count: int) -> bytes:
        found = self[at : at + count]
        if len(found) != count or at < 0:
            raise struct.error("beyond the end of the table")
        return found

    def search(self, key: int, at: int, count: int, step: int, size: int = 2) -> int | None:
        """Where the row lies, of ``count`` in ascending order from ``at`` on, ``step`` bytes each, which begins with
        ``key``, a number of ``size`` bytes."""
        low, high = 0, count
        while low < high:
            middle = (low + high) // 2
            found = int.from_bytes(self._some(at + middle * step, size))
            if found == key:
                return at + middle * step
            low, high = (middle + 1, high) if found < key else (low, middle)
        return None

    def range_of(self, key: int, at: int, count: int) -> int | None:
        """The same of rows of 6 bytes that begin with a first and a last number, between which ``key`` is."""
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
        try:
            with open(path, "rb") as file:
                tables = _tables(file, (b"head", b"cmap", b"GPOS", b"kern"))
            self._units = max(tables[b"head"].u16(18), 1)
            self._characters, self._gpos, self._kern = (tables[name] for name in (b"cmap", b"GPOS", b"kern"))
            self._cmap = _best_cmap(self._characters)
        except (OSError, struct.error):
            self._cmap = None

    def between(self, first: str, second: str) -> float:
        """By how much the second of two characters is moved to the right: ems, as a rule below 0."""
        if self._cmap is None:
            return 0.0
        try:
            one, other = self._glyph(ord(first)), self._glyph(ord(second))
            return self._units_between(one, other, _script(first, second)) / self._units if one and other else 0.0
        except struct.error:
            return 0.0

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
            low, high = (middle + 1, high) if table.u16(at + 14 + 2 * middle) < code else (low, middle)
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
        total = 0
        for subtables in self._lookups[script]:
            found = (_pair(self._gpos, at, first, second) for at in subtables)
            total += next((value for value in found if value is not None), 0)
        return total


@lru_cache(maxsize=16)
def kerning_of(path: str, state: tuple[int, ...]) -> Kerning:
    """That of a file, read once; ``state`` is another where the file is."""
    return Kerning(path)


def _tables(file: BinaryIO, names: tuple[bytes, ...]) -> dict[bytes, _Table]:
    head = _Table(file.read(16))
    start = head.u32(12) if head.tag(0) == b"ttcf" else 0
    file.seek(start)
    count = min(_Table(file.read(12)).u16(4), _MOST_TABLES)
    rows = _Table(file.read(16 * count))
    found = dict.fromkeys(names, _Table())
    for at in range(0, len(rows) - 15, 16):
        if rows.tag(at) in found and rows.u32(at + 12) <= _LARGEST_TABLE:
            file.seek(rows.u32(at + 8))
            found[rows.tag(at)] = _Table(file.read(rows.u32(at + 12)))
    return found


def _best_cmap(table: _Table) -> tuple[int, int] | None:
    """Format and place of what maps Unicode's characters to glyphs: all of them, or the first 65,536."""
    found = []
    for at in range(4, 4 + 8 * table.u16(2), 8):
        place = table.u32(at + 4)
        if table.u16(at) in (0, 3) and (form := table.u16(place)) in (4, 12):
            found.append((form, place))
    return max(found, default=None)


def _script(first: str, second: str) -> bytes:
    for letter in (first, second):
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
    chosen = set()
    for at in range(system + 6, system + 6 + 2 * table.u16(system + 4), 2):
        row = features + 2 + 6 * table.u16(at)
        if table.tag(row) == b"kern":
            feature = features + table.u16(row + 4)
            chosen |= {table.u16(feature + 4 + 2 * k) for k in range(table.u16(feature + 2))}
    for number in sorted(chosen):
        lookup = lookups + table.u16(lookups + 2 + 2 * number)
        kind = table.u16(lookup)
        subtables = [lookup + table.u16(lookup + 6 + 2 * k) for k in range(table.u16(lookup + 4))]
        if kind == _EXTENSION:
            extended = [at + table.u32(at + 4) for at in subtables if table.u16(at + 2) == _PAIRS]
            yield extended
        elif kind == _PAIRS:
            yield subtables


def _rows(table: _Table, at: int, step: int) -> range:
    return range(at + 2, at + 2 + step * table.u16(at), step)


def _pair(table: _Table, at: int, first: int, second: int) -> int | None:
    """What a subtable says of two glyphs; None: nothing."""
    number = _covered(table, at + table.u16(at + 2), first)
    if number is None:
        return None
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
    """The number of a glyph among those that a subtable is about."""
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
    for _ in range(table.u16(2)):
        if table.u16(at + 4) == 1:
            row = table.search(first << 16 | second, at + 14, table.u16(at + 6), 6, 4)
            total += 0 if row is None else table.i16(row + 4)
        at += max(table.u16(at + 2), 14)
    return total
