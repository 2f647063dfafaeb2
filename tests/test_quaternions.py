"""Quaternions, thousands at a time: they turn vectors as matrices and trigonometry say."""

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
    """Radians between rotations (n, 4)."""
    turned = Q.multiply(a.astype(np.float64), Q.conjugate(b.astype(np.float64)))
    return 2 * np.arctan2(np.linalg.norm(turned[:, :3], axis=1), np.abs(turned[:, 3]))


@given(seeds)
def test_a_product_turns_by_the_second_then_by_the_first(seed: int) -> None:
    a, b = units(seed, dtype=np.float64), units(seed + 1, dtype=np.float64)
    v = np.random.default_rng(seed).normal(size=(50, 3))
    assert Q.rotate(Q.multiply(a, b), v) == pytest.approx(Q.rotate(a, Q.rotate(b, v)), abs=1e-12)


@given(seeds)
def test_matrices_of_row_vectors_turn_as_the_quaternions_do(seed: int) -> None:
    q = units(seed, dtype=np.float64)
    v = np.random.default_rng(seed).normal(size=(50, 3))
    assert np.einsum("ni,nij->nj", v, Q.matrices(q)) == pytest.approx(Q.rotate(q, v), abs=1e-12)
    assert np.linalg.det(Q.matrices(q)) == pytest.approx(1)


@given(seeds)
def test_a_rotation_goes_through_its_matrix_and_back(seed: int) -> None:
    q = units(seed, 5, np.float64)
    back = np.array([Q.from_matrix(m) for m in Q.matrices(q)])
    assert np.abs((back * q).sum(axis=1)) == pytest.approx(1, abs=1e-6)


@given(st.floats(-math.pi, math.pi))
def test_an_axis_and_an_angle_turn_counter_clockwise_seen_from_the_tip(turn: float) -> None:
    turned = Q.rotate(Q.from_axis((0, 3, 0), turn)[None], np.array([[1.0, 0, 0]]))[0]
    assert turned == pytest.approx((math.cos(turn), 0, -math.sin(turn)), abs=1e-6)


@given(seeds, st.floats(1e-9, 3.1))
def test_rotation_vectors_go_there_and_back(seed: int, length: float) -> None:
    v = np.random.default_rng(seed).normal(size=(20, 3))
    v *= length / np.linalg.norm(v, axis=1, keepdims=True)
    assert Q.to_vectors(Q.from_vectors(v)) == pytest.approx(v, abs=1e-6)
    assert Q.to_vectors(-Q.from_vectors(v)) == pytest.approx(v, abs=1e-6)  # the same rotation


def test_no_turn_is_no_vector() -> None:
    assert Q.from_vectors(np.zeros((1, 3), np.float32)).tolist() == [[0, 0, 0, 1]]
    assert Q.to_vectors(np.array([[0, 0, 0, 1]], np.float32)).tolist() == [[0, 0, 0]]


# -- one rotation ----------------------------------------------------------------------------------

# Each function for columns: its columns (width of a row), and a value after the columns.
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
    of_rows = function(*rows, *rest)
    of_one = function(*[row[0] for row in rows], *rest)
    assert of_one.shape == of_rows.shape[1:]
    assert of_one.dtype == of_rows.dtype
    assert of_one.tolist() == of_rows[0].tolist()
    as_tuples = function(*[tuple(row[0].tolist()) for row in rows], *rest)
    assert as_tuples == pytest.approx(of_one, abs=1e-6)
    if len(widths) == 2:  # a single row belongs to every row of the other column
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
def test_another_width_is_refused_with_both_shapes(bad: Any) -> None:
    with pytest.raises(ValueError, match=r"a: expected numbers of shape \(4,\) or \(n, 4\), got"):
        Q.multiply(bad, (0, 0, 0, 1))


# -- slerp -----------------------------------------------------------------------------------------


def true_slerp(a: Any, b: Any, t: float) -> Any:
    a, b = a.astype(np.float64), b.astype(np.float64)
    way = Q.to_vectors(Q.multiply(b, Q.conjugate(a)))
    return Q.multiply(Q.from_vectors(way * t), a)


@given(seed=seeds, t=st.floats(0, 1), apart=st.floats(0, 3.1))
def test_slerp_is_within_1e_4_rad_of_the_even_turn_the_short_way_round(
    seed: int, t: float, apart: float
) -> None:
    random = np.random.default_rng(seed)
    axis = random.normal(size=(50, 3))
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    a = units(seed)
    b = Q.multiply(Q.from_vectors(axis * apart), a).astype(np.float32)
    b *= np.where(random.random(50) < 0.5, -1, 1)[:, None]  # the same rotation, the other sign
    drawn = Q.slerp(a, b.astype(np.float32), t)
    assert np.abs((drawn.astype(np.float64) ** 2).sum(axis=1) - 1).max() < 1e-6
    assert angle(drawn, true_slerp(a, b, t)).max() < 1e-4


def test_the_normalised_linear_blend_is_off_by_about_1e_6_rad_at_most_where_it_is_taken() -> None:
    """Its worst place: the widest angle that it is taken at, a fifth of the way."""
    apart = 2 * math.acos(Q.NLERP_ABOVE) * 0.9999
    a = np.array([[0, 0, 0, 1]], np.float64)
    b = np.array([Q.from_axis((0, 1, 0), apart)], np.float64)
    off = [angle(Q.slerp(a, b, t), true_slerp(a, b, t))[0] for t in np.linspace(0, 1, 101)]
    assert 1e-7 < max(off) < 1.2e-6


def test_half_a_turn_goes_the_same_way_round_whatever_its_last_digit() -> None:
    first = Q.from_axis((0, 1, 0), 0.3)[None]
    for off in (-2e-7, -1e-7, 0.0, 1e-7, 2e-7):
        second = Q.multiply(Q.from_axis((0, 1, 0), math.pi + off)[None], first)
        assert Q.slerp(first, second, 0.5)[0] == pytest.approx(
            Q.from_axis((0, 1, 0), 0.3 + math.pi / 2), abs=1e-5
        )
        assert Q.slerp_one(first[0], second[0], 0.5) == pytest.approx(
            Q.slerp(first, second, 0.5)[0], abs=1e-5
        )


@given(seeds)
def test_slerp_begins_and_ends_at_its_ends(seed: int) -> None:
    a, b = units(seed), units(seed + 1)
    assert angle(Q.slerp(a, b, 0.0), a).max() < 1e-6
    assert angle(Q.slerp(a, b, 1.0), b).max() < 1e-6


# -- looking ---------------------------------------------------------------------------------------


@given(st.tuples(*[st.floats(-1e3, 1e3)] * 3).filter(lambda v: math.hypot(*v) > 1e-3))
def test_looking_turns_minus_z_there_and_keeps_up_up(way: tuple[float, float, float]) -> None:
    q = Q.look_rotation(way)[None].astype(np.float64)
    forward = Q.rotate(q, np.array([[0.0, 0, -1]]))[0]
    up = Q.rotate(q, np.array([[0.0, 1, 0]]))[0]
    assert forward == pytest.approx(np.array(way) / math.hypot(*way), abs=1e-6)
    assert up[1] >= -1e-6
    assert np.linalg.norm(q) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("bad", [(0, 0, 0), (math.nan, 0, 1), (math.inf, 0, 0)])
def test_no_direction_is_an_error_by_name(bad: Any) -> None:
    with pytest.raises(ValueError, match=r"^direction: "):
        Q.look_rotation(bad)
    with pytest.raises(ValueError, match=r"^axis: "):
        Q.from_axis(bad, 1.0)


@pytest.mark.parametrize(
    "bad", [np.zeros((3, 3)), np.full((3, 3), np.nan), np.ones((3, 3)), np.eye(4), 2 * np.eye(3)]
)
def test_a_matrix_that_is_no_rotation_is_an_error_by_name(bad: Any) -> None:
    with pytest.raises(ValueError, match=r"^matrix: "):
        Q.from_matrix(bad)


@given(
    seed=st.integers(0, 2**32 - 1), t=st.floats(0, 1), apart=st.sampled_from([1e-5, 0.1, 1.0, 3.0])
)
def test_single_rotations_are_computed_as_thousands_are(seed: int, t: float, apart: float) -> None:
    random = np.random.default_rng(seed)
    a = Q.normalized(random.normal(size=(1, 4)).astype(np.float32))
    b = Q.multiply(Q.from_vectors((random.normal(size=(1, 3)) * apart).astype(np.float32)), a)
    assert Q.slerp_one(a[0], b[0], t) == pytest.approx(Q.slerp(a, b, t)[0], abs=2e-6)
    assert Q.matrix_one(a[0]) == pytest.approx(Q.matrices(a)[0], abs=1e-6)


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_one_axis_has_the_same_bits_as_an_array(scale: float) -> None:
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


def test_cross_products_have_the_same_bits_as_those_of_numpy() -> None:
    random = np.random.default_rng(1)
    for first, second in (((3,), (3,)), ((5, 3), (5, 3)), ((4, 1, 3), (1, 6, 3)), ((0, 3), (3,))):
        for kind in (np.float32, np.float64):
            one = random.normal(size=first).astype(kind)
            other = random.normal(size=second)
            assert cross(one, other).dtype == np.cross(one, other).dtype
            assert cross(one, other).tobytes() == np.cross(one, other).tobytes()
