"""Store each player's input in a match, and pack it into datagrams.

Machines send only events, such as a key press or a key release. If a player has no events in a
tick, nothing changes: a key that is held stays held. Therefore, to predict input that has not
arrived yet, a machine assumes that there are no events.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence

from ..errors import AssetError
from ..input.input_source import NO_INPUT
from ..input.tick_input import (
    Event,
    HeldInput,
    InputReader,
    InputWriter,
    Scale,
    TickInput,
    put_whole,
)

SCALE = Scale(1.0, 0.0, 0.0, 16.0, 16.0)
"""Mouse positions are sent with a precision of 1/16 unit."""

MAX_TICKS = 127
"""The maximum number of ticks in one datagram, and the maximum number of ticks by which one player
can be ahead of another.
"""
MAX_DATAGRAM = 1100
"""The maximum size of the input in one datagram, in bytes."""
# The estimated maximum size of a tick's events in bytes; more events wait for the next tick.
_MAX_TICK_BYTES = 300
_MAX_TEXT = 64  # the maximum number of characters in one event of typed text
_KEPT_TICKS = 256  # the input of this number of confirmed ticks is kept for checks and reports

_MOTION = ("on_mouse_motion", "on_mouse_drag")
_SIZES = {
    "on_key_press": 5,
    "on_key_release": 5,
    "on_mouse_motion": 10,
    "on_mouse_drag": 12,
    "on_mouse_press": 8,
    "on_mouse_release": 8,
    "on_mouse_scroll": 24,
    "on_text": 8,
    "on_text_motion": 5,
    "on_text_motion_select": 5,
    "on_pad_connect": 64,
    "on_pad_disconnect": 4,
    "on_pad_press": 8,
    "on_pad_release": 8,
    "on_pad_stick": 16,
    "on_pad_trigger": 16,
}
"""The events that are sent to other machines. The numbers are estimated sizes in bytes."""

Events = tuple[Event, ...]

_IS_COMPRESSED = 128  # this flag is added to the number of ticks
_MIN_COMPRESSED = 12  # bytes; compressing smaller data saves nothing
_MAX_NUMBER = 1e12  # the maximum float in an event, such as a mouse position in units
MAX_UNPACKED = 1 << 14
"""The maximum size in bytes of one player's events in a message, before compression."""
_MAX_READ = 1 << 12
"""The maximum size in bytes of one player's events in one received tick. The input from a normal
machine is less than a tenth of this size. Even the releases of all keys of a player who has left
are smaller.
"""


def _usual_keys() -> bytes:
    """Return example data with events of the most common keys, so that the compressor can also
    compress short messages.
    """
    writer = InputWriter(SCALE)
    for symbol in (*range(0x61, 0x7B), 0xFF0D, 0xFFE1, 0x20, 0xFF51, 0xFF53, 0xFF54, 0xFF52):
        for name in ("on_key_release", "on_key_press"):
            put_whole(writer.data, 3)
            writer.add([(name, symbol, 0)])
    return bytes(writer.data)


_USUAL_KEYS = _usual_keys()


class LocalEvents:
    """Selects the events on this computer that the other players must receive, and converts them.

    Some events are not sent, because they affect only this computer, such as a new window size. The
    events of this computer's first gamepad get the player's index.
    """

    not_state = True

    def __init__(self, player: int) -> None:
        self._player = player
        self._held = HeldInput()
        self._waiting: list[Event] = []

    def add(self, local: TickInput) -> None:
        """Add the events on this computer since the last tick."""
        for event in local.of(0).events:
            self._waiting += self._converted(event)

    def _converted(self, event: Event) -> Iterator[Event]:
        name = event[0]
        # This window has lost the focus. The other machines only need to know that the keys were
        # released.
        if name == "on_deactivate":
            released = HeldInput(position=self._held_after_waiting().position)
            yield from released.since(self._held_after_waiting()).events
        elif name not in _SIZES:
            return
        elif name[:7] == "on_pad_":
            if event[1] == 0:
                yield (name, self._player, *event[2:])
        elif name == "on_text":
            text = event[1]
            for start in range(0, len(text), _MAX_TEXT):
                yield name, text[start : start + _MAX_TEXT]
        elif name[:9] == "on_mouse_":
            yield self._rounded(event)
        else:
            yield event

    @staticmethod
    def _rounded(event: Event) -> Event:
        name, *values = event
        count = 4 if name in _MOTION else 2
        numbers = [round(value * SCALE.x) / SCALE.x for value in values[:count]]
        return (name, *numbers, *values[count:])

    def _held_after_waiting(self) -> HeldInput:
        return TickInput(tuple(self._waiting)).held(self._held)

    def take(self) -> Events:
        """Return the events for the next tick, and remove these events from the queue. If there are
        too many events, some events stay in the queue for later ticks.
        """
        events: list[Event] = []
        size = 0
        for event in self._waiting:
            size += _SIZES[event[0]] + (len(event[1].encode()) if event[0] == "on_text" else 0)
            if size > _MAX_TICK_BYTES:
                break
            events.append(event)
        del self._waiting[: len(events)]
        merged = canonical(merged_motion(events))
        self._held = TickInput(merged).held(self._held)
        return merged


def held_at_start(local: TickInput) -> TickInput:
    """Return the input of the match's first tick: the keys that are held when the match starts.
    ``local`` contains all events that arrived while the match was waiting for players. A key that
    was pressed and released during this time is ignored.
    """
    own = local.of(0)
    gamepads = [
        event for event in own.events if event[0] in ("on_pad_connect", "on_pad_disconnect")
    ]
    return TickInput((*gamepads, *own.held().since(HeldInput()).events))


def merged_motion(events: Iterable[Event]) -> list[Event]:
    """Merge consecutive mouse motions into one event."""
    merged: list[Event] = []
    for event in events:
        last = merged[-1] if merged else None
        if (
            last is not None
            and event[0] in _MOTION
            and last[:1] + last[5:] == event[:1] + event[5:]
        ):
            x, y, dx, dy = event[1:5]
            merged[-1] = (event[0], x, y, last[3] + dx, last[4] + dy, *event[5:])
        else:
            merged.append(event)
    return merged


def canonical(events: Sequence[Event]) -> Events:
    """Pack the events and unpack them again. Packing rounds some values, so this machine then uses
    exactly the same values as all other machines.
    """
    if not events:
        return ()
    writer = InputWriter(SCALE)
    writer.add(events)
    return InputReader(bytes(writer.data), SCALE).tick().events


class PlayerInput:
    """The input of one player, from the tick after ``before`` to the last tick that has arrived."""

    not_state = True

    def __init__(self, before: int = 0) -> None:
        self.known = before
        """The last tick whose events are known. The events of all earlier ticks are also known."""
        self._events: dict[int, Events] = {}  # contains only ticks with events
        self._first = before + 1  # the first tick with stored events

    @property
    def first(self) -> int:
        """The first tick whose events are stored."""
        return self._first

    def at(self, tick: int) -> Events:
        """Return the events of a tick. If the input of the tick has not arrived, return (), because
        the prediction is that the tick has no events.
        """
        return self._events.get(tick, ())

    def add(self, tick: int, events: Events) -> None:
        """Add the events of the tick ``known + 1``."""
        self.known = tick
        if events:
            self._events[tick] = events

    def forget(self, confirmed: int) -> None:
        """Delete the events of old ticks, except the last 256 ticks before ``confirmed``."""
        first = confirmed - _KEPT_TICKS
        if first > self._first:
            for tick in range(self._first, first):
                self._events.pop(tick, None)
            self._first = first

    def differs(self, tick: int, events: Events) -> bool:
        """Return whether ``events`` differ from the stored events of this tick."""
        return tick >= self._first and self.at(tick) != events

    def packed(self, first: int, max_bytes: int = MAX_DATAGRAM) -> bytes:
        """Return the events of all known ticks as bytes, from the tick ``first`` on. The function
        `read_ticks` converts the bytes back to events. If the events need more than ``max_bytes``
        bytes before compression, the last ticks are left out. By default, the bytes fit into one
        datagram.
        """
        writer = InputWriter(SCALE)
        before = first - 1
        last = min(self.known, first + MAX_TICKS - 1)
        for tick in range(first, last + 1):
            events = self.at(tick)
            if not events:
                continue
            length = len(writer.data)
            put_whole(writer.data, tick - before)
            writer.add(events)
            if len(writer.data) > max_bytes and length:
                del writer.data[length:]
                last = tick - 1
                break
            before = tick
        count = max(0, last - first + 1)
        data = bytes(writer.data)
        if len(data) > _MIN_COMPRESSED:
            compressed = _compressed(data)
            if len(compressed) < len(data):
                return bytes([count | _IS_COMPRESSED]) + compressed
        return bytes([count]) + data


def _compressed(content: bytes) -> bytes:
    packer = zlib.compressobj(6, zlib.DEFLATED, -9, 1, zlib.Z_DEFAULT_STRATEGY, _USUAL_KEYS)
    return packer.compress(content) + packer.flush()


def _decompressed(content: bytes, max_bytes: int) -> bytes | None:
    """Decompress ``content``. Return None if ``content`` is invalid."""
    unpacker = zlib.decompressobj(-9, _USUAL_KEYS)
    try:
        result = unpacker.decompress(content, max_bytes)
    except zlib.error:
        return None
    return None if unpacker.unconsumed_tail or not unpacker.eof else result


def read_ticks(data: bytes, players: int = 0) -> list[Events] | None:
    """Return a list with the events of each tick. ``data`` contains the bytes that
    `PlayerInput.packed` has returned. Return None if the bytes are invalid.

    ``players`` is the number of players whose events ``data`` may contain. If ``players`` is 0,
    ``data`` contains the events of one player, without a player index.
    """
    if not data:
        return None
    count = data[0] & ~_IS_COMPRESSED
    content: bytes | None = data[1:]
    if data[0] & _IS_COMPRESSED:
        content = _decompressed(data[1:], MAX_UNPACKED * max(1, players))
    # The input of several players needs more bytes, because it contains marks and more mouse
    # positions.
    max_tick = 2 * players * _MAX_READ if players else _MAX_READ
    if content is None:
        return None
    reader = InputReader(content, SCALE)
    try:
        ticks: list[Events] = [()] * count
        offset = -1
        while reader.position < len(content):
            gap = reader.whole()
            offset += gap
            if not gap or offset >= count:
                return None
            start = reader.position
            events = reader.tick().events
            if reader.position - start > max_tick:
                return None
            if not all(_is_valid(event, players) for event in events):
                return None
            ticks[offset] = events
    except AssetError:
        return None
    return ticks


def _is_valid(event: Event, players: int) -> bool:
    if event[0] not in _SIZES:
        return event[0] == "player" and bool(event[1] < players)
    return has_usual_numbers(event)


def has_usual_numbers(event: Event) -> bool:
    """Return whether all floats of an event are at most 10**12. Sums and differences of such
    numbers are finite, so they cause no errors in a game.
    """
    return all(not isinstance(value, float) or abs(value) <= _MAX_NUMBER for value in event)


def combined(inputs: Sequence[Events]) -> TickInput:
    """Return a `TickInput` with the events of all players."""
    if not any(inputs):
        return NO_INPUT
    events: list[Event] = []
    owner = 0
    for player, own in enumerate(inputs):
        if own and owner != player:
            events.append(("player", player))
            owner = player
        events += own
    return TickInput(tuple(events))
