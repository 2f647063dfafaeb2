"""The base class of buttons, labels, groups and all other widgets."""

from __future__ import annotations

__all__ = ["Widget"]

import functools
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, TypeVar

from ..checks import Setting, choice, flag, function, instance, shown, text, whole
from ..moved_names import Absent, HasMoved, check_hooks, moved
from ..other_engines.game_code import functions_in
from ..other_engines.misspellings import misspelling_of
from ..other_engines.other_names import declare_own, other_names
from ..other_engines.other_options import option_hint
from ..other_engines.widget_names import creators_names, widget_names
from .commands import checked_actions
from .flex import STYLES, LayoutBox
from .theme import WORDS, check_files, theme_of

if TYPE_CHECKING:
    from ..assets.images import ImageSource
    from .brush import Brush
    from .text_ruler import Ruler
    from .theme import Theme

T = TypeVar("T")
W = TypeVar("W", bound="Widget")


class UIFrontend(Protocol):
    """The attributes and methods of a `UI` that widgets use."""

    @property
    def focus(self) -> Widget | None: ...
    def set_focus(self, widget: Widget | None) -> None: ...


class WidgetInterface(Protocol):
    """The attributes and methods of an `Interface` that widgets use."""

    focus: Widget | None
    hovered: Widget | None
    held: Widget | None

    @property
    def frontend(self) -> UIFrontend: ...
    @property
    def theme(self) -> Theme: ...
    @property
    def ruler(self) -> Ruler: ...
    def image_size(self, image: ImageSource) -> tuple[int, int]: ...
    def set_focus(self, widget: Widget | None) -> None: ...
    def open_list(self, dropdown: Widget) -> None: ...
    def opened_for(self, widget: Widget) -> Widget | None: ...
    def call_later(self, function: Callable[..., object], *arguments: object) -> None: ...
    def repaint(self, widget: Widget) -> None: ...
    def repaint_text(self, widget: Widget) -> None: ...
    def note_tree_change(self) -> None: ...
    def note_added(self, widget: Widget) -> None: ...
    def leave(self, *widgets: Widget) -> None: ...
    def remove_root(self, root: Widget) -> None: ...


class ShownSetting(Setting[T]):
    """A setting of a widget that affects how it is drawn.

    When the value changes, the widget is painted again and, with ``sized=True``, laid out again.
    """

    def __init__(self, check: Callable[[str, Any], T], doc: str, *, sized: bool = False) -> None:
        super().__init__(check, doc)
        self._sized = sized

    def keep(self, widget: Widget, value: T) -> None:
        previous: object = getattr(widget, self.slot, self)
        if previous is value:
            return
        if type(value) is not str or type(previous) is not str:
            has_array = hasattr(previous, "shape") or hasattr(value, "shape")  # images
            if not has_array and previous == value:
                return
        elif previous == value:
            return
        super().keep(widget, value)
        widget.changed(sized=self._sized)


class _Enabled(ShownSetting[bool]):
    """The property `Widget.enabled`. A disabled widget loses the focus."""

    def keep(self, widget: Widget, value: bool) -> None:
        previous: bool = getattr(widget, self.slot, False)
        ends = previous and not value
        super().keep(widget, value)
        interface = node_of(widget).interface
        if ends and interface is not None:
            interface.leave(widget)


def as_text(name: str, value: object) -> str:
    """Convert a value to text. Settings such as `TextLabel.text` use this function to convert new
    values.
    """
    return str(value)


def maybe_function(name: str, value: Any) -> Callable[..., object] | None:
    """Return ``value``. Raise an error if it is neither a function nor None."""
    return None if value is None else function(name, value)


def no_action(*_: object) -> None:
    """Do nothing: the default of options such as ``on_press``."""


def callback(name: str, value: Any) -> Callable[..., object] | None:
    """Return ``value``, or None if it is the default `no_action`. Raise an error if it is not a
    function. None also raises `TypeError`, because it usually means that the game has called the
    function instead of passing it: ``button("Go", self.go())``.
    """
    if value is None:
        raise TypeError(
            f"{name}: expected a function, got None; pass the function without calling it, as in "
            "self.start, not self.start()"
        )
    return None if value is no_action else function(name, value)


def _maybe_text(name: str, value: object) -> str | None:
    return None if value is None else text(name, value)


def _maybe_actions(name: str, value: object) -> str | tuple[str, ...] | None:
    return None if value is None else checked_actions(value)


class _Container(Protocol):
    """The methods of a group that `Creators` uses."""

    def add(self, widget: Widget) -> Widget: ...


@creators_names
class Creators:
    """The base class of `Group`. It gives groups one method for each widget class, such as
    `Group.button`, which creates a widget of the class.

    If a widget class has the option ``creator``, a method with this name is added to all groups.
    For example, ``class Dial(fw.Widget, creator="dial")`` adds the method ``dial``.
    ``menu.dial(…)`` is then short for ``menu.add(Dial(…))``. You can write the widget class in any
    module.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        # `Group`, and the framework's classes that derive from `Group`
        if cls.__module__.startswith("framework."):
            _taken.update(
                name
                for kind in cls.__mro__
                if kind is not Creators
                for name, value in vars(kind).items()
                if not isinstance(value, Absent)
            )
            for name, kind in _kinds.items():
                _check_creator(name, kind)


# names that creators cannot have, because groups have these attributes. `__init_subclass__` adds
# the names in the framework's classes.
_taken = {"action", "box"}
_kinds: dict[str, type[Widget]] = {}  # a dict from the names of creators to classes


def _check_creator(name: str, kind: type[Widget]) -> None:
    registered = _kinds.get(name, kind)
    differs = (registered.__module__, registered.__qualname__) != (
        kind.__module__,
        kind.__qualname__,
    )
    if not name.isidentifier() or name[0] == "_" or name in _taken or differs:
        raise ValueError(
            f"creator: expected a name that groups do not have, got {name!r} for {kind.__name__}"
        )


def creator_names() -> Collection[str]:
    """Return the names of all group methods that create widgets, such as "button"."""
    return _kinds


def _add_creator(name: str, kind: type[Widget]) -> None:
    _check_creator(text("creator", name), kind)
    _kinds[name] = kind

    def create(group: _Container, /, *arguments: Any, **options: Any) -> Widget:
        return group.add(_newest(kind)(*arguments, **options))

    create.__name__ = name
    create.__qualname__ = f"Group.{name}"
    create.__doc__ = kind.__doc__
    create.__annotations__["return"] = kind.__name__
    create.__wrapped__ = kind.__init__  # type: ignore[attr-defined]  # for its signature
    setattr(Creators, name, create)


def _protect_size(kind: type[Widget]) -> None:
    """Make assignments to ``widget.size`` raise an error for a widget class of the framework that
    defines a method ``size``.
    """
    method = vars(kind).get("size")
    if isinstance(method, FunctionType) and kind.__module__.startswith("framework."):
        setattr(kind, "size", SizeMethod(method))  # noqa: B010  (mypy refuses the assignment)


def _newest(kind: type[Widget]) -> type[Widget]:
    """Return the current version of a widget class. A hot reload may have replaced the class in its
    module.
    """
    bound: type[Widget] | None = getattr(sys.modules.get(kind.__module__), kind.__name__, None)
    if isinstance(bound, type) and bound.__qualname__ == kind.__qualname__:
        return bound
    return kind


class SizeMethod:
    """The method ``size`` of the framework's widget classes. Assigning to ``widget.size`` raises
    `AttributeError`. Otherwise, a value such as a tuple would replace the method that the layout
    calls.
    """

    def __init__(self, method: Callable[[Any, float], tuple[float, float]]) -> None:
        self._method = method
        self.__doc__ = method.__doc__
        self.__wrapped__ = method

    def __get__(self, widget: Any, owner: type) -> Any:
        return self._method if widget is None else MethodType(self._method, widget)

    def __set__(self, widget: Any, value: object) -> None:
        kind = type(widget).__name__
        advice = f"write widget.style(width={shown(value)})"
        if isinstance(value, tuple | list) and len(value) == 2:
            width, height = map(shown, value)
            advice = f"write widget.style(width={width}, height={height})"
        elif hasattr(type(widget), "font_size"):
            advice = f"write widget.font_size = {shown(value)}"
        raise AttributeError(f"{kind}.size: this is a method that the layout calls; {advice}")


# A dict from options of other toolkits to our options, for error messages.
_OTHER_OPTIONS = {
    **dict.fromkeys(
        ("on_click", "onclick", "on_clicked", "click", "command", "callback", "function"),
        ("on_press", "on_submit", "target"),
    ),
    **dict.fromkeys(("on_change", "on_changed"), ("target", "on_edit", "on_press")),
    **dict.fromkeys(("text_size", "fontsize"), ("font_size",)),
    **dict.fromkeys(("colour", "text_color", "fg"), ("color", "fill")),
    **dict.fromkeys(("color", "bar_color", "fill_color"), ("fill",)),
    **dict.fromkeys(("progress", "percent", "fraction", "share"), ("value",)),
    **dict.fromkeys(("disabled", "active", "state"), ("enabled",)),
    **dict.fromkeys(("hidden", "shown"), ("visible",)),
    **dict.fromkeys(("margin", "spacing"), ("gap",)),
    **dict.fromkeys(("label", "caption"), ("text",)),
    **dict.fromkeys(("shortcut", "hotkey", "key", "keys", "accelerator", "bind"), ("action",)),
    **dict.fromkeys(("icon", "picture", "texture"), ("image",)),
    **dict.fromkeys(("hint", "help"), ("tooltip",)),
    **dict.fromkeys(("background", "bg", "border"), ("panel",)),
}
_POSITIONS = ("x", "y", "pos", "position", "left", "top", "center")


def _constructor_options(kind: type[Widget]) -> set[str]:
    """Return the parameters of the constructors of a widget class and its base classes."""
    import inspect  # for errors only

    return {
        parameter.name
        for base in kind.__mro__
        if "__init__" in vars(base) and base is not object
        for parameter in inspect.signature(vars(base)["__init__"]).parameters.values()
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    } - {"self"}


def unknown_option(kind: type[Widget], name: str) -> str:
    """Return the error message for an unknown option of a widget class."""
    options = _constructor_options(kind) | (STYLES - {"shown", "scrolls"})
    meant = next((option for option in _OTHER_OPTIONS.get(name, ()) if option in options), None)
    if name in _POSITIONS:
        hint = (
            "a layout places the widgets: self.ui.column(anchor='top left') chooses a place of the "
            "view, and padding= and gap= set distances"
        )
    else:
        hint = f"did you mean {meant}?" if meant else option_hint(name, sorted(options))
    return f"{kind.__name__}: unknown option {name!r}; {hint}"


def misspelled_attributes(widget: Widget) -> Iterator[tuple[str, str]]:
    """Find attributes that the game has set on ``widget`` and whose names are probably misspelled.
    For each, yield its name and the correct name.
    """
    kind = type(widget)
    if not kind.__module__.startswith("framework."):
        return
    own = _own_attributes(kind)
    for name in vars(widget):
        if name[0] != "_" and name not in own and (meant := misspelling_of(name, own)):
            yield name, meant


@functools.cache
def _own_attributes(kind: Any) -> frozenset[str]:
    """Return the names of a widget class's attributes. This includes attributes that are set in its
    methods.
    """
    names = {*dir(kind)}
    for base in kind.__mro__:
        for value in vars(base).values():
            for code in functions_in(value):
                names.update(code.co_names)
    return frozenset(name for name in names if name[0] != "_")


_STYLE = "write widget.style({}=…), because it is an option of the layout"


@other_names(
    "widget",
    {},
    settings={name: _STYLE.format(name) for name in STYLES - {"align", "shown", "scrolls"}},
)
@widget_names
@moved(
    "widget",
    {"hot": "hovered", "put": "add"},
    hooks={
        "least": "min_content_width",
        "steer": "on_direction",
        "point": "on_drag",
        "wheel": "on_wheel",
    },
)
class Widget(HasMoved):
    """The base class of all widgets in a `UI`.

    To create your own kind of widget, write a subclass:

        class Dial(fw.Widget):
            focusable = True

            def size(self, available):            # preferred size in units
                return 40, 40

            def paint(self, brush):               # in units from the top left corner, y down
                brush.box(0, 0, self.box.w, self.box.h, fill=brush.theme.accent, radius=20)

            def press(self):
                self.turn += 1
                self.changed()

    Parameters
    ----------
    action
        An input that presses the widget even if it does not have the focus. ``action`` is "cancel"
        (Escape, or B on a gamepad), the name of a key such as "f5", or a gamepad control such as
        "pad:start". You can also pass a list: each of its keys and controls then presses the
        widget.
    tooltip
        A help text, which appears when the mouse pointer or the focus has been on the widget for
        0.6 seconds.
    enabled
        Whether the player can use the widget. By default, it is True.
    visible
        Whether the widget is drawn. A hidden widget takes up no space in the layout. By default,
        ``visible`` is True.
    theme
        A `Theme` for this widget and all widgets inside, or the name of a built-in theme. The font
        and the sounds of this theme are ignored: all widgets use those of `UI.theme`.
    styles
        The layout options of the widget, such as width, height, min_width, max_width, min_height,
        max_height, padding, gap, grow, align, justify, direction, columns, span and wrap. See
        `LayoutBox`.
    """

    def __init_subclass__(cls, *, creator: str | None = None, **options: Any) -> None:
        """``creator`` is the name of a method that is added to all groups for this class. The new
        method creates a widget of the class, and adds it to the group.
        """
        super().__init_subclass__(**options)
        check_hooks(cls)
        declare_own(cls, ())
        _protect_size(cls)
        if creator is not None:
            _add_creator(creator, cls)

    focusable: ClassVar[bool] = False
    """Whether the widget can have the focus."""
    solid: ClassVar[bool] = False
    """Whether clicks on the widget stop here. If False, the widgets behind it and the game also
    receive the clicks.
    """

    _transient_attributes: ClassVar[Any] = ("box",)  # computed from the styles

    enabled = _Enabled(
        flag,
        "Whether the player can use the widget. A disabled widget ignores input, and its "
        "text has another color.",
    )
    action = Setting(
        _maybe_actions,
        "The key or gamepad control that presses the widget, or None. If you set a list, each of "
        "its keys and controls presses the widget, and the value is a tuple.",
    )
    tooltip = ShownSetting(
        _maybe_text,
        "A text, or None. The text is shown when the mouse pointer or the focus stays on the "
        "widget.",
    )

    def __init__(
        self,
        *,
        action: str | Sequence[str] | None = None,
        tooltip: str | None = None,
        enabled: bool = True,
        visible: bool = True,
        theme: Theme | str | None = None,
        **styles: Any,
    ) -> None:
        self.box = LayoutBox(self)
        """The rectangle of the widget after the last layout: ``x``, ``y``, ``w``, ``h``.

        The rectangle is in units from the top left corner of the parent, y down.
        """
        self._node = WidgetNode(self)
        self._action = _maybe_actions("action", action)
        self.enabled = enabled
        self.tooltip = tooltip
        self.style(**styles)
        self.visible = visible
        if theme is not None:
            self.theme = theme

    def style(self, **styles: object) -> Self:
        """Set layout options, and return the widget: ``widget.style(width="50%", grow=1)``.

        If any option is invalid, an error is raised and no option is set.
        """
        self._node.style(styles)
        self.changed()
        return self

    # -- to override -------------------------------------------------------------------------------

    def min_content_width(self) -> float:
        """Return the minimum width of the content in units, without padding. Default: 0.

        In a narrower widget, part of the content would be cut off.
        """
        return 0.0

    def size(self, available: float) -> tuple[float, float]:
        """Return the preferred width and height of the content in units, without padding.

        ``available`` is the width of the available space in units. If the width is not limited,
        ``available`` is infinite. By default, return (0, 0).
        """
        return 0.0, 0.0

    @property
    def _has_own_size(self) -> bool:
        """Whether the widget's class defines its own method `size` or `min_content_width`."""
        kind = type(self)
        return (
            kind.size is not Widget.size or kind.min_content_width is not Widget.min_content_width
        )

    # A class that positions its children itself has the method `places(width, height, sizes)`. The
    # method receives the size of the widget and the preferred sizes (w, h) of the children. It
    # returns (x, y, w, h) of each child, measured from the top left corner of the widget, y down.

    def paint(self, brush: Brush) -> None:
        """Draw the widget. ``brush`` uses positions in units from the top left corner of the
        widget. The y axis points down.

        The width and height of the widget are ``self.box.w`` and ``self.box.h``.
        """

    def press(self) -> None:
        """Called when the player clicks the widget with the left mouse button, if `focusable` is
        True.

        Also called when the player presses the key or button of the widget's ``action``. If the
        widget has the focus, Enter, Space, and A on a gamepad also call this method.
        """

    def on_direction(self, direction: str) -> bool:
        """Called when the focused widget gets a direction from the arrow keys, D-pad or left stick.
        ``direction`` is "left", "right", "up" or "down".

        Return True if the widget uses the direction. Otherwise, the focus moves in this direction.
        """
        return False

    def on_drag(self, x: float, y: float, begins: bool) -> None:
        """Called when the player presses the left mouse button on the widget. Also called each time
        the mouse moves while the button is held down. ``begins`` is True for the press, and False
        for a move. ``x`` and ``y`` are the position of the mouse in units from the top left corner
        of the widget. The y axis points down.
        """

    def on_mouse_press(self, x: float, y: float, button: int, modifiers: int) -> bool:
        """Called when the player presses any mouse button on the widget. ``button`` is
        `mouse.LEFT`, `mouse.RIGHT` and so on.

        ``x`` and ``y`` are the position of the mouse in units from the top left corner of the
        widget. The y axis points down. Return True if the widget uses the press. Otherwise, the
        press is passed to the parent of the widget. Even if `on_mouse_press` returns True, `on_drag`
        is called when the left button is pressed, and `press` is called for a click.
        """
        return False

    def on_mouse_release(self, x: float, y: float, button: int, modifiers: int) -> None:
        """Called when the player releases a mouse button, if this widget used the press of the
        button.

        The mouse pointer may then be outside the widget. To check whether the pointer is still over
        the widget, read `hovered`. Not called if the widget has been removed, hidden or disabled
        since the press, or if the window has lost the focus.
        """

    def on_wheel(self, steps: float) -> bool:
        """Called when the player turns the mouse wheel over the widget.

        Return True if the widget uses the event. Otherwise, the group around the widget scrolls.

        ``steps`` is positive if the player scrolls up.
        """
        return False

    def type(self, text: str) -> None:
        """Called when the player types text and the widget has the focus.

        If the class of the focused widget overrides this method, the game does not receive keys.
        Enter and Space press the widget, and are not passed to this method. (A `TextField` also
        receives spaces.)
        """

    def _images(self) -> Iterable[ImageSource]:
        """Return the images that the widget draws.

        Their files are checked when the widget is added to a `UI`.
        """
        return ()

    def _renewed(self) -> None:
        """Called after a snapshot has been restored. Subclasses then copy values from the widget to
        its new box.
        """

    # -- the tree ----------------------------------------------------------------------------------

    @property
    def parent(self) -> Widget | None:
        """The widget that contains this widget.

        None for a root, and for a widget that is not in a group yet.
        """
        return self._node.parent

    @property
    def children(self) -> list[Widget]:
        """A new list of the widget's direct children."""
        return self._node.children.copy()

    @property
    def ui(self) -> UIFrontend | None:
        """The `UI` that contains the widget, or None if the widget is not in a `UI`."""
        interface = self._node.interface
        return None if interface is None else interface.frontend

    @property
    def theme(self) -> Theme:
        """The `Theme` of the widget.

        By default, a widget has the theme of its parent, and a root has the theme of the `UI`.

        Set None to use this default again. Raises `ValueError` if the widget is not in a `UI` and
        no theme is set.
        """
        for widget in self._node.around():
            own = widget._node.theme
            if own is not None:
                return own
        interface = self._node.interface
        if interface is None:
            raise ValueError(
                f"{type(self).__name__}: the widget is in no interface; add it to one first"
            )
        return interface.theme

    @theme.setter
    def theme(self, value: Theme | str | None) -> None:
        theme = None if value is None else theme_of("theme", value)
        interface = self._node.interface
        if theme is not None and interface is not None:
            check_files(theme, interface.image_size)
        self._node.theme = theme
        for widget in self._node.walk():
            widget.changed(sized=True)

    @property
    def visible(self) -> bool:
        """Whether the widget is drawn. A hidden widget takes up no space in the layout."""
        return self._node.visible

    @visible.setter
    def visible(self, value: bool) -> None:
        value = flag("visible", value)
        node = self._node
        if value != node.visible:
            node.visible = self.box.shown = value
            self.changed()
            interface = node.interface
            if interface is not None:
                (interface.note_added if value else interface.leave)(self)

    @property
    def focused(self) -> bool:
        """Whether the widget has the focus. The widget with the focus receives keys and gamepad
        buttons.
        """
        interface = self._node.interface
        return interface is not None and interface.focus is self

    @property
    def hovered(self) -> bool:
        """Whether the mouse pointer is over the widget. If several widgets are under the pointer,
        only the innermost clickable widget counts.
        """
        interface = self._node.interface
        return interface is not None and interface.hovered is self

    @property
    def held(self) -> bool:
        """Whether the player has pressed the left mouse button on the widget and has not released
        it yet.
        """
        interface = self._node.interface
        return interface is not None and interface.held is self

    def changed(self, *, sized: bool = False) -> None:
        """Mark the widget as changed, so that it is painted again in the next frame. Call this
        after you have changed a value that `paint` draws.

        If the preferred size of the widget may have changed, pass ``sized=True``, so that the
        layout is also computed again.
        """
        if sized:
            self.box.mark_changed()
        interface = self._node.interface
        if interface is not None:
            interface.repaint(self)

    def say(self, **words: str) -> Self:
        """Set ``text`` or ``tooltip`` to a word that themes can translate, and return the widget.

        The word must be one of `WORDS`. For example, write ``button.say(text="Back")``. When the
        theme changes, the widget shows the word of the new theme. Raises `ValueError` if the word
        is not in `WORDS`.
        """
        for name, word in words.items():
            choice(name, word, WORDS)
            choice("say", name, ("text", "tooltip"))
        node = self._node
        node.words = (node.words or {}) | words
        interface = node.interface
        if interface is not None:
            node.reword(interface.theme)
        return self

    def _check_new_child(self, child: Widget) -> None:
        if child._node.root_of is not None:
            raise ValueError(
                f"{type(child).__name__}: the root of an interface cannot be in another widget"
            )
        if any(widget is child for widget in self._node.around()):
            raise ValueError(f"{type(child).__name__}: a widget cannot be in itself")
        if child.parent is not None:
            owner = "this widget" if child.parent is self else "another widget"
            raise ValueError(f"{type(child).__name__}: already in {owner}; call remove() first")

    def add(self, child: W, index: int | None = None) -> W:
        """Insert a child widget at ``index``, and return the child. If ``index`` is None, the child
        becomes the last widget.

        Raises `ValueError` if the child already has a parent, is a root, or contains this widget.
        """
        instance("child", child, Widget)
        children = self._node.children
        if index is not None:
            index = min(whole("index", index, 0), len(children))
        self._check_new_child(child)
        interface = self._node.interface
        if interface is not None:
            child._node.arrive(interface)
        self.box.add(child.box, index)
        child._node.parent = self
        children.insert(len(children) if index is None else index, child)
        child.changed(sized=True)
        if interface is not None:
            interface.note_tree_change()
        return child

    def remove(self) -> None:
        """Remove the widget from its parent. If the widget is a root, remove it from the `UI`.

        You can add the removed widget to a group again. Raises `ValueError` if the widget has no
        parent and is not in a `UI`.
        """
        node = self._node
        interface = node.interface
        parent = node.parent
        if interface is not None:
            interface.leave(self)
        if node.root_of is not None:
            node.root_of.remove_root(self)
        elif parent is not None:
            parent.box.remove(self.box)
            parent._node.children.remove(self)
            parent.changed()
            node.parent = None
            if interface is not None:
                interface.note_tree_change()
        else:
            raise ValueError(
                f"{type(self).__name__}: the widget is in no other widget and no interface"
            )

    def __repr__(self) -> str:
        text: object = getattr(self, "text", "")
        return f"<{type(self).__name__}{f' {text!r}' if text else ''}>"


_protect_size(Widget)


class WidgetNode:
    """The internal data of a widget: its parent, its children, its `Interface` and more.

    It is created together with the widget, so you can fill a group before you add it to a `UI`. The
    modules of `framework.ui` get the node of a widget with `node_of`. Games do not use nodes.
    """

    not_state = ("widget",)  # the widget that owns the node

    # These are class attributes, because few widgets set them. Snapshots of other widgets need not
    # store them.
    root_of: WidgetInterface | None = None
    """The interface, if this widget is a root. None for all other widgets."""
    theme: Theme | None = None
    """The theme that was set for this widget, or None."""
    words: dict[str, str] | None = None
    """A dict from attributes of the widget to the words of the theme that the widget shows."""
    returns_to: Widget | None = None
    """The widget that had the focus when this modal root opened."""

    def __init__(self, widget: Widget) -> None:
        self.widget = widget
        self.parent: Widget | None = None
        self.children: list[Widget] = []
        self.styles: dict[str, object] = {}
        """The layout options that the game has set."""
        self.visible = True

    # -- ancestors and descendants -----------------------------------------------------------------

    def around(self) -> Iterator[Widget]:
        """Yield the widget, its parent, the parent of its parent, and so on, up to the root."""
        widget: Widget | None = self.widget
        while widget is not None:
            yield widget
            widget = widget._node.parent

    def walk(self) -> Iterator[Widget]:
        """Yield the widget and all its descendants. Each parent is yielded before its children."""
        yield self.widget
        for child in self.children:
            yield from child._node.walk()

    @property
    def outermost(self) -> Widget:
        """The root that contains the widget, or the widget itself if it has no parent."""
        widget = self.widget
        while widget._node.parent is not None:
            widget = widget._node.parent
        return widget

    @property
    def interface(self) -> WidgetInterface | None:
        """The `Interface` that contains the widget, or None if the widget is not in a `UI`."""
        node = self
        while (parent := node.parent) is not None:
            node = parent._node
        return node.root_of

    def theme_and_interface(self) -> tuple[Theme, WidgetInterface]:
        """Return the theme of the widget, and the `Interface` that contains the widget. The widget
        must already be in a `UI`.
        """
        theme = self.theme
        node = self
        while (parent := node.parent) is not None:
            node = parent._node
            theme = theme or node.theme
        interface = node.root_of
        assert interface is not None
        return theme or interface.theme, interface

    @property
    def interactive(self) -> bool:
        """Whether the widget and all its ancestors are visible and enabled."""
        widget: Widget | None = self.widget
        while widget is not None:
            node = widget._node
            if not (node.visible and widget.enabled):
                return False
            widget = node.parent
        return True

    # -- used by the interface ---------------------------------------------------------------------

    def style(self, styles: dict[str, object]) -> None:
        """Set layout options of the widget.

        If any option is invalid, an error is raised and no option is set.
        """
        box = self.widget.box
        previous: dict[str, object] = {
            name: getattr(box, name) for name in styles if name in STYLES
        }
        try:
            self._set_styles(styles)
        except BaseException:
            self._set_styles(previous)
            raise
        self.styles |= styles

    def _set_styles(self, styles: dict[str, object]) -> None:
        for name, value in styles.items():
            if name not in STYLES or name in ("shown", "scrolls"):
                raise TypeError(unknown_option(type(self.widget), name))
            setattr(self.widget.box, name, value)

    def arrive(self, interface: WidgetInterface) -> None:
        """Called when the widget is added to a `UI`. Check the images and set the texts of the
        widget and of all its descendants.

        Raises `AssetError` if an image is missing or broken.
        """
        for image in self.widget._images():
            interface.image_size(image)
        if self.theme is not None:
            check_files(self.theme, interface.image_size)
        self.reword(interface.theme)
        for child in self.children:
            child._node.arrive(interface)

    def reword(self, theme: Theme) -> None:
        """Called when the theme has changed. Set the texts from `Widget.say` to the words of the
        new theme.
        """
        for name, word in (self.words or {}).items():
            setattr(self.widget, name, theme.word(word))

    def renew(self) -> None:
        """Create new boxes for the widget and all its descendants. Called after a snapshot has been
        restored.
        """
        widget = self.widget
        widget.box = LayoutBox(widget, **self.styles, shown=self.visible)
        widget._renewed()
        for child in self.children:
            child._node.renew()
            widget.box.add(child.box)


def node_of(widget: Widget) -> WidgetNode:
    """Return the `WidgetNode` of a widget."""
    return widget._node
