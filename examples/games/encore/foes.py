"""Foes: walkers that turn at edges, and flyers that circle. Thumpers are machines."""

import numpy as np

from .maps import TILE, to_and_fro

PACE = 55  # speed of a walker in units per second
WIDE, HIGH = 140, 50  # size of a flyer's path in units


class Foes:
    """All walkers and flyers of a level."""

    def __init__(self, level, plan):
        self.level = level
        self.batch = level.foes
        self.paths = []  # of each walker: left end, right end
        cells = plan.cells("w").tolist()
        for column, row in cells:
            left = self.room(plan, column, row, -1)
            right = self.room(plan, column, row, 1)
            self.paths.append((left * TILE + 16, (right + 1) * TILE - 16))
        self.walkers = plan.centers("w") - (0, 2)
        self.flyers = plan.centers("f")
        self.time = 0.0
        self.restart()

    @staticmethod
    def room(plan, column, row, step):
        """Return the last column that a walker can reach in a direction."""
        while plan.mark(column + step, row) not in "#^ABC" and plan.mark(
            column + step, row - 1
        ) in ("#", "="):
            column += step
        return column

    def restart(self):
        """Bring all enemies back to their places."""
        batch = self.batch
        batch.clear()
        paths = np.reshape(self.paths, (-1, 2))
        walkers = batch.extend(len(self.walkers), position=self.walkers, path=paths)
        batch.play("crawl", walkers)
        batch.velocity[:, 0] = -PACE
        flyers = batch.extend(len(self.flyers), position=self.flyers, home=self.flyers, flies=True)
        batch.play("fly", flyers)

    def update(self, dt):
        batch = self.batch
        if not len(batch):
            return
        self.time += dt
        walks = ~batch.flies
        x = batch.position[:, 0] + batch.velocity[:, 0] * dt
        out = walks & ((x < batch.path[:, 0]) | (x > batch.path[:, 1]))
        batch.velocity[out, 0] *= -1
        x = np.where(walks, np.clip(x, batch.path[:, 0], batch.path[:, 1]), 0)
        batch.position[walks, 0] = x[walks]
        if batch.flies.any():
            home = batch.home[batch.flies]
            turns = 0.25 * self.time + home[:, 0] / 1000
            x, y = to_and_fro(turns) - 0.5, to_and_fro(2 * turns + 0.25) - 0.5
            batch.velocity[batch.flies, 0] = 0.5 - turns % 1
            batch.position[batch.flies] = home + np.column_stack([WIDE * x, HIGH * y])
        batch.flip[:, 0] = batch.velocity[:, 0] < 0

    def meet(self, hero):
        """Let the hero stomp on an enemy, or be hurt by one."""
        away = self.batch.position - hero.sprite.position
        for row in np.flatnonzero((np.abs(away) < (24, 34)).all(axis=1)).tolist():
            if hero.velocity[1] < 0 and away[row, 1] < -14:
                self.level.stomp(row)
            else:
                self.level.hurt()
            return
