"""Effects: your own drawable with OpenGL draws 20,000 points that only the GPU moves."""

import numpy as np

import framework as fw

POINTS = """
#include "frame.glsl"
in vec4 in_start; out vec3 shade;
void main() {
    float turn = time * (0.4 + in_start.w) + 6.283 * in_start.z;
    vec2 arm = (40.0 + 220.0 * in_start.x) * vec2(1.6 * cos(turn), sin(turn + in_start.y));
    shade = 0.5 + 0.5 * cos(turn + vec3(0.0, 2.0, 4.0));
    gl_Position = view_projection * vec4(eye + arm, 0.0, 1.0);
}"""
COLOR = "in vec3 shade; out vec4 color; void main() { color = vec4(shade, 1.0); }"


class Points(fw.Drawable):
    def attach(self, graphics):  # called once: creates buffers and shaders
        start = np.random.default_rng(1).uniform(0, 1, (20_000, 4)).astype("f4")
        self.program = graphics.program(POINTS, COLOR)
        self.buffer = graphics.ctx.buffer(start.tobytes())
        self.array = graphics.ctx.simple_vertex_array(self.program, self.buffer, "in_start")

    def draw(self):  # called in each frame
        self.array.ctx.point_size = 2
        self.array.render(self.array.ctx.POINTS)

    def release(self):
        self.array.release(), self.program.release(), self.buffer.release()


class Drawable(fw.Game):
    def setup(self):
        self.add(Points())


if __name__ == "__main__":
    fw.run(Drawable, resolution=(960, 540))
