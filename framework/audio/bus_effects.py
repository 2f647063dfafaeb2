"""Effects that change all sounds of a bus: filters, echo, reverb, bit crusher and compressor."""

from __future__ import annotations

__all__ = ["BitCrusher", "Compressor", "Echo", "HighPass", "LowPass", "Reverb"]

from typing import Any, ClassVar

import numpy as np

from .. import checks
from ..checks import Sealed, Setting
from . import effects
from .mix_table import EFFECT, NEVER, Record

_RATE = 48_000
_MIN_CHANGE = 240  # the shortest time in which a setting changes, in samples (5 ms)
_GRID = effects.FILTER_BLOCK


def _frequency(name: str, value: object) -> float:
    return checks.number(name, value, least=20, most=20_000)


def _resonance(name: str, value: object) -> float:
    return checks.number(name, value, least=0.1, most=20)


def _share(name: str, value: object) -> float:
    return checks.number(name, value, least=0, most=1)


def _feedback(name: str, value: object) -> float:
    return checks.number(name, value, least=0, most=0.95)


def _delay(name: str, value: object) -> float:
    shortest = effects.MIN_DELAY / _RATE
    longest = effects.MAX_DELAY / _RATE
    return checks.number(name, value, least=shortest, most=longest)


def _reverb_time(name: str, value: object) -> float:
    return checks.number(name, value, least=0.05, most=30)


def _threshold(name: str, value: object) -> float:
    return checks.number(name, value, least=-80, most=0)


def _ratio(name: str, value: object) -> float:
    return checks.number(name, value, least=1, most=100)


def _time(name: str, value: object) -> float:
    return checks.number(name, value, least=0.001, most=10)


def _gain(name: str, value: object) -> float:
    return checks.number(name, value, least=-40, most=40)


def _bits(name: str, value: object) -> float:
    return checks.number(name, value, least=1, most=16)


def _sample_rate(name: str, value: object) -> float:
    return checks.number(name, value, least=effects.MIN_SAMPLE_RATE, most=_RATE)


class BusEffect(Sealed):
    """The base class of all effects that you can add to a bus with `Bus.add_effect`.

    If you change a setting, it reaches its new value gradually, over one tick or 5 ms, whichever is
    longer. So you hear no click.
    """

    __slots__ = ("_bus", "_enabled")

    # The settings of an effect are part of the state. So a tween of a setting gives the same values
    # when ticks run again.
    _transient_attributes: ClassVar[Any] = ("_bus",)
    kind = 0

    enabled = Setting(
        checks.flag,
        "Whether the effect changes the sound. When you change it, the effect fades in or out "
        "over one tick.",
    )

    def __init__(self) -> None:
        self._enabled = True
        self._bus: Any = None

    @property
    def bus(self) -> Any:
        """The bus to which this effect was added, or None."""
        return self._bus

    def attach(self, bus: Any) -> None:
        """Called when the effect is added to a bus or removed from its bus. ``bus`` is the new bus,
        or None if the effect was removed.
        """
        self._bus = bus

    @property
    def listen(self) -> Any:
        """The other bus that controls this effect, or None. See `Ducking`."""
        return None

    def values(self) -> tuple[float, ...]:
        """Return the parameters of the effect for the mix table."""
        raise NotImplementedError

    def __repr__(self) -> str:
        name = type(self).__name__
        return f"<{name}>" if self._bus is None else f"<{name} of bus {self._bus.name!r}>"


class LowPass(BusEffect):
    """A filter that removes high frequencies, as a wall or water does:
    ``bus.add_effect(fw.LowPass(800))``.

    Above `frequency`, the volume falls by 12 decibels per octave.
    """

    __slots__ = ("_frequency", "_resonance")

    kind = effects.LOW_PASS
    frequency = Setting(_frequency, "The cutoff frequency in hertz, 20 to 20,000.")
    resonance = Setting(
        _resonance, "The volume at the cutoff frequency, 0.1 to 20. At 0.71 the filter is flat."
    )

    def __init__(self, frequency: float = 1000.0, resonance: float = 0.71) -> None:
        super().__init__()
        self.frequency = frequency
        self.resonance = resonance

    def values(self) -> tuple[float, ...]:
        return self.frequency, self.resonance


class HighPass(BusEffect):
    """A filter that removes low frequencies, as a small radio does:
    ``bus.add_effect(fw.HighPass(300))``.

    Below `frequency`, the volume falls by 12 decibels per octave.
    """

    __slots__ = ("_frequency", "_resonance")

    kind = effects.HIGH_PASS
    frequency = Setting(_frequency, "The cutoff frequency in hertz, 20 to 20,000.")
    resonance = Setting(
        _resonance, "The volume at the cutoff frequency, 0.1 to 20. At 0.71 the filter is flat."
    )

    def __init__(self, frequency: float = 300.0, resonance: float = 0.71) -> None:
        super().__init__()
        self.frequency = frequency
        self.resonance = resonance

    def values(self) -> tuple[float, ...]:
        return self.frequency, self.resonance


class Echo(BusEffect):
    """An echo that repeats each sound after a delay: ``fw.Echo(0.3)``. Each repetition is quieter
    than the last one.
    """

    __slots__ = ("_delay", "_dry", "_feedback", "_wet")

    kind = effects.ECHO
    delay = Setting(_delay, "The time between two repetitions in seconds, 0.01 to 2.")
    feedback = Setting(
        _feedback, "The volume of each repetition relative to the repetition before, 0 to 0.95."
    )
    wet = Setting(_share, "The volume of the echo, 0 to 1.")
    dry = Setting(_share, "The volume of the sound without echo, 0 to 1.")

    def __init__(
        self, delay: float = 0.3, *, feedback: float = 0.4, wet: float = 0.4, dry: float = 1.0
    ) -> None:
        super().__init__()
        self.delay = delay
        self.feedback = feedback
        self.wet = wet
        self.dry = dry

    def values(self) -> tuple[float, ...]:
        return float(round(self.delay * _RATE)), self.feedback, self.wet, self.dry


class Reverb(BusEffect):
    """The sound of a room or a hall: ``bus.add_effect(fw.Reverb(2.5))``."""

    __slots__ = ("_damping", "_dry", "_duration", "_wet")

    kind = effects.REVERB
    duration = Setting(
        _reverb_time,
        "The time in seconds until the sound is 60 decibels quieter, from 0.05 to 30. For example, "
        "use 0.5 for a room and 2.5 for a hall.",
    )
    damping = Setting(_share, "How much the walls absorb high frequencies, from 0 to 1.")
    wet = Setting(_share, "The volume of the reverb, 0 to 1.")
    dry = Setting(_share, "The volume of the sound without reverb, 0 to 1.")

    def __init__(
        self, duration: float = 1.5, *, damping: float = 0.4, wet: float = 0.3, dry: float = 1.0
    ) -> None:
        super().__init__()
        self.duration = duration
        self.damping = damping
        self.wet = wet
        self.dry = dry

    def values(self) -> tuple[float, ...]:
        return self.duration, self.damping, self.wet, self.dry


class BitCrusher(BusEffect):
    """The rough sound of an old computer or a broken radio: ``bus.add_effect(fw.BitCrusher(6))``.

    The effect rounds each sample to few different values, and repeats each sample.
    """

    __slots__ = ("_bits", "_sample_rate")

    kind = effects.CRUSHER
    bits = Setting(
        _bits,
        "The number of bits of each sample, 1 to 16. With fewer bits, the sound has more noise. "
        "With 16 bits, you hear no noise. The default is 8, as in early consoles.",
    )
    sample_rate = Setting(
        _sample_rate,
        "The number of different samples per second, 100 to 48,000. Frequencies above half the "
        "sample rate become other, harsh tones. At 48,000, no sample is repeated.",
    )

    def __init__(self, bits: float = 8.0, sample_rate: float = 12_000.0) -> None:
        super().__init__()
        self.bits = bits
        self.sample_rate = sample_rate

    def values(self) -> tuple[float, ...]:
        return self.bits, self.sample_rate


class VolumeEffect(BusEffect):
    """The base class of effects that lower the volume of a bus while a sound is loud."""

    __slots__ = ("_attack", "_release", "_threshold")

    threshold = Setting(
        _threshold,
        "The volume in decibels above which a sound counts as loud, from -80 to 0 (full volume).",
    )
    attack = Setting(_time, "The time in seconds in which the volume falls, from 0.001 to 10.")
    release = Setting(
        _time, "The time in seconds in which the volume rises again, from 0.001 to 10."
    )

    def __init__(self, threshold: float, attack: float, release: float) -> None:
        super().__init__()
        self.threshold = threshold
        self.attack = attack
        self.release = release


class Compressor(VolumeEffect):
    """An effect that makes loud parts of a bus quieter, so that loud and quiet parts differ less."""

    __slots__ = ("_gain", "_ratio")

    kind = effects.COMPRESSOR
    ratio = Setting(
        _ratio,
        "The number of decibels by which the sound must become louder to be 1 decibel louder after "
        "the effect.",
    )
    gain = Setting(
        _gain, "The number of decibels that are added to the whole sound, from -40 to 40."
    )

    def __init__(
        self,
        threshold: float = -18.0,
        ratio: float = 4.0,
        *,
        attack: float = 0.005,
        release: float = 0.15,
        gain: float = 0.0,
    ) -> None:
        super().__init__(threshold, attack, release)
        self.ratio = ratio
        self.gain = gain

    def values(self) -> tuple[float, ...]:
        return self.threshold, self.ratio, self.attack, self.release, self.gain


class EffectSlot:
    """The row of an effect in the mix table, and the delay memory of the effect."""

    not_state = True

    def __init__(self, effect: BusEffect | None) -> None:
        """If ``effect`` is None, this slot records the sound of its bus without changing the sound.
        `Bus.level` and `Bus.spectrum` use the recorded sound.
        """
        self.effect = effect
        self.kind = effects.METER if effect is None else effect.kind
        self.line = effects.new_line(self.kind)
        self.row: Record = np.zeros(1, EFFECT)
        self.index = -1
        """The index of the row in the table, or -1."""
        self.is_leaving = False
        """Whether the effect was removed from its bus and is still fading out."""
        self._target: tuple[float, ...] = ()
        self.row["kind"] = self.kind
        self.row["ramp_begin"] = self.row["ramp_end"] = NEVER

    def start(self, amount: float) -> None:
        """Write the current settings of the effect to its row. ``amount`` is the strength of the
        effect at the start. ``amount`` is 0 if the effect must fade in.
        """
        values = self._values()
        self._target = *values[:-1], amount
        for name in ("params", "to_params"):
            self._write(self.row[0], name, self._target)

    def aim(self, row: Any, now: int, end: int) -> None:
        """Let the row change gradually to the current settings of the effect, until the sample
        ``end`` of the mix.
        """
        values = self._values()
        # Wait until the last change has ended, because an effect can mix only two settings at a
        # time.
        if values == self._target or now <= int(row["ramp_end"]):
            return
        self._target = values
        row["params"] = row["to_params"]
        self._write(row, "to_params", values)
        begin = -(-now // _GRID) * _GRID
        row["ramp_begin"] = begin
        row["ramp_end"] = max(begin + _MIN_CHANGE, (end - 1) // _GRID * _GRID)

    def is_over(self, row: Any, now: int) -> bool:
        """Return whether the effect was removed and has faded out."""
        return self.is_leaving and self._target[-1] == 0.0 and now > int(row["ramp_end"])

    def _values(self) -> tuple[float, ...]:
        effect = self.effect
        if effect is None:
            return (1.0,)
        return *effect.values(), float(effect.enabled and not self.is_leaving)

    @staticmethod
    def _write(row: Any, name: str, values: tuple[float, ...]) -> None:
        row[name][: len(values) - 1] = values[:-1]
        row[name][effects.AMOUNT] = values[-1]
