"""The picture of docs/light2d.md: lamps of several kinds over a floor of planks, with crates,
pillars and a wall.

framework run docs/pictures/light2d.py --headless --frames 2 --screenshot docs/pictures/light2d.png
"""

import math

import numpy as np

import framework as fw


def planks(width, height):
    """Boards of wood, each of its own tone."""
    y, x = np.mgrid[:height, :width]
    row = y // 36
    board = (x + row * 97) // 150 + 31 * row
    tone = np.sin(board * 12.9898) * 43758.5453 % 1
    grain = np.sin(x / 23 + 3 * np.sin(y / 5 + board)) * 7 + np.sin(y * 1.9 + board) * 5
    shade = 150 + 50 * tone + grain - 70 * ((y % 36 == 0) | ((x + row * 97) % 150 == 0))
    pixels = np.dstack([shade, 0.78 * shade, 0.6 * shade, np.full(shade.shape, 255)])
    return pixels.clip(0, 255).astype(np.uint8)


class Lamps(fw.Game):
    def setup(self):
        unit = self.height / 540
        floor = self.add(fw.SpriteBatch(planks(960, 540), 1))
        floor.position, floor.scale = (self.width / 2, self.height / 2), unit
        crate = np.full((44, 44, 4), (178, 128, 84, 255), np.uint8)
        crate[4:-4, 4:-4, :3] -= 36
        self.crates = self.add(fw.SpriteBatch(crate, 5))
        self.crates.position = (
            np.array([(180, 330), (250, 200), (520, 300), (700, 400), (800, 170)]) * unit
        )
        self.crates.angle, self.crates.scale = [0.3, 0.9, 0.1, 0.6, 1.2], unit
        self.lights = self.add(fw.Lights2D(ambient=(0.1, 0.1, 0.16)), layer=1)
        for place, color, radius, options in (
            ((330, 330), "#ffc27a", 330, {"intensity": 1.2, "softness": 9 * unit}),
            ((90, 100), "#6aa8ff", 260, {"softness": 3 * unit}),
            ((900, 480), "#ff7a5c", 420, {"angle": math.pi * 1.17, "cone": 0.8, "intensity": 1.5}),
            ((620, 120), "#9cff9a", 230, {"softness": 14 * unit}),
        ):
            self.lights.add(np.multiply(place, unit), color, radius * unit, **options)
        turn = np.arange(24) * math.tau / 24
        ring = 20 * np.stack([np.cos(turn), np.sin(turn)], axis=1)
        pillars = [(ring + place) * unit for place in ((430, 440), (430, 130))]
        for pillar in pillars:
            self.lights.add_walls(pillar, depth=8 * unit)
        wall = np.array([(600, 190), (612, 190), (612, 330), (600, 330)]) * unit
        self.lights.add_walls(wall, depth=5 * unit)
        self.lights.add_walls(self.crates, depth=40 * unit)


if __name__ == "__main__":
    fw.run(Lamps, size=(960, 540))
