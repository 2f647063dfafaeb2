"""A connection between two programs, with reliable and unreliable messages."""

from __future__ import annotations

__all__ = ["Connection"]

from collections import Counter, deque
from collections.abc import Callable

from .. import checks
from . import packets
from .acks import ACK_BITS, ReceivedPackets, SentPacket, SentPackets, ahead
from .link import MAX_DATAGRAM, Peer
from .packets import Chunk
from .reliable import ReliableReceiver, ReliableSender, TooLongError

UNRELIABLE = "unreliable"
RELIABLE = "reliable"

MAX_MESSAGE = 1 << 24
"""The upper limit for the maximum size of a reliable message, in bytes."""

_NANOSECONDS = 1_000_000_000
# Nanoseconds; if nothing has been sent for this time, an empty packet is sent.
_KEEP_ALIVE = 100_000_000
_MILLISECOND = 1_000_000
_MIN_RESEND = 60_000_000
_MAX_RESEND = 1_000_000_000
# Extra nanoseconds, because both sides read packets only once per frame.
_RESEND_MARGIN = 30_000_000
# Nanoseconds; used before the round-trip time is measured.
_FIRST_RESEND = 300_000_000
# Usual delay in nanoseconds, because both sides read packets only once per frame.
_USUAL_QUEUEING = 40_000_000
_CONGESTED_LOSS = 0.5
_MAX_UNACKED = 16  # an ack is sent after this number of received packets
_FULL_EVERY = 8  # one in this number of packets has a full header
_MAX_SHORT = 96  # with more unconfirmed packets than this, all headers are full
_REPORTS = 6  # each arrival is reported in at least this number of packets, even with short headers
_LOSS_MEMORY = 64  # `Connection.lost` is the average of this number of packets

# The maximum number of received messages that wait for the game.
_MAX_INBOX = 4096
# The maximum number of waiting bytes, in addition to one message of maximum length.
_MAX_QUEUE = 1 << 20
_MAX_RATE = 2000  # the maximum number of packets per second
_MAX_BURST = 4000  # packets

_CLOSE_COPIES = 3  # the close message is sent several times, because packets may get lost


class Connection:
    """A connection to one other program, called the peer. `Endpoint.connect` returns a new
    connection. `Endpoint.accepted` returns the connections that other programs have requested.

    There are two ways to send a message. `send_unreliable` sends a message once. The message may
    get lost, or arrive after a later message. An unreliable message never arrives twice.
    `send_reliable` sends a message again until the message arrives. Reliable messages arrive in the
    order in which they were sent. All methods of `Connection` return without waiting. No peer can
    cause an exception in these methods. Messages are sent the next time `Endpoint.flush` is called.
    """

    not_state = True

    __slots__ = (
        "_allowance",
        "_allowed_ns",
        "_inbox",
        "_inbox_bytes",
        "_key",
        "_max_message",
        "_min_ping_ns",
        "_needs_ack",
        "_outgoing",
        "_outgoing_bytes",
        "_peer",
        "_ping_ns",
        "_ping_variation_ns",
        "_reason",
        "_received",
        "_receiver",
        "_reported",
        "_role",
        "_sender",
        "_sent",
        "_state",
        "_token",
        "_transmit",
        "_unacked",
        "dropped",
        "last_received_ns",
        "last_sent_ns",
        "lost",
        "nonce",
        "received_ns",
    )

    def __init__(
        self,
        peer: Peer,
        role: bytes,
        transmit: Callable[[Peer, bytes], None],
        *,
        nonce: bytes,
        token: bytes,
        now_ns: int,
        max_message: int,
    ) -> None:
        self.dropped: Counter[str] = Counter()
        self.lost = 0.0
        self.nonce = nonce
        self.last_received_ns = now_ns  # the time of the last valid packet
        self.last_sent_ns = now_ns
        # The time of the newest packet; acks contain the delay since then.
        self.received_ns = now_ns
        self._peer = peer
        self._role = role
        self._transmit = transmit
        self._token = token
        self._state = "connecting"
        self._reason = ""
        self._key = b""
        self._max_message = max_message
        self._received = ReceivedPackets()
        self._sent = SentPackets()
        self._sender = ReliableSender()
        self._receiver = ReliableReceiver(max_message)
        # The packet that was the newest received packet when each of the most recent packets was
        # sent, from the oldest to the newest.
        self._reported: deque[int] = deque(maxlen=_REPORTS)
        # Chunks of unreliable messages that wait for the next packet.
        self._outgoing: list[bytes] = []
        self._outgoing_bytes = 0
        self._inbox: list[tuple[str, bytes]] = []
        self._inbox_bytes = 0
        self._unacked = 0
        self._needs_ack = False
        self._ping_ns = 0.0
        self._min_ping_ns = 0.0
        self._ping_variation_ns = 0.0
        self._allowance = float(_MAX_BURST)
        self._allowed_ns = now_ns

    def __repr__(self) -> str:
        return f"<Connection to {described(self._peer)}: {self._state}>"

    # -- state -------------------------------------------------------------------------------------

    @property
    def peer(self) -> Peer:
        """The address of the other program."""
        return self._peer

    @property
    def token(self) -> bytes:
        """The bytes that the client passed to `Endpoint.connect`."""
        return self._token

    @property
    def state(self) -> str:
        """The state of the connection: "connecting", "connected", "refused", "lost" or "closed".
        The state "lost" means that no packets have arrived from the peer for too long.
        """
        return self._state

    @property
    def is_open(self) -> bool:
        """True while the state is "connecting" or "connected"."""
        return self._state in ("connecting", "connected")

    @property
    def reason(self) -> str:
        """A sentence that explains why the connection has ended, or "" while the connection is
        open.
        """
        return self._reason

    @property
    def ping(self) -> float:
        """The average time in seconds that a packet takes to travel to the peer and back. The value
        is 0 before the first measurement.
        """
        return self._ping_ns / _NANOSECONDS

    @property
    def jitter(self) -> float:
        """How much `ping` varies on average, in seconds. The value is 0 before the first
        measurement.
        """
        return self._ping_variation_ns / _NANOSECONDS

    @property
    def max_message(self) -> int:
        """The maximum size in bytes of a reliable message to the peer."""
        return self._max_message

    @property
    def unsent(self) -> int:
        """The size in bytes of all reliable messages that the peer has not yet confirmed."""
        return self._sender.size

    # -- messages ----------------------------------------------------------------------------------

    def send_unreliable(self, data: bytes) -> None:
        """Send a message once. It may not arrive. The message is dropped if the state is not
        "connected".

        ``data`` must contain at most 1179 bytes, so that the message fits into one datagram.
        """
        checks.instance("data", data, bytes, what="bytes")
        if len(data) > packets.MAX_UNRELIABLE:
            raise ValueError(
                f"data: expected at most {packets.MAX_UNRELIABLE} bytes, got {len(data)}; split the "
                "data, or use send_reliable"
            )
        if self._state != "connected":
            self.dropped["not connected"] += 1
            return
        if self._outgoing_bytes > _MAX_QUEUE:
            self.dropped["queue"] += 1
            return
        self._outgoing.append(packets.pack_chunk(packets.UNRELIABLE, data))
        self._outgoing_bytes += len(data) + packets.CHUNK_SIZE

    def send_reliable(self, data: bytes) -> None:
        """Send a message that must arrive. The message is sent again until it arrives.

        Messages wait until the state is "connected". The connection is closed if ``data`` contains
        more than `max_message` bytes, or if too many bytes are waiting because the peer receives
        too slowly.
        """
        checks.instance("data", data, bytes, what="bytes")
        if len(data) > MAX_MESSAGE:
            raise ValueError(
                f"data: expected at most {MAX_MESSAGE} bytes, got {len(data)}; split the data"
            )
        if not self.is_open:
            self.dropped["not connected"] += 1
            return
        if len(data) > self._max_message:
            # Raise no exception: the peer has chosen this limit, and must not be able to end this
            # program with an exception.
            self.close(
                f"{described(self._peer)} accepts messages of at most {self._max_message} bytes, "
                f"and this message has {len(data)}; split the data, or give the peer's Endpoint a "
                "larger max_message"
            )
            return
        if self._sender.size + len(data) > self._max_message + _MAX_QUEUE:
            self.close(f"{described(self._peer)} receives more slowly than this program sends")
            return
        self._sender.add(data)

    def received(self) -> list[tuple[str, bytes]]:
        """Return the messages that have arrived since the last call, in the order of arrival. Each
        message is a pair ``(channel, data)``. The channel is "unreliable" or "reliable".
        """
        messages = self._inbox
        self._inbox = []
        self._inbox_bytes = 0
        return messages

    def close(self, reason: str = "") -> None:
        """Close the connection, and send ``reason`` to the peer, where it becomes the property
        `reason` of the connection.
        """
        checks.text("reason", reason)
        if self._state == "connected":
            chunk = packets.pack_chunk(packets.CLOSE, packets.pack_text(reason))
            for _ in range(_CLOSE_COPIES):
                self._send_packet(self.last_sent_ns, chunk, ())
        self.end("closed", reason or "this program closed the connection")

    # -- called by the endpoint --------------------------------------------------------------------

    def open(self, key: bytes, max_message: int, now_ns: int) -> None:
        """Start sending and receiving: set the state to "connected"."""
        self._key = key
        self._max_message = min(max_message, MAX_MESSAGE)
        self._state = "connected"
        self.last_received_ns = now_ns
        self._needs_ack = True  # the next `flush` then sends a packet

    @property
    def key(self) -> bytes:
        """The secret key that protects the packets of this connection against changes."""
        return self._key

    def end(self, state: str, reason: str) -> None:
        """End the connection, and delete the messages that have not yet been sent. ``state`` and
        ``reason`` are the new values of the properties with these names.
        """
        if not self.is_open:
            return
        self._state = state
        self._reason = reason
        self._outgoing.clear()
        self._outgoing_bytes = 0
        self._sender = ReliableSender()

    def handle(self, data: bytes, now_ns: int) -> None:
        """Handle a DATA packet from the peer. If the packet is invalid, drop and count it."""
        sender = b"server" if self._role == b"client" else b"client"
        packet = packets.unpack_data(
            data, self._key, sender, self._received.newest, self._sent.newest
        )
        if isinstance(packet, str):
            self.dropped[packet] += 1
            return
        reason = self._reason_to_drop(packet, now_ns)
        if reason is not None:
            self.dropped[reason] += 1
            return
        newest = self._received.newest
        self._received.add(packet.sequence)
        if self._received.newest != newest:
            self.received_ns = now_ns
        self._unacked += 1
        self._handle_acks(packet, now_ns)
        for chunk in packet.chunks:
            self._handle_chunk(chunk)
        if self._unacked >= ACK_BITS and self._state == "connected":
            # One packet can confirm at most this number of packets.
            self._send_packet(now_ns, b"", ())

    def _reason_to_drop(self, packet: packets.Data, now_ns: int) -> str | None:
        reason = self._received.reason_to_drop(packet.sequence)
        if reason is not None:
            return reason
        # The packet proves that the peer is connected, even if the packet is dropped.
        self.last_received_ns = now_ns
        if not self._is_allowed(now_ns):
            return "flood"
        if not self._is_valid(packet):
            return "malformed"
        if packet.chunks and self._is_inbox_full():
            return "inbox"  # without an ack, the peer sends its reliable messages again
        return None

    def flush(self, now_ns: int) -> None:
        """Send all messages that are waiting in this connection. If the connection has not sent
        anything for 0.1 seconds, send an empty packet.
        """
        if self._state != "connected":
            return
        fragments = self._sender.due(now_ns, self._resend_ns(), self._is_congested())
        chunks: list[tuple[bytes, int | None]] = [(chunk, None) for chunk in self._outgoing]
        self._outgoing = []
        self._outgoing_bytes = 0
        for fragment in fragments:
            chunk = packets.pack_fragment(fragment.number, fragment.data, fragment.last)
            chunks.append((chunk, fragment.number))
        self._send_chunks(now_ns, chunks)
        needs_ack = self._needs_ack or self._unacked >= _MAX_UNACKED
        if needs_ack or now_ns - self.last_sent_ns >= _KEEP_ALIVE:
            self._send_packet(now_ns, b"", ())

    # -- packets -----------------------------------------------------------------------------------

    def _send_chunks(self, now_ns: int, chunks: list[tuple[bytes, int | None]]) -> None:
        """Send the chunks in order, in as few packets as possible."""
        body: list[bytes] = []
        numbers: list[int] = []
        size = packets.DATA_SIZE
        for chunk, number in chunks:
            if size + len(chunk) > MAX_DATAGRAM:
                self._send_packet(now_ns, b"".join(body), tuple(numbers))
                body = []
                numbers = []
                size = packets.DATA_SIZE
            body.append(chunk)
            size += len(chunk)
            if number is not None:
                numbers.append(number)
        if len(body) == 1 and not numbers:
            self._send_packet(now_ns, body[0][packets.CHUNK_SIZE :], (), single=True)
        elif body:
            self._send_packet(now_ns, b"".join(body), tuple(numbers))

    def _send_packet(
        self, now_ns: int, content: bytes, fragments: tuple[int, ...], single: bool = False
    ) -> None:
        sequence, forgotten = self._sent.add(now_ns, fragments)
        if forgotten is not None:
            self._count_lost(forgotten)
        held_ms = min(255, max(0, now_ns - self.received_ns) // _MILLISECOND)
        received = self._received
        packet = packets.pack_data(
            self._key,
            self._role,
            sequence,
            received.newest,
            received.ack_bits,
            held_ms,
            content,
            short=bool(content) and self._can_be_short(sequence),
            single=single,
        )
        self._reported.append(received.newest)
        self._unacked = 0
        self._needs_ack = False
        self.last_sent_ns = now_ns
        self._transmit(self._peer, packet)

    def _can_be_short(self, sequence: int) -> bool:
        """Return whether a packet may have a short head, which contains only the lowest bits of
        some numbers.

        The peer must be able to complete the numbers, and the few ack bits of a short head must be
        enough for all packets that have arrived recently. From time to time, a packet has a full
        head anyway, to measure the ping and to send complete numbers to the peer again.
        """
        reported = self._reported
        if sequence % _FULL_EVERY == 0 or len(reported) < _REPORTS:
            return False
        newly_received = ahead(self._received.newest, reported[0])
        if newly_received > packets.SHORT_BITS:
            return False
        return ahead(sequence, self._sent.acked) <= _MAX_SHORT

    def _is_allowed(self, now_ns: int) -> bool:
        """Return False if the peer is sending more than `_MAX_RATE` packets per second."""
        elapsed = max(0, now_ns - self._allowed_ns) / _NANOSECONDS
        self._allowed_ns = now_ns
        self._allowance = min(float(_MAX_BURST), self._allowance + elapsed * _MAX_RATE)
        if self._allowance < 1:
            return False
        self._allowance -= 1
        return True

    def _is_valid(self, packet: packets.Data) -> bool:
        """Return whether the packet obeys the rules of the protocol."""
        if not self._sent.is_possible(packet.ack):
            return False
        accepts = self._receiver.accepts
        return all(
            accepts(chunk.number, len(chunk.data), chunk.kind == packets.LAST_FRAGMENT)
            for chunk in packet.chunks
            if chunk.kind in (packets.FRAGMENT, packets.LAST_FRAGMENT)
        )

    def _is_inbox_full(self) -> bool:
        limit = self._receiver.max_message + _MAX_QUEUE
        return len(self._inbox) >= _MAX_INBOX or self._inbox_bytes > limit

    def _handle_acks(self, packet: packets.Data, now_ns: int) -> None:
        arrived, lost, newest = self._sent.acknowledge(packet.ack, packet.ack_bits)
        for sent in arrived:
            self._sender.acknowledge(sent.fragments)
            self.lost -= self.lost / _LOSS_MEMORY
        for sent in lost:
            self._count_lost(sent)
        if newest is not None and packet.held < 255:
            sample = max(0, now_ns - newest.sent_ns - packet.held * _MILLISECOND)
            self._measure(float(sample))

    def _count_lost(self, sent: SentPacket) -> None:
        self._sender.lose(sent.fragments)
        self.lost += (1 - self.lost) / _LOSS_MEMORY

    def _measure(self, sample: float) -> None:
        """Update the average round-trip time with a new measurement, as TCP does (RFC 6298)."""
        self._min_ping_ns = min(self._min_ping_ns or sample, sample)
        if not self._ping_ns:
            self._ping_ns = sample
            self._ping_variation_ns = sample / 2
            return
        difference = sample - self._ping_ns
        self._ping_variation_ns += (abs(difference) - self._ping_variation_ns) / 4
        self._ping_ns += difference / 8

    def _resend_ns(self) -> int:
        """Return how long to wait for the ack of a fragment before it is sent again, in
        nanoseconds.
        """
        if not self._ping_ns:
            return _FIRST_RESEND
        resend = self._ping_ns + 4 * self._ping_variation_ns + _RESEND_MARGIN
        return int(min(max(resend, _MIN_RESEND), _MAX_RESEND))

    def _is_congested(self) -> bool:
        """Return True if packets are getting lost because the network is overloaded. Return False
        if packets are getting lost at random, for example because of a weak radio signal, so that
        sending more slowly would not help.
        """
        queueing_ns = self._ping_ns - self._min_ping_ns
        slow = queueing_ns > self._min_ping_ns / 2 + _USUAL_QUEUEING
        return slow or self.lost > _CONGESTED_LOSS

    def _handle_chunk(self, chunk: Chunk) -> None:
        if chunk.kind == packets.UNRELIABLE:
            self._put(UNRELIABLE, chunk.data)
        elif chunk.kind == packets.CLOSE:
            reason = packets.unpack_text(chunk.data)
            self.end("closed", reason or f"{described(self._peer)} closed the connection")
        else:
            last = chunk.kind == packets.LAST_FRAGMENT
            self._needs_ack = True  # send an ack soon, otherwise the peer sends the fragment again
            try:
                messages = self._receiver.add(chunk.number, chunk.data, last)
            except TooLongError:
                limit = self._receiver.max_message
                self.dropped["too long"] += 1
                self.close(f"a reliable message is longer than {limit} bytes")
                return
            for message in messages:
                self._put(RELIABLE, message)

    def _put(self, channel: str, data: bytes) -> None:
        if self.is_open:
            self._inbox.append((channel, data))
            self._inbox_bytes += len(data)


def described(peer: Peer) -> str:
    """Return an address as text for messages, such as "10.0.0.2:7000"."""
    if isinstance(peer, tuple) and len(peer) == 2:
        host, port = peer
        return f"[{host}]:{port}" if ":" in str(host) else f"{host}:{port}"
    return str(peer)
