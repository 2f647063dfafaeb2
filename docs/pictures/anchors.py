"""The picture of docs/plane.md that says what anchor and flip do. White dots are positions.

framework run docs/pictures/anchors.py --headless --frames 1 --screenshot docs/pictures/anchors.png
"""

import numpy as np

import framework as fw


def flag():
    """A pole at the left with a pennant at its top: uint8 (48, 40, 4)."""
    image = np.zeros((48, 40, 4), np.uint8)
    y, x = np.mgrid[:48, :40]
    image[(x >= 3) & (abs(y - 12) < 12 * (40 - x) / 37)] = 235, 120, 60, 255
    image[:, :4] = 150, 110, 70, 255
    return image


class Anchors(fw.Game):
    def setup(self):
        unit = self.width / 640
        self.camera.zoom, self.camera.position = unit, (320, 110)
        columns = [
            ("anchor=None", None, {}),
            ("anchor=(2, 0)", (2, 0), {}),
            ("angle=0.5", (2, 0), {"angle": 0.5}),
            ("flip=(True, False)", (2, 0), {"flip": (True, False)}),
            ("flip=(False, True)", (2, 0), {"flip": (False, True)}),
            ("both", (2, 0), {"flip": (True, True)}),
        ]
        sky = [
            (0.06, 0.08, 0.16, 1),
            (0.1, 0.09, 0.2, 1),
            (0.16, 0.26, 0.42, 1),
            (0.12, 0.2, 0.36, 1),
        ]
        self.add(fw.Polygons()).add_polygon([(0, 0), (640, 0), (640, 220), (0, 220)], colors=sky)
        boxes, lines = self.add(fw.Polygons()), self.add(fw.Shapes())
        for number, (words, anchor, look) in enumerate(columns):
            x, y = 56 + 106 * number, 110
            boxes.add_box((x, y), (98, 150), color="#0005")
            lines.add_line((x - 49, y), (x + 49, y), color="#678")
            lines.add_line((x, y - 75), (x, y + 75), color="#678")
            self.add(fw.SpriteBatch(flag(), anchor=anchor)).add(position=(x, y), scale=1.4, **look)
            dots = self.add(fw.Shapes(), layer=1)
            dots.add_circle((x, y), 4, color="#fff", stroke_width=1, stroke_color="#000")
            self.labels.add(
                words, (x * unit, 14 * unit), anchor=("center", "bottom"), font_size=11 * unit
            )


if __name__ == "__main__":
    fw.run(Anchors, size=(640, 220), background=(0.07, 0.09, 0.15))
