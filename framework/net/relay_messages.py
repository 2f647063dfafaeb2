"""Write and read the messages between a relay and its clients.

Requests and replies are JSON objects in text frames, such as ``{"v": 1, "type": "join", "code":
"KXPTM"}``. A game's own messages are sent as binary frames: one byte for the kind of message, two
bytes for the member, and the data. No frame contains pickled Python objects.
"""

from __future__ import annotations

import json
import struct
from typing import Any, NamedTuple

VERSION = 1
"""The version of this format. Clients that use another version get an error from the relay."""

MAX_FRAME = 1 << 16
"""The maximum size of a frame in bytes."""
MAX_TEXT_FRAME = 4096
"""The maximum length of a JSON frame from a client."""
MAX_NAME = 32
MAX_CHAT = 300
MAX_GAME = 64

EVERYBODY = 0
HOST = 0xFFFF
RELIABLE, UNRELIABLE = range(1, 3)
_HEAD = struct.Struct("<BH")
MAX_DATA = MAX_FRAME - _HEAD.size
"""The maximum size of a game's message in bytes."""

ALPHABET = "BCDFGHJKLMNPQRSTVWXZ2456789"
"""The characters in room codes. Vowels are missing, so that codes never form words. Characters that
look similar to other characters are missing too.
"""
CODE_LENGTH = 5
REPLACED = "the same player connected again"
"""The reason that a relay sends when it ends a connection because the same player has connected
again.
"""


class GameMessage(NamedTuple):
    """A message from the game of one player to the game of another player. In a frame to the relay,
    ``member`` is the receiver. In a frame to a client, ``member`` is the sender.
    """

    reliable: bool
    member: int
    data: bytes


def pack_message(reliable: bool, member: int, data: bytes) -> bytes:
    """Return a binary frame with a message of a game."""
    return _HEAD.pack(RELIABLE if reliable else UNRELIABLE, member) + data


def unpack_message(frame: bytes) -> GameMessage | None:
    """Return the message in a binary frame, or None if the frame is invalid."""
    if not _HEAD.size <= len(frame) <= MAX_FRAME or frame[0] not in (RELIABLE, UNRELIABLE):
        return None
    kind, member = _HEAD.unpack_from(frame)
    return GameMessage(kind == RELIABLE, member, frame[_HEAD.size :])


def pack_json(kind: str, **values: Any) -> str:
    """Return a text frame with a JSON object."""
    return json.dumps({"v": VERSION, "type": kind, **values}, separators=(",", ":"))


def unpack_json(frame: str, limit: int = MAX_FRAME) -> dict[str, Any] | None:
    """Return the JSON object in a text frame, or None if the frame is invalid."""
    if len(frame) > limit:
        return None
    try:
        value = json.loads(frame)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        return None
    return value


def text_of(message: dict[str, Any], name: str, limit: int) -> str:
    """Return the value ``name`` of a message as text, or "" if the value is not text. Control
    characters are replaced with spaces.
    """
    value = message.get(name)
    if not isinstance(value, str):
        return ""
    printable = (character if character.isprintable() else " " for character in value[:limit])
    return "".join(printable).strip()


def whole_of(message: dict[str, Any], name: str) -> int:
    """Return the value ``name`` of a message as an integer, or -1 if the value is not an
    integer.
    """
    value = message.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else -1
