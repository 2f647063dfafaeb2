"""Random coroutine functions: the compiled function must act as the plain one, at every await.

A seed gives the text of a function with random loops, jumps, exceptions, blocks and awaits. The
function is run as Python compiles it, compiled by the framework, and restored at each await.

    python tests/random_coroutines.py --seconds 60 --seed 1    # until a difference is found
    python tests/random_coroutines.py --seed 7 --count 1       # one function again, with its text
"""

from __future__ import annotations

import argparse
import linecache
import random
import sys
import time
from typing import Any

from coroutine_runs import Script, check_restored, plain_outcome

_MAX_DEPTH = 4
_ERRORS = ("KeyError", "ValueError", "IndexError")


class Writer:
    """A writer of the text of a random function."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.depth = 0
        self.loops: list[bool] = []  # for each enclosing loop, whether it may end here
        self.names = 0

    def write(self, line: str) -> None:
        self.lines.append("    " * (self.depth + 1) + line)

    def name(self, start: str) -> str:
        self.names += 1
        return f"{start}{self.names}"

    def text(self) -> str:
        self.write("a, b, c = 1, 2, 3")
        if self.random.random() < 0.4:  # variables that an inner function shares
            self.write("def bump(by=1):")
            self.write("    nonlocal a")
            self.write("    a += by")
            self.write("    return a % 7")
        else:
            self.write("bump = world.next")
        self.block(self.random.randint(2, 5))
        self.write("return a, b, c")
        return "\n".join(["async def script(world):", *self.lines, ""])

    # -- expressions -------------------------------------------------------------------------------

    def value(self, depth: int = 0) -> str:
        """Return an expression with a number as its value, which may contain awaits."""
        choose = self.random.choice
        if depth > 2:
            return choose(("a", "b", "c", "1", "2", "world.next()"))
        inner = lambda: self.value(depth + 1)  # noqa: E731
        return choose(
            (
                lambda: choose(("a", "b", "c")),
                lambda: f"(await world.rest({self.random.randint(1, 3)}))",
                lambda: f"(await world.rest({self.random.randint(1, 3)}))",
                lambda: f"(await world.add(1, second={self.random.randint(1, 2)}))",
                lambda: f"({inner()} + {inner()})",
                lambda: f"({inner()} * 2 - {inner()})",
                lambda: f"({inner()} and {inner()})",
                lambda: f"({inner()} or {inner()})",
                lambda: f"({inner()} if {inner()} > 2 else {inner()})",
                lambda: f"[{inner()}, {inner()}][{inner()} % 2]",
                lambda: f"max(*[{inner()}, 1], {inner()})",
                lambda: (
                    f"len(f'{{{self.value(3)}}}-{{await world.rest()!r}}-{{{self.value(3)}:03}}')"
                ),
                lambda: f"{{1: {inner()}, 2: {inner()}}}[2]",
                lambda: f"({choose('abc')} := {inner()})",
                lambda: "bump()",
                lambda: f"sum(n for n in [await world.rest(), {self.value(3)}])",
                lambda: f"int({inner()} < {inner()})",
                lambda: f"dict(k={inner()}, **dict(l={inner()}))['l']",
            )
        )()

    # -- statements --------------------------------------------------------------------------------

    def block(self, count: int) -> None:
        for _ in range(count):
            self.statement()

    def inside(self, line: str, count: int = 2) -> None:
        self.write(line)
        self.depth += 1
        self.block(self.random.randint(1, count))
        self.depth -= 1

    def statement(self) -> None:
        simple = (self.assign, self.assign, self.say, self.say, self.wait, self.augment, self.jump)
        nested = (self.choice, self.for_loop, self.while_loop, self.attempt, self.door, self.crew)
        nested += (self.match, self.for_loop)
        chosen = self.random.choice(simple if self.depth >= _MAX_DEPTH else (*simple, *nested))
        chosen()

    def assign(self) -> None:
        target = self.random.choice(("a", "b", "c", "a, b", "b = c"))
        value = self.value()
        self.write(
            f"{target} = {value}, {self.value()}" if "," in target else f"{target} = {value}"
        )

    def augment(self) -> None:
        target = self.random.choice(("a", "b", "world.count"))
        self.write(f"{target} {self.random.choice(('+=', '-='))} {self.value()} % 5")

    def say(self) -> None:
        self.write(f"world.say({self.value()}, {self.value()})")

    def wait(self) -> None:
        self.write(f"await world.rest({self.value(2)})")

    def jump(self) -> None:
        kind = self.random.random()
        condition = f"if {self.value(1)} % 3 == {self.random.randint(0, 2)}: "
        if self.loops and kind < 0.6:
            self.write(condition + self.random.choice(("break", "continue")))
        elif kind < 0.9:
            self.write(f"{condition}raise {self.random.choice(_ERRORS)}({self.value(2)})")
        else:
            self.write(f"{condition}return {self.value(1)}")

    def choice(self) -> None:
        self.inside(f"if {self.value()} % 2:")
        if self.random.random() < 0.6:
            self.inside(f"elif {self.value()} > 3:" if self.random.random() < 0.4 else "else:")

    def for_loop(self) -> None:
        loop = self.random.choice(
            (
                "for a in range({n})",
                "for b in [c, a, {v}]",
                "for a, b in enumerate('xy'[:{n}], 1): b = len(b)\nfor c in (1, 2)",
                "for a, c in zip([1, 2, 3], range({n}))",
                "for b in {{1: 2, 3: 4}}",
                "for a, b in {{1: 2, 3: 4}}.items()",
                "for c in reversed([1, 2])",
            )
        )
        loop = loop.format(n=self.random.randint(1, 3), v=self.value(1))
        *before, loop = loop.split("\n")
        for line in before:
            self.write(line)
        self.loops.append(True)
        self.inside(f"{loop}:", 3)
        self.loops.pop()
        if self.random.random() < 0.3:
            self.inside("else:")

    def while_loop(self) -> None:
        counter = self.name("left")
        self.write(f"{counter} = {self.random.randint(1, 3)}")
        test = f"{counter} > 0"
        if self.random.random() < 0.3:
            test = f"({test}) and {self.value(2)} < 90"
        self.write(f"while {test}:")
        self.depth += 1
        self.write(f"{counter} -= 1")
        self.loops.append(True)
        self.block(self.random.randint(1, 3))
        self.loops.pop()
        self.depth -= 1
        if self.random.random() < 0.2 and "await" not in test:
            self.inside("else:")

    def attempt(self) -> None:
        self.inside("try:", 3)
        caught = self.random.sample(_ERRORS, self.random.randint(0, 2))
        for kind in caught:
            named = self.random.random() < 0.5
            name = self.name("error")
            self.write(f"except {kind}{f' as {name}' if named else ''}:")
            self.depth += 1
            self.block(self.random.randint(1, 2))
            if named:
                self.write(f"world.say(repr({name}))")
            if self.random.random() < 0.2:
                self.write("raise")
            self.depth -= 1
        if caught and self.random.random() < 0.3:
            self.inside("else:")
        if not caught or self.random.random() < 0.4:
            self.write("finally:")
            self.write("    world.say('finally', a)")

    def door(self) -> None:
        swallows = self.random.choice(_ERRORS)
        name = self.name("door")
        self.inside(f"with world.door({self.value(1)}, {swallows}) as {name}:", 3)

    def crew(self) -> None:
        fails = self.random.random() < 0.2
        self.inside(f"async with world.crew({self.value(2)}, {fails}):", 3)

    def match(self) -> None:
        self.write(f"match {self.value()} % 3, b:")
        self.depth += 1
        self.inside("case (0, _):")
        self.inside("case (1, c):")
        self.inside("case _:")
        self.depth -= 1


def script_of(seed: int) -> tuple[Script, str]:
    """Return the random function of a seed, and its text."""
    text = Writer(seed).text()
    path = f"<random {seed}>"
    linecache.cache[path] = len(text), None, text.splitlines(True), path
    space: dict[str, Any] = {"__name__": "random_coroutines"}
    exec(compile(text, path, "exec"), space)
    return space["script"], text


def check(seed: int) -> int:
    """Compare the function of a seed. Return the number of awaits, or 0 if it does not end."""
    script, text = script_of(seed)
    try:
        expected = plain_outcome(script)
    except AssertionError:
        return 0
    try:
        return check_restored(script, expected)
    except BaseException as error:
        error.add_note(f"seed {seed}:\n{text}")
        raise


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=10**9)
    options = parser.parse_args()
    end = time.monotonic() + options.seconds
    functions = awaits = 0
    for seed in range(options.seed, options.seed + options.count):
        if time.monotonic() > end:
            break
        await_count = check(seed)
        functions += await_count > 0
        awaits += await_count
        if options.count == 1:
            print(script_of(seed)[1])
    print(f"{functions} functions, restored at {awaits} awaits: alike, on {sys.version.split()[0]}")


if __name__ == "__main__":
    main()
