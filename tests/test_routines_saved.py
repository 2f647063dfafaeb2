"""Routines in saves: a saved story continues in another run of the game."""

from __future__ import annotations

import json
from collections import deque
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework as fw
from framework.record.routine_packing import SavedFunctions
from framework.record.unpacking import SavedObject, SavedPart, SavedRow, SavedRows, parts_in

DOT = np.full((4, 4, 4), 255, np.uint8)


def double(number: int) -> int:
    return 2 * number


async def helper(game: Any, rounds: int) -> int:
    total = 0
    for index, word in enumerate(["a", "bb", "ccc"][:rounds]):
        await game.ticks(index + 1)
        total += len(word)
    return total


class Story(fw.Game):
    """A cut scene with parts that can all be saved: camera, tweens, text, choice, group and
    conditions."""

    saved = ("story", "log", "lives", "chosen", "text", "fleet", "camera", "random")

    def setup(self) -> None:
        self.fleet = self.add(fw.SpriteBatch(DOT))
        self.card = self.fleet.add(position=(20, 20))
        self.words = self.labels.add("", (10, 10))
        self.log: list[Any] = []
        self.lives = 3
        self.chosen = 0
        self.text = ""
        self.actions = fw.Actions(up=["up"], ok=["space"])
        self.story: Any = self.start(self.play())

    def after_load(self) -> None:
        self.words.text = self.text

    async def play(self) -> str:
        for turn in range(4):
            await self.tween(self.camera, zoom=1 + turn % 3, duration=0.11, ease="out_quad")
            await self.say(f"turn {turn}")
            async with self.tasks() as tasks:
                for number in range(2):
                    tasks.start(self.enemy(number))
                floor = turn - 2
                await self.until(lambda: self.lives <= floor)  # noqa: B023
                tasks.cancel()
            self.lives = 3
            card = self.fleet[0]
            moved = self.tween(card, x=float(self.random.integers(100)), duration=0.17)
            helping = self.start(helper(self, turn % 3 + 1))
            self.log.append((await helping, await helper(self, 1)))
            await moved
            self.chosen = 0
            await self.until(self.decided)
            self.log.append(self.chosen)
            position = await self.next("on_mouse_press") if turn == 1 else None
            self.log.append(position)
        return "the end"

    def decided(self) -> bool:
        self.chosen += self.actions.presses("up")
        return self.actions.just_pressed("ok")

    async def say(self, text: str) -> None:
        with Speaker(self):
            for count, _ in enumerate(text, 1):
                self.words.text = self.text = text[:count]
                await self.seconds(1 / 45)

    async def enemy(self, number: int) -> None:
        try:
            while True:
                await self.seconds(0.05 + 0.01 * number)
                self.lives -= 1
        finally:
            self.log.append(number)

    saved_routines = (play, say, enemy, decided, helper)


class Speaker:
    saved = ("game",)

    def __init__(self, game: Story) -> None:
        self.game = game

    def __enter__(self) -> None: ...

    def __exit__(self, *error: object) -> None:
        self.game.log.append("said")


Story.saved_classes = (Speaker,)


def press(game: fw.Game, tick: int) -> None:
    for name, period, first_tick in (("up", 11, 3), ("space", 17, 9)):
        if tick % period == first_tick:
            game.testing.press(name)
        if tick % period == first_tick + 1:
            game.testing.release(name)
    if tick % 23 == 5:
        game.testing.click(7, 8)


def run(game: Story, first: int, last: int) -> None:
    for tick in range(first, last):
        press(game, tick)
        game.run_ticks(1)


def story_state(game: Story) -> Any:
    return game.log, game.lives, game.text, game.story.over, game.story.result


def test_a_story_continues_from_any_save(tmp_path: Path) -> None:
    with Story(drawing=False, seed=4) as game:
        for tick in range(300):
            if tick % 17 == 0 or tick in (1, 2, 60):
                game.save(path=tmp_path / f"{tick}.save")
            run(game, tick, tick + 1)
        expected = story_state(game)
        assert game.story.result == "the end"
        zoom = game.camera.zoom
        x = game.card.x
    for path in tmp_path.glob("*.save"):
        with Story(drawing=False, seed=9) as game:
            if int(path.stem) % 8:
                game.run_ticks(int(path.stem) % 5)
            game.load(path=path)
            assert len(game._backend.rules.make_routines()) <= 5
            run(game, int(path.stem), 300)
            assert story_state(game) == expected, path.stem
            assert (game.camera.zoom, game.card.x) == pytest.approx((zoom, x))


# -- routines that cannot be saved -----------------------------------------------------------------


class Small(fw.Game):
    saved = ("task", "log")

    def setup(self) -> None:
        self.log: list[Any] = []
        self.task: Any = None

    async def wait(self) -> None:
        await self.seconds(1.0)
        self.log.append("over")

    async def ask(self) -> None:
        await self.ui.ask("Quit?", "Yes")

    async def caught(self) -> None:
        try:
            raise KeyError
        except KeyError:
            await self.ticks(5)

    async def labelled(self) -> None:
        label = self.labels.add("a", (1, 1))
        await self.ticks(5)
        label.remove()

    async def moves(self) -> None:
        await self.tween(self.camera, zoom=2, duration=1)

    async def later(self) -> None:
        await self.tween(self, volume=2, duration=1, delay=1)

    async def elsewhere(self) -> None:
        await helper(self, 2)

    async def by_condition(self) -> None:
        await self.until(self.is_late)

    async def holds(self) -> None:
        function = double
        await self.ticks(5)
        self.log.append(function(2))

    async def changed(self) -> None:
        function = _renamed(double, "Small.changed.<locals>.inner")
        await self.ticks(5)
        self.log.append(function(2))

    def is_late(self) -> bool:
        return self.tick > 900

    volume = 1.0
    saved_routines = (wait, ask, caught, labelled, moves, later, elsewhere, by_condition)
    saved_routines += (holds, changed)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ask", r"game\.task is the running routine Small\.ask, .* it waits for a dialog"),
        ("caught", r"Small\.caught\(\) is in an except block, where a routine cannot be saved"),
        ("labelled", r"game\.task\[0\]\.Small\.labelled\(\)\['label'\] is a Label, which cannot"),
        (
            "moves",
            r"a tween that moves a Camera2D, which is not saved: name it in saved of the game",
        ),
        ("later", r"is a tween that has not begun, which cannot be saved"),
        (
            "elsewhere",
            r"runs the function helper, which is not in saved_routines of the game or of a scene on the stack; there",
        ),
        (
            "by_condition",
            r"is the method Small\.is_late, which is not in saved_routines of the game or of a scene",
        ),
        (
            "holds",
            r"is the function double, which is not in saved_routines of the game or of a scene on the stack; there are",
        ),
        ("changed", r"is the function Small\.changed\.<locals>\.inner, whose code has changed"),
    ],
)
def test_the_error_of_an_unsaveable_routine_names_the_cause(
    tmp_path: Path, name: str, words: str
) -> None:
    with Small(drawing=False) as game:
        game.task = game.start(getattr(game, name)())
        game.run_ticks(1)
        before = game.state_hash()
        with pytest.raises(fw.FrameworkError, match=rf"^save: .*{words}"):
            game.save(path=tmp_path / "a.save")
        assert game.state_hash() == before


def test_routines_of_groups_and_the_running_routine_cannot_be_saved(tmp_path: Path) -> None:
    async def saves(game: Any) -> None:
        game.save(path=tmp_path / "a.save")

    with Small(drawing=False) as game:
        game.task = game.start(game.wait(), group=game.schedule.group(0.5))
        with pytest.raises(fw.FrameworkError, match="which waits in the time of a group"):
            game.save(path=tmp_path / "a.save")
        game.task = game.start(saves(game))
        with pytest.raises(fw.FrameworkError, match="is the routine that is running; save with"):
            game.run_ticks(1)


def test_saved_routines_must_be_functions(tmp_path: Path) -> None:
    class Wrong(Small):
        saved_routines = ("wait",)  # type: ignore[assignment]

    with Wrong(drawing=False) as game:
        game.task = game.start(game.wait())
        with pytest.raises(
            fw.FrameworkError, match=r"saved_routines: expected a tuple of functions"
        ):
            game.save(path=tmp_path / "a.save")
    with pytest.raises(fw.FrameworkError, match=r"two functions have the name Small\.wait"):
        SavedFunctions((Small.wait, _renamed(helper, "Small.wait")), ())


def _renamed(function: Any, name: str) -> Any:
    import types

    copy = types.FunctionType(function.__code__, {})
    copy.__qualname__ = name
    return copy


# -- loading ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("cancelled", [False, True])
def test_a_routine_that_is_over_stays_cancelled_or_not(tmp_path: Path, cancelled: bool) -> None:
    with Small(drawing=False) as game:
        game.task = game.start(game.wait())
        game.run_ticks(5)
        if cancelled:
            game.task.cancel()
        game.run_ticks(90)
        game.save(path=tmp_path / "a.save")
    with Small(drawing=False) as game:
        game.load(path=tmp_path / "a.save")
        assert (game.task.over, game.task.cancelled) == (True, cancelled)


def saved(game: Small, path: Path) -> Path:
    game.task = game.start(game.wait())
    game.run_ticks(31)
    game.save(path=path)
    return path


def test_an_ended_routine_is_loaded_as_ended(tmp_path: Path) -> None:
    with Small(drawing=False) as game:
        game.task = game.start(game.wait())
        game.run_ticks(90)
        game.save(path=tmp_path / "a.save")
        game.load(path=tmp_path / "a.save")
        assert (game.task.over, game.log) == (True, ["over"])
        game.run_ticks(90)
        assert game.log == ["over"]


def test_loading_ends_the_replaced_routine_and_waits_are_exact(tmp_path: Path) -> None:
    with Small(drawing=False) as game:
        path = saved(game, tmp_path / "a.save")
        game.run_ticks(7)
        replaced = game.task
        for _ in range(2):
            game.load(path=path)
            assert replaced.over
            assert not game.task.over
            replaced = game.task
            game.run_ticks(28)
            assert game.log == []
            game.run_ticks(1)
            assert game.log == ["over"]


def test_a_routine_saved_with_another_source_is_a_clear_error(tmp_path: Path) -> None:
    class Changed(Small):
        async def wait(self) -> None:
            await self.seconds(1.0)
            self.log.append("over, and out")

        saved_routines = (wait,)

    Changed.__qualname__ = "Small"
    Changed.wait.__qualname__ = "Small.wait"
    with Small(drawing=False) as game:
        path = saved(game, tmp_path / "a.save")
    with Changed(drawing=False) as game:
        before = game.state_hash()
        with pytest.raises(fw.AssetError, match=r"Small\.wait was saved with another source"):
            game.load(path=path)
        assert game.state_hash() == before


@pytest.mark.parametrize("starts_again", [True, False])
def test_a_migration_can_remove_a_routine_whose_source_has_changed(
    tmp_path: Path, starts_again: bool
) -> None:
    def migrate(state: dict[str, Any]) -> None:
        if starts_again:
            state["game"]["task"] = None

    class Changed(Small):
        saved_version = 2
        migrations = {1: migrate}  # noqa: RUF012

        def after_load(self) -> None:
            self.task = self.start(self.wait())

        async def wait(self) -> None:
            await self.seconds(0.1)
            self.log.append("over, and out")

        saved_routines = (wait,)  # type: ignore[assignment]

    Changed.__qualname__ = "Small"
    Changed.wait.__qualname__ = "Small.wait"
    with Small(drawing=False) as game:
        path = saved(game, tmp_path / "a.save")
    with Changed(drawing=False) as game:
        if starts_again:
            game.load(path=path)
            game.run_ticks(10)
            assert game.log == ["over, and out"]
        else:
            with pytest.raises(fw.AssetError, match="to None in a migration, and start the"):
                game.load(path=path)


@pytest.mark.parametrize("of", [list, tuple, deque, lambda parts: {"a": parts}])
def test_the_routines_in_a_migrated_save_are_found(of: Any) -> None:
    inner = SavedPart("frame", {})
    parts = [SavedPart("routine", {"frames": [inner]}), SavedPart("routine", {})]
    column = np.array([None, parts[1]], object)
    rows = SavedRows(2, {"task": column, "hp": np.zeros(2)}, {})
    values = of([SavedObject("Foe", {"task": parts[0], "again": parts[0]}), SavedRow(rows, 1)])
    parts_found = parts_in({"game": {"foes": values}, "scenes": []})
    assert sorted(map(id, parts_found)) == sorted(map(id, [*parts, inner]))


def test_a_function_that_the_game_does_not_list_never_runs(tmp_path: Path) -> None:
    with Small(drawing=False) as game:
        saved(game, tmp_path / "a.save")
        game.saves.export_json(tmp_path / "a.json")
    text = (tmp_path / "a.json").read_text()
    for old, new, words in (
        ('"Small.wait"', '"Small.update"', "it runs the function 'Small.update'; those that may"),
        ('"Small.wait"', '"os.system"', "those that may run are in saved_routines: Small.wait"),
        ('"at": 1', '"at": 7', "does not wait there"),
        ('"seconds"', '"forever"', "it waits for 'forever'"),
        ('"named"', '"module"', "is not a part of a routine"),
        ('"scenes[0]"', '"scenes[9]"', "a scene that is not on the stack; push the same scenes"),
        ('"scenes[0]"', '"pads[9]"', "is an invalid part .routine. of a saved .* no 'pads.9.'"),
        ('"scenes[0]"', "[3]", "is an invalid part .routine. of a saved routine"),
        ('"self"', '"other"', "has no such variables"),
    ):
        (tmp_path / "b.json").write_text(text.replace(old, new))
        with Small(drawing=False) as game:
            before = game.state_hash()
            with pytest.raises(fw.AssetError, match=words):
                game.saves.import_json(tmp_path / "b.json")
            assert game.state_hash() == before
            assert game.task is None
    with Small(drawing=False) as game:
        game.saves.import_json(tmp_path / "a.json")
        game.run_ticks(60)
        assert game.log == ["over"]


def test_after_an_error_no_routine_of_the_save_runs(tmp_path: Path) -> None:
    class Failing(Small):
        def after_load(self) -> None:
            raise ValueError("not today")

    Failing.__qualname__ = "Small"
    with Small(drawing=False) as game:
        path = saved(game, tmp_path / "a.save")
    with Failing(drawing=False) as game:
        with pytest.raises(fw.AssetError, match="not today"):
            game.load(path=path)
        game.run_ticks(90)
        assert (game.log, game.task) == ([], None)


def test_a_save_without_routines_creates_no_schedule(tmp_path: Path) -> None:
    with Small(drawing=False) as game:
        before = game.state_hash()
        game.save(path=tmp_path / "a.save")
        game.load(path=tmp_path / "a.save")
        assert game.state_hash() == before
        assert (
            json.dumps(fw.Save(tmp_path / "a.save").values()["game"]) == '{"task": null, "log": []}'
        )


class Title(fw.Scene):
    """A scene that is not saved."""

    mark = ""


class Waves(fw.Scene):
    saved = ("waves", "count", "foes")

    def setup(self) -> None:
        self.count = 0
        self.foes: list[Foe] = []
        self.waves = self.start(self.run_waves())

    async def run_waves(self) -> None:
        while True:
            await self.ticks(5)
            self.count += 1
            self.foes.append(Foe(self.count))

    saved_routines = (run_waves,)


class Foe:
    saved = ("hp",)

    def __init__(self, hp: int) -> None:
        self.hp = hp


class Defense(fw.Game):
    pass


def test_a_scene_lists_its_own_routines_and_classes(tmp_path: Path) -> None:
    class Level(Waves):
        saved_classes = (Foe,)

    with Defense(drawing=False) as game:
        game.push(Level())
        game.run_ticks(12)
        game.save(path=tmp_path / "one")
    with Defense(drawing=False) as game:
        game.push(Level())
        game.run_ticks(1)
        level = game.scene
        assert isinstance(level, Level)
        game.load(path=tmp_path / "one")
        assert [foe.hp for foe in level.foes] == [1, 2]
        game.run_ticks(5)
        assert level.count == 3


def test_a_save_fits_a_stack_with_other_scenes_that_are_not_saved(tmp_path: Path) -> None:
    with Defense(drawing=False) as game:
        game.push(Title())
        game.run_ticks(1)
        game.push(Waves())
        game.run_ticks(3)
        game.save(path=tmp_path / "one")
    with Defense(drawing=False) as game:
        game.push(Waves())
        game.run_ticks(1)
        level = game.scene
        assert isinstance(level, Waves)
        game.load(path=tmp_path / "one")
        game.run_ticks(5)
        assert level.count == 1


def test_saved_routines_of_a_scene_must_be_a_tuple(tmp_path: Path) -> None:
    class Wrong(fw.Scene):
        saved = ("waves",)
        saved_routines = Waves.run_waves  # type: ignore[assignment]

        def setup(self) -> None:
            self.waves = self.start(Waves.run_waves(self))  # type: ignore[arg-type]

    with Defense(drawing=False) as game:
        game.push(Wrong())
        game.run_ticks(1)
        with pytest.raises(fw.FrameworkError, match=r"Wrong\.saved_routines: expected a tuple"):
            game.save(path=tmp_path / "one")


@pytest.mark.parametrize(
    ("name", "entry", "words"),
    [
        ("saved_routines", [Waves.run_waves], r"functions, as in .*, got the entry \[<function"),
        ("saved_routines", "run_waves", r"functions, as in .*, got the entry 'run_waves'"),
        ("saved_classes", [Foe], r"classes, as in \(Enemy,\), got the entry \[<class"),
        ("saved_classes", Foe(1), r"classes, as in \(Enemy,\), got the entry <"),
    ],
)
def test_an_entry_that_is_no_function_or_class_is_a_clear_error(
    tmp_path: Path, name: str, entry: object, words: str
) -> None:
    class Level(Waves):
        saved_classes = (Foe,)

    with Defense(drawing=False) as game:
        game.push(Level())
        game.run_ticks(12)
        game.save(path=tmp_path / "one")
        setattr(Level, name, (entry,))
        with pytest.raises(
            fw.FrameworkError, match=rf"^Level\.{name}: expected a tuple of {words}"
        ):
            game.load(path=tmp_path / "one")


@pytest.mark.parametrize("classes", [(Foe,), [Foe], {Foe}, frozenset([Foe]), {Foe: 1}.keys()])
def test_saved_classes_may_be_any_collection_and_set_on_the_scene(
    tmp_path: Path, classes: Any
) -> None:
    class Level(Waves):
        def setup(self) -> None:
            super().setup()
            self.saved_classes = classes  # type: ignore[misc]

    with Defense(drawing=False) as game:
        game.push(Level())
        game.run_ticks(12)
        game.save(path=tmp_path / "one")
        level = game.scene
        assert isinstance(level, Level)
        level.foes = []
        game.load(path=tmp_path / "one")
        assert [foe.hp for foe in level.foes] == [1, 2]


@pytest.mark.parametrize("classes", ["Foe", {"Foe": Foe}, Foe])
def test_saved_classes_is_no_text_and_no_dict(tmp_path: Path, classes: Any) -> None:
    class Level(Waves):
        saved_classes = classes

    with Defense(drawing=False) as game:
        game.push(Level())
        game.run_ticks(1)
        game.save(path=tmp_path / "one")
        with pytest.raises(fw.FrameworkError, match=r"^Level\.saved_classes: expected a tuple"):
            game.load(path=tmp_path / "one")


# -- routines that use other scenes ----------------------------------------------------------------


class Options(fw.Scene):
    """Another scene that is not saved."""


class Battle(fw.Scene):
    """A scene with a routine that refers to the scene Title, and a routine that runs in it."""

    saved = ("task", "log")

    def setup(self) -> None:
        self.log: list[str] = []
        self.task: Any = None

    async def use(self, *menus: fw.Scene) -> None:
        await self.ticks(5)
        self.log += [f"{type(menu).__name__} {getattr(menu, 'mark', '')}" for menu in menus]

    saved_routines = (use,)


def pushed(game: fw.Game, *scenes: fw.Scene) -> Battle:
    """Push scenes, and return the scene `Battle` among them."""
    for scene in scenes:
        game.push(scene)
        game.run_ticks(1)
    return next(scene for scene in scenes if isinstance(scene, Battle))


def save_of(path: Path, at: int, *scenes: fw.Scene) -> None:
    """Save a game with a routine of `Battle` that the scene with the index ``at`` runs."""
    with Defense(drawing=False) as game:
        battle = pushed(game, *scenes)
        menus = [scene for scene in scenes if not isinstance(scene, Battle)]
        battle.task = scenes[at].start(battle.use(*menus))
        game.run_ticks(1)
        game.save(path=path)
        game.saves.export_json(path.with_suffix(".json"))


def test_a_load_without_a_scene_that_a_routine_uses_is_a_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "one.save"
    for at in (0, 1):  # the routine runs in Title or in Battle
        save_of(path, at, Title(), Battle())
        with Defense(drawing=False) as game:
            battle = pushed(game, Options(), Battle())
            battle.task = running = battle.start(battle.use())
            with pytest.raises(
                fw.AssetError,
                match=r"^'.*one\.save': the save refers to the scene Title, which is not on the stack; "
                r"push it before load\.$",
            ):
                game.load(path=path)
            assert battle.task is running
            assert not running.over


def test_a_routine_finds_the_scenes_that_are_not_saved_in_another_order(tmp_path: Path) -> None:
    path = tmp_path / "one.save"
    save_of(path, 3, Title(), Options(), Title(), Battle())
    with Defense(drawing=False) as game:
        lower = Title()
        lower.mark = "lower"
        upper = Title()
        upper.mark = "upper"
        battle = pushed(game, Options(), lower, upper, Battle())
        game.load(path=path)
        game.run_ticks(5)
        assert battle.log == ["Title lower", "Options ", "Title upper"]
    with Defense(drawing=False) as game:
        pushed(game, Options(), Title(), Battle())
        with pytest.raises(fw.AssetError, match="refers to 2 scenes of the class Title, and the"):
            game.load(path=path)


def test_a_save_with_indices_of_scenes_opens(tmp_path: Path) -> None:
    """Earlier versions wrote the index of a scene on the stack instead of its class."""
    save_of(tmp_path / "one.save", 1, Title(), Battle())
    text = (tmp_path / "one.json").read_text()
    for name, index in (("Title", 1), ("Battle", 2)):
        assert f'"scenes[{name}]"' in text
        text = text.replace(f'"scene": "scenes[{name}]"', f'"scene": {index}')
        text = text.replace(f'"scenes[{name}]"', f'"scenes[{index}]"')
    (tmp_path / "old.json").write_text(text)
    with Defense(drawing=False) as game:
        battle = pushed(game, Title(), Battle())
        game.saves.import_json(tmp_path / "old.json")
        game.run_ticks(5)
        assert battle.log == ["Title "]
    with Defense(drawing=False) as game:
        pushed(game, Battle())
        with pytest.raises(
            fw.AssetError,
            match="it belongs to a scene that is not on the stack; push the same scenes as when the",
        ):
            game.saves.import_json(tmp_path / "old.json")
