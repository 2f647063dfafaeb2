"""A corpus of coroutine functions: every construct of the language that may contain an await.

`CORPUS` can be restored at each await. `REFUSED` has functions that cannot be compiled, with the
reason in the message. Run as a program, the module checks the corpus without pytest, for other
versions of Python: ``python tests/coroutine_corpus.py``.
"""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from coroutine_runs import Script, World, check_restored, plain_outcome

CORPUS: list[Script] = []
REFUSED: dict[str, Script] = {}


def works(script: Script) -> Script:
    CORPUS.append(script)
    return script


def refused(reason: str) -> Any:
    def note(script: Script) -> Script:
        REFUSED[reason] = script
        return script

    return note


# -- loops -----------------------------------------------------------------------------------------


@works
async def for_loops(world: World) -> int:
    total = 0
    for row in [3, 1, 2]:
        for column, letter in enumerate("xyz"):
            if column == row:
                continue
            total += await world.add(row, second=column + 1)
            if total > 40:
                break
            world.say(letter, total)
        else:
            await world.rest()
            world.say("no break", row)
    return total


@works
async def iterators(world: World) -> None:
    ships = {"a": 1, "b": 2, "c": 3}
    for key in ships:
        await world.rest()
        world.say(key)
    for key, value in ships.items():
        ships[key] = value * 10 + await world.rest()
    for value in ships.values():
        world.say(value, await world.rest())
    for key in reversed(ships):
        world.say(key, await world.rest())
    for pair in zip([1, 2], (3, 4), range(5, 9), strict=False):
        world.say(pair, await world.rest())
    for number in map(abs, filter(None, [0, -1, 2])):
        world.say(number, await world.rest(number))
    for byte in reversed(b"ab"):
        world.say(byte, await world.rest())
    for name in OrderedDict(one=1, two=2):
        world.say(name, await world.rest())
    for member in sorted({3, 1, 2}):
        world.say(member, await world.rest())
    for member in {5}:
        world.say(member, await world.rest())
    for number in iter(world.next, 8):
        world.say(number, await world.rest())
    for big in range(1 << 70, (1 << 70) + 2):
        world.say(big, await world.rest())


@works
async def own_iterators(world: World) -> None:
    letters = iter("abcdef")
    for letter in letters:
        world.say(letter, next(letters), await world.rest())
    shared = iter([1, 2, 3, 4])
    for first, second in zip(shared, shared, strict=True):
        world.say(first + second, await world.rest())
    for number in Countdown(3):
        world.say(number, await world.rest())
    things = [1, 2]
    for thing in things:
        await world.rest()
        if len(things) < 5:
            things.append(thing + 2)
        world.say(thing)


class Countdown:
    """An iterator whose state is in its attributes."""

    def __init__(self, start: int) -> None:
        self.left = start

    def __iter__(self) -> Iterator[int]:
        return self

    def __next__(self) -> int:
        if not self.left:
            raise StopIteration
        self.left -= 1
        return self.left


@works
async def a_changed_dict(world: World) -> None:
    ships = {1: "one", 2: "two"}
    for key in ships:
        await world.rest()
        ships[key + 5] = "more"
        world.say(key)
        await world.rest()


@works
async def while_loops(world: World) -> int:
    turn = 0
    while turn < 4:
        turn += 1
        if turn == 2:
            await world.rest(9)
            continue
        await world.rest(turn)
    else:
        world.say("else", await world.rest())
    while await world.add(turn) < 9:
        turn += 1
        if turn == 6:
            continue
        world.say(turn)
    while True:
        turn += await world.rest()
        if turn > 9:
            break
    while not (await world.rest() and world.next() > 2):
        world.say("not yet")
    return turn


# -- try -------------------------------------------------------------------------------------------


@works
async def try_blocks(world: World) -> str:
    for turn in range(6):
        try:
            await world.rest(turn)
            if turn == 1:
                raise KeyError(turn)
            if turn == 2:
                raise ValueError(turn)
            if turn == 3:
                continue
            if turn == 5:
                return "left"
        except (KeyError, IndexError) as error:
            world.say("key", str(error))
            await world.rest(7)
            world.say("still", str(error), repr(sys.exception()))
        except ValueError:
            await world.rest(8)
            try:
                raise
            except ValueError as again:
                await world.rest(6)
                world.say("again", again.args, repr(sys.exception()))
        else:
            await world.rest(9)
            world.say("else", turn)
            await world.rest(5)
        finally:
            world.say("finally", turn)
    return "never"


@works
async def nested_errors(world: World) -> None:
    def kinds() -> type[Exception]:
        world.say("kinds")
        return KeyError

    try:
        try:
            await world.rest()
            raise IndexError("inner")
        except kinds():
            await world.rest(5)
        except:  # noqa: E722
            await world.rest(2)
            raise RuntimeError("outer") from None
    except RuntimeError as error:
        await world.rest(3)
        world.say(repr(error), error.__suppress_context__)
        error.note = "kept"  # type: ignore[attr-defined]
        await world.rest(4)
        world.say(error.note)  # type: ignore[attr-defined]
    try:
        await world.add(1)
        raise TypeError
    except TypeError:
        pass
    finally:
        world.say("end")
    await world.add(1 // (world.count - world.count))


@works
async def a_return_in_finally(world: World) -> int:
    for turn in range(3):
        try:
            await world.rest(turn + 1)
            if turn == 1:
                raise KeyError
        finally:
            world.say("turn", turn)
            if turn == 1:
                return turn  # noqa: B012
    return 9


# -- with ------------------------------------------------------------------------------------------


@works
async def with_blocks(world: World) -> str:
    with world.door("a") as a, world.door("b"):
        await world.rest()
        world.say(a)
        with world.door("c"):
            await world.rest(2)
            raise KeyError("swallowed")
        await world.rest(3)
    for turn in range(3):
        with world.door(turn) as name:
            if turn == 1:
                continue
            await world.rest(turn + 1)
            world.say(name)
            if turn:
                break
    with world.door(await world.add(1)):
        world.say("inside")
    with world.door("last"):
        return f"with {await world.add(1)}"


@works
async def async_with_blocks(world: World) -> str:
    async with world.crew() as crew:
        await world.rest()
        world.say(crew.name)
    async with world.crew(1), world.crew(await world.add(1)) as second:
        world.say(second.name)
    for turn in range(5):
        async with world.crew(turn):
            if turn == 0:
                continue
            await world.rest(turn)
            if turn == 1:
                raise ValueError(turn)
            if turn == 3:
                break
    async with world.crew("outer"), world.crew("inner"):
        await world.rest(4)
        return "within"


@works
async def async_with_and_errors(world: World) -> str:
    async with world.crew("whole"):
        try:
            async with world.crew("broken", fails=True):
                await world.rest()
                return "not so"
        except IndexError as error:
            world.say("caught", error.args, await world.rest())
        for turn in range(2):
            try:
                async with world.crew("loop", fails=turn == 0):
                    break
            except IndexError:
                world.say("once more")
    async with world.crew("error"):
        await world.rest()
        raise LookupError("through")
    return "never"


# -- expressions -----------------------------------------------------------------------------------


@works
async def operands(world: World) -> Any:
    x = world.next() + await world.add(1) * world.next()
    world.say(x, await world.add(world.next()), world.next(), *[1, await world.add(2)])
    world.say(k := await world.add(3), k, sep if (sep := world.next()) else 0)
    table = {world.next(): await world.add(1), "b": [await world.add(1), (await world.rest(2), 5)]}
    world.say(table, {await world.rest(), 1}, {**table, "c": await world.rest()})
    world.say(f"{world.next()}-{await world.rest()!r:>{await world.rest(4)}}-{world.next():03}")
    if (x > 3 and await world.add(1) == 3) or await world.add(9):
        world.say("and")
    y = (await world.add(1)) if x < 0 else (await world.add(4))
    z = [i * y for i in range(await world.add(1))]
    world.say(not await world.rest(), -await world.rest(), (await world.add(1)).bit_length())
    world.say(
        [world.next() for _ in range(3)][await world.rest(1)],
        z[world.next() - 30 : await world.rest(2)],
    )
    world.say(world.next() < await world.rest(40), world.next() is not await world.rest())
    world.say((lambda: world.next())() + await world.rest(), any(n for n in [await world.rest()]))
    a, *b = await world.add(1), 2, 3
    first = second = await world.rest(7)
    typed: int = await world.add(1)
    return a, b, first, second, typed, (await world.rest()) or (await world.rest(2))


@works
async def assignments(world: World) -> None:
    world.count += await world.add(1)
    cells = [1, 2, 3]
    cells[world.next() % 3] += await world.add(1)
    cells[0:1] = [await world.rest(5), 6]
    grid = {(1, 2): 5}
    grid[1, 2] *= await world.rest(3)
    total = 1
    total -= await world.add(1)
    world.say(cells, grid, total)
    assert await world.add(1) == 3, world.say("no")
    try:
        assert await world.rest() == 2, f"not {world.next()}"
    except AssertionError as error:
        world.say(str(error))
    del cells, total
    await world.rest()
    raise await failure(world)


@works
async def targets_with_slices(world: World) -> None:
    world[world.next() : 9, world.next()] += await world.add(1)
    world[:, world.next() :: world.next()] -= await world.rest(2)
    world[world.next() :] *= await world.rest(3)
    world.say(world[1:2, world.next()] + await world.rest(4))


async def failure(world: World) -> Exception:
    await world.rest(3)
    return OverflowError("made")


@works
async def later(world: World) -> int:
    """A coroutine that is called now and awaited later."""
    waiting = world.add(1)
    both = [world.rest(3), world.rest(4)] if world.count > 9 else []
    await world.rest()
    world.say(len(both))
    return await waiting


@works
async def match_statements(world: World) -> None:
    for what in ("a", ("b", 2), {"k": 3, "l": 4}, [1, 2, 3], 3, None):
        match what:
            case "a":
                await world.rest()
                world.say("A")
            case (name, number) if number > 1:
                await world.rest(number)
                world.say(name, number)
            case {"k": value, **rest}:
                world.say(value, rest, await world.rest())
            case [first, *others]:
                world.say(first, others, await world.rest())
            case int():
                world.say("int")
            case _:
                await world.rest(9)
    match await world.add(1):
        case 3:
            world.say("three")


# -- functions in functions ------------------------------------------------------------------------


@works
async def closures(world: World) -> int:
    count = 0

    def more() -> bool:
        nonlocal count
        count += 1
        return count > 2

    await world.until(more)
    world.say(count)
    await world.until(lambda: more() and count > 5)
    for name in "ab":
        await world.until(lambda: world.next() % 3 == 0 and name)  # noqa: B023
        world.say(name, count)

    async def inner(ticks: int, *further: int, label: str = "in") -> int:
        nonlocal count
        await world.rest(ticks)
        count += ticks
        await world.rest(count)
        world.say(label, further)
        return count

    world.say(await inner(2), await inner(3, 4, label="x"), __name__)
    late: int
    if world.count > 0:
        late = 3

        def reads() -> int:
            return late

        await world.rest()
        late += 1
        world.say(reads())
    return count


@works
async def shared_arguments(world: World, step: int = 1) -> list[int]:
    def bump() -> int:
        nonlocal step
        step += 1
        return step

    await world.rest(step)
    bump()
    step *= 2
    await world.rest(step)
    return [step, bump()]


@works
async def deleted_variables(world: World) -> bool:
    shared = 1

    def reads() -> int:
        return shared

    await world.rest()
    del shared
    await world.rest()
    try:
        reads()
    except NameError:
        await world.rest()
    shared = 2
    return reads() == 2


class Base:
    async def hello(self, world: World) -> int:
        await world.rest()
        world.say("base")
        return 1


class Derived(Base):
    __secret = 5

    async def hello(self, world: World) -> int:
        __ticks = await super().hello(world) + self.__secret
        await world.rest(__ticks)

        async def deeper() -> int:
            return self.__secret + await super(Derived, self).hello(world) + __ticks

        return await deeper()

    @staticmethod
    async def static(world: World) -> str:
        await world.rest()
        return "static"

    @classmethod
    async def of_class(cls, world: World) -> str:
        await world.rest()
        return cls.__name__


@works
async def methods(world: World) -> None:
    world.say(
        await Derived().hello(world), await Derived.static(world), await Derived.of_class(world)
    )
    world.say(await arguments(world), await arguments(world, 5, 6, 7, k=8, z=9))
    world.say(await countdown(world, 3), [i * i for i in range(2)])


async def arguments(world: World, a: int = 1, /, *more: int, k: int = 2, **rest: int) -> Any:
    i = await world.rest(a)
    world.say(a, more, k, rest, [i + 1 for i in more])
    return i, await world.rest(k)


async def countdown(world: World, left: int) -> int:
    if not left:
        return await world.rest()
    with world.door(left):
        return left + await countdown(world, left - 1) + world.next()


@works
async def global_names(world: World) -> int:
    global _calls
    _calls = 0
    await world.rest()
    import math as numbers

    await world.rest()
    for _calls in range(2):
        await world.rest()
    return _calls + numbers.floor(2.5)


_calls = 0


@works
async def temporaries_are_forgotten(world: World) -> int:
    """A generator that was used up before an await is not captured at a later one."""
    total = sum(n for n in range(3)) + await world.rest()
    total += max((n for n in range(3)), default=0) + await world.add(await world.rest(), second=1)
    await world.rest()
    return total


# -- refused ---------------------------------------------------------------------------------------


@refused("an await in a finally block")
async def await_in_finally(world: World) -> None:
    try:
        world.say("try")
    finally:
        await world.rest()


@refused("an await in a comprehension")
async def await_in_comprehension(world: World) -> list[int]:
    return [await world.rest(n) for n in range(3)]


@refused("async for")
async def async_for(world: Any) -> None:
    async for _ in world:
        pass


@refused("an await in a chain of comparisons")
async def chain(world: World) -> bool:
    return 0 < await world.rest() < 3


@refused("an await in the condition of a case")
async def condition_of_case(world: World) -> None:
    match world.count:
        case 0 if await world.rest():
            pass


@refused("an await in the target")
async def target(world: World) -> None:
    {}[await world.rest()] = 1


@refused("in the default values")
async def default(world: World) -> None:
    def inner(ticks: int = await world.rest()) -> None: ...


@refused("while … else")
async def while_else(world: World) -> None:
    while await world.rest() > 2:
        pass
    else:
        world.say("else")


@refused("except*")
async def groups(world: World) -> None:
    try:
        await world.rest()
    except* KeyError:
        pass


@refused("calls dir()")
async def reads_names(world: World) -> object:
    members = vars(world)  # vars() with an object is allowed
    await world.rest()
    return [members, dir()]


@refused("calls locals()")
async def reads_locals(world: World) -> object:
    await world.rest()
    return locals()


def main() -> None:
    for script in CORPUS:
        awaits = check_restored(script, plain_outcome(script))
        print(f"{script.__name__}: restored at {awaits} awaits")
    print(sys.version)


if __name__ == "__main__":
    main()
