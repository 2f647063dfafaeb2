"""Number the packets of a connection, and record on both sides which packets have arrived.

A packet number has 16 bits, so after 65,535 the numbers start again at 0. `ahead` determines which
of two packets is newer, assuming that they are less than half of all numbers apart.
"""

from __future__ import annotations

from typing import NamedTuple

SEQUENCES = 1 << 16
_HALF = SEQUENCES // 2
_MAX_JUMP = SEQUENCES // 4
"""The maximum difference between the number of a new packet and the newest number so far. Packets
with a larger difference are dropped.
"""
_WINDOW = 256
"""How many packets a `ReceivedPackets` remembers, to drop packets that arrive twice."""
_MAX_SENT = 1024
"""The maximum number of sent packets that are waiting for an ack."""
ACK_BITS = 32


def ahead(first: int, second: int) -> int:
    """Return the distance from packet number ``second`` to packet number ``first``. The function
    returns the shorter distance, because the numbers start again at 0 after 65,535. A positive
    result means that ``first`` is the newer packet.
    """
    return (first - second + _HALF) % SEQUENCES - _HALF


class ReceivedPackets:
    """A record of the packets that have arrived, from which the acks to the sender are created."""

    __slots__ = ("_bits", "newest")

    def __init__(self) -> None:
        self.newest = 0  # the handshake counts as packet number 0
        self._bits = 1

    @property
    def ack_bits(self) -> int:
        """A 32-bit number, with one bit for each of the 32 packets before the newest packet. Bit k
        is 1 if the packet with the number ``newest - 1 - k`` has arrived.
        """
        return (self._bits >> 1) & ((1 << ACK_BITS) - 1)

    def reason_to_drop(self, sequence: int) -> str | None:
        """Return the reason for dropping this packet ("sequence", "old" or "duplicate"), or None if
        the packet can be accepted.
        """
        distance = ahead(sequence, self.newest)
        if distance > _MAX_JUMP:
            return "sequence"
        if distance <= -_WINDOW:
            return "old"
        if distance <= 0 and self._bits >> -distance & 1:
            return "duplicate"
        return None

    def add(self, sequence: int) -> None:
        """Record that the packet ``sequence`` has arrived."""
        distance = ahead(sequence, self.newest)
        if distance > 0:
            self._bits = (self._bits << distance | 1) & ((1 << _WINDOW) - 1)
            self.newest = sequence
        else:
            self._bits |= 1 << -distance


class SentPacket(NamedTuple):
    """A sent packet that the receiver has not yet confirmed."""

    sent_ns: int
    fragments: tuple[int, ...]


class SentPackets:
    """The sent packets that the receiver has not yet confirmed."""

    __slots__ = ("_packets", "acked", "newest")

    def __init__(self) -> None:
        self.newest = 0
        self.acked = 0
        """The number of the newest packet that the receiver has confirmed."""
        self._packets: dict[int, SentPacket] = {}

    def __len__(self) -> int:
        return len(self._packets)

    def add(self, now_ns: int, fragments: tuple[int, ...]) -> tuple[int, SentPacket | None]:
        """Store a new packet and return its number. If too many packets are stored, remove the
        oldest packet. Also return the removed packet, or None.
        """
        self.newest = (self.newest + 1) % SEQUENCES
        self._packets[self.newest] = SentPacket(now_ns, fragments)
        oldest = None
        if len(self._packets) > _MAX_SENT:
            oldest = self._packets.pop(next(iter(self._packets)))
        return self.newest, oldest

    def is_possible(self, ack: int) -> bool:
        """Return whether this side has sent the packet ``ack``. If not, the ack is invalid."""
        return -_MAX_JUMP <= ahead(ack, self.newest) <= 0

    def acknowledge(
        self, ack: int, ack_bits: int
    ) -> tuple[list[SentPacket], list[SentPacket], SentPacket | None]:
        """Handle an ack from the receiver. Return three values: a list of the packets that have
        arrived, a list of the packets that are lost, and the packet ``ack``, or None if an earlier
        ack has already confirmed it.
        """
        arrived = []
        lost = []
        finished = []
        for sequence, packet in self._packets.items():
            age = ahead(ack, sequence)
            if age < 0:
                break
            if age == 0 or (age <= ACK_BITS and ack_bits >> (age - 1) & 1):
                arrived.append(packet)
                finished.append(sequence)
            elif age > ACK_BITS:
                lost.append(packet)
                finished.append(sequence)
        newest = self._packets.get(ack)
        if ahead(ack, self.acked) > 0:
            self.acked = ack
        for sequence in finished:
            del self._packets[sequence]
        return arrived, lost, newest
