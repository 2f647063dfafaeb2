"""What every widget is: a place in a tree, a box, and what it does when it is pointed at, pressed
or steered.
"""

from __future__ import annotations

__all__ = ["Widget"]

import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ..checks import Setting, choice, flag, function, instance, text, whole
from .commands import checked_action
from .flex import STYLES, Box
from .theme import WORDS, theme_of

if TYPE_CHECKING:
    from .brush import Brush
    from .theme import Theme


class Shown(Setting[Any]):
    """A setting that is seen: its widget is drawn anew when it changes, and with ``sized`` laid out
    anew, too.
    """

    def __init__(self, check: Callable[[str, Any], Any], doc: str, *, sized: bool = False) -> None:
        super().__init__(check, doc)
        self._sized = sized

    def keep(self, thing: Any, value: Any) -> None:
        before = getattr(thing, self.slot, self)
        arrays = hasattr(before, "shape") or hasattr(value, "shape")  # pictures
        if before is not value and (arrays or before != value):
            super().keep(thing, value)
            thing.changed(sized=self._sized)


class _Enabled(Shown):
    """When it is taken off, the focus does not stay."""

    def keep(self, thing: Any, value: Any) -> None:
        ends = getattr(thing, self.slot, False) and not value
        super().keep(thing, value)
        ui = thing.ui
        if ends and ui is not None:
            ui.leave(thing)


def said(name: str, value: Any) -> str:
    """Whatever is said, as text."""
    return str(value)


def maybe_function(name: str, value: Any) -> Any:
    """A function, or None."""
    return None if value is None else function(name, value)


def _maybe_text(name: str, value: Any) -> str | None:
    return None if value is None else text(name, value)


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


_taken = {"action", "box", "children"}  # names of a group's other methods and attributes
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

    def create(group: Any, /, *arguments: Any, **options: Any) -> Any:
        return group.add(_newest(kind)(*arguments, **options))

    create.__name__, create.__qualname__ = name, f"Group.{name}"
    create.__doc__ = kind.__doc__
    create.__wrapped__ = kind.__init__  # type: ignore[attr-defined]  # for its signature
    setattr(Creators, name, create)


def _newest(kind: type[Widget]) -> type[Widget]:
    """Return the class that the module has now: code that is reloaded keeps the first class."""
    bound: Any = getattr(sys.modules.get(kind.__module__), kind.__name__, None)
    same = isinstance(bound, type) and bound.__qualname__ == kind.__qualname__
    return bound if same else kind


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
    """Whether clicks on it are not for what is behind, even where it does nothing with them."""

    _not_hashed: ClassVar[Any] = ("box",)
    not_state: ClassVar[Any] = ("box",)

    enabled = _Enabled(flag, "Whether it can be used.")
    tooltip = Shown(_maybe_text, "What is shown where the pointer or the focus stays for a while.")

    _ui: Any = None
    _words: dict[str, str] | None = None  # what it says that is the theme's, by attribute
    own_theme: Theme | None = None
    """What it was told; None for that of what it is in."""
    parent: Widget | None = None
    """The one that it is in."""

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
        self.children: list[Widget] = []
        self.box = Box(self)
        self._styles: dict[str, Any] = {}
        self.action = None if action is None else checked_action(action)
        self._visible = True
        self.enabled, self.tooltip = enabled, tooltip
        self.style(**styles)
        self.visible = visible
        if theme is not None:
            self.theme = theme

    def style(self, **styles: Any) -> Self:
        """Have other sizes, gaps, …: ``widget.style(width="50%", grow=1)``. Returns the widget.
        After an error it is as it was."""
        before = {name: getattr(self.box, name) for name in styles if name in STYLES}
        try:
            self._set_styles(styles)
        except BaseException:
            self._set_styles(before)
            raise
        self._styles |= styles
        self.changed()
        return self

    def _set_styles(self, styles: dict[str, Any]) -> None:
        for name, value in styles.items():
            if name not in STYLES or name in ("shown", "scrolls"):
                from ..checks import nearest

                near = nearest(name, STYLES - {"shown", "scrolls"})
                raise TypeError(
                    f"{type(self).__name__} has no option {name!r}; the nearest are {near}"
                )
            setattr(self.box, name, value)

    def renew(self) -> None:
        """A snapshot was put back: its box follows from what it is."""
        self.box = Box(self, **self._styles, shown=self._visible)
        self.box.scrolls = self.scrolls
        for child in self.children:
            child.renew()
            self.box.add(child.box)

    # -- to override -------------------------------------------------------------------------------

    scrolls: ClassVar[bool] = False

    def least(self) -> float:
        """The width below which it would have to be cut, units without padding."""
        return 0.0

    def size(self, available: float) -> tuple[float, float]:
        """Width and height that it would like to have where so much width is available, without
        padding.
        """
        return 0.0, 0.0

    # places(width, height, sizes): a class that has this method puts what is in it where it likes:
    # it is told its own size and the sizes (w, h) that those in it would like, and returns (x, y,
    # w, h) for each, from its corner, y down.

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

    def poll(self) -> None:
        """Is called now and then: what it shows may be another."""

    def say(self, **words: str) -> Self:
        """Have its ``text`` or ``tooltip`` be what the interface's theme has for one of its
        `WORDS`, also when that is another. Returns the widget. Raises `ValueError` for what is none
        of them."""
        for name, word in words.items():
            choice(name, word, WORDS)
            choice("say", name, ("text", "tooltip"))
        self._words = (self._words or {}) | words
        ui = self.ui
        if ui is not None:
            self.reword(ui)
        return self

    def reword(self, ui: Any) -> None:
        """The theme of its interface may be another: have its words."""
        for name, word in (self._words or {}).items():
            setattr(self, name, ui.theme.word(word))

    def arrive(self, ui: Any) -> None:
        """It is to be in an interface, with all within. Raises `AssetError` where a file is missing
        or broken.
        """
        if self.own_theme is not None:
            self.own_theme.check_files(ui.picture_size)
        self.reword(ui)
        for child in self.children:
            child.arrive(ui)

    # -- its place ---------------------------------------------------------------------------------

    @property
    def ui(self) -> Any:
        """The `UI` that it is in; None where it is in none."""
        widget: Widget | None = self
        while widget is not None and widget._ui is None:
            widget = widget.parent
        return None if widget is None else widget._ui

    @property
    def theme(self) -> Any:
        """The `Theme` that it was told, or what it is in, or that of its interface; None takes back
        what it was told. Raises `ValueError` where it has none, and is in no interface."""
        widget: Widget | None = self
        while widget is not None:
            if widget.own_theme is not None:
                return widget.own_theme
            widget = widget.parent
        ui = self.ui
        if ui is None:
            raise ValueError(
                f"{type(self).__name__}: it is in no interface yet; add it to one first"
            )
        return ui.theme

    @theme.setter
    def theme(self, value: Theme | str | None) -> None:
        theme, ui = None if value is None else theme_of("theme", value), self.ui
        if theme is not None and ui is not None:
            theme.check_files(ui.picture_size)
        self.own_theme = theme
        for widget in self.walk():
            widget.changed(sized=True)

    @property
    def visible(self) -> bool:
        """Whether it is there; what is not takes no room."""
        return self._visible

    @visible.setter
    def visible(self, value: bool) -> None:
        value = flag("visible", value)
        if value != self._visible:
            self._visible = self.box.shown = value
            self.changed()
            ui = self.ui
            if ui is not None:
                (ui.welcome if value else ui.leave)(self)

    @property
    def focused(self) -> bool:
        """Whether the focus is on it."""
        ui = self.ui
        return ui is not None and ui.focus is self

    @property
    def hot(self) -> bool:
        """Whether the pointer is over it."""
        ui = self.ui
        return ui is not None and ui.hot is self

    @property
    def held(self) -> bool:
        """Whether the mouse's button went down on it, and is still."""
        ui = self.ui
        return ui is not None and ui.held is self

    @property
    def outermost(self) -> Widget:
        """The one that all of these are in; itself where it is in none."""
        widget = self
        while widget.parent is not None:
            widget = widget.parent
        return widget

    @property
    def usable(self) -> bool:
        """Whether it, and all that it is in, is there and enabled."""
        widget: Widget | None = self
        while widget is not None:
            if not (widget._visible and widget.enabled):
                return False
            widget = widget.parent
        return True

    def changed(self, *, sized: bool = False) -> None:
        """It is to be drawn anew; with ``sized`` it may need another size."""
        if sized:
            self.box.dirty()
        ui = self.ui
        if ui is not None:
            ui.canvas.touch(self)
            ui.note_change()

    def put(self, child: Widget, place: int | None = None) -> None:
        """Have another one in it."""
        instance("child", child, Widget)
        place = None if place is None else min(whole("place", place, 0), len(self.children))
        if child._ui is not None:
            raise ValueError(
                f"{type(child).__name__}: it is the root of an interface, and cannot "
                "be in another widget"
            )
        above: Widget | None = self
        while above is not None:
            if above is child:
                raise ValueError(f"{type(child).__name__}: it cannot be in itself")
            above = above.parent
        if child.parent is not None:
            where = "this one" if child.parent is self else "another one"
            raise ValueError(f"{type(child).__name__}: it is in {where} already; remove() it first")
        ui = self.ui
        if ui is not None:
            child.arrive(ui)
        self.box.add(child.box, place)
        child.parent = self
        self.children.insert(len(self.children) if place is None else place, child)
        child.changed(sized=True)
        if ui is not None:
            ui.note_parts()

    def remove(self) -> None:
        """Take it out of what it is in. Raises `ValueError` where it is in nothing."""
        ui, parent = self.ui, self.parent
        if ui is not None:
            ui.leave(self)
        if self._ui is not None:
            self._ui.take_out(self)
        elif parent is not None:
            parent.box.remove(self.box)
            parent.children.remove(self)
            parent.changed()
            self.parent = None
            if ui is not None:
                ui.note_parts()
        else:
            raise ValueError(
                f"{type(self).__name__}: it is in nothing that it could be removed from"
            )

    def walk(self) -> Iterator[Widget]:
        """It, and all within, in their order."""
        yield self
        for child in self.children:
            yield from child.walk()

    def __repr__(self) -> str:
        words = getattr(self, "text", "")
        return f"<{type(self).__name__}{f' {words!r}' if words else ''}>"
