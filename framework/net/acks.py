"""Acks: packet numbers with 16 bits, and a record of the packets that have arrived.

After 65,535, the numbers start again at 0. To find the newer of two packets, the functions compute
the shorter distance between their numbers.
"""

from __future__ import annotations

from typing import NamedTuple

SEQUENCES = 1 << 16
_HALF = SEQUENCES // 2
_MAX_JUMP = SEQUENCES // 4
"""The maximum number of missing packets before a packet. After a larger jump, the packet is
dropped.
"""
_WINDOW = 256
"""The number of received packets that are stored, to find packets that arrive twice."""
_MAX_SENT = 1024
"""The maximum number of stored packets that wait for an ack."""
ACK_BITS = 32


def ahead(first: int, second: int) -> int:
    """Return ``first`` minus ``second``, in the shorter direction. A positive result means that
    ``first`` is newer.
    """
    return (first - second + _HALF) % SEQUENCES - _HALF


class ReceivedPackets:
    """The numbers of the newest received packets."""

    __slots__ = ("_bits", "newest")

    def __init__(self) -> None:
        self.newest = 0  # the handshake counts as packet 0
        self._bits = 1

    @property
    def ack_bits(self) -> int:
        """Bit k says whether the packet ``newest - 1 - k`` has arrived."""
        return (self._bits >> 1) & ((1 << ACK_BITS) - 1)

    def reason_to_drop(self, sequence: int) -> str | None:
        """Return "sequence", "old" or "duplicate" if the packet must be dropped."""
        distance = ahead(sequence, self.newest)
        if distance > _MAX_JUMP:
            return "sequence"
        if distance <= -_WINDOW:
            return "old"
        if distance <= 0 and self._bits >> -distance & 1:
            return "duplicate"
        return None

    def add(self, sequence: int) -> None:
        """Note that a packet has arrived."""
        distance = ahead(sequence, self.newest)
        if distance > 0:
            self._bits = (self._bits << distance | 1) & ((1 << _WINDOW) - 1)
            self.newest = sequence
        else:
            self._bits |= 1 << -distance


class SentPacket(NamedTuple):
    """A sent packet that waits for its ack."""

    sent_ns: int
    fragments: tuple[int, ...]


class SentPackets:
    """The sent packets that wait for their acks."""

    __slots__ = ("_packets", "acked", "newest")

    def __init__(self) -> None:
        self.newest = 0
        self.acked = 0
        """The newest packet with an ack."""
        self._packets: dict[int, SentPacket] = {}

    def __len__(self) -> int:
        return len(self._packets)

    def add(self, now_ns: int, fragments: tuple[int, ...]) -> tuple[int, SentPacket | None]:
        """Return the number of a new packet, and the oldest packet if too many are stored."""
        self.newest = (self.newest + 1) % SEQUENCES
        self._packets[self.newest] = SentPacket(now_ns, fragments)
        oldest = None
        if len(self._packets) > _MAX_SENT:
            oldest = self._packets.pop(next(iter(self._packets)))
        return self.newest, oldest

    def is_possible(self, ack: int) -> bool:
        """Return whether the packet ``ack`` was sent, so that an ack for it is possible."""
        return -_MAX_JUMP <= ahead(ack, self.newest) <= 0

    def acknowledge(
        self, ack: int, ack_bits: int
    ) -> tuple[list[SentPacket], list[SentPacket], SentPacket | None]:
        """Return the packets that have arrived, the packets that are lost, and the packet ``ack``
        itself if this is its first ack.
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
