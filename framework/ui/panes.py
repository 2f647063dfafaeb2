"""Widgets that have others in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from ..checks import choice, flag, pair
from .editing import TextField
from .gadgets import Bar, Button, Choice, Image, Label, Slider, Toggle
from .widgets import Shown, Widget

if TYPE_CHECKING:
    from .brush import Brush

W = TypeVar("W", bound=Widget)

_WHEEL = 40.0  # units that a step of the wheel scrolls by
GRIP = 16.0
"""Units at the right of what scrolls, by which it is scrolled."""

ANCHORS = {
    f"{up}{across}".strip() or "center": (x, y)
    for up, y in (("top ", 0.0), ("", 0.5), ("bottom ", 1.0))
    for across, x in (("left", 0.0), ("", 0.5), ("right", 1.0))
}
"""The places of roots in the picture: "center", "top", "bottom right", …"""


class Group(Widget):
    """Others in a row, a column or a grid; what its methods make is put into it and returned."""

    panel = Shown(flag, "Whether there is a panel behind it.")

    def __init__(self, *, panel: bool = False, **options: Any) -> None:
        super().__init__(**options)
        self.panel = panel

    @property
    def backed(self) -> bool:
        """Whether clicks on it are not for what is behind."""
        return bool(self.panel)

    def add(self, widget: W) -> W:
        """Put a widget of any kind into it. Raises `ValueError` where it is in something already."""
        self.put(widget)
        return widget

    def clear(self) -> None:
        """Remove all that is in it."""
        for child in reversed(self.children.copy()):
            child.remove()

    def column(self, **options: Any) -> Group:
        """Others below each other."""
        return self.add(Group(**_spaced(self, options)))

    def row(self, **options: Any) -> Group:
        """Others beside each other; with ``wrap=True``, in several rows where there is no room."""
        options.setdefault("align", "center")
        return self.add(Group(direction="row", **_spaced(self, options)))

    def grid(self, columns: int, **options: Any) -> Group:
        """Others in so many columns of one width."""
        return self.add(Group(columns=columns, **_spaced(self, options)))

    def scroll(self, **options: Any) -> Scroll:
        """Others below each other, in less room than they need."""
        return self.add(Scroll(**_spaced(self, options)))

    def label(self, text: object = "", **options: Any) -> Label:
        """A text: see `Label`."""
        return self.add(Label(text, **options))

    def image(self, image: Any, **options: Any) -> Image:
        """A picture: see `Image`."""
        return self.add(Image(image, **options))

    def button(self, text: object, pressed: Callable[[], Any] | None = None, **options: Any) -> Button:
        """What can be pressed: see `Button`."""
        return self.add(Button(text, pressed, **options))

    def toggle(self, text: object, target: Any = None, attribute: str | None = None, **options: Any) -> Toggle:
        """On or off: see `Toggle`."""
        return self.add(Toggle(text, target, attribute, **options))

    def choice(
        self, text: object, choices: Sequence[Any], target: Any = None, attribute: str | None = None, **options: Any
    ) -> Choice:
        """One of several: see `Choice`."""
        return self.add(Choice(text, choices, target, attribute, **options))

    def slider(
        self, text: object, target: Any = None, attribute: str | None = None, low: float = 0.0, high: float = 1.0,
        **options: Any,
    ) -> Slider:  # fmt: skip
        """A number between two: see `Slider`."""
        return self.add(Slider(text, target, attribute, low, high, **options))

    def bar(self, value: float = 0.0, **options: Any) -> Bar:
        """A share of a whole: see `Bar`."""
        return self.add(Bar(value, **options))

    def text_field(self, text: object = "", entered: Callable[[str], Any] | None = None, **options: Any) -> TextField:
        """A line of text that is typed: see `TextField`."""
        return self.add(TextField(text, entered, **options))

    def space(self, **options: Any) -> Widget:
        """Nothing, which takes what is left over."""
        options.setdefault("grow", 1)
        return self.add(Widget(**options))

    def paint(self, brush: Brush) -> None:
        if self.panel:
            brush.panel(self.box.w, self.box.h)


def _spaced(group: Group, options: dict[str, Any]) -> dict[str, Any]:
    """A group within another one has its gap, unless told."""
    options.setdefault("gap", group.box.gap)
    return options


class Scroll(Group):
    """Others below each other, in less room than they need: the wheel, the bar and the focus move them."""

    scrolls = True
    solid = True

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._offset = 0.0
        self.box.scrolls = True

    @property
    def offset(self) -> float:
        """By how many units they are moved up."""
        return self._offset

    @offset.setter
    def offset(self, value: float) -> None:
        most = max(self.box.extent - self.box.h, 0.0)
        value = min(max(float(value), 0.0), most)
        if value != self._offset:
            self._offset = self.box.offset = value
            self.changed()

    def renew(self) -> None:
        super().renew()
        self.box.offset = self._offset

    def settle(self) -> None:
        """It was laid out: there may be less to scroll."""
        self._offset = self.box.offset

    def wheel(self, steps: float) -> bool:
        before = self._offset
        self.offset = before - _WHEEL * steps
        return self._offset != before

    def point(self, x: float, y: float, begins: bool) -> None:
        """The bar is on the right."""
        if self.box.extent > self.box.h and self.box.w - x <= GRIP:
            self.offset = y / max(self.box.h, 1e-9) * self.box.extent - self.box.h / 2

    def show(self, child: Widget) -> None:
        """Scroll to a widget in it, at once."""
        _, top = child.box.place()
        top -= self.box.place()[1]
        if top < 0:
            self.offset = self._offset + top
        elif top + child.box.h > self.box.h:
            self.offset = self._offset + top + child.box.h - self.box.h

    def paint_over(self, brush: Brush) -> None:
        """The bar."""
        extent, h = self.box.extent, self.box.h
        if extent > h + 1e-6:
            high = max(h * h / extent, 16.0)
            y = (h - high) * self._offset / (extent - h)
            brush.box(self.box.w - 6, y, 4, high, fill=brush.theme.muted, radius=2)


class Root(Scroll):
    """The outermost group: `UI.column`, `UI.row`, …

    ``anchor`` is where in the picture it is, ``position`` moves it from there, right and down. Of a ``hud`` the focus
    knows nothing: it is for the mouse alone. While one that is ``modal`` is there, nothing else is heard. What does not
    fit into the picture is scrolled.
    """

    solid = False

    anchor = Shown(lambda name, value: choice(name, value, ANCHORS), "Its place in the picture: one of `ANCHORS`.")
    position = Shown(pair, "Units that it is moved by: right, and down.")

    def __init__(
        self, *, anchor: str = "center", position: tuple[float, float] = (0.0, 0.0), margin: float = 16,
        hud: bool = False, modal: bool = False, **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(**options)
        self.anchor, self.position = anchor, position
        self.margin = float(pair("margin", (margin, 0), least=0)[0])
        self.hud, self.modal = flag("hud", hud), flag("modal", modal)


class Window(Root):
    """A panel with a title by which it can be moved, and a button that closes it (``closes``)."""

    solid = True

    def __init__(self, title: object, *, closes: bool = True, **options: Any) -> None:
        for name, value in (("panel", True), ("padding", 12), ("gap", 8)):
            options.setdefault(name, value)
        super().__init__(**options)
        bar = self.row()
        self.title = bar.add(_Title(title, self, grow=1))
        """The label with the title."""
        if closes:
            bar.button("x", self.remove, padding=(8, 2))


class _Title(Label):
    solid = True

    def __init__(self, text: object, window: Window, **options: Any) -> None:
        super().__init__(text, **options)
        self._window, self._grip = window, (0.0, 0.0)

    def point(self, x: float, y: float, begins: bool) -> None:
        if begins:
            self._grip = x, y
        else:
            left, top = self._window.position
            self._window.position = left + x - self._grip[0], top + y - self._grip[1]
