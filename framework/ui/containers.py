"""Widgets that contain other widgets: groups, scrolling groups, roots and windows."""

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
        """The type of a method that creates a widget. The method takes the same arguments as the
        widget's class.
        """

        def __init__(self, kind: Callable[P, K]) -> None: ...
        def __get__(self, group: object, owner: type) -> Callable[P, K]: ...


W = TypeVar("W", bound=Widget)

_ROUNDING = 1e-6
_WHEEL = 40.0  # units per step of the wheel
GRIP = 16.0
"""The width of the area at the right edge in which the player can drag the scroll bar, in units."""

ANCHORS = {
    f"{up}{across}".strip() or "center": (x, y)
    for up, y in (("top ", 0.0), ("", 0.5), ("bottom ", 1.0))
    for across, x in (("left", 0.0), ("", 0.5), ("right", 1.0))
}
"""The names of the positions that a root can have in the view: "center", "top", "bottom right", …
"""


@moved("group", {"bar": "progress_bar"})
class Group(Creators, Widget):
    """A widget that contains other widgets. The group places its widgets in a column, a row or a
    grid.

    For each kind of widget, the group has a method such as `label`, which creates a widget, adds it
    to the group, and returns it. Your own widget classes can add more methods to groups. See
    `Creators`.

    With ``panel=True``, the group has a background.
    """

    if TYPE_CHECKING:  # `creator=` adds these methods at run time
        progress_bar = _Creator(ProgressBar)
        button = _Creator(Button)
        choice = _Creator(Choice)
        dropdown = _Creator(Dropdown)
        image = _Creator(Image)
        label = _Creator(TextLabel)
        slider = _Creator(Slider)
        text_field = _Creator(TextField)
        toggle = _Creator(Toggle)

    panel = ShownSetting(flag, "Whether the group has a background.")

    def __init__(self, *, panel: bool = False, **options: Any) -> None:
        super().__init__(**options)
        self.panel = panel

    def clear(self) -> None:
        """Remove all widgets from the group. The empty group stays in the `UI`."""
        node = node_of(self)
        if node.interface is not None:
            node.interface.leave(*node.children)
        for child in reversed(self.children):
            child.remove()

    def column(self, **options: Any) -> Group:
        """Add a group that places its widgets below each other. For the layout options, see
        `Widget`.
        """
        return self.add(Group(**_spaced(self, options)))

    def row(self, **options: Any) -> Group:
        """Add a group that places its widgets beside each other.

        With ``wrap=True``, widgets that do not fit in a row are placed in a new row below.
        """
        options.setdefault("align", "center")
        return self.add(Group(direction="row", **_spaced(self, options)))

    def grid(self, columns: int, **options: Any) -> Group:
        """Add a group with ``columns`` columns of equal width. The widgets fill the first row from
        left to right, then the second row, and so on.

        A widget with ``span=2`` is two columns wide. A widget with ``span=(2, 3)`` is two columns
        wide and three rows high.
        """
        return self.add(Group(columns=columns, **_spaced(self, options)))

    def scroll(self, **options: Any) -> Scroll:
        """Add a group that the player can scroll if its widgets do not fit into it.

        By default, the widgets are placed below each other. With ``direction="row"``, the widgets
        are placed beside each other.
        """
        options.setdefault("slides", options.get("direction") == "row")
        return self.add(Scroll(**_spaced(self, options)))

    def space(self, **options: Any) -> Widget:
        """Add an empty widget that fills the free space between its neighbors."""
        options.setdefault("grow", 1)
        return self.add(Widget(**options))

    def paint(self, brush: Brush) -> None:
        if self.panel:
            brush.panel(self.box.w, self.box.h)


def _spaced(group: Group, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a group that is added to another group. Without the option ``gap``, the
    inner group gets the gap of the outer group.
    """
    options.setdefault("gap", group.box.gap)
    return options


class Scroll(Group):
    """A group that the player can scroll if its widgets do not fit into it.

    The player scrolls with the mouse wheel or with the scroll bar. The group also scrolls when the
    focus moves to a widget that is not visible. By default, the group scrolls only vertically. With
    ``direction="row"`` or ``slides=True``, it also scrolls horizontally, and its widgets then have
    their preferred width.
    """

    solid = True

    def __init__(self, *, slides: bool | None = None, **options: Any) -> None:
        super().__init__(**options)
        self._offset = self._offset_x = 0.0
        self._grip = "y"  # the scroll bar that the player is dragging
        self.box.scrolls = True
        if slides is not None:
            self.style(slides=slides)

    @property
    def overflows(self) -> bool:
        """Whether the content is larger than the group."""
        return (
            self.box.extent > self.box.h + _ROUNDING or self.box.extent_x > self.box.w + _ROUNDING
        )

    @property
    def offset(self) -> float:
        """The vertical scroll position in units, at least 0. At 0, the group shows the top of its
        content.

        A larger value moves the content up. A value outside the valid range is replaced with the
        nearest valid value.
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
        """The horizontal scroll position in units, at least 0. At 0, the group shows the left edge
        of its content.

        A larger value moves the content to the left. A value outside the valid range is replaced
        with the nearest valid value.
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

    def on_wheel(self, steps: float) -> bool:
        if self.box.extent <= self.box.h + _ROUNDING:
            return wheel_across(self, -steps)
        previous = self._offset
        self.offset = previous - _WHEEL * steps
        return self._offset != previous

    def on_drag(self, x: float, y: float, begins: bool) -> None:
        box = self.box
        if begins:
            self._grip = bar_at(self, x, y) or ""
        if self._grip == "y":
            self.offset = y / max(box.h, 1e-9) * box.extent - box.h / 2
        elif self._grip == "x":
            self.offset_x = x / max(box.w, 1e-9) * box.extent_x - box.w / 2

    def show(self, child: Widget) -> None:
        """Scroll the group until the widget ``child`` is visible."""
        left, top = child.box.absolute_position()
        x, y = self.box.absolute_position()
        self.offset = _offset_showing(self._offset, top - y, child.box.h, self.box.h)
        left, top = child.box.absolute_position()
        self.offset_x = _offset_showing(self._offset_x, left - x, child.box.w, self.box.w)


def settle(scroll: Scroll) -> None:
    """Copy the scroll position from a group's layout box to the group. Called after the layout,
    which limits the position to the size of the content.
    """
    scroll._offset = scroll.box.offset
    scroll._offset_x = scroll.box.offset_x


def wheel_across(scroll: Scroll, steps: float) -> bool:
    """Scroll to the right by ``steps`` steps of the mouse wheel.

    Return whether the scroll position has changed.
    """
    previous = scroll.offset_x
    scroll.offset_x = previous + _WHEEL * steps
    return scroll.offset_x != previous


def bar_at(scroll: Scroll, x: float, y: float) -> str | None:
    """Return "x" for a position on the horizontal scroll bar, and "y" for a position on the
    vertical scroll bar. At all other positions, return None.

    The position is in units from the top left corner of the group.
    """
    box = scroll.box
    if box.extent > box.h + _ROUNDING and 0 <= box.w - x <= GRIP:
        return "y"
    return "x" if box.extent_x > box.w + _ROUNDING and 0 <= box.h - y <= GRIP else None


def paint_bars(scroll: Scroll, brush: Brush) -> None:
    """Draw scroll bars if the content of a group is larger than the group."""
    box = scroll.box
    color = brush.theme.disabled
    bar = _bar(box.offset, box.extent, box.h)
    if bar is not None:
        brush.box(box.w - 6, bar[0], 4, bar[1], fill=color, radius=2)
    bar = _bar(box.offset_x, box.extent_x, box.w)
    if bar is not None:
        brush.box(bar[0], box.h - 6, bar[1], 4, fill=color, radius=2)


def _offset_showing(offset: float, begin: float, size: float, visible: float) -> float:
    """Return the scroll position nearest to ``offset`` at which a widget is completely visible.

    ``begin`` is the distance in units from the start of the visible area to the start of the
    widget. ``size`` is the height or width of the widget in units. If the widget is larger than the
    visible area, its start is shown.
    """
    if begin < 0 or size > visible:
        return offset + begin
    return offset + max(begin + size - visible, 0.0)


def _bar(offset: float, extent: float, visible: float) -> tuple[float, float] | None:
    """Return the position and the length of a scroll bar in units, or None if the group does not
    need one.
    """
    if extent <= visible + _ROUNDING:
        return None
    length = min(max(visible * visible / extent, 16.0), visible)
    return (visible - length) * offset / (extent - visible), length


class RootArea(NamedTuple):
    """The area of the view that a root may use, and the root's position in this area.

    ``across`` is the fraction of the free width that is on the left of the root: 0, 0.5 or 1.
    ``down`` is the fraction of the free height that is above the root: 0, 0.5 or 1.
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
    """A group of widgets that is not inside another widget. Methods such as `UI.column` and
    `UI.row` create a root and return it.

    Parameters
    ----------
    anchor
        The position in the view, such as "top left"; see `ANCHORS`. Default: "center".
    position
        How far the root is moved from its anchor, as (right, down) in units. Default: (0, 0).
    margin
        The minimum distance from the root to the edges of the view, in units. Default: 16.
    hud
        Whether the root is a head-up display: its widgets never get the focus, so the player can
        use them only with the mouse. Default: False.
    modal
        Whether the root blocks the input of the game and of all other roots while it is visible.
        Default: False.

    If a root is larger than the view, the player can scroll it.
    """

    solid = False

    anchor = ShownSetting(
        _anchor, 'The position of the root in the view, such as "top left" (one of `ANCHORS`).'
    )
    position = ShownSetting(
        pair,
        "How far the root is moved to the right and down from its anchor, in units.",
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
    """Return the area of the view that a root may use. ``width`` and ``height`` are the size of the
    view in units.
    """
    if isinstance(root, Popup):
        area = root.area(width, height)
        if area is not None:
            return area
    margin = min(root.margin, width / 8, height / 8)
    return RootArea(margin, margin, width - 2 * margin, height - 2 * margin, *ANCHORS[root.anchor])


class Popup(Root):
    """A root that opens for another widget, such as the list of a dropdown or an on-screen
    keyboard.

    When the other widget is removed, the popup closes. If several popups are open, only the topmost
    one receives typed text.
    """

    closes_elsewhere: ClassVar[bool] = False
    """Whether the popup closes when the player clicks outside it, or moves the focus to another
    root.
    """

    def __init__(self, serves: Widget, **options: Any) -> None:
        super().__init__(modal=True, panel=True, **options)
        self.serves = serves
        """The widget that opened the popup, such as a dropdown."""

    def area(self, width: float, height: float) -> RootArea | None:
        """Return the area of the view that the popup may use. ``width`` and ``height`` are the size
        of the view in units.

        By default, return None: the popup is placed at its ``anchor``.
        """
        return None

    def write(self, text: str) -> None:
        """Called when the player types text while this popup is the topmost root."""

    def on_text_motion(self, motion: int) -> None:
        """Called when the player presses a key that moves the text cursor, such as an arrow key.

        ``motion`` is one of pyglet's ``MOTION_…`` constants, such as ``MOTION_LEFT``.
        """


def served_by(root: Widget) -> Widget | None:
    """Return the widget for which a popup is open. For example, the open list of a dropdown is a
    popup for that dropdown. If ``root`` is not a popup, return None.
    """
    return root.serves if isinstance(root, Popup) else None


def closes_elsewhere(root: Widget) -> bool:
    """Return whether a popup closes when the player clicks outside it or moves the focus to another
    root.
    """
    return isinstance(root, Popup) and root.closes_elsewhere


class Window(Root):
    """A panel with a title bar. Create a window with ``self.ui.window("Help")``. The player can
    move the window with the mouse.

    With ``closes=True`` (the default), the title bar has a button that removes the window.
    """

    solid = True

    def __init__(self, title: object, *, closes: bool = True, **options: Any) -> None:
        for name, value in (("panel", True), ("padding", 12), ("gap", 8)):
            options.setdefault(name, value)
        super().__init__(**options)
        bar = self.row()
        self.title = bar.add(_Title(title, self, grow=1))
        """The label that shows the title."""
        if closes:
            bar.button("x", self.remove, padding=(8, 2))


class _Title(TextLabel):
    solid = True

    def __init__(self, text: object, window: Window, **options: Any) -> None:
        super().__init__(text, **options)
        self._window = window
        self._grip = (0.0, 0.0)

    def on_drag(self, x: float, y: float, begins: bool) -> None:
        if begins:
            self._grip = x, y
        else:
            left, top = self._window.position
            self._window.position = left + x - self._grip[0], top + y - self._grip[1]
