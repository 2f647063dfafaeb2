"""A field of 20,000 tumbling asteroids to fly through, with a ship, its guns, and a radar.

The mouse or the arrow keys steer, W and S change the speed, A and D roll, space or a click shoots. When nobody plays,
the ship flies by itself.
"""

import math

import numpy as np

import framework as fw
from framework import quaternions

ROCKS, KINDS = 20_000, 4
REACH = 420  # units from the ship to where the field ends; it is always in its middle
CELL = 30  # units: more than the largest rock and half of a bullet's way in a tick
CELLS = 2 * REACH // CELL
BULLET_SPEED, BULLET_LIFE, RELOAD = 420, 1.1, 0.11
SLOW, FAST = 15, 110  # units a second
PATIENCE = 6  # seconds without a player, then the ship flies by itself
AHEAD = np.array([[0, 0, -1]], np.float32)
SPARKS = 400


def make_rock(random):
    """An octahedron whose triangles are split twice; its corners are pushed to a ball, then in and out."""
    corners = np.array([((x, 0, 0), (0, y, 0), (0, 0, z))[:: x * y * z] for x in (1, -1) for y in (1, -1) for z in (1, -1)])
    for _ in range(2):
        a, b, c = corners.transpose(1, 0, 2)
        middles = a + b, b + c, c + a
        ab, bc, ca = (m / np.linalg.norm(m, axis=1, keepdims=True) for m in middles)
        corners = np.concatenate([np.stack(t, axis=1) for t in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))])
    corners = corners.reshape(-1, 3)
    height = 1 + sum(
        random.uniform(0.05, 0.3) / often * np.sin(corners @ random.normal(0, often, 3) + random.uniform(0, 6))
        for often in (1, 1, 2, 2, 3, 5)
    )
    dents = random.normal(size=(5, 3))
    dents /= np.linalg.norm(dents, axis=1, keepdims=True)
    height -= 0.2 * np.clip((corners @ dents.T - 0.8) * 5, 0, 1).max(axis=1)
    corners = corners * random.uniform(0.75, 1.25, 3) * height[:, None]
    return fw.Mesh(corners / np.linalg.norm(corners, axis=1).max())


def make_ship():
    """A fighter, its nose along -z."""
    cone, ball, barrel = fw.Mesh.cone(1, 1, 12), fw.Mesh.sphere(1, 16), fw.Mesh.cylinder(1, 1, 12)
    forward = quaternions.from_axis((1, 0, 0), -math.pi / 2)  # what stands up points ahead
    white, dark, red = (0.75, 0.77, 0.8), (0.09, 0.1, 0.12), (0.8, 0.09, 0.05)
    parts = [
        cone.placed((0, 0, -1.5), forward, (0.42, 2.4, 0.34)).colored(white),
        barrel.placed((0, 0, 0.5), forward, (0.42, 1.6, 0.34)).colored(white),
        ball.placed((0, 0.24, -0.2), scale=(0.24, 0.22, 0.62)).colored((0.03, 0.12, 0.22)),
    ]
    for side in (-1, 1):
        wing = quaternions.from_axis((0, 0, 1), -0.12 * side)
        parts += [
            fw.Mesh.box((1.7, 0.07, 1.0)).placed((1.1 * side, -0.1, 0.6), wing).colored(white),
            fw.Mesh.box((0.3, 0.09, 1.02)).placed((1.45 * side, -0.13, 0.6), wing).colored(red),
            barrel.placed((1.95 * side, -0.2, 0.2), forward, (0.07, 1.9, 0.07)).colored(dark),
            barrel.placed((0.62 * side, 0.02, 0.95), forward, (0.26, 1.1, 0.26)).colored(dark),
            fw.Mesh.box((0.06, 0.75, 0.6)).placed((0.62 * side, 0.5, 1.2)).colored(red),
        ]
    return fw.Mesh.joined(*parts)


class Rocks:
    """Those of one shape. The field goes with the ship: who is left behind comes in again at the other side."""

    def __init__(self, game, count):
        random = game.random
        self.batch = game.add(fw.MeshBatch(make_rock(random), count, material=fw.Material(roughness=0.95)))
        self.batch.position[:] = random.uniform(-REACH, REACH, (count, 3))
        self.radius = (1.3 * random.pareto(1.7, count) + 1.1).clip(0, 13).astype(np.float32)
        shade = random.uniform(0.1, 0.32, (count, 1))
        self.batch.color[:, :3] = shade * random.normal((1.15, 1.0, 0.85), 0.07, (count, 3))
        self.batch.rotation[:] = quaternions.from_vectors(random.normal(0, 2, (count, 3)).astype(np.float32))
        turn = random.normal(0, 0.6, (count, 3)) / np.sqrt(self.radius)[:, None]
        self.turn = quaternions.from_vectors((turn / game.timestep.tick_rate).astype(np.float32))
        self.move(np.zeros(3, np.float32))

    def move(self, ship):
        """Tumble, and keep around the ship."""
        batch = self.batch
        batch.rotation[:] = quaternions.multiply(self.turn, batch.rotation)
        self.offset = batch.position - ship
        gone = np.abs(self.offset) > REACH
        if gone.any():
            self.offset -= 2 * REACH * np.sign(self.offset) * gone
            batch.position[:] = self.offset + ship
            batch.teleport(gone.any(axis=1))
        # They grow from nothing at the rim, so that nobody sees them come.
        rim = np.abs(self.offset).max(axis=1)
        batch.scale[:] = (self.radius * ((REACH - rim) / 80).clip(0, 1))[:, None]
        self.cell = ((self.offset + REACH) / CELL).astype(np.int32) @ (CELLS * CELLS, CELLS, 1)

    def near(self, places):
        """Rows of those in the cells of ``places`` (n, 3), units from the ship, and the cells around them."""
        cells = ((places + REACH) / CELL).astype(np.int32)[:, None] + np.stack(np.indices((3, 3, 3)), -1).reshape(-1, 3) - 1
        flags = np.zeros(CELLS**3, bool)
        flags[cells.clip(0, CELLS - 1) @ (CELLS * CELLS, CELLS, 1)] = True
        return np.flatnonzero(flags[self.cell.clip(0, CELLS**3 - 1)])


class Asteroids(fw.Game):
    def setup(self):
        world, camera = self.world, self.world.camera
        self.background = (0, 0, 0)
        world.sun_direction, world.sun_color = (0.75, 0.42, -0.3), (2.4, 2.1, 1.75)
        world.sky_color, world.ground_color = (0.05, 0.07, 0.13), (0.09, 0.03, 0.07)
        world.fog, world.fog_color = 0.003, (0.012, 0.012, 0.03)
        world.shadows = fw.Shadows(distance=110, cascades=2)
        camera.near, camera.far = 0.5, 1000
        self.sky = self.add(fw.MeshBatch(fw.Mesh.sphere(900, 24), 1, material=fw.Material(shader="art/space.frag", double_sided=True), casts_shadow=False))
        self.rocks = [Rocks(self, count) for count in np.diff(np.linspace(0, ROCKS, KINDS + 1, dtype=int))]

        self.ship = self.add(fw.MeshBatch(make_ship(), 1, material=fw.Material(roughness=0.4, metallic=0.3)))
        flame = fw.Material((0.3, 0.6, 1), emissive=(1.5, 3, 6))
        self.flames = self.add(fw.MeshBatch(fw.Mesh.cone(0.2, 1, 10).placed((0, 0, 0.5), quaternions.from_axis((1, 0, 0), math.pi / 2)), 2, material=flame))
        self.bullets = self.add(fw.MeshBatch(fw.Mesh.box((0.14, 0.14, 3)), 24, material=fw.Material(emissive=(6, 2.4, 0.5))))
        self.bullets.visible = False
        self.flying, self.age, self.next_bullet, self.reload = np.zeros((24, 3), np.float32), np.full(24, 99.0), 0, 0.0
        self.sparks = self.add(fw.MeshBatch(make_rock(self.random), SPARKS))
        self.sparks.visible = False
        self.drift, self.left, self.next_spark = np.zeros((SPARKS, 3)), np.zeros(SPARKS), 0

        self.heading = np.array([[0, 0, 0, 1]], np.float32)  # of the ship, without its banking
        self.turning = np.zeros(3)  # radians a second: up, to the left, roll to the left
        self.speed, self.throttle, self.hits, self.idle = 40.0, 0.4, 0, math.inf
        self.make_hud()
        self.look()

    def make_hud(self):
        self.marks = self.add(fw.SpriteBatch(["art/crosshair.png", "art/radar.png", "art/ball.png"]), camera=self.hud)
        self.cross = self.marks.add(0)
        self.marks.add(1, position=(870, 90))
        self.dots = self.marks.extend(120, 2, scale=0.06)
        self.board = self.labels.add("", position=(20, 20), color=(0.75, 0.9, 1.0))
        self.hint = self.labels.add("mouse or arrows: steer   W S: speed   space: shoot", position=(480, 505), anchor=("center", "bottom"))

    def update(self, dt):
        steer, faster, fire = self.wishes(dt)
        self.turning += (steer * (1.3, 1.3, 2.2) - self.turning) * (1 - math.exp(-5 * dt))
        self.throttle = min(max(self.throttle + 0.6 * faster * dt, 0), 1)
        self.speed += (SLOW + (FAST - SLOW) * self.throttle - self.speed) * (1 - math.exp(-1.5 * dt))
        self.heading = turned(self.heading, self.turning * dt)
        ahead = quaternions.rotate(self.heading, AHEAD)
        self.ship.position += ahead * self.speed * dt
        self.ship.rotation = turned(self.heading, (0, 0, 0.4 * self.turning[1]))  # it banks
        for rocks in self.rocks:
            rocks.move(self.ship.position[0])
        self.shoot(dt, ahead, fire)
        self.collide(dt)
        self.burn(dt)
        self.look(1 - math.exp(-6 * dt))
        self.show()

    def wishes(self, dt):
        """What the player or the autopilot wants: to turn (up, left, roll left), to go faster, to shoot."""
        keys, mouse = self.keys, self.mouse
        steer = np.array([keys.axis("up", "down"), keys.axis("right", "left"), keys.axis("d", "a")], float)
        faster, fire = keys.axis("s", "w"), keys["space"] or mouse["left"]
        self.idle = 0.0 if steer.any() or faster or fire or mouse.dx or mouse.dy else self.idle + dt
        self.hint.visible = self.idle > PATIENCE
        if self.idle > PATIENCE:
            return self.autopilot()
        if mouse.inside and not steer.any():
            x, y = 2 * mouse.x / self.width - 1, 2 * mouse.y / self.height - 1
            steer[:2] = y, -x
        return steer, faster, fire

    def autopilot(self):
        """Shoot what is in the way, else what is easy to aim at."""
        x, y, z = self.seen.T
        off, far = np.hypot(x, y), -z
        cost = np.where(off < self.radius + 5, far - 300, far * (0.3 + 3 * off / np.maximum(far, 1)))
        target = np.argmin(np.where((far > 15) & (far < 260) & (self.radius > 1.8), cost, np.inf))
        aim = np.array([y[target], -x[target], 0]) / far[target]
        roll = 0.25 * math.sin(self.tick / 200)
        steer = np.clip(aim * 3, -1, 1) + (0, 0, roll)
        return steer, 0.55 - self.throttle, np.abs(aim).max() < 0.06

    def shoot(self, dt, ahead, fire):
        self.reload -= dt
        if fire and self.reload <= 0:
            self.reload = RELOAD
            row = self.next_bullet % len(self.bullets)
            muzzle = (1.95 if row % 2 else -1.95, -0.2, -1.5)
            self.bullets.position[row] = self.ship.position[0] + quaternions.rotate(self.ship.rotation, np.array([muzzle], np.float32))
            self.bullets.rotation[row] = self.heading
            self.flying[row] = ahead * (BULLET_SPEED + self.speed)
            self.age[row], self.next_bullet = 0.0, row + 1
            self.bullets.teleport([row])
        self.age += dt
        self.bullets.position += self.flying * dt
        self.bullets.visible = self.age < BULLET_LIFE

    def collide(self, dt):
        """Bullets with rocks, and the ship with rocks."""
        rows = np.flatnonzero(self.bullets.visible)
        way = self.flying[rows] * dt
        places = self.bullets.position[rows] - self.ship.position - way  # where they were
        for rocks in self.rocks:
            near = rocks.near(places + way / 2)
            to_rock = rocks.offset[near] - places[:, None]
            # How far along its way each bullet is nearest to each rock.
            share = ((to_rock @ way[:, :, None])[..., 0] / (way**2).sum(axis=1, keepdims=True)).clip(0, 1)
            off = np.linalg.norm(to_rock - share[..., None] * way[:, None], axis=2)
            bullet, hit = np.nonzero(off < rocks.batch.scale[near, 0])
            self.age[rows[bullet]] = BULLET_LIFE
            self.hits += len(set(hit))
            self.blast(rocks, near[np.unique(hit)])
            near = rocks.near(np.zeros((1, 3)))
            crash = near[np.linalg.norm(rocks.offset[near], axis=1) < rocks.batch.scale[near, 0] + 1]
            if len(crash):
                self.speed = SLOW
                self.blast(rocks, crash)

    def blast(self, rocks, struck):
        """Rocks burst, and come in again at the rim."""
        batch, random = rocks.batch, self.random
        for row in struck:
            new = (self.next_spark + np.arange(24)) % SPARKS
            self.next_spark += 24
            out = random.normal(size=(24, 3))
            out /= np.linalg.norm(out, axis=1, keepdims=True)
            radius = rocks.radius[row]
            self.sparks.position[new] = batch.position[row] + out * radius * 0.6
            self.sparks.scale[new] = random.uniform(0.05, 0.3, (24, 1)) * radius
            self.sparks.color[new] = batch.color[row]
            self.drift[new], self.left[new] = out * random.uniform(3, 14, (24, 1)), random.uniform(0.5, 2.0, 24)
            self.sparks.teleport(new)
        rim = random.uniform(-REACH, REACH, (len(struck), 3))
        rim[np.arange(len(struck)), random.integers(0, 3, len(struck))] = REACH
        batch.position[struck] = self.ship.position + rim
        batch.scale[struck] = 0
        batch.teleport(struck)

    def burn(self, dt):
        self.left -= dt
        self.sparks.position += self.drift * dt
        self.sparks.scale *= 0.985
        self.sparks.visible = self.left > 0
        engines = np.array([(-0.62, 0.02, 1.5), (0.62, 0.02, 1.5)], np.float32)
        turn = np.repeat(self.ship.rotation, 2, axis=0)
        self.flames.position = self.ship.position + quaternions.rotate(turn, engines)
        self.flames.rotation = turn
        self.flames.scale[:, 2] = 0.4 + 2.2 * self.speed / FAST + self.random.uniform(0, 0.3, 2)

    def look(self, share=1.0):
        """The camera comes after the ship, and turns a little later than it."""
        camera = self.world.camera
        camera.rotation = quaternions.slerp(camera.rotation[None], self.heading, share)[0]
        behind = quaternions.rotate(camera.rotation[None], np.array([[0, 1.7, 7.5]], np.float32))
        camera.position = (self.ship.position + behind)[0]
        self.sky.position = camera.position
        self.radius = np.concatenate([rocks.batch.scale[:, 0] for rocks in self.rocks])
        # From the ship, along its own axes.
        self.seen = np.concatenate([rocks.offset for rocks in self.rocks]) @ quaternions.matrices(self.heading)[0].T

    def show(self):
        aim = self.ship.position[0] + quaternions.rotate(self.heading, AHEAD * 200)[0]
        self.cross.position = self.world.camera.world_to_screen(aim) or (-99, -99)
        near = np.flatnonzero(np.abs(self.seen).max(axis=1) < 90)[:120]
        dots = self.marks.position[self.dots]
        dots[: len(near)] = (870, 90) + self.seen[near][:, [0, 2]] * (0.75, -0.75)
        self.marks.visible[self.dots] = np.arange(120) < len(near)
        self.marks.color[self.dots] = 0.4, 1, 0.8, 0.8
        self.marks.teleport(self.dots)
        self.board.text = f"{self.speed:3.0f} units a second\n{self.hits} rocks hit"


def turned(rotation, vector):
    """(1, 4), turned by a rotation vector along its own axes."""
    return quaternions.multiply(rotation, quaternions.from_vectors(np.array([vector], np.float32)))


if __name__ == "__main__":
    fw.run(Asteroids, size=(960, 540), resolution=(960, 540))
