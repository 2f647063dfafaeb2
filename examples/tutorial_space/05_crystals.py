"""Crystal Belt, step 5: a model from a file, and sounds in space."""

import math

import numpy as np

import framework as fw
from framework import quaternions

SPEED = 14  # units per second
TURN = 1.4  # radians per second
RANGE = 60  # the length of the laser in units
CRYSTALS = 5
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
        self.crystals = self.add(fw.ModelBatch(fw.Model("crystal.obj"), CRYSTALS))
        self.crystals.position = self.random.uniform((-60, -12, -60), (60, 12, 60), (CRYSTALS, 3))
        hum = fw.Sound.tone(330, 1.0, wave="triangle")
        self.hums = [hum.play(loop=True, position=crystal) for crystal in self.crystals]
        self.ship = self.add(fw.MeshBatch(make_ship())).add()
        self.yaw = self.pitch = 0.0
        self.laser_end = None
        self.world.lines.each_frame(self.draw_laser)
        fw.Follow(self.world.camera, self.ship, (0, 3, 8), turning=True, smoothing=0.7)

    def update(self, dt):
        self.fly(dt)
        self.turn_rocks(dt)
        self.crash()
        self.collect()
        self.laser_end = None
        if self.keys["space"]:
            self.shoot()

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
            fw.art.sounds.explosion.play(volume=0.6)
            self.world.camera.shake(0.4)
            self.rocks.remove(hit)

    def collect(self):
        turn = quaternions.from_axis((0, 1, 0), 0.03)
        self.crystals.rotation = quaternions.multiply(turn, self.crystals.rotation)
        distance = np.linalg.norm(self.crystals.position - self.ship.position, axis=1)
        for row in np.flatnonzero(distance < 3)[:1]:
            self.crystals.remove([row])
            self.hums.pop(row).stop(fade=0.1)
            fw.art.sounds.powerup.play(volume=0.6)

    def shoot(self):
        """Melt the first rock on the ray from the ship's nose."""
        self.laser_end = np.add(self.ship.position, RANGE * self.ahead)
        hit = self.rocks.pick(self.ship.position, self.ahead)
        if hit and hit.distance < RANGE:
            self.laser_end = hit.point
            self.sparks.emit(3, hit.point)
            rock = hit.instance
            rock.scale = np.multiply(rock.scale, 0.94)
            if max(rock.scale) < 1.5:
                self.sparks.emit(80, rock.position)
                fw.art.sounds.explosion.play(position=rock.position)
                rock.remove()

    def draw_laser(self, alpha):
        if self.laser_end is not None:
            self.world.lines.add(self.ship.drawn_position(alpha), self.laser_end, color="#ff5030")


if __name__ == "__main__":
    fw.run(Belt, title="Crystal Belt", size=(1280, 720), resolution=(640, 360))
