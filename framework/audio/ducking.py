"""Ducking: an effect that makes a bus quieter while another bus is loud."""

from __future__ import annotations

__all__ = ["Ducking"]

from .. import checks
from ..checks import Setting
from . import effects
from .bus_effects import BusEffect, checked_threshold, checked_time
from .buses import Bus


def _reduction(name: str, value: object) -> float:
    return checks.number(name, value, least=0, most=80)


class Ducking(BusEffect):
    """An effect that makes its bus quieter while another bus is loud, such as music under speech:
    ``buses["music"].add_effect(fw.Ducking(buses["speech"]))``.
    """

    __slots__ = ("_attack", "_listen", "_reduction", "_release", "_threshold")

    kind = effects.DUCKING
    threshold = Setting(
        checked_threshold,
        "The volume in decibels above which the other bus counts as loud, -80 to 0.",
    )
    reduction = Setting(
        _reduction, "Decibels by which the bus is quieter while the other bus is loud, 0 to 80."
    )
    attack = Setting(checked_time, "The time in seconds in which the volume falls, 0.001 to 10.")
    release = Setting(
        checked_time, "The time in seconds in which the volume rises again, 0.001 to 10."
    )

    def __init__(
        self,
        listen: Bus,
        reduction: float = 12.0,
        *,
        threshold: float = -40.0,
        attack: float = 0.05,
        release: float = 0.4,
    ) -> None:
        """``listen`` is the other bus, after its own effects and its volume."""
        super().__init__()
        self._listen = checks.instance("listen", listen, Bus)
        self.reduction = reduction
        self.threshold = threshold
        self.attack = attack
        self.release = release

    @property
    def listen(self) -> Bus:
        """The other bus."""
        return self._listen

    def values(self) -> tuple[float, ...]:
        return self.threshold, self.reduction, self.attack, self.release
