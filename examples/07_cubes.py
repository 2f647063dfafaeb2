"""Cubes: cubes that spin in 3D at ten ticks a second, without interpolation and with it.

The cubes in both halves have the same poses. Up and down change the speed of time. Space pauses,
and then the right arrow runs one tick.
"""

import numpy as np
import stopping

import framework as fw
from framework import quaternions

SIDES = (-4.1, 4.1)  # x of the center of each half
PLACES = np.array([(2.4 * x, 2.4 * y, 0) for y in (-1, 0, 1) for x in (-1, 0, 1)])
COUNT = len(PLACES)
COLORS = (
    "#ef5d60",
    "#f6a04d",
    "#f7d154",
    "#c9516d",
    "#7fb069",
    "#4ecdc4",
    "#7d5ba6",
    "#4f86c6",
    "#6cc6e8",
)


class Cubes(fw.Game):
    def setup(self):
        world = self.world
        dusk = fw.srgb("#4b3f80")
        world.camera.position = (0, 2.6, 15)
        world.camera.fov = 0.72
        world.camera.look_at((0, -0.9, 0))
        world.sky = dusk
        world.fog = 0.034
        world.fog_color = dusk
        world.sun_direction = (0.45, 0.9, 0.6)
        world.sun_color = (1.9, 1.5, 1.15)
        world.sky_color = (0.16, 0.17, 0.36)
        world.ground_color = (0.20, 0.10, 0.16)
        world.shadows = fw.Shadows(distance=34, cascades=1, resolution=2048)
        floor = self.add(
            fw.MeshBatch(
                fw.Mesh.plane((200, 200)), 1, material=fw.Material("#5b4f93", roughness=0.75)
            )
        )
        floor.position[:] = 0, -4.4, 0
        cream = fw.Material("#f2dccb", roughness=0.8)
        stages = self.add(fw.MeshBatch(fw.Mesh.cylinder(3.5, 0.4, 96), 2, material=cream))
        stages.position[:] = [(middle, -4.2, -0.3) for middle in SIDES]

        mesh = fw.Mesh.cube(1.25)
        paint = fw.Material(roughness=0.3)
        self.halves = [
            self.add(fw.MeshBatch(mesh, COUNT, material=paint, motion=motion))
            for motion in ("none", "interpolate")
        ]
        for half in self.halves:
            half.color[:, :3] = [fw.srgb(color) for color in COLORS]
        axes = self.random.normal(size=(COUNT, 3))
        self.axes = (axes / np.linalg.norm(axes, axis=1, keepdims=True)).astype(np.float32)
        self.pace = np.linspace(1.2, 4.5, COUNT)  # radians per second
        for x, how in ((240, "drawn raw"), (720, "interpolated")):
            self.labels.add(
                f"10 ticks a second, {how}", position=(x, 500), anchor=("center", "bottom")
            )
        words = stopping.words(self.timestep)
        self.state = self.labels.add(
            words, position=(480, 10), anchor=("center", "bottom"), color=(0.9, 0.88, 1.0)
        )
        self.place(0)

    def update(self, dt):
        self.place(self.tick * dt)

    def place(self, time):
        """Turn each cube around its own axis, and swing the rows to and fro."""
        turned = quaternions.from_vectors(
            self.axes * (self.pace * time)[:, None].astype(np.float32)
        )
        swing = 0.35 * fw.exact.sin(1.8 * time + np.arange(COUNT) // 3)
        for half, middle in zip(self.halves, SIDES, strict=True):
            half.rotation[:] = turned
            half.position[:] = PLACES + np.array([middle, 0, 0])
            half.position[:, 0] += swing

    def on_key_press(self, symbol, modifiers):
        self.state.text = stopping.press(self.timestep, symbol)


if __name__ == "__main__":
    fw.run(Cubes, size=(960, 540), resolution=(960, 540), tick_rate=10, samples=4, exact=True)
