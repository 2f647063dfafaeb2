"""GameTesting: keys by name, clicks, typed text, several players, and any input events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import framework as fw

Make = Callable[..., Any]


class Notes(fw.Game):
    """A game that stores each event that reaches a method, with its tick."""

    def setup(self) -> None:
        self.received: list[Any] = []
        self.seen: list[Any] = []

    def update(self, dt: float) -> None:
        self.seen.append([player.keys.presses("space") for player in self.players])

    def on_key_press(self, symbol: int, modifiers: int) -> None:
        self.received.append((self.tick, "press", symbol))

    def on_key_release(self, symbol: int, modifiers: int) -> None:
        self.received.append((self.tick, "release", symbol))

    def on_text(self, text: str) -> None:
        self.received.append((self.tick, "text", text))

    def on_mouse_press(self, x: float, y: float, button: int, modifiers: int) -> None:
        self.received.append((self.tick, "click", x, y, button))

    def on_mouse_scroll(self, x: float, y: float, dx: float, dy: float) -> None:
        self.received.append((self.tick, "scroll", x, y, dx, dy))


def test_a_key_pressed_by_name_is_like_a_key_of_the_window(make: Make) -> None:
    game = make(Notes)
    game.testing.press("space")
    game.advance(1 / 60)
    assert (game.keys["space"], game.keys.presses("space")) == (True, 1)
    game.advance(1 / 60)
    assert (game.keys["space"], game.keys.presses("space")) == (True, 0)
    game.testing.release("SPACE")
    game.advance(1 / 60)
    assert (game.keys["space"], game.keys.releases(32)) == (True, 1)
    game.advance(1 / 60)
    assert not game.keys["space"]
    assert game.received == [(1, "press", 32), (3, "release", 32)]


def test_an_unknown_name_is_an_error_with_the_nearest_name(make: Make) -> None:
    with pytest.raises(ValueError, match=r"'spcae'.*space"):
        make(Notes).testing.press("spcae")


@pytest.mark.parametrize("options", [{}, {"resolution": (50, 50)}, {"pixel_ratio": 2.0}])
def test_a_click_is_in_units_of_the_game(make: Make, options: Any) -> None:
    game = make(Notes, **options)
    game.testing.click(12.3, 45)
    game.testing.click(1, 2, "right")
    game.advance(1 / 60)
    assert game.received == [(1, "click", 12.3, 45.0, 1), (1, "click", 1.0, 2.0, 4)]
    assert (game.mouse.position, game.mouse.presses("left"), game.mouse.releases("right")) == (
        (1, 2),
        1,
        1,
    )


def test_typing_sends_keys_and_text(make: Make) -> None:
    game = make(Notes)
    game.testing.type("aB é\n1")
    game.advance(1 / 60)
    a = ord("a")
    b = ord("b")
    digit = ord("1")
    enter = fw.key.RETURN
    typed = [
        ("press", a),
        ("text", "a"),
        ("release", a),
        ("press", b),
        ("text", "B"),
        ("release", b),
        ("press", 32),
    ]
    typed += [
        ("text", " "),
        ("release", 32),
        ("text", "é"),
        ("press", enter),
        ("text", "\r"),
        ("release", enter),
    ]
    typed += [("press", digit), ("text", "1"), ("release", digit)]
    assert [event[1:] for event in game.received] == typed


def test_each_player_has_keys_and_the_keys_of_the_first_are_the_keys_of_the_game(
    make: Make,
) -> None:
    game = make(Notes, players=3)
    assert game.players[0].keys is game.keys
    assert game.players[0].mouse is game.mouse
    game.testing.press("space", player=2)
    game.advance(1 / 60)
    game.testing.press("space")
    game.testing.press("space", player=1)
    game.testing.click(3, 4, player=1)
    game.advance(1 / 60)
    assert game.seen == [[0, 0, 1], [1, 1, 0]]
    assert game.players[1].mouse.position == (3, 4)
    # methods receive only the events of the window's player
    assert game.received == [(2, "press", 32)]
    with pytest.raises(ValueError, match="player"):
        game.testing.press("space", player=3)


def test_the_next_tick_receives_fed_events(make: Make) -> None:
    game = make(Notes, players=2)
    events = [
        ("on_key_press", 32, 0),
        ("player", 1),
        ("on_key_press", 32, 0),
        ("player", 0),
        ("on_mouse_scroll", 9, 8, 0, 1),
    ]
    game.testing.feed(events)
    game.advance(1 / 60)
    assert game.seen == [[1, 1]]
    assert game.received == [(1, "press", 32), (1, "scroll", 9, 8, 0, 1)]
    assert all(type(number) is float for number in game.received[1][2:])
    game.testing.feed(fw.TickInput((("on_key_release", 32, 0),)))
    game.advance(1 / 60)
    assert game.keys.releases("space") == 1
    with pytest.raises(ValueError, match="player"):
        game.testing.feed([("player", 2), ("on_key_press", 32, 0)])


def test_frames_without_a_tick_keep_events_for_the_next_tick(make: Make) -> None:
    game = make(Notes, tick_rate=10)
    game.testing.press("space")
    for _ in range(4):
        game.advance(1 / 50)
    assert game.received == []
    game.advance(1 / 50)
    assert game.received == [(1, "press", 32)]


@pytest.mark.parametrize(
    "call",
    [
        lambda game: game.testing.press("a"),
        lambda game: game.testing.type("a"),
        lambda game: game.testing.feed([]),
    ],
)
def test_a_closed_game_accepts_no_input(make: Make, call: Callable[[Any], object]) -> None:
    game = make(Notes)
    game.close()
    with pytest.raises(fw.FrameworkError, match="closed"):
        call(game)
