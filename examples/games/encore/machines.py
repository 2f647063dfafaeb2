"""Machines: lifts, gates and thumpers, which are boxes that move, and the plates of the gates."""

import numpy as np

from framework import collide
from .maps import TILE, to_and_fro

LIFT, GATE, THUMPER = range(3)
LIFT_SPEED = 50  # units per second
GATE_SPEED = 180
FALL, RISE = 450, 40  # speeds of a thumper
WAIT = 45  # ticks that a thumper stays on the ground


class Machines:
    """All moving boxes of a level: one row of arrays for each box."""

    def __init__(self, level, plan):
        rows = []  # kind, center, size, travel, letter
        for column, row in plan.cells("h", "v").tolist():
            across = plan.mark(column, row) == "h"
            count = plan.reach(column, row, across, not across, "-" if across else ":")
            count -= across  # the marks beside a lift also show its own width
            center = ((column + 1) * TILE, (row + 0.75) * TILE)
            away = np.multiply((across, not across), count * TILE)
            rows.append((LIFT, center, (2 * TILE, TILE / 2), away, ""))
        for letter in "ABC":
            for column, row in plan.cells(letter).tolist():
                if plan.mark(column, row - 1) != letter:
                    height = 1 + plan.reach(column, row, 0, 1, letter)
                    center = ((column + 0.5) * TILE, (row + height / 2) * TILE)
                    size = (TILE / 2, height * TILE)
                    rows.append((GATE, center, size, (0, -height * TILE), letter))
        for column, row in plan.cells("t").tolist():
            depth = plan.reach(column, row, 0, -1, ".osf^wabc?!-:") - 1
            center = ((column + 1) * TILE, row * TILE)
            size = (2 * TILE - 2, 2 * TILE)
            rows.append((THUMPER, center, size, (0, -depth * TILE), ""))
        kinds, homes, sizes, aways, self.letters = zip(*rows, strict=True) if rows else ([],) * 5
        self.kind = np.array(kinds, int)
        self.home = np.reshape(homes, (-1, 2)).astype(float)
        self.size = np.reshape(sizes, (-1, 2)).astype(float)
        self.away = np.reshape(aways, (-1, 2)).astype(float)
        self.position, self.shift = self.home.copy(), np.zeros_like(self.home)
        self.share = np.zeros(len(rows))  # of the travel, from 0 to 1
        self.wait = np.zeros(len(rows), int)
        self.length = np.maximum(np.abs(self.away).sum(axis=1), 1)
        self.time = 0.0
        self.sprites = level.add(level.looks.machines(self))
        self.plates = plan.cells("a", "b", "c")
        self.plate_letters = [plan.mark(*cell).upper() for cell in self.plates.tolist()]
        self.pressed = np.zeros(len(self.plates), bool)
        self.buttons = level.add(level.looks.plates(self))

    def boxes(self):
        return [collide.Boxes(self.position, self.size, self.shift)] if len(self.kind) else []

    def update(self, dt, bodies, sounds):
        """Move all boxes. `bodies` are the centers of the hero and the echo."""
        self.time += dt
        self.press(bodies, sounds)
        if not len(self.kind):
            return
        lifts, gates = self.kind == LIFT, self.kind == GATE
        self.share[lifts] = to_and_fro(self.time * LIFT_SPEED / (2 * self.length[lifts]))
        opened = [
            letter for letter, down in zip(self.plate_letters, self.pressed, strict=True) if down
        ]
        goal = np.where(np.isin(self.letters, opened), 1, -1)[gates]
        self.share[gates] += goal * GATE_SPEED * dt / self.length[gates]
        for row in np.flatnonzero(self.kind == THUMPER).tolist():
            self.thump(row, dt, bodies, sounds)
        self.share = np.clip(self.share, 0, 1)
        position = self.home + self.away * self.share[:, None]
        self.shift, self.position = position - self.position, position
        self.sprites.position = position

    def press(self, bodies, sounds):
        centers = (self.plates + (0.5, 0.25)) * TILE
        away = np.abs(centers[:, None] - bodies[None])
        pressed = (away < (TILE * 0.75, TILE)).all(axis=2).any(axis=1)
        if (pressed != self.pressed).any():
            sounds.switch.play(volume=0.5, pitch=1.2 if pressed.sum() > self.pressed.sum() else 0.8)
            self.pressed = pressed
            self.buttons.scale[:, 1] = np.where(pressed, 0.4, 1.0)

    def thump(self, row, dt, bodies, sounds):
        """Let a thumper fall if a body is below, wait on the ground, and rise."""
        x, y = self.position[row]
        below = (np.abs(bodies[:, 0] - x) < TILE * 1.4) & (bodies[:, 1] < y)
        near = bodies[:, 1] > self.home[row, 1] + self.away[row, 1] - 2 * TILE
        falling = self.wait[row] < 0
        if self.wait[row] > 0:
            self.wait[row] -= 1
        elif falling:
            self.share[row] += FALL * dt / self.length[row]
            if self.share[row] >= 1:
                self.wait[row] = WAIT
                sounds.explosion.play(volume=0.5, position=(x, y))
        elif self.share[row] == 0 and (below & near).any():
            self.wait[row] = -1
        else:
            self.share[row] -= RISE * dt / self.length[row]
