"""One that walks through a `Physics3D`: up stairs and slopes, along walls."""

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
from .simulation import Simulation

_LEAST = 2e-5  # shorter ways are none to Rapier, and over a `floor` it answers them with a jump
_PROBE = 1e-3


class Character:
    """Made by `Physics3D.character`. Its body is kinematic: it is where the game says, and pushes
    what it runs into.
    """

    _not_hashed = ("_control",)

    def __init__(
        self,
        simulation: Simulation[rapier3d.RigidBodyHandle],
        engine: RapierEngine,
        thing: Handle[Any] | tuple[Bodies, int],
        step: float,
        slope: float,
        snap: float,
        gap: float,
    ) -> None:
        self._simulation, self._engine, self._thing = simulation, engine, thing
        self.on_floor = False
        """Whether it stood when it was moved last."""
        simulation.body_of("thing", thing)
        if self._bodies.material.kind != "kinematic":
            raise ValueError("thing: a character needs a body of kind='kinematic'")
        height, reach = checks.number("step", step, least=0), checks.number("snap", snap, least=0)
        up = rapier3d.CharacterAutostep(height, min(height, 0.1), False) if height else None
        tilt = checks.number("slope", slope, least=0, most=1.57)
        self._control = rapier3d.KinematicCharacterController(
            offset=checks.number("gap", gap, above=0),
            autostep=up,
            snap_to_ground=reach or None,
            max_slope_climb_angle=tilt,
            min_slope_slide_angle=tilt,
        )

    @property
    def _bodies(self) -> BodySet[rapier3d.RigidBodyHandle]:
        if not isinstance(self._thing, Handle):
            return set_of(self._thing[0])
        bodies = self._simulation.set_with(self._thing)
        assert bodies is not None  # `body_of` has raised an error otherwise
        return bodies

    def move(self, displacement: ArrayLike, dt: float) -> Doubles:
        """Go as far as there is room, of ``displacement`` (3,) in ``dt`` seconds; returns how far
        it came.

        Its row's ``position`` is written; its body follows in the next step.
        """
        engine = self._engine
        raw = self._simulation.body_of("thing", self._thing)
        bodies = self._bodies
        wanted = checks.vector("displacement", displacement, 3)
        seconds = checks.number("dt", dt, above=0)
        queries, world = engine.queries(), engine.world
        table, stride = poses_of(bodies.batch)
        row = self._thing.row if isinstance(self._thing, Handle) else self._thing[1]
        here: NDArray[np.floating] = table.column("position").data[row * stride]
        turn: NDArray[np.floating] = table.column("rotation").data[row * stride]
        part = world.colliders[world.rigid_bodies[raw].colliders[0]]
        seen = engine.seen_by(part).exclude_rigid_body(raw)
        came = np.zeros(3)

        def go(way: Doubles) -> tuple[float, float, float]:
            pose: rapier3d.Isometry3 = engine.isometry(here + came, turn) * part.position_wrt_parent
            moved = self._control.move_shape(
                seconds,
                world.rigid_bodies,
                world.colliders,
                queries,
                part.shape,
                pose,
                rapier3d.Vec3(*way.tolist()),
                seen,
            )
            self.on_floor = moved.grounded
            return moved.translation.to_tuple()

        # Along first, then up or down. Who stands, or has just stepped up, does not fall: else a
        # round foot on the edge of a stair would slide off it again.
        along, fall = wanted * (1, 0, 1), wanted * (0, 1, 0)
        for way in (along, fall):
            stays = (
                way is fall and wanted[1] <= 0 and along.any() and (self.on_floor or came[1] > 0)
            )
            if not stays and np.linalg.norm(way) > _LEAST:
                came += go(way)
        if np.linalg.norm(wanted) <= _LEAST:
            go(np.array((0.0, -_PROBE, 0.0)))  # for what it stands on alone
        table.column("position").put(row * stride, (here + came).tolist())
        return came
