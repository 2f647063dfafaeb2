"""The picture of docs/space.md: boxes on a hill with the boxes and axes that collisions know of,
and a path over them.

framework run docs/pictures/space.py --headless --frames 2 --screenshot docs/pictures/space.png
"""

import numpy as np

import framework as fw
from framework import quaternions

SIDE = 1.0  # of a box
COUNT = 24


class Space(fw.Game):
    def setup(self):
        world = self.world
        world.camera.position, world.camera.fov = (2, 8, 19), 0.72
        world.camera.look_at((0, 2.4, 0))
        world.sky, world.fog = True, 0.006
        world.shadows = fw.Shadows(distance=60, cascades=2, resolution=2048)
        along = np.linspace(-90, 90, 181)
        heights = (
            4.5 * np.exp(-(along[:, None] ** 2 + along**2) / 50)
            + 0.4 * np.sin(along / 4 + 1)[:, None]
        )
        hill = fw.Heightfield(heights, cell=1.0)
        self.add(fw.MeshBatch(hill.mesh(), 1, material=fw.Material("#7c9a5e", roughness=0.95)))

        boxes = self.add(
            fw.MeshBatch(fw.Mesh.cube(SIDE), COUNT, material=fw.Material("#d9b48f", roughness=0.8))
        )
        place = np.zeros((COUNT, 3))
        place[:, [0, 2]] = self.random.uniform((-10, -5), (10, 9), (COUNT, 2))
        place[:, 1] = hill.height_at(place) + 0.75 * SIDE
        axes = self.random.normal(size=(COUNT, 3)).astype(np.float32)
        boxes.position, boxes.rotation = place, quaternions.from_vectors(axes)

        lines = self.add(fw.Lines(keep=True))
        lines.rotated_box(boxes.position, (SIDE / 2,) * 3, boxes.rotation, color="gold", width=2)
        lines.axes(boxes.position, boxes.rotation, SIDE)
        lines.axes((0, hill.height_at([(0, 0, 0)])[0], 0), size=3, width=4)
        lines.sphere((-6, 3, 1), 1.5, color="cyan", width=1.5)
        turn = np.linspace(0, 2 * np.pi, 97)
        path = np.column_stack([8 * np.sin(turn), 5.6 + np.sin(3 * turn), 4 * np.sin(2 * turn)])
        lines.path(path, color="magenta", width=3)


if __name__ == "__main__":
    fw.run(Space, size=(800, 450), samples=8)
