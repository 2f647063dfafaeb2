"""Cases: one set of players under one script of frames and input, run in several ways.

Every way must end in the same states and images:

- without drawing, with drawing, and with a `draw()` that reads every attribute of everything
- with a snapshot, some frames, `restore`, and the same frames again
- with other frames after `restore`, while a later snapshot exists, and a restore of that
- without any image before the last one
- built at once in another game, as the players are at the end

After a game is closed, nothing may keep its parts in memory.
"""

from __future__ import annotations

import gc
import random
import traceback
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple
from weakref import ref

import numpy as np
from numpy.typing import NDArray

import framework as fw
from framework.game.driven_game import driven
from framework.input import key
from framework.input.gamepad_layout import quantised

from .copying import copy_scene, copy_world
from .game import SIZE, Company
from .player import Dice

Event = tuple[Any, ...]
EVERY = 30
TICK = Fraction(1, 60)
_AGAIN = 7

_TIMES = (Fraction(1, 60),) * 4 + (Fraction(1, 144),) * 2 + (Fraction(1, 50), Fraction(37, 1000))
_TIMES += (Fraction(1, 1000), Fraction(1, 25))
_KEYS = (
    *(key.TAB, key.UP, key.DOWN, key.LEFT, key.RIGHT, key.ENTER, key.ESCAPE, key.SPACE, key.A),
    *(key.W, key.D, key.BACKSPACE, key.HOME, key.END, key.LSHIFT, key.LCTRL),
)
_CONTROLS = ("a", "b", "x", "start", "leftshoulder", "dpup", "dpdown", "dpleft", "dpright")
_MOTIONS = (
    *(key.MOTION_LEFT, key.MOTION_RIGHT, key.MOTION_UP, key.MOTION_DOWN, key.MOTION_BACKSPACE),
    *(key.MOTION_DELETE, key.MOTION_BEGINNING_OF_LINE, key.MOTION_END_OF_FILE),
    *(key.MOTION_NEXT_PAGE, key.MOTION_PREVIOUS_WORD),
)


class Frame(NamedTuple):
    """One frame of a script: its length, the input before it, and the second game's action."""

    seconds: Fraction
    events: tuple[Event, ...]
    second_game: str


class Failure(AssertionError):
    """A check of a case that failed."""


@dataclass(frozen=True)
class Case:
    """The players of a game, the number of ticks with one operation each, and the seed."""

    names: tuple[str, ...]
    operations: int = 60
    seed: int = 0
    problems: list[str] = field(default_factory=list, compare=False)

    def __str__(self) -> str:
        return f"{' '.join(self.names)} --operations {self.operations} --seed {self.seed}"


def events(chance: random.Random, dice: Dice) -> tuple[Event, ...]:
    """Return the random input of one frame."""
    x = chance.uniform(-5, SIZE[0] + 5)
    y = chance.uniform(-5, SIZE[1] + 5)
    symbol = chance.choice(_KEYS)
    modifiers = chance.choice((0, 0, key.MOD_SHIFT, key.MOD_CTRL))
    control = chance.choice(_CONTROLS)
    button = chance.choice((1, 1, 4, 2))
    kinds: tuple[tuple[Event, ...], ...] = (
        (),
        (("on_key_press", symbol, modifiers), ("on_key_release", symbol, modifiers)),
        (("on_key_press", symbol, modifiers),),
        (("on_key_release", symbol, modifiers),),
        (("on_pad_press", 0, control), ("on_pad_release", 0, control)),
        (("on_pad_press", 0, control),),
        (("on_text", dice.text() or "a"),),
        (("on_text_motion", chance.choice(_MOTIONS)),),
        (("on_mouse_press", x, y, button, 0), ("on_mouse_release", x, y, button, 0)),
        (("on_mouse_press", x, y, button, 0),),
        (("on_mouse_release", x, y, button, 0),),
        (("on_mouse_motion", x, y, 1, 1),),
        (("on_mouse_scroll", x, y, 0, chance.choice((-1, 1))),),
        (("on_deactivate",),),
        (("on_pad_connect", 0, "Pad", chance.choice(("xbox", "generic"))),),
        (("on_pad_disconnect", 0),),
        (("on_pad_stick", 0, "leftstick", *(quantised(chance.uniform(-1, 1)) for _ in "xy")),),
        (("on_pad_trigger", 0, "righttrigger", quantised(chance.random())),),
    )
    return chance.choice(kinds)


def script(case: Case) -> list[Frame]:
    """Return the frames of a case: enough for all its operations."""
    chance = random.Random(f"{case.seed} script")
    dice = Dice(f"{case.seed} text")
    frames: list[Frame] = []
    seconds = Fraction(0)
    while seconds < Fraction(case.operations, 60):
        frame = Frame(
            chance.choice(_TIMES),
            events(chance, dice) if chance.random() < 0.5 else (),
            chance.choice(("make", "draw", "close")) if chance.random() < 0.08 else "",
        )
        frames.append(frame)
        seconds += frame.seconds
    return frames


class SecondGame:
    """Another game in the same process, which is made, drawn and closed between frames."""

    def __init__(self) -> None:
        self.game: Any = None

    def act(self, action: str) -> None:
        if action == "close" or (action == "make" and self.game is not None):
            self.close()
        if action == "make":
            self.game = fw.Game(size=(48, 32), headless=True, frame_stats=False)
            self.game.sprites.add(np.full((5, 5, 4), 200, np.uint8), position=(20, 20))
            self.game.labels.add("Other", (3, 3))
        if action in ("make", "draw") and self.game is not None:
            self.game.advance(Fraction(1, 60))
            self.game.pixels()

    def close(self) -> None:
        if self.game is not None:
            self.game.close()
            self.game = None


class Moment(NamedTuple):
    """The state of a game after one frame."""

    tick: int
    hash: int


def step(game: Company, frame: Frame) -> Moment:
    """Run one frame, check the GPU's error flag, and return the state."""
    if frame.events:
        game.testing.feed([*frame.events])
    game.advance(frame.seconds)
    if game.drawing and game.picture.ctx.error != "GL_NO_ERROR":
        raise Failure(f"a GL error after {last_operation(game)}")
    for player in game.company:
        player.check()
    return Moment(game.tick, game.state_hash())


def last_operation(game: Company) -> str:
    return f"tick {game.tick}, after {game.log[-1] if game.log else 'setup'}"


def plain(case: Case, frames: list[Frame], **options: Any) -> list[Moment]:
    """Run a case without snapshots, and return the state after each frame."""
    with Company(case.names, case.seed, **options) as game:
        return [step(game, frame) for frame in frames]


def looked_at(case: Case, frames: list[Frame]) -> list[Moment]:
    """Run a case with a `draw()` that reads everything, and check that the closed game is freed."""
    with Company(case.names, case.seed, look=True) as game:
        moments = [step(game, frame) for frame in frames]
        references = [ref(game), ref(driven(game).stage)]
    del game
    gc.collect()
    kept = [reference() for reference in references if reference() is not None]
    if kept:
        raise Failure(f"a closed game is kept in memory: {kept}")
    return moments


class Seen(NamedTuple):
    """The state, all its values and the image after a frame."""

    moment: Moment
    values: Any
    image: NDArray[np.uint8]


def seen(game: Company, frames: list[Frame]) -> list[Seen]:
    return [Seen(step(game, frame), game.debug.state_values(), game.pixels()) for frame in frames]


def difference(case: Case, frames: list[Frame], options: dict[str, Any]) -> object:
    """Return the first value that differs in a run without drawing and a run with ``options``."""
    values = []
    for chosen in ({"drawing": False}, options):
        with Company(case.names, case.seed, **chosen) as game:
            for frame in frames:
                step(game, frame)
            values.append(game.debug.state_values())
    return fw.first_difference(*values)


def go_back(game: Company, frames: list[Frame]) -> None:
    """Run ``frames`` after a snapshot, restore it, and run the frames again."""
    snapshot = game.snapshot()
    settings = [player.settings() for player in game.company]
    before = game.debug.state_values()
    frames = [*frames, Frame(Fraction(1, 25), (), "")]  # takes the input that waits for a tick
    first = seen(game, frames)
    go_another_way(game, snapshot, settings, frames)
    restore(game, snapshot, settings)
    changed = fw.first_difference(before, game.debug.state_values())
    if changed is not None:
        raise Failure(f"restore did not bring back the state: {changed}")
    second = seen(game, frames)
    for number, (then, again) in enumerate(zip(first, second, strict=True)):
        where = f"frame {number} after a restore, tick {then.moment.tick}, {game.log[-8:]}"
        if then.moment.tick != again.moment.tick:
            raise Failure(f"{where}: another number of ticks, {again.moment.tick}")
        if then.moment.hash != again.moment.hash:
            changed = fw.first_difference(then.values, again.values)
            raise Failure(f"{where}: another state, {changed}")
        if not remembers_images(game):
            compare_images(then.image, again.image, game, where)
    restore(game, snapshot, settings)


def go_another_way(game: Company, early: Any, settings: list[Any], frames: list[Frame]) -> None:
    """Restore ``early``, run other operations, and come back to the state of now.

    Objects that only the later snapshot holds must not disturb the other way.
    """
    late = game.snapshot()
    late_settings = [player.settings() for player in game.company]
    before = game.debug.state_values()
    restore(game, early, settings)
    for player in game.company:
        player.dice.below(1000)  # the same numbers, but one later
    for frame in frames:
        step(game, frame)
    restore(game, late, late_settings)
    changed = fw.first_difference(before, game.debug.state_values())
    if changed is not None:
        raise Failure(f"a later snapshot did not bring back the state: {changed}")


def restore(game: Company, snapshot: Any, settings: list[Any]) -> None:
    """Restore a snapshot, and what the players keep of the settings that are no state."""
    game.restore(snapshot)
    for player, values in zip(game.company, settings, strict=True):
        player.set(values)


def remembers_images(game: Company) -> bool:
    return any(player.remembers_images for player in game.company)


def compare_images(first: NDArray[Any], second: NDArray[Any], game: Company, where: str) -> None:
    """Raise `Failure` if the images differ by more than the players of ``game`` allow."""
    difference = np.abs(first.astype(int) - second)
    different = (difference > max(player.rounding for player in game.company)).any(axis=-1)
    if different.any():
        count = int(different.sum())
        most = int(difference.max())
        raise Failure(f"{where}: {count} pixels differ, by up to {most}")


def drawn(case: Case, frames: list[Frame], expected: list[Moment]) -> None:
    """Run a case with images, snapshots and a second game; compare with ``expected``."""
    other = SecondGame()
    game = Company(case.names, case.seed)
    history: list[tuple[Frame, int]] = []
    due = waiting = False
    try:
        for number, (frame, moment) in enumerate(zip(frames, expected, strict=True)):
            due = due or number % EVERY == EVERY - 1
            if due and not waiting:  # snapshots do not contain input that waits for a tick
                due = False
                go_back(game, frames[number : number + _AGAIN])
            other.act(frame.second_game)
            before = game.tick
            now = step(game, frame)
            if now != moment:
                changed = difference(case, frames[: number + 1], {})
                raise Failure(f"drawing changes the state, {last_operation(game)}: {changed}")
            waiting = game.tick == before and (waiting or bool(frame.events))
            history.append((frame, game.tick - before))
        compare_with_one_image(case, game, history)
        compare_with_copy(case, game)
    except Exception as error:
        error.add_note(last_operation(game))
        raise
    finally:
        other.close()
        game.close()


def compare_with_one_image(case: Case, game: Company, history: list[tuple[Frame, int]]) -> None:
    """Compare the image of a game with that of a game that draws for the first time."""
    seconds = sum((frame.seconds for frame, _ in history), Fraction(0))
    with Company(case.names, case.seed) as fresh:
        for frame, ticks in history:
            if frame.events:
                fresh.testing.feed([*frame.events])
            fresh.run_ticks(ticks)
        fresh.advance(seconds % TICK)
        if fresh.state_hash() != game.state_hash():
            values = game.debug.state_values()
            changed = fw.first_difference(values, fresh.debug.state_values())
            raise Failure(f"ticks without images: {changed}")
        if not remembers_images(game):
            compare_images(game.pixels(), fresh.pixels(), game, "the first image at the end")


def compare_with_copy(case: Case, game: Company) -> None:
    """Compare the image with that of a game that is given the end state at once.

    A scene on top keeps both games still, so that nothing moves between its two last ticks.
    """
    if not all(player.copies and player.can_copy() for player in game.company):
        return
    with fw.Game(size=SIZE, headless=True, frame_stats=False, escape_closes=False) as fresh:
        copy_scene(game, fresh)
        pieces = [piece for player in game.company for piece in player.pieces()]
        pieces.sort(key=lambda piece: piece[0])
        for _, copy in pieces:
            copy(fresh)
        copy_world(game, fresh)
        run_as(game, fresh)  # shaders, and the clocks of lights and tiles
        # The clock of `game` has rounded the time of each frame. Another alpha, even by 1e-8, would
        # change the last bits of what is interpolated.
        fresh.advance(Fraction(game.timestep.alpha) * TICK)
        for player in game.company:
            player.finish_copy(fresh)
        for scene in game.above:
            scene.copy_to(fresh)
        for each in (game, fresh):
            each.push(Still())
            each.run_ticks(2)
            each.advance(0)
        compare_images(game.pixels(), fresh.pixels(), game, "a copy of the end state")


def run_as(game: Company, fresh: fw.Game) -> None:
    """Run as many ticks as ``game`` has run, and as many of them paused. Shaders receive both."""
    fresh.run_ticks(game.updates)
    if game.tick > game.updates:
        fresh.push(Still())
        fresh.run_ticks(game.tick - game.updates)
        fresh.pop()


class Still(fw.Scene):
    """A scene that draws nothing. The scenes below are paused."""


def play(case: Case) -> None:
    """Run a case in every way. Raise `Failure`, or the game's own error."""
    frames = script(case)
    expected = plain(case, frames, drawing=False)
    looked = looked_at(case, frames)
    for number, (moment, other) in enumerate(zip(expected, looked, strict=True)):
        if moment != other:
            changed = difference(case, frames[: number + 1], {"look": True})
            raise Failure(f"reading attributes in draw() changes the state: {other}, {changed}")
    drawn(case, frames, expected)


def problem(case: Case) -> str | None:
    """Return the report of a case that fails, or None."""
    try:
        play(case)
    except Exception as error:
        lines = [line[:400] for line in traceback.format_exception(error)]
        return f"{case}\n{''.join(lines[-5:])}"
    return None
