"""3D: fly a small plane through twelve rings over an island, as fast as you can.

Steer with the arrow keys, WASD or a gamepad's stick. Hold space or the gamepad's A button to fly
faster. Fly through the bright ring. Then the next ring becomes bright. If you touch the ground, you
start again at the last ring. The best time is saved.
"""

import math

import numpy as np

import framework as fw
from framework import quaternions

GRID = 81  # points along each side of the island
CELL = 8.0  # distance between two points, in units
RINGS = 12
RING_RADIUS = 7.0  # units
SPEED = 34.0  # units per second
FAST_SPEED = 56.0
TURN_SPEED = 1.3  # radians per second while the plane leans to the side by one radian
MIN_HEIGHT = 1.5  # if the plane is lower above the ground, it crashes
FORWARD = quaternions.from_axis((1, 0, 0), -math.pi / 2)  # rotates the y axis to -z
BRIGHT = (3.0, 1.9, 0.3, 1)  # the color of the next ring
DARK = (0.12, 0.3, 0.5, 1)  # the color of the other rings


def make_island():
    """Return the ground of an island with hills."""
    x, z = np.meshgrid(np.linspace(-1, 1, GRID), np.linspace(-1, 1, GRID))
    # The hills are a sum of waves. Each wave has two frequencies, a shift and a height.
    waves = ((3.1, 2.3, 0.4, 16), (5.2, -4.1, 1.7, 9), (-8.3, 6.2, 2.9, 5), (13.0, 11.0, 4.2, 2.5))
    heights = sum(size * fw.exact.sin(a * x + b * z + shift) for a, b, shift, size in waves)
    shore = 1 - 1.15 * (x * x + z * z)
    return fw.Heightfield(np.minimum(26 * shore + heights, 60 * shore), CELL)


def make_plane():
    """Return a plane whose nose points along -z."""
    red = (0.8, 0.09, 0.06)
    white = (0.85, 0.85, 0.82)
    dark = (0.06, 0.08, 0.12)
    box = fw.Mesh.box
    return fw.Mesh.merged(
        fw.Mesh.capsule(0.42, 3.4, 16).transformed((0, 0, 0.1), FORWARD).with_color(red),
        fw.Mesh.sphere(0.36, 16)
        .transformed((0, 0.38, -0.25), scale=(1, 0.9, 1.7))
        .with_color(dark),
        box((6.4, 0.12, 1.1)).transformed((0, 0.05, -0.4)).with_color(white),
        box((1.0, 0.14, 1.14)).transformed((2.5, 0.06, -0.4)).with_color(red),
        box((1.0, 0.14, 1.14)).transformed((-2.5, 0.06, -0.4)).with_color(red),
        box((2.2, 0.1, 0.7)).transformed((0, 0.15, 1.7)).with_color(white),
        box((0.1, 1.0, 0.7)).transformed((0, 0.6, 1.75)).with_color(red),
    )


def make_tree():
    """Return a tree of two cones."""
    crowns = [
        fw.Mesh.cone(1.7 - 0.5 * n, 2.4, 7).flat().transformed((0, 2.2 + 1.4 * n, 0))
        for n in range(2)
    ]
    trunk = fw.Mesh.cylinder(0.25, 1.4, 6).transformed((0, 0.5, 0)).with_color((2.0, 0.6, 0.6))
    return fw.Mesh.merged(trunk, *crowns)


class Flight(fw.Game):
    saves_folder = "Untitled Game"
    saved = ("best",)

    def setup(self):
        world = self.world
        world.sky = True
        world.fog = 0.0022
        world.fog_color = (0.55, 0.68, 0.82)
        world.sun_direction = (0.5, 0.55, 0.35)
        world.sun_color = (1.7, 1.5, 1.25)
        world.shadows = fw.Shadows(distance=130, cascades=1)
        world.camera.far = 900
        self.actions = fw.Actions(
            steer=fw.Stick("left right down up", "a d s w", "pad:leftstick"),
            fast=["space", "pad:a"],
        )
        self.island = make_island()
        self.build_island()
        self.place_rings()
        self.plane = self.add(fw.MeshBatch(make_plane(), material=fw.Material(roughness=0.4))).add()
        self.smoke = self.add(
            fw.Particles3D(
                capacity=800, size=fw.Curve(0.5, 3), color=fw.Curve("#fff8", "#fff0"), lit=True
            )
        )
        self.trail = self.smoke.emitter(self.plane, 40, offset=(0, 0, 2.2), lifetime=(0.6, 1.2))
        self.status = self.labels.add("", (16, 16), font_size=24, outline="#20304a")
        self.message = self.labels.add(
            "Arrow keys: steer    Space: faster",
            (self.width / 2, self.height - 90),
            font_size=30,
            anchor=("center", "center"),
            align="center",
            outline="#20304a",
        )
        self.best = 0.0
        if self.saves.exists("best"):
            self.load("best")
        fw.Follow(world.camera, self.plane, (0, 2.6, 10), turning=True, smoothing=0.8)
        self.begin()

    def build_island(self):
        """Add the ground, the water and the trees."""
        mesh = self.island.mesh()
        height = mesh.positions[:, 1:2]
        steepness = 1 - mesh.normals[:, 1:2]
        # Low ground is sand, high ground is snow, steep ground is rock, and all other ground is
        # grass.
        colors = np.where(height < 2.5, (0.5, 0.42, 0.24), (0.10, 0.26, 0.05))
        colors = np.where(height > 27, (0.75, 0.77, 0.8), colors)
        colors = np.where(steepness > 0.25, (0.24, 0.2, 0.17), colors)
        colors = colors * self.random.uniform(0.85, 1.15, (len(colors), 1))
        ground = fw.Material(roughness=1)
        self.add(fw.MeshBatch(mesh.with_color(colors), 1, material=ground))
        water = fw.Material((0.02, 0.12, 0.2), roughness=0.15)
        self.add(fw.MeshBatch(fw.Mesh.plane((3000, 3000)), 1, material=water))
        # Trees grow at random positions, but not in the sand and not in the snow.
        positions = self.random.uniform(-250, 250, (900, 3))
        positions[:, 1] = self.island.height_at(positions)
        positions = positions[(positions[:, 1] > 4) & (positions[:, 1] < 24)]
        count = len(positions)
        trees = self.add(fw.MeshBatch(make_tree(), count, material=ground))
        trees.position = positions
        trees.scale[:] = self.random.uniform(0.8, 1.6, (count, 1))
        trees.color[:, :3] = (0.05, 0.16, 0.04) * self.random.uniform(0.7, 1.5, (count, 1))

    def place_rings(self):
        """Place the rings on a course around the island, at different heights."""
        angles = np.arange(RINGS) / RINGS * math.tau
        distance = 150 + 50 * fw.exact.sin(3 * angles)
        self.course = np.stack(  # the centers of the rings
            [distance * fw.exact.cos(angles), np.zeros(RINGS), distance * fw.exact.sin(angles)],
            axis=1,
        )
        ground = np.maximum(self.island.height_at(self.course), 0)
        self.course[:, 1] = ground + 16 + 8 * fw.exact.sin(5 * angles)
        self.rings = self.add(
            fw.MeshBatch(
                fw.Mesh.torus(RING_RADIUS, 0.5, 32).transformed(rotation=FORWARD),
                RINGS,
                material=fw.Material(roughness=0.3),
            )
        )
        self.rings.position = self.course
        # Each ring faces in the direction from the previous ring to the next ring.
        directions = np.roll(self.course, -1, axis=0) - np.roll(self.course, 1, axis=0)
        for row, direction in enumerate(directions * (1, 0, 1)):
            self.rings.rotation[row] = quaternions.look_rotation(direction)

    def begin(self):
        """Begin a new flight."""
        self.next_ring = 0
        self.time = 0.0
        self.flying = False  # whether the player has pressed a key
        self.over = False
        self.rings.color = DARK
        self.rings.color[0] = BRIGHT
        self.start_behind(0)

    def start_behind(self, ring):
        """Place the plane on the course, some distance before a ring."""
        way = self.course[ring] - self.course[ring - 1]
        position = self.course[ring] - 0.6 * way
        ground = max(float(self.island.height_at([position])[0]), 0.0)
        position[1] = max(position[1], ground + 10)
        # Three angles: to the left, up, and to the side.
        self.yaw = float(fw.exact.arctan2(-way[0], -way[2]))
        self.pitch = 0.0
        self.bank = 0.0
        self.speed = SPEED
        self.turn_plane()
        self.plane.teleport(position)
        self.world.camera.teleport()

    def turn_plane(self):
        """Set the rotation of the plane from its three angles."""
        rotation = quaternions.from_axis((0, 1, 0), self.yaw)
        for axis, angle in (((1, 0, 0), self.pitch), ((0, 0, 1), self.bank)):
            rotation = quaternions.multiply(rotation, quaternions.from_axis(axis, angle))
        self.plane.rotation = rotation

    def update(self, dt):
        across, up = self.actions["steer"]
        self.flying = self.flying or bool(across or up or self.actions.held("fast"))
        if self.over:  # wait for the key that begins a new flight
            if self.actions.just_pressed("fast"):
                self.begin()
        elif self.flying:
            self.time += dt
            self.message.text = ""
        self.fly(dt, across, up)
        self.touch()
        best = f"    best {self.best:.1f} s" if self.best else ""
        self.status.text = f"ring {self.next_ring} of {RINGS}    {self.time:.1f} s{best}"

    def fly(self, dt, across, up):
        """Turn the plane with the keys, and move it forward."""
        speed = FAST_SPEED if self.actions.held("fast") else SPEED
        # Each value approaches its goal: after a second, exp(-2) = 14 % of the difference is left.
        self.speed += (speed - self.speed) * (1 - fw.exact.exp(-2 * dt))
        self.bank += (-0.8 * across - self.bank) * (1 - fw.exact.exp(-5 * dt))
        self.pitch += (0.6 * up - self.pitch) * 0.8 * (1 - fw.exact.exp(-3 * dt))
        self.yaw += TURN_SPEED * self.bank * dt
        self.turn_plane()
        forward = quaternions.rotate(self.plane.rotation, (0, 0, -1))
        x, y, z = np.array(self.plane.position) + forward * self.speed * dt
        self.plane.position = x, min(y, 90), z

    def touch(self):
        """Check whether the plane touches the ground or the next ring."""
        position = np.array(self.plane.position)
        ground = max(float(self.island.height_at([position])[0]), 0.0)
        if position[1] < ground + MIN_HEIGHT:
            self.smoke.emit(60, position, speed=(2, 12), lifetime=(0.5, 1.5), tint="#a98")
            fw.art.sounds.explosion.play(volume=0.4)
            self.start_behind(self.next_ring % RINGS)
        elif not self.over and self.is_in_ring(position):
            self.smoke.emit(40, position, speed=(4, 16), lifetime=(0.3, 0.8), tint="#fc6")
            fw.art.sounds.coin.play(volume=0.5, pitch=1 + 0.05 * self.next_ring)
            self.rings.color[self.next_ring] = DARK
            self.next_ring += 1
            if self.next_ring < RINGS:
                self.rings.color[self.next_ring] = BRIGHT
            else:
                self.win()

    def is_in_ring(self, position):
        return np.linalg.norm(position - self.course[self.next_ring]) < RING_RADIUS

    def win(self):
        """End the flight, and save the time if it is the best."""
        self.over = True
        fw.art.sounds.powerup.play(volume=0.5)
        is_record = not self.best or self.time < self.best
        title = "Best time" if is_record else "Done"
        self.message.text = f"{title}: {self.time:.1f} s\nSpace: fly again"
        if is_record:
            self.best = self.time
            self.save("best")


if __name__ == "__main__":
    fw.run(Flight, title="Untitled Game", size=(960, 540), resolution=(960, 540), exact=True)
