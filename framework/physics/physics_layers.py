"""Name groups of bodies (collision layers), and choose which of them collide."""

from __future__ import annotations

import difflib
from collections.abc import Hashable, Iterable
from typing import NamedTuple

from .. import checks

MAX_LAYERS = 32
"""The maximum number of layers in a physics world. pymunk and Rapier store layers as 32 bits."""

ALL_LAYERS = (1 << MAX_LAYERS) - 1
"""An integer in which the bits of all layers are 1, including layers that are added later.
"""


class Search(NamedTuple):
    """The layers and bodies that a query may find."""

    layers: int
    """The bits of the layers to search."""
    excluded: frozenset[Hashable] = frozenset()
    """The keys of bodies that the query does not find: see `PhysicsEngine.keys_of`."""
    sensors: bool = False
    """Whether the query also finds sensors."""


class PhysicsLayers:
    """The names of the layers in a physics world, in the order in which the game first used them.

    The layer with the first name has bit 0, the layer with the second name has bit 1, and so on.
    """

    def __init__(self) -> None:
        self.names: list[str] = []

    def number(self, name: str, label: str = "layer") -> int:
        """Return the index of the layer ``name``.

        If the layer ``name`` does not exist yet, add this layer.

        Raises `ValueError` if the world would have more than 32 layers.
        """
        checks.text(label, name)
        if name not in self.names:
            if len(self.names) == MAX_LAYERS:
                raise ValueError(
                    f"{label}: cannot add layer {name!r}: there are {MAX_LAYERS} already, "
                    "the largest number of layers"
                )
            self.names.append(name)
        return self.names.index(name)

    def known(self, name: str, label: str = "layer") -> int:
        """Return the index of the existing layer ``name``.

        Raises `ValueError` if the layer ``name`` does not exist. The error message suggests the
        most similar existing name.
        """
        if checks.text(label, name) not in self.names:
            matches = difflib.get_close_matches(name, self.names, 1)
            hint = (
                f"did you mean {matches[0]!r}?"
                if matches
                else f"the layers are {', '.join(self.names) or 'none'}"
            )
            raise ValueError(f"{label}: no body has the layer {name!r}; {hint}")
        return self.names.index(name)

    def bits(self, name: str, names: Iterable[str] | None) -> int:
        """Return an integer in which the bit of each layer in ``names`` is 1.

        If a layer in ``names`` does not exist yet, add this layer. If ``names`` is None, the bits
        of all layers are 1.
        """
        if names is None:
            return ALL_LAYERS
        layers: list[str] = checks.items(name, names)
        return sum({1 << self.number(layer, name) for layer in layers})

    def known_bits(self, names: Iterable[str] | None) -> int:
        """Return an integer in which the bit of each existing layer in ``names`` is 1. Raises
        `ValueError` if a layer in ``names`` does not exist.

        If ``names`` is None, the bits of all layers are 1.
        """
        if names is None:
            return ALL_LAYERS
        layers: list[str] = checks.items("layers", names)
        return sum({1 << self.known(layer, "layers") for layer in layers})
