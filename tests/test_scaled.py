"""The render scale: the world is scaled, while the hud and the overlay stay sharp."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pictures import Slanted, blob, centroid, solid

import framework as fw
from framework.game.driven_game import driven
from framework.gpu.scaled import scaled_size

Make = Callable[..., Any]
RED = (255, 0, 0, 255)
GREEN = (0, 255, 0, 255)
WHITE = (255, 255, 255, 255)


class World(fw.Game):
    """A square in the world, and a square on the hud."""

    def setup(self) -> None:
        self.box = self.sprites.add(solid(20, 20, RED), position=(60, 50))
        self.sign = self.add(fw.SpriteBatch(solid(10, 10, GREEN), count=1), camera=self.hud)
        self.sign.position = (151, 31)


def blurred(pixels: np.ndarray, channel: int) -> int:
    """Return the number of pixels that are neither dark nor full."""
    values = pixels[..., channel]
    return int(((values > 8) & (values < 247)).sum())


def test_at_scale_1_there_is_no_second_framebuffer(make: Make) -> None:
    game = make(World, render_scale=1)
    plain = make(World)
    for tested in (game, plain):
        tested.run(2)
        assert tested._engine.painter.world.scaled is None
    assert (game.pixels() == plain.pixels()).all()
    game.picture.render_scale = 0.5
    game.run(1)
    assert game._engine.painter.world.scaled is not None
    game.picture.render_scale = 1.0
    game.run(1)
    assert game._engine.painter.world.scaled is None
    assert (game.pixels() == plain.pixels()).all()


@pytest.mark.parametrize("scale", [0.25, 0.4, 0.5, 0.75, 1.5, 2.0])
def test_the_world_is_scaled_and_the_hud_stays_sharp(make: Make, scale: float) -> None:
    game = make(World, render_scale=scale)
    game.run(2)
    assert game._engine.painter.world.scaled.size == (round(200 * scale), round(100 * scale))
    pixels = game.pixels()
    assert pixels.shape == (100, 200, 4)
    assert (pixels[..., 3] == 255).all()
    reds = pixels.copy()
    reds[..., 1] = 0
    assert centroid(reds) == pytest.approx((60, 50), abs=0.02)  # without an offset of half a pixel
    assert pixels[..., 0].sum() / 255 == pytest.approx(400, rel=0.02)
    assert tuple(pixels[49, 59]) == RED
    if scale < 1:
        assert blurred(pixels, 0) >= 60  # the rim of the square
    assert blurred(pixels, 1) == 0
    assert (pixels[..., 1] == 255).sum() == 100
    assert tuple(pixels[99 - 35, 155]) == GREEN


def test_twice_the_resolution_smooths_hard_edges(make: Make) -> None:
    hard = make(Slanted).pixels()
    smooth = make(Slanted, render_scale=2).pixels()
    assert blurred(hard, 0) == 0
    assert blurred(smooth, 0) > 50


def test_smooth_edges_fade_over_a_pixel_of_the_scaled_image(make: Make) -> None:
    game = make(World, render_scale=0.5)
    game.box.position = (60.5, 50)  # a quarter of a pixel in the scaled image
    game.box.teleport()
    game.advance(0)
    texture = np.frombuffer(game._engine.painter.world.scaled.texture.read(), np.uint8).reshape(
        50, 100, 4
    )
    row = texture[25, :, 0] / 255
    assert row[24:37] == pytest.approx([0, *[0.75], *[1] * 9, 0.25, 0], abs=0.01)


def test_batches_added_after_the_first_hud_batch_are_sharp_and_above(make: Make) -> None:
    class Layers(World):
        def setup(self) -> None:
            super().setup()
            self.late = self.add(fw.SpriteBatch(solid(6, 6, WHITE), count=1))
            self.late.position = (60, 50)

    game = make(Layers, render_scale=0.5)
    game.run(1)
    pixels = game.pixels()
    assert (pixels[..., 2] == 255).sum() == 36
    assert blurred(pixels, 2) == 0
    assert blurred(pixels, 0) > 60


def test_scenes_above_are_scaled_if_no_hud_is_below(make: Make) -> None:
    class Above(fw.Scene):
        def setup(self) -> None:
            self.sprites.add(solid(20, 20, WHITE), position=(111, 51))

    class Bare(fw.Game):
        def setup(self) -> None:
            self.sprites.add(solid(20, 20, RED), position=(61, 51))

    game = make(Bare, render_scale=0.5)
    game.push(Above())
    game.run(1)
    assert blurred(game.pixels(), 2) > 30
    game.pop()
    game.labels.add("Score")
    game.push(Above())
    game.run(1)
    assert blurred(game.pixels()[:80], 2) == 0  # the hud below the scene is drawn first


def test_text_on_the_hud_is_not_scaled(make: Make) -> None:
    class WithText(fw.Game):
        def setup(self) -> None:
            self.sprites.add(blob(), position=(150, 50))
            self.labels.add("Score 12", (10, 10))

    plain = make(WithText)
    scaled = make(WithText, render_scale=0.3)
    for game in (plain, scaled):
        game.run(1)
    assert (plain.pixels()[:, :110] == scaled.pixels()[:, :110]).all()
    assert plain.pixels()[:, :110, 0].max() > 200


def test_the_overlay_is_drawn_at_full_resolution(make: Make) -> None:
    def panel(scale: float) -> np.ndarray:
        game = make(fw.Game, size=(300, 240), render_scale=scale)
        game.debug.overlay = True
        game.run(1)
        return game.pixels()[:40, :120]  # before any number is shown

    assert (panel(1.0) == panel(0.2)).all()
    assert panel(1.0)[..., 0].max() > 100


def test_a_scaled_world_stays_between_the_letterbox_bars(make: Make) -> None:
    class Square(fw.Game):
        def setup(self) -> None:
            self.sprites.add(solid(100, 100, RED), position=(50, 50))

    game = make(Square, resolution=(100, 100), letterbox_color=(0, 0, 1), render_scale=0.5)
    game.run(1)
    pixels = game.pixels()
    assert game._engine.painter.world.scaled.size == (50, 50)
    assert (pixels[:, :50, :3] == (0, 0, 255)).all()
    assert (pixels[:, 150:, :3] == (0, 0, 255)).all()
    assert (pixels[2:-2, 52:148, :3] == (255, 0, 0)).all()


def test_a_screen_of_a_frozen_size_has_letterbox_bars_in_a_resized_window(make: Make) -> None:
    """A match or a replay may begin between a resize and the next tick."""

    class Filled(fw.Game):
        def setup(self) -> None:
            self.sprites.add(solid(200, 100, RED), position=(100, 50))

    game = make(Filled, letterbox_color=(0, 0, 1))
    game.run(1)
    game.display.window.dispatch_event("on_resize", 200, 200)
    driven(game).stage.freeze_size()
    game.advance(0)
    pixels = game.pixels()[..., :3]
    assert pixels.shape[:2] == (200, 200)
    assert (pixels[:50] == (0, 0, 255)).all()
    assert (pixels[50:150] == (255, 0, 0)).all()
    assert (pixels[150:] == (0, 0, 255)).all()


def test_the_scaled_framebuffer_follows_a_resize(make: Make) -> None:
    game = make(World, render_scale=0.5, pixel_ratio=2)
    game.run(1)
    assert game._engine.painter.world.scaled.size == (200, 100)
    for size in ((120, 80), (0, 0), (300, 60), (1, 1)):
        game.display.window.dispatch_event("on_resize", *size)
        game.run(1)
        if min(size):
            assert game._engine.painter.world.scaled.size == (max(1, size[0]), max(1, size[1]))
            assert game.pixels().shape == (2 * size[1], 2 * size[0], 4)
        assert game.picture.ctx.error == "GL_NO_ERROR"


def test_drawing_by_the_game_and_pyglet_goes_to_the_same_framebuffer(make: Make) -> None:
    class Draws(World):
        def draw(self, alpha: float) -> None:
            import pyglet

            with self.picture.pyglet_drawing():
                pyglet.shapes.Rectangle(100, 60, 20, 20, color=(255, 255, 255)).draw()

    class Bare(Draws):
        def setup(self) -> None:
            self.sprites.add(solid(20, 20, RED), position=(60, 50))

    for kind, scale, soft in ((Draws, 0.45, False), (Bare, 0.45, True), (Bare, 1.0, False)):
        game = make(kind, render_scale=scale)
        game.run(2)
        pixels = game.pixels()
        blue = pixels.copy()
        blue[..., :2] = 0
        # shapes of pyglet have hard edges
        assert centroid(blue) == pytest.approx((110, 70), abs=0.6)
        assert (blurred(pixels, 2) > 20) == soft
        assert game.picture.ctx.error == "GL_NO_ERROR"


def test_samples_can_be_changed_with_any_scale(make: Make) -> None:
    game = make(Slanted)
    game.run(1)
    assert blurred(game.pixels(), 0) == 0
    game.picture.samples = 4
    game.run(1)
    assert game.picture.samples == 4
    assert blurred(game.pixels(), 0) > 50
    assert (game.pixels() == make(Slanted, samples=4).pixels()).mean() > 0.99
    game.picture.render_scale = 0.5
    game.run(1)
    assert blurred(game.pixels(), 0) > 50
    game.picture.samples = 0
    game.picture.render_scale = 1
    game.run(1)
    assert game._engine.painter.world.scaled is None
    game_with_samples = make(Slanted, samples=4)
    game_with_samples.picture.samples = 0
    game_with_samples.run(1)
    assert blurred(game_with_samples.pixels(), 0) == 0
    game.picture.samples = 1 << 14
    assert game.picture.samples == game.picture.ctx.max_samples
    with pytest.raises(ValueError, match="samples: expected a whole number of at least 0"):
        game.picture.samples = -1


def test_a_quality_level_sets_scale_and_samples(make: Make) -> None:
    game = make(World)
    levels = [
        {"render_scale": 0.5, "samples": 0, "stars": 3},
        {"render_scale": 1.0, "samples": 4, "stars": 9},
    ]
    game.picture.quality = fw.Quality(levels, level=0)
    assert (game.picture.render_scale, game.picture.samples, game.picture.quality["stars"]) == (
        0.5,
        0,
        3,
    )
    game.run(1)
    assert game._engine.painter.world.scaled.size == (100, 50)
    game.picture.quality.level = 1
    game.run(1)
    assert (game.picture.render_scale, game.picture.samples) == (1.0, 4)
    game.picture.render_scale = 0.7  # set by the game, until the next change of the level
    game.run(1)
    assert game.picture.render_scale == 0.7
    game.picture.quality = None
    game.run(1)
    assert game.picture.render_scale == 0.7
    with pytest.raises(TypeError, match="quality: expected a Quality or None"):
        game.picture.quality = levels


def test_without_a_window_the_quality_level_does_not_change(make: Make) -> None:
    game = make(World, frame_rate=1_000_000)  # no frame can be drawn in this time
    game.picture.quality = fw.Quality([{"render_scale": 0.5}, {"render_scale": 1.0}])
    game.run(200)
    assert game.picture.quality.level == 1


@pytest.mark.parametrize("scale", [0, -1, 2.01, math.nan, math.inf, "1", None, True])
def test_a_bad_scale_is_refused(make: Make, scale: Any) -> None:
    with pytest.raises((ValueError, TypeError), match=r"^render_scale: expected"):
        make(render_scale=scale)
    game = make()
    with pytest.raises((ValueError, TypeError), match=r"^render_scale: expected"):
        game.picture.render_scale = scale
    assert game.picture.render_scale == 1.0


def test_a_scaled_size_is_from_1_to_the_maximum_of_the_driver() -> None:
    assert scaled_size((200, 100), 0.001, 4096) == (1, 1)
    assert scaled_size((3000, 100), 2.0, 4096) == (4096, 200)
    assert scaled_size((199, 101), 0.5, 4096) == (100, 50)


def test_an_error_in_draw_does_not_change_the_next_frame(make: Make) -> None:
    class Fails(World):
        failing = False

        def draw(self, alpha: float) -> None:
            if self.failing:
                raise KeyError("mine")

    game = make(Fails, render_scale=0.5)
    game.advance(0)
    before = game.pixels()
    game.failing = True
    with pytest.raises(KeyError):
        game.advance(0)
    game.failing = False
    game.advance(0)
    assert (game.pixels() == before).all()
