"""Departures: when a player leaves a match, the other machines agree on that player's last input.

A machine may have received more input from the player who left than another machine. But all
machines must use the same input. So each machine sends its input of this player to all others. When
all machines have sent this input, the machine with the lowest player index sends the result.

A report of another machine never ends the connection of this machine to a player. Otherwise a
player could drop another player by a false report. If only some machines have lost a player, the
other machines forward the input of this player.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable

from .match_input import MAX_TICKS, Events, PlayerInput, read_ticks

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
        A function ``add(player, tick, events)``. This function adds the next tick of input of a
        player who has left.
    end
        A function ``end(player)``. This function is called when all machines agree on the last
        input of the player.
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
        self._player = player
        self._inputs = inputs
        self._send = send
        self._add = add
        self._end = end
        self._ended: set[int] = set()
        # By player who left: the reports of the other machines, by the machine that has sent them.
        self._reports: dict[int, dict[int, _Report]] = {player: {} for player in inputs}
        self._reported: dict[int, set[int]] = {}  # by player who left: who has our report
        # By player who left: the results of other machines. The result of the leader counts.
        self._results: dict[int, dict[int, _Report]] = {player: {} for player in inputs}
        self._last: dict[int, int] = {}  # by ended player: the last tick with input of the player
        self._announced: dict[int, set[int]] = {}  # by ended player: who has our result
        self._answered: set[tuple[int, int]] = set()  # receivers and players of `_answer`
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

    def is_lost_elsewhere(self, player: int) -> bool:
        """Return whether all other connected players have lost a player."""
        if not self._reports[player]:
            return False
        witnesses = {each for each in self.remaining if each != player}
        return bool(witnesses) and self._reports[player].keys() >= witnesses

    def settle(self) -> None:
        """Send a report about each player who has left. When all machines have reported a player,
        end this player's input. Forward input to machines that do not receive it.
        """
        if not self.lost and not self._forwarded:
            return
        remaining = self.remaining
        for player in sorted(self.lost - self._ended):
            new = set(remaining) - self._reported.setdefault(player, set())
            for receiver in sorted(new):
                self._send(receiver, self._message(_LOST, player))
            self._reported[player] |= new
            if not self._reports[player].keys() >= set(remaining):
                continue  # another machine has a connection to the player, or has not noticed yet
            if self.leader == self._player:
                for _, report in sorted(self._reports[player].items()):
                    self._take(player, *report)
                self._finish(player)
            elif self.leader in self._results[player]:
                self._take(player, *self._results[player][self.leader])
                self._finish(player)
        if self.leader == self._player:
            self._announce(remaining)
        self._forward()

    def _announce(self, remaining: list[int]) -> None:
        """Send the last input of each player who has left to all others. A new leader sends it
        again, because the former leader may have left before everybody received it.
        """
        for player in sorted(self._ended):
            new = set(remaining) - self._announced.setdefault(player, set())
            for receiver in sorted(new):
                self._send(receiver, self._message(_ENDED, player))
            self._announced[player] |= new

    def _forward(self) -> None:
        """Send the new input of connected players to the machines that have lost these players."""
        for (receiver, player), last in [*self._forwarded.items()]:
            if receiver in self.lost or player in self.lost:
                del self._forwarded[receiver, player]
            elif self._inputs[player].known > last:
                message, sent = self._packed(_FORWARDED, player, last + 1)
                self._send(receiver, message)
                self._forwarded[receiver, player] = sent

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
                self._answer(sender, player)
            return True
        if first > own.known + 1 or last > own.known + 2 * MAX_TICKS:
            return False
        if kind == _LOST:
            self._reports[player][sender] = first, ticks
            if player not in self.lost:
                self._forwarded[sender, player] = last
        elif player not in self.lost:
            return False  # this machine is connected to the player
        elif kind == _FORWARDED:
            self._take(player, first, ticks)
        else:
            self._results[player][sender] = first, ticks
        return True

    def _answer(self, sender: int, player: int) -> None:
        """Send our last input of a player who has left to a machine that still waits for it."""
        if (sender, player) not in self._answered:
            self._answered.add((sender, player))
            self._send(sender, self._message(_LOST, player))
            self._announced.get(player, set()).discard(sender)

    def readmit(self, player: int) -> None:
        """Note that a player takes part again."""
        self.lost.discard(player)
        self._ended.discard(player)
        self._reports[player] = {}
        self._results[player] = {}
        for stored in (self._reported, self._last, self._announced):
            stored.pop(player, None)
        self._answered = {pair for pair in self._answered if player not in pair}
        self._forwarded = {
            pair: last for pair, last in self._forwarded.items() if player not in pair
        }
        for reports in self._reports.values():
            reports.pop(player, None)
        for receivers in (*self._reported.values(), *self._announced.values()):
            receivers.discard(player)

    def end(self, player: int) -> None:
        """Note that a player has left before this machine took part."""
        self.lost.add(player)
        self._ended.add(player)
        self._last[player] = 0

    def has_ended(self, player: int) -> bool:
        """Return whether all remaining players agree on the last input of a player."""
        return player in self._ended

    def _take(self, player: int, first: int, ticks: Iterable[Events]) -> None:
        """Add the input of the ticks that this machine has not received."""
        own = self._inputs[player]
        for tick, events in enumerate(ticks, first):
            if tick == own.known + 1:
                self._add(player, tick, events)

    def _finish(self, player: int) -> None:
        self._ended.add(player)
        self._results[player].clear()
        self._last[player] = self._inputs[player].known
        self._end(player)

    def _message(self, kind: bytes, player: int) -> bytes:
        """Return a message with the last ticks of input of a player who has left."""
        last = self._last.get(player, self._inputs[player].known)
        return self._packed(kind, player, max(1, last - MAX_TICKS + 1))[0]

    def _packed(self, kind: bytes, player: int, first: int) -> tuple[bytes, int]:
        """Return a message with ticks of a player from ``first`` on, and the last of these ticks."""
        packed = self._inputs[player].packed(first)
        last = first + (packed[0] & 0x7F) - 1
        return kind + _HEAD.pack(player, last) + packed, last
