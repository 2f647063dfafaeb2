"""Keep track of the widget with the focus and the widget under the mouse, and show the tooltip.

A widget that is removed, hidden or disabled loses the focus, and no longer counts as being under
the mouse pointer. Code that removes, hides or disables a widget must call `FocusTracker.leave`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from .containers import Group, Root, Scroll, bar_at, closes_elsewhere, served_by
from .widget import Widget, node_of

_TIP_DELAY = 0.6  # seconds for which the pointer must not move until a tooltip appears


class FocusTracker:
    """The base class of `Interface` that manages the focus, the mouse pointer and the tooltip."""

    # This is a class attribute, because few games have widgets that use presses. Snapshots of other
    # games need not store it.
    grabs: Mapping[int, Widget] = MappingProxyType({})
    """For each mouse button that is down, the widget that used the press."""

    def __init__(self) -> None:
        self.roots: list[Root] = []
        """The outermost groups of widgets, in drawing order. The last group is drawn on top."""
        self.focus: Widget | None = None
        """The widget that receives keys and gamepad buttons, or None."""
        self.hovered: Widget | None = None
        """The widget under the mouse pointer, or None."""
        self.held: Widget | None = None
        """The widget that the player is pressing with the left mouse button, or None."""
        self.tip: tuple[str, float, float] | None = None
        """The text, x and y of the visible tooltip, or None."""
        self.has_news = True
        """True if at least one widget must be painted again in the next frame."""
        self._pointer = (-1.0, -1.0)
        self._stayed = 0.0

    def settle(self) -> None:
        """If a widget has changed, compute the layout again."""
        raise NotImplementedError

    def has(self, widget: Widget) -> bool:
        """Return whether a widget belongs to this `Interface`."""
        interface: object = node_of(widget).interface
        return interface is self

    def note_change(self) -> None:
        """Mark the `UI` as changed, so that changed widgets are painted in the next frame. Called
        after a widget has changed.
        """
        self.has_news = True

    # -- the focus ---------------------------------------------------------------------------------

    def set_focus(self, widget: Widget | None) -> None:
        """Give the focus to a widget. If ``widget`` is None, no widget has the focus afterwards.

        Raises `ValueError` if the widget is hidden, disabled, not focusable, or not in this `UI`.
        """
        if widget is not None and (
            not self.has(widget) or not widget.focusable or not node_of(widget).interactive
        ):
            rule = "it must be focusable, visible, enabled and in this interface"
            raise ValueError(f"focus: {widget!r} cannot have the focus; {rule}")
        self.close_popup(widget)
        if widget is self.focus or (widget is not None and not self.has(widget)):
            return  # the list that closed may have removed the widget, such as a keyboard's key
        self.focus = widget
        self._reset_tooltip()
        self.note_change()
        if widget is not None:
            self.settle()
            above = widget.parent
            while above is not None:
                if isinstance(above, Scroll):
                    above.show(widget)
                above = above.parent

    def active_roots(self) -> list[Root]:
        """Return the roots that receive input events, the topmost root first.

        If a modal root is open, the roots below it receive no events.
        """
        roots: list[Root] = []
        for root in reversed(self.roots):
            if node_of(root).interactive:
                roots.append(root)
                if root.modal:
                    break
        return roots

    def receives_events(self, widget: Widget) -> bool:
        """Return whether a widget can receive input events."""
        node = node_of(widget)
        top = node.outermost
        return node.interactive and any(root is top for root in self.active_roots())

    def focusables(self) -> list[Widget]:
        """Return the widgets that can get the focus, in the order of the Tab key.

        If a widget has the focus, return the widgets of its root. Otherwise, return the widgets of
        the topmost root that contains focusable widgets.
        """
        roots = [root for root in self.active_roots() if not root.hud]
        if self.focus is not None:
            top = node_of(self.focus).outermost
            roots.sort(key=lambda root: root is not top)
        for root in roots:
            widgets = [
                widget
                for widget in node_of(root).walk()
                if widget.focusable and node_of(widget).interactive
            ]
            if widgets:
                return widgets
        return []

    def has_modal(self) -> bool:
        """Return whether a modal root is visible and enabled, so that the game gets no input."""
        return any(root.modal and node_of(root).interactive for root in self.roots)

    def close_popup(self, unless: Widget | None = None) -> bool:
        """Close the open list of a dropdown. If the widget ``unless`` is in the list, the list
        stays open.

        Return True if a list was closed.
        """
        popup = next((root for root in self.roots if closes_elsewhere(root)), None)
        if popup is None or (unless is not None and node_of(unless).outermost is popup):
            return False
        popup.remove()
        return True

    # -- widgets that come and go ------------------------------------------------------------------

    def note_added(self, widget: Widget) -> None:
        """Update the focus after a widget has been added or has become visible.

        If ``widget`` is a modal root, remember which widget has the focus now. It gets the focus
        again when the modal root closes.
        """
        if isinstance(widget, Root) and widget.modal:
            focus = self.focus
            if focus is None or node_of(focus).outermost is not widget:
                node_of(widget).returns_to = focus

    def leave(self, *widgets: Widget) -> None:
        """Remove the focus and the mouse pointer from ``widgets`` and from all widgets inside them.

        Called after widgets have been removed, hidden or disabled. If one of the widgets had the
        focus, the next focusable widget gets the focus. If a modal root closes, the focus returns
        to the widget that had the focus before.
        """
        removed = {id(inner) for widget in widgets for inner in node_of(widget).walk()}
        for root in [
            root
            for root in self.roots
            if id(served_by(root)) in removed and id(root) not in removed
        ]:
            root.remove()
        if id(self.held) in removed:
            self.held = None
        self.set_grabs(
            {button: widget for button, widget in self.grabs.items() if id(widget) not in removed}
        )
        if id(self.hovered) in removed:
            self.hovered = None
            self._reset_tooltip()
        focus = self.focus
        if focus is not None and id(focus) in removed:
            self.focus = self._next_focus(focus, removed)
            self._reset_tooltip()
        self.note_change()

    def _next_focus(self, focus: Widget, removed: set[int]) -> Widget | None:
        root = node_of(focus).outermost
        return (
            self._focus_before(root, removed)
            if id(root) in removed
            else _neighbor_in_order(focus, root, removed)
        )

    def _focus_before(self, root: Widget, removed: set[int]) -> Widget | None:
        """Return the widget that gets the focus when the modal ``root`` closes.

        Usually this is the widget that had the focus when the modal root opened. If this widget can
        no longer have the focus, the focus moves to its neighbor in the order of the Tab key. If
        the root of the focused widget has also been removed, the search continues from that root.
        """
        visited: set[int] = set()
        widget = node_of(root).returns_to
        while widget is not None and id(root) not in visited:
            visited.add(id(root))
            root = node_of(widget).outermost
            if self.has(widget) and id(root) not in removed:
                return (
                    widget
                    if _may_have_focus(widget, removed)
                    else _neighbor_in_order(widget, root, removed)
                )
            widget = node_of(root).returns_to
        return None

    # -- the pointer -------------------------------------------------------------------------------

    def position_of(self, widget: Widget) -> tuple[float, float]:
        """Return the top left corner of a widget in units of the `UI`. The y axis points down."""
        return widget.box.absolute_position()

    def local(self, widget: Widget) -> tuple[float, float]:
        """Return the position of the mouse pointer relative to the top left corner of a widget. The
        position is in units, and the y axis points down.
        """
        left, top = self.position_of(widget)
        return self._pointer[0] - left, self._pointer[1] - top

    def move_pointer(self, position: tuple[float, float]) -> None:
        """Set the position of the mouse pointer in units of the `UI`. The y axis points down."""
        if position != self._pointer:
            self._pointer = position
            self._reset_tooltip()
        self.find_hovered()

    def widget_at(self, x: float, y: float) -> Widget | None:
        """Return the widget that a click at (x, y) would press, or None. The position is in units
        of the `UI`, and the y axis points down.
        """
        hits = (_widget_at(root, x, y) for root in self.active_roots())
        return next((widget for widget in hits if widget), None)

    def find_hovered(self) -> None:
        """Update `hovered`, the widget under the mouse pointer. Called after the mouse pointer or a
        widget has moved.
        """
        hovered = self.widget_at(*self._pointer)
        if hovered is not self.hovered:
            self.hovered = hovered
            self.note_change()

    def set_grabs(self, grabs: Mapping[int, Widget]) -> None:
        """For each mouse button that is down, set the widget that used the press. This widget also
        receives the event when the button is released.
        """
        if grabs:
            self.grabs = grabs
        elif "grabs" in vars(self):
            del self.grabs

    def remove_pointer(self) -> None:
        """Called when the mouse pointer has left the window."""
        self._pointer = (-1.0, -1.0)
        self.find_hovered()

    def _reset_tooltip(self) -> None:
        self._stayed = 0.0
        if self.tip is not None:
            self.tip = None
            self.note_change()

    def advance_tooltip(self, dt: float) -> None:
        """Called in each tick. Measure for how long neither the mouse pointer nor the focus has
        moved.

        After 0.6 seconds, the tooltip appears.
        """
        if self._stayed <= _TIP_DELAY:
            self._stayed += dt
            if self._stayed > _TIP_DELAY:
                self._show_tip()

    def _show_tip(self) -> None:
        widget = self.hovered or self.focus
        self.settle()
        while widget is not None and widget.tooltip is None:
            widget = widget.parent
        if widget is not None and widget.tooltip:
            x, y = self._pointer
            if self.hovered is None:
                left, top = self.position_of(widget)
                x = left
                y = top + widget.box.h - 16
            self.tip = widget.tooltip, x, y
            self.note_change()


def _neighbor_in_order(widget: Widget, root: Widget, removed: set[int]) -> Widget | None:
    """Return the next focusable widget after ``widget`` in ``root``. If there is no next widget,
    return the focusable widget before ``widget``.

    If ``root.hud`` is True, return None, because the widgets of a HUD never have the focus.
    """
    order = [
        candidate
        for candidate in node_of(root).walk()
        if candidate is widget or _may_have_focus(candidate, removed)
    ]
    index = next(index for index, candidate in enumerate(order) if candidate is widget)
    beside = order[index + 1 :] or order[:index][::-1]
    is_hud = isinstance(root, Root) and root.hud
    return beside[0] if beside and not is_hud else None


def _may_have_focus(widget: Widget, removed: set[int]) -> bool:
    return widget.focusable and id(widget) not in removed and node_of(widget).interactive


def _widget_at(widget: Widget, x: float, y: float) -> Widget | None:
    """Return the widget that receives a click at (x, y), or None. If several nested widgets at
    (x, y) can receive clicks, return the innermost one.
    """
    box = widget.box
    left, top = box.absolute_position()
    if not widget.visible:
        return None
    inside = left <= x < left + box.w and top <= y < top + box.h
    if not inside:
        return None
    scrolls = isinstance(widget, Scroll) and widget.overflows
    if isinstance(widget, Scroll) and bar_at(widget, x - left, y - top):
        return widget
    for child in reversed(node_of(widget).children):
        inner = _widget_at(child, x, y)
        if inner is not None:
            return inner
    backed = isinstance(widget, Group) and widget.panel
    return widget if widget.solid or widget.focusable or scrolls or backed else None
