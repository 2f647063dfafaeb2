"""The loop in which a benchmark's worker process receives commands and runs them.

A command is one line of JSON on the standard input: `[name, argument, …]`. The answer is one line
of JSON on the standard output. When the input ends, the worker process ends.

This module imports only the standard library, because some workers run in other Python
environments.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TextIO

READY = "ready"


class _Answers:
    """The stream to which a worker writes its answers."""

    stream: TextIO | None = None


def run_module(name: str, arguments: Sequence[str]) -> None:
    """Import a worker module, and call its function ``main``.

    Libraries may print lines to the standard output while they are imported or used. These lines
    are redirected to the standard error, so that they do not mix with the worker's answers.
    """
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as _Answers.stream:
        os.dup2(2, 1)
        importlib.import_module(name).main(arguments)


def answer_commands(commands: Mapping[str, Callable[..., Any]]) -> None:
    """Execute commands until the input ends. ``commands`` maps the name of each command to its
    function. If a function raises an exception, the process ends.
    """
    _answer(READY)
    for line in sys.stdin:
        name, *arguments = json.loads(line)
        _answer(commands[name](*arguments))


def _answer(value: Any) -> None:
    stream = _Answers.stream
    assert stream is not None
    stream.write(json.dumps(value) + "\n")
    stream.flush()
