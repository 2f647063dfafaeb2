"""Read and check the values of JSON objects and XML elements.

XML attributes are strings, which are converted to numbers and booleans. A value of a wrong type, or
out of range, raises a `ValueError` with its position in the file.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator

from ..checks import shown
from ..record import strict_json

MAX_NUMBER = 1e15
"""The largest number in a file. Numbers may be from -1e15 to 1e15."""
_NUMERIC = (int, float, str)
_FLAG_TYPES = (bool, int, str)
Color = tuple[float, float, float, float]


def value_count(data: bytes) -> int:
    """Return an upper bound for the number of values in a JSON text. It is computed by counting
    commas and opening brackets.
    """
    return sum(map(data.count, (b",", b"[", b"{")))


def parsed(data: bytes, max_values: int, other: str = "XML") -> dict[str, object]:
    """Parse the content of a JSON file, and return its top-level object. Raises `ValueError` if the
    file has more than ``max_values`` values.

    ``other`` is the name of another format that the file may have, for error messages.
    """
    if value_count(data) > max_values:
        raise ValueError(
            f"its JSON has more than {max_values:,} values; simplify it, or split it up"
        )
    try:
        content: object = strict_json.parse(
            data.decode("utf-8-sig"), "its JSON has {} for a number"
        )
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


class Fields:
    """A JSON object or an XML element. The value of a field is checked when you read it. Error
    messages contain the position of the object in the file.
    """

    __slots__ = ("raw", "where")

    def __init__(self, raw: object, where: str) -> None:
        if not isinstance(raw, dict):
            raise ValueError(f"{where}: expected an object, got {shown(raw)}")
        self.raw: dict[str, object] = raw
        self.where = where

    def __contains__(self, key: str) -> bool:
        return self.raw.get(key) is not None

    def wrong(self, key: str, expected: str) -> ValueError:
        """Return a `ValueError` for a wrong value in the field ``key``, for the caller to raise.
        ``expected`` describes a correct value.
        """
        return ValueError(f"{self.where}: {key} is {shown(self.raw.get(key))}, expected {expected}")

    def whole(
        self, key: str, default: int | None = None, least: int = 0, most: int = 1 << 31
    ) -> int:
        """Return the whole number in the field ``key``. The number must be from ``least`` to
        ``most``. If ``default`` is None, the field must exist.
        """
        value = self.raw.get(key)
        if value is None and default is not None:
            return default
        if type(value) is int and least <= value <= most:  # the most frequent case first
            return value
        if isinstance(value, bool) or not isinstance(value, _NUMERIC):
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
        least: float = -MAX_NUMBER,
        most: float = MAX_NUMBER,
    ) -> float:
        """Return the number in the field ``key``. The number must be from ``least`` to ``most``. If
        ``default`` is None, the field must exist.
        """
        value = self.raw.get(key)
        if value is None and default is not None:
            return default
        if isinstance(value, _NUMERIC) and value is not True and value is not False:
            try:
                number = float(value)
            except (ValueError, OverflowError):
                raise self.wrong(key, "a number") from None
            if least <= number <= most:  # NaN fails this test
                return number
        raise self.wrong(key, f"a number from {least:g} to {most:g}")

    def pair(self, first: str, second: str, default: float = 0.0) -> tuple[float, float]:
        """Return the numbers of two fields as a pair, such as x and y."""
        return self.number(first, default), self.number(second, default)

    def flag(self, key: str, default: bool = False) -> bool:
        """Return the boolean in the field ``key``."""
        value = self.raw.get(key)
        if value is None:
            return default
        if isinstance(value, _FLAG_TYPES) and value in _FLAGS:
            return _FLAGS[value]
        raise self.wrong(key, "true or false")

    def text(self, key: str, default: str | None = "") -> str:
        """Return the string in the field ``key``. If ``default`` is None, the field must exist."""
        value = self.raw.get(key)
        if value is None and default is not None:
            return default
        if not isinstance(value, str):
            raise self.wrong(key, "a string")
        return value

    def choice(self, key: str, choices: Collection[str], default: str) -> str:
        """Return the string in the field ``key``. The string must be one of ``choices``. If the
        string is empty, return the default.
        """
        value = self.text(key) or default
        if value not in choices:
            raise self.wrong(key, f"one of {', '.join(choices)}")
        return value

    def color(self, key: str) -> Color | None:
        """Return the color in the field ``key``, or None if the field is missing. See
        `color_of`.
        """
        value = self.text(key)
        if not value:
            return None
        color = color_of(value)
        if color is None:
            raise self.wrong(key, "a color, as #rrggbb or #aarrggbb")
        return color

    def part(self, key: str) -> Fields | None:
        """Return the JSON object in the field ``key``, or None if the field is missing."""
        return Fields(self.raw[key], f"{self.where}.{key}") if key in self else None

    def values(self, key: str) -> list[object]:
        """Return the list in the field ``key``, or an empty list if the field is missing."""
        value = self.raw.get(key)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self.wrong(key, "a list")
        return value

    def items(self, key: str) -> Iterator[Fields]:
        """Yield the JSON objects in the list in the field ``key``."""
        if self.raw.get(key) is None:
            return
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
    """Convert a text such as #rrggbb or #aarrggbb to (red, green, blue, alpha), each from 0 to 1.

    The text may also begin without "#". If the text is not a color, return None.
    """
    digits = text.removeprefix("#")
    if len(digits) not in (6, 8) or not _HEX.issuperset(digits):
        return None
    *alpha, red, green, blue = (
        int(digits[at : at + 2], 16) / 255 for at in range(0, len(digits), 2)
    )
    return red, green, blue, alpha[0] if alpha else 1.0


_HEX = frozenset("0123456789abcdefABCDEF")
