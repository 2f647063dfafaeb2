"""Camera: an island of 20,000 sprites, many times as wide as the screen.

Arrows or WASD walk, the mouse wheel (or Z and X) zooms, Q and E turn the camera. Without a player,
the walker wanders.
"""

import math

import numpy as np
from pyglet.math import Vec2

import framework as fw

N = 144  # the world is N x N cells
CELL = 48  # units
MAP = 875, 455  # center of the minimap, where a cell is one pixel
LEVELS = (-0.45, -0.06, 0.0, 0.12, 0.5, 1.1, 1.7)  # heights, and the ground color at each
COLORS = np.array([(59, 143, 181), (120, 205, 204), (246, 224, 168), (214, 219, 136), (139, 201, 110), (86, 165, 106),
                   (168, 150, 184)]) / 255  # fmt: skip
TALL = 62  # height in units of the objects that can hide the walker
SPRUCE, OAK, AUTUMN, BOULDER, BUSH, RED_HOUSE, BLUE_HOUSE, SHEEP, WALKER = range(9)
# Each kind of object: the probability per cell, and the lowest and highest ground.
KINDS = {
    SPRUCE: (0.8, 0.85, 1.6),
    OAK: (0.28, 0.3, 1.0),
    AUTUMN: (0.1, 0.25, 0.8),
    BOULDER: (0.3, 1.45, 9),
    BUSH: (0.16, 0.1, 0.6),
    RED_HOUSE: (0.025, 0.2, 0.5),
    BLUE_HOUSE: (0.025, 0.15, 0.5),
    SHEEP: (0.06, 0.2, 0.6),
}


def make_ground(random):
    """Return smooth heights, an array (N, N). Land is above 0, and the border is sea."""
    often = fw.exact.hypot(np.fft.fftfreq(N)[:, None], np.fft.rfftfreq(N))
    ground = np.fft.irfft2(
        np.fft.rfft2(random.normal(size=(N, N))) / fw.exact.power(often + 5 / N, 3), (N, N)
    )
    rim = fw.exact.power(np.abs(np.linspace(-1, 1, N)), 6)
    # Rounded, so that the last digits of the Fourier transform, which depend on the machine, do not
    # count.
    return np.round(0.65 * ground / ground.std() + 0.38 - 3 * np.maximum(rim, rim[:, None]), 5)


def tint(heights):
    return np.stack([np.interp(heights, LEVELS, channel) for channel in COLORS.T], axis=-1)


class Camera(fw.Game):
    def setup(self):
        self.background = (0.2, 0.5, 0.66)
        self.ground = make_ground(self.random)
        cells = np.stack(np.indices((N, N))[::-1], axis=-1).reshape(-1, 2)  # (x, y) of each
        heights = self.ground.ravel()
        positions = (cells + self.random.uniform(0.2, 0.8, cells.shape)) * CELL
        self.paint(positions[order := np.argsort(heights, kind="stable")], heights[order])
        self.populate(positions, heights)
        self.camera.follow(self.walker, smoothing=0.9)
        self.camera.position = self.walker.position
        self.make_map()

    def paint(self, positions, heights):
        """Draw the ground: colored dabs, low ground first, and waves on the sea."""
        self.dabs = self.add(fw.SpriteBatch("art/dab.png"))
        land = heights > LEVELS[0]
        rows = self.dabs.extend(land.sum(), position=positions[land], scale=1.35)
        self.dabs.color[rows, :3] = tint(heights[land])
        self.waves = self.add(fw.SpriteBatch("art/wave.png"))
        sea = (heights < -0.2) & (self.random.uniform(size=len(heights)) < 0.3)
        self.waves.extend(sea.sum(), position=positions[sea], color=(1, 1, 1, 0.3))
        self.still = self.waves.position.copy()

    def populate(self, positions, heights):
        """Add the trees, rocks and other objects on the ground. They are one batch, so near objects
        hide far ones.
        """
        images = fw.sheet("art/standing.png", (56, 72), columns=4, rows=3, anchor=(28, 6))
        self.standing = self.add(fw.SpriteBatch(images))
        free = np.ones(len(positions), bool)
        for kind, (chance, low, high) in KINDS.items():
            here = (
                free
                & (heights > low)
                & (heights < high)
                & (self.random.uniform(size=len(positions)) < chance)
            )
            rows = self.standing.extend(here.sum(), kind, position=positions[here])
            free &= ~here
        self.sheep = rows
        self.sheep_home = positions[here]
        meadow = np.flatnonzero(free & (heights > 0.2) & (heights < 0.5))
        start = min(meadow, key=lambda at: math.dist(positions[at], (N * CELL / 2, N * CELL / 2)))
        self.walker = self.standing.add(WALKER, position=positions[start])
        self.heading = 2.6
        self.idle = True

    def make_map(self):
        """Make the minimap, with a frame around the visible part."""
        picture = tint(self.ground[::-1])
        self.chart = self.add(
            fw.SpriteBatch([picture, np.ones((1, 1, 3)), "art/ball.png"]), camera=self.hud
        )
        self.chart.add(1, position=(196, 518), scale=(372, 32), color=(0.05, 0.1, 0.2, 0.6))
        self.chart.add(1, position=MAP, scale=N + 6)
        self.chart.add(0, position=MAP)
        self.frame = self.chart.add(1, color=(1, 1, 1, 0.6))
        self.dot = self.chart.add(2, color=(1, 0.35, 0.3), scale=0.2)
        self.where = self.labels.add("here", position=(16, 504))

    def update(self, dt):
        self.walk(dt)
        time = self.tick * dt
        self.waves.position[:, 1] = self.still[:, 1] + 3 * fw.exact.sin(time + self.still[:, 0])
        hop = time * 0.4 + np.arange(len(self.sheep_home))
        self.standing.position[self.sheep, 0] = self.sheep_home[:, 0] + 20 * fw.exact.sin(hop)
        self.standing.flip[self.sheep, 0] = fw.exact.cos(hop) < 0

        camera = self.camera
        keys = self.keys
        camera.angle += keys.axis("e", "q") * 1.5 * dt
        nearer = fw.exact.power(1.1, self.mouse.scroll_y) * fw.exact.power(
            1.02, keys.axis("x", "z")
        )
        camera.zoom = min(max(camera.zoom * nearer, 0.3), 3)
        # Sprites stay upright when the camera turns. Sprites lower on the screen are drawn over the
        # others.
        self.standing.angle = self.waves.angle = camera.angle
        sine, cosine = fw.exact.sincos(camera.angle)
        depth = self.standing.position[:, 1] * cosine - self.standing.position[:, 0] * sine
        self.standing.layer[:] = -depth
        self.show_walker((-sine, cosine), depth, dt)

        self.dot.position = self.map_place(self.walker.position)
        self.frame.position = self.map_place(camera.position)
        self.frame.angle = camera.angle
        self.frame.scale = self.width / CELL / camera.zoom, self.height / CELL / camera.zoom
        sprites = len(self.dabs) + len(self.waves) + len(self.standing)
        self.where.text = (
            f"{sprites:,} sprites   {self.walker.x:,.0f}, {self.walker.y:,.0f}   {camera.zoom:.1f}x"
        )

    def show_walker(self, up, depth, dt):
        """Fade the objects that hide the walker, and show them again later."""
        below = depth[self.walker.row] - depth
        aside = np.abs(
            self.standing.position @ (up[1], -up[0]) - self.walker_position.dot(Vec2(up[1], -up[0]))
        )
        hides = (
            (below > 0)
            & (below < TALL)
            & (aside < 26)
            & ~np.isin(self.standing.image, (BUSH, SHEEP))
        )
        alpha = self.standing.color[:, 3]
        alpha += (np.where(hides, 0.35, 1.0) - alpha) * (1 - math.exp(-10 * dt))

    def map_place(self, position):
        return MAP[0] - N / 2 + position[0] / CELL, MAP[1] - N / 2 + position[1] / CELL

    def walk(self, dt):
        keys = self.keys
        step = Vec2(
            keys.axis("left", "right") or keys.axis("a", "d"),
            keys.axis("down", "up") or keys.axis("s", "w"),
        )
        if any(step):
            self.idle = False
            step = turned(step.normalize(), self.camera.angle)  # the up key moves up on the screen
        elif self.idle:
            self.heading += 0.5 * fw.exact.sin(self.tick / 90) * dt
            step = turned(Vec2(1, 0), self.heading)
        if self.level(self.walker_position + step * 30) < 0.03:
            self.heading += 3 * dt  # turn at the shore
            step = Vec2(0, 0)
        self.walker.position = self.walker_position + step * (150 * dt)
        self.walker.image = WALKER + (self.tick // 7 % 4 if any(step) else 1)
        if any(step):
            self.walker.flip = turned(step, -self.camera.angle).x < 0, False

    @property
    def walker_position(self):
        return Vec2(*self.walker.position)

    def level(self, position):
        """Return the height of the ground at a position."""
        return self.ground[int(position.y // CELL) % N, int(position.x // CELL) % N]


def turned(step, angle):
    sine, cosine = fw.exact.sincos(angle)
    return Vec2(step.x * cosine - step.y * sine, step.x * sine + step.y * cosine)


if __name__ == "__main__":
    fw.run(Camera, size=(960, 540), resolution=(960, 540))
