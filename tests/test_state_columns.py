"""State columns: the same states as a `StateMachine` for each row."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from pictures import solid

import framework as fw


def foes(count: int = 4, **options: Any) -> tuple[fw.SpriteBatch, fw.StateColumns]:
    batch = fw.SpriteBatch(solid(4, 4), count)
    return batch, fw.StateColumns(batch, "patrol", "chase", "stunned", **options)


def test_rows_change_all_at_once() -> None:
    _, minds = foes()
    minds.update(0.1)
    assert minds.entered("patrol").tolist() == []  # the first state does not count
    rows = minds.change("patrol", "chase", when=np.array([True, False, True, False]))
    assert (
        rows.tolist() == minds.entered("chase").tolist() == minds.rows("chase").tolist() == [0, 2]
    )
    assert minds.exited("patrol").tolist() == [0, 2]
    assert minds.state.tolist() == [1, 0, 1, 0]
    assert minds.mask("patrol", "stunned").tolist() == [False, True, False, True]
    minds.update(0.1)
    assert minds.entered("chase").tolist() == minds.exited("patrol").tolist() == []
    assert minds.time.tolist() == pytest.approx([0.1, 0.2, 0.1, 0.2])
    minds.put([1, 2], "stunned")
    assert minds.state.tolist() == [1, 2, 2, 0]
    assert minds.entered("stunned").tolist() == [1, 2]


def test_rows_do_the_same_as_single_state_machines() -> None:
    random = np.random.default_rng(3)
    _, minds = foes(20)
    singles = []
    near = np.zeros(20, bool)
    for row in range(20):
        machine = fw.StateMachine("patrol", "chase", "stunned")
        machine.add_transition("patrol", "chase", when=lambda row=row: near[row])
        machine.add_transition("chase", "stunned", after=0.35)
        machine.add_transition("stunned", "patrol", after=0.8)
        singles.append(machine)
    for _ in range(300):
        near[:] = random.random(20) < 0.05
        minds.update(1 / 60)
        minds.change("stunned", "patrol", after=0.8)
        minds.change("chase", "stunned", after=0.35)
        minds.change("patrol", "chase", when=near)
        for machine in singles:
            machine.update(1 / 60)
        assert minds.state.tolist() == [machine.names.index(machine.state) for machine in singles]
        assert minds.time == pytest.approx([machine.time for machine in singles], abs=1e-8)
    assert len({*minds.state.tolist()}) == 3


def test_rules_after_a_duration_count_the_time_of_each_row_exactly() -> None:
    batch = fw.SpriteBatch(solid(4, 4), 1)
    lights = fw.StateColumns(batch, "green", "red", column="light")
    for number in range(1, 1400):
        lights.update(1 / 7)
        for _ in range(2):
            lights.change("green", "red", after=0.3)
            lights.change("red", "green", after=0.7)
        assert lights.state[0] == (Fraction(number, 7) % 1 >= Fraction(3, 10))


def test_new_rows_start_in_the_first_state_and_removed_rows_take_theirs_along() -> None:
    batch, minds = foes(3)
    minds.update(2)
    minds.put(batch[1], "chase")
    minds.put(2, "stunned")
    batch.remove(0)
    batch.add()
    minds.update(0.5)
    assert minds.state.tolist() == [1, 2, 0]
    assert minds.time.tolist() == [0.5, 0.5, 0.5]
    batch[0].remove()
    assert minds.rows("stunned").tolist() == [0]


def test_sprites_that_are_added_one_after_another_start_their_state_when_they_are_added() -> None:
    batch, minds = foes(1)
    for _ in range(3):
        minds.update(1)
        batch.add()
    assert minds.time.tolist() == [3, 2, 1, 0]


def test_values_are_selected_by_states() -> None:
    batch, minds = foes(4)
    minds.update(0)
    minds.put([1, 3], "chase")
    minds.put(2, "stunned")
    assert minds.select(patrol=30, chase=90).tolist() == [30, 90, 0, 90]
    assert minds.select(-1.5, chase=np.arange(4)).tolist() == [-1.5, 1, -1.5, 3]
    batch.color[:] = minds.select((1, 1, 1, 1), stunned=(0, 0, 1, 0.5))
    assert batch.color[:, 0].tolist() == [1, 1, 0, 1]
    assert minds.select(np.ones((4, 2)), chase=np.arange(4)).tolist() == [
        [1, 1],
        [1, 1],
        [1, 1],
        [3, 3],
    ]
    assert minds.select((0.0, 0.0), patrol=5).tolist() == [[5, 5], [0, 0], [0, 0], [0, 0]]


class Foes(fw.Game):
    saved = ("foes", "minds")

    def setup(self) -> None:
        clips = fw.Clips(
            [solid(4, 4)] * 8, walk=(0, 6, 12), hurt=fw.Clip([6, 7], rate=20, loop=False)
        )
        self.foes = self.add(fw.SpriteBatch(clips, 30, columns="velocity"))
        self.minds = fw.StateColumns(self.foes, "patrol", "chase", "stunned")
        self.noise = np.random.default_rng(1).random((300, 30))
        self.foes.play("walk")

    def update(self, dt: float) -> None:
        minds = self.minds
        minds.update(dt)
        minds.change("patrol", "chase", when=self.noise[self.tick] < 0.1)
        self.foes.play("hurt", minds.change("chase", "stunned", after=0.4), then="walk")
        minds.change("stunned", "patrol", after=0.2)
        self.foes.velocity[:, 0] = minds.select(patrol=10, chase=40)
        self.foes.move(dt)


def test_states_are_part_of_the_game_state(tmp_path: Any) -> None:
    with Foes(drawing=False) as game:
        game.run_ticks(50)
        before = game.state_hash()
        snapshot = game.snapshot()
        game.save(path=str(tmp_path / "foes.save"))
        game.run_ticks(50)
        after = game.state_hash()
        x = game.foes.position[:, 0].tolist()
        game.restore(snapshot)
        assert game.state_hash() == before
        game.run_ticks(50)
        assert game.state_hash() == after
        with Foes(drawing=False) as second:
            second.run_ticks(50)
            second.minds.put(slice(None), "stunned")
            second.minds.update(7)
            second.load(path=str(tmp_path / "foes.save"))
            second.run_ticks(50)
            assert second.foes.position[:, 0].tolist() == x


def test_rows_added_after_a_load_start_their_state_then(tmp_path: Any) -> None:
    class Game(fw.Game):
        saved = ("foes", "minds")

        def setup(self) -> None:
            self.foes = self.add(fw.SpriteBatch(solid(4, 4), 2))
            self.minds = fw.StateColumns(self.foes, "patrol", "chase")

    with Game(drawing=False) as game, Game(drawing=False) as second:
        game.minds.update(5)
        game.save(path=tmp_path / "five.save")
        second.load(path=tmp_path / "five.save")
        second.foes.add(0)
        assert second.minds.change("patrol", "chase", after=1).tolist() == [0, 1]


def test_states_are_saved_by_their_names(tmp_path: Any) -> None:
    class Foes(fw.Game):
        saved = ("foes", "minds")

    def make_game(*names: str) -> Any:
        game = Foes(drawing=False)
        game.foes = game.add(fw.SpriteBatch(solid(4, 4), 3))
        game.minds = fw.StateColumns(game.foes, *names)
        return game

    with make_game("patrol", "chase") as game:
        game.minds.put(1, "chase")
        game.save(path=tmp_path / "one.save")
    with make_game("asleep", "chase", "patrol") as game:
        game.load(path=tmp_path / "one.save")
        assert game.minds.rows("chase").tolist() == game.minds.exited("patrol").tolist() == [1]
        assert game.minds.rows("patrol").tolist() == [0, 2]
    with (
        make_game("patrol") as game,
        pytest.raises(fw.AssetError, match="a clip or a state that the game does not have"),
    ):
        game.load(path=tmp_path / "one.save")


def test_rules_after_centuries_are_never_due() -> None:
    _, minds = foes()
    minds.update(1e9)
    assert not len(minds.change("patrol", "chase", after=1e300))


BAD: list[tuple[Any, type[Exception], str]] = [
    (lambda b, m: fw.StateColumns(3, "a"), TypeError, "batch: expected a batch"),
    (lambda b, m: fw.StateColumns(b, "a"), ValueError, "has a column 'states'"),
    (lambda b, m: fw.StateColumns(b, column="mood"), TypeError, "names"),
    (
        lambda b, m: m.change("ptrol", "chase"),
        ValueError,
        "source: there is no state 'ptrol'; did you mean 'patrol'",
    ),
    (lambda b, m: m.change("patrol", "x"), ValueError, "target"),
    (
        lambda b, m: m.change("patrol", "chase", when=[True]),
        ValueError,
        r"when: expected a mask of shape \(4,\)",
    ),
    (lambda b, m: m.change("patrol", "chase", when=np.ones(4)), ValueError, "when"),
    (lambda b, m: m.change("patrol", "chase", after=-1), ValueError, "after"),
    (lambda b, m: m.put(9, "chase"), ValueError, "rows"),
    (lambda b, m: m.put(0, "chased"), ValueError, "did you mean 'chase'"),
    (lambda b, m: m.select(patrl=1), ValueError, "patrl: there is no state"),
    (lambda b, m: m.select((1, 2, 3), patrol=(1, 2)), ValueError, "patrol"),
    (
        lambda b, m: m.select(chase=np.arange(3)),
        ValueError,
        "chase: expected one value, or one for each of 4 rows",
    ),
    (lambda b, m: m.entered("run"), ValueError, "there are patrol, chase, stunned"),
    (lambda b, m: m.update("x"), TypeError, "dt"),
]


@pytest.mark.parametrize("number", range(len(BAD)))
def test_mistakes_are_errors_with_their_names(number: int) -> None:
    call, kind, words = BAD[number]
    with pytest.raises(kind, match=words):
        call(*foes())
