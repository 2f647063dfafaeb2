"""Check the kind, mass, friction, elasticity and layers of new bodies."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from .. import checks
from .physics_layers import PhysicsLayers

KINDS = ("dynamic", "kinematic", "static")
"""The kinds of bodies. A "dynamic" body is moved by forces and collisions, a "kinematic" body only
by the game, and a "static" body does not move.
"""


class BodyMaterial(NamedTuple):
    """All properties of a body or wall, except its size and shape."""

    kind: str
    mass: float | None
    density: float | None
    friction: float
    elasticity: float
    sensor: bool
    fixed_rotation: bool
    layer: int
    hits: int


def checked_kind(kind: str | None, sensor: bool, mass: float | None, density: float | None) -> str:
    """Check the kind of new bodies, and return one of `KINDS`.

    If ``kind`` is None, a sensor with neither ``mass`` nor ``density`` becomes "kinematic", so that
    it does not fall. All other bodies become "dynamic", including sensors with a mass or a density.
    """
    if kind is not None:
        return checks.choice("kind", kind, KINDS)
    weightless = mass is None and density is None
    return "kinematic" if checks.flag("sensor", sensor) and weightless else "dynamic"


def material(
    layers: PhysicsLayers,
    kind: str | None,
    mass: float | None,
    density: float | None,
    friction: float,
    elasticity: float,
    sensor: bool,
    fixed_rotation: bool,
    layer: str,
    hits: Iterable[str] | None,
) -> BodyMaterial:
    """Check the properties of bodies, and return a `BodyMaterial`.

    If both ``mass`` and ``density`` are None, each body has a mass of 1.

    Raises `TypeError` or `ValueError` if an argument is invalid. The error message begins with the
    name of this argument.
    """
    if mass is not None and density is not None:
        raise ValueError("mass: expected a mass or a density, got both")
    checked = checked_kind(kind, sensor, mass, density)
    if mass is None and density is None:
        mass = 1.0
    return BodyMaterial(
        checked,
        None if mass is None else checks.number("mass", mass, above=0),
        None if density is None else checks.number("density", density, above=0),
        checks.number("friction", friction, least=0),
        checks.number("elasticity", elasticity, least=0),
        checks.flag("sensor", sensor),
        checks.flag("fixed_rotation", fixed_rotation),
        layers.number(layer),
        layers.bits("hits", hits),
    )


def wall_material(
    layers: PhysicsLayers,
    friction: float,
    elasticity: float,
    layer: str,
    hits: Iterable[str] | None,
) -> BodyMaterial:
    """Check the properties of a static wall, and return a `BodyMaterial`."""
    return material(layers, "static", None, None, friction, elasticity, False, False, layer, hits)
