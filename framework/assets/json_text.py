"""JSON that strangers wrote: bounded in time and memory, and nothing but JSON."""

from __future__ import annotations

import json
from typing import Any, NoReturn

_MOST_VALUES = 1 << 21  # parsing them takes a second


def json_object(data: bytes, else_be: str = "") -> dict[str, Any]:
    """The object that a file holds. Raises `ValueError` for anything else; the words tell what it might ``else_be``."""
    if data.count(b",") > _MOST_VALUES:
        raise ValueError(f"its JSON has more than {_MOST_VALUES:,} values; simplify it, or split it up")
    try:
        content = json.loads(data.decode("utf-8-sig"), parse_constant=_no_number)
    except RecursionError:
        raise ValueError("its JSON is nested too deeply") from None
    except UnicodeDecodeError:
        raise ValueError(f"it is {f'neither {else_be} nor' if else_be else 'no'} JSON in UTF-8") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"its JSON is broken: {error.msg}, line {error.lineno}, column {error.colno}") from None
    if not isinstance(content, dict):
        raise ValueError("its JSON is not an object")
    return content


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"its JSON has {text} for a number")
