"""Games as Gymnasium environments: checks, actions, observations, rewards, ends and errors."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from catching import PLAIN, Catch
from gymnasium.utils.env_checker import check_env
from gymnasium.utils.env_match import check_environments_match

import framework as fw
from framework import FrameworkError, resources
from framework.sim.game_files import game_class_of

EXAMPLES = sorted(resources.folder("examples").glob("[0-9]*.py"))


def env(**options: Any) -> Any:
    return fw.GameEnv(Catch, **{**PLAIN, **options})


@pytest.mark.parametrize(
    "options", [{}, {"observation": "pixels", "size": (24, 16)}, {"render_mode": "rgb_array"}]
)
def test_the_check_of_gymnasium_passes(options: dict[str, Any]) -> None:
    environment = env(**options)
    check_env(environment)
    environment.close()


# One check creates a dozen environments, and some examples build large worlds. They are checked at
# night.
SLOW = ("05", "08", "09", "10", "14", "16", "18", "19", "20", "21")
QUICK = [path for path in EXAMPLES if path.name[:2] not in SLOW or os.environ.get("NEW_EXAMPLES")]


# Gymnasium's check tests `GameEnv` more than the game, so by day it runs for these examples only.
CHECKED = ("02", "04", "11")


@pytest.mark.parametrize("path", QUICK, ids=lambda path: path.name)
def test_every_example_is_an_environment(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["example"])
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    game_class, options = game_class_of(str(path))
    environment, second = (
        fw.GameEnv(game_class, observation=("tick", "mouse.position"), **options) for _ in range(2)
    )
    if path.name[:2] in CHECKED or os.environ.get("NEW_EXAMPLES"):
        check_env(environment, skip_render_check=True)
    check_environments_match(environment, second, 5)
    environment.close()
    second.close()


def test_keys_are_held_for_a_step_and_events_are_sent() -> None:
    pressed = []

    class KeyGame(fw.Game):
        def on_key_press(self, symbol: int, modifiers: int) -> None:
            pressed.append(symbol)

        def observation(self) -> Any:
            held = [self.keys[name] for name in ("left", "space")]
            return np.array(
                [*held, self.keys.presses("left"), self.keys.releases("left")], np.float32
            )

    environment = fw.GameEnv(KeyGame, actions=[(), "left", ("left", "space")])
    assert environment.action_space == gym.spaces.Discrete(3)
    environment.reset(seed=1)
    steps = [environment.step(action)[0].tolist() for action in (1, 1, 2, 0, 0)]
    assert steps == [[1, 0, 1, 0], [1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 0, 1], [0, 0, 0, 0]]
    assert pressed == [fw.key.LEFT, fw.key.SPACE]
    environment.reset()
    assert environment.step(0)[0].tolist() == [0, 0, 0, 0]
    environment.close()


def test_each_episode_has_a_seed_from_the_generator_of_the_environment() -> None:
    environment = env()
    environment.reset(seed=8)
    seeds = [environment.game._engine.stage.seed]
    environment.reset()
    seeds.append(environment.game._engine.stage.seed)
    generator, _ = gym.utils.seeding.np_random(8)
    assert seeds == generator.integers(2**62, size=2).tolist()
    environment.close()


def test_the_space_of_the_caller_replaces_that_of_the_game() -> None:
    class Described(fw.Game):
        observation_space = gym.spaces.Box(-9, 9, (2,), np.float32)

        def observation(self) -> Any:
            return np.zeros(2, np.float32)

    smaller = gym.spaces.Box(-1, 1, (2,), np.float32)
    with fw.GameEnv(Described) as own, fw.GameEnv(Described, observation_space=smaller) as other:
        assert own.observation_space == Described.observation_space
        assert other.observation_space == smaller


def test_a_game_can_define_its_action_observation_reward_and_end() -> None:
    class SelfDescribed(fw.Game):
        action_space = gym.spaces.Box(-1, 1, (2,), np.float32)
        observation_space = gym.spaces.Box(-9, 9, (2,), np.float32)

        def setup(self) -> None:
            self.location = np.zeros(2, np.float32)

        def act(self, action: Any) -> None:
            self.direction = action

        def update(self, dt: float) -> None:
            self.location += self.direction

        def observation(self) -> Any:
            return self.location

        def reward(self) -> float:
            return float(-np.abs(self.location).sum())

        @property
        def terminated(self) -> bool:
            return bool((np.abs(self.location) > 2).any())

        def info(self) -> dict[str, Any]:
            return {"tick": self.tick}

    environment = fw.GameEnv(SelfDescribed, ticks_per_step=2, max_steps=3)
    check_env(environment)
    environment.reset(seed=0)
    observation, reward, terminated, truncated, info = environment.step(
        np.array([0.5, -0.25], np.float32)
    )
    assert (observation.tolist(), reward, terminated, truncated, info) == (
        [1, -0.5],
        -1.5,
        False,
        False,
        {"tick": 2},
    )
    assert environment.step(np.array([1, 0], np.float32))[2:4] == (True, False)
    assert environment.step(np.array([0, 0], np.float32))[2:4] == (True, True)
    assert observation.tolist() == [1, -0.5]  # a copy of the observation
    with pytest.raises(ValueError, match=r"^action: .*Box"):
        environment.step(np.array([5, 5], np.float32))
    environment.close()


def test_the_numbers_of_saved_attributes_are_the_observation() -> None:
    class Declares(fw.Game):
        saved = ("name", "score", "map", "random")

        def setup(self) -> None:
            self.name = "a"
            self.score = 3
            self.map = np.arange(4).reshape(2, 2)

    environment = fw.GameEnv(Declares)
    assert environment.reset(seed=0)[0].tolist() == [3, 0, 1, 2, 3]
    environment.close()


def test_the_reward_is_the_increase_of_the_score_and_exit_ends_the_episode() -> None:
    environment = env(max_steps=500)
    environment.reset(seed=3)
    total = 0.0
    steps = 0
    while True:
        bat = environment.game.bat.x
        ball = environment.game.ball.x
        _, worth, terminated, truncated, _ = environment.step(
            0 if abs(bat - ball) < 3 else 1 if ball < bat else 2
        )
        total = total + worth
        steps = steps + 1
        if terminated or truncated:
            break
    assert (steps, terminated, truncated) == (500, False, True)
    assert total == environment.game.score == 11
    environment.reset()
    while not terminated:
        _, worth, terminated, truncated, _ = environment.step(1)
    assert terminated
    assert isinstance(terminated, bool)
    environment.close()


def test_images_show_the_last_tick_and_change_nothing() -> None:
    drawn = env(render_mode="rgb_array")
    plain = env()
    for environment in (drawn, plain):
        environment.reset(seed=5)
        assert environment.game.drawing is (environment is drawn)
    for _ in range(9):
        image = drawn.render()
        assert (drawn.step(2)[0] == plain.step(2)[0]).all()
    assert image.shape == (100, 100, 3)
    assert image.dtype == np.uint8
    row = 99 - int(drawn.game.ball.y)
    assert (drawn.render()[row, round(drawn.game.ball.x)] == 255).all()
    assert drawn.game.state_hash() == plain.game.state_hash()
    assert plain.render() is None
    drawn.close()
    plain.close()
    assert drawn.render() is None


def test_gymnasium_can_make_the_environment() -> None:
    environment = gym.make(env().spec, render_mode="rgb_array")
    environment.reset(seed=1)
    assert environment.render().shape == (100, 100, 3)
    environment.close()
    assert environment.unwrapped.metadata["render_fps"] == 60
    assert env(ticks_per_step=4).metadata["render_fps"] == 15


def test_a_paused_game_runs_no_ticks() -> None:
    class Pauses(fw.Game):
        def on_key_press(self, symbol: int, modifiers: int) -> None:
            if symbol == fw.key.P:
                self.timestep.paused = not self.timestep.paused

    environment = fw.GameEnv(Pauses, actions=[(), "p"], observation=("tick",))
    environment.reset(seed=0)
    ticks = [int(environment.step(action)[0][0]) for action in (0, 1, 0, 0, 1, 0)]
    assert ticks == [1, 2, 2, 2, 2, 3]
    environment.close()


def test_another_process_has_the_same_observations(tmp_path: Path) -> None:
    (tmp_path / "there.py").write_text(
        "import sys, numpy as np, framework as fw\n"
        f"sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "from catching import PLAIN, Catch\n"
        "made = fw.GameEnv(Catch, **PLAIN)\n"
        "seen = [made.reset(seed=8)[0], *(made.step(action % 3)[0] for action in "
        "range(30)), made.reset()[0]]\n"
        "sys.stdout.write(np.array(seen).tobytes().hex())\n"
    )
    command = [sys.executable, str(tmp_path / "there.py")]
    process = subprocess.run(command, capture_output=True, text=True, check=True)
    environment = env()
    observations = [
        environment.reset(seed=8)[0],
        *(environment.step(action % 3)[0] for action in range(30)),
        environment.reset()[0],
    ]
    assert process.stdout == np.array(observations).tobytes().hex()
    environment.close()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"actions": "left"}, r"^actions: expected for each action the names"),
        ({"actions": []}, r"^actions: "),
        ({"actions": [("spcae",)]}, r"^actions: .*space"),
        ({"actions": [3.5]}, r"^actions: "),
        ({"actions": gym.spaces.Discrete(2)}, r"^actions: .*method act"),
        ({"observation": "pixel"}, r"^observation: .*pixels"),
        ({"observation": 3}, r"^observation: "),
        ({"observation_space": 3}, r"^observation_space: "),
        ({"reward": 3}, r"^reward: "),
        ({"terminated": 3}, r"^terminated: "),
        ({"render_mode": "human"}, r"^render_mode: .*rgb_array"),
        ({"ticks_per_step": 0}, r"^ticks_per_step: "),
        ({"max_steps": 0}, r"^max_steps: "),
    ],
)
def test_invalid_arguments_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        env(**options)


@pytest.mark.parametrize("number", [True, 0, -1])
def test_only_an_integer_above_0_is_a_space(number: int) -> None:
    game_class = type("Numbered", (fw.Game,), {"action_space": number})
    with pytest.raises((TypeError, ValueError), match=r"^actions: expected for each action"):
        fw.GameEnv(game_class)


def test_invalid_observations_are_errors() -> None:
    with pytest.raises(FrameworkError, match=r"^observation: 'bat\.z' cannot be read"):
        env(observation=("bat.z",))
    with pytest.raises(FrameworkError, match=r"^observation: 'title' is neither a number"):
        fw.GameEnv(type("Titled", (fw.Game,), {"title": "x"}), observation=("title",))
    with pytest.raises(
        FrameworkError, match=r"^observation: .* needs an observation_space; got dict"
    ):
        env(observation=lambda game: {"a": 1})
    environment = env(observation=lambda game: np.zeros(1 + game.tick))
    environment.reset(seed=0)
    with pytest.raises(
        FrameworkError, match=r"^observation: its shape was \(1,\) and is now \(2,\)"
    ):
        environment.step(0)
    environment.close()
    with pytest.raises(ValueError, match=r"^step: expected a reset\(\) before it"):
        environment.step(0)
    with pytest.raises(ValueError, match=r"^action: expected one of Discrete\(3\)"):
        environment.reset(seed=0), environment.step(3)
    environment.close()
    with pytest.raises(TypeError, match=r"^game_class: "):
        fw.GameEnv(fw.Scene)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["reward", "terminated"])
def test_an_unknown_path_for_reward_or_end_is_an_error(name: str) -> None:
    environment = env(**{name: "scor"})
    with pytest.raises(
        FrameworkError,
        match=f"^{name}: 'scor' cannot be read: 'Catch' object has no attribute",
    ):
        environment.reset(seed=0), environment.step(0)
    environment.close()


@pytest.mark.parametrize(
    "reward", ["bat.position", "title", lambda game: None, lambda game: [1, 2]]
)
def test_a_reward_that_is_no_number_is_an_error(reward: Any) -> None:
    environment = fw.GameEnv(
        type("Titled", (Catch,), {"title": "x"}), **{**PLAIN, "reward": reward}
    )
    with pytest.raises(FrameworkError, match=r"^reward: expected a number, got "):
        environment.reset(seed=0), environment.step(0)
    environment.close()


def test_missing_gymnasium_is_an_error_with_its_name() -> None:
    code = """
import sys
sys.modules["gymnasium"] = sys.modules["pettingzoo"] = None
from framework import *
import framework as fw
for make in (fw.GameEnv, fw.vector_env, fw.parallel_env):
    try:
        make(fw.Game)
    except fw.FrameworkError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    needs = "needs {}: pip install 'subtick[gym]'".format
    missing = [line.split(" ", 1) for line in done.stdout.splitlines()]
    why = needs("Gymnasium")
    assert missing == [["GameEnv", why], ["vector_env", why], ["parallel_env", needs("PettingZoo")]]


def test_an_action_may_be_a_gamepad_button() -> None:
    class Pads(fw.Game):
        def observation(self) -> Any:
            pad = self.pads[0]
            return np.array(
                [pad.connected, pad["a"], pad.presses("a"), pad.righttrigger], np.float32
            )

    environment = fw.GameEnv(Pads, actions=[(), "pad:a", ("PAD:a", "pad:righttrigger")])
    environment.reset(seed=0)
    steps = [environment.step(action)[0].tolist() for action in (1, 2, 0, 0)]
    assert steps == [[1, 1, 1, 0], [1, 1, 0, 1], [1, 1, 0, 0], [1, 0, 0, 0]]
    environment.close()
    with pytest.raises(ValueError, match=r"actions: pad: unknown control 'pad:aa'"):
        fw.GameEnv(Pads, actions=["pad:aa"])
