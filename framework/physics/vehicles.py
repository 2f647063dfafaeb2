"""3D vehicles: a body on wheels with springs. Each wheel casts a ray down to find the ground."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Doubles
from ..geometry import quaternions
from ..other_engines.other_names import SealedByClass
from ..other_engines.physics_names import vehicle_names
from ..state.rows import Handle
from .bodysets import Bodies
from .engines import rapier3d
from .rapier_engine import RapierEngine
from .simulation import Simulation
from .wheels import WheelController


@vehicle_names
class Vehicle(SealedByClass):
    """A car or a similar vehicle, created by `Physics3D.vehicle`: a body (the chassis) on wheels
    with springs.

    The methods identify a wheel by its index in the argument ``wheels`` of `Physics3D.vehicle`.
    Removing the chassis also removes the vehicle. Once the vehicle has been removed, its methods
    and `speed` raise `ValueError`.

    Parameters
    ----------
    suspension
        The length of the wheel springs at rest, in units.
    stiffness
        The stiffness of the wheel springs: force per unit of length, divided by the mass of the
        chassis.
    travel
        How far a wheel spring can move up or down, in units.
    damping
        The damping of the wheel springs, from 0 to 1, which determines how soon the vehicle stops
        bouncing. With a ``damping`` of 0, the vehicle bounces for a long time. With a ``damping``
        of 1, the springs do not bounce at all (critical damping).
    grip
        The friction between the tires and the ground. With a ``grip`` of 0, the vehicle slides as
        if on ice.
    """

    _public_attributes = ("wheels", "radius")

    def __init__(
        self,
        simulation: Simulation[rapier3d.RigidBodyHandle],
        engine: RapierEngine,
        body: Handle[Any] | tuple[Bodies, int],
        wheels: ArrayLike,
        radius: float,
        *,
        suspension: float = 0.4,
        stiffness: float = 40.0,
        travel: float = 0.3,
        damping: float = 0.6,
        grip: float = 2.0,
    ) -> None:
        positions = checks.numbers("wheels", wheels, (None, 3))
        if not len(positions):
            raise checks.wrong_value("wheels", "at least one position", wheels)
        self._simulation = simulation
        self._engine = engine
        chassis = simulation.body_of("body", body)
        if not engine.native(chassis).is_dynamic:
            raise ValueError("body: a chassis needs a body of kind='dynamic'")
        self.wheels = len(positions)
        """The number of wheels of this vehicle."""
        self.radius = checks.number("radius", radius, above=0)
        """The radius of each wheel, in units."""
        tuning = _tuning(stiffness, damping, travel, grip)
        length = checks.number("suspension", suspension, above=0)
        self._controller = WheelController(chassis, positions.tolist(), length, self.radius, tuning)
        engine.vehicles.append(self._controller)

    @property
    def removed(self) -> bool:
        """Whether the vehicle has been removed together with its chassis."""
        self._simulation.sync_bodies()
        return self._controller not in self._engine.vehicles

    def _native(self) -> rapier3d.DynamicRayCastVehicleController:
        """Return the Rapier object that simulates the vehicle. Raises `ValueError` if the vehicle
        has been removed.
        """
        if self.removed:
            raise ValueError(
                "vehicle: its chassis was removed; make a new one with physics.vehicle(…)"
            )
        return self._controller.native

    @property
    def speed(self) -> float:
        """The speed of the vehicle along the +z axis of the chassis, in units / s.

        The speed is negative while the vehicle is driving backward.
        """
        return self._native().current_vehicle_speed

    def drive(self, force: float, wheels: Iterable[int] | None = None) -> None:
        """Set the force with which each wheel in ``wheels`` drives the vehicle forward. The force
        remains until you call `drive` again.

        A negative force drives the vehicle backward. ``wheels`` contains the indices of the wheels.
        By default, all wheels drive the vehicle.
        """
        self._call_each(self._native().apply_engine_force, "force", force, wheels)

    def steer(self, angle: float, wheels: Iterable[int] | None = (0, 1)) -> None:
        """Turn each wheel in ``wheels`` to ``angle`` radians. A positive angle steers to the left.

        ``wheels`` contains the indices of the wheels. By default, the first two wheels steer.
        """
        self._call_each(self._native().set_steering, "angle", angle, wheels)

    def brake(self, force: float, wheels: Iterable[int] | None = None) -> None:
        """Set the maximum brake force of each wheel in ``wheels``. The force remains until you call
        `brake` again.

        A force of 0 releases the brake. ``wheels`` contains the indices of the wheels. By default,
        all wheels brake.
        """
        self._call_each(
            self._native().set_brake, "force", checks.number("force", force, least=0), wheels
        )

    def poses(self) -> tuple[Doubles, Doubles]:
        """Return the current positions and rotations of the wheels, in world coordinates.

        The positions have the shape (n, 3), and the rotations have the shape (n, 4). The rotations
        fit wheel meshes whose axle is the x axis.
        """
        controller = self._native()
        body = self._engine.native(self._controller.chassis)
        chassis_rotations = np.tile(body.rotation.to_tuple(), (self.wheels, 1))
        wheels = [controller.wheel(index) for index in range(self.wheels)]
        steering = np.array([(0.0, wheel.steering, 0.0) for wheel in wheels])
        rolling = np.array([(wheel.rotation, 0.0, 0.0) for wheel in wheels])
        rotations = quaternions.multiply(
            quaternions.multiply(chassis_rotations, quaternions.from_vectors(steering)),
            quaternions.from_vectors(rolling),
        )
        positions = np.array([wheel.center.to_tuple() for wheel in wheels])
        return positions, np.asarray(rotations, np.float64)

    def _call_each(
        self,
        call: Callable[[int, float], None],
        name: str,
        value: float,
        wheels: Iterable[int] | None,
    ) -> None:
        amount = checks.number(name, value)
        indices: Iterable[int] = (
            range(self.wheels) if wheels is None else checks.items("wheels", wheels)
        )
        for index in indices:
            call(checks.whole("wheels", index, 0, self.wheels - 1), amount)
        self._engine.wake(self._controller.chassis)


def _tuning(stiffness: float, damping: float, travel: float, grip: float) -> rapier3d.WheelTuning:
    """Check the options of the wheels, and return them in the form that Rapier needs."""
    checked_stiffness = checks.number("stiffness", stiffness, above=0)
    share = checks.number("damping", damping, least=0, most=1)
    resistance = 2 * share * math.sqrt(checked_stiffness)
    return rapier3d.WheelTuning(
        suspension_stiffness=checked_stiffness,
        suspension_compression=resistance,
        suspension_damping=resistance,
        max_suspension_travel=checks.number("travel", travel, above=0),
        friction_slip=checks.number("grip", grip, least=0),
    )
