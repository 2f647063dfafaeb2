"""Show a game that runs on a server, and predict the rows (such as sprites) of this player."""

from __future__ import annotations

__all__ = ["Client"]

import math
from collections import Counter, deque
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import checks
from ..game.driven_game import driven, replication_of, subscribers_of
from ..game.session import SessionStats
from ..input.gamepad_layout import MAX_PADS
from ..input.tick_input import Event, HeldInput, TickInput
from ..timing.timestep import Tick
from . import server_messages as messages
from .connection import MAX_MESSAGE, Connection, described
from .endpoint import Endpoint
from .event_arguments import wrong_arguments
from .game_server import ProgramIdentity
from .link import Link, Peer
from .match_input import held_at_start
from .pacing import ServerSpeed
from .replicas import ReplicaForm, ShownRows, ShownState
from .row_lookup import indices_of
from .row_receiver import RowReceiver, TooManyWaitingError
from .snapshot_plan import SnapshotPlan
from .traffic import Traffic
from .udp_link import UdpLink

# Input and predictions are stored for this number of ticks.
_KEPT_TICKS = 240
# The maximum number of ticks that run again in a correction.
_MAX_CORRECTED = 60
# The minimum delay of the shown state, in ticks.
_MIN_DELAY = 3.0
# By how many state intervals the shown state is older than the newest state.
_DELAY = 3.0
# How many ticks early input should arrive at the server, in addition to the variation of the ping.
_MARGIN = 3.0
_STEER = 0.02  # the change of the clock's speed for each tick of difference
_MAX_STEER = 0.1
_SLOW = 0.6  # the speed of the clock if the input arrives far too early
_MANY_WAITING = 2048  # the maximum number of messages about rows that wait for their tick
_JUMP = 40  # if the clock is wrong by more than this number of ticks, it is set immediately
_FADE = 0.1  # how many seconds drawn objects take to move to their corrected positions
_MAX_EVENTS = 1000  # the maximum number of events that wait for their tick
# An event may be this number of seconds ahead of the newest tick of the server that is known. A
# connection without packets ends earlier.
_MAX_AHEAD = 20.0


class _OwnState(NamedTuple):
    """The server's exact values of the rows that this client predicts, after a tick."""

    tick: int
    rows: list[tuple[int, NDArray[np.uint32], list[NDArray[np.float32]]]]
    """For each batch: the index of the batch, the IDs of the rows, and their columns."""


@dataclass
class _Prediction:
    """The client's prediction of one tick: the rows that the client predicts, and the shown state
    of all other rows.
    """

    time: float
    shown: list[ShownState]
    own: dict[int, tuple[NDArray[np.uint32], list[NDArray[np.float32]]]]
    snapshot: Any = None


class Client:
    """A session that shows the game of a `Server`: ``fw.run(Arena,
    session=fw.Client("host:7000"))``.

    Run the same game class on the client and on the server. The batches that you pass to
    `Network.replicate` show the server's rows on the client, a few ticks late, because the client
    interpolates between received states. The argument ``predict`` of `Network.replicate` selects
    rows that the client predicts, so that they react immediately to the player's input. If a
    prediction turns out to be wrong, the client copies the server's values. If the server does not
    respond, the game continues, and `state` and `reason` describe the problem.

    Parameters
    ----------
    address
        The host and the port of the server, such as ``"example.org:7000"``. If you pass ``link``,
        ``address`` is the server's address on this link.
    name
        The name of the player, at most 32 characters.
    link
        A link that replaces the UDP link, such as a `MemoryLink`.
    check_sources
        Whether the server compares the Python files of both games, and refuses this client if a
        file differs. If False, the client and the server can run different versions of the files.
        Use False only for development.

    Raises
    ------
    NetworkError
        If the host does not exist.
    """

    not_state = True
    decides = False
    """`Network.is_server` is False on a client, even in ``setup``."""

    def __init__(
        self,
        address: Any,
        *,
        name: str = "",
        link: Link | None = None,
        check_sources: bool = True,
    ) -> None:
        self.stats = SessionStats()
        """Network statistics, such as the ping."""
        self.dropped: Counter[str] = Counter()
        """The number of dropped messages for each reason."""
        text = checks.text("name", name)
        if len(text) > messages.MAX_NAME or text != messages.checked_name(text):
            raise checks.wrong_value(
                "name", f"at most {messages.MAX_NAME} printable characters", name
            )
        self._name = text
        self._check_sources = checks.flag("check_sources", check_sources)
        self._peer: Peer
        if link is None:
            own_link = UdpLink(0)
            try:
                self._peer = own_link.resolve(address)
            except BaseException:
                own_link.close()
                raise
            self._link: Link = own_link
        else:
            checks.methods("link", link, ("send", "receive", "close"), "a link, such as UdpLink()")
            self._peer = address
            self._link = link
        self._connection: Connection | None = None
        self._game: Any = None
        self._reset()

    def _reset(self) -> None:
        self._player: int | None = None  # None until the server's first message
        self._offset = 0  # for input: the server's tick minus this game's tick
        self._interval = 3
        self._rate = 60.0
        self._events: list[str] = []
        self._waiting_events: deque[tuple[int, str, list[Any]]] = deque()
        self._confirmed_label = 0
        self._pending: dict[int, TickInput] = {}
        self._inputs: dict[int, TickInput] = {}
        self._predictions: dict[int, _Prediction] = {}
        self._plan = SnapshotPlan()
        self._server_tick = 0
        self._time: float | None = None  # the server's tick that this client is showing
        self._min_ping = math.inf
        self._margin = _MARGIN
        self._server_speed = ServerSpeed()
        self._clock_label = 0  # the first tick with input since the clock was last set
        self._own_state: _OwnState | None = None  # the newest rows that were not compared yet
        self._received_number: int | None = None
        self._received_mask = 0
        self._sent_tick = -1
        self._error = ""
        # The gamepads, and the keys and buttons that are held, before the server's first answer.
        self._early = TickInput()
        self._traffic = Traffic()

    # -- state -------------------------------------------------------------------------------------

    @property
    def state(self) -> str:
        """The state of the connection: "connecting", "connected", "refused", "lost" or "closed"."""
        if self._error:
            return "refused"
        return "connecting" if self._connection is None else self._connection.state

    @property
    def reason(self) -> str:
        """A sentence that explains why the connection has ended, or "" while the connection is
        open.
        """
        if self._error:
            return self._error
        return "" if self._connection is None else self._connection.reason

    @property
    def status(self) -> str:
        """A sentence that the player sees while the server is not responding, otherwise ""."""
        if self.state == "connected":
            return "" if self._player is not None else "Waiting for the server"
        if self.state == "connecting":
            return f"Connecting to {described(self._peer)}"
        if self.state == "refused":
            return f"The server refused the connection: {self.reason}"
        return f"No server: {self.reason}"

    @property
    def player(self) -> int | None:
        """The index of the player who uses this computer. The value is None until the server has
        replied.
        """
        return self._player

    @property
    def shown_tick(self) -> float:
        """The server tick that this client is showing, as a float. The value is 0 until the first
        state has arrived.
        """
        return self._time or 0.0

    # -- the session of a game ---------------------------------------------------------------------

    def start(self, game: Any) -> None:
        """Called once, after the game's ``setup`` and before the first tick."""
        if self._game is not None:
            raise ValueError("session: a Client belongs to one game; make another Client")
        self._game = game
        replication = replication_of(game)
        replication.started = True
        self._forms = [ReplicaForm(replica) for replica in replication.replicas]
        self._own_events = list(replication.events)
        self._rows: list[ShownRows] = []
        program = ProgramIdentity(game, self._check_sources)
        self._endpoint = Endpoint(
            self._link,
            identity=program.packed,
            compare=partial(program.difference, on_server=False),
            max_peers=0,
            max_message=MAX_MESSAGE,
        )
        self._connection = self._endpoint.connect(self._peer, self._name.encode())
        driven(game).subsystems.add_permanent(_EndOfTick(self))
        game.picture.error_fade = _FADE

    def before_tick(self, game: Any, number: int) -> None:
        """Receive packets from the server, and correct the rows of this player if the prediction
        was wrong. Called before each tick.
        """
        self._receive()
        if self._player is None:
            return
        self._keep_snapshot(game, number - 1)
        state = self._own_state
        self._own_state = None
        if state is not None:
            self._compare(game, number - 1, state)
        for old in [old for old in self._predictions if old < number - _KEPT_TICKS]:
            del self._predictions[old]
        for old in [old for old in self._inputs if old < number - _KEPT_TICKS]:
            del self._inputs[old]

    def tick(self, number: int, local: TickInput) -> TickInput:
        """Return the input of the tick, and store it for the server."""
        if self._player is None:
            if local.events:
                self._early = held_at_start(_of_this_player(self._early.events + local.events))
            return local
        predicted = self._inputs.get(number)
        if predicted is not None:
            return predicted
        early = self._early
        self._early = TickInput()
        player_events = _of_gamepad(early.events + local.events, self._player)
        own = TickInput(messages.allowed(player_events)[: messages.MAX_EVENTS])
        self._add_pending(number + self._offset, own)
        merged = _of_player(self._player, own, local)
        if self._player and early.events:
            # Before the server answered, these keys and gamepads belonged to player 0.
            merged = TickInput((*_released(early), *merged.events))
        self._inputs[number] = merged
        return merged

    def _add_pending(self, label: int, own: TickInput) -> None:
        """Store new input of this player, until the server has received it."""
        if own.events:
            waiting = self._pending.get(label, TickInput()).events
            self._pending[label] = TickInput((waiting + own.events)[: messages.MAX_EVENTS])

    def frame(self, game: Any) -> None:
        """Send the input of this player, and emit each event from the server when the client
        reaches the event's tick. Called in each frame.
        """
        self._receive()
        if any(len(rows.receiver.pending) > _MANY_WAITING for rows in self._rows):
            self._show_waiting(game)
        self._send(game.tick)
        self._steer(game)
        self._measure()
        self._emit_due_events(game)

    def _emit_due_events(self, game: Any) -> None:
        """Emit the events of all ticks up to the tick that this client is showing."""
        while self._waiting_events and self._waiting_events[0][0] <= self.shown_tick:
            _, name, arguments = self._waiting_events.popleft()
            if any(wrong_arguments(each, arguments) for each in subscribers_of(game, name)):
                self.dropped["malformed"] += 1
            else:
                game.emit(name, *arguments)

    def close(self) -> None:
        """Disconnect from the server. Called when the game ends."""
        if self._connection is not None:
            self._endpoint.close("the player has left")
            self._game.picture.error_fade = 0.0
        else:
            self._link.close()

    # -- receiving ---------------------------------------------------------------------------------

    def _receive(self) -> None:
        connection = self._connection
        if connection is None:
            return
        self._endpoint.poll()
        for channel, data in connection.received():
            if self._error:
                return
            try:
                if channel == "reliable":
                    self._receive_reliable(data)
                elif self._player is not None:
                    self._receive_unreliable(data)
            except (ValueError, TypeError, KeyError, IndexError, OverflowError):
                self.dropped["malformed"] += 1
            except TooManyWaitingError:
                connection.close("too many messages of the server wait for their tick")
                return

    def _receive_reliable(self, data: bytes) -> None:
        kind = data[0] if data else 0
        if kind == messages.WELCOME and self._player is None:
            self._begin(messages.unpack_json(data))
        elif self._player is None:
            raise ValueError("no welcome")
        elif kind in (messages.MEMBERS, messages.CHANGES):
            index, body = messages.unpack_stream(data)
            receiver = self._rows[index].receiver
            if kind == messages.MEMBERS:
                receiver.receive_members(body)
            else:
                receiver.receive_changes(body)
        elif kind == messages.EVENT:
            tick, name, arguments = messages.unpack_event(data)
            if name in self._own_events:
                self._add_event(tick, name, arguments)
        else:
            raise ValueError("kind")

    def _add_event(self, tick: int, name: str, arguments: list[Any]) -> None:
        if tick > self._server_tick + _MAX_AHEAD * self._rate:
            self.dropped["early or late"] += 1
        elif len(self._waiting_events) >= _MAX_EVENTS:
            self.dropped["too many events"] += 1
        else:
            self._waiting_events.append((tick, name, arguments))

    def _receive_unreliable(self, data: bytes) -> None:
        kind = data[0] if data else 0
        if kind == messages.STATE:
            self._receive_part(data)
        elif kind == messages.TICK:
            self._receive_tick(messages.unpack_tick(data, [form.row_bytes for form in self._forms]))
        else:
            raise ValueError("kind")

    def _receive_part(self, data: bytes) -> None:
        """Receive a part of a batch's state."""
        if len(data) < messages.STATE_HEAD.size:
            raise ValueError("too short")
        _, number, index = messages.STATE_HEAD.unpack_from(data)
        if self._rows[index].receiver.receive_part(data[messages.STATE_HEAD.size :]):
            self._note_received(number)
        else:
            self.dropped["early or late"] += 1

    def _receive_tick(self, message: messages.TickMessage) -> None:
        """Receive the number of the server's newest tick, with the rows that this client
        predicts.
        """
        self._confirmed_label = max(self._confirmed_label, message.label)
        for label in [label for label in self._pending if label <= self._confirmed_label]:
            del self._pending[label]
        if message.tick <= self._server_tick:
            return
        self._server_tick = message.tick
        if message.label >= self._clock_label:  # the margin was measured after the clock was set
            self._margin += (message.margin - self._margin) * 0.2
            if abs(message.margin - self._margin) > _JUMP:
                self._margin = float(message.margin)
        rows = [
            (index, *self._forms[index].read_exact_rows(content, count))
            for index, count, content in message.own
        ]
        self._own_state = _OwnState(message.tick, rows)

    def _note_received(self, number: int) -> None:
        newest = self._received_number
        if newest is None:
            self._received_number = number
            self._received_mask = 1
            return
        ahead = (number - newest) & 0xFFFF
        if ahead < 0x8000:
            self._received_mask = ((self._received_mask << ahead) | 1) & ((1 << 64) - 1)
            self._received_number = number
        elif 0x10000 - ahead < 64:
            self._received_mask |= 1 << (0x10000 - ahead)

    def _begin(self, welcome: dict[str, Any]) -> None:
        """Handle the first message from the server: show the server's game, or disconnect if the
        games differ.
        """
        game = self._game
        described = [form.described() for form in self._forms]
        player = int(welcome["player"])
        tick = int(welcome["tick"])
        interval = max(1, min(int(welcome["interval"]), 1000))
        rate = float(welcome["rate"])
        difference = _difference(welcome, described, self._own_events, game)
        if difference:
            self._error = difference
            assert self._connection is not None
            self._connection.close(difference)
            return
        self._player = player
        self._interval = interval
        self._rate = rate
        self._server_tick = tick
        for form in self._forms:
            receiver = RowReceiver(form.shifts, form.columns, self._interval, form.jump)
            rows = ShownRows(form, receiver)
            rows.begin()
            self._rows.append(rows)
        driven(game).stage.local_player = player
        self._set_clock(game)

    def _set_clock(self, game: Any) -> None:
        """Predict which tick the server will be running when this client's next input arrives. The
        client will send the input for this tick.
        """
        assert self._connection is not None
        # Use the minimum ping, because the mean ping is much too long after this machine has
        # paused.
        trip = min(self._min_ping, self._connection.ping) * self._rate
        label = self._server_tick + round(trip + _MARGIN) + 2
        self._offset = label - game.tick - 1
        self._predictions.clear()
        self._plan.start(self._interval)
        self._inputs.clear()
        self._margin = _MARGIN
        self._clock_label = label
        self._confirmed_label = max(self._confirmed_label, label - 1)
        events = [event for waiting in self._pending.values() for event in waiting.events]
        self._pending = {}
        if events:  # for example, the event of a released key
            self._pending[label] = TickInput(tuple(events[-messages.MAX_EVENTS :]))

    # -- sending -----------------------------------------------------------------------------------

    def _send(self, tick: int) -> None:
        connection = self._connection
        if connection is None:
            return
        if self._player is not None and tick != self._sent_tick and connection.is_open:
            self._sent_tick = tick
            label = tick + self._offset
            if label >= 0:
                first = min(self._confirmed_label + 1, label)
                data = messages.pack_input(
                    first,
                    label,
                    self._pending,
                    self.shown_tick,
                    self._received_number or 0,
                    self._received_mask,
                )
                connection.send_unreliable(data)
        self._endpoint.flush()

    def _steer(self, game: Any) -> None:
        """Make the game clock slightly faster or slower, so that the input arrives at the server
        just in time.
        """
        if self._player is None or not self._server_tick:
            return
        assert self._connection is not None
        scale = float(game.timestep.time_scale) or 1.0
        self._server_speed.note(self._server_tick, self._link.now_ns, self._rate * scale)
        target = _MARGIN + min(20.0, 2 * self._connection.jitter * self._rate)
        missing = target - self._margin
        if missing > _JUMP:  # the computer was probably in sleep mode
            self._set_clock(game)
            missing = 0.0
        pace = 1 + max(-_MAX_STEER, min(_MAX_STEER, missing * _STEER))
        if missing < -_JUMP:
            pace = _SLOW
        # If packets take longer, they look like those of a slow server, but input arrives late then.
        weight = max(0.0, min(1.0, -missing / _MARGIN))
        pace *= 1 + (self._server_speed.share - 1) * weight
        if abs(pace - game.timestep.pace) > 0.002:
            game.timestep.pace = pace
        self.stats.ahead = self._margin

    def _measure(self) -> None:
        connection = self._connection
        if connection is None:
            return
        self.stats.ping = connection.ping
        if connection.ping:
            self._min_ping = min(self._min_ping, connection.ping)
        self._traffic.update(self.stats, self._link)

    # -- the shown state ---------------------------------------------------------------------------

    def end_tick(self, number: int, again: bool) -> None:
        """Show the server's rows at the end of a tick. ``again`` is True if the tick runs again
        after a wrong prediction.
        """
        if self._player is None:
            return
        predicted = self._predictions.get(number) if again else None
        time = self._next_time() if predicted is None else predicted.time
        own: dict[int, tuple[NDArray[np.uint32], list[NDArray[np.float32]]]] = {}
        for index, rows in enumerate(self._rows):
            replica = rows.form.replica
            rows.prepare(time)
            mask = None
            if replica.predict is not None:
                mask = replica.mask("predict", self._player)
                if mask.any():
                    own[index] = rows.form.own_values(np.flatnonzero(mask))
            rows.show(time, mask)
        shown = [rows.state for rows in self._rows]
        self._predictions[number] = _Prediction(time, shown, own)

    def _show_waiting(self, game: Any) -> None:
        """Between two ticks, show the server's newest rows. Otherwise, messages about rows would
        fill the memory if no tick runs for a long time, for example during a pause.
        """
        self._predictions.clear()
        self._inputs.clear()
        self.end_tick(game.tick, again=False)

    def _next_time(self) -> float:
        target = self._server_tick - max(_MIN_DELAY, _DELAY * self._interval)
        if self._time is None or abs(target - self._time) > _JUMP:
            self._time = max(0.0, float(target))
        else:
            steer = max(-_MAX_STEER, min(_MAX_STEER, (target - self._time - 1) * _STEER))
            self._time += 1 + steer
        return self._time

    # -- corrections -------------------------------------------------------------------------------

    def _keep_snapshot(self, game: Any, tick: int) -> None:
        """Store a snapshot of this tick if `SnapshotPlan` selects the tick and the server will send
        its state. If the client does not predict any rows, store nothing.
        """
        prediction = self._predictions.get(tick)
        if (
            prediction is not None
            and prediction.own
            and prediction.snapshot is None
            and not (tick + self._offset - (self._player or 0)) % self._interval
            and self._plan.is_due(tick)
        ):
            prediction.snapshot = game.snapshot()
            self._plan.note_snapshot(tick)
            for old in [old for old in self._predictions if old < tick - _MAX_CORRECTED]:
                self._predictions[old].snapshot = None

    def _compare(self, game: Any, last: int, state: _OwnState) -> None:
        """Compare the rows that this client has predicted with the server's rows. If they differ,
        restore the snapshot of the tick, copy the server's values, and run all later ticks again.
        """
        tick = state.tick - self._offset
        prediction = self._predictions.get(tick)
        wrong = False
        for batch_rows in state.rows:
            wrong |= self._adopt_or_compare(prediction, *batch_rows)
        if prediction is None or tick >= last + 1:
            return
        if not wrong:
            if prediction.snapshot is not None:
                self._plan.note_right()
            return
        if prediction.snapshot is None and self._has_snapshot_after(tick):
            return  # a later state, which has already been sent, corrects the rows
        if prediction.snapshot is None or last - tick > _MAX_CORRECTED:
            self._adopt_all(state)
            return
        self._plan.note_correction(tick, last - tick)
        self._correct(game, last, prediction, state)

    def _adopt_or_compare(
        self,
        prediction: _Prediction | None,
        index: int,
        ids: NDArray[np.uint32],
        columns: list[NDArray[np.float32]],
    ) -> bool:
        """Copy the server's values of the rows that were not predicted. Return whether the values of
        the other rows differ from the prediction.
        """
        predicted = None if prediction is None else prediction.own.get(index)
        if predicted is None:
            self._adopt(index, ids, columns)
            return False
        rows = indices_of(ids, predicted[0])
        present = rows >= 0
        if not present.all():
            self._adopt(index, ids[~present], [column[~present] for column in columns])
        if not present.any():
            return False
        mine = [column[rows[present]] for column in predicted[1]]
        return self._forms[index].differ(mine, [column[present] for column in columns])

    def _correct(self, game: Any, last: int, prediction: _Prediction, state: _OwnState) -> None:
        """Restore the snapshot of a wrong prediction, copy the server's values, and run all ticks
        up to ``last`` again.
        """
        tick = state.tick - self._offset
        game.restore(prediction.snapshot)
        for rows_shown, shown in zip(self._rows, prediction.shown, strict=True):
            rows_shown.restore(shown)
        self._adopt_all(state)
        self.stats.corrections += 1
        self.stats.resimulated += last - tick
        corrected = {
            index: self._forms[index].own_values(self._rows_of(index, ids))
            for index, ids, _ in state.rows
        }
        prediction.own = {index: own for index, own in corrected.items() if len(own[0])}
        for number in range(tick + 1, last + 1):
            game.run_ticks(1)
            # A snapshot from when the tick first ran would not match its new rows, because a
            # message may have arrived in between. In this case, `end_tick` has stored a new
            # prediction without a snapshot.
            self._keep_snapshot(game, number)

    def _has_snapshot_after(self, tick: int) -> bool:
        predictions = self._predictions.items()
        return any(number > tick and each.snapshot is not None for number, each in predictions)

    def _rows_of(self, index: int, ids: NDArray[np.uint32]) -> NDArray[np.intp]:
        rows: NDArray[np.intp] = self._forms[index].replica.batch.row_of(ids)
        return rows[rows >= 0]

    def _adopt_all(self, state: _OwnState) -> None:
        """Copy the server's values to all rows in ``state``."""
        for index, ids, columns in state.rows:
            self._adopt(index, ids, columns)

    def _adopt(
        self, index: int, ids: NDArray[np.uint32], columns: list[NDArray[np.float32]]
    ) -> None:
        """Copy the server's values to the rows of this player."""
        form = self._forms[index]
        rows = form.replica.batch.row_of(ids)
        present = rows >= 0
        table = form.replica.table
        for name, values in zip(form.exact, columns, strict=True):
            table.column(name).values(table.count)[rows[present]] = values[present]


class _EndOfTick:
    """A subsystem of the game that calls `Client.end_tick` in each tick."""

    not_state = True

    def __init__(self, client: Client) -> None:
        self._client = client

    def end_tick(self, tick: Tick) -> None:
        """Called at the end of a tick."""
        client = self._client
        again = bool(driven(client._game).stage.resimulation.resimulating)
        client.end_tick(tick.number, again)


def _of_this_player(events: tuple[Event, ...]) -> TickInput:
    """Return the input events without the events of all gamepads except the first gamepad."""
    return TickInput(tuple([each for each in events if each[0][:7] != "on_pad_" or each[1] == 0]))


def _released(early: TickInput) -> tuple[Event, ...]:
    """Return the events that release all keys, buttons and gamepads of ``early``."""
    before = early.held()
    released = HeldInput(position=before.position).since(before).events
    if any(event[0] == "on_pad_connect" for event in early.events):
        released = tuple([event for event in released if event[0][:7] != "on_pad_"])
        released = ("on_pad_disconnect", 0), *released
    return released


def _of_gamepad(events: tuple[Event, ...], player: int) -> tuple[Event, ...]:
    """Return the input events with the player's index as the number of the first gamepad, and
    without events from other gamepads.
    """
    result: list[Event] = []
    for event in events:
        if event[0][:7] != "on_pad_":
            result.append(event)
        elif event[1] == 0 and player < MAX_PADS:
            result.append((event[0], player, *event[2:]))
    return tuple(result)


def _of_player(player: int, own: TickInput, local: TickInput) -> TickInput:
    """Convert the input of this computer to the input of the player with the index ``player``."""
    if player == 0:
        return TickInput(_of_gamepad(local.events, 0))
    remaining: list[Event] = [event for event in local.events if not messages.allowed((event,))]
    if not own.events:
        return TickInput(tuple(remaining))
    marked = (("player", player), *own.events, ("player", 0))
    return TickInput((*remaining, *marked))


def _difference(welcome: dict[str, Any], described: list[Any], events: list[str], game: Any) -> str:
    """Return a sentence that describes how the server's game differs from this game, or ""."""
    if welcome["players"] != len(game.players):
        return (
            f"the server's game has {int(welcome['players'])} players, and this game "
            f"{len(game.players)}; create both with the same option players"
        )
    if float(welcome["rate"]) != float(game.timestep.rate):
        return (
            f"the server runs {float(welcome['rate']):g} ticks per second, and this game "
            f"{float(game.timestep.rate):g}; create both with the same option tick_rate"
        )
    player_exists = 0 <= int(welcome["player"]) < len(game.players)
    if not player_exists or not 0 <= int(welcome["tick"]) <= messages.MAX_TICK:
        return "the server's answer makes no sense"
    theirs: Any = welcome["batches"]
    if len(theirs) != len(described):
        return (
            f"the server's game replicates {len(theirs)} batches, and this game {len(described)}; "
            "run the same version of the game"
        )
    for index, (mine, sent) in enumerate(zip(described, theirs, strict=True)):
        if mine != sent:
            return (
                f"batch {index} of replicate() differs: the server has {checks.shown(sent)}, and "
                f"this game {checks.shown(mine)}; run the same version of the game"
            )
    if welcome["events"] != events:
        return "the names of replicate_events() differ; run the same version of the game"
    return ""
