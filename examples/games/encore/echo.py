"""Echo: the hero winds back, and an echo plays again what was taken back.

`Memory` stores the path of the last seconds, one row per tick. While the player holds the echo
key, the hero goes back along this path. When the key is released, the `Echo` walks the rows that
were taken back. The echo presses plates, lures thumpers and carries the hero.
"""

import numpy as np

from framework import collide

SECONDS = 6  # that the hero remembers
TICKS = SECONDS * 60
BACK = 4  # ticks of the path that one tick takes back
LINGER = 120  # ticks in which the echo stands at the end of its path


class Memory:
    """The path of the hero: rows of x, y, direction and image, the newest last."""

    def __init__(self):
        self.rows = np.zeros((TICKS, 4))
        self.count = 0

    def add(self, *row):
        if self.count == TICKS:
            self.rows[:-1] = self.rows[1:]
            self.count -= 1
        self.rows[self.count] = row
        self.count += 1

    def take(self):
        """Remove the last rows and return them, the newest first."""
        first = max(self.count - BACK, 0)
        taken, self.count = self.rows[first : self.count][::-1].copy(), first
        return taken


class Echo:
    """A copy of the hero that walks a path once, stands a moment, and is gone."""

    def __init__(self, sprite, body):
        self.sprite, self.body = sprite, body
        self.path = np.zeros((0, 4))
        self.step = 0
        self.shift = np.zeros(2)  # movement in this tick
        sprite.visible = False

    @property
    def active(self):
        return self.step < len(self.path) + LINGER and len(self.path) > 0

    def begin(self, path):
        """Start to walk a path of rows, the oldest first."""
        self.path, self.step = path, 0
        self.sprite.teleport(tuple(path[0, :2]))

    def end(self):
        self.path, self.step = np.zeros((0, 4)), 0
        self.sprite.visible = False

    def update(self):
        self.sprite.visible = self.active
        if not self.active:
            return
        x, y, direction, image = self.path[min(self.step, len(self.path) - 1)].tolist()
        self.shift = np.subtract((x, y), self.sprite.position)
        self.sprite.position = x, y
        self.sprite.flip = direction < 0, False
        self.sprite.image = int(image)
        self.step += 1
        left = len(self.path) + LINGER - self.step
        self.sprite.alpha = 0.65 * min(1, left / 30)

    def boxes(self):
        """Return the top of the echo as a platform, or nothing."""
        if not self.active:
            return []
        return [collide.Boxes([self.sprite.position], self.body, [self.shift], one_way=True)]
