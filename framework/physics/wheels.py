"""Simulate the wheels of a vehicle with Rapier's vehicle controller, and save their state."""

from __future__ import annotations

from collections.abc import Sequence

from .engines import rapier3d

_DOWN = (0.0, -1.0, 0.0)
_AXLE = (-1.0, 0.0, 0.0)


class WheelController:
    """A wrapper around Rapier's vehicle controller, which simulates the wheels of a vehicle.
    Snapshots store the state of the controller as bytes.
    """

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
        """``positions`` contains the positions of the wheels relative to the center of the chassis,
        with the shape (n, 3).

        ``suspension`` is the length of the wheel springs, in units.
        """
        self.chassis = chassis
        """Rapier's handle of the chassis."""
        self._count = len(positions)
        self.native = rapier3d.DynamicRayCastVehicleController(chassis)
        self.native.index_up_axis = 1
        self.native.index_forward_axis = 2
        for position in positions:
            x, y, z = position
            self.native.add_wheel((x, y, z), _DOWN, _AXLE, suspension, radius, tuning)

    def roll(
        self,
        seconds: float,
        world: rapier3d.PhysicsWorld,
        queries: rapier3d.QueryPipeline,
        ground: rapier3d.QueryFilter,
    ) -> None:
        """Simulate the wheels in a physics step of ``seconds``.

        ``ground`` is a query filter for the bodies that can be the ground. The wheels cast rays to
        find the ground. These rays hit only bodies that match ``ground``.
        """
        forces = [self.native.wheel(index).brake for index in range(self._count)]
        # Rapier expects the brake as an impulse per step, not as a force.
        self._set_brakes([force * seconds for force in forces])
        self.native.update_vehicle(seconds, world.rigid_bodies, world.colliders, queries, ground)
        self._set_brakes(forces)

    def _set_brakes(self, amounts: Sequence[float]) -> None:
        for index, amount in enumerate(amounts):
            self.native.set_brake(index, amount)

    def _capture(self) -> bytes:
        """Return the state of the vehicle controller as bytes."""
        return self.native.to_bytes()

    def _restore(self, state: bytes) -> None:
        """Restore the state of the controller that `_capture` returned."""
        self.native = rapier3d.DynamicRayCastVehicleController.from_bytes(state)
