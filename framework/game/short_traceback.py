"""Shorten tracebacks: show the calls in a game's own code, and leave out those in the framework.

Otherwise, most tracebacks would contain a dozen calls in the framework, and only one or two calls
in the code of the game.
"""

from __future__ import annotations

import dis
import os
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from types import TracebackType

_PACKAGE = str(Path(__file__).resolve().parent.parent) + os.sep
_EXAMPLES = _PACKAGE + "examples" + os.sep  # in the wheel, the examples are part of the package
# In a game packed with PyInstaller, file names begin with the name of the package.
_PACKED = "framework" + os.sep
_PYTHON = sysconfig.get_path("stdlib") + os.sep
_PACKAGE_FOLDERS = {"site-packages", "dist-packages"}  # where pip and Debian install packages
_RAISE = dis.opmap["RAISE_VARARGS"]
_VARIABLE = "SUBTICK_FULL_TRACEBACK"


def is_in_framework(filename: str) -> bool:
    """Return whether a file belongs to the framework. The examples count as code of a game."""
    return filename.startswith((_PACKAGE, _PACKED)) and not filename.startswith(_EXAMPLES)


def _is_in_game(filename: str) -> bool:
    """Return whether a file is code of the game: neither the framework, nor another package, nor a
    part of Python.
    """
    if filename.startswith(_EXAMPLES):
        return True
    return not (
        is_in_framework(filename)
        or filename.startswith((_PYTHON, "<frozen "))
        or _is_in_package(filename)
    )


def _is_in_package(filename: str) -> bool:
    """Return whether a file belongs to an installed package."""
    return bool(_PACKAGE_FOLDERS.intersection(Path(filename).parts))


@contextmanager
def short_tracebacks(error: BaseException) -> Iterator[None]:
    """Within the block, the tracebacks of ``error`` are short: see `shorten`.

    If calls were removed, print their number to stderr.
    """
    full = [(each, each.__traceback__) for each in _shown_errors(error)]
    hidden_count = shorten(error)
    if hidden_count:
        print(
            f"({hidden_count} calls in the framework are not shown: {_VARIABLE}=1 shows all calls)",
            file=sys.stderr,
        )
    try:
        yield
    finally:
        for each, traceback in full:
            each.__traceback__ = traceback


def shorten(error: BaseException) -> int:
    """Remove the calls in the framework from the tracebacks of ``error``, and of the errors that
    caused it. Return the number of removed calls.

    Calls in other packages stay. Calls in Python's own modules are removed if they come after a
    call in the framework, or directly before one. Calls that the game's last call made into the
    framework are removed only if the framework raised the error with ``raise``. Other errors may be
    bugs in the framework. A traceback without calls in a game's code stays as it is. If the
    environment variable ``SUBTICK_FULL_TRACEBACK`` is 1, all calls stay.
    """
    if os.environ.get(_VARIABLE, "0") not in ("", "0"):
        return 0
    return sum(_shorten_one(each) for each in _shown_errors(error))


def _shown_errors(error: BaseException) -> list[BaseException]:
    """Return the error, and all other errors that Python shows with it."""
    errors: list[BaseException] = []
    waiting: list[BaseException | None] = [error]
    while waiting:
        current = waiting.pop()
        if current is not None and not any(current is each for each in errors):
            errors.append(current)
            waiting.append(current.__cause__)
            if not current.__suppress_context__:
                waiting.append(current.__context__)
    return errors


def _shorten_one(error: BaseException) -> int:
    calls = list(_calls_of(error))
    files = [call.tb_frame.f_code.co_filename for call in calls]
    in_game = [index for index, file in enumerate(files) if _is_in_game(file)]
    if not in_game:
        return 0
    # The framework has checked the game's call, and has rejected it.
    is_rejected = is_in_framework(files[-1]) and _is_raised_by_statement(calls[-1])
    last = len(calls) if is_rejected else in_game[-1]
    hidden = [is_in_framework(file) for file in files]
    # Also hide calls in Python's own modules between calls in the framework, such as a cached
    # property or the creation of a class.
    for index, file in enumerate(files):
        if file.startswith((_PYTHON, "<frozen ")) and not _is_in_package(file):
            hidden[index] = (index > 0 and hidden[index - 1]) or (
                index + 1 < len(files) and is_in_framework(files[index + 1])
            )
    shown = [
        call
        for index, (call, is_hidden) in enumerate(zip(calls, hidden, strict=True))
        if index >= last or not is_hidden
    ]
    for call, following in pairwise(shown):
        call.tb_next = following
    error.__traceback__ = shown[0]
    return len(calls) - len(shown)


def _calls_of(error: BaseException) -> Iterator[TracebackType]:
    """Yield a copy of each entry of an error's traceback. The copies are not connected."""
    call = error.__traceback__
    while call is not None:
        yield TracebackType(None, call.tb_frame, call.tb_lasti, call.tb_lineno)
        call = call.tb_next


def _is_raised_by_statement(call: TracebackType) -> bool:
    """Return whether the last instruction of a call is a ``raise`` statement."""
    return call.tb_frame.f_code.co_code[call.tb_lasti] == _RAISE
