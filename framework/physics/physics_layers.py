"""Names by which bodies are told apart: "player", "coin". Each body has one, which says what it
bumps into.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from .. import checks

MOST_LAYERS = 32
"""Bits that both engines have for it."""

ALL_LAYERS = (1 << MOST_LAYERS) - 1
"""The bits of all layers, later ones too."""


class PhysicsLayers:
    """Names in the order in which they were first used; the first is bit 0."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def number(self, name: str, label: str = "layer") -> int:
        """The number of a layer, which begins to be one. Raises `ValueError` where there are too
        many.
        """
        checks.text(label, name)
        if name not in self.names:
            if len(self.names) == MOST_LAYERS:
                raise ValueError(
                    f"{label}: there are {MOST_LAYERS} already, which is all that "
                    f"there can be: {name!r}"
                )
            self.names.append(name)
        return self.names.index(name)

    def known(self, name: str, label: str = "layer") -> int:
        """The number of a layer that was used before. Raises `ValueError` that names the nearest
        for any other.
        """
        if checks.text(label, name) not in self.names:
            near = difflib.get_close_matches(name, self.names, 1)
            there = (
                f"did you mean {near[0]!r}?"
                if near
                else f"there are {', '.join(self.names) or 'none'}"
            )
            raise ValueError(f"{label}: no body has the layer {name!r}; {there}")
        return self.names.index(name)

    def bits(self, name: str, names: Iterable[str] | None) -> int:
        """The bits of some layers, which begin to be some; of None, all there will ever be."""
        return (
            ALL_LAYERS
            if names is None
            else sum({1 << self.number(one, name) for one in checks.items(name, names)})
        )

    def known_bits(self, names: Iterable[str] | None) -> int:
        """The bits of layers that were used before; of None, all."""
        return (
            ALL_LAYERS
            if names is None
            else sum({1 << self.known(one, "layers") for one in checks.items("layers", names)})
        )
