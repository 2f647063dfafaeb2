"""The picture of docs/tweens.md: every ease as a curve of its share over time, with a ball that is
tweened along it.

framework run docs/pictures/tweens.py --headless --frames 40 --screenshot docs/pictures/tweens.png
"""

import colorsys
import math

import numpy as np

import framework as fw

FAMILIES = ("quad", "cubic", "quart", "quint", "sine", "expo", "circ", "back", "elastic", "bounce")
EASES = [[(f"{way}_{family}",) * 2 for family in FAMILIES] for way in ("in", "out", "in_out")]
EASES += [[("linear",) * 2, ("smooth",) * 2]]
EASES[-1] += [("Bezier(0.7, 0, 0.2, 1)", fw.Bezier(0.7, 0, 0.2, 1)), ("Spring()", fw.Spring())]
STEPS = 480  # dots of a curve


class Tweens(fw.Game):
    def setup(self):
        across, up = np.mgrid[-7.5:8, -7.5:8]
        disc = np.full((16, 16, 4), 255, np.uint8)
        disc[..., 3] = 255 * np.clip(8 - np.hypot(across, up), 0, 1)
        self.dots = self.add(fw.SpriteBatch(disc))
        names = self.add(fw.TextBatch(font_size=max(3, self.height / 42)), camera=self.hud)
        width, height = self.width / 10, self.height / 4.2
        for row, eases in enumerate(EASES):
            for column, (name, ease) in enumerate(eases):
                gap = 1 if row < 3 else 10 / len(eases)
                left, bottom = (
                    (column * gap + 0.5 * gap - 0.38) * width,
                    self.height - (row + 0.74) * height,
                )
                names.add(
                    name, (left, bottom - 0.25 * height), color="#8a94a6", anchor=("left", "center")
                )
                self.draw_curve(
                    ease, left, bottom, 0.76 * width, 0.48 * height, (column / 10 + 0.04 * row) % 1
                )

    def draw_curve(self, ease, left, bottom, width, height, hue):
        time = np.linspace(0, 1, 20 * STEPS)
        place = np.column_stack([left + width * time, bottom + height * fw.ease(ease, time)])
        way = np.append(0, np.cumsum(np.hypot(*np.diff(place, axis=0).T)))
        even = np.searchsorted(
            way, np.linspace(0, way[-1], STEPS)
        )  # steep or not, dots are as far from each other
        time, place = time[even], place[even]
        shades = [colorsys.hls_to_rgb(hue, 0.35 + 0.35 * share, 0.7) for share in time]
        size = self.height / 520 / 16
        self.dots.extend(
            STEPS, position=place, color=np.column_stack([shades, np.ones(STEPS)]), scale=3 * size
        )
        for end in (place[0], place[-1]):
            self.dots.add(position=end, scale=5 * size, color="#566070")
        ball = self.dots.add(position=place[0], scale=10 * size)
        self.tween(ball, x=place[-1, 0], duration=1, repeat=math.inf)
        self.tween(ball, y=place[-1, 1], duration=1, repeat=math.inf, ease=ease)


if __name__ == "__main__":
    fw.run(Tweens, size=(1000, 520), background=(0.06, 0.07, 0.09))
