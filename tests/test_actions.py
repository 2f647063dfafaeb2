"""Actions: values, contexts, rebinding, saving, several players, combinations, next_input."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import framework as fw
from framework import current_game
from framework.input.combos import GestureState, next_hold
from framework.input.gamepad_layout import quantised

pytestmark = pytest.mark.usefixtures("no_open_game")

Make = Callable[..., Any]
DIAGONAL = 0.5**0.5


class ActionGame(fw.Game):
    """A game with a few actions of each kind."""

    def setup(self) -> None:
        self.actions = fw.Actions(
            jump=["space", "pad:a"],
            fire=["mouse:left", "pad:righttrigger"],
            move=fw.Stick("a d s w", "left right down up", "pad:leftstick", deadzone=0.2),
            zoom=fw.Axis("q e", "mouse:wheel"),
            look=fw.Axis("pad:rightx", "pad:lefttrigger pad:righttrigger"),
        )
        self.log: list[Any] = []

    def update(self, dt: float) -> None:
        actions = self.actions
        self.log.append((actions.presses("jump"), actions.held("jump"), actions.releases("jump")))


def step(game: Any) -> fw.Actions:
    game.advance(1 / 60)
    actions: fw.Actions = game.actions
    return actions


def test_just_pressed_and_just_released_are_true_in_one_tick(make: Make) -> None:
    game = make(ActionGame)
    seen = []
    for change in (lambda: None, game.testing.press, lambda: None, game.testing.release, None):
        if change in (game.testing.press, game.testing.release):
            change("space")
        actions = step(game)
        keys = game.keys
        assert actions.just_pressed("jump") == keys.just_pressed("space")
        assert actions.just_released("jump") == keys.just_released("space")
        seen.append((actions.just_pressed("jump"), actions.just_released("jump")))
    no = (False, False)
    assert seen == [no, (True, False), no, (False, True), no]


# -- values ----------------------------------------------------------------------------------------


def test_any_source_presses_an_action(make: Make) -> None:
    game = make(ActionGame)
    game.testing.press("space")
    step(game)
    game.testing.press("pad:a")
    step(game)
    game.testing.release("space")
    step(game)
    game.testing.release("pad:a")
    step(game)
    step(game)
    assert game.log == [(1, True, 0), (1, True, 0), (0, True, 1), (0, True, 1), (0, False, 0)]


def test_a_trigger_is_an_analog_button(make: Make) -> None:
    game = make(ActionGame)
    game.testing.pull_trigger("righttrigger", 0.3)
    actions = step(game)
    assert (actions.held("fire"), actions["fire"]) == (False, quantised(0.3))
    game.testing.pull_trigger("righttrigger", 0.8)
    actions = step(game)
    assert (actions.presses("fire"), actions["fire"]) == (1, quantised(0.8))
    game.testing.click(5, 5)
    assert step(game)["fire"] == 1.0
    game.testing.press("pad:a")
    assert step(game)["jump"] == 1.0


@pytest.mark.parametrize(
    ("keys", "value"),
    [
        ("a", (-1, 0)),
        ("d right", (1, 0)),
        ("a d", (0, 0)),
        ("w d", (DIAGONAL, DIAGONAL)),
        ("a up", (-DIAGONAL, DIAGONAL)),
        ("a left w", (-DIAGONAL, DIAGONAL)),
        ("d right w", (DIAGONAL, DIAGONAL)),
        ("w up d", (DIAGONAL, DIAGONAL)),
        ("s down d", (DIAGONAL, -DIAGONAL)),
        ("pad:leftstickdown", (0, -1)),
        ("pad:leftstickup w", (0, 1)),
        ("", (0, 0)),
    ],
)
def test_a_stick_has_a_length_of_at_most_one(make: Make, keys: str, value: Any) -> None:
    game = make(ActionGame)
    for key in keys.split():
        game.testing.press(key)
    assert step(game)["move"] == pytest.approx(value)


def test_a_gamepad_stick_has_a_round_dead_zone(make: Make) -> None:
    game = make(ActionGame)
    game.testing.move_stick("leftstick", 0.14, 0.13)
    assert step(game)["move"] == (0.0, 0.0)
    game.testing.move_stick("leftstick", 0.0, -0.6)
    assert step(game)["move"] == pytest.approx((0, -0.5), abs=0.01)
    game.testing.move_stick("leftstick", 1, 1)
    x, y = step(game)["move"]
    assert x * x + y * y == pytest.approx(1)


def test_an_axis_adds_its_sources_and_counts_wheel_steps(make: Make) -> None:
    game = make(ActionGame)
    game.testing.press("e")
    game.testing.feed([("on_mouse_scroll", 9, 9, 0, 3)])
    assert step(game)["zoom"] == 4.0
    game.testing.press("q")
    assert step(game)["zoom"] == 0.0
    game.testing.pull_trigger("lefttrigger", 1)
    assert step(game)["look"] == -1.0
    game.testing.pull_trigger("righttrigger", 1)
    game.testing.move_stick("rightstick", -1, 0.4)
    assert step(game)["look"] == -1.0
    game.testing.move_stick("rightstick", 0.1, 0)
    assert step(game)["look"] == 0.0


@pytest.mark.parametrize("rate", [10, 30, 60, 240])
def test_ten_thousand_presses_are_each_counted_once_at_any_tick_rate(rate: int) -> None:
    chance = random.Random(9)
    down = set[str]()
    expected = [0, 0]
    with ActionGame(drawing=False, tick_rate=rate) as game:
        pace = random.Random(rate)
        for number in range(10_000):
            source = chance.choice(["space", "pad:a"])
            going_down = chance.random() < 0.5
            if going_down != (source in down):
                (down.add if going_down else down.remove)(source)
                expected[not going_down] += 1
            (game.testing.press if going_down else game.testing.release)(source)
            if not number % 25:
                game.advance(Fraction(1, pace.choice((25, 60, 200))))
        game.run_ticks(2)
        assert [
            sum(counts[0] for counts in game.log),
            sum(counts[2] for counts in game.log),
        ] == expected


# -- mistakes --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sources", "error", "words"),
    [
        (
            "spcae",
            ValueError,
            r"jump: 'spcae' is not a key, mouse button or gamepad control; the nearest are space",
        ),
        (["pad:aa"], ValueError, r"jump: 'pad:aa' is not .*pad:a"),
        (["mouse:lft"], ValueError, r"the nearest are mouse:left"),
        (["space", "SPACE"], ValueError, r"jump: 'space' is bound twice"),
        ([1.5], TypeError, r'jump: expected the name of a source, such as "space"'),
        (None, TypeError, r"jump: expected sources"),
        (True, TypeError, "jump"),
        (-5, ValueError, "jump: expected a key's symbol"),
        ({"stick": ["a d s w"], "more": 1}, ValueError, "jump: expected a dict such as"),
        (["a"] * 40, ValueError, "jump: expected at most 32 sources"),
    ],
)
def test_an_unknown_source_is_refused(sources: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        fw.Actions(jump=sources)


@pytest.mark.parametrize(
    ("create", "words"),
    [
        (
            lambda: fw.Stick("a d s"),
            r"expected 4 sources \(left, right, down, up\) or one of pad:leftstick",
        ),
        (lambda: fw.Stick("pad:lefstick"), r"the nearest are pad:leftstick"),
        (lambda: fw.Axis("q e w"), r"expected 2 sources \(less, more\) or one of pad:leftx"),
        (lambda: fw.Axis("mouse:wheell"), r"nearest are mouse:wheel"),
        (lambda: fw.Stick("a d s w", deadzone=1), r"deadzone: expected a finite number"),
        (
            lambda: fw.Actions(move=fw.Stick("a d s w", "A D S W")),
            r"move: 'a d s w' is bound twice",
        ),
        (lambda: fw.Stick(["a", "d", "s", "w"]), r"expected strings, as in Stick"),
    ],
)
def test_wrong_sides_of_a_stick_or_axis_are_refused(create: Any, words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        create()


def test_unknown_names_are_errors(make: Make) -> None:
    actions = make(ActionGame).actions
    with pytest.raises(ValueError, match=r"action: unknown name 'jmup'; the nearest are jump"):
        actions.presses("jmup")
    with pytest.raises(
        ValueError, match=r"'move' is a Stick, which is not pressed; use actions\['move'\]"
    ):
        actions.held("move")
    with pytest.raises(ValueError, match="context: unknown name 'menu'; the contexts are none"):
        actions.enable("menu")
    assert ("jump" in actions, "jmup" in actions, len(actions)) == (True, False, 5)
    assert list(actions) == ["jump", "fire", "move", "zoom", "look"]


def test_actions_without_a_game_raise_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(current_game, "_open", [])  # games that other tests left open
    actions = fw.Actions(jump="space")
    assert actions.bindings() == {"jump": ["space"]}
    with pytest.raises(fw.FrameworkError, match="no game is open; create them in setup"):
        actions.presses("jump")
    with ActionGame(drawing=False) as game:
        game.testing.press("space")
        game.run_ticks()
        assert actions.presses("jump") == 1  # the current game
    with ActionGame(drawing=False) as game:
        game.run_ticks()
        assert actions.presses("jump") == 0
        game.testing.press("space")
        game.run_ticks()
        assert actions.presses("jump") == 1


# -- contexts --------------------------------------------------------------------------------------


class MenuGame(fw.Game):
    def setup(self) -> None:
        self.actions = fw.Actions(
            jump="space", accept=["space", "pad:a"], move=fw.Stick("a d s w"), back="escape"
        )
        self.actions.context("playing", "jump", "move")
        self.actions.context("menu", "accept", enabled=False)
        self.log: list[str] = []
        self.by_event = False

    def update(self, dt: float) -> None:
        self.log += [
            f"{name} {self.tick}" for name in ("jump", "accept") if self.actions.presses(name)
        ]
        self.log += [f"held {self.tick}"] * self.actions.held("accept")
        if self.actions.just_pressed("jump"):
            self.actions.only("menu")

    def on_key_press(self, symbol: int, modifiers: int) -> None:
        if self.by_event and symbol == fw.key.SPACE:
            self.actions.only("menu")


def test_a_press_that_enables_a_context_is_ignored_in_it(make: Make) -> None:
    game = make(MenuGame)
    game.testing.press("space")
    for _ in range(3):
        step(game)
    assert game.log == ["jump 1"]
    game.testing.release("space")
    game.testing.press("space")
    step(game)
    assert game.log == ["jump 1", "accept 4", "held 4"]
    game.testing.press("a")
    assert step(game)["move"] == (0.0, 0.0)  # this context is disabled
    assert game.actions.is_enabled("menu") is not game.actions.is_enabled("playing")
    game.actions.enable("playing")
    assert step(game)["move"] == (-1.0, 0.0)
    game.testing.press("escape")
    assert step(game).presses("back") == 1  # an action without a context


@pytest.mark.parametrize("paused", [False, True])
def test_a_press_event_that_enables_a_context_is_ignored_even_while_paused(
    make: Make, paused: bool
) -> None:
    game = make(MenuGame, escape_closes=False)
    game.by_event = True
    game.timestep.paused = paused
    game.testing.press("space")
    game.advance(1 / 60)
    game.timestep.paused = False
    for _ in range(2):
        step(game)
    assert game.log == []
    game.testing.release("space")
    step(game)
    game.testing.press("space")
    step(game)
    assert [word.split()[0] for word in game.log] == ["accept", "held"]


def test_contexts_are_part_of_the_state(make: Make) -> None:
    game = make(MenuGame)
    taken = game.snapshot()
    before = game.state_hash()
    game.testing.press("space")
    step(game)
    assert game.actions.is_enabled("menu")
    assert game.state_hash() != before
    game.restore(taken)
    assert game.state_hash() == before
    assert game.actions.is_enabled("playing")


# -- bindings --------------------------------------------------------------------------------------


def test_bindings_can_be_saved_as_json_and_loaded(make: Make) -> None:
    game = make(ActionGame)
    data = game.actions.bindings()
    assert data["jump"] == ["space", "pad:a"]
    assert data["move"] == {
        "stick": ["a d s w", "left right down up", "pad:leftstick"],
        "deadzone": 0.2,
    }
    assert data["zoom"] == {"axis": ["q e", "mouse:wheel"], "deadzone": 0.2}
    assert game.actions.rebind("jump", "x") == []
    assert game.actions.rebind("move.up", "i") == []
    saved = json.loads(json.dumps(game.actions.bindings()))
    assert fw.Actions(**saved).bindings() == saved

    another = make(ActionGame)
    assert another.actions.load(saved | {"gone": ["b"]}) == ["'gone'"]
    another.testing.press("x")
    another.testing.press("i")
    actions = step(another)
    assert (actions.presses("jump"), actions["move"]) == (1, (0, 1))
    another.testing.press("space")
    assert step(another).presses("jump") == 0
    actions.reset()
    assert actions.bindings() == data


@pytest.mark.parametrize(
    "data",
    [
        None,
        3,
        "x",
        [],
        {1: ["a"]},
        {"jump": {"stick": ["a d s w"]}},
        {"jump": None},
        {"jump": ["no such"]},
        {"move": ["a"]},
        {"move": {"stick": "x"}},
        {"move": {"stick": [1]}},
        {"move": {"stick": ["a d s w"], "deadzone": "x"}},
        {"move": {"stick": ["a d s w"], "deadzone": 2}},
        {"move": {"stick": ["a d s w"] * 2}},
        {"jump": ["a"] * 10_000},
        {"move": {"stick": ["a " * 100_000]}},
        {"jump": [["a"]]},
        {"jump": {"axis": ["q e"], "stick": ["a d s w"]}},
    ],
)
def test_invalid_bindings_are_refused_and_change_nothing(make: Make, data: Any) -> None:
    actions = make(ActionGame).actions
    before = actions.bindings()
    with pytest.raises((TypeError, ValueError)) as caught:
        actions.load({"zoom": {"axis": ["x c"]}} | data if isinstance(data, dict) else data)
    assert len(str(caught.value)) < 400
    assert actions.bindings() == before


def test_rebind_replaces_the_source_of_the_same_device_and_returns_conflicts(
    make: Make,
) -> None:
    actions = make(ActionGame).actions
    assert actions.rebind("jump", "pad:b") == []
    assert actions.bindings()["jump"] == ["space", "pad:b"]
    assert actions.rebind("jump", "mouse:left") == ["fire"]
    assert actions.bindings()["jump"] == ["mouse:left", "pad:b"]
    assert actions.conflicts() == {
        "mouse:left": ["jump", "fire"],
        "pad:righttrigger": ["fire", "look.more"],
    }
    assert actions.rebind("jump", "w") == ["move.up"]
    assert actions.rebind("move.up", "W") == ["jump"]
    assert actions.rebind("fire", "e", instead="pad:righttrigger") == ["zoom.more"]
    assert actions.bindings()["fire"] == ["mouse:left", "e"]
    assert actions.rebind("move.left", "pad:dpleft", instead="left") == []
    assert actions.bindings()["move"]["stick"][:2] == ["a d s w", "pad:dpleft right down up"]
    assert actions.rebind("look.less", "pad:x") == []
    for call, words in (
        (
            lambda: actions.rebind("move", "x"),
            r"expected a side of 'move': move\.left, move\.right",
        ),
        (
            lambda: actions.rebind("move.top", "x"),
            r"'move' has no side 'top'; its sides are left, right",
        ),
        (
            lambda: actions.rebind("look.less", "x"),
            r"no string with 2 sources has a side of 'keyboard'",
        ),
        (
            lambda: actions.rebind("jump", "x", instead="y"),
            r"instead: expected a source of the action \(w, pad:b\), got 'y'",
        ),
        (lambda: actions.rebind("jump.up", "x"), r"'jump' has no side 'up'; its sides are none"),
        (lambda: actions.rebind("jump", "pad:leftstck"), "nearest"),
    ):
        with pytest.raises(ValueError, match=words):
            call()


def test_contexts_that_are_never_enabled_together_have_no_conflicts(make: Make) -> None:
    actions = make(MenuGame).actions
    assert actions.conflicts() == {}
    assert actions.rebind("jump", "escape") == ["back"]
    assert actions.rebind("accept", "x") == []
    actions.context("both", "jump", "accept")
    assert actions.rebind("jump", "x") == ["accept"]


class RebindingGame(fw.Game):
    def setup(self) -> None:
        self.actions = fw.Actions(jump=["space", "pad:a"], fire="x")
        self.log: list[Any] = []
        self.jumps = 0
        self.start(self.menu())

    async def menu(self) -> None:
        source = await self.next_input()
        self.log.append((self.tick, source, self.actions.rebind("jump", source)))
        source = await self.next_input("pad")
        self.log.append((self.tick, source, self.actions.rebind("jump", source)))
        self.log.append(await self.next("pad:start"))

    def update(self, dt: float) -> None:
        self.jumps += self.actions.presses("jump")


def test_a_menu_waits_for_the_next_input(make: Make) -> None:
    game = make(RebindingGame)
    step(game)
    game.testing.press("x")
    game.testing.press("y")
    step(game)
    step(game)
    game.testing.press("z")
    step(game)
    game.testing.press("pad:leftstickup")
    step(game)
    game.testing.press("pad:start")
    game.testing.release("pad:start")
    game.testing.press("pad:start")
    step(game)
    assert game.log == [(2, "x", ["fire"]), (5, "pad:leftstickup", []), 2]
    assert game.actions.bindings()["jump"] == ["x", "pad:leftstickup"]


def test_next_input_returns_the_first_press_of_a_device(make: Make) -> None:
    class Asking(fw.Game):
        def setup(self) -> None:
            self.sources: list[str] = []
            for device in ("key", "mouse", "pad"):
                self.start(self.ask(device))

        async def ask(self, device: str) -> None:
            self.sources.append(await self.next_input(device))

    game = make(Asking)
    game.advance(1 / 60)
    game.testing.feed(
        [
            ("on_mouse_press", 1, 1, 16, 0),
            ("on_key_press", 999_999, 0),
            ("on_key_press", fw.key.RETURN, 0),
        ]
    )
    game.testing.press("pad:lefttrigger")
    game.advance(1 / 60)
    assert sorted(game.sources) == ["mouse:mouse5", "pad:lefttrigger", "return"]
    fw.Actions(all=game.sources)  # every returned name is a valid source


def test_prompts_are_the_labels_of_keys_and_gamepad_buttons(make: Make) -> None:
    game = make(ActionGame)
    actions = step(game)
    assert (actions.prompts("jump"), actions.prompts("fire")) == (["Space"], ["left mouse button"])
    assert fw.Actions(go="pad:x").prompts("go") == ["X"]  # even if no gamepad is connected
    game.testing.connect("DualSense", "playstation")
    assert step(game).prompts("jump") == ["Space", "cross"]
    assert actions.prompts("move.up") == ["W", "Up"]
    assert fw.Actions(go="pad:x").prompts("go") == ["square"]


# -- players ---------------------------------------------------------------------------------------


class TwoPlayerGame(fw.Game):
    def setup(self) -> None:
        both = fw.Actions(go=["space", "pad:a"], move=fw.Stick("a d s w", "pad:leftstick"))
        self.actions_by_player = [both, both.player(1)]
        self.shared = fw.Actions(go="enter").player(1, keyboard=0)

    def counts(self) -> list[int]:
        return [actions.presses("go") for actions in (*self.actions_by_player, self.shared)]


def test_each_player_has_own_keys_and_gamepads(make: Make) -> None:
    game = make(TwoPlayerGame, players=2)
    game.testing.press("space", player=1)
    game.testing.press("enter")
    game.testing.press("pad:leftstickup", player=1)
    game.advance(1 / 60)
    assert game.counts() == [0, 1, 1]
    assert [actions["move"] for actions in game.actions_by_player] == [(0, 0), (0, 1)]
    game.testing.connect(player=0)
    game.testing.press("pad:a", player=0)
    game.advance(1 / 60)
    assert game.counts() == [1, 0, 0]
    game.actions_by_player[1].rebind("go", "x")
    assert game.actions_by_player[0].bindings()["go"] == ["space", "pad:a"]
    with pytest.raises(ValueError, match=r"number: the game has 2 players, with numbers from 0"):
        game.actions_by_player[0].player(2)


def test_a_reconnected_gamepad_belongs_to_its_player(make: Make) -> None:
    game = make(TwoPlayerGame, players=2)
    for _ in range(2):
        game.testing.connect()
    game.advance(1 / 60)
    game.testing.feed([("on_pad_press", 0, "a"), ("on_pad_press", 1, "a")])
    game.testing.disconnect(1)
    game.advance(1 / 60)
    assert game.counts() == [1, 1, 0]
    game.advance(1 / 60)
    assert [actions.held("go") for actions in game.actions_by_player] == [True, False]
    game.testing.connect(pad=1)
    game.testing.feed([("on_pad_press", 1, "a")])
    game.advance(1 / 60)
    assert game.counts() == [0, 1, 0]


# -- recordings ------------------------------------------------------------------------------------


class RecordedGame(fw.Game):
    def __init__(self, controls: Any = None, **options: Any) -> None:
        self.controls = controls
        super().__init__(**options)

    def setup(self) -> None:
        self.actions = fw.Actions(
            jump=["space", "pad:a"], move=fw.Stick("a d s w", "pad:leftstick"), open="m"
        )
        self.actions.context("menu", "jump", enabled=False)
        if self.controls:
            self.actions.load(self.controls)
        self.x = self.y = 0.0
        self.jumps = 0

    def update(self, dt: float) -> None:
        x, y = self.actions["move"]
        self.x = self.x + x * dt
        self.y = self.y + y * dt
        self.jumps += self.actions.presses("jump")
        if self.actions.just_pressed("open"):
            (self.actions.disable if self.actions.is_enabled("menu") else self.actions.enable)(
                "menu"
            )


def test_a_recording_of_actions_replays_exactly(
    tmp_path: Path,
) -> None:
    path = tmp_path / "acts.subtick"
    chance = random.Random(3)
    with RecordedGame({"jump": ["x", "pad:b"]}, drawing=False) as game:
        game.recording.start(path, hash_every=1)
        for _ in range(400):
            for _ in range(chance.randrange(3)):
                source = chance.choice(["a", "d", "w", "x", "m", "pad:b", "space"])
                (game.testing.press if chance.random() < 0.6 else game.testing.release)(source)
            game.testing.move_stick("leftstick", chance.uniform(-1, 1), chance.uniform(-1, 1))
            game.run_ticks()
        assert game.jumps
        ended = game.state_hash()
        game.recording.stop()
    report = fw.Replay(path).verify(RecordedGame, drawing=False)
    assert (report.ok, report.compared) == (True, 400)
    assert isinstance(ended, int)


def test_repeated_ticks_have_the_same_actions() -> None:
    fw.sync_test(RecordedGame, ticks=40, check_distance=4).check()


@pytest.mark.parametrize(
    "stick", [fw.Stick("a d s a"), fw.Axis("q q"), fw.Stick("a d s w", "a right down up")]
)
def test_a_source_on_two_sides_is_refused(stick: fw.Axis) -> None:
    with pytest.raises(ValueError, match=r"move: '[aq]' is bound twice"):
        fw.Actions(move=stick)


def test_two_sides_with_one_key_after_a_rebind_can_be_saved_and_loaded() -> None:
    with fw.Game(drawing=False, players=2):
        actions = fw.Actions(move=fw.Stick("a d s w"))
        assert actions.rebind("move.up", "s") == ["move.down"]
        saved = actions.bindings()
        assert actions.player(1).bindings() == saved
        assert actions.load(saved) == []
        assert actions.rebind("move.down", "w") == []


def test_actions_of_another_player_stay_with_their_game(make: Make) -> None:
    game = make(ActionGame, players=2)
    step(game)
    make(ActionGame)
    second = game.actions.player(1)
    game.testing.press("space", player=1)
    step(game)
    assert second.held("jump")


# -- combinations ----------------------------------------------------------------------------------


class CombinationGame(fw.Game):
    def setup(self) -> None:
        self.actions = fw.Actions(
            save=["ctrl+s", "pad:a+pad:b"],
            save_as="ctrl+shift+s",
            down="s",
            aim="shift+mouse:left",
            run="shift",
            open=["hold:e", "hold:pad:x"],
            use="e",
            dash="double:space",
            jump="space",
            move=fw.Stick("a d s w"),
            turn=fw.Axis("alt+q alt+e"),
        )
        self.log: list[str] = []

    def update(self, dt: float) -> None:
        for name in self.actions:
            if name not in ("move", "turn"):
                presses = self.actions.presses(name)
                releases = self.actions.releases(name)
                self.log += [f"+{name}"] * presses + [f"-{name}"] * releases

    def do(self, script: str) -> list[str]:
        """Press and release sources.

        "+s -s 5" is a tick with a press, a tick with a release, and 5 ticks.
        """
        self.log.clear()
        for word in script.split():
            if word.isdecimal():
                self.run_ticks(int(word))
                continue
            for part in word.split(","):
                name = part[1:].removeprefix("mouse:")
                mouse = self.mouse if name != part[1:] else self.testing
                (mouse.press if part[0] == "+" else mouse.release)(name)
            self.run_ticks(1)
        log = self.log
        self.log = []
        return log


@pytest.fixture
def combining(make: Make) -> Any:
    return make(CombinationGame, drawing=False)


def test_a_chord_is_pressed_by_its_last_key(
    combining: Any,
) -> None:
    for ctrl in ("lctrl", "rctrl"):
        assert combining.do(f"+{ctrl} 3 +s") == ["+save"]
        assert combining.actions.held("save")
        assert combining.actions["save"] == 1
        assert combining.do("3 -s") == ["-save"]
        assert combining.do(f"+s -s -{ctrl}") == ["+save", "-save"]
    assert combining.do("+s +lctrl -s -lctrl") == [
        "+down",
        "-save",
    ]  # the modifier must come before the key
    assert combining.do("+lctrl,+s -lctrl,-s") == ["+save", "-save"]  # in one tick
    assert combining.do("+s -s") == ["+down", "-down"]


def test_the_largest_chord_hides_the_other_actions_of_its_key(combining: Any) -> None:
    assert combining.do("+lctrl +rshift +s -s -rshift -lctrl") == [
        "+run",
        "+save_as",
        "-save_as",
        "-run",
    ]
    assert combining.do("+s 1") == ["+down"]
    assert combining.actions["move"] == (0, -1)
    combining.do("+lctrl 1")
    assert combining.actions["move"] == (0, 0)
    combining.do("-s -lctrl +w")
    assert combining.actions["move"] == (0, 1)


def test_gamepad_chords_need_no_order_and_modifiers_apply_to_the_mouse(combining: Any) -> None:
    for first, second in (("a", "b"), ("b", "a")):
        assert combining.do(f"+pad:{first} 5 +pad:{second}") == ["+save"]
        assert combining.do(f"-pad:{first} -pad:{second}") == ["-save"]
    assert combining.do("+lshift +mouse:left -mouse:left -lshift") == [
        "+run",
        "+aim",
        "-aim",
        "-run",
    ]
    assert combining.do("+mouse:left -mouse:left") == []
    combining.do("+lalt +q")
    assert combining.actions["turn"] == -1
    combining.do("-lalt 1")
    assert combining.actions["turn"] == 0


def test_a_source_that_is_held_for_half_a_second_is_pressed_once(combining: Any) -> None:
    assert combining.do("+e 28 -e") == ["+use", "-use"]
    assert combining.do("+e 29") == ["+use"]
    assert not combining.actions.held("open")
    assert combining.do("1") == ["+open"]
    assert combining.do("200") == []
    assert combining.actions.held("open")
    assert combining.actions["open"] == 1
    assert sorted(combining.do("-e")) == ["-open", "-use"]
    assert combining.do("5") == []
    assert combining.actions["open"] == 0
    assert combining.do("+pad:x 30 -pad:x") == ["+open", "-open"]
    combining.actions.hold_seconds = 0.1
    assert combining.do("+pad:x 6 -pad:x") == ["+open", "-open"]
    assert sorted(combining.do("+e 4 -e,+e 4 -e")) == ["+use", "+use", "-use", "-use"]
    assert combining.do("+e 3 -e,+e 5").count("+open") == 0
    assert combining.do("2") == ["+open"]


def test_two_taps_within_a_third_of_a_second_are_a_double_tap(combining: Any) -> None:
    assert combining.do("+space -space 10 +space") == ["+jump", "-jump", "+dash", "+jump"]
    assert combining.actions.held("dash")
    assert sorted(combining.do("20 -space")) == ["-dash", "-jump"]
    assert combining.do("+space -space 20 +space -space 40") == ["+jump", "-jump"] * 2
    taps = combining.do("+space -space +space -space +space -space +space -space 40")
    assert (taps.count("+dash"), taps.count("-dash"), taps.count("+jump")) == (2, 2, 4)
    combining.actions.double_tap_seconds = 1
    assert "+dash" in combining.do("+space -space 50 +space -space 70")
    taps = combining.do("+space,-space,+space,-space 2")  # all in one tick
    assert (taps.count("+dash"), taps.count("-dash")) == (1, 1)


def test_combinations_work_with_snapshots_saved_bindings_and_players(make: Make) -> None:
    game = make(CombinationGame, drawing=False)
    game.do("+e 20 +space -space")
    snapshot = game.snapshot()
    state = game.state_hash()
    expected = game.do("8 +space 3 -e")
    assert {"+open", "-open", "+dash"} <= set(expected)
    after = game.state_hash()
    game.do("-space 50")
    game.restore(snapshot)
    assert game.state_hash() == state
    assert game.do("8 +space 3 -e") == expected
    assert game.state_hash() == after
    data = json.loads(json.dumps(game.actions.bindings()))
    assert data["open"] == ["hold:e", "hold:pad:x"]
    again = fw.Actions(open="x", save="y", dash="z")
    assert again.load({name: data[name] for name in ("open", "save", "dash")}) == []
    assert again.bindings() == {name: data[name] for name in ("open", "save", "dash")}
    player_actions = game.actions.player(0)
    player_actions.rebind("open", "Hold:Ctrl + G")
    assert player_actions.bindings()["open"] == ["hold:ctrl+g", "hold:pad:x"]
    assert game.actions.bindings()["open"] == ["hold:e", "hold:pad:x"]
    player_actions.reset()
    assert player_actions.bindings() == data
    assert fw.sync_test(CombinationGame, 300).ok
    assert game.actions.prompts("save") == ["Ctrl + S"]
    assert game.actions.prompts("open") == ["Hold E"]
    assert game.actions.prompts("dash") == ["Space twice"]
    game.testing.connect("pad", kind="playstation")
    game.run_ticks(1)
    assert game.actions.prompts("save") == ["Ctrl + S", "cross + circle".capitalize()]


def test_a_held_combination_is_ignored_when_its_context_is_enabled(make: Make) -> None:
    game = make(CombinationGame, drawing=False)
    game.actions.context("files", "save", enabled=False)
    game.do("+lctrl +s")
    game.actions.enable("files")
    assert not game.actions.held("save")
    assert "-save" not in game.do("2 -s")
    assert game.do("+s") == ["+save"]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("ctrl+", 'a combination such as "ctrl+s"'),
        ("+", 'a combination such as "ctrl+s"'),
        ("ctrl+ss", "'ss' is not a key"),
        ("hold:", 'a combination such as "ctrl+s"'),
        ("hold:hold:e", 'a combination such as "ctrl+s"'),
        ("hold:double:e", 'a combination such as "ctrl+s"'),
        ("s+s", "a chord of different sources"),
        ("ctrl+ctrl+s", "a chord of different sources"),
        ("a+b+c+d+e", "a chord of at most 4 sources"),
        ("a+" * 50_000, "a chord of at most 4 sources"),
        ("hodl:e", "is not a key"),
        ("pad:a+pad:nope", "is not a key"),
        ("ctrl+pad:dpad", "is not a key"),
    ],
)
def test_a_wrong_combination_is_a_short_error(source: str, words: str) -> None:
    with pytest.raises(ValueError, match=f"^jump: .*{re.escape(words)}") as caught:
        fw.Actions(jump=[source])
    assert len(str(caught.value)) < 300


def test_the_stick_that_is_moved_furthest_counts(make: Make) -> None:
    game = make(ActionGame)
    for pad, deflection in enumerate((0.5, -1.0)):
        game.testing.connect(pad=pad)
        game.testing.feed([("on_pad_stick", pad, "rightstick", quantised(deflection), 0.0)])
    assert step(game)["look"] == -1.0


def test_a_hold_ends_if_its_source_is_up_or_was_released() -> None:
    pressed = GestureState(seconds=0.2)
    for is_held, releases in ((False, 0), (True, 1), (False, 1)):
        assert next_hold(pressed, 0.1, 0, is_held, releases, seconds=0.25) == GestureState()
    assert next_hold(pressed, 0.1, 0, True, 0, seconds=0.25).active
