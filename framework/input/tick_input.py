"""The input events of a tick, and their conversion to bytes for recordings and network games.

An event is a tuple of a name and arguments, which are the same as in pyglet: ``("on_key_press", 97,
0)``. Mouse positions are in units of the view. The tuples ``("player", n)`` and ``("still",)`` are
not events: they divide the events into groups. The events after ``("player", n)`` belong to player
n. The events at the start, and the events after ``("still",)``, belong to player 0. The events
before ``("still",)`` arrived while the game was paused, and were passed to the game's event
handlers immediately, before the tick.

For gamepads, the framework has its own events, such as ``("on_pad_press", 0, "a")`` and
``("on_pad_stick", 0, "leftstick", 1.0, 0.0)``. A network server adds the events
``("on_player_join", n, name)`` and ``("on_player_leave", n)``. ``("on_loaded", n)`` means that a
loading thread has finished n more jobs. See `scenes.Loading`.

`InputWriter` converts the input of ticks to bytes. `InputReader` converts the bytes back to exactly
the same values. Mouse positions are written as differences from the previous position, in whole
window pixels. A position that is not a whole number of pixels is written as floats.
"""

from __future__ import annotations

__all__ = ["HeldInput", "TickInput"]

import functools
import math
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from ..checks import instance, items, shown, whole
from ..errors import AssetError
from .gamepad_layout import BUTTONS, MAX_PADS, STEPS, STICKS, TRIGGERS, zone

Event = tuple[Any, ...]

STILL: Event = ("still",)
_MARKS = ("player", "still")

# The code of each event and the kinds of its arguments. u is an integer of at least 0, i an integer
# of any sign, n a float, v an int or a float, s a string, l a list of strings. For gamepads, p is
# the index, b, t and g are the name of a button, a stick and a trigger, and q is an analog value in
# whole 127ths. "@" stands for a position in the window, and "@@" for a position and a motion. The
# codes 30 to 47 are reserved for touch and for later events.
_FORMS: dict[str, tuple[int, str]] = {
    "on_key_press": (1, "uu"),
    "on_key_release": (2, "uu"),
    "on_mouse_motion": (3, "@@"),
    "on_mouse_drag": (4, "@@uu"),
    "on_mouse_press": (5, "@uu"),
    "on_mouse_release": (6, "@uu"),
    "on_mouse_scroll": (7, "@nn"),
    "on_mouse_enter": (8, "@"),
    "on_mouse_leave": (9, "@"),
    "on_text": (10, "s"),
    "on_text_motion": (11, "u"),
    "on_text_motion_select": (12, "u"),
    "on_activate": (13, ""),
    "on_deactivate": (14, ""),
    "on_show": (15, ""),
    "on_hide": (16, ""),
    "on_move": (17, "ii"),
    "on_file_drop": (18, "@l"),
    "on_close": (19, ""),
    "on_resize": (20, "vv"),
    "player": (21, "u"),
    "still": (22, ""),
    "on_loaded": (23, "u"),
    "on_pad_connect": (24, "pss"),
    "on_pad_disconnect": (25, "p"),
    "on_pad_press": (26, "pb"),
    "on_pad_release": (27, "pb"),
    "on_pad_stick": (28, "ptqq"),
    "on_pad_trigger": (29, "pgq"),
    "on_player_join": (50, "us"),
    "on_player_leave": (51, "u"),
}
EVENTS = tuple(name for name in _FORMS if name.startswith("on_"))
"""The names of all events. To handle an event, a scene defines a method with this name."""
_NAMES = {code: (name, form) for name, (code, form) in _FORMS.items()}
_END = 0
_LENGTH = 48
_SCALE = 49
_ANALOGUE = ("on_pad_stick", "on_pad_trigger")
_LATER = range(30, 48)
_CONTROLS = {"b": BUTTONS, "t": STICKS, "g": TRIGGERS}

# Flags for events with a position. `_AS_MOVED` means that the motion equals the change of the
# position. `_EXACT` means that the numbers are floats.
_AS_MOVED = 0x40
_EXACT = 0x80

MAX_TEXT = 1 << 16
"""The maximum size of a typed text, or of the path of a dropped file, in bytes."""
MAX_EVENTS = 50_000
"""The maximum number of events in a tick. Each dropped path counts as one more event. No player can
produce this many events, even during a long pause.
"""
MAX_PLAYERS = 64
_MAX_INTEGER = 20  # in bytes with 7 bits each, so 140 bits

_DOUBLE, _DOUBLES_2, _DOUBLES_4, _DOUBLES_5 = (struct.Struct(f"<{n}d") for n in (1, 2, 4, 5))
_FAR = 1 << 30  # pixels
_MAX_EDGE = 1e15  # the maximum distance of an edge of the view from 0, in framebuffer pixels


class Scale(NamedTuple):
    """How mouse positions are converted from window pixels to units of the view: ``x_units = (pixel
    * ratio - left) / x``. ``ratio`` is the number of framebuffer pixels per window pixel. ``left``
    is the left edge of the view in framebuffer pixels. ``x`` is the number of framebuffer pixels
    per unit.

    The formula for y uses ``bottom`` and ``y`` instead of ``left`` and ``x``.
    """

    ratio: float = 1.0
    left: float = 0.0
    bottom: float = 0.0
    x: float = 1.0
    y: float = 1.0

    def units(self, x: float, y: float) -> tuple[float, float]:
        """Convert a mouse position from window pixels to units of the view."""
        return (x * self.ratio - self.left) / self.x, (y * self.ratio - self.bottom) / self.y

    def motion(self, dx: float, dy: float) -> tuple[float, float]:
        """Convert a mouse motion from window pixels to units of the view."""
        return dx * self.ratio / self.x, dy * self.ratio / self.y


class HeldInput(NamedTuple):
    """The keys, mouse buttons and gamepad controls that a player is holding after a tick, and the
    position of the mouse.

    `TickInput.held` returns a `HeldInput`. The method `since` returns the events between two
    `HeldInput` objects.
    """

    keys: frozenset[int] = frozenset()
    """The symbols of the keys that are down."""
    buttons: frozenset[int] = frozenset()
    """The symbols of the mouse buttons that are down."""
    position: tuple[float, float] = (0.0, 0.0)
    """The position of the mouse in units."""
    pads: frozenset[Event] = frozenset()
    """The gamepad controls that are pressed or moved. Each item is a tuple, such as ``(0,
    "leftstick", 1.0, 0.0)``. The tuple contains the index of the gamepad, the name of the control,
    and the values of a stick or trigger.
    """

    def since(self, before: HeldInput) -> TickInput:
        """Return events that change the state ``before`` to the state of this object.

        Clicks that began and ended between the two states are not included, and neither is typed
        text.
        """
        instance("before", before, HeldInput)
        x, y = self.position
        dx = x - before.position[0]
        dy = y - before.position[1]
        events: list[Event] = []
        if dx or dy:
            events.append(("on_mouse_motion", x, y, dx, dy))
        events += [("on_key_release", key, 0) for key in sorted(before.keys - self.keys)]
        events += [
            ("on_mouse_release", x, y, button, 0)
            for button in sorted(before.buttons - self.buttons)
        ]
        events += [("on_key_press", key, 0) for key in sorted(self.keys - before.keys)]
        events += [
            ("on_mouse_press", x, y, button, 0) for button in sorted(self.buttons - before.buttons)
        ]
        moved = {control[:2] for control in self.pads}
        for pad, control in sorted({control[:2] for control in before.pads} - moved):
            events.append(_pad_event(pad, control, "on_pad_release"))
        for pad, control, *values in sorted(self.pads - before.pads, key=repr):
            events.append(_pad_event(pad, control, "on_pad_press", *values))
        return TickInput(tuple(events))


def _pad_event(pad: int, control: str, of_button: str, *values: float) -> Event:
    """Return the event that moves a gamepad control to ``values``. If ``values`` is empty, the
    event releases the control. If the control is a button, ``of_button`` is the name of the event.
    """
    if control in STICKS:
        return ("on_pad_stick", pad, control, *(values or (0.0, 0.0)))
    if control in TRIGGERS:
        return ("on_pad_trigger", pad, control, *(values or (0.0,)))
    return of_button, pad, control


class TickInput(NamedTuple):
    """The input of one tick: all events in the order in which they arrived."""

    events: tuple[Event, ...] = ()
    length: int = 0
    """The duration of the tick in the unit of the timestep, or 0 if all ticks have the same
    duration.
    """

    def of(self, player: int) -> TickInput:
        """Return the events of one player. The result can be the input of a game with one player.

        `merge` is the opposite of `of`. For example, ``TickInput.merge([a.of(0), a.of(1)])``
        contains the events of players 0 and 1.
        """
        player = whole("player", player, 0, MAX_PLAYERS - 1)
        return TickInput(
            tuple(
                [
                    event
                    for owner, event in by_player(self.events)
                    if owner == player and event != STILL
                ]
            ),
            self.length,
        )

    @classmethod
    def merge(cls, inputs: Sequence[TickInput]) -> TickInput:
        """Join the inputs of several players into one input. ``inputs[i]`` contains the events of
        player i.

        Each input must contain the events of a single player. See `of`.
        """
        events: list[Event] = []
        owner = 0
        for player, tick_input in enumerate(items("inputs", inputs)):
            instance(f"inputs[{player}]", tick_input, TickInput)
            if player >= MAX_PLAYERS:
                raise ValueError(f"inputs: expected at most {MAX_PLAYERS} players")
            for event in tick_input.events:
                if event[0] in _MARKS:
                    raise ValueError(
                        f"inputs[{player}]: expected the events of one player, got the mark "
                        f"{shown(event)}; write tick_input.of({player})"
                    )
                if owner != player:
                    events.append(("player", player))
                    owner = player
                events.append(event)
        return cls(tuple(events))

    def held(self, before: HeldInput | None = None) -> HeldInput:
        """Return the keys, buttons and gamepad controls that a player is holding after this tick.
        ``before`` is the return value of `held` for the previous tick. By default, the player was
        holding nothing before the tick.

        The input must contain the events of a single player. See `of`.
        """
        before = HeldInput() if before is None else instance("before", before, HeldInput)
        keys = set(before.keys)
        buttons = set(before.buttons)
        position = before.position
        pads = {control[:2]: control for control in before.pads}
        for event in self.events:
            name, *values = event
            if name == "on_deactivate":
                keys.clear()
                buttons.clear()
                pads.clear()
            elif name == "on_key_press":
                keys.add(values[0])
            elif name == "on_key_release":
                keys.discard(values[0])
            elif name[:9] == "on_mouse_":
                position = values[0], values[1]
                if name == "on_mouse_press":
                    buttons.add(values[2])
                elif name == "on_mouse_release":
                    buttons.discard(values[2])
            elif name == "on_pad_disconnect":
                pads = {key: control for key, control in pads.items() if key[0] != values[0]}
            elif name == "on_pad_press":
                pads[values[0], values[1]] = values[0], values[1]
            elif name in ("on_pad_release", "on_pad_stick", "on_pad_trigger"):
                key = values[0], values[1]
                pads.pop(key, None)
                if any(values[2:]):
                    pads[key] = tuple(values)
            elif name == "player":
                raise ValueError(
                    "held: expected the events of one player, got those of several; write "
                    "tick_input.of(0).held(before)"
                )
        return HeldInput(frozenset(keys), frozenset(buttons), position, frozenset(pads.values()))

    def encode(self) -> bytes:
        """Return the input as bytes. Equal inputs give equal bytes.

        Raises `ValueError` if an event is invalid.
        """
        writer = InputWriter()
        writer.add(self.events, self.length)
        return bytes(writer.data)

    @classmethod
    def decode(cls, data: bytes) -> TickInput:
        """Convert bytes from `encode` back to a `TickInput`. Raises `AssetError` if the bytes are
        invalid.
        """
        reader = InputReader(instance("data", data, bytes))
        result = reader.tick()
        if reader.position != len(data):
            raise AssetError(f"A tick's input ends at byte {reader.position} of {len(data)}.")
        return result


class InputWriter:
    """Writes the input of many ticks as bytes, one tick after another.

    For a mouse position, only the difference from the previous position is written, which needs
    fewer bytes.
    """

    __slots__ = ("_axes", "_moves", "_scale", "_x", "_y", "data", "scale")

    def __init__(self, scale: Scale | None = None) -> None:
        """``scale`` must be equal to the scale of the `InputReader`. If the scale changes later,
        the writer writes the new scale before the next position.
        """
        self.data = bytearray()
        self.scale = Scale() if scale is None else scale
        """The `Scale` of the mouse positions in the events that will be written next."""
        self._set_scale(self.scale)
        self._x = self._y = 0

    def _set_scale(self, scale: Scale) -> None:
        """Use ``scale`` for all following positions. The caller must first write the new scale, so
        that the reader also changes its scale.
        """
        self._scale = scale
        ratio, left, bottom, x, y = scale
        self._axes = _pixels(x, left, ratio), _pixels(y, bottom, ratio)
        self._moves = _moves(scale)

    def add(self, events: Iterable[Event], length: int = 0, more: bool = False) -> None:
        """Write the events of a tick. If ``more`` is True, the next call to `add` writes more
        events of the same tick.
        """
        data = self.data
        if length:
            data.append(_LENGTH)
            put_whole(data, length)
        if self.scale is not self._scale:
            if self.scale != self._scale:
                data.append(_SCALE)
                data += _DOUBLES_5.pack(*self.scale)
            self._set_scale(self.scale)
        for event in events:
            try:
                code, position_count, puts, size = _WRITTEN[event[0]]
                if len(event) != size:
                    raise ValueError
                if position_count == 2:
                    self._put_motion(code, event)
                elif position_count:
                    self._put_position(code, event)
                else:
                    data.append(code)
                if puts:
                    for put, argument in zip(puts, event[1 + 2 * position_count :], strict=True):
                        put(data, argument)
            except (
                KeyError,
                IndexError,
                TypeError,
                ValueError,
                AttributeError,
                struct.error,
                OverflowError,
            ):
                raise ValueError(
                    f"events: expected events of a window or a gamepad, got {shown(event)}"
                ) from None
        if not more:
            data.append(_END)

    def _put_position(self, code: int, event: Event) -> None:
        """Write the name and the mouse position of an event.

        If the position is a whole number of pixels, this number is written instead of the floats,
        which saves bytes.
        """
        xs, ys = self._axes
        px = xs[event[1]]
        py = ys[event[2]]
        if px is None or py is None or (0.0 in event and _has_negative_zero(event)):
            self._put_exact(code, event[1:3])
            return
        self.data.append(code)
        self.data += _signed_numbers(px - self._x, py - self._y)
        self._x = px
        self._y = py

    def _put_motion(self, code: int, event: Event) -> None:
        """Write the name, the mouse position and the mouse motion of an event. If the position and
        the motion are whole numbers of pixels, these numbers are written instead of the floats,
        which saves bytes.
        """
        xs, ys = self._axes
        x, y, dx, dy = event[1:5]
        px = xs[x]
        py = ys[y]
        if px is None or py is None or (not (x and y and dx and dy) and _has_negative_zero(event)):
            self._put_exact(code, (x, y, dx, dy))
            return
        by_x, by_y, written = self._moves[px - self._x, py - self._y]
        if by_x == dx and by_y == dy:
            self.data.append(code | _AS_MOVED)
            self.data += written
        else:
            ratio, _, _, kx, ky = self._scale
            mx = _pixels(kx, 0.0, ratio)[dx]
            my = _pixels(ky, 0.0, ratio)[dy]
            if mx is None or my is None:
                self._put_exact(code, (x, y, dx, dy))
                return
            self.data.append(code)
            self.data += _signed_numbers(px - self._x, py - self._y, mx, my)
        self._x = px
        self._y = py

    def _put_exact(self, code: int, numbers: tuple[float, ...]) -> None:
        """Write a mouse position as floats. If the event contains a motion, the motion is also
        written.
        """
        self.data.append(code | _EXACT)
        self.data += (_DOUBLES_4 if len(numbers) == 4 else _DOUBLES_2).pack(*_finite(numbers))


# A mouse often returns to the same positions. Reading these positions from a cache takes a fifth of
# the time of a conversion.


_PLACES = 1 << 13


class _Pixels(dict[float, int | None]):
    """A cache for converting one mouse coordinate to pixels. The keys are positions in units, and
    the values are positions in whole pixels.

    For a position between two pixels, the value is None. See `Scale`.
    """

    def __init__(self, factor: float, offset: float, ratio: float) -> None:
        self._factor = factor
        self._offset = offset
        self._ratio = ratio

    def __missing__(self, position: float) -> int | None:
        try:
            pixel = round((position * self._factor + self._offset) / self._ratio)
        except OverflowError:  # the result is infinite
            return None
        same = (
            pixel * self._ratio - self._offset
        ) / self._factor == position and -_FAR < pixel < _FAR
        if len(self) >= _PLACES:
            self.clear()
        result = self[position] = pixel if same else None
        return result


class _Moves(dict[tuple[int, int], tuple[float, float, bytes]]):
    """A cache for converting mouse motions to units and to bytes. The keys are motions in whole
    pixels. The values are the same motions in units, and their bytes.
    """

    def __init__(self, scale: Scale) -> None:
        self._scale = scale

    def __missing__(self, pixels: tuple[int, int]) -> tuple[float, float, bytes]:
        if len(self) >= _PLACES:
            self.clear()
        result = self[pixels] = (*self._scale.motion(*pixels), _signed_numbers(*pixels))
        return result


_pixels = functools.lru_cache(maxsize=64)(_Pixels)
_moves = functools.lru_cache(maxsize=32)(_Moves)


@functools.lru_cache(maxsize=_PLACES)
def _signed_numbers(*numbers: int) -> bytes:
    data = bytearray()
    for number in numbers:
        put_signed(data, number)
    return bytes(data)


def _has_negative_zero(event: Event) -> bool:
    """Return whether any number in the event is -0.0. In Python, -0.0 is equal to 0.0, but the two
    numbers have different bytes.
    """
    for number in event[1:5]:
        if number == 0 and type(number) is float and math.copysign(1, number) < 0:
            return True
    return False


class InputReader:
    """Reads the input of ticks from the bytes that an `InputWriter` wrote. Raises `AssetError` if
    the bytes are invalid.
    """

    __slots__ = ("_left", "_scale", "_x", "_y", "data", "position")

    def __init__(self, data: bytes, scale: Scale | None = None) -> None:
        """``scale`` must be equal to the scale of the `InputWriter`."""
        self.data = data
        self.position = 0
        """The position of the next byte to read."""
        self._left = MAX_EVENTS
        self._scale = Scale() if scale is None else scale
        self._x = self._y = 0

    def tick(self) -> TickInput:
        """Read and return the input of the next tick."""
        try:
            return self._tick()
        except _Later as error:
            raise AssetError(
                f"A tick's input has at byte {self.position} an event of the kind "
                f"{error}, which this version cannot read. A later "
                "version wrote it."
            ) from None
        except (IndexError, KeyError, ValueError, OverflowError, struct.error):
            raise AssetError(
                f"A tick's input is broken at byte {self.position} of {len(self.data)}."
            ) from None

    def whole(self) -> int:
        """Read a non-negative integer that was written between two ticks."""
        try:
            return self._whole()
        except (IndexError, ValueError):
            raise AssetError(
                f"A recording's block is broken at byte {self.position} of {len(self.data)}."
            ) from None

    def _tick(self) -> TickInput:
        data = self.data
        length = 0
        events: list[Event] = []
        self._left = MAX_EVENTS
        while True:
            code = data[self.position]
            self.position += 1
            if code == _END:
                return TickInput(tuple(events), length)
            if code == _LENGTH:
                length = self._whole()
            elif code == _SCALE:
                self._scale = _scale(self._doubles(_DOUBLES_5))
            else:
                if code & 0x3F not in _NAMES and code & 0x3F in _LATER:
                    raise _Later(code & 0x3F)
                name, form = _NAMES[code & 0x3F]
                self._count_events(1)
                if form:
                    events.append((name, *self._arguments(code, form)))
                else:
                    events.append(_without_arguments(name, code))

    def _arguments(self, code: int, form: str) -> Iterator[Any]:
        if form[0] == "@":
            yield from self._placed(code, moves=form[:2] == "@@")
            form = form.lstrip("@")
        elif code > 0x3F:
            raise ValueError
        for kind in form:
            yield self._argument(kind)

    def _placed(self, code: int, moves: bool) -> Iterator[float]:
        if code & _EXACT:
            if code & _AS_MOVED:
                raise ValueError
            yield from _finite(self._doubles(_DOUBLES_4 if moves else _DOUBLES_2))
            return
        dx = self._signed()
        dy = self._signed()
        self._x = self._x + dx
        self._y = self._y + dy
        if max(abs(self._x), abs(self._y)) > _FAR:
            raise ValueError
        yield from self._scale.units(self._x, self._y)
        if moves:
            if not code & _AS_MOVED:
                dx = self._signed()
                dy = self._signed()
            yield from self._scale.motion(dx, dy)
        elif code & _AS_MOVED:
            raise ValueError

    def _argument(self, kind: str) -> Any:
        if kind == "u":
            return self._whole()
        if kind == "i":
            return self._signed()
        if kind in "nv":
            return self._number(kind)
        if kind == "s":
            return self._text()
        if kind == "p":
            return _pad_index(self._whole())
        if kind == "q":
            return _analog_value(self._signed())
        if kind in _CONTROLS:
            return _CONTROLS[kind][self._whole()]
        count = self._whole()
        self._count_events(count)
        return [self._text() for _ in range(count)]

    def _count_events(self, count: int) -> None:
        self._left -= count
        if self._left < 0:
            raise ValueError

    def _number(self, kind: str) -> float:
        number = self._whole()
        if number == 1:
            (value,) = _finite(self._doubles(_DOUBLE))
            return value
        if number & 1:
            raise ValueError
        whole = _signed(number >> 1)
        return whole if kind == "v" else float(whole)

    def _text(self) -> str:
        length = self._whole()
        data = self.data[self.position : self.position + length]
        if length > MAX_TEXT or len(data) != length:
            raise ValueError
        self.position += length
        return bytes(data).decode("utf-8")

    def _doubles(self, form: struct.Struct) -> tuple[float, ...]:
        numbers = form.unpack_from(self.data, self.position)
        self.position += form.size
        return numbers

    def _whole(self) -> int:
        data = self.data
        position = self.position
        byte = data[position]
        self.position = position + 1
        if byte < 0x80:
            return byte
        number = shift = 0
        for next_position in range(position, position + _MAX_INTEGER):
            byte = data[next_position]
            number |= (byte & 0x7F) << shift
            if byte < 0x80:
                self.position = next_position + 1
                return number
            shift += 7
        raise ValueError

    def _signed(self) -> int:
        return _signed(self._whole())


class _Later(Exception):
    """Raised if the bytes contain an event from a later version of the framework."""


def _pad_index(number: int) -> int:
    if number >= MAX_PADS:
        raise ValueError
    return number


def _analog_value(steps: int) -> float:
    if abs(steps) > STEPS:
        raise ValueError
    return steps / STEPS


def _without_arguments(name: str, code: int) -> Event:
    if code > 0x3F:
        raise ValueError
    return (name,)


def _scale(numbers: tuple[float, ...]) -> Scale:
    scale = Scale(*_finite(numbers))
    if not all(1e-6 < number < 1e6 for number in (scale.ratio, scale.x, scale.y)):
        raise ValueError
    if max(abs(scale.left), abs(scale.bottom)) > _MAX_EDGE:
        raise ValueError  # positions in units would be infinite
    return scale


def _finite(numbers: tuple[float, ...]) -> tuple[float, ...]:
    if not all(map(math.isfinite, numbers)):
        raise ValueError
    return numbers


# -- integers as bytes: seven bits per byte, lowest first, highest bit set if more bytes follow ----


def put_whole(data: bytearray, number: int) -> None:
    """Append a non-negative integer to ``data``. Small integers need fewer bytes than large
    integers.
    """
    if number < 0x80:
        data.append(number)  # `append` raises an error for a negative number
        return
    while number > 0x7F:
        data.append(number & 0x7F | 0x80)
        number >>= 7
    data.append(number)


def put_signed(data: bytearray, number: int) -> None:
    """Append an integer to ``data``. Small integers need fewer bytes than large integers. The
    integer may be negative. The integers 0, -1, 1, -2 and so on are written as 0, 1, 2, 3 and so
    on.
    """
    put_whole(data, number << 1 if number >= 0 else (-number << 1) - 1)


def _signed(number: int) -> int:
    return number >> 1 if not number & 1 else -(number + 1 >> 1)


def _put_number(data: bytearray, value: float) -> None:
    value = float(value)
    if not math.isfinite(value):
        raise ValueError
    if value.is_integer() and abs(value) < _FAR and (value or math.copysign(1, value) > 0):
        put_whole(data, (int(value) << 1 if value >= 0 else (-int(value) << 1) - 1) << 1)
    else:
        data.append(1)
        data += _DOUBLE.pack(value)


def _put_int_or_float(data: bytearray, value: float) -> None:
    if isinstance(value, int):
        _put_number(data, float(value))
    else:
        data.append(1)
        data += _DOUBLE.pack(*_finite((value,)))


def _put_text(data: bytearray, text: str) -> None:
    encoded = text.encode("utf-8", "replace")
    if len(encoded) > MAX_TEXT:
        raise ValueError
    put_whole(data, len(encoded))
    data += encoded


def _put_texts(data: bytearray, texts: list[str]) -> None:
    put_whole(data, len(texts))
    for text in texts:
        _put_text(data, text)


def _put_pad(data: bytearray, number: int) -> None:
    put_whole(data, _pad_index(number))


def _put_share(data: bytearray, value: float) -> None:
    if not -1 <= value <= 1:
        raise ValueError
    put_signed(data, round(value * STEPS))


def _put_control(controls: tuple[str, ...]) -> Callable[[bytearray, str], None]:
    return lambda data, name: put_whole(data, controls.index(name))


_PUT: dict[str, Callable[[bytearray, Any], None]] = {
    "u": put_whole,
    "i": put_signed,
    "n": _put_number,
    "v": _put_int_or_float,
    "s": _put_text,
    "l": _put_texts,
    "p": _put_pad,
    "q": _put_share,
    **{kind: _put_control(controls) for kind, controls in _CONTROLS.items()},
}


_WRITTEN = {
    name: (
        code,
        form.count("@"),
        tuple(_PUT[kind] for kind in form.lstrip("@")),
        1 + len(form) + form.count("@"),
    )
    for name, (code, form) in _FORMS.items()
}


def split_paused(events: tuple[Event, ...]) -> tuple[tuple[Event, ...], tuple[Event, ...]]:
    """Split events into two tuples: the events from a pause before the tick, and the events of the
    tick itself.
    """
    if STILL not in events:
        return (), events
    index = events.index(STILL)
    return events[:index], events[index + 1 :]


def by_player(events: Iterable[Event]) -> Iterator[tuple[int, Event]]:
    """For each event, yield the index of its player, and the event. The tuples ``("player", n)``
    are not yielded.
    """
    player = 0
    for event in events:
        if event[0] == "player":
            player = event[1]
        else:
            yield player, event


def _is_same_move(last: Event, event: Event) -> bool:
    """Return whether ``event`` can replace ``last``. Return True only if both events move the same
    stick or trigger.

    If replacing it would lose a press or a release, return False.
    """
    return last[:3] == event[:3] and [*map(zone, last[3:])] == [*map(zone, event[3:])]


class Inbox:
    """The events that wait for the next tick."""

    __slots__ = ("_player", "events")

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._player = 0

    def put(self, event: Event, player: int = 0) -> None:
        """Add an event of a player.

        If the previous event moves the same stick or trigger, the new event replaces it. If
        replacing it would lose a press or a release, the previous event stays.
        """
        events = self.events
        if player != self._player:
            events.append(("player", player))
            self._player = player
        elif event[0] in _ANALOGUE and events and _is_same_move(events[-1], event):
            events[-1] = event
            return
        events.append(event)

    def take(self) -> list[Event]:
        """Return all events in the order of their arrival, and remove them."""
        events = self.events
        self.events = []
        if self._player:
            events.append(("player", 0))
            self._player = 0
        return events

    def capture(self) -> tuple[Event, ...]:
        """Return the waiting events, for snapshots. To restore the events later, pass the result to
        `restore`.
        """
        return tuple(self.events)

    def restore(self, saved: tuple[Event, ...]) -> None:
        """Restore the waiting events that `capture` returned earlier."""
        self.events = [*saved]
        self._player = next((event[1] for event in reversed(saved) if event[0] == "player"), 0)


class Incoming:
    """All events of a game that are waiting for the next tick.

    Events from a window, a test, an agent or a recording wait in `inbox`. They are input, so
    recordings and `Rewind` store them. The game's own code can also create events, in a tick or in
    `setup`. These events wait in `own`, which is part of the game state and of snapshots. They are
    not input, because they follow from the state of the game: if a tick runs again, the game's code
    creates the same events again. For this reason, recordings do not store them.
    """

    __slots__ = ("inbox", "own", "own_is_recorded", "shut", "taken", "ticking")
    not_state = True  # the module `engine_state` captures `own`

    def __init__(self) -> None:
        self.inbox = Inbox()
        """The events from outside since the last tick."""
        self.own = Inbox()
        """The events that the game's own code added in its most recent tick."""
        self.ticking = True
        """True while a tick or `setup` is running. An event that is added during a tick comes from
        the game's own code.
        """
        self.shut = False
        """True while a recording is being played. During the playback, events from outside are
        ignored.
        """
        self.own_is_recorded = False
        """True if the played recording also contains key presses that were added by the game's own
        code. See `Recording.old`.
        """
        self.taken: Callable[[], set[tuple[Any, ...]]] = set
        """A function that returns the keys and buttons that are down and whose press a widget has
        used.
        """

    def put(self, event: Event, player: int = 0) -> None:
        """Add an event of a player to the input of the next tick."""
        if self.ticking:
            self.own.put(event, player)
        elif not self.shut:
            self.inbox.put(event, player)

    def waiting(self) -> Iterator[tuple[int, Event]]:
        """For each event of the next tick, yield the index of its player, and the event."""
        yield from by_player(self.own.events)
        yield from by_player(self.inbox.events)
