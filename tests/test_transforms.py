"""Transforms: columns of two states, and interpolation between them."""

from __future__ import annotations

import math
from typing import Any

import moderngl
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import framework as fw
from framework.gpu import shaders
from framework.state.columns import Table, TableColumn, assign
from framework.state.rows import table_of

FEEDBACK = """#include "pose2d.glsl"
in vec2 p0, p1, s0, s1;
in float a0, a1;
uniform float alpha;
out vec4 c0, c1, c2, c3;
void main() {
    mat4 m = model_matrix(blend(p0, p1, alpha), blend_angle(a0, a1, alpha), blend(s0, s1, alpha));
    c0 = m[0]; c1 = m[1]; c2 = m[2]; c3 = m[3];
}
"""


def tick(transforms, write=lambda: None):
    transforms.begin_tick(1 / 60)
    write()
    transforms.end_tick()


def shader_matrices(ctx, transforms, alpha):
    """Return the model matrices of all rows from the shader, by transform feedback."""
    n = len(transforms)
    program = shaders.program(ctx, FEEDBACK, varyings=("c0", "c1", "c2", "c3"))
    program["alpha"] = alpha
    content = []
    for letter, column in zip("pas", table_of(transforms).interpolated, strict=True):
        for digit, state in enumerate((column.previous(n), column.current(n))):
            content.append((ctx.buffer(state.tobytes()), f"{column.width}f", f"{letter}{digit}"))
    out = ctx.buffer(reserve=64 * n)
    ctx.vertex_array(program, content).transform(out, moderngl.POINTS, n)
    return np.frombuffer(out.read(), np.float32).reshape(n, 4, 4)


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    seed=st.integers(0, 2**32 - 1),
    alpha=st.floats(0, 1, exclude_max=True, width=32),
    reach=st.sampled_from([1.0, 200.0, 1e5]),
    turns=st.sampled_from([0.1, math.pi, 40.0, 3000.0]),
)
def test_model_matrices_equal_those_of_the_shader_to_1e_5(ctx, seed, alpha, reach, turns):
    random = np.random.default_rng(seed)
    n = 200
    transforms = fw.Transforms2D()
    transforms.extend(n)

    def write():
        transforms.position[:] = random.uniform(-reach, reach, (n, 2))
        transforms.scale[:] = random.uniform(-4, 4, (n, 2))
        angle = random.uniform(-turns, turns, n)
        # At exactly half a turn both directions are equally short, and rounding
        # selects one.
        half = (
            np.abs(
                np.abs(
                    np.remainder(angle - table_of(transforms).column("angle").current(n), math.tau)
                )
                - math.pi
            )
            < 1e-2
        )
        transforms.angle[:] = np.where(half, table_of(transforms).column("angle").current(n), angle)

    tick(transforms, write)
    tick(transforms, write)
    ours = transforms.model_matrices(alpha)
    theirs = shader_matrices(ctx, transforms, alpha)
    # numbers in each of the four rows
    size = np.array([4.0, 4.0, 1.0, reach], np.float32)[None, :, None]
    assert np.abs((ours - theirs) / size).max() <= 1e-5


def test_model_matrices_scale_then_rotate_then_translate_points():
    transforms = fw.Transforms2D()
    transforms.extend(1)
    transforms.position[:] = (10, 20)
    transforms.angle[:] = math.pi / 2
    transforms.scale[:] = (2, 3)
    matrix = transforms.model_matrices(1.0)[0]
    # row vectors, as in pyrr
    np.testing.assert_allclose(np.array([1, 0, 0, 1]) @ matrix, [10, 22, 0, 1], atol=1e-5)
    np.testing.assert_allclose(np.array([0, 1, 5, 1]) @ matrix, [7, 20, 5, 1], atol=1e-5)


def test_model_matrices_fill_an_array_and_refuse_one_of_a_wrong_shape():
    transforms = fw.Transforms2D()
    transforms.extend(3)
    out = np.full((3, 4, 4), 7, np.float32)
    assert transforms.model_matrices(0.5, out) is out
    np.testing.assert_array_equal(out, transforms.model_matrices(0.5))
    for wrong in (np.empty((2, 4, 4), np.float32), np.empty((3, 4, 4))):
        with pytest.raises(ValueError, match=r"out: expected float32 of shape \(3, 4, 4\)"):
            transforms.model_matrices(0.5, wrong)


@given(
    previous=st.floats(-100, 100, width=32),
    turn=st.floats(-3.125, 3.125, width=32),
    whole=st.integers(-5, 5),
    alpha=st.floats(0, 1),
)
def test_angles_are_interpolated_the_short_way_round(previous, turn, whole, alpha):
    transforms = fw.Transforms2D()
    transforms.extend(1)
    transforms.angle = previous
    tick(transforms)
    tick(
        transforms,
        lambda: assign(table_of(transforms).column("angle"), 1, previous + turn + whole * math.tau),
    )
    _, angle, _ = transforms.pose(alpha)
    assert math.remainder(float(angle[0]) - (previous + turn * alpha), math.tau) == pytest.approx(
        0, abs=1e-4
    )


def test_previous_has_the_values_of_current_when_the_tick_began():
    transforms = fw.Transforms2D()
    transforms.extend(2)
    tick(transforms, lambda: assign(table_of(transforms).column("position"), 2, [[1, 2], [3, 4]]))
    tick(transforms, lambda: assign(table_of(transforms).column("position"), 2, [[5, 6], [3, 4]]))
    np.testing.assert_array_equal(
        table_of(transforms).column("position").previous(2), [[1, 2], [3, 4]]
    )
    np.testing.assert_array_equal(transforms.pose(0.25)[0], [[2, 3], [3, 4]])
    tick(transforms)
    np.testing.assert_array_equal(
        table_of(transforms).column("position").previous(2), [[5, 6], [3, 4]]
    )


def test_writes_between_two_ticks_belong_to_the_state_before_the_next():
    transforms = fw.Transforms2D()
    transforms.extend(1)
    tick(transforms)
    transforms.position[:] = 9
    tick(transforms)
    np.testing.assert_array_equal(table_of(transforms).column("position").previous(1), [[9, 9]])


def test_a_write_through_an_old_view_is_noticed():
    transforms = fw.Transforms2D()
    transforms.extend(1)
    view = transforms.position
    for k in range(1, 4):
        tick(transforms, lambda k=k: view.fill(k))
        np.testing.assert_array_equal(
            table_of(transforms).column("position").previous(1), [[k - 1, k - 1]]
        )
        np.testing.assert_array_equal(table_of(transforms).column("position").current(1), [[k, k]])


def test_a_write_through_a_slice_of_an_old_slice_is_noticed():
    transforms = fw.Transforms2D()
    transforms.extend(4)
    ys = transforms.position[1:3, 1]
    tick(transforms)
    tick(transforms)
    tick(transforms, lambda: ys.fill(5))
    assert table_of(transforms).column("position").changed(4)
    assert not table_of(transforms).column("angle").changed(4)


@pytest.mark.parametrize("before", [True, False], ids=["before the write", "after the write"])
@pytest.mark.parametrize(
    "rows", [slice(1, 2), np.array([1]), slice(0, 3)], ids=["slice", "indices", "more than moved"]
)
def test_a_teleport_before_or_after_the_write_has_the_same_result(before, rows):
    transforms = fw.Transforms2D()
    transforms.extend(3)
    tick(transforms)

    def write():
        if before:
            transforms.teleport(rows)
        transforms.position[1] = 50
        transforms.angle[1] = 2
        if not before:
            transforms.teleport(rows)

    tick(transforms, write)
    for column in table_of(transforms).interpolated:
        np.testing.assert_array_equal(column.previous(3), column.current(3))


def test_a_teleport_applies_to_its_tick_only():
    transforms = fw.Transforms2D()
    transforms.extend(1)
    tick(transforms, lambda: transforms.teleport(slice(0, 1)))
    tick(transforms, lambda: assign(table_of(transforms).column("position"), 1, 8))
    np.testing.assert_array_equal(transforms.pose(0.5)[0], [[4, 4]])


def test_spawned_rows_begin_at_the_end_of_their_tick():
    transforms = fw.Transforms2D()
    transforms.extend(2)

    def write():
        transforms.teleport(slice(0, 1))
        for k in range(20):
            row = transforms.extend(1)
            transforms.position[row] = 10 + k
            transforms.teleport(np.array([0]))
        transforms.position[0] = 7
        transforms.position[1] = 3

    tick(transforms, write)
    position = table_of(transforms).column("position")
    np.testing.assert_array_equal(position.previous(22)[2:], position.current(22)[2:])
    # one row teleported, one row moved
    np.testing.assert_array_equal(position.previous(22)[:2], [[7, 7], [0, 0]])


def test_kept_rows_stay_spawned_or_teleported_until_the_tick_ends():
    transforms = fw.Transforms2D()
    transforms.extend(4)
    tick(transforms)

    def write():
        transforms.teleport(slice(3, 4))
        new = transforms.extend(1)
        transforms.position[new] = 1
        table_of(transforms).keep(np.array([0, 2, 3, 4]))
        transforms.position[1:] = 100  # row 1 moves to 100; rows 2 and 3 are there at once

    tick(transforms, write)
    np.testing.assert_array_equal(
        table_of(transforms).column("position").previous(4)[:, 0], [0, 0, 100, 100]
    )


def test_rows_are_added_and_removed_in_all_columns():
    transforms = fw.Transforms2D()
    extra = TableColumn("extra", 1, 5, dtype=np.int32, interpolated=False)
    table_of(transforms).columns.append(extra)
    for k in range(40):
        transforms.extend(1)
        transforms.position[k] = k, -k
        extra.values(k + 1)[k] += k
    assert table_of(transforms).capacity >= 40
    table_of(transforms).keep(np.arange(0, 40, 3))
    np.testing.assert_array_equal(transforms.position[:, 0], np.arange(0, 40, 3))
    np.testing.assert_array_equal(extra.current(14), 5 + np.arange(0, 40, 3))


def test_reserve_keeps_views_valid_while_rows_fit():
    transforms = fw.Transforms2D()
    table_of(transforms).reserve(100)
    transforms.extend(1)
    view = transforms.position
    transforms.extend(99)
    view[:] = 3
    np.testing.assert_array_equal(transforms.position[0], [3, 3])


@pytest.mark.parametrize("motion", ["interpolate", "hermite", "none"])
def test_at_alpha_1_drawn_values_equal_the_current_values_bit_by_bit(motion: str) -> None:
    """For any previous state: games compute with the drawn values at the end of a tick."""
    plane = fw.Transforms2D(motion)
    space = fw.Transforms3D(motion)
    for table in (plane, space):
        table.extend(1)
        table.position = 1e8
        table.begin_tick(1 / 60)
        table.end_tick()
        table.begin_tick(1 / 60)
        table.position = 0.1
        table.end_tick()
        assert (table.pose(1.0)[0] == np.float32(0.1)).all()
        assert (table.model_matrices(1.0)[0, 3, :2] == np.float32(0.1)).all()
    batch = fw.SpriteBatch(np.ones((2, 2, 4)), motion=motion)
    sprite = batch.add(position=(1e8, 0))
    table_of(batch).end_tick()
    table_of(batch).begin_tick(1 / 60)
    sprite.position = (0.1, 0.1)
    table_of(batch).end_tick()
    assert sprite.drawn_position(1.0) == sprite.position


@pytest.mark.parametrize("kind", [fw.Transforms2D, fw.Transforms3D, fw.Nodes2D, fw.Nodes3D])
def test_transforms_list_only_public_names(kind: Any) -> None:
    listed, plumbing = ({n for n in dir(c) if n[0] != "_"} for c in (kind, Table))
    assert listed & plumbing == {"begin_tick", "blended", "column", "end_tick", "ids"}
    assert isinstance(table_of(kind()), Table)


def test_transforms_of_a_batch_have_its_rows() -> None:
    batch = fw.SpriteBatch(np.zeros((2, 2, 4), np.uint8), 3)
    view = batch.transforms
    batch.position[:] = 5
    view.teleport([0])
    assert view.position.tolist() == [[5, 5]] * 3
    assert table_of(view) is table_of(batch)
    batch[1].remove()
    assert len(batch.transforms) == len(view) == 2
