"""Input: paint with the mouse, and change the size of the brush with the wheel."""

import framework as fw

COLORS = ["#ef476f", "#f78c6b", "#ffd166", "#06d6a0", "#118ab2", "#8a5fbf"]


class Mouse(fw.Game):
    def setup(self):
        self.background = "#fdf6e3"
        self.paint = self.add(fw.Shapes())
        self.brush = self.add(fw.Shapes()).add_circle((480, 270), 24, stroke_width=3)
        self.color = 0
        self.display.mouse_visible = False
        help = "Hold the left button: paint. Right button: next color. Wheel: size. Middle: clear."
        self.labels.add(help, (480, 16), anchor="bottom", color="#776655")

    def update(self, dt):
        if self.mouse.just_pressed("right"):
            self.color = (self.color + 1) % len(COLORS)
        if self.mouse.just_pressed("middle"):
            self.paint.clear()
        color = COLORS[self.color]
        size = float(self.brush.scale[0]) * 1.1**self.mouse.scroll_y
        self.brush.scale = min(max(size, 0.2), 4)
        self.brush.color = color
        self.brush.position = self.mouse.position
        if self.mouse["left"]:
            dot = self.paint.add_circle(self.mouse.position, 24, color=color)
            dot.scale = self.brush.scale


if __name__ == "__main__":
    fw.run(Mouse, resolution=(960, 540))
