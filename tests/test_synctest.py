"""Sync tests: they find planted mistakes, locate them, and pass repeatable games."""

from __future__ import annotations

import itertools
import math
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from pictures import blob
from ticking import counter

import framework as fw
from framework.timing.systems import PHASES
from framework.tools import cli

SIZE = {"size": (200, 100)}


class Good(fw.Game):
    """A repeatable game: random numbers, tasks, closures, keys, and sprites and scenes that are
    added and removed."""

    def setup(self) -> None:
        self.batch = self.add(fw.SpriteBatch(blob(), count=8))
        self.speed = self.random.normal(0, 50, (8, 2)).astype(np.float32)
        self.ships = [self.sprites.add(blob(), position=(20 * index, 50)) for index in range(3)]
        self.seen: set[str] = set()
        self.count = counter()
        self.schedule.interval(lambda dt: self.ships[0].teleport((100, 50)), 0.2)

    def update(self, dt: float) -> None:
        self.batch.position += self.speed * np.float32(dt)
        for ship in self.ships:
            ship.x += self.random.normal()
        if self.keys.just_pressed("space"):
            self.ships.append(self.sprites.add(blob(), position=(self.count(), 10)))
        if self.keys.just_pressed("left") and len(self.ships) > 1:
            self.ships.pop().remove()
        if self.keys.just_pressed("return") and self.scene is self:
            self.push(Over())
        self.seen.add(f"{self.tick % 7}")
        self.total = sum(int(name) for name in self.seen)


class Over(fw.Scene):
    pauses_below = False

    def setup(self) -> None:
        self.left = 5
        self.text = self.labels.add("5", (5, 5))

    def update(self, dt: float) -> None:
        self.left -= 1
        self.text.text = str(self.left)
        if not self.left:
            self.game.pop()


def test_a_repeatable_game_passes() -> None:
    report = fw.sync_test(Good, ticks=80, **SIZE)
    assert report.ok, str(report)
    assert report.check() is report
    assert str(report) == "Good: 80 ticks, 8 back: the same each time"


def test_a_sync_test_needs_no_drawing_but_supports_it() -> None:
    class Told(Good):
        made: ClassVar[list[bool]] = []

        def setup(self) -> None:
            super().setup()
            self.made.append(self.drawing)

    class Looks(Told):
        def update(self, dt: float) -> None:
            super().update(dt)
            self.most = self.picture.ctx.info["GL_MAX_TEXTURE_SIZE"]

    without = fw.sync_test(Told, ticks=24, **SIZE)
    assert without == fw.sync_test(Told, ticks=24, drawing=True, **SIZE).check()
    assert fw.sync_test(Looks, ticks=8, **SIZE).ok
    assert Told.made == [False, True, False, True]
    with pytest.raises(
        fw.FrameworkError, match=r"ctx\.info: this game was made with drawing=False"
    ):
        fw.sync_test(Looks, ticks=8, drawing=False, **SIZE)


def test_ticks_can_be_run_again_from_each_earlier_tick() -> None:
    assert fw.sync_test(Good, ticks=20, check_distance=4, seed=5, stride=1, **SIZE).ok


# -- planted mistakes ------------------------------------------------------------------------------


class Planted(fw.Game):
    """A game in which `wrong` sets column 1 of row 3, from tick 20 on."""

    def setup(self) -> None:
        self.batch = self.add(fw.SpriteBatch(blob(), count=5))
        self.begin()

    def begin(self) -> None: ...

    def wrong(self) -> float:
        raise NotImplementedError

    def update(self, dt: float) -> None:
        self.batch.position[:, 0] += 1
        value = self.wrong()
        if self.tick >= 20:
            self.batch.position[3, 1] = value


class WallClock(Planted):
    def wrong(self) -> float:
        return time.perf_counter() % 1


class ModuleRandom(Planted):
    def wrong(self) -> float:
        return random.random()


class ClassAttribute(Planted):
    made = 0

    def wrong(self) -> float:
        type(self).made += 1
        return self.made


_count = counter()


class ClosureOfTheModule(Planted):
    def wrong(self) -> float:
        return _count()


class SetOrder(Planted):
    def begin(self) -> None:
        # strings have another order in each process
        self.numbers = {1_000_003 * index for index in range(20)}

    def wrong(self) -> float:
        self.numbers.add(1_000_003 * (self.tick % 40))
        return float(sum(index * number for index, number in enumerate(self.numbers)))


class IdOrder(Planted):
    def wrong(self) -> float:
        self.items = [[index] for index in range(40)]
        for item in self.items[::3]:
            item.append(object)
        return float(sorted(self.items, key=id)[0][0] + 40 * sorted(self.items, key=id)[7][0])


class DefaultList(Planted):
    def wrong(self, calls: list[int] = []) -> float:  # noqa: B006  (it is the mistake)
        calls.append(1)
        return len(calls)


@pytest.mark.parametrize(
    "game_class",
    [WallClock, ModuleRandom, ClassAttribute, ClosureOfTheModule, SetOrder, DefaultList],
)
def test_a_planted_mistake_is_found_with_tick_path_row_and_values(
    game_class: type[Planted],
) -> None:
    report = fw.sync_test(game_class, ticks=100, **SIZE)
    assert not report.ok
    assert report.path == "game.batch.position"
    assert report.row == (3, 1)
    assert 20 <= report.tick <= 40
    assert report.before != report.after
    assert report.phase == "update"
    assert "game.batch.position[3, 1] was " in str(report)
    with pytest.raises(AssertionError, match=f"tick {report.tick}, after update"):
        report.check()


def test_an_order_by_address_is_found_if_objects_are_created_again() -> None:
    report = fw.sync_test(IdOrder, ticks=100, **SIZE)
    assert not report.ok
    assert report.path == "game.batch.position"


class Script(fw.Game):
    def setup(self) -> None:
        self.level = Level()

    def update(self, dt: float) -> None:
        if self.tick == 30:
            self.level.script = (number for number in range(99))


class Level:
    script: Any = None


def test_a_generator_in_the_state_is_named() -> None:
    report = fw.sync_test(Script, ticks=100, **SIZE)
    assert (report.ok, report.tick, report.path) == (False, 30, "game.level.script")
    assert "is a generator, which cannot be restored" in str(report)


class Systems(fw.Game):
    def setup(self) -> None:
        self.drift = 0.0
        self.systems.add("ai", self.think)
        self.systems.add("physics", self.fall)

    def think(self, dt: float) -> None:
        self.thought = self.tick

    def fall(self, dt: float) -> None:
        self.drift += random.random()


def test_the_system_that_changed_the_state_is_named() -> None:
    report = fw.sync_test(Systems, ticks=20, **SIZE)
    assert (report.tick, report.phase, report.path) == (1, "Systems.fall", "game.drift")


class Ruled(fw.Game):
    """A game with every kind of rule. The rule called `mistake` adds a random number to `value`
    from tick 20 on."""

    def __init__(self, mistake: str, **options: Any) -> None:
        self.mistake = mistake
        super().__init__(**options)

    def setup(self) -> None:
        self.value = self.moved = 0.0
        self.slow = self.schedule.group(0.5)
        self.schedule.interval(lambda dt: self.rolls("interval"), 0.05)
        self.slow.interval(lambda dt: self.rolls("group"), 0.05)
        self.schedule.once(self.later, 0.1)
        self.tween(self, moved=1.0, duration=0.1, ease=self.eased, repeat=math.inf)
        self.systems.add("ai", self.think)
        self.ui.column().button("Roll", lambda: self.rolls("widget"), action="x")

    def rolls(self, rule: str) -> None:
        self.value += random.random() if rule == self.mistake and self.tick >= 20 else 1.0

    def later(self, dt: float) -> None:
        self.rolls("once")
        self.schedule.once(self.later, 0.1)

    def eased(self, shares: Any) -> Any:
        return shares * (random.random() if self.mistake == "tween" and self.tick >= 20 else 1.0)

    def think(self, dt: float) -> None:
        self.rolls("system")

    def on_key_press(self, symbol: int, modifiers: int) -> None:
        self.rolls("event")

    def update(self, dt: float) -> None:
        self.rolls("update")


def _presses(game: Any, tick: int) -> None:
    for key in ("x", "e"):
        (game.testing.press if tick % 2 else game.testing.release)(key)


@pytest.mark.parametrize(
    ("mistake", "phase", "path"),
    [
        ("once", "tasks", "game.value"),
        ("interval", "tasks", "game.value"),
        ("group", "tasks", "game.value"),
        ("tween", "tweens", "game.moved"),
        ("system", "Ruled.think", "game.value"),
        ("update", "movement", "game.value"),
        ("event", "events", "game.value"),
        ("widget", "events", "game.value"),
    ],
)
def test_a_mistake_is_located_in_every_kind_of_rule(mistake: str, phase: str, path: str) -> None:
    report = fw.sync_test(Ruled, ticks=60, mistake=mistake, player=_presses, **SIZE)
    assert not report.ok
    assert (report.phase, report.path) == (phase, path)
    assert 20 <= report.tick <= 30
    assert report.before != report.after
    assert f"after {phase}: {path} was " in str(report)


@pytest.mark.parametrize("phase", PHASES)
def test_a_mistake_is_located_in_a_system_of_each_phase(phase: str) -> None:
    class Phased(fw.Game):
        def setup(self) -> None:
            self.value = 0.0
            for each in PHASES:
                self.systems.add(each, self.mistaken if each == phase else self.right)
            self.schedule.interval(self.right, 0.05)

        def right(self, dt: float) -> None:
            self.value += 1.0

        def mistaken(self, dt: float) -> None:
            self.value += random.random() if self.tick >= 20 else 1.0

    report = fw.sync_test(Phased, ticks=40, **SIZE)
    assert report.path == "game.value"
    assert report.phase is not None
    assert report.phase.endswith("Phased.mistaken")
    assert 20 <= report.tick <= 30


def test_a_mistake_is_located_in_a_scene_over_the_game() -> None:
    class Above(fw.Scene):
        def setup(self) -> None:
            self.value = 0.0
            self.schedule.interval(self.roll, 0.05)

        def roll(self, dt: float) -> None:
            self.value += random.random()

    class Below(fw.Game):
        def setup(self) -> None:
            self.push(Above())

    report = fw.sync_test(Below, ticks=24, **SIZE)
    assert (report.phase, report.path) == ("tasks", "game.scenes[1].value")


def test_every_rule_without_a_mistake_passes() -> None:
    assert fw.sync_test(Ruled, ticks=60, mistake="", player=_presses, **SIZE).check().ok


def test_a_mistake_late_in_ten_thousand_ticks_is_found_quickly() -> None:
    class Late(fw.Game):
        def setup(self) -> None:
            self.value = 0.0

        def update(self, dt: float) -> None:
            self.value += random.random() if self.tick == 1234 else 1

    report = fw.sync_test(Late, ticks=10_000, **SIZE)
    assert (report.tick, report.path) == (1234, "game.value")


# -- the player, the fixture and bad input ---------------------------------------------------------


def test_a_custom_player_is_called_before_each_tick() -> None:
    ticks: list[int] = []
    fw.sync_test(
        fw.Game, ticks=4, check_distance=2, player=lambda game, tick: ticks.append(tick), **SIZE
    )
    assert ticks == [1, 2, 1, 2, 3, 4, 3, 4]


def test_a_random_player_has_the_same_input_in_the_same_tick(make: Callable[..., Any]) -> None:
    def played(seed: int) -> list[Any]:
        game = make()
        player = fw.RandomPlayer(seed)
        inputs = []
        for tick in range(1, 40):
            player(game, tick)
            game.run_ticks()
            inputs.append(
                (game.keys.axis("left", "right"), game.keys["space"], game.mouse.position)
            )
        return inputs

    assert played(3) == played(3)
    assert played(3) != played(4)
    assert len(set(played(3))) > 10


def test_a_random_player_presses_only_its_keys(make: Callable[..., Any]) -> None:
    game = make()
    player = fw.RandomPlayer(1, ("x",), mouse=False)
    for tick in range(60):
        player(game, tick)
    assert game.mouse.position == (0, 0)
    game.run_ticks()
    assert game.keys.presses("x")


def test_bad_arguments_are_named() -> None:
    with pytest.raises(TypeError, match="game_class: expected a subclass of Game"):
        fw.sync_test(fw.Scene)  # type: ignore[arg-type]
    for name, value in (("ticks", 0), ("check_distance", 0), ("stride", -1), ("seed", 1.5)):
        with pytest.raises((TypeError, ValueError), match=name):
            fw.sync_test(fw.Game, **{name: value})
    with pytest.raises(TypeError, match="keys"):
        fw.RandomPlayer(0, [3])  # type: ignore[list-item]


def test_errors_of_the_game_reach_the_caller() -> None:
    class Fails(fw.Game):
        def update(self, dt: float) -> None:
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        fw.sync_test(Fails, ticks=3, **SIZE)


def test_the_fixture_needs_one_line(tmp_path: Path) -> None:
    import subprocess
    import sys

    (tmp_path / "test_game.py").write_text(
        "import random\nimport framework as fw\n\n\n"
        "class Bad(fw.Game):\n    def update(self, dt):\n        self.x = random.random()\n\n\n"
        "def test_good(sync_test):\n    sync_test(fw.Game, ticks=9)\n\n\n"
        "def test_bad(sync_test):\n    sync_test(Bad, ticks=9)\n"
    )
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "framework.sim.fixtures",
        "-p",
        "no:randomly",
        str(tmp_path),
    ]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert "1 failed, 1 passed" in done.stdout
    assert "tick 1, after update: game.x was" in done.stdout


def test_counts_of_ticks_continue(make: Callable[..., Any]) -> None:
    class Timed(fw.Game):
        def update(self, dt: float) -> None:
            self.seen = (self.tick, self.timestep.tick, self.timestep.time, dt)

    game = make(Timed, tick_rate=50)
    game.run_ticks(3)
    assert game.seen == (3, 3, 0.06, 0.02)
    game.advance(0.02)
    assert game.seen == (4, 4, 0.08, 0.02)


def test_the_iterators_of_itertools_are_named() -> None:
    class Counts(fw.Game):
        def setup(self) -> None:
            self.numbers = itertools.count()

    report = fw.sync_test(Counts, ticks=3, **SIZE)
    assert report.path == "game.numbers"


def test_the_command_plays_a_file_and_returns_an_exit_status(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "game.py"
    head = (
        "import random\nimport framework as fw\nclass Mine(fw.Game):\n    def update(self, "
        "dt):\n        self.x = "
    )
    arguments = ["synctest", str(path), "--ticks", "20", "--distance", "4", "--progress"]
    for value, status, words in (
        ("dt", 0, "20 ticks, 4 back: the same"),
        ("random.random()", 1, "game.x was 0."),
    ):
        path.write_text(f"{head}{value}\nfw.run(Mine, size=(32, 32))\n")
        assert cli.main(arguments) == status
        printed = capsys.readouterr()
        assert words in printed.out
        assert "tick" in printed.err
    assert cli.main([*arguments, "--python", "python"]) == 2
    assert "--python: only with --matrix" in capsys.readouterr().err


@pytest.mark.parametrize("members", [3, 40])
def test_an_order_of_a_set_is_found_in_the_first_tick_that_uses_it(members: int) -> None:
    """Also if all ticks before a restore had been played with another order."""

    class Ordered(fw.Game):
        def setup(self) -> None:
            self.names = {f"name {number} {next(salts)}" for number in range(members)}
            self.order: list[str] = []

        def update(self, dt: float) -> None:
            if self.tick == 20:
                self.order = list(self.names)

    salts = itertools.count()
    for _ in range(30):
        report = fw.sync_test(Ordered, ticks=24)
        assert (report.tick, report.phase) == (20, "update")
        assert str(report.path).startswith("game.order[")
