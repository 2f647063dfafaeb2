"""Physics: a spiral of dominoes of 3D rigid bodies. Space pushes the first domino."""

import numpy as np

import framework as fw

COUNT = 90


class Dominoes(fw.Game):
    def setup(self):
        world = self.world
        world.sky = world.shadows = True
        self.physics = fw.Physics3D(self)
        self.physics.add_floor(0)
        self.add(fw.MeshBatch(fw.Mesh.plane((60, 60)), 1, material=fw.Material("#e9edc9")))
        self.stones = self.add(fw.MeshBatch(fw.Mesh.box((0.8, 1.6, 0.25)), COUNT))
        turn = np.sqrt(4 + np.arange(COUNT)) * 1.9  # even gaps along the spiral
        radius = 0.42 * turn
        self.stones.position = np.column_stack(
            [radius * np.cos(turn), np.full(COUNT, 0.8), radius * np.sin(turn)]
        )
        self.stones.rotation = fw.quaternions.from_vectors([(0, -angle, 0) for angle in turn])
        hue = np.linspace(0, 5, COUNT)[:, None] + (0, 2.1, 4.2)
        self.stones.color[:, :3] = (0.5 + 0.45 * np.cos(hue)) ** 2
        self.bodies = self.physics.add(self.stones, friction=0.3)
        self.orbit = fw.Orbit(world.camera, distance=12, pitch=0.75)
        self.labels.add("Space: push. Drag: turn.", (480, 12), anchor="bottom", color="#333")

    def update(self, dt):
        self.orbit.update(dt, self.keys, self.mouse)
        if self.keys.just_pressed("space"):
            ahead = self.stones.position[1] - self.stones.position[0]
            self.bodies.velocity[0] = 3 * ahead


if __name__ == "__main__":
    fw.run(Dominoes, resolution=(960, 540))
