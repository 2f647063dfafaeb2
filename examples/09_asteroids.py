"""Asteroids: a ship with guns and a radar in a field of 20,000 tumbling asteroids.

The mouse or the arrow keys steer, W and S change the speed, A and D roll, space or a click shoots.
Without a player, the ship flies by itself. On slow machines the field is smaller. A number on the
command line, 0 to 2, fixes its size.
"""

import math

import levels
import numpy as np

import framework as fw
from framework import quaternions

ROCKS = 20_000
SHAPES = 4
REACH = 420  # maximum distance in units from the ship to the border of the field
LEVELS = [
    {"reach": 180, "cascades": 0, "render_scale": 0.5, "samples": 0},
    {"reach": 280, "cascades": 1, "render_scale": 1.0, "samples": 0},
    {"reach": REACH, "cascades": 2, "render_scale": 1.0, "samples": 4},
]
CELL = 30  # size of a cell in units
CELLS = 28  # cells along each edge of the field
STRIDE = np.array([CELLS * CELLS, CELLS, 1], np.float32)
AROUND = (
    np.indices((3, 3, 3)).reshape(3, -1).T - 1
) @ STRIDE  # offsets from a cell's index to its neighbors
BULLETS = 24
BULLET_SPEED = 420  # units per second
BULLET_LIFE = 1.1  # seconds
RELOAD = 0.11  # seconds
SLOW = 15  # units per second
FAST = 110  # units per second
SPARKS = 600
PATIENCE = 6  # seconds without input before the autopilot starts
FORWARD = quaternions.from_axis((1, 0, 0), -math.pi / 2)  # turns the y axis to -z
ENGINES = np.array([(-0.62, 0.02, 1.75), (0.62, 0.02, 1.75)], np.float32)
DOTS = 120
RADAR = (870, 90)


def make_rock(random):
    """Return a dented sphere, made from an octahedron whose triangles are split twice."""
    signs = 1 - 2 * np.indices((2, 2, 2)).reshape(3, 8).T
    corners = np.array([np.diag(sign)[:: sign.prod()] for sign in signs])
    for _ in range(2):
        a, b, c = corners.transpose(1, 0, 2)
        ab = unit(a + b)
        bc = unit(b + c)
        ca = unit(c + a)
        corners = np.concatenate(
            [np.stack(t, axis=1) for t in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))]
        )
    corners = corners.reshape(-1, 3)
    dents = unit(random.normal(size=(5, 3)))
    height = 1 - 0.2 * ((fw.exact.matmul(corners, dents.T) - 0.8) * 5).clip(0, 1).max(axis=1)
    for often in (1, 1, 2, 2, 3, 5):
        wave = fw.exact.sin(
            fw.exact.matmul(corners, random.normal(0, often, 3)) + random.uniform(0, 6)
        )
        height += random.uniform(0.05, 0.3) / often * wave
    corners = corners * random.uniform(0.75, 1.25, 3) * height[:, None]
    return fw.Mesh(corners / np.linalg.norm(corners, axis=1).max())


def make_ship():
    """Return a fighter whose nose points along -z."""
    box = fw.Mesh.box
    cone = fw.Mesh.cone(1, 1, 12)
    barrel = fw.Mesh.cylinder(1, 1, 12)
    white = (0.75, 0.77, 0.8)
    dark = (0.09, 0.1, 0.12)
    red = (0.8, 0.09, 0.05)
    parts = [
        cone.transformed((0, 0, -1.5), FORWARD, (0.42, 2.4, 0.34)).with_color(white),
        barrel.transformed((0, 0, 0.5), FORWARD, (0.42, 1.6, 0.34)).with_color(white),
        fw.Mesh.sphere(1, 16)
        .transformed((0, 0.24, -0.2), scale=(0.24, 0.22, 0.62))
        .with_color((0.03, 0.12, 0.22)),
    ]
    for side in (-1, 1):
        wing = quaternions.from_axis((0, 0, 1), -0.12 * side)
        parts += [
            box((1.7, 0.07, 1.0)).transformed((1.1 * side, -0.1, 0.6), wing).with_color(white),
            box((0.3, 0.09, 1.02)).transformed((1.45 * side, -0.13, 0.6), wing).with_color(red),
            barrel.transformed((1.95 * side, -0.2, 0.2), FORWARD, (0.07, 1.9, 0.07)).with_color(
                dark
            ),
            barrel.transformed((0.62 * side, 0.02, 0.95), FORWARD, (0.26, 1.1, 0.26)).with_color(
                dark
            ),
        ]
    return fw.Mesh.merged(*parts)


class Rocks:
    """All rocks of one shape. The field moves with the ship: rocks that are left behind come back
    on the opposite side.
    """

    def __init__(self, game, count):
        self.random = game.random
        self.tick_rate = game.timestep.tick_rate
        self.most = count
        material = fw.Material(roughness=0.95)
        self.batch = game.add(
            fw.MeshBatch(make_rock(self.random), material=material, capacity=count)
        )
        self.radius = np.empty(0, np.float32)
        self.turn = np.empty((0, 4), np.float32)
        self.offset = np.empty((0, 3), np.float32)
        self.reach = 0

    def fill(self, reach, ship):
        """Change the size of the field: remove rocks outside of it, or add rocks in the new part."""
        beyond = farthest(self.offset) > reach
        self.batch.remove(beyond)
        self.radius = self.radius[~beyond]
        self.turn = self.turn[~beyond]
        random = self.random
        offset = random.uniform(-reach, reach, (round(self.most * (reach / REACH) ** 3), 3))
        offset = offset[farthest(offset) > self.reach].astype(np.float32)
        count = len(offset)
        self.reach = reach
        shade = random.uniform(0.1, 0.32, (count, 1))
        color = np.ones((count, 4))
        color[:, :3] = shade * random.normal((1.15, 1.0, 0.85), 0.07, (count, 3))
        rotation = quaternions.from_vectors(random.normal(0, 2, (count, 3)).astype(np.float32))
        self.batch.extend(count, position=offset + ship, rotation=rotation, color=color.clip(0, 1))
        radius = (
            (1.3 * fw.exact.exp(random.exponential(1 / 1.7, count)) - 0.2)
            .clip(0, 13)
            .astype(np.float32)
        )
        turn = random.normal(0, 0.6, (count, 3)) / np.sqrt(radius)[:, None]
        self.radius = np.append(self.radius, radius)
        self.turn = np.append(
            self.turn, quaternions.from_vectors((turn / self.tick_rate).astype(np.float32)), axis=0
        )
        self.move(ship)

    def move(self, ship):
        """Turn the rocks, and keep them around the ship."""
        batch = self.batch
        reach = self.reach
        batch.rotation[:] = quaternions.multiply(self.turn, batch.rotation)
        self.offset = batch.position - ship
        gone = np.flatnonzero(farthest(self.offset) > reach)
        self.offset[gone] -= 2 * reach * np.rint(self.offset[gone] / (2 * reach))
        batch.position[gone] = self.offset[gone] + ship
        batch.teleport(gone)
        # At the border, rocks grow from size 0, so that they do not appear suddenly.
        batch.scale[:] = (self.radius * ((reach - farthest(self.offset)) / 80).clip(0, 1))[:, None]
        self.cells = cells(self.offset)

    def near(self, positions):
        """Return the rows in the grid cells of ``positions`` (n, 3), relative to the ship, and in
        neighboring cells.
        """
        flags = np.zeros(CELLS**3, bool)
        flags[(cells(positions)[:, None] + AROUND).astype(int).clip(0, CELLS**3 - 1)] = True
        return np.flatnonzero(flags[self.cells.astype(int).clip(0, CELLS**3 - 1)])

    def bring_back(self, rows):
        """Move rows to the border of the field."""
        position = self.random.uniform(-self.reach, self.reach, (len(rows), 3))
        position[np.arange(len(rows)), self.random.integers(0, 3, len(rows))] = self.reach
        self.batch.position[rows] += position - self.offset[rows]
        self.batch.scale[rows] = 0
        self.batch.teleport(rows)


class Asteroids(fw.Game):
    def setup(self):
        world = self.world
        self.background = (0, 0, 0)
        world.sun_direction = (0.75, 0.5, 0.3)
        world.sun_color = (2.5, 2.2, 1.8)
        world.sky_color = (0.05, 0.07, 0.13)
        world.ground_color = (0.09, 0.03, 0.07)
        world.fog = 0.003
        world.fog_color = (0.012, 0.012, 0.03)
        space = fw.Material(shader="art/space.frag", double_sided=True)
        self.sky = self.add(
            fw.MeshBatch(fw.Mesh.sphere(900, 24), 1, material=space, casts_shadow=False)
        )
        self.rocks = [Rocks(self, ROCKS // SHAPES) for _ in range(SHAPES)]
        self.ship = self.add(
            fw.MeshBatch(make_ship(), 1, material=fw.Material(roughness=0.4, metallic=0.3))
        )
        levels.choose(self, LEVELS, self.fit)
        glow = fw.Material((1, 0.5, 0.2), emissive=(6, 2.4, 0.5))
        self.bullets = self.add(
            fw.MeshBatch(fw.Mesh.box((0.14, 0.14, 3)), BULLETS, material=glow, casts_shadow=False)
        )
        self.bullets.visible = False
        self.flying = np.zeros((BULLETS, 3), np.float32)
        self.left = np.zeros(BULLETS)
        self.flames = self.add(fw.Billboards(None, 2, blend="add"))
        self.flames.color = 0.16, 0.34, 0.9, 1
        self.sparks = self.add(
            fw.Particles3D(None, SPARKS, size=1, color=fw.Curve("#fff", "#fff0"), blend="add")
        )

        self.heading = np.array(
            [[0, 0, 0, 1]], np.float32
        )  # orientation of the ship, without its banking
        self.turning = np.zeros(3)  # radians per second: up, left, roll left
        self.speed = 40.0
        self.throttle = 0.4
        self.hits = 0
        self.idle = math.inf
        self.shots = 0
        self.reload = 0.0
        self.marks = self.add(
            fw.SpriteBatch(["art/crosshair.png", "art/radar.png", "art/ball.png"]), camera=self.hud
        )
        self.cross = self.marks.add(0)
        self.marks.add(1, position=RADAR)
        self.dots = self.marks.extend(DOTS, 2, scale=0.06, color=(0.4, 1, 0.8, 0.8))
        self.board = self.labels.add("", position=(20, 20), color=(0.75, 0.9, 1.0))
        words = "mouse or arrows: steer   W S: speed   space: shoot"
        self.hint = self.labels.add(words, position=(480, 505), anchor=("center", "bottom"))
        self.look()

    def fit(self, quality):
        """Apply another quality level."""
        cascades = quality["cascades"]
        self.world.shadows = fw.Shadows(distance=110, cascades=cascades) if cascades else None
        for rocks in self.rocks:
            rocks.batch.cull = not cascades  # a GPU discards rocks out of view by itself
            rocks.fill(quality["reach"], self.ship.position)

    def update(self, dt):
        steer, faster, fire = self.wishes(dt)
        self.turning += (steer * (1.3, 1.3, 2.2) - self.turning) * (1 - fw.exact.exp(-5 * dt))
        self.throttle = min(max(self.throttle + 0.6 * faster * dt, 0), 1)
        self.speed += (SLOW + (FAST - SLOW) * self.throttle - self.speed) * (
            1 - fw.exact.exp(-1.5 * dt)
        )
        self.heading = turned(self.heading, self.turning * dt)
        self.ahead = quaternions.rotate(self.heading, np.array([[0, 0, -1]], np.float32))
        self.ship.position += self.ahead * self.speed * dt
        self.ship.rotation = turned(self.heading, (0, 0, 0.4 * self.turning[1]))  # the ship banks
        for rocks in self.rocks:
            rocks.move(self.ship.position)
        self.shoot(dt, fire)
        self.collide(dt)
        self.look(1 - fw.exact.exp(-6 * dt))
        self.place_marks()

    def wishes(self, dt):
        """Return the input of the player or the autopilot: turn (up, left, roll left), accelerate,
        shoot.
        """
        keys = self.keys
        mouse = self.mouse
        steer = np.array(
            [keys.axis("down", "up"), keys.axis("right", "left"), keys.axis("d", "a")], float
        )
        faster = keys.axis("s", "w")
        fire = keys["space"] or mouse["left"]
        self.idle = 0.0 if steer.any() or faster or fire or mouse.dx or mouse.dy else self.idle + dt
        self.hint.visible = self.idle > PATIENCE
        if self.idle > PATIENCE:
            return self.autopilot()
        if mouse.inside and not steer.any():
            steer[:2] = 2 * mouse.y / self.height - 1, 1 - 2 * mouse.x / self.width
        return steer, faster, fire

    def autopilot(self):
        """First shoot at rocks ahead, then at rocks that are easy to aim at."""
        x, y, z = self.seen.T
        off = fw.exact.hypot(x, y)
        far = -z
        cost = np.where(
            off < self.radius + 5, far - 300, far * (0.3 + 3 * off / np.maximum(far, 1))
        )
        target = np.argmin(np.where((far > 15) & (far < 260) & (self.radius > 1.8), cost, np.inf))
        aim = np.array([y[target], -x[target], 0]) / max(far[target], 1)
        steer = (aim * 3).clip(-1, 1) + (0, 0, 0.25 * fw.exact.sin(self.tick / 200))
        return steer, 0.55 - self.throttle, np.abs(aim).max() < 0.06

    def shoot(self, dt, fire):
        self.bullets.position += self.flying * dt
        self.left -= dt
        self.reload -= dt
        if fire and self.reload <= 0:
            self.reload = RELOAD
            row = self.shots % BULLETS
            self.shots += 1
            muzzle = np.array([[1.95 if row % 2 else -1.95, -0.2, -1.5]], np.float32)
            self.bullets.position[row] = (
                self.ship.position + quaternions.rotate(self.ship.rotation, muzzle)
            )[0]
            self.bullets.rotation[row] = self.heading
            self.flying[row] = self.ahead * (BULLET_SPEED + self.speed)
            self.left[row] = BULLET_LIFE
            self.bullets.teleport([row])

    def collide(self, dt):
        """Test whether bullets hit rocks, and whether the ship hits a rock."""
        rows = np.flatnonzero(self.left > 0)
        direction = self.flying[rows] * dt
        before = self.bullets.position[rows] - self.ship.position - direction
        for rocks in self.rocks:
            near = rocks.near(before + direction / 2)
            to_rock = rocks.offset[near] - before[:, None]
            # The fraction of each bullet's path at which it is nearest to each rock.
            share = (
                fw.exact.dot(to_rock, direction[:, None])
                / (direction**2).sum(axis=1, keepdims=True)
            ).clip(0, 1)
            off = np.linalg.norm(to_rock - share[..., None] * direction[:, None], axis=2)
            bullet, hit = np.nonzero(off < rocks.batch.scale[near, 0])
            self.left[rows[bullet]] = 0
            self.blast(rocks, near[np.unique(hit)])
            close = rocks.near(np.zeros((1, 3), np.float32))
            crash = close[
                np.linalg.norm(rocks.offset[close], axis=1) < rocks.batch.scale[close, 0] + 1
            ]
            if len(crash):
                self.speed = SLOW
                self.blast(rocks, crash)
        self.bullets.visible = self.left > 0

    def blast(self, rocks, rows):
        self.hits += len(rows)
        for row in rows:
            position = rocks.batch.position[row]
            radius = rocks.radius[row]
            self.burst(2, position, 1, (1, 0.75, 0.4), 4 * radius, 0.5)
            self.burst(30, position, 4 + 2 * radius, (1, 0.35, 0.08), 0.4 + 0.3 * radius, 1.2)
        rocks.bring_back(rows)

    def burst(self, count, position, speed, color, size, life):
        """Emit sparks at a position."""
        options = {
            "speed": (0.4 * speed, 2.8 * speed),
            "lifetime": (0.5 * life, life),
            "scale": size,
        }
        self.sparks.emit(count, position, tint=(*color, min(life, 1)), **options)

    def look(self, share=1.0):
        """Move the camera behind the ship. The camera turns with a small delay."""
        camera = self.world.camera
        ship = self.ship.position
        camera.rotation = quaternions.slerp(camera.rotation[None], self.heading, share)[0]
        behind = quaternions.rotate(camera.rotation[None], np.array([[0, 1.7, 7.5]], np.float32))
        self.sky.position = camera.position = (ship + behind)[0]
        self.flames.position = ship + quaternions.rotate(
            np.repeat(self.ship.rotation, 2, axis=0), ENGINES
        )
        self.flames.size = (0.8 + 0.8 * self.speed / FAST) * self.random.uniform(0.85, 1.15)
        self.radius = np.concatenate([rocks.batch.scale[:, 0] for rocks in self.rocks])
        # Positions relative to the ship, in the ship's axes.
        seen = np.concatenate([rocks.offset for rocks in self.rocks])
        self.seen = fw.exact.matmul(seen, quaternions.matrices(self.heading)[0].T)

    def place_marks(self):
        aim = self.ship.position + self.ahead * 200
        self.cross.position = self.world.camera.world_to_screen(aim[0]) or (-99, -99)
        near = np.flatnonzero(farthest(self.seen) < 90)[:DOTS]
        self.marks.position[self.dots][: len(near)] = RADAR + self.seen[near][:, [0, 2]] * (
            0.75,
            -0.75,
        )
        self.marks.visible[self.dots] = np.arange(DOTS) < len(near)
        self.marks.teleport(self.dots)
        self.board.text = f"{self.speed:3.0f} units a second\nrocks hit: {self.hits}"


def cells(offset):
    """Return the grid cells of positions (n, 3) relative to the ship."""
    return np.floor((offset + REACH) / CELL) @ STRIDE


def farthest(offset):
    """Return the largest of |x|, |y| and |z| of each position."""
    x, y, z = np.abs(offset).T
    return np.maximum(np.maximum(x, y), z)


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def turned(rotation, vector):
    """Return a quaternion (1, 4) turned by a rotation vector in its own axes."""
    return quaternions.multiply(rotation, quaternions.from_vectors(np.array([vector], np.float32)))


if __name__ == "__main__":
    fw.run(Asteroids, size=(960, 540), resolution=(960, 540), exact=True)
