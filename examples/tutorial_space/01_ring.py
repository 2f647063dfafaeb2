"""Crystal Belt, step 1: a ring, a camera and a light."""

import framework as fw
from framework import quaternions


class Belt(fw.Game):
    def setup(self):
        self.background = "#070a18"
        self.world.sun_direction = (0.5, 0.6, 0.4)
        self.world.camera.position = (0, 1, 3)
        self.world.camera.look_at((0, 0, 0))
        self.ring = self.add(fw.MeshBatch(fw.Mesh.torus())).add(color=(0.1, 0.4, 0.9, 1))

    def update(self, dt):
        turn = quaternions.from_axis((0, 1, 0), 1.5 * dt)
        self.ring.rotation = quaternions.multiply(turn, self.ring.rotation)


if __name__ == "__main__":
    fw.run(Belt, title="Crystal Belt", size=(1280, 720), resolution=(640, 360))
