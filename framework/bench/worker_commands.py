"""Worker commands: the loop of a process that measures, and receives its commands from another one.

A command is one line of JSON on the standard input, `[name, argument, …]`. The answer is one line
of JSON on the standard output. A process that ends its input ends the worker.

This module imports only the standard library, because workers run in other environments, too.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any

READY = "ready"


def answer_commands(commands: Mapping[str, Callable[..., Any]]) -> None:
    """Answer commands until the input ends. ``commands`` has a function for each name.

    Libraries may print to the standard output. Their lines go to the standard error instead, so
    that the answers stay apart. An exception in a function ends the process.
    """
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answers:
        os.dup2(2, 1)

        def answer(value: Any) -> None:
            answers.write(json.dumps(value) + "\n")
            answers.flush()

        answer(READY)
        for line in sys.stdin:
            name, *arguments = json.loads(line)
            answer(commands[name](*arguments))
