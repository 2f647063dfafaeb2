"""Which folders the game that is at work has its files in. (Beside `resources`, which looks there: what this imports is
imported by every game.)"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import ClassVar


class GameFolders:
    """Where the game that is at work has its files. Filled in by games, which this room does not know."""

    find: ClassVar[Callable[[], Sequence[str | os.PathLike[str]]]] = lambda: ()
