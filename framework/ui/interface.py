"""The interface of a scene: its widgets, where the focus is, and what the player's events mean to
them.

Events come as ticks latch them, before keys, mouse and pads do: what is for a widget never reaches
those, nor the methods of scenes; and as recordings hold the events, a replay does the same. What a
widget calls is called right after they were latched.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from ..assets import images
from ..assets.images import ImageSource
from ..checks import Sealed, Setting, choice, flag, instance, number
from ..timing.routines import Routine, join, wait, wake
from .canvas import Canvas, Capture
from .captions import Ruler
from .flex import layout, preferred
from .panes import area_of, served_by, settle
from .reactions import Reactions
from .theme import Theme, check_files, theme_of
from .widget import Widget, seat_of
from .widgets import Bound, Dropdown, Root, Scroll, TextField, Window

if TYPE_CHECKING:
    from ..resources import Folder

T = TypeVar("T")
W = TypeVar("W", bound=Root)

_MOST_SIZES = 1024  # of pictures that are known


class Host(Protocol):
    """What an interface asks of its scene."""

    @property
    def size(self) -> tuple[float, float]:
        """Of the picture, units."""


class _Asked:
    """A question that a routine waits for."""

    def __init__(self) -> None:
        self.answer: str | None = None
        self._waiting: list[Routine] = []

    def hold(self, routine: Routine) -> None:
        join(routine, self._waiting)

    def give(self, answer: str) -> None:
        if self.answer is not None:  # the first one counts
            return
        self.answer = answer
        waiting, self._waiting = self._waiting, []
        for routine in waiting:
            wake(routine)


def _check_scale(name: str, value: object) -> float | None:
    if isinstance(value, str):
        choice(name, value, ("auto",))
        return None
    return number(name, value, least=0.1, most=16)


def fitting_scale(width: float, height: float, magnified: bool) -> float:
    """The scale for a picture of so many units: 1 up to 1920 x 1080, from there 1.5, 2 for 2560 x
    1440, 3 for 4K; and where a unit is ``magnified`` to several pixels of the window, less for
    small ones, as 0.5 for 320 x 180.

    It goes by units alone, so that a recorded click finds its button on every display.
    """
    share = min(width / 1280, height / 720)
    if share < 1:
        return min(max(math.floor(8 * share) / 4, 0.25), 1.0) if magnified else 1.0
    return min(math.floor(2 * share) / 2, 16.0)


class _OfAll(Setting[T]):
    """A setting by which all is laid out anew."""

    def keep(self, thing: Interface, value: T) -> None:
        super().keep(thing, value)
        thing.begin_anew()


class _Theme(_OfAll[Theme]):
    """Its files are looked at before it is taken."""

    def keep(self, thing: Interface, value: Theme) -> None:
        if value.font is not None:
            Ruler(value.font, thing.scale, thing.folders)
        check_files(value, thing.picture_size)
        super().keep(thing, value)


class _Scale(_OfAll[float]):
    """None by itself."""

    def read(self, thing: Interface) -> float:
        kept: float | None = vars(thing)[self.slot]
        if kept is None:
            width, height = thing.host_size
            return fitting_scale(width, height, thing.magnified)
        return kept


_Captured = tuple[tuple[float, float], bool, bool, Capture]
"""The size of the picture, whether there is news, whether all jumped, and what was painted."""


class Interface(Reactions):
    """The widgets of a scene, as ticks and frames use them: roots, focus, layout, canvas.

    Its `face` is the `UI` that the scene holds.
    """

    not_state = (
        *(
            "_host",
            "_jumped",
            "_pending",
            "_ruler",
            "canvas",
            "copied",
            "extent",
            "folders",
            "has_news",
            "picture",
        ),
        *("_parts_changed", "_restored", "_scrolls", "_sizes", "_watched", "magnified", "visited"),
    )
    _not_hashed = ("_polled",)
    _captured_attributes = ("canvas",)

    theme = _Theme(theme_of, "How widgets look.")
    scale = _Scale(_check_scale, "Units of the picture in one of the interface.")  # type: ignore[arg-type]  # None is kept, a number is read
    sounds = Setting(flag, "Whether the focus and presses are heard.")
    screen_keyboard = Setting(flag, "Whether a pad's A on a field opens a keyboard on the screen.")

    def __init__(
        self,
        host: Host,
        folders: Sequence[Folder],
        copied: Callable[[str], object],
        *,
        magnified: bool,
    ) -> None:
        super().__init__(copied)
        self._host, self.folders, self.magnified = host, folders, magnified
        self.visited = 0
        """Boxes that the last layout went to."""
        self.extent = (0.0, 0.0)
        self._ruler: Ruler | None = None
        self._sizes: dict[str | int, tuple[ImageSource, tuple[int, int]]] = {}
        self._jumped = self._parts_changed = True
        self._scrolls: list[Scroll] = []
        self._restored: _Captured | None = (
            None  # what `captured` returned, while a snapshot is put back
        )
        self.canvas = Canvas(self)
        self._theme, self._scale = theme_of("theme", "dark"), None
        self.sounds, self.screen_keyboard = False, True
        self.face = UI(self)

    def repaint(self, widget: Widget) -> None:
        """Have a widget painted again."""
        self.canvas.touch(widget)
        self.note_change()

    # -- roots -------------------------------------------------------------------------------------

    def add(self, root: Root) -> None:
        """Add a root over the others. Raises `ValueError` if it is in an interface already."""
        instance("root", root, Root, hint="other widgets go into one: self.ui.column().add(widget)")
        seat = seat_of(root)
        if seat.interface is not None or seat.parent is not None:
            raise ValueError(
                f"{type(root).__name__}: it is in an interface already; remove() it first"
            )
        seat.arrive(self)
        seat.root_of = self
        self.roots.append(root)
        self.welcome(root)
        self.note_parts()
        self.note_change()

    def take_out(self, root: Widget) -> None:
        """A root is no longer one."""
        self.roots = [other for other in self.roots if other is not root]
        seat_of(root).root_of = None
        self.note_parts()
        self.note_change()

    def opened_for(self, widget: Widget) -> Root | None:
        """Return the root that was opened for a widget, or None."""
        return next((root for root in self.roots if served_by(root) is widget), None)

    def open_keyboard(self, field: TextField) -> None:
        """Have a keyboard on the screen for a field, unless it is open."""
        from .screen_keyboard import ScreenKeyboard  # few games have fields

        if self.opened_for(field) is None:
            self.set_focus(field)
            keyboard = ScreenKeyboard(field)
            self.add(keyboard)
            self.set_focus(keyboard.first)

    def open_list(self, dropdown: Widget) -> None:
        """Have the list of a dropdown over all else, unless it is open."""
        from .listbox import ListBox  # few games have one

        if isinstance(dropdown, Dropdown) and dropdown.opened is None:
            self.set_focus(dropdown)
            opened = ListBox(dropdown)
            self.add(opened)
            self.set_focus(opened.chosen)

    async def next_press(self) -> str:
        """Within a routine, wait for a press, which is then for nothing else. Return its name."""
        asked = _Asked()
        self.asking.append(asked)
        try:
            await wait(asked)
        finally:
            if asked in self.asking:
                self.asking.remove(asked)
        assert asked.answer is not None
        return asked.answer

    # -- layout ------------------------------------------------------------------------------------

    @property
    def host_size(self) -> tuple[float, float]:
        """Of the picture as it is now, units."""
        return self._host.size

    @property
    def ruler(self) -> Ruler:
        """Measures text."""
        if self._ruler is None:
            self._ruler = Ruler(self._theme.font, self.scale, self.folders)
        return self._ruler

    def picture_size(self, image: ImageSource) -> tuple[int, int]:
        """Width and height of a picture in pixels. Raises `AssetError` where it is missing or
        broken.
        """
        key = image if isinstance(image, str) else id(image)
        found = self._sizes.get(key)
        if found is None:
            if len(self._sizes) >= _MOST_SIZES:
                self._sizes.clear()
            found = self._sizes[key] = image, images.sizes([image], self.folders)[0]
        return found[1]

    def note_parts(self) -> None:
        """Widgets came or went."""
        self._parts_changed = True

    def begin_anew(self) -> None:
        """All is laid out, and drawn, anew."""
        self._ruler, self._jumped, self.has_news, self._sizes = None, True, True, {}
        self.note_parts()
        for root in self.roots:
            for widget in seat_of(root).walk():
                seat_of(widget).reword(self.theme)
                widget.box.dirty()

    def after_restore(self) -> None:
        """A snapshot was put back: what follows from the state does so again."""
        self._pending = []
        for root in self.roots:
            seat_of(root).renew()
        self.begin_anew()
        self.lay_out()
        assert self._restored is not None
        (picture, has_news, self._jumped, painted), self._restored = self._restored, None
        same_size = picture == self.picture
        self.canvas.put_back(painted, same_size)
        self.has_news = has_news or not same_size

    def captured(self) -> _Captured:
        """What of the canvas a snapshot holds."""
        return self.picture, self.has_news, self._jumped, self.canvas.captured()

    def parts_of(self, saved: _Captured) -> tuple[()]:
        """Nothing: the widgets are found without it."""
        return ()

    def put_back(self, saved: _Captured) -> None:
        """Be drawn as when `captured` returned this: when all is back, by which widgets are laid
        out.
        """
        self._restored = saved

    def lay_out(self) -> bool:
        """Bring all boxes up to date. Returns whether the picture, or how it is looked at, is
        another than before.
        """
        size = self._host.size
        if size != self.picture:
            self.picture = size
            self.begin_anew()
        jumped, self._jumped = self._jumped, False
        self.extent = wide, high = size[0] / self.scale, size[1] / self.scale
        self.visited = 0
        if self._parts_changed:
            self._parts_changed = False
            widgets = [widget for root in self.roots for widget in seat_of(root).walk()]
            self._watched = [widget for widget in widgets if isinstance(widget, Bound)]
            self._scrolls = [widget for widget in widgets if isinstance(widget, Scroll)]
        for root in self.roots:
            if root.visible:
                self._lay_out(root, wide, high)
        return jumped

    def _lay_out(self, root: Root, wide: float, high: float) -> None:
        box, place = root.box, area_of(root, wide, high)
        if box.stale:
            w, h, asked = preferred(box, place.width, place.height)
            self.visited += max(asked, layout(box, w, h))
            for scroll in self._scrolls:
                settle(scroll)
        x, y = root.position
        x, y = (
            x + place.x + (place.width - box.w) * place.across,
            y + place.y + (place.height - box.h) * place.down,
        )
        box.x, box.y = round(min(max(x, 0.0), wide - box.w)), round(min(max(y, 0.0), high - box.h))

    def look(self) -> None:
        """The picture may have another size."""
        if self._host.size != self.picture:
            self.has_news = True

    def settle(self) -> None:
        self.look()
        if self.has_news:
            self._jumped = self.lay_out() or self._jumped


class UI(Sealed):
    """The widgets of a scene: ``self.ui``.

    Its methods make roots, which are groups of widgets: `column`, `row`, `grid`, `window`. Each
    fits into the picture, at its ``anchor``. What is drawn is over all that the scene has.
    """

    __slots__ = ("__weakref__", "_interface")

    def __init__(self, interface: Interface) -> None:
        self._interface = interface

    # -- roots -------------------------------------------------------------------------------------

    @property
    def roots(self) -> list[Root]:
        """The outermost groups: the last one is over the others. A new list."""
        return self._interface.roots.copy()

    def column(self, **options: Any) -> Root:
        """Widgets below each other: ``self.ui.column(gap=12, anchor="center", width=320)``. See
        `Root`.
        """
        return self.add(Root(**self._with_gap(options)))

    def row(self, **options: Any) -> Root:
        """Widgets beside each other."""
        options.setdefault("align", "center")
        return self.add(Root(direction="row", **self._with_gap(options)))

    def grid(self, columns: int, **options: Any) -> Root:
        """Widgets in so many columns of one width."""
        return self.add(Root(columns=columns, **self._with_gap(options)))

    def window(self, title: object, **options: Any) -> Window:
        """A panel with a title, which can be moved."""
        return self.add(Window(title, **options))

    def add(self, root: W) -> W:
        """Add a root over the others. Raises `ValueError` if it is in an interface already."""
        self._interface.add(root)
        return root

    def _with_gap(self, options: dict[str, Any]) -> dict[str, Any]:
        options.setdefault("gap", self.theme.gap)
        if flag("panel", options.get("panel", False)):
            options.setdefault("padding", self.theme.padding)
        return options

    # -- the player --------------------------------------------------------------------------------

    @property
    def focus(self) -> Widget | None:
        """The widget that keys and pads are for."""
        return self._interface.focus

    def set_focus(self, widget: Widget | None) -> None:
        """Put the focus on a widget, or nowhere. Raises `ValueError` for one that cannot have
        it.
        """
        self._interface.set_focus(widget)

    async def ask(self, question: object, *answers: str, width: float = 360) -> str:
        """Within a routine, put a question over all else, and wait for an answer: ``if await
        self.ui.ask("Quit?", "Yes", "No") == "Yes":``. Escape and a pad's B are the last one.

        The newest question is answered first. A question of a covered scene waits. It closes when
        its scene or its routine ends.
        """
        answers = answers or (self.theme.word("OK"),)
        asked = _Asked()
        root = self.column(modal=True, panel=True, padding=20, gap=16, width=width)
        try:
            root.label(question, align="center")
            row = root.row(justify="center", wrap=True, gap=12)
            for number, answer in enumerate(answers, 1):
                action = "cancel" if number == len(answers) else None
                row.button(answer, partial(asked.give, answer), action=action, min_width=90)
            self.set_focus(row.children[0])
            await wait(asked)
        finally:
            if root.ui is not None:  # somebody may have cleared the interface
                root.remove()  # the focus goes back to where it was
        assert asked.answer is not None
        return asked.answer

    async def next_press(self) -> str:
        """Within a routine, wait for a key, a button of the mouse or of a pad, which is then for
        nothing else; returns its name, as in "space", "mouse:left", "pad:a": for `Actions.rebind`.
        Of several the last one is first."""
        return await self._interface.next_press()

    def open_keyboard(self, field: TextField) -> None:
        """Have a keyboard on the screen for a field, as a pad's A does on one that has the
        focus.
        """
        self._interface.open_keyboard(field)

    # -- settings ----------------------------------------------------------------------------------

    @property
    def theme(self) -> Theme:
        """How widgets look: a `Theme`, or the name of one, as in "light"."""
        return self._interface.theme

    @theme.setter
    def theme(self, value: Theme | str) -> None:
        self._interface.theme = value

    @property
    def scale(self) -> float:
        """Units of the picture in one of the interface.

        It follows the picture, as `fitting_scale` says, until it is given: 2 for a couch; "auto"
        has it follow again.
        """
        return self._interface.scale

    @scale.setter
    def scale(self, value: float | str) -> None:
        self._interface.scale = value

    @property
    def sounds(self) -> bool:
        """Whether the focus and presses are heard where the theme has no sounds of its own.

        Default: False.
        """
        return self._interface.sounds

    @sounds.setter
    def sounds(self, value: bool) -> None:
        self._interface.sounds = value

    @property
    def screen_keyboard(self) -> bool:
        """Whether a pad's A on a field opens a keyboard on the screen. Default: True."""
        return self._interface.screen_keyboard

    @screen_keyboard.setter
    def screen_keyboard(self, value: bool) -> None:
        self._interface.screen_keyboard = value


def interface_of(ui: UI) -> Interface:
    """Return the interface whose face this is."""
    return ui._interface
