"""The picture of docs/light.md: spheres from smooth to rough, of red paint and of gold, and rings
of polished steel.

framework run docs/pictures/light.py --headless --frames 2 --screenshot docs/pictures/light.png
"""

import colorsys
import math

import numpy as np

import framework as fw

CHECKS = np.zeros((2, 2, 4), np.uint8)
CHECKS[[0, 1], [0, 1]], CHECKS[[0, 1], [1, 0]] = (150, 160, 166, 255), (88, 102, 114, 255)
HUES = np.linspace(0.48, 0.86, 19)  # of the wall, from right to left


class Light(fw.Game):
    def setup(self):
        world = self.world
        world.camera.position, world.camera.fov = (0, 5.2, 13), 0.62
        world.camera.look_at((0, 1.5, 0))
        world.sky, world.fog, world.sun_color = True, 0.008, (2.5, 2.35, 2.1)
        world.sun_direction = (0.5, 0.8, 0.75)
        world.shadows = fw.Shadows(distance=30, cascades=2, resolution=2048)
        floor = fw.Material(
            base_texture=fw.Texture(CHECKS, scale=(80, 80), filter="nearest"), roughness=0.8
        )
        self.add(fw.MeshBatch(fw.Mesh.plane((240, 240)), 1, material=floor))
        ball = fw.Mesh.sphere(0.72, 64)
        for x, roughness in zip(np.linspace(-5, 5, 7), np.linspace(0.02, 1, 7), strict=True):
            self.place(ball, (x, 0.72, 2.4), fw.Material("#d8281f", roughness=roughness))
            self.place(
                ball, (x, 0.72, -0.2), fw.Material((1, 0.77, 0.34), metallic=1, roughness=roughness)
            )
        for x, roughness in ((-2.9, 0.15), (0, 0.25), (2.9, 0.35)):
            steel = fw.Material((0.9, 0.92, 0.95), metallic=1, roughness=roughness)
            ring = self.place(fw.Mesh.torus(0.75, 0.26, 64), (x, 3.2, -1.5), steel)
            ring.rotation[:] = fw.quaternions.from_axis((1, -0.06 * x, 0), 1.2)
        wall = self.add(
            fw.MeshBatch(fw.Mesh.cube(), len(HUES), material=fw.Material(roughness=0.6))
        )
        angle = np.linspace(0.08, math.pi - 0.08, len(HUES))
        wall.scale[:] = np.column_stack(
            [np.full(len(HUES), 1.05), 2.1 + 0.8 * np.cos(7 * angle), np.ones(len(HUES))]
        )
        wall.position[:] = np.column_stack(
            [10 * np.cos(angle), wall.scale[:, 1] / 2, 1 - 8 * np.sin(angle)]
        )
        wall.color[:, :3] = [fw.srgb(colorsys.hls_to_rgb(hue, 0.55, 0.6)) for hue in HUES]

    def place(self, mesh, place, material):
        batch = self.add(fw.MeshBatch(mesh, 1, material=material))
        batch.position[:] = place
        return batch


if __name__ == "__main__":
    fw.run(Light, size=(800, 450), samples=8)
