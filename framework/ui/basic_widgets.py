"""Labels, images, buttons, toggles and choices for menus."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from ..assets.images import ImageSource, checked_source
from ..checks import choice, color, flag, items, nearest, number, shown, wrong_type, wrong_value
from ..checks import text as text_of
from ..moved_names import moved, renamed_options
from ..other_engines.widget_names import text_names
from .widget import ShownSetting, Widget, as_text, callback, maybe_function, no_action, node_of

if TYPE_CHECKING:
    from .brush import Brush
    from .text_ruler import Ruler
    from .theme import NinePatch, Rgba
    from .widget import WidgetInterface

S = TypeVar("S", bound=ImageSource | None)
V = TypeVar("V")

_ALIGNMENTS = {"left": 0.0, "center": 0.5, "right": 1.0}
_GAP = 8.0  # units between the image of a button and its text


class _Pictured(ShownSetting[S]):
    """An attribute of a widget that contains an image. A new image is checked first: if its file is
    broken, an error is raised and the attribute keeps its old image.
    """

    def keep(self, widget: Widget, value: S) -> None:
        interface = node_of(widget).interface
        if interface is not None and value is not None:
            interface.image_size(value)
        super().keep(widget, value)


class _Text(ShownSetting[str]):
    """The text of a widget. When the text changes, the layout is computed again only if the new
    text has another size or other line breaks.
    """

    def keep(self, widget: Widget, value: str) -> None:
        previous: str | None = getattr(widget, self.slot, None)
        if previous == value:
            return
        interface: WidgetInterface | None = None
        if previous is not None and isinstance(widget, TextLabel) and _measures_text(type(widget)):
            interface = widget._interface_of_same_layout(previous, value)
        _set(widget, self.slot, value)
        if interface is None:
            widget.changed(sized=True)
        elif type(widget).changed is Widget.changed:
            interface.repaint_text(widget)
        else:
            widget.changed()


_set = object.__setattr__


@functools.cache
def _measures_text(kind: type[Widget]) -> bool:
    """Return whether the size of a widget of the class ``kind`` depends only on its own text."""
    own_width = kind.min_content_width is TextLabel.min_content_width
    return own_width and kind.size in (TextLabel.size, Button.size)


@functools.cache
def _reads_children(kind: type[Widget]) -> bool:
    """Return whether the size of a widget of this class may depend on its children's texts."""
    own_width = kind.min_content_width is not Widget.min_content_width
    return own_width or kind.size is not Widget.size or hasattr(kind, "places")


def _size(name: str, value: object) -> float | None:
    return None if value is None else number(name, value, least=1, most=1000)


def _source(name: str, value: object) -> ImageSource:
    source: ImageSource = checked_source(name, value)
    return source


def _maybe_source(name: str, value: object) -> ImageSource | None:
    return None if value is None else _source(name, value)


def _alignment(name: str, value: object) -> str:
    return choice(name, value, _ALIGNMENTS)


def maybe_color(name: str, value: object) -> Rgba | None:
    """Convert a color, such as "#f80", to (r, g, b, a), with numbers from 0 to 1. If ``value`` is
    None, return None.
    """
    return None if value is None else color(name, value)


def skin_size(widget: Widget, name: str) -> tuple[float, float]:
    """Return the width and height of an image of the theme (a skin), in units.

    ``name`` is a field of `Theme`, such as "thumb_skin". If the theme does not have this skin,
    return (0, 0).
    """
    skin: NinePatch | None = getattr(widget.theme, name)
    interface = node_of(widget).interface
    if skin is None or interface is None:
        return 0.0, 0.0
    width, height = interface.image_size(skin.image)
    return width * skin.scale, height * skin.scale


def is_usable(widget: Widget) -> bool:
    """Return whether the player can use a widget: it and all widgets around it must be visible and
    enabled.
    """
    return node_of(widget).interactive


def ink(brush: Brush, color: Sequence[float] | None = None) -> Sequence[float]:
    """Return the color for the text or the mark of the widget that ``brush`` paints. If the widget
    is enabled, this is ``color``, or the text color of the theme if ``color`` is None. If the
    widget is disabled, it is `Theme.disabled`.
    """
    return (color or brush.theme.text) if brush.usable else brush.theme.disabled


def opacity(widget: Widget) -> float:
    """Return the opacity of the images of a widget: 1 if the widget is enabled, otherwise 0.5."""
    return 1.0 if is_usable(widget) else 0.5


def interface_around(widget: Widget) -> WidgetInterface:
    """Return the `UI` object that contains a widget. The widget must already be in a `UI`."""
    interface = node_of(widget).interface
    assert interface is not None
    return interface


def ruler_of(widget: Widget) -> Ruler:
    """Return the `Ruler` that measures text for a widget. The widget must already be in a `UI`."""
    return interface_around(widget).ruler


@text_names
@moved(
    "text_label",
    {"letter_size": "current_font_size", "write": "paint_text"},
    settings={"letters": "font_size"},
)
class TextLabel(Widget, creator="label"):
    """A widget that shows text: ``menu.label("Paused", font_size=32)``.

    A long line is wrapped between two words or at a soft hyphen. A single word that is too long for
    a line is split between two letters. By default, ``font_size`` (in units) and ``color`` come
    from the theme. ``align`` is "left", "center" or "right".
    """

    text = _Text(
        as_text, "The text of the widget. Other objects are converted with ``str``.", sized=True
    )
    font_size = ShownSetting(
        _size, "The font size in units, or None for the font size of the theme.", sized=True
    )
    color = ShownSetting(maybe_color, "The color of the text, or None for the color of the theme.")
    align = ShownSetting(_alignment, 'The alignment of the lines: "left", "center" or "right".')

    @renamed_options("TextLabel", size="font_size")
    def __init__(
        self,
        text: object = "",
        *,
        font_size: float | None = None,
        color: str | Sequence[float] | None = None,
        align: str = "left",
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.text = text
        self.font_size = font_size
        self.color = color
        self.align = align

    @property
    def current_font_size(self) -> float:
        """The font size in units: `font_size`, or the theme's font size if `font_size` is None."""
        return float(self.font_size or self.theme.font_size)

    def _ruler_and_size(self) -> tuple[Ruler, float]:
        """Return the `Ruler` that measures the text, and `current_font_size`."""
        theme, interface = node_of(self).theme_and_interface()
        return interface.ruler, float(self.font_size or theme.font_size)

    def _interface_of_same_layout(self, text: str, other: str) -> WidgetInterface | None:
        """Return the `UI` object that contains this widget, if ``text`` and ``other`` have the same
        size and line breaks here. Otherwise, return None.
        """
        node = node_of(self)
        theme = node.theme
        while (parent := node.parent) is not None:
            if _reads_children(type(parent)):
                return None
            node = node_of(parent)
            theme = theme or node.theme
        interface = node.root_of
        if interface is None:
            return None
        size = self.font_size or (theme or interface.theme).font_size
        return interface if interface.ruler.same_layout(text, other, float(size)) else None

    def min_content_width(self) -> float:
        ruler, size = self._ruler_and_size()
        return ruler.min_width(self.text, size)

    def size(self, available: float) -> tuple[float, float]:
        ruler, size = self._ruler_and_size()
        lines = ruler.lines(self.text, size, available)
        width = (
            ruler.width(lines[0], size)
            if len(lines) == 1
            else max([ruler.width(line, size) for line in lines])
        )
        return width, len(lines) * ruler.line_height(size)

    def paint(self, brush: Brush) -> None:
        self.paint_text(brush, self.text, ink(brush, self.color), self.align)

    def paint_text(
        self,
        brush: Brush,
        text: str,
        tint: Sequence[float],
        align: str,
        before: float = 0.0,
        after: float = 0.0,
    ) -> None:
        """Draw text inside the widget.

        ``before`` is the free space on the left of the text, in units. ``after`` is the free space
        on the right.
        """
        left, _, right, _ = self.box.padding
        free = max(self.box.w - left - right - before - after, 0.0)
        ruler, font_size = self._ruler_and_size()
        lines = ruler.lines(text, font_size, free)
        line_height = ruler.line_height(font_size)
        y = (self.box.h - len(lines) * line_height) / 2
        for line in lines:
            x = left + before + (free - ruler.width(line, font_size)) * _ALIGNMENTS[align]
            y += line_height
            brush.text(line, font_size, x, y, tint)


class Image(Widget, creator="image"):
    """A widget that shows an image: a path, a PIL image, an array or a `Region`.

    By default, each pixel of the image is one unit wide and high. If the widget is too small, the
    image is scaled down.
    """

    image = _Pictured(_source, "The image.", sized=True)
    tint = ShownSetting(color, "A color by which the image is multiplied.")

    def __init__(
        self,
        image: ImageSource,
        *,
        tint: str | Sequence[float] = (1.0, 1.0, 1.0, 1.0),
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.image = image
        self.tint = tint

    def _images(self) -> Iterable[ImageSource]:
        return (self.image,)

    def size(self, available: float) -> tuple[float, float]:
        width, height = interface_around(self).image_size(self.image)
        shrunk = min(1.0, available / width)  # keeps the aspect ratio
        return width * shrunk, height * shrunk

    def paint(self, brush: Brush) -> None:
        *color, alpha = self.tint
        tint = (*color, alpha * opacity(self))
        brush.image(self.image, 0, 0, self.box.w, self.box.h, tint=tint)


@moved("button", {}, settings={"pressed": "on_press"})
class Button(TextLabel, creator="button"):
    """A button: ``menu.button("Go on", self.resume, action="cancel")``.

    When the player presses the button, ``on_press`` is called without arguments. If ``image`` is
    set, it is shown on the left of the text. If the button has no text, only the image is drawn.
    One pixel of the image is one unit wide and high. If the button is too small, the image is
    scaled down.
    """

    focusable = True
    solid = True

    on_press = ShownSetting(
        maybe_function,
        "A function, or None. The function is called without arguments when the player presses "
        "the button.",
    )
    image = _Pictured(_maybe_source, "The image on the button, or None.", sized=True)
    _image: ImageSource | None = None

    @renamed_options("Button", pressed="on_press")
    def __init__(
        self,
        text: object = "",
        on_press: Callable[[], object] = no_action,
        *,
        image: ImageSource | None = None,
        **options: Any,
    ) -> None:
        options.setdefault("align", "center")
        options.setdefault("padding", (14, 8))
        super().__init__(text, **options)
        self.on_press = callback("on_press", on_press)
        if image is not None:
            self.image = image

    def _images(self) -> Iterable[ImageSource]:
        return () if self.image is None else (self.image,)

    def press(self) -> None:
        if self.on_press is not None:
            self.on_press()

    def size(self, available: float) -> tuple[float, float]:
        image_width, image_height = self._image_size()
        width, height = super().size(max(available - image_width, 0.0))
        return image_width + width, max(image_height, height)

    def _image_size(self) -> tuple[float, float]:
        """Return the width and height of the image in units.

        The width includes the gap between the image and the text.
        """
        if self.image is None:
            return 0.0, 0.0
        width, height = interface_around(self).image_size(self.image)
        return width + (_GAP if self.text else 0.0), height

    def paint(self, brush: Brush) -> None:
        brush.control(self, is_usable(self))
        if self.image is None:
            super().paint(brush)
            return
        image_width, image_height = self._image_size()
        left, top, right, bottom = self.box.padding
        gap = _GAP if self.text else 0.0
        free = max(self.box.w - left - right, 0.0), max(self.box.h - top - bottom, 0.0)
        shrunk = min(1.0, free[0] / image_width, free[1] / image_height)
        text_width = ruler_of(self).width(self.text, self.current_font_size) if self.text else 0.0
        x = max((free[0] - image_width * shrunk - text_width) * _ALIGNMENTS[self.align], 0.0)
        size = (image_width - gap) * shrunk, image_height * shrunk
        tint = (1.0, 1.0, 1.0, opacity(self))
        brush.image(self.image, left + x, (self.box.h - size[1]) / 2, *size, tint=tint)
        if self.text:
            color = ink(brush, self.color)
            self.paint_text(brush, self.text, color, "left", x + image_width * shrunk)


class Bound(Button, Generic[V]):
    """The base class of widgets with which the player sets a value: toggles, choices and sliders.

    If you pass ``attribute``, the widget shows and changes the attribute of ``target`` with this
    name. Otherwise, the widget itself stores the value, and ``target`` is called with each value
    that the player chooses.
    """

    def __init__(
        self, text: object, target: object, attribute: str | None, value: V, **options: Any
    ) -> None:
        super().__init__(text, **options)
        if attribute is not None:
            try:
                getattr(target, text_of("attribute", attribute))
            # the message of this error explains which names have moved
            except AttributeError as error:
                nearest_names = nearest(attribute, dir(target))
                message = f"{shown(target)} has no attribute {attribute!r}; the nearest are {nearest_names}"
                raise AttributeError(message) from error
        self._target = None if target is no_action else target
        self._attribute = attribute
        self._value = value
        if attribute is None:
            self.on_press = callback("target", target)

    @property
    def value(self) -> V:
        """The value that the widget shows.

        When your game's code sets ``value``, `on_press` is not called.
        """
        if self._attribute is None:
            return self._value
        value: V = getattr(self._target, self._attribute)
        return value

    @value.setter
    def value(self, value: V) -> None:
        value = self.checked(value)
        if self._attribute is None:
            self._value = value
        else:
            setattr(self._target, self._attribute, value)

    def checked(self, value: V) -> V:
        """Check a new value, and return the value to store. Subclasses override this method, and
        raise an error if the value is not valid.
        """
        return value

    def choose(self, value: V) -> None:
        """Set the value that the player has chosen.

        If it differs from the old value, `on_press` is called with the new value.
        """
        previous = self.value
        self.value = value
        interface = node_of(self).interface
        if self.on_press is not None and interface is not None and self.value != previous:
            interface.call_later(self.on_press, self.value)


def source_of(widget: Bound[Any]) -> tuple[object, str]:
    """Return the object that contains the value of ``widget``, and the name of its attribute.

    The canvas reads this attribute in every frame, because reading `Bound.value` is slower.
    """
    if type(widget).value is not Bound.value:  # your own class overrides the property
        return widget, "value"
    if widget._attribute is None:
        return widget, "_value"
    return widget._target, widget._attribute


class Toggle(Bound[bool], creator="toggle"):
    """A switch between True and False:

        menu.toggle("Full screen", self.game.display, "fullscreen")
        menu.toggle("Hints", self.set_hints)

    Pass an object and the name of an attribute that is True or False, or pass a function that is
    called with each new value.
    """

    def __init__(
        self,
        text: object,
        target: object = no_action,
        attribute: str | None = None,
        *,
        value: bool = False,
        **options: Any,
    ) -> None:
        options.setdefault("align", "left")
        super().__init__(text, target, attribute, flag("value", value), **options)

    def checked(self, value: object) -> bool:
        return flag("value", value)

    def press(self) -> None:
        self.choose(not self.value)

    def on_direction(self, direction: str) -> bool:
        if direction in ("left", "right"):
            self.choose(direction == "right")
        return direction in ("left", "right")

    def _mark_size(self) -> tuple[float, float]:
        """Return the width and height of the switch in units. If the theme has an `on_skin` and an
        `off_skin`, the switch is large enough for both.
        """
        on = skin_size(self, "on_skin")
        off = skin_size(self, "off_skin")
        width = max(on[0], off[0])
        height = max(on[1], off[1])
        return width or 1.8 * self.current_font_size, height or self.current_font_size

    def min_content_width(self) -> float:
        return super().min_content_width() + self._mark_size()[0] + 0.7 * self.current_font_size

    def size(self, available: float) -> tuple[float, float]:
        mark_width, mark_height = self._mark_size()
        extra = mark_width + 0.7 * self.current_font_size
        width, height = super().size(max(available - extra, 0.0))
        return width + extra, max(height, mark_height)

    def paint(self, brush: Brush) -> None:
        brush.control(self, is_usable(self))
        mark_size = self._mark_size()
        gap = 0.4 * self.current_font_size
        self.paint_text(brush, self.text, ink(brush), self.align, 0.0, mark_size[0] + gap)
        right = self.box.w - self.box.padding[2]
        on = self.value
        skin = brush.theme.on_skin if on else brush.theme.off_skin
        if skin is None:
            self._paint_switch(brush, right, on)
            return
        width, height = brush.fitted(skin, right, self.box.h) or mark_size
        top = (self.box.h - height) / 2
        brush.skin(skin, right - width, top, width, height, opacity(self))

    def _paint_switch(self, brush: Brush, right: float, on: bool) -> None:
        """Draw a rounded track with a knob, which is at the right end if the toggle is on."""
        theme = brush.theme
        width = 1.8 * self.current_font_size
        height = self.current_font_size
        x = right - width
        y = (self.box.h - height) / 2
        fill = ink(brush, theme.accent) if on else theme.track
        brush.box(x, y, width, height, fill=fill, radius=height / 2, edge=theme.edge)
        knob = height - 6
        knob_x = x + (width - knob - 3 if on else 3)
        # The mark of a toggle that is on is filled. If the toggle is disabled, its knob must not
        # have the color of the mark.
        knob_fill = theme.track if on and not is_usable(self) else ink(brush)
        brush.box(knob_x, y + 3, knob, knob, fill=knob_fill, radius=knob / 2)


def _is_array(value: object) -> bool:
    axes: object = getattr(value, "ndim", 0)
    return bool(axes)


class Choice(Bound[Any], creator="choice"):
    """A widget for choosing a value from a list. The left arrow key chooses the previous value, and
    the right arrow key the next value:

        menu.choice("Quality", ["low", "high"], self.set_quality)

    Pass a function that is called with each new value, or an object and the name of the attribute
    to set.
    """

    _transient_attributes = ("_measured",)
    # A key that consists of the ruler and the font size, and the widths of the choices.
    _measured: tuple[tuple[Ruler, float], list[float]] | None = None
    _max_choices: ClassVar[int] = 1000
    """The maximum number of choices."""

    def __init__(
        self,
        text: object,
        choices: Sequence[Any],
        target: object = no_action,
        attribute: str | None = None,
        *,
        value: Any = None,
        **options: Any,
    ) -> None:
        self._choices = tuple(items("choices", choices, self._max_choices))
        if any(map(_is_array, self._choices)):
            raise wrong_type("choices", "values that == compares, not arrays", choices)
        if not 0 < len(self._choices) <= self._max_choices:
            raise wrong_value("choices", f"1 to {self._max_choices:,} values", choices)
        options.setdefault("align", "left")
        super().__init__(
            text,
            target,
            attribute,
            self._choices[0] if value is None else self.checked(value),
            **options,
        )

    @property
    def choices(self) -> tuple[Any, ...]:
        """The values that the player can choose, at most 1,000."""
        return self._choices

    def shown_value(self, value: object) -> str:
        """Return the text that the widget shows for a value. For example, the text for "low" is "<
        low >".
        """
        return f"< {value} >"

    def checked(self, value: object) -> object:
        if _is_array(value) or value not in self._choices:
            raise ValueError(
                f"value: expected one of {shown(list(self._choices))}, got {shown(value)}"
            )
        return value

    def press(self) -> None:
        self._turn(1)

    def on_direction(self, direction: str) -> bool:
        if direction in ("left", "right"):
            self._turn(1 if direction == "right" else -1)
        return direction in ("left", "right")

    def _turn(self, step: int) -> None:
        value = self.value
        index = self._choices.index(value) if value in self._choices else -step
        self.choose(self._choices[(index + step) % len(self._choices)])

    def min_content_width(self) -> float:
        return super().min_content_width() + max(choice_widths(self)) + self.current_font_size / 2

    def size(self, available: float) -> tuple[float, float]:
        extra = max(choice_widths(self)) + self.current_font_size / 2
        width, height = super().size(max(available - extra, 0.0))
        return width + extra, height

    def paint(self, brush: Brush) -> None:
        brush.control(self, is_usable(self))
        widest = max(choice_widths(self))
        self.paint_text(
            brush,
            self.text,
            ink(brush),
            self.align,
            0.0,
            widest,
        )
        free = max(self.box.w - self.box.padding[0] - self.box.padding[2] - widest, 0.0)
        color = ink(brush, brush.theme.accent)
        self.paint_text(brush, self.shown_value(self.value), color, "right", free, 0.0)


def choice_widths(choice: Choice) -> list[float]:
    """Return the width of the text of each choice, in units.

    The widths are cached until the font or the font size changes.
    """
    cache_key = ruler_of(choice), choice.current_font_size
    if choice._measured is None or choice._measured[0] != cache_key:
        ruler, size = cache_key
        widths = [ruler.width(choice.shown_value(value), size) for value in choice.choices]
        choice._measured = cache_key, widths
    return choice._measured[1]
