"""A state machine: a thing is in one of a few states, does what that state does, and goes on to
others by rules.
"""

from __future__ import annotations

__all__ = ["States"]

import difflib
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

from ..checks import function, items, number, shown, text, whole, wrong_type
from ..errors import FrameworkError
from ..timing.schedule import duration

_MOST_CHANGES = 1000  # in one update


class _Rule(NamedTuple):
    """What leads from a state to another one."""

    target: str
    when: Callable[[], object] | None
    after: Fraction


class _Actions(NamedTuple):
    """What is done in a state."""

    enter: Callable[[], object] | None = None
    update: Callable[[float], object] | None = None
    leave: Callable[[], object] | None = None


class States:
    """The states of one thing, of which it is in one: in the first, to begin with.

        self.mind = fw.States("stand", "walk", "hurt")
        self.mind.on("walk", enter=lambda: self.hero.play("walk"), update=self.walk)
        self.mind.go("stand", "walk", when=lambda: self.keys.axis("left", "right"))
        self.mind.go("hurt", "stand", after=0.3)
        …
        self.mind.update(dt)                             # in update

    `update` tries the rules of its state, in the order in which they were made, and follows the
    first that holds; then it calls the state's own ``update``. Of rules with a condition it follows
    one at most in an update. Times are exact: what comes after 0.3 seconds begins at that very
    moment, and so counts its own time from there. It is state of the game like any other, in
    snapshots and hashes; `Game.save` saves where it is.
    """

    saved: ClassVar[tuple[str, ...]] = ("_seconds", "before", "entered", "state")

    def __init__(self, *names: str) -> None:
        self.names = state_names(names)
        """All states."""
        self.state = self.names[0]
        """The one that it is in."""
        self.before: str | None = None
        """The one that it was in before that, if any."""
        self.entered = False
        """Whether the first state was entered: `update` does it."""
        self._time = Fraction()
        self._actions: dict[str, _Actions] = {}
        self._rules: dict[str, list[_Rule]] = {name: [] for name in self.names}
        self._wanted: list[str] = []  # states that were asked for while another was entered or left
        self._changing = False

    def __repr__(self) -> str:
        return f"<States, {self.state!r} for {self.time:g} s>"

    @property
    def time(self) -> float:
        """Seconds that it has been in its state."""
        return float(self._time)

    @property
    def _seconds(self) -> tuple[int, int]:
        """The same exactly, as a quotient of whole numbers: for saves."""
        return self._time.numerator, self._time.denominator

    @_seconds.setter
    def _seconds(self, value: tuple[int, int]) -> None:
        numerator, denominator = value
        self._time = Fraction(whole("seconds", numerator, 0), whole("seconds", denominator, 1))

    def after_load(self) -> None:
        """A save was loaded, of a game that may have had other states."""
        for name in (self.state, *([] if self.before is None else [self.before])):
            checked_state("state", name, self.names)

    # -- rules -------------------------------------------------------------------------------------

    def on(
        self,
        name: str,
        *,
        enter: Callable[[], object] | None = None,
        update: Callable[[float], object] | None = None,
        leave: Callable[[], object] | None = None,
    ) -> None:
        """What is done in a state: when it is entered, in each `update` with ``dt``, and when it is
        left.

        Said again, it counts instead of what was said before.
        """
        name = checked_state("name", name, self.names)
        for word, action in (("enter", enter), ("update", update), ("leave", leave)):
            if action is not None:
                function(word, action)
        self._actions[name] = _Actions(enter, update, leave)

    def go(
        self,
        source: str | Sequence[str] | None,
        target: str,
        *,
        when: Callable[[], object] | None = None,
        after: float | Fraction = 0,
    ) -> None:
        """A rule: from a state (several, or None for all others) it goes on to ``target``.

        It holds when ``when()`` is true, once ``after`` seconds have passed in the state; one of
        the two is needed.
        """
        target = checked_state("target", target, self.names)
        others: list[Any] = [name for name in self.names if name != target]
        given = (
            others
            if source is None
            else [source]
            if isinstance(source, str)
            else items("source", source)
        )
        sources = [checked_state("source", name, self.names) for name in given]
        rule = _Rule(
            target, None if when is None else function("when", when), duration("after", after)
        )
        if when is None and not rule.after:
            raise TypeError(
                "when: expected a condition, a function of nothing; or after=, a "
                "number of seconds above 0"
            )
        for name in sources:
            self._rules[name].append(rule)

    # -- ticks -------------------------------------------------------------------------------------

    def update(self, dt: float | Fraction) -> None:
        """A tick of ``dt`` seconds: follow the rules, then do what the state does."""
        self._time += duration("dt", dt)
        if not self.entered:
            self.entered = True
            self._call(self._actions.get(self.state, _Actions()).enter)
        asked = False
        for _ in range(_MOST_CHANGES):
            rule = self._rule(asked)
            if rule is None:
                break
            asked = asked or rule.when is not None
            self._change(rule.target, self._time - rule.after if rule.when is None else Fraction())
        else:
            names = f"{self.before!r} and {self.state!r}"
            raise FrameworkError(
                f"update: {_MOST_CHANGES:,} changes in one update, between {names} in the end"
            )
        action = self._actions.get(self.state, _Actions()).update
        if action is not None:
            action(number("dt", dt))

    def to(self, name: str) -> None:
        """Be in a state, now: the one that it is in is left, and that one entered, also where they
        are the same.

        Asked for within ``enter`` or ``leave``, it is done right after them.
        """
        self._change(checked_state("name", name, self.names), Fraction())

    def _rule(self, asked: bool) -> _Rule | None:
        """The first rule that holds; without conditions where one was ``asked`` already."""
        for rule in self._rules[self.state]:
            if (
                self._time >= rule.after
                and not (asked and rule.when)
                and (rule.when is None or rule.when())
            ):
                return rule
        return None

    def _change(self, name: str, time: Fraction) -> None:
        if self._changing:
            self._wanted.append(name)
            return
        self._changing = True
        try:
            for _ in range(_MOST_CHANGES):
                if self.entered:
                    self._call(self._actions.get(self.state, _Actions()).leave)
                self.before, self.state, self._time, self.entered = self.state, name, time, True
                self._call(self._actions.get(name, _Actions()).enter)
                if not self._wanted:
                    return
                name, time = self._wanted.pop(0), Fraction()
            raise FrameworkError(
                f"to: {_MOST_CHANGES:,} changes in a row, each asked for by the one before"
            )
        finally:
            self._changing = False
            self._wanted.clear()

    @staticmethod
    def _call(action: Callable[[], object] | None) -> None:
        if action is not None:
            action()


def state_names(names: tuple[Any, ...]) -> tuple[str, ...]:
    """Names of states. Raises `TypeError` or `ValueError` for what is none, for none at all, and
    for one twice.
    """
    if not names:
        raise TypeError('names: expected the names of states, the first one first: "stand", "walk"')
    for name in names:
        text("names", name)
    if len({*names}) < len(names):
        raise ValueError(f"names: expected each state once, got {shown(names)}")
    return names


def checked_state(argument: str, name: Any, names: tuple[str, ...]) -> str:
    """One of the states. Raises `ValueError` with the nearest there is."""
    if not isinstance(name, str):
        raise wrong_type(argument, "the name of a state", name)
    if name not in names:
        near = difflib.get_close_matches(name, names, 1)
        there = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(names)}"
        raise ValueError(f"{argument}: there is no state {shown(name)}; {there}")
    return name
