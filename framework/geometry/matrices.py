"""Matrices: pyrr's matrix classes, imported without compiler warnings.

Some comments in pyrr's source contain backslashes, and Python warns about these when it compiles
pyrr. If Python runs with ``-W error``, these warnings would stop a game at its first start.
"""

from __future__ import annotations

import warnings

with warnings.catch_warnings():
    for category in (DeprecationWarning, SyntaxWarning):  # before Python 3.12, and since
        warnings.filterwarnings(
            "ignore", "invalid escape sequence|.*is an invalid escape sequence", category
        )
    from pyrr import Matrix44

__all__ = ["Matrix44"]
