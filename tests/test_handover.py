"""The upload of columns: the GPU has the values of the columns, and no byte is sent without need."""

from __future__ import annotations

import sys
from functools import partial

import numpy as np
import pytest
from drawings import drawing
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from pictures import solid

import framework as fw
from framework.game.window import WindowSurface
from framework.gpu.handover import ColumnBuffer, Handover, _pieces
from framework.plane import sprite_runs
from framework.state import columns, previous
from framework.state.backend import end_backend, new_backend
from framework.state.columns import TableColumn
from framework.state.rows import table_of
from framework.state.uploads import MAX_PATCHES

POSES = ("position", "angle", "scale")
SINGLES = ("color", "visible", "image", "flip", "layer")
ROW = {"position": 8, "angle": 4, "scale": 8, "color": 16, "info": 4}
IMAGES = [solid(2, 2), solid(3, 2), solid(2, 5)]


def slot(buffer, index, n):
    """Return the first ``n`` rows of a slot of a `ColumnBuffer` on the GPU."""
    column = buffer.column
    numbers = np.frombuffer(buffer.slots[index].read(), column.current(0).dtype)
    return numbers.reshape(column._shape(-1))[:n]


@pytest.fixture
def batch(ctx):
    """A batch of 1,000 rows that are uploaded and at rest.

    The next upload sends only new writes.
    """
    batch = fw.SpriteBatch(IMAGES, count=1000, capacity=2000)
    new_backend(batch, fw.Graphics(ctx))
    for _ in range(2):
        frame(batch)
    yield batch
    end_backend(batch, drawing=True)


def frame(batch, *writes):
    """Run a frame with a tick for each of ``writes``, or with one empty tick.

    Return the uploaded bytes.
    """
    before = drawing(batch).uploaded_bytes
    for write in writes or [lambda: None]:
        table_of(batch).begin_tick(1 / 60)
        write()
        table_of(batch).end_tick()
    drawing(batch).hand_over()
    return drawing(batch).uploaded_bytes - before


def move(batch):
    batch.position += 1


def test_only_a_changed_column_is_uploaded_and_only_once(batch):
    for name in POSES:
        column = getattr(batch, name)
        assert frame(batch, lambda column=column: column.__iadd__(1)) == 1000 * ROW[name]
        del column
        frame(batch)  # the view existed until now
    assert frame(batch, lambda: batch.color.__imul__(0.5)) == 16_000
    for name, value in (("visible", False), ("image", 1), ("flip", True)):
        assert frame(batch, lambda name=name, value=value: setattr(batch, name, value)) == 4000
    assert (
        frame(batch, lambda: setattr(batch, "layer", 3)) == 0
    )  # all rows are on one layer, so the order is the same


def test_a_moving_column_is_uploaded_once_a_tick(batch):
    for _ in range(4):
        assert frame(batch, lambda: move(batch)) == 8000


def test_a_frame_without_ticks_uploads_and_compares_nothing(batch, monkeypatch):
    frame(batch, lambda: move(batch))
    monkeypatch.setattr("framework.state.columns.differ", lambda a, b: pytest.fail("compared"))
    before = drawing(batch).uploaded_bytes
    for _ in range(3):
        drawing(batch).hand_over()
    assert drawing(batch).uploaded_bytes == before


def test_an_extrapolated_batch_has_no_news_between_ticks(ctx):
    batch = fw.SpriteBatch(IMAGES, count=3, motion="extrapolate")
    new_backend(batch, fw.Graphics(ctx))
    frame(batch, lambda: move(batch))
    assert not table_of(batch).news()  # the observed columns are also complete
    end_backend(batch, drawing=True)


def test_ticks_without_changes_upload_nothing(batch):
    frame(batch, lambda: move(batch))
    assert frame(batch) == 0  # no motion: both states are read from the same slot
    poses = drawing(batch).handover.blended[0]
    assert poses.previous == poses.current
    assert frame(batch, *[lambda: None] * 5) == 0


def test_several_ticks_in_a_frame_upload_two_states(batch):
    assert frame(batch, *[lambda: move(batch)] * 3) == 16_000
    position = drawing(batch).handover.blended[0]
    assert slot(position, position.previous, 1).tolist() == [[2, 2]]
    assert slot(position, position.current, 1).tolist() == [[3, 3]]


def test_a_tick_without_motion_after_a_tick_with_motion_uploads_the_newer_state(batch):
    frame(batch, lambda: move(batch), lambda: None)
    position = drawing(batch).handover.blended[0]
    assert (
        slot(position, position.previous, 1000).tolist()
        == slot(position, position.current, 1000).tolist()
    )
    assert slot(position, position.current, 1).tolist() == [[1, 1]]


def test_a_column_that_is_only_read_is_not_uploaded(batch):
    def look():
        return (
            batch.position.sum(),
            batch.angle.max(),
            batch.scale[3],
            batch.color[2],
            batch.visible.any(),
        )

    assert frame(batch, look) == 0
    look()  # between two ticks, as a game does in draw()
    drawing(batch).hand_over()
    assert frame(batch, look, look) == 0
    view = batch.position
    assert frame(batch, look) == 0
    assert view.sum() == 0


def test_a_column_written_with_the_same_values_is_not_uploaded(batch):
    assert frame(batch, lambda: setattr(batch, "scale", 1)) == 0
    assert frame(batch, lambda: setattr(batch, "color", 1)) == 0


def test_writes_through_an_old_view_are_noticed(batch):
    view = batch.position
    color = batch.color
    for k in range(1, 5):
        assert frame(batch, lambda k=k: view.fill(k)) >= 8000
        position = drawing(batch).handover.blended[0]
        assert (slot(position, position.current, 1000) == k).all()
        assert (slot(position, position.previous, 1000) == k - 1).all()
    assert frame(batch, lambda: color.fill(0.25)) >= 16_000
    assert (slot(drawing(batch).handover.singles[0], 0, 1000) == 0.25).all()
    frame(batch)
    assert frame(batch) == 0


def test_writes_through_sprites_are_noticed(batch):
    sprite = batch[500]
    frame(batch)
    for name, value in (("x", 5), ("y", 6), ("angle", 2), ("scale", 3), ("position", (1, 2))):
        before = drawing(batch).uploaded_bytes
        frame(batch, lambda name=name, value=value: setattr(sprite, name, value))
        assert drawing(batch).uploaded_bytes > before, name
    position = drawing(batch).handover.blended[0]
    assert slot(position, position.current, 1000)[500].tolist() == [1, 2]
    assert slot(position, position.previous, 1000)[500].tolist() == [5, 6]
    attributes = (
        ("color", (0, 0, 0)),
        ("alpha", 0.5),
        ("visible", False),
        ("flip", (True, False)),
        ("image", 2),
    )
    for name, value in attributes:
        assert frame(batch, lambda name=name, value=value: setattr(sprite, name, value)) > 0, name


def test_a_batch_without_sprite_objects_is_fast_again(batch):
    batch[3].remove()
    len(batch.position)
    frame(batch)
    frame(batch, lambda: move(batch))
    # no sprite object can have written, so one state
    assert frame(batch, lambda: move(batch)) == 8 * 999


def test_new_rows_upload_only_themselves(batch):
    row = sum(ROW.values())
    assert frame(batch, lambda: batch.add(position=(1, 2))) == row
    assert frame(batch, lambda: batch.extend(10, position=(1, 2), color=(1, 0, 0, 1))) >= 10 * row
    frame(batch)
    assert frame(batch, lambda: [batch.add() for _ in range(30)]) <= 30 * row


def test_teleports_upload_only_the_rows_that_jumped(batch):
    def jump():
        batch.position[7:9] = 50
        batch.teleport(slice(7, 9))

    assert frame(batch, jump) == 2 * 8
    assert frame(batch, lambda: batch.teleport(slice(None))) == 0  # no row moved

    def wrap():
        batch.position += 1
        batch.position[::10] -= 500
        batch.teleport(np.arange(0, 1000, 10))

    assert (
        frame(batch, wrap) == 2 * 8000
    )  # both states of the moved column, and nothing of the others


@pytest.mark.parametrize("how", ["through the column", "through a sprite", "through an old view"])
def test_a_write_between_ticks_is_the_start_of_the_next_tick(batch, how):
    view = batch.position if "view" in how else None
    sprite = batch[0] if "sprite" in how else None

    def write(value):
        if view is not None:
            view[0] = value
        elif sprite is not None:
            sprite.position = value, value
        else:
            batch.position[0] = value

    position = drawing(batch).handover.blended[0]
    frame(batch, lambda: write(1))
    write(5)
    frame(batch)  # nothing written in this tick
    assert (
        slot(position, position.previous, 1).tolist()
        == slot(position, position.current, 1).tolist()
        == [[5, 5]]
    )
    frame(batch, lambda: write(6))
    write(7)
    frame(batch, lambda: write(8))
    assert slot(position, position.previous, 1).tolist() == [[7, 7]]
    assert slot(position, position.current, 1).tolist() == [[8, 8]]


def test_ticks_that_only_read_after_a_move_upload_nothing(batch):
    frame(batch, lambda: move(batch))
    assert frame(batch, lambda: batch.position.sum(), lambda: None) == 0


def test_teleports_of_scattered_rows_change_the_right_rows(batch):
    def jump():
        batch.position[:] = np.arange(1000)[:, None]
        batch.teleport([3, 7, 8, 20, 999])

    assert frame(batch, jump) == 8000 + 5 * 8
    position = drawing(batch).handover.blended[0]
    previous = slot(position, position.previous, 1000)[:, 0]
    assert np.flatnonzero(previous).tolist() == [3, 7, 8, 20, 999]
    assert previous[[3, 7, 8, 20, 999]].tolist() == [3, 7, 8, 20, 999]


def test_copied_rows_leave_no_buffer_behind(batch, monkeypatch):
    graphics = drawing(batch).handover._ctx
    buffers = []

    class Counting:
        def buffer(self, *args, **options):
            buffers.append(graphics.buffer(*args, **options))
            return buffers[-1]

        def copy_buffer(self, *args, **options):
            graphics.copy_buffer(*args, **options)

    for buffer in drawing(batch).handover.buffers:
        monkeypatch.setattr(buffer, "_ctx", Counting())
    frame(batch, lambda: batch.extend(10))
    assert len(buffers) >= 3
    assert {type(buffer.mglo).__name__ for buffer in buffers} == {"InvalidObject"}  # released


def test_only_a_partial_write_orphans_the_buffer():
    calls = []

    class Buffer:
        def __init__(self, reserve, dynamic):
            self.size = reserve
            calls.append(dynamic)

        def orphan(self):
            calls.append("orphan")

        def write(self, rows):
            calls.append(rows.nbytes)

    class Context:
        buffer = Buffer

    buffer = ColumnBuffer(Context(), TableColumn("probe", 1, 0.0, interpolated=True))
    buffer.reserve(3)
    for rows in (3, 2):
        buffer.write(0, np.zeros(rows, np.float32))
    assert calls == [True, 12, "orphan", 8]


@pytest.mark.parametrize("large", [False, True])
def test_large_positions_are_not_read_back_from_the_gpu(ctx, monkeypatch, large):
    monkeypatch.setattr(columns, "MIN_LAGGING_ROWS", 0)
    monkeypatch.setattr(previous, "_PATIENCE", 0)
    table = fw.Transforms3D(large_world=large)
    table.extend(20)
    handover = Handover.of(ctx, table_of(table))
    handover.reserve(20)
    position = 3e6 if large else 3.0
    for _ in range(4):
        position += 1
        table.begin_tick(1 / 60)
        table.position[:] = position
        table.end_tick()
        handover.hand_over(20, True)
    assert bool(table_of(table).column("position")._previous.lagging) is not large
    assert (table.pose(0.5)[0] == position - 0.5).all()
    handover.release()


def test_vertex_arrays_of_old_buffers_are_released_after_growth(batch):
    gpu = drawing(batch)
    array = gpu.handover.array(gpu.program, gpu._array_parts)
    assert gpu.handover.array(gpu.program, gpu._array_parts) is array
    frame(batch, lambda: batch.extend(2000))
    assert type(array.mglo).__name__ == "InvalidObject"  # released
    assert gpu.handover.array(gpu.program, gpu._array_parts) is not array
    assert len(gpu.handover._arrays) == 1


def test_a_batch_that_gets_a_new_backend_is_uploaded_again(ctx, batch):
    frame(batch, lambda: (move(batch), setattr(batch, "color", (1, 0, 0, 1))))
    end_backend(batch, drawing=True)
    new_backend(batch, fw.Graphics(ctx))
    drawing(batch).hand_over()
    handover = drawing(batch).handover
    position = handover.blended[0]
    assert slot(position, position.current, 1000).tolist() == batch.position.tolist()
    assert slot(handover.singles[0], 0, 1000)[999].tolist() == [1, 0, 0, 1]


def test_release_frees_all_buffers_and_arrays(batch):
    handover = drawing(batch).handover
    resources = [slot for buffer in handover.buffers for slot in buffer.slots if slot is not None]
    resources.append(handover.array(drawing(batch).program, drawing(batch)._array_parts))
    assert handover.memory > 1000 * 20
    handover.release()
    assert {type(resource.mglo).__name__ for resource in resources} == {"InvalidObject"}
    assert handover.memory == 0
    assert all(buffer.column.uploads.source is None for buffer in handover.buffers)


def test_patches_are_runs_of_rows_that_the_gpu_has():
    assert _pieces([np.array([2, 3, 5, 9]), slice(20, 40)], 30) == [
        (2, 4),
        (5, 6),
        (9, 10),
        (20, 30),
    ]
    assert _pieces([np.array([2, 3, 5])], 5) == [(2, 4)]
    assert _pieces([np.array([7])], 5) == []
    scattered = np.arange(0, 2 * MAX_PATCHES + 2, 2)
    assert len(_pieces([scattered[:-1]], 10**6)) == MAX_PATCHES
    assert _pieces([scattered], 10**6) is None
    assert _pieces([scattered[:-1], slice(0, 1)], 10**6) is None


def test_a_teleport_in_a_batch_with_layers_changes_the_row_in_drawing_order(batch):
    frame(
        batch, lambda: setattr(batch, "layer", -np.arange(1000))
    )  # drawn from the last row to the first
    frame(batch)

    def jump():
        batch.position[2] = 50
        batch.teleport(2)

    frame(batch, jump)
    position = drawing(batch).handover.blended[0]
    assert np.flatnonzero(slot(position, position.previous, 1000)[:, 0]).tolist() == [997]


def test_the_order_is_computed_again_when_rows_are_replaced(batch):
    def paint():
        batch.layer = np.arange(1000) % 2
        batch.color[:, 0] = batch.layer

    frame(batch, paint)

    def exchange():
        batch.remove(0)
        batch.add(layer=1, color=(1, 0, 0))

    frame(batch, exchange)
    assert slot(drawing(batch).handover.singles[0], 0, 1000)[:, 0].tolist() == [0] * 499 + [1] * 501


def test_sorting_by_y_can_be_switched_off(batch):
    def write():
        batch.y_sort = True
        batch.position = np.arange(1000)[:, None]

    frame(batch, write)
    position = drawing(batch).handover.blended[0]
    assert slot(position, position.current, 1)[0, 0] == 999
    frame(batch, lambda: setattr(batch, "y_sort", False))
    assert slot(position, position.current, 1)[0, 0] == 0


def test_a_teleport_before_a_tick_updates_the_y_order(ctx):
    batch = fw.SpriteBatch(IMAGES, count=2, y_sort=True)
    new_backend(batch, fw.Graphics(ctx))
    frame(batch)
    batch[1].teleport((0, 5))
    frame(batch)
    position = drawing(batch).handover.blended[0]
    assert slot(position, position.current, 2).tolist() == [
        [0, 5],
        [0, 0],
    ]  # the higher sprite first, so that the lower sprite covers it
    end_backend(batch, drawing=True)


def test_a_teleport_between_ticks_is_in_the_next_frame(batch):
    frame(batch, lambda: move(batch))
    batch.teleport(3)
    drawing(batch).hand_over()
    position = drawing(batch).handover.blended[0]
    assert slot(position, position.previous, 5).tolist() == [[0, 0], [0, 0], [0, 0], [1, 1], [0, 0]]


def test_rows_removed_between_ticks_are_absent_from_the_next_frame(batch):
    frame(batch, lambda: setattr(batch, "position", np.arange(1000)[:, None]))
    batch.remove([0, 1])
    drawing(batch).hand_over()
    position = drawing(batch).handover.blended[0]
    assert slot(position, position.current, 2).tolist() == [[2, 2], [3, 3]]


def test_an_upload_during_a_tick_shows_new_rows_without_interpolation(batch):
    table_of(batch).begin_tick(1 / 60)
    batch.extend(2, position=(5, 5))
    drawing(batch).hand_over()  # as by a screenshot in update()
    position = drawing(batch).handover.blended[0]
    assert slot(position, position.previous, 1002)[1000:].tolist() == [[5, 5], [5, 5]]
    batch.position[1000:] = 80
    table_of(batch).end_tick()
    drawing(batch).hand_over()
    assert slot(position, position.previous, 1002)[1000:].tolist() == [[80, 80], [80, 80]]
    assert slot(position, position.current, 1002)[1000:].tolist() == [[80, 80], [80, 80]]


def test_a_batch_that_is_not_drawn_stores_few_patches(batch):
    def jump():
        batch.position[::10] += 5
        batch.teleport(np.arange(0, 1000, 10))

    frame(batch, *[jump] * 100)
    table_of(batch).begin_tick(1 / 60)
    for _ in range(100):
        batch.position[3] += 1
        batch.teleport(3)
        table_of(batch.transforms).settle()
    assert sum(len(column.uploads.patches) for column in table_of(batch).columns) <= 20
    table_of(batch).end_tick()
    drawing(batch).hand_over()
    position = drawing(batch).handover.blended[0]
    assert slot(position, position.previous, 1000)[::5].tolist()[:3] == [
        [500, 500],
        [0, 0],
        [500, 500],
    ]


def test_a_failed_upload_keeps_the_states_consistent(batch):
    frame(batch, lambda: setattr(batch, "position", 1))

    def wrong():
        batch.position[:] = 2
        batch.image[4] = 9

    with pytest.raises(ValueError, match="image: row 4 has index 9, the batch has 3 images"):
        frame(batch, wrong)
    batch.image[4] = 2
    drawing(batch).hand_over()
    position = drawing(batch).handover.blended[0]
    assert slot(position, position.previous, 1).tolist() == [[1, 1]]
    assert slot(position, position.current, 1).tolist() == [[2, 2]]
    assert slot(drawing(batch).info, 0, 5)[4] & 0xFFFFFF == 2


def test_a_million_rows_take_at_most_120_bytes_in_memory_and_100_on_the_gpu(ctx):
    import tracemalloc

    count = 200_000
    tracemalloc.start()
    try:
        batch = fw.SpriteBatch(solid(2, 2), count=count)
        new_backend(batch, fw.Graphics(ctx))
        for _ in range(3):
            frame(batch, lambda: (move(batch), setattr(batch, "angle", 1), batch.scale.__imul__(2)))
        frame(batch, lambda: setattr(batch, "layer", np.arange(count) % 3))
        used, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert used / count <= 120
    assert drawing(batch).gpu_bytes / count <= 100
    end_backend(batch, drawing=True)


# -- random operations: the GPU always has the rows of a simple model ------------------------------

coordinate = st.integers(-8, 8)


class Row:
    """A sprite by the rules, without columns, latches or buffers."""

    def __init__(self, **values):
        self.current = {"position": (0, 0), "angle": 0, "scale": (1, 1), **values}
        self.current = {
            "color": (1, 1, 1, 1),
            "visible": True,
            "image": 0,
            "flip": (False, False),
            "layer": 0,
        } | (self.current)
        self.latch()
        self.snap = True
        self.handle = None

    def latch(self):
        self.previous = {name: self.current[name] for name in POSES}

    def settle(self):
        if self.snap:
            self.latch()
            self.snap = False


class GpuMachine(RuleBasedStateMachine):
    """Random operations on a batch and on a list of `Row`."""

    surface: WindowSurface

    @initialize(count=st.integers(0, 5), y_sort=st.booleans(), capacity=st.sampled_from([0, 40]))
    def begin(self, count, y_sort, capacity):
        self.surface.window.switch_to()
        self.batch = fw.SpriteBatch(IMAGES, count=count, y_sort=y_sort, capacity=capacity)
        self.rows = [Row() for _ in range(count)]
        self.in_tick = False
        self.unseen = False  # a write that no frame can show before the next tick or `touch`
        self.kept = None  # an old view of the positions
        new_backend(self.batch, fw.Graphics(self.surface.ctx))

    def teardown(self):
        if hasattr(self, "batch"):
            end_backend(self.batch, drawing=True)
            assert self.surface.ctx.error == "GL_NO_ERROR"

    def rows_changed(self):
        self.kept = None

    # ticks and frames

    @precondition(lambda self: not self.in_tick)
    @rule()
    def begin_tick(self):
        table_of(self.batch).begin_tick(1 / 60)
        for row in self.rows:
            row.settle()
            row.latch()
        self.in_tick = True
        self.unseen = False

    @precondition(lambda self: self.in_tick)
    @rule()
    def end_tick(self):
        table_of(self.batch).end_tick()
        for row in self.rows:
            row.settle()
        self.in_tick = False

    @precondition(lambda self: not self.in_tick)
    @rule(quiet=st.integers(0, 2))
    def frame(self, quiet):
        for _ in range(quiet):
            self.begin_tick()
            self.end_tick()
        drawing(self.batch).hand_over()
        for row in self.rows:
            row.settle()
        if not self.unseen:
            self.compare()
            before = drawing(self.batch).uploaded_bytes
            drawing(self.batch).hand_over()
            assert drawing(self.batch).uploaded_bytes == before

    @precondition(lambda self: not self.in_tick)
    @rule()
    def two_frames_without_changes(self):
        """Objects at rest are not uploaded."""
        self.frame(1)
        before = drawing(self.batch).uploaded_bytes
        self.frame(2)
        assert drawing(self.batch).uploaded_bytes == before

    @rule()
    def touch(self):
        self.batch.touch()
        self.unseen = False

    # writes

    @rule(name=st.sampled_from(POSES), a=coordinate, b=coordinate, step=st.integers(1, 3))
    def write_some(self, name, a, b, step):
        values = [
            a + k if name == "angle" else (a + k, b + k % 3) for k in range(len(self.rows))
        ]  # all different
        for row, value in list(zip(self.rows, values, strict=True))[::step]:
            row.current[name] = value
        if self.rows:
            getattr(self.batch, name)[::step] = values[::step]
        self.unseen = False

    @rule(a=coordinate, b=coordinate)
    def move_all(self, a, b):
        self.batch.position += a, b
        for row in self.rows:
            x, y = row.current["position"]
            row.current["position"] = x + a, y + b

    @rule(name=st.sampled_from(SINGLES), k=st.integers(0, 2), step=st.integers(1, 3))
    def write_single(self, name, k, step):
        values = {
            "color": (k, 0, 1, k),
            "visible": k > 0,
            "image": k,
            "flip": (k > 0, k > 1),
            "layer": k - 1,
        }
        getattr(self.batch, name)[::step] = values[name]
        for row in self.rows[::step]:
            row.current[name] = values[name]

    @rule(name=st.sampled_from([*POSES, *SINGLES[:4]]), k=st.integers(0, 2), step=st.integers(1, 3))
    def put(self, name, k, step):
        """Write some rows and teleport them. Other rows that moved are still interpolated."""
        chosen = np.arange(0, len(self.rows), step)
        values = {
            "color": (k, 0, 1, k),
            "visible": k > 0,
            "image": k,
            "flip": (k > 0, k > 1),
            "angle": k,
        }
        value = values.get(name, (k, -k))
        table_of(self.batch.transforms).column(name).put_rows(chosen, value)
        for row in self.rows[::step]:
            row.current[name] = value
            if name in POSES:
                row.previous[name] = value

    @rule(name=st.sampled_from(POSES))
    def read(self, name):
        want = [row.current[name] for row in self.rows]
        column = getattr(self.batch, name)
        np.testing.assert_array_equal(column, np.reshape(want, column.shape))

    @rule()
    def keep_a_view(self):
        self.kept = self.batch.position

    @precondition(lambda self: self.kept is not None)
    @rule(a=coordinate)
    def write_the_view(self, a):
        self.kept[:1] = a
        for row in self.rows[:1]:
            row.current["position"] = a, a
        self.unseen = not self.in_tick

    @precondition(lambda self: self.rows)
    @rule(
        at=st.integers(0, 99),
        name=st.sampled_from([*POSES, *SINGLES, "x", "y"]),
        a=coordinate,
        k=st.integers(0, 2),
    )
    def write_a_sprite(self, at, name, a, k):
        row = self.handle(at)
        sprite = row.handle
        if name in ("x", "y"):
            setattr(sprite, name, a)
            x, y = row.current["position"]
            row.current["position"] = (a, y) if name == "x" else (x, a)
        else:
            values = {
                "position": (a, k),
                "angle": a,
                "scale": (a, k),
                "color": (0, k, 1, 1),
                "visible": k > 0,
                "image": k,
                "flip": (k > 1, k > 0),
                "layer": k,
            }
            setattr(sprite, name, values[name])
            row.current[name] = values[name]
        self.unseen = self.unseen or (not self.in_tick and name in ("x", "y", "position", "angle"))

    def handle(self, at):
        at %= len(self.rows)
        row = self.rows[at]
        if row.handle is None:
            row.handle = self.batch[at]
            self.rows_changed()
        return row

    # rows

    @rule(a=coordinate, b=coordinate, layer=st.integers(-1, 1), then=coordinate)
    def add(self, a, b, layer, then):
        sprite = self.batch.add(1, position=(a, b), layer=layer, color=(0, 1, 0, 1))
        sprite.angle = then
        row = Row(position=(a, b), layer=layer, color=(0, 1, 0, 1), image=1, angle=then)
        row.handle = sprite
        self.rows.append(row)
        self.rows_changed()
        self.unseen = self.unseen or not self.in_tick

    @rule(count=st.integers(0, 40), a=coordinate, layer=st.integers(0, 1))
    def extend(self, count, a, layer):
        positions = [(a + k, -a + k) for k in range(count)]
        rows = self.batch.extend(
            count, position=np.reshape(positions, (count, 2)), layer=layer, scale=2
        )
        assert rows == slice(len(self.rows), len(self.rows) + count)
        self.rows += [Row(position=position, layer=layer, scale=(2, 2)) for position in positions]
        self.rows_changed()

    @precondition(lambda self: self.rows)
    @rule(at=st.integers(0, 99))
    def remove_a_sprite(self, at):
        row = self.handle(at)
        row.handle.remove()
        assert row.handle.removed
        self.rows.remove(row)
        self.rows_changed()

    @rule(start=st.integers(0, 30), step=st.integers(1, 4))
    def remove_rows(self, start, step):
        removed = self.rows[start::step]
        self.batch.remove(slice(start, None, step))
        assert all(row.handle.removed for row in removed if row.handle)
        del self.rows[start::step]
        self.rows_changed()

    @precondition(lambda self: self.rows)
    @rule(
        kind=st.sampled_from(["slice", "indices", "gaps", "index", "sprite"]),
        at=st.integers(0, 99),
        jump=coordinate,
    )
    def teleport(self, kind, at, jump):
        row = self.handle(at)
        at = self.rows.index(row)
        mask = np.zeros(len(self.rows), bool)
        near = slice(at, at + 3)
        mask[{"slice": near, "indices": near, "gaps": slice(at % 2, None, 2)}.get(kind, at)] = True
        also = np.flatnonzero(mask).tolist()
        if jump > 0:
            self.jump(also, jump)
        self.batch.teleport(
            {"slice": near, "indices": also[::-1], "gaps": mask, "index": at, "sprite": row.handle}[
                kind
            ]
        )
        for k in also:
            self.rows[k].snap = True
        if jump < 0:
            self.jump(also, jump)

    def jump(self, rows, by):
        for k in rows:
            x, y = self.rows[k].current["position"]
            self.rows[k].current["position"] = x + by, y - by
        self.batch.position[rows] += by, -by

    @rule(on=st.booleans())
    def sort_by_y(self, on):
        if self.batch.y_sort != on:
            self.batch.y_sort = on
            self.batch.touch()
            self.unseen = False

    # invariants

    @invariant()
    def rows_agree(self):
        if hasattr(self, "batch"):
            assert len(self.batch) == len(self.rows)
            for row in self.rows:
                assert row.handle is None or row.handle.position == row.current["position"]

    def compare(self):
        """Read the GPU's buffers: in drawing order, they have the rows of the model."""
        batch = self.batch
        gpu = drawing(self.batch)
        total = len(table_of(self.batch))
        if not total:
            return
        order = np.arange(total) if gpu._order.rows is None else gpu._order.rows
        alive = np.array([row not in table_of(batch).holes for row in order.tolist()], bool)
        rows = sorted(self.rows, key=lambda row: row.current["layer"])
        if batch.y_sort:
            rows.sort(key=lambda row: (row.current["layer"], -row.current["position"][1]))
        for buffer in gpu.handover.blended:
            name = buffer.column.name
            column = buffer.column
            for slot_index, state, slots_of_model in (
                (buffer.previous, "previous", column.previous(total)),
                (buffer.current, "current", column.current(total)),
            ):
                rows_on_gpu = slot(buffer, slot_index, total)
                np.testing.assert_array_equal(
                    rows_on_gpu, slots_of_model[order], f"{name}, {state}: GPU and column"
                )
                want = np.array([getattr(row, state)[name] for row in rows], np.float32)
                drawn = rows_on_gpu[alive]
                np.testing.assert_array_equal(
                    drawn, want.reshape(drawn.shape), f"{name}, {state}: GPU and model"
                )
        color = np.array([row.current["color"] for row in rows], np.float32).reshape(-1, 4)
        np.testing.assert_array_equal(slot(gpu.handover.singles[0], 0, total)[alive], color)
        info = slot(gpu.info, 0, total)
        assert not (info[~alive] & 1 << 24).any()
        now = [row.current for row in rows]
        bits = [
            c["image"] | c["visible"] << 24 | c["flip"][0] << 25 | c["flip"][1] << 26 for c in now
        ]
        assert info[alive].tolist() == bits


@pytest.fixture(scope="module")
def surface():
    options = {
        "vsync": False,
        "resizable": False,
        "fullscreen": False,
        "samples": 0,
        "pixel_ratio": 1.0,
    }
    surface = WindowSurface((16, 16), title="test", headless=True, **options)
    yield surface
    surface.close()


def test_after_any_operations_the_gpu_has_both_states_of_the_rows_in_drawing_order(surface):
    from hypothesis.stateful import run_state_machine_as_test

    GpuMachine.surface = surface
    run_state_machine_as_test(
        GpuMachine, settings=settings(max_examples=25, stateful_step_count=50, deadline=None)
    )


# -- batches of a few sprites ----------------------------------------------------------------------


@pytest.fixture
def alone(monkeypatch):
    """Draw each batch of sprites alone, not together with its neighbors."""
    monkeypatch.setattr(sprite_runs, "MIN_BATCHES", 10**9)


class SingleSprites(fw.Game):
    """Batches with the same image. Each has one sprite, which the game holds."""

    def setup(self, batches=20):
        self.batches = [self.add(fw.SpriteBatch(solid(3, 3))) for _ in range(batches)]
        self.single_sprites = [
            batch.add(position=(10 * index, 50)) for index, batch in enumerate(self.batches)
        ]
        self.speed = 0.0

    def update(self, dt):
        if self.speed:
            for sprite in self.single_sprites:
                sprite.x += self.speed


def calls_in_a_frame(game):
    """Return the number of calls that Python makes in a frame, of Python and C functions."""
    calls = 0

    def count(frame, event, arg):
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        game.advance(1 / 60)
    finally:
        sys.setprofile(before)
    return calls


# before the optimization 88 and 103
@pytest.mark.parametrize(("speed", "most"), [(0.0, 55), (1.0, 75)])
def test_a_batch_of_one_sprite_needs_few_calls(make, speed, most):
    calls = []
    for batches in (10, 30):
        game = make(
            type(
                "Some",
                (SingleSprites,),
                {"setup": lambda self, batches=batches: SingleSprites.setup(self, batches)},
            )
        )
        game.speed = speed
        for _ in range(3):
            game.advance(1 / 60)
        calls.append(calls_in_a_frame(game))
    assert (calls[1] - calls[0]) / 20 <= most


def test_a_moving_sprite_of_a_game_is_uploaded_once_a_tick(make, alone):
    game = make(SingleSprites)
    game.speed = 1.0
    for _ in range(3):
        game.advance(1 / 60)
    before = [drawing(batch).uploaded_bytes for batch in game.batches]
    game.advance(1 / 60)
    assert [
        drawing(batch).uploaded_bytes - sent
        for batch, sent in zip(game.batches, before, strict=True)
    ] == [8] * 20
    game.single_sprites[3].x += 5  # after the upload and before the next tick: both states are sent
    game.advance(1 / 60)
    assert drawing(game.batches[3]).uploaded_bytes - before[3] == 8 + 16


def test_a_batch_at_rest_is_not_touched_until_it_changes(make, monkeypatch, alone):
    game = make(SingleSprites)
    for _ in range(3):
        game.advance(1 / 60)
    uploads = []
    for name in ("hand_over", "hand_over_moved"):
        original = getattr(Handover, name)
        monkeypatch.setattr(
            Handover, name, lambda *args, original=original: (uploads.append(args), original(*args))
        )
    game.advance(1 / 60)
    game.batches[0].layer, game.batches[0].position  # only read
    game.advance(1 / 60)
    assert not uploads
    batch = game.batches[0]
    sprite = game.single_sprites[0]
    second = batch.add(position=(0, 50))
    game.advance(1 / 60)

    def write(name, value):
        setattr(sprite, name, value)

    changes = [
        *(
            partial(write, *change)
            for change in (("x", 30), ("angle", 1), ("scale", 2), ("alpha", 0.5), ("layer", 3))
        ),
        *(
            partial(write, *change)
            for change in (("flip", (True, False)), ("visible", False), ("position", (90, 40)))
        ),
        lambda: setattr(batch, "y_sort", True),
        lambda: setattr(batch, "y_sort", False),
        second.remove,
        lambda: batch.position.__iadd__(1),
    ]
    for change in changes:
        for _ in range(3):
            game.advance(1 / 60)
        uploads.clear()
        change()
        game.advance(1 / 60)
        assert uploads, change


def test_equal_batches_share_a_program_and_an_atlas_until_their_images_differ(make):
    game = make(SingleSprites)
    first, second, third = game.batches[:3]
    assert (
        len({drawing(batch).program for batch in game.batches})
        == len({drawing(batch).atlas for batch in game.batches})
        == 1
    )
    nearest = game.add(fw.SpriteBatch(solid(3, 3), filter="nearest"))
    anchored = game.add(fw.SpriteBatch(solid(3, 3), anchor=(0, 0)))
    larger = [game.add(fw.SpriteBatch(solid(200, 200))) for _ in range(2)]
    atlases = [drawing(batch).atlas for batch in (first, nearest, anchored, *larger)]
    assert len(set(atlases)) == 5
    assert drawing(first).program is not drawing(nearest).program
    first[0].image = solid(5, 5, (0, 255, 0, 255))
    assert drawing(first).atlas is not drawing(second).atlas is drawing(third).atlas
    assert (len(first.images), len(second.images), len(drawing(second).atlas)) == (2, 1, 1)
    second[0].color = 0.5, 1, 1
    game.advance(1 / 60)
    pixels = game.pixels()[49]
    assert [pixels[x, :3].tolist() for x in (0, 10, 20)] == [
        [0, 255, 0],
        [128, 255, 255],
        [255, 255, 255],
    ]
    shared = drawing(second).atlas
    for batch in game.batches[1:]:
        assert shared.texture.mglo.__class__.__name__ == "Texture"
        game.remove(batch)
    assert shared.texture.mglo.__class__.__name__ == "InvalidObject"
    again = game.add(fw.SpriteBatch(solid(3, 3), 1))
    again.position[0] = 10, 50
    game.advance(1 / 60)
    assert game.pixels()[49, 10, :3].tolist() == [255, 255, 255]
