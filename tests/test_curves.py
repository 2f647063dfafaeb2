"""Curves: numbers and colors that change over a lifetime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import framework as fw
from framework.geometry.curves import CELLS, colors_of, numbers_of, scaled

SHARES = np.linspace(0, 1, CELLS + 1)


def test_a_curve_is_linear_between_its_keys() -> None:
    values = numbers_of("size", fw.Curve(4, 30, 0))
    assert values.dtype == np.float32
    assert np.allclose(values, np.interp(SHARES, [0, 0.5, 1], [4, 30, 0]))


def test_keys_have_positions_and_an_ease() -> None:
    values = numbers_of("size", fw.Curve(0, 10, 2, at=(0, 0.25, 1), ease="in_quad"))
    assert values[[0, 8, 16, 40, 64]].tolist() == [0, 2.5, 10, 8, 2]


def test_colors_are_srgb_in_2d_and_linear_in_3d() -> None:
    curve = fw.Curve("#fff8", (0.5, 0, 0, 0))
    keys = colors_of("color", curve)[[0, 32, 64]]
    assert np.allclose(keys, [(1, 1, 1, 8 / 15), (0.75, 0.5, 0.5, 4 / 15), (0.5, 0, 0, 0)])
    assert colors_of("color", fw.Curve("#808080", "#fff"), as_light=True)[0, 0] == pytest.approx(
        0.2158605
    )


def test_a_constant_is_a_curve() -> None:
    assert numbers_of("size", 3).tolist() == [3.0] * 65
    assert colors_of("color", "#f00").tolist() == [[1, 0, 0, 1]] * 65
    assert repr(fw.Curve(1, 2)) == "Curve(1, 2)"
    assert numbers_of("size", scaled(fw.Curve(1, 3), 2))[[0, 64]].tolist() == [2, 6]


@pytest.mark.parametrize(
    ("keys", "options", "words"),
    [
        ((1,), {}, r"keys: expected two or more, got 1"),
        ((1, "#fff"), {}, r"keys: expected numbers only, or colors only"),
        ((1, float("nan")), {}, r"keys: expected a finite number, got nan"),
        (("#fff", "#ggg"), {}, r"keys: expected a color such as"),
        ((1, 2), {"at": (0, 0.5, 1)}, r"at: expected 2 numbers, one for each key, got 3"),
        ((1, 2, 3), {"at": (0, 0, 1)}, r"at: expected numbers that ascend from 0 to 1"),
        (
            (1, 2),
            {"ease": "out_cubik"},
            r"ease: expected the name of an ease, got 'out_cubik'; did you mean 'out_cubic'",
        ),
    ],
)
def test_wrong_keys_are_an_error(keys: Any, options: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        fw.Curve(*keys, **options)


def test_a_wrong_curve_is_an_error_with_the_option() -> None:
    with pytest.raises(
        ValueError, match=r"^size: expected a curve of numbers, got Curve\('#fff', '#000'\)"
    ):
        fw.Particles(size=fw.Curve("#fff", "#000"))
    with pytest.raises(ValueError, match=r"^color: expected a curve of colors, got Curve\(1, 2\)"):
        fw.Particles(color=fw.Curve(1, 2))
    with pytest.raises(
        ValueError, match=r"^size: expected a curve of at least 0, got a curve that reaches -1"
    ):
        fw.Particles(size=fw.Curve(4, -1))
