"""Fullscreen quads, and pairs of textures that are drawn from each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pictures import solid

import framework as fw

FILL = "uniform float red; vec4 fill(vec2 place) { return vec4(red, 0.0, place.x, 1.0); }"
NEXT = (
    "uniform float gain = 1.0; vec4 following(vec2 place) { return gain * last(place - "
    "vec2(1.0 / size.x, 0.0)); }"
)


class QuadGame(fw.Game):
    def setup(self) -> None:
        self.back = self.add(fw.FullscreenQuad(FILL, red=0.0))
        self.sprites.add(solid(8, 8), position=(32, 24))

    def update(self, dt: float) -> None:
        self.back.red = self.tick / 4


def test_a_quad_has_its_drawing_order_and_interpolated_uniforms(
    make: Callable[..., Any],
) -> None:
    game = make(QuadGame, size=(64, 48), tick_rate=10)
    for time in (0.0, 0.1, 0.15):
        game.advance(time)
    picture = game.pixels()
    assert tuple(picture[24, 32, :3]) == (255, 255, 255)
    assert picture[0, 0, 0] == pytest.approx(255 * 3 / 8, abs=1)
    assert picture[0, 63, 2] > 250
    game.remove(game.back)
    game.run(1)
    with pytest.raises(fw.ShaderError, match="'nope' undeclared"):
        game.add(fw.FullscreenQuad("vec4 fill(vec2 p) { return nope; }"))
    make(QuadGame, size=(64, 48), drawing=False).run(2)


@pytest.mark.parametrize("dtype", ["f1", "f2", "f4"])
def test_each_step_is_drawn_from_the_previous_texture(make: Callable[..., Any], dtype: str) -> None:
    game = make(fw.Game, size=(64, 48))
    start = np.zeros((4, 8, 4), np.float32)
    start[2, 1] = 1.0
    pair = fw.PingPong(game.picture.graphics, (8, 4), NEXT, start=start, dtype=dtype)
    pair.step(3)
    assert (pair.read() == np.roll(start, 3, axis=1)).all()
    pair.gain = 0.5
    pair.step()
    assert pair.read()[2, 5] == pytest.approx([0.5] * 4, abs=0.003)
    game.run(1)
    assert game.picture.ctx.error == "GL_NO_ERROR"
    pair.release()


READS = "uniform sampler2D cells; vec4 fill(vec2 place) { return texture(cells, place); }"


def test_shaders_read_images_pairs_and_camera_textures(make: Callable[..., Any]) -> None:
    game = make(fw.Game, size=(64, 48))
    corners = np.zeros((2, 2, 4), np.float32)
    corners[0, 1] = 1.0  # below, on the right
    add = (
        "uniform sampler2D more; vec4 following(vec2 place) { return last(place) + "
        "texture(more, place); }"
    )
    pair = fw.PingPong(
        game.picture.graphics, (2, 2), add, more=solid(1, 1, (255, 0, 0, 255)), start=corners
    )
    pair.step()
    assert pair.read()[:, :, 0].tolist() == [[1.0, 2.0], [1.0, 1.0]]
    quad = game.add(fw.FullscreenQuad(READS, cells=pair))
    game.run(1)
    assert tuple(game.pixels()[47, 63, :3]) == (255, 255, 255)
    assert tuple(game.pixels()[0, 63, :3]) == (255, 0, 0)
    image = np.full((48, 64, 4), 255, np.uint8)
    image[:24, :, 1:3] = 0  # the upper half of the image
    quad.cells = image
    game.run(1)
    assert tuple(game.pixels()[12, 5, :3]) == (255, 0, 0)
    assert tuple(game.pixels()[36, 5, :3]) == (255, 255, 255)
    game.remove(quad)
    camera_texture = fw.RenderTexture((8, 6))
    # the lower half of the camera's view
    game.sprites.add(solid(64, 48, (0, 255, 0, 255)), position=(32, 12))
    game.views.add(fw.Camera2D(game.size), texture=camera_texture, layers=[0])
    turned = "uniform sampler2D seen; vec4 effect(vec2 place) { return texture(seen, place).grba; }"
    game.effects = [fw.Effect(turned, seen=camera_texture)]
    game.run(3)
    assert tuple(game.pixels()[47, 32, :3]) == (255, 0, 0)
    assert game.picture.ctx.error == "GL_NO_ERROR"


def test_values_that_a_shader_cannot_read_are_refused(make: Callable[..., Any]) -> None:
    game = make(fw.Game, size=(64, 48))
    with pytest.raises(TypeError, match="cells: the shader has a sampler2D of this name"):
        fw.FullscreenQuad(READS)
    with pytest.raises(TypeError, match=r"cells: expected .*, got 3"):
        fw.FullscreenQuad(READS, cells=3)
    with pytest.raises(AttributeError, match=r"'cell'.*cells"):
        fw.FullscreenQuad(READS, cell="noise.png")
    with pytest.raises(fw.AssetError, match="nowhere"):
        game.add(fw.FullscreenQuad(READS, cells="nowhere.png"))


def test_completion_shows_no_internal_names() -> None:
    names = {name for name in dir(fw.FullscreenQuad) if name[0] != "_"}
    assert not names & {"attach", "draw", "release", "renew", "attach_unseen", "composed_of"}


def test_a_quad_belongs_to_one_game(make: Callable[..., Any]) -> None:
    game = make(fw.Game, size=(64, 48))
    second_game = make(fw.Game, drawing=False)
    quad = game.add(fw.FullscreenQuad(FILL, red=0.0))
    for home in (game, second_game):
        with pytest.raises(ValueError, match=r"^FullscreenQuad: it was added to a game already"):
            home.add(quad)
    game.remove(quad)
    second_game.add(quad)
    second_game.run_ticks(2)


SIZED = "vec4 fill(vec2 place) { return vec4(size / 255.0, fract(place.x * size.x) * 0.5, 1.0); }"


@pytest.mark.parametrize("ratio", [1.0, 2.0])
def test_the_size_uniform_is_the_size_of_the_filled_area(
    make: Callable[..., Any], ratio: float
) -> None:
    game = make(fw.Game, size=(64, 48), pixel_ratio=ratio)
    game.add(fw.FullscreenQuad(SIZED))
    game.run(1)
    width = int(64 * ratio)
    height = int(48 * ratio)
    assert game.pixels()[height // 2, width // 2].tolist() == [width, height, 64, 255]
    half = game.views.add(fw.Camera2D((1, 1)), (0.5, 0, 0.5, 1))
    game.run(1)
    assert game.pixels()[height // 2, width * 3 // 4, :2].tolist() == [width // 2, height]
    game.views.remove(half)
    other = make(fw.Game, size=(20, 10), resolution=(10, 5), pixel_art=True)
    other.add(fw.FullscreenQuad(SIZED))
    other.run(1)
    assert other.pixels()[5, 5, :2].tolist() == [12, 7]  # texels, with a border of one texel
