"""Widgets that have others in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, ParamSpec, TypeVar

from ..checks import choice, flag, number, pair
from .gadgets import TextLabel
from .widget import Creators, Shown, Widget, seat_of

if TYPE_CHECKING:
    from .brush import Brush
    from .dropdown import Dropdown
    from .editing import TextField
    from .gadgets import Button, Choice, Image, Toggle
    from .gauges import Bar, Slider

    P = ParamSpec("P")
    K = TypeVar("K", bound=Widget)

    class _Creator(Generic[P, K]):
        """The type of a creator: it takes the arguments of the widget's class."""

        def __init__(self, kind: Callable[P, K]) -> None: ...
        def __get__(self, group: object, owner: type) -> Callable[P, K]: ...


W = TypeVar("W", bound=Widget)

_ROUNDING = 1e-6
_WHEEL = 40.0  # units that a step of the wheel scrolls by
GRIP = 16.0
"""Units at the right of what scrolls, by which it is scrolled."""

ANCHORS = {
    f"{up}{across}".strip() or "center": (x, y)
    for up, y in (("top ", 0.0), ("", 0.5), ("bottom ", 1.0))
    for across, x in (("left", 0.0), ("", 0.5), ("right", 1.0))
}
"""The places of roots in the picture: "center", "top", "bottom right", …"""


class Group(Creators, Widget):
    """Others in a row, a column or a grid; what its methods make is put into it and returned.

    A widget's class adds a method by its ``creator``: see `Creators`.
    """

    if TYPE_CHECKING:  # what the creators of these classes add at run time
        bar = _Creator(Bar)
        button = _Creator(Button)
        choice = _Creator(Choice)
        dropdown = _Creator(Dropdown)
        image = _Creator(Image)
        label = _Creator(TextLabel)
        slider = _Creator(Slider)
        text_field = _Creator(TextField)
        toggle = _Creator(Toggle)

    panel = Shown(flag, "Whether there is a panel behind it.")

    def __init__(self, *, panel: bool = False, **options: Any) -> None:
        super().__init__(**options)
        self.panel = panel

    def add(self, widget: W) -> W:
        """Put a widget of any kind into it. Raises `ValueError` where it is in something
        already.
        """
        self.put(widget)
        return widget

    def clear(self) -> None:
        """Remove all that is in it."""
        seat = seat_of(self)
        if seat.interface is not None:
            seat.interface.leave(*seat.children)
        for child in reversed(self.children):
            child.remove()

    def column(self, **options: Any) -> Group:
        """Others below each other."""
        return self.add(Group(**_spaced(self, options)))

    def row(self, **options: Any) -> Group:
        """Others beside each other; with ``wrap=True``, in several rows where there is no room."""
        options.setdefault("align", "center")
        return self.add(Group(direction="row", **_spaced(self, options)))

    def grid(self, columns: int, **options: Any) -> Group:
        """Others in so many columns of one width; one with ``span=2`` has two of them."""
        return self.add(Group(columns=columns, **_spaced(self, options)))

    def scroll(self, **options: Any) -> Scroll:
        """Others below each other, or with ``direction="row"`` beside each other, in less room than
        they need.
        """
        options.setdefault("slides", options.get("direction") == "row")
        return self.add(Scroll(**_spaced(self, options)))

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
    """Others in less room than they need: the wheel, the bars and the focus move them. Below each
    other they are moved up and down; with ``direction="row"``, or ``slides=True``, they are as wide
    as they like, and moved across, too.
    """

    solid = True

    def __init__(self, *, slides: bool | None = None, **options: Any) -> None:
        super().__init__(**options)
        self._offset = self._offset_x = 0.0
        self._grip = "y"  # the bar that is held
        self.box.scrolls = True
        if slides is not None:
            self.style(slides=slides)

    @property
    def overflows(self) -> bool:
        """Whether there is more than has room."""
        return (
            self.box.extent > self.box.h + _ROUNDING or self.box.extent_x > self.box.w + _ROUNDING
        )

    @property
    def offset(self) -> float:
        """By how many units they are moved up."""
        return self._offset

    @offset.setter
    def offset(self, value: float) -> None:
        value = min(max(number("offset", value), 0.0), max(self.box.extent - self.box.h, 0.0))
        if value != self._offset:
            self._offset = self.box.offset = value
            self.changed()

    @property
    def offset_x(self) -> float:
        """By how many units they are moved to the left."""
        return self._offset_x

    @offset_x.setter
    def offset_x(self, value: float) -> None:
        value = min(max(number("offset_x", value), 0.0), max(self.box.extent_x - self.box.w, 0.0))
        if value != self._offset_x:
            self._offset_x = self.box.offset_x = value
            self.changed()

    def _renewed(self) -> None:
        self.box.scrolls = True
        self.box.offset, self.box.offset_x = self._offset, self._offset_x

    def wheel(self, steps: float) -> bool:
        if self.box.extent <= self.box.h + _ROUNDING:
            return wheel_across(self, -steps)
        before = self._offset
        self.offset = before - _WHEEL * steps
        return self._offset != before

    def point(self, x: float, y: float, begins: bool) -> None:
        box = self.box
        if begins:
            self._grip = bar_at(self, x, y) or ""
        if self._grip == "y":
            self.offset = y / max(box.h, 1e-9) * box.extent - box.h / 2
        elif self._grip == "x":
            self.offset_x = x / max(box.w, 1e-9) * box.extent_x - box.w / 2

    def show(self, child: Widget) -> None:
        """Scroll to a widget in it, at once."""
        (left, top), (x, y) = child.box.place(), self.box.place()
        self.offset = _shown(self._offset, top - y, child.box.h, self.box.h)
        left, top = child.box.place()
        self.offset_x = _shown(self._offset_x, left - x, child.box.w, self.box.w)


def settle(scroll: Scroll) -> None:
    """Take over the offsets of the last layout: there may be less to scroll."""
    scroll._offset, scroll._offset_x = scroll.box.offset, scroll.box.offset_x


def wheel_across(scroll: Scroll, steps: float) -> bool:
    """Scroll to the right by steps of the wheel. Return whether that moved anything."""
    before = scroll.offset_x
    scroll.offset_x = before + _WHEEL * steps
    return scroll.offset_x != before


def bar_at(scroll: Scroll, x: float, y: float) -> str | None:
    """Return the bar at a place, from the top left corner: "x", "y" or None."""
    box = scroll.box
    if box.extent > box.h + _ROUNDING and 0 <= box.w - x <= GRIP:
        return "y"
    return "x" if box.extent_x > box.w + _ROUNDING and 0 <= box.h - y <= GRIP else None


def paint_bars(scroll: Scroll, brush: Brush) -> None:
    """Draw the bars of what has more than room."""
    box, color = scroll.box, brush.theme.muted
    bar = _bar(box.offset, box.extent, box.h)
    if bar is not None:
        brush.box(box.w - 6, bar[0], 4, bar[1], fill=color, radius=2)
    bar = _bar(box.offset_x, box.extent_x, box.w)
    if bar is not None:
        brush.box(bar[0], box.h - 6, bar[1], 4, fill=color, radius=2)


def _shown(offset: float, begin: float, size: float, room: float) -> float:
    """The offset by which what begins there is seen: its beginning, if it has no room."""
    if begin < 0 or size > room:
        return offset + begin
    return offset + max(begin + size - room, 0.0)


def _bar(offset: float, extent: float, room: float) -> tuple[float, float] | None:
    """Where the bar begins, and how long it is; None where all has room."""
    if extent <= room + _ROUNDING:
        return None
    long = min(max(room * room / extent, 16.0), room)
    return (room - long) * offset / (extent - room), long


class Area(NamedTuple):
    """Where a root may lie in the picture, and at which of its sides: shares from the left and from
    the top.
    """

    x: float
    y: float
    width: float
    height: float
    across: float
    down: float


def _anchor(name: str, value: object) -> str:
    return choice(name, value, ANCHORS)


class Root(Scroll):
    """The outermost group: `UI.column`, `UI.row`, …

    ``anchor`` is where in the picture it is, ``position`` moves it from there, right and down. Of a
    ``hud`` the focus knows nothing: it is for the mouse alone. While one that is ``modal`` is
    there, nothing else is heard. What does not fit into the picture is scrolled.
    """

    solid = False

    anchor = Shown(_anchor, "Its place in the picture: one of `ANCHORS`.")
    position = Shown(pair, "Units that it is moved by: right, and down.")

    def __init__(
        self,
        *,
        anchor: str = "center",
        position: tuple[float, float] = (0.0, 0.0),
        margin: float = 16,
        hud: bool = False,
        modal: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.anchor, self.position = anchor, position
        self.margin = float(pair("margin", (margin, 0), least=0)[0])
        self.hud, self.modal = flag("hud", hud), flag("modal", modal)


def area_of(root: Root, width: float, height: float) -> Area:
    """Return where a root may lie in a picture of ``width`` × ``height`` units."""
    if isinstance(root, Popup):
        found = root.area(width, height)
        if found is not None:
            return found
    margin = min(root.margin, width / 8, height / 8)
    return Area(margin, margin, width - 2 * margin, height - 2 * margin, *ANCHORS[root.anchor])


class Popup(Root):
    """A root that the interface opens for a widget, and that is removed with it.

    While it is the uppermost, it receives what is typed.
    """

    closes_elsewhere: ClassVar[bool] = False
    """Whether it closes as soon as the player is elsewhere."""

    def __init__(self, serves: Widget, **options: Any) -> None:
        super().__init__(modal=True, panel=True, **options)
        self.serves = serves
        """The widget that it was opened for."""

    def area(self, width: float, height: float) -> Area | None:
        """Return where it may lie in a picture of ``width`` × ``height`` units.

        None, the default: at its anchor.
        """
        return None

    def write(self, text: str) -> None:
        """Called with what was typed."""

    def hear_motion(self, motion: int) -> None:
        """Called when a key that moves a caret was pressed, with pyglet's ``MOTION_…``."""


def served_by(root: Widget) -> Widget | None:
    """Return the widget that a root was opened for, or None."""
    return root.serves if isinstance(root, Popup) else None


def closes_elsewhere(root: Widget) -> bool:
    """Return whether a root closes as soon as the player is elsewhere."""
    return isinstance(root, Popup) and root.closes_elsewhere


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


class _Title(TextLabel):
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
