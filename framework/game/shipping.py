"""A game that is packed for players: its title, its version and its log file."""

from __future__ import annotations

import platform
from pathlib import Path
from typing import NamedTuple

from ..version import __version__


class Shipped(NamedTuple):
    """A game that is packed for players, who can start it without installing Python. For details,
    see `framework freeze`.
    """

    title: str
    """The title of the game."""
    version: str
    """The version of the game."""
    log: Path | None
    """The path of the log file, or None if the file cannot be written."""
    icon: Path | None = None
    """The path of the icon for a game that does not set an icon itself, or None."""

    def heading(self) -> str:
        """Return the first line of the log and of a copied error: the versions of the game, the
        framework and the system.
        """
        return (
            f"{self.title} {self.version}, subtick {__version__}, "
            f"Python {platform.python_version()}, {platform.platform()}"
        )
