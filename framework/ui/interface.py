"""The user interface of a scene, which stores its widgets, lays them out, and passes input to them.

In each tick, input events are passed to the widgets first, and only then to the keys, the mouse and
the gamepads of the game. The game does not receive events that a widget has used. Callbacks such as
``on_press`` run after all events of the tick. Recordings contain the input events, so a replay
repeats everything that the player did with widgets.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from ..assets import images
from ..assets.images import ImageSource
from ..checks import Sealed, Setting, choice, flag, instance, number
from ..other_engines.other_names import Hinted, words
from ..timing.routines import Routine, join, wait, wake
from .canvas import Canvas, CanvasState
from .containers import RootArea, area_of, served_by, settle
from .flex import LayoutBox, layout, preferred
from .text_ruler import Ruler
from .theme import Theme, check_files, theme_of
from .ui_input import InputHandler
from .widget import Widget, creator_names, misspelled_attributes, node_of
from .widgets import Dropdown, Root, Scroll, TextField, Window

if TYPE_CHECKING:
    from ..resources import Folder

T = TypeVar("T")
W = TypeVar("W", bound=Root)

_ROW_HEIGHT = 51  # a button with the theme's font size, and the gap below it
_USUAL_FONT_SIZE = 20
_LINE_HEIGHT = 1.2  # times the font size
_MIN_FONT_SIZE = 10  # smaller letters cannot be read
_MARGIN = 16  # between a root and the edge of the view
_MAX_SIZES = 1024  # maximum number of cached sizes of images


class ViewHost(Protocol):
    """The attributes of a scene that `Interface` reads."""

    @property
    def size(self) -> tuple[float, float]:
        """The width and height of the view in units."""


class _Question:
    """An answer for which a routine is waiting: the answer to a dialog of `UI.ask`, or the next key
    or button that the player presses.
    """

    def __init__(self) -> None:
        self.answer: str | None = None
        self._waiting: list[Routine] = []

    def hold(self, routine: Routine) -> None:
        join(routine, self._waiting)

    def give(self, answer: str) -> None:
        if self.answer is not None:  # only the first answer counts
            return
        self.answer = answer
        waiting = self._waiting
        self._waiting = []
        for routine in waiting:
            wake(routine)


def _check_scale(name: str, value: object) -> float | None:
    if isinstance(value, str):
        choice(name, value, ("auto",))
        return None
    return number(name, value, least=0.1, most=16)


def fitting_scale(width: float, height: float, magnified: bool) -> float:
    """Return the automatic `UI.scale` for a view of ``width`` × ``height`` units.

    The scale is 1 for views smaller than 1920 × 1080, 1.5 at 1920 × 1080, 2 at 2560 × 1440, and 3
    at 4K. ``magnified`` is True if one unit of the view covers several pixels of the window, as in
    pixel art games. If so, small views get a scale below 1, for example 0.5 at 320 × 180.

    The scale depends only on the size of the view, not on the pixels of the screen. So a recorded
    click presses the same button on every computer.
    """
    share = min(width / 1280, height / 720)
    if share < 1:
        return min(max(math.floor(8 * share) / 4, 0.25), 1.0) if magnified else 1.0
    return min(math.floor(2 * share) / 2, 16.0)


def reduced_scale(
    scale: float,
    view: tuple[float, float],
    content: tuple[float, float, float] | None,
    magnified: bool,
) -> float:
    """Return a scale at which ``content`` (a width, a height and a font size in units) fits in a
    view.

    The result is never above ``scale``. Letters stay readable: unless ``scale`` itself is smaller,
    the result is at least 0.5, and letters are at least 10 pixels high. In pixel art games
    (``magnified``), the result is 1 or 0.5, so that pixel fonts stay sharp.
    """
    if content is None:
        return scale
    width, height, font_size = content
    share = min(view[0] / width, view[1] / height)
    if share >= scale:
        return scale
    steps = 2 if magnified else 8
    smallest = max(math.ceil(steps * _MIN_FONT_SIZE / font_size) / steps, 0.5)
    return max(math.floor(steps * share) / steps, min(scale, smallest))


class _LayoutSetting(Setting[T]):
    """A setting of `Interface`. When its value changes, all widgets are laid out again."""

    def keep(self, interface: Interface, value: T) -> None:
        super().keep(interface, value)
        interface.reset_layout()


def _within(widgets: Iterable[Widget]) -> Iterator[Widget]:
    """Yield each widget and all its descendants."""
    for widget in widgets:
        yield widget
        yield from _within(widget.children)


def _texts_in(root: Widget) -> Iterator[tuple[Widget, str]]:
    """Yield each visible widget of a root that has a text, together with this text."""
    for widget in node_of(root).walk():
        text = getattr(widget, "text", None)
        if widget.visible and isinstance(text, str) and text:
            yield widget, text


class _Theme(_LayoutSetting[Theme]):
    """The property `UI.theme`.

    Before the theme changes, the images and fonts of the new theme are checked.
    """

    def keep(self, interface: Interface, value: Theme) -> None:
        if value.font is not None:
            Ruler(value.font, interface.scale, interface.folders)
        check_files(value, interface.image_size)
        super().keep(interface, value)


class _Scale(_LayoutSetting[float]):
    """The property `UI.scale`.

    By default, the functions `fitting_scale` and `reduced_scale` compute the scale.
    """

    def read(self, interface: Interface) -> float:
        value: float | None = vars(interface)[self.slot]
        if value is not None:
            return value
        size = interface.host_size
        if size != interface.fitted[0]:
            fitting = fitting_scale(*size, interface.magnified)
            interface.fitted = (
                size,
                reduced_scale(fitting, size, interface.content, interface.magnified),
            )
        return interface.fitted[1]


_Captured = tuple[tuple[float, float], bool, bool, CanvasState]
"""The state of the interface in a snapshot: the size of the view, whether to paint, whether to skip
interpolation, and the painted rows.
"""


class Interface(InputHandler):
    """The internal object that manages the layout, the focus and the drawing of a scene's widgets.

    Games use its `frontend`, a `UI` object, instead. The game loop calls the methods of the
    `Interface` in each tick and each frame.
    """

    not_state = (
        *(
            "_arranged",
            "_host",
            "_jumped",
            "_pending",
            "_ruler",
            "canvas",
            "content",
            "copied",
            "extent",
            "fitted",
            "folders",
            "has_news",
            "view_size",
        ),
        *("_parts_changed", "_restored", "_scrolls", "_sizes", "magnified", "visited"),
    )
    _captured_attributes = ("canvas",)

    theme = _Theme(theme_of, "The theme of the widgets.")
    # The setting may store None (automatic), but code always reads a number.
    scale = _Scale(_check_scale, "The number of units of the view per unit of the interface.")  # type: ignore[arg-type]
    sounds = Setting(
        flag,
        "Whether built-in sounds are played when the focus moves and when a widget is pressed.",
    )
    screen_keyboard = Setting(
        flag, "Whether the button A of a gamepad opens an on-screen keyboard for a text field."
    )

    def __init__(
        self,
        host: ViewHost,
        folders: Sequence[Folder],
        copied: Callable[[str], object],
        *,
        magnified: bool,
    ) -> None:
        super().__init__(copied)
        self._host = host
        self.folders = folders
        self.magnified = magnified
        self.visited = 0
        """The number of boxes that the last layout computed."""
        self.extent = (0.0, 0.0)
        self.fitted: tuple[object, float] = None, 1.0
        """The size of the view for which the automatic scale was computed, and this scale."""
        self.content: tuple[float, float, float] | None = None
        """The width, height and font size in units that must fit in the view, as passed to `fit`, or
        None.
        """
        self._arranged: list[tuple[float, bool]] | None = None
        """The options of all roots when the layout and the hovered widget were last computed. None
        if any change after that may affect them. See `is_arranged`.
        """
        self._ruler: Ruler | None = None
        self._sizes: dict[str | int, tuple[ImageSource, tuple[int, int]]] = {}
        self._jumped = self._parts_changed = True
        self._scrolls: list[Scroll] = []
        # The value from `capture`, while a snapshot is being restored.
        self._restored: _Captured | None = None
        self.canvas = Canvas(self)
        self._theme = theme_of("theme", "dark")
        self._scale = None
        self.sounds = False
        self.screen_keyboard = True
        self.frontend = UI(self)

    def note_change(self) -> None:
        self.has_news = True
        self._arranged = None

    def repaint(self, widget: Widget) -> None:
        """Mark a widget as changed, so that it is painted again in the next frame."""
        self.canvas.touch(widget)
        self.note_change()

    def repaint_text(self, widget: Widget) -> None:
        """Mark a widget as changed if only its text has changed, and the new text has the same size
        and the same line breaks.

        Neither the layout nor the widget under the mouse pointer can have changed.
        """
        self.canvas.touch(widget)
        self.has_news = True

    # -- roots -------------------------------------------------------------------------------------

    def add(self, root: Root) -> None:
        """Add a root above all other roots.

        Raises `ValueError` if the root is already in a `UI`.
        """
        instance(
            "root", root, Root, hint="add other widgets to a root: self.ui.column().add(widget)"
        )
        node = node_of(root)
        if node.interface is not None or node.parent is not None:
            raise ValueError(f"{type(root).__name__}: already in an interface; call remove() first")
        node.arrive(self)
        node.root_of = self
        self.roots.append(root)
        self.note_added(root)
        self.note_tree_change()
        self.note_change()

    def remove_root(self, root: Widget) -> None:
        """Remove a root and all its widgets."""
        self.roots = [remaining for remaining in self.roots if remaining is not root]
        node_of(root).root_of = None
        self.note_tree_change()
        self.note_change()

    def opened_for(self, widget: Widget) -> Root | None:
        """Return the open popup of a widget, or None if it has no open popup."""
        return next((root for root in self.roots if served_by(root) is widget), None)

    def open_keyboard(self, field: TextField) -> None:
        """Open an on-screen keyboard for a text field.

        If the keyboard is already open, do nothing.
        """
        from .screen_keyboard import ScreenKeyboard  # few games have text fields

        if self.opened_for(field) is None:
            self.set_focus(field)
            keyboard = ScreenKeyboard(field)
            self.add(keyboard)
            self.set_focus(keyboard.first)

    def open_list(self, dropdown: Widget) -> None:
        """Open the list of a dropdown. If the list is already open, do nothing."""
        from .listbox import ListBox  # few games have dropdowns

        if isinstance(dropdown, Dropdown) and dropdown.opened is None:
            self.set_focus(dropdown)
            opened = ListBox(dropdown)
            self.add(opened)
            self.set_focus(opened.chosen)

    async def next_press(self) -> str:
        """Wait until the player presses a key or button, and return its name.

        Neither the widgets nor the game receive the press.
        """
        question = _Question()
        self.asking.append(question)
        try:
            await wait(question)
        finally:
            if question in self.asking:
                self.asking.remove(question)
        assert question.answer is not None
        return question.answer

    # -- layout ------------------------------------------------------------------------------------

    @property
    def host_size(self) -> tuple[float, float]:
        """The current width and height of the view in units."""
        return self._host.size

    @property
    def ruler(self) -> Ruler:
        """The `Ruler` that measures text in the font of the theme."""
        if self._ruler is None:
            self._ruler = Ruler(self._theme.font, self.scale, self.folders)
        return self._ruler

    def image_size(self, image: ImageSource) -> tuple[int, int]:
        """Return the width and height of an image in pixels.

        Raises `AssetError` if the image is missing or broken.
        """
        key = image if isinstance(image, str) else id(image)
        cached = self._sizes.get(key)
        if cached is None:
            if len(self._sizes) >= _MAX_SIZES:
                self._sizes.clear()
            cached = self._sizes[key] = image, images.sizes([image], self.folders)[0]
        return cached[1]

    def fit(self, width: float, height: float) -> None:
        """Reduce the automatic scale so that ``width`` × ``height`` units fit in the view."""
        self.content = width, height, self.theme.font_size
        self.fitted = None, 1.0
        self.reset_layout()

    def note_tree_change(self) -> None:
        """Called after widgets have been added or removed. The next layout then makes a new list of
        all widgets.
        """
        self._parts_changed = True
        self.canvas.note_tree_change()

    def reset_layout(self) -> None:
        """Mark all widgets as changed, so that they are laid out and painted again."""
        self._ruler = None
        self._jumped = True
        self.note_change()
        self._sizes = {}
        self.note_tree_change()
        for root in self.roots:
            for widget in node_of(root).walk():
                node_of(widget).reword(self.theme)
                widget.box.forget()

    def after_restore(self) -> None:
        """Called after a snapshot has been restored. Create new boxes for the widgets, compute
        their layout, and restore the canvas.
        """
        self._pending = []
        for root in self.roots:
            node_of(root).renew()
        self.reset_layout()
        self.lay_out()
        assert self._restored is not None
        (picture, has_news, self._jumped, painted) = self._restored
        self._restored = None
        same_size = picture == self.view_size
        self.canvas.restore(painted, same_size)
        self.has_news = has_news or not same_size

    def capture(self) -> _Captured:
        """Return the state of the canvas for a snapshot."""
        return self.view_size, self.has_news, self._jumped, self.canvas.capture()

    def parts_of(self, saved: _Captured) -> tuple[()]:
        """Return an empty tuple, because snapshots find the widgets in other attributes."""
        return ()

    def restore(self, saved: _Captured) -> None:
        """Store the state of the canvas. Later, `after_restore` computes the layout, and then
        restores the canvas from this state.
        """
        self._restored = saved

    def is_arranged(self) -> bool:
        """Return whether the layout and the hovered widget are still valid, because only texts have
        changed since they were computed. See `repaint_text`.

        Some changes do not call `note_change`: games may set the options of roots and the styles of
        boxes at any time. This method therefore checks both.
        """
        arranged = self._arranged
        if arranged is None or arranged != self._root_options():
            return False
        return not any(root.visible and root.box.stale for root in self.roots)

    def note_arranged(self) -> None:
        """Called after the layout and the hovered widget have been computed."""
        self._arranged = self._root_options()

    def _root_options(self) -> list[tuple[float, bool]]:
        return [(root.margin, root.modal) for root in self.roots]

    def lay_out(self) -> bool:
        """Compute the layout of all changed widgets.

        Return True if the scale or the size of the view has changed. If so, the widgets are drawn
        at their new positions immediately, without interpolation.
        """
        size = self._host.size
        if size != self.view_size:
            self.view_size = size
            self.reset_layout()
        jumped = self._jumped
        self._jumped = False
        scale = self.scale
        self.extent = width, height = size[0] / scale, size[1] / scale
        self.visited = 0
        if self._parts_changed:
            self._parts_changed = False
            widgets = [widget for root in self.roots for widget in node_of(root).walk()]
            self._scrolls = [widget for widget in widgets if isinstance(widget, Scroll)]
        for root in self.roots:
            if root.visible:
                self._lay_out(root, width, height)
        return jumped

    def _lay_out_boxes(self, box: LayoutBox, area: RootArea) -> None:
        """Compute the sizes of a root's box and all boxes in it."""
        w, h, visited = preferred(box, area.width, area.height)
        moved: list[LayoutBox] = []
        self.visited += max(visited, layout(box, w, h, moved))
        if moved:
            self.canvas.note_moves([part.content for part in moved])
        for scroll in self._scrolls:
            settle(scroll)

    def _lay_out(self, root: Root, width: float, height: float) -> None:
        box = root.box
        area = area_of(root, width, height)
        if box.stale:
            self._lay_out_boxes(box, area)
        x, y = root.position
        x = x + area.x + (area.width - box.w) * area.across
        y = y + area.y + (area.height - box.h) * area.down
        position = (
            round(min(max(x, 0.0), width - box.w)),
            round(min(max(y, 0.0), height - box.h)),
        )
        if position != (box.x, box.y):
            box.x, box.y = position
            self.canvas.note_moves([root])

    def look(self) -> None:
        """If the size of the view has changed, request a new layout."""
        if self._host.size != self.view_size:
            self.note_change()

    def misspelled_attributes(self) -> Iterator[tuple[str, str, str]]:
        """Find attributes of widgets whose names are probably misspelled. For each, yield the class
        name of the widget, the name of the attribute, and the correct name.
        """
        for widget in _within(self.roots):
            for name, meant in misspelled_attributes(widget):
                yield type(widget).__name__, name, meant

    def texts(self) -> list[str]:
        """Return the texts of all visible widgets that can receive events now. The texts in the
        topmost root come first.
        """
        return [text for root in self.active_roots() for _, text in _texts_in(root)]

    def point_of(self, text: str) -> tuple[float, float] | None:
        """Return the center of the widget that has the text ``text``, in units of the view, y up.
        If no widget has this text, return None.

        A button is preferred to a label with the same text. Raises `ValueError` if the widget is
        focusable, but its center is covered or not visible.
        """
        self.settle()
        matches = [
            widget
            for root in self.active_roots()
            for widget, widget_text in _texts_in(root)
            if widget_text == text
        ]
        if not matches:
            return None
        widget = next((match for match in matches if match.focusable), matches[0])
        left, top = self.position_of(widget)
        x = left + widget.box.w / 2
        y = top + widget.box.h / 2
        hit = self.widget_at(x, y)
        if widget.focusable and hit is not widget:
            raise ValueError(
                f"x: the {type(widget).__name__} {text!r} is covered or scrolled out of sight; "
                "pass the position x and y of a point that is visible"
            )
        return x * self.scale, self.view_size[1] - y * self.scale

    def settle(self) -> None:
        self.look()
        if self.has_news:
            self._jumped = self.lay_out() or self._jumped


_OTHER_NAMES = {
    **words("text add_label add_text", "write self.ui.column().label('Paused')"),
    **words("add_button", "write self.ui.column().button('Go', self.go)"),
    **words("checkbox add_checkbox", "write self.ui.column().toggle('Sound', settings, 'sound')"),
    **words("panel box frame", "write self.ui.column(panel=True)"),
    **words("vbox vbox_layout stack list", "write self.ui.column()"),
    **words("hbox hbox_layout", "write self.ui.row()"),
    **words("menu create_menu", "write menu = self.ui.column(), or fw.scenes.Menu"),
    **words(
        "dialog message messagebox message_box alert confirm popup",
        "write await self.ui.ask('Quit?', 'Yes', 'No') in a routine",
    ),
    **words("clear remove_all", "write for root in self.ui.roots: root.remove()"),
    **words("hide show visible enabled", "write menu.visible = False, for a group of widgets"),
    **words("toolbar bar", "write self.ui.row(anchor='bottom', hud=True, panel=True)"),
    **words("tooltip", "write menu.button('Go', self.go, tooltip='Starts the game')"),
    **words("toast notify", "write self.labels.add('Saved', (16, 16)), and remove it in a routine"),
    **words("hovered mouse_over", "write widget.hovered, of one widget"),
    **words("draw update", "the scene draws and updates its widgets"),
}
"""Advice for error messages, by the names that other engines use."""


class UI(Hinted, Sealed):
    """The widgets of a scene: ``self.ui``.

    The methods `column`, `row`, `grid` and `window` add a root. A root is a group that is not
    inside another widget. A root is never larger than the view. The ``anchor`` of a root, such as
    "center", is its position in the view. The widgets are drawn over all other parts of the scene.
    """

    __slots__ = ("__weakref__", "_interface")

    def __init__(self, interface: Interface) -> None:
        self._interface = interface

    def _advice_on(self, name: str) -> str | None:
        if name in _OTHER_NAMES:
            return _OTHER_NAMES[name]
        if name not in creator_names():
            return None
        return f"a group creates widgets: self.ui.column(anchor='center').{name}(…)"

    # -- roots -------------------------------------------------------------------------------------

    @property
    def roots(self) -> list[Root]:
        """The roots in a new list, the topmost root last."""
        return self._interface.roots.copy()

    def column(self, **options: Any) -> Root:
        """Add a root that places its widgets below each other, and return the root.

            menu = self.ui.column(gap=12, anchor="center", width=320)

        For the options, such as ``anchor``, see `Root`.
        """
        return self.add(Root(**self._with_gap(options)))

    def row(self, **options: Any) -> Root:
        """Add a root that places its widgets beside each other, and return the root.

        For the options, such as ``anchor``, see `Root`.
        """
        options.setdefault("align", "center")
        return self.add(Root(direction="row", **self._with_gap(options)))

    def grid(self, columns: int, **options: Any) -> Root:
        """Add a root that places its widgets in ``columns`` columns of equal width, and return the
        root.

        For the options, such as ``anchor``, see `Root`.
        """
        return self.add(Root(columns=columns, **self._with_gap(options)))

    def window(self, title: object, **options: Any) -> Window:
        """Add a panel with a title bar, and return the `Window`. The player can move the window
        with the mouse. See `Window`.
        """
        return self.add(Window(title, **options))

    def add(self, root: W) -> W:
        """Add a root above all other roots, and return ``root``.

        Raises `ValueError` if the root is already in a `UI`.
        """
        self._interface.add(root)
        return root

    def _with_gap(self, options: dict[str, Any]) -> dict[str, Any]:
        options.setdefault("gap", self.theme.gap)
        if flag("panel", options.get("panel", False)):
            options.setdefault("padding", self.theme.padding)
        return options

    # -- focus and dialogs -------------------------------------------------------------------------

    @property
    def focus(self) -> Widget | None:
        """The widget that receives keys and gamepad buttons, or None."""
        return self._interface.focus

    def set_focus(self, widget: Widget | None) -> None:
        """Give the focus to a widget. If ``widget`` is None, no widget has the focus afterwards.

        Raises `ValueError` if the widget is hidden, disabled, not focusable or not in this `UI`.
        """
        self._interface.set_focus(widget)

    async def ask(self, question: object, *answers: str, width: float = 360) -> str:
        """Show a dialog with a question and one button for each answer. Wait until the player
        chooses an answer, and return its text.

            if await self.ui.ask("Quit?", "Yes", "No") == "Yes":

        Escape, or B on a gamepad, also chooses the last answer. Without ``answers``, the dialog has
        only the button "OK".

        If several dialogs are open, the newest one is on top and must be answered first. While
        another scene covers the dialog's scene, the player cannot answer it. The dialog closes when
        its scene or routine ends.
        """
        answers = answers or (self.theme.word("OK"),)
        dialog = _Question()
        root = self.column(modal=True, panel=True, padding=20, gap=16, width=width)
        try:
            root.label(question, align="center")
            row = root.row(justify="center", wrap=True, gap=12)
            for number, answer in enumerate(answers, 1):
                action = "cancel" if number == len(answers) else None
                row.button(answer, partial(dialog.give, answer), action=action, min_width=90)
            self.set_focus(row.children[0])
            await wait(dialog)
        finally:
            if root.ui is not None:  # the game may have cleared the interface
                root.remove()  # `remove` returns the focus to the widget that had the focus before
        assert dialog.answer is not None
        return dialog.answer

    async def next_press(self) -> str:
        """Wait until the player presses a key, a mouse button or a gamepad button.

        Return the name of the key or button, such as "space", "mouse:left" or "pad:a". You can pass
        the name to `Actions.rebind`. Neither the widgets nor the game receive the press. If several
        routines are waiting for a press, the newest one receives the first press.
        """
        return await self._interface.next_press()

    def open_keyboard(self, field: TextField) -> None:
        """Open an on-screen keyboard for the text field ``field``.

        If the text field has the focus, the player can also open the keyboard with A on a gamepad.
        """
        self._interface.open_keyboard(field)

    # -- settings ----------------------------------------------------------------------------------

    @property
    def theme(self) -> Theme:
        """The colors, fonts and images of the widgets. The value is a `Theme` or the name of a
        built-in theme, such as "light".

        By default, the theme is "dark".
        """
        return self._interface.theme

    @theme.setter
    def theme(self, value: Theme | str) -> None:
        self._interface.theme = value

    @property
    def scale(self) -> float:
        """The size of one unit of the `UI` in units of the view, from 0.1 to 16. By default, the
        scale is "auto": it depends on the size of the view.

        Set a larger scale, such as 2, if players sit far away from the screen.
        """
        return self._interface.scale

    @scale.setter
    def scale(self, value: float | str) -> None:
        self._interface.scale = value

    @property
    def sounds(self) -> bool:
        """Whether widgets play the built-in sounds when the focus moves and when the player presses
        a widget. If the theme has sounds, widgets always play those instead.

        Default: False.
        """
        return self._interface.sounds

    @sounds.setter
    def sounds(self, value: bool) -> None:
        self._interface.sounds = value

    @property
    def screen_keyboard(self) -> bool:
        """Whether the player can open an on-screen keyboard for a text field with A on a gamepad.
        Default: True.
        """
        return self._interface.screen_keyboard

    @screen_keyboard.setter
    def screen_keyboard(self, value: bool) -> None:
        self._interface.screen_keyboard = value


def interface_of(ui: UI) -> Interface:
    """Return the internal `Interface` of a `UI`, which draws the widgets and handles their input."""
    return ui._interface


def fit_view(ui: UI, width: float, height: float, *, rows: int = 0) -> bool:
    """Reduce the automatic scale of a `UI`, so that ``width`` × ``height`` units and ``rows`` rows
    of buttons fit in a small view. Ready-made scenes call this function. A game sets `UI.scale`
    instead.

    Return True if the content is still too high. The scene then places its rows closer together.
    """
    interface = interface_of(ui)
    height += rows * _ROW_HEIGHT + 2 * _MARGIN
    if rows:  # the sizes are those of a theme with the usual font size, and a title of 1.6 lines
        height += (rows + 1.6) * _LINE_HEIGHT * (ui.theme.font_size - _USUAL_FONT_SIZE)
    interface.fit(width, height)
    return height * ui.scale > interface.host_size[1]


def heading_size(ui: UI, factor: float, dense: bool) -> float:
    """Return the font size of a heading: ``factor`` times the font size of the theme. In a pixel
    art game with small widgets, the factor is a whole number, so that pixel fonts stay sharp.
    ``dense`` is the result of `fit_view`.
    """
    if interface_of(ui).magnified and ui.scale < 1:
        factor = math.floor(factor) if dense else round(factor)
    return factor * ui.theme.font_size
