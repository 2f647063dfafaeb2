"""Music against a model in plain Python: random calls in ticks that also run again.

The model is a play head. It moves by the length of a tick in each tick in which the music plays, and
has no clocks, samples or corrections.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import framework as fw

pytestmark = pytest.mark.usefixtures("no_open_game")

Make = Callable[..., Any]
Call = tuple[Any, ...]
SOUNDS = {seconds: fw.Sound.of(np.zeros(seconds * 48_000)) for seconds in (2, 40)}


@dataclass(frozen=True)
class Head:
    """The state of the model. Positions are in seconds."""

    position: Fraction = Fraction(0)
    first_beat: Fraction | None = None
    beat_seconds: Fraction = Fraction(1)
    sound: int = 0
    loops: bool = False
    paused: bool = False
    moving: int = 0
    """The number of ticks for which paused music still moves, until it is silent."""
    interrupted: int = 0
    """`moving` before the pause was ended in this tick."""
    begins: bool = True
    """Whether the music begins in this tick, or continues after silence."""

    @property
    def beat(self) -> float:
        if self.first_beat is None:
            return 0.0
        return float((self.position - self.first_beat) / self.beat_seconds)

    def tick(self, dt: Fraction) -> Head:
        moves = not self.paused or self.moving > 0
        return replace(
            self,
            position=self.position + (dt if moves else 0),
            moving=max(0, self.moving - 1),
            interrupted=0,
            begins=False,
        )

    def call(self, name: str, *values: Any, fade: int) -> Head:
        if name == "play":
            sound, bpm, start, loops = values
            return Head(Fraction(start), Fraction(0), Fraction(60, bpm), sound, loops)
        if name == "stop":
            return Head()
        if name == "pause" and not self.paused:
            moving = self.interrupted or (0 if self.begins or not self.sound else fade)
            return replace(self, paused=True, moving=moving)
        if name == "resume" and self.paused:
            begins = self.begins or not self.moving
            return replace(self, paused=False, begins=begins, moving=0, interrupted=self.moving)
        if name == "seek" and (not self.sound or values[0] <= self.sound):
            return replace(self, position=Fraction(values[0]))
        if name == "clock":
            first_beat = self.position if self.sound else Fraction(0)
            head = self if self.sound else Head()
            return replace(head, first_beat=first_beat, beat_seconds=Fraction(60, values[0]))
        return self


def random_call(chance: random.Random) -> Call:
    name = chance.choice(["play", "stop", "pause", "pause", "resume", "resume", "seek", "clock"])
    if name == "play":
        sound = chance.choice([*SOUNDS])
        return name, sound, chance.choice([60, 120]), chance.choice([0, 1]), chance.random() < 0.5
    if name == "seek":
        return name, chance.choice([0, 1, 2, 20])
    return (name, chance.choice([90, 128])) if name == "clock" else (name,)


class Song(fw.Game):
    not_state = ("plan",)

    def __init__(self, **options: Any) -> None:
        self.plan: dict[int, list[Call]] = {}
        super().__init__(**options)

    def setup(self) -> None:
        self.beat = 0.0

    def update(self, dt: float) -> None:
        music = self.audio.music
        for name, *values in self.plan.get(self.tick, []):
            if name == "play":
                sound, bpm, start, loops = values
                music.play(SOUNDS[sound], bpm=bpm, start=start, loop=loops)
            elif name == "stop":
                music.stop()
            elif name == "clock":
                music.start_clock(values[0])
            elif name in ("pause", "resume"):
                music.paused = name == "pause"
            else:
                try:
                    music.seek(values[0])
                except ValueError:  # the position is after the end of the sound
                    played: Any = None if music.voice is None else music.voice.sound
                    assert played is None or values[0] > played.duration
        self.beat = music.beat


class Session:
    """A game and its model, which run the same calls."""

    def __init__(self, game: Any, chance: random.Random) -> None:
        self.game = game
        self.chance = chance
        self.dt = 1 / Fraction(game.timestep.rate)
        self.fade = math.ceil(Fraction(240, 48_000) / self.dt)
        self.known = 0  # the latest tick that has run
        self.settled = 0  # the tick from which on a paused voice is silent after a correction

    def head(self, tick: int) -> Head:
        head = Head()
        for number in range(1, tick + 1):
            head = head.tick(self.dt)
            for name, *values in self.game.plan.get(number, []):
                head = head.call(name, *values, fade=self.fade)
        return head

    def run(self, ticks: int) -> None:
        for _ in range(ticks):
            tick = self.game.tick + 1
            if tick > self.known and self.chance.random() < 0.3:
                count = self.chance.randint(1, 3)
                self.game.plan[tick] = [random_call(self.chance) for _ in range(count)]
            self.game.run_ticks(1)
            head = self.head(tick)
            assert self.game.beat == pytest.approx(head.beat, abs=1e-9)
            assert self.game.audio.music.paused is head.paused
            if tick >= self.known:
                self.known = tick
                self.check_voice(head)

    def check_voice(self, head: Head) -> None:
        voice = self.game.audio.music.voice
        ends = head.sound and not head.loops and head.position > head.sound - 3 * self.dt
        if not head.sound or ends:
            assert voice is None or ends
            return
        assert voice.sound is SOUNDS[head.sound]
        assert voice.paused is head.paused
        moves = head.paused and (head.moving or self.game.tick < self.settled)
        error = voice.seconds - float(head.position)
        if head.loops:
            error = (error + head.sound / 2) % head.sound - head.sound / 2
        assert abs(error) < 1e-4 + (float(self.dt) * (self.fade + 1) if moves else 0)

    def correct(self, back: int) -> None:
        """Return to an earlier tick, and run the same ticks again, some with other calls."""
        self.run(back)
        saved = self.game.snapshot()
        first = self.game.tick
        self.run(back)
        last = self.game.tick
        self.game.restore(saved)
        for tick in range(first + 1, last + 1):
            if self.chance.random() < 0.15:
                self.game.plan[tick] = [random_call(self.chance)]
        self.settled = last + self.fade + 2
        self.run(last - first)

    def rewind(self, back: int) -> None:
        """Return to an earlier tick, and continue with other ticks."""
        rewind = self.game.recording.rewind
        tick = max(rewind.ticks.start, self.game.tick - back)
        rewind.seek(tick)
        rewind.resume()
        self.game.plan = {old: calls for old, calls in self.game.plan.items() if old <= tick}
        self.known = tick
        self.settled = tick + self.fade + 2


@pytest.mark.parametrize("rate", [60, 240, Fraction(1000, 7)])
@pytest.mark.parametrize("seed", range(2))
def test_music_has_the_beats_and_positions_of_a_simple_model(
    make: Make, rate: Any, seed: int
) -> None:
    chance = random.Random(seed)
    game = make(Song, headless=True, drawing=False, tick_rate=rate)
    game.recording.rewind = fw.Rewind()
    session = Session(game, chance)
    for _ in range(12):
        session.run(chance.randint(1, 8))
        if chance.random() < 0.5:
            session.correct(chance.randint(1, 8))
        else:
            session.run(2)  # after a restore, a `Rewind` stores ticks from its beginning
            session.rewind(chance.randint(1, 20))
            if session.head(game.tick).first_beat is None:
                # Without a beat clock, a rewind does not move the music.
                game.plan[game.tick + 1] = [("play", 40, 120, 0, True)]
                session.run(1)
