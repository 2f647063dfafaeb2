"""The picture of docs/art.md: the large images and the font.

framework run docs/pictures/art.py --headless --frames 1 --screenshot docs/pictures/art.png
"""

import numpy as np

import framework as fw


class Shelf(fw.Game):
    def setup(self):
        unit = self.width / 640
        self.camera.zoom, self.camera.position = unit, (320, 120)
        x = 4
        for name in fw.art.names():
            image = getattr(fw.art, name)
            if isinstance(image, np.ndarray):
                height, width = image.shape[:2]
                self.sprites.add(image, position=(x + width / 2, 130 + height / 2))
                x += width + 1
        for index, step in enumerate(fw.art.walker):
            self.sprites.add(step, position=(40 + 52 * index, 76))
        for index, tile in enumerate(fw.art.tiles):
            for row in range(2 if index else 1):
                for column in range(2):
                    place = 270 + 62 * index + 32 * column, 100 - 32 * row
                    self.sprites.add(tile if row == 0 or index else fw.art.tiles[1], position=place)
        words = self.add(fw.TextBatch(fw.art.fonts.pixel, 20))
        words.add("Sphinx of black quartz 0123 ÄØß Жщ Ωψ ★♥♪▶✓", (12, 8))


if __name__ == "__main__":
    fw.run(Shelf, size=(640, 240), resolution=(640, 240), background=(0.16, 0.17, 0.25))
