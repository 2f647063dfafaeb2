"""Tank: a hierarchy of hull, turret, gun and wheels that drives on hills and shoots.

W, A, S, D or the arrows drive, the mouse aims, a click or space fires. Without a player, the tank
hunts balloons. The game runs at 20 ticks a second, and frames interpolate. On slow machines the
resolution is lower and there are no shadows. A number on the command line, 0 to 2, fixes the
quality.
"""

import math

import levels
import numpy as np

import framework as fw
from framework import quaternions

GRID = 129  # points along each side of the ground
CELL = 2.5  # units between two points
WHEEL = 0.42  # radius in units
WHEELS = 6  # wheels on each side
TOP_SPEED = 15.0
SHELL_SPEED = 62.0
GRAVITY = 9.8
PUFFS = 400
TREES = 420
BALLOONS = 14
PATIENCE = 6  # seconds without input before the autopilot starts
LEVELS = [
    {"cascades": 0, "render_scale": 0.5, "samples": 0},
    {"cascades": 2, "render_scale": 1.0, "samples": 0},
    {"cascades": 3, "render_scale": 1.0, "samples": 4},
]
HEIGHTS = (-7, -3.5, -2.5, 4, 9, 14)  # heights in units, and the ground color at each
COLORS = np.array([(0.10, 0.20, 0.18), (0.36, 0.31, 0.17), (0.16, 0.27, 0.04), (0.08, 0.17, 0.025), (0.26, 0.22, 0.15),
                   (0.6, 0.6, 0.6)])  # fmt: skip
TAN = (0.36, 0.25, 0.10)
DARK = (0.035, 0.035, 0.04)
STEEL = (0.16, 0.16, 0.17)
FORWARD = quaternions.from_axis((1, 0, 0), -math.pi / 2)  # turns the y axis to -z


def make_ground(random):
    """Return smooth hills, with higher hills around them."""
    often = fw.exact.hypot(np.fft.fftfreq(GRID)[:, None], np.fft.rfftfreq(GRID))
    waves = np.fft.rfft2(random.normal(size=(GRID, GRID))) / fw.exact.power(often + 4 / GRID, 2.6)
    heights = np.fft.irfft2(waves, (GRID, GRID))
    rim = fw.exact.power(np.abs(np.linspace(-1, 1, GRID)), 5)
    # Rounded, so that the last digits of the Fourier transform, which depend on the machine, do not
    # count.
    return fw.Heightfield(
        np.round(2.5 * heights / heights.std() + 15 * np.maximum(rim, rim[:, None]), 5), CELL
    )


def make_tank():
    """Return meshes of the hull, the turret, the gun and a wheel. The origin of each is its pivot."""
    box = fw.Mesh.box
    barrel = fw.Mesh.cylinder
    hull = [box((2.3, 0.75, 5.0)).transformed((0, 1.0, 0)).with_color(TAN)]
    hull += [
        box((2.3, 0.5, 1.0))
        .transformed((0, 1.02, -2.55), quaternions.from_axis((1, 0, 0), -0.7))
        .with_color(TAN)
    ]
    hull += [box((1.6, 0.25, 1.2)).transformed((0, 1.45, 1.7)).with_color(DARK)]
    for side in (-1.5, 1.5):
        hull += [box((0.72, 0.1, 5.7)).transformed((side, 1.3, 0)).with_color(TAN)]
        hull += [
            box((0.55, 0.12, 5.0)).transformed((side, y, 0)).with_color(DARK) for y in (0.1, 1.0)
        ]
        hull += [box((0.5, 0.7, 5.2)).transformed((side * 0.93, 0.55, 0)).with_color(DARK)]
    turret = [
        fw.Mesh.cone(1.25, 0.75, 8, top=0.85)
        .flat()
        .transformed((0, 0.37, 0), scale=(1, 1, 1.25))
        .with_color(TAN),
        barrel(0.36, 0.2, 12).transformed((0.35, 0.8, 0.3)).with_color(DARK),
        box((1.3, 0.4, 0.7)).transformed((0, 0.4, 1.45)).with_color(DARK),
        barrel(0.02, 1.8, 6).transformed((-0.5, 1.5, 0.9)).with_color(DARK),
    ]
    gun = [
        barrel(0.12, 3.4, 12).transformed((0, 0, -1.9), FORWARD).with_color(STEEL),
        barrel(0.19, 0.5, 12).transformed((0, 0, -3.5), FORWARD).with_color(DARK),
        box((0.7, 0.5, 0.6)).transformed((0, 0, -0.1)).with_color(TAN),
    ]
    across = quaternions.from_axis((0, 0, 1), math.pi / 2)
    wheel = [barrel(WHEEL, 0.3, 16).transformed((0, 0, 0), across).with_color(DARK)]
    wheel += [barrel(WHEEL * 0.7, 0.34, 12).transformed((0, 0, 0), across).with_color(TAN)]
    for turn in np.arange(5) * math.tau / 5:
        position = 0, 0.2 * fw.exact.cos(turn), 0.2 * fw.exact.sin(turn)
        wheel += [barrel(0.06, 0.4, 6).transformed(position, across).with_color(STEEL)]
    return [fw.Mesh.merged(*parts) for parts in (hull, turret, gun, wheel)]


def make_tree():
    crowns = [
        fw.Mesh.cone(1.5 - 0.4 * n, 1.9, 7).flat().transformed((0, 1.9 + 1.15 * n, 0))
        for n in range(3)
    ]
    return fw.Mesh.merged(
        fw.Mesh.cylinder(0.22, 1.4, 6).transformed((0, 0.5, 0)).with_color((1.6, 0.5, 0.5)), *crowns
    )


def make_balloon():
    """Return a balloon with bright and dark stripes."""
    ball = fw.Mesh.sphere(1.0, 20).flat()
    middles = np.repeat(ball.positions.reshape(-1, 3, 3).mean(axis=1), 3, axis=0)
    stripes = np.floor(fw.exact.arctan2(middles[:, 0], middles[:, 2]) / math.tau * 10) % 2
    ball = ball.with_color((0.6 + 0.9 * stripes)[:, None] * np.ones(3)).transformed(
        scale=(2.2, 2.6, 2.2)
    )
    return fw.Mesh.merged(
        ball, fw.Mesh.box((0.8, 0.7, 0.8)).transformed((0, -3.6, 0)).with_color((0.5, 0.35, 0.2))
    )


class Tank(fw.Game):
    def setup(self):
        world = self.world
        world.camera.far = 600
        world.sky = True
        world.fog = 0.0024
        world.fog_color = (0.50, 0.60, 0.72)
        world.sun_color = (1.75, 1.55, 1.25)
        world.sun_direction = (0.55, 0.42, 0.45)
        levels.choose(self, LEVELS, self.fit)
        self.ground = make_ground(self.random)
        self.plant()
        self.build()
        hot = fw.Material(DARK, emissive=(4, 1.6, 0.4))
        self.shells = self.add(
            fw.MeshBatch(fw.Mesh.sphere(0.2, 10), 8, material=hot, motion="hermite")
        )
        self.shells.visible = False
        self.balloons = self.add(
            fw.MeshBatch(make_balloon(), BALLOONS, material=fw.Material(roughness=0.5))
        )
        self.balloons.position[:] = self.somewhere(BALLOONS, 110)
        self.balloons.position[:, 1] += self.random.uniform(6, 15, BALLOONS)
        hues = self.random.permutation(BALLOONS)[:, None] / BALLOONS + np.array([0, 1 / 3, 2 / 3])
        self.balloons.color[:, :3] = (
            fw.exact.power(0.5 + 0.5 * fw.exact.cos(math.tau * hues), 1.5) * 0.85
        )
        grow = fw.Curve(1, 3.5)
        fade = fw.Curve("#ffffffb3", "#fff0")
        self.dust = self.add(
            fw.Particles3D(
                "art/dust.png", PUFFS, size=grow, color=fade, damping=1.5, lit=True, soft=1.2
            )
        )
        self.tracks = [
            self.dust.emitter(self.hull, 24, offset=(side, 0.2, 2.4), emitting=False)
            for side in (-1.5, 1.5)
        ]
        self.orbit = fw.Orbit(world.camera, self.hull.position, 13, pitch=0.3)
        self.marks = self.add(fw.SpriteBatch("art/crosshair.png"), camera=self.hud)
        self.cross = self.marks.add()
        self.board = self.labels.add("", position=(20, 20), outline="#33502a")
        words = "WASD: drive   mouse: aim   click: fire"
        self.hint = self.labels.add(
            words, position=(480, 505), anchor=("center", "bottom"), outline="#4a5a7a"
        )
        self.hits = 0
        self.target = 0
        self.reload = 0.0
        self.recoil = 0.0
        self.idle = math.inf
        self.drive(0, 0, 0)
        self.point(0, towards(0))
        self.look(1)

    def fit(self, quality):
        """Apply another quality level."""
        cascades = quality["cascades"]
        self.world.shadows = fw.Shadows(distance=90, cascades=cascades) if cascades else None

    def somewhere(self, count, reach):
        """Return random positions on the ground, (count, 3)."""
        positions = self.random.uniform(-reach, reach, (count, 3))
        positions[:, 1] = self.ground.height_at(positions)
        return positions

    def plant(self):
        mesh = self.ground.mesh()
        steep = (1 - mesh.normals[:, 1:2]).clip(0, 0.25) * 4
        color = np.stack(
            [np.interp(mesh.positions[:, 1], HEIGHTS, channel) for channel in COLORS.T], axis=1
        )
        color = color * (1 - steep) + np.array([0.20, 0.17, 0.13]) * steep
        mesh = mesh.with_color(color * self.random.uniform(0.85, 1.15, (len(color), 1)))
        matt = fw.Material(roughness=1)
        self.add(fw.MeshBatch(mesh, 1, material=matt))
        positions = self.somewhere(6 * TREES, GRID * CELL / 2)
        clear = (np.abs(positions[:, 1] - 3) < 5) & (fw.exact.hypot(*positions[:, [0, 2]].T) > 14)
        positions = positions[clear][:TREES]
        trees = self.trees = self.add(fw.MeshBatch(make_tree(), len(positions), material=matt))
        trees.position[:] = positions
        trees.scale[:] = self.random.uniform(0.7, 1.5, (len(positions), 1))
        turns = np.outer(self.random.uniform(0, math.tau, len(positions)), (0, 1, 0))
        trees.rotation[:] = quaternions.from_vectors(turns)
        trees.color[:, :3] = (0.05, 0.13, 0.04) * self.random.uniform(0.6, 1.6, (len(positions), 3))

    def build(self):
        """Build the tank: nodes in a hierarchy, and meshes on the nodes."""
        nodes = self.nodes = fw.Nodes3D(motion="hermite")
        self.hull = nodes.add()
        self.turret = nodes.add(self.hull, position=(0, 1.37, -0.2))
        self.gun = nodes.add(self.turret, position=(0, 0.4, -1.2))
        positions = [
            (side, 0.55, z) for side in (-1.6, 1.6) for z in np.linspace(-2.1, 2.1, WHEELS)
        ]
        self.wheels = [nodes.add(self.hull, position=position) for position in positions]
        material = fw.Material(roughness=0.75, metallic=0.1)
        for mesh, at in zip(
            make_tank(), ([self.hull], [self.turret], [self.gun], self.wheels), strict=True
        ):
            self.add(fw.NodeMeshes(mesh, nodes, at, material=material))
        self.hull.position = self.somewhere(1, 1)[0]
        self.yaw = self.aim = self.turned = (
            0.0  # yaw of the hull, the aim and the turret: radians left of -z
        )
        self.speed = 0.0
        self.raised = 0.1
        self.lift = 0.1
        self.rolled = np.zeros(2 * WHEELS)

    def update(self, dt):
        turn, throttle, aim, fire = self.wishes(dt)
        self.drive(dt, turn, throttle)
        self.point(dt, aim)
        self.fly(dt)
        self.reload -= dt
        if fire and self.reload <= 0:
            self.fire()
        self.balloons.position[:, 1] += (
            0.6 * dt * fw.exact.sin(0.7 * self.tick * dt + np.arange(BALLOONS))
        )
        self.balloons.rotation[:] = quaternions.from_axis((0, 1, 0), 0.2 * self.tick * dt)
        self.look(dt)

    def puff(self, count, position, spread, color, **options):
        """Emit clouds of dust and smoke, which grow and fade."""
        self.dust.emit(count, position, **clouds(spread, color, **options))

    def wishes(self, dt):
        """Return the input of the player or the autopilot: turn left, drive, aim (a direction),
        fire.
        """
        keys = self.keys
        mouse = self.mouse
        turn = keys.axis("d", "a") or keys.axis("right", "left")
        throttle = keys.axis("s", "w") or keys.axis("down", "up")
        fire = keys["space"] or mouse["left"]
        self.idle = 0.0 if turn or throttle or fire or mouse.dx or mouse.dy else self.idle + dt
        self.hint.visible = self.idle > PATIENCE
        if self.idle > PATIENCE:
            return self.autopilot()
        self.aim -= 0.005 * mouse.dx
        self.lift = min(max(self.lift + 0.003 * mouse.dy, -0.1), 0.7)
        return turn, throttle, towards(self.aim, self.lift), fire

    def autopilot(self):
        """Shoot in an arc at a balloon that is not too near, and drive towards it."""
        direction = self.balloons.position - self.muzzle
        away = fw.exact.hypot(direction[:, 0], direction[:, 2])
        if not 20 < away[self.target] < 80:
            self.target = int(np.argmin(np.abs(away - 45)))
        x, y, z = direction[self.target]
        far = away[self.target]
        squared = SHELL_SPEED**2
        root = squared**2 - GRAVITY * (GRAVITY * far * far + 2 * y * squared)
        self.lift = fw.exact.arctan2(squared - math.sqrt(max(root, 0)), GRAVITY * far)
        self.aim = fw.exact.arctan2(-x, -z)
        heading = self.aim + (1.3 if far < 40 else 0.3)
        turn = min(max(2 * math.remainder(heading - self.yaw, math.tau), -1), 1)
        return turn, 0.75, towards(self.aim, self.lift), self.off < 0.02

    def drive(self, dt, turn, throttle):
        """Drive over the ground, at its height and with its slope."""
        turning = 0.9 * turn
        self.speed += (TOP_SPEED * throttle - self.speed) * (1 - fw.exact.exp(-1.5 * dt))
        self.yaw += turning * dt
        edge = self.ground.size[0] / 2 - 12
        before = np.array(self.hull.position)
        position = (before + towards(self.yaw) * self.speed * dt).clip(-edge, edge)
        ahead = towards(self.yaw) * 2.2
        right = towards(self.yaw - math.pi / 2) * 1.5
        corners = position + np.array(
            [ahead - right, ahead + right, -ahead - right, -ahead + right]
        )
        corners[:, 1] = self.ground.height_at(corners)
        position[1] = corners[:, 1].mean()
        back = corners[2:].sum(axis=0) - corners[:2].sum(axis=0)
        right = corners[1::2].sum(axis=0) - corners[::2].sum(axis=0)
        up = np.cross(back, right)
        self.axes = np.array([np.cross(up, back), up, back])
        self.axes /= np.linalg.norm(self.axes, axis=1, keepdims=True)
        self.hull.position = position
        self.hull.rotation = quaternions.from_matrix(self.axes)
        if dt:
            self.nodes.velocity[self.hull.row] = (position - before) / dt
        self.roll(dt, turning)
        flat = fw.exact.hypot(*(self.trees.position - position)[:, [0, 2]].T) < 2.6
        for row in np.flatnonzero(flat & self.trees.visible):
            self.puff(10, self.trees.position[row] + (0, 2, 0), 1.5, (0.10, 0.22, 0.06))
            self.trees.visible[row] = False

    def roll(self, dt, turning):
        """Turn the wheels. At full speed a wheel turns by more than half a turn in a tick, so its
        angular velocity gives the direction.
        """
        pace = self.speed + turning * np.repeat((-1.6, 1.6), WHEELS)
        self.rolled = (self.rolled + pace / WHEEL * dt) % math.tau
        rows = [wheel.row for wheel in self.wheels]
        self.nodes.angular_velocity[rows, 0] = -pace / WHEEL
        self.nodes.rotation[rows] = quaternions.from_vectors(
            np.outer(self.rolled, (-1, 0, 0)).astype(np.float32)
        )
        for track in self.tracks:
            track.emitting = abs(self.speed) > 3
            if track.emitting:
                track.change(
                    **clouds(0.5, (0.9, 0.72, 0.5), drift=(0, 0.8, 0), size=0.15 * abs(self.speed))
                )

    def point(self, dt, aim):
        """Turn the turret and raise the gun towards the player's target, each at its own speed."""
        x, y, z = fw.exact.matmul(self.axes, aim).tolist()  # in the hull's axes
        left = fw.exact.arctan2(-x, -z)
        up = fw.exact.arctan2(y, fw.exact.hypot(x, z))
        off = math.remainder(left - self.turned, math.tau), up - self.raised
        self.off = fw.exact.hypot(*off)
        self.turned += min(max(off[0], -2.5 * dt), 2.5 * dt)
        self.raised = min(max(self.raised + min(max(off[1], -1.5 * dt), 1.5 * dt), -0.12), 0.8)
        self.recoil *= fw.exact.exp(-5 * dt)
        self.turret.rotation = quaternions.from_axis((0, 1, 0), self.turned)
        self.gun.rotation = quaternions.from_axis((1, 0, 0), self.raised)
        self.gun.position = 0, 0.4, -1.2 + self.recoil
        matrix = self.gun.drawn_matrix(1.0)
        self.barrel = -matrix[2, :3]
        self.muzzle = matrix[3, :3] - 3.8 * matrix[2, :3]

    def fire(self):
        self.reload = 1.1
        self.recoil = 0.7
        row = int(np.argmin(self.shells.visible))
        self.shells.position[row] = self.muzzle
        self.shells.velocity[row] = self.barrel * SHELL_SPEED
        self.shells.visible[row] = True
        self.shells.teleport([row])
        self.puff(14, self.muzzle, 1.2, (0.9, 0.85, 0.8), drift=self.barrel * 7, size=0.9, life=1.0)

    def fly(self, dt):
        shells = self.shells
        down = np.array([0, GRAVITY * dt, 0])
        before = shells.position.copy()
        shells.position += (shells.velocity - down / 2) * dt
        shells.velocity -= down
        landed = self.ground.height_at(shells.position) > shells.position[:, 1]
        for row in np.flatnonzero(shells.visible):
            direction = shells.position[row] - before[row]
            to_balloon = self.balloons.position - before[row]
            share = (fw.exact.dot(to_balloon, direction) / fw.exact.dot(direction, direction)).clip(
                0, 1
            )
            hit = np.linalg.norm(to_balloon - share[:, None] * direction, axis=1) < 2.6
            if landed[row]:
                self.puff(
                    24,
                    shells.position[row],
                    2.2,
                    (0.5, 0.4, 0.28),
                    drift=(0, 4, 0),
                    size=1.6,
                    life=2.5,
                )
            for balloon in np.flatnonzero(hit):
                self.puff(
                    24,
                    self.balloons.position[balloon],
                    3,
                    self.balloons.color[balloon, :3],
                    size=1.6,
                )
                self.balloons.position[balloon] = self.somewhere(1, 110)[0] + (0, 10, 0)
                self.balloons.teleport([balloon])
                self.hits += 1
            shells.visible[row] = not (landed[row] or hit.any())

    def look(self, dt):
        """Turn the camera around the tank with the aim, and keep it above the ground."""
        orbit = self.orbit
        away = 0.75 if self.idle > PATIENCE else 0.0
        late = fw.exact.exp(-(1.0 if away else 9.0) * dt)
        orbit.yaw += math.remainder(self.aim + away - orbit.yaw, math.tau) * (1 - late)
        orbit.target = np.array(self.hull.position) + (0, 1.9, 0)
        under = (
            self.ground.height_at([orbit.target - towards(orbit.yaw) * orbit.distance])[0]
            + 1.5
            - orbit.target[1]
        )
        orbit.pitch = max(0.34 - 0.5 * self.lift, 0.16, fw.exact.arctan2(under, orbit.distance))
        times = np.arange(1, 100)[:, None] * 0.06
        arc = (
            self.muzzle
            + self.barrel * SHELL_SPEED * times
            - np.array([0, GRAVITY / 2, 0]) * times**2
        )
        lands = arc[np.argmax(self.ground.height_at(arc) > arc[:, 1])]
        self.cross.position = self.world.camera.world_to_screen(lands) or (-99, -99)
        self.board.text = f"{abs(self.speed) * 3.6:2.0f} km/h\nballoons hit: {self.hits}"


def clouds(spread, color, *, drift=(0, 0, 0), size=1.0, life=1.5):
    """Return the options of particles for dust and smoke."""
    shades = [[shade * channel for channel in color] for shade in (0.75, 0.85, 1.0)]
    how = {
        "speed": (0, 2.2 * spread),
        "velocity": drift,
        "emission_size": (spread, spread, spread),
        "tint": shades,
    }
    return how | {
        "scale": (0.6 * size, 1.2 * size),
        "lifetime": (0.5 * life, life),
        "angle": (0, math.tau),
    }


def towards(yaw, pitch=0.0):
    """Return a direction ``yaw`` radians left of -z, and ``pitch`` up."""
    left, ahead = fw.exact.sincos(yaw)
    up, level = fw.exact.sincos(pitch)
    return np.array([-left * level, up, -ahead * level])


if __name__ == "__main__":
    fw.run(Tank, size=(960, 540), resolution=(960, 540), tick_rate=20, exact=True)
