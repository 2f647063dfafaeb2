"""The picture of docs/polygons.md: ribbons, trails, and polygons with images on them.

framework run docs/pictures/polygons.py --headless --frames 50 --screenshot
docs/pictures/polygons.png
"""

import numpy as np

import framework as fw


def picture(height, width, color):
    """uint8 (height, width, 4), and the rows and columns of its pixels."""
    image = np.full((height, width, 4), 255, np.uint8)
    image[..., :3] = color
    return image, *np.mgrid[:height, :width]


def bricks():
    image, y, x = picture(32, 32, (160, 78, 58))
    image[(y % 16 < 2) | ((x + y // 16 * 16) % 32 < 2)] = 214, 204, 186, 255
    return image


def frame():
    image, y, x = picture(32, 32, (38, 54, 84))
    edge = np.minimum(np.minimum(x, 31 - x), np.minimum(y, 31 - y))
    image[edge < 6], image[edge < 2] = (226, 184, 84, 255), (96, 66, 24, 255)
    corner = np.minimum(x, 31 - x) + np.minimum(y, 31 - y) < 9
    image[corner] = 190, 62, 62, 255
    return image


def hemp():
    image, y, x = picture(16, 32, (196, 152, 92))
    image[(x + y) % 16 < 7] = 150, 106, 58, 255
    return image


def blade():
    image, y, x = picture(64, 16, (70, 160, 80))
    image[..., 3] = np.where(abs(x - 7.5) < 7.5 * (y + 1) / 64, 255, 0)
    image[..., 1] = 110 + y
    return image


class Strips(fw.Game):
    def setup(self):
        self.camera.zoom, self.camera.position = self.width / 640, (320, 150)
        walls = self.add(fw.Polygons(bricks(), wrap="repeat"))
        walls.add_polygon(
            [(0, 0), (230, 0), (230, 60), (150, 60), (110, 96), (70, 60), (0, 60)], tile=32
        )
        walls.add_box((180, 250), (60, 60), tile=32, angle=0.4)
        panels = self.add(fw.Polygons(frame()))
        for number, size in enumerate([(40, 40), (110, 40), (60, 90)]):
            panels.add_nine_slice(
                (300 + 90 * number, 215 + 25 * (number == 2)), size, 9, angle=-0.06 * number
            )
        self.grass = self.add(fw.Polygons(blade()))
        for number in range(13):
            self.grass.add_box(
                (270 + 11 * number, 0), (14, 74), pivot=(0.5, 0), skew=0.5 * np.sin(number / 2)
            )
        turn = np.arange(6) * np.pi / 3
        corners = np.column_stack([46 * np.cos(turn), 46 * np.sin(turn)])
        colors = np.column_stack(
            [0.5 + 0.5 * np.cos(turn - shift) for shift in (0, 2.1, 4.2)] + [np.ones(6)]
        )
        self.add(fw.Polygons()).add_polygon(corners, position=(580, 240), colors=colors)
        at = np.linspace(0, 1, 40)
        points = np.column_stack(
            [20 + 230 * at, 200 - 70 * np.sin(np.pi * at) + 6 * np.sin(20 * at)]
        )
        self.add(fw.Ribbon(hemp(), points, width=12, repeat=24))
        self.comets = fw.SpriteBatch(np.full((9, 9, 4), 255, np.uint8), 2, columns="velocity")
        for row, tail in enumerate([("#8cf", "#48f0"), ("#fd8", "#f400")]):
            self.add(fw.Trail(self.comets[row], 0.6, width=(16, 2), color=tail))
        self.add(self.comets)

    def update(self, dt):
        time = self.tick * dt
        for row, comet in enumerate(self.comets):
            angle = 4 * time + np.pi * row
            comet.position = 510 + (90 - 20 * row) * np.cos(angle), 90 + 55 * np.sin(angle)


if __name__ == "__main__":
    fw.run(Strips, size=(640, 300), background=(0.07, 0.09, 0.15))
