"""Agree on the last input of players who leave a match, so that all machines use the same input.

When a player leaves, some machines may have received more of this player's input than others. To
agree on the same input, each machine sends a report to all others. The report lists the players to
whom this machine has lost the connection (the lost players), with their input. It also lists the
players whom this machine can still reach, directly or through other machines (the members). If two
machines are not connected, a third machine forwards their reports.

A player has left if no member can reach this player. From then on, the members no longer accept
input from this player. Each machine waits until all members have sent reports that list the same
members. From these reports, every machine computes the same result: the last tick for which any
member has input. If a member leaves before the machines agree, the remaining members send new
reports with fewer members. A machine that already has a result includes it in its new report, so
the result never changes. (The literature calls this method *view synchrony*, and a round of reports
a *flush*.)

A machine never closes a connection because of another machine's report, so a false report cannot
remove a player from the match. If only some machines have lost a player, the others forward this
player's input to them.

If there are fewer members than lost players, it is probably the members who have lost their network
connection. The match then continues on the other machines, and waits on the members' machines (see
`Departures.is_cut_off`).

A machine that is entering the match sends reports even before it has run all ticks, but does not
report input for ticks before its first tick.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from typing import NamedTuple

from .dropped_message import DroppedMessage
from .match_input import MAX_TICKS, MAX_UNPACKED, Events, PlayerInput, read_ticks

_REPORT = b"l"
_FORWARDED = b"f"
KINDS = (_REPORT, _FORWARDED)
"""The first byte of each kind of message in this module."""
# The fields are: the kind, the machine that has made the report, and the version of the report.
# Then four masks of players follow: the members, the players who have closed the game, the players
# who had a result when the members changed, and the lost players. The last field says whether the
# machine was cut off when the members changed.
_HEAD = struct.Struct("<cBIBBBB?")
# Fields for each lost player: the last tick, and the size of the input.
_INPUT = struct.Struct("<IH")
# Fields: the kind, the player, the last tick, and the time that a packet takes from the sender of
# this message to the player.
_FORWARD = struct.Struct("<cBIB")
_DELAY_STEP = 0.004  # seconds

CUT_OFF = 16
"""The minimum `Departures.rank` of a match that is cut off from the other players."""

_Ticks = tuple[int, list[Events]]  # the first tick, and the input of all ticks from then on
_NO_TICKS: _Ticks = 1, []


class _Report(NamedTuple):
    """A report about the players whom a machine can reach, with the input that it has received from
    the lost players. A newer report from the same machine has a higher version. The fields
    ``members``, ``closed`` and ``ended`` are bit masks of players.
    """

    version: int
    members: int
    closed: int
    ended: int
    was_cut_off: bool
    # The input of each player to whom the machine has lost the connection.
    inputs: dict[int, _Ticks]
    message: bytes


class Departures:
    """Makes all machines agree on the last input of the players who have left.

    Parameters
    ----------
    player
        The index of the player on this machine.
    inputs
        The input that this machine has received from each other player. The keys of the dict are
        player indices.
    send
        A function ``send(player, message)`` that sends a reliable message to a player.
    add
        A function ``add(player, tick, events)`` that adds one tick of input for a player who has
        left.
    end
        A function ``end(player)``, which is called once all machines have agreed on the player's
        last input and this input has been added.
    delay_to
        A function that returns how many seconds a packet takes to reach a player.
    """

    not_state = True

    def __init__(
        self,
        player: int,
        inputs: dict[int, PlayerInput],
        send: Callable[[int, bytes], None],
        add: Callable[[int, int, Events], None],
        end: Callable[[int], None],
        delay_to: Callable[[int], float] = lambda player: 0.0,
    ) -> None:
        self.delays: dict[int, tuple[int, float]] = {}
        """For each player whose input is forwarded: the machine that forwards it, and the time in
        seconds that a packet takes from that machine to the player.
        """
        self.lost: set[int] = set()
        """The players to whom this machine has lost the connection (the lost players)."""
        self.lacks_input = False
        """True if another machine needs input for ticks before this machine's first tick. This can
        happen only while this machine is entering the match.
        """
        self._lacks_result = False
        self.is_cut_off = False
        """Whether this machine has lost the connection to most players at the same time. The other
        players are probably continuing without it.
        """
        self._player = player
        self._inputs = inputs
        self._send = send
        self._add = add
        self._end = end
        self._delay_to = delay_to
        # The newest report of each other machine.
        self._reports: dict[int, _Report] = {}
        # The newest report of this machine.
        self._own: _Report | None = None
        # After a program has returned, the versions of its reports are higher than in all reports
        # about its absence.
        self._version = max([each.known for each in inputs.values()], default=0) + 1
        # For each receiver: the versions of the sent reports. The key of a version is the machine
        # that made the report.
        self._sent: dict[int, dict[int, int]] = {}
        # Lost players who have closed the game.
        self._closed: set[int] = set()
        # For each player: the result on which all machines agree. None for a player who had left
        # before this machine took part.
        self._ended: dict[int, _Ticks | None] = {}
        # Values from the last change of the members: a mask of the ended players, and whether this
        # machine was cut off.
        self._before = 0, False
        # Ended players whose last input has not been added yet.
        self._unapplied: set[int] = set()
        # For each player who has rejoined: the player's first tick.
        self._entered: dict[int, int] = {}
        # For each receiver and player: the last tick of the player's input that the receiver has.
        self._forwarded: dict[tuple[int, int], int] = {}
        # For each player: forwarded input that is waiting because the input of an earlier tick is
        # missing.
        self._early: dict[int, dict[int, Events]] = {}

    def lose(self, player: int, *, has_closed: bool = False) -> None:
        """Called when the connection to a player has ended. ``has_closed`` is True if the player
        has closed the game. Otherwise, the player may be continuing with other players.
        """
        if player != self._player:
            self.lost.add(player)
            if has_closed:
                self._closed.add(player)

    # -- who reaches whom --------------------------------------------------------------------------

    @property
    def remaining(self) -> list[int]:
        """The other players to whom this machine is connected."""
        return [player for player in self._inputs if player not in self.lost]

    def _has_lost(self, machine: int, player: int) -> bool:
        """Return whether a machine has reported that it has lost its connection to a player."""
        report = self._reports.get(machine)
        if report is None or report.version <= self._entered.get(player, 0):
            return False  # the report is older than the player's return
        return player in report.inputs

    def _are_connected(self, first: int, second: int) -> bool:
        if self._player in (first, second):
            return {first, second}.isdisjoint(self.lost)
        return not (self._has_lost(first, second) or self._has_lost(second, first))

    def _reached(self, start: int, without: Iterable[int] = ()) -> set[int]:
        """Return the player ``start`` and all players whom this player's machine can reach,
        directly or through other machines.
        """
        reached = {start}
        unchecked = [start]
        candidates = {self._player, *self._inputs} - {*without} - self._ended.keys()
        while unchecked:
            machine = unchecked.pop()
            new = {each for each in candidates - reached if self._are_connected(machine, each)}
            reached |= new
            unchecked += new
        return reached

    def _members(self) -> set[int]:
        """Return this machine's player and all players whom this machine can reach."""
        return self._reached(self._player)

    def forwarder(self, player: int) -> int | None:
        """Return the connected machine that forwards a lost player's input, if possible a machine
        that is directly connected to the player. Return None if no machine can forward the input.
        """
        if player not in self.lost or player in self._ended:
            return None
        remaining = sorted(self.remaining)
        for machine in remaining:
            if self._are_connected(machine, player):
                return machine
        for machine in remaining:
            if self.is_forwarded_by(player, machine):
                return machine
        return None

    def is_forwarded_by(self, player: int, machine: int) -> bool:
        """Return whether a connected machine can forward the input of a player whom this machine
        has lost.
        """
        is_away = player in self.lost and player not in self._ended and machine not in self.lost
        return is_away and player in self._reached(machine, without=[self._player])

    def can_forward(self, player: int) -> bool:
        """Return whether another machine is connected to both this machine and a player."""
        return any(
            self._are_connected(machine, player) for machine in self.remaining if machine != player
        )

    @property
    def participants(self) -> list[int]:
        """The other players who take part in the match, according to the reports that have arrived.
        This machine is connected to each of them, or another machine forwards their input.
        """
        members = self._members() if self.lost else self._inputs
        return [player for player in self._inputs if player in members]

    @property
    def match_leader(self) -> int:
        """The lowest index among the players who take part in the match. This machine may have no
        connection to the leader if another machine is forwarding the leader's input.
        """
        return min([self._player, *self.participants])

    @property
    def rank(self) -> int:
        """A number that decides which version of the match continues if there are two versions: the
        version with the lower rank. The rank is the index of the leader, or a higher number if this
        version is cut off from the other players.
        """
        return self.match_leader + (CUT_OFF if self.is_cut_off else 0)

    @property
    def missed(self) -> list[int]:
        """The players who have left the match but have not closed their game. They may be
        continuing in another part of the match.
        """
        return sorted(self._ended.keys() - self._closed)

    @property
    def is_settled(self) -> bool:
        """Whether the match has all input of the players who have left. A player whose input
        another machine is forwarding has not left.
        """
        left = self.lost.difference(self.participants)
        return left <= self._ended.keys() and not self._unapplied

    def is_lost_elsewhere(self, player: int) -> bool:
        """Return whether all other connected players have also lost the connection to a player."""
        witnesses = [each for each in self.remaining if each != player]
        return bool(witnesses) and all(self._has_lost(each, player) for each in witnesses)

    # -- the agreement -----------------------------------------------------------------------------

    def settle(self, *, is_entering: bool = False) -> None:
        """Send reports about the players who have left. Once the reports of all remaining machines
        list the same remaining players, add the missing input of the players who have left. Also
        forward the input of a player to machines that have lost the connection to this player. A
        machine that is entering the match does not add input, because it does not know which keys
        the players hold.
        """
        if not self.lost and not self._reports and self._own is None:
            return
        members = self._members()
        self._report(members)
        self._decide(members)
        self._send_reports()
        for player in sorted(self._unapplied) if not is_entering else ():
            self._unapplied.discard(player)
            self._early.pop(player, None)
            self._take(player, self._ended[player] or _NO_TICKS)
            self._end(player)
        self._forward()

    def _report(self, members: set[int]) -> None:
        """If the last report is no longer correct, create a new report."""
        before = self._own
        if before is None or before.members != _mask(members):
            self._before = _mask(self._ended), self.is_cut_off
        view = _mask(members), _mask(self._closed), *self._before
        if before is None or before[1:5] != view or before.inputs.keys() != self.lost:
            self._version += 1
            inputs = {player: self._input_of(player) for player in sorted(self.lost)}
            masks = *view[:3], _mask(self.lost)
            head = _HEAD.pack(_REPORT, self._player, self._version, *masks, view[3])
            message = head + b"".join([_packed(ticks) for ticks in inputs.values()])
            self._own = _Report(self._version, *view, inputs, message)

    def _input_of(self, player: int) -> _Ticks:
        """Return the newest ticks of input that this machine has received from a player."""
        if player in self._ended:
            return self._ended[player] or _NO_TICKS
        own = self._inputs[player]
        first = max(own.first, own.known - MAX_TICKS + 1)
        return first, [own.at(tick) for tick in range(first, own.known + 1)]

    def _decide(self, members: set[int]) -> None:
        """If the reports of all members (the players whom this machine can reach) list the same
        members, store the last input of the players who have left.
        """
        left = self.lost - members - self._ended.keys()
        if not left:
            return
        agreeing = self._agreeing_reports(members, left)
        if len(agreeing) < len(members):
            return
        ended = set[int]()
        closed = set[int]()
        for report in agreeing:
            ended |= _players_in(report.ended)
            closed |= _players_in(report.closed)
        for player in left:
            result = _merged([report.inputs[player] for report in agreeing])
            own = self._inputs[player]
            # A machine that is entering may have later input without the input before it.
            self._lacks_result |= own.first <= own.known and result[0] + len(result[1]) <= own.known
            self._ended[player] = result
        self._unapplied |= left
        # All members must come to the same result, so the results that members had earlier are
        # used, too.
        were_cut_off = any(report.was_cut_off for report in agreeing)
        self.is_cut_off |= were_cut_off or _is_smaller(members, left - ended - closed)

    def disagreeing(self) -> list[int]:
        """Return the connected players whose last report lists other members than the last report
        of this machine. While there are such players, the last input of a player who has left is
        not decided.
        """
        mask = _mask(self._members())
        return [
            player
            for player in self.remaining
            if player not in self._reports or self._reports[player].members != mask
        ]

    def _agreeing_reports(self, members: set[int], left: set[int]) -> list[_Report]:
        """Return the members' reports that list the same members, with the input of all players who
        have left.
        """
        reports = [
            self._own if each == self._player else self._reports.get(each) for each in members
        ]
        mask = _mask(members)
        return [
            report
            for report in reports
            if report is not None and report.members == mask and left <= report.inputs.keys()
        ]

    def _send_reports(self) -> None:
        """Send this machine's newest report to all other machines, and forward reports to each
        machine that has lost the connection to their sender.
        """
        for receiver in self.remaining:
            sent = self._sent.setdefault(receiver, {})
            for machine, report in [(self._player, self._own), *self._reports.items()]:
                is_for_receiver = machine == self._player or self._has_lost(receiver, machine)
                is_new = report is not None and sent.get(machine, 0) < report.version
                if report is not None and is_new and is_for_receiver:
                    sent[machine] = report.version
                    self._send(receiver, report.message)

    def _take(self, player: int, ticks: _Ticks) -> None:
        """Add a player's input for the ticks that this machine lacks."""
        own = self._inputs[player]
        early = self._early.setdefault(player, {})
        early.update(enumerate(ticks[1], ticks[0]))
        while own.known + 1 in early:
            following = own.known + 1
            self._add(player, following, early[following])
        self._early[player] = {tick: early[tick] for tick in early if tick > own.known}

    # -- forwarded input ---------------------------------------------------------------------------

    def _forward(self) -> None:
        """Send the new input of a player to each machine that has lost the connection to this
        player.
        """
        self.lacks_input = self._lacks_result
        for receiver in self.remaining:
            for player in self._inputs:
                if self._forwards(player, receiver):
                    self._forward_to(receiver, player)
                else:
                    self._forwarded.pop((receiver, player), None)

    def _forwards(self, player: int, receiver: int) -> bool:
        """Return whether this machine must forward a player's input to another machine."""
        if player == receiver or not self._has_lost(receiver, player) or player in self._ended:
            return False
        if player not in self.lost:
            return True
        # Forwarded input also arrives at this machine. This machine forwards the input again if no
        # other machine is connected to both the receiver and the player.
        is_nearer = any(
            self._are_connected(receiver, each) and self._are_connected(each, player)
            for each in self._inputs
            if each not in (receiver, player)
        )
        return not is_nearer and player in self._reached(self._player, without=[receiver])

    def _forward_to(self, receiver: int, player: int) -> None:
        own = self._inputs[player]
        first, ticks = self._reports[receiver].inputs[player]
        last = self._forwarded.setdefault((receiver, player), first + len(ticks) - 1)
        if last + 1 < own.first:
            # The earlier input is missing on this machine, but a machine that is connected to the
            # player may have it.
            self.lacks_input |= not any(
                self._are_connected(each, player)
                for each in self._inputs
                if each not in (receiver, player)
            )
            last = own.first - 1
        if own.known > last:
            packed = own.packed(last + 1)
            sent = last + (packed[0] & 0x7F)
            delay = min(255, round(self._delay_to(player) / _DELAY_STEP))
            self._send(receiver, _FORWARD.pack(_FORWARDED, player, sent, delay) + packed)
            self._forwarded[receiver, player] = sent

    # -- messages ----------------------------------------------------------------------------------

    def receive(self, sender: int, message: bytes) -> None:
        """Handle a message from another machine. Raise `DroppedMessage` if it must be dropped."""
        if message[:1] == _REPORT:
            self._take_report(sender, message)
        else:
            self._take_forwarded(sender, message)

    def _take_report(self, sender: int, message: bytes) -> None:
        machine, report = self._unpacked(message)
        if machine == self._player:
            return  # this is this machine's own report, which another machine has forwarded
        if machine != sender and machine not in self.lost:
            return  # the machine that wrote the report also sends it directly
        before = self._reports.get(machine)
        is_old = before is not None and before.version >= report.version
        if not is_old and report.version > self._entered.get(machine, 0):
            self._reports[machine] = report

    def _unpacked(self, message: bytes) -> tuple[int, _Report]:
        """Return the index of the machine that wrote a report, and the report."""
        if len(message) < _HEAD.size:
            raise DroppedMessage("malformed")
        _, machine, version, *masks, was_cut_off = _HEAD.unpack_from(message)
        members, closed, ended, lost = masks
        players = {self._player, *self._inputs}
        is_known = machine in players and _players_in(lost | members | closed | ended) <= players
        if not is_known or machine in _players_in(lost):
            raise DroppedMessage("malformed")
        inputs = _unpacked_inputs(message, _players_in(lost))
        for player, (first, ticks) in inputs.items():
            last = first + len(ticks) - 1
            newest = self._inputs[player].known if player in self._inputs else last
            if player not in self._ended and last > newest + 4 * MAX_TICKS:
                raise DroppedMessage("malformed")
        report = _Report(version, members, closed, ended, was_cut_off, inputs, message)
        return machine, report

    def _take_forwarded(self, sender: int, message: bytes) -> None:
        if len(message) <= _FORWARD.size:
            raise DroppedMessage("malformed")
        _, player, last, delay = _FORWARD.unpack_from(message)
        ticks = read_ticks(message[_FORWARD.size :])
        first = last - len(ticks or ()) + 1
        if ticks is None or first < 1 or player not in self._inputs or player == sender:
            raise DroppedMessage("malformed")
        if player in self._ended:
            return
        if player not in self.lost:
            raise DroppedMessage("late")  # this machine is connected to the player again
        if last > self._inputs[player].known + 4 * MAX_TICKS:
            raise DroppedMessage("far ahead")
        if self.is_forwarded_by(player, sender):
            self.delays[player] = sender, delay * _DELAY_STEP
            self._take(player, (first, ticks))

    # -- players who take part or not --------------------------------------------------------------

    def readmit(self, player: int, tick: int) -> None:
        """Record that a player takes part in the match again from ``tick`` on."""
        self.lost.discard(player)
        self.delays.pop(player, None)
        self._closed.discard(player)
        self.is_cut_off = False
        self._entered[player] = tick
        # The version must be higher than the versions of all reports before the return.
        self._version = max(self._version, tick)
        self._reports.pop(player, None)
        self._sent.pop(player, None)
        self._unapplied.discard(player)
        self._ended.pop(player, None)
        self._early.pop(player, None)
        self._own = None  # the next `settle` then sends a new report
        self._forwarded = {
            pair: last for pair, last in self._forwarded.items() if player not in pair
        }

    def reconnect(self, player: int) -> None:
        """Record that this machine has a direct connection to a lost player again. The player has
        never left the match, because another machine was forwarding the player's input.
        """
        self.lost.discard(player)
        self.delays.pop(player, None)
        # Reports that were sent over the earlier connection may not have arrived.
        self._sent.pop(player, None)

    def first_tick_of(self, player: int) -> int | None:
        """Return the tick from which a player who has rejoined the match takes part, or None if the
        player has not rejoined the match.
        """
        return None if player in self._ended else self._entered.get(player)

    def end(self, player: int) -> None:
        """Record that a player has left before this machine took part in the match."""
        self.lost.add(player)
        self._ended[player] = None

    def has_ended(self, player: int) -> bool:
        """Return whether all remaining machines have agreed on a player's last input, and this
        input has been added.
        """
        return player in self._ended and player not in self._unapplied


def _is_smaller(members: set[int], left: set[int]) -> bool:
    """Return whether the members are the smaller part of a match that has split into two parts. If
    both parts have the same size, the part with the lowest player index counts as larger. In a
    match between two players, no part is smaller, so both players continue.
    """
    if len(members) + len(left) <= 2 or len(members) > len(left):
        return False
    return len(members) < len(left) or min(left) < min(members)


def _mask(players: Iterable[int]) -> int:
    return sum([1 << player for player in players])


def _players_in(mask: int) -> set[int]:
    return {player for player in range(8) if mask >> player & 1}


def _unpacked_inputs(message: bytes, players: set[int]) -> dict[int, _Ticks]:
    """Return the input of ``players`` from a report. Raise `DroppedMessage` if it is invalid."""
    position = _HEAD.size
    inputs: dict[int, _Ticks] = {}
    for player in sorted(players):
        if position + _INPUT.size > len(message):
            raise DroppedMessage("malformed")
        last, size = _INPUT.unpack_from(message, position)
        position += _INPUT.size
        ticks = read_ticks(message[position : position + size])
        position += size
        if ticks is None or last - len(ticks) + 1 < 0:
            raise DroppedMessage("malformed")
        inputs[player] = last - len(ticks) + 1, ticks
    if position != len(message):
        raise DroppedMessage("malformed")
    return inputs


def _merged(reports: list[_Ticks]) -> _Ticks:
    """Join the ticks of several reports without gaps, up to the number of ticks that fits into one
    message.
    """
    reports = sorted([each for each in reports if each[1]] or reports, key=lambda each: each[0])
    first = reports[0][0]
    ticks = [*reports[0][1]]
    for other_first, other_ticks in reports[1:]:
        following = first + len(ticks)
        if other_first <= following:
            ticks += other_ticks[following - other_first :]
    surplus = max(0, len(ticks) - MAX_TICKS)
    return first + surplus, ticks[surplus:]


def _packed(ticks: _Ticks) -> bytes:
    """Return a player's last ticks of input as bytes. If the result would be too long, leave out
    the first ticks, which most machines already have.
    """
    first, events_of_ticks = ticks
    last = first + len(events_of_ticks) - 1
    while True:
        own = PlayerInput(first - 1)
        for tick, events in enumerate(
            events_of_ticks[len(events_of_ticks) - (last - first + 1) :], first
        ):
            own.add(tick, events)
        packed = own.packed(first, MAX_UNPACKED)
        if packed[0] & 0x7F == last - first + 1:
            return _INPUT.pack(last, len(packed)) + packed
        first += (last - first + 1) // 2
