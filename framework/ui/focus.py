"""UI focus and pointer: the focused widget, the hovered one and the pressed one.

None of the three is ever removed, hidden or disabled. Code that removes, hides or disables a widget
calls `leave`.
"""

from __future__ import annotations

from .containers import Group, Root, Scroll, bar_at, closes_elsewhere, served_by
from .widget import Widget, node_of

_TIP_DELAY = 0.6  # seconds without a move of the pointer


class FocusTracker:
    """The part of an interface that tracks focus, pointer and tooltip."""

    def __init__(self) -> None:
        self.roots: list[Root] = []
        """The outermost groups. The last one is on top."""
        self.focus: Widget | None = None
        """The widget that receives keys and gamepad buttons, or None."""
        self.hovered: Widget | None = None
        """The widget under the pointer, or None."""
        self.held: Widget | None = None
        """The widget on which the left mouse button is held, or None."""
        self.tip: tuple[str, float, float] | None = None
        """Text and position of the tooltip that is displayed, or None."""
        self.has_news = True
        """Whether anything must be drawn again."""
        self._pointer = (-1.0, -1.0)
        self._stayed = 0.0

    def settle(self) -> None:
        """Update the layout of all boxes."""
        raise NotImplementedError

    def has(self, widget: Widget) -> bool:
        """Return whether a widget is in this interface."""
        interface: object = node_of(widget).interface
        return interface is self

    def note_change(self) -> None:
        """Draw the interface again in the next frame."""
        self.has_news = True

    # -- the focus ---------------------------------------------------------------------------------

    def set_focus(self, widget: Widget | None) -> None:
        """Set the focus to a widget, or remove it with None.

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

    def listening(self) -> list[Root]:
        """Return the roots that receive events, the topmost first."""
        roots: list[Root] = []
        for root in reversed(self.roots):
            if node_of(root).interactive:
                roots.append(root)
                if root.modal:
                    break
        return roots

    def hears(self, widget: Widget) -> bool:
        """Return whether events can reach a widget."""
        node = node_of(widget)
        top = node.outermost
        return node.interactive and any(root is top for root in self.listening())

    def focusables(self) -> list[Widget]:
        """Return the widgets that can have the focus.

        They are in the root with the focus, or otherwise in the topmost root that has any.
        """
        roots = [root for root in self.listening() if not root.hud]
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
        """Return whether the interface receives all events, and the game none."""
        return any(root.modal and node_of(root).interactive for root in self.roots)

    def close_popup(self, unless: Widget | None = None) -> bool:
        """Close an open list, unless ``unless`` is in it. Return whether a list was closed."""
        popup = next((root for root in self.roots if closes_elsewhere(root)), None)
        if popup is None or (unless is not None and node_of(unless).outermost is popup):
            return False
        popup.remove()
        return True

    # -- widgets that come and go ------------------------------------------------------------------

    def welcome(self, widget: Widget) -> None:
        """Prepare a widget that was added or became visible.

        A modal root notes the current focus, and returns it when it closes.
        """
        if isinstance(widget, Root) and widget.modal:
            focus = self.focus
            if focus is None or node_of(focus).outermost is not widget:
                node_of(widget).returns_to = focus

    def leave(self, *widgets: Widget) -> None:
        """Remove the focus and the pointer from widgets, and from all widgets in them.

        Called when they are removed, hidden or disabled. The focus goes to the next widget that
        accepts it. If a modal root leaves, the focus returns to the widget that had it before.
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
        """Return the widget that had the focus before a modal root opened, or one near it.

        If that root is gone too, look for the focus before that one.
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

    def place_of(self, widget: Widget) -> tuple[float, float]:
        """Return the top left corner of a widget, in units of the interface, y down."""
        return widget.box.place()

    def local(self, widget: Widget) -> tuple[float, float]:
        """Return the pointer position, relative to the top left corner of a widget."""
        left, top = self.place_of(widget)
        return self._pointer[0] - left, self._pointer[1] - top

    def point_at(self, position: tuple[float, float]) -> None:
        """Move the pointer to a position, in units of the interface, y down."""
        if position != self._pointer:
            self._pointer = position
            self._reset_tooltip()
        self.find_hovered()

    def find_hovered(self) -> None:
        """Update the hovered widget, which may change without a move of the pointer."""
        hovered = next(
            (widget for root in self.listening() if (widget := _widget_at(root, *self._pointer))),
            None,
        )
        if hovered is not self.hovered:
            self.hovered = hovered
            self.note_change()

    def point_away(self) -> None:
        """Remove the pointer from the interface."""
        self._pointer = (-1.0, -1.0)
        self.find_hovered()

    def _reset_tooltip(self) -> None:
        self._stayed = 0.0
        if self.tip is not None:
            self.tip = None
            self.note_change()

    def stay(self, dt: float) -> None:
        """Count ``dt`` seconds without a move. Show the tooltip after a while."""
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
                left, top = self.place_of(widget)
                x = left
                y = top + widget.box.h - 16
            self.tip = widget.tooltip, x, y
            self.note_change()


def _neighbor_in_order(widget: Widget, root: Widget, removed: set[int]) -> Widget | None:
    """Return the next widget of the root that can have the focus, or the previous one."""
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
    """Return the innermost widget at a position that receives clicks."""
    box = widget.box
    left, top = box.place()
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
