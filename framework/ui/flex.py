"""Flexible boxes: who gets which part of a rectangle. Numbers only; x to the right, y **down** from
the top left.

The words are those of CSS (https://www.w3.org/TR/css-flexbox-1/), the rules are fewer: boxes lie in
a row or a column, or in a grid of columns of one width, of which a box may have several; what is
left over goes to those that grow. One rule is another: what cannot be met gives way, so that each
box lies within its parent, but for what is scrolled. An upper limit counts more than a lower one,
and a share of a size that follows from what is within is one of that. Widths are settled before
heights, so a text that wraps never makes a layout begin anew.

A box remembers what it was asked and what it answered. `Box.dirty` forgets that for a box and those
around it alone: a layout visits these, and whom they give another size.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol, TypeVar

from ..checks import Setting, choice, flag, nearest, number, whole, wrong_value
from .cells import Cells, Span, column_width, flowed, row_heights

ALIGNMENTS = ("start", "center", "end", "stretch")
JUSTIFICATIONS = ("start", "center", "end", "between")
DIRECTIONS = ("row", "column")
_MOST = 1e9
_DEEPEST = 100
_MOST_COLUMNS = 1000
_REMEMBERED = 8  # widths for which a box knows its answers

T = TypeVar("T")


class Content(Protocol):
    """What a box holds that has no boxes in it: a text, a picture."""

    def least(self) -> float:
        """The width below which it would have to be cut."""

    def size(self, available: float) -> tuple[float, float]:
        """Width and height, where so much width is available (which may be infinite)."""


class Share(float):
    """A part of what the parent has: ``Share(0.5)`` is "50%"."""


Length = float | Share | None


def length(name: str, value: object) -> Length:
    """A length in units, a share as in "50%", or None."""
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
    return number(name, value, least=0, most=_MOST)


def sides(name: str, value: object) -> tuple[float, float, float, float]:
    """Left, top, right, bottom: of one number, of two (x, y), or of four."""
    values: list[object] = list(value) if isinstance(value, tuple | list) else [value]
    if len(values) not in (1, 2, 4):
        raise wrong_value(name, "one number, two (x, y) or four (left, top, right, bottom)", value)
    left, top, right, bottom = ([number(name, one, least=0, most=_MOST) for one in values] * 4)[:4]
    return left, top, right, bottom


def spanned(name: str, value: object) -> Span:
    """Columns and rows: of one number, or of two."""
    values: Sequence[object] = value if isinstance(value, tuple | list) else (value, 1)
    if len(values) != 2:
        raise wrong_value(name, "columns, or (columns, rows)", value)
    columns, rows = (whole(name, one, 1, _MOST_COLUMNS) for one in values)
    return columns, rows


def _at_least_0(name: str, value: object) -> float:
    return number(name, value, least=0, most=_MOST)


def _column_count(name: str, value: object) -> int:
    return whole(name, value, 0, _MOST_COLUMNS)


def _one_of(choices: Sequence[str]) -> Callable[[str, object], str]:
    return lambda name, value: choice(name, value, choices)


class _Style(Setting[T]):
    """A setting that makes its box dirty when it changes."""

    def keep(self, thing: Box, value: T) -> None:
        before: object = getattr(thing, self.slot, self)
        if before != value:
            super().keep(thing, value)
            thing.dirty()


class _Columns(_Style[int]):
    def keep(self, thing: Box, value: int) -> None:
        for child in thing.children:
            _check_span(child.span, value)
        super().keep(thing, value)


class _Span(_Style[Span]):
    def keep(self, thing: Box, value: Span) -> None:
        if thing.parent is not None:
            _check_span(value, thing.parent.columns)
        super().keep(thing, value)


def _check_span(span: Span, columns: int) -> None:
    """Raise `ValueError` where a grid of so many columns cannot have it; 0 is no grid."""
    if not columns and span != (1, 1):
        raise ValueError(
            f"span: {span[0]} × {span[1]} cells are for what is in a grid, as of grid(columns=3)"
        )
    if span[0] > max(columns, 1):
        raise ValueError(f"span: {span[0]} columns are more than the {columns} of its grid")


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
"""What a box can be told."""


class Box:
    """A rectangle that has others in it, or a content.

    ``x``, ``y`` (from its parent's top left corner, y down), ``w``, ``h``: where the last `layout`
    put it.
    """

    __slots__ = (
        *(
            "_cells",
            "_floor",
            "_heights",
            "_lines",
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

    not_state = True  # it follows from what it is the box of, which makes it anew

    width = _Style(
        length, 'Units, a share of the parent\'s width ("50%"), or None for what it needs.'
    )
    height = _Style(length, "Units, a share of the parent's height, or None for what it needs.")
    min_width = _Style(length, "It is no narrower, where there is room.")
    max_width = _Style(length, "It is no wider.")
    min_height = _Style(length, "It is no lower, where there is room.")
    max_height = _Style(length, "It is no higher.")
    padding = _Style(sides, "Free units within it: left, top, right, bottom.")
    gap = _Style(_at_least_0, "Free units between its children.")
    grow = _Style(_at_least_0, "Its part of what its parent has left over.")
    align = _Style(
        _one_of(ALIGNMENTS),
        "Where children lie across: `ALIGNMENTS`.",
    )
    justify = _Style(_one_of(JUSTIFICATIONS), "Where they lie along.")
    direction = _Style(_one_of(DIRECTIONS), '"row" or "column".')
    columns = _Columns(_column_count, "Columns of a grid; 0 for none.")
    span = _Span(spanned, "Of the grid that it is in: so many columns, or columns and rows.")
    wrap = _Style(flag, "Whether a row goes on in another one below.")
    scrolls = _Style(flag, "Whether its children may be higher than it is.")
    slides = _Style(flag, "Whether its children may be wider than it is.")
    shown = _Style(flag, "Whether it takes any room.")

    def __init__(self, content: Content | None = None, **styles: object) -> None:
        self.parent: Box | None = None
        self.children: list[Box] = []
        self.content = content
        self.x = self.y = self.w = self.h = 0.0
        self.offset = self.offset_x = 0.0
        """By how much its children are scrolled up, and to the left."""
        self.extent = self.extent_x = 0.0
        """How high and wide its children are together, where they are scrolled."""
        self.stamp: object = None
        """The last layout that visited it."""
        self.stale = True
        """Whether something within it changed since."""
        self._forget()
        for slot, value in _DEFAULTS:
            setattr(self, slot, value)
        for name, value in styles.items():
            if name not in STYLES:
                raise TypeError(
                    f"box: it has no option {name!r}; the nearest are {nearest(name, STYLES)}"
                )
            setattr(self, name, value)

    def _forget(self) -> None:
        self.stale = True
        self._floor: float | None = None
        self._widths: dict[float, float] = {}
        self._heights: dict[float, float] = {}
        self._lines: tuple[float, list[Line]] | None = None
        self._cells: list[Cells] | None = None
        self._placed: tuple[float, float] | None = None

    def dirty(self) -> None:
        """It, or what it holds, is another."""
        box: Box | None = self
        while box is not None:
            box._forget()
            box = box.parent

    def add(self, child: Box, place: int | None = None) -> None:
        """Put a box into this one. Raises `ValueError` where it is in one already, or this one in
        it.
        """
        if child.parent is not None:
            raise ValueError("box: it is in a box already; remove it there first")
        _check_span(child.span, self.columns)
        above: Box | None = self
        depth = 0
        while above is not None:
            if above is child:
                raise ValueError("box: it cannot lie within itself")
            above, depth = above.parent, depth + 1
        depth += child.depth() if child.children else 0
        if depth > _DEEPEST:
            raise ValueError(f"box: there would be {depth} within each other, more than {_DEEPEST}")
        child.parent = self
        self.children.insert(len(self.children) if place is None else place, child)
        self.dirty()

    def depth(self) -> int:
        """How many boxes are within each other in it, at most."""
        found, row = 0, self.children
        while row:
            found, row = found + 1, [child for box in row for child in box.children]
        return found

    def remove(self, child: Box) -> None:
        """Take a box out again. Raises `ValueError` where it is not in this one."""
        if child.parent is not self:
            raise ValueError("box: it is not in this box")
        self.children.remove(child)
        child.parent = None
        self.dirty()

    @property
    def left(self) -> list[Box]:
        """The children that take room."""
        return [child for child in self.children if child.shown]

    @property
    def cells(self) -> list[Cells]:
        """Of a grid: those that each of the children that take room has."""
        if self._cells is None:
            self._cells = flowed((child.span for child in self.left), self.columns)
        return self._cells

    def place(self) -> tuple[float, float]:
        """Its top left corner, from that of the outermost box; what is scrolled is taken into
        account.
        """
        x, y, box = self.x, self.y, self.parent
        while box is not None:
            x, y, box = x + box.x - box.offset_x, y + box.y - box.offset, box.parent
        return x, y

    def walk(self) -> Iterator[Box]:
        """It, and all within."""
        yield self
        for child in self.children:
            yield from child.walk()


# Checked once, and not for each box.
def _default(name: str, value: object) -> tuple[str, object]:
    setting: Setting[object] = getattr(Box, name)
    return setting.slot, setting.check(name, value)


_DEFAULTS = [_default(name, value) for name, value in _STYLES.items()]

Line = tuple[list[Box], list[float]]
"""Children that lie beside each other, and their widths."""
Places = Callable[[float, float, list[tuple[float, float]]], Iterable[Iterable[float]]]
"""Lays out children: of a width, a height and the sizes that they would like to have, each one's
(x, y, width, height)."""


class _Pass:
    """One layout."""

    def __init__(self) -> None:
        self.visited = 0

    def visit(self, box: Box) -> None:
        if box.stamp is not self:
            box.stamp = self
            self.visited += 1

    # -- widths ------------------------------------------------------------------------------------

    def floor(self, box: Box) -> float:
        """The width below which something would be cut."""
        if box._floor is None:
            self.visit(box)
            if box.width is not None and not isinstance(box.width, Share):
                found = box.width
            elif box.slides:
                found = 0.0
            elif box.columns:
                each = column_width(box.cells, list(map(self.floor, box.left)), box.gap)
                found = each * box.columns + box.gap * (box.columns - 1)
            elif box.direction == "row" and not box.wrap:
                children = box.left
                found = sum(map(self.floor, children)) + box.gap * max(len(children) - 1, 0)
            else:
                found = max(map(self.floor, box.left), default=0.0)
            if box.content is not None:
                found = max(found, _least_of(box.content))
            if box.width is None or isinstance(box.width, Share):
                found += box.padding[0] + box.padding[2]
            least = box.min_width
            box._floor = found if least is None or isinstance(least, Share) else max(found, least)
        return box._floor

    def width(self, box: Box, available: float) -> float:
        """The width that it would like to have."""
        known = box._widths.get(available)
        if known is not None:
            return known
        self.visit(box)
        given, most, least = _resolved(box.width, available), box.max_width, box.min_width
        limit = (
            available if most is None else min(available, _or(_resolved(most, available), math.inf))
        )
        if given is None:
            padding = box.padding[0] + box.padding[2]
            given = self._natural(box, max(limit - padding, 0.0)) + padding
        if least is not None:
            given = max(given, _or(_resolved(least, available), 0.0))
        found = min(given, limit)
        _note(box._widths, available, found)
        return found

    def _natural(self, box: Box, inner: float) -> float:
        children = box.left
        found = 0.0 if box.content is None else _size_of(box.content, inner)[0]
        if not children:
            return found
        widths = [self.width(child, inner) for child in children]
        if box.columns:
            each = column_width(box.cells, widths, box.gap)
            return float(max(found, each * box.columns + box.gap * (box.columns - 1)))
        if box.direction == "row":
            return float(max(found, sum(widths) + box.gap * (len(widths) - 1)))
        return max(found, *widths)

    def inner(self, box: Box, width: float) -> float:
        """The width that its children have: where they slide, at least what they would like to
        have.
        """
        free = float(max(width - box.padding[0] - box.padding[2], 0.0))
        return max(free, min(self._natural(box, math.inf), _MOST)) if box.slides else free

    def lines(self, box: Box, inner: float) -> list[Line]:
        """The lines of children, each with their widths, where so much is free."""
        known = box._lines
        if known is not None and known[0] == inner:
            return known[1]
        found = self._found_lines(box, inner)
        box._lines = inner, found
        return found

    def _found_lines(self, box: Box, inner: float) -> list[Line]:
        children = box.left
        if box.columns:
            each, gap = _columns(box, inner)
            rows: list[Line] = [([], []) for _ in row_heights(box.cells, [0.0] * len(children), 0)]
            for child, cell in zip(children, box.cells, strict=True):
                free = each * cell.columns + gap * (cell.columns - 1)
                rows[cell.row][0].append(child)
                rows[cell.row][1].append(self._across(child, free, box.align))
            return rows
        if box.direction == "column":
            return [([child], [self._across(child, inner, box.align)]) for child in children]
        wanted = [self.width(child, inner) for child in children]
        ranges = _broken(wanted, box.gap, inner) if box.wrap else [(0, len(children))]
        return [
            (
                children[start:end],
                self._shared(children[start:end], wanted[start:end], box.gap, inner),
            )
            for start, end in ranges
            if end > start
        ]

    def _across(self, child: Box, inner: float, align: str) -> float:
        if align != "stretch" or child.width is not None:
            return self.width(child, inner)
        return min(inner, _or(_resolved(child.max_width, inner), math.inf))

    def _shared(
        self, line: list[Box], wanted: list[float], gap: float, inner: float
    ) -> list[float]:
        free = max(inner - min(gap * (len(line) - 1), inner), 0.0)
        if sum(wanted) <= free:
            most = [_or(_resolved(child.max_width, inner), math.inf) for child in line]
            return _grown(wanted, [child.grow for child in line], most, free)
        return _shrunk(
            wanted,
            [min(self.floor(child), want) for child, want in zip(line, wanted, strict=True)],
            free,
        )

    # -- heights -----------------------------------------------------------------------------------

    def height(self, box: Box, width: float) -> float:
        """The height that it needs at a width."""
        known = box._heights.get(width)
        if known is not None:
            return known
        self.visit(box)
        given = box.height
        if given is None or isinstance(given, Share):
            given = self.stacked(box, self.inner(box, width)) + box.padding[1] + box.padding[3]
        least, most = box.min_height, box.max_height
        given = max(given, 0.0 if least is None or isinstance(least, Share) else least)
        found = float(min(given, math.inf if most is None or isinstance(most, Share) else most))
        _note(box._heights, width, found)
        return found

    def stacked(self, box: Box, inner: float) -> float:
        """The height of what is in it."""
        found = 0.0 if box.content is None else _size_of(box.content, inner)[1]
        lines = self.lines(box, inner)
        if lines:
            found = max(found, sum(self._line_heights(box, lines)) + box.gap * (len(lines) - 1))
        return found

    def _line_heights(self, box: Box, lines: list[Line]) -> list[float]:
        if not box.columns:
            return [self._line_height(*line) for line in lines]
        heights = [
            self.height(child, width) for line in lines for child, width in zip(*line, strict=True)
        ]
        return row_heights(box.cells, heights, box.gap)

    def _line_height(self, children: list[Box], widths: list[float]) -> float:
        return max(map(self.height, children, widths), default=0.0)

    def least_height(self, box: Box, width: float) -> float:
        """The height below which something would be cut: of what scrolls, hardly any."""
        if box.scrolls:
            least = box.min_height
            wanted = self.height(box, width)
            low = 0.0 if least is None or isinstance(least, Share) else least
            return wanted if box.height is not None else min(wanted, low)
        if box.direction == "row" or box.columns or not box.children or box.height is not None:
            return self.height(box, width)
        lines = self.lines(box, self.inner(box, width))
        found = sum(self.least_height(line[0], widths[0]) for line, widths in lines) + box.gap * (
            len(lines) - 1
        )
        return float(min(found + box.padding[1] + box.padding[3], self.height(box, width)))

    # -- places ------------------------------------------------------------------------------------

    def put(self, box: Box, x: float, y: float, width: float, height: float) -> None:
        """Have it there, and what is in it."""
        if box.x != x or box.y != y:
            self.visit(box)
            box.x, box.y = x, y
        if box._placed == (width, height):
            return
        self.visit(box)
        box.w, box.h, box.stale = width, height, False
        places: Places | None = getattr(box.content, "places", None)
        if places is not None:
            self._put_freely(box, places)
            return
        left, top, _, bottom = box.padding
        left, top = min(left, width), min(top, height)
        if not (box.children or box.scrolls or box.slides):
            box._placed = width, height
            box.extent, box.extent_x, box.offset, box.offset_x = top + bottom, width, 0.0, 0.0
            return
        inner, room = self.inner(box, width), max(height - top - bottom, 0.0)
        lines = self.lines(box, inner)
        heights = self._heights(box, lines, inner, room)
        box.extent = sum(heights) + box.gap * max(len(heights) - 1, 0) + top + bottom
        box.offset = (
            min(max(box.offset, 0.0), max(box.extent - height, 0.0)) if box.scrolls else 0.0
        )
        box.extent_x = inner + box.padding[0] + box.padding[2] if box.slides else width
        box.offset_x = min(max(box.offset_x, 0.0), max(box.extent_x - width, 0.0))
        box._placed = width, height
        gap = (
            box.gap if box.scrolls or len(heights) < 2 else min(box.gap, room / (len(heights) - 1))
        )
        justify = "start" if box.direction == "row" or box.columns else box.justify
        starts = _along(heights, gap, room, justify)
        if box.columns:
            self._put_cells(box, lines, left, top, inner, starts, heights)
            return
        for (children, widths), start, high in zip(lines, starts, heights, strict=True):
            self._put_line(box, children, widths, left, top + start, inner, high)

    def _put_freely(self, box: Box, places: Places) -> None:
        """Have the children where their parent says."""
        children, box.extent, box.extent_x, box._placed = box.left, box.h, box.w, (box.w, box.h)
        widths = [self.width(child, box.w) for child in children]
        sizes = [
            (wide, self.height(child, wide)) for child, wide in zip(children, widths, strict=True)
        ]
        found = [[number("places", one) for one in place] for place in places(box.w, box.h, sizes)]
        if len(found) != len(children) or any(
            len(place) != 4 or min(place[2:]) < 0 for place in found
        ):
            raise wrong_value("places", f"(x, y, width, height) for each of {len(children)}", found)
        for child, place in zip(children, found, strict=True):
            self.put(child, *place)

    def _heights(self, box: Box, lines: list[Line], inner: float, room: float) -> list[float]:
        """Those of the lines."""
        shares = [self._share_of(children, room) for children, _ in lines]
        heights = self._line_heights(box, lines)
        wanted = [
            high if share is None else share for high, share in zip(heights, shares, strict=True)
        ]
        if box.direction == "column" and not box.columns:
            wanted = [
                _limited(children[0], want, room)
                for (children, _), want in zip(lines, wanted, strict=True)
            ]
        free = max(room - min(box.gap * max(len(lines) - 1, 0), room), 0.0)
        stacks = box.direction == "column" and not box.columns
        if sum(wanted) <= free:
            if not stacks:
                return [free] if len(lines) == 1 and not box.wrap and not box.columns else wanted
            most = [_or(_resolved(children[0].max_height, room), math.inf) for children, _ in lines]
            return _grown(wanted, [children[0].grow for children, _ in lines], most, free)
        if box.scrolls:
            return wanted
        least = [0.0] * len(lines)
        if stacks:
            each = zip(lines, wanted, strict=True)
            least = [
                min(self.least_height(children[0], widths[0]), want)
                for (children, widths), want in each
            ]
        return _shrunk(wanted, least, free)

    def _share_of(self, children: list[Box], room: float) -> float | None:
        children = [child for child in children if child.span[1] == 1]
        shares = [child.height * room for child in children if isinstance(child.height, Share)]
        return min(max(shares), room) if shares and len(shares) == len(children) else None

    def _put_line(
        self,
        box: Box,
        children: list[Box],
        widths: list[float],
        left: float,
        top: float,
        inner: float,
        high: float,
    ) -> None:
        if box.direction == "column":
            starts = [_aligned(inner, widths[0], box.align)]
        else:
            gap = min(box.gap, inner / max(len(children) - 1, 1))
            starts = _along(widths, gap, inner, box.justify)
        for child, start, wide in zip(children, starts, widths, strict=True):
            tall = self._tall(box, child, wide, high) if box.direction == "row" else high
            self.put(child, left + start, top + _aligned(high, tall, box.align), wide, tall)

    def _tall(self, box: Box, child: Box, wide: float, high: float) -> float:
        """The height of a child in a line, or in cells, of a height."""
        stretched = box.align == "stretch" and child.height is None
        own = (
            _or(_resolved(child.height, high), high)
            if stretched or isinstance(child.height, Share)
            else (self.height(child, wide))
        )
        return min(_limited(child, own, high), high)

    def _put_cells(
        self,
        box: Box,
        lines: list[Line],
        left: float,
        top: float,
        inner: float,
        starts: list[float],
        highs: list[float],
    ) -> None:
        each, gap = _columns(box, inner)
        children = [(child, wide) for line in lines for child, wide in zip(*line, strict=True)]
        for (child, wide), cell in zip(children, box.cells, strict=True):
            last = cell.row + cell.rows - 1
            free = (
                each * cell.columns + gap * (cell.columns - 1),
                starts[last] + highs[last] - starts[cell.row],
            )
            tall = self._tall(box, child, wide, free[1])
            x = left + cell.column * (each + gap) + _aligned(free[0], wide, box.align)
            self.put(
                child, x, top + starts[cell.row] + _aligned(free[1], tall, box.align), wide, tall
            )


def layout(root: Box, width: float, height: float) -> int:
    """Put the root and all within into ``width`` × ``height`` units. Returns how many boxes were
    visited: those that changed, those around them, and whose size is another by that."""
    current = _Pass()
    current.put(root, root.x, root.y, width, height)
    return current.visited


def preferred(root: Box, width: float, height: float) -> tuple[float, float, int]:
    """The size that it would like to have within so much room, and how many boxes were asked."""
    current = _Pass()
    wide = current.width(root, width)
    own = (
        _resolved(root.height, height)
        if isinstance(root.height, Share)
        else current.height(root, wide)
    )
    most = _or(_resolved(root.max_height, height), math.inf)
    return wide, min(_or(own, 0.0), most, height), current.visited


# -- numbers ---------------------------------------------------------------------------------------


def _columns(box: Box, inner: float) -> tuple[float, float]:
    """The width of a grid's columns, and what is free between them."""
    gap = min(box.gap, inner / box.columns)
    return max((inner - gap * (box.columns - 1)) / box.columns, 0.0), gap


def _size_of(content: Content, available: float) -> tuple[float, float]:
    found = content.size(available)
    try:
        wide, high = found
        fine = 0 <= wide < math.inf and 0 <= high < math.inf
    except (TypeError, ValueError):
        fine = False
    if not fine:
        name = f"{type(content).__name__}.size"
        raise wrong_value(name, "two numbers of at least 0, width and height in units", found)
    return float(wide), float(high)


def _least_of(content: Content) -> float:
    return number(f"{type(content).__name__}.least", content.least(), least=0)


def _note(known: dict[float, float], asked: float, found: float) -> None:
    if len(known) >= _REMEMBERED:
        known.clear()
    known[asked] = found


def _or(value: float | None, other: float) -> float:
    return other if value is None else value


def _resolved(value: Length, whole: float) -> float | None:
    if isinstance(value, Share):
        return float(value) * whole if math.isfinite(whole) else None
    return value


def _limited(box: Box, height: float, room: float) -> float:
    """The height, within the shares of the room that it has as limits; the upper one counts
    more.
    """
    least, most = box.min_height, box.max_height
    if least is most is None:
        return height
    if isinstance(least, Share):
        height = max(height, float(least) * room)
    return min(height, _or(_resolved(most, room), math.inf))


def _aligned(room: float, size: float, align: str) -> float:
    return (
        0.0
        if align in ("start", "stretch")
        else (room - size) * (0.5 if align == "center" else 1.0)
    )


def _along(sizes: list[float], gap: float, room: float, justify: str) -> list[float]:
    """Where each begins."""
    left = max(room - sum(sizes) - gap * max(len(sizes) - 1, 0), 0.0)
    start = left * {"start": 0.0, "center": 0.5, "end": 1.0, "between": 0.0}[justify]
    if justify == "between" and len(sizes) > 1:
        gap += left / (len(sizes) - 1)
    starts = []
    for size in sizes:
        starts.append(min(start, room) if size <= 0 else start)
        start += size + gap
    return starts


def _broken(wanted: list[float], gap: float, inner: float) -> Iterable[tuple[int, int]]:
    """The lines of a row that wraps, as (first, after the last)."""
    start, used = 0, 0.0
    for index, want in enumerate(wanted):
        if index > start and used + gap + want > inner:
            yield start, index
            start, used = index, want
        else:
            used += want + (gap if index > start else 0.0)
    yield start, len(wanted)


def _grown(wanted: list[float], grows: list[float], most: list[float], free: float) -> list[float]:
    """What is left over goes to those that grow, by their parts, none above its most."""
    sizes = wanted.copy()
    growing = [index for index, grow in enumerate(grows) if grow > 0 and sizes[index] < most[index]]
    while growing:
        left, parts = free - sum(sizes), sum(grows[index] for index in growing)
        if left <= 0 or not parts:
            break
        full = [
            index for index in growing if sizes[index] + left * grows[index] / parts >= most[index]
        ]
        if not full:
            for index in growing:
                sizes[index] += left * grows[index] / parts
            break
        for index in full:
            sizes[index] = most[index]
        growing = [index for index in growing if index not in full]
    return sizes


def _shrunk(wanted: list[float], least: list[float], free: float) -> list[float]:
    """What is too much is taken from what is above the least, by its parts; if that does not do,
    from all.
    """
    lowest = sum(least)
    if lowest >= free:
        return [size * free / lowest if lowest > 0 else 0.0 for size in least]
    spare = sum(wanted) - lowest
    part = (free - lowest) / spare
    return [low + (want - low) * part for want, low in zip(wanted, least, strict=True)]
