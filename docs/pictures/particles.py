"""The picture of docs/particles.md: the presets, and two sprites that trail what they emit.

framework run docs/pictures/particles.py --headless --frames 300 --screenshot
docs/pictures/particles.png
"""

import math

import numpy as np

import framework as fw

NAMES = ("fire", "smoke", "sparks", "confetti", "rain", "snow")


class Particles(fw.Game):
    def setup(self):
        unit = self.height / 520
        width, bottom = self.width / 6, self.height * 0.42
        names = self.add(fw.TextBatch(font_size=max(3, self.height / 36)), camera=self.hud)
        panels = self.add(fw.SpriteBatch(np.ones((1, 1, 3), np.float32)))
        for column, name in enumerate(NAMES):
            middle = (column + 0.5) * width
            panels.add(
                position=(middle, bottom + 0.27 * self.height),
                scale=(0.94 * width, 0.58 * self.height),
                color="#10151f",
            )
            names.add(
                name,
                (middle, bottom - 0.06 * self.height),
                color="#9aa6ba",
                anchor=("center", "center"),
            )
            falls = name in ("rain", "snow")
            options = {"emission_size": (0.84 * width, 4)} if falls else {}
            if falls:
                options["lifetime"] = (0.38, 0.4) if name == "rain" else (4.0, 4.4)
            if name == "confetti":
                options |= {
                    "spread": 0.16,
                    "lifetime": (1.4, 1.8),
                    "speed": (250 * unit, 600 * unit),
                }
            length = 0.7 * unit if name == "sparks" else unit
            effect = self.add(getattr(fw.Particles, name)(unit=length, **options))
            rate = {
                "fire": 150,
                "smoke": 24,
                "sparks": 130,
                "confetti": 45,
                "rain": 110,
                "snow": 14,
            }[name]
            above = {"sparks": 0.3, "rain": 0.52, "snow": 0.53}.get(name, 0.06)
            effect.emitter((middle, bottom + above * self.height), rate, prewarm=4)
        self.make_comets(unit)

    def make_comets(self, unit):
        glow = fw.Particles(
            capacity=4000,
            lifetime=1.5,
            size=fw.Curve(12 * unit, 0),
            blend="add",
            noise=(5 * unit, 0.7),
        )
        self.tails = self.add(glow)
        self.comets = [self.sprites.add(np.zeros((1, 1, 4), np.uint8)) for _ in range(3)]
        self.move(0)
        for comet, color in zip(self.comets, ("#ff7a3c60", "#56c8ff60", "#b483ff60"), strict=True):
            comet.teleport()
            self.tails.emitter(comet, 900, tint=color, speed=(0, 9 * unit))

    def move(self, time):
        for number, comet in enumerate(self.comets):
            phase = 1.7 * time + number * math.tau / 3
            comet.x = self.width * (0.5 + 0.44 * fw.exact.sin(phase))
            comet.y = self.height * (0.17 + 0.1 * fw.exact.sin(2.3 * phase + number))

    def update(self, dt):
        self.move(self.tick * dt)


if __name__ == "__main__":
    fw.run(Particles, size=(1000, 520), background=(0.03, 0.04, 0.06))
