"""Compute the value of an input action from its keys, buttons and sticks.

A *source* is a key ("space"), a mouse button ("mouse:left"), a gamepad control ("pad:a") or a
combination ("ctrl+s", "hold:e"). An `Axis` string contains two sources, such as "q e": the first
source decreases the value, and the second increases it. A `Stick` string contains four sources in
the order left, right, down, up, such as "a d s w".
"""

from __future__ import annotations

__all__ = ["Axis", "Stick"]

import functools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, NoReturn, Protocol

from ..checks import nearest, number, shown, wrong_type, wrong_value
from ..other_engines.input_names import OTHER_KEYS
from .buttons import Buttons, new_presses, pending_presses
from .combos import GESTURES, MAX_PARTS, MODIFIERS, Combination, combination_of
from .gamepad_layout import CONTROLS, STICKS
from .key import key_names
from .mouse import MOUSE_BUTTONS
from .pads import Gamepad, depth, with_deadzone
from .players import Player, pads_in_use

MAX_SOURCES = 32
"""The maximum number of sources of one action. A settings file with more sources is invalid."""

WHEELS = {"wheel": "scroll_y", "wheelx": "scroll_x"}
PAD_AXES = {
    "leftx": ("leftstick", 0),
    "lefty": ("leftstick", 1),
    "rightx": ("rightstick", 0),
    "righty": ("rightstick", 1),
}
PAD_STICKS = (*STICKS, "dpad")


class ActionInput(NamedTuple):
    """A key, a mouse button, a gamepad control, or a combination such as "ctrl+s".

    ``control`` is the name without the device, such as "left". ``symbol`` is the number that
    `Buttons` uses for the key or button. If the source is a combination, ``control`` is the whole
    name, such as "hold:ctrl+s", and ``symbol`` is 0.
    """

    device: str
    """One of "key", "mouse", "pad" and "combination"."""
    control: str
    symbol: int

    def __str__(self) -> str:
        is_whole = self.device in ("key", "combination")
        return self.control if is_whole else f"{self.device}:{self.control}"

    @property
    def hand(self) -> str:
        """The kind of device: "pad" for a gamepad control, and "keyboard" for a key or a mouse
        button. In `Actions.rebind`, a new source replaces only sources with the same ``hand``.
        """
        if self.device == "combination":
            parts = [source for part in chord_of(self).parts for source in part]
            return "pad" if any(source.device == "pad" for source in parts) else "keyboard"
        return "pad" if self.device == "pad" else "keyboard"


class SourceValues(Protocol):
    """The interface of an object that returns the values of keys and buttons. Actions compute their
    own values from them.
    """

    @property
    def player(self) -> Player: ...
    @property
    def keyboard(self) -> Player: ...
    def value(self, source: ActionInput) -> float: ...


class Chord(NamedTuple):
    """The parts of a combination such as "ctrl+s". The player must hold all parts at the same time."""

    gesture: str
    """One of "hold", "double" and ""."""
    parts: tuple[tuple[ActionInput, ...], ...]
    """The sources that must be held. A modifier such as "ctrl" has two sources, the left key and
    the right key, and the player needs to hold only one of them.
    """
    main: tuple[tuple[ActionInput, ...], ...]
    """The parts that are not modifiers. For "ctrl+s", ``main`` contains only "s". If all parts are
    modifiers, ``main`` contains all of them. The chord counts as pressed when a part in ``main`` is
    pressed.
    """


@functools.cache
def chord_of(source: ActionInput) -> Chord:
    """Return the parts of the combination ``source``. For a single key or button, the result
    contains only that key or button.
    """
    combination = combination_of(source.control) if source.device == "combination" else None
    if combination is None:
        return Chord("", ((source,),), ((source,),))
    parts = tuple(_part_of(word) for word in combination.words)
    main = tuple(
        part for part, word in zip(parts, combination.words, strict=True) if word not in MODIFIERS
    )
    return Chord(combination.gesture, parts, main or parts)


def _part_of(word: str) -> tuple[ActionInput, ...]:
    return tuple(source_of(key) for key in MODIFIERS.get(word, (word,)))


class ActionDevices(NamedTuple):
    """The devices that an action reads: the gamepads of ``player``, and the keys and the mouse of
    ``keyboard``.
    """

    player: Player
    keyboard: Player

    def buttons(self, source: ActionInput) -> tuple[Buttons, ...]:
        """Return the devices that contain the key, button or control of ``source``. For a gamepad
        control, return all gamepads that the player uses.
        """
        if source.device == "pad":
            return pads_in_use(self.player)
        return (self.keyboard.keys,) if source.device == "key" else (self.keyboard.mouse,)

    def held(self, source: ActionInput) -> bool:
        """Return whether a source, such as a key or a button, is held down. If the player has
        pressed and released the source since the last tick, the result is also True.
        """
        if source.device == "combination":
            return all(any(map(self.held, part)) for part in chord_of(source).parts)
        return any(buttons.held(source.symbol) for buttons in self.buttons(source))

    def presses(self, source: ActionInput) -> int:
        """Return the number of times that a source was pressed since the last tick."""
        if source.device == "combination":
            main = chord_of(source).main
            return max(sum(map(self.presses, part)) for part in main) if self.held(source) else 0
        return sum([buttons.presses(source.symbol) for buttons in self.buttons(source)])

    def releases(self, source: ActionInput) -> int:
        """Return the number of times that a source was released since the last tick."""
        if source.device == "combination":
            parts = chord_of(source).parts
            return max(sum(map(self.releases, part)) for part in parts) if self.held(source) else 0
        return sum([buttons.releases(source.symbol) for buttons in self.buttons(source)])

    def pending_presses(self, source: ActionInput) -> int | None:
        """Return the number of times that a source was pressed after the start of this tick. The
        next tick will apply these presses.

        If the player is not holding the source and has not held it in this tick, return None.
        """
        if source.device == "combination":
            chord = chord_of(source)
            waiting = {part: self._pending_sum(part) for part in chord.parts}
            return (
                None if None in waiting.values() else max(waiting[part] or 0 for part in chord.main)
            )
        counts = [pending_presses(buttons, source.symbol) for buttons in self.buttons(source)]
        down_counts = [count for count in counts if count is not None]
        return sum(down_counts) if down_counts else None

    def _pending_sum(self, part: tuple[ActionInput, ...]) -> int | None:
        counts = [self.pending_presses(source) for source in part]
        down_counts = [count for count in counts if count is not None]
        return sum(down_counts) if down_counts else None

    def value(self, source: ActionInput) -> float:
        """Return the value of a source, from 0 (released) to 1 (fully pressed)."""
        if source.device == "combination":
            return min(max(map(self.value, part)) for part in chord_of(source).parts)
        if source.device == "pad":
            return max(
                [depth(pad, source.control) for pad in pads_in_use(self.player)], default=0.0
            )
        return float(self.held(source))


@functools.cache
def _named() -> Mapping[int, str]:
    """Return a dict that maps the numbers (symbols) of all keys to their names. If a key has
    several names, the first name is used.
    """
    return {symbol: name.lower() for name, symbol in reversed([*key_names().items()])}


def key_source(symbol: int) -> ActionInput | None:
    """Return the source for the number (symbol) of a key. If the key has no name, return None."""
    name = _named().get(symbol)
    return None if name is None else ActionInput("key", name, symbol)


def source_of(value: object, name: str = "source", more_names: Iterable[str] = ()) -> ActionInput:
    """Return the source for a name such as "mouse:left", or for the number (symbol) of a key.

    Raises `ValueError` if the name is unknown. The error message suggests similar names of keys,
    buttons and controls, and similar names in ``more_names``.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        key = key_source(value)
        if key is None:
            raise wrong_value(name, "a key's symbol", value)
        return key
    if not isinstance(value, str):
        raise wrong_type(
            name, 'the name of a source, such as "space", "mouse:left" or "pad:a"', value
        )
    word = value.strip().lower()
    combination = combination_of(word)
    if combination is not None:
        return _combined(name, value, combination)
    device, colon, control = word.rpartition(":")
    names = _names_of(device)
    if names is None or control not in names:
        _raise_unknown(name, value, more_names)
    if not colon:
        symbol = names[control]
        return ActionInput("key", _named()[symbol], symbol)
    return ActionInput(device, control, names[control])


def _combined(name: str, value: str, combination: Combination) -> ActionInput:
    """Return the source for a combination such as "ctrl+s". Raise `ValueError` if a part of the
    combination is not a source, such as "foo" in "ctrl+foo".
    """
    if len(combination.words) > MAX_PARTS:
        raise wrong_value(name, f"a chord of at most {MAX_PARTS} sources", value)
    words = [
        word if word in MODIFIERS else str(_single(name, value, word)) for word in combination.words
    ]
    if len(set(words)) < len(words):
        raise wrong_value(name, "a chord of different sources", value)
    gesture = f"{combination.gesture}:" if combination.gesture else ""
    return ActionInput("combination", gesture + "+".join(words), 0)


def _single(name: str, value: str, word: str) -> ActionInput:
    if not word or word.startswith(tuple(f"{gesture}:" for gesture in GESTURES)):
        raise wrong_value(name, 'a combination such as "ctrl+s" or "hold:pad:a"', value)
    return source_of(word, name, MODIFIERS)


def _names_of(device: str) -> Mapping[str, int] | None:
    return {"": _keys(), "mouse": MOUSE_BUTTONS, "pad": CONTROLS}.get(device)


@functools.cache
def _keys() -> Mapping[str, int]:
    return {name.lower(): symbol for name, symbol in key_names().items()}


def _raise_unknown(name: str, value: str, more_names: Iterable[str]) -> NoReturn:
    names = [
        *_keys(),
        *(f"mouse:{button}" for button in MOUSE_BUTTONS),
        *(f"pad:{control}" for control in CONTROLS),
        *more_names,
    ]
    problem = "is not a key, mouse button or gamepad control"
    meant = OTHER_KEYS.get(value.strip().lower())
    hint = f"did you mean {meant}?" if meant else f"the nearest are {nearest(value, names)}"
    raise ValueError(f"{name}: {shown(value)} {problem}; {hint}")


# -- what an action is -----------------------------------------------------------------------------


class Binding:
    """The keys, buttons and sticks of one action.

    ``groups`` contains one tuple of sources for each string of the action. For the string "a d s
    w", the tuple contains four keys.
    """

    kind = "buttons"
    sides: tuple[str, ...] = ()
    """The names of the sides, such as "left". A string of sources lists one source for each side,
    in the order of these names.
    """

    def __init__(self, groups: Iterable[tuple[ActionInput | str, ...]]) -> None:
        self.groups = tuple(groups)

    def _sources(self) -> Iterator[tuple[str, ActionInput]]:
        for group in self.groups:
            for side, source in zip(self.sides if len(group) > 1 else ("",), group, strict=True):
                if isinstance(source, ActionInput):
                    yield side, source

    def _words(self) -> list[str]:
        return [" ".join(map(str, group)) for group in self.groups]

    def _data(self) -> list[str] | dict[str, object]:
        return self._words()

    def _bound_to(self, groups: Iterable[tuple[ActionInput | str, ...]]) -> Binding:
        return Binding(groups)

    def _value(self, hands: SourceValues) -> float | tuple[float, float]:
        """Return the largest of the values of all keys and buttons, from 0 (released) to 1
        (pressed).
        """
        return max((hands.value(source) for _, source in self._sources()), default=0.0)


def sources_of(binding: Binding) -> Iterator[tuple[str, ActionInput]]:
    """For each source of a binding, yield the side and the source. The side is, for example, "left"
    or "right", or "" if the binding has no sides.
    """
    return binding._sources()


def data_of(binding: Binding) -> list[str] | dict[str, object]:
    """Return a binding as lists, dicts, strings and numbers, for a settings file."""
    return binding._data()


def bound_to(binding: Binding, groups: Iterable[tuple[ActionInput | str, ...]]) -> Binding:
    """Return a copy of ``binding`` in which ``groups`` replaces all sources."""
    return binding._bound_to(groups)


def value_of(binding: Binding, hands: SourceValues) -> float | tuple[float, float]:
    """Return the value of an action: (x, y) for a `Stick`, otherwise a number."""
    return binding._value(hands)


class Axis(Binding):
    """An action whose value is a number, usually from -1 to 1.

        fw.Axis("q e", "pad:leftx", "mouse:wheel")

    A string can consist of two sources, such as ``"q e"`` or ``"pad:lefttrigger
    pad:righttrigger"``. The first source decreases the value, and the second source increases it. A
    string can also consist of one source. The values of ``"pad:leftx"``, ``"pad:lefty"``,
    ``"pad:rightx"`` and ``"pad:righty"`` are from -1 to 1. The y axis points up. The values of
    triggers and buttons are from 0 to 1. The values of ``"mouse:wheel"`` and ``"mouse:wheelx"`` are
    the steps of the mouse wheel since the last tick, so this value can be larger than 1. The value
    of the action is the sum of the values of all strings.

    Parameters
    ----------
    sources
        One or more strings.
    deadzone
        If the stick is closer to its center than ``deadzone``, the value is 0. ``deadzone`` is at
        least 0 and less than 1. Thanks to this dead zone, small movements of a stick near its
        center have no effect. By default, ``deadzone`` is 0.2.
    """

    kind = "axis"
    sides: tuple[str, ...] = ("less", "more")

    def __init__(self, *sources: str, deadzone: float = 0.2) -> None:
        self.deadzone = number("deadzone", deadzone, least=0, below=1)
        super().__init__([self._group(source) for source in sources])

    def _group(self, source: str) -> tuple[ActionInput | str, ...]:
        if not isinstance(source, str):
            raise wrong_type("sources", f"strings, as in {_EXAMPLES[self.kind]}", source)
        words = source.lower().split()
        if len(words) == 1 and words[0] in _WHOLES[self.kind]:
            return (words[0],)
        if len(words) == len(self.sides) or (len(words) == 1 and self.kind == "axis"):
            return tuple([source_of(word, more_names=_WHOLES[self.kind]) for word in words])
        if len(words) == 1:
            _raise_unknown("source", source, _WHOLES[self.kind])
        expected = (
            f"{len(self.sides)} sources ({', '.join(self.sides)}) or one of "
            f"{', '.join(_WHOLES[self.kind])}"
        )
        raise wrong_value("sources", expected, source)

    def _data(self) -> list[str] | dict[str, object]:
        return {self.kind: self._words(), "deadzone": self.deadzone}

    def _bound_to(self, groups: Iterable[tuple[ActionInput | str, ...]]) -> Binding:
        return type(self)(*[" ".join(map(str, group)) for group in groups], deadzone=self.deadzone)

    def _value(self, hands: SourceValues) -> float | tuple[float, float]:
        """Return the sum of the values of all strings, limited to the range from -1 to 1. The steps
        of the mouse wheel are added afterwards, so they are not limited.
        """
        total = steps = 0.0
        for group in self.groups:
            if len(group) == 2:
                total += self._side(hands, group[1]) - self._side(hands, group[0])
            elif isinstance(group[0], ActionInput):
                total += hands.value(group[0])
            elif group[0].startswith("mouse:"):
                turned: float = getattr(hands.keyboard.mouse, WHEELS[group[0][6:]])
                steps += turned
            else:
                total += self._axis_value(pads_in_use(hands.player), group[0][4:])
        return max(-1.0, min(1.0, total)) + steps

    def _side(self, hands: SourceValues, source: ActionInput | str) -> float:
        return hands.value(source) if isinstance(source, ActionInput) else 0.0

    def _axis_value(self, pads: Iterable[Gamepad], axis: str) -> float:
        """Return the position of a stick along one axis, from -1 to 1. If several gamepads are in
        use, return the position farthest from the center.
        """
        stick, index = PAD_AXES[axis]
        leanings = [
            with_deadzone(getattr(pad, stick)[index], 0.0, self.deadzone)[0] for pad in pads
        ]
        return max(leanings, key=abs, default=0.0)


class Stick(Axis):
    """An action whose value is a direction (x, y). The y axis points up. The length of the
    direction is at most 1.

        fw.Stick("a d s w", "pad:leftstick", deadzone=0.2)

    A string can consist of four sources in the order left, right, down, up. A string can also be
    the name of a whole stick: ``"pad:leftstick"``, ``"pad:rightstick"`` or ``"pad:dpad"``. The
    value of the action is the sum of the directions of all strings.

    Parameters
    ----------
    sources
        One or more strings.
    deadzone
        If the stick is closer to its center than ``deadzone``, the value is (0, 0). ``deadzone`` is
        at least 0 and less than 1. Thanks to this dead zone, small movements of a stick near its
        center have no effect. The length of the value rises from 0 at the edge of the dead zone to
        1 at the end of the stick's range. By default, ``deadzone`` is 0.2.
    """

    kind = "stick"
    sides = ("left", "right", "down", "up")

    def _value(self, hands: SourceValues) -> float | tuple[float, float]:
        """Return the sum (x, y) of the directions of all strings. If it is longer than 1, its
        length is reduced to 1.
        """
        x = y = 0.0
        for group in self.groups:
            if len(group) == 4:
                left, right, down, up = [self._side(hands, source) for source in group]
                x = x + right - left
                y = y + up - down
            else:
                leaning = self._stick_value(pads_in_use(hands.player), str(group[0])[4:])
                x = x + leaning[0]
                y = y + leaning[1]
        x = max(-1.0, min(1.0, x))
        y = max(-1.0, min(1.0, y))
        return with_deadzone(x, y, 0.0) if x * x + y * y > 1 else (x, y)

    def _stick_value(self, pads: Iterable[Gamepad], stick: str) -> tuple[float, float]:
        farthest = (0.0, 0.0)
        for pad in pads:
            leaning: tuple[float, float] = getattr(pad, stick)
            x, y = with_deadzone(*leaning, self.deadzone)
            if x * x + y * y > farthest[0] * farthest[0] + farthest[1] * farthest[1]:
                farthest = x, y
        return farthest


_WHOLES = {
    "axis": tuple([f"pad:{axis}" for axis in PAD_AXES] + [f"mouse:{wheel}" for wheel in WHEELS]),
    "stick": tuple([f"pad:{stick}" for stick in PAD_STICKS]),
}
_EXAMPLES = {"axis": 'Axis("q e", "mouse:wheel")', "stick": 'Stick("a d s w", "pad:leftstick")'}
_KINDS: dict[str, type[Axis]] = {"axis": Axis, "stick": Stick}


def binding_of(name: str, value: object) -> Binding:
    """Return the binding for an argument of `Actions`, or for data from a settings file.

    Raises `TypeError` or `ValueError` if the value is invalid.
    """
    if isinstance(value, Binding):
        return _without_repeats(name, value)
    if isinstance(value, Mapping):
        return _without_repeats(name, _axis_of(name, value))
    if not isinstance(value, list | tuple | str | int) or isinstance(value, bool):
        raise wrong_type(name, 'sources, as in ["space", "pad:a"], a Stick or an Axis', value)
    value = value if isinstance(value, list | tuple) else [value]
    if len(value) > MAX_SOURCES:
        raise wrong_value(name, f"at most {MAX_SOURCES} sources", value)
    return _without_repeats(name, Binding([(source_of(source, name),) for source in value]))


def each_once(name: str, binding: Binding) -> Binding:
    """Return ``binding``. Raise `ValueError` if ``binding`` contains the same source twice.

    `Actions` calls `each_once` only for the bindings that the game passes. After `Actions.rebind`,
    two sides may have the same source.
    """
    bound: set[ActionInput] = set()
    for _, source in sources_of(binding):
        if source in bound:
            raise ValueError(f"{name}: {str(source)!r} is bound twice")
        bound.add(source)
    return binding


def _without_repeats(name: str, binding: Binding) -> Binding:
    """Return ``binding``. Raise `ValueError` if ``binding`` contains the same string twice or too
    many strings.
    """
    count = len(binding.groups)
    if count > MAX_SOURCES:
        raise ValueError(f"{name}: expected at most {MAX_SOURCES} sources, got {count}")
    bound: set[object] = set()
    for group in binding.groups:
        if group in bound:
            raise ValueError(f"{name}: {shown(' '.join(map(str, group)))} is bound twice")
        bound.add(group)
    return binding


def _axis_of(name: str, value: Mapping[Any, Any]) -> Axis:
    """Return the `Axis` or `Stick` for a dict from a settings file."""
    kind = next((kind for kind in _KINDS if kind in value), "")
    if set(value) <= {kind, "deadzone"} and isinstance(value.get(kind), list | tuple):
        with_deadzone = {"deadzone": value["deadzone"]} if "deadzone" in value else {}
        return _KINDS[kind](*value[kind], **with_deadzone)
    raise wrong_value(name, 'a dict such as {"stick": ["a d s w"], "deadzone": 0.2}', value)


def input_of(player: Player, device: str | None = None) -> str | None:
    """Return the name of a key or button that the player has pressed since the last tick, or None.
    If the player has pressed several, a key is preferred to a mouse button, and a mouse button to a
    gamepad control.

    If ``device`` is "key", "mouse" or "pad", only devices of this kind are checked.
    """
    sources: list[ActionInput | None] = []
    if device in (None, "key"):
        sources += [key_source(symbol) for symbol in new_presses(player.keys)]
    if device in (None, "mouse"):
        sources += _inputs_of("mouse", MOUSE_BUTTONS, new_presses(player.mouse))
    if device in (None, "pad"):
        for pad in player.pads:
            sources += _inputs_of("pad", CONTROLS, new_presses(pad))
    return next((str(source) for source in sources if source is not None), None)


def _inputs_of(device: str, names: Mapping[str, int], symbols: Iterable[int]) -> list[ActionInput]:
    """Return the inputs with these symbols. ``names`` contains the symbol of each name."""
    return [
        ActionInput(device, name, symbol)
        for symbol in symbols
        for name, own_symbol in names.items()
        if own_symbol == symbol
    ]
