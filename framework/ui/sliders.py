"""Sliders and progress bars, which show a number in a range."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..checks import number
from ..moved_names import renamed_options
from ..other_engines.widget_names import progress_bar_names
from .basic_widgets import Bound, ink, is_usable, maybe_color, opacity, skin_size
from .theme import dimmed
from .widget import ShownSetting, Widget, no_action

if TYPE_CHECKING:
    from .brush import Brush

_PERCENT = 2.0  # a larger value is probably meant as a percentage, and causes a warning
_MAX_VALUE = 1e300  # the difference between two numbers below this limit is finite


class Slider(Bound[float], creator="slider"):
    """A widget for a number in a range. The player moves the slider with the mouse or with the left
    and right arrow keys:

        menu.slider("Music", self.audio.buses["music"], "volume", 0, 1)

    Pass an object and the name of its attribute, or a function that is called with each new value.
    The range begins at ``min_value`` (default 0) and ends at ``max_value`` (default 1). ``steps``
    is the number of equal steps in the range (default 20). When the player moves the slider, the
    value is rounded to a whole step. Without an attribute, ``value`` is the initial value (default:
    ``min_value``).
    """

    @renamed_options("Slider", low="min_value", high="max_value")
    def __init__(
        self,
        text: object,
        target: object = no_action,
        attribute: str | None = None,
        min_value: float = 0.0,
        max_value: float = 1.0,
        *,
        steps: int = 20,
        value: float | None = None,
        **options: Any,
    ) -> None:
        self._low = number("min_value", min_value, least=-_MAX_VALUE, most=_MAX_VALUE)
        self._high = number("max_value", max_value, above=self._low, most=_MAX_VALUE)
        self._steps = int(number("steps", steps, least=1, most=100_000))
        options.setdefault("align", "left")
        start = (
            self._low if value is None else number("value", value, least=self._low, most=self._high)
        )
        super().__init__(text, target, attribute, start, **options)
        if attribute is not None:
            number(attribute, self.value)

    def checked(self, value: object) -> float:
        return number("value", value, least=self._low, most=self._high)

    @property
    def share(self) -> float:
        """The value as a fraction of the range: 0 at ``min_value``, 1 at ``max_value``."""
        share = (self.value - self._low) / (self._high - self._low)
        # The game may have set the attribute to NaN.
        return float(min(max(share, 0.0), 1.0)) if share == share else 0.0

    def on_direction(self, direction: str) -> bool:
        if direction in ("left", "right"):
            self._choose_step(round(self.share * self._steps) + (1 if direction == "right" else -1))
        return direction in ("left", "right")

    def press(self) -> None:
        """Do nothing, because the mouse click has already set the slider's value."""

    def on_drag(self, x: float, y: float, begins: bool) -> None:
        left, track_width = self._track()
        self._choose_step(round((x - left) / max(track_width, 1e-9) * self._steps))

    def _choose_step(self, step: int) -> None:
        step = min(max(step, 0), self._steps)
        # Because of rounding, the sum may differ slightly from the end of the range.
        value = self._low + (self._high - self._low) * step / self._steps
        self.choose(self._high if step == self._steps else min(value, self._high))

    def _track(self) -> tuple[float, float]:
        """Return the left edge and the width of the slider's track, in units.

        The track covers the right half of the widget.
        """
        left, _, right, _ = self.box.padding
        content = max(self.box.w - left - right, 0.0)
        return left + content * 0.5, content * 0.5

    def min_content_width(self) -> float:
        return 2 * super().min_content_width()

    def size(self, available: float) -> tuple[float, float]:
        width, height = super().size(available / 2)
        min_height = max(height, skin_size(self, "thumb_skin")[1], skin_size(self, "track_skin")[1])
        return max(2 * width, min(available, 10 * self.current_font_size)), min_height

    def paint(self, brush: Brush) -> None:
        brush.control(self, is_usable(self))
        theme = brush.theme
        x, track_width = self._track()
        self.paint_text(
            brush,
            self.text,
            ink(brush),
            self.align,
            0.0,
            track_width,
        )
        middle = self.box.h / 2
        knob = 0.8 * self.current_font_size
        track_height = min(skin_size(self, "track_skin")[1] or 6.0, self.box.h)
        thumb = brush.fitted(theme.thumb_skin, track_width, self.box.h) or (knob, knob)
        left = x + (track_width - thumb[0]) * self.share
        brush.track(x, middle - track_height / 2, track_width, track_height)
        brush.filling(
            x,
            middle - track_height / 2,
            track_width,
            track_height,
            left - x + thumb[0] / 2,
            ink(brush, theme.accent),
            opacity(self),
        )
        thumb_box = left, middle - thumb[1] / 2, *thumb
        if theme.thumb_skin is not None:
            brush.skin(theme.thumb_skin, *thumb_box, opacity(self))
        else:
            brush.box(*thumb_box, fill=ink(brush), radius=knob / 2)


def _share(name: str, value: object) -> float:
    share = number(name, value)
    if share >= _PERCENT:
        warnings.warn(
            f"progress_bar: the {name} {share:g} is displayed as 1; divide a percentage by 100",
            RuntimeWarning,
            stacklevel=3,  # the warning shows the line that sets the value
        )
    return min(max(share, 0.0), 1.0)


@progress_bar_names
class ProgressBar(Widget, creator="progress_bar"):
    """A bar that shows a number from 0 to 1, such as health or progress: ``hud.progress_bar(0.8)``."""

    value = ShownSetting(_share, "The fraction of the bar that is filled, from 0 to 1. Default: 0.")
    fill = ShownSetting(
        maybe_color,
        "The color of the filled part. The default is None, the accent color of the theme.",
    )

    def __init__(
        self, value: float = 0.0, *, fill: str | Sequence[float] | None = None, **options: Any
    ) -> None:
        options.setdefault("height", 16)
        super().__init__(**options)
        self.value = value
        self.fill = fill

    def size(self, available: float) -> tuple[float, float]:
        return min(available, 120.0), 16.0

    def paint(self, brush: Brush) -> None:
        w = self.box.w
        h = self.box.h
        theme = brush.theme
        brush.track(0, 0, w, h, edge=dimmed(theme.edge, is_usable(self)))
        min_width = min(h, w) if theme.fill_skin is None else 0.0  # the ends are round
        if self.value > 0:
            color = ink(brush, self.fill or theme.accent)
            brush.filling(0, 0, w, h, max(w * self.value, min_width), color, opacity(self))
