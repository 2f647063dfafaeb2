"""Actions: what the player wants, whatever keys, buttons and sticks that is bound to."""

from __future__ import annotations

__all__ = ["Actions"]

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..checks import flag, named, nearest, shown, text, whole
from ..current_game import current_game
from ..errors import FrameworkError
from .bindings import (
    Axis,
    Binding,
    Hands,
    Source,
    binding_of,
    bound_to,
    data_of,
    each_once,
    source_of,
    sources_of,
    value_of,
)
from .layout import glyph
from .players import Desk

_MOST_ACTIONS = 1000


def _current_desk() -> Desk | None:
    game = current_game()
    desk: Desk | None = None if game is None else game.desk
    return desk


class Actions:
    """What a player can do, each with what does it: ``fw.Actions(jump=["space", "pad:a"],
    move=fw.Stick(…))``.

    A list of sources is an action that is pressed: keys by their names, ``"mouse:left"``,
    ``"pad:a"``. A `Stick` is (x, y), an `Axis` a number. `pressed`, `held`, `released` and
    ``actions["move"]`` answer as keys do: the same in all of a tick. Make it in ``setup``: it is of
    the game that is at work, and of its first player; see `player`.
    """

    _not_hashed = ("_desk",)

    def __init__(
        self, /, **actions: Sequence[str] | str | int | Binding | Mapping[str, Any]
    ) -> None:
        if len(actions) > _MOST_ACTIONS:
            raise ValueError(f"actions: at most {_MOST_ACTIONS} are expected, got {len(actions)}")
        self._bindings = {
            name: each_once(name, binding_of(name, given)) for name, given in actions.items()
        }
        self._first = dict(self._bindings)
        self._contexts: dict[str, tuple[str, ...]] = {}
        self._on: set[str] = set()
        self._ignored: dict[
            tuple[str, Source], int
        ] = {}  # down when a context came on, until it goes up
        self._number = self._keyboard = 0
        self._hands: Hands | None = None
        self._desk: Desk | None = None
        self._loose = current_game() is None  # made outside of any game, it is of the one that asks
        if not self._loose:
            self._found()

    # -- what the game asks ------------------------------------------------------------------------

    def pressed(self, name: str) -> int:
        """How often the action was pressed since the last tick: each press of each of its sources
        counts.
        """
        if not self._live(name, buttons=True):
            return 0
        hands = self._found()
        return sum([hands.pressed(source) for source in self._heard(name)])

    def released(self, name: str) -> int:
        """How often one of its sources was let go of since the last tick."""
        if not self._live(name, buttons=True):
            return 0
        hands = self._found()
        return sum([hands.released(source) for source in self._heard(name)])

    def held(self, name: str) -> bool:
        """Whether any of its sources was down at any moment since the last tick."""
        if not self._live(name, buttons=True):
            return False
        hands = self._found()
        return any(hands.held(source) for source in self._heard(name))

    def __getitem__(self, name: str) -> Any:
        """The value of an action: of a `Stick` (x, y), y up; of an `Axis` a number; of any other
        how far it is pressed, 0 to 1."""
        binding = self._binding(name)
        if not self._live(name):
            return (0.0, 0.0) if binding.kind == "stick" else 0.0
        hands = self._found()
        if binding.kind == "buttons" and self._ignored:
            return max((hands.value(source) for source in self._heard(name)), default=0.0)
        return value_of(binding, hands)

    def __iter__(self) -> Iterator[str]:
        return iter(self._bindings)

    def __contains__(self, name: object) -> bool:
        return name in self._bindings

    def __len__(self) -> int:
        return len(self._bindings)

    def _heard(self, name: str) -> list[Source]:
        """The sources that count."""
        return [
            source
            for _, source in sources_of(self._bindings[name])
            if (name, source) not in self._ignored
        ]

    def _binding(self, name: str) -> Binding:
        binding = self._bindings.get(text("name", name))
        if binding is None:
            near = nearest(name, self._bindings)
            raise ValueError(
                f"action: there is none of the name {shown(name)}; the nearest are {near}"
            )
        return binding

    def _live(self, name: str, buttons: bool = False) -> bool:
        binding = self._binding(name)
        if buttons and binding.kind != "buttons":
            kind = type(binding).__name__
            raise ValueError(
                f"action: {name!r} is of a {kind}, which is not pressed; ask for actions[{name!r}]"
            )
        around = [context for context, names in self._contexts.items() if name in names]
        return not around or not self._on.isdisjoint(around)

    # -- who acts ----------------------------------------------------------------------------------

    def player(self, number: int, *, keyboard: int | None = None) -> Actions:
        """The same actions, with bindings of their own from here on, of another player: of their
        keys, mouse and pads.

        The window's keyboard is the first player's. Two who share it have different bindings, and
        ``keyboard`` says whose it is: ``fw.Actions(move=fw.Stick("left right down up")).player(1,
        keyboard=0)``.
        """
        other = Actions()
        other._bindings = dict(self._bindings)
        other._number = whole("number", number, 0)
        other._keyboard = other._number if keyboard is None else whole("keyboard", keyboard, 0)
        other._contexts, other._on, other._hands = dict(self._contexts), set(self._on), None
        other._first = dict(self._first)
        other._loose, other._desk = self._loose, self._desk
        if current_game() is not None:
            other._found()
        return other

    def _found(self) -> Hands:
        hands = self._hands
        if hands is None or self._loose:
            desk = self._desk if self._desk is not None and not self._loose else _current_desk()
            if desk is None:
                raise FrameworkError(
                    "actions: no game is open; make them in setup(), and ask in update()"
                )
            if hands is None or hands.player not in desk.players:
                hands = self._hands = self._at(desk)
        return hands

    def _at(self, desk: Desk) -> Hands:
        most = len(desk.players) - 1
        if max(self._number, self._keyboard) > most:
            name = "number" if self._number > most else "keyboard"
            raise ValueError(
                f"{name}: the game has {most + 1} players, numbered from 0; see Game(players=…)"
            )
        self._desk = desk
        desk.go_along(self._latch)
        if any(source.device == "pad" for source in self._every()) or self._leans():
            _ = desk.pads.connected  # they are looked for now, not when a button is asked for
        return Hands(desk.players[self._number], desk.players[self._keyboard])

    def _every(self) -> Iterator[Source]:
        return (source for binding in self._bindings.values() for _, source in sources_of(binding))

    def _leans(self) -> bool:
        groups = [group for binding in self._bindings.values() for group in binding.groups]
        return any(
            isinstance(word, str) and word.startswith("pad:") for group in groups for word in group
        )

    # -- contexts ----------------------------------------------------------------------------------

    def context(self, name: str, *actions: str, on: bool = True) -> None:
        """Name a set of actions, to be switched on and off together: ``context("menu", "accept",
        "back", on=False)``.

        An action that is in no context always counts; one that is in several counts when one of
        them is on.
        """
        for action in actions:
            self._binding(action)
        self._contexts[text("name", name)] = tuple(dict.fromkeys(actions))
        (self._on.add if flag("on", on) else self._on.discard)(name)

    def is_on(self, name: str) -> bool:
        """Whether a context is on."""
        return self._known(name) in self._on

    def turn_on(self, *names: str) -> None:
        """Switch contexts on. What is down just now does not count for their actions until it goes
        down anew: the press that opens a menu chooses nothing in it."""
        before = {action for action in self._bindings if self._live(action)}
        self._on.update(map(self._known, names))
        hands = self._found()
        for action in self._bindings:
            if (
                action not in before
                and self._live(action)
                and self._bindings[action].kind == "buttons"
            ):
                for _, source in sources_of(self._bindings[action]):
                    coming = hands.coming(source)
                    if coming is not None:
                        self._ignored[action, source] = coming

    def turn_off(self, *names: str) -> None:
        """Switch contexts off: their actions are not pressed, and at 0."""
        self._on.difference_update(map(self._known, names))

    def only(self, *names: str) -> None:
        """Switch these contexts on, and all others off."""
        names = tuple(map(self._known, names))
        self.turn_off(*[name for name in self._contexts if name not in names])
        self.turn_on(*[name for name in names if name not in self._on])

    def _known(self, name: str) -> str:
        if text("name", name) not in self._contexts:
            there = (
                ", ".join(map(repr, self._contexts))
                or "none yet: actions.context(name, …) makes one"
            )
            raise ValueError(f"context: there is none of the name {shown(name)}; there are {there}")
        return name

    def _latch(self) -> None:
        """A tick has latched what the player did."""
        if not self._ignored or self._hands is None:
            return
        hands, left = self._hands, {}
        for (action, source), coming in self._ignored.items():
            if hands.held(source) and hands.pressed(source) <= coming:
                left[action, source] = 0
        self._ignored = left

    # -- bindings ----------------------------------------------------------------------------------

    def bindings(self) -> dict[str, Any]:
        """What each action is bound to, as lists, dicts, strings and numbers: to be saved, and
        given to `load`.
        """
        return {name: data_of(binding) for name, binding in self._bindings.items()}

    def load(self, bindings: Mapping[str, Any]) -> list[str]:
        """Bind as `bindings` once told. Actions that it does not name stay as they are; returns the
        names that are none of ours. Raises `TypeError` or `ValueError` for what is no binding, and
        then nothing has changed."""
        given = named(
            "bindings", bindings, "bindings by the names of actions, as bindings() tells them"
        )
        new = {
            name: binding_of(name, value) for name, value in given.items() if name in self._bindings
        }
        for name, binding in new.items():
            if type(binding) is not type(self._bindings[name]):
                expected, got = type(self._bindings[name]).__name__, type(binding).__name__
                raise ValueError(f"{name}: it is bound as a {expected}, not as a {got}")
        self._bindings |= new
        return [shown(name) for name in given if name not in self._bindings]

    def reset(self) -> None:
        """Bind as in the beginning."""
        self._bindings = dict(self._first)

    def rebind(
        self, action: str, source: str | int, *, instead: str | int | None = None
    ) -> list[str]:
        """Bind an action to another source, and return the actions that have it too, which stay as
        they are.

        It takes the place of ``instead``, or else of what the action has at the same hand: a key or
        a button of the mouse that of those, a pad's button that of pads. Of a `Stick` or an `Axis`
        a side is named: ``"move.left"``, ``right``, ``down``, ``up``, ``"zoom.less"``, ``more``;
        its first string that is at the same hand is changed. Conflicts are of actions that can
        count at the same time: not those of two contexts that share none.
        """
        name, _, side = text("action", action).partition(".")
        binding, new = self._binding(name), source_of(source)
        if not side and isinstance(binding, Axis):
            sides = ", ".join(f"{name}.{one}" for one in binding.sides)
            raise ValueError(f"action: of {name!r} a side is bound: {sides}")
        if side and side not in binding.sides:
            sides = ", ".join(binding.sides) or "none"
            raise ValueError(f"action: {name!r} has no side {shown(side)}; its sides are {sides}")
        old = None if instead is None else source_of(instead, "instead")
        groups = _side_changed(binding, side, new, old) if side else _changed(binding, new, old)
        self._bindings[name] = bound_to(binding, groups)
        return [
            other
            for other in self._having(new)
            if other != action and self._meet(name, other.partition(".")[0])
        ]

    def _having(self, source: Source) -> list[str]:
        return [
            f"{name}.{side}" if side else name
            for name, binding in self._bindings.items()
            for side, one in sources_of(binding)
            if one == source
        ]

    def _meet(self, one: str, other: str) -> bool:
        """Whether two actions can count at the same time."""
        around = [
            {name for name, actions in self._contexts.items() if action in actions}
            for action in (one, other)
        ]
        return not all(around) or not around[0].isdisjoint(around[1])

    def conflicts(self) -> dict[str, list[str]]:
        """The sources that several actions have which can count at the same time, with these."""
        found: dict[str, list[str]] = {}
        for source in dict.fromkeys(self._every()):
            having = self._having(source)
            plain = [name.partition(".")[0] for name in having]
            pairs = [
                (a, b)
                for a in range(len(having))
                for b in range(a)
                if self._meet(plain[a], plain[b])
            ]
            if pairs:
                found[str(source)] = [
                    having[place] for place in sorted({place for pair in pairs for place in pair})
                ]
        return found

    def prompts(self, action: str) -> list[str]:
        """What is printed on the sources of an action, for prompts such as "press A": on keys their
        names, on pads by their kind. Of a pad's that is not there, none, if there are others."""
        name, _, side = text("action", action).partition(".")
        pad = self._found().player.pad
        there = pad is not None and pad.connected
        sources = [
            source for of, source in sources_of(self._binding(name)) if not side or of == side
        ]
        shown_ones = [source for source in sources if there or source.device != "pad"] or sources
        return [
            _prompt(source, pad.kind if pad is not None else "generic") for source in shown_ones
        ]


def _prompt(source: Source, kind: str) -> str:
    if source.device == "pad":
        return glyph(kind, source.control)
    words = source.control.replace("_", " ")
    return f"{words} mouse button" if source.device == "mouse" else words.capitalize()


def _changed(binding: Binding, new: Source, old: Source | None) -> list[tuple[Source | str, ...]]:
    """The sources of an action, with another one in the place of some."""
    there = [source for _, source in sources_of(binding)]
    if old is not None and old not in there:
        raise ValueError(
            f"instead: {str(old)!r} is none of its sources, which are {', '.join(map(str, there))}"
        )
    gone = [
        source
        for source in there
        if source == new or (source.hand == new.hand if old is None else source == old)
    ]
    place = there.index(gone[0]) if gone else len(there)
    kept = [source for source in there if source not in gone]
    return [(source,) for source in (*kept[:place], new, *kept[place:])]


def _side_changed(
    binding: Binding, side: str, new: Source, old: Source | None
) -> list[tuple[Source | str, ...]]:
    """The strings of an axis or a stick, with another source on one side of one."""
    groups, place = list(binding.groups), binding.sides.index(side)
    for index, group in enumerate(groups):
        there = group[place] if len(group) > 1 else None
        if isinstance(there, Source) and (there.hand == new.hand if old is None else there == old):
            groups[index] = (*group[:place], new, *group[place + 1 :])
            return groups
    what = f"{new.hand}" if old is None else str(old)
    raise ValueError(
        f"action: it has no {len(binding.sides)} sources in one string with a side of {what!r}"
    )
