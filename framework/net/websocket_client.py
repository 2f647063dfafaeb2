"""Connect to a relay over WebSockets, without ever blocking the game.

A separate thread runs asyncio with the package `websockets`. The methods of `WebSocketClient` only
add frames to queues, or remove frames from queues, so they never wait for the network.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import threading
from collections import deque
from typing import Any
from urllib.parse import urlsplit

from .. import checks
from ..errors import FrameworkError
from ..optional_packages import check_version
from .relay_messages import MAX_FRAME

_MAX_OUTGOING = 1 << 23  # bytes
_MAX_DROPPABLE = 1 << 16  # bytes; if more bytes are waiting, droppable frames are dropped
_MAX_INCOMING = 1 << 23  # bytes
_OVERHEAD = 64  # bytes that are added to the length of each frame in these limits


def load_websockets(user: str) -> Any:
    """Import the package `websockets`. If it is not installed, raise an error that explains how to
    install it.
    """
    try:
        import websockets
    except ImportError:
        raise FrameworkError(
            f"{user} needs the package websockets: pip install 'subtick[net]'"
        ) from None
    check_version("websockets", user)
    return websockets


def check_address(name: str, address: str) -> str:
    """Check the address of a relay, and return the complete address. If ``ws://`` or ``wss://`` is
    missing, add ``ws://``.
    """
    load_websockets("Room")
    expected = "an address such as 'wss://relay.example:7000'"
    text = checks.text(name, address).strip()
    if "://" not in text:
        text = f"ws://{text}"
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise checks.wrong_value(name, expected, address) from None
    if parts.scheme not in ("ws", "wss") or not parts.hostname or port == 0:
        raise checks.wrong_value(name, expected, address)
    return text


class WebSocketClient:
    """A connection to the relay at ``address``. The constructor returns immediately, and the
    connection is opened later, in its own thread.
    """

    not_state = True

    def __init__(self, address: str) -> None:
        # The number of droppable frames that have been dropped.
        self.dropped = 0
        # Set when a frame has been received, and when the state has changed.
        self.changed = threading.Event()
        self._address = address
        self._state = "connecting"
        self._reason = ""
        self._lock = threading.Lock()
        self._incoming: list[str | bytes] = []
        self._incoming_bytes = 0
        self._outgoing: deque[str | bytes] = deque()
        self._outgoing_bytes = 0
        self._closing = False
        self._loop = asyncio.new_event_loop()
        # Set when a frame can be sent, or when there is space for received frames.
        self._wake = asyncio.Event()
        self.thread = threading.Thread(target=self._run, name="relay connection", daemon=True)
        self.thread.start()

    @property
    def state(self) -> str:
        """The state of the connection: "connecting", "open" or "closed"."""
        return self._state

    @property
    def reason(self) -> str:
        """A sentence that explains why the connection was closed, or "" while the connection is
        open.
        """
        return self._reason

    def send(self, frame: str | bytes, droppable: bool = False) -> None:
        """Send a frame. If ``droppable`` is True, the frame is dropped while many bytes are
        waiting.
        """
        size = len(frame) + _OVERHEAD
        with self._lock:
            if self._state == "closed" or self._closing:
                return
            if droppable and self._outgoing_bytes + size > _MAX_DROPPABLE:
                self.dropped += 1
                return
            if self._outgoing_bytes + size > _MAX_OUTGOING:
                self._reason = "the relay receives more slowly than this program sends"
                self._closing = True
            else:
                self._outgoing.append(frame)
                self._outgoing_bytes += size
        self._notify()

    def receive(self) -> list[str | bytes]:
        """Return the frames that have arrived since the last call."""
        self.changed.clear()
        with self._lock:
            frames = self._incoming
            was_full = self._incoming_bytes > _MAX_INCOMING
            self._incoming = []
            self._incoming_bytes = 0
        if was_full:
            self._notify()
        return frames

    def close(self) -> None:
        """Send all waiting frames, and then close the connection."""
        with self._lock:
            if not self._reason:
                self._reason = "this program closed the connection"
            self._closing = True
        self._notify()

    def _notify(self) -> None:
        with contextlib.suppress(RuntimeError):  # the thread has ended, so its loop is closed
            self._loop.call_soon_threadsafe(self._wake.set)

    # -- in the thread -----------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._connect())
        except Exception as error:
            # Any error of the network or of the package; the game continues offline.
            self._end(_sentence(self._address, error))
        finally:
            self._end("the relay closed the connection")
            self._loop.close()

    def _end(self, reason: str) -> None:
        with self._lock:
            self._reason = self._reason or reason
            self._state = "closed"
            self._outgoing.clear()
            self._outgoing_bytes = 0
        self.changed.set()

    async def _connect(self) -> None:
        from websockets.asyncio.client import connect

        connection = await connect(
            self._address,
            # Compression saves little for short frames, and would let attackers send huge frames as
            # few bytes.
            compression=None,
            max_size=MAX_FRAME + 1024,
            close_timeout=1,
        )
        with self._lock:
            self._state = "open"
        self.changed.set()
        reader = asyncio.ensure_future(self._read(connection))
        writer = asyncio.ensure_future(self._write(connection))
        try:
            done, _ = await asyncio.wait((reader, writer), return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in (reader, writer):
                task.cancel()
            await asyncio.gather(reader, writer, return_exceptions=True)
            await connection.close()

    async def _read(self, connection: Any) -> None:
        async for frame in connection:
            with self._lock:
                self._incoming.append(frame)
                self._incoming_bytes += len(frame) + _OVERHEAD
            self.changed.set()
            # While this client is not reading, the relay must wait before it sends more.
            while self._incoming_bytes > _MAX_INCOMING:
                await self._wake.wait()
                self._wake.clear()
        code = getattr(connection, "close_reason", "")
        if code:
            self._end(f"the relay closed the connection: {code}")

    async def _write(self, connection: Any) -> None:
        while True:
            with self._lock:
                frame = self._outgoing.popleft() if self._outgoing else None
                if frame is not None:
                    self._outgoing_bytes -= len(frame) + _OVERHEAD
                elif self._closing:
                    return
            if frame is not None:
                await connection.send(frame)
            else:
                await self._wake.wait()
                self._wake.clear()


def _sentence(address: str, error: Exception) -> str:
    """Return a sentence that explains why the connection has failed."""
    if isinstance(error, socket.gaierror):
        host = urlsplit(address).hostname
        return f"no host has the name {host}; check the address and the connection to the internet"
    if isinstance(error, TimeoutError):
        return f"{address} did not answer; check the address and whether the relay runs"
    if isinstance(error, ssl.SSLError):
        return f"{address} has no valid certificate ({error.reason}); ws:// connects without one"
    if isinstance(error, OSError):
        return f"no relay runs at {address}; check the address, or start one: framework relay"
    # Only a ConnectionClosed error has a reason.
    reason = getattr(getattr(error, "rcvd", None), "reason", "")
    if reason:
        return f"the relay closed the connection: {reason}"
    if type(error).__name__.startswith("ConnectionClosed"):
        return "the connection to the relay failed"
    return f"{address} is no relay ({type(error).__name__}); check the address and the port"
