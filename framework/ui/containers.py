"""Container widgets: groups, scrolled groups, roots and windows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, ParamSpec, TypeVar

from ..checks import choice, flag, number, pair
from ..moved_names import moved
from .basic_widgets import TextLabel
from .widget import Creators, ShownSetting, Widget, node_of

if TYPE_CHECKING:
    from .basic_widgets import Button, Choice, Image, Toggle
    from .brush import Brush
    from .dropdown import Dropdown
    from .sliders import ProgressBar, Slider
    from .text_field import TextField

    P = ParamSpec("P")
    K = TypeVar("K", bound=Widget)

    class _Creator(Generic[P, K]):
        """The type of a creator: it takes the arguments of the widget's class."""

        def __init__(self, kind: Callable[P, K]) -> None: ...
        def __get__(self, group: object, owner: type) -> Callable[P, K]: ...


W = TypeVar("W", bound=Widget)

_ROUNDING = 1e-6
_WHEEL = 40.0  # units per step of the wheel
GRIP = 16.0
"""Width in units of the area at the right edge in which a scroll bar can be dragged."""

ANCHORS = {
    f"{up}{across}".strip() or "center": (x, y)
    for up, y in (("top ", 0.0), ("", 0.5), ("bottom ", 1.0))
    for across, x in (("left", 0.0), ("", 0.5), ("right", 1.0))
}
"""The possible positions of roots (outermost groups) in the view: "center", "top", "bottom right",
…
"""


@moved("group", {"bar": "progress_bar"})
class Group(Creators, Widget):
    """A widget that contains widgets in a column, a row or a grid.

    A method such as `label` creates a widget, adds it to the group and returns it. You can define
    widget classes of your own with such methods: see `Creators`.

    With ``panel=True``, the group has a background.
    """

    if TYPE_CHECKING:  # the creators add these at run time
        progress_bar = _Creator(ProgressBar)
        button = _Creator(Button)
        choice = _Creator(Choice)
        dropdown = _Creator(Dropdown)
        image = _Creator(Image)
        label = _Creator(TextLabel)
        slider = _Creator(Slider)
        text_field = _Creator(TextField)
        toggle = _Creator(Toggle)

    panel = ShownSetting(flag, "Whether the group has a panel as its background.")

    def __init__(self, *, panel: bool = False, **options: Any) -> None:
        super().__init__(**options)
        self.panel = panel

    def clear(self) -> None:
        """Remove all widgets from the group. The empty group stays in the interface."""
        node = node_of(self)
        if node.interface is not None:
            node.interface.leave(*node.children)
        for child in reversed(self.children):
            child.remove()

    def column(self, **options: Any) -> Group:
        """Add a group whose widgets are below each other. For the layout options, see `Widget`."""
        return self.add(Group(**_spaced(self, options)))

    def row(self, **options: Any) -> Group:
        """Add a group whose widgets are beside each other.

        With ``wrap=True``, widgets that do not fit into the row continue in a new row below.
        """
        options.setdefault("align", "center")
        return self.add(Group(direction="row", **_spaced(self, options)))

    def grid(self, columns: int, **options: Any) -> Group:
        """Add a group whose widgets fill ``columns`` columns of equal width, row by row.

        A widget with ``span=2`` occupies two columns, and with ``span=(2, 3)`` also three rows.
        """
        return self.add(Group(columns=columns, **_spaced(self, options)))

    def scroll(self, **options: Any) -> Scroll:
        """Add a group that scrolls if its widgets do not fit into the group.

        The widgets are below each other, or beside each other with ``direction="row"``.
        """
        options.setdefault("slides", options.get("direction") == "row")
        return self.add(Scroll(**_spaced(self, options)))

    def space(self, **options: Any) -> Widget:
        """Add an empty widget that takes the free space between the widgets before and after it."""
        options.setdefault("grow", 1)
        return self.add(Widget(**options))

    def paint(self, brush: Brush) -> None:
        if self.panel:
            brush.panel(self.box.w, self.box.h)


def _spaced(group: Group, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a group that lies inside another group. By default, ``gap`` has the
    same value as in the outer group.
    """
    options.setdefault("gap", group.box.gap)
    return options


class Scroll(Group):
    """A group that scrolls if its widgets do not fit into the group.

    The player scrolls with the wheel, by dragging a bar, or by moving the focus. By default the
    player can scroll the group only up and down. With ``direction="row"`` or ``slides=True``,
    widgets keep their preferred width, and the group also scrolls left and right.
    """

    solid = True

    def __init__(self, *, slides: bool | None = None, **options: Any) -> None:
        super().__init__(**options)
        self._offset = self._offset_x = 0.0
        self._grip = "y"  # the bar that is dragged
        self.box.scrolls = True
        if slides is not None:
            self.style(slides=slides)

    @property
    def overflows(self) -> bool:
        """Whether the content is larger than the group, so that the player can scroll."""
        return (
            self.box.extent > self.box.h + _ROUNDING or self.box.extent_x > self.box.w + _ROUNDING
        )

    @property
    def offset(self) -> float:
        """Units by which the content is scrolled up, from 0 at the top.

        The offset is clamped to the size of the content.
        """
        return self._offset

    @offset.setter
    def offset(self, value: float) -> None:
        value = min(max(number("offset", value), 0.0), max(self.box.extent - self.box.h, 0.0))
        if value != self._offset:
            self._offset = self.box.offset = value
            self.changed()

    @property
    def offset_x(self) -> float:
        """Units by which the content is scrolled to the left, from 0.

        The offset is clamped to the size of the content.
        """
        return self._offset_x

    @offset_x.setter
    def offset_x(self, value: float) -> None:
        value = min(max(number("offset_x", value), 0.0), max(self.box.extent_x - self.box.w, 0.0))
        if value != self._offset_x:
            self._offset_x = self.box.offset_x = value
            self.changed()

    def _renewed(self) -> None:
        self.box.scrolls = True
        self.box.offset = self._offset
        self.box.offset_x = self._offset_x

    def wheel(self, steps: float) -> bool:
        if self.box.extent <= self.box.h + _ROUNDING:
            return wheel_across(self, -steps)
        previous = self._offset
        self.offset = previous - _WHEEL * steps
        return self._offset != previous

    def point(self, x: float, y: float, begins: bool) -> None:
        box = self.box
        if begins:
            self._grip = bar_at(self, x, y) or ""
        if self._grip == "y":
            self.offset = y / max(box.h, 1e-9) * box.extent - box.h / 2
        elif self._grip == "x":
            self.offset_x = x / max(box.w, 1e-9) * box.extent_x - box.w / 2

    def show(self, child: Widget) -> None:
        """Scroll until a widget in the group is visible, without animation."""
        left, top = child.box.absolute_position()
        x, y = self.box.absolute_position()
        self.offset = _offset_showing(self._offset, top - y, child.box.h, self.box.h)
        left, top = child.box.absolute_position()
        self.offset_x = _offset_showing(self._offset_x, left - x, child.box.w, self.box.w)


def settle(scroll: Scroll) -> None:
    """Set the scroll offsets to the offsets of the last layout. The layout has limited the offsets
    to the size of the content.
    """
    scroll._offset = scroll.box.offset
    scroll._offset_x = scroll.box.offset_x


def wheel_across(scroll: Scroll, steps: float) -> bool:
    """Scroll to the right by steps of the mouse wheel.

    Return whether the content of the group moved.
    """
    previous = scroll.offset_x
    scroll.offset_x = previous + _WHEEL * steps
    return scroll.offset_x != previous


def bar_at(scroll: Scroll, x: float, y: float) -> str | None:
    """Return the scroll bar at a position: "x", "y" or None.

    The position is in units from the top left corner of the group.
    """
    box = scroll.box
    if box.extent > box.h + _ROUNDING and 0 <= box.w - x <= GRIP:
        return "y"
    return "x" if box.extent_x > box.w + _ROUNDING and 0 <= box.h - y <= GRIP else None


def paint_bars(scroll: Scroll, brush: Brush) -> None:
    """Draw the scroll bars of a group that overflows."""
    box = scroll.box
    color = brush.theme.disabled
    bar = _bar(box.offset, box.extent, box.h)
    if bar is not None:
        brush.box(box.w - 6, bar[0], 4, bar[1], fill=color, radius=2)
    bar = _bar(box.offset_x, box.extent_x, box.w)
    if bar is not None:
        brush.box(bar[0], box.h - 6, bar[1], 4, fill=color, radius=2)


def _offset_showing(offset: float, begin: float, size: float, visible: float) -> float:
    """Return the scroll offset that makes a widget visible, with as little scrolling as possible.

    ``begin`` is the start of the widget in the visible area, and ``size`` the size of the widget,
    in units. If the widget is larger than the visible area, the start of the widget is visible.
    """
    if begin < 0 or size > visible:
        return offset + begin
    return offset + max(begin + size - visible, 0.0)


def _bar(offset: float, extent: float, visible: float) -> tuple[float, float] | None:
    """Return start and length of a scroll bar in units, or None if all content is visible."""
    if extent <= visible + _ROUNDING:
        return None
    length = min(max(visible * visible / extent, 16.0), visible)
    return (visible - length) * offset / (extent - visible), length


class RootArea(NamedTuple):
    """The area of a root (outermost group) in the view, and the alignment of the root in the area.

    ``across`` is the share of the free space on the left of the root: 0, 0.5 or 1. ``down`` is the
    share of the free space above the root.
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
    """The outermost group: the result of `UI.column`, `UI.row` and so on.

    Parameters
    ----------
    anchor
        The position in the view, one of `ANCHORS`. ``anchor`` defaults to "center".
    position
        Units by which the root is moved right and down from the anchor. ``position`` defaults to
        (0, 0).
    margin
        Free units at the edges of the view. ``margin`` defaults to 16.
    hud
        Whether only the mouse can use the root: the focus never enters the root. ``hud`` defaults
        to False.
    modal
        Whether the game and all other roots receive no input while this root is visible. ``modal``
        defaults to False.

    A root that does not fit into the view scrolls.
    """

    solid = False

    anchor = ShownSetting(_anchor, "Position in the view: one of `ANCHORS`.")
    position = ShownSetting(
        pair, "Units by which the root is moved from its anchor: right, and down."
    )

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
        self.anchor = anchor
        self.position = position
        self.margin = float(pair("margin", (margin, 0), least=0)[0])
        self.hud = flag("hud", hud)
        self.modal = flag("modal", modal)


def area_of(root: Root, width: float, height: float) -> RootArea:
    """Return the area in which a root lies, for a view of ``width`` × ``height`` units."""
    if isinstance(root, Popup):
        area = root.area(width, height)
        if area is not None:
            return area
    margin = min(root.margin, width / 8, height / 8)
    return RootArea(margin, margin, width - 2 * margin, height - 2 * margin, *ANCHORS[root.anchor])


class Popup(Root):
    """A root that opens for another widget, such as the list of a dropdown or an on-screen
    keyboard.

    The popup closes when its widget is removed. While the popup is the topmost root, the popup
    receives typed text.
    """

    closes_elsewhere: ClassVar[bool] = False
    """Whether the popup closes when the player clicks or focuses a widget outside of it."""

    def __init__(self, serves: Widget, **options: Any) -> None:
        super().__init__(modal=True, panel=True, **options)
        self.serves = serves
        """The widget for which the popup opened, such as the dropdown."""

    def area(self, width: float, height: float) -> RootArea | None:
        """Return the area of the popup in a view of ``width`` × ``height`` units.

        The default implementation returns None: the popup lies at its ``anchor``, like a root that
        is no popup.
        """
        return None

    def write(self, text: str) -> None:
        """Called with text that was typed while the popup is the topmost root."""

    def on_text_motion(self, motion: int) -> None:
        """Called for a key that moves a caret.

        ``motion`` is one of pyglet's ``MOTION_…`` constants, such as ``MOTION_LEFT``.
        """


def served_by(root: Widget) -> Widget | None:
    """Return the widget that a popup serves, such as the dropdown of an open list. Return None if
    ``root`` is not a popup.
    """
    return root.serves if isinstance(root, Popup) else None


def closes_elsewhere(root: Widget) -> bool:
    """Return whether a root is a popup that closes when the player clicks outside the popup, or
    moves the focus out of it.
    """
    return isinstance(root, Popup) and root.closes_elsewhere


class Window(Root):
    """A panel with a title bar, which the player can drag: ``self.ui.window("Help")``.

    With ``closes=True``, the default, the title bar has a button that removes the window.
    """

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
        self._window = window
        self._grip = (0.0, 0.0)

    def point(self, x: float, y: float, begins: bool) -> None:
        if begins:
            self._grip = x, y
        else:
            left, top = self._window.position
            self._window.position = left + x - self._grip[0], top + y - self._grip[1]
