"""Cameras in space, and what moves them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import framework as fw
from framework import quaternions
from framework.motion.camera_base import begin_tick, end_tick, frame_block_of
from framework.screen_mapping import ScreenMapping

Make = Callable[..., Any]
coordinate = st.floats(-1e3, 1e3)
place = st.tuples(coordinate, coordinate, coordinate)
DT = 1 / 60


def camera(**options: Any) -> fw.Camera3D:
    made = fw.Camera3D(**options)
    made.view = ScreenMapping((320.0, 200.0), (0, 0, 320, 200))
    return made


def tick(thing: fw.Camera3D, update: Callable[[], object] = lambda: None) -> None:
    begin_tick(thing)
    update()
    end_tick(thing)


def middle(thing: fw.Camera3D, point: Any, alpha: float) -> float:
    """How far a point is drawn from the middle of the picture, in its units."""
    seen = thing.world_to_screen(point, alpha)
    assert seen is not None
    return math.dist(seen, (160, 100))


# -- picture and world -----------------------------------------------------------------------------


@given(
    eye=place,
    target=place,
    x=st.floats(0, 320),
    y=st.floats(0, 200),
    far=st.floats(0.5, 500),
    height=st.one_of(st.none(), st.floats(0.1, 500)),
    fov=st.floats(0.1, 2.5),
)
def test_a_screen_ray_leads_to_what_is_seen_there(eye, target, x, y, far, height, fov):
    if math.dist(eye, target) < 0.1:
        return
    thing = camera(fov=fov, ortho_height=height)
    thing.position = eye
    thing.look_at(target)
    tick(thing)
    start, way = thing.screen_ray((x, y))
    assert np.linalg.norm(way) == pytest.approx(1)
    assert thing.world_to_screen(start + way * far) == pytest.approx((x, y), abs=1e-4)


def test_what_is_behind_the_camera_is_nowhere_in_the_picture():
    assert camera().world_to_screen((0, 0, 1)) is None


def test_not_turned_it_looks_along_minus_z_with_x_to_the_right_and_y_up():
    thing = camera(ortho_height=200.0)
    assert thing.world_to_screen((10, 20, -50)) == pytest.approx((170, 120))
    assert (thing.forward.tolist(), thing.right.tolist(), thing.up.tolist()) == (
        [0, 0, -1],
        [1, 0, 0],
        [0, 1, 0],
    )


def test_the_field_of_view_is_from_the_lower_to_the_upper_edge():
    thing = camera(fov=math.radians(90))
    assert thing.world_to_screen((0, 5, -5)) == pytest.approx((160, 200))


def test_look_at_puts_the_target_in_the_middle():
    thing = camera()
    thing.position = 3, 4, 5
    thing.look_at((-1, 0, 2))
    tick(thing)
    assert middle(thing, (-1, 0, 2), 1.0) < 1e-4
    with pytest.raises(ValueError, match=r"^target: "):
        thing.look_at((3, 4, 5))


def test_a_camera_in_motion_is_interpolated_and_one_that_is_teleported_is_not():
    thing = camera()
    tick(thing)
    tick(thing, lambda: setattr(thing, "position", (10, 0, 0)))
    assert thing.pose(0.25)[0].tolist() == [2.5, 0, 0]
    tick(thing, lambda: (setattr(thing, "position", (90, 0, 0)), thing.teleport()))
    assert thing.pose(0.25)[0].tolist() == [90, 0, 0]


def test_fov_is_blended_and_a_change_to_orthographic_has_no_way_between():
    thing = camera(fov=1.0)
    tick(thing)
    tick(thing, lambda: setattr(thing, "fov", 2.0))
    assert np.asarray(thing.projection(0.5))[1, 1] == pytest.approx(1 / math.tan(0.75))
    tick(thing, lambda: setattr(thing, "ortho_height", 10.0))
    for alpha in (0.0, 0.5):
        assert np.asarray(thing.projection(alpha))[1, 1] == pytest.approx(0.2)
    tick(thing, lambda: setattr(thing, "ortho_height", None))
    assert np.asarray(thing.projection(0.0))[2, 3] == -1


def test_the_matrices_are_one_after_the_other():
    thing = camera()
    thing.position = 1, 2, 3
    thing.look_at((5, 6, 7))
    both = np.asarray(thing.view_matrix()) @ np.asarray(thing.projection())
    assert np.asarray(thing.view_projection()) == pytest.approx(both)
    x, y, _, w = np.array([5, 6, 7, 1]) @ both
    assert (x / w, y / w) == pytest.approx((0, 0), abs=1e-6)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("fov", {"fov": 60}),
        ("fov", {"fov": 0}),
        ("fov", {"fov": math.nan}),
        ("near, far", {"near": 5, "far": 5}),
        ("near, far", {"near": 10, "far": 1}),
        ("near", {"near": 0}),
        ("far", {"far": math.inf}),
        ("far", {"far": 1e39}),
        ("near", {"near": math.nan}),
        ("ortho_height", {"ortho_height": 0}),
        ("ortho_height", {"ortho_height": math.nan}),
    ],
)
def test_a_lens_that_cannot_be_is_an_error_by_name(name, options):
    with pytest.raises(ValueError, match=rf"^{name}: "):
        fw.Camera3D(**options)


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("position", (0, math.nan, 0), ValueError),
        ("position", (1, 2), ValueError),
        ("position", "here", TypeError),
        ("position", (0, 1e39, 0), ValueError),
        ("rotation", (0, 0, 0, 0), ValueError),
        ("rotation", (0, 0, math.inf, 1), ValueError),
        ("fov", 90, ValueError),
        ("fov", "x", TypeError),
        ("ortho_height", -1, ValueError),
        ("ortho_height", 1e39, ValueError),
        ("near", -1, ValueError),
        ("far", "x", TypeError),
        ("view", None, TypeError),
        ("controller", 3, TypeError),
    ],
)
def test_what_cannot_be_is_an_error_by_name_and_changes_nothing(name, value, error):
    thing = camera()
    before = thing.view_projection()
    with pytest.raises(error, match=rf"^{name}: "):
        setattr(thing, name, value)
    assert (np.asarray(thing.view_projection()) == np.asarray(before)).all()
    assert thing.controller is None


def test_an_attribute_that_does_not_exist_is_an_error_with_the_nearest():
    with pytest.raises(
        AttributeError, match="Camera3D has no attribute 'postion'; did you mean 'position'"
    ):
        camera().postion = 1, 2, 3  # type: ignore[attr-defined]
    with pytest.raises(
        AttributeError, match="Orbit has no attribute 'distnce'; did you mean 'distance'"
    ):
        fw.Orbit(camera()).distnce = 3  # type: ignore[attr-defined]


@given(
    depths=st.tuples(*[st.floats(1e-6, 1e6)] * 2).filter(lambda pair: pair[0] < pair[1]),
    far_first=st.booleans(),
)
def test_near_and_far_may_be_set_in_either_order(depths, far_first):
    thing = camera()
    if far_first:
        thing.far, thing.near = depths[::-1]
    else:
        thing.near, thing.far = depths
    assert (thing.near, thing.far) == depths
    assert np.isfinite(thing.projection()).all()


def test_a_picture_that_ends_before_it_begins_is_an_error_when_it_is_used():
    thing = camera()
    thing.near = 2000
    for use in (
        thing.projection,
        lambda: frame_block_of(thing)(0.5, 0.0),
        lambda: thing.world_to_screen((0, 0, -5)),
    ):
        with pytest.raises(
            ValueError, match=r"^near, far: expected near < far, got 2000\.0 and 1000\.0"
        ):
            use()


@pytest.mark.parametrize(
    "matrix", [np.zeros((4, 4)), np.diag([1, 1, 0, 1]), np.full((4, 4), math.nan), np.eye(3)]
)
def test_a_singular_matrix_is_an_error_by_name(matrix):
    with pytest.raises(ValueError, match=r"^matrix: "):
        fw.Mesh.cube().transformed_by(matrix)


# -- controllers -----------------------------------------------------------------------------------


@given(yaw=st.floats(-1, 1), pitch=st.floats(-0.5, 0.5), alpha=st.floats(0, 1))
def test_an_orbit_keeps_its_target_in_the_middle_and_its_distance_in_every_frame(yaw, pitch, alpha):
    thing = camera()
    orbit = fw.Orbit(thing, (1, 2, 3), 8)
    tick(thing)
    tick(thing, lambda: orbit.turn(yaw, pitch))
    eye, _ = thing.pose(alpha)
    assert math.dist(eye, (1, 2, 3)) == pytest.approx(8, rel=1e-6)
    assert middle(thing, (1, 2, 3), alpha) < 1e-3


def test_an_orbit_starts_in_front_and_goes_round_to_the_right_and_up():
    thing = camera()
    orbit = fw.Orbit(thing, distance=8, pitch=0)
    tick(thing)
    assert thing.position == pytest.approx((0, 0, 8), abs=1e-6)
    tick(thing, lambda: orbit.turn(math.pi / 2, 0))
    assert thing.position == pytest.approx((8, 0, 0), abs=1e-5)
    assert thing.pose(0.5)[0] == pytest.approx((8 / math.sqrt(2), 0, 8 / math.sqrt(2)), abs=1e-5)
    tick(thing, lambda: orbit.turn(0, 9))
    assert thing.position[1] == pytest.approx(8, rel=1e-4)
    assert orbit.pitch < math.pi / 2


@pytest.mark.parametrize("height", [None, 4.0])
def test_zooming_shows_things_larger_with_any_lens(height):
    thing = camera(ortho_height=height)
    orbit = fw.Orbit(thing, distance=8, pitch=0)
    tick(thing)
    before = middle(thing, (0.1, 0, 0), 1.0)
    tick(thing, lambda: orbit.zoom(2))
    assert middle(thing, (0.1, 0, 0), 1.0) == pytest.approx(2 * before, rel=1e-4)
    between = middle(thing, (0.1, 0, 0), 0.5)
    assert before < between < 2 * before


def test_panning_takes_what_lies_under_the_pointer_along():
    thing = camera()
    orbit = fw.Orbit(thing, (5, 5, 5), 8, yaw=0.7)
    tick(thing)
    tick(thing, lambda: orbit.pan(30, -20))
    assert thing.world_to_screen((5, 5, 5)) == pytest.approx((190, 80), abs=1e-3)


def test_a_subclass_says_how_far_a_drag_turns():
    class Slow(fw.Orbit):
        turn_per_unit = 0.001

    orbit = Slow(camera())
    assert orbit.turn_per_unit == 0.001
    assert fw.Orbit(camera()).turn_per_unit == pytest.approx(math.radians(0.4))


def test_an_orbit_keeps_to_its_limits():
    orbit = fw.Orbit(camera(), distance=8, min_distance=2, max_distance=20)
    orbit.zoom(100)
    assert orbit.distance == pytest.approx(2)
    orbit.zoom(0.001)
    assert orbit.distance == pytest.approx(20)


def test_a_controller_can_be_taken_off_and_the_camera_stays():
    thing = camera()
    fw.Orbit(thing, distance=8)
    tick(thing)
    at = thing.position.tolist()
    thing.controller = None
    tick(thing)
    assert thing.pose(0.5)[0].tolist() == at


class Flown(fw.Game):
    def setup(self) -> None:
        self.fly = fw.Fly(self.world.camera, (0, 0, 0), speed=6)

    def update(self, dt: float) -> None:
        self.fly.update(dt, self.keys, self.mouse)


def test_flying_with_keys_and_mouse(make: Make):
    game = make(Flown)
    game.display.window.dispatch_event("on_key_press", fw.key.W, 0)
    for _ in range(31):
        game.advance(DT)
    assert game.fly.position == pytest.approx((0, 0, -6 * game.tick * DT))
    halfway = game.world.camera.pose(0.5)[0]
    assert halfway == pytest.approx((0, 0, -6 * (game.tick - 0.5) * DT))
    game.display.window.dispatch_event("on_key_press", fw.key.D, 0)
    before = game.fly.position
    game.advance(DT)
    assert math.dist(game.fly.position, before) == pytest.approx(6 * DT)  # as fast across
    game.display.window.dispatch_event("on_mouse_press", 100, 50, fw.mouse.RIGHT, 0)
    game.display.window.dispatch_event("on_mouse_drag", 110, 60, 10, 10, fw.mouse.RIGHT, 0)
    game.advance(DT)
    game.advance(DT)
    assert game.fly.yaw == pytest.approx(-10 * game.fly.turn_per_unit)
    assert game.fly.pitch == pytest.approx(10 * game.fly.turn_per_unit)
    assert game.world.camera.forward[0] > 0
    assert game.world.camera.forward[1] > 0


def test_a_flight_starts_as_the_camera_was():
    thing = camera()
    thing.position = 1, 2, 3
    thing.look_at((7, 1, -2))
    forward = thing.forward
    fw.Fly(thing)
    tick(thing)
    assert thing.forward == pytest.approx(forward, abs=1e-6)
    assert thing.position.tolist() == [1, 2, 3]


class Chase(fw.Game):
    smoothing = 0.0

    def setup(self) -> None:
        self.batch = self.add(fw.MeshBatch(fw.Mesh.cube()))
        self.ship = self.batch.add()
        self.follow = fw.Follow(self.world.camera, self.ship, (0, 3, 8), smoothing=self.smoothing)

    def update(self, dt: float) -> None:
        time = self.tick * dt
        self.ship.position = 20 * math.cos(time), 5 * math.sin(2 * time), 20 * math.sin(time)


@pytest.mark.parametrize("smoothing", [0.0, 0.9])
def test_what_is_followed_does_not_shimmer(make: Make, smoothing: float):
    game = make(type("Kind", (Chase,), {"smoothing": smoothing}), tick_rate=20)
    random, thing = np.random.default_rng(1), game.world.camera
    for _ in range(40):
        alpha = game.advance(float(random.uniform(0.001, 0.06)))
        drawn = game.ship.drawn_position(alpha)
        assert math.dist(thing.world_to_screen(drawn, alpha), (100, 50)) < 1e-2
        if not smoothing:
            assert thing.pose(alpha)[0] - drawn == pytest.approx((0, 3, 8), abs=1e-5)


def test_with_smoothing_the_camera_closes_in_by_the_same_share_in_each_tick():
    class Post:
        at = (0.0, 0.0, 0.0)

        def drawn_position(self, alpha: float) -> tuple[float, float, float]:
            return self.at

    thing, post = camera(), Post()
    fw.Follow(thing, post, (0, 0, 8), smoothing=0.75)
    post.at = (16, 0, 0)
    tick(thing)
    assert thing.pose(1.0)[0].tolist() == [4, 0, 8]
    tick(thing)
    assert thing.pose(1.0)[0].tolist() == [7, 0, 8]
    assert thing.pose(0.5)[0].tolist() == [5.5, 0, 8]
    tick(thing, thing.teleport)
    assert thing.pose(0.0)[0].tolist() == [16, 0, 8]


def test_behind_what_turns_the_camera_turns_too(make: Make):
    game = make(Chase)
    fw.Follow(game.world.camera, game.ship, (0, 3, 8), turning=True)
    game.ship.rotation = 0, 0.5**0.5, 0, 0.5**0.5
    game.ship.teleport()
    alpha = game.advance(DT)
    alpha = game.advance(DT)
    assert game.world.camera.pose(alpha)[0] - game.ship.drawn_position(alpha) == pytest.approx(
        (8, 3, 0), abs=1e-5
    )


def test_a_camera_behind_an_aeroplane_rolls_with_it_and_never_flips(make: Make):
    class Loop(Chase):
        def setup(self) -> None:
            super().setup()
            fw.Follow(self.world.camera, self.ship, (0, 0, 8), turning=True, rolling=True)

        def update(self, dt: float) -> None:  # it flies loopings: its nose goes up and over
            self.ship.rotation = quaternions.from_axis((1, 0, 0), 3 * self.tick * dt)

    game, ups = make(Loop, tick_rate=20, drawing=False), []
    for _ in range(200):
        alpha = game.advance(1 / 60)
        turned = np.array([game.ship.drawn_rotation(alpha)])
        seen = game.world.camera.pose(alpha)[1]
        ups.append(
            quaternions.rotate(seen[None].astype(np.float64), np.array([[0.0, 1.0, 0.0]]))[0]
        )
        assert ups[-1] == pytest.approx(
            quaternions.rotate(turned, np.array([[0.0, 1.0, 0.0]]))[0], abs=1e-4
        )
    assert min(up[1] for up in ups) < -0.9  # upside down it was
    with pytest.raises(ValueError, match=r"^rolling: "):
        fw.Follow(game.world.camera, game.ship, rolling=True)


def test_a_target_that_is_removed_is_followed_no_longer(make: Make):
    game = make(Chase)
    for _ in range(3):
        game.advance(DT)
    game.update = lambda dt: game.ship.removed or game.ship.remove()
    game.advance(DT)
    at = game.world.camera.position.tolist()
    game.advance(DT)
    assert game.world.camera.position.tolist() == at


@pytest.mark.parametrize(
    ("name", "make_it"),
    [
        ("distance", lambda c: fw.Orbit(c, distance=0)),
        ("target", lambda c: fw.Orbit(c, (0, math.nan, 0))),
        ("min_distance, max_distance", lambda c: fw.Orbit(c, min_distance=5, max_distance=1)),
        ("yaw", lambda c: fw.Orbit(c, yaw=math.inf)),
        ("factor", lambda c: fw.Orbit(c).zoom(0)),
        ("position", lambda c: fw.Fly(c, (1, 2))),
        ("smoothing", lambda c: fw.Follow(c, fw.MeshBatch(fw.Mesh.cube()).add(), smoothing=1)),
        ("offset", lambda c: fw.Follow(c, fw.MeshBatch(fw.Mesh.cube()).add(), (0, 0, 0))),
    ],
)
def test_a_controller_that_cannot_be_is_an_error_by_name(name, make_it):
    with pytest.raises(ValueError, match=rf"^{name}: "):
        make_it(camera())


def test_what_has_no_place_cannot_be_followed():
    with pytest.raises(TypeError, match=r"^target: "):
        fw.Follow(camera(), object())  # type: ignore[arg-type]
