"""Maps: read the text files in the folder `levels`.

A file begins with lines such as `title: First steps`. After an empty line comes the map, with one
character for each tile:

    #  ground          @  start           w  walker, which turns at edges
    =  plank           !  checkpoint      f  flyer, which circles around its place
    ^  spikes          *  goal            t  thumper, which falls on whoever walks below
    ~  water           o  coin            ?  sign with the next `sign:` line
    s  secret
    h  lift that moves right over the - beside it
    v  lift that moves up over the : above it
    a  plate that opens the gate A (b opens B, c opens C)
"""

from pathlib import Path

import numpy as np

from framework import collide

TILE = 16  # units
LEVELS = sorted((Path(__file__).parent / "levels").glob("*.txt"))


def to_and_fro(turns):
    """Return a fraction that goes from 0 to 1 and back once for each turn, slowly at both ends."""
    share = 1 - abs(1 - 2 * (turns % 1))
    return share * share * (3 - 2 * share)


class Map:
    """The characters of one level, and the lines above them."""

    def __init__(self, number):
        head, _, rows = LEVELS[number].read_text(encoding="utf-8").strip("\n").partition("\n\n")
        self.signs, self.title, self.sky, self.music = [], "", "day", "calm"
        for line in head.splitlines():
            name, _, value = line.partition(": ")
            if name == "sign":
                self.signs.append(value)
            else:
                setattr(self, name, value)
        lines = rows.splitlines()
        width = max(map(len, lines))
        self.marks = np.array([list(line.ljust(width, ".")) for line in lines])
        self.height, self.width = self.marks.shape
        self.grid = collide.TileGrid(self.marks == "#", TILE, one_way=self.marks == "=")

    def cells(self, *marks):
        """Return the cells (column, row from the bottom) with one of these characters."""
        rows, columns = np.nonzero(np.isin(self.marks, marks))
        order = np.argsort(columns, kind="stable")
        return np.column_stack([columns, self.height - 1 - rows])[order]

    def centers(self, *marks):
        """Return the centers of the tiles with these characters, in units, from left to right."""
        return (self.cells(*marks) + 0.5) * TILE

    def mark(self, column, row):
        """Return the character of a cell. Above the map there is air, and beside it ground."""
        if row >= self.height:
            return "."
        inside = 0 <= column < self.width and row >= 0
        return str(self.marks[self.height - 1 - row, column]) if inside else "#"

    def reach(self, column, row, dx, dy, marks):
        """Return how many cells in a direction have one of these characters, without a gap."""
        count = 0
        while self.mark(column + dx * (count + 1), row + dy * (count + 1)) in marks:
            count += 1
        return count
