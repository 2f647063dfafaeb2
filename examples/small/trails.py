"""Shapes: a trail shows where a sprite has been."""

import math

import framework as fw

COLORS = ["#ff5d8f", "#ffd166", "#06d6a0", "#4cc9f0", "#b388ff"]


class Trails(fw.Game):
    def setup(self):
        self.background = "#0d0b1e"
        self.comets = fw.SpriteBatch("../art/glow.png", len(COLORS), blend="add")
        for comet, color in zip(self.comets, COLORS, strict=True):
            comet.color = color
            self.add(fw.Trail(comet, 1.2, width=(14, 0), color=(color, color + "00"), blend="add"))
        self.add(self.comets)  # drawn above the trails
        self.labels.add("Hold the mouse button: come here", (480, 14), anchor="bottom")

    def update(self, dt):
        for number, comet in enumerate(self.comets):
            time = 1.1 * self.tick * dt + 1.26 * number
            x = 480 + 380 * math.sin(time)
            y = 280 + 190 * math.sin(1.5 * time + number)
            if self.mouse["left"]:
                x = self.mouse.x + 70 * math.cos(4 * time)
                y = self.mouse.y + 70 * math.sin(4 * time)
            comet.x += 0.12 * (x - comet.x)
            comet.y += 0.12 * (y - comet.y)


if __name__ == "__main__":
    fw.run(Trails, resolution=(960, 540))
