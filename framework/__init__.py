"""A game framework with a fixed tick rate, sprite batches and smooth motion at any frame rate.

    import framework as fw

    class Game(fw.Game):
        def setup(self): ...
        def update(self, dt): ...

    fw.run(Game)

The module of a public name is imported when a program first uses the name. Therefore, `from
framework import FixedTimestep` imports neither pyglet nor OpenGL.
"""

from __future__ import annotations

import importlib
import sys

from .version import __version__ as __version__

TYPE_CHECKING = False  # importing typing is slow, and type checkers accept this name too
if TYPE_CHECKING:
    from typing import Any

# The module of each public name is listed only in __init__.pyi, which type checkers and editors
# also read.
_LOADER: Any = __loader__  # reads folders and zip archives
_STUB = _LOADER.get_data(f"{__file__.rpartition('.')[0]}.pyi").decode()
_LINES = [
    line.split() for line in _STUB.splitlines() if line.startswith("from ")
]  # each a line "from HOME import NAME as NAME"
_HOMES = {line[3]: line[1] for line in _LINES if line[4:] == ["as", line[3]]}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise _unknown(name)
    home = _HOMES[name]
    module = importlib.import_module(home, __name__)
    value = getattr(module, name, None) or importlib.import_module(f"{home}.{name}", __name__)
    if isinstance(value, type(importlib)):  # Tab completes its public names
        vars(value)["__dir__"] = value.__all__.copy
    globals()[name] = value
    return value


def _unknown(name: str) -> Exception:
    """Return the error for a name that is not in the package, or was renamed or removed."""
    from .moved_names import renamed_class  # for errors only

    message = renamed_class(name)
    if message is None:
        from .other_engines.package_names import advice_on  # for errors only

        text = f"module {__name__!r} has no attribute {name!r}"
        advice = advice_on(name)
        if not advice:
            return AttributeError(text)
        message = f"{text}; {advice}"
    # `from framework import …` calls this function first, and replaces the message of an
    # AttributeError. Modules of the package, such as `framework.input`, can be imported.
    imported = sys._getframe(2).f_globals.get("__name__") == "importlib._bootstrap"
    if imported and not _is_module(name):
        return ImportError(message)
    # Without name and obj, Python appends no hint of its own.
    return AttributeError(message, name=None, obj=None)


def _is_module(name: str) -> bool:
    from importlib.util import find_spec  # for errors only

    return find_spec(f"{__name__}.{name}") is not None


_show = sys.excepthook


def _advise_and_show(kind: Any, error: Any, traceback: Any) -> None:
    """Add advice to an error that ends the program, then show the error as Python does, without
    the calls in the framework.
    """
    if isinstance(error, TypeError | AttributeError | OverflowError | ValueError):
        from .game.error_advice import advise  # for errors only

        advise(error)
    from .game.short_traceback import short_tracebacks  # for errors only

    with short_tracebacks(error):
        _show(kind, error, error.__traceback__)


sys.excepthook = _advise_and_show


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
