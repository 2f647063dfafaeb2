"""Bind names such as "jump" to keys and buttons, which the player can change."""

from __future__ import annotations

__all__ = ["Actions"]

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from ..checks import Setting, flag, named, nearest, number, shown, text, whole
from ..current_game import current_game
from ..errors import FrameworkError
from ..moved_names import HasMoved, moved, renamed_options
from ..other_engines.input_names import actions_names
from .bindings import (
    ActionDevices,
    ActionInput,
    Axis,
    Binding,
    SourceValues,
    Stick,
    binding_of,
    bound_to,
    chord_of,
    data_of,
    each_once,
    source_of,
    sources_of,
    value_of,
)
from .combos import MODIFIERS, GestureState, combination_of, next_double, next_hold
from .gamepad_layout import glyph
from .players import InputDevices, Player

_MAX_ACTIONS = 1000


def _at_least_0(name: str, value: object) -> float:
    return number(name, value, least=0, most=60)


def _current_devices() -> InputDevices | None:
    game = current_game()
    devices: InputDevices | None = None if game is None else game.input_devices
    return devices


@moved(
    "actions",
    {"pressed": "presses", "released": "releases"}
    | {"turn_on": "enable", "turn_off": "disable", "is_on": "is_enabled"},
)
@actions_names
class Actions(HasMoved):
    """Actions such as "jump", and the keys, buttons and sticks that trigger each action.

        self.actions = fw.Actions(
            jump=["space", "pad:a"],
            move=fw.Stick("a d s w", "pad:leftstick"),
            zoom=fw.Axis("q e", "mouse:wheel"),
        )

    A *source* is a key, a button or another control that triggers an action, such as "space",
    ``"mouse:left"`` or ``"pad:a"``. "ctrl+s" and ``"pad:a+pad:b"`` are chords. The player must hold
    all keys or buttons of a chord at the same time. "hold:e" is triggered once the player has held
    the key for `hold_seconds` seconds. "double:e" is triggered when the player presses the key
    twice within a short time. An action with a list of sources works like a button: read it with
    `just_pressed` or `held`. A `Stick` or an `Axis` has a value: ``actions["move"]`` is (x, y) for
    a `Stick`, and a number for an `Axis`. The values of all actions stay the same during a tick.

    Create the actions in ``setup``. The actions belong to the current game, and use the devices of
    the first player. To create actions for another player, call `player`.
    """

    _not_hashed = ("_devices",)

    # These are class attributes, so that actions without combinations have a smaller state.
    _gestures: Mapping[str, GestureState] = MappingProxyType({})  # by the name of a source
    _chords: tuple[tuple[str, ActionInput], ...] = ()  # pairs: the name of an action, and a chord
    _hold_seconds = 0.5
    _double_tap_seconds = 0.3

    hold_seconds = Setting(
        _at_least_0,
        'The time in seconds for which a source such as "hold:e" must be held. Default: 0.5.',
    )
    double_tap_seconds = Setting(
        _at_least_0,
        'The maximum time in seconds between the two presses of a source such as "double:e". '
        "Default: 0.3.",
    )

    def __init__(
        self, /, **actions: Sequence[str] | str | int | Binding | Mapping[str, Any]
    ) -> None:
        if len(actions) > _MAX_ACTIONS:
            raise ValueError(
                f"actions: expected at most {_MAX_ACTIONS} actions, got {len(actions)}"
            )
        self._bindings = {
            name: each_once(name, binding_of(name, value)) for name, value in actions.items()
        }
        self._first = dict(self._bindings)
        self._note_combinations()
        self._contexts: dict[str, tuple[str, ...]] = {}
        self._on: set[str] = set()
        # Buttons that were held down when a context was enabled are ignored until they are
        # released.
        self._ignored: dict[tuple[str, ActionInput], int] = {}
        self._number = self._keyboard = 0
        self._hands: ActionDevices | None = None
        self._devices: InputDevices | None = None
        # True if the actions were created outside a game; they then use the current game.
        self._loose = current_game() is None
        if not self._loose:
            self._get_devices()

    # `other_names.explain` adds this advice to an error. A __getattr__ would make every read
    # slower.
    def _advice_on(self, name: str) -> str | None:
        binding = vars(self).get("_bindings", {}).get(name)
        if binding is None:
            return None
        if isinstance(binding, Axis | Stick):
            return f"write actions[{name!r}]"
        return f"write actions.just_pressed({name!r}) or actions.held({name!r})"

    # -- state -------------------------------------------------------------------------------------

    def just_pressed(self, name: str) -> bool:
        """Return whether the player has pressed a key or button of this action since the last tick.

        Raises `ValueError` for a `Stick` or an `Axis`, which has only a value and cannot be
        pressed.
        """
        return self.presses(name) > 0

    def just_released(self, name: str) -> bool:
        """Return whether the player has released a key or button of this action since the last
        tick.
        """
        return self.releases(name) > 0

    def presses(self, name: str) -> int:
        """Return the number of times that this action was pressed since the last tick. The presses
        of all its keys and buttons are counted.
        """
        if not self._is_enabled(name, buttons=True):
            return 0
        sources = self._active_sources(name)
        if self._gestures:
            return sum([self._state_of(source).presses for source in sources])
        devices_used = self._get_devices()
        return sum([devices_used.presses(source) for source in sources])

    def releases(self, name: str) -> int:
        """Return the number of times that this action was released since the last tick. The
        releases of all its keys and buttons are counted.
        """
        if not self._is_enabled(name, buttons=True):
            return 0
        sources = self._active_sources(name)
        if self._gestures:
            return sum([self._state_of(source).releases for source in sources])
        devices_used = self._get_devices()
        return sum([devices_used.releases(source) for source in sources])

    def held(self, name: str) -> bool:
        """Return whether the player is holding a key or button of this action. If the player has
        pressed and released the key or button since the last tick, the result is also True.
        """
        if not self._is_enabled(name, buttons=True):
            return False
        sources = self._active_sources(name)
        if self._gestures:
            return any(self._state_of(source).held for source in sources)
        devices_used = self._get_devices()
        return any(devices_used.held(source) for source in sources)

    def __getitem__(self, name: str) -> Any:
        """Return the value of an action in this tick.

        The value of a `Stick` is a tuple (x, y). The y axis points up. The value of an `Axis` is a
        number. The value of an action with a list of keys and buttons is a number from 0 to 1.
        While the player is holding a key or button of the action, the number is 1. For a trigger,
        the number says how far it is pulled: 0.5 is halfway. If the action is disabled, the value
        is 0, or (0, 0) for a `Stick`.
        """
        binding = self._binding(name)
        if not self._is_enabled(name):
            return (0.0, 0.0) if binding.kind == "stick" else 0.0
        devices_used: SourceValues = self._get_devices()
        if self._chords or self._gestures:
            devices_used = _Values(self)
        if binding.kind == "buttons" and self._ignored:
            return max(
                (devices_used.value(source) for source in self._active_sources(name)), default=0.0
            )
        return value_of(binding, devices_used)

    def __iter__(self) -> Iterator[str]:
        return iter(self._bindings)

    def __contains__(self, name: object) -> bool:
        return name in self._bindings

    def __len__(self) -> int:
        return len(self._bindings)

    def _active_sources(self, name: str) -> list[ActionInput]:
        """Return the keys and buttons that can trigger an action in this tick. The result does not
        contain a button that the player was already holding when the game called `enable`, until
        the player releases it.
        """
        return [
            source
            for _, source in sources_of(self._bindings[name])
            if (name, source) not in self._ignored
            and not (self._chords and self._is_masked(source))
        ]

    # -- combinations ------------------------------------------------------------------------------

    def _note_combinations(self) -> None:
        """Update the list of all chords, holds and double taps that the actions use. Called after
        the game has changed the keys or buttons of an action.
        """
        used = [
            (name, source)
            for name, binding in self._bindings.items()
            for _, source in sources_of(binding)
            if source.device == "combination"
        ]
        states = {
            source.control: self._gestures.get(source.control, GestureState())
            for _, source in used
            if chord_of(source).gesture
        }
        chords = tuple(pair for pair in used if len(chord_of(pair[1]).parts) > 1)
        for slot, value in (("_gestures", states), ("_chords", chords)):
            if value:
                setattr(self, slot, value)
            else:
                vars(self).pop(slot, None)

    def _is_masked(self, source: ActionInput) -> bool:
        """Return whether the player is holding a chord that contains this source and other sources.
        For example, the chord "ctrl+s" contains "s". Chords of disabled actions are ignored.

        While the player is holding "ctrl+s", an action with the key "s" alone is not triggered.
        """
        own = chord_of(source)
        for name, chord_source in self._chords:
            chord = chord_of(chord_source)
            if (
                set(own.parts) < set(chord.parts)
                and not set(own.main).isdisjoint(chord.main)
                and self._is_enabled(name)
                and self._get_devices().held(chord_source)
            ):
                return True
        return False

    def _state_of(self, source: ActionInput) -> GestureState:
        """Return whether a source is down in this tick, and how many times it was pressed and
        released. For "hold:e" or "double:e", return the state of the whole gesture. For all other
        sources, return the state of the key, button or control.
        """
        state = self._gestures.get(source.control) if source.device == "combination" else None
        if state is not None:
            return state
        devices_used = self._get_devices()
        presses = devices_used.presses(source)
        releases = devices_used.releases(source)
        return GestureState(-1.0, devices_used.held(source), presses, releases)

    def _advance_gestures(self, devices_used: ActionDevices) -> None:
        dt = 0.0 if self._devices is None else self._devices.dt
        sources = {str(source): source for source in self._all_sources()}
        for control, state in self._gestures.items():
            source = sources[control]
            is_hold = chord_of(source).gesture == "hold"
            advance = next_hold if is_hold else next_double
            seconds = self.hold_seconds if is_hold else self.double_tap_seconds
            presses = devices_used.presses(source)
            releases = devices_used.releases(source)
            is_held = devices_used.held(source)
            new = advance(state, dt, presses, is_held, releases, seconds)
            if new != state:
                self._gestures = {**self._gestures, control: new}

    def _binding(self, name: str) -> Binding:
        binding = self._bindings.get(text("name", name))
        if binding is None:
            nearest_names = nearest(name, self._bindings)
            raise ValueError(f"action: unknown name {shown(name)}; the nearest are {nearest_names}")
        return binding

    def _is_enabled(self, name: str, buttons: bool = False) -> bool:
        binding = self._binding(name)
        if buttons and binding.kind != "buttons":
            kind = "an Axis" if binding.kind == "axis" else f"a {type(binding).__name__}"
            raise ValueError(
                f"action: {name!r} is {kind}, which is not pressed; use actions[{name!r}]"
            )
        around = [context for context, names in self._contexts.items() if name in names]
        return not around or not self._on.isdisjoint(around)

    # -- players -----------------------------------------------------------------------------------

    def player(self, number: int, *, keyboard: int | None = None) -> Actions:
        """Return a copy of the actions for another player. The copy reads the devices of the player
        with the index ``number``. The copy has its own keys and buttons, which you can change
        without changing the original.

        The first player has the index 0. The keyboard of the computer belongs to player 0. Two
        players can share the keyboard of the computer if their actions use different keys. For the
        second player on the same keyboard, pass ``keyboard=0``:

            fw.Actions(move=fw.Stick("left right down up")).player(1, keyboard=0)
        """
        copy = Actions()
        copy._bindings = dict(self._bindings)
        copy._number = whole("number", number, 0)
        copy._keyboard = copy._number if keyboard is None else whole("keyboard", keyboard, 0)
        copy._contexts = dict(self._contexts)
        copy._on = set(self._on)
        copy._hands = None
        copy._first = dict(self._first)
        copy._loose = self._loose
        copy._devices = self._devices
        copy._note_combinations()
        for name in ("_hold_seconds", "_double_tap_seconds"):
            if name in vars(self):
                setattr(copy, name, getattr(self, name))
        if current_game() is not None:
            copy._get_devices()
        return copy

    def _get_devices(self) -> ActionDevices:
        devices_used = self._hands
        if devices_used is None or self._loose:
            devices = (
                self._devices
                if self._devices is not None and not self._loose
                else _current_devices()
            )
            if devices is None:
                raise FrameworkError(
                    "actions: no game is open; create them in setup(), and use them in update()"
                )
            if devices_used is None or devices_used.player not in devices.players:
                devices_used = self._hands = self._new_devices(devices)
        return devices_used

    def _new_devices(self, devices: InputDevices) -> ActionDevices:
        last = len(devices.players) - 1
        if max(self._number, self._keyboard) > last:
            name = "number" if self._number > last else "keyboard"
            raise ValueError(
                f"{name}: the game has {last + 1} players, with numbers from 0; see Game(players=…)"
            )
        self._devices = devices
        devices.call_each_tick(self._latch)
        if any(source.hand == "pad" for source in self._all_sources()) or self._uses_analog():
            # Search for gamepads now, not when a button is first pressed.
            _ = devices.pads.connected
        return ActionDevices(devices.players[self._number], devices.players[self._keyboard])

    def _all_sources(self) -> Iterator[ActionInput]:
        return (source for binding in self._bindings.values() for _, source in sources_of(binding))

    def _uses_analog(self) -> bool:
        groups = [group for binding in self._bindings.values() for group in binding.groups]
        return any(
            isinstance(word, str) and word.startswith("pad:") for group in groups for word in group
        )

    # -- contexts ----------------------------------------------------------------------------------

    @renamed_options("Actions.context", on="enabled")
    def context(self, name: str, *actions: str, enabled: bool = True) -> None:
        """Create a context: a group of actions that you enable and disable together.

            actions.context("menu", "accept", "back", enabled=False)

        An action that is in no context is always enabled. An action in several contexts is enabled
        while at least one of these contexts is enabled.
        """
        for action in actions:
            self._binding(action)
        self._contexts[text("name", name)] = tuple(dict.fromkeys(actions))
        (self._on.add if flag("enabled", enabled) else self._on.discard)(name)

    def is_enabled(self, name: str) -> bool:
        """Return whether a context is enabled."""
        return self._checked_context(name) in self._on

    def enable(self, *names: str) -> None:
        """Enable one or more contexts.

        If the player is already holding a button of an action that this call enables, the button
        does not trigger the action until the player has released it. So the press that opens a menu
        does not also choose an item in this menu.
        """
        enabled = {action for action in self._bindings if self._is_enabled(action)}
        self._on.update(map(self._checked_context, names))
        devices_used = self._get_devices()
        for action in self._bindings:
            if (
                action not in enabled
                and self._is_enabled(action)
                and self._bindings[action].kind == "buttons"
            ):
                for _, source in sources_of(self._bindings[action]):
                    pending = devices_used.pending_presses(source)
                    if pending is not None:
                        self._ignored[action, source] = pending

    def disable(self, *names: str) -> None:
        """Disable one or more contexts. An action is disabled when all its contexts are disabled. A
        disabled action is never pressed, and its value is 0.
        """
        self._on.difference_update(map(self._checked_context, names))

    def only(self, *names: str) -> None:
        """Enable the contexts ``names``, and disable all other contexts."""
        names = tuple(map(self._checked_context, names))
        self.disable(*[name for name in self._contexts if name not in names])
        self.enable(*[name for name in names if name not in self._on])

    def _checked_context(self, name: str) -> str:
        if text("name", name) not in self._contexts:
            contexts = (
                ", ".join(map(repr, self._contexts)) or "none; actions.context(name, …) adds one"
            )
            raise ValueError(f"context: unknown name {shown(name)}; the contexts are {contexts}")
        return name

    def _latch(self) -> None:
        """Called in each tick, after the input of the tick has arrived. Buttons that the player was
        holding when `enable` was called are ignored until the player has released them or pressed
        them again.
        """
        if self._hands is None:
            return
        devices_used = self._hands
        if self._gestures:
            self._advance_gestures(devices_used)
        if not self._ignored:
            return
        left = {}
        for (action, source), pending in self._ignored.items():
            if devices_used.held(source) and devices_used.presses(source) <= pending:
                left[action, source] = 0
        self._ignored = left

    # -- bindings ----------------------------------------------------------------------------------

    def bindings(self) -> dict[str, Any]:
        """Return the keys and buttons of all actions in a form that you can write to a settings
        file. The returned data contains only lists, dicts, strings and numbers.

        Save the data in your game's settings file. When the game is started again, load the file,
        and pass the data to `load`.
        """
        return {name: data_of(binding) for name, binding in self._bindings.items()}

    def load(self, bindings: Mapping[str, Any]) -> list[str]:
        """Set the keys and buttons of the actions from a settings file. ``bindings`` is data that
        the method `bindings` returned.

        An action that is not in ``bindings`` keeps its keys and buttons. Names in ``bindings`` that
        are not actions of the game are ignored, and `load` returns a list of them. If the data is
        invalid, `load` raises `TypeError` or `ValueError`, and changes no action.
        """
        new_bindings = named(
            "bindings", bindings, "bindings by the names of actions, as bindings() returns them"
        )
        accepted = {
            name: binding_of(name, value)
            for name, value in new_bindings.items()
            if name in self._bindings
        }
        for name, binding in accepted.items():
            if type(binding) is not type(self._bindings[name]):
                expected = type(self._bindings[name]).__name__
                got = type(binding).__name__
                raise ValueError(f"{name}: expected a binding of the kind {expected}, got {got}")
        self._bindings |= accepted
        self._note_combinations()
        return [shown(name) for name in new_bindings if name not in self._bindings]

    def reset(self) -> None:
        """Reset all actions to their original keys and buttons."""
        self._bindings = dict(self._first)
        self._note_combinations()

    def rebind(
        self, action: str, source: str | int, *, instead: str | int | None = None
    ) -> list[str]:
        """Replace a key or button of an action with another one. Use `rebind` in a settings menu.

        Return the names of the other actions that use the same key or button, such as "jump" or
        "move.left". The other actions keep it, because one key can trigger several actions. Actions
        that are never enabled at the same time as ``action`` are not returned.

        Parameters
        ----------
        action
            The name of the action. For a `Stick`, add the side: ``"move.left"``, ``"move.right"``,
            ``"move.down"`` or ``"move.up"``. For an `Axis`, add ``".less"`` or ``".more"``, such as
            ``"zoom.less"``. A `Stick` or an `Axis` can have several strings, for example one for
            the keyboard and one for the gamepad. `rebind` changes only the first string that has
            the same device as ``source``.
        source
            The name of the new key or button, such as "x" or a result of `Scene.next_input`. By
            default, the new source replaces all old keys and buttons of the same device. Here, the
            keyboard and the mouse count as one device, and the gamepad as another.
        instead
            The old key or button that ``source`` replaces, such as "space". Without ``instead``,
            all old keys and buttons of the device are replaced.

        Raises
        ------
        ValueError
            If the `Axis` or `Stick` has no string with one source for each direction on the same
            device. For example, a gamepad button cannot replace a source of
            ``Axis("left right")`` or ``Stick("pad:leftstick")``. The action then keeps its sources.
        """
        name, _, side = text("action", action).partition(".")
        binding = self._binding(name)
        new = source_of(source)
        _check_side(name, binding, side)
        old = None if instead is None else source_of(instead, "instead")
        groups = _side_rebound(binding, side, new, old) if side else _rebound(binding, new, old)
        self._bindings[name] = bound_to(binding, groups)
        self._note_combinations()
        return [
            candidate
            for candidate in self._sharing(new)
            if candidate != action and self._can_conflict(name, candidate.partition(".")[0])
        ]

    def _sharing(self, source: ActionInput) -> list[str]:
        return [
            f"{name}.{side}" if side else name
            for name, binding in self._bindings.items()
            for side, candidate in sources_of(binding)
            if candidate == source
        ]

    def _can_conflict(self, first: str, second: str) -> bool:
        """Return whether two actions can be enabled at the same time."""
        around = [
            {name for name, actions in self._contexts.items() if action in actions}
            for action in (first, second)
        ]
        return not all(around) or not around[0].isdisjoint(around[1])

    def conflicts(self) -> dict[str, list[str]]:
        """Return the keys and buttons that more than one action uses. The result is a dict that
        maps the name of each such key or button to a list of action names. A key is not in the
        result if its actions are never enabled at the same time.
        """
        conflicts: dict[str, list[str]] = {}
        for source in dict.fromkeys(self._all_sources()):
            having = self._sharing(source)
            plain = [name.partition(".")[0] for name in having]
            pairs = [
                (a, b)
                for a in range(len(having))
                for b in range(a)
                if self._can_conflict(plain[a], plain[b])
            ]
            if pairs:
                conflicts[str(source)] = [
                    having[index] for index in sorted({index for pair in pairs for index in pair})
                ]
        return conflicts

    def prompts(self, action: str) -> list[str]:
        """Return the names of an action's keys and buttons, as printed on the player's device. Use
        the names in texts such as "Press A".

        For a key, the result contains the name of the key, such as "Space". For a gamepad control,
        the result contains the label on the player's gamepad, such as "A" or "cross". If no gamepad
        is connected, the result contains no gamepad controls, unless the action has only gamepad
        controls.
        """
        name, _, side = text("action", action).partition(".")
        pad = self._get_devices().player.pad
        is_connected = pad is not None and pad.connected
        sources = [
            source
            for own_side, source in sources_of(self._binding(name))
            if not side or own_side == side
        ]
        visible = [source for source in sources if is_connected or source.hand != "pad"] or sources
        return [_prompt(source, pad.kind if pad is not None else "generic") for source in visible]


class _Values(NamedTuple):
    """The current values of keys and buttons, from which the values of actions are computed.
    `_Values` is used only if an action has a chord, a hold or a double tap.
    """

    actions: Actions

    @property
    def player(self) -> Player:
        return self.actions._get_devices().player

    @property
    def keyboard(self) -> Player:
        return self.actions._get_devices().keyboard

    def value(self, source: ActionInput) -> float:
        """Return the value of a source, from 0 (released) to 1 (fully pressed). If the source is
        part of a larger chord that the player is holding, return 0.
        """
        actions = self.actions
        if actions._is_masked(source):
            return 0.0
        state = actions._gestures.get(source.control)
        if state is not None and source.device == "combination":
            return float(state.held)
        return actions._get_devices().value(source)


_GESTURE_LABELS = {"hold": "hold {}", "double": "{} twice"}


def _prompt(source: ActionInput, kind: str) -> str:
    if source.device == "combination":
        combination = combination_of(source.control)
        assert combination is not None
        label = " + ".join(
            word.capitalize() if word in MODIFIERS else _prompt(source_of(word), kind)
            for word in combination.words
        )
        label = _GESTURE_LABELS.get(combination.gesture, "{}").format(label)
        return label[:1].upper() + label[1:]
    if source.device == "pad":
        return glyph(kind, source.control)
    label = source.control.replace("_", " ")
    return f"{label} mouse button" if source.device == "mouse" else label.capitalize()


def _check_side(name: str, binding: Binding, side: str) -> None:
    """Raise `ValueError` unless ``side`` is a side of an axis or stick, or "" for a button."""
    if not side and isinstance(binding, Axis):
        sides = ", ".join(f"{name}.{side_name}" for side_name in binding.sides)
        raise ValueError(f"action: expected a side of {name!r}: {sides}")
    if side and side not in binding.sides:
        sides = ", ".join(binding.sides) or "none"
        raise ValueError(f"action: {name!r} has no side {shown(side)}; its sides are {sides}")


def _rebound(
    binding: Binding, new: ActionInput, old: ActionInput | None
) -> list[tuple[ActionInput | str, ...]]:
    """Return the sources of an action after the source ``new`` has replaced the source ``old``. If
    ``old`` is None, ``new`` replaces all sources of the same device.
    """
    sources = [source for _, source in sources_of(binding)]
    if old is not None and old not in sources:
        raise ValueError(
            f"instead: expected a source of the action ({', '.join(map(str, sources))}), "
            f"got {str(old)!r}"
        )
    replaced = [
        source
        for source in sources
        if source == new or (source.hand == new.hand if old is None else source == old)
    ]
    index = sources.index(replaced[0]) if replaced else len(sources)
    remaining = [source for source in sources if source not in replaced]
    return [(source,) for source in (*remaining[:index], new, *remaining[index:])]


def _side_rebound(
    binding: Binding, side: str, new: ActionInput, old: ActionInput | None
) -> list[tuple[ActionInput | str, ...]]:
    """Return the strings of an axis or stick after the source ``new`` has replaced an old source.
    ``side`` is the side to which the old source belongs, such as "left".
    """
    groups = list(binding.groups)
    side_index = binding.sides.index(side)
    for index, group in enumerate(groups):
        current = group[side_index] if len(group) > 1 else None
        if isinstance(current, ActionInput) and (
            current.hand == new.hand if old is None else current == old
        ):
            groups[index] = (*group[:side_index], new, *group[side_index + 1 :])
            return groups
    target = f"{new.hand}" if old is None else str(old)
    raise ValueError(
        f"action: no string with {len(binding.sides)} sources has a side of {target!r}"
    )
