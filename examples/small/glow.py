"""Effects: change the finished frame with bloom, a vignette, color fringes, a television."""

import math

import framework as fw

COLORS = ["#ff2079", "#04d9ff", "#f9f871", "#7cff6b"]


class Glow(fw.Game):
    def setup(self):
        self.background = "#0b0620"
        self.signs = self.add(fw.Shapes())
        for number, color in enumerate(COLORS):
            look = {"color": color, "stroke_width": 7}
            self.signs.add_ngon((150 + 220 * number, 300), 80, number + 3, **look)
            self.signs.add_star((150 + 220 * number, 300), 40, number + 4, color=color)
        names = {
            "1 Bloom": fw.Bloom(1.2, threshold=0.2),
            "2 Vignette": fw.Vignette(0.8),
            "3 ChromaticAberration": fw.ChromaticAberration(6),
            "4 CRT": fw.CRT(),
            "5 Pixelate": fw.Pixelate(10),
        }
        self.effects = list(names.values())
        for number, effect in enumerate(self.effects):
            effect.enabled = number < 2
        self.text = self.labels.add("   ".join(names), (480, 40), font_size=24, anchor="center")

    def update(self, dt):
        self.signs.angle[::2] += 0.5 * dt
        self.signs.angle[1::2] -= 0.8 * dt
        self.effects[0].strength = 1.2 + 0.6 * math.sin(2 * self.tick * dt)
        for number, effect in enumerate(self.effects, 1):
            if self.keys.just_pressed(str(number)):
                effect.enabled = not effect.enabled


if __name__ == "__main__":
    fw.run(Glow, resolution=(960, 540))
