"""Sprites: thousands of small creatures that jump, moved by a few NumPy calls in each tick.

Hold the left mouse button to add creatures, and the right button to remove some.
"""

import time

import numpy as np

import framework as fw

START = 5_000
GRAVITY = 900
POURED = 50  # creatures added per tick while the button is down


class Sprites(fw.Game):
    not_state = (
        "fps",
        "counted",
        "counter",
    )  # the times of frames differ in each run

    def setup(self):
        sky = np.linspace((0.16, 0.14, 0.36), (0.93, 0.56, 0.52), 64)[:, None]
        self.sprites.add(sky, position=(480, 270), scale=(960, 540 / 64))
        self.puffs = self.add(fw.SpriteBatch(fw.sheet("art/puffs.png", (32, 32), columns=6)))
        self.speed = np.empty((0, 2))
        self.pour(START, self.random.uniform((0, 0), self.size, (START, 2)))
        self.counter = self.labels.add(f"{START:,} sprites", position=(16, 504))
        self.labels.add(
            "hold the mouse button for more", position=(944, 504), anchor=("right", "bottom")
        )
        self.fps = 60.0
        self.counted = (0, time.perf_counter())

    def pour(self, count, position):
        near = np.sort(self.random.uniform(0.4, 1, (count, 1)), axis=0)
        rows = self.puffs.extend(count, position=position, scale=near)
        self.puffs.image[rows] = self.random.integers(6, size=count)
        self.puffs.color[rows, :3] = 0.4 + 0.6 * near  # small creatures look far away and dim
        speed = self.random.normal((0, 120), (110, 160), (count, 2))
        self.speed = np.concatenate([self.speed, speed])

    def update(self, dt):
        if self.mouse["left"]:
            self.pour(POURED, self.random.normal(self.mouse.position, 8, (POURED, 2)))
        if self.mouse["right"]:
            self.puffs.remove(slice(-POURED, None))
            self.speed = self.speed[: len(self.puffs)]
        position = self.puffs.position
        speed = self.speed
        speed[:, 1] -= GRAVITY * dt
        position += speed * dt
        self.puffs.angle = speed[:, 0] * -0.002
        landed = position[:, 1] < 14
        position[landed, 1] = 14
        speed[landed, 1] = 200 + 720 * self.random.uniform(size=landed.sum()) ** 2
        beyond = (position[:, 0] < 12) | (position[:, 0] > self.width - 12)
        speed[beyond, 0] *= -1
        position[beyond, 0] = position[beyond, 0].clip(12, self.width - 12)
        self.puffs.flip[:, 0] = speed[:, 0] < 0

    def draw(self, alpha):
        frames, since = self.counted
        if (now := time.perf_counter()) - since > 0.5:
            self.fps = (self.debug.frames - frames) / (now - since)
            self.counted = (self.debug.frames, now)
        rate = "60 ticks a second" if self.display.headless else f"{self.fps:.0f} frames a second"
        self.counter.text = f"{len(self.puffs):,} sprites, {rate}"


if __name__ == "__main__":
    fw.run(Sprites, size=(960, 540), resolution=(960, 540))
