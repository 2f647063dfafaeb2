"""Renamed names in input, audio and widgets: the old name raises an error with the new name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

import framework as fw
from framework.moved_names import Moved


@pytest.fixture(scope="module")
def game() -> Iterator[fw.Game]:
    with fw.Game(headless=True, size=(320, 240)) as game:
        yield game


LABEL = fw.widgets.TextLabel(font_size=20)
SOUND = fw.Sound.of([0.0, 0.5])
WIDGET = {
    "hot": "hovered",
    "put": "add",
    "least": "min_content_width",
    "steer": "on_direction",
    "point": "on_drag",
    "wheel": "on_wheel",
}
BOX = {"place": "absolute_position", "left": "visible_children", "dirty": "mark_changed"}
THEME = {
    "size": "font_size",
    "muted": "disabled",
    "hot": "hover",
    "down": "pressed",
    "shade": "overlay",
    "hot_skin": "hover_skin",
    "down_skin": "pressed_skin",
}
BUTTONS = {"pressed": "presses", "released": "releases"}
CONTEXTS = {"turn_on": "enable", "turn_off": "disable", "is_on": "is_enabled"}
TESTING = {"tilt": "move_stick", "squeeze": "pull_trigger", "plug": "connect"}
ATTRIBUTES: list[tuple[str, Callable[[fw.Game], Any], dict[str, str]]] = [
    ("keys", lambda game: game.keys, BUTTONS),
    ("mouse", lambda game: game.mouse, BUTTONS),
    ("pad", lambda game: game.pads[0], BUTTONS | {"lean": "move_stick", "pull": "pull_trigger"}),
    ("actions", lambda game: fw.Actions(jump="space"), BUTTONS | CONTEXTS),
    ("widget", lambda game: fw.Widget(), WIDGET),
    ("button", lambda game: fw.widgets.Button(), {"pressed": "on_press"}),
    (
        "text_label",
        lambda game: LABEL,
        {"letter_size": "current_font_size", "letters": "font_size", "write": "paint_text"},
    ),
    (
        "field",
        lambda game: fw.widgets.TextField(),
        {"entered": "on_submit", "edited": "on_edit", "enter": "submit"},
    ),
    ("box", lambda game: fw.Widget().box, BOX),
    ("group", lambda game: game.ui.column(), {"bar": "progress_bar"}),
    ("theme", lambda game: fw.Theme(), THEME),
    ("audio", lambda game: game.audio, {"groups": "buses"}),
    ("voice", lambda game: SOUND.play(), {"group": "bus"}),
    ("sound", lambda game: SOUND, {"seconds": "duration"}),
    ("testing", lambda game: game.testing, TESTING | {"unplug": "disconnect"}),
]


@pytest.mark.parametrize(("owner", "get", "names"), ATTRIBUTES)
def test_an_old_attribute_raises_an_error_with_the_new_name(
    game: fw.Game, owner: str, get: Callable[[fw.Game], Any], names: dict[str, str]
) -> None:
    subject = get(game)
    declared = {
        name
        for kind in type(subject).__mro__
        for name, value in vars(kind).items()
        if isinstance(value, Moved) and value.owner == owner
    }
    assert declared == {*names}
    for old, new in names.items():
        with pytest.raises(AttributeError, match=rf"^{owner}\.{old}: renamed to {owner}\.{new} "):
            getattr(subject, old)
        assert hasattr(type(subject), new) or hasattr(subject, new)
        assert old not in dir(subject)


OPTIONS: list[tuple[str, str, str, Callable[[fw.Game], Any]]] = [
    ("Gamepad.rumble", "seconds", "duration", lambda game: game.pads[0].rumble),
    ("Button", "pressed", "on_press", lambda game: fw.widgets.Button),
    ("TextLabel", "size", "font_size", lambda game: fw.widgets.Button),
    ("TextField", "entered", "on_submit", lambda game: game.ui.column().text_field),
    ("TextField", "edited", "on_edit", lambda game: fw.widgets.TextField),
    ("Slider", "low", "min_value", lambda game: partial(fw.widgets.Slider, "Music")),
    ("Slider", "high", "max_value", lambda game: partial(game.ui.column().slider, "Music")),
    *[("Theme", old, new, lambda game: fw.Theme) for old, new in THEME.items()],
    *[("Theme", old, new, lambda game: fw.Theme().with_) for old, new in THEME.items()],
    ("Sound.play", "group", "bus", lambda game: SOUND.play),
    ("Sound.tone", "seconds", "duration", lambda game: fw.Sound.tone),
    ("Actions.context", "on", "enabled", lambda game: fw.Actions(jump="space").context),
]


@pytest.mark.parametrize(("function", "old", "new", "get"), OPTIONS)
def test_an_old_option_raises_an_error_with_the_new_name(
    game: fw.Game, function: str, old: str, new: str, get: Callable[[fw.Game], Any]
) -> None:
    call = get(game)
    with pytest.raises(TypeError, match=rf"^{function}\({old}=…\): renamed to {new}= "):
        call(**{old: None})


@pytest.mark.parametrize(("old", "new"), [("Pad", "Gamepad"), ("Pads", "Gamepads")])
def test_an_old_class_raises_an_error_with_the_new_name(old: str, new: str) -> None:
    with pytest.raises(AttributeError, match=f"^{old}: renamed to {new} "):
        getattr(fw, old)
    assert hasattr(fw, new)


def test_an_old_widget_class_raises_an_error_with_the_new_name() -> None:
    with pytest.raises(AttributeError, match=r"^widgets\.Bar: renamed to widgets\.ProgressBar "):
        _ = fw.widgets.Bar  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("least", "min_content_width"),
        ("steer", "on_direction"),
        ("point", "on_drag"),
        ("wheel", "on_wheel"),
    ],
)
def test_an_old_hook_raises_an_error_with_the_new_name(old: str, new: str) -> None:
    with pytest.raises(TypeError, match=rf"^Dial\.{old}: renamed to {new} "):
        type("Dial", (fw.Widget,), {old: lambda self: 0})
