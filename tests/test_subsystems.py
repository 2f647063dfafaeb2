"""Subsystems: calls at ticks and frames, and release with the game."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import framework as fw
from framework.game.subsystems import Subsystem

Make = Callable[..., Any]


class Noted(fw.Game):
    """A game that notes its updates, its draws and the calls of its subsystems."""

    def __init__(self, **options: Any) -> None:
        self.log: list[str] = []
        super().__init__(**options)

    def update(self, dt: float) -> None:
        self.log.append("update")

    def draw(self, alpha: float) -> None:
        self.log.append("draw")


class Sound(Subsystem):
    def __init__(self, log: list[str]) -> None:
        self.log = log

    def begin_tick(self, tick: Any) -> None:
        self.log.append(f"tick {tick.number} begins")

    def end_tick(self, tick: Any) -> None:
        self.log.append(f"tick {tick.number} ends")

    def frame(self, frame: Any) -> None:
        self.log.append(f"frame of {frame.ticks} ticks")

    def release(self) -> None:
        self.log.append("sound released")


class Ends:
    """A subsystem with only `release`."""

    def __init__(self, log: list[str], name: str) -> None:
        self.log = log
        self.name = name

    def release(self) -> None:
        self.log.append(f"{self.name} released")
        if self.name == "bad":
            raise RuntimeError(self.name)


def test_a_subsystem_is_called_at_ticks_and_frames(make: Make) -> None:
    game = make(Noted, tick_rate=60, frame_rate=30)
    sound = game.add_subsystem(Sound(game.log))
    assert isinstance(sound, Sound)
    game.run(1)
    tick = ["tick 1 begins", "update", "tick 1 ends"]
    assert game.log == [
        *tick,
        *[line.replace("1", "2") for line in tick],
        "draw",
        "frame of 2 ticks",
    ]
    game.log.clear()
    game.advance(0)
    assert game.log == ["draw", "frame of 0 ticks"]


def test_subsystems_are_released_in_reverse_order_even_if_one_fails(make: Make) -> None:
    game = make(Noted)
    for name in ("first", "bad", "last"):
        game.add_subsystem(Ends(game.log, name))
    game.run(1)
    game.log.clear()
    with pytest.raises(RuntimeError, match="bad"):
        game.close()
    assert game.log == ["last released", "bad released", "first released"]
    with pytest.raises(fw.FrameworkError, match="closed"):
        game.add_subsystem(Ends(game.log, "late"))


def test_a_subsystem_without_methods_is_accepted(make: Make) -> None:
    game = make(Noted)
    game.add_subsystem(Subsystem())
    game.run(2)
    game.close()
    assert game.log == ["update", "draw"] * 2


@pytest.mark.parametrize("value", [object(), Sound, None, "sound"])
def test_an_object_without_any_method_of_a_subsystem_is_refused(make: Make, value: Any) -> None:
    game = make(Noted)
    with pytest.raises(
        TypeError,
        match="subsystem: expected an object with one of the methods begin_tick, end_tick",
    ):
        game.add_subsystem(value)
