"""The gamepads of this machine: pyglet's controllers, on their way to the ticks.

They are looked for when a game in a window first asks for its pads, and not before: that opens
every input device there is. Where there is nothing to look through (off screen, in a container
without ``/dev/input``), there are no pads.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any, Protocol

from ..input.buttons import coming_down
from ..input.layout import BUTTONS, CONTROLS, MAX_PADS, STICKS, TRIGGERS, kind_of, quantised, steps
from ..input.pads import Pad, Pads
from ..input.tick_input import Event

# By how much of a step a value has to change beyond half of one, so that one that trembles between
# two is still.
_TREMBLE = 0.75
_CROSS = {"dpleft": (-1, 0), "dpright": (1, 0), "dpdown": (0, -1), "dpup": (0, 1)}


class HasHandlers(Protocol):
    """An object of pyglet's that calls handlers: a window, for example."""

    def push_handlers(self, *handlers: Any, **named: Any) -> None: ...
    def remove_handlers(self, *handlers: Any, **named: Any) -> None: ...


class Controller(HasHandlers, Protocol):
    """A controller of pyglet's."""

    @property
    def name(self) -> str | None: ...

    def open(self, window: Any) -> None: ...
    def close(self) -> None: ...
    def rumble_play_strong(self, strength: float, duration: float) -> None: ...
    def rumble_play_weak(self, strength: float, duration: float) -> None: ...
    def rumble_stop_strong(self) -> None: ...
    def rumble_stop_weak(self) -> None: ...


class Manager(HasHandlers, Protocol):
    """The controller manager of pyglet."""

    def get_controllers(self) -> Iterable[Controller]: ...


class Ports:
    """Which pad is in which of the places: one that comes back has the place that it had, if that
    is free.
    """

    def __init__(self) -> None:
        self._known = [""] * MAX_PADS
        self._taken = [False] * MAX_PADS

    def take(self, identity: str) -> int | None:
        """The place of a pad that comes; None where all are taken. A new one has a place that none
        had, if there is one. Two that cannot be told apart come back in the order of their
        places."""
        free = [place for place in range(MAX_PADS) if not self._taken[place]]
        if not free:
            return None
        place = min(
            free,
            key=lambda place: (self._known[place] != identity, self._known[place] != "", place),
        )
        self._known[place], self._taken[place] = identity, True
        return place

    def leave(self, place: int) -> None:
        """The pad there is gone."""
        self._taken[place] = False


class Device:
    """A controller of pyglet's: its events, as ours. ``send`` is given them."""

    def __init__(self, controller: Controller, place: int, send: Callable[[Event], object]) -> None:
        self.controller, self.place, self._send = controller, place, send
        self._cross: set[str] = set()
        self._down: set[str] = set()
        self._levels: dict[str, tuple[int, ...]] = dict.fromkeys(STICKS, (0, 0)) | dict.fromkeys(
            TRIGGERS, (0,)
        )

    def on_button_press(self, controller: Controller, button: str) -> None:
        """As pyglet has it. A trigger that is a button goes to its end."""
        if button in BUTTONS:
            self._press(button)
        elif button in TRIGGERS:
            self._move("on_pad_trigger", button, (1.0,))

    def on_button_release(self, controller: Controller, button: str) -> None:
        """As pyglet has it."""
        if button in BUTTONS:
            self._let_go(button)
        elif button in TRIGGERS:
            self._move("on_pad_trigger", button, (0.0,))

    def on_dpad_motion(self, controller: Controller, vector: Iterable[float]) -> None:
        """As pyglet has it: the cross is four buttons."""
        x, y = map(float, vector)
        down = {name for name, (right, up) in _CROSS.items() if x * right + y * up > 0.5}
        before, self._cross = self._cross, down
        for name in _CROSS:
            if (name in down) != (name in before):
                (self._press if name in down else self._let_go)(name)

    def on_stick_motion(self, controller: Controller, stick: str, vector: Iterable[float]) -> None:
        """As pyglet has it: x to the right, y up."""
        if stick in STICKS:
            self._move("on_pad_stick", stick, tuple(map(float, vector)))

    def on_trigger_motion(self, controller: Controller, trigger: str, value: float) -> None:
        """As pyglet has it. Some drivers count from -1."""
        if trigger in TRIGGERS:
            self._move("on_pad_trigger", trigger, (max(0.0, float(value)),))

    def _press(self, button: str) -> None:
        self._down.add(button)
        self._send(("on_pad_press", self.place, button))

    def _let_go(self, button: str) -> None:
        self._down.discard(button)
        self._send(("on_pad_release", self.place, button))

    def _move(self, name: str, control: str, values: tuple[float, ...]) -> None:
        levels = tuple(map(_settled, values, self._levels[control]))
        if levels != self._levels[control]:
            self._levels[control] = levels
            self._tell(name, control)

    def _tell(self, name: str, control: str) -> None:
        self._send(
            (
                name,
                self.place,
                control,
                *[quantised(level / 127) for level in self._levels[control]],
            )
        )

    def tell_all(self) -> None:
        """Say again how it leans, after nobody has listened."""
        for control, levels in self._levels.items():
            if any(levels):
                self._tell("on_pad_stick" if control in STICKS else "on_pad_trigger", control)

    def settle(self, pad: Pad, taken: Iterable[tuple[Any, ...]]) -> Iterator[Event]:
        """What has to come so that a game's pad is as this one is, some of whose buttons widgets
        have ``taken``.
        """
        coming = coming_down(pad)
        down = {
            name
            for name in BUTTONS
            if CONTROLS[name] in coming or ("pad", self.place, name) in taken
        }
        yield from [
            ("on_pad_release", self.place, name) for name in BUTTONS if name in down - self._down
        ]
        yield from [
            ("on_pad_press", self.place, name) for name in BUTTONS if name in self._down - down
        ]
        for control, levels in self._levels.items():
            name = "on_pad_stick" if control in STICKS else "on_pad_trigger"
            yield name, self.place, control, *[quantised(level / 127) for level in levels]


def _settled(value: float, before: int) -> int:
    """The step of a value, or still the one before where that is next to it and hardly left."""
    level = steps(value)
    return before if level and abs(level) < 127 and abs(value * 127 - before) < _TREMBLE else level


class Gamepads:
    """The controllers, from now on until `release`. ``send`` is given their events.

    ``module`` is pyglet.input, which is loaded unless given; ``window`` is pyglet's.
    """

    not_state = True

    def __init__(
        self, window: HasHandlers, send: Callable[[Event], object], module: Any = None
    ) -> None:
        self._window, self._send = window, send
        self._ports = Ports()
        self._devices: dict[
            int, tuple[Controller, Device]
        ] = {}  # by what identifies pyglet's objects, and these
        self._manager: Manager | None = None
        self._listening = True
        self.problem = ""
        """Why no pads are looked for, in words."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter(
                    "ignore"
                )  # pyglet's, of controllers without a mapping: it finds one
                module = importlib.import_module("pyglet.input") if module is None else module
                manager: Manager = module.ControllerManager()
                there = list(manager.get_controllers())
        except Exception as error:  # as many as there are systems: a game goes on without pads
            self.problem = str(error) or type(error).__name__
            return
        self._manager = manager
        manager.push_handlers(on_connect=self.on_connect, on_disconnect=self.on_disconnect)
        window.push_handlers(on_activate=self.on_activate, on_deactivate=self.on_deactivate)
        for controller in there:
            self.on_connect(controller)

    def on_connect(self, controller: Controller) -> None:
        """A controller is there."""
        if id(controller) in self._devices:
            return
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                controller.open(self._window)
        except Exception as error:  # it may not be read, or is gone already
            self.problem = f"{controller.name}: {error}"
            return
        place = self._ports.take(_identity(controller))
        if place is None:
            controller.close()
            return
        device = Device(controller, place, self._hear)
        self._devices[id(controller)] = controller, device
        self._send(_connected(controller, place))
        controller.push_handlers(device)

    def on_disconnect(self, controller: Controller) -> None:
        """A controller was pulled out."""
        entry = self._devices.pop(id(controller), None)
        if entry is None:
            return
        _, device = entry
        self._let_go(controller, device)
        self._ports.leave(device.place)
        self._send(("on_pad_disconnect", device.place))

    def on_activate(self) -> None:
        """The window has the focus again: how the pads lean now is news."""
        if not self._listening:
            self._listening = True
            for _, device in self._devices.values():
                device.tell_all()

    def on_deactivate(self) -> None:
        """Somebody plays something else: that is none of the game's."""
        self._listening = False

    def _hear(self, event: Event) -> None:
        if self._listening:
            self._send(event)

    def settle(self, pads: Pads, taken: Iterable[tuple[Any, ...]] = ()) -> Iterator[Event]:
        """What has to come so that a game, whose pads are as they were at another time, has them as
        they are.
        """
        there = {
            device.place: (controller, device) for controller, device in self._devices.values()
        }
        for pad in pads:
            if pad.number not in there:
                if pad.connected:
                    yield "on_pad_disconnect", pad.number
                continue
            controller, device = there[pad.number]
            if not pad.connected:
                yield _connected(controller, pad.number)
            yield from device.settle(pad, taken)

    def rumble(self, place: int, strong: float, weak: float, seconds: float) -> None:
        """Shake the pad in a place."""
        for controller, device in self._devices.values():
            if device.place == place:
                with suppress(Exception):  # pulled out in this moment
                    _shake(controller, "strong", strong, seconds)
                    _shake(controller, "weak", weak, seconds)

    def names(self) -> list[str]:
        """What is there, in the order of the places."""
        found = sorted(self._devices.values(), key=lambda known: known[1].place)
        return [str(controller.name) for controller, _ in found]

    def _let_go(self, controller: Controller, device: Device) -> None:
        with suppress(Exception):
            controller.remove_handlers(device)
        with suppress(Exception):  # what was pulled out may be closed already
            controller.close()

    def release(self) -> None:
        """The game is over."""
        if self._manager is None:
            return
        manager, self._manager = self._manager, None
        for controller, device in self._devices.values():
            for motor in ("strong", "weak"):
                with suppress(Exception):
                    _shake(controller, motor, 0.0, 0.0)
            self._let_go(controller, device)
        self._devices.clear()
        manager.remove_handlers(on_connect=self.on_connect, on_disconnect=self.on_disconnect)
        with suppress(Exception):
            self._window.remove_handlers(
                on_activate=self.on_activate, on_deactivate=self.on_deactivate
            )
        _forget(manager)


def _connected(controller: Controller, place: int) -> Event:
    name = str(controller.name or "Gamepad")[:200]
    return "on_pad_connect", place, name, kind_of(name, str(getattr(controller, "guid", "") or ""))


def _identity(controller: Controller) -> str:
    """What a pad is known by when it comes back: its own number where it has one, or else what all
    of its make have.
    """
    device: object = getattr(controller, "device", None)
    number: object = getattr(device, "uniq", "") or ""
    number = number.decode("latin-1") if isinstance(number, bytes) else str(number)
    return number.strip("\0 ") or f"{getattr(controller, 'guid', '')} {controller.name}"


def _shake(controller: Controller, motor: str, strength: float, seconds: float) -> None:
    if strength and seconds:
        play = controller.rumble_play_strong if motor == "strong" else controller.rumble_play_weak
        play(strength, seconds)
    else:
        stop = controller.rumble_stop_strong if motor == "strong" else controller.rumble_stop_weak
        stop()


def _forget(manager: Manager) -> None:
    """On Linux pyglet's loop would keep a manager, with its open file, for as long as the process
    runs.
    """
    pyglet = sys.modules.get("pyglet")
    loop = None if pyglet is None else pyglet.app.platform_event_loop
    devices: Iterable[Any] = getattr(loop, "select_devices", ())
    if isinstance(devices, set):
        devices.discard(manager)


def described() -> str:
    """In words, the gamepads of this machine, for a process that does nothing else. Raises
    `FrameworkError` and others where there is nothing to look through."""
    from .window import display_reachable, prepare  # which loads pyglet

    if not display_reachable():
        raise OSError("there is no display, and pyglet needs one to look for them")
    prepare(False)
    module = importlib.import_module("pyglet.input")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        manager: Manager = module.ControllerManager()
        found = [str(controller.name) for controller in manager.get_controllers()]
    return ", ".join(found)
