"""Matrices: pyrr's matrix classes, imported without compiler warnings.

Some comments of pyrr contain backslashes, which Python reports when it compiles them. With ``-W
error`` these warnings would stop a game at its first start.
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
