"""Send and receive datagrams between computers with UDP."""

from __future__ import annotations

__all__ = ["UdpLink"]

import contextlib
import errno
import socket
import time
from collections.abc import Iterable, Sequence

from .. import checks
from ..errors import NetworkError
from .link import MAX_DATAGRAM, LinkCounts, Peer, checked_datagram

_MAX_DATAGRAMS = 2000
"""The maximum number of datagrams that `UdpLink.receive` returns in one call. The next call returns
the remaining datagrams.
"""
_BUFFER = 1 << 20
"""The requested size of a socket's buffers in bytes, large enough that no datagrams are lost during
a slow frame.
"""


def split_address(name: str, address: str, port: int | None = None) -> tuple[str, int]:
    """Split an address such as "host:7000" into the host and the port. If ``address`` does not
    contain a port, use the argument ``port``.

    An IPv6 address with a port needs brackets: "[::1]:7000".
    """
    if port is not None:
        checks.whole("port", port, 1, (1 << 16) - 1)
    text = checks.text(name, address).strip()
    host, number = _split_at_port(text)
    if not host or (number == "" and port is None):
        raise ValueError(
            f"{name}: expected a host and a port such as '10.0.0.2:7000', got "
            f"{checks.shown(address)}"
        )
    if number == "":
        assert port is not None
        return host, port
    if not (number.isascii() and number.isdecimal() and 0 < int(number[:9]) < 1 << 16):
        raise ValueError(f"{name}: expected a port from 1 to 65535, got {checks.shown(address)}")
    return host, int(number)


def _split_at_port(text: str) -> tuple[str, str]:
    """Return the host and the port in ``text``, or "" instead of a missing port."""
    if text.startswith("["):
        host, _, number = text[1:].partition("]")
        return host, number.removeprefix(":")
    if text.count(":") > 1:  # an IPv6 address without a port
        return text, ""
    host, _, number = text.partition(":")
    return host, number


def udp_address(
    name: str, address: str, port: int | None = None, family: int = socket.AF_INET
) -> tuple[str, int]:
    """Return the IP address and the port of an address such as "example.org:7000", as the pair that
    `UdpLink.send` needs. If the host is a name, `udp_address` may wait for a name server (DNS).

    Raises
    ------
    NetworkError
        If the host does not exist.
    """
    host, number = split_address(name, address, port)
    try:
        answers = socket.getaddrinfo(host, number, family, socket.SOCK_DGRAM)
    except (OSError, UnicodeError):
        kind = "IPv6" if family == socket.AF_INET6 else "IPv4"
        raise NetworkError(
            f"{name}: expected a host that exists, got {checks.shown(host)}; no name server has an "
            f"{kind} address of it: check the spelling and the connection to the internet"
        ) from None
    answer = answers[0][4]
    return str(answer[0]), int(answer[1])


class UdpLink:
    """A link over UDP, which uses one UDP port of this computer. All methods except `resolve`
    return without waiting. The constructor may wait for a name server if ``peers`` contains names.

    UDP is not encrypted. Anyone who controls the network between two players can read the
    datagrams.

    Parameters
    ----------
    port
        The UDP port to which other programs send, from 1 to 65535. If it is 0, the default, the
        operating system chooses a free port.
    host
        The address of the network interface that receives datagrams. If it is "", the default, all
        network interfaces receive datagrams. If it is "127.0.0.1", only programs on this computer
        can connect. For IPv6, pass an IPv6 address such as "::".
    peers
        The addresses of other links, such as "10.0.0.2:7000". The property `peers` contains the IP
        addresses and ports of the links.

    Raises
    ------
    NetworkError
        If another program uses the port, or if a host does not exist.
    """

    not_state = True

    def __init__(self, port: int = 0, host: str = "", peers: Iterable[str] = ()) -> None:
        checks.whole("port", port, 0, (1 << 16) - 1)
        checks.text("host", host)
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.counts = LinkCounts()
        self._closed = False
        self._peers = tuple(
            udp_address("peers", peer, family=family) for peer in checks.items("peers", peers)
        )
        self._socket = socket.socket(family, socket.SOCK_DGRAM)
        try:
            self._socket.setblocking(False)
            for option in (socket.SO_RCVBUF, socket.SO_SNDBUF):
                # The operating system may allow only smaller buffers.
                with contextlib.suppress(OSError):
                    self._socket.setsockopt(socket.SOL_SOCKET, option, _BUFFER)
            self._socket.bind((host, port))
        except (OSError, UnicodeError) as error:
            self._socket.close()
            raise _bind_error(port, host, error) from None

    @property
    def address(self) -> tuple[str, int]:
        """The IP address and the port of this link, as a pair. The IP address is "0.0.0.0" if the
        link uses all network interfaces.
        """
        host, port = self._socket.getsockname()[:2] if not self._closed else ("", 0)
        return host, port

    @property
    def port(self) -> int:
        """The UDP port of this link, or 0 after `close`."""
        return self.address[1]

    @property
    def now_ns(self) -> int:
        """The time of the computer's clock in nanoseconds. The time never decreases."""
        return time.perf_counter_ns()

    @property
    def peers(self) -> Sequence[Peer]:
        """The addresses in the argument ``peers``, as pairs of IP address and port."""
        return self._peers

    def resolve(self, address: str, port: int | None = None) -> tuple[str, int]:
        """Return the IP address and the port of an address such as "example.org:7000". If the host
        is a name, `resolve` may wait for a name server (DNS).
        """
        return udp_address("address", address, port, self._socket.family)

    def send(self, peer: Peer, data: bytes) -> None:
        """Send a datagram to ``peer``. ``peer`` is a pair of an IP address and a port. If the
        datagram cannot be sent, it is dropped and counted in `counts`.
        """
        checked_datagram(data)
        if not (isinstance(peer, tuple) and len(peer) == 2):
            raise checks.wrong_type("peer", "an address (host, port)", peer)
        if self._closed:
            self.counts.dropped["closed"] += 1
            return
        try:
            self._socket.sendto(data, peer)
        except (BlockingIOError, InterruptedError):
            self.counts.dropped["buffer"] += 1
        except OSError:
            self.counts.dropped["unreachable"] += 1
        else:
            self.counts.add_sent(len(data))

    def receive(self) -> list[tuple[Peer, bytes]]:
        """Return the datagrams that have arrived since the last call. Each entry of the list is a
        pair ``(peer, data)`` of the sender's address and the bytes.
        """
        datagrams: list[tuple[Peer, bytes]] = []
        if self._closed:
            return datagrams
        for _ in range(_MAX_DATAGRAMS):
            try:
                data, sender = self._socket.recvfrom(MAX_DATAGRAM + 1)
            except (BlockingIOError, InterruptedError):
                break
            except OSError as error:
                # On Windows, this error means that a datagram is too large, or that no program
                # received an earlier datagram from this link.
                too_large = error.errno == errno.EMSGSIZE or getattr(error, "winerror", 0) == 10040
                self.counts.dropped["size" if too_large else "unreachable"] += 1
                continue
            if len(data) > MAX_DATAGRAM:
                self.counts.dropped["size"] += 1
                continue
            self.counts.add_received(len(data))
            datagrams.append((sender[:2], data))
        return datagrams

    def close(self) -> None:
        """Close the socket. A closed link neither sends nor receives datagrams."""
        self._closed = True
        self._socket.close()

    def __enter__(self) -> UdpLink:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _bind_error(port: int, host: str, error: Exception) -> NetworkError:
    number = getattr(error, "errno", None)
    if number == errno.EADDRINUSE or getattr(error, "winerror", 0) == 10048:
        return NetworkError(
            f"port: expected a free UDP port, got {port}; another program uses this port: close the "
            "program, or choose another port"
        )
    if number in (errno.EACCES, errno.EPERM):
        return NetworkError(
            f"port: expected a UDP port that this user may open, got {port}; ports below 1024 are "
            "for administrators: choose another port"
        )
    return NetworkError(
        f"host: expected an address of this computer, got {checks.shown(host)} ({error}); '' "
        "receives on all network interfaces"
    )
