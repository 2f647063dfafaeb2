"""Gamepads: what each of them did, latched tick by tick as keys are.

Nothing here knows of a device. Events say what came; analogue values are whole 127ths (see
`layout`).
"""

from __future__ import annotations

__all__ = ["Pad", "Pads"]

from collections.abc import Callable, Iterable, Iterator
from math import sqrt
from operator import attrgetter
from typing import Any

from ..checks import choice, number, text, whole
from .buttons import Buttons, Saved
from .layout import (
    BUTTONS,
    CONTROLS,
    KINDS,
    LEANINGS,
    MAX_PADS,
    PRESSED,
    RELEASED,
    STICKS,
    TRIGGERS,
    glyph,
    plain,
    quantised,
    steps,
)
from .tick_input import Event, Incoming

_LATCHED = ("connected", "kind", "name", *STICKS, *TRIGGERS)
_NEXT = tuple(f"_next_{name}" for name in _LATCHED)
_state_of: Callable[[object], tuple[object, ...]] = attrgetter("_came", *_LATCHED, *_NEXT)


Rumble = Callable[[int, float, float, float], object]
"""Shake the device in a place: strong, weak, seconds."""


class Pad(Buttons):
    """A gamepad: its buttons as keys, and ``leftstick``, ``rightstick``, ``lefttrigger``,
    ``righttrigger``.

    Sticks are (x, y), y up, each -1 to 1 in whole 127ths, without a dead zone: `stick` has one.
    Triggers are 0 to 1, and buttons too, from a half on; so is a stick that leans to one side, as
    in ``pad["leftstickup"]``. ``connected``, ``name`` and ``kind`` say what it is. One that is not
    there has nothing pressed, and everything at 0.
    """

    __slots__ = ("_came", "_rumble", "number", *_LATCHED, *_NEXT)
    _not_hashed = ("_incoming", "_player", "_rumble", "_saved")
    _further = ("_came", *_LATCHED, *_NEXT)

    def __init__(self, place: int = 0, rumble: Rumble | None = None) -> None:
        super().__init__(CONTROLS)
        self.number = place
        """Its place in `Game.pads`, from 0."""
        self._rumble = rumble
        self._came = False
        self.connected = self._next_connected = False
        self.kind = self._next_kind = "generic"
        self.name = self._next_name = ""
        self.leftstick = self.rightstick = self._next_leftstick = self._next_rightstick = (0.0, 0.0)
        self.lefttrigger = self.righttrigger = self._next_lefttrigger = self._next_righttrigger = (
            0.0
        )

    # -- what the game asks ------------------------------------------------------------------------

    @property
    def dpad(self) -> tuple[int, int]:
        """The four buttons of the cross as (x, y): -1, 0 or 1 each, y up."""
        return self.axis("dpleft", "dpright"), self.axis("dpdown", "dpup")

    def stick(self, name: str, deadzone: float = 0.2) -> tuple[float, float]:
        """A stick, or "dpad", with a round dead zone: (0, 0) within it, from there on growing to a
        length of 1.
        """
        leaning: tuple[float, float] = getattr(self, choice("name", name, (*STICKS, "dpad")))
        x, y = leaning
        return rounded(x, y, number("deadzone", deadzone, least=0, below=1))

    def value(self, control: str) -> float:
        """How far a control is pressed: triggers and sticks to one side 0 to 1, buttons 0.0 or
        1.0.
        """
        return self._depth(plain(control))

    def _depth(self, name: str) -> float:
        if name in TRIGGERS:
            depth: float = getattr(self, name)
            return depth
        if name in _SIDES:
            stick, (less, more), axis = _SIDES[name]
            leaning: tuple[float, float] = getattr(self, stick)
            return max(0.0, leaning[axis] * (more - less))
        return float(self.held(name))

    def glyph(self, control: str) -> str:
        """What is printed on a control, for prompts: of "a" that is "A", "cross" or "B", by the
        pad's kind.
        """
        return glyph(self.kind, control)

    def rumble(
        self, strength: float = 1.0, seconds: float = 0.5, *, weak: float | None = None
    ) -> None:
        """Shake for so many real seconds: the strong motor, and the weak one by as much unless
        told; 0 to 1 each.

        0 ends it. Nothing is felt without a device, or where the system has no way to do it
        (macOS).
        """
        strong = number("strength", strength, least=0, most=1)
        faint = strong if weak is None else number("weak", weak, least=0, most=1)
        seconds = number("seconds", seconds, least=0, most=60)
        if self._rumble is not None and self.connected:
            self._rumble(self.number, strong, faint, seconds)

    # -- what comes --------------------------------------------------------------------------------

    def connect(self, name: str, kind: str) -> None:
        """Plug a device in: `Game.plug` chooses a place, too."""
        if self._incoming is None:
            self._connect(name, kind)
        else:
            self._put(
                ("on_pad_connect", self.number, text("name", name), choice("kind", kind, KINDS))
            )

    def disconnect(self) -> None:
        """Pull the device out: it lets go of everything. What it was is still known."""
        if self._incoming is None:
            self._disconnect()
        else:
            self._put(("on_pad_disconnect", self.number))

    def lean(self, stick: str, x: float, y: float) -> None:
        """Have a stick lean to a place: right and up, -1 to 1."""
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

    def pull(self, trigger: str, value: float) -> None:
        """Pull a trigger to a depth, 0 to 1."""
        if self._incoming is None:
            self._pull(trigger, value)
        else:
            depth = quantised(max(0.0, value))
            self._put(("on_pad_trigger", self.number, choice("trigger", trigger, TRIGGERS), depth))

    def release_all(self) -> None:
        """Let go of everything: all goes up, and back to the middle."""
        super().release_all()
        if self._incoming is not None:
            for control in (*TRIGGERS, *STICKS):
                if self._coming_value(control) not in (0.0, (0.0, 0.0)):
                    rest = (0.0,) if control in TRIGGERS else (0.0, 0.0)
                    name = "on_pad_trigger" if control in TRIGGERS else "on_pad_stick"
                    self._put((name, self.number, control, *rest))

    def _coming_value(self, control: str) -> float | tuple[float, ...]:
        """Where a trigger or a stick is once all that waits is latched."""
        value: float | tuple[float, ...] = getattr(self, f"_next_{control}")
        for _, event in () if self._incoming is None else self._incoming.waiting():
            if event[:3] == ("on_pad_trigger", self.number, control):
                value = event[3]
            elif event[:3] == ("on_pad_stick", self.number, control):
                value = event[3:]
        return value

    def _event(self, symbol: int, down: bool) -> Event:
        return event_of(self, _control_of(symbol), down)

    def _taken(self, taken: set[tuple[Any, ...]]) -> set[int]:
        return {CONTROLS[what[2]] for what in taken if what[:2] == ("pad", self.number)}

    def _foresee(self, down: set[int], player: int, event: Event) -> None:
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

    # -- what ticks latch --------------------------------------------------------------------------

    def _connect(self, name: str, kind: str) -> None:
        self._next_connected, self._next_name, self._next_kind = True, name, kind
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
        """What is analogue is a button with two thresholds, so that one that trembles is pressed
        once.
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
        """Latch what came since the last tick."""
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
        return f"<Pad {self.number} {self.name!r}{'' if self.connected else ', not connected'}>"


# Of a stick's sides: the stick, the direction as axis() has it, and which of its two numbers.
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
    """Each side of a stick, with how far the stick leans to it."""
    return zip(LEANINGS[4 * STICKS.index(stick) :], (-x, x, -y, y), strict=False)


def _turn(down: set[int], control: str, value: float) -> None:
    """Add to ``down``, or discard from it, what is analogue: see `Pad._follow`."""
    if steps(value) >= PRESSED:
        down.add(CONTROLS[control])
    elif steps(value) < RELEASED:
        down.discard(CONTROLS[control])


def _control_of(symbol: int) -> str:
    """The name of a control. Raises `ValueError` for a number that none has."""
    return _CONTROL_NAMES[whole("symbol", symbol, 0, len(_CONTROL_NAMES) - 1)]


_CONTROL_NAMES = [*CONTROLS]


def rounded(x: float, y: float, deadzone: float) -> tuple[float, float]:
    """A stick with a round dead zone: nothing within it, from there on growing to a length of at
    most 1.
    """
    length = sqrt(x * x + y * y)  # the same bits everywhere, as hypot's are not
    if length <= deadzone or not length:
        return 0.0, 0.0
    factor = min(1.0, (length - deadzone) / (1.0 - deadzone)) / length
    return x * factor, y * factor


_Saved = tuple[bool, tuple[int | None, ...], tuple[Saved, ...]]
"""Whether anything is pending, whose each pad is, and the pads."""


class Pads:
    """The places for gamepads, ``MAX_PADS`` of them: ``pads[0]`` is the first, whether one is there
    or not.

    ``players`` play. Whose each pad is follows from who had none when it came, and can be set: see
    `Player.pad`.
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
    _not_hashed = __slots__  # as keys and mouse: what the game makes of it is its state

    def __init__(self, players: int = 1, incoming: Incoming | None = None) -> None:
        self._players = players
        self._incoming = incoming
        self._pads: list[Pad] = []
        self._owners: list[int | None] = [None] * MAX_PADS
        self._touched: set[int] = set()  # places where anything ever came
        self._used: dict[
            int, tuple[Pad, ...]
        ] = {}  # of each player, until these or the owners change
        self._pending = False  # whether the next `begin_tick` has anything to latch or to clear
        self._wanted: Callable[[], object] | None = None
        self._rumble: Rumble | None = None

    def __getitem__(self, place: int) -> Pad:
        return self._all()[whole("pad", place, 0, MAX_PADS - 1)]

    def __iter__(self) -> Iterator[Pad]:
        return iter(self._all())

    def __len__(self) -> int:
        return MAX_PADS

    @property
    def connected(self) -> tuple[Pad, ...]:
        """Those that are there, in the order of their places."""
        return tuple([pad for pad in self._all() if pad.connected])

    def _of(self, player: int) -> tuple[Pad, ...]:
        pads = self._all()
        if self._players == 1:
            return tuple(pads)
        return tuple(
            [pad for pad, owner in zip(pads, self._owners, strict=True) if owner == player]
        )

    def _used_by(self, player: int) -> tuple[Pad, ...]:
        found = self._used.get(player)
        if found is None:
            found = self._used[player] = tuple(
                [pad for pad in self._of(player) if pad.number in self._touched]
            )
        return found

    def _give(self, place: int, player: int | None) -> None:
        self._owners[place] = player
        self._used.clear()

    def _all(self) -> list[Pad]:
        if self._wanted is not None:
            ask, self._wanted = self._wanted, None
            ask()
        return self._made()

    def _made(self) -> list[Pad]:
        if not self._pads:
            self._pads = [Pad(place, self._shake) for place in range(MAX_PADS)]
            if self._incoming is not None:
                for pad in self._pads:
                    pad._belong(self._incoming, 0)
        return self._pads

    def _shake(self, place: int, strong: float, weak: float, seconds: float) -> None:
        if self._rumble is not None:
            self._rumble(place, strong, weak, seconds)

    # -- what comes --------------------------------------------------------------------------------

    def _take(self, event: Event, player: int = 0) -> None:
        """Hand a pad's event to the pad that latches it. ``player`` is whose event it is, if not
        the first one's.
        """
        name, place, *values = event
        pad = self._made()[place]
        self._pending = True
        if place not in self._touched:
            self._touched.add(place)
            self._used.clear()
        if name == "on_pad_connect":
            self._own(place, player)
            pad._connect(*values)
        elif name == "on_pad_disconnect":
            pad._disconnect()
        elif name == "on_pad_stick":
            pad._lean(*values)
        elif name == "on_pad_trigger":
            pad._pull(*values)
        else:
            (pad._press if name == "on_pad_press" else pad._release)(CONTROLS[values[0]])

    def _own(self, place: int, player: int) -> None:
        there = [pad._next_connected for pad in self._pads]
        self._owners[place] = self._owner(place, player, there, self._owners)
        self._used.clear()

    def _owner(
        self, place: int, player: int, there: list[bool], owners: list[int | None]
    ) -> int | None:
        """A pad came: it is who had it before, or else who has none that is there."""
        if player or owners[place] is not None:
            return player or owners[place]
        supplied = {owner for connected, owner in zip(there, owners, strict=True) if connected}
        return next((one for one in range(self._players) if one not in supplied), None)

    def _after(self, events: Iterable[tuple[int, Event]]) -> list[tuple[bool, int | None]]:
        there, owners = [pad._next_connected for pad in self._made()], self._owners.copy()
        for player, (name, *values) in events:
            if name == "on_pad_connect":
                owners[values[0]] = self._owner(values[0], player, there, owners)
            if name in ("on_pad_connect", "on_pad_disconnect"):
                there[values[0]] = name == "on_pad_connect"
        alone = self._players == 1
        return [
            (connected, 0 if alone else owner)
            for connected, owner in zip(there, owners, strict=True)
        ]

    def _release_all(self) -> None:
        """The window lost the focus: everything goes up."""
        for pad in self._pads:
            if pad.connected or pad.down:
                pad._release_all()
                self._pending = True

    def _forget(self) -> None:
        for pad in self._pads:
            pad._forget()

    def begin_tick(self) -> None:
        """Latch what came since the last tick."""
        pending = False
        for pad in self._pads:
            if pad._pending:
                pad.begin_tick()
                pending = pending or pad._pending
        self._pending = pending

    def _captured(self) -> _Saved:
        """Return all of it, for `_put_back`."""
        return self._pending, tuple(self._owners), tuple([pad._captured() for pad in self._pads])

    def _put_back(self, saved: _Saved) -> None:
        """Restore what `_captured` returned."""
        self._pending, owners, pads = saved
        self._owners = list(owners)
        self._used.clear()
        for place, pad in enumerate(self._pads):
            pad._put_back(pads[place] if pads else Pad()._captured())


def event_of(pad: Pad, control: str, down: bool) -> Event:
    """The event by which a control of a pad goes down or up: of a trigger to its end, of a stick to
    that side.
    """
    name = plain(control)
    if name in BUTTONS:
        return "on_pad_press" if down else "on_pad_release", pad.number, name
    if name in TRIGGERS:
        return "on_pad_trigger", pad.number, name, float(down)
    stick, (less, more), axis = _SIDES[name]
    place = [0.0, 0.0]
    place[axis] = float(more - less) if down else 0.0
    return "on_pad_stick", pad.number, stick, *place


# What the framework asks of pads, and games do not.


def depth(pad: Pad, control: str) -> float:
    """Return how far a control is pressed, by its plain name: see `Pad.value`."""
    return pad._depth(control)


def pads_of(pads: Pads, player: int) -> tuple[Pad, ...]:
    """Return the pads of a player; all of them if only one plays."""
    return pads._of(player)


def used_pads(pads: Pads, player: int) -> tuple[Pad, ...]:
    """Return the pads of a player of which anything ever came: those to be read in each tick."""
    return pads._used_by(player)


def give_pad(pads: Pads, place: int, player: int | None) -> None:
    """Have a pad be a player's from now on, or nobody's."""
    pads._give(place, player)


def pads_after(pads: Pads, events: Iterable[tuple[int, Event]]) -> list[tuple[bool, int | None]]:
    """Return of each place whether a pad is there, and whose, when some players' events have
    come.
    """
    return pads._after(events)


def ask_for_devices(pads: Pads, wanted: Callable[[], object] | None) -> None:
    """Set what is called once, when a game first reads a pad: devices are looked for then."""
    pads._wanted = wanted


def shake_devices(pads: Pads, rumble: Rumble | None) -> None:
    """Set what shakes the device in a place; None for nothing."""
    pads._rumble = rumble


def forget_pads(pads: Pads) -> None:
    """Drop the presses and releases of this tick, and those that no tick has seen yet."""
    pads._forget()
