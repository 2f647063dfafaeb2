"""Send messages between two processes on the same computer.

A message is a tuple of simple values: None, bools, numbers, strings, bytes, tuples, lists and
dicts. `marshal` converts it to bytes, which is possible because both processes run the same version
of Python. On Linux and macOS, a message can also carry the descriptor of an open file. Only
`ProcessPipe.wait` and `ProcessPipe.flush_for` may wait for the other process. All other methods
return immediately.
"""

from __future__ import annotations

import marshal
import os
import select
import socket
import sys
from collections import deque
from contextlib import suppress
from typing import Any

Message = tuple[Any, ...]

_CHUNK = 1 << 16  # the number of bytes that are read in one call
_MAX_MESSAGE = 1 << 30
_HEADER = 4  # the number of bytes for the length before each message


class ProcessPipe:
    """One end of the connection between two processes."""

    def __init__(self, connection: socket.socket) -> None:
        connection.setblocking(False)
        self._socket = connection
        self._waiting: deque[tuple[memoryview, int]] = deque()
        self._received = bytearray()
        self._descriptors: deque[int] = deque()
        self.closed = False
        """True if the other process has ended or has closed its end of the pipe."""
        self.bytes_sent = 0
        """The number of bytes sent so far."""
        self.bytes_received = 0
        """The number of bytes received so far."""

    def send(self, message: Message, fd: int = -1) -> None:
        """Send a message. While the other process is not reading, the message waits in a queue in
        this process.

        ``fd`` is the descriptor of an open file, which is sent with the message. If it is -1, the
        default, no file is sent. Once the message has been sent, this process closes its own copy
        of the file. Raises `ValueError` if the message contains a value that `marshal` cannot
        convert.
        """
        data = marshal.dumps(message)
        self._waiting.append((memoryview(len(data).to_bytes(_HEADER, "little") + data), fd))
        self.flush()

    def flush(self) -> bool:
        """Send queued bytes until the other process stops accepting bytes. Return True if the queue
        is empty.
        """
        while self._waiting and not self.closed:
            data, fd = self._waiting[0]
            try:
                if fd >= 0:
                    sent = socket.send_fds(self._socket, [data], [fd])
                    os.close(fd)
                else:
                    sent = self._socket.send(data)
            except BlockingIOError:
                return False
            except OSError:
                self.closed = True
                break
            self.bytes_sent += sent
            if sent == len(data):
                self._waiting.popleft()
            else:
                self._waiting[0] = data[sent:], -1
        return not self._waiting

    def receive(self) -> list[Message]:
        """Return the messages that have arrived from the other process."""
        self.flush()
        while not self.closed:
            try:
                if sys.platform == "win32":  # pragma: no cover
                    data = self._socket.recv(_CHUNK)
                else:
                    data, descriptors, _, _ = socket.recv_fds(self._socket, _CHUNK, 8)
                    self._descriptors += descriptors
            except BlockingIOError:
                break
            except OSError:
                data = b""
            if not data:
                self.closed = True
            self.bytes_received += len(data)
            self._received += data
        return self._messages()

    def _messages(self) -> list[Message]:
        messages: list[Message] = []
        received = self._received
        start = 0
        while len(received) - start >= _HEADER:
            length = int.from_bytes(received[start : start + _HEADER], "little")
            end = start + _HEADER + length
            if length > _MAX_MESSAGE:
                self.closed = True
                break
            if end > len(received):
                break
            messages.append(marshal.loads(bytes(received[start + _HEADER : end])))
            start = end
        del received[:start]
        return messages

    def take_descriptor(self) -> int:
        """Return the next file descriptor that has arrived. The caller must close the file. Raises
        `OSError` if no file descriptor has arrived.
        """
        if not self._descriptors:
            raise OSError("the message came without its file descriptor")
        return self._descriptors.popleft()

    def wait(self, seconds: float | None) -> None:
        """Wait until a message arrives or the connection ends, but not longer than ``seconds``. If
        ``seconds`` is None, wait without a limit.
        """
        if self.closed:
            return
        writers = [self._socket] if self._waiting else []
        with suppress(OSError, ValueError):
            select.select([self._socket], writers, [], seconds)

    def flush_for(self, seconds: float) -> bool:
        """Send all queued bytes. If the other process is not reading, wait for at most ``seconds``.
        Return True if all bytes were sent.
        """
        if not self.flush() and not self.closed:
            with suppress(OSError, ValueError):
                select.select([], [self._socket], [], seconds)
            return self.flush()
        return not self.closed

    def close(self) -> None:
        """Close this end of the connection. Queued messages are lost."""
        self.closed = True
        for _, fd in self._waiting:
            if fd >= 0:
                os.close(fd)
        for fd in self._descriptors:
            os.close(fd)
        self._waiting.clear()
        self._descriptors.clear()
        self._socket.close()
