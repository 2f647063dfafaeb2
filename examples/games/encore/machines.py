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
        kinds, homes, sizes, aways, self.letters = zip(*rows, strict=True) if rows else ([],) * 5
        self.kind = np.array(kinds, int)
        self.home, self.size, self.away = (
            np.reshape(values, (-1, 2)).astype(float) for values in (homes, sizes, aways)
        )
        self.position, self.shift = self.home.copy(), np.zeros_like(self.home)
        self.share = np.zeros(len(rows))  # of the way from `home` to `home + away`
        self.wait = np.zeros(len(rows), int)  # ticks on the ground; -1 is a thumper that falls
        self.length = np.maximum(np.abs(self.away).sum(axis=1), 1)
        self.time = 0.0
        self.sprites = level.add(level.looks.machines(self))
        self.plates = plan.cells("a", "b", "c")
        self.plate_letters = [plan.mark(*cell).upper() for cell in self.plates.tolist()]
        self.pressed = np.zeros(len(self.plates), bool)
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
        if not len(self.kind):
            return
        lifts, gates = self.kind == LIFT, self.kind == GATE
        self.share[lifts] = to_and_fro(self.time * LIFT_SPEED / (2 * self.length[lifts]))
        opened = [self.plate_letters[plate] for plate in np.flatnonzero(self.pressed)]
        ways = np.where(np.isin(self.letters, opened), 1, -1)[gates]
        self.share[gates] += ways * GATE_SPEED * dt / self.length[gates]
        for row in np.flatnonzero(self.kind == THUMPER).tolist():
            self.thump(row, dt, bodies, sounds)
        self.share = np.clip(self.share, 0, 1)
        position = self.home + self.away * self.share[:, None]
        self.shift, self.position = position - self.position, position
        self.sprites.position = position

    def press(self, bodies, sounds):
        centers = (self.plates + (0.5, 0.25)) * TILE
        near = np.abs(centers[:, None] - bodies[None]) < (TILE * 0.75, TILE)
        pressed = near.all(axis=2).any(axis=1)
        if (pressed != self.pressed).any():
            sounds.switch.play(volume=0.5, pitch=1.2 if pressed.any() else 0.8)
            self.pressed = pressed
            self.buttons.scale[:, 1] = np.where(pressed, 0.4, 1.0)

    def thump(self, row, dt, bodies, sounds):
        """Let a thumper fall if a body is below, wait on the ground, and rise."""
        x, y = self.position[row].tolist()
        bottom = self.home[row, 1] + self.away[row, 1] - 2 * TILE
        below = (bodies[:, 1] < y) & (bodies[:, 1] > bottom)
        if self.wait[row] > 0:
            self.wait[row] -= 1
        elif self.wait[row] < 0:
            self.share[row] += FALL * dt / self.length[row]
            if self.share[row] >= 1:
                self.wait[row] = WAIT
                sounds.explosion.play(volume=0.4, position=(x, y))
        elif self.share[row] == 0 and (below & (np.abs(bodies[:, 0] - x) < TILE * 1.4)).any():
            self.wait[row] = -1
        else:
            self.share[row] -= RISE * dt / self.length[row]


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
