"""Shapes: ribbons along moving points, such as northern lights."""

import numpy as np

import framework as fw

COLORS = ["#38f9a0", "#3fd0ff", "#9a6bff", "#ff5fb0"]


class Ribbons(fw.Game):
    def setup(self):
        self.sprites.add("../art/night.png", position=(480, 270))
        self.x = np.linspace(-40, 1000, 60)
        fade = np.concatenate([np.linspace(0, 1, 20), np.ones(20), np.linspace(1, 0, 20)])
        self.ribbons = []
        for color in COLORS:
            points = np.column_stack([self.x, np.full(60, 380)])
            ribbon = self.add(fw.Ribbon(None, points, color=color, blend="add"))
            ribbon.color[:, 3] = 0.35 * fade
            self.ribbons.append(ribbon)
        self.labels.add("Space: wind", (480, 14), anchor="bottom")
        self.wind = 1.0

    def update(self, dt):
        if self.keys.just_pressed("space"):
            self.tween(self, wind=2.5, duration=0.8, ease="out_quad", repeat=2, ping_pong=True)
        time = self.tick * dt
        for number, ribbon in enumerate(self.ribbons):
            wave = np.sin(self.x / 140 + time * (0.5 + 0.1 * number) + number)
            y = 370 + 18 * number + 45 * self.wind * wave + 12 * np.sin(self.x / 37 - 2 * time)
            ribbon.points = np.column_stack([self.x, y])
            ribbon.width[:] = 50 + 25 * np.sin(self.x / 90 + time + 2 * number)


if __name__ == "__main__":
    fw.run(Ribbons, resolution=(960, 540))
