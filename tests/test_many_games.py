"""Several games in one process: created, used and deleted during frames of other games, and in
other threads.
"""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pictures import blob

import framework as fw
from framework.game.window import abandoned

Make = Callable[..., Any]
WHITE = np.full((8, 8, 4), 255, np.uint8)


class Square(fw.Game):
    """A game with one white square."""

    def setup(self) -> None:
        self.square = self.sprites.add(WHITE, position=(32, 32))


def white_pixels(game: Any) -> int:
    """Return the number of white pixels in the game's image."""
    return int((game.pixels()[..., :3] == 255).all(axis=2).sum())


# -- games that are not closed ---------------------------------------------------------------------


class Collects(fw.Game):
    """A game that deletes another game without closing it, and collects garbage, at a chosen
    moment of a frame.
    """

    moment = "update"

    def setup(self) -> None:
        self.square = self.sprites.add(WHITE, position=(32, 32))

    def collect(self, moment: str) -> None:
        if moment == self.moment and self.tick == 2:
            Square(headless=True, size=(64, 64)).advance(1 / 60)
            gc.collect()

    def update(self, dt: float) -> None:
        self.collect("update")
        if self.tick == 2:
            self.sprites.add(blob(), position=(10, 10))
            self.square.teleport((40, 32))

    def draw(self, alpha: float) -> None:
        self.collect("draw")


@pytest.mark.parametrize("moment", ["update", "draw"])
def test_the_collection_of_another_game_does_not_change_the_frame(make: Make, moment: str) -> None:
    plain = make(Collects, size=(64, 64))
    plain.moment = "never"
    game = make(Collects, size=(64, 64))
    game.moment = moment
    for _ in range(4):
        plain.advance(1 / 60)
        expected = plain.pixels()
        game.advance(1 / 60)
        assert (game.pixels() == expected).all()
        assert game.picture.ctx.error == "GL_NO_ERROR"


def test_a_collection_between_any_two_calls_of_a_frame_does_not_change_the_image(
    make: Make,
) -> None:
    game = make(Square, size=(64, 64))
    game.advance(1 / 60)
    moments = 0
    gc.disable()
    try:
        # every seventh call, because each test needs a game and a collection
        for moment in range(0, 200, 7):
            Square(headless=True, size=(64, 64))
            calls = 0

            def profile(frame: Any, event: str, argument: object, moment: int = moment) -> None:
                nonlocal calls, moments
                calls += event == "call"
                if event == "call" and calls == moment + 1:
                    sys.setprofile(None)
                    gc.collect()
                    moments += 1

            sys.setprofile(profile)
            try:
                game.advance(1 / 60)
            finally:
                sys.setprofile(None)
            assert white_pixels(game) == 64, moment
            if calls <= moment:
                break
    finally:
        gc.enable()
    assert moments > 10


def test_unclosed_games_are_closed_before_a_frame_or_another_game(make: Make) -> None:
    released = []

    class Noted:
        def release(self) -> None:
            released.append(threading.get_ident())

    def forget() -> None:
        Square(headless=True, size=(64, 64)).add_subsystem(Noted())

    def collect() -> None:
        for _ in range(
            10_000
        ):  # while any thread collects garbage, another collection returns at once
            thread = threading.Thread(target=gc.collect)
            thread.start()
            thread.join()
            if abandoned:
                break

    game = make(Square, size=(64, 64))
    gc.collect()
    game.advance(1 / 60)  # closes games that other tests left open
    forget()
    collect()
    assert len(abandoned) == 1
    assert not released
    game.advance(1 / 60)
    assert not abandoned
    forget()
    collect()
    make(Square, size=(64, 64))
    assert released == [threading.get_ident()] * 2
    assert white_pixels(game) == 64


def test_many_unclosed_games_draw_correctly() -> None:
    for number in range(30):
        game = Square(headless=True, size=(64, 64), background=(0, 0, 0))
        for _ in range(5):
            game.advance(1 / 60)
            assert white_pixels(game) == 64, number


# -- a game during a frame of another game ---------------------------------------------------------


class Uses(fw.Game):
    """A game that uses another game in setup, an event, update and draw.

    Sprites added afterwards must be drawn.
    """

    def __init__(self, use: Callable[[], object]) -> None:
        self.use = use
        self.used = 0
        super().__init__(headless=True, size=(64, 64), background=(0, 0, 0))

    def setup(self) -> None:
        self.square = self.sprites.add(WHITE, position=(32, 32))
        self.do()

    def do(self) -> None:
        self.use()
        self.used += 1
        added = self.add(fw.SpriteBatch(WHITE, 1))
        added.position[:] = (12 * self.used, 10)

    def update(self, dt: float) -> None:
        if self.tick == 3:
            self.do()

    def draw(self, alpha: float) -> None:
        if self.tick == 4:
            self.do()

    def on_key_press(self, symbol: int, modifiers: int) -> bool:
        self.do()
        return True


def use_other_game(other: Any, action: str) -> object:
    if action == "make":
        return Square(headless=True, size=(32, 32))
    if action == "with":
        with Square(headless=True, size=(32, 32)) as game:
            game.advance(1 / 60)
        return None
    if action == "fail":
        with pytest.raises(ValueError, match="seed"):
            fw.Game(headless=True, seed=-1)
        return None
    if action == "overlay":
        other.debug.overlay = True
    elif action == "add":
        other.add(fw.SpriteBatch(WHITE, 1))
    elif action == "push":
        other.push(fw.Scene())
    elif action == "discard":
        other.remove(other.sprites)
    elif action == "advance":
        other.advance(1 / 60)
    elif action == "run":
        other.run(2)
    else:
        getattr(other, action)()
    return None


HOW = [
    "make",
    "with",
    "fail",
    "overlay",
    "add",
    "push",
    "discard",
    "advance",
    "run",
    "pixels",
    "close",
]


@pytest.mark.parametrize("how", HOW)
def test_another_game_can_be_created_and_used_in_all_callbacks(make: Make, how: str) -> None:
    others = [make(Square, size=(48, 48)) for _ in range(4 if how == "close" else 1)]
    for other in others:
        other.advance(1 / 60)
    results: list[object] = []
    with Uses(
        lambda: results.append(use_other_game(others[len(results) % len(others)], how))
    ) as game:
        for used, visible in (
            (1, 1),
            (2, 2),
            (3, 3),
            (4, 3),
            (4, 4),
        ):  # sprites added in draw are drawn in the next frame
            if game.tick == 1:
                game.display.window.dispatch_event("on_key_press", 97, 0)
            game.advance(1 / 60)
            assert game.picture.ctx.error == "GL_NO_ERROR"
            assert len(results) == used
            assert white_pixels(game) == 64 * (1 + visible)
    if how == "make":
        for game_to_close in results:
            game_to_close.close()  # type: ignore[attr-defined]


# -- other threads ---------------------------------------------------------------------------------


def in_thread(function: Callable[[], object]) -> BaseException | None:
    """Return the exception that ends ``function`` in another thread, or None."""
    errors: list[BaseException] = []

    def guarded() -> None:
        try:
            function()
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=guarded)
    thread.start()
    thread.join()
    return errors[0] if errors else None


def test_threads_make_draw_and_close_their_own_games_at_the_same_time() -> None:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)  # threads interrupt each other often
    barrier = threading.Barrier(3)
    results: list[object] = []

    def play() -> None:
        for _ in range(8):
            barrier.wait(60)
            try:
                with Square(headless=True, size=(64, 64)) as game:
                    game.advance(1 / 60)
                    results.append(white_pixels(game))
            except BaseException as error:  # the other threads must not wait forever
                results.append(error)

    threads = [threading.Thread(target=play) for _ in range(3)]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert results == [64] * 24


def test_calls_from_other_threads_are_refused_and_change_nothing(
    make: Make,
) -> None:
    game = make(Square, size=(64, 64))
    label = game.labels.add("", (5, 5))
    game.advance(1 / 60)
    before = game.pixels()
    for use in (
        lambda: setattr(label, "text", "ready"),
        lambda: game.labels.add("ready", (5, 5)),
        lambda: game.add(fw.SpriteBatch(WHITE, 1)),
        lambda: game.sprites.add(blob()),
        lambda: game.push(fw.Scene()),
        lambda: game.pixels(),
        lambda: game.advance(1 / 60),
        lambda: game.run(1),
        lambda: setattr(game.debug, "overlay", True),
        lambda: game.remove(game.sprites),
        lambda: game.close(),
    ):
        error = in_thread(use)
        assert isinstance(error, fw.FrameworkError)
        assert str(error).startswith("wrong thread: ")
        assert "call_soon" in str(error)
    game.advance(1 / 60)
    assert (game.pixels() == before).all()
    label.text = "ready"
    game.advance(1 / 60)
    assert (game.pixels() != before).any()


def test_call_soon_calls_in_the_games_thread_before_the_next_tick(
    make: Make,
) -> None:
    calls: list[tuple[str, int]] = []

    class Recording(Square):
        def update(self, dt: float) -> None:
            calls.append(("update", threading.get_ident()))

    game = make(Recording, size=(64, 64))
    label = game.labels.add("", (5, 5))

    def record() -> None:
        label.text = "ready"
        calls.append(("call", threading.get_ident()))
        game.call_soon(lambda: calls.append(("later", threading.get_ident())))

    assert in_thread(lambda: game.call_soon(record)) is None
    assert not calls
    game.advance(1 / 60)
    own = threading.get_ident()
    assert calls == [("call", own), ("update", own)]
    game.advance(1 / 60)
    assert calls[2:] == [("later", own), ("update", own)]
    assert label.size[0] > 0
    with pytest.raises(TypeError, match="function: expected a function"):
        game.call_soon("say")
    assert in_thread(lambda: game.call_soon(record)) is None
    calls.clear()
    second_game = make(Recording, size=(8, 8))  # another game's ticks do not call the functions
    second_game.run_ticks(1)
    assert calls.pop() == ("update", own)
    assert not calls
    game.run_ticks(3)  # without frames, each call comes before the next tick
    assert [name for name, _ in calls] == ["call", "update", "later", "update", "update"]
    game.call_soon(lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        game.run_ticks(1)
    game.call_soon(lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        game.advance(1 / 60)
    game.close()
    with pytest.raises(fw.FrameworkError, match="closed"):
        game.call_soon(record)
