"""Runs of coroutines: plain, compiled, and restored at each of their awaits, with a log to compare."""

from __future__ import annotations

import types
from collections.abc import Callable, Coroutine, Generator, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from framework.coroutines import adoption, frames
from framework.record import snapshots

Script = Callable[["World"], Coroutine[Any, Any, Any]]
MAX_STEPS = 300


@types.coroutine
def pause(token: object) -> Generator[Any, None, None]:
    yield token


frames.register_wait(pause)


class World:
    """The object that the scripts write to, a part of snapshots."""

    def __init__(self) -> None:
        self.log: list[Any] = []
        self.count = 0

    def say(self, *words: Any) -> None:
        self.log.append(words)

    def next(self) -> int:
        self.count += 1
        return self.count

    def __getitem__(self, key: object) -> int:
        self.say("reads", str(key))
        return self.next()

    def __setitem__(self, key: object, value: object) -> None:
        self.say("writes", str(key), value)

    async def rest(self, ticks: int = 1) -> int:
        await pause(ticks)
        return ticks

    async def add(self, first: int, *, second: int = 2) -> int:
        self.say("adds", first)
        await self.rest(first)
        self.say("and", second)
        return first + await self.rest(second)

    async def until(self, condition: Callable[[], Any]) -> Any:
        while not condition():
            await pause("until")
        return condition()

    def door(self, name: object, swallows: type[Exception] = KeyError) -> Door:
        return Door(self, name, swallows)

    def crew(self, name: object = "crew", fails: bool = False) -> Crew:
        return Crew(self, name, fails)

    @contextmanager
    def room(self) -> Iterator[None]:
        yield


class Door:
    """A context manager that logs its entry, and its exit with the error."""

    def __init__(self, world: World, name: object, swallows: type[Exception]) -> None:
        self.world = world
        self.name = name
        self.swallows = swallows

    def __enter__(self) -> object:
        self.world.say("enters", self.name)
        return self.name

    def __exit__(self, kind: Any, error: object, trace: object) -> bool:
        self.world.say("leaves", self.name, kind and kind.__name__)
        return kind is self.swallows


class Crew:
    """An asynchronous context manager, which waits when it is entered and left."""

    def __init__(self, world: World, name: object, fails: bool) -> None:
        self.world = world
        self.name = name
        self.fails = fails

    async def __aenter__(self) -> Crew:
        self.world.say("gathers", self.name)
        await self.world.rest(2)
        return self

    async def __aexit__(self, kind: Any, error: object, trace: object) -> bool:
        self.world.say("parts", self.name, kind and kind.__name__)
        await self.world.rest(3)
        if self.fails:
            raise IndexError(self.name)
        return kind is ValueError


class Outcome(NamedTuple):
    """The result of a run: the yielded values, the end, and the log."""

    tokens: tuple[Any, ...]
    end: Any
    log: tuple[Any, ...]


class Run:
    """A coroutine in progress, with its world."""

    def __init__(self, script: Script, compiled: bool = True) -> None:
        self.world = World()
        self.tokens: list[Any] = []
        self.end: Any = None
        coroutine: Any = script(self.world)
        self.coroutine: Any = adoption.started(coroutine) if compiled else coroutine

    def step(self, count: int = MAX_STEPS) -> bool:
        """Resume the coroutine ``count`` times. Return whether it has ended."""
        for _ in range(count):
            if self.end is not None:
                break
            try:
                self.tokens.append(self.coroutine.send(None))
            except StopIteration as stop:
                self.end = "returned", stop.value
            except Exception as error:
                self.end = "raised", repr(error)
        return self.end is not None

    def outcome(self) -> Outcome:
        assert self.step(), "the script does not end"
        return Outcome(tuple(self.tokens), self.end, tuple(self.world.log))

    def capture(self) -> Callable[[], None]:
        """Return a function that restores this moment."""
        state = frames.capture(self.coroutine)
        roots = {"world": self.world, "tokens": self.tokens, "parts": [*state.parts()]}
        snapshot = snapshots.Snapshot(self.world, roots, 0)

        def restore() -> None:
            frames.drop(self.coroutine)
            log = list(self.world.log)
            self.world.log.append("restored")
            assert self.world.log[:-1] == log  # nothing of the dropped coroutine has run
            snapshots.restore(snapshot)
            self.coroutine = frames.resumed(state)
            self.end = None

        return restore


def plain_outcome(script: Script) -> Outcome:
    """Run a script as Python compiles it. Call this before the framework compiles it."""
    return Run(script, compiled=False).outcome()


def check_restored(script: Script, expected: Outcome) -> int:
    """Restore a script at each of its awaits and compare the outcomes. Return the number of awaits.

    At each await, the run is captured and finished, then restored and finished again. Then it is
    restored again, continues to the next await, is captured there, and is restored there.
    """
    awaits = len(expected.tokens)
    for await_number in range(awaits + 1):
        run = Run(script)
        if run.step(await_number):
            break
        restore = run.capture()
        first = run.outcome()
        assert first == expected, (
            f"with a capture at await {await_number}: {_apart(first, expected)}"
        )
        restore()
        second = run.outcome()
        assert second == expected, f"restored at await {await_number}: {_apart(second, expected)}"
        restore()
        if not run.step(1):
            later = run.capture()
            run.step(3)
            later()
        third = run.outcome()
        assert third == expected, f"twice restored at {await_number}: {_apart(third, expected)}"
    return awaits


def _apart(outcome: Outcome, expected: Outcome) -> str:
    for name, actual, wanted in zip(Outcome._fields, outcome, expected, strict=True):
        if name == "end":
            if actual != wanted:
                return f"it {actual}, not {wanted}"
            continue
        for index, (mine, theirs) in enumerate(zip(actual, wanted, strict=False)):
            if mine != theirs:
                return f"{name}[{index}] is {mine}, not {theirs}"
        if len(actual) != len(wanted):
            return f"{len(actual)} {name}, not {len(wanted)}"
    return "nothing"
