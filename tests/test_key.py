"""Names and numbers of keys and mouse buttons are those of pyglet."""

from __future__ import annotations

from typing import Any

import pytest

import framework as fw
from framework.input.key import key_names


@pytest.fixture(scope="module")
def pyglet_window() -> Any:
    from framework.game.window import prepare

    prepare(headless=True)
    from pyglet import window

    return window


def constants(module: Any) -> dict[str, int]:
    return {
        name: value
        for name, value in vars(module).items()
        if name.upper() == name and isinstance(value, int)
    }


def test_every_key_has_pyglets_name_and_number(pyglet_window: Any) -> None:
    assert constants(fw.key) == constants(pyglet_window.key)
    assert len(constants(fw.key)) > 150


def test_the_buttons_of_the_mouse_have_pyglets_names_and_numbers(pyglet_window: Any) -> None:
    assert constants(pyglet_window.mouse).items() <= constants(fw.mouse).items()
    for buttons in range(32):
        assert fw.mouse.buttons_string(buttons) == pyglet_window.mouse.buttons_string(buttons)


def test_numbers_have_the_names_of_pyglet(pyglet_window: Any) -> None:
    for symbol in [*constants(pyglet_window.key).values(), 1 << 20]:
        assert fw.key.symbol_string(symbol) == pyglet_window.key.symbol_string(symbol)
        assert fw.key.motion_string(symbol) == pyglet_window.key.motion_string(symbol)
    without_windows = [
        bits for bits in range(1024) if not bits & fw.key.MOD_WINDOWS
    ]  # pyglet omits this modifier
    for modifiers in without_windows:
        names, pyglets_names = (
            module.modifiers_string(modifiers) for module in (fw.key, pyglet_window.key)
        )
        assert {*names.split("|")} == {*pyglets_names.split("|")}
    assert fw.key.modifiers_string(fw.key.MOD_WINDOWS) == "MOD_WINDOWS"


def test_key_names_contain_only_keys() -> None:
    names = key_names()
    assert (names["SPACE"], names["A"], names["1"]) == (32, 97, 49)
    assert not [name for name in names if name.startswith(("MOD_", "MOTION_", "_"))]
    with pytest.raises(TypeError):
        names["SPACE"] = 1  # type: ignore[index]
