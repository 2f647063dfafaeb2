"""Read the file that contains the recorded input of a game.

The file contains a header, the input of each tick, and hashes of states. Because the file may come
from an untrusted source, the reader checks all values in the header, reads one tick at a time, and
never imports Python modules that the file names.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from ..errors import AssetError
from ..game.recorder import END, ENGINES, HASH, HEADER, INPUT, TICKS_A_BLOCK
from ..game.save_log import INPUTS, results
from ..input.tick_input import MAX_PLAYERS, InputReader, TickInput
from ..record.container import Container, digest_of_header

_MAX_INPUT = 1 << 20  # the maximum size of a block of input, in bytes
_MAX_SIDE = 1 << 14
_MAX_PIXELS = 1 << 25
# The maximum number of digits in the numerator and in the denominator of the tick rate.
_MAX_DIGITS = 40
_MAX_DEPTH = 8  # the maximum depth of nested options
_MAX_ENGINES = 1000  # the maximum size of the block `engines`, in bytes


def _screen_of(header: dict[str, object]) -> tuple[tuple[int, int], float]:
    """Return the size of the screen in units, and the number of pixels per unit along a side."""
    width, height = _list(header["size"])
    size = _whole(width, _MAX_SIDE), _whole(height, _MAX_SIDE)
    ratio: Any = header["pixel_ratio"]
    pixel_ratio = float(ratio)
    pixels = size[0] * size[1] * pixel_ratio**2
    if not (1 / 16 <= pixel_ratio <= 16 and pixels <= _MAX_PIXELS):
        raise ValueError("size or pixel_ratio")
    return size, pixel_ratio


class Recording:
    """A reader of the recording in the file ``path``. Raises `AssetError` if the file is damaged or
    is not a recording.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._file = Container(path)
        self.path = self._file.path
        header = self.header = self._file.header
        if header.get("kind") != "recording":
            raise self._file.error(
                f"expected a recording, got a file of the kind {str(header.get('kind'))[:40]!r}"
            )
        try:
            self._read(header)
        except (
            KeyError,
            TypeError,
            ValueError,
            ZeroDivisionError,
            OverflowError,
            RecursionError,
        ) as error:
            raise self._file.error(f"its header is invalid: {str(error)[:80]}") from None
        self.engines: dict[str, str] = {}
        """The versions of the physics engines that the game used, by package name."""
        self.ticks, self.complete = self._count_ticks()
        self._read_engines()
        self.results = results(self._file)
        """The result of each file access of the game, in order. Loading a save is an example of a
        file access.
        """

    def _read(self, header: dict[str, object]) -> None:
        self.game = _text(header["game"])
        """The module and the class of the game, such as ``"rain:Rain"``. The module is never
        imported.
        """
        source = header.get("source")
        self.source = (
            {key: _text(value) for key, value in source.items()} if isinstance(source, dict) else {}
        )
        """The name and the SHA-256 hash of the Python file that defines the game. `source` is an
        empty dict if the game was not in a file.
        """
        self.tick_rate = _rate(header["tick_rate"])
        if not 0 < self.tick_rate <= 10**9:
            raise ValueError("tick_rate")
        self.size, self.pixel_ratio = _screen_of(header)
        self.players = _whole(header["players"], MAX_PLAYERS)
        self.scheme = _whole(header.get("hashes", 1), 1 << 16)
        """The version of the hash function: see `hashes.SCHEME`."""
        self.old = _whole(header.get("inputs", 1), 1 << 16) < INPUTS
        """Whether the recording has an old format. Old recordings do not contain the results of
        file accesses, but contain the keys that the program itself has pressed.
        """
        options = header["options"]
        left_out = header["left_out"]
        if not isinstance(options, dict) or not isinstance(left_out, list):
            raise TypeError("options")
        self.options = {name: _value(value, _MAX_DEPTH) for name, value in options.items()}
        self.left_out = [_text(name) for name in left_out]
        """The names of options that the file does not contain, because it cannot store values such
        as functions.
        """

    def _count_ticks(self) -> tuple[int, bool]:
        ticks = 0
        complete = False
        for kind, raw, head in self._file.heads(24):
            if kind == INPUT:
                reader = InputReader(head)
                first = reader.whole()
                count = reader.whole()
                if (
                    first != ticks
                    or not 1 <= count <= TICKS_A_BLOCK
                    or complete
                    or raw > _MAX_INPUT
                ):
                    raise self._file.error(
                        f"its ticks after {ticks:,} are not those of a recording"
                    )
                ticks += count
            elif kind == HEADER:  # older recordings have no block of this kind
                if (head, raw) != (digest_of_header(self._file.header), 8):
                    raise self._file.error("its header was changed: its hash does not match")
            elif kind == END:
                if head != ticks.to_bytes(8, "little") or complete:
                    raise self._file.error(f"its end does not match its {ticks:,} ticks")
                complete = True
        return ticks, complete

    def _read_engines(self) -> None:
        """Add the versions of the physics engines to the versions in `header`."""
        for kind, payload in self._file.blocks():
            if kind != ENGINES:
                continue
            try:
                engines = json.loads(payload[:_MAX_ENGINES].decode("ascii"))
                checked = {_text(name): _text(version) for name, version in engines.items()}
            except (ValueError, TypeError, AttributeError, RecursionError):
                raise self._file.error("its versions of physics engines are invalid") from None
            versions = self.header.get("versions")
            libraries = versions if isinstance(versions, dict) else {}
            self.header["versions"] = libraries | checked
            self.engines |= checked

    @property
    def duration(self) -> float:
        """The duration of the recording in seconds of game time."""
        return float(self.ticks / self.tick_rate)

    def inputs(self) -> Iterator[tuple[int, TickInput]]:
        """Yield the number and the input of each tick. Ticks without input are skipped."""
        for kind, payload in self._file.blocks():
            if kind != INPUT:
                continue
            reader = InputReader(payload)
            number = reader.whole()
            last = number + reader.whole()
            while reader.position < len(payload):
                gap = reader.whole()
                number += gap
                if not gap or number > last:
                    raise self._file.error(f"its ticks up to {last:,} are not in order")
                yield number, self._of_players(reader.tick())

    def _of_players(self, tick_input: TickInput) -> TickInput:
        for event in tick_input.events:
            if event[0] == "player" and event[1] >= self.players:
                raise self._file.error(
                    f"its player {event[1]} is none of the {self.players} that it has"
                )
        return tick_input

    def hashes(self) -> Iterator[tuple[int, int]]:
        """Yield the number of each tick that has a hash, and the hash of the state after this tick."""
        before = 0
        for kind, payload in self._file.blocks():
            if kind != HASH:
                continue
            reader = InputReader(payload)
            number = reader.whole()
            every = reader.whole()
            for position in range(reader.position, len(payload), 8):
                if not before < number <= self.ticks or len(payload) < position + 8:
                    raise self._file.error(f"its hashes after tick {before:,} are not in order")
                yield number, int.from_bytes(payload[position : position + 8], "little")
                before = number
                number = number + every


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise TypeError(f"a list is expected, not {type(value).__name__}")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str) or len(value) > 1000:
        raise TypeError(f"a short string is expected, not {type(value).__name__}")
    return value


def _rate(value: object) -> Fraction:
    """Convert a tick rate from text to a fraction. Only texts with a few digits are accepted,
    because Python would take very long to convert "1e999999999".
    """
    parts = _text(value).split("/")
    if len(parts) > 2 or not all(part.isdecimal() and len(part) <= _MAX_DIGITS for part in parts):
        raise ValueError("tick_rate")
    return Fraction(*map(int, parts))


def _whole(value: object, limit: int) -> int:
    if type(value) is not int or not 1 <= value <= limit:
        raise ValueError(f"a whole number from 1 to {limit} is expected")
    return value


def _value(value: object, deep: int) -> Any:
    """Convert JSON from the function `recorder.plain` back to the value of an option."""
    if not deep:
        raise ValueError("options within options")
    if isinstance(value, list):
        return [_value(item, deep - 1) for item in _list(value)]
    if not isinstance(value, dict):
        return value
    ((kind, of),) = value.items()
    if kind == "fraction":
        numerator, denominator = _list(of)
        return Fraction(int(_text(numerator)), int(_text(denominator)))
    if kind == "tuple" and isinstance(of, list):
        return tuple([_value(item, deep - 1) for item in _list(of)])
    if kind == "dict" and isinstance(of, dict):
        return {name: _value(item, deep - 1) for name, item in of.items()}
    raise ValueError("an option of an unknown kind")


def broken(path: str, what: str) -> AssetError:
    """Return the `AssetError` for a damaged recording. ``what`` is a text that describes the
    damage.
    """
    return AssetError(f"{path!r}: {what}.")
