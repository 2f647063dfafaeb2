"""The picture of docs/physics.md: a wrecking ball hits a tower of crates, balls lie on a bridge of
planks on pivots.

framework run docs/pictures/physics.py --headless --frames 2 --screenshot docs/pictures/physics.png
"""

import itertools

import numpy as np

import framework as fw
from framework import collide

SIZE = 960, 540
TILE = 20
TICKS = 62
COLORS = np.array(
    [
        (0.93, 0.45, 0.35),
        (0.96, 0.72, 0.36),
        (0.36, 0.68, 0.72),
        (0.55, 0.72, 0.42),
        (0.75, 0.56, 0.78),
    ]
)


def disc(size, hole=0.0):
    """A ball with a lighter side, and a spoke by which one sees it roll."""
    x, y = (np.mgrid[:size, :size][::-1] + 0.5 - size / 2) / (size / 2)
    far = np.hypot(x, y)
    light = np.clip(0.82 + 0.3 * (-x - y) * 0.7, 0, 1.1) * np.where(
        (np.abs(y) < 0.12) & (x > 0), 0.7, 1
    )
    pixels = np.empty((size, size, 4))
    pixels[..., :3] = 225 * light[..., None]
    pixels[..., 3] = 255 * np.clip((1 - far) * size / 2, 0, 1) * (far >= hole)
    return pixels.astype(np.uint8)


def crate(width, height):
    """A box with boards and a frame."""
    y, x = np.mgrid[:height, :width]
    edge = np.minimum(np.minimum(x, width - 1 - x), np.minimum(y, height - 1 - y))
    pixels = np.full((height, width, 4), 255.0)
    pixels[..., :3] = (200 + 20 * ((y // 6) % 2))[..., None]
    pixels[edge < 3, :3] = 245
    pixels[edge < 1, :3] = 140
    return pixels.astype(np.uint8)


class Tumble(fw.Game):
    def __init__(self, **options):
        super().__init__(**{"size": SIZE, "resolution": SIZE, "seed": 3, **options})

    def setup(self):
        self.physics = fw.Physics2D(self, gravity=(0, -900))
        self.ground()
        self.bridge()
        self.heap()
        self.wrecker()
        for _ in range(TICKS):
            self.physics.advance(1 / 60)

    def ground(self):
        tiles = np.zeros((27, 48), bool)
        tiles[-3:] = tiles[:, 0] = tiles[:, -1] = True
        tiles[-8:, :13] = tiles[-8:, 27:34] = True
        tiles[-11:, 30:33] = True
        sky = np.linspace((0.96, 0.86, 0.78), (0.43, 0.55, 0.74), SIZE[1])[::-1]
        image = np.full((*SIZE[::-1], 4), 255, np.uint8)
        image[..., :3] = (255 * sky)[:, None]
        self.add(fw.SpriteBatch(image, 1)).position[:] = SIZE[0] / 2, SIZE[1] / 2
        self.level = collide.TileGrid(tiles, TILE)
        self.physics.add_static(self.level, layer="ground")
        places = np.argwhere(tiles)
        wall = self.add(
            fw.SpriteBatch(np.full((TILE, TILE, 4), 255, np.uint8), len(places), smooth_edges=False)
        )
        wall.position[:] = [self.level.cell_center(tuple(cell)) for cell in places.tolist()]
        depth = places[:, 0] / len(tiles)
        wall.color[:, :3] = np.array((0.30, 0.33, 0.42)) * (1.25 - 0.6 * depth)[:, None]
        wall.color[:, :3] += self.random.uniform(-0.015, 0.015, (len(places), 1))

    def bridge(self):
        step = 280 / 11
        planks = self.add(fw.SpriteBatch(crate(25, 8), 11))
        planks.position[:] = np.column_stack([260 + step * (np.arange(11) + 0.5), np.full(11, 156)])
        planks.color[:, :3] = 0.72, 0.5, 0.34
        self.physics.add(planks, layer="bridge", density=0.02)
        ends = [None, *planks, None]
        for number, (left, right) in enumerate(itertools.pairwise(ends)):
            self.physics.pivot(left, right, (260 + step * number, 156))

    def heap(self):
        boxes = self.add(fw.SpriteBatch([crate(30, 30), crate(44, 24), crate(22, 22)], 46))
        boxes.image[:] = self.random.integers(3, size=46)
        boxes.position[:] = self.random.uniform((700, 90), (920, 700), (46, 2))
        boxes.angle[:] = self.random.uniform(-1, 1, 46)
        boxes.color[:, :3] = COLORS[self.random.integers(5, size=46)]
        self.physics.add(boxes, density=0.01, friction=0.6, layer="crate")
        tower = self.add(fw.SpriteBatch(crate(34, 26), 7))
        tower.position[:] = [(120 + 2 * (floor % 2), 174 + 26.2 * floor) for floor in range(7)]
        tower.color[:, :3] = COLORS[np.arange(7) % 5]
        self.physics.add(tower, density=0.01)
        balls = self.add(fw.SpriteBatch([disc(26), disc(36)], 16))
        balls.image[:] = self.random.integers(2, size=16)
        balls.position[:] = self.random.uniform((300, 200), (520, 640), (16, 2))
        balls.color[:, :3] = COLORS[self.random.integers(5, size=16)]
        self.physics.add(balls, shape="circle", density=0.01, elasticity=0.4, layer="ball")

    def wrecker(self):
        links = self.add(fw.SpriteBatch(disc(14, 0.45), 14))
        links.position[:] = np.column_stack([160 + 13 * np.arange(14), np.full(14, 500)])
        links.color[:, :3] = 0.35, 0.35, 0.4
        self.physics.add(links, shape="circle", hits=(), mass=1)
        ball = self.add(fw.SpriteBatch(disc(52), 1))
        ball.position[:] = 160 + 13 * 14 + 20, 500
        ball.color[:, :3] = 0.4, 0.42, 0.5
        self.physics.add(ball, shape="circle", mass=9)
        ends = [None, *links, ball[0]]
        for number, (one, two) in enumerate(itertools.pairwise(ends)):
            self.physics.pivot(one, two, (154 + 13 * number, 500))


if __name__ == "__main__":
    fw.run(Tumble)
