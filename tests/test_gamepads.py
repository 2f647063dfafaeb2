"""Gamepads of the machine: pyglet's controllers with simulated devices, and their errors."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pyglet
import pytest
from pyglet.event import EventDispatcher

import framework as fw
from framework.game.driven_game import driven
from framework.game.gamepads import Controllers, GamepadSlots
from framework.input.pads import Gamepad, set_device_search
from framework.ui.interface import interface_of


@pytest.fixture(scope="module")
def base() -> Any:
    """pyglet's controller classes.

    The modules that search for devices cannot be loaded without a window.
    """
    import importlib.util
    from pathlib import Path

    folder = Path(pyglet.__file__).parent / "input"
    spec = importlib.util.spec_from_file_location("controllers_of_pyglet", folder / "base.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


BUTTONS = [
    "a",
    "b",
    "x",
    "y",
    "back",
    "start",
    "guide",
    "leftshoulder",
    "rightshoulder",
    "leftstick",
    "rightstick",
]
CROSS = ["dpup", "dpdown", "dpleft", "dpright"]
AXES = ["leftx", "lefty", "rightx", "righty", "lefttrigger", "righttrigger"]


class DeviceWorld:
    """Simulated devices that can be connected, moved and disconnected.

    Each has pyglet's real Controller.
    """

    def __init__(self, base: Any) -> None:
        self.base = base
        self.window = Window()
        self.connected: list[Any] = []
        self.events: list[Any] = []
        self.manager: Any = None

    def ControllerManager(self) -> Any:
        world = self

        class Manager(self.base.ControllerManager):  # type: ignore[name-defined, misc]
            def get_controllers(self) -> list[Any]:
                return [
                    controller
                    for controller in world.connected
                    if controller.device.is_open is False
                ]

        self.manager = Manager()
        return self.manager

    def controller(self, name: str = "Pad", guid: str = "0300", **device_options: Any) -> Any:
        base = self.base
        relation = SimpleNamespace
        mapping: dict[str, Any] = {"guid": guid, "name": name}
        controls: list[Any] = [base.Button(button) for button in BUTTONS + CROSS]
        controls += [
            base.AbsoluteAxis(axis, 0 if "trigger" in axis else -32768, 32767) for axis in AXES
        ]
        sign = base.Sign.DEFAULT
        for index, button in enumerate(BUTTONS + CROSS):
            mapping[button] = relation(control_type="button", index=index, sign=sign)
        for index, axis in enumerate(AXES):
            mapping[axis] = relation(control_type="axis", index=index, sign=sign)

        class Device(base.Device):  # type: ignore[name-defined, misc]
            is_open = False
            refuses: Any = None

            def open(self, window: Any = None, exclusive: bool = False) -> None:
                if self.refuses is not None:
                    raise self.refuses
                self.is_open = True

            def close(self) -> None:
                if not self.is_open:
                    raise OSError("closed twice")
                self.is_open = False

            def get_controls(self) -> list[Any]:
                return controls

            def get_guid(self) -> str:
                return guid

        device = Device(None, name)
        for key, value in device_options.items():
            setattr(device, key, value)
        controller = base.Controller(device, mapping)
        controller.shaken = []
        for motor in ("weak", "strong"):
            setattr(
                controller,
                f"rumble_play_{motor}",
                lambda *given, motor=motor: controller.shaken.append((motor, *given)),
            )
            setattr(
                controller,
                f"rumble_stop_{motor}",
                lambda motor=motor: controller.shaken.append((motor, "stop")),
            )
        controller.by_name = dict(zip(BUTTONS + CROSS + AXES, controls, strict=True))
        return controller

    def open(self) -> Controllers:
        self.gamepads = Controllers(
            self.window, self.events.append, self
        )  # keeps a reference: pyglet has only a weak one
        return self.gamepads

    def plug(self, controller: Any) -> None:
        self.manager.dispatch_event("on_connect", controller)

    def pull(self, controller: Any) -> None:
        self.manager.dispatch_event("on_disconnect", controller)

    def take(self) -> list[Any]:
        events = self.events.copy()
        self.events[:] = []
        return events


class Window(EventDispatcher):
    """The part of a window that a gamepad's adapter uses: the events of the window's focus."""


Window.register_event_type("on_activate")
Window.register_event_type("on_deactivate")


@pytest.fixture
def world(base: Any) -> DeviceWorld:
    return DeviceWorld(base)


def turn(controller: Any, name: str, value: Any) -> None:
    controller.by_name[name].value = value


# -- events ----------------------------------------------------------------------------------------


def test_a_controller_sends_events(world: DeviceWorld) -> None:
    pad = world.controller("Xbox Pad")
    world.connected.append(pad)
    world.open()
    assert world.take() == [("on_pad_connect", 0, "Xbox Pad", "xbox")]
    turn(pad, "a", True)
    turn(pad, "a", False)
    assert world.take() == [("on_pad_press", 0, "a"), ("on_pad_release", 0, "a")]
    turn(pad, "lefty", -32768)  # drivers send -32768 for up
    turn(pad, "leftx", 16384)
    assert world.take() == [
        ("on_pad_stick", 0, "leftstick", 0.0, 1.0),
        ("on_pad_stick", 0, "leftstick", 64 / 127, 1.0),
    ]
    turn(pad, "righttrigger", 32767)
    assert world.take() == [("on_pad_trigger", 0, "righttrigger", 1.0)]
    turn(pad, "dpup", True)
    turn(pad, "dpleft", True)
    turn(pad, "dpup", False)
    assert [event[0::2] for event in world.take()] == [
        ("on_pad_press", "dpup"),
        ("on_pad_press", "dpleft"),
        ("on_pad_release", "dpup"),
    ]


def test_a_trembling_stick_sends_no_events(world: DeviceWorld) -> None:
    pad = world.controller()
    world.connected.append(pad)
    world.open()
    turn(pad, "leftx", 10_000)
    world.take()
    for value in (10_000, 10_129, 10_064, 10_193) * 5:  # back and forth by half a step of 258
        turn(pad, "leftx", value)
    assert len(world.take()) <= 1
    turn(pad, "leftx", 32767)
    turn(pad, "leftx", 0)
    assert [event[3] for event in world.take()] == [1.0, 0.0]  # the ends and the center are reached


def test_unusual_values_are_rounded_to_the_nearest_step(world: DeviceWorld) -> None:
    pad = world.controller()
    world.connected.append(pad)
    world.open()
    world.take()
    pad.dispatch_event("on_stick_motion", pad, "leftstick", (5.0, float("nan")))
    pad.dispatch_event("on_trigger_motion", pad, "lefttrigger", -1.0)
    pad.dispatch_event(
        "on_button_press", pad, "righttrigger"
    )  # on some gamepads the triggers are buttons
    pad.dispatch_event("on_button_release", pad, "righttrigger")
    pad.dispatch_event("on_button_press", pad, "paddle1")
    assert world.take() == [
        ("on_pad_stick", 0, "leftstick", 1.0, 0.0),
        ("on_pad_trigger", 0, "righttrigger", 1.0),
        ("on_pad_trigger", 0, "righttrigger", 0.0),
    ]


def test_without_focus_a_gamepad_sends_nothing_and_then_its_current_state(
    world: DeviceWorld,
) -> None:
    pad = world.controller()
    world.connected.append(pad)
    world.open()
    world.take()
    world.window.dispatch_event("on_deactivate")
    turn(pad, "a", True)
    turn(pad, "lefttrigger", 32767)
    turn(pad, "leftx", 32767)
    assert world.take() == []
    world.window.dispatch_event("on_activate")
    world.window.dispatch_event("on_activate")
    assert world.take() == [
        ("on_pad_stick", 0, "leftstick", 1.0, 0.0),
        ("on_pad_trigger", 0, "lefttrigger", 1.0),
    ]


# -- connecting ------------------------------------------------------------------------------------


def test_a_gamepad_that_returns_gets_its_slot_again(world: DeviceWorld) -> None:
    world.open()
    first, second, third = (world.controller("Pad", guid) for guid in ("01", "02", "03"))
    for pad in (first, second):
        world.plug(pad)
        world.plug(pad)  # the event arrives twice
    world.pull(first)
    world.pull(first)
    world.plug(third)
    assert first.device.is_open is False
    again = world.controller("Pad", "01")  # on Linux pyglet creates a new object for the device
    world.plug(again)
    turn(again, "b", True)
    assert [(event[0], event[1]) for event in world.take()] == [
        ("on_pad_connect", 0),
        ("on_pad_connect", 1),
        ("on_pad_disconnect", 0),
        ("on_pad_connect", 2),
        ("on_pad_connect", 0),
        ("on_pad_press", 0),
    ]


def test_equal_gamepads_have_different_slots_and_are_recognized_by_their_guid(
    world: DeviceWorld,
) -> None:
    slots = GamepadSlots()
    assert [slots.take("twin"), slots.take("twin"), slots.take("other")] == [0, 1, 2]
    slots.free(1)
    slots.free(0)
    assert [slots.take("twin"), slots.take("twin")] == [0, 1]
    assert [slots.take(str(slot)) for slot in range(6)] == [3, 4, 5, 6, 7, None]
    slots.free(2)
    assert slots.take("new") == 2  # no slot is left that was never used
    pads = [world.controller("Twin", uniq=number) for number in (b"aa:01\0", b"aa:02\0")]
    world.open()
    for pad in pads:
        world.plug(pad)
    for pad in pads:
        world.pull(pad)
    world.take()
    world.plug(pads[1])
    assert world.take()[0][:2] == ("on_pad_connect", 1)


def test_a_gamepad_that_cannot_be_opened_gets_no_slot(world: DeviceWorld) -> None:
    refused = world.controller("Locked")
    refused.device.refuses = world.base.DeviceOpenException("permission denied")
    world.connected += [refused, world.controller("Open")]
    gamepads = world.open()
    assert world.take() == [("on_pad_connect", 0, "Open", "generic")]
    assert gamepads.problem == "Locked: permission denied"
    assert gamepads.names() == ["Open"]


@pytest.mark.parametrize("error", [OSError("no /dev/input"), ImportError("no xlib"), ValueError()])
def test_without_a_device_search_there_are_no_gamepads(error: Exception) -> None:
    def fail() -> None:
        raise error

    gamepads = Controllers(Window(), print, SimpleNamespace(ControllerManager=fail))
    assert gamepads.problem in (str(error), "ValueError")
    gamepads.rumble(0, 1, 1, 1)
    gamepads.release()


def test_the_end_closes_devices_and_stops_rumble(world: DeviceWorld) -> None:
    pad = world.controller()
    world.connected.append(pad)
    gamepads = world.open()
    loop = pyglet.app.platform_event_loop
    devices = getattr(loop, "select_devices", None)
    if devices is not None:
        devices.add(world.manager)
    world.take()
    gamepads.release()
    gamepads.release()
    assert pad.device.is_open is False
    assert pad.shaken == [("strong", "stop"), ("weak", "stop")]
    assert devices is None or world.manager not in devices
    turn(pad, "a", True)
    world.plug(world.controller())
    world.window.dispatch_event("on_deactivate")
    assert world.take() == []


def test_rumble_reaches_the_motors_and_ignores_a_gamepad_that_is_gone(world: DeviceWorld) -> None:
    pad = world.controller()
    world.connected.append(pad)
    gamepads = world.open()
    gamepads.rumble(0, 0.7, 0.2, 0.5)
    gamepads.rumble(0, 0.0, 0.0, 0.5)
    gamepads.rumble(3, 1, 1, 1)
    assert pad.shaken == [
        ("strong", 0.7, 0.5),
        ("weak", 0.2, 0.5),
        ("strong", "stop"),
        ("weak", "stop"),
    ]

    def gone(*arguments: Any) -> None:
        raise OSError("no such device")

    pad.rumble_play_strong = gone
    gamepads.rumble(0, 1, 1, 1)


# -- in a game -------------------------------------------------------------------------------------


class PadLog(fw.Game):
    def setup(self) -> None:
        self.log: list[Any] = []

    def update(self, dt: float) -> None:
        self.log.append((self.pads[0].connected, self.pads[0].presses("a")))

    def on_pad_press(self, pad: int, button: str) -> None:
        self.log.append(button)


@pytest.fixture
def shaken() -> list[Any]:
    return []


def in_a_window(game: Any, world: DeviceWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a game without a window search for gamepads, as a game with a window does."""
    stage, _, events, *_ = driven(game)
    monkeypatch.setitem(sys.modules, "pyglet.input", world)  # type: ignore[arg-type]
    monkeypatch.setattr(type(stage.surface), "window", world.window, raising=False)
    set_device_search(stage.pads, events._look_for_pads)


def test_devices_are_searched_when_a_gamepad_is_first_used(
    world: DeviceWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    pad = world.controller()
    world.connected.append(pad)
    game = PadLog(drawing=False)
    del game._engine.surface.window  # without drawing the game has no window
    in_a_window(game, world, monkeypatch)
    with game:
        assert world.manager is None
        game.run_ticks()
        assert world.manager is not None
        turn(pad, "a", True)
        turn(pad, "a", False)
        turn(pad, "a", True)
        game.run_ticks()
        assert game.log == [(False, 0), "a", "a", (True, 2)]
        game.pads[0].rumble(0.5, 1)
        taken = game.snapshot()
        game.run_ticks()
        game.restore(taken)
        game.pads[0].rumble(0.25, 1, weak=0)
    assert pad.shaken[:4] == [
        ("strong", 0.5, 1.0),
        ("weak", 0.5, 1.0),
        ("strong", 0.25, 1.0),
        ("weak", "stop"),
    ]


def test_rumble_checks_its_arguments_and_does_nothing_without_a_device() -> None:
    pad = Gamepad()
    pad.rumble()
    for arguments in ({"strength": 2}, {"seconds": -1}, {"weak": "x"}):
        with pytest.raises((TypeError, ValueError), match=next(iter(arguments))):
            pad.rumble(**arguments)  # type: ignore[arg-type]


def test_a_game_that_continues_from_a_rewind_has_the_current_state_of_its_gamepads(
    world: DeviceWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    pads = [world.controller(f"Pad {number}", f"0{number}") for number in range(2)]
    world.connected += pads
    game = PadLog(drawing=False)
    del game._engine.surface.window
    in_a_window(game, world, monkeypatch)
    with game:
        events = driven(game).events
        game.run_ticks(2)
        turn(pads[0], "a", True)
        turn(pads[0], "leftx", 32767)
        game.run_ticks()
        taken = game.snapshot()
        turn(pads[0], "a", False)
        turn(pads[0], "b", True)
        turn(pads[0], "leftx", 0)
        world.pull(pads[1])
        game.run_ticks(2)
        assert game.pads[0].leftstick == (0, 0)
        game.restore(taken)
        assert (game.pads[0]["a"], game.pads[1].connected) == (True, True)
        game.testing.feed(events.settled())
        game.run_ticks(2)
        pad = game.pads[0]
        assert (pad["a"], pad["b"], pad.leftstick, game.pads[1].connected) == (
            False,
            True,
            (0, 0),
            False,
        )
        assert {event[0] for event in events.settled()} == {
            "on_pad_stick",
            "on_pad_trigger",
        }  # the current positions


def test_gamepad_buttons_that_widgets_have_taken_are_released_or_stay_held_after_a_rewind(
    world: DeviceWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    pad = world.controller("Pad", "00")
    world.connected.append(pad)
    game = PadLog(drawing=False)
    del game._engine.surface.window
    in_a_window(game, world, monkeypatch)
    with game:
        events = driven(game).events
        ui = game.ui
        button = ui.column().button("x")
        ui.set_focus(button)
        game.run_ticks(2)
        turn(pad, "a", True)
        game.run_ticks()
        assert interface_of(ui).taken == {("pad", 0, "a")}
        assert not game.pads[0]["a"]
        assert not [
            event for event in events.settled() if event[0] == "on_pad_press"
        ]  # the button is held, and its press was handled
        taken = game.snapshot()
        turn(pad, "a", False)
        game.run_ticks()
        game.restore(taken)
        assert ("on_pad_release", 0, "a") in events.settled()
        game.testing.feed(events.settled())
        game.run_ticks()
        assert not interface_of(game.ui).taken


def test_a_waiting_press_remains_after_the_rewind_was_shown() -> None:
    with PadLog(drawing=False) as game:
        game.recording.rewind = fw.Rewind()
        game.run_ticks(5)
        game.testing.press("pad:a")
        game.recording.rewind.seek(5)
        game.recording.rewind.resume()
        game.run_ticks()
        assert game.log[-1] == (True, 1)


_HEADLESS = """
import sys
import framework as fw

class Rumbling(fw.Game):
    def update(self, dt):
        self.pads[0].rumble()
        self.connected = [pad.connected for pad in self.pads]

class Refuses:
    def find_spec(self, name, path=None, target=None):
        if name.startswith("pyglet.input"):
            raise AssertionError(name)

sys.meta_path.insert(0, Refuses())
for options in ({"drawing": False}, {"headless": True}):
    with Rumbling(size=(16, 16), **options) as game:
        game.testing.press("pad:a")
        game.run(2)
        assert game.connected == [True] + 7 * [False]
assert "pyglet.input.base" not in sys.modules
"""


def test_without_a_window_pyglets_input_is_not_loaded() -> None:
    process = subprocess.run(
        [sys.executable, "-W", "error", "-c", _HEADLESS],
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr
