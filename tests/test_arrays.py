"""Rows of an array: selected by indices, masks and slices, and repeated."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from framework.arrays import repeated_rows, row_indices


@pytest.mark.parametrize(
    ("rows", "want"),
    [
        (2, [2]),
        (-1, [9]),
        ([1, -1], [1, 9]),
        (np.arange(10) > 7, [8, 9]),
        ([], []),
        (slice(8, None), [8, 9]),
        (slice(None, None, 4), [0, 4, 8]),
        (slice(20, 30), []),
        (np.array([3], np.uint8), [3]),
    ],
)
def test_rows_are_indices_a_mask_or_a_slice(rows: Any, want: list[int]) -> None:
    assert np.arange(10)[row_indices(rows, 10)].tolist() == want


@pytest.mark.parametrize(
    ("rows", "error", "words"),
    [
        (10, ValueError, "there are 10 rows, got index 10"),
        ([0, -11], ValueError, "got index -11"),
        (np.ones(9, bool), ValueError, r"mask of shape \(10,\), got one of shape \(9,\)"),
        (1.5, TypeError, "expected indices, a mask or a slice, got float64"),
        ("all", TypeError, "got <U3"),
        (np.zeros((2, 2), int), TypeError, r"int64 of shape \(2, 2\)"),
        (None, TypeError, "object"),
        ([[1], [1, 2]], TypeError, "expected indices, a mask or a slice"),
        (["1"], TypeError, "got <U1"),
        (slice("a", None), TypeError, r"expected a slice of whole numbers, got slice\('a'"),
        (slice(0, 9, 0), ValueError, "expected a slice of whole numbers"),
        (2**70, TypeError, "got object"),
        (np.array([2**63], np.uint64), ValueError, "there are 10 rows"),
    ],
)
def test_invalid_rows_are_refused_by_name(rows: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=rf"^rows: .*{words}"):
        row_indices(rows, 10)


@given(st.integers(0, 20), st.data())
def test_row_indices_select_the_same_rows_as_numpy(n: int, data: st.DataObject) -> None:
    index = st.integers(-n, n - 1) if n else st.nothing()
    bounds = st.none() | st.integers(-30, 30)
    rows = data.draw(
        st.builds(slice, bounds, bounds, bounds.filter(lambda step: step != 0))
        | st.lists(index)
        | st.lists(st.booleans(), min_size=n, max_size=n).map(lambda mask: np.array(mask, bool))
    )
    selected = row_indices(rows, n)
    all_rows = np.arange(n)
    wanted = all_rows[rows] if not isinstance(rows, list) else all_rows[np.array(rows, np.intp)]
    assert all_rows[selected].tolist() == wanted.tolist()
    if isinstance(
        selected, slice
    ):  # a plain slice within the rows, because a batch may have a wrong length
        assert 0 <= selected.start <= selected.stop <= n
    else:
        assert selected.dtype == np.intp
        assert ((selected >= 0) & (selected < n)).all()


@pytest.mark.parametrize(
    ("counts", "rows", "numbers"),
    [
        ([2, 0, 3], [0, 0, 2, 2, 2], [0, 1, 0, 1, 2]),
        ([0, 1], [1], [0]),
        ([0], [], []),
        ([], [], []),
    ],
)
def test_each_row_is_repeated_and_its_repetitions_are_numbered(
    counts: list[int], rows: list[int], numbers: list[int]
) -> None:
    row, number = repeated_rows(np.array(counts, np.intp))
    assert (row.tolist(), number.tolist()) == (rows, numbers)
