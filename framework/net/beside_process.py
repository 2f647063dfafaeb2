"""Start and stop the child process of a `Beside` session.

The child is a new Python process. It is not a fork, because a forked process cannot use its
parent's OpenGL context and threads. The two processes exchange messages through a pair of connected
sockets. When one process ends, its socket closes, and the other process notices.
"""

from __future__ import annotations

import inspect
import os
import socket
import subprocess
import sys
from contextlib import suppress
from typing import Any

from ..checks import shown
from ..errors import FrameworkError
from ..game.game import Game
from .beside_child import Start
from .plain_values import plain
from .process_pipe import Message, ProcessPipe

_PROGRAM = "import sys; sys.path[:] = {path}; from framework.net.beside_child import main; main()"
_END_TIMEOUT = 2.0  # after this number of seconds, a child that does not end is killed
_MAIN = "__main__"


class ChildProcess:
    """The second process of a `Beside` session, and the connection to it."""

    def __init__(self, start: Start) -> None:
        ours, theirs = socket.socketpair()
        program = _PROGRAM.format(path=repr(start.path))
        command = [sys.executable, *_interpreter_flags(), "-c", program]
        with theirs:
            if sys.platform == "win32":  # pragma: no cover
                self._process = subprocess.Popen(command, stdin=subprocess.PIPE)
                shared = theirs.share(self._process.pid)
                assert self._process.stdin is not None
                self._process.stdin.write(len(shared).to_bytes(4, "little") + shared)
                self._process.stdin.close()
            else:
                fd = theirs.fileno()
                self._process = subprocess.Popen(
                    [*command, str(fd)],
                    pass_fds=[fd],
                    stdin=subprocess.DEVNULL,
                )
        self._pipe = ProcessPipe(ours)
        self._pipe.send(tuple(start))

    @property
    def pid(self) -> int:
        """The process ID of the child process."""
        return self._process.pid

    @property
    def pipe(self) -> ProcessPipe:
        """The connection to the child."""
        return self._pipe

    @property
    def ended(self) -> bool:
        """True if the child has ended or has closed the connection."""
        return self._pipe.closed

    def receive(self) -> list[Message]:
        """Return the messages that have arrived from the child."""
        return self._pipe.receive()

    def words_of_end(self) -> str:
        """Return a sentence that describes how the child process ended."""
        try:
            code = self._process.wait(_END_TIMEOUT)
        except subprocess.TimeoutExpired:
            return "the process of the simulation has closed its connection"
        if code < 0:
            return f"the process of the simulation was ended by signal {-code}"
        return f"the process of the simulation has ended, with exit code {code}"

    def close(self) -> None:
        """Close the connection to the child. Kill the child process if it does not end within two
        seconds.
        """
        self._pipe.close()
        try:
            self._process.wait(_END_TIMEOUT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def start_of(game: Game, size: tuple[int, int]) -> Start:
    """Return the first message to the child process. The message contains all data that the child
    needs to create the same game.

    Raises `FrameworkError` if another process cannot create this game.
    """
    kind = type(game)
    name = kind.__qualname__
    module = kind.__module__
    file = ""
    if "<locals>" in name:
        raise FrameworkError(
            f"session: {name} is a class within a function, which another process cannot import; "
            "define the class of the game at the top of a file"
        )
    if module == _MAIN:
        with suppress(TypeError, OSError):
            file = os.path.abspath(inspect.getfile(kind))
        if not os.path.isfile(file):
            raise FrameworkError(
                f"session: {name} was defined in an interactive session, which another process "
                "cannot import; write the game into a file"
            )
    arguments, options = game._engine.stage.made_with
    plain_options = {
        key: _option(key, value)
        for key, value in options.items()
        if key not in ("headless", "drawing", "session", "input")
    }
    values = tuple([_option(f"argument {index}", entry) for index, entry in enumerate(arguments)])
    path = [os.path.abspath(folder) for folder in sys.path]
    return Start(file, module, name, values, plain_options, size, path, [*sys.argv])


def _option(name: str, value: Any) -> Any:
    """Convert the value of a game's option to a form that can be sent to the child. Raise
    `FrameworkError` if the value cannot be sent.
    """
    try:
        return plain(name, value)
    except FrameworkError:
        raise FrameworkError(
            f"{name}: expected a number, a string or a list, got {shown(value)}; fw.Beside() sends "
            "the options of the game to another process"
        ) from None


def _interpreter_flags() -> list[str]:
    """Return the Python interpreter's command-line options, such as ``-W error``, for the child
    process.
    """
    flags = [f"-W{option}" for option in sys.warnoptions]
    flags += [
        f"-X{key}" if value is True else f"-X{key}={value}" for key, value in sys._xoptions.items()
    ]
    return flags
