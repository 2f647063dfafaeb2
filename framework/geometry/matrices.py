"""Matrices: pyrr's matrix classes, imported without compiler warnings.

Python compiles pyrr on its first import, and warns about backslashes in pyrr's docstrings. With the
option ``-W error``, a warning about backslashes would stop a game at its first start.
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
