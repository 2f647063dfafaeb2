"""Run the ticks of one agent step without drawing or waiting."""

from __future__ import annotations

from ..game.driven_game import at_work, driven
from ..game.game import Game


def run_step(game: Game, ticks: int) -> None:
    """Run ``ticks`` ticks immediately, without waiting for the clock.

    A paused game runs no ticks. If the game calls `Game.exit`, the remaining ticks do not run.
    """
    stage, loop, *_ = driven(game)
    timestep = loop.timestep
    with at_work(game):
        for _ in range(ticks):
            if stage.calls:
                stage.make_calls()
            if stage.exiting:
                return
            # Handle events in a pause too, because a pressed key may end the pause.
            if timestep.paused or not timestep.time_scale:
                if stage.inbox.events or stage.incoming.own.events:
                    stage.handle_paused_events(loop.tick + 1)
            else:
                loop.run_known_tick("step")
