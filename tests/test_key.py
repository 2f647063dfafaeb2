"""The names of keys and buttons are pyglet's."""

from __future__ import annotations

from typing import Any

import pytest

import framework as fw
from framework.input.key import key_names


@pytest.fixture(scope="module")
def theirs() -> Any:
    """pyglet's own modules, which a window's library comes with."""
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


def test_every_key_has_pyglets_name_and_number(theirs: Any) -> None:
    assert constants(fw.key) == constants(theirs.key)
    assert len(constants(fw.key)) > 150


def test_the_buttons_of_the_mouse_have_pyglets_names_and_numbers(theirs: Any) -> None:
    assert constants(theirs.mouse).items() <= constants(fw.mouse).items()
    for buttons in range(32):
        assert fw.mouse.buttons_string(buttons) == theirs.mouse.buttons_string(buttons)


def test_numbers_are_told_by_their_names(theirs: Any) -> None:
    for symbol in [*constants(theirs.key).values(), 1 << 20]:
        assert fw.key.symbol_string(symbol) == theirs.key.symbol_string(symbol)
        assert fw.key.motion_string(symbol) == theirs.key.motion_string(symbol)
    without_windows = [
        bits for bits in range(1024) if not bits & fw.key.MOD_WINDOWS
    ]  # which pyglet leaves out
    for modifiers in without_windows:
        ours, others = (module.modifiers_string(modifiers) for module in (fw.key, theirs.key))
        assert {*ours.split("|")} == {*others.split("|")}
    assert fw.key.modifiers_string(fw.key.MOD_WINDOWS) == "MOD_WINDOWS"


def test_names_of_keys_are_of_keys_alone() -> None:
    names = key_names()
    assert (names["SPACE"], names["A"], names["1"]) == (32, 97, 49)
    assert not [name for name in names if name.startswith(("MOD_", "MOTION_", "_"))]
    with pytest.raises(TypeError):
        names["SPACE"] = 1  # type: ignore[index]
