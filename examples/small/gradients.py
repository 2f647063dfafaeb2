"""Shapes: tween color gradients from day to night."""

import framework as fw

DAY = {"sky": "#3d8fe0", "horizon": "#d8f0ff", "sun": "#fff3b0", "hill": "#5fae57"}
NIGHT = {"sky": "#070b24", "horizon": "#5a3a78", "sun": "#dfe6ff", "hill": "#16213c"}


class Gradients(fw.Game):
    def setup(self):
        shapes = self.add(fw.Shapes())
        down = {"gradient": "linear", "gradient_angle": -1.5708}
        self.sky = shapes.add_box(
            (480, 270), (960, 540), gradient_to=DAY["horizon"], color=DAY["sky"], **down
        )
        self.glow = shapes.add_circle((480, 380), 170, gradient="radial", color="#fffbe0aa")
        self.sun = shapes.add_circle((480, 380), 48, color=DAY["sun"])
        self.hills = [
            shapes.add_ellipse((x, y), (640, 360), gradient_to="#0d2b2b", color=DAY["hill"], **down)
            for x, y in ((120, 60), (820, 40), (470, -20))
        ]
        self.night = False
        self.labels.add("Space: day or night", (480, 14), anchor="bottom")

    def update(self, dt):
        if self.keys.just_pressed("space"):
            self.night = not self.night
            colors = NIGHT if self.night else DAY
            height = 320 if self.night else 380
            slowly = {"duration": 2, "ease": "in_out_sine"}
            self.tween(self.sky, color=colors["sky"], gradient_to=colors["horizon"], **slowly)
            self.tween(self.sun, color=colors["sun"], y=height, **slowly)
            self.tween(self.glow, y=height, **slowly)
            for hill in self.hills:
                self.tween(hill, color=colors["hill"], **slowly)


if __name__ == "__main__":
    fw.run(Gradients, resolution=(960, 540))
