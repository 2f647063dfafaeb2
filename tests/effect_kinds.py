"""The framework's effects and transitions, found among its public names: tests need no list."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

import framework as fw

# What cannot be made without arguments.
_ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "LUT": (np.zeros((2, 4, 3), np.uint8),),
    "PaletteEffect": (["red", "blue"],),
}


def _names(base: type) -> list[str]:
    kinds = {name: getattr(fw, name) for name in fw.__all__}
    return sorted(
        name
        for name, kind in kinds.items()
        if inspect.isclass(kind) and issubclass(kind, base) and kind is not base
    )


EFFECTS = _names(fw.Effect)
TRANSITIONS = _names(fw.Transition)


def made(name: str) -> Any:
    """An effect or a transition of the class of this name."""
    return getattr(fw, name)(*_ARGUMENTS.get(name, ()))


def defaults(name: str) -> dict[str, Any]:
    """The options of a class that are its settings too, and their defaults."""
    parameters = inspect.signature(getattr(fw, name)).parameters
    return {key: one.default for key, one in parameters.items() if hasattr(getattr(fw, name), key)}
