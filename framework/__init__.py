"""Games with fixed ticks, GPU-interpolated motion, and sprites drawn in instanced batches.

    import framework as fw

    class Game(fw.Game):
        def setup(self): ...
        def update(self, dt): ...

    fw.run(Game)

Names are loaded when first used: `from framework import FixedTimestep` imports neither pyglet nor GL.
"""

from __future__ import annotations

import importlib
import os
from typing import Any

__version__ = "0.1.0"

# Where each public name lives is written once, in __init__.pyi, which type checkers and editors read too.
_LOADER: Any = __loader__  # of files, and of archives
_STUB = _LOADER.get_data(f"{os.path.splitext(__file__)[0]}.pyi").decode()
_HOMES = {words[5]: words[1] for words in map(str.split, _STUB.splitlines()) if words[:1] == ["from"]}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = _HOMES[name]
    module = importlib.import_module(home, __name__)
    value = getattr(module, name, None) or importlib.import_module(f"{home}.{name}", __name__)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
