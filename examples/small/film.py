"""State: record this game, and make a film of the recording.

framework run film --record film.replay
framework replay film.replay --video film.gif --fps 25 --scale 0.5
"""

import math

import framework as fw


class Film(fw.Game):
    def setup(self):
        self.background = "#0b090a"
        self.shapes = self.add(fw.Shapes())
        self.spiral = [
            self.shapes.add_circle((480, 270), 6 + number / 12, color=color)
            for number in range(60)
            for color in ("#f72585", "#4cc9f0", "#fee440")
        ]
        self.twist = 1.0
        self.labels.add("Left, right: twist", (480, 14), anchor="bottom")

    def update(self, dt):
        self.twist += self.keys.axis("left", "right") * dt
        for number, dot in enumerate(self.spiral):
            arm = number % 3
            step = number // 3
            angle = math.tau * arm / 3 + self.twist * step / 10 + self.tick * dt
            radius = 4.2 * step * (1 + 0.15 * math.sin(3 * self.tick * dt + step / 6))
            dot.position = 480 + 1.5 * radius * math.cos(angle), 270 + radius * math.sin(angle)


if __name__ == "__main__":
    fw.run(Film, resolution=(960, 540))
