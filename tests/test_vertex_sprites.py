"""Vertex sprites: custom vertex shaders, their columns and their GPU buffers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from pictures import solid

import framework as fw

SIZE = (64, 48)
LEAN = """
in float in_lean;
uniform float far = 1.0;
void vertex(vec2 place, vec2 corner, inout vec2 shift, inout vec4 tint) {
    shift.x += corner.y * in_lean * far;
    tint.rgb *= corner.x;
}
"""


class Grass(fw.Game):
    def setup(self) -> None:
        self.blades = self.add(
            fw.VertexSprites(
                solid(8, 8), 2, vertex=LEAN, attributes={"lean": 1}, smooth_edges=False
            )
        )
        self.speed = 0

    def update(self, dt: float) -> None:
        self.blades.position[:, 0] += self.speed


@pytest.fixture(scope="module")
def shared() -> Iterator[Any]:
    with Grass(size=SIZE, headless=True, background="black", tick_rate=10) as game:
        yield game


@pytest.fixture
def game(shared: Any) -> Any:
    batch = shared.blades
    batch.remove(slice(None))
    batch.extend(2, position=[(16, 24), (40, 24)])
    batch.uniforms = {}
    shared.speed = 0
    return shared


def picture(game: Any) -> np.ndarray:
    game.advance(0)
    return game.pixels()[::-1, :, :3].astype(int)  # row 0 at the bottom


def test_custom_columns_and_uniforms_move_and_color_corners(game: Any) -> None:
    plain = picture(game)
    # darker to the left
    assert plain[24, 12:20, 0].tolist() == pytest.approx(np.arange(16, 255, 32), abs=17)
    game.blades.lean[1] = 8.0
    pixels = picture(game)
    assert (pixels[:, :30] == plain[:, :30]).all()
    assert (pixels[20, 36:44, 0] > 0).sum() >= 7
    assert pixels[27, 36:42].max() == 0  # the upper edge has moved by the sprite's height
    assert pixels[27, 44:50].min() > 0
    game.blades.uniforms = {"far": 0.0}
    assert (picture(game) == plain).all()
    assert game.blades.lean.tolist() == [0.0, 8.0]
    assert game.picture.ctx.error == "GL_NO_ERROR"


def test_far_positions_are_drawn_exactly_and_interpolated(game: Any) -> None:
    game.blades.lean = 4.0
    before = picture(game)
    far = 2.0**21
    game.blades.position += far
    game.camera.position += np.array([far, far])
    game.blades.teleport(slice(None))
    game.camera.teleport()
    try:
        assert np.abs(picture(game) - before).max() <= 1
    finally:
        game.blades.position -= far
        game.camera.position -= np.array([far, far])
        game.blades.teleport(slice(None))
        game.camera.teleport()
    game.blades.lean = 0.0
    game.speed = 8
    game.advance(0.1 if game.timestep.alpha < 0.1 else 0.0)
    assert game.blades[0].drawn_position(0.5)[0] == pytest.approx(game.blades[0].x - 4)


def test_added_and_removed_rows_keep_their_own_values(game: Any) -> None:
    batch = game.blades
    batch.lean = (1.0, 2.0)
    batch.extend(2, position=[(0, 0), (1, 1)], lean=[3.0, 4.0])
    batch.remove([0])
    assert batch.lean.tolist() == [2.0, 3.0, 4.0]
    snapshot = game.snapshot()
    first = game.state_hash()
    batch.lean = 9.0
    assert game.state_hash() != first
    game.restore(snapshot)
    assert batch.lean.tolist() == [2.0, 3.0, 4.0]
    batch.add(position=(40, 24))
    batch.add(lean=5.0)
    with pytest.raises(TypeError, match=r"^lean: expected"):
        batch.add(lean="x")
    assert batch.lean.tolist() == [2.0, 3.0, 4.0, 0.0, 5.0]


def test_a_sprite_has_its_own_values_of_custom_columns(game: Any) -> None:
    first, second = game.blades
    second.lean = 8
    assert (first.lean, second.lean, game.blades.lean.tolist()) == (0.0, 8.0, [0.0, 8.0])
    before = game.snapshot()
    first.remove()
    second.lean = 3.5
    assert game.blades.lean.tolist() == [3.5]
    with pytest.raises(ValueError, match="sprite: it was removed"):
        first.lean = 1
    with pytest.raises((TypeError, ValueError), match=r"^lean: expected"):
        second.lean = "x"
    with pytest.raises(AttributeError, match="leen"):
        second.leen = 1
    game.restore(before)
    assert (first.lean, second.lean) == (0.0, 8.0)
    wide = fw.VertexSprites(solid(2, 2), 1, vertex=LEAN, attributes={"way": 2, "lean": 1})
    wide[0].way = (1, 2)
    assert wide[0].way == (1.0, 2.0)
    assert (wide[0].lean, wide.way.tolist()) == (0.0, [[1.0, 2.0]])
    with pytest.raises(ValueError, match="attributes: 'alpha' is not a valid name"):
        fw.VertexSprites(solid(2, 2), vertex=LEAN, attributes={"alpha": 1})


def test_the_buffers_hold_the_columns(game: Any) -> None:
    batch = game.blades
    graphics = game.picture.graphics
    batch.lean = (1.5, 2.5)
    batch.color = "#ff8000"
    picture(game)
    for name in ("position", "angle", "scale", "color", "lean"):
        view = batch.buffers[name]
        column = getattr(batch, name)
        assert (view.dtype, view.rows, view.stride) == (np.dtype("f4"), 2, view.components * 4)
        numbers = np.frombuffer(view.buffer.read(view.rows * view.stride), view.dtype)
        assert numbers.reshape(column.shape) == pytest.approx(column)
    assert batch.buffers["info"].dtype == np.dtype("u4")
    game.speed = 2
    game.advance(0.1)
    game.advance(0.1)
    names = "previous_position", "position"
    old, new = (np.frombuffer(batch.buffers[name].buffer.read(16), "f4") for name in names)
    assert (new - old).tolist() == [2, 0, 2, 0]
    program = graphics.ctx.program(
        vertex_shader="#version 330\nin vec2 p;\nout float x;\nvoid main() { x = p.x; }",
        varyings=["x"],
    )
    view = batch.buffers["position"]
    out = graphics.ctx.buffer(reserve=8)
    graphics.ctx.vertex_array(program, [(view.buffer, f"{view.components}f", "p")]).transform(
        out, vertices=view.rows
    )
    assert np.frombuffer(out.read(), "f4").tolist() == batch.position[:, 0].tolist()


def test_vertex_sprites_with_clips_flips_texels_and_without_drawing() -> None:
    clips = fw.Clips([solid(8, 8), solid(8, 8, (255, 0, 0, 255))], on=(0, 2, 10))
    for options in ({"pixel_art": True, "resolution": SIZE}, {"drawing": False}):
        with fw.Game(size=SIZE, headless=True, background="black", **options) as game:
            batch = game.add(
                fw.VertexSprites(clips, 1, vertex=LEAN, attributes={"lean": 1}, motion="hermite")
            )
            batch.position = (16, 24)
            batch.lean = 6.0
            batch.teleport(slice(None))
            batch.play("on")
            game.run(2)
            if game.drawing:
                assert (game.pixels()[20, 16:26, 0] > 0).any()
                assert game.picture.ctx.error == "GL_NO_ERROR"


def test_invalid_arguments_are_one_error(game: Any) -> None:
    bad = LEAN.replace("corner.x;", "corner.z;")
    with pytest.raises(fw.ShaderError, match="<source>:6"):
        game.add(fw.VertexSprites(solid(4, 4), 1, vertex=bad, attributes={"lean": 1}))
    with pytest.raises(fw.ShaderError, match="vertex"):
        game.add(fw.VertexSprites(solid(4, 4), 1, vertex="uniform float x;"))
    with pytest.raises(fw.ShaderError, match=r"no file 'none\.vert'"):
        game.add(fw.VertexSprites(solid(4, 4), 1, vertex="none.vert"))
    for attributes in (
        {"position": 2},
        {"Lean": 1},
        {"a b": 1},
        {"lean": 5},
        {"lean": 0},
        {"transforms": 1},
        3,
    ):
        with pytest.raises((ValueError, TypeError), match=r"^attributes"):
            fw.VertexSprites(solid(4, 4), vertex=LEAN, attributes=attributes)
    with pytest.raises(ValueError, match="at most 8"):
        fw.VertexSprites(solid(4, 4), vertex=LEAN, attributes={f"a{i}": 1 for i in range(9)})
    with pytest.raises(ValueError, match=r"^lean: expected"):
        game.blades.lean = (1, 2, 3)
    with pytest.raises(AttributeError, match="'laen'"):
        game.blades.laen = 1
    with pytest.raises(AttributeError, match="'laen'"):
        game.blades.laen  # noqa: B018
    game.blades.uniforms = {"fra": 1.0}
    with pytest.raises(fw.ShaderError, match="has no uniform 'fra'; it has far"):
        game.advance(0)
    game.blades.uniforms = {}
    with pytest.raises(fw.AssetError, match="not in a game yet"):
        fw.SpriteBatch(solid(4, 4)).buffers  # noqa: B018
