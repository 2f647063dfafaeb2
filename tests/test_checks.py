"""Checks of arguments: the accepted values, and the error messages."""

from __future__ import annotations

import decimal
import math
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from framework import checks


class Odd:
    """An object whose `repr` fails."""

    def __repr__(self) -> str:
        raise RuntimeError("no words")


class Wordy:
    def __repr__(self) -> str:
        return "many\nwords " * 1000


BAD_VALUES: list[Any] = [
    None,
    "x",
    "",
    "long " * 1000,
    b"bytes",
    True,
    np.True_,
    math.nan,
    -math.inf,
    np.float32("nan"),
    -1,
    0,
    10**400,
    -(10**5000),
    1j,
    object,
    Odd(),
    Wordy(),
    [],
    [1],
    [[1, 2], [3]],
    [1, "2", None],
    {1: 2},
    {3},
    range(9),
    lambda: 0,
    np.complex64(1j),
    np.array(1j),
    np.zeros(1),
    np.zeros((3, 3, 3)),
    np.array("x"),
    np.array([None, 1]),
    np.full(4, math.nan),
    np.zeros(9, bool),
    np.array([["1", "2"]]),
    np.datetime64("2020-01-01"),
    decimal.Decimal("NaN"),
    Fraction(-1, 10**400),
]

CHECKS: list[tuple[str, Callable[[str, Any], Any]]] = [
    ("number", checks.number),
    ("number within bounds", lambda name, value: checks.number(name, value, above=0, most=1)),
    ("exact_number", checks.exact_number),
    ("positive_fraction", checks.positive_fraction),
    ("seconds", checks.seconds),
    ("whole", lambda name, value: checks.whole(name, value, 1, 9)),
    ("flag", checks.flag),
    ("vector", lambda name, value: checks.vector(name, value, 3)),
    ("vectors", lambda name, value: checks.vectors(name, value, 3)),
    ("rows", lambda name, value: checks.numbers(name, value, (None, 2))),
    ("rows of one number", lambda name, value: checks.numbers(name, value, (None,), finite=False)),
    ("whole_numbers", lambda name, value: checks.whole_numbers(name, value, (None, 2), 3)),
    ("pair", checks.pair),
    ("direction", checks.direction),
    ("size", checks.size),
    ("light", checks.light),
    ("color", checks.color),
    ("choice", lambda name, value: checks.choice(name, value, ("near", "far"))),
    ("instance", lambda name, value: checks.instance(name, value, Fraction)),
    ("function", checks.function),
    ("text", checks.text),
    ("methods", lambda name, value: checks.methods(name, value, ("draw", "release"), "a drawable")),
]


@pytest.mark.parametrize("check", [check for _, check in CHECKS], ids=[name for name, _ in CHECKS])
def test_bad_values_have_short_errors_with_the_name(
    check: Callable[..., Any],
) -> None:
    refused = 0
    for value in BAD_VALUES:
        try:
            check("speed", value)
        except (TypeError, ValueError) as error:
            refused += 1
            text = str(error)
            assert re.match(r"speed: expected .*, got .|speed: expected .*; .* has no ", text), text
            assert "\n" not in text
            assert len(text) <= 200
    assert refused > len(BAD_VALUES) / 2


# -- numbers ---------------------------------------------------------------------------------------


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_of_any_kind_becomes_a_float(value: float) -> None:
    for kind in (float, np.float64, np.array, decimal.Decimal, Fraction):
        assert checks.number("x", kind(value)) == value
        assert type(checks.number("x", kind(value))) is float
    assert checks.exact_number("x", value) == value


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(-9, 9), st.floats(-9, 9))
def test_numbers_are_checked_against_bounds(value: float, low: float, high: float) -> None:
    def is_accepted(**bounds: float) -> bool:
        try:
            return checks.number("x", value, **bounds) == value
        except ValueError:
            return False

    assert is_accepted(least=low, most=high) == (low <= value <= high)
    assert is_accepted(above=low, below=high) == (low < value < high)


@pytest.mark.parametrize(
    "value", ["1", b"1", None, True, np.False_, [1], np.ones(1), np.ones((1, 1)), 1j, int]
)
def test_other_types_than_numbers_are_a_type_error(value: Any) -> None:
    for check in (checks.number, checks.exact_number, checks.positive_fraction, checks.seconds):
        with pytest.raises(TypeError, match=r"^x: expected a number, got "):
            check("x", value)


def test_errors_describe_the_bounds() -> None:
    with pytest.raises(
        ValueError, match=r"^zoom: expected a finite number above 0 and below 5, got -1$"
    ):
        checks.number("zoom", -1, above=0, below=5)
    with pytest.raises(
        ValueError, match=r"^zoom: expected a finite number from 0 to 2.5, got nan$"
    ):
        checks.number("zoom", math.nan, least=0, most=2.5)
    with pytest.raises(ValueError, match=r"^count: expected a whole number of at least 1, got 0$"):
        checks.whole("count", np.int8(0), 1)
    with pytest.raises(ValueError, match=r"^x: expected a finite number, got one above 1e308$"):
        checks.number("x", 10**5000)
    with pytest.raises(ValueError, match=r"^rate: expected a number above 0, got 0$"):
        checks.positive_fraction("rate", 0)
    with pytest.raises(
        ValueError, match=r"^after: expected a finite number of at least 0, got -0.5$"
    ):
        checks.seconds("after", -0.5)


def test_exact_numbers_are_not_rounded() -> None:
    assert checks.exact_number("x", 10**300 + 1) == 10**300 + 1
    assert checks.exact_number("x", Fraction(1, 3)) == Fraction(1, 3)
    assert checks.exact_number("x", np.float32(0.1)) == float(np.float32(0.1))
    assert checks.seconds("x", 0.1) == Fraction(0.1)
    assert checks.positive_fraction("x", 59.94) == Fraction(5994, 100)
    assert checks.decimal(0.1) == Fraction(1, 10)


def test_whole_numbers_are_values_that_python_accepts_as_an_index() -> None:
    for value in (3, np.uint8(3), np.array(3)):
        assert checks.whole("n", value, 0, 3) == 3
        assert type(checks.whole("n", value)) is int
    for bad in (3.0, np.float64(3), np.array(3.0), "3", True, np.True_, np.array([3])):
        with pytest.raises(TypeError, match=r"^n: expected a whole number, got "):
            checks.whole("n", bad)


def test_flags_are_bools_or_the_integers_0_and_1() -> None:
    for value in (True, 1, np.True_, np.int8(1), np.array(True)):
        assert checks.flag("on", value) is True
    assert checks.flag("on", 0) is False
    for bad in ("yes", None, 2, 1.0, np.ones(1, bool), np.ones(3, int), []):
        with pytest.raises(TypeError, match=r"^on: expected True or False, got "):
            checks.flag("on", bad)


# -- several numbers -------------------------------------------------------------------------------


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=3, max_size=3))
def test_a_vector_is_a_copy(values: list[float]) -> None:
    array = np.array(values)
    for value in (
        values,
        tuple(values),
        array,
        [Fraction(value) for value in values],
        array_of_decimals(values),
    ):
        vector = checks.vector("v", value, 3)
        assert vector.dtype == np.float64
        assert vector.tolist() == values
        assert not np.shares_memory(vector, array)


def array_of_decimals(values: list[float]) -> Any:
    return np.array([decimal.Decimal(value) for value in values])


@pytest.mark.parametrize(
    "value", [None, 1.0, "abc", b"abc", {1, 2, 3}, object(), ["1", "2", "3"], [True] * 3, [1j] * 3]
)
def test_vectors_without_numbers_are_a_type_error(value: Any) -> None:
    for check in (checks.vector, checks.vectors):
        with pytest.raises(TypeError, match=r"^v: expected (three )?finite numbers"):
            check("v", value, 3)
    with pytest.raises(TypeError, match=r"^v: expected finite numbers of shape \(n, 3\), got "):
        checks.numbers("v", value, (None, 3))
    with pytest.raises(TypeError, match=r"^v: expected three finite numbers, got "):
        checks.direction("v", value)


@pytest.mark.parametrize(
    "value",
    [(), (1, 2), (1, 2, 3, 4), [[1, 2, 3]], (1, 2, math.nan), (1, math.inf, 2), [[1], [1, 2]]],
)
def test_vectors_of_a_wrong_length_are_a_value_error(value: Any) -> None:
    with pytest.raises(ValueError, match=r"^v: expected three finite numbers, got "):
        checks.vector("v", value, 3)


def test_numbers_have_a_shape_and_errors_name_the_row() -> None:
    assert checks.vectors("v", (1, 2), 2).tolist() == [[1, 2]]
    assert checks.numbers("v", [(1, 2), (3, 4)], (2, 2), dtype="f4").dtype == np.float32
    array = np.zeros((5, 2))
    assert checks.numbers("v", array, (None, 2)) is array
    assert math.isnan(checks.numbers("v", [1, math.nan], (None,), finite=False)[1])
    for value, shape, words in (
        ((1, 2), (None, 2), r"of shape \(n, 2\), got \(1, 2\)"),
        (np.zeros((9, 3)), (None, 2), r"of shape \(n, 2\), got float64 of shape \(9, 3\)$"),
        (array, (3, 2), r"of shape \(3, 2\), got float64 of shape \(5, 2\)"),
        ([1], (4,), r"of shape \(4,\), got \[1\]$"),
        ([1], (None, None), r"of shape \(n, m\), got \[1\]$"),
        ([[0, 1], [2, math.inf]], (None, 2), r", got \[2.0, inf\] in row 1$"),
        ([1, math.nan], (2,), r", got nan in row 1$"),
    ):
        with pytest.raises(ValueError, match=rf"^v: expected finite numbers ?{words}"):
            checks.numbers("v", value, shape)
    with pytest.raises(ValueError, match=r"^v: expected finite numbers, got inf in row 1$"):
        checks.numbers("v", [1, 1e300], (None,), dtype="f4")


def test_whole_numbers_have_a_shape_and_bounds() -> None:
    for value in ([0, 1, 8], np.array([0, 1, 8], np.uint8)):
        assert checks.whole_numbers("v", value, (None,), 9).tolist() == [0, 1, 8]
    assert checks.whole_numbers("v", [], (None,)).dtype == np.intp
    for value, words in (
        ([9], r"whole numbers from 0 to 8, got some from 9 to 9$"),
        ([-1], r"whole numbers from 0 to 8, got some from -1 to -1$"),
        ([[1]], r"whole numbers of shape \(n,\), got \[\[1\]\]$"),
    ):
        with pytest.raises(ValueError, match=rf"^v: expected {words}"):
            checks.whole_numbers("v", value, (None,), 9)
    with pytest.raises(
        TypeError, match=r"^v: expected whole numbers of shape \(n,\), got \[0.5\]$"
    ):
        checks.whole_numbers("v", [0.5], (None,))


@given(st.tuples(*[st.floats(-1e300, 1e300)] * 3))
def test_a_direction_has_length_1(value: tuple[float, ...]) -> None:
    if any(value):
        assert np.linalg.norm(checks.direction("d", value)) == pytest.approx(1)
    else:
        with pytest.raises(
            ValueError, match=r"^d: expected three numbers that are not all 0, got "
        ):
            checks.direction("d", value)


def test_pairs_sizes_and_colors() -> None:
    assert checks.pair("p", np.array([1, 2])) == (1.0, 2.0)
    assert checks.size("s", (640.0, np.int16(480))) == (640, 480)
    assert checks.color("c", (1, 0.5, 0), 0.25) == (1, 0.5, 0, 0.25)
    assert checks.color("c", np.ones(4, np.float32)) == (1, 1, 1, 1)
    assert checks.light("l", (0, 7, 0.5)).tolist() == [0, 7, 0.5]
    for bad in ((1,), (1, 2, 3), (1, math.nan)):
        with pytest.raises(ValueError, match=r"^p: expected "):
            checks.pair("p", bad)
    for bad in ((1,), (1, 0), (1, 2.5), (5, 4)):
        with pytest.raises(ValueError, match=r"^s: expected "):
            checks.size("s", bad, 4)
    for dark in ((-1, 0, 0), (1, 1), (1, 1, math.inf)):
        for check in (lambda: checks.color("c", dark, least=0), lambda: checks.light("c", dark)):  # noqa: B023
            with pytest.raises(ValueError, match=r"^c: expected "):
                check()


# -- other checks ----------------------------------------------------------------------------------


def test_a_choice_is_one_of_the_choices() -> None:
    assert checks.choice("c", np.str_("near"), ("near", "far")) == "near"
    assert checks.choice("c", 2, (1, 2)) == 2
    with pytest.raises(ValueError, match=r"^c: expected one of 'near', 'far', got 'nera'$"):
        checks.choice("c", "nera", ("near", "far"))
    for value, choices in ((1, ("near",)), (None, ("near",)), (True, (1, 2)), (1.0, (1, 2))):
        with pytest.raises(TypeError, match=r"^c: expected one of "):
            checks.choice("c", value, choices)


def test_a_class_in_place_of_an_instance_is_an_error() -> None:
    assert checks.instance("rate", Fraction(1), Fraction) == 1
    with pytest.raises(TypeError, match=r"^rate: expected a Fraction, got 1; divide$"):
        checks.instance("rate", 1, Fraction, hint="divide")
    with pytest.raises(
        TypeError,
        match=r"^rate: expected a Fraction, got the class Fraction: make one, Fraction\(…",
    ):
        checks.instance("rate", Fraction, Fraction)
    with pytest.raises(TypeError, match=r"^rate: expected a ratio, got the class int$"):
        checks.instance("rate", int, Fraction, what="a ratio")
    with pytest.raises(TypeError, match=r"^odd: expected an Odd, got None$"):
        checks.instance("odd", None, Odd)


def test_missing_methods_are_named() -> None:
    class Drawable:
        def draw(self) -> None: ...

    with pytest.raises(
        TypeError, match=r"^d: expected a drawable; <.*Drawable.* has no attach, release$"
    ):
        checks.methods("d", Drawable(), ("attach", "draw", "release"), "a drawable")
    with pytest.raises(
        TypeError, match=r"^d: expected a drawable, got the class Drawable: make one"
    ):
        checks.methods("d", Drawable, ("draw",), "a drawable")
    checks.methods("d", Drawable(), ("draw",), "a drawable")


# -- sealed classes and settings -------------------------------------------------------------------


class Lamp(checks.Sealed):
    __slots__ = ("_brightness", "name")
    brightness = checks.Setting(
        lambda name, value: checks.number(name, value, least=0), "The brightness."
    )

    def __init__(self) -> None:
        self.brightness = 1
        self.name = "lamp"

    @property
    def lit(self) -> bool:
        """Whether the lamp gives any light."""
        return self.brightness > 0


def test_a_sealed_object_has_only_the_attributes_of_its_class() -> None:
    lamp: Any = Lamp()
    lamp.name = "bulb"
    with pytest.raises(
        AttributeError, match=r"^Lamp has no attribute 'brigthness'; did you mean 'brightness'\?$"
    ):
        lamp.brigthness = 2
    with pytest.raises(
        AttributeError, match=r"^Lamp has no attribute 'zzz'; it has brightness, lit, name$"
    ):
        lamp.zzz = 2
    with pytest.raises(AttributeError, match=r"property 'lit' of 'Lamp' object has no setter"):
        lamp.lit = True
    with pytest.raises(AttributeError) as caught:
        setattr(lamp, "z" * 9999, 2)
    assert len(str(caught.value)) < 300
    assert (lamp.name, lamp.brightness, lamp.lit) == ("bulb", 1.0, True)


def test_a_subclass_of_a_sealed_class_accepts_any_attribute() -> None:
    class Torch(Lamp):
        pass

    torch: Any = Torch()
    torch.burns_for = 3
    torch.brightness = 0.5
    assert (torch.burns_for, torch.brightness) == (3, 0.5)
    with pytest.raises(
        ValueError, match=r"^brightness: expected a finite number of at least 0, got -1"
    ):
        torch.brightness = -1
    assert torch.brightness == 0.5


def test_a_setting_has_a_docstring() -> None:
    assert Lamp.brightness.__doc__ == "The brightness."
    assert isinstance(Lamp.brightness, checks.Setting)


@given(st.recursive(st.none() | st.integers() | st.floats() | st.text(), st.lists, max_leaves=50))
def test_shown_values_are_one_line_of_at_most_80_characters(value: Any) -> None:
    for container in (value, {"a": value}, np.array(value, object), (value, value)):
        text = checks.shown(container)
        assert len(text) <= 80
        assert "\n" not in text
    assert checks.shown(Odd()) == "something of class Odd"
    assert checks.shown(np.arange(3)) == "int64 of shape (3,): [0, 1, 2]"
    assert checks.shown(np.zeros((9, 2))) == "float64 of shape (9, 2)"


def test_a_path_is_a_string_or_a_path_object() -> None:
    assert checks.path("file", "a/b.png") == checks.path("file", Path("a/b.png")) == "a/b.png"
    for bad in (3, None, b"x", ["x"]):
        with pytest.raises(TypeError, match=r"^file: expected a path, got "):
            checks.path("file", bad)


def test_values_by_name_are_copied() -> None:
    values = {"wind": 3}
    copied = checks.named("uniforms", values, "values by name")
    assert copied == values
    assert copied is not values
    for bad in ("x", 3, None, [1], {1: 2}):
        with pytest.raises(TypeError, match=r"^uniforms: expected values by name, got "):
            checks.named("uniforms", bad, "values by name")


def test_shown_objects_have_no_address() -> None:
    class Thing:
        pass

    assert "0x" not in checks.shown(Thing())
    assert (
        checks.shown(test_shown_objects_have_no_address)
        == "the function test_shown_objects_have_no_address"
    )


def test_ndim_counts_the_axes_of_ragged_lists_too() -> None:
    assert [
        checks.ndim(value) for value in (1, "x", None, [1], [[1, 2], [3]], np.zeros((2, 2)))
    ] == [0, 0, 0, 1, 1, 2]


@pytest.mark.parametrize("most", [1, None])
def test_rounding_errors_at_a_bound_are_accepted(most: float | None) -> None:
    assert checks.number("alpha", -1e-9, least=0, most=most) == 0
    with pytest.raises(ValueError, match=r"^alpha: expected .*, got -0\.001"):
        checks.number("alpha", -0.001, least=0, most=most)
    if most is not None:
        assert checks.number("alpha", 1.0000001, least=0, most=most) == 1
        assert checks.number("alpha", np.float32(1.0000001), above=0, most=most) == 1
    for bounds in ({"above": 0.0}, {"below": 0.0, "least": -1.0}, {"least": 1e-6}):
        with pytest.raises(ValueError, match=r"^zoom: expected"):
            checks.number("zoom", 0.0 if "least" not in bounds else 1e-9, **bounds)
    with pytest.raises(ValueError, match=r"^volume: expected"):
        checks.number("volume", math.inf, least=0, most=1)
