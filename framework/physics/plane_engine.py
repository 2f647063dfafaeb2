"""Plane engines: the interface to pymunk and Rapier in the plane, which `Physics2D` calls."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, ClassVar, NamedTuple, Protocol, TypeAlias

from ..arrays import Doubles
from ..geometry.tilegrid import Tiles
from .engines import BodyT, PhysicsEngine
from .physics_layers import Search
from .shapes2d import PlaneShape

Color: TypeAlias = tuple[float, float, float, float]

DYNAMIC_COLOR: Color = (0.4, 1.0, 0.5, 1.0)
ASLEEP_COLOR: Color = (0.6, 0.6, 0.6, 1.0)
FIXED_COLOR: Color = (0.4, 0.6, 1.0, 1.0)
SENSOR_COLOR: Color = (1.0, 0.9, 0.3, 1.0)
CONTACT_COLOR: Color = (1.0, 0.6, 0.1, 1.0)
JOINT_COLOR: Color = (1.0, 0.3, 0.3, 1.0)

Outline: TypeAlias = tuple[Doubles, Color]
"""The starts and ends (m, 2, 2) of lines, and the color of these lines."""

JointNumbers: TypeAlias = tuple[float | tuple[float, float], ...]
"""The numbers of a joint, in the order of pymunk's constructors: points first, then limits."""


class PlaneHit(NamedTuple):
    """The first hit of a ray in the plane."""

    key: Hashable
    """The key of the body that was hit: see `PlaneEngine.key_of`."""
    fraction: float
    point: tuple[float, float]
    normal: tuple[float, float]


class PlaneEngine(PhysicsEngine[BodyT], Protocol[BodyT]):
    """The interface to a physics library for the plane."""

    name: ClassVar[str]
    """The name of the engine in the option ``engine`` of `Physics2D`."""

    # walls

    def tile_shape(self, tiles: Tiles) -> Any:
        """Return the shape of solid tiles, one-way tiles and sloped tiles, for `new_wall`."""

    def line_shape(self, path: Doubles, radius: float) -> Any:
        """Return the shape of a thick line through the points ``path`` (k, 2), for `new_wall`.

        If two consecutive points of the path are equal, there is no segment between them.
        """

    def solid_shape(self, shapes: list[PlaneShape]) -> Any:
        """Return a shape that consists of ``shapes`` in world coordinates, for `new_wall`."""

    def drop_through(self, body: BodyT) -> None:
        """Let a body fall through the one-way tiles that stop the body now."""

    # joints

    def new_joint(
        self,
        kind: str,
        ends: tuple[BodyT, BodyT],
        numbers: JointNumbers,
        strength: float | None,
        bump: bool,
    ) -> Any:
        """Make a joint of the kind ``kind``, such as "pivot", and wake the two joined bodies.

        Raises `FrameworkError` if the physics library has no such joint.
        """

    def drive_motor(self, joint: Any, speed: float) -> None:
        """Set the speed of a motor, in radians / s, counter-clockwise."""

    def reinsert_joint(self, joint: Any) -> Any:
        """Replace ``joint`` by an equal joint that comes after all other joints, and return the new
        joint.
        """

    # queries

    def cast(
        self, starts: Doubles, displacements: Doubles, radius: float, search: Search
    ) -> list[PlaneHit | None]:
        """Return the first hit of each ray of a thickness of ``2 * radius``, or None.

        The rays hit only bodies that ``search`` allows, as in `bodies_at` and `bodies_in`.
        """

    def bodies_at(self, point: tuple[float, float], radius: float, search: Search) -> set[Hashable]:
        """Return the keys of the bodies at most ``radius`` units away from ``point``."""

    def bodies_in(
        self, low: tuple[float, float], high: tuple[float, float], search: Search
    ) -> set[Hashable]:
        """Return the keys of the bodies whose bounds overlap a rectangle."""

    def bodies_overlapping(
        self, shapes: list[PlaneShape], position: tuple[float, float], angle: float, search: Search
    ) -> set[Hashable]:
        """Return the keys of the bodies that overlap a shape, which consists of ``shapes``."""

    def cast_shape(
        self,
        shapes: list[PlaneShape],
        starts: Doubles,
        displacements: Doubles,
        angle: float,
        search: Search,
    ) -> list[PlaneHit | None]:
        """Return the first hit of a shape that moves from each start along its displacement, or
        None.

        A body that overlaps the shape at the start is hit at the fraction 0, unless the shape moves
        out of the body. Raises `FrameworkError` if the physics library cannot move the shape.
        """

    def outlines(self) -> list[Outline]:
        """Return the outlines of all shapes and joints."""
