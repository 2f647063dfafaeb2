"""The picture of docs/shapes.md: shapes of all kinds.

framework run docs/pictures/shapes.py --headless --frames 1 --screenshot docs/pictures/shapes.png
"""

import framework as fw


class Kinds(fw.Game):
    def setup(self):
        unit, shapes = self.width / 640, self.add(fw.Shapes())
        self.camera.zoom, self.camera.position = unit, (320, 120)
        dusk = {
            "gradient": "linear",
            "gradient_angle": 2.2,
            "color": "#3a1c40",
            "gradient_to": "#10203a",
        }
        shapes.add_box((320, 120), (640, 240), **dusk)
        shapes.add_circle((50, 60), 34, gradient="radial", color="#fd4", gradient_to="#e40")
        shapes.add_circle((140, 60), 30, stroke_width=5, dash=(10, 6), color="#4fa")
        glow = {"gradient": "linear", "color": "#fa4", "gradient_to": "#c3a"}
        shapes.add_ellipse(
            (235, 60), (90, 46), stroke_width=4, stroke_color="#fff", angle=0.3, **glow
        )
        shapes.add_arc((330, 60), 30, 0.3, 4, 8, color="#f4a")
        shapes.add_sector((410, 60), 34, 0.5, 5.28, color="#fd3")
        shapes.add_box(
            (500, 60), (80, 56), corner=12, color="#253", stroke_width=3, stroke_color="#8f8"
        )
        sky = {"gradient": "linear", "gradient_angle": 1.57, "color": "#246", "gradient_to": "#8cf"}
        shapes.add_box((590, 60), (70, 56), corner=8, **sky)
        for number, join in enumerate(("miter", "round", "bevel")):
            left = 20 + 105 * number
            points = [(left, 130), (left + 35, 200), (left + 55, 135), (left + 85, 190)]
            shapes.add_path(
                points, 10, join=join, cap="round" if number == 1 else "butt", color=(1, 1, 1, 0.7)
            )
        shapes.add_star((375, 165), 36, color="#fc0", stroke_width=3, stroke_color="#840")
        shapes.add_ngon((460, 165), 34, 6, gradient="linear", color="#08c", gradient_to="#8f8")
        shapes.add_circle((540, 165), 34, gradient="radial", gradient_to=(1, 0.5, 0, 0))
        for number in range(5):
            shapes.add_line((585 + 8 * number, 130), (595 + 8 * number, 200), 0.5 + number)


if __name__ == "__main__":
    fw.run(Kinds, size=(640, 240), background=(0.1, 0.1, 0.15))
