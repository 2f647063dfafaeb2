"""Camera3D and its controllers: Orbit, Fly and Follow."""

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
points = st.tuples(coordinate, coordinate, coordinate)
DT = 1 / 60


def new_camera(**options: Any) -> fw.Camera3D:
    camera = fw.Camera3D(**options)
    camera.view = ScreenMapping((320.0, 200.0), (0, 0, 320, 200))
    return camera


def tick(camera: fw.Camera3D, update: Callable[[], object] = lambda: None) -> None:
    begin_tick(camera)
    update()
    end_tick(camera)


def distance_from_center(camera: fw.Camera3D, point: Any, alpha: float) -> float:
    """Return the distance of a drawn point from the center of the screen, in its units."""
    screen_point = camera.world_to_screen(point, alpha)
    assert screen_point is not None
    return math.dist(screen_point, (160, 100))


# -- screen and world ------------------------------------------------------------------------------


@given(
    eye=points,
    target=points,
    x=st.floats(0, 320),
    y=st.floats(0, 200),
    far=st.floats(0.5, 500),
    height=st.one_of(st.none(), st.floats(0.1, 500)),
    fov=st.floats(0.1, 2.5),
)
def test_a_point_on_a_screen_ray_is_drawn_at_its_start(eye, target, x, y, far, height, fov):
    if math.dist(eye, target) < 0.1:
        return
    camera = new_camera(fov=fov, ortho_height=height)
    camera.position = eye
    camera.look_at(target)
    tick(camera)
    start, direction = camera.screen_ray((x, y))
    assert np.linalg.norm(direction) == pytest.approx(1)
    assert camera.world_to_screen(start + direction * far) == pytest.approx((x, y), abs=1e-4)


def test_a_point_behind_the_camera_has_no_screen_position():
    assert new_camera().world_to_screen((0, 0, 1)) is None


def test_an_unrotated_camera_looks_along_minus_z():
    camera = new_camera(ortho_height=200.0)
    assert camera.world_to_screen((10, 20, -50)) == pytest.approx((170, 120))
    assert (camera.forward.tolist(), camera.right.tolist(), camera.up.tolist()) == (
        [0, 0, -1],
        [1, 0, 0],
        [0, 1, 0],
    )


def test_fov_is_the_vertical_angle():
    camera = new_camera(fov=math.radians(90))
    assert camera.world_to_screen((0, 5, -5)) == pytest.approx((160, 200))


def test_look_at_centers_the_target():
    camera = new_camera()
    camera.position = 3, 4, 5
    camera.look_at((-1, 0, 2))
    tick(camera)
    assert distance_from_center(camera, (-1, 0, 2), 1.0) < 1e-4
    with pytest.raises(ValueError, match=r"^target: "):
        camera.look_at((3, 4, 5))


def test_a_moving_camera_is_interpolated_but_not_after_a_teleport():
    camera = new_camera()
    tick(camera)
    tick(camera, lambda: setattr(camera, "position", (10, 0, 0)))
    assert camera.pose(0.25)[0].tolist() == [2.5, 0, 0]
    tick(camera, lambda: (setattr(camera, "position", (90, 0, 0)), camera.teleport()))
    assert camera.pose(0.25)[0].tolist() == [90, 0, 0]


def test_fov_is_interpolated_but_not_a_change_of_projection():
    camera = new_camera(fov=1.0)
    tick(camera)
    tick(camera, lambda: setattr(camera, "fov", 2.0))
    assert np.asarray(camera.projection(0.5))[1, 1] == pytest.approx(1 / math.tan(0.75))
    tick(camera, lambda: setattr(camera, "ortho_height", 10.0))
    for alpha in (0.0, 0.5):
        assert np.asarray(camera.projection(alpha))[1, 1] == pytest.approx(0.2)
    tick(camera, lambda: setattr(camera, "ortho_height", None))
    assert np.asarray(camera.projection(0.0))[2, 3] == -1


def test_view_projection_is_the_product_of_its_matrices():
    camera = new_camera()
    camera.position = 1, 2, 3
    camera.look_at((5, 6, 7))
    both = np.asarray(camera.view_matrix()) @ np.asarray(camera.projection())
    assert np.asarray(camera.view_projection()) == pytest.approx(both)
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
def test_a_wrong_lens_is_an_error_with_its_name(name, options):
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
def test_wrong_settings_are_errors_and_change_nothing(name, value, error):
    camera = new_camera()
    before = camera.view_projection()
    with pytest.raises(error, match=rf"^{name}: "):
        setattr(camera, name, value)
    assert (np.asarray(camera.view_projection()) == np.asarray(before)).all()
    assert camera.controller is None


def test_an_unknown_attribute_is_an_error_with_the_nearest_name():
    with pytest.raises(
        AttributeError, match="Camera3D has no attribute 'postion'; did you mean 'position'"
    ):
        new_camera().postion = 1, 2, 3  # type: ignore[attr-defined]
    with pytest.raises(
        AttributeError, match="Orbit has no attribute 'distnce'; did you mean 'distance'"
    ):
        fw.Orbit(new_camera()).distnce = 3  # type: ignore[attr-defined]


@given(
    depths=st.tuples(*[st.floats(1e-6, 1e6)] * 2).filter(lambda pair: pair[0] < pair[1]),
    far_first=st.booleans(),
)
def test_near_and_far_may_be_set_in_either_order(depths, far_first):
    camera = new_camera()
    if far_first:
        camera.far, camera.near = depths[::-1]
    else:
        camera.near, camera.far = depths
    assert (camera.near, camera.far) == depths
    assert np.isfinite(camera.projection()).all()


def test_near_above_far_is_an_error_when_the_camera_is_used():
    camera = new_camera()
    camera.near = 2000
    for use in (
        camera.projection,
        lambda: frame_block_of(camera)(0.5, 0.0),
        lambda: camera.world_to_screen((0, 0, -5)),
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
def test_an_orbit_keeps_its_distance_between_ticks(yaw, pitch, alpha):
    camera = new_camera()
    orbit = fw.Orbit(camera, (1, 2, 3), 8)
    tick(camera)
    tick(camera, lambda: orbit.turn(yaw, pitch))
    eye, _ = camera.pose(alpha)
    assert math.dist(eye, (1, 2, 3)) == pytest.approx(8, rel=1e-6)
    assert distance_from_center(camera, (1, 2, 3), alpha) < 1e-3


def test_an_orbit_starts_in_front_and_turns_right_and_up():
    camera = new_camera()
    orbit = fw.Orbit(camera, distance=8, pitch=0)
    tick(camera)
    assert camera.position == pytest.approx((0, 0, 8), abs=1e-6)
    tick(camera, lambda: orbit.turn(math.pi / 2, 0))
    assert camera.position == pytest.approx((8, 0, 0), abs=1e-5)
    assert camera.pose(0.5)[0] == pytest.approx((8 / math.sqrt(2), 0, 8 / math.sqrt(2)), abs=1e-5)
    tick(camera, lambda: orbit.turn(0, 9))
    assert camera.position[1] == pytest.approx(8, rel=1e-4)
    assert orbit.pitch < math.pi / 2


@pytest.mark.parametrize("height", [None, 4.0])
def test_zoom_enlarges_with_any_lens(height):
    camera = new_camera(ortho_height=height)
    orbit = fw.Orbit(camera, distance=8, pitch=0)
    tick(camera)
    before = distance_from_center(camera, (0.1, 0, 0), 1.0)
    tick(camera, lambda: orbit.zoom(2))
    assert distance_from_center(camera, (0.1, 0, 0), 1.0) == pytest.approx(2 * before, rel=1e-4)
    between = distance_from_center(camera, (0.1, 0, 0), 0.5)
    assert before < between < 2 * before


def test_pan_moves_the_world_with_the_pointer():
    camera = new_camera()
    orbit = fw.Orbit(camera, (5, 5, 5), 8, yaw=0.7)
    tick(camera)
    tick(camera, lambda: orbit.pan(30, -20))
    assert camera.world_to_screen((5, 5, 5)) == pytest.approx((190, 80), abs=1e-3)


def test_a_subclass_can_set_turn_per_unit():
    class Slow(fw.Orbit):
        turn_per_unit = 0.001

    orbit = Slow(new_camera())
    assert orbit.turn_per_unit == 0.001
    assert fw.Orbit(new_camera()).turn_per_unit == pytest.approx(math.radians(0.4))


def test_an_orbit_stays_within_its_distances():
    orbit = fw.Orbit(new_camera(), distance=8, min_distance=2, max_distance=20)
    orbit.zoom(100)
    assert orbit.distance == pytest.approx(2)
    orbit.zoom(0.001)
    assert orbit.distance == pytest.approx(20)


def test_the_camera_stays_when_its_controller_is_removed():
    camera = new_camera()
    fw.Orbit(camera, distance=8)
    tick(camera)
    position = camera.position.tolist()
    camera.controller = None
    tick(camera)
    assert camera.pose(0.5)[0].tolist() == position


class Flight(fw.Game):
    def setup(self) -> None:
        self.fly = fw.Fly(self.world.camera, (0, 0, 0), speed=6)

    def update(self, dt: float) -> None:
        self.fly.update(dt, self.keys, self.mouse)


def test_flying_with_keys_and_mouse(make: Make):
    game = make(Flight)
    game.display.window.dispatch_event("on_key_press", fw.key.W, 0)
    for _ in range(31):
        game.advance(DT)
    assert game.fly.position == pytest.approx((0, 0, -6 * game.tick * DT))
    halfway = game.world.camera.pose(0.5)[0]
    assert halfway == pytest.approx((0, 0, -6 * (game.tick - 0.5) * DT))
    game.display.window.dispatch_event("on_key_press", fw.key.D, 0)
    before = game.fly.position
    game.advance(DT)
    assert math.dist(game.fly.position, before) == pytest.approx(
        6 * DT
    )  # diagonal motion has the same speed
    game.display.window.dispatch_event("on_mouse_press", 100, 50, fw.mouse.RIGHT, 0)
    game.display.window.dispatch_event("on_mouse_drag", 110, 60, 10, 10, fw.mouse.RIGHT, 0)
    game.advance(DT)
    game.advance(DT)
    assert game.fly.yaw == pytest.approx(-10 * game.fly.turn_per_unit)
    assert game.fly.pitch == pytest.approx(10 * game.fly.turn_per_unit)
    assert game.world.camera.forward[0] > 0
    assert game.world.camera.forward[1] > 0


def test_fly_starts_with_the_pose_of_the_camera():
    camera = new_camera()
    camera.position = 1, 2, 3
    camera.look_at((7, 1, -2))
    forward = camera.forward
    fw.Fly(camera)
    tick(camera)
    assert camera.forward == pytest.approx(forward, abs=1e-6)
    assert camera.position.tolist() == [1, 2, 3]


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
def test_a_followed_target_does_not_shimmer(make: Make, smoothing: float):
    game = make(type("Kind", (Chase,), {"smoothing": smoothing}), tick_rate=20)
    random = np.random.default_rng(1)
    camera = game.world.camera
    for _ in range(40):
        alpha = game.advance(float(random.uniform(0.001, 0.06)))
        drawn = game.ship.drawn_position(alpha)
        assert math.dist(camera.world_to_screen(drawn, alpha), (100, 50)) < 1e-2
        if not smoothing:
            assert camera.pose(alpha)[0] - drawn == pytest.approx((0, 3, 8), abs=1e-5)


def test_smoothing_moves_the_camera_by_a_fraction_of_the_distance():
    class Post:
        at = (0.0, 0.0, 0.0)

        def drawn_position(self, alpha: float) -> tuple[float, float, float]:
            return self.at

    camera = new_camera()
    post = Post()
    fw.Follow(camera, post, (0, 0, 8), smoothing=0.75)
    post.at = (16, 0, 0)
    tick(camera)
    assert camera.pose(1.0)[0].tolist() == [4, 0, 8]
    tick(camera)
    assert camera.pose(1.0)[0].tolist() == [7, 0, 8]
    assert camera.pose(0.5)[0].tolist() == [5.5, 0, 8]
    tick(camera, camera.teleport)
    assert camera.pose(0.0)[0].tolist() == [16, 0, 8]


def test_a_turning_follower_turns_with_its_target(make: Make):
    game = make(Chase)
    fw.Follow(game.world.camera, game.ship, (0, 3, 8), turning=True)
    game.ship.rotation = 0, 0.5**0.5, 0, 0.5**0.5
    game.ship.teleport()
    alpha = game.advance(DT)
    alpha = game.advance(DT)
    assert game.world.camera.pose(alpha)[0] - game.ship.drawn_position(alpha) == pytest.approx(
        (8, 3, 0), abs=1e-5
    )


def test_a_rolling_follower_rolls_with_its_target(make: Make):
    class Loop(Chase):
        def setup(self) -> None:
            super().setup()
            fw.Follow(self.world.camera, self.ship, (0, 0, 8), turning=True, rolling=True)

        def update(self, dt: float) -> None:  # the ship flies loopings: its nose goes up and over
            self.ship.rotation = quaternions.from_axis((1, 0, 0), 3 * self.tick * dt)

    game = make(Loop, tick_rate=20, drawing=False)
    ups = []
    for _ in range(200):
        alpha = game.advance(1 / 60)
        ship_rotation = np.array([game.ship.drawn_rotation(alpha)])
        camera_rotation = game.world.camera.pose(alpha)[1]
        ups.append(
            quaternions.rotate(
                camera_rotation[None].astype(np.float64), np.array([[0.0, 1.0, 0.0]])
            )[0]
        )
        assert ups[-1] == pytest.approx(
            quaternions.rotate(ship_rotation, np.array([[0.0, 1.0, 0.0]]))[0], abs=1e-4
        )
    assert min(up[1] for up in ups) < -0.9  # the ship was upside down
    with pytest.raises(ValueError, match=r"^rolling: "):
        fw.Follow(game.world.camera, game.ship, rolling=True)


def test_a_removed_target_is_no_longer_followed(make: Make):
    game = make(Chase)
    for _ in range(3):
        game.advance(DT)
    game.update = lambda dt: game.ship.removed or game.ship.remove()
    game.advance(DT)
    position = game.world.camera.position.tolist()
    game.advance(DT)
    assert game.world.camera.position.tolist() == position


@pytest.mark.parametrize(
    ("name", "create"),
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
def test_wrong_controllers_are_errors_with_the_name(name, create):
    with pytest.raises(ValueError, match=rf"^{name}: "):
        create(new_camera())


def test_an_object_without_a_position_cannot_be_followed():
    with pytest.raises(TypeError, match=r"^target: "):
        fw.Follow(new_camera(), object())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("look_button", "held"), [("left", "left"), ("right", "right"), (None, None)]
)
def test_the_look_button_turns_an_orbit(look_button: str | None, held: str | None) -> None:
    class Game(fw.Game):
        def setup(self) -> None:
            options: Any = {} if look_button == "left" else {"look_button": look_button}
            self.orbit = fw.Orbit(self.world.camera, **options)

        def update(self, dt: float) -> None:
            self.orbit.update(dt, self.keys, self.mouse)

    with Game(headless=True, drawing=False, size=(320, 180)) as game:
        assert game.orbit.look_button == look_button
        game.mouse.move(100, 90)
        game.run_ticks(1)
        if held is not None:
            game.mouse.move(120, 90)
            game.run_ticks(1)
            assert game.orbit.yaw == pytest.approx(0)
            game.testing.press(f"mouse:{held}")
            game.run_ticks(1)
        else:
            game.orbit.yaw = 0
        target = game.orbit.target.tolist()
        game.mouse.move(game.mouse.x + 10, 90)
        game.run_ticks(1)
        assert game.orbit.yaw == pytest.approx(-10 * game.orbit.turn_per_unit)
        assert game.orbit.target.tolist() == target  # no button both turns and pans
        with pytest.raises(ValueError, match="look_button"):
            game.orbit.look_button = "space"
