"""Particles in the plane: motion in the shader and on the CPU, births, uploads and snapshots."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import moderngl
import numpy as np
import pytest
from drawings import driven
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pictures import blob, solid

import framework as fw
from framework.gpu import shaders
from framework.gpu.graphics import FRAME_BINDING
from framework.motion.camera_base import frame_block_of
from framework.particles import emitters
from framework.particles.particle_buffer import ParticleBuffer
from framework.particles.particle_drawing import defines_of
from framework.particles.particle_system import simulation_of
from framework.particles.spawn_options import SpawnOptions
from framework.plane.sprite_drawing import bind_names

Make = Callable[..., Any]
LIVELY: dict[str, Any] = {
    "lifetime": (0.5, 2.0),
    "speed": (20, 160),
    "spread": 1.0,
    "direction": 0.7,
    "velocity": (12, -9),
    "gravity": (3, -80),
    "noise": (9, 0.8),
    "size": fw.Curve(4, 18, 2),
    "color": fw.Curve("#fc8a", "#08f2"),
    "tint": ["#fff", "#f80"],
    "scale": (0.5, 1.5),
    "angle": (-2, 2),
    "angular_velocity": (-5, 5),
    "emission_size": (30, 10),
}


def run_ticks_of(particles: Any, times: int, dt: float = 1 / 60) -> None:
    for _ in range(times):
        simulation_of(particles).begin_tick(dt)
        simulation_of(particles).end_tick()


# -- the shader and the CPU ------------------------------------------------------------------------


def shader_sprites(game: fw.Game, particles: fw.Particles, alpha: float) -> tuple[Any, Any]:
    """Return the corners of all drawn particles as shaders/particles.vert computes them, (n, 4, 2)
    in units, and their colors."""
    ctx = game.picture.ctx
    backend = driven(particles)
    program = shaders.program(
        ctx,
        "particles.vert",
        defines=defines_of(particles._look, particles._flight.align),
        varyings=("gl_Position", "v_color"),
    )
    bind_names(program)
    frame = ctx.buffer(frame_block_of(game.camera)(alpha, 0.0))
    frame.bind_to_uniform_block(FRAME_BINDING)
    backend._atlas.flush()
    backend._atlas.texture.use(0)
    backend._atlas.table.use(1)
    log = ParticleBuffer(ctx, program, particles._flight, simulation_of(particles).births)
    log.upload()
    log.draw(1)  # draw() sets the uniforms
    n = log._sent - log._first
    out = ctx.buffer(reserve=32 * 4 * n)
    log._array.transform(out, moderngl.POINTS, vertices=4, instances=n)
    output = np.frombuffer(out.read(), np.float32).reshape(n, 4, 8)
    for resource in (log, program, frame, out):
        resource.release()
    return (output[..., :2] + 1) * np.array(game.size, np.float32) / 2, output[:, 0, 4:]


@settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    seed=st.integers(0, 2**20),
    alpha=st.floats(0, 1, exclude_max=True, width=32),
    damping=st.sampled_from([0.0, 0.01, 0.4, 3.0]),
    align=st.booleans(),
)
def test_the_shader_agrees_with_pose(
    make: Make, seed: int, alpha: float, damping: float, align: bool
) -> None:
    game = make(fw.Game)
    particles = game.add(
        fw.Particles(
            solid(8, 8), 400, **LIVELY, damping=damping, align=align, seed=seed, filter="nearest"
        )
    )
    particles.emitter((60, 40), 120)
    run_ticks_of(particles, 50)
    particles.emit(40, (100, 50))
    corners, colors = shader_sprites(game, particles, alpha)
    visible = (
        np.abs(corners - 1.5 * np.array(game.size)).max(axis=(1, 2)) > 1e-3
    )  # the shader places invisible particles there
    corners = corners[visible]
    colors = colors[visible]
    positions, size, angle, color = particles.pose(alpha)
    assert len(positions) == len(corners) > 60
    nudge = 1 / 64  # of a pixel: see sprite_corner.glsl
    assert np.abs(corners.mean(axis=1) - nudge - positions).max() < 3e-3
    right = (corners[:, 1] + corners[:, 3] - corners[:, 0] - corners[:, 2]) / 2
    assert (
        np.abs(right - size[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])).max() < 5e-3
    )
    assert np.abs(colors - color).max() < 1e-4


def test_the_path_of_a_particle_solves_its_equation_of_motion() -> None:
    particles = fw.Particles(lifetime=9, velocity=(100, 0), gravity=(0, -50), damping=1.5)
    particles.emit(position=(10, 20))
    steps = 20_000
    position = np.array([10.0, 20.0])
    velocity = np.array([100.0, 0.0])
    dt = 3.0 / steps
    for _ in range(steps):
        middle = velocity + (np.array([0, -50]) - 1.5 * velocity) * (dt / 2)
        velocity += (np.array([0, -50]) - 1.5 * middle) * dt
        position += middle * dt
    run_ticks_of(particles, 180)
    assert np.allclose(particles.pose(1.0)[0], position, atol=1e-2)


def test_very_small_damping_is_like_no_damping() -> None:
    paths = []
    for damping in (0.0, 1e-6, 1e-3):
        particles = fw.Particles(lifetime=9, velocity=(300, 100), gravity=(0, -50), damping=damping)
        particles.emit(1, (0, 0))
        run_ticks_of(particles, 120)
        paths.append(particles.pose(0.5)[0][0])
    assert np.allclose(paths[0], paths[1], atol=1e-2)
    assert np.allclose(paths[0], paths[2], atol=1)


# -- time ------------------------------------------------------------------------------------------


class Comet(fw.Game):
    """A sprite with a tail that moves 900 pixels per second, and rain with a prewarm."""

    def setup(self) -> None:
        self.tail = self.add(fw.Particles(blob(9, 2), 500, **LIVELY, damping=1.0, blend="add"))
        self.comet = self.sprites.add(blob(), position=(-40, 50))
        self.tail.emitter(self.comet, 300, inherit=0.2)
        self.rain = self.add(fw.Particles.rain(emission_size=(200, 20), lifetime=0.2))
        self.rain.emitter((100, 110), 90, prewarm=1)

    def update(self, dt: float) -> None:
        self.comet.x += 900 * dt
        self.comet.angle += 4 * dt
        if self.tick == 9:
            self.tail.emit(30, (100, 50), tint="#f00")


def test_the_pixels_are_the_same_at_30_60_and_240_frames_a_second(make: Make) -> None:
    pictures: list[list[bytes]] = []
    for rate in (30, 60, 240):
        game = make(Comet, tick_rate=40, frame_rate=rate)
        pictures.append([])
        for _ in range(10):
            game.run(rate // 30)
            pictures[-1].append(game.pixels().tobytes())
    assert pictures[0] == pictures[1] == pictures[2]
    assert len(set(pictures[0])) == 10


def test_a_fast_emitter_leaves_no_gap_wider_than_its_spacing(make: Make) -> None:
    game = make(fw.Game, tick_rate=60)
    ship = game.sprites.add(blob(), position=(0, 50))
    smoke = game.add(fw.Particles(blob(), lifetime=5))
    smoke.emitter(ship, 700)

    def update(dt: float) -> None:
        ship.x += 3000 * dt

    game.update = update
    game.run(21)
    positions = smoke.pose(1.0)[0]
    assert len(positions) == 700 * game.tick // 60
    assert np.abs(np.diff(positions[:, 0]) - 3000 / 700).max() < 2e-3
    assert positions[0, 0] == pytest.approx(3000 / 700, abs=1e-3)
    # Each particle was born when the sprite was drawn at its position.
    born = simulation_of(smoke).births.rows()["born"] / 2**20
    assert np.abs(positions[:, 0] - 3000 * born).max() < 0.01


def test_particles_are_drawn_from_their_birth_to_the_end_of_their_lifetime() -> None:
    particles = fw.Particles(lifetime=0.5)
    simulation_of(particles).begin_tick(0.1)
    particles.emit(2, (0, 0), delay=(0.0, 0.05))
    simulation_of(particles).end_tick()
    assert [len(particles.pose(alpha)[0]) for alpha in (0, 0.25, 0.49, 0.51, 1.0)] == [
        1,
        1,
        1,
        2,
        2,
    ]
    run_ticks_of(particles, 5, 0.1)
    assert [len(particles.pose(alpha)[0]) for alpha in (0.01, 0.49, 0.51)] == [1, 1, 0]
    assert len(particles) == 0


@pytest.mark.parametrize("stop", ["paused", "scene"])
def test_particles_stop_during_a_pause_and_continue_after_it(make: Make, stop: str) -> None:
    game = make(Comet, tick_rate=40, frame_rate=40)
    game.run(9)
    if stop == "paused":
        game.timestep.paused = True
    else:
        game.push(fw.Scene())
        game.run(1)
    before = game.pixels().tobytes()
    births = simulation_of(game.tail).births.count
    game.run(7)
    assert game.pixels().tobytes() == before
    assert simulation_of(game.tail).births.count == births
    game.timestep.paused = False
    if stop == "scene":
        game.pop()
    game.run(4)
    assert game.pixels().tobytes() != before


def test_particles_follow_the_time_scale_of_the_game(make: Make) -> None:
    game = make(Comet, tick_rate=40)
    game.timestep.time_scale = 0.25
    game.run(40)
    slow = simulation_of(game.tail).births.count
    second = make(Comet, tick_rate=40)
    second.run(10)
    assert slow == simulation_of(second.tail).births.count
    assert np.array_equal(game.pixels(), second.pixels())


def test_the_time_scale_of_particles_works_between_ticks_too(make: Make) -> None:
    game = make(fw.Game, tick_rate=10)
    particles = game.add(fw.Particles(lifetime=50, velocity=(10, 0)))
    particles.emitter((0, 0), 40)
    counts = []
    ages = []
    for scale in (1.0, 0.25, 0.0, 2.0):
        particles.time_scale = scale
        game.advance(0.1)
        counts.append(simulation_of(particles).births.count)
        ages.append([float(particles.pose(alpha)[0][0, 0]) for alpha in (0.5, 1.0)])
    assert counts == [4, 5, 5, 13]
    assert np.allclose(ages, [(0.25, 0.75), (0.875, 1.0), (1.0, 1.0), (2.0, 3.0)], atol=1e-5)


# -- uploads ---------------------------------------------------------------------------------------


def test_100000_particles_upload_only_new_births(make: Make) -> None:
    game = make(fw.Game, tick_rate=20)
    dust = game.add(
        fw.Particles(solid(2, 2), 120_000, lifetime=(100, 900), size=1, emission_size=(200, 100))
    )
    dust.emit(100_000, (100, 50))
    game.advance(0.05)
    row = simulation_of(dust).births.type.itemsize
    assert row == 56
    assert driven(dust).uploaded_bytes == 100_000 * row
    game.advance(0.02)
    assert game.tick == 1
    assert driven(dust).uploaded_bytes == 100_000 * row
    assert len(dust) == 100_000
    game.update = lambda dt: dust.emit(37, (9, 9))
    game.advance(0.04)
    assert game.tick == 2
    assert driven(dust).uploaded_bytes == 100_037 * row


def test_rows_of_dead_particles_are_not_drawn(make: Make) -> None:
    game = make(fw.Game, tick_rate=30, frame_rate=30)
    particles = game.add(fw.Particles(blob(9, 2), 300, **LIVELY))
    particles.emitter((100, 50), 150)
    for _ in range(6):
        game.run(40)
        before = game.pixels()
        simulation_of(particles).births.after_restore()  # uploads all rows again
        game.timestep.paused = True
        game.run(1)
        assert np.array_equal(game.pixels(), before)
        game.timestep.paused = False
        game.run(1)
    assert simulation_of(particles).births.count > 1000
    assert driven(particles).buffer._rows < 1300


def test_births_beyond_the_capacity_replace_the_oldest_particles(make: Make) -> None:
    game = make(fw.Game, tick_rate=30)
    particles = game.add(fw.Particles(solid(8, 8), 3, lifetime=90, size=8))
    for x in (10, 30, 50, 70):
        particles.emit(position=(x, 50))
    game.advance(0.04)
    assert particles.pose(0)[0][:, 0].tolist() == [30, 50, 70]
    row = game.pixels()[50, :, 0]
    assert [bool(row[x]) for x in (10, 30, 50, 70)] == [False, True, True, True]
    particles.emit(1000, [(x / 10, 20) for x in range(1000)])
    game.advance(0.04)
    assert np.allclose(particles.pose(0)[0], [(99.7, 20), (99.8, 20), (99.9, 20)])
    assert simulation_of(particles).births.count == 1004
    assert not game.pixels()[50, :, 0].any()
    assert len(particles) == particles.capacity == 3


# -- state -----------------------------------------------------------------------------------------


def test_a_seed_determines_all_particles() -> None:
    def positions(seed: int) -> Any:
        particles = fw.Particles(**LIVELY, seed=seed)
        particles.emit(50, (0, 0))
        run_ticks_of(particles, 20)
        return particles.pose(0.3)[0]

    assert np.array_equal(positions(1), positions(1))
    assert not np.array_equal(positions(1), positions(2))


def test_random_values_are_uniform_and_independent() -> None:
    particles = fw.Particles(
        capacity=20_000, lifetime=(1, 3), scale=(0, 1), angle=(-1, 1), speed=(50, 150), spread=0.4
    )
    particles.emit(20_000, (0, 0))
    rows = simulation_of(particles).births.rows()
    speed = np.hypot(*rows["velocity"].T)
    direction = np.arctan2(*rows["velocity"].T[::-1])
    samples = np.column_stack(
        [rows["lifetime"] - 2, 2 * rows["scale"] - 1, rows["rotation"][:, 0], speed / 50 - 2]
    )
    samples = np.column_stack([samples, (direction - math.pi / 2) / 0.4])
    assert np.abs(samples).max() <= 1 + 1e-5
    assert np.abs(samples.mean(axis=0)).max() < 0.02
    assert np.allclose(samples.std(axis=0), 1 / math.sqrt(3), atol=0.01)
    assert np.abs(np.corrcoef(samples.T) - np.eye(5)).max() < 0.03
    # neighbors are independent
    assert np.abs(np.corrcoef(samples[:-1].T, samples[1:].T)[:5, 5:]).max() < 0.03


def test_a_restored_snapshot_has_the_same_image_and_future(make: Make) -> None:
    game = make(Comet, tick_rate=40, frame_rate=40)
    game.run(14)
    first = game.pixels()
    snapshot = game.snapshot()
    first_hash = game.state_hash()
    game.run(9)
    later = game.pixels()
    last_hash = game.state_hash()
    game.restore(snapshot)
    assert game.state_hash() == first_hash != last_hash
    assert simulation_of(game.tail).births.count < 500
    game.run(9)
    assert game.state_hash() == last_hash
    assert np.array_equal(game.pixels(), later)
    assert not np.array_equal(first, later)


class SavedComet(Comet):
    saved = ("tail", "rain", "sprites", "comet")


def test_a_save_contains_the_living_particles(make: Make, tmp_path: Path) -> None:
    game = make(SavedComet, tick_rate=40, frame_rate=40)
    game.run(11)
    game.save(path=tmp_path / "one.save")
    first = game.pixels()
    game.run(3)
    later = game.pixels()
    assert not np.array_equal(first, later)
    for loaded in (game, make(SavedComet, tick_rate=40, frame_rate=40)):
        loaded.run(3)  # as many births as in the save, but other births
        loaded.load(path=tmp_path / "one.save")
        assert len(simulation_of(loaded.tail).births.blocks) > 0
        loaded.run(3)
        assert np.array_equal(loaded.pixels(), later)
        assert simulation_of(loaded.tail).births.count == simulation_of(game.tail).births.count


def test_a_save_without_particles_removes_all_particles(tmp_path: Path) -> None:
    class Quiet(fw.Game):
        saved = ("dust",)

        def setup(self) -> None:
            self.dust = self.add(fw.Particles(capacity=50, lifetime=9))

    with Quiet(drawing=False) as game:
        game.save(path=tmp_path / "none.save")
        game.dust.emit(3, (0, 0))
        game.run_ticks(2)
        assert len(game.dust) == 3
        game.load(path=tmp_path / "none.save")
        assert len(game.dust) == 0
        game.dust.emit(2, (0, 0))
        game.run_ticks(2)
        assert len(game.dust) == 2


def test_invalid_particles_in_a_save_are_errors() -> None:
    particles = fw.Particles(capacity=50, lifetime=9)
    particles.emit(3, (0, 0))
    emitter = particles.emitter((1, 2), 20)
    births, scale, emitters = particles._held
    count, start, length, words, spans = births
    for bad_births in (
        (count, "1e999999999", length, words, spans),
        (count, start, "9" * 99, words, spans),
        (2, start, length, words, spans),
        (count, start, length, words[:2], spans),
        (count, start, length, words.astype(np.int64), spans),
        (count, start, length, words, spans[:, :2]),
        (
            count,
            start,
            length,
            np.concatenate([words, words[:1]]),
            np.array([[5, 0, 1], [-1, 0, 1]]),
        ),
    ):
        with pytest.raises(ValueError, match=r"particles|time|count"):
            particles._held = bad_births, scale, emitters
        assert simulation_of(particles).births.count == 3
    emitter.position = 5, 6
    particles._held = births, 0.5, emitters
    assert (particles.time_scale, emitter.position, len(particles)) == (0.5, (1, 2), 3)


def test_cleared_particles_are_not_drawn_again(make: Make) -> None:
    game = make(fw.Game)
    particles = game.add(fw.Particles(solid(8, 8), lifetime=9, size=8))
    for x in (50, 150):
        particles.emit(3, (x, 50))
        game.run(1)
        assert [
            len(np.unique(half)) > 1 for half in np.split(game.pixels()[..., :3], 2, axis=1)
        ] == [x == 50, x == 150]
        particles.clear()


def test_a_snapshot_shares_existing_rows(make: Make) -> None:
    game = make(fw.Game)
    particles = game.add(fw.Particles(capacity=5000, lifetime=60))
    particles.emit(4000, (0, 0))
    words = simulation_of(particles).births.blocks[0].words
    snapshot = game.snapshot()
    particles.clear()
    assert len(particles) == 0
    game.restore(snapshot)
    assert simulation_of(particles).births.blocks[0].words is words
    with pytest.raises(ValueError, match="read-only"):
        words[0] = 1


def test_rewind_draws_the_same_particles(make: Make) -> None:
    game = make(Comet, tick_rate=40, frame_rate=40)
    game.recording.rewind = fw.Rewind(duration=2)
    images = {}
    for _ in range(30):
        game.run(1)
        images[game.tick] = game.pixels()
    for tick in (20, 12, 27):
        game.recording.rewind.seek(tick)
        game.run(1)
        assert np.array_equal(game.pixels(), images[tick])


def test_the_length_of_the_ticks_does_not_change_particles() -> None:
    random = np.random.default_rng(5)
    particles = fw.Particles(lifetime=9, velocity=(10, 0), gravity=(0, -2), damping=0.3)
    particles.emitter((0, 0), 8)
    times = random.uniform(0.001, 0.2, 40)
    for dt in times:
        simulation_of(particles).begin_tick(float(dt))
        simulation_of(particles).end_tick()
    total = times.sum()
    assert simulation_of(particles).births.count == int(8 * total)
    even = fw.Particles(lifetime=9, velocity=(10, 0), gravity=(0, -2), damping=0.3)
    even.emitter((0, 0), 8)
    simulation_of(even).begin_tick(float(total))
    simulation_of(even).end_tick()
    assert np.allclose(particles.pose(1.0)[0], even.pose(1.0)[0], atol=1e-3)


def test_the_state_is_the_same_without_drawing(make: Make) -> None:
    hashes = set()
    for drawing in (True, False):
        game = make(Comet, tick_rate=40, drawing=drawing)
        game.run(25)
        hashes.add(game.state_hash())
    assert len(hashes) == 1


def test_the_sync_test_finds_no_difference(make: Make) -> None:
    from framework.sim.synctest import sync_test

    assert sync_test(Comet, ticks=20, seed=1).ok


# -- births ----------------------------------------------------------------------------------------


def test_options_of_a_burst_apply_only_to_that_burst() -> None:
    particles = fw.Particles(speed=10, spread=0, direction=0, lifetime=3)
    particles.emit(
        2,
        (5, 5),
        speed=40,
        direction=math.pi / 2,
        tint="#f00",
        lifetime=1,
        scale=2,
        velocity=(0, 2),
        angle=1,
    )
    particles.emit(1, (0, 0))
    rows = simulation_of(particles).births.rows()
    assert np.allclose(rows["velocity"], [(0, 42), (0, 42), (10, 0)], atol=1e-5)
    assert rows["tint"].tolist() == [[1, 0, 0, 1], [1, 0, 0, 1], [1, 1, 1, 1]]
    assert rows["lifetime"].tolist() == [1, 1, 3]
    assert rows["scale"].tolist() == [2, 2, 1]
    assert rows["rotation"][:, 0].tolist() == [1, 1, 0]


@pytest.mark.parametrize("preset", ["fire", "smoke", "sparks", "confetti", "rain", "snow"])
@pytest.mark.parametrize("kind", [fw.Particles, fw.Particles3D])
def test_every_preset_is_visible_and_its_options_can_be_changed(
    make: Make, kind: Any, preset: str
) -> None:
    game = make(fw.Game, frame_rate=30)
    if kind is fw.Particles3D:
        game.world.camera.position = (0, 0, 4)
        game.world.camera.look_at((0, 0, 0))
    particles = game.add(getattr(kind, preset)(capacity=90, seed=4))
    flat = kind is fw.Particles
    particles.emitter(
        (100, 50) if flat else (0, 0, 0),
        90,
        emission_size=(20, 20) if flat else (1, 1, 1),
        prewarm=1,
    )
    game.run(8)
    assert particles.capacity == 90
    assert len(particles) > 5
    assert (game.pixels()[..., :3].max(axis=2) > 25).sum() > 10


def test_images_are_chosen_at_random(make: Make) -> None:
    game = make(fw.Game)
    images = [solid(4, 4, (255, 0, 0, 255)), solid(4, 4, (0, 255, 0, 255))]
    particles = game.add(fw.Particles(images, size=4, lifetime=9))
    particles.emit(40, [(5 * x + 2, 50) for x in range(40)])
    game.run(1)
    row = game.pixels()[50, 2::5, :2]
    assert set(map(tuple, row.tolist())) == {(255, 0), (0, 255)}
    assert 8 < (row[:, 0] > 0).sum() < 32


@pytest.mark.parametrize("blend", ["alpha", "add", "multiply", "screen", "exclusion", "replace"])
def test_each_blend_mode_draws_as_for_sprites(make: Make, blend: str) -> None:
    images = []
    for kind in ("sprites", "particles"):
        game = make(fw.Game, background=(0.2, 0.4, 0.6))
        image = solid(8, 8, (200, 100, 50, 128))
        if kind == "sprites":
            game.add(fw.SpriteBatch(image, blend=blend)).add(position=(50, 50))
        else:
            game.add(fw.Particles(image, size=8, lifetime=9, blend=blend)).emit(1, (50, 50))
        game.run(1)
        images.append(game.pixels())
    assert np.array_equal(*images)


# -- errors ----------------------------------------------------------------------------------------


NAN = float("nan")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"capacity": 0}, "capacity: expected a whole number from 1 to 4194304, got 0"),
        (
            {"capacity": 5_000_000},
            "capacity: expected a whole number from 1 to 4194304, got 5000000",
        ),
        (
            {"lifetime": -1},
            "lifetime: expected a finite number above 0 and of at most 1000.*, got -1",
        ),
        ({"lifetime": 0}, "lifetime: expected a finite number above 0"),
        (
            {"lifetime": (2, 1)},
            r"lifetime: expected a number, or the lowest and the highest of several, got \(2, 1\)",
        ),
        ({"lifetime": NAN}, "lifetime: expected a finite number"),
        ({"lifetime": (1, 2, 3)}, "lifetime: expected two finite numbers"),
        ({"speed": (-5, 5)}, "speed: expected a finite number of at least 0, got -5"),
        ({"speed": (NAN, 1)}, "speed: expected a"),
        ({"spread": 4}, "spread: expected a finite number from 0 to 3.14"),
        ({"direction": NAN}, "direction: expected a finite number"),
        ({"gravity": (1, 2, 3)}, "gravity: expected two finite numbers"),
        ({"gravity": (0, NAN)}, "gravity: expected two finite numbers"),
        ({"damping": -1}, "damping: expected a finite number from 0"),
        ({"noise": NAN}, "noise: expected a finite number"),
        ({"emission_size": (-1, 2)}, "emission_size: expected 2 numbers of at least 0"),
        ({"size": -4}, "size: expected a finite number of at least 0, got -4"),
        ({"color": "#12"}, "color: expected a color such as"),
        ({"tint": []}, "tint: expected 3 or 4 finite numbers"),
        (
            {"blend": "glow"},
            "blend: expected one of 'alpha', 'add', 'multiply', 'screen', 'exclusion', 'replace', got 'glow'",
        ),
        ({"filter": "cubic"}, "filter: expected one of 'linear', 'nearest', got 'cubic'"),
        ({"image": []}, "image: expected from 1 to 16 images, got 0"),
        ({"seed": -1}, "seed: expected a whole number of at least 0"),
    ],
)
def test_the_error_of_a_bad_option_names_it(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=f"^{words}"):
        fw.Particles(**options)


def test_the_error_of_a_wrong_type_names_the_argument() -> None:
    particles = fw.Particles()
    for name, value in (
        ("lifetime", "long"),
        ("direction", "up"),
        ("gravity", 9.8),
        ("size", "big"),
        ("align", "yes"),
    ):
        with pytest.raises(TypeError, match=f"^{name}: expected "):
            fw.Particles(**{name: value})
    with pytest.raises(
        TypeError,
        match="particles: unknown option 'sped'; did you mean speed",
    ):
        particles.emit(1, sped=3)
    with pytest.raises(
        TypeError, match="particles: unknown option 'gravity'; it is an option of fw"
    ):
        particles.emit(1, gravity=(0, 1))
    with pytest.raises(ValueError, match=r"^position: expected one position, or 3, got 2"):
        particles.emit(3, [(1, 2), (3, 4)])
    with pytest.raises(ValueError, match=r"^position: "):
        particles.emit(1, (1, NAN))
    with pytest.raises(ValueError, match=r"^delay: expected 3 numbers, got 2"):
        particles.emit(3, delay=[0, 1])
    with pytest.raises(ValueError, match=r"^delay: expected a finite number from 0 to 1000"):
        particles.emit(3, delay=-1)
    with pytest.raises(
        ValueError, match=r"^count: expected a whole number from 0 to 2147483647, got -1"
    ):
        particles.emit(-1)
    with pytest.raises(AttributeError, match=r"Particles has no attribute 'blnd'"):
        particles.blnd = 3  # type: ignore[attr-defined]
    assert simulation_of(particles).births.count == 0


def test_a_missing_image_is_an_error_when_particles_are_added(make: Make) -> None:
    for drawing in (True, False):
        with pytest.raises(fw.AssetError, match=r"puf\.png"):
            make(fw.Game, drawing=drawing).add(fw.Particles("puf.png"))
    game = make(fw.Game)
    particles = game.add(fw.Particles())
    with pytest.raises(ValueError, match=r"^Particles: it was added to a game already"):
        game.add(particles)


def test_tab_completion_shows_no_internal_names() -> None:
    names = {name for name in dir(fw.Particles) if name[0] != "_"}
    internal_names = {"attach", "begin_tick", "end_tick", "draw", "release", "renew", "births"}
    assert not names & (internal_names | {"spawn", "not_state", "dimensions", "after_restore"})
    emitter = {name for name in dir(fw.Emitter) if name[0] != "_"}
    assert emitter == {
        *("change", "emitting", "position", "rate", "remove", "removed", "target", "teleport"),
    }


def births_of_a_game(seed: int) -> bytes:
    """Return the particles and the state of a game with emitters and bursts."""
    random = np.random.default_rng(seed)
    game = fw.Game(drawing=False)
    sprites = game.add(fw.SpriteBatch(np.zeros((2, 2, 4), np.uint8), 2))
    system = game.add(
        fw.Particles(
            capacity=60, speed=(3, 9), spread=0.4, emission_size=(4, 2), tint=["#f00", "#0f0"]
        )
    )
    point = system.emitter((3, 4), rate=59.94)
    system.emitter(sprites[0], rate=200)
    system.emitter(sprites[1], rate=33, lifetime=0.2, angle=(0, 1))
    system.emitter((0, 0), rate=9000)
    result = []
    for tick in range(12):
        sprites.position[:] += random.normal(size=(2, 2))
        sprites.angle[1] += 0.3
        if tick == 6:
            sprites.position[0] = np.inf
        if tick % 3 == 0:
            point.position = tuple(random.normal(size=2).tolist())
            system.emit(int(random.integers(0, 9)), position=(tick, 2), delay=tick / 90)
            system.emit(5, position=random.normal(size=(5, 2)), delay=[0, 0.1, 0.2, 0, 0.3])
        game.run_ticks(1)
        births = simulation_of(system).births
        result += [births.rows().tobytes(), str(game.state_hash()).encode()]
    return b"".join(result)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_few_births_have_the_same_bits_as_arrays_of_births(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for seed in range(3):
        expected = births_of_a_game(seed)
        with monkeypatch.context() as patch:
            patch.setattr(emitters, "_MAX_FEW", 0)
            patch.setattr(SpawnOptions, "_block", lambda self, kind, start: None)
            assert births_of_a_game(seed) == expected
