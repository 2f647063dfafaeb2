"""Transforms.receive: batches whose rows belong to other code."""

from __future__ import annotations

import itertools
import math
import warnings

import numpy as np
import pytest
from drawings import drawing
from pictures import solid

import framework as fw
from framework.state.backend import end_backend, new_backend
from framework.state.rows import table_of


def points(*rows):
    return np.array(rows, np.float32)


def numbered(count, shift=0.0):
    return (np.arange(2 * count, dtype=np.float32) + np.float32(shift)).reshape(count, 2)


@pytest.fixture
def batch(ctx):
    batch = fw.SpriteBatch(solid(2, 2), count=3)
    new_backend(batch, fw.Graphics(ctx))
    drawing(batch).hand_over()
    yield batch
    end_backend(batch, drawing=True)


def states(batch):
    """Return the previous and the current positions on the GPU."""
    buffer = drawing(batch).handover.blended[0]
    n = len(batch)
    return [
        np.frombuffer(buffer.slots[which].read(), np.float32).reshape(-1, 2)[:n].tolist()
        for which in (buffer.previous, buffer.current)
    ]


def tick(batch, **received):
    """Run a tick that receives rows, and draw a frame. Return the number of uploaded bytes."""
    before = drawing(batch).uploaded_bytes
    table_of(batch).begin_tick(1 / 60)
    if received:
        batch.transforms.receive(**received)
    table_of(batch).end_tick()
    drawing(batch).hand_over()
    return drawing(batch).uploaded_bytes - before


def test_poses_blend_from_the_previous_to_the_current_arrays():
    poses = fw.Transforms2D()
    poses.extend(2)
    poses.receive(
        previous={"position": points((0, 0), (2, 0)), "angle": np.zeros(2, np.float32)},
        current={"position": points((1, 4), (2, 8)), "angle": np.ones(2, np.float32)},
    )
    position, angle, scale = poses.pose(0.25)
    assert position.tolist() == [[0.25, 1], [2, 2]]
    assert angle.tolist() == [0.25, 0.25]
    assert scale.tolist() == [[1, 1], [1, 1]]


def test_the_batch_uses_the_arrays_without_a_copy():
    poses = fw.Transforms2D()
    poses.extend(2)
    before = numbered(2)
    now = numbered(2, 1)
    poses.receive(previous={"position": before}, current={"position": now})
    assert np.shares_memory(poses.position, now)
    assert np.shares_memory(table_of(poses).column("position").previous(2), before)


def test_without_previous_rows_the_last_current_rows_are_used():
    poses = fw.Transforms2D()
    poses.extend(1)
    poses.receive(current={"position": points((4, 4))})
    assert poses.pose(0.0)[0].tolist() == [[4, 4]]
    poses.begin_tick(1 / 60)
    poses.receive(current={"position": points((8, 4))})
    assert poses.pose(0.5)[0].tolist() == [[6, 4]]


def test_a_tick_without_new_rows_is_at_rest():
    poses = fw.Transforms2D()
    poses.extend(1)
    poses.receive(previous={"position": points((0, 0))}, current={"position": points((8, 4))})
    poses.begin_tick(1 / 60)
    poses.end_tick()
    assert poses.pose(0.0)[0].tolist() == [[8, 4]]


def test_a_moving_batch_uploads_one_state_per_tick(batch, monkeypatch):
    arrays = [numbered(3, shift) for shift in range(6)]
    tick(batch, previous={"position": arrays[0]}, current={"position": arrays[1]})
    assert states(batch) == [arrays[0].tolist(), arrays[1].tolist()]
    monkeypatch.setattr("framework.state.columns.differ", lambda a, b: pytest.fail("compared"))
    for before, now in itertools.pairwise(arrays[1:]):
        uploaded = tick(batch, previous={"position": before}, current={"position": now})
        assert uploaded == 3 * 8
        assert states(batch) == [before.tolist(), now.tolist()]


def test_an_array_that_is_passed_again_is_not_uploaded_again(batch):
    arrays = [numbered(3), numbered(3, 1)]
    tick(batch, previous={"position": arrays[0]}, current={"position": arrays[1]})
    assert tick(batch, previous={"position": arrays[1]}, current={"position": arrays[1]}) == 0
    assert states(batch) == [arrays[1].tolist()] * 2
    assert tick(batch) == 0
    drawing(batch).hand_over()
    assert states(batch) == [arrays[1].tolist()] * 2


def test_two_ticks_between_frames_upload_both_states(batch):
    arrays = [numbered(3, shift) for shift in range(4)]
    tick(batch, previous={"position": arrays[0]}, current={"position": arrays[1]})
    table_of(batch).begin_tick(1 / 60)
    batch.transforms.receive(previous={"position": arrays[1]}, current={"position": arrays[2]})
    tick(batch, previous={"position": arrays[2]}, current={"position": arrays[3]})
    assert states(batch) == [arrays[2].tolist(), arrays[3].tolist()]


def test_two_receives_in_one_tick_show_the_last(batch):
    arrays = [numbered(3, shift) for shift in range(4)]
    tick(batch, previous={"position": arrays[0]}, current={"position": arrays[1]})
    table_of(batch).begin_tick(1 / 60)
    batch.transforms.receive(previous={"position": arrays[1]}, current={"position": arrays[2]})
    drawing(batch).hand_over()
    batch.transforms.receive(previous={"position": arrays[1]}, current={"position": arrays[3]})
    drawing(batch).hand_over()
    assert states(batch) == [arrays[1].tolist(), arrays[3].tolist()]


def test_all_columns_can_be_received_and_are_drawn(batch):
    image = batch.images.add(solid(4, 4))
    tick(
        batch,
        current={
            "position": numbered(3),
            "color": np.full((3, 4), 0.5, np.float32),
            "image": np.full(3, image, np.int32),
            "visible": np.array([True, False, True]),
            "layer": np.array([2, 1, 0], np.int32),
        },
    )
    assert batch.color.tolist() == [[0.5] * 4] * 3
    info = drawing(batch).info
    numbers = np.frombuffer(info.buffer_of(0).read(), np.uint32)[:3]
    # the rows are drawn by layer, so their order is reversed
    assert [int(number) >> 24 & 1 for number in numbers] == [1, 0, 1]
    assert [int(number) & 0xFFFFFF for number in numbers] == [image] * 3
    assert states(batch)[1] == numbered(3)[::-1].tolist()


def test_an_image_that_the_batch_does_not_have_is_an_error_of_the_frame(batch):
    batch.transforms.receive(current={"image": np.full(3, 7, np.int32)})
    with pytest.raises(ValueError, match="image: row 0 has index 7, the batch has 1 images"):
        drawing(batch).hand_over()


def test_rows_by_id_are_added_removed_and_reordered(batch):
    first = batch[0]
    second = batch[1]
    third = batch[2]
    batch.color = "#f00"
    tick(batch, current={"position": numbered(4)}, ids=np.array([2, 7, 0, 9], np.uint32))
    assert len(batch) == 4
    assert batch.ids.tolist() == [2, 7, 0, 9]
    assert (third.row, first.row, second.removed) == (0, 2, True)
    assert third.position == (0, 1)
    assert batch.color[:, 1].tolist() == [0, 1, 0, 1]
    assert batch.row_of([9, 1]).tolist() == [3, -1]
    tick(batch, current={"position": numbered(0)}, ids=np.array([], np.uint32))
    assert len(batch) == 0
    assert first.removed
    tick(batch, current={"position": numbered(40)}, ids=np.arange(40, dtype=np.uint32) + 10)
    assert states(batch)[1] == numbered(40).tolist()
    batch.transforms.stop_receiving()
    assert batch.add().id == 50


def test_received_rows_can_only_be_read(batch):
    tick(batch, current={"position": numbered(3)})
    sprite = batch[1]
    assert (sprite.x, sprite.y, sprite.position) == (2, 3, (2, 3))
    with pytest.raises(ValueError, match="read-only"):
        batch.position[:] = 1
    with pytest.raises(ValueError, match="read-only"):
        batch.position = 1
    with pytest.raises(TypeError, match="read-only"):
        sprite.x = 1
    batch.scale = 2  # not received
    tick(batch, current={"scale": np.ones((3, 2), np.float32)})
    with pytest.raises(ValueError, match="scale: this batch receives its rows"):
        sprite.scale = 3


def test_after_stop_receiving_the_batch_owns_its_rows(batch):
    arrays = [numbered(3), numbered(3, 1)]
    sprite = batch[2]
    tick(batch, previous={"position": arrays[0]}, current={"position": arrays[1]})
    batch.transforms.stop_receiving()
    batch.transforms.stop_receiving()
    sprite.x = 50
    assert arrays[1].tolist() == numbered(3, 1).tolist()
    drawing(batch).hand_over()
    assert states(batch) == [[[0, 1], [2, 3], [4, 5]], [[1, 2], [3, 4], [50, 6]]]
    tick(batch)
    assert states(batch)[0] == states(batch)[1]


def test_rows_that_the_game_adds_or_removes_end_the_receiving(batch):
    arrays = [numbered(3), numbered(3, 1)]
    for change in (
        lambda: batch.add(position=(9, 9)),
        lambda: batch.remove([0]),
        lambda: batch.extend(500),
        lambda: batch[1].remove(),
    ):
        ids = np.arange(3, dtype=np.uint32) + 100
        tick(batch, previous={"position": arrays[0]}, current={"position": arrays[1]}, ids=ids)
        change()
        tick(batch)
        batch.position += 1
        tick(batch)
        assert states(batch)[1] == batch.position.tolist()
    assert arrays[1].tolist() == numbered(3, 1).tolist()


def test_snapshots_have_copies_and_can_be_restored_while_rows_are_received():
    class Mirror(fw.Game):
        def setup(self):
            self.batch = self.add(fw.SpriteBatch(solid(2, 2), count=2))

    size = (64, 48)
    with Mirror(headless=True, size=size) as game, Mirror(drawing=False, size=size) as undrawn:
        for number in range(4):
            for tested in (game, undrawn):
                tested.run_ticks(1)
                tested.batch.transforms.receive(current={"position": numbered(2, number)})
            assert game.state_hash() == undrawn.state_hash()
            game.pixels()
            if number == 1:
                shot = game.snapshot()
                before = game.state_hash()
        game.restore(shot)
        assert game.state_hash() == before
        assert game.batch.position.tolist() == numbered(2, 1).tolist()
        game.batch.position[:] = 3
        game.batch.transforms.receive(current={"position": numbered(2, 9)})
        game.pixels()
        assert game.batch.position.tolist() == numbered(2, 9).tolist()


def test_a_snapshot_contains_the_previous_rows_too():
    class Received(fw.Game):
        def setup(self):
            self.dots = self.add(fw.SpriteBatch(solid(2, 2), 3))

        def update(self, dt):
            before = numbered(3, self.tick)
            now = numbered(3, self.tick + 1)
            self.dots.transforms.receive(previous={"position": before}, current={"position": now})

    with Received(drawing=False) as game:
        game.run_ticks(2)
        snapshot = game.snapshot()
        game.run_ticks(3)
        game.restore(snapshot)
        previous = table_of(game.dots).column("position").previous(3)
        assert previous.tolist() == numbered(3, 2).tolist()
        assert game.dots.position.tolist() == numbered(3, 3).tolist()


def test_a_paused_game_draws_rows_that_it_receives():
    with fw.Game(headless=True, size=(32, 32)) as game:
        batch = game.add(fw.SpriteBatch(solid(8, 8), count=1))
        game.advance(1 / 60)
        game.timestep.paused = True
        game.advance(1 / 60)
        batch.transforms.receive(current={"position": points((16, 16))})
        game.advance(1 / 60)
        assert game.pixels()[16, 16, :3].tolist() == [255, 255, 255]
        batch.transforms.receive(current={"position": points((4, 4))})
        game.advance(1 / 60)
        assert game.pixels()[27, 4, :3].tolist() == [255, 255, 255]
        assert game.pixels()[16, 16, :3].tolist() != [255, 255, 255]


@pytest.mark.parametrize("motion", ["interpolate", "hermite", "extrapolate", "none"])
def test_every_motion_draws_received_rows(motion):
    with fw.Game(headless=True, size=(64, 32)) as game:
        batch = game.add(fw.SpriteBatch(solid(4, 4), count=1, motion=motion))
        names = ["position"] + (["velocity"] if motion in ("hermite", "extrapolate") else [])
        for number in range(4):
            game.run_ticks(1)
            current = {"position": points((8 * number + 8, 16)), "velocity": points((0, 0))}
            batch.transforms.receive(current={name: current[name] for name in names})
        game.run_ticks(8)
        assert game.pixels()[16, 32, :3].tolist() == [255, 255, 255]


def test_meshes_are_received_too():
    with fw.Game(headless=True, size=(64, 64)) as game:
        boxes = game.world.add(fw.MeshBatch(fw.Mesh.box()))
        boxes.extend(2)
        game.run_ticks(1)
        rotation = np.tile(np.array([0, 0, 0, 1], np.float32), (2, 1))
        boxes.transforms.receive(
            previous={"position": np.zeros((2, 3), np.float32)},
            current={"position": np.ones((2, 3), np.float32), "rotation": rotation},
        )
        assert boxes.transforms.pose(0.5)[0].tolist() == [[0.5] * 3] * 2
        game.pixels()


GOOD = numbered(2)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"current": 3}, "current: expected"),
        ({"current": {}}, "current: expected the arrays of some columns, got an empty dict"),
        ({"current": {"place": GOOD}}, r"current\['place'\]: .*there is no such column"),
        ({"current": {"position": [[1, 2], [3, 4]]}}, r"current\['position'\]: expected an array"),
        (
            {"current": {"position": GOOD.astype(float)}},
            "expected a contiguous array of float32, got",
        ),
        ({"current": {"position": numbered(4)[::2]}}, "expected a contiguous array of float32"),
        (
            {"current": {"position": numbered(3)}},
            r"current\['position'\]: expected float32 of shape \(2, 2\), got shape \(3, 2\); pass ids",
        ),
        ({"current": {"position": GOOD}, "previous": {"position": numbered(1)}}, r"previous\['pos"),
        ({"current": {"position": GOOD}, "previous": {"angle": np.zeros(2, "f4")}}, "not in cur"),
        ({"current": {"position": GOOD}, "ids": [0, 1]}, "ids: expected an array of ids"),
        ({"current": {"position": GOOD}, "ids": np.array([0.0, 1.0])}, "ids: expected an array"),
        ({"current": {"position": GOOD}, "ids": np.array([4, 4])}, "ids: .* got 4 twice"),
        ({"current": {"position": GOOD}, "ids": np.array([-1, 4])}, "ids: expected ids from 0"),
        ({"current": {"position": GOOD}, "ids": np.array([1])}, r"of shape \(1, 2\)"),
        ({"current": {"color": np.zeros((2, 4), "f4")}}, "there is no such column"),
    ],
)
def test_arrays_that_do_not_fit_change_nothing(arguments, words):
    poses = fw.Transforms2D(columns={"name": object})
    poses.extend(2)
    with pytest.raises((TypeError, ValueError), match=words):
        poses.receive(**arguments)
    poses.position[:] = 5
    assert poses.pose(1.0)[0].tolist() == [[5, 5], [5, 5]]
    with pytest.raises(ValueError, match="a column of Python objects cannot be received"):
        poses.receive(current={"name": np.array([None, None])})


def test_positions_of_nan_are_warned_about_once(batch):
    rows = numbered(3)
    rows[1] = math.nan
    with pytest.warns(RuntimeWarning, match="position: row 1 is NaN"):
        tick(batch, current={"position": rows})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tick(batch, current={"position": rows.copy()})


def test_custom_columns_are_received_and_other_columns_keep_their_rows():
    batch = fw.SpriteBatch(
        solid(2, 2), count=3, columns={"hp": 3, "name": object, "pair": ("f4", 2)}
    )
    batch.name = ["a", "b", "c"]
    batch.transforms.receive(
        current={"hp": np.array([1, 2], np.int64)}, ids=np.array([2, 5], np.uint32)
    )
    assert batch.hp.tolist() == [1, 2]
    assert batch.name.tolist() == ["c", None]
    assert batch.pair.shape == (2, 2)


@pytest.mark.parametrize(
    "change",
    [
        lambda batch: batch.add(position=(50, 50)),
        lambda batch: batch.extend(1),
        lambda batch: batch.remove([0]),
    ],
    ids=["add", "extend", "remove"],
)
def test_sprites_use_the_own_memory_of_a_batch_after_rows_are_added_or_removed(change):
    batch = fw.SpriteBatch(solid(2, 2), capacity=8)
    sprites = [batch.add() for _ in range(3)]
    batch.transforms.receive(current={"position": numbered(3)})
    change(batch)
    batch.position = 3
    assert sprites[2].position == (3, 3)
    sprites[2].x = 12
    assert batch.position[sprites[2].row].tolist() == [12, 3]
    assert batch[len(batch) - 1].x == batch.position[-1, 0]


def test_nodes_receive_poses_and_no_other_rows():
    nodes = fw.Nodes2D()
    parent = nodes.add(position=(10, 0))
    nodes.add(position=(1, 0), parent=parent)
    nodes.receive(current={"position": points((20, 0), (2, 0))})
    assert nodes.world_pose(1.0)[0].tolist() == [[20, 0], [22, 0]]
    with pytest.raises(ValueError, match="ids: expected None, because nodes"):
        nodes.receive(current={"position": points((20, 0))}, ids=np.array([0]))
    with pytest.raises(ValueError, match="nodes cannot receive other parents"):
        nodes.receive(current={"parent": np.array([-1, -1], np.int32)})


# -- states at a low rate --------------------------------------------------------------------------


def path(poses, ticks, dt=1 / 64):
    """Return the x coordinates of the first row in the middle and at the end of each tick."""
    result = []
    for _ in range(ticks):
        poses.begin_tick(dt)
        poses.end_tick()
        result += [float(poses.pose(alpha)[0][0, 0]) for alpha in (0.5, 1.0)]
    return result


@pytest.mark.parametrize("kind", [fw.Transforms2D, fw.Transforms3D])
def test_rows_move_evenly_until_the_time_at_which_the_state_is_drawn(kind):
    poses = kind()
    poses.extend(2)
    width = poses.position.shape[1]
    poses.begin_tick(1 / 64)
    poses.receive(current={"position": np.full((2, width), 8, np.float32)}, at=4 / 64)
    poses.end_tick()
    assert [float(poses.pose(alpha)[0][0, 0]) for alpha in (0.0, 0.5, 1.0)] == [0, 1, 2]
    assert path(poses, 2) == [3, 4, 5, 6]
    poses.begin_tick(1 / 64)  # the next state arrives a tick early, and the rows do not jump
    poses.receive(current={"position": np.full((2, width), 12, np.float32)}, at=3 / 64)
    poses.end_tick()
    assert [float(poses.pose(alpha)[0][0, 0]) for alpha in (0.0, 0.5, 1.0)] == [6, 7, 8]
    assert path(poses, 5) == [9, 10, 11, 12, 12, 12, 12, 12, 12, 12]
    assert table_of(poses).timed_rows is None
    poses.receive(current={"position": np.zeros((2, width), np.float32)}, at=0)
    assert float(poses.pose(1.0)[0][0, 0]) == 0


def test_states_at_a_low_rate_rotate_the_short_way_and_follow_ids():
    poses = fw.Transforms2D()
    poses.extend(2)
    poses.angle[:] = 3
    poses.begin_tick(1 / 64)
    poses.receive(
        current={"angle": np.array([9, -3], np.float32), "position": points((4, 4), (8, 8))},
        ids=np.array([7, 1], np.uint32),
        at=2 / 64,
    )
    poses.end_tick()
    position, angle, _ = poses.pose(1.0)
    assert position.tolist() == [[4, 4], [4, 4]]  # the new row does not move, the other row does
    assert angle[0] == 9
    assert abs(angle[1]) == pytest.approx(math.pi, abs=0.01)


def test_a_snapshot_between_two_states_at_a_low_rate_is_restored(monkeypatch):
    with fw.Game(drawing=False) as game:
        batch = game.add(fw.SpriteBatch(solid(2, 2), count=3))
        game.run_ticks(1)
        rows = numbered(3, 50)
        batch.transforms.receive(current={"position": rows}, at=5 / 60)
        game.run_ticks(1)
        shot = game.snapshot()
        game.run_ticks(5)
        first = batch.position.tolist(), game.state_hash()
        rows[:] = 0
        game.restore(shot)
        game.run_ticks(5)
        assert (batch.position.tolist(), game.state_hash()) == first
        assert first[0] == numbered(3, 50).tolist()
        batch.transforms.receive(current={"position": numbered(3)}, at=1.0)
        batch.transforms.stop_receiving()
        batch.position = 9
        game.run_ticks(2)
        assert batch.position.tolist() == [[9, 9]] * 3


@pytest.mark.parametrize("at", [-1, math.nan, math.inf, "x", [1]])
def test_an_invalid_time_is_refused(at):
    poses = fw.Transforms2D()
    poses.extend(2)
    with pytest.raises((TypeError, ValueError), match="at: expected"):
        poses.receive(current={"position": GOOD}, at=at)
