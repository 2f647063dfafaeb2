"""Start a module of this folder in another process, for a benchmark, and call its functions.

The worker process imports the module alone, without the package `framework`, so that the module can
run without the framework or with another version of it. The module may import only the standard
library, other modules that can run without the framework, and the library that it measures.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from ..errors import FrameworkError
from .worker_commands import READY

_FOLDER = str(Path(__file__).resolve().parent)
# A package without code, whose modules are the files in this folder. The working directory is
# removed from the path, because it may contain another version of the framework.
_START = """
import sys
sys.path[:] = [folder for folder in sys.path if folder]
import types
package = types.ModuleType("subtick_workers")
package.__path__ = [sys.argv[1]]
sys.modules["subtick_workers"] = package
from subtick_workers.worker_commands import run_module
run_module("subtick_workers." + sys.argv[2], sys.argv[3:])
"""
_LAST_WORDS = 300  # characters
_END_SECONDS = 5.0


class WorkerError(FrameworkError):
    """Raised if a worker process has ended, or has not answered in time."""


class WorkerProcess:
    """A process that runs a module in this folder.

    ``name`` is the name of the process in error messages. ``python`` is the path of the Python
    interpreter. ``module`` is the name of the module. The process calls the function ``main`` of
    the module, with ``arguments``. ``environment`` is a dict of environment variables to set in the
    process. A variable whose value is None is removed.
    """

    def __init__(
        self,
        name: str,
        python: str,
        module: str,
        arguments: Sequence[str] = (),
        environment: Mapping[str, str | None] | None = None,
        timeout: float = 120.0,
    ) -> None:
        self.name = name
        self._timeout = timeout
        changed = {**os.environ, **(environment or {})}
        self._errors = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115
        self._answers: queue.Queue[str] = queue.Queue()
        try:
            self._process = subprocess.Popen(
                [python, "-c", _START, _FOLDER, module, *arguments],
                env={key: value for key, value in changed.items() if value is not None},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                text=True,
                encoding="utf-8",
            )
        except OSError as error:
            self._errors.close()
            raise WorkerError(f"{name}: {python!r} cannot be started: {error.strerror}") from None
        assert self._process.stdout is not None
        self._reader = threading.Thread(
            target=self._read, args=(self._process.stdout,), daemon=True
        )
        self._reader.start()
        try:
            answer = self._answer("start")
            if answer != READY:
                raise WorkerError(f"{name}: expected a worker, got {answer!r}")
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> WorkerProcess:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def call(self, command: str, *arguments: Any) -> Any:
        """Run a command in the worker, and return its answer. Raises `WorkerError` if the process
        ends or does not answer in time.
        """
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps([command, *arguments]) + "\n")
            self._process.stdin.flush()
        except OSError:
            raise self._ended(command) from None
        return self._answer(command)

    def close(self) -> None:
        """End the worker process. If the process does not end by itself, it is killed."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(OSError):  # the process may already have ended
            self._process.stdin.close()
        try:
            self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join()
        self._process.stdout.close()
        self._errors.close()

    def _read(self, stream: TextIO) -> None:
        for line in stream:
            self._answers.put(line)
        self._answers.put("")

    def _answer(self, command: str) -> Any:
        try:
            line = self._answers.get(timeout=self._timeout)
        except queue.Empty:
            self._process.kill()
            raise WorkerError(
                f"{self.name}: no answer to {command!r} in {self._timeout:g} seconds"
            ) from None
        if not line:
            raise self._ended(command)
        return json.loads(line)

    def _ended(self, command: str) -> WorkerError:
        status = self._process.wait()
        self._errors.seek(0)
        words = self._errors.read().strip().splitlines() or ["it printed nothing"]
        reason = words[-1][:_LAST_WORDS]
        if status < 0:  # a crash prints nothing
            with contextlib.suppress(ValueError):
                reason = f"the signal {signal.Signals(-status).name}"
        return WorkerError(f"{self.name}: the process ended at {command!r}: {reason}")
