"""Write the volumes of buses, and the settings of their effects, to the mix table.

A bus with effects is a *group*: the mixer first adds up the sounds of the bus, and then applies the
effects and the volume. A bus without effects is not a group: the mixer multiplies the volume of
each sound by the volume of the bus. When you add the first effect to a bus, the bus becomes a
group, without an audible click. It stays a group even if all its effects are removed. When a sound
moves to another group, the mixer crossfades it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..arrays import Floats
from .bus_effects import EffectSlot
from .buses import METERED, Bus, Buses
from .mix_table import EFFECT, GROUP, NEVER, MixTable, Record
from .mixer_track import MIN_FADE, MixerTrack

if TYPE_CHECKING:
    from .voices import Voice


class Gain(NamedTuple):
    """A change to the volume of a group, between two samples of the mix."""

    begin: int
    end: int
    old: float
    new: float

    def at(self, now: int) -> float:
        """Return the volume at the sample ``now`` of the mix."""
        if now >= self.end:
            return self.new
        return self.old + (self.new - self.old) * max(0, now - self.begin) / (self.end - self.begin)


class MixGroups:
    """The groups of one mixer. Until `buses` is set, the only group is the whole mix."""

    not_state = True

    def __init__(self, table: MixTable) -> None:
        self.table = table
        self.buses: Buses | None = None
        self._indices: dict[Bus | None, int] = {None: 0}
        self._parents: dict[Bus, Bus | None] = {}  # the parents of the groups in the table
        self._gains: dict[Bus, Gain] = {}
        self._slots: list[EffectSlot] = []
        self.on_rebuild: Callable[[], None] | None = None
        """Called before the rows of the table change. The states and lines of the table must then
        be up to date.
        """
        # True while an effect fades out, or a group moves to another parent.
        self._is_changing = False

    @property
    def exist(self) -> bool:
        """Whether there is any group other than the whole mix."""
        return len(self._indices) > 1

    def volume(self, bus: Bus) -> float:
        """Return the product of the volumes of ``bus`` and its parents, up to the group of ``bus``."""
        return self._walk(bus, self._indices, applied=False)[0]

    def row_index(self, bus: Bus | None) -> int:
        """Return the index of a group in the table. If ``bus`` is None, the group is the whole mix."""
        return self._indices[bus]

    def group(self, bus: Bus) -> Bus | None:
        """Return the group that contains the voices of ``bus``, or None for the whole mix."""
        return self._walk(bus, self._indices, applied=False)[1]

    @staticmethod
    def _walk(
        bus: Bus | None, groups: dict[Bus | None, int], *, applied: bool
    ) -> tuple[float, Bus | None]:
        """Return the group of ``bus``, and the product of the volumes up to this group.

        If ``applied`` is True, use the volumes from the last mix instead of new volumes.
        """
        volume = 1.0
        while bus is not None and bus not in groups:
            volume *= bus.applied if applied else bus.volume
            bus = bus.parent
        return volume, bus

    # -- changes -----------------------------------------------------------------------------------

    def update(
        self,
        tracks: list[MixerTrack[Voice]],
        times: tuple[int, int],
        *,
        changed: bool,
        is_new: bool,
    ) -> bool:
        """Write changed settings of groups and effects to the table, so that they reach their new
        values at the end of ``times``. ``times`` contains the first and the last sample of the
        change. Return whether the order of the rows has changed.

        ``changed`` is True if a setting of a bus has changed. ``is_new`` is True at the start of a
        new tick. If a track must move to another group, the method sets the track's attribute
        `group_bus`.
        """
        buses = self.buses
        if buses is None or not buses.groups:
            return False
        now, end = times
        is_rebuilt = False
        if changed or (is_new and self._is_changing):
            is_rebuilt = self._arrange(buses, tracks, now, end)
            self._aim_gains(now, end)
        for slot in self._slots:
            slot.aim(self.table.effects[slot.index], now, end)
        return is_rebuilt

    def note_volumes(self) -> None:
        """Store the current volume of every bus as the volume that the mixer used most recently."""
        if self.buses is not None:
            for bus in self.buses.all():
                bus.applied = bus.volume

    def _arrange(self, buses: Buses, tracks: list[MixerTrack[Voice]], now: int, end: int) -> bool:
        heard = {bus for track in tracks if not track.fresh for bus in track.voice.bus.chain()}
        for bus in buses.all():
            if bus not in heard:
                bus.applied = bus.volume
        order = buses.order() or buses.groups
        self._drop_ended_effects(order, now)
        old = self._indices
        new: dict[Bus | None, int] = {None: 0}
        new.update({bus: number for number, bus in enumerate(order, 1)})
        slots = [slot for bus in order for slot in bus.slots]
        self._is_changing = any(slot.is_leaving for slot in slots)
        parents = self._move_groups(new, now, end)
        if slots == self._slots and new == old and parents == self._parents:
            return False
        is_order = all(new[parent] < new[bus] for bus, parent in parents.items())
        if not is_order:  # the old parents would not match the new order of groups
            parents = {bus: self._walk(bus.parent, new, applied=True)[1] for bus in order}
        self._start(slots, heard)
        self._move_tracks(tracks, old, new)
        self._indices = new
        self._parents = parents
        self._rebuild(order, slots)
        return True

    def _drop_ended_effects(self, order: list[Bus], now: int) -> None:
        """Delete the slots of removed effects that have faded out."""
        effects = self.table.effects
        for bus in order:
            for slot in bus.slots.copy():
                if slot.index >= 0 and slot.is_over(effects[slot.index], now):
                    bus.drop(slot)

    def _move_groups(self, new: dict[Bus | None, int], now: int, end: int) -> dict[Bus, Bus | None]:
        """Return the parent of each group in ``new``, and change the gains of groups that move to
        another parent. A group that is not silent keeps its old parent until it has faded out.
        """
        old = self._indices
        order = [bus for bus in new if bus is not None]
        parents = {bus: self._walk(bus.parent, new, applied=True)[1] for bus in order}
        for bus in order:
            volume = bus.applied * self._walk(bus.parent, new, applied=True)[0]
            gain = self._gains.get(bus)
            if gain is None:
                self._gains[bus] = Gain(NEVER, NEVER, volume, volume)
                continue
            before = self._parents[bus]
            if parents[bus] is before:
                continue
            if self._is_inserted(parents[bus], before, old):
                was = bus.applied * self._walk(bus.parent, old, applied=True)[0]
                factor = volume / was if was else 1.0
                self._gains[bus] = gain._replace(old=gain.old * factor, new=gain.new * factor)
            elif gain.at(now) or gain.new:
                # A group must fade out before it moves to another parent.
                parents[bus] = before
                self._is_changing = True
                if gain.new:
                    self._gains[bus] = Gain(now, end, gain.at(now), 0.0)
        return parents

    def _is_inserted(
        self, group: Bus | None, before: Bus | None, old: dict[Bus | None, int]
    ) -> bool:
        """Return whether ``group`` is a new group between a sound and its previous group
        ``before``.
        """
        if group is None or group in old:
            return False
        return self._walk(group, old, applied=True)[1] is before

    def _move_tracks(
        self,
        tracks: list[MixerTrack[Voice]],
        old: dict[Bus | None, int],
        new: dict[Bus | None, int],
    ) -> None:
        """Correct the volume of each voice whose bus has become a group."""
        for track in tracks:
            bus = track.voice.bus
            volume, group = self._walk(bus, new, applied=True)
            if track.fresh or group is track.group_bus:
                continue
            if self._is_inserted(group, track.group_bus, old):
                was = self._walk(bus, old, applied=True)[0]
                factor = volume / was if was else 0.0
                begin, end, *gains = track.ramp
                left, right, to_left, to_right = (gain * factor for gain in gains)
                track.ramp = begin, end, left, right, to_left, to_right
                track.group_bus = group

    def _start(self, slots: list[EffectSlot], heard: set[Bus]) -> None:
        """Start every effect that has not started yet. An effect fades in if a voice of its bus is
        already playing.
        """
        for slot in slots:
            if slot.index < 0 and slot not in self._slots:
                effect = slot.effect
                is_silent = effect is None or effect.bus not in heard
                slot.start(1.0 if is_silent and not slot.is_leaving else 0.0)

    def _rebuild(self, order: list[Bus], slots: list[EffectSlot]) -> None:
        if self.on_rebuild is not None:
            self.on_rebuild()
        table = self.table
        for slot in self._slots:
            slot.row = table.effects[slot.index : slot.index + 1].copy()
            slot.line = table.lines[slot.index]
            slot.index = -1
        for index, slot in enumerate(slots):
            slot.index = index
        table.groups = self._group_rows(order)
        table.effects = self._effect_rows(slots)
        table.lines = [slot.line for slot in slots]
        table.head["group_count"] = len(table.groups)
        table.head["effect_count"] = len(table.effects)
        self._slots = slots

    def _group_rows(self, order: list[Bus]) -> Record:
        """Return the rows of all groups. The effects are numbered in the order of the groups."""
        groups: Record = np.zeros(len(order) + 1, GROUP)
        groups[0] = self.table.groups[0]
        groups["gain"][1:] = groups["to_gain"][1:] = 1.0
        number = 0
        for bus in order:
            row = groups[self._indices[bus]]
            row["parent"] = self._indices[self._parents[bus]]
            row["first_effect"] = number
            row["effect_count"] = len(bus.slots)
            number += len(bus.slots)
        return groups

    def _effect_rows(self, slots: list[EffectSlot]) -> Record:
        rows: Record = np.zeros(len(slots), EFFECT)
        for index, slot in enumerate(slots):
            rows[index] = slot.row[0]
            row = rows[index]
            row["side"] = -1
            row["line_size"] = 0 if slot.line is None else slot.line.shape[1]
            effect = slot.effect
            if effect is not None and effect.listen is not None:
                row["side"] = self._indices[effect.listen]
        return rows

    def _aim_gains(self, now: int, end: int) -> None:
        for bus, gain in self._gains.items():
            volume, group = self._walk(bus.parent, self._indices, applied=False)
            target = bus.volume * volume
            if group is self._parents[bus] and target != gain.new:
                gain = self._gains[bus] = Gain(now, max(end, now + MIN_FADE), gain.at(now), target)
            row = self.table.groups[self._indices[bus]]
            gain = self._gains[bus]
            row["ramp_begin"] = gain.begin
            row["ramp_end"] = gain.end
            row["gain"] = gain.old
            row["to_gain"] = gain.new

    # -- state -------------------------------------------------------------------------------------

    def silence(self) -> None:
        """Clear the delay memory of every effect, because samples of the mix were skipped."""
        self.table.effects["state"] = 0.0
        for line in self.table.lines:
            if line is not None:
                line.fill(0.0)

    def recorded(self, slot: EffectSlot, table: MixTable, now: int) -> Floats | None:
        """Return the most recent samples that a bus's level meter has recorded, as a float32 array
        of shape (2, `METERED`). ``slot`` is the meter's row among the effects of the mix table.
        Return None if the meter has not recorded anything yet.
        """
        line = table.lines[slot.index] if 0 <= slot.index < len(table.lines) else None
        if line is None:
            return None
        samples = np.arange(now - METERED, now)
        return line[:, samples & (line.shape[1] - 1)]
