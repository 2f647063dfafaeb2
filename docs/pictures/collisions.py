"""The picture of docs/collisions.md: where three walkers came through a level of slopes, steps and
platforms, tick by tick, what a lamp sees of it, and the way that A* finds to the flag.

    framework run docs/pictures/collisions.py --headless --frames 2 --screenshot docs/pictures/collisions.png
"""

import numpy as np

import framework as fw
from framework import collide, exact, paths

TILE = 24
TICKS = 220
LEVEL = """
########################################
#......................................#
#......................................#
#...........................---........#
#......................................#
#.............######...................#
#.....................---......lhHL....#
#.............................######...#
#...####........................#......#
#.......................---.....#......#
#............./##\\..............#......#
#............/####\\.............#......#
#...........######........lhHL..#......#
#......#..................####..#......#
#.....##.....................####......#
#....###......lh##HL...................#
########################################
"""
HEIGHTS = {"/": (0, 1), "\\": (1, 0), "l": (0, 0.5), "h": (0.5, 1), "H": (1, 0.5), "L": (0.5, 0)}


def picture(kind):
    """A tile's image: what is below its surface."""
    left, right = HEIGHTS.get(kind, (1, 1))
    x, up = np.meshgrid((np.arange(TILE) + 0.5) / TILE, (TILE - np.arange(TILE) - 0.5) / TILE)
    pixels = np.zeros((TILE, TILE, 4), np.uint8)
    pixels[..., :3] = 255
    pixels[..., 3] = 255 * ((up < left + (right - left) * x) & ((kind != "-") | (up > 0.7)))
    return pixels


class Collisions(fw.Game):
    def __init__(self, **options):
        size = 40 * TILE, 17 * TILE
        super().__init__(**{"size": size, "resolution": size, **options})

    def setup(self):
        rows = np.array([list(row) for row in LEVEL.split()])
        slopes = np.array([[HEIGHTS.get(tile, (0, 0)) for tile in row] for row in rows], float)
        self.level = collide.TileGrid(rows == "#", TILE, one_way=rows == "-", slopes=slopes)
        self.add(fw.SpriteBatch(self.sky(), 1)).position[:] = self.width / 2, self.height / 2
        kinds = ["#", "-", *HEIGHTS]
        places = np.argwhere(rows != ".")
        tiles = self.add(
            fw.SpriteBatch([picture(kind) for kind in kinds], len(places), smooth_edges=False)
        )
        tiles.position[:] = [self.level.cell_center(tuple(cell)) for cell in places.tolist()]
        tiles.image[:] = [kinds.index(rows[row, column]) for row, column in places]
        tiles.color[:, :3] = np.array((0.30, 0.36, 0.52)) * self.random.uniform(
            0.85, 1.1, (len(places), 1)
        )
        self.dots = self.add(fw.SpriteBatch(np.full((2, 2, 4), 255, np.uint8)))
        self.walk()
        self.way((60, 60), (890, 300))

    def sky(self):
        """A dark sky, lit by a lamp as far as it sees."""
        lamp = np.array((24.2, 8.6)) * TILE
        x, y = np.meshgrid(
            np.arange(0, self.width, 2) + 1, self.height - 1 - np.arange(0, self.height, 2)
        )
        points = np.column_stack([x.ravel(), y.ravel()])
        seen = paths.line_of_sight(self.level, lamp, points).reshape(x.shape)
        light = np.where(seen, exact.exp(-exact.hypot(x - lamp[0], y - lamp[1]) / 190), 0)[
            ..., None
        ]
        color = (14, 17, 34) + (y / self.height)[..., None] * (12, 14, 26) + light * (230, 170, 70)
        small = np.concatenate(
            [np.clip(color, 0, 255), np.full((*x.shape, 1), 255.0)], axis=2
        ).astype(np.uint8)
        return small.repeat(2, axis=0).repeat(2, axis=1)

    def walk(self):
        """Three walkers, and where they are every fourth tick."""
        size, lift = (12, 18), np.array([(22.5 * TILE, 3.0 * TILE)])
        place, velocity = (
            np.array([(420.0, 60), (36, 300), (800, 330)]),
            np.array([(95.0, 0), (80, 0), (-95, 0)]),
        )
        jumps, colors = collide.JumpTimer(), [(1, 0.5, 0.35), (0.45, 0.9, 0.6), (0.5, 0.75, 1)]
        for tick in range(TICKS):
            way = (0, 0.9 if tick % 240 < 120 else -0.9)
            lift = lift + way
            platform = collide.Boxes(lift, (2.4 * TILE, 8), [way])
            velocity[:, 1] -= 900 / 60
            place, flags = collide.move(place, size, velocity / 60, self.level, platform, step=TILE)
            velocity[flags.on_floor | flags.on_ceiling, 1] = 0
            velocity[flags.on_wall, 0] *= -1
            velocity[jumps.update(1 / 60, flags.on_floor, self.random.random(3) < 0.012), 1] = 380
            if tick % 4 == 0:
                for (x, y), color in zip(place.tolist(), colors, strict=True):
                    self.dots.add(
                        position=(x, y), scale=(6, 9), color=(*color, 0.2 + 0.7 * tick / TICKS)
                    )
        self.dots.add(position=lift[0], scale=(1.2 * TILE, 4), color=(0.95, 0.85, 0.4, 1))

    def way(self, start, goal):
        for x, y in paths.find(self.level, start, goal)[1:-1]:
            self.dots.add(position=(x, y), scale=2, color=(1, 1, 1, 0.8))
        self.dots.add(position=goal, scale=5, color=(1, 0.3, 0.4, 1))


if __name__ == "__main__":
    fw.run(Collisions)
