"""Scenes: push, pop and show, their hooks, what is paused and what is drawn."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pictures import blob, centroid, solid

import framework as fw
from framework.state.backend import backend_of

Make = Callable[..., Any]
A = 97


class Noted(fw.Scene):
    """A scene that writes the calls of its hooks into the game's log."""

    def __init__(self, name: str, **settings: Any) -> None:
        super().__init__()
        self.name = name
        vars(self).update(settings)

    def setup(self) -> None:
        self.game.log.append(f"{self.name} setup")

    def on_enter(self) -> None:
        self.game.log.append(f"{self.name} enter")

    def on_exit(self) -> None:
        self.game.log.append(f"{self.name} leave")

    def update(self, dt: float) -> None:
        self.game.log.append(f"{self.name} update {self.game.tick}")

    def draw(self, alpha: float) -> None:
        self.game.log.append(f"{self.name} draw")

    def on_key_press(self, symbol: int, modifiers: int) -> Any:
        self.game.log.append(f"{self.name} key")
        return vars(self).get("answer")


class Logged(fw.Game):
    def __init__(self, **options: Any) -> None:
        self.log: list[str] = []
        self.todo: dict[int, Callable[[], None]] = {}
        super().__init__(**options)

    def update(self, dt: float) -> None:
        self.log.append(f"game update {self.tick}")
        if self.tick in self.todo:
            self.todo[self.tick]()
            self.log.append("asked")

    def on_enter(self) -> None:
        self.log.append("game enter")

    def on_exit(self) -> None:
        self.log.append("game leave")

    def on_key_press(self, symbol: int, modifiers: int) -> None:
        self.log.append("game key")

    def since(self) -> list[str]:
        log = self.log
        self.log = []
        return log


def test_the_game_is_the_lowest_scene_and_enters_itself(make: Make) -> None:
    game = make(Logged)
    assert game.since() == ["game enter"]
    assert game.scene is game
    assert game.game is game


def test_push_and_pop_outside_a_tick_take_effect_at_once(make: Make) -> None:
    game = make(Logged)
    menu = Noted("menu")
    game.since()
    game.push(menu)
    assert game.scene is menu
    assert menu.game is game
    assert game.since() == ["menu setup", "game leave", "menu enter"]
    game.pop()
    assert game.scene is game
    assert game.since() == ["menu leave", "game enter"]


def test_push_and_pop_in_update_take_effect_when_the_tick_ends(make: Make) -> None:
    game = make(Logged, frame_rate=20)  # three ticks a frame
    game.since()
    game.todo = {1: lambda: game.push(Noted("menu")), 2: lambda: None}
    game.run(1)
    assert game.since() == [
        *["game update 1", "asked", "menu setup", "game leave", "menu enter"],
        *[
            "menu update 2",
            "menu update 3",
        ],  # the next tick of the same frame already updates the menu
        "menu draw",
    ]


def test_show_removes_all_scenes_without_entering_the_game(make: Make) -> None:
    game = make(Logged)
    for name in ("one", "two"):
        game.push(Noted(name))
    menu = game._engine.stage.stack[1].scene
    game.since()
    game.show(Noted("three"))
    assert game.since() == ["three setup", "two leave", "three enter"]
    assert [type(scene).__name__ for scene, _, _ in game._engine.stage.stack] == ["Logged", "Noted"]
    with pytest.raises(fw.FrameworkError, match="not on in a game"):
        _ = menu.game
    game.pop()
    assert game.since() == ["three leave", "game enter"]


def test_show_and_pop_within_update(make: Make) -> None:
    game = make(Logged)
    game.push(Noted("one", pauses_below=False))
    game.since()
    game.todo = {1: lambda: game.show(Noted("two", pauses_below=False)), 2: game.pop}
    game.run(2)
    assert game.since() == [
        *[
            "game update 1",
            "asked",
            "one update 1",
            "two setup",
            "one leave",
            "two enter",
            "two draw",
        ],
        *["game update 2", "asked", "two update 2", "two leave", "game enter"],
    ]


def test_a_switch_in_draw_takes_effect_when_the_frame_ends(make: Make) -> None:
    class Pops(Noted):
        def draw(self, alpha: float) -> None:
            super().draw(alpha)
            self.game.pop()
            assert self.game.scene is self

    game = make(Logged)
    game.push(Pops("menu"))
    game.since()
    game.advance(0)
    assert game.since() == ["menu draw", "menu leave", "game enter"]


def test_a_switch_in_setup_or_on_enter_follows_the_current_switch(make: Make) -> None:
    class Pushes(Noted):
        def setup(self) -> None:
            super().setup()
            self.game.push(Noted("inner"))

    class Pops(Noted):
        def on_enter(self) -> None:
            super().on_enter()
            self.game.pop()

    game = make(Logged)
    game.since()
    game.push(Pushes("outer"))
    assert game.since() == [
        *["outer setup", "game leave", "outer enter"],
        *["inner setup", "outer leave", "inner enter"],
    ]
    game.show(Pops("brief"))
    assert game.scene is game
    assert game.since() == [
        "brief setup",
        "inner leave",
        "brief enter",
        "brief leave",
        "game enter",
    ]


@pytest.mark.parametrize(
    ("hides", "expected"),
    [
        (False, ["level update 1", "hint update 1", "level draw", "hint draw"]),
        (True, ["map update 1", "hint update 1", "map draw", "hint draw"]),
    ],
)
def test_scenes_below_are_paused_or_run_and_are_hidden_or_drawn(
    make: Make, hides: bool, expected: list[str]
) -> None:
    game = make(Logged)
    game.push(Noted("level"))
    if hides:
        game.push(Noted("map", opaque=True))
    game.push(Noted("hint", pauses_below=False))
    game.since()
    game.run(1)
    assert game.since() == expected


def test_events_reach_only_the_top_scene_and_the_game(make: Make) -> None:
    game = make(Logged)
    game.push(Noted("level"))
    game.push(Noted("menu"))
    game.since()
    game.display.window.dispatch_event("on_key_press", A, 0)
    game.advance(1 / 60)
    assert game.since()[:3] == ["menu key", "game key", "menu update 1"]
    game.scene.answer = True
    game.display.window.dispatch_event("on_key_press", A, 0)
    game.advance(1 / 60)
    assert game.since()[:2] == ["menu key", "menu update 2"]


def test_a_scene_pushed_by_an_event_receives_the_next_event_of_the_same_tick(make: Make) -> None:
    class Menu(fw.Scene):
        def __init__(self) -> None:
            super().__init__()
            self.chosen: list[int] = []

        def on_key_press(self, symbol: int, modifiers: int) -> bool:
            self.chosen.append(symbol)
            return True

    class Play(fw.Game):
        def on_key_press(self, symbol: int, modifiers: int) -> None:
            self.push(Menu())

    game = make(Play)
    game.testing.press("escape")
    game.testing.press("down")
    game.advance(1 / 60)
    assert game.scene.chosen == [fw.key.DOWN]
    assert not game.timestep.paused


# -- drawing ---------------------------------------------------------------------------------------


class Flight(fw.Game):
    """A ball that flies, and a camera that follows with a delay."""

    def setup(self) -> None:
        self.ball = self.sprites.add(blob(), position=(40, 50))
        self.camera.follow(self.ball, offset=(60, 0), smoothing=0.8)

    def update(self, dt: float) -> None:
        self.ball.x += 120 * dt
        self.ball.angle += 3 * dt


def test_a_paused_scene_is_frozen_one_tick_later_and_resumes_without_a_jump(
    make: Make,
) -> None:
    game = make(Flight, tick_rate=20, frame_rate=130)
    game.run(40)
    game.push(fw.Scene())
    game.run(7)  # the picture is frozen after the next tick
    frozen = game.pixels()
    assert frozen.any()
    for _ in range(30):
        game.run(1)
        assert (game.pixels() == frozen).all()
    game.pop()
    positions = []
    while game.tick < 17:
        game.run(1)
        positions.append(centroid(game.pixels()))
    steps = np.diff(np.array([centroid(frozen), *positions]), axis=0)
    # in no frame does the ball move farther than its velocity allows
    assert np.abs(steps).max() < 120 / 130 + 0.1
    assert positions[-1][0] != pytest.approx(positions[0][0], abs=0.5)


def test_changes_of_a_paused_scene_are_drawn_at_the_next_tick(make: Make) -> None:
    class Moves(fw.Scene):
        def update(self, dt: float) -> None:
            self.game.ball.position = (150, 20)

    class Still(fw.Game):
        def setup(self) -> None:
            self.ball = self.sprites.add(blob(), position=(50, 50))

    game = make(Still)
    game.push(Moves())
    game.run(3)
    assert centroid(game.pixels()) == pytest.approx((150, 20), abs=0.05)


def test_scenes_are_drawn_from_bottom_to_top_each_with_its_own_camera(make: Make) -> None:
    class Small(fw.Scene):
        def setup(self) -> None:
            self.sprites.add(solid(10, 10, (0, 255, 0, 255)), position=(0, 0))
            self.camera.position = 0, 0

    class Big(fw.Game):
        def setup(self) -> None:
            self.sprites.add(solid(40, 40, (255, 0, 0, 255)), position=(100, 50))

    game = make(Big)
    game.push(Small())
    game.advance(0)
    picture = game.pixels()
    assert tuple(picture[50, 100]) == (0, 255, 0, 255)
    assert tuple(picture[50, 90]) == (255, 0, 0, 255)


def test_a_camera_shared_by_two_scenes_moves_once_per_tick(make: Make) -> None:
    class Overlay(fw.Scene):
        pauses_below = False

        def setup(self) -> None:
            self.add(fw.SpriteBatch(blob(), count=1), camera=self.game.camera)

    alone = make(Flight)
    shared = make(Flight)
    shared.push(Overlay())
    for game in (alone, shared):
        game.run(10)
    assert shared.camera.position == alone.camera.position


def test_drawables_added_before_the_scene_is_pushed_are_drawn(make: Make) -> None:
    class Early(fw.Scene):
        def __init__(self) -> None:
            super().__init__()
            self.camera.position = 0, 0
            self.ball = self.sprites.add(blob(), position=(20, 10))
            self.label = self.labels.add("I", (100, 50))

    game = make()
    game.push(Early())
    game.advance(0)
    picture = game.pixels()
    assert picture[39, 120, 0] > 200
    assert game.scene.hud.position == (100, 50)
    assert picture[30:50, 95:110].any()


RED = (255, 0, 0, 255)
GREEN = (0, 255, 0, 255)
BLUE = (0, 0, 255, 255)
WHITE = (255, 255, 255, 255)


def center_color(game: fw.Game) -> list[int]:
    game.advance(0)
    colour: list[int] = game.pixels()[50, 100].tolist()
    return colour


def whole_picture(color: tuple[int, ...]) -> fw.SpriteBatch:
    batch = fw.SpriteBatch(solid(200, 100, color), count=1)
    batch.position = (100, 50)
    return batch


def test_labels_are_drawn_over_later_drawables(make: Make) -> None:
    class Level(fw.Scene):
        opaque = True

        def setup(self) -> None:
            self.labels.add("HHH", (20, 20))
            self.add(fw.TextBatch(font_size=20), camera=self.hud).add("HHH", (20, 60))
            # in the world, labels are drawn in the order of `add`
            self.add(fw.TextBatch(font_size=20)).add("HHH", (120, 60))
            self.add(whole_picture(RED))

    game = make()
    for scene in (game, Level()):
        if scene is game:
            Level.setup(game)  # type: ignore[arg-type]
        else:
            game.push(scene)
        game.advance(0)
        pixels = game.pixels()[..., 1]
        assert pixels[60:, :100].max() == pixels[:40, :100].max() == 255
        assert not pixels[:, 100:].any()


def test_layers_are_drawn_from_the_lowest_in_any_order_of_add(make: Make) -> None:
    game = make()
    over = game.add(whole_picture(WHITE), layer=2)
    first = game.add(whole_picture(RED))
    last = game.add(whole_picture(GREEN))
    game.add(whole_picture(BLUE), layer=-1, camera=game.hud)
    assert center_color(game) == list(WHITE)
    game.remove(over)
    assert center_color(game) == list(GREEN)
    game.remove(last)
    again = game.add(whole_picture(GREEN), layer=0)
    assert center_color(game) == list(GREEN)
    for batch in (again, first):
        game.remove(batch)
    assert center_color(game) == list(BLUE)


def test_a_background_on_the_hud_keeps_its_draw_order(make: Make) -> None:
    game = make()
    game.add(whole_picture(BLUE), camera=game.hud)
    game.add(whole_picture(RED))
    assert center_color(game) == list(RED)


def test_a_world_has_a_layer_and_its_contents_have_none(make: Make) -> None:
    game = make()
    world = game.add(fw.World(), layer=1)
    world.camera.ortho_height = 2.0
    world.camera.position = (0, 0, 5)
    world.add(fw.MeshBatch(fw.Mesh.cube(), 1, material=fw.Material((0, 1, 0), unlit=True)))
    game.add(whole_picture(RED))
    assert center_color(game) == list(GREEN)
    with pytest.raises(TypeError, match=r"layer: MeshBatch is 3D and .*add\(World\(\), layer"):
        game.add(fw.MeshBatch(fw.Mesh.cube()), layer=1)
    assert game._backend.world is None
    own = SimpleNamespace(
        **{
            name: lambda *_: None
            for name in ("attach", "begin_tick", "end_tick", "draw", "release")
        }
    )
    drawn: list[int] = []
    own.draw = lambda: drawn.append(1)
    game.add(own, layer=5, camera=game.hud)  # type: ignore[type-var]
    center_color(game)
    assert drawn


def test_a_removed_scene_is_released_and_can_be_pushed_again(make: Make) -> None:
    class Boxes(fw.Scene):
        def setup(self) -> None:
            self.boxes = self.add(fw.SpriteBatch(solid(10, 10), count=1))
            self.boxes.position = (100, 50)
            self.labels.add("x")

    game = make()
    scene = Boxes()
    for _ in range(3):
        game.push(scene)
        game.advance(0)
        assert game.pixels()[50, 100, 0] == 255
        _, drawables, _ = game._engine.stage.stack[1]
        assert len(drawables.frame_blocks) == 2
        boxes = scene.boxes
        game.pop()
        assert backend_of(boxes) is None
        assert not drawables.frame_blocks
        game.advance(0)
        assert not game.pixels()[..., :3].any()
        with pytest.raises(fw.FrameworkError, match="Boxes is not on in a game"):
            _ = scene.game


def test_everything_is_released_when_the_game_closes(make: Make) -> None:
    game = make(Flight)
    game.push(fw.Scene())
    batch = game.scene.sprites
    game.run(1)
    game.close()
    assert backend_of(batch) is None


def test_remove_stops_drawing_and_later_use_makes_a_new_batch(make: Make) -> None:
    game = make()
    game.sprites.add(solid(10, 10), position=(100, 50))
    game.labels.add("x")
    sprites = game.sprites
    labels = game.labels
    game.remove(sprites)
    game.remove(labels)
    game.advance(0)
    assert not game.pixels()[..., :3].any()
    assert backend_of(sprites) is None
    game.sprites.add(solid(10, 10), position=(100, 50))
    game.labels.add("x")
    game.advance(0)
    assert game.pixels()[50, 100, 0] == 255
    with pytest.raises(ValueError, match="drawable: it is not in this scene"):
        game.remove(sprites)


def test_batches_may_be_added_and_removed_in_draw(make: Make) -> None:
    class Swaps(fw.Game):
        def setup(self) -> None:
            self.box = self.add(fw.SpriteBatch(solid(10, 10), count=1))

        def draw(self, alpha: float) -> None:
            self.remove(self.box)
            self.box = self.add(fw.SpriteBatch(solid(10, 10), count=1))
            self.box.position = (100, 50)

    game = make(Swaps)
    game.run(3)
    assert game.pixels()[50, 100, 0] == 255


# -- mistakes --------------------------------------------------------------------------------------


def test_popping_the_game_itself_raises_an_error(make: Make) -> None:
    game = make()
    with pytest.raises(ValueError, match="pop: no scene is on but the game itself"):
        game.pop()
    game.run(1)


def test_a_scene_in_use_is_refused_in_this_and_in_another_game(make: Make) -> None:
    game = make()
    second = make()
    scene = fw.Scene()
    game.push(scene)
    for where in (game, second):
        for put in (where.push, where.show):
            with pytest.raises(ValueError, match="scene: Scene is on already"):
                put(scene)
    with pytest.raises(ValueError, match="scene: Game is on already"):
        game.push(second)
    assert game.scene is scene
    game.run(1)
    second.run(1)


@pytest.mark.parametrize("put", ["push", "show"])
def test_an_object_that_is_no_scene_is_refused_at_the_call(make: Make, put: str) -> None:
    game = make(Logged)
    for wrong in (None, "menu", 5):
        with pytest.raises(TypeError, match="scene: expected a Scene, got"):
            getattr(game, put)(wrong)
    with pytest.raises(TypeError, match=r"got the class Noted: make one, Noted\(…\)"):
        getattr(game, put)(Noted)
    assert game.scene is game


@pytest.mark.parametrize("put", ["push", "show"])
def test_a_scene_whose_setup_fails_changes_nothing(make: Make, put: str) -> None:
    class Fails(fw.Scene):
        def setup(self) -> None:
            self.boxes = self.add(fw.SpriteBatch(solid(4, 4), count=1))
            raise KeyError("level 9")

    game = make(Logged)
    fails = Fails()
    game.push(Noted("menu"))
    menu = game.scene
    _ = game.since()
    with pytest.raises(KeyError, match="level 9"):
        getattr(game, put)(fails)
    assert game.scene is menu
    assert game.since() == []
    assert backend_of(fails.boxes) is None
    game.run(1)
    assert game.since() == ["menu update 1", "menu draw"]


def test_removing_a_scene_that_is_not_in_the_game_is_an_error(make: Make) -> None:
    scene = Noted("menu")
    for name in ("keys", "mouse", "random", "size", "width", "height", "game"):
        with pytest.raises(fw.FrameworkError, match="Noted is not on in a game"):
            getattr(scene, name)


@pytest.mark.parametrize("wrong", [None, "drop.png", 5, fw.SpriteBatch, object()])
def test_objects_that_cannot_be_drawn_are_refused(make: Make, wrong: Any) -> None:
    game = make()
    with pytest.raises(TypeError, match="drawable: expected a batch"):
        game.add(wrong)
    with pytest.raises(TypeError, match="camera: expected a Camera2D"):
        game.add(fw.SpriteBatch(), camera=wrong or "hud")
    game.run(1)


def test_a_batch_can_be_added_only_once(make: Make) -> None:
    game = make()
    batch = game.add(fw.SpriteBatch(solid(4, 4), count=1))
    with pytest.raises(ValueError, match="Batch: it was added to a game already"):
        game.add(batch)
    game.run(1)


def test_a_press_that_pushes_a_scene_is_not_an_input_of_this_scene(make: Make) -> None:
    class Pause(fw.Scene):
        def update(self, dt: float) -> None:
            if self.keys.just_pressed("a"):
                self.game.pop()

    class Play(fw.Game):
        def on_key_press(self, symbol: int, modifiers: int) -> None:
            if self.scene is self:
                self.push(Pause())

    game = make(Play)
    game.display.window.dispatch_event("on_key_press", A, 0)
    for _ in range(3):
        game.advance(1 / 60)
    assert isinstance(game.scene, Pause)
    game.display.window.dispatch_event("on_key_release", A, 0)
    game.display.window.dispatch_event("on_key_press", A, 0)
    game.advance(1 / 60)
    assert game.scene is game


class Closed(fw.Scene):
    """A menu that does not pause the game. Escape, B and a click close the menu."""

    pauses_below = False

    def __init__(self, closes: Callable[[fw.Game], None]) -> None:
        super().__init__()
        self.closes = closes

    def on_key_press(self, symbol: int, modifiers: int) -> None:
        if symbol == fw.key.ESCAPE:
            self.closes(self.game)

    def on_mouse_press(self, *event: float) -> None:
        self.closes(self.game)

    def on_pad_press(self, pad: int, button: str) -> None:
        self.closes(self.game)


class Opens(fw.Game):
    """A game that opens the menu again for each press that reaches the game."""

    def setup(self) -> None:
        self.closes: Callable[[fw.Game], None] = lambda game: game.pop()
        self.events: list[object] = []
        self.actions = fw.Actions(menu=["escape", "pad:b", "mouse:left"], jump=["space"])

    def update(self, dt: float) -> None:
        if self.actions.just_pressed("menu") or self.keys.presses("escape"):
            self.events.append(self.tick)
        if self.actions.just_pressed("jump"):
            self.events.append("jump")

    def on_key_press(self, symbol: int, modifiers: int) -> None:
        self.events.append(symbol)

    def on_mouse_press(self, *event: float) -> None:
        self.events.append(event)

    def on_pad_press(self, pad: int, button: str) -> None:
        self.events.append(button)

    def press(self, button: str) -> None:
        self.push(Closed(self.closes))
        self.testing.press(button)
        self.testing.press("space")
        self.run_ticks(1)
        self.testing.release(button)
        self.testing.release("space")
        self.run_ticks(2)


@pytest.mark.parametrize("button", ["escape", "mouse:left", "pad:b"])
def test_the_press_that_closes_a_scene_does_not_reach_the_scene_below(
    make: Make, button: str
) -> None:
    game = make(Opens, drawing=False)
    game.press(button)
    assert game.scene is game
    assert game.events == [fw.key.SPACE]  # the event methods receive all other events
    game.closes = lambda running: None
    game.press(button)
    assert len(game.events) > 4  # the game receives a press that closes nothing


def test_the_escape_that_closes_or_replaces_a_scene_does_not_end_the_game(make: Make) -> None:
    game = make(Opens)
    game.closes = lambda running: running.show(Noted("level"))
    game.log = []
    game.push(Closed(game.closes))
    game.display.window.dispatch_event("on_key_press", fw.key.ESCAPE, 0)
    game.advance(1 / 60)
    assert game.log == ["level setup", "level enter", "level update 1", "level draw"]
    assert game.events == []
    assert game.run(2) is None
    assert game.tick > 2


def test_a_paused_game_does_not_receive_the_press_that_closes_a_scene(make: Make) -> None:
    game = make(Opens, drawing=False)
    game.push(Closed(game.closes))
    game.timestep.paused = True
    game.testing.press("escape")
    game.advance(1 / 60)
    assert game.scene is game
    game.timestep.paused = False
    game.run_ticks(2)
    assert game.events == []


# -- scheduled tasks -------------------------------------------------------------------------------


class Timed(fw.Scene):
    """A scene that notes the ticks in which its tasks run."""

    def __init__(self, **settings: Any) -> None:
        super().__init__()
        vars(self).update(settings)
        self.calls: list[tuple[str, int]] = []

    def setup(self) -> None:
        self.schedule.once(lambda dt: self.calls.append(("once", self.game.tick)), 0.5)
        self.schedule.interval(lambda dt: self.calls.append(("every", self.game.tick)), 1 / 4)

    def update(self, dt: float) -> None:
        self.calls.append(("update", self.game.tick))


def test_scheduled_tasks_run_in_game_time_before_update(make: Make) -> None:
    for frame_rate in (60, 144, 25):
        game = make(tick_rate=12, frame_rate=frame_rate)
        scene = Timed()
        game.push(scene)
        while game.tick < 7:
            game.run(1)
        expected = [
            ("update", 1),
            ("update", 2),
            ("every", 3),
            ("update", 3),
            ("update", 4),
            ("update", 5),
        ]
        assert scene.calls[:9] == [*expected, ("once", 6), ("every", 6), ("update", 6)]


def test_the_time_scale_and_the_pause_of_a_game_apply_to_its_tasks(make: Make) -> None:
    game = make()
    calls = []
    game.schedule.interval(calls.append, 0.1)
    game.timestep.time_scale = 0.5
    game.run(60)
    assert calls == [0.1] * 5
    game.timestep.paused = True
    game.run(60)
    assert len(calls) == 5
    game.timestep.step(6)
    game.run(1)
    assert len(calls) == 6


def test_a_slow_group_moves_slowly_in_a_normal_world(make: Make) -> None:
    class World(fw.Game):
        def setup(self) -> None:
            self.slow = self.schedule.group(0.25)
            self.ship = self.sprites.add(blob(), position=(0, 20))
            self.bullet = self.sprites.add(blob(), position=(0, 80))

        def update(self, dt: float) -> None:
            self.ship.x += 60 * dt
            self.bullet.x += 60 * self.slow.dt

    game = make(World)
    game.run(60)
    assert (game.ship.x, game.bullet.x) == pytest.approx((60, 15), abs=1e-3)


def test_tasks_of_a_paused_scene_wait_and_continue(make: Make) -> None:
    game = make(tick_rate=12, frame_rate=12)
    scene = Timed()
    game.push(scene)
    game.run(5)
    game.push(fw.Scene())
    game.run(100)
    game.pop()
    assert scene.calls[-1] == ("update", 5)
    game.run(1)
    assert scene.calls[-3:] == [("once", 106), ("every", 106), ("update", 106)]


def test_tasks_of_a_removed_scene_end_and_start_again_when_the_scene_is_pushed(
    make: Make,
) -> None:
    game = make(tick_rate=12, frame_rate=12)
    scene = Timed()
    for began in (0, 5):
        game.push(scene)
        schedule = scene.schedule
        game.run(5)
        assert [call for call in scene.calls if call[0] != "update"] == [("every", began + 3)]
        game.pop()
        scene.calls.clear()
        with pytest.raises(fw.FrameworkError, match="its scene was removed"):
            schedule.once(print, 1)
    game.run(20)
    assert scene.calls == []


def test_tasks_scheduled_before_the_scene_is_pushed_count_from_the_push(make: Make) -> None:
    class Early(fw.Scene):
        def __init__(self) -> None:
            super().__init__()
            self.ran: list[int] = []
            self.schedule.once(lambda dt: self.ran.append(self.game.tick), 0.5)

    game = make(tick_rate=12, frame_rate=12)
    scene = Early()
    game.run(30)
    game.push(scene)
    game.run(7)
    assert scene.ran == [36]


def test_a_scene_pushed_by_a_task_starts_when_the_tick_ends(make: Make) -> None:
    game = make(Logged)
    game.since()
    game.schedule.once(lambda dt: game.push(Noted("menu")), 0)
    game.run(1)
    assert game.since() == ["game update 1", "menu setup", "game leave", "menu enter", "menu draw"]


def test_objects_moved_by_a_task_are_interpolated(make: Make) -> None:
    game = make(tick_rate=10, frame_rate=40)
    ball = game.sprites.add(blob(), position=(50, 50))

    def move(dt: float) -> None:
        ball.x = 90

    game.schedule.once(move, 0.1)
    game.run(6)
    assert centroid(game.pixels()) == pytest.approx((70, 50), abs=0.05)


def test_an_exception_in_a_task_reaches_the_caller_unchanged(make: Make) -> None:
    def fails(dt: float) -> None:
        raise KeyError("level 9")

    game = make()
    game.schedule.once(fails, 0.1)
    with pytest.raises(KeyError, match="level 9"):
        game.run(60)


# -- phases ----------------------------------------------------------------------------------------


class Phased(fw.Game):
    """A scene whose systems note their order. The last phase is registered first."""

    def setup(self) -> None:
        self.log: list[str] = []
        for phase in reversed(fw.PHASES):
            self.systems.add(phase, self.noting(phase))
        self.schedule.interval(self.noting("task"), 1 / 60)

    def noting(self, name: str) -> Callable[[float], None]:
        def system(dt: float) -> None:
            assert dt == 1 / 60
            self.log.append(name)

        return system

    def update(self, dt: float) -> None:
        self.log.append("update")


IN_ORDER = [
    "task",
    "input",
    "ai",
    "physics",
    "update",
    "movement",
    "collision",
    "animation",
    "camera",
]


def test_a_tick_is_tasks_then_the_phases_in_order_with_update_first_in_movement(make: Make) -> None:
    game = make(Phased)
    game.run(2)
    assert game.log == IN_ORDER * 2
    assert [name for name in IN_ORDER if name not in ("task", "update")] == list(fw.PHASES)


def test_systems_of_a_phase_run_in_the_order_in_which_they_were_added(make: Make) -> None:
    game = make()
    log = []

    @game.systems.add("ai")
    def first(dt: float) -> None:
        log.append("first")

    def second(dt: float) -> None:
        log.append("second")

    assert game.systems.add("ai", second) is second
    assert callable(first)
    game.run(1)
    assert log == ["first", "second"]
    game.systems.remove("ai", first)
    game.run(1)
    assert log == ["first", "second", "second"]
    with pytest.raises(ValueError, match=r"the function first is not a system of the phase 'ai'"):
        game.systems.remove("ai", first)
    with pytest.raises(ValueError, match=r"is not a system of the phase 'camera'"):
        game.systems.remove("camera", second)


def test_a_system_may_add_and_remove_systems_while_they_run(make: Make) -> None:
    game = make(Phased)

    def busy(dt: float) -> None:
        game.systems.remove("ai", busy)
        game.systems.add("ai", game.noting("next tick"))
        game.systems.add("camera", game.noting("this tick"))

    game.systems.add("ai", busy)
    game.run(1)
    assert game.log == [*IN_ORDER, "this tick"]
    game.log.clear()
    game.run(1)
    assert game.log == [*IN_ORDER[:3], "next tick", *IN_ORDER[3:], "this tick"]


def test_systems_of_a_scene_pause_with_it_and_are_removed_with_it(make: Make) -> None:
    log: list[int] = []

    class Level(fw.Scene):
        def setup(self) -> None:
            self.systems.add("physics", lambda dt: log.append(self.game.tick))

    game = make()
    level = Level()
    for _ in range(2):
        game.push(level)
        game.run(1)
        game.push(fw.Scene())
        game.run(1)
        game.pop()
        game.run(1)
        game.pop()
        game.run(1)
    assert log == [1, 3, 5, 7]


def test_each_phase_and_system_is_timed_once_a_system_exists(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0]  # An invented clock: only systems take time.
    monkeypatch.setattr(
        "framework.game.rules.time", SimpleNamespace(perf_counter_ns=lambda: clock[0] * 10**9)
    )

    class Backend(fw.Game):
        def update(self, dt: float) -> None:
            clock[0] += 5

    def hard(dt: float) -> None:
        clock[0] += 100 * game.tick

    game = make(Backend)
    game.run(1)
    assert game.systems.phase_times == {}
    assert game.systems.times == []
    for phase in ("movement", "ai", "movement"):
        game.systems.add(phase, hard)
    game.run(1)
    assert tuple(game.systems.phase_times) == fw.PHASES
    assert game.systems.phase_times == {**dict.fromkeys(fw.PHASES, 0), "ai": 200, "movement": 405}
    assert game.systems.times == [
        ("ai", hard, 200),
        ("movement", hard, 200),
        ("movement", hard, 200),
    ]
    for phase in ("movement", "ai", "movement"):
        game.systems.remove(phase, hard)
    game.run(1)
    assert game.systems.phase_times == {}
    assert game.systems.times == []


@pytest.mark.parametrize("wrong", ["AI", "draw", None, 3, ["ai"]])
def test_an_unknown_phase_is_refused_with_the_names_of_all_phases(make: Make, wrong: Any) -> None:
    game = make()
    for ask in (game.systems.add, game.systems.remove):
        with pytest.raises(
            (ValueError, TypeError),
            match=r"phase: expected one of 'input', 'ai', .*, 'camera', got",
        ):
            ask(wrong, print)
    with pytest.raises((ValueError, TypeError), match="phase: expected one of 'input'"):
        game.systems.add(wrong)
    game.run(1)


@pytest.mark.parametrize("wrong", [None, "think", 5])
def test_a_system_must_be_callable(make: Make, wrong: Any) -> None:
    game = make()
    with pytest.raises(TypeError, match="function: expected a function of dt, got"):
        game.systems.add("ai", wrong)
    game.run(1)


# -- hooks that fail, or close the game ------------------------------------------------------------


class Clings(fw.Scene):
    """A scene whose `on_exit` fails once."""

    fails = True

    def on_exit(self) -> None:
        if self.fails:
            self.fails = False
            raise ValueError("leave failed")


@pytest.mark.parametrize("put", ["push", "show", "pop"])
def test_a_failing_on_exit_changes_nothing(make: Make, put: str) -> None:
    game = make()
    clings = Clings()
    scene = fw.Scene()
    batch = scene.add(fw.SpriteBatch(blob(), 3))
    game.push(clings)
    arguments = [] if put == "pop" else [scene]
    with pytest.raises(ValueError, match="leave failed"):
        getattr(game, put)(*arguments)
    assert game.scene is clings
    assert backend_of(batch) is None
    game.advance(1 / 60)
    if put != "pop":
        scene = fw.Scene()
        scene.add(fw.SpriteBatch(blob(), 3))
        arguments = [scene]
    getattr(game, put)(*arguments)
    assert game.scene is (game if put == "pop" else scene)
    game.advance(1 / 60)
    assert game.picture.ctx.error == "GL_NO_ERROR"


@pytest.mark.parametrize("put", ["push", "show"])
@pytest.mark.parametrize("within", ["update", "draw"])
def test_switches_after_a_failing_switch_are_dropped(make: Make, put: str, within: str) -> None:
    class Fails(fw.Scene):
        def setup(self) -> None:
            raise ValueError("setup failed")

    later = fw.Scene()

    def switch(self: Any, *args: object) -> None:
        if self.scene is self and not self.failed:
            self.failed = True
            getattr(self, put)(Fails())
            getattr(self, put)(later)

    game = make(type("Switches", (fw.Game,), {within: switch, "failed": False}))
    with pytest.raises(ValueError, match="setup failed"):
        game.advance(1 / 60)
    for _ in range(3):
        game.advance(1 / 60)
        assert game.scene is game
    getattr(game, put)(later)  # the scene was never pushed
    assert game.scene is later


@pytest.mark.parametrize("hook", ["setup", "on_enter", "on_exit"])
@pytest.mark.parametrize("within", ["nothing", "update", "draw", "on_key_press"])
@pytest.mark.parametrize("how", ["close", "fail"])
def test_a_hook_of_a_scene_may_close_the_game(make: Make, hook: str, within: str, how: str) -> None:
    class Last(fw.Scene):
        def end(self) -> None:
            self.game.close()
            if how == "fail":
                raise ValueError("at the end")

        setup = end if hook == "setup" else fw.Scene.setup
        on_enter = end if hook == "on_enter" else fw.Scene.on_enter
        on_exit = end if hook == "on_exit" else fw.Scene.on_exit

    def switch(self: Any, *args: object) -> bool:
        self.push(Last())
        if hook == "on_exit":
            self.pop()
        return True

    game = make(type("Ends", (fw.Game,), {within: switch}))
    expected = (
        pytest.raises(ValueError, match="at the end") if how == "fail" else contextlib.nullcontext()
    )
    with expected:
        if within == "nothing":
            switch(game)
        else:
            if within == "on_key_press":
                game.display.window.dispatch_event("on_key_press", 97, 0)
            game.advance(1 / 60)
    with pytest.raises(fw.FrameworkError, match="closed"):
        game.advance(1 / 60)


@pytest.mark.parametrize("call", ["run", "advance"])
@pytest.mark.parametrize("hook", ["update", "draw", "enter", "end_tick"])
def test_a_game_cannot_run_within_its_own_frame(make: Make, call: str, hook: str) -> None:
    refused: list[str] = []

    def again() -> None:
        with pytest.raises(
            fw.FrameworkError, match=f"{call}: this game is running already"
        ) as error:
            getattr(game, call)(1)
        refused.append(str(error.value))

    class Entered(fw.Scene):
        def on_enter(self) -> None:
            again()

    class Within(fw.Game):
        def update(self, dt: float) -> None:
            if hook == "update":
                again()
            elif hook == "enter":
                self.push(Entered())

        def draw(self, alpha: float) -> None:
            if hook == "draw":
                again()

    class Ends:
        def end_tick(self, tick: object) -> None:
            if hook == "end_tick":
                again()

    game = make(Within)
    game.add_subsystem(Ends())
    game.advance(1 / 60)
    assert len(refused) == 1
    assert game.debug.frames == 1


def test_scenes_that_push_scenes_endlessly_are_refused(make: Make) -> None:
    class Endless(fw.Scene):
        def on_enter(self) -> None:
            self.game.push(type(self)())

    game = make()
    with pytest.raises(fw.FrameworkError, match="1000 changes in a row"):
        game.push(Endless())


def test_endless_calls_in_a_tick_are_refused_by_name(make: Make) -> None:
    game = make()
    with pytest.raises(
        ValueError, match=r"interval: expected at least 0\.000001 seconds, got 1e-09"
    ):
        game.schedule.interval(print, 1e-9)
    with pytest.raises(ValueError, match="rate: expected at most 1,000,000 calls a second"):
        game.systems.add("ai", print, rate=1e9)
    calls: list[float] = []
    game.schedule.interval(calls.append, 1e-6)
    game.advance(1 / 60)
    assert 16_000 < len(calls) < 17_000


def test_garbage_is_collected_once_after_the_first_frame_of_a_new_scene(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = make()
    called = list[str]()
    for name in ("begin", "renew"):
        monkeypatch.setattr(
            game._engine.stage.collector, name, lambda name=name: called.append(name)
        )
    game.push(fw.Scene())
    game.advance(0.1)
    assert called == []
    game.show(fw.Scene())
    game.show(fw.Scene())
    assert called == []  # not before the first frame of the new scene
    game.advance(0.1)
    game.advance(0.1)
    assert called == ["renew"]
    # as at the beginning of a run
    game._engine.stage.after_frame = game._engine.stage.collector.begin
    game.show(fw.Scene())
    game.advance(0.1)
    assert called == ["renew", "begin"]  # `begin` does all the work of `renew` too


def test_refused_calls_add_no_schedule_and_no_tweens(make: Make) -> None:
    game = make()
    game.run_ticks()
    before = game.state_hash()
    for refused in (
        lambda: game.schedule.once(print, "x"),
        lambda: game.schedule.interval(None, 1),
        lambda: game.tween(game, no_such=3, duration=1),
    ):
        with pytest.raises((TypeError, ValueError, AttributeError)):
            refused()
        assert game.state_hash() == before
