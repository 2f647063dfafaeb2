"""The mouse pointer, and typed text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import framework as fw
from framework.game.pointer import CURSORS, Pointer

Make = Callable[..., Any]


class Window:
    """A window that stores all calls."""

    def __init__(self) -> None:
        self.calls: list[Any] = []

    def set_exclusive_mouse(self, exclusive: bool) -> None:
        self.calls.append(("captured", exclusive))

    def set_mouse_visible(self, visible: bool) -> None:
        self.calls.append(("visible", visible))

    def get_system_mouse_cursor(self, name: str) -> str:
        return f"the {name}"

    def set_mouse_cursor(self, cursor: Any) -> None:
        self.calls.append(("cursor", cursor))


def test_settings_of_the_pointer_are_passed_to_the_window() -> None:
    pointer = Pointer()
    pointer.window = window = Window()
    pointer.mouse_captured = True
    pointer.mouse_visible = False
    pointer.mouse_cursor = "hand"
    pointer.mouse_captured = False
    pointer.mouse_cursor = "default"
    calls = [
        ("captured", True),
        ("visible", False),
        ("cursor", "the hand"),
        ("captured", False),
        ("cursor", None),
    ]
    assert window.calls == calls


def test_settings_of_the_pointer_work_without_a_window(make: Make) -> None:
    game = make(fw.Game)
    assert (game.display.mouse_captured, game.display.mouse_visible, game.display.mouse_cursor) == (
        False,
        True,
        "default",
    )
    before = game.state_hash()
    game.display.mouse_captured = True
    game.display.mouse_visible = False
    game.display.mouse_cursor = "crosshair"
    assert (game.display.mouse_captured, game.display.mouse_visible, game.display.mouse_cursor) == (
        True,
        False,
        "crosshair",
    )
    assert game.state_hash() == before
    with pytest.raises(
        ValueError, match=r"mouse_cursor: expected one of 'default', 'crosshair', .*, got 'arrow'"
    ):
        game.display.mouse_cursor = "arrow"


def test_the_cursors_are_the_cursors_of_pyglet() -> None:
    import ast
    from pathlib import Path

    import pyglet

    text = (Path(pyglet.__file__).parent / "window" / "__init__.py").read_text(encoding="utf-8")
    fields = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.AnnAssign)]
    constants = {
        getattr(node.target, "id", ""): getattr(node.value, "value", None) for node in fields
    }
    names = [value for name, value in constants.items() if name.startswith("CURSOR_")]
    assert {*names} == {*CURSORS} - {"default"}


class Names(fw.Game):
    def setup(self) -> None:
        self.name = ""
        self.seen: list[str] = []

    def update(self, dt: float) -> None:
        self.name += self.keys.text
        self.seen.append(self.keys.text)


def test_one_tick_receives_typed_text(make: Make) -> None:
    game = make(Names, tick_rate=60)
    game.testing.type("Zoë\n")
    game.advance(1 / 30)
    game.testing.type("x")
    game.advance(1 / 60)
    game.advance(1 / 60)
    assert game.seen == ["Zoë\r", "", "x", ""]


def test_typed_text_is_restored(make: Make) -> None:
    game = make(Names)
    game.testing.type("ab")
    game.run_ticks()
    snapshot = game.snapshot()
    game.testing.type("c")
    game.run_ticks()
    game.restore(snapshot)
    assert (game.name, game.keys.text) == ("ab", "ab")
    game.run_ticks()
    assert (game.name, game.keys.text) == ("ab", "")
