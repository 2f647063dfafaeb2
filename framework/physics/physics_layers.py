"""Physics layers: named groups of bodies, which decide which bodies collide."""

from __future__ import annotations

import difflib
from collections.abc import Hashable, Iterable
from typing import NamedTuple

from .. import checks

MAX_LAYERS = 32
"""The largest number of layers in a physics world: pymunk and Rapier use 32 bits for layers."""

ALL_LAYERS = (1 << MAX_LAYERS) - 1
"""An integer with the bits of all layers, including layers that are added later."""


class Search(NamedTuple):
    """The bodies that a query may find."""

    layers: int
    """The bits of the layers to search."""
    excluded: frozenset[Hashable] = frozenset()
    """The keys of bodies that the query does not find: see `PhysicsEngine.key_of`."""
    sensors: bool = False
    """Whether the query finds sensors, too."""


class PhysicsLayers:
    """The names of the layers in a physics world, in the order of first use.

    The first name in the list has bit 0, the second name bit 1.
    """

    def __init__(self) -> None:
        self.names: list[str] = []

    def number(self, name: str, label: str = "layer") -> int:
        """Return the index of the layer ``name``.

        A name that is not in the list becomes a new layer.

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
        """Return the index of an existing layer ``name``.

        Raises `ValueError` if no body has a layer called ``name``. The error message suggests the
        most similar name.
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
        """Return an integer whose bits are the layers ``names``.

        A name that is not in the list becomes a new layer. If ``names`` is None, the result of
        `bits` has the bits of all layers.
        """
        if names is None:
            return ALL_LAYERS
        layers: list[str] = checks.items(name, names)
        return sum({1 << self.number(layer, name) for layer in layers})

    def known_bits(self, names: Iterable[str] | None) -> int:
        """Return an integer whose bits are the existing layers ``names``.

        If ``names`` is None, `known_bits` returns the bits of all layers.
        """
        if names is None:
            return ALL_LAYERS
        layers: list[str] = checks.items("layers", names)
        return sum({1 << self.known(layer, "layers") for layer in layers})
