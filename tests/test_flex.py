"""Layout boxes: sizes and positions of children, impossible sizes, and small changes."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from framework.ui.flex import LayoutBox, layout, preferred


class Words:
    """Content with ``count`` words of a fixed width and height."""

    def __init__(self, count: int, width: float = 10.0, height: float = 5.0) -> None:
        self.count = count
        self.width = width
        self.height = height

    def min_content_width(self) -> float:
        return self.width

    def size(self, available: float) -> tuple[float, float]:
        in_line = max(1, min(self.count, int(min(available, 1e6) // self.width)))
        return in_line * self.width, -(-self.count // in_line) * self.height


def tree(*children: LayoutBox, **styles: Any) -> LayoutBox:
    box = LayoutBox(**styles)
    for child in children:
        box.add(child)
    return box


def rects(box: LayoutBox) -> list[tuple[float, ...]]:
    return [(*child.absolute_position(), child.w, child.h) for child in box.children]


def test_a_column_stacks_and_stretches() -> None:
    box = tree(LayoutBox(Words(1)), LayoutBox(Words(2)), LayoutBox(height=20), padding=3, gap=2)
    assert preferred(box, 100, 100)[:2] == (26, 5 + 5 + 20 + 4 + 6)
    layout(box, 60, 80)
    assert rects(box) == [(3, 3, 54, 5), (3, 10, 54, 5), (3, 17, 54, 20)]


@pytest.mark.parametrize(
    ("justify", "starts"),
    [("start", [0, 12]), ("center", [39, 51]), ("end", [78, 90]), ("between", [0, 90])],
)
def test_justify_places_the_free_space_of_a_row(justify: str, starts: list[float]) -> None:
    row = tree(
        LayoutBox(Words(1)),
        LayoutBox(Words(1)),
        direction="row",
        gap=2,
        justify=justify,
        align="center",
    )
    layout(row, 100, 25)
    assert rects(row) == [(start, 10, 10, 5) for start in starts]


def test_free_space_goes_to_growing_children_up_to_their_maximum() -> None:
    row = tree(
        LayoutBox(width=10),
        LayoutBox(grow=1),
        LayoutBox(grow=3),
        LayoutBox(grow=2, max_width=5),
        direction="row",
    )
    layout(row, 55, 10)
    assert [child.w for child in row.children] == [10, 10, 30, 5]
    column = tree(LayoutBox(height=10), LayoutBox(grow=1), LayoutBox(height="50%"))
    layout(column, 10, 100)
    assert [child.h for child in column.children] == [10, 40, 50]


@pytest.mark.parametrize("direction", ["row", "column"])
def test_an_empty_child_without_room_stays_within_its_parent(direction: str) -> None:
    box = tree(
        LayoutBox(width=30, height=30),
        LayoutBox(width=30, height=30),
        LayoutBox(width=0, height=0),
        direction=direction,
        gap=5,
        align="start",
    )
    layout(box, 40, 40)
    last = box.children[-1]
    assert (last.x, last.y)[direction == "column"] <= 40


def test_an_empty_child_keeps_its_position_in_the_order() -> None:
    row = tree(LayoutBox(width=10), LayoutBox(width=0), LayoutBox(width=10), direction="row")
    layout(row, 100, 10)
    assert [child.x for child in row.children] == [0, 10, 10]


def test_percentages_are_of_the_parent() -> None:
    row = tree(
        LayoutBox(width="25%"),
        LayoutBox(width="75%", height="50%"),
        direction="row",
        padding=(10, 0),
    )
    layout(row, 220, 40)
    assert rects(row) == [(10, 0, 50, 40), (60, 0, 150, 20)]


def test_a_text_wraps_in_a_narrow_row_and_the_row_becomes_higher() -> None:
    row = tree(LayoutBox(Words(4)), LayoutBox(Words(1)), direction="row")
    assert preferred(row, 30, 100)[:2] == (30, 10)
    layout(row, 30, 10)
    assert [(child.w, child.h) for child in row.children] == [(20, 10), (10, 10)]


def test_a_row_that_wraps_continues_below() -> None:
    row = tree(
        *[LayoutBox(width=10, height=4) for _ in range(5)], direction="row", wrap=True, gap=2
    )
    assert preferred(row, 36, 100)[:2] == (36, 10)
    layout(row, 36, 10)
    assert [child.absolute_position() for child in row.children] == [
        (0, 0),
        (12, 0),
        (24, 0),
        (0, 6),
        (12, 6),
    ]


def test_the_columns_of_a_grid_have_the_same_width() -> None:
    grid = tree(*[LayoutBox(Words(1)) for _ in range(5)], columns=2, gap=4)
    assert preferred(grid, 100, 100)[:2] == (24, 23)
    layout(grid, 44, 23)
    assert rects(grid) == [
        (0, 0, 20, 5),
        (24, 0, 20, 5),
        (0, 9, 20, 5),
        (24, 9, 20, 5),
        (0, 18, 20, 5),
    ]


def test_a_child_of_a_grid_can_span_columns_and_rows() -> None:
    wide = LayoutBox(Words(1), span=2)
    tall = LayoutBox(Words(1), span=(1, 2))
    grid = tree(
        LayoutBox(Words(1)),
        wide,
        tall,
        LayoutBox(Words(1)),
        LayoutBox(Words(1)),
        LayoutBox(Words(1), span=2),
        columns=3,
        gap=5,
    )
    assert preferred(grid, 200, 200)[:2] == (40, 25)  # three columns of 10, three rows of 5
    layout(grid, 40, 25)
    assert rects(grid) == [
        (0, 0, 10, 5),
        (15, 0, 25, 5),
        (0, 10, 10, 15),
        (15, 10, 10, 5),
        (30, 10, 10, 5),
        (15, 20, 25, 5),
    ]
    wide.shown = False  # the children behind it move up
    layout(grid, 40, 25)
    assert [(child.x, child.y) for child in grid.visible_children[1:]] == [
        (15, 0),
        (30, 0),
        (0, 10),
        (0, 20),
    ]


def test_a_spanning_child_enlarges_columns_and_rows_only_if_they_are_too_small() -> None:
    wide = LayoutBox(width=22, height=5, span=2)
    grid = tree(wide, LayoutBox(width=10, height=5), columns=3, gap=4)
    assert preferred(grid, 200, 200)[:2] == (3 * 10 + 2 * 4, 5)
    wide.width = 64  # (64 - 4) / 2 a column
    assert preferred(grid, 200, 200)[0] == 3 * 30 + 2 * 4
    tall = LayoutBox(width=4, height=14, span=(1, 2))
    rows = tree(tall, LayoutBox(height=4), LayoutBox(height=6), columns=2, gap=4)
    assert preferred(rows, 200, 200)[1] == 14
    tall.height = 24  # 10 more, 5 for each row
    assert preferred(rows, 200, 200)[1] == 24
    layout(rows, 50, 24)
    assert [(child.y, child.h) for child in rows.children] == [(0, 24), (0, 4), (13, 6)]


def test_invalid_spans_raise_and_change_nothing() -> None:
    grid = tree(LayoutBox(span=2), LayoutBox(), columns=3)
    column = tree(LayoutBox())
    for call, message in [
        (lambda: setattr(grid, "columns", 1), "at most 1, the columns of the grid, got 2"),
        (lambda: setattr(grid, "columns", 0), "2 × 1 cells need a parent that is a grid"),
        (lambda: setattr(grid.children[1], "span", 4), "at most 3, the columns of the grid, got 4"),
        (
            lambda: setattr(column.children[0], "span", (1, 2)),
            "1 × 2 cells need a parent that is a grid",
        ),
        (lambda: grid.add(LayoutBox(span=4)), "at most 3"),
        (lambda: column.add(LayoutBox(span=2)), "that is a grid"),
        (lambda: LayoutBox(span=0), "span"),
        (lambda: LayoutBox(span=(1, 2, 3)), "columns, or"),
    ]:
        with pytest.raises(ValueError, match=message):
            call()
    with pytest.raises(TypeError, match="span"):
        LayoutBox(span=1.5)
    assert (grid.columns, grid.children[1].span, len(grid.children), len(column.children)) == (
        3,
        (1, 1),
        2,
        1,
    )


def test_a_child_that_scrolls_shrinks_first() -> None:
    inner = tree(*[LayoutBox(height=20) for _ in range(5)], scrolls=True)
    box = tree(LayoutBox(height=10), inner, LayoutBox(height=10))
    layout(box, 30, 60)
    assert [child.h for child in box.children] == [10, 40, 10]
    inner.offset = 1000
    inner.mark_changed()
    layout(box, 30, 60)
    assert inner.offset == 60
    assert inner.children[-1].absolute_position() == (0, 30)


def test_children_shrink_if_their_sizes_are_impossible() -> None:
    row = tree(
        LayoutBox(width=300, min_width=200), LayoutBox(Words(9)), direction="row", gap=50, padding=4
    )
    layout(row, 40, 3)
    assert_within(row)


styles = st.fixed_dictionaries(
    {},
    optional={
        "width": st.sampled_from([0, 7, 500, "30%", "100%"]),
        "height": st.sampled_from([0, 9, 400, "40%"]),
        "min_width": st.sampled_from([5, 90, "50%"]),
        "max_width": st.sampled_from([3, 60, "80%"]),
        "min_height": st.sampled_from([5, 90]),
        "max_height": st.sampled_from([3, 60, "80%"]),
        "padding": st.sampled_from([0, 4, (1, 2, 3, 4), 70]),
        "gap": st.sampled_from([0, 3, 80]),
        "grow": st.sampled_from([0, 1, 2.5]),
        "align": st.sampled_from(["start", "center", "end", "stretch"]),
        "justify": st.sampled_from(["start", "center", "end", "between"]),
        "direction": st.sampled_from(["row", "column"]),
        "columns": st.sampled_from([0, 0, 3]),
        "wrap": st.booleans(),
        "scrolls": st.booleans(),
        "shown": st.booleans(),
    },
)


def spanning(children: list[LayoutBox], styles: Any, spans: list[Any]) -> LayoutBox:
    """Return a tree. If it is a grid, its children have ``spans``."""
    box = tree(*children, **styles)
    for child, span in zip(children, spans if box.columns else [], strict=False):
        child.span = span
    return box


spans = st.lists(st.sampled_from([1, 2, (3, 2), (1, 3)]), min_size=4, max_size=4)
boxes: Any = st.recursive(
    st.builds(lambda count, given: LayoutBox(Words(count), **given), st.integers(1, 6), styles),
    lambda inner: st.builds(spanning, st.lists(inner, max_size=4), styles, spans),
    max_leaves=12,
)


def assert_within(box: LayoutBox) -> None:
    for child in box.visible_children:
        assert min(child.x, child.y, child.w, child.h) >= -1e-6
        assert child.x + child.w <= box.w + 1e-6
        assert box.scrolls or child.y + child.h <= box.h + 1e-6
        assert_within(child)


@settings(max_examples=60)
@given(boxes, st.sampled_from([(0, 0), (40, 30), (640, 360)]))
def test_every_box_lies_within_its_parent(box: LayoutBox, size: tuple[float, float]) -> None:
    width, height, _ = preferred(box, *size)
    assert width <= size[0]
    assert height <= size[1]
    layout(box, *size)
    assert_within(box)
    before = [(child.x, child.y, child.w, child.h, child.offset) for child in box.walk()]
    for child in box.walk():
        child.mark_changed()
    preferred(box, *size)
    layout(box, *size)
    assert [
        (child.x, child.y, child.w, child.h, child.offset) for child in box.walk()
    ] == before  # independent of cached sizes


def menu(rows: int) -> tuple[LayoutBox, LayoutBox]:
    lines = [
        tree(
            LayoutBox(Words(3)),
            LayoutBox(Words(2), grow=1),
            LayoutBox(width=20, height=8),
            direction="row",
        )
        for _ in range(rows)
    ]
    return tree(*lines, gap=2, width=320), lines[rows // 2]


def test_a_change_lays_out_only_its_ancestors() -> None:
    box, line = menu(50)
    preferred(box, 320, 1e6)
    assert layout(box, 320, 1000) >= 150
    assert layout(box, 320, 1000) == 0
    leaf = line.children[1]
    leaf.content = Words(4)
    leaf.mark_changed()
    _, _, measured = preferred(box, 320, 1e6)
    assert (
        measured + layout(box, 320, 1000) <= 6
    )  # the leaf, its line and the menu, each measured and placed
    leaf.grow = 2
    assert layout(box, 320, 1000) <= 4
    leaf.grow = 2
    assert layout(box, 320, 1000) == 0


def test_200_boxes_are_laid_out_quickly() -> None:
    times = []
    for _ in range(5):
        box, _ = menu(50)
        start = time.process_time()
        preferred(box, 320, 1e6)
        layout(box, 320, 1000)
        times.append(time.process_time() - start)
    assert min(times) < 0.02  # 0.002 s on our machine


def test_a_box_in_itself_or_in_two_boxes_is_an_error() -> None:
    box = LayoutBox()
    inner = LayoutBox()
    box.add(inner)
    with pytest.raises(ValueError, match="cannot be in itself"):
        inner.add(box)
    with pytest.raises(ValueError, match="cannot be in itself"):
        LayoutBox.add(loose := LayoutBox(), loose)
    with pytest.raises(ValueError, match="in a box already"):
        LayoutBox().add(inner)
    with pytest.raises(ValueError, match="not in this box"):
        inner.remove(box)
    wrong = [
        ("width", "10px"),
        ("width", -1),
        ("grow", float("nan")),
        ("padding", (1, 2, 3)),
        ("align", "top"),
    ]
    for name, bad in wrong:
        with pytest.raises(ValueError, match=name):
            setattr(inner, name, bad)
    with pytest.raises(TypeError, match="nearest are width"):
        LayoutBox(widht=3)


def test_limits_can_be_percentages_and_the_maximum_wins() -> None:
    low = LayoutBox(Words(1), min_height="50%")
    high = LayoutBox(Words(1), max_height="10%", height=60)
    column = tree(low, high, height=100)
    layout(column, 100, 100)
    assert (low.h, high.h) == (50, 10)
    beside = LayoutBox(Words(1), max_height="10%", height=60)
    layout(tree(beside, direction="row"), 100, 100)
    assert beside.h == 10
    both = LayoutBox(Words(1), min_width=80, max_width=30, min_height=90, max_height=20)
    layout(tree(both, align="start"), 100, 100)
    assert (both.w, both.h) == (30, 20)  # the maximum wins over the minimum
    low.min_height = 900
    high.max_height = None
    layout(column, 100, 100)
    assert low.h + high.h == pytest.approx(100)  # there is no more room


def test_a_percentage_of_a_parent_that_fits_its_content_is_of_the_fitted_width() -> None:
    half = LayoutBox(Words(6), width="50%")
    wide, _, _ = preferred(column := tree(half), 640, 360)
    layout(column, wide, 360)
    assert half.w == wide / 2 > 0


def test_too_many_nested_boxes_are_an_error() -> None:
    inner = LayoutBox()
    for _ in range(99):
        inner, before = LayoutBox(), inner
        inner.add(before)
    with pytest.raises(ValueError, match="101 nested boxes are more than the maximum of 100"):
        tree().add(whole := tree(inner))
    assert whole.depth() == 100
    layout(whole, 100, 100)


@pytest.mark.parametrize("scrolls", [False, True])
def test_a_list_shrinks_to_the_space_beside_its_siblings(scrolls: bool) -> None:
    def long(**styles: Any) -> LayoutBox:
        return tree(*[LayoutBox(height=20) for _ in range(30)], scrolls=True, grow=1, **styles)

    for nested in (
        long(),
        tree(long(), direction="row", grow=1),
        tree(long(), tree(LayoutBox(height=10)), columns=2, grow=1),
        tree(tree(LayoutBox(height=5), long()), grow=1),
    ):
        box = tree(LayoutBox(height=30), nested, LayoutBox(height=30), scrolls=scrolls, gap=5)
        layout(box, 100, 200)
        assert [child.h for child in box.children] == [30, 130, 30]
        assert box.extent == 200


def test_a_list_in_a_full_column_that_scrolls_keeps_a_useful_height() -> None:
    entries = tree(*[LayoutBox(height=20) for _ in range(30)], scrolls=True)
    box = tree(*[LayoutBox(height=30) for _ in range(10)], entries, scrolls=True)
    layout(box, 100, 200)
    assert (entries.h, box.extent) == (48, 348)
    entries.min_height = 100
    layout(box, 100, 200)
    assert (entries.h, box.extent) == (100, 400)


def test_only_lists_that_scroll_shrink_in_a_column_that_scrolls() -> None:
    box = tree(
        LayoutBox(height=30),
        tree(*[LayoutBox(height=20) for _ in range(10)], grow=1),
        LayoutBox(height="50%"),
        scrolls=True,
    )
    layout(box, 100, 100)
    assert [child.h for child in box.children] == [30, 200, 50]


def test_gaps_count_in_the_minimum_height_of_a_group_with_a_list() -> None:
    entries = tree(*[LayoutBox(height=20) for _ in range(30)], scrolls=True)
    group = tree(LayoutBox(height=10), LayoutBox(height=10), entries, gap=5)
    box = tree(*[LayoutBox(height=30) for _ in range(10)], group, scrolls=True)
    layout(box, 100, 200)
    assert group.h == 10 + 5 + 10 + 5 + entries.h
    assert (group.h, entries.h) == (78, 48)


def test_a_narrow_row_leaves_a_child_its_padding() -> None:
    padded = tree(LayoutBox(Words(1)), padding=7)
    row = tree(padded, LayoutBox(Words(5)), direction="row")
    layout(row, 34, 40)
    assert rects(row) == [(0, 0, 24, 40), (24, 0, 10, 40)]


@pytest.mark.parametrize(("offset", "expected"), [(-5.0, 0.0), (30.0, 30.0), (90.0, 70.0)])
def test_a_box_that_scrolls_sideways_ends_at_its_last_child(offset: float, expected: float) -> None:
    children = [LayoutBox(width=40, height=5) for _ in range(3)]
    box = tree(*children, direction="row", slides=True)
    box.offset_x = offset
    layout(box, 50, 10)
    assert (box.extent_x, box.offset_x) == (120, expected)
