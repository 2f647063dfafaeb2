"""The buttons, sticks and triggers of gamepads during a tick.

The module does not read the real gamepads of the computer: the state of a gamepad comes from input
events. The values of sticks and triggers are rounded to multiples of 1/127 (see `gamepad_layout`).
"""

from __future__ import annotations

__all__ = ["Gamepad", "Gamepads"]

from collections.abc import Callable, Iterable, Iterator
from math import sqrt
from operator import attrgetter
from typing import Any

from ..checks import choice, number, text, whole
from ..moved_names import HasMoved, moved, renamed_options
from ..other_engines.input_names import gamepad_names, gamepads_names
from .buttons import Buttons, Saved
from .gamepad_layout import (
    BUTTONS,
    CONTROLS,
    KINDS,
    LEANINGS,
    MAX_PADS,
    PRESSED,
    RELEASED,
    STICKS,
    TRIGGERS,
    control_name,
    glyph,
    quantised,
    steps,
)
from .tick_input import Event, Incoming

_LATCHED = ("connected", "kind", "name", *STICKS, *TRIGGERS)
_NEXT = tuple(f"_next_{name}" for name in _LATCHED)
_state_of: Callable[[object], tuple[object, ...]] = attrgetter("_came", *_LATCHED, *_NEXT)


Rumble = Callable[[int, float, float, float], object]
"""A function ``rumble(index, strong, weak, seconds)`` that makes a gamepad vibrate. ``index`` is
the index of the gamepad. ``strong`` and ``weak`` are the power of the two motors, from 0 to 1.
"""


@moved(
    "pad",
    {"pressed": "presses", "released": "releases", "lean": "move_stick", "pull": "pull_trigger"},
)
@gamepad_names
class Gamepad(Buttons):
    """A gamepad: ``self.pads[0]["a"]``, ``self.pads[0].leftstick``.

    ``leftstick`` and ``rightstick`` are the positions (x, y) of the sticks. The y axis points up. x
    and y are multiples of 1/127 from -1 to 1. No dead zone is applied to these positions, so even a
    released stick may not be exactly at (0, 0). For a position with a dead zone, call `stick`.
    ``lefttrigger`` and ``righttrigger`` are numbers from 0 to 1. If the player pulls a trigger
    halfway, the trigger also counts as a pressed button. If the player pushes a stick halfway to
    one side, this side also counts as a pressed button: ``pad["leftstickup"]``.

    ``connected``, ``name`` and ``kind`` describe the real gamepad of the player. If no real gamepad
    is connected, no button is pressed and all values are 0.
    """

    __slots__ = ("_came", "_rumble", "number", *_LATCHED, *_NEXT)
    _not_hashed = ("_incoming", "_player", "_rumble", "_saved")
    _further = ("_came", *_LATCHED, *_NEXT)

    def __init__(self, index: int = 0, rumble: Rumble | None = None) -> None:
        super().__init__(CONTROLS)
        self.number = index
        """The index of this gamepad in `Game.pads`. The first gamepad has the index 0."""
        self._rumble = rumble
        self._came = False
        self.connected = self._next_connected = False
        self.kind = self._next_kind = "generic"
        self.name = self._next_name = ""
        self.leftstick = self.rightstick = self._next_leftstick = self._next_rightstick = (0.0, 0.0)
        self.lefttrigger = self.righttrigger = self._next_lefttrigger = self._next_righttrigger = (
            0.0
        )

    # -- state -------------------------------------------------------------------------------------

    @property
    def dpad(self) -> tuple[int, int]:
        """The direction (x, y) of the D-pad. The y axis points up. x and y are -1, 0 or 1."""
        return self.axis("dpleft", "dpright"), self.axis("dpdown", "dpup")

    def stick(self, name: str, deadzone: float = 0.2) -> tuple[float, float]:
        """Return the position (x, y) of a stick, with a round dead zone that hides small movements
        near the center. ``name`` is "leftstick", "rightstick" or "dpad".

        If the stick is closer to its center than ``deadzone``, the result is (0, 0). ``deadzone``
        is at least 0 and less than 1. By default, ``deadzone`` is 0.2. The length of the result
        rises from 0 at the edge of the dead zone to 1 at the end of the stick's range.
        """
        leaning: tuple[float, float] = getattr(self, choice("name", name, (*STICKS, "dpad")))
        x, y = leaning
        return with_deadzone(x, y, number("deadzone", deadzone, least=0, below=1))

    def value(self, control: str) -> float:
        """Return the value of a button, a trigger or a side of a stick, from 0 (released) to 1
        (fully pressed).

        For triggers and sides of sticks, the value is any number from 0 to 1. For buttons, the
        value is 0 or 1.
        """
        return self._depth(control_name(control))

    def _depth(self, name: str) -> float:
        if name in TRIGGERS:
            depth: float = getattr(self, name)
            return depth
        if name in _SIDES:
            stick, (negative, positive), axis = _SIDES[name]
            leaning: tuple[float, float] = getattr(self, stick)
            return max(0.0, leaning[axis] * (positive - negative))
        return float(self.held(name))

    def glyph(self, control: str) -> str:
        """Return the label that is printed on a gamepad control. Use it in texts such as "Press A".

        For example, the label of "a" is "A", "cross" or "B", depending on the kind of gamepad.
        """
        return glyph(self.kind, control)

    @renamed_options("Gamepad.rumble", seconds="duration")
    def rumble(
        self, strength: float = 1.0, duration: float = 0.5, *, weak: float | None = None
    ) -> None:
        """Make the gamepad vibrate for ``duration`` seconds of real time. ``duration`` is a number
        from 0 to 60. By default, ``duration`` is 0.5.

        ``strength`` is the power of the strong motor, from 0 to 1. ``weak`` is the power of the
        weak motor, from 0 to 1. By default, the weak motor has the same power as the strong motor.
        A motor with the power 0 stops. If no real gamepad is connected, do nothing. On macOS,
        gamepads cannot vibrate.
        """
        strong = number("strength", strength, least=0, most=1)
        faint = strong if weak is None else number("weak", weak, least=0, most=1)
        duration = number("duration", duration, least=0, most=60)
        if self._rumble is not None and self.connected:
            self._rumble(self.number, strong, faint, duration)

    # -- events ------------------------------------------------------------------------------------

    def connect(self, name: str, kind: str) -> None:
        """Connect a simulated gamepad, for example in a test. In tests, prefer
        `Game.testing.connect`, which can also choose a free index.
        """
        if self._incoming is None:
            self._connect(name, kind)
        else:
            self._put(
                ("on_pad_connect", self.number, text("name", name), choice("kind", kind, KINDS))
            )

    def disconnect(self) -> None:
        """Disconnect the gamepad. Its buttons, triggers and sticks are released. ``name`` and
        ``kind`` keep their values.
        """
        if self._incoming is None:
            self._disconnect()
        else:
            self._put(("on_pad_disconnect", self.number))

    def move_stick(self, stick: str, x: float, y: float) -> None:
        """Move a stick, for example in a test. ``stick`` is "leftstick" or "rightstick". ``x`` and
        ``y`` are numbers from -1 to 1. A positive ``x`` moves the stick to the right, and a
        positive ``y`` moves the stick up.
        """
        if self._incoming is None:
            self._lean(stick, x, y)
        else:
            self._put(
                (
                    "on_pad_stick",
                    self.number,
                    choice("stick", stick, STICKS),
                    quantised(x),
                    quantised(y),
                )
            )

    def pull_trigger(self, trigger: str, value: float) -> None:
        """Pull a trigger, for example in a test. ``trigger`` is "lefttrigger" or "righttrigger".
        ``value`` is a number from 0 (released) to 1 (fully pulled).
        """
        if self._incoming is None:
            self._pull(trigger, value)
        else:
            depth = quantised(max(0.0, value))
            self._put(("on_pad_trigger", self.number, choice("trigger", trigger, TRIGGERS), depth))

    def release_all(self) -> None:
        """Release all buttons, triggers and sticks of the gamepad."""
        super().release_all()
        if self._incoming is not None:
            for control in (*TRIGGERS, *STICKS):
                if self._pending_value(control) not in (0.0, (0.0, 0.0)):
                    values = (0.0,) if control in TRIGGERS else (0.0, 0.0)
                    name = "on_pad_trigger" if control in TRIGGERS else "on_pad_stick"
                    self._put((name, self.number, control, *values))

    def _pending_value(self, control: str) -> float | tuple[float, ...]:
        """Return the value that a trigger or a stick will have in the next tick."""
        value: float | tuple[float, ...] = getattr(self, f"_next_{control}")
        for _, event in () if self._incoming is None else self._incoming.waiting():
            if event[:3] == ("on_pad_trigger", self.number, control):
                value = event[3]
            elif event[:3] == ("on_pad_stick", self.number, control):
                value = event[3:]
        return value

    def _event(self, symbol: int, down: bool) -> Event:
        return event_of(self, _control_of(symbol), down)

    def _taken(self, captured: set[tuple[Any, ...]]) -> set[int]:
        return {CONTROLS[button[2]] for button in captured if button[:2] == ("pad", self.number)}

    def _apply_waiting(self, down: set[int], player: int, event: Event) -> None:
        if event[0][:7] != "on_pad_" or event[1] != self.number:
            return
        if event[0] == "on_pad_press":
            down.add(CONTROLS[event[2]])
        elif event[0] == "on_pad_release":
            down.discard(CONTROLS[event[2]])
        elif event[0] == "on_pad_disconnect":
            down.clear()
        elif event[0] == "on_pad_trigger":
            _turn(down, event[2], event[3])
        elif event[0] == "on_pad_stick":
            for side, towards in _sides(*event[2:]):
                _turn(down, side, towards)

    # -- applied by ticks ---------------------------------------------------------------------------

    def _connect(self, name: str, kind: str) -> None:
        self._next_connected = True
        self._next_name = name
        self._next_kind = kind
        self._note()

    def _disconnect(self) -> None:
        self._release_all()
        self._next_connected = False
        self._note()

    def _lean(self, stick: str, x: float, y: float) -> None:
        setattr(self, f"_next_{stick}", (quantised(x), quantised(y)))
        for side, towards in _sides(stick, x, y):
            self._follow(side, towards)
        self._note()

    def _pull(self, trigger: str, value: float) -> None:
        setattr(self, f"_next_{trigger}", quantised(max(0.0, value)))
        self._follow(trigger, value)
        self._note()

    def _follow(self, control: str, value: float) -> None:
        """Press or release the button that stands for a trigger or a side of a stick. Called after
        the value of the trigger or stick has changed.

        The button is pressed above one value, and released below a lower value. Otherwise, a value
        that varies slightly around a single limit would press the button many times.
        """
        level = steps(value)
        if level >= PRESSED:
            self._press(CONTROLS[control])
        elif level < RELEASED:
            self._release(CONTROLS[control])

    def _note(self) -> None:
        self._came = self._pending = True
        self._saved = None

    def _release_all(self) -> None:
        super()._release_all()
        self._next_leftstick = self._next_rightstick = (0.0, 0.0)
        self._next_lefttrigger = self._next_righttrigger = 0.0
        self._note()

    # -- ticks -------------------------------------------------------------------------------------

    def begin_tick(self) -> None:
        """Apply the gamepad events that have arrived since the last tick."""
        if not self._pending:
            return
        super().begin_tick()
        if self._came:
            self._came = False
            for name, following in zip(_LATCHED, _NEXT, strict=True):
                value: object = getattr(self, following)
                setattr(self, name, value)

    def _further_state(self) -> tuple[object, ...]:
        return _state_of(self)

    def __repr__(self) -> str:
        return f"<Gamepad {self.number} {self.name!r}{'' if self.connected else ', not connected'}>"


# For each side of a stick: the name of the stick, the direction, and the index of the coordinate (0
# is x, 1 is y).
_SIDES = {
    stick + side: (stick, towards, axis)
    for stick in STICKS
    for side, towards, axis in (
        ("left", (1, 0), 0),
        ("right", (0, 1), 0),
        ("down", (1, 0), 1),
        ("up", (0, 1), 1),
    )
}


def _sides(stick: str, x: float, y: float) -> Iterator[tuple[str, float]]:
    """For each side of a stick, yield the name of the side, and the position of the stick in this
    direction. Each position is a number from -1 to 1.
    """
    return zip(LEANINGS[4 * STICKS.index(stick) :], (-x, x, -y, y), strict=False)


def _turn(down: set[int], control: str, value: float) -> None:
    """Add the symbol of a trigger or of a side of a stick to the set ``down``, or remove it.
    ``value`` is the position of the trigger, or the position of the stick in the direction of the
    side. The control is pressed and released at the same values as in `Gamepad._follow`.
    """
    if steps(value) >= PRESSED:
        down.add(CONTROLS[control])
    elif steps(value) < RELEASED:
        down.discard(CONTROLS[control])


def _control_of(symbol: int) -> str:
    """Return the name of the gamepad control with the number ``symbol``. Raises `ValueError` if the
    symbol is unknown.
    """
    return _CONTROL_NAMES[whole("symbol", symbol, 0, len(_CONTROL_NAMES) - 1)]


_CONTROL_NAMES = [*CONTROLS]


def with_deadzone(x: float, y: float, deadzone: float) -> tuple[float, float]:
    """Return the position of a stick, with a round dead zone that hides small movements near the
    center.

    If (x, y) is closer to the center than ``deadzone``, the result is (0, 0). The length of the
    result rises from 0 at the edge of the dead zone to 1 at the end of the stick's range.
    """
    length = sqrt(x * x + y * y)  # the last bits of `hypot` differ between machines
    if length <= deadzone or not length:
        return 0.0, 0.0
    factor = min(1.0, (length - deadzone) / (1.0 - deadzone)) / length
    return x * factor, y * factor


_Saved = tuple[bool, tuple[int | None, ...], tuple[Saved, ...]]
"""The captured state of all gamepads: whether events are waiting, and the owner and the state of
each gamepad.
"""


@gamepads_names
class Gamepads(HasMoved):
    """All gamepads of a game. ``self.pads[0]`` is the first gamepad.

    There are always eight `Gamepad` objects, even if no real gamepad is connected. In a game with
    several players, a new gamepad is given to the first player without a gamepad. To give a gamepad
    to another player, set `Player.pad`.
    """

    __slots__ = (
        "_incoming",
        "_owners",
        "_pads",
        "_pending",
        "_players",
        "_rumble",
        "_touched",
        "_used",
        "_wanted",
    )
    # The state hash does not include gamepads, just as it does not include the keyboard and the
    # mouse.
    _not_hashed = __slots__

    def __init__(self, players: int = 1, incoming: Incoming | None = None) -> None:
        self._players = players
        self._incoming = incoming
        self._pads: list[Gamepad] = []
        self._owners: list[int | None] = [None] * MAX_PADS
        self._touched: set[int] = set()  # indices of gamepads that have sent an event
        # A cache of the gamepads that each player uses.
        self._used: dict[int, tuple[Gamepad, ...]] = {}
        self._pending = False  # whether the next `begin_tick` has work to do
        self._wanted: Callable[[], object] | None = None
        self._rumble: Rumble | None = None

    def __getitem__(self, index: int) -> Gamepad:
        return self._all()[whole("pad", index, 0, MAX_PADS - 1)]

    def __iter__(self) -> Iterator[Gamepad]:
        return iter(self._all())

    def __len__(self) -> int:
        return MAX_PADS

    @property
    def connected(self) -> tuple[Gamepad, ...]:
        """The connected gamepads, in the order of their indices."""
        return tuple([pad for pad in self._all() if pad.connected])

    def _of(self, player: int) -> tuple[Gamepad, ...]:
        pads = self._all()
        if self._players == 1:
            return tuple(pads)
        return tuple(
            [pad for pad, owner in zip(pads, self._owners, strict=True) if owner == player]
        )

    def _used_by(self, player: int) -> tuple[Gamepad, ...]:
        pads = self._used.get(player)
        if pads is None:
            pads = self._used[player] = tuple(
                [pad for pad in self._of(player) if pad.number in self._touched]
            )
        return pads

    def _give(self, index: int, player: int | None) -> None:
        self._owners[index] = player
        self._used.clear()

    def _all(self) -> list[Gamepad]:
        if self._wanted is not None:
            search = self._wanted
            self._wanted = None
            search()
        return self._made()

    def _made(self) -> list[Gamepad]:
        if not self._pads:
            self._pads = [Gamepad(index, self._shake) for index in range(MAX_PADS)]
            if self._incoming is not None:
                for pad in self._pads:
                    pad._belong(self._incoming, 0)
        return self._pads

    def _shake(self, index: int, strong: float, weak: float, seconds: float) -> None:
        if self._rumble is not None:
            self._rumble(index, strong, weak, seconds)

    # -- events ------------------------------------------------------------------------------------

    def _take(self, event: Event, player: int = 0) -> None:
        """Apply a gamepad event. The event contains the index of the gamepad that sent it.
        ``player`` is the index of the player to whom the event belongs.
        """
        name, index, *values = event
        pad = self._made()[index]
        self._pending = True
        if index not in self._touched:
            self._touched.add(index)
            self._used.clear()
        if name == "on_pad_connect":
            self._own(index, player)
            pad._connect(*values)
        elif name == "on_pad_disconnect":
            pad._disconnect()
        elif name == "on_pad_stick":
            pad._lean(*values)
        elif name == "on_pad_trigger":
            pad._pull(*values)
        else:
            (pad._press if name == "on_pad_press" else pad._release)(CONTROLS[values[0]])

    def _own(self, index: int, player: int) -> None:
        connected = [pad._next_connected for pad in self._pads]
        self._owners[index] = self._owner(index, player, connected, self._owners)
        self._used.clear()

    def _owner(
        self, index: int, player: int, connected: list[bool], owners: list[int | None]
    ) -> int | None:
        """Return the index of the player who gets a new gamepad, or None if no player gets it.

        If ``player`` is above 0, the gamepad is given to this player. If ``player`` is 0, the
        gamepad is given to its previous owner. If it had no owner before, it is given to the first
        player without a connected gamepad.
        """
        if player or owners[index] is not None:
            return player or owners[index]
        supplied = {
            owner for is_connected, owner in zip(connected, owners, strict=True) if is_connected
        }
        return next(
            (candidate for candidate in range(self._players) if candidate not in supplied), None
        )

    def _after(self, events: Iterable[tuple[int, Event]]) -> list[tuple[bool, int | None]]:
        connected = [pad._next_connected for pad in self._made()]
        owners = self._owners.copy()
        for player, (name, *values) in events:
            if name == "on_pad_connect":
                owners[values[0]] = self._owner(values[0], player, connected, owners)
            if name in ("on_pad_connect", "on_pad_disconnect"):
                connected[values[0]] = name == "on_pad_connect"
        alone = self._players == 1
        return [
            (is_connected, 0 if alone else owner)
            for is_connected, owner in zip(connected, owners, strict=True)
        ]

    def _release_all(self) -> None:
        """Release all buttons, triggers and sticks of all gamepads. Called when the window loses
        the focus.
        """
        for pad in self._pads:
            if pad.connected or pad.down:
                pad._release_all()
                self._pending = True

    def _forget(self) -> None:
        for pad in self._pads:
            pad._forget()

    def begin_tick(self) -> None:
        """Apply the gamepad events that have arrived since the last tick."""
        pending = False
        for pad in self._pads:
            if pad._pending:
                pad.begin_tick()
                pending = pending or pad._pending
        self._pending = pending

    def _capture(self) -> _Saved:
        """Return the state of all gamepads, for snapshots. To restore the state later, pass the
        result to `_restore`.
        """
        return self._pending, tuple(self._owners), tuple([pad._capture() for pad in self._pads])

    def _restore(self, saved: _Saved) -> None:
        """Set all gamepads to a state that `_capture` returned earlier."""
        self._pending, owners, pads = saved
        self._owners = list(owners)
        self._used.clear()
        for index, pad in enumerate(self._pads):
            pad._restore(pads[index] if pads else Gamepad()._capture())


def event_of(pad: Gamepad, control: str, down: bool) -> Event:
    """Return the input event that presses or releases a gamepad control.

    To press a trigger, the event pulls it all the way. To press a side of a stick, the event moves
    the stick all the way to that side.
    """
    name = control_name(control)
    if name in BUTTONS:
        return "on_pad_press" if down else "on_pad_release", pad.number, name
    if name in TRIGGERS:
        return "on_pad_trigger", pad.number, name, float(down)
    stick, (negative, positive), axis = _SIDES[name]
    position = [0.0, 0.0]
    position[axis] = float(positive - negative) if down else 0.0
    return "on_pad_stick", pad.number, stick, *position


# Functions for the framework.


def depth(pad: Gamepad, control: str) -> float:
    """Return how far a gamepad control is pressed, from 0 (released) to 1 (fully pressed).
    ``control`` is a name that `control_name` has returned.
    """
    return pad._depth(control)


def pads_of(pads: Gamepads, player: int) -> tuple[Gamepad, ...]:
    """Return the gamepads of a player. If the game has only one player, return all gamepads."""
    return pads._of(player)


def used_pads(pads: Gamepads, player: int) -> tuple[Gamepad, ...]:
    """Return the gamepads of a player that have sent at least one event. On a gamepad without any
    event, no button can be pressed.
    """
    return pads._used_by(player)


def give_pad(pads: Gamepads, index: int, player: int | None) -> None:
    """Give a gamepad to a player. ``index`` is the index of the gamepad, and ``player`` is the
    index of the player. If ``player`` is None, the gamepad no longer belongs to a player.
    """
    pads._give(index, player)


def pads_after(
    pads: Gamepads, events: Iterable[tuple[int, Event]]
) -> list[tuple[bool, int | None]]:
    """For each gamepad, return whether it will be connected after ``events``, and the index of the
    player who will own it.
    """
    return pads._after(events)


def set_device_search(pads: Gamepads, search: Callable[[], object] | None) -> None:
    """Set the function that finds and opens real gamepads. The framework calls ``search`` once,
    when the game reads a gamepad for the first time.
    """
    pads._wanted = search


def set_rumble(pads: Gamepads, rumble: Rumble | None) -> None:
    """Set the function that makes a real gamepad vibrate. If ``rumble`` is None, gamepads do not
    vibrate.
    """
    pads._rumble = rumble


def forget_pads(pads: Gamepads) -> None:
    """Delete the presses and releases of all gamepads in this tick and in the next tick."""
    pads._forget()
