"""Departures: when a player leaves a match, the other machines agree on that player's last input.

One machine may have received more input from the player who left than another machine. But all
machines must use the same input. So each machine sends the input that it has received from this
player to all other machines. When all machines have sent this input, the machine with the lowest
player index sends the result.

A report of another machine never ends the connection of this machine to a player. Otherwise a
player could remove another player from the match with a false report. If only some machines have
lost a player, the other machines forward the input of this player.

A machine that is entering the match also sends reports, although it has not run all ticks yet. The
reports of such a machine contain input only from its first tick on.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

from .match_input import MAX_TICKS, MAX_UNPACKED, Events, PlayerInput, read_ticks

_LOST, _ENDED, _FORWARDED = b"l", b"g", b"f"
KINDS = (_LOST, _ENDED, _FORWARDED)
"""The first byte of each kind of message in this module."""
_HEAD = struct.Struct("<BI")  # a player who has left, and the last tick of the message


def lost_player(message: bytes) -> int | None:
    """Return the player whom the sender of a message has lost, or None for other messages."""
    if message[:1] != _LOST or len(message) <= _HEAD.size:
        return None
    player: int = _HEAD.unpack_from(message, 1)[0]
    return player


_Report = tuple[int, list[Events]]  # the first tick, and the input of this tick and later ones
_NO_REPORT: _Report = 1, []


class Departures:
    """The players who have left, and their last input.

    Parameters
    ----------
    player
        The player index of this machine.
    inputs
        The input that this machine has received from each other player. The keys of the dict are
        player indices.
    send
        A function ``send(player, message)``. This function sends a reliable message to a player.
    add
        A function ``add(player, tick, events)``. This function adds the input of the next tick for
        a player who has left.
    end
        A function ``end(player)``. This function is called when all machines agree on the last
        input of the player, and this input was added.
    """

    not_state = True

    def __init__(
        self,
        player: int,
        inputs: dict[int, PlayerInput],
        send: Callable[[int, bytes], None],
        add: Callable[[int, int, Events], None],
        end: Callable[[int], None],
    ) -> None:
        self.lost: set[int] = set()
        """The players to whom this machine has lost the connection."""
        self.lacks_input = False
        """True if another machine needs input of ticks before the first tick of this machine. This
        happens only while this machine is entering the match.
        """
        self._player = player
        self._inputs = inputs
        self._send = send
        self._add = add
        self._end = end
        # By player who left: the reports of the other machines, by the machine that has sent them.
        self._reports: dict[int, dict[int, _Report]] = {player: {} for player in inputs}
        self._reported: dict[int, set[int]] = {}  # by player who left: who has our report
        # By player who left: the results of other machines. The result of the leader counts.
        self._results: dict[int, dict[int, _Report]] = {player: {} for player in inputs}
        # By player: the result on which all machines agree, or None for a player who has left
        # before this machine took part.
        self._ended: dict[int, _Report | None] = {}
        self._unapplied: set[int] = set()  # ended players whose last input was not added so far
        self._announced: dict[int, set[int]] = {}  # by ended player: who has our result
        self._answered: set[tuple[int, int]] = set()  # receivers and players of `_answer`
        # By player: the machines that forward the input of the player to this machine.
        self._forwarders: dict[int, set[int]] = {player: set() for player in inputs}
        self._entered: dict[int, int] = {}  # by player who came back: the first tick of the player
        # By receiver and player: the last tick of the player that the receiver has.
        self._forwarded: dict[tuple[int, int], int] = {}

    def lose(self, player: int) -> None:
        """Handle the end of the connection to a player."""
        if player != self._player:
            self.lost.add(player)

    @property
    def remaining(self) -> list[int]:
        """The other players to whom this machine is connected."""
        return [player for player in self._inputs if player not in self.lost]

    @property
    def leader(self) -> int:
        """The player with the lowest index among the connected players and this one."""
        return min([self._player, *self.remaining])

    def forwarder(self, player: int) -> int | None:
        """Return a connected machine that forwards the input of a player to whom this machine has
        lost the connection. Return None if there is no such machine.
        """
        machines = self._forwarders[player] - self.lost
        is_away = player in self.lost and player not in self._ended
        return min(machines) if machines and is_away else None

    def is_forwarded_by(self, player: int, machine: int) -> bool:
        """Return whether a connected machine forwards the input of a player to this machine."""
        return self.forwarder(player) is not None and machine in self._forwarders[player]

    @property
    def participants(self) -> list[int]:
        """The other players who take part, as far as this machine knows. This machine is connected
        to them, or another machine forwards their input.
        """
        return [
            player
            for player in self._inputs
            if player not in self.lost or self.forwarder(player) is not None
        ]

    @property
    def match_leader(self) -> int:
        """The lowest index among the players who take part. This machine may have lost the
        connection to this player, while another machine forwards the player's input.
        """
        return min([self._player, *self.participants])

    @property
    def is_settled(self) -> bool:
        """Whether the final input was added for each player who has left. A player whose input is
        forwarded has not left.
        """
        left = {player for player in self.lost if self.forwarder(player) is None}
        return left <= self._ended.keys() and not self._unapplied

    def is_lost_elsewhere(self, player: int) -> bool:
        """Return whether all other connected players have lost a player."""
        if not self._reports[player]:
            return False
        witnesses = {each for each in self.remaining if each != player}
        return bool(witnesses) and self._reports[player].keys() >= witnesses

    # -- the agreement -----------------------------------------------------------------------------

    def settle(self, *, is_entering: bool = False) -> None:
        """Send a report about each player who has left. When all machines have sent a report about
        a player, add the rest of this player's input. Forward the input of a player to machines
        that have lost the connection to this player.

        While this machine is entering, it adds no input, because it does not know yet which keys
        the players hold.
        """
        if not self.lost and not self._forwarded:
            return
        remaining = self.remaining
        for player in sorted(self.lost):
            if player in self._ended:
                self._help(player, remaining)
                continue
            new = self._ready(player, remaining) - self._reported.setdefault(player, set())
            for receiver in sorted(new):
                self._send(receiver, _message(_LOST, player, self._own_report(player)))
            self._reported[player] |= new
            result = self._result(player, remaining)
            if result is not None:
                self._ended[player] = result
                self._unapplied.add(player)
                self._results[player].clear()
        for player in sorted(self._unapplied) if not is_entering else ():
            self._unapplied.discard(player)
            self._take(player, self._ended[player] or _NO_REPORT)
            self._end(player)
        self._announce(remaining)
        self._forward()

    def _ready(self, player: int, remaining: list[int]) -> set[int]:
        """Return the machines that can receive a report about a player now. A machine that has
        entered the match cannot forward input from before its first tick. So while a machine that
        was there before may forward the player's input, the report to the new machine waits until
        this machine needs no earlier input.
        """
        following = self._inputs[player].known + 1
        ready = {each for each in remaining if self._entered.get(each, 0) <= following}
        may_forward = ready - self._reports[player].keys()
        return ready if may_forward else set(remaining)

    def _result(self, player: int, remaining: list[int]) -> _Report | None:
        """Return the last input of a player who has left. Return None until all machines have sent
        a report.
        """
        results = self._results[player]
        reports = self._reports[player]
        if results:
            return results[min(results)]
        if self.leader != self._player or not reports.keys() >= set(remaining):
            # another machine still has a connection to the player, or has not sent its report yet
            return None
        return _merged([self._own_report(player), *[reports[each] for each in sorted(reports)]])

    def _help(self, player: int, remaining: list[int]) -> None:
        """Send what the other machines need to agree, if the player left before this machine took
        part. This machine may now be the leader.
        """
        if self._ended[player] is None and self._reports[player]:
            result = self._result(player, remaining)
            self._ended[player] = result

    def _own_report(self, player: int) -> _Report:
        """Return the last ticks of input that this machine has of a player."""
        if player in self._ended:
            return self._ended[player] or _NO_REPORT
        own = self._inputs[player]
        first = max(own.first, own.known - MAX_TICKS + 1)
        return first, [own.at(tick) for tick in range(first, own.known + 1)]

    def _announce(self, remaining: list[int]) -> None:
        """Send the last input of each player who has left to all others. Each machine sends this
        input, not only the leader. The leader may leave before all machines have received the
        input. Also, some machines may have no connection to the leader.
        """
        for player, result in sorted(self._ended.items()):
            if result is None:
                continue
            new = set(remaining) - self._announced.setdefault(player, set())
            for receiver in sorted(new):
                self._send(receiver, _message(_ENDED, player, result))
            self._announced[player] |= new

    def _forward(self) -> None:
        """Send the new input of connected players to the machines that have lost these players."""
        for (receiver, player), last in [*self._forwarded.items()]:
            own = self._inputs[player]
            if receiver in self.lost or player in self.lost:
                del self._forwarded[receiver, player]
            elif own.known > last:
                packed = own.packed(last + 1)
                sent = last + (packed[0] & 0x7F)
                self._send(receiver, _FORWARDED + _HEAD.pack(player, sent) + packed)
                self._forwarded[receiver, player] = sent

    def _take(self, player: int, report: _Report) -> None:
        """Add the input of the ticks that this machine has not received."""
        own = self._inputs[player]
        for tick, events in enumerate(report[1], report[0]):
            if tick == own.known + 1:
                self._add(player, tick, events)

    # -- messages ----------------------------------------------------------------------------------

    def receive(self, sender: int, message: bytes) -> bool:
        """Handle a message from another machine. Return False if the message is invalid."""
        kind, content = message[:1], message[1:]
        if len(content) <= _HEAD.size:
            return False
        player, last = _HEAD.unpack_from(content)
        ticks = read_ticks(content[_HEAD.size :])
        if ticks is None or player not in self._inputs or player == sender:
            return False
        own = self._inputs[player]
        first = last - len(ticks) + 1
        if player in self._ended:
            if kind == _LOST:
                self._reports[player][sender] = first, ticks
                self._answer(sender, player)
            return True
        # A report of a machine that is entering the match begins at a later tick.
        is_contiguous = first <= own.known + 1 or kind == _LOST
        if not is_contiguous or first < 1 or last > own.known + 4 * MAX_TICKS:
            return False
        if kind == _LOST:
            self._reports[player][sender] = first, ticks
            self._forwarders[player].discard(sender)
            if player not in self.lost:
                self._begin_to_forward(sender, player, last)
        elif player not in self.lost:
            return False  # this machine is connected to the player
        elif kind == _FORWARDED:
            if sender not in self._reports[player]:  # the sender is connected to the player
                self._forwarders[player].add(sender)
            self._take(player, (first, ticks))
        else:
            self._results[player][sender] = first, ticks
        return True

    def _begin_to_forward(self, receiver: int, player: int, last: int) -> None:
        """Forward the input of a player after the tick ``last`` from now on."""
        if last + 1 < self._inputs[player].first:
            self.lacks_input = True
        else:
            self._forwarded[receiver, player] = last

    def _answer(self, sender: int, player: int) -> None:
        """Send our last input of a player who has left to a machine that still waits for it."""
        if (sender, player) not in self._answered:
            self._answered.add((sender, player))
            result = self._ended[player]
            self._send(sender, _message(_LOST, player, self._own_report(player)))
            if result is not None:
                self._send(sender, _message(_ENDED, player, result))

    # -- players who take part or not --------------------------------------------------------------

    def readmit(self, player: int, tick: int) -> None:
        """Note that a player takes part again from ``tick`` on."""
        self.lost.discard(player)
        self._entered[player] = tick
        self._forwarders[player] = set()
        for machines in self._forwarders.values():
            machines.discard(player)
        self._unapplied.discard(player)
        self._reports[player] = {}
        self._results[player] = {}
        self._ended.pop(player, None)
        for stored in (self._reported, self._announced):
            stored.pop(player, None)
        self._answered = {pair for pair in self._answered if player not in pair}
        self._forwarded = {
            pair: last for pair, last in self._forwarded.items() if player not in pair
        }
        for reports in self._reports.values():
            reports.pop(player, None)
        for receivers in (*self._reported.values(), *self._announced.values()):
            receivers.discard(player)

    def first_tick_of(self, player: int) -> int | None:
        """Return the tick from which on a player who came back takes part, or None."""
        return None if player in self._ended else self._entered.get(player)

    def end(self, player: int) -> None:
        """Note that a player has left before this machine took part."""
        self.lost.add(player)
        self._ended[player] = None

    def has_ended(self, player: int) -> bool:
        """Return whether all remaining players agree on the last input of a player, and this input
        was added.
        """
        return player in self._ended and player not in self._unapplied


def _merged(reports: list[_Report]) -> _Report:
    """Join the ticks of several reports, without gaps. Return as many ticks as fit into one
    message.
    """
    reports = sorted([each for each in reports if each[1]] or reports, key=lambda each: each[0])
    first, ticks = reports[0][0], [*reports[0][1]]
    for other_first, other_ticks in reports[1:]:
        following = first + len(ticks)
        if other_first <= following:
            ticks += other_ticks[following - other_first :]
    surplus = max(0, len(ticks) - MAX_TICKS)
    return first + surplus, ticks[surplus:]


def _message(kind: bytes, player: int, report: _Report) -> bytes:
    """Return a message with the last ticks of a player. If the ticks do not fit into the message,
    the first ticks are left out, because most machines already have the first ticks.
    """
    first, ticks = report
    last = first + len(ticks) - 1
    while True:
        own = PlayerInput(first - 1)
        for tick, events in enumerate(ticks[len(ticks) - (last - first + 1) :], first):
            own.add(tick, events)
        packed = own.packed(first, MAX_UNPACKED)
        if packed[0] & 0x7F == last - first + 1:
            return kind + _HEAD.pack(player, last) + packed
        first += (last - first + 1) // 2
