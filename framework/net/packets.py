"""Write and read the packets of a connection, including the handshake that opens it.

The handshake uses the first five kinds of packets. First, the client sends HELLO. The server
replies with CHALLENGE, which contains a cookie, and stores no data about the client yet. Then the
client sends CONNECT with the same cookie, which proves that the client really receives packets at
its address. Finally, the server replies with ACCEPTED, which contains a key, or with REFUSED. After
the handshake, all packets are DATA packets. Each DATA packet carries a tag, which is a short hash
of the packet and the key. Both sides drop packets with a wrong tag, such as packets from an
attacker. The tag does not encrypt the data, and a program that can read all packets, including the
handshake, can compute valid tags.

Most DATA packets have a short header with only the lowest 8 bits of the packet number and of the
newest acknowledged packet number. The receiver reconstructs the complete numbers from these bits.
Because the tag is computed from the complete numbers, the tag does not match after a wrong guess,
and the packet is dropped.
"""

from __future__ import annotations

import hashlib
import hmac
import struct
from typing import NamedTuple

from .link import MAX_DATAGRAM

VERSION = 1
"""The version of this format. A server refuses a client that uses another version."""

HELLO, CHALLENGE, CONNECT, ACCEPTED, REFUSED = range(0xB1, 0xB6)
DATA = 0xC0
# This flag in the kind DATA marks a short header.
_SHORT = 1
# This flag in the kind DATA means: the packet is one unreliable message, without chunks.
_SINGLE = 2
# The kinds of chunks in a packet of the kind DATA.
UNRELIABLE, FRAGMENT, LAST_FRAGMENT, CLOSE = range(1, 5)

# The kinds of reasons in a packet of the kind REFUSED.
DIFFERENT_GAME, DIFFERENT_VERSION, TEXT = range(1, 4)

NONCE = 8
COOKIE = 16
KEY = 16
_TAG = 8
_HELLO = struct.Struct("<BB8s")
# Larger than the answer, because otherwise attackers could make servers send a lot of data to other
# computers.
_HELLO_SIZE = 64
_CHALLENGE = struct.Struct("<B8sI16s")
_CONNECT = struct.Struct("<BB8sI16sIHH")
_ACCEPTED = struct.Struct("<B8s16sI")
_REFUSED = struct.Struct("<B8sB")
_DATA = struct.Struct("<B8sHHIB")
_SHORT_DATA = struct.Struct("<B8sBBB")
# The first fields of a DATA packet that is authenticated: the kind, and whole numbers.
_TAGGED = struct.Struct("<BHH")
_LENGTH = struct.Struct("<BH")
_NUMBERED = struct.Struct("<BHH")

DATA_SIZE = _DATA.size
SHORT_BITS = 8
"""The number of ack bits in a short header. (Each bit confirms one earlier packet.)"""
CHUNK_SIZE = _LENGTH.size
FRAGMENT_SIZE = _NUMBERED.size
MAX_UNRELIABLE = MAX_DATAGRAM - DATA_SIZE - CHUNK_SIZE
"""The maximum size of an unreliable message, in bytes."""
MAX_HELLO_DATA = MAX_DATAGRAM - _CONNECT.size - _TAG
"""The maximum size of the identity and the token together, in bytes."""
MAX_REASON = 300
"""The maximum length of a reason, in characters."""


class Challenge(NamedTuple):
    """The server's reply to HELLO, with the cookie for the client."""

    nonce: bytes
    stamp: int
    cookie: bytes


class Connect(NamedTuple):
    """The client's request for a connection, with the cookie from the server's `Challenge`."""

    version: int
    nonce: bytes
    stamp: int
    cookie: bytes
    max_message: int
    identity: bytes
    token: bytes


class Chunk(NamedTuple):
    """One message, or one fragment of a message, in a DATA packet. ``number`` is the number of the
    fragment, or 0 in a chunk that is not a fragment.
    """

    kind: int
    number: int
    data: bytes


class Data(NamedTuple):
    """A DATA packet of an open connection.

    ``sequence`` is the number of the packet. ``ack`` is the number of the newest packet that the
    sender has received. Bit k of ``ack_bits`` is 1 if the packet with the number ``ack - 1 - k``
    has also arrived. ``held`` is the time in milliseconds from the arrival of the packet ``ack``
    until this packet is sent, at most 255. A packet with a short head has only 8 ack bits, and its
    ``held`` is 255.
    """

    sequence: int
    ack: int
    ack_bits: int
    held: int
    chunks: list[Chunk]


def pack_hello(nonce: bytes) -> bytes:
    """Return a HELLO packet, with which a client starts a connection. ``nonce`` is a random number,
    which the server's reply must contain.
    """
    return _tagged(_HELLO.pack(HELLO, VERSION, nonce).ljust(_HELLO_SIZE - _TAG, b"\0"), nonce)


def unpack_hello(data: bytes) -> tuple[int, bytes] | None:
    """Return the version and the nonce of a HELLO packet, or None if the packet is invalid."""
    if len(data) != _HELLO_SIZE:
        return None
    _, version, nonce = _HELLO.unpack_from(data)
    return (version, nonce) if _has_tag(data, nonce) else None


def pack_challenge(challenge: Challenge) -> bytes:
    """Return a CHALLENGE packet."""
    return _tagged(_CHALLENGE.pack(CHALLENGE, *challenge), challenge.nonce)


def unpack_challenge(data: bytes, nonce: bytes) -> Challenge | None:
    """Return the content of a CHALLENGE packet, or None if the packet is invalid or has a different
    nonce.
    """
    if len(data) != _CHALLENGE.size + _TAG or not _has_tag(data, nonce):
        return None
    challenge = Challenge(*_CHALLENGE.unpack_from(data)[1:])
    return challenge if challenge.nonce == nonce else None


def pack_connect(request: Connect) -> bytes:
    """Return a CONNECT packet."""
    version, nonce, stamp, cookie, max_message, identity, token = request
    lengths = len(identity), len(token)
    head = _CONNECT.pack(CONNECT, version, nonce, stamp, cookie, max_message, *lengths)
    return _tagged(head + identity + token, cookie)


def unpack_connect(data: bytes) -> Connect | None:
    """Return the content of a CONNECT packet, or None if the packet is invalid."""
    if len(data) < _CONNECT.size + _TAG:
        return None
    _, version, nonce, stamp, cookie, max_message, *lengths = _CONNECT.unpack_from(data)
    identity_length, token_length = lengths
    if _CONNECT.size + identity_length + token_length + _TAG != len(data):
        return None
    if not _has_tag(data, cookie):
        return None
    middle = _CONNECT.size + identity_length
    identity = data[_CONNECT.size : middle]
    token = data[middle : middle + token_length]
    return Connect(version, nonce, stamp, cookie, max_message, identity, token)


def pack_accepted(nonce: bytes, key: bytes, max_message: int) -> bytes:
    """Return an ACCEPTED packet, which opens a connection."""
    return _tagged(_ACCEPTED.pack(ACCEPTED, nonce, key, max_message), nonce)


def unpack_accepted(data: bytes, nonce: bytes) -> tuple[bytes, int] | None:
    """Return the key and the maximum message size from an ACCEPTED packet, or None if the packet is
    invalid or has a different nonce.
    """
    if len(data) != _ACCEPTED.size + _TAG or not _has_tag(data, nonce):
        return None
    _, packet_nonce, key, max_message = _ACCEPTED.unpack_from(data)
    return (key, max_message) if packet_nonce == nonce else None


def pack_refused(nonce: bytes, reason: int, details: bytes) -> bytes:
    """Return a REFUSED packet."""
    return _tagged(_REFUSED.pack(REFUSED, nonce, reason) + details, nonce)


def unpack_refused(data: bytes, nonce: bytes) -> tuple[int, bytes] | None:
    """Return the reason and the details from a REFUSED packet, or None if the packet is invalid or
    has a different nonce.
    """
    if len(data) < _REFUSED.size + _TAG or not _has_tag(data, nonce):
        return None
    _, packet_nonce, reason = _REFUSED.unpack_from(data)
    return (reason, data[_REFUSED.size : -_TAG]) if packet_nonce == nonce else None


def cookie_of(secret: bytes, peer: object, nonce: bytes, stamp: int) -> bytes:
    """Return the cookie for a peer. Only a program at the peer's address receives the cookie, so
    the cookie proves the address.
    """
    text = repr(peer).encode("utf-8", "replace") + nonce + stamp.to_bytes(4, "little")
    return hmac.digest(secret, text, "sha256")[:COOKIE]


def pack_chunk(kind: int, data: bytes) -> bytes:
    """Return the bytes of a chunk. The kind must be UNRELIABLE or CLOSE."""
    return _LENGTH.pack(kind, len(data)) + data


def pack_fragment(number: int, data: bytes, last: bool) -> bytes:
    """Return the bytes of a chunk with one fragment of a reliable message."""
    return _NUMBERED.pack(LAST_FRAGMENT if last else FRAGMENT, number, len(data)) + data


def pack_data(
    key: bytes,
    sender: bytes,
    sequence: int,
    ack: int,
    ack_bits: int,
    held_ms: int,
    content: bytes,
    *,
    short: bool = False,
    single: bool = False,
) -> bytes:
    """Return a DATA packet. ``sender`` is b"client" or b"server". The authentication tag of the
    packet depends on ``sender``, so it does not match if an attacker sends a packet back to its
    sender.

    ``content`` contains the packed chunks as bytes. If ``single`` is True, ``content`` is one
    unreliable message without a chunk head. If ``short`` is True, the packet has a short head.
    """
    kind = DATA | (_SHORT if short else 0) | (_SINGLE if single else 0)
    if short:
        low_bits = ack_bits & (1 << SHORT_BITS) - 1
        head = _SHORT_DATA.pack(kind, bytes(_TAG), sequence & 0xFF, ack & 0xFF, low_bits)
    else:
        head = _DATA.pack(kind, bytes(_TAG), sequence, ack, ack_bits, held_ms)
    packet = head + content
    tag = _data_tag(packet, key, sender, sequence, ack)
    return packet[:1] + tag + packet[1 + _TAG :]


def is_data(kind: int) -> bool:
    """Return whether ``kind``, the first byte of a packet, marks a DATA packet."""
    return kind & ~(_SHORT | _SINGLE) == DATA


def unpack_data(
    data: bytes, key: bytes, sender: bytes, newest_received: int, newest_sent: int
) -> Data | str:
    """Return the content of a DATA packet, or the reason ("malformed" or "token") if the packet
    must be dropped.

    ``newest_received`` is the number of the newest received packet. ``newest_sent`` is the number
    of the newest sent packet. Both are needed to complete the numbers in a short head.
    """
    kind = data[0]
    layout = _SHORT_DATA if kind & _SHORT else _DATA
    if len(data) < layout.size:
        return "malformed"
    _, tag, sequence, ack, ack_bits, *held_ms = layout.unpack_from(data)
    if kind & _SHORT:
        sequence = newest_received + (sequence - newest_received + 0x80 & 0xFF) - 0x80 & 0xFFFF
        ack = newest_sent - (newest_sent - ack & 0xFF) & 0xFFFF
    if not hmac.compare_digest(tag, _data_tag(data, key, sender, sequence, ack)):
        return "token"
    if kind & _SINGLE:
        chunks: list[Chunk] | None = [Chunk(UNRELIABLE, 0, data[layout.size :])]
    else:
        chunks = _unpack_chunks(data, layout.size)
    if chunks is None:
        return "malformed"
    return Data(sequence, ack, ack_bits, held_ms[0] if held_ms else 255, chunks)


def _data_tag(packet: bytes, key: bytes, sender: bytes, sequence: int, ack: int) -> bytes:
    """Return the authentication tag of a DATA packet. ``sequence`` and ``ack`` are the complete
    numbers, even if the packet has a short head.
    """
    kind = packet[0]
    numbers_size = 2 if kind & _SHORT else 4
    content = packet[1 + _TAG + numbers_size :]
    return _hash(_TAGGED.pack(kind, sequence, ack) + content, key, sender)


def _unpack_chunks(data: bytes, start: int) -> list[Chunk] | None:
    """Return the chunks of a DATA packet, or None if the chunks are invalid. ``start`` is the
    position of the first chunk.
    """
    chunks = []
    while start < len(data):
        kind = data[start]
        layout = _NUMBERED if kind in (FRAGMENT, LAST_FRAGMENT) else _LENGTH
        body = start + layout.size
        if not UNRELIABLE <= kind <= CLOSE or body > len(data):
            return None
        *number, length = layout.unpack_from(data, start)[1:]
        start = body + length
        if start > len(data):
            return None
        chunks.append(Chunk(kind, number[0] if number else 0, data[body:start]))
    return chunks


def pack_text(text: str) -> bytes:
    """Convert a reason to bytes for a packet, keeping only the first `MAX_REASON` characters."""
    return text[:MAX_REASON].encode("utf-8", "replace")


def unpack_text(data: bytes) -> str:
    """Return the text that another program has sent as a reason, for example for refusing a
    connection. Control characters are replaced with spaces.
    """
    text = data[: 4 * MAX_REASON].decode("utf-8", "replace")
    printable = (character if character.isprintable() else " " for character in text)
    return "".join(printable)[:MAX_REASON].strip()


def _hash(data: bytes, key: bytes, sender: bytes) -> bytes:
    return hashlib.blake2s(data, digest_size=_TAG, key=key, person=sender).digest()


def _tagged(data: bytes, key: bytes) -> bytes:
    return data + _hash(data, key, b"shake")


def _has_tag(data: bytes, key: bytes) -> bool:
    return hmac.compare_digest(data[-_TAG:], _hash(data[:-_TAG], key, b"shake"))
