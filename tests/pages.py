"""Helper: compare public names with the names on a page of the docs."""

from __future__ import annotations

import re
from pathlib import Path

PHYSICS = Path(__file__).parents[1] / "docs" / "physics.md"


def names_missing_on_page(*objects: object, page: Path = PHYSICS) -> set[str]:
    """Return the public names of objects that a page does not mention as code."""
    code = "\n".join(re.findall(r"```.*?```|`[^`]+`", page.read_text(encoding="utf-8"), re.DOTALL))
    words = set(re.findall(r"\w+", code))
    return {
        f"{type(item).__name__}.{name}"
        for item in objects
        for name in dir(item)
        if name[0] != "_" and name not in words
    }
