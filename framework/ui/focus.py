"""UI focus: the focused widget, the hovered widget, the pressed widget and the tooltip.

A removed, hidden or disabled widget never has the focus or the pointer. Code that removes, hides or
disables a widget therefore calls `FocusTracker.leave`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from .containers import Group, Root, Scroll, bar_at, closes_elsewhere, served_by
from .widget import Widget, node_of

_TIP_DELAY = 0.6  # seconds without a move of the pointer


class FocusTracker:
    """The part of an `Interface` that tracks focus, pointer and tooltip."""

    # A class attribute, because few games have widgets that use presses: a snapshot can skip it.
    grabs: Mapping[int, Widget] = MappingProxyType({})
    """The widget that used the press of each mouse button that is down."""

    def __init__(self) -> None:
        self.roots: list[Root] = []
        """The outermost groups of widgets. The last group is drawn on top."""
        self.focus: Widget | None = None
        """The widget that receives keys and gamepad buttons, or None."""
        self.hovered: Widget | None = None
        """The widget under the pointer, or None."""
        self.held: Widget | None = None
        """The widget on which the left mouse button is held, or None."""
        self.tip: tuple[str, float, float] | None = None
        """Text, x and y of the displayed tooltip, or None."""
        self.has_news = True
        """Whether any widget must be painted again in the next frame."""
        self._pointer = (-1.0, -1.0)
        self._stayed = 0.0

    def settle(self) -> None:
        """Compute the layout of the widgets again, if a widget has changed."""
        raise NotImplementedError

    def has(self, widget: Widget) -> bool:
        """Return whether a widget belongs to this interface."""
        interface: object = node_of(widget).interface
        return interface is self

    def note_change(self) -> None:
        """Request a repaint of the interface in the next frame, after a widget has changed."""
        self.has_news = True

    # -- the focus ---------------------------------------------------------------------------------

    def set_focus(self, widget: Widget | None) -> None:
        """Set the focus to a widget, or remove the focus with None.

        Raises `ValueError` if the widget cannot have the focus.
        """
        if widget is not None and (
            not self.has(widget) or not widget.focusable or not node_of(widget).interactive
        ):
            rule = "it must be focusable, visible, enabled and in this interface"
            raise ValueError(f"focus: {widget!r} cannot have the focus; {rule}")
        self.close_popup(widget)
        if widget is self.focus:
            return
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
        """Return the roots (outermost groups) that receive events, the topmost first.

        Roots below a modal root receive no events.
        """
        roots: list[Root] = []
        for root in reversed(self.roots):
            if node_of(root).interactive:
                roots.append(root)
                if root.modal:
                    break
        return roots

    def receives_events(self, widget: Widget) -> bool:
        """Return whether events can reach a widget."""
        node = node_of(widget)
        top = node.outermost
        return node.interactive and any(root is top for root in self.active_roots())

    def focusables(self) -> list[Widget]:
        """Return the widgets to which the focus can move, in the order of the Tab key.

        Only widgets in the root with the focus are returned. If no widget in this root can have the
        focus, the widgets of the topmost root with such widgets are returned.
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
        """Return whether a modal root is open, so that the game receives no input."""
        return any(root.modal and node_of(root).interactive for root in self.roots)

    def close_popup(self, unless: Widget | None = None) -> bool:
        """Close the open list of a dropdown. If the list contains the widget ``unless``, the list
        stays open.

        Return whether a list was closed.
        """
        popup = next((root for root in self.roots if closes_elsewhere(root)), None)
        if popup is None or (unless is not None and node_of(unless).outermost is popup):
            return False
        popup.remove()
        return True

    # -- widgets that come and go ------------------------------------------------------------------

    def note_added(self, widget: Widget) -> None:
        """Update the focus after a widget was added or became visible.

        When a modal root opens, it stores the widget that has the focus. When the root closes, that
        widget gets the focus again.
        """
        if isinstance(widget, Root) and widget.modal:
            focus = self.focus
            if focus is None or node_of(focus).outermost is not widget:
                node_of(widget).returns_to = focus

    def leave(self, *widgets: Widget) -> None:
        """Take the focus and the pointer from widgets that can no longer be used, and from their
        children.

        Called when widgets are removed, hidden or disabled. The next focusable widget gets the
        focus. After a modal root has closed, the focus returns to the widget that had the focus
        before.
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
        """Return the widget to which the focus returns after the modal ``root`` has closed.

        The result of `_focus_before` is the widget that had the focus before the root opened, or
        the next focusable widget. If this widget was removed too, together with its root, return
        the widget that had the focus before that root opened, and so on.
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
        """Return the top left corner of a widget in the view, in units of the interface, y down."""
        return widget.box.absolute_position()

    def local(self, widget: Widget) -> tuple[float, float]:
        """Return the position of the pointer in units from the top left corner of a widget, y down."""
        left, top = self.position_of(widget)
        return self._pointer[0] - left, self._pointer[1] - top

    def move_pointer(self, position: tuple[float, float]) -> None:
        """Move the pointer to a position, in units of the interface, y down."""
        if position != self._pointer:
            self._pointer = position
            self._reset_tooltip()
        self.find_hovered()

    def find_hovered(self) -> None:
        """Find the widget under the pointer, after the pointer or a widget has moved."""
        hovered = next(
            (
                widget
                for root in self.active_roots()
                if (widget := _widget_at(root, *self._pointer))
            ),
            None,
        )
        if hovered is not self.hovered:
            self.hovered = hovered
            self.note_change()

    def set_grabs(self, grabs: Mapping[int, Widget]) -> None:
        """Set the widgets that used the presses of mouse buttons, by button. When a button is
        released, its widget receives the release.
        """
        if grabs:
            self.grabs = grabs
        elif "grabs" in vars(self):
            del self.grabs

    def remove_pointer(self) -> None:
        """Mark no widget as hovered, because the pointer has left the window."""
        self._pointer = (-1.0, -1.0)
        self.find_hovered()

    def _reset_tooltip(self) -> None:
        self._stayed = 0.0
        if self.tip is not None:
            self.tip = None
            self.note_change()

    def advance_tooltip(self, dt: float) -> None:
        """Called in each tick: count the time for which neither the pointer nor the focus has
        moved.

        The tooltip appears after 0.6 seconds.
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
    """Return the focusable widget of ``root`` after a given widget. If there is none, return the
    focusable widget before the given widget.

    Return None if ``root.hud`` is True, because widgets of a hud never have the focus.
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
    """Return the innermost widget that receives clicks at a position, or None."""
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
