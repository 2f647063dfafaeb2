"""Columns: accepted values, and the detection of changes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from drawings import drawing
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pictures import solid

import framework as fw
from framework import Graphics
from framework.state import columns, previous
from framework.state.backend import end_backend, new_backend
from framework.state.columns import Table, TableColumn, assign, differ
from framework.state.rows import table_of
from framework.state.transforms2d import PoseTable2D


def test_a_column_that_was_not_read_is_not_compared(monkeypatch):
    column = TableColumn("probe", 2, 0.0, interpolated=True)
    column.reserve(4, 0)
    column.spawn(0, 4)
    column.latch(4)
    single = TableColumn("single", 1, 0.0, interpolated=False)
    single.reserve(4, 0)
    single.spawn(0, 4)
    single.handed_over(4, changed=True)
    monkeypatch.setattr("framework.state.columns.differ", lambda a, b: pytest.fail("compared"))
    assert not column.changed(4)
    column.latch(4)
    assert not single.news(4)


def test_a_column_is_at_rest_while_it_cannot_be_written() -> None:
    def handed_over(changed: bool = False) -> TableColumn:
        column = TableColumn("probe", 1, 0.0, interpolated=True)
        column.reserve(4, 0)
        column.spawn(0, 3)
        column.latch(3)
        column.handed_over(3, changed=changed)
        return column

    column = handed_over()
    column.touched = False
    assert column.at_rest(3)
    assert not column.at_rest(2)
    assert not handed_over(changed=True).at_rest(3)
    view = column.current(3)
    assert not column.at_rest(3)
    del view
    assert column.at_rest(3)
    for owner, flag in ((column, "touched"), (column.uploads, "unsent"), (column.uploads, "stale")):
        setattr(owner, flag, True)
        assert not column.at_rest(3), flag
        setattr(owner, flag, False)


def test_integers_are_checked_against_the_limits_of_a_column() -> None:
    column = TableColumn("probe", 1, 0, dtype=np.int32, interpolated=False)
    column.reserve(2, 0)
    least = -(1 << 31)
    most = (1 << 31) - 1
    assign(column, 2, [least, most])
    assert column.current(2).tolist() == [least, most]
    for value in (least - 1, most + 1):
        with pytest.raises(
            ValueError, match=f"probe: .* from {least:,} to {most:,}, got {value:,}$"
        ):
            assign(column, 2, [0, value])


@pytest.mark.parametrize(
    ("value", "description"),
    [
        (np.zeros((2, 2)), r"float64 of shape \(2, 2\)"),
        (np.zeros((3, 3)), r"float64 of shape \(3, 3\)"),
        (np.zeros((4, 3, 2)), r"float64 of shape \(4, 3, 2\)"),
        ("left", "shape"),
        ([[1, 2], [3], [4, 5]], "ragged"),
        ([1j, 2], "complex128"),
        (None, "object"),
    ],
)
def test_wrong_values_are_refused_and_change_nothing(value, description):
    transforms = fw.Transforms2D()
    transforms.extend(3)
    transforms.position = [[1, 2], [3, 4], [5, 6]]
    words = rf"position: expected float32 numbers of shape \(3, 2\).*{description}"
    with pytest.raises((TypeError, ValueError), match=words):
        transforms.position = value
    np.testing.assert_array_equal(transforms.position, [[1, 2], [3, 4], [5, 6]])


def test_a_cell_accepts_the_range_of_float32():
    column = TableColumn("probe", 1, 0.0, interpolated=False)
    column.reserve(1, 0)
    most = float(np.finfo(np.float32).max)
    for value in (most, -most):
        column.put(0, value)
        assert column.current(1)[0] == value
    for value in (most * 1.01, -most * 1.01):
        with pytest.raises(ValueError, match=r"probe: expected a number of at most 3\.4e38"):
            column.put(0, value)


@pytest.mark.parametrize(("width", "word"), [(2, "two"), (3, "three"), (4, "four")])
def test_a_row_accepts_one_number_or_one_per_component(width: int, word: str) -> None:
    column = TableColumn("probe", width, 0.0, interpolated=False)
    column.reserve(2, 0)
    column.put(1, range(width))
    assert column.current(2)[1].tolist() == list(range(width))
    column.put(1, 7)
    assert column.current(2)[1].tolist() == [7] * width
    for value, error in (([0] * (width + 1), ValueError), ([], ValueError), ("#fff", TypeError)):
        with pytest.raises(error, match=f"^probe: expected {word} numbers"):
            column.put(1, value)


@pytest.mark.parametrize(
    ("count", "error"), [(-1, ValueError), (True, TypeError), (1.5, TypeError), ("1", TypeError)]
)
def test_a_wrong_count_adds_no_rows(count: Any, error: type[Exception]) -> None:
    for table in (fw.Transforms2D(), PoseTable2D()):
        extend = table.extend if isinstance(table, fw.Transforms2D) else table.spawn
        assert extend(np.int64(2)) == slice(0, 2)  # type: ignore[arg-type]
        with pytest.raises(error, match=r"^count: expected"):
            extend(count)
        assert len(table) == 2


def test_columns_broadcast_and_convert_numbers():
    transforms = fw.Transforms2D()
    transforms.extend(3)
    transforms.position = 4, 5
    transforms.angle = [1, 2, 3]
    transforms.scale = np.float64(2)
    np.testing.assert_array_equal(transforms.position, [[4, 5]] * 3)
    np.testing.assert_array_equal(transforms.angle, [1, 2, 3])
    transforms.position += [1, 0]
    transforms.position = transforms.position[::-1] * [[1], [2], [3]]
    np.testing.assert_array_equal(transforms.position, [[5, 5], [10, 10], [15, 15]])
    transforms.position = transforms.position[::-1]  # from the same column, in reverse order
    np.testing.assert_array_equal(transforms.position, [[15, 15], [10, 10], [5, 5]])
    table_of(transforms).keep(np.array([0, 1]))
    transforms.position = [[1, 2], [3, 4]]
    transforms.position = transforms.position.T
    np.testing.assert_array_equal(transforms.position, [[1, 3], [2, 4]])


def test_values_written_in_place_are_not_written_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    transforms = fw.Transforms2D()
    transforms.extend(3)
    written: list[Any] = []
    monkeypatch.setattr(
        "framework.state.columns.assign_to", lambda name, target, value: written.append(name)
    )
    transforms.position += 1
    transforms.angle = transforms.angle
    assert written == []
    transforms.position = transforms.position[::-1]
    transforms.scale = transforms.position
    assert written == ["position", "scale"]


@given(n=st.integers(0, 200_000), data=st.data())
@settings(max_examples=30, deadline=None)
def test_arrays_differ_if_any_bit_differs(n, data):
    a = np.zeros(n, np.float32)
    b = a.copy()
    assert not differ(a, b)
    if n:
        b[data.draw(st.integers(0, n - 1))] = data.draw(st.sampled_from([-0.0, np.nan, 1e-45, 3]))
        assert differ(a, b)
        assert not differ(b, b.copy())


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.uint8, np.bool_])
def test_differences_at_the_edges_of_blocks_are_found(dtype: Any) -> None:
    edges = [8]
    end = 0
    piece = 512
    while end < 500_000:
        end = end + piece
        piece = min(4 * piece, 1 << 17)
        edges.append(end)
    a = np.zeros(edges[-1], dtype)
    for row in [0, 7, *(edge + side for edge in edges[:-1] for side in (-1, 0, 1)), edges[-1] - 1]:
        b = a.copy()
        b[row] = 1
        assert differ(a, b), row
        assert differ(a[: row + 1], b[: row + 1]), row
        assert not differ(a[:row], b[:row]), row


def test_rows_differ_if_any_component_differs() -> None:
    a = np.zeros((600, 3), np.float32)
    for index in [(0, 2), (7, 2), (8, 0), (170, 1), (170, 2), (171, 0), (599, 2)]:
        b = a.copy()
        b[index] = -0.0
        assert differ(a, b), index
        assert not differ(a, a.copy())


# -- while no ticks run ----------------------------------------------------------------------------


def paused_table(rows: int) -> Table:
    """Return uploaded rows at 0, in a game that was just paused."""
    table = Table(
        [TableColumn("x", 1, 0.0, interpolated=True), TableColumn("y", 2, 0.0, interpolated=True)]
    )
    table.spawn(rows)
    table.begin_tick(1 / 60)
    table.end_tick()
    run_paused_frame(table)
    return table


def run_paused_frame(table: Table) -> tuple[list[float], list[float]]:
    """Run a paused frame. Return the previous and the current x, as they are uploaded."""
    table.notice_writes()
    table.news()
    (before, _), (now, _) = table.states(slice(None))
    states = before.tolist(), now.tolist()
    for column in table.interpolated:
        column.handed_over(table.count, changed=column.changed(table.count))
    return states


def test_rows_written_in_a_pause_are_drawn_there_at_once() -> None:
    table = paused_table(3)
    table.column("x").values(3)[1] = 5
    assert run_paused_frame(table) == ([0, 5, 0], [0, 5, 0])
    assert run_paused_frame(table) == ([0, 5, 0], [0, 5, 0])


@pytest.mark.parametrize("name", ["x", "y"])
def test_a_write_to_any_component_is_noticed_in_a_pause(name: str) -> None:
    table = paused_table(3)
    cells = table.column(name).values(3)
    cells[2:].reshape(-1)[-1] = 4  # one of several numbers
    table.notice_writes()
    assert [rows.tolist() for rows in table.tick.snapping] == [[2]]


def test_rows_moved_in_the_last_tick_stay_interpolated_in_a_pause() -> None:
    table = paused_table(2)
    table.begin_tick(1 / 60)
    table.column("x").values(2)[0] = 6
    table.end_tick()
    assert run_paused_frame(table) == ([0, 0], [6, 0])
    table.column("x").values(2)[1] = 7
    assert run_paused_frame(table) == ([0, 7], [6, 7])


def test_a_view_held_in_a_pause_is_compared_in_each_frame() -> None:
    table = paused_table(2)
    view = table.column("x").values(2)
    run_paused_frame(table)
    run_paused_frame(table)
    view[0] = 3
    assert run_paused_frame(table) == ([3, 0], [3, 0])
    view[1] = 4
    del view
    assert run_paused_frame(table) == ([3, 4], [3, 4])


def test_a_pause_without_reads_compares_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    table = paused_table(2)
    run_paused_frame(table)
    noticed = table.tick.noticed
    table.notice_writes()
    assert table.tick.noticed is noticed


# -- teleports -------------------------------------------------------------------------------------


def test_a_teleport_lasts_until_the_end_of_its_tick() -> None:
    table = paused_table(2)
    table.begin_tick(1 / 60)
    table.mark_teleported(np.array([1]))
    table.column("x").values(2)[:] = 5
    (before, _), _ = table.states(slice(None))
    assert before.tolist() == [0, 5]
    table.column("x").values(2)[:] = 9
    table.end_tick()
    (before, _), (now, _) = table.states(slice(None))
    assert (before.tolist(), now.tolist()) == ([0, 9], [9, 9])


def test_a_teleport_between_ticks_ends_when_it_is_read() -> None:
    table = paused_table(1)
    table.mark_teleported(np.array([0]))
    table.states(slice(None))
    table.begin_tick(1 / 60)
    table.column("x").values(1)[:] = 9
    table.end_tick()
    (before, _), (now, _) = table.states(slice(None))
    assert (before.tolist(), now.tolist()) == ([0], [9])


# -- omitted copies --------------------------------------------------------------------------------


STEPS = st.lists(
    st.sampled_from(
        ["move"] * 6
        + [
            "move some",
            "rest",
            "look",
            "teleport",
            "spawn",
            "remove",
            "write between",
            "ask",
            "no frame",
        ]
    ),
    min_size=5,
    max_size=60,
)


@pytest.mark.parametrize("patience", [0, 3])
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(steps=STEPS, seed=st.integers(0, 2**32 - 1))
def test_a_previous_state_on_the_gpu_equals_a_copied_one(
    ctx: Any, monkeypatch: pytest.MonkeyPatch, patience: int, steps: list[str], seed: int
) -> None:
    """A batch on the GPU, which omits copies, must have the same poses as a batch without a GPU."""
    monkeypatch.setattr(columns, "MIN_LAGGING_ROWS", 0)
    monkeypatch.setattr(previous, "_PATIENCE", patience)
    batches = [fw.SpriteBatch(solid(4, 4), count=20) for _ in range(2)]
    new_backend(batches[0], Graphics(ctx))

    def assert_poses_equal() -> None:
        for ours, theirs in zip(*[batch.transforms.pose(0.3) for batch in batches], strict=True):
            np.testing.assert_array_equal(ours, theirs)

    for number, step in enumerate([*["move"] * 4, *steps]):
        for batch in batches:
            random = np.random.default_rng((seed, number))
            n = len(batch)
            if step == "write between":
                batch.position[: n // 2] += 1
            table_of(batch).begin_tick(1 / 60)
            if step in ("move", "no frame", "teleport", "write between"):
                batch.position += random.normal(size=(n, 2)).astype(np.float32)
                batch.angle += 0.1
            elif step == "move some" and n:
                batch.position[random.integers(0, n)] += 1
            elif step == "look":
                batch.position.sum()
            elif step == "spawn":
                batch.extend(2, position=(7, number))
            elif step == "remove":
                batch.remove(slice(0, 2))
            if step == "teleport":
                batch.teleport(random.random(n) < 0.3)
            table_of(batch).end_tick()
        if step != "no frame":
            drawing(batches[0]).hand_over()
        if step == "ask":
            assert_poses_equal()
    assert_poses_equal()
    end_backend(batches[0], drawing=True)


def test_a_large_moving_column_is_not_copied_until_it_is_read(ctx: Any) -> None:
    count = columns.MIN_LAGGING_ROWS
    batch = fw.SpriteBatch(solid(4, 4), count=count)
    new_backend(batch, Graphics(ctx))
    column = table_of(batch.transforms).column("position")

    def frame() -> None:
        table_of(batch).begin_tick(1 / 60)
        batch.position += 1
        table_of(batch).end_tick()
        drawing(batch).hand_over()

    for _ in range(previous._PATIENCE + 3):
        frame()
    stale = column._previous.rows[-1, 0]
    frame()
    assert column._previous.rows[-1, 0] == stale  # not copied
    assert (
        batch.transforms.pose(0.5)[0][-1, 0] == column.data[-1, 0] - 0.5
    )  # but a read returns the right value
    frame()
    assert column._previous.rows[-1, 0] == column.data[-1, 0] - 1  # copied again
    for _ in range(2 * previous._PATIENCE):
        frame()
    stale = column._previous.rows[-1, 0]
    frame()
    assert column._previous.rows[-1, 0] == stale
    end_backend(batch, drawing=True)
    assert (
        batch.transforms.pose(0.5)[0] == column.data
    ).all()  # the previous state equals the current one


def test_a_small_column_is_always_copied(ctx: Any) -> None:
    batch = fw.SpriteBatch(solid(4, 4), count=columns.MIN_LAGGING_ROWS - 1)
    new_backend(batch, Graphics(ctx))
    for _ in range(previous._PATIENCE + 5):
        table_of(batch).begin_tick(1 / 60)
        batch.position += 1
        table_of(batch).end_tick()
        drawing(batch).hand_over()
    assert (
        table_of(batch.transforms).column("position")._previous.rows == batch.position - 1
    ).all()
    end_backend(batch, drawing=True)


class GpuStates:
    """A replacement of the GPU."""

    keeps_states = True

    def fetch(self, newest: bool) -> Any:
        raise AssertionError("nobody asks")


def test_a_copy_is_omitted_only_if_the_gpu_has_all_rows_and_there_was_no_read() -> None:
    n = columns.MIN_LAGGING_ROWS

    def large_column(**changes: Any) -> TableColumn:
        column = TableColumn("large", 1, 0.0, interpolated=True)
        column.reserve(n, 0)
        column.spawn(0, n)
        column.uploads.source = GpuStates()
        column.uploads.sent = n
        column.uploads.stale = False
        for name, value in changes.items():
            setattr(column._previous if name == "asked" else column.uploads, name, value)
        return column

    def omits_copy(column: TableColumn) -> bool:
        """Whether the next tick omits the copy."""
        column.data[-1] = 7
        column.uploads.unsent = False
        column.latch(len(column.data))
        return column._previous.rows[-1] != 7

    apart = GpuStates()
    apart.keeps_states = False
    assert omits_copy(large_column())
    n -= 1
    assert not omits_copy(large_column())
    n += 1
    unfit = [{"asked": 1}, {"stale": True}, {"patches": [slice(0, 1)]}, {"sent": n - 1}]
    for changes in (*unfit, {"source": None}, {"source": apart}):
        assert not omits_copy(large_column(**changes)), changes


def test_new_rows_have_defaults_although_a_game_writes_through_old_arrays() -> None:
    """An array from before a removal reaches over the last row, into rows that are added later."""
    defaults = {"position": [0, 0], "scale": [1, 1], "angle": 0}
    for seed in range(80):
        chance = np.random.default_rng(seed)
        table = fw.Transforms2D()
        kept: list[Any] = []
        for step in chance.choice(["add", "remove", "keep", "write", "drop"], 150):
            if step == "add":
                row = int(table_of(table).spawn_row())
                assert {name: getattr(table, name)[row].tolist() for name in defaults} == defaults
            elif step == "remove" and len(table):
                table.remove([chance.integers(len(table))])
            elif step == "keep":
                kept.append(getattr(table, chance.choice([*defaults])))
            elif step == "write" and kept:
                kept[chance.integers(len(kept))][...] = 7
            elif step == "drop" and kept:
                kept.pop(chance.integers(len(kept)))
