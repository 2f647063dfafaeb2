"""Connections: handshakes, channels, acks, and invalid packets."""

from __future__ import annotations

import os
import random
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from mutated_packets import mutated

import framework as fw
from framework.net import packets
from framework.net.acks import SEQUENCES, ReceivedPackets, SentPackets, ahead
from framework.net.connection import Connection
from framework.net.link import MAX_DATAGRAM
from framework.net.reliable import ReliableReceiver, ReliableSender

SECOND = 1_000_000_000
MUTATED = int(os.environ.get("MUTATED_PACKETS", "8000"))
"""The number of mutated packets in the long test. MUTATED_PACKETS=100000 sends more than CI."""


class Pair:
    """A server and a client on a network, with 60 frames per second."""

    def __init__(self, conditions: fw.Conditions | None = None, **options: Any) -> None:
        self.network = fw.MemoryNetwork(conditions)
        self.server = fw.Endpoint(self.network.link("server"), **options)
        self.client = fw.Endpoint(self.network.link("client"), max_peers=0)
        self.client_side = self.client.connect("server", b"token")
        self.server_side: Any = None

    def frame(self, seconds: float = 1 / 60) -> None:
        for endpoint in (self.server, self.client):
            if not endpoint.link.stopped:  # type: ignore[attr-defined]
                endpoint.poll()
        for connection in self.server.accepted():
            self.server_side = connection
        for endpoint in (self.server, self.client):
            if not endpoint.link.stopped:  # type: ignore[attr-defined]
                endpoint.flush()
        self.network.advance(seconds)

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds * 60)):
            self.frame()

    def connected(self) -> Pair:
        for _ in range(1000):
            self.frame()
            if self.client_side.state == "connected" and self.server_side is not None:
                return self
        raise AssertionError(self.client_side)


BAD = fw.Conditions(
    latency=0.1, jitter=0.025, loss=0.15, duplicate=0.1, reorder=0.05, burst=(0.002, 30), seed=3
)


def test_a_connection_opens_and_carries_messages_both_ways() -> None:
    pair = Pair().connected()
    assert (pair.server_side.peer, pair.server_side.token) == ("client", b"token")
    assert pair.server.connections == (pair.server_side,)
    pair.client_side.send_unreliable(b"fast")
    pair.client_side.send_reliable(b"sure")
    pair.server_side.send_reliable(b"welcome")
    pair.run(0.1)
    assert pair.server_side.received() == [("unreliable", b"fast"), ("reliable", b"sure")]
    assert pair.client_side.received() == [("reliable", b"welcome")]
    assert pair.server_side.received() == []
    assert repr(pair.client_side) == "<Connection to server: connected>"


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_reliable_messages_arrive_once_and_in_order_on_a_bad_network(seed: int) -> None:
    conditions = fw.Conditions(
        latency=(0.1, 0.2),
        jitter=0.05,
        loss=0.3,
        duplicate=0.2,
        reorder=0.1,
        burst=(0.005, 30),
        stop=(2.0, 3.0),
        clock=1.001,
        seed=seed,
    )
    pair = Pair(conditions).connected()
    sent: list[bytes] = []
    arrived: list[bytes] = []
    numbers = random.Random(seed)
    for frame in range(3000):
        if frame < 400 and not pair.client_side.unsent > 50_000:
            message = numbers.randbytes(numbers.choice((0, 1, 100, 1024, 1025, 5000)))
            sent.append(message)
            pair.client_side.send_reliable(message)
        pair.frame()
        arrived += [data for channel, data in pair.server_side.received() if channel == "reliable"]
        if frame > 400 and not pair.client_side.unsent:
            break
    assert arrived == sent
    assert pair.client_side.unsent == 0
    assert pair.server_side.dropped["duplicate"] > 0


def test_unreliable_messages_never_arrive_twice() -> None:
    pair = Pair(BAD).connected()
    arrived: Counter[bytes] = Counter()
    for number in range(600):
        pair.client_side.send_unreliable(number.to_bytes(2))
        pair.frame()
        arrived.update(data for _, data in pair.server_side.received())
    assert set(arrived.values()) == {1}
    assert 0.7 < len(arrived) / 600 < 0.95
    assert 0.05 < pair.client_side.lost < 0.4
    assert 0.2 < pair.client_side.ping < 0.25
    assert 0 < pair.client_side.jitter < 0.05


def test_the_ping_does_not_contain_the_send_interval_of_the_peer() -> None:
    pair = Pair(fw.Conditions(latency=0.03)).connected()
    pair.run(3)  # packets without messages are sent every 0.1 s
    assert pair.client_side.ping == pytest.approx(0.06, abs=1 / 50)


def test_a_long_message_uses_the_available_bandwidth() -> None:
    """A message of 600 kB needs 9.6 s on a link of 500 kbit/s whose queue drops the rest."""
    pair = Pair(fw.Conditions(latency=0.05, bandwidth=500_000), max_message=1 << 20).connected()
    message = random.Random(1).randbytes(600_000)
    pair.client_side.send_reliable(message)
    start_ns = pair.network.now_ns
    for _ in range(60 * 20):
        pair.frame()
        if pair.server_side.received() == [("reliable", message)]:
            break
    assert 9 < (pair.network.now_ns - start_ns) / SECOND < 16
    assert pair.client_side.unsent < 2 * 1024 or pair.run(1) is None
    assert pair.client_side.unsent == 0


@pytest.mark.parametrize(
    ("conditions", "seconds"),
    [(None, 1.5), (fw.Conditions(latency=0.05, loss=0.1, jitter=0.01), 9)],
)
def test_a_long_message_is_fast_on_a_network_without_a_limit(
    conditions: fw.Conditions | None, seconds: float
) -> None:
    pair = Pair(conditions, max_message=1 << 21).connected()
    pair.client_side.send_reliable(bytes(1_500_000))
    start_ns = pair.network.now_ns
    while not pair.server_side.received():
        pair.frame()
        assert pair.network.now_ns - start_ns < seconds * SECOND
    assert pair.network.dropped("client", "server").keys() <= {"loss"}
    assert pair.server.link.counts.dropped == {}


def test_many_short_messages_share_a_datagram_of_at_most_1200_bytes() -> None:
    pair = Pair().connected()
    sizes: list[int] = []
    send = pair.network._carry

    def carry(source: str, target: str, data: bytes) -> None:
        sizes.append(len(data))
        send(source, target, data)

    pair.network._carry = carry  # type: ignore[method-assign]
    for _ in range(100):
        pair.client_side.send_unreliable(bytes(20))
    pair.client_side.send_unreliable(bytes(packets.MAX_UNRELIABLE))
    pair.frame()
    assert max(sizes) == MAX_DATAGRAM - packets.CHUNK_SIZE  # alone, a message needs no chunk
    assert 3 <= len([size for size in sizes if size > 100]) <= 4
    assert packets.MAX_UNRELIABLE == 1179
    pair.run(0.1)
    assert len(pair.server_side.received()) == 101


def test_messages_without_a_flush_are_bounded() -> None:
    pair = Pair().connected()
    for _ in range(2000):
        pair.client_side.send_unreliable(bytes(1000))
    assert 900 < pair.client_side.dropped["queue"] < 1000
    pair.frame()
    pair.client_side.send_unreliable(b"x")
    assert 900 < pair.client_side.dropped["queue"] < 1000


def test_an_idle_connection_sends_ten_small_packets_a_second() -> None:
    pair = Pair().connected()
    before = pair.client.link.counts.sent
    pair.run(2)
    assert 15 <= pair.client.link.counts.sent - before <= 25


def test_connections_work_over_udp() -> None:
    with fw.UdpLink(host="127.0.0.1") as first, fw.UdpLink(host="127.0.0.1") as second:
        server = fw.Endpoint(first)
        client = fw.Endpoint(fw.ConditionedLink(second), max_peers=0)
        connection = client.connect(f"127.0.0.1:{first.port}")
        connection.send_reliable(bytes(20_000))
        arrived: list[tuple[str, bytes]] = []
        for _ in range(100_000):  # no packet waits for a time: each answer is sent at once
            for endpoint in (server, client):
                endpoint.poll()
                endpoint.flush()
            for server_side in server.connections:
                arrived += server_side.received()
            if arrived:
                break
        assert arrived == [("reliable", bytes(20_000))]
        assert server.connections[0].peer == second.address
        assert 0 < connection.ping < 1
        assert (server.dropped, client.dropped) == ({}, {})


# -- numbers with 16 bits ------------------------------------------------------------------------


def test_numbers_wrap_around() -> None:
    assert ahead(1, SEQUENCES - 1) == 2
    assert ahead(SEQUENCES - 1, 1) == -2
    assert ahead(5, 5) == 0


def test_received_packets_recognize_old_and_repeated_numbers_across_the_wrap() -> None:
    received = ReceivedPackets()
    for number in range(1, SEQUENCES + 500):
        sequence = number % SEQUENCES
        if number % 7:
            assert received.reason_to_drop(sequence) is None
            received.add(sequence)
    assert received.newest == 499 - (499 % 7 == 0) or received.newest == 499
    assert received.reason_to_drop(499) == "duplicate"
    assert received.reason_to_drop((499 - 256) % SEQUENCES) == "old"
    assert received.reason_to_drop(499 + SEQUENCES // 4) is None
    assert received.reason_to_drop(499 + SEQUENCES // 4 + 1) == "sequence"
    missing = [k for k in range(32) if not received.ack_bits >> k & 1]
    assert missing == [k for k in range(32) if (SEQUENCES + 499 - 1 - k) % 7 == 0]


def test_before_the_first_packet_only_the_handshake_is_acknowledged() -> None:
    received = ReceivedPackets()
    sent = SentPackets()
    assert (received.newest, received.ack_bits) == (0, 0)
    assert received.reason_to_drop(0) == "duplicate"
    assert received.reason_to_drop(1) is None
    assert (sent.is_possible(0), sent.is_possible(1)) == (True, False)
    received.add(2)
    assert (received.newest, received.ack_bits) == (2, 0b10)
    assert received.reason_to_drop(2 - 255) is None
    assert received.reason_to_drop((2 - 256) % SEQUENCES) == "old"


def test_the_ack_of_a_packet_reaches_32_packets_back() -> None:
    sent = SentPackets()
    for number in range(34):
        sent.add(number, ())
    arrived, lost, newest = sent.acknowledge(sent.newest, 1 << 31)
    assert [packet.sent_ns for packet in arrived] == [1, 33]
    assert [packet.sent_ns for packet in lost] == [0]
    assert newest == arrived[-1]
    assert len(sent) == 31


def test_the_distance_of_two_numbers_is_at_most_half_of_the_range() -> None:
    assert ahead(SEQUENCES // 2 - 1, 0) == SEQUENCES // 2 - 1
    assert ahead(SEQUENCES // 2, 0) == -SEQUENCES // 2


def test_the_window_grows_with_acks_and_is_halved_once_in_a_round_trip() -> None:
    sender = ReliableSender()
    sender.add(bytes(300 * 1024))
    first = sender.due(SECOND, 100, True)
    assert (len(first), sender.window) == (32, 32)
    assert sender.due(SECOND + 99, 100, True) == []
    sender.acknowledge(fragment.number for fragment in first)
    assert sender.window == 64
    second = sender.due(SECOND + 200, 100, True)
    assert len(second) == 64
    sender.lose([second[0].number])
    assert sender.due(SECOND + 250, 100, True) == [second[0]]
    assert sender.window == 32
    sender.lose([second[1].number])
    assert sender.due(SECOND + 260, 100, True) == [second[1]]
    assert sender.window == 32  # still the same round trip
    assert sender.due(SECOND + 299, 100, True) == []
    assert len(sender.due(SECOND + 300, 100, True)) == 62
    assert sender.window == 32
    assert sender.due(
        SECOND + 100_000, 100, False
    )  # without congestion, a loss does not change the window
    assert sender.window == 32
    before = sender.size
    sender.acknowledge([second[2].number, 999])
    assert before - sender.size == 1024
    assert sender.window == 32 + 1 / 32


def test_sent_packets_find_arrived_and_lost_packets_across_the_wrap() -> None:
    sent = SentPackets()
    for number in range(1, SEQUENCES + 100):
        sequence, forgotten = sent.add(number, (number,))
        assert forgotten is None
        arrived, lost, newest = sent.acknowledge(sequence, 0b101)
        assert newest is not None
        assert newest.sent_ns == number
        assert [packet.sent_ns for packet in arrived][-1] == number
        assert lost == []
        assert len(sent) == 0
    assert not sent.is_possible((sent.newest + 1) % SEQUENCES)
    for number in range(40):
        sent.add(number, ())
    arrived, lost, _ = sent.acknowledge(sent.newest, 0)
    assert [packet.sent_ns for packet in arrived] == [39]
    assert [packet.sent_ns for packet in lost] == list(range(7))
    for number in range(2000):
        sent.add(number, ())
    assert len(sent) == 1024


def test_a_connection_survives_the_wrap_of_its_numbers() -> None:
    """Send more packets and fragments than 16 bits can count."""
    pair = Pair().connected()
    for endpoint in (pair.server, pair.client):
        endpoint.poll()  # so that no packet is on the way
    for connection in (pair.client_side, pair.server_side):
        connection._sent.newest = SEQUENCES - 5
    pair.client_side._received.newest = pair.server_side._received.newest = SEQUENCES - 5
    pair.client_side._sender._next = pair.server_side._receiver._expected = SEQUENCES - 3
    messages = [bytes([number]) * 3000 for number in range(20)]
    for message in messages:
        pair.client_side.send_reliable(message)
    pair.run(1)
    assert [data for _, data in pair.server_side.received()] == messages
    assert pair.client_side._sent.newest < 1000
    assert not pair.client_side.dropped
    assert not pair.server_side.dropped


def test_most_packets_have_a_short_header() -> None:
    pair = Pair(fw.Conditions(latency=0.05, jitter=0.02, loss=0.2, seed=4)).connected()
    sizes: list[int] = []
    send = pair.network._carry

    def carry(source: str, target: str, data: bytes) -> None:
        sizes.append(len(data))
        send(source, target, data)

    pair.network._carry = carry  # type: ignore[method-assign]
    for _ in range(600):
        for connection in (pair.client_side, pair.server_side):
            connection.send_unreliable(bytes(10))
        pair.frame()
    assert set(sizes) == {12 + 10, packets.DATA_SIZE + 10}
    assert sizes.count(22) > 0.8 * len(sizes)
    assert abs(pair.client_side.lost - 0.2) < 0.15
    assert 0.1 < pair.client_side.ping < 0.2
    assert not pair.client_side.dropped
    assert not pair.server_side.dropped


@pytest.mark.parametrize("missing", [100, 130, 300])
def test_numbers_in_short_headers_are_completed_after_many_lost_packets(missing: int) -> None:
    pair = Pair().connected()
    pair.run(0.5)
    for connection in (pair.client_side, pair.server_side):
        connection._sent.newest += missing - connection._sent.newest % 8
        connection._sent.acked = connection._sent.newest  # so that the next headers are short
    for number in range(40):
        pair.client_side.send_unreliable(bytes([number]))
        pair.server_side.send_unreliable(bytes([number]))
        pair.frame()
    arrived = [message[0] for _, message in pair.server_side.received()]
    assert arrived[-20:] == list(range(19, 39))  # one of 8 packets has a full header
    assert set(pair.server_side.dropped) <= {"token"}
    pair.client_side.send_reliable(b"after")
    pair.run(0.5)
    assert ("reliable", b"after") in pair.server_side.received()


def test_an_old_packet_with_a_short_header_is_dropped() -> None:
    """The number of a very old packet is completed wrongly, and the tag shows it."""
    pair = Pair().connected()
    for _ in range(20):
        pair.client_side.send_unreliable(b"now")
        pair.frame()
    pair.frame()
    sequence = pair.client_side._sent.newest
    ack = pair.client_side._received.newest
    old = [
        packets.pack_data(
            pair.client_side.key,
            b"client",
            (sequence - age) % SEQUENCES,
            ack,
            0,
            0,
            chunk(1, 0, 1, b"x"),
            short=True,
        )
        for age in (3, 200, 256, 512)
    ]
    pair.server_side.received()
    for packet in old:
        pair.network.inject("client", "server", packet)
    pair.server.poll()
    assert pair.server_side.dropped == {"duplicate": 1, "token": 3}
    assert pair.server_side.received() == []


# -- the handshake -------------------------------------------------------------------------------


def test_another_identity_is_refused_with_a_reason() -> None:
    def compare(peer_identity: bytes) -> str | None:
        return f"tick rate: {peer_identity.decode()} there" if peer_identity != b"60" else None

    network = fw.MemoryNetwork()
    server = fw.Endpoint(network.link("server"), identity=b"60", compare=compare)
    client = fw.Endpoint(
        network.link("client"),
        identity=b"50",
        compare=lambda other: f"tick rate: 50 here, {other.decode()} there",
    )
    connection = client.connect("server")
    for _ in range(10):
        for endpoint in (server, client):
            endpoint.poll()
            endpoint.flush()
    assert connection.state == "refused"
    assert connection.reason == "tick rate: 50 here, 60 there"
    assert (server.connections, client.connections) == ((), ())
    assert server.dropped == {"identity": 1}


def test_a_refusal_has_a_reason() -> None:
    pair = Pair(max_peers=1).connected()
    second = fw.Endpoint(pair.network.link("second"))
    connection = second.connect("server")
    for _ in range(10):
        second.poll()
        second.flush()
        pair.frame()
    assert (connection.state, connection.reason) == ("refused", "all 1 places are taken")
    pair = Pair(admit=lambda peer, token: f"{peer} with {token!r} is banned\n\0")
    pair.run(0.2)
    assert pair.client_side.state == "refused"
    assert pair.client_side.reason == "client with b'token' is banned"


def test_the_slot_of_a_closed_connection_is_free_at_once() -> None:
    pair = Pair(max_peers=1).connected()
    second = fw.Endpoint(pair.network.link("second"), max_peers=0)
    connection = second.connect("server")
    for endpoint in (second, pair.server):  # until the cookie arrives
        endpoint.poll()
        endpoint.flush()
    pair.client_side.close()
    second.poll()
    pair.server.poll()  # the end of the first connection and the request of the second
    second.poll()
    assert connection.state == "connected"


def test_accepted_connections_that_have_ended_are_not_returned() -> None:
    pair = Pair()
    for _ in range(3):
        for endpoint in (pair.client, pair.server):
            endpoint.poll()
            endpoint.flush()
    assert pair.client_side.state == "connected"
    pair.client_side.close()
    pair.server.poll()
    assert pair.server.accepted() == []


def test_other_versions_and_damaged_identities_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(other: bytes) -> None:
        raise RecursionError

    pair = Pair(identity=b"x", compare=fail)
    pair.run(0.2)
    assert pair.client_side.state == "refused"
    pair = Pair()
    monkeypatch.setattr(packets, "VERSION", 9)
    pair.client.flush()
    monkeypatch.undo()
    pair.run(0.2)
    assert pair.client_side.state == "refused"
    assert "version 1 of the network format" in pair.client_side.reason


def test_a_silent_peer_is_lost_after_the_timeout() -> None:
    network = fw.MemoryNetwork()
    client = fw.Endpoint(network.link("client"), timeout=5)
    connection = client.connect("nobody")
    for _ in range(60 * 5):
        client.poll()
        client.flush()
        network.advance(1 / 60)
    assert connection.state == "connecting"
    network.advance(0.1)
    client.poll()
    assert connection.state == "lost"
    assert connection.reason.startswith("nobody did not answer for 5 seconds; check the address")
    pair = Pair(timeout=4).connected()
    pair.network.set_conditions(fw.Conditions(loss=1), "client", "server")
    pair.run(4.2)
    assert pair.server_side.state == "lost"
    assert pair.server_side.reason == "no packet of client arrived for 4 seconds"
    pair.server_side.send_reliable(b"x")
    pair.server_side.send_unreliable(b"x")
    assert pair.server_side.dropped["not connected"] == 2
    assert pair.server.connections == ()


def test_a_connection_survives_a_stop_of_three_seconds() -> None:
    pair = Pair(fw.Conditions(latency=0.05, stop=(1.0, 3.0))).connected()
    pair.run(6)
    assert pair.client_side.state == pair.server_side.state == "connected"
    pair.client_side.send_reliable(b"awake")
    pair.run(0.3)
    assert pair.server_side.received() == [("reliable", b"awake")]


def test_close_sends_the_reason() -> None:
    pair = Pair().connected()
    pair.server.close("the match is over")
    pair.client.poll()
    assert (pair.client_side.state, pair.client_side.reason) == ("closed", "the match is over")
    assert pair.client.connections == ()
    assert pair.server_side.state == "closed"
    pair = Pair().connected()
    pair.client_side.close()
    assert pair.client_side.reason == "this program closed the connection"
    pair.run(0.1)
    assert (pair.server_side.state, pair.server_side.reason) == (
        "closed",
        "client closed the connection",
    )


def test_a_client_that_starts_again_on_the_same_port_replaces_its_connection() -> None:
    pair = Pair().connected()
    first = pair.server_side
    pair.client = fw.Endpoint(pair.client.link, max_peers=0)
    pair.client_side = pair.client.connect("server", b"again")
    pair.run(0.2)
    assert first.state == "closed"
    assert pair.server_side.token == b"again"
    assert pair.server.connections == (pair.server_side,)
    with pytest.raises(
        ValueError, match=r"^peer: expected a peer without a connection, got server"
    ):
        pair.client.connect("server")


def test_a_client_requests_a_new_cookie_if_the_old_one_is_refused() -> None:
    pair = Pair()
    for endpoint in (pair.client, pair.server, pair.client):
        endpoint.poll()
        endpoint.flush()
    pair.server = fw.Endpoint(pair.server.link)  # the server restarts between two packets
    pair.run(6)
    assert pair.client_side.state == "connected"
    assert pair.server.dropped["cookie"] > 10


def test_the_identity_and_the_token_arrive_together() -> None:
    tokens: list[Any] = []
    network = fw.MemoryNetwork()
    server = fw.Endpoint(
        network.link("server"), identity=b"game", admit=lambda *peer: tokens.append(peer)
    )
    client = fw.Endpoint(network.link("client"), identity=b"game")
    client.connect("server", b"a token")
    for _ in range(3):
        for endpoint in (client, server):
            endpoint.flush()
            endpoint.poll()
    assert tokens == [("client", b"a token")]


def test_a_lost_answer_is_sent_again_for_the_same_connection() -> None:
    pair = Pair(fw.Conditions(loss=0.5, latency=0.02, seed=5))
    pair.connected()
    assert len(pair.server.connections) == 1


# -- invalid packets -----------------------------------------------------------------------------


def test_a_flood_of_requests_allocates_nothing() -> None:
    """Send requests from invented addresses: they create no connection and no entry of a table."""
    pair = Pair().connected()
    hello = packets.pack_hello(b"8 bytes!")

    def entries() -> int:
        return sum(
            len(value) for value in vars(pair.server).values() if hasattr(value, "__len__")
        ) - len(pair.server.dropped)

    before = entries()
    for number in range(2000):
        pair.network.inject(f"stranger {number}", "server", hello)
        pair.network.inject(f"stranger {number}", "server", hello[:-1])
        if number % 40 == 0:
            pair.frame()
    assert entries() == before
    assert pair.server.connections == (pair.server_side,)
    assert pair.server.dropped["malformed"] >= 1900
    pair.frame()
    before = pair.server.dropped["flood"]
    for number in range(1000):
        pair.network.inject(f"stranger {number}", "server", hello)
    pair.frame()
    assert pair.server.dropped["flood"] - before == 900  # in one frame
    assert pair.client_side.state == "connected"


def test_foreign_old_and_invented_cookies_are_dropped() -> None:
    pair = Pair().connected()
    link = pair.network.link("spy")
    link.send("server", packets.pack_hello(b"8 bytes!"))
    pair.frame()
    ((_, answer),) = link.receive()
    challenge = packets.unpack_challenge(answer, b"8 bytes!")
    assert challenge is not None

    def request(**changes: Any) -> bytes:
        values = {"stamp": challenge.stamp, "cookie": challenge.cookie, **changes}
        return packets.pack_connect(
            packets.Connect(1, b"8 bytes!", values["stamp"], values["cookie"], 1000, b"", b"")
        )

    pair.network.inject("other", "server", request())
    pair.network.inject("spy", "server", request(cookie=bytes(16)))
    pair.network.inject("spy", "server", request(stamp=challenge.stamp + 1))
    pair.frame()
    assert pair.server.dropped == {"cookie": 3}
    pair.run(11)
    pair.network.inject("spy", "server", request())
    pair.frame()
    assert pair.server.dropped == {"cookie": 4}
    assert pair.server.connections == (pair.server_side,)
    for cut in range(len(request())):
        pair.network.inject("spy", "server", request()[:cut])
    pair.frame()
    assert pair.server.dropped["malformed"] == len(request())


def valid_packet(pair: Pair, chunks: bytes = b"", **changes: int) -> bytes:
    """Return the next packet of the client with a valid tag, with some numbers changed."""
    values = {
        "sequence": (pair.client_side._sent.newest + 1) % SEQUENCES,
        "ack": pair.client_side._received.newest,
        "ack_bits": pair.client_side._received.ack_bits,
        "held": 0,
        **changes,
    }
    return packets.pack_data(pair.client_side.key, b"client", *values.values(), chunks)  # type: ignore[arg-type]


def chunk(kind: int, number: int, length: int, data: bytes) -> bytes:
    head = [kind, number, length] if kind in (2, 3) else [kind, length]
    layout = packets._NUMBERED if kind in (2, 3) else packets._LENGTH
    return layout.pack(*head) + data


@pytest.mark.parametrize(
    ("reason", "packet"),
    {
        "malformed": lambda pair: bytes([packets.DATA]),
        "token": lambda pair: valid_packet(pair)[:-1] + b"?",
        "sequence": lambda pair: valid_packet(pair, sequence=30_000),
        "old": lambda pair: valid_packet(pair, sequence=SEQUENCES - 400),
        "duplicate": lambda pair: valid_packet(pair, sequence=pair.client_side._sent.newest),
    }.items(),
)
def test_a_wrong_packet_is_dropped_and_counted(
    reason: str, packet: Callable[[Pair], bytes]
) -> None:
    pair = Pair().connected()
    pair.run(0.5)
    pair.network.inject("client", "server", packet(pair))
    pair.server.poll()
    assert pair.server_side.dropped == {reason: 1}
    assert pair.server_side.received() == []


@pytest.mark.parametrize(
    "chunks",
    [
        chunk(0, 0, 0, b""),
        chunk(5, 0, 0, b""),
        chunk(1, 0, 9, b"short"),
        chunk(1, 0, 65_535, b""),
        chunk(1, 0, 4, b"good") + b"\x01",
        chunk(1, 0, 4, b"good") + b"\x02\x00\x00",
        chunk(3, 300, 1, b"x"),  # too far ahead
        chunk(2, 0, 1, b"x"),  # all fragments but the last are long
        chunk(3, 0, 1025, bytes(1025)),
    ],
)
def test_wrong_lengths_drop_the_whole_packet(chunks: bytes) -> None:
    pair = Pair().connected()
    pair.network.inject("client", "server", valid_packet(pair, chunks))
    pair.server.poll()
    assert pair.server_side.dropped == {"malformed": 1}
    assert pair.server_side.received() == []


def test_a_late_packet_whose_fragments_were_sent_again_is_valid() -> None:
    pair = Pair().connected()
    pair.run(0.5)
    carry = pair.network._carry
    held: list[bytes] = []

    def hold(source: str, target: str, data: bytes) -> None:
        if source == "client" and not held:
            held.append(data)
        else:
            carry(source, target, data)

    pair.network._carry = hold  # type: ignore[method-assign]
    sent = [b"%d" % number for number in range(1000)]
    arrived: list[bytes] = []
    for start in range(0, len(sent), 50):
        for message in sent[start : start + 50]:
            pair.client_side.send_reliable(message)
        pair.run(0.1)
        arrived += [data for channel, data in pair.server_side.received() if channel == "reliable"]
    pair.network.inject("client", "server", held[0])
    pair.run(0.1)
    assert arrived == sent
    assert pair.server_side.received() == []
    assert pair.server_side.dropped == {}


def test_an_ack_of_a_packet_that_was_never_sent_is_dropped() -> None:
    pair = Pair().connected()
    pair.network.inject("client", "server", valid_packet(pair, ack=5000))
    pair.server.poll()
    assert pair.server_side.dropped == {"malformed": 1}


def test_a_message_that_is_too_long_ends_the_connection() -> None:
    pair = Pair(max_message=3000).connected()
    assert pair.client_side.max_message == 3000
    for number in range(4):
        pair.network.inject(
            "client",
            "server",
            valid_packet(
                pair,
                chunk(2, number, 1024, bytes(1024)),
                sequence=pair.client_side._sent.newest + 1 + number,
            ),
        )
    pair.server.poll()
    assert pair.server_side.state == "closed"
    assert pair.server_side.reason == "a reliable message is longer than 3000 bytes"
    assert pair.server_side.dropped == {"too long": 1}


def test_a_peer_with_a_small_limit_causes_no_error_on_this_side() -> None:
    pair = Pair(max_message=3000).connected()
    pair.client_side.send_reliable(bytes(3000))
    assert pair.client_side.is_open
    pair.client_side.send_reliable(bytes(3001))
    assert pair.client_side.state == "closed"
    assert pair.client_side.reason == (
        "server accepts messages of at most 3000 bytes, and this message has 3001; split the data, "
        "or give the peer's Endpoint a larger max_message"
    )
    pair.run(1)
    assert pair.server_side.state == "closed"


def test_a_message_of_more_than_16_mib_is_an_error() -> None:
    pair = Pair().connected()
    with pytest.raises(ValueError, match=r"^data: expected at most 16777216 bytes, got 16777217"):
        pair.client_side.send_reliable(bytes((1 << 24) + 1))


def test_a_peer_that_sends_too_fast_is_slowed_down_by_missing_acks() -> None:
    pair = Pair().connected()
    for _ in range(60):
        for _ in range(100):
            pair.client_side.send_unreliable(bytes(900))
        pair.client.flush()
        pair.server.poll()
        pair.server_side.received()
    assert pair.server_side.dropped["flood"] > 1000
    pair.network.advance(1)
    pair.run(1)
    assert pair.client_side.state == pair.server_side.state == "connected"


def test_unread_messages_need_bounded_memory_and_are_not_lost() -> None:
    pair = Pair(max_message=10_000).connected()
    sent = 0
    for _ in range(300):
        while pair.client_side.unsent < 200_000:
            pair.client_side.send_reliable(sent.to_bytes(4) * 2000)
            sent += 1
        pair.frame()
        assert pair.server_side._inbox_bytes < (1 << 20) + 10_000 + 256 * 1024
    assert pair.server_side.dropped["inbox"] > 0
    arrived: list[int] = []
    for _ in range(2000):
        pair.frame()
        arrived += [int.from_bytes(data[:4]) for _, data in pair.server_side.received()]
        if not pair.client_side.unsent:
            break
    assert arrived == list(range(sent))


def test_a_peer_that_reads_nothing_stays_connected() -> None:
    pair = Pair().connected()
    for _ in range(12 * 60):
        for _ in range(7):
            pair.client_side.send_unreliable(b"x")
        pair.frame()
    assert pair.server_side.dropped["inbox"] > 50
    assert pair.server_side.state == "connected"
    assert len(pair.server_side.received()) <= 4096 + 7


def test_a_peer_that_confirms_nothing_is_closed_before_memory_grows() -> None:
    pair = Pair().connected()
    pair.network.set_conditions(fw.Conditions(loss=1), "client", "server")
    for _ in range(100_000):
        pair.server_side.send_reliable(b"")
    assert pair.server_side.state == "closed"
    assert "receives more slowly" in pair.server_side.reason
    assert pair.server_side.unsent == 0


def test_a_receiver_stores_a_bounded_number_of_early_fragments() -> None:
    receiver = ReliableReceiver(2)
    assert receiver.add(1, b"b", True) == []
    assert receiver.add(1, b"?", True) == []  # the first copy counts
    assert receiver.add(0, b"aa", True) == [b"aa", b"b"]
    assert receiver.add(0, b"aa", True) == []
    receiver = ReliableReceiver(1 << 16)
    for number in range(1, SEQUENCES):
        if not receiver.accepts(number, 1024, False):
            continue
        assert receiver.add(number, bytes(1024), False) == []
    assert len(receiver._early) == 255


def messages_of_a_conversation(mutate: bool, count: int) -> tuple[list[Any], Endpoints]:
    """Return the messages of two peers, while packets are also sent again in changed form."""
    numbers = random.Random(25)
    pair = Pair(fw.Conditions(latency=0.02))
    sent: list[tuple[int, str, str, bytes]] = []  # with the frame in which each packet was sent
    carry = pair.network._carry

    def listen(source: str, target: str, data: bytes) -> None:
        if target != "stranger":
            sent.append((frame, source, target, data))
        carry(source, target, data)

    pair.network._carry = listen  # type: ignore[method-assign]
    messages: list[Any] = []
    state: list[Any] = []
    frame = 0
    tried = 0
    while tried < count or frame < 200:
        pair.frame()
        frame += 1
        if pair.client_side.state == "connected":
            pair.client_side.send_unreliable(f"input {frame}".encode())
            if frame % 10 == 0:
                pair.client_side.send_reliable(f"event {frame}".encode() * 50)
        if pair.server_side is not None:
            messages += [(frame, *message) for message in pair.server_side.received()]
            pair.server_side.send_unreliable(b"snapshot %d" % frame)
        state += [(frame, *message) for message in pair.client_side.received()]
        # A copy of a packet that has not arrived yet would only arrive earlier.
        arrived = [packet for packet in sent[-200:] if packet[0] < frame - 4]
        for _ in range(min(100, count - tried) if arrived else 0):
            _, source, target, data = numbers.choice(arrived)
            if mutate:
                inject_mutated(pair.network, numbers, source, target, data)
            tried += 1
    return [messages, state], (pair.server, pair.client, pair.client_side, pair.server_side)


Endpoints = tuple[fw.Endpoint, fw.Endpoint, Connection, Connection]


def inject_mutated(
    network: fw.MemoryNetwork, numbers: random.Random, source: str, target: str, data: bytes
) -> None:
    """Send a changed packet, sometimes from another address."""
    sender = source if numbers.random() < 0.7 else numbers.choice(["client", "server", "stranger"])
    network.inject(sender, numbers.choice([target, target, "server"]), mutated(numbers, data))


def test_mutated_packets_change_nothing_that_either_side_receives() -> None:
    """MUTATED_PACKETS=100000 sends more packets than CI does."""
    expected, _ = messages_of_a_conversation(False, MUTATED)
    actual, (server, client, client_side, server_side) = messages_of_a_conversation(True, MUTATED)
    assert actual == expected
    assert len(expected[0]) > 150
    assert client_side.state == server_side.state == "connected"
    assert server.connections == (server_side,)
    reasons = server.dropped + client.dropped + client_side.dropped + server_side.dropped
    assert reasons.total() > 0.8 * MUTATED
    assert {"malformed", "token", "unknown peer", "duplicate"} <= set(reasons)
    assert set(reasons) <= {
        *("malformed", "token", "unknown peer", "duplicate", "old", "cookie", "handshake"),
        *("version", "flood"),
    }
    assert sys.getsizeof(server._connections) < 1000
    assert len(client_side._sent) < 300


class _Addresses:
    """A link that receives what a test puts into it, from any address."""

    counts = None
    now_ns = 0

    def __init__(self) -> None:
        self.waiting: list[tuple[Any, bytes]] = []
        self.sent: dict[Any, bytes] = {}

    def send(self, peer: Any, data: bytes) -> None:
        self.sent[peer] = data

    def receive(self) -> list[tuple[Any, bytes]]:
        waiting = self.waiting
        self.waiting = []
        return waiting

    def close(self) -> None:
        self.waiting.clear()


def connect_from(server: fw.Endpoint, link: _Addresses, peer: Any) -> int:
    """Perform the handshake of an honest client at an address. Return the kind of the answer."""
    nonce = bytes(8)
    link.waiting.append((peer, packets.pack_hello(nonce)))
    server.poll()
    challenge = packets.unpack_challenge(link.sent[peer], nonce)
    assert challenge is not None
    version = packets.VERSION
    stamp = challenge.stamp
    cookie = challenge.cookie
    request = packets.Connect(version, nonce, stamp, cookie, 1 << 16, b"", b"")
    link.waiting.append((peer, packets.pack_connect(request)))
    server.poll()
    return link.sent[peer][0]


@pytest.mark.parametrize(
    ("attackers", "other_address"),
    [
        ([("203.0.113.5", port) for port in range(1000, 1090)], ("203.0.113.6", 7)),
        ([(f"2001:db8:1:2::{port:x}", port) for port in range(1, 90)], ("2001:db8:1:3::1", 7)),
        ([(f"::ffff:203.0.113.{5}", port) for port in range(1, 90)], ("::ffff:203.0.113.6", 7)),
        ([("a name", port) for port in range(1, 90)], ("another name", 7)),
    ],
)
def test_one_computer_cannot_take_all_slots(attackers: list[Any], other_address: Any) -> None:
    link: Any = _Addresses()
    server = fw.Endpoint(link, max_peers=20)
    answers = [connect_from(server, link, peer) for peer in attackers]
    assert answers.count(packets.ACCEPTED) == 8
    assert answers.count(packets.REFUSED) == len(attackers) - 8
    assert server.dropped["refused"] == len(attackers) - 8
    text = link.sent[attackers[-1]]
    refused = packets.unpack_refused(text, bytes(8))
    assert refused is not None
    assert packets.unpack_text(refused[1]) == "all 8 places for one computer are taken"
    assert connect_from(server, link, other_address) == packets.ACCEPTED
    server.connections[0].close()
    assert connect_from(server, link, attackers[-1]) == packets.ACCEPTED


def test_local_programs_may_take_all_slots() -> None:
    link: Any = _Addresses()
    server = fw.Endpoint(link, max_peers=20, max_per_host=1)
    peers = [("127.0.0.1", 1), ("127.0.0.1", 2), ("::1", 3), ("::1", 4), "a", "b", 3, 4]
    assert {connect_from(server, link, peer) for peer in peers} == {packets.ACCEPTED}
