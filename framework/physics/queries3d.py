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
from .queries2d import RayHit, checked_rays
from .simulation import Physics


class Asking3D(Physics):
    """The part of `Physics3D` that answers questions. They are about bodies as they are now,
    sensors left out.

    ``layers`` are the names of those that count, all unless told.
    """

    world: Any
    _rapier: Any
    _old: bool
    _owners_of: dict[int, int]

    def cast(
        self, start: ArrayLike, displacement: ArrayLike, *, layers: Iterable[str] | None = None
    ) -> list[RayHit | None]:
        """What rays meet first: from ``start`` (3,) or (n, 3) as far as ``displacement``; None
        where nothing is.
        """
        starts, ways = checked_rays(start, displacement, 3)
        queries, seen = self.queries(), self.seen(layers)
        owners, found = self._owners(), list[RayHit | None]()
        for origin, ahead in zip(starts, ways, strict=True):
            ray = self._rapier.Ray(tuple(origin.tolist()), tuple(ahead.tolist()))
            hit = queries.cast_ray_and_get_normal(ray, 1.0, True, seen) if ahead.any() else None
            if hit is None:
                found.append(None)
                continue
            share = float(hit[1].time_of_impact)
            point = tuple((origin + share * ahead).tolist())
            found.append(RayHit(owners(hit[0]), share, point, tuple(hit[1].normal.to_tuple())))
        return found

    def at(self, point: ArrayLike, *, layers: Iterable[str] | None = None) -> list[Any]:
        """What is at a point: handles of rows, in the order of the bodies."""
        place = tuple(checks.vector("point", point, 3).tolist())
        found: list[Any] = []
        self.queries().intersect_point(place, _noting(found), self.seen(layers))
        return self._sorted(found)

    def within(
        self, low: ArrayLike, high: ArrayLike, *, layers: Iterable[str] | None = None
    ) -> list[Any]:
        """What is in the upright box from ``low`` to ``high``, or reaches into it: handles of
        rows.
        """
        corners = np.sort([checks.vector("low", low, 3), checks.vector("high", high, 3)], axis=0)
        half = np.maximum((corners[1] - corners[0]) / 2, 1e-6)
        pose = self._rapier.Isometry3(
            tuple(corners.mean(axis=0).tolist()), self._rapier.Rotation3.identity()
        )
        found: list[Any] = []
        box = self._rapier.SharedShape.cuboid(*half.tolist())
        self.queries().intersect_shape(pose, box, _noting(found), self.seen(layers))
        return self._sorted(found)

    def outlines(self) -> tuple[Doubles, Doubles]:
        """Everything as lines, for looking at while a game is made: starts and ends (m, 2, 3), and
        colours (m, 4).
        """
        self.settle()
        world = self.world
        lines, colors, _ = self._rapier.DebugRenderPipeline().render_to_arrays(
            world.rigid_bodies,
            world.colliders,
            world.impulse_joints,
            world.multibody_joints,
            world.narrow_phase,
        )
        return lines.astype(np.float64), colors.astype(np.float64)

    def queries(self) -> Any:
        """Rapier's, of the world as it is now."""
        self.settle()
        if self._old:
            self.world.update_query_pipeline()
            self._old = False
        return self.world.query_pipeline

    def seen(self, layers: Iterable[str] | None) -> Any:
        """Rapier's filter for layers, without sensors."""
        bits = self.layers.known_bits(layers)
        rapier = self._rapier
        groups = rapier.InteractionGroups(
            rapier.Group.ALL, rapier.Group.from_bits(bits), rapier.InteractionTestMode.AND
        )
        return rapier.QueryFilter(groups=groups).exclude_sensors()

    def seen_by(self, part: Any) -> Any:
        """Rapier's filter for what a collider bumps into."""
        return self._rapier.QueryFilter(groups=part.collision_groups).exclude_sensors()

    def _owners(self) -> Any:
        known: dict[int, Any] = {wall.raw.index: (wall, -1) for wall in self.walls}
        for bodies in self.sets:
            for body, row in zip(bodies.raw, bodies.rows.rows.tolist(), strict=True):
                known[body.index] = bodies, row
        return lambda part: self.handle_of(
            *known.get(self._owners_of.get(part.index, -1), (None, -1))
        )

    def _sorted(self, found: list[Any]) -> list[Any]:
        indices = {self._owners_of.get(part.index, -1) for part in found}
        return self.those(lambda body: body.index in indices)


def _noting(found: list[Any]) -> Callable[[Any], bool]:
    """Notes what is found, and asks for more."""

    def note(part: Any) -> bool:
        found.append(part)
        return True

    return note
