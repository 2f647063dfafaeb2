"""Relay messages: the format of the frames between a relay and its clients.

Requests and news are JSON objects in text frames, such as ``{"v": 1, "type": "join", "code":
"KXPTM"}``. Messages of the game are binary frames: one byte for the kind, two bytes for a member,
and the data. No frame contains Python objects.
"""

from __future__ import annotations

import json
import struct
from typing import Any, NamedTuple

VERSION = 1
"""Version of the format. A relay answers other versions with an error."""

MAX_FRAME = 1 << 16
"""The longest frame in bytes."""
MAX_TEXT_FRAME = 4096
"""The longest frame with JSON from a client, in bytes."""
MAX_NAME = 32
MAX_CHAT = 300
MAX_GAME = 64

EVERYBODY = 0
HOST = 0xFFFF
RELIABLE, UNRELIABLE = range(1, 3)
_HEAD = struct.Struct("<BH")
MAX_DATA = MAX_FRAME - _HEAD.size
"""The longest message of a game in bytes."""

ALPHABET = "BCDFGHJKLMNPQRSTVWXZ2456789"
"""Characters of room codes: no vowels, which could form words, and no two that look alike."""
CODE_LENGTH = 5


class GameMessage(NamedTuple):
    """A message of the game. ``member`` is the receiver in frames to the relay, and the sender in
    frames to a client.
    """

    reliable: bool
    member: int
    data: bytes


def pack_message(reliable: bool, member: int, data: bytes) -> bytes:
    """Return a binary frame."""
    return _HEAD.pack(RELIABLE if reliable else UNRELIABLE, member) + data


def unpack_message(frame: bytes) -> GameMessage | None:
    """Return the message of a binary frame, or None if the frame is malformed."""
    if not _HEAD.size <= len(frame) <= MAX_FRAME or frame[0] not in (RELIABLE, UNRELIABLE):
        return None
    kind, member = _HEAD.unpack_from(frame)
    return GameMessage(kind == RELIABLE, member, frame[_HEAD.size :])


def pack_json(kind: str, **values: Any) -> str:
    """Return a text frame."""
    return json.dumps({"v": VERSION, "type": kind, **values}, separators=(",", ":"))


def unpack_json(frame: str, limit: int = MAX_FRAME) -> dict[str, Any] | None:
    """Return the object of a text frame, or None if the frame is malformed."""
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
    """Return a text of a message without control characters, "" if the value is no text."""
    value = message.get(name)
    if not isinstance(value, str):
        return ""
    printable = (character if character.isprintable() else " " for character in value[:limit])
    return "".join(printable).strip()


def whole_of(message: dict[str, Any], name: str) -> int:
    """Return a whole number of a message, or -1 if the value is none."""
    value = message.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else -1
