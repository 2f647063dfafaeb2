"""An on-screen keyboard, with which the player types text using a gamepad."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..input import key
from .basic_widgets import Button, TextLabel
from .containers import Popup
from .text_field import move_caret

if TYPE_CHECKING:
    from .text_field import TextField

_COLUMNS = 10
_PAGES = {
    "abc": "1234567890qwertyuiopasdfghjkl'zxcvbnm,.-",
    "#+=": '!?@#$%&*()+=/\\_:;"<>[]{}|~^`€£«»„“”…–—·°',
    "äöü": "àáâãäåæçèéêëìíîïñòóôõöøœùúûüýÿßąćęłńśźżğ",
    "αβγ": "αβγδεζηθικλμνξοπρστυφχψωάέήίόύώςϊϋ;·.,-'",
    "абв": "абвгдежзийклмнопрстуфхцчшщъыьэюяёієїґ.,-",
}
_NAMES = tuple(_PAGES)


class _Key(Button):
    """A key of the on-screen keyboard. Pressing it types a letter."""

    def __init__(self, keyboard: ScreenKeyboard) -> None:
        super().__init__("", padding=(2, 4))
        self._keyboard = keyboard

    def press(self) -> None:
        self._keyboard.write(self.text)


class _Line(TextLabel):
    """A line above the keys that shows the text and the caret of the text field. The caret is the
    text cursor.
    """

    def __init__(self, field: TextField, **options: Any) -> None:
        super().__init__(**options)
        self._field = field
        self.show()

    def show(self) -> None:
        """Update the line, which shows the text of the field, with "|" at the caret."""
        text = str(self._field.text)
        caret = min(self._field.caret, len(self._field.text))
        self.text = f"{text[:caret]}|{text[caret:]}"


class ScreenKeyboard(Popup):
    """An on-screen keyboard for a text field.

    While a text field has the focus, A on a gamepad opens the keyboard. On the gamepad, B closes
    the keyboard, X deletes a letter, and Y types a space. The shoulder buttons move the caret.
    Start on the gamepad presses the key "OK", which calls ``on_submit`` of the field. The player
    can also use the mouse and the arrow keys. Text from a real keyboard is typed into the same
    field.
    """

    def __init__(self, field: TextField) -> None:
        super().__init__(field, anchor="bottom", padding=8, gap=4, width=480)
        self._field = field
        self._page = 0
        self._capital = False
        self._line = self.add(_Line(field, padding=(8, 2)))
        keys = self.grid(_COLUMNS, gap=3)
        self._keys = [keys.add(_Key(self)) for _ in _PAGES[_NAMES[0]]]
        row = self.row(gap=3, align="stretch")
        options: dict[str, Any] = {"padding": (2, 4), "grow": 1, "min_width": 32}
        row.button("⇧", self._shift, **options).say(tooltip="Capital letters")
        self._turn = row.button("", self._other_page, **options).say(tooltip="Other letters")
        row.button("◀", self._left, action="pad:leftshoulder", **options)
        row.button("▶", self._right, action="pad:rightshoulder", **options)
        row.button("", self._space, action="pad:y", **options | {"grow": 3}).say(text="Space")
        if field.lines > 1:
            row.button("↵", self._new_line, **options).say(tooltip="A new line")
        row.button("⇦", self._delete, action="pad:x", **options).say(tooltip="Delete")
        row.button("", self._done, action="pad:start", **options).say(text="OK")
        row.button("✕", self.remove, action="cancel", **options).say(tooltip="Close")
        self._label()

    @property
    def first(self) -> Button:
        """The key that has the focus when the keyboard opens: "q"."""
        return self._keys[_COLUMNS]

    def write(self, text: str) -> None:
        """Type ``text`` into the field. The text comes from a key of the on-screen keyboard or from
        a real keyboard.
        """
        self._field.type(text)
        self._line.show()

    def _move(self, motion: int) -> None:
        move_caret(self._field, motion, False)
        self._line.show()

    def on_text_motion(self, motion: int) -> None:
        if motion in (key.MOTION_BACKSPACE, key.MOTION_DELETE):
            self._move(motion)

    def _label(self) -> None:
        letters = _PAGES[_NAMES[self._page]]
        for button, letter in zip(self._keys, letters, strict=True):
            capital = letter.upper()
            button.text = capital if self._capital and len(capital) == 1 else letter
        self._turn.text = _NAMES[(self._page + 1) % len(_NAMES)]

    def _shift(self) -> None:
        self._capital = not self._capital
        self._label()

    def _other_page(self) -> None:
        self._page = (self._page + 1) % len(_NAMES)
        self._label()

    def _left(self) -> None:
        self._move(key.MOTION_LEFT)

    def _right(self) -> None:
        self._move(key.MOTION_RIGHT)

    def _space(self) -> None:
        self.write(" ")

    def _new_line(self) -> None:
        self.write("\n")

    def _delete(self) -> None:
        self._move(key.MOTION_BACKSPACE)

    def _done(self) -> None:
        self.remove()
        self._field.submit()
