"""Run a relay as a server that players reach over WebSockets."""

from __future__ import annotations

__all__ = ["RelayServer", "run_relay"]

import asyncio
import contextlib
import errno
import itertools
import logging
import signal
import ssl
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .. import checks
from ..errors import NetworkError
from .relay import Relay
from .relay_messages import MAX_FRAME
from .websocket_client import load_websockets

# Bytes; if more bytes are waiting for a client, droppable frames are dropped.
_MAX_DROPPABLE = 1 << 17
_MAX_WAITING = 1 << 22  # bytes; if more bytes are waiting for a client, the client is disconnected
_OVERHEAD = 64  # bytes that are added to the length of each frame in these limits
_ADVANCE = 1.0  # seconds between two checks for lost members


class _Outbox:
    """The queue of frames that must be sent to one client."""

    def __init__(self) -> None:
        self.dropped = 0
        self.end_reason: str | None = None
        self._frames: deque[tuple[str | bytes, bool]] = deque()
        self._size = 0
        self._ready = asyncio.Event()

    def put(self, frame: str | bytes, droppable: bool) -> None:
        """Add a frame that must be sent to the client. If the queue contains too many bytes, drop
        all ``droppable`` frames.
        """
        self._frames.append((frame, droppable))
        self._size += len(frame) + _OVERHEAD
        if self._size > _MAX_DROPPABLE:
            self._drop_droppable()
        if self._size > _MAX_WAITING:
            self.end("this program receives too slowly")
        self._ready.set()

    def _drop_droppable(self) -> None:
        reliable = deque(entry for entry in self._frames if not entry[1])
        self.dropped += len(self._frames) - len(reliable)
        self._frames = reliable
        self._size = sum(len(frame) + _OVERHEAD for frame, _ in reliable)

    def end(self, reason: str) -> None:
        """Close the connection to the client after all waiting frames have been sent."""
        if self.end_reason is None:
            self.end_reason = reason
        self._ready.set()

    async def next(self) -> str | bytes | None:
        """Wait for the next frame and return it, or return None if the connection must be
        closed.
        """
        while not self._frames:
            if self.end_reason is not None:
                return None
            self._ready.clear()
            await self._ready.wait()
        frame, _ = self._frames.popleft()
        self._size -= len(frame) + _OVERHEAD
        return frame


class RelayServer:
    """A relay that listens for clients on a TCP port. Call `run` to start the relay, and call
    `stop` from another thread to stop it.

    Parameters
    ----------
    relay
        The `Relay` object that manages the rooms.
    port, host
        The TCP port, and the address of the network interface on which the relay listens. If the
        port is 0, the operating system chooses a free port. If the host is "", the relay listens on
        all network interfaces.
    certificate, key
        The paths of a certificate file and its private key. If you pass both paths, clients connect
        with wss://, and all connections are encrypted.
    ready
        A function ``ready(server)``, which is called after the relay has started to listen.
    """

    not_state = True

    def __init__(
        self,
        relay: Relay,
        port: int = 7000,
        host: str = "",
        *,
        certificate: str | None = None,
        key: str | None = None,
        ready: Callable[[RelayServer], object] | None = None,
    ) -> None:
        load_websockets("framework relay")
        self.relay = checks.instance("relay", relay, Relay)
        self.port = checks.whole("port", port, 0, (1 << 16) - 1)
        self.started = threading.Event()
        self._host = checks.text("host", host)
        self._security = _security(certificate, key)
        self._ready = ready
        self._outboxes: dict[int, _Outbox] = {}
        self._numbers = itertools.count(1)
        self._stopping: asyncio.Event | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def secure(self) -> bool:
        """True if clients connect with wss://."""
        return self._security is not None

    def run(self) -> None:
        """Listen for clients until `stop` is called. The signals SIGINT and SIGTERM also stop the
        server.

        Raises
        ------
        NetworkError
            If another program uses the port.
        """
        asyncio.run(self._serve())

    def stop(self) -> None:
        """End `run`. This method can be called from any thread."""
        loop = self._loop
        stopping = self._stopping
        if loop is not None and stopping is not None:
            with contextlib.suppress(RuntimeError):  # the event loop has already been closed
                loop.call_soon_threadsafe(stopping.set)

    async def _serve(self) -> None:
        from websockets.asyncio.server import serve

        self._loop = asyncio.get_running_loop()
        self._stopping = asyncio.Event()
        try:
            server = await serve(
                self._handle,
                self._host or None,
                self.port,
                ssl=self._security,
                compression=None,
                logger=_quiet_logger(),
                max_size=MAX_FRAME,
                close_timeout=1,
            )
        except OSError as error:
            raise self._listen_error(error) from None
        async with server:
            self.port = next(iter(server.sockets)).getsockname()[1]
            with contextlib.ExitStack() as stack:
                _stop_by_signals(self._loop, self._stopping, stack)
                self.started.set()
                if self._ready is not None:
                    self._ready(self)
                await self._advance(self._stopping)

    async def _advance(self, stopping: asyncio.Event) -> None:
        """Update the relay once per second until the server stops. Each update removes members who
        have not rejoined in time.
        """
        while not stopping.is_set():
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(stopping.wait(), _ADVANCE)
            self.relay.advance(time.perf_counter_ns())
            self._carry()

    async def _handle(self, connection: Any) -> None:
        """Handle the frames of one client until its connection ends."""
        number = next(self._numbers)
        outbox = self._outboxes[number] = _Outbox()
        address = connection.remote_address
        host = str(address[0]) if isinstance(address, tuple) else ""
        self.relay.connect(number, host, time.perf_counter_ns())
        self._carry()
        writer = asyncio.ensure_future(_write(connection, outbox))
        try:
            async for frame in connection:
                self.relay.receive(number, frame, time.perf_counter_ns())
                self._carry()
        except _closed_errors():
            pass  # handled as a regular end, because the client may come back
        finally:
            writer.cancel()
            await asyncio.gather(writer, return_exceptions=True)
            del self._outboxes[number]
            self.relay.disconnect(number, time.perf_counter_ns())
            self._carry()

    def _carry(self) -> None:
        """Move the relay's outgoing frames to the clients' outboxes."""
        for outgoing in self.relay.take_outgoing():
            outbox = self._outboxes.get(outgoing.client)
            if outbox is None:
                continue
            if outgoing.frame is None:
                outbox.end(outgoing.reason)
            else:
                outbox.put(outgoing.frame, outgoing.droppable)

    def _listen_error(self, error: OSError) -> NetworkError:
        number = error.errno
        if number == errno.EADDRINUSE or getattr(error, "winerror", 0) == 10048:
            return NetworkError(
                f"port: expected a free TCP port, got {self.port}; another program uses this port: "
                "close the program, or choose another port"
            )
        return NetworkError(
            f"port: expected a TCP port that this user may open, got {self.port} on "
            f"{self._host or 'all network interfaces'} ({error.strerror}); choose another port or "
            "host"
        )


def _quiet_logger() -> logging.Logger:
    """Return a logger that does not print anything. The default logger would print a line for each
    port scan from the internet.
    """
    logger = logging.getLogger("framework.relay")
    logger.addHandler(logging.NullHandler())
    logger.propagate = False
    return logger


def _closed_errors() -> type[Exception]:
    from websockets.exceptions import ConnectionClosed

    error: type[Exception] = ConnectionClosed
    return error


async def _write(connection: Any, outbox: _Outbox) -> None:
    """Send the frames in an outbox to the client until the outbox ends, and then close the
    connection.
    """
    with contextlib.suppress(_closed_errors()):
        while True:
            frame = await outbox.next()
            if frame is None:
                await connection.close(1008, (outbox.end_reason or "")[:100])
                return
            await connection.send(frame)


def _stop_by_signals(
    loop: asyncio.AbstractEventLoop, stopping: asyncio.Event, stack: contextlib.ExitStack
) -> None:
    """Stop the server when SIGTERM arrives. SIGINT does not need a handler, because it ends
    `asyncio.run`.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    with contextlib.suppress(NotImplementedError):  # on Windows
        loop.add_signal_handler(signal.SIGTERM, stopping.set)
        stack.callback(loop.remove_signal_handler, signal.SIGTERM)


def _security(certificate: str | None, key: str | None) -> ssl.SSLContext | None:
    if certificate is None and key is None:
        return None
    for name, path in (("certificate", certificate), ("key", key)):
        if path is None or not Path(path).is_file():
            raise NetworkError(
                f"{name}: expected a file, got {checks.shown(path)}; wss:// needs a certificate and "
                "its private key"
            )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(str(certificate), key)
    except (ssl.SSLError, OSError) as error:
        raise NetworkError(f"certificate: {certificate} cannot be used ({error})") from None
    return context


def run_relay(
    port: int = 7000,
    host: str = "",
    *,
    max_clients: int = 1000,
    max_rooms: int = 500,
    certificate: str | None = None,
    key: str | None = None,
) -> None:
    """Run a relay until Ctrl-C or SIGTERM, and print its address."""
    relay = Relay(max_clients=max_clients, max_rooms=max_rooms)

    def show(server: RelayServer) -> None:
        scheme = "wss" if server.secure else "ws"
        address = f"{scheme}://{host or 'ADDRESS'}:{server.port}"
        print(f"relay: players connect to {address}; Ctrl-C ends the relay", flush=True)

    RelayServer(relay, port, host, certificate=certificate, key=key, ready=show).run()
