"""Witness: the process of the matrix that plays a game and writes its hashes.

    python -m framework.sim.matrix_worker '{"file": "game.py", "ticks": 600, …}'

Each line of the output is JSON: a tick, and the hashes that differ from the tick before, by path.
The hash of a path that no longer exists is None. If the orders have pairs of a tick and a path, the
output has their values instead. It leaves out a path that does not exist.
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
from ..game.save_files import Apart
from ..timing.timestep import Tick
from .game_files import game_class_of
from .matrix_protocol import RunSettings, encode

Player = Callable[[Game, int], None]
OutputSource = Callable[[Game, int], dict[str, object] | None]
"""Returns the output for a game after a tick, by path, or None for no output."""


_MIN_PIXEL_RATIO = 1 / 16  # pixels per unit: the image is drawn, but never shown


class ChangedHashes:
    """The hashes of the parts of a state that changed since the tick before."""

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}

    def __call__(self, game: Game, tick: int) -> dict[str, object]:
        hashes = game.debug.state_hashes()
        changed: dict[str, object] = {
            path: value for path, value in hashes.items() if self._seen.get(path) != value
        }
        changed |= dict.fromkeys(path for path in self._seen if path not in hashes)
        self._seen = hashes
        return changed


class SelectedValues:
    """The values of a state at given pairs of a tick and a path."""

    def __init__(self, pairs: list[tuple[int, str]]) -> None:
        self._wanted = pairs

    def __call__(self, game: Game, tick: int) -> dict[str, object] | None:
        paths = [path for number, path in self._wanted if number == tick]
        if not paths:
            return None
        values = game.debug.state_values()
        return {path: encode(values[path]) for path in paths if path in values}


class OutputWriter:
    """A subsystem that lets the player play, and writes the output of the scribe after each
    tick.
    """

    not_state = True  # it reads the state, and is no part of it

    def __init__(
        self, game: Game, player: Player, last: int, scribe: OutputSource, out: TextIO
    ) -> None:
        self.game = game
        self.player = player
        self.last = last
        self.scribe = scribe
        self.out = out
        self.ticks = 0
        self.quiet = False
        """Whether ticks have no output."""
        self._write()
        player(game, 1)

    def begin_tick(self, tick: Tick) -> None:
        """Play for the next tick. The input of this tick was read already, so the frame rate does
        not matter.
        """
        self.player(self.game, tick.number + 1)

    def end_tick(self, tick: Tick) -> None:
        self.ticks = tick.number
        if self.ticks <= self.last and not self.quiet:  # a frame may run more ticks
            self._write()

    def _write(self) -> None:
        output = self.scribe(self.game, self.ticks)
        if output is not None:
            self.out.write(json.dumps([self.ticks, output]) + "\n")


def _twice(game: Game, witness: OutputWriter) -> None:
    """Run one tick, go back, and run it again. The second run counts."""
    before = game.snapshot()
    ticks = witness.ticks
    witness.quiet = True
    game.run_ticks(1)
    witness.quiet = False
    witness.ticks = ticks
    restore_stirred(game, before)
    game.run_ticks(1)


def _unpainted(painter: Painter, *arguments: object) -> None:
    """Draw no image."""


class _Keys:
    """A player that presses keys at random, the same for the same seed and tick."""

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


def play(orders: RunSettings, out: TextIO) -> None:
    """Play a game as the matrix orders it; see `Environment`."""
    padding = [
        bytes(size) for size in range(17, 17 + 97 * orders["padding"], 97)
    ]  # moves later objects to other addresses
    if orders["collector"] == "off":
        gc.disable()
    elif orders["collector"] == "always":
        gc.set_threshold(1)
    game_class, options = game_class_of(orders["file"])
    options |= {
        "drawing": orders["drawing"],
        "seed": orders["seed"],
        "frame_rate": orders["frame_rate"],
        "headless": True,
        "frame_stats": False,
        "pixel_ratio": _MIN_PIXEL_RATIO,
    }
    options |= orders["options"]
    scribe = SelectedValues(orders["values"]) if "values" in orders else ChangedHashes()
    created: Game = make_game(game_class, {"apart": Apart()}, **options)
    with created as game:
        witness = game.add_subsystem(
            OutputWriter(game, _player(orders["seed"]), orders["ticks"], scribe, out)
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
    # the game prints to stderr, so that stdout has only our lines
    out = sys.stdout
    sys.stdout = sys.stderr
    commanded: RunSettings = json.loads(sys.argv[1])
    play(commanded, out)
    gc.freeze()  # the process ends: its last collection need not visit these objects
