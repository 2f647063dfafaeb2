"""What an action is bound to: keys, buttons, triggers, sticks, by name; and how they add up to its
value.

A source is a key ("space"), a button of the mouse ("mouse:left"), or a control of a gamepad
("pad:a"). Several in one string are the sides of an `Axis` ("q e": less, more) or of a `Stick` ("a
d s w": left, right, down, up).
"""

from __future__ import annotations

__all__ = ["Axis", "Stick"]

import functools
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, NoReturn

from ..checks import nearest, number, shown, wrong_type, wrong_value
from .buttons import Buttons, coming_presses, new_presses
from .key import key_names
from .layout import CONTROLS, STICKS
from .mouse import MOUSE_BUTTONS
from .pads import Pad, depth, rounded
from .players import Player, pads_in_use

MOST_SOURCES = 32
"""Sources of one action: more are no binding, but a file that is none of ours."""

WHEELS = {"wheel": "scroll_y", "wheelx": "scroll_x"}
PAD_AXES = {
    "leftx": ("leftstick", 0),
    "lefty": ("leftstick", 1),
    "rightx": ("rightstick", 0),
    "righty": ("rightstick", 1),
}
PAD_STICKS = (*STICKS, "dpad")


class Source(NamedTuple):
    """Something that goes down and up: a key, or a button of a mouse or of a pad."""

    device: str
    """"key", "mouse" or "pad"."""
    control: str
    symbol: int

    def __str__(self) -> str:
        return self.control if self.device == "key" else f"{self.device}:{self.control}"

    @property
    def hand(self) -> str:
        """What is in one's hands for it: "keyboard", with its mouse, or "pad"."""
        return "pad" if self.device == "pad" else "keyboard"


class Hands(NamedTuple):
    """Who acts, and at whose keyboard."""

    player: Player
    keyboard: Player

    def buttons(self, source: Source) -> tuple[Buttons, ...]:
        """What has this source."""
        if source.device == "pad":
            return pads_in_use(self.player)
        return (self.keyboard.keys,) if source.device == "key" else (self.keyboard.mouse,)

    def held(self, source: Source) -> bool:
        """Whether it was down at any moment since the last tick."""
        return any(buttons.held(source.symbol) for buttons in self.buttons(source))

    def pressed(self, source: Source) -> int:
        """How often it went down since the last tick."""
        return sum([buttons.pressed(source.symbol) for buttons in self.buttons(source)])

    def released(self, source: Source) -> int:
        """How often it went up since the last tick."""
        return sum([buttons.released(source.symbol) for buttons in self.buttons(source)])

    def coming(self, source: Source) -> int | None:
        """How often it went down since, for the next tick; None where it is not down now."""
        known = [coming_presses(buttons, source.symbol) for buttons in self.buttons(source)]
        there = [count for count in known if count is not None]
        return sum(there) if there else None

    def value(self, source: Source) -> float:
        """How far it is pressed, 0 to 1."""
        if source.device == "pad":
            return max(
                [depth(pad, source.control) for pad in pads_in_use(self.player)], default=0.0
            )
        return float(self.held(source))


@functools.cache
def _named() -> Mapping[int, str]:
    """The keys' names, by their symbols: the first that each has."""
    return {symbol: name.lower() for name, symbol in reversed([*key_names().items()])}


def key_source(symbol: int) -> Source | None:
    """A key; None for one that has no name."""
    name = _named().get(symbol)
    return None if name is None else Source("key", name, symbol)


def source_of(given: object, name: str = "source", others: Iterable[str] = ()) -> Source:
    """A source by its name, or a key by its symbol. Raises `ValueError` where there is none,
    with the nearest names of these and of ``others``."""
    if isinstance(given, int) and not isinstance(given, bool):
        found = key_source(given)
        if found is None:
            raise wrong_value(name, "a key's symbol", given)
        return found
    if not isinstance(given, str):
        raise wrong_type(
            name, 'the name of a source, such as "space", "mouse:left" or "pad:a"', given
        )
    device, colon, control = given.strip().lower().rpartition(":")
    names = _names_of(device)
    if names is None or control not in names:
        _refuse(name, given, others)
    if not colon:
        symbol = names[control]
        return Source("key", _named()[symbol], symbol)
    return Source(device, control, names[control])


def _names_of(device: str) -> Mapping[str, int] | None:
    return {"": _keys(), "mouse": MOUSE_BUTTONS, "pad": CONTROLS}.get(device)


@functools.cache
def _keys() -> Mapping[str, int]:
    return {name.lower(): symbol for name, symbol in key_names().items()}


def _refuse(name: str, given: str, more: Iterable[str]) -> NoReturn:
    known = [
        *_keys(),
        *(f"mouse:{button}" for button in MOUSE_BUTTONS),
        *(f"pad:{one}" for one in CONTROLS),
        *more,
    ]
    words = "is no key, mouse button or pad's control; the nearest are"
    raise ValueError(f"{name}: {shown(given)} {words} {nearest(given, known)}")


# -- what an action is -----------------------------------------------------------------------------


class Binding:
    """What an action is bound to."""

    kind = "buttons"
    sides: tuple[str, ...] = ()
    """What the sources of one string are for."""

    def __init__(self, groups: Iterable[tuple[Source | str, ...]]) -> None:
        self.groups = tuple(groups)

    def _sources(self) -> Iterator[tuple[str, Source]]:
        for group in self.groups:
            for side, source in zip(self.sides if len(group) > 1 else ("",), group, strict=True):
                if isinstance(source, Source):
                    yield side, source

    def _words(self) -> list[str]:
        return [" ".join(map(str, group)) for group in self.groups]

    def _data(self) -> list[str] | dict[str, object]:
        return self._words()

    def _bound_to(self, groups: Iterable[tuple[Source | str, ...]]) -> Binding:
        return Binding(groups)

    def _value(self, hands: Hands) -> float | tuple[float, float]:
        """How far it is pressed: that of its sources which is pressed the most."""
        return max((hands.value(source) for _, source in self._sources()), default=0.0)


def sources_of(binding: Binding) -> Iterator[tuple[str, Source]]:
    """Yield each source of a binding, with the side that it is for: "" for the whole."""
    return binding._sources()


def data_of(binding: Binding) -> list[str] | dict[str, object]:
    """Return a binding as lists, dicts, strings and numbers."""
    return binding._data()


def bound_to(binding: Binding, groups: Iterable[tuple[Source | str, ...]]) -> Binding:
    """Return a binding of the same kind with other sources."""
    return binding._bound_to(groups)


def value_of(binding: Binding, hands: Hands) -> float | tuple[float, float]:
    """Return the value of an action: (x, y) of a stick, else a number."""
    return binding._value(hands)


class Axis(Binding):
    """An action that is a number, -1 to 1: ``fw.Axis("q e", "pad:leftx", "mouse:wheel")``.

    Each string is two sources, less and more, as in ``"q e"`` and ``"pad:lefttrigger
    pad:righttrigger"``; or one that is a number by itself: ``"pad:leftx"``, ``lefty``, ``rightx``,
    ``righty`` (y up), a trigger or a button (0 to 1), ``"mouse:wheel"`` and ``"mouse:wheelx"``
    (steps since the last tick, as many as there were). They add up. ``deadzone`` is that of the
    pads' sticks.
    """

    kind = "axis"
    sides: tuple[str, ...] = ("less", "more")

    def __init__(self, *sources: str, deadzone: float = 0.2) -> None:
        self.deadzone = number("deadzone", deadzone, least=0, below=1)
        super().__init__([self._group(given) for given in sources])

    def _group(self, given: str) -> tuple[Source | str, ...]:
        if not isinstance(given, str):
            raise wrong_type("sources", f"strings, as in {_EXAMPLES[self.kind]}", given)
        words = given.lower().split()
        if len(words) == 1 and words[0] in _WHOLES[self.kind]:
            return (words[0],)
        if len(words) == len(self.sides) or (len(words) == 1 and self.kind == "axis"):
            return tuple([source_of(word, others=_WHOLES[self.kind]) for word in words])
        if len(words) == 1:
            _refuse("source", given, _WHOLES[self.kind])
        what = (
            f"{len(self.sides)} sources ({', '.join(self.sides)}) or one of "
            f"{', '.join(_WHOLES[self.kind])}"
        )
        raise wrong_value("sources", what, given)

    def _data(self) -> list[str] | dict[str, object]:
        return {self.kind: self._words(), "deadzone": self.deadzone}

    def _bound_to(self, groups: Iterable[tuple[Source | str, ...]]) -> Binding:
        return type(self)(*[" ".join(map(str, group)) for group in groups], deadzone=self.deadzone)

    def _value(self, hands: Hands) -> float | tuple[float, float]:
        """-1 to 1, and the steps of the wheel."""
        total = steps = 0.0
        for group in self.groups:
            if len(group) == 2:
                total += self._side(hands, group[1]) - self._side(hands, group[0])
            elif isinstance(group[0], Source):
                total += hands.value(group[0])
            elif group[0].startswith("mouse:"):
                turned: float = getattr(hands.keyboard.mouse, WHEELS[group[0][6:]])
                steps += turned
            else:
                total += self._leaning(pads_in_use(hands.player), group[0][4:])
        return max(-1.0, min(1.0, total)) + steps

    def _side(self, hands: Hands, source: Source | str) -> float:
        return hands.value(source) if isinstance(source, Source) else 0.0

    def _leaning(self, pads: Iterable[Pad], axis: str) -> float:
        """Of the pads, the one that leans the farthest."""
        stick, place = PAD_AXES[axis]
        leanings = [rounded(getattr(pad, stick)[place], 0.0, self.deadzone)[0] for pad in pads]
        return max(leanings, key=abs, default=0.0)


class Stick(Axis):
    """An action that is (x, y), y up, at most 1 long: ``fw.Stick("a d s w", "pad:leftstick",
    deadzone=0.2)``.

    Each string is four sources, left, right, down and up, or a stick: ``"pad:leftstick"``,
    ``"pad:rightstick"``, ``"pad:dpad"``. They add up. ``deadzone`` is that of the pads' sticks,
    which is round: within it they count as (0, 0), from there on they grow from nothing to a length
    of 1.
    """

    kind = "stick"
    sides = ("left", "right", "down", "up")

    def _value(self, hands: Hands) -> float | tuple[float, float]:
        """(x, y), at most 1 long."""
        x = y = 0.0
        for group in self.groups:
            if len(group) == 4:
                left, right, down, up = [self._side(hands, source) for source in group]
                x, y = x + right - left, y + up - down
            else:
                leaning = self._farthest(pads_in_use(hands.player), str(group[0])[4:])
                x, y = x + leaning[0], y + leaning[1]
        x, y = max(-1.0, min(1.0, x)), max(-1.0, min(1.0, y))
        return rounded(x, y, 0.0) if x * x + y * y > 1 else (x, y)

    def _farthest(self, pads: Iterable[Pad], stick: str) -> tuple[float, float]:
        found = (0.0, 0.0)
        for pad in pads:
            leaning: tuple[float, float] = getattr(pad, stick)
            x, y = rounded(*leaning, self.deadzone)
            if x * x + y * y > found[0] * found[0] + found[1] * found[1]:
                found = x, y
        return found


_WHOLES = {
    "axis": tuple([f"pad:{axis}" for axis in PAD_AXES] + [f"mouse:{wheel}" for wheel in WHEELS]),
    "stick": tuple([f"pad:{stick}" for stick in PAD_STICKS]),
}
_EXAMPLES = {"axis": 'Axis("q e", "mouse:wheel")', "stick": 'Stick("a d s w", "pad:leftstick")'}
_KINDS: dict[str, type[Axis]] = {"axis": Axis, "stick": Stick}


def binding_of(name: str, given: object) -> Binding:
    """A binding as a game writes it, or as plain data. Raises `TypeError` or `ValueError` for what
    is none.
    """
    if isinstance(given, Binding):
        return _few(name, given)
    if isinstance(given, Mapping):
        kind = next((kind for kind in _KINDS if kind in given), "")
        if set(given) <= {kind, "deadzone"} and isinstance(given.get(kind), list | tuple):
            with_deadzone = {"deadzone": given["deadzone"]} if "deadzone" in given else {}
            return _few(name, _KINDS[kind](*given[kind], **with_deadzone))
        raise wrong_value(name, 'a dict such as {"stick": ["a d s w"], "deadzone": 0.2}', given)
    if not isinstance(given, list | tuple | str | int) or isinstance(given, bool):
        raise wrong_type(name, 'sources, as in ["space", "pad:a"], a Stick or an Axis', given)
    given = given if isinstance(given, list | tuple) else [given]
    if len(given) > MOST_SOURCES:
        raise wrong_value(name, f"at most {MOST_SOURCES} sources", given)
    return _few(name, Binding([(source_of(one, name),) for one in given]))


def each_once(name: str, binding: Binding) -> Binding:
    """What a game writes has each source once. While keys change places, by `Actions.rebind`, two
    sides may share.
    """
    seen: set[Source] = set()
    for _, source in sources_of(binding):
        if source in seen:
            raise ValueError(f"{name}: {str(source)!r} is bound twice")
        seen.add(source)
    return binding


def _few(name: str, binding: Binding) -> Binding:
    """What is bound twice to the same is a mistake."""
    seen: set[object] = set()
    for group in binding.groups:
        if len(binding.groups) > MOST_SOURCES or group in seen:
            raise ValueError(
                f"{name}: {shown(' '.join(map(str, group)))} is bound twice, or too much is bound"
            )
        seen.add(group)
    return binding


def input_of(player: Player, device: str | None = None) -> str | None:
    """The first source that went down since the last tick, of one kind of device if told; None for
    none.
    """
    found: list[Source | None] = []
    if device in (None, "key"):
        found += [key_source(symbol) for symbol in new_presses(player.keys)]
    if device in (None, "mouse"):
        came = new_presses(player.mouse)
        found += [
            Source("mouse", name, symbol)
            for symbol in came
            for name in _called(MOUSE_BUTTONS, symbol)
        ]
    if device in (None, "pad"):
        came = tuple([symbol for pad in player.pads for symbol in new_presses(pad)])
        found += [
            Source("pad", name, symbol) for symbol in came for name in _called(CONTROLS, symbol)
        ]
    return next((str(source) for source in found if source is not None), None)


def _called(names: Mapping[str, int], symbol: int) -> list[str]:
    return [name for name, known in names.items() if known == symbol]
