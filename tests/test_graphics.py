"""Shader programs of a game: includes, all kinds of shaders, and errors with their line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pictures import solid

import framework as fw

POINT = """
#include "frame.glsl"
#include "sprite_pose.glsl"
out vec2 at;
void main() {
    float angle;
    vec2 scale;
    sprite_pose(at, angle, scale);
}
"""
LINE = """
#include "frame.glsl"
layout(points) in;
layout(triangle_strip, max_vertices = 3) out;
in vec2 at[];
void main() {
    for (int corner = 0; corner < 3; corner++) {
        vec2 to = vec2(corner & 1, corner >> 1) * 20.0;
        gl_Position = view_projection * vec4(at[0] + to, 0.0, 1.0);
        EmitVertex();
    }
}
"""
RED = "out vec4 color; void main() { color = vec4(1.0, 0.0, 0.0, 1.0); }"


class Corners(fw.Drawable):
    """A triangle above and to the right of each row of a batch."""

    def __init__(self, batch: fw.SpriteBatch) -> None:
        self.batch = batch

    def attach(self, graphics: fw.Graphics) -> None:
        self.ctx: Any = graphics.ctx
        self.program = graphics.program(POINT, RED, geometry=LINE)

    def draw(self) -> None:
        self.ctx.enable_only(self.ctx.NOTHING)
        self.batch.render(self.program, self.ctx.POINTS, 1)

    def release(self) -> None:
        self.program.release()


class Sliding(fw.Game):
    def setup(self) -> None:
        self.batch = self.add(fw.SpriteBatch(solid(2, 2), 1))
        self.batch.position[:] = 10, 10
        self.add(Corners(self.batch))

    def update(self, dt: float) -> None:
        self.batch.position[:, 0] += 10


def test_a_program_runs_over_the_rows_of_a_batch_between_two_ticks(
    make: Callable[..., Any],
) -> None:
    game = make(Sliding, size=(64, 48), tick_rate=10)
    for time, left in (
        (0.1, 10),
        (0.05, 15),
        (0.05, 20),
    ):  # the first tick shows the start position
        game.advance(time)
        red = (game.pixels()[36, :, :3] == (255, 0, 0)).all(axis=1)
        assert np.flatnonzero(red)[0] == left
    assert game.picture.graphics.ctx.error == "GL_NO_ERROR"


def test_transform_feedback_needs_no_fragment_shader(make: Callable[..., Any]) -> None:
    game = make(fw.Game, size=(64, 48))
    ctx = game.picture.graphics.ctx
    program = game.picture.graphics.program(
        "in float x; out float twice; void main() { twice = 2.0 * x; }", varyings=["twice"]
    )
    source = ctx.buffer(np.arange(4, dtype="f4").tobytes())
    target = ctx.buffer(reserve=16)
    ctx.vertex_array(program, [(source, "1f", "x")]).transform(target)
    assert np.frombuffer(target.read(), "f4").tolist() == [0, 2, 4, 6]


def test_a_shader_that_does_not_compile_is_an_error_with_its_line(make: Callable[..., Any]) -> None:
    game = make(fw.Game, size=(64, 48))
    with pytest.raises(fw.ShaderError, match=r":7: 'nope' undeclared(?s:.*)in the geometry shader"):
        game.picture.graphics.program(POINT, RED, geometry=LINE.replace("corner++", "nope++"))
    with pytest.raises(TypeError, match="geometry: expected a string, got 3"):
        game.picture.graphics.program(POINT, RED, geometry=3)
    with pytest.raises(TypeError, match="varyings: expected a sequence"):
        game.picture.graphics.program(POINT, varyings="at")
    undrawn = make(fw.Game, drawing=False)
    with pytest.raises(fw.FrameworkError, match="a game without graphics has no shaders"):
        undrawn.picture.graphics.program(POINT)


def test_a_batch_without_rows_has_buffers(make: Callable[..., Any]) -> None:
    batch = make(size=(32, 32)).add(fw.SpriteBatch())
    assert batch.buffers["position"].rows == 0
