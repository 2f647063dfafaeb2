"""Questions to bodies in space: what a ray meets, what is at a point or in a box, and how it all
looks as lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Doubles
from .bodysets import BodySet
from .engines import rapier3d
from .physics_world import PhysicsWorld
from .queries2d import RayHit, checked_rays
from .rapier_engine import RapierEngine
from .simulation import RowOrWall, Simulation, Wall, handle_of


class Asking3D(PhysicsWorld):
    """The part of `Physics3D` that answers questions. They are about bodies as they are now,
    sensors left out.

    ``layers`` are the names of those that count, all unless told.
    """

    _engine: RapierEngine
    _simulation: Simulation[rapier3d.RigidBodyHandle]

    def cast(
        self, start: ArrayLike, displacement: ArrayLike, *, layers: Iterable[str] | None = None
    ) -> list[RayHit | None]:
        """What rays meet first: from ``start`` (3,) or (n, 3) as far as ``displacement``; None
        where nothing is.
        """
        starts, ways = checked_rays(start, displacement, 3)
        queries, seen = self._queries(), self._seen(layers)
        owners, found = self._owners(), list[RayHit | None]()
        origin: Doubles
        ahead: Doubles
        for origin, ahead in zip(starts, ways, strict=True):
            ray = rapier3d.Ray(tuple(origin.tolist()), tuple(ahead.tolist()))
            hit = queries.cast_ray_and_get_normal(ray, 1.0, True, seen) if ahead.any() else None
            if hit is None:
                found.append(None)
                continue
            share = hit[1].time_of_impact
            point: tuple[float, ...] = tuple((origin + share * ahead).tolist())
            found.append(RayHit(owners(hit[0]), share, point, hit[1].normal.to_tuple()))
        return found

    def at(self, point: ArrayLike, *, layers: Iterable[str] | None = None) -> list[Any]:
        """What is at a point: handles of rows, in the order of the bodies."""
        place = tuple(checks.vector("point", point, 3).tolist())
        found: list[rapier3d.ColliderHandle] = []
        self._queries().intersect_point(place, _noting(found), self._seen(layers))
        return self._sorted(found)

    def within(
        self, low: ArrayLike, high: ArrayLike, *, layers: Iterable[str] | None = None
    ) -> list[Any]:
        """What is in the upright box from ``low`` to ``high``, or reaches into it: handles of
        rows.
        """
        corners = np.sort([checks.vector("low", low, 3), checks.vector("high", high, 3)], axis=0)
        half = np.maximum((corners[1] - corners[0]) / 2, 1e-6)
        middle: Doubles = corners.mean(axis=0)
        pose = rapier3d.Isometry3(tuple(middle.tolist()), rapier3d.Rotation3.identity())
        found: list[rapier3d.ColliderHandle] = []
        box = rapier3d.SharedShape.cuboid(*half.tolist())
        self._queries().intersect_shape(pose, box, _noting(found), self._seen(layers))
        return self._sorted(found)

    def outlines(self) -> tuple[Doubles, Doubles]:
        """Everything as lines, for looking at while a game is made: starts and ends (m, 2, 3), and
        colours (m, 4).
        """
        self._simulation.settle()
        world = self._engine.world
        lines, colors, _ = rapier3d.DebugRenderPipeline().render_to_arrays(
            world.rigid_bodies,
            world.colliders,
            world.impulse_joints,
            world.multibody_joints,
            world.narrow_phase,
        )
        return lines.astype(np.float64), colors.astype(np.float64)

    def _queries(self) -> rapier3d.QueryPipeline:
        self._simulation.settle()
        return self._engine.queries()

    def _seen(self, layers: Iterable[str] | None) -> rapier3d.QueryFilter:
        return self._engine.seen(self._simulation.layers.known_bits(layers))

    def _owners(self) -> Callable[[rapier3d.ColliderHandle], RowOrWall | None]:
        known: dict[int, tuple[BodySet[rapier3d.RigidBodyHandle] | Wall | None, int]] = {
            wall.raw.index: (wall, -1) for wall in self._simulation.walls
        }
        for bodies in self._simulation.sets:
            for body, row in zip(bodies.raw, bodies.rows.rows.tolist(), strict=True):
                known[body.index] = bodies, row
        return lambda part: handle_of(*known.get(self._engine.owner_of(part), (None, -1)))

    def _sorted(self, found: list[rapier3d.ColliderHandle]) -> list[Any]:
        indices = {self._engine.owner_of(part) for part in found}
        return self._simulation.matching(lambda body: body.index in indices)


def _noting(
    found: list[rapier3d.ColliderHandle],
) -> Callable[[rapier3d.ColliderHandle], bool]:
    """Notes what is found, and asks for more."""

    def note(part: rapier3d.ColliderHandle) -> bool:
        found.append(part)
        return True

    return note
