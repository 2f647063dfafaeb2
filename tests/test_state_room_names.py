"""Names of earlier versions in state, record, sim and learn: each error has the new name."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import framework as fw

RUN = fw.Run(0, None, 1, 60, 0.5, "host:1", False)


class Rows(fw.ArrayGame):
    def begin(self, rows: Any) -> None:
        pass


def test_the_old_option_of_an_extrapolation_names_the_new_one() -> None:
    old: dict[str, Any] = {"blend_time": 0.2}
    with pytest.raises(TypeError, match=r"^Extrapolation\(blend_time=…\): renamed to blend_dur"):
        fw.Extrapolation(**old)
    motion = fw.Extrapolation(0.5, blend_duration=0.2)
    assert (motion.limit, motion.blend_duration) == (0.5, 0.2)
    assert motion == fw.Extrapolation(0.5, 0.2) != fw.Extrapolation(0.5)


@pytest.mark.parametrize(
    ("owner", "old", "new"),
    [
        (fw.Extrapolation(), "extrapolation.blend_time", "extrapolation.blend_duration"),
        (RUN, "run.seconds", "run.duration"),
    ],
)
def test_an_old_attribute_names_the_new_one(owner: Any, old: str, new: str) -> None:
    with pytest.raises(AttributeError, match=rf"^{re.escape(old)}: renamed to {re.escape(new)} "):
        getattr(owner, old.partition(".")[2])


def test_the_duration_of_a_replay(tmp_path: Path, make: Any) -> None:
    game = make(fw.Game, drawing=False)
    game.recording.start(tmp_path / "a.replay")
    game.run_ticks(30)
    game.recording.stop()
    replay = fw.Replay.open(tmp_path / "a.replay")
    assert replay.duration == 0.5
    with pytest.raises(AttributeError, match=r"^replay\.seconds: renamed to replay\.duration "):
        replay.seconds  # noqa: B018


def test_the_row_that_an_array_game_draws(make: Any) -> None:
    game = make(Rows, envs=2, drawing=False)
    assert game.rendered_row == 0
    for use in (lambda: game.shown, lambda: setattr(game, "shown", 1)):
        with pytest.raises(
            AttributeError, match=r"^array_game\.shown: renamed to array_game\.rendered_row "
        ):
            use()
