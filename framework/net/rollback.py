"""Rollback: matches of two to four players over a network. Each machine runs the whole game.

Each machine sends only the input of its own player. The input of other players arrives late. A tick
does not wait for this input. Instead, a tick predicts that the other players hold the same keys as
before. If a prediction was wrong, the session restores an older snapshot and runs the ticks since
then again.
"""

from __future__ import annotations

__all__ = ["Rollback"]

import os
import struct
import sys
import time
import warnings
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .. import checks
from ..errors import AssetError, FrameworkError
from ..game.driven_game import driven, run_ticks
from ..game.match_recorder import write_match
from ..game.session import SessionStats
from ..input.tick_input import Event, HeldInput, TickInput
from ..record.snapshots import Snapshot, SnapshotError
from .connection import Connection
from .departures import KINDS as departure_kinds
from .departures import Departures, lost_player
from .desync import INTERVAL, MAX_REPORT, Desync, StateChecks, remove_old_reports
from .endpoint import MAX_PER_HOST, Endpoint, host_of
from .identity import Identity, identity
from .link import HEADERS, Link, Peer
from .match_history import TOO_LONG, MatchHistory
from .match_input import (
    MAX_TICKS,
    Events,
    LocalEvents,
    PlayerInput,
    combined,
    held_at_start,
    read_ticks,
)
from .pacing import InputDelay, TimeDifference, pace_for
from .packets import MAX_HELLO_DATA
from .rejoining import (
    AGREED,
    EMPTY_TICKS,
    RETURN,
    STATUS,
    CatchUp,
    Returns,
    Status,
    pack_player_tick,
    unpack_player_tick,
)
from .rejoining import KINDS as rejoining_kinds
from .saved_ticks import SavedTicks
from .spectator import WATCH, Watchers
from .udp_link import UdpLink

if TYPE_CHECKING:
    from ..game.game import Game

MIN_PLAYERS, MAX_PLAYERS = 2, 4
_MAX_PREDICTION = 30
_MAX_INPUT_DELAY = 30
_MAX_SPECTATORS = 16
_NANOSECONDS = 1_000_000_000
_RATE_SECONDS = 2  # the data rates are averages over this time
_SEND_EVERY = _NANOSECONDS // 30 - 1_000_000  # nanoseconds between two packets without new events
_SEND_OFTEN = _NANOSECONDS // 60 - 1_000_000  # the same on a slow network
_REPEATS = 8  # each tick is in at least this number of packets
_FULL_EVERY = 6  # each sixth packet has all ticks that the other player has not confirmed
_OVERDUE = 6  # ticks; a confirmation that takes this time plus the ping is overdue
_SPARE_TICKS = 3  # a network with fewer spare ticks counts as slow

_ERROR_FADE = 0.1  # seconds; drawn objects move to corrected positions in this time

# The head of a message with input: the last tick that the sender has received, the first tick of
# the input, the time until the last tick of the input ends, and how far the sender is ahead. Only
# the low bytes of the ticks are sent.
_HEAD = struct.Struct("<BBBb")
_TIME_STEPS = 8  # per tick
_NO_TIME = 255
_PAUSED, _RESUMED = b"p1", b"p0"
_PATIENCE = _NANOSECONDS // 2  # after this wait, the player sees a message
_SILENCE = _NANOSECONDS  # after this silence, a player is lost if all others have lost this player
_MAX_HELD = 200  # keys and buttons of one player; a keyboard has about a hundred
_FAREWELL = 5 * _NANOSECONDS  # the message about a player who left is visible for this time
_TOKEN = b"player"
_HAS_LEFT = "has left the match"  # the end of the reason when a player closes the game
_KEY_SIZE = 8  # bytes of the token by which a program is known when it comes back
_PRESENT = 3 * _NANOSECONDS // 10  # without a packet, until which a player is surely there
_ABSENT = 2 * _NANOSECONDS  # without a packet, after which the player may come back
_MAX_EARLY_REPORTS = 16  # of each player
_KNOCK_AGAIN = 2 * _NANOSECONDS  # between two attempts to reach a player who has left


class _Remote:
    """Another player of the match."""

    not_state = True

    def __init__(self, player: int) -> None:
        self.player = player
        self.connection: Connection | None = None
        self.input = PlayerInput()
        self.held = HeldInput()  # after the last known tick
        self.early: dict[int, Events] = {}  # of ticks after a tick that is not known
        self.acked = 0  # the last tick of our input that this player knows
        self.difference = TimeDifference()
        self.ready = False  # whether the player was connected once
        self.gone = False
        self.gone_ns = 0  # when the player left
        self.paused = False
        self.status: Status | None = None  # of the player's machine, when it connected
        self.told_status: Status | None = None  # of this machine, when it connected
        self.token = b""  # of the player's program
        self.host: Hashable = None
        self.has_closed = False  # whether the player has closed the game
        self.asking = b"", 0  # the token of a program that wants to play, and its first request
        self.knocking: Connection | None = None  # to a player who has left
        self.knocked_ns = 0  # when the last attempt failed

    @property
    def connected(self) -> bool:
        return self.connection is not None and self.connection.state == "connected"

    def start_again(self, tick: int) -> None:
        """Forget the player's input up to ``tick``, which is final."""
        self.input = PlayerInput(tick)
        self.held = HeldInput()
        self.acked = tick
        self.difference = TimeDifference()
        self.gone = False
        self.paused = False
        self.has_closed = False


class Rollback:
    """A session for a match of two to four players over a network. Each player uses a computer and
    starts the game there:

        fw.run(Duel, session=fw.Rollback(player=1, peers=["10.0.0.2:7000"]))

    Create the game with ``players=2`` and read the input of each player, for example
    ``self.players[1].keys``. Your game needs no other code for the network. All players must run
    the same version of the game. See `identity`.

    If the program of a player ends, the others play on. The player comes back into the match with a
    new program that starts with the same arguments. After almost five hours, a match is too long to
    come back. The player who waits for the others, such as player 0, can come back after an error,
    but not after closing the game.

    Parameters
    ----------
    player
        The index of the player at this computer. The first player has the index 0.
    port
        The UDP port of this computer. The default 0 means any free port. The first player should
        choose a port, because the other players must know it.
    peers
        The addresses of all players with a lower index, such as ``["10.0.0.2:7000"]`` for player 1.
    input_delay
        The number of ticks from a key press to its effect, 0 to 30. With a delay of 2 or 3 ticks,
        the input of other players often arrives in time. So fewer ticks run again because of wrong
        predictions. "auto", the default, chooses a delay from the ping.
    max_prediction
        The maximum number of ticks that run with predicted input, 0 to 30. If the input of a player
        is later than this, the game waits. With 0, nothing is predicted.
    spectators
        The maximum number of spectators who can watch the match through this computer, 0 to 16. If
        ``spectators`` is above 0, the session stores the input of the whole match.
    link
        Another link instead of UDP, such as a link of a `MemoryNetwork`. ``peers`` must then be
        addresses on this link.
    """

    not_state = True

    def __init__(
        self,
        player: int = 0,
        *,
        port: int = 0,
        peers: Iterable[Any] = (),
        input_delay: int | str = "auto",
        max_prediction: int = 8,
        spectators: int = 0,
        link: Link | None = None,
    ) -> None:
        self._player = checks.whole("player", player, 0, MAX_PLAYERS - 1)
        self._port = checks.whole("port", port, 0, (1 << 16) - 1)
        self._peers = checks.items("peers", peers)
        if len(self._peers) < self._player:
            raise ValueError(
                f"peers: expected the addresses of the {self._player} player(s) before player "
                f"{self._player}, got {len(self._peers)}"
            )
        if input_delay != "auto":
            input_delay = checks.whole("input_delay", input_delay, 0, _MAX_INPUT_DELAY)
        self._delay = InputDelay(input_delay)
        self._max_prediction = checks.whole("max_prediction", max_prediction, 0, _MAX_PREDICTION)
        if not self._max_prediction and input_delay in ("auto", 0):
            raise ValueError(
                "max_prediction: expected at least 1, or a whole input_delay of at least 1, because "
                "no tick could run without a prediction or a delay"
            )
        if link is not None:
            checks.methods("link", link, ("send", "receive", "close"), "a link, such as UdpLink()")
        max_watchers = checks.whole("spectators", spectators, 0, _MAX_SPECTATORS)
        self._history = MatchHistory()
        self._watchers = Watchers(max_watchers, self._history)
        self._link = link
        self.stats = SessionStats()
        """Measured values, such as the ping."""
        self.dropped: Counter[str] = Counter()
        """The number of invalid messages that were dropped, for each reason."""
        self.last_tick: int | None = None
        """The last tick of the match. None, the default, means that the match has no end. Ticks
        after ``last_tick`` do not run. This attribute is for tests.
        """
        self.on_confirmed: Callable[[int, TickInput], object] | None = None
        """A function ``on_confirmed(tick, input)``. ``on_confirmed`` is called when the input of
        all players for a tick has arrived. This input is final.
        """
        self.on_desync: Callable[[Desync], object] | None = None
        """A function that is called once with a `Desync`, if the game states of two machines
        differ. With None, the default, a `RuntimeWarning` appears instead.
        """
        self.report_folder: str | os.PathLike[str] | None = None
        """The folder for reports of differences. None, the default: the folder "desyncs" in the
        folder of the game's saves. See `Desync.report`.
        """
        self.reason = ""
        """A sentence that says why the match cannot run. The text is "" while the match runs."""
        self._endpoint: Endpoint | None = None
        self._remotes: list[_Remote] = []
        self._own = PlayerInput()
        self._local = LocalEvents(self._player)
        self._used: dict[int, list[Events]] = {}
        self._saved = SavedTicks(self._max_prediction)
        self._checks: StateChecks | None = None
        self._departures: Departures | None = None
        self._returns: Returns | None = None
        self._catch_up: CatchUp | None = None  # while this player comes back into a match
        self._token = b"".join([_TOKEN, bytes([self._player]), os.urandom(_KEY_SIZE)])
        # The tick and the state to go back to, if the final input of another match was received.
        self._base: tuple[int, Snapshot] | None = None
        self._first_tick = 1  # that this player takes part in
        # By player who comes back: the leader who has decided it, and the tick.
        self._late_returns: dict[int, tuple[int, int]] = {}
        # By sender: messages about players who have left, from before the match began here.
        self._early_reports: dict[int, list[bytes]] = {}
        self._begun = False
        self._tick = 0  # the last tick that ran
        self._noted = 0  # the last tick after which `_note_state` was called
        self._redo: int | None = None  # the first tick that ran with wrong input
        self._confirmed = 0
        self._exit_tick: int | None = None  # the tick that called `Game.exit`
        self._has_warned = False  # about a pause
        self._has_reported = False  # about a difference
        self._exits = False  # whether `Game.exit` was called in a tick with final input
        self._sent_ns = 0
        self._waits_ns: int | None = None  # since when the match waits for input
        self._paused = False  # the last state of the pause that was sent to the others
        self._sent_known = 0  # the last tick of the own input that was sent
        self._has_news = False  # whether own input after that tick has events
        self._packets = 0  # sent so far
        # the last tick of the own input when each of the last packets was sent
        self._sent_ticks: deque[int] = deque([0] * _REPEATS, maxlen=_REPEATS)
        self._rates: list[tuple[int, int, int]] = []  # time, bytes sent, bytes received
        self._identity: Identity | None = None

    # -- for games ---------------------------------------------------------------------------------

    @property
    def player(self) -> int:
        """The index of the player at this computer."""
        return self._player

    @property
    def playing(self) -> bool:
        """True after all players have connected. Ticks run only after all players have
        connected.
        """
        return self._begun

    @property
    def waiting_for(self) -> tuple[int, ...]:
        """The indices of the players who are not connected."""
        return tuple([remote.player for remote in self._remotes if not remote.connected])

    @property
    def status(self) -> str:
        """A sentence to show to the player if the match does not run, such as "Waiting for player
        2". If the match runs, the text is usually "". In the text of `status`, the first player is
        called player 1.

        The game draws this text in a box. Set `Display.session_status` to False to hide the box.
        """
        if self.reason:
            return f"The match cannot go on: {self.reason}"
        if self._catch_up is not None:
            return f"Coming back into the match: {self._catch_up.progress(self._tick)} %"
        if not self._begun:
            missing = sorted(self._missing())
            return f"Waiting for {_players(missing)}" if missing else ""
        now_ns = 0 if self._link is None else self._link.now_ns
        paused = [remote.player for remote in self._remotes if remote.paused and not remote.gone]
        if paused:
            return f"Paused by {_players(paused)}"
        if self._waits_ns is not None and now_ns - self._waits_ns >= _PATIENCE:
            behind = min(remote.input.known for remote in self._remotes)
            silent = [remote.player for remote in self._remotes if remote.input.known == behind]
            return f"Waiting for {_players(silent)}"
        if self._returns is not None and self._returns.connections:
            players = _players(sorted(self._returns.connections))
            verb = "is" if len(self._returns.connections) == 1 else "are"
            return f"{players.capitalize()} {verb} coming back"
        left = [
            remote.player
            for remote in self._remotes
            if remote.gone and now_ns - remote.gone_ns < _FAREWELL
        ]
        return f"{_players(left).capitalize()} left the match" if left else ""

    @property
    def input_delay(self) -> int:
        """The current input delay in ticks."""
        return self._delay.ticks

    @property
    def confirmed_tick(self) -> int:
        """The last tick with known input of all players. The game state after this tick is
        final.
        """
        return self._confirmed

    @property
    def desync(self) -> Desync | None:
        """The first difference between the game states of two machines, or None."""
        return None if self._checks is None else self._checks.desync

    # -- the session -------------------------------------------------------------------------------

    def start(self, game: Game) -> None:
        """Open the UDP port, and start to connect to the players with a lower index."""
        players = len(game.players)
        if self._endpoint is not None:
            raise FrameworkError("Rollback: this session belongs to another game; make a new one")
        if not MIN_PLAYERS <= players <= MAX_PLAYERS or self._player >= players:
            raise FrameworkError(
                f"Rollback: expected a game of {max(MIN_PLAYERS, self._player + 1)} to "
                f"{MAX_PLAYERS} players, got {players}; write Game(players=2)"
            )
        self._game = game
        stage = driven(game).stage
        try:
            snapshot = self._saved.save(game, 0)
        except SnapshotError as error:
            raise FrameworkError(
                f"Rollback: the state of {type(game).__name__} cannot be restored: {error}"
            ) from None
        self._identity = identity(game)
        link = UdpLink(self._port) if self._link is None else self._link
        self._link = link
        # A name server may answer slowly, or not at all, so the ticks never ask it.
        resolve = getattr(link, "resolve", None)
        if resolve is not None:
            self._peers = [
                resolve(peer) if isinstance(peer, str) else peer
                for peer in self._peers[: self._player]
            ]
        self._endpoint = Endpoint(
            link,
            identity=self._packed_identity(self._identity),
            compare=self._compare,
            admit=self._admit,
            max_peers=MAX_PLAYERS + self._watchers.max_watchers,
            max_per_host=MAX_PLAYERS + MAX_PER_HOST,
            max_message=MAX_REPORT,
        )
        self._remotes = [_Remote(index) for index in range(players) if index != self._player]
        self._checks = StateChecks(
            [remote.player for remote in self._remotes], snapshot, self._rerun
        )
        self._base = 0, snapshot
        self._watch_departures()
        stage.freeze_size()
        stage.local_player = self._player
        game.recording.confirm(0)
        game.picture.error_fade = _ERROR_FADE
        for remote in self._remotes[: self._player]:
            remote.connection = self._connect(remote)

    def _watch_departures(self) -> None:
        self._departures = Departures(
            self._player,
            {remote.player: remote.input for remote in self._remotes},
            self._send_reliable,
            lambda player, tick, events: self._add_known(self._remote(player), tick, events),
            self._end_player,
        )
        self._returns = Returns(
            self._player,
            self._history,
            self._departures,
            self._send_reliable,
            self._readmit,
            self._drop,
        )

    def before_tick(self, game: Game, number: int) -> None:
        """Receive packets. If predicted input was wrong, run the ticks since then again."""
        self._receive()
        self._note_first_run(game)
        if self._returns is not None and self._returns.yield_to is not None:
            self._yield(game, self._returns.yield_to)
        if self._catch_up is not None and self._catch_up.is_other_match:
            self._go_back(game)
            self._catch_up = CatchUp(len(self._remotes) + 1, self._tick)
        if self._catch_up is not None:
            self._run_final_ticks(game, self._catch_up)
        if self._catch_up is not None and self._is_abandoned():
            self._resume(game, self._catch_up)
        if not self._begun:
            return
        self._run_late_ticks(game)
        self._correct(game)
        self._confirm(game)
        if self._checks is not None:
            for player, message in self._checks.compare():
                self._send_reliable(player, message)
            self._report(self._checks.desync)

    def _report(self, desync: Desync | None) -> None:
        """Report a difference between two machines. Only the first difference is reported."""
        if desync is None or self._has_reported:
            return
        self._has_reported = True
        desync = self._with_report(desync)
        if self.on_desync is not None:
            self.on_desync(desync)
        else:
            warnings.warn(f"Rollback: {desync}", RuntimeWarning, stacklevel=2)

    def _with_report(self, desync: Desync) -> Desync:
        """Write the recording of the match and the values of both machines into a new folder."""
        checks = self._checks
        if checks is None or checks.values is None:
            return desync
        stage, loop = driven(self._game)[:2]
        name = f"{time.strftime('%Y-%m-%d %H.%M.%S')} player {self._player}"
        parent = os.fspath(self.report_folder or os.path.join(stage.files.folder, "desyncs"))
        folder = os.path.join(parent, name)
        remove_old_reports(parent)
        try:
            os.makedirs(folder, exist_ok=True)
            path = os.path.join(folder, "match.replay")
            write_match(stage, loop, path, self._history.ticks(), self._history.known)
            with open(os.path.join(folder, "values.json"), "w", encoding="utf-8") as file:
                file.write(checks.values.to_json(desync))
        except (OSError, AssetError) as error:
            warnings.warn(
                f"Rollback: the report of a difference cannot be written: {error}",
                RuntimeWarning,
                stacklevel=2,
            )
            return desync
        checks.desync = replace(desync, report=folder)
        return checks.desync

    def tick(self, number: int, local: TickInput) -> TickInput | None:
        """Return the input of all players for a tick. Return None if the tick must wait."""
        if self._catch_up is not None and number > self._tick:
            return self._final_input(self._catch_up, number, local)
        if number <= self._tick:
            return self._input_of(number)
        if self._is_too_early(number):
            return None
        if number - min(remote.input.known for remote in self._remotes) > self._max_prediction:
            self.stats.stalls += 1
            if self._waits_ns is None and self._link is not None:
                self._waits_ns = self._link.now_ns
            return None
        self._waits_ns = None
        if self._loads():
            raise FrameworkError(
                "Rollback: scenes.Loading ends at another tick on each machine; load the files in "
                "setup(), or before the match"
            )
        self._add_own(number, local)
        self._tick = number
        self._saved.note_tick()
        self._delay.note_tick(self._one_way())
        return self._input_of(number)

    def _is_too_early(self, number: int) -> bool:
        """Return whether a tick must wait, whatever input the others have sent."""
        if not self._begun or self.reason:
            return True
        if self.last_tick is not None and number > self.last_tick:
            return True
        held_tick = None if self._returns is None else self._returns.held_tick
        return held_tick is not None and number + self._delay.ticks >= held_tick

    def frame(self, game: Game) -> None:
        """Called in each frame: send the input of this player, and adjust the speed of the game
        clock.
        """
        self._receive()
        self._note_first_run(game)
        if not self._begun:
            self._begin_if_connected()
            self._exit_if_closed(game)
        endpoint = self._endpoint
        link = self._link
        if endpoint is None or link is None:
            return
        now_ns = link.now_ns
        self._knock(now_ns)
        if (self._begun or self._is_entering) and self._is_time_to_send(now_ns):
            self._sent_ns = now_ns
            self._sent_known = self._own.known
            self._packets += 1
            for remote in self._remotes:
                self._send_input(remote)
            self._sent_ticks.append(self._own.known)
            self._tell_of_pause(game)
            self._steer(game)
        self._watchers.send()
        if self._returns is not None:
            self._returns.send()
        if self._catch_up is not None:
            self._ask_for_input(self._catch_up)
        self._measure(now_ns)
        endpoint.flush()

    def _is_time_to_send(self, now_ns: int) -> bool:
        """Return whether to send the input now. New events are sent at once. If there are no new
        events, every second tick is enough, because the others predict no events.

        On a slow network, input is sent in every tick. With fewer packets, the other machines would
        have to wait.
        """
        elapsed = now_ns - self._sent_ns
        ticks = range(self._sent_known + 1, self._own.known + 1)
        self._has_news = any(map(self._own.at, ticks))
        if elapsed >= _SEND_EVERY or self._has_news:
            return True
        return elapsed >= _SEND_OFTEN and self._is_slow()

    def _is_slow(self) -> bool:
        """Return whether packets take almost too long for the prediction and the input delay."""
        return self._max_prediction + self._delay.ticks - self._one_way() < _SPARE_TICKS

    def close(self) -> None:
        """Close all connections. The other players then see that this player has left."""
        if self._endpoint is not None:
            # After an error, the same player probably starts the game again.
            failed = sys.exc_info()[0] is not None
            name = _players([self._player]).capitalize()
            self._endpoint.close(f"{name} has failed" if failed else f"{name} {_HAS_LEFT}")

    def code_reloaded(self) -> str:
        """Called when ``framework run --reload`` has replaced code of the game. Return a sentence
        for the developer.

        The machines reload the code in different ticks, and run ticks again with new code, so their
        states may differ. The session therefore stops comparing the states.
        """
        if self._checks is None or self._checks.stopped:
            return ""
        self._checks.stopped = True
        return (
            "Rollback: the code was reloaded during a match, in other ticks than on the other "
            "machines; the states may differ now, and differences are no longer reported"
        )

    # -- connections -------------------------------------------------------------------------------

    def _packed_identity(self, own: Identity) -> bytes:
        data = own.to_bytes()
        return data if len(data) <= MAX_HELLO_DATA - len(self._token) else own.digest

    def _compare(self, data: bytes) -> str | None:
        own = self._identity
        if own is None or data == own.digest:
            return None
        return own.difference(Identity.from_bytes(data))

    def _admit(self, peer: Peer, token: bytes) -> str | None:
        if token == WATCH:
            return self._watchers.refusal()
        remote = self._remote_of(token)
        if remote is None:
            return "expected a player of this match"
        if self._begun or self._is_entering:
            return self._admit_again(remote, peer, token)
        if remote.connection is not None and remote.connected:
            return self._refusal(remote, remote.connection, token)
        return None

    def _refusal(self, remote: _Remote, existing: Connection, token: bytes) -> str:
        """Refuse another program of a connected player. Return "" if the connection is silent: the
        new program may be the next one of the same player, so it asks again.
        """
        now_ns = 0 if self._link is None else self._link.now_ns
        silence = now_ns - existing.last_received_ns
        if token != remote.asking[0]:
            remote.asking = token, now_ns
        waited = now_ns - remote.asking[1]
        if silence < _PRESENT and waited >= 2 * _PRESENT:
            return f"{_players([remote.player])} is in the match already"
        if silence >= _ABSENT:
            existing.close("the player came back from another address")
        return ""

    def _admit_again(self, remote: _Remote, peer: Peer, token: bytes) -> str | None:
        """Decide about a player who comes back into the match. Only the same program, or a program
        on the same computer, may do so. Over a relay, only the same member of the room may do so.
        """
        # A machine that has come back itself may not know the others. The leader knows them.
        is_other = bool(remote.token) and token != remote.token
        if is_other and _computer_of(peer) != remote.host:
            return f"{_players([remote.player])} can only come back from the same address"
        if self._history.is_closed:
            return TOO_LONG
        returning = None if self._returns is None else self._returns.connections.get(remote.player)
        existing = remote.connection or returning
        if existing is not None and existing.is_open:
            return self._refusal(remote, existing, token)
        # Until the machines agree on the player's last input, the player asks again.
        return None if remote.gone and existing is None else ""

    def _remote_of(self, token: bytes) -> _Remote | None:
        """Return the player with a higher index who has sent ``token``. Return None if the token is
        invalid.
        """
        if len(token) != len(self._token) or not token.startswith(_TOKEN):
            return None
        player = token[len(_TOKEN)]
        if player <= self._player:
            return None
        return next((remote for remote in self._remotes if remote.player == player), None)

    def _remote(self, player: int) -> _Remote:
        return next(remote for remote in self._remotes if remote.player == player)

    def _connect(self, remote: _Remote) -> Connection:
        assert self._endpoint is not None
        return self._endpoint.connect(self._peers[remote.player], self._token)

    def _receive(self) -> None:
        endpoint = self._endpoint
        if endpoint is None:
            return
        endpoint.poll()
        for accepted in endpoint.accepted():
            if accepted.token == WATCH:
                self._watchers.add(accepted)
                continue
            remote = self._remote_of(accepted.token)
            if remote is None or remote.connected:
                accepted.close("another program plays for this player")
                continue
            remote.token = accepted.token
            remote.host = _computer_of(accepted.peer)
            if (self._begun or self._is_entering) and self._returns is not None:
                self._returns.add(remote.player, accepted)
            else:
                remote.connection = accepted
        for remote in self._remotes:
            connection = remote.connection
            if connection is None:
                continue
            if connection.state == "connected" and remote.told_status is None:
                remote.told_status = Status(False, self._player, self._tick)
                connection.send_reliable(remote.told_status.to_bytes())
            elif remote.told_status is not None and self._is_starting(remote):
                connection.send_unreliable(remote.told_status.to_bytes())
            for channel, message in connection.received():
                self._handle(remote, channel, message)
            self._end_if_silent(remote, connection)
            if not connection.is_open and not remote.gone:
                self._end_connection(remote, connection)
        self._settle_departures()
        self._settle_returns()
        if self._returns is not None and self._begun:
            now_ns = 0 if self._link is None else self._link.now_ns
            invalid = self._returns.receive(max(self._own.known, self._tick), now_ns)
            if invalid:
                self.dropped["malformed"] += invalid

    @property
    def _is_entering(self) -> bool:
        """Whether this player knows the tick from which on it takes part again, and runs the final
        ticks before this tick.
        """
        return self._catch_up is not None and self._catch_up.enter_tick is not None

    def _is_starting(self, remote: _Remote) -> bool:
        """Return whether to repeat the status for a player, so that the match begins soon although
        packets are lost.
        """
        return self._catch_up is None and self._first_tick == 1 and not remote.input.known

    def _end_connection(self, remote: _Remote, connection: Connection) -> None:
        remote.connection = None
        remote.told_status = None
        remote.status = None
        self._early_reports.pop(remote.player, None)
        if connection.state == "refused":
            self.reason = connection.reason
            remote.gone = True
        elif not self._begun and not self._is_entering:
            remote.ready = False
            if remote.player < self._player:
                remote.connection = self._connect(remote)  # the other machine is not ready yet
        elif self._departures is not None:
            remote.has_closed = connection.reason.endswith(_HAS_LEFT)
            self._departures.lose(remote.player)
            if self._checks is not None:
                self._checks.forget(remote.player)

    def _end_if_silent(self, remote: _Remote, connection: Connection) -> None:
        """End a silent connection early if all others have lost the player. Reports of the others
        alone are no reason, because they may be false.
        """
        departures = self._departures
        if departures is None or not departures.is_lost_elsewhere(remote.player):
            return
        now_ns = 0 if self._link is None else self._link.now_ns
        if now_ns - connection.last_received_ns >= _SILENCE:
            connection.close("the other players have lost the connection")

    def _settle_departures(self) -> None:
        """Agree with the remaining players on the last input of the players who have left."""
        if self._departures is not None and self._catch_up is None:
            self._departures.settle()

    def _end_player(self, player: int) -> None:
        """Release all keys of a player who has left. The other players continue the match."""
        remote = self._remote(player)
        remote.gone = True
        remote.gone_ns = 0 if self._link is None else self._link.now_ns
        tick = remote.input.known + 1
        self._add_known(remote, tick, _released(remote.held))
        remote.input.known = 1 << 62  # all later ticks are empty

    def _begin_if_connected(self) -> None:
        for remote in self._remotes:
            remote.ready = remote.ready or remote.connected
        states = [remote.status for remote in self._remotes if remote.connected and remote.status]
        is_new = not self._tick and not any(status.runs or status.last_tick for status in states)
        if self._catch_up is None and any(status.runs for status in states):
            self._catch_up = CatchUp(len(self._remotes) + 1, self._tick)
        elif is_new and states and self._missing() <= self._reported_lost():
            for player in sorted(self._missing()):
                self._begin_without(self._remote(player))
            self._catch_up = None
            self._begun = True
            for tick in range(1, self._delay.ticks + 1):
                self._own.add(tick, ())
            self._take_early_reports()

    def _missing(self) -> set[int]:
        """Return the players without a connection or a status."""
        return {each.player for each in self._remotes if not (each.connected and each.status)}

    def _reported_lost(self) -> set[int]:
        """Return the players whom a connected player has lost after the match began there."""
        messages = [message for early in self._early_reports.values() for message in early]
        reports = [lost_player(message) for message in messages]
        return {player for player in reports if player is not None}

    def _begin_without(self, remote: _Remote) -> None:
        """Begin the match although a player is missing. The match has begun on another machine,
        and this machine has lost the player.
        """
        if remote.connection is not None:
            remote.connection.close("the match has begun")
        remote.connection = remote.status = remote.told_status = None
        if self._departures is not None:
            self._departures.lose(remote.player)
        if self._checks is not None:
            self._checks.forget(remote.player)

    def _exit_if_closed(self, game: Game) -> None:
        """End the game if the player closes the window before the match starts."""
        for event in driven(game).stage.inbox.events:
            if event[0] == "on_close":
                game.exit()

    def _loads(self) -> bool:
        top = driven(self._game).stage.stack[-1].scene
        return top._finished_work is not None

    # -- messages ----------------------------------------------------------------------------------

    def _handle(self, remote: _Remote, channel: str, message: bytes) -> None:
        if remote.gone:
            return
        is_reliable = channel == "reliable"
        if message[:1] in rejoining_kinds and (is_reliable or self._is_status(message)):
            if not self._handle_rejoining(remote, message):
                self.dropped["malformed"] += 1
        elif self._catch_up is not None and self._catch_up.enter_tick is None:
            self.dropped["early"] += 1  # this player does not take part yet
        elif not is_reliable:
            self._take_input(remote, message)
        elif message in (_PAUSED, _RESUMED):
            remote.paused = message == _PAUSED
        elif message[:1] in departure_kinds and not self._begun:
            early = self._early_reports.setdefault(remote.player, [])
            if len(early) < _MAX_EARLY_REPORTS:
                early.append(message)
        elif message[:1] in departure_kinds:
            if self._departures is None or not self._departures.receive(remote.player, message):
                self.dropped["malformed"] += 1
        elif self._checks is None or not self._checks.receive(remote.player, message):
            self.dropped["malformed"] += 1

    def _take_early_reports(self) -> None:
        """Handle the messages about players who have left before the match began here."""
        for sender, messages in self._early_reports.items():
            for message in messages:
                if self._departures is None or not self._departures.receive(sender, message):
                    self.dropped["malformed"] += 1
        self._early_reports.clear()

    def _is_status(self, message: bytes) -> bool:
        """Return whether an unreliable message is the repeated status of a player.

        Before the match begins, no input can be mistaken for a status. The first byte of an input
        message is then 0, because the sender has not received input of this player.
        """
        return message[:1] == STATUS and not self._begun and self._catch_up is None

    def _tell_of_pause(self, game: Game) -> None:
        """If this machine pauses or continues, send a message to the other machines."""
        paused = bool(game.timestep.paused)
        if paused is not self._paused:
            self._paused = paused
            for remote in self._remotes:
                self._send_reliable(remote.player, _PAUSED if paused else _RESUMED)

    def _send_input(self, remote: _Remote) -> None:
        """Send the input that the other player has not confirmed. If a packet gets lost, nothing is
        sent again at once, because the next packets contain the same input.

        Most packets contain only the newest ticks. Every sixth packet contains all ticks that the
        other player has not confirmed. While a confirmation is overdue, each packet contains all
        of these ticks.
        """
        connection = remote.connection
        if connection is None or not remote.connected:
            return
        first = remote.acked + 1
        if self._packets % _FULL_EVERY and not self._is_overdue(remote):
            first = max(first, self._sent_ticks[0] + 1)
        packed = self._own.packed(first)
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

    def _is_overdue(self, remote: _Remote) -> bool:
        """Return whether the other player should have confirmed more input by now."""
        return self._own.known - remote.acked > 2 * self._one_way(remote) + _OVERDUE

    def _take_input(self, remote: _Remote, message: bytes) -> None:
        ticks = read_ticks(message[_HEAD.size :]) if len(message) > _HEAD.size else None
        if ticks is None:
            if message[:1] != STATUS:  # a repeated status may arrive after the match has begun
                self.dropped["malformed"] += 1
            return
        acked_byte, first_byte, time_left, ahead_steps = _HEAD.unpack_from(message)
        first = _nearest(first_byte, remote.input.known + MAX_TICKS // 2, 256)
        acked = _nearest(acked_byte, self._own.known, 256)
        if first < 1 or not self._add_ticks(remote, first, ticks):
            return
        if remote.acked < acked <= self._own.known:
            remote.acked = acked
        if time_left != _NO_TIME:
            their_time = first + len(ticks) - time_left / _TIME_STEPS
            remote.difference.note(
                self._now(), their_time, self._one_way(remote), ahead_steps / _TIME_STEPS
            )

    def _add_ticks(self, remote: _Remote, first: int, ticks: list[Events]) -> bool:
        """Add the input that another player has sent. Return False if the input is invalid."""
        if first + len(ticks) - 1 > self._tick + 2 * MAX_TICKS:
            self.dropped["far ahead"] += 1
            return False
        if len(remote.held.keys) + len(remote.held.buttons) > _MAX_HELD and remote.connection:
            remote.connection.close("no player holds so many keys")
            return False
        for events in ticks:
            for event in events:
                if event[0][:7] == "on_pad_" and event[1] != remote.player:
                    self.dropped["another player"] += 1
                    return False
        for tick, events in enumerate(ticks, first):
            if self._is_changed(remote, tick, events):
                self.dropped["changed"] += 1
                return False
        early = remote.early
        early.update(
            (tick, events) for tick, events in enumerate(ticks, first) if tick > remote.input.known
        )
        while remote.input.known + 1 in early:
            tick = remote.input.known + 1
            self._add_known(remote, tick, early.pop(tick))
        return True

    @staticmethod
    def _is_changed(remote: _Remote, tick: int, events: Events) -> bool:
        """Return whether other events of this tick have arrived before."""
        if tick <= remote.input.known:
            return remote.input.differs(tick, events)
        return remote.early.get(tick, events) != events

    def _add_known(self, remote: _Remote, tick: int, events: Events) -> None:
        remote.input.add(tick, events)
        if events:
            remote.held = TickInput(events).held(remote.held)
        used = self._used.get(tick)
        if used is not None and used[remote.player] != events:
            self._redo = tick if self._redo is None else min(self._redo, tick)

    def _send_reliable(self, player: int, message: bytes) -> None:
        for remote in self._remotes:
            if remote.player == player and remote.connection is not None and remote.connected:
                remote.connection.send_reliable(message)

    def _drop(self, player: int) -> None:
        """Close the connection to a player who does not agree with the others."""
        connection = self._remote(player).connection
        if connection is not None:
            connection.close("this machine did not agree with the return of a player")

    # -- players who come back ---------------------------------------------------------------------

    def _knock(self, now_ns: int) -> None:
        """Request connections to earlier players who have left. They may come back. A player who
        has closed the game may already play another match at the same address.
        """
        returns = self._returns
        for remote in self._remotes[: self._player] if self._begun else ():
            knocking = remote.knocking
            is_away = remote.gone and not remote.has_closed and not self._history.is_closed
            if not is_away or returns is None or remote.player in returns.connections:
                remote.knocked_ns = now_ns
            elif knocking is None and remote.connection is None:
                if now_ns - remote.knocked_ns >= _KNOCK_AGAIN:
                    remote.knocking = self._connect(remote)
            elif knocking is None:
                continue
            elif knocking.state == "connected":
                remote.knocking = None
                returns.add(remote.player, knocking)
            elif not knocking.is_open:
                remote.knocking = None
                remote.knocked_ns = now_ns

    def _handle_rejoining(self, remote: _Remote, message: bytes) -> bool:
        """Handle a message about a player who comes back. Return False if it is invalid."""
        kind = message[:1]
        catch_up = self._catch_up
        if kind == STATUS:
            if self._begun:
                return True
            remote.status = Status.from_bytes(message)
            return remote.status is not None
        if kind in (RETURN, AGREED):
            values = unpack_player_tick(message)
            if values is None:
                return False
            if kind == AGREED:
                return self._returns is not None and self._returns.agree(remote.player, *values)
            return self._take_return(remote, *values)
        if catch_up is None:
            return False
        return remote.player != catch_up.source or catch_up.take(message)

    def _take_return(self, sender: _Remote, player: int, tick: int) -> bool:
        """Handle the leader's message that a player takes part again from a tick on. Return False if
        the message is invalid.
        """
        catch_up, departures = self._catch_up, self._departures
        if player == self._player:
            if catch_up is None:
                return False
            if sender.player != catch_up.source or tick <= catch_up.known:
                self._start_over()  # the leader waits for no answer of a closed connection
                return False
            self._enter(catch_up, tick)
            self._send_reliable(sender.player, pack_player_tick(AGREED, player, tick))
            return True
        is_remote = any(remote.player == player for remote in self._remotes)
        is_soon = self._confirmed < tick <= self._tick + 4 * MAX_TICKS
        is_playing = self._begun or self._is_entering
        if departures is None or not (is_remote and is_soon and is_playing):
            return False
        if sender.player != departures.leader or player == sender.player:
            return False
        self._late_returns[player] = sender.player, tick
        return True

    def _settle_returns(self) -> None:
        """Readmit players, as the leader says, once this machine has ended their earlier input. A
        machine that comes back itself does so after its own return.
        """
        departures = self._departures
        if not self._begun:
            return
        for player, (leader, tick) in [*self._late_returns.items()]:
            if departures is None or leader in departures.lost or tick <= self._confirmed:
                del self._late_returns[player]
            elif departures.has_ended(player):
                del self._late_returns[player]
                self._readmit(player, tick)
                self._send_reliable(leader, pack_player_tick(AGREED, player, tick))

    def _readmit(self, player: int, tick: int) -> None:
        """Wait for the input of a player again, from ``tick`` on."""
        remote = self._remote(player)
        returns, departures = self._returns, self._departures
        if returns is None or departures is None or self._checks is None:
            return
        remote.connection = returns.take(player) or remote.connection
        remote.told_status = Status(True, departures.leader, tick - 1)
        remote.gone = remote.paused = False
        remote.input.known = remote.acked = tick - 1
        remote.difference = TimeDifference()
        departures.readmit(player)
        self._checks.join(player, tick)
        returns.end_stream(player, tick - 1)
        if remote.connection is None:
            departures.lose(player)  # the others forward the input of this player
            self._checks.forget(player)

    def _ask_for_input(self, catch_up: CatchUp) -> None:
        connected = {
            remote.player: remote.status
            for remote in self._remotes
            if remote.connected and remote.status is not None
        }
        for player, message in catch_up.messages(self._tick, connected):
            self._send_reliable(player, message)
        source = catch_up.source
        if catch_up.enter_tick is not None and source is not None and source not in connected:
            self._start_over()  # the leader has left before all others knew of this player

    def _enter(self, catch_up: CatchUp, tick: int) -> None:
        """Take part in the match again from ``tick`` on, with empty input at first."""
        catch_up.enter_tick = tick
        self._own = PlayerInput(tick - 1)
        for number in range(tick, tick + EMPTY_TICKS):
            self._own.add(number, ())
        self._sent_known = tick - 1
        for remote in self._remotes:
            remote.start_again(tick - 1)
        self._watch_departures()
        for remote in self._remotes:
            if not (remote.connected and remote.status is not None and remote.status.runs):
                remote.input.known = 1 << 62
                remote.gone = True
                if self._departures is not None:
                    self._departures.end(remote.player)
                self._leave_outside(remote)
        # Hashes of the others may arrive before the ticks until `tick` have run here.
        if self._checks is not None:
            players = [remote.player for remote in self._remotes if not remote.gone]
            snapshot = self._checks.common(self._player)[1]
            self._checks = StateChecks(players, snapshot, self._rerun, tick - 1)

    def _leave_outside(self, remote: _Remote) -> None:
        """Keep the connection to a player who does not take part. This player comes back too, and
        can receive the final input from this machine.
        """
        connection = remote.connection
        remote.connection = remote.status = None
        if connection is None or self._returns is None:
            return
        if connection.state == "connected":
            self._returns.add(remote.player, connection)
        elif connection.is_open:
            remote.knocking = connection

    def _final_input(self, catch_up: CatchUp, number: int, local: TickInput) -> TickInput | None:
        """Return the final input of a tick that runs while this player comes back."""
        final = catch_up.input(number, local)
        if any(event[0] == "on_close" for event in local.events):
            self._game.exit()
        if final is not None:
            self._tick = number
        return final

    def _run_final_ticks(self, game: Game, catch_up: CatchUp) -> None:
        """Run ticks with final input, to catch up with the match."""
        if game.tick == self._tick:
            self._note_final(game, catch_up)
        for _ in range(catch_up.ticks_to_run(self._tick)):
            game.run_ticks(1)
            self._note_final(game, catch_up)
        if catch_up.enter_tick is None or self._tick < catch_up.enter_tick - 1:
            return
        self._take_part(game, catch_up, catch_up.enter_tick)

    def _take_part(self, game: Game, catch_up: CatchUp, tick: int) -> None:
        """Take part in the match from ``tick`` on, which is the next one."""
        was_entering = self._is_entering
        controls = self._held_controls()
        for remote in self._remotes:
            if not remote.gone:
                remote.held = controls[remote.player]
                for number in range(tick, remote.input.known + 1):
                    remote.held = TickInput(remote.input.at(number)).held(remote.held)
        self._catch_up = None
        self._begun = True
        self._first_tick = tick
        self._local = LocalEvents(self._player)
        self._local.add(catch_up.early)
        self._noted = self._tick
        self._saved = SavedTicks(self._max_prediction)
        snapshot = self._saved.save(game, self._tick)
        if self._checks is None or not was_entering:
            players = [remote.player for remote in self._remotes if not remote.gone]
            self._checks = StateChecks(players, snapshot, self._rerun, self._tick)
        self._checks.begin(snapshot)
        for remote in self._remotes:
            if remote.gone and self._base is not None:
                # The final input may have come from a match that does not count.
                self._checks.set_common(remote.player, *self._base)
        self._take_early_reports()

    def _held_controls(self) -> list[HeldInput]:
        """Return what each player holds after the final ticks."""
        controls = [HeldInput()] * (len(self._remotes) + 1)
        for _, events in self._history.ticks():
            for player in range(len(controls)) if events else ():
                own = TickInput(events).of(player)
                controls[player] = own.held(controls[player])
        return controls

    def _is_abandoned(self) -> bool:
        """Return whether the match runs nowhere else any longer, while this player comes back."""
        states = [each.status for each in self._remotes if each.connected and each.status]
        return self._tick > 0 and bool(states) and not any(status.runs for status in states)

    def _resume(self, game: Game, catch_up: CatchUp) -> None:
        """Go on with the match alone from the last final tick on. The others come back later."""
        tick = self._tick
        controls = self._held_controls()
        self._start_over(reconnects=False)
        self._own = PlayerInput(tick)
        self._own.add(tick + 1, _released(controls[self._player]))
        for remote in self._remotes:
            remote.input.add(tick + 1, _released(controls[remote.player]))
            remote.input.known = 1 << 62
            remote.gone = True
            if self._departures is not None:
                self._departures.end(remote.player)
        self._take_part(game, catch_up, tick + 1)

    def _note_final(self, game: Game, catch_up: CatchUp) -> None:
        """Note a tick that has run with final input."""
        tick = self._tick
        if tick <= self._confirmed:
            return
        final = catch_up.input(tick, TickInput())
        if final is None:
            return
        catch_up.forget(tick)
        self._confirmed = tick
        self._history.note(tick, final)
        self._end_pause(game)
        if self.on_confirmed is not None:
            self.on_confirmed(tick, final)
        game.recording.confirm(tick)

    def _run_late_ticks(self, game: Game) -> None:
        """Run several ticks at once if the others are far ahead, after this player has come back."""
        if self._tick >= self._first_tick + EMPTY_TICKS:
            return
        last_ticks = [remote.input.known for remote in self._remotes if not remote.gone]
        missing = min(last_ticks, default=0) - self._tick - self._delay.ticks
        for _ in range(missing if self._first_tick > 1 else 0):
            if self._is_too_early(self._tick + 1):
                return
            game.run_ticks(1)
            self._note_first_run(game)

    def _yield(self, game: Game, player: int) -> None:
        """Go back to the last tick that all players had, because the match went on on the machine
        of ``player``.
        """
        if self._checks is None:
            return
        self._base = self._checks.common(player)
        self._go_back(game)
        self._start_over()

    def _go_back(self, game: Game) -> None:
        """Restore the state of the last tick that all players had."""
        assert self._base is not None
        tick, snapshot = self._base
        if game.recording.active:
            game.recording.stop()
            warnings.warn(
                "Rollback: the match went on without this machine, so its recording ends here",
                RuntimeWarning,
                stacklevel=2,
            )
        game.restore(snapshot)
        driven(game).stage.resimulation.again.clear()
        self._tick = self._noted = self._confirmed = tick
        self._history.forget_after(tick)
        self._watchers.end()
        self._used.clear()
        self._redo = self._exit_tick = self._waits_ns = None

    def _start_over(self, *, reconnects: bool = True) -> None:
        """Close all connections, and come back into the match from the last final tick on."""
        if self._returns is not None:
            self._returns.close()
        self._begun = False
        self._late_returns.clear()
        self._early_reports.clear()
        self._catch_up = CatchUp(len(self._remotes) + 1, self._tick)
        self._saved = SavedTicks(self._max_prediction)
        for remote in self._remotes:
            for connection in (remote.connection, remote.knocking):
                if connection is not None:
                    connection.close("the player comes back")
            remote.connection = remote.knocking = remote.status = None
            remote.told_status = None
            remote.start_again(self._tick)
        self._watch_departures()
        if self._endpoint is not None:
            self._endpoint.flush()
        for remote in self._remotes[: self._player] if reconnects else ():
            remote.connection = self._connect(remote)

    # -- input -------------------------------------------------------------------------------------

    def _add_own(self, number: int, local: TickInput) -> None:
        """Add the new input of this player. The input is used ``input_delay`` ticks after the tick
        ``number``.
        """
        self._local.add(held_at_start(local) if number == self._first_tick else local)
        target = number + self._delay.ticks
        while self._own.known < target - 1:  # the delay has grown
            self._own.add(self._own.known + 1, ())
        if self._own.known < target:  # if the delay has shrunk, the events wait for the next tick
            self._own.add(target, self._local.take())

    def _input_of(self, number: int) -> TickInput:
        """Return the input of all players for a tick, and store which input was used. Unknown input
        is predicted.
        """
        inputs: list[Events] = [()] * (len(self._remotes) + 1)
        inputs[self._player] = self._own.at(number)
        for remote in self._remotes:
            inputs[remote.player] = remote.input.at(number)
        self._used[number] = inputs
        return combined(inputs)

    # -- corrections -------------------------------------------------------------------------------

    def _note_first_run(self, game: Game) -> None:
        """After a tick has run for the first time, save its state and compute its hash."""
        stage = driven(game).stage
        if self._tick != game.tick or self._noted >= self._tick:
            return
        self._note_exit(stage)
        self._end_pause(game)
        self._note_state(game, self._tick)

    def _end_pause(self, game: Game) -> None:
        """End a pause that the game has started in a tick. During a pause, no ticks run. So no key
        press could end the pause in the same tick on all machines.
        """
        if game.timestep.paused:
            game.timestep.paused = False
            if not self._has_warned:
                self._has_warned = True
                warnings.warn(
                    f"Rollback: tick {game.tick} set timestep.paused, which a match ignores; push a "
                    "scene with pauses_below = True",
                    RuntimeWarning,
                    stacklevel=2,
                )

    def _note_exit(self, stage: Any) -> None:
        """If the game called `Game.exit` in a tick with predicted input, wait for the final input
        of this tick.
        """
        if stage.exiting and not self._exits and self._tick > self._known():
            stage.exiting = False
            self._exit_tick = self._exit_tick or self._tick

    def _note_state(self, game: Game, tick: int) -> None:
        self._noted = tick
        if tick % INTERVAL == 0 and self._checks is not None:
            self._checks.note(tick, game.state_hash(), self._saved.save(game, tick))

    def _known(self) -> int:
        """Return the last tick with known input of all players."""
        return min([self._own.known, *[remote.input.known for remote in self._remotes]])

    def _correct(self, game: Game) -> None:
        tick = self._tick
        first = self._redo
        self._redo = None
        if first is None or first > tick:
            self._saved.save_if_due(game, tick, False)
            return
        stage = driven(game).stage
        base, snapshot = self._saved.before(first)
        if self._exit_tick is not None and self._exit_tick > base:
            self._exit_tick = None
        exiting = stage.exiting
        stage.exiting = False
        start = time.perf_counter()
        game.restore(snapshot)
        last_known = self._known()
        for number in range(base + 1, tick + 1):
            game.run_ticks(1)
            if stage.exiting:
                stage.exiting = False
                self._exit_tick = self._exit_tick or number
            self._end_pause(game)
            self._note_state(game, number)
            if number < tick:
                self._saved.save_if_due(game, number, number == last_known)
        stage.exiting = exiting
        stage.resimulation.again.clear()
        self._saved.note_correction(tick - base, time.perf_counter() - start)
        self._saved.save_if_due(game, tick, False)
        self.stats.corrections += 1
        self.stats.resimulated += tick - base

    def _confirm(self, game: Game) -> None:
        confirmed = min(self._known(), self._tick)
        if confirmed <= self._confirmed:
            return
        for tick in range(self._confirmed + 1, confirmed + 1):
            used = self._used.pop(tick)
            self._history.note(tick, combined(used))
            if self.on_confirmed is not None:
                self.on_confirmed(tick, combined(used))
        self._confirmed = confirmed
        self._saved.confirm(confirmed)
        for remote in self._remotes:
            remote.input.forget(confirmed)
        self._own.forget(confirmed)
        game.recording.confirm(confirmed)
        if self._exit_tick is not None and self._exit_tick <= confirmed:
            self._exits = True
            game.exit()
        if self._checks is not None:
            for message in self._checks.confirm(confirmed):
                for remote in self._remotes:
                    self._send_reliable(remote.player, message)

    def _rerun(
        self, snapshot: Snapshot, first: int, last: int, each: Callable[[Any, int], object]
    ) -> None:
        """Run ticks again with final input, to find a difference. After the search, restore the
        present state. Effects such as sounds do not run again.
        """
        game = self._game
        stage = driven(game).stage
        resimulation = stage.resimulation
        present = game.snapshot()
        flags = resimulation.at_earlier_tick, resimulation.resimulating
        notes = stage.notes
        resimulation.at_earlier_tick = resimulation.resimulating = True
        stage.notes = []
        stage.driver = _KnownInput(self._known_input)
        try:
            game.restore(snapshot)
            for tick in range(first, last + 1):
                run_ticks(game, lambda: game.tick < tick)  # noqa: B023
                each(game, tick)
            game.restore(present)
        finally:
            stage.driver = None
            stage.notes = notes
            resimulation.at_earlier_tick, resimulation.resimulating = flags

    def _known_input(self, number: int) -> TickInput:
        inputs: list[Events] = [()] * (len(self._remotes) + 1)
        inputs[self._player] = self._own.at(number)
        for remote in self._remotes:
            inputs[remote.player] = remote.input.at(number)
        return combined(inputs)

    # -- time --------------------------------------------------------------------------------------

    def _now(self) -> float:
        """Return the time of this machine in ticks, as a float."""
        return self._tick + float(self._game.timestep.alpha)

    def _one_way(self, remote: _Remote | None = None) -> float:
        """Return the time in ticks that a packet needs to a player. Without ``remote``, return the
        time to the slowest player.
        """
        timestep: Any = self._game.timestep
        rate = float(timestep.rate) * float(timestep.time_scale)
        pings = [
            player.connection.ping
            for player in (self._remotes if remote is None else [remote])
            if player.connection is not None
        ]
        return max(pings, default=0.0) / 2 * rate

    def _steer(self, game: Game) -> None:
        ahead = [remote.difference.ahead for remote in self._remotes if remote.connected]
        timestep: Any = game.timestep
        self.stats.ahead = max(ahead, default=0.0)
        timestep.pace = pace_for(self.stats.ahead) if ahead else 1.0

    def _measure(self, now_ns: int) -> None:
        link = self._link
        if link is None:
            return
        counts = link.counts
        sent = counts.sent_bytes + HEADERS * counts.sent
        received = counts.received_bytes + HEADERS * counts.received
        rates = self._rates
        if not rates or now_ns - rates[-1][0] >= _NANOSECONDS // 10:
            rates.append((now_ns, sent, received))
            while now_ns - rates[0][0] > _RATE_SECONDS * _NANOSECONDS and len(rates) > 2:
                del rates[0]
            elapsed = (now_ns - rates[0][0]) / _NANOSECONDS
            if elapsed:
                self.stats.sent = (sent - rates[0][1]) * 8 / 1000 / elapsed
                self.stats.received = (received - rates[0][2]) * 8 / 1000 / elapsed
        pings = [remote.connection.ping for remote in self._remotes if remote.connection]
        self.stats.ping = max(pings, default=0.0)


class _KnownInput:
    """A tick driver that runs ticks with their final input."""

    not_state = True
    receive: Callable[[Event], object] | None = None

    def __init__(self, known: Callable[[int], TickInput]) -> None:
        self._known = known

    def tick(self, number: int, local: TickInput) -> TickInput:
        """Return the final input of the tick ``number``."""
        return self._known(number)

    def due(self, now: int) -> tuple[object, ...]:
        """Return (), because no ticks run in frames."""
        return ()


def _released(held: HeldInput) -> Events:
    """Return the events that release all keys and buttons, as far as they fit into one tick."""
    return HeldInput(position=held.position).since(held).events[:_MAX_HELD]


def _players(players: Iterable[int]) -> str:
    """Return the names of players for a sentence, such as "player 2 and player 3"."""
    return " and ".join([f"player {player + 1}" for player in players])


def _computer_of(peer: Peer) -> Hashable:
    """Return the computer of a player. Over a relay, each member of the room counts as one computer,
    because the relay does not tell the address. All links of a `MemoryNetwork` are on one computer.
    """
    return host_of(peer) if isinstance(peer, tuple | str) else peer


def _nearest(remainder: int, highest: int, modulus: int) -> int:
    """Return the largest number up to ``highest`` that equals ``remainder`` modulo ``modulus``."""
    return highest - (highest - remainder) % modulus
