"""Public names and the pages of docs."""

from __future__ import annotations

import re
from pathlib import Path

PHYSICS = Path(__file__).parents[1] / "docs" / "physics.md"


def unnamed_on_the_page(*things: object, page: Path = PHYSICS) -> set[str]:
    """Return the public names of objects that a page does not name as code."""
    code = "\n".join(re.findall(r"```.*?```|`[^`]+`", page.read_text(encoding="utf-8"), re.DOTALL))
    words = set(re.findall(r"\w+", code))
    return {
        f"{type(thing).__name__}.{name}"
        for thing in things
        for name in dir(thing)
        if name[0] != "_" and name not in words
    }
