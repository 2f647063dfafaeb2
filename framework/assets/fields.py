"""What files of strangers say, taken by type: numbers, words, flags and lists of an object in JSON,
or of an element of XML, whose attributes are all strings. What is of another type or out of its
bounds is a `ValueError` that says where.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterator
from typing import NoReturn

from ..checks import shown

_FARTHEST = 1e15  # that a number may be from 0
Color = tuple[float, float, float, float]


def parsed(data: bytes, most_values: int, other: str = "XML") -> dict[str, object]:
    """The object in a JSON file of at most so many values, which might be of an ``other`` format
    too.
    """
    if data.count(b",") > most_values:
        raise ValueError(
            f"its JSON has more than {most_values:,} values; simplify it, or split it up"
        )
    try:
        content: object = json.loads(data.decode("utf-8-sig"), parse_constant=_no_number)
    except RecursionError:
        raise ValueError("its JSON is nested too deeply") from None
    except UnicodeDecodeError:
        raise ValueError(f"it is neither {other} nor JSON in UTF-8") from None
    except json.JSONDecodeError as error:
        raise ValueError(
            f"its JSON is broken: {error.msg}, line {error.lineno}, column {error.colno}"
        ) from None
    if not isinstance(content, dict):
        raise ValueError("its JSON is not an object")
    return content


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"its JSON has {text} for a number")


class Fields:
    """An object of a file, and where it is in there."""

    __slots__ = ("said", "where")

    def __init__(self, said: object, where: str) -> None:
        if not isinstance(said, dict):
            raise ValueError(f"{where}: expected an object, got {shown(said)}")
        self.said: dict[str, object] = said
        self.where = where

    def __contains__(self, key: str) -> bool:
        return self.said.get(key) is not None

    def wrong(self, key: str, expected: str) -> ValueError:
        """The error that a field is not as it should be."""
        return ValueError(
            f"{self.where}: {key} is {shown(self.said.get(key))}, expected {expected}"
        )

    def whole(
        self, key: str, default: int | None = None, least: int = 0, most: int = 1 << 31
    ) -> int:
        """A whole number within bounds, which are included. Without a default it has to be
        there.
        """
        value = self.said.get(key)
        if value is None and default is not None:
            return default
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise self.wrong(key, "a whole number")
        if isinstance(value, float) and not value.is_integer():
            raise self.wrong(key, "a whole number")
        try:
            number = int(value)
        except ValueError:
            raise self.wrong(key, "a whole number") from None
        if not least <= number <= most:
            raise self.wrong(key, f"a whole number from {least:,} to {most:,}")
        return number

    def number(
        self,
        key: str,
        default: float | None = None,
        least: float = -_FARTHEST,
        most: float = _FARTHEST,
    ) -> float:
        """A number within bounds, which are included."""
        value = self.said.get(key)
        if value is None and default is not None:
            return default
        if isinstance(value, int | float | str) and not isinstance(value, bool):
            try:
                number = float(value)
            except (ValueError, OverflowError):
                raise self.wrong(key, "a number") from None
            if math.isfinite(number) and least <= number <= most:
                return number
        raise self.wrong(key, f"a number from {least:g} to {most:g}")

    def pair(self, first: str, second: str, default: float = 0.0) -> tuple[float, float]:
        """Two numbers."""
        return self.number(first, default), self.number(second, default)

    def flag(self, key: str, default: bool = False) -> bool:
        """True or false, as JSON or XML has it."""
        value = self.said.get(key)
        if value is None:
            return default
        if isinstance(value, bool | int | str) and value in _FLAGS:
            return _FLAGS[value]
        raise self.wrong(key, "true or false")

    def text(self, key: str, default: str | None = "") -> str:
        """A string. Where the default is None, it has to be there."""
        value = self.said.get(key)
        if value is None and default is not None:
            return default
        if not isinstance(value, str):
            raise self.wrong(key, "a string")
        return value

    def choice(self, key: str, choices: Collection[str], default: str) -> str:
        """One of some words; an empty string is none."""
        value = self.text(key) or default
        if value not in choices:
            raise self.wrong(key, f"one of {', '.join(choices)}")
        return value

    def color(self, key: str) -> Color | None:
        """A colour, if there is one."""
        value = self.text(key)
        if not value:
            return None
        color = color_of(value)
        if color is None:
            raise self.wrong(key, "a colour, as #rrggbb or #aarrggbb")
        return color

    def part(self, key: str) -> Fields | None:
        """An object within, if there is one."""
        return Fields(self.said[key], f"{self.where}.{key}") if key in self else None

    def values(self, key: str) -> list[object]:
        """A list; none is an empty one."""
        value = self.said.get(key)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self.wrong(key, "a list")
        return value

    def items(self, key: str) -> Iterator[Fields]:
        """A list of objects."""
        for number, value in enumerate(self.values(key)):
            yield Fields(value, f"{self.where}.{key}[{number}]")


_FLAGS: dict[object, bool] = {
    True: True,
    False: False,
    "1": True,
    "0": False,
    "true": True,
    "false": False,
}


def color_of(text: str) -> Color | None:
    """#rrggbb or #aarrggbb, also without the #: (red, green, blue, alpha) from 0 to 1; None for
    anything else.
    """
    digits = text.removeprefix("#")
    if len(digits) not in (6, 8) or not _HEX.issuperset(digits):
        return None
    *alpha, red, green, blue = (
        int(digits[at : at + 2], 16) / 255 for at in range(0, len(digits), 2)
    )
    return red, green, blue, alpha[0] if alpha else 1.0


_HEX = frozenset("0123456789abcdefABCDEF")
