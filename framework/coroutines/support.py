"""The functions and classes that compiled coroutines use while they run.

They are listed in `HELPERS`, and are added to Python's built-in names. Their names contain "@", so
that they never conflict with names in a game.
"""

from __future__ import annotations

import contextlib
import itertools
import sys
import types
from collections.abc import Awaitable, Callable, Generator, Iterable, Iterator
from typing import Any

from .iterators import SIMPLE_ITERATORS, is_restorable

COROUTINE = "_@coroutine"
ADOPT = "_@adopt"
ITERATE = "_@iterate"
CHAIN = "_@chain"
MANAGER = "_@manager"
ASYNC_MANAGER = "_@async_manager"
DROPPED = "_@dropped"
ERROR = "_@error"
SCENES = "_@scenes"
REFUSE = "_@refuse"

COMPILED_FLAG = 1 << 30
"""A flag of code objects that Python itself does not use. It marks code that the framework has
compiled, and code that waits only once. Reading a flag is faster than looking up the code in a
dict.
"""

_GeneratorManager: type = type(contextlib.contextmanager(lambda: iter(()))())

PRIME = object()
"""The value that a restored coroutine yields when it reaches its ``await``."""


class Dropped(BaseException):
    """The exception that ends an old coroutine when a restored coroutine replaces it.

    Compiled code does not run ``finally``, ``with`` and ``except`` blocks when `Dropped` is raised.
    In contrast, `close` would run these blocks, which could change the restored game.
    """


class Manager:
    """A wrapper around the context manager of a ``with`` block. In a restored coroutine, ``enters``
    is False, and the coroutine enters the block without calling ``__enter__`` again.
    """

    __slots__ = ("_enters", "manager")

    def __init__(self, manager: Any, enters: bool = True) -> None:
        self.manager = manager
        self._enters = enters

    def __enter__(self) -> object:
        if not self._enters:
            return None
        manager = self.manager
        kind = type(manager)
        try:
            enter = kind.__enter__
            kind.__exit__  # noqa: B018 (Python checks both before it enters the block)
        except AttributeError:
            words = f"{kind.__name__!r} object does not support the context manager protocol"
            raise TypeError(words) from None
        if kind is _GeneratorManager:
            HELPERS[REFUSE](manager)
        return enter(manager)

    def __exit__(self, kind: object, error: object, trace: object) -> Any:
        if kind is Dropped:
            return False
        manager = self.manager
        return type(manager).__exit__(manager, kind, error, trace)


class AsyncManager:
    """A wrapper around the context manager of an ``async with`` block. It stores whether the
    coroutine is entering or leaving the block.

    ``entering`` is the await number for entering the block, and ``exiting`` is the await number for
    leaving it.
    """

    __slots__ = ("_is_new", "awaited", "entering", "error", "exiting", "manager", "phase")

    def __init__(self, manager: Any, entering: int, exiting: int) -> None:
        kind = type(manager)
        if not (hasattr(kind, "__aenter__") and hasattr(kind, "__aexit__")):
            words = f"{kind.__name__!r} object does not support the asynchronous context manager protocol"
            raise TypeError(words)
        self.manager = manager
        self.entering = entering
        self.exiting = exiting
        self.phase = 0
        """`entering` while the code enters the block, `exiting` while the code leaves the block,
        otherwise 0.
        """
        self.awaited: Any = None
        self.error: BaseException | None = None
        """The error that has ended the block, or None."""
        self._is_new = True

    def restored(self, phase: int, error: BaseException | None, awaited: object) -> AsyncManager:
        """Return a new manager for the same block, for use in a restored coroutine."""
        manager = AsyncManager(self.manager, self.entering, self.exiting)
        manager._is_new = False
        manager.phase = phase
        manager.error = error
        manager.awaited = awaited if phase else None
        return manager

    async def __aenter__(self) -> object:
        if self._is_new:
            self._is_new = False
            self.phase = self.entering
            self.awaited = _adopted(type(self.manager).__aenter__(self.manager))
        if self.phase != self.entering:  # a restored coroutine is already inside the block
            return None
        value: object = await self.awaited
        self.phase = 0
        self.awaited = None
        return value

    async def __aexit__(self, kind: object, error: BaseException | None, trace: object) -> Any:
        if kind is Dropped:
            return False
        if self.phase != self.exiting:
            self.phase = self.exiting
            self.error = error
            left = type(self.manager).__aexit__(self.manager, kind, error, trace)
            self.awaited = _adopted(left)
        return await self.awaited

    def leave_again(self) -> None:
        """Raise the error that ended the block before the capture, if there was an error."""
        if self.error is not None:
            raise self.error


class Leaf:
    """The object that a restored coroutine awaits, to continue the wait of the captured coroutine.
    If a coroutine awaits another coroutine, only the innermost coroutine awaits a `Leaf`.

    ``of`` is the object that the captured coroutine awaited, or None if the object is unknown.
    After the wait, ``result(of)`` returns the value of the ``await`` expression.
    """

    __slots__ = ("_result", "of")

    def __init__(self, of: object, result: Callable[[Any], object] | None) -> None:
        self.of = of
        self._result = result

    def __await__(self) -> Generator[object, None, object]:
        yield PRIME
        return None if self._result is None else self._result(self.of)


def _adopted(awaitable: Awaitable[object]) -> Awaitable[object]:
    adopted: Awaitable[object] = HELPERS[ADOPT](awaitable)
    return adopted


def iterate(things: Iterable[object]) -> Iterator[object]:
    """Return the iterator for a loop that contains an ``await``. If the game has a `Rewind` and the
    iterator cannot be captured, raise `CannotCompile`.
    """
    iterator = iter(things)
    if iterator.__class__ not in SIMPLE_ITERATORS and not is_restorable(iterator):
        HELPERS[REFUSE](iterator)
    return iterator


def is_generator_manager(manager: object) -> bool:
    """Return whether a context manager was created by the decorator `contextlib.contextmanager`."""
    return isinstance(manager, _GeneratorManager)


HELPERS: dict[str, Any] = {
    COROUTINE: types.CoroutineType,
    ITERATE: iterate,
    CHAIN: itertools.chain,
    MANAGER: Manager,
    ASYNC_MANAGER: AsyncManager,
    DROPPED: Dropped,
    ERROR: sys.exception,
    SCENES: set(),
}
"""The functions and classes that compiled functions use, as a dict with their names as keys."""

MANAGER_CODES = (AsyncManager.__aenter__.__code__, AsyncManager.__aexit__.__code__)
