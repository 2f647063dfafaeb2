"""Convert the messages between a server and its clients to bytes and back.

All numbers are little-endian. The first byte of a message is its kind. All functions that read
bytes raise `ValueError` if the bytes are invalid.
"""

from __future__ import annotations

import json
import struct
import zlib
from typing import Any, NamedTuple

from ..errors import AssetError
from ..input.tick_input import Event, TickInput
from ..record import strict_json
from .match_input import has_usual_numbers

PROTOCOL = 1
"""The version of these messages. A server and its clients must use the same version."""

# Kinds of reliable messages from the server.
WELCOME = 1
MEMBERS = 2
CHANGES = 3
EVENT = 4
# Kinds of unreliable messages from the server.
STATE = 5
TICK = 6
# The kind of unreliable messages from a client.
INPUT = 7

MAX_JSON = 1 << 16
MAX_NAME = 32
"""The maximum length of a player's name in characters."""
SHOWN_STEPS = 16
"""The number of steps per tick in which a client sends the tick that it is showing."""
MAX_BACK = 200
"""The maximum number of earlier ticks in a message, in addition to its newest tick."""
_MAX_INPUT = 1000  # bytes
MAX_EVENTS = 256
"""The maximum number of events for one player in one tick."""
# Fields: the kind, and the index of the batch.
_STREAM = struct.Struct("<BB")
# Fields: the kind, the number of the part, and the index of the batch.
STATE_HEAD = struct.Struct("<BHB")
MAX_TICK = 1 << 31
"""The largest tick in a message. A game with 60 ticks per second reaches this tick after a year."""
# Fields: the kind, the tick, the label, the margin, and the number of batches with own rows.
_TICK = struct.Struct("<BIIhB")
# Fields: the index of the batch, and the number of rows.
_OWN = struct.Struct("<BB")
# Fields: the kind, the label, the ticks back, the shown tick, the newest number, and the mask.
_INPUT = struct.Struct("<BIBIHQ")
_ENTRY = struct.Struct("<BH")  # fields: the ticks back, and the size in bytes
_EVENT = struct.Struct("<BI")  # kind, tick

# The events that a client may send for its player.
_ALLOWED = frozenset(
    [
        *("on_key_press", "on_key_release", "on_text", "on_text_motion", "on_text_motion_select"),
        *("on_mouse_motion", "on_mouse_drag", "on_mouse_press", "on_mouse_release"),
        *("on_mouse_scroll", "on_mouse_enter", "on_mouse_leave", "on_deactivate"),
        *("on_pad_connect", "on_pad_disconnect", "on_pad_press", "on_pad_release"),
        *("on_pad_stick", "on_pad_trigger"),
    ]
)


class InputMessage(NamedTuple):
    """One client's input for several ticks. The message also confirms the parts of states that the
    client has received.
    """

    label: int
    """The newest tick in this message."""
    back: int
    """The message contains the input of the ticks ``label - back`` to ``label``."""
    shown: float
    """The tick that the client is showing, as a float."""
    newest: int
    """The number of the newest part that the client has decoded."""
    mask: int
    """Bit i is 1 if the client has decoded the part ``newest - i``."""
    inputs: dict[int, tuple[Event, ...]]
    """The events of each tick that has events, as a dict whose keys are ticks."""


class TickMessage(NamedTuple):
    """The server's newest tick, with the exact values of the rows that the client predicts."""

    tick: int
    label: int
    """The last tick whose input has arrived from this client."""
    margin: int
    """By how many ticks the newest input has arrived too early."""
    own: list[tuple[int, int, bytes]]
    """A list with an item for each batch: the batch's index, the number of rows, and the bytes of
    the values.
    """


def pack_json(kind: int, value: object) -> bytes:
    """Return a message that contains a JSON value."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":")).encode()
    return bytes([kind]) + zlib.compress(text, 1)


def unpack_json(data: bytes) -> Any:
    """Return the JSON value from a message that `pack_json` has returned."""
    unpacking = zlib.decompressobj()
    try:
        text = unpacking.decompress(data[1:], MAX_JSON)
        if not unpacking.eof:
            raise ValueError("too long")
        return strict_json.parse(text.decode())
    except (zlib.error, RecursionError) as error:
        raise ValueError(str(error)) from None


def pack_event(tick: int, name: str, arguments: list[Any]) -> bytes:
    """Return a message about an event of the game. Raises `TypeError` or `ValueError` if an
    argument of the event cannot be converted to JSON.
    """
    text = json.dumps([name, arguments], allow_nan=False, separators=(",", ":")).encode()
    return _EVENT.pack(EVENT, tick) + text


def unpack_event(data: bytes) -> tuple[int, str, list[Any]]:
    """Return the tick, the name and the arguments from a message that `pack_event` has returned."""
    if len(data) < _EVENT.size or len(data) > MAX_JSON:
        raise ValueError("length")
    _, tick = _EVENT.unpack_from(data)
    try:
        value: Any = strict_json.parse(data[_EVENT.size :].decode())
    except RecursionError:
        raise ValueError("too deep") from None
    if (
        not isinstance(value, list)
        or len(value) != 2
        or not isinstance(value[0], str)
        or not isinstance(value[1], list)
    ):
        raise ValueError("a name and arguments are expected")
    return tick, value[0], value[1]


def pack_stream(kind: int, batch: int, data: bytes) -> bytes:
    """Return a message about the rows of a batch, or about one column."""
    return _STREAM.pack(kind, batch) + data


def unpack_stream(data: bytes) -> tuple[int, bytes]:
    """Return the index of the batch and the data from a message that `pack_stream` has returned."""
    if len(data) < _STREAM.size:
        raise ValueError("too short")
    return data[1], data[_STREAM.size :]


def pack_tick(message: TickMessage) -> bytes:
    """Convert a `TickMessage` to bytes."""
    margin = max(-30_000, min(30_000, message.margin))
    parts = [_TICK.pack(TICK, message.tick, message.label, margin, len(message.own))]
    for batch, count, values in message.own:
        parts += [_OWN.pack(batch, count), values]
    return b"".join(parts)


def unpack_tick(data: bytes, row_bytes: list[int]) -> TickMessage:
    """Return the `TickMessage` from bytes that `pack_tick` has returned. ``row_bytes`` contains the
    size of one row in bytes, for each batch.
    """
    if len(data) < _TICK.size:
        raise ValueError("too short")
    _, tick, label, margin, count = _TICK.unpack_from(data)
    if tick > MAX_TICK or label > MAX_TICK:
        raise ValueError("tick")
    position = _TICK.size
    own = []
    for _ in range(count):
        if len(data) < position + _OWN.size:
            raise ValueError("too short")
        batch, rows = _OWN.unpack_from(data, position)
        position += _OWN.size
        if batch >= len(row_bytes):
            raise ValueError("batch")
        size = rows * row_bytes[batch]
        own.append((batch, rows, data[position : position + size]))
        position += size
    if position != len(data):
        raise ValueError("length")
    return TickMessage(tick, label, margin, own)


def pack_input(
    first: int,
    newest_label: int,
    pending: dict[int, TickInput],
    shown: float,
    newest: int,
    mask: int,
) -> bytes:
    """Return a message with a client's input for the ticks ``first`` to ``newest_label``. If the
    input does not fit into a datagram, leave out the newest ticks.
    """
    label = min(newest_label, first + MAX_BACK)
    entries: list[tuple[int, bytes]] = []
    size = 0
    for tick in sorted(pending):
        if not first <= tick <= label:
            continue
        data = TickInput(allowed(pending[tick].events)).encode()
        if len(data) > _MAX_INPUT:
            continue
        size += _ENTRY.size + len(data)
        if size > _MAX_INPUT or len(entries) == 255:
            label = tick - 1
            break
        entries.append((tick, data))
    steps = max(0, min(int(shown * SHOWN_STEPS), (1 << 32) - 1))
    head = _INPUT.pack(INPUT, label, max(label - first, 0), steps, newest, mask)
    body = [_ENTRY.pack(label - tick, len(data)) + data for tick, data in entries]
    return head + b"".join(body)


def unpack_input(data: bytes) -> InputMessage:
    """Return the `InputMessage` from bytes that `pack_input` has returned."""
    if len(data) < _INPUT.size:
        raise ValueError("too short")
    _, label, back, steps, newest, mask = _INPUT.unpack_from(data)
    position = _INPUT.size
    inputs: dict[int, tuple[Event, ...]] = {}
    while position < len(data):
        if len(data) < position + _ENTRY.size:
            raise ValueError("too short")
        ago, length = _ENTRY.unpack_from(data, position)
        position += _ENTRY.size
        content = data[position : position + length]
        position += length
        if ago > back or len(content) < length or label - ago in inputs:
            raise ValueError("entry")
        try:
            tick_input = TickInput.decode(content)
        except AssetError as error:
            raise ValueError(str(error)) from None
        events = allowed(tick_input.events)
        if len(events) != len(tick_input.events) or len(events) > MAX_EVENTS:
            raise ValueError("events")
        if not all(map(has_usual_numbers, events)):
            raise ValueError("numbers")
        inputs[label - ago] = events
    return InputMessage(label, back, steps / SHOWN_STEPS, newest, mask, inputs)


def allowed(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """Return only the events that a client may send to its server, such as key presses and mouse
    events.
    """
    return tuple([event for event in events if event[0] in _ALLOWED])


def checked_name(text: object) -> str:
    """Return a player's name without control characters, shortened to at most `MAX_NAME`
    characters.
    """
    if not isinstance(text, str):
        raise ValueError("name")
    printable = "".join([letter for letter in text if letter.isprintable()])
    return printable.strip()[:MAX_NAME]
