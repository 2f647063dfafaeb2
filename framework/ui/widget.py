"""What every widget is: a place in a tree, a box, and what it does when it is pointed at, pressed
or steered.
"""

from __future__ import annotations

__all__ = ["Widget"]

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, TypeVar

from ..checks import Setting, choice, flag, function, instance, text, whole
from .commands import checked_action
from .flex import STYLES, Box
from .theme import WORDS, check_files, theme_of

if TYPE_CHECKING:
    from ..assets.images import ImageSource
    from .brush import Brush
    from .captions import Ruler
    from .theme import Theme

T = TypeVar("T")


class Face(Protocol):
    """The `UI` of a scene, as far as widgets know it."""

    @property
    def focus(self) -> Widget | None: ...
    def set_focus(self, widget: Widget | None) -> None: ...


class Interface(Protocol):
    """What widgets ask of the interface that they are in."""

    focus: Widget | None
    hot: Widget | None
    held: Widget | None

    @property
    def face(self) -> Face: ...
    @property
    def theme(self) -> Theme: ...
    @property
    def ruler(self) -> Ruler: ...
    def picture_size(self, image: ImageSource) -> tuple[int, int]: ...
    def set_focus(self, widget: Widget | None) -> None: ...
    def open_list(self, dropdown: Widget) -> None: ...
    def opened_for(self, widget: Widget) -> Widget | None: ...
    def later(self, function: Callable[..., object], *arguments: object) -> None: ...
    def repaint(self, widget: Widget) -> None: ...
    def note_parts(self) -> None: ...
    def welcome(self, widget: Widget) -> None: ...
    def leave(self, *widgets: Widget) -> None: ...
    def take_out(self, root: Widget) -> None: ...


class Shown(Setting[T]):
    """A setting that is seen: its widget is drawn anew when it changes, and with ``sized`` laid out
    anew, too.
    """

    def __init__(self, check: Callable[[str, Any], T], doc: str, *, sized: bool = False) -> None:
        super().__init__(check, doc)
        self._sized = sized

    def keep(self, thing: Widget, value: T) -> None:
        before: object = getattr(thing, self.slot, self)
        arrays = hasattr(before, "shape") or hasattr(value, "shape")  # pictures
        if before is not value and (arrays or before != value):
            super().keep(thing, value)
            thing.changed(sized=self._sized)


class _Enabled(Shown[bool]):
    """When it is taken off, the focus does not stay."""

    def keep(self, thing: Widget, value: bool) -> None:
        before: bool = getattr(thing, self.slot, False)
        ends = before and not value
        super().keep(thing, value)
        interface = seat_of(thing).interface
        if ends and interface is not None:
            interface.leave(thing)


def said(name: str, value: object) -> str:
    """Whatever is said, as text."""
    return str(value)


def maybe_function(name: str, value: Any) -> Callable[..., object] | None:
    """A function, or None."""
    return None if value is None else function(name, value)


def _maybe_text(name: str, value: object) -> str | None:
    return None if value is None else text(name, value)


class _Container(Protocol):
    """A group, as far as creators know it."""

    def add(self, widget: Widget) -> Widget: ...


class Creators:
    """The methods by which groups make widgets, put them in and return them.

    A widget's class adds a method by its ``creator``: with ``class Dial(fw.Widget,
    creator="dial")``, ``menu.dial(…)`` is ``menu.add(Dial(…))``. So a widget, also one that is made
    of others, has a module of its own, and groups need not know it.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls.__module__.startswith("framework."):  # `Group` and what derives from it
            _taken.update(
                name for kind in cls.__mro__ if kind is not Creators for name in vars(kind)
            )
            for name, kind in _kinds.items():
                _check_creator(name, kind)


_taken = {"action", "box"}  # attributes that groups set; names of their classes are added
_kinds: dict[str, type[Widget]] = {}  # by their creators


def _check_creator(name: str, kind: type[Widget]) -> None:
    known = _kinds.get(name, kind)
    other = (known.__module__, known.__qualname__) != (kind.__module__, kind.__qualname__)
    if not name.isidentifier() or name[0] == "_" or name in _taken or other:
        raise ValueError(
            f"creator: expected a name that groups do not have yet, got {name!r} for "
            f"{kind.__name__}; choose another one"
        )


def _add_creator(name: str, kind: type[Widget]) -> None:
    _check_creator(text("creator", name), kind)
    _kinds[name] = kind

    def create(group: _Container, /, *arguments: Any, **options: Any) -> Widget:
        return group.add(_newest(kind)(*arguments, **options))

    create.__name__, create.__qualname__ = name, f"Group.{name}"
    create.__doc__ = kind.__doc__
    create.__wrapped__ = kind.__init__  # type: ignore[attr-defined]  # for its signature
    setattr(Creators, name, create)


def _newest(kind: type[Widget]) -> type[Widget]:
    """Return the class that the module has now: code that is reloaded keeps the first class."""
    bound: type[Widget] | None = getattr(sys.modules.get(kind.__module__), kind.__name__, None)
    if isinstance(bound, type) and bound.__qualname__ == kind.__qualname__:
        return bound
    return kind


class Widget:
    """Something in a `UI`. Subclass it for one of your own, and override what it needs:

        class Dial(fw.Widget):
            focusable = True

            def size(self, available):            # units that it would like to have
                return 40, 40

            def paint(self, brush):               # in units from its top left corner, y down
                brush.box(0, 0, self.box.w, self.box.h, fill=brush.theme.accent, radius=20)

            def press(self):
                self.turn += 1
                self.changed()

    Parameters
    ----------
    action
        What presses it, too, wherever the focus is: "cancel" (Escape, a pad's B), the name of a key
        as in "f5", or a control of a pad as in "pad:start".
    tooltip
        Is shown where the pointer or the focus stays for a while.
    enabled
        Whether it can be used.
    theme
        A `Theme` of its own, and of all within it, or the name of one; the font and the sounds are
        the interface's.
    styles
        Of its box: width, height, min_width, max_width, min_height, max_height, padding, gap, grow,
        align, justify, direction, columns, span, wrap. See `flex.Box`.
    """

    def __init_subclass__(cls, *, creator: str | None = None, **options: Any) -> None:
        """``creator``: the name of the method by which groups make a widget of this class."""
        super().__init_subclass__(**options)
        if creator is not None:
            _add_creator(creator, cls)

    focusable: ClassVar[bool] = False
    """Whether the focus can be on it."""
    solid: ClassVar[bool] = False
    """Whether it blocks clicks for the widgets and the game behind it, also if it ignores them."""

    _transient_attributes: ClassVar[Any] = ("box",)  # it follows from the styles

    enabled = _Enabled(flag, "Whether it can be used.")
    tooltip = Shown(_maybe_text, "What is shown where the pointer or the focus stays for a while.")

    def __init__(
        self,
        *,
        action: str | None = None,
        tooltip: str | None = None,
        enabled: bool = True,
        visible: bool = True,
        theme: Theme | str | None = None,
        **styles: Any,
    ) -> None:
        self.box = Box(self)
        """Its rectangle: ``x``, ``y``, ``w``, ``h`` in units from the top left corner of the widget
        that it is in, y down, as the last layout had them.
        """
        self._seat = Seat(self)
        self.action = None if action is None else checked_action(action)
        self.enabled, self.tooltip = enabled, tooltip
        self.style(**styles)
        self.visible = visible
        if theme is not None:
            self.theme = theme

    def style(self, **styles: object) -> Self:
        """Have other sizes, gaps, …: ``widget.style(width="50%", grow=1)``. Returns the widget.
        After an error it is as it was."""
        self._seat.style(styles)
        self.changed()
        return self

    # -- to override -------------------------------------------------------------------------------

    def least(self) -> float:
        """Return the width below which the widget would be cut, in units without padding.

        Default: 0.
        """
        return 0.0

    def size(self, available: float) -> tuple[float, float]:
        """Width and height that it would like to have where so much width is available, without
        padding.
        """
        return 0.0, 0.0

    # places(width, height, sizes): a class with this method lays out its children by itself. It
    # receives its own size and the preferred sizes (w, h) of the children. It returns (x, y, w, h)
    # for each child, from its own corner, y down.

    def paint(self, brush: Brush) -> None:
        """Draw it, in units from its top left corner, y down; ``self.box.w`` and ``h`` is its
        size.
        """

    def press(self) -> None:
        """It was clicked, or the focus is on it and Enter, Space or a pad's A was pressed."""

    def steer(self, direction: str) -> bool:
        """The focus is on it, and "left", "right", "up" or "down" was pressed. Returns whether it
        was for this one; else the focus goes to the next in that direction."""
        return False

    def point(self, x: float, y: float, begins: bool) -> None:
        """The mouse's button went down on it (``begins``), or is held and was moved: units from its
        top left corner.
        """

    def wheel(self, steps: float) -> bool:
        """The wheel was turned over it. Returns whether it was for this one."""
        return False

    def type(self, text: str) -> None:
        """The focus is on it, and text was typed."""

    def _images(self) -> Iterable[ImageSource]:
        """Return the images that must be found before it comes into an interface."""
        return ()

    def _renewed(self) -> None:
        """Called after a snapshot is restored: its box is a new one."""

    # -- its place ---------------------------------------------------------------------------------

    @property
    def parent(self) -> Widget | None:
        """The widget that it is in."""
        return self._seat.parent

    @property
    def children(self) -> list[Widget]:
        """The widgets in it, in their order: a new list."""
        return self._seat.children.copy()

    @property
    def ui(self) -> Face | None:
        """The `UI` that it is in; None where it is in none."""
        interface = self._seat.interface
        return None if interface is None else interface.face

    @property
    def theme(self) -> Theme:
        """The `Theme`: its own, or else its parent's, or else the interface's.

        Setting None removes its own theme. Reading raises `ValueError` if there is none and the
        widget is in no interface.
        """
        for widget in self._seat.around():
            own = widget._seat.theme
            if own is not None:
                return own
        interface = self._seat.interface
        if interface is None:
            raise ValueError(
                f"{type(self).__name__}: it is in no interface yet; add it to one first"
            )
        return interface.theme

    @theme.setter
    def theme(self, value: Theme | str | None) -> None:
        theme = None if value is None else theme_of("theme", value)
        interface = self._seat.interface
        if theme is not None and interface is not None:
            check_files(theme, interface.picture_size)
        self._seat.theme = theme
        for widget in self._seat.walk():
            widget.changed(sized=True)

    @property
    def visible(self) -> bool:
        """Whether it is there; what is not takes no room."""
        return self._seat.visible

    @visible.setter
    def visible(self, value: bool) -> None:
        value, seat = flag("visible", value), self._seat
        if value != seat.visible:
            seat.visible = self.box.shown = value
            self.changed()
            interface = seat.interface
            if interface is not None:
                (interface.welcome if value else interface.leave)(self)

    @property
    def focused(self) -> bool:
        """Whether the focus is on it."""
        interface = self._seat.interface
        return interface is not None and interface.focus is self

    @property
    def hot(self) -> bool:
        """Whether the pointer is over it."""
        interface = self._seat.interface
        return interface is not None and interface.hot is self

    @property
    def held(self) -> bool:
        """Whether the mouse's button went down on it, and is still."""
        interface = self._seat.interface
        return interface is not None and interface.held is self

    def changed(self, *, sized: bool = False) -> None:
        """It is to be drawn anew; with ``sized`` it may need another size."""
        if sized:
            self.box.dirty()
        interface = self._seat.interface
        if interface is not None:
            interface.repaint(self)

    def say(self, **words: str) -> Self:
        """Have its ``text`` or ``tooltip`` be what the interface's theme has for one of its
        `WORDS`, also when that is another. Returns the widget. Raises `ValueError` for what is none
        of them."""
        for name, word in words.items():
            choice(name, word, WORDS)
            choice("say", name, ("text", "tooltip"))
        seat = self._seat
        seat.words = (seat.words or {}) | words
        interface = seat.interface
        if interface is not None:
            seat.reword(interface.theme)
        return self

    def put(self, child: Widget, place: int | None = None) -> None:
        """Have another one in it."""
        instance("child", child, Widget)
        children = self._seat.children
        place = None if place is None else min(whole("place", place, 0), len(children))
        if child._seat.root_of is not None:
            raise ValueError(
                f"{type(child).__name__}: it is the root of an interface, and cannot "
                "be in another widget"
            )
        if any(widget is child for widget in self._seat.around()):
            raise ValueError(f"{type(child).__name__}: it cannot be in itself")
        if child.parent is not None:
            where = "this one" if child.parent is self else "another one"
            raise ValueError(f"{type(child).__name__}: it is in {where} already; remove() it first")
        interface = self._seat.interface
        if interface is not None:
            child._seat.arrive(interface)
        self.box.add(child.box, place)
        child._seat.parent = self
        children.insert(len(children) if place is None else place, child)
        child.changed(sized=True)
        if interface is not None:
            interface.note_parts()

    def remove(self) -> None:
        """Remove the widget from its parent. Raises `ValueError` if it has none."""
        seat = self._seat
        interface, parent = seat.interface, seat.parent
        if interface is not None:
            interface.leave(self)
        if seat.root_of is not None:
            seat.root_of.take_out(self)
        elif parent is not None:
            parent.box.remove(self.box)
            parent._seat.children.remove(self)
            parent.changed()
            seat.parent = None
            if interface is not None:
                interface.note_parts()
        else:
            raise ValueError(
                f"{type(self).__name__}: it is in nothing that it could be removed from"
            )

    def __repr__(self) -> str:
        words: object = getattr(self, "text", "")
        return f"<{type(self).__name__}{f' {words!r}' if words else ''}>"


class Seat:
    """The place of a widget among the others, and what the interface keeps of it.

    Each widget has one from the start, because groups are filled before they are in an interface.
    Modules of this room find it with `seat_of`; games use the widget.
    """

    not_state = ("widget",)  # it has the seat

    # Values that few widgets have of their own: a snapshot need not look at them.
    root_of: Interface | None = None
    """The interface whose root the widget is; None for all other widgets."""
    theme: Theme | None = None
    """The widget's own theme; None for that of what it is in."""
    words: dict[str, str] | None = None
    """The words of the theme that it says, by attribute."""
    returns_to: Widget | None = None
    """The widget that had the focus when this one came, if this one is modal."""

    def __init__(self, widget: Widget) -> None:
        self.widget = widget
        self.parent: Widget | None = None
        self.children: list[Widget] = []
        self.styles: dict[str, object] = {}
        """The styles of the box that the widget was given."""
        self.visible = True

    # -- around it, and within ---------------------------------------------------------------------

    def around(self) -> Iterator[Widget]:
        """Yield the widget, the one that it is in, and so on, up to the root."""
        widget: Widget | None = self.widget
        while widget is not None:
            yield widget
            widget = widget._seat.parent

    def walk(self) -> Iterator[Widget]:
        """Yield the widget and all within, in their order."""
        yield self.widget
        for child in self.children:
            yield from child._seat.walk()

    @property
    def outermost(self) -> Widget:
        """The widget that all of these are in; itself if it is in none."""
        widget = self.widget
        while widget._seat.parent is not None:
            widget = widget._seat.parent
        return widget

    @property
    def interface(self) -> Interface | None:
        """The interface that the widget is in, or None."""
        return self.outermost._seat.root_of

    @property
    def usable(self) -> bool:
        """Whether the widget, and all that it is in, is visible and enabled."""
        return all(widget._seat.visible and widget.enabled for widget in self.around())

    # -- what the interface does with it -----------------------------------------------------------

    def style(self, styles: dict[str, object]) -> None:
        """Set styles of the box. After an error they are as they were."""
        box = self.widget.box
        before: dict[str, object] = {name: getattr(box, name) for name in styles if name in STYLES}
        try:
            self._set_styles(styles)
        except BaseException:
            self._set_styles(before)
            raise
        self.styles |= styles

    def _set_styles(self, styles: dict[str, object]) -> None:
        for name, value in styles.items():
            if name not in STYLES or name in ("shown", "scrolls"):
                from ..checks import nearest

                near = nearest(name, STYLES - {"shown", "scrolls"})
                kind = type(self.widget).__name__
                raise TypeError(f"{kind} has no option {name!r}; the nearest are {near}")
            setattr(self.widget.box, name, value)

    def arrive(self, interface: Interface) -> None:
        """Prepare the widget, and all within, for an interface.

        Raises `AssetError` if an image of theirs is missing or broken.
        """
        for image in self.widget._images():
            interface.picture_size(image)
        if self.theme is not None:
            check_files(self.theme, interface.picture_size)
        self.reword(interface.theme)
        for child in self.children:
            child._seat.arrive(interface)

    def reword(self, theme: Theme) -> None:
        """Have the widget say the words of a theme."""
        for name, word in (self.words or {}).items():
            setattr(self.widget, name, theme.word(word))

    def renew(self) -> None:
        """Make the boxes of the widget, and of all within, after a snapshot is restored."""
        widget = self.widget
        widget.box = Box(widget, **self.styles, shown=self.visible)
        widget._renewed()
        for child in self.children:
            child._seat.renew()
            widget.box.add(child.box)


def seat_of(widget: Widget) -> Seat:
    """Return the place of a widget among the others."""
    return widget._seat
