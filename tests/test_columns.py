"""Columns: what they take, and when they may have changed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import framework as fw
from framework.columns import Column, differ


def test_a_column_that_nobody_looked_at_is_not_compared(monkeypatch):
    column = Column("probe", 2, 0.0, interpolated=True)
    column.reserve(4, 0)
    column.spawn(0, 4)
    column.latch(4)
    monkeypatch.setattr("framework.columns.differ", lambda a, b: pytest.fail("compared"))
    assert not column.changed(4)
    column.latch(4)


@pytest.mark.parametrize(
    ("value", "given"),
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
def test_a_column_refuses_what_does_not_fit_and_stays_as_it_was(value, given):
    transforms = fw.Transforms2D()
    transforms.spawn(3)
    transforms.position = [[1, 2], [3, 4], [5, 6]]
    with pytest.raises(ValueError, match=rf"position: expected float32 numbers of shape \(3, 2\).*{given}"):
        transforms.position = value
    np.testing.assert_array_equal(transforms.position, [[1, 2], [3, 4], [5, 6]])


def test_columns_take_what_broadcasts_and_other_kinds_of_numbers():
    transforms = fw.Transforms2D()
    transforms.spawn(3)
    transforms.position = 4, 5
    transforms.angle = [1, 2, 3]
    transforms.scale = np.float64(2)
    np.testing.assert_array_equal(transforms.position, [[4, 5]] * 3)
    np.testing.assert_array_equal(transforms.angle, [1, 2, 3])
    transforms.position += [1, 0]
    transforms.position = transforms.position[::-1] * [[1], [2], [3]]
    np.testing.assert_array_equal(transforms.position, [[5, 5], [10, 10], [15, 15]])
    transforms.position = transforms.position[::-1]  # from itself, in another order
    np.testing.assert_array_equal(transforms.position, [[15, 15], [10, 10], [5, 5]])
    transforms.keep(np.array([0, 1]))
    transforms.position = [[1, 2], [3, 4]]
    transforms.position = transforms.position.T
    np.testing.assert_array_equal(transforms.position, [[1, 3], [2, 4]])


@given(n=st.integers(0, 200_000), data=st.data())
@settings(max_examples=30, deadline=None)
def test_arrays_differ_when_any_bit_does(n, data):
    a = np.zeros(n, np.float32)
    b = a.copy()
    assert not differ(a, b)
    if n:
        b[data.draw(st.integers(0, n - 1))] = data.draw(st.sampled_from([-0.0, np.nan, 1e-45, 3]))
        assert differ(a, b)
        assert not differ(b, b.copy())
