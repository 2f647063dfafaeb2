"""Players of the interface: widgets, dialogs, and scenes with menus."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

import framework as fw
from framework.ui.containers import served_by
from framework.ui.interface import interface_of
from framework.ui.widget import node_of

from .copying import copy_attributes
from .player import Player

_IMAGE = np.full((5, 5, 4), 220, np.uint8)

# How to create a widget of each kind, from its group, the values that it shows, and its text.
MAKERS: dict[str, Callable[[Any, Any, str], Any]] = {
    "button": lambda group, values, text: group.button(text or "OK", values.clicked),
    "back": lambda group, values, text: group.button("Back", values.clicked, action="cancel"),
    "dropdown": lambda group, values, text: group.dropdown(
        "Quality", ["low", "high", "best"], values, "level"
    ),
    "field": lambda group, values, text: group.text_field(text.replace("\n", ""), values.submitted),
    "lines": lambda group, values, text: group.text_field("ab\ncd", lines=3),
    "slider": lambda group, values, text: group.slider(
        "Volume", values, "volume", min_value=0, max_value=1
    ),
    "toggle": lambda group, values, text: group.toggle("Sound", values, "sound"),
    "choice": lambda group, values, text: group.choice("Choice", [1, 2, 3], values.submitted),
    "label": lambda group, values, text: group.label(text),
    "bar": lambda group, values, text: group.progress_bar(0.4),
    "image": lambda group, values, text: group.image(_IMAGE),
    "scroll": lambda group, values, text: group.scroll(height=20),
    "row": lambda group, values, text: group.row(),
    "tooltip": lambda group, values, text: group.button(
        "In a row", values.clicked, tooltip=text or None
    ),
}
_INSIDE = {"scroll": ("label", "long\ntext\nof four\nlines"), "row": ("tooltip", "A tooltip")}
_ALONE = [kind for kind in MAKERS if kind != "tooltip"]

ROOTS: dict[str, Callable[..., Any]] = {
    "window": lambda ui, text, hud, modal, anchor: ui.window(text or "Title", hud=hud),
    "row": lambda ui, text, hud, modal, anchor: ui.row(hud=hud, modal=modal, anchor=anchor),
    "grid": lambda ui, text, hud, modal, anchor: ui.grid(2, hud=hud, modal=modal, anchor=anchor),
    "column": lambda ui, text, hud, modal, anchor: ui.column(hud=hud, modal=modal, anchor=anchor),
}


class Recipe(NamedTuple):
    """How a widget was created. ``values`` is the player whose values the widget shows."""

    widget: Any
    kind: str
    text: str
    values: Any
    options: dict[str, Any]


class Interface(Player):
    """What players with widgets share: the recipes of all widgets of their game.

    The atlas of an interface also contains images of earlier widgets. Letters at another position
    in the atlas have texture coordinates with another rounding error.
    """

    rounding = 1

    def note(self, widget: Any, kind: str, text: str, **options: Any) -> Any:
        recipes = [recipe for recipe in self.game.recipes if recipe.widget.ui is not None]
        self.game.recipes = [*recipes, Recipe(widget, kind, text, self, options)]
        return widget

    def clicked(self) -> None:
        """Called when a button is pressed."""

    def submitted(self, value: object) -> None:
        self.clicked()

    def shown_values(self) -> Any:
        """Return a copy of the values that widgets show."""
        names = ("level", "volume", "sound")
        values = {name: getattr(self, name) for name in names if hasattr(self, name)}
        return SimpleNamespace(clicked=do_nothing, submitted=do_nothing, **values)

    def make(self, group: Any, kind: str, text: str) -> Any:
        widget = self.note(MAKERS[kind](group, self, text), kind, text)
        if kind in _INSIDE:
            self.make(widget, *_INSIDE[kind])
        return widget

    def make_root(self, kind: str, text: str, **options: Any) -> Any:
        root = ROOTS[kind](self.game.ui, text, **options)
        return self.note(root, kind, text, **options)

    def can_copy(self) -> bool:
        """Whether no popup, dialog or screen keyboard is open, no widget is hovered or pressed, and
        no text is edited. Only the player of a game does these things.
        """
        known = {id(recipe.widget) for recipe in self.game.recipes}
        ui = self.game.ui
        return (
            interface_of(ui).held is interface_of(ui).hovered is None
            and not isinstance(ui.focus, fw.widgets.TextField)
            and all(id(root) in known for root in ui.roots)
        )

    def copy(self, other: Any) -> None:
        """Copy the widgets of all players: the first player with widgets does so."""
        if self.is_first():
            copy_interface(self.game, other)

    def is_first(self) -> bool:
        players = self.game.company
        return self is next(player for player in players if isinstance(player, Interface))

    def finish_copy(self, other: Any) -> None:
        """Set the focus, and how far groups are scrolled, after the layout."""
        if self.is_first():
            other.ui.set_focus(other.copies.get(id(self.game.ui.focus)))
            for recipe in self.game.recipes:
                if isinstance(recipe.widget, fw.widgets.Scroll) and recipe.widget.ui is not None:
                    copied = other.copies[id(recipe.widget)]
                    copy_attributes(recipe.widget, copied, ("offset", "offset_x"))


def do_nothing(*_: object) -> None: ...


def copy_interface(game: Any, other: Any) -> None:
    ui = game.ui
    copied = other.ui
    copy_attributes(ui, copied, ("theme", "scale"))
    recipes = {id(recipe.widget): recipe for recipe in game.recipes}
    copies: dict[int, Any] = {}
    for root in ui.roots:
        recipe = recipes[id(root)]
        new = ROOTS[recipe.kind](copied, recipe.text, **recipe.options)
        copy_widget(root, new, recipes, copies)
    for widget, gap in game.styles:
        if id(widget) in copies:
            copies[id(widget)].style(gap=gap, padding=3)
    other.copies = copies


def copy_widget(widget: Any, new: Any, recipes: dict[int, Recipe], copies: dict[int, Any]) -> None:
    copies[id(widget)] = new
    copy_attributes(widget, new, ("enabled", "visible"))
    if isinstance(widget, fw.widgets.TextField):
        new.text = widget.text
    if type(widget) is fw.widgets.Choice:
        new.value = widget.value
    own = [child for child in widget.children if id(child) not in recipes]  # a window's title
    for part in list(new.children):
        same = next((child for child in own if type(child) is type(part)), None)
        if same is None:
            part.remove()
        else:
            own.remove(same)
            copy_widget(same, part, recipes, copies)
    for child in widget.children:
        recipe = recipes.get(id(child))
        if recipe is not None:
            copied = MAKERS[recipe.kind](new, recipe.values.shown_values(), recipe.text)
            copy_widget(child, copied, recipes, copies)


class Widgets(Interface):
    parts = (
        *(fw.Widget, fw.Theme, fw.NinePatch),
        *(getattr(fw.widgets, name) for name in fw.widgets.__all__),
    )

    def setup(self) -> None:
        self.level = "low"
        self.volume = 0.5
        self.sound = True
        self.add_root()

    def check(self) -> None:
        """Focused, hovered and held widgets are in the tree. Popups close with their widgets."""
        ui = self.game.ui
        for widget in (ui.focus, interface_of(ui).held, interface_of(ui).hovered):
            assert widget is None or widget.ui is ui
        assert ui.focus is None or focusable(ui.focus)
        assert all(served is None or served.ui is ui for served in map(served_by, ui.roots))
        assert len(ui.roots) == len({id(root) for root in ui.roots})

    def roots(self) -> list[Any]:
        return list(self.game.ui.roots)

    def all(self) -> list[Any]:
        widgets = []
        waiting = self.roots()
        while waiting:
            widget = waiting.pop()
            widgets.append(widget)
            waiting += getattr(widget, "children", ())
        return widgets

    def add_root(self) -> None:
        if len(self.roots()) > 3:
            return
        dice = self.dice
        root = self.make_root(
            dice.choice((*ROOTS,)),
            dice.text(),
            hud=dice.chance(0.3),
            modal=dice.chance(0.2),
            anchor=dice.choice(("top", "left", "center")),
        )
        for _ in range(dice.below(5)):
            self.make(root, dice.choice(_ALONE), dice.text())

    def clicked(self) -> None:
        self.level = self.dice.choice(("low", "high", "best"))
        if self.dice.chance(0.3):
            self.do_remove()

    def do_add_root(self) -> None:
        self.add_root()

    def do_add(self) -> None:
        groups = [widget for widget in self.all() if isinstance(widget, fw.widgets.Group)]
        if groups and len(self.all()) < 25:
            self.make(self.dice.choice(groups), self.dice.choice(_ALONE), self.dice.text())

    def do_remove(self) -> None:
        widgets = self.all()
        if widgets:
            self.dice.choice(widgets).remove()

    def do_toggle(self) -> None:
        widgets = self.all()
        if widgets:
            widget = self.dice.choice(widgets)
            name = self.dice.choice(("enabled", "visible"))
            setattr(widget, name, not getattr(widget, name))

    def do_focus(self) -> None:
        widgets = [widget for widget in self.all() if focusable(widget)]
        self.game.ui.set_focus(self.dice.choice((None, *widgets)))

    def do_open(self) -> None:
        for widget in self.all():
            if isinstance(widget, fw.widgets.Dropdown) and focusable(widget):
                widget.open()
                return

    def do_keyboard(self) -> None:
        for widget in self.all():
            if isinstance(widget, fw.widgets.TextField) and focusable(widget):
                self.game.ui.open_keyboard(widget)
                return

    def do_value(self) -> None:
        self.volume, self.sound = self.dice.between(0, 1), self.dice.chance(0.5)

    def do_scale(self) -> None:
        self.game.ui.scale = self.dice.choice((1.0, 0.5, 1.5))

    def do_theme(self) -> None:
        skin = fw.NinePatch(_IMAGE, 1) if self.dice.chance(0.3) else None
        self.game.ui.theme = fw.Theme(
            font_size=self.dice.choice((10, 20)), accent=self.dice.rgb(), control_skin=skin
        )

    def do_style(self) -> None:
        groups = [widget for widget in self.all() if isinstance(widget, fw.widgets.Group)]
        if groups:
            group = self.dice.choice(groups)
            gap = self.dice.choice((0, 8))
            group.style(gap=gap, padding=3)
            styles = [style for style in self.game.styles if style[0].ui is not None]
            self.game.styles = [*styles, (group, gap)]


def focusable(widget: Any) -> bool:
    """Whether the game may set the focus on a widget now."""
    return bool(widget.ui is not None and widget.focusable and node_of(widget).interactive)


class Questions(Interface):
    """Dialogs of routines."""

    parts = (fw.Routine,)

    def setup(self) -> None:
        self.answers: list[str] = []
        self.make_root("column", "", hud=False, modal=False, anchor="center")
        self.make(self.game.ui.roots[-1], "button", "Ask")

    def clicked(self) -> None:
        self.do_ask()

    def do_ask(self) -> None:
        if len(self.game.ui.roots) < 3:
            self.game.start(self.ask())

    async def ask(self) -> None:
        answer = await self.game.ui.ask("Quit?", self.dice.text() or "Yes", "No")
        self.answers = [*self.answers, answer]


class Scenes(Player):
    """`compare_with_copy` copies the scenes."""

    parts = (fw.Scene,)

    def transition(self) -> Any:
        return None

    def do_push(self) -> None:
        if not isinstance(self.game.scene, Above) or self.dice.chance(0.2):
            self.game.push(Above(self.dice.chance(0.5)), transition=self.transition())

    def do_pop(self) -> None:
        scene = self.game.scene
        if isinstance(scene, Above) and scene.ticks_left > 1:  # the scene does not pop itself now
            self.game.pop(transition=self.transition())


class Transitions(Scenes):
    """A restored game has no image of the old scenes, see docs/effects.md. Nor has a copy."""

    parts = (fw.Fade, fw.Wipe, fw.Iris, fw.Transition)
    copies = False
    remembers_images = True

    def transition(self) -> Any:
        return self.dice.choice(
            (None, fw.Fade(0.1), fw.Wipe(0.2, angle=1), fw.Iris(0.1), fw.Fade(0.2, color="red"))
        )


class Above(fw.Scene):
    """A scene over the game, which goes on below or pauses."""

    def __init__(self, pauses: bool) -> None:
        super().__init__()
        self.pauses_below = pauses
        self.ticks_left = 6

    def setup(self) -> None:
        self.sprite = self.sprites.add(_IMAGE, position=(20, 20))
        self.labels.add("Paused", (5, 40))

    def copy_to(self, other: Any) -> None:
        other.push(Above(self.pauses_below))
        other.scene.sprite.x = self.sprite.x

    def update(self, dt: float) -> None:
        self.sprite.x += 2
        self.ticks_left -= 1
        if not self.ticks_left and self.game.scene is self:
            self.game.pop()


class Menus(Player):
    """Scenes with widgets, which open and close each other. `compare_with_copy` copies the scenes."""

    rounding = 1
    parts = (fw.scenes.Menu, fw.scenes.Settings, fw.scenes.Credits, fw.scenes.Calibration)

    def setup(self) -> None:
        self.actions = fw.Actions(jump=["space", "pad:a"], walk=fw.Axis("left", "right"))
        self.presses = 0

    def settings(self) -> tuple[float, float]:
        """Return the volumes: they are no state, but sliders store what they show."""
        return self.game.audio.volume, self.game.audio.buses["effects"].volume

    def set(self, settings: tuple[float, float]) -> None:
        self.game.audio.volume, self.game.audio.buses["effects"].volume = settings

    def can_copy(self) -> bool:
        """Whether no scene with focused, hovered or pressed widgets is open."""
        return all(
            isinstance(scene, Above)
            or (isinstance(scene, OwnCredits) and interface_of(scene.ui).hovered is None)
            for scene in self.game.above
        )

    def pressed(self) -> None:
        self.presses += 1

    def menu(self) -> fw.Scene:
        entries = {
            "Press": self.pressed,
            self.dice.text() or "Settings": self.do_settings,
            "Credits": OwnCredits(),
            "Go on": None,
        }
        return fw.scenes.Menu(self.dice.text(), entries, closable=self.dice.chance(0.8))

    def open(self, scene: fw.Scene) -> None:
        if len(self.game.above) < 3:
            self.game.push(scene)

    def do_menu(self) -> None:
        self.open(self.menu())

    def do_settings(self) -> None:
        actions = self.dice.choice((None, self.actions))
        self.open(fw.scenes.Settings(["effects"], actions, on_close=self.pressed, file=None))

    def do_calibration(self) -> None:
        self.open(fw.scenes.Calibration(bpm=150, taps=4))

    def do_credits(self) -> None:
        self.open(OwnCredits())

    def do_volume(self) -> None:
        self.game.audio.volume = self.dice.between(0, 1)

    def do_pop(self) -> None:
        if self.game.above and not isinstance(self.game.scene, Above):
            self.game.pop()


class OwnCredits(fw.scenes.Credits):
    def __init__(self) -> None:
        super().__init__(["A name", "", "Another name"], speed=90, title="Credits")

    def copy_to(self, other: Any) -> None:
        other.push(OwnCredits())
        other.scene.camera.position = self.camera.position
        other.scene.camera.teleport()
