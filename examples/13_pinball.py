"""Pinball: a table whose ball, bumpers and flippers are 2D physics bodies.

The left and right arrow keys move the flippers. Space shoots the ball: hold it longer for a harder
shot. Tab shows the bodies. F4 rewinds the game. Needs Rapier: pip install 'subtick[physics]'.
"""

import math

import numpy as np

import framework as fw

LEFT = 240  # the table's left edge in pixels
RIGHT = 720  # the right edge
TOP = 520  # the upper edge
LANE = 690  # left edge of the plunger's lane
START = (705, 40)
PIVOTS = ((372, 84), (558, 84))
LENGTH = 70
REST = -0.45
UP = 0.5
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
    sin, cos = fw.exact.sincos(angle)
    return np.array(center) + radius * np.column_stack([cos, sin])


def bumper():
    """Return a cap with a bright ring, a dark ring and a star, in shades of white."""
    y, x = np.mgrid[:58, :58] - 28.5
    far = np.sqrt(x * x + y * y)
    angle = np.arctan2(y, x)
    shade = np.where(far < 21, 0.38, 1.0) - 0.5 * (abs(far - 23) < 1.5)
    shade[far < 9 + 5 * np.cos(5 * (angle + np.pi / 2))] = 1
    pixels = np.full((58, 58, 4), 255, np.uint8)
    pixels[..., :3] = (255 * np.clip(shade, 0, 1))[..., None]
    pixels[..., 3] = 255 * np.clip(28.5 - far, 0, 1)
    return pixels


def neon():
    """Return a short piece of a tube of light, for a ribbon."""
    far = abs(np.mgrid[:56, :4][0] - 27.5) / 2
    tube = np.clip(4.5 - far, 0, 1) + np.clip(1 - far / 14, 0, 1) ** 2 * 0.4
    core = np.clip(2 - far, 0, 1)[..., None]
    pixels = np.dstack([(124, 140, 255) + core * (100, 100, 0), np.clip(tube, 0, 1) * 255])
    return pixels.astype(np.uint8)


def spot():
    """Return a glow: white in the middle, transparent at its edge."""
    y, x = np.mgrid[:128, :128] - 63.5
    pixels = np.full((128, 128, 4), 255, np.uint8)
    pixels[..., 3] = 255 * np.clip(1 - np.sqrt(x * x + y * y) / 64, 0, 1) ** 2
    return pixels


class Pinball(fw.Game):
    def setup(self):
        self.background = "#07060f"
        self.physics = fw.Physics2D(self, gravity=(0, -620), rate=240)
        self.paint_table()
        self.build_table()
        self.build_bumpers()
        self.build_gems()
        image = fw.Region(paddle(), anchor=(11.5, 12))
        parts = self.add(fw.SpriteBatch(), layer=2)
        self.flippers = [parts.add(image, position=at, color=NEON[0]) for at in PIVOTS]
        for flipper, angle in zip(self.flippers, (REST, np.pi - REST), strict=True):
            flipper.angle = angle
            corners = [(0, 9), (-9, 0), (0, -9), (LENGTH, -5), (LENGTH + 5, 0), (LENGTH, 5)]
            shape = {"shape": "polygon", "points": corners, "kind": "kinematic"}
            self.physics.add(flipper, friction=0.6, **shape)
        self.ball = parts.add(disc(9), position=START, color=(0.95, 0.97, 1, 1))
        self.moves = self.physics.add(
            self.ball, shape="circle", mass=1, elasticity=0.35, friction=0.3, layer="ball"
        )
        self.outlines = self.add(fw.SpriteSegments(), layer=5)
        self.score = 0
        self.best = 0
        self.charge = 0.0
        self.recording.rewind = fw.Rewind(duration=10)  # F4 opens a timeline
        self.build_panels()

    def build_panels(self):
        """Add the score on the left, in the pixel font, and the keys on the right."""
        panels = self.add(fw.Shapes(), camera=self.hud, layer=2)
        look = {"corner": 14, "color": "#120f26", "stroke_width": 2, "stroke_color": "#5a48c8"}
        panels.add_box((120, 336), (204, 184), **look)
        panels.add_box((840, 422), (204, 196), **look)
        words = self.add(fw.TextBatch(fw.art.fonts.pixel, 20), camera=self.hud, layer=3)
        words.add("SCORE", (120, 414), anchor="top", color="#62d8ff")
        words.add("BEST", (120, 302), anchor="top", color="#ff6a94")
        self.scores = [
            words.add("", (120, y), anchor="top", color="#ffe9a8", font_size=size)
            for y, size in ((380, 40), (274, 20))
        ]
        icons = fw.art.icons
        images = [icons.key_left, icons.key_right, icons.key_space]
        keys = self.add(fw.SpriteBatch(images, filter="nearest"), camera=self.hud, layer=3)
        keys.extend(3, np.arange(3), position=[(764, 490), (798, 490), (781, 446)], scale=2)
        lines = (("", "FLIPPERS"), ("", "SHOOT"), ("TAB", "BODIES"), ("F4", "REWIND"))
        for k, (key, line) in enumerate(lines):
            words.add(key, (781, 490 - 44 * k), anchor="center", color="#62d8ff")
            words.add(line, (822, 490 - 44 * k), anchor="left", color="#c8c4f0")
        title = self.add(fw.TextBatch(fw.art.fonts.title, 58), camera=self.hud, layer=3)
        title.add("ORBIT", (120, 478), anchor="center", color="#ff7aa0", shadow="#5a1a60")

    def paint_table(self):
        """Paint the playfield: a planet with a ring, stars, beams and lamps, under the lights."""
        middle = (LEFT + RIGHT) / 2
        paint = self.add(fw.Shapes())
        fade = {"gradient": "linear", "gradient_angle": -math.tau / 4}
        paint.add_circle((middle, 280), 240, color="#46288c", gradient_to="#02142c", **fade)
        paint.add_box((middle, 150), (480, 260), color="#241e5c", gradient_to="#0e1634", **fade)
        for k, angle in enumerate(np.linspace(0.3, np.pi - 0.3, 9).tolist()):
            far = min(390, 205 / max(0.1, abs(float(fw.exact.sincos(angle)[1]))))
            beam = arc((465, 84), far, angle - 0.05, angle + 0.05)[::8]
            paint.add_polygon([(465, 84), *beam], color=("#ff4f8f26", "#4fc8ff20")[k % 2])
        stars = self.random.uniform((250, 110), (680, 510), (110, 2))
        stars = stars[((stars - (middle, 280)) ** 2).sum(axis=1) < 225**2]
        sizes = self.random.uniform(1.5, 4, (len(stars), 1)) * (1, 1)
        paint.extend(len(stars), "circle", position=stars, size=sizes, color="#ffffffa0")
        for edge, pivot in ((LEFT, PIVOTS[0][0] - 8), (LANE, PIVOTS[1][0] + 8)):
            paint.add_polygon([(edge, 150), (pivot, 94), (pivot, 20), (edge, 20)], color="#0a0a1c")
        paint.add_ellipse((465, 262), (290, 84), stroke_width=9, color="#ffb86cb0")
        planet = {"gradient": "linear", "gradient_angle": -1.1, "gradient_to": "#8a1f6e"}
        paint.add_circle((465, 265), 82, color="#ff8a5c", **planet)
        for height, wide, color in (
            (300, 140, "#ffd090"),
            (282, 156, "#7a1854"),
            (244, 154, "#ffb078"),
        ):
            paint.add_box((465, height), (wide, 9), corner=4, color=color + "58")
        front = (465, 262) + (145, 42) * arc((0, 0), 1, np.pi + 0.12, math.tau - 0.12)[::2]
        paint.add_path(front, 9, color="#ffd08c")
        for side, color in ((-1, "#ff4f8f"), (1, "#4fc8ff")):
            for k in range(3):
                x = 465 + side * (96 + 34 * k)
                y = 118 + 22 * k
                paint.add_ngon((x, y), 10, 3, color=color + "c0").angle = 0.6 * side
        self.lamps = [paint.add_star((465, 104 + 26 * k), 9, color="#5a3a20") for k in range(3)]

    def build_table(self):
        """Build the walls: physics lines, and ribbons that show the lines."""
        middle = (LEFT + RIGHT) / 2
        radius = (RIGHT - LEFT) / 2
        dome = arc((middle, TOP - radius), radius, 0, np.pi)
        lines = [
            [(RIGHT, 20), *dome, (LEFT, 150), (PIVOTS[0][0] - 8, 94)],
            [(LANE, 20), (LANE, 300)],
            [(LANE, 150), (PIVOTS[1][0] + 8, 94)],
            [(LANE, 20), (RIGHT, 20)],
        ]
        for line in lines:
            self.physics.add_line(line, radius=4, elasticity=0.4, friction=0.2, layer="wall")
            self.add(fw.Ribbon(neon(), line, width=28), layer=2)

    def build_bumpers(self):
        self.lights = self.add(fw.Lights2D(ambient=(0.62, 0.6, 0.72), resolution=0.5), layer=1)
        self.lights.extend(len(BUMPERS), position=BUMPERS, radius=170, color=NEON, softness=8)
        self.shine = self.lights.add(radius=90, color="#cfe4ff", intensity=0.5, shadows=False)
        self.halos = self.add(fw.SpriteBatch(spot(), len(BUMPERS), blend="add"), layer=2)
        self.halos.position[:] = BUMPERS
        self.sparks = self.add(fw.Particles.sparks(), layer=3)
        self.bumpers = self.add(fw.SpriteBatch(bumper(), len(BUMPERS)), layer=2)
        self.bumpers.position[:] = BUMPERS
        self.bumpers.scale[3:] = 0.7
        self.bumpers.color[:, :3] = NEON
        self.glow = np.zeros(len(BUMPERS))
        self.physics.add(
            self.bumpers, shape="circle", radius=28, kind="static", elasticity=2.2, layer="bumper"
        )

    def build_gems(self):
        self.gems = self.add(fw.SpriteBatch(disc(7)), layer=2)
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
        self.bumpers.color[:, :3] = NEON * 0.8 + self.glow[:, None]
        self.halos.color[:, :3] = NEON
        self.halos.color[:, 3] = 0.25 + self.glow
        self.halos.scale = 1 + 0.6 * self.glow[:, None]
        self.lights.intensity[: len(BUMPERS)] = 0.35 + 2.2 * self.glow
        self.shine.position = self.ball.position
        for k, lamp in enumerate(self.lamps):
            lamp.color = "#ffd84a" if self.score >= 1000 * 3**k else "#5a3a20"
        if self.keys["tab"]:
            self.outlines.draw_lines(*self.physics.debug_lines())
        elif len(self.outlines):
            self.outlines.clear()
        for label, value in zip(self.scores, (self.score, self.best), strict=True):
            label.text = f"{value:06}"

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
            self.moves.velocity = (0, 0)
            self.moves.angular_velocity = 0
            self.score, self.best = 0, max(self.best, self.score)

    def count(self):
        """Add the points for the ball's collisions."""
        for _, bumper in self.physics.entered("ball", "bumper"):
            self.glow[bumper.row] = 0.8
            self.sparks.emit(14, position=self.ball.position, tint=tuple(NEON[bumper.row]))
            self.score += 100
        for _, gem in self.physics.entered("ball", "gem"):
            gem.remove()
            self.score += 250
        if not len(self.gems):
            self.lay_gems()
            self.score += 5000


if __name__ == "__main__":
    fw.run(Pinball, size=(960, 540), resolution=(960, 540))
