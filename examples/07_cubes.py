"""In space: cubes that spin at ten ticks a second, drawn raw on the left and interpolated on the right.

Both halves are given the same poses. Up and down change the speed of time, space stops it, and the right arrow then
goes on by one tick.
"""

import numpy as np
import stopping

import framework as fw
from framework import quaternions

SIDES = (-4.1, 4.1)  # the middle of each half
PLACES = np.array([(2.4 * x, 2.4 * y, 0) for y in (-1, 0, 1) for x in (-1, 0, 1)])
COUNT = len(PLACES)


class Cubes(fw.Game):
    def setup(self):
        world = self.world
        world.camera.position = 0, 1.6, 10.6
        world.camera.look_at((0, -0.25, 0))
        world.sky, world.shadows = True, fw.Shadows(distance=40, cascades=1)
        world.sun_direction, world.sun_color = (0.35, 0.75, 0.75), (1.6, 1.4, 1.2)
        world.sky_color, world.ground_color = (0.07, 0.10, 0.26), (0.06, 0.04, 0.10)
        world.fog, world.fog_color = 0.012, (0.02, 0.025, 0.08)
        ground = fw.Material((0.05, 0.06, 0.13), roughness=0.4)
        floor = self.add(fw.MeshBatch(fw.Mesh.plane((120, 120)), 1, material=ground))
        floor.position[:] = 0, -4.2, 0
        wall = self.add(fw.MeshBatch(fw.Mesh.box((0.06, 8, 3)), 1, material=fw.Material((0.2, 0.22, 0.4))))
        wall.position[:] = 0, -0.3, 0

        mesh, paint = fw.Mesh.cube(1.25), fw.Material(roughness=0.35)
        self.halves = [
            self.add(fw.MeshBatch(mesh, COUNT, material=paint, motion=motion)) for motion in ("none", "interpolate")
        ]
        for half in self.halves:
            half.color[:, :3] = [(0.8, 0.03 + 0.2 * (n % 3), 0.04 + 0.3 * (n // 3)) for n in range(COUNT)]
            half.color[:, 0] -= 0.3 * (np.arange(COUNT) % 3)
        axes = self.random.normal(size=(COUNT, 3))
        self.axes = (axes / np.linalg.norm(axes, axis=1, keepdims=True)).astype(np.float32)
        self.pace = np.linspace(1.2, 4.5, COUNT)  # radians a second
        for x, how in ((240, "drawn raw"), (720, "interpolated")):
            self.labels.add(f"10 ticks a second, {how}", position=(x, 500), anchor=("center", "bottom"))
        words = stopping.words(self.timestep)
        self.state = self.labels.add(words, position=(480, 10), anchor=("center", "bottom"), color=(0.7, 0.73, 0.95))
        self.place(0)

    def update(self, dt):
        self.place(self.tick * dt)

    def place(self, time):
        """Turn each cube about its own axis, and have the rows swing to and fro."""
        turned = quaternions.from_vectors(self.axes * (self.pace * time)[:, None].astype(np.float32))
        swing = 0.35 * fw.exact.sin(1.8 * time + np.arange(COUNT) // 3)
        for half, middle in zip(self.halves, SIDES, strict=True):
            half.rotation[:] = turned
            half.position[:] = PLACES + np.array([middle, 0, 0])
            half.position[:, 0] += swing

    def on_key_press(self, symbol, modifiers):
        self.state.text = stopping.press(self.timestep, symbol)


if __name__ == "__main__":
    fw.run(Cubes, size=(960, 540), resolution=(960, 540), tick_rate=10, exact=True)
