"""Find the key of a US keyboard that is at the same position as a key of another layout."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from . import key


def _row(first: int, names: str) -> dict[int, int]:
    return {first + index: getattr(key, name) for index, name in enumerate(names.split())}


AT_POSITION: Mapping[int, int] = MappingProxyType(
    _row(2, "_1 _2 _3 _4 _5 _6 _7 _8 _9 _0 MINUS EQUAL")
    | _row(16, "Q W E R T Y U I O P BRACKETLEFT BRACKETRIGHT")
    | _row(30, "A S D F G H J K L SEMICOLON APOSTROPHE GRAVE")
    | _row(43, "BACKSLASH Z X C V B N M COMMA PERIOD SLASH")
)
"""A dict that maps positions to the symbols of letters, digits and punctuation marks on a US
keyboard.

A position is a number from ``input-event-codes.h`` of Linux. For these keys, the scan codes of
Windows are the same numbers. Shift and the arrow keys are not in the dict: a player who has moved
Shift to another key has done so on purpose.
"""
