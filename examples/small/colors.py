"""Sprites: set the colors of many sprites with NumPy."""

import numpy as np

import framework as fw


class Colors(fw.Game):
    def setup(self):
        self.background = "#0b0b14"
        self.lamps = self.add(fw.SpriteBatch("../art/dab.png", 32 * 18))
        places = np.indices((32, 18)).reshape(2, -1).T
        self.lamps.position[:] = places * 30 + 15
        self.lamps.scale[:] = 0.28
        self.center = np.array(self.size) / 2
        self.labels.add(
            "Move the mouse", (480, 12), anchor="bottom", outline="#0b0b14", outline_width=5
        )

    def update(self, dt):
        if self.mouse.inside:
            self.center = np.array(self.mouse.position)
        distance = np.hypot(*(self.lamps.position - self.center).T)
        phase = distance / 70 - 3 * self.tick * dt
        shifts = np.array([0, 2.1, 4.2])  # red, green and blue, a third of a turn apart
        self.lamps.color[:, :3] = 0.55 + 0.45 * np.sin(phase[:, None] + shifts)
        self.lamps.scale[:] = (0.2 + 0.07 * np.sin(phase))[:, None]


if __name__ == "__main__":
    fw.run(Colors, resolution=(960, 540))
