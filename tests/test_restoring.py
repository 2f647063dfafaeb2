"""Restoring: a game returns to the objects, images and later ticks of a snapshot."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import moderngl
import numpy as np
import pytest
from numpy.typing import NDArray
from pictures import blob

import framework as fw
from framework.current_game import working
from framework.state import columns
from framework.state.rows import table_of

Make = Callable[..., Any]


def frame_images(game: Any) -> list[NDArray[np.uint8]]:
    """Return the images at the alphas 0, 0.37 and 0.99 after the last tick."""
    images = []
    for time in (0, 0.37 / 60, 0.62 / 60):
        game.advance(time)
        images.append(game.pixels())
    return images


def call_count(function: Callable[[], object]) -> int:
    """Return the number of Python functions that a call of ``function`` calls."""
    function()  # the first call fills caches
    count = 0

    def profile(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        function()
    finally:
        sys.setprofile(before)
    return count


def test_snapshots_of_a_small_game_need_few_calls() -> None:
    with fw.Game(drawing=False) as game:
        game.run_ticks(1)
        snapshot = game.snapshot()
        assert call_count(game.snapshot) <= 40
        assert call_count(lambda: game.restore(snapshot)) <= 40
        assert call_count(game.state_hash) <= 28


def test_a_snapshot_in_the_tick_of_another_game_ends_in_its_context() -> None:
    with fw.Game(size=(8, 8), headless=True) as inner, fw.Game(size=(8, 8), headless=True) as game:
        from pyglet import gl  # after a game has prepared pyglet for this machine

        snapshot = inner.snapshot()
        contexts = []

        def look(dt: float) -> None:
            for action in (inner.snapshot, lambda: inner.restore(snapshot)):
                action()
                contexts.append(working.get()[-1])
                contexts.append(gl.current_context is game.display.window.context)

        game.schedule.once(look, 0)
        game.advance(1 / 60)
        assert contexts == [contexts[0], True] * 2
        assert contexts[0] is not None
        assert working.get() == ()


def assert_restores(game: Any, ticks: int = 7) -> None:
    """Check that a restore returns to the same state and images, and that the same later ticks
    follow."""
    snapshot = game.snapshot()
    before = game.debug.state_hashes()
    images = frame_images(game)
    assert game.debug.state_hashes() == before
    game.restore(snapshot)  # at once, while hardly anything has changed
    for now, earlier in zip(frame_images(game), images, strict=True):
        np.testing.assert_array_equal(now, earlier)
    game.restore(snapshot)
    game.run_ticks(ticks)
    later = game.debug.state_hashes()
    assert later != before
    game.advance(1 / 30)
    for _ in range(2):
        game.restore(snapshot)
        assert game.debug.state_hashes() == before
        for now, earlier in zip(frame_images(game), images, strict=True):
            np.testing.assert_array_equal(now, earlier)
        game.restore(snapshot)
        game.run_ticks(ticks)
        assert game.debug.state_hashes() == later
    assert game.picture.ctx.error == "GL_NO_ERROR"


# -- what is drawn ---------------------------------------------------------------------------------


class Plane(fw.Game):
    def setup(self) -> None:
        self.batch = self.add(fw.SpriteBatch(blob(), count=6))
        self.batch.position[:] = self.random.uniform((0, 0), self.size, (6, 2))
        self.turning = self.add(fw.SpriteBatch(blob(9), 2, motion="extrapolate"))
        self.turning.position[:] = (50, 50), (150, 50)
        self.leader = self.sprites.add(blob(11), position=(100, 50))
        self.score = self.labels.add("0", (5, 5))
        self.camera.follow(self.leader, smoothing=0.5)
        nodes = self.nodes = fw.Nodes2D()
        self.ship = nodes.add(position=(60, 60))
        self.gun = nodes.add(self.ship, position=(20, 0))
        self.shown = self.add(fw.NodeSprites(blob(7), nodes))
        for node in (self.ship, self.gun):
            self.shown.show(node, 0)

    def update(self, dt: float) -> None:
        self.batch.position += self.random.normal(0, 3, (len(self.batch), 2)).astype(np.float32)
        self.turning.velocity[:] = self.random.normal(0, 50, (2, 2))
        self.turning.position += self.turning.velocity * np.float32(dt)
        self.leader.x += 4
        self.ship.angle += 0.2
        self.score.text = f"{self.tick} ticks"
        self.score.position = 5 + self.tick, 5
        if self.tick % 3 == 0:
            self.batch.add(0, position=(self.tick * 5, 20), color="orange")
            self.batch.remove(1)
        if self.tick == 9:
            self.camera.shake(8, 20)
            self.nodes.remove(self.gun)


@pytest.mark.parametrize("ticks", [1, 4, 8, 12])
def test_a_game_in_the_plane_is_restored(make: Make, ticks: int) -> None:
    game = make(Plane, seed=3)
    for _ in range(ticks):
        game.advance(1 / 60)
    assert_restores(game)


class Halves(fw.Game):
    """A view whose camera returns to its first zoom, and a widget that grows."""

    def setup(self) -> None:
        self.sprites.add(blob(20), position=(15, 20))
        self.views.add(self.camera, (0, 0, 0.5, 1))
        self.bar = self.ui.column(anchor="top right").progress_bar(0, width=60)

    def update(self, dt: float) -> None:
        self.camera.zoom = 1 + 0.5 * (self.tick % 2)
        self.bar.value = 0.3 + self.tick / 20


@pytest.mark.parametrize("ticks", [3, 4])
def test_views_and_widgets_are_restored(make: Make, ticks: int) -> None:
    game = make(Halves, size=(120, 80))
    game.run_ticks(ticks)
    assert_restores(game, 1)
    images = frame_images(game)
    assert (images[0][:, :60] != images[2][:, :60]).any()  # the two images differ in both halves
    assert (images[0][:, 60:] != images[2][:, 60:]).any()


def test_text_is_restored_to_before_the_first_label_and_after_it(make: Make) -> None:
    game = make(fw.Game, size=(120, 80))
    before = game.snapshot()
    labels = [game.labels.add(text, (5, 5)) for text in ("go", "", "on")]
    game.run_ticks(1)
    labels[0].remove()
    game.run_ticks(1)
    game.advance(0)
    after = game.snapshot()
    after_image = game.pixels()
    for text in ("on", ""):
        labels[2].text = text
        game.run_ticks(1)
        game.advance(0)
        later = game.snapshot()
        blank = game.pixels()
        for snapshot, expected in (
            (before, None),
            (later, blank),
            (before, None),
            (after, after_image),
        ):
            game.restore(snapshot)
            game.advance(0)
            assert expected is None or (game.pixels() == expected).all()
    assert after_image.any()


class Space(fw.Game):
    def setup(self) -> None:
        world = self.world
        world.camera.position = (0, 2, 8)
        world.shadows = True
        self.material = fw.Material(base_color=(1, 0.5, 0.2))
        self.cubes = self.add(fw.MeshBatch(fw.Mesh.cube(1), 3, material=self.material))
        self.cubes.position[:] = (-2, 0, 0), (0, 0, 0), (2, 0, 0)
        self.lamp = world.lights.add(position=(0, 2, 0), color=(1, 0.2, 0.2))
        self.nodes = fw.Nodes3D()
        self.arm = self.nodes.add(position=(0, 1, 0))
        self.hand = self.nodes.add(self.arm, position=(1, 0, 0))
        self.add(fw.NodeMeshes(fw.Mesh.cube(0.4), self.nodes, [self.arm, self.hand]))
        self.smoke = self.add(fw.Billboards(None, 2))
        self.orbit = fw.Orbit(world.camera, distance=8)

    def update(self, dt: float) -> None:
        self.cubes.position[:, 1] += self.random.normal(0, 0.1, 3)
        self.arm.rotation = tuple(
            fw.quaternions.from_vectors(np.array([[0, 0, self.tick * 0.1]], "f4"))[0]
        )
        self.lamp.position = (self.tick % 5 - 2, 2, 1)
        self.smoke.position[:, 1] += 0.05
        self.orbit.yaw += 0.02
        self.world.sun_direction = (1, 2, self.tick)
        self.material.base_color = (1, self.tick % 2, 0)
        if self.tick % 4 == 0:
            self.extra = self.add(fw.MeshBatch(fw.Mesh.cube(0.3), 1))
            self.extra.position[0] = (0, self.tick / 8, 1)
        if self.tick % 4 == 2:
            self.discard_extra()

    def discard_extra(self) -> None:
        if getattr(self, "extra", None) is not None:
            self.world.remove(self.extra)
            self.extra = None


@pytest.mark.parametrize("ticks", [2, 5])
def test_a_world_is_restored(make: Make, ticks: int) -> None:
    game = make(Space, seed=1)
    for _ in range(ticks):
        game.advance(1 / 60)
    assert_restores(game, 5)


def test_columns_with_the_previous_state_on_the_gpu_are_restored(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(columns, "MIN_LAGGING_ROWS", 16)

    class Many(fw.Game):
        def setup(self) -> None:
            self.batch = self.add(fw.SpriteBatch(blob(), count=40))
            self.batch.position[:] = self.random.uniform((0, 0), self.size, (40, 2))
            self.step = self.random.normal(0, 6, (40, 2)).astype(np.float32)

        def update(self, dt: float) -> None:
            self.batch.position += self.step

    game = make(Many)
    game.advance(1 / 60)
    position = table_of(game.batch).column("position")
    position._previous.asked = 0  # as if nobody has read the previous state lately
    for _ in range(3):
        game.advance(1 / 60)
    assert position._previous.lagging
    assert_restores(game)
    for _ in range(3):
        game.advance(1 / 60)
    assert_restores(game)


def test_snapshots_share_unchanged_columns(make: Make) -> None:
    game = make(Plane)
    game.advance(1 / 60)
    table = table_of(game.batch)
    first = game.snapshot()
    _ = game.run_ticks()
    color = table.column("color").frozen
    second = game.snapshot()
    assert color is not None
    assert table.column("color").frozen is color
    game.restore(first)
    assert table.column("color").frozen is color
    game.restore(second)


def test_a_column_view_may_be_written_between_two_snapshots(make: Make) -> None:
    game = make(Plane)
    game.advance(1 / 60)
    view = game.batch.color
    first = game.snapshot()
    view[0] = 0.25
    second = game.snapshot()
    view[0] = 0.75
    del view
    third = game.snapshot()
    for snapshot, expected in ((first, 1.0), (second, 0.25), (third, 0.75), (second, 0.25)):
        game.restore(snapshot)
        assert game.batch.color[0].tolist() == [expected] * 4


# -- objects ---------------------------------------------------------------------------------------


def test_the_same_objects_have_their_earlier_values(make: Make) -> None:
    game = make(Plane)
    game.run_ticks(2)
    leader = game.leader
    ship = game.ship
    game.things = values = {"list": [1, [2]], "set": {3}}
    inner = values["list"][1]
    call_count: list[float] = []
    game.call_count = call_count
    task = game.schedule.once(call_count.append, 0.1)
    snapshot = game.snapshot()
    x = leader.x
    game.run_ticks(20)
    inner.append(5)
    values["set"].clear()
    values["more"] = game.batch.add(0)
    leader.remove()
    game.later = 1
    assert call_count == [0.1]
    game.restore(snapshot)
    assert (leader.x, leader.removed, game.leader is leader, game.ship is ship) == (
        x,
        False,
        True,
        True,
    )
    assert values == {"list": [1, [2]], "set": {3}}
    assert game.things["list"][1] is inner
    assert not hasattr(game, "later")
    assert call_count == []
    assert task.due is not None
    game.run_ticks(20)
    assert call_count == [0.1]


def test_later_sprites_are_removed_and_removed_sprites_return(
    make: Make,
) -> None:
    game = make(Plane)
    game.run_ticks(1)
    first = game.sprites.add(blob(), position=(1, 2))
    early = game.snapshot()
    second = game.sprites.add(blob(), position=(3, 4))
    late = game.snapshot()
    game.restore(early)
    assert (first.removed, second.removed, len(game.sprites)) == (False, True, 2)
    with pytest.raises(ValueError, match="it was removed"):
        second.x += 1
    first.remove()
    game.restore(late)
    assert (first.position, second.position) == ((1, 2), (3, 4))
    second.x = 50
    assert game.sprites.position[2].tolist() == [50, 4]


def test_sprites_write_to_columns_that_have_grown(make: Make) -> None:
    game = make()
    sprites = [game.sprites.add(blob()) for _ in range(4)]
    snapshot = game.snapshot()
    for _ in range(100):
        game.sprites.add(blob())
    game.restore(snapshot)
    sprites[3].x = 42
    assert game.sprites.position[:, 0].tolist() == [0, 0, 0, 42]


# -- scenes ----------------------------------------------------------------------------------------


class Menu(fw.Scene):
    not_state = ("log",)

    def __init__(self, log: list[str]) -> None:
        super().__init__()
        self.log = log

    def setup(self) -> None:
        self.ball = self.sprites.add(blob(31), position=(50, 50))
        self.title = self.labels.add("Menu", (20, 20))
        self.cube = self.add(fw.MeshBatch(fw.Mesh.cube(1), 1))
        self.world.camera.position = (0, 0, 3)
        self.call_count = 0
        self.schedule.interval(self.count, 1 / 60)

    def count(self, dt: float) -> None:
        self.call_count += 1

    def update(self, dt: float) -> None:
        self.ball.x += 3
        self.title.position = self.ball.x, 20
        self.cube.position[0, 0] += 0.05

    def on_enter(self) -> None:
        self.log.append("enter")

    def on_exit(self) -> None:
        self.log.append("leave")


def test_a_popped_scene_is_restored_and_drawn(make: Make) -> None:
    log: list[str] = []
    game = make(Plane)
    game.advance(1 / 60)
    menu = Menu(log)
    game.push(menu)
    for _ in range(3):
        game.advance(1 / 60)
    snapshot = game.snapshot()
    before = game.debug.state_hashes()
    images = frame_images(game)
    game.pop()
    game.advance(1 / 60)
    assert game.scene is game
    log.clear()
    for _ in range(2):
        game.restore(snapshot)
        assert game.scene is menu
        assert menu.game is game
        assert game.debug.state_hashes() == before
        for now, earlier in zip(frame_images(game), images, strict=True):
            np.testing.assert_array_equal(now, earlier)
        call_count = menu.call_count
        game.run_ticks(2)
        assert menu.call_count == call_count + 2
    assert log == []
    game.pop()
    assert log == ["leave"]


def test_a_later_scene_is_removed_and_can_be_pushed_again(make: Make) -> None:
    log: list[str] = []
    game = make(Plane)
    game.menu = Menu(log)
    game.advance(1 / 60)
    snapshot = game.snapshot()
    before = game.debug.state_hashes()
    images = frame_images(game)
    game.push(game.menu)
    game.push(Menu(log))
    game.advance(1 / 60)
    log.clear()
    game.restore(snapshot)
    assert (game.scene, log) == (game, [])
    assert game.debug.state_hashes() == before
    for now, earlier in zip(frame_images(game), images, strict=True):
        np.testing.assert_array_equal(now, earlier)
    game.push(game.menu)
    game.advance(1 / 60)
    assert log == ["enter"]


def test_added_and_removed_batches_are_restored(make: Make) -> None:
    game = make(Plane)
    game.advance(1 / 60)
    extra = game.add(fw.SpriteBatch(blob(51), 1))
    extra.position[0] = (100, 50)
    game.advance(1 / 60)
    assert_restores(game)
    snapshot = game.snapshot()
    images = frame_images(game)
    game.remove(extra)
    later_batch = game.add(fw.SpriteBatch(blob(31), 1))
    later_batch.position[0] = (30, 30)
    game.advance(1 / 60)
    game.restore(snapshot)
    for now, then in zip(frame_images(game), images, strict=True):
        np.testing.assert_array_equal(now, then)
    with pytest.raises(ValueError, match="not in this scene"):
        game.remove(later_batch)


class Triangle:
    """A drawable of a game, with OpenGL objects as attributes."""

    def __init__(self) -> None:
        self.array: Any = None
        self.shade = 0.0
        self.attached = 0

    def attach(self, graphics: fw.Graphics) -> None:
        vertex = "#version 330\nin vec2 at; void main() { gl_Position = vec4(at, 0, 1); }"
        fragment = (
            "#version 330\nuniform float shade; out vec4 color; void main() { color = "
            "vec4(shade, 1, 0, 1); }"
        )
        self.program = graphics.ctx.program(vertex, fragment)
        self.buffer = graphics.ctx.buffer(np.array([-1, -1, 1, -1, 0, 1], "f4"))
        self.array = graphics.ctx.vertex_array(self.program, self.buffer, "at")

    def begin_tick(self, dt: float) -> None:
        self.shade = (self.shade + 0.1) % 1

    def end_tick(self) -> None: ...

    def draw(self) -> None:
        self.program["shade"] = self.shade
        self.array.render(moderngl.TRIANGLES)

    def grow(self, ctx: moderngl.Context) -> None:
        self.buffer.release()
        self.buffer = ctx.buffer(np.array([-1, -1, 1, -1, 0, 1], "f4"))
        self.array = ctx.vertex_array(self.program, self.buffer, "at")

    def release(self) -> None:
        for part in (self.array, self.buffer, self.program):
            part.release()
        self.array = None


def test_a_custom_drawable_keeps_its_current_opengl_objects(make: Make) -> None:
    game = make()
    triangle = Triangle()
    game.add(triangle)
    game.advance(1 / 60)
    scene = fw.Scene()
    second_triangle = scene.add(Triangle())
    game.push(scene)
    game.advance(1 / 60)
    game.advance(0)
    snapshot = game.snapshot()
    image = game.pixels()
    shade = triangle.shade
    triangle.grow(game.picture.ctx)
    game.pop()
    game.advance(1 / 60)
    array = triangle.array
    game.restore(snapshot)
    game.advance(0)
    np.testing.assert_array_equal(game.pixels(), image)
    assert triangle.array is array
    assert triangle.shade == shade
    assert second_triangle.array is not None


def test_time_is_restored(make: Make) -> None:
    game = make(Plane)
    game.advance(1 / 60)
    game.advance(0.4 / 60)
    snapshot = game.snapshot()
    game.timestep.paused = True
    game.timestep.time_scale = 0.5
    game.run_ticks(3)
    game.restore(snapshot)
    assert (game.tick, game.timestep.tick, game.timestep.paused, game.timestep.time_scale) == (
        1,
        1,
        False,
        1.0,
    )
    assert game.timestep.alpha == pytest.approx(0.4, abs=1e-6)
    game.advance(1 / 60)
    assert game.tick == 2


def test_keys_are_restored(make: Make) -> None:
    game = make()
    game.keys.press("a")
    game.run_ticks()
    snapshot = game.snapshot()
    game.keys.release("a")
    game.run_ticks(2)
    game.restore(snapshot)
    assert game.keys["a"]
    assert game.keys.presses("a") == 1
    game.run_ticks()
    assert game.keys["a"]


def test_attributes_in_not_state_are_kept_and_after_restore_is_called(make: Make) -> None:
    class Part:
        not_state = ("file", "seen")

        def __init__(self) -> None:
            self.file = threading.Lock()
            self.seen = self.value = 0
            self.told = 0

        def after_restore(self) -> None:
            self.told = self.value

    class Log:
        not_state = True

        def __init__(self) -> None:
            self.lines = (line for line in "abc")
            self.count = 0

    class Holds(fw.Game):
        not_state = ("fps",)

        def setup(self) -> None:
            self.part = Part()
            self.log = Log()
            self.fps = 0

    game = make(Holds)
    snapshot = game.snapshot()
    before = game.state_hash()
    game.fps = game.log.count = game.part.seen = 7
    assert game.state_hash() == before
    game.part.value = 5
    game.restore(snapshot)
    assert (game.fps, game.log.count, game.part.seen) == (7, 7, 7)
    assert (game.part.value, game.part.told) == (0, 0)
    game.part.value = 3
    game.restore(game.snapshot())
    assert game.part.told == 3


def test_a_subsystem_is_part_of_the_state(make: Make) -> None:
    class Counts(fw.Game):
        def setup(self) -> None:
            self.add_subsystem(Counter())

    class Counter:
        def __init__(self) -> None:
            self.ticks = 0

        def end_tick(self, tick: fw.Tick) -> None:
            self.ticks += 1

    game = make(Counts)
    game.run_ticks(2)
    assert "game.subsystems[0].ticks" in game.debug.state_hashes()
    assert_restores(game)


# -- errors ----------------------------------------------------------------------------------------


def test_a_snapshot_of_another_game_is_refused(make: Make) -> None:
    first_game = make()
    second_game = make()
    snapshot = second_game.snapshot()
    with pytest.raises(fw.FrameworkError, match="restore: expected a snapshot of this game"):
        first_game.restore(snapshot)
    second_game.close()
    del second_game
    with pytest.raises(fw.FrameworkError, match="of another game"):
        first_game.restore(snapshot)
    with pytest.raises(TypeError, match="snapshot: expected a Snapshot, got 3"):
        first_game.restore(3)


@pytest.mark.parametrize("method", ["snapshot", "restore", "run_ticks"])
@pytest.mark.parametrize("where", ["update", "draw"])
def test_snapshots_within_a_tick_or_draw_are_refused(make: Make, method: str, where: str) -> None:
    class StateInTick(fw.Game):
        saved: Any = None

    game = make(StateInTick)
    StateInTick.saved = game.snapshot()
    call = {
        "snapshot": game.snapshot,
        "restore": lambda: game.restore(StateInTick.saved),
        "run_ticks": game.run_ticks,
    }[method]
    setattr(StateInTick, where, lambda self, _: call())
    with pytest.raises(fw.FrameworkError, match=f"{method}: a tick or a frame is not finished yet"):
        game.advance(1 / 30)


def test_a_closed_game_has_no_state(make: Make) -> None:
    game = make()
    snapshot = game.snapshot()
    game.close()
    for call in (
        game.snapshot,
        game.state_hash,
        game.debug.state_hashes,
        game.run_ticks,
        lambda: game.restore(snapshot),
    ):
        with pytest.raises(fw.FrameworkError, match="closed"):
            call()


def test_another_thread_is_refused(make: Make) -> None:
    game = make()
    errors = []

    def ask() -> None:
        try:
            game.snapshot()
        except fw.FrameworkError as error:
            errors.append(str(error))

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    assert "wrong thread" in errors[0]


def test_batches_in_not_state_are_not_hashed(make: Callable[..., Any]) -> None:
    class Measures(fw.Game):
        not_state = ("counter", "trails", "speeds", "fps")

        def setup(self) -> None:
            self.fps = 0.0
            self.score = self.labels.add("0")
            self.counter = self.labels.add("0")
            self.speeds = [self.labels.add("0"), self.labels.add("1")]
            self.trails = self.add(fw.SpriteBatch(np.ones((2, 2, 4)), count=3))
            self.ships = self.add(fw.SpriteBatch(np.ones((2, 2, 4)), count=3))

    game = make(Measures)
    before = game.state_hash()
    values = game.debug.state_hashes()
    game.counter.text = "60 frames a second"
    game.speeds[1].text = "9 px"
    game.fps = 60.0
    game.trails.position = 9
    assert game.state_hash() == before
    assert game.debug.state_hashes() == values
    game.score.text = "1"
    assert game.state_hash() != before
    assert [path for path, value in game.debug.state_hashes().items() if value != values[path]] == [
        "game.score.text"
    ]
    game.score.text = "0"
    game.ships.position = 9
    assert game.state_hash() != before


# -- time ------------------------------------------------------------------------------------------

LOOPS: list[Callable[[], Any]] = [
    lambda: fw.FixedTimestep(60),
    lambda: fw.FixedTimestep(59.94),
    lambda: fw.FixedTimestep(144, max_ticks=None),
    lambda: fw.FixedTimestep(Fraction(1, 3)),
    lambda: fw.FixedTimestep(60, max_ticks=1, overflow="carry"),
    lambda: fw.SemiFixedTimestep(59.94),
    lambda: fw.VariableTimestep(),
    lambda: fw.RoundedTimestep(144),
    lambda: fw.RoundedTimestep(Fraction(1, 3)),
]


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize(
    "frame", [1 / 60, Fraction(1, 60), 1 / 59.94, Fraction(1, 144), 1 / 3, 0.1, 1e-10]
)
def test_the_same_frames_after_a_restore_run_the_same_ticks(
    make: Make, loop: Any, frame: Any
) -> None:
    game = make(timestep=loop(), drawing=False)

    def played() -> list[tuple[int, float, float]]:
        return [(game.tick, game.advance(frame), game.timestep.time) for _ in range(5)]

    for before in range(12):
        for _ in range(before % 5):
            game.advance(frame)
        snapshot = game.snapshot()
        first = played()
        game.advance(0.0123)  # other frames in between, whose times are no multiple of a nanosecond
        game.advance(Fraction(1, 7))
        game.restore(snapshot)
        assert played() == first


def test_the_same_frames_after_a_restore_in_call_soon_run_the_same_ticks(make: Make) -> None:
    game = make(drawing=False)
    snapshots = list[Any]()
    for before in range(30):
        game.advance(1 / 60)
        game.call_soon(lambda: snapshots.append(game.snapshot()))
        first = [(game.advance(1 / 60), game.tick) for _ in range(3)]
        for _ in range(before):
            game.advance(Fraction(1, 77))
        game.call_soon(lambda: game.restore(snapshots[-1]))
        assert [(game.advance(1 / 60), game.tick) for _ in range(3)] == first


def test_a_rewind_does_not_change_when_ticks_are_due(make: Make) -> None:
    def ticks(seeks: bool) -> list[int]:
        game = make(drawing=False)
        game.recording.rewind = fw.Rewind(duration=1)
        for _ in range(20):
            game.advance(Fraction(1, 61))
        if seeks:
            game.recording.rewind.seek(game.tick - 3)
            game.recording.rewind.resume()
        return [game.advance(Fraction(1, 61)) for _ in range(20)]

    assert ticks(True) == ticks(False)


# -- images of later frames ------------------------------------------------------------------------


class Moving(fw.Game):
    """A game with an object of each kind. All objects move in every tick."""

    on = False
    level = 0.3

    def setup(self) -> None:
        self.menu = self.ui.column(anchor="center")
        self.menu.toggle("T", self, "on")
        for _ in range(6):  # more widgets than a tick polls
            self.menu.slider("S", self, "level")
        self.sprite = self.sprites.add(blob(), position=(20, 20))
        self.label = self.labels.add("Hello", (5, 50))
        self.sparks = self.add(fw.Particles.sparks(capacity=300))
        self.lights = self.add(fw.Lights2D(ambient=(0.5, 0.5, 0.5)), layer=1)
        self.lamp = self.lights.add((30, 30), radius=40)
        self.mesh = self.add(fw.MeshBatch(fw.Mesh.cube(), 2))
        self.circle = self.add(fw.Shapes()).add_circle((40, 20), 6)

    def update(self, dt: float) -> None:
        tick = self.tick
        self.sprite.x += 2
        self.sprite.angle += 0.1
        self.camera.zoom *= 1.01
        self.camera.position = (60 + tick % 9, 40)
        self.label.text = f"T {tick}"
        self.label.position = (5 + tick % 7, 50)
        if tick % 3 == 0:
            self.sparks.emit(5, position=(30, 30))
        self.lamp.position = (30 + tick % 11, 30)
        self.mesh.position[0, 0] += 0.05
        self.world.camera.position = (0.05 * tick, 1, 6)
        self.circle.position = (40 + tick % 5, 20)
        self.on = tick % 10 < 5
        self.level = tick % 9 / 9


def played(game: Any, seed: int) -> list[tuple[int, float, int, bytes]]:
    """Run frames of several lengths with presses and clicks. Return the tick, alpha, hash and image
    of each frame."""
    dice = np.random.default_rng(seed)
    frames = []
    for _ in range(6):
        game.testing.press(("space", "tab", "e", "down")[dice.integers(4)])
        game.testing.click(*dice.uniform(0, 96, 2))
        alpha = game.advance(dice.choice([1 / 60, 1 / 120, 1 / 240, 1 / 77]))
        frames.append((game.tick, alpha, game.state_hash(), game.pixels().tobytes()))
    game.run_ticks()  # the last tick latches the last events, because waiting events are not state
    return frames


@pytest.mark.parametrize("written", [False, True])
def test_frames_after_a_restore_are_equal(make: Make, written: bool) -> None:
    game = make(Moving, size=(128, 96))
    game.advance(1 / 60)
    for seed in range(8):
        game.advance((1 / 60, 1 / 90, 1 / 240)[seed % 3])
        if (
            written
        ):  # changes between ticks are visible at once, and interpolated from the last drawn state
            game.menu.label("more")
            game.label.text = "outside"
        snapshot = game.snapshot()
        expected = played(game, seed)
        for _ in range(2):
            game.restore(snapshot)
            for now, earlier in zip(played(game, seed), expected, strict=True):
                assert now == earlier


@pytest.mark.parametrize("change", ["theme", "size"])
def test_widgets_are_painted_again_after_a_change_of_theme_or_size(make: Make, change: str) -> None:
    game = make(Moving, size=(128, 96))
    for _ in range(9):
        game.advance(1 / 60)
    snapshot = game.snapshot()
    expected = played(game, 1)
    if change == "theme":
        game.ui.theme = "light"
        game.advance(1 / 60)
    else:
        game._engine.stage.resized(150, 90)
        game.testing.feed([("on_resize", 150, 90)])
        game.advance(1 / 60)
        game._engine.stage.resized(128, 96)
        game.testing.feed([("on_resize", 128, 96)])
        game.advance(1 / 60)
    game.restore(snapshot)
    for now, earlier in zip(played(game, 1), expected, strict=True):
        assert now == earlier


@pytest.mark.parametrize("call", ["run_ticks", "snapshot", "restore"])
def test_event_handlers_cannot_run_ticks_or_go_back(call: str) -> None:
    """The tick of the event has begun, so its number and its `update` would be lost."""

    class Handling(fw.Game):
        not_state = ("calls", "errors")

        def setup(self) -> None:
            self.errors: list[str] = []
            self.calls: dict[str, Any] = {}
            self.column = self.ui.column()
            self.column.button("Call", self.call)

        def call(self) -> None:
            try:
                self.calls[call]()
            except fw.FrameworkError as error:
                self.errors.append(str(error))

        def on_key_press(self, symbol: int, modifiers: int) -> None:
            self.call()

    with Handling(drawing=False) as game:
        early = game.snapshot()
        game.calls = {
            "run_ticks": game.run_ticks,
            "snapshot": game.snapshot,
            "restore": lambda: game.restore(early),
        }
        game.run_ticks(2)
        game.testing.press("space")
        game.run_ticks(1)
        game.testing.click("Call")
        game.run_ticks(1)
        assert game.tick == 4
        message = f"{call}: a tick or a frame is not finished yet; call it between frames: "
        assert game.errors == [f"{message}game.call_soon(lambda: game.{call}(…))"] * 2


def test_tweens_of_a_later_snapshot_do_not_disturb_removals() -> None:
    class Stars(fw.Game):
        def setup(self) -> None:
            self.stars = self.add(fw.SpriteBatch(blob(4)))
            self.first = self.stars.add()

    with Stars(drawing=False) as game:
        early = game.snapshot()
        for number in range(6):
            star = game.stars.add(position=(number, 0))
            game.tween(star, scale=2, duration=0.5)
        late = game.snapshot()
        game.restore(early)  # `late` still holds the six tweens
        game.stars.add()
        game.first.remove()
        assert len(game.stars.position) == 1
        game.run_ticks(1)
        game.restore(late)
        game.run_ticks(60)
        assert game.stars.scale.tolist() == [[1, 1]] + [[2, 2]] * 6


def test_a_batch_at_nodes_of_a_later_snapshot_does_not_disturb_removals() -> None:
    class Ships(fw.Game):
        def setup(self) -> None:
            self.nodes = fw.Nodes2D()
            self.first = self.nodes.add()

    with Ships(drawing=False) as game:
        early = game.snapshot()
        guns = game.add(fw.NodeSprites(blob(4), game.nodes))
        for number in range(6):
            guns.show(game.nodes.add(position=(number, 0)), 0)
        late = game.snapshot()
        game.restore(early)
        game.first.remove()
        assert len(game.nodes) == 0
        game.restore(late)
        assert guns.node.tolist() == [1, 2, 3, 4, 5, 6]
        game.first.remove()
        assert guns.node.tolist() == [0, 1, 2, 3, 4, 5]
