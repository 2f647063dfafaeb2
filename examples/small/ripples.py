"""Effects: your own effect in GLSL makes ripples in the water where you click."""

import framework as fw

RIPPLE = """
uniform vec2 center;
uniform float age = 10.0;
vec4 effect(vec2 place) {
    vec2 way = (place - center) * units / units.y;
    float distance = length(way);
    float ring = exp(-60.0 * pow(distance - 0.6 * age, 2.0) - 1.5 * age);
    vec2 shift = way / max(distance, 0.01) * ring * sin(60.0 * distance - 14.0 * age);
    return picture(place + 0.015 * shift) + 0.2 * ring;
}"""


class Ripples(fw.Game):
    def setup(self):
        self.background = "#1b6f8a"
        lilies = self.add(fw.Shapes())
        for x, y in self.random.uniform((20, 40), (940, 520), (24, 2)).tolist():
            size = self.random.uniform(25, 55)
            lilies.add_sector((x, y), size, x, 5.7, color="#3a8f5c")
            lilies.add_star((x, y), 0.4 * size, 8, inner=0.6, color="#ffc8dd")
        self.effects = [fw.Effect(RIPPLE, center=(0.5, 0.5)) for _ in range(3)]
        self.labels.add("Click into the water", (480, 10), anchor="bottom")

    def on_mouse_press(self, x, y, button, modifiers):
        ripple = max(self.effects, key=lambda effect: effect.age)  # the oldest
        ripple.center = (x / self.width, y / self.height)
        ripple.age = 0.0
        ripple.teleport()

    def update(self, dt):
        for ripple in self.effects:
            ripple.age += dt


if __name__ == "__main__":
    fw.run(Ripples, resolution=(960, 540))
