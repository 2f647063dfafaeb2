"""Pass keys, typed text, and input from the mouse and gamepads to the widgets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from ..checks import Setting
from ..input import key, mouse
from ..input.tick_input import Event
from . import commands
from .containers import Popup, Scroll, wheel_across
from .focus import FocusTracker
from .navigation import neighbour
from .text_field import TextField, move_caret, shortcut
from .theme import Playable, Theme
from .widget import Widget, node_of

_FIRST_REPEAT = 0.4  # seconds until a held direction moves the focus again
_NEXT_REPEAT = 0.12  # seconds between all later moves
_CTRL = key.MOD_CTRL | key.MOD_COMMAND


class Asking(Protocol):
    """The interface of an object that is waiting for the player to press a key or button."""

    def give(self, answer: str) -> None: ...


class InputHandler(FocusTracker):
    """The base class of `Interface` that handles the input events of a tick."""

    theme: Setting[Theme]  # `Interface` defines these settings
    scale: Setting[float]
    sounds: Setting[bool]
    screen_keyboard: Setting[bool]

    def __init__(self, copied: Callable[[str], object]) -> None:
        super().__init__()
        self.view_size = (0.0, 0.0)
        self.copied = copied
        """A function that is called with the text that the player copies to the clipboard."""
        self.asking: list[Asking] = []
        """The routines that are waiting for the player to press a key or button.

        The last routine in the list receives the press.
        """
        self.taken: set[tuple[Any, ...]] = set()
        """The keys and buttons that are down and that a widget has used.

        An item is ("key", symbol), ("mouse", button) or ("pad", place, control). ("command",
        symbol) is a key that types no text while it is down.
        """
        self._leans: dict[int, str] = {}  # the direction of each gamepad's stick
        self._steering: tuple[tuple[object, ...], str] | None = None
        self._steered = 0.0
        self._pending: list[tuple[Callable[..., object], tuple[object, ...]]] = []

    def open_keyboard(self, field: TextField) -> None:
        """Open an on-screen keyboard for a text field."""
        raise NotImplementedError

    # -- ticks -------------------------------------------------------------------------------------

    def tick(self, dt: float) -> None:
        """Run a tick. ``dt`` is the length of the tick in seconds of game time. While the player
        holds an arrow key, or the D-pad or the left stick in a direction, the focus moves
        repeatedly. If the mouse pointer and the focus have not moved for some time, a tooltip
        appears.
        """
        if self._steering is not None:
            self._steered += dt
            if self._steered >= _FIRST_REPEAT:
                self._steered -= _NEXT_REPEAT
                self._command(self._steering[1])
                self.call_pending()
        self.advance_tooltip(dt)

    def call_later(self, function: Callable[..., object], *arguments: object) -> None:
        """Call ``function`` later, after all events of the tick."""
        self._pending.append((function, arguments))

    def call_pending(self, same: Callable[[], bool] = lambda: True) -> None:
        """Call all functions that were passed to `call_later`. If a function changes the scenes,
        ``same()`` returns False, and the remaining functions are not called. Otherwise, a second
        click on "Back" in the same tick could close two scenes.
        """
        while self._pending and same():
            function, arguments = self._pending.pop(0)
            function(*arguments)
        self._pending.clear()

    # -- commands ----------------------------------------------------------------------------------

    def _command(self, command: str) -> bool:
        """Execute a menu command, such as "left". Return whether a widget has used it."""
        widgets = self.focusables()
        if not widgets or command == "cancel":
            return False
        self._reset_tooltip()
        if command in ("next", "previous") and self.close_popup():
            widgets = self.focusables()
            if not widgets:  # the closed list was the only root with focusable widgets
                return True
        focus = self.focus
        if focus is None or not any(widget is focus for widget in widgets):
            focus = widgets[-1 if command in ("up", "previous") else 0]
            self._move_focus(focus)
            if command != "accept":
                return True
        index = next(index for index, widget in enumerate(widgets) if widget is focus)
        if command == "accept":
            self._press(focus)
        elif command in ("next", "previous"):
            self._move_focus(widgets[(index + (1 if command == "next" else -1)) % len(widgets)])
        # `on_direction` may have removed some of the widgets.
        elif not focus.on_direction(command) and self.focusables() == widgets:
            self._focus_neighbor(widgets, index, command)
        return True

    def _focus_neighbor(self, widgets: Sequence[Widget], index: int, direction: str) -> None:
        """Move the focus from ``widgets[index]`` to the nearest widget in a direction."""
        self.settle()
        rects = [(*self.position_of(widget), widget.box.w, widget.box.h) for widget in widgets]
        neighbor_index = neighbour(rects, index, direction)
        if neighbor_index is not None:
            self._move_focus(widgets[neighbor_index])

    def _move_focus(self, widget: Widget) -> None:
        self.set_focus(widget)
        self._play_sound(self.theme.focus_sound, 1, 0.5)

    def _press(self, widget: Widget) -> None:
        if isinstance(widget, TextField):
            return
        self._play_sound(self.theme.press_sound, 4, 1.0)
        self.call_later(self._pressed, widget)
        self.note_change()

    def _pressed(self, widget: Widget) -> None:
        """Press a widget, unless an earlier press in the same tick has removed or disabled it."""
        if self.has(widget) and node_of(widget).interactive:
            widget.press()

    def _play_sound(self, sound: Playable | None, seed: int, volume: float) -> None:
        if sound is None and self.sounds:
            from ..audio.sound import Sound  # games without sounds do not import this module

            sound = Sound.sfx(seed, "blip")
        if sound is not None:
            sound.play(volume=volume)

    # -- events ------------------------------------------------------------------------------------

    def handle_events(self, events: Sequence[Event]) -> list[Event]:
        """Handle the events of a tick. Return the events that no widget has used, in their original
        order.
        """
        unused = []
        for event in events:
            if self.asking and event[0] in _PRESSES:
                self._answer_press(event)
                continue
            method = _HANDLERS.get(event[0])
            if method is None or not method(self, *event[1:]):
                unused.append(event)
        return unused

    def _answer_press(self, event: Event) -> None:
        """Pass the pressed key or button to the newest routine that is waiting for a press. Neither
        the widgets nor the game receive the press.
        """
        name = _PRESSES[event[0]]
        source: int | str = event[{"key": 1, "mouse": 3, "pad": 2}[name]]
        self.taken.add((name, *event[1:3]) if name == "pad" else (name, source))
        source_name = commands.source_name(name, source)
        if source_name is not None:
            self.asking.pop().give(source_name)

    def _to_units(self, x: float, y: float) -> tuple[float, float]:
        """Convert a position from units of the view to units of the `UI`. The y axis of the view
        points up, and the y axis of the `UI` points down.
        """
        self.settle()
        return x / self.scale, (self.view_size[1] - y) / self.scale

    def _mouse_motion(self, x: float, y: float, *details: Any) -> bool:
        self.move_pointer(self._to_units(x, y))
        if self.held is not None:
            self.held.on_drag(*self.local(self.held), False)
        dragged = details[2] if len(details) > 2 else 0
        return any(button[0] == "mouse" and button[1] & dragged for button in self.taken)

    def _mouse_press(self, x: float, y: float, button: int, modifiers: int) -> bool:
        self.move_pointer(self._to_units(x, y))
        self._reset_tooltip()
        widget = self.hovered
        if widget is None and not self.has_modal():
            if isinstance(self.focus, TextField):
                self.set_focus(None)
            return False
        self.taken.add(("mouse", button))
        if widget is None:
            self.close_popup()
            return True
        self._grab(widget, button, modifiers)
        # `on_mouse_press` may have removed the widget.
        if button == mouse.LEFT and self.has(widget) and node_of(widget).interactive:
            self.held = widget
            if widget.focusable:
                self.set_focus(widget)
            widget.on_drag(*self.local(widget), True)
            self.note_change()
        return True

    def _grab(self, widget: Widget | None, button: int, modifiers: int) -> None:
        """Call `on_mouse_press` of ``widget``, of its parent, and so on, until a widget uses the
        press. The widget that uses the press also receives the event when the mouse button is
        released.
        """
        while widget is not None:
            parent = widget.parent
            if (
                self.has(widget)
                and node_of(widget).interactive
                and widget.on_mouse_press(*self.local(widget), button, modifiers)
            ):
                if self.has(widget) and node_of(widget).interactive:
                    self.set_grabs({**self.grabs, button: widget})
                return
            widget = parent

    def _let_go(self, button: int, modifiers: int) -> None:
        """Pass the release of a mouse button to the widget that used the press."""
        widget = self.grabs.get(button)
        if widget is not None:
            self.set_grabs(
                {number: grab for number, grab in self.grabs.items() if number != button}
            )
            widget.on_mouse_release(*self.local(widget), button, modifiers)

    def _mouse_release(self, x: float, y: float, button: int, modifiers: int) -> bool:
        self.move_pointer(self._to_units(x, y))
        self._let_go(button, modifiers)
        pressed = self.held
        if pressed is not None and button == mouse.LEFT:
            self.held = None
            self.note_change()
            if pressed is self.hovered and pressed.focusable:
                self._press(pressed)
        return self._release("mouse", button)

    def _mouse_scroll(self, x: float, y: float, scroll_x: float, scroll_y: float) -> bool:
        self.move_pointer(self._to_units(x, y))
        widget = self.hovered
        while widget is not None:
            scrolled_across = (
                isinstance(widget, Scroll) and scroll_x and wheel_across(widget, scroll_x)
            )
            if (scroll_y and widget.on_wheel(scroll_y)) or scrolled_across:
                return True
            widget = widget.parent
        return self.hovered is not None or self.has_modal()

    def _mouse_leave(self, x: float, y: float) -> bool:
        self.remove_pointer()
        return False

    def _key_press(self, symbol: int, modifiers: int) -> bool:
        if key.F1 <= symbol <= key.F12 and not self._press_action(("on_key_press", symbol), None):
            return False
        field = self._focused_field()
        if not self._handle_key(symbol, modifiers):
            return False
        self.taken.add(("key", symbol))
        opens_field = symbol == key.SPACE and field is None and self._focused_field() is not None
        # If Space opens a text field, the same press does not type a space in it.
        (self.taken.add if opens_field else self.taken.discard)(("command", symbol))
        return True

    def _handle_key(self, symbol: int, modifiers: int) -> bool:
        command = commands.key_command(symbol, modifiers)
        field = self._focused_field()
        leaves = (
            (key.TAB,) if field is not None and field.lines > 1 else (key.UP, key.DOWN, key.TAB)
        )
        if field is not None and symbol not in leaves:
            self._edit(field, symbol, modifiers)
            return True
        if self._press_action(("on_key_press", symbol), command):
            return True
        is_used = command is not None and self._start_command(command, ("key", symbol))
        return is_used or self.has_modal() or self._text_widget() is not None

    def _start_command(self, command: str, cause: tuple[object, ...]) -> bool:
        if command in commands.DIRECTIONS:
            self._steering = (cause, command)
            self._steered = 0.0
        if self._command(command):
            return True
        self._steering = None
        return False

    def _press_action(self, event: Event, command: str | None) -> bool:
        """Press the widget whose ``action`` is the key or button that the player pressed, such as
        "f5".

        If no widget has this ``action``, return False.
        """
        for root in self.active_roots():
            for widget in node_of(root).walk():
                if (
                    widget.action is not None
                    and node_of(widget).interactive
                    and commands.is_triggered(widget.action, event, command)
                ):
                    self._press(widget)
                    return True
        return False

    def _focused_field(self) -> TextField | None:
        focus = self.focus
        return focus if isinstance(focus, TextField) and self.receives_events(focus) else None

    def _text_widget(self) -> Widget | None:
        """Return the focused widget if it can receive typed text, otherwise None.

        Text fields receive typed text, and so do the game's own widgets if their class has a method
        ``type``.
        """
        focus = self.focus
        return (
            focus
            if focus is not None
            and type(focus).type is not Widget.type
            and self.receives_events(focus)
            else None
        )

    def _typing_popup(self) -> Popup | None:
        """Return the popup that receives typed text, or None if there is none.

        This is the topmost root, if it is a popup such as an on-screen keyboard or an open list.
        """
        roots = self.active_roots()
        return roots[0] if roots and isinstance(roots[0], Popup) else None

    def _edit(self, field: TextField, symbol: int, modifiers: int) -> None:
        if symbol == key.ESCAPE:
            self.set_focus(None)
        elif symbol in (key.ENTER, key.NUM_ENTER) and (field.lines == 1 or modifiers & _CTRL):
            field.submit()
        elif symbol in (key.ENTER, key.NUM_ENTER):
            field.type("\n")
        elif modifiers & _CTRL:
            copied = shortcut(field, symbol)
            if copied is not None:
                self.copied(copied)

    def _release(self, *button: object) -> bool:
        if self._steering is not None and self._steering[0] == button:
            self._steering = None
        was_used = button in self.taken
        self.taken.discard(button)
        return was_used

    def _key_release(self, symbol: int, modifiers: int) -> bool:
        self.taken.discard(("command", symbol))
        return self._release("key", symbol)

    def _text(self, text: str) -> bool:
        writer = self._text_widget()
        server = self._typing_popup()
        written = None if writer is None else writer.type
        letter = isinstance(writer, TextField) and ("command", key.SPACE) not in self.taken
        presses = text == " " and not letter  # Space presses the focused widget
        if server is not None and text != " ":
            written = server.write
        elif presses:
            written = None
        if written is not None:
            if text not in ("\r", "\n"):  # Enter is handled as a key
                written(text)
            self.note_change()
        return written is not None or any(button[0] == "key" for button in self.taken)

    def _text_motion(self, motion: int, select: bool = False) -> bool:
        field = self._focused_field()
        server = self._typing_popup()
        if server is not None:
            server.on_text_motion(motion)
        if field is not None and (
            field.lines > 1 or motion not in (key.MOTION_UP, key.MOTION_DOWN)
        ):
            move_caret(field, motion, select)
            self.note_change()
        return field is not None or any(button[0] == "key" for button in self.taken)

    def _text_motion_select(self, motion: int) -> bool:
        return self._text_motion(motion, True)

    def _pad_press(self, number: int, control: str) -> bool:
        command = commands.button_command(control)
        is_used = self._press_action(("on_pad_press", number, control), command)
        field = self._focused_field()
        if not is_used and command == "accept" and field is not None and self.screen_keyboard:
            self.open_keyboard(field)
            is_used = True
        if not is_used and command is not None:
            is_used = self._start_command(command, ("pad", number, control))
        if is_used or self.has_modal():
            self.taken.add(("pad", number, control))
            return True
        return False

    def _pad_release(self, number: int, control: str) -> bool:
        return self._release("pad", number, control)

    def _pad_stick(self, number: int, stick: str, x: float, y: float) -> bool:
        """Move the focus when the player pushes the left stick to a side.

        Return False, because the game must also receive this event.
        """
        if stick == "leftstick":
            leans = commands.stick_direction(x, y) or ""
            if leans != self._leans.get(number, ""):
                self._leans[number] = leans
                self._release("stick", number)
                if leans:
                    self._start_command(leans, ("stick", number))
        return False

    def _pad_disconnect(self, number: int) -> bool:
        self._leans.pop(number, None)
        self.taken = {button for button in self.taken if button[:2] != ("pad", number)}
        self._steering = None
        return False

    def _deactivate(self) -> bool:
        self.taken = set()
        self._steering = None
        self.held = None
        self.set_grabs({})
        self._leans = {}
        self.close_popup()
        self.note_change()
        return False


_HANDLERS: dict[str, Callable[..., bool]] = {
    "on_mouse_motion": InputHandler._mouse_motion,
    "on_mouse_drag": InputHandler._mouse_motion,
    "on_mouse_press": InputHandler._mouse_press,
    "on_mouse_release": InputHandler._mouse_release,
    "on_mouse_scroll": InputHandler._mouse_scroll,
    "on_mouse_leave": InputHandler._mouse_leave,
    "on_key_press": InputHandler._key_press,
    "on_key_release": InputHandler._key_release,
    "on_text": InputHandler._text,
    "on_text_motion": InputHandler._text_motion,
    "on_text_motion_select": InputHandler._text_motion_select,
    "on_pad_press": InputHandler._pad_press,
    "on_pad_release": InputHandler._pad_release,
    "on_pad_stick": InputHandler._pad_stick,
    "on_pad_disconnect": InputHandler._pad_disconnect,
    "on_deactivate": InputHandler._deactivate,
}

_PRESSES = {"on_key_press": "key", "on_mouse_press": "mouse", "on_pad_press": "pad"}
