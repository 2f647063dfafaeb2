"""Exchange the players' input between the machines of a match.

Each packet repeats the input of earlier packets, so lost packets do not have to be sent again. The
packets also contain clock readings, with which the machines keep their game clocks in step.
"""

from __future__ import annotations

import struct
from collections import deque
from typing import TYPE_CHECKING, Any

from .dropped_message import DroppedMessage
from .match_input import MAX_TICKS, Events, read_ticks
from .match_players import RemotePlayer, Remotes
from .pacing import pace_for
from .predicted_ticks import MAX_HELD, PredictedTicks
from .rejoining import STATUS

if TYPE_CHECKING:
    from ..game.game import Game

_NANOSECONDS = 1_000_000_000
# If there are no new events, a packet is sent after this number of nanoseconds.
_SEND_EVERY = _NANOSECONDS // 30 - 1_000_000
# The same interval on a slow network.
_SEND_OFTEN = _NANOSECONDS // 60 - 1_000_000
# Each tick is contained in at least this number of packets.
_REPEATS = 8
# Every sixth packet contains all ticks that the other player has not confirmed.
_FULL_EVERY = 6
# Ticks; a confirmation is late if it takes longer than the ping plus this number of ticks.
_OVERDUE = 6
_SPARE_TICKS = 3  # the network counts as slow if it leaves fewer spare ticks than this

# The header of a message with input has four fields: the last tick that the sender has received,
# the first tick of the input, the time until the last tick of the input ends, and how far the
# sender is ahead. Only the low bytes of the ticks are sent.
_HEAD = struct.Struct("<BBBb")
_TIME_STEPS = 8  # per tick
_NO_TIME = 255
PAUSED = b"p1"
RESUMED = b"p0"
"""The messages that a player sends after pausing and after continuing the game."""


class InputExchange:
    """Sends the input of this player, and receives the input of all other players."""

    not_state = True

    def __init__(self, remotes: Remotes, ticks: PredictedTicks) -> None:
        self._remotes = remotes
        self._ticks = ticks
        self._timestep: Any = None
        self._sent_ns = 0
        # The last tick with input of this player that was sent.
        self._sent_known = 0
        # The number of sent packets.
        self._packets = 0
        # For each of the most recent packets: the last tick for which this player had input when
        # the packet was sent.
        self._sent_ticks: deque[int] = deque([0] * _REPEATS, maxlen=_REPEATS)
        # Whether the last message to the others said that the game is paused.
        self._told_pause = False

    def start(self, game: Game) -> None:
        """From now on, use the clock of ``game``."""
        self._timestep = game.timestep

    def start_again(self, tick: int) -> None:
        """From now on, send only this player's input after ``tick``."""
        self._sent_known = tick

    # -- sending -----------------------------------------------------------------------------------

    def send_if_due(self, now_ns: int) -> bool:
        """Send this player's input to all other players if it is due, and return whether it was
        sent.
        """
        if not self._is_due(now_ns):
            return False
        own = self._ticks.own
        self._sent_ns = now_ns
        self._sent_known = own.known
        self._packets += 1
        for remote in self._remotes.values():
            self._send(remote)
        self._sent_ticks.append(own.known)
        self._tell_of_pause()
        return True

    def _is_due(self, now_ns: int) -> bool:
        """Return whether this machine must send its input now. New events are due immediately.
        Without new events, input is due only in every second tick, because the other machines
        predict that there are no events. On a slow network, input is due in every tick, because the
        other machines would otherwise often have to wait for it.
        """
        own = self._ticks.own
        elapsed = now_ns - self._sent_ns
        has_news = any(map(own.at, range(self._sent_known + 1, own.known + 1)))
        if elapsed >= _SEND_EVERY or has_news:
            return True
        return elapsed >= _SEND_OFTEN and self._is_slow()

    def _is_slow(self) -> bool:
        """Return whether the network is slow: whether a packet takes almost as many ticks as
        `max_prediction` and the input delay together.
        """
        ticks = self._ticks
        return ticks.max_prediction + ticks.delay.ticks - self.one_way() < _SPARE_TICKS

    def _send(self, remote: RemotePlayer) -> None:
        """Send this player's input to another player.

        Most packets contain only the newest ticks. Every sixth packet, and every packet while a
        confirmation is late, contains all ticks that the other player has not yet confirmed.
        """
        connection = remote.connection
        if connection is None or not remote.connected:
            return
        first = remote.acked + 1
        if self._packets % _FULL_EVERY and not self._is_overdue(remote):
            first = max(first, self._sent_ticks[0] + 1)
        packed = self._ticks.own.packed(first)
        end = first + (packed[0] & 0x7F)
        time_left = round((end - self._now()) * _TIME_STEPS)
        ahead = round((remote.difference.estimate or 0.0) * _TIME_STEPS)
        head = _HEAD.pack(
            remote.input.known & 0xFF,
            first & 0xFF,
            time_left if 0 <= time_left < _NO_TIME else _NO_TIME,
            max(-127, min(127, ahead)),
        )
        connection.send_unreliable(head + packed)

    def _is_overdue(self, remote: RemotePlayer) -> bool:
        """Return whether the other player should have confirmed more input by now."""
        return self._ticks.own.known - remote.acked > 2 * self.one_way(remote) + _OVERDUE

    def _tell_of_pause(self) -> None:
        """If this machine has paused or continued the game, send a message about this to the other
        machines.
        """
        paused = bool(self._timestep.paused)
        if paused is not self._told_pause:
            self._told_pause = paused
            for remote in self._remotes.values():
                remote.send_reliable(PAUSED if paused else RESUMED)

    # -- receiving ---------------------------------------------------------------------------------

    def take(self, remote: RemotePlayer, message: bytes) -> bool:
        """Handle a message with the input of another player. Return whether the input was added.
        Raise `DroppedMessage` if the message must be dropped.
        """
        ticks = read_ticks(message[_HEAD.size :]) if len(message) > _HEAD.size else None
        if ticks is None:
            if message[:1] != STATUS:
                raise DroppedMessage("malformed")
            return False  # another machine may repeat its status after the match has begun
        own = self._ticks.own
        acked_byte, first_byte, time_left, ahead_steps = _HEAD.unpack_from(message)
        first = _nearest(first_byte, remote.input.known + MAX_TICKS // 2, 256)
        acked = _nearest(acked_byte, own.known, 256)
        if first < 1 or not self.add_ticks(remote, first, ticks):
            return False
        if remote.acked < acked <= own.known:
            remote.acked = acked
        if time_left != _NO_TIME:
            their_time = first + len(ticks) - time_left / _TIME_STEPS
            remote.difference.note(
                self._now(), their_time, self.one_way(remote), ahead_steps / _TIME_STEPS
            )
        return True

    def add_ticks(self, remote: RemotePlayer, first: int, ticks: list[Events]) -> bool:
        """Add input that another player has sent. Return False if the player holds too many keys,
        after which the connection ends.
        """
        if first + len(ticks) - 1 > self._ticks.tick + 2 * MAX_TICKS:
            raise DroppedMessage("far ahead")
        if len(remote.held.keys) + len(remote.held.buttons) > MAX_HELD and remote.connection:
            remote.connection.close("no player holds so many keys")
            return False
        _check_ticks(remote, first, ticks)
        early = remote.early
        early.update(
            (tick, events) for tick, events in enumerate(ticks, first) if tick > remote.input.known
        )
        while remote.input.known + 1 in early:
            tick = remote.input.known + 1
            self._ticks.add_known(remote, tick, early.pop(tick))
        # Input that another machine forwarded may have filled a gap.
        for tick in [tick for tick in early if tick <= remote.input.known]:
            del early[tick]
        return True

    # -- time --------------------------------------------------------------------------------------

    def one_way(self, remote: RemotePlayer | None = None) -> float:
        """Return how many ticks a packet takes to reach the player ``remote``. If ``remote`` is
        None, return the number for the slowest player.
        """
        rate = float(self._timestep.rate) * float(self._timestep.time_scale)
        players = self._remotes.values() if remote is None else [remote]
        return max([player.delay for player in players], default=0.0) * rate

    def steer(self) -> float:
        """Adjust the speed of the game clock, so that all machines run each tick at the same time.
        Return by how many ticks this machine is ahead of the slowest other machine.
        """
        differences = [each.difference.ahead for each in self._remotes.values() if each.connected]
        ahead = max(differences, default=0.0)
        self._timestep.pace = pace_for(ahead) if differences else 1.0
        return ahead

    def _now(self) -> float:
        """Return this machine's time in ticks, as a float."""
        return self._ticks.tick + float(self._timestep.alpha)


def _check_ticks(remote: RemotePlayer, first: int, ticks: list[Events]) -> None:
    """Raise `DroppedMessage` if a player has sent the input of another player's gamepad, or other
    input for a tick than before.
    """
    for events in ticks:
        for event in events:
            if event[0][:7] == "on_pad_" and event[1] != remote.player:
                raise DroppedMessage("another player")
    for tick, events in enumerate(ticks, first):
        if _is_changed(remote, tick, events):
            raise DroppedMessage("changed")


def _is_changed(remote: RemotePlayer, tick: int, events: Events) -> bool:
    """Return whether the stored events of this tick differ from ``events``, which have just
    arrived.
    """
    if tick <= remote.input.known:
        return remote.input.differs(tick, events)
    return remote.early.get(tick, events) != events


def _nearest(remainder: int, highest: int, modulus: int) -> int:
    """Return the complete tick number. A message contains only the ``remainder`` of this number
    modulo ``modulus``. The result is the largest number up to ``highest`` with this remainder.
    """
    return highest - (highest - remainder) % modulus
