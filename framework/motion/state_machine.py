"""Run the states of one object, such as "idle" and "attack", and change between them."""

from __future__ import annotations

__all__ = ["StateMachine"]

import difflib
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

from ..checks import function, items, number, shown, text, whole, wrong_type
from ..errors import FrameworkError
from ..moved_names import HasMoved, moved, renamed_options
from ..timing.schedule import duration

_MAX_CHANGES = 1000  # the maximum number of state changes in one update


class _Rule(NamedTuple):
    """A transition from one state to the state ``target``. `StateMachine.update` changes the state
    if ``when()`` returns a true value and the state has lasted for ``after`` seconds.
    """

    target: str
    when: Callable[[], object] | None
    after: Fraction


class _Actions(NamedTuple):
    """The functions that the game has passed to `StateMachine.on` for a state."""

    enter: Callable[[], object] | None = None
    update: Callable[[float], object] | None = None
    exit: Callable[[], object] | None = None


@moved("state_machine", {"go": "add_transition", "to": "change_to"}, {"before": "previous"})
class StateMachine(HasMoved):
    """The states of one object, such as a knight that stands, walks or strikes.

        self.mind = fw.StateMachine("stand", "walk", "hurt")
        self.mind.on("walk", enter=lambda: self.hero.play("walk"), update=self.walk)
        self.mind.add_transition("stand", "walk", when=lambda: self.keys.axis("left", "right"))
        self.mind.add_transition("hurt", "stand", after=0.3)
        …
        self.mind.update(dt)                             # in update

    At first, the current state is the first of ``names``. `update` checks the transitions of the
    current state in the order in which you added them. If all conditions of a transition are true,
    `update` changes the state to the transition's target. After the transitions, `update` calls the
    ``update`` function of the current state. In one call, `update` follows at most one transition
    with a condition (``when``).

    The times of transitions are exact. With ``after=0.3``, the next state begins after exactly 0.3
    seconds, even between two ticks. The current state and its time are part of snapshots and of
    state hashes. `Game.save` also saves both.
    """

    saved: ClassVar[tuple[str, ...]] = ("_seconds", "entered", "previous", "state")

    def __init__(self, *names: str) -> None:
        self.names = state_names(names)
        """The names of all states."""
        self.state = self.names[0]
        """The current state."""
        self.previous: str | None = None
        """The state before the current state, or None if the state has never changed."""
        self.entered = False
        """False until the first call of `update` or `change_to`. If `update` is called first, it
        calls the ``enter`` function of the first state.
        """
        self._time = Fraction()
        self._actions: dict[str, _Actions] = {}
        self._rules: dict[str, list[_Rule]] = {name: [] for name in self.names}
        self._requested: list[str] = []  # states that actions have requested with `change_to`
        self._changing = False

    def __repr__(self) -> str:
        return f"<StateMachine, {self.state!r} for {self.time:g} s>"

    @property
    def time(self) -> float:
        """The time in seconds since the start of the current state."""
        return float(self._time)

    @property
    def _seconds(self) -> tuple[int, int]:
        """The numerator and the denominator of `time`, for saves."""
        return self._time.numerator, self._time.denominator

    @_seconds.setter
    def _seconds(self, value: tuple[int, int]) -> None:
        numerator, denominator = value
        self._time = Fraction(whole("seconds", numerator, 0), whole("seconds", denominator, 1))

    def after_load(self) -> None:
        """Called after a save was loaded.

        Raises `ValueError` if the save contains a state that no longer exists in the game.
        """
        for name in (self.state, *([] if self.previous is None else [self.previous])):
            checked_state("state", name, self.names)

    # -- rules -------------------------------------------------------------------------------------

    @renamed_options("StateMachine.on", leave="exit")
    def on(
        self,
        name: str,
        *,
        enter: Callable[[], object] | None = None,
        update: Callable[[float], object] | None = None,
        exit: Callable[[], object] | None = None,
    ) -> None:
        """Set the functions that are called for the state ``name``. The new functions replace all
        earlier functions of this state.

        ``enter()`` is called when the state begins, and ``exit()`` when it ends. While the state is
        current, the method `update` calls ``update(dt)``.
        """
        name = checked_state("name", name, self.names)
        for word, action in (("enter", enter), ("update", update), ("exit", exit)):
            if action is not None:
                function(word, action)
        self._actions[name] = _Actions(enter, update, exit)

    def add_transition(
        self,
        source: str | Sequence[str] | None,
        target: str,
        *,
        when: Callable[[], object] | None = None,
        after: float | Fraction = 0,
    ) -> None:
        """Add a transition from ``source`` to ``target``.

        ``source`` is a state, several states, or None for all states except the target. `update`
        changes the state if ``when()`` returns a true value and the current state has lasted for
        ``after`` seconds. You must pass ``when``, ``after`` or both. To change the state without a
        condition, call `change_to`.
        """
        target = checked_state("target", target, self.names)
        if source is None:
            sources = [name for name in self.names if name != target]
        else:
            requested = [source] if isinstance(source, str) else items("source", source)
            sources = [checked_state("source", name, self.names) for name in requested]
        condition = None if when is None else function("when", when)
        rule = _Rule(target, condition, duration("after", after))
        if when is None and not rule.after:
            raise TypeError(
                "when: expected a function without arguments; or pass after=, a "
                "number of seconds above 0"
            )
        for name in sources:
            self._rules[name].append(rule)

    # -- ticks -------------------------------------------------------------------------------------

    def update(self, dt: float | Fraction) -> None:
        """Advance the machine by ``dt`` seconds. Follow the transitions, and then call the
        ``update`` function of the current state.
        """
        self._time += duration("dt", dt)
        if not self.entered:
            self.entered = True
            self._call(self._actions.get(self.state, _Actions()).enter)
        had_condition = False
        for _ in range(_MAX_CHANGES):
            rule = self._rule(had_condition)
            if rule is None:
                break
            had_condition = had_condition or rule.when is not None
            self._change(rule.target, self._time - rule.after if rule.when is None else Fraction())
        else:
            names = f"{self.previous!r} and {self.state!r}"
            raise FrameworkError(
                f"update: {_MAX_CHANGES:,} changes in one update, the last between {names}"
            )
        action = self._actions.get(self.state, _Actions()).update
        if action is not None:
            action(number("dt", dt))

    def change_to(self, name: str) -> None:
        """Change the current state to ``name``.

        `change_to` calls the ``exit`` function of the current state, and then the ``enter``
        function of ``name``. Both functions are called even if ``name`` is already the current
        state. If ``exit`` or ``enter`` calls `change_to`, the state changes again after that
        function has returned.
        """
        self._change(checked_state("name", name, self.names), Fraction())

    def _rule(self, had_condition: bool) -> _Rule | None:
        """Return the first transition of the current state that can be followed now.

        If ``had_condition`` is True, ignore transitions that have a condition.
        """
        for rule in self._rules[self.state]:
            if (
                self._time >= rule.after
                and not (had_condition and rule.when)
                and (rule.when is None or rule.when())
            ):
                return rule
        return None

    def _change(self, name: str, time: Fraction) -> None:
        if self._changing:
            self._requested.append(name)
            return
        self._changing = True
        try:
            for _ in range(_MAX_CHANGES):
                if self.entered:
                    self._call(self._actions.get(self.state, _Actions()).exit)
                self.previous = self.state
                self.state = name
                self._time = time
                self.entered = True
                self._call(self._actions.get(name, _Actions()).enter)
                if not self._requested:
                    return
                name = self._requested.pop(0)
                time = Fraction()
            raise FrameworkError(
                f"change_to: {_MAX_CHANGES:,} changes in a row, each requested by the previous one"
            )
        finally:
            self._changing = False
            self._requested.clear()

    @staticmethod
    def _call(action: Callable[[], object] | None) -> None:
        if action is not None:
            action()


def state_names(names: tuple[Any, ...]) -> tuple[str, ...]:
    """Return the names of the states as a tuple, or raise an error.

    Raises `TypeError` or `ValueError` if ``names`` is empty, if a name is not a string, or if a
    name occurs twice.
    """
    if not names:
        raise TypeError('names: expected the names of states, the first one first: "stand", "walk"')
    for name in names:
        text("names", name)
    if len({*names}) < len(names):
        raise ValueError(f"names: expected each state once, got {shown(names)}")
    return names


def checked_state(argument: str, name: Any, names: tuple[str, ...]) -> str:
    """Return ``name`` if a state has this name.

    Raises `ValueError` if no state has this name. The error message suggests the most similar name.
    """
    if not isinstance(name, str):
        raise wrong_type(argument, "the name of a state", name)
    if name not in names:
        near = difflib.get_close_matches(name, names, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(names)}"
        raise ValueError(f"{argument}: there is no state {shown(name)}; {hint}")
    return name
