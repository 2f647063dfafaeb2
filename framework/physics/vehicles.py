"""Cars in a `Physics3D`: a chassis on wheels that feel for the ground with rays."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Doubles
from ..geometry import quaternions
from ..state.rows import Handle
from .bodysets import Bodies
from .engines import rapier3d
from .rapier_engine import RapierEngine
from .simulation import Simulation
from .wheels import WheelController


class Vehicle:
    """Made by `Physics3D.vehicle`. Wheels are numbered as they were given.

    ``suspension`` is the springs' length, ``stiffness`` theirs by mass, ``travel`` how far they
    give, ``damping`` how soon they calm down (from 0 to 1), ``grip`` how well wheels hold to the
    ground. A vehicle goes with its chassis: what is asked of it then is a `ValueError`.
    """

    def __init__(
        self,
        simulation: Simulation[rapier3d.RigidBodyHandle],
        engine: RapierEngine,
        thing: Handle[Any] | tuple[Bodies, int],
        wheels: ArrayLike,
        radius: float,
        *,
        suspension: float = 0.4,
        stiffness: float = 40.0,
        travel: float = 0.3,
        damping: float = 0.6,
        grip: float = 2.0,
    ) -> None:
        places = checks.numbers("wheels", wheels, (None, 3))
        if not len(places):
            raise checks.wrong_value("wheels", "one at least", wheels)
        self._simulation, self._engine = simulation, engine
        chassis = simulation.body_of("thing", thing)
        if not engine.native(chassis).is_dynamic:
            raise ValueError("thing: a chassis needs a body of kind='dynamic'")
        self.wheels = len(places)
        """How many there are."""
        self.radius = checks.number("radius", radius, above=0)
        stiff = checks.number("stiffness", stiffness, above=0)
        calm = 2 * checks.number("damping", damping, least=0, most=1) * math.sqrt(stiff)
        tuning = rapier3d.WheelTuning(
            suspension_stiffness=stiff,
            suspension_compression=calm,
            suspension_damping=calm,
            max_suspension_travel=checks.number("travel", travel, above=0),
            friction_slip=checks.number("grip", grip, least=0),
        )
        length = checks.number("suspension", suspension, above=0)
        self._controller = WheelController(chassis, places.tolist(), length, self.radius, tuning)
        engine.vehicles.append(self._controller)

    @property
    def removed(self) -> bool:
        """Whether it is gone, as its chassis is."""
        self._simulation.settle()
        return self._controller not in self._engine.vehicles

    def _there(self) -> rapier3d.DynamicRayCastVehicleController:
        """Return Rapier's controller. Raises `ValueError` if the vehicle was removed."""
        if self.removed:
            raise ValueError(
                "vehicle: its chassis was removed; make a new one with physics.vehicle(…)"
            )
        return self._controller.native

    @property
    def speed(self) -> float:
        """Units / s, forward."""
        return self._there().current_vehicle_speed

    def drive(self, force: float, wheels: Iterable[int] | None = None) -> None:
        """Push forward with a force at each of some wheels, all unless told, from now on; below 0,
        backward.
        """
        self._each(self._there().apply_engine_force, "force", force, wheels)

    def steer(self, angle: float, wheels: Iterable[int] | None = (0, 1)) -> None:
        """Turn some wheels, the first two unless told, to the left by ``angle`` radians."""
        self._each(self._there().set_steering, "angle", angle, wheels)

    def brake(self, force: float, wheels: Iterable[int] | None = None) -> None:
        """Brake with a force of at most so much at each of some wheels, all unless told, from now
        on; 0 lets go.
        """
        self._each(self._there().set_brake, "force", checks.number("force", force, least=0), wheels)

    def poses(self) -> tuple[Doubles, Doubles]:
        """Where the wheels are now: positions (n, 3) and rotations (n, 4), for a batch whose meshes
        have their axle along x."""
        control, body = self._there(), self._engine.native(self._controller.chassis)
        turn = np.tile(body.rotation.to_tuple(), (self.wheels, 1))
        wheels = [control.wheel(number) for number in range(self.wheels)]
        steering = np.array([(0.0, wheel.steering, 0.0) for wheel in wheels])
        rolling = np.array([(wheel.rotation, 0.0, 0.0) for wheel in wheels])
        turns = quaternions.multiply(
            quaternions.multiply(turn, quaternions.from_vectors(steering)),
            quaternions.from_vectors(rolling),
        )
        places = np.array([wheel.center.to_tuple() for wheel in wheels])
        return places, np.asarray(turns, np.float64)

    def _each(
        self,
        call: Callable[[int, float], None],
        name: str,
        value: float,
        wheels: Iterable[int] | None,
    ) -> None:
        amount = checks.number(name, value)
        numbers: Iterable[int] = (
            range(self.wheels) if wheels is None else checks.items("wheels", wheels)
        )
        for number in numbers:
            call(checks.whole("wheels", number, 0, self.wheels - 1), amount)
        self._engine.wake(self._controller.chassis)
