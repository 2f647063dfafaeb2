"""Rejoin a match that has continued without this machine's player.

A player can rejoin after a crash, or after losing the connection to the other machines for a while.
Rejoining takes three steps:

1. Catch up: this machine connects to the other machines. The leader, which is the machine with the
   lowest index, sends the final input of the match (see `CatchUp`), and this machine runs all the
   ticks that it has missed.
2. Enter: the leader chooses the tick in which the player takes part again, and sends its number.
   This machine runs all the ticks before it with final input.
3. Play: the player takes part in the match again.

If the leader leaves, or the other machines drop this machine again before it plays, rejoining
starts again with step 1. If the match has ended on all other machines, this machine continues the
match alone.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..input.tick_input import HeldInput, TickInput
from .connection import Connection
from .desync import StateChecks
from .direct_paths import DirectPaths
from .dropped_message import DroppedMessage
from .input_exchange import InputExchange
from .lost_players import LostPlayers
from .match_history import MatchHistory
from .match_input import PlayerInput
from .match_phase import MatchPhase
from .match_players import NO_END, RemotePlayer, Remotes
from .predicted_ticks import PredictedTicks, released
from .rejoining import AGREED, EMPTY_TICKS, CatchUp, pack_player_tick
from .returning_players import ReturningPlayers
from .spectator import Watchers

if TYPE_CHECKING:
    from ..game.game import Game
    from ..record.snapshots import Snapshot


# Frames; the other machines have lost a player, and this machine may lose the same player soon.
_MAX_LACKING = 30
# Frames; the match may still be running on machines that this machine is still connecting to.
_MIN_ABANDONED = 60


class Comeback:
    """Lets this machine's player rejoin a match.

    Parameters
    ----------
    player
        The index of the player on this machine.
    connect
        A function that starts a new connection to a player with a lower index.
    flush
        A function that sends all messages in the queue.
    """

    not_state = True

    def __init__(
        self,
        player: int,
        remotes: Remotes,
        phase: MatchPhase,
        ticks: PredictedTicks,
        exchange: InputExchange,
        lost: LostPlayers,
        returning: ReturningPlayers,
        direct: DirectPaths,
        history: MatchHistory,
        watchers: Watchers,
        connect: Callable[[RemotePlayer], Connection],
        flush: Callable[[], None],
    ) -> None:
        self._player = player
        self._remotes = remotes
        self._phase = phase
        self._ticks = ticks
        self._exchange = exchange
        self._lost = lost
        self._returning = returning
        self._direct = direct
        self._history = history
        self._watchers = watchers
        self._connect = connect
        self._flush = flush

    def start(self, game: Game, snapshot: Snapshot) -> None:
        """Store the game, and a snapshot of the state before the first tick."""
        self._game = game
        # The tick and the state that `_go_back` restores if the received final input belongs to
        # another version of the match.
        self._base: tuple[int, Snapshot] = 0, snapshot
        self._first = self._base
        # The number of frames in which another machine has needed input that this machine does not
        # have.
        self._lacking = 0
        self._abandoned = 0  # the number of frames since the match ended on all other machines

    def begin(self) -> None:
        """Start to run the ticks that the other machines have already run."""
        self._phase.catch_up = self._new_catch_up()

    # -- between two ticks -------------------------------------------------------------------------

    def before_tick(self, game: Game) -> None:
        """Run the ticks that this machine has missed. If another machine's version of the match
        replaces this machine's version, first restore the last tick that both versions share.
        """
        phase = self._phase
        if self._returning.yields:
            self._yield(game)
        lacks_input = phase.is_entering and self._lost.departures.lacks_input
        self._lacking = self._lacking + 1 if lacks_input else 0
        if self._lacking >= _MAX_LACKING:
            self._start_over()  # the other machines have agreed without this machine
        if phase.catch_up is not None and phase.catch_up.is_other_match:
            self._go_back(game)
            self.begin()
        if phase.catch_up is not None:
            self._run_final_ticks(game, phase.catch_up)
        if phase.catch_up is not None:
            self._abandoned = self._abandoned + 1 if self._is_abandoned() else 0
            if self._abandoned >= _MIN_ABANDONED:
                self._resume(game, phase.catch_up)

    def late_ticks(self) -> int:
        """Return how many ticks this machine must run in this frame to catch up with the other
        machines. They are many ticks ahead when the player has just rejoined the match.
        """
        ticks = self._ticks
        is_back = ticks.first_tick > 1
        if not is_back or ticks.tick >= ticks.first_tick + EMPTY_TICKS:
            return 0
        last_ticks = [each.input.known for each in self._remotes.values() if not each.gone]
        return min(last_ticks, default=0) - ticks.tick - ticks.delay.ticks

    def final_input(self, game: Game, number: int, local: TickInput) -> TickInput | None:
        """Return the final input of a tick that runs while this player is rejoining the match, or
        None if it has not arrived yet.
        """
        catch_up = self._phase.catch_up
        if catch_up is None:
            return None
        final = catch_up.input(number, local)
        if any(event[0] == "on_close" for event in local.events):
            game.exit()
        if final is not None:
            self._ticks.tick = number
        return final

    def _run_final_ticks(self, game: Game, catch_up: CatchUp) -> None:
        """Run each missed tick for which the final input has arrived."""
        ticks = self._ticks
        if game.tick == ticks.tick:
            self._confirm_final(game, catch_up)
        for _ in range(catch_up.ticks_to_run(ticks.tick)):
            game.run_ticks(1)
            self._confirm_final(game, catch_up)
        if catch_up.enter_tick is not None and ticks.tick >= catch_up.enter_tick - 1:
            self._take_part(game, catch_up)

    def _confirm_final(self, game: Game, catch_up: CatchUp) -> None:
        """Confirm a tick that has run with its final input."""
        tick = self._ticks.tick
        if tick <= self._ticks.confirmed:
            return
        final = catch_up.input(tick, TickInput())
        if final is not None:
            catch_up.forget(tick)
            self._ticks.confirm_final(game, final)

    # -- taking part again -------------------------------------------------------------------------

    def ask_for_input(self) -> None:
        """Request the final input of the match from the other machines. The session calls this
        method in each frame.
        """
        catch_up = self._phase.catch_up
        if catch_up is None:
            return
        connected = {
            player: remote.status
            for player, remote in self._remotes.items()
            if remote.connected and remote.status is not None
        }
        for player, message in catch_up.messages(self._ticks.tick, connected):
            self._remotes[player].send_reliable(message)
        source = catch_up.source
        if catch_up.enter_tick is not None and source is not None and source not in connected:
            # The leader left before all other machines knew about this player's return.
            self._start_over()

    def take_final(self, sender: RemotePlayer, message: bytes) -> None:
        """Store the final input from a message."""
        catch_up = self._phase.catch_up
        if catch_up is None:
            raise DroppedMessage("late")
        if sender.player == catch_up.source:
            catch_up.take(message)

    def take_different(self, sender: RemotePlayer, message: bytes) -> None:
        """Handle a message from a machine whose match has differed from this machine's match since
        the first tick, which happens if it has restored an earlier state than this machine.
        """
        if len(message) != 1:
            raise DroppedMessage("malformed")
        catch_up = self._phase.catch_up
        if catch_up is None or sender.player != catch_up.source:
            raise DroppedMessage("late")
        self._base = self._first
        catch_up.is_other_match = True  # `before_tick` will restore the first state

    def take_return(self, sender: RemotePlayer, tick: int, participants: set[int]) -> None:
        """Handle the leader's message about this player's return. From ``tick`` on, all players in
        ``participants`` take part.
        """
        catch_up = self._phase.catch_up
        if catch_up is None:
            raise DroppedMessage("late")
        # This may be the reply to an earlier request. Its sender would then drop this machine's new
        # request for input, and this machine would wait for the first ticks forever.
        is_reply = sender.player == catch_up.source and catch_up.has_requested
        if is_reply and catch_up.enter_tick == tick:
            raise DroppedMessage("late")  # this message has already arrived
        if not is_reply or tick <= catch_up.known or catch_up.enter_tick is not None:
            # A new connection is needed, because the leader does not wait for an answer on a closed
            # one.
            self._start_over()
            raise DroppedMessage("late")
        self._enter(catch_up, tick, participants)
        sender.send_reliable(pack_player_tick(AGREED, self._player, tick))

    def _enter(self, catch_up: CatchUp, tick: int, participants: set[int]) -> None:
        """Take part in the match again from ``tick`` on, with empty input at first."""
        catch_up.enter_tick = tick
        own = self._ticks.own = PlayerInput(tick - 1)
        for number in range(tick, tick + EMPTY_TICKS):
            own.add(number, ())
        self._exchange.start_again(tick - 1)
        for remote in self._remotes.values():
            remote.start_again(tick - 1)
        self._lost.restart()
        self._returning.restart()
        self._direct.restart()
        for player, remote in self._remotes.items():
            if player not in participants:
                self._leave_out(remote)
                self._keep_connection(remote)
        # Other machines may send their hashes before this machine has run the ticks up to `tick`.
        self._ticks.states.restart(self._participants(), self._base, tick - 1)
        for player, remote in self._remotes.items():
            if player in participants and not remote.connected:
                # Never connected, or not since this player's request.
                self._lost.begin_without(remote)
        self._lost.take_early_reports()

    def _leave_out(self, remote: RemotePlayer) -> None:
        """Mark a player as absent from the match. The player may rejoin later."""
        remote.input.known = NO_END
        remote.gone = True
        self._lost.departures.end(remote.player)

    def _keep_connection(self, remote: RemotePlayer) -> None:
        """Move the connection of an absent player to `ReturningPlayers`. The absent player may be
        rejoining too, and can then receive the final input from this machine.
        """
        connection = remote.connection
        remote.connection = remote.status = None
        if connection is None:
            return
        if connection.state == "connected":
            self._returning.add(remote.player, connection)
        elif connection.is_open:
            remote.knocking = connection

    def _take_part(self, game: Game, catch_up: CatchUp) -> None:
        """Take part in the match from the next tick on."""
        ticks = self._ticks
        phase = self._phase
        was_entering = phase.is_entering
        self._set_held_controls()
        phase.catch_up = None
        phase.begun = True
        snapshot = ticks.take_part(game, catch_up.early)
        states: StateChecks = ticks.states
        if not was_entering:
            states.restart(self._participants(), self._base, ticks.tick)
        states.begin(snapshot)
        for remote in self._remotes.values():
            if remote.gone:
                # The final input may belong to a match that has been replaced by another match.
                states.set_common(remote.player, *self._base)

    def _set_held_controls(self) -> None:
        """Set the keys and buttons that each player who takes part holds, after all known input."""
        controls = self._held_controls()
        for player, remote in self._remotes.items():
            if not remote.gone:
                remote.held = controls[player]
                for number in range(self._ticks.tick + 1, remote.input.known + 1):
                    remote.held = TickInput(remote.input.at(number)).held(remote.held)

    def _participants(self) -> list[int]:
        return [player for player, remote in self._remotes.items() if not remote.gone]

    def _held_controls(self) -> list[HeldInput]:
        """Return the keys and buttons that each player holds at the end of the history."""
        controls = [HeldInput()] * (len(self._remotes) + 1)
        for _, events in self._history.ticks():
            for player in range(len(controls)) if events else ():
                own = TickInput(events).of(player)
                controls[player] = own.held(controls[player])
        return controls

    # -- if the match ends elsewhere, or another match counts --------------------------------------

    def _is_abandoned(self) -> bool:
        """Return whether the match has ended on all other machines while this player is coming
        back.
        """
        states = [each.status for each in self._remotes.values() if each.connected and each.status]
        return self._ticks.tick > 0 and bool(states) and not any(status.runs for status in states)

    def _resume(self, game: Game, catch_up: CatchUp) -> None:
        """Continue the match alone, from the last tick with final input. The other players may come
        back later.
        """
        tick = self._ticks.tick
        controls = self._held_controls()
        self._start_over(reconnects=False)
        own = self._ticks.own = PlayerInput(tick)
        own.add(tick + 1, released(controls[self._player]))
        for player, remote in self._remotes.items():
            remote.input.add(tick + 1, released(controls[player]))
            self._leave_out(remote)
        self._take_part(game, catch_up)

    def _yield(self, game: Game) -> None:
        """Restore the last tick that is equal on all machines, because another machine's match is
        replacing this machine's match.
        """
        self._base = self._ticks.states.earliest_common()
        self._go_back(game)
        self._start_over()

    def _go_back(self, game: Game) -> None:
        """Restore the state of the last tick that is equal on all machines."""
        tick, snapshot = self._base
        if game.recording.active:
            game.recording.stop()
            warnings.warn(
                "Rollback: the match went on without this machine, so its recording ends here",
                RuntimeWarning,
                stacklevel=2,
            )
        self._ticks.go_back(game, tick, snapshot)
        self._history.forget_after(tick)
        self._watchers.end()

    def _start_over(self, *, reconnects: bool = True) -> None:
        """Close all connections, and start to rejoin the match again with the first step. Ticks
        that have already run with final input do not run again.
        """
        if self._phase.catch_up is not None and self._game.tick == self._ticks.tick:
            self._confirm_final(self._game, self._phase.catch_up)  # the last final tick has run
        self._returning.close()
        self._direct.restart()
        self._phase.begun = False
        self.begin()
        self._lost.forget_early_reports()
        self._ticks.forget_snapshots()
        for remote in self._remotes.values():
            self._close_connections(remote)
            remote.start_again(self._ticks.tick)
        self._lost.restart()
        self._returning.restart()
        self._flush()
        for remote in self._remotes.values():
            if reconnects and remote.player < self._player:
                remote.connection = self._connect(remote)

    def _close_connections(self, remote: RemotePlayer) -> None:
        for connection in (remote.connection, remote.knocking):
            if connection is not None:
                connection.close("the player comes back")
        remote.connection = remote.knocking = remote.status = None
        remote.told_status = None

    def _new_catch_up(self) -> CatchUp:
        return CatchUp(len(self._remotes) + 1, self._base[0], self._ticks.tick, self._history)
