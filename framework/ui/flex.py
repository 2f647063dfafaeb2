"""Compute the position and size of each widget, with a layout like CSS flexbox.

Each widget is a box, and the y axis of all positions points down. The layout options have the same
names as in CSS (https://www.w3.org/TR/css-flexbox-1/), but the rules are simpler. A box places its
children in a row, in a column, or in a grid. All columns of a grid have the same width, and a child
can cover several of them. Children with ``grow`` share the free space of their parent.

Unlike in CSS, a child is never larger than its parent, unless the parent scrolls. If the children
together are larger than the parent, they shrink. If a maximum size is smaller than the minimum
size, the maximum is used. A size such as "50%" is a fraction of the parent's final size, even if
that size depends on the parent's content. All widths are computed before the heights, so a width
never depends on how texts are wrapped.

Each box caches its computed sizes. After `LayoutBox.mark_changed`, the next layout computes only
the sizes of this box again. If they have changed, it also computes the sizes of the parent again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol, TypeVar

from ..checks import Setting, choice, flag, nearest, number, whole, wrong_value
from ..moved_names import HasMoved, moved
from .grid_cells import Cells, Span, column_width, flowed, row_heights

ALIGNMENTS = ("start", "center", "end", "stretch")
JUSTIFICATIONS = ("start", "center", "end", "between")
DIRECTIONS = ("row", "column")
_MAX_LENGTH = 1e9
_MAX_DEPTH = 100
_MAX_COLUMNS = 1000
_MAX_CACHED = 8  # maximum number of widths for which a box caches its sizes
# minimum height of a box that scrolls, in units (two lines of text), if there is space
_MIN_SCROLLED = 48.0

T = TypeVar("T")
K = TypeVar("K")


class Content(Protocol):
    """The interface of a widget whose content determines the size of its box, such as a text or an
    image.
    """

    def min_content_width(self) -> float:
        """Return the minimum width of the widget in units. In a narrower box, part of the widget
        would be cut off.
        """

    def size(self, available: float) -> tuple[float, float]:
        """Return the preferred width and height of the widget in units.

        ``available`` is the width of the available space in units. If the width is not limited,
        ``available`` is infinite.
        """


class Share(float):
    """A size as a fraction of the parent's size. ``Share(0.5)`` means the same as "50%"."""


Length = float | Share | None


def length(name: str, value: object) -> Length:
    """Check a width or height, and return the value. A string such as "50%" is returned as a
    `Share`. A number (in units) or None is returned unchanged.
    """
    if value is None:
        return None
    if isinstance(value, str):
        try:
            share = float(value.removesuffix("%")) / 100 if value.endswith("%") else math.nan
        except ValueError:
            share = math.nan
        if not 0 <= share <= 100:
            raise wrong_value(name, "units or a share such as '50%'", value)
        return Share(share)
    return number(name, value, least=0, most=_MAX_LENGTH)


def sides(name: str, value: object) -> tuple[float, float, float, float]:
    """Return the width of each side in units: left, top, right, bottom.

    ``value`` contains one number for all sides, two numbers (x, y), or four numbers (left, top,
    right, bottom).
    """
    values: list[object] = list(value) if isinstance(value, tuple | list) else [value]
    if len(values) not in (1, 2, 4):
        raise wrong_value(name, "one number, two (x, y) or four (left, top, right, bottom)", value)
    left, top, right, bottom = (
        [number(name, side, least=0, most=_MAX_LENGTH) for side in values] * 4
    )[:4]
    return left, top, right, bottom


def spanned(name: str, value: object) -> Span:
    """Return the number of columns and rows that a child covers in a grid.

    ``value`` is the number of columns, or a pair (columns, rows).
    """
    values: Sequence[object] = value if isinstance(value, tuple | list) else (value, 1)
    if len(values) != 2:
        raise wrong_value(name, "columns, or (columns, rows)", value)
    columns, rows = (whole(name, count, 1, _MAX_COLUMNS) for count in values)
    return columns, rows


def _at_least_0(name: str, value: object) -> float:
    return number(name, value, least=0, most=_MAX_LENGTH)


def _column_count(name: str, value: object) -> int:
    return whole(name, value, 0, _MAX_COLUMNS)


def _one_of(choices: Sequence[str]) -> Callable[[str, object], str]:
    return lambda name, value: choice(name, value, choices)


class _Style(Setting[T]):
    """A layout option of a box. When its value changes, the parent is also marked as changed."""

    def keep(self, box: LayoutBox, value: T) -> None:
        previous: object = getattr(box, self.slot, self)
        if previous != value:
            super().keep(box, value)
            box.mark_changed()
            if box.parent is not None:
                box.parent.mark_changed()


class _Columns(_Style[int]):
    def keep(self, box: LayoutBox, value: int) -> None:
        for child in box.children:
            _check_span(child.span, value)
        super().keep(box, value)


class _Span(_Style[Span]):
    def keep(self, box: LayoutBox, value: Span) -> None:
        if box.parent is not None:
            _check_span(value, box.parent.columns)
        super().keep(box, value)


def _check_span(span: Span, columns: int) -> None:
    """Raise `ValueError` if ``span`` is wider than the grid, which has ``columns`` columns.

    If ``columns`` is 0, the parent is not a grid, and ``span`` must be (1, 1).
    """
    if not columns and span != (1, 1):
        raise ValueError(
            f"span: {span[0]} × {span[1]} cells need a parent that is a grid, as of grid(columns=3)"
        )
    if span[0] > max(columns, 1):
        raise ValueError(
            f"span: expected at most {columns}, the columns of the grid, got {span[0]}"
        )


_STYLES: dict[str, object] = {
    "width": None,
    "height": None,
    "min_width": None,
    "max_width": None,
    "min_height": None,
    "max_height": None,
    "padding": 0,
    "gap": 0,
    "grow": 0,
    "align": "stretch",
    "justify": "start",
    "direction": "column",
    "columns": 0,
    "wrap": False,
    "scrolls": False,
    "slides": False,
    "shown": True,
    "span": 1,
}
STYLES = frozenset(_STYLES)
"""The names of all options of a box. `Widget.style` accepts these names."""


@moved(
    "box",
    {"place": "absolute_position", "left": "visible_children", "dirty": "mark_changed"},
)
class LayoutBox(HasMoved):
    """A rectangle for a widget, with the layout options of the widget.

    The method `layout` sets the rectangle: ``x``, ``y``, ``w`` and ``h``. (x, y) is the top left
    corner of the box, relative to the top left corner of the parent. The y axis points down.
    """

    __slots__ = (
        *(
            "_cells",
            "_changed",
            "_complete",
            "_floor",
            "_heights",
            "_lines",
            "_min_heights",
            "_placed",
            "_widths",
            "children",
            "content",
            "parent",
            "stamp",
        ),
        *("extent", "extent_x", "offset", "offset_x", "stale", "h", "w", "x", "y"),
        *(f"_{name}" for name in _STYLES),
    )

    not_state = True  # after a restore, the widget creates a new box

    width = _Style(
        length,
        'The width in units, a fraction of the parent\'s width such as "50%", or None for the '
        "width of the content.",
    )
    height = _Style(
        length,
        'The height in units, a fraction of the parent\'s height such as "50%", or None for '
        "the height of the content.",
    )
    min_width = _Style(length, "The minimum width, if there is enough space.")
    max_width = _Style(length, "Maximum width.")
    min_height = _Style(length, "The minimum height, if there is enough space.")
    max_height = _Style(length, "Maximum height.")
    padding = _Style(
        sides, "The free space inside the edges of the box in units, as (left, top, right, bottom)."
    )
    gap = _Style(_at_least_0, "The free space between two children, in units.")
    grow = _Style(
        _at_least_0,
        "The share of the parent's free space that the box gets, relative to its siblings. With "
        "0, the default, the box does not grow.",
    )
    align = _Style(
        _one_of(ALIGNMENTS),
        "The position of children at right angles to the direction (one of `ALIGNMENTS`).",
    )
    justify = _Style(
        _one_of(JUSTIFICATIONS),
        "The position of children along the direction (one of `JUSTIFICATIONS`).",
    )
    direction = _Style(
        _one_of(DIRECTIONS), 'The direction in which children are placed: "row" or "column".'
    )
    columns = _Columns(
        _column_count,
        "The number of columns of a grid. With 0, the default, the box is not a grid.",
    )
    span = _Span(
        spanned, "The number of grid columns that the box covers, or a pair of columns and rows."
    )
    wrap = _Style(flag, "Whether children that do not fit into a row begin a new row.")
    scrolls = _Style(flag, "Whether the total height of the children may be larger than the box.")
    slides = _Style(flag, "Whether the total width of the children may be larger than the box.")
    shown = _Style(flag, "Whether the layout reserves space for the box.")

    def __init__(self, content: Content | None = None, **styles: object) -> None:
        self.parent: LayoutBox | None = None
        self.children: list[LayoutBox] = []
        self.content = content
        self.x = self.y = self.w = self.h = 0.0
        self.offset = self.offset_x = 0.0
        """How far the children are scrolled, in units: `offset` upward, and `offset_x` to the left.
        """
        self.extent = self.extent_x = 0.0
        """The height of the whole content in units: all children and the padding.

        `extent_x` is the total width, for boxes with ``slides``, which also scroll sideways.
        """
        self.stamp: object = None
        """The last layout pass (`_Pass`) that computed this box."""
        self.stale = True
        """Whether the box or one of its children has changed since the last layout."""
        self.forget()
        for slot, value in _DEFAULTS:
            setattr(self, slot, value)
        for name, value in styles.items():
            if name not in STYLES:
                raise TypeError(
                    f"box: unknown option {name!r}; the nearest are {nearest(name, STYLES)}"
                )
            setattr(self, name, value)

    def forget(self) -> None:
        """Delete all cached sizes of the box. The caller must then call `mark_changed`, or call
        `forget` for all ancestors of the box.
        """
        self.stale = True
        self._changed = False  # whether the cached sizes may be wrong
        self._complete = True  # whether the caches contain all sizes that the parent has read
        self._floor: float | None = None
        self._widths: dict[float, float] = {}
        self._heights: dict[float, float] = {}
        self._min_heights: dict[tuple[float, float], float] = {}
        self._lines: tuple[float, list[Line]] | None = None
        self._cells: list[Cells] | None = None
        self._placed: tuple[float, float] | None = None

    def mark_changed(self) -> None:
        """Mark the box as changed, so that the next layout computes its sizes again.

        Call this method after you have changed the content of the box.
        """
        self._changed = True
        box: LayoutBox | None = self
        while box is not None:
            box.stale = True
            box = box.parent

    def add(self, child: LayoutBox, index: int | None = None) -> None:
        """Insert a child box at ``index``. If ``index`` is None, append the child box.

        Raises `ValueError` if the child already has a parent, or if the child contains this box.
        """
        if child.parent is not None:
            raise ValueError("box: the child is in a box already; remove it there first")
        _check_span(child.span, self.columns)
        ancestor: LayoutBox | None = self
        depth = 0
        while ancestor is not None:
            if ancestor is child:
                raise ValueError("box: a box cannot be in itself")
            ancestor = ancestor.parent
            depth = depth + 1
        depth += child.depth() if child.children else 0
        if depth > _MAX_DEPTH:
            raise ValueError(f"box: {depth} nested boxes are more than the maximum of {_MAX_DEPTH}")
        child.parent = self
        self.children.insert(len(self.children) if index is None else index, child)
        self.mark_changed()

    def depth(self) -> int:
        """Return the number of levels of boxes inside this box. The depth of a box without children
        is 0.
        """
        depth = 0
        row = self.children
        while row:
            depth = depth + 1
            row = [child for box in row for child in box.children]
        return depth

    def remove(self, child: LayoutBox) -> None:
        """Remove a child box. Raises `ValueError` if the child is not in this box."""
        if child.parent is not self:
            raise ValueError("box: the child is not in this box")
        self.children.remove(child)
        child.parent = None
        self.mark_changed()

    @property
    def visible_children(self) -> list[LayoutBox]:
        """The children that are not hidden. Hidden children take up no space in the layout."""
        return [child for child in self.children if child.shown]

    @property
    def cells(self) -> list[Cells]:
        """The grid cells of each visible child. Only for boxes that are grids."""
        if self._cells is None:
            self._cells = flowed((child.span for child in self.visible_children), self.columns)
        return self._cells

    def absolute_position(self) -> tuple[float, float]:
        """Return the top left corner of the box in units, relative to the top left corner of the
        outermost box.

        The scroll positions of all ancestors are included.
        """
        x = self.x
        y = self.y
        box = self.parent
        while box is not None:
            x = x + box.x - box.offset_x
            y = y + box.y - box.offset
            box = box.parent
        return x, y

    def walk(self) -> Iterator[LayoutBox]:
        """Yield the box and all its descendants: children, grandchildren and so on."""
        yield self
        for child in self.children:
            yield from child.walk()


# The default values are checked only once, not for each box.
def _default(name: str, value: object) -> tuple[str, object]:
    setting: Setting[object] = getattr(LayoutBox, name)
    return setting.slot, setting.check(name, value)


_DEFAULTS = [_default(name, value) for name, value in _STYLES.items()]

Line = tuple[list[LayoutBox], list[float]]
"""The children in one line of a row or grid, and their widths."""
Places = Callable[[float, float, list[tuple[float, float]]], Iterable[Iterable[float]]]
"""The method `places` of a widget that positions its children itself.

The arguments of `places` are the width, the height and the preferred sizes of the children.
`places` returns (x, y, width, height) of each child.
"""


class _Pass:
    """One computation of the layout. ``visited`` is the number of boxes computed so far."""

    def __init__(self) -> None:
        self.visited = 0
        self.moved: list[LayoutBox] = []
        """The boxes whose rectangle has changed, and all computed boxes that scroll."""

    def visit(self, box: LayoutBox) -> None:
        if box.stamp is not self:
            box.stamp = self
            self.visited += 1

    # -- changes -----------------------------------------------------------------------------------

    def refresh(self, box: LayoutBox) -> bool:
        """Delete the cached sizes of ``box`` and its descendants that are no longer correct. Return
        True if a size of ``box`` itself has changed. The caller must then compute the sizes of its
        parent again, too.
        """
        if not box.stale:
            return False
        changed = box._changed
        if box.children:
            if not changed and _reads_children(box.content):
                changed = any(child.stale and child.shown for child in box.children)
            for child in box.children:
                if child.stale and child.shown and self.refresh(child):
                    changed = True
        if not changed:
            return False
        floor = box._floor
        complete = box._complete
        widths = box._widths
        heights = box._heights
        min_heights = box._min_heights
        box.forget()
        return not (
            complete
            and (floor is None or self.min_width(box) == floor)
            and all(self.width(box, available) == width for available, width in widths.items())
            and all(self.height(box, width) == height for width, height in heights.items())
            and all(self.min_height(box, *key) == low for key, low in min_heights.items())
        )

    # -- widths ------------------------------------------------------------------------------------

    def min_width(self, box: LayoutBox) -> float:
        """Return the minimum width of a box, in units. In a narrower box, part of the content would
        be cut off.
        """
        if box._floor is None:
            self.visit(box)
            fixed = None if isinstance(box.width, Share) else box.width
            width = self._min_children_width(box) if fixed is None else fixed
            if box.content is not None:
                width = max(width, _min_content_width(box.content))
            if fixed is None:
                width += box.padding[0] + box.padding[2]
            minimum = box.min_width
            box._floor = (
                width if minimum is None or isinstance(minimum, Share) else max(width, minimum)
            )
        return box._floor

    def _min_children_width(self, box: LayoutBox) -> float:
        """Return the width that all children need, without the padding of the box."""
        if box.slides:
            return 0.0
        children = box.visible_children
        widths = map(self.min_width, children)
        if box.columns:
            column = column_width(box.cells, list(widths), box.gap)
            return column * box.columns + box.gap * (box.columns - 1)
        if box.direction == "row" and not box.wrap:
            return sum(widths) + box.gap * max(len(children) - 1, 0)
        return max(widths, default=0.0)

    def width(self, box: LayoutBox, available: float) -> float:
        """Return the preferred width of a box, in units. The preferred width is never larger than
        ``available``.
        """
        cached = box._widths.get(available)
        if cached is not None:
            return cached
        self.visit(box)
        width = _in_units(box.width, available)
        maximum = box.max_width
        minimum = box.min_width
        limit = (
            available
            if maximum is None
            else min(available, _value_or(_in_units(maximum, available), math.inf))
        )
        if width is None:
            padding = box.padding[0] + box.padding[2]
            width = self._natural_width(box, max(limit - padding, 0.0)) + padding
        if minimum is not None:
            width = max(width, _value_or(_in_units(minimum, available), 0.0))
        result = min(width, limit)
        _cache_size(box, box._widths, available, result)
        return result

    def _natural_width(self, box: LayoutBox, inner: float) -> float:
        children = box.visible_children
        content_width = 0.0 if box.content is None else _size_of(box.content, inner)[0]
        if not children:
            return content_width
        widths = [self.width(child, inner) for child in children]
        if box.columns:
            column = column_width(box.cells, widths, box.gap)
            return float(max(content_width, column * box.columns + box.gap * (box.columns - 1)))
        if box.direction == "row":
            return float(max(content_width, sum(widths) + box.gap * (len(widths) - 1)))
        return max(content_width, *widths)

    def inner(self, box: LayoutBox, width: float) -> float:
        """Return the width in units that the children of a box can use. ``width`` is the width of
        the whole box, including its padding.

        If the box scrolls horizontally (``slides``), its children get at least their preferred
        width.
        """
        free = float(max(width - box.padding[0] - box.padding[2], 0.0))
        return (
            max(free, min(self._natural_width(box, math.inf), _MAX_LENGTH)) if box.slides else free
        )

    def lines(self, box: LayoutBox, inner: float) -> list[Line]:
        """Arrange the children of a box in lines. Return the lines, and the width of each child.

        ``inner`` is the width in units that the children can use.
        """
        cached = box._lines
        if cached is not None and cached[0] == inner:
            return cached[1]
        lines = self._compute_lines(box, inner)
        box._lines = inner, lines
        return lines

    def _compute_lines(self, box: LayoutBox, inner: float) -> list[Line]:
        if box.columns:
            return self._grid_rows(box, inner)
        children = box.visible_children
        if box.direction == "column":
            return [([child], [self._cross_width(child, inner, box.align)]) for child in children]
        widths = [self.width(child, inner) for child in children]
        ranges = _wrapped_lines(widths, box.gap, inner) if box.wrap else [(0, len(children))]
        return [
            (
                children[start:end],
                self._fit_line(children[start:end], widths[start:end], box.gap, inner),
            )
            for start, end in ranges
            if end > start
        ]

    def _cross_width(self, child: LayoutBox, inner: float, align: str) -> float:
        if align != "stretch" or child.width is not None:
            return self.width(child, inner)
        return min(inner, _value_or(_in_units(child.max_width, inner), math.inf))

    def _fit_line(
        self, line: list[LayoutBox], widths: list[float], gap: float, inner: float
    ) -> list[float]:
        free = max(inner - min(gap * (len(line) - 1), inner), 0.0)
        if sum(widths) <= free:
            maximums = [_value_or(_in_units(child.max_width, inner), math.inf) for child in line]
            return _grow(widths, [child.grow for child in line], maximums, free)
        return _shrink(
            widths,
            [min(self.min_width(child), width) for child, width in zip(line, widths, strict=True)],
            free,
        )

    # -- heights -----------------------------------------------------------------------------------

    def _grid_rows(self, box: LayoutBox, inner: float) -> list[Line]:
        """Return the rows of a grid. Each row contains the children whose first cell is in the
        row.
        """
        children = box.visible_children
        column, gap = _columns(box, inner)
        rows: list[Line] = [([], []) for _ in row_heights(box.cells, [0.0] * len(children), 0)]
        for child, cell in zip(children, box.cells, strict=True):
            free = column * cell.columns + gap * (cell.columns - 1)
            row_children, widths = rows[cell.row]
            row_children.append(child)
            widths.append(self._cross_width(child, free, box.align))
        return rows

    def height(self, box: LayoutBox, width: float) -> float:
        """Return the preferred height of a box that is ``width`` units wide."""
        cached = box._heights.get(width)
        if cached is not None:
            return cached
        self.visit(box)
        height = box.height
        if height is None or isinstance(height, Share):
            height = self.stacked(box, self.inner(box, width)) + box.padding[1] + box.padding[3]
        minimum = box.min_height
        maximum = box.max_height
        height = max(height, 0.0 if minimum is None or isinstance(minimum, Share) else minimum)
        result = float(
            min(height, math.inf if maximum is None or isinstance(maximum, Share) else maximum)
        )
        _cache_size(box, box._heights, width, result)
        return result

    def stacked(self, box: LayoutBox, inner: float) -> float:
        """Return the larger of two heights: the height of all children, and the height of the box's
        own content.
        """
        height = 0.0 if box.content is None else _size_of(box.content, inner)[1]
        lines = self.lines(box, inner)
        if lines:
            height = max(height, sum(self._line_heights(box, lines)) + box.gap * (len(lines) - 1))
        return height

    def _line_heights(self, box: LayoutBox, lines: list[Line]) -> list[float]:
        if not box.columns:
            return [self._line_height(*line) for line in lines]
        heights = [
            self.height(child, width) for line in lines for child, width in zip(*line, strict=True)
        ]
        return row_heights(box.cells, heights, box.gap)

    def _line_height(self, children: list[LayoutBox], widths: list[float]) -> float:
        return max(map(self.height, children, widths), default=0.0)

    def min_height(self, box: LayoutBox, width: float, least: float = 0.0) -> float:
        """Return the minimum height of a box, in units. In a lower box, part of the content would
        be cut off.

        A box that scrolls vertically can be lower than its content: its minimum height is its
        option ``min_height``, or ``least`` if the option is not set.
        """
        cached = box._min_heights.get((width, least))
        if cached is None:
            cached = self._compute_min_height(box, width, least)
            _cache_size(box, box._min_heights, (width, least), cached)
        return cached

    def _compute_min_height(self, box: LayoutBox, width: float, least: float) -> float:
        height = self.height(box, width)
        if box.height is not None or not box.children or hasattr(box.content, "places"):
            return height
        if box.scrolls and (box.columns or box.direction == "column"):
            minimum = least if box.min_height is None else box.min_height
            return min(height, 0.0 if isinstance(minimum, Share) else minimum)
        inner = self.inner(box, width)
        heights = self._min_line_heights(box, self.lines(box, inner), least)
        stacked = sum(heights) + box.gap * max(len(heights) - 1, 0)
        if box.content is not None:
            stacked = max(stacked, _size_of(box.content, inner)[1])
        return float(min(stacked + box.padding[1] + box.padding[3], height))

    def _min_line_heights(self, box: LayoutBox, lines: list[Line], least: float) -> list[float]:
        """Return the minimum height of each line of children in a box. See `min_height`."""
        heights = [
            [self.min_height(child, width, least) for child, width in zip(*line, strict=True)]
            for line in lines
        ]
        if box.columns:
            return row_heights(box.cells, [height for line in heights for height in line], box.gap)
        return [max(line, default=0.0) for line in heights]

    # -- places ------------------------------------------------------------------------------------

    def put(self, box: LayoutBox, x: float, y: float, width: float, height: float) -> None:
        """Set the rectangles of a box and all its descendants."""
        if box.x != x or box.y != y:
            self.visit(box)
            box.x = x
            box.y = y
            self.moved.append(box)
        if box._placed == (width, height):
            if box.stale:  # the box has the same size, but some of its children have changed
                box.stale = False
                for child in box.children:
                    if child.stale and child.shown:
                        self.put(child, child.x, child.y, child.w, child.h)
            return
        self.visit(box)
        if box.w != width or box.h != height or box.scrolls or box.slides:
            self.moved.append(box)
        box.w = width
        box.h = height
        box.stale = False
        place_children: Places | None = getattr(box.content, "places", None)
        if place_children is not None:
            self._place_freely(box, place_children)
        elif box.children or box.scrolls or box.slides:
            self._place_lines(box)
        else:
            box._placed = width, height
            box.extent = min(box.padding[1], height) + box.padding[3]
            box.extent_x = width
            box.offset = 0.0
            box.offset_x = 0.0

    def _place_lines(self, box: LayoutBox) -> None:
        """Set the rectangles of the children, line by line. The size of the box itself must already
        be set.
        """
        left, top, _, bottom = box.padding
        left = min(left, box.w)
        top = min(top, box.h)
        inner = self.inner(box, box.w)
        inner_height = max(box.h - top - bottom, 0.0)
        lines = self.lines(box, inner)
        heights = self._heights(box, lines, inner, inner_height)
        box.extent = sum(heights) + box.gap * max(len(heights) - 1, 0) + top + bottom
        box.extent_x = inner + box.padding[0] + box.padding[2] if box.slides else box.w
        _limit_offsets(box)
        box._placed = box.w, box.h
        gap = (
            box.gap
            if box.scrolls or len(heights) < 2
            else min(box.gap, inner_height / (len(heights) - 1))
        )
        justify = "start" if box.direction == "row" or box.columns else box.justify
        starts = _starts(heights, gap, inner_height, justify)
        if box.columns:
            self._put_cells(box, lines, left, top, inner, starts, heights)
            return
        for (children, widths), start, line_height in zip(lines, starts, heights, strict=True):
            self._put_line(box, children, widths, left, top + start, inner, line_height)

    def _place_freely(self, box: LayoutBox, method: Places) -> None:
        """Call ``method``, the widget's method ``places``, and set the rectangles of the children
        to the result.
        """
        children = box.visible_children
        box.extent = box.h
        box.extent_x = box.w
        box._placed = (box.w, box.h)
        widths = [self.width(child, box.w) for child in children]
        sizes = [
            (width, self.height(child, width))
            for child, width in zip(children, widths, strict=True)
        ]
        rectangles = _checked_rectangles(method(box.w, box.h, sizes), len(children))
        for child, rectangle in zip(children, rectangles, strict=True):
            self.put(child, *rectangle)

    def _heights(
        self, box: LayoutBox, lines: list[Line], inner: float, inner_height: float
    ) -> list[float]:
        """Return the final height of each line of children. ``inner_height`` is the height in units
        that all lines can use together.
        """
        stacks = box.direction == "column" and not box.columns
        shares = [self._shared_height(children, inner_height) for children, _ in lines]
        heights = self._line_heights(box, lines)
        preferred = [
            natural if share is None else share
            for natural, share in zip(heights, shares, strict=True)
        ]
        if stacks:
            preferred = [
                _limited_height(children[0], height, inner_height)
                for (children, _), height in zip(lines, preferred, strict=True)
            ]
        free = max(inner_height - min(box.gap * max(len(lines) - 1, 0), inner_height), 0.0)
        if sum(preferred) > free:
            return self._shrunk(box, lines, preferred, shares, free)
        if stacks:
            maximums = [
                _value_or(_in_units(children[0].max_height, inner_height), math.inf)
                for children, _ in lines
            ]
            return _grow(preferred, [children[0].grow for children, _ in lines], maximums, free)
        is_single_row = len(lines) == 1 and not box.wrap and not box.columns
        return [free] if is_single_row else preferred

    def _shrunk(
        self,
        box: LayoutBox,
        lines: list[Line],
        preferred: list[float],
        shares: list[float | None],
        free: float,
    ) -> list[float]:
        """Reduce the heights of lines until they need at most ``free`` units. First, make the boxes
        that scroll less high, down to `_MIN_SCROLLED`. If the lines are still too high, reduce the
        heights of all lines until they fit, unless ``box`` scrolls.
        """
        useful = _at_most(self._min_line_heights(box, lines, _MIN_SCROLLED), preferred)
        if box.scrolls:
            useful = [
                minimum if share is None else height
                for minimum, share, height in zip(useful, shares, preferred, strict=True)
            ]
        if sum(useful) <= free:
            return _shrink(preferred, useful, free)
        if box.scrolls:
            return useful
        return _shrink(useful, _at_most(self._min_line_heights(box, lines, 0.0), useful), free)

    def _shared_height(self, children: list[LayoutBox], inner_height: float) -> float | None:
        children = [child for child in children if child.span[1] == 1]
        shares = [
            child.height * inner_height for child in children if isinstance(child.height, Share)
        ]
        return min(max(shares), inner_height) if shares and len(shares) == len(children) else None

    def _put_line(
        self,
        box: LayoutBox,
        children: list[LayoutBox],
        widths: list[float],
        left: float,
        top: float,
        inner: float,
        line_height: float,
    ) -> None:
        if box.direction == "column":
            starts = [_aligned_start(inner, widths[0], box.align)]
        else:
            gap = min(box.gap, inner / max(len(children) - 1, 1))
            starts = _starts(widths, gap, inner, box.justify)
        for child, start, width in zip(children, starts, widths, strict=True):
            height = (
                self._child_height(box, child, width, line_height)
                if box.direction == "row"
                else line_height
            )
            self.put(
                child,
                left + start,
                top + _aligned_start(line_height, height, box.align),
                width,
                height,
            )

    def _child_height(
        self, box: LayoutBox, child: LayoutBox, width: float, available: float
    ) -> float:
        """Return the height of a child. ``available`` is the height of the child's line or grid
        cells.
        """
        stretched = box.align == "stretch" and child.height is None
        height = (
            _value_or(_in_units(child.height, available), available)
            if stretched or isinstance(child.height, Share)
            else (self.height(child, width))
        )
        return min(_limited_height(child, height, available), available)

    def _put_cells(
        self,
        box: LayoutBox,
        lines: list[Line],
        left: float,
        top: float,
        inner: float,
        starts: list[float],
        highs: list[float],
    ) -> None:
        column, gap = _columns(box, inner)
        children = [(child, width) for line in lines for child, width in zip(*line, strict=True)]
        for (child, width), cell in zip(children, box.cells, strict=True):
            last = cell.row + cell.rows - 1
            free = (
                column * cell.columns + gap * (cell.columns - 1),
                starts[last] + highs[last] - starts[cell.row],
            )
            height = self._child_height(box, child, width, free[1])
            x = left + cell.column * (column + gap) + _aligned_start(free[0], width, box.align)
            self.put(
                child,
                x,
                top + starts[cell.row] + _aligned_start(free[1], height, box.align),
                width,
                height,
            )


def layout(
    root: LayoutBox, width: float, height: float, moved: list[LayoutBox] | None = None
) -> int:
    """Compute the rectangles of ``root`` and all its descendants. Return the number of boxes that
    were computed.

    A box is computed only if it gets another size, or if the box or one of its descendants has
    changed. If the drawn position of a box has changed, append the box to ``moved``.
    """
    current = _Pass()
    current.refresh(root)
    current.put(root, root.x, root.y, width, height)
    if moved is not None:
        moved += current.moved
    return current.visited


def preferred(root: LayoutBox, width: float, height: float) -> tuple[float, float, int]:
    """Return the preferred width and height of a root, at most ``width`` × ``height``. The third
    value is the number of boxes that were computed.
    """
    current = _Pass()
    current.refresh(root)
    own_width = current.width(root, width)
    own_height = (
        _in_units(root.height, height)
        if isinstance(root.height, Share)
        else current.height(root, own_width)
    )
    maximum = _value_or(_in_units(root.max_height, height), math.inf)
    return own_width, min(_value_or(own_height, 0.0), maximum, height), current.visited


# -- numbers ---------------------------------------------------------------------------------------


def _columns(box: LayoutBox, inner: float) -> tuple[float, float]:
    """Return the width of each column of a grid, and the gap between columns."""
    gap = min(box.gap, inner / box.columns)
    return max((inner - gap * (box.columns - 1)) / box.columns, 0.0), gap


def _limit_offsets(box: LayoutBox) -> None:
    """Limit how far a box is scrolled to the size of its content."""
    box.offset = min(max(box.offset, 0.0), max(box.extent - box.h, 0.0)) if box.scrolls else 0.0
    box.offset_x = min(max(box.offset_x, 0.0), max(box.extent_x - box.w, 0.0))


def _size_of(content: Content, available: float) -> tuple[float, float]:
    size = content.size(available)
    try:
        width, height = size
        is_valid = 0 <= width < math.inf and 0 <= height < math.inf
    except (TypeError, ValueError):
        is_valid = False
    if not is_valid:
        name = f"{type(content).__name__}.size"
        raise wrong_value(name, "two numbers of at least 0, width and height in units", size)
    return float(width), float(height)


def _checked_rectangles(rectangles: Iterable[Iterable[object]], count: int) -> list[list[float]]:
    """Return the result of a widget's method ``places`` as lists of four floats. Raise `ValueError`
    unless the result contains one rectangle for each of the ``count`` children.
    """
    checked = [[number("places", value) for value in rectangle] for rectangle in rectangles]
    if len(checked) != count or any(
        len(rectangle) != 4 or min(rectangle[2:]) < 0 for rectangle in checked
    ):
        raise wrong_value("places", f"(x, y, width, height) for each of {count} children", checked)
    return checked


def _reads_children(content: Content | None) -> bool:
    """Return whether the layout of a box may change when its children change, even if no child has
    a new size. This is the case if the class of the widget has its own methods for the size or the
    layout.
    """
    if content is None:
        return False
    return hasattr(content, "places") or bool(getattr(content, "_has_own_size", True))


def _min_content_width(content: Content) -> float:
    return number(
        f"{type(content).__name__}.min_content_width", content.min_content_width(), least=0
    )


def _cache_size(box: LayoutBox, cache: dict[K, float], key: K, value: float) -> None:
    if len(cache) >= _MAX_CACHED:
        cache.clear()
        box._complete = False
    cache[key] = value


def _value_or(value: float | None, default: float) -> float:
    return default if value is None else value


def _in_units(value: Length, whole: float) -> float | None:
    if isinstance(value, Share):
        return float(value) * whole if math.isfinite(whole) else None
    return value


def _limited_height(box: LayoutBox, height: float, available: float) -> float:
    """Limit ``height`` to the minimum and maximum height of a box.

    A limit such as "50%" is a fraction of ``available``. If the maximum is smaller than the
    minimum, the maximum is used.
    """
    minimum = box.min_height
    maximum = box.max_height
    if minimum is maximum is None:
        return height
    if isinstance(minimum, Share):
        height = max(height, float(minimum) * available)
    return min(height, _value_or(_in_units(maximum, available), math.inf))


def _aligned_start(available: float, size: float, align: str) -> float:
    return (
        0.0
        if align in ("start", "stretch")
        else (available - size) * (0.5 if align == "center" else 1.0)
    )


def _starts(sizes: list[float], gap: float, available: float, justify: str) -> list[float]:
    """Return the start positions of the children in a line. ``available`` is the length of the
    whole line in units.
    """
    left = max(available - sum(sizes) - gap * max(len(sizes) - 1, 0), 0.0)
    start = left * {"start": 0.0, "center": 0.5, "end": 1.0, "between": 0.0}[justify]
    if justify == "between" and len(sizes) > 1:
        gap += left / (len(sizes) - 1)
    starts = []
    for size in sizes:
        starts.append(min(start, available) if size <= 0 else start)
        start += size + gap
    return starts


def _wrapped_lines(widths: list[float], gap: float, inner: float) -> Iterable[tuple[int, int]]:
    """Split a row of children into lines that are at most ``inner`` units wide. For each line,
    yield the index of the first child and the index after the last child.
    """
    start = 0
    used = 0.0
    for index, width in enumerate(widths):
        if index > start and used + gap + width > inner:
            yield start, index
            start = index
            used = width
        else:
            used += width + (gap if index > start else 0.0)
    yield start, len(widths)


def _grow(
    preferred: list[float], grows: list[float], maximums: list[float], free: float
) -> list[float]:
    """Divide the free space among the children, in proportion to their option ``grow``.

    The size of a child never exceeds its maximum.
    """
    sizes = preferred.copy()
    growing = [
        index for index, grow in enumerate(grows) if grow > 0 and sizes[index] < maximums[index]
    ]
    while growing:
        spare = free - sum(sizes)
        parts = sum(grows[index] for index in growing)
        if spare <= 0 or not parts:
            break
        full = [
            index
            for index in growing
            if sizes[index] + spare * grows[index] / parts >= maximums[index]
        ]
        if not full:
            for index in growing:
                sizes[index] += spare * grows[index] / parts
            break
        for index in full:
            sizes[index] = maximums[index]
        growing = [index for index in growing if index not in full]
    return sizes


def _at_most(sizes: list[float], limits: list[float]) -> list[float]:
    """Return a list with the smaller number of each pair (size, limit)."""
    return list(map(min, sizes, limits))


def _shrink(preferred: list[float], minimums: list[float], free: float) -> list[float]:
    """Reduce the sizes of children until their sum is ``free``. The part of each size above its
    minimum is reduced by the same percentage. If even the sum of the minimum sizes exceeds
    ``free``, they are reduced as well.
    """
    total_minimum = sum(minimums)
    if total_minimum >= free:
        return [size * free / total_minimum if total_minimum > 0 else 0.0 for size in minimums]
    spare = sum(preferred) - total_minimum
    share = (free - total_minimum) / spare
    return [
        minimum + (want - minimum) * share
        for want, minimum in zip(preferred, minimums, strict=True)
    ]
