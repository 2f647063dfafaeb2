"""Play a game for the determinism matrix in a separate process, and print hashes of its states.

    python -m framework.sim.matrix_worker '{"file": "game.py", "ticks": 600, …}'

Each output line is a JSON list of two items: the tick, and a dict of the hashes that changed in
this tick. The keys of the dict are the paths of the values, such as "game.ground.heights". If a
value no longer exists, its hash is null.

If the settings contain ``values``, the worker prints values of the state instead of hashes.
``values`` selects the ticks and the paths of the values. Paths that do not exist are left out.
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
"""A function that receives a game and a tick, and returns the output as a dict from paths to hashes
or values, or None if the tick has no output.
"""


# In pixels per unit. The image is not looked at, so a small one saves time.
_MIN_PIXEL_RATIO = 1 / 16


class ChangedHashes:
    """A function that returns the hashes of all values that have changed since its last call."""

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
    """A function that returns the values at selected ticks and paths."""

    def __init__(self, pairs: list[tuple[int, str]]) -> None:
        self._pairs = pairs

    def __call__(self, game: Game, tick: int) -> dict[str, object] | None:
        paths = [path for number, path in self._pairs if number == tick]
        if not paths:
            return None
        values = game.debug.state_values()
        return {path: encode(values[path]) for path in paths if path in values}


class OutputWriter:
    """A part of the game loop that calls the player before each tick, and writes a line of output
    after each tick.
    """

    not_state = True  # the subsystem only reads the state of the game

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
        """While this is True, no output is written after ticks."""
        self._write()
        player(game, 1)

    def begin_tick(self, tick: Tick) -> None:
        """Call the player, which presses keys for the next tick. It is too late for the current
        tick, because the game has already read the input of this tick.
        """
        self.player(self.game, tick.number + 1)

    def end_tick(self, tick: Tick) -> None:
        self.ticks = tick.number
        if self.ticks <= self.last and not self.quiet:  # a frame may run ticks after the last tick
            self._write()

    def _write(self) -> None:
        output = self.output_of(self.game, self.ticks)
        if output is not None:
            self.out.write(json.dumps([self.ticks, output]) + "\n")


def _twice(game: Game, writer: OutputWriter) -> None:
    """Run a tick, restore the state before the tick, and run the tick again. The worker writes
    output only after the second run of the tick.
    """
    before = game.snapshot()
    ticks = writer.ticks
    writer.quiet = True
    game.run_ticks(1)
    writer.quiet = False
    writer.ticks = ticks
    restore_shuffled(game, before)
    game.run_ticks(1)


def _created(settings: RunSettings) -> Game:
    """Create the game of a matrix run, with its own options and with those of the settings."""
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
    game: Game = make_game(game_class, {"separate_run": SeparateRun()}, **options)
    return game


def play(settings: RunSettings, out: TextIO) -> None:
    """Play a game with the settings of a matrix run, and write the states to ``out``."""
    # Because of these objects, later objects get other memory addresses.
    padding = [bytes(size) for size in range(17, 17 + 97 * settings["padding"], 97)]
    if settings["collector"] == "off":
        gc.disable()
    elif settings["collector"] == "always":
        gc.set_threshold(1)
    output_of = SelectedValues(settings["values"]) if "values" in settings else ChangedHashes()
    with _created(settings) as game:
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
    # Redirect the game's output to stderr, so that stdout contains only the lines of this module.
    out = sys.stdout
    sys.stdout = sys.stderr
    settings: RunSettings = json.loads(sys.argv[1])
    play(settings, out)
    # So the garbage collection at the end of the process does not visit the game's objects.
    gc.freeze()
