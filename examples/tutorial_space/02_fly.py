"""Crystal Belt, step 2: a ship that the arrow keys steer."""

import math

import numpy as np

import framework as fw
from framework import quaternions

SPEED = 14  # units per second
TURN = 1.4  # radians per second
STARS = 1500


def make_ship():
    """Return the mesh of a ship. Its nose points along -z, away from the camera."""
    forward = quaternions.from_axis((1, 0, 0), -math.pi / 2)
    nose = fw.Mesh.cone(0.4, 2.4, 12).transformed((0, 0, -0.6), forward)
    wings = fw.Mesh.box((2.6, 0.1, 0.8)).transformed((0, 0, 0.3)).with_color((0.9, 0.1, 0.05))
    fin = fw.Mesh.box((0.1, 0.8, 0.6)).transformed((0, 0.4, 0.4)).with_color((0.9, 0.1, 0.05))
    return fw.Mesh.merged(nose, wings, fin)


class Belt(fw.Game):
    def setup(self):
        self.background = "#070a18"
        self.world.sun_direction = (0.5, 0.6, 0.4)
        stars = self.add(fw.Billboards())
        places = self.random.uniform(-150, 150, (STARS, 3))
        stars.extend(STARS, position=places, size=0.7)
        self.ship = self.add(fw.MeshBatch(make_ship())).add()
        self.yaw = self.pitch = 0.0
        fw.Follow(self.world.camera, self.ship, (0, 3, 8), turning=True, smoothing=0.7)

    def update(self, dt):
        self.fly(dt)

    def fly(self, dt):
        self.yaw -= TURN * self.keys.axis("left", "right") * dt
        self.pitch += TURN * self.keys.axis("down", "up") * dt
        self.pitch = min(max(self.pitch, -1.2), 1.2)
        self.ship.rotation = quaternions.multiply(
            quaternions.from_axis((0, 1, 0), self.yaw), quaternions.from_axis((1, 0, 0), self.pitch)
        )
        self.ahead = quaternions.rotate(self.ship.rotation, (0, 0, -1))
        self.ship.position = np.add(self.ship.position, SPEED * dt * self.ahead)


if __name__ == "__main__":
    fw.run(Belt, title="Crystal Belt", size=(1280, 720), resolution=(640, 360))
