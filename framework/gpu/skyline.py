"""Find a free place for each image in a texture atlas (skyline packing).

The algorithm is the "bottom-left skyline" from Jukka Jylänki, "A Thousand Ways to Pack the Bin"
(2010). A skyline is a list of the upper edges of all placed rectangles. With it, placing a thousand
images takes as little time as copying their pixels. This module does not use OpenGL.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right


class Skyline:
    """The upper edges of all placed rectangles in an area of ``width`` × ``height``, with y
    pointing up.
    """

    def __init__(self, width: int, height: int) -> None:
        self._height = height
        # Step i extends from edge i to the next edge. The area below the top of a step is occupied.
        self._edges = [
            0,
            width,
        ]
        self._tops = [0]

    def place(self, width: int, height: int) -> tuple[int, int] | None:
        """Find a position for a rectangle, and return its lower left corner (x, y). If the area has
        no room, return None and change nothing.
        """
        edges = self._edges
        tops = self._tops
        last = edges[-1] - width
        lowest = self._height - height
        best = None
        for step, edge in enumerate(edges):
            # Try two positions, with the left side at the edge and with the right side at the edge.
            for x in (edge, edge - width):
                if not 0 <= x <= last:
                    continue
                first = step if x == edge else bisect_right(edges, x) - 1
                if tops[first] > lowest:
                    continue
                y = max(tops[first : bisect_left(edges, x + width)])
                if y < lowest or (y == lowest and (best is None or x < best)):
                    lowest = y
                    best = x
        if best is None:
            return None
        self._raise(best, best + width, lowest + height)
        return best, lowest

    def _raise(self, left: int, right: int, top: int) -> None:
        edges = self._edges
        tops = self._tops
        first = bisect_right(edges, left) - 1
        last = bisect_left(edges, right) - 1
        steps = [(left, top)]
        if edges[first] < left:
            steps.insert(0, (edges[first], tops[first]))
        if right < edges[last + 1]:
            steps.append((right, tops[last]))
        edges[first : last + 1] = [edge for edge, _ in steps]
        tops[first : last + 1] = [top for _, top in steps]
        for step in range(min(first + len(steps), len(tops) - 1), max(first, 1) - 1, -1):
            if (
                tops[step] == tops[step - 1]
            ):  # join the step with its left neighbor of the same height
                del edges[step], tops[step]
