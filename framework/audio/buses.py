"""Audio buses: groups of playing sounds that share a volume and a pitch, and pause together."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np

from .. import checks
from ..arrays import Floats
from ..assets.sounds import RATE
from ..checks import Sealed, Setting
from ..errors import FrameworkError
from ..other_engines.misspellings import misspelling_of
from ..other_engines.other_names import other_names, words
from .bus_effects import BusEffect, EffectSlot
from .mix_table import MAX_EFFECTS, MAX_GROUPS
from .tween_starts import TweenStarts

_DEFAULTS = ("effects", "music")

T = TypeVar("T")
E = TypeVar("E", bound=BusEffect)

_MAX_DEPTH = 16  # nested buses

METERED = 2048
"""The number of samples for `Bus.level` and `Bus.spectrum`: 43 ms."""

MAX_VOLUME = 16.0
"""The maximum volume: 24 decibels above the recorded sound."""
MAX_PITCH = 16.0
"""The highest pitch: four octaves up."""
MIN_PITCH = 1 / 1024


def checked_volume(name: str, value: object) -> float:
    """Check a volume from 0 to 16, and return it. The volume 0 is silence, and 1 is the volume of
    the recording.
    """
    return checks.number(name, value, least=0, most=MAX_VOLUME)


def checked_pitch(name: str, value: object) -> float:
    """Check a pitch from 1/1024 to 16, and return it. With a pitch of 2, a sound is an octave
    higher and twice as fast.
    """
    return checks.number(name, value, least=MIN_PITCH, most=MAX_PITCH)


class Shared(Setting[T]):
    """A setting of a bus, such as `Bus.volume`. If you change the setting, the mixer updates all
    voices.
    """

    def keep(self, bus: Bus, value: T) -> None:
        super().keep(bus, value)
        bus._changed()


class Bus(Sealed):
    """A group of playing sounds (voices) that share a volume: ``self.audio.buses["speech"].volume =
    0.5``.

    To avoid clicks, the volume and the pitch of a bus change linearly over one tick or 5 ms,
    whichever is longer. By default, sounds play on the bus "effects", and music plays on the bus
    "music". A bus can be in another bus (`parent`), and can have effects such as an echo
    (`add_effect`).
    """

    __slots__ = (
        "_changed",
        "_follows_time",
        "_meter",
        "_parent",
        "_paused",
        "_pitch",
        "_slots",
        "_volume",
        "applied",
        "buses",
        "name",
    )

    not_state = True

    volume = Shared(
        checked_volume, "The volume of the bus: 1 leaves it unchanged, and 0 is silence."
    )
    pitch = Shared(
        checked_pitch,
        "The pitch and the speed: with 2, voices are an octave higher and twice as fast.",
    )
    paused = Shared(checks.flag, "Whether the voices of the bus are paused.")
    follows_time = Shared(
        checks.flag,
        "Whether voices follow the game's time scale. In slow motion, they are then slower and lower.",
    )

    def __init__(self, name: str, changed: Callable[[], object], buses: Buses) -> None:
        self._changed = changed
        self.name = name
        self._volume = self._pitch = 1.0
        self._paused = self._follows_time = False
        self._parent: Bus | None = None
        self._slots: list[EffectSlot] = []
        self._meter: EffectSlot | None = None
        self.applied = 1.0
        """The volume that the mixer used most recently."""
        self.buses = buses
        """All buses of the game."""

    # -- nested buses ------------------------------------------------------------------------------

    @property
    def parent(self) -> Bus | None:
        """The bus that contains this bus, or None. Default: None.

        The volume, the pitch and the effects of a parent also apply to the buses in it. If the
        parent is paused, these buses are paused, too.
        """
        return self._parent

    @parent.setter
    def parent(self, parent: Bus | None) -> None:
        if parent is not None:
            checks.instance("parent", parent, Bus)
            if parent.buses is not self.buses:
                raise checks.wrong_value("parent", "a bus of the same game", parent)
            if self in parent.chain():
                raise checks.wrong_value("parent", f"a bus that is not inside {self!r}", parent)
            if len(parent.chain()) >= _MAX_DEPTH:
                raise checks.wrong_value("parent", f"at most {_MAX_DEPTH} nested buses", parent)
        old = self._parent
        self._parent = parent
        if self.buses.order() is None:
            self._parent = old
            raise checks.wrong_value("parent", "a bus that no bus inside listens to", parent)
        self._changed()

    def chain(self) -> list[Bus]:
        """Return a list of this bus, its parent, the parent of its parent, and so on."""
        result: list[Bus] = []
        bus: Bus | None = self
        while bus is not None:
            result.append(bus)
            bus = bus._parent
        return result

    def _tween_start(self, name: str, value: Any) -> Any:
        """Called by a tween of a bus setting. Return the value from which the tween starts."""
        return self.buses.tween_start(self, name, value)

    @property
    def total_volume(self) -> float:
        """The volume of the bus, multiplied by the volumes of all its parents."""
        return math.prod(bus._volume for bus in self.chain())

    @property
    def total_pitch(self) -> float:
        """The pitch of the bus, multiplied by the pitches of all its parents."""
        return math.prod(bus._pitch for bus in self.chain())

    @property
    def is_paused(self) -> bool:
        """Whether the bus or one of its parents is paused."""
        bus: Bus | None = self
        # Faster than `chain` (half the time), which matters because the mixer reads this for each
        # voice.
        while bus is not None:
            if bus._paused:
                return True
            bus = bus._parent
        return False

    @property
    def is_timed(self) -> bool:
        """Whether the bus or one of its parents becomes slower in slow motion (`follows_time`)."""
        return any(bus._follows_time for bus in self.chain())

    # -- effects -----------------------------------------------------------------------------------

    @property
    def effects(self) -> tuple[BusEffect, ...]:
        """The effects of the bus, in the order in which they are applied."""
        return tuple(
            slot.effect for slot in self._slots if slot.effect is not None and not slot.is_leaving
        )

    def add_effect(self, effect: E) -> E:
        """Append an effect to the bus's list of effects, and return the effect. The effect fades in
        over one tick.

            muffled = self.audio.buses["music"].add_effect(fw.LowPass(800))

        All effects of a bus are applied before its volume. If this effect is already on the bus,
        `add_effect` does nothing. Raises `ValueError` if the effect already belongs to another bus,
        and `FrameworkError` if the buses of the game have too many effects.
        """
        checks.instance("effect", effect, BusEffect)
        if effect.bus is self:
            return effect
        if effect.bus is not None:
            raise checks.wrong_value("effect", "a new effect, because each has one bus", effect)
        if type(effect).kind == 0:
            raise checks.wrong_value("effect", "an effect such as fw.LowPass()", effect)
        groups = [self]
        listened = effect.listen
        if listened is not None:
            if listened.buses is not self.buses or listened is self:
                raise checks.wrong_value("listen", "another bus of the same game", listened)
            groups.append(listened)
        slot = EffectSlot(effect)
        self._add_slot(slot, groups)
        effect.attach(self)
        return effect

    def remove_effect(self, effect: BusEffect) -> None:
        """Remove an effect from this bus. The effect fades out over one tick.

        Raises `ValueError` if the effect is not on this bus.
        """
        checks.instance("effect", effect, BusEffect)
        if effect.bus is not self:
            raise checks.wrong_value("effect", f"an effect of {self!r}", effect)
        for slot in self._slots:
            if slot.effect is effect and not slot.is_leaving:
                slot.is_leaving = True
        effect.attach(None)
        self._changed()

    def _add_slot(self, slot: EffectSlot, groups: list[Bus]) -> None:
        buses = self.buses
        new_groups = [bus for bus in groups if bus not in buses.groups]
        self._check_room(len(new_groups))
        buses.groups += new_groups
        if slot.effect is None:
            self._meter = slot
        else:
            self._slots.append(slot)
        if buses.order() is None:
            self._slots.remove(slot)
            buses.groups = [bus for bus in buses.groups if bus not in new_groups]
            raise checks.wrong_value(
                "listen",
                f"a bus that does not contain {self!r}, and whose sound does not depend on it",
                groups[-1],
            )
        self._changed()

    def _check_room(self, new_groups: int) -> None:
        """Raise `FrameworkError` if the game has too many buses with effects, or too many effects."""
        groups = self.buses.groups
        if len(groups) + new_groups >= MAX_GROUPS:
            raise FrameworkError(
                f"bus {self.name!r}: at most {MAX_GROUPS - 1} buses of a game can have effects or "
                "a level; remove buses that you do not need"
            )
        if sum(len(bus.slots) for bus in groups) >= MAX_EFFECTS:
            raise FrameworkError(
                f"bus {self.name!r}: the buses of a game have at most {MAX_EFFECTS} effects; "
                "call remove_effect for effects that you do not need"
            )

    @property
    def slots(self) -> list[EffectSlot]:
        """The slots of all effects, including removed effects that are still fading out, and the
        slot of the level meter.
        """
        return self._slots if self._meter is None else [*self._slots, self._meter]

    def drop(self, slot: EffectSlot) -> None:
        """Delete the slot of a removed effect that has faded out."""
        self._slots.remove(slot)

    # -- pictures ----------------------------------------------------------------------------------

    @property
    def level(self) -> float:
        """The loudness of the bus during the last 43 ms, from 0 to 1. The level is the root mean
        square of the samples.

        A sine wave at full volume has the level 0.71. The level is measured after the effects and
        the volume of the bus. The measurement starts when you read `level` for the first time, so
        the first value is 0. The level is also 0 while the game mixes no sound, for example in a
        game without a window and without `Audio.capture`. Read `level` only in `draw`. Sound is not
        part of the game's state, so rules must not depend on the level.
        """
        samples = self._newest()
        return float(np.sqrt(np.mean(np.square(samples, dtype=np.float64))))

    def spectrum(self, count: int = 32) -> Floats:
        """Return the volumes of ``count`` frequency bands during the last 43 ms. The returned array
        is float32 and has the shape (count,).

        The bands cover the range from 40 Hz to 16,000 Hz. All bands have the same width in octaves.
        For a sine wave at full volume, the value of its band is 1. The measurement starts when you
        read `level` or call `spectrum` for the first time, so the first values are 0. The values
        are also 0 while the game mixes no sound, for example in a game without a window. Call
        `spectrum` only in `draw`. ``count`` must be from 1 to 512.
        """
        count = checks.whole("count", count, 1, 512)
        samples = self._newest().mean(axis=0, dtype=np.float64)
        values = np.abs(np.fft.rfft(samples * np.hanning(METERED))) * (4 / METERED)
        edges = 40.0 * (16_000 / 40.0) ** (np.arange(count + 1) / count) * (METERED / RATE)
        result = np.empty(count, np.float32)
        for band, (low, high) in enumerate(itertools.pairwise(edges.tolist())):
            middle = math.sqrt(low * high)
            between = np.interp(middle, np.arange(len(values)), values)
            inside = values[math.ceil(low) : math.floor(high) + 1]
            result[band] = max(float(between), float(inside.max(initial=0.0)))
        return result

    def _newest(self) -> Floats:
        """Return the last `METERED` samples of the bus. The array is float32 and has the shape
        (2, n).
        """
        if self._meter is None:
            self._add_slot(EffectSlot(None), [self])
        read_meter = self.buses.read_meter
        samples = None if read_meter is None or self._meter is None else read_meter(self._meter)
        if samples is None:
            return np.zeros((2, METERED), np.float32)
        gain = self._volume
        for bus in self.chain()[1:]:
            gain *= bus.volume
        return samples * np.float32(gain)

    def __repr__(self) -> str:
        return f"<Bus {self.name!r}, volume {self.volume:g}>"


@other_names(
    "buses",
    {
        **words("music effects sfx voice speech master", "write audio.buses['music'].volume = 0.5"),
        **words(
            "remove pop clear discard",
            "a bus cannot be removed: stop its voices, or write audio.buses['speech'].volume = 0",
        ),
    },
)
class Buses:
    """All audio buses of a game, by name. The first time you use a name, a bus with this name is
    created.

    If the new name closely resembles the name of another bus, a `RuntimeWarning` is issued. To
    create a bus with a similar name, call `add`, which does not warn.
    """

    not_state = True

    def __init__(self, changed: Callable[[], object]) -> None:
        self._changed = changed
        self._known: dict[str, Bus] = {}
        self.groups: list[Bus] = []
        """The buses whose voices are added up separately: every bus whose `level` was read, to
        which an effect was ever added, or which controls a `Ducking`.
        """
        self.tween_starts: TweenStarts | None = None
        """The values from which tweens of audio settings started. The attribute is None in tests
        without a game.
        """
        self.read_meter: Callable[[EffectSlot], Floats | None] | None = None
        """The function that returns the last `METERED` samples of a slot without an effect."""

    def __getitem__(self, name: str) -> Bus:
        return self.of(checks.text("bus", name))

    def of(self, name: str) -> Bus:
        """Return the bus ``name``. If there is no bus with this name, create it. The caller has
        already checked the name.
        """
        bus = self._known.get(name)
        if bus is None:
            meant = misspelling_of(name, {*_DEFAULTS, *self._known})
            if meant is not None:
                warnings.warn(
                    f"buses: {name!r} is a new bus; did you mean {meant!r}? If the bus is meant, "
                    f"create it before its first use: audio.buses.add({name!r})",
                    RuntimeWarning,
                    stacklevel=3,
                )
            bus = self._known[name] = Bus(name, self._changed, self)
        return bus

    def tween_start(self, target: object, name: str, value: Any) -> Any:
        """Return the value at which a tween of an audio setting begins. See `TweenStarts`."""
        starts = self.tween_starts
        return value if starts is None else starts.start_of(target, name, value)

    def add(self, name: str) -> Bus:
        """Create a bus with this name, and return the bus. If the bus already exists, `add` returns
        the existing bus.

        You need `add` only for a name that is similar to the name of another bus, to avoid the
        warning.
        """
        name = checks.text("name", name)
        return self._known.setdefault(name, Bus(name, self._changed, self))

    def all(self) -> list[Bus]:
        """Return a list of all buses."""
        return list(self._known.values())

    def order(self) -> list[Bus] | None:
        """Return the buses of `groups` in the order of the mixer. Each bus comes after its parents.
        A bus that controls an effect of another bus comes after that other bus. Return None if
        there is no such order, because the buses depend on each other in a cycle.
        """
        earlier: dict[Bus, set[Bus]] = {bus: set() for bus in self.groups}
        for bus in self.groups:
            earlier[bus].update(parent for parent in bus.chain()[1:] if parent in earlier)
            for effect in bus.effects:
                if effect.listen is not None:
                    earlier[effect.listen].add(bus)
        result: list[Bus] = []
        while earlier:
            ready = [bus for bus, buses_before in earlier.items() if not buses_before]
            if not ready:
                return None
            result += ready
            for bus in ready:
                del earlier[bus]
            for buses_before in earlier.values():
                buses_before.difference_update(ready)
        return result

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._known))
