"""Detect when two machines in a match no longer have the same game state (a desync)."""

from __future__ import annotations

__all__ = ["Desync"]

import base64
import contextlib
import json
import os
import re
import struct
import zlib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard

import numpy as np
from numpy.typing import NDArray

from ..record.hashes import Listing, digest_of
from ..record.strict_json import parse
from .dropped_message import DroppedMessage

if TYPE_CHECKING:
    from ..record.snapshots import Snapshot

INTERVAL = 30
"""The number of ticks between two checks."""
# The maximum number of another machine's hashes that can wait for this machine's hashes.
_MAX_WAITING = 8
# The maximum number of this machine's hashes that can wait for other machines' hashes.
_MAX_RUNS = 8
_MAX_ARRAY = 1 << 16  # the maximum number of bytes of one array in a report
_MAX_ARRAYS = 1 << 19  # the maximum number of bytes of all arrays in a report
_MAX_JSON = 1 << 22  # the maximum number of bytes of another machine's values after unpacking
_MAX_EXTRA = 1000  # the maximum number of values in a report that only the other machine has
_MAX_FOLDERS = 10  # the maximum number of reports in a folder
_HASH_DIGITS = 16
# Nanoseconds; if the other machine has sent no values for this time, the search for a difference
# ends.
_MAX_SEARCH = 10_000_000_000
_NOTHING_SENT = "the other machine has sent no values"
_UNKNOWN = 1 << 62  # the first compared tick of a player, before a hash of the player arrives
MAX_REPORT = 1 << 20
"""The maximum size of a packed report in bytes."""
_SHOWN = 80  # the maximum number of characters of a value in a report
_MAX_PATH = 300  # the maximum number of characters of a path in a report

_NO_VALUE = (
    "no single value is known that differs. Look for state that code outside the ticks changes: a "
    "function that subscribe() calls, draw(), a thread, or a global variable"
)

_HASH = struct.Struct("<QQ")
_U64 = struct.Struct("<Q")


@dataclass(frozen=True)
class Desync:
    """A difference between the game states of two machines in a match: ``game.session.desync``."""

    tick: int
    """The first tick after which the states differ."""
    player: int
    """The index of the player on the other machine."""
    path: str
    """The path of the first value that differs, such as "game.ships[2].speed". The value is "" if
    no different value was found.
    """
    local: str
    """The value on this machine."""
    remote: str
    """The value on the other machine."""
    report: str = ""
    """The folder with the report of this machine, or "" if no report has been written. The other
    machine also writes a report.

    The folder contains two files. ``match.replay`` is a recording of the match, with the input that
    this machine has used. ``values.json`` contains all values on both machines after the tick.
    ``framework replay match.replay game.py`` runs the match again.
    """

    alone: int | None = None
    """The index of the player whose state differs from the states of all other players, which are
    equal. The value is None if it is not known which player differs. In a match between two
    players, for example, the machines cannot know which of them is wrong.
    """

    def __str__(self) -> str:
        location = f"{self.path}: {self.local} here, {self.remote} there"
        if not self.path:
            location = self.remote or _NO_VALUE
        text = f"after tick {self.tick} the game differs from the one of player {self.player}"
        if self.alone is not None:
            where = f"player {self.player}" if self.alone == self.player else "this machine"
            text = f"{text}; the other machines agree, only {where} differs"
        text = f"{text}; {location}"
        return (
            f"{text}; both machines have written a report, here: {self.report}"
            if self.report
            else text
        )


class DesyncValues(NamedTuple):
    """All values on both machines after the first tick in which the games differ."""

    local: Listing
    remote: Mapping[str, Any]

    def to_json(self, desync: Desync) -> str:
        """Return the values as JSON text for a report."""
        extra = [path for path in self.remote if path not in self.local][:_MAX_EXTRA]
        rows = {path[:_MAX_PATH]: self._row(path) for path in [*self.local, *extra]}
        head = {"tick": desync.tick, "player": desync.player, "path": desync.path}
        return json.dumps(head | {"values": rows}, indent=1)

    def _row(self, path: str) -> dict[str, Any]:
        """Return the hash and the text of a value on both machines, for a report."""
        theirs = self.remote.get(path)
        local = None
        if path in self.local:
            local = [f"{digest_of(self.local[path]):x}", _text(self.local[path])]
        return {
            "here": local,
            "there": None if theirs is None else theirs[:2],
            "equal": local is not None and theirs is not None and theirs[0] == local[0],
        }


@dataclass
class _Search:
    """A search for the first value that differs from another player's value."""

    player: int
    tick: int
    """A tick after which the states differ."""
    began_ns: int
    """The time when the search began."""
    base: int
    """The last tick after which all states were equal."""
    base_snapshot: Snapshot
    snapshot: Snapshot
    """The state of this machine after ``tick``."""
    hashes: dict[int, int]
    """The state hash of each player after ``tick``, including this machine's hash."""
    trace: dict[int, int]
    """This machine's hash after each tick from ``base`` to ``tick``."""
    located: int | None = None
    values: Listing | None = None
    their_values: Mapping[str, Any] | None = None


class StateChecks:
    """Checks that all machines in a match have the same game state. If the states differ,
    `StateChecks` finds the first value that differs.

    A machine with a manipulated program can send wrong hashes. Therefore a difference with one
    player does not end the checks with the other players. A report names a single player only if at
    least three players have sent hashes, and all hashes except one are equal. Two machines cannot
    know which of them is wrong.

    ``rerun(snapshot, first, last, each)`` is a function that repeats ticks of the match: it
    restores the snapshot, runs the ticks ``first`` to ``last`` again, calls ``each(game, tick)``
    after each tick, and finally restores the current state. ``player`` is the index of the player
    on this machine.
    """

    not_state = True

    def __init__(
        self,
        players: list[int],
        snapshot: Snapshot,
        rerun: Callable[[Snapshot, int, int, Callable[[Any, int], object]], None],
        *,
        player: int,
    ) -> None:
        self.stopped = False
        """True once code has been reloaded. The states are then no longer compared."""
        self._rerun = rerun
        self._player = player
        self.restart(players, (0, snapshot), 0)

    def restart(self, players: list[int], base: tuple[int, Snapshot], agreed: int) -> None:
        """Compare the states of ``players`` after each tick that follows ``agreed``. ``base`` is a
        pair of a tick after which all machines had equal states, and a snapshot of this state. If
        ``agreed`` is later than the tick of ``base``, call `begin` with the state after ``agreed``.
        """
        self._base = base
        self.desync: Desync | None = None
        """The first difference."""
        self.found: list[tuple[Desync, DesyncValues]] = []
        """The differences that have not been reported yet, with the values on both machines."""
        self.agreed = agreed
        """The last tick after which the states of all compared machines were equal."""
        self._players = players
        # For each player who has left: the last tick after which the states of all machines were
        # equal, and this state.
        self._common: dict[int, tuple[int, Snapshot]] = {}
        # The same for each player whose state differs. These players are no longer compared.
        self._different: dict[int, tuple[int, Snapshot]] = {}
        # For each player: the first tick whose hash is compared, if it is a later tick.
        self._since: dict[int, int] = {}
        self._agreed_snapshot = base[1]
        # The hash and the snapshot of each tick, from the oldest to the newest.
        self._runs: dict[int, tuple[int, Snapshot]] = {}
        self._first = agreed
        self._sent = agreed  # the last tick whose hash was sent
        self._theirs: dict[int, dict[int, int]] = {player: {} for player in players}
        self._searches: dict[int, _Search] = {}
        # For each player: the hash of each tick since the last equal state. If the other machine
        # finds the difference first, these hashes arrive before this machine starts its search.
        self._their_traces: dict[int, dict[int, int]] = {}

    def earliest_common(self) -> tuple[int, Snapshot]:
        """Return the last tick with equal states at the time when the first player left, and its
        snapshot. Since then, the remaining players may have joined the lost player's version of the
        match.
        """
        return min([*self._common.values(), self._last_common()], key=lambda common: common[0])

    def _last_common(self) -> tuple[int, Snapshot]:
        """Return the last tick after which all machines had equal states, and the snapshot of this
        tick.
        """
        # The hash of the first tick has never been compared with the hashes of other machines.
        is_first = self.agreed == self._first
        return self._base if is_first else (self.agreed, self._agreed_snapshot)

    def begin(self, snapshot: Snapshot) -> None:
        """Store the snapshot of the state before the first compared tick."""
        self._agreed_snapshot = snapshot
        self._runs.clear()  # these states are from ticks before this machine took part

    def set_common(self, player: int, tick: int, snapshot: Snapshot) -> None:
        """Store the last tick with equal states, and its snapshot, for a player who does not take
        part.
        """
        self._common[player] = tick, snapshot

    def note(self, tick: int, state_hash: int, snapshot: Snapshot) -> None:
        """Store the hash and the snapshot of the state after a tick. The input of this tick may
        still be predicted. If the tick runs again with different input, call `note` again.
        """
        self._runs.pop(tick, None)
        self._runs[tick] = state_hash, snapshot
        if len(self._runs) > _MAX_RUNS:
            del self._runs[min(self._runs)]

    def confirm(self, tick: int) -> list[bytes]:
        """Return messages with the state hashes of all ticks up to ``tick``. Call `confirm` when
        this machine has the final input of all these ticks.
        """
        messages: list[bytes] = []
        if self.stopped:
            return messages
        for number in sorted(self._runs):
            if self._sent < number <= tick:
                self._sent = number
                messages.append(b"h" + _HASH.pack(number, self._runs[number][0]))
        return messages

    def join(self, player: int, tick: int | None) -> None:
        """Compare the states with a player who takes part again, from ``tick`` on. If ``tick`` is
        None, compare from the first tick whose hash arrives from the player.
        """
        self.forget(player)
        self._players = [*self._players, player]
        self._common.pop(player, None)
        self._since[player] = _UNKNOWN if tick is None else tick
        self._theirs[player] = {}

    def forget(self, player: int) -> None:
        """Stop comparing the states with a player who has left."""
        if player in self._players:
            self._common[player] = self._different.get(player, self._last_common())
        self._players = [index for index in self._players if index != player]
        self._different.pop(player, None)
        self._searches.pop(player, None)
        self._their_traces.pop(player, None)

    # -- messages ----------------------------------------------------------------------------------

    def receive(self, player: int, message: bytes) -> None:
        """Handle a message from another machine. Raise `DroppedMessage` if it must be dropped."""
        kind = message[:1]
        content = message[1:]
        if kind == b"h" and len(content) == _HASH.size:
            self._take_hash(player, *_HASH.unpack(content))
        elif kind == b"t" and len(content) % 8 == 0 and 16 <= len(content) <= 8 * INTERVAL * 9:
            numbers = [value for (value,) in _U64.iter_unpack(content)]
            self._take_trace(player, dict(enumerate(numbers[1:], numbers[0])))
        elif kind == b"v":
            self._take_values(player, content)
        else:
            raise DroppedMessage("malformed")

    def _take_hash(self, player: int, tick: int, state_hash: int) -> None:
        if tick % INTERVAL:
            raise DroppedMessage("malformed")
        if player not in self._players:
            raise DroppedMessage("late")
        if tick <= self._first:
            return  # a hash from before this machine took part again
        theirs = self._theirs[player]
        for search in self._searches.values():
            if search.tick == tick and search.hashes.setdefault(player, state_hash) != state_hash:
                raise DroppedMessage("changed")
        if theirs.get(tick, state_hash) != state_hash:
            raise DroppedMessage("changed")
        if player in self._different:
            return
        if tick in theirs or tick <= self.agreed:
            raise DroppedMessage("late")
        if len(theirs) >= _MAX_WAITING:
            raise DroppedMessage("far ahead")
        if self._since.get(player) == _UNKNOWN:
            self._since[player] = tick
        theirs[tick] = state_hash

    def _take_trace(self, player: int, trace: dict[int, int]) -> None:
        """Store another machine's hashes. Each machine sends these hashes only once."""
        if player not in self._players:
            raise DroppedMessage("late")
        before = self._their_traces.setdefault(player, trace)
        if before is not trace:
            raise DroppedMessage("late" if before == trace else "changed")

    def _take_values(self, player: int, content: bytes) -> None:
        search = self._searches.get(player)
        if search is None or search.their_values is not None:
            raise DroppedMessage("late")
        # From now on, another such message is late, even if this message is damaged.
        search.their_values = {}
        try:
            search.their_values = _unpacked(content)
        except (ValueError, TypeError, zlib.error, RecursionError):
            raise DroppedMessage("malformed") from None

    # -- comparing ---------------------------------------------------------------------------------

    def compare(self, now_ns: int) -> list[tuple[int, bytes]]:
        """Compare the state hashes of all machines. If a difference has been found, continue the
        search for the value that differs.

        Return a list of messages to send to other machines. Each entry of the list is a pair
        ``(player, message)`` with the index of the receiver. Call `compare` only when the game can
        restore a snapshot. ``now_ns`` is the time of the link's clock in nanoseconds.
        """
        if self.stopped:
            return []
        messages = []
        for search in [*self._searches.values()]:
            messages += self._continue(search, now_ns)
        for tick in sorted(self._runs):
            if tick > self._sent:
                break
            messages += self._begin_searches(tick, now_ns)
            players = self._compared(tick)
            is_alone = bool(self._different) and not players
            if is_alone or any(tick not in self._theirs[player] for player in players):
                break
            self.agreed = tick
            self._agreed_snapshot = self._runs.pop(tick)[1]
            for player in players:
                del self._theirs[player][tick]
        return messages

    def _compared(self, tick: int) -> list[int]:
        """Return the players whose states are compared after a tick."""
        return [
            player
            for player in self._players
            if tick >= self._since.get(player, 0) and player not in self._different
        ]

    # -- locating a difference ---------------------------------------------------------------------

    def _begin_searches(self, tick: int, now_ns: int) -> list[tuple[int, bytes]]:
        """Begin a search for each player whose hash of this tick differs from this machine's
        hash. Return the messages to send.
        """
        messages = []
        for player in self._compared(tick):
            theirs = self._theirs[player].get(tick)
            if theirs is not None and theirs != self._runs[tick][0]:
                messages.append((player, self._begin_search(player, tick, now_ns)))
        return messages

    def _begin_search(self, player: int, tick: int, now_ns: int) -> bytes:
        """Run all ticks after the last equal state again. Return a message with the state hash of
        each tick.
        """
        trace: dict[int, int] = {}

        def note(game: Any, number: int) -> None:
            trace[number] = game.state_hash()

        self._rerun(self._agreed_snapshot, self.agreed + 1, tick, note)
        ours, snapshot = self._runs[tick]
        hashes = {sender: theirs[tick] for sender, theirs in self._theirs.items() if tick in theirs}
        hashes[self._player] = ours
        base = self.agreed, self._agreed_snapshot
        self._different[player] = self._last_common()
        self._searches[player] = _Search(player, tick, now_ns, *base, snapshot, hashes, trace)
        return b"t" + b"".join(map(_U64.pack, [self.agreed + 1, *trace.values()]))

    def _continue(self, search: _Search, now_ns: int) -> list[tuple[int, bytes]]:
        """Continue a search with the messages that have arrived. Return the messages to send."""
        messages = []
        their_trace = self._their_traces.get(search.player)
        if search.located is None and their_trace is not None:
            values = self._locate(search, their_trace)
            messages.append((search.player, b"v" + _packed(values)))
        # The hashes of the other players show whose state differs from all others.
        expected = [player for player in self._players if search.tick >= self._since.get(player, 0)]
        is_complete = search.their_values is not None and search.hashes.keys() >= {*expected}
        is_located = search.located is not None
        if (is_complete and is_located) or now_ns - search.began_ns >= _MAX_SEARCH:
            self._finish(search)
        return messages

    def _locate(self, search: _Search, their_trace: Mapping[int, int]) -> Listing:
        """Find the first tick with different states, and return this machine's values after this
        tick.
        """
        common = sorted(search.trace.keys() & their_trace.keys())
        different = [tick for tick in common if search.trace[tick] != their_trace[tick]]
        # If the states are equal after the ticks have run again, the ticks used values outside of
        # the state when they first ran.
        search.located = different[0] if different else search.tick
        values: Listing = {}

        def note(game: Any, tick: int) -> None:
            if tick == search.located:
                values.update(game.debug.state_values())

        if different:
            self._rerun(search.base_snapshot, search.base + 1, search.located, note)
        else:
            self._rerun(search.snapshot, search.tick, search.tick, note)
        search.values = values
        return values

    def _finish(self, search: _Search) -> None:
        """Store the result of a search. If nothing has arrived from the other machine for too long,
        the result contains only this machine's values.
        """
        del self._searches[search.player]
        if search.values is None:
            self._locate(search, {})
        assert search.values is not None
        assert search.located is not None
        theirs = search.their_values
        if theirs is None:
            desync = Desync(search.located, search.player, "", "", _NOTHING_SENT)
        else:
            desync = _difference(search.located, search.player, search.values, theirs)
        desync = replace(desync, alone=_alone(search.hashes))
        self.desync = self.desync or desync
        self.found.append((desync, DesyncValues(search.values, theirs or {})))


def _alone(hashes: Mapping[int, int]) -> int | None:
    """Return the player whose hash differs from all other hashes, if the other hashes are equal. If
    there are fewer than three hashes, return None.
    """
    counts = Counter(hashes.values())
    alone = [player for player, state_hash in hashes.items() if counts[state_hash] == 1]
    return alone[0] if len(hashes) > 2 and len(counts) == 2 and len(alone) == 1 else None


def _packed(values: Listing) -> bytes:
    """Return the values as bytes, with the hash and the text of each value, and the data of small
    arrays.
    """
    left = _MAX_ARRAYS
    content: dict[str, list[str]] = {}
    for path, value in values.items():
        entry = [f"{digest_of(value):x}", _text(value)]
        if _is_small_array(value, min(left, _MAX_ARRAY)):
            left -= value.nbytes
            shape = ",".join(map(str, value.shape))
            entry += [value.dtype.str, shape, base64.b64encode(value.tobytes()).decode()]
        content[path] = entry
    hashes = {path: entry[:1] for path, entry in content.items()}
    for part in (content, hashes):
        text = json.dumps(part).encode()
        packed = zlib.compress(text, 6) if len(text) <= _MAX_JSON else b""
        if packed and len(packed) < MAX_REPORT:
            return packed
    return zlib.compress(b"{}")


def _is_small_array(value: object, max_bytes: int) -> TypeGuard[NDArray[Any]]:
    """Return whether the value is an array of numbers with at most ``max_bytes`` bytes."""
    return (
        isinstance(value, np.ndarray) and value.dtype.kind in "biuf" and value.nbytes <= max_bytes
    )


def _unpacked(data: bytes) -> Mapping[str, Any]:
    unpacker = zlib.decompressobj()
    text = unpacker.decompress(data, _MAX_JSON)
    if not unpacker.eof or not text.startswith(b"{"):
        raise ValueError
    values: dict[str, Any] = parse(text.decode())
    for path, entry in values.items():
        if not (isinstance(entry, list) and entry and all(isinstance(part, str) for part in entry)):
            raise ValueError
        values[path] = [entry[0][:_HASH_DIGITS], *map(_printable, entry[1:2]), *entry[2:5]]
    return values


def _text(value: object) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype} of shape {value.shape}"
    return _cut(repr(value))


def _printable(text: str) -> str:
    """Remove line breaks and control characters from a text that another machine has sent, so that
    a message can contain it.
    """
    text = text[:_SHOWN]
    return _cut(text if text.isprintable() else repr(text))


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _difference(tick: int, player: int, values: Listing, theirs: Mapping[str, Any]) -> Desync:
    """Return the first difference between the values of two machines. ``theirs`` is empty if the
    other machine's values were damaged or too large to send.
    """
    for path, value in values.items() if theirs else ():
        entry = theirs.get(path)
        if entry is None:
            return Desync(tick, player, path, _text(value), "no such value")
        if entry[0] != f"{digest_of(value):x}":
            row = _different_row(value, entry)
            if row is not None:
                return Desync(tick, player, path + row[0], *row[1:])
            return Desync(tick, player, path, _text(value), entry[1] if entry[1:] else "another")
    for path, entry in theirs.items():
        if path not in values:
            remote_value = entry[1] if entry[1:] else "a value"
            return Desync(tick, player, _printable(path), "no such value", remote_value)
    return Desync(tick, player, "", "", "")


def _different_row(value: object, entry: list[str]) -> tuple[str, str, str] | None:
    """Return the index of the first array element that differs, and its value on each machine as
    text. Return None if no element differs.
    """
    if not _is_small_array(value, _MAX_ARRAY):
        return None
    theirs = _received_array(entry, value)
    if theirs is None:
        return None
    same = (value == theirs) | ((value != value) & (theirs != theirs))
    if same.all():
        return None
    row = tuple(np.argwhere(~same)[0].tolist())
    return f"[{', '.join(map(str, row))}]", repr(value[row].item()), repr(theirs[row].item())


def _received_array(entry: list[str], like: NDArray[Any]) -> NDArray[Any] | None:
    """Return the array that another machine has sent. Return None if it does not have the dtype and
    the shape of ``like``, or if its data is damaged.
    """
    if len(entry) < 5 or entry[2:4] != [like.dtype.str, ",".join(map(str, like.shape))]:
        return None
    try:
        data = base64.b64decode(entry[4])
    except ValueError:
        return None
    if len(data) != like.nbytes:
        return None
    return np.frombuffer(data, like.dtype).reshape(like.shape)


_REPORT_NAME = re.compile(r"\d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d player \d")
_REPORT_FILES = ("match.replay", "values.json")


def remove_old_reports(parent: str) -> None:
    """Delete the oldest report folders in ``parent`` to make room for a new report.

    The number of report folders is limited, because another player could cause a report in each
    match. Other folders and files are not deleted.
    """
    try:
        reports = sorted(name for name in os.listdir(parent) if _REPORT_NAME.fullmatch(name))
    except OSError:
        return  # the folder does not exist yet
    for name in reports[: max(0, len(reports) - _MAX_FOLDERS + 1)]:
        folder = os.path.join(parent, name)
        with contextlib.suppress(OSError):
            for file in _REPORT_FILES:
                if os.path.exists(os.path.join(folder, file)):
                    os.remove(os.path.join(folder, file))
            os.rmdir(folder)
