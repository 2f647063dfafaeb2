"""Test whether a game is deterministic, by playing all ticks twice.

A sync test restores an earlier snapshot of the game, plays the same ticks again, and compares the
new states with the states of the first run. This finds games that depend on values that snapshots
do not restore, such as the clock, the module `random`, class attributes and module variables. It
also finds games that depend on the order of a set, because restoring a snapshot changes this order.
"""

from __future__ import annotations

__all__ = ["sync_test"]

import functools
import os
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

from ..checks import function, instance, path, whole
from ..game.game import Game
from ..game.restoring import hashes_by_phase, restore_shuffled
from ..record.hashes import Difference, first_difference
from ..record.snapshots import Snapshot, SnapshotError
from .headless import play_headless
from .random_player import RandomPlayer, TickPlayer
from .report import SyncReport

# How many more times a tick runs to find the part that differs. Once is not enough, because a
# random order may repeat by chance.
_TRIES = 3


class _Played(NamedTuple):
    """The state of the game after a tick."""

    tick: int
    snapshot: Snapshot
    hash: int


def sync_test(
    game_class: type[Game],
    ticks: int = 600,
    check_distance: int = 8,
    seed: int = 0,
    *,
    player: TickPlayer | None = None,
    stride: int | None = None,
    saves: str | os.PathLike[str] | None = None,
    progress: Callable[[int], object] | None = None,
    **options: Any,
) -> SyncReport:
    """Play a game without a window, play each tick a second time, and compare the states.

    After every ``stride`` ticks, the test goes back by ``check_distance`` ticks, and plays these
    ticks again. After a repeated tick, the state must have the same hash as after the first run of
    the tick. The test ends at the first difference. The report contains the tick, the phase or
    system, the path of the value, the row and the two values.

    `sync_test` creates the game with ``drawing=False``, unless you pass ``drawing``. If the game
    uses its window or OpenGL, the test starts again with ``drawing=True``. If the game raises an
    exception, `sync_test` raises the same exception.

    Parameters
    ----------
    ticks
        The number of ticks to play.
    check_distance
        The number of ticks by which the test goes back.
    seed
        The seed of the game and of the default player.
    player
        A function that presses keys. The test calls ``player(game, tick)`` before each tick. See
        `TickPlayer`. The default player is a `RandomPlayer` with the seed ``seed``.
    stride
        The number of ticks after which the test goes back. The default stride is
        ``check_distance``, so that every tick runs twice. If ``stride`` is 1, the test goes back
        after every tick.
    saves
        The folder for the saves of the game. By default, the folder is empty, and is deleted at the
        end.
    progress
        A function that is called every ``stride`` ticks, with the number of ticks so far.
    options
        Keyword arguments for the game.
    """
    if not isinstance(game_class, type) or not issubclass(game_class, Game):
        instance("game_class", game_class, type, what="a subclass of Game")
        raise TypeError(f"game_class: expected a subclass of Game, got {game_class.__name__}")
    distance = whole("check_distance", check_distance, 1)
    stride = distance if stride is None else whole("stride", stride, 1)
    ticks = whole("ticks", ticks, 1)
    seed = whole("seed", seed, 0)
    if player is not None:
        function("player", player, "a function of a game and a tick")
    if progress is not None:
        function("progress", progress)
    options = {"headless": True, "frame_stats": False, "seed": seed} | options
    return play_headless(
        game_class,
        options,
        lambda game: _SyncTest(game, player or RandomPlayer(seed), distance).run(
            ticks, stride, progress
        ),
        None if saves is None else path("saves", saves),
    )


class _SyncTest:
    """One sync test of a game. It stores the state of the game after each of the most recent ticks."""

    def __init__(self, game: Game, player: TickPlayer, distance: int) -> None:
        self._game = game
        self._player = player
        self._distance = distance
        self._last: deque[_Played] = deque(maxlen=distance + 1)

    def run(self, ticks: int, stride: int, progress: Callable[[int], object] | None) -> SyncReport:
        try:
            self._remember(0)
            for tick in range(1, ticks + 1):
                self._play(tick)
                self._remember(tick)
                if tick % stride == 0 or tick == ticks:
                    report = self._play_again()
                    if report is not None:
                        return report
                    # The sets now have a different order. Take new snapshots, because the next
                    # ticks will run with this order.
                    self._last.pop()
                    self._remember(tick)
                    if progress is not None:
                        progress(tick)
        except SnapshotError as error:
            last = self._game.tick
            return self._report(last, ok=False, tick=last, path=error.path, reason=str(error))
        return self._report(ticks, ok=True)

    def _play(self, tick: int) -> None:
        self._player(self._game, tick)
        self._game.run_ticks(1)

    def _remember(self, tick: int) -> None:
        self._last.append(_Played(tick, self._game.snapshot(), self._game.state_hash()))

    def _play_again(self) -> SyncReport | None:
        """Restore the oldest stored state, play the next ticks again, and compare the states."""
        before: _Played | None = None
        for played in self._last:
            if before is None:
                restore_shuffled(self._game, played.snapshot)
            else:
                self._play(played.tick)
            if self._game.state_hash() != played.hash:
                return self._difference(before, played)
            before = played
        return None

    def _difference(self, before: _Played | None, played: _Played) -> SyncReport:
        again = self._game.debug.state_values()
        self._game.restore(played.snapshot)
        difference = first_difference(self._game.debug.state_values(), again) or Difference(
            "game", None, None, None
        )
        return self._report(
            played.tick,
            ok=False,
            tick=played.tick,
            phase="restore" if before is None else self._phase(before, played),
            **vars(difference),
        )

    def _phase(self, before: _Played, played: _Played) -> str | None:
        """Return the name of the phase in which the difference arises, such as "tweens"."""
        runs: list[list[tuple[str, int]]] = []
        shuffled: Callable[[Snapshot], None] = functools.partial(restore_shuffled, self._game)
        restores: list[Callable[[Snapshot], None]] = [self._game.restore, *[shuffled] * _TRIES]
        for restore in restores:
            restore(before.snapshot)
            self._player(self._game, played.tick)
            runs.append(hashes_by_phase(self._game))
            for (phase, first), (_, second) in zip(runs[0], runs[-1], strict=False):
                if first != second:
                    return str(phase)
        return None

    def _report(self, ticks: int, *, ok: bool, **fields: Any) -> SyncReport:
        name = type(self._game).__name__
        return SyncReport(game=name, ticks=ticks, check_distance=self._distance, ok=ok, **fields)
