"""Quaternions: functions for one rotation and for columns of rotations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from framework import quaternions as Q
from framework.checks import direction, direction_parts
from framework.geometry.pairwise import cross

seeds = st.integers(0, 2**32 - 1)


def units(seed: int, n: int = 50, dtype: Any = np.float32) -> Any:
    return Q.normalized(np.random.default_rng(seed).normal(size=(n, 4))).astype(dtype)


def angle(a: Any, b: Any) -> Any:
    """Return the angles in radians between rotations (n, 4)."""
    difference = Q.multiply(a.astype(np.float64), Q.conjugate(b.astype(np.float64)))
    return 2 * np.arctan2(np.linalg.norm(difference[:, :3], axis=1), np.abs(difference[:, 3]))


@given(seeds)
def test_a_product_rotates_by_the_second_and_then_by_the_first(seed: int) -> None:
    a = units(seed, dtype=np.float64)
    b = units(seed + 1, dtype=np.float64)
    v = np.random.default_rng(seed).normal(size=(50, 3))
    assert Q.rotate(Q.multiply(a, b), v) == pytest.approx(Q.rotate(a, Q.rotate(b, v)), abs=1e-12)


@given(seeds)
def test_matrices_rotate_row_vectors_like_the_quaternions(seed: int) -> None:
    q = units(seed, dtype=np.float64)
    v = np.random.default_rng(seed).normal(size=(50, 3))
    assert np.einsum("ni,nij->nj", v, Q.matrices(q)) == pytest.approx(Q.rotate(q, v), abs=1e-12)
    assert np.linalg.det(Q.matrices(q)) == pytest.approx(1)


@given(seeds)
def test_from_matrix_inverts_matrices(seed: int) -> None:
    q = units(seed, 5, np.float64)
    back = np.array([Q.from_matrix(m) for m in Q.matrices(q)])
    assert np.abs((back * q).sum(axis=1)) == pytest.approx(1, abs=1e-6)


@given(st.floats(-math.pi, math.pi))
def test_from_axis_rotates_counterclockwise_seen_from_the_tip(turn: float) -> None:
    rotated = Q.rotate(Q.from_axis((0, 3, 0), turn)[None], np.array([[1.0, 0, 0]]))[0]
    assert rotated == pytest.approx((math.cos(turn), 0, -math.sin(turn)), abs=1e-6)


@given(seeds, st.floats(1e-9, 3.1))
def test_to_vectors_inverts_from_vectors(seed: int, length: float) -> None:
    v = np.random.default_rng(seed).normal(size=(20, 3))
    v *= length / np.linalg.norm(v, axis=1, keepdims=True)
    assert Q.to_vectors(Q.from_vectors(v)) == pytest.approx(v, abs=1e-6)
    assert Q.to_vectors(-Q.from_vectors(v)) == pytest.approx(v, abs=1e-6)  # the same rotation


def test_the_identity_is_the_zero_vector() -> None:
    assert Q.from_vectors(np.zeros((1, 3), np.float32)).tolist() == [[0, 0, 0, 1]]
    assert Q.to_vectors(np.array([[0, 0, 0, 1]], np.float32)).tolist() == [[0, 0, 0]]


# -- one rotation ----------------------------------------------------------------------------------

# Each function for columns: the widths of its columns, and the arguments after the columns.
COLUMNS: dict[str, tuple[list[int], tuple[float, ...]]] = {
    "multiply": ([4, 4], ()),
    "slerp": ([4, 4], (0.3,)),
    "rotate": ([4, 3], ()),
    "conjugate": ([4], ()),
    "normalized": ([4], ()),
    "matrices": ([4], ()),
    "from_vectors": ([3], ()),
    "to_vectors": ([4], ()),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", COLUMNS)
def test_a_single_rotation_gives_a_single_result(name: str, dtype: Any) -> None:
    widths, rest = COLUMNS[name]
    function = getattr(Q, name)
    rows = [units(i, 1, dtype)[:, :width] for i, width in enumerate(widths)]
    row_results = function(*rows, *rest)
    single_result = function(*[row[0] for row in rows], *rest)
    assert single_result.shape == row_results.shape[1:]
    assert single_result.dtype == row_results.dtype
    assert single_result.tolist() == row_results[0].tolist()
    as_tuples = function(*[tuple(row[0].tolist()) for row in rows], *rest)
    assert as_tuples == pytest.approx(single_result, abs=1e-6)
    if len(widths) == 2:  # a single row is combined with every row of the other column
        many = units(9, 5, dtype)[:, : widths[1]]
        assert function(rows[0][0], many, *rest).tolist() == function(rows[0], many, *rest).tolist()
        many = units(9, 5, dtype)
        assert function(many, rows[1][0], *rest).tolist() == function(many, rows[1], *rest).tolist()


def test_results_for_one_rotation_fit_into_the_functions_for_columns() -> None:
    quarter = Q.from_axis((0, 1, 0), math.pi / 2)
    ahead = Q.look_rotation((0, 0, -1))
    assert Q.rotate(quarter, (0, 0, -1)) == pytest.approx((-1, 0, 0), abs=1e-6)
    assert Q.rotate(Q.multiply(quarter, quarter), (0, 0, -1)) == pytest.approx((0, 0, 1), abs=1e-6)
    assert Q.slerp(ahead, quarter, 0.5) == pytest.approx(Q.slerp_one(ahead, quarter, 0.5), abs=1e-6)
    assert Q.rotate(Q.conjugate(Q.from_matrix(Q.matrices(quarter))), (-1, 0, 0)) == pytest.approx(
        (0, 0, -1), abs=1e-6
    )


@pytest.mark.parametrize("bad", [(1, 2, 3), np.zeros(5), np.zeros((2, 3)), np.zeros((1, 2, 4))])
def test_the_error_of_a_wrong_width_has_both_shapes(bad: Any) -> None:
    with pytest.raises(ValueError, match=r"a: expected numbers of shape \(4,\) or \(n, 4\), got"):
        Q.multiply(bad, (0, 0, 0, 1))


# -- slerp -----------------------------------------------------------------------------------------


def true_slerp(a: Any, b: Any, t: float) -> Any:
    a = a.astype(np.float64)
    b = b.astype(np.float64)
    rotation_vector = Q.to_vectors(Q.multiply(b, Q.conjugate(a)))
    return Q.multiply(Q.from_vectors(rotation_vector * t), a)


@given(seed=seeds, t=st.floats(0, 1), apart=st.floats(0, 3.1))
def test_slerp_is_within_1e_4_rad_of_the_shortest_even_rotation(
    seed: int, t: float, apart: float
) -> None:
    random = np.random.default_rng(seed)
    axis = random.normal(size=(50, 3))
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    a = units(seed)
    b = Q.multiply(Q.from_vectors(axis * apart), a).astype(np.float32)
    b *= np.where(random.random(50) < 0.5, -1, 1)[:, None]  # the same rotation with the other sign
    drawn = Q.slerp(a, b.astype(np.float32), t)
    assert np.abs((drawn.astype(np.float64) ** 2).sum(axis=1) - 1).max() < 1e-6
    assert angle(drawn, true_slerp(a, b, t)).max() < 1e-4


def test_the_error_of_the_linear_blend_is_about_1e_6_rad() -> None:
    """The largest error is at the widest angle of the linear blend, a fifth of the way."""
    apart = 2 * math.acos(Q.NLERP_ABOVE) * 0.9999
    a = np.array([[0, 0, 0, 1]], np.float64)
    b = np.array([Q.from_axis((0, 1, 0), apart)], np.float64)
    errors = [angle(Q.slerp(a, b, t), true_slerp(a, b, t))[0] for t in np.linspace(0, 1, 101)]
    assert 1e-7 < max(errors) < 1.2e-6


def test_rounding_does_not_change_the_direction_of_half_a_turn() -> None:
    first = Q.from_axis((0, 1, 0), 0.3)[None]
    for rounding in (-2e-7, -1e-7, 0.0, 1e-7, 2e-7):
        second = Q.multiply(Q.from_axis((0, 1, 0), math.pi + rounding)[None], first)
        assert Q.slerp(first, second, 0.5)[0] == pytest.approx(
            Q.from_axis((0, 1, 0), 0.3 + math.pi / 2), abs=1e-5
        )
        assert Q.slerp_one(first[0], second[0], 0.5) == pytest.approx(
            Q.slerp(first, second, 0.5)[0], abs=1e-5
        )


@given(seeds)
def test_slerp_at_0_and_1_returns_its_arguments(seed: int) -> None:
    a = units(seed)
    b = units(seed + 1)
    assert angle(Q.slerp(a, b, 0.0), a).max() < 1e-6
    assert angle(Q.slerp(a, b, 1.0), b).max() < 1e-6


# -- look_rotation ---------------------------------------------------------------------------------


@given(st.tuples(*[st.floats(-1e3, 1e3)] * 3).filter(lambda v: math.hypot(*v) > 1e-3))
def test_look_rotation_points_minus_z_at_the_direction_and_keeps_up(
    direction: tuple[float, float, float],
) -> None:
    q = Q.look_rotation(direction)[None].astype(np.float64)
    forward = Q.rotate(q, np.array([[0.0, 0, -1]]))[0]
    up = Q.rotate(q, np.array([[0.0, 1, 0]]))[0]
    assert forward == pytest.approx(np.array(direction) / math.hypot(*direction), abs=1e-6)
    assert up[1] >= -1e-6
    assert np.linalg.norm(q) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("bad", [(0, 0, 0), (math.nan, 0, 1), (math.inf, 0, 0)])
def test_the_error_of_a_bad_direction_names_it(bad: Any) -> None:
    with pytest.raises(ValueError, match=r"^direction: "):
        Q.look_rotation(bad)
    with pytest.raises(ValueError, match=r"^axis: "):
        Q.from_axis(bad, 1.0)


@pytest.mark.parametrize(
    "bad", [np.zeros((3, 3)), np.full((3, 3), np.nan), np.ones((3, 3)), np.eye(4), 2 * np.eye(3)]
)
def test_a_matrix_that_is_not_a_rotation_is_an_error(bad: Any) -> None:
    with pytest.raises(ValueError, match=r"^matrix: "):
        Q.from_matrix(bad)


@given(
    seed=st.integers(0, 2**32 - 1), t=st.floats(0, 1), apart=st.sampled_from([1e-5, 0.1, 1.0, 3.0])
)
def test_functions_for_one_rotation_agree_with_those_for_columns(
    seed: int, t: float, apart: float
) -> None:
    random = np.random.default_rng(seed)
    a = Q.normalized(random.normal(size=(1, 4)).astype(np.float32))
    b = Q.multiply(Q.from_vectors((random.normal(size=(1, 3)) * apart).astype(np.float32)), a)
    assert Q.slerp_one(a[0], b[0], t) == pytest.approx(Q.slerp(a, b, t)[0], abs=2e-6)
    assert Q.matrix_one(a[0]) == pytest.approx(Q.matrices(a)[0], abs=1e-6)


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_from_axis_has_the_same_bits_for_a_tuple_and_an_array(scale: float) -> None:
    random = np.random.default_rng(1)
    for number in range(60):
        numbers = random.integers(-2, 3, 3) if number % 2 else random.normal(size=3)
        axis: list[float] = (numbers * scale).tolist()
        if not any(axis):
            continue
        angle = float(random.normal() * 10.0 ** (number % 9 - 3))
        expected = Q.from_axis(np.array(axis), np.float64(angle))  # type: ignore[arg-type]
        assert Q.from_axis(tuple(axis), angle).tobytes() == expected.tobytes()  # type: ignore[arg-type]
        vector = direction("axis", axis)
        assert direction_parts("axis", tuple(axis)) == tuple(vector.tolist())
    with pytest.raises(ValueError, match="axis: expected three numbers that are not all 0"):
        Q.from_axis((0, 0.0, 0), 1)
    with pytest.raises(ValueError, match="axis: expected three finite numbers"):
        Q.from_axis((0, math.nan, 1), 1)


def test_cross_has_the_same_bits_as_numpy() -> None:
    random = np.random.default_rng(1)
    for first, second in (((3,), (3,)), ((5, 3), (5, 3)), ((4, 1, 3), (1, 6, 3)), ((0, 3), (3,))):
        for kind in (np.float32, np.float64):
            first_vectors = random.normal(size=first).astype(kind)
            second_vectors = random.normal(size=second)
            assert (
                cross(first_vectors, second_vectors).dtype
                == np.cross(first_vectors, second_vectors).dtype
            )
            assert (
                cross(first_vectors, second_vectors).tobytes()
                == np.cross(first_vectors, second_vectors).tobytes()
            )


@given(st.floats(-4, 4), st.floats(-4, 4), st.floats(-4, 4))
def test_from_euler_rolls_then_raises_the_nose_then_turns(
    yaw: float, pitch: float, roll: float
) -> None:
    steps = [
        Q.from_axis(axis, turn)
        for axis, turn in (((0, 1, 0), yaw), ((1, 0, 0), pitch), ((0, 0, 1), roll))
    ]
    expected = Q.multiply(Q.multiply(steps[0], steps[1]), steps[2])
    rotation = Q.from_euler(yaw, pitch, roll)
    assert rotation.dtype == np.float32
    assert rotation.shape == (4,)
    assert rotation == pytest.approx(expected, abs=1e-6)
    column = Q.from_euler([yaw, 0.0], pitch)
    assert column.shape == (2, 4)
    assert column[0].tolist() == Q.from_euler(yaw, pitch).tolist()
    assert column[1].tolist() == Q.from_euler(pitch=pitch).tolist()


def test_from_euler_looks_left_and_up() -> None:
    ahead = (0, 0, -1)
    assert Q.rotate(Q.from_euler(math.pi / 2), ahead) == pytest.approx((-1, 0, 0), abs=1e-6)
    assert Q.rotate(Q.from_euler(0, math.pi / 2), ahead) == pytest.approx((0, 1, 0), abs=1e-6)
    left = Q.rotate(Q.from_euler(roll=math.pi / 2), (-1, 0, 0))
    assert left == pytest.approx((0, -1, 0), abs=1e-6)
    with pytest.raises(ValueError, match="yaw: expected 3 angles, got 2"):
        Q.from_euler([0, 1], [0, 1, 2])
    with pytest.raises(TypeError, match="yaw"):
        Q.from_euler("left")  # type: ignore[arg-type]
