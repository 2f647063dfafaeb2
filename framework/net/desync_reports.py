"""When a desync has been detected, warn the player and write a report for the developer."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from ..errors import AssetError
from ..game.driven_game import driven
from ..game.match_recorder import write_match
from .desync import Desync, DesyncValues, StateChecks, remove_old_reports
from .match_history import MatchHistory

if TYPE_CHECKING:
    from ..game.game import Game


class DesyncReports:
    """Reports differences between the game states of two machines, but only the first difference
    with each other player.
    """

    not_state = True

    def __init__(self, player: int, history: MatchHistory) -> None:
        self._player = player
        self._history = history
        self._reported: set[int] = set()  # the players whose differences have been reported

    def report(
        self,
        game: Game,
        states: StateChecks,
        on_desync: Callable[[Desync], object] | None,
        folder: str | os.PathLike[str] | None,
    ) -> None:
        """If a difference has been found, write the files of the report, and then call
        ``on_desync`` or print a warning. ``folder`` is the folder for reports, or None for the
        folder "desyncs" in the game's folder for saves.
        """
        while states.found:
            difference, values = states.found.pop(0)
            if difference.player in self._reported:
                continue
            self._reported.add(difference.player)
            desync = self._written(game, difference, values, folder)
            if states.desync is difference:
                states.desync = desync
            if on_desync is not None:
                on_desync(desync)
            else:
                warnings.warn(f"Rollback: {desync}", RuntimeWarning, stacklevel=2)

    def _written(
        self,
        game: Game,
        desync: Desync,
        values: DesyncValues,
        parent: str | os.PathLike[str] | None,
    ) -> Desync:
        """Write the recording of the match and both machines' values to a new folder."""
        stage, loop = driven(game)[:2]
        name = f"{time.strftime('%Y-%m-%d %H.%M.%S')} player {self._player}"
        parent = os.fspath(parent or os.path.join(stage.files.folder, "desyncs"))
        folder = os.path.join(parent, name)
        remove_old_reports(parent)
        try:
            os.makedirs(folder, exist_ok=True)
            path = os.path.join(folder, "match.replay")
            write_match(stage, loop, path, self._history.ticks(), self._history.known)
            with open(os.path.join(folder, "values.json"), "w", encoding="utf-8") as file:
                file.write(values.to_json(desync))
        except (OSError, AssetError) as error:
            warnings.warn(
                f"Rollback: the report of a difference cannot be written: {error}",
                RuntimeWarning,
                stacklevel=2,
            )
            return desync
        return replace(desync, report=folder)
