"""The framework's effects and transitions, collected from its public names."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

import framework as fw

# Arguments of the classes that need some.
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


def new_effect(name: str) -> Any:
    """Return a new effect or transition of the class ``name``."""
    return getattr(fw, name)(*_ARGUMENTS.get(name, ()))


def defaults(name: str) -> dict[str, Any]:
    """Return the defaults of the options that are also settings of the class ``name``."""
    parameters = inspect.signature(getattr(fw, name)).parameters
    return {
        key: parameter.default
        for key, parameter in parameters.items()
        if hasattr(getattr(fw, name), key)
    }
