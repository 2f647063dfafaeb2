from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from framework.gpu.skyline import Skyline

SIZES = st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=1, max_size=40)


@settings(max_examples=40)
@given(st.integers(1, 24), st.integers(1, 24), SIZES)
def test_each_rectangle_is_as_low_and_then_as_far_left_as_possible(
    width: int, height: int, sizes: list[tuple[int, int]]
) -> None:
    skyline = Skyline(width, height)
    tops = [0] * width  # the top of each column
    for across, up in sizes:
        positions = [(max(tops[x : x + across]), x) for x in range(width - across + 1)]
        y, x = min(positions, default=(height, 0))
        expected = (x, y) if y + up <= height else None
        assert skyline.place(across, up) == expected
        if expected is not None:
            tops[x : x + across] = [y + up] * across


def test_a_rectangle_without_room_changes_nothing() -> None:
    skyline = Skyline(4, 4)
    assert skyline.place(5, 1) is None
    assert skyline.place(1, 5) is None
    assert skyline.place(4, 4) == (0, 0)
    assert skyline.place(1, 1) is None
