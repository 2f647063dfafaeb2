"""Tests of runs: neighboring sprite batches that are drawn in one call."""

from __future__ import annotations

import gc
import random
import weakref
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

import framework as fw
from framework.plane import sprite_runs
from framework.plane.sprite_drawing import drawing_of
from framework.state.displacement import ShownPoses, displace, end_displacement
from framework.state.rows import table_of

IMAGE = np.random.default_rng(5).integers(0, 256, (8, 8, 4)).astype(np.uint8)
IMAGE[..., 3] = np.maximum(IMAGE[..., 3], 60)
OTHER_IMAGE = np.random.default_rng(6).integers(0, 256, (6, 9, 4)).astype(np.uint8)
SIZE = (96, 64)
TICK = 1 / 60

Make = Callable[..., Any]


class Fleet(fw.Game):
    """A game with many batches of one sprite."""

    count = 8
    speed = 0.0

    def setup(self) -> None:
        self.batches = [self.add(fw.SpriteBatch(IMAGE)) for _ in range(self.count)]
        self.ships = [
            batch.add(position=(8 + 10 * index, 20 + index), angle=index / 3)
            for index, batch in enumerate(self.batches)
        ]

    def update(self, dt: float) -> None:
        if self.speed:
            for ship in self.ships:
                if not ship.removed:
                    ship.x += self.speed


@pytest.fixture
def make() -> Iterator[Make]:
    games: list[fw.Game] = []

    def new(kind: type[fw.Game] = Fleet, **attributes: Any) -> fw.Game:
        game = type(kind.__name__, (kind,), attributes)(headless=True, size=SIZE)
        games.append(game)
        return game

    yield new
    for game in games:
        game.close()


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """A function after whose call all batches are drawn one by one."""
    return lambda: monkeypatch.setattr(sprite_runs, "MIN_BATCHES", 10**9)


def joined(batch: fw.SpriteBatch) -> bool:
    """Return whether the batch is drawn together with its neighbors."""
    return table_of(batch).lease is not None


def both(make: Make, alone: Callable[[], None], play: Callable[[Any], Any]) -> tuple[Any, Any]:
    """Play a game with runs, and then without them. Return both results."""
    together = play(make())
    alone()
    return together, play(make())


# -- images ----------------------------------------------------------------------------------------


def test_neighbors_are_drawn_together_and_look_the_same(
    make: Make, alone: Callable[[], None]
) -> None:
    def play(game: Any) -> list[Any]:
        game.speed = 1.3
        images = []
        for frame_time in (TICK, TICK, TICK / 3, 0.0, TICK):
            game.advance(frame_time)
            images.append(game.pixels())
        images.append(sum(map(joined, game.batches)))
        return images

    together, one_by_one = both(make, alone, play)
    assert together.pop() == 8
    assert one_by_one.pop() == 0
    assert all(map(np.array_equal, together, one_by_one))


class Mixed(fw.Game):
    """A game that does anything that a game may do with batches."""

    seed_of_actions = 0

    def setup(self) -> None:
        self.dice = random.Random(self.seed_of_actions)
        self.batches: list[fw.SpriteBatch] = []
        self.held: list[Any] = []
        for _ in range(12):
            self.add_batch()

    def point(self) -> tuple[float, float]:
        return self.dice.uniform(0, SIZE[0]), self.dice.uniform(0, SIZE[1])

    def add_batch(self) -> None:
        dice = self.dice
        options: dict[str, Any] = {}
        if dice.random() < 0.2:
            options = dice.choice(
                [{"blend": "add"}, {"y_sort": True}, {"filter": "nearest"}, {"motion": "none"}]
            )
        image = IMAGE if dice.random() < 0.85 else OTHER_IMAGE
        batch = fw.SpriteBatch(image, dice.choice([0, 1, 1, 2]), **options)
        self.add(batch, layer=dice.choice([0, 0, 0, 1]))
        for _ in range(dice.choice([0, 1, 2])):
            batch.add(
                position=self.point(),
                scale=dice.choice([1, (0.4, 1.3), 2]),
                angle=dice.uniform(0, 6),
                color=(dice.random(), 1, dice.random()),
            )
        batch.position += dice.uniform(0, 60)
        self.batches.append(batch)

    def act(self) -> None:
        dice = self.dice
        batch = dice.choice(self.batches)
        row = dice.randrange(len(batch)) if len(batch) else -1
        action = dice.choice(self.actions)
        if row >= 0 or action in (Mixed.grow, Mixed.write_held, Mixed.add_batch):
            action(self, *(() if action is Mixed.add_batch else (batch, row)))

    def remove_batch(self, batch: fw.SpriteBatch, row: int) -> None:
        if len(self.batches) > 6:
            self.batches.remove(batch)
            self.remove(batch)

    def grow(self, batch: fw.SpriteBatch, row: int) -> None:
        batch.add(position=self.point(), layer=self.dice.choice([0, 1, -1]))

    def remove_row(self, batch: fw.SpriteBatch, row: int) -> None:
        if self.dice.random() < 0.5:
            batch[row].remove()
        else:
            batch.remove([row])

    def write_column(self, batch: fw.SpriteBatch, row: int) -> None:
        batch.position += self.dice.uniform(-3, 3)

    def write_sprite(self, batch: fw.SpriteBatch, row: int) -> None:
        sprite = batch[row]
        sprite.x += 5
        sprite.angle += 0.3
        sprite.color = (self.dice.random(), 1, 1)
        sprite.visible = self.dice.random() < 0.8

    def sort(self, batch: fw.SpriteBatch, row: int) -> None:
        batch.layer[row] = self.dice.choice([0, 1, 2])

    def hold(self, batch: fw.SpriteBatch, row: int) -> None:
        self.held = [*self.held[-1:], batch.position]

    def write_held(self, batch: fw.SpriteBatch, row: int) -> None:
        for array in self.held:
            array += self.dice.uniform(-3, 3)
        if self.dice.random() < 0.3:
            self.held = []

    def teleport(self, batch: fw.SpriteBatch, row: int) -> None:
        batch[row].teleport(self.point())

    def change_options(self, batch: fw.SpriteBatch, row: int) -> None:
        batch.y_sort = not batch.y_sort

    def flip(self, batch: fw.SpriteBatch, row: int) -> None:
        batch.flip[row] = (True, False)
        batch.scale *= self.dice.choice([0.9, -1])

    def add_image(self, batch: fw.SpriteBatch, row: int) -> None:
        if self.dice.random() < 0.3:
            batch[row].image = OTHER_IMAGE

    actions = (
        add_batch,
        remove_batch,
        grow,
        grow,
        remove_row,
        write_column,
        write_sprite,
        sort,
        hold,
        write_held,
        write_held,
        teleport,
        change_options,
        flip,
        add_image,
    )

    def update(self, dt: float) -> None:
        for _ in range(self.dice.choice([0, 1, 4])):
            self.act()

    def draw(self, alpha: float) -> None:
        """Read everything. This must not change what is drawn."""
        if self.dice.random() < 0.3:
            for batch in self.batches:
                batch.position.sum()
                batch.transforms.pose(alpha)
                for sprite in batch:
                    assert sprite.drawn_position(alpha)[0] == sprite.drawn_position(alpha)[0]


def play_mixed(game: Any, seed: int, frames: int) -> list[Any]:
    dice = random.Random(seed)
    results: list[Any] = []
    snapshots: list[Any] = []
    for _ in range(frames):
        game.advance(dice.choice([TICK, TICK, TICK / 4, 0, 2 * TICK]))
        results += [game.pixels().tobytes(), game.state_hash()]
        match dice.randrange(9):
            case 0:
                snapshots.append(game.snapshot())
            case 1 if snapshots:
                game.restore(dice.choice(snapshots))
            case 2:
                game.timestep.paused = not game.timestep.paused
            case 3:
                game.camera.zoom = dice.choice([0.5, 1, 2])
            case 4:
                for batch in game.batches:
                    batch.touch()
            case 5 if game.views.at(90, 60) is None:
                game.views.add(fw.Camera2D(SIZE), (0.5, 0.5, 0.5, 0.5))
    return results


@pytest.mark.parametrize("seed", range(4))
def test_anything_looks_the_same_as_without_runs(
    make: Make, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(sprite_runs, "MIN_BATCHES", 2)
    together = play_mixed(make(Mixed, seed_of_actions=seed), seed, 30)
    monkeypatch.setattr(sprite_runs, "MIN_BATCHES", 10**9)
    one_by_one = play_mixed(make(Mixed, seed_of_actions=seed), seed, 30)
    assert together == one_by_one


def test_rows_of_several_layers_keep_their_order(make: Make, alone: Callable[[], None]) -> None:
    def play(game: Any) -> Any:
        for batch in game.batches:
            batch.extend(2, position=batch.position[0] + (3, 0), layer=[1, -1])
        game.advance(TICK)
        game.advance(TICK)
        game.batches[3].layer = [0, 2, 1]
        game.advance(TICK)
        return joined(game.batches[3]), game.pixels()

    (is_joined, together), (_, one_by_one) = both(make, alone, play)
    assert is_joined
    assert np.array_equal(together, one_by_one)


# -- changes ---------------------------------------------------------------------------------------


def test_an_array_that_the_game_holds_is_noticed(make: Make) -> None:
    game = make()
    game.advance(TICK)
    assert all(map(joined, game.batches))
    held = [batch.position for batch in game.batches]
    for _ in range(3):
        game.advance(TICK)
    before = game.pixels()
    for array in held:
        array[0, 1] += 25
    game.advance(TICK)
    game.advance(TICK)
    assert not np.array_equal(game.pixels(), before)
    assert [batch[0].y for batch in game.batches] == [20 + index + 25 for index in range(8)]


def test_a_batch_whose_array_was_held_before_is_drawn_alone(make: Make) -> None:
    game = make()
    held = game.batches[2].position
    game.advance(TICK)
    assert [joined(batch) for batch in game.batches] == [False] * 3 + [True] * 5
    held[0, 0] = 70
    game.advance(TICK)
    assert game.ships[2].x == 70
    del held
    for _ in range(70):
        game.advance(TICK)
    assert all(map(joined, game.batches))


def test_an_array_stays_valid_when_its_batch_leaves_the_run(make: Make) -> None:
    game = make()
    game.advance(TICK)
    held = game.batches[4].position
    game.batches[4].y_sort = True
    game.advance(TICK)
    assert not joined(game.batches[4])
    held[0, 0] = 33
    game.advance(TICK)
    assert game.ships[4].x == 33


def test_a_removed_batch_can_be_added_again(make: Make) -> None:
    game = make()
    game.advance(TICK)
    game.remove(game.batches[5])
    game.ships[5].x = 44
    game.advance(TICK)
    game.add(game.batches[5])
    game.advance(TICK)
    assert joined(game.batches[5])
    assert game.ships[5].x == 44


def test_a_removed_batch_keeps_the_order_of_its_layers(make: Make) -> None:
    game = make(count=0)
    batch = game.add(fw.SpriteBatch(np.full((8, 8, 4), 255, np.uint8)))
    batch.add(position=(40, 30), color="#f00", layer=1)
    batch.add(position=(40, 30), color="#0f0")
    shapes = game.add(fw.Shapes())
    shapes.add_circle((70, 30), 8, color="#f00", layer=1)
    shapes.add_circle((70, 30), 8, color="#0f0")
    game.advance(TICK)
    before = game.pixels()
    for drawable in (batch, shapes):
        game.remove(drawable)
    game.advance(TICK)
    for drawable in (batch, shapes):
        game.add(drawable)
    game.advance(TICK)
    assert tuple(before[34, 40]) == tuple(before[34, 70]) == (255, 0, 0, 255)
    assert np.array_equal(game.pixels(), before)


def test_batches_may_be_removed_and_added_in_a_callback(make: Make) -> None:
    game = make()
    game.advance(TICK)

    def replace_one() -> None:
        game.remove(game.batches.pop(0))
        game.batches.append(game.add(fw.SpriteBatch(IMAGE, 1)))

    game.schedule.interval(lambda *_: replace_one(), TICK)
    for _ in range(5):
        game.advance(TICK)
    assert all(map(joined, game.batches))
    assert len(game.batches) == 8


def test_the_pool_gets_new_memory_and_keeps_all_rows(make: Make) -> None:
    game = make(count=150)
    game.advance(TICK)
    for _ in range(150):
        game.batches.append(game.add(fw.SpriteBatch(IMAGE)))
        game.ships.append(game.batches[-1].add(position=(len(game.ships), 5)))
    game.advance(TICK)
    assert sum(map(joined, game.batches)) == 300
    assert [ship.x for ship in game.ships[150:]] == list(range(150, 300))


def test_the_pool_gets_smaller_when_most_batches_are_removed(
    make: Make, alone: Callable[[], None]
) -> None:
    def play(game: Any) -> Any:
        for batch in game.batches:
            batch.extend(60)
        game.advance(TICK)
        while len(game.batches) > 5:
            game.ships.pop()
            game.remove(game.batches.pop())
        game.speed = 2.0
        game.advance(TICK)
        game.advance(0.4 * TICK)
        lease = table_of(game.batches[0]).lease
        return lease and lease.pool.used, game.pixels()

    (used, together), (_, one_by_one) = both(partial(make, count=50), alone, play)
    assert used == 5 * 61
    assert np.array_equal(together, one_by_one)


def test_rows_that_are_displaced_after_a_correction_are_drawn_alone(
    make: Make, alone: Callable[[], None]
) -> None:
    def play(game: Any) -> Any:
        game.advance(TICK)
        table = table_of(game.batches[3])
        before = ShownPoses(table, 1.0)
        game.ships[3].y += 20
        game.advance(TICK)
        assert displace(table, before, 1.0, 100.0)
        game.advance(0.5 * TICK)
        displaced = game.pixels()
        assert not joined(game.batches[3])
        end_displacement(table)
        game.advance(0.25 * TICK)
        return displaced, game.pixels()

    together, one_by_one = both(make, alone, play)
    assert all(map(np.array_equal, together, one_by_one))
    assert not np.array_equal(*together)


def test_a_batch_that_grows_keeps_its_rows(make: Make, alone: Callable[[], None]) -> None:
    def play(game: Any) -> Any:
        game.advance(TICK)
        for _ in range(70):
            game.batches[1].add(position=(50, 30))
        game.advance(TICK)
        return game.pixels(), len(game.batches[1])

    together, one_by_one = both(make, alone, play)
    assert np.array_equal(together[0], one_by_one[0])
    assert together[1] == one_by_one[1] == 71


def test_the_tick_before_is_known(make: Make) -> None:
    game = make()
    game.advance(TICK)
    game.speed = 4.0
    game.advance(TICK)
    ship = game.ships[6]
    assert ship.x == 72
    assert ship.drawn_position(0.25)[0] == 69
    assert game.batches[6].transforms.pose(0.5)[0][0, 0] == 70


def test_a_run_uploads_only_changes(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    game = make()
    second = game.batches[0].add(position=(0, 50))
    uploads: list[int] = []
    refill = sprite_runs.refill_buffer
    monkeypatch.setattr(
        sprite_runs,
        "refill_buffer",
        lambda buffer, data: (uploads.append(data.nbytes), refill(buffer, data)),
    )
    for _ in range(3):
        game.advance(TICK)
    batch = game.batches[0]
    ship = game.ships[0]
    uploads.clear()
    for _ in range(3):
        game.advance(TICK)
        assert len(batch.position) == len(batch.layer) == 2  # reads
        game.advance(0.25 * TICK)
    assert not uploads
    changes: list[Callable[[], Any]] = [
        partial(setattr, ship, name, value)
        for name, value in (
            ("x", 30),
            ("angle", 1),
            ("scale", 2),
            ("alpha", 0.5),
            ("layer", 3),
            ("flip", (True, False)),
            ("visible", False),
            ("position", (90, 40)),
        )
    ]
    for change in [*changes, second.remove, lambda: batch.position.__iadd__(1)]:
        for _ in range(3):
            game.advance(TICK)
        uploads.clear()
        change()
        game.advance(TICK)
        assert uploads, change
        assert joined(batch)


def test_a_batch_written_in_a_pause_is_drawn_without_interpolation(
    make: Make, alone: Callable[[], None]
) -> None:
    def play(game: Any) -> list[Any]:
        batches = [game.add(fw.SpriteBatch(IMAGE, 1)) for _ in range(4)]  # without Sprite objects
        for _ in range(3):
            game.advance(TICK)
        game.advance(0.5 * TICK)
        game.timestep.paused = True
        images = []
        for _ in range(4):
            game.advance(TICK)
            images.append(game.pixels())
            batches[1].position += (0, 15)
        return images

    together, one_by_one = both(make, alone, play)
    assert all(map(np.array_equal, together, one_by_one))


class Upper(fw.Scene):
    """A scene with so many batches that the pool gets new memory."""

    pauses_below = False

    def setup(self) -> None:
        for index in range(300):
            self.add(fw.SpriteBatch(IMAGE)).add(position=(index % 90, 50))


def test_a_scene_below_is_drawn_when_the_scene_above_gets_new_memory(
    make: Make, alone: Callable[[], None]
) -> None:
    def play(game: Any) -> list[Any]:
        game.advance(TICK)
        for _ in range(2):
            game.remove(game.batches.pop(0))  # then the other rows get other indices
        game.advance(TICK)
        game.push(Upper())
        images = []
        for _ in range(3):
            game.advance(TICK)
            images.append(game.pixels())
        return images

    together, one_by_one = both(make, alone, play)
    assert all(map(np.array_equal, together, one_by_one))


class Grower:
    """A drawable of the game that lets a batch grow at the start of a tick."""

    not_state = True
    batch: fw.SpriteBatch | None = None

    def attach(self, graphics: Any) -> None: ...
    def begin_tick(self, dt: float) -> None:
        if self.batch is not None:
            self.batch.extend(100)
            self.batch = None

    def end_tick(self) -> None: ...
    def draw(self) -> None: ...
    def release(self) -> None: ...


def test_a_batch_may_leave_the_run_while_a_tick_begins(
    make: Make, alone: Callable[[], None]
) -> None:
    def play(game: Any) -> tuple[bool, bool, Any]:
        game.advance(TICK)
        below = [game.add(fw.SpriteBatch(IMAGE, 1), layer=-1) for _ in range(4)]
        game.advance(TICK)
        for batch in game.batches[1:]:  # in the pool, `below` comes before these now
            game.remove(batch)
        for batch in game.batches[1:]:
            game.add(batch)
        grower = game.add(Grower(), layer=-1)
        game.speed = 3.0
        game.advance(TICK)
        grower.batch = game.batches[0]
        game.advance(1.5 * TICK)
        return joined(below[0]), joined(game.batches[7]), game.pixels()

    together, one_by_one = both(make, alone, play)
    assert together[:2] == (True, True)
    assert np.array_equal(together[2], one_by_one[2])


@pytest.mark.parametrize(
    "change",
    [
        lambda game: game.add(fw.SpriteBatch(IMAGE)),
        lambda game: [game.add(fw.SpriteBatch(IMAGE, 60)) for _ in range(12)],
        lambda game: game.remove(game.batches[1]),
        lambda game: game.batches[4].extend(70),
    ],
    ids=["add", "add many", "remove", "grow"],
)
def test_a_sprite_written_between_two_ticks_waits_for_the_tick_when_the_run_changes(
    make: Make, alone: Callable[[], None], change: Callable[[Any], Any]
) -> None:
    def play(game: Any) -> list[Any]:
        for _ in range(3):
            game.advance(TICK)
        game.ships[6].y += 20
        change(game)
        images = []
        for frame_time in (TICK / 4, TICK / 4, TICK):
            game.advance(frame_time)
            images.append(game.pixels())
        return images

    together, one_by_one = both(partial(make, count=12), alone, play)
    assert all(map(np.array_equal, together, one_by_one))


class Writer:
    """A drawable of the game that changes a batch while a frame is drawn."""

    not_state = True
    change: Callable[[], Any] | None = None

    def attach(self, graphics: Any) -> None: ...
    def begin_tick(self, dt: float) -> None: ...
    def end_tick(self) -> None: ...
    def draw(self) -> None:
        if self.change is not None:
            self.change()
            self.change = None

    def release(self) -> None: ...


def test_a_drawable_of_the_game_may_change_a_batch_that_is_drawn_later(
    make: Make, alone: Callable[[], None]
) -> None:
    def play(game: Any) -> list[Any]:
        writer = game.add(Writer())
        later = [game.add(fw.SpriteBatch(IMAGE, 2)) for _ in range(4)]
        for _ in range(3):
            game.advance(TICK)
        changes: list[Callable[[], Any]] = [
            lambda: setattr(later[1], "position", (30, 50)),
            lambda: later[2].remove([0]),
            lambda: later[2].add(position=(60, 50)),
            # more rows than the batch has memory for: its rows leave the shared memory
            lambda: later[2].extend(40, position=[(index, 40) for index in range(40)]),
        ]
        images = []
        counts = []
        for change in changes:
            counts.append(sum(map(joined, later)))
            writer.change = change
            game.advance(0.25 * TICK)
            images.append(game.pixels())
        return [counts, *images]

    together, one_by_one = both(make, alone, play)
    assert (together.pop(0), one_by_one.pop(0)) == ([4] * 4, [0] * 4)
    assert all(map(np.array_equal, together, one_by_one))


# -- snapshots and hashes --------------------------------------------------------------------------


def test_a_tween_of_a_sprite_has_the_same_hash_in_a_run(
    make: Make, alone: Callable[[], None]
) -> None:
    def play(game: Any) -> tuple[bool, list[int]]:
        game.tween(game.ships[2], position=(70, 40), duration=0.2)
        hashes = []
        for _ in range(3):
            game.advance(TICK)
            hashes.append(game.state_hash())
        return joined(game.batches[2]), hashes

    (is_joined, together), (_, one_by_one) = both(make, alone, play)
    assert is_joined
    assert together == one_by_one


def test_a_tween_goes_on_after_its_batch_has_left_the_run(make: Make) -> None:
    game = make()
    game.advance(TICK)
    game.tween(game.ships[2], position=(70, 40), duration=10 * TICK)
    game.advance(TICK)
    snapshot = game.snapshot()
    game.batches[2].extend(200)
    game.restore(snapshot)
    for _ in range(12):
        game.advance(TICK)
    assert game.ships[2].position == (70, 40)
    assert game.batches[2].position.tolist() == [[70, 40]]


# -- other code that draws the rows ----------------------------------------------------------------


def test_buffers_of_a_batch_are_its_own(make: Make) -> None:
    game = make()
    game.advance(TICK)
    game.speed = 2.0
    game.advance(TICK)
    view = game.batches[1].buffers["position"]
    x, y = np.frombuffer(view.buffer.read(8), np.float32)
    assert (x, y) == (20, 21)
    game.advance(TICK)
    assert not joined(game.batches[1])  # from now on, it has buffers of its own
    assert joined(game.batches[4])


def test_received_rows_leave_the_pool(make: Make) -> None:
    game = make()
    game.advance(TICK)
    rows = np.array([[11, 12]], np.float32)
    game.batches[3].transforms.receive(current={"position": rows})
    assert not joined(game.batches[3])
    game.advance(TICK)
    assert game.ships[3].x == 11


# -- errors and warnings ---------------------------------------------------------------------------


def test_a_wrong_index_of_an_image_is_an_error(make: Make) -> None:
    game = make()
    game.advance(TICK)
    game.batches[2].image[:] = 7
    with pytest.raises(ValueError, match="image: row 0 has index 7, the batch has 1 images"):
        game.advance(TICK)


def test_nan_is_a_warning(make: Make) -> None:
    game = make()
    game.advance(TICK)
    game.ships[2].x = float("nan")
    with pytest.warns(RuntimeWarning, match="position: row 0 is NaN"):
        game.advance(TICK)
    game.advance(TICK)  # warned once


# -- memory ----------------------------------------------------------------------------------------


def test_removed_batches_are_freed(make: Make) -> None:
    game = make()
    game.advance(TICK)
    batch = game.batches.pop()
    game.ships.pop()
    game.remove(batch)
    reference = weakref.ref(batch)
    del batch
    gc.collect()
    assert reference() is None


def test_two_games_draw_their_own_batches(make: Make) -> None:
    first = make()
    second = make(speed=3.0)
    for _ in range(3):
        first.advance(TICK)
        second.advance(TICK)
    assert [ship.x for ship in first.ships] == [8 + 10 * index for index in range(8)]
    assert [ship.x for ship in second.ships] == [17 + 10 * index for index in range(8)]
    assert all(map(joined, first.batches + second.batches))
    first.close()
    second.advance(TICK)
    assert drawing_of(second.batches[0]) is not None
