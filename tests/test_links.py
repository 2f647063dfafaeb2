"""Links: UDP, simulated networks, and the faults of `Conditions`."""

from __future__ import annotations

import math
import random
import socket
from typing import Any

import pytest

import framework as fw
from framework.net.conditions import LinkPath
from framework.net.link import MAX_DATAGRAM
from framework.net.udp_link import split_address, udp_address

SECOND = 1_000_000_000


def arrivals(conditions: fw.Conditions, count: int, size: int = 100, back: bool = False) -> Any:
    """Return the delays in seconds of datagrams that are sent every 10 ms, or () for each lost
    datagram.
    """
    path = LinkPath(conditions, "a b", back=back)
    times = [number * SECOND // 100 for number in range(count)]
    return [
        tuple((arrival - now) / SECOND for arrival in path.arrivals(now, size)) for now in times
    ]


def test_datagrams_arrive_after_the_latency_in_both_directions() -> None:
    network = fw.MemoryNetwork(fw.Conditions(latency=(0.1, 0.2)))
    a = network.link("a")
    b = network.link("b")
    a.send("b", b"there")
    b.send("a", b"back")
    network.advance(0.0999)
    assert b.receive() == []
    network.advance(0.0001)
    assert b.receive() == [("a", b"there")]
    assert (a.receive(), b.receive()) == ([], [])
    network.advance(0.1)
    assert a.receive() == [("b", b"back")]
    assert network.now_ns == SECOND // 5
    assert (list(a.peers), list(b.peers)) == (["b"], ["a"])


def test_the_same_seed_has_the_same_faults_and_another_seed_has_different_faults() -> None:
    bad = {"latency": 0.1, "jitter": 0.05, "loss": 0.2, "duplicate": 0.1, "reorder": 0.1}
    first, again, other_seed = (
        arrivals(fw.Conditions(**bad, burst=(0.01, 5), seed=seed), 500) for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other_seed


def test_faults_have_the_frequency_of_their_probability() -> None:
    lost = arrivals(fw.Conditions(loss=0.3), 4000).count(())
    assert 0.27 < lost / 4000 < 0.33
    twice = [len(times) for times in arrivals(fw.Conditions(duplicate=0.1), 4000)].count(2)
    assert 0.08 < twice / 4000 < 0.12
    delays = [times[0] for times in arrivals(fw.Conditions(latency=0.1, jitter=0.04), 4000)]
    assert 0.06 <= min(delays) < 0.065
    assert 0.135 < max(delays) <= 0.14
    late = [times[0] > 0 for times in arrivals(fw.Conditions(reorder=0.2), 4000)].count(True)
    assert 0.17 < late / 4000 < 0.23


def test_a_disabled_fault_uses_no_random_number() -> None:
    numbers = random.Random("7 a b")
    expected = [(round(0.5 + numbers.uniform(-0.1, 0.1), 6),) for _ in range(20)]
    delays = arrivals(fw.Conditions(latency=[0.5, 0.1], jitter=0.1, seed=7), 20)  # type: ignore[arg-type]
    assert [(round(delay, 6),) for (delay,) in delays] == expected
    assert fw.Conditions(latency=[0.5, 0.1]) == fw.Conditions(latency=(0.5, 0.1))  # type: ignore[arg-type]


def test_lost_datagrams_are_counted_by_reason() -> None:
    path = LinkPath(fw.Conditions(loss=0.5, burst=(0.1, 3), bandwidth=20_000), "a b")
    lost = [path.arrivals(number * SECOND // 50, 100) for number in range(500)].count([])
    assert min(path.dropped.values()) > 10
    assert set(path.dropped) == {"loss", "burst", "bandwidth"}
    assert path.dropped.total() == lost


def test_a_burst_loses_datagrams_in_a_row() -> None:
    lost = [times == () for times in arrivals(fw.Conditions(burst=(0.01, 30)), 20_000)]
    runs = "".join(" x"[each] for each in lost).split()
    mean = sum(map(len, runs)) / len(runs)
    assert 20 < mean < 45
    assert max(map(len, runs)) > 60


def test_bandwidth_delays_datagrams_and_drops_them_if_the_queue_is_long() -> None:
    # 100 bytes and 28 bytes of headers take 102.4 ms at 10 kbit/s. A datagram is sent every 10 ms.
    delays = arrivals(fw.Conditions(bandwidth=10_000), 200)
    assert delays[0] == (0.1024,)
    assert delays[1] == (0.1948,)
    assert max(times[0] for times in delays if times) < 0.5 + 0.1024 + 0.01
    assert 170 <= delays.count(()) < 200


def test_a_clock_can_be_fast_and_a_machine_can_stop() -> None:
    network = fw.MemoryNetwork(fw.Conditions(clock=1.001, stop=(1.0, 3.0)))
    a = network.link("a")
    b = network.link("b")
    network.advance(1.0)
    assert (a.now_ns, b.now_ns) == (SECOND, 1_001_000_000)
    assert (a.stopped, b.stopped) == (False, True)
    a.send("b", b"while b sleeps")
    b.send("a", b"never")
    network.advance(2.999)
    assert b.receive() == []
    network.advance(0.001)
    assert not b.stopped
    assert b.receive() == [("a", b"while b sleeps")]
    assert a.receive() == []
    assert b.counts.dropped == {"stopped": 1}


def test_each_direction_can_have_its_own_conditions() -> None:
    network = fw.MemoryNetwork()
    a = network.link("a")
    b = network.link("b")
    network.set_conditions(fw.Conditions(loss=1), "a", "b")
    for _ in range(3):
        a.send("b", b"x")
        b.send("a", b"y")
    assert (len(a.receive()), len(b.receive())) == (3, 0)
    assert network.dropped("a", "b") == {"loss": 3}
    assert network.dropped("b", "a") == {}


def test_a_link_that_is_not_read_stores_a_limited_number_of_datagrams() -> None:
    network = fw.MemoryNetwork()
    a = network.link("a")
    b = network.link("b")
    for _ in range(1000):
        a.send("b", bytes(MAX_DATAGRAM))
    waiting = len(b.receive())
    assert 150 < waiting < 300
    assert b.counts.dropped == {"buffer": 1000 - waiting}
    for _ in range(100_000 // 8):
        a.send("b", b"")
    assert len(b.receive()) <= (1 << 18) // 64


def test_closed_links_and_unknown_names_drop_datagrams() -> None:
    network = fw.MemoryNetwork()
    a = network.link("a")
    b = network.link("b")
    a.send("nobody", b"x")
    b.close()
    a.send("b", b"x")
    b.send("a", b"x")
    assert (a.receive(), b.receive()) == ([], [])
    with pytest.raises(ValueError, match=r"^name: expected a name that no link has, got 'a'"):
        network.link("a")
    with pytest.raises(ValueError, match=r"^target: "):
        network.inject("x", "nobody", b"")
    with pytest.raises(ValueError, match=r"^data: expected at most 1200 bytes, got 1201; split"):
        a.send("b", bytes(1201))
    with pytest.raises(TypeError, match=r"^data: expected bytes, got 'x'"):
        a.send("b", "x")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="now_ns"):
        network.advance_to(-1)


@pytest.mark.parametrize(
    ("name", "values"),
    {
        "latency": ["x", None, math.nan, -1, (1, 2, 3), (0, -1), 1e9],
        "jitter": ["x", None, math.nan, -1, 20],
        "loss": ["x", None, 1.5, -0.1],
        "duplicate": ["x", None, 1.5],
        "reorder": ["x", None, 1.5],
        "burst": ["x", None, 0.1, (0.5, 0), (2, 5), (0.1, 5, 6)],
        "bandwidth": ["x", 0, -1, math.nan],
        "clock": ["x", None, 0, 3, math.nan],
        "stop": ["x", 3, (1, -1), (1, 2, 3)],
        "seed": ["x", None, 1.5],
    }.items(),
)
def test_invalid_conditions_are_refused_with_their_name(name: str, values: list[Any]) -> None:
    for value in values:
        with pytest.raises((TypeError, ValueError), match=f"^{name}: expected"):
            fw.Conditions(**{name: value})


def test_a_latency_in_milliseconds_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"got 80; for 80 milliseconds, write latency=0\.08"):
        fw.Conditions(latency=80)


# -- UDP -------------------------------------------------------------------------------------------


def received(link: fw.UdpLink, count: int) -> list[tuple[Any, bytes]]:
    """Return ``count`` datagrams. On the loopback interface they arrive at once or very soon."""
    datagrams: list[Any] = []
    for _ in range(100_000):
        datagrams += link.receive()
        if len(datagrams) >= count:
            return datagrams
    raise AssertionError(f"{len(datagrams)} of {count} datagrams arrived")


def test_udp_carries_datagrams_between_two_sockets() -> None:
    with fw.UdpLink(host="127.0.0.1") as a, fw.UdpLink(host="127.0.0.1") as b:
        a.send(("127.0.0.1", b.port), b"hello")
        assert received(b, 1) == [(a.address, b"hello")]
        b.send(a.address, bytes(MAX_DATAGRAM))
        assert received(a, 1) == [(b.address, bytes(MAX_DATAGRAM))]
        assert (a.counts.sent, a.counts.sent_bytes, a.counts.received_bytes) == (1, 5, 1200)
        assert b.now_ns <= a.now_ns
        assert a.receive() == []
    assert a.port == 0
    a.send(("127.0.0.1", 9), b"x")  # the link is closed, so the datagram is dropped
    assert a.receive() == []
    assert a.counts.dropped == {"closed": 1}


def test_udp_counts_each_datagram_that_the_system_refuses_once() -> None:
    with fw.UdpLink(host="127.0.0.1") as link:
        link.send(("255.255.255.255", 9), b"not allowed")
        link.send(("255.255.255.255", 9), b"not allowed")
        assert link.counts.dropped == {"unreachable": 2}


def test_udp_drops_large_datagrams_and_works_without_a_receiver() -> None:
    with (
        fw.UdpLink(host="127.0.0.1") as link,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger,
    ):
        stranger.bind(("127.0.0.1", 0))
        stranger.sendto(bytes(5000), link.address)
        stranger.sendto(b"", link.address)
        assert received(link, 1) == [(stranger.getsockname(), b"")]
        assert link.counts.dropped == {"size": 1}
        stranger.close()
        link.send(("127.0.0.1", 9), b"nobody receives this")
        link.send(("255.255.255.255", 9), b"not allowed")
        assert link.receive() == []
        assert link.counts.dropped["unreachable"] >= 1
        with pytest.raises(TypeError, match=r"^peer: expected an address \(host, port\), got 'x'"):
            link.send("x", b"")


def test_a_port_in_use_and_a_foreign_host_are_clear_errors() -> None:
    with fw.UdpLink(host="127.0.0.1") as link:
        message = f"^port: expected a free UDP port, got {link.port}; another program uses this"
        with pytest.raises(fw.NetworkError, match=message):
            fw.UdpLink(link.port, host="127.0.0.1")
    with pytest.raises(fw.NetworkError, match=r"^host: expected an address of this computer, got"):
        fw.UdpLink(host="192.0.2.1")
    with pytest.raises(ValueError, match="port"):
        fw.UdpLink(70_000)


def test_a_link_refuses_invalid_datagrams_and_addresses() -> None:
    with fw.UdpLink(host="127.0.0.1") as link:
        for peer in (None, "127.0.0.1:9", (1, 2, 3), ["127.0.0.1", 9], "ab"):
            with pytest.raises(TypeError, match=r"^peer: expected an address"):
                link.send(peer, b"")
        with pytest.raises(ValueError, match=r"^data: expected at most 1200 bytes, got 1201"):
            link.send(("127.0.0.1", 9), bytes(1201))
        with pytest.raises(ValueError, match=r"^port: expected"):
            link.resolve("127.0.0.1", 1 << 16)
        assert link.counts.sent == 0


def test_a_stop_can_begin_at_time_0() -> None:
    network = fw.MemoryNetwork(fw.Conditions(stop=(0, 0.5)))
    first = network.link("a")
    second = network.link("b")
    assert (first.stopped, second.stopped) == (False, True)
    network.advance(0.5)
    assert not second.stopped


def test_addresses_are_split_and_unknown_hosts_are_clear_errors(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert split_address("peer", " example.org:7000 ") == ("example.org", 7000)
    assert split_address("peer", "example.org", 7000) == ("example.org", 7000)
    assert split_address("peer", "[::1]:7000") == ("::1", 7000)
    assert split_address("peer", "::1", 7000) == ("::1", 7000)
    for wrong in (
        "",
        ":7000",
        "host",
        "host:",
        "host:0",
        "host:65536",
        "host:x",
        "host:" + "9" * 99,
    ):
        with pytest.raises(ValueError, match=r"^peer: expected a"):
            split_address("peer", wrong)
    assert udp_address("peer", "127.0.0.1:7000") == ("127.0.0.1", 7000)

    def refuse(*arguments: object) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    with pytest.raises(
        fw.NetworkError, match=r"^peers: expected a host that exists, got 'nowhere'"
    ):
        fw.UdpLink(peers=["nowhere:7000"])


def test_a_real_link_can_have_conditions() -> None:
    network = fw.MemoryNetwork()
    a = network.link("a")
    b = network.link("b")
    slow = fw.ConditionedLink(a, fw.Conditions(latency=0.1))
    slow.send("b", b"late")
    assert b.receive() == []
    network.advance(0.1)
    assert b.receive() == []  # a conditioned link sends only when it is used
    assert slow.receive() == []
    assert b.receive() == [("a", b"late")]
    slow.conditions = fw.Conditions(loss=1)
    slow.send("b", b"lost")
    slow.conditions = fw.Conditions()
    slow.send("b", b"now")
    assert b.receive() == [("a", b"now")]
    assert slow.now_ns == network.now_ns
    assert slow.peers == ["b"]
    assert slow.resolve("b") == "b"
    slow.conditions = fw.Conditions(latency=0.1)
    slow.send("b", b"on the way at the end")
    slow.close()
    network.advance(1)
    assert slow.receive() == []
    a.send("b", b"x")
    assert a.counts.dropped == {"closed": 1}
    assert a.counts.sent == 2
