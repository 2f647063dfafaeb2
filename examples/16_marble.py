"""Marble: a marble on a course in the clouds, with falling boxes, bumpers and gems.

W, A, S, D, the arrows or a gamepad's stick roll the marble. Space or the gamepad's A jumps, R
starts again. Without a player, the marble rolls to the goal by itself. Needs Rapier: pip install
'subtick[physics3d]'. On slow machines the resolution is lower and there are no shadows. A number on
the command line, 0 to 2, fixes the quality.
"""

import math

import levels
import numpy as np

import framework as fw
from framework import quaternions

# The course, in two pieces with a gap between them: x, y, z, and half the width.
COURSE = [
    [(0, 10, 5, 3), (0, 10, 0, 2.4), (0, 8.4, -7, 2), (0, 7, -14, 2.4), (0, 6.9, -20, 2.4), (3, 6.6, -27, 2.2),
     (10, 6, -32, 2), (18, 5.4, -33, 2), (26, 5, -33, 2), (32, 5.5, -33, 2)],
    [(35, 3.4, -33, 3), (42, 2.6, -33, 2.6), (50, 2.4, -30, 2), (54, 2.2, -22, 2), (52, 2, -14, 2), (45, 1.8, -9, 2),
     (37, 1.6, -8, 2), (30, 1.5, -8, 2.4), (23, 1.3, -8, 5), (16, 1.1, -8, 5), (9, 0.6, -8, 2), (1, 0, -8, 2),
     (-7, -0.4, -8, 3), (-12, -0.4, -8, 3)],
]  # fmt: skip
STEPS = 12  # samples between two of these points
RADIUS = 0.5
TOP_SPEED = 9.5
JUMP = 7.0
WALL = (0, 4)  # a piece of the course, and a point on this piece
DOMINOES = (1, 6)  # a piece, and a point on it
ARENA = [
    (24, 3),
    (24, -2.6),
    (20.5, 2.2),
    (20, -3.4),
    (16.5, 3.2),
    (16.5, -2.4),
]  # bumpers: x, and distance from z = -8
PATIENCE = 2  # seconds without input until the autopilot starts
SCALE = [0, 2, 4, 7, 9]  # tones of the gems, in semitones
LEVELS = [
    {"cascades": 0, "render_scale": 0.5, "samples": 0},
    {"cascades": 1, "render_scale": 1.0, "samples": 0},
    {"cascades": 3, "render_scale": 1.0, "samples": 4},
]
CANDY = [
    fw.srgb(color) for color in ("#ff5d73", "#ff9f45", "#ffd95a", "#57cc99", "#48bfe3", "#7b6cf6")
]


def spline(points):
    """Return a Catmull-Rom curve through points (n, m): ((n - 1) * STEPS + 1, m)."""
    points = np.array(points, float)
    a = np.vstack([2 * points[0] - points[1], points, 2 * points[-1] - points[-2]])
    a, b, c, d = a[:-3, None], a[1:-2, None], a[2:-1, None], a[3:, None]
    t = np.arange(STEPS)[:, None] / STEPS
    curve = b + t / 2 * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)))
    return np.vstack([curve.reshape(-1, points.shape[1]), points[-1]])


def axes_of(curve):
    """Return the directions ahead, right and up of a curve, (n, 3) each. The course leans into its
    bends.
    """
    ahead = unit(np.gradient(curve[:, :3], axis=0))
    right = unit(np.cross(ahead, (0, 1, 0)))
    lean = (np.gradient(ahead, axis=0) * right).sum(axis=1)
    for _ in range(2 * STEPS):
        lean[1:-1] = (lean[:-2] + 2 * lean[1:-1] + lean[2:]) / 4
    right = unit(right - np.outer(3 * lean.clip(-0.12, 0.12), (0, 1, 0)))
    return ahead, right, np.cross(right, ahead)


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def make_track(curve):
    """Return the meshes of the floor along the curve, and of the border on both sides. The border
    is 0.4 units high."""
    _, right, up = axes_of(curve)
    position = curve[:, :3]
    half = curve[:, 3:]
    along = np.cumsum(np.linalg.norm(np.diff(position, axis=0, prepend=position[:1]), axis=1))
    sides = [
        (-1, 0, 0),
        (1, 0, 0),
        (1, 0.1, 0.4),
        (1, 0.4, 0.4),
        (1, 0.25, -0.5),
    ]  # fractions of half the width; units right and up
    sides += [(-share, -out, high) for share, out, high in reversed(sides[2:])]
    rings = np.stack(
        [position + right * (share * half + out) + up * high for share, out, high in sides]
    )
    strips = []
    for left, beside in zip(rings, np.roll(rings, -1, axis=0), strict=True):
        corners = np.arange(len(curve) - 1)[:, None] * 2 + [0, 1, 3, 0, 3, 2]
        across = np.linalg.norm(beside - left, axis=1) / 2
        uvs = np.stack(
            [np.stack([-across, along], axis=1), np.stack([across, along], axis=1)], axis=1
        )
        positions = np.stack([left, beside], axis=1).reshape(-1, 3)
        strips.append(fw.Mesh(positions, corners.reshape(-1), uvs=uvs.reshape(-1, 2) / 4))
    cap = np.array([(5, 4, 1), (5, 1, 0), (4, 3, 2), (4, 2, 1), (5, 0, 7), (5, 7, 6)])
    caps = [
        fw.Mesh(rings[:, 0], cap.reshape(-1)).flat(),
        fw.Mesh(rings[:, -1], cap[:, ::-1].reshape(-1)).flat(),
    ]
    return strips[0], fw.Mesh.merged(*strips[1:], *caps)


def tiles():
    """Return a checkered image with joints, which repeats every four units."""
    y, x = np.mgrid[:256, :256]
    dark = (x // 64 + y // 64) % 2
    joint = np.minimum(np.minimum(x % 64, 63 - x % 64), np.minimum(y % 64, 63 - y % 64)) < 1
    image = np.full((256, 256, 4), 255, np.uint8)
    image[..., :3] = np.where(
        joint[..., None],
        (208, 196, 190),
        np.where(dark[..., None], (226, 214, 206), (250, 243, 234)),
    )
    return image


def swirl():
    """Return an image of bands for a glass marble."""
    v, u = np.mgrid[:128, :256] / np.array([128, 256])[:, None, None]
    wave = np.sin(math.tau * (2 * u + 0.35 * np.sin(math.tau * v * 1.5)))
    blue, white, red = (
        np.array(color)[None, None] for color in ((22, 74, 190), (250, 250, 255), (255, 70, 90))
    )
    image = np.full((128, 256, 4), 255, np.uint8)
    bands = np.where((wave > 0.75)[..., None], red, np.where((wave > 0.2)[..., None], white, blue))
    image[..., :3] = bands
    return image


class Marble(fw.Game):
    def setup(self):
        world = self.world
        world.sky = True
        world.fog = 0.006
        world.fog_color = (0.55, 0.68, 0.86)
        world.sun_direction = (-0.55, 0.62, 0.42)
        world.sun_color = (2.1, 1.75, 1.35)
        world.sky_color = (0.42, 0.55, 0.85)
        world.ground_color = (0.32, 0.30, 0.34)
        world.camera.far = 400
        world.camera.fov = 0.95
        levels.choose(self, LEVELS, self.fit)
        self.actions = fw.Actions(
            roll=fw.Stick("a d s w", "left right down up", "pad:leftstick", deadzone=0.15),
            jump=["space", "pad:a"],
            again=["r", "pad:start"],
        )
        self.physics = fw.Physics3D(self, gravity=(0, -20, 0), rate=120)
        self.curves = [spline(points) for points in COURSE]
        self.path = np.vstack(self.curves)[:, :3]
        self.ahead = np.vstack([axes_of(curve)[0] for curve in self.curves])
        self.build_track()
        self.build_toys()
        self.build_clouds()
        ball = fw.MeshBatch(
            fw.Mesh.sphere(RADIUS, 48), material=fw.Material(roughness=0.12, base_texture=swirl())
        )
        self.marble = self.add(ball).add()
        self.body = self.physics.add(
            self.marble, shape="ball", density=2, friction=0.8, fast=True, layer="marble"
        )
        self.sparks = self.add(fw.Particles3D.sparks())
        self.confetti = self.add(fw.Particles3D.confetti())
        self.orbit = fw.Orbit(world.camera, distance=7.5, pitch=0.42)
        self.board = self.labels.add("", (24, 516), anchor=("left", "top"), outline="#4a5a7a")
        words = "WASD or stick: roll   space or A: jump   R: again"
        self.hint = self.labels.add(
            words, (480, 24), anchor=("center", "bottom"), outline="#4a5a7a"
        )
        self.tone = fw.Sound.tone(440, 0.5, wave="triangle")
        self.thud, self.boing, self.hop, self.fanfare, self.lost = (
            fw.Sound.sfx(seed, kind)
            for seed, kind in ((3, "hit"), (8, "jump"), (2, "jump"), (5, "powerup"), (4, "laser"))
        )
        self.rumble = fw.Sound.tone(70, 2.0, wave="noise").play(loop=True, volume=0)
        self.idle = math.inf
        self.best = math.inf
        self.begin()

    def fit(self, quality):
        """Apply another quality level."""
        cascades = quality["cascades"]
        self.world.shadows = (
            fw.Shadows(distance=60, cascades=cascades, resolution=2048) if cascades else None
        )

    def build_track(self):
        floors, hulls = zip(*map(make_track, self.curves), strict=True)
        stone = fw.Material(base_texture=tiles(), roughness=0.55)
        for mesh, material in (
            (fw.Mesh.merged(*floors), stone),
            (fw.Mesh.merged(*hulls), fw.Material("#ee7b6c", roughness=0.5)),
        ):
            self.add(fw.MeshBatch(mesh, 1, material=material))
            self.physics.add_static(mesh, friction=0.8, layer="track")
        posts = np.vstack([curve[STEPS :: 2 * STEPS] for curve in self.curves])[:, :3]
        pillars = self.add(
            fw.MeshBatch(
                fw.Mesh.cone(0.9, 60, 20, top=0.55), len(posts), material=fw.Material("#f2d9c4")
            )
        )
        pillars.position[:] = posts - (0, 30.4, 0)
        goal = self.path[-STEPS // 2]
        ring = fw.Mesh.torus(2.6, 0.22, 48).transformed(
            goal, quaternions.from_axis((0, 0, 1), math.pi / 2)
        )
        self.add(
            fw.MeshBatch(
                ring, 1, material=fw.Material("#ffd95a", roughness=0.25, emissive=(0.5, 0.32, 0.05))
            )
        )

    def build_toys(self):
        """Add a wall of boxes, dominoes, bumpers and gems."""
        piece, point = WALL
        corner = self.curves[piece][point * STEPS, :3]
        self.box_places = (
            np.array([(0.95 * x, 0.44 + 0.86 * y, 0) for y in range(4) for x in (-2, -1, 0, 1, 2)])
            + corner
        )
        piece, point = DOMINOES
        first = self.curves[piece][point * STEPS : (point + 1) * STEPS + 1 : 1, :3]
        self.domino_places = first + (0, 0.85, 0)
        gloss = fw.Material(roughness=0.35)
        self.boxes = self.add(
            fw.MeshBatch(fw.Mesh.box((0.92, 0.84, 0.84)), len(self.box_places), material=gloss)
        )
        self.boxes.color[:, :3] = [
            CANDY[(row // 5 + row % 5) % 6] for row in range(len(self.box_places))
        ]
        self.dominoes = self.add(
            fw.MeshBatch(fw.Mesh.box((0.16, 1.6, 0.9)), len(first), material=gloss)
        )
        self.dominoes.color[:, :3] = [CANDY[row % 6] for row in range(len(first))]
        self.boxes.position[:] = self.box_places
        self.dominoes.position[:] = self.domino_places
        self.toys = [
            self.physics.add(self.boxes, mass=0.25, friction=0.6, layer="toy"),
            self.physics.add(self.dominoes, mass=0.12, friction=0.4, layer="toy"),
        ]
        cap = fw.Mesh.cylinder(0.8, 0.9, 32).with_color((0.95, 0.95, 1))
        band = fw.Mesh.torus(0.8, 0.16, 32).transformed((0, 0.1, 0)).with_color((1, 0.18, 0.3))
        self.bumpers = self.add(fw.MeshBatch(fw.Mesh.merged(cap, band), len(ARENA), material=gloss))
        self.bumpers.position[:] = [(x, 1.7, side - 8) for x, side in ARENA]
        self.physics.add(
            self.bumpers, shape="cylinder", kind="static", elasticity=2.5, layer="bumper"
        )
        jewel = fw.Material(roughness=0.15, emissive=(0.25, 0.2, 0.02))
        self.gems = self.add(
            fw.MeshBatch(
                fw.Mesh.sphere(0.42, 4).flat().transformed(scale=(0.8, 1.15, 0.8)), material=jewel
            )
        )

    def build_clouds(self):
        puffs = self.add(
            fw.MeshBatch(
                fw.Mesh.sphere(1, 20),
                260,
                material=fw.Material((0.9, 0.92, 1), roughness=1),
                casts_shadow=False,
            )
        )
        middles = self.random.uniform((-70, -17, -100), (110, -11, 60), (52, 3))
        puffs.position[:] = np.repeat(middles, 5, axis=0) + self.random.uniform(
            (-7, -1, -4), (7, 1, 4), (260, 3)
        )
        puffs.scale[:] = self.random.uniform((3, 1.2, 2.5), (7, 2.4, 5), (260, 3))

    def begin(self):
        """Put all toys in their places, and the marble at the start."""
        for bodies, batch, positions in zip(
            self.toys,
            (self.boxes, self.dominoes),
            (self.box_places, self.domino_places),
            strict=True,
        ):
            batch.position[:] = positions
            batch.rotation[:] = (0, 0, 0, 1)
            bodies.velocity[:] = 0
            bodies.angular_velocity[:] = 0
            batch.teleport(slice(None))
        self.gems.remove(slice(None))
        rows = np.arange(STEPS // 2 + STEPS, len(self.path) - STEPS, STEPS // 2)
        self.gems.extend(len(rows), position=self.path[rows] + (0, 0.8, 0), color=(1, 0.75, 0.1, 1))
        self.total = len(rows)
        self.near = 0
        self.time = 0.0
        self.done = 0.0
        self.row = 0
        self.put(STEPS // 2)

    def put(self, near):
        """Put the marble on the course, at rest."""
        self.near = near
        self.marble.position = self.path[near] + (0, RADIUS + 0.1, 0)
        self.body.velocity[:] = 0
        self.body.angular_velocity[:] = 0
        self.marble.teleport()
        self.orbit.yaw = self.heading()
        self.orbit.target = self.marble.position
        self.world.camera.teleport()

    def heading(self):
        x, _, z = self.ahead[min(self.near + STEPS // 2, len(self.path) - 1)]
        return fw.exact.arctan2(-x, -z)

    def update(self, dt):
        position = np.array(self.marble.position, float)
        seen = slice(max(self.near - STEPS, 0), self.near + 2 * STEPS)
        self.near = seen.start + int(np.argmin(np.linalg.norm(self.path[seen] - position, axis=1)))
        self.roll(dt, position)
        self.gather(position)
        self.hear()
        if position[1] < self.path[self.near, 1] - 8:
            self.lost.play(volume=0.5)
            self.put(self.near // STEPS * STEPS)
        self.finish(dt)
        late = fw.exact.exp(-3 * dt)
        self.orbit.yaw += math.remainder(self.heading() - self.orbit.yaw, math.tau) * (1 - late)
        self.orbit.target = position + (0, 0.9, 0)
        self.gems.rotation[:] = quaternions.from_axis((0, 1, 0), 2 * self.tick * dt)
        best = f"\nbest {self.best:.1f} s" if self.best < math.inf else ""
        self.board.text = (
            f"{self.time:.1f} s\n{self.total - len(self.gems)} of {self.total} gems{best}"
        )

    def roll(self, dt, position):
        """Push the marble for the player or the autopilot, in directions relative to the camera."""
        across, along = self.actions["roll"]
        jumps = self.actions.presses("jump")
        speed = self.body.velocity[0]
        self.idle = 0.0 if across or along or jumps else self.idle + dt
        self.hint.visible = self.idle > PATIENCE
        if self.idle > PATIENCE:
            wish = (
                self.path[min(self.near + 7, len(self.path) - 1)]
                - position
                + (self.done > 0) * 0.01
            )
            wish = unit(wish * (1, 0, 1))
        else:
            sin, cos = fw.exact.sincos(self.orbit.yaw)
            wish = np.array([across * cos - along * sin, 0, -across * sin - along * cos])
        grounded = bool(self.physics.staying("marble", "track"))
        if jumps and grounded:
            self.body.velocity[0, 1] += JUMP
            self.hop.play(volume=0.4)
        pull = (TOP_SPEED * wish - speed) * (1, 0, 1) * (2.2 if grounded else 0.7)
        self.body.force[:] = pull if not self.done else speed * (-3, 0, -3)
        pace = float(np.linalg.norm(speed))
        self.rumble.volume = 0.02 * pace * grounded
        self.rumble.pitch = 0.4 + 0.06 * pace

    def gather(self, position):
        near = np.linalg.norm(self.gems.position - position, axis=1) < 1.1
        for row in np.flatnonzero(near):
            self.sparks.emit(40, self.gems.position[row], tint="#ffd95a")
            octave, note = divmod(self.row, len(SCALE))
            self.tone.play(
                volume=0.4,
                pitch=float(fw.exact.power(2.0, (SCALE[note] + 12 * (octave % 3) - 5) / 12)),
            )
            self.row += 1
        if near.any():
            self.gems.remove(near)

    def hear(self):
        """Play the sounds of bumpers and toys."""
        for _, bumper in self.physics.entered("marble", "bumper"):
            self.boing.play(volume=0.5, position=bumper)
            self.sparks.emit(30, bumper.position, tint="#ff8fab")
        for _, toy in self.physics.entered("marble", "toy")[:2]:
            self.thud.play(volume=0.3, pitch=self.random.uniform(0.8, 1.3), position=toy)

    def finish(self, dt):
        """Show confetti at the goal, and start again soon after."""
        if not self.done and self.near < len(self.path) - STEPS // 2:
            self.time += dt
        elif not self.done:
            self.best = min(self.best, self.time)
            self.confetti.emit(500, self.path[-STEPS // 2])
            self.fanfare.play()
            self.done = dt
        else:
            self.done += dt
        if self.actions.just_pressed("again") or self.done > 5:
            self.begin()


if __name__ == "__main__":
    fw.run(Marble, size=(960, 540), resolution=(960, 540), exact=True)
