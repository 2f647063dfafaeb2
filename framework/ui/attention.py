"""Which widgets the player is at: the one with the focus, the one under the pointer, the one that
is held.

None of them ever is on a widget that is gone, hidden or disabled: whoever makes one so says it to
`leave`.
"""

from __future__ import annotations

from .panes import Group, Root, Scroll, bar_at, closes_elsewhere, served_by
from .widget import Widget, seat_of

_TIP_AFTER = 0.6  # seconds for which the pointer stays


class Attention:
    """The part of a `UI` that knows where the player is."""

    def __init__(self) -> None:
        self.roots: list[Root] = []
        """The outermost groups: the last one is over the others."""
        self.focus: Widget | None = None
        """The one that keys and pads are for."""
        self.hot: Widget | None = None
        """The one that the pointer is over."""
        self.held: Widget | None = None
        """The one that the mouse's button went down on."""
        self.tip: tuple[str, float, float] | None = None
        """The tooltip that is shown, and where it points."""
        self.has_news = True
        """Whether something is to be drawn anew."""
        self._pointer = (-1.0, -1.0)
        self._stayed = 0.0

    def settle(self) -> None:
        """Have all boxes where they belong."""
        raise NotImplementedError

    def has(self, widget: Widget) -> bool:
        """Return whether a widget is in this interface."""
        interface: object = seat_of(widget).interface
        return interface is self

    def note_change(self) -> None:
        """Something is to be drawn anew."""
        self.has_news = True

    # -- the focus ---------------------------------------------------------------------------------

    def set_focus(self, widget: Widget | None) -> None:
        """Put the focus on a widget, or nowhere. Raises `ValueError` for one that cannot have
        it.
        """
        if widget is not None and (
            not self.has(widget) or not widget.focusable or not seat_of(widget).usable
        ):
            words = "cannot have it; it must be focusable, shown, enabled, and in this interface"
            raise ValueError(f"focus: {widget!r} {words}")
        self.close_popup(widget)
        if widget is self.focus:
            return
        self.focus = widget
        self._stir()
        self.note_change()
        if widget is not None:
            self.settle()
            above = widget.parent
            while above is not None:
                if isinstance(above, Scroll):
                    above.show(widget)
                above = above.parent

    def listening(self) -> list[Root]:
        """The roots that hear anything, the uppermost first."""
        found: list[Root] = []
        for root in reversed(self.roots):
            if seat_of(root).usable:
                found.append(root)
                if root.modal:
                    break
        return found

    def hears(self, widget: Widget) -> bool:
        """Whether what the player does may be for a widget."""
        seat = seat_of(widget)
        top = seat.outermost
        return seat.usable and any(root is top for root in self.listening())

    def focusables(self) -> list[Widget]:
        """Of the root that has the focus, or else the uppermost that could."""
        roots = [root for root in self.listening() if not root.hud]
        if self.focus is not None:
            top = seat_of(self.focus).outermost
            roots.sort(key=lambda root: root is not top)
        for root in roots:
            found = [
                widget
                for widget in seat_of(root).walk()
                if widget.focusable and seat_of(widget).usable
            ]
            if found:
                return found
        return []

    def has_modal(self) -> bool:
        """Whether nothing but the interface hears anything."""
        return any(root.modal and seat_of(root).usable for root in self.roots)

    def close_popup(self, unless: Widget | None = None) -> bool:
        """Take away a list that is open over all else, ``unless`` this is in it. Returns whether
        there was one.
        """
        popup = next((root for root in self.roots if closes_elsewhere(root)), None)
        if popup is None or (unless is not None and seat_of(unless).outermost is popup):
            return False
        popup.remove()
        return True

    # -- what comes and goes -----------------------------------------------------------------------

    def welcome(self, widget: Widget) -> None:
        """It can be used from now on. One that is modal gives the focus back to where it is now."""
        if isinstance(widget, Root) and widget.modal:
            focus = self.focus
            if focus is None or seat_of(focus).outermost is not widget:
                seat_of(widget).returns_to = focus

    def leave(self, *widgets: Widget) -> None:
        """Those, and what is in them, go away or cannot be used any more: they are neither held nor
        pointed at, and the focus goes from them to the next one that could have it, or from what
        was modal back to where it was."""
        gone = {id(one) for widget in widgets for one in seat_of(widget).walk()}
        for root in [
            root for root in self.roots if id(served_by(root)) in gone and id(root) not in gone
        ]:
            root.remove()
        if id(self.held) in gone:
            self.held = None
        if id(self.hot) in gone:
            self.hot = None
            self._stir()
        focus = self.focus
        if focus is not None and id(focus) in gone:
            self.focus = self._heir(focus, gone)
            self._stir()
        self.note_change()

    def _heir(self, focus: Widget, gone: set[int]) -> Widget | None:
        root = seat_of(focus).outermost
        return self._before(root, gone) if id(root) in gone else _beside(focus, root, gone)

    def _before(self, root: Widget, gone: set[int]) -> Widget | None:
        """Where the focus was before what is modal came, or near it; or before that, if all of that
        is gone, too.
        """
        seen: set[int] = set()
        widget = seat_of(root).returns_to
        while widget is not None and id(root) not in seen:
            seen.add(id(root))
            root = seat_of(widget).outermost
            if self.has(widget) and id(root) not in gone:
                return widget if _may_have_focus(widget, gone) else _beside(widget, root, gone)
            widget = seat_of(root).returns_to
        return None

    # -- the pointer -------------------------------------------------------------------------------

    def place_of(self, widget: Widget) -> tuple[float, float]:
        """Its top left corner in the picture, in units of the interface, y down."""
        return widget.box.place()

    def local(self, widget: Widget) -> tuple[float, float]:
        """Where the pointer is, from a widget's top left corner."""
        left, top = self.place_of(widget)
        return self._pointer[0] - left, self._pointer[1] - top

    def point_at(self, place: tuple[float, float]) -> None:
        """The pointer is there, in units of the interface, y down."""
        if place != self._pointer:
            self._pointer = place
            self._stir()
        self.find_hot()

    def find_hot(self) -> None:
        """Which widget is under the pointer: it may be another though that did not move."""
        hot = next(
            (found for root in self.listening() if (found := _found(root, *self._pointer))), None
        )
        if hot is not self.hot:
            self.hot = hot
            self.note_change()

    def point_away(self) -> None:
        """The pointer is nowhere."""
        self._pointer = (-1.0, -1.0)
        self.find_hot()

    def _stir(self) -> None:
        self._stayed = 0.0
        if self.tip is not None:
            self.tip = None
            self.note_change()

    def stay(self, dt: float) -> None:
        """Nothing moved for so many seconds more."""
        if self._stayed <= _TIP_AFTER:
            self._stayed += dt
            if self._stayed > _TIP_AFTER:
                self._show_tip()

    def _show_tip(self) -> None:
        widget = self.hot or self.focus
        self.settle()
        while widget is not None and widget.tooltip is None:
            widget = widget.parent
        if widget is not None and widget.tooltip:
            x, y = self._pointer
            if self.hot is None:
                left, top = self.place_of(widget)
                x, y = left, top + widget.box.h - 16
            self.tip = widget.tooltip, x, y
            self.note_change()


def _beside(widget: Widget, root: Widget, gone: set[int]) -> Widget | None:
    """What comes after a widget in its root, or else before it, and can have the focus."""
    order = [one for one in seat_of(root).walk() if one is widget or _may_have_focus(one, gone)]
    place = next(place for place, one in enumerate(order) if one is widget)
    beside = order[place + 1 :] or order[:place][::-1]
    is_hud = isinstance(root, Root) and root.hud
    return beside[0] if beside and not is_hud else None


def _may_have_focus(widget: Widget, gone: set[int]) -> bool:
    return widget.focusable and id(widget) not in gone and seat_of(widget).usable


def _found(widget: Widget, x: float, y: float) -> Widget | None:
    """The innermost widget at a place that a click is for."""
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
    for child in reversed(seat_of(widget).children):
        found = _found(child, x, y)
        if found is not None:
            return found
    backed = isinstance(widget, Group) and widget.panel
    return widget if widget.solid or widget.focusable or scrolls or backed else None
