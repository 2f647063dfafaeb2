"""The interface through which `Physics2D` calls pymunk or Rapier."""

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
"""Lines and their color. The array of lines contains the start and the end of each line, with the
shape (m, 2, 2).
"""

JointNumbers: TypeAlias = tuple[float | tuple[float, float], ...]
"""The numeric arguments of a joint, in the order of pymunk's constructors: first the points, then
the limits.
"""

TURNING = ("turn_limit", "turn_spring", "gear", "motor")
"""The kinds of joints that turn bodies, but do not move them."""


class PlaneHit(NamedTuple):
    """The first hit of a 2D ray."""

    key: Hashable
    """The key of the body that the ray hits: see `PlaneEngine.keys_of`."""
    fraction: float
    point: tuple[float, float]
    normal: tuple[float, float]


class PlaneEngine(PhysicsEngine[BodyT], Protocol[BodyT]):
    """The interface to a 2D physics library."""

    name: ClassVar[str]
    """The name of the engine: the value of the option ``engine`` of `Physics2D`."""

    # walls

    def tile_shape(self, tiles: Tiles) -> Any:
        """Create the shape of a wall that consists of solid, one-way and sloped tiles. Pass the
        returned shape to `new_wall`.
        """

    def line_shape(self, path: Doubles, radius: float) -> Any:
        """Create the shape of a wall that follows a thick line. ``path`` is an array of points with
        the shape (k, 2). Pass the returned shape to `new_wall`.

        If two consecutive points of the path are equal, there is no segment between them.
        """

    def solid_shape(self, shapes: list[PlaneShape]) -> Any:
        """Combine all ``shapes``, which are in world coordinates, into one shape for a wall. Pass
        the returned shape to `new_wall`.
        """

    def drop_through(self, body: BodyT) -> None:
        """Let a body fall through the one-way tiles on which it is standing."""

    # joints

    def new_joint(
        self,
        kind: str,
        ends: tuple[BodyT, BodyT],
        numbers: JointNumbers,
        strength: float | None,
        bump: bool,
    ) -> Any:
        """Create a joint, and wake the two bodies that it connects. ``kind`` is the kind of joint,
        such as "pivot".

        Raises `FrameworkError` if the physics library does not have this kind of joint.
        """

    def drive_motor(self, joint: Any, speed: float) -> None:
        """Set the speed of a motor, in radians / s. Positive speeds are counter-clockwise."""

    def joint_load(self, kind: str, joint: Any) -> float:
        """Return the force in a joint during the last physics step. For a joint that turns bodies,
        such as a "motor", return the torque. ``kind`` is the kind of joint.

        If the joint is no longer in the physics library, the result is 0.
        """

    def reinsert_joint(self, joint: Any) -> Any:
        """Replace ``joint`` with an equal joint at the end of the list of joints, and return the
        new joint.
        """

    # queries

    def cast(
        self, starts: Doubles, displacements: Doubles, radius: float, search: Search
    ) -> list[PlaneHit | None]:
        """Return a list with the first hit of each ray. If a ray hits nothing, its item is None.
        The thickness of the rays is ``2 * radius``.

        A ray hits only bodies that match ``search``.
        """

    def bodies_at(self, point: tuple[float, float], radius: float, search: Search) -> set[Hashable]:
        """Return the keys of the bodies that are at most ``radius`` units away from ``point``."""

    def bodies_in(
        self, low: tuple[float, float], high: tuple[float, float], search: Search
    ) -> set[Hashable]:
        """Return the keys of the bodies whose bounds overlap the rectangle from ``low`` to
        ``high``.
        """

    def bodies_overlapping(
        self, shapes: list[PlaneShape], position: tuple[float, float], angle: float, search: Search
    ) -> set[Hashable]:
        """Return the keys of the bodies that overlap at least one of ``shapes``."""

    def cast_shape(
        self,
        shapes: list[PlaneShape],
        starts: Doubles,
        displacements: Doubles,
        angle: float,
        search: Search,
    ) -> list[PlaneHit | None]:
        """Move a shape from several starting points, each with its own displacement. Return the
        first hit of each moving shape, or None if it hits nothing.

        If the shape already overlaps a body at the start, the result is a hit on this body, with a
        fraction of 0. If the shape is moving out of the body, there is no hit. Raises
        `FrameworkError` if the physics library cannot move this kind of shape.
        """

    def outlines(self) -> list[Outline]:
        """Return the outlines of all shapes and joints, for debug drawing."""
