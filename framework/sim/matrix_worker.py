"""Matrix worker: the child process that plays a game and writes the hashes of its states.

    python -m framework.sim.matrix_worker '{"file": "game.py", "ticks": 600, …}'

Each line of the output is JSON: a tick, and a dict of the hashes that differ from the tick before.
The keys of this dict are the paths of values in the game. If a path no longer exists, its hash is
None. If the settings contain pairs of a tick and a path, the worker writes the values at these
ticks and paths instead of hashes. If a state has no value at one of these paths, the output leaves
out the path.
"""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Callable
from typing import TextIO

from ..game.game import Game, make_game
from ..game.restoring import restore_shuffled
from ..game.save_files import SeparateRun
from ..timing.timestep import Tick
from .game_files import game_class_of
from .matrix_protocol import RunSettings, encode
from .random_player import RandomPlayer

Player = Callable[[Game, int], None]
OutputFunction = Callable[[Game, int], dict[str, object] | None]
"""A function that returns the output for a game after a tick, by path, or None for no output."""


_MIN_PIXEL_RATIO = 1 / 16  # pixels per unit: the image is drawn, but never shown


class ChangedHashes:
    """Returns the hashes of all values that have changed since the last tick. The result is a dict
    by path.
    """

    def __init__(self) -> None:
        self._last_hashes: dict[str, int] = {}

    def __call__(self, game: Game, tick: int) -> dict[str, object]:
        hashes = game.debug.state_hashes()
        changed: dict[str, object] = {
            path: value for path, value in hashes.items() if self._last_hashes.get(path) != value
        }
        changed |= dict.fromkeys(path for path in self._last_hashes if path not in hashes)
        self._last_hashes = hashes
        return changed


class SelectedValues:
    """Returns the values of a game at selected ticks and paths."""

    def __init__(self, pairs: list[tuple[int, str]]) -> None:
        self._pairs = pairs

    def __call__(self, game: Game, tick: int) -> dict[str, object] | None:
        paths = [path for number, path in self._pairs if number == tick]
        if not paths:
            return None
        values = game.debug.state_values()
        return {path: encode(values[path]) for path in paths if path in values}


class OutputWriter:
    """A subsystem of the game. Before each tick, it lets the player press keys. After each tick, it
    writes a line of output.
    """

    not_state = True  # the subsystem reads the state of the game, and is no part of it

    def __init__(
        self, game: Game, player: Player, last: int, output_of: OutputFunction, out: TextIO
    ) -> None:
        self.game = game
        self.player = player
        self.last = last
        self.output_of = output_of
        self.out = out
        self.ticks = 0
        self.quiet = False
        """True while ticks write no output."""
        self._write()
        player(game, 1)

    def begin_tick(self, tick: Tick) -> None:
        """Let the player press keys for the next tick. The game has already read the input of the
        current tick.
        """
        self.player(self.game, tick.number + 1)

    def end_tick(self, tick: Tick) -> None:
        self.ticks = tick.number
        if self.ticks <= self.last and not self.quiet:  # a frame may run more ticks
            self._write()

    def _write(self) -> None:
        output = self.output_of(self.game, self.ticks)
        if output is not None:
            self.out.write(json.dumps([self.ticks, output]) + "\n")


def _twice(game: Game, writer: OutputWriter) -> None:
    """Run one tick, return to the state before it, and run the tick again. Only the state after the
    second run is written to the output.
    """
    before = game.snapshot()
    ticks = writer.ticks
    writer.quiet = True
    game.run_ticks(1)
    writer.quiet = False
    writer.ticks = ticks
    restore_shuffled(game, before)
    game.run_ticks(1)


def play(settings: RunSettings, out: TextIO) -> None:
    """Play a game with the settings of the matrix, and write its states to ``out``."""
    # These objects move later objects to other memory addresses.
    padding = [bytes(size) for size in range(17, 17 + 97 * settings["padding"], 97)]
    if settings["collector"] == "off":
        gc.disable()
    elif settings["collector"] == "always":
        gc.set_threshold(1)
    game_class, options = game_class_of(settings["file"])
    options |= {
        "drawing": settings["drawing"],
        "seed": settings["seed"],
        "frame_rate": settings["frame_rate"],
        "headless": True,
        "frame_stats": False,
        "pixel_ratio": _MIN_PIXEL_RATIO,
    }
    options |= settings["options"]
    output_of = SelectedValues(settings["values"]) if "values" in settings else ChangedHashes()
    created: Game = make_game(game_class, {"separate_run": SeparateRun()}, **options)
    with created as game:
        writer = game.add_subsystem(
            OutputWriter(game, RandomPlayer(settings["seed"]), settings["ticks"], output_of, out)
        )
        while writer.ticks < settings["ticks"]:
            if settings["twice"]:
                _twice(game, writer)
            elif settings["drawing"]:
                game.advance(1 / settings["frame_rate"])
            else:
                game.run_ticks(1)
    del padding


if __name__ == "__main__":
    # The game prints to stderr, so that stdout has only our lines
    out = sys.stdout
    sys.stdout = sys.stderr
    settings: RunSettings = json.loads(sys.argv[1])
    play(settings, out)
    gc.freeze()  # the process ends: its last collection need not visit these objects
