"""The program of a child process of the matrix: plays a game's file as it is told and writes down
hashes, tick by tick.

    python -m framework.sim.witness '{"file": "game.py", "ticks": 600, …}'

What goes out are lines of JSON: a tick, and the paths whose hash is another one than a tick before;
None where a path is no more. Where values are asked for, by tick and path, these go out instead; a
path that is not there then is left out.
"""

from __future__ import annotations

import gc
import importlib
import json
import sys
from collections.abc import Callable
from typing import TextIO

from ..game.game import Game, make_game
from ..game.painter import Painter
from ..game.restoring import restore_stirred
from ..game.savefiles import Apart
from ..timing.timestep import Tick
from .parcel import Orders, packed
from .started import game_of

Player = Callable[[Game, int], None]
Scribe = Callable[[Game, int], dict[str, object] | None]
"""What is told of a game after a tick, by paths; None where nothing is."""


_SMALLEST = 1 / 16  # the picture's pixels in a unit: it is painted as ever, but nobody looks at it


class Hashes:
    """Of the parts of a game's state, those that have changed since the tick before."""

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}

    def __call__(self, game: Game, tick: int) -> dict[str, object]:
        found = game.debug.state_hashes()
        changed: dict[str, object] = {
            path: value for path, value in found.items() if self._seen.get(path) != value
        }
        changed |= dict.fromkeys(path for path in self._seen if path not in found)
        self._seen = found
        return changed


class Values:
    """The values of a game's state that are asked for, by pairs of a tick and a path."""

    def __init__(self, wanted: list[tuple[int, str]]) -> None:
        self._wanted = wanted

    def __call__(self, game: Game, tick: int) -> dict[str, object] | None:
        paths = [path for asked, path in self._wanted if asked == tick]
        if not paths:
            return None
        values = game.debug.state_values()
        return {path: packed(values[path]) for path in paths if path in values}


class Witness:
    """Goes along with a game: has it played, and writes down what is told of it after each tick."""

    not_state = True  # it sees the state, and is none of it

    def __init__(self, game: Game, player: Player, last: int, scribe: Scribe, out: TextIO) -> None:
        self.game, self.player, self.last, self.scribe, self.out = game, player, last, scribe, out
        self.ticks = 0
        self.quiet = False
        """Whether ticks go unseen."""
        self._write()
        player(game, 1)

    def begin_tick(self, tick: Tick) -> None:
        """Input was latched: what is done now is seen by the tick after this one, at any frame
        rate.
        """
        self.player(self.game, tick.number + 1)

    def end_tick(self, tick: Tick) -> None:
        self.ticks = tick.number
        if self.ticks <= self.last and not self.quiet:  # a frame may have more of them
            self._write()

    def _write(self) -> None:
        told = self.scribe(self.game, self.ticks)
        if told is not None:
            self.out.write(json.dumps([self.ticks, told]) + "\n")


def _twice(game: Game, witness: Witness) -> None:
    """Run one tick, go back, and run it again, which is what counts."""
    before, ticks = game.snapshot(), witness.ticks
    witness.quiet = True
    game.run_ticks(1)
    witness.quiet, witness.ticks = False, ticks
    restore_stirred(game, before)
    game.run_ticks(1)


def _unpainted(painter: Painter, *arguments: object) -> None:
    """There is no picture."""


class _Keys:
    """Presses keys at random, the same for the same seed and tick."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def __call__(self, game: Game, tick: int) -> None:
        import random

        chance = random.Random(f"{self.seed} {tick}")
        for key in ("left", "right", "up", "down", "space", "w", "a", "s", "d"):
            toss = chance.random()
            if toss < 0.14:
                (game.keys.press if toss < 0.06 else game.keys.release)(key)


def _player(seed: int) -> Player:
    try:
        player: Player = importlib.import_module("framework.sim.random_player").RandomPlayer(seed)
    except ModuleNotFoundError:
        return _Keys(seed)
    return player


def play(orders: Orders, out: TextIO) -> None:
    """As the matrix orders it: see `Environment`."""
    padding = [
        bytes(size) for size in range(17, 17 + 97 * orders["padding"], 97)
    ]  # other addresses for what follows
    if orders["collector"] == "off":
        gc.disable()
    elif orders["collector"] == "always":
        gc.set_threshold(1)
    game_class, options = game_of(orders["file"])
    options |= {
        "drawing": orders["drawing"],
        "seed": orders["seed"],
        "frame_rate": orders["frame_rate"],
        "headless": True,
        "monitor": False,
        "pixel_ratio": _SMALLEST,
    }
    options |= orders["options"]
    scribe = Values(orders["values"]) if "values" in orders else Hashes()
    made: Game = make_game(game_class, {"apart": Apart()}, **options)
    with made as game:
        witness = game.add_subsystem(
            Witness(game, _player(orders["seed"]), orders["ticks"], scribe, out)
        )
        without_pictures: Callable[[int], object] | None = getattr(game, "run_ticks", None)
        if not orders["drawing"] and without_pictures is None:
            Painter.paint = _unpainted  # type: ignore[method-assign,assignment]
        while witness.ticks < orders["ticks"]:
            if orders["twice"]:
                _twice(game, witness)
            elif orders["drawing"] or without_pictures is None:
                game.advance(1 / orders["frame_rate"])
            else:
                without_pictures(1)
    del padding


if __name__ == "__main__":
    said, sys.stdout = sys.stdout, sys.stderr  # what the game prints is none of ours
    commanded: Orders = json.loads(sys.argv[1])
    play(commanded, said)
    gc.freeze()  # all ends with the process: its last collection need not look through it
