"""`exact`: results are accurate, the same on every machine, and special values are those of NumPy."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import zlib
from decimal import Decimal, localcontext
from functools import cache
from typing import Any

import numpy as np
import pytest
from fingerprints import BINARY, GOLDEN, UNARY, fingerprints
from hypothesis import given, settings
from hypothesis import strategies as st

import framework as fw
from framework import exact
from framework.geometry import elementary

finite = st.floats(allow_nan=False, allow_infinity=False)


# -- exact results, to 60 digits, from the standard library ----------------------------------------


@cache
def _pi() -> Decimal:
    with localcontext() as context:
        context.prec = 420  # enough for every caller, because the result is cached
        return Decimal(elementary._pi(1300)) / Decimal(2) ** 1300


def _series(first: Decimal, ratio: Any) -> Decimal:
    total = term = first
    k = 0
    while abs(term) > abs(total) * Decimal("1e-70"):
        k += 1
        term *= ratio(k)
        total += term
    return total


def _sine(x: Decimal) -> Decimal:
    """Return the sine by its series, after whole turns are removed."""
    angle = x % (2 * _pi())
    return _series(angle, lambda k: -angle * angle / ((2 * k) * (2 * k + 1))) if angle else angle


def _arctangent(x: Decimal) -> Decimal:
    """Return the arctangent: halve the angle, then use the series."""
    doubled = 0
    while abs(x) > Decimal("0.1"):
        x = x / (1 + (1 + x * x).sqrt())
        doubled += 1
    total = Decimal(0)
    power = x
    k = 0
    while x and abs(power) > abs(x) * Decimal("1e-90"):
        total += power / (2 * k + 1) * (-1) ** k
        power *= x * x
        k += 1
    return total * 2**doubled


def _angle(y: Decimal, x: Decimal) -> Decimal:
    if abs(y) > abs(x):
        return (_pi() / 2).copy_sign(y) - _arctangent(x / y)
    angle = _arctangent(y / x)
    return angle if x > 0 else angle + _pi().copy_sign(y)


TRUTH: dict[str, Any] = {
    "sin": _sine,
    "cos": lambda x: _sine(x + _pi() / 2),
    "exp": Decimal.exp,
    "log": Decimal.ln,
    "arctan2": _angle,
    "power": lambda x, y: (y * x.ln()).exp(),
    "hypot": lambda x, y: (x * x + y * y).sqrt(),
}
# The largest error in units of the last digit; 0.5 is the error of correct rounding.
WORST = {
    "sin": 1.0,
    "cos": 1.0,
    "exp": 0.52,
    "log": 0.51,
    "arctan2": 1.0,
    "power": 0.52,
    "hypot": 0.51,
}


def error_in_ulps(name: str, result: float, *arguments: float) -> float:
    """Return the distance to the exact result in units in the last place."""
    with localcontext() as context:
        context.prec = 420 if name in ("sin", "cos") else 110
        truth = TRUTH[name](*map(Decimal, arguments))
        return float(abs(Decimal(result) - truth) / Decimal(math.ulp(result)))


@settings(max_examples=30, deadline=None)
@given(finite)
def test_sine_and_cosine_are_right_within_a_unit_in_the_last_place(x: float) -> None:
    for name in ("sin", "cos"):
        assert error_in_ulps(name, getattr(exact, name)(x), x) < WORST[name]
    assert exact.sincos(x) == (exact.sin(x), exact.cos(x))


@settings(max_examples=30, deadline=None)
@given(
    finite.filter(lambda x: 1e-290 < abs(x) < 1e290),
    finite.filter(lambda x: 1e-290 < abs(x) < 1e290),
)
def test_angles_and_lengths_are_right_within_a_unit_in_the_last_place(x: float, y: float) -> None:
    assert error_in_ulps("hypot", exact.hypot(x, y), x, y) < WORST["hypot"]
    angle = exact.arctan2(y, x)
    assert abs(angle) < 1e-290 or error_in_ulps("arctan2", angle, y, x) < WORST["arctan2"]


@settings(max_examples=30, deadline=None)
@given(st.floats(-708, 709), st.floats(5e-324, 1e308), st.floats(-20, 20), st.floats(0.9, 1.1))
def test_exponentials_and_logarithms_are_right_within_little_more_than_half_a_unit(
    x: float, big: float, y: float, near: float
) -> None:
    assert error_in_ulps("exp", exact.exp(x), x) < WORST["exp"]
    assert error_in_ulps("log", exact.log(big), big) < WORST["log"]
    assert near == 1 or error_in_ulps("log", exact.log(near), near) < WORST["log"]
    if abs(y) * abs(math.log2(big)) < 1000:
        assert error_in_ulps("power", exact.power(big, y), big, y) < WORST["power"]
    assert error_in_ulps("power", exact.power(near, 300 * y), near, 300 * y) < WORST["power"]


@pytest.mark.parametrize("name", UNARY + BINARY)
def test_float32_results_are_almost_always_rounded_correctly(name: str) -> None:
    """The float64 results are right to 2^-52, so they decide between two float32 values."""
    random = np.random.default_rng(5)
    first = random.uniform(-30, 30, 50_000).astype(np.float32)
    arguments = (np.abs(first) if name in ("log", "power") else first,)
    if name in BINARY:
        arguments += (random.uniform(-9, 9, 50_000).astype(np.float32),)
    result = getattr(exact, name)(*arguments)
    right = getattr(exact, name)(*(array.astype(np.float64) for array in arguments)).astype(
        np.float32
    )
    assert result.dtype == np.float32
    assert (result == right).mean() > 0.9999
    np.testing.assert_array_max_ulp(result, right, 1)


# -- special values --------------------------------------------------------------------------------

ODD = [0.0, 1.0, 2.0, 3.0, 0.5, 1.5, math.inf, 5e-324, 2.2e-308, 1e-310, 1.7e308, 1e22, 1e300, 1e-300, 709.9, 745.2,
       740.0, 708.5, 1e200, 1e-200, 2.0**53, 2.0**53 + 2, 1e-45, 1e-42, 3.4e38, 88.8, 103.9]  # fmt: skip
ODD = [*ODD, *(-x for x in ODD), math.nan]


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("name", UNARY + BINARY)
def test_extreme_values_have_numpys_results_and_nan_has_no_sign(
    name: str, kind: type[np.floating[Any]]
) -> None:
    with np.errstate(all="ignore"):
        values = np.array(ODD).astype(kind)
        arguments = (
            (values,)
            if name in UNARY
            else tuple(array.ravel() for array in np.meshgrid(values, values))
        )
        numpy = getattr(np, name)(*arguments)
        result = getattr(exact, name)(*arguments)
    assert (np.isnan(result) == np.isnan(numpy)).all()
    finite = ~np.isnan(result)
    assert not np.signbit(result[~finite]).any()
    result = result[finite]
    numpy = numpy[finite]
    assert (np.signbit(result) == np.signbit(numpy)).all()
    assert (np.isinf(result) == np.isinf(numpy)).all()
    usual = np.isfinite(result)
    np.testing.assert_array_max_ulp(result[usual], numpy[usual], 4)


def test_no_warnings_and_the_same_bits_for_numbers_and_arrays() -> None:
    odd = np.array(ODD)
    for name in UNARY:
        alone = [getattr(exact, name)(x) for x in ODD]
        assert all(type(value) is float for value in alone)
        assert np.array(alone).tobytes() == getattr(exact, name)(odd).tobytes()
    for name in BINARY:
        alone = [getattr(exact, name)(x, y) for x in ODD[::3] for y in ODD[::3]]
        both = getattr(exact, name)(odd[::3, None], odd[::3])
        assert np.array(alone).tobytes() == both.tobytes()


# -- the same bits on every machine ----------------------------------------------------------------


def test_results_have_the_stored_bits() -> None:
    assert fingerprints() == GOLDEN


CHILD = """
import sys
sys.path[:0] = {paths!r}
import fingerprints
assert fingerprints.fingerprints() == fingerprints.GOLDEN
"""


@pytest.mark.parametrize(
    "features", ["X86_V4 AVX512F AVX512_SKX", "X86_V4 X86_V3 AVX512F AVX512_SKX AVX2 FMA3"]
)
def test_results_have_the_same_bits_without_vector_instructions(features: str) -> None:
    cpu_features = np._core._multiarray_umath.__cpu_features__
    available = [name for name in features.split() if cpu_features.get(name)]
    if not available:
        pytest.skip("this processor has none of them")
    paths = [*sys.path, os.path.dirname(__file__)]
    environment = {**os.environ, "NPY_DISABLE_CPU_FEATURES": " ".join(available)}
    process = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CHILD.format(paths=paths)],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert process.returncode == 0, process.stderr


# -- arguments ----------------------------------------------------------------------


def test_shapes_broadcast_dtypes_stay_and_out_is_filled() -> None:
    column = np.arange(3, dtype=np.float32)[:, None]
    row = np.arange(4, dtype=np.float32)
    assert exact.arctan2(column, row).shape == (3, 4)
    assert exact.arctan2(column, 2.5).dtype == np.float32
    assert exact.sin(np.arange(3)).dtype == np.float64
    assert type(exact.sin(np.float32(1))) is np.float32
    assert exact.sin(np.zeros((0, 3))).shape == (0, 3)
    assert exact.exp(np.zeros((2, 3, 4))[:, ::2]).tolist() == np.ones((2, 2, 4)).tolist()
    out = np.array([1.0, 2.0, 3.0])
    assert exact.log(out, out=out) is out
    assert out[0] == 0
    sine, cosine = pair = np.empty(2), np.empty(2)
    assert exact.sincos([0.0, 1.0], out=pair) is pair
    assert (sine[0], cosine[0]) == (0, 1)


def test_invalid_arguments_raise_errors_with_their_names() -> None:
    with pytest.raises(TypeError, match=r"x: expected float32, float64 or whole numbers"):
        exact.sin("up")
    with pytest.raises(TypeError, match="x: expected"):
        exact.exp(np.zeros(2, np.float16))
    with pytest.raises(
        ValueError, match=r"x, y: expected shapes that fit together, got \(2,\) and \(3,\)"
    ):
        exact.hypot([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="out: expected the shape"):
        exact.sin([1.0, 2.0], out=np.empty(3))
    with pytest.raises(TypeError, match="out: expected an array of floats"):
        exact.sin([1.0, 2.0], out=np.empty(2, int))
    with pytest.raises(ValueError, match="a, b: expected"):
        exact.dot([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="a, b: expected"):
        exact.matmul(np.eye(3), np.eye(4))
    with pytest.raises(ValueError, match="a float can hold"):
        exact.sin(10**400)


@pytest.mark.parametrize(
    "shapes", [((4, 4), (4, 4)), ((5, 4, 4), (4, 4)), ((3,), (3, 2)), ((7, 3), (3,)), ((3,), (3,))]
)
def test_matmul_has_the_result_of_the_operator(
    shapes: tuple[tuple[int, ...], tuple[int, ...]],
) -> None:
    random = np.random.default_rng(1)
    a, b = (random.normal(size=shape) for shape in shapes)
    np.testing.assert_allclose(exact.matmul(a, b), a @ b, rtol=1e-12)
    assert exact.matmul(a, b).shape == (a @ b).shape


def test_dot_products_add_in_a_fixed_order() -> None:
    random = np.random.default_rng(1)
    for k in (0, 1, 3, 8, 9, 100, 1001):
        a, b = random.normal(size=(2, 5, k))
        np.testing.assert_allclose(exact.dot(a, b), (a * b).sum(axis=1), rtol=1e-9, atol=1e-12)
    a, b = random.normal(size=(2, 3))
    assert exact.dot(a, b) == a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    assert exact.norm([3.0, 4.0]) == 5


# -- the framework's own code ----------------------------------------------------------------------


def test_an_exact_game_is_exact_only_in_setup_and_ticks() -> None:
    exact_calls = []

    class Recorder(fw.Game):
        def setup(self) -> None:
            self.record()

        def record(self) -> None:
            exact_calls.append(exact.functions().sin is exact.sin)

        def update(self, dt: float) -> None:
            self.record()

        def draw(self, alpha: float) -> None:
            self.record()

    for chosen in (True, False):
        with Recorder(size=(32, 32), headless=True, exact=chosen) as game:
            assert game.exact is chosen
            game.advance(1 / 60)
    assert exact_calls == [True, True, False, False, False, False]
    assert exact.functions().sin is np.sin


def test_exact_rotations_have_the_stored_bits() -> None:
    random = np.random.default_rng(2)
    turns = random.normal(size=(500, 3)).astype(np.float32)
    with exact.chosen():
        q = fw.quaternions.from_vectors(turns)
        between = fw.quaternions.slerp(q, np.roll(q, 1, axis=0), 0.3)
        back = fw.quaternions.to_vectors(between)
    assert zlib.crc32(q.tobytes() + between.tobytes() + back.tobytes()) == 0xAAA33329
    np.testing.assert_allclose(q, fw.quaternions.from_vectors(turns), atol=1e-6)
