"""Which cells of a grid its children have, and how wide and high those must be. Numbers only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

Span = tuple[int, int]


class Cells(NamedTuple):
    """Some cells that one child has: from which column and row, and how many."""

    column: int
    row: int
    columns: int
    rows: int


def flowed(spans: Iterable[Span], columns: int) -> list[Cells]:
    """The cells of children that have so many columns and rows each: row by row from the left, in
    their order, each in the first place that is free after the one before (CSS's ``grid-auto-flow:
    row``)."""
    found: list[Cells] = []
    taken = [0] * columns  # the first row in which a column is free
    row = column = 0
    for wide, high in spans:
        while True:
            if column + wide > columns:
                row, column = row + 1, 0
                continue
            blocked = [at for at in range(column, column + wide) if taken[at] > row]
            if not blocked:
                break
            column = blocked[-1] + 1
        found.append(Cells(column, row, wide, high))
        taken[column : column + wide] = [row + high] * wide
        column += wide
    return found


def column_width(cells: Sequence[Cells], widths: Sequence[float], gap: float) -> float:
    """The width of a column, all being of one, in which each child has its width."""
    each = (
        (width - gap * (cell.columns - 1)) / cell.columns
        for cell, width in zip(cells, widths, strict=True)
    )
    return max(each, default=0.0)


def row_heights(cells: Sequence[Cells], heights: Sequence[float], gap: float) -> list[float]:
    """The heights of rows in which each child has its height. One over several rows makes those
    higher, by the same, where they are not high enough together."""
    found = [0.0] * max((cell.row + cell.rows for cell in cells), default=0)
    for cell, height in sorted(zip(cells, heights, strict=True), key=lambda each: each[0].rows):
        rows = range(cell.row, cell.row + cell.rows)
        missing = (height - sum(found[row] for row in rows) - gap * (cell.rows - 1)) / cell.rows
        if missing > 0:
            for row in rows:
                found[row] += missing
    return found
