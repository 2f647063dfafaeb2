"""The wheels of a car, as Rapier simulates them in each step."""

from __future__ import annotations

from collections.abc import Sequence

from .engines import rapier3d

_DOWN, _AXLE = (0.0, -1.0, 0.0), (-1.0, 0.0, 0.0)


class WheelController:
    """Rapier's vehicle controller, of which a snapshot holds Rapier's own bytes."""

    not_state = _captured_attributes = ("native",)
    _not_hashed = ("chassis", "native")

    def __init__(
        self,
        chassis: rapier3d.RigidBodyHandle,
        positions: Sequence[Sequence[float]],
        suspension: float,
        radius: float,
        tuning: rapier3d.WheelTuning,
    ) -> None:
        """``positions`` (n, 3) from the middle of the chassis, ``suspension`` the springs'
        length.
        """
        self.chassis = chassis
        """Rapier's handle of the body."""
        self._count = len(positions)
        self.native = rapier3d.DynamicRayCastVehicleController(chassis)
        self.native.index_up_axis, self.native.index_forward_axis = 1, 2
        for position in positions:
            x, y, z = position
            self.native.add_wheel((x, y, z), _DOWN, _AXLE, suspension, radius, tuning)

    def roll(
        self,
        seconds: float,
        world: rapier3d.PhysicsWorld,
        queries: rapier3d.QueryPipeline,
        seen: rapier3d.QueryFilter,
    ) -> None:
        """Simulate the wheels for one step. ``seen`` is the filter for the ground."""
        forces = [self.native.wheel(number).brake for number in range(self._count)]
        # Rapier takes brakes for the impulses of one step.
        self._set_brakes([force * seconds for force in forces])
        self.native.update_vehicle(seconds, world.rigid_bodies, world.colliders, queries, seen)
        self._set_brakes(forces)

    def _set_brakes(self, amounts: Sequence[float]) -> None:
        for number, amount in enumerate(amounts):
            self.native.set_brake(number, amount)

    def _captured(self) -> bytes:
        """Return the whole state, in Rapier's bytes."""
        return self.native.to_bytes()

    def _put_back(self, state: bytes) -> None:
        """Restore the state that `_captured` returned."""
        self.native = rapier3d.DynamicRayCastVehicleController.from_bytes(state)
