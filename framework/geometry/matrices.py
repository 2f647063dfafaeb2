"""Import the matrix classes of the library pyrr without warnings.

When Python first imports pyrr, it warns about backslashes in pyrr's docstrings. With the option
``-W error``, this warning would stop the game.
"""

from __future__ import annotations

import warnings

with warnings.catch_warnings():
    # DeprecationWarning before Python 3.12, and SyntaxWarning since then
    for category in (DeprecationWarning, SyntaxWarning):
        warnings.filterwarnings(
            "ignore", "invalid escape sequence|.*is an invalid escape sequence", category
        )
    from pyrr import Matrix44

__all__ = ["Matrix44"]
