"""Shapes: lines, circles, arcs, boxes, polygons and stars, with sharp edges at any size."""

import math

import framework as fw

NAMES = ["line", "path", "arc", "circle", "ellipse", "sector", "box", "polygon", "star", "ngon"]
ARROW = [(-60, -20), (10, -20), (10, -50), (60, 0), (10, 50), (10, 20), (-60, 20)]
ZIGZAG = [(-60, -40), (-20, 40), (20, -40), (60, 40)]


class Shapes(fw.Game):
    def setup(self):
        at = [(120 + 180 * (n % 5), 380 - 220 * (n // 5)) for n in range(10)]
        add = self.add(fw.Shapes())
        blue = {"color": "#3bc9db44", "stroke_color": "#3bc9db", "stroke_width": 6}
        pink = {"color": "#f783ac", "gradient": "radial", "gradient_to": "#7a2048"}
        self.shapes = [
            add.add_line((60, 340), (180, 420), 12, color="#ff6b6b"),
            add.add_path(ZIGZAG, 10, join="round", position=at[1], color="#ffa94d"),
            add.add_arc(at[2], 50, 0.5, 4.5, 14, color="#ffd43b"),
            add.add_circle(at[3], 50, stroke_width=8, dash=(20, 12), color="#a9e34b"),
            add.add_ellipse(at[4], (130, 70), color="#69db7c"),
            add.add_sector(at[5], 60, 0.6, 5, color="#38d9a9"),
            add.add_box(at[6], (110, 80), corner=20, **blue),
            add.add_polygon(ARROW, position=at[7], color="#4dabf7"),
            add.add_star(at[8], 60, 5, inner=0.45, color="#9775fa"),
            add.add_ngon(at[9], 55, 6, **pink),
        ]
        for name, (left, bottom) in zip(NAMES, at, strict=True):
            self.labels.add(f"add_{name}", (left, bottom - 100), anchor="center")

    def update(self, dt):
        for shape in self.shapes:
            shape.angle += (3 if self.keys["space"] else 0.4) * dt
            shape.scale = 1 + 0.08 * math.sin(3 * self.tick * dt + shape.row)


if __name__ == "__main__":
    fw.run(Shapes, resolution=(960, 540), background="#20232e")
