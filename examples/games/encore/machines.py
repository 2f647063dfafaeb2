"""Machines: lifts, gates and thumpers, which are boxes that move, and the plates of the gates."""

import numpy as np

from framework import collide

from .maps import TILE, to_and_fro

LIFT, GATE, THUMPER = range(3)
LIFT_SPEED, GATE_SPEED = 50, 180  # units per second
FALL, RISE, WAIT = 450, 40, 45  # speeds of a thumper, and its ticks on the ground
AIR = ".osf^wabc?!-:"  # the characters that a thumper can fall through


class Machines:
    """All moving boxes of a level: one row of arrays for each box."""

    def __init__(self, level, plan):
        rows = [*lifts(plan), *gates(plan), *thumpers(plan)]
        kinds, homes, sizes, aways, marks = zip(*rows, strict=True) if rows else ([],) * 5
        self.kind, self.marks = [*kinds], [*marks]
        self.home, self.size, self.away = (
            np.reshape(values, (-1, 2)).astype(float) for values in (homes, sizes, aways)
        )
        self.position, self.shift = self.home.copy(), np.zeros_like(self.home)
        self.share = [0.0] * len(rows)  # fraction of the way from `home` to `home + away`
        self.wait = [0] * len(rows)  # ticks on the ground; -1 while a thumper falls
        self.length = np.maximum(np.abs(self.away).sum(axis=1), 1).tolist()
        self.time = 0.0
        self.sprites = level.add(level.looks.machines(self))
        self.plates = plan.cells("a", "b", "c")
        self.plate_letters = [plan.mark(*cell).upper() for cell in self.plates.tolist()]
        self.opened = set()  # the letters of the plates that are pressed
        self.buttons = level.add(level.looks.plates(self))

    def boxes(self, point):
        """Return the boxes near a point, as walls that carry and push the hero."""
        near = (np.abs(self.position - point) < self.size / 2 + 2 * TILE).all(axis=1)
        if not near.any():
            return []
        return [collide.Boxes(self.position[near], self.size[near], self.shift[near])]

    def update(self, dt, bodies, sounds):
        """Move all boxes. `bodies` are the centers of the hero and the echo."""
        self.time += dt
        self.press(bodies, sounds)
        for row, kind in enumerate(self.kind):
            share, length = self.share[row], self.length[row]
            if kind == LIFT:
                share = to_and_fro(self.time * LIFT_SPEED / (2 * length))
            elif kind == GATE:
                way = 1 if self.marks[row] in self.opened else -1
                share += way * GATE_SPEED * dt / length
            else:
                share += self.thump(row, dt, bodies, sounds) * dt / length
            self.share[row] = min(max(share, 0.0), 1.0)
        position = self.home + self.away * np.reshape(self.share, (-1, 1))
        self.shift, self.position = position - self.position, position
        self.sprites.position = position

    def press(self, bodies, sounds):
        opened = set()
        for row, (x, y) in enumerate(self.buttons.position.tolist()):
            near = [abs(a - x) < TILE * 0.75 and abs(b - y) < TILE * 1.2 for a, b in bodies]
            self.buttons.scale[row, 1] = 0.4 if any(near) else 1.0
            if any(near):
                opened.add(self.plate_letters[row])
        if opened != self.opened:
            sounds.switch.play(volume=0.5, pitch=1.2 if opened else 0.8)
            self.opened = opened

    def thump(self, row, dt, bodies, sounds):
        """Return the speed of a thumper: it falls if a body is below, waits, and rises."""
        x, y = self.position[row].tolist()
        bottom = self.home[row, 1] + self.away[row, 1] - 2 * TILE
        if self.wait[row] > 0:
            self.wait[row] -= 1
            return 0
        if self.wait[row] < 0:
            if self.share[row] + FALL * dt / self.length[row] >= 1:
                self.wait[row] = WAIT
                sounds.explosion.play(volume=0.4, position=(x, y))
            return FALL
        below = [abs(a - x) < TILE * 1.4 and bottom < b < y for a, b in bodies]
        if self.share[row] == 0 and any(below):
            self.wait[row] = -1
        return -RISE


def lifts(plan):
    """Yield a row (kind, center, size, way, letter) for each lift of a map."""
    for column, row in plan.cells("h", "v").tolist():
        center = (column + 1) * TILE, (row + 0.75) * TILE
        if plan.mark(column, row) == "h":  # the marks also show the width of the lift
            way = (plan.reach(column, row, 1, 0, "-") - 1) * TILE, 0
        else:
            way = 0, plan.reach(column, row, 0, 1, ":") * TILE
        yield LIFT, center, (2 * TILE, TILE / 2), way, ""


def gates(plan):
    for column, row in plan.cells("A", "B", "C").tolist():
        letter = plan.mark(column, row)
        if plan.mark(column, row - 1) != letter:
            height = 1 + plan.reach(column, row, 0, 1, letter)
            center = (column + 0.5) * TILE, (row + height / 2) * TILE
            yield GATE, center, (TILE / 2, height * TILE), (0, -height * TILE), letter


def thumpers(plan):
    for column, row in plan.cells("t").tolist():
        depth = plan.reach(column, row, 0, -1, AIR) - 1
        center, size = ((column + 1) * TILE, row * TILE), (2 * TILE - 2, 2 * TILE)
        yield THUMPER, center, size, (0, -depth * TILE), ""
