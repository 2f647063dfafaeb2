"""Warming: the first frame of warmed parts compiles nothing, and the game is the same."""

from __future__ import annotations

import numpy as np
import pytest
from pictures import solid

import framework as fw
from framework.game.warming import PARTS

DT = 1 / 60


class Everything(fw.Scene):
    def setup(self):
        image = solid(8, 8)
        self.add(fw.TileLayer(fw.TileSet(image, (8, 8)), np.ones((3, 3), np.uint32)))
        self.sprites.add(image, position=(30, 30))
        shapes = self.add(fw.Shapes())
        shapes.add_circle((60, 40), 9)
        sparks = self.add(fw.Particles(image))
        sparks.emit(3, (80, 60))
        self.labels.add("Hello", (20, 70))
        self.ui.column().button("Play")


class Warmed(fw.Game):
    parts: tuple[str, ...] | None = ()

    def setup(self):
        self.sum = 0.0
        if self.parts is not None:
            self.picture.warm(*self.parts)

    def update(self, dt):
        self.sum += self.random.random()


class Cold(Warmed):
    parts = None


@pytest.fixture
def compiled(monkeypatch):
    """Record the vertex shaders of the programs that are linked."""
    from framework.gpu import shaders

    linked = []

    def program(ctx, vertex, *arguments, link=shaders.program, **options):
        linked.append(vertex)
        return link(ctx, vertex, *arguments, **options)

    monkeypatch.setattr(shaders, "program", program)
    return linked


@pytest.mark.parametrize(
    "options", [{}, {"pixel_art": True, "resolution": (200, 100)}, {"render_scale": 0.5}]
)
def test_the_first_frame_of_a_warm_scene_compiles_nothing(make, compiled, options):
    games = []
    scale = options.get("render_scale")
    options = {name: value for name, value in options.items() if name != "render_scale"}
    for kind in (Cold, Warmed):
        game = make(kind, **options)
        if scale is not None:
            game.picture.render_scale = scale
        game.advance(DT)
        compiled.clear()
        game.push(Everything())
        game.advance(DT)
        game.advance(DT)
        games.append((game, list(compiled)))
    (cold, cold_programs), (warm, warm_programs) = games
    assert len(cold_programs) >= 4
    # The image of texels belongs to no part.
    assert set(warm_programs) <= ({"scaled.vert"} if options else set())
    np.testing.assert_array_equal(warm.pixels(), cold.pixels())
    assert warm.sum == cold.sum


def test_the_state_does_not_change(make):
    game = make(Cold)
    game.push(Everything())
    game.advance(DT)
    snapshot = game.snapshot()
    before = game.state_hash()
    pixels = game.pixels().copy()
    game.picture.warm()
    assert game.state_hash() == before
    game.picture.warm("widgets", "text", "text")
    game.advance(0)
    np.testing.assert_array_equal(game.pixels(), pixels)
    game.advance(DT)
    game.restore(snapshot)
    assert game.state_hash() == before


def test_warm_may_be_called_in_a_tick_and_beside_another_game(make):
    game = make(Cold)
    second = make(Cold)
    for game_or_second in (game, second):
        game_or_second.push(Everything())
        game_or_second.advance(DT)
    pixels = game.pixels().copy()
    second.schedule.once(lambda dt: second.picture.warm(), DT)
    game.schedule.once(lambda dt: second.picture.warm("tiles"), DT)
    for game_or_second in (game, second, game):
        game_or_second.advance(DT)
    still = make(Cold)
    still.push(Everything())
    for _ in range(3):
        still.advance(DT)
    np.testing.assert_array_equal(game.pixels(), still.pixels())
    assert pixels.shape == game.pixels().shape


def test_each_part_is_warmed_alone(make, compiled):
    game = make(Cold)
    game.advance(DT)
    for part in PARTS:
        compiled.clear()
        game.picture.warm(part)
        again = list(compiled)
        game.picture.warm(part)
        assert compiled == again  # nothing is compiled a second time


def test_a_game_without_graphics_only_loads_modules(make):
    game = make(Warmed, drawing=False)
    game.run_ticks(2)
    assert game.sum == pytest.approx(make_sum(make))


def make_sum(make):
    game = make(Cold, drawing=False)
    game.run_ticks(2)
    return game.sum


def test_bad_parts_and_wrong_times_are_errors(make):
    game = make(Cold)
    with pytest.raises(ValueError, match=r"part: .*sprites.*'sprite'"):
        game.picture.warm("text", "sprite")
    with pytest.raises(TypeError, match="part"):
        game.picture.warm(3)

    class Draws(fw.Game):
        def draw(self, alpha):
            self.picture.warm("text")

    with pytest.raises(fw.FrameworkError, match="draws a frame now"):
        make(Draws).advance(DT)
    game.close()
    with pytest.raises(fw.FrameworkError, match="closed"):
        game.picture.warm()
