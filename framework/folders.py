"""Which folders the game that is at work has its files in, and how it reads and writes files.
(Beside `resources`, which looks there: what this imports is imported by every game.)"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import ClassVar


class GameFolders:
    """Where the game that is at work has its files. Filled in by games, which this room does not
    know.
    """

    find: ClassVar[Callable[[], Sequence[str | os.PathLike[str]]]] = lambda: ()


class PlayerFiles:
    """How files are read and written on behalf of the game that is at work. Filled in by games."""

    read: ClassVar[Callable[[str], bytes | None]] = lambda path: None
    """Return the content of a save; None if no game is at work, to read the file itself."""
    write: ClassVar[Callable[[str, Callable[[str], object]], object]] = lambda path, do: do(path)
    """Have a function write a file: at the path, elsewhere, or not at all, see `savefiles`."""
