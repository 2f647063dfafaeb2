"""Eases: they follow the formulas of their names, with the same results for numbers and arrays."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import framework as fw
from framework.geometry import eases

TIMES = np.linspace(0, 1, 257)
BEYOND = ("back", "elastic")  # these leave 0..1 on purpose


def penner(name: str, k: float) -> float:
    """Return the formula of https://easings.net."""
    c1 = 1.70158
    c5 = math.tau / 4.5
    c2 = c1 * 1.525
    match name:
        case "out_cubic":
            return 1 - (1 - k) ** 3
        case "in_out_quint":
            return 16 * k**5 if k < 0.5 else 1 - (-2 * k + 2) ** 5 / 2
        case "in_sine":
            return 1 - math.cos(k * math.pi / 2)
        case "in_out_sine":
            return -(math.cos(math.pi * k) - 1) / 2
        case "out_expo":
            return 1 if k == 1 else 1 - 2 ** (-10 * k)
        case "in_circ":
            return 1 - math.sqrt(1 - k * k)
        case "out_back":
            return 1 + (c1 + 1) * (k - 1) ** 3 + c1 * (k - 1) ** 2
        case "in_out_back":
            if k < 0.5:
                return (2 * k) ** 2 * ((c2 + 1) * 2 * k - c2) / 2
            return ((2 * k - 2) ** 2 * ((c2 + 1) * (k * 2 - 2) + c2) + 2) / 2
        case "out_elastic":
            return (
                k if k in (0, 1) else 2 ** (-10 * k) * math.sin((k * 10 - 0.75) * math.tau / 3) + 1
            )
        case "in_out_elastic":
            if k in (0, 1):
                return k
            wave = 2 ** -abs(20 * k - 10) * math.sin((20 * k - 11.125) * c5) / 2
            return -wave if k < 0.5 else wave + 1
        case _:  # out_bounce
            for edge, middle, height in (
                (1, 0, 0),
                (2, 1.5, 0.75),
                (2.5, 2.25, 0.9375),
                (9, 2.625, 0.984375),
            ):
                if k < edge / 2.75:
                    return 7.5625 * (k - middle / 2.75) ** 2 + height
            raise AssertionError


NAMES = [
    *(
        "out_cubic",
        "in_out_quint",
        "in_sine",
        "in_out_sine",
        "out_expo",
        "in_circ",
        "out_back",
        "in_out_back",
    ),
    *("out_elastic", "in_out_elastic", "out_bounce"),
]


@pytest.mark.parametrize("name", NAMES)
def test_an_ease_follows_the_formula_of_its_name(name: str) -> None:
    expected = [penner(name, k) for k in TIMES.tolist()]
    assert fw.ease(name, TIMES) == pytest.approx(expected, abs=2e-6)


@pytest.mark.parametrize("name", fw.EASES)
def test_every_ease_goes_from_0_to_1_and_only_some_leave_that_range(name: str) -> None:
    results = fw.ease(name, TIMES)
    assert results[[0, -1]] == pytest.approx([0, 1], abs=1e-15)
    if not name.endswith(BEYOND):
        assert (results >= 0).all()
        assert (results <= 1).all()
    if not name.endswith((*BEYOND, "bounce")):
        assert (np.diff(results) >= 0).all()


@pytest.mark.parametrize("name", [name for name in fw.EASES if name.startswith("out_")])
def test_out_mirrors_in_and_in_out_has_both(name: str) -> None:
    inwards = name.replace("out_", "in_")
    both = f"in_{name}"
    assert fw.ease(name, TIMES) == pytest.approx(1 - fw.ease(inwards, 1 - TIMES), abs=1e-12)
    assert fw.ease(both, TIMES) == pytest.approx(1 - fw.ease(both, 1 - TIMES), abs=1e-12)


@given(st.floats(0, 1), st.sampled_from([*fw.EASES, fw.Bezier(0.25, 0.1, 0.25, 1), fw.Spring()]))
def test_a_number_has_the_same_result_as_an_array(k: float, name: str) -> None:
    assert fw.ease(name, np.full(9, k)).tolist() == [fw.ease(name, k)] * 9


def test_a_bezier_is_the_cubic_bezier_of_css() -> None:
    # The values of cubic-bezier(.25, .1, .25, 1) in browsers.
    results = fw.ease(fw.Bezier(0.25, 0.1, 0.25, 1), [0.25, 0.5, 0.75])
    assert results == pytest.approx([0.40851, 0.80240, 0.96046], abs=1e-5)
    line = fw.Bezier(0.3, 0.3, 0.7, 0.7)
    assert fw.ease(line, TIMES) == pytest.approx(TIMES, abs=1e-12)


@pytest.mark.parametrize(
    ("stiffness", "damping"), [(120.0, 14.0), (100.0, 20.0), (50.0, 40.0), (200.0, 3.0)]
)
def test_a_spring_solves_its_equation(stiffness: float, damping: float) -> None:
    """Solve the equation in small steps by a Runge-Kutta method, which needs no closed formula."""
    spring = fw.Spring(stiffness, damping)
    h = 1 / 1024
    x = 0.0
    v = 0.0
    positions = [0.0]

    def pull(x: float, v: float) -> float:
        return stiffness * (1 - x) - damping * v

    for _ in range(1024):
        a1 = pull(x, v)
        a2 = pull(x + h / 2 * v, v + h / 2 * a1)
        a3 = pull(x + h / 2 * (v + h / 2 * a1), v + h / 2 * a2)
        a4 = pull(x + h * (v + h / 2 * a2), v + h * a3)
        x = x + h * v + h * h / 6 * (a1 + a2 + a3)
        v = v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        positions.append(x)
    assert spring.at(np.arange(1025) * h) == pytest.approx(positions, abs=2e-8)
    assert abs(spring.at(spring.duration) - 1) <= 1.01e-4
    later = np.linspace(spring.duration, 3 * spring.duration, 200)
    assert (abs(spring.at(later) - 1) <= 1.01e-4).all()
    half = fw.ease(spring, 0.5)
    assert half == pytest.approx(float(spring.at(spring.duration / 2)), abs=2e-6)


@pytest.mark.parametrize("spring", [fw.Spring(), fw.Spring(200.0, 3.0), fw.Spring(50.0, 40.0)])
def test_the_table_of_a_spring_is_fine_enough_everywhere(spring: fw.Spring) -> None:
    shares = np.linspace(0, 1, 3001)[:-1]
    exact = spring.at(shares * spring.duration)
    assert np.asarray(fw.ease(spring, shares)) == pytest.approx(exact, abs=2e-6)


def test_invalid_eases_are_refused() -> None:
    with pytest.raises(
        ValueError,
        match="name: expected the name of an ease, got 'outcubic'; did you mean 'out_cubic'",
    ):
        fw.ease("outcubic", 0.5)
    with pytest.raises(TypeError, match="ease: expected a name such as 'out_cubic'"):
        eases.checked("ease", 3)
    with pytest.raises(ValueError, match="goes from 0 to 1, got 0 at 0, 2 at 1"):
        eases.checked("ease", lambda k: 2 * k)
    with pytest.raises(ValueError, match="one finite number for each"):
        eases.checked("ease", lambda k: k.sum())
    with pytest.raises(ValueError, match="x1: expected a finite number from 0 to 1"):
        fw.Bezier(1.5, 0, 0, 1)
    with pytest.raises(ValueError, match="damping: expected a finite number above 0"):
        fw.Spring(damping=0)
    with pytest.raises(ValueError, match="t: expected finite numbers"):
        fw.ease("linear", math.nan)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("Cubic.easeInOut", "in_out_cubic"),
        ("CubicInOut", "in_out_cubic"),
        ("easeInOutCubic", "in_out_cubic"),
        ("Back.out", "out_back"),
        ("easeInQuint", "in_quint"),
        ("ease-in-out", "in_out_quad"),
        ("ease", "smooth"),
    ],
)
def test_a_name_of_another_engine_suggests_the_ease(name: str, meant: str) -> None:
    with pytest.raises(ValueError, match=f"; did you mean '{meant}'"):
        fw.ease(name, 0.5)


@pytest.mark.parametrize("name", ["", "1", "0.5"])
def test_an_ease_without_letters_gets_no_suggestion(name: str) -> None:
    with pytest.raises(ValueError, match="; there are linear, smooth, and in_, out_ and in_out_"):
        fw.ease(name, 0.5)


def test_a_function_without_a_parameter_is_refused_before_a_call() -> None:
    with pytest.raises(TypeError, match=r"^ease: expected a function of float64 arrays"):
        eases.checked("ease", lambda: 1.0)


def test_times_are_limited_to_0_to_1() -> None:
    assert fw.ease("out_quad", [-3, 7]).tolist() == [0, 1]
    assert fw.ease(lambda k: k * k, 0.5) == 0.25


def test_eases_that_cannot_be_computed_or_hashed_are_refused() -> None:
    class Unhashable:
        __hash__ = None  # type: ignore[assignment]

        def __call__(self, k: Any) -> Any:
            return k

    with pytest.raises(TypeError, match=r"^name: expected a name"):
        fw.ease(Unhashable(), 0.5)
    for name in ("stiffness", "damping"):
        with pytest.raises(ValueError, match=rf"^{name}: expected"):
            fw.Spring(**{name: 1e200})
    for spring in (fw.Spring(1e9, 1e-3), fw.Spring(1e-3, 1e9), fw.Spring(1e9, 1e9)):
        assert fw.ease(spring, 1.0) == 1.0


def test_a_function_with_a_result_of_the_wrong_length_raises() -> None:
    with pytest.raises(ValueError, match=r"name: expected a function .* one finite number"):
        fw.ease(lambda k: np.array([0.0, 0.5, 1.0]), 0.5)
    sometimes = lambda k: k if len(k) < 4 else k[:3]  # noqa: E731
    assert fw.ease(sometimes, 0.5) == 0.5
    with pytest.raises(
        ValueError,
        match=r"ease: expected a function .*, got float64 of shape \(3,\) for \(4,\) from",
    ):
        fw.ease(sometimes, np.linspace(0, 1, 4))
