"""Names that authors of card games and tower defenses try first: each error says what to write."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest

import framework as fw

PACKAGE: Any = fw
"""The package, without the checks of types."""


class Table(fw.Game):
    def setup(self) -> None:
        self.card = self.sprites.add(fw.art.ship)
        self.menu = self.ui.column()


GUESSES: list[tuple[Callable[[Any], object], str]] = [
    *[
        (guess, "batch.pick(self.camera.screen_to_world(self.mouse.position))")
        for guess in (
            lambda game: game.card.collidepoint((1, 2)),
            lambda game: game.card.draggable,
            lambda game: game.mouse.hovers(game.card),
            lambda game: PACKAGE.Draggable,
        )
    ],
    (lambda game: game.card.bring_to_front(), "sprite.layer = 1"),
    (lambda game: game.sprites.nearest((1, 2)), "np.hypot"),
    (lambda game: PACKAGE.collide.at((1, 2)), "batch.pick((x, y))"),
    (lambda game: PACKAGE.turn_towards, "docs/plane.md"),
    (lambda game: PACKAGE.paths.PathFollow2D, "docs/plane.md"),
    (lambda game: PACKAGE.UndoStack, "self.saves.unpack"),
    (lambda game: PACKAGE.MOUSE_BUTTON_RIGHT, "write fw.mouse.RIGHT, or self.mouse['right']"),
    (lambda game: PACKAGE.MOUSE_LEFT_BUTTON, "write fw.mouse.LEFT, or self.mouse['left']"),
    (lambda game: PACKAGE.MOUSE_MOTION, "write self.mouse['left']"),
    (lambda game: PACKAGE.Options, "write saved = ('score',) in the class, then game.save("),
    (lambda game: game.mouse.double_clicked("left"), "double:mouse:left"),
    (lambda game: game.keys["+"], "did you mean 'plus'?"),
    (lambda game: game.keys.just_pressed("ctrl+z"), "fw.Actions(undo=['ctrl+z'])"),
    (lambda game: game.pads[0]["cross"], "did you mean 'a'?"),
    (lambda game: game.testing.right_click(1, 2), "game.testing.click(x, y, 'right')"),
    (lambda game: game.menu.button("Go", print, hotkey="1"), "did you mean action?"),
    (lambda game: game.tween(game.card, x=3, ease="ease_out"), "did you mean 'out_quad'?"),
    (lambda game: game.tween(game.card, x=3, ease="easeInOutSine"), "did you mean 'in_out_sine'?"),
    (lambda game: game.saves.write("scores", {}), "game.saves.path() / 'scores.json'"),
    (lambda game: game.resume(), "game.timestep.paused = False"),
]


@pytest.mark.parametrize("number", range(len(GUESSES)))
def test_a_guessed_name_leads_to_the_right_call(number: int) -> None:
    guess, words = GUESSES[number]
    with Table(drawing=False) as game:
        with pytest.raises((AttributeError, KeyError, TypeError, ValueError)) as raised:
            guess(game)
        assert words in str(raised.value)


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("on_mouse_double_click", "double:mouse:left"),
        ("on_drag", "on_mouse_drag"),
        ("on_window_resize", "on_resize"),
        ("on_drop", "on_file_drop"),
    ],
)
def test_a_method_that_nothing_calls_warns(method: str, words: str) -> None:
    kind = type("Cards", (fw.Game,), {method: lambda self, *arguments: None})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with kind(drawing=False) as game:
            game.run_ticks(1)
    assert any(words in str(warning.message) for warning in caught)
