"""The motions of sprites between two ticks: the shader agrees with NumPy and the expected path."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import moderngl
import numpy as np
import pytest
from drawings import drawing
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pictures import blob, centroid
from ticking import tick

import framework as fw
from framework.gpu import shaders
from framework.gpu.graphics import FRAME_BINDING
from framework.motion.camera_base import frame_block_of
from framework.plane.sprite_drawing import _IMAGE_UNIT, _REGIONS_UNIT, bind_names
from framework.state.interpolation import Predictions
from framework.state.rows import table_of

Make = Callable[..., Any]
DT = 1 / 60


def moving(motion: Any, count: int = 1) -> fw.Transforms2D:
    transforms = fw.Transforms2D(motion)
    transforms.extend(count)
    return transforms


class Flight(fw.Game):
    """A ball that flies to the right."""

    def __init__(self, motion: str, speed: float, **options: Any) -> None:
        self.motion = motion
        self.speed = speed
        super().__init__(**options)

    def setup(self) -> None:
        self.ball = self.add(fw.SpriteBatch(blob(), motion=self.motion)).add(position=(20, 50))

    def update(self, dt: float) -> None:
        self.ball.x += self.speed * dt
        if self.motion in ("hermite", "extrapolate"):
            self.ball.velocity = self.speed, 0


# -- the shader ------------------------------------------------------------------------------------


def shader_corners(game: fw.Game, batch: fw.SpriteBatch, alpha: float) -> Any:
    """Return the corners of every row as shaders/sprites.vert computes them, in units: float32 (n,
    4, 2)."""
    gpu = drawing(batch)
    ctx = game.picture.ctx
    n = len(batch)
    drawing(batch).hand_over()
    original_program = gpu.program
    gpu.program = shaders.program(
        ctx, "sprites.vert", defines=drawing(batch).defines, varyings=("gl_Position",)
    )
    bind_names(gpu.program)
    frame = ctx.buffer(frame_block_of(game.camera)(alpha, 0.0))
    frame.bind_to_uniform_block(FRAME_BINDING)
    gpu.atlas.flush()
    gpu.atlas.texture.use(_IMAGE_UNIT)
    gpu.atlas.table.use(_REGIONS_UNIT)
    if table_of(batch.transforms).timed:
        gpu.program["motion"] = table_of(batch.transforms).motion_uniform
    array = gpu.handover.array(gpu.program, gpu._array_parts)
    out = ctx.buffer(reserve=16 * 4 * n)
    array.transform(out, moderngl.POINTS, vertices=4, instances=n)
    clip = np.frombuffer(out.read(), np.float32).reshape(n, 4, 4)
    for resource in (array, gpu.program, frame, out):
        resource.release()
    gpu.program = original_program
    return (clip[:, :, :2] + 1) * np.array(game.size, np.float32) / 2


def our_corners(batch: fw.SpriteBatch, alpha: float) -> Any:
    width, height = batch.images.size(0)
    corner = np.array(
        [[x, y] for y in (-height / 2, height / 2) for x in (-width / 2, width / 2)], np.float32
    )
    local = np.column_stack([corner, np.zeros(4), np.ones(4)]).astype(np.float32)
    return (local @ batch.transforms.model_matrices(alpha))[:, :, :2]


@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(seed=st.integers(0, 2**32 - 1), alpha=st.floats(0, 1, exclude_max=True, width=32))
@pytest.mark.parametrize("motion", fw.MOTIONS)
def test_the_sprite_shader_agrees_with_model_matrices(
    make: Make, motion: str, seed: int, alpha: float
) -> None:
    random = np.random.default_rng(seed)
    n = 60
    game = make(fw.Game)
    batch = game.add(fw.SpriteBatch(blob(), count=n, motion=motion, smooth_edges=False))
    for _ in range(int(random.integers(1, 6))):
        table_of(batch).begin_tick(DT)
        rows = random.random(n) < 0.6
        batch.position[rows] = random.uniform(-300, 300, (rows.sum(), 2))
        batch.angle[rows] += random.uniform(-1, 1, rows.sum())
        batch.scale[rows] = random.uniform(0.2, 3, (rows.sum(), 2))
        if motion in ("hermite", "extrapolate"):
            batch.velocity[rows] = random.uniform(-900, 900, (rows.sum(), 2))
        if motion == "extrapolate":
            batch.angular_velocity[rows] = random.uniform(-9, 9, rows.sum())
        batch.teleport(random.random(n) < 0.1)
        table_of(batch).end_tick()
    by_shader = shader_corners(game, batch, alpha)
    by_numpy = our_corners(batch, alpha)
    assert np.abs(by_shader - by_numpy).max() <= 2e-3  # in pixels, in a world of 600 pixels


@pytest.mark.parametrize("motion", fw.MOTIONS)
def test_a_sprite_is_drawn_at_its_drawn_position(make: Make, motion: str) -> None:
    game = make(Flight, motion=motion, speed=300, tick_rate=20)
    for _ in range(9):
        alpha = game.advance(0.021)
        assert centroid(game.pixels()) == pytest.approx(game.ball.drawn_position(alpha), abs=0.03)


# -- interpolate and none --------------------------------------------------------------------------


def test_interpolation_is_the_default() -> None:
    assert fw.SpriteBatch().transforms.motion == "interpolate"


def test_motion_none_draws_the_current_state() -> None:
    transforms = moving("none")
    tick(transforms, position=(0.1, 0.2))
    tick(transforms, position=(12345.678, -1), angle=3.0, scale=2.0)
    for alpha in (0.0, 0.3, 0.999):
        position, angle, scale = transforms.pose(alpha)
        assert position.tolist() == np.float32([[12345.678, -1]]).tolist()
        assert (angle.tolist(), scale.tolist()) == ([3.0], [[2.0, 2.0]])


# -- hermite ---------------------------------------------------------------------------------------


def test_hermite_is_exact_for_constant_acceleration() -> None:
    """A cubic curve contains every parabola, so a thrown ball is drawn on its true path at ten
    ticks a second too."""
    transforms = moving("hermite")
    dt = 0.1
    pull = np.array([30.0, -600.0])
    start = np.array([10.0, 500.0])
    speed = np.array([400.0, 900.0])
    for number in range(12):
        t = number * dt
        tick(
            transforms, dt, position=start + speed * t + pull * t * t / 2, velocity=speed + pull * t
        )
        if number < 2:
            continue
        for alpha in (0.0, 0.2, 0.5, 0.9):
            drawn = t - dt + alpha * dt
            true = start + speed * drawn + pull * drawn**2 / 2
            assert transforms.pose(alpha)[0][0] == pytest.approx(true, abs=1e-3)


def test_hermite_draws_a_fast_circle_that_interpolate_flattens() -> None:
    """Twelve ticks per turn at radius 100: straight lines are up to 100 (1 - cos 15°) = 3.4 px
    inside the circle, the curve 0.02 px."""
    worst = {}
    for motion in ("interpolate", "hermite"):
        transforms = moving(motion)
        errors = []
        for number in range(13):
            angle = number * math.tau / 12
            columns = {"position": (100 * math.cos(angle), 100 * math.sin(angle))}
            if motion == "hermite":
                speed = 100 * math.tau / 12 / DT
                columns["velocity"] = (-speed * math.sin(angle), speed * math.cos(angle))
            tick(transforms, DT, **columns)
            if number > 1:
                errors += [
                    abs(100 - np.linalg.norm(transforms.pose(alpha)[0][0]))
                    for alpha in np.linspace(0, 0.99, 9)
                ]
        worst[motion] = max(errors)
    assert worst["interpolate"] == pytest.approx(3.41, abs=0.02)
    assert worst["hermite"] < 0.03


def test_hermite_ignores_the_velocity_of_resting_and_teleported_rows() -> None:
    transforms = moving("hermite")
    tick(transforms, position=(50, 60), velocity=(1000, 0))
    tick(transforms)  # a wall stopped the sprite, but its velocity was not cleared
    for alpha in (0.0, 0.4, 0.8):
        assert transforms.pose(alpha)[0].tolist() == [[50.0, 60.0]]
    tick(transforms, position=(500, 60), jump=True)
    assert transforms.pose(0.4)[0].tolist() == [[500.0, 60.0]]


# -- extrapolate -----------------------------------------------------------------------------------


def move_to(
    transforms: fw.Transforms2D,
    position: Any,
    velocity: Any,
    angle: float = 0.0,
    angular_velocity: float = 0.0,
) -> None:
    tick(
        transforms,
        position=position,
        velocity=velocity,
        angle=angle,
        angular_velocity=angular_velocity,
    )


def test_extrapolate_draws_ahead_by_velocity_and_angular_velocity() -> None:
    transforms = moving("extrapolate")
    tick(
        transforms, position=(10, 20), velocity=(600, -60), angle=0.5, angular_velocity=3, jump=True
    )
    for ticks in range(5):
        for alpha in (0.0, 0.5, 0.9):
            age = (ticks + alpha) * DT
            position, angle, _ = transforms.pose(alpha)
            assert position[0] == pytest.approx((10 + 600 * age, 20 - 60 * age), abs=1e-3)
            assert angle[0] == pytest.approx(0.5 + 3 * age, abs=1e-5)
        tick(transforms)


@pytest.mark.parametrize(
    ("motion", "stops"), [(fw.Extrapolation(limit=0.2), 120.0), ("extrapolate", 150.0)]
)
def test_a_row_without_new_states_stops_at_the_limit(motion: Any, stops: float) -> None:
    transforms = moving(motion)
    move_to(transforms, (0, 0), (600, 0))
    for _ in range(60):
        tick(transforms)
    assert transforms.pose(0.5)[0][0].tolist() == pytest.approx([stops, 0.0], abs=1e-3)


def test_a_new_state_is_blended_in_over_the_blend_duration() -> None:
    transforms = moving(fw.Extrapolation(limit=1.0, blend_duration=0.1))
    move_to(transforms, (0, 0), (600, 0), angle=3.0, angular_velocity=0)
    for _ in range(11):
        tick(transforms)
    before, angle_before, _ = transforms.pose(1 - 1e-7)
    move_to(transforms, (130, 40), (300, 0), angle=-3.0)  # the prediction was (120, 0) and 3.0 rad
    after, angle_after, _ = transforms.pose(0.0)
    assert after[0] == pytest.approx(before[0], abs=1e-3)
    assert math.remainder(float(angle_after[0] - angle_before[0]), math.tau) == pytest.approx(
        0, abs=1e-5
    )
    angles = [float(angle_after[0])]
    for ticks in range(1, 7):
        tick(transforms)
        angles.append(float(transforms.pose(0.0)[1][0]))
        if ticks == 3:  # after half of the blend duration an eighth of the error is left
            assert transforms.pose(0.0)[0][0] == pytest.approx(
                (130 + 15 - 10 / 8, 40 - 40 / 8), abs=0.01
            )
    assert transforms.pose(0.0)[0][0] == pytest.approx((130 + 300 * 0.1, 40), abs=1e-3)
    assert math.remainder(angles[-1] + 3.0, math.tau) == pytest.approx(0, abs=1e-4)
    assert max(abs(np.diff(angles))) < 0.2  # the rotation goes the short way, across half a turn


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    chance=st.sampled_from([0.05, 0.3, 1.0]),
    motion=st.builds(fw.Extrapolation, st.floats(0.01, 1), st.floats(0.01, 1)),
)
def test_drawn_poses_never_jump_when_states_arrive(
    seed: int, chance: float, motion: fw.Extrapolation
) -> None:
    random = np.random.default_rng(seed)
    n = 8
    transforms = moving(motion, n)
    tick(transforms)
    for _ in range(40):
        position, angle, _ = transforms.pose(1.0)
        dt = float(random.choice([DT, DT / 3, 0.05]))
        rows = random.random(n) < chance
        transforms.begin_tick(dt)
        transforms.position[rows] = random.uniform(-500, 500, (rows.sum(), 2))
        transforms.angle[rows] = random.uniform(-9, 9, rows.sum())
        transforms.velocity[rows] = random.uniform(-500, 500, (rows.sum(), 2))
        transforms.angular_velocity[rows] = random.uniform(-5, 5, rows.sum())
        transforms.end_tick()
        now, angle_now, _ = transforms.pose(0.0)
        assert (
            np.abs(now - position).max() <= 2e-2
        )  # after 64 seconds, the clock's float32 has steps of 8 µs, and sprites move at 500 px/s
        assert np.abs(np.remainder(angle_now - angle + math.pi, math.tau) - math.pi).max() <= 1e-3


def test_predictions_stay_exact_in_a_long_game() -> None:
    transforms = moving(fw.Extrapolation(limit=10.0))
    for _ in range(200):
        tick(transforms, dt=1.7)
    move_to(transforms, (0, 0), (600, 0))
    for _ in range(30):
        tick(transforms)
    for _ in range(30):  # the error of the first prediction fades
        tick(transforms)
    assert transforms.pose(0.0)[0][0].tolist() == pytest.approx([600.0, 0.0], abs=0.02)


def test_a_state_written_between_ticks_arrives_in_the_next_tick() -> None:
    transforms = moving("extrapolate")
    move_to(transforms, (0, 0), (0, 0))
    transforms.position[:] = 100, 0  # as in a callback of the network
    assert transforms.pose(0.5)[0].tolist() == [[0.0, 0.0]]
    tick(transforms)
    assert transforms.pose(0.0)[0].tolist() == [[0.0, 0.0]]
    for _ in range(7):
        tick(transforms)
    assert transforms.pose(0.0)[0].tolist() == [[100.0, 0.0]]


def test_a_new_or_teleported_row_is_drawn_in_place_at_once() -> None:
    transforms = moving("extrapolate", 0)
    transforms.begin_tick(DT)
    transforms.extend(1)
    transforms.position[:] = 7, 8
    transforms.end_tick()
    assert transforms.pose(0.0)[0].tolist() == [[7.0, 8.0]]
    tick(transforms, position=(70, 8), velocity=(60, 0), jump=True)
    assert transforms.pose(0.0)[0].tolist() == [[70.0, 8.0]]
    assert transforms.pose(0.5)[0][0] == pytest.approx((70.5, 8), abs=1e-4)


def test_a_row_is_drawn_again_after_a_nan_position() -> None:
    transforms = moving("extrapolate")
    tick(transforms, position=(math.nan, 0))
    tick(transforms, position=(5, 5))
    assert np.isfinite(transforms.pose(0.5)[0]).all()


def test_rows_keep_their_predictions_when_other_rows_are_removed(make: Make) -> None:
    game = make(fw.Game)
    batch = game.add(fw.SpriteBatch(blob(), count=5, motion="extrapolate"))
    batch.position[:, 0] = np.arange(5) * 10
    batch.velocity[:, 1] = np.arange(5) * 60
    table_of(batch).begin_tick(DT)
    table_of(batch).end_tick()
    batch.remove([0, 2])
    for _ in range(3):
        table_of(batch).begin_tick(DT)
        table_of(batch).end_tick()
    assert np.allclose(batch.transforms.pose(0.0)[0], [[10, 3], [30, 9], [40, 12]], atol=1e-3)
    assert np.allclose(shader_corners(game, batch, 0.0).mean(axis=1)[:, 0], [10, 30, 40], atol=1e-2)


def test_without_new_states_nothing_is_uploaded(make: Make) -> None:
    class Silent(fw.Game):
        def setup(self) -> None:
            self.batch = self.add(fw.SpriteBatch(blob(), count=100, motion="extrapolate"))
            self.batch.velocity = 60, 0

        def update(self, dt: float) -> None: ...

    game = make(Silent)
    game.advance(DT)
    game.advance(DT)
    before = drawing(game.batch).uploaded_bytes
    for _ in range(10):
        game.advance(DT)
    assert drawing(game.batch).uploaded_bytes == before
    assert game.batch.transforms.pose(0.0)[0][0, 0] > 5  # the sprites move without an upload


@pytest.mark.parametrize("motion", ["hermite", "extrapolate"])
def test_nothing_moves_in_a_scene_paused_by_another_scene(make: Make, motion: str) -> None:
    game = make(Flight, motion=motion, speed=600)
    for _ in range(5):
        game.advance(DT)
    before = game.ball.drawn_position(1.0)
    game.push(fw.Scene())
    for _ in range(7):
        alpha = game.advance(DT * 0.9)
        if game.tick > 5:  # after the push, the last tick of the scene is drawn to its end
            assert game.ball.drawn_position(alpha)[0] == pytest.approx(before[0], abs=1e-3)
    assert game.tick > 10


def test_a_sprite_moved_in_a_paused_game_is_drawn_at_its_new_position(make: Make) -> None:
    game = make(fw.Game)
    batch = game.add(fw.SpriteBatch(blob(), motion="extrapolate"))
    ball = batch.add(position=(20, 20))
    game.advance(0.05)
    game.timestep.paused = True
    game.advance(0.05)
    ball.position = 150, 60
    game.advance(0.05)
    assert centroid(game.pixels()) == pytest.approx((150, 60), abs=0.05)


# -- bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize("motion", ["linear", "", None, 3])
def test_an_unknown_motion_is_an_error_that_lists_all_motions(motion: Any) -> None:
    error = ValueError if isinstance(motion, str) else TypeError
    with pytest.raises(
        error, match=r"motion: expected one of 'interpolate', 'hermite', 'extrapolate', 'none'"
    ):
        fw.SpriteBatch(motion=motion)


@pytest.mark.parametrize("name", ["limit", "blend_duration"])
@pytest.mark.parametrize("value", [0, -1, math.nan, math.inf])
def test_limits_of_an_extrapolation_are_above_0(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=name):
        fw.Extrapolation(**{name: value})


def test_the_error_of_a_missing_velocity_names_the_motions_that_have_it() -> None:
    batch = fw.SpriteBatch(blob(), count=1)
    with pytest.raises(
        AttributeError, match=r"velocity: the batch has no such column; .*'hermite'"
    ):
        batch.velocity[:] = 1
    with pytest.raises(AttributeError, match=r"angular_velocity: .* motion='extrapolate'"):
        batch.angular_velocity = 1.0
    with pytest.raises(TypeError, match="velocity: not a column"):
        batch.extend(1, velocity=(1, 2))
    with pytest.raises(AttributeError, match="velocity"):
        batch.add(velocity=(1, 2))
    assert len(batch) == 1


def test_velocity_and_angular_velocity_are_columns() -> None:
    batch = fw.SpriteBatch(blob(), count=2, motion="extrapolate")
    batch.extend(2, velocity=(3, 4), angular_velocity=[1, 2])
    sprite = batch.add(velocity=(5, 6), angular_velocity=7)
    assert batch.velocity.tolist() == [[0, 0], [0, 0], [3, 4], [3, 4], [5, 6]]
    assert batch.angular_velocity.tolist() == [0, 0, 1, 2, 7]
    sprite.velocity = (8, 9)
    sprite.angular_velocity = 10
    assert (sprite.velocity, sprite.angular_velocity) == ((8.0, 9.0), 10.0)
    with pytest.raises(TypeError, match="state: not a column"):
        batch.extend(1, state=0)


def test_the_age_of_states_survives_a_restart_of_the_clock() -> None:
    """The clock restarts after 64 seconds. The age of a state stays correct to the precision of
    float32."""
    predictions = Predictions(fw.Extrapolation(limit=1e6), 1, 1)
    predictions.column.reserve(2, 0)
    predictions.column.spawn(0, 2)
    arrived = {0: 0.5, 1: 60.0}
    for half_seconds in range(1, 400):
        predictions.begin_tick(0.5, 2)
        for row, moment in arrived.items():
            if half_seconds == 2 * moment + 1:
                predictions.snap(np.array([row]), np.zeros((1, 1), np.float32))
        seconds = (half_seconds - 1) * 0.5
        assert predictions.clock <= 64
        age, _ = predictions.reach_and_fade(0.0, predictions.column.current(2))
        for row, moment in arrived.items():
            if seconds >= moment:
                assert age[row] == pytest.approx(seconds - moment, abs=1e-4)
