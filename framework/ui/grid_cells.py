"""Compute the cell of each child in a grid layout, and the sizes of columns and rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

Span = tuple[int, int]


class Cells(NamedTuple):
    """The grid cells that a child covers: first column, first row, number of columns, number of
    rows. Columns and rows are counted from 0.
    """

    column: int
    row: int
    columns: int
    rows: int


def flowed(spans: Iterable[Span], columns: int) -> list[Cells]:
    """Return the grid cells of each child.

    ``spans`` contains the size of each child in cells: (columns, rows).

    The children fill the first row from left to right, then the second row, and so on. Each child
    is placed in the next free cells after the previous child, as in CSS with ``grid-auto-flow:
    row``.
    """
    cells: list[Cells] = []
    next_free = [0] * columns  # for each column, the first free row
    row = column = 0
    for span_columns, span_rows in spans:
        while True:
            if column + span_columns > columns:
                row = row + 1
                column = 0
                continue
            blocked = [x for x in range(column, column + span_columns) if next_free[x] > row]
            if not blocked:
                break
            column = blocked[-1] + 1
        cells.append(Cells(column, row, span_columns, span_rows))
        next_free[column : column + span_columns] = [row + span_rows] * span_columns
        column += span_columns
    return cells


def column_width(cells: Sequence[Cells], widths: Sequence[float], gap: float) -> float:
    """Return the width of a column. All columns have the same width, the smallest in which every
    child fits.
    """
    each = (
        (width - gap * (cell.columns - 1)) / cell.columns
        for cell, width in zip(cells, widths, strict=True)
    )
    return max(each, default=0.0)


def row_heights(cells: Sequence[Cells], heights: Sequence[float], gap: float) -> list[float]:
    """Return the height of each row: the smallest heights in which every child fits.

    If a child is too tall for its rows, each of these rows grows by the same amount.
    """
    result = [0.0] * max((cell.row + cell.rows for cell in cells), default=0)
    for cell, height in sorted(zip(cells, heights, strict=True), key=lambda pair: pair[0].rows):
        rows = range(cell.row, cell.row + cell.rows)
        missing = (height - sum(result[row] for row in rows) - gap * (cell.rows - 1)) / cell.rows
        if missing > 0:
            for row in rows:
                result[row] += missing
    return result
