"""Run many games for one agent, as rows of an `ArrayGame` or in worker processes."""

from __future__ import annotations

__all__ = ["vector_env"]

import os
from typing import Any

from .. import checks
from ..game.game import Game
from ..game.launch import check_game
from .array_env import ArrayEnv
from .array_game import ArrayGame
from .gymnasium_imports import AutoresetMode, VectorEnv, check_installed
from .worker_env import WorkerEnv

MODES = ("NextStep", "SameStep", "Disabled")


def vector_env(
    game_class: type[Game],
    num_envs: int = 1,
    *,
    workers: int | None = None,
    autoreset_mode: Any = "NextStep",
    **options: Any,
) -> VectorEnv[Any, Any, Any]:
    """Return a vector environment of Gymnasium with ``num_envs`` games. ``options`` are the options
    of `GameEnv`.

    If the game class is an `ArrayGame`, one game simulates all environments. Each environment is
    then a row of the game's arrays, and one tick is one step of all environments. For any other
    class, each environment is a separate game. These games run in ``workers`` processes, which
    share memory for actions, observations and rewards. By default, there is one worker per
    processor core. With ``workers=0``, all games run in this process.

    ``autoreset_mode`` is a member of Gymnasium's ``AutoresetMode``, or the name of a member. In the
    mode "NextStep", the game restarts in the next step after the end of an episode. In the mode
    "SameStep", it restarts in the last step of the episode. The infos then contain the last
    observation of the old episode as ``final_obs``. In the mode "Disabled", a game restarts only
    after ``reset(options={"reset_mask": …})``. The results are exactly the same as those of
    Gymnasium's SyncVectorEnv with `GameEnv` objects.
    """
    check_installed("vector_env", VectorEnv)
    check_game(game_class)
    num_envs = checks.whole("num_envs", num_envs, 1)
    if not isinstance(autoreset_mode, AutoresetMode):
        autoreset_mode = AutoresetMode(checks.choice("autoreset_mode", autoreset_mode, MODES))
    if issubclass(game_class, ArrayGame):
        return ArrayEnv(game_class, num_envs, autoreset_mode=autoreset_mode, **options)
    workers = os.cpu_count() or 1 if workers is None else checks.whole("workers", workers, 0)
    return WorkerEnv(
        game_class, num_envs, min(workers, num_envs), autoreset_mode=autoreset_mode, **options
    )
