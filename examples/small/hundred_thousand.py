"""Sprites: move 100,000 sprites with NumPy, in one draw call."""

import numpy as np

import framework as fw

COUNT = 100_000


class HundredThousand(fw.Game):
    def setup(self):
        self.background = "#040410"
        dot = np.full((2, 2, 4), 255, np.uint8)
        self.stars = self.add(fw.SpriteBatch(dot, COUNT, blend="add"))
        self.radius = 12 + 400 * self.random.uniform(0, 1, COUNT) ** 1.5
        arm = self.random.integers(0, 4, COUNT) * np.pi / 2
        self.angle = arm + self.radius / 110 + self.random.normal(0, 0.25, COUNT)
        warm = np.clip(1.2 - self.radius / 250, 0, 1)
        self.stars.color[:] = np.column_stack(
            [0.4 + 0.6 * warm, 0.5 + 0.2 * warm, 1 - 0.5 * warm, 0.5 + 0 * warm]
        )
        self.labels.add(f"{COUNT:,} sprites. Hold the mouse button: faster.", (10, 10))

    def update(self, dt):
        speed = 4 if self.mouse["left"] else 1
        self.angle += speed * 25 * dt / (40 + self.radius)
        up = np.sin(self.angle)
        right = np.cos(self.angle)
        self.stars.position[:, 0] = 480 + self.radius * right
        self.stars.position[:, 1] = 270 + 0.6 * self.radius * up


if __name__ == "__main__":
    fw.run(HundredThousand, resolution=(960, 540))
