"""End the connection to players who stay connected, but send no input.

A match cannot continue while the input of a connected player is missing. `SilentPlayers` measures
how long this machine has been waiting for each player. After the input timeout, it closes the
connection to the player. From then on, the player is lost like after a failure of the network: the
other machines forward the player's input, or agree on the player's last input (see `Departures`).

A machine that is waiting cannot run its next tick, so after a few ticks it sends no more input
either. The other machines must not count it as silent. Each machine therefore reports for which
tick it lacks input. If this is an earlier tick than the tick whose input the receiver of the report
lacks, the receiver waits a little longer. The report also lists the players who have paused the
game. While a player is pausing, no time is measured.
"""

from __future__ import annotations

import struct
from typing import Any

from .connection import Connection
from .dropped_message import DroppedMessage
from .lost_players import LostPlayers
from .match_phase import MatchPhase
from .match_players import NO_END, RemotePlayer, Remotes, names_of
from .predicted_ticks import PredictedTicks
from .returning_players import ReturningPlayers

WAITS = b"w"
"""The first byte of the messages of this module."""

_SECOND = 1_000_000_000
# After this number of nanoseconds, machines report for whom they are waiting, and the players read
# how long they still have to wait. If the input timeout is short, the reports are sent after half of
# it, because they must arrive before the other machines close connections.
NOTICE = _SECOND
# Nanoseconds by which the wait for a player is longer if this player's machine is also waiting.
_GRACE = 3 * _SECOND
# Nanoseconds for a player whom all other machines have lost.
_LOST_ELSEWHERE = 3 * _SECOND
# Nanoseconds for a player who has been silent before, and whose input other machines can forward.
_SILENT_AGAIN = _SECOND
# Each tick of input that arrives shortens the measured time by this number of nanoseconds. A slow
# machine is still playing. A machine that sends fewer than 4 ticks per second is not.
_PER_TICK = _SECOND // 4
# If nothing at all has arrived over a connection for this number of nanoseconds, the network or the
# program has failed. Connected programs send a packet at least every 0.1 seconds.
_NO_PACKETS = _SECOND
# The maximum time in nanoseconds that is measured in one frame. After a long frame, the input of
# the other players is waiting in the network link.
_MAX_FRAME = _SECOND // 4
# Fields: the kind, the first tick for which the sender lacks input or 0, and a mask of the players
# who are pausing.
_WAITS = struct.Struct("<cIB")


class SilentPlayers:
    """Measures how long this machine has been waiting for the input of each player, and closes
    connections after the input timeout.

    Parameters
    ----------
    player
        The index of the player on this machine.
    timeout_ns
        The input timeout in nanoseconds, or None to wait without a limit.
    """

    not_state = True

    def __init__(
        self,
        player: int,
        remotes: Remotes,
        phase: MatchPhase,
        ticks: PredictedTicks,
        lost: LostPlayers,
        returning: ReturningPlayers,
        timeout_ns: int | None,
    ) -> None:
        self._player = player
        self._remotes = remotes
        self._phase = phase
        self._ticks = ticks
        self._lost = lost
        self._returning = returning
        self._timeout_ns = timeout_ns
        self._notice_ns = NOTICE if timeout_ns is None else min(NOTICE, timeout_ns // 2)
        self._timestep: Any = None
        self._noted_ns = 0
        # For each player: how long this machine has been waiting, in nanoseconds.
        self._waited: dict[int, int] = {}
        # For each player: the last known tick, and the machines that should send the input. The bool
        # is True if all other machines have lost the connection to this player.
        self._known: dict[int, int] = {}
        self._senders: dict[int, tuple[list[int], bool]] = {}
        # For each player: the last report of this player's machine, with the connection over which
        # it arrived.
        self._reports: dict[int, tuple[Connection, int, int]] = {}
        # The players whose machines have been waiting for an earlier tick at some time since this
        # machine began to wait for them.
        self._excused: set[int] = set()
        # The last tick that was reported as missing.
        self._reported = 0
        # For each player: the connection over which this machine has sent its report, and the
        # report.
        self._sent: dict[int, tuple[Connection, bytes]] = {}

    def start(self, timestep: Any) -> None:
        """Set the timestep of the game, which shows whether this player is pausing the game."""
        self._timestep = timestep

    # -- each frame --------------------------------------------------------------------------------

    def update(self, now_ns: int) -> None:
        """Measure the time, send reports, and close the connections to silent players. The session
        calls this method in each frame.
        """
        elapsed = min(max(0, now_ns - self._noted_ns), _MAX_FRAME)
        self._noted_ns = now_ns
        if not self._phase.begun:
            self._waited.clear()
            return
        missing = self._missing()
        is_paused = self._is_paused()
        for remote in self._remotes.values():
            self._measure(remote, elapsed if remote.player in missing and not is_paused else 0)
        self._send_reports(missing)
        for player in sorted(missing):
            self._close_if_silent(player, now_ns)

    def _missing(self) -> list[int]:
        """Return the players whose missing input prevents the next tick."""
        ticks = self._ticks
        if ticks.waits_ns is None or self._returning.held_tick is not None:
            return []
        first = ticks.tick + 1 - ticks.max_prediction
        return [player for player, each in self._remotes.items() if each.input.known < first]

    def _measure(self, remote: RemotePlayer, elapsed: int) -> None:
        """Add ``elapsed`` to the waiting time for a player. Input that has arrived shortens this
        time. If other machines should now send the input, or if all other machines have now lost
        this player, the time starts at 0 again.
        """
        player = remote.player
        last_tick = remote.input.known
        new_ticks = max(0, last_tick - self._known.get(player, last_tick))
        self._known[player] = last_tick
        senders = self._senders_of(player), self._lost.departures.is_lost_elsewhere(player)
        if last_tick == NO_END or senders != self._senders.get(player):
            self._waited[player] = 0
        self._senders[player] = senders
        waited = self._waited.get(player, 0) + elapsed
        self._waited[player] = max(0, waited - new_ticks * _PER_TICK)
        if not self._waited[player]:
            self._excused.discard(player)
        elif any(self._is_excused(machine, last_tick + 1) for machine in senders[0]):
            self._excused.add(player)

    def _senders_of(self, player: int) -> list[int]:
        """Return the connected machines that should send a player's input: the player's machine, or
        the machine that forwards the input, or the machines that have not yet agreed on the
        player's last input.
        """
        if self._remotes[player].connection is not None:
            return [player]
        departures = self._lost.departures
        forwarder = departures.forwarder(player)
        return departures.disagreeing() if forwarder is None else [forwarder]

    def _close_if_silent(self, player: int, now_ns: int) -> None:
        """Close the connection to a machine that should have sent a player's input, if this machine
        has been waiting for too long.

        If the connection has carried other packets until now, count this in
        `RemotePlayer.timeouts`. A failure of the network or a crash is not counted, because an
        honest player must be able to come back after any number of them.
        """
        for sender in self._senders[player][0]:
            limit = self._limit(player, sender)
            connection = self._remotes[sender].connection
            if limit is None or connection is None or self._waited[player] < limit:
                continue
            seconds = self._waited[player] / _SECOND
            name = names_of([sender])
            connection.close(f"{name} has sent no input for {seconds:.0f} seconds")
            if sender == player and now_ns - connection.last_received_ns < _NO_PACKETS:
                self._remotes[player].timeouts += 1

    def _limit(self, player: int, sender: int) -> int | None:
        """Return for how many nanoseconds this machine waits for a player's input, which the
        machine ``sender`` should send. Return None if there is no limit.
        """
        timeout = self._timeout_ns
        if timeout is None:
            return None
        grace = _GRACE if player in self._excused else 0
        departures = self._lost.departures
        if sender != player:
            # The sender itself may still be waiting for the player. A sender that disagrees about
            # who has left may have received a false report from a machine that forwards nothing,
            # and must have time to end the connection to this machine first.
            is_forwarder = departures.forwarder(player) is not None
            return timeout + (2 if is_forwarder else 4) * _GRACE + grace
        if departures.is_lost_elsewhere(player):
            return min(timeout, _LOST_ELSEWHERE)
        if self._remotes[player].timeouts and departures.can_forward(player):
            return min(timeout, _SILENT_AGAIN)
        return timeout + grace

    # -- reports -----------------------------------------------------------------------------------

    def receive(self, sender: RemotePlayer, message: bytes) -> None:
        """Store another machine's report, which says for which tick it lacks input, and which
        players are pausing.
        """
        if len(message) != _WAITS.size:
            raise DroppedMessage("malformed")
        if sender.connection is not None:
            self._reports[sender.player] = sender.connection, *_WAITS.unpack(message)[1:]

    def _report_of(self, player: int) -> tuple[int, int]:
        """Return the tick and the mask in the last report of another machine. A report that has
        arrived over an earlier connection does not count.
        """
        connection, lacking, pauses = self._reports.get(player, (None, 0, 0))
        is_current = connection is not None and connection is self._remotes[player].connection
        return (lacking, pauses) if is_current else (0, 0)

    def _is_excused(self, machine: int, tick: int) -> bool:
        """Return whether another machine lacks input of an earlier tick than ``tick``. Such a
        machine may be unable to run the tick ``tick`` itself. A machine that lacks input of a later
        tick has already run this tick.
        """
        return 0 < self._report_of(machine)[0] < tick

    def _send_reports(self, missing: list[int]) -> None:
        """Report which tick lacks input, and who is pausing, to each machine to which the last
        report was different.
        """
        pauses = self.paused_players
        if self._timestep.paused:
            pauses = [*pauses, self._player]
        pause_mask = sum([1 << player for player in pauses])
        message = _WAITS.pack(WAITS, self._lacking_tick(missing), pause_mask)
        for player, remote in self._remotes.items():
            connection = remote.connection
            # A new direct connection to a lost player is still on trial (see `DirectPaths`).
            is_lost = player in self._lost.departures.lost
            if connection is None or not remote.connected or is_lost:
                continue
            sent_over, sent = self._sent.get(player, (None, b""))
            is_new = sent_over is not connection
            before = _WAITS.pack(WAITS, 0, 0) if is_new else sent
            if before != message:
                self._sent[player] = connection, message
                connection.send_reliable(message)

    def _lacking_tick(self, missing: list[int]) -> int:
        """Return the first tick for which this machine lacks input, if it has been waiting for this
        input for a while. Otherwise, return 0.
        """
        held_tick = self._returning.held_tick
        if held_tick is not None:
            return held_tick - 1  # the other machines may lack the tick `held_tick` of this player
        lacking = [(self._remotes[player].input.known + 1, player) for player in missing]
        if not lacking:
            return 0
        tick, player = min(lacking)
        # The time starts at 0 again when other machines should send the input.
        if self._waited[player] >= self._notice_ns:
            self._reported = tick
        return tick if tick == self._reported else 0

    # -- for the status ----------------------------------------------------------------------------

    @property
    def paused_players(self) -> list[int]:
        """The other players who are pausing the game."""
        return [player for player in self._remotes if self._has_paused(player)]

    def _has_paused(self, player: int) -> bool:
        remote = self._remotes[player]
        if remote.gone:
            return False
        if remote.connection is not None:
            return remote.paused
        forwarder = self._lost.departures.forwarder(player)
        return forwarder is not None and bool(self._report_of(forwarder)[1] >> player & 1)

    def _is_paused(self) -> bool:
        return bool(self._timestep.paused or self.paused_players)

    def seconds_left(self, player: int) -> float | None:
        """Return the number of seconds after which the match will continue without a player, or
        None if this machine has not been waiting for long.
        """
        limit = self._limit(player, player)
        waited = self._waited.get(player, 0)
        if limit is None or waited < NOTICE or self._remotes[player].connection is None:
            return None
        return max(0, limit - waited) / _SECOND
