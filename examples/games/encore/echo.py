"""Echo: when the hero goes back in time, an echo replays the path that the hero went back.

`Memory` stores the path of the last seconds, one row per tick. While the player is holding the echo
key, the hero goes back along this path. Then the `Echo` walks forward along the same rows. The echo
presses plates, lures thumpers, and carries the hero on its head.
"""

import numpy as np

from framework import collide

TICKS = 6 * 60  # length of the path that the hero remembers
BACK = 4  # ticks of the path that the hero goes back in one tick
LINGER = 120  # ticks in which the echo stands at the end of its path


class Memory:
    """The path of the hero: rows of x, y, direction and image, the newest last."""

    def __init__(self):
        self.rows, self.count = np.zeros((TICKS, 4)), 0

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
    """A copy of the hero that walks a path once, stands for a moment, and disappears."""

    def __init__(self, sprite, body):
        self.sprite, self.body = sprite, body
        self.end()

    def begin(self, path):
        """Start to walk along the rows of a path, the oldest first."""
        self.path, self.left = path, len(path) + LINGER  # ticks until the echo disappears
        self.sprite.teleport(tuple(path[0, :2]))

    def end(self):
        self.path, self.left = np.zeros((0, 4)), 0
        self.shift = np.zeros(2)  # how far the echo moves in this tick
        self.sprite.visible = False

    def update(self):
        self.sprite.visible = self.left > 0
        if not self.left:
            return
        step = min(len(self.path) + LINGER - self.left, len(self.path) - 1)
        x, y, direction, image = self.path[step].tolist()
        self.left -= 1
        self.shift = np.subtract((x, y), self.sprite.position)
        self.sprite.position, self.sprite.image = (x, y), int(image)
        self.sprite.flip = direction < 0, False
        self.sprite.alpha = 0.65 * min(1, self.left / 30)

    def boxes(self):
        """Return the top of the echo as a platform, or nothing."""
        if not self.left:
            return []
        return [collide.Boxes([self.sprite.position], self.body, [self.shift], one_way=True)]
