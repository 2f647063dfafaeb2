"""Menus: sliders, toggles and choices that set attributes of objects."""

import math

import framework as fw

COLORS = {"gold": "#ffd166", "rose": "#ef476f", "mint": "#06d6a0", "sky": "#4cc9f0"}


class Flower:
    petals, size, speed, turning, color = 7.0, 120.0, 1.0, True, "rose"


class Sliders(fw.Game):
    def setup(self):
        self.flower = Flower()
        self.angle = 0.0
        self.shapes = self.add(fw.Shapes())
        panel = self.ui.column(anchor="right", width=330, padding=20, gap=12, panel=True)
        panel.label("Your flower", font_size=28)
        panel.slider("Petals", self.flower, "petals", 3, 16)
        panel.slider("Size", self.flower, "size", 40, 160)
        panel.slider("Speed", self.flower, "speed", 0, 5)
        panel.toggle("Turns", self.flower, "turning")
        panel.choice("Color", list(COLORS), self.flower, "color")

    def update(self, dt):
        flower, count = self.flower, round(self.flower.petals)
        self.angle += flower.speed * dt if flower.turning else 0
        self.shapes.clear()
        for petal in range(count):
            angle, size = self.angle + math.tau * petal / count, flower.size
            place = 300 + size * math.cos(angle), 270 + size * math.sin(angle)
            form = 1.2 * size, 3.2 * size / count
            self.shapes.add_ellipse(place, form, angle=angle, color=COLORS[flower.color] + "d0")
        self.shapes.add_circle((300, 270), 0.55 * flower.size, color="#e9c46a")


if __name__ == "__main__":
    fw.run(Sliders, resolution=(960, 540), background="#264653")
