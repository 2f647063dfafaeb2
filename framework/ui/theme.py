"""Themes: the colors, sizes, images (skins) and sounds of all widgets."""

from __future__ import annotations

__all__ = ["NinePatch", "Theme"]

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Protocol

from ..assets.images import ImageSource, checked_source
from ..checks import (
    color,
    instance,
    named,
    nearest,
    number,
    shown,
    text,
    whole,
    wrong_type,
    wrong_value,
)
from ..moved_names import HasMoved, check_options, moved, renamed_options
from ..text.fonts import font_names

Rgba = tuple[float, float, float, float]
"""A color as red, green, blue and alpha, from 0 to 1."""
Font = str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None
"""A font file, the name of a system font, or a list of files and names. If the font is None, the
default font is used.
"""


class _Color:
    """The type of a color field of `Theme`, for type checkers. It can be set to a string or to
    numbers, and is read as an `Rgba`: four numbers.

    `_Color`, `_Skin` and `_Border` exist for type checkers only. At run time, the fields of a theme
    are normal attributes.
    """

    if TYPE_CHECKING:

        def __init__(self, default: str | Sequence[float]) -> None: ...
        def __get__(self, theme: object, owner: type) -> Rgba: ...
        def __set__(self, theme: object, value: str | Sequence[float]) -> None: ...
    else:

        def __new__(cls, default):
            return default


class _Skin:
    """The type of an image field of `Theme`, for type checkers. It can be set to an image, and is
    read as a `NinePatch` or None.
    """

    if TYPE_CHECKING:

        def __init__(self, default: None) -> None: ...
        def __get__(self, theme: object, owner: type) -> NinePatch | None: ...
        def __set__(self, theme: object, value: NinePatch | ImageSource | None) -> None: ...
    else:

        def __new__(cls, default):
            return default


class _Border:
    """The type of `NinePatch.border`, for type checkers. It can be set to one number for all edges
    or to four numbers, and is read as four numbers.
    """

    if TYPE_CHECKING:

        def __init__(self, default: int) -> None: ...
        def __get__(self, skin: object, owner: type) -> tuple[int, int, int, int]: ...
        def __set__(self, skin: object, value: int | Sequence[int]) -> None: ...
    else:

        def __new__(cls, default):
            return default


_COLORS = (
    "text",
    "disabled",
    "accent",
    "panel",
    "edge",
    "control",
    "hover",
    "pressed",
    "focus",
    "track",
    "overlay",
)
_SIZES = ("font_size", "radius", "edge_width", "padding", "gap")
_SKINS = (
    *("panel_skin", "control_skin", "hover_skin", "pressed_skin"),
    *("track_skin", "fill_skin", "thumb_skin", "on_skin", "off_skin"),
)


WORDS = (
    *(
        "Space",
        "OK",
        "Capital letters",
        "Other letters",
        "A new line",
        "Delete",
        "Close",
    ),  # on-screen keyboard
    *(
        "Back",
        "Volume",
        "Full screen",
        "Controls",
        "Reset to defaults",
        "press a key or a button",
        "has it, too",
        "cannot be used here",
    ),
    "Skip",
    *("Your name", "Create a room", "Code of a room", "Join", "Ready", "Not ready", "Start"),
    "Message",
)
"""The words that widgets and the framework's own scenes show. `Theme.words` can replace them."""


class Playable(Protocol):
    """A `Sound`, or another object with a method `play`."""

    def play(self, *, volume: float) -> object: ...


@dataclass(frozen=True, eq=False)  # `==` cannot compare images that are arrays
class NinePatch:
    """An image for boxes of any size. Its corners keep their size, while its edges and its middle
    are stretched.

    Parameters
    ----------
    image
        A path, a PIL image, an array or a `Region`.
    border
        The width of the edges of the image, in pixels of the image. The corners, where two edges
        meet, are not stretched. Pass one number for all edges, or four numbers (left, top, right,
        bottom). By default, ``border`` is 8.
    scale
        The size of an image pixel in units of the `UI`, at most 1,000. By default, ``scale`` is 1.
    """

    not_state = True

    image: ImageSource
    border: _Border = _Border(8)
    scale: float = 1.0

    def __post_init__(self) -> None:
        checked_source("image", self.image)
        border: object = self.border
        sides = border if isinstance(border, tuple | list) else (border,) * 4
        if len(sides) != 4:
            raise wrong_value(
                "border", "one number or four (left, top, right, bottom)", self.border
            )
        object.__setattr__(
            self, "border", tuple(whole("border", side, 0, 1 << 14) for side in sides)
        )
        object.__setattr__(self, "scale", number("scale", self.scale, above=0, most=1000))


_OLD_NAMES = {
    "size": "font_size",
    "muted": "disabled",
    "hot": "hover",
    "down": "pressed",
    "shade": "overlay",
    "hot_skin": "hover_skin",
    "down_skin": "pressed_skin",
}


@moved("theme", _OLD_NAMES)
@dataclass(frozen=True)
class Theme(HasMoved):
    """The colors, sizes, skins and sounds of widgets. A theme is immutable. To change values, make
    a copy: ``fw.Theme().with_(accent="#f80", radius=0)``.

    A color is a string such as "#f80", or numbers from 0 to 1: red, green, blue and optionally
    alpha. Sizes are in units of the `UI`. One unit of the `UI` is `UI.scale` units of the view.

    Parameters
    ----------
    font
        A font file, the name of a system font, or a list of these. By default, ``font`` is the
        default font of `TextBatch`.
    font_size
        The font size in units. By default, ``font_size`` is 20.
    text
        The color of text.
    disabled
        The color of disabled widgets, of hints in text fields, and of scroll bars.
    accent
        The color of filled sliders and progress bars, of the current value in choices, and of
        toggles that are on.
    panel, edge
        The color of a panel, and the color of the edges of panels and buttons.
    control, hover, pressed
        The background colors of a button: normal, under the mouse pointer, and pressed.
    focus
        The color of the outline of the focused widget, and of the caret (text cursor) in text
        fields.
    track
        The background color of sliders, progress bars and text fields.
    overlay
        The color that covers the game while a modal root is open, for example a menu. The root is
        drawn above this color. If the alpha of ``overlay`` is below 1, the player can still see the
        game.
    radius, edge_width
        The radius of corners and the width of outlines, in units.
    padding, gap
        The default padding of panels, and the default distance between widgets, in units.
    panel_skin, control_skin, hover_skin, pressed_skin
        The images of panels and buttons. If an image is missing in the theme, a box is drawn
        instead. Each image is a `NinePatch`, or an image that is stretched as a whole.
    track_skin, fill_skin, thumb_skin
        The images of sliders and progress bars. A ``fill_skin`` with a border is stretched to the
        length of the filled part. A ``fill_skin`` without a border is cut off at the end of the
        filled part.
    on_skin, off_skin
        The images of toggles.
    ease
        How long buttons, toggles and sliders take to change their colors, in seconds. Colors change
        when the mouse pointer or the focus reaches or leaves a widget, and when it is pressed or
        released. By default, ``ease`` is 0: colors change immediately.
    focus_sound, press_sound
        The sounds that are played when the focus moves and when the player presses a widget. Each
        sound is a `Sound` or None.
    words
        Replacements for the words in `WORDS`, for example ``{"Space": "Leertaste", "Back":
        "Zurück"}``.
    """

    not_state = True

    font: Font = None
    font_size: float = 20
    text: _Color = _Color("#e9edf5")
    disabled: _Color = _Color("#97a1b5")
    accent: _Color = _Color("#4aa8ff")
    panel: _Color = _Color((0.07, 0.09, 0.13, 0.92))
    edge: _Color = _Color((1.0, 1.0, 1.0, 0.10))
    control: _Color = _Color("#222a38")
    hover: _Color = _Color("#2d384b")
    pressed: _Color = _Color("#182030")
    focus: _Color = _Color("#ffc14a")
    track: _Color = _Color("#10151f")
    overlay: _Color = _Color((0.0, 0.0, 0.0, 0.55))
    radius: float = 8
    edge_width: float = 1
    padding: float = 10
    gap: float = 8
    ease: float = 0
    panel_skin: _Skin = _Skin(None)
    control_skin: _Skin = _Skin(None)
    hover_skin: _Skin = _Skin(None)
    pressed_skin: _Skin = _Skin(None)
    track_skin: _Skin = _Skin(None)
    fill_skin: _Skin = _Skin(None)
    thumb_skin: _Skin = _Skin(None)
    on_skin: _Skin = _Skin(None)
    off_skin: _Skin = _Skin(None)
    focus_sound: Playable | None = None
    press_sound: Playable | None = None
    words: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        fonts = font_names(self.font)  # `font_names` returns a tuple, because a theme is immutable
        object.__setattr__(self, "font", fonts if len(fonts) > 1 else fonts[0] if fonts else None)
        for name in _COLORS:
            value: object = getattr(self, name)
            object.__setattr__(self, name, color(name, value))
        for name in _SIZES:
            minimum = 1 if name == "font_size" else 0
            value = getattr(self, name)
            object.__setattr__(self, name, number(name, value, least=minimum, most=1000))
        object.__setattr__(self, "ease", number("ease", self.ease, least=0, most=10))
        for name in _SKINS:
            skin: object = getattr(self, name)
            if skin is not None and not isinstance(skin, NinePatch):
                object.__setattr__(self, name, NinePatch(checked_source(name, skin), 0))
        for name in ("focus_sound", "press_sound"):
            sound: object = getattr(self, name)
            if sound is not None and not callable(getattr(sound, "play", None)):
                raise wrong_type(name, "a Sound or None", sound)
        object.__setattr__(self, "words", _checked_words(self.words))

    def word(self, word: str) -> str:
        """Return the theme's replacement for a word of `WORDS`. For example, a theme may replace
        "Back" with "Zurück".
        """
        return str(self.words.get(text("word", word), word))

    def with_(self, **changes: Any) -> Theme:
        """Return a copy of the theme in which some values are replaced: ``theme.with_(radius=0)``.

        Raises `TypeError` if a name is not a field of `Theme`.
        """
        check_options("Theme", changes)
        names = {value.name for value in fields(self)}
        unknown = [name for name in changes if name not in names]
        if unknown:
            nearest_names = nearest(unknown[0], names)
            raise TypeError(f"theme: unknown value {unknown[0]!r}; the nearest are {nearest_names}")
        return replace(self, **changes)


Theme.__init__ = renamed_options("Theme", **_OLD_NAMES)(Theme.__init__)  # type: ignore[method-assign]


def _checked_words(words: object) -> dict[str, object]:
    """Return a copy of the option ``words`` of a theme, a dict of replacements."""
    checked: dict[str, object] = dict(named("words", words, "replacements by the words of WORDS"))
    for word, replacement in checked.items():
        if word not in WORDS:
            raise ValueError(
                f"words: unknown word {word!r}; the nearest are {nearest(word, WORDS)}"
            )
        text(f"words[{word!r}]", replacement)
    return checked


def dimmed(color: Rgba, usable: bool) -> Rgba:
    """Return ``color``, with half its alpha if the widget is disabled."""
    red, green, blue, alpha = color
    return (red, green, blue, alpha if usable else alpha / 2)


def check_files(theme: Theme, size: Callable[[ImageSource], object]) -> None:
    """Call ``size(image)`` for each image of a theme. ``size`` must raise an error if the file of
    the image is missing or broken.
    """
    for name in _SKINS:
        skin: NinePatch | None = getattr(theme, name)
        if skin is not None:
            size(skin.image)


THEMES = {
    "dark": Theme(),
    "light": Theme(
        text="#1c2330",
        disabled="#5d6880",
        accent="#1769c4",
        panel=(0.96, 0.97, 0.99, 0.96),
        edge=(0, 0, 0, 0.14),
        control="#e1e6ef",
        hover="#d0d8e6",
        pressed="#b9c4d8",
        focus="#d9480f",
        track="#c6cedd",
    ),
    "contrast": Theme(
        text="#ffffff",
        disabled="#8c8c8c",  # contrast of 6:1 to black, and of 3:1 to enabled text
        accent="#ffff00",
        panel="#000000",
        edge="#ffffff",
        control="#000000",
        hover="#333333",
        pressed="#000000",
        focus="#ffff00",
        track="#000000",
        edge_width=2,
        radius=0,
    ),
    "playful": Theme(
        font=("Oxanium", "DejaVuSans"),
        text="#fff4e0",
        disabled="#a88fa8",
        accent="#ffb03b",
        panel=(0.17, 0.11, 0.24, 0.94),
        edge=(1.0, 0.85, 0.6, 0.22),
        control="#4b2f66",
        hover="#7a479c",
        pressed="#a8325e",
        focus="#ffd04c",
        track="#241634",
        overlay=(0.1, 0.05, 0.15, 0.6),
        radius=12,
        edge_width=2,
        padding=14,
        gap=10,
        ease=0.14,
    ),
}
"""The built-in themes, by name."""


def theme_of(name: str, value: object) -> Theme:
    """Return ``value`` as a `Theme`. ``value`` is a `Theme`, or the name of a built-in theme in
    `THEMES`.
    """
    if isinstance(value, str):
        if value not in THEMES:
            raise ValueError(
                f"{name}: unknown theme {shown(value)}; the themes are {', '.join(THEMES)}"
            )
        return THEMES[value]
    return instance(name, value, Theme, what="a Theme or the name of one")
