"""Sprites: motion, images, colors, draw order, rows and bad input."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from drawings import drawing
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pictures import blob, centroid, colors_in, solid
from PIL import Image

import framework as fw
from framework.gpu.atlas import Atlas
from framework.state.backend import end_backend, new_backend
from framework.state.rows import MAX_ROWS as MAX_SPRITES
from framework.state.rows import table_of

RED = (255, 0, 0, 255)
GREEN = (0, 255, 0, 255)
BLUE = (0, 0, 255, 255)
WHITE = (255, 255, 255, 255)
TICK = 1 / 60
GL = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def at(game, x, y):
    """Return the color of the pixel at the point (x, y) of the picture, y up."""
    pixels = game.pixels()
    return pixels[len(pixels) - 1 - math.floor(y), math.floor(x), :3].tolist()


def center_after_a_tick(game):
    """Run a tick, and return the color in the center of the picture."""
    game.advance(TICK)
    return (*at(game, 100, 50), 255)


OF_THE_BATCH = ("filter", "blend", "smooth_edges", "anchor", "shader", "uniforms")


def draw(game, source, **options):
    """Return a drawn batch with one sprite of `source`."""
    batch_options = {name: options.pop(name) for name in OF_THE_BATCH if name in options}
    batch = game.add(fw.SpriteBatch(source, **batch_options))
    batch.add(**{"position": (100, 50), **options})
    game.advance(0)
    return batch


# -- motion ----------------------------------------------------------------------------------------


class Mover(fw.Game):
    """A sprite that moves and rotates evenly, so that its position at any time is known."""

    def __init__(
        self, image, velocity=(0, 0), start=(100, 50), spin=0.0, growth=0.0, smooth=None, **options
    ):
        self.plan = image, velocity, start, spin, growth, smooth
        super().__init__(
            size=(200, 100), headless=True, background=(0, 0, 0), tick_rate=10, **options
        )

    def setup(self):
        image, self.velocity, self.start, self.spin, self.growth, smooth = self.plan
        self.batch = self.add(fw.SpriteBatch(image, smooth_edges=smooth))
        self.sprite = self.batch.add(position=self.start)
        self.since = 0

    def begin(self, velocity, spin, growth):
        """Start again, in another way, from the last tick on."""
        self.velocity = velocity
        self.spin = spin
        self.growth = growth
        self.since = self.tick
        self.sprite.angle = 0
        self.sprite.scale = 1
        self.sprite.teleport(self.start)

    def update(self, dt):
        time = (self.tick - self.since) * dt
        self.sprite.position = (
            self.start[0] + self.velocity[0] * time,
            self.start[1] + self.velocity[1] * time,
        )
        self.sprite.angle = self.spin * time
        self.sprite.scale = 1 + self.growth * time


@pytest.fixture(scope="module", params=[blob(), solid(7, 5)], ids=["soft", "solid"])
def mover(request):
    with Mover(request.param) as game:
        game.elapsed = 0.0
        yield game


@GL
@given(
    vx=st.floats(-60, 60),
    vy=st.floats(-25, 25),
    spin=st.sampled_from([0, 0, 1, -12]),
    growth=st.sampled_from([0, 0.5]),
    frames=st.lists(st.floats(0.001, 0.2), min_size=3, max_size=5),
)
def test_a_moving_sprite_is_drawn_at_its_position_at_the_time_of_the_frame(
    mover, vx, vy, spin, growth, frames
):
    mover.begin((vx, vy), spin, growth)
    for frame in (0.1, *frames):
        mover.advance(frame)
        mover.elapsed += frame
        # A frame shows the world of one tick before, between the last two states.
        time = mover.elapsed - (1 + mover.since) * 0.1
        x, y = centroid(mover.pixels())
        assert math.dist((x, y), (100 + vx * time, 50 + vy * time)) <= 0.05


@pytest.fixture(scope="module")
def still():
    with Mover(solid(7, 5)) as game:
        yield game


@GL
@given(offset=st.tuples(st.floats(0, 1), st.floats(0, 1)))
def test_a_sprite_off_the_pixel_grid_covers_its_area(still, offset):
    position = 100 + offset[0], 50 + offset[1]
    still.sprite.teleport(position)
    still.advance(0)
    pixels = still.pixels()
    assert pixels[..., 0].astype(float).sum() / 255 == pytest.approx(35, rel=0.01)
    assert math.dist(centroid(pixels), position) <= 0.02


def test_a_rotated_sprite_covers_its_area_around_its_center(make):
    game = make()
    batch = draw(game, solid(7, 5))
    random = np.random.default_rng(8)
    for _ in range(60):
        batch[0].teleport(tuple(random.uniform((90, 40), (110, 60))))
        batch[0].angle, game.camera.angle = random.uniform(-4, 4, 2)
        game.camera.teleport()
        game.advance(TICK)
        pixels = game.pixels()
        assert math.dist(centroid(pixels), game.camera.world_to_screen(batch[0].position)) <= 0.03
        assert pixels[..., 0].astype(float).sum() / 255 == pytest.approx(35, rel=0.01)


@pytest.mark.parametrize("scale", [(1, 1), (-2, 3), (4, 4)])
@pytest.mark.parametrize("turns", range(4))
def test_a_sprite_on_the_pixel_grid_is_crisp(make, scale, turns):
    game = make()
    draw(game, solid(6, 4), scale=scale, angle=turns * math.pi / 2)
    red = game.pixels()[..., 0]
    assert set(np.unique(red)) == {0, 255}
    assert (red == 255).sum() == 24 * abs(scale[0] * scale[1])


def test_without_smooth_edges_a_sprite_has_hard_edges(make):
    game = make()
    draw(game, solid(7, 5), smooth_edges=False, position=(100.3, 50.2), angle=0.3)
    assert set(np.unique(game.pixels()[..., 0])) == {0, 255}


def test_a_sprite_rotates_counterclockwise_around_its_anchor(make):
    game = make()
    draw(game, solid(20, 4), anchor=(0, 2), angle=math.pi / 2)
    assert at(game, 100, 60) == [255, 255, 255]
    assert at(game, 110, 50) == at(game, 100, 40) == [0, 0, 0]
    assert centroid(game.pixels()) == pytest.approx((100, 60))


def test_angles_are_interpolated_the_short_way_round(make):
    game = make(tick_rate=10)
    batch = game.add(fw.SpriteBatch(solid(20, 2), anchor=(0, 1)))
    sprite = batch.add(position=(100, 50), angle=math.radians(350))
    game.advance(0.1)
    sprite.angle = math.radians(370)
    batch.touch()
    game.advance(0.05)
    assert centroid(game.pixels()) == pytest.approx((110, 50), abs=0.1)


def hop(game, batch, move):
    """Call `move` in a tick, then draw half a tick later: the picture shows half of the motion."""
    game.update = lambda dt: move()
    game.advance(0.1)
    game.update = lambda dt: None
    game.advance(0.05)


def test_a_moved_sprite_is_drawn_halfway_between_two_ticks(make):
    game = make(tick_rate=10)
    batch = draw(game, solid(6, 6), position=(20, 50))
    game.advance(0.1)
    hop(game, batch, lambda: setattr(batch[0], "x", 180))
    assert centroid(game.pixels())[0] == pytest.approx(100, abs=0.02)


@pytest.mark.parametrize(
    "rows", ["index", "indices", "mask", "slice", "sprite", "none", "method", "method with a place"]
)
@pytest.mark.parametrize("before", [True, False], ids=["before the write", "after the write"])
def test_a_teleport_leaves_no_streak(make, rows, before):
    game = make(tick_rate=10)
    batch = game.add(fw.SpriteBatch(solid(6, 6), count=3))
    batch.position[:] = (20, 20), (20, 50), (20, 80)
    game.advance(0.1)

    def teleport():
        sprite = batch[1]
        if rows.startswith("method"):
            sprite.teleport(*[(180, 50)] if "place" in rows else [])
        else:
            kinds = {
                "index": 1,
                "indices": [1],
                "mask": np.arange(3) == 1,
                "slice": slice(1, 2),
                "sprite": sprite,
            }
            batch.teleport(*[kinds[rows]] if rows in kinds else [])

    def move():
        if before:
            teleport()
        batch.position[1] = 180, 50
        if not before:
            teleport()

    hop(game, batch, move)
    pixels = game.pixels()
    assert at(game, 180, 50) == [255, 255, 255]
    assert at(game, 20, 20) == at(game, 20, 80) == [255, 255, 255]
    assert not pixels[:, 24:176, :3].any()
    assert at(game, 20, 50) == [0, 0, 0]
    game.advance(0.05)
    assert at(game, 180, 50) == [255, 255, 255]


@pytest.mark.parametrize("how", ["add", "extend", "add, then moved"])
def test_a_new_sprite_leaves_no_streak_and_inherits_nothing_from_a_removed_row(make, how):
    game = make(tick_rate=10)
    batch = draw(game, solid(6, 6), position=(20, 50))
    old = batch.add(position=(60, 50), angle=1, color=(1, 0, 0))
    game.advance(0.1)

    def spawn():
        old.remove()
        assert len(batch.position) == 1  # closes the gap: the next sprite takes the last row
        if how == "extend":
            batch.extend(1, position=(180, 50))
        else:
            sprite = batch.add(position=(180, 50) if how == "add" else (0, 0))
            sprite.position = 180, 50

    hop(game, batch, spawn)
    assert len(batch) == 2
    assert not game.pixels()[:, 24:176, :3].any()
    assert at(game, 180, 50) == [255, 255, 255]


def test_the_design_program_runs_and_its_drops_leave_no_streak(make):
    class Rain(fw.Game):
        def setup(self):
            self.drops = self.add(fw.SpriteBatch(solid(2, 4), count=50))
            self.drops.position[:] = self.random.uniform((0, 0), self.size, (50, 2))

        def update(self, dt):
            height = self.drops.position[:, 1]
            height -= 300 * dt
            self.drops.teleport(height < 0)
            height[height < 0] += self.height

    game = make(Rain)
    for _ in range(30):
        game.advance(0.012)
        alpha = game.timestep.alpha
        position = table_of(game.drops.transforms).column("position")
        previous = position.previous(50)
        current = position.current(50)
        assert (np.abs(current - previous) <= 5.01).all()
        assert 0 <= alpha < 1


# -- images ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("filter", ["linear", "nearest"])
@pytest.mark.parametrize("zoom", [0.1, 0.37, 1, 2.5, 8])
def test_neighbours_in_the_atlas_never_bleed_in(make, filter, zoom):
    game = make()
    images = [solid(9, 9, color) for color in (RED, GREEN, BLUE) * 6]
    images[7] = solid(9, 9, WHITE)
    batch = game.add(fw.SpriteBatch(images, filter=filter))
    random = np.random.default_rng(3)
    rows = batch.extend(40, 7)
    batch.position[rows] = random.uniform(0, 200, (40, 2)) / zoom * (1, 0.5)
    batch.angle[rows] = random.uniform(-4, 4, 40)
    game.camera.position = 100 / zoom, 50 / zoom
    game.camera.zoom = zoom
    game.camera.teleport()
    game.advance(0)
    pixels = game.pixels()[..., :3].astype(int)
    assert pixels.any()
    # grey: white, blended with black at the edges
    assert np.abs(pixels - pixels[..., :1]).max() <= 1


def checks(width=64, height=64, color=255):
    """Return an opaque checkerboard of black and another grey, pixel by pixel."""
    grey = np.indices((height, width)).sum(axis=0) % 2 * color
    return np.dstack([grey] * 3 + [np.full_like(grey, 255)]).astype(np.uint8)


@pytest.mark.parametrize("smooth", [True, False])
@pytest.mark.parametrize("scale", [0.6, 0.5, 0.3, 0.13, 0.09])
def test_a_strongly_reduced_image_is_averaged(make, scale, smooth):
    game = make()
    draw(game, checks(301, 257), scale=scale, angle=0.4, position=(99.7, 50.2), smooth_edges=smooth)
    inner = max(1, int(257 * scale / 3))
    pixels = game.pixels()[50 - min(inner, 45) : 50 + min(inner, 45), 100 - inner : 100 + inner, 0]
    assert 126 <= pixels.min() <= pixels.max() <= 130
    game.camera.zoom = 0.1  # sizes that only the camera reduces, too
    game.camera.position = 99.7, 50.2
    game.camera.teleport()
    game.advance(TICK)
    brightest = game.pixels()[..., 0].max()
    assert brightest <= 130


@pytest.mark.parametrize("angle", [0.0, 0.4])
@pytest.mark.parametrize("shrunk", [0.6, 0.45, 0.13, 0.09, 0.04])
@pytest.mark.parametrize("side", [0, 1])
def test_an_image_reduced_along_one_side_is_averaged_along_it(make, side, shrunk, angle):
    game = make()
    scale = np.where(np.arange(2) == side, shrunk, 1.0)
    draw(game, checks(601, 643), scale=scale, angle=angle, position=(99.7, 50.2))
    across, up = np.meshgrid(np.arange(200) + 0.5 - 99.7, 99.5 - np.arange(100) - 50.2)
    turned = (
        across * math.cos(angle) + up * math.sin(angle),
        up * math.cos(angle) - across * math.sin(angle),
    )
    within = np.abs(turned[side]) < 301 * shrunk - 2
    pixels = game.pixels()[..., 0][within]
    # The rest is the mean of such a pattern over the width of a pixel, as in any
    # box filter.
    assert abs(pixels.mean() - 127.5) < 1.5
    assert np.abs(pixels - 127.5).max() < {0.6: 60, 0.45: 48, 0.13: 12, 0.09: 16, 0.04: 8}[shrunk]


@pytest.mark.parametrize("shrunk", [0.45, 0.13])
@pytest.mark.parametrize("side", [0, 1])
def test_the_other_side_of_a_reduced_image_stays_sharp(make, side, shrunk):
    game = make()
    stripes = np.tile(solid(1, 400), (1, 400, 1))
    stripes[:, ::2, :3] = 0
    scale = np.where(np.arange(2) == side, shrunk, 1.0)
    # The stripes are parallel to the reduced side, each on its own pixels.
    draw(game, stripes if side else stripes.swapaxes(0, 1), scale=scale, position=(100, 50))
    pixels = game.pixels()[45:55, 95:105, 0]
    assert sorted(np.unique(pixels)) == [0, 255]
    assert (pixels == (pixels[:1] if side else pixels[:, :1])).all()


def test_a_shader_of_the_game_averages_along_one_side_too(make):
    game = make()
    shader = (
        '#include "sprite.glsl"\nuniform float gain;\nvoid main() { color = sprite_color() '
        "* gain; }"
    )
    batch = draw(
        game,
        checks(300, 256),
        shader=shader,
        uniforms={"gain": 0.5},
        scale=(1, 0.13),
        position=(100, 50),
    )
    pixels = game.pixels()[40:60, 80:120, 0]
    assert 56 <= pixels.min() <= pixels.max() <= 72
    batch.uniforms["gain"] = 1.0
    batch[0].scale = 1, 1  # by the first program again
    game.advance(TICK)
    assert game.pixels()[..., 0].max() > 200


def test_only_sprites_reduced_along_one_side_use_the_averaging_program(make):
    game = make()
    batch = game.add(fw.SpriteBatch(checks(), count=40_000, smooth_edges=False))
    batch.position[:] = -500, -500
    batch.scale[30_000] = 3, 1.5
    rendered = []

    def averages():
        game.advance(TICK)
        rendered.append(drawing(batch)._spanning is not None)
        return rendered[-1]

    assert not averages()
    game.camera.zoom = 0.5
    assert [averages() for _ in range(3)][-1]
    second = game.add(fw.SpriteBatch(checks(), count=40_000, filter="nearest"))
    second.scale[3] = 0.1, 1
    game.advance(TICK)
    assert drawing(second)._spanning is None


@pytest.mark.parametrize(
    ("size", "averages"),
    [((100, 50), False), ((200, 100), False), ((70, 50), True), ((100, 35), True)],
)
def test_a_picture_stretched_along_one_side_is_averaged_too(make, size, averages):
    game = make(size=size, resolution=(100, 50), scaling="stretch")
    batch = draw(game, checks(30, 30), scale=(1.2, 1.3), position=(50, 25))
    assert (drawing(batch)._spanning is not None) == averages


def test_images_added_to_a_batch_later_are_averaged_without_their_neighbors(make):
    game = make()
    batch = game.add(fw.SpriteBatch([solid(40, 40, RED)] * 2))
    for number in range(12):  # the texture grows in this call
        game.advance(TICK)
        image = checks(64 + number, 70, 200)
        image[..., 0] = image[..., 1] = 0
        batch.add(image, position=(10 + 15 * number, 50), scale=0.13)
    game.advance(TICK)
    pixels = game.pixels()
    assert not pixels[..., :2].any()
    assert [98 <= pixels[50, 10 + 15 * number, 2] <= 102 for number in range(12)] == [True] * 12


def test_batches_with_equal_images_may_add_different_images_later(make):
    game = make()
    batches = [draw(game, [solid(8, 8, RED)], position=(x, 50)) for x in (20, 60)]
    for batch, color, x in zip(batches, (GREEN, BLUE), (100, 140), strict=True):
        batch.add(solid(8, 8, color), position=(x, 50))
    game.advance(TICK)
    assert [(*at(game, x, 50), 255) for x in (20, 60, 100, 140)] == [RED, RED, GREEN, BLUE]


@pytest.mark.parametrize("scale", [1, (1, -1), 1.5, 7, 0.9])
@pytest.mark.parametrize("filter", ["linear", "nearest"])
def test_images_drawn_at_their_size_or_larger_are_not_averaged(make, monkeypatch, filter, scale):
    image = np.random.default_rng(8).integers(0, 255, (30, 23, 4), np.uint8)
    pictures = []
    for atlas in (Atlas, lambda *args, **options: Atlas(*args, **options | {"mipmaps": False})):
        monkeypatch.setattr("framework.gpu.atlas.Atlas", atlas)
        game = make()
        draw(game, image, filter=filter, scale=scale, angle=0.3)
        pictures.append(game.pixels())
    assert pictures[0].any()
    np.testing.assert_array_equal(*pictures)


def test_the_nearest_filter_stays_sharp_at_any_scale(make):
    game = make()
    draw(game, checks(), filter="nearest", scale=0.3)
    assert np.unique(game.pixels()[..., 0]).tolist() == [0, 255]


@pytest.mark.parametrize("scale", [0.6, 0.35, 0.13])
def test_a_small_sprite_moves_exactly(make, scale):
    game = make()
    image = solid(77, 65)
    image[::2, :, 3] = 0
    batch = draw(game, image, scale=scale, position=(60, 40))
    batch[0].teleport((60, 40))
    first = None
    for step in range(6):
        batch[0].teleport((60 + 0.17 * step, 40 + 0.31 * step))
        game.advance(TICK)
        pixels = game.pixels()
        position = np.array(centroid(pixels)) - (0.17 * step, 0.31 * step)
        first = position if first is None else first
        np.testing.assert_allclose(position, first, atol=0.02)
        assert pixels[..., 0].sum() / 255 == pytest.approx(77 * 65 * scale**2 * 32 / 65, rel=0.03)


@pytest.mark.parametrize("turns", range(4))
@pytest.mark.parametrize("flip", [(False, False), (True, False), (False, True)])
@pytest.mark.parametrize("scale", [(1, 1), (-1, 1), (3, 3)])
def test_nearest_shows_every_pixel_of_an_image_of_odd_size_once(make, turns, flip, scale):
    game = make()
    random = np.random.default_rng(4)
    image = random.integers(1, 255, (7, 5, 4), np.uint8)
    image[..., 3] = 255
    batch = game.add(
        fw.SpriteBatch([random.integers(0, 255, (3, 3, 4), np.uint8), image], filter="nearest")
    )
    sprite = batch.add(1, angle=turns * math.pi / 2, flip=flip, scale=scale)
    want = image[..., :3].repeat(abs(scale[0]), 0).repeat(scale[1], 1)
    if flip[0] != (scale[0] < 0):
        want = want[:, ::-1]
    want = np.rot90(want[::-1] if flip[1] else want, turns)
    for position in random.integers((20, 20), (180, 80), (4, 2)).tolist():
        sprite.teleport(tuple(position))
        game.advance(TICK)
        pixels = game.pixels()[..., :3]
        rows, columns = np.nonzero(pixels.any(axis=2))
        np.testing.assert_array_equal(
            pixels[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1], want
        )


def test_linear_blends_between_texels_and_nearest_does_not(make):
    image = np.concatenate([solid(1, 2, (0, 0, 0, 255)), solid(1, 2)], axis=1)
    colors = {}
    for filter in ("linear", "nearest"):
        game = make()
        draw(game, image, filter=filter, scale=20)
        colors[filter] = len(np.unique(game.pixels()[50, 80:120, 0]))
    assert colors["nearest"] == 2
    assert colors["linear"] > 10


def test_each_sprite_of_a_batch_shows_its_own_image(make):
    game = make()
    batch = game.add(fw.SpriteBatch([solid(4, 4, RED), solid(8, 2, GREEN)]))
    batch.add(0, position=(20, 50))
    batch.add(1, position=(60, 50))
    late = solid(4, 4, BLUE)
    sprite = batch.add(late, position=(100, 50))
    batch.add(fw.Region(solid(9, 9), (2, 2, 3, 3)), position=(140, 50))
    game.advance(0)
    assert [at(game, x, 50) for x in (20, 60, 100, 140)] == [
        [255, 0, 0],
        [0, 255, 0],
        [0, 0, 255],
        [255, 255, 255],
    ]
    assert at(game, 142, 50) == [0, 0, 0]
    assert len(batch.images) == 4
    assert batch.add(late).image == sprite.image == 2
    assert batch.images.size(1) == (8, 2)
    assert (sprite.width, sprite.height) == (4, 4)
    sprite.image = 1
    game.advance(TICK)
    assert at(game, 100, 50) == [0, 255, 0]
    assert at(game, 103, 50) == [0, 255, 0]


def test_a_sheet_is_cut_into_images_row_by_row(make):
    game = make()
    picture = np.concatenate(
        [
            np.concatenate([solid(4, 4, RED), solid(4, 4, GREEN)], 1),
            np.concatenate([solid(4, 4, BLUE), solid(4, 4, WHITE)], 1),
        ]
    )
    batch = game.add(fw.SpriteBatch(fw.sheet(picture, (4, 4), columns=2, rows=2), count=4))
    batch.position[:] = [[20, 50], [60, 50], [100, 50], [140, 50]]
    batch.image[:] = [0, 1, 2, 3]
    game.advance(0)
    assert [at(game, x, 50) for x in (20, 60, 100, 140)] == [
        [255, 0, 0],
        [0, 255, 0],
        [0, 0, 255],
        [255, 255, 255],
    ]


def test_images_beyond_one_row_of_the_table_keep_their_positions(make):
    game = make()
    shades = [solid(1, 1, (k // 2, 255 - k // 2, 7, 255)) for k in range(300)]
    batch = game.add(fw.SpriteBatch(shades, count=300))
    k = np.arange(300)
    batch.position[:] = np.stack([k % 100 * 2 + 0.5, k // 100 * 2 + 0.5], axis=1)
    batch.image[:] = k
    game.advance(0)
    pixels = game.pixels()[::-1]
    got = pixels[k // 100 * 2, k % 100 * 2, :3]
    np.testing.assert_array_equal(got, [shade[0, 0, :3] for shade in shades])


@pytest.mark.parametrize(
    ("flip", "corner"),
    [
        ((False, False), (97, 47)),
        ((True, False), (103, 47)),
        ((False, True), (97, 53)),
        ((True, True), (103, 53)),
    ],
)
def test_flip_mirrors_the_image_without_moving_it(make, flip, corner):
    game = make()
    image = solid(8, 8, RED)
    image[4:, :4] = GREEN  # the bottom left quarter
    draw(game, image, flip=flip)
    assert at(game, *corner) == [0, 255, 0]
    assert sum(at(game, x, y) == [0, 255, 0] for x in (97, 103) for y in (47, 53)) == 1


@pytest.mark.parametrize(("anchor", "region_anchor", "middle"), [
    (None, None, (100, 50)), ((0, 0), None, (103, 52)), (None, (6, 4), (97, 48)), ((0, 0), (6, 4), (97, 48)),
    ((-10, 0), None, (113, 52)), ((1.5, 2), None, (101.5, 50)),
])  # fmt: skip
def test_the_anchor_is_the_point_of_the_image_at_the_position(make, anchor, region_anchor, middle):
    game = make()
    draw(game, fw.Region(solid(6, 4), None, region_anchor), anchor=anchor)
    assert centroid(game.pixels()) == pytest.approx(middle, abs=0.01)


# -- color -----------------------------------------------------------------------------------------

BELOW = np.array([0.2, 0.6, 0.4])
TEXEL = np.array([200, 100, 40, 128]) / 255
TINT = np.array([0.5, 1.0, 0.25, 0.6])


@pytest.mark.parametrize(
    ("blend", "expected"),
    [
        ("alpha", lambda s, a, d: s + d * (1 - a)),
        ("add", lambda s, a, d: np.minimum(s + d, 1)),
        ("multiply", lambda s, a, d: s * d + d * (1 - a)),
        ("screen", lambda s, a, d: s + d * (1 - s)),
        ("exclusion", lambda s, a, d: s + d - 2 * s * d),
        ("replace", lambda s, a, d: s),
    ],
)
def test_blend_modes_follow_their_formulas_on_premultiplied_colors(make, blend, expected):
    game = make(background=tuple(BELOW))
    draw(
        game, solid(9, 9, tuple(np.round(TEXEL * 255).astype(int))), blend=blend, color=tuple(TINT)
    )
    alpha = TEXEL[3] * TINT[3]
    source = TEXEL[:3] * TINT[:3] * alpha
    want = expected(source, alpha, np.round(BELOW * 255) / 255) * 255
    assert np.abs(np.array(at(game, 100, 50)) - want).max() <= 1
    assert game.pixels()[5, 5, :3].tolist() == np.round(BELOW * 255).tolist()


@pytest.mark.parametrize("blend", ["alpha", "add", "multiply", "screen"])
def test_a_sprite_of_alpha_0_does_not_change_the_picture(make, blend):
    game = make(background=tuple(BELOW))
    draw(game, solid(9, 9), blend=blend, color=(1, 1, 1, 0))
    assert colors_in(game.pixels()) == 1


def test_the_color_of_a_sprite_equals_its_row_of_the_column(make):
    game = make()
    batch = draw(game, solid(9, 9))
    sprite = batch[0]
    sprite.color = 1, 0.5, 0
    sprite.alpha = 0.5
    assert sprite.color == (1, 0.5, 0, 0.5)
    np.testing.assert_array_equal(batch.color, [[1, 0.5, 0, 0.5]])
    sprite.color = 0, 0, 1
    assert sprite.alpha == 0.5
    game.advance(TICK)
    assert at(game, 100, 50)[2] in (127, 128)


def test_invisible_sprites_and_sprites_without_size_are_not_drawn(make):
    game = make()
    batch = game.add(fw.SpriteBatch(solid(9, 9), count=4))
    batch.position[:] = (100, 50)
    batch.visible[0] = False
    batch[1].visible = False
    batch.scale[2] = 0, 1
    batch.scale[3] = 0
    game.advance(TICK)
    assert not game.pixels()[..., :3].any()
    batch[1].visible = True
    game.advance(TICK)
    assert at(game, 100, 50) == [255, 255, 255]


def test_a_shader_of_the_game_receives_its_uniforms(make):
    game = make()
    shader = """#include "sprite.glsl"
uniform vec3 shift;
uniform float gain;
void main() { color = vec4((sprite_color().bgr + shift) * gain, 1.0); }
"""
    batch = draw(
        game, solid(9, 9, RED), shader=shader, uniforms={"shift": (0.5, 0, 0), "gain": 0.5}
    )
    assert at(game, 100, 50) in ([64, 0, 128], [64, 0, 127])  # drivers round 127.5 up or down
    batch.uniforms["gain"] = 1.0
    game.advance(0)
    assert at(game, 100, 50) in ([128, 0, 255], [127, 0, 255])
    batch.uniforms["gian"] = 1.0
    with pytest.raises(fw.ShaderError, match=r"no uniform 'gian'.*gain"):
        game.advance(0)


def test_a_uniform_that_is_no_longer_set_returns_to_its_default(make):
    game = make()
    shader = """#include "sprite.glsl"
uniform vec2 gain = vec2(1.0, 0.5);
void main() { color = vec4(sprite_color().rgb * gain.x * gain.y, 1.0); }
"""
    batch = draw(game, solid(9, 9, RED), shader=shader)
    snapshot = game.snapshot()
    for undo in (lambda: setattr(batch, "uniforms", {}), lambda: game.restore(snapshot)):
        batch.uniforms = {"gain": (1.0, 1.0)}
        game.advance(0)
        assert at(game, 100, 50) == [255, 0, 0]
        undo()
        game.advance(0)
        assert at(game, 100, 50) in ([128, 0, 0], [127, 0, 0])


def test_a_shader_error_has_file_and_line_and_the_game_continues(make):
    game = make()
    with pytest.raises(fw.ShaderError, match="colour"):
        game.add(
            fw.SpriteBatch(
                solid(2, 2), shader='#include "sprite.glsl"\nvoid main() { colour = vec4(1); }\n'
            )
        )
    draw(game, solid(9, 9))
    assert at(game, 100, 50) == [255, 255, 255]


# -- order -----------------------------------------------------------------------------------------


def stack(game, colors, **options):
    batch = game.add(fw.SpriteBatch([solid(9, 9, color) for color in colors], **options))
    sprites = [batch.add(k, position=(100, 50)) for k in range(len(colors))]
    game.advance(TICK)
    return batch, sprites


def test_later_sprites_are_drawn_over_earlier_sprites_also_after_removals(make):
    game = make()
    batch, (first, second, third) = stack(game, [RED, GREEN, BLUE])
    assert at(game, 100, 50) == [0, 0, 255]
    third.remove()
    game.advance(TICK)
    assert at(game, 100, 50) == [0, 255, 0]
    batch.add(0, position=(100, 50))
    game.advance(TICK)
    assert at(game, 100, 50) == [255, 0, 0]
    batch.remove(2)
    game.advance(TICK)
    assert at(game, 100, 50) == [0, 255, 0]
    first.remove()
    assert second.position == (100, 50)
    assert batch[0] is second


def test_higher_layers_are_drawn_over_lower_layers_and_rows_keep_their_order(make):
    game = make()
    batch, (first, second, third) = stack(game, [RED, GREEN, BLUE])
    first.layer = 1
    game.advance(TICK)
    assert at(game, 100, 50) == [255, 0, 0]
    second.layer = 1
    assert center_after_a_tick(game) == GREEN
    batch.layer[:] = -5
    assert center_after_a_tick(game) == BLUE
    third.layer = -6
    third.remove()
    second.layer = -7
    game.advance(TICK)
    assert at(game, 100, 50) == [255, 0, 0]
    assert first.layer == -5


def test_with_y_sort_lower_sprites_are_drawn_over_higher_ones_within_their_layer(make):
    game = make()
    batch, (first, second, third) = stack(game, [RED, GREEN, BLUE], y_sort=True)
    first.y = 48
    second.y = 50
    third.y = 52
    assert center_after_a_tick(game) == RED
    second.y = 47
    assert center_after_a_tick(game) == GREEN
    third.layer = 1
    assert center_after_a_tick(game) == BLUE
    batch.y_sort = False
    batch.layer = 0
    batch.position[0] = 100, 46
    game.advance(TICK)
    assert at(game, 100, 50) == [0, 0, 255]


def test_with_y_sort_only_moved_rows_are_uploaded_while_the_order_is_the_same(make):
    game = make()
    batch = game.add(fw.SpriteBatch(solid(2, 2), count=50, y_sort=True))
    batch.position[:] = np.arange(100).reshape(50, 2)

    def uploaded(change):
        before = drawing(batch).uploaded_bytes
        table_of(batch).begin_tick(TICK)
        batch.position[:] += change
        table_of(batch).end_tick()
        drawing(batch).hand_over()
        return drawing(batch).uploaded_bytes - before

    uploaded((0, 1))
    uploads = [uploaded((1, 1)) for _ in range(3)]
    assert uploads == [50 * 8] * 3  # positions
    assert uploaded([(0, -4 * row) for row in range(50)]) > 50 * 8  # the order, reversed


# -- rows ------------------------------------------------------------------------------------------


def test_negative_indices_count_from_the_end_and_a_row_has_one_sprite_object():
    batch = fw.SpriteBatch(solid(2, 2), count=5)
    batch.position[:, 0] = range(5)
    assert len(batch) == 5
    assert batch[-1] is batch[4]
    assert [sprite.x for sprite in batch] == [0, 1, 2, 3, 4]
    assert batch[np.int64(2)] is batch[2]
    for row in (5, -6):
        with pytest.raises(IndexError, match=f"row: there are 5 sprites, asked for number {row}"):
            batch[row]


def test_sprites_keep_their_identity_when_rows_close_up():
    batch = fw.SpriteBatch(solid(2, 2), count=100)
    batch.position[:, 0] = range(100)
    sprites = list(batch)
    for k in range(0, 100, 3):
        sprites[k].remove()
    batch.remove([0, -1])
    left = [sprite for sprite in sprites if not sprite.removed]
    assert len(batch) == len(left) == 64
    assert [sprite.x for sprite in left] == batch.position[:, 0].tolist()
    assert all(batch[row] is sprite for row, sprite in enumerate(left))
    for _ in range(200):
        batch.add()  # the batch outgrows its memory: the columns move
    left[5].x = -7
    assert batch.position[5, 0] == -7


def test_all_sprites_may_be_removed_while_iterating():
    batch = fw.SpriteBatch(solid(2, 2), count=7)
    pixels = 0
    for sprite in batch:
        pixels += 1
        sprite.remove()
        if len(batch):
            batch.remove(-1)  # removes other sprites too, which are then not visited
    assert pixels == 4
    assert len(batch) == 0
    assert list(batch) == []


def test_a_removed_sprite_raises_an_error():
    batch = fw.SpriteBatch(solid(2, 2), count=3)
    sprite = batch[1]
    sprite.remove()
    assert sprite.removed
    assert repr(sprite) == "<Sprite, removed>"
    uses = [
        sprite.remove,
        lambda: batch.remove(sprite),
        sprite.teleport,
        lambda: batch.teleport(sprite),
        lambda: sprite.x,
        lambda: sprite.color,
        lambda: sprite.batch,
        lambda: sprite.drawn_position(0),
        lambda: sprite.width,
        lambda: sprite.visible,
        lambda: setattr(sprite, "x", 1),
        lambda: setattr(sprite, "position", (1, 1)),
        lambda: setattr(sprite, "scale", 2),
        lambda: setattr(sprite, "alpha", 0),
        lambda: setattr(sprite, "image", 0),
        lambda: setattr(sprite, "angle", 0),
    ]
    for use in uses:
        with pytest.raises(
            ValueError, match="sprite: it was removed from its batch; make a new one"
        ):
            use()
    assert len(batch) == len(batch.position) == 2
    gone = batch[0]
    batch.clear()
    assert gone.removed
    assert len(batch) == 0


def test_a_sprite_of_another_batch_is_refused():
    batch = fw.SpriteBatch(solid(2, 2), count=2)
    second = fw.SpriteBatch(solid(2, 2), count=2)
    for use in (batch.remove, batch.teleport):
        with pytest.raises(ValueError, match="sprite: it belongs to another batch"):
            use(second[0])
    assert (len(batch), len(second)) == (2, 2)


def test_removing_missing_rows_does_not_change_the_batch():
    batch = fw.SpriteBatch(solid(2, 2), count=3)
    for rows, error in (
        ([1, 3], ValueError),
        (np.ones(2, bool), ValueError),
        ("all", TypeError),
        (0.5, TypeError),
    ):
        with pytest.raises(error, match="rows: "):
            batch.remove(rows)
        with pytest.raises(error, match="rows: "):
            batch.teleport(rows)
    assert len(batch) == 3
    batch.remove([0, 0, -3])
    assert len(batch) == 2


def test_the_time_of_adding_and_removing_does_not_grow_with_the_batch(ctx):
    batch = fw.SpriteBatch(solid(2, 2), count=20_000)
    new_backend(batch, fw.Graphics(ctx))
    best = math.inf
    for _ in range(3):
        begin = time.process_time()
        table_of(batch).begin_tick(1 / 60)
        sprites = [batch.add(position=(k, k)) for k in range(1000)]
        for sprite in sprites[::-1]:
            sprite.remove()
        table_of(batch).end_tick()
        drawing(batch).hand_over()
        best = min(best, time.process_time() - begin)
    assert len(batch) == 20_000
    # 16 ms on the machine of the author; a compaction at each removal takes 200 ms
    assert best < 0.3
    end_backend(batch, drawing=True)


# -- bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["position", "angle", "scale", "color", "visible", "layer", "image", "flip"]
)
def test_a_column_of_wrong_shape_or_dtype_is_refused_by_name(name):
    batch = fw.SpriteBatch(solid(2, 2), count=4)
    before = getattr(batch, name).copy()
    word = "blue" if name != "color" else ["blue", "red"]
    for value in (np.zeros((5, 7)), np.zeros(3, before.dtype), word, [None] * 4, [1, [2]], 1j):
        with pytest.raises(
            (TypeError, ValueError), match=f"{name}: expected {before.dtype} numbers of shape"
        ):
            setattr(batch, name, value)
    np.testing.assert_array_equal(getattr(batch, name), before)


@pytest.mark.parametrize(
    ("name", "value", "error", "words"),
    [
        (
            "position",
            (1, 2, 3),
            ValueError,
            r"position: expected two (finite )?numbers, got \(1, 2, 3\)",
        ),
        ("position", (1, "a"), TypeError, "position: expected a number, got 'a'"),
        ("position", (1, math.nan), ValueError, "position: expected a finite number, got nan"),
        ("scale", (1, 2, 3), ValueError, "scale: expected two numbers"),
        ("scale", "big", TypeError, "scale: expected two numbers"),
        ("scale", None, TypeError, "scale: expected a number, got None"),
        ("scale", 1e39, ValueError, "scale: expected a number of at most 3.4e38"),
        ("color", (1,), ValueError, "color: expected 3 or 4 finite numbers"),
        ("color", ("red", 0, 0), TypeError, "color: expected 3 or 4 finite numbers"),
        ("color", 0.5, TypeError, "color: expected 3 or 4 finite numbers"),
        ("layer", 1.5, TypeError, "layer: expected a whole number, got 1.5"),
        (
            "layer",
            2**40,
            ValueError,
            "layer: expected a whole number from -2147483648 to 2147483647",
        ),
        ("image", 1, ValueError, "image: the batch has 1 images, got index 1"),
        ("image", -1, ValueError, "image: the batch has 1 images, got index -1"),
    ],
)
def test_a_bad_value_of_a_sprite_is_refused_by_name_and_changes_nothing(name, value, error, words):
    batch = fw.SpriteBatch(solid(2, 2), count=1)
    sprite = batch[0]
    before = getattr(sprite, name)
    with pytest.raises(error, match=words):
        setattr(sprite, name, value)
    assert getattr(sprite, name) == before
    with pytest.raises(error, match=words):
        batch.add(**{name: value})
    assert len(batch) == 1
    batch.add(position=np.array([3, 4]), scale=np.float32(2), color=np.ones(3), layer=np.int64(1))
    assert (batch[1].position, batch[1].scale, batch[1].layer) == ((3, 4), (2, 2), 1)


@pytest.mark.parametrize(
    ("count", "error", "words"),
    [
        (-1, ValueError, "count: expected a whole number of at least 0, got -1"),
        (2.0, TypeError, "count: expected a whole number, got 2.0"),
        (True, TypeError, "count"),
        ("9", TypeError, "count"),
        (MAX_SPRITES + 1, ValueError, "^count: 16,777,217 sprites.*at most 16,777,216"),
        (10**15, ValueError, "at most 16,777,216"),
    ],
)
def test_an_invalid_count_is_refused_by_name(count, error, words):
    with pytest.raises(error, match=words):
        fw.SpriteBatch(solid(2, 2), count=count)
    batch = fw.SpriteBatch(solid(2, 2))
    with pytest.raises(error, match=words):
        batch.extend(count, position=(1, 1))
    with pytest.raises((ValueError, TypeError), match="capacity"):
        fw.SpriteBatch(solid(2, 2), capacity=count)
    assert len(batch) == 0
    batch.extend(3)
    with pytest.raises(ValueError, match="count: 16,777,217 sprites"):
        batch.extend(MAX_SPRITES - 2)
    assert batch._room_for("count", MAX_SPRITES - 3) == MAX_SPRITES - 3


def test_extend_takes_one_image_for_all_rows_or_an_index_per_row():
    batch = fw.SpriteBatch([solid(2, 2), solid(3, 3), solid(4, 4)])
    batch.extend(2, 1)
    batch.extend(3, np.array([2, 0, 1]))
    assert batch.image.tolist() == [1, 1, 2, 0, 1]
    with pytest.raises(ValueError, match="image: row 1 has index 3, the batch has 3 images"):
        batch.extend(2, np.array([0, 3]))
    with pytest.raises(ValueError, match="image: expected int32 numbers"):
        batch.extend(2, np.array([0, 1, 2]))
    assert len(batch) == 5


def test_columns_of_extend_are_checked_before_a_row_is_added():
    batch = fw.SpriteBatch(solid(2, 2), count=1)
    with pytest.raises(TypeError, match="add: unknown option 'colour'; did you mean color"):
        batch.extend(3, colour=(1, 0, 0, 1))
    with pytest.raises(ValueError, match=r"position: expected float32 numbers of shape \(3, 2\)"):
        batch.extend(3, color=(1, 0, 0, 1), position=np.zeros((2, 2)))
    with pytest.raises(ValueError, match="image: the batch has 1 images, got index 4"):
        batch.extend(3, 4)
    assert len(batch) == 1
    assert batch.extend(3, position=[[1, 2], [3, 4], [5, 6]], layer=2) == slice(1, 4)
    assert batch.position[2].tolist() == [3, 4]


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ({"filter": "cubic"}, "filter: expected one of 'linear', 'nearest', got 'cubic'"),
        ({"blend": "normal"}, "blend: expected one of 'alpha'"),
        ({"anchor": (1,)}, "anchor"),
        ({"anchor": "middle"}, "anchor"),
    ],
)
def test_an_unknown_option_value_is_refused_by_name(option, words):
    with pytest.raises(TypeError if option == {"anchor": "middle"} else ValueError, match=words):
        fw.SpriteBatch(solid(2, 2), **option)


def test_a_sprite_is_added_with_its_opacity_and_its_motion_columns():
    batch = fw.SpriteBatch(solid(2, 2), columns=("velocity", "acceleration", "damping"))
    sprite = batch.add(color="#f80", alpha=0.25, velocity=(1, 2), acceleration=(0, -9), damping=0.5)
    assert sprite.color == pytest.approx((1, 0x88 / 255, 0, 0.25))
    assert [batch.velocity[0, 1], batch.acceleration[0, 1], batch.damping[0]] == [2, -9, 0.5]
    with pytest.raises(TypeError, match="add: unknown option 'x'; write position="):
        batch.add(x=3)
    assert len(batch) == 1


def test_a_batch_without_images_cannot_have_rows():
    with pytest.raises(ValueError, match="image: a batch that starts with 3 sprites needs one"):
        fw.SpriteBatch(count=3)
    with pytest.raises(ValueError, match="image: the batch has no images yet; pass one"):
        fw.SpriteBatch().add()


def test_an_image_index_out_of_range_is_reported_by_row_and_can_be_corrected(make):
    game = make()
    batch = game.add(fw.SpriteBatch(solid(9, 9), count=3))
    batch.position[:] = (100, 50)
    for wrong in (1, -1):
        batch.image[2] = wrong
        with pytest.raises(
            ValueError, match=f"image: row 2 has index {wrong}, the batch has 1 images"
        ):
            game.advance(TICK)
    batch.image[2] = 0
    game.advance(TICK)
    assert at(game, 100, 50) == [255, 255, 255]


def test_a_missing_image_is_an_asset_error_that_changes_nothing(make, tmp_path):
    game = make()
    with pytest.raises(fw.AssetError, match=r"no file 'shpi\.png'"):
        game.add(fw.SpriteBatch("shpi.png", count=3))
    batch = draw(game, solid(9, 9, GREEN))
    broken = tmp_path / "broken.png"
    broken.write_bytes(b"\x89PNG\r\n\x1a\nnonsense")
    for source in ("shpi.png", broken, fw.Region(solid(4, 4), (2, 2, 4, 4))):
        for use in (batch.add, lambda source: batch.extend(5, source), batch.images.add):
            with pytest.raises(fw.AssetError):
                use(source)
        with pytest.raises(fw.AssetError):
            batch[0].image = source
    assert (len(batch), len(batch.images)) == (1, 1)
    batch.add(solid(9, 9, BLUE), position=(50, 50))
    game.advance(TICK)
    assert [at(game, x, 50) for x in (100, 50)] == [[0, 255, 0], [0, 0, 255]]


@pytest.mark.parametrize("smooth", [False, True])
@pytest.mark.parametrize("anchor", [None, (0, 0), (14, 3)])
@pytest.mark.parametrize("flip", [(True, False), (False, True), (True, True)])
def test_flip_mirrors_about_the_anchor_like_a_scale_of_minus_1(make, flip, anchor, smooth):
    image = np.random.default_rng(1).integers(0, 256, (10, 20, 4), np.uint8)
    drawn = []
    for options in ({"flip": flip}, {"scale": tuple(1 - 2 * np.array(flip))}):
        game = make()
        draw(game, image, anchor=anchor, smooth_edges=smooth, angle=0.5, **options)
        drawn.append(game.pixels().astype(int))
    assert drawn[0][..., :3].any()
    np.testing.assert_allclose(*drawn, atol=2)


def test_the_image_column_has_indices_of_the_list_of_images(make):
    red, green, blue = (np.full((10, 10, 4), (*color, 255), np.uint8) for color in np.eye(3) * 255)
    game = make(size=(140, 40))
    batch = game.add(fw.SpriteBatch([red, green, red, blue], 4))
    batch.position = [(20 + 30 * row, 20) for row in range(4)]
    batch.image = range(4)
    game.advance(0)
    center_after_a_tick = game.pixels()[20, 20:120:30, :3] // 255
    np.testing.assert_array_equal(center_after_a_tick, [(1, 0, 0), (0, 1, 0), (1, 0, 0), (0, 0, 1)])
    assert len(batch.images) == 4
    assert [batch.images.add(source) for source in (red, green, blue)] == [0, 1, 3]
    rectangles = drawing(batch).atlas.rectangles
    np.testing.assert_array_equal(rectangles[0], rectangles[2])  # the atlas has these texels once


def test_a_batch_of_one_resting_sprite_takes_few_calls_per_tick(make):
    """Many small batches are a common mistake: their cost is the number of Python calls."""
    game = make()
    batches = [game.add(fw.SpriteBatch(np.full((4, 4, 4), 255, np.uint8))) for _ in range(20)]
    sprites = [batch.add(position=(50, 50)) for batch in batches]
    game.run(10)
    calls = 0

    def count(frame, event, argument):
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        game.advance(TICK)
    finally:
        sys.setprofile(None)
    assert calls / len(sprites) < 100


def test_a_position_of_nan_is_not_drawn_and_gives_one_warning(make):
    game = make()
    batch = game.add(fw.SpriteBatch(solid(9, 9), count=3))
    batch.position[:] = (50, 50), (100, 50), (150, 50)
    game.advance(TICK)
    batch.position[1] = np.nan
    with pytest.warns(RuntimeWarning, match=r"position: row 1 is NaN.*division by zero"):
        game.advance(TICK)
    game.advance(TICK)  # no second warning: warnings are errors in this test
    assert at(game, 50, 50) == at(game, 150, 50) == [255, 255, 255]
    assert not game.pixels()[:, 60:140, 0].any()
    batch.position[1] = 100, 50
    game.advance(TICK)
    game.advance(TICK)
    assert at(game, 100, 50) == [255, 255, 255]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", ["position", "angle", "scale"])
@pytest.mark.filterwarnings("ignore:position")
def test_rows_at_nan_are_not_drawn_whatever_their_other_values(make, name, value):
    game = make()
    batch = game.add(fw.SpriteBatch(solid(9, 9), count=2))
    batch.position[:] = (50, 50), (150, 50)
    getattr(batch, name)[0] = value
    game.advance(TICK)
    game.advance(TICK)
    pixels = game.pixels()
    assert at(game, 150, 50) == [255, 255, 255]
    assert not pixels[:, :140, 0].any()


def test_every_nan_is_found_soon_in_a_batch_of_any_size(ctx):
    batch = fw.SpriteBatch(solid(2, 2), count=10_000)
    new_backend(batch, fw.Graphics(ctx))
    batch.position[9_999] = np.nan

    def six_frames():
        for _ in range(6):
            table_of(batch).begin_tick(1 / 60)
            table_of(batch).end_tick()
            drawing(batch).hand_over()

    with pytest.warns(RuntimeWarning, match="row 9999 is NaN"):
        six_frames()
    end_backend(batch, drawing=True)


def test_positions_too_far_for_a_picture_are_not_drawn_and_give_no_warning(make):
    game = make()
    batch = game.add(fw.SpriteBatch(solid(9, 9), count=3))
    batch.position[:] = (3e38, 3e38), (np.inf, -np.inf), (100, 50)
    game.advance(TICK)
    assert centroid(game.pixels()) == pytest.approx((100, 50), abs=0.01)


def test_a_batch_belongs_to_one_game_and_can_join_another_after_its_release(make):
    game = make()
    batch = draw(game, solid(9, 9))
    with pytest.raises(ValueError, match=r"^SpriteBatch: it was added to a game already"):
        game.add(batch)
    game.remove(batch)
    game.add(batch)
    game.advance(0)  # no tick has passed since
    assert at(game, 100, 50) == [255, 255, 255]
    second = fw.SpriteBatch(solid(2, 2))
    with pytest.raises(fw.AssetError, match="not in a game yet"):
        second.images.size()


def test_an_empty_batch_draws_nothing(make):
    game = make()
    batch = game.add(fw.SpriteBatch(solid(9, 9)))
    game.advance(TICK)
    assert not game.pixels()[..., :3].any()
    batch.add(position=(100, 50))
    game.advance(TICK)
    assert at(game, 100, 50) == [255, 255, 255]
    batch.clear()
    game.advance(TICK)
    assert not game.pixels()[..., :3].any()
    assert drawing(batch).uploaded_bytes > 0
    assert drawing(batch).gpu_bytes > 0


def test_the_transforms_of_a_batch_have_only_its_rows(make):
    batch = fw.SpriteBatch(solid(2, 2), count=3)
    batch.position[:, 0] = 1, 2, 3
    batch[0].remove()
    assert batch.transforms.model_matrices(0.0).shape == (2, 4, 4)
    assert len(batch.transforms) == 2
    batch.transforms.begin_tick(1 / 60)
    assert batch.transforms.model_matrices(0.0)[:, 3, 0].tolist() == [2, 3]


def test_the_repr_of_a_sprite_has_its_position_and_drawn_position():
    batch = fw.SpriteBatch(solid(2, 2))
    sprite = batch.add(position=(10, 20), scale=(2, -3), angle=1, flip=(True, False))
    assert repr(sprite) == "<Sprite at (10, 20)>"
    assert (sprite.scale, sprite.angle, sprite.flip, sprite.visible) == (
        (2, -3),
        1,
        (True, False),
        True,
    )
    assert sprite.batch is batch
    table_of(batch).begin_tick(1 / 60)
    sprite.x += 4
    sprite.y -= 4
    table_of(batch).end_tick()
    assert sprite.drawn_position(0.25) == (11, 19)
    with pytest.raises(AttributeError):
        sprite.colour = 1, 0, 0


def test_a_batch_with_spare_rows_is_drawn_by_mesas_noop_driver():
    """This driver crashes if a part of a buffer is written after a draw. Other drivers ignore the
    variable."""
    lines = [
        "import numpy as np, framework as fw",
        "class Hundred(fw.Game):",
        "    def setup(self):",
        "        image = np.full((4, 4, 4), 255, np.uint8)",
        "        self.all = [self.sprites.add(0 if k else image) for k in range(100)]",
        "    def update(self, dt):",
        "        for sprite in self.all: sprite.x += 1",
        "        if self.tick > 9: self.sprites.add(0); self.all[0].teleport((5, 5)); "
        "self.labels.add(self.tick)",
        "game = Hundred(headless=True, size=(64, 64))",
        "game.run(20)",
        "print(len(game.sprites))",
    ]
    command = [sys.executable, "-c", "\n".join(lines)]
    root = Path(fw.__file__).parent.parent
    done = subprocess.run(
        command, env={**os.environ, "GALLIUM_NOOP": "1"}, cwd=root, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, "111\n"), done.stderr


def test_an_image_too_large_for_a_texture_is_an_error_with_its_name(make, tmp_path):
    game = make(size=(20, 20))
    most = game.picture.ctx.info["GL_MAX_TEXTURE_SIZE"]
    Image.new("L", (most + 1, 1)).save(tmp_path / "wide.png")
    batch = game.add(fw.SpriteBatch())
    with pytest.raises(
        fw.AssetError,
        match=r"wide\.png': The image of \d+×1 pixels is larger than the driver's",
    ):
        batch.add(str(tmp_path / "wide.png"))
    assert len(batch) == 0


def test_a_refused_sprite_leaves_no_image_behind() -> None:
    batch = fw.SpriteBatch()
    with pytest.raises(TypeError, match=r"^position: "):
        batch.add(np.full((2, 2, 4), 255, np.uint8), position="x")  # type: ignore[arg-type]
    assert (len(batch), len(batch.images)) == (0, 0)


def test_a_held_sprite_can_be_written_after_the_columns_have_moved():
    batch = fw.SpriteBatch(solid(2, 2), count=2)
    sprite = batch[1]
    table_of(batch.transforms).reserve(5000)
    sprite.x = 5
    sprite.y = 6
    sprite.angle = 7
    assert batch.position.tolist() == [[0, 0], [5, 6]]
    assert batch.angle.tolist() == [0, 7]
    assert sprite.position == (5, 6)
    batch.extend(6000)
    sprite.x = 8
    assert batch.position[1].tolist() == [8, 6]


def test_a_new_sprite_has_default_values_although_an_old_array_is_written():
    batch = fw.SpriteBatch(solid(2, 2), count=6)
    old = {name: getattr(batch, name) for name in ("position", "scale", "color", "visible")}
    batch.remove([2, 3, 4, 5])
    batch.add()
    for array in old.values():
        array[3:] = 0.5
    sprite = batch.add()
    assert sprite.position == (0, 0)
    assert sprite.scale == (1, 1)
    assert sprite.color == (1, 1, 1, 1)
    assert sprite.visible
    assert batch.add(position=(3, 4), scale=2).position == (3, 4)
    batch.remove([3])
    assert [row.position for row in batch] == [(0, 0), (0, 0), (0, 0), (3, 4)]
    assert batch.add().position == (0, 0)


def test_an_old_array_does_not_reach_new_sprites_while_another_sprite_exists():
    batch = fw.SpriteBatch(solid(2, 2))
    first = batch.add(position=(1, 2))  # from now on, the batch itself has views of positions
    batch.extend(5)
    old = batch.position, batch.angle
    batch.remove([2, 3, 4, 5])
    batch.add()
    for array in old:
        array[3:] = 0.5
    sprite = batch.add()
    assert sprite.position == (0, 0)
    assert sprite.angle == 0
    assert first.position == (1, 2)


def test_many_batches_of_the_same_image_give_a_warning(make, monkeypatch):
    monkeypatch.setattr("framework.gpu.atlas._WARNED_BATCHES", 100)
    game = make(size=(20, 20))
    second = game.add(fw.SpriteBatch(solid(2, 2), count=1))
    for _ in range(99):
        game.add(fw.SpriteBatch(solid(3, 3), count=1))
    with pytest.warns(
        RuntimeWarning, match=r"^100 sprite batches have .* batch\.add\(position=…\)"
    ) as warned:
        game.add(fw.SpriteBatch(solid(3, 3), count=1))
    for _ in range(100):
        game.add(fw.SpriteBatch(solid(2, 2)))
    assert len(warned) == 1
    game.advance(0.02)
    assert len(second) == 1
