"""moderngl, loaded when something of it is first used: a game without pictures never does, and
needs no OpenGL.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import moderngl as moderngl
else:

    class _Later:
        """Stands for the module until something of it is asked for."""

        def __getattr__(self, name: str) -> Any:
            value = getattr(importlib.import_module("moderngl"), name)
            setattr(self, name, value)
            return value

    moderngl = _Later()
