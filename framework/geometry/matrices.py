"""pyrr's matrices, which cameras hand out.

Some of pyrr's comments have backslashes that Python warns of when it compiles them, at the first
import after an installation that did not. Under ``-W error`` that would be the end of a game which
has done nothing wrong.
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
