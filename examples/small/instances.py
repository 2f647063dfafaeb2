"""3D: move 10,000 meshes with NumPy, in one draw call."""

import numpy as np

import framework as fw

SIDE = 100


class Instances(fw.Game):
    def setup(self):
        self.world.sky = True
        self.boxes = self.add(fw.MeshBatch(fw.Mesh.box((0.9, 8, 0.9)), SIDE * SIDE))
        grid = np.indices((SIDE, SIDE)).reshape(2, -1).T - SIDE / 2
        self.boxes.position[:, [0, 2]] = grid
        self.distance = np.hypot(*grid.T)
        self.orbit = fw.Orbit(self.world.camera, distance=60, pitch=0.5)
        self.swell = 1.0
        self.labels.add("Space: a wave. Drag: turn.", (480, 12), anchor="bottom", shadow="#000")

    def update(self, dt):
        self.orbit.turn(0.1 * dt, 0)
        self.orbit.update(dt, self.keys, self.mouse)
        if self.keys.just_pressed("space"):
            self.tween(self, swell=5, duration=0.7, ease="out_quad", repeat=2, ping_pong=True)
        wave = np.sin(self.distance / 3 - 3 * self.tick * dt)
        self.boxes.position[:, 1] = self.swell * wave - 4
        warm = (0.5 + 0.5 * wave)[:, None] ** 2
        self.boxes.color[:, :3] = (0.01, 0.03, 0.12) + warm * (0.9, 0.25, 0.05)


if __name__ == "__main__":
    fw.run(Instances, resolution=(960, 540))
