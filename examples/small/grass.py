"""Effects: a vertex shader bends thousands of blades of grass in the wind."""

import numpy as np

import framework as fw

WIND = """
in float in_phase;
uniform float wind;
uniform vec2 walker;
void vertex(vec2 place, vec2 corner, inout vec2 shift, inout vec4 tint) {
    vec2 way = place - walker;
    float push = 40.0 * sign(way.x) * exp(-dot(way, way) / 4000.0);
    shift.x += corner.y * (push + wind * sin(2.0 * time + in_phase - 0.01 * place.x));
    tint.rgb *= 0.5 + 0.5 * corner.y;  // the lower corners are darker, and stay where they are
}"""


class Grass(fw.Game):
    def setup(self):
        self.add(fw.Shapes()).add_box((480, 150), (960, 300), color="#5a8f3c")
        y, x = np.mgrid[0:40, -4.0:5.0]
        blade = np.full((40, 9, 4), (170, 225, 110, 255), np.uint8)
        blade[abs(x) > y / 10] = 0
        options = {"vertex": WIND, "attributes": {"phase": 1}, "anchor": (4, 0)}
        self.grass = self.add(fw.VertexSprites(blade, 3000, **options))
        place = self.random.uniform((-10, -20), (970, 300), (3000, 2))
        self.grass.position[:] = place[place[:, 1].argsort()[::-1]]  # the lowest is in front
        self.grass.phase[:] = self.random.uniform(0, 2, 3000)
        self.grass.color[:, :3] = self.random.uniform(0.6, 1, (3000, 3))
        help = "Move the mouse. Hold space: storm."
        self.labels.add(help, (480, 480), anchor="center", color="#235")

    def update(self, dt):
        wind = 22.0 if self.keys["space"] else 8.0
        self.grass.uniforms = {"wind": wind, "walker": self.mouse.position}


if __name__ == "__main__":
    fw.run(Grass, resolution=(960, 540), background="#a8d8ea")
