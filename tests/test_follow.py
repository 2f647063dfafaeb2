"""Cameras that follow a target: dead zone, bounds, look-ahead, smoothing and shakes, in 2D and 3D."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pictures import blob, centroid

import framework as fw
from framework.motion.camera_base import (
    MAX_MAGNITUDE,
    begin_tick,
    end_tick,
    is_moving,
    notice_writes,
    start_at_goal,
)
from framework.plane.camera2d import Camera2D
from framework.screen_mapping import ScreenMapping

Make = Callable[..., Any]
coordinate = st.floats(-1e3, 1e3)
walks = st.lists(st.tuples(coordinate, coordinate, coordinate), min_size=1, max_size=8)
alphas = st.floats(0, 1)
dimensions = st.sampled_from([2, 3])


class Walker:
    """A target that is drawn between its last two positions."""

    removed = False

    def __init__(self, at: tuple[float, ...]) -> None:
        self.previous = self.at = at

    def go(self, to: tuple[float, ...]) -> None:
        self.previous = self.at
        self.at = to

    def drawn_position(self, alpha: float) -> tuple[float, ...]:
        return tuple(a + (b - a) * alpha for a, b in zip(self.previous, self.at, strict=True))


def new_camera(dimensions: int) -> Any:
    result: Any = Camera2D((200, 100)) if dimensions == 2 else fw.Camera3D()
    result.view = ScreenMapping((200, 100), (0, 0, 200, 100))
    return result


def drawn_position_of(camera: Any, alpha: float) -> np.ndarray:
    """Return the position at which a camera is drawn."""
    pose = camera.pose(alpha)
    return np.array(pose[0] if len(pose) == 2 else pose[:2])


def tick(camera: Any, target: Walker | None = None, to: tuple[float, ...] = ()) -> None:
    begin_tick(camera)
    if target is not None:
        target.go(to)
    end_tick(camera)


def offset(follow: fw.Follow) -> np.ndarray:
    return np.array(follow.offset)


@given(dimensions, walks, alphas)
def test_without_smoothing_the_camera_has_exactly_the_drawn_position_of_the_target(n, walk, alpha):
    camera = new_camera(n)
    target = Walker((0.0,) * n)
    follow = fw.Follow(camera, target)
    for to in walk:
        tick(camera, target, to[:n])
        assert (
            drawn_position_of(camera, alpha).tolist()
            == (np.array(target.drawn_position(alpha)) + offset(follow)).tolist()
        )


@given(dimensions, walks, st.tuples(*[st.floats(0, 500)] * 3), alphas)
@example(2, [(0.1, 0.2, 0.0), (-900.0, 7.0, 0.0)], (0.0, 33.3, 0.0), 0.3)
def test_the_target_stays_in_the_dead_zone_and_the_camera_moves_only_as_far_as_needed(
    n, walk, zone, alpha
):
    camera = new_camera(n)
    target = Walker((0.0,) * n)
    follow = fw.Follow(camera, target, dead_zone=zone[:n])
    half = np.array(follow.dead_zone) / 2
    before = drawn_position_of(camera, 1.0)
    for to in walk:
        tick(camera, target, to[:n])
        for share in (alpha, 1.0):
            goal = np.array(target.drawn_position(share)) + offset(follow)
            assert (np.abs(goal - drawn_position_of(camera, share)) <= half + 1e-9).all()
        after = drawn_position_of(camera, 1.0)
        goal = np.array(target.at) + offset(follow)
        moved = np.abs(after - before) > 1e-9
        assert np.abs(goal - after)[moved] == pytest.approx(half[moved], abs=1e-9)
        # and the camera does not jump between two ticks
        assert drawn_position_of(camera, 0.0) == pytest.approx(before)
        before = after


@given(
    walks,
    st.tuples(coordinate, coordinate, st.floats(0, 900), st.floats(0, 900)),
    st.floats(0.2, 5),
    st.floats(-4, 4),
    st.sampled_from([0.0, 0.5]),
    st.floats(0, 90),
    st.floats(0, 50),
    alphas,
)
def test_the_view_stays_within_the_bounds(walk, box, zoom, rotation, smoothing, zone, shake, alpha):
    left = box[0]
    bottom = box[1]
    right = box[0] + box[2]
    top = box[1] + box[3]
    camera = new_camera(2)
    target = Walker((0.0, 0.0))
    fw.Follow(
        camera,
        target,
        smoothing=smoothing,
        dead_zone=zone,
        bounds=(left, bottom, right, top),
        look_ahead=5,
    )
    for number, to in enumerate(walk):
        begin_tick(camera)
        target.go(to[:2])
        camera.zoom, camera.angle = (zoom, rotation) if number % 2 else (1.0, 0.0)
        camera.shake(shake, 5)
        end_tick(camera)
        visible = camera.visible_bounds(alpha)
        for low, high, shown_low, shown_high in (
            (left, right, *visible[::2]),
            (bottom, top, *visible[1::2]),
        ):
            if shown_high - shown_low > high - low:
                assert shown_low + shown_high == pytest.approx(low + high, abs=1e-6)
            else:
                assert shown_low >= low - 1e-6
                assert shown_high <= high + 1e-6


@given(walks, st.tuples(*[coordinate] * 3), st.floats(0, 900), alphas)
def test_a_3d_camera_stays_within_the_bounds(walk, low, size, alpha):
    camera = new_camera(3)
    target = Walker((0.0, 0.0, 0.0))
    high = tuple(part + size for part in low)
    follow = fw.Follow(camera, target, bounds=(*low, *high), smoothing=0.3)
    assert follow.bounds == (*low, *high)
    for to in walk:
        tick(camera, target, to)
        assert (drawn_position_of(camera, alpha) >= np.array(low) - 1e-6).all()
        assert (drawn_position_of(camera, alpha) <= np.array(high) + 1e-6).all()


@given(dimensions, walks, st.floats(0, 0.95), st.floats(0, 50), st.floats(0, 20), st.booleans())
def test_the_end_of_a_tick_is_drawn_like_the_beginning_of_the_next(
    n, walk, smoothing, zone, ahead, shaken
):
    camera = new_camera(n)
    target = Walker((0.0,) * n)
    fw.Follow(camera, target, smoothing=smoothing, dead_zone=zone, look_ahead=ahead)
    if shaken:
        camera.shake(10, 6)
    tick(camera, target, (0.0,) * n)
    for to in walk:
        before = camera.pose(1.0)
        tick(camera, target, to[:n])
        for old, new in zip(before, camera.pose(0.0), strict=True):
            assert new == pytest.approx(old, abs=1e-3)  # the rotation is computed again in float32


def test_the_camera_looks_ahead_of_a_moving_target_and_comes_back_when_it_stops():
    camera = new_camera(2)
    target = Walker((0.0, 0.0))
    fw.Follow(camera, target, look_ahead=20, look_ahead_smoothing=0.8)
    leads = []
    for step in [3.0] * 60 + [0.0] * 60:
        tick(camera, target, (target.at[0] + step, 0.0))
        leads.append(camera.x - target.at[0])
    assert leads[0] == pytest.approx(0.2 * 60)
    assert leads[59] == pytest.approx(60, rel=1e-3)
    assert leads[:60] == sorted(leads[:60])
    assert leads[60:] == sorted(leads[60:], reverse=True)
    assert leads[-1] == pytest.approx(0, abs=1e-3)


def test_a_teleport_is_no_motion_for_the_look_ahead():
    camera = new_camera(2)
    target = Walker((0.0, 0.0))
    fw.Follow(camera, target, look_ahead=20)
    begin_tick(camera)
    target.previous = target.at = 500.0, 300.0
    end_tick(camera)
    assert camera.position == (500, 300)


@pytest.mark.parametrize("smoothing", [0.0, 0.9])
def test_a_camera_that_starts_at_its_goal_twice_has_the_same_state(smoothing):
    random = np.random.default_rng(5)
    for _ in range(300):
        camera = new_camera(2)
        target = Walker((0.0, 0.0))
        fw.Follow(camera, target, look_ahead=7.3, smoothing=smoothing, dead_zone=4)
        for _ in range(2):
            tick(camera, target, tuple(random.uniform(-400, 400, 2).tolist()))
        target.go(tuple(random.uniform(-400, 400, 2).tolist()))
        start_at_goal(camera)
        state = camera.position, camera.pose(1.0)
        for _ in range(3):
            start_at_goal(camera)
            assert (camera.position, camera.pose(1.0)) == state


def test_the_camera_starts_at_its_goal_or_glides_there():
    for glide, x in ((False, 100), (True, 25)):
        camera = new_camera(2)
        camera.position = 0, 0
        tick(camera)
        fw.Follow(camera, Walker((100.0, 0.0)), smoothing=0.75, glide=glide)
        tick(camera)
        assert camera.x == x


@pytest.mark.parametrize("n", [2, 3])
def test_a_camera_continues_from_a_position_that_is_written(n):
    camera = new_camera(n)
    target = Walker((0.0,) * n)
    fw.Follow(camera, target, (0.0, 1.0, 0.0)[:n], smoothing=0.5)
    begin_tick(camera)
    camera.position = (8.0, 1.0, 0.0)[:n]
    end_tick(camera)
    assert np.array(camera.position).tolist() == [4.0, 1.0, 0.0][:n]


@pytest.mark.parametrize("n", [2, 3])
@pytest.mark.parametrize("smoothing", [0.0, 0.5])
def test_the_camera_ends_its_motion_when_the_target_is_removed(n, smoothing):
    camera = new_camera(n)
    target = Walker((0.0,) * n)
    fw.Follow(camera, target, (0.0, 1.0, 0.0)[:n], smoothing=smoothing)
    tick(camera, target, (8.0, 0.0, 0.0)[:n])
    drawn = drawn_position_of(camera, 0.25).tolist()
    position = np.array(camera.position).tolist()
    target.removed = True
    assert drawn_position_of(camera, 0.25).tolist() == drawn
    tick(camera)
    assert drawn_position_of(camera, 0.25).tolist() == position


def test_follow_is_the_short_form_of_the_controller():
    camera = new_camera(2)
    target = Walker((3.0, 4.0))
    follow = camera.follow(target, offset=(1, 2), smoothing=0.5)
    assert camera.controller is follow
    assert (follow.target, follow.offset.tolist(), follow.smoothing) == (target, [1, 2], 0.5)
    assert camera.follow(None) is None
    assert camera.controller is None


def test_a_camera_without_motion_needs_no_ticks():
    camera = new_camera(2)
    target = Walker((0.0, 0.0))
    tick(camera)
    assert not is_moving(camera)
    for move in (
        lambda: setattr(camera, "x", 3),
        camera.teleport,
        lambda: setattr(camera, "position", (1, 2)),
    ):
        move()
        assert is_moving(camera)
        tick(camera)
        tick(camera)
        assert not is_moving(camera)
    camera.follow(target)
    for _ in range(3):
        tick(camera)
        assert is_moving(camera)
    camera.follow(None)
    tick(camera)
    tick(camera)
    assert not is_moving(camera)


@pytest.mark.parametrize("n", [2, 3])
def test_a_written_camera_is_drawn_there_at_once_while_no_ticks_run(n):
    camera = new_camera(n)
    tick(camera)
    camera.position = (8.0, 1.0, 0.0)[:n]
    notice_writes(camera)
    assert drawn_position_of(camera, 0.25).tolist() == [8.0, 1.0, 0.0][:n]
    if n == 3:
        orbit = fw.Orbit(camera, distance=8, pitch=0)
        tick(camera)
        orbit.turn(math.pi / 2, 0)
        notice_writes(camera)
        assert drawn_position_of(camera, 0.25) == pytest.approx((8, 0, 0), abs=1e-5)


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("offset", (math.nan, 0), ValueError),
        ("offset", (1, 2, 3), ValueError),
        ("offset", "x", TypeError),
        ("smoothing", 1, ValueError),
        ("smoothing", "x", TypeError),
        ("dead_zone", -1, ValueError),
        ("dead_zone", (1, 2, 3), ValueError),
        ("dead_zone", "x", TypeError),
        ("look_ahead", math.inf, ValueError),
        ("look_ahead_smoothing", -0.1, ValueError),
        ("bounds", (0, 0, 1), ValueError),
        ("bounds", 3, TypeError),
        ("bounds", (5, 0, 1, 9), ValueError),
    ],
)
def test_invalid_options_are_errors_with_their_name_and_change_nothing(name, value, error):
    camera = new_camera(2)
    with pytest.raises(error, match=rf"^{name}: "):
        fw.Follow(camera, Walker((0.0, 0.0)), **{name: value})
    assert camera.controller is None
    follow = fw.Follow(camera, Walker((0.0, 0.0)))
    before = getattr(follow, name)
    with pytest.raises(error, match=rf"^{name}: "):
        setattr(follow, name, value)
    assert np.array_equal(getattr(follow, name), before)


def test_a_target_for_turning_needs_a_rotation_also_when_it_is_replaced():
    class Turned(Walker):
        def drawn_rotation(self, alpha: float) -> tuple[float, ...]:
            return 0.0, 0.0, 0.0, 1.0

    walker = Turned((0.0, 0.0, 0.0))
    follow = fw.Follow(new_camera(3), walker, turning=True)
    with pytest.raises(TypeError, match=r"^target: .* has no drawn_rotation"):
        follow.target = Walker((0.0, 0.0, 0.0))
    assert follow.target is walker
    follow.turning = False
    with pytest.raises(ValueError, match=r"^rolling: a camera that does not turn"):
        follow.rolling = True
    with pytest.raises(ValueError, match=r"^rolling: a camera that does not turn"):
        fw.Follow(new_camera(3), walker, rolling=True)


def test_turning_needs_a_3d_camera_and_a_rotation():
    with pytest.raises(ValueError, match=r"^turning: only a camera in space"):
        fw.Follow(new_camera(2), Walker((0.0, 0.0)), turning=True)
    with pytest.raises(ValueError, match=r"^turning: only a camera in space"):
        fw.Follow(new_camera(2), Walker((0.0, 0.0))).turning = True
    with pytest.raises(TypeError, match=r"^target: .* has no drawn_rotation"):
        fw.Follow(new_camera(3), Walker((0.0, 0.0, 0.0))).turning = True
    with pytest.raises(TypeError, match=r"^camera: expected a Camera2D or a Camera3D"):
        fw.Follow(None, Walker((0.0, 0.0)))
    with pytest.raises(AttributeError, match="did you mean 'smoothing'"):
        fw.Follow(new_camera(2), Walker((0.0, 0.0))).smoothin = 0.5


def test_a_sprite_moves_on_the_screen_in_its_dead_zone_and_pushes_the_camera_at_the_edge(
    make: Make,
):
    class Push(fw.Game):
        def setup(self) -> None:
            self.ball = self.add(fw.SpriteBatch(blob())).add(position=(100, 50))
            self.follow = fw.Follow(
                self.camera, self.ball, dead_zone=(40, 20), bounds=(0, 0, 1000, 100)
            )

        def update(self, dt: float) -> None:
            self.ball.x += 7.3

    game = make(Push, tick_rate=10)
    game.advance(0.1)
    for _ in range(12):
        alpha = game.advance(0.037)
        x, _ = game.ball.drawn_position(alpha)
        drawn_x, _ = centroid(game.pixels())
        assert drawn_x == pytest.approx(min(100 + x - 100, 120), abs=0.05)


# -- targets with positions that are not finite ----------------------------------------------------


@pytest.mark.parametrize("invalid", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"smoothing": 0.8},
        {"dead_zone": 4.0},
        {"look_ahead": 5.0},
        {"smoothing": 0.5, "look_ahead": 5.0},
        {"glide": True, "bounds": (-1e4, -1e4, 1e4, 1e4)},
    ],
)
def test_a_target_without_a_finite_position_keeps_its_last_position(
    dimensions: int, invalid: float, options: dict[str, Any]
) -> None:
    if "bounds" in options and dimensions == 3:
        options = options | {"bounds": (-1e4, -1e4, -1e4, 1e4, 1e4, 1e4)}
    target = Walker((50.0,) * dimensions)
    eye = new_camera(dimensions)
    follow = fw.Follow(eye, target, **options)
    for _ in range(30):
        tick(eye, target, (50.0,) * dimensions)
    before = drawn_position_of(eye, 1.0)
    bad = (invalid, *[50.0] * (dimensions - 1))
    with pytest.warns(
        RuntimeWarning, match="target: its drawn position is .* stays at the last valid position"
    ):
        tick(eye, target, bad)
    # the warning appears only once: a second one would be an error here
    for at in (bad, (50.0,) * dimensions):
        for alpha in (0.0, 0.5, 1.0):
            np.testing.assert_allclose(drawn_position_of(eye, alpha), before, atol=1e-3)
        tick(eye, target, at)
    for _ in range(140):
        tick(eye, target, (80.0,) * dimensions)
    want = 80.0 + np.array(follow.offset) - ([2.0] * dimensions if "dead_zone" in options else 0)
    np.testing.assert_allclose(drawn_position_of(eye, 1.0), want, atol=1e-3)


@pytest.mark.parametrize("far", [MAX_MAGNITUDE, -MAX_MAGNITUDE])
def test_a_target_at_the_largest_allowed_distance_is_followed(far: float) -> None:
    for dimensions in (2, 3):
        target = Walker((far,) * dimensions)
        eye = new_camera(dimensions)
        fw.Follow(eye, target)
        assert drawn_position_of(eye, 1.0) == pytest.approx((far,) * dimensions)


@pytest.mark.parametrize("invalid", [math.nan, -math.inf, 1e30])
def test_a_camera_may_follow_a_target_that_has_no_finite_position_yet(invalid: float) -> None:
    for dimensions in (2, 3):
        target = Walker((invalid,) * dimensions)
        eye = new_camera(dimensions)
        before = drawn_position_of(eye, 1.0)
        with pytest.warns(RuntimeWarning, match="target: its drawn position is"):
            fw.Follow(eye, target)
        np.testing.assert_array_equal(drawn_position_of(eye, 1.0), before)
        for _ in range(2):
            tick(eye, target, (7.0,) * dimensions)
        np.testing.assert_array_equal(
            drawn_position_of(eye, 1.0), 7.0 + np.array(eye.controller.offset)
        )


@pytest.mark.parametrize("dimensions", [2, 3])
def test_a_moving_target_that_becomes_invalid_at_once_keeps_its_drawn_position(
    dimensions: int,
) -> None:
    target = Walker((40.0,) * dimensions)
    eye = new_camera(dimensions)
    target.go((50.0,) * dimensions)
    follow = fw.Follow(eye, target, glide=True)
    with pytest.warns(RuntimeWarning, match="the camera stays at the last valid position"):
        tick(eye, target, (math.nan,) * dimensions)
    np.testing.assert_allclose(drawn_position_of(eye, 1.0), 50.0 + np.array(follow.offset))


def test_a_camera_in_space_is_above_and_behind_its_target_by_default() -> None:
    target = Walker((1.0, 2.0, 3.0))
    eye = new_camera(3)
    follow = fw.Follow(eye, target)
    assert tuple(follow.offset) == (0, 3, 8)
    assert tuple(drawn_position_of(eye, 1.0)) == (1, 5, 11)
    assert tuple(fw.Follow(new_camera(2), Walker((1.0, 2.0))).offset) == (0, 0)


def test_a_target_with_rotation_nan_keeps_its_last_axes() -> None:
    class Turning(Walker):
        rotation = 0.0, 0.0, 0.0, 1.0

        def drawn_rotation(self, alpha: float) -> tuple[float, ...]:
            return self.rotation

    target = Turning((0.0, 0.0, 0.0))
    eye = new_camera(3)
    fw.Follow(eye, target, turning=True, rolling=True)
    tick(eye, target, (1.0, 0.0, 0.0))
    before = eye.pose(1.0)
    for target.rotation in ((math.nan,) * 4, (0.0, math.nan, 0.0, 1.0)):
        tick(eye, target, (1.0, 0.0, 0.0))
    for before_tick, now in zip(before, eye.pose(1.0), strict=True):
        np.testing.assert_array_equal(before_tick, now)


class NanSprite(fw.Game):
    """A sprite that the camera follows, and that is at NaN in one tick if ``invalid`` is True."""

    invalid = False

    def setup(self) -> None:
        self.sprite = self.sprites.add(np.full((4, 4, 4), 255, np.uint8), position=(50, 50))
        self.camera.follow(self.sprite, smoothing=0.8)

    def update(self, dt: float) -> None:
        self.sprite.x = math.nan if self.invalid and self.tick == 5 else 50.0
        self.sprite.teleport()


@pytest.mark.filterwarnings("ignore:.*NaN|target:RuntimeWarning")
def test_one_tick_at_nan_does_not_change_later_images(make: Make) -> None:
    images = []
    for invalid in (False, True):
        game = make(type("Case", (NanSprite,), {"invalid": invalid}))
        game.run(60)
        images.append(game.pixels())
    assert images[0][..., :3].any()
    np.testing.assert_array_equal(*images)


@pytest.mark.parametrize("dimensions", [2, 3])
def test_a_target_removed_between_two_ticks_ends_the_motion_of_the_camera(
    dimensions: int,
) -> None:
    """The camera moves between the last two positions until the next tick, and then stays at the
    last.
    """
    target = Walker((0.0,) * dimensions)
    camera = new_camera(dimensions)
    follow = fw.Follow(camera, target)
    for step in (10.0, 20.0):
        tick(camera, target, (step,) * dimensions)
    target.removed = True
    assert [follow._place(alpha)[0] for alpha in (0.0, 0.5, 1.0)] == [10, 15, 20]
    tick(camera)
    assert [follow._place(alpha)[0] for alpha in (0.0, 0.5, 1.0)] == [20, 20, 20]


@pytest.mark.parametrize("offset", [(9, 0, 0), (-9, 0, 0), (0, 0, 9), (5, 3, -7)])
def test_a_3d_view_stays_upright_from_every_direction(
    offset: tuple[float, ...],
) -> None:
    target = Walker((0.0, 0.0, 0.0))
    camera = new_camera(3)
    fw.Follow(camera, target, offset=offset)
    tick(camera, target, (0.0, 0.0, 0.0))
    right = camera.view_matrix(1.0)[:3, 0]  # the camera's right axis, in the world
    assert right[1] == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("dimensions", [2, 3])
def test_a_frame_before_the_first_tick_changes_nothing(dimensions: int) -> None:
    class Followed(fw.Game):
        def setup(self) -> None:
            self.follower = self.camera if dimensions == 2 else self.world.camera
            hero: Any = (
                self.sprites.add(np.full((4, 4, 4), 255, np.uint8))
                if dimensions == 2
                else self.add(fw.MeshBatch(fw.Mesh.cube(), 1))[0]
            )
            fw.Follow(self.follower, hero, smoothing=0.9)
            hero.position = (700, 300, 5)[:dimensions]
            hero.teleport()

    positions = []
    for frame_time in (1 / 60, 1 / 144):
        with Followed(headless=True, size=(32, 24)) as game:
            while not game.tick:
                game.advance(frame_time)
            positions.append(tuple(game.follower.position))
    assert positions[0] == positions[1]
    assert positions[0][0] == 700
