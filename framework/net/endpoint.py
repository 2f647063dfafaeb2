"""Open and accept connections to other programs, and protect them against attacks."""

from __future__ import annotations

__all__ = ["Endpoint"]

import hmac
import os
from collections import Counter
from collections.abc import Callable, Hashable
from ipaddress import IPv6Address, ip_address

from .. import checks
from . import packets
from .connection import MAX_MESSAGE, Connection, described
from .link import Link, Peer
from .packets import Challenge, Connect

_NANOSECONDS = 1_000_000_000
_REPEAT = 100_000_000  # nanoseconds until a packet of the handshake is sent again
_COOKIE_SECONDS = 10  # how many seconds a server accepts a cookie
_RENEW = 5_000_000_000  # nanoseconds until a client requests a new cookie
_MAX_HANDSHAKES = 100
"""The maximum number of handshake packets that `Endpoint.poll` handles in one call. This limit
prevents attackers from slowing down the game with many handshake packets.
"""
_DEFAULT_MESSAGE = 1 << 16
MAX_PER_HOST = 8
"""The default maximum number of connections from one other computer."""

Compare = Callable[[bytes], "str | None"]
Admit = Callable[[Peer, bytes], "str | None"]


class Endpoint:
    """All network connections of one program. An endpoint connects to other programs and accepts
    their connections.

    Call `poll` at the start of each frame, and `flush` at the end. Before another program has
    proved its address, the endpoint stores nothing about it. To prove its address, the program
    sends back a cookie that it has received at this address.

    Parameters
    ----------
    link
        A link, such as ``UdpLink(7000)``. `Endpoint.close` also closes the link.
    identity
        Bytes that describe the game. Client and server compare their identities before a connection
        opens.
    compare
        A function that compares the identities of both sides. ``compare`` is called with the
        identity of the other side as bytes. It returns None to accept the other side, or a sentence
        that describes how the identities differ. By default, both identities must be equal.
    admit
        A function ``admit(peer, token)``, which is called before the endpoint accepts a connection.
        It returns None to accept the peer, or a sentence that explains why the peer is refused. If
        it returns "", the endpoint does not reply, and the peer sends its request again later. By
        default, all peers are accepted.
    max_peers
        The maximum number of simultaneous connections. If it is 0, no other program can connect to
        this endpoint.
    max_per_host
        The maximum number of connections from one other computer. This limit prevents one computer
        from using up all connections. Programs on this computer are not limited. Computers behind
        one router often have the same address, and then count as one computer. All IPv6 addresses
        with the same first 64 bits also count as one computer.
    max_message
        The maximum size in bytes of a reliable message that this endpoint accepts, at most 16 MiB.
        A single peer can use as much memory as two messages of the maximum size, plus 2 MiB.
    timeout
        If no valid packet arrives for ``timeout`` seconds, the connection is lost. The default is
        10 seconds, which gives a computer time to wake up from sleep mode.
    """

    not_state = True

    def __init__(
        self,
        link: Link,
        *,
        identity: bytes = b"",
        compare: Compare | None = None,
        admit: Admit | None = None,
        max_peers: int = 64,
        max_per_host: int = MAX_PER_HOST,
        max_message: int = _DEFAULT_MESSAGE,
        timeout: float = 10.0,
    ) -> None:
        checks.methods("link", link, ("send", "receive", "close"), "a link, such as UdpLink()")
        checks.instance("identity", identity, bytes, what="bytes")
        if len(identity) > packets.MAX_HELLO_DATA:
            raise ValueError(
                f"identity: expected at most {packets.MAX_HELLO_DATA} bytes, got {len(identity)}; "
                "send a hash of long data"
            )
        for name, function in (("compare", compare), ("admit", admit)):
            if function is not None:
                checks.function(name, function)
        self._link = link
        self._identity = identity
        self._compare = compare or self._compare_bytes
        self._admit = admit
        self._max_peers = checks.whole("max_peers", max_peers, 0)
        self._max_per_host = checks.whole("max_per_host", max_per_host, 1)
        self._max_message = checks.whole("max_message", max_message, 1, MAX_MESSAGE)
        self._timeout_ns = round(checks.number("timeout", timeout, above=0) * _NANOSECONDS)
        self._secret = os.urandom(32)
        self._connections: dict[Peer, Connection] = {}
        # The challenge that each server has sent, with its arrival time.
        self._challenges: dict[Peer, tuple[int, Challenge]] = {}
        self._asked_ns: dict[Peer, int] = {}  # the time when a client last sent a handshake packet
        self._accepted: list[Connection] = []
        self._handshakes = 0
        self.dropped: Counter[str] = Counter()

    @property
    def link(self) -> Link:
        """The link that sends and receives the datagrams."""
        return self._link

    @property
    def connections(self) -> tuple[Connection, ...]:
        """All connections with the state "connecting" or "connected"."""
        return tuple(self._connections.values())

    def connect(self, peer: Peer, token: bytes = b"") -> Connection:
        """Start connecting to another endpoint, and return the new connection.

        ``peer`` is the address of the other endpoint's link. With some links, such as `UdpLink`, it
        can also be a string such as "example.org:7000".

        The other side passes ``token`` to its function ``admit``. A player can pass the same token
        again to rejoin a match. The connection's state is "connecting" until the other side
        replies.
        """
        if not isinstance(peer, Hashable):
            raise checks.wrong_type("peer", "the address of a peer", peer)
        resolve = getattr(self._link, "resolve", None)
        if isinstance(peer, str) and resolve is not None:
            peer = resolve(peer)
        checks.instance("token", token, bytes, what="bytes")
        space = packets.MAX_HELLO_DATA - len(self._identity)
        if len(token) > space:
            raise ValueError(f"token: expected at most {space} bytes, got {len(token)}")
        existing = self._connections.get(peer)
        if existing is not None:
            raise ValueError(
                f"peer: expected a peer without a connection, got {described(peer)}; close the other "
                "connection first"
            )
        connection = self._new_connection(peer, b"client", os.urandom(packets.NONCE), token)
        self._connections[peer] = connection
        self._asked_ns[peer] = self._link.now_ns - _REPEAT
        return connection

    def accepted(self) -> list[Connection]:
        """Return the connections that other programs have opened since the last call. Closed
        connections are not included.
        """
        accepted = self._accepted
        self._accepted = []
        return [connection for connection in accepted if connection.is_open]

    def poll(self) -> None:
        """Receive all datagrams that have arrived, and end connections that have timed out."""
        self._handshakes = 0
        now_ns = self._link.now_ns
        for peer, data in self._link.receive():
            self._handle(peer, data, now_ns)
        for connection in self.connections:
            if now_ns - connection.last_received_ns >= self._timeout_ns:
                self._lose(connection)
        self._forget_ended()

    def flush(self) -> None:
        """Send the handshake packets, and all messages that are waiting in the endpoint's
        connections.
        """
        now_ns = self._link.now_ns
        for connection in self.connections:
            if connection.state == "connecting":
                self._ask(connection, now_ns)
            else:
                connection.flush(now_ns)
        self._forget_ended()

    def close(self, reason: str = "") -> None:
        """Close all connections and the link. ``reason`` becomes the value of `Connection.reason`
        on the other side.
        """
        checks.text("reason", reason)
        for connection in self.connections:
            connection.close(reason)
        self._forget_ended()
        self._link.close()

    # -- requests of this side ---------------------------------------------------------------------

    def _ask(self, connection: Connection, now_ns: int) -> None:
        """Send the next packet of the handshake, or send the last packet again."""
        peer = connection.peer
        if now_ns - self._asked_ns[peer] < _REPEAT:
            return
        self._asked_ns[peer] = now_ns
        asked_ns, challenge = self._challenges.get(peer, (now_ns - _RENEW, None))
        if challenge is None or now_ns - asked_ns >= _RENEW:
            self._challenges.pop(peer, None)
            self._link.send(peer, packets.pack_hello(connection.nonce))
            return
        request = Connect(
            packets.VERSION,
            connection.nonce,
            challenge.stamp,
            challenge.cookie,
            self._max_message,
            self._identity,
            connection.token,
        )
        self._link.send(peer, packets.pack_connect(request))

    def _take_challenge(self, connection: Connection, data: bytes, now_ns: int) -> str | None:
        challenge = packets.unpack_challenge(data, connection.nonce)
        if challenge is None or connection.peer in self._challenges:
            return "handshake"
        self._challenges[connection.peer] = now_ns, challenge
        self._asked_ns[connection.peer] = now_ns - _REPEAT
        self._ask(connection, now_ns)
        return None

    def _take_accepted(self, connection: Connection, data: bytes, now_ns: int) -> str | None:
        answer = packets.unpack_accepted(data, connection.nonce)
        if answer is None:
            return "handshake"
        key, max_message = answer
        connection.open(key, max_message, now_ns)
        return None

    def _take_refused(self, connection: Connection, data: bytes) -> str | None:
        answer = packets.unpack_refused(data, connection.nonce)
        if answer is None:
            return "handshake"
        connection.end("refused", self._sentence(connection.peer, *answer))
        return None

    def _sentence(self, peer: Peer, reason: int, details: bytes) -> str:
        """Return a sentence that explains why the other program refused the connection."""
        if reason == packets.DIFFERENT_GAME:
            # The message is written here, because "here" and "there" mean other machines on the
            # other side.
            return self._difference(details) or f"{described(peer)} runs another game"
        if reason == packets.DIFFERENT_VERSION:
            theirs = details[0] if details else 0
            return (
                f"{described(peer)} uses version {theirs} of the network format, this program version "
                f"{packets.VERSION}; install the same version of the framework on both sides"
            )
        return packets.unpack_text(details) or f"{described(peer)} refused the connection"

    def _lose(self, connection: Connection) -> None:
        seconds = self._timeout_ns / _NANOSECONDS
        peer = described(connection.peer)
        if connection.state == "connecting":
            connection.end(
                "lost",
                f"{peer} did not answer for {seconds:g} seconds; check the address, and whether the "
                "server runs and its UDP port is open",
            )
        else:
            connection.end("lost", f"no packet of {peer} arrived for {seconds:g} seconds")

    # -- requests of others ------------------------------------------------------------------------

    def _handle(self, peer: Peer, data: bytes, now_ns: int) -> None:
        kind = data[0] if data else 0
        connection = self._connections.get(peer)
        reason: str | None = "malformed"
        if packets.is_data(kind):
            if connection is not None and connection.state == "connected":
                connection.handle(data, now_ns)
                return
            reason = "unknown peer"
        elif kind in (packets.HELLO, packets.CONNECT):
            reason = self._handle_request(kind, peer, data, now_ns)
        elif kind in (packets.CHALLENGE, packets.ACCEPTED, packets.REFUSED):
            reason = self._handle_answer(kind, connection, data, now_ns)
        if reason is not None:
            self.dropped[reason] += 1

    def _handle_answer(
        self, kind: int, connection: Connection | None, data: bytes, now_ns: int
    ) -> str | None:
        """Handle the other side's answer to a handshake packet of this side. If the answer must be
        dropped, return the reason.
        """
        if connection is None or connection.state != "connecting":
            return "handshake"
        if kind == packets.CHALLENGE:
            return self._take_challenge(connection, data, now_ns)
        if kind == packets.ACCEPTED:
            return self._take_accepted(connection, data, now_ns)
        return self._take_refused(connection, data)

    def _handle_request(self, kind: int, peer: Peer, data: bytes, now_ns: int) -> str | None:
        if not self._max_peers:
            return "unknown peer"
        self._handshakes += 1
        if self._handshakes > _MAX_HANDSHAKES:
            return "flood"
        if kind == packets.HELLO:
            return self._answer_hello(peer, data, now_ns)
        return self._answer_connect(peer, data, now_ns)

    def _answer_hello(self, peer: Peer, data: bytes, now_ns: int) -> str | None:
        """Reply to a request with a cookie. Do not store anything about the peer, so that attackers
        cannot use up memory.
        """
        hello = packets.unpack_hello(data)
        if hello is None:
            return "malformed"
        version, nonce = hello
        if version != packets.VERSION:
            self._refuse(peer, nonce, packets.DIFFERENT_VERSION, bytes([packets.VERSION]))
            return "version"
        stamp = now_ns // _NANOSECONDS % (1 << 32)
        cookie = packets.cookie_of(self._secret, peer, nonce, stamp)
        self._link.send(peer, packets.pack_challenge(Challenge(nonce, stamp, cookie)))
        return None

    def _answer_connect(self, peer: Peer, data: bytes, now_ns: int) -> str | None:
        request = packets.unpack_connect(data)
        if request is None or request.version != packets.VERSION:
            return "malformed"
        if not self._is_cookie_valid(peer, request, now_ns):
            return "cookie"
        existing = self._connections.get(peer)
        if existing is not None and existing.nonce == request.nonce:
            self._send_accepted(existing)  # the first answer was probably lost
            return None
        if existing is not None:
            existing.end("closed", f"{described(peer)} started a new connection")
            self._forget_ended()
        return self._decide(peer, request)

    def _is_cookie_valid(self, peer: Peer, request: Connect, now_ns: int) -> bool:
        cookie = packets.cookie_of(self._secret, peer, request.nonce, request.stamp)
        age = now_ns // _NANOSECONDS % (1 << 32) - request.stamp
        return hmac.compare_digest(cookie, request.cookie) and 0 <= age <= _COOKIE_SECONDS

    def _decide(self, peer: Peer, request: Connect) -> str | None:
        """Accept or refuse a peer that has returned a valid cookie."""
        if self._difference(request.identity) is not None:
            self._refuse(peer, request.nonce, packets.DIFFERENT_GAME, self._identity)
            return "identity"
        self._forget_ended()  # connections may have ended during this `poll`
        sentence = self._refusal(peer, request.token)
        if sentence == "":
            return "later"
        if sentence is not None:
            self._refuse(peer, request.nonce, packets.TEXT, packets.pack_text(sentence))
            return "refused"
        connection = self._new_connection(peer, b"server", request.nonce, request.token)
        connection.open(os.urandom(packets.KEY), request.max_message, self._link.now_ns)
        self._connections[peer] = connection
        self._accepted.append(connection)
        self._send_accepted(connection)
        return None

    def _refusal(self, peer: Peer, token: bytes) -> str | None:
        """Return a sentence that explains why a peer cannot connect, or None if it can. The
        sentence is "" if the peer must try again later.
        """
        if len(self._connections) >= self._max_peers:
            return f"all {self._max_peers} places are taken"
        if self._is_host_full(peer):
            return f"all {self._max_per_host} places for one computer are taken"
        return None if self._admit is None else self._admit(peer, token)

    def _is_host_full(self, peer: Peer) -> bool:
        """Return whether the computer of ``peer`` already has the maximum number of connections."""
        host = host_of(peer)
        if host is None:
            return False
        same = sum(host_of(connected) == host for connected in self._connections)
        return same >= self._max_per_host

    def _send_accepted(self, connection: Connection) -> None:
        answer = packets.pack_accepted(connection.nonce, connection.key, self._max_message)
        self._link.send(connection.peer, answer)

    def _refuse(self, peer: Peer, nonce: bytes, reason: int, details: bytes) -> None:
        self._link.send(peer, packets.pack_refused(nonce, reason, details))

    def _difference(self, identity: bytes) -> str | None:
        """Return a sentence that describes how the other side's identity differs, or None if the
        identities are equal. If the bytes from the other side are damaged, return a sentence about
        the damage.
        """
        try:
            return self._compare(identity)
        except Exception:  # damaged bytes can raise any error
            return "the identity of the other program is damaged"

    def _compare_bytes(self, identity: bytes) -> str | None:
        same = identity == self._identity
        return None if same else "the other program runs another game, or another version of it"

    # -- connections -------------------------------------------------------------------------------

    def _new_connection(self, peer: Peer, role: bytes, nonce: bytes, token: bytes) -> Connection:
        return Connection(
            peer,
            role,
            self._link.send,
            nonce=nonce,
            token=token,
            now_ns=self._link.now_ns,
            max_message=self._max_message,
        )

    def _forget_ended(self) -> None:
        for connection in self.connections:
            if not connection.is_open:
                peer = connection.peer
                del self._connections[peer]
                self._challenges.pop(peer, None)
                self._asked_ns.pop(peer, None)


def computer_of(peer: Peer) -> Hashable:
    """Return a value that identifies a player's computer. In a relay room, each member counts as a
    separate computer, because the members' addresses are unknown. All links of a `MemoryNetwork`
    count as one computer.
    """
    return host_of(peer) if isinstance(peer, tuple | str) else peer


def host_of(peer: Peer) -> Hashable:
    """Return a value that identifies the computer of a peer, or None if the peer is on this
    computer or the link has no IP addresses.

    All IPv6 addresses with the same first 64 bits count as one computer, because a provider gives
    all of them to one customer.
    """
    if not (isinstance(peer, tuple) and len(peer) == 2 and isinstance(peer[0], str)):
        return None
    try:
        # The name of a network interface follows "%".
        address = ip_address(peer[0].partition("%")[0])
    except ValueError:
        return peer[0]
    if isinstance(address, IPv6Address):
        address = address.ipv4_mapped or address
    if address.is_loopback:
        return None
    if isinstance(address, IPv6Address):
        return address.packed[:8]
    return address.packed
