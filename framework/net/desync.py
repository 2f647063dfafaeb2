"""Desync checks: compare the states of all machines in a match, and find the first difference."""

from __future__ import annotations

__all__ = ["Desync"]

import base64
import contextlib
import json
import os
import re
import struct
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard

import numpy as np
from numpy.typing import NDArray

from ..record.hashes import Listing, digest_of
from ..record.strict_json import parse

if TYPE_CHECKING:
    from ..record.snapshots import Snapshot

INTERVAL = 30
"""The number of ticks between two checks."""
# The maximum number of another machine's hashes that wait for this machine's hashes.
_MAX_WAITING = 8
_MAX_RUNS = 8  # the maximum number of this machine's hashes that wait for other machines' hashes
_MAX_ARRAY = 1 << 16  # the maximum number of bytes of one array in a report
_MAX_ARRAYS = 1 << 19  # the maximum number of bytes of all arrays in a report
_MAX_JSON = 1 << 22  # the maximum number of bytes of another machine's values after unpacking
_MAX_EXTRA = 1000  # the maximum number of values in a report that only the other machine has
_MAX_FOLDERS = 10  # the maximum number of reports in a folder
_HASH_DIGITS = 16
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
    """The folder with the report of this machine, or "" if no report was written. The other machine
    also writes a report.

    The folder contains two files. ``match.replay`` is a recording of the match, with the input that
    this machine has used. ``values.json`` has all values of both machines after the tick.
    ``framework replay match.replay game.py`` runs the match again.
    """

    def __str__(self) -> str:
        location = (
            f"{self.path}: {self.local} here, {self.remote} there" if self.path else _NO_VALUE
        )
        text = (
            f"after tick {self.tick} the game differs from the one of player {self.player}; "
            f"{location}"
        )
        return (
            f"{text}; both machines have written a report, here: {self.report}"
            if self.report
            else text
        )


class DesyncValues(NamedTuple):
    """All values of both machines' games, after the first tick in which the games differ."""

    local: Listing
    remote: Mapping[str, Any]

    def to_json(self, desync: Desync) -> str:
        """Return the values as JSON text for a report."""
        extra = [path for path in self.remote if path not in self.local][:_MAX_EXTRA]
        paths = [*self.local, *extra]
        rows = {}
        for path in paths:
            theirs = self.remote.get(path)
            local = None
            if path in self.local:
                local = [f"{digest_of(self.local[path]):x}", _text(self.local[path])]
            rows[path[:_MAX_PATH]] = {
                "here": local,
                "there": None if theirs is None else theirs[:2],
                "equal": local is not None and theirs is not None and theirs[0] == local[0],
            }
        head = {"tick": desync.tick, "player": desync.player, "path": desync.path}
        return json.dumps(head | {"values": rows}, indent=1)


class StateChecks:
    """Checks that all machines in a match have the same game state. If the states differ,
    `StateChecks` finds the first value that differs.

    ``rerun(snapshot, first, last, each)`` is a function that repeats ticks of the match. ``rerun``
    restores the snapshot and runs the ticks ``first`` to ``last`` again. After each tick, ``rerun``
    calls ``each(game, tick)``. At the end, ``rerun`` restores the present state.
    """

    not_state = True

    def __init__(
        self,
        players: list[int],
        snapshot: Snapshot,
        rerun: Callable[[Snapshot, int, int, Callable[[Any, int], object]], None],
    ) -> None:
        self.stopped = False
        """True after code was reloaded. While the value is True, the states are not compared."""
        self._rerun = rerun
        self.restart(players, (0, snapshot), 0)

    def restart(self, players: list[int], base: tuple[int, Snapshot], agreed: int) -> None:
        """Compare the states of ``players`` after each tick that follows ``agreed``. ``base`` is a
        pair: a tick after which all machines had equal states, and a snapshot of this state. If
        ``agreed`` is later than the tick of ``base``, call `begin` with the state after ``agreed``.
        """
        self._base = base
        self.desync: Desync | None = None
        self.values: DesyncValues | None = None
        """The values of both machines, if `desync` is not None."""
        self.agreed = agreed
        """The last tick after which the states of all machines were equal."""
        self._players = players
        # For each player who has left: the last tick after which the states of all machines were
        # equal, and this state.
        self._common: dict[int, tuple[int, Snapshot]] = {}
        # For each player: the first tick whose hash is compared, if it is a later tick.
        self._since: dict[int, int] = {}
        self._agreed_snapshot = base[1]
        # The snapshot of each tick, from the oldest to the newest.
        self._runs: dict[int, tuple[int, Snapshot]] = {}
        self._first = agreed
        self._sent = agreed  # the last tick whose hash was sent
        self._theirs: dict[int, dict[int, int]] = {player: {} for player in players}
        # Set during the search for a difference: the other player, and the last tick that must run
        # again.
        self._suspect: tuple[int, int] | None = None
        self._trace: dict[int, int] = {}
        # For each player: the hash of each tick since the last equal state. The other machine may
        # find the difference first. Then the hashes arrive before this machine starts its search.
        self._their_traces: dict[int, dict[int, int]] = {}
        self._located: int | None = None
        self._values: Listing | None = None
        self._their_values: Mapping[str, Any] | None = None

    def earliest_common(self) -> tuple[int, Snapshot]:
        """Return the last tick with equal states when the first player left, and the snapshot of
        this tick. Since then, the remaining players may have joined the lost player's version of
        the match.
        """
        return min([*self._common.values(), self._last_common()], key=lambda common: common[0])

    def _last_common(self) -> tuple[int, Snapshot]:
        """Return the last tick after which all machines had equal states, and the snapshot of this
        tick.
        """
        # The hash of the first tick was never compared with the hashes of other machines.
        is_first = self.agreed == self._first
        return self._base if is_first else (self.agreed, self._agreed_snapshot)

    def begin(self, snapshot: Snapshot) -> None:
        """Set the snapshot of the state before the first compared tick."""
        self._agreed_snapshot = snapshot
        self._runs.clear()  # these states are from ticks before this machine took part

    def set_common(self, player: int, tick: int, snapshot: Snapshot) -> None:
        """For a player who does not take part, set the last tick with equal states and the snapshot
        of this tick.
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
        the final input of all ticks up to ``tick`` is known.
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
        """Compare the states with a player who takes part again, from ``tick`` on. None means: from
        the first tick whose hash arrives from the player.
        """
        if player not in self._players:
            self._players.append(player)
        self._common.pop(player, None)
        self._their_traces.pop(player, None)
        self._since[player] = _UNKNOWN if tick is None else tick
        self._theirs[player] = {}

    def forget(self, player: int) -> None:
        """Stop comparing the states with a player who has left."""
        if player in self._players:
            self._common[player] = self._last_common()
        self._players = [index for index in self._players if index != player]
        if self._suspect is not None and self._suspect[0] == player:
            self._suspect = None
            self._located = self._values = self._their_values = None
        self._their_traces.pop(player, None)

    def receive(self, player: int, message: bytes) -> bool:
        """Handle a message from another machine. Return False if the message is invalid."""
        kind, content = message[:1], message[1:]
        try:
            if kind == b"h" and len(content) == _HASH.size:
                return self._take_hash(player, *_HASH.unpack(content))
            if kind == b"t" and len(content) % 8 == 0 and 16 <= len(content) <= 8 * INTERVAL * 9:
                if player in self._their_traces:
                    return False  # each machine sends these hashes only once
                numbers = [value for (value,) in _U64.iter_unpack(content)]
                self._their_traces[player] = dict(enumerate(numbers[1:], numbers[0]))
                return True
            if kind == b"v":
                is_suspect = self._suspect is not None and self._suspect[0] == player
                if not is_suspect or self._their_values is not None:
                    return False
                # From now on, a second message is invalid, even if this message is damaged.
                self._their_values = {}
                self._their_values = _unpacked(content)
                return True
        except (ValueError, TypeError, zlib.error, RecursionError):
            return False
        return False

    def _take_hash(self, player: int, tick: int, state_hash: int) -> bool:
        theirs = self._theirs.get(player)
        if theirs is None:
            return False
        if tick <= self._first:
            return True  # a hash from before this machine took part again
        if tick % INTERVAL or tick <= self.agreed or len(theirs) >= _MAX_WAITING:
            return False
        if self._since.get(player) == _UNKNOWN:
            self._since[player] = tick
        theirs[tick] = state_hash
        return True

    def compare(self) -> list[tuple[int, bytes]]:
        """Compare the state hashes of all machines. After a difference, continue the search for the
        value that differs.

        Return a list of messages to send to other machines. Each entry of the list is a pair
        ``(player, message)`` with the index of the receiver. Call `compare` only when the game can
        restore a snapshot.
        """
        if self.desync is not None or self.stopped:
            return []
        if self._suspect is not None:
            return self._locate(*self._suspect)
        for tick in sorted(self._runs):
            if tick > self._sent:
                break
            ours, snapshot = self._runs[tick]
            players = [player for player in self._players if tick >= self._since.get(player, 0)]
            for player in players:
                theirs = self._theirs[player].get(tick)
                if theirs is not None and theirs != ours:
                    self._suspect = player, tick
                    return self._begin_to_locate(player, tick)
            if any(tick not in self._theirs[player] for player in players):
                break
            self.agreed = tick
            self._agreed_snapshot = snapshot
            del self._runs[tick]
            for player in players:
                del self._theirs[player][tick]
        return []

    # -- locating a difference ---------------------------------------------------------------------

    def _begin_to_locate(self, player: int, last: int) -> list[tuple[int, bytes]]:
        """Run all ticks after the last equal state again. Return a message with the state hash of
        each tick.
        """
        self._trace = {}

        def note(game: Any, tick: int) -> None:
            self._trace[tick] = game.state_hash()

        self._rerun(self._agreed_snapshot, self.agreed + 1, last, note)
        numbers = [self.agreed + 1, *self._trace.values()]
        return [(player, b"t" + b"".join(map(_U64.pack, numbers)))]

    def _locate(self, player: int, last: int) -> list[tuple[int, bytes]]:
        their_trace = self._their_traces.get(player)
        if self._located is None and their_trace is not None:
            common = sorted(self._trace.keys() & their_trace.keys())
            different = [tick for tick in common if self._trace[tick] != their_trace[tick]]
            # If the second runs give equal states, the first runs used values outside of the state.
            self._located = different[0] if different else last
            stored = self._runs.get(self._located)
            if different or stored is None:
                self._values = self._values_after(self._located)
            else:
                self._values = self._values_in(stored[1], self._located)
            return [(player, b"v" + _packed(self._values))]
        if (
            self._located is not None
            and self._values is not None
            and self._their_values is not None
        ):
            self.desync = _difference(self._located, player, self._values, self._their_values)
            self.values = DesyncValues(self._values, self._their_values)
            self._runs.clear()
        return []

    def _values_in(self, snapshot: Snapshot, tick: int) -> Listing:
        """Return all values of the game after ``tick``, from a snapshot."""
        values: Listing = {}
        self._rerun(snapshot, tick, tick, lambda game, _: values.update(game.debug.state_values()))
        return values

    def _values_after(self, last: int) -> Listing:
        values: Listing = {}

        def note(game: Any, tick: int) -> None:
            if tick == last:
                values.update(game.debug.state_values())

        self._rerun(self._agreed_snapshot, self.agreed + 1, last, note)
        return values


def _packed(values: Listing) -> bytes:
    """Return the values as bytes. For each value, the bytes contain its hash and its text. For a
    small array, they also contain the data.
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
    """Return a text from another machine for a message, without line breaks and control
    characters.
    """
    text = text[:_SHOWN]
    return _cut(text if text.isprintable() else repr(text))


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _difference(tick: int, player: int, values: Listing, theirs: Mapping[str, Any]) -> Desync:
    """Return the first difference between the values of two machines. If ``theirs`` is empty, the
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
    """Return the index of the first array element that differs, and the text of its value on each
    machine. Return None if no different element was found.
    """
    if not _is_small_array(value, _MAX_ARRAY) or len(entry) < 5 or entry[2] != value.dtype.str:
        return None
    if entry[3] != ",".join(map(str, value.shape)):
        return None
    try:
        data = base64.b64decode(entry[4])
    except ValueError:
        return None  # the data of the other machine are wrong
    if len(data) != value.nbytes:
        return None
    theirs = np.frombuffer(data, value.dtype).reshape(value.shape)
    same = (value == theirs) | ((value != value) & (theirs != theirs))
    if same.all():
        return None
    row = tuple(np.argwhere(~same)[0].tolist())
    return f"[{', '.join(map(str, row))}]", repr(value[row].item()), repr(theirs[row].item())


_REPORT_NAME = re.compile(r"\d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d player \d")
_REPORT_FILES = ("match.replay", "values.json")


def remove_old_reports(parent: str) -> None:
    """Remove the oldest report folders in ``parent``, so that a new report can be written.

    The number of report folders is limited, because another player can cause a report in each
    match. Other folders and files are not removed.
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
