"""3D: draw a crowd of animated copies of a model that the program builds."""

import numpy as np

import framework as fw

PLACES = np.indices((20, 20)).reshape(2, -1).T * 1.7 - 16


def robot():
    """Return a model of a body and two arms, with the animations "Wave" and "Jump"."""
    body = fw.Mesh.merged(fw.Mesh.box((0.8, 1, 0.5)), fw.Mesh.cube(0.6).transformed((0, 0.9, 0)))
    arm = fw.Mesh.capsule(0.12, 0.9, 8).transformed((0, -0.35, 0))
    turns = [fw.quaternions.from_axis((0, 0, 1), angle) for angle in (2.2, 2.9, 2.2)]
    wave = fw.Animation("Wave", [fw.Channel(1, "rotation", "LINEAR", [0, 0.3, 0.6], turns)])
    hop = [(0, 0, 0), (0, 1, 0), (0, 0, 0)]
    jump = fw.Animation("Jump", [fw.Channel(0, "translation", "LINEAR", [0, 0.25, 0.5], hop)])
    tree = {"names": ["body", "right arm", "left arm"], "parent": [-1, 0, 0]}
    places = [(0, 0, 0), (0.52, 0.35, 0), (-0.52, 0.35, 0)]
    parts = [fw.Part(body, fw.Material(), [0]), fw.Part(arm, fw.Material(), [1, 2])]
    return fw.Model.of(parts, **tree, position=places, animations=[wave, jump])


class Crowd(fw.Game):
    def setup(self):
        self.world.sky = self.world.shadows = True
        self.add(fw.MeshBatch(fw.Mesh.plane((90, 90)), 1, material=fw.Material("#7cb518")))
        self.robots = self.add(fw.Crowd(robot(), 400))
        self.robots.position = np.insert(PLACES, 1, 0.5, axis=1)
        self.robots.color[:, :3] = self.random.uniform(0.1, 1, (400, 3))
        self.robots.play("Wave", start=self.random.random(400))
        fw.Orbit(self.world.camera, distance=22, pitch=0.4)

    def update(self, dt):
        if self.keys.just_pressed("space"):
            self.robots.play("Jump", start=self.random.random(400))


if __name__ == "__main__":
    fw.run(Crowd, resolution=(960, 540))
