"""State machines: rules, durations, clips and hooks."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest
from pictures import solid

import framework as fw

TICK = Fraction(1, 60)


def run(states: fw.StateMachine, ticks: int, dt: Any = TICK) -> list[str]:
    log = []
    for _ in range(ticks):
        states.update(dt)
        log.append(states.state)
    return log


def test_a_machine_starts_in_the_first_state_and_follows_conditions() -> None:
    states = fw.StateMachine("stand", "walk")
    walking = [False]
    states.add_transition("stand", "walk", when=lambda: walking[0])
    states.add_transition("walk", "stand", when=lambda: not walking[0])
    assert run(states, 2) == ["stand", "stand"]
    walking[0] = True
    assert run(states, 2) == ["walk", "walk"]
    assert states.previous == "stand"
    assert states.time == 1 / 60
    assert repr(states) == "<StateMachine, 'walk' for 0.0166667 s>"


def test_hooks_are_called_in_this_order() -> None:
    log: list[Any] = []
    states = fw.StateMachine("a", "b")
    for name in states.names:
        states.on(
            name,
            enter=lambda name=name: log.append(f"enter {name}"),
            update=lambda dt, name=name: log.append((name, dt)),
            exit=lambda name=name: log.append(f"leave {name}"),
        )
    states.add_transition("a", "b", after=0.02)
    run(states, 2, 0.01)
    assert log == ["enter a", ("a", 0.01), "leave a", "enter b", ("b", 0.01)]


def test_durations_add_up_exactly() -> None:
    states = fw.StateMachine("green", "red")
    states.add_transition("green", "red", after=0.3)
    states.add_transition("red", "green", after=0.7)
    log = run(states, 600 * 7, 1 / 7)  # ten minutes
    for number, state in enumerate(log, 1):
        assert state == ("green" if Fraction(number, 7) % 1 < Fraction(3, 10) else "red")


def test_several_durations_may_end_in_one_tick() -> None:
    states = fw.StateMachine("a", "b", "c")
    log: list[str] = []
    for name in states.names:
        states.on(name, enter=lambda name=name: log.append(name))
    states.add_transition("a", "b", after=0.01)
    states.add_transition("b", "c", after=0.02)
    states.add_transition("c", "a", after=0.04)
    states.update(0.05)
    assert log == ["a", "b", "c"]
    assert states.time == 0.02


def test_at_most_one_rule_with_a_condition_is_followed_per_update() -> None:
    states = fw.StateMachine("off", "on", "done")
    states.add_transition("off", "on", when=lambda: True)
    states.add_transition("on", "off", when=lambda: True)
    states.add_transition("on", "done", when=lambda: True, after=9)
    assert run(states, 3) == ["on", "off", "on"]


def test_the_first_true_rule_is_followed_and_a_rule_may_be_for_all_states() -> None:
    states = fw.StateMachine("a", "b", "dead", "won")
    lives = [3]
    states.add_transition(None, "dead", when=lambda: lives[0] == 0)
    states.add_transition(("a", "b"), "won", when=lambda: True, after=0.05)
    assert run(states, 2) == ["a", "a"]
    lives[0] = 0
    assert run(states, 3) == ["dead"] * 3


def test_change_to_enters_the_current_state_again() -> None:
    log: list[str] = []
    states = fw.StateMachine("a", "b")
    states.on("a", enter=lambda: log.append("enter a"), exit=lambda: log.append("leave a"))
    states.change_to("a")
    states.update(TICK)
    states.change_to("a")
    assert log == ["enter a", "leave a", "enter a"]
    assert states.time == 0


def test_a_change_requested_in_a_hook_follows_at_once() -> None:
    log: list[str] = []
    states = fw.StateMachine("a", "b", "c")
    states.on(
        "b",
        enter=lambda: (states.change_to("c"), log.append("b")),
        exit=lambda: log.append("not b"),
    )
    states.on("c", enter=lambda: log.append("c"))
    states.change_to("b")
    assert log == ["b", "not b", "c"]
    assert (states.previous, states.state) == ("b", "c")


def test_a_machine_can_be_used_after_an_error() -> None:
    states = fw.StateMachine("a", "b")
    states.on("b", enter=lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        states.change_to("b")
    states.change_to("a")
    assert states.state == "a"


def test_endless_changes_of_state_are_an_error() -> None:
    states = fw.StateMachine("a", "b")
    states.on("a", enter=lambda: states.change_to("b"))
    states.on("b", enter=lambda: states.change_to("a"))
    with pytest.raises(fw.FrameworkError, match="1,000 changes in a row"):
        states.change_to("a")
    quick = fw.StateMachine("a", "b")
    quick.add_transition("a", "b", after=1e-6)
    quick.add_transition("b", "a", after=1e-6)
    with pytest.raises(
        fw.FrameworkError, match=r"1,000 changes in one update, the last between 'b' and 'a'"
    ):
        quick.update(1)


BAD: list[tuple[Any, type[Exception], str]] = [
    (lambda s: fw.StateMachine(), TypeError, "names"),
    (lambda s: fw.StateMachine("a", "a"), ValueError, "each state once"),
    (lambda s: fw.StateMachine("a", 3), TypeError, "names"),
    (lambda s: s.on("wlak"), ValueError, "name: there is no state 'wlak'; did you mean 'walk'"),
    (lambda s: s.on("walk", enter=3), TypeError, "enter"),
    (lambda s: s.add_transition("walk", "zzz", after=1), ValueError, "there are stand, walk"),
    (lambda s: s.add_transition("wlak", "walk", after=1), ValueError, "source"),
    (lambda s: s.add_transition("walk", "stand"), TypeError, "when"),
    (lambda s: s.add_transition("walk", "stand", when=True), TypeError, "when"),
    (lambda s: s.add_transition("walk", "stand", after=-1), ValueError, "after"),
    (lambda s: s.change_to("run"), ValueError, "no state 'run'"),
    (lambda s: s.change_to(3), TypeError, "the name of a state"),
    (lambda s: s.update(-1), ValueError, "dt"),
]


@pytest.mark.parametrize("number", range(len(BAD)))
def test_mistakes_are_errors_with_their_names(number: int) -> None:
    call, kind, words = BAD[number]
    with pytest.raises(kind, match=words):
        call(fw.StateMachine("stand", "walk"))


class Hero(fw.Game):
    """A game with states and the clips that they play."""

    saved = ("mind", "heroes")

    def setup(self) -> None:
        clips = fw.Clips(
            [solid(4, 4)] * 8,
            stand=(0, 2, 4),
            walk=(0, 6, 12),
            hurt=fw.Clip([6, 7], rate=20, loop=False),
        )
        self.heroes = self.add(fw.SpriteBatch(clips, 1))
        self.log: list[Any] = []
        mind = self.mind = fw.StateMachine("stand", "walk", "hurt")
        for name in mind.names:
            mind.on(name, enter=lambda name=name: self.hero.play(name))
        mind.add_transition("stand", "walk", when=lambda: self.tick % 40 == 10)
        mind.add_transition("walk", "stand", after=0.25)
        mind.add_transition(("stand", "walk"), "hurt", when=lambda: self.tick % 53 == 0)
        mind.add_transition("hurt", "stand", when=lambda: self.hero.clip_ended)

    @property
    def hero(self) -> fw.Sprite:
        return self.heroes[0]

    def update(self, dt: float) -> None:
        self.mind.update(dt)
        self.log.append((self.mind.state, self.hero.clip, self.hero.image))


@pytest.fixture
def hero() -> Iterator[Hero]:
    with Hero(drawing=False) as game:
        yield game


def test_states_play_clips_and_wait_for_their_ends(hero: Hero) -> None:
    hero.run_ticks(70)
    assert all(state == clip for state, clip, _ in hero.log)
    assert [hero.log[number - 1][0] for number in (9, 10, 24, 25, 50, 53, 58, 59)] == [
        *("stand", "walk", "walk", "stand", "walk", "hurt", "hurt", "stand"),
    ]


def test_states_are_part_of_the_game_state(hero: Hero, tmp_path: Any) -> None:
    hero.run_ticks(15)
    snapshot = hero.snapshot()
    before = hero.state_hash()
    hero.save(path=str(tmp_path / "hero.save"))
    hero.run_ticks(60)
    after = hero.state_hash()
    log = list(hero.log)
    hero.restore(snapshot)
    assert hero.state_hash() == before
    hero.run_ticks(60)
    assert (hero.log, hero.state_hash()) == (log, after)
    with Hero(drawing=False) as second:
        second.run_ticks(15)
        second.mind.change_to("hurt")
        second.load(path=str(tmp_path / "hero.save"))
        assert (second.mind.state, second.mind.time) == ("walk", 1 / 12)
        second.run_ticks(60)
        assert second.log[15:] == log[15:]


def test_a_save_before_the_first_tick_is_loaded(hero: Hero, tmp_path: Any) -> None:
    hero.save(path=str(tmp_path / "hero.save"))
    hero.run_ticks(15)
    assert (hero.mind.state, hero.mind.time) == ("walk", 1 / 12)
    hero.load(path=str(tmp_path / "hero.save"))
    assert (hero.mind.state, hero.mind.time) == ("stand", 0)


def test_a_save_of_a_state_that_no_longer_exists_is_refused(hero: Hero, tmp_path: Any) -> None:
    hero.run_ticks(1)
    hero.mind.state = "fly"
    hero.save(path=str(tmp_path / "hero.save"))
    hero.mind.state = "walk"
    with pytest.raises(fw.AssetError, match="there is no state 'fly'"):
        hero.load(path=str(tmp_path / "hero.save"))
    assert hero.mind.state == "walk"


def test_a_save_whose_previous_state_no_longer_exists_is_refused(hero: Hero, tmp_path: Any) -> None:
    hero.run_ticks(15)
    assert hero.mind.previous == "stand"
    hero.mind.previous = "fly"
    hero.save(path=str(tmp_path / "hero.save"))
    hero.mind.previous = "stand"
    with pytest.raises(fw.AssetError, match="there is no state 'fly'"):
        hero.load(path=str(tmp_path / "hero.save"))
    assert hero.mind.previous == "stand"
