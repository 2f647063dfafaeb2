"""Crystal Belt, step 3: hundreds of asteroids in one batch."""

import math

import numpy as np

import framework as fw
from framework import quaternions

SPEED = 14  # units per second
TURN = 1.4  # radians per second
STARS = 1500
ROCKS = 400
BELT = 90  # the asteroids fill a cube of 180 units


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
        places = self.random.uniform(-BELT, BELT, (ROCKS, 3))
        places = places[np.linalg.norm(places, axis=1) > 15]  # none is near the ship
        count = len(places)
        self.rocks = self.add(fw.MeshBatch(fw.Mesh.sphere(0.5, 8).flat()))
        self.rocks.extend(
            count,
            position=places,
            rotation=quaternions.from_vectors(self.random.normal(0, 2, (count, 3))),
            scale=self.random.uniform(2, 7, (count, 3)),
            color=(0.25, 0.2, 0.16, 1),
        )
        self.sparks = self.add(fw.Particles3D.sparks())
        self.ship = self.add(fw.MeshBatch(make_ship())).add()
        self.yaw = self.pitch = 0.0
        fw.Follow(self.world.camera, self.ship, (0, 3, 8), turning=True, smoothing=0.7)

    def update(self, dt):
        self.fly(dt)
        self.turn_rocks(dt)
        self.crash()

    def fly(self, dt):
        self.yaw -= TURN * self.keys.axis("left", "right") * dt
        self.pitch += TURN * self.keys.axis("down", "up") * dt
        self.pitch = min(max(self.pitch, -1.2), 1.2)
        self.ship.rotation = quaternions.multiply(
            quaternions.from_axis((0, 1, 0), self.yaw), quaternions.from_axis((1, 0, 0), self.pitch)
        )
        self.ahead = quaternions.rotate(self.ship.rotation, (0, 0, -1))
        self.ship.position = np.add(self.ship.position, SPEED * dt * self.ahead)

    def turn_rocks(self, dt):
        turn = quaternions.from_axis((0, 1, 0), 0.4 * dt)
        self.rocks.rotation = quaternions.multiply(self.rocks.rotation, turn)

    def crash(self):
        distance = np.linalg.norm(self.rocks.position - self.ship.position, axis=1)
        hit = np.flatnonzero(distance < 0.4 * self.rocks.scale.max(axis=1) + 0.7)
        if len(hit):
            self.sparks.emit(80, self.ship.position)
            self.world.camera.shake(0.4)
            self.rocks.remove(hit)


if __name__ == "__main__":
    fw.run(Belt, title="Crystal Belt", size=(1280, 720), resolution=(640, 360))
