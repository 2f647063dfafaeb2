"""Compiled coroutines that are captured and restored: all constructs, random functions, refusals.

``RANDOM_COROUTINES=500`` tries more random functions. So does
``python tests/random_coroutines.py``.
"""

from __future__ import annotations

import asyncio
import gc
import linecache
import os
import sys
import traceback
import types
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from coroutine_runs import Run, Script, World, check_restored, pause, plain_outcome
from random_coroutines import check

from framework.coroutines import adoption, frames, routine_code
from framework.coroutines.iterators import IteratorState, is_restorable, state_of
from framework.coroutines.refusals import CannotCapture, CannotCompile

with warnings.catch_warnings():
    # Python 3.14 warns of a return in a finally block, which the corpus has on purpose.
    warnings.simplefilter("ignore", SyntaxWarning)
    from coroutine_corpus import CORPUS, REFUSED

COUNT = int(os.environ.get("RANDOM_COROUTINES", "6"))


def function_of(text: str, name: str = "script", path: str = "<test>") -> Any:
    """Return a function from a text, with a source that tracebacks can find."""
    linecache.cache[path] = len(text), None, text.splitlines(True), path
    space: dict[str, Any] = {"__name__": "text", "pause": pause}
    exec(compile(text, path, "exec"), space)
    return space[name]


@pytest.mark.parametrize("script", CORPUS, ids=lambda script: script.__name__)
def test_every_construct_can_be_restored_at_each_await(script: Script) -> None:
    plain = types.FunctionType(
        _plain(script),
        script.__globals__,  # type: ignore[attr-defined]
        script.__name__,
        script.__defaults__,  # type: ignore[attr-defined]
        script.__closure__,  # type: ignore[attr-defined]
    )
    assert check_restored(script, plain_outcome(plain)) >= 2


def _plain(script: Any) -> types.CodeType:
    entry = routine_code.known(script.__code__)
    return entry.plain if isinstance(entry, routine_code.RoutineCode) else script.__code__  # type: ignore[no-any-return]


@pytest.mark.parametrize("seed", range(COUNT))
def test_random_functions_can_be_restored_at_each_await(seed: int) -> None:
    check(seed)


@pytest.mark.parametrize("reason", REFUSED)
def test_unsupported_constructs_are_refused_with_file_and_line(reason: str) -> None:
    script: Any = REFUSED[reason]
    entry = routine_code.compiled(script.__code__, script.__globals__)
    assert isinstance(entry, CannotCompile)
    words = str(entry)
    assert reason in words
    path, line, _ = words.split(":", 2)
    assert path == script.__code__.co_filename
    assert 0 <= int(line) - script.__code__.co_firstlineno <= 6


def test_a_function_without_source_runs_and_cannot_be_captured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Python 3.13 keeps the lines of `python -c` under the name that `exec` uses as well.
    lines = ["async def script(world):\n", "    await world.other()\n"]
    monkeypatch.setitem(linecache.cache, "<string>", (60, None, lines, "<string>"))
    space: dict[str, Any] = {}
    exec("async def script(world):\n    await world.rest()\n    return 5", space)
    run = Run(space["script"])
    run.step(1)
    with pytest.raises(CannotCapture, match=r"<string>:1: there is no source of script"):
        run.capture()
    assert run.outcome().end == ("returned", 5)


def test_a_source_that_was_edited_after_loading_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "edited.py"
    text = "async def script(world):\n    await world.rest(1 + 1)\n    return 5\n"
    path.write_text(text)
    space: dict[str, Any] = {}
    exec(compile(text, str(path), "exec"), space)
    for changed in (text.replace("5", "6"), text.replace("1 + 1", "1 - 1"), "\n" + text):
        path.write_text(changed)
        linecache.checkcache(str(path))
        linecache.cache.pop(str(path), None)
        routine_code._by_code.pop(id(space["script"].__code__), None)
        entry = routine_code.compiled(space["script"].__code__, space)
        assert isinstance(entry, CannotCompile)
        assert "has changed since it was loaded" in str(entry)


def test_a_function_with_the_constant_nan_can_be_captured() -> None:
    """NaN is not equal to itself, so it must not count as a changed source."""
    script = function_of(
        "async def script(world):\n    worst = 1e999 * 0\n    await pause(1)\n    return worst\n",
        path="<nan>",
    )
    run = Run(script)
    run.step(1)
    restore = run.capture()
    for _ in range(2):
        kind, value = run.outcome().end
        assert (kind, str(value)) == ("returned", "nan")
        restore()


def test_tracebacks_have_the_original_lines() -> None:
    async def fails(world: World) -> float:
        await world.rest()
        return 1 + (await world.rest(2)) / (world.count - world.count)

    lines = []
    for restored in (False, True):
        run = Run(fails)
        run.step(1)
        if restored:
            restore = run.capture()
            run.step(1)
            restore()
        run.step(1)
        with pytest.raises(ZeroDivisionError) as caught:
            run.coroutine.send(None)
        last = traceback.extract_tb(caught.value.__traceback__)[-1]
        lines.append((last.filename, last.lineno, last.line, last.name))
        text = "".join(traceback.format_exception(caught.value))
        assert "return 1 + (await world.rest(2)) / (world.count - world.count)" in text
    first = fails.__code__.co_firstlineno
    assert lines[0] == lines[1] == (__file__, first + 2, lines[0][2], "fails")


def test_the_traceback_of_a_with_statement_has_its_line() -> None:
    class Room:
        def __init__(self, fails: str) -> None:
            self.fails = fails

        def __enter__(self) -> None:
            if self.fails == "enter":
                raise ValueError("enter")

        def __exit__(self, *error: object) -> None:
            if self.fails == "leave":
                raise ValueError("leave")

    async def rooms(world: World, first: str, second: str) -> None:
        await world.rest()
        with Room(first), Room(second):
            await world.rest()

    for fails in [("enter", ""), ("leave", ""), ("", "enter"), ("", "leave")]:
        run = Run(lambda world, fails=fails: rooms(world, *fails))
        waits = (run.coroutine.send(None) for _ in range(3))
        with pytest.raises(ValueError, match=max(fails)) as caught:
            list(waits)
        [line] = [
            frame.lineno
            for frame in traceback.extract_tb(caught.value.__traceback__)
            if frame.name == "rooms"
        ]
        assert line == rooms.__code__.co_firstlineno + 2


def test_a_dropped_coroutine_runs_no_code() -> None:
    async def guarded(world: World) -> None:
        try:
            with world.door("a"):
                async with world.crew():
                    try:
                        waiting = world.add(1)
                        await world.rest()
                        await waiting
                    except BaseException:
                        world.say("caught")
                        raise
        finally:
            world.say("finally")

    run = Run(guarded)
    run.step(4)
    before = list(run.world.log)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        frames.drop(run.coroutine)
        del run.coroutine
        gc.collect()
    assert run.world.log == before


def test_a_coroutine_that_has_not_begun_can_be_captured() -> None:
    async def script(world: World, *more: int, late: int = 3) -> Any:
        return more, late, await world.rest(late)

    run = Run(lambda world: script(world, 1, 2, late=4))
    restore = run.capture()
    assert run.outcome().end == ("returned", ((1, 2), 4, 4))
    restore()
    assert run.outcome().end == ("returned", ((1, 2), 4, 4))


def test_foreign_awaitables_are_refused_by_name() -> None:
    class Foreign:
        def __await__(self) -> Any:
            yield "foreign"

    @types.coroutine
    def generator() -> Any:
        yield "generator"

    async def of_object(world: World) -> None:
        await Foreign()

    async def of_generator(world: World) -> None:
        await generator()

    async def of_asyncio(world: World) -> None:
        await asyncio.sleep(0)

    for script, name in ((of_object, "Foreign"), (of_generator, "generator")):
        run = Run(script)
        run.step(1)
        with pytest.raises(CannotCapture, match=rf"test_coroutines.py:\d+ awaits .*{name}, which"):
            run.capture()
        run.step(1)
    run = Run(of_asyncio)
    run.step(1)
    with pytest.raises(CannotCapture, match="asyncio"):
        run.capture()


def test_loops_over_generators_and_blocks_of_contextlib_are_refused() -> None:
    async def loop(world: World) -> None:
        for number in (n for n in range(3)):
            await world.rest(number + 1)

    async def block(world: World) -> None:
        with world.room():
            await world.rest()

    for script, words in ((loop, "a loop over a generator cannot"), (block, "contextlib")):
        run = Run(script)
        run.step(1)
        with pytest.raises(CannotCapture, match=rf"test_coroutines.py:\d+: .*{words}"):
            run.capture()
        run.step()


ITERATORS: list[Callable[[], Any]] = [
    lambda: iter([1, 2, 3]),
    lambda: iter((1, 2, 3)),
    lambda: iter("äbc"),
    lambda: iter("abc"),
    lambda: iter({1: 2, 3: 4}),
    lambda: iter({1: 2, 3: 4}.items()),
    lambda: reversed({1: 2, 3: 4}.values()),
    lambda: iter({7}),
    lambda: iter(range(5, 50, 7)),
    lambda: enumerate("abc", 5),
    lambda: zip("abc", [1, 2, 3], strict=True),
    lambda: map(str, [1, 2, 3], strict=True) if sys.version_info >= (3, 14) else map(str, "ab"),
    lambda: filter(None, [0, 1, 0, 2]),
    lambda: iter([]),
]


@pytest.mark.parametrize("make", ITERATORS)
def test_an_iterator_is_restored_at_each_position(make: Callable[[], Any]) -> None:
    all_values = [*make()]
    for count in range(len(all_values) + 1):
        iterator = make()
        first = [next(iterator) for _ in range(count)]
        assert is_restorable(iterator)
        state = state_of(iterator, {})
        assert isinstance(state, IteratorState)
        for _ in range(2):
            assert first + [*state.iterator({})] == all_values
        assert first + [*iterator] == all_values  # the capture has not advanced the iterator
        again = state_of(state.iterator({}), {})
        assert isinstance(again, IteratorState)
        assert first + [*again.iterator({})] == all_values


def test_a_module_gets_no_new_names() -> None:
    script = function_of(
        "async def script(world):\n    for n in [1]:\n        await world.rest()\n"
    )
    before = {*script.__globals__}
    Run(script).outcome()
    assert {*script.__globals__} == before
    assert adoption.is_compiled(script.__code__)
    assert script.__code__.co_filename == "<test>"
    assert script.__code__.co_varnames[0] == "world"


def test_a_module_with_its_own_builtins_is_compiled() -> None:
    text = "async def script(world):\n    for n in [1, 2]:\n        await world.rest(n)\n"
    linecache.cache["<own>"] = len(text), None, text.splitlines(True), "<own>"
    space: dict[str, Any] = {"__builtins__": {"__build_class__": None}}
    exec(compile(text, "<own>", "exec"), space)
    run = Run(space["script"])
    run.step(1)
    restore = run.capture()
    assert run.outcome().tokens == (1, 2)
    restore()
    assert run.outcome().tokens == (1, 2)


def test_an_indented_function_with_text_at_the_left_edge_is_compiled() -> None:
    text = (
        "class Story:\n"
        "    @staticmethod\n"
        "    async def script(world):\n"
        '        words = """\n'
        "left\n"
        '"""\n'
        "        await world.add(\n"
        "            1,\n"
        ")\n"
        "        return words\n"
        "    other = 1\n"
    )
    story = function_of(text, "Story", "<edge>")
    run = Run(story.script)
    run.step(1)
    restore = run.capture()
    assert run.outcome().end == ("returned", "\nleft\n")
    restore()
    assert run.outcome().end == ("returned", "\nleft\n")


def test_warnings_of_a_source_are_not_repeated() -> None:
    text = (
        "async def script(world):\n"
        '    "a \\d"\n'
        "    await world.rest()\n"
        '    return world.count is "a"\n'
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        script = function_of(text, path="<warns>")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = Run(script)
        run.step(1)
        restore = run.capture()
        restore()
        assert run.outcome().end == ("returned", False)


def test_a_dropped_function_without_source_ends() -> None:
    text = (
        "async def inner(world):\n"
        "    try:\n"
        "        await world.rest()\n"
        "    finally:\n"
        "        await world.rest()\n"
        "        world.say(1 / 0)\n"
    )
    space: dict[str, Any] = {}
    exec(text, space)

    async def outer(world: World) -> None:
        try:
            await space["inner"](world)
        finally:
            world.say("finally")

    run = Run(outer)
    run.step(1)
    frames.drop(run.coroutine)
    assert run.world.log == []
    coroutine: Any = _fails_at_its_end(run.world)
    coroutine.send(None)
    with pytest.warns(RuntimeWarning, match="ZeroDivisionError in a routine that a restore ended"):
        frames.drop(coroutine)


async def _fails_at_its_end(world: World) -> None:
    try:
        await world.rest()
    finally:
        world.say(1 / (world.count - world.count))
