"""Foes: walkers that turn at edges, and flyers that circle. Thumpers are machines."""

import numpy as np

from .maps import TILE, to_and_fro

PACE = 28  # speed of a walker in units per second
WIDE = 70  # width of a flyer's path in units
HIGH = 25  # height of the path


class Foes:
    """All walkers and flyers of a level."""

    def __init__(self, level, plan):
        self.level = level
        self.walkers = level.add(level.looks.walkers())
        self.flyers = level.add(level.looks.flyers())
        self.walker_homes = plan.centers("w")
        self.flyer_homes = plan.centers("f")
        paths = []  # left end and right end of each walker's way
        for column, row in plan.cells("w").tolist():
            left, right = (self.room(plan, column, row, step) for step in (-1, 1))
            paths.append((left * TILE + 7, (right + 1) * TILE - 7))
        self.paths = np.reshape(paths, (-1, 2))
        self.time = 0.0
        self.restart()

    @staticmethod
    def room(plan, column, row, step):
        """Return the last column that a walker can reach in a direction."""
        while True:
            wall = plan.mark(column + step, row)
            floor = plan.mark(column + step, row - 1)
            if wall in "#^ABC" or floor not in "#=":
                return column
            column += step

    def restart(self):
        """Move all enemies back to their start positions."""
        self.walkers.clear()
        homes = self.walker_homes
        self.walkers.extend(len(homes), position=homes, path=self.paths, velocity=(-PACE, 0))
        self.walkers.play("walk")
        self.flyers.clear()
        homes = self.flyer_homes
        self.flyers.extend(len(homes), position=homes, home=homes)
        self.flyers.play("walk")

    def update(self, dt):
        self.time += dt
        walkers = self.walkers
        flyers = self.flyers
        if len(walkers):
            ends = walkers.path
            x = walkers.position[:, 0] + walkers.velocity[:, 0] * dt
            walkers.velocity[(x < ends[:, 0]) | (x > ends[:, 1]), 0] *= -1
            walkers.position[:, 0] = np.clip(x, ends[:, 0], ends[:, 1])
            walkers.flip[:, 0] = walkers.velocity[:, 0] < 0
        if len(flyers):
            turns = 0.25 * self.time + flyers.home[:, 0] / 500
            x = to_and_fro(turns) - 0.5
            y = to_and_fro(2 * turns + 0.25) - 0.5
            flyers.position = flyers.home + np.column_stack([WIDE * x, HIGH * y])
            flyers.flip[:, 0] = turns % 1 > 0.5

    def meet(self, hero):
        """Let the hero stomp on an enemy, or let an enemy hurt the hero."""
        for batch in (self.walkers, self.flyers):
            away = batch.position - hero.sprite.position
            for row in np.flatnonzero((np.abs(away) < (11, 14)).all(axis=1)).tolist():
                if hero.velocity[1] < 0 and away[row, 1] < -5:
                    self.level.stomp(batch[row])
                else:
                    self.level.hurt()
                return
