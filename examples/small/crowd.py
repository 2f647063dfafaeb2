"""3D: a crowd of animated copies of a model that the program builds."""

import numpy as np

import framework as fw

turn, up = fw.quaternions.from_axis, (0, 1, 0)


def robot():
    """Return a model of a body and two arms, with the animations "Wave" and "Jump"."""
    body = fw.Mesh.merged(
        fw.Mesh.box((0.8, 1, 0.5)), fw.Mesh.sphere(0.35).transformed((0, 0.85, 0))
    )
    arm = fw.Mesh.capsule(0.12, 0.9).transformed((0, -0.35, 0))
    gray = fw.Material("#ffffff", roughness=0.5)
    swing = [turn((0, 0, 1), angle) for angle in (2.2, 2.9, 2.2)]
    wave = fw.Animation("Wave", [fw.Channel(1, "rotation", "LINEAR", [0, 0.3, 0.6], swing)])
    hop = [(0, 0, 0), (0, 0.7, 0), (0, 0, 0)]
    jump = fw.Animation("Jump", [fw.Channel(0, "translation", "LINEAR", [0, 0.25, 0.5], hop)])
    return fw.Model.of(
        [fw.Part(body, gray, [0]), fw.Part(arm, gray, [1, 2])],
        parent=[-1, 0, 0], position=[(0, 0, 0), (0.52, 0.35, 0), (-0.52, 0.35, 0)],
        animations=[wave, jump],
    )  # fmt: skip


class Crowd(fw.Game):
    def setup(self):
        self.world.sky = self.world.shadows = True
        self.add(fw.MeshBatch(fw.Mesh.plane((90, 90)), 1, material=fw.Material("#7cb518")))
        self.robots = self.add(fw.Crowd(robot(), 400))
        grid = np.indices((20, 20)).reshape(2, -1).T * 1.7 - 16
        self.robots.position[:, [0, 2]], self.robots.position[:, 1] = grid, 0.5
        self.robots.color[:, :3] = self.random.uniform(0.1, 1, (400, 3))
        self.robots.play("Wave", start=self.random.random(400))
        self.orbit = fw.Orbit(self.world.camera, distance=18, pitch=0.35)

    def update(self, dt):
        self.orbit.update(dt, self.keys, self.mouse)
        if self.keys.just_pressed("space"):
            self.robots.play("Jump", start=self.random.random(400))


if __name__ == "__main__":
    fw.run(Crowd, resolution=(960, 540))
