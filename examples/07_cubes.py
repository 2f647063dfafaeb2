"""In space: cubes that spin at ten ticks a second, drawn raw on the left and interpolated on the right.

Both halves are given the same poses. Up and down change the speed of time, space stops it, and the right arrow then
goes on by one tick.
"""

import math

import numpy as np

import framework as fw
from framework import quaternions

ROWS, COLUMNS = 3, 3
SIDES = (-4.1, 4.1)  # the middle of each half


class Cubes(fw.Game):
    def setup(self):
        self.background = (0.05, 0.06, 0.10)
        count = ROWS * COLUMNS
        places = [(2.4 * x, 2.4 * y, 0) for y in (-1, 0, 1) for x in (-1, 0, 1)]
        mesh = fw.Mesh.cube(1.25)
        self.halves = [self.add(fw.MeshBatch(mesh, count, motion=motion)) for motion in ("none", "interpolate")]
        for half, middle in zip(self.halves, SIDES, strict=True):
            half.position[:] = places
            half.position[:, 0] += middle
            half.color[:, :3] = [(0.95 - 0.08 * n, 0.3 + 0.22 * (n % 3), 0.25 + 0.2 * (n // 3)) for n in range(count)]
        axes = self.random.normal(size=(count, 3))
        self.axes = (axes / np.linalg.norm(axes, axis=1, keepdims=True)).astype(np.float32)
        self.pace = np.linspace(1.2, 4.5, count)  # radians a second
        self.world.camera.position = 0, 0, 9.5
        for x, how in ((240, "drawn raw"), (720, "interpolated")):
            self.labels.add(f"10 ticks a second, {how}", position=(x, 500), anchor=("center", "bottom"))
        self.state = self.labels.add("time", position=(480, 10), anchor=("center", "bottom"), color=(0.7, 0.73, 0.95))
        self.place(0)
        self.tell()

    def update(self, dt):
        self.place(self.tick * dt)

    def place(self, time):
        """Turn each cube about its own axis, and have the rows swing to and fro."""
        turned = quaternions.from_vectors(self.axes * (self.pace * time)[:, None].astype(np.float32))
        for half, middle in zip(self.halves, SIDES, strict=True):
            half.rotation[:] = turned
            half.position[:, 0] = [
                middle + 2.4 * (row % 3 - 1) + 0.35 * math.sin(1.8 * time + row // 3) for row in range(ROWS * COLUMNS)
            ]

    def on_key_press(self, symbol, modifiers):
        time = self.timestep
        if symbol == fw.key.SPACE:
            time.paused = not time.paused
        elif symbol == fw.key.RIGHT and time.paused:
            time.step()
        elif symbol in (fw.key.UP, fw.key.DOWN):
            time.time_scale = min(max(time.time_scale * (2 if symbol == fw.key.UP else 0.5), 1 / 16), 4)
        self.tell()

    def tell(self):
        pace = "stopped" if self.timestep.paused else f"time runs at {self.timestep.time_scale:g}x"
        self.state.text = f"{pace}   (up, down, space, right)"


if __name__ == "__main__":
    fw.run(Cubes, size=(960, 540), resolution=(960, 540), tick_rate=10)
