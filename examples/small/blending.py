"""Sprites: blend modes mix the colors of a batch with the colors below it."""

import math

import framework as fw

MODES = ["alpha", "add", "screen", "multiply"]
COLORS = ["#ff4060", "#40d060", "#4070ff"]


class Blending(fw.Game):
    def setup(self):
        self.background = "#46506a"
        stripes = self.add(fw.Shapes())
        for x in range(20, 960, 40):
            stripes.add_box((x, 270), (20, 300), color="#8fa0c8")
        self.batches = []
        for number, mode in enumerate(MODES):
            x = 120 + 240 * number
            batch = self.add(fw.SpriteBatch("../art/dab.png", 3, blend=mode))
            for sprite, color in zip(batch, COLORS, strict=True):
                sprite.color = color
            batch.scale[:] = 1.3
            self.batches.append(batch)
            self.labels.add(mode, (x, 460), font_size=30, anchor="center")
        self.labels.add("Hold space: stop", (480, 30), anchor="center")
        self.angle = 0.0

    def update(self, dt):
        self.angle += 0 if self.keys["space"] else dt
        for number, batch in enumerate(self.batches):
            for index, sprite in enumerate(batch):
                angle = self.angle + math.tau * index / 3
                x = 120 + 240 * number + 42 * math.cos(angle)
                sprite.position = x, 270 + 42 * math.sin(angle)


if __name__ == "__main__":
    fw.run(Blending, resolution=(960, 540))
