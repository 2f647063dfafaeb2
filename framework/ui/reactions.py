"""What the player's events mean to the widgets of an interface: pointing, the focus, keys, pads and
typing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from ..checks import Setting
from ..input import key, mouse
from ..input.tick_input import Event
from . import commands
from .attention import Attention
from .editing import TextField, move_caret, shortcut
from .focus import neighbour
from .gadgets import Bound, poll
from .panes import Popup, Scroll, wheel_across
from .theme import Playable, Theme
from .widget import Widget, seat_of

_WAITS, _REPEATS = 0.4, 0.12  # seconds for which a direction is held until it counts again
_CTRL = key.MOD_CTRL | key.MOD_COMMAND
_POLLED = 4  # widgets that are asked in a tick whether what they show is another


class Asking(Protocol):
    """What waits for the next press."""

    def give(self, answer: str) -> None: ...


class Reactions(Attention):
    """The part of a `UI` that hears of events and of ticks."""

    theme: Setting[Theme]  # those of `Interface`
    scale: Setting[float]
    sounds: Setting[bool]
    screen_keyboard: Setting[bool]

    def __init__(self, copied: Callable[[str], object]) -> None:
        super().__init__()
        self.picture = (0.0, 0.0)
        self.copied = copied
        """Is told what was copied."""
        self.asking: list[Asking] = []
        """Who are told of the next press, instead of all others: the last one first."""
        self.taken: set[tuple[Any, ...]] = set()
        """What is down, whose press was for a widget: ("key", symbol), ("mouse", button), ("pad",
        place, control); and ("command", symbol) of a key that types nothing while it is down."""
        self._leans: dict[int, str] = {}  # the direction of each pad's stick
        self._steering: tuple[tuple[object, ...], str] | None = None
        self._steered = 0.0
        self._polled = 0
        self._pending: list[tuple[Callable[..., object], tuple[object, ...]]] = []
        self._watched: list[Bound[Any]] = []  # those whose values may change

    def open_keyboard(self, field: TextField) -> None:
        """Have a keyboard on the screen for a field."""
        raise NotImplementedError

    # -- ticks -------------------------------------------------------------------------------------

    def tick(self, dt: float) -> None:
        """A tick of so many simulated seconds."""
        if self._steering is not None:
            self._steered += dt
            if self._steered >= _WAITS:
                self._steered -= _REPEATS
                self._command(self._steering[1])
                self.act()
        self.stay(dt)
        for _ in range(min(_POLLED, len(self._watched))):
            self._polled = (self._polled + 1) % len(self._watched)
            poll(self._watched[self._polled])

    def later(self, function: Callable[..., object], *arguments: object) -> None:
        """Have a function called when the tick's input is latched."""
        self._pending.append((function, arguments))

    def act(self, same: Callable[[], bool] = lambda: True) -> None:
        """Call what widgets want called, as long as the scenes are the ``same``: a second click on
        "Back" within a tick would take off another one."""
        while self._pending and same():
            function, arguments = self._pending.pop(0)
            function(*arguments)
        self._pending.clear()

    # -- commands ----------------------------------------------------------------------------------

    def _command(self, command: str) -> bool:
        """Do what a key or a pad's button means. Returns whether it was for a widget."""
        widgets = self.focusables()
        if not widgets or command == "cancel":
            return False
        self._stir()
        if command in ("next", "previous") and self.close_popup():
            widgets = self.focusables()
            if not widgets:  # the list was the only root that takes the focus
                return True
        focus = self.focus
        if focus is None or not any(widget is focus for widget in widgets):
            self._go(widgets[-1 if command in ("up", "previous") else 0])
            return True
        place = next(place for place, widget in enumerate(widgets) if widget is focus)
        if command == "accept":
            self._press(focus)
        elif command in ("next", "previous"):
            self._go(widgets[(place + (1 if command == "next" else -1)) % len(widgets)])
        elif (
            not focus.steer(command) and self.focusables() == widgets
        ):  # it may have taken some of them away
            self.settle()
            rects = [(*self.place_of(widget), widget.box.w, widget.box.h) for widget in widgets]
            found = neighbour(rects, place, command)
            if found is not None:
                self._go(widgets[found])
        return True

    def _go(self, widget: Widget) -> None:
        self.set_focus(widget)
        self._sound(self.theme.focus_sound, 1, 0.5)

    def _press(self, widget: Widget) -> None:
        if isinstance(widget, TextField):
            return
        self._sound(self.theme.press_sound, 4, 1.0)
        self.later(self._pressed, widget)
        self.note_change()

    def _pressed(self, widget: Widget) -> None:
        """It was pressed, unless what was pressed before it in this tick has taken it away."""
        if self.has(widget) and seat_of(widget).usable:
            widget.press()

    def _sound(self, sound: Playable | None, seed: int, volume: float) -> None:
        if sound is None and self.sounds:
            from ..audio.sound import Sound  # a game without sounds loads none of it

            sound = Sound.sfx(seed, "blip")
        if sound is not None:
            sound.play(volume=volume)

    # -- what the player does ----------------------------------------------------------------------

    def hear(self, events: Sequence[Event]) -> list[Event]:
        """What came for a tick. Returns what was not for a widget, in its order."""
        rest = []
        for event in events:
            if self.asking and event[0] in _PRESSES:
                self._caught(event)
                continue
            method = _HEARD.get(event[0])
            if method is None or not method(self, *event[1:]):
                rest.append(event)
        return rest

    def _caught(self, event: Event) -> None:
        """A press is what a routine waits for, and nothing else."""
        name = _PRESSES[event[0]]
        source: int | str = event[{"key": 1, "mouse": 3, "pad": 2}[name]]
        self.taken.add((name, *event[1:3]) if name == "pad" else (name, source))
        found = commands.source_name(name, source)
        if found is not None:
            self.asking.pop().give(found)

    def _inside(self, x: float, y: float) -> tuple[float, float]:
        """A place in the picture, in units of the interface, y down."""
        self.settle()
        return x / self.scale, (self.picture[1] - y) / self.scale

    def _mouse_motion(self, x: float, y: float, *more: Any) -> bool:
        self.point_at(self._inside(x, y))
        if self.held is not None:
            self.held.point(*self.local(self.held), False)
        dragged = more[2] if len(more) > 2 else 0
        return any(what[0] == "mouse" and what[1] & dragged for what in self.taken)

    def _mouse_press(self, x: float, y: float, button: int, modifiers: int) -> bool:
        self.point_at(self._inside(x, y))
        self._stir()
        widget = self.hot
        if widget is None and not self.has_modal():
            if isinstance(self.focus, TextField):
                self.set_focus(None)
            return False
        self.taken.add(("mouse", button))
        if widget is None:
            self.close_popup()
        if widget is not None and button == mouse.LEFT and seat_of(widget).usable:
            self.held = widget
            if widget.focusable:
                self.set_focus(widget)
            widget.point(*self.local(widget), True)
            self.note_change()
        return True

    def _mouse_release(self, x: float, y: float, button: int, modifiers: int) -> bool:
        self.point_at(self._inside(x, y))
        held = self.held
        if held is not None and button == mouse.LEFT:
            self.held = None
            self.note_change()
            if held is self.hot and held.focusable:
                self._press(held)
        return self._let_go("mouse", button)

    def _mouse_scroll(self, x: float, y: float, scroll_x: float, scroll_y: float) -> bool:
        self.point_at(self._inside(x, y))
        widget = self.hot
        while widget is not None:
            across = isinstance(widget, Scroll) and scroll_x and wheel_across(widget, scroll_x)
            if (scroll_y and widget.wheel(scroll_y)) or across:
                return True
            widget = widget.parent
        return self.hot is not None or self.has_modal()

    def _mouse_leave(self, x: float, y: float) -> bool:
        self.point_away()
        return False

    def _key_press(self, symbol: int, modifiers: int) -> bool:
        if key.F1 <= symbol <= key.F12 and not self._acts(("on_key_press", symbol), None):
            return False
        field = self._field()
        if not self._for_key(symbol, modifiers):
            return False
        self.taken.add(("key", symbol))
        brought = symbol == key.SPACE and field is None and self._field() is not None
        (self.taken.add if brought else self.taken.discard)(
            ("command", symbol)
        )  # to a field, where it is no letter
        return True

    def _for_key(self, symbol: int, modifiers: int) -> bool:
        command = commands.of_key(symbol, modifiers)
        field = self._field()
        leaves = (
            (key.TAB,) if field is not None and field.lines > 1 else (key.UP, key.DOWN, key.TAB)
        )
        if field is not None and symbol not in leaves:
            self._edit(field, symbol, modifiers)
            return True
        if self._acts(("on_key_press", symbol), command):
            return True
        taken = command is not None and self._begins(command, ("key", symbol))
        return taken or self.has_modal() or self._writer() is not None

    def _begins(self, command: str, by: tuple[object, ...]) -> bool:
        if command in commands.STEERS:
            self._steering, self._steered = (by, command), 0.0
        if self._command(command):
            return True
        self._steering = None
        return False

    def _acts(self, event: Event, command: str | None) -> bool:
        """Press the widget whose action that is."""
        for root in self.listening():
            for widget in seat_of(root).walk():
                if (
                    widget.action is not None
                    and seat_of(widget).usable
                    and commands.is_meant(widget.action, event, command)
                ):
                    self._press(widget)
                    return True
        return False

    def _field(self) -> TextField | None:
        focus = self.focus
        return focus if isinstance(focus, TextField) and self.hears(focus) else None

    def _writer(self) -> Widget | None:
        """The widget with the focus, if text is for it: a field, or one of the game's own with a
        method ``type``.
        """
        focus = self.focus
        return (
            focus
            if focus is not None and type(focus).type is not Widget.type and self.hears(focus)
            else None
        )

    def _server(self) -> Popup | None:
        """The uppermost root if it takes what is typed: a keyboard on the screen, or a list."""
        roots = self.listening()
        return roots[0] if roots and isinstance(roots[0], Popup) else None

    def _edit(self, field: TextField, symbol: int, modifiers: int) -> None:
        if symbol == key.ESCAPE:
            self.set_focus(None)
        elif symbol in (key.ENTER, key.NUM_ENTER) and (field.lines == 1 or modifiers & _CTRL):
            field.enter()
        elif symbol in (key.ENTER, key.NUM_ENTER):
            field.type("\n")
        elif modifiers & _CTRL:
            copied = shortcut(field, symbol)
            if copied is not None:
                self.copied(copied)

    def _let_go(self, *what: object) -> bool:
        if self._steering is not None and self._steering[0] == what:
            self._steering = None
        taken = what in self.taken
        self.taken.discard(what)
        return taken

    def _key_release(self, symbol: int, modifiers: int) -> bool:
        self.taken.discard(("command", symbol))
        return self._let_go("key", symbol)

    def _text(self, text: str) -> bool:
        writer, server = self._writer(), self._server()
        written = None if writer is None else writer.type
        letter = isinstance(writer, TextField) and ("command", key.SPACE) not in self.taken
        presses = text == " " and not letter  # Space presses what has the focus
        if server is not None and text != " ":
            written = server.write
        elif presses:
            written = None
        if written is not None:
            if text not in ("\r", "\n"):  # a key, which was heard as one
                written(text)
            self.note_change()
        return written is not None or any(what[0] == "key" for what in self.taken)

    def _text_motion(self, motion: int, select: bool = False) -> bool:
        field, server = self._field(), self._server()
        if server is not None:
            server.hear_motion(motion)
        if field is not None and (
            field.lines > 1 or motion not in (key.MOTION_UP, key.MOTION_DOWN)
        ):
            move_caret(field, motion, select)
            self.note_change()
        return field is not None or any(what[0] == "key" for what in self.taken)

    def _text_motion_select(self, motion: int) -> bool:
        return self._text_motion(motion, True)

    def _pad_press(self, place: int, control: str) -> bool:
        command = commands.of_pad(control)
        taken, field = self._acts(("on_pad_press", place, control), command), self._field()
        if not taken and command == "accept" and field is not None and self.screen_keyboard:
            self.open_keyboard(field)
            taken = True
        if not taken and command is not None:
            taken = self._begins(command, ("pad", place, control))
        if taken or self.has_modal():
            self.taken.add(("pad", place, control))
            return True
        return False

    def _pad_release(self, place: int, control: str) -> bool:
        return self._let_go("pad", place, control)

    def _pad_stick(self, place: int, stick: str, x: float, y: float) -> bool:
        """Sticks are heard by all: only their sides are for the focus."""
        if stick == "leftstick":
            leans = commands.of_stick(x, y) or ""
            if leans != self._leans.get(place, ""):
                self._leans[place] = leans
                self._let_go("stick", place)
                if leans:
                    self._begins(leans, ("stick", place))
        return False

    def _pad_disconnect(self, place: int) -> bool:
        self._leans.pop(place, None)
        self.taken = {what for what in self.taken if what[:2] != ("pad", place)}
        self._steering = None
        return False

    def _deactivate(self) -> bool:
        self.taken, self._steering, self.held = set(), None, None
        self._leans = {}
        self.close_popup()
        self.note_change()
        return False


_HEARD: dict[str, Callable[..., bool]] = {
    "on_mouse_motion": Reactions._mouse_motion,
    "on_mouse_drag": Reactions._mouse_motion,
    "on_mouse_press": Reactions._mouse_press,
    "on_mouse_release": Reactions._mouse_release,
    "on_mouse_scroll": Reactions._mouse_scroll,
    "on_mouse_leave": Reactions._mouse_leave,
    "on_key_press": Reactions._key_press,
    "on_key_release": Reactions._key_release,
    "on_text": Reactions._text,
    "on_text_motion": Reactions._text_motion,
    "on_text_motion_select": Reactions._text_motion_select,
    "on_pad_press": Reactions._pad_press,
    "on_pad_release": Reactions._pad_release,
    "on_pad_stick": Reactions._pad_stick,
    "on_pad_disconnect": Reactions._pad_disconnect,
    "on_deactivate": Reactions._deactivate,
}

_PRESSES = {"on_key_press": "key", "on_mouse_press": "mouse", "on_pad_press": "pad"}
