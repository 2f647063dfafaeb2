"""The libraries that compute physics, loaded when somebody asks for them; where they are not, what
says so.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any

from ..errors import FrameworkError


@functools.cache
def engine(package: str, asked: str, extra: str) -> Any:
    """The module of a package of an extra. Raises `FrameworkError` that names what ``asked`` for
    it, and how to get it, where it is not installed."""
    try:
        return importlib.import_module(package)
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.partition(".")[0] not in (
            package,
            "cffi",
            "_cffi_backend",
        ):
            raise
        mend = f"pip install 'subtick[{extra}]'"
        raise FrameworkError(f"{asked} needs {package}, which is not installed: {mend}") from None
