"""Names that moved in input, audio and widgets: the old name raises an error with the new one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import framework as fw
from framework.moved_names import Moved


@pytest.fixture(scope="module")
def game() -> Iterator[fw.Game]:
    with fw.Game(headless=True, size=(320, 240)) as game:
        yield game


SOUND = fw.Sound.of([0.0, 0.5])
BUTTONS = {"pressed": "presses", "released": "releases"}
CONTEXTS = {"turn_on": "enable", "turn_off": "disable", "is_on": "is_enabled"}
TESTING = {"tilt": "move_stick", "squeeze": "pull_trigger", "plug": "connect"}
ATTRIBUTES: list[tuple[str, Callable[[fw.Game], Any], dict[str, str]]] = [
    ("keys", lambda game: game.keys, BUTTONS),
    ("mouse", lambda game: game.mouse, BUTTONS),
    ("pad", lambda game: game.pads[0], BUTTONS | {"lean": "move_stick", "pull": "pull_trigger"}),
    ("actions", lambda game: fw.Actions(jump="space"), BUTTONS | CONTEXTS),
    ("audio", lambda game: game.audio, {"groups": "buses"}),
    ("voice", lambda game: SOUND.play(), {"group": "bus"}),
    ("sound", lambda game: SOUND, {"seconds": "duration"}),
    ("testing", lambda game: game.testing, TESTING | {"unplug": "disconnect"}),
]


@pytest.mark.parametrize(("owner", "get", "names"), ATTRIBUTES)
def test_an_old_attribute_says_the_new_one(
    game: fw.Game, owner: str, get: Callable[[fw.Game], Any], names: dict[str, str]
) -> None:
    thing = get(game)
    declared = [
        name
        for kind in type(thing).__mro__
        for name, v in vars(kind).items()
        if isinstance(v, Moved)
    ]
    assert sorted(declared) == sorted(names)
    for old, new in names.items():
        with pytest.raises(AttributeError, match=rf"^{owner}\.{old}: renamed to {owner}\.{new} "):
            getattr(thing, old)
        assert hasattr(thing, new)
        assert old not in {*dir(thing), *dir(type(thing))}


OPTIONS: list[tuple[str, str, str, Callable[[fw.Game], Any]]] = [
    ("Gamepad.rumble", "seconds", "duration", lambda game: game.pads[0].rumble),
    ("Sound.play", "group", "bus", lambda game: SOUND.play),
    ("Sound.tone", "seconds", "duration", lambda game: fw.Sound.tone),
    ("Actions.context", "on", "enabled", lambda game: fw.Actions(jump="space").context),
]


@pytest.mark.parametrize(("function", "old", "new", "get"), OPTIONS)
def test_an_old_option_says_the_new_one(
    game: fw.Game, function: str, old: str, new: str, get: Callable[[fw.Game], Any]
) -> None:
    call = get(game)
    with pytest.raises(TypeError, match=rf"^{function}\({old}=…\): renamed to {new}= "):
        call(**{old: None})


@pytest.mark.parametrize(("old", "new"), [("Pad", "Gamepad"), ("Pads", "Gamepads")])
def test_an_old_class_says_the_new_one(old: str, new: str) -> None:
    with pytest.raises(AttributeError, match=f"^{old}: renamed to {new} "):
        getattr(fw, old)
    assert hasattr(fw, new)
