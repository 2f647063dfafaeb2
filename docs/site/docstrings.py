"""Docstrings: choose the members that the website shows, and mark the examples in docstrings."""

from __future__ import annotations

import re
from collections.abc import Iterator

_SECTION = re.compile(r"-{3,}$")


def is_shown(value: object) -> bool:
    """Return whether a member belongs on the website.

    Names of earlier versions and of other engines are descriptors that only raise errors.
    """
    return type(value).__module__.partition(".")[2].partition(".")[0] not in (
        "moved_names",
        "other_engines",
    )


def code_marked(lines: list[str]) -> Iterator[str]:
    """Yield the lines of a docstring, with a directive before each indented example.

    If a line after a section is not indented and is not the name of a parameter, it ends the
    section.

    An example follows an empty line, and is indented by four more columns than the text before it.
    In the sections of NumPy's style, such as "Parameters", the text itself is indented.
    """
    base = 0
    in_code = False
    for number, line in enumerate(lines):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if _SECTION.match(following):
            base = 4
            yield line
            continue
        indent = _indent(line)
        is_text = bool(line.strip())
        follows_gap = number > 0 and not lines[number - 1].strip()
        is_name = bool(following.strip()) and _indent(following) > indent
        if base and is_text and not indent and follows_gap and not is_name:
            base = 0
            yield ""  # two empty lines end a section
        if in_code and is_text and indent < base + 4:
            in_code = False
        if not in_code and is_text and indent >= base + 4 and follows_gap:
            in_code = True
            yield " " * base + ".. code-block:: python"
            yield " " * base + "   :force:"  # some examples leave lines out with "…"
            yield ""
        yield line


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
