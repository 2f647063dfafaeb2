"""An effect that makes a bus quieter while another bus is loud, for example music during speech."""

from __future__ import annotations

__all__ = ["Ducking"]

from .. import checks
from ..checks import Setting
from . import effects
from .bus_effects import VolumeEffect
from .buses import Bus


def _reduction(name: str, value: object) -> float:
    return checks.number(name, value, least=0, most=80)


class Ducking(VolumeEffect):
    """An effect that makes its bus quieter while another bus is loud. For example, speech makes the
    music quieter: ``buses["music"].add_effect(fw.Ducking(buses["speech"]))``.
    """

    __slots__ = ("_listen", "_reduction")

    kind = effects.DUCKING
    reduction = Setting(
        _reduction,
        "The number of decibels by which the bus is quieter while the other bus is loud, from 0 to 80.",
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
        """``listen`` is the other bus, which controls this effect. Its sound is measured after its
        own effects and volume. The effect starts when ``listen`` is louder than ``threshold``.
        """
        super().__init__(threshold, attack, release)
        self._listen = checks.instance("listen", listen, Bus)
        self.reduction = reduction

    @property
    def listen(self) -> Bus:
        """The other bus, which controls this effect."""
        return self._listen

    def values(self) -> tuple[float, ...]:
        return self.threshold, self.reduction, self.attack, self.release
