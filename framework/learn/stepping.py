"""The ticks of a step: at once, without pictures, and none while the game stands still or after it
has ended itself.
"""

from __future__ import annotations

from ..game.game import Game
from ..game.playing import at_work, driven


def run_step(game: Game, ticks: int) -> None:
    """Run so many ticks, whatever the clock says."""
    stage, loop, *_ = driven(game)
    timestep = loop.timestep
    with at_work(game):
        for _ in range(ticks):
            if stage.calls:
                stage.make_calls()
            if stage.exiting:
                return
            if timestep.paused or not timestep.time_scale:  # what is pressed may have it go on
                if stage.inbox.events or stage.incoming.own.events:
                    stage.hear_still(loop.tick + 1)
            else:
                loop.run_tick_by_hand()
