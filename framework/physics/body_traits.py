"""The traits of 3D bodies: damping, gravity scale, locked axes, and whether a body may sleep.

The game can change these traits later.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..arrays import Mask, Rows
from ..state.columns import assign_to

AXES = ("x", "y", "z", "rx", "ry", "rz")
"""The names of the axes that can be locked in 3D: three for motion, and three for rotation."""


class BodyTraits(NamedTuple):
    """The traits of a new body: its damping, gravity scale and locked axes, and whether it can
    sleep.
    """

    damping: float = 0.0
    angular_damping: float = 0.0
    gravity_scale: float = 1.0
    can_sleep: bool = True
    locked: tuple[bool, ...] = (False,) * len(AXES)


def body_traits(
    damping: float,
    angular_damping: float,
    gravity_scale: float,
    can_sleep: bool,
    locked: Iterable[str],
    fixed_rotation: bool,
) -> BodyTraits:
    """Check the traits of 3D bodies, and return `BodyTraits`.

    Raises `TypeError` or `ValueError` if an argument is invalid. The error message begins with the
    name of this argument.
    """
    names: list[str] = [checks.choice("locked", axis, AXES) for axis in _items(locked)]
    fixed = checks.flag("fixed_rotation", fixed_rotation)
    return BodyTraits(
        checks.number("damping", damping, least=0),
        checks.number("angular_damping", angular_damping, least=0),
        checks.number("gravity_scale", gravity_scale),
        checks.flag("can_sleep", can_sleep),
        tuple(axis in names or (fixed and axis.startswith("r")) for axis in AXES),
    )


def _items(locked: Iterable[str]) -> list[str]:
    """Return the names of the axes in ``locked`` as a list. ``locked`` is one string, or several
    strings. A string may contain several names, separated by spaces: "x rz".
    """
    if isinstance(locked, str):
        return locked.split()
    items: list[str] = checks.items("locked", locked)
    return items


class TraitEngine(Protocol):
    """The part of a physics engine that `TraitColumns` uses: the method `set_trait`."""

    def set_trait(self, bodies: list[Any], name: str, values: NDArray[Any]) -> None:
        """Set one trait of ``bodies``, such as "damping"."""


class TraitColumns:
    """The traits of all bodies of a batch, such as damping. The game may write to the arrays of
    traits.

    A new `TraitColumns` object stores traits for ``count`` bodies. At first, all bodies have the
    traits ``initial``.
    """

    def __init__(self, initial: BodyTraits, count: int) -> None:
        self._initial = initial
        self._values: dict[str, NDArray[Any]] = {}
        for name, value in initial._asdict().items():
            self._values[name] = np.array([value] * count, _TYPES[name]).reshape(
                count, *np.shape(value)
            )
        self._sent = {name: values.copy() for name, values in self._values.items()}

    def view(self, name: str) -> NDArray[Any]:
        """Return an array with the values of a trait. The game may write to the returned array."""
        return self._values[name]

    def assign(self, name: str, values: ArrayLike) -> None:
        """Set the values of a trait for all bodies."""
        assign_to(name, self._values[name], values)

    def resize(self, keep: Mask, new: int) -> None:
        """Remove the bodies whose value in the mask ``keep`` is False. Then append ``new`` bodies."""
        added = TraitColumns(self._initial, new)
        for mine, theirs in ((self._values, added._values), (self._sent, added._sent)):
            for name, values in mine.items():
                mine[name] = np.concatenate([values[keep], theirs[name]])

    def send(self, engine: TraitEngine, raw: Sequence[Any], rows: Rows) -> None:
        """Pass all traits that the game has changed since the last call of `send` to the physics
        engine.
        """
        for name, values in self._values.items():
            sent = self._sent[name]
            if np.array_equal(values, sent):
                continue
            _check(name, values, rows)
            differs = values != sent
            changed = np.flatnonzero(differs if differs.ndim == 1 else differs.any(axis=1))
            indices: list[int] = changed.tolist()
            engine.set_trait([raw[index] for index in indices], name, values[changed])
            self._sent[name] = values.copy()


def _check(name: str, values: NDArray[Any], rows: Rows) -> None:
    if values.dtype == bool:
        return
    wrong: Mask = ~np.isfinite(values)
    if name != "gravity_scale":
        wrong |= values < 0
    if wrong.any():
        index = int(np.flatnonzero(wrong)[0])
        expected = "a finite number" if name == "gravity_scale" else "a finite number, 0 or above"
        raise ValueError(f"{name}: expected {expected}, got {values[index]} in row {rows[index]}")


_TYPES: Mapping[str, type] = MappingProxyType(
    {
        "damping": np.float64,
        "angular_damping": np.float64,
        "gravity_scale": np.float64,
        "can_sleep": np.bool_,
        "locked": np.bool_,
    }
)
