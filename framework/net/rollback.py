"""Rollback netcode for two to four players: every machine runs the whole game.

Each machine sends only its own player's input, and receives the input of the other players with a
delay. Ticks do not wait for this input. While it is missing, the machine predicts that the other
players keep holding the same keys. If the prediction turns out to be wrong, the session restores an
earlier snapshot and runs all later ticks again.

`Rollback` calls its parts in the right order. Each part is in a module of its own:

- `admission`, `match_start`: connect the machines, and start the match.
- `lost_players`: continue the match after the connection to a player was lost. `departures`: agree
  with the remaining machines on this player's last input.
- `silent_players`: continue without a player who is connected, but sends no input.
- `direct_paths`: restore the direct connection to players whose input another machine is
  forwarding.
- `returning_players`: let another player rejoin. `comeback`: let this machine's player rejoin.
- `predicted_ticks`: run ticks with predicted input, correct wrong predictions, and confirm ticks.
- `input_exchange`: send this player's input, and receive the input of the other players.
- `desync`, `desync_reports`: compare the states of the machines, and report differences.
- `match_status`: explain to the player why a match is waiting.

All parts share the data in `match_players` and `match_phase`.
"""

from __future__ import annotations

__all__ = ["Rollback"]

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from .. import checks
from ..errors import FrameworkError
from ..game.driven_game import driven
from ..game.session import SessionStats
from ..input.tick_input import TickInput
from ..record.snapshots import SnapshotError
from .admission import Admission
from .comeback import Comeback
from .connection import Connection
from .departures import KINDS as departure_kinds
from .desync import MAX_REPORT, Desync
from .desync_reports import DesyncReports
from .direct_paths import DirectPaths
from .dropped_message import DroppedMessage
from .endpoint import MAX_PER_HOST, Endpoint
from .input_exchange import PAUSED, RESUMED, InputExchange
from .link import HEADERS, Link
from .lost_players import LostPlayers, farewell
from .match_history import MatchHistory
from .match_phase import MatchPhase
from .match_players import RemotePlayer, Remotes
from .match_start import MatchStart
from .match_status import MatchStatus
from .pacing import InputDelay
from .predicted_ticks import PredictedTicks
from .rejoining import (
    AGREED,
    COMING,
    DIFFERENT,
    ENTER_FOR,
    RELAYED,
    RETURN,
    STATUS,
    unpack_coming,
    unpack_player_tick,
    unpack_relayed,
    unpack_return,
)
from .rejoining import KINDS as rejoining_kinds
from .returning_players import ReturningPlayers
from .silent_players import WAITS, SilentPlayers
from .spectator import Watchers
from .udp_link import UdpLink

if TYPE_CHECKING:
    from ..game.game import Game

MIN_PLAYERS = 2
MAX_PLAYERS = 4
_MAX_PREDICTION = 30
_MAX_INPUT_DELAY = 30
_MAX_SPECTATORS = 16
_MAX_TIMEOUT = 600  # seconds
_NANOSECONDS = 1_000_000_000
_RATE_SECONDS = 2  # seconds; the data rates are averages over this time
_ERROR_FADE = 0.1  # how many seconds drawn objects take to move to their corrected positions


class Rollback:
    """A session for a match between two to four players over a network. Each player starts the game
    on a separate computer:

        fw.run(Duel, session=fw.Rollback(player=1, peers=["10.0.0.2:7000"]))

    Create the game with ``players=2`` and read the input of each player, for example
    ``self.players[1].keys``. Your game does not need any other code for a match over a network. All
    players must start the same version of the game. See `identity`.

    If one player's program ends, the other players continue the match. If a machine in a match
    between three or four players loses most of its connections at the same time, it stops running
    ticks, because the other players may be continuing without it. The property `status` then
    contains a sentence about the lost connection. The player rejoins the match when the connection
    is working again. After a crash, the player starts the game again with the same arguments. After
    almost five hours of play, players can no longer rejoin a match. A player to whom the others
    connect, such as player 0, can rejoin after an error, but not after closing the game.

    Parameters
    ----------
    player
        The index of the player on this computer. The first player has the index 0.
    port
        The UDP port of this computer. If it is 0, the default, the operating system chooses a free
        port. The first player must choose a port, which the other players pass in ``peers``.
    peers
        The addresses of all players with a lower index, such as ``["10.0.0.2:7000"]`` for player 1.
    input_delay
        The number of ticks between a key press and its effect, from 0 to 30. If the delay is 2 or 3
        ticks, the other players' input often arrives in time, so that fewer ticks must run again
        after wrong predictions. If it is "auto", the default, the session chooses a delay that
        depends on the ping.
    max_prediction
        The maximum number of ticks that run with predicted input, from 0 to 30. If a player's input
        is missing for more than ``max_prediction`` ticks, the game waits. If ``max_prediction`` is
        0, the game never predicts input.
    input_timeout
        The time in seconds, from 1 to 600, for which the match waits for a player who is connected,
        but sends no input. After this time, the match continues without this player, who may come
        back later. The time does not run while a player has paused the game. By default, it is 10
        seconds, the time after which a silent connection ends. If it is None, the match waits as
        long as the player is connected.
    spectators
        The maximum number of spectators who can watch the match through this computer, from 0 to
        16. If ``spectators`` is greater than 0, the input of the whole match is stored.
    link
        A link that replaces the UDP link, such as a link of a `MemoryNetwork`. If you pass
        ``link``, ``peers`` must contain addresses on this link.
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
        input_timeout: float | None = 10.0,
        spectators: int = 0,
        link: Link | None = None,
    ) -> None:
        self._player = checks.whole("player", player, 0, MAX_PLAYERS - 1)
        self._port = checks.whole("port", port, 0, (1 << 16) - 1)
        self._peers = _checked_peers(peers, self._player)
        if input_delay != "auto":
            input_delay = checks.whole("input_delay", input_delay, 0, _MAX_INPUT_DELAY)
        delay = InputDelay(input_delay)
        max_prediction = checks.whole("max_prediction", max_prediction, 0, _MAX_PREDICTION)
        if not max_prediction and input_delay in ("auto", 0):
            raise ValueError(
                "max_prediction: expected at least 1, or a whole input_delay of at least 1, because "
                "no tick could run without a prediction or a delay"
            )
        timeout_ns = None
        if input_timeout is not None:
            timeout = checks.number("input_timeout", input_timeout, least=1, most=_MAX_TIMEOUT)
            timeout_ns = round(timeout * _NANOSECONDS)
        if link is not None:
            checks.methods("link", link, ("send", "receive", "close"), "a link, such as UdpLink()")
        max_watchers = checks.whole("spectators", spectators, 0, _MAX_SPECTATORS)
        self.stats = SessionStats()
        """Network statistics, such as the ping."""
        self.dropped: Counter[str] = Counter()
        """The number of messages that were dropped, by reason:

        - "malformed": the message is invalid. Honest players never send such messages.
        - "late": the message is valid, but it has already arrived, or it no longer fits the state
          of the match, for example because a player has finished rejoining.
        - "early": the message is valid, but this machine is not taking part in the match yet.
        - "far ahead": the message is about a tick that is too far in the future.
        - "changed": the message contradicts an earlier message of the same player.
        - "another player": the message contains input of another player.
        """
        self.last_tick: int | None = None
        """The last tick of the match, for tests: later ticks do not run. None, the default, means
        that the match has no end.
        """
        self.on_confirmed: Callable[[int, TickInput], object] | None = None
        """A function ``on_confirmed(tick, input)``, which is called when the input of all players
        for a tick has arrived. The input is then final.
        """
        self.on_desync: Callable[[Desync], object] | None = None
        """A function that is called with a `Desync` if the state of another player differs from the
        state of this machine. It is called once for each such player. If it is None, the default, a
        `RuntimeWarning` is shown instead.
        """
        self.report_folder: str | os.PathLike[str] | None = None
        """The folder for reports about differences, or None, the default, for the folder "desyncs"
        in the game's folder for saves. See `Desync.report`.
        """
        self._link = link
        self._endpoint: Endpoint | None = None
        # Times, with the number of bytes that had been sent and received by then.
        self._rates: list[tuple[int, int, int]] = []
        # -- data that the parts share
        self._remotes: Remotes = {}
        self._phase = phase = MatchPhase()
        self._history = MatchHistory()
        self._watchers = Watchers(max_watchers, self._history)
        # -- the parts
        self._ticks = PredictedTicks(
            self._player, self._remotes, delay, max_prediction, self._note_final, self.stats
        )
        self._exchange = InputExchange(self._remotes, self._ticks)
        self._lost = LostPlayers(
            self._player,
            self._remotes,
            phase,
            self._ticks,
            self._connect,
            self._now_ns,
            self.dropped,
        )
        self._returning = ReturningPlayers(
            self._player,
            self._remotes,
            phase,
            self._ticks,
            self._lost,
            self._history,
            self._connect,
            self.dropped,
            timeout_ns,
        )
        self._silent = SilentPlayers(
            self._player,
            self._remotes,
            phase,
            self._ticks,
            self._lost,
            self._returning,
            timeout_ns,
        )
        self._direct = DirectPaths(
            self._player,
            self._remotes,
            phase,
            self._ticks,
            self._lost,
            self._history,
            self._connect,
            self._now_ns,
            self.dropped,
        )
        self._comeback = Comeback(
            self._player,
            self._remotes,
            phase,
            self._ticks,
            self._exchange,
            self._lost,
            self._returning,
            self._direct,
            self._history,
            self._watchers,
            self._connect,
            self._flush,
        )
        self._start = MatchStart(self._player, self._remotes, phase, self._ticks, self._lost)
        self._admission = Admission(
            self._player,
            self._remotes,
            phase,
            self._returning,
            self._direct,
            self._history,
            self._watchers,
            self._now_ns,
        )
        self._reports = DesyncReports(self._player, self._history)
        self._status = MatchStatus(
            self._remotes,
            phase,
            self._ticks,
            self._start,
            self._returning,
            self._lost,
            self._silent,
        )

    # -- for games ---------------------------------------------------------------------------------

    @property
    def player(self) -> int:
        """The index of the player on this computer."""
        return self._player

    @property
    def playing(self) -> bool:
        """True while this player is taking part in the match. The value is False until all players
        are connected, and while this player is rejoining a match.
        """
        return self._phase.begun

    @property
    def waiting_for(self) -> tuple[int, ...]:
        """The indices of the players who are not connected."""
        return tuple([player for player, each in self._remotes.items() if not each.connected])

    @property
    def reason(self) -> str:
        """A sentence that explains why the match cannot run, or "" while the match is running."""
        return self._phase.reason

    @property
    def status(self) -> str:
        """A sentence for the player if the match is not running, such as "Waiting for player 2".
        While the match is running, the value is usually "". This sentence calls the player with the
        index 0 "player 1".

        The game shows this sentence in a box. Set `Display.session_status` to False to hide the
        box.
        """
        return self._status.sentence(self._now_ns())

    @property
    def input_delay(self) -> int:
        """The current input delay in ticks."""
        return self._ticks.delay.ticks

    @property
    def confirmed_tick(self) -> int:
        """The last tick for which the input of all players has arrived. The game state after this
        tick never changes again.
        """
        return self._ticks.confirmed

    @property
    def desync(self) -> Desync | None:
        """The first difference between the game states of two machines, or None."""
        return None if self._endpoint is None else self._ticks.states.desync

    # -- the session -------------------------------------------------------------------------------

    def start(self, game: Game) -> None:
        """Open the UDP port, and request connections to the players with a lower index."""
        self._check_game(game)
        self._game = game
        for index in range(len(game.players)):
            if index != self._player:
                self._remotes[index] = RemotePlayer(index)
        try:
            snapshot = self._ticks.start(game)
        except SnapshotError as error:
            raise FrameworkError(
                f"Rollback: the state of {type(game).__name__} cannot be restored: {error}"
            ) from None
        identity = self._admission.start(game)
        link = UdpLink(self._port) if self._link is None else self._link
        self._link = link
        self._resolve_peers(link)
        self._endpoint = Endpoint(
            link,
            identity=identity,
            compare=self._admission.compare,
            admit=self._admission.admit,
            max_peers=MAX_PLAYERS + self._watchers.max_watchers,
            max_per_host=MAX_PLAYERS + MAX_PER_HOST,
            max_message=MAX_REPORT,
        )
        self._exchange.start(game)
        self._silent.start(game.timestep)
        self._lost.restart()
        self._returning.restart()
        self._comeback.start(game, snapshot)
        stage = driven(game).stage
        stage.freeze_size()
        stage.local_player = self._player
        game.recording.confirm(0)
        game.picture.error_fade = _ERROR_FADE
        for remote in self._remotes.values():
            if remote.player < self._player:
                remote.connection = self._connect(remote)

    def _check_game(self, game: Game) -> None:
        """Raise `FrameworkError` if this session cannot run the game."""
        players = len(game.players)
        if self._endpoint is not None:
            raise FrameworkError("Rollback: this session belongs to another game; make a new one")
        if not MIN_PLAYERS <= players <= MAX_PLAYERS or self._player >= players:
            raise FrameworkError(
                f"Rollback: expected a game of {max(MIN_PLAYERS, self._player + 1)} to "
                f"{MAX_PLAYERS} players, got {players}; write Game(players=2)"
            )

    def _resolve_peers(self, link: Link) -> None:
        """Resolve the names of the peers. Ticks do not do this, because a name server may answer
        slowly or never.
        """
        resolve = getattr(link, "resolve", None)
        if resolve is not None:
            self._peers = [
                resolve(peer) if isinstance(peer, str) else peer
                for peer in self._peers[: self._player]
            ]

    def before_tick(self, game: Game, number: int) -> None:
        """Receive packets. If the predicted input of a tick was wrong, run the tick and all later
        ticks again.
        """
        ticks = self._ticks
        self._receive()
        ticks.note_first_run(game)
        self._comeback.before_tick(game)
        if not self._phase.begun:
            return
        self._run_late_ticks(game)
        ticks.correct(game)
        for message in ticks.confirm(game):
            for remote in self._remotes.values():
                remote.send_reliable(message)
        for player, message in ticks.states.compare(self._now_ns()):
            self._remotes[player].send_reliable(message)
        self._reports.report(game, ticks.states, self.on_desync, self.report_folder)

    def _run_late_ticks(self, game: Game) -> None:
        """Run the ticks with which a player who has just rejoined the match catches up."""
        for _ in range(self._comeback.late_ticks()):
            if self._is_too_early(self._ticks.tick + 1):
                break
            game.run_ticks(1)
            self._ticks.note_first_run(game)

    def tick(self, number: int, local: TickInput) -> TickInput | None:
        """Return the input of all players for a tick, or None if the tick must wait."""
        ticks = self._ticks
        if self._phase.catch_up is not None and number > ticks.tick:
            return self._comeback.final_input(self._game, number, local)
        if number <= ticks.tick:
            return ticks.input_of(number)
        if self._is_too_early(number) or ticks.must_wait(number, self._now_ns()):
            return None
        if self._loads():
            raise FrameworkError(
                "Rollback: scenes.Loading ends at another tick on each machine; load the files in "
                "setup(), or before the match"
            )
        return ticks.begin_tick(number, local, self._exchange.one_way())

    def _is_too_early(self, number: int) -> bool:
        """Return whether a tick must wait for a reason other than missing input."""
        if not self._phase.begun or self.reason or self._lost.departures.is_cut_off:
            return True
        if self.last_tick is not None and number > self.last_tick:
            return True
        held_tick = self._returning.held_tick
        return held_tick is not None and number + self.input_delay >= held_tick

    def frame(self, game: Game) -> None:
        """Send the input of this player, and adjust the speed of the game clock. Called in each
        frame.
        """
        phase = self._phase
        self._receive()
        self._ticks.note_first_run(game)
        if not phase.begun:
            if phase.catch_up is None and self._start.runs_elsewhere():
                self._comeback.begin()
            else:
                self._start.begin_if_complete()
            self._exit_if_closed(game)
        if self._endpoint is None:
            return
        now_ns = self._now_ns()
        self._returning.knock(now_ns)
        if phase.takes_part and self._exchange.send_if_due(now_ns):
            self.stats.ahead = self._exchange.steer()
        self._silent.update(now_ns)
        self._watchers.send()
        self._returning.send()
        self._comeback.ask_for_input()
        self._measure(now_ns)
        self._endpoint.flush()

    def close(self) -> None:
        """Close all connections. The other players then read that this player has left."""
        if self._endpoint is not None:
            failed = sys.exc_info()[0] is not None
            self._endpoint.close(farewell(self._player, failed))

    def code_reloaded(self) -> str:
        """Called when ``framework run --reload`` has replaced code of the game. Return a message
        for the developer.

        Each machine reloads the code in a different tick, and may run old ticks again with new
        code. The states of the machines may then differ, so the session stops comparing them.
        """
        if self._endpoint is None or self._ticks.states.stopped:
            return ""
        self._ticks.states.stopped = True
        return (
            "Rollback: the code was reloaded during a match, in other ticks than on the other "
            "machines; the states may differ now, and differences are no longer reported"
        )

    # -- messages ----------------------------------------------------------------------------------

    def _receive(self) -> None:
        """Receive all messages, and handle new connections and connections that have ended."""
        endpoint = self._endpoint
        if endpoint is None:
            return
        endpoint.poll()
        for accepted in endpoint.accepted():
            self._admission.place(accepted)
        for remote in self._remotes.values():
            connection = remote.connection
            if connection is None:
                continue
            self._start.greet(remote)
            for channel, message in connection.received():
                self._handle(remote, channel, message)
            if remote.connection is not connection:
                # The connection has been replaced, because a message has made this machine start
                # over.
                continue
            self._lost.end_if_silent(remote, connection)
            if not connection.is_open and not remote.gone:
                self._lost.lose(remote, connection)
        self._direct.update()
        self._lost.settle()
        self._returning.settle()
        if self._phase.begun:
            last_tick = max(self._ticks.own.known, self._ticks.tick)
            self._returning.receive(last_tick, self._now_ns())

    def _handle(self, remote: RemotePlayer, channel: str, message: bytes) -> None:
        """Handle another player's message. If the message must be dropped, count it."""
        try:
            self._route(remote, channel, message)
        except DroppedMessage as dropped:
            self.dropped[dropped.reason] += 1

    def _route(self, remote: RemotePlayer, channel: str, message: bytes) -> None:
        """Pass another player's message to the part of the session that handles this kind of
        message. Raise `DroppedMessage` if the message must be dropped.
        """
        if remote.gone:
            return
        kind = message[:1]
        is_reliable = channel == "reliable"
        if kind in rejoining_kinds and (is_reliable or self._start.is_status(message)):
            self._handle_rejoining(remote, message)
        elif is_reliable and kind in departure_kinds:
            self._lost.take(remote, message)
        elif is_reliable and kind == WAITS:
            self._silent.receive(remote, message)
        elif self._phase.is_catching_up:
            raise DroppedMessage("early")  # this player is not taking part in the match yet
        elif not is_reliable:
            if self._exchange.take(remote, message):
                self._direct.note_input(remote)
        elif message in (PAUSED, RESUMED):
            remote.paused = message == PAUSED
        else:
            self._ticks.states.receive(remote.player, message)

    def _handle_rejoining(self, remote: RemotePlayer, message: bytes) -> None:
        """Handle a message about the return of a player. A valid message that does not fit the
        current state of the match is late.
        """
        kind = message[:1]
        if kind == STATUS:
            self._start.take_status(remote, message)
        elif kind == RELAYED:
            self._handle_relayed(remote, message)
        elif kind == COMING:
            self._returning.take_coming(unpack_coming(message))
        elif kind == DIFFERENT:
            self._comeback.take_different(remote, message)
        elif kind == RETURN:
            player, tick, participants = unpack_return(message)
            self._check_players(player)
            if player == self._player:
                self._comeback.take_return(remote, tick, participants)
            else:
                self._returning.take_return(remote, player, tick, participants)
        elif kind in (ENTER_FOR, AGREED):
            player, tick = unpack_player_tick(message)
            self._check_players(player)
            if kind == AGREED:
                self._returning.agree(remote, player, tick)
            else:
                self._returning.request(player, self._now_ns())
        else:
            self._comeback.take_final(remote, message)

    def _handle_relayed(self, carrier: RemotePlayer, message: bytes) -> None:
        """Handle a message between two players who are not connected to each other."""
        sender, receiver, content = unpack_relayed(message)
        self._check_players(sender, receiver)
        if sender == receiver:
            raise DroppedMessage("malformed")
        if receiver == self._player:
            self._handle_rejoining(self._returning.sender_of(carrier, sender), content)
        else:
            self._returning.pass_on(carrier, sender, receiver, content)

    def _check_players(self, *players: int) -> None:
        """Raise `DroppedMessage` if one of the players is not a player of this match."""
        if not {*players} <= {self._player, *self._remotes}:
            raise DroppedMessage("malformed")

    def _note_final(self, tick: int, tick_input: TickInput) -> None:
        self._history.note(tick, tick_input)
        if self.on_confirmed is not None:
            self.on_confirmed(tick, tick_input)

    # -- the link, and the game --------------------------------------------------------------------

    def _connect(self, remote: RemotePlayer) -> Connection:
        assert self._endpoint is not None
        return self._endpoint.connect(self._peers[remote.player], self._admission.token)

    def _flush(self) -> None:
        if self._endpoint is not None:
            self._endpoint.flush()

    def _now_ns(self) -> int:
        return 0 if self._link is None else self._link.now_ns

    def _measure(self, now_ns: int) -> None:
        """Measure the ping and the data rates."""
        assert self._link is not None
        counts = self._link.counts
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
        self.stats.ping = 2 * max([each.delay for each in self._remotes.values()], default=0.0)

    def _exit_if_closed(self, game: Game) -> None:
        """End the game if the player closes the window before the match starts."""
        for event in driven(game).stage.inbox.events:
            if event[0] == "on_close":
                game.exit()

    def _loads(self) -> bool:
        top = driven(self._game).stage.stack[-1].scene
        return top._finished_work is not None


def _checked_peers(peers: Iterable[Any], player: int) -> list[Any]:
    """Return the addresses of the peers. Raise `ValueError` if there are fewer than ``player``."""
    addresses = checks.items("peers", peers)
    if len(addresses) < player:
        raise ValueError(
            f"peers: expected the addresses of the {player} player(s) before player {player}, got "
            f"{len(addresses)}"
        )
    return addresses
