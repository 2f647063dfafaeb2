"""Effects: your own shader fills the screen."""

import framework as fw

PLASMA = """
uniform vec2 mouse;
uniform float zoom;
vec4 fill(vec2 place) {
    vec2 p = (place - mouse) * vec2(16.0, 9.0) / zoom;
    float v = sin(p.x + time) + sin(p.y + 0.7 * time) + sin(0.7 * (p.x + p.y) + 1.3 * time);
    v += sin(length(p) * 2.0 - 2.0 * time);
    vec3 color = 0.5 + 0.5 * cos(0.9 * v + vec3(0.0, 0.7, 1.6) + 0.3 * time);
    return vec4(color * vec3(1.0, 0.75, 1.0), 1.0);
}"""


class Plasma(fw.Game):
    def setup(self):
        self.quad = self.add(fw.FullscreenQuad(PLASMA, mouse=(0.5, 0.5), zoom=1.0), layer=-1)
        self.labels.add("Move the mouse. Wheel: zoom.", (480, 12), anchor="bottom", shadow="#000c")

    def update(self, dt):
        if self.mouse.inside:
            self.quad.mouse = self.mouse.x / self.width, self.mouse.y / self.height
        self.quad.zoom *= 1.1**self.mouse.scroll_y


if __name__ == "__main__":
    fw.run(Plasma, resolution=(960, 540))
