"""State: change this file while it runs with `framework run reloading --reload`.

Change a number or a color below and save the file: the fish goes on swimming.
"""

import math

import framework as fw

SPEED = 180  # units per second
WAVES = 60  # units
COLORS = ["#ff9f1c", "#2ec4b6", "#e71d36", "#ffffff"]
SEA = "#023e8a"


class Reloading(fw.Game):
    def setup(self):
        self.shapes = self.add(fw.Shapes())
        self.x = 0.0

    def update(self, dt):
        self.background = SEA
        self.x += SPEED * dt
        self.shapes.clear()
        for number in range(12):
            x = (self.x + 211 * number) % 1100 - 70
            y = 60 + 38 * number + WAVES * math.sin(x / 90 + number)
            self.fish(x, y, COLORS[number % len(COLORS)])

    def fish(self, x, y, color):
        tail = 12 * math.sin(self.tick / 5 + y)
        fin = [(x - 28, y), (x - 62, y + 22 + tail), (x - 62, y - 22 + tail)]
        self.shapes.add_path(fin, 6, closed=True, color=color)
        self.shapes.add_ellipse((x, y), (76, 42), color=color)
        self.shapes.add_circle((x + 22, y + 6), 5, color="#000")


if __name__ == "__main__":
    fw.run(Reloading, resolution=(960, 540))
