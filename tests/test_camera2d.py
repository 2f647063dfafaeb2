"""Camera2D: coordinates, interpolation, following, and errors."""

from __future__ import annotations

import math
import random
import re

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pictures import blob, centroid, solid

import framework as fw
from framework.motion.camera_base import begin_tick, end_tick, frame_block_of
from framework.plane.camera2d import FRAME_BYTES, Camera2D
from framework.screen_mapping import ScreenMapping

GL = settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
coordinate = st.floats(-1e4, 1e4)


def spot(game, x, y, size=1, **options):
    """Add a batch with one white square of whole pixels, centered at (x, y)."""
    batch = game.add(fw.SpriteBatch(solid(size, size), **options))
    batch.add(position=(x, y))
    return batch


def tick(camera, update=lambda: None):
    begin_tick(camera)
    update()
    end_tick(camera)


def test_by_default_the_origin_is_the_bottom_left_corner(make):
    game = make()
    spot(game, 0.5, 0.5)
    spot(game, 199.5, 99.5)
    spot(game, 30.5, 10.5)
    game.advance(0)
    ys, xs = np.nonzero(game.pixels()[..., 0])
    assert sorted(zip(xs.tolist(), ys.tolist(), strict=True)) == [(0, 99), (30, 89), (199, 0)]


def test_zoom_and_angle_apply_around_the_position(make):
    game = make()
    spot(game, 20, 10, size=4)
    game.camera.position = 20, 0
    game.camera.zoom = 3
    game.camera.angle = (
        math.pi / 2
    )  # the camera turns counter-clockwise, so the image turns clockwise
    game.camera.teleport()
    game.advance(0)
    pixels = game.pixels()
    assert (pixels[..., 0] == 255).sum() == 144
    assert centroid(pixels) == pytest.approx((130, 50))


@given(
    position=st.tuples(coordinate, coordinate),
    zoom=st.floats(0.05, 20),
    angle=st.floats(-10, 10),
    point=st.tuples(st.floats(-500, 1500), st.floats(-500, 1500)),
    size=st.tuples(st.integers(1, 2000), st.integers(1, 2000)),
)
def test_screen_to_world_and_back_is_the_same_point(position, zoom, angle, point, size):
    camera = Camera2D(size)
    camera.position = position
    camera.zoom = zoom
    camera.angle = angle
    tick(camera)
    world_point = camera.screen_to_world(point)
    assert camera.world_to_screen(world_point) == pytest.approx(
        point, abs=1e-6 * max(1, *map(abs, position)) * zoom
    )
    x, y, w, h = *camera.world_to_screen(position), *size
    assert (x, y) == pytest.approx((w / 2, h / 2), abs=1e-6 * max(1, *map(abs, position)) * zoom)


@given(position=st.tuples(coordinate, coordinate), zoom=st.floats(0.1, 10), angle=st.floats(-4, 4))
def test_visible_bounds_are_the_bounds_of_the_screen(position, zoom, angle):
    camera = Camera2D((320, 200))
    camera.position = position
    camera.zoom = zoom
    camera.angle = angle
    left_edge, bottom, right_edge, top = camera.visible_bounds()
    cos = abs(math.cos(angle))
    sin = abs(math.sin(angle))
    assert right_edge - left_edge == pytest.approx((320 * cos + 200 * sin) / zoom)
    assert top - bottom == pytest.approx((320 * sin + 200 * cos) / zoom)
    assert ((left_edge + right_edge) / 2, (bottom + top) / 2) == pytest.approx(position, abs=1e-6)


@given(
    position=st.tuples(coordinate, coordinate),
    zoom=st.floats(0.1, 10),
    angle=st.floats(-4, 4),
    x=coordinate,
    y=coordinate,
)
def test_view_projection_matches_world_to_screen(position, zoom, angle, x, y):
    camera = Camera2D((320, 200))
    camera.position = position
    camera.zoom = zoom
    camera.angle = angle
    clip = np.array([x, y, 0, 1]) @ np.asarray(camera.view_projection())
    screen = (clip[0] + 1) * 160, (clip[1] + 1) * 100
    assert screen == pytest.approx(camera.world_to_screen((x, y)), rel=1e-9, abs=1e-6)
    assert len(frame_block_of(camera)(0.5, 0.0)) == FRAME_BYTES


def test_a_sprite_at_the_mouse_position_is_drawn_there(make):
    game = make()
    camera = game.camera
    camera.position = (-50, 70)
    camera.zoom = 1.7
    camera.angle = 0.4
    camera.teleport()
    world = camera.screen_to_world((140, 30))
    draw = game.add(fw.SpriteBatch(blob()))
    draw.add(position=world)
    game.advance(0)
    assert math.dist(centroid(game.pixels()), (140, 30)) <= 0.02


def test_a_camera_in_motion_is_interpolated_between_ticks():
    camera = Camera2D((200, 100))
    tick(camera)

    def move():
        camera.position = (200, 150)
        camera.zoom = 4
        camera.angle = math.radians(350)

    tick(camera, move)
    x, y, zoom, angle = camera.pose(0.5)
    assert (x, y) == pytest.approx((150, 100))
    assert zoom == pytest.approx(2)  # the geometric mean of 1 and 4, so that the zoom looks even
    assert angle == pytest.approx(math.radians(-5))  # the shorter turn
    tick(camera)
    assert camera.pose(0) == camera.pose(0.5) == (200, 150, 4, math.radians(350))


def test_the_drawn_world_moves_evenly_under_a_moving_camera(make):
    game = make(tick_rate=10)
    game.update = lambda dt: setattr(game.camera, "x", game.camera.x + 10)
    batch = game.add(fw.SpriteBatch(blob()))
    batch.add(position=(150, 50))
    game.advance(0.1)
    for elapsed in (0.02, 0.05, 0.13, 0.2, 0.29):
        game.advance(elapsed - frame_time(game))
        assert math.dist(centroid(game.pixels()), (150 - 100 * elapsed, 50)) <= 0.05


def frame_time(game):
    """Return the seconds of frame time since the first tick."""
    return float(game._engine.clock.attoseconds / 10**18) - 0.1


@pytest.mark.parametrize("before", [True, False], ids=["before the write", "after the write"])
def test_a_teleported_camera_is_not_interpolated(before):
    camera = Camera2D((200, 100))
    tick(camera)

    def jump():
        if before:
            camera.teleport()
        camera.position = 900, 800
        if not before:
            camera.teleport()

    tick(camera, jump)
    assert camera.pose(0.5)[:2] == (900, 800)
    tick(camera, lambda: setattr(camera, "x", 1000))
    assert camera.pose(0.5)[:2] == (950, 800)


def test_a_camera_teleported_between_ticks_is_drawn_there_at_once():
    camera = Camera2D((200, 100))
    tick(camera, lambda: setattr(camera, "position", (0, 0)))
    camera.teleport()
    camera.position = 900, 800
    assert camera.pose(0.5)[:2] == (900, 800)
    tick(camera, lambda: setattr(camera, "x", 1000))
    assert camera.pose(0.5)[:2] == (950, 800)


def test_a_camera_moves_at_once_while_the_game_is_paused(make):
    game = make(tick_rate=10)
    game.add(fw.SpriteBatch(blob())).add(position=(100, 50))
    game.advance(0.13)
    game.timestep.paused = True
    game.advance(0)
    for x, y in ((120, 50), (90, 40)):
        game.camera.position = x, y
        game.advance(0.02)
        assert math.dist(centroid(game.pixels()), (200 - x, 100 - y)) <= 0.02


class Chase(fw.Game):
    """A game with a camera that follows an unsteady sprite."""

    def __init__(self, start, **options):
        self.start = start
        self.follow = options
        super().__init__(size=(200, 100), headless=True, background=(0, 0, 0), tick_rate=10)

    def setup(self):
        self.batch = self.add(fw.SpriteBatch(blob()))
        self.sprite = self.batch.add(position=self.start)
        self.camera.follow(self.sprite, **self.follow)

    def update(self, dt):
        self.sprite.x += 37.3 + self.tick % 3
        self.sprite.y += 20 * math.sin(self.tick)


@pytest.mark.parametrize("start", [(0, 0), (100_000, -7), (-3_000.3, 100_000)])
def test_a_followed_sprite_stays_in_the_center(start):
    dice = random.Random(f"{start}")
    for _ in range(3):
        with Chase(start) as game:
            for _ in range(20):
                game.advance(dice.choice([0.001, dice.uniform(0.001, 0.3)]))
                assert math.dist(centroid(game.pixels()), (100, 50)) <= 0.02


def test_a_followed_sprite_is_off_center_by_the_offset(make):
    with Chase((50, 20), offset=(30, -10)) as game:
        for frame in (0.03, 0.11, 0.26):
            game.advance(frame)
            assert math.dist(centroid(game.pixels()), (70, 60)) <= 0.02


def test_smoothing_moves_the_camera_by_a_fraction_of_the_distance():
    class Point:
        def drawn_position(self, alpha):
            return 100.0, 0.0

    camera = Camera2D((200, 100))
    camera.position = 0, 0
    camera.follow(Point(), smoothing=0.75)
    xs = []
    for _ in range(3):
        tick(camera)
        xs.append(camera.x)
    assert xs == pytest.approx([25, 43.75, 57.8125])
    assert camera.pose(0.5)[0] == pytest.approx((43.75 + 57.8125) / 2)
    tick(camera, camera.teleport)
    assert camera.pose(0.0)[0] == 100
    camera.follow(None)
    tick(camera, lambda: setattr(camera, "x", 0))
    assert camera.pose(1.0)[0] == 0


def test_the_camera_teleports_with_its_target(make):
    with Chase((50, 20)) as game:
        game.advance(0.1)
        game.update = lambda dt: game.sprite.teleport((5000, 3000))
        game.advance(0.1)
        game.update = lambda dt: None
        game.advance(0.05)
        assert math.dist(centroid(game.pixels()), (100, 50)) <= 0.02
        assert game.camera.pose(0.5)[:2] == (5000, 3000)


@pytest.mark.parametrize("smoothing", [0.0, 0.5])
def test_the_camera_stays_when_its_target_is_removed(smoothing):
    with Chase((50, 20), smoothing=smoothing) as game:
        game.advance(0.25)
        game.sprite.remove()  # between two ticks
        game.update = lambda dt: None
        position = game.camera.position
        for _ in range(3):
            game.advance(0.1)
        assert game.camera.pose(0.5)[:2] == position


def test_an_unmoved_camera_keeps_the_corner_after_a_resize():
    camera = Camera2D((200, 100))
    camera.view = ScreenMapping((300, 50), (0, 0, 300, 50))
    assert camera.screen_to_world((0, 0)) == (0, 0)
    assert camera.pose(0.3)[:2] == (150, 25)
    camera.position = 7, 8
    tick(camera)
    camera.view = ScreenMapping((100, 100), (0, 0, 100, 100))
    assert camera.screen_to_world((50, 50)) == (7, 8)


@pytest.mark.parametrize(
    ("name", "value", "error", "words"),
    [
        (
            "zoom",
            0,
            ValueError,
            "zoom: expected a finite number above 0 and of at most 1e+18, got 0",
        ),
        ("zoom", -1, ValueError, "zoom: expected"),
        ("zoom", math.nan, ValueError, "zoom: expected"),
        ("zoom", math.inf, ValueError, "zoom: expected"),
        ("zoom", 1e39, ValueError, "zoom: expected"),
        ("zoom", 1e-39, ValueError, "zoom: expected a finite number of at least 1e-18, got 1e-39"),
        ("zoom", None, TypeError, "zoom: expected a number, got None"),
        ("position", (math.nan, 0), ValueError, "position: expected a finite number, got nan"),
        ("position", (0, math.inf), ValueError, "position: expected a finite number, got inf"),
        (
            "position",
            (0, 1e39),
            ValueError,
            "position: expected a number of at most 1e+18 either side of 0, got 1e+39",
        ),
        ("position", 5, TypeError, "position: expected two finite numbers, got 5"),
        ("position", (1, 2, 3), ValueError, "position: expected two finite numbers, got (1, 2, 3)"),
        ("position", ("a", 0), TypeError, "position: expected a number, got 'a'"),
        ("x", math.nan, ValueError, "x: expected a finite number, got nan"),
        ("angle", math.inf, ValueError, "angle: expected a finite number, got inf"),
        ("angle", "left", TypeError, "angle: expected a number, got 'left'"),
        ("view", None, TypeError, "view: expected a ScreenMapping, got None"),
        (
            "controller",
            3,
            TypeError,
            "controller: expected an Orbit, a Fly, a Follow, or None; 3 has no begin_tick",
        ),
        ("zom", 3, AttributeError, "Camera2D has no attribute 'zom'; did you mean 'zoom'?"),
    ],
)
def test_wrong_settings_are_errors_and_change_nothing(name, value, error, words):
    camera = Camera2D((200, 100))
    before = camera.pose(0), camera.view, camera.controller
    with pytest.raises(error, match=re.escape(words)):
        setattr(camera, name, value)
    assert (camera.pose(0), camera.view, camera.controller) == before


def test_wrong_smoothing_and_targets_are_refused():
    camera = Camera2D((200, 100))
    for smoothing in (1, -0.1, math.nan):
        with pytest.raises(
            ValueError, match="smoothing: expected a finite number of at least 0 and below 1"
        ):
            camera.follow(None, smoothing=smoothing)
    with pytest.raises(ValueError, match="offset: expected two finite numbers"):
        camera.follow(None, offset=(math.nan, 0))
    with pytest.raises(
        TypeError, match=r"target: expected a sprite.*\(1, 2\) has no drawn_position"
    ):
        camera.follow((1, 2))


# -- the image on the framebuffer ------------------------------------------------------------------


def test_a_pixel_ratio_of_2_doubles_the_image(make):
    images = []
    for ratio in (1, 2):
        game = make(pixel_ratio=ratio)
        batch = game.add(fw.SpriteBatch(solid(6, 4), filter="nearest"))
        for x, y in ((20, 30), (100, 50), (199, 99)):
            batch.add(position=(x, y), scale=3)
        game.camera.zoom = 2
        game.camera.teleport()
        game.advance(0)
        images.append(game.pixels())
    single, double = images
    assert double.shape == (200, 400, 4)
    np.testing.assert_array_equal(double, single.repeat(2, axis=0).repeat(2, axis=1))


@pytest.mark.parametrize(
    ("scaling", "viewport"),
    [
        ("letterbox", (50, 0, 100, 100)),
        ("integer", (52, 2, 96, 96)),
        ("stretch", (0, 0, 200, 100)),
    ],
)
def test_a_resolution_is_scaled_to_the_window(make, scaling, viewport):
    game = make(resolution=(32, 32), scaling=scaling, background=(0, 0, 1))
    assert game.size == (32, 32)
    batch = game.add(fw.SpriteBatch(solid(32, 32, (255, 0, 0, 255)), smooth_edges=False))
    batch.add(position=(16, 16))
    batch.add(
        position=(48, 16), color=(0, 1, 0)
    )  # outside the image: this sprite must not appear on the bars
    game.advance(0)
    x, y, w, h = viewport
    want = np.zeros((100, 200), bool)
    want[100 - y - h : 100 - y, x : x + w] = True
    pixels = game.pixels()
    np.testing.assert_array_equal(pixels[..., 0] == 255, want)


@pytest.mark.parametrize("scaling", ["letterbox", "integer", "stretch"])
def test_a_framebuffer_of_one_pixel_is_drawn(make, scaling):
    game = make(size=(1, 1), resolution=(320, 200), scaling=scaling)
    batch = game.add(fw.SpriteBatch(solid(320, 200)))
    batch.add(position=(160, 100))
    game.advance(0)
    assert game.pixels().tolist() == [[[255] * 4]]
