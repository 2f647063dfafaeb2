"""Find the connected gamepads with pyglet, and pass their input to the game.

To find gamepads, pyglet opens every input device of the computer, which takes time. Therefore, the
search starts only when a game in a window first reads its gamepads. A game without a window, or in
a container without ``/dev/input``, has no gamepads.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any, Protocol

from ..input.buttons import pending_down
from ..input.gamepad_layout import (
    BUTTONS,
    CONTROLS,
    MAX_PADS,
    STICKS,
    TRIGGERS,
    kind_of,
    quantised,
    steps,
)
from ..input.pads import Gamepad, Gamepads
from ..input.tick_input import Event

# The value of a stick or trigger is a whole number of steps of 1/127. It changes only when the
# stick moves by this many steps, so the noise of an untouched stick has no effect.
_HYSTERESIS = 0.75
_CROSS = {"dpleft": (-1, 0), "dpright": (1, 0), "dpdown": (0, -1), "dpup": (0, 1)}


class HasHandlers(Protocol):
    """The methods of a pyglet object that has event handlers, for example a window."""

    def push_handlers(self, *handlers: Any, **named: Any) -> None: ...
    def remove_handlers(self, *handlers: Any, **named: Any) -> None: ...


class PygletController(HasHandlers, Protocol):
    """The methods of pyglet's gamepad object that the framework uses."""

    @property
    def name(self) -> str | None: ...

    def open(self, window: Any) -> None: ...
    def close(self) -> None: ...
    def rumble_play_strong(self, strength: float, duration: float) -> None: ...
    def rumble_play_weak(self, strength: float, duration: float) -> None: ...
    def rumble_stop_strong(self) -> None: ...
    def rumble_stop_weak(self) -> None: ...


class PygletControllerManager(HasHandlers, Protocol):
    """The methods of pyglet's list of connected gamepads that the framework uses."""

    def get_controllers(self) -> Iterable[PygletController]: ...


class GamepadSlots:
    """Assigns a slot to each connected gamepad. The slot is the gamepad's index in `Game.pads`.

    A gamepad that reconnects gets its previous slot, unless another gamepad is using it.
    """

    def __init__(self) -> None:
        self._identities = [""] * MAX_PADS
        self._in_use = [False] * MAX_PADS

    def take(self, identity: str) -> int | None:
        """Return a slot for a gamepad that connects, or None if all slots are in use.

        If possible, a new gamepad gets a slot that no gamepad had before. If two identical gamepads
        reconnect, the first one gets the lower slot.
        """
        free = [slot for slot in range(MAX_PADS) if not self._in_use[slot]]
        if not free:
            return None
        slot = min(
            free,
            key=lambda slot: (
                self._identities[slot] != identity,
                self._identities[slot] != "",
                slot,
            ),
        )
        self._identities[slot] = identity
        self._in_use[slot] = True
        return slot

    def free(self, slot: int) -> None:
        """Mark a slot as free because its gamepad has been disconnected."""
        self._in_use[slot] = False


class Device:
    """Converts the events of one pyglet controller to events of the framework, and passes each
    event to the function ``send``.
    """

    def __init__(
        self, controller: PygletController, slot: int, send: Callable[[Event], object]
    ) -> None:
        self.controller = controller
        self.slot = slot
        self._send = send
        self._cross: set[str] = set()
        self._down: set[str] = set()
        self._levels: dict[str, tuple[int, ...]] = dict.fromkeys(STICKS, (0, 0)) | dict.fromkeys(
            TRIGGERS, (0,)
        )

    def on_button_press(self, controller: PygletController, button: str) -> None:
        """Send the event for a pressed button. Some drivers report a trigger as a button. In this
        case, send a trigger event with the value 1.
        """
        if button in BUTTONS:
            self._press(button)
        elif button in TRIGGERS:
            self._move("on_pad_trigger", button, (1.0,))

    def on_button_release(self, controller: PygletController, button: str) -> None:
        """Send the event for a released button."""
        if button in BUTTONS:
            self._release(button)
        elif button in TRIGGERS:
            self._move("on_pad_trigger", button, (0.0,))

    def on_dpad_motion(self, controller: PygletController, vector: Iterable[float]) -> None:
        """Send press and release events for the directional pad, whose four directions count as
        buttons.
        """
        x, y = map(float, vector)
        down = {name for name, (right, up) in _CROSS.items() if x * right + y * up > 0.5}
        before = self._cross
        self._cross = down
        for name in _CROSS:
            if (name in down) != (name in before):
                (self._press if name in down else self._release)(name)

    def on_stick_motion(
        self, controller: PygletController, stick: str, vector: Iterable[float]
    ) -> None:
        """Send the new position of a stick. x points to the right and y points up. Both are from -1
        to 1.
        """
        if stick in STICKS:
            self._move("on_pad_stick", stick, tuple(map(float, vector)))

    def on_trigger_motion(self, controller: PygletController, trigger: str, value: float) -> None:
        """Send the new value of a trigger, from 0 to 1. Some drivers report -1 for a released
        trigger, which becomes 0 in the event.
        """
        if trigger in TRIGGERS:
            self._move("on_pad_trigger", trigger, (max(0.0, float(value)),))

    def _press(self, button: str) -> None:
        self._down.add(button)
        self._send(("on_pad_press", self.slot, button))

    def _release(self, button: str) -> None:
        self._down.discard(button)
        self._send(("on_pad_release", self.slot, button))

    def _move(self, name: str, control: str, values: tuple[float, ...]) -> None:
        levels = tuple(map(_settled, values, self._levels[control]))
        if levels != self._levels[control]:
            self._levels[control] = levels
            self._report(name, control)

    def _report(self, name: str, control: str) -> None:
        self._send(
            (
                name,
                self.slot,
                control,
                *[quantised(level / 127) for level in self._levels[control]],
            )
        )

    def report_all(self) -> None:
        """Send the values of all sticks and triggers that are not at rest. Called when the window
        gains the focus, because a window without the focus receives no gamepad values.
        """
        for control, levels in self._levels.items():
            if any(levels):
                self._report("on_pad_stick" if control in STICKS else "on_pad_trigger", control)

    def settle(self, pad: Gamepad, taken: Iterable[tuple[Any, ...]]) -> Iterator[Event]:
        """Yield input events that make the game's ``pad`` match the real gamepad. ``taken``
        contains the held buttons whose press a widget has used. They already count as pressed, so
        no press events are yielded for them.
        """
        coming = pending_down(pad)
        down = {
            name
            for name in BUTTONS
            if CONTROLS[name] in coming or ("pad", self.slot, name) in taken
        }
        yield from [
            ("on_pad_release", self.slot, name) for name in BUTTONS if name in down - self._down
        ]
        yield from [
            ("on_pad_press", self.slot, name) for name in BUTTONS if name in self._down - down
        ]
        for control, levels in self._levels.items():
            name = "on_pad_stick" if control in STICKS else "on_pad_trigger"
            yield name, self.slot, control, *[quantised(level / 127) for level in levels]


def _settled(value: float, before: int) -> int:
    """Convert the value of a stick or trigger to a whole number of steps, from -127 to 127.
    ``before`` is the last number of steps that was sent to the game. If the value has moved by less
    than 0.75 steps, return ``before``, unless the new number is -127, 0 or 127. Small random
    movements of a stick therefore cause no events.
    """
    level = steps(value)
    return (
        before if level and abs(level) < 127 and abs(value * 127 - before) < _HYSTERESIS else level
    )


class Controllers:
    """Finds the connected gamepads with pyglet, and passes their events to the function ``send``.

    ``window`` is the pyglet window of the game. ``module`` is the module ``pyglet.input``. If
    ``module`` is None, the class imports it.
    """

    not_state = True

    def __init__(
        self, window: HasHandlers, send: Callable[[Event], object], module: Any = None
    ) -> None:
        self._window = window
        self._send = send
        self._slots = GamepadSlots()
        # The key is the `id` of pyglet's controller.
        self._devices: dict[int, tuple[PygletController, Device]] = {}
        self._manager: PygletControllerManager | None = None
        self._listening = True
        self.problem = ""
        """The error message if gamepads cannot be used, otherwise ""."""
        # The class of the error depends on the system. The game continues without gamepads.
        try:
            manager, controllers = _find_controllers(module)
        except Exception as error:
            self.problem = str(error) or type(error).__name__
            return
        self._manager = manager
        manager.push_handlers(on_connect=self.on_connect, on_disconnect=self.on_disconnect)
        window.push_handlers(on_activate=self.on_activate, on_deactivate=self.on_deactivate)
        for controller in controllers:
            self.on_connect(controller)

    def on_connect(self, controller: PygletController) -> None:
        """Open a gamepad that has been connected, and send the event ``on_pad_connect``."""
        if id(controller) in self._devices:
            return
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                controller.open(self._window)
        except Exception as error:  # no permission to open the device, or the device was unplugged
            self.problem = f"{controller.name}: {error}"
            return
        slot = self._slots.take(_identity(controller))
        if slot is None:
            controller.close()
            return
        device = Device(controller, slot, self._forward)
        self._devices[id(controller)] = controller, device
        self._send(_connected(controller, slot))
        controller.push_handlers(device)

    def on_disconnect(self, controller: PygletController) -> None:
        """Close a gamepad that has been unplugged, and send the event ``on_pad_disconnect``."""
        entry = self._devices.pop(id(controller), None)
        if entry is None:
            return
        _, device = entry
        self._disconnect(controller, device)
        self._slots.free(device.slot)
        self._send(("on_pad_disconnect", device.slot))

    def on_activate(self) -> None:
        """Send the current values of all sticks and triggers, because the window has gained the
        focus.
        """
        if not self._listening:
            self._listening = True
            for _, device in self._devices.values():
                device.report_all()

    def on_deactivate(self) -> None:
        """Ignore all gamepads until the window gains the focus again."""
        self._listening = False

    def _forward(self, event: Event) -> None:
        if self._listening:
            self._send(event)

    def settle(self, pads: Gamepads, taken: Iterable[tuple[Any, ...]] = ()) -> Iterator[Event]:
        """Yield input events that make the game's ``pads`` match the real gamepads."""
        by_slot = {
            device.slot: (controller, device) for controller, device in self._devices.values()
        }
        for pad in pads:
            if pad.number not in by_slot:
                if pad.connected:
                    yield "on_pad_disconnect", pad.number
                continue
            controller, device = by_slot[pad.number]
            if not pad.connected:
                yield _connected(controller, pad.number)
            yield from device.settle(pad, taken)

    def rumble(self, slot: int, strong: float, weak: float, seconds: float) -> None:
        """Make the gamepad at index ``slot`` vibrate for ``seconds`` seconds."""
        for controller, device in self._devices.values():
            if device.slot == slot:
                with suppress(Exception):  # the controller may have just been unplugged
                    _shake(controller, "strong", strong, seconds)
                    _shake(controller, "weak", weak, seconds)

    def names(self) -> list[str]:
        """Return the names of all connected gamepads, in the same order as in `Game.pads`."""
        devices = sorted(self._devices.values(), key=lambda entry: entry[1].slot)
        return [str(controller.name) for controller, _ in devices]

    def _disconnect(self, controller: PygletController, device: Device) -> None:
        with suppress(Exception):
            controller.remove_handlers(device)
        with suppress(Exception):  # an unplugged controller may be closed already
            controller.close()

    def release(self) -> None:
        """Release all gamepads at the end of the game."""
        if self._manager is None:
            return
        manager = self._manager
        self._manager = None
        for controller, device in self._devices.values():
            for motor in ("strong", "weak"):
                with suppress(Exception):
                    _shake(controller, motor, 0.0, 0.0)
            self._disconnect(controller, device)
        self._devices.clear()
        manager.remove_handlers(on_connect=self.on_connect, on_disconnect=self.on_disconnect)
        with suppress(Exception):
            self._window.remove_handlers(
                on_activate=self.on_activate, on_deactivate=self.on_deactivate
            )
        _remove_from_event_loop(manager)


def _find_controllers(module: Any) -> tuple[PygletControllerManager, list[PygletController]]:
    """Return a new controller manager of pyglet, and the connected controllers. ``module`` is the
    module ``pyglet.input``, or None to import it.
    """
    # pyglet warns about controllers without a mapping, but still finds a mapping.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = importlib.import_module("pyglet.input") if module is None else module
        manager: PygletControllerManager = module.ControllerManager()
        return manager, list(manager.get_controllers())


def _connected(controller: PygletController, slot: int) -> Event:
    name = str(controller.name or "Gamepad")[:200]
    return "on_pad_connect", slot, name, kind_of(name, str(getattr(controller, "guid", "") or ""))


def _identity(controller: PygletController) -> str:
    """Return a string that identifies a gamepad: its serial number, or its model if it has no
    serial number.
    """
    device: object = getattr(controller, "device", None)
    serial: object = getattr(device, "uniq", "") or ""
    serial = serial.decode("latin-1") if isinstance(serial, bytes) else str(serial)
    return serial.strip("\0 ") or f"{getattr(controller, 'guid', '')} {controller.name}"


def _shake(controller: PygletController, motor: str, strength: float, seconds: float) -> None:
    if strength and seconds:
        play = controller.rumble_play_strong if motor == "strong" else controller.rumble_play_weak
        play(strength, seconds)
    else:
        stop = controller.rumble_stop_strong if motor == "strong" else controller.rumble_stop_weak
        stop()


def _remove_from_event_loop(manager: PygletControllerManager) -> None:
    """Remove the controller manager ``manager`` from pyglet's event loop. Otherwise, pyglet's event
    loop on Linux would never close one of the manager's files.
    """
    pyglet = sys.modules.get("pyglet")
    loop = None if pyglet is None else pyglet.app.platform_event_loop
    devices: Iterable[Any] = getattr(loop, "select_devices", ())
    if isinstance(devices, set):
        devices.discard(manager)


def gamepad_names() -> str:
    """Return the names of all gamepads that are connected to this machine, separated by commas.
    Call this function only in a separate process, because it changes the options of pyglet.

    Raises `OSError` if the machine has no display. If pyglet cannot search for gamepads, this
    function may raise other exceptions.
    """
    from .window import display_reachable, prepare  # imported here because it loads pyglet

    if not display_reachable():
        raise OSError("there is no display, and pyglet needs one to find gamepads")
    prepare(False)
    module = importlib.import_module("pyglet.input")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        manager: PygletControllerManager = module.ControllerManager()
        names = [str(controller.name) for controller in manager.get_controllers()]
    return ", ".join(names)
