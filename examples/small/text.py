"""Text: labels with sizes, colors, outlines, shadows, anchors and angles."""

import math

import framework as fw


class Text(fw.Game):
    def setup(self):
        self.background = "#264653"
        title = self.title = self.labels.add("SUBTICK", (480, 420), font_size=110, anchor="center")
        title.color = "#ffd166"
        title.outline = "#7a2e00"
        title.outline_width = 6
        title.shadow = "#0008"
        title.shadow_offset = (6, -6)
        shapes = self.add(fw.Shapes())
        for x, side in ((60, "left"), (480, "center"), (900, "right")):
            shapes.add_circle((x, 270), 6, color="#e76f51")
            self.labels.add(f"anchor {side}", (x, 270), font_size=26, anchor=side)
        word = "each letter is a label"
        self.letters = [
            self.labels.add(letter, (150 + 31 * number, 130), font_size=40, anchor="center")
            for number, letter in enumerate(word)
        ]
        self.counter = self.labels.add("", (480, 30), anchor="center", color="#a8dadc")

    def update(self, dt):
        time = self.tick * dt
        self.title.angle = 0.06 * math.sin(1.5 * time)
        for number, letter in enumerate(self.letters):
            letter.y = 140 + 24 * math.sin(3 * time - 0.4 * number)
            letter.color = 1, 0.7 + 0.3 * math.sin(2 * time + 0.3 * number), 0.5
        self.counter.text = f"{time:.1f} seconds: a label is laid out again only if it changes"


if __name__ == "__main__":
    fw.run(Text, resolution=(960, 540))
