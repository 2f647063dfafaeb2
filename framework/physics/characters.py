"""3D characters: a walking body that climbs stairs and slopes and slides along walls."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..arrays import Doubles
from ..state.rows import Handle
from .bodysets import Bodies, BodySet, poses_of, set_of
from .engines import rapier3d
from .rapier_engine import RapierEngine
from .shapes3d import triple
from .simulation import Simulation

# Rapier ignores displacements that are shorter. Above a floor of `add_floor`, a shorter
# displacement even makes the body jump.
_MIN_DISPLACEMENT = 2e-5
_PROBE = 1e-3


class Character:
    """A walking 3D character, made by `Physics3D.character`.

    The body of a character is kinematic: the game sets the position, and the body pushes dynamic
    bodies away.
    """

    _not_hashed = ("_control",)

    def __init__(
        self,
        simulation: Simulation[rapier3d.RigidBodyHandle],
        engine: RapierEngine,
        body: Handle[Any] | tuple[Bodies, int],
        step: float,
        slope: float,
        snap: float,
        gap: float,
    ) -> None:
        self._simulation = simulation
        self._engine = engine
        self._body = body
        self.on_floor = False
        """Whether the character stood on a floor after the last `move`."""
        simulation.body_of("body", body)
        if self._bodies.material.kind != "kinematic":
            raise ValueError("body: a character needs a body of kind='kinematic'")
        height = checks.number("step", step, least=0)
        snap_distance = checks.number("snap", snap, least=0)
        autostep = rapier3d.CharacterAutostep(height, min(height, 0.1), False) if height else None
        max_slope = checks.number("slope", slope, least=0, most=1.57)
        self._control = rapier3d.KinematicCharacterController(
            offset=checks.number("gap", gap, above=0),
            autostep=autostep,
            snap_to_ground=snap_distance or None,
            max_slope_climb_angle=max_slope,
            min_slope_slide_angle=max_slope,
        )

    @property
    def _bodies(self) -> BodySet[rapier3d.RigidBodyHandle]:
        if not isinstance(self._body, Handle):
            return set_of(self._body[0])
        bodies = self._simulation.set_with(self._body)
        assert bodies is not None  # `body_of` raises otherwise
        return bodies

    def move(self, displacement: ArrayLike, dt: float) -> Doubles:
        """Move the character by ``displacement`` (3,), in units, as far as obstacles allow.

        `move` returns the actual displacement, an array (3,). `move` sets the ``position`` of the
        character's row, and `on_floor`. The physics body moves to the new position in the next
        physics step. While the character walks on a floor, the downward part of ``displacement`` is
        ignored.

        Parameters
        ----------
        displacement
            The movement of this tick in units, such as ``velocity * dt``. `move` adds no gravity:
            your code adds the fall to ``displacement``.
        dt
            The duration of the movement in seconds, which must be above 0.
        """
        engine = self._engine
        raw = self._simulation.body_of("body", self._body)
        bodies = self._bodies
        goal = checks.vector("displacement", displacement, 3)
        seconds = checks.number("dt", dt, above=0)
        queries = engine.queries()
        world = engine.world
        table, stride = poses_of(bodies.batch)
        row = self._body.row if isinstance(self._body, Handle) else self._body[1]
        position: NDArray[np.floating] = table.column("position").data[row * stride]
        rotation: NDArray[np.floating] = table.column("rotation").data[row * stride]
        collider = world.colliders[world.rigid_bodies[raw].colliders[0]]
        obstacles = engine.collider_filter(collider).exclude_rigid_body(raw)
        moved = np.zeros(3)

        def move_shape(part: Doubles) -> tuple[float, float, float]:
            pose: rapier3d.Isometry3 = (
                engine.isometry(position + moved, rotation) * collider.position_wrt_parent
            )
            movement = self._control.move_shape(
                seconds,
                world.rigid_bodies,
                world.colliders,
                queries,
                collider.shape,
                pose,
                triple(part),
                obstacles,
            )
            self.on_floor = movement.grounded
            return movement.translation.to_tuple()

        # Move by the horizontal part first, then by the vertical part. After a step up or on the
        # floor the body does not fall, because a round foot would slide off the edge of a stair.
        horizontal = goal * (1, 0, 1)
        vertical = goal * (0, 1, 0)
        for part in (horizontal, vertical):
            stays = (
                part is vertical
                and goal[1] <= 0
                and horizontal.any()
                and (self.on_floor or moved[1] > 0)
            )
            if not stays and np.linalg.norm(part) > _MIN_DISPLACEMENT:
                moved += move_shape(part)
        if np.linalg.norm(goal) <= _MIN_DISPLACEMENT:
            move_shape(np.array((0.0, -_PROBE, 0.0)))  # only to update `on_floor`
        table.column("position").put(row * stride, (position + moved).tolist())
        return moved
