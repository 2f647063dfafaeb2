"""Departures: when a player leaves a match, the other machines agree on that player's last input.

A machine may have received more input from the player who left than another machine. But all
machines must use the same input. The machine with the lowest player index collects the input from
all others, and sends the result to the other machines.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable

from .match_input import MAX_TICKS, Events, PlayerInput, read_ticks

_LOST, _ENDED = b"l", b"g"
KINDS = (_LOST, _ENDED)
"""The first byte of each kind of message in this module."""
_HEAD = struct.Struct("<BI")  # the player who has left, and the last known tick of this player


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
        """The players whose connection has ended."""
        self._player = player
        self._inputs = inputs
        self._send = send
        self._add = add
        self._end = end
        self._ended: set[int] = set()
        self._reports: dict[int, set[int]] = {}  # key: player who left; value: who reported
        self._reported: dict[int, int] = {}  # key: player who left; value: who got the report

    def lose(self, player: int) -> None:
        """Handle the end of the connection to a player."""
        if player != self._player and player not in self.lost:
            self.lost.add(player)
            self._reports.setdefault(player, set())

    @property
    def _remaining(self) -> list[int]:
        """The other players who are still in the match."""
        return [player for player in self._inputs if player not in self.lost]

    def settle(self) -> None:
        """Send a report about each player who has left. When all machines have reported a player,
        end this player's input.
        """
        remaining = self._remaining
        leader = min([self._player, *remaining])
        for player in sorted(self.lost - self._ended):
            if leader != self._player:
                if self._reported.get(player) != leader:
                    self._reported[player] = leader
                    self._send(leader, self._message(_LOST, player))
            elif self._reports[player].issuperset(remaining):
                for receiver in remaining:
                    self._send(receiver, self._message(_ENDED, player))
                self._finish(player)
            elif self._reported.get(player) != leader:
                self._reported[player] = leader
                for receiver in remaining:  # who may still be connected to the player
                    self._send(receiver, self._message(_LOST, player))

    def receive(self, sender: int, message: bytes) -> bool:
        """Handle a message from another machine. Return False if the message is invalid."""
        content = message[1:]
        if len(content) <= _HEAD.size:
            return False
        player, last = _HEAD.unpack_from(content)
        ticks = read_ticks(content[_HEAD.size :])
        if ticks is None or player not in self._inputs or player == sender:
            return False
        if player in self._ended:
            return True
        own = self._inputs[player]
        first = last - len(ticks) + 1
        if first > own.known + 1 or last > own.known + 2 * MAX_TICKS:
            return False
        self.lose(player)
        self._take(player, first, ticks)
        if message[:1] == _ENDED:
            self._finish(player)
        else:
            self._reports[player].add(sender)
        return True

    def _take(self, player: int, first: int, ticks: Iterable[Events]) -> None:
        """Add the input of the ticks that this machine has not received."""
        own = self._inputs[player]
        for tick, events in enumerate(ticks, first):
            if tick == own.known + 1:
                self._add(player, tick, events)

    def _finish(self, player: int) -> None:
        self._ended.add(player)
        self._end(player)

    def _message(self, kind: bytes, player: int) -> bytes:
        """Return a message with the last ticks of input of a player who has left."""
        own = self._inputs[player]
        first = max(1, own.known - MAX_TICKS + 1)
        packed = own.packed(first)
        count = packed[0] & 0x7F
        return kind + _HEAD.pack(player, first + count - 1) + packed
