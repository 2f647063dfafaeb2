"""The programs with a truck and with a character in docs/physics.md, played with keys."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework as fw
from framework import quaternions

pytest.importorskip("rapier3d", reason="Rapier is not installed: pip install 'subtick[physics]'")
pytestmark = pytest.mark.repository

PAGE = Path(__file__).parent.parent / "docs" / "physics.md"


def program(name: str) -> Any:
    """Return the game class of a program on the page."""
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    code = next(block for block in blocks if f"class {name}(fw.Game)" in block)
    values: dict[str, Any] = {"__name__": "docs_program"}
    exec(compile(code, f"docs/physics.md: {name}", "exec"), values)
    return values[name]


class Driver:
    """Holds keys down in a game."""

    def __init__(self, game: Any) -> None:
        self.game = game
        self.held: set[str] = set()

    def hold(self, *names: str, ticks: int = 1) -> None:
        for name in self.held - set(names):
            self.game.testing.release(name)
        for name in set(names) - self.held:
            self.game.testing.press(name)
        self.held = set(names)
        self.game.run_ticks(ticks)


def directions(game: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the forward direction and the up direction of the truck."""
    axes = np.array([(0.0, 0.0, 1.0), (0.0, 1.0, 0.0)])
    ahead, up = quaternions.rotate(np.tile(game.truck.rotation, (2, 1)), axes)
    return ahead, up


def test_the_truck_drives_turns_jumps_and_brakes() -> None:
    with program("Track")(headless=True, drawing=False) as game:
        driver = Driver(game)
        angle = 0.75  # before the ramp
        game.truck.position = 36 * np.sin(angle), 1, 36 * np.cos(angle)
        game.truck.rotation = quaternions.from_vectors(np.array([(0, np.pi / 2 + angle, 0)]))[0]
        game.body.velocity = 13 * np.cos(angle), 0, -13 * np.sin(angle)
        highest = 0.0
        lowest_up = 1.0
        while angle < 3.0:  # over the ramp and the bumps
            x, y, z = game.truck.position
            radius = np.hypot(x, z)
            angle = np.arctan2(x, z)
            ahead, up = directions(game)
            goal = np.array([z, 0, -x]) / radius  # along the track
            goal -= np.array([x, 0, z]) / radius * (radius - 36) * 0.06
            turn = np.cross(ahead, goal)[1]
            keys = ["up"] if game.vehicle.speed < 17 else []
            keys += ["left"] if turn > 0.06 else ["right"] if turn < -0.06 else []
            driver.hold(*keys, ticks=3)
            highest = max(highest, y)
            lowest_up = min(lowest_up, up[1])
            assert game.tick < 600, "the truck stands"
            assert radius == pytest.approx(36, abs=7), "the truck leaves the track"
            assert np.isfinite(game.body.velocity).all()
        assert highest > 2.2
        assert lowest_up > 0.8
        speed = game.vehicle.speed
        assert speed > 12
        start = np.array(game.truck.position)
        driver.hold("space", ticks=60)
        assert game.vehicle.speed < speed - 5
        game.body.velocity = game.body.velocity / 8
        driver.hold("space", ticks=30)
        assert abs(game.vehicle.speed) < 0.3
        assert 6 < np.linalg.norm(start - game.truck.position) < 25
        driver.hold("down", ticks=30)
        assert game.vehicle.speed < -2
        driver.hold("r")
        driver.hold(ticks=40)
        assert directions(game)[1][1] > 0.98


def test_the_character_rides_climbs_jumps_and_pushes() -> None:
    with program("Factory")(headless=True, drawing=False) as game:
        driver = Driver(game)
        hero = game.hero
        movers = game.movers
        hero.position = 3, 0.61, 4
        driver.hold("right", ticks=100)
        assert hero.position[1] > 2  # on the stairs
        hero.position = -2.5, 0.61, 4
        crates = game.crates.position.copy()
        driver.hold("left", ticks=50)
        assert np.abs(game.crates.position - crates)[:, 0].max() > 1

        def ride(mover: int) -> np.ndarray:
            x, y, z = movers.position[mover].tolist()
            hero.position = x, y + 0.77, z
            driver.hold(ticks=5)
            offsets = []
            for _ in range(80):
                driver.hold()
                offsets.append(np.array(hero.position) - movers.position[mover])
            assert game.walker.floor_body == movers[mover]
            return np.ptp(offsets, axis=0)

        for mover in (0, 1):  # the lift and the sled
            assert ride(mover).max() < 0.02
        driver.hold("space")
        assert not game.walker.on_floor


@pytest.mark.parametrize("name", ["Track", "Factory"])
def test_the_programs_can_be_restored(name: str) -> None:
    fw.sync_test(program(name), ticks=24).check()
