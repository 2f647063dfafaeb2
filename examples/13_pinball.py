"""Pinball: a table whose ball, bumpers and flippers are 2D physics bodies.

The left and right arrow keys move the flippers. Space shoots the ball: hold it longer for a harder
shot. Tab shows the bodies. F4 rewinds the game. Needs Rapier: pip install 'subtick[physics]'.
"""

import numpy as np

import framework as fw

LEFT, RIGHT, TOP = 240, 720, 520  # the table's edges
LANE = 690  # left edge of the plunger's lane
START = (705, 40)
PIVOTS, LENGTH, REST, UP = ((372, 84), (558, 84)), 70, -0.45, 0.5
BUMPERS = [(390, 350), (540, 350), (465, 265), (300, 245), (628, 245)]
NEON = np.array(
    [(1.0, 0.35, 0.5), (1.0, 0.75, 0.3), (0.4, 0.9, 1.0), (0.6, 0.5, 1.0), (0.5, 1.0, 0.6)]
)


def disc(radius, inner=0.0):
    """Return a white disc or ring with soft edges."""
    size = 2 * radius + 2
    y, x = np.mgrid[:size, :size] - (size - 1) / 2
    far = np.sqrt(x * x + y * y)
    pixels = np.full((size, size, 4), 255, np.uint8)
    pixels[..., 3] = 255 * np.clip(radius - far, 0, 1) * np.where(far < inner, 0.25, 1)
    return pixels


def paddle():
    """Return a flipper that points right, thick at its pivot."""
    y, x = np.mgrid[:24, : LENGTH + 24] - 11.5
    along = np.clip(x, 0, LENGTH)
    off = np.sqrt((x - along) ** 2 + y * y) - (10 - 5 * along / LENGTH)
    pixels = np.full((*off.shape, 4), 255, np.uint8)
    pixels[..., 3] = 255 * np.clip(0.5 - off, 0, 1)
    return pixels


def arc(center, radius, first, last):
    """Return points of a circle from one angle to another."""
    angle = np.linspace(first, last, 25)
    return np.array(center) + radius * np.column_stack([np.cos(angle), np.sin(angle)])


class Pinball(fw.Game):
    def setup(self):
        self.background = (0.05, 0.04, 0.1)
        self.physics = fw.Physics2D(self, gravity=(0, -620), rate=240)
        self.build_table()
        self.build_bumpers()
        self.build_gems()
        image = fw.Region(paddle(), anchor=(11.5, 12))
        self.flippers = [self.sprites.add(image, position=at, color=NEON[0]) for at in PIVOTS]
        for flipper, angle in zip(self.flippers, (REST, np.pi - REST), strict=True):
            flipper.angle = angle
            corners = [(0, 9), (-9, 0), (0, -9), (LENGTH, -5), (LENGTH + 5, 0), (LENGTH, 5)]
            self.physics.add(
                flipper, shape="polygon", points=corners, kind="kinematic", friction=0.6
            )
        self.ball = self.sprites.add(disc(9), position=START, color=(0.95, 0.97, 1, 1))
        self.moves = self.physics.add(
            self.ball, shape="circle", mass=1, elasticity=0.35, friction=0.3, layer="ball"
        )
        self.outlines = self.add(fw.SpriteSegments(), layer=5)
        self.score, self.best, self.charge = 0, 0, 0.0
        self.recording.rewind = fw.Rewind(duration=10)  # F4 opens a timeline
        self.text = self.labels.add("", (28, 510), anchor=("left", "top"))
        self.labels.add(
            "arrows: flippers\nspace: shoot\ntab: bodies\nF4: rewind",
            (28, 30),
            color=(0.6, 0.6, 0.75),
        )

    def build_table(self):
        """Build the walls: physics lines, and sprites that show the lines."""
        middle, radius = (LEFT + RIGHT) / 2, (RIGHT - LEFT) / 2
        dome = arc((middle, TOP - radius), radius, 0, np.pi)
        lines = [
            [(RIGHT, 20), *dome, (LEFT, 150), (PIVOTS[0][0] - 8, 94)],
            [(LANE, 20), (LANE, 300)],
            [(LANE, 150), (PIVOTS[1][0] + 8, 94)],
            [(LANE, 20), (RIGHT, 20)],
        ]
        self.walls = self.add(fw.SpriteSegments(8))
        for line in lines:
            self.physics.add_line(line, radius=4, elasticity=0.4, friction=0.2, layer="wall")
        ends = np.concatenate(
            [np.stack([line[:-1], line[1:]], axis=1) for line in map(np.array, lines)]
        )
        share = np.clip(ends[:, :, 1].mean(axis=1) / TOP, 0, 1)[:, None]
        self.walls.draw_lines(
            ends, np.hstack([(1 - share) * NEON[3] + share * NEON[2], np.ones_like(share)])
        )

    def build_bumpers(self):
        self.bumpers = self.add(fw.SpriteBatch(disc(28, 20), len(BUMPERS)))
        self.bumpers.position[:] = BUMPERS
        self.bumpers.scale[3:] = 0.7
        self.bumpers.color[:, :3] = NEON
        self.glow = np.zeros(len(BUMPERS))
        self.physics.add(
            self.bumpers, shape="circle", radius=28, kind="static", elasticity=2.2, layer="bumper"
        )

    def build_gems(self):
        self.gems = self.add(fw.SpriteBatch(disc(7)))
        self.physics.add(self.gems, shape="circle", kind="static", sensor=True, layer="gem")
        self.lay_gems()

    def lay_gems(self):
        positions = arc(((LEFT + RIGHT) / 2, 280), 150, 0.5, np.pi - 0.5)[::2]
        self.gems.extend(len(positions), position=positions, color=(1, 0.9, 0.4, 1))

    def update(self, dt):
        for flipper, key, rest, up in zip(
            self.flippers, ("left", "right"), (REST, np.pi - REST), (UP, np.pi - UP), strict=True
        ):
            wanted = up if self.keys[key] else rest
            flipper.angle += float(np.clip(wanted - flipper.angle, -18 * dt, 18 * dt))
        self.shoot(dt)
        self.count()
        self.glow *= 0.9
        self.bumpers.color[:, :3] = NEON * 0.75 + self.glow[:, None]
        if self.keys["tab"]:
            self.outlines.draw_lines(*self.physics.debug_lines())
        elif len(self.outlines):
            self.outlines.clear()
        self.text.text = f"{self.score}\nbest {self.best}"

    def shoot(self, dt):
        """Update the plunger, and add a new ball if the ball was lost."""
        x, y = self.ball.position
        waits = x > LANE and y < 60
        if self.keys["space"] and waits:
            self.charge = min(1.0, self.charge + dt)
        elif self.charge:
            self.moves.velocity = 0, 620 + 420 * self.charge
            self.charge = 0.0
        if y < -30:
            self.ball.teleport(START)
            self.moves.velocity, self.moves.angular_velocity = (0, 0), 0
            self.score, self.best = 0, max(self.best, self.score)

    def count(self):
        """Add the points for the ball's collisions."""
        for _, bumper in self.physics.entered("ball", "bumper"):
            self.glow[bumper.row] = 0.8
            self.score += 100
        for _, gem in self.physics.entered("ball", "gem"):
            gem.remove()
            self.score += 250
        if not len(self.gems):
            self.lay_gems()
            self.score += 5000


if __name__ == "__main__":
    fw.run(Pinball, size=(960, 540), resolution=(960, 540))
