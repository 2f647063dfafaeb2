"""Parse JSON text, and reject NaN and infinite numbers."""

from __future__ import annotations

import json
import math
import re
from typing import Any, NoReturn

# A finite float has at most 309 digits before the point. So a number that is too large has an
# exponent of three digits, or at least 200 digits.
_MAYBE_INFINITE = re.compile(r"[eE]\+?0*[1-9]\d\d|\d{200}")


def parse(text: str, message: str = "{} is no number") -> Any:
    """Parse a JSON text, and return its value. Raises `ValueError` for ``NaN``, for ``Infinity``,
    and for numbers that are too large for a float, such as ``1e999``.

    ``message`` is the text of the error. ``{}`` in ``message`` is replaced with the rejected
    number.
    """

    def refuse(word: str) -> NoReturn:
        raise ValueError(message.format(word if len(word) <= 40 else f"{word[:40]}…"))

    def finite(word: str) -> float:
        value = float(word)
        if math.isinf(value):
            refuse(word)
        return value

    # With `finite`, Python calls a function for each float, which takes more time. Most texts do
    # not need these calls.
    parse_float = finite if _MAYBE_INFINITE.search(text) else None
    return json.loads(text, parse_constant=refuse, parse_float=parse_float)
